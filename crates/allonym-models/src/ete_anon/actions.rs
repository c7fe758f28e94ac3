//! What the paper's agent may do: take one number of the first layer's context and draw it anew from one of three ranges.

use allonym_dp::PrivacyRng;
use allonym_nn::unit;
use serde::{Deserialize, Serialize};

/// Within a range of less than this, one number is as good as another.
const NARROW: f64 = 0.2;

/// The three ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranges {
    /// (-1, 0.9), (-0.01, 0.01), (0.9, 1), as the paper prints them.
    Printed,
    /// (-1, -0.9), (-0.01, 0.01), (0.9, 1), as it probably means them.
    #[default]
    Meant,
}

impl Ranges {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Printed, Self::Meant];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Meant => "meant",
        }
    }

    fn bounds(self) -> [(f64, f64); 3] {
        let first = match self {
            Self::Printed => (-1.0, 0.9),
            Self::Meant => (-1.0, -0.9),
        };
        [first, (-0.01, 0.01), (0.9, 1.0)]
    }

    /// How many actions there are on so many numbers.
    pub fn actions(self, cells: usize) -> usize {
        cells * self.bounds().len()
    }

    /// Whether an action would change next to nothing: the number stands where it is drawn from already, and the range is narrow.
    pub(super) fn is_idle(self, context: &[f32], action: usize) -> bool {
        let bounds = self.bounds();
        let (low, high) = bounds[action % bounds.len()];
        let number = f64::from(context[action / bounds.len()]);
        high - low < NARROW && (low..=high).contains(&number)
    }

    /// Takes an action.
    ///
    /// # Panics
    /// When there is no such action.
    pub fn apply(self, context: &mut [f32], action: u32, rng: &mut PrivacyRng) {
        let bounds = self.bounds();
        let (place, range) = (action as usize / bounds.len(), action as usize % bounds.len());
        let (low, high) = bounds[range];
        context[place] = (low + (high - low) * unit(rng.bits())) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_idle_where_its_number_stands_in_a_narrow_range_already() {
        let context = [-0.95, 0.005, 0.5];
        let idle = |ranges: Ranges| (0..9).filter(|action| ranges.is_idle(&context, *action)).collect::<Vec<_>>();
        assert_eq!(idle(Ranges::Meant), [0, 4]);
        assert_eq!(idle(Ranges::Printed), [4], "from a wide range another number may come");
    }

    #[test]
    fn an_action_draws_one_number_from_its_range() {
        let rng = &mut PrivacyRng::reproducible(1);
        assert_eq!(Ranges::Meant.actions(300), 900);
        for (ranges, action, place, low, high) in [
            (Ranges::Meant, 3, 1, -1.0, -0.9),
            (Ranges::Printed, 3, 1, -1.0, 0.9),
            (Ranges::Meant, 7, 2, -0.01, 0.01),
            (Ranges::Printed, 11, 3, 0.9, 1.0),
        ] {
            let (mut least, mut most) = (f32::MAX, f32::MIN);
            for _ in 0..2000 {
                let mut context = [5.0; 4];
                ranges.apply(&mut context, action, rng);
                assert_eq!(context.iter().filter(|value| **value == 5.0).count(), 3);
                (least, most) = (least.min(context[place]), most.max(context[place]));
            }
            let width = high - low;
            assert!(least >= low && least < low + 0.01 * width && most <= high && most > high - 0.01 * width);
        }
    }
}
