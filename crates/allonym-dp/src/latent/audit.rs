//! What noise on a latent vector is audited on: opposite vectors beyond the clipping bound.

use super::{Latent, Noise, STEPS};
use crate::audit::{Adjacency, Auditable, Case, Stated};
use allonym_text::Private;

/// A number beyond every clipping bound in use.
const FAR: f32 = 1e9;
/// A delta at which frequent events decide about Gaussian noise.
const LARGE_DELTA: f64 = 0.01;

impl Auditable for Latent {
    fn cases(&self) -> Vec<Case<'_>> {
        let n = self.dimension;
        let axis = |value: f32| -> Vec<f32> { (0..n).map(|i| if i == 0 { value } else { 0.0 }).collect() };
        // Alternating signs: noise that is shared by coordinates would cancel.
        let diagonal = |value: f32| -> Vec<f32> { (0..n).map(|i| if i % 2 == 0 { value } else { -value }).collect() };
        let opposite = self.case([axis(FAR), axis(-FAR)]);
        let invalid = self.case([vec![f32::NAN; n], axis(FAR)]).without_sampler();
        let all_differ = (n > 1).then(|| self.case([diagonal(FAR), diagonal(-FAR)]).without_sampler());
        [opposite, invalid]
            .into_iter()
            .chain(all_differ)
            .chain(self.at_a_large_delta([axis(FAR), axis(-FAR)]))
            .collect()
    }
}

impl Latent {
    /// The name of the method that adds this noise.
    fn name(&self) -> &'static str {
        match self.noise {
            Noise::LaplaceL1 => "latent-laplace-l1",
            Noise::LaplaceL2 => "latent-laplace-l2",
            Noise::LaplaceRadial => "latent-laplace",
            Noise::Gaussian { .. } => "latent-gaussian",
        }
    }

    /// The same Gaussian noise under the claim that its concentrated bound makes at a large delta, which few draws can refute.
    fn at_a_large_delta(&self, vectors: [Vec<f32>; 2]) -> Option<Case<'_>> {
        let Noise::Gaussian { delta } = self.noise else { return None };
        let claimed = Self { noise: Noise::Gaussian { delta: LARGE_DELTA }, ..self.clone() }.loss().ok()?;
        (delta < LARGE_DELTA).then(|| Case { claim: claimed, ..self.case(vectors).without_sampler() })
    }

    /// The case of two texts with these vectors.
    pub(super) fn case(&self, vectors: [Vec<f32>; 2]) -> Case<'_> {
        let step = self.clip / STEPS;
        let centers = vectors
            .each_ref()
            .map(|vector| self.on_grid(vector).iter().map(|x| *x as f64 * step).collect::<Vec<f64>>());
        let center = centers[0][0];
        let stated = match self.noise {
            Noise::LaplaceL1 | Noise::LaplaceL2 => Some(Stated::laplace(center, step, self.spread)),
            Noise::Gaussian { .. } => Stated::gaussian(center, step, self.spread),
            Noise::LaplaceRadial => Stated::radial(centers[0].clone(), step, self.spread),
        };
        Case {
            mechanism: self.name(),
            layer: "black box",
            adjacency: Adjacency::AnyTwo,
            // A mechanism cannot be made with a delta for which there is no loss. If it could, it would claim nothing, and fail.
            claim: self.loss().unwrap_or((0.0, 0.0)),
            centers,
            run: Box::new(move |side, rng| {
                let vector = &vectors[side as usize];
                self.draw(Private::new(vector), rng).into_value().into_iter().map(f64::from).collect()
            }),
            stated,
        }
    }
}
