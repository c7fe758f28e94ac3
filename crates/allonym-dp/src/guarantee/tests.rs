//! What each constructor claims, what is printed, and what a file carries.

use super::*;
use crate::accountant::privacy_loss::{self, Releases};
use crate::counts::LargeCounts;
use crate::histogram::Shares;
use crate::latent::{Latent, Noise};
use crate::length::Length;
use crate::mechanism::RandomizedResponse;
use crate::terms::Terms;

/// Fifty draws with a loss of a fiftieth of this each.
fn guarantee(epsilon_total: f64) -> Guarantee {
    let bound = Bound::Differential {
        epsilon_per_token: Some(epsilon_total / 50.0),
        epsilon_total,
        delta: 0.0,
        accounting: "pure composition".to_owned(),
    };
    let statement = Statement::new("example", bound, Unit::Text, Adjacency::AnyTexts, false);
    let mut guarantee = Guarantee(statement).with_terms(&Terms::default());
    guarantee.push_not_protected("facts and style");
    guarantee.push_assumption("the vocabulary is public");
    guarantee
}

fn seeded() -> Guarantee {
    let mechanism = RandomizedResponse::new(0.02, 100).unwrap();
    Guarantee::for_tokens(&mechanism, &Terms::default(), true).unwrap()
}

fn trained(labels: usize, delta: f64) -> Guarantee {
    let loss = RecordLoss::from_releases(&[Releases { noise: 5.0, rate: 1.0, count: 1 }], delta).unwrap();
    Guarantee::for_private_training("tuned", &vec![Some(loss); labels], false)
}

#[test]
fn what_is_not_protected_comes_first() {
    let mut guarantee = guarantee(1.0);
    guarantee.push_not_protected("other columns");
    let statement = guarantee.to_string();
    assert!(statement.starts_with("not protected\n  - facts and style"));
    assert!(statement.find("  - other columns\n").unwrap() < statement.find("protected by `").unwrap());
}

#[test]
fn a_total_above_twenty_is_called_vacuous() {
    assert!(guarantee(20.1).to_string().contains("promises nothing in the worst case"));
    assert!(!guarantee(19.9).to_string().contains("promises nothing"));
}

#[test]
fn a_loss_above_ten_is_vacuous_where_a_record_is_added_or_removed() {
    let shares = |epsilon| Guarantee::for_shares("unigram", &Shares::new(epsilon).unwrap(), 1, false).to_string();
    assert!(shares(10.1).contains("promises nothing in the worst case"));
    assert!(!shares(9.9).contains("promises nothing"));
}

#[test]
fn a_seeded_release_says_that_it_is_not_private() {
    assert!(seeded().to_string().contains("not private: seeded"));
    assert!(!seeded().holds() && guarantee(1.0).holds());
    assert_eq!(serde_json::to_value(seeded()).unwrap()["holds"], false);
}

#[test]
fn a_reason_voids_a_guarantee_and_leaves_its_bound() {
    let mut void = guarantee(1.0);
    void.push_void("the vocabulary was counted from private texts");
    assert!(!void.holds() && void.epsilon_total() == guarantee(1.0).epsilon_total());
    assert!(void.to_string().contains("  void: the vocabulary was counted from private texts. Otherwise it would be:"));
}

#[test]
fn the_posterior_is_bounded_by_the_odds() {
    // Prior odds 1/99, times e^1: 2.71828/99 = .027457; as a probability .027457/1.027457 = .026724.
    let posterior = guarantee(1.0).worst_posterior(0.01).unwrap();
    assert!((posterior - 0.026_724).abs() < 1e-6, "{posterior}");
    assert_eq!(guarantee(0.0).worst_posterior(0.01), Some(0.01));
    assert_eq!(guarantee(1e6).worst_posterior(0.01), Some(1.0));
}

#[test]
fn json_has_the_words_of_the_glossary() {
    let json = serde_json::to_value(guarantee(1.0)).unwrap();
    assert_eq!((&json["epsilon_total"], &json["epsilon_per_token"]), (&1.0.into(), &0.02.into()));
    assert_eq!((&json["delta"], &json["kind"]), (&0.0.into(), &"differential".into()));
    assert_eq!((&json["length"], &json["max_tokens"]), (&"fixed".into(), &50.into()));
    assert_eq!((&json["method"], &json["mechanism"]), (&"example".into(), &"example".into()));
    assert_eq!((&json["unit"], &json["adjacency"]), (&"one record's text".into(), &"any two texts".into()));
}

#[test]
fn tokens_of_public_length_are_adjacent_to_texts_of_the_same_length() {
    let mechanism = RandomizedResponse::new(0.5, 100).unwrap();
    let terms = Terms { max_tokens: 4, length: Length::Public, ..Terms::default() };
    let guarantee = Guarantee::for_tokens(&mechanism, &terms, false).unwrap();
    // Four draws of a half, but for the grid on which chances are put.
    assert!((guarantee.epsilon_total().unwrap() - 2.0).abs() < 1e-4);
    assert_eq!((guarantee.unit(), guarantee.adjacency()), (Unit::Text, Adjacency::SameTokenCount));
    assert!(guarantee.not_protected()[0].starts_with("the number of tokens of each text, up to 4"));
}

#[test]
fn word_noise_is_metric_and_bounded_by_the_largest_distance() {
    let terms = Terms { max_tokens: 10, length: Length::Public, ..Terms::default() };
    let distances = WordDistances { median_nearest: 0.5, largest: 3.0 };
    let guarantee = Guarantee::for_word_noise("metric-noise", 2.0, distances, &terms, false).unwrap();
    // 2 per unit, at most 3 units, 10 words.
    assert!((guarantee.epsilon_total().unwrap() - 60.0).abs() < 1e-9 && guarantee.delta() == Some(0.0));
    assert!(matches!(guarantee.bound(), Bound::Metric { epsilon_per_distance: 2.0, largest_distance: 3.0, .. }));
    assert_eq!((guarantee.unit(), guarantee.adjacency()), (Unit::Text, Adjacency::SameTokenCount));
    assert!(guarantee.to_string().contains("metric privacy: 2 per unit of distance"));
    let endless = WordDistances { median_nearest: 0.5, largest: f64::INFINITY };
    assert!(Guarantee::for_word_noise("metric-noise", 2.0, endless, &terms, false).is_err());
    assert!(Guarantee::for_word_noise("metric-noise", f64::NAN, distances, &terms, false).is_err());
}

#[test]
fn latent_noise_is_one_draw_for_the_whole_text() {
    let latent = Latent::new(16, 1.0, 2.0, Noise::LaplaceL2).unwrap();
    let guarantee = Guarantee::for_latent("latent-laplace", &latent, &Terms::default(), false).unwrap();
    assert_eq!((guarantee.epsilon_total(), guarantee.delta()), (Some(latent.loss().unwrap().0), Some(0.0)));
    // The paper omits the root of 16 dimensions.
    assert!((guarantee.paper_epsilon_total().unwrap() - 0.5).abs() < 1e-3);
    assert_eq!((guarantee.unit(), guarantee.adjacency()), (Unit::Text, Adjacency::AnyTexts));
    assert!(guarantee.epsilon_per_token().is_none());
    assert!(guarantee.to_string().contains("  in one draw for the whole text, whatever its length\n"));
}

#[test]
fn shares_cost_twice_where_a_record_is_replaced() {
    let shares = Shares::new(2.0).unwrap();
    let claims = |labels| Guarantee::for_shares("unigram", &shares, labels, false).claims();
    let claim = |adjacency, epsilon| Claim { adjacency, epsilon, delta: 0.0 };
    let of_one = [claim(Adjacency::AddRemove, 2.0), claim(Adjacency::ReplaceOne, 4.0)];
    assert_eq!(claims(1), of_one);
    assert_eq!(claims(2)[2], claim(Adjacency::OtherLabel, 4.0));
    assert_eq!(Guarantee::for_shares("unigram", &shares, 1, false).unit(), Unit::LearnedRecord);
}

#[test]
fn training_costs_what_the_accountant_says_and_twice_for_another_label() {
    let add_remove = privacy_loss::epsilon(5.0, 1.0, 1, 1e-3, privacy_loss::Adjacency::AddRemove).unwrap();
    let replace_one = privacy_loss::epsilon(5.0, 1.0, 1, 1e-3, privacy_loss::Adjacency::ReplaceOne).unwrap();
    let guarantee = trained(2, 1e-3);
    let found: Vec<(f64, f64)> = guarantee.claims().iter().map(|claim| (claim.epsilon, claim.delta)).collect();
    assert_eq!(found, [(add_remove, 1e-3), (replace_one, 1e-3), (2.0 * add_remove, 2e-3)]);
    assert_eq!(trained(1, 1e-3).claim(Adjacency::OtherLabel), None);
    assert!(guarantee.to_string().contains("if one record is replaced by one of another label, delta 2e-3\n"));
}

#[test]
fn the_largest_loss_of_all_labels_is_claimed() {
    let loss = |noise| RecordLoss::from_releases(&[Releases { noise, rate: 1.0, count: 1 }], 1e-3).unwrap();
    let (small, large) = (loss(5.0), loss(2.0));
    let guarantee = Guarantee::for_private_training("tuned", &[Some(small), Some(large)], false);
    assert_eq!(guarantee.epsilon_total(), Some(large.add_remove()));
    assert_eq!(guarantee.claim(Adjacency::ReplaceOne).unwrap().epsilon, large.replace_one());
}

#[test]
fn one_model_without_noise_voids_the_bound_of_all() {
    let loss = RecordLoss::from_releases(&[Releases { noise: 5.0, rate: 1.0, count: 1 }], 1e-3).unwrap();
    for losses in [&[Some(loss), None][..], &[None], &[]] {
        let guarantee = Guarantee::for_private_training("tuned", losses, false);
        assert_eq!((guarantee.bound(), guarantee.holds(), guarantee.claims().len()), (&Bound::None, false, 0));
        assert!(guarantee.to_string().contains("not private: the model was trained without noise"));
        assert!(guarantee.to_string().contains("no formal guarantee"));
    }
}

#[test]
fn a_step_that_reads_all_records_leaves_no_bound_for_the_originals() {
    let guarantee = trained(1, 1e-3).after_generalization();
    assert!(!guarantee.holds() && guarantee.depends_on_other_records());
    let told = guarantee.to_string();
    assert!(told.contains("for one record after its names were generalized"), "{told}");
    assert!(told.contains("  depends on other records"), "{told}");
}

#[test]
fn counts_bound_the_choice_of_forms_alone() {
    let counts = LargeCounts::new(1.0, 1e-6, 12, 5).unwrap();
    let guarantee = Guarantee::for_counts("generalize (private)", &counts, false);
    // A record exchanged is a group of two: epsilon 2, delta (1 + e) 1e-6.
    let claim = guarantee.claim(Adjacency::ReplaceOne).unwrap();
    assert!((claim.epsilon - 2.0).abs() < 1e-9 && (claim.delta - 3.718_281_9e-6).abs() < 1e-12, "{claim:?}");
    assert_eq!((guarantee.epsilon_total(), guarantee.delta()), (Some(1.0), Some(1e-6)));
    assert_eq!((guarantee.unit(), guarantee.adjacency()), (Unit::SharedNames, Adjacency::AddRemove));
    assert!(guarantee.to_string().contains("depends on other records"));
}

#[test]
fn a_group_of_two_without_a_bound_is_not_claimed() {
    // Twice a delta of a half is one and more.
    let counts = LargeCounts::new(1.0, 0.5, 1, 5).unwrap();
    assert_eq!(Guarantee::for_counts("counts", &counts, false).claim(Adjacency::ReplaceOne), None);
}

#[test]
fn a_measured_method_claims_no_bound() {
    let guarantee = Guarantee::measured("agent", Unit::Text, false);
    assert!(!guarantee.holds() && guarantee.claims().is_empty() && guarantee.worst_posterior(0.01).is_none());
    assert_eq!(guarantee.adjacency(), Adjacency::Unbounded);
    assert_eq!(
        guarantee.to_string(),
        "not protected\nprotected by `agent`\n  no formal guarantee: rely on measured attacks\n"
    );
}

#[test]
fn a_claim_of_another_crate_is_named() {
    let guarantee = guarantee(1.0).with_made_by("my-mechanisms");
    assert_eq!(guarantee.made_by(), Some("my-mechanisms"));
    assert!(guarantee.to_string().contains("  claimed by `my-mechanisms`, which this program has not verified\n"));
}

#[test]
fn a_guarantee_reads_back_as_a_claim() {
    let distances = WordDistances { median_nearest: 0.5, largest: 3.0 };
    let words = Guarantee::for_word_noise("metric-noise", 2.0, distances, &Terms::default(), true).unwrap();
    let counts = Guarantee::for_counts("counts", &LargeCounts::new(1.0, 1e-6, 12, 5).unwrap(), false);
    let agent = Guarantee::measured("agent", Unit::Text, false).with_made_by("elsewhere");
    for guarantee in [guarantee(1.0), words, counts, agent, trained(2, 1e-3)] {
        let json = serde_json::to_string(&guarantee).unwrap();
        let claimed: ClaimedGuarantee = serde_json::from_str(&json).unwrap();
        assert_eq!(claimed, guarantee.as_claimed());
        assert_eq!(claimed.to_string(), format!("claimed:\n{guarantee}"));
    }
}
