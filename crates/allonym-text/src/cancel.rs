//! Cancellation of long work, from another thread or from a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that asks long work to end. Clones share the flag.
///
/// Long loops check the token at least every 200 ms. Work that was cancelled leaves what it has in a state from which it can be resumed,
/// or leaves nothing.
///
/// ```
/// use allonym_text::CancelToken;
///
/// let token = CancelToken::new();
/// let handler = token.clone();
/// assert!(token.check().is_ok());
/// handler.cancel();
/// assert!(token.check().is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

/// The work was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Cancelled;

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to end. A token that is cancelled stays cancelled.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends a function by `?` when the work should end.
    ///
    /// # Errors
    /// When the token is cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_flag_and_new_tokens_do_not() {
        let (token, other) = (CancelToken::new(), CancelToken::new());
        let clone = token.clone();
        std::thread::scope(|scope| scope.spawn(move || clone.cancel()).join().unwrap());
        assert_eq!((token.check(), other.check()), (Err(Cancelled), Ok(())));
        assert!(token.is_cancelled());
    }
}
