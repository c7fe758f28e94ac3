//! What every statement about a text method adds to its bound: the vocabulary, the authors, the form.

use super::source::Form;
use allonym_dp::{Guarantee, Strength};
use allonym_text::Vocabulary;
use allonym_text::vocabulary::Origin;

/// Adds the assumptions about words and authors.
pub(super) fn complete(guarantee: &mut Guarantee, vocabulary: &Vocabulary, public_words: &str) {
    guarantee.assumptions.push(match vocabulary.origin() {
        Origin::Public => public_words.to_owned(),
        Origin::Private => "the vocabulary is public (IT IS NOT: it was counted from private texts)".to_owned(),
    });
    guarantee.assumptions.push(match guarantee.strength {
        Strength::Empirical => "attackers have no more than those who were measured".to_owned(),
        _ => "the records are of different authors: n records of one author cost n times".to_owned(),
    });
    if vocabulary.origin() == Origin::Private {
        guarantee.void.push("the vocabulary was counted from private texts".into());
        guarantee.not_protected.push("which words occur in the texts the vocabulary was counted from".into());
    }
}

/// Says in which form texts are released, where it is not text.
pub(super) fn state_form(guarantee: &mut Guarantee, form: Form) {
    if form == Form::Vector {
        guarantee.also.push("released as counts of words, without their order".to_owned());
    }
}
