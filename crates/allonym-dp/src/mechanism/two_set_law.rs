//! The exact law of the two-set mechanism, for tokens that come in classes of equal probability.
//!
//! A class of n tokens is treated as one: how many of the k candidate draws fall into each class is multinomial, and how
//! many different tokens they hit is an occupancy number. So twenty thousand tokens of which all but five are alike
//! cost no more than six.

/// The probability to draw one given token of each class. `choose` gives the chance of the candidate set by its mass.
pub(crate) fn law(classes: &[(f64, u32)], candidates: usize, choose: impl Fn(f64) -> f64) -> Vec<f64> {
    let tokens: f64 = classes.iter().map(|(_, count)| f64::from(*count)).sum();
    let mut walk =
        Walk { classes, tokens, choose: &choose, hits: vec![0; classes.len()], found: vec![0.0; classes.len()] };
    walk.class(0, candidates, 1.0);
    walk.found
}

struct Walk<'a, F> {
    classes: &'a [(f64, u32)],
    tokens: f64,
    choose: &'a F,
    /// How many different tokens of each class are candidates, so far.
    hits: Vec<u32>,
    found: Vec<f64>,
}

impl<F: Fn(f64) -> f64> Walk<'_, F> {
    /// Spreads the draws that are left over the classes from `index` on. `chance` includes the binomial factors.
    fn class(&mut self, index: usize, left: usize, chance: f64) {
        if index == self.classes.len() {
            if left == 0 {
                self.add(chance);
            }
            return;
        }
        let (each, count) = self.classes[index];
        let mass = each * f64::from(count);
        let mut ways = 1.0; // binomial(left, draws) mass^draws
        for draws in 0..=left {
            if draws > 0 {
                ways *= (left - draws + 1) as f64 / draws as f64 * mass;
            }
            if ways == 0.0 {
                break;
            }
            let most = (draws as u32).min(count);
            for (different, occupied) in occupancy(draws, count).into_iter().enumerate().take(most as usize + 1) {
                if occupied > 0.0 {
                    self.hits[index] = different as u32;
                    self.class(index + 1, left - draws, chance * ways * occupied);
                }
            }
        }
        self.hits[index] = 0;
    }

    /// Adds a pattern of candidates, of the given chance, to every class.
    fn add(&mut self, chance: f64) {
        let size: f64 = self.hits.iter().map(|hits| f64::from(*hits)).sum();
        let mass: f64 = self.hits.iter().zip(self.classes).map(|(hits, (each, _))| f64::from(*hits) * each).sum();
        let choose = (self.choose)(mass);
        for (found, (hits, (_, count))) in self.found.iter_mut().zip(self.hits.iter().zip(self.classes)) {
            let inside = f64::from(*hits) / f64::from(*count);
            *found += chance
                * if size == self.tokens {
                    1.0 / self.tokens
                } else {
                    inside * choose / size + (1.0 - inside) * (1.0 - choose) / (self.tokens - size)
                };
        }
    }
}

/// The chance that `draws` uniform draws from `count` tokens hit 0, 1, 2, .. different ones.
fn occupancy(draws: usize, count: u32) -> Vec<f64> {
    let count = f64::from(count);
    let mut chances = vec![0.0; draws + 1];
    chances[0] = 1.0;
    for _ in 0..draws {
        for different in (0..=draws).rev() {
            let again = chances[different] * different as f64 / count;
            let new =
                if different == 0 { 0.0 } else { chances[different - 1] * (count - (different - 1) as f64) / count };
            chances[different] = again + new.max(0.0);
        }
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_of_two_draws() {
        assert_eq!(occupancy(2, 4), [0.0, 0.25, 0.75]);
        assert_eq!(occupancy(3, 1), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_class_is_worth_its_tokens_one_by_one() {
        let choose = |mass: f64| 0.3 + 0.4 * mass;
        let apart = law(&[(0.4, 1), (0.2, 1), (0.2, 1), (0.2, 1)], 3, choose);
        let together = law(&[(0.4, 1), (0.2, 3)], 3, choose);
        assert!((apart[0] - together[0]).abs() < 1e-15 && (apart[2] - together[1]).abs() < 1e-15);
        assert!((apart.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }
}
