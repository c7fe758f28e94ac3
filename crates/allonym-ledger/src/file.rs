//! Making a ledger file, and opening one without touching what is not ours.

use crate::error::LedgerError;
use crate::schema::{APPLICATION_ID, OLDEST, VERSION};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long we wait for another process. A reservation of a million records holds the file for some seconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The length of SQLite's header.
const HEADER: usize = 100;

const CUT_SHORT: &str = "it was cut short";

/// A file's name for messages.
pub(crate) fn name_of(path: &Path) -> String {
    path.display().to_string()
}

/// Makes a new file by way of a temporary one, so that it is there whole or not at all, and for its owner only.
pub(crate) fn create(
    path: &Path,
    fill: impl FnOnce(&mut Connection) -> Result<(), LedgerError>,
) -> Result<(), LedgerError> {
    let file = name_of(path);
    let write = |source: io::Error| LedgerError::Write { file: file.clone(), source };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Err(LedgerError::Directory { file }),
        Ok(_) => return Err(LedgerError::Exists { file }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(write(error)),
    }
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let temporary = tempfile::Builder::new()
        .prefix(".allonym-")
        .suffix(".tmp")
        .tempfile_in(directory)
        .map_err(write)?
        .into_temp_path();
    let mut connection = open_for_writing(&temporary, &file)?;
    fill(&mut connection)?;
    connection.close().map_err(|(_, error)| LedgerError::storage(&file)(error))?;
    temporary.persist_noclobber(path).map_err(|refused| match refused.error.kind() {
        io::ErrorKind::AlreadyExists => LedgerError::Exists { file: file.clone() },
        _ => write(refused.error),
    })?;
    // The new name must survive a power cut as well. Other systems cannot open a directory.
    if cfg!(unix) {
        File::open(directory).and_then(|directory| directory.sync_all()).map_err(write)?;
    }
    Ok(())
}

/// Opens a ledger: for writing where that is allowed, else for reading.
pub(crate) fn open(path: &Path) -> Result<Connection, LedgerError> {
    let file = name_of(path);
    let found = fs::metadata(path).map_err(|source| LedgerError::Read { file: file.clone(), source })?;
    if found.is_dir() {
        return Err(LedgerError::Directory { file });
    }
    if !found.is_file() {
        return Err(LedgerError::Foreign { file, found: "it is not a regular file" });
    }
    if found.len() < HEADER as u64 {
        let found = if found.len() == 0 { "it is empty" } else { "it is not an SQLite file" };
        return Err(LedgerError::Foreign { file, found });
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&found) > 1 {
        // SQLite finds an interrupted run by the file's name: under another name it would be missed.
        return Err(LedgerError::Linked { file });
    }
    identify(path, &file)?;
    let connection = open_for_writing(path, &file)?;
    // SQLite does not mind when a part of the last page is missing.
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count").and_then(|count| Ok(count * number("page_size")?));
    let expected = pages.map_err(LedgerError::storage(&file))?;
    let length = fs::metadata(path).map_err(|source| LedgerError::Read { file: file.clone(), source })?.len();
    if length < expected.unsigned_abs() {
        return Err(LedgerError::Damaged { file, why: CUT_SHORT });
    }
    Ok(connection)
}

/// Opens for reading and writing, as strictly as SQLite can: durable, and trusting nothing in the file.
fn open_for_writing(path: &Path, file: &str) -> Result<Connection, LedgerError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, file)?;
    let settings = || {
        connection.pragma_update(None, "cell_size_check", true)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        // EXTRA is FULL, and the directory is synced after the journal is removed: without that a power cut right
        // after a commit could bring the journal back, and with it undo a reservation whose draws have left.
        connection.pragma_update(None, "synchronous", "EXTRA")?;
        // 32 MiB, whatever the size of the ledger; sorting may take as much again.
        connection.pragma_update(None, "cache_size", -32_768)
    };
    settings().map_err(LedgerError::storage(file))?;
    Ok(connection)
}

/// Opens the file with SQLite, which reads nothing yet.
fn connect(path: &Path, mode: OpenFlags, file: &str) -> Result<Connection, LedgerError> {
    // `./` in front keeps SQLite from taking `:memory:` for something else; without the URI flag `file:` is a name too.
    let plain = Path::new(".").join(path);
    let connection = Connection::open_with_flags(plain, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(|error| {
        if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) {
            // SQLite does not say why; the operating system does.
            if let Err(source) = File::open(path) {
                return LedgerError::Read { file: file.to_owned(), source };
            }
        }
        LedgerError::storage(file)(error)
    })?;
    connection.busy_timeout(PATIENCE).map_err(LedgerError::storage(file))?;
    Ok(connection)
}

/// Makes sure that the file is a ledger before it is opened for writing: even opening can change a file, when SQLite
/// finds the journal of an interrupted transaction beside it.
fn identify(path: &Path, file: &str) -> Result<(), LedgerError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, file)?;
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    match number("application_id").and_then(|id| Ok((id, number("user_version")?))) {
        Ok((id, version)) => check(id, version, file),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                Err(LedgerError::Foreign { file: file.to_owned(), found: "it is not an SQLite file" })
            }
            Some(ErrorCode::DatabaseBusy) => Err(LedgerError::storage(file)(error)),
            // An interrupted transaction, or damage: SQLite will not read it like this, so we look ourselves.
            _ => identify_by_header(path, file),
        },
    }
}

/// Reads what SQLite's file format puts into the header (<https://sqlite.org/fileformat.html>, section 1.3).
fn identify_by_header(path: &Path, file: &str) -> Result<(), LedgerError> {
    let read = |source| LedgerError::Read { file: file.to_owned(), source };
    let mut header = [0; HEADER];
    let mut opened = File::open(path).map_err(read)?;
    opened.read_exact(&mut header).map_err(read)?;
    let length = opened.metadata().map_err(read)?.len();
    // Never closed: POSIX drops all locks of a process on a file when any descriptor of it is closed, and another
    // `Ledger` of this process may be in the middle of a transaction. This is the rare way; it costs one descriptor.
    std::mem::forget(opened);
    let number =
        |at: usize| i64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(LedgerError::Foreign { file: file.to_owned(), found: "it is not an SQLite file" });
    }
    check(number(68), number(60), file)?;
    let page = match u64::from(u16::from_be_bytes([header[16], header[17]])) {
        1 => 65_536,
        size => size,
    };
    let expected = page * number(28).unsigned_abs();
    if length < expected && !journal_of(path).exists() {
        return Err(LedgerError::Damaged { file: file.to_owned(), why: CUT_SHORT });
    }
    Ok(())
}

fn check(application_id: i64, version: i64, file: &str) -> Result<(), LedgerError> {
    let file = file.to_owned();
    if application_id != i64::from(APPLICATION_ID) {
        return Err(LedgerError::Foreign { file, found: "it is an SQLite file of another program" });
    }
    if version > i64::from(VERSION) {
        return Err(LedgerError::Newer { file, version, known: VERSION });
    }
    if version < i64::from(OLDEST) {
        return Err(LedgerError::Damaged { file, why: "it has no version" });
    }
    Ok(())
}

/// Where SQLite keeps what it needs to undo an interrupted transaction.
fn journal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}
