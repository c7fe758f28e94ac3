//! Texts that a method without a bound has rewritten.

use crate::rng::PrivacyRng;
use allonym_text::Private;

/// Rewrites texts without a formal bound: rules, agents, language models.
///
/// Whatever it returns is [`Rewritten`], and the statement of the release says that nothing is promised about it. The
/// result for a text must not depend on its neighbors in the batch.
pub trait Rewriter: Send + Sync {
    /// What it reads: a text, a parsed document, token ids.
    type Input;
    /// What it writes.
    type Output;

    /// The name in statements.
    fn name(&self) -> &str;

    /// Rewrites inputs, each with random numbers of its own. Returns one output per input, in their order.
    fn rewrite(&self, inputs: Vec<Self::Input>, rngs: &mut [PrivacyRng]) -> Vec<Self::Output>;
}

/// A value made by a [`Rewriter`]: no formal bound holds for it.
///
/// ```compile_fail
/// // No closure makes one.
/// use allonym_text::Private;
/// let text = Private::new(String::from("an original"));
/// let rewritten: allonym_dp::Rewritten<String> = allonym_dp::rewrite(text, |text| text);
/// ```
/// ```compile_fail
/// // It never becomes a released value.
/// fn promote(text: allonym_dp::Rewritten<String>) -> allonym_dp::Released<String> { text.into() }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten<T>(T);

super::exit_type!(Rewritten);

/// Rewrites one value.
pub fn rewrite<R: Rewriter + ?Sized>(
    rewriter: &R,
    input: Private<R::Input>,
    rng: &mut PrivacyRng,
) -> Option<Rewritten<R::Output>> {
    let input = input.declassify(REASON);
    rewriter.rewrite(vec![input], std::slice::from_mut(rng)).pop().map(Rewritten)
}

/// Rewrites several values; each has random numbers of its own. `None` when the rewriter returned another number of values
/// than it was given: then it is unknown which belongs to which.
pub fn rewrite_batch<R: Rewriter + ?Sized>(
    rewriter: &R,
    inputs: Vec<Private<R::Input>>,
    rngs: &mut [PrivacyRng],
) -> Option<Vec<Rewritten<R::Output>>> {
    let count = inputs.len();
    let inputs = inputs.into_iter().map(|input| input.declassify(REASON)).collect();
    let outputs = rewriter.rewrite(inputs, rngs);
    (outputs.len() == count).then(|| outputs.into_iter().map(Rewritten).collect())
}

/// Why a private value is opened here.
const REASON: &str = "a rewriter reads it: no bound is promised, and the statement says so";
