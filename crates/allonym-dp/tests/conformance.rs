//! What every mechanism of the catalogue must pass, whatever it is.

use allonym_dp::audit::extremal;
use allonym_dp::mechanism::{CATALOGUE, Entry, Mechanism, Parameters};
use allonym_dp::statistics::assert_distribution;
use allonym_dp::{Bound, Draw, Guarantee, Length, PrivacyRng, PublicContext, Terms};
use allonym_text::Private;

/// The mechanism at several settings.
fn settings(entry: &Entry, outcomes: u32) -> Vec<Box<dyn Mechanism>> {
    if entry.parameters.is_empty() {
        return vec![entry.build(&Parameters::default(), outcomes).unwrap()];
    }
    let epsilons = [0.1, 1.0, 3.0, 6.0];
    let mut built: Vec<Box<dyn Mechanism>> = epsilons
        .iter()
        .map(|e| {
            entry.build(&Parameters::of_epsilon(*e), outcomes).unwrap_or_else(|_| {
                let few = Parameters { candidates: Some(1), ..Parameters::of_epsilon(*e) };
                entry.build(&few, outcomes).unwrap()
            })
        })
        .collect();
    if entry.parameters.contains(&"good") && outcomes > 2 {
        let two = Parameters { good: Some(2), ..Parameters::of_epsilon(2.0) };
        built.push(entry.build(&two, outcomes).unwrap());
    }
    built
}

#[test]
fn probabilities_are_positive_and_sum_to_one() {
    for entry in CATALOGUE {
        for outcomes in 2..7 {
            for mechanism in settings(entry, outcomes) {
                for scores in extremal(outcomes as usize) {
                    let distribution = mechanism
                        .distribution(&scores, &PublicContext::NONE)
                        .expect("small vocabularies are enumerated");
                    assert_eq!(distribution.len(), outcomes as usize);
                    assert!(distribution.iter().all(|p| *p > 0.0), "{}: {distribution:?}", entry.name);
                    assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}", entry.name);
                }
            }
        }
    }
}

#[test]
fn draws_follow_the_stated_distribution() {
    for entry in CATALOGUE {
        for mechanism in settings(entry, 5) {
            for (case, scores) in extremal(5).into_iter().enumerate() {
                let mut rng = PrivacyRng::reproducible(case as u64);
                let mut counts = [0u64; 5];
                for _ in 0..4_000 {
                    counts[mechanism.draw(Private::new(&scores), &PublicContext::NONE, &mut rng).value().position()] +=
                        1;
                }
                assert_distribution(&counts, &mechanism.distribution(&scores, &PublicContext::NONE).unwrap());
            }
        }
    }
}

/// The largest log-ratio between any two of the extremal inputs.
fn largest_loss(mechanism: &dyn Mechanism) -> f64 {
    let scores = extremal(mechanism.outcomes() as usize);
    let distributions: Vec<_> =
        scores.iter().map(|scores| mechanism.distribution(scores, &PublicContext::NONE).unwrap()).collect();
    let mut largest: f64 = 0.0;
    for first in &distributions {
        for second in &distributions {
            for (p, q) in first.iter().zip(second) {
                largest = largest.max((p / q).ln());
            }
        }
    }
    largest
}

#[test]
fn no_pair_of_inputs_is_told_apart_better_than_claimed_and_the_claim_is_tight() {
    for entry in CATALOGUE {
        for outcomes in 2..7 {
            for mechanism in settings(entry, outcomes) {
                let (claim, found) = (mechanism.loss().epsilon, largest_loss(&*mechanism));
                assert!(found <= claim + 1e-12, "{mechanism:?}: {found} > {claim}");
                // A loose claim would hide bugs: every one here is attained.
                assert!(found >= claim - 1e-9, "{} at {outcomes}: {found} < {claim}", entry.name);
            }
        }
    }
}

#[test]
fn a_true_loss_that_is_asked_for_is_kept_and_nearly_used() {
    for entry in CATALOGUE.iter().filter(|entry| !entry.parameters.is_empty()) {
        for outcomes in [100, 20_001] {
            let mechanism = entry.build(&Parameters::of_loss(12.0), outcomes).unwrap();
            let loss = mechanism.loss().epsilon;
            assert!(loss <= 12.0 + 1e-9 && loss > 11.99, "{}: {loss}", entry.name);
        }
    }
}

#[test]
fn draws_from_a_large_vocabulary_reach_every_part_of_it() {
    for entry in CATALOGUE {
        let mechanism = settings(entry, 20_001).swap_remove(0);
        let mut rng = PrivacyRng::reproducible(1);
        let scores = vec![1.0 / 20_001.0; 20_001];
        let mut counts = [0u64; 3];
        for _ in 0..3000 {
            counts[mechanism.draw(Private::new(&scores), &PublicContext::NONE, &mut rng).value().position() / 6667] +=
                1;
        }
        assert_distribution(&counts, &[1.0 / 3.0; 3]);
    }
}

#[test]
fn names_are_unique_and_mechanisms_know_theirs() {
    for (i, entry) in CATALOGUE.iter().enumerate() {
        assert!(CATALOGUE[i + 1..].iter().all(|other| other.name != entry.name));
        assert_eq!(settings(entry, 10)[0].name(), entry.name);
        assert!(!entry.summary.is_empty());
    }
}

#[test]
fn bad_parameters_are_refused() {
    for entry in CATALOGUE {
        let build = |parameters: Parameters| entry.build(&parameters, 100);
        assert!(entry.build(&Parameters::of_epsilon(1.0), 1).is_err(), "{}: a vocabulary of one", entry.name);
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e9] {
            assert!(build(Parameters::of_epsilon(epsilon)).is_err(), "{} {epsilon}", entry.name);
            assert!(build(Parameters::of_loss(epsilon)).is_err(), "{} {epsilon}", entry.name);
        }
        assert!(build(Parameters { epsilon_per_token: Some(1.0), ..Parameters::of_epsilon(1.0) }).is_err());
        assert!(build(Parameters { candidates: Some(101), ..Parameters::of_epsilon(1.0) }).is_err(), "{}", entry.name);
        assert!(build(Parameters { candidates: Some(0), ..Parameters::of_epsilon(1.0) }).is_err(), "{}", entry.name);
        assert!(build(Parameters { good: Some(100), ..Parameters::of_epsilon(1.0) }).is_err(), "{}", entry.name);
        assert!(build(Parameters { good: Some(0), ..Parameters::of_epsilon(1.0) }).is_err(), "{}", entry.name);
        assert!(build(Parameters { clip: Some(f64::NAN), ..Parameters::of_epsilon(1.0) }).is_err(), "{}", entry.name);
        if !entry.parameters.is_empty() {
            assert!(build(Parameters::default()).is_err(), "{} without epsilon", entry.name);
        }
    }
}

#[test]
fn a_guarantee_adds_up_the_draws() {
    for entry in CATALOGUE {
        for length in [Length::Fixed, Length::Public] {
            let mechanism = settings(entry, 1000).swap_remove(0);
            let terms = Terms { max_tokens: 50, length, ..Terms::default() };
            let guarantee = Guarantee::for_tokens(&*mechanism, &terms, false).unwrap();
            let Bound::Differential { epsilon_per_token: Some(epsilon_per_token), epsilon_total, delta, .. } =
                *guarantee.bound()
            else {
                continue;
            };
            assert!(
                (epsilon_total / (50.0 * epsilon_per_token).max(1e-300) - 1.0).abs() < 1e-9 || epsilon_total == 0.0
            );
            assert_eq!(delta, 0.0);
            let public = guarantee.not_protected().iter().any(|line| line.contains("number of tokens"));
            assert_eq!(public, length == Length::Public, "{}", entry.name);
        }
    }
}
