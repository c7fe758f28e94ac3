//! The term-frequency vector of a release: SynTF's own output, for a classifier that reads counts.

use allonym_dp::Released;
use allonym_text::Vocabulary;
use std::collections::BTreeMap;

/// How often each word was released, as a JSON object, in the order of the vocabulary. A function of the release alone: it costs
/// nothing, and hides the order of the words.
pub fn term_frequencies(released: Released<Vec<u32>>, vocabulary: &Vocabulary) -> Released<String> {
    released.map(|ids| {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for id in ids {
            *counts.entry(id).or_default() += 1;
        }
        let pair = |(id, count)| Some(format!("{}: {count}", serde_json::Value::from(vocabulary.word(id)?)));
        format!("{{{}}}", counts.into_iter().filter_map(pair).collect::<Vec<_>>().join(", "))
    })
}
