//! One step: from examples to the gradients that the optimiser sees.

use super::model::Model;
use super::settings::TrainingSettings;
use crate::error::NnError;
use crate::gradient::{Clipped, Gradients};
use crate::optimiser::{PrivateStep, clip_by_global_norm, scale};
use crate::sampling::parts;
use crate::vectorise::add_scaled;
use allonym_dp::PrivacyRng;

/// What a step found.
pub(super) struct Step {
    /// For the optimiser.
    pub(super) gradients: Vec<f32>,
    /// The mean loss of the examples that have one. Private in a private step.
    pub(super) loss: Option<f64>,
    /// Tokens of the examples. Private in a private step.
    pub(super) tokens: usize,
    /// The norm of what the optimiser sees.
    pub(super) norm: f64,
}

/// Computes a step. With `private`, each example is clipped and the sum is noised, once for all parts of the batch.
pub(super) fn compute<M: Model>(
    model: &M,
    settings: &TrainingSettings,
    examples: &[M::Example],
    batch: &[usize],
    private: Option<&mut PrivateStep>,
    rng: &mut PrivacyRng,
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
                losses.extend(model.losses(&of(part), &mut gradients, rng)?);
            }
            let mut sum = gradients.into_values();
            scale(&mut sum, (1.0 / batch.len() as f64) as f32);
            sum
        }
        Some(private) => {
            let mut sum: Option<Vec<f32>> = None;
            for part in parts {
                let (clipped, of_part) = clipped(model, of(part), private.settings().clip, threads, rng)?;
                losses.extend(of_part);
                match &mut sum {
                    None => sum = clipped,
                    Some(sum) => clipped.iter().for_each(|clipped| add_scaled(sum, 1.0, clipped)),
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

/// The sum of clipped gradients of some examples, if there is any, and their losses.
///
/// A gradient that is no number counts nothing. It is not enough to multiply it by zero, so the others are computed again
/// without it: whoever wrote that example must not be able to spoil, or to stop, the step.
fn clipped<M: Model>(
    model: &M,
    mut batch: Vec<&M::Example>,
    clip: f64,
    threads: usize,
    rng: &mut PrivacyRng,
) -> Result<(Option<Vec<f32>>, Vec<f64>), NnError> {
    while !batch.is_empty() {
        let mut gradients = Gradients::private(model.store(), batch.len(), threads);
        let losses = model.losses(&batch, &mut gradients, rng)?;
        let Clipped { sum, norms } = gradients.clipped(model.store(), clip);
        if norms.iter().all(|norm| norm.is_finite()) {
            return Ok((Some(sum), losses));
        }
        let mut norms = norms.into_iter();
        batch.retain(|_| norms.next().is_some_and(f64::is_finite));
    }
    Ok((None, Vec::new()))
}

/// The mean loss of examples, as validation counts it.
pub(super) fn evaluate<M: Model>(
    model: &M,
    settings: &TrainingSettings,
    examples: &[M::Example],
) -> Result<f64, NnError> {
    let all: Vec<usize> = (0..examples.len()).collect();
    let mut sum = 0.0;
    for part in parts(&all, |example| M::length(&examples[example]), settings.tokens_at_once) {
        let batch: Vec<_> = part.iter().map(|example| &examples[*example]).collect();
        sum += model.evaluate(&batch, settings.threads)?.iter().sum::<f64>();
    }
    Ok(sum / examples.len() as f64)
}
