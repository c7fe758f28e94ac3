//! Where a release goes: beside the target under another name until it is whole, then in its place at once.

use crate::error::{IoError, name_of};
use crate::format::{Compression, is_stream};
use crate::unfinished;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An output that becomes visible only when it is finished.
pub struct Output {
    name: String,
    sink: Sink,
    pending: Option<Pending>,
}

enum Sink {
    Plain(io::BufWriter<Target>),
    Gzip(flate2::write::GzEncoder<Target>),
    Zstd(zstd::Encoder<'static, Target>),
}

/// A file, or standard output, which is locked only while something is written.
enum Target {
    File(File),
    Stdout(io::Stdout),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

impl Output {
    /// Prepares an output. Nothing is visible under the target's name until [`Output::finish`].
    ///
    /// # Errors
    /// When the target's directory is missing or may not be written, or the target is a directory.
    pub fn create(target: &Path, compression: Compression) -> Result<Self, IoError> {
        let name = if is_stream(target) { "standard output".into() } else { name_of(target) };
        let (destination, pending) = if is_stream(target) {
            (Target::Stdout(io::stdout()), None)
        } else if is_special(target) {
            // A device or a named pipe is written to as it is: there is nothing to rename.
            let file = fs::OpenOptions::new().write(true).open(target).map_err(IoError::write(&name))?;
            (Target::File(file), None)
        } else {
            let (pending, file) = Pending::beside_with(target, Readers::AsUsual)?;
            (Target::File(file), Some(pending))
        };
        let sink = match compression {
            Compression::None => Sink::Plain(io::BufWriter::with_capacity(1 << 17, destination)),
            // The header carries neither a time nor a file name.
            Compression::Gzip => {
                Sink::Gzip(flate2::GzBuilder::new().mtime(0).write(destination, flate2::Compression::default()))
            }
            Compression::Zstd => Sink::Zstd(zstd::Encoder::new(destination, 3).map_err(IoError::write(&name))?),
        };
        Ok(Self { name, sink, pending })
    }

    /// Prepares a file that only its owner can read (mode 0600 where the system has modes): for what must not leave.
    ///
    /// # Errors
    /// When the target's directory is missing or may not be written, or the target is a directory.
    pub fn create_for_owner(target: &Path) -> Result<Self, IoError> {
        let (pending, file) = Pending::beside_with(target, Readers::OwnerOnly)?;
        let sink = Sink::Plain(io::BufWriter::with_capacity(1 << 17, Target::File(file)));
        Ok(Self { name: name_of(target), sink, pending: Some(pending) })
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// When the operating system refuses them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), IoError> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.write_all(bytes),
            Sink::Gzip(sink) => sink.write_all(bytes),
            Sink::Zstd(sink) => sink.write_all(bytes),
        }
        .map_err(IoError::write(&self.name))
    }

    /// Completes the output and puts it in its place.
    ///
    /// # Errors
    /// When the last bytes cannot be written; then the target is as it was before.
    pub fn finish(self) -> Result<(), IoError> {
        let target = match self.sink {
            Sink::Plain(sink) => sink.into_inner().map_err(io::IntoInnerError::into_error),
            Sink::Gzip(sink) => sink.finish(),
            Sink::Zstd(sink) => sink.finish(),
        };
        let mut target = target.map_err(IoError::write(&self.name))?;
        target.flush().map_err(IoError::write(&self.name))?;
        match (target, self.pending) {
            (Target::File(file), Some(pending)) => pending.commit(&file),
            _ => Ok(()),
        }
    }
}

/// Lets a Parquet writer write through.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Gzip(sink) => sink.write(bytes),
            Sink::Zstd(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.flush(),
            Sink::Gzip(sink) => sink.flush(),
            Sink::Zstd(sink) => sink.flush(),
        }
    }
}

/// Whether a target exists and is neither a file nor a directory.
fn is_special(target: &Path) -> bool {
    fs::metadata(target).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// A file beside its target, removed when it is dropped before it is whole.
struct Pending {
    path: PathBuf,
    target: PathBuf,
    done: bool,
}

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// Whom the user's umask, or the file that is replaced, allows.
    AsUsual,
    /// Its owner.
    OwnerOnly,
}

impl Pending {
    fn beside_with(target: &Path, readers: Readers) -> Result<(Self, File), IoError> {
        let name = name_of(target);
        if target.is_dir() {
            return Err(IoError::Kind { name, found: "a directory", expected: "a file" });
        }
        let target = behind_links(target);
        let directory = directory_of(&target);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".allonym-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file; the user's umask takes away from it.
            let mode = if readers == Readers::OwnerOnly { 0o600 } else { 0o666 };
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        let file = builder.tempfile_in(directory).map_err(IoError::write(&name))?;
        let (file, path) = file.keep().map_err(|error| IoError::write(&name)(error.error))?;
        unfinished::begin_unfinished(&path);
        if let (Ok(existing), Readers::AsUsual) = (fs::metadata(&target), readers) {
            fs::set_permissions(&path, existing.permissions()).map_err(IoError::write(&name))?;
        }
        Ok((Self { path, target, done: false }, file))
    }

    fn commit(mut self, file: &File) -> Result<(), IoError> {
        let name = name_of(&self.target);
        file.sync_all().map_err(IoError::write(&name))?;
        fs::rename(&self.path, &self.target).map_err(IoError::write(&name))?;
        self.done = true;
        unfinished::end_unfinished(&self.path);
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
            unfinished::end_unfinished(&self.path);
        }
    }
}

/// Where a path leads: a link stays a link, and what it points to is replaced, or made if it is not there yet.
fn behind_links(target: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(target) {
        return found;
    }
    match fs::read_link(target) {
        Ok(link) if link.is_absolute() => link,
        Ok(link) => directory_of(target).join(link),
        Err(_) => target.to_owned(),
    }
}

/// The directory in which a file lies.
pub(crate) fn directory_of(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// A path without links, also of a file that does not exist yet.
pub fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let directory = directory_of(path);
        let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        directory.join(path.file_name().unwrap_or_default())
    })
}

/// Whether two paths lead to the same file, through links too.
pub fn same_file(first: &Path, second: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(a), Ok(b)) = (fs::metadata(first), fs::metadata(second)) {
            return (a.is_file() || a.is_dir()) && a.dev() == b.dev() && a.ino() == b.ino();
        }
        false
    }
    #[cfg(not(unix))]
    {
        matches!((fs::canonicalize(first), fs::canonicalize(second)), (Ok(a), Ok(b)) if a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(directory: &Path) -> Vec<String> {
        fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn a_file_for_its_owner_is_readable_by_nobody_else_whatever_was_there() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("private.jsonl");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
        let mut output = Output::create_for_owner(&target).unwrap();
        output.write(b"new").unwrap();
        output.finish().unwrap();
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }

    #[test]
    fn nothing_is_there_until_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("out.csv");
        let mut output = Output::create(&target, Compression::None).unwrap();
        output.write(b"half").unwrap();
        assert!(!target.exists());
        output.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"half");
        assert_eq!(entries(directory.path()), ["out.csv"]);
    }

    #[test]
    fn an_abandoned_output_leaves_the_old_file_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("out.csv");
        fs::write(&target, "old").unwrap();
        let mut output = Output::create(&target, Compression::Gzip).unwrap();
        output.write(b"new").unwrap();
        drop(output);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(entries(directory.path()), ["out.csv"]);
    }

    #[test]
    fn a_gzip_header_has_neither_time_nor_name() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("secret-name.csv.gz");
        let mut output = Output::create(&target, Compression::Gzip).unwrap();
        output.write(b"x").unwrap();
        output.finish().unwrap();
        let bytes = fs::read(&target).unwrap();
        assert_eq!(&bytes[3..8], [0, 0, 0, 0, 0]); // no flags (so no name), time 0
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_its_file_are_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&file, "x").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(same_file(&file, &link));
        assert!(!same_file(&file, &directory.path().join("c")));
    }
}
