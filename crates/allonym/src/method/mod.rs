//! Methods: what turns private texts into texts that may leave, one file each.
//!
//! A method is built from its settings by the [registry], states its [`Guarantee`], and is
//! [prepared](Method::prepare) before it releases records. The pipeline knows none of them by name.

mod agent;
mod document;
mod latent;
mod model;
pub mod registry;
mod rewriter;
mod settings;
mod source;
mod statement;
mod token_settings;
mod tokens;
mod vectors;
mod vocabulary;
mod word_noise;

pub(crate) use model::{OpenModel, Trained};
pub use rewriter::RewriterMethod;
pub use settings::{DEFAULT, MethodSettings};
pub use source::Form;
pub(crate) use source::extremes;
pub use tokens::TokenMethod;

use crate::failure::Failure;
use crate::owner::OwnerReport;
use allonym_dp::audit::{Effort, Finding};
use allonym_dp::{Entropy, ExitText, Guarantee, Mechanism, PrivacyRng, Purpose};
use allonym_text::vocabulary::TokenId;
use allonym_text::{Private, Vocabulary};
use std::fmt;
use std::sync::Arc;

/// Turns private texts into texts that may leave.
pub trait Method: Send + Sync + fmt::Debug {
    /// The name in the registry and in statements.
    fn name(&self) -> &str;

    /// What a record released by this method is promised. `seeded` says that the user chose the randomness, which voids it.
    ///
    /// # Errors
    /// When no bound can be computed.
    fn guarantee(&self, seeded: bool) -> Result<Guarantee, Failure>;

    /// The guarantee with fewer tokens per record, where the cost depends on them: for advice when a budget is too small.
    fn guarantee_with(&self, _max_tokens: usize) -> Option<Guarantee> {
        None
    }

    /// The cost of having been trained on, for texts that may have been: epsilon and delta of the model's card.
    fn training_cost(&self) -> (f64, f64) {
        (0.0, 0.0)
    }

    /// The most tokens of a record that are read or drawn.
    fn max_tokens(&self) -> usize;

    /// Columns that the release is to hide: they do not pass.
    fn withheld_columns(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the method draws among candidates, so that a release can be explained to its owner.
    fn is_explainable(&self) -> bool {
        false
    }

    /// Whether each token has a cost of its own.
    fn charges_tokens(&self) -> bool {
        false
    }

    /// What an attacker who knows the method needs to guess original tokens from released ones.
    fn guessing(&self) -> Guessing<'_>;

    /// Whether [`Method::prepare`] reads the corpus. The statement then says that a release depends on other records.
    fn needs_corpus(&self) -> bool {
        false
    }

    /// Prepares the method for a run. A method that needs no corpus returns itself.
    ///
    /// # Errors
    /// When the corpus cannot be read, or is refused.
    fn prepare(self: Arc<Self>, corpus: &mut dyn Corpus, entropy: &Entropy) -> Result<Arc<dyn Release>, Failure>;

    /// Checks that what really runs keeps its claim. Empty where no bound is claimed.
    ///
    /// # Errors
    /// When the method cannot be run on the audit's inputs.
    fn audit(&self, _effort: &Effort) -> Result<Vec<Finding>, Failure> {
        Ok(Vec::new())
    }
}

/// What an attacker who knows a method needs to guess original tokens from released ones.
pub struct Guessing<'a> {
    /// The words of the release.
    pub vocabulary: Arc<Vocabulary>,
    /// The first token that can be drawn.
    pub first_token: TokenId,
    /// The mechanism, where each token is proposed alone.
    pub alone: Option<&'a dyn Mechanism>,
}

impl Guessing<'_> {
    /// Where tokens are not drawn from proposals of one token each: the released token itself is the guess.
    pub fn by_copying(vocabulary: Arc<Vocabulary>) -> Self {
        Self { vocabulary, first_token: TokenId::new(TokenId::END.get() + 1), alone: None }
    }
}

/// A method that is ready to release records.
pub trait Release: Send + Sync {
    /// Releases records, in their order. Each result depends on its own record, on what was prepared and on the record's
    /// random stream alone: neither neighbors nor the cuts between batches may change it.
    fn release(&self, records: &[Record<'_>], context: &Context<'_>) -> Vec<Result<ExitText, RecordError>>;

    /// Counts for the owner which texts the method is not made for, without releasing anything.
    fn inspect(&self, _records: &[Record<'_>], _report: &OwnerReport) {}
}

/// Texts that are read before anything is released, batch by batch.
pub trait Corpus {
    /// The texts of the next batch; `None` at the end.
    ///
    /// # Errors
    /// When they cannot be read.
    fn next_batch(&mut self) -> Result<Option<Vec<Private<String>>>, Failure>;
}

/// No texts: for methods that need none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCorpus;

impl Corpus for NoCorpus {
    fn next_batch(&mut self) -> Result<Option<Vec<Private<String>>>, Failure> {
        Ok(None)
    }
}

/// One record to release.
#[derive(Debug)]
pub struct Record<'a> {
    /// Its number in the run, from 0: it decides its random stream.
    pub number: u64,
    /// Its text.
    pub text: &'a Private<String>,
}

/// What a release may use besides the records.
pub struct Context<'a> {
    pub(crate) entropy: &'a Entropy,
    pub(crate) report: &'a OwnerReport,
}

impl Context<'_> {
    /// The random stream of a record. No two records of a run share one.
    pub fn rng(&self, record: &Record<'_>) -> PrivacyRng {
        self.entropy.stream(Purpose::Record, record.number)
    }
}

/// Why one record has no release. It quotes no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RecordError {
    reason: String,
}

impl RecordError {
    /// An error with a reason that is the same for every text.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// The error of a batch, for each of its records.
pub(crate) fn fail_all(records: &[Record<'_>], reason: &str) -> Vec<Result<ExitText, RecordError>> {
    records.iter().map(|_| Err(RecordError::new(reason))).collect()
}

/// Released tokens in the form in which they are written: a function of the tokens and of public settings.
pub(crate) struct Writing {
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) form: Form,
}
