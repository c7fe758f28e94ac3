//! Sentence encoders against the programs they were published with.
//!
//! The small ones are made by `fixtures/make_encoder.py`. The real ones are too large to ship: their tests are ignored unless a
//! variable names a directory with them, `ALLONYM_MINILM` (with `golden.json` from `fixtures/make_minilm.py`) or
//! `ALLONYM_USE_LITE`.

use allonym_nn::encoder::{Bert, SentenceEncoder, UseLite};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Golden {
    text: String,
    ids: Vec<u32>,
    embedding: Vec<f32>,
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn from_variable(name: &str) -> PathBuf {
    std::env::var_os(name).unwrap_or_else(|| panic!("{name} must name a directory")).into()
}

fn golden(directory: &Path) -> Vec<Golden> {
    serde_json::from_slice(&std::fs::read(directory.join("golden.json")).unwrap()).unwrap()
}

/// Asserts that tokens are the same and vectors nearly so: each number to `tolerance`, each cosine above 0.99999.
fn assert_same(
    encoder: &dyn SentenceEncoder,
    tokens: impl Fn(&str) -> Vec<u32>,
    golden: &[Golden],
    threads: usize,
    tolerance: f32,
) {
    let texts: Vec<&str> = golden.iter().map(|golden| golden.text.as_str()).collect();
    let ours = encoder.encode(&texts, threads).unwrap();
    assert_eq!((ours.rows(), ours.columns()), (golden.len(), encoder.dimension()));
    let (mut largest, mut lowest) = (0.0_f32, 1.0_f32);
    for (row, golden) in golden.iter().enumerate() {
        assert_eq!(tokens(&golden.text), golden.ids, "tokens of text {row}");
        let pairs = || ours.row(row).iter().zip(&golden.embedding);
        let difference = pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let cosine: f64 = pairs().map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        assert!(difference < tolerance && cosine > 0.999_99, "text {row}: off by {difference}, cosine {cosine}");
        (largest, lowest) = (largest.max(difference), lowest.min(cosine as f32));
    }
    println!("{} texts: largest difference {largest:.1e}, lowest cosine {lowest}", golden.len());
}

#[test]
fn a_small_bert_is_computed_as_by_hugging_face() {
    let bert = Bert::open(&fixture("tiny_bert")).unwrap();
    let golden = golden(&fixture("tiny_bert"));
    for threads in [1, 3] {
        assert_same(&bert, |text| bert.tokens(text), &golden, threads, 2e-6);
    }
}

#[test]
fn a_small_universal_sentence_encoder_is_computed_as_by_its_graph() {
    let encoder = UseLite::open(&fixture("tiny_use")).unwrap();
    let golden = golden(&fixture("tiny_use"));
    for threads in [1, 3] {
        assert_same(&encoder, |text| encoder.tokens(text), &golden, threads, 2e-6);
    }
}

#[test]
fn a_text_has_the_same_vector_in_any_company() {
    let bert = Bert::open(&fixture("tiny_bert")).unwrap();
    let texts = ["the cat sat", "a", "", "it was not a good film , it was a really bad film"];
    let together = bert.encode(&texts, 2).unwrap();
    for (row, text) in texts.iter().enumerate() {
        let alone = bert.encode(&[text], 1).unwrap();
        assert!(together.row(row).iter().zip(alone.row(0)).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}

#[test]
fn texts_without_a_token_have_a_vector() {
    let encoder = UseLite::open(&fixture("tiny_use")).unwrap();
    let empty = golden(&fixture("tiny_use")).into_iter().find(|golden| golden.text.is_empty()).unwrap();
    let ours = encoder.encode(&["", " "], 2).unwrap();
    for row in 0..2 {
        assert!(ours.row(row).iter().zip(&empty.embedding).all(|(a, b)| (a - b).abs() < 2e-6));
    }
}

#[test]
fn no_texts_have_no_vectors() {
    let bert = Bert::open(&fixture("tiny_bert")).unwrap();
    let none = bert.encode(&[], 2).unwrap();
    assert_eq!((none.rows(), none.columns()), (0, 16));
}

/// The message when one file of a model is replaced, or taken away.
fn message_with(model: &str, file: &str, bytes: Option<&[u8]>) -> String {
    let directory = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(fixture(model)).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, directory.path().join(path.file_name().unwrap())).unwrap();
    }
    match bytes {
        Some(bytes) => std::fs::write(directory.path().join(file), bytes).unwrap(),
        None => std::fs::remove_file(directory.path().join(file)).unwrap(),
    }
    let error = match model {
        "tiny_bert" => Bert::open(directory.path()).err(),
        _ => UseLite::open(directory.path()).err(),
    };
    let message = error.expect("a damaged model is refused").to_string();
    message.replace(&format!("{}{}", directory.path().display(), std::path::MAIN_SEPARATOR), "")
}

#[test]
fn missing_and_damaged_files_are_named() {
    for (model, weights) in [("tiny_bert", "model.safetensors"), ("tiny_use", "use_lite.safetensors")] {
        let whole = std::fs::read(fixture(model).join(weights)).unwrap();
        let missing = message_with(model, weights, None);
        assert!(missing.starts_with(&format!("`{weights}` cannot be read")), "{missing}");
        let cut = message_with(model, weights, Some(&whole[..whole.len() / 2]));
        assert_eq!(cut, format!("`{weights}` is cut off, or is longer than its tensors"));
    }
    let other = std::fs::read(fixture("tiny_use").join("use_lite.safetensors")).unwrap();
    assert_eq!(
        message_with("tiny_bert", "model.safetensors", Some(&other)),
        "file `model.safetensors`: tensor `embeddings.token_type_embeddings.weight` is missing"
    );
}

#[test]
fn a_shape_that_does_not_fit_the_settings_is_named() {
    let settings = std::fs::read_to_string(fixture("tiny_bert").join("config.json")).unwrap();
    let wider = settings.replace("\"intermediate_size\": 24", "\"intermediate_size\": 25");
    assert_eq!(
        message_with("tiny_bert", "config.json", Some(wider.as_bytes())),
        "file `model.safetensors`: tensor `encoder.layer.0.intermediate.dense.weight` has shape [24, 16]; it must be [25, 16]"
    );
}

#[test]
fn models_that_we_do_not_compute_are_refused() {
    let settings = std::fs::read_to_string(fixture("tiny_bert").join("config.json")).unwrap();
    for (from, to, message) in [
        ("\"gelu\"", "\"relu\"", "`config.json` `hidden_act` must be `gelu`"),
        ("\"bert\"", "\"gpt2\"", "`config.json` `model_type` must be `bert`"),
        ("_heads\": 2", "_heads\": 3", "`config.json` `num_attention_heads` must divide `hidden_size`"),
        ("\"type_vocab_size\": 2", "\"type_vocab_size\": 0", "`config.json` sizes must be above 0"),
        ("\"vocab_size\": 37", "\"vocab_size\": 36", "`vocab.txt` has 37 pieces; `config.json` says 36"),
    ] {
        assert_eq!(message_with("tiny_bert", "config.json", Some(settings.replace(from, to).as_bytes())), message);
    }
    let pieces = "`vocab.json` is not a list of pieces with scores (line 1, column 0)";
    assert_eq!(message_with("tiny_use", "vocab.json", Some(b"{}")), pieces);
}

#[test]
#[ignore = "needs all-MiniLM-L6-v2"]
fn minilm_is_computed_as_by_sentence_transformers() {
    let directory = from_variable("ALLONYM_MINILM");
    let bert = Bert::open(&directory).unwrap();
    assert_same(&bert, |text| bert.tokens(text), &golden(&directory), 2, 1e-4);
}

#[test]
#[ignore = "needs the Universal Sentence Encoder Lite"]
fn the_universal_sentence_encoder_is_computed_as_published() {
    let directory = from_variable("ALLONYM_USE_LITE");
    let encoder = UseLite::open(&directory).unwrap();
    assert_same(&encoder, |text| encoder.tokens(text), &golden(&directory), 2, 1e-4);
}
