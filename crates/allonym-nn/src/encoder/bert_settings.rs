//! The settings files beside the weights of a BERT model. What we do not compute is refused rather than computed wrongly.

use super::weights::read;
use crate::error::NnError;
use serde::Deserialize;
use std::path::Path;

/// What `config.json` says of the network.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Settings {
    model_type: String,
    pub(crate) hidden_size: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) num_attention_heads: usize,
    pub(crate) max_position_embeddings: usize,
    pub(crate) type_vocab_size: usize,
    pub(crate) vocab_size: usize,
    pub(crate) layer_norm_eps: f32,
    hidden_act: String,
    position_embedding_type: Option<String>,
    /// The most tokens of a text, from `sentence_bert_config.json`.
    #[serde(skip)]
    pub(crate) most_tokens: usize,
}

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct Sentence {
    max_seq_length: Option<usize>,
}

/// `tokenizer_config.json`.
#[derive(Default, Deserialize)]
struct Tokeniser {
    do_lower_case: Option<bool>,
}

/// `1_Pooling/config.json`.
#[derive(Default, Deserialize)]
struct Pooling {
    pooling_mode_mean_tokens: Option<bool>,
}

impl Settings {
    /// Reads the settings of a directory.
    ///
    /// # Errors
    /// When a file cannot be read, or describes a network that is not an uncased BERT with means of tokens.
    pub(crate) fn open(directory: &Path) -> Result<Self, NnError> {
        let path = directory.join("config.json");
        let mut settings: Self = parse(&path, &read(&path)?)?;
        let refuse = |why: &str| Err(NnError::unusable(&path, why));
        if settings.model_type != "bert" {
            return refuse("`model_type` must be `bert`");
        }
        if settings.hidden_act != "gelu" {
            return refuse("`hidden_act` must be `gelu`");
        }
        if settings.position_embedding_type.as_deref().is_some_and(|kind| kind != "absolute") {
            return refuse("`position_embedding_type` must be `absolute`");
        }
        let Self { hidden_size, num_attention_heads, intermediate_size, type_vocab_size, .. } = settings;
        if hidden_size == 0 || intermediate_size == 0 || type_vocab_size == 0 {
            return refuse("sizes must be above 0");
        }
        if num_attention_heads == 0 || !hidden_size.is_multiple_of(num_attention_heads) {
            return refuse("`num_attention_heads` must divide `hidden_size`");
        }
        let sentence: Sentence = optional(&directory.join("sentence_bert_config.json"))?;
        let positions = settings.max_position_embeddings;
        settings.most_tokens = sentence.max_seq_length.unwrap_or(positions).min(positions);
        if settings.most_tokens < 3 {
            return refuse("a text must be allowed at least 3 tokens");
        }
        let path = directory.join("tokenizer_config.json");
        if optional::<Tokeniser>(&path)?.do_lower_case == Some(false) {
            return Err(NnError::unusable(&path, "`do_lower_case` must be true: only uncased models are known"));
        }
        let path = directory.join("1_Pooling/config.json");
        if optional::<Pooling>(&path)?.pooling_mode_mean_tokens == Some(false) {
            return Err(NnError::unusable(&path, "`pooling_mode_mean_tokens` must be true"));
        }
        Ok(settings)
    }
}

/// What a file holds, or nothing when there is no such file.
fn optional<T: Default + for<'de> Deserialize<'de>>(path: &Path) -> Result<T, NnError> {
    if path.exists() { parse(path, &read(path)?) } else { Ok(T::default()) }
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path, bytes: &[u8]) -> Result<T, NnError> {
    serde_json::from_slice(bytes).map_err(|error| NnError::unusable(path, format!("is not what it should be: {error}")))
}
