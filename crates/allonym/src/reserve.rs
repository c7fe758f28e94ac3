//! The price of a run is written into a ledger before anything is drawn.
//!
//! The input is read once for its ids and authors, which also finds a broken record before anything is spent, and once
//! more for the release. Should the file have changed in between, the second reading stops before it draws for a record that
//! was not reserved for.

use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::run::{RESERVING, open, report};
use crate::settings::Checked;
use crate::spending::{Adding, Request, Reserved, Spending};
use allonym_dp::{Bound, Guarantee, Purpose};
use allonym_io::{Batch, Key, Report};
use allonym_ledger::{Amount, Cost, LedgerError};
use allonym_text::{CancelToken, Observer, Private};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

/// What the first reading saw, for the second to compare with.
pub(crate) struct Seen {
    hasher: RandomState,
    batches: std::vec::IntoIter<u64>,
}

impl Seen {
    /// Lets a batch pass whose records are those that were reserved for, in the same place.
    pub(crate) fn admit(&mut self, batch: &Batch) -> Result<(), Failure> {
        match self.batches.next() {
            Some(digest) if digest == digest_of(&self.hasher, &batch.keys) => Ok(()),
            _ => Err(Failure::refusal(
                format!("the input changed while it was read, at or after record {}", batch.first),
                "let nothing write to the file during a run",
            )),
        }
    }
}

fn digest_of(hasher: &RandomState, keys: &[Private<Key>]) -> u64 {
    let mut digest = 0;
    for key in keys {
        let _ = key.as_ref().map(|key| digest = hasher.hash_one((digest, key)));
    }
    digest
}

/// Reserves the price of every record of the input, or with `dry_run` only finds out whether it could be.
pub(crate) fn reserve(
    checked: &Checked,
    pipeline: &Pipeline,
    path: &Path,
    dry_run: bool,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<(Reserved, Seen, Report), Failure> {
    let guarantee = pipeline.guarantee()?;
    let spending = Spending { method: guarantee.method().to_owned(), cost: cost(&guarantee, checked)? };
    let mut random = pipeline.stream(Purpose::Reservation);
    let key = ((u128::from(random.bits()) << 64) | u128::from(random.bits())).to_be_bytes();
    let request = Request { ledger: path, spending: &spending, key, dry_run, format: checked.format };

    let (hasher, mut batches, mut read) = (RandomState::new(), Vec::new(), None);
    let fill = |adding: &mut Adding<'_>| {
        let mut reader = open(checked)?;
        let progress = reader.progress();
        while let Some(batch) = reader.next()? {
            cancel.check()?;
            (batch.first..).zip(&batch.keys).try_for_each(|(record, key)| adding.add(record, key))?;
            batches.push(digest_of(&hasher, &batch.keys));
            if dry_run {
                pipeline.inspect(&batch.texts);
            }
            report(observer, RESERVING, &progress, batch.first - 1 + batch.texts.len() as u64);
        }
        read = Some(reader.report().clone());
        Ok(())
    };
    let reserved = request.reserve(fill, |error| refused(error, checked))?;
    Ok((reserved, Seen { hasher, batches: batches.into_iter() }, read.unwrap_or_default()))
}

/// What a record costs. A method without a bound costs an unbounded loss; a void promise has no cost that could be stated.
fn cost(guarantee: &Guarantee, checked: &Checked) -> Result<Cost, Failure> {
    match (guarantee.epsilon_total(), guarantee.delta()) {
        (Some(epsilon), Some(delta)) if guarantee.holds() => {
            // A text may be one of those that the model was trained on; nobody here can say that it is not.
            let (trained, trained_delta) = checked.method.training_cost();
            Ok(Cost::Bounded { epsilon: epsilon + trained, delta: delta + trained_delta })
        }
        _ if *guarantee.bound() == Bound::None && !guarantee.seeded() && guarantee.void().is_empty() => {
            Ok(Cost::Unbounded)
        }
        _ => Err(Failure::refusal(
            "this release has no price that could be written into a ledger: it is not private",
            "leave out `--seed`, `--allow-private-vocabulary` and `--allow-private-model`, or release without `--ledger` what you could publish as it is",
        )),
    }
}

/// A refusal, with the settings under which the release would pass.
fn refused(error: LedgerError, checked: &Checked) -> Failure {
    let fits = error.fits();
    let mut failure = Failure::from(error);
    if checked.settings.method.has("total") {
        // A total is spent whole, whatever the number of tokens.
        let besides = checked.method.training_cost().0;
        if let Some(fits) = fits.map(|fits| fits.epsilon() - besides).filter(|fits| *fits > 0.0) {
            failure.hint.push_str(&format!("; `--total {fits}` would fit"));
        }
        return failure;
    }
    let Some(tokens) = fits.and_then(|fits| fitting_tokens(checked, fits)) else { return failure };
    failure.hint.push_str(&format!("; `--max-tokens {tokens}` would fit"));
    failure
}

/// The most tokens a record whose price is within an amount; `None` where not even one is.
fn fitting_tokens(checked: &Checked, fits: Amount) -> Option<usize> {
    let within = |max_tokens: usize| {
        let guarantee = checked.method.guarantee_with(max_tokens)?;
        let (epsilon_total, delta) = (guarantee.epsilon_total()?, guarantee.delta()?);
        let (trained, trained_delta) = checked.method.training_cost();
        let price = Amount::spent(epsilon_total + trained, delta + trained_delta).ok()?;
        price.within(fits).then_some(())
    };
    within(1)?;
    let (mut fitting, mut too_many) = (1, checked.method.max_tokens());
    while too_many - fitting > 1 {
        let middle = fitting.midpoint(too_many);
        if within(middle).is_some() { fitting = middle } else { too_many = middle }
    }
    Some(fitting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_io::Rest;

    fn batch(first: u64, keys: &[(&str, Option<&str>)]) -> Batch {
        let key = |(id, author): &(&str, Option<&str>)| {
            Private::new(Key { id: id.as_bytes().to_vec(), author: author.map(|author| author.as_bytes().to_vec()) })
        };
        let texts = keys.iter().map(|_| Private::new(String::new())).collect();
        Batch { first, texts, keys: keys.iter().map(key).collect(), values: Vec::new(), rest: Rest::Names(Vec::new()) }
    }

    fn seen(batches: &[&Batch]) -> Seen {
        let hasher = RandomState::new();
        let digests: Vec<u64> = batches.iter().map(|batch| digest_of(&hasher, &batch.keys)).collect();
        Seen { hasher, batches: digests.into_iter() }
    }

    #[test]
    fn a_second_reading_passes_only_what_the_first_reserved_for() {
        let (one, two) = (batch(1, &[("1", Some("anna")), ("2", None)]), batch(3, &[("3", None)]));
        let mut same = seen(&[&one, &two]);
        assert!(same.admit(&one).is_ok() && same.admit(&two).is_ok());
        assert!(same.admit(&two).unwrap_err().message.contains("at or after record 3"), "records were added");
        for changed in [
            batch(1, &[("1", Some("anna")), ("2", Some(""))]),
            batch(1, &[("2", None), ("1", Some("anna"))]),
            batch(1, &[("1", Some("ben")), ("2", None)]),
            batch(1, &[("1", Some("anna"))]),
            batch(1, &[("1", Some("anna")), ("2", None), ("3", None)]),
        ] {
            assert!(seen(&[&one, &two]).admit(&changed).is_err());
        }
    }
}
