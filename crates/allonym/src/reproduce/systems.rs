//! The systems that are compared, each by the settings of its release.

use crate::settings::Settings;
use allonym_dp::Length;
use std::path::Path;

/// One release of the comparison.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// The name of its file.
    pub(super) name: String,
    /// What it is called in the tables.
    pub(super) title: String,
    /// Which curve it is on, and at which epsilon of the paper.
    pub(super) curve: Option<(&'static str, f64)>,
    pub(super) settings: Settings,
}

/// Two-set at the epsilons of figure 2.
const TWO_SET: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
/// The exponential mechanism at those of the first version.
const EXPONENTIAL: [f64; 4] = [10.0, 20.0, 30.0, 42.5];
/// SynTF at its own.
const SYNTF: f64 = 42.5;
/// What the tables are made at.
pub(super) const OF_TABLE: f64 = 3.0;

/// All systems. `words` is the size of the vocabulary, which decides what equal true loss means.
pub(super) fn systems(
    er_ae: &Path,
    ae_dp: &Path,
    embeddings: Option<&Path>,
    words: usize,
    max_tokens: usize,
) -> Vec<System> {
    let with = |mechanism: &str, epsilon: Option<f64>| Settings {
        mechanism: mechanism.to_owned(),
        epsilon,
        // As in the papers, which keep the number of tokens without saying so.
        length: Length::Public,
        max_tokens,
        ..Settings::default()
    };
    let of = |model: &Path, settings: Settings| Settings { model: Some(model.to_owned()), ..settings };
    let system = |name: String, title: String, curve, settings| System { name, title, curve, settings };
    let mut all = vec![system(
        "random-r".into(),
        "Random-R".into(),
        None,
        Settings { vocabulary_size: Some(words), ..with("random", None) },
    )];
    if let Some(embeddings) = embeddings {
        let settings = Settings {
            vocabulary_size: Some(words),
            embeddings: Some(embeddings.to_owned()),
            ..with("syntf", Some(SYNTF))
        };
        all.push(system(format!("syntf-{SYNTF}"), format!("SynTF, {SYNTF}"), None, settings));
    }
    let two_set = format!("ae-dp-two-set-{OF_TABLE}");
    all.push(system(two_set, format!("AE-DP, two-set {OF_TABLE}"), None, of(ae_dp, with("two-set", Some(OF_TABLE)))));
    for epsilon in TWO_SET {
        let settings = of(er_ae, with("two-set", Some(epsilon)));
        all.push(system(
            format!("er-ae-two-set-{epsilon}"),
            format!("ER-AE, two-set {epsilon}"),
            Some(("two-set", epsilon)),
            settings,
        ));
    }
    for epsilon in EXPONENTIAL {
        let settings = of(er_ae, with("exponential", Some(epsilon)));
        all.push(system(
            format!("er-ae-exponential-{epsilon}"),
            format!("ER-AE, exponential {epsilon}"),
            Some(("exponential", epsilon)),
            settings,
        ));
    }
    // At the true loss of two-set at the tables' epsilon: what could have been had for the same price.
    let equal = OF_TABLE / 2.0 + ((words - 1) as f64).ln();
    for (name, title, model) in [("er-ae", "ER-AE", er_ae), ("ae-dp", "AE-DP", ae_dp)] {
        for mechanism in ["subset", "band"] {
            let settings = Settings { epsilon_per_token: Some(equal), ..of(model, with(mechanism, None)) };
            let title = format!("{title}, {mechanism} at the same true loss");
            all.push(system(format!("{name}-{mechanism}"), title, None, settings));
        }
    }
    all
}
