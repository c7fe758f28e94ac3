//! Which sentence encoder a directory holds, or word vectors of a file, or neither.

use super::plan::Plan;
use crate::failure::Failure;
use allonym_eval::utility::Averaged;
use allonym_models::Embeddings;
use allonym_nn::encoder::{Bert, SentenceEncoder, UseLite};
use std::path::Path;

/// The encoder that the plan asks for, and its name.
pub(super) fn encoder(plan: &Plan, texts: &[&str]) -> Result<(Box<dyn SentenceEncoder>, String), Failure> {
    if let Some(directory) = &plan.encoder {
        return trained(directory);
    }
    if let Some(file) = &plan.embeddings {
        let averaged = Averaged::with_vectors(Embeddings::read(file)?.into_words(), texts)?;
        return Ok((Box::new(averaged), "averaged word vectors".to_owned()));
    }
    Ok((Box::new(Averaged::new(texts)), "shared words and stems".to_owned()))
}

fn trained(directory: &Path) -> Result<(Box<dyn SentenceEncoder>, String), Failure> {
    if !directory.is_dir() {
        let message = format!("{} is no directory", directory.display());
        return Err(Failure::new(message, "give the directory with the encoder's weights"));
    }
    // The two are told apart by their words: WordPiece has a vocabulary of lines, SentencePiece one with scores.
    if directory.join("vocab.txt").exists() {
        return Ok((Box::new(Bert::open(directory)?), "MiniLM".to_owned()));
    }
    Ok((Box::new(UseLite::open(directory)?), "Universal Sentence Encoder Lite".to_owned()))
}
