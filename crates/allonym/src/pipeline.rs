//! From original texts to released ones, on all cores.

use crate::failure::Failure;
use crate::settings::Checked;
use allonym_dp::{Entropy, Guarantee, Mechanism, Proposer, Purpose, Released, Terms, release};
use allonym_text::vocabulary::Origin;
use allonym_text::{Document, Private, Vocabulary, detokenise};
use rayon::prelude::*;

/// A method with its settings, ready to release texts.
///
/// ```
/// use allonym::{Pipeline, Settings};
/// use allonym::text::Private;
///
/// let checked = Settings { seed: Some(7), ..Settings::default() }.check()?;
/// let pipeline = Pipeline::new(&checked)?;
/// let released = pipeline.release(1, &[Private::new("It was great, was it not?".to_owned())]);
/// assert_eq!(released.len(), 1);
/// assert!(pipeline.guarantee().to_string().contains("not private: seeded"));
/// # Ok::<(), allonym::Failure>(())
/// ```
pub struct Pipeline<'a> {
    mechanism: &'a dyn Mechanism,
    vocabulary: &'a Vocabulary,
    terms: Terms,
    entropy: &'a Entropy,
    workers: rayon::ThreadPool,
}

impl<'a> Pipeline<'a> {
    /// Prepares the workers for checked settings.
    ///
    /// # Errors
    /// When the operating system gives no threads.
    pub fn new(checked: &'a Checked) -> Result<Self, Failure> {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(checked.settings.threads).build().map_err(|_| {
            let message = format!("cannot start {} worker threads", checked.settings.threads);
            Failure::new(message, "ask for fewer with `--threads`")
        })?;
        let Checked { mechanism, vocabulary, terms, entropy, .. } = checked;
        Ok(Self { mechanism: &**mechanism, vocabulary, terms: *terms, entropy, workers })
    }

    /// Releases the texts of consecutive records, the first of which has the given number. The result for a record
    /// depends on its text, its number and the run's randomness alone, not on the other records or on the threads.
    pub fn release(&self, first: u64, texts: &[Private<String>]) -> Vec<Released<String>> {
        self.workers.install(|| {
            texts.par_iter().enumerate().map(|(index, text)| self.release_one(first + index as u64, text)).collect()
        })
    }

    fn release_one(&self, record: u64, text: &Private<String>) -> Released<String> {
        let proposer = text.as_ref().map(|text| Unread(Document::read_up_to(text, self.terms.max_tokens)));
        let mut rng = self.entropy.stream(Purpose::Record, record);
        release(self.mechanism, proposer, &self.terms, &mut rng)
            .map(|ids| detokenise(ids.iter().filter_map(|id| self.vocabulary.word(*id))))
    }

    /// What a release by this pipeline promises.
    pub fn guarantee(&self) -> Guarantee {
        let mut guarantee = allonym_dp::guarantee(self.mechanism, &self.terms, self.entropy.is_reproducible());
        guarantee.assumptions.push(match self.vocabulary.origin() {
            Origin::Public => "the vocabulary is public (it is)".to_owned(),
            Origin::Private => "the vocabulary is public (IT IS NOT: it was counted from private texts)".to_owned(),
        });
        guarantee.assumptions.push("the records are of different authors: n records of one author cost n times".into());
        if self.vocabulary.origin() == Origin::Private {
            guarantee.not_protected.push("which words occur in the texts the vocabulary was counted from".into());
        }
        guarantee
    }
}

/// The proposer of a mechanism that reads no scores: it knows how long the text is, and no more is asked.
struct Unread(Document);

impl Proposer for Unread {
    fn tokens(&self) -> usize {
        self.0.len()
    }

    fn scores(&mut self, _released: &[u32]) -> &[f32] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn released(threads: usize, texts: &[&str], first: u64) -> Vec<String> {
        let checked = Settings { seed: Some(7), threads, ..Settings::default() }.check().unwrap();
        let texts: Vec<_> = texts.iter().map(|text| Private::new((*text).to_owned())).collect();
        Pipeline::new(&checked).unwrap().release(first, &texts).into_iter().map(Released::into_value).collect()
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_seeded_release() {
        let texts = vec!["some text"; 100];
        assert_eq!(released(1, &texts, 1), released(3, &texts, 1));
    }

    #[test]
    fn a_record_does_not_depend_on_the_batch_it_is_in() {
        let together = released(2, &["a", "b", "c"], 1);
        assert_eq!(released(2, &["b", "c"], 2), together[1..]);
    }

    #[test]
    fn records_do_not_share_randomness() {
        let texts = released(2, &["same", "same"], 1);
        assert_ne!(texts[0], texts[1]);
    }

    #[test]
    fn a_released_text_has_no_line_break() {
        assert!(released(1, &["a\nb\r\n\n c"; 50], 1).iter().all(|text| !text.contains(['\n', '\r', '\t'])));
    }
}
