//! The term-frequency vector of a release: SynTF's own output, for a classifier that reads counts.

use allonym_text::Vocabulary;
use allonym_text::vocabulary::TokenId;
use std::collections::BTreeMap;

/// How often each word was released, as a JSON object, in the order of the vocabulary. A function of the released tokens and
/// the public vocabulary: it costs nothing, and hides the order of the words.
pub fn term_frequencies(released: &[TokenId], vocabulary: &Vocabulary) -> String {
    let mut counts: BTreeMap<TokenId, u64> = BTreeMap::new();
    for id in released {
        *counts.entry(*id).or_default() += 1;
    }
    let pair =
        |(id, count): (TokenId, u64)| Some(format!("{}: {count}", serde_json::Value::from(vocabulary.word(id.get())?)));
    format!("{{{}}}", counts.into_iter().filter_map(pair).collect::<Vec<_>>().join(", "))
}
