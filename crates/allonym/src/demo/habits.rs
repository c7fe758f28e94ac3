//! An author as a set of stylistic habits, each followed with a rate of its own.
//!
//! Rates are in percent. Most authors share the common habits and differ in how often they follow them; a quirk
//! belongs to few authors. Nobody is fully consistent, so a single text does not give its author away for sure.

use super::choices::{CHOICES, SLIPS};
use super::draw::{chance, pick};
use allonym_dp::PrivacyRng;

/// The habits of one author.
pub(super) struct Habits {
    /// For each choice, in the order of `CHOICES`.
    preferences: Vec<Preference>,
    pub(super) slips: Vec<Slip>,
    pub(super) contracts: u64,
    pub(super) drops_apostrophes: u64,
    pub(super) american: u64,
    /// Adds a word of degree to an opinion.
    pub(super) intensifies: u64,
    /// Softens an opinion ("a bit slow").
    pub(super) softens: u64,
    pub(super) hedges: u64,
    /// Says "I found the room quiet" for "the room was quiet".
    pub(super) frames: u64,
    pub(super) present: u64,
    pub(super) opens: u64,
    pub(super) closes: u64,
    pub(super) tails: u64,
    /// Joins a new thought to the sentence before.
    pub(super) joins: u64,
    /// Leaves out "I" at the start of a sentence.
    pub(super) drops_i: u64,
    pub(super) drops_commas: u64,
    pub(super) oxford: u64,
    pub(super) exclaims: u64,
    pub(super) trails_off: u64,
    pub(super) drops_last_stop: u64,
    pub(super) double_spaces: u64,
    pub(super) spaces_before: u64,
    pub(super) curly: u64,
    pub(super) shouts: u64,
    pub(super) lower_starts: u64,
    pub(super) lower_i: u64,
    pub(super) digits: u64,
    pub(super) emoticons: u64,
}

/// A slip that an author makes.
pub(super) struct Slip {
    pub(super) meant: &'static str,
    pub(super) written: &'static str,
    pub(super) rate: u64,
}

/// Which option of a choice an author takes.
struct Preference {
    favourite: &'static str,
    second: &'static str,
    /// How often the favourite is taken.
    loyalty: u64,
}

impl Habits {
    /// Draws an author.
    pub(super) fn draw(rng: &mut PrivacyRng) -> Self {
        let preferences = CHOICES
            .iter()
            .map(|choice| Preference {
                favourite: pick(rng, choice.options),
                second: pick(rng, choice.options),
                loyalty: between(rng, 55, 96),
            })
            .collect();
        let slips = (0..rng.below(5))
            .map(|_| {
                let (meant, written, most) = pick(rng, SLIPS);
                Slip { meant, written, rate: between(rng, most / 3, most) }
            })
            .collect();
        Self {
            preferences,
            slips,
            contracts: one_of(rng, &[(40, 85, 98), (35, 45, 80), (25, 0, 10)]),
            drops_apostrophes: quirk(rng, 15, 40, 90),
            american: one_of(rng, &[(45, 0, 8), (40, 92, 100), (15, 30, 70)]),
            intensifies: between(rng, 10, 70),
            softens: between(rng, 0, 25),
            hedges: between(rng, 0, 28),
            frames: between(rng, 0, 45),
            present: one_of(rng, &[(50, 75, 100), (50, 0, 40)]),
            opens: one_of(rng, &[(65, 0, 8), (35, 20, 65)]),
            closes: one_of(rng, &[(60, 5, 20), (40, 30, 75)]),
            tails: one_of(rng, &[(70, 0, 4), (30, 20, 60)]),
            joins: between(rng, 5, 70),
            drops_i: one_of(rng, &[(60, 0, 10), (40, 30, 80)]),
            drops_commas: one_of(rng, &[(65, 0, 8), (35, 30, 80)]),
            oxford: one_of(rng, &[(50, 0, 10), (50, 85, 100)]),
            exclaims: one_of(rng, &[(65, 0, 8), (35, 20, 60)]),
            trails_off: quirk(rng, 20, 20, 50),
            drops_last_stop: quirk(rng, 20, 40, 90),
            double_spaces: quirk(rng, 15, 50, 95),
            spaces_before: quirk(rng, 6, 30, 70),
            curly: quirk(rng, 22, 70, 100),
            shouts: quirk(rng, 16, 20, 55),
            lower_starts: quirk(rng, 16, 45, 95),
            lower_i: quirk(rng, 16, 50, 97),
            digits: one_of(rng, &[(50, 0, 20), (50, 70, 100)]),
            emoticons: quirk(rng, 15, 25, 65),
        }
    }

    /// The author's word for a choice this time; `None` when there is no choice of that name.
    pub(super) fn choose(&self, name: &str, rng: &mut PrivacyRng) -> Option<&'static str> {
        let place = CHOICES.iter().position(|choice| choice.name == name)?;
        let preference = &self.preferences[place];
        Some(if chance(rng, preference.loyalty) {
            preference.favourite
        } else if chance(rng, 50) {
            preference.second
        } else {
            pick(rng, CHOICES[place].options)
        })
    }
}

/// A rate between two bounds, both included.
fn between(rng: &mut PrivacyRng, low: u64, high: u64) -> u64 {
    low + rng.below(high - low + 1)
}

/// A rate from one of several ranges, given as share of the authors, lowest and highest rate; the shares add up to 100.
fn one_of(rng: &mut PrivacyRng, ranges: &[(u64, u64, u64)]) -> u64 {
    let mut draw = rng.below(100);
    for &(share, low, high) in ranges {
        if draw < share {
            return between(rng, low, high);
        }
        draw -= share;
    }
    0
}

/// A rate that only a share of the authors has; the others do it rarely.
fn quirk(rng: &mut PrivacyRng, share: u64, low: u64, high: u64) -> u64 {
    if chance(rng, share) { between(rng, low, high) } else { rng.below(2) }
}
