//! What the two models propose for single words, what each mechanism makes of that, and sentences of both.

use crate::failure::Failure;
use allonym_dp::mechanism::{self, Parameters, Reads, TwoSet};
use allonym_dp::{Drawing, Length, NoExpectation, Outcome, PrivacyRng, PublicContext, Terms, release};
use allonym_models::er_ae::ErAe;
use allonym_text::vocabulary::TokenId;
use allonym_text::{Document, Private};
use serde::Serialize;

/// The sentence of the second paper's tables 2 and 3, and the two words that they look at.
const SENTENCE: &str = "there are several unique hot dog entrees to choose .";
const WORDS: [&str; 2] = ["several", "unique"];

/// The five best words and their probabilities as the second paper prints them, for comparison. (Model, word, probabilities.)
const PRINTED: [(&str, &str, [f64; 5]); 4] = [
    ("AE-DP", "several", [0.98, 0.007, 0.003, 0.002, 0.001]),
    ("ER-AE", "several", [0.55, 0.20, 0.14, 0.04, 0.03]),
    ("AE-DP", "unique", [0.99, 0.0001, 3.1e-5, 2.5e-5, 2.1e-5]),
    ("ER-AE", "unique", [0.37, 0.21, 0.15, 0.1, 0.05]),
];

/// Sentences of our own for samples.
const SAMPLES: [&str; 4] = [
    "The rooms were clean and the woman at the desk was very kind to us .",
    "I would not buy this again , because the battery died after three weeks .",
    "The second experiment is not described well enough to be repeated .",
    "We walked home in the rain and talked about the old days .",
];

/// Examples of both models.
#[derive(Clone, Debug, Serialize)]
pub struct Examples {
    /// Table 2: the best words at the places of the two words.
    pub candidates: Vec<Candidates>,
    /// Table 3: how likely one of the five best words is drawn.
    pub good: Vec<Good>,
    /// Sentences: original, system, release.
    pub samples: Vec<[String; 3]>,
}

/// What a model proposes in the place of a word.
#[derive(Clone, Debug, Serialize)]
pub struct Candidates {
    /// `AE-DP` or `ER-AE`.
    pub model: &'static str,
    /// The original word.
    pub word: &'static str,
    /// The five best words, their probabilities, and their cosines with the original.
    pub best: Vec<(String, f32, f32)>,
}

/// The probability that one of the five best is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Good {
    /// Whose probabilities.
    pub of: String,
    /// The original word.
    pub word: &'static str,
    /// The mechanism and its epsilon.
    pub mechanism: String,
    /// The true loss of the draw.
    pub loss: f64,
    /// The probability.
    pub probability: f64,
}

pub(super) fn examples(without: &ErAe, with: &ErAe, seed: u64) -> Result<Examples, Failure> {
    let models = [("AE-DP", without), ("ER-AE", with)];
    let (mut candidates, mut good) = (Vec::new(), Vec::new());
    for (name, model) in models {
        for word in WORDS {
            let (best, probabilities) = at_word(model, word)?;
            candidates.push(Candidates { model: name, word, best });
            good.extend(chances(&format!("our {name}"), word, &probabilities)?);
        }
    }
    for (name, word, five) in PRINTED {
        good.extend(chances(&format!("{name} as printed"), word, &printed(five))?);
    }
    let samples = models.into_iter().map(|(name, model)| samples(name, model, seed)).collect::<Result<Vec<_>, _>>()?;
    Ok(Examples { candidates, good, samples: samples.concat() })
}

/// Five best words with their probabilities, and a whole distribution over words.
type AtWord = (Vec<(String, f32, f32)>, Vec<f32>);

fn at_word(model: &ErAe, word: &str) -> Result<AtWord, Failure> {
    let document = Document::read(SENTENCE);
    let place = document.tokens().position(|token| token.text == word).unwrap_or(0);
    let mut encoded = model.encode(&[model.pieces(&document)])?;
    let mut proposal = model.proposal(encoded.remove(0), Length::Public, Reads::Probabilities);
    let scores = allonym_dp::Proposer::scores(&mut proposal, &vec![TokenId::new(0); place]).to_vec();
    let mut order: Vec<u32> = (0..scores.len() as u32).collect();
    order.sort_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]));
    let vocabulary = model.vocabulary();
    let id = |outcome: &u32| Length::Public.token(Outcome::new(*outcome)).get();
    let original = vocabulary.id(word);
    let named = |outcome: &u32| {
        let word = vocabulary.word(id(outcome)).unwrap_or_default().to_owned();
        (word, scores[*outcome as usize], model.cosine(original, id(outcome)))
    };
    let best = order.iter().take(5).map(named).collect();
    Ok((best, order.iter().map(|outcome| scores[*outcome as usize]).collect()))
}

/// Printed probabilities over the papers' 20,000 words, the rest spread evenly.
fn printed(five: [f64; 5]) -> Vec<f32> {
    let rest = (1.0 - five.iter().sum::<f64>()).max(0.0) / 19_995.0;
    five.into_iter().chain(std::iter::repeat_n(rest, 19_995)).map(|p| p as f32).collect()
}

/// The probability of the first five outcomes, which are the best, under several mechanisms.
fn chances(of: &str, word: &'static str, probabilities: &[f32]) -> Result<Vec<Good>, Failure> {
    let outcomes = probabilities.len() as u32;
    if outcomes <= 5 {
        // Any word is among the five best.
        return Ok(Vec::new());
    }
    let two_set = |epsilon: f64| ("two-set", Parameters::of_epsilon(epsilon), format!("two-set {epsilon}"));
    // What the second paper compares two-set at epsilon 2 with: its printed loss spent on the first version.
    let spent = 2.0 + f64::from(outcomes).ln();
    let equal = 1.5 + f64::from(outcomes - 1).ln();
    let mechanisms = [
        ("exponential", Parameters::of_epsilon(spent), format!("exponential {spent:.2}")),
        two_set(2.0),
        two_set(3.0),
        ("subset", Parameters::of_loss(equal), "subset at two-set 3's true loss".to_owned()),
    ];
    let mut found = Vec::new();
    for (name, parameters, shown) in mechanisms {
        let mechanism = mechanism::by_name(name, &parameters, outcomes)?;
        let drawn = match (name, parameters.epsilon) {
            // Over a large vocabulary the exact law takes classes of equal probability: the five best, and the rest as one.
            ("two-set", Some(epsilon)) => {
                let five = probabilities[..5].iter().map(|p| f64::from(*p));
                let rest = (1.0 - five.clone().sum::<f64>()).max(0.0) / f64::from(outcomes - 5);
                let classes: Vec<(f64, u32)> = five.map(|p| (p, 1)).chain([(rest, outcomes - 5)]).collect();
                TwoSet::ideal(&classes, 5, epsilon)
            }
            _ => match mechanism.distribution(probabilities, &PublicContext::NONE) {
                Some(drawn) => drawn,
                None => continue,
            },
        };
        found.push(Good {
            of: of.to_owned(),
            word,
            mechanism: shown,
            loss: mechanism.loss().epsilon,
            probability: drawn.iter().take(5).sum(),
        });
    }
    Ok(found)
}

fn samples(name: &str, model: &ErAe, seed: u64) -> Result<Vec<[String; 3]>, Failure> {
    let outcomes = model.vocabulary().words() as u32;
    let equal = 1.5 + f64::from(outcomes - 1).ln();
    let ways = [
        ("two-set 3", mechanism::by_name("two-set", &Parameters::of_epsilon(3.0), outcomes)?),
        ("subset at the same true loss", mechanism::by_name("subset", &Parameters::of_loss(equal), outcomes)?),
    ];
    let terms = Terms { length: Length::Public, ..Terms::default() };
    let mut rng = PrivacyRng::reproducible(seed);
    let mut found = Vec::new();
    for sentence in SAMPLES {
        let document = Document::read(sentence);
        let encoded = model.encode(&[model.pieces(&document)])?.remove(0);
        for (way, mechanism) in &ways {
            let proposer = Private::new(model.proposal(encoded.clone(), Length::Public, mechanism.reads()));
            let drawing = Drawing { proposer, rng: PrivacyRng::reproducible(rng.bits()) };
            let ids = release(&**mechanism, &mut NoExpectation, &mut [drawing], &terms).remove(0);
            let text = model.vocabulary().text(ids.value());
            found.push([sentence.to_owned(), format!("{name}, {way}"), text]);
        }
    }
    Ok(found)
}
