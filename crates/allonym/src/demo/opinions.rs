//! What reviewers may think of something: opinion words by kind of aspect, good and bad.
//!
//! A reader of the demo corpus tells praise from complaint by these words, so each stands on one side only. Words
//! whose spelling or intensity depends on the writer are changed later, by `surface` and `realise`.

/// The opinions that fit one kind of aspect; each can take a word of degree ("very").
pub(super) struct Opinions {
    pub(super) good: &'static [&'static str],
    pub(super) bad: &'static [&'static str],
}

/// Praise for any aspect, too strong for "very".
pub(super) const SUPERB: &[&str] =
    &["superb", "excellent", "perfect", "wonderful", "brilliant", "fantastic", "outstanding", "magnificent"];

/// Blame for any aspect, too strong for "very".
pub(super) const AWFUL: &[&str] =
    &["awful", "terrible", "dreadful", "appalling", "horrible", "hopeless", "atrocious", "useless"];

/// How well a thing is made.
pub(super) const MAKE: Opinions = Opinions {
    good: &["sturdy", "solid", "durable", "well made", "tough", "neatly finished", "dependable", "precise"],
    bad: &["flimsy", "brittle", "fragile", "shoddy", "wobbly", "badly made", "crooked", "rickety"],
};

/// How a thing looks.
pub(super) const LOOK: Opinions = Opinions {
    good: &["elegant", "stylish", "attractive", "charming", "tasteful", "classy", "lovely", "eye-catching"],
    bad: &["ugly", "drab", "tacky", "garish", "shabby", "dated", "unattractive", "gaudy"],
};

/// How a thing sounds.
pub(super) const SOUND: Opinions = Opinions {
    good: &["crisp", "rich", "well balanced", "warm", "detailed", "natural", "pleasant", "full"],
    bad: &["tinny", "muffled", "harsh", "shrill", "distorted", "hollow", "crackly", "grating"],
};

/// How easily a thing is used.
pub(super) const USE: Opinions = Opinions {
    good: &[
        "intuitive",
        "handy",
        "convenient",
        "practical",
        "straightforward",
        "well thought out",
        "simple",
        "logical",
    ],
    bad: &["confusing", "clumsy", "fiddly", "awkward", "baffling", "impractical", "frustrating", "cumbersome"],
};

/// How quickly something happens.
pub(super) const PACE: Opinions = Opinions {
    good: &["fast", "quick", "prompt", "swift", "speedy", "brisk", "punctual", "efficient"],
    bad: &["slow", "sluggish", "delayed", "tardy", "late", "disorganised", "chaotic", "inefficient"],
};

/// How food tastes.
pub(super) const TASTE: Opinions = Opinions {
    good: &["tasty", "fresh", "delicious", "appetising", "well seasoned", "tender", "crunchy", "satisfying"],
    bad: &["bland", "soggy", "greasy", "stale", "overcooked", "salty", "rubbery", "tasteless"],
};

/// How a drink tastes.
pub(super) const SIP: Opinions = Opinions {
    good: &["smooth", "refreshing", "aromatic", "mellow", "fragrant", "well chosen", "balanced", "invigorating"],
    bad: &["watery", "sour", "bitter", "lukewarm", "burnt", "sickly", "weak", "undrinkable"],
};

/// How people behave.
pub(super) const PEOPLE: Opinions = Opinions {
    good: &["polite", "attentive", "helpful", "welcoming", "patient", "cheerful", "kind", "courteous"],
    bad: &["rude", "dismissive", "grumpy", "careless", "arrogant", "unhelpful", "impatient", "surly"],
};

/// What a place is like.
pub(super) const PLACE: Opinions = Opinions {
    good: &["spacious", "spotless", "bright", "peaceful", "airy", "inviting", "tidy", "relaxing"],
    bad: &["cramped", "noisy", "dirty", "dingy", "stuffy", "gloomy", "smelly", "draughty"],
};

/// What something costs.
pub(super) const COST: Opinions = Opinions {
    good: &["fair", "reasonable", "affordable", "competitive", "modest", "transparent", "sensible", "attractive"],
    bad: &["steep", "excessive", "inflated", "unfair", "extortionate", "outrageous", "unjustified", "dear"],
};

/// How a story holds.
pub(super) const STORY: Opinions = Opinions {
    good: &["gripping", "moving", "clever", "inventive", "convincing", "touching", "compelling", "thrilling"],
    bad: &["predictable", "dull", "tedious", "contrived", "implausible", "muddled", "boring", "pointless"],
};

/// How a performance or a text is done.
pub(super) const CRAFT: Opinions = Opinions {
    good: &["subtle", "beautiful", "vivid", "graceful", "witty", "sincere", "assured", "haunting"],
    bad: &["wooden", "lazy", "forced", "amateurish", "clumsy", "pretentious", "flat", "sloppy"],
};

/// How far something can be relied on.
pub(super) const TRUST: Opinions = Opinions {
    good: &["reliable", "stable", "accurate", "secure", "consistent", "trustworthy", "flawless", "dependable"],
    bad: &["unreliable", "erratic", "buggy", "inaccurate", "unstable", "patchy", "inconsistent", "glitchy"],
};

/// How well something explains itself.
pub(super) const CLARITY: Opinions = Opinions {
    good: &["clear", "thorough", "informative", "precise", "useful", "honest", "comprehensive", "concise"],
    bad: &["vague", "misleading", "incomplete", "outdated", "wrong", "cryptic", "contradictory", "unreadable"],
};

/// How something feels.
pub(super) const FEEL: Opinions = Opinions {
    good: &["comfortable", "soft", "cushioned", "supportive", "gentle", "snug", "breathable", "soothing"],
    bad: &["uncomfortable", "lumpy", "stiff", "scratchy", "tight", "itchy", "clammy", "coarse"],
};

/// Every kind, for tests and for the list of content words.
pub(super) const ALL: &[&Opinions] =
    &[&MAKE, &LOOK, &SOUND, &USE, &PACE, &TASTE, &SIP, &PEOPLE, &PLACE, &COST, &STORY, &CRAFT, &TRUST, &CLARITY, &FEEL];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_both_praise_and_blame() {
        let good: Vec<&str> = ALL.iter().flat_map(|kind| kind.good).chain(SUPERB).copied().collect();
        let bad = ALL.iter().flat_map(|kind| kind.bad).chain(AWFUL);
        assert_eq!(bad.filter(|word| good.contains(word)).count(), 0);
    }
}
