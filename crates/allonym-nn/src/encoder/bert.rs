//! BERT (Devlin et al., 2019) as a sentence encoder (Reimers and Gurevych, 2019): the mean of the tokens' vectors, of length 1.

use super::SentenceEncoder;
use super::activation::gelu;
use super::attention::attend;
use super::bert_settings::Settings;
use super::dense::Dense;
use super::norm::LayerNorm;
use super::packed::{self, Packed};
use super::weights::{Weights, read};
use super::word_piece::WordPiece;
use crate::error::NnError;
use crate::matrix::Matrix;
use crate::product::Into;
use std::path::Path;

/// A BERT model with its vocabulary.
pub struct Bert {
    vocabulary: WordPiece,
    most_tokens: usize,
    heads: usize,
    words: Matrix<f32>,
    positions: Matrix<f32>,
    kind: Vec<f32>,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    joint: Dense,
    gathered: Dense,
    attention_norm: LayerNorm,
    wide: Dense,
    narrow: Dense,
    norm: LayerNorm,
}

/// Room for the numbers between maps, used again by every layer.
struct Scratch {
    joint: Matrix<f32>,
    gathered: Matrix<f32>,
    wide: Matrix<f32>,
}

impl Bert {
    /// Reads a model from a directory with `config.json`, `vocab.txt` and `model.safetensors`, as all-MiniLM-L6-v2 has.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of another kind of model.
    pub fn open(directory: &Path) -> Result<Self, NnError> {
        let settings = Settings::open(directory)?;
        let path = directory.join("vocab.txt");
        let vocabulary = WordPiece::open(&path)?;
        if vocabulary.size() > settings.vocab_size {
            let why = format!("has {} pieces; `config.json` says {}", vocabulary.size(), settings.vocab_size);
            return Err(NnError::unusable(&path, why));
        }
        let path = directory.join("model.safetensors");
        let bytes = read(&path)?;
        let weights = Weights::of(&path, &bytes)?;
        let width = settings.hidden_size;
        let table = |name: &str, rows: usize| weights.matrix(&format!("embeddings.{name}.weight"), rows, width);
        let kinds = table("token_type_embeddings", settings.type_vocab_size)?;
        let layers = (0..settings.num_hidden_layers).map(|layer| Layer::read(&weights, layer, &settings));
        Ok(Self {
            most_tokens: settings.most_tokens,
            heads: settings.num_attention_heads,
            words: table("word_embeddings", settings.vocab_size)?,
            positions: table("position_embeddings", settings.max_position_embeddings)?,
            // All tokens of a single text are of the first kind.
            kind: kinds.row(0).to_vec(),
            norm: norm(&weights, "embeddings.LayerNorm", &settings)?,
            layers: layers.collect::<Result<_, _>>()?,
            vocabulary,
        })
    }

    /// The tokens that a text is read as.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.vocabulary.tokens(text, self.most_tokens)
    }

    /// The vectors of a few sentences, on this thread.
    fn run(&self, packed: &Packed) -> Matrix<f32> {
        let width = self.dimension();
        let mut states = Matrix::zeros(packed.rows(), width);
        for (row, (token, position)) in packed.positions().enumerate() {
            let (word, position) = (self.words.row(token as usize), self.positions.row(position));
            for ((state, word), position) in states.row_mut(row).iter_mut().zip(word).zip(position) {
                *state = word + position;
            }
        }
        self.norm.after(&self.kind, states.values_mut());
        let mut scratch = Scratch {
            joint: Matrix::zeros(packed.rows(), 3 * width),
            gathered: Matrix::zeros(packed.rows(), width),
            wide: Matrix::zeros(packed.rows(), self.layers.first().map_or(0, |layer| layer.wide.outputs())),
        };
        for layer in &self.layers {
            layer.run(&mut states, &mut scratch, packed, self.heads);
        }
        let mut means = packed.means(&states);
        packed::to_unit_length(&mut means);
        means
    }
}

impl SentenceEncoder for Bert {
    fn dimension(&self) -> usize {
        self.words.columns()
    }

    fn encode(&self, texts: &[&str], threads: usize) -> Result<Matrix<f32>, NnError> {
        packed::encode(texts, self.dimension(), threads, |text| self.tokens(text), |packed| self.run(packed))
    }
}

impl Layer {
    fn read(weights: &Weights<'_>, layer: usize, settings: &Settings) -> Result<Self, NnError> {
        let (width, wide) = (settings.hidden_size, settings.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let square = |part: &str| Dense::read(weights, &name(part), width, width);
        let query = square("attention.self.query")?;
        let mut joint = Dense::beside(&[query, square("attention.self.key")?, square("attention.self.value")?]);
        joint.scale(width, 1.0 / ((width / settings.num_attention_heads) as f32).sqrt());
        Ok(Self {
            joint,
            gathered: square("attention.output.dense")?,
            attention_norm: norm(weights, &name("attention.output.LayerNorm"), settings)?,
            wide: Dense::read(weights, &name("intermediate.dense"), width, wide)?,
            narrow: Dense::read(weights, &name("output.dense"), wide, width)?,
            norm: norm(weights, &name("output.LayerNorm"), settings)?,
        })
    }

    fn run(&self, states: &mut Matrix<f32>, scratch: &mut Scratch, packed: &Packed, heads: usize) {
        let Scratch { joint, gathered, wide } = scratch;
        for row in 0..joint.rows() {
            joint.row_mut(row).copy_from_slice(self.joint.bias());
        }
        self.joint.product(joint.view_mut(), Into::Add, states.view());
        attend(gathered, joint, packed.sentences(), heads);
        self.gathered.product(states.view_mut(), Into::Add, gathered.view());
        self.attention_norm.after(self.gathered.bias(), states.values_mut());
        self.wide.product(wide.view_mut(), Into::Replace, states.view());
        for row in 0..wide.rows() {
            gelu(wide.row_mut(row), self.wide.bias());
        }
        self.narrow.product(states.view_mut(), Into::Add, wide.view());
        self.norm.after(self.narrow.bias(), states.values_mut());
    }
}

fn norm(weights: &Weights<'_>, name: &str, settings: &Settings) -> Result<LayerNorm, NnError> {
    let (scale, shift) = (format!("{name}.weight"), format!("{name}.bias"));
    LayerNorm::read(weights, &scale, &shift, settings.hidden_size, settings.layer_norm_eps)
}
