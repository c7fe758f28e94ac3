//! Files that are being written, so that an interrupted run can take them away.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn list() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A file is being written: an interrupted run takes it away.
pub fn begin_unfinished(path: &Path) {
    list().push(path.to_owned());
}

/// A file is whole, or gone.
pub fn end_unfinished(path: &Path) {
    list().retain(|known| known != path);
}

/// Removes whatever is half written. For the handler of Ctrl-C, which ends the process right after.
pub fn remove_unfinished() {
    for path in list().drain(..) {
        // Nothing sensible can be done about a failure here: the process is about to end.
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}
