//! Which sentence encoder a directory holds, or word vectors of a file, or neither.

use super::plan::Plan;
use crate::failure::Failure;
use allonym_eval::utility::Averaged;
use allonym_nn::encoder::{Bert, SentenceEncoder, UseLite};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The encoder that the plan asks for, and its name.
pub(super) fn encoder(plan: &Plan, texts: &[&str]) -> Result<(Box<dyn SentenceEncoder>, String), Failure> {
    if let Some(directory) = &plan.encoder {
        return trained(directory);
    }
    if let Some(file) = &plan.embeddings {
        let averaged = Averaged::with_vectors(vectors(file)?, texts)?;
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

/// Word vectors as GloVe and word2vec write them: a word and its numbers on a line, perhaps packed with gzip.
fn vectors(path: &Path) -> Result<HashMap<String, Vec<f32>>, Failure> {
    let reading = |error: &std::io::Error| Failure::reading("word vectors", path, error);
    let file = std::fs::File::open(path).map_err(|error| reading(&error))?;
    let packed = path.extension().is_some_and(|ending| ending == "gz");
    let input: Box<dyn Read> = if packed { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut vectors = HashMap::new();
    let mut width = None;
    for (number, line) in BufReader::new(input).lines().enumerate() {
        let line = line.map_err(|error| reading(&error))?;
        let mut parts = line.split_ascii_whitespace();
        let Some(word) = parts.next() else { continue };
        let numbers: Option<Vec<f32>> = parts.map(|part| part.parse().ok().filter(|n: &f32| n.is_finite())).collect();
        // word2vec's first line counts words and numbers.
        if number == 0 && numbers.as_ref().is_some_and(|numbers| numbers.len() == 1) {
            continue;
        }
        match numbers {
            Some(numbers) if !numbers.is_empty() && width.is_none_or(|width| width == numbers.len()) => {
                width = Some(numbers.len());
                vectors.insert(word.to_owned(), numbers);
            }
            _ => {
                let message = format!("line {} of {} is no word with its numbers", number + 1, path.display());
                return Err(Failure::new(message, "give vectors as GloVe or word2vec write them as text"));
            }
        }
    }
    Ok(vectors)
}
