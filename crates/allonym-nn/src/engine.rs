//! Where products of matrices are computed.
//!
//! Nearly all of the time goes into products, so this is the one door behind which another device could stand. The processor's engine
//! takes the widest instructions that the machine has when the program runs (AVX-512, AVX2, or what every x86-64 and ARM has).

use crate::few::{self, Rows};
use crate::matrix::{View, ViewMut};
use crate::product::Into;
use crate::real::Real;
use gemm::Parallelism;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Computes products. Shapes were checked before.
pub trait Engine: Send + Sync {
    /// What it is, for people.
    fn name(&self) -> String;

    /// Writes a product of 32-bit numbers, on up to `threads` threads.
    fn product_f32(&self, out: ViewMut<'_, f32>, into: Into, left: View<'_, f32>, right: View<'_, f32>, threads: usize);

    /// Writes a product of 64-bit numbers.
    fn product_f64(&self, out: ViewMut<'_, f64>, into: Into, left: View<'_, f64>, right: View<'_, f64>, threads: usize);
}

static ENGINE: OnceLock<Box<dyn Engine>> = OnceLock::new();

/// Uses another engine from now on. Must come before the first product; returns whether it did.
pub fn install(engine: Box<dyn Engine>) -> bool {
    ENGINE.set(engine).is_ok()
}

/// The engine in use.
pub fn current() -> &'static dyn Engine {
    &**ENGINE.get_or_init(|| Box::new(Processor))
}

/// The processor, by the `gemm` crate.
#[derive(Clone, Copy, Debug)]
pub struct Processor;

/// Below so many multiplications, waking other threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 18;

impl Engine for Processor {
    fn name(&self) -> String {
        format!("processor, {}", instructions())
    }

    fn product_f32(
        &self,
        out: ViewMut<'_, f32>,
        into: Into,
        left: View<'_, f32>,
        right: View<'_, f32>,
        threads: usize,
    ) {
        on_processor(out, into, left, right, threads, Part::<f32>::multiply);
    }

    fn product_f64(
        &self,
        out: ViewMut<'_, f64>,
        into: Into,
        left: View<'_, f64>,
        right: View<'_, f64>,
        threads: usize,
    ) {
        on_processor(out, into, left, right, threads, Part::<f64>::multiply_many);
    }
}

fn instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return "AVX-512";
        }
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            return "AVX2";
        }
    }
    "common instructions"
}

/// Parts of the output begin at multiples of this many rows or columns: whole tiles of the kernels.
const TILE: usize = 48;

#[allow(clippy::needless_pass_by_value, reason = "a view that may be written is given away for the product")]
fn on_processor<T: Real>(
    out: ViewMut<'_, T>,
    into: Into,
    left: View<'_, T>,
    right: View<'_, T>,
    threads: usize,
    multiply: fn(Part<T>),
) {
    let (rows, columns, inner) = (out.rows, out.columns, left.columns);
    check(left.values.len(), left.rows, left.columns, left.row_step, left.column_step);
    check(right.values.len(), right.rows, right.columns, right.row_step, right.column_step);
    check(out.values.len(), rows, columns, out.row_step, 1);
    assert!(left.rows == rows && right.columns == columns && right.rows == inner, "shapes were checked before");
    let whole = Part {
        out: out.values.as_mut_ptr(),
        left: left.values.as_ptr(),
        right: right.values.as_ptr(),
        rows,
        columns,
        inner,
        steps: [out.row_step, left.row_step, left.column_step, right.row_step, right.column_step],
        into,
    };
    if threads < 2 || rows * columns * inner < WORTH_SHARING {
        return multiply(whole);
    }
    // Each thread makes a part of the output by itself. They meet only at the end, and the kernel's own threads, which
    // meet at every block, were a quarter slower.
    let by_rows = rows >= columns;
    let longer = if by_rows { rows } else { columns };
    let size = longer.div_ceil(threads).next_multiple_of(TILE);
    let starts = (0..longer).step_by(size);
    let parts: Vec<Part<T>> = starts.map(|start| whole.part(by_rows, start, size.min(longer - start))).collect();
    parts.into_par_iter().with_max_len(1).for_each(multiply);
}

/// A product, or a part of one that writes rows or columns of its own.
#[derive(Clone, Copy)]
struct Part<T> {
    out: *mut T,
    left: *const T,
    right: *const T,
    rows: usize,
    columns: usize,
    inner: usize,
    /// Between rows of the output, rows and columns of the left matrix, rows and columns of the right one.
    steps: [usize; 5],
    into: Into,
}

// SAFETY: parts that run at the same time write different rows or columns of the output, which is borrowed for writing until all are
// done, and only read the others.
#[allow(unsafe_code, reason = "threads write parts of one matrix")]
unsafe impl<T: Send + Sync> Send for Part<T> {}

impl<T: Real> Part<T> {
    /// Some rows, or some columns, of the output.
    fn part(self, by_rows: bool, start: usize, count: usize) -> Self {
        let [out_row, left_row, _, _, right_column] = self.steps;
        if by_rows {
            assert!(start + count <= self.rows);
            let (out, left) = (self.out.wrapping_add(start * out_row), self.left.wrapping_add(start * left_row));
            Self { out, left, rows: count, ..self }
        } else {
            assert!(start + count <= self.columns);
            let (out, right) = (self.out.wrapping_add(start), self.right.wrapping_add(start * right_column));
            Self { out, right, columns: count, ..self }
        }
    }

    fn multiply_many(self) {
        let [out_row, left_row, left_column, right_row, right_column] = self.steps.map(|step| step as isize);
        // SAFETY: `check` made sure that the last element of each whole matrix lies inside its slice, and a part lies inside the whole. The
        // output is borrowed for writing and so overlaps neither of the others. `T` is `f32` or `f64`, which `gemm` knows by their types.
        #[allow(unsafe_code, reason = "the product takes pointers")]
        unsafe {
            gemm::gemm(
                self.rows,
                self.columns,
                self.inner,
                self.out,
                1,
                out_row,
                self.into == Into::Add,
                self.left,
                left_column,
                left_row,
                self.right,
                right_column,
                right_row,
                if self.into == Into::Add { T::ONE } else { T::ZERO },
                T::ONE,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }
}

impl Part<f32> {
    fn multiply(self) {
        if self.has_few_rows() { self.multiply_few() } else { self.multiply_many() }
    }

    /// Whether a few rows meet weights that lie output by output: packing those would be most of the work.
    fn has_few_rows(&self) -> bool {
        let [_, _, left_column, right_row, right_column] = self.steps;
        let lies_well = left_column == 1 && right_row == 1 && right_column == self.inner;
        lies_well && (1..=few::MOST).contains(&self.rows) && self.inner > 0 && few::is_here()
    }

    fn multiply_few(self) {
        let Self { rows, columns, inner, into, steps: [out_row, left_row, ..], .. } = self;
        // SAFETY: `check` made sure that all rows of the left matrix, and all of the right one, which lies column by column, are inside their slices. Nobody writes them.
        #[allow(unsafe_code, reason = "a part of a matrix is known by its pointer")]
        let (left, right) = unsafe {
            let left = std::slice::from_raw_parts(self.left, (rows - 1) * left_row + inner);
            (left, std::slice::from_raw_parts(self.right, columns * inner))
        };
        Rows::of(left, rows, inner, left_row).multiply(right, &mut |row, first, products| {
            assert!(row < rows && first + products.len() <= columns, "a product beyond the output");
            // SAFETY: these columns of this row lie inside the output, by `check` and the line above, and are this part's own.
            #[allow(unsafe_code, reason = "threads write parts of one matrix")]
            let out =
                unsafe { std::slice::from_raw_parts_mut(self.out.wrapping_add(row * out_row + first), products.len()) };
            match into {
                Into::Replace => out.copy_from_slice(products),
                Into::Add => out.iter_mut().zip(products).for_each(|(out, product)| *out += *product),
            }
        });
    }
}

/// Makes sure that a matrix lies inside its numbers.
fn check(len: usize, rows: usize, columns: usize, row_step: usize, column_step: usize) {
    if rows > 0 && columns > 0 {
        assert!((rows - 1) * row_step + (columns - 1) * column_step < len, "a view beyond its numbers");
    }
}
