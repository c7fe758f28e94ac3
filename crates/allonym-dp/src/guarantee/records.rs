//! Guarantees of methods that learn from all records: private training, noisy shares, noisy counts.

use super::Guarantee;
use super::bound::{Adjacency, Bound, Claim, Unit};
use super::statement::Statement;
use crate::accountant::privacy_loss::{self, Releases};
use crate::counts::LargeCounts;
use crate::error::DpError;
use crate::histogram::Shares;

/// The privacy loss of one record in a training run, by the accountant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordLoss {
    add_remove: f64,
    replace_one: f64,
    delta: f64,
}

impl RecordLoss {
    /// The loss of releases with Gaussian noise, all of which may read the record.
    ///
    /// # Errors
    /// When there are none, or an argument is out of range.
    pub fn from_releases(releases: &[Releases], delta: f64) -> Result<Self, DpError> {
        let loss = |adjacency| privacy_loss::of_all(releases, delta, adjacency);
        let (add_remove, replace_one) =
            (loss(privacy_loss::Adjacency::AddRemove)?, loss(privacy_loss::Adjacency::ReplaceOne)?);
        Ok(Self { add_remove, replace_one, delta })
    }

    /// Epsilon where the record is added or removed.
    pub fn add_remove(&self) -> f64 {
        self.add_remove
    }

    /// Epsilon where the record is replaced by another of the same label.
    pub fn replace_one(&self) -> f64 {
        self.replace_one
    }

    /// The probability with which the loss may be larger.
    pub fn delta(&self) -> f64 {
        self.delta
    }
}

impl Guarantee {
    /// The guarantee of models that were trained with noise, one per label, each on the records of its label alone.
    /// Records of different labels are different records, so the largest loss is that of all. `None` for a model that was
    /// trained without noise: then nothing is bounded.
    pub fn for_private_training(method: &str, losses: &[Option<RecordLoss>], seeded: bool) -> Self {
        let Some(known) = losses.iter().copied().collect::<Option<Vec<RecordLoss>>>().filter(|all| !all.is_empty())
        else {
            let mut guarantee = Self::measured(method, Unit::LearnedRecord, seeded);
            guarantee.push_void("the model was trained without noise: it can repeat its training texts");
            return guarantee;
        };
        let largest = |of: fn(&RecordLoss) -> f64| known.iter().map(of).fold(0.0, f64::max);
        let delta = largest(RecordLoss::delta);
        let losses = [(largest(RecordLoss::add_remove), delta), (largest(RecordLoss::replace_one), delta)];
        let accounting = "privacy loss distribution of Gaussian noise on Poisson samples, pessimistic";
        Self::for_records(method, losses, known.len(), accounting, seeded)
    }

    /// The guarantee of noisy shares of words, counted once for each of so many labels.
    pub fn for_shares(method: &str, shares: &Shares, labels: usize, seeded: bool) -> Self {
        let epsilon = shares.epsilon();
        Self::for_records(method, [(epsilon, 0.0), (2.0 * epsilon, 0.0)], labels, "Laplace noise, pure", seeded)
    }

    /// The guarantee of a choice among forms of names by noisy counts. It bounds the choice alone.
    pub fn for_counts(method: &str, counts: &LargeCounts, seeded: bool) -> Self {
        let losses = [counts.price(), counts.price_of_exchange()];
        let mut guarantee = Self::for_records(method, losses, 1, "Laplace noise and a threshold", seeded);
        guarantee.0.unit = Unit::SharedNames;
        guarantee.with_dependence_on_other_records()
    }

    /// From (epsilon, delta) where a record is added or removed, and where it is replaced by one of the same label.
    fn for_records(method: &str, losses: [(f64, f64); 2], labels: usize, accounting: &str, seeded: bool) -> Self {
        let [(epsilon_total, delta), (epsilon, delta_replaced)] = losses;
        let bound =
            Bound::Differential { epsilon_per_token: None, epsilon_total, delta, accounting: accounting.to_owned() };
        let mut statement = Statement::new(method, bound, Unit::LearnedRecord, Adjacency::AddRemove, seeded);
        // A delta of 1 bounds nothing.
        if epsilon.is_finite() && delta_replaced < 1.0 {
            let adjacency = Adjacency::ReplaceOne;
            statement.other_adjacencies.push(Claim { adjacency, epsilon, delta: delta_replaced });
        }
        if labels > 1 {
            // The record leaves the releases of one label and enters those of another, whose noise is its own: two
            // releases, composed.
            let (epsilon, delta) = (2.0 * epsilon_total, (2.0 * delta).min(1.0));
            statement.other_adjacencies.push(Claim { adjacency: Adjacency::OtherLabel, epsilon, delta });
        }
        Self(statement)
    }
}
