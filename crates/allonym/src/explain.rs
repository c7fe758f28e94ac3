//! What the owner of the originals may see of a release: for every token the best candidates, and what was drawn.
//!
//! The file tells the original texts. Its first line says so.

use crate::failure::Failure;
use allonym_dp::mechanism::Reads;
use allonym_dp::{ForOwner, Length, Outcome, Proposer};
use allonym_io::{IoError, Output};
use allonym_text::vocabulary::TokenId;
use allonym_text::{Document, Private, Vocabulary};
use serde::Serialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// How many candidates are told.
const BEST: usize = 5;

/// What was proposed for a step, best first, by outcome.
type Best = Vec<(Outcome, f32)>;

/// A proposer whose proposals are kept.
pub(crate) struct Traced<P> {
    inner: P,
    reads: Reads,
    /// Whether scores of which only the order is read are logits: where a model made them.
    logits: bool,
    steps: Vec<Best>,
    kept: bool,
}

impl<P: Proposer> Traced<P> {
    pub(crate) fn new(inner: P, reads: Reads, logits: bool) -> Self {
        Self { inner, reads, logits, steps: Vec::new(), kept: true }
    }

    /// The same, with nothing kept where nobody asked for it.
    pub(crate) fn kept(self, kept: bool) -> Self {
        Self { kept, ..self }
    }
}

impl<P: Proposer> Proposer for Traced<P> {
    fn tokens(&self) -> usize {
        self.inner.tokens()
    }

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
        let scores = self.inner.scores(released);
        if self.kept {
            self.steps.push(best(scores, self.reads, self.logits));
        }
        scores
    }
}

/// The best outcomes, with their probabilities where a model proposed them, and their scores elsewhere.
fn best(scores: &[f32], reads: Reads, logits: bool) -> Best {
    let better = |score: f32| if reads == Reads::Distances { -score } else { score };
    let mut places: Vec<u32> = (0..scores.len() as u32).collect();
    let order = |a: &u32, b: &u32| better(scores[*b as usize]).total_cmp(&better(scores[*a as usize]));
    if places.len() > BEST {
        places.select_nth_unstable_by(BEST, order);
        places.truncate(BEST);
    }
    places.sort_by(order);
    let largest = places.first().map_or(0.0, |place| scores[*place as usize]);
    let to_turn = logits && matches!(reads, Reads::Order | Reads::Logits);
    let sum = to_turn.then(|| scores.iter().map(|score| (score - largest).exp()).sum::<f32>());
    let shown = |score: f32| sum.map_or(score, |sum| (score - largest).exp() / sum);
    places.into_iter().map(|place| (Outcome::new(place), shown(scores[place as usize]))).collect()
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

/// The file that is written: under another name until it is whole, and readable by its owner alone.
pub(crate) struct Explanations {
    /// With the first failure to write, after which nothing more is written.
    file: Mutex<(Output, Result<(), IoError>)>,
    target: PathBuf,
}

/// The first line.
const NOTE: &str = "PRIVATE: this file tells the original texts. Keep it with them.";

/// Whether a file is an explanation, which may be replaced by another.
fn is_explanation(path: &Path) -> bool {
    let mut line = String::new();
    let read = File::open(path).and_then(|file| BufReader::new(file).take(1000).read_line(&mut line));
    read.is_ok() && line.contains(NOTE)
}

/// What a drawn end is called.
const THE_END: &str = "<end>";

impl Explanations {
    /// Begins a file. Another file of its name is replaced at the end if it is an explanation too, and else refused: it may be somebody's only copy.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        if path.exists() && !is_explanation(path) {
            let message = format!("{} is there already, and is no explanation", path.display());
            return Err(Failure::refusal(message, "give `--explain` a file of its own"));
        }
        let mut file = Output::create_for_owner(path)?;
        let begun = file.write(format!("{}\n", serde_json::json!({ "note": NOTE })).as_bytes());
        Ok(Self { file: Mutex::new((file, begun)), target: path.to_owned() })
    }

    /// The line of a record; `ids` were drawn, and fewer than the steps where the end was.
    pub(crate) fn line(
        record: u64,
        document: &Document,
        trace: &Traced<impl Proposer>,
        ids: &[TokenId],
        length: Length,
        vocabulary: &Vocabulary,
    ) -> String {
        let word = |id: TokenId| vocabulary.word(id.get()).unwrap_or(THE_END);
        let originals: Vec<&str> = document.tokens().map(|token| token.text).collect();
        let token = |(step, best): (usize, &Best)| Token {
            original: originals.get(step).copied(),
            drawn: ids.get(step).map_or(THE_END, |id| word(*id)),
            candidates: best.iter().map(|(outcome, score)| (word(length.token(*outcome)), *score)).collect(),
        };
        let tokens = trace.steps.iter().enumerate().map(token).collect();
        serde_json::to_string(&Record { record: record + 1, tokens }).unwrap_or_default()
    }

    /// Writes the lines of records, in their order.
    pub(crate) fn write(&self, lines: Private<Vec<String>>) {
        let lines = ForOwner::show(lines, "--explain: the owner asked for a private file of the draws");
        let lines = lines.for_terminal_or_private_file();
        let mut place = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (file, outcome) = &mut *place;
        if outcome.is_ok() {
            *outcome = lines.iter().try_for_each(|line| file.write(format!("{line}\n").as_bytes()));
        }
    }

    /// Gives the file its name. The release stands whatever happens here.
    pub(crate) fn finish(self) -> Result<(), String> {
        let (file, outcome) = self.file.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        outcome
            .and_then(|()| file.finish())
            .map_err(|error| format!("{} was not written: {error}", self.target.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_outcomes_come_first_with_their_probabilities() {
        let best = |scores: &[f32], reads, logits| -> Vec<(u32, f32)> {
            best(scores, reads, logits).into_iter().map(|(outcome, score)| (outcome.index(), score)).collect()
        };
        let found = best(&[0.1, 0.6, 0.0, 0.3], Reads::Probabilities, true);
        assert_eq!(found, [(1, 0.6), (3, 0.3), (0, 0.1), (2, 0.0)]);
        let found = best(&[3.0, 1.0, 2.0, 9.0, 8.0, 7.0], Reads::Distances, false);
        assert_eq!(found, [(1, 1.0), (2, 2.0), (0, 3.0), (5, 7.0), (4, 8.0)]);
        // Logits ln 1, ln 2, ln 5: a half-and-more for the last.
        let found = best(&[0.0, 2_f32.ln(), 5_f32.ln()], Reads::Order, true);
        assert!(found[0].0 == 2 && (found[0].1 - 0.625).abs() < 1e-6 && (found[2].1 - 0.125).abs() < 1e-6);
        assert_eq!(best(&[0.0, 1.0], Reads::Order, false), [(1, 1.0), (0, 0.0)]);
        assert!(best(&[], Reads::Nothing, false).is_empty());
    }
}
