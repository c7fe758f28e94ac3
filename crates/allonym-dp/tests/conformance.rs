//! What every mechanism of the catalogue must pass, whatever it is.

use allonym_dp::mechanism::{CATALOGUE, by_name};
use allonym_dp::statistics::assert_distribution;
use allonym_dp::{Length, PrivacyRng, Strength, Terms};
use allonym_text::Private;

/// Scores at the edges of what a model can produce, for a few outcomes.
fn extremal_scores(outcomes: usize) -> Vec<Vec<f32>> {
    let point = |at: usize, high: f32, low: f32| (0..outcomes).map(|i| if i == at { high } else { low }).collect();
    vec![
        vec![0.0; outcomes],
        point(0, 1e4, -1e4),
        point(outcomes - 1, 1e4, -1e4),
        point(0, -1e4, 1e4),
        point(1, f32::INFINITY, 0.0),
        point(1, f32::NEG_INFINITY, 0.0),
        point(0, f32::NAN, 0.0),
        vec![f32::NAN; outcomes],
        (0..outcomes).map(|i| i as f32).collect(),
    ]
}

#[test]
fn probabilities_are_positive_and_sum_to_one() {
    for entry in CATALOGUE {
        for outcomes in 2..7 {
            let mechanism = by_name(entry.name, outcomes).unwrap();
            for scores in extremal_scores(outcomes as usize) {
                let distribution = mechanism.distribution(&scores);
                assert_eq!(distribution.len(), outcomes as usize);
                assert!(distribution.iter().all(|p| *p > 0.0), "{}: {distribution:?}", entry.name);
                assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn draws_follow_the_stated_distribution() {
    for entry in CATALOGUE {
        for (case, scores) in extremal_scores(5).into_iter().enumerate() {
            let mechanism = by_name(entry.name, 5).unwrap();
            let mut rng = PrivacyRng::reproducible(case as u64);
            let mut counts = [0u64; 5];
            for _ in 0..20_000 {
                counts[*mechanism.draw(Private::new(&scores), &mut rng).value() as usize] += 1;
            }
            assert_distribution(&counts, &mechanism.distribution(&scores));
        }
    }
}

#[test]
fn no_pair_of_inputs_is_told_apart_better_than_claimed() {
    let terms = Terms { max_tokens: 1, length: Length::Public };
    for entry in CATALOGUE {
        for outcomes in 2..7 {
            let mechanism = by_name(entry.name, outcomes).unwrap();
            let Strength::Differential { epsilon_per_token, .. } = mechanism.guarantee(&terms).strength else {
                continue;
            };
            let distributions: Vec<_> =
                extremal_scores(outcomes as usize).iter().map(|scores| mechanism.distribution(scores)).collect();
            for first in &distributions {
                for second in &distributions {
                    for (p, q) in first.iter().zip(second) {
                        assert!((p / q).ln() <= epsilon_per_token + 1e-9, "{}", entry.name);
                    }
                }
            }
        }
    }
}

#[test]
fn names_are_unique_and_mechanisms_know_theirs() {
    for (i, entry) in CATALOGUE.iter().enumerate() {
        assert!(CATALOGUE[i + 1..].iter().all(|other| other.name != entry.name));
        assert_eq!(by_name(entry.name, 10).unwrap().name(), entry.name);
        assert!(!entry.summary.is_empty());
    }
}
