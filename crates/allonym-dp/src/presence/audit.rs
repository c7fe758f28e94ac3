//! What noisy sums of presence are audited on: a record more or another one, with one outcome and with several, repeated.

use super::{Presence, WHOLE, given};
use crate::accountant::zcdp;
use crate::audit::{Adjacency, Auditable, Case, Stated};
use allonym_text::Private;

/// Public weights of the outcomes.
pub(super) const WEIGHTS: [f64; 3] = [1.0, 1.0, 2.0];
/// Deltas at which the concentrated bound is compared with what is found. The larger is the more telling for frequent events.
const DELTAS: [f64; 2] = [0.01, 1e-5];

impl Auditable for Presence {
    fn cases(&self) -> Vec<Case<'_>> {
        let (add, replace) = (Adjacency::AddRemove, Adjacency::ReplaceOne);
        let [large, small] = DELTAS;
        vec![
            self.case(add, large, [vec![], vec![vec![0]]]),
            self.case(add, small, [vec![], vec![vec![0]]]).without_sampler(),
            self.case(add, large, [vec![vec![0]], vec![vec![0], vec![2, 1, 1, 1, 0]]]).without_sampler(),
            self.case(replace, large, [vec![vec![0, 0, 0]], vec![vec![1, 2, 1, 1]]]).without_sampler(),
        ]
    }
}

impl Presence {
    /// The claim at a delta.
    fn claim(&self, adjacency: Adjacency, delta: f64) -> (f64, f64) {
        let distance = if adjacency == Adjacency::AddRemove { 1.0 } else { 2.0 };
        let rho = (distance / self.noise()).powi(2) / 2.0;
        // There is a bound for every rho and delta in range. If there were none, nothing would be claimed, and the audit fail.
        (zcdp::epsilon(rho, delta).unwrap_or(0.0), delta)
    }

    /// The case of two sets of records, each the outcomes of its tokens.
    pub(super) fn case(&self, adjacency: Adjacency, delta: f64, records: [Vec<Vec<u32>>; 2]) -> Case<'_> {
        let centers = records.each_ref().map(|records| sums(records));
        Case {
            mechanism: "presence",
            layer: "black box",
            adjacency,
            claim: self.claim(adjacency, delta),
            stated: Stated::gaussian(centers[0][0], 1.0 / WHOLE as f64, self.variance),
            centers,
            run: Box::new(move |side, rng| {
                let records = records[side as usize].iter().map(Vec::as_slice);
                self.of_records(Private::new(records), &WEIGHTS, rng).into_value()
            }),
        }
    }
}

/// The sums without noise.
fn sums(records: &[Vec<u32>]) -> Vec<f64> {
    let mut sums = vec![0.0; WEIGHTS.len()];
    for (outcome, grains) in records.iter().flat_map(|record| given(record, &WEIGHTS)) {
        sums[outcome] += grains as f64 / WHOLE as f64;
    }
    sums
}
