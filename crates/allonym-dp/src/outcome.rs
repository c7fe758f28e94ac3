//! Outcomes of a draw, as a type: they are numbered from 0, and token ids are not.

/// The index of one outcome of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome(u32);

impl Outcome {
    /// The outcome of an index.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Its index.
    pub const fn index(self) -> u32 {
        self.0
    }

    /// Its position in a slice of scores or probabilities.
    pub const fn position(self) -> usize {
        self.0 as usize
    }
}
