//! Statistics of a released vector that tell two inputs apart, for any mechanism that adds noise.

/// How many statistics there are.
pub(super) const COUNT: usize = 5;

/// What the statistics need to know: where the releases of both inputs would be without noise.
pub(super) struct Statistics<'a> {
    centers: &'a [Vec<f64>; 2],
}

impl<'a> Statistics<'a> {
    pub(super) fn new(centers: &'a [Vec<f64>; 2]) -> Self {
        Self { centers }
    }

    /// The position along the line through both centers, the log-likelihood ratios of noise of density e^-|z| in the
    /// L1 and in the L2 norm, and the distances from both centers.
    pub(super) fn of(&self, release: &[f64]) -> [f64; COUNT] {
        let (mut along, mut ratio) = (0.0, 0.0);
        let mut squares = [0.0; 2];
        for ((value, first), second) in release.iter().zip(&self.centers[0]).zip(&self.centers[1]) {
            let from = [value - first, value - second];
            along += value * (second - first);
            ratio += from[1].abs() - from[0].abs();
            squares.iter_mut().zip(from).for_each(|(square, from)| *square += from * from);
        }
        let [first, second] = squares.map(f64::sqrt);
        // NaN has no position; a release that contains it is an event of its own.
        [along, ratio, second - first, first, second].map(|value| if value.is_nan() { f64::INFINITY } else { value })
    }
}
