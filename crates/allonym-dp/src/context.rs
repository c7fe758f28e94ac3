//! What is public at a step of a release.

/// What a draw may depend on besides the private scores: public knowledge, and what was released of this record before.
#[derive(Clone, Copy, Debug, Default)]
pub struct PublicContext<'a> {
    logits: &'a [f32],
}

impl<'a> PublicContext<'a> {
    /// Nothing is known.
    pub const NONE: Self = Self { logits: &[] };

    /// What a public model expects after the released tokens: a logit per outcome. Logits that do not fit the outcomes
    /// count as no knowledge.
    pub fn expecting(logits: &'a [f32]) -> Self {
        Self { logits }
    }

    /// The logit of each outcome; empty where nothing is known.
    pub fn logits(&self) -> &'a [f32] {
        self.logits
    }
}
