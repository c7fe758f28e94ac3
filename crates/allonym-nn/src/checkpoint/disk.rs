//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// What a checkpoint needs of a disk. Tests put one in its place that fills up.
pub(crate) trait Disk {
    /// Writes a new file; when this returns, it is on the disk.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Gives a file or directory its name, in place of another file of that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }
}

/// The disk of the machine.
pub(crate) struct Machine;

impl Disk for Machine {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }
}

/// Makes new names in a directory last. Only Unix opens directories.
pub(super) fn sync(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Puts a file in place of another one.
pub(super) fn replace(disk: &dyn Disk, directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let unfinished = directory.join(format!(".{name}.tmp"));
    let written = disk.write(&unfinished, bytes).and_then(|()| disk.rename(&unfinished, &directory.join(name)));
    if written.is_err() {
        // What cannot be removed either is ignored by readers and replaced by the next writer.
        let _ = fs::remove_file(&unfinished);
    }
    written.and_then(|()| sync(directory))
}

/// Puts a directory of files in place of another one.
pub(super) fn replace_directory(
    disk: &dyn Disk,
    directory: &Path,
    name: &str,
    files: &[(&str, Vec<u8>)],
) -> io::Result<()> {
    let [unfinished, former] = ["tmp", "former"].map(|end| directory.join(format!(".{name}.{end}")));
    // Left over from a run that was killed.
    remove(&unfinished)?;
    fs::create_dir(&unfinished)?;
    let target = directory.join(name);
    let written = files
        .iter()
        .try_for_each(|(name, bytes)| disk.write(&unfinished.join(name), bytes))
        .and_then(|()| sync(&unfinished))
        .and_then(|()| {
            // A directory cannot be renamed over another that is not empty.
            remove(&former)?;
            if target.exists() {
                disk.rename(&target, &former)?;
            }
            disk.rename(&unfinished, &target)
        });
    if let Err(error) = written {
        let _ = fs::remove_dir_all(&unfinished);
        if !target.exists() && former.exists() {
            let _ = fs::rename(&former, &target);
        }
        return Err(error);
    }
    sync(directory)?;
    remove(&former)
}

fn remove(directory: &Path) -> io::Result<()> {
    if directory.exists() { fs::remove_dir_all(directory) } else { Ok(()) }
}

#[cfg(test)]
/// A disk with so many bytes left.
pub(crate) struct Full {
    pub(crate) left: std::cell::Cell<usize>,
}

#[cfg(test)]
impl Disk for Full {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let part = bytes.len().min(self.left.get());
        self.left.set(self.left.get() - part);
        Machine.write(path, &bytes[..part])?;
        if part < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}
