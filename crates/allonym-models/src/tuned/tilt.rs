//! From noisy sums of private texts to a tilt of the public language model: how much more or less likely each token is to become.
//!
//! Of all models whose texts give the noisy sums, the one that differs least from the public model is the public model with a number added to each token's logit (maximum
//! entropy). The sums are noisy, so the numbers are not made to fit them: they are the most likely ones, if a word's number is normal around 0 in general and a label's around
//! that of all labels. Where the noise drowns a word, the public model is believed.

/// How much words differ between these texts and public ones: the standard deviation of a word's number.
const OF_TEXTS: f64 = 1.0;
/// How much they differ between labels.
const OF_LABELS: f64 = 0.3;
/// What is expected of texts is known to this part of it.
const EXPECTED: f64 = 0.1;
/// Numbers beyond this are not believed.
const MOST: f64 = 4.0;

/// What is known about an outcome's sum in the texts of one label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// The noisy sum.
    pub sum: f64,
    /// The sum of as many texts that a model writes in which the outcome has the tilt `at`.
    pub expected: f64,
    /// The tilt with which they were written.
    pub at: f64,
    /// The standard deviation of the noise.
    pub noise: f64,
}

/// The tilt of one outcome for each label.
pub fn tilts(labels: &[Observed]) -> Vec<f64> {
    let mut tilts: Vec<f64> = labels.iter().map(|label| label.at).collect();
    // Gauss and Newton; steps are short, since the exponential bends.
    for _ in 0..30 {
        let steps = step(labels, &tilts);
        let longest = steps.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        tilts
            .iter_mut()
            .zip(&steps)
            .for_each(|(tilt, step)| *tilt = (*tilt + step.clamp(-0.5, 0.5)).clamp(-MOST, MOST));
        if longest < 1e-6 {
            break;
        }
    }
    tilts
}

/// Solves (D + P) step = slope - P tilt, where D is how sharply each label's sum depends on its tilt and P is the inverse of the prior's covariance,
/// `OF_LABELS^2 I + OF_TEXTS^2 1 1'`: by Sherman and Morrison, P = a I - b 1 1'.
fn step(labels: &[Observed], tilts: &[f64]) -> Vec<f64> {
    let count = labels.len() as f64;
    let a = OF_LABELS.powi(-2);
    let b = a * OF_TEXTS.powi(2) / (OF_LABELS.powi(2) + count * OF_TEXTS.powi(2));
    let sum: f64 = tilts.iter().sum();
    let (mut diagonal, mut slopes) = (Vec::new(), Vec::new());
    for (label, tilt) in labels.iter().zip(tilts) {
        let given = label.expected.max(1e-9) * (tilt - label.at).exp();
        let variance = label.noise.powi(2) + (EXPECTED * given).powi(2);
        diagonal.push(given * given / variance + a);
        slopes.push(given * (label.sum - given) / variance - a * tilt + b * sum);
    }
    // (diagonal - b 1 1')^-1 slopes, by the same formula.
    let through: f64 = slopes.iter().zip(&diagonal).map(|(slope, d)| slope / d).sum();
    let trace: f64 = diagonal.iter().map(|d| 1.0 / d).sum();
    let shared = b * through / (1.0 - b * trace);
    slopes.iter().zip(&diagonal).map(|(slope, d)| (slope + shared) / d).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(sum: f64, expected: f64, noise: f64) -> Observed {
        Observed { sum, expected, at: 0.0, noise }
    }

    #[test]
    fn what_is_known_well_is_believed() {
        // Twice and half as often as expected, far above the noise. What is expected is known to a tenth and labels differ by three: ln 2 * 9 / 10 is left.
        let found = tilts(&[observed(2000.0, 1000.0, 1.0), observed(500.0, 1000.0, 1.0)]);
        let most = 0.9 * 2.0_f64.ln();
        assert!((found[0] - most).abs() < 0.01 && (found[1] + most).abs() < 0.01, "{found:?}");
        // One label: only how texts differ from public ones matters.
        let alone = tilts(&[observed(2000.0, 1000.0, 1.0)]);
        assert!((alone[0] - 2.0_f64.ln()).abs() < 0.02, "{alone:?}");
    }

    #[test]
    fn noise_is_not_believed() {
        for sum in [-20.0, 0.0, 20.0] {
            let found = tilts(&[observed(sum, 0.5, 10.0), observed(-sum, 0.5, 10.0)]);
            assert!(found.iter().all(|tilt| tilt.abs() < 0.15), "{sum}: {found:?}");
        }
        assert!(tilts(&[observed(3.0, 0.0, 5.0)])[0].abs() < 1e-6);
    }

    #[test]
    fn labels_share_what_they_have_in_common() {
        // Each is as uncertain as the prior of labels allows, both say the same: they go further than one that stands alone against a silent other.
        let both = tilts(&[observed(60.0, 20.0, 15.0), observed(60.0, 20.0, 15.0)]);
        let one = tilts(&[observed(60.0, 20.0, 15.0), observed(20.0, 20.0, 15.0)]);
        assert!(both[0] > one[0] + 0.1 && both[0] > 0.5, "{both:?} {one:?}");
        assert!((both[0] - both[1]).abs() < 1e-9 && one[0] > one[1], "{both:?} {one:?}");
    }

    #[test]
    fn it_goes_on_from_where_it_was() {
        let first = tilts(&[observed(300.0, 100.0, 5.0)])[0];
        // Written with that tilt, texts give what was asked for but for the prior's pull: hardly anything changes.
        let expected = 100.0 * first.exp();
        let again = tilts(&[Observed { sum: 300.0, expected, at: first, noise: 5.0 }])[0];
        assert!((again - first).abs() < 0.05, "{first} {again}");
    }
}
