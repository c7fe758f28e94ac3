//! From original texts to texts that may leave, on all cores.

use crate::failure::Failure;
use crate::method::{Context, Corpus, Method, NoCorpus, Record, RecordError, Release};
use crate::owner::OwnerReport;
use crate::settings::Checked;
use allonym_dp::{Entropy, ExitText, Guarantee, PrivacyRng, Purpose};
use allonym_text::Private;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tokens that are encoded at a time.
const TOKENS_AT_ONCE: usize = 1 << 16;

/// A method, ready to release texts. It knows no method by name.
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
pub struct Pipeline {
    method: Arc<dyn Method>,
    ready: Arc<dyn Release>,
    entropy: Entropy,
    /// Records released so far: each has a random stream of its own, and none is used twice.
    records: AtomicU64,
    workers: rayon::ThreadPool,
    report: OwnerReport,
}

impl Pipeline {
    /// Prepares a method of the registry for texts that are released one by one.
    ///
    /// # Errors
    /// When the method needs the whole corpus, the operating system gives no threads, or the settings name a ledger or an
    /// explanation: only [`crate::run`] writes them.
    pub fn new(checked: &Checked) -> Result<Self, Failure> {
        if checked.settings.ledger.is_some() {
            return Err(Failure::refusal(
                "texts that are released one by one are not reserved in a ledger",
                "release a file with `run`, or reserve with `allonym::ledger` and leave `ledger` out of the settings",
            ));
        }
        if checked.settings.explain.is_some() {
            return Err(Failure::refusal(
                "texts that are released one by one are not explained",
                "release a file with `run`, or leave `explain` out of the settings",
            ));
        }
        Self::with_method(checked.method.clone(), checked.settings.seed, checked.settings.threads)
    }

    /// Prepares any method, of the registry or of another crate. `seed` makes the release repeatable and not private;
    /// 0 threads are one per core.
    ///
    /// # Errors
    /// When the method needs the whole corpus, or the operating system gives no threads or randomness.
    pub fn with_method(method: Arc<dyn Method>, seed: Option<u64>, threads: usize) -> Result<Self, Failure> {
        if method.needs_corpus() {
            let message = format!("`{}` needs all texts before it releases the first", method.name());
            return Err(Failure::refusal(message, "release a file with `run`"));
        }
        Self::prepared(method, seed, threads, &mut NoCorpus)
    }

    /// Prepares a method, with the texts that it may need before it releases the first.
    ///
    /// # Errors
    /// When the corpus cannot be read or is refused, or the operating system gives no threads or randomness.
    pub fn prepared(
        method: Arc<dyn Method>,
        seed: Option<u64>,
        threads: usize,
        corpus: &mut dyn Corpus,
    ) -> Result<Self, Failure> {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|_| {
            Failure::new(format!("cannot start {threads} worker threads"), "ask for fewer with `--threads`")
        })?;
        // Every pipeline has a key of its own, so that settings can be used again.
        let entropy = Entropy::of_seed(seed)?;
        let ready = method.clone().prepare(corpus, &entropy)?;
        Ok(Self { method, ready, entropy, records: AtomicU64::new(0), workers, report: OwnerReport::default() })
    }

    /// Releases the texts of the next records. The result for a record depends on its text, its position among all records
    /// of this pipeline and the pipeline's randomness alone, not on the other records, on batches or on threads (a method
    /// that needs the corpus depends on what it prepared from it).
    pub fn release(&self, texts: &[Private<String>]) -> Vec<Result<ExitText, RecordError>> {
        let first = self.records.fetch_add(texts.len() as u64, Ordering::Relaxed);
        let records: Vec<Record<'_>> = (first..).zip(texts).map(|(number, text)| Record { number, text }).collect();
        let context = Context { entropy: &self.entropy, report: &self.report };
        let mut released = Vec::with_capacity(texts.len());
        for part in records.chunks(self.records_at_once()) {
            let part_released = self.workers.install(|| self.ready.release(part, &context));
            debug_assert_eq!(part_released.len(), part.len());
            released.extend(part_released);
        }
        released
    }

    /// Encoded texts are held for a part of the records at a time.
    fn records_at_once(&self) -> usize {
        (TOKENS_AT_ONCE / self.method.max_tokens().max(1)).clamp(1, 4096)
    }

    /// Counts for the owner which texts the method is not made for, without releasing anything.
    pub(crate) fn inspect(&self, texts: &[Private<String>]) {
        let records: Vec<Record<'_>> = (0..).zip(texts).map(|(number, text)| Record { number, text }).collect();
        self.workers.install(|| self.ready.inspect(&records, &self.report));
    }

    /// What the run collects for the owner.
    pub(crate) fn report_mut(&mut self) -> &mut OwnerReport {
        &mut self.report
    }

    /// Exact counts as advice for the owner.
    pub(crate) fn advice(&self) -> Vec<String> {
        self.report.advice(self.method.charges_tokens())
    }

    /// A random stream for another purpose than a record.
    pub(crate) fn stream(&self, purpose: Purpose) -> PrivacyRng {
        self.entropy.stream(purpose, 0)
    }

    /// What a release by this pipeline promises.
    ///
    /// # Errors
    /// When no bound can be computed.
    pub fn guarantee(&self) -> Result<Guarantee, Failure> {
        self.method.guarantee(self.entropy.is_reproducible())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use allonym_dp::Exit;

    fn texts(texts: &[&str]) -> Vec<Private<String>> {
        texts.iter().map(|text| Private::new((*text).to_owned())).collect()
    }

    fn written(pipeline: &Pipeline, some: &[&str]) -> Vec<String> {
        pipeline.release(&texts(some)).into_iter().map(|text| text.unwrap().into_text()).collect()
    }

    fn released(threads: usize, some: &[&str]) -> Vec<String> {
        let checked = Settings { seed: Some(7), threads, ..Settings::default() }.check().unwrap();
        written(&Pipeline::new(&checked).unwrap(), some)
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
        let apart: Vec<String> = ["a", "b", "c"].iter().map(|text| written(&pipeline, &[text]).remove(0)).collect();
        assert_eq!(apart, together);
    }

    #[test]
    fn records_calls_and_pipelines_do_not_share_randomness() {
        let texts = released(2, &["same", "same"]);
        assert_ne!(texts[0], texts[1]);
        let checked = Settings::default().check().unwrap();
        let (one, other) = (Pipeline::new(&checked).unwrap(), Pipeline::new(&checked).unwrap());
        let drawn = [&one, &one, &other].map(|pipeline| written(pipeline, &["same"]).remove(0));
        assert!(drawn[0] != drawn[1] && drawn[0] != drawn[2] && drawn[1] != drawn[2]);
    }

    #[test]
    fn a_released_text_has_no_line_break() {
        assert!(released(1, &["a\nb\r\n\n c"; 50]).iter().all(|text| !text.contains(['\n', '\r', '\t'])));
    }
}
