//! What an attacker who knows the mechanism, and how often each word occurs, guesses of the original tokens: the best guess there is.
//!
//! Where no model proposes, a token is proposed alone: it is drawn with one probability, and every other token with one that does not depend on what was
//! proposed. Given a released token, the likeliest original is then either that token or the most frequent one.

use crate::failure::Failure;
use crate::method::extremes;
use crate::settings::Settings;
use allonym_dp::PublicContext;
use allonym_dp::mechanism::{Mechanism, Reads};
use allonym_eval::measure::Interval;
use allonym_eval::report::Reconstruction;
use allonym_text::Document;
use allonym_text::vocabulary::UNKNOWN;

/// The share of original tokens that the best guess names; nothing for mechanisms whose probabilities cannot be listed.
pub(super) fn reconstruction(
    settings: &Settings,
    original: &[&str],
    released: &[&str],
) -> Result<Option<Reconstruction>, Failure> {
    let checked = settings.again().check()?;
    let (guessing, max_tokens) = (checked.method.guessing(), checked.method.max_tokens());
    let likelihood = match guessing.alone {
        Some(mechanism) => Likelihood::of(mechanism),
        // What was proposed besides is not known here: the released token itself is the guess.
        None => Some(Likelihood { kept: 1.0, others: Vec::new() }),
    };
    let Some(likelihood) = likelihood else { return Ok(None) };
    let vocabulary = &guessing.vocabulary;
    let ids = |text: &str| -> Vec<u32> {
        Document::read_up_to(text, max_tokens).tokens().map(|token| vocabulary.id(token.text)).collect()
    };
    let pairs: Vec<(Vec<u32>, Vec<u32>)> = original.iter().zip(released).map(|(o, r)| (ids(o), ids(r))).collect();
    let mut counts = vec![0_u64; vocabulary.ids() as usize];
    pairs.iter().flat_map(|(original, _)| original).for_each(|id| counts[*id as usize] += 1);
    counts[UNKNOWN as usize] = 0;
    let frequent = (0..counts.len() as u32).max_by_key(|id| (counts[*id as usize], std::cmp::Reverse(*id)));
    let frequent = frequent.unwrap_or_default();
    let first = guessing.first_token.get();
    let guess = |seen: Option<&u32>| match seen {
        Some(seen) if *seen >= first && *seen != UNKNOWN => {
            let own = counts[*seen as usize] as f64 * likelihood.kept;
            let other = likelihood.others.get((seen - first) as usize).copied().unwrap_or(0.0);
            if own >= counts[frequent as usize] as f64 * other { *seen } else { frequent }
        }
        _ => frequent,
    };
    let (mut hits, mut copied, mut blind) = (Vec::new(), Vec::new(), 0_usize);
    for (original, released) in &pairs {
        for (place, id) in original.iter().enumerate() {
            // A word outside the vocabulary is nobody's guess.
            let right = *id != UNKNOWN && guess(released.get(place)) == *id;
            hits.push(right);
            copied.push(*id != UNKNOWN && released.get(place) == Some(id));
            blind += usize::from(*id == frequent && *id != UNKNOWN);
        }
    }
    let chance = blind as f64 / hits.len().max(1) as f64;
    // The mechanism is what the run file claims. If taking the released tokens as they are finds more, that is what is found.
    let count = |found: &[bool]| found.iter().filter(|found| **found).count();
    // Nobody has to look at the release at all.
    let most = count(&hits).max(count(&copied)).max(blind);
    Ok(Interval::of_share(most, hits.len()).map(|recovered| Reconstruction { tokens: hits.len(), recovered, chance }))
}

/// What one token says about the one that was proposed.
struct Likelihood {
    /// The probability of drawing the token that is proposed.
    kept: f64,
    /// The probability of drawing each token when another is proposed.
    others: Vec<f64>,
}

impl Likelihood {
    fn of(mechanism: &dyn Mechanism) -> Option<Self> {
        let outcomes = mechanism.outcomes() as usize;
        if mechanism.reads() == Reads::Nothing {
            let uniform = 1.0 / outcomes as f64;
            return Some(Self { kept: uniform, others: vec![uniform; outcomes] });
        }
        let (high, low) = extremes(mechanism.reads());
        let with = |place: usize| {
            let mut scores = vec![low; outcomes];
            scores[place] = high;
            mechanism.distribution(&scores, &PublicContext::NONE)
        };
        let (one, two) = (outcomes - 1, outcomes / 2);
        let (mut others, when_two) = (with(one)?, with(two)?);
        let kept = others[one];
        others[one] = when_two[one];
        Some(Self { kept, others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::MethodSettings;

    fn settings(mechanism: &str, epsilon: Option<f64>) -> Settings {
        let mut method = MethodSettings::named(mechanism);
        if let Some(epsilon) = epsilon {
            method = method.with("epsilon-per-token", epsilon);
        }
        Settings { method, ..Settings::default() }
    }

    #[test]
    fn words_that_were_kept_are_guessed_when_the_loss_is_large_and_not_when_it_is_none() {
        let original = ["the cat sat on the mat", "the dog was here"];
        let found =
            |settings: &Settings, released: &[&str]| reconstruction(settings, &original, released).unwrap().unwrap();
        let copied = found(&settings("randomized-response", Some(20.0)), &original);
        assert_eq!((copied.tokens, copied.recovered.value), (10, 1.0));
        // Without any loss the release says nothing: the best guess is always the most frequent token, three of ten.
        let random = found(&settings("random", None), &["never a word of it", "in this one"]);
        assert!((random.recovered.value - 0.3).abs() < 1e-12 && (random.chance - 0.3).abs() < 1e-12);
        // A run file that lies about a copy does not hide that it is one.
        assert_eq!(found(&settings("random", None), &original).recovered.value, 1.0);
    }

    #[test]
    fn probabilities_are_those_of_the_mechanism() {
        let checked = settings("randomized-response", Some(10.0)).check().unwrap();
        let likelihood = Likelihood::of(checked.method.guessing().alone.unwrap()).unwrap();
        let sum = likelihood.kept + likelihood.others.iter().sum::<f64>() - likelihood.others[0];
        assert!((sum - 1.0).abs() < 1e-6 && (likelihood.kept / likelihood.others[0]).ln() > 9.9, "{sum}");
    }
}
