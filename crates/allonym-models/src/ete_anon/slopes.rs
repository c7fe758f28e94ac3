//! In which direction a context must move for its text to be worth more.
//!
//! A text is a row of likeliest words, and has no slope. But the decoder also says how likely every other word was at each step, and the judges what every word is worth in this text.
//! So what is followed is the slope of the expected worth: at each step, the worth of all words by their chances, with the words before it as they were written.

use super::auto_encoder::{AutoEncoder, Text};
use super::decode::{Logits, rows_of_a_part};
use allonym_nn::{Gradients, Into, Matrix, NnError, Sequences, multiply};
use allonym_text::vocabulary::{END, START};
use rayon::prelude::*;
use std::sync::Arc;

/// What words are worth in a text.
pub(super) struct Worth {
    /// Of every id, wherever it stands.
    pub(super) anywhere: Vec<f32>,
    /// What some are worth beside that, step by step; nothing at the steps that are missing.
    pub(super) at: Vec<Vec<(u32, f32)>>,
}

impl AutoEncoder {
    /// What is written from each context, and the slope of its expected worth. `worth` says of a text, by its place, what words are worth in it.
    pub(super) fn slopes(
        &self,
        contexts: &[Vec<f32>],
        worth: &(dyn Fn(usize, &Text) -> Worth + Sync),
    ) -> Result<Vec<(Text, Vec<f32>)>, NnError> {
        let rows = rows_of_a_part(contexts.len());
        let groups = contexts.par_chunks(rows).enumerate().map(|(group, contexts)| {
            let (texts, logits) = self.decode_and_keep(contexts)?;
            let places = group * rows..group * rows + texts.len();
            let worth: Vec<Worth> = places.zip(&texts).map(|(place, text)| worth(place, text)).collect();
            let slopes = self.slopes_of_group(contexts, &texts, &worth, &logits)?;
            Ok(texts.into_iter().zip(slopes).collect::<Vec<_>>())
        });
        Ok(groups.collect::<Result<Vec<_>, NnError>>()?.into_iter().flatten().collect())
    }

    /// `logits` has a row for each step of each text, the step at which it ended among them.
    fn slopes_of_group(
        &self,
        contexts: &[Vec<f32>],
        texts: &[Text],
        worth: &[Worth],
        logits: &[Logits],
    ) -> Result<Vec<Vec<f32>>, NnError> {
        let network = &self.network;
        let fed = |text: &Text| -> Vec<u32> {
            std::iter::once(START).chain(text.iter().copied()).take(self.settings.max_tokens).collect()
        };
        let fed: Vec<Vec<u32>> = texts.iter().map(fed).collect();
        let lengths: Vec<usize> = fed.iter().map(Vec::len).collect();
        let sequences = Arc::new(Sequences::new(&lengths, 1)?);
        let mut inputs = Matrix::zeros(sequences.rows(), network.written.dimension());
        network.written.forward(&self.store, &sequences.lay_out(&fed), &mut inputs, 0)?;
        let initial = self.layers_of(contexts);
        let decoded = network.decoder.forward(&self.store, Arc::new(inputs), &sequences, Some(&initial), None, 1)?;
        let mut back = Matrix::zeros(sequences.rows(), network.output.weight().rows());
        for (text, rows) in sequences.rows_of_sequences().iter().enumerate() {
            let Worth { anywhere, at } = &worth[text];
            for (step, (row, logits)) in rows.iter().zip(&logits[text]).enumerate() {
                back.row_mut(*row).copy_from_slice(logits);
                to_logits(back.row_mut(*row), anywhere, at.get(step).map_or(&[], Vec::as_slice));
            }
        }
        let mut to_outputs = Matrix::zeros(back.rows(), decoded.outputs.columns());
        let weight = self.store.view(network.output.weight());
        multiply(to_outputs.view_mut(), Into::Replace, back.view(), weight, 1);
        // The decoder itself does not learn: what flows to its numbers is left.
        let unused = &mut Gradients::plain(&self.store, 1);
        let to_initial = network.decoder.backward(&self.store, decoded, Some(to_outputs), None, unused).initial;
        Ok((0..contexts.len()).map(|text| super::auto_encoder::joined(&to_initial, text)).collect())
    }
}

/// From logits to what flows back to them: each chance, times how much more its word is worth than the mean of all. What is never written has no chance. `more` is
/// what some words are worth beside the rest.
fn to_logits(logits: &mut [f32], worth: &[f32], more: &[(u32, f32)]) {
    let written = END as usize;
    logits[..written].fill(0.0);
    let (logits, worth) = (&mut logits[written..], &worth[written..]);
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (mut sum, mut mean) = (0.0_f32, 0.0_f32);
    for (logit, worth) in logits.iter_mut().zip(worth) {
        *logit = (*logit - highest).exp();
        sum += *logit;
        mean += *logit * worth;
    }
    // What flows to such a word comes on top of the rest.
    let more: Vec<(usize, f32)> = more
        .iter()
        .filter_map(|(id, worth)| {
            let place = (*id as usize).checked_sub(written)?;
            Some((place, logits.get(place)? * worth / sum))
        })
        .collect();
    mean = mean / sum + more.iter().map(|(_, by)| by).sum::<f32>();
    logits.iter_mut().zip(worth).for_each(|(chance, worth)| *chance *= (worth - mean) / sum);
    more.into_iter().for_each(|(place, by)| logits[place] += by);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ete_anon::AutoEncoderSettings;
    use crate::testing::vocabulary;
    use allonym_dp::PrivacyRng;

    /// The logits after each prefix of a text.
    fn logits(model: &AutoEncoder, context: &[f32], text: &Text) -> Vec<Vec<f32>> {
        let network = &model.network;
        let mut states = network.decoder.begin(1, Some(&model.layers_of(&[context.to_vec()]))).unwrap();
        let fed = std::iter::once(START).chain(text.iter().copied()).take(model.settings.max_tokens);
        fed.map(|before| {
            let mut inputs = Matrix::zeros(1, network.written.dimension());
            network.written.forward(&model.store, &[before], &mut inputs, 0).unwrap();
            let outputs = network.decoder.advance(&model.store, &inputs, &mut states).unwrap();
            network.output.forward(&model.store, &outputs, 1).unwrap().row(0).to_vec()
        })
        .collect()
    }

    /// What the words after each prefix of a text are worth, by their chances.
    fn expected(model: &AutoEncoder, context: &[f32], text: &Text, worth: &Worth) -> f64 {
        let of = |(step, logits): (usize, Vec<f32>)| {
            let mut all = worth.anywhere.clone();
            worth.at.get(step).into_iter().flatten().for_each(|(id, more)| all[*id as usize] += more);
            let parts: Vec<f64> = logits[END as usize..].iter().map(|logit| f64::from(*logit).exp()).collect();
            let worth = parts.iter().zip(&all[END as usize..]).map(|(part, worth)| part * f64::from(*worth));
            worth.sum::<f64>() / parts.iter().sum::<f64>()
        };
        logits(model, context, text).into_iter().enumerate().map(of).sum()
    }

    fn model() -> AutoEncoder {
        let settings = AutoEncoderSettings { layers: 2, cells: 7, words: 5, max_tokens: 4, ..Default::default() };
        AutoEncoder::new(settings, vocabulary(), None, &mut PrivacyRng::reproducible(3)).unwrap()
    }

    fn number(i: usize) -> f32 {
        ((i * 37 + 11) % 29) as f32 / 20.0 - 0.7
    }

    fn contexts() -> Vec<Vec<f32>> {
        (0..40).map(|text| (0..14).map(|i| number(text * 14 + i)).collect()).collect()
    }

    /// Every word has a worth, and some have more at some steps.
    fn worth(text: usize) -> Worth {
        Worth {
            anywhere: (0..vocabulary().ids() as usize).map(|id| number(text + 3 * id)).collect(),
            at: (0..3).map(|step| vec![(END + step, 0.5), (5 + text as u32 % 4, -2.0)]).collect(),
        }
    }

    #[test]
    fn a_slope_is_that_of_the_expected_worth() {
        let (model, contexts) = (model(), &contexts()[..9]);
        // Texts of all lengths.
        let texts: Vec<Text> = (0..9_u32).map(|i| (0..i % 5).map(|place| 4 + (i + place) % 20).collect()).collect();
        let worth: Vec<Worth> = (0..9).map(worth).collect();
        let kept: Vec<Logits> = (0..9).map(|text| logits(&model, &contexts[text], &texts[text])).collect();
        let slopes = model.slopes_of_group(contexts, &texts, &worth, &kept).unwrap();
        for text in 0..9 {
            for place in [0, 6, 7, 13] {
                let at = |by: f32| {
                    let mut context = contexts[text].clone();
                    context[place] += by;
                    expected(&model, &context, &texts[text], &worth[text])
                };
                let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
                assert!((f64::from(slopes[text][place]) - slope).abs() < 2e-4, "{text} {place}: {slope}");
            }
        }
    }

    #[test]
    fn texts_are_those_that_are_decoded_and_each_has_its_own_worth() {
        let (model, contexts) = (model(), contexts());
        let found = model.slopes(&contexts, &|place, _| worth(place)).unwrap();
        let texts: Vec<Text> = found.iter().map(|(text, _)| text.clone()).collect();
        assert_eq!(texts, model.decode(&contexts).unwrap());
        for text in [0, 15, 16, 39] {
            let kept = [logits(&model, &contexts[text], &texts[text])];
            let alone = model.slopes_of_group(&contexts[text..=text], &texts[text..=text], &[worth(text)], &kept);
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            assert!(found[text].1.iter().zip(&alone.unwrap()[0]).all(near), "{text}");
        }
    }

    #[test]
    fn what_flows_to_logits_by_hand() {
        // Chances 1/2 and 1/2 for the end and a word; worth 0 and 3: the mean is 1.5.
        let mut logits = vec![9.0, 9.0, 9.0, 1.0, 1.0];
        to_logits(&mut logits, &[7.0, 7.0, 7.0, 0.0, 3.0], &[]);
        assert_eq!(logits, [0.0, 0.0, 0.0, -0.75, 0.75]);
        // The end is worth 1 more at this step: the mean is 2.
        let mut logits = vec![9.0, 9.0, 9.0, 1.0, 1.0];
        to_logits(&mut logits, &[7.0, 7.0, 7.0, 0.0, 3.0], &[(3, 1.0), (9, 5.0), (1, 5.0)]);
        assert_eq!(logits, [0.0, 0.0, 0.0, -0.5, 0.5]);
    }
}
