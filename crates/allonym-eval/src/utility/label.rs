//! Is the label still told? A classifier learns from one side and is tested on the other.

use crate::attack::{Classed, Finding, Side, Split, learn_and_judge, measured};
use crate::attacker::Attacker;
use crate::error::EvalError;

/// How well the label is told, for both sides to learn from and both to be tested on: what the originals allow, whether the release can be
/// read by what learned from originals, whether it can be learned from for originals, and within itself.
///
/// # Errors
/// When there is nothing to learn or to test.
pub fn label_kept(
    attacker: &dyn Attacker,
    column: &str,
    original: &[&str],
    released: &[&str],
    classes: &[u32],
    count: usize,
    split: &Split,
) -> Result<Vec<Finding>, EvalError> {
    let of = |side: Side| Classed { texts: if side == Side::Original { original } else { released }, classes, count };
    let both = [Side::Original, Side::Released];
    let mut findings = Vec::new();
    for learned_from in both {
        let judged = match learn_and_judge(attacker, of(learned_from), split, &both.map(of)) {
            Ok(judged) => judged,
            // Empty releases teach nothing.
            Err(EvalError::NoFeatures) if learned_from == Side::Released => continue,
            Err(error) => return Err(error),
        };
        for (tested_on, judged) in both.into_iter().zip(&judged) {
            findings.push(Finding {
                attack: "label",
                target: column.to_owned(),
                attacker: attacker.name().to_owned(),
                learned_from,
                tested_on,
                together: 1,
                measures: measured(judged)?,
                found_at_one_percent: None,
            });
        }
    }
    Ok(findings)
}
