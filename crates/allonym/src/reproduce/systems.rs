//! The systems that are compared, each by the settings of its release.

use crate::method::MethodSettings;
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
    pub(super) settings: MethodSettings,
}

impl System {
    /// The method, with leave to use a model that was trained on private texts, where it has one.
    pub(super) fn method(&self, allow_private_model: bool) -> MethodSettings {
        match allow_private_model && self.settings.has("model") {
            true => self.settings.clone().with("allow-private-model", true),
            false => self.settings.clone(),
        }
    }
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
    let with = |method: &str, epsilon: Option<f64>| {
        // As in the papers, which keep the number of tokens without saying so.
        let method = MethodSettings::named(method).with("length", "public").with("max-tokens", max_tokens as i64);
        epsilon.map_or(method.clone(), |epsilon| method.with("epsilon", epsilon))
    };
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let of = |model: &Path, method: MethodSettings| method.with("model", path(model));
    let system = |name: String, title: String, curve, settings| System { name, title, curve, settings };
    let mut all = vec![system(
        "random-r".into(),
        "Random-R".into(),
        None,
        with("random", None).with("vocabulary-size", words as i64),
    )];
    if let Some(embeddings) = embeddings {
        let settings =
            with("syntf", Some(SYNTF)).with("vocabulary-size", words as i64).with("embeddings", path(embeddings));
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
            let settings = of(model, with(mechanism, None)).with("epsilon-per-token", equal);
            let title = format!("{title}, {mechanism} at the same true loss");
            all.push(system(format!("{name}-{mechanism}"), title, None, settings));
        }
    }
    all
}
