//! Stochastic gradient descent with momentum.

use crate::real::Real;
use crate::vectorise::vectorised;

/// Gradient descent.
#[derive(Clone, Debug)]
pub struct Sgd<T> {
    momentum: T,
    velocity: Vec<T>,
}

impl<T: Real> Sgd<T> {
    /// Descent for so many parameters; a momentum of 0 has no memory.
    pub fn new(parameters: usize, momentum: f64) -> Self {
        Self { momentum: T::of(momentum), velocity: vec![T::ZERO; parameters] }
    }

    /// Moves the parameters against the gradients.
    ///
    /// # Panics
    /// When the numbers of parameters differ.
    pub fn step(&mut self, parameters: &mut [T], gradients: &[T], rate: f64) {
        assert!(parameters.len() == self.velocity.len() && gradients.len() == self.velocity.len());
        descend(parameters, &mut self.velocity, gradients, self.momentum, T::of(rate));
    }

    /// What it remembers, for a checkpoint.
    pub fn state(&self) -> &[T] {
        &self.velocity
    }

    /// What it remembers, to be restored.
    pub fn state_mut(&mut self) -> &mut [T] {
        &mut self.velocity
    }
}

vectorised! {
    fn descend<T>(parameters: &mut [T], velocity: &mut [T], gradients: &[T], momentum: T, rate: T) {
        for ((parameter, velocity), gradient) in parameters.iter_mut().zip(velocity).zip(gradients) {
            *velocity = momentum * *velocity + *gradient;
            *parameter -= rate * *velocity;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_with_momentum_by_hand() {
        let mut sgd = Sgd::new(1, 0.5);
        let mut parameters = [1.0_f64];
        sgd.step(&mut parameters, &[2.0], 0.1);
        assert!((parameters[0] - 0.8).abs() < 1e-12);
        // Velocity 0.5 * 2 + 1 = 2.
        sgd.step(&mut parameters, &[1.0], 0.1);
        assert!((parameters[0] - 0.6).abs() < 1e-12);
    }
}
