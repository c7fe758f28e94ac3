//! Noise of density proportional to e^(-|z| / scale) in the L2 norm, rounded to the nearest integers, exactly.
//!
//! The length of such noise is a sum of n exponential variables, its direction uniform. Both are real numbers, and a computer
//! has only their first digits. But the rounded noise is an integer, and the first digits decide it nearly always: every
//! number here is known as an interval, a coordinate is settled when both ends round to the same integer, and otherwise
//! all numbers get 64 more bits. So what comes out is the rounding of true real noise, not of an approximation to it.
//! Floats guess the integer; integers decide whether the guess is right.

#[cfg(test)]
mod tests;

use crate::discrete::bernoulli_exp_fraction;
use crate::natural::Natural;
use crate::rng::PrivacyRng;

/// The next 64 bits after the point of an exponential variable of which `known` times 64 are drawn already.
///
/// Such a variable has no memory: what is behind its known digits is independent of them, with density proportional to
/// e^-x. So the digit `i` has a chance proportional to e^(-i / 2^(64 (known + 1))).
fn exponential_digit(known: usize, rng: &mut PrivacyRng) -> u64 {
    loop {
        let digit = rng.bits();
        // Accepted with that chance, by von Neumann's comparison: each step has the chance digit / 2^(64 (known + 1)) / k.
        let mut k = 1;
        while (0..known).all(|_| rng.bits() == 0) && rng.bits() < digit && rng.below(k) == 0 {
            k += 1;
        }
        if k % 2 == 1 {
            return digit;
        }
    }
}

/// The integer part of an exponential variable.
fn exponential_whole(rng: &mut PrivacyRng) -> u64 {
    let mut whole = 0;
    while bernoulli_exp_fraction(1, 1, rng) {
        whole += 1;
    }
    whole
}

/// What is known of a number: it lies between two ends, both in units of the last digit.
#[derive(Clone, Debug)]
struct Between {
    low: Natural,
    high: Natural,
}

impl Between {
    fn new(low: Natural, width: u128) -> Self {
        let high = low.plus(&Natural::from(width));
        Self { low, high }
    }

    fn plus(&self, other: &Self) -> Self {
        Self { low: self.low.plus(&other.low), high: self.high.plus(&other.high) }
    }

    fn times(&self, other: &Self) -> Self {
        Self { low: self.low.times(&other.low), high: self.high.times(&other.high) }
    }

    fn squared(&self) -> Self {
        self.times(self)
    }
}

/// A number that is not negative: its integer part, and as many digits of 64 bits as were drawn.
#[derive(Clone, Debug, Default)]
struct Digits {
    whole: u64,
    after: Vec<u64>,
}

impl Digits {
    fn between(&self, known: usize) -> Between {
        let digits = std::iter::once(self.whole).chain(self.after[..known].iter().copied());
        Between::new(Natural::of_digits(digits), 1)
    }

    /// About the number, for a guess.
    fn guess(&self) -> f64 {
        let first = self.after.first().map_or(0.5, |digit| (*digit as f64 + 0.5) / 2.0_f64.powi(64));
        self.whole as f64 + first
    }
}

/// Two coordinates of a uniform direction: a point of the unit disc gives the angle, an exponential variable the square of
/// the length. (Two normal variables are such a pair.)
#[derive(Clone, Debug)]
struct Pair {
    energy: Digits,
    point: [Digits; 2],
    negative: [bool; 2],
}

impl Pair {
    fn draw(rng: &mut PrivacyRng) -> Self {
        let energy = Digits { whole: exponential_whole(rng), after: Vec::new() };
        let signs = rng.bits();
        let mut pair = Self { energy, point: Default::default(), negative: [signs & 1 == 1, signs & 2 == 2] };
        // A uniform point of the square, until it is in the disc: with more digits where the first do not tell.
        loop {
            pair.point.iter_mut().for_each(|number| number.after.push(rng.bits()));
            let known = pair.point[0].after.len();
            let (square, whole) = (pair.square(known), Natural::from(1).shifted(2 * known));
            if square.high <= whole {
                return pair;
            }
            if square.low >= whole {
                pair.point = Default::default();
            }
        }
    }

    /// The squared distance of the point from the middle.
    fn square(&self, known: usize) -> Between {
        self.point[0].between(known).squared().plus(&self.point[1].between(known).squared())
    }

    fn refine(&mut self, known: usize, rng: &mut PrivacyRng) {
        self.energy.after.push(exponential_digit(known, rng));
        // The point may have more digits already.
        self.point.iter_mut().filter(|number| number.after.len() <= known).for_each(|n| n.after.push(rng.bits()));
    }
}

/// A vector of real noise, of which the first digits are known.
pub(crate) struct Radial {
    dimension: usize,
    /// How many exponential variables make the length: as many as dimensions, but for test doubles.
    exponentials: usize,
    scale: u64,
    pairs: Vec<Pair>,
    /// The sums of the first, second, .. digits of the exponential variables that make the length.
    length: Vec<u128>,
    /// How many digits of 64 bits behind the point are known.
    known: usize,
}

impl Radial {
    /// Noise of which no digit behind the point is known yet.
    fn unknown(dimension: usize, exponentials: usize, scale: u64, rng: &mut PrivacyRng) -> Self {
        let pairs = (0..dimension.div_ceil(2)).map(|_| Pair::draw(rng)).collect();
        let whole = (0..exponentials).map(|_| u128::from(exponential_whole(rng))).sum();
        Self { dimension, exponentials, scale, pairs, length: vec![whole], known: 0 }
    }

    /// 64 more bits of every number.
    fn refine(&mut self, rng: &mut PrivacyRng) {
        self.pairs.iter_mut().for_each(|pair| pair.refine(self.known, rng));
        self.length.push((0..self.exponentials).map(|_| u128::from(exponential_digit(self.known, rng))).sum());
        self.known += 1;
    }

    /// The noise in every coordinate, rounded to the nearest integer, if the known digits decide it.
    fn rounded(&self) -> Option<Vec<i128>> {
        let known = self.known;
        let sums = self.length.iter().enumerate();
        let length =
            sums.fold(Natural::from(0), |sum, (at, digits)| sum.plus(&Natural::from(*digits).shifted(known - at)));
        let length = Between::new(length, self.exponentials as u128);
        // With an odd dimension the last coordinate of the last pair is left out, also of the norm: instead of its energy E,
        // E a^2 / s counts, where s is the square of the point (a, b). Everything is multiplied by that s.
        let odd = !self.dimension.is_multiple_of(2);
        let (full, last) = self.pairs.split_at(self.pairs.len() - usize::from(odd));
        let none = Between::new(Natural::from(0), 0);
        let mut norm = full.iter().fold(none, |sum, pair| sum.plus(&pair.energy.between(known)));
        let mut factor = Between::new(Natural::from(1), 0);
        let mut norm_guess: f64 = full.iter().map(|pair| pair.energy.guess()).sum();
        if let [pair] = last {
            factor = pair.square(known);
            let share = pair.energy.between(known).times(&pair.point[0].between(known).squared());
            norm = norm.times(&factor).plus(&share);
            let [a, b] = pair.point.each_ref().map(Digits::guess);
            norm_guess += pair.energy.guess() * a * a / (a * a + b * b);
        }
        // |Y| = scale length sqrt(E / norm) a / sqrt(s), so with c an odd number, |Y| >= c / 2 where
        // c^2 s norm <= 4 scale^2 length^2 E a^2: the left side has two digits fewer for each that is known.
        let norm = Between { low: norm.low.shifted(2 * known), high: norm.high.shifted(2 * known) };
        let scale = Natural::from(4 * u128::from(self.scale).pow(2));
        let stretch = length.squared().times(&factor).times(&Between::new(scale, 0));
        let length_guess = self.length[0] as f64
            + self.length.get(1).map_or(self.exponentials as f64 / 2.0, |sum| *sum as f64 / 2.0_f64.powi(64));
        let mut noise = Vec::with_capacity(self.dimension + 1);
        for pair in &self.pairs {
            let (unit, energy) = (pair.square(known).times(&norm), stretch.times(&pair.energy.between(known)));
            let [a, b] = pair.point.each_ref().map(Digits::guess);
            let reach = self.scale as f64 * length_guess * (pair.energy.guess() / norm_guess / (a * a + b * b)).sqrt();
            for (number, negative) in pair.point.iter().zip(pair.negative) {
                if noise.len() == self.dimension {
                    break;
                }
                let square = energy.times(&number.between(known).squared());
                let magnitude = settle(&square, &unit, reach * number.guess())?;
                noise.push(if negative { -magnitude } else { magnitude });
            }
        }
        Some(noise)
    }

    /// Draws rounded noise.
    pub(crate) fn draw(dimension: usize, scale: u64, rng: &mut PrivacyRng) -> Vec<i128> {
        Self::draw_with(dimension, dimension, scale, rng)
    }

    /// The same with another number of exponential variables, for test doubles.
    pub(crate) fn draw_with(dimension: usize, exponentials: usize, scale: u64, rng: &mut PrivacyRng) -> Vec<i128> {
        let mut noise = Self::unknown(dimension, exponentials, scale, rng);
        loop {
            noise.refine(rng);
            if let Some(rounded) = noise.rounded() {
                return rounded;
            }
        }
    }
}

/// The integer k with (2k - 1)^2 <= square / unit < (2k + 1)^2, if both ends of both numbers agree on it.
fn settle(square: &Between, unit: &Between, guess: f64) -> Option<i128> {
    let mut k = (guess + 0.5).min(2.0_f64.powi(100)) as u128;
    loop {
        let below = Natural::from((2 * k).saturating_sub(1)).squared();
        let above = Natural::from(2 * k + 1).squared();
        if k > 0 && square.high < below.times(&unit.low) {
            k -= 1;
        } else if square.low >= above.times(&unit.high) {
            k += 1;
        } else {
            let settled = (k == 0 || square.low >= below.times(&unit.high)) && square.high <= above.times(&unit.low);
            return settled.then_some(k as i128);
        }
    }
}
