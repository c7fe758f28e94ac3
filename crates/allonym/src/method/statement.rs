//! What every statement about a text method adds to its bound: the vocabulary, the authors, the form.

use super::source::Form;
use allonym_dp::{Bound, Guarantee};
use allonym_text::Vocabulary;
use allonym_text::vocabulary::Origin;

/// Adds the assumptions about words and authors.
pub(super) fn complete(guarantee: &mut Guarantee, vocabulary: &Vocabulary, public_words: &str) {
    guarantee.push_assumption(match vocabulary.origin() {
        Origin::Public => public_words.to_owned(),
        Origin::Private => "the vocabulary is public (IT IS NOT: it was counted from private texts)".to_owned(),
    });
    guarantee.push_assumption(match guarantee.bound() {
        Bound::None => "attackers have no more than those who were measured".to_owned(),
        _ => "the records are of different authors: n records of one author cost n times".to_owned(),
    });
    if vocabulary.origin() == Origin::Private {
        guarantee.push_void("the vocabulary was counted from private texts");
        guarantee.push_not_protected("which words occur in the texts the vocabulary was counted from");
    }
}

/// Says in which form texts are released, where it is not text.
pub(super) fn state_form(guarantee: &mut Guarantee, form: Form) {
    if form == Form::Vector {
        guarantee.push_also("released as counts of words, without their order".to_owned());
    }
}
