//! SIGINT and SIGTERM: one handler for all commands.
//!
//! The handler cancels the token that long work checks. A command that holds the token has 1.5 seconds to end by itself, with a checkpoint where
//! it has one. A computation that cannot be interrupted is then ended from here: unfinished files are removed, and files under their final
//! names are whole, since all of them are renamed into place.

use allonym::CancelToken;
use allonym::io::remove_unfinished;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a command may take to end by itself.
const GRACE: Duration = Duration::from_millis(1500);

/// The exit code of an interrupted command.
pub(super) const INTERRUPTED: u8 = 130;

/// What a command knows about signals.
#[derive(Clone, Debug)]
pub(super) struct Interrupt {
    token: CancelToken,
    /// Whether the command watches the token.
    watched: Arc<AtomicBool>,
    hint: Arc<Mutex<String>>,
}

impl Interrupt {
    /// Installs the handler. Called once, before the command runs.
    pub(super) fn install() -> Self {
        let hint = "no half-written file was left behind; the input is as it was".to_owned();
        let interrupt = Self { token: CancelToken::new(), watched: Arc::default(), hint: Arc::new(Mutex::new(hint)) };
        let handler = interrupt.clone();
        // Without a handler, signals end the process as they do by default.
        let _ = ctrlc::set_handler(move || handler.end());
        interrupt
    }

    /// The token, for a command that checks it.
    pub(super) fn token(&self) -> &CancelToken {
        self.watched.store(true, Ordering::Relaxed);
        &self.token
    }

    /// What a person is advised when the command has to be ended from outside.
    pub(super) fn advise(&self, hint: &str) {
        hint.clone_into(&mut self.hint.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Runs in the handler's own thread.
    fn end(&self) {
        self.token.cancel();
        if self.watched.load(Ordering::Relaxed) {
            std::thread::sleep(GRACE);
        }
        remove_unfinished();
        let hint = self.hint.lock().unwrap_or_else(PoisonError::into_inner);
        super::tell(&format!("\nerror: interrupted\n\nhint: {hint}\n"));
        std::process::exit(i32::from(INTERRUPTED));
    }
}
