//! What every method must pass, whatever it is and wherever it comes from: run it in a test of the method's own crate.
//!
//! ```
//! use allonym::{MethodSettings, conformance, method::registry};
//!
//! let method = registry::build(&MethodSettings::named("random").with("max-tokens", 5))?;
//! assert_eq!(conformance::check(&method)?, Vec::<String>::new());
//! # Ok::<(), allonym::Failure>(())
//! ```

use crate::failure::Failure;
use crate::method::{Corpus, Method};
use crate::pipeline::Pipeline;
use allonym_dp::audit::Effort;
use allonym_dp::{Bound, Exit, ExitText};
use allonym_text::Private;
use std::sync::Arc;

/// A word that no vocabulary has.
const CANARY: &str = "zyxwvcanary";

/// Texts that are released beside each other.
const TEXTS: [&str; 6] = [
    "It was great, was it?",
    "",
    "The room was small, but the people were kind; we will come back next summer with our friends.",
    "it was zyxwvcanary",
    "No.",
    "word word word word word word word word word word word word word word word word word word",
];

/// Pairs of texts that read the same once in plain form, for methods that claim a bound: (what differs, one, the other).
const SAME_WORDS: [(&str, &str, &str); 7] = [
    ("case", "It was great, was it?", "IT WAS GREAT, was IT?"),
    ("spacing", "It was great, was it?", "  It  was\u{A0}great ,\twas it ?  "),
    ("Unicode form", "a caf\u{E9}, isn't it", "a cafe\u{301}, isn\u{2019}t it"),
    ("invisible characters", "it was great", "it w\u{200B}as gre\u{AD}at\u{202C}"),
    ("look-alike letters", "it was great", "it w\u{430}s gre\u{430}t"),
    ("an unknown word", "it was zyxwvcanary", "it was qponmlcanary"),
    ("the form of a quote", "\"it\" was 'fine'", "“it” was ‘fine’"),
];

/// The corpus of a test.
struct Texts(Option<Vec<Private<String>>>);

impl Corpus for Texts {
    fn next_batch(&mut self) -> Result<Option<Vec<Private<String>>>, Failure> {
        Ok(self.0.take())
    }
}

fn private(texts: &[&str]) -> Vec<Private<String>> {
    texts.iter().map(|text| Private::new((*text).to_owned())).collect()
}

/// Releases texts in batches of a size; a text that fails is its error.
fn released(
    method: &Arc<dyn Method>,
    texts: &[&str],
    batch: usize,
    threads: usize,
) -> Result<Vec<Result<ExitText, String>>, Failure> {
    let mut corpus = Texts(Some(private(texts)));
    let pipeline = Pipeline::prepared(method.clone(), Some(7), threads, &mut corpus)?;
    let batches = texts.chunks(batch).flat_map(|texts| pipeline.release(&private(texts)));
    Ok(batches.map(|text| text.map_err(|error| error.to_string())).collect())
}

/// Runs the suite; returns what the method violates.
///
/// # Errors
/// When the method cannot be prepared at all.
pub fn check(method: &Arc<dyn Method>) -> Result<Vec<String>, Failure> {
    let mut violations = Vec::new();
    let mut require = |holds: bool, claim: &str| {
        if !holds {
            violations.push(format!("{}: {claim}", method.name()));
        }
    };
    let together = released(method, &TEXTS, TEXTS.len(), 1)?;
    require(together.len() == TEXTS.len(), "one result per record");
    require(released(method, &TEXTS, 1, 1)? == together, "the cuts between batches change nothing");
    require(released(method, &TEXTS, 4, 3)? == together, "the number of threads changes nothing");
    if !method.needs_corpus() {
        let mut others = TEXTS;
        (others[1], others[3], others[5]) = ("another neighbor", "with more words than there were before", "");
        let beside = released(method, &others, TEXTS.len(), 1)?;
        let same = [0, 2, 4].iter().all(|place| beside.get(*place) == together.get(*place));
        require(same, "the neighbors of a record change nothing");
    }
    let guarantee = method.guarantee(false)?;
    let bounded = *guarantee.bound() != Bound::None;
    let statement = guarantee.to_string();
    require(statement.starts_with("not protected") || !bounded, "the statement says first what is not protected");
    require(guarantee.method() == method.name(), "the statement names the method");
    require(!method.guarantee(true)?.holds(), "a seed voids the guarantee");
    for text in together.iter().flatten() {
        let promised = matches!(text, ExitText::Released(_) | ExitText::Synthetic(_));
        require(promised == bounded, "the exit type is that of the guarantee");
        require(!bounded || !text.text().contains(CANARY), "a word outside the vocabulary never leaves");
    }
    require(!format!("{method:?}").contains(CANARY), "debug output quotes no text");
    if bounded {
        for (what, one, other) in SAME_WORDS {
            let alike = released(method, &[one], 1, 1)? == released(method, &[other], 1, 1)?;
            require(alike, &format!("{what} leaves no trace"));
        }
        let findings = method.audit(&Effort { draws: 20_000, seed: 7 })?;
        require(!findings.is_empty(), "a claimed bound is audited");
        require(findings.iter().all(|finding| finding.passed), "the audit finds no larger loss than is claimed");
    }
    Ok(violations)
}
