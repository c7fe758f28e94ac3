//! Claims about every text, tried on many: random Unicode, and texts made of what is hard.

use allonym_text::{Document, Vocabulary, detokenise, key, normalise, tokenise};
use proptest::prelude::*;

/// Pieces that the normaliser and the tokeniser treat in a special way.
const HARD: &[&str] = &[
    "don't",
    "I'm",
    "cannot",
    "gonna",
    "'tis",
    "'em",
    "'90s",
    "e.g.",
    "U.S.",
    "etc.",
    "...",
    "..",
    "--",
    "-",
    "'",
    "''",
    "\"",
    "``",
    "`",
    ".",
    ",",
    "!",
    "?",
    "1,000.50",
    "-5",
    ".5",
    "10:30",
    "a@b.org",
    "http://x.org/a?b",
    "www.x.com",
    "x.com/y",
    "@",
    "+",
    "://",
    "/",
    " ",
    "  ",
    "\n",
    "\t",
    "\r\n",
    "\u{A0}",
    "\u{200B}",
    "\u{200D}",
    "\u{FE0F}",
    "\u{202E}",
    "\u{301}",
    "e\u{301}",
    "а",
    "мама",
    "pаy",
    "α",
    "ﬁ",
    "Ｆ",
    "𝐛",
    "👩\u{200D}👧",
    "🇩🇪",
    "🇩",
    "👍🏽",
    "1\u{FE0F}\u{20E3}",
    "…",
    "—",
    "“",
    "’",
    "\0",
    "\u{7F}",
    "\u{FEFF}",
    "\u{E0041}",
    "ß",
    "İ",
    "ǅ",
    "ﷺ",
    "\u{1F3FB}",
    "㏂",
    "℡",
    "\u{10FFFF}",
    "한",
    "\u{1112}\u{1161}",
    "\u{11AB}",
    "中文",
    "a",
    "Z",
    "9",
    "_",
    "(",
    ")",
    "$",
    "%",
    "n't",
    "'s",
];

fn hard_text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(HARD), 0..12).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![hard_text(), any::<String>(), "[ -~]{0,40}"]
}

fn keys(text: &str) -> Vec<String> {
    tokenise(text).map(|span| key(&text[span]).into_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_cut_the_original_exactly(original in any_text()) {
        let document = Document::read(&original);
        let mut end = 0;
        for token in document.tokens() {
            prop_assert!(token.span.start >= end, "spans are in order and do not overlap");
            let between = &original[end..token.span.start];
            prop_assert!(normalise(between).as_str().trim().is_empty(), "only spaces and invisible characters are left out");
            prop_assert!(original.get(token.span.clone()).is_some(), "a span lies on character boundaries");
            end = token.span.end;
        }
        prop_assert!(normalise(&original[end..]).as_str().trim().is_empty());
    }

    #[test]
    fn a_span_of_plain_text_is_the_token_itself(original in "[ -_a-~]{0,60}") {
        let original = original.replace("''", "'");
        let original = original.replace("''", "'");
        for token in Document::read(&original).tokens() {
            prop_assert_eq!(&original[token.span.clone()], token.text);
        }
    }

    #[test]
    fn normalising_twice_changes_nothing(original in any_text()) {
        let once = normalise(&original);
        let twice = normalise(once.as_str());
        prop_assert_eq!(twice.as_str(), once.as_str());
    }

    #[test]
    fn plain_text_is_composed_and_free_of_invisible_characters(original in any_text()) {
        let plain = normalise(&original);
        prop_assert!(unicode_normalization::is_nfc(plain.as_str()));
        let hidden = ['\u{200B}', '\u{202E}', '\u{FEFF}', '\0', '\u{FE0F}', '\u{A0}', '’', '“'];
        prop_assert!(!plain.as_str().contains(hidden));
    }

    #[test]
    fn sentences_cover_every_token_once(original in any_text()) {
        let document = Document::read(&original);
        let mut next = 0;
        for sentence in document.sentences() {
            prop_assert_eq!(sentence.start, next);
            prop_assert!(!sentence.is_empty());
            next = sentence.end;
        }
        prop_assert_eq!(next, document.len());
    }

    #[test]
    fn case_does_not_move_a_boundary(text in "[ -~]{0,40}") {
        let lower = text.to_ascii_lowercase();
        let upper = text.to_ascii_uppercase();
        prop_assert!(tokenise(&lower).eq(tokenise(&upper)));
    }

    #[test]
    fn what_is_released_is_read_again_token_by_token(ids in prop::collection::vec(any::<u32>(), 0..60)) {
        let vocabulary = vocabulary();
        let first = allonym_text::vocabulary::SPECIAL.len() as u32;
        let tokens: Vec<&str> = ids.iter().filter_map(|id| vocabulary.word(first + id % vocabulary.words() as u32)).collect();
        let text = detokenise(tokens.iter().copied());
        let expected: Vec<String> = tokens.iter().map(|t| key(t).into_owned()).collect();
        prop_assert_eq!(keys(&text), expected, "{}", text);
    }

    #[test]
    fn hard_tokens_too_are_read_again(picks in prop::collection::vec(any::<u32>(), 0..40)) {
        // Punctuation, clitics and halves only: where joining is most likely to go wrong.
        let vocabulary = vocabulary();
        let first = allonym_text::vocabulary::SPECIAL.len() as u32;
        let hard: Vec<&str> = (first..vocabulary.ids())
            .filter_map(|id| vocabulary.word(id))
            .filter(|w| w.len() <= 3 || w.contains(|c: char| !c.is_alphabetic()))
            .collect();
        let tokens: Vec<&str> = picks.iter().map(|pick| hard[*pick as usize % hard.len()]).collect();
        let text = detokenise(tokens.iter().copied());
        let expected: Vec<String> = tokens.iter().map(|t| key(t).into_owned()).collect();
        prop_assert_eq!(keys(&text), expected, "{}", text);
    }
}

fn vocabulary() -> &'static Vocabulary {
    static ENGLISH: std::sync::OnceLock<Vocabulary> = std::sync::OnceLock::new();
    ENGLISH.get_or_init(|| Vocabulary::english(Vocabulary::english_size()).unwrap())
}

#[test]
fn long_runs_of_what_is_hard_are_read_to_their_end() {
    // Megabytes of each: where a look ahead has no end, this test does not come to one either.
    let russian = format!("{} {}", "λ".repeat(500_000), "а ".repeat(500_000));
    assert_eq!(Document::read(&russian).len(), 500_000 + 500_000_usize.div_ceil(128));
    let hard = [
        "aa.",
        "a@",
        "a+",
        "1a.",
        "_a.",
        "n't",
        "a/a/",
        "aa.com.",
        "'s",
        "http://",
        "a-",
        "\u{301}",
        "👩\u{200D}",
        "''",
    ];
    for piece in hard {
        let text = format!("{}com", piece.repeat(1_000_000 / piece.len()));
        let last = Document::read(&text).tokens().last().map(|token| token.span.end);
        assert_eq!(last, Some(text.len()), "{piece}");
    }
}
