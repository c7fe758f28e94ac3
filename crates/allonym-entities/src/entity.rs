//! What is found in a text.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// What a name or number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A person.
    Person,
    /// A place.
    Place,
    /// An organisation.
    Organisation,
    /// An e-mail address.
    Email,
    /// A web address.
    Web,
    /// A name on a network: `@name`.
    Handle,
    /// A phone number.
    Phone,
    /// An international bank account number whose check digits are right.
    Iban,
    /// A card number whose check digit is right.
    Card,
    /// The address of a machine.
    Machine,
    /// A postcode.
    Postcode,
    /// A date.
    Date,
    /// Another number that stands for one person or thing.
    Number,
    /// Something else that another tool has found.
    Other,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Person,
        Self::Place,
        Self::Organisation,
        Self::Email,
        Self::Web,
        Self::Handle,
        Self::Phone,
        Self::Iban,
        Self::Card,
        Self::Machine,
        Self::Postcode,
        Self::Date,
        Self::Number,
        Self::Other,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Place => "place",
            Self::Organisation => "organisation",
            Self::Email => "email",
            Self::Web => "web",
            Self::Handle => "handle",
            Self::Phone => "phone",
            Self::Iban => "iban",
            Self::Card => "card",
            Self::Machine => "machine",
            Self::Postcode => "postcode",
            Self::Date => "date",
            Self::Number => "number",
            Self::Other => "other",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What may be said in its place and tells nothing but what it was.
    pub fn anything(self) -> &'static str {
        match self {
            Self::Person => "*",
            Self::Place => "somewhere",
            Self::Organisation => "an organisation",
            Self::Email => "an e-mail address",
            Self::Web => "a web address",
            Self::Handle => "a handle",
            Self::Phone => "a phone number",
            Self::Iban => "a bank account",
            Self::Card => "a card number",
            Self::Machine => "a network address",
            Self::Postcode => "a postcode",
            Self::Date => "a date",
            Self::Number => "a number",
            Self::Other => "*",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name or number in a text.
#[derive(Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Where it stands is all that may be told of it.
        write!(f, "{} at {:?}", self.kind, self.span)
    }
}

/// Entities in the order of the text, without overlaps. Of two that overlap, the one that was given first has the common part; what is left of the other stays an
/// entity of its own, so that nothing which was found passes. Blanks at the ends, and pieces without a letter or digit, are no names.
pub fn without_overlaps(text: &str, given: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut kept: BTreeMap<usize, Entity> = BTreeMap::new();
    for Entity { span, kind } in given {
        let mut pieces = Vec::new();
        let mut start = span.start;
        let before = kept.range(..span.start).next_back().map(|(_, entity)| entity.span.end);
        start = start.max(before.unwrap_or(0)).min(span.end);
        for (_, other) in kept.range(span.start..span.end) {
            pieces.push(start..other.span.start.max(start));
            start = start.max(other.span.end).min(span.end);
        }
        pieces.push(start..span.end);
        for piece in pieces {
            let part = &text[piece.clone()];
            if part.contains(char::is_alphanumeric) {
                let first = piece.start + (part.len() - part.trim_start().len());
                let last = piece.end - (part.len() - part.trim_end().len());
                kept.insert(first, Entity { span: first..last, kind });
            }
        }
    }
    kept.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn of_two_that_overlap_what_is_left_stays_too() {
        let text = "jo@x.org saw Ann Lee";
        let entity = |span, kind| Entity { span, kind };
        let kept = without_overlaps(
            text,
            [
                entity(3..8, Kind::Web),
                entity(0..8, Kind::Email),
                entity(13..16, Kind::Person),
                entity(12..20, Kind::Person),
            ],
        );
        let told: Vec<_> = kept.iter().map(|e| (&text[e.span.clone()], e.kind)).collect();
        assert_eq!(told, [("jo@", Kind::Email), ("x.org", Kind::Web), ("Ann", Kind::Person), ("Lee", Kind::Person)]);
        assert_eq!(format!("{:?}", kept[0]), "email at 0..3");
        assert!(without_overlaps(" . ", [entity(0..3, Kind::Card), entity(1..1, Kind::Card)]).is_empty());
    }

    proptest! {
        #[test]
        fn what_any_of_them_covers_is_covered(spans in proptest::collection::vec((0_usize..40, 0_usize..15), 0..12)) {
            let text = "Ab1 é.f gh-i jkl mn op qr stu vwx yz 123 456 7";
            let ends: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
            let given: Vec<Entity> = spans
                .iter()
                .map(|(start, len)| Entity { span: ends[*start]..ends[(start + len).min(ends.len() - 1)], kind: Kind::Place })
                .collect();
            let kept = without_overlaps(text, given.clone());
            prop_assert!(kept.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
            for (place, letter) in text.char_indices().filter(|(_, letter)| letter.is_alphanumeric()) {
                let covers = |all: &[Entity]| all.iter().any(|entity| entity.span.contains(&place));
                prop_assert_eq!(covers(&given), covers(&kept), "{} at {}", letter, place);
            }
        }
    }

    #[test]
    fn names_of_kinds_are_their_own() {
        assert!(Kind::ALL.into_iter().all(|kind| Kind::named(kind.name()) == Some(kind)));
        assert_eq!(Kind::named("fish"), None);
    }
}
