//! The Universal Sentence Encoder Lite (Cer et al., 2018): two transformer layers that normalise first, the mean of the tokens,
//! one layer with a hyperbolic tangent, length 1.
//!
//! Tensors keep the names that TensorFlow gave them; sizes, heads and limits are read from the file.

use super::SentenceEncoder;
use super::activation::relu;
use super::attention::attend;
use super::dense::Dense;
use super::norm::LayerNorm;
use super::packed::{self, Packed};
use super::unigram::Unigram;
use super::weights::{Weights, read};
use crate::error::NnError;
use crate::matrix::Matrix;
use crate::product::Into;
use crate::real::Real;
use std::path::Path;

const LAYERS: usize = 2;
/// A file that allows more tokens than this is damaged: the published one allows 128.
const MOST_TOKENS: usize = 1 << 16;
const ENCODER: &str = "module/Encoder_en";
const APPLIED: &str = "module_apply_default/Encoder_en";

/// The encoder with its vocabulary.
pub struct UseLite {
    vocabulary: Unigram,
    words: Matrix<f32>,
    /// What is added to the word at each position; as many rows as a text may have tokens.
    timing: Matrix<f32>,
    layers: Vec<Layer>,
    last: Dense,
}

struct Layer {
    heads: usize,
    attention_norm: LayerNorm,
    joint: Dense,
    gathered: Dense,
    /// Brings the inputs to the width of the outputs, where they differ.
    widened: Option<Dense>,
    norm: LayerNorm,
    wide: Dense,
    narrow: Dense,
}

impl UseLite {
    /// Reads the encoder from a directory with `use_lite.safetensors` and `vocab.json`.
    ///
    /// # Errors
    /// When a file is missing, damaged, or of another model.
    pub fn open(directory: &Path) -> Result<Self, NnError> {
        let path = directory.join("use_lite.safetensors");
        let bytes = read(&path)?;
        let weights = Weights::of(&path, &bytes)?;
        let [pieces, width] = sizes(&weights, "module/Embeddings_en")?;
        let words = weights.matrix("module/Embeddings_en", pieces, width)?;
        let path = directory.join("vocab.json");
        let vocabulary = Unigram::open(&path)?;
        if vocabulary.size() > pieces {
            let why = format!("has {} pieces; the model has {pieces}", vocabulary.size());
            return Err(NnError::unusable(&path, why));
        }
        let (mut layers, mut inputs) = (Vec::new(), width);
        for layer in 0..LAYERS {
            layers.push(Layer::read(&weights, layer, inputs)?);
            inputs = layers[layer].narrow.outputs();
        }
        let last = format!("{ENCODER}/hidden_layers/tanh_layer_0");
        let [_, outputs] = sizes(&weights, &format!("{last}/weights"))?;
        let last = dense(&weights, &format!("{last}/weights"), &format!("{last}/bias"), &[inputs, outputs])?;
        Ok(Self { vocabulary, words, timing: timing(&weights, width)?, layers, last })
    }

    /// The tokens that a text is read as.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        let mut tokens = self.vocabulary.tokens(text);
        tokens.truncate(self.timing.rows());
        tokens
    }

    /// The vectors of a few sentences, on this thread.
    fn run(&self, packed: &Packed) -> Matrix<f32> {
        let mut states = Matrix::zeros(packed.rows(), self.words.columns());
        for (row, (token, position)) in packed.positions().enumerate() {
            let (word, timing) = (self.words.row(token as usize), self.timing.row(position));
            for ((state, word), timing) in states.row_mut(row).iter_mut().zip(word).zip(timing) {
                // The published graph adds the words to the words with their timing: they count twice.
                *state = word + (word + timing);
            }
        }
        for layer in &self.layers {
            states = layer.run(states, packed);
        }
        let mut out = self.last.forward(packed.means(&states).view());
        out.values_mut().iter_mut().for_each(|value| *value = Real::tanh(*value));
        packed::to_unit_length(&mut out);
        out
    }
}

impl SentenceEncoder for UseLite {
    fn dimension(&self) -> usize {
        self.last.outputs()
    }

    fn encode(&self, texts: &[&str], threads: usize) -> Result<Matrix<f32>, NnError> {
        packed::encode(texts, self.dimension(), threads, |text| self.tokens(text), |packed| self.run(packed))
    }
}

impl Layer {
    fn read(weights: &Weights<'_>, layer: usize, inputs: usize) -> Result<Self, NnError> {
        let kernel = |part: &str| {
            format!(
                "{ENCODER}/KonaTransformer/Encode/Layer_{layer}/TransformerLayer/MultiheadAttention/{part}/kernel/part_0"
            )
        };
        let part = |part: &str| {
            format!("{APPLIED}/KonaTransformer/Encode/Layer_{layer}/TransformerLayer/{part}/ConcatPartitions/concat")
        };
        let constant = |part: &str| {
            format!("{APPLIED}/KonaTransformer/Encode/TransformerStack/Layer_{layer}/TransformerLayer/{part}")
        };
        let epsilon = weights.number(&format!(
            "{APPLIED}/KonaTransformer/Encode/TransformerStack/Layer_1/TransformerLayer/FFN/layer_prepostprocess/layer_norm/Cast/x"
        ))?;
        let norm = |place: &str, width: usize| {
            let name = |which: &str| part(&format!("{place}layer_prepostprocess/layer_norm/layer_norm_{which}"));
            LayerNorm::read(weights, &name("scale"), &name("bias"), width, epsilon)
        };

        let [middle, outputs] = sizes(weights, &kernel("output_transform_single"))?;
        let mut joint = dense(
            weights,
            &kernel("qkv_transform_single"),
            &part("MultiheadAttention/qkv_transform_single/bias"),
            &[1, 1, inputs, 3 * middle],
        )?;
        joint.scale(middle, weights.number(&constant("MultiheadAttention/mul/y"))?);
        let split = constant("MultiheadAttention/split_heads/split_last_dimension/Reshape/shape/3");
        let head = weights.count(&split)?;
        if !middle.is_multiple_of(head) {
            return Err(weights.error(&split, format!("is {head}; it must divide {middle}")));
        }
        let (first, second) = (constant("FFN/conv1/Tensordot/Reshape_1"), constant("FFN/conv2/Tensordot/Reshape_1"));
        let [_, wide] = sizes(weights, &first)?;
        Ok(Self {
            heads: middle / head,
            attention_norm: norm("", inputs)?,
            joint,
            gathered: dense(
                weights,
                &kernel("output_transform_single"),
                &part("MultiheadAttention/output_transform_single/bias"),
                &[1, 1, middle, outputs],
            )?,
            widened: (inputs != outputs)
                .then(|| dense(weights, &part("dense/kernel"), &part("dense/bias"), &[inputs, outputs]))
                .transpose()?,
            norm: norm("FFN/", outputs)?,
            wide: dense(weights, &first, &part("FFN/conv1/bias"), &[outputs, wide])?,
            narrow: dense(weights, &second, &part("FFN/conv2/bias"), &[wide, outputs])?,
        })
    }

    fn run(&self, states: Matrix<f32>, packed: &Packed) -> Matrix<f32> {
        let mut normal = states.clone();
        self.attention_norm.over(normal.values_mut());
        let joint = self.joint.forward(normal.view());
        let mut gathered = Matrix::zeros(packed.rows(), joint.columns() / 3);
        attend(&mut gathered, &joint, packed.sentences(), self.heads);
        let mut states = match &self.widened {
            Some(widened) => widened.forward(states.view()),
            None => states,
        };
        self.gathered.add(&mut states, &gathered);
        let mut normal = states.clone();
        self.norm.over(normal.values_mut());
        let mut wide = Matrix::zeros(packed.rows(), self.wide.outputs());
        self.wide.product(wide.view_mut(), Into::Replace, normal.view());
        for row in 0..wide.rows() {
            relu(wide.row_mut(row), self.wide.bias());
        }
        self.narrow.add(&mut states, &wide);
        states
    }
}

/// The last two sizes of a tensor.
fn sizes(weights: &Weights<'_>, name: &str) -> Result<[usize; 2], NnError> {
    match weights.shape(name)?[..] {
        [.., rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
        _ => Err(weights.error(name, "must have two dimensions or more")),
    }
}

/// A map whose weight TensorFlow keeps as inputs x outputs, perhaps below dimensions of size 1.
fn dense(weights: &Weights<'_>, weight: &str, bias: &str, shape: &[usize]) -> Result<Dense, NnError> {
    let (inputs, outputs) = (shape[shape.len() - 2], shape[shape.len() - 1]);
    let weight = Matrix::of(inputs, outputs, weights.numbers(weight, shape)?);
    Ok(Dense::of(weight, weights.numbers(bias, &[outputs])?))
}

/// Sines and cosines of every position, at the rates of the file.
fn timing(weights: &Weights<'_>, width: usize) -> Result<Matrix<f32>, NnError> {
    let name =
        format!("{APPLIED}/KonaTransformer/Encode/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1");
    if !width.is_multiple_of(2) {
        return Err(weights.error(&name, format!("cannot be added to {width} columns; there must be twice its own")));
    }
    let rates = weights.numbers(&name, &[1, width / 2])?;
    let limit = format!("{APPLIED}/KonaTransformer/ClipToMaxLength/Less/y");
    let most = weights.count(&limit)?;
    if most > MOST_TOKENS {
        return Err(weights.error(&limit, format!("is {most}; it must be at most {MOST_TOKENS}")));
    }
    let mut timing = Matrix::zeros(most, width);
    for position in 0..most {
        let (sines, cosines) = timing.row_mut(position).split_at_mut(width / 2);
        for ((sine, cosine), rate) in sines.iter_mut().zip(cosines).zip(&rates) {
            (*sine, *cosine) = (position as f32 * rate).sin_cos();
        }
    }
    Ok(timing)
}
