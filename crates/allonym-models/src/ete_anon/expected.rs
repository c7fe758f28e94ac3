//! What a text is expected to be worth: by how likely every word was at each step, instead of by the likeliest ones alone.
//!
//! A small move of a context often changes no word, or one that drags all later ones along: what a text is worth stays as it was, or leaps. How likely words are changes
//! a little with every move, and most of what a move does in the long run is seen there first.

use super::auto_encoder::{AutoEncoder, Text};
use super::decode::rows_of_a_part;
use allonym_nn::{NnError, to_chances};
use allonym_text::vocabulary::END;
use rayon::prelude::*;

/// What is expected of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expected {
    /// How often each id stands in it.
    pub(super) counts: Vec<f32>,
    /// What is worth something at its place alone.
    pub(super) content: f64,
}

impl AutoEncoder {
    /// What is written from each context, and what is expected with the words before each step as they were written. `worth` says of a text, by its place, what some ids are worth
    /// at each step of it.
    pub(super) fn decode_expecting(
        &self,
        contexts: &[Vec<f32>],
        worth: &(dyn Fn(usize) -> Vec<Vec<(u32, f32)>> + Sync),
    ) -> Result<Vec<(Text, Expected)>, NnError> {
        let rows = rows_of_a_part(contexts.len());
        let groups = contexts.par_chunks(rows).enumerate().map(|(group, contexts)| {
            let at: Vec<Vec<Vec<(u32, f32)>>> = (0..contexts.len()).map(|text| worth(group * rows + text)).collect();
            let nothing = Expected { counts: vec![0.0; self.vocabulary().ids() as usize], content: 0.0 };
            let mut found = vec![nothing; contexts.len()];
            let mut steps = vec![0; contexts.len()];
            let mut chances = Vec::new();
            let heard = &mut |text: usize, logits: &[f32]| {
                // What is never written has no chance.
                chances.clear();
                chances.extend_from_slice(&logits[END as usize..]);
                to_chances(&mut chances);
                let expected: &mut Expected = &mut found[text];
                let counts = &mut expected.counts[END as usize..];
                counts.iter_mut().zip(&chances).for_each(|(count, chance)| *count += chance);
                for (id, worth) in at[text].get(steps[text]).into_iter().flatten() {
                    let chance = (*id as usize).checked_sub(END as usize).and_then(|place| chances.get(place));
                    expected.content += f64::from(chance.copied().unwrap_or(0.0) * worth);
                }
                steps[text] += 1;
            };
            let texts = self.decode_and_tell(contexts, heard)?;
            for (text, expected) in found.iter_mut().enumerate() {
                expected.counts[END as usize] = 0.0;
                // Behind the end of what is written nothing but the end can stand.
                let behind = at[text].iter().skip(steps[text]).flatten().filter(|(id, _)| *id == END);
                expected.content += behind.map(|(_, worth)| f64::from(*worth)).sum::<f64>();
            }
            Ok(texts.into_iter().zip(found).collect::<Vec<_>>())
        });
        Ok(groups.collect::<Result<Vec<_>, NnError>>()?.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ete_anon::AutoEncoderSettings;
    use crate::testing::vocabulary;
    use allonym_dp::PrivacyRng;

    #[test]
    fn what_is_expected_is_the_sum_of_the_chances_of_all_steps() {
        let settings = AutoEncoderSettings { layers: 2, cells: 7, words: 5, max_tokens: 4, ..Default::default() };
        let model = AutoEncoder::new(settings, vocabulary(), None, &mut PrivacyRng::reproducible(3)).unwrap();
        let number = |i: usize| ((i * 37 + 11) % 29) as f32 / 10.0 - 1.4;
        let contexts: Vec<Vec<f32>> = (0..40).map(|text| (0..14).map(|i| number(text * 14 + i)).collect()).collect();
        // At the second step one word is worth 2, and what is never written is worth nothing.
        // The end is worth 3 at the fifth step, which no text has.
        let worth = |text: usize| {
            vec![
                vec![],
                vec![(5 + text as u32 % 4, 2.0), (1, 9.0), (999, 9.0)],
                vec![],
                vec![],
                vec![(END, 3.0), (5, 9.0)],
            ]
        };
        let found = model.decode_expecting(&contexts, &worth).unwrap();
        let written = model.decode(&contexts).unwrap();
        for (text, (decoded, expected)) in found.iter().enumerate() {
            assert_eq!(*decoded, written[text]);
            let (_, kept) = model.decode_and_keep(&contexts[text..=text]).unwrap();
            let chance = |step: &[f32], id: usize| {
                let all: f64 = step[END as usize..].iter().map(|logit| f64::from(*logit).exp()).sum();
                f64::from(step[id]).exp() / all
            };
            for id in END as usize + 1..expected.counts.len() {
                let sum: f64 = kept[0].iter().map(|step| chance(step, id)).sum();
                assert!((f64::from(expected.counts[id]) - sum).abs() < 1e-5, "{text} {id}");
            }
            assert_eq!(expected.counts[..=END as usize], [0.0; END as usize + 1], "these are no words");
            let content = 3.0 + kept[0].get(1).map_or(0.0, |step| 2.0 * chance(step, 5 + text % 4));
            assert!((expected.content - content).abs() < 1e-5, "{text}");
        }
    }
}
