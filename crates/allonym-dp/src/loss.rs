//! What one draw costs, and to which class of mechanisms it belongs: the class decides how draws add up.

use serde::Serialize;

/// The loss of one draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// The largest log-ratio of probabilities between any two texts: an upper bound, tight where the class says so.
    pub epsilon: f64,
    /// How draws compose.
    pub class: Class,
}

/// Classes of mechanisms with a composition theorem of their own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "class", rename_all = "kebab-case")]
pub enum Class {
    /// A draw does not read the text.
    Independent,
    /// Every outcome's probability lies between m mu and e^epsilon m mu for public m and mu (the band lemma). `hit` is
    /// the probability of the upper part in the dominating pair.
    Band {
        /// The probability of loss +epsilon.
        hit: f64,
    },
    /// The log-ratio between two texts varies over outcomes by at most `range` (Durfee and Rogers 2019).
    BoundedRange {
        /// The range of the privacy loss.
        range: f64,
    },
}
