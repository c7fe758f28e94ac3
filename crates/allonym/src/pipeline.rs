//! From original texts to released ones, on all cores.

use crate::explain::{Explanations, Traced};
use crate::failure::Failure;
use crate::method::{Form, Method, Writer};
use crate::settings::Checked;
use crate::source::{Ready, Source};
use crate::suits::Suits;
use allonym_dp::latent::Latent;
use allonym_dp::mechanism::Fluent;

use allonym_dp::{
    Bound, Drawing, Entropy, Guarantee, Mechanism, PrivacyRng, Proposer, Purpose, Released, Terms, release,
    release_fluently, rewrite,
};
use allonym_models::ete_anon::EteAnon;
use allonym_models::fluent::{FluentModel, Written};
use allonym_models::lexical::term_frequencies;
use allonym_models::rlta::Rlta;
use allonym_text::vocabulary::Origin;
use allonym_text::{Document, Private, Vocabulary, detokenise};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many tokens are encoded at a time.
const AT_ONCE: usize = 1 << 16;

/// What was drawn for a record, and what its owner is told.
type Drawn = (Released<Vec<u32>>, Option<Private<String>>);

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
    method: &'a Method,
    form: Form,
    vocabulary: &'a Vocabulary,
    explanations: Option<Explanations>,
    terms: Terms,
    entropy: Entropy,
    /// Records released so far: each has a random stream of its own, and none is used twice.
    records: AtomicU64,
    public_words: &'static str,
    workers: rayon::ThreadPool,
    suits: Suits,
}

impl<'a> Pipeline<'a> {
    /// Prepares the workers for checked settings.
    ///
    /// # Errors
    /// When the operating system gives no threads, and when the settings name a ledger or an explanation: only [`crate::run`] writes them.
    pub fn new(checked: &'a Checked) -> Result<Self, Failure> {
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
        Self::for_run(checked)
    }

    /// The same for a run, which reserves what it releases.
    pub(crate) fn for_run(checked: &'a Checked) -> Result<Self, Failure> {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(checked.settings.threads).build().map_err(|_| {
            let message = format!("cannot start {} worker threads", checked.settings.threads);
            Failure::new(message, "ask for fewer with `--threads`")
        })?;
        // Every pipeline has a key of its own, so that settings can be used again.
        let entropy = Entropy::of_seed(checked.settings.seed)?;
        let public_words = match (&checked.settings.vocabulary, &checked.settings.model) {
            (None, Some(_)) => "the vocabulary is public (it is the model's, and says so)",
            (None, None) => "the vocabulary is public (it comes with the program)",
            (Some(_), _) => "the vocabulary is public (its file says so)",
        };
        let Checked { method, vocabulary, terms, .. } = checked;
        Ok(Self {
            method,
            form: checked.settings.form,
            vocabulary,
            explanations: None,
            terms: *terms,
            entropy,
            records: AtomicU64::new(0),
            public_words,
            workers,
            suits: Suits::default(),
        })
    }

    /// Releases the texts of the next records. The result for a record depends on its text, its place among all records
    /// of this pipeline and the pipeline's randomness alone, not on the other records, on batches or on threads.
    pub fn release(&self, texts: &[Private<String>]) -> Vec<Released<String>> {
        let first = self.records.fetch_add(texts.len() as u64, Ordering::Relaxed);
        // Encoded texts are held for a part of them at a time.
        let part = (AT_ONCE / self.terms.max_tokens).clamp(1, 4096);
        let mut released = Vec::with_capacity(texts.len());
        for (place, texts) in (first..).step_by(part).zip(texts.chunks(part)) {
            released.extend(self.workers.install(|| self.release_some(place, texts)));
        }
        released
    }

    /// Counts which texts the method was not made for, without releasing anything.
    pub(crate) fn look(&self, texts: &[Private<String>]) {
        let looked_at = match self.method {
            Method::Tokens { source, .. } => matches!(source, Source::Fluent(..)),
            Method::Words { .. } => false,
            Method::Latent { .. } | Method::Agent { .. } | Method::Vectors { .. } => true,
        };
        if looked_at {
            texts.par_iter().for_each(|text| self.suits.look(text, self.vocabulary, self.terms.max_tokens));
        }
    }

    fn release_some(&self, first: u64, texts: &[Private<String>]) -> Vec<Released<String>> {
        self.look(texts);
        let drawn = match self.method {
            Method::Vectors { model, .. } => return self.by_vectors(model, first, texts),
            Method::Tokens { mechanism, source } => self.by_tokens(&**mechanism, source, first, texts),
            Method::Words { noise, .. } => {
                let draw = |(index, text): (usize, &Private<String>)| {
                    let document = text.as_ref().map(|text| Document::read_up_to(text, self.terms.max_tokens));
                    noise.release(document.as_ref(), &mut self.stream_of(first + index as u64))
                };
                texts.par_iter().enumerate().map(draw).collect()
            }
            Method::Latent { model, latent, .. } => self.by_latent(model, latent, first, texts),
            Method::Agent { model, .. } => self.by_agent(model, first, texts),
        };
        let text = |ids: Vec<u32>| detokenise(ids.iter().filter_map(|id| self.vocabulary.word(*id)));
        let formed = |ids: Released<Vec<u32>>| match self.form {
            Form::Text => ids.map(text),
            Form::Vector => term_frequencies(ids, self.vocabulary),
        };
        drawn.into_par_iter().map(formed).collect()
    }

    /// The random stream of a record.
    fn stream_of(&self, record: u64) -> PrivacyRng {
        self.entropy.stream(Purpose::Record, record)
    }

    fn by_latent(
        &self,
        model: &Writer,
        latent: &Latent,
        first: u64,
        texts: &[Private<String>],
    ) -> Vec<Released<Vec<u32>>> {
        let read = |text: &Private<String>| text.as_ref().map(|text| Document::read_up_to(text, self.terms.max_tokens));
        let read: Vec<Private<Document>> = texts.par_iter().map(read).collect();
        let vectors = match model {
            Writer::Adept(model) => {
                model.latents(read.iter().map(|text| text.as_ref().map(|text| model.text(text))).collect())
            }
            Writer::EteAnon { model, pieces } => {
                let padded = |text: &Private<Document>| text.as_ref().map(|text| model.padded_pieces(text, *pieces));
                model.latents(read.iter().map(padded).collect())
            }
        };
        let draw = |(index, vector): (usize, &Private<Vec<f32>>)| {
            latent.draw(vector.as_ref().map(Vec::as_slice), &mut self.stream_of(first + index as u64))
        };
        let noised = Released::together(vectors.par_iter().enumerate().map(draw).collect::<Vec<_>>());
        // From here on, everything is computed from what was released.
        let decoded = noised.map(|noised| {
            let written = match model {
                Writer::Adept(model) => model.decode(&noised, self.terms.max_tokens),
                Writer::EteAnon { model, .. } => {
                    // Numbers that the agent draws: of a stream that no noise came from.
                    let records = first..first + noised.len() as u64;
                    let mut rngs: Vec<PrivacyRng> =
                        records.map(|record| self.entropy.stream(Purpose::Synthetic, record)).collect();
                    model.written_from(&noised, &mut rngs)
                }
            };
            match written {
                Ok(mut written) => {
                    written.iter_mut().for_each(|text| text.truncate(self.terms.max_tokens));
                    written
                }
                Err(_) => unreachable!("the vectors have the model's own length"),
            }
        });
        decoded.apart()
    }

    /// Writes the pieces of each text again. Nothing is promised, and the guarantee says so.
    fn by_agent(&self, model: &EteAnon, first: u64, texts: &[Private<String>]) -> Vec<Released<Vec<u32>>> {
        let read = |text: &Private<String>| {
            text.as_ref().map(|text| model.pieces(&Document::read_up_to(text, self.terms.max_tokens)))
        };
        let read = Private::together(texts.par_iter().map(read).collect::<Vec<_>>());
        // Pieces of many texts are written at the price of few; what becomes of one does not depend on the others.
        let written = rewrite(read, |texts| {
            // Each piece has random numbers of its own; no promise rests on them.
            let of_text = |(record, pieces): (u64, &Vec<Vec<u32>>)| {
                let mut rng = self.stream_of(record);
                pieces.iter().map(|_| PrivacyRng::reproducible(rng.bits())).collect::<Vec<_>>()
            };
            let mut rngs: Vec<PrivacyRng> = (first..).zip(&texts).flat_map(of_text).collect();
            let counts: Vec<usize> = texts.iter().map(Vec::len).collect();
            let Ok(written) = model.rewritten(&texts.concat(), &mut rngs) else {
                unreachable!("agent and auto-encoder were made for each other")
            };
            let mut written = written.into_iter();
            let again = |count: usize| written.by_ref().take(count).flatten().collect();
            counts.into_iter().map(again).collect::<Vec<Vec<u32>>>()
        });
        written.apart()
    }

    /// Writes the changed vector of each text as a list of numbers. Nothing is promised, and the guarantee says so.
    fn by_vectors(&self, model: &Rlta, first: u64, texts: &[Private<String>]) -> Vec<Released<String>> {
        let read = |text: &Private<String>| {
            text.as_ref().map(|text| model.encoder.text(&Document::read_up_to(text, self.terms.max_tokens)))
        };
        let read = Private::together(texts.par_iter().map(read).collect::<Vec<_>>());
        let changed = rewrite(read, |texts| {
            let records = first..first + texts.len() as u64;
            let mut rngs: Vec<PrivacyRng> = records.map(|record| self.stream_of(record)).collect();
            match model.changed(&texts, &mut rngs) {
                Ok(changed) => changed,
                Err(_) => unreachable!("agent and encoder were made for each other"),
            }
        });
        let listed = |vector: &Vec<f32>| serde_json::to_string(vector).unwrap_or_default();
        changed.map(|vectors| vectors.iter().map(listed).collect()).apart()
    }

    fn by_tokens(
        &self,
        mechanism: &dyn Mechanism,
        source: &Source,
        first: u64,
        texts: &[Private<String>],
    ) -> Vec<Released<Vec<u32>>> {
        let ready = source.ready(texts, &self.terms);
        let drawn: Vec<Drawn> = match (mechanism.as_fluent(), source) {
            (Some(fluent), Source::Fluent(model, _)) => self.side_by_side(fluent, model, source, first, ready, texts),
            _ => ready
                .into_par_iter()
                .zip(texts)
                .enumerate()
                .map(|(index, (ready, text))| self.draw(mechanism, source, first + index as u64, ready, text))
                .collect(),
        };
        let (released, lines): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
        if let Some(explanations) = &self.explanations {
            explanations.write(Private::together(lines.into_iter().flatten()));
        }
        released
    }

    /// Draws records in groups, since a language model reads many texts at the price of few.
    fn side_by_side(
        &self,
        fluent: &Fluent,
        model: &FluentModel,
        source: &Source,
        first: u64,
        ready: Vec<Private<Ready>>,
        texts: &[Private<String>],
    ) -> Vec<Drawn> {
        let mut drawings: Vec<_> = ready
            .into_iter()
            .zip(first..)
            .map(|(ready, record)| {
                let proposer = ready.map(|ready| {
                    let proposal = source.proposal(ready, self.vocabulary, &self.terms, fluent.reads());
                    Traced::new(proposal, fluent.reads(), false).kept(self.explanations.is_some())
                });
                Drawing { proposer, rng: self.stream_of(record) }
            })
            .collect();
        let groups = drawings.par_chunks_mut(Written::TEXTS).map(|group| match model.written(group.len()) {
            Ok(mut written) => release_fluently(fluent, &mut written, group, &self.terms),
            Err(_) => unreachable!("a model that was read can be used"),
        });
        let released: Vec<Released<Vec<u32>>> = groups.collect::<Vec<_>>().into_iter().flatten().collect();
        let told = released.into_iter().zip(drawings).zip(texts).zip(first..);
        told.map(|(((ids, drawing), text), record)| self.told(record, ids, drawing.proposer, text)).collect()
    }

    /// A release, with what its owner is told of it, if asked to.
    fn told<P: Proposer>(
        &self,
        record: u64,
        ids: Released<Vec<u32>>,
        traced: Private<Traced<P>>,
        text: &Private<String>,
    ) -> Drawn {
        if self.explanations.is_none() {
            return (ids, None);
        }
        let first = self.terms.length.id_of(0);
        let both = text.as_ref().with(traced);
        let line =
            both.map(|(text, traced)| Explanations::line(record, text, &traced, ids.value(), first, self.vocabulary));
        (ids, Some(line))
    }

    /// Draws a record, and tells its owner how, if asked to.
    fn draw(
        &self,
        mechanism: &dyn Mechanism,
        source: &Source,
        record: u64,
        ready: Private<Ready>,
        text: &Private<String>,
    ) -> Drawn {
        let reads = mechanism.reads();
        let proposal = ready.map(|ready| source.proposal(ready, self.vocabulary, &self.terms, reads));
        let mut rng = self.stream_of(record);
        if self.explanations.is_none() {
            return (release(mechanism, proposal, &self.terms, &mut rng), None);
        }
        let mut traced = proposal.map(|proposal| Traced::new(proposal, reads, matches!(source, Source::ErAe(..))));
        let ids = release(mechanism, traced.as_mut(), &self.terms, &mut rng);
        self.told(record, ids, traced, text)
    }

    /// From now on every record is explained to its owner.
    pub(crate) fn explain(&mut self, explanations: Explanations) {
        self.explanations = Some(explanations);
    }

    /// Ends the explanation, if there is one; says what went wrong with it.
    pub(crate) fn explained(&mut self) -> Result<(), String> {
        self.explanations.take().map_or(Ok(()), Explanations::finish)
    }

    /// What the owner is told about texts that were not made for the model.
    pub(crate) fn unsuited(&self) -> Vec<String> {
        self.suits.told(matches!(self.method, Method::Tokens { .. }))
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
        let mut guarantee = self.method.guarantee(&self.terms, self.entropy.is_reproducible())?;
        if matches!(self.method, Method::Vectors { .. }) {
            guarantee.push_also("released as vectors of numbers: no text is written from them");
        } else if self.form == Form::Vector {
            guarantee.push_also("released as counts of words, without their order");
        }
        guarantee.push_assumption(match self.vocabulary.origin() {
            Origin::Public => self.public_words.to_owned(),
            Origin::Private => "the vocabulary is public (IT IS NOT: it was counted from private texts)".to_owned(),
        });
        guarantee.push_assumption(match guarantee.bound() {
            Bound::None => "attackers have no more than those who were measured",
            _ => "the records are of different authors: n records of one author cost n times",
        });
        if self.vocabulary.origin() == Origin::Private {
            guarantee.push_void("the vocabulary was counted from private texts");
            guarantee.push_not_protected("which words occur in the texts the vocabulary was counted from");
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
