//! What a review can be about: the shape of the content tables in `goods`, `places`, `stories` and `services`.
//!
//! Clauses are written without a capital or a full stop. `<thing>`, `<person>`, `<when>` and `<n>` are content, filled
//! by the plan. `{very}` and other words in braces, `{,}` (the comma of a list of three) and `[asides]` are style,
//! filled by the author's habits. Forms that can be contracted are written out ("did not").

use super::opinions::Opinions;
use super::{goods, places, services, stories};

/// One kind of reviewed thing with everything that can be said about it.
pub(super) struct Domain {
    /// What is reviewed, said as "this kettle".
    pub(super) things: &'static [&'static str],
    /// Whether a review tells of something over ("the room was"), so that the present tense does not fit.
    pub(super) over: bool,
    /// What happened, neither good nor bad.
    pub(super) facts: &'static [&'static str],
    /// What opinions are about.
    pub(super) aspects: &'static [Aspect],
    /// Events that please.
    pub(super) delights: &'static [&'static str],
    /// Events that annoy.
    pub(super) troubles: &'static [&'static str],
    /// Conclusions of a pleased reviewer.
    pub(super) praise: &'static [&'static str],
    /// Conclusions of a disappointed reviewer.
    pub(super) blame: &'static [&'static str],
}

/// A part or side of the reviewed thing.
#[derive(Clone, Copy)]
pub(super) struct Aspect {
    pub(super) noun: &'static str,
    pub(super) plural: bool,
    pub(super) opinions: &'static Opinions,
}

/// An aspect in the singular.
pub(super) const fn one(noun: &'static str, opinions: &'static Opinions) -> Aspect {
    Aspect { noun, plural: false, opinions }
}

/// An aspect in the plural.
pub(super) const fn many(noun: &'static str, opinions: &'static Opinions) -> Aspect {
    Aspect { noun, plural: true, opinions }
}

/// Every domain; a review draws one of them uniformly.
pub(super) const ALL: &[&Domain] = &[
    &goods::GADGETS,
    &goods::HOUSEHOLD,
    &goods::CLOTHING,
    &places::RESTAURANTS,
    &places::HOTELS,
    &stories::FILMS,
    &stories::BOOKS,
    &services::APPS,
    &services::TRADES,
];

/// People whom reviewers mention.
pub(super) const PEOPLE: &[&str] = &[
    "my sister",
    "my brother",
    "my dad",
    "my mother",
    "a friend",
    "my husband",
    "my wife",
    "a colleague",
    "my neighbour",
    "my daughter",
    "my son",
    "my flatmate",
    "my grandmother",
    "an old classmate",
    "my cousin",
    "my boss",
];

/// When it happened.
pub(super) const TIMES: &[&str] = &[
    "last week",
    "last month",
    "last year",
    "in the spring",
    "over the summer",
    "in January",
    "before Christmas",
    "in October",
    "during the holidays",
    "at the end of term",
    "around my birthday",
    "after Easter",
    "in early March",
    "in the autumn",
    "in November",
    "this summer",
];

/// Conclusions about anything, by a pleased reviewer.
pub(super) const PRAISE: &[&str] = &[
    "I would recommend this <thing> to {anyone}",
    "I am delighted with this <thing>",
    "I love this <thing>",
    "I could not be happier",
    "this <thing> exceeded my expectations",
    "it is worth every penny",
    "it is one of my favourites by now",
    "I give it full marks",
    "this <thing> deserves its reputation",
    "I was pleasantly surprised by the {whole} experience",
    "I have already told <person> and {everyone} else about it",
    "it made me smile",
    "I would {definitely} choose this <thing> again",
    "you will not find a better <thing> for the money",
    "I am glad that I gave this <thing> a chance",
    "I enjoyed it from start to finish",
    "it was {fully} the right decision",
    "this is {probably} the best <thing> in years",
];

/// Conclusions about anything, by a disappointed reviewer.
pub(super) const BLAME: &[&str] = &[
    "I would not recommend this <thing> to {anyone}",
    "I am disappointed by this <thing>",
    "I hate this <thing>",
    "I regret spending my money on it",
    "this <thing> did not live up to the hype",
    "it is a waste of money",
    "it is the worst choice I have made in a while",
    "I want a refund",
    "this <thing> does not deserve its reputation",
    "I was annoyed by the {whole} experience",
    "I have already warned <person> and {everyone} else about it",
    "it left me angry",
    "I would {definitely} avoid this <thing>",
    "you can find a better <thing> for half the money",
    "I am sorry that I fell for this <thing>",
    "I lost patience with it quickly",
    "it was {fully} the wrong decision",
    "this is {probably} the worst <thing> in years",
];
