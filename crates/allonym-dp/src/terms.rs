//! The terms of a release: how many tokens are drawn, and how the length is treated.

use crate::context::PublicContext;
use crate::error::DpError;
use crate::exit::Released;
use crate::length::Length;
use crate::mechanism::{Draw, Mechanism, RandomizedResponse};
use crate::rng::PrivacyRng;
use allonym_text::Private;

/// The terms of a release, public and the same for every record of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The most tokens that are drawn for a record.
    pub max_tokens: usize,
    /// What becomes of the length.
    pub length: Length,
    /// With length `private`: how many public lengths there are to choose from, evenly up to the maximum.
    pub buckets: u32,
    /// With length `private`: the loss of choosing one.
    pub length_epsilon: f64,
    /// The probability with which the total may be larger than printed: 0 for pure composition.
    pub delta: f64,
}

/// The most tokens of a record that may be asked for: beyond it a total has no meaning left, and memory has an end.
const MOST_TOKENS: usize = 1_000_000;

impl Default for Terms {
    fn default() -> Self {
        // ln 81: with ten lengths the right one is kept nine times in ten.
        Self { max_tokens: 50, length: Length::Fixed, buckets: 10, length_epsilon: 4.4, delta: 0.0 }
    }
}

impl Terms {
    /// The longest release of a bucket, counted from 0: the maximum, divided evenly.
    fn bucket_end(&self, bucket: u32) -> usize {
        (self.max_tokens * (bucket as usize + 1)).div_ceil(self.buckets as usize)
    }

    /// Draws a public length near that of the original.
    fn draw_length(&self, tokens: Private<usize>, rng: &mut PrivacyRng) -> Released<usize> {
        let scores = tokens.map(|tokens| {
            let right = (0..self.buckets).find(|bucket| self.bucket_end(*bucket) >= tokens).unwrap_or(self.buckets - 1);
            (0..self.buckets).map(|bucket| if bucket == right { 1.0 } else { 0.0 }).collect::<Vec<f32>>()
        });
        // Checked terms always make a mechanism; the longest text is the answer that tells nothing.
        match RandomizedResponse::new(self.length_epsilon, self.buckets) {
            Ok(mechanism) => {
                let scores = scores.as_ref().map(Vec::as_slice);
                let bucket = mechanism.draw(scores, &PublicContext::NONE, rng);
                bucket.map_with(self, |bucket, terms| terms.bucket_end(bucket.index()))
            }
            Err(_) => Released::by_mechanism(self.max_tokens),
        }
    }

    /// How many tokens of a record are drawn, unless its end is drawn before.
    pub(crate) fn draws(&self, tokens: Private<usize>, rng: &mut PrivacyRng) -> usize {
        match self.length {
            Length::Fixed => self.max_tokens,
            Length::Private => self.draw_length(tokens, rng).into_value(),
            Length::Public => tokens
                .declassify("length `public`: the number of tokens is declared part of the release")
                .min(self.max_tokens),
        }
    }

    /// The loss of the length alone.
    pub fn length_loss(&self) -> Result<f64, DpError> {
        if self.length != Length::Private {
            return Ok(0.0);
        }
        Ok(RandomizedResponse::new(self.length_epsilon, self.buckets)?.loss().epsilon)
    }

    /// Checks the terms.
    ///
    /// # Errors
    /// When no token or more than a million would be drawn, delta is not a probability below one, or a private length has
    /// fewer than two buckets, more than tokens, or no loss to spend.
    pub fn check(self) -> Result<Self, DpError> {
        if self.length == Length::Private {
            if !(2..=self.max_tokens.min(100_000)).contains(&(self.buckets as usize)) {
                let allowed = "at least 2 and at most the tokens";
                return Err(DpError::Setting { setting: "length-buckets", value: self.buckets.to_string(), allowed });
            }
            self.length_loss()?;
        }
        if !(self.delta >= 0.0 && self.delta < 1.0) {
            let allowed = "0 for a pure total, or a probability below 1";
            return Err(DpError::Setting { setting: "delta", value: self.delta.to_string(), allowed });
        }
        if (1..=MOST_TOKENS).contains(&self.max_tokens) {
            return Ok(self);
        }
        Err(DpError::Setting {
            setting: "max-tokens",
            value: self.max_tokens.to_string(),
            allowed: "between 1 and 1000000",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::{self, Parameters};

    #[test]
    fn a_private_length_is_near_the_original_as_often_as_it_paid_for() {
        // Five buckets of two tokens; a text of three is in the second. Kept with e^2 / (e^2 + 4).
        let terms = Terms { max_tokens: 10, length: Length::Private, buckets: 5, length_epsilon: 2.0, delta: 0.0 };
        let mut rng = PrivacyRng::reproducible(1);
        let mut counts = [0; 5];
        for _ in 0..20_000 {
            counts[terms.draw_length(Private::new(3), &mut rng).into_value() / 2 - 1] += 1;
        }
        let (kept, other) = (2.0_f64.exp() / (2.0_f64.exp() + 4.0), 1.0 / (2.0_f64.exp() + 4.0));
        crate::statistics::assert_distribution(&counts, &[other, kept, other, other, other]);
    }

    #[test]
    fn a_private_length_costs_extra() {
        let mechanism = mechanism::by_name("subset", &Parameters::of_epsilon(2.0), 1000).unwrap();
        let fixed = Terms { max_tokens: 10, ..Terms::default() };
        let private = Terms { length: Length::Private, length_epsilon: 3.0, buckets: 5, ..fixed };
        let epsilon =
            |terms: &Terms| crate::Guarantee::for_tokens(&*mechanism, terms, false).unwrap().epsilon_total().unwrap();
        assert!((epsilon(&private) - epsilon(&fixed) - 3.0).abs() < 1e-5);
        for (buckets, length_epsilon) in [(1, 3.0), (11, 3.0), (5, 0.0), (5, f64::NAN)] {
            assert!(Terms { buckets, length_epsilon, ..private }.check().is_err());
        }
    }

    #[test]
    fn terms_without_a_token_are_refused() {
        for max_tokens in [0, MOST_TOKENS + 1] {
            assert!(Terms { max_tokens, length: Length::Fixed, ..Terms::default() }.check().is_err());
        }
    }
}
