//! What a run promises after the steps it made.

use super::Standing;
use crate::card::{Differential, Protection};
use crate::error::NnError;
use crate::optimiser::PrivateSettings;
use crate::sampling::Poisson;
use allonym_dp::accountant::privacy_loss::{self, Adjacency, Releases};

/// What is promised after so many steps, or where a checkpoint is chosen by what it learned, of a run of so many. `seeded` says that the noise came from a seed that somebody knows.
///
/// # Errors
/// When the accountant finds no bound.
pub fn protection(
    standing: Standing,
    private: Option<(&PrivateSettings, Poisson)>,
    steps: u64,
    seeded: bool,
) -> Result<Protection, NnError> {
    let Some((settings, sampling)) = private else {
        return Ok(match standing {
            Standing::Public => Protection::Public,
            Standing::Private => Protection::Unprotected,
        });
    };
    let mut void = Vec::new();
    void.extend(settings.unprotected().map(str::to_owned));
    if seeded {
        void.push("the noise comes from a seed: whoever knows it can take it away".to_owned());
    }
    let rate = sampling.rate();
    let made = (steps > 0).then_some(Releases { noise: settings.noise, rate, count: steps });
    let beside = settings.beside.map(|noise| Releases { noise, rate: 1.0, count: 1 });
    let releases: Vec<Releases> = made.into_iter().chain(beside).collect();
    let price = |adjacency| match releases.len() {
        0 => Ok(0.0),
        _ if steps > 0 && settings.unprotected().is_some() => Ok(f64::INFINITY),
        _ => privacy_loss::of_all(&releases, settings.delta, adjacency),
    };
    let mut not_protected = vec![
        "several examples of one author together".to_owned(),
        "facts that many examples repeat".to_owned(),
        "other runs on the same examples, such as those that chose the settings".to_owned(),
        "how long training took".to_owned(),
    ];
    if settings.owner_only {
        not_protected.push("the recorded losses: they are exact, and for the owner of the examples only".to_owned());
    }
    Ok(Protection::Differential(Differential {
        unit: "one training example".to_owned(),
        epsilon_add_remove: price(Adjacency::AddRemove)?,
        epsilon_replace_one: price(Adjacency::ReplaceOne)?,
        delta: settings.delta,
        method: "privacy loss distribution of Gaussian noise on Poisson samples, pessimistic".to_owned(),
        rate,
        counted_steps: steps,
        assumptions: vec![
            "the number of examples is public".to_owned(),
            "vocabulary, initial parameters and settings were chosen without the examples".to_owned(),
            "the run was not stopped because of what its model had learned".to_owned(),
            "noise of 64-bit floats on a grid counts as Gaussian, and sums of 32-bit floats as exact".to_owned(),
        ],
        not_protected,
        void,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: PrivateSettings =
        PrivateSettings { noise: 1.0, clip: 0.5, delta: 1e-5, owner_only: false, beside: None };

    fn differential(settings: PrivateSettings, steps: u64, seeded: bool) -> Differential {
        let sampling = Poisson::new(10_000, 100).unwrap();
        match protection(Standing::Private, Some((&settings, sampling)), steps, seeded).unwrap() {
            Protection::Differential(differential) => differential,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_price_is_that_of_the_accountant_for_both_adjacencies() {
        // noise 1, rate 1/100, 1000 steps, delta 1e-5: 1.8282 and 2.8434 by dp-accounting 0.6.0.
        let promise = differential(SETTINGS, 1000, false);
        assert!((promise.epsilon_add_remove - 1.8282).abs() < 1e-3, "{}", promise.epsilon_add_remove);
        assert!((promise.epsilon_replace_one - 2.8434).abs() < 1e-3, "{}", promise.epsilon_replace_one);
        assert!(promise.void.is_empty());
    }

    #[test]
    fn a_seed_no_noise_and_no_clip_void_the_promise() {
        assert_eq!(differential(SETTINGS, 10, true).void.len(), 1);
        let none = differential(PrivateSettings { noise: 0.0, clip: f64::INFINITY, ..SETTINGS }, 10, false);
        assert!(none.epsilon_add_remove == f64::INFINITY && none.void == ["gradients are not clipped"]);
        assert_eq!(differential(PrivateSettings { noise: 0.0, ..SETTINGS }, 10, false).void, ["no noise is added"]);
    }

    #[test]
    fn what_was_released_beside_is_part_of_the_price_from_the_first_step() {
        let beside = PrivateSettings { beside: Some(5.0), ..SETTINGS };
        let promise = differential(beside, 1000, false);
        assert!(promise.epsilon_add_remove > 1.83 && promise.epsilon_replace_one > 2.85, "{promise:?}");
        // One Gaussian release with noise 5 at delta 1e-5: 0.7255 by dp-accounting 0.6.0.
        let before = differential(beside, 0, false).epsilon_add_remove;
        assert!((before - 0.7255).abs() < 1e-3, "{before}");
    }

    #[test]
    fn before_the_first_step_nothing_is_spent() {
        assert_eq!(differential(SETTINGS, 0, false).epsilon_replace_one, 0.0);
    }

    #[test]
    fn without_noise_private_data_has_no_protection_and_public_data_needs_none() {
        assert_eq!(protection(Standing::Private, None, 5, true).unwrap(), Protection::Unprotected);
        assert_eq!(protection(Standing::Public, None, 5, true).unwrap(), Protection::Public);
    }
}
