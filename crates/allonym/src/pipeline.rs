//! From original texts to released ones, on all cores.

use crate::failure::Failure;
use crate::proposer::Verbatim;
use crate::settings::Checked;
use allonym_dp::{Entropy, Guarantee, Mechanism, PrivacyRng, Purpose, Released, Terms, release};
use allonym_text::vocabulary::Origin;
use allonym_text::{Document, Private, Vocabulary, detokenise};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// A method with its settings, ready to release texts.
///
/// ```
/// use allonym::{Pipeline, Settings};
/// use allonym::text::Private;
///
/// let checked = Settings { seed: Some(7), ..Settings::default() }.check()?;
/// let pipeline = Pipeline::new(&checked)?;
/// let released = pipeline.release(&[Private::new("It was great, was it not?".to_owned())]);
/// assert_eq!(released.len(), 1);
/// assert!(pipeline.guarantee()?.to_string().contains("not private: seeded"));
/// # Ok::<(), allonym::Failure>(())
/// ```
pub struct Pipeline<'a> {
    mechanism: &'a dyn Mechanism,
    vocabulary: &'a Vocabulary,
    terms: Terms,
    entropy: Entropy,
    /// Records released so far: each has a random stream of its own, and none is used twice.
    records: AtomicU64,
    public_words: &'static str,
    workers: rayon::ThreadPool,
}

impl<'a> Pipeline<'a> {
    /// Prepares the workers for checked settings.
    ///
    /// # Errors
    /// When the operating system gives no threads, and when the settings name a ledger: only [`crate::run`] reserves in it.
    pub fn new(checked: &'a Checked) -> Result<Self, Failure> {
        if checked.settings.ledger.is_some() {
            return Err(Failure::refusal(
                "texts that are released one by one are not reserved in a ledger",
                "release a file with `run`, or reserve with `allonym::ledger` and leave `ledger` out of the settings",
            ));
        }
        Self::for_run(checked)
    }

    /// The same for a run, which reserves what it releases.
    pub(crate) fn for_run(checked: &'a Checked) -> Result<Self, Failure> {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(checked.settings.threads).build().map_err(|_| {
            let message = format!("cannot start {} worker threads", checked.settings.threads);
            Failure::new(message, "ask for fewer with `--threads`")
        })?;
        // Every pipeline has a key of its own, so that settings can be used again.
        let entropy = match checked.settings.seed {
            Some(seed) => Entropy::reproducible(seed),
            None => Entropy::from_os()?,
        };
        let public_words = match checked.settings.vocabulary {
            None => "the vocabulary is public (it comes with the program)",
            Some(_) => "the vocabulary is public (its file says so)",
        };
        let Checked { mechanism, vocabulary, terms, .. } = checked;
        let records = AtomicU64::new(0);
        Ok(Self { mechanism: &**mechanism, vocabulary, terms: *terms, entropy, records, public_words, workers })
    }

    /// Releases the texts of the next records. The result for a record depends on its text, its place among all records
    /// of this pipeline and the pipeline's randomness alone, not on the other records, on batches or on threads.
    pub fn release(&self, texts: &[Private<String>]) -> Vec<Released<String>> {
        let first = self.records.fetch_add(texts.len() as u64, Ordering::Relaxed);
        self.workers.install(|| {
            texts.par_iter().enumerate().map(|(index, text)| self.release_one(first + index as u64, text)).collect()
        })
    }

    fn release_one(&self, record: u64, text: &Private<String>) -> Released<String> {
        let proposer = text.as_ref().map(|text| {
            let document = Document::read_up_to(text, self.terms.max_tokens);
            Verbatim::new(&document, self.vocabulary, self.terms.length, self.mechanism.reads())
        });
        let mut rng = self.entropy.stream(Purpose::Record, record);
        release(self.mechanism, proposer, &self.terms, &mut rng)
            .map(|ids| detokenise(ids.iter().filter_map(|id| self.vocabulary.word(*id))))
    }

    /// A random stream for another purpose than a record.
    pub(crate) fn stream(&self, purpose: Purpose) -> PrivacyRng {
        self.entropy.stream(purpose, 0)
    }

    /// What a release by this pipeline promises.
    ///
    /// # Errors
    /// When the terms ask for a delta that is no probability, which checked settings do not.
    pub fn guarantee(&self) -> Result<Guarantee, Failure> {
        let mut guarantee = Guarantee::of(self.mechanism, &self.terms, self.entropy.is_reproducible())?;
        guarantee.assumptions.push(match self.vocabulary.origin() {
            Origin::Public => self.public_words.to_owned(),
            Origin::Private => "the vocabulary is public (IT IS NOT: it was counted from private texts)".to_owned(),
        });
        guarantee.assumptions.push("the records are of different authors: n records of one author cost n times".into());
        if self.vocabulary.origin() == Origin::Private {
            guarantee.void.push("the vocabulary was counted from private texts".into());
            guarantee.not_protected.push("which words occur in the texts the vocabulary was counted from".into());
        }
        Ok(guarantee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn released(threads: usize, texts: &[&str]) -> Vec<String> {
        let checked = Settings { seed: Some(7), threads, ..Settings::default() }.check().unwrap();
        let texts: Vec<_> = texts.iter().map(|text| Private::new((*text).to_owned())).collect();
        Pipeline::new(&checked).unwrap().release(&texts).into_iter().map(Released::into_value).collect()
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_seeded_release() {
        let texts = vec!["some text"; 100];
        assert_eq!(released(1, &texts), released(3, &texts));
    }

    #[test]
    fn a_record_does_not_depend_on_the_batch_it_is_in() {
        let together = released(2, &["a", "b", "c"]);
        let checked = Settings { seed: Some(7), ..Settings::default() }.check().unwrap();
        let pipeline = Pipeline::new(&checked).unwrap();
        let text = |text: &str| [Private::new(text.to_owned())];
        let apart: Vec<String> =
            ["a", "b", "c"].iter().map(|t| pipeline.release(&text(t)).remove(0).into_value()).collect();
        assert_eq!(apart, together);
    }

    #[test]
    fn records_calls_and_pipelines_do_not_share_randomness() {
        let texts = released(2, &["same", "same"]);
        assert_ne!(texts[0], texts[1]);
        let checked = Settings::default().check().unwrap();
        let (one, other) = (Pipeline::new(&checked).unwrap(), Pipeline::new(&checked).unwrap());
        let release =
            |pipeline: &Pipeline<'_>| pipeline.release(&[Private::new("same".to_owned())]).remove(0).into_value();
        let drawn = [release(&one), release(&one), release(&other)];
        assert!(drawn[0] != drawn[1] && drawn[0] != drawn[2] && drawn[1] != drawn[2]);
    }

    #[test]
    fn a_released_text_has_no_line_break() {
        assert!(released(1, &["a\nb\r\n\n c"; 50]).iter().all(|text| !text.contains(['\n', '\r', '\t'])));
    }
}
