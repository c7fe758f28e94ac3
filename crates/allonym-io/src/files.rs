//! Plain text, a record a file: a directory of `.txt` files in, a directory of files of the same names out.

use crate::columns::{Columns, Report};
use crate::error::{IoError, name_of};
use crate::input::{Progress, open_file};
use crate::key::Key;
use crate::output::directory_of;
use crate::{Batch, Limits, Reader, Rest, Shape, Writer, unfinished};
use allonym_dp::{Exit, ExitText, PrivacyRng};
use allonym_text::Private;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads files as records, in the order of their names.
pub(crate) struct FilesReader {
    paths: std::vec::IntoIter<PathBuf>,
    columns: Columns,
    report: Report,
    limits: Limits,
    progress: Progress,
}

impl FilesReader {
    pub(crate) fn open(directory: &Path, columns: &Columns, limits: &Limits) -> Result<Self, IoError> {
        let name = name_of(directory);
        if directory.exists() && !directory.is_dir() {
            return Err(IoError::Kind { name, found: "a file", expected: "a directory" });
        }
        let mut paths = Vec::new();
        let mut skipped = 0;
        for entry in fs::read_dir(directory).map_err(IoError::read(&name))? {
            let path = entry.map_err(IoError::read(&name))?.path();
            let is_text = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt")) && path.is_file();
            if is_text { paths.push(path) } else { skipped += 1 }
        }
        paths.sort();
        let mut report = Report { carried: vec!["the names of the files".into()], ..Report::default() };
        if skipped > 0 {
            report.remarks.push(format!("{skipped} entries of {name} are not .txt files and were left out"));
        }
        let progress = Progress::of_total(Some(paths.len() as u64));
        Ok(Self { paths: paths.into_iter(), columns: columns.clone(), report, limits: limits.clone(), progress })
    }
}

fn read(path: &Path, record: u64, limit: usize) -> Result<String, IoError> {
    let mut bytes = Vec::new();
    open_file(path)?.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(IoError::read(name_of(path)))?;
    if bytes.len() > limit {
        return Err(IoError::TooLarge { record, line: 1, limit });
    }
    String::from_utf8(bytes).map_err(|error| IoError::NotUtf8 {
        record,
        column: name_of(path),
        offset: error.utf8_error().valid_up_to(),
    })
}

impl Reader for FilesReader {
    fn next(&mut self) -> Result<Option<Batch>, IoError> {
        let first = self.report.records + 1;
        let (mut names, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        while names.len() < self.limits.batch_records && bytes < self.limits.batch_bytes {
            let Some(path) = self.paths.next() else { break };
            let record = self.report.records + 1;
            let text = read(&path, record, self.limits.record_bytes)?;
            bytes += text.len();
            texts.push(Private::new(text));
            let name = path.file_name().unwrap_or_default();
            if self.columns.keys {
                keys.push(Key::new(Some(name.as_encoded_bytes()), None, record, &self.columns)?);
            }
            if !self.columns.values.is_empty() {
                // A file has a name, and no other columns.
                let name = name.to_string_lossy();
                let of = |column: &String| (*column == self.columns.id).then(|| name.clone().into_owned());
                values.push(Private::new(self.columns.values.iter().map(of).collect()));
            }
            names.push(PathBuf::from(name));
            self.report.records = record;
            self.progress.add(1);
        }
        Ok((!names.is_empty()).then_some(Batch { first, texts, keys, values, rest: Rest::Names(names) }))
    }

    fn shape(&self) -> Shape {
        Shape::Files { count: self.paths.len() }
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn progress(&self) -> Progress {
        self.progress.clone()
    }
}

/// Writes a file a record into a new directory, which appears when it is whole.
pub(crate) struct FilesWriter {
    unfinished: PathBuf,
    target: PathBuf,
    /// The numbers that stand for the names when the records are shuffled, and how many there are.
    numbers: Option<std::vec::IntoIter<u64>>,
    count: u64,
    done: bool,
}

impl FilesWriter {
    pub(crate) fn create(target: &Path, count: usize, shuffle: Option<&mut PrivacyRng>) -> Result<Self, IoError> {
        let name = name_of(target);
        if target.exists() {
            if !target.is_dir() {
                return Err(IoError::Kind { name, found: "a file", expected: "a directory" });
            }
            if fs::read_dir(target).map_err(IoError::write(&name))?.next().is_some() {
                return Err(IoError::DirectoryInUse { name });
            }
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".allonym-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new directory, which the user's umask takes from, or as the one that is replaced.
            let existing = fs::metadata(target).map(|metadata| metadata.permissions());
            builder.permissions(existing.unwrap_or_else(|_| fs::Permissions::from_mode(0o777)));
        }
        let unfinished = builder.tempdir_in(directory_of(target)).map_err(IoError::write(&name))?.keep();
        unfinished::begin_unfinished(&unfinished);
        let numbers = shuffle.map(|rng| {
            let mut numbers: Vec<u64> = (1..=count as u64).collect();
            rng.shuffle(&mut numbers);
            numbers.into_iter()
        });
        // A link stays a link: what it points to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        Ok(Self { unfinished, target, numbers, count: count as u64, done: false })
    }
}

fn numbered(number: u64) -> PathBuf {
    PathBuf::from(format!("{number:06}.txt"))
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

impl FilesWriter {
    fn make_again(&self) -> std::io::Result<()> {
        let time = std::time::SystemTime::UNIX_EPOCH;
        for number in 1..=self.count {
            let path = self.unfinished.join(numbered(number));
            let bytes = fs::read(&path)?;
            let again = self.unfinished.join("again.tmp");
            write_whole(&again, &bytes)?;
            fs::rename(&again, &path)?;
            fs::File::options()
                .write(true)
                .open(&path)?
                .set_times(fs::FileTimes::new().set_modified(time).set_accessed(time))?;
        }
        Ok(())
    }
}

impl Writer for FilesWriter {
    fn write(&mut self, rest: Rest, texts: Vec<ExitText>) -> Result<(), IoError> {
        for (name, text) in rest.into_names()?.into_iter().zip(texts) {
            let name = match &mut self.numbers {
                Some(numbers) => numbered(numbers.next().unwrap_or_default()),
                None => name,
            };
            let path = self.unfinished.join(name);
            write_whole(&path, format!("{}\n", text.text()).as_bytes())
                .map_err(IoError::write(name_of(&self.target)))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), IoError> {
        let name = name_of(&self.target);
        if self.numbers.is_some() {
            // The order in which files were made shows in their times and places on the disk: make them again in the
            // order of their numbers, all with the same time.
            self.make_again().map_err(IoError::write(&name))?;
        }
        fs::rename(&self.unfinished, &self.target).map_err(IoError::write(&name))?;
        self.done = true;
        unfinished::end_unfinished(&self.unfinished);
        Ok(())
    }
}

impl Drop for FilesWriter {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_dir_all(&self.unfinished);
            unfinished::end_unfinished(&self.unfinished);
        }
    }
}
