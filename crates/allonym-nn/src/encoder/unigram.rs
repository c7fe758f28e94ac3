//! SentencePiece's unigram tokeniser (Kudo, 2018): the cut of a text whose pieces are most probable together.
//!
//! Texts are brought to NFKC; spaces become U+2581, one before every word. The best cut is found by the Viterbi algorithm.

use super::weights::read;
use crate::error::NnError;
use std::collections::HashMap;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

/// What stands for a space.
const SPACE: char = '\u{2581}';
/// A character that no piece has costs so much more than the rarest piece, as in SentencePiece.
const UNKNOWN_PENALTY: f64 = 10.0;
/// The piece for what is unknown.
const UNKNOWN: u32 = 0;

/// A vocabulary of pieces with their log-probabilities.
pub struct Unigram {
    /// From a node of the trie by a character to the next.
    steps: HashMap<(u32, char), u32>,
    /// The piece that ends at a node.
    pieces: Vec<Option<(u32, f64)>>,
    unknown_score: f64,
    size: usize,
}

/// The best cut of the text up to some character.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    start: usize,
    piece: u32,
}

impl Unigram {
    /// Reads a vocabulary: a JSON list of `[piece, log-probability]`, of which the first stands for what is unknown.
    ///
    /// A log-probability may be `null`: the published file of the Universal Sentence Encoder lost those of pieces with a colon.
    /// Pieces stand in the order of their probabilities, so it lies between its neighbours'.
    ///
    /// # Errors
    /// When the file cannot be read or holds something else.
    pub fn open(path: &Path) -> Result<Self, NnError> {
        let pieces: Vec<(String, Option<f64>)> = serde_json::from_slice(&read(path)?).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            NnError::unusable(path, format!("is not a list of pieces with scores ({place})"))
        })?;
        if pieces.is_empty() {
            return Err(NnError::unusable(path, "has no pieces"));
        }
        let scores = filled(&pieces.iter().map(|(_, score)| *score).collect::<Vec<_>>());
        Ok(Self::of(pieces.iter().zip(scores).map(|((piece, _), score)| (piece.as_str(), score))))
    }

    /// A vocabulary of the given pieces. A log-probability of 0 marks control tokens, which no text contains.
    fn of<'a>(pieces: impl Iterator<Item = (&'a str, f64)>) -> Self {
        let mut vocabulary = Self { steps: HashMap::new(), pieces: vec![None], unknown_score: 0.0, size: 0 };
        for ((piece, score), id) in pieces.zip(0..) {
            vocabulary.size += 1;
            if score < 0.0 && id != UNKNOWN {
                vocabulary.add(piece, id, score);
            }
        }
        vocabulary.unknown_score -= UNKNOWN_PENALTY;
        vocabulary
    }

    fn add(&mut self, piece: &str, id: u32, score: f64) {
        let mut node = 0;
        for c in piece.chars() {
            node = *self.steps.entry((node, c)).or_insert_with(|| {
                self.pieces.push(None);
                self.pieces.len() as u32 - 1
            });
        }
        self.pieces[node as usize] = Some((id, score));
        self.unknown_score = self.unknown_score.min(score);
    }

    /// How many pieces there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The tokens of a text. Neighbouring characters that no piece has are one unknown token.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        let chars = normalised(text);
        let mut best = vec![Best { score: f64::NEG_INFINITY, start: 0, piece: UNKNOWN }; chars.len() + 1];
        best[0].score = 0.0;
        for start in 0..chars.len() {
            let so_far = best[start].score;
            let mut reach = |end: usize, piece: u32, score: f64| {
                if so_far + score > best[end].score {
                    best[end] = Best { score: so_far + score, start, piece };
                }
            };
            let (mut node, mut covered) = (0, false);
            for (c, end) in chars[start..].iter().zip(start + 1..) {
                let Some(next) = self.steps.get(&(node, *c)) else { break };
                node = *next;
                if let Some((piece, score)) = self.pieces[node as usize] {
                    reach(end, piece, score);
                    covered |= end == start + 1;
                }
            }
            if !covered {
                reach(start + 1, UNKNOWN, self.unknown_score);
            }
        }
        let (mut tokens, mut end) = (Vec::new(), chars.len());
        while end > 0 {
            if best[end].piece != UNKNOWN || tokens.last() != Some(&UNKNOWN) {
                tokens.push(best[end].piece);
            }
            end = best[end].start;
        }
        tokens.reverse();
        tokens
    }
}

/// Scores of which each missing one is the mean of the nearest that are there.
fn filled(scores: &[Option<f64>]) -> Vec<f64> {
    let of = |(place, score): (usize, &Option<f64>)| {
        let before = scores[..place].iter().rev().find_map(|score| *score);
        let after = scores[place..].iter().find_map(|score| *score);
        score
            .or(before.zip(after).map(|(before, after)| f64::midpoint(before, after)))
            .or(before)
            .or(after)
            .unwrap_or(0.0)
    };
    scores.iter().enumerate().map(of).collect()
}

/// The text in NFKC, with U+2581 before every word; runs of spaces are one, ASCII's control characters are left out.
fn normalised(text: &str) -> Vec<char> {
    let mut chars = Vec::with_capacity(text.len() + 1);
    let mut after_space = true;
    for c in text.nfkc() {
        if is_space(c) {
            after_space = true;
        } else if !c.is_ascii_control() {
            chars.extend(after_space.then_some(SPACE));
            chars.push(c);
            after_space = false;
        }
    }
    chars
}

/// Whether SentencePiece takes a character for a space: white space, marks without width, and its own sign.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, SPACE | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}' | '\u{FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(vocabulary: &[(&'static str, f64)], text: &str) -> Vec<&'static str> {
        let tokens = Unigram::of(vocabulary.iter().copied()).tokens(text);
        tokens.into_iter().map(|token| vocabulary[token as usize].0).collect()
    }

    const LETTERS: [(&str, f64); 8] =
        [("?", 0.0), ("<s>", 0.0), ("▁", -2.0), ("a", -2.0), ("b", -2.0), ("▁a", -3.0), ("ab", -3.5), ("▁ab", -5.6)];

    #[test]
    fn the_most_probable_cut_wins() {
        // ▁ab: -5.6; ▁a b: -3 - 2 = -5; ▁ ab: -2 - 3.5 = -5.5; ▁ a b: -6.
        assert_eq!(pieces(&LETTERS, "ab"), ["▁a", "b"]);
        // ▁a ab: -6.5, against ▁ a ab: -7.5, and ▁a a b: -7.
        assert_eq!(pieces(&LETTERS, "aab"), ["▁a", "ab"]);
    }

    #[test]
    fn spaces_are_one_and_go_before_words() {
        assert_eq!(pieces(&LETTERS, "  a \t\n b "), ["▁a", "▁", "b"]);
        assert!(pieces(&LETTERS, "").is_empty() && pieces(&LETTERS, " \u{0}").is_empty());
    }

    #[test]
    fn compatible_characters_are_equal() {
        assert_eq!(pieces(&LETTERS, "ａ\u{3000}ⓑ"), ["▁a", "▁", "b"]);
    }

    #[test]
    fn neighbouring_unknown_characters_are_one_token() {
        assert_eq!(pieces(&LETTERS, "axyzb"), ["▁a", "?", "b"]);
        assert_eq!(pieces(&LETTERS, "x"), ["▁", "?"]);
    }

    #[test]
    fn a_character_within_a_piece_may_still_be_unknown() {
        // c is no piece of its own: `cd` can be cut, `c` alone cannot.
        let vocabulary = [("?", 0.0), ("▁", -1.0), ("cd", -1.0)];
        assert_eq!(pieces(&vocabulary, "cd c"), ["▁", "cd", "▁", "?"]);
    }

    #[test]
    fn a_lost_score_lies_between_its_neighbours() {
        assert_eq!(filled(&[Some(-1.0), None, None, Some(-3.0), None]), [-1.0, -2.0, -2.0, -3.0, -3.0]);
    }

    #[test]
    fn control_tokens_are_not_read_from_a_text() {
        assert_eq!(pieces(&LETTERS, "<s>"), ["▁", "?"]);
    }
}
