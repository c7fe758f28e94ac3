//! Reading trained numbers from a safetensors file.
//!
//! Nothing is taken on trust: the header, every shape and type, and that all numbers are finite. Tensors that nobody asks
//! for are left alone, since published files carry some (a pooler, say) that an encoder has no use for.

use crate::checkpoint::tensors;
use crate::error::NnError;
use crate::matrix::Matrix;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use std::path::Path;

/// The whole of a file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, NnError> {
    std::fs::read(path).map_err(|error| NnError::unusable(path, format!("cannot be read: {error}")))
}

/// The tensors of a file.
pub(crate) struct Weights<'a> {
    file: String,
    tensors: SafeTensors<'a>,
}

impl<'a> Weights<'a> {
    /// The tensors in the bytes of a file.
    ///
    /// # Errors
    /// When it is no safetensors file, or not a whole one.
    pub(crate) fn of(path: &Path, bytes: &'a [u8]) -> Result<Self, NnError> {
        let tensors = tensors::open(path, bytes)?;
        Ok(Self { file: path.display().to_string(), tensors })
    }

    /// The shape of a tensor.
    ///
    /// # Errors
    /// When there is none of the name.
    pub(crate) fn shape(&self, name: &str) -> Result<Vec<usize>, NnError> {
        Ok(self.tensor(name)?.shape().to_vec())
    }

    /// The numbers of a tensor.
    ///
    /// # Errors
    /// When there is none of the name, or it has another shape or type, or a number in it is not finite.
    pub(crate) fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, NnError> {
        let words = self.words(name, shape, Dtype::F32)?;
        let numbers: Vec<f32> = words.map(f32::from_le_bytes).collect();
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(place) => Err(self.error(name, format!("has a value that is not a number, at place {place}"))),
            None => Ok(numbers),
        }
    }

    /// The numbers of a tensor of two dimensions.
    ///
    /// # Errors
    /// As for [`numbers`](Self::numbers).
    pub(crate) fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Matrix<f32>, NnError> {
        Ok(Matrix::of(rows, columns, self.numbers(name, &[rows, columns])?))
    }

    /// A single number.
    ///
    /// # Errors
    /// As for [`numbers`](Self::numbers).
    pub(crate) fn number(&self, name: &str) -> Result<f32, NnError> {
        Ok(self.numbers(name, &[])?[0])
    }

    /// A single whole number above zero.
    ///
    /// # Errors
    /// When there is none of the name, or it is something else.
    pub(crate) fn count(&self, name: &str) -> Result<usize, NnError> {
        let words = self.words(name, &[], Dtype::I32)?;
        let count = words.map(i32::from_le_bytes).next().and_then(|count| usize::try_from(count).ok());
        count.filter(|count| *count > 0).ok_or_else(|| self.error(name, "must be a whole number above 0"))
    }

    /// An error about a tensor of this file.
    pub(crate) fn error(&self, name: &str, why: impl Into<String>) -> NnError {
        NnError::Unfit { file: self.file.clone(), tensor: name.to_owned(), why: why.into() }
    }

    fn tensor(&self, name: &str) -> Result<TensorView<'a>, NnError> {
        self.tensors.tensor(name).map_err(|_| self.error(name, "is missing"))
    }

    fn words(
        &self,
        name: &str,
        shape: &[usize],
        kind: Dtype,
    ) -> Result<impl Iterator<Item = [u8; 4]> + use<'a>, NnError> {
        let tensor = self.tensor(name)?;
        if tensor.dtype() != kind {
            return Err(self.error(name, format!("holds {:?}; it must hold {kind:?}", tensor.dtype())));
        }
        if tensor.shape() != shape {
            return Err(self.error(name, format!("has shape {:?}; it must be {shape:?}", tensor.shape())));
        }
        Ok(tensor.data().as_chunks::<4>().0.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(kind: Dtype, shape: &[usize], data: &[u8]) -> Vec<u8> {
        let tensor = TensorView::new(kind, shape.to_vec(), data).unwrap();
        safetensors::serialize([("a", tensor)], None).unwrap()
    }

    fn message<T>(result: Result<T, NnError>) -> String {
        result.err().expect("an error").to_string()
    }

    fn of(bytes: &[u8]) -> Result<Weights<'_>, NnError> {
        Weights::of(Path::new("w.safetensors"), bytes)
    }

    #[test]
    fn numbers_come_back_as_they_were_written() {
        let data: Vec<u8> = [1.5_f32, -2.0].iter().flat_map(|number| number.to_le_bytes()).collect();
        let bytes = file(Dtype::F32, &[1, 2], &data);
        assert_eq!(of(&bytes).unwrap().matrix("a", 1, 2).unwrap().values(), [1.5, -2.0]);
    }

    #[test]
    fn a_missing_tensor_another_shape_and_another_type_are_named() {
        let bytes = file(Dtype::I32, &[2], &[0; 8]);
        let weights = of(&bytes).unwrap();
        assert_eq!(message(weights.numbers("b", &[2])), "file `w.safetensors`: tensor `b` is missing");
        assert_eq!(message(weights.number("a")), "file `w.safetensors`: tensor `a` holds I32; it must hold F32");
        assert_eq!(message(weights.count("a")), "file `w.safetensors`: tensor `a` has shape [2]; it must be []");
    }

    #[test]
    fn numbers_that_are_none_are_found() {
        let data: Vec<u8> = [1.0, f32::NAN].iter().flat_map(|number| number.to_le_bytes()).collect();
        let bytes = file(Dtype::F32, &[2], &data);
        let message = message(of(&bytes).unwrap().numbers("a", &[2]));
        assert_eq!(message, "file `w.safetensors`: tensor `a` has a value that is not a number, at place 1");
    }

    #[test]
    fn a_file_cut_anywhere_and_a_foreign_file_are_refused() {
        let whole = file(Dtype::F32, &[2], &[0; 8]);
        for len in 0..whole.len() {
            assert!(of(&whole[..len]).is_err(), "{len} bytes of {}", whole.len());
        }
        let cut = message(of(&whole[..whole.len() - 1]));
        assert_eq!(cut, "`w.safetensors` is cut off, or is longer than its tensors");
        assert_eq!(message(of(b"PK\x03\x04 an archive")), "`w.safetensors` is not a safetensors file");
    }
}
