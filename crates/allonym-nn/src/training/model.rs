//! What the loop needs to know about a model, and about data.

use crate::error::NnError;
use crate::gradient::Gradients;
use crate::store::Store;
use allonym_dp::PrivacyRng;
use serde::{Deserialize, Serialize};

/// A model that can be trained.
pub trait Model {
    /// What it learns from: in private training, this is the unit that is protected.
    type Example;

    /// The name of the kind of model, for its card.
    fn kind(&self) -> &'static str;

    /// The model's settings, for its card: enough to build it again before its parameters are read.
    fn settings(&self) -> toml::Table;

    /// All trained parameters.
    fn store(&self) -> &Store<f32>;

    /// All trained parameters, for a change.
    fn store_mut(&mut self) -> &mut Store<f32>;

    /// How long an example is, in tokens: its work is taken to grow with it.
    fn length(example: &Self::Example) -> usize;

    /// Hands over the gradients of some examples, and returns the loss of each. `rng` is for dropout and the like.
    ///
    /// The batch is never empty. The gradients are those of the *sum* of the losses: the loop divides. In a private step
    /// ([`Gradients::is_private`]) the loss of an example must depend on no other example of the batch, every parameter must be handed over once,
    /// and there are `batch.len()` examples in the order of the batch.
    ///
    /// # Errors
    /// When an example does not fit the model.
    fn losses(
        &self,
        batch: &[&Self::Example],
        gradients: &mut Gradients<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Vec<f64>, NnError>;

    /// The loss of each example as validation counts it: without dropout, and without gradients.
    ///
    /// # Errors
    /// When an example does not fit the model.
    fn evaluate(&self, batch: &[&Self::Example], threads: usize) -> Result<Vec<f64>, NnError>;
}

/// Whether examples may be shown to anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Declared public by the caller.
    Public,
    /// Private: the default for everything that was not declared.
    Private,
}

/// Examples, and what is known about them.
#[derive(Debug)]
pub struct Data<'a, Example> {
    /// The examples.
    pub examples: &'a [Example],
    /// Whether they are public.
    pub standing: Standing,
    /// What stands for them on the card, such as a hash with a secret key. A plain hash lets others check a guess.
    pub fingerprint: &'a str,
}

impl<Example> Clone for Data<'_, Example> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Example> Copy for Data<'_, Example> {}
