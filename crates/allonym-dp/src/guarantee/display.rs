//! Prints a statement: what is not protected first. The loss of one token is never shown as that of the text.

use super::bound::{Adjacency, Bound, Unit};
use super::statement::Statement;
use std::fmt;

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "not protected")?;
        self.not_protected.iter().try_for_each(|line| writeln!(f, "  - {line}"))?;
        writeln!(f, "protected by `{}`", self.method)?;
        if let Some(made_by) = &self.made_by {
            writeln!(f, "  claimed by `{made_by}`, which this program has not verified")?;
        }
        match self.bound {
            Bound::None => self.unbounded(f)?,
            _ => self.bounded(f)?,
        }
        if self.depends_on_other_records {
            writeln!(f, "  depends on other records: what is released of one can change with another")?;
        }
        self.also.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        if !self.assumptions.is_empty() {
            writeln!(f, "assuming that")?;
        }
        self.assumptions.iter().try_for_each(|line| writeln!(f, "  - {line}"))
    }
}

impl Statement {
    fn unbounded(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.seeded {
            writeln!(f, "  not private: seeded. Whoever knows the seed knows every draw, and may undo the release.")?;
        }
        self.void.iter().try_for_each(|reason| writeln!(f, "  not private: {reason}"))?;
        writeln!(f, "  no formal guarantee: rely on measured attacks")
    }

    fn bounded(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.seeded {
            writeln!(f, "  not private: seeded. Whoever knows the seed knows every draw, and may undo the release.")?;
            writeln!(f, "  With secret randomness it would be:")?;
        }
        self.void.iter().try_for_each(|reason| writeln!(f, "  void: {reason}. Otherwise it would be:"))?;
        let (Bound::Differential { epsilon_total, delta, accounting, .. }
        | Bound::Metric { epsilon_total, delta, accounting, .. }) = &self.bound
        else {
            return Ok(());
        };
        let (total, delta) = (figure(*epsilon_total), small(*delta));
        writeln!(f, "  epsilon {total} for {}, delta {delta} ({accounting})", self.unit)?;
        if let Some(paper) = self.paper_epsilon_total {
            writeln!(f, "  the paper would print epsilon {}", figure(paper))?;
        }
        match (self.epsilon_per_token(), self.max_tokens, self.length) {
            (Some(each), Some(tokens), Some(length)) => {
                writeln!(f, "  that is {} for each of at most {tokens} tokens, length {length}", figure(each))?;
            }
            (None, _, _) if self.unit == Unit::Text => {
                writeln!(f, "  in one draw for the whole text, whatever its length")?;
            }
            _ => {}
        }
        match self.adjacency {
            Adjacency::AnyTexts | Adjacency::SameTokenCount => writeln!(f, "  between {}", self.adjacency)?,
            _ => writeln!(f, "  if {}", self.adjacency)?,
        }
        for claim in &self.other_adjacencies {
            let (epsilon, delta) = (figure(claim.epsilon), small(claim.delta));
            writeln!(f, "  epsilon {epsilon} if {}, delta {delta}", claim.adjacency)?;
        }
        if *epsilon_total > self.adjacency.vacuous_above() {
            writeln!(f, "  a bound this large promises nothing in the worst case: rely on measured attacks")?;
        } else if let Some(posterior) = self.worst_posterior(0.01).filter(|_| self.unit == Unit::Text) {
            let percent = 100.0 * posterior;
            writeln!(f, "  a guess believed at 1 % is believed at {percent:.3} % afterwards, at most")?;
        }
        Ok(())
    }
}

/// A loss with four digits, rounded up so that the printed figure is never smaller than the true one.
fn figure(epsilon: f64) -> String {
    // Bounds carry an upward slack of 1e-12, which must not show as a whole digit.
    if epsilon == 0.0 { "0".to_owned() } else { format!("{:.4}", (epsilon * 1e4 - 1e-6).ceil() / 1e4) }
}

/// A probability with four significant digits, rounded up.
fn small(delta: f64) -> String {
    if !(delta > 0.0 && delta.is_finite()) {
        return delta.to_string();
    }
    let exponent = delta.log10().floor();
    let digits = (delta / 10.0_f64.powf(exponent) * 1e3 - 1e-6).ceil() / 1e3;
    let (digits, exponent) = if digits >= 10.0 { (digits / 10.0, exponent + 1.0) } else { (digits, exponent) };
    if exponent == 0.0 { digits.to_string() } else { format!("{digits}e{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_figures_are_rounded_up() {
        assert_eq!(figure(1.000_01), "1.0001");
        assert_eq!(figure(0.0), "0");
        assert_eq!(figure(0.5 * (1.0 + 1e-12)), "0.5000");
    }

    #[test]
    fn printed_probabilities_are_short_and_rounded_up() {
        assert_eq!([0.0, 1.0, 1e-5, 2e-3].map(small), ["0", "1", "1e-5", "2e-3"]);
        // 1.00011e-6 has six digits; four of them, rounded up, are 1.001. 9.9999e-7 becomes 10 ten-millionths.
        assert_eq!([1.000_11e-6, 9.999_9e-7].map(small), ["1.001e-6", "1e-6"]);
    }
}
