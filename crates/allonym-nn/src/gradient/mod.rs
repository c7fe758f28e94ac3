//! Where layers put what the gradients of their parameters are made of.
//!
//! The gradient of every weight is a sum over rows of products of two vectors: what flowed back to the row's outputs, and the row's
//! inputs. A layer hands over both matrices. For plain training they are multiplied at once. For private training the norm
//! of each example's gradient is computed from them, they are kept, and multiplied when all norms are known: no gradient of a
//! single example is ever formed, and there is no second backward pass.

mod norm;
mod private;

pub(crate) use norm::{Scratch, of_rows};
pub use private::Clipped;

use crate::buffer::Buffer;
use crate::matrix::Matrix;
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::sequences::Sequences;
use crate::store::{Slot, Store};
use crate::vectorise::add_scaled;
use private::{Keeper, Kept};
use std::sync::Arc;

/// Which example each row belongs to.
#[derive(Clone, Debug)]
pub enum Rows {
    /// Row i is example i.
    Examples(usize),
    /// Rows are the tokens of sequences, and each sequence is an example.
    Tokens(Arc<Sequences>),
}

impl Rows {
    /// How many examples there are.
    pub fn examples(&self) -> usize {
        match self {
            Self::Examples(count) => *count,
            Self::Tokens(sequences) => sequences.len(),
        }
    }

    /// The example of a row.
    pub(crate) fn example(&self, row: usize) -> usize {
        match self {
            Self::Examples(_) => row,
            Self::Tokens(sequences) => sequences.sequence_of_row()[row] as usize,
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            Self::Examples(count) => *count,
            Self::Tokens(sequences) => sequences.rows(),
        }
    }
}

/// Something whose gradient can only be added up once the factor of each example is known.
pub trait Later<T: Real>: Send {
    /// Adds the gradients of all examples, each times its factor.
    fn add(self: Box<Self>, store: &Store<T>, factors: &[T], gradients: &mut [T], threads: usize);
}

/// The gradients of a step, of all parameters of a store.
pub struct Gradients<T: Real> {
    values: Buffer<T>,
    keeper: Option<Keeper<T>>,
    threads: usize,
}

impl<T: Real> Gradients<T> {
    /// For plain training: gradients are summed over all examples.
    pub fn plain(store: &Store<T>, threads: usize) -> Self {
        Self { values: Buffer::zeros(store.values().len()), keeper: None, threads }
    }

    /// For private training: the norm of each example's gradient is found, and gradients are summed by [`Gradients::clipped`].
    pub fn private(store: &Store<T>, examples: usize, threads: usize) -> Self {
        let parameters = store.parameters().count();
        Self { values: Buffer::zeros(store.values().len()), keeper: Some(Keeper::new(examples, parameters)), threads }
    }

    /// Threads that may be used.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether norms of examples are wanted.
    pub fn is_private(&self) -> bool {
        self.keeper.is_some()
    }

    /// Takes a weight (outputs x inputs) and its bias: what flowed back to each row's outputs, and each row's inputs.
    ///
    /// # Panics
    /// When the shapes do not fit, or a parameter is handed over twice in a private step.
    pub fn weight(
        &mut self,
        weight: Slot,
        bias: Option<Slot>,
        back: Arc<Matrix<T>>,
        inputs: &Arc<Matrix<T>>,
        rows: &Rows,
    ) {
        assert_eq!((back.rows(), inputs.rows()), (rows.rows(), rows.rows()), "rows of a gradient");
        match &mut self.keeper {
            Some(keeper) => {
                keeper.claim(weight);
                bias.into_iter().for_each(|bias| keeper.claim(bias));
                norm::of_weight(&back, inputs, bias.is_some(), rows, &mut keeper.squares, self.threads);
                keeper.kept.push(Kept::Weight { weight, bias, back, inputs: inputs.clone(), rows: rows.clone() });
            }
            None => add_weight(weight, bias, &back, inputs, &mut self.values, self.threads),
        }
    }

    /// Takes a table of vectors: what flowed back to the vector of each row, and which vector that was.
    ///
    /// # Panics
    /// When the shapes do not fit, or a parameter is handed over twice in a private step.
    pub fn table(&mut self, table: Slot, back: Arc<Matrix<T>>, tokens: &Arc<Vec<u32>>, rows: &Rows) {
        assert_eq!((back.rows(), tokens.len()), (rows.rows(), rows.rows()), "rows of a gradient");
        match &mut self.keeper {
            Some(keeper) => {
                keeper.claim(table);
                norm::of_table(&back, tokens, rows, &mut keeper.squares);
                keeper.kept.push(Kept::Table { table, back, tokens: tokens.clone(), rows: rows.clone() });
            }
            None => add_table(table, &back, tokens, &mut self.values),
        }
    }

    /// Takes gradients that a layer has summed by itself: plain steps only.
    ///
    /// # Panics
    /// In a private step.
    pub fn summed(&mut self) -> &mut [T] {
        assert!(self.keeper.is_none(), "a private step must know the norm of each example");
        &mut self.values
    }

    /// Takes what a layer of a private step will add when the factors are known, with the squared norms of the examples.
    ///
    /// # Panics
    /// In a plain step, and when a parameter is handed over twice.
    pub fn later(&mut self, parameters: &[Slot], squares: &[f64], later: Box<dyn Later<T>>) {
        let Some(keeper) = &mut self.keeper else { panic!("a plain step adds at once") };
        parameters.iter().for_each(|slot| keeper.claim(*slot));
        for (sum, square) in keeper.squares.iter_mut().zip(squares) {
            *sum += square;
        }
        keeper.kept.push(Kept::Later(later));
    }

    /// The gradients of a plain step.
    ///
    /// # Panics
    /// In a private step.
    pub fn into_values(self) -> Buffer<T> {
        assert!(self.keeper.is_none(), "a private step must be clipped");
        self.values
    }
}

fn add_weight<T: Real>(
    weight: Slot,
    bias: Option<Slot>,
    back: &Matrix<T>,
    inputs: &Matrix<T>,
    values: &mut [T],
    threads: usize,
) {
    multiply(weight.of_mut(values), Into::Add, back.view().transposed(), inputs.view(), threads);
    if let Some(bias) = bias {
        let sum = &mut values[bias.range()];
        for row in 0..back.rows() {
            add_scaled(sum, T::ONE, back.row(row));
        }
    }
}

fn add_table<T: Real>(table: Slot, back: &Matrix<T>, tokens: &[u32], values: &mut [T]) {
    let (vectors, columns) = (&mut values[table.range()], table.columns());
    for (row, token) in tokens.iter().enumerate() {
        let start = *token as usize * columns;
        add_scaled(&mut vectors[start..start + columns], T::ONE, back.row(row));
    }
}
