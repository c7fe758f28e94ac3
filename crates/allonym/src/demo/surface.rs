//! From sentences to text: contractions, spelling, slips, capitals, punctuation and spacing by the author's habits.

use super::choices::{CONTRACTIONS, SHOUTED, SPELLINGS};
use super::draw::chance;
use super::habits::Habits;
use allonym_dp::PrivacyRng;

/// Makes one line of text from sentences without capital and full stop.
pub(super) fn finish(sentences: Vec<String>, pleased: bool, habits: &Habits, rng: &mut PrivacyRng) -> String {
    let count = sentences.len();
    let mut text = String::new();
    for (place, sentence) in sentences.into_iter().enumerate() {
        if place > 0 {
            text.push_str(if chance(rng, habits.double_spaces) { "  " } else { " " });
        }
        text.push_str(&words(sentence, habits, rng));
        text.push_str(&ending(place + 1 == count, habits, rng));
    }
    if chance(rng, habits.emoticons) {
        let emoticon = habits.choose(if pleased { "smile" } else { "frown" }, rng).unwrap_or_default();
        text.push(' ');
        text.push_str(emoticon);
    }
    if chance(rng, habits.curly) { curl(&text) } else { text }
}

/// The words of one sentence as the author spells them.
fn words(sentence: String, habits: &Habits, rng: &mut PrivacyRng) -> String {
    let mut text = sentence;
    if let Some(verb) = text.strip_prefix("I ").filter(|_| chance(rng, habits.drops_i)) {
        text = verb.to_owned();
    }
    for (long, short) in CONTRACTIONS {
        text = swap(&text, long, habits.contracts, rng, || (*short).to_owned());
    }
    for (british, american) in SPELLINGS {
        text = swap(&text, british, habits.american, rng, || (*american).to_owned());
    }
    for slip in &habits.slips {
        text = swap(&text, slip.meant, slip.rate, rng, || slip.written.to_owned());
    }
    for word in SHOUTED {
        text = swap(&text, word, habits.shouts, rng, || word.to_uppercase());
    }
    if chance(rng, habits.drops_apostrophes) {
        text = text.replace('\'', "");
    }
    text = swap(&text, "I", habits.lower_i, rng, || "i".to_owned());
    text = commas(&text, habits, rng);
    if chance(rng, habits.lower_starts) { text } else { capitalised(&text) }
}

/// Puts a space before commas, by habit.
fn commas(text: &str, habits: &Habits, rng: &mut PrivacyRng) -> String {
    let mut spaced = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == ',' && chance(rng, habits.spaces_before) {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    spaced
}

/// What ends a sentence.
fn ending(last: bool, habits: &Habits, rng: &mut PrivacyRng) -> String {
    if last && chance(rng, habits.drops_last_stop) {
        return String::new();
    }
    let mark = if chance(rng, habits.exclaims) {
        if chance(rng, habits.exclaims / 2) { "!!" } else { "!" }
    } else if chance(rng, habits.trails_off) {
        "..."
    } else {
        "."
    };
    if chance(rng, habits.spaces_before) { format!(" {mark}") } else { mark.to_owned() }
}

/// Replaces whole words, each occurrence with the given rate.
fn swap(text: &str, from: &str, percent: u64, rng: &mut PrivacyRng, to: impl Fn() -> String) -> String {
    let mut swapped = String::with_capacity(text.len());
    let mut done = 0;
    for (start, _) in text.match_indices(from) {
        let end = start + from.len();
        let inside = |c: char| c.is_alphanumeric() || c == '\'';
        if text[..start].ends_with(inside) || text[end..].starts_with(inside) || !chance(rng, percent) {
            continue;
        }
        swapped.push_str(&text[done..start]);
        swapped.push_str(&to());
        done = end;
    }
    swapped + &text[done..]
}

/// The sentence with a capital at its start and after a question mark within it.
fn capitalised(text: &str) -> String {
    let mut start = true;
    text.chars()
        .map(|letter| {
            let upper = start && letter.is_alphabetic();
            start = letter == '?' || start && !letter.is_alphanumeric();
            if upper { letter.to_ascii_uppercase() } else { letter }
        })
        .collect()
}

/// The text with typographic apostrophes and quotation marks.
fn curl(text: &str) -> String {
    let mut before = ' ';
    text.chars()
        .map(|letter| {
            let opens = before == ' ' || before == '(';
            before = letter;
            match letter {
                '\'' => '\u{2019}',
                '"' if opens => '\u{201C}',
                '"' => '\u{201D}',
                other => other,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_swapped() {
        let mut rng = allonym_dp::PrivacyRng::reproducible(1);
        let swapped = swap("the other is the best, isn't it", "the", 100, &mut rng, || "teh".to_owned());
        assert_eq!(swapped, "teh other is teh best, isn't it");
    }

    #[test]
    fn a_rate_of_zero_swaps_nothing() {
        let mut rng = allonym_dp::PrivacyRng::reproducible(1);
        assert_eq!(swap("it is late", "it is", 0, &mut rng, String::new), "it is late");
    }

    #[test]
    fn sentences_get_capitals() {
        assert_eq!(
            capitalised("where to start? \u{201c}it\u{201d} is late"),
            "Where to start? \u{201c}It\u{201d} is late"
        );
    }

    #[test]
    fn quotation_marks_open_and_close() {
        assert_eq!(curl("it's \"new\""), "it\u{2019}s \u{201C}new\u{201D}");
    }
}
