//! What the tagger looks at: for each token, hashes of what can be said of it and of those beside it.

use super::hash::short;
use super::hash::{both, of_bytes, of_text};
use super::knowledge::{Known, LISTS, beginning};
use allonym_text::key;
use std::collections::HashMap;

/// Steps of a cluster's path that are looked at.
const STEPS: [u32; 4] = [4, 6, 10, 20];
/// The same by word vectors.
const SENSES: [u32; 3] = [6, 9, 12];
/// Letters of the longest beginning and ending that are looked at.
const AFFIX: usize = 4;
/// Beyond the text.
const NOTHING: u64 = 0;

/// A token as far as it is looked at.
#[derive(Clone, Debug)]
struct Seen {
    word: u64,
    form: u64,
    shape: u64,
    capitals: u64,
    affixes: Vec<u64>,
    cluster: Option<u32>,
    sense: Option<u32>,
    marks: u32,
    /// How the word stands elsewhere in its document, where a capital says something.
    elsewhere: u64,
}

/// How words are written in a document, where a capital says something: not at the beginning of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Elsewhere {
    ways: HashMap<u64, u64>,
}

impl Elsewhere {
    pub(super) fn of<'a>(sentences: impl IntoIterator<Item = &'a [&'a str]>) -> Self {
        let mut ways: HashMap<u64, u64> = HashMap::new();
        for sentence in sentences {
            if case(sentence) == Case::Mixed {
                for token in sentence.iter().skip(1).filter(|token| token.starts_with(char::is_alphabetic)) {
                    let way = if token.starts_with(char::is_uppercase) { 1 } else { 2 };
                    *ways.entry(of_text(&key(token))).or_default() |= way;
                }
            }
        }
        Self { ways }
    }
}

/// Whether the capitals of a sentence say anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Mixed,
    Upper,
    Lower,
}

fn case(sentence: &[&str]) -> Case {
    let words = sentence.iter().filter(|token| token.chars().filter(|c| c.is_alphabetic()).count() > 1);
    let (mut upper, mut lower, mut all) = (0, 0, 0);
    for word in words {
        all += 1;
        upper += usize::from(!word.contains(char::is_lowercase));
        lower += usize::from(!word.contains(char::is_uppercase));
    }
    match () {
        () if all > 1 && upper * 10 >= all * 9 => Case::Upper,
        () if lower == all => Case::Lower,
        () => Case::Mixed,
    }
}

/// The features of every token of a sentence.
pub(super) fn features(sentence: &[&str], elsewhere: &Elsewhere, known: &Known) -> Vec<Vec<u32>> {
    let seen = see(sentence, elsewhere, known);
    let case = case(sentence) as u64;
    (0..seen.len()).map(|place| of_place(&seen, place, case)).collect()
}

fn see(sentence: &[&str], elsewhere: &Elsewhere, known: &Known) -> Vec<Seen> {
    let words: Vec<String> = sentence.iter().map(|token| key(token).into()).collect();
    let hashes: Vec<u64> = words.iter().map(|word| of_text(word)).collect();
    let mut marks = vec![0; words.len()];
    known.mark(&hashes, &mut marks);
    let seen = |place: usize| {
        let (token, word) = (sentence[place], &words[place]);
        let form = of_text(token);
        let cluster =
            known.cluster(form).or_else(|| known.cluster(hashes[place])).or_else(|| known.cluster(titled(word)));
        Seen {
            word: if word.bytes().any(|b| b.is_ascii_digit()) { digits(word) } else { hashes[place] },
            form,
            shape: shape(token),
            capitals: capitals(token),
            affixes: affixes(word),
            cluster,
            sense: known.sense(hashes[place]),
            marks: marks[place],
            elsewhere: elsewhere.ways.get(&hashes[place]).copied().unwrap_or(0),
        }
    };
    (0..words.len()).map(seen).collect()
}

/// The word with a capital, as names stand among the clusters.
fn titled(word: &str) -> u64 {
    let mut rest = word.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    of_bytes(first.bytes().chain(rest.as_str().bytes()))
}

/// Numbers are alike but for how long they are.
fn digits(word: &str) -> u64 {
    of_bytes(word.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }))
}

/// Runs of capitals, small letters and digits as one letter each; what else there is, as it is.
fn shape(token: &str) -> u64 {
    let class = |c: char| match c {
        c if c.is_uppercase() => 'X',
        c if c.is_alphabetic() => 'x',
        c if c.is_numeric() => 'd',
        c => c,
    };
    let mut shape = String::new();
    for class in token.chars().map(class) {
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    of_text(&shape)
}

/// 0 none, 1 the first letter, 2 all of several, 3 one letter, 4 others.
fn capitals(token: &str) -> u64 {
    let letters = token.chars().filter(|c| c.is_alphabetic());
    let (count, upper) = letters.fold((0, 0), |(count, upper), c| (count + 1, upper + usize::from(c.is_uppercase())));
    match upper {
        0 => 0,
        1 if count == 1 => 3,
        1 if token.starts_with(char::is_uppercase) => 1,
        upper if upper == count => 2,
        _ => 4,
    }
}

/// Beginnings, then endings, shortest first.
fn affixes(word: &str) -> Vec<u64> {
    let ends: Vec<usize> = word.char_indices().map(|(place, c)| place + c.len_utf8()).collect();
    let letters = ends.len();
    let begins = ends.iter().take(AFFIX.min(letters)).map(|end| of_text(&word[..*end]));
    let endings = (1..=AFFIX.min(letters)).map(|count| {
        let start = if count == letters { 0 } else { ends[letters - count - 1] };
        of_text(&word[start..]).rotate_left(1)
    });
    begins.chain(endings).collect()
}

fn of_place(seen: &[Seen], place: usize, case: u64) -> Vec<u32> {
    let at = |offset: isize| place.checked_add_signed(offset).and_then(|place| seen.get(place));
    let word = |offset| at(offset).map_or(NOTHING, |seen| seen.word);
    let shape = |offset| at(offset).map_or(NOTHING, |seen| seen.shape);
    let marks = |offset| at(offset).map_or(0, |seen| seen.marks);
    let mut found = Vec::with_capacity(72);
    let mut template = 0;
    let mut add = |value: u64| {
        template += 1;
        found.push(short(both(template, value)));
    };
    add(case);
    (-2..=2).for_each(|offset| add(word(offset)));
    add(both(word(-1), word(0)));
    add(both(word(0), word(1)));
    let own = &seen[place];
    add(own.form);
    (-1..=1).for_each(|offset| add(shape(offset)));
    add(both(shape(-1), shape(0)));
    add(both(shape(0), shape(1)));
    add(both(both(shape(-1), shape(0)), shape(1)));
    add(both(word(-1), shape(0)));
    add(both(shape(0), word(1)));
    // What a capital says depends on where it stands.
    let first = u64::from(place == 0);
    let capitals = both(own.capitals, both(first, case));
    add(capitals);
    add(both(capitals, own.elsewhere));
    add(both(own.elsewhere, first));
    let clusters = |offset, steps| {
        at(offset).and_then(|seen| seen.cluster).map_or(NOTHING, |code| u64::from(beginning(code, steps)))
    };
    for offset in -1..=1 {
        STEPS.iter().for_each(|steps| add(clusters(offset, *steps)));
    }
    let senses = |offset, steps| {
        at(offset).and_then(|seen| seen.sense).map_or(NOTHING, |code| u64::from(beginning(code, steps)))
    };
    for offset in -1..=1 {
        SENSES.iter().for_each(|steps| add(senses(offset, *steps)));
    }
    add(both(senses(-1, 9), senses(0, 9)));
    add(both(senses(0, 9), senses(1, 9)));
    add(both(senses(0, 12), capitals));
    add(both(senses(0, 9), both(capitals, u64::from(own.marks))));
    add(both(clusters(-1, 10), clusters(0, 10)));
    add(both(clusters(0, 10), clusters(1, 10)));
    add(both(clusters(0, 20), capitals));
    add(both(clusters(-1, 20), own.capitals));
    add(both(clusters(1, 20), own.capitals));
    add(u64::from(own.marks));
    add(both(u64::from(own.marks), capitals));
    add(both(u64::from(own.marks), u64::from(marks(1))));
    add(both(u64::from(marks(-1)), u64::from(own.marks)));
    // As many as there are: each has a template of its own.
    template = 100;
    let mut add = |value: u64| found.push(short(both(template, value)));
    own.affixes.iter().for_each(|affix| add(*affix));
    for offset in -1..=1 {
        let marks = marks(offset);
        let bits = (0..3 * LISTS.len() as u64).filter(|bit| marks >> bit & 1 == 1);
        bits.for_each(|bit| add(1000 + 100 * (offset + 1) as u64 + bit));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagger::Knowledge;

    #[test]
    fn shapes_and_capitals_are_what_they_look_like() {
        assert_eq!(shape("McDonald"), of_text("XxXx"));
        assert_eq!(shape("U.S."), of_text("X.X."));
        assert_eq!(shape("2001"), of_text("d"));
        assert_eq!(["von", "Berlin", "NATO", "A", "iPad", "!"].map(capitals), [0, 1, 2, 3, 4, 0]);
    }

    #[test]
    fn a_sentence_in_capitals_is_known_as_one() {
        assert_eq!(case(&["THE", "END", "!"]), Case::Upper);
        assert_eq!(case(&["the", "end"]), Case::Lower);
        assert_eq!(case(&["The", "end"]), Case::Mixed);
        assert_eq!(case(&["A", "1"]), Case::Lower, "nothing to go by");
    }

    #[test]
    fn affixes_of_short_words_are_the_word() {
        assert_eq!(affixes("ab").len(), 4);
        assert_eq!(affixes("é"), [of_text("é"), of_text("é").rotate_left(1)]);
        assert_eq!(affixes("naïve")[4..], ["e", "ve", "ïve", "aïve"].map(|ending| of_text(ending).rotate_left(1)));
        assert!(affixes("").is_empty());
    }

    #[test]
    fn a_word_is_known_by_how_it_stands_elsewhere() {
        let (known, text): (_, [&[&str]; 2]) =
            (Knowledge::default().known(), [&["Rose", "came"], &["He", "saw", "Rose"]]);
        let alone = features(text[0], &Elsewhere::of([text[0]]), &known);
        let with = features(text[0], &Elsewhere::of(text), &known);
        assert_ne!(alone[0], with[0]);
        assert_eq!(alone[1], with[1]);
    }
}
