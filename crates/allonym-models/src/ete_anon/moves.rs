//! What single random moves do to rewards, beside how much the rewards of texts differ: what an agent has to learn from.
//!
//! Q-learning as it is printed sees the worth of a text after a move. That this text is worth more than another says nothing of the move, but stands in every number that is learned from.

use serde::Serialize;
use std::fmt;

/// What random moves of one number do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moves {
    /// The share of moves after which a text is worth what it was: most often not a word has changed.
    pub still: f64,
    /// The root of the mean square by which a move changes the worth of a text.
    pub change: f64,
    /// The standard deviation of worth between texts.
    pub between: f64,
}

impl Moves {
    /// From the rewards of texts, step by step; nothing if there is but one step or one text.
    pub(super) fn of(steps: &[Vec<f64>]) -> Option<Self> {
        let texts = steps.first()?.len() as f64;
        if steps.len() < 2 || texts < 2.0 {
            return None;
        }
        let changes: Vec<f64> = steps
            .windows(2)
            .flat_map(|pair| pair[1].iter().zip(&pair[0]).map(|(after, before)| after - before))
            .collect();
        let count = changes.len() as f64;
        let last = steps.last()?;
        let mean = last.iter().sum::<f64>() / texts;
        let squares: f64 = last.iter().map(|reward| (reward - mean).powi(2)).sum();
        Some(Self {
            still: changes.iter().filter(|change| **change == 0.0).count() as f64 / count,
            change: (changes.iter().map(|change| change * change).sum::<f64>() / count).sqrt(),
            between: (squares / (texts - 1.0)).sqrt(),
        })
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.0} % of single random moves leave the reward as it was; one changes it by {:.3} (root mean square), texts differ by {:.3} (standard deviation)",
            100.0 * self.still,
            self.change,
            self.between
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_by_hand() {
        // Three texts, three steps: six changes, of which four are none and two are 1 and -1.
        let steps = [vec![0.0, 1.0, 5.0], vec![1.0, 1.0, 5.0], vec![1.0, 0.0, 5.0]];
        let found = Moves::of(&steps).unwrap();
        assert!((found.still - 4.0 / 6.0).abs() < 1e-12 && (found.change - (2.0_f64 / 6.0).sqrt()).abs() < 1e-12);
        // The last step has mean 2 and squares 1, 4 and 9.
        assert!((found.between - 7.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(Moves::of(&steps[..1]), None, "nothing changed yet");
        assert_eq!(Moves::of(&[vec![1.0], vec![2.0]]), None, "texts cannot differ");
    }
}
