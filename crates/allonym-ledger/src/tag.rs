//! What stands in the file for an id or an author: a keyed hash.
//!
//! HMAC-SHA-256 under a random key of the ledger, cut to 128 bits (RFC 2104, section 5). Should two ids ever share a
//! tag, they share a balance, and what is counted is too much, never too little.

use crate::limit::Scope;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A tag has half the bits of a SHA-256, which keeps a ledger of a million records below 100 MB.
pub(crate) const TAG: usize = 16;

/// The tag of an id or an author.
pub(crate) type Tag = [u8; TAG];

/// Makes tags under one ledger's key.
pub(crate) struct Tagger(Hmac<Sha256>);

impl Tagger {
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        // HMAC pads a shorter key with zeros to the 64 bytes of a block.
        let mut block = [0; 64];
        block[..32].copy_from_slice(secret);
        Self(Hmac::new(&block.into()))
    }

    /// The tag; the scope goes first, so that an author called like a record is someone else.
    pub(crate) fn tag(&self, scope: Scope, name: &[u8]) -> Tag {
        let mut hmac = self.0.clone();
        hmac.update(&[scope as u8]);
        hmac.update(name);
        let full = hmac.finalize().into_bytes();
        std::array::from_fn(|i| full[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_is_hmac_sha_256() {
        // python3 -c "import hmac; print(hmac.new(bytes(32), b'\0' + b'7', 'sha256').hexdigest()[:32])"
        let tag = Tagger::new(&[0; 32]).tag(Scope::Record, b"7");
        assert_eq!(crate::hash::Hex(tag).to_string(), "0752a5c14115ae9c3739db488f9736ef");
    }

    #[test]
    fn an_author_named_like_a_record_is_someone_else() {
        let tagger = Tagger::new(&[1; 32]);
        assert_ne!(tagger.tag(Scope::Record, b"7"), tagger.tag(Scope::Author, b"7"));
    }

    #[test]
    fn another_ledger_has_other_tags() {
        assert_ne!(
            Tagger::new(&[1; 32]).tag(Scope::Author, b"anna"),
            Tagger::new(&[2; 32]).tag(Scope::Author, b"anna")
        );
    }
}
