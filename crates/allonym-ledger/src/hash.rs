//! A SHA-256 that is written as 64 hexadecimal digits.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// `N` bytes that are written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hex<const N: usize>(pub(crate) [u8; N]);

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<const N: usize> FromStr for Hex<N> {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.as_bytes();
        // Only lower case is written, so only lower case is canonical.
        if digits.len() != 2 * N || !digits.iter().all(|d| matches!(d, b'0'..=b'9' | b'a'..=b'f')) {
            return Err("not hexadecimal of the right length");
        }
        let mut bytes = [0; N];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let value = |digit: u8| if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 };
            *byte = value(pair[0]) << 4 | value(pair[1]);
        }
        Ok(Self(bytes))
    }
}

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The hash of an entry. The hash of the last entry stands for the whole ledger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hash(pub(crate) [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(self.0).fmt(f)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl FromStr for Hash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Hex(bytes) = text
            .to_ascii_lowercase()
            .parse()
            .map_err(|_| "a hash has 64 hexadecimal digits, as `ledger show` prints")?;
        Ok(Self(bytes))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_back() {
        let hash = Hash(std::array::from_fn(|i| i as u8 * 8));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(hash.to_string().to_uppercase().parse(), Ok(hash));
    }

    #[test]
    fn what_is_no_hash_is_refused() {
        for text in ["", "ab", &"g".repeat(64), &"é".repeat(32)] {
            assert!(text.parse::<Hash>().is_err(), "{text}");
        }
    }
}
