//! What the owner of the originals may see of a release: for every token the best candidates, and what was drawn.
//!
//! The file tells the original texts. It is written with a first line that says so, and where the system knows owners of files, for its
//! owner alone.

use crate::failure::Failure;
use allonym_dp::Proposer;
use allonym_dp::mechanism::Reads;
use allonym_text::{Document, Private, Vocabulary};
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;

/// How many candidates are told.
const BEST: usize = 5;

/// What was proposed for a step, best first, by outcome.
type Best = Vec<(u32, f32)>;

/// A proposer whose proposals are kept.
pub(crate) struct Traced<P> {
    inner: P,
    reads: Reads,
    steps: Vec<Best>,
}

impl<P: Proposer> Traced<P> {
    pub(crate) fn new(inner: P, reads: Reads) -> Self {
        Self { inner, reads, steps: Vec::new() }
    }
}

impl<P: Proposer> Proposer for Traced<P> {
    fn tokens(&self) -> usize {
        self.inner.tokens()
    }

    fn scores(&mut self, released: &[u32]) -> &[f32] {
        let scores = self.inner.scores(released);
        self.steps.push(best(scores, self.reads));
        scores
    }
}

/// The best outcomes with what stands for their probabilities.
fn best(scores: &[f32], reads: Reads) -> Best {
    let better = |score: f32| if reads == Reads::Distances { -score } else { score };
    let mut places: Vec<u32> = (0..scores.len() as u32).collect();
    let order = |a: &u32, b: &u32| better(scores[*b as usize]).total_cmp(&better(scores[*a as usize]));
    if places.len() > BEST {
        places.select_nth_unstable_by(BEST, order);
        places.truncate(BEST);
    }
    places.sort_by(order);
    let largest = places.first().map_or(0.0, |place| scores[*place as usize]);
    let sum = match reads {
        // Scores of which only the order is read are logits where a model made them.
        Reads::Order | Reads::Logits => Some(scores.iter().map(|score| (score - largest).exp()).sum::<f32>()),
        _ => None,
    };
    let shown = |score: f32| sum.map_or(score, |sum| (score - largest).exp() / sum);
    places.into_iter().map(|place| (place, shown(scores[place as usize]))).collect()
}

/// One record, for its owner.
#[derive(Serialize)]
struct Record<'a> {
    record: u64,
    tokens: Vec<Token<'a>>,
}

#[derive(Serialize)]
struct Token<'a> {
    /// Nothing after the end of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<&'a str>,
    drawn: &'a str,
    candidates: Vec<(&'a str, f32)>,
}

/// The file that is written.
pub(crate) struct Explanations {
    /// With the first failure to write, after which nothing more is written.
    file: Mutex<(BufWriter<File>, std::io::Result<()>)>,
    name: String,
}

/// What a drawn end is called.
const THE_END: &str = "<end>";

impl Explanations {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            Failure::new(format!("cannot write {}: {}", path.display(), error.kind()), "check the path of `--explain`")
        };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = BufWriter::new(options.open(path).map_err(failed)?);
        let note = "PRIVATE: this file tells the original texts. Keep it with them.";
        writeln!(file, "{}", serde_json::json!({ "note": note })).map_err(failed)?;
        Ok(Self { file: Mutex::new((file, Ok(()))), name: path.display().to_string() })
    }

    /// The line of a record; `ids` were drawn, and fewer than the steps where the end was.
    pub(crate) fn line(
        record: u64,
        original: &str,
        trace: &Traced<impl Proposer>,
        ids: &[u32],
        first: u32,
        vocabulary: &Vocabulary,
    ) -> String {
        let word = |id: u32| vocabulary.word(id).unwrap_or(THE_END);
        let document = Document::read_up_to(original, trace.steps.len());
        let originals: Vec<&str> = document.tokens().map(|token| token.text).collect();
        let token = |(step, best): (usize, &Best)| Token {
            original: originals.get(step).copied(),
            drawn: ids.get(step).map_or(THE_END, |id| word(*id)),
            candidates: best.iter().map(|(outcome, score)| (word(outcome + first), *score)).collect(),
        };
        let tokens = trace.steps.iter().enumerate().map(token).collect();
        serde_json::to_string(&Record { record: record + 1, tokens }).unwrap_or_default()
    }

    /// Writes the lines of records, in their order.
    pub(crate) fn write(&self, lines: Private<Vec<String>>) {
        let lines = lines.declassify("explain: the owner asked for a file that tells the originals, and it says so");
        let mut place = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (file, outcome) = &mut *place;
        if outcome.is_ok() {
            *outcome = lines.iter().try_for_each(|line| writeln!(file, "{line}")).and_then(|()| file.flush());
        }
    }

    /// Whether all was written.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let place = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let failed = |error: &std::io::Error| {
            let message = format!("the explanation {} is not complete: {}", self.name, error.kind());
            Failure::new(message, "the release is; check the disk")
        };
        place.1.as_ref().map(|()| ()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_outcomes_come_first_with_their_probabilities() {
        let found = best(&[0.1, 0.6, 0.0, 0.3], Reads::Probabilities);
        assert_eq!(found, [(1, 0.6), (3, 0.3), (0, 0.1), (2, 0.0)]);
        let found = best(&[3.0, 1.0, 2.0, 9.0, 8.0, 7.0], Reads::Distances);
        assert_eq!(found, [(1, 1.0), (2, 2.0), (0, 3.0), (5, 7.0), (4, 8.0)]);
        // Logits ln 1, ln 2, ln 5: a half-and-more for the last.
        let found = best(&[0.0, 2_f32.ln(), 5_f32.ln()], Reads::Order);
        assert!(found[0].0 == 2 && (found[0].1 - 0.625).abs() < 1e-6 && (found[2].1 - 0.125).abs() < 1e-6);
        assert!(best(&[], Reads::Nothing).is_empty());
    }
}
