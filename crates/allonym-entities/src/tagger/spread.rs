//! Who was found once in a document is found everywhere in it, and as the same kind.
//!
//! A name that stands in a clear place (`Dr. Iyad Allawi said`) and in an unclear one (`Allawi's list`) is one name. Whoever is to be hidden must be
//! hidden in both.

use super::labels::Span;
use std::collections::HashMap;

/// Letters of the shortest part of a person's name that stands for all of it.
const LETTERS: usize = 3;

/// Words of the longest name that is looked for elsewhere.
const LONGEST: usize = 10;

/// Lets the same words be one kind everywhere in the document, the one that they were found as most often, and adds what was found elsewhere. `person` is the kind whose names
/// are also called by a part.
pub(super) fn spread(sentences: &[&[&str]], found: &mut [Vec<Span>], person: Option<usize>) {
    // How often each name was found as each kind, by its words.
    let mut names: HashMap<Vec<&str>, HashMap<usize, usize>> = HashMap::new();
    for (sentence, spans) in sentences.iter().zip(found.iter()) {
        for span in spans {
            let words = &sentence[span.tokens.clone()];
            if words.len() > LONGEST {
                continue;
            }
            *names.entry(words.to_vec()).or_default().entry(span.kind).or_default() += 1;
            if Some(span.kind) == person && words.len() > 1 {
                for word in words.iter().filter(|word| is_name(word)) {
                    names.entry(vec![*word]).or_default().entry(span.kind).or_default();
                }
            }
        }
    }
    for (sentence, spans) in sentences.iter().zip(found.iter_mut()) {
        for span in spans {
            let Some(kinds) = names.get(&sentence[span.tokens.clone()]) else { continue };
            // Where two kinds were found equally often, each stays.
            let own = kinds.get(&span.kind).copied().unwrap_or(0);
            span.kind = most_often(kinds).filter(|kind| kinds[kind] > own).unwrap_or(span.kind);
        }
    }
    let longest = names.keys().map(Vec::len).max().unwrap_or(0);
    for (sentence, spans) in sentences.iter().zip(found.iter_mut()) {
        let mut free: Vec<bool> = vec![true; sentence.len()];
        spans.iter().for_each(|span| free[span.tokens.clone()].fill(false));
        let mut start = 0;
        while start < sentence.len() {
            let most = longest.min(sentence.len() - start);
            let fits = |len: &usize| {
                let words = &sentence[start..start + len];
                free[start..start + len].iter().all(|free| *free)
                    && (*len > 1 || is_name(words[0]))
                    && names.contains_key(words)
            };
            let Some(len) = (1..=most).rev().find(fits) else {
                start += 1;
                continue;
            };
            let kind = most_often(&names[&sentence[start..start + len]]);
            spans.extend(kind.map(|kind| Span { tokens: start..start + len, kind }));
            start += len;
        }
        spans.sort_by_key(|span| span.tokens.start);
    }
}

/// The kind that was found most often; of equals, the first.
fn most_often(kinds: &HashMap<usize, usize>) -> Option<usize> {
    kinds.iter().max_by_key(|(kind, count)| (**count, std::cmp::Reverse(**kind))).map(|(kind, _)| *kind)
}

/// Whether one word can be a name by itself.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_found_once_is_found_everywhere() {
        let sentences: [&[&str]; 3] =
            [&["Iyad", "Allawi", "spoke"], &["Then", "Allawi", "left", "New", "York"], &["New", "York", "and", "iyad"]];
        let mut found = vec![vec![Span { tokens: 0..2, kind: 0 }], vec![Span { tokens: 3..5, kind: 1 }], vec![]];
        spread(&sentences, &mut found, Some(0));
        assert_eq!(found[1], [Span { tokens: 1..2, kind: 0 }, Span { tokens: 3..5, kind: 1 }]);
        assert_eq!(found[2], [Span { tokens: 0..2, kind: 1 }]);
    }

    #[test]
    fn the_same_words_are_one_kind() {
        let sentences: [&[&str]; 4] = [&["Enron"], &["Enron", "fell"], &["at", "Enron"], &["Paris"]];
        let span = |start: usize, kind| vec![Span { tokens: start..start + 1, kind }];
        let mut found = vec![span(0, 2), span(0, 1), span(1, 2), span(0, 1)];
        spread(&sentences, &mut found, Some(0));
        assert_eq!(found, [span(0, 2), span(0, 2), span(1, 2), span(0, 1)]);
        // Once and once: nobody knows better.
        let mut found = vec![span(0, 2), span(0, 1), vec![], span(0, 1)];
        spread(&sentences, &mut found, Some(0));
        assert_eq!(found, [span(0, 2), span(0, 1), span(1, 1), span(0, 1)]);
    }

    #[test]
    fn what_was_found_stays_as_it_was() {
        let sentences: [&[&str]; 2] = [&["Paris"], &["Paris", "Hilton"]];
        let mut found = vec![vec![Span { tokens: 0..1, kind: 1 }], vec![Span { tokens: 0..2, kind: 0 }]];
        let before = found.clone();
        spread(&sentences, &mut found, Some(0));
        assert_eq!(found, before);
    }
}
