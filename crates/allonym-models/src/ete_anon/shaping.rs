//! What the paper's agent is told of a move: what it changed in the reward that is expected.
//!
//! The reward says how good a text is now. Texts differ by far more than a move changes them, so most of what a reward says is which text it was. Potentials (Ng, Harada and Russell
//! 1999; those that depend on time: Devlin and Kudenko 2012) take that out and leave the best policy as it is: to a reward `r'` after a move the agent is told
//! `r' + d P(s') - P(s)` with discount `d`. Here `P(s) = w_n r(s)`, where `w_n = 1 + d + .. + d^(n-1)` and `n` steps are left: what the text is worth from here on if nothing is changed any more.
//! Since `1 + d w_(n-1) = w_n`, the agent is told `w_n (r' - r)`, and the discounted sum over an episode is that of the rewards less `w_T` times the reward of the text as it was,
//! which no policy can change. (The best policy may depend on how many steps are left, which the network does not see, with potentials or without.)
//!
//! That alone is not enough: where the likeliest words alone are judged, a move changes nothing or makes the reward leap, and the next move takes most of that back. So `r` is the reward that is
//! expected (see `expected.rs`). It is not the printed one to the letter; curves and tables are of the printed one.

/// The discounted number of steps that are left, the next one among them.
pub(super) fn weight(discount: f64, left: usize) -> f64 {
    let (mut sum, mut next) = (0.0, 1.0);
    for _ in 0..left {
        sum += next;
        next *= discount;
    }
    sum
}

/// What the agent is told of a move with which a text went from one reward to another, when so many steps were left.
pub(super) fn told(discount: f64, left: usize, before: f64, after: f64) -> f64 {
    weight(discount, left) * (after - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_by_hand() {
        assert_eq!([0, 1, 2, 3].map(|left| weight(0.5, left)), [0.0, 1.0, 1.5, 1.75]);
        assert_eq!((weight(1.0, 25), weight(0.0, 25)), (25.0, 1.0));
    }

    #[test]
    fn over_an_episode_only_a_number_that_no_move_changes_is_taken_away() {
        let rewards = [0.3, -0.1, 0.4, 0.4, -0.7];
        let steps = rewards.len() - 1;
        for discount in [0.0, 0.5, 0.9, 1.0] {
            let discounted = |of: &dyn Fn(usize) -> f64| -> f64 {
                (0..steps).map(|step| f64::powi(discount, step as i32) * of(step)).sum()
            };
            let plain = discounted(&|step| rewards[step + 1]);
            let shaped = discounted(&|step| told(discount, steps - step, rewards[step], rewards[step + 1]));
            assert!((plain - weight(discount, steps) * rewards[0] - shaped).abs() < 1e-12, "{discount}");
        }
    }
}
