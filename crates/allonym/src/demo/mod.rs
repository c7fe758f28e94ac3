//! The demo corpus: short reviews by invented authors, for trying attacks and releases without anyone's data.
//!
//! What a review says (its plan) is drawn without a look at the author; how it is said follows the author's habits.
//! So an attack on style can find the author, and a reader of content cannot. All names and texts are made up.

mod choices;
mod content_words;
mod domain;
mod draw;
mod goods;
mod habits;
mod opinions;
mod places;
mod plan;
mod realise;
#[cfg(test)]
mod separability;
mod services;
mod stories;
mod surface;

pub use content_words::content_words;

use allonym_dp::{Entropy, Purpose};
use habits::Habits;
use plan::Plan;

/// Settings of the demo corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demo {
    /// How many authors write.
    pub authors: usize,
    /// How many texts each author writes.
    pub texts: usize,
    /// Decides authors and texts; another seed gives other authors.
    pub seed: u64,
}

/// One review of the demo corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoRecord {
    /// The place in the corpus, as `r000001`.
    pub id: String,
    /// Who wrote it, as `author01`.
    pub author: String,
    /// `positive` or `negative`, by an even coin.
    pub label: &'static str,
    /// One line of text.
    pub text: String,
}

/// Streams of one author: the first draws the habits, each later one a text. 2^28 texts do not occur.
const STREAMS: u64 = 1 << 28;

impl Demo {
    /// Makes the records: the first text of every author, then the second of every author, and so on.
    ///
    /// A text depends on the seed, on its author's number and on its own number among that author's texts. A larger
    /// corpus of the same seed holds the texts of a smaller one.
    pub fn records(&self) -> impl Iterator<Item = DemoRecord> + use<> {
        let Self { authors, texts, seed } = *self;
        let entropy = Entropy::reproducible(seed);
        let streams = |author: usize| author as u64 * STREAMS;
        let habits: Vec<Habits> =
            (0..authors).map(|author| Habits::draw(&mut entropy.stream(Purpose::Synthetic, streams(author)))).collect();
        let width = authors.to_string().len().max(2);
        (0..texts).flat_map(move |text| (0..authors).map(move |author| (text, author))).map(move |(text, author)| {
            let mut rng = entropy.stream(Purpose::Synthetic, streams(author) + 1 + text as u64);
            let plan = Plan::draw(&mut rng);
            DemoRecord {
                id: format!("r{:06}", text * authors + author + 1),
                author: format!("author{:0width$}", author + 1),
                label: if plan.pleased { "positive" } else { "negative" },
                text: realise::realise(&plan, &habits[author], &mut rng),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn corpus(authors: usize, texts: usize, seed: u64) -> Vec<DemoRecord> {
        Demo { authors, texts, seed }.records().collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_corpus() {
        assert_eq!(corpus(4, 5, 7), corpus(4, 5, 7));
    }

    #[test]
    fn another_seed_gives_other_texts() {
        let texts = |seed| corpus(4, 5, seed).into_iter().map(|record| record.text).collect::<BTreeSet<_>>();
        assert!(texts(7).is_disjoint(&texts(8)));
    }

    #[test]
    fn a_larger_corpus_holds_the_smaller_one() {
        let (small, large) = (corpus(3, 4, 7), corpus(5, 6, 7));
        for text in 0..4 {
            for author in 0..3 {
                assert_eq!(small[text * 3 + author].text, large[text * 5 + author].text);
            }
        }
    }

    #[test]
    fn texts_are_single_lines_of_about_25_to_90_words() {
        for record in corpus(20, 50, 7) {
            assert!(!record.text.contains(['\n', '\r', '\t']), "{}", record.id);
            let words = record.text.split_whitespace().count();
            assert!((20..=95).contains(&words), "{} has {words} words", record.id);
        }
    }

    #[test]
    fn no_markup_is_left_in_a_text() {
        for record in corpus(20, 50, 7) {
            assert!(!record.text.contains(['{', '}', '[', ']', '~', '@', '*', '>']), "{}", record.text);
        }
    }

    #[test]
    fn texts_are_distinct() {
        let records = corpus(20, 50, 7);
        assert_eq!(records.iter().map(|record| &record.text).collect::<BTreeSet<_>>().len(), 1000);
    }

    #[test]
    fn labels_follow_an_even_coin() {
        let records = corpus(20, 100, 7);
        let positive = records.iter().filter(|record| record.label == "positive").count() as u64;
        allonym_dp::statistics::assert_distribution(&[positive, records.len() as u64 - positive], &[0.5, 0.5]);
    }

    #[test]
    fn every_author_writes_the_stated_number_of_texts() {
        let records = corpus(12, 3, 7);
        assert_eq!(records.len(), 36);
        let authors: BTreeSet<_> = records.iter().map(|record| record.author.as_str()).collect();
        assert_eq!(
            (authors.len(), authors.first().copied(), authors.last().copied()),
            (12, Some("author01"), Some("author12"))
        );
        assert_eq!(records.iter().filter(|record| record.author == "author05").count(), 3);
    }

    #[test]
    fn neighbouring_records_have_different_authors() {
        assert!(corpus(3, 3, 7).windows(2).all(|pair| pair[0].author != pair[1].author));
    }

    #[test]
    fn names_of_a_thousand_authors_have_one_width() {
        assert!(corpus(1000, 1, 7).iter().all(|record| record.author.len() == "author0001".len()));
    }
}
