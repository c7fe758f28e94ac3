//! An encoder that encodes an original once, however many releases it is compared with.

use allonym_nn::encoder::SentenceEncoder;
use allonym_nn::{Matrix, NnError};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// No more texts than this are remembered: 512 numbers of each are 200 MB.
const MOST: usize = 100_000;

/// Any encoder, with the vectors of some texts kept.
pub struct Remembered<'t> {
    encoder: Box<dyn SentenceEncoder>,
    worth: HashSet<&'t str>,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl<'t> Remembered<'t> {
    /// Remembers the vectors of these texts, from the first time that they are asked for.
    pub fn of(encoder: Box<dyn SentenceEncoder>, texts: &[&'t str]) -> Self {
        let worth = texts.iter().copied().take(MOST).collect();
        Self { encoder, worth, known: Mutex::default() }
    }
}

impl SentenceEncoder for Remembered<'_> {
    fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    fn encode(&self, texts: &[&str], threads: usize) -> Result<Matrix<f32>, NnError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&str> = texts.iter().copied().filter(|text| !known.contains_key(*text)).collect();
        let encoded = self.encoder.encode(&new, threads)?;
        let mut all = Matrix::zeros(texts.len(), self.dimension());
        let mut rows = new.iter().zip(0..).peekable();
        for (place, text) in texts.iter().enumerate() {
            let vector = all.row_mut(place);
            match rows.next_if(|(next, _)| std::ptr::eq(**next, *text)) {
                Some((_, row)) => vector.copy_from_slice(encoded.row(row)),
                None => known.get(*text).into_iter().for_each(|kept| vector.copy_from_slice(kept)),
            }
        }
        for (text, row) in new.iter().zip(0..).filter(|(text, _)| self.worth.contains(**text)) {
            known.insert((*text).to_owned(), encoded.row(row).to_vec());
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A text's vector is its length; counts what it is asked for.
    struct Lengths(Arc<AtomicUsize>);

    impl SentenceEncoder for Lengths {
        fn dimension(&self) -> usize {
            1
        }

        fn encode(&self, texts: &[&str], _: usize) -> Result<Matrix<f32>, NnError> {
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(Matrix::of(texts.len(), 1, texts.iter().map(|text| text.len() as f32).collect()))
        }
    }

    #[test]
    fn an_original_is_encoded_once_and_every_text_gets_its_own_vector() {
        let asked = Arc::new(AtomicUsize::new(0));
        let encoder = Remembered::of(Box::new(Lengths(asked.clone())), &["a", "bb"]);
        assert_eq!(encoder.encode(&["a", "ccc", "bb", "a"], 1).unwrap().values(), [1.0, 3.0, 2.0, 1.0]);
        assert_eq!(asked.load(Ordering::Relaxed), 4);
        assert_eq!(encoder.encode(&["bb", "ccc", "dddd", "a"], 1).unwrap().values(), [2.0, 3.0, 4.0, 1.0]);
        assert_eq!(asked.load(Ordering::Relaxed), 6, "the two that are no originals");
    }
}
