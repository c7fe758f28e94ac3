//! From a text to its context, and from a context to a text.
//!
//! Both work in groups of a constant shape or row by row (see `groups.rs`), so that a text's neighbours do not show in its numbers.

use super::auto_encoder::{AutoEncoder, Text, joined};
use crate::error::ModelError;
use crate::groups::{GROUP, in_groups};
use allonym_nn::{Matrix, NnError, Sequences, largest};
use allonym_text::vocabulary::{END, START, UNKNOWN};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// How products are computed; those of the output layer are most of the work.
#[derive(Clone, Copy)]
enum Product {
    /// Row by row, for releases.
    Steady,
    /// Rows together, on so many threads.
    Fast(usize),
}

/// The logits of a text, for every step of it.
pub(super) type Logits = Vec<Vec<f32>>;

/// Hears the logits of every step of a text, which is named by its place, the step at which it ends among them.
pub(super) type Heard<'a> = &'a mut dyn FnMut(usize, &[f32]);

/// Texts that threads decode together, each computing a part of the words; more are dealt out to the threads.
const TOGETHER: usize = 32;

/// How many texts are decoded together where rows need not be kept apart: few enough for two threads to share them, and the same on every machine.
pub(super) fn rows_of_a_part(texts: usize) -> usize {
    texts.div_ceil(2).clamp(1, 16)
}

/// What comes back when nothing is changed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reconstruction {
    /// Sequences.
    pub texts: usize,
    /// Those that come back as they were, token by token; one with an unknown word cannot.
    pub exact: usize,
    /// Tokens that are in the vocabulary.
    pub tokens: usize,
    /// Those of them that stand at their place.
    pub right: usize,
    /// Those of them that stand anywhere in what came back, each as often as it does there.
    pub anywhere: usize,
}

impl Reconstruction {
    /// The share of tokens at their place.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.tokens.max(1) as f64
    }

    /// The share of tokens that came back at all.
    pub fn kept(&self) -> f64 {
        self.anywhere as f64 / self.tokens.max(1) as f64
    }
}

impl AutoEncoder {
    /// The context of each text: the states of all layers, one after the other. What follows the maximum is not read.
    ///
    /// # Errors
    /// When the network refuses, which it does not.
    pub fn contexts(&self, texts: &[Text]) -> Result<Vec<Vec<f32>>, ModelError> {
        let read: Vec<Text> = texts.iter().map(|text| self.as_read(text)).collect();
        let read: Vec<&[u32]> = read.iter().map(Vec::as_slice).collect();
        Ok(in_groups(&read, |group| self.encode_group(group))?)
    }

    /// A text as training saw its like: within the maximum, and with its end.
    fn as_read(&self, text: &Text) -> Text {
        let tokens = text.iter().copied().take_while(|token| *token != END).take(self.settings.max_tokens);
        let known = |token| if token < self.words.vocabulary().ids() { token } else { UNKNOWN };
        tokens.map(known).chain([END]).collect()
    }

    fn encode_group(&self, group: &[&[u32]]) -> Result<Vec<Vec<f32>>, NnError> {
        let sequences = Arc::new(Sequences::new(&[group[0].len(); GROUP], 1)?);
        let encoding = self.network.encode(&self.store, group, &sequences, 1)?;
        Ok((0..GROUP).map(|row| joined(encoding.context(), row)).collect())
    }

    /// Writes a text from each context: at every step the likeliest token, until that is the end or the maximum is reached. Only words are written.
    ///
    /// # Errors
    /// When a context has another length than the model's.
    pub fn decode(&self, contexts: &[Vec<f32>]) -> Result<Vec<Text>, ModelError> {
        Ok(self.written(contexts, END, Product::Steady)?)
    }

    /// The same, faster, where all texts are one owner's and nothing of them is released: a text's neighbours may change the last bits of its numbers.
    ///
    /// # Errors
    /// When a context has another length than the model's.
    pub(super) fn decode_together(&self, contexts: &[Vec<f32>]) -> Result<Vec<Text>, ModelError> {
        Ok(self.written(contexts, END, fast(contexts))?)
    }

    /// The same as the decoder is fed while it is trained, where the unknown word may come before another.
    pub(super) fn written_as_fed(&self, contexts: &[Vec<f32>]) -> Result<Vec<Text>, NnError> {
        self.written(contexts, UNKNOWN, fast(contexts))
    }

    /// Writes texts of words and of the special tokens from `first` on.
    fn written(&self, contexts: &[Vec<f32>], first: u32, product: Product) -> Result<Vec<Text>, NnError> {
        let rows = match product {
            Product::Steady => GROUP,
            Product::Fast(_) => TOGETHER,
        };
        let groups: Result<Vec<Vec<Text>>, NnError> =
            contexts.par_chunks(rows).map(|contexts| self.decode_group(contexts, first, product, None)).collect();
        Ok(groups?.into_iter().flatten().collect())
    }

    /// Contexts as the states of each layer.
    pub(super) fn layers_of(&self, contexts: &[Vec<f32>]) -> Vec<Vec<Matrix<f32>>> {
        let cells = self.settings.cells;
        let layer = |layer: usize| {
            let states = contexts.iter().flat_map(|context| &context[layer * cells..(layer + 1) * cells]);
            vec![Matrix::of(contexts.len(), cells, states.copied().collect())]
        };
        (0..self.settings.layers).map(layer).collect()
    }

    /// The same for some texts on one thread, of which every step is heard.
    pub(super) fn decode_and_tell(&self, contexts: &[Vec<f32>], heard: Heard<'_>) -> Result<Vec<Text>, NnError> {
        self.decode_group(contexts, END, Product::Fast(1), Some(heard))
    }

    /// The same, which keeps the logits of every step of each text.
    pub(super) fn decode_and_keep(&self, contexts: &[Vec<f32>]) -> Result<(Vec<Text>, Vec<Logits>), NnError> {
        let mut kept = vec![Vec::new(); contexts.len()];
        let texts = self.decode_and_tell(contexts, &mut |text, logits| kept[text].push(logits.to_vec()))?;
        Ok((texts, kept))
    }

    fn decode_group(
        &self,
        contexts: &[Vec<f32>],
        first: u32,
        product: Product,
        mut heard: Option<Heard<'_>>,
    ) -> Result<Vec<Text>, NnError> {
        let size = self.settings.context();
        if let Some(other) = contexts.iter().find(|context| context.len() != size) {
            return Err(NnError::shape("decoder", "length of a context", other.len(), size));
        }
        let (network, initial) = (&self.network, self.layers_of(contexts));
        let mut states = network.decoder.begin(contexts.len(), Some(&initial))?;
        let mut before = vec![START; contexts.len()];
        let mut texts = vec![Vec::new(); contexts.len()];
        // Who has not ended yet.
        let mut open: Vec<usize> = (0..contexts.len()).collect();
        for _ in 0..self.settings.max_tokens {
            let mut inputs = Matrix::zeros(open.len(), network.written.dimension());
            network.written.forward(&self.store, &before, &mut inputs, 0)?;
            let logits = match product {
                Product::Steady => {
                    let outputs = network.decoder.advance(&self.store, &inputs, &mut states)?;
                    network.output.forward_steadily(&self.store, &outputs)?
                }
                Product::Fast(threads) => {
                    let outputs = network.decoder.advance_together(&self.store, &inputs, &mut states, threads)?;
                    network.output.forward(&self.store, &outputs, threads)?
                }
            };
            if let Some(heard) = &mut heard {
                open.iter().enumerate().for_each(|(row, text)| heard(*text, logits.row(row)));
            }
            let chosen: Vec<u32> = (0..open.len()).map(|row| likeliest(logits.row(row), first)).collect();
            let going: Vec<usize> = (0..open.len()).filter(|row| chosen[*row] != END).collect();
            going.iter().for_each(|row| texts[open[*row]].push(chosen[*row]));
            if going.is_empty() {
                break;
            }
            states.keep(&going);
            before = going.iter().map(|row| chosen[*row]).collect();
            open = going.into_iter().map(|row| open[row]).collect();
        }
        Ok(texts)
    }

    /// Measures how texts come back when nothing is changed: for their owner.
    ///
    /// # Errors
    /// When the network refuses, which it does not.
    pub fn reconstruction(&self, texts: &[Text]) -> Result<Reconstruction, ModelError> {
        let rewritten = self.decode(&self.contexts(texts)?)?;
        let mut found = Reconstruction { texts: texts.len(), exact: 0, tokens: 0, right: 0, anywhere: 0 };
        for (text, rewritten) in texts.iter().zip(&rewritten) {
            let words: Vec<u32> = self.as_read(text).into_iter().take_while(|token| *token != END).collect();
            found.exact += usize::from(words == *rewritten);
            let mut left = rewritten.clone();
            for (place, word) in words.iter().enumerate().filter(|(_, word)| **word != UNKNOWN) {
                found.tokens += 1;
                found.right += usize::from(rewritten.get(place) == Some(word));
                if let Some(at) = left.iter().position(|other| other == word) {
                    left.swap_remove(at);
                    found.anywhere += 1;
                }
            }
        }
        Ok(found)
    }
}

/// Rows together: a few texts share all threads, many are dealt out to them.
fn fast(contexts: &[Vec<f32>]) -> Product {
    Product::Fast(if contexts.len() <= TOGETHER { rayon::current_num_threads() } else { 1 })
}

/// The likeliest token that may be written: the end, a word, and with `first` below the end also that; of equals the first. Padding and the start never are.
fn likeliest(logits: &[f32], first: u32) -> u32 {
    let written = &logits[END as usize..];
    let most = largest(written);
    if first == UNKNOWN && logits[UNKNOWN as usize] > most {
        return UNKNOWN;
    }
    // What is no number is not the largest; where there is none, the text ends.
    written.iter().position(|logit| *logit == most).map_or(END, |place| END + place as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_and_the_end_are_written() {
        assert_eq!(likeliest(&[9.0, 9.0, 9.0, 1.0, 2.0, 0.0], END), 4);
        assert_eq!(likeliest(&[9.0, 9.0, 9.0, 2.0, 2.0, 0.0], END), END, "of equals the first");
        assert_eq!(likeliest(&[9.0, 9.0, 9.0, f32::NAN, -1.0, f32::NAN], END), 4);
        assert_eq!(likeliest(&[9.0, 8.0, 9.0, 1.0, 2.0, 0.0], UNKNOWN), UNKNOWN, "training may write the unknown word");
    }
}
