//! From noisy sums of private texts to a tilt of the public language model: how much more or less likely each token is to become.
//!
//! Of all models whose texts give the noisy sums, the one that differs least from the public model is the public model with a number added to each token's logit (maximum
//! entropy). The sums are noisy, so the numbers are not made to fit them: they are the most likely ones, if a word's number is normal around 0 in general and a label's around
//! that of all labels. Where the noise drowns a word, the public model is believed.
//!
//! A word that the public model hardly ever writes has next to no slope where its number is 0, however clearly the sums speak of it. So the fit is also begun from where the sums would be met, and
//! what it finds there is taken if it is far more likely.

/// How much words differ between these texts and public ones: the standard deviation of a word's number.
const OF_TEXTS: f64 = 1.0;
/// How much they differ between labels.
const OF_LABELS: f64 = 0.3;
/// What is expected of texts is known to this part of it.
const EXPECTED: f64 = 0.1;
/// Numbers beyond this are not believed.
const MOST: f64 = 4.0;
/// The same where the sums alone speak for it.
const MOST_CLEARLY: f64 = 12.0;
/// How much more likely that must be, as a logarithm: chance would take one word in ten thousand for one of them.
const CLEARLY: f64 = 9.2;

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

/// No less than this is expected of anything.
const LEAST: f64 = 1e-9;

impl Observed {
    /// What texts with another tilt give, and the variance of what is then observed.
    fn given(&self, tilt: f64) -> (f64, f64) {
        let given = self.expected.max(LEAST) * (tilt - self.at).exp();
        (given, self.noise.powi(2) + (EXPECTED * given).powi(2))
    }
}

/// The tilt of one outcome for each label.
pub fn tilts(labels: &[Observed]) -> Vec<f64> {
    let careful = from(labels, labels.iter().map(|label| label.at).collect(), MOST);
    let met = |label: &Observed| label.at + (label.sum.max(label.noise) / label.expected.max(LEAST)).ln();
    let bold = from(labels, labels.iter().map(met).collect(), MOST_CLEARLY);
    if likelihood(labels, &bold) > likelihood(labels, &careful) + CLEARLY { bold } else { careful }
}

/// The logarithm of how likely tilts are, but for a constant: by the sums, and by how much texts and labels differ.
fn likelihood(labels: &[Observed], tilts: &[f64]) -> f64 {
    let (a, b) = precision(labels.len());
    let of_sums = labels.iter().zip(tilts).map(|(label, tilt)| {
        let (given, variance) = label.given(*tilt);
        -(label.sum - given).powi(2) / (2.0 * variance) - variance.ln() / 2.0
    });
    let squares: f64 = tilts.iter().map(|tilt| tilt * tilt).sum();
    of_sums.sum::<f64>() - (a * squares - b * tilts.iter().sum::<f64>().powi(2)) / 2.0
}

/// The likeliest tilts near some others.
fn from(labels: &[Observed], mut tilts: Vec<f64>, most: f64) -> Vec<f64> {
    tilts.iter_mut().for_each(|tilt| *tilt = tilt.clamp(-most, most));
    // Gauss and Newton; steps are short, since the exponential bends.
    for _ in 0..30 {
        let steps = step(labels, &tilts);
        let longest = steps.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        tilts
            .iter_mut()
            .zip(&steps)
            .for_each(|(tilt, step)| *tilt = (*tilt + step.clamp(-0.5, 0.5)).clamp(-most, most));
        if longest < 1e-6 {
            break;
        }
    }
    tilts
}

/// The a and b of the inverse of the prior's covariance.
fn precision(labels: usize) -> (f64, f64) {
    let a = OF_LABELS.powi(-2);
    (a, a * OF_TEXTS.powi(2) / (OF_LABELS.powi(2) + labels as f64 * OF_TEXTS.powi(2)))
}

/// Solves (D + P) step = slope - P tilt, where D is how sharply each label's sum depends on its tilt and P is the inverse of the prior's covariance,
/// `OF_LABELS^2 I + OF_TEXTS^2 1 1'`: by Sherman and Morrison, P = a I - b 1 1'.
fn step(labels: &[Observed], tilts: &[f64]) -> Vec<f64> {
    let (a, b) = precision(labels.len());
    let sum: f64 = tilts.iter().sum();
    let (mut diagonal, mut slopes) = (Vec::new(), Vec::new());
    for (label, tilt) in labels.iter().zip(tilts) {
        let (given, variance) = label.given(*tilt);
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
    fn a_word_that_the_public_model_hardly_knows_is_believed_when_the_sums_are_clear() {
        // ln(35 / 0.002) = 9.77, less what the prior takes: far beyond where the slope at 0 would lead (0.07).
        let clear = tilts(&[observed(35.0, 0.002, 1.0)])[0];
        assert!((9.0..9.77).contains(&clear), "{clear}");
        let both = tilts(&[observed(35.0, 0.002, 1.0), observed(33.0, 0.002, 1.0)]);
        assert!(both.iter().all(|tilt| (9.0..9.77).contains(tilt)), "{both:?}");
        // Three deviations happen by chance to a dozen of ten thousand words.
        assert!(tilts(&[observed(3.0, 0.002, 1.0)])[0] < 0.1);
        assert!(tilts(&[observed(5.0, 0.002, 1.0)])[0] < 0.1, "a tilt of 8 is a deviation of 8");
        assert!(tilts(&[observed(35.0, 0.0, 1.0)])[0] < 0.1, "what the model cannot write it does not");
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
