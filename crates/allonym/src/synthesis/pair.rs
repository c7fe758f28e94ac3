//! Two models that differ by one record: what it changed, with equal noise.

use super::labels::Labelled;
use super::settings::SynthesisSettings;
use super::writer::{Public, trained};
use crate::failure::Failure;
use crate::spending::Accounting;
use allonym_io::{begin_unfinished, end_unfinished};
use allonym_models::language_model::Text;
use allonym_models::seeded::{Seeded, SeededSettings};
use allonym_nn::training::Run;
use allonym_text::vocabulary::END;
use allonym_text::{CancelToken, Observer, Private, Stage, Vocabulary};
use std::sync::Arc;

/// Seed words that are tried: the commonest of the public list.
const SEEDS: u32 = 200;

/// For each seed word, the logarithm of the chance of every word to come first.
type Chances = Vec<Vec<f64>>;

/// The first records of a file, all of one kind.
pub(crate) struct OneLabel {
    vocabulary: Arc<Vocabulary>,
    texts: Private<Vec<Text>>,
}

impl OneLabel {
    pub(crate) fn of(settings: &SynthesisSettings, records: usize) -> Result<Self, Failure> {
        let Public::Words(vocabulary) = Public::open(settings)? else {
            return Err(Failure::new("only an LSTM begins with seed words", "take that method"));
        };
        let labelled = Labelled::read(settings, &vocabulary)?;
        let texts = Private::together(labelled.texts.into_values());
        let texts = texts.map(|of_labels| of_labels.into_iter().flatten().take(records).collect());
        Ok(Self { vocabulary, texts })
    }

    /// What a model of all records expects, and one for which the last was exchanged for the first; none if it was stopped. Both have the same seed: the same places are in
    /// their samples, and the noise is the same (on one thread; how sums are rounded depends on how many there are). A record less would change the chance of all others to be in a sample.
    pub(crate) fn pair(
        &self,
        settings: &SynthesisSettings,
        (stage, observer): (Stage<'_>, &dyn Observer),
        cancel: &CancelToken,
    ) -> Result<Option<(Chances, Chances)>, Failure> {
        // One plan for both, or the noise would differ.
        let plan = settings.plan("", self.texts.count())?;
        let mut both = Vec::new();
        let exchanged = self.texts.clone().map(|mut texts| {
            if let [first, .., last] = &mut texts[..] {
                last.clone_from(first);
            }
            texts
        });
        for texts in [&self.texts, &exchanged] {
            let directory = tempfile::tempdir()
                .map_err(|error| Failure::new(format!("no temporary directory: {}", error.kind()), "check the disk"))?;
            begin_unfinished(directory.path());
            // What is dropped is drawn row by row, and rows follow from the lengths of all texts: without it, equal noise is equal.
            let shape = SeededSettings {
                cells: settings.cells,
                words: settings.cells,
                dropout: 0.0,
                ..SeededSettings::default()
            };
            let mut model = Seeded::new(shape, self.vocabulary.clone())?;
            let run = Run { directory: directory.path(), resume: false, earlier_steps: 0, stage, observer, cancel };
            let stopped = trained(&mut model, settings, &plan, (0, texts), &Accounting::Unaccounted, run);
            end_unfinished(directory.path());
            if stopped? {
                return Ok(None);
            }
            both.push(model.first_words(&(END + 1..END + 1 + SEEDS).collect::<Vec<_>>())?);
        }
        Ok(both.pop().zip(both.pop()).map(|(without, with)| (with, without)))
    }
}
