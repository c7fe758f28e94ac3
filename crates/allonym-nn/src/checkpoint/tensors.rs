//! Parameters as safetensors files, and back.
//!
//! The format is a table of names, kinds, shapes and places, then the numbers: other tools read it, and nothing in
//! it is run. Files that are cut short, foreign or of another model are refused with the name of the tensor.

use super::int8;
use crate::error::NnError;
use crate::store::Store;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::HashMap;
use std::path::Path;

/// A tensor on its way into a file.
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) kind: Dtype,
    pub(crate) bytes: Vec<u8>,
}

impl Tensor {
    pub(crate) fn of_f32(name: impl Into<String>, shape: Vec<usize>, values: &[f32]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Self { name: name.into(), shape, kind: Dtype::F32, bytes }
    }
}

/// The bytes of a file with these tensors and one line of text.
pub(crate) fn encode(tensors: &[Tensor], about: Option<(&str, String)>) -> Result<Vec<u8>, NnError> {
    let failed = |_| NnError::Setting { setting: "tensor", value: "another size".into(), allowed: "its shape's" };
    let views: Result<Vec<_>, _> = tensors
        .iter()
        .map(|tensor| Ok((&tensor.name, TensorView::new(tensor.kind, tensor.shape.clone(), &tensor.bytes)?)))
        .collect();
    let about = about.map(|(key, value)| HashMap::from([(key.to_owned(), value)]));
    safetensors::serialize(views.map_err(failed)?, about).map_err(failed)
}

/// All parameters of a store, as they are.
pub(crate) fn of_store(store: &Store<f32>) -> Vec<Tensor> {
    let tensor =
        |(name, slot): (&str, crate::Slot)| Tensor::of_f32(name, vec![slot.rows(), slot.columns()], store.slice(slot));
    store.parameters().map(tensor).collect()
}

/// Opens a file that was read.
pub(crate) fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<SafeTensors<'a>, NnError> {
    SafeTensors::deserialize(bytes).map_err(|error| {
        let problem = match error {
            SafeTensorError::MetadataIncompleteBuffer => "is cut off, or is longer than its tensors",
            _ => "is not a safetensors file",
        };
        NnError::broken(path, problem)
    })
}

/// The line of text of a file that was read.
pub(crate) fn about(path: &Path, bytes: &[u8], key: &str) -> Result<String, NnError> {
    let found = SafeTensors::read_metadata(bytes).ok();
    let text = found.and_then(|(_, metadata)| metadata.metadata().as_ref()?.get(key).cloned());
    text.ok_or_else(|| NnError::broken(path, format!("has no `{key}`")))
}

/// The numbers of a tensor of this name and shape.
pub(crate) fn numbers(path: &Path, file: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Result<Vec<f32>, NnError> {
    let mut values = Vec::new();
    add_numbers(path, file, name, shape, &mut values)?;
    Ok(values)
}

/// Adds the numbers of a tensor of this name and shape.
fn add_numbers(
    path: &Path,
    file: &SafeTensors<'_>,
    name: &str,
    shape: &[usize],
    into: &mut Vec<f32>,
) -> Result<(), NnError> {
    let other = |found: String| NnError::Tensor {
        file: path.display().to_string(),
        tensor: name.to_owned(),
        found,
        expected: format!("{shape:?}"),
    };
    let tensor = file.tensor(name).map_err(|_| other("missing".into()))?;
    if tensor.shape() != shape {
        return Err(other(format!("{:?}", tensor.shape())));
    }
    let first = into.len();
    match tensor.dtype() {
        Dtype::F32 => into.extend(floats(tensor.data())),
        Dtype::I8 if shape.len() == 2 => {
            let scales = numbers(path, file, &int8::scale_name(name), &shape[..1])?;
            int8::restore(tensor.data(), &scales, into);
        }
        kind => return Err(other(format!("of kind {kind:?}"))),
    }
    match into[first..].iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(place) => Err(NnError::NotFinite {
            what: format!("`{}`", path.display()),
            place: format!("number {place} of tensor `{name}`"),
        }),
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Replaces all parameters of a store by those of a file, or none of them.
pub(crate) fn into_store(path: &Path, bytes: &[u8], store: &mut Store<f32>) -> Result<(), NnError> {
    let file = open(path, bytes)?;
    // Parameters lie in the store in their order, without a gap.
    let mut values = Vec::with_capacity(store.numbers());
    for (name, slot) in store.parameters() {
        add_numbers(path, &file, name, &[slot.rows(), slot.columns()], &mut values)?;
    }
    let known = |name: &str| store.parameters().any(|(own, _)| own == name || int8::scale_name(own) == name);
    if let Some(foreign) = file.names().into_iter().find(|name| !known(name)) {
        return Err(NnError::broken(path, format!("has a tensor `{foreign}`, which the model has not")));
    }
    store.replace(values);
    Ok(())
}
