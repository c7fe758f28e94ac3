//! From gradients to new parameters.

mod adam;
mod any;
mod noise;
mod private;
mod rms_prop;
mod sgd;

pub use adam::{Adam, AdamSettings};
pub use any::{Optimiser, OptimiserSettings};
pub use noise::grid;
pub use private::{PrivateSettings, PrivateStep};
pub use rms_prop::{Factors, RmsProp, RmsPropRows, RmsPropSettings};
pub use sgd::Sgd;

use crate::real::Real;
use crate::vectorise::scale;

/// Scales gradients down so that their norm over all parameters is at most `largest`; returns the norm before.
pub fn clip_by_global_norm<T: Real>(gradients: &mut [T], largest: f64) -> f64 {
    // In parts, so that a sum of millions keeps its digits.
    let norm = gradients.chunks(4096).map(|part| crate::vectorise::dot(part, part).wide()).sum::<f64>().sqrt();
    if norm > largest {
        scale(gradients, T::of(largest / norm));
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_gradient_is_shortened_and_a_short_one_is_not() {
        let mut gradients = [3.0_f64, 4.0];
        assert_eq!(clip_by_global_norm(&mut gradients, 10.0), 5.0);
        assert_eq!(gradients, [3.0, 4.0]);
        assert_eq!(clip_by_global_norm(&mut gradients, 1.0), 5.0);
        assert!((gradients[0] - 0.6).abs() < 1e-12 && (gradients[1] - 0.8).abs() < 1e-12);
    }
}
