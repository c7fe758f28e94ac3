//! Every method of the registry passes the conformance suite.

mod common;

use allonym::method::registry::{self, METHODS};
use allonym::{MethodSettings, conformance};
use common::Place;

/// What a method violates.
fn violations(settings: &MethodSettings) -> Vec<String> {
    conformance::check(&registry::build(settings).unwrap()).unwrap()
}

#[test]
fn methods_that_need_no_files_conform() {
    for entry in METHODS.iter().filter(|entry| !entry.needs_files) {
        let mut settings = MethodSettings::named(entry.name).with("max-tokens", 6);
        if entry.settings.iter().any(|list| list.contains(&"epsilon")) {
            // Above ln 300, which `two-set` costs at least.
            settings = settings.with("epsilon-per-token", 6.0);
        }
        if entry.name != allonym::method::DEFAULT {
            settings = settings.with("vocabulary-size", 300);
        }
        assert_eq!(violations(&settings), Vec::<String>::new());
    }
}

#[test]
fn proposals_of_a_model_conform() {
    let settings = MethodSettings::named("subset").with("epsilon-per-token", 6.0).with("max-tokens", 6);
    assert_eq!(violations(&settings.with("model", common::model())), Vec::<String>::new());
}

#[test]
fn noise_on_words_conforms() {
    let place = Place::new();
    let vectors = common::vectors(&place);
    for name in ["metric-noise", "metric-mahalanobis"] {
        let settings = MethodSettings::named(name).with("epsilon", 2.0).with("length", "public").with("max-tokens", 6);
        let settings = settings.with("embeddings", vectors.clone()).with("vocabulary-size", 100);
        assert_eq!(violations(&settings), Vec::<String>::new());
    }
}

#[test]
fn noise_on_the_vector_of_a_text_conforms() {
    let settings = MethodSettings::named("latent-laplace").with("epsilon", 5.0).with("model", common::latent_model());
    assert_eq!(violations(&settings), Vec::<String>::new());
    let settings = MethodSettings::named("latent-gaussian").with("epsilon", 5.0).with("delta", 1e-5);
    assert_eq!(violations(&settings.with("model", common::latent_model())), Vec::<String>::new());
}
