//! A vector for each token: trained, or given and left as it is.

use crate::error::NnError;
use crate::gradient::{Gradients, Rows};
use crate::matrix::Matrix;
use crate::real::Real;
use crate::store::{Slot, Store};
use allonym_dp::PrivacyRng;
use std::sync::Arc;

/// A table of vectors.
#[derive(Clone, Debug)]
pub struct Embedding<T: Real> {
    name: String,
    table: Table<T>,
}

#[derive(Clone, Debug)]
enum Table<T: Real> {
    Trained(Slot),
    Frozen(Arc<Matrix<T>>),
}

impl<T: Real> Embedding<T> {
    /// Vectors that are trained, drawn uniformly within sqrt(3 / dimension), so that their expected squared length is 1.
    ///
    /// # Errors
    /// When a size is zero or the name is taken.
    pub fn trained(
        name: &str,
        vocabulary: usize,
        dimension: usize,
        store: &mut Store<T>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let bound = (3.0 / dimension.max(1) as f64).sqrt();
        let slot = store.add(name, vocabulary, dimension, bound, rng)?;
        Ok(Self { name: name.to_owned(), table: Table::Trained(slot) })
    }

    /// Vectors that are trained, beginning with given ones.
    ///
    /// # Errors
    /// When there are none, one of them is not finite, or the name is taken.
    pub fn tuned(name: &str, vectors: &Matrix<T>, store: &mut Store<T>, rng: &mut PrivacyRng) -> Result<Self, NnError> {
        check(name, vectors)?;
        let slot = store.add(name, vectors.rows(), vectors.columns(), 0.0, rng)?;
        store.begin(slot.range(), |values| values.copy_from_slice(vectors.values()));
        Ok(Self { name: name.to_owned(), table: Table::Trained(slot) })
    }

    /// Given vectors, which are not trained.
    ///
    /// # Errors
    /// When there are none or one of them is not finite.
    pub fn frozen(name: &str, vectors: Arc<Matrix<T>>) -> Result<Self, NnError> {
        check(name, &vectors)?;
        Ok(Self { name: name.to_owned(), table: Table::Frozen(vectors) })
    }

    /// How many vectors there are.
    pub fn vocabulary(&self) -> usize {
        match &self.table {
            Table::Trained(slot) => slot.rows(),
            Table::Frozen(vectors) => vectors.rows(),
        }
    }

    /// How long they are.
    pub fn dimension(&self) -> usize {
        match &self.table {
            Table::Trained(slot) => slot.columns(),
            Table::Frozen(vectors) => vectors.columns(),
        }
    }

    /// Whether they are trained.
    pub fn is_trained(&self) -> bool {
        matches!(self.table, Table::Trained(_))
    }

    /// The vectors of some tokens, written beside each other into rows of `out` from a column on.
    ///
    /// # Errors
    /// When a token is outside the vocabulary.
    pub fn forward(&self, store: &Store<T>, tokens: &[u32], out: &mut Matrix<T>, column: usize) -> Result<(), NnError> {
        let (vocabulary, dimension) = (self.vocabulary(), self.dimension());
        let vectors = match &self.table {
            Table::Trained(slot) => store.slice(*slot),
            Table::Frozen(vectors) => vectors.values(),
        };
        for (row, token) in tokens.iter().enumerate() {
            let place = *token as usize;
            if place >= vocabulary {
                return Err(NnError::Token { layer: self.name.clone(), token: *token, vocabulary });
            }
            let vector = &vectors[place * dimension..(place + 1) * dimension];
            out.row_mut(row)[column..column + dimension].copy_from_slice(vector);
        }
        Ok(())
    }

    /// Hands over the gradients of the vectors, if they are trained; `back` is what flowed back to the vector of each row.
    pub fn backward(&self, tokens: &Arc<Vec<u32>>, back: Matrix<T>, rows: &Rows, gradients: &mut Gradients<T>) {
        if let Table::Trained(slot) = &self.table {
            gradients.table(*slot, Arc::new(back), tokens, rows);
        }
    }
}

fn check<T: Real>(name: &str, vectors: &Matrix<T>) -> Result<(), NnError> {
    if vectors.rows() == 0 || vectors.columns() == 0 {
        let found = format!("{} x {}", vectors.rows(), vectors.columns());
        return Err(NnError::shape(name, "size", found, "at least 1 x 1"));
    }
    match vectors.first_not_finite() {
        None => Ok(()),
        Some((row, column)) => {
            Err(NnError::NotFinite { what: format!("layer `{name}`"), place: format!("vector {row}, number {column}") })
        }
    }
}
