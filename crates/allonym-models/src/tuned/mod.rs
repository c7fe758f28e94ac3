//! A language model that is tuned to texts by few numbers, so that the noise of private training stays small beside what is learned.
//!
//! The language model is public and stays as it is. Between it and its output layer stands one small step: `h + up(down(h))`, with a bias. The bias says which words are
//! more usual in these texts than in others; `down` and `up` (of low rank; Hu et al. 2022) say after which. A few thousand numbers are trained instead of millions: the
//! noise of a private step grows with the root of their number.

mod expected;
mod generate;
mod settings;
#[cfg(test)]
mod tests;
mod tilt;

pub use expected::{Expected, Tilt, outcomes, usual_weights};
pub use settings::TunedSettings;
pub use tilt::{Observed, tilts};

use crate::error::ModelError;
use crate::language_model::{LanguageModel, ReadTexts, Text};
use allonym_dp::PrivacyRng;
use allonym_nn::layer::Linear;
use allonym_nn::loss::{Evaluated, Negatives, Sample, Tokens, sampled_loss};
use allonym_nn::training::Model;
use allonym_nn::{Gradients, Matrix, NnError, Rows, Store};
use std::sync::Arc;

const KIND: &str = "tuned";

/// A public language model and what was learned besides.
#[derive(Debug)]
pub struct Tuned {
    settings: TunedSettings,
    language: Arc<LanguageModel>,
    down: Linear,
    up: Linear,
    store: Store<f32>,
    /// The tokens that every target is compared with: all. A sample would have to be drawn without the examples, and the same for every part of a step, since parts follow from
    /// the lengths of the examples; and one sample for all steps teaches to write what is not in it.
    negatives: Negatives,
    /// What is added to the logits of a text's first token.
    first: Option<Vec<f32>>,
    /// What each id speaks for a draft; empty where there is one draft.
    likeness: Vec<f32>,
    /// What the tilt is known by, if there is one.
    tilt: Option<u64>,
}

impl Tuned {
    /// A model that writes as the language model does, as long as it has learned nothing.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: TunedSettings, language: Arc<LanguageModel>) -> Result<Self, ModelError> {
        settings.check()?;
        let mut store = Store::new();
        // Public: what the numbers begin with must not come from the texts, nor from secret randomness that a resumed run would not have.
        let rng = &mut PrivacyRng::reproducible(settings.seed);
        let cells = language.shape().cells;
        let down = Linear::new("down", cells, settings.rank, false, &mut store, rng)?;
        let up = Linear::new("up", settings.rank, cells, true, &mut store, rng)?;
        let start = up.weight().range().start;
        store.values_mut()[start..].fill(0.0);
        let negatives = Negatives::all(language.vocabulary().ids() as usize)?;
        Ok(Self { settings, language, down, up, store, negatives, first: None, likeness: Vec::new(), tilt: None })
    }

    /// The same on a tilted language model. First words are then what the tilt says, and not learned.
    ///
    /// # Errors
    /// When a setting is out of range or the tilt has another size.
    pub fn tilted(settings: TunedSettings, language: &LanguageModel, tilt: Tilt) -> Result<Self, ModelError> {
        let ids = language.vocabulary().ids() as usize;
        if tilt.first.len() != ids || !(tilt.likeness.is_empty() || tilt.likeness.len() == ids) {
            return Err(NnError::shape("tilt", "numbers", tilt.first.len(), ids).into());
        }
        let tilted = Arc::new(language.tilted(&tilt.everywhere)?);
        let known = Some(tilt.known_by());
        Ok(Self { first: Some(tilt.first), likeness: tilt.likeness, tilt: known, ..Self::new(settings, tilted)? })
    }

    /// The public model.
    pub fn language(&self) -> &LanguageModel {
        &self.language
    }

    /// How many numbers are trained.
    pub fn trained(&self) -> usize {
        self.store.values().len()
    }

    /// The vectors after the step between, and what `up` was given.
    fn moved(&self, vectors: &Matrix<f32>, threads: usize) -> Result<(Matrix<f32>, Matrix<f32>), NnError> {
        let narrow = self.down.forward(&self.store, vectors, threads)?;
        let mut moved = self.up.forward(&self.store, &narrow, threads)?;
        moved.values_mut().iter_mut().zip(vectors.values()).for_each(|(moved, vector)| *moved += vector);
        Ok((moved, narrow))
    }

    /// Nats of some texts, all their tokens together.
    ///
    /// # Errors
    /// When a text has an id that the model does not know.
    pub fn surprisal(&self, texts: &[Text], threads: usize) -> Result<f64, NnError> {
        let mut sum = 0.0;
        for batch in texts.chunks(32) {
            sum += self.evaluate(&batch.iter().collect::<Vec<_>>(), threads)?.iter().sum::<f64>();
        }
        Ok(sum)
    }
}

impl Model for Tuned {
    type Example = Text;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn settings(&self) -> toml::Table {
        let mut table = toml::Table::try_from(&self.settings).unwrap_or_default();
        if let Some(tilt) = self.tilt {
            // Numbers that were trained beside another tilt are not gone on with.
            table.insert("tilt".to_owned(), format!("{tilt:016x}").into());
        }
        table
    }

    fn store(&self) -> &Store<f32> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<f32> {
        &mut self.store
    }

    fn length(example: &Text) -> usize {
        example.len() - 1
    }

    fn losses(&self, batch: &[&Text], gradients: &mut Gradients<f32>, _: &mut PrivacyRng) -> Result<Vec<f64>, NnError> {
        let threads = gradients.threads();
        let ReadTexts { sequences, vectors, targets } = self.language.read_texts(batch, threads)?;
        let (moved, narrow) = self.moved(&vectors, threads)?;
        let of_first = if self.first.is_some() { 0.0 } else { 1.0 };
        let of_text = |text: &&Text| (1..text.len()).map(|place| if place == 1 { of_first } else { 1.0 }).collect();
        let weights: Vec<Vec<f32>> = batch.iter().map(of_text).collect();
        let weights = sequences.lay_out(&weights.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let sample = Sample { targets: &targets, negatives: &self.negatives, weights: &weights };
        let (output, store) = (self.language.output(), self.language.store());
        let loss = sampled_loss(output, store, &moved, &sequences, &sample, threads)?;
        let rows = Rows::Tokens(sequences);
        let to_narrow = self.up.backward(&self.store, &Arc::new(narrow), loss.back, &rows, gradients);
        self.down.backward(&self.store, &vectors, to_narrow, &rows, gradients);
        Ok(loss.of_examples)
    }

    fn evaluate(&self, batch: &[&Text], threads: usize) -> Result<Vec<f64>, NnError> {
        let ReadTexts { vectors, targets, .. } = self.language.read_texts(batch, threads)?;
        let (moved, _) = self.moved(&vectors, threads)?;
        let targets = Tokens::new(targets, self.language.vocabulary().ids() as usize)?;
        let found = Evaluated::of(self.language.output(), self.language.store(), &moved, &targets, threads)?;
        Ok(vec![found.loss / batch.len() as f64; batch.len()])
    }
}
