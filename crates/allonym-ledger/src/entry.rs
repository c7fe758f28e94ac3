//! Entries of the journal, and the chain that holds them together.
//!
//! An entry's body is JSON with its fields in one order; an entry's hash covers its number, the hash before it and the
//! bytes of its body. A reservation's body holds a digest of its lines, so the chain covers them too.

use crate::amount::Amount;
use crate::hash::{Hash, Hex};
use crate::limit::Scope;
use crate::loss::Loss;
use crate::tag::Tag;
use rusqlite::{Connection, OptionalExtension, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};

/// What an entry says.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Body {
    /// The first entry: the ledger's name, and the key of its tags.
    Create { at: u64, name: String, secret: Hex<32> },
    /// A limit that holds from here on.
    Limit { at: u64, scope: Scope, epsilon_nano: i64, delta_atto: i64 },
    /// A loss for each of some lines.
    Reserve { at: u64, key: Hex<16>, what: String, epsilon_nano: i64, delta_atto: i64, lines: i64, digest: Hex<32> },
    /// A loss without a bound for each of some lines; since version 2.
    ReserveUnbounded { at: u64, key: Hex<16>, what: String, lines: i64, digest: Hex<32> },
}

impl Body {
    /// The canonical text.
    pub(crate) fn to_text(&self) -> String {
        // Strings and integers only: writing them as JSON does not fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a canonical text, and only that.
    pub(crate) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|body: &Self| body.to_text() == text)
    }

    /// When it was written.
    pub(crate) fn at(&self) -> u64 {
        match *self {
            Self::Create { at, .. }
            | Self::Limit { at, .. }
            | Self::Reserve { at, .. }
            | Self::ReserveUnbounded { at, .. } => at,
        }
    }

    /// The caller's key, where there is one.
    pub(crate) fn key(&self) -> Option<[u8; 16]> {
        match self {
            Self::Reserve { key, .. } | Self::ReserveUnbounded { key, .. } => Some(key.0),
            Self::Create { .. } | Self::Limit { .. } => None,
        }
    }

    /// The amount of a limit or of each line of a reservation; nothing where there is no bound.
    pub(crate) fn amount(&self) -> Amount {
        match *self {
            Self::Create { .. } | Self::ReserveUnbounded { .. } => Amount::default(),
            Self::Limit { epsilon_nano, delta_atto, .. } | Self::Reserve { epsilon_nano, delta_atto, .. } => {
                Amount { epsilon_nano, delta_atto }
            }
        }
    }
}

/// What a reservation is made of, besides its time.
pub(crate) struct Lines {
    pub(crate) key: Hex<16>,
    pub(crate) what: String,
    pub(crate) each: Loss,
    pub(crate) lines: i64,
    pub(crate) digest: Hex<32>,
}

impl Lines {
    /// The entry of a reservation made at some time.
    pub(crate) fn body(self, at: u64) -> Body {
        let Self { key, what, each, lines, digest } = self;
        match each {
            Loss::Bounded(Amount { epsilon_nano, delta_atto }) => {
                Body::Reserve { at, key, what, epsilon_nano, delta_atto, lines, digest }
            }
            Loss::Unbounded => Body::ReserveUnbounded { at, key, what, lines, digest },
        }
    }
}

/// Seconds since 1970, for the owner who wonders when; nothing is computed with it.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The last entry's number and hash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Head {
    pub(crate) sequence: i64,
    pub(crate) hash: Hash,
}

impl Head {
    /// Before the first entry.
    pub(crate) const NONE: Self = Self { sequence: 0, hash: Hash([0; 32]) };

    /// Reads the head of a ledger.
    pub(crate) fn read(connection: &Connection) -> Result<Self> {
        let mut query = connection.prepare_cached("SELECT sequence, hash FROM entry ORDER BY sequence DESC LIMIT 1")?;
        let head = query.query_row([], |row| Ok(Self { sequence: row.get(0)?, hash: Hash(row.get(1)?) })).optional()?;
        Ok(head.unwrap_or(Self::NONE))
    }

    /// The head after one more entry.
    pub(crate) fn then(&self, body: &str) -> Self {
        let sequence = self.sequence + 1;
        let mut hash = Sha256::new();
        hash.update(b"allonym-ledger 1\n");
        hash.update(sequence.to_be_bytes());
        hash.update(self.hash.0);
        hash.update(body.as_bytes());
        Self { sequence, hash: Hash(hash.finalize().into()) }
    }

    /// Writes one more entry and gives the new head.
    pub(crate) fn append(&self, connection: &Connection, body: &Body) -> Result<Self> {
        let text = body.to_text();
        let next = self.then(&text);
        connection.execute(
            "INSERT INTO entry (sequence, key, previous, body, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
            (next.sequence, body.key(), self.hash.0, text, next.hash.0),
        )?;
        Ok(next)
    }
}

/// A digest of a reservation's lines, in their order.
#[derive(Default)]
pub(crate) struct LinesDigest(Sha256);

impl LinesDigest {
    pub(crate) fn add(&mut self, record: &Tag, author: Option<&Tag>) {
        self.0.update(record);
        // The byte before an author keeps two lines from reading as one.
        self.0.update([u8::from(author.is_some())]);
        if let Some(author) = author {
            self.0.update(author);
        }
    }

    pub(crate) fn finish(self) -> Hex<32> {
        Hex(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit() -> Body {
        Body::Limit { at: 5, scope: Scope::Author, epsilon_nano: 7, delta_atto: 0 }
    }

    #[test]
    fn a_body_has_one_text() {
        let text = r#"{"entry":"limit","at":5,"scope":"author","epsilon_nano":7,"delta_atto":0}"#;
        assert_eq!(limit().to_text(), text);
        assert!(Body::read(text) == Some(limit()));
    }

    #[test]
    fn a_loss_without_a_bound_has_an_entry_of_its_own() {
        let lines =
            Lines { key: Hex([1; 16]), what: "agent 1".into(), each: Loss::Unbounded, lines: 2, digest: Hex([0; 32]) };
        let body = lines.body(5);
        let text = format!(
            r#"{{"entry":"reserve-unbounded","at":5,"key":"{}","what":"agent 1","lines":2,"digest":"{}"}}"#,
            "01".repeat(16),
            "00".repeat(32)
        );
        assert_eq!(body.to_text(), text);
        assert!(Body::read(&text) == Some(body));
    }

    #[test]
    fn another_text_for_the_same_body_is_refused() {
        for text in [
            r#"{"entry":"limit","at":5,"scope":"author","epsilon_nano":7,"delta_atto":0} "#,
            r#"{"at":5,"entry":"limit","scope":"author","epsilon_nano":7,"delta_atto":0}"#,
            r#"{"entry":"limit","at":5,"scope":"author","epsilon_nano":7,"delta_atto":0,"more":1}"#,
        ] {
            assert!(Body::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_hash_covers_number_past_and_body() {
        let first = Head::NONE.then("a");
        let others = [Head::NONE.then("b"), first.then("a"), Head { sequence: 1, ..Head::NONE }.then("a")];
        assert!(others.iter().all(|other| other.hash != first.hash));
    }

    #[test]
    fn the_digest_depends_on_order_and_on_who_is_whom() {
        let digest = |lines: &[(Tag, Option<Tag>)]| {
            let mut digest = LinesDigest::default();
            lines.iter().for_each(|(record, author)| digest.add(record, author.as_ref()));
            digest.finish().to_string()
        };
        let (a, b) = ([1; 16], [2; 16]);
        let different = [
            digest(&[(a, Some(b))]),
            digest(&[(b, Some(a))]),
            digest(&[(a, None), (b, None)]),
            digest(&[(b, None), (a, None)]),
            digest(&[]),
        ];
        assert!((1..different.len()).all(|n| !different[..n].contains(&different[n])));
    }
}
