//! BLEU (Papineni et al. 2002) of a whole release, with the originals as references.
//!
//! Our own tokens in lower case, one reference a text, runs of one to four tokens, no smoothing: a release that shares no run of four tokens with
//! its originals has 0.

use crate::utility::tokens;
use rayon::prelude::*;
use std::collections::HashMap;

const LONGEST: usize = 4;

/// What is added up over texts.
#[derive(Clone, Copy, Default)]
struct Tally {
    matches: [u64; LONGEST],
    runs: [u64; LONGEST],
    original: u64,
    released: u64,
}

/// Between 0 and 1; nothing when no text was released.
pub fn bleu(original: &[&str], released: &[&str]) -> Option<f64> {
    let add = |mut a: Tally, b: Tally| {
        (0..LONGEST).for_each(|length| {
            a.matches[length] += b.matches[length];
            a.runs[length] += b.runs[length];
        });
        a.original += b.original;
        a.released += b.released;
        a
    };
    let total = original
        .par_iter()
        .zip(released)
        .map(|(original, released)| tally(&tokens(original), &tokens(released)))
        .reduce(Tally::default, add);
    if total.released == 0 {
        return None;
    }
    // Texts of fewer than four tokens have no runs of four; the lengths that no text has do not count.
    let lengths: Vec<usize> = (0..LONGEST).filter(|length| total.runs[*length] > 0).collect();
    let logs = lengths.iter().map(|length| (total.matches[*length] as f64 / total.runs[*length] as f64).ln());
    let mean = logs.sum::<f64>() / lengths.len() as f64;
    let brevity = (1.0 - total.original as f64 / total.released as f64).min(0.0);
    Some((mean + brevity).exp())
}

fn tally(original: &[String], released: &[String]) -> Tally {
    let mut tally = Tally { original: original.len() as u64, released: released.len() as u64, ..Tally::default() };
    for length in 1..=LONGEST {
        let mut left: HashMap<&[String], u64> = HashMap::new();
        original.windows(length).for_each(|run| *left.entry(run).or_default() += 1);
        for run in released.windows(length) {
            tally.runs[length - 1] += 1;
            if let Some(count) = left.get_mut(run).filter(|count| **count > 0) {
                *count -= 1;
                tally.matches[length - 1] += 1;
            }
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(bleu(&["a b c d e"], &["a b c d e"]), Some(1.0));
        // Runs of one: 5 of 6 (`the` only twice); two: 3 of 5; three: 2 of 4; four: 1 of 3. The same length.
        let found = bleu(&["the cat is on the mat"], &["The cat is on a mat"]).unwrap();
        let expected = (5.0_f64 / 6.0 * 3.0 / 5.0 * 2.0 / 4.0 * 1.0 / 3.0).powf(0.25);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        // Half as long: e^(1 - 2).
        let short = bleu(&["a b c d e f g h"], &["a b c d"]).unwrap();
        assert!((short - (-1.0_f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn nothing_in_common_is_zero_and_nothing_at_all_is_none() {
        assert_eq!(bleu(&["a b c d"], &["e f g h"]), Some(0.0));
        assert_eq!(bleu(&["a"], &[""]), None);
    }
}
