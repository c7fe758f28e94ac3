//! Where products of matrices are computed.
//!
//! Nearly all of the time goes into products, so this is the one door behind which another device could stand. The processor's engine
//! takes the widest instructions that the machine has when the program runs (AVX-512, AVX2, or what every x86-64 and ARM has).

use crate::matrix::{View, ViewMut};
use crate::product::Into;
use gemm::Parallelism;
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
        on_processor(out, into, left, right, threads, 1.0, 0.0);
    }

    fn product_f64(
        &self,
        out: ViewMut<'_, f64>,
        into: Into,
        left: View<'_, f64>,
        right: View<'_, f64>,
        threads: usize,
    ) {
        on_processor(out, into, left, right, threads, 1.0, 0.0);
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

#[allow(clippy::needless_pass_by_value, reason = "a view that may be written is given away for the product")]
fn on_processor<T: 'static + Copy>(
    out: ViewMut<'_, T>,
    into: Into,
    left: View<'_, T>,
    right: View<'_, T>,
    threads: usize,
    one: T,
    zero: T,
) {
    let (rows, columns, inner) = (out.rows, out.columns, left.columns);
    let shared = threads > 1 && rows * columns * inner >= WORTH_SHARING;
    let parallelism = if shared { Parallelism::Rayon(threads) } else { Parallelism::None };
    let read = into == Into::Add;
    check(left.values.len(), left.rows, left.columns, left.row_step, left.column_step);
    check(right.values.len(), right.rows, right.columns, right.row_step, right.column_step);
    check(out.values.len(), rows, columns, out.row_step, 1);
    assert!(left.rows == rows && right.columns == columns && right.rows == inner, "shapes were checked before");
    let step = |step: usize| step as isize;
    // SAFETY: `check` made sure that the last element of each matrix lies inside its slice, `out` is borrowed for writing
    // and so overlaps neither of the others, and `T` is `f32` or `f64`, which `gemm` knows by their types.
    #[allow(unsafe_code, reason = "the product takes pointers")]
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            out.values.as_mut_ptr(),
            1,
            step(out.row_step),
            read,
            left.values.as_ptr(),
            step(left.column_step),
            step(left.row_step),
            right.values.as_ptr(),
            step(right.column_step),
            step(right.row_step),
            if read { one } else { zero },
            one,
            false,
            false,
            false,
            parallelism,
        );
    }
}

/// Makes sure that a matrix lies inside its numbers.
fn check(len: usize, rows: usize, columns: usize, row_step: usize, column_step: usize) {
    if rows > 0 && columns > 0 {
        assert!((rows - 1) * row_step + (columns - 1) * column_step < len, "a view beyond its numbers");
    }
}
