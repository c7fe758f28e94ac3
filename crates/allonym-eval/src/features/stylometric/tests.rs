use super::*;

fn of(text: &str, name: &str) -> f32 {
    let place = FEATURES.iter().position(|feature| feature.name == name);
    stylometric(text)[place.unwrap_or_else(|| panic!("no feature {name}"))]
}

fn near(text: &str, name: &str, expected: f32) {
    let found = of(text, name);
    assert!((found - expected).abs() < 1e-4 * expected.abs().max(1.0), "{name}: {found}, not {expected}");
}

#[test]
fn names_are_different_and_every_group_has_features() {
    let mut names: Vec<&str> = FEATURES.iter().map(|feature| feature.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FEATURES.len());
    assert!(Group::ALL.iter().all(|group| FEATURES.iter().any(|feature| feature.group == *group)));
}

#[test]
fn an_empty_text_is_all_zeros_and_no_text_gives_anything_but_finite_numbers() {
    assert_eq!(stylometric(""), vec![0.0; FEATURES.len()]);
    let odd = [
        " ",
        "\n\n",
        "a",
        "I",
        "...",
        "!?!?",
        "\u{1f600}",
        "\u{feff}",
        "\"",
        "(",
        "ß",
        "the the",
        ",",
        "\t x",
        "a\u{301}",
        "@",
        "#",
    ];
    for text in odd {
        let values = stylometric(text);
        assert!(values.len() == FEATURES.len() && values.iter().all(|value| value.is_finite()), "{text:?}");
    }
}

#[test]
fn characters_by_hand() {
    // 14 characters: Aha (3) , (1) space (1) a (1) space (1) banana (6) ! (1); ten letters, six of them `a`, one upper-case.
    let text = "Aha, a banana!";
    near(text, "characters", 15.0_f32.ln());
    near(text, "letters", 10.0 / 14.0);
    near(text, "letter-a", 0.6);
    near(text, "upper-case", 0.1);
    near(text, "white-space", 2.0 / 14.0);
    near(text, "mark-comma", 1.0 / 14.0);
    near(text, "marks", 2.0 / 14.0);
    near("a\t b", "tabs", 0.5);
    near("50% \u{20ac}", "special-percent", 0.2);
    near("50% \u{20ac}", "other-characters", 0.2);
    near("\u{201c}a\u{201d}\u{2014}", "mark-em-dash", 0.25);
}

#[test]
fn richness_by_hand() {
    // Ten words: the x4, cat x2, saw, dog, and, bird. N = 10, V = 6, V1 = 4, V2 = 1.
    let text = "the cat saw the dog and the bird the cat";
    near(text, "type-token", 0.6);
    near(text, "guiraud", 6.0 / 10.0_f32.sqrt());
    near(text, "hapax-legomena", 0.4);
    near(text, "hapax-share", 4.0 / 6.0);
    near(text, "dislegomena", 0.1);
    near(text, "sichel", 1.0 / 6.0);
    near(text, "yule", 1400.0); // squares 16 + 4 + 4 = 24; 10,000 (24 - 10) / 100
    near(text, "simpson", 14.0 / 90.0); // 4*3 + 2*1 of 10*9
    near(text, "honore", 537.269_9); // 100 * 2.302585 / (1 - 4/7)
    near(text, "brunet", 5.429_77); // 6^-0.172 = 0.734781; 10^0.734781
    // 0.4 * 1.321928 + 0.2 * 2.321928 + 4 * 0.1 * 3.321928
    near(text, "entropy", 2.321_928);
    near(text, "entropy-share", 2.321_928 / 10.0_f32.log2());
}

#[test]
fn words_by_hand() {
    // Words: I, do, really, like, two-part, 3rd, things: n't is none.
    let text = "I don't really like two-part 3rd things";
    near(text, "words", 8.0_f32.ln());
    near(text, "word-length", 30.0 / 7.0); // 1 + 2 + 6 + 4 + 8 + 3 + 6
}

#[test]
fn function_words_are_shares_of_tokens() {
    // Tokens: It, was, n't, the, end, .
    let text = "It wasn't the end.";
    near(text, "function-n't", 1.0 / 6.0);
    near(text, "function-the", 1.0 / 6.0);
    near(text, "function-words", 4.0 / 6.0);
}

#[test]
fn structure_by_hand() {
    let text = "Hi all!\n\n  One two three. Is it?\n- item\n> cited \n\nSee http://a.com (or not)\nCheers, Jo";
    near(text, "lines", 9.0_f32.ln());
    near(text, "blank-lines", 0.25);
    near(text, "paragraphs", 4.0_f32.ln());
    near(text, "indented-lines", 1.0 / 6.0);
    near(text, "listed-lines", 1.0 / 6.0);
    near(text, "cited-lines", 1.0 / 6.0);
    near(text, "trailing-space", 1.0 / 6.0);
    near(text, "greeting", 1.0);
    near(text, "sign-off", 1.0);
    assert!(of(text, "urls") > 0.0 && of(text, "mail-addresses") == 0.0);
    near("a \"bcd\" (ef)", "quoted-text", 3.0 / 12.0);
    near("a \"bcd\" (ef)", "parenthesised-text", 2.0 / 12.0);
    // Sentences of 2, 4 and 2 words, one a question, one without an end.
    let text = "Who knows? I do not know. No end";
    near(text, "sentence-length", 8.0 / 3.0);
    near(text, "sentence-length-deviation", (8.0_f32 / 9.0).sqrt());
    near(text, "questions", 1.0 / 3.0);
    near(text, "unended", 1.0 / 3.0);
}

#[test]
fn habits_of_words_by_hand() {
    let text = "i think i definately gonna visit teh neighbourhood. NASA says so, and I know. but dont ask.";
    near(text, "small-i", 2.0 / 3.0);
    near(text, "small-beginnings", 2.0 / 3.0);
    near(text, "joined-beginnings", 1.0 / 3.0);
    near(text, "comma-and", 1.0);
    // 18 words: `gonna` is two.
    near(text, "misspellings", 2.0 / 18.0);
    near(text, "misspelling-teh", 1.0 / 18.0);
    near(text, "british-our-or", 1.0 / 18.0);
    near(text, "american-our-or", 0.0);
    near(text, "spoken-forms", 1.0 / 18.0);
    near(text, "all-caps", 1.0 / 18.0);
    near(text, "no-apostrophe", 1.0 / 18.0);
    near(text, "contractions", 0.0);
}

#[test]
fn habits_of_typing_by_hand() {
    near("sooo goood, yes", "stretched-letters", 2.0 / 15.0);
    near("No!! Really?! Hm....", "exclamation-runs", 1.0 / 20.0);
    near("No!! Really?! Hm....", "mixed-runs", 1.0 / 20.0);
    near("No!! Really?! Hm....", "more-dots", 1.0 / 20.0);
    near("One.  Two.  Three. Four", "double-space-after-end", 2.0 / 3.0);
    near("a,b, c", "no-space-after-comma", 0.5);
    near("end.Begin again.", "no-space-after-end", 0.5);
    near("what ?", "space-before-mark", 1.0 / 6.0);
    near("ha :) :-) ;) :( :P <3", "smiles", 2.0 / 21.0);
    near("ha :) :-) ;) :( :P <3", "winks", 1.0 / 21.0);
    near("ha :) :-) ;) :( :P <3", "noses", 1.0 / 5.0);
    near("ha :) :-) ;) :( :P <3", "hearts", 1.0 / 21.0);
    near("at 10:30) or a:b", "smiles", 0.0);
}

/// `ALLONYM_WRITE_DOCS=1 cargo test -p allonym-eval the_page` writes the page anew.
#[test]
fn the_page_of_the_features_is_what_the_code_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/stylometry.md");
    let page = page();
    if std::env::var_os("ALLONYM_WRITE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == page, "docs/stylometry.md is not what the code says: write it anew with ALLONYM_WRITE_DOCS=1");
}

fn page() -> String {
    let mut page = String::from(
        "# The features of style\n\n\
        What `features::stylometric` counts in a text, after Zheng et al. (2006) and Iqbal et al. (2013). A test compares this page with the\n\
        code; `ALLONYM_WRITE_DOCS=1 cargo test -p allonym-eval the_page` writes it anew.\n\n\
        A text is read as it was typed. A *word* is a token that begins with a letter or digit and is no address; the tail of a contraction\n\
        (`n't`, `'ll`) is a token and no word. N is the number of words, V of different ones, V1 of those that occur once, V2 twice. A share of\n\
        nothing is 0. `features::Standardised` turns the numbers into deviations from the mean of other texts, five at most.\n\n\
        | group | features |\n|---|---|\n",
    );
    for group in Group::ALL {
        let count = FEATURES.iter().filter(|feature| feature.group == group).count();
        page += &format!("| {} | {count} |\n", group.name());
    }
    page += &format!("| in all | {} |\n", FEATURES.len());
    for group in Group::ALL {
        page += &format!("\n## {}\n\n| feature | what it says |\n|---|---|\n", group.name());
        for feature in FEATURES.iter().filter(|feature| feature.group == group) {
            page += &format!("| `{}` | {} |\n", feature.name, feature.about);
        }
    }
    page
}
