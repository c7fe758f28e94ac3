//! What is found in a text.

use serde::{Deserialize, Serialize};
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

/// Entities in the order of the text, without overlaps: of two that overlap, the one that was given first.
pub fn without_overlaps(given: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut kept: Vec<Entity> = Vec::new();
    for entity in given {
        let place = kept.partition_point(|other| other.span.start < entity.span.start);
        let before = place.checked_sub(1).is_none_or(|before| kept[before].span.end <= entity.span.start);
        let after = kept.get(place).is_none_or(|after| entity.span.end <= after.span.start);
        if before && after && !entity.span.is_empty() {
            kept.insert(place, entity);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_that_overlap_the_first_stays() {
        let entity = |span, kind| Entity { span, kind };
        let given = [
            entity(5..9, Kind::Date),
            entity(0..3, Kind::Person),
            entity(8..12, Kind::Phone),
            entity(2..6, Kind::Place),
            entity(9..12, Kind::Web),
            entity(4..4, Kind::Card),
        ];
        let kept = without_overlaps(given);
        assert_eq!(kept.iter().map(|e| e.kind).collect::<Vec<_>>(), [Kind::Person, Kind::Date, Kind::Web]);
        assert_eq!(format!("{:?}", kept[0]), "person at 0..3");
    }

    #[test]
    fn names_of_kinds_are_their_own() {
        assert!(Kind::ALL.into_iter().all(|kind| Kind::named(kind.name()) == Some(kind)));
        assert_eq!(Kind::named("fish"), None);
    }
}
