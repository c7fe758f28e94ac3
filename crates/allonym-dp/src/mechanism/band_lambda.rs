//! How the band mechanism spreads what it has to give: which tokens get more than their least, and by which lambda.
//!
//! Floats serve here: whatever they give, the band's integers bound it.

use crate::table::probability;

/// The highest product of a probability and what is beside it, by eight that do not wait for each other.
pub(super) fn best_of(scores: &[f32], per_least: &[f64]) -> f64 {
    let higher = |best: f64, product: f64| if product > best { product } else { best };
    let mut lanes = [0.0; 8];
    let ((eights, rest), (least_eights, least_rest)) = (scores.as_chunks::<8>(), per_least.as_chunks::<8>());
    for (eight, per_least) in eights.iter().zip(least_eights) {
        let eight = eight.map(probability);
        for lane in 0..8 {
            lanes[lane] = higher(lanes[lane], eight[lane] * per_least[lane]);
        }
    }
    let of_rest = rest.iter().zip(least_rest).map(|(score, per_least)| probability(*score) * per_least);
    lanes.into_iter().chain(of_rest).fold(0.0, higher)
}

/// The lift of the last token that is needed for all units to find room, from the highest lift down.
pub(super) fn last_needed(order: &mut [(f64, u32)], to_give: f64, room: impl Fn(&(f64, u32)) -> f64) -> f64 {
    let first = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let (mut sorted, mut taken, mut lowest) = (0, 0.0, f64::INFINITY);
    // A block at a time instead of sorting all.
    while sorted < order.len() && taken < to_give {
        let block = (order.len() - sorted).min(64.max(sorted));
        if block < order.len() - sorted {
            order[sorted..].select_nth_unstable_by(block - 1, first);
        }
        order[sorted..sorted + block].sort_unstable_by(first);
        for token in &order[sorted..sorted + block] {
            taken += room(token);
            lowest = token.0;
            sorted += 1;
            if taken >= to_give {
                break;
            }
        }
    }
    lowest
}

/// A token that may get more than its least.
pub(super) struct Lifted {
    pub(super) token: u32,
    pub(super) proposal: f64,
    pub(super) least: f64,
    pub(super) room: f64,
}

impl Lifted {
    pub(super) fn given(&self, lambda: f64) -> f64 {
        (lambda * self.proposal - self.least).clamp(0.0, self.room)
    }
}

/// The lambda that gives what there is to give, but for `slack` units.
///
/// What is given grows with lambda in straight pieces: the line through the present piece leads to the next guess. Every third
/// guess halves what is left instead, so that 200 are always enough; a few are usual.
pub(super) fn lambda(lifted: &[Lifted], to_give: f64, slack: f64) -> f64 {
    let full = |token: &Lifted| (token.least + token.room) / token.proposal;
    let (mut low, mut high) = (0.0, lifted.iter().map(full).fold(0.0, f64::max));
    let mut at = lifted.iter().map(full).fold(high, f64::min);
    for turn in 1..=200 {
        let (mut given, mut slope) = (0.0, 0.0);
        for token in lifted {
            let own = token.given(at);
            given += own;
            slope += if own > 0.0 && own < token.room { token.proposal } else { 0.0 };
        }
        if given <= to_give {
            low = at;
        } else {
            high = at;
        }
        if (to_give - given).abs() <= slack || high - low <= high * f64::EPSILON {
            return at;
        }
        let next = at + (to_give - given) / slope;
        // Without a slope there is no line, and comparisons with what is not a number fail.
        at = if turn % 3 > 0 && next > low && next < high { next } else { 0.5 * (low + high) };
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Base;
    use crate::rng::PrivacyRng;

    #[test]
    fn lambda_gives_what_there_is() {
        let token = |proposal, room| Lifted { token: 0, proposal, least: 1.0, room };
        // Given at lambda: 4 l - 1 up to 2, 2 l - 1 up to 5, l - 1: with l = 2.5 it is 2 + 4 + 1.5.
        let lifted = [token(4.0, 2.0), token(2.0, 5.0), token(1.0, 9.0)];
        assert!((lambda(&lifted, 7.5, 1e-12) - 2.5).abs() < 1e-12);
        // All that there is room for, and nothing at all.
        assert!(lifted.iter().map(|token| token.given(lambda(&lifted, 16.0, 1e-12))).sum::<f64>() >= 16.0 - 1e-9);
        assert!(lifted.iter().map(|token| token.given(lambda(&lifted, 0.0, 1e-12))).sum::<f64>() < 1e-9);
    }

    #[test]
    fn the_last_needed_is_where_room_suffices() {
        let mut order: Vec<(f64, u32)> = (0..300).map(|token| (f64::from((token * 77) % 300), token)).collect();
        assert_eq!(last_needed(&mut order, 199.5, |_| 1.0), 100.0); // 299, 298, .., 100 are two hundred
    }

    /// clip(lambda p, low, odds low) that sums to one, by halving.
    fn clipped(p: &[f64], low: &[f64], odds: f64) -> Vec<f64> {
        let at = |lambda: f64| p.iter().zip(low).map(move |(p, low)| (lambda * p).clamp(*low, odds * low));
        let (mut below, mut above) = (0.0, 1e9);
        for _ in 0..200 {
            let middle = 0.5 * (below + above);
            if at(middle).sum::<f64>() <= 1.0 { below = middle } else { above = middle }
        }
        at(below).collect()
    }

    #[test]
    fn the_distribution_is_the_clipped_proposal_for_any_base() {
        const N: usize = 500;
        let mut rng = PrivacyRng::reproducible(1);
        let mut random = |power: i32| -> Vec<f64> {
            let raw: Vec<f64> =
                (0..N).map(|_| ((rng.bits() >> 11) as f64 / 2.0_f64.powi(53)).powi(power) + 1e-6).collect();
            let sum: f64 = raw.iter().sum();
            raw.into_iter().map(|weight| weight / sum).collect()
        };
        for (base, proposal, epsilon, share) in [
            (0, 0, 2.0, 0.01),
            (0, 1, 2.0, 0.1),
            (1, 9, 2.0, 0.01),
            (3, 30, 6.0, 0.002),
            (2, 3, 0.3, 0.5),
            (1, 60, 9.0, 0.1),
        ] {
            let (mu, p) = (random(base), random(proposal));
            let scores: Vec<f32> = p.iter().map(|p| *p as f32).collect();
            let p: Vec<f64> = scores.iter().map(|score| f64::from(*score)).collect();
            let m = 1.0 / (share * (f64::exp(epsilon) - 1.0) + 1.0);
            let ideal = clipped(&p, &mu.iter().map(|weight| m * weight).collect::<Vec<_>>(), epsilon.exp());
            let found = Base::new(&mu, epsilon, share).unwrap().distribution(&scores);
            for (ideal, found) in ideal.iter().zip(&found) {
                assert!((ideal - found).abs() < 1e-7 * ideal, "{base} {proposal} {epsilon}: {ideal} {found}");
            }
        }
    }
}
