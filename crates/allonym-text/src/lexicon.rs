//! Short public word lists that the tokeniser and the sentence splitter know. All entries are lower-case.

/// Abbreviations that keep their full stop, without it. Words that are also plain words (`no`, `fig`) are left out:
/// a sentence that ends in one is more common.
const ABBREVIATIONS: &[&str] = &[
    "approx", "apr", "assn", "aug", "ave", "blvd", "capt", "cf", "col", "corp", "cpl", "dec", "dept", "dr", "etc",
    "feb", "gen", "gov", "hon", "inc", "jan", "jr", "lt", "ltd", "maj", "messrs", "mr", "mrs", "ms", "mt", "nov",
    "oct", "prof", "rep", "rev", "sen", "sept", "sgt", "sr", "st", "viz", "vol", "vs",
];

/// Abbreviations that stand before a name or a number and so never end a sentence, with their full stop.
const TITLES: &[&str] = &[
    "approx.", "capt.", "cf.", "col.", "cpl.", "dr.", "e.g.", "gen.", "gov.", "hon.", "i.e.", "lt.", "maj.", "messrs.",
    "mr.", "mrs.", "ms.", "mt.", "prof.", "rep.", "rev.", "sen.", "sgt.", "st.", "viz.", "vol.", "vs.",
];

/// Endings that the Treebank manner splits from a word.
pub(crate) const CLITICS: &[&str] = &["n't", "'s", "'m", "'d", "'re", "'ve", "'ll"];

/// Words that are split in two although no apostrophe or space tells where: the word and the length of its first part.
const DOUBLE_WORDS: &[(&str, usize)] =
    &[("cannot", 3), ("gonna", 3), ("gotta", 3), ("wanna", 3), ("gimme", 3), ("lemme", 3), ("'tis", 2), ("'twas", 2)];

/// Words that begin with an apostrophe.
const APOSTROPHE_WORDS: &[&str] = &["'em", "'til", "'cause", "'bout", "'tis", "'twas", "'t"];

/// The most used top-level domains: what tells `example.com` from a full stop without a space after it.
const DOMAINS: &[&str] = &[
    "com", "org", "net", "edu", "gov", "io", "co", "uk", "de", "fr", "eu", "ca", "au", "info", "biz", "tv", "me",
    "app", "dev", "ly",
];

fn is_in(list: &[&str], word: &str) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// Whether a word is an abbreviation that takes the full stop after it.
pub(crate) fn is_abbreviation(word: &str) -> bool {
    // No abbreviation of the list is longer than six letters.
    (word.len() <= 6 && is_in(ABBREVIATIONS, word)) || is_dotted(word)
}

/// Single letters with full stops between them: `e.g`, `u.s.a`, `p.m`.
fn is_dotted(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 3
        && bytes.len() % 2 == 1
        && bytes.iter().enumerate().all(|(i, b)| if i % 2 == 0 { b.is_ascii_alphabetic() } else { *b == b'.' })
}

/// Whether a token (with its full stop) stands before a name and does not end a sentence.
pub(crate) fn is_title(token: &str) -> bool {
    is_in(TITLES, token)
}

/// Whether a word starts with its apostrophe.
pub(crate) fn is_apostrophe_word(word: &str) -> bool {
    is_in(APOSTROPHE_WORDS, word)
}

/// Where a double word is split, if it is one.
#[inline]
pub(crate) fn double_word(word: &str) -> Option<usize> {
    // Asked for every word of every text, so the many that cannot be one leave here.
    if !(4..=6).contains(&word.len()) || !matches!(word.as_bytes()[0] | 0x20, b'c' | b'g' | b'w' | b'l' | b'\'') {
        return None;
    }
    listed_double_word(word)
}

#[inline(never)]
fn listed_double_word(word: &str) -> Option<usize> {
    DOUBLE_WORDS.iter().find(|(entry, _)| entry.eq_ignore_ascii_case(word)).map(|(_, split)| *split)
}

/// Whether two tokens are the halves of a double word and are written together.
pub(crate) fn are_halves(first: &str, second: &str) -> bool {
    DOUBLE_WORDS
        .iter()
        .any(|(word, split)| word[..*split].eq_ignore_ascii_case(first) && word[*split..].eq_ignore_ascii_case(second))
}

/// The clitic at the end of a word, if the word is longer than it.
pub(crate) fn clitic_at_end(word: &str) -> Option<&'static str> {
    let from = word.len().saturating_sub(3);
    if !word.as_bytes()[from..].contains(&b'\'') {
        return None;
    }
    CLITICS.iter().copied().find(|clitic| {
        word.len() > clitic.len()
            && word.as_bytes()[word.len() - clitic.len()..].eq_ignore_ascii_case(clitic.as_bytes())
    })
}

/// Whether a token is a clitic.
pub(crate) fn is_clitic(token: &str) -> bool {
    token.len() <= 3 && is_in(CLITICS, token)
}

/// Whether a label is a top-level domain.
pub(crate) fn is_domain(label: &str) -> bool {
    label.len() <= 4 && is_in(DOMAINS, label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_found_in_any_case() {
        assert!(is_abbreviation("Mr") && is_abbreviation("ETC") && is_abbreviation("U.S") && is_abbreviation("e.g"));
        assert!(
            !is_abbreviation("no") && !is_abbreviation("it") && !is_abbreviation("a.bc") && !is_abbreviation("3.4")
        );
    }

    #[test]
    fn the_longest_clitic_wins() {
        assert_eq!(clitic_at_end("Don'T"), Some("n't"));
        assert_eq!(clitic_at_end("we'LL"), Some("'ll"));
        assert_eq!(clitic_at_end("'s"), None);
        assert_eq!(clitic_at_end("cats"), None);
    }

    #[test]
    fn titles_are_abbreviations() {
        assert!(TITLES.iter().all(|title| is_abbreviation(title.strip_suffix('.').unwrap())));
    }
}
