//! What noisy shares are audited on: a record more or another one, short and with repeated words.

use super::{Shares, WHOLE};
use crate::audit::{Adjacency, Auditable, Case, Stated};
use allonym_text::Private;

/// Public outcomes.
const OUTCOMES: usize = 2;

impl Auditable for Shares {
    fn cases(&self) -> Vec<Case<'_>> {
        let (add, replace) = (Adjacency::AddRemove, Adjacency::ReplaceOne);
        vec![
            self.case(add, [vec![], vec![vec![0]]]),
            // What nobody else has, repeated, beside what another record has.
            self.case(add, [vec![vec![0]], vec![vec![0], vec![1, 1, 1, 0]]]).without_sampler(),
            self.case(replace, [vec![vec![0, 0, 0]], vec![vec![1]]]).without_sampler(),
        ]
    }
}

impl Shares {
    /// The case of two sets of records, each the outcomes of its tokens.
    pub(super) fn case(&self, adjacency: Adjacency, records: [Vec<Vec<u32>>; 2]) -> Case<'_> {
        let centers = records.each_ref().map(|records| shares(records));
        Case {
            mechanism: "histogram",
            layer: "black box",
            adjacency,
            claim: (if adjacency == Adjacency::AddRemove { self.epsilon } else { 2.0 * self.epsilon }, 0.0),
            stated: Some(Stated::laplace(centers[0][0], 1.0 / WHOLE as f64, self.scale)),
            centers,
            run: Box::new(move |side, rng| {
                let records = records[side as usize].iter().map(Vec::as_slice);
                self.of_records(Private::new(records), OUTCOMES, rng).into_value()
            }),
        }
    }
}

/// The shares without noise.
fn shares(records: &[Vec<u32>]) -> Vec<f64> {
    let mut shares = vec![0.0; OUTCOMES];
    for record in records {
        let grains = WHOLE / record.len() as u64;
        record.iter().for_each(|token| shares[*token as usize] += grains as f64 / WHOLE as f64);
    }
    shares
}
