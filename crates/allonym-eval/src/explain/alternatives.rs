//! Other ways to say the same, for words that are a habit rather than a subject.

/// Words of habit, and what can stand in their place; nothing in its place means that it can be left out.
const ALTERNATIVES: &[(&str, &str)] = &[
    ("absolutely", ""),
    ("actually", ""),
    ("additionally", "also"),
    ("albeit", "though"),
    ("amidst", "amid"),
    ("amongst", "among"),
    ("anyhow", "anyway"),
    ("anyways", "anyway"),
    ("basically", ""),
    ("cannot", "can't"),
    ("certainly", ""),
    ("colour", "color"),
    ("commence", "begin"),
    ("concerning", "about"),
    ("consequently", "so"),
    ("currently", "now"),
    ("definitely", ""),
    ("despite", "in spite of"),
    ("essentially", ""),
    ("extremely", "very"),
    ("favourite", "favorite"),
    ("frankly", ""),
    ("furthermore", "also"),
    ("gonna", "going to"),
    ("gotta", "have to"),
    ("hence", "so"),
    ("honestly", ""),
    ("however", "but"),
    ("incredibly", "very"),
    ("indeed", ""),
    ("insofar", "as far"),
    ("kinda", "a little"),
    ("lest", "so that .. not"),
    ("likewise", "also"),
    ("literally", ""),
    ("lol", ""),
    ("maybe", "perhaps"),
    ("merely", "only"),
    ("moreover", "also"),
    ("nevertheless", "still"),
    ("nonetheless", "still"),
    ("notwithstanding", "in spite of"),
    ("obtain", "get"),
    ("obviously", ""),
    ("oftentimes", "often"),
    ("onto", "on"),
    ("otherwise", "or else"),
    ("overall", ""),
    ("perhaps", "maybe"),
    ("possess", "have"),
    ("prior", "before"),
    ("purchase", "buy"),
    ("quite", ""),
    ("rather", ""),
    ("realise", "realize"),
    ("really", ""),
    ("regarding", "about"),
    ("require", "need"),
    ("seemingly", ""),
    ("seriously", ""),
    ("shall", "will"),
    ("simply", ""),
    ("since", "because"),
    ("somewhat", "a little"),
    ("sorta", "a little"),
    ("subsequently", "then"),
    ("sufficient", "enough"),
    ("surely", ""),
    ("therefore", "so"),
    ("though", "but"),
    ("thus", "so"),
    ("till", "until"),
    ("totally", ""),
    ("towards", "toward"),
    ("truly", ""),
    ("ultimately", "in the end"),
    ("upon", "on"),
    ("utilise", "use"),
    ("utilize", "use"),
    ("utterly", ""),
    ("via", "by"),
    ("wanna", "want to"),
    ("whereas", "while"),
    ("whilst", "while"),
    ("whom", "who"),
    ("yeah", "yes"),
];

/// What can stand in the place of a lower-case word: another, or nothing at all. `None` for words that have no entry.
pub fn alternative(word: &str) -> Option<&'static str> {
    let place = ALTERNATIVES.binary_search_by_key(&word, |(word, _)| word).ok()?;
    Some(ALTERNATIVES[place].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order_so_that_they_are_found() {
        assert!(ALTERNATIVES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(
            (alternative("whilst"), alternative("really"), alternative("tree")),
            (Some("while"), Some(""), None)
        );
        assert!(ALTERNATIVES.iter().all(|(word, _)| alternative(word).is_some()));
    }
}
