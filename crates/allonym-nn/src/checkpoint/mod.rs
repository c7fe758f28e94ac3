//! Models on disk: a directory for each checkpoint, there whole or not at all.
//!
//! ```text
//! run/step-000123/model.safetensors   the parameters
//!                 state.safetensors   what the optimiser remembers, to go on from here
//!                 card.toml           what the model is and what is promised (see `Card`)
//! run/latest                          the name of the last one
//! run/best                            the name of the best one on validation data, if there is any
//! ```
//! The files are written and synced under another name; then the directory gets its own, then `latest` is replaced. A full disk, a crash or
//! a kill in between leaves the checkpoint before. `model.safetensors` and `card.toml` alone are a model.

pub(crate) mod disk;
mod int8;
pub(crate) mod tensors;

use crate::card::Card;
use crate::error::NnError;
use crate::matrix::Matrix;
use crate::store::Store;
use disk::{Disk, Machine};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tensors::Tensor;

const MODEL: &str = "model.safetensors";
const STATE: &str = "state.safetensors";
const CARD: &str = "card.toml";
const ABOUT: &str = "run";

/// Which checkpoint a pointer names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// The last one.
    Latest,
    /// The best one on validation data.
    Best,
}

impl Pointer {
    fn name(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::Best => "best",
        }
    }
}

/// What is written down.
pub(crate) struct Contents<'a> {
    pub(crate) store: &'a Store<f32>,
    /// What the optimiser remembers: laid out as the store is, each under a name.
    pub(crate) memory: Vec<(&'static str, &'a [f32])>,
    /// Where the run is, as a line of text.
    pub(crate) run: String,
    pub(crate) card: &'a Card,
}

/// What is read to go on.
pub(crate) struct State {
    pub(crate) memory: Vec<Vec<f32>>,
    pub(crate) run: String,
}

fn directory_name(step: u64) -> String {
    format!("step-{step:06}")
}

/// Writes a checkpoint and points to it. Returns its directory.
pub(crate) fn save(disk: &dyn Disk, directory: &Path, step: u64, contents: Contents<'_>) -> Result<PathBuf, NnError> {
    let Contents { store, memory, run, card } = contents;
    let memory: Vec<Tensor> =
        memory.into_iter().map(|(name, values)| Tensor::of_f32(name, vec![values.len()], values)).collect();
    let files = [
        (MODEL, tensors::encode(&tensors::of_store(store), None)?),
        (STATE, tensors::encode(&memory, Some((ABOUT, run)))?),
        (CARD, card.to_toml()?.into_bytes()),
    ];
    let name = directory_name(step);
    let path = directory.join(&name);
    fs::create_dir_all(directory).map_err(NnError::file(directory))?;
    disk::replace_directory(disk, directory, &name, &files).map_err(NnError::file(&path))?;
    point(disk, directory, Pointer::Latest, step)?;
    Ok(path)
}

pub(crate) fn point(disk: &dyn Disk, directory: &Path, pointer: Pointer, step: u64) -> Result<(), NnError> {
    let line = directory_name(step) + "\n";
    let failed = NnError::file(directory);
    disk::replace(disk, directory, pointer.name(), line.as_bytes()).map_err(failed)
}

/// Takes away all but the last `keep` checkpoints and the ones that are pointed to. What cannot be removed stays.
pub(crate) fn prune(directory: &Path, keep: usize) {
    let mut steps = steps(directory);
    let pointed = [Pointer::Latest, Pointer::Best].map(|pointer| find(directory, pointer).ok().flatten());
    steps.truncate(steps.len().saturating_sub(keep));
    for step in steps {
        let path = directory.join(directory_name(step));
        if !pointed.contains(&Some(path.clone())) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// The steps of all checkpoints in a directory, in order.
fn steps(directory: &Path) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let step = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_prefix("step-")?.parse().ok();
    let mut steps: Vec<u64> = entries.flatten().filter_map(step).collect();
    steps.sort_unstable();
    steps
}

/// The checkpoint that a pointer of a run's directory names. Where `latest` leads nowhere, the last checkpoint there is.
///
/// # Errors
/// When the directory is there and cannot be read.
pub fn find(directory: &Path, pointer: Pointer) -> Result<Option<PathBuf>, NnError> {
    let file = directory.join(pointer.name());
    let named = match fs::read_to_string(&file) {
        Ok(line) => line.trim().strip_prefix("step-").and_then(|step| step.parse().ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => None,
        Err(error) => return Err(NnError::file(&file)(error)),
    };
    let named = named.map(|step: u64| directory.join(directory_name(step))).filter(|path| path.is_dir());
    Ok(match (named, pointer) {
        (None, Pointer::Latest) => steps(directory).last().map(|step| directory.join(directory_name(*step))),
        (named, _) => named,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, NnError> {
    fs::read(path).map_err(NnError::file(path))
}

/// Replaces all parameters of a store by those of a model's directory, as 32-bit floats or as [`model_file_int8`] has them.
///
/// # Errors
/// When the file is cut short, foreign, or of a model of another shape. The store is then as it was.
pub fn load(directory: &Path, store: &mut Store<f32>) -> Result<(), NnError> {
    let path = directory.join(MODEL);
    load_bytes(&path, &read(&path)?, store)
}

/// The same from the bytes of a file that was read.
///
/// # Errors
/// As for [`load`].
pub fn load_bytes(path: &Path, bytes: &[u8], store: &mut Store<f32>) -> Result<(), NnError> {
    tensors::into_store(path, bytes, store)
}

/// The card of a model's directory.
///
/// # Errors
/// When there is none, it cannot be read, or it is of a later version.
pub fn load_card(directory: &Path) -> Result<Card, NnError> {
    let path = directory.join(CARD);
    let text = String::from_utf8(read(&path)?).map_err(|_| NnError::broken(&path, "is not UTF-8"))?;
    Card::from_toml(&path, &text)
}

/// What a run needs to go on: so many arrays of so many numbers, by their names.
pub(crate) fn load_state(directory: &Path, names: &[&str], numbers: usize) -> Result<State, NnError> {
    let path = directory.join(STATE);
    let bytes = read(&path)?;
    let file = tensors::open(&path, &bytes)?;
    let memory: Result<_, _> = names.iter().map(|name| tensors::numbers(&path, &file, name, &[numbers])).collect();
    Ok(State { memory: memory?, run: tensors::about(&path, &bytes, ABOUT)? })
}

/// A file that a model needs beside its parameters: its name and its bytes.
pub type Beside<'a> = (&'a str, Vec<u8>);

/// The bytes of a file with all parameters.
///
/// # Errors
/// When a parameter has no numbers.
pub fn model_file(store: &Store<f32>) -> Result<Vec<u8>, NnError> {
    tensors::encode(&tensors::of_store(store), None)
}

/// The same in a quarter of the space: numbers move by up to 1/254 of the largest of their row.
///
/// # Errors
/// When a parameter has no numbers.
pub fn model_file_int8(store: &Store<f32>) -> Result<Vec<u8>, NnError> {
    tensors::encode(&int8::of_store(store), None)
}

/// Writes a model ([`model_file`]) with its card and without what training needs: for those who only use it.
///
/// # Errors
/// When it cannot be written.
pub fn export(directory: &Path, model: Vec<u8>, card: &Card, beside: &[Beside<'_>]) -> Result<(), NnError> {
    let mut files = vec![(MODEL, model), (CARD, card.to_toml()?.into_bytes())];
    files.extend(beside.iter().cloned());
    let failed = NnError::file(directory);
    let (Some(name), Some(parent)) = (directory.file_name().and_then(|name| name.to_str()), directory.parent()) else {
        return Err(NnError::broken(directory, "is not the name of a directory"));
    };
    let used = fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if used && !directory.join(CARD).is_file() {
        return Err(NnError::broken(directory, "is a directory with other files; a model needs one of its own"));
    }
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    fs::create_dir_all(parent).map_err(NnError::file(parent))?;
    disk::replace_directory(&Machine, parent, name, &files).map_err(failed)
}

/// The bytes of a file with one matrix.
///
/// # Errors
/// When the matrix has no numbers.
pub fn matrix_file(name: &str, matrix: &Matrix<f32>) -> Result<Vec<u8>, NnError> {
    let tensor = Tensor::of_f32(name, vec![matrix.rows(), matrix.columns()], matrix.values());
    tensors::encode(&[tensor], None)
}

/// The bytes of a file with some matrices, by their names.
///
/// # Errors
/// When a matrix has no numbers.
pub fn matrices_file(matrices: &[(&str, &Matrix<f32>)]) -> Result<Vec<u8>, NnError> {
    let tensor = |(name, matrix): &(&str, &Matrix<f32>)| {
        Tensor::of_f32(*name, vec![matrix.rows(), matrix.columns()], matrix.values())
    };
    tensors::encode(&matrices.iter().map(tensor).collect::<Vec<_>>(), None)
}

/// All matrices of a file.
///
/// # Errors
/// When the file is not one of matrices, or a number of it is none.
pub fn read_matrices(path: &Path, bytes: &[u8]) -> Result<BTreeMap<String, Matrix<f32>>, NnError> {
    let file = tensors::open(path, bytes)?;
    let mut found = BTreeMap::new();
    for name in file.names() {
        let shape = file.tensor(name).map(|tensor| tensor.shape().to_vec()).unwrap_or_default();
        let [rows, columns] = shape[..] else {
            return Err(NnError::broken(path, format!("`{name}` is no matrix")));
        };
        found.insert(name.to_owned(), Matrix::of(rows, columns, tensors::numbers(path, &file, name, &shape)?));
    }
    Ok(found)
}

/// A matrix of a file: the first of these names that is there, or else the only one there is.
///
/// # Errors
/// When the file cannot be read, or it is not clear which matrix is meant.
pub fn read_matrix(path: &Path, bytes: &[u8], names: &[&str]) -> Result<Matrix<f32>, NnError> {
    let file = tensors::open(path, bytes)?;
    let flat = |name: &str| file.tensor(name).is_ok_and(|tensor| tensor.shape().len() == 2);
    let named = names.iter().find(|name| flat(name)).map(|name| (*name).to_owned());
    let name = match named {
        Some(name) => name,
        None => match file.names().into_iter().filter(|name| flat(name)).collect::<Vec<_>>().as_slice() {
            [only] => (*only).to_owned(),
            found => {
                let problem =
                    format!("has {} matrices; give one with a single matrix, or name it `{}`", found.len(), names[0]);
                return Err(NnError::broken(path, problem));
            }
        },
    };
    let shape = file.tensor(&name).map(|tensor| tensor.shape().to_vec()).unwrap_or_default();
    Ok(Matrix::of(shape[0], shape[1], tensors::numbers(path, &file, &name, &shape)?))
}

#[cfg(test)]
mod tests;
