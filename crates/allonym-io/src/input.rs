//! Opens an input, unpacks it, and counts the bytes for the progress bar.

use crate::error::{IoError, name_of};
use crate::format::{Compression, is_stream};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const BUFFER: usize = 1 << 17;

/// How far a reader has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    done: Arc<AtomicU64>,
    /// The size of the input as stored, if it is known.
    pub total: Option<u64>,
}

impl Progress {
    pub(crate) fn of_total(total: Option<u64>) -> Self {
        Self { done: Arc::default(), total }
    }

    /// The bytes (of a Parquet file or a directory: the records) read so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }
}

struct Counted<R> {
    inner: R,
    progress: Progress,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}

/// An opened and unpacked input.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) bytes: Box<dyn BufRead + Send>,
    pub(crate) progress: Progress,
    /// Whether the text began with a byte-order mark, which has been taken away.
    pub(crate) marked: bool,
}

/// Reads the first four bytes, or all there are. A pipe may hand them out one by one.
fn first_bytes(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut first = Vec::with_capacity(4);
    source.take(4).read_to_end(&mut first)?;
    Ok(first)
}

/// Opens a regular file; a directory or a missing file is an error that says so.
pub(crate) fn open_file(path: &Path) -> Result<File, IoError> {
    let file = File::open(path).map_err(IoError::read(name_of(path)))?;
    let metadata = file.metadata().map_err(IoError::read(name_of(path)))?;
    if metadata.is_dir() {
        return Err(IoError::Kind { name: name_of(path), found: "a directory", expected: "a file" });
    }
    Ok(file)
}

/// A whole text file, unpacked where it is packed.
///
/// # Errors
/// When it cannot be read, or is no UTF-8 text.
pub fn read_text(path: &Path) -> Result<String, IoError> {
    Input::open(path)?.text()
}

/// The same for a file that is part of a program.
///
/// # Errors
/// When it cannot be unpacked, or is no UTF-8 text.
pub fn unpack_text(name: &str, bytes: &'static [u8]) -> Result<String, IoError> {
    Input::unpack(name.to_owned(), bytes, Progress::default())?.text()
}

impl Input {
    fn text(mut self) -> Result<String, IoError> {
        let mut text = String::new();
        self.bytes.read_to_string(&mut text).map_err(IoError::read(&self.name))?;
        Ok(text)
    }

    pub(crate) fn open(path: &Path) -> Result<Self, IoError> {
        if is_stream(path) {
            return Self::unpack("standard input".into(), io::stdin(), Progress::default());
        }
        let file = open_file(path)?;
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Self::unpack(name_of(path), file, Progress::of_total(size))
    }

    fn unpack(name: String, source: impl Read + Send + 'static, progress: Progress) -> Result<Self, IoError> {
        let mut packed = Counted { inner: source, progress: progress.clone() };
        let first = first_bytes(&mut packed).map_err(IoError::read(&name))?;
        if first.starts_with(b"PAR1") {
            return Err(IoError::NotTheFormat { name, format: "text", why: "it is a Parquet file".into() });
        }
        let compression = Compression::of_bytes(&first);
        let packed = BufReader::with_capacity(BUFFER, io::Cursor::new(first).chain(packed));
        let mut bytes: Box<dyn Read + Send> = match compression {
            Compression::None => Box::new(packed),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
            Compression::Zstd => Box::new(zstd::Decoder::with_buffer(packed).map_err(IoError::read(&name))?),
        };
        let mut first = first_bytes(&mut bytes).map_err(IoError::read(&name))?;
        if first.starts_with(&[0xFF, 0xFE]) || first.starts_with(&[0xFE, 0xFF]) {
            return Err(IoError::NotTheFormat { name, format: "UTF-8 text", why: "it is UTF-16".into() });
        }
        let marked = first.starts_with(b"\xEF\xBB\xBF");
        if marked {
            first.drain(..3);
        }
        let bytes = Box::new(BufReader::with_capacity(BUFFER, io::Cursor::new(first).chain(bytes)));
        Ok(Self { name, bytes, progress, marked })
    }
}
