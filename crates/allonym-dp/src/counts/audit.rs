//! What naming large counts is audited on: a record more or another one, for things that others count for too and for
//! things that only this record counts for.

use super::{GRAIN, LargeCounts};
use crate::audit::{Adjacency, Auditable, Case, Stated};
use allonym_text::Private;

impl Auditable for LargeCounts {
    fn cases(&self) -> Vec<Case<'_>> {
        let each = self.contributions as usize;
        // The largest count for which one more still does not reach the threshold: there, noise decides about every name, and the
        // probabilities differ by the whole epsilon.
        let shared = u64::try_from(self.threshold / GRAIN as i64 - 1).unwrap_or(0).max(1);
        let (add, replace) = (Adjacency::AddRemove, Adjacency::ReplaceOne);
        let of = |first: u64, second: u64| [vec![first; each], vec![second; each]].concat();
        vec![
            self.case(add, [vec![shared; each], vec![shared + 1; each]]),
            self.case(add, [vec![0; each], vec![1; each]]).without_sampler(),
            self.case(replace, [of(shared + 1, shared), of(shared, shared + 1)]).without_sampler(),
            self.case(replace, [of(1, 0), of(0, 1)]).without_sampler(),
        ]
    }
}

impl LargeCounts {
    /// The case of two sets of records with these counts.
    pub(super) fn case(&self, adjacency: Adjacency, counts: [Vec<u64>; 2]) -> Case<'_> {
        let named = self.probability(counts[0][0]);
        Case {
            mechanism: "counts",
            layer: "black box",
            adjacency,
            claim: if adjacency == Adjacency::AddRemove { self.price() } else { self.price_of_exchange() },
            centers: counts.each_ref().map(|counts| counts.iter().map(|count| *count as f64).collect()),
            run: Box::new(move |side, rng| {
                let named = self.named(Private::new(counts[side as usize].clone()), rng);
                named.into_value().into_iter().map(|named| f64::from(u8::from(named))).collect()
            }),
            stated: Some(Stated::new(vec![1.0 - named, named], |release| usize::from(release[0] > 0.5))),
        }
    }

    /// The probability that a count is named.
    pub(super) fn probability(&self, count: u64) -> f64 {
        if count == 0 {
            return 0.0;
        }
        let (t, b) = (self.threshold as f64 - count as f64 * GRAIN as f64, self.scale as f64);
        let tail = |t: f64| (-t / b).exp() / (1.0 + (-1.0 / b).exp());
        if t >= 1.0 { tail(t) } else { 1.0 - tail(1.0 - t) }
    }
}
