//! The price of a run is written into a ledger before anything is drawn.
//!
//! The input is read once for its ids and authors, which also finds a broken record before anything is spent, and once
//! more for the release. Should the file have changed in between, the second reading stops before it draws for a record that
//! was not reserved for.

use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::run::{RESERVING, open, report};
use crate::settings::Checked;
use allonym_dp::{Guarantee, Purpose, Strength, Terms};
use allonym_io::{Batch, Format, Key, Report};
use allonym_ledger::{Amount, Hash, Ledger, LedgerError, Reservation};
use allonym_text::{CancelToken, Observer, Private};
use serde::Serialize;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

/// What a run has in the ledger, for its owner to see.
#[derive(Clone, Debug, Serialize)]
pub struct Reserved {
    /// The ledger's name.
    pub ledger: String,
    /// The entry that holds the reservation; `None` for a dry run, which reserves nothing.
    pub entry: Option<u64>,
    /// The hash of that entry: kept elsewhere, it proves later that the entry is still there.
    pub head: Option<Hash>,
    /// What each record costs.
    pub each: Amount,
    /// Records for which no author is known: they count for themselves only.
    pub without_author: u64,
    /// Whether the ledger has a limit at all.
    pub limited: bool,
}

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
    pipeline: &Pipeline<'_>,
    path: &Path,
    dry_run: bool,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<(Reserved, Seen, Report), Failure> {
    let guarantee = pipeline.guarantee()?;
    let (epsilon, delta) = price(&guarantee)?;
    // A text may be one of those that the model was trained on; nobody here can say that it is not.
    let (trained, trained_delta) = checked.method.training_price();
    let (epsilon, delta) = (epsilon + trained, delta + trained_delta);
    let mut ledger = Ledger::open(path)?;
    let name = ledger.name().to_owned();
    let what = format!("{} {}", guarantee.mechanism, env!("CARGO_PKG_VERSION"));
    let mut random = pipeline.stream(Purpose::Reservation);
    let key = ((u128::from(random.bits()) << 64) | u128::from(random.bits())).to_be_bytes();
    let reservation = Reservation { key, what: &what, epsilon, delta };

    let mut reserving = ledger.begin(&reservation)?;
    let limits = reserving.limits();
    let mut reader = open(checked)?;
    let progress = reader.progress();
    let (hasher, mut batches, mut without_author) = (RandomState::new(), Vec::new(), 0);
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        for (record, key) in (batch.first..).zip(&batch.keys) {
            let added = key.as_ref().map(|key| {
                let author = key.author.as_deref();
                (author.is_some(), reserving.add(&key.id, author))
            });
            let (has_author, added) = added.declassify("the ledger keeps keyed hashes of ids and authors");
            added?;
            without_author += u64::from(!has_author);
            if !has_author && limits.author.is_some() {
                return Err(authorless(record, &name, checked.format));
            }
        }
        batches.push(digest_of(&hasher, &batch.keys));
        if dry_run {
            pipeline.look(&batch.texts);
        }
        report(observer, RESERVING, &progress, batch.first - 1 + batch.texts.len() as u64);
    }
    let limited = limits.record.is_some() || limits.author.is_some();
    let (each, entry, head) = if dry_run {
        (reserving.check().map_err(|error| refused(error, checked))?, None, None)
    } else {
        let receipt = reserving.commit().map_err(|error| refused(error, checked))?;
        (receipt.each, Some(receipt.entry), Some(receipt.hash))
    };
    let reserved = Reserved { ledger: name, entry, head, each, without_author, limited };
    Ok((reserved, Seen { hasher, batches: batches.into_iter() }, reader.report().clone()))
}

/// What a record costs, if that can be said.
fn price(guarantee: &Guarantee) -> Result<(f64, f64), Failure> {
    match guarantee.strength {
        Strength::Differential { epsilon_total, delta, .. } if guarantee.holds() => Ok((epsilon_total, delta)),
        _ => Err(Failure::refusal(
            "this release has no price that could be written into a ledger: it is not private",
            "leave out `--seed`, `--allow-private-vocabulary` and `--allow-private-model`, or release without `--ledger` what you could publish as it is",
        )),
    }
}

fn authorless(record: u64, ledger: &str, format: Format) -> Failure {
    let hint = match format {
        Format::Files => "a directory of files names no authors: use a table with a column for them",
        _ => "name the author's column with `--author-column`, or give every record an author",
    };
    let message = format!("record {record} has no author, and the ledger `{ledger}` limits what an author may lose");
    Failure::refusal(message, hint)
}

/// A refusal, with the settings under which the release would pass.
fn refused(error: LedgerError, checked: &Checked) -> Failure {
    let fits = error.fits();
    let mut failure = Failure::from(error);
    if checked.settings.total.is_some() {
        // A total is spent whole, whatever the number of tokens.
        let besides = checked.method.training_price().0;
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
        let terms = Terms { max_tokens, ..checked.terms };
        let strength = checked.method.guarantee(&terms, false).ok()?.strength;
        let Strength::Differential { epsilon_total, delta, .. } = strength else { return None };
        let (trained, trained_delta) = checked.method.training_price();
        let price = Amount::spent(epsilon_total + trained, delta + trained_delta).ok()?;
        price.within(fits).then_some(())
    };
    within(1)?;
    let (mut fitting, mut too_many) = (1, checked.terms.max_tokens);
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
