//! One step: from examples to the gradients that the optimiser sees.

use super::model::Model;
use super::settings::TrainingSettings;
use crate::buffer::Buffer;
use crate::error::NnError;
use crate::gradient::{Clipped, Gradients};
use crate::optimiser::{PrivateStep, clip_by_global_norm};
use crate::sampling::parts;
use crate::vectorise::{add_scaled, scale};
use allonym_dp::PrivacyRng;
use allonym_text::CancelToken;

/// What a step found.
pub(super) struct Step {
    /// For the optimiser.
    pub(super) gradients: Buffer<f32>,
    /// The mean loss of the examples that have one. Private in a private step.
    pub(super) loss: Option<f64>,
    /// Tokens of the examples. Private in a private step.
    pub(super) tokens: usize,
    /// The norm of what the optimiser sees.
    pub(super) norm: f64,
}

/// Computes a step. With `private`, each example is clipped and the sum is noised, once for all parts of the batch.
///
/// A step that is cancelled between two parts of its batch leaves nothing: no noise was drawn, and the same step can be computed again.
pub(super) fn compute<M: Model>(
    model: &M,
    settings: &TrainingSettings,
    examples: &[M::Example],
    batch: &[usize],
    private: Option<&mut PrivateStep>,
    (rng, cancel): (&mut PrivacyRng, &CancelToken),
) -> Result<Step, NnError> {
    let threads = settings.threads;
    let length = |example: usize| M::length(&examples[example]);
    let parts = parts(batch, length, settings.tokens_at_once);
    let tokens = batch.iter().map(|example| length(*example)).sum();
    let mut losses = Vec::with_capacity(batch.len());
    let of = |part: &[usize]| part.iter().map(|example| &examples[*example]).collect::<Vec<_>>();
    let mut gradients = match private {
        None => {
            let mut gradients = Gradients::plain(model.store(), threads);
            for part in parts {
                cancel.check()?;
                losses.extend(model.losses(&of(part), &mut gradients, rng)?);
            }
            let mut sum = gradients.into_values();
            scale(&mut sum, (1.0 / batch.len() as f64) as f32);
            sum
        }
        Some(private) => {
            let mut sum: Option<Buffer<f32>> = None;
            for part in parts {
                cancel.check()?;
                let mut gradients = Gradients::private(model.store(), part.len(), threads);
                let of_part = model.losses(&of(part), &mut gradients, rng)?;
                let clipped = gradients.clipped(model.store(), private.settings().clip);
                // An example whose gradient is no number counts nothing: whoever wrote it must not be able to spoil, or to stop, the step.
                let counted = of_part.iter().zip(&clipped.norms).filter(|(_, norm)| norm.is_finite());
                losses.extend(counted.map(|(loss, _)| *loss));
                match &mut sum {
                    None => sum = Some(clipped.sum),
                    Some(sum) => add_scaled(sum, 1.0, &clipped.sum),
                }
            }
            // A batch without examples has no parts, and gets noise as every other.
            match sum {
                None => private.of_none(model.store().values().len(), threads),
                Some(sum) => private.noised(Clipped { sum, norms: Vec::new() }, threads),
            }
        }
    };
    let norm = clip_by_global_norm(&mut gradients, settings.clip.unwrap_or(f64::INFINITY));
    let loss = (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64);
    Ok(Step { gradients, loss, tokens, norm })
}

/// The mean loss of examples, as validation counts it.
pub(super) fn evaluate<M: Model>(
    model: &M,
    settings: &TrainingSettings,
    examples: &[M::Example],
    cancel: &CancelToken,
) -> Result<f64, NnError> {
    let all: Vec<usize> = (0..examples.len()).collect();
    let mut sum = 0.0;
    for part in parts(&all, |example| M::length(&examples[example]), settings.tokens_at_once) {
        cancel.check()?;
        let batch: Vec<_> = part.iter().map(|example| &examples[*example]).collect();
        sum += model.evaluate(&batch, settings.threads)?.iter().sum::<f64>();
    }
    Ok(sum / examples.len() as f64)
}
