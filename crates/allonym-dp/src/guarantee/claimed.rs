//! A guarantee that was read from a file.

use super::statement::Statement;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// What a file says is guaranteed. Nothing proves that it is true, so there is no conversion to a
/// [`Guarantee`](super::Guarantee).
///
/// ```compile_fail
/// fn trusted(claimed: allonym_dp::ClaimedGuarantee) -> allonym_dp::Guarantee {
///     claimed.into()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimedGuarantee(pub(super) Statement);

impl Deref for ClaimedGuarantee {
    type Target = Statement;

    fn deref(&self) -> &Statement {
        &self.0
    }
}

impl fmt::Display for ClaimedGuarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "claimed:")?;
        write!(f, "{}", self.0)
    }
}
