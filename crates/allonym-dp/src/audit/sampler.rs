//! Layer B: draws against the stated distribution, by a G-test for each input.

use super::inputs::for_draws;
use super::{Effort, Finding};
use crate::context::PublicContext;
use crate::mechanism::{Draw, Mechanism};
use crate::rng::{Entropy, Purpose};
use crate::statistics::{FALSE_ALARM, chi_squared_tail, g_statistic};
use allonym_text::Private;

/// Tests every input; the least likely one is the finding. `None` when the distribution cannot be enumerated.
pub(super) fn audit(mechanism: &dyn Mechanism, context: &PublicContext<'_>, effort: &Effort) -> Option<Finding> {
    let outcomes = mechanism.outcomes();
    let inputs = for_draws(outcomes as usize);
    let entropy = Entropy::reproducible(effort.seed);
    let mut least: f64 = 1.0;
    for (index, scores) in inputs.iter().enumerate() {
        let stated = mechanism.distribution(scores, context)?;
        let mut rng = entropy.stream(Purpose::Audit, index as u64);
        let mut counts = vec![0; outcomes as usize];
        for _ in 0..effort.draws {
            counts[mechanism.draw(Private::new(scores), context, &mut rng).value().position()] += 1;
        }
        least = least.min(chi_squared_tail(g_statistic(&counts, &stated), outcomes as usize - 1));
    }
    let claim = FALSE_ALARM / inputs.len() as f64;
    Some(Finding::of_token_mechanism(mechanism, "sampler", claim, least, least >= claim))
}
