//! More to learn from: texts that nobody marked, with what a tagger finds in them where it is sure.

use super::annotated::{Annotated, Sentence};
use super::labels::Span;
use super::{Knowledge, LISTS, Tagger};
use allonym_text::Document;

/// Sentences of fewer tokens say too little.
const SHORTEST: usize = 4;
/// One sentence in so many is kept of those without a name.
const EMPTY: usize = 4;

impl Tagger {
    /// Sentences of texts with the names that this tagger finds, where it holds all of them for right with at least this chance.
    pub fn marked<'a>(&self, texts: impl IntoIterator<Item = &'a str>, eagerness: f32, least: f64) -> Annotated {
        let mut documents = Vec::new();
        for text in texts {
            let document = Document::read(text);
            let words: Vec<&str> = document.tokens().map(|token| token.text).collect();
            let parts: Vec<&[&str]> = document.sentences().iter().map(|range| &words[range.clone()]).collect();
            let mut kept = Vec::new();
            for (place, (spans, likely)) in self.tag_with_likelihood(&parts, eagerness).into_iter().enumerate() {
                let sure = likely >= least && parts[place].len() >= SHORTEST;
                if sure && (!spans.is_empty() || place.is_multiple_of(EMPTY)) {
                    let tokens = parts[place].iter().map(|word| (*word).to_owned()).collect();
                    kept.push(Sentence { tokens, spans });
                }
            }
            documents.push(kept);
        }
        Annotated { documents }
    }

    /// What this tagger knows beforehand.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The names of a sentence by lists alone, to compare with: the longest that stand there with a capital.
    pub fn by_lists(&self, sentence: &[&str]) -> Vec<Span> {
        let marks = self.known.marks(sentence);
        let kind_of = |list: &str| match list {
            "first-name" | "last-name" => "person",
            "organisation" => "organisation",
            _ => "place",
        };
        let (count, mut spans, mut start) = (LISTS.len() as u32, Vec::<Span>::new(), 0);
        while start < sentence.len() {
            let mark = marks[start];
            let capital = sentence[start].starts_with(char::is_uppercase);
            // Beginnings of longer names first; nationalities name nobody.
            let beginning = (0..count - 1).find(|list| mark >> (count + list) & 1 == 1);
            let single = (0..count - 1).find(|list| mark >> list & 1 == 1);
            let Some(list) = beginning.or(single).filter(|_| capital) else {
                start += 1;
                continue;
            };
            let mut end = start + 1;
            if beginning.is_some() {
                while end < sentence.len() && marks[end] >> (2 * count + list) & 1 == 1 {
                    end += 1;
                }
            } else if list < 2 {
                // A first name and a last name are one person.
                let goes_on = |end: usize| sentence[end].starts_with(char::is_uppercase) && marks[end] & 0b11 != 0;
                while end < sentence.len() && goes_on(end) {
                    end += 1;
                }
            }
            let kind = self.kinds.iter().position(|kind| kind == kind_of(LISTS[list as usize]));
            spans.extend(kind.map(|kind| Span { tokens: start..end, kind }));
            start = end;
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagger::{Learning, learn};

    fn tagger() -> Tagger {
        let kinds = ["person", "place", "organisation"].map(str::to_owned).to_vec();
        let marked =
            "We O\nmet O\nAnn B-PER\nLee I-PER\nin O\nRome B-LOC\n. O\n\nWe O\nmet O\nnobody O\nin O\nhere O\n. O\n";
        let texts = Annotated::parse(marked, &kinds).unwrap();
        let mut knowledge = Knowledge::default();
        knowledge.add_names("first-name", "Ann\nRose\n");
        knowledge.add_names("last-name", "Lee\n");
        knowledge.add_names("city", "Rome\nNew York\n");
        knowledge.add_names("nationality", "Roman\n");
        let learning = Learning { least: 1, epochs: 30, rate: 0.1, ..Learning::default() };
        learn(kinds, knowledge, &[texts], &learning, &allonym_text::CancelToken::new(), |_, _| ()).unwrap()
    }

    #[test]
    fn what_a_tagger_is_sure_of_can_be_learned_from() {
        let marked = tagger().marked(["We met Ann Lee in Rome . We met nobody in here ."], 0.0, 0.3);
        assert_eq!(marked.documents[0][0].spans.len(), 2);
        assert!(tagger().marked(["We met Ann Lee in Rome ."], 0.0, 1.1).documents[0].is_empty(), "never that sure");
    }

    #[test]
    fn lists_alone_find_names_with_a_capital() {
        let found = tagger().by_lists(&["Rose", "Lee", "left", "New", "York", "for", "rome", ",", "a", "Roman"]);
        assert_eq!(found, [Span { tokens: 0..2, kind: 0 }, Span { tokens: 3..5, kind: 1 }]);
    }
}
