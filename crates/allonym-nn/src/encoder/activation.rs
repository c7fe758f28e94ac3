//! What stands between the two maps of a feed-forward layer: GELU or a rectifier, with the bias of the first map.

use crate::vectorise::vectorised;

vectorised! {
    /// GELU (Hendrycks and Gimpel, 2016) of every number plus its bias: x times the normal distribution function at x.
    ///
    /// The exact form, with the error function from Abramowitz and Stegun, 7.1.26 (off by at most 1.5e-7). For either sign
    /// `gelu(x) = max(x, 0) - |x| Q(|x|)` with the upper tail Q, so that nothing cancels far from zero.
    pub(crate) fn gelu<T>(values: &mut [T], bias: &[T]) {
        for (value, bias) in values.iter_mut().zip(bias) {
            let x = *value + *bias;
            let size = x.max(-x);
            // 0.3275911 / sqrt(2), since the error function is taken at x / sqrt(2).
            let t = T::ONE / (T::ONE + T::of(0.231_641_888) * size);
            // Half of the published coefficients, since Q is half of the complement.
            let inner = T::of(-0.726_576_013_5) + t * T::of(0.530_702_714_5);
            let tail = t * (T::of(0.127_414_796) + t * (T::of(-0.142_248_368) + t * (T::of(0.710_706_870_5) + t * inner)));
            *value = x.max(T::ZERO) - size * tail * (T::of(-0.5) * x * x).exp();
        }
    }
}

vectorised! {
    /// Every number plus its bias, or zero where that is negative.
    pub(crate) fn relu<T>(values: &mut [T], bias: &[T]) {
        for (value, bias) in values.iter_mut().zip(bias) {
            *value = (*value + *bias).max(T::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phi(x) by Simpson's rule from 0, right to 1e-12.
    fn normal_distribution(x: f64) -> f64 {
        let steps = 2000;
        let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let width = x / f64::from(steps);
        let sum: f64 = (1..steps).map(|i| density(f64::from(i) * width) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
        0.5 + (density(0.0) + sum + density(x)) * width / 3.0
    }

    #[test]
    fn gelu_is_right_to_a_millionth() {
        for i in -1000..=1000 {
            let x = f64::from(i) / 125.0;
            let mut value = [x as f32];
            gelu(&mut value, &[0.0]);
            let exact = x * normal_distribution(x);
            let error = (f64::from(value[0]) - exact).abs();
            assert!(error < 5e-7_f64.max(1e-7 * x.abs()), "off by {error} at {x}");
        }
    }

    #[test]
    fn gelu_by_table() {
        // 1 * Phi(1) = 0.8413447, -1 * Phi(-1) = -0.1586553; the bias is added first.
        let mut values = [0.5, -1.5, 0.0, 100.0, -100.0];
        gelu(&mut values, &[0.5, 0.5, 0.0, 0.0, 0.0]);
        let expected = [0.841_344_7, -0.158_655_3, 0.0, 100.0, 0.0];
        assert!(values.iter().zip(expected).all(|(value, expected): (&f32, f32)| (value - expected).abs() < 3e-7));
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let mut values = [f32::NAN];
        gelu(&mut values, &[0.0]);
        assert!(values[0].is_nan());
    }

    #[test]
    fn a_rectifier_keeps_what_is_positive_with_its_bias() {
        let mut values = [1.0_f32, -1.0, -1.0];
        relu(&mut values, &[0.5, 0.5, 2.0]);
        assert_eq!(values, [1.5, 0.0, 1.0]);
    }
}
