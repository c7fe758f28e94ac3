//! The content lexemes of the demo corpus, for checks that content does not tell authors apart.

use super::choices::{CHOICES, CONTRACTIONS, NUMBERS, SHOUTED, SLIPS, SPELLINGS};
use super::domain;
use super::opinions::{self, AWFUL, SUPERB};
use std::collections::BTreeSet;

/// Words without content of their own; those that the style tables use are left out by themselves.
const FUNCTION_WORDS: &str = "a about above after all along already among an and any anything are at be because been \
    before behind being but by can could did do does down during each else even every few first for from had has have \
    he her here him himself his how if in into is it itself just last less like me more most much my never next no \
    nobody none not nothing now of off on once one only or other others our out over own rather same she since so \
    something still such than that the their them then there they things this those through to too twice under until \
    up us was we were what when where which while who will with within without would yet you your";

/// Lists the topic, opinion and fact words of the corpus in lower case, in alphabetical order.
///
/// Words that a habit can change (spelling variants, frequent slips, words of choice) and names are left out: what is
/// listed occurs in a text if and only if its content asks for it.
pub fn content_words() -> impl Iterator<Item = &'static str> {
    let styled: BTreeSet<&str> = style_tables().flat_map(words).chain(FUNCTION_WORDS.split_whitespace()).collect();
    let content: BTreeSet<&str> = content_tables()
        .flat_map(str::split_whitespace)
        .filter(|word| !word.contains(['<', '{']))
        .flat_map(words)
        .filter(|word| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase()) && !styled.contains(word))
        .collect();
    content.into_iter()
}

fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

fn style_tables() -> impl Iterator<Item = &'static str> {
    let slips = SLIPS.iter().map(|(meant, written, _)| (*meant, *written));
    let pairs = CONTRACTIONS.iter().chain(SPELLINGS).copied().chain(slips);
    CHOICES
        .iter()
        .flat_map(|choice| choice.options.iter().copied())
        .chain(pairs.flat_map(|(from, to)| [from, to]))
        .chain(SHOUTED.iter().copied())
        .chain(NUMBERS)
}

pub(super) fn content_tables() -> impl Iterator<Item = &'static str> {
    let domains = domain::ALL.iter().flat_map(|domain| {
        let tables =
            [domain.things, domain.facts, domain.delights, domain.troubles, domain.praise, domain.blame].into_iter();
        tables.flatten().copied().chain(domain.aspects.iter().map(|aspect| aspect.noun))
    });
    let opinions = opinions::ALL.iter().flat_map(|kind| [kind.good, kind.bad]);
    let shared = [SUPERB, AWFUL, domain::PRAISE, domain::BLAME, domain::PEOPLE, domain::TIMES];
    domains.chain(opinions.chain(shared).flatten().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opinions_and_topics_are_listed() {
        let words: Vec<&str> = content_words().collect();
        assert!(["kettle", "soggy", "gripping", "refund"].iter().all(|word| words.contains(word)));
    }

    #[test]
    fn words_of_style_are_not_listed() {
        let words: Vec<&str> = content_words().collect();
        assert!(["very", "the", "colour", "reccomend", "whilst", "i"].iter().all(|word| !words.contains(word)));
    }

    #[test]
    fn every_slot_of_the_tables_is_known() {
        let slots =
            content_tables().flat_map(|clause| clause.split('{').skip(1)).filter_map(|tail| tail.split('}').next());
        for slot in slots {
            assert!(slot == "," || CHOICES.iter().any(|choice| choice.name == slot), "unknown slot {slot}");
        }
    }
}
