//! Natural numbers of any size: as much of them as comparing products needs.

use std::cmp::Ordering;

/// A natural number, in digits of 64 bits, the lowest first; the last is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Natural(Vec<u64>);

impl Natural {
    /// The number with these digits, the highest first.
    pub(crate) fn of_digits(highest_first: impl DoubleEndedIterator<Item = u64>) -> Self {
        Self(highest_first.rev().collect()).trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut carry = 0;
        let mut digits = Vec::with_capacity(self.0.len().max(other.0.len()) + 1);
        for at in 0..self.0.len().max(other.0.len()) {
            let digit = |of: &Self| u128::from(of.0.get(at).copied().unwrap_or(0));
            let sum = digit(self) + digit(other) + carry;
            digits.push(sum as u64);
            carry = sum >> 64;
        }
        digits.push(carry as u64);
        Self(digits).trimmed()
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut digits = vec![0; self.0.len() + other.0.len()];
        for (at, left) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (beside, right) in other.0.iter().enumerate() {
                // At most (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
                let sum = u128::from(*left) * u128::from(*right) + u128::from(digits[at + beside]) + carry;
                digits[at + beside] = sum as u64;
                carry = sum >> 64;
            }
            digits[at + other.0.len()] = carry as u64;
        }
        Self(digits).trimmed()
    }

    pub(crate) fn squared(&self) -> Self {
        self.times(self)
    }

    /// The number with so many zeros behind it, each of 64 bits.
    pub(crate) fn shifted(&self, digits: usize) -> Self {
        Self(std::iter::repeat_n(0, digits).chain(self.0.iter().copied()).collect()).trimmed()
    }
}

impl From<u128> for Natural {
    fn from(value: u128) -> Self {
        Self(vec![value as u64, (value >> 64) as u64]).trimmed()
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_carry() {
        let (zero, one, most) = (Natural::from(0), Natural::from(1), Natural::from(u128::MAX));
        assert_eq!(most.plus(&one), one.shifted(2)); // 2^128
        // (2^128 - 1)^2 + 2 (2^128 - 1) + 1 = 2^256
        assert_eq!(most.squared().plus(&most).plus(&most).plus(&one), one.shifted(4));
        assert_eq!((most.times(&zero), zero.shifted(3)), (zero.clone(), zero));
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let number = |digits: &[u64]| Natural::of_digits(digits.iter().copied());
        let rising = [number(&[0, 0]), number(&[0, 7]), number(&[1, 0]), number(&[1, 5]), number(&[2, 4])];
        assert!(rising.is_sorted_by(|a, b| a < b));
        assert_eq!(number(&[1, 5]), Natural::from((1 << 64) + 5));
    }
}
