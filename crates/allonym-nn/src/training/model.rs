//! What the loop needs to know about a model, and about data.

use crate::error::NnError;
use crate::gradient::Gradients;
use crate::store::Store;
use allonym_dp::PrivacyRng;
use allonym_text::Private;
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

/// Examples, as public as their owner declared them.
#[derive(Debug)]
pub enum Examples<'a, Example> {
    /// Declared public by the caller.
    Public(&'a [Example]),
    /// Private: only the training loop opens them.
    Private(Private<&'a [Example]>),
}

impl<Example> Examples<'_, Example> {
    /// Whether they are public.
    pub fn standing(&self) -> Standing {
        match self {
            Self::Public(_) => Standing::Public,
            Self::Private(_) => Standing::Private,
        }
    }
}

impl<Example> Clone for Examples<'_, Example> {
    fn clone(&self) -> Self {
        match self {
            Self::Public(examples) => Self::Public(examples),
            Self::Private(examples) => Self::Private(examples.clone()),
        }
    }
}

/// Examples, and what is known about them.
#[derive(Debug)]
pub struct Data<'a, Example> {
    /// The examples.
    pub examples: Examples<'a, Example>,
    /// What stands for them on the card, such as a hash with a secret key. A plain hash lets others check a guess.
    pub fingerprint: &'a str,
}

impl<'a, Example> Data<'a, Example> {
    /// Hands the examples to the loop: the one place of this crate where private ones are opened. With `noise`, each is clipped and
    /// the sum is noised before anything else sees it; without, the card says that nothing is protected.
    pub(super) fn open(self, noise: bool) -> Opened<'a, Example> {
        let standing = self.examples.standing();
        let examples = match self.examples {
            Examples::Public(examples) => examples,
            Examples::Private(examples) if noise => examples.declassify("DP trainer: clipped and noised"),
            Examples::Private(examples) => examples.declassify("unprotected training, the card says so"),
        };
        Opened { examples, standing, fingerprint: self.fingerprint }
    }
}

impl<Example> Clone for Data<'_, Example> {
    fn clone(&self) -> Self {
        Self { examples: self.examples.clone(), fingerprint: self.fingerprint }
    }
}

/// Data as the loop sees it.
pub(super) struct Opened<'a, Example> {
    pub(super) examples: &'a [Example],
    pub(super) standing: Standing,
    pub(super) fingerprint: &'a str,
}

impl<Example> Clone for Opened<'_, Example> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Example> Copy for Opened<'_, Example> {}
