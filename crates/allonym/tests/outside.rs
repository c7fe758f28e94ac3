//! A mechanism and a rewriter of another crate, with the public API alone: through the pipeline, the conformance suite and a
//! whole run on a file.

use allonym::conformance;
use allonym::dp::mechanism::{Mechanism, Reads};
use allonym::dp::{Class, Exit, ExitText, Loss, Outcome, PrivacyRng, PublicContext, Rewriter, Terms};
use allonym::method::{Method, RewriterMethod, TokenMethod};
use allonym::text::{Private, Vocabulary};
use allonym::{CancelToken, Pipeline, Settings, Silent};
use std::sync::Arc;

/// Randomized response written anew: the best outcome with weight `odds`, every other with weight 1.
#[derive(Debug)]
struct Response {
    odds: u64,
    outcomes: u32,
    /// What a wrong author would claim instead of ln(odds).
    claim: Option<f64>,
}

impl Response {
    fn best(&self, scores: &[f32]) -> u32 {
        let score = |outcome: &u32| scores.get(*outcome as usize).copied().unwrap_or(f32::NAN);
        (0..self.outcomes).max_by(|a, b| score(a).total_cmp(&score(b)).then(b.cmp(a))).unwrap_or(0)
    }

    fn total(&self) -> u64 {
        self.odds + u64::from(self.outcomes) - 1
    }
}

impl Mechanism for Response {
    fn name(&self) -> &'static str {
        "outside-response"
    }

    fn claimed_by(&self) -> &'static str {
        "some-other-crate"
    }

    fn outcomes(&self) -> u32 {
        self.outcomes
    }

    fn reads(&self) -> Reads {
        Reads::Order
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        let (best, total) = (self.best(scores), self.total() as f64);
        let weight = |outcome: u32| if outcome == best { self.odds as f64 } else { 1.0 };
        Some((0..self.outcomes).map(|outcome| weight(outcome) / total).collect())
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        let (best, place) = (self.best(scores), rng.below(self.total()));
        match place.checked_sub(self.odds) {
            None => Outcome::new(best),
            Some(other) => Outcome::new(other as u32 + u32::from(other >= u64::from(best))),
        }
    }

    fn loss(&self) -> Loss {
        let epsilon = self.claim.unwrap_or((self.odds as f64).ln());
        Loss { epsilon, class: Class::BoundedRange { range: 2.0 * epsilon } }
    }
}

fn vocabulary() -> Vocabulary {
    Vocabulary::parse("allonym-vocabulary 1 public\nit\nwas\ngreat\n").unwrap()
}

fn response(odds: u64, claim: Option<f64>) -> Arc<dyn Method> {
    let terms = Terms { max_tokens: 6, ..Terms::default() };
    let build = |outcomes| Box::new(Response { odds, outcomes, claim }) as Box<dyn Mechanism>;
    Arc::new(TokenMethod::with_own_words(vocabulary(), terms, build).unwrap())
}

/// Writes every text in lower case.
struct LowerCase;

impl Rewriter for LowerCase {
    type Input = String;
    type Output = String;

    fn name(&self) -> &str {
        "lower-case"
    }

    fn rewrite(&self, texts: Vec<String>, _: &mut [PrivacyRng]) -> Vec<String> {
        texts.into_iter().map(|text| text.to_lowercase()).collect()
    }
}

fn lower_case() -> Arc<dyn Method> {
    Arc::new(RewriterMethod::new(LowerCase, "some-other-crate", vec!["every word of the text".into()]).unwrap())
}

fn texts(texts: &[&str]) -> Vec<Private<String>> {
    texts.iter().map(|text| Private::new((*text).to_owned())).collect()
}

#[test]
fn both_pass_the_conformance_suite() {
    assert_eq!(conformance::check(&response(7, None)).unwrap(), Vec::<String>::new());
    assert_eq!(conformance::check(&lower_case()).unwrap(), Vec::<String>::new());
}

#[test]
fn a_mechanism_that_claims_too_little_fails_the_conformance_suite() {
    // Odds of 7 are a loss of ln 7 = 1.946, and 1.5 is claimed.
    let violations = conformance::check(&response(7, Some(1.5))).unwrap();
    assert!(violations.iter().any(|violation| violation.contains("audit")), "{violations:?}");
}

#[test]
fn a_mechanism_releases_and_the_statement_names_who_claims_its_loss() {
    let pipeline = Pipeline::with_method(response(1000, None), Some(7), 1).unwrap();
    let released = pipeline.release(&texts(&["It was great!"])).remove(0).unwrap();
    assert!(matches!(released, ExitText::Released(_)));
    let guarantee = pipeline.guarantee().unwrap();
    assert_eq!(guarantee.made_by(), Some("some-other-crate"));
    // Six draws of ln 1000 = 6.9078 each.
    assert!((guarantee.epsilon_total().unwrap() - 6.0 * 1000_f64.ln()).abs() < 1e-9);
    assert!(guarantee.to_string().contains("some-other-crate"), "{guarantee}");
}

#[test]
fn a_rewriter_yields_rewritten_texts_without_a_bound() {
    let pipeline = Pipeline::with_method(lower_case(), None, 1).unwrap();
    let released = pipeline.release(&texts(&["It WAS great!"])).remove(0).unwrap();
    assert!(matches!(released, ExitText::Rewritten(_)) && released.text() == "it was great!");
    let guarantee = pipeline.guarantee().unwrap();
    assert!(!guarantee.holds() && guarantee.epsilon_total().is_none());
    assert!(guarantee.to_string().contains("every word of the text"));
}

#[test]
fn a_rewriter_that_loses_a_text_fails_the_records_and_releases_nothing() {
    struct Lossy;
    impl Rewriter for Lossy {
        type Input = String;
        type Output = String;
        fn name(&self) -> &str {
            "lossy"
        }
        fn rewrite(&self, mut texts: Vec<String>, _: &mut [PrivacyRng]) -> Vec<String> {
            texts.pop();
            texts
        }
    }
    let method = Arc::new(RewriterMethod::new(Lossy, "some-other-crate", Vec::new()).unwrap());
    let pipeline = Pipeline::with_method(method, None, 1).unwrap();
    assert!(pipeline.release(&texts(&["a canary", "another"])).iter().all(Result::is_err));
}

#[test]
fn a_file_runs_through_a_mechanism_of_another_crate() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in.csv"), directory.path().join("out.csv"));
    std::fs::write(&input, "id,author,text\n1,anna,it was great\n2,ben,zyxwvcanary\n").unwrap();
    let settings = Settings { input, output: output.clone(), ..Settings::default() };
    let checked = settings.check_with(response(1000, None)).unwrap();
    let summary = allonym::run(&checked, &Silent, &CancelToken::new()).unwrap();
    assert_eq!(summary.guarantee.method(), "outside-response");
    let released = std::fs::read_to_string(&output).unwrap();
    assert!(released.starts_with("id,text\n1,") && !released.contains("canary") && !released.contains("anna"));
}
