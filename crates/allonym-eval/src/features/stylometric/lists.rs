//! Words that give a writer away: misspellings, British and American forms, missing apostrophes, shorthand.

use super::misspellings::MISSPELLINGS;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A kind of difference between British and American spelling: its name, the endings that its words take, and pairs of stems, British first.
type Variants = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

/// The differences of spelling.
pub(super) const VARIANTS: &[Variants] = &[
    (
        "our-or",
        &["", "s", "ed", "ing", "ite", "ites", "able", "ful", "hood", "al"],
        &[
            ("colour", "color"),
            ("favour", "favor"),
            ("honour", "honor"),
            ("humour", "humor"),
            ("neighbour", "neighbor"),
            ("behaviour", "behavior"),
            ("labour", "labor"),
            ("rumour", "rumor"),
            ("flavour", "flavor"),
            ("harbour", "harbor"),
            ("armour", "armor"),
            ("odour", "odor"),
            ("parlour", "parlor"),
            ("savour", "savor"),
            ("endeavour", "endeavor"),
        ],
    ),
    (
        "re-er",
        &["", "s", "d"],
        &[
            ("centre", "center"),
            ("theatre", "theater"),
            ("metre", "meter"),
            ("litre", "liter"),
            ("fibre", "fiber"),
            ("calibre", "caliber"),
            ("kilometre", "kilometer"),
            ("sombre", "somber"),
            ("lustre", "luster"),
        ],
    ),
    (
        "ise-ize",
        &["e", "es", "ed", "ing", "er", "ation", "ations"],
        &[
            ("realis", "realiz"),
            ("organis", "organiz"),
            ("recognis", "recogniz"),
            ("apologis", "apologiz"),
            ("analys", "analyz"),
            ("criticis", "criticiz"),
            ("emphasis", "emphasiz"),
            ("civilis", "civiliz"),
            ("memoris", "memoriz"),
            ("summaris", "summariz"),
            ("characteris", "characteriz"),
            ("minimis", "minimiz"),
        ],
    ),
    (
        "ll-l",
        &["ed", "ing", "er", "ers"],
        &[
            ("travell", "travel"),
            ("cancell", "cancel"),
            ("labell", "label"),
            ("modell", "model"),
            ("jewell", "jewel"),
            ("marvell", "marvel"),
            ("counsell", "counsel"),
            ("fuell", "fuel"),
            ("signall", "signal"),
            ("quarrell", "quarrel"),
        ],
    ),
    (
        "other",
        &[""],
        &[
            ("grey", "gray"),
            ("mum", "mom"),
            ("mums", "moms"),
            ("mummy", "mommy"),
            ("tyre", "tire"),
            ("tyres", "tires"),
            ("programme", "program"),
            ("programmes", "programs"),
            ("defence", "defense"),
            ("offence", "offense"),
            ("licence", "license"),
            ("catalogue", "catalog"),
            ("dialogue", "dialog"),
            ("pyjamas", "pajamas"),
            ("aeroplane", "airplane"),
            ("aluminium", "aluminum"),
            ("jewellery", "jewelry"),
            ("plough", "plow"),
            ("sceptical", "skeptical"),
            ("moustache", "mustache"),
            ("towards", "toward"),
            ("learnt", "learned"),
            ("dreamt", "dreamed"),
            ("burnt", "burned"),
            ("judgement", "judgment"),
            ("enrol", "enroll"),
            ("fulfil", "fulfill"),
            ("maths", "math"),
        ],
    ),
];

/// Contractions without their apostrophe that are no other word.
const NO_APOSTROPHE: &[&str] = &[
    "dont", "doesnt", "didnt", "cant", "couldnt", "wouldnt", "shouldnt", "isnt", "wasnt", "arent", "werent", "aint",
    "hasnt", "havent", "hadnt", "wont", "im", "ive", "youre", "youve", "youll", "theyre", "theyve", "theyll", "thats",
    "whats", "theres", "hes", "shes", "lets", "weve", "itll", "wheres", "whos", "heres", "hows", "yall", "mustnt",
    "neednt",
];

/// Shorthand and sounds of messages.
const SHORTHAND: &[&str] = &[
    "u", "ur", "r", "n", "y", "k", "kk", "b", "c", "b4", "2day", "2nite", "gr8", "l8r", "m8", "pls", "plz", "thx",
    "thanx", "thnx", "tnx", "ty", "omg", "omfg", "wtf", "btw", "imo", "imho", "fyi", "asap", "brb", "ttyl", "idk",
    "jk", "tho", "thru", "cuz", "coz", "cos", "bcuz", "bc", "w", "wif", "wid", "dat", "dis", "dem", "da", "tha", "luv",
    "nite", "tonite", "rite", "kewl", "gal", "peeps", "sis", "bro", "bday", "pic", "pics", "vid", "msg", "txt", "ppl",
    "sum1", "some1", "every1", "any1", "no1", "2moro", "tmr", "rofl", "lmao", "roflmao", "haha", "hehe", "lolz",
    "hahaha", "hehehe", "yup", "yep", "nope", "nah", "ya", "yea", "hmm", "hmmm", "ugh", "argh", "aww", "wow", "yay",
    "woo", "whoa",
];

/// Words that are spoken together; of `gimme` and `lemme` the first token.
const SPOKEN: &[&str] = &[
    "gim", "lem", "kinda", "sorta", "lotta", "outta", "dunno", "coulda", "shoulda", "woulda", "hafta", "oughta",
    "whatcha", "gotcha",
];

/// What is known of a word.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// Its place among the misspellings.
    pub(super) misspelling: Option<usize>,
    pub(super) no_apostrophe: bool,
    pub(super) shorthand: bool,
    pub(super) spoken: bool,
    /// Its kind of variant, and whether it is the British form.
    pub(super) variant: Option<(usize, bool)>,
}

static KNOWN: LazyLock<HashMap<String, Known>> = LazyLock::new(|| {
    let mut known: HashMap<String, Known> = HashMap::new();
    for (place, word) in MISSPELLINGS.iter().enumerate() {
        known.entry((*word).to_owned()).or_default().misspelling = Some(place);
    }
    NO_APOSTROPHE.iter().for_each(|word| known.entry((*word).to_owned()).or_default().no_apostrophe = true);
    SHORTHAND.iter().for_each(|word| known.entry((*word).to_owned()).or_default().shorthand = true);
    SPOKEN.iter().for_each(|word| known.entry((*word).to_owned()).or_default().spoken = true);
    for (kind, (_, endings, pairs)) in VARIANTS.iter().enumerate() {
        for (ending, (british, american)) in
            endings.iter().flat_map(|ending| pairs.iter().map(move |pair| (ending, pair)))
        {
            known.entry(format!("{british}{ending}")).or_default().variant = Some((kind, true));
            known.entry(format!("{american}{ending}")).or_default().variant = Some((kind, false));
        }
    }
    known
});

/// What is known of a lower-case word.
pub(super) fn known(word: &str) -> Known {
    KNOWN.get(word).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_list_has_a_word_twice_and_misspellings_are_single_tokens() {
        for list in [&**MISSPELLINGS, NO_APOSTROPHE, SHORTHAND, SPOKEN] {
            let different: HashSet<&&str> = list.iter().collect();
            assert_eq!(different.len(), list.len());
        }
        for word in MISSPELLINGS.iter() {
            assert_eq!(allonym_text::Document::read(word).len(), 1, "{word}");
        }
    }

    #[test]
    fn both_forms_of_a_variant_are_known() {
        assert_eq!(known("neighbourhood").variant, Some((0, true)));
        assert_eq!(known("organizing").variant, Some((2, false)));
        assert_eq!(known("travel").variant, None, "spelt alike on both sides");
    }
}
