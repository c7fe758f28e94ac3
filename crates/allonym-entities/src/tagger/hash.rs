//! Words and features as numbers. Nothing here protects anything: a hash is a name that fits into a register.

/// The hash of some bytes (FNV-1a, then mixed, so that every bit counts).
pub(crate) fn of_bytes(bytes: impl IntoIterator<Item = u8>) -> u64 {
    mixed(
        bytes
            .into_iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)),
    )
}

/// The hash of some text.
pub(crate) fn of_text(text: &str) -> u64 {
    of_bytes(text.bytes())
}

/// The hash of two things in this order.
pub(crate) fn both(first: u64, second: u64) -> u64 {
    mixed(first.rotate_left(17) ^ second.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A hash in 32 bits, never 0.
pub(crate) fn short(hash: u64) -> u32 {
    ((hash >> 32) as u32).max(1)
}

fn mixed(mut hash: u64) -> u64 {
    // The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Numbers by their 32-bit hashes: open places in one array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Places {
    keys: Vec<u32>,
    values: Vec<u32>,
}

impl Places {
    /// Of keys, none of them 0, each with a value; a key that comes again is left out.
    pub(crate) fn of(entries: impl ExactSizeIterator<Item = (u32, u32)>) -> Self {
        let size = (entries.len() * 2).next_power_of_two().max(16);
        let mut places = Self { keys: vec![0; size], values: vec![0; size] };
        for (key, value) in entries {
            let place = places.place(key);
            if places.keys[place] == 0 {
                (places.keys[place], places.values[place]) = (key, value);
            }
        }
        places
    }

    /// Where a key is, or would be.
    fn place(&self, key: u32) -> usize {
        let mask = self.keys.len() - 1;
        // Keys are hashes: their low bits are as good as any.
        let mut place = key as usize & mask;
        while self.keys[place] != 0 && self.keys[place] != key {
            place = (place + 1) & mask;
        }
        place
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        let place = self.place(key);
        (self.keys[place] == key).then(|| self.values[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_find_what_they_were_given_and_nothing_else() {
        let places = Places::of((1..1000_u32).map(|key| (key * 16, key)).collect::<Vec<_>>().into_iter());
        assert!((1..1000).all(|key| places.get(key * 16) == Some(key)));
        assert!((1..16_000).filter(|key| key % 16 != 0).all(|key| places.get(key).is_none()));
    }

    #[test]
    fn order_counts() {
        let (a, b) = (of_text("new"), of_text("york"));
        assert_ne!(both(a, b), both(b, a));
        assert_ne!(of_text("ab"), of_text("ba"));
    }
}
