//! The mechanisms against independently computed numbers (`fixtures/privacy_vectors.json`).
//!
//! `ideal` distributions are the definitions; the integer mechanisms must then be close to them.

use allonym_dp::compose::least_epsilon;
use allonym_dp::mechanism::{Band, ClippedLogit, Exponential, Floored, Mechanism, RandomizedResponse, Subset, TwoSet};
use allonym_dp::{Class, PublicContext, latent};
use serde_json::Value;

fn vectors(section: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("fixtures/privacy_vectors.json")).unwrap();
    file[section].as_array().unwrap().clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[track_caller]
fn close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{found} is not {expected}");
}

#[track_caller]
fn all_close(found: &[f64], expected: &[f64], relative: f64) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| close(*found, *expected, relative));
}

#[test]
fn two_set_distributions() {
    for case in vectors("two_set_exact") {
        let p = numbers(&case["p"]);
        let classes: Vec<(f64, u32)> = p.iter().map(|p| (*p, 1)).collect();
        let (k, epsilon) = (case["k"].as_u64().unwrap() as usize, number(&case["eps"]));
        let expected = numbers(&case["out"]);
        all_close(&TwoSet::ideal(&classes, k, epsilon), &expected, 1e-9);
        // The integer mechanism draws nearly that: the choice is quantised to 65,536 levels.
        if k <= p.len() {
            let mechanism = TwoSet::new(epsilon, k, p.len() as u32).unwrap();
            let scores: Vec<f32> = p.iter().map(|p| *p as f32).collect();
            all_close(&mechanism.distribution(&scores, &PublicContext::NONE).unwrap(), &expected, 1e-3);
        }
    }
}

#[test]
fn two_set_bounds() {
    for case in vectors("two_set_bound") {
        let (s, epsilon) = (case["s"].as_u64().unwrap() as u32, number(&case["eps"]));
        let mechanism = TwoSet::new(epsilon, 1, s).unwrap();
        let loss = mechanism.loss();
        close(loss.epsilon, number(&case["tight"]), 1e-9);
        close(mechanism.paper_epsilon().unwrap(), number(&case["paper"]), 1e-9);
        let Class::Band { hit } = loss.class else { panic!("the two-set mechanism is a band") };
        close(hit, number(&case["max_prob"]), 1e-9);
        close(hit * (-loss.epsilon).exp(), number(&case["min_prob"]), 1e-9);
    }
}

/// The chance of each top token by the vector's convention: draws that fall into the tail never meet.
fn with_distinct_tail(top: &[f64], k: usize, epsilon: f64, s: f64) -> Vec<f64> {
    let rest = s - top.len() as f64;
    let tail = 1.0 - top.iter().sum::<f64>();
    let mut found = vec![0.0; top.len()];
    let mass = |set: usize| (0..top.len()).filter(|i| set >> i & 1 == 1).map(|i| top[i]).sum::<f64>();
    for in_tail in 0..=k {
        let ways: f64 = (0..in_tail).map(|i| (k - i) as f64 / (i + 1) as f64).product();
        let chance = ways * tail.powi(in_tail as i32);
        for set in 0..1_usize << top.len() {
            // The other draws hit every token of the set and nothing else (inclusion and exclusion).
            let mut exactly = 0.0;
            let mut part = set;
            loop {
                let sign = if (set.count_ones() - part.count_ones()) % 2 == 0 { 1.0 } else { -1.0 };
                exactly += sign * mass(part).powi((k - in_tail) as i32);
                if part == 0 {
                    break;
                }
                part = (part - 1) & set;
            }
            let size = f64::from(set.count_ones()) + in_tail as f64;
            let choose = 1.0 / (1.0 + (-epsilon * (mass(set) + in_tail as f64 * tail / rest - 0.5)).exp());
            for (i, found) in found.iter_mut().enumerate() {
                let inside = set >> i & 1 == 1;
                *found += chance * exactly * if inside { choose / size } else { (1.0 - choose) / (s - size) };
            }
        }
    }
    found
}

#[test]
fn two_set_on_a_large_vocabulary() {
    for case in vectors("two_set_s20000_P_top") {
        let top = numbers(&case["top"]);
        let (k, epsilon) = (case["k"].as_u64().unwrap() as usize, number(&case["eps"]));
        let s = case["s"].as_u64().unwrap() as u32;
        let expected = numbers(&case["per_token"]);
        let convention = with_distinct_tail(&top, k, epsilon, f64::from(s));
        all_close(&convention, &expected, 1e-7);
        close(convention.iter().sum(), number(&case["sum"]), 1e-7);
        // Ours lets tail draws meet, as they do; the vector's convention is off by less than 3e-7.
        let rest = s - top.len() as u32;
        let tail = (1.0 - top.iter().sum::<f64>()) / f64::from(rest);
        let classes: Vec<(f64, u32)> = top.iter().map(|p| (*p, 1)).chain([(tail, rest)]).collect();
        for (found, expected) in TwoSet::ideal(&classes, k, epsilon).iter().zip(expected) {
            assert!((found - expected).abs() < 3e-7, "{found} is not {expected}");
        }
    }
}

#[test]
fn table_3_of_the_second_paper() {
    // The exponential row reproduces at 2 + ln 20000; the two-set row does not, from the definition or otherwise.
    let file: Value = serde_json::from_str(include_str!("fixtures/privacy_vectors.json")).unwrap();
    let table = &file["table3"];
    let proposals = [[0.55, 0.20, 0.14, 0.04, 0.03], [0.37, 0.12, 0.08, 0.06, 0.05]];
    let epsilon = 2.0 + 20_000_f64.ln();
    let several = {
        let top = proposals[0];
        let tail = (1.0 - top.iter().sum::<f64>()) / 19_995.0;
        let p: Vec<f64> = top.iter().copied().chain(std::iter::repeat_n(tail, 19_995)).collect();
        Exponential::ideal(&p, epsilon)[..5].iter().sum::<f64>()
    };
    close(several, number(&table["reproduced_em_at_eps_2_plus_ln_s"][0]), 1e-9);
    for epsilon in ["1", "2", "3", "5"] {
        let top = proposals[0];
        let tail = (1.0 - top.iter().sum::<f64>()) / 19_995.0;
        let classes: Vec<(f64, u32)> = top.iter().map(|p| (*p, 1)).chain([(tail, 19_995)]).collect();
        let found: f64 = TwoSet::ideal(&classes, 5, epsilon.parse().unwrap())[..5].iter().sum();
        assert!((found - number(&table["def4_two_set"][epsilon][0])).abs() < 1e-7);
        assert!((found - number(&table["paper_two_set"][0])).abs() > 0.01, "the printed .7411 is not reached");
    }
}

#[test]
fn small_distributions() {
    for case in vectors("token_mechanisms_small") {
        let (p, epsilon) = (numbers(&case["p"]), number(&case["eps"]));
        let s = p.len() as u32;
        let scores: Vec<f32> = p.iter().map(|p| *p as f32).collect();
        // The vector's weights are e^(eps p): the paper's parameter is twice that.
        let exponential = numbers(&case["em_prob_weights_exp_eps_p"]);
        all_close(&Exponential::ideal(&p, 2.0 * epsilon), &exponential, 1e-9);
        all_close(
            &Exponential::new(2.0 * epsilon, s).unwrap().distribution(&scores, &PublicContext::NONE).unwrap(),
            &exponential,
            1e-3,
        );

        let (kept, other) = RandomizedResponse::ideal(epsilon, s);
        let response = numbers(&case["krr_argmax"]);
        all_close(&[kept, other, other, other, other], &response, 1e-9);
        all_close(
            &RandomizedResponse::new(epsilon, s).unwrap().distribution(&scores, &PublicContext::NONE).unwrap(),
            &response,
            1e-5,
        );

        let (high, low) = Subset::ideal(epsilon, 2, s);
        all_close(&[high, high, low, low, low], &numbers(&case["subset_rr_g2"]), 1e-9);

        for (good, name) in [(1, "band_g1"), (2, "band_g2")] {
            let expected = numbers(&case[name]);
            all_close(&Band::ideal(&p, epsilon, good), &expected, 1e-9);
            all_close(
                &Band::new(epsilon, good, s).unwrap().distribution(&scores, &PublicContext::NONE).unwrap(),
                &expected,
                1e-6,
            );
        }

        let floored = numbers(&case["floor_renorm"]);
        all_close(&Floored::ideal(&p, epsilon, epsilon), &floored, 1e-9);
        all_close(
            &Floored::new(epsilon, epsilon, s).unwrap().distribution(&scores, &PublicContext::NONE).unwrap(),
            &floored,
            1e-3,
        );
    }
}

#[test]
fn responses_and_subsets_on_a_large_vocabulary() {
    for case in vectors("krr_subset_s20000") {
        let (epsilon, good) = (number(&case["eps"]), case["g"].as_u64().unwrap() as usize);
        let (high, low) = Subset::ideal(epsilon, good, 20_000);
        close(high, number(&case["hi_each"]), 1e-9);
        close(low, number(&case["lo_each"]), 1e-9);
        close(high * good as f64, number(&case["P_hi_set"]), 1e-9);
        let Class::Band { hit } = Subset::new(epsilon, good, 20_000).unwrap().loss().class else { panic!("a band") };
        close(hit, number(&case["P_hi_set"]), 1e-5);
    }
}

#[test]
fn the_least_epsilon_of_any_mechanism() {
    for case in vectors("eps_needed_for_P_good") {
        let (s, good) = (case["s"].as_u64().unwrap() as u32, case["g"].as_u64().unwrap() as u32);
        close(least_epsilon(s, good, number(&case["r"])).unwrap(), number(&case["eps"]), 1e-9);
    }
}

#[test]
fn clipped_logits() {
    for case in vectors("logit_em_exact_bound") {
        let (s, range) = (case["s"].as_u64().unwrap() as u32, number(&case["R"]));
        close(ClippedLogit::ideal_loss(range, s), number(&case["exact"]), 1e-9);
        let mechanism = ClippedLogit::new(2.0 * range, 1.0, s).unwrap();
        close(mechanism.paper_epsilon().unwrap(), number(&case["claimed_2R"]), 1e-9);
        close(mechanism.loss().epsilon, number(&case["exact"]), 1e-6);
    }
}

#[test]
fn odds_are_not_wasted_on_rounding() {
    // Whole odds would give .693 at epsilon 1; ours are finer by 2^20.
    for case in vectors("integer_odds") {
        let target = number(&case["target_eps"]);
        close(number(&case["W"]).ln(), number(&case["eps_of_W"]), 1e-9);
        let loss = Subset::new(target, 1, 20_000).unwrap().loss().epsilon;
        assert!(loss <= target + 1e-12 && loss > target - 1e-5, "{loss}");
    }
}

#[test]
fn latent_noise_with_the_sensitivity_that_is_needed() {
    for case in vectors("adept") {
        let (n, epsilon) = (case["n"].as_u64().unwrap() as usize, number(&case["eps"]));
        let clip = number(&case["C"]);
        let l2 = latent::Latent::new(n, clip, epsilon, latent::Noise::LaplaceL2).unwrap();
        let (loss, delta) = l2.loss().unwrap();
        assert_eq!(delta, 0.0);
        close(loss, epsilon, 1e-4);
        // What the paper prints for this noise, and so how much it is off by.
        close(loss / l2.paper_epsilon().unwrap(), number(&case["true_eps_if_scale_2C_used"]), 1e-9);
        close(l2.scale(), number(&case["laplace_scale_correct"]), 1e-4);
        let l1 = latent::Latent::new(n, clip, epsilon, latent::Noise::LaplaceL1).unwrap();
        close(l1.scale(), number(&case["laplace_scale_if_L1_clip_C1"]), 1e-4);
    }
}
