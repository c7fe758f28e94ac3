//! What becomes of the length of a text, which is a channel like any other.

use crate::error::DpError;
use crate::outcome::Outcome;
use allonym_text::vocabulary::{END, TokenId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the number of released tokens is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// Every record is charged for and drawn up to the declared maximum; the end of the text is a token that the
    /// mechanism draws like any other. The length of the original has no influence of its own.
    #[default]
    Fixed,
    /// One of a few public lengths is drawn by randomised response, near that of the original, at a loss of its own; the
    /// text is drawn up to it, and may end before. The whole maximum is charged all the same, since the guarantee is given
    /// before anything is drawn.
    Private,
    /// The number of tokens of the original, up to the maximum, is declared public and kept. The guarantee then holds
    /// between texts of equal length only. This is what the papers do without saying so.
    Public,
}

impl Length {
    /// Every option, in the order of preference.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Private, Self::Public];

    /// The option's name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Private => "private",
            Self::Public => "public",
        }
    }

    /// How many outcomes a draw has, given the words of the vocabulary: the end of the text is one where it is drawn.
    pub fn outcomes(self, words: usize) -> u32 {
        words as u32 + u32::from(self.hides_end())
    }

    /// The token of the first outcome.
    pub fn first_token(self) -> TokenId {
        TokenId::new(if self.hides_end() { END } else { END + 1 })
    }

    /// The token of an outcome.
    pub fn token(self, outcome: Outcome) -> TokenId {
        TokenId::new(outcome.index() + self.first_token().get())
    }

    /// The outcome of a token, if it is one: special tokens other than the end are not.
    pub fn outcome(self, token: TokenId) -> Option<Outcome> {
        token.get().checked_sub(self.first_token().get()).map(Outcome::new)
    }

    /// Whether the end of a text is drawn like a token.
    pub fn hides_end(self) -> bool {
        self != Self::Public
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Length {
    type Err = DpError;

    fn from_str(name: &str) -> Result<Self, DpError> {
        Self::ALL.into_iter().find(|length| length.name() == name).ok_or_else(|| DpError::Setting {
            setting: "length",
            value: format!("`{name}`"),
            allowed: "`fixed`, `private` or `public`",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_an_outcome_only_where_the_length_is_hidden() {
        assert_eq!((Length::Fixed.outcomes(100), Length::Fixed.first_token()), (101, TokenId::END));
        assert_eq!((Length::Public.outcomes(100), Length::Public.first_token()), (100, TokenId::new(END + 1)));
    }

    #[test]
    fn outcomes_and_tokens_convert_both_ways() {
        for length in Length::ALL {
            let token = length.token(Outcome::new(7));
            assert_eq!(length.outcome(token), Some(Outcome::new(7)));
            assert_eq!(length.outcome(TokenId::UNKNOWN), None);
        }
    }

    #[test]
    fn names_read_back() {
        for length in Length::ALL {
            assert_eq!(length.name().parse(), Ok(length));
        }
        assert!("short".parse::<Length>().is_err());
    }
}
