//! The product of a few rows with a large layer, whose weights are read where they are.
//!
//! A kernel for large matrices packs both of them first. For a few rows and weights that lie row by row (outputs x inputs), packing the weights is most of the work.
//! Here the rows are laid side by side instead, which is soon done, and each weight is read once and multiplied with all of them. Compilers make such loops fast for some
//! shapes and slow for others, so the instructions are named: those that every x86-64 of the last ten years has. Elsewhere the other kernel is used.

/// Numbers in one register.
const LANES: usize = 8;
/// Rows that are multiplied at once: two registers. More would not stay in the nearest cache.
const GROUP: usize = 2 * LANES;
/// Outputs whose weights stay at hand for all rows.
const TILE: usize = 12;
/// So many rows are few: with more, packing the weights pays.
pub(crate) const MOST: usize = 64;

/// Whether this machine can.
pub(crate) fn is_here() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Some rows side by side: in groups, input by input the numbers of all rows of a group, filled up with zeros.
pub(crate) struct Rows {
    count: usize,
    inner: usize,
    groups: Vec<Vec<f32>>,
}

impl Rows {
    /// Lays out rows of `inner` numbers, of which one begins `step` numbers after another.
    pub(crate) fn of(values: &[f32], count: usize, inner: usize, step: usize) -> Self {
        let groups = (0..count).step_by(GROUP).map(|first| {
            let rows = GROUP.min(count - first);
            let width = rows.next_multiple_of(LANES);
            let mut side_by_side = vec![0.0; inner * width];
            for row in 0..rows {
                let values = &values[(first + row) * step..][..inner];
                side_by_side.chunks_exact_mut(width).zip(values).for_each(|(place, value)| place[row] = *value);
            }
            side_by_side
        });
        Self { count, inner, groups: groups.collect() }
    }

    /// Calls `out` with a row, the first of some outputs, and the products of that row with these outputs. `weights` has `inner` numbers for each output.
    ///
    /// # Panics
    /// When the machine cannot: ask [`is_here`].
    pub(crate) fn multiply(&self, weights: &[f32], out: &mut impl FnMut(usize, usize, &[f32])) {
        assert!(is_here(), "no such instructions");
        let mut found = [0.0; GROUP * TILE];
        for (tile, weights) in weights.chunks(TILE * self.inner).enumerate() {
            let outputs = weights.len() / self.inner;
            for (group, rows) in self.groups.iter().enumerate() {
                products(&mut found, weights, rows, self.inner);
                for row in 0..GROUP.min(self.count - group * GROUP) {
                    out(group * GROUP + row, tile * TILE, &found[row * TILE..][..outputs]);
                }
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn products(_: &mut [f32], _: &[f32], _: &[f32], _: usize) {
    unreachable!("the machine was asked before");
}

/// The products of a tile of outputs with a group of rows: in `found`, row by row in steps of a tile.
#[cfg(target_arch = "x86_64")]
fn products(found: &mut [f32; GROUP * TILE], weights: &[f32], rows: &[f32], inner: usize) {
    // SAFETY: the machine was asked for these instructions before.
    #[allow(unsafe_code, reason = "instructions are used only where the processor was asked for them")]
    unsafe {
        // Twelve sums, and with them the rows and a weight, fit into sixteen registers.
        if rows.len() == inner * LANES {
            avx2::products::<1, 12>(found, weights, rows, inner);
        } else {
            avx2::products::<2, 6>(found, weights, rows, inner);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{GROUP, LANES, TILE};
    use std::arch::x86_64::{
        __m256, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };

    /// `W` registers of rows, `U` outputs at once.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn products<const W: usize, const U: usize>(
        found: &mut [f32; GROUP * TILE],
        weights: &[f32],
        rows: &[f32],
        inner: usize,
    ) {
        let outputs = weights.len() / inner;
        let mut output = 0;
        while output + U <= outputs {
            kernel::<W, U>(&mut found[output..], &weights[output * inner..], rows, inner);
            output += U;
        }
        while output < outputs {
            kernel::<W, 1>(&mut found[output..], &weights[output * inner..], rows, inner);
            output += 1;
        }
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    #[allow(clippy::needless_range_loop, reason = "with iterators the sums would not stay in registers")]
    fn kernel<const W: usize, const U: usize>(found: &mut [f32], weights: &[f32], rows: &[f32], inner: usize) {
        assert!(weights.len() >= U * inner && rows.len() >= W * LANES * inner, "weights and rows of all inputs");
        let mut sums = [[_mm256_setzero_ps(); W]; U];
        for input in 0..inner {
            // SAFETY: by the line above there are as many rows and weights. Whether there are must not be asked for each: it would take half of the time.
            #[allow(unsafe_code, reason = "the innermost loop")]
            unsafe {
                let mut parts = [_mm256_setzero_ps(); W];
                for part in 0..W {
                    parts[part] = _mm256_loadu_ps(rows.as_ptr().add((input * W + part) * LANES));
                }
                for output in 0..U {
                    let weight = _mm256_set1_ps(*weights.as_ptr().add(output * inner + input));
                    for part in 0..W {
                        sums[output][part] = _mm256_fmadd_ps(weight, parts[part], sums[output][part]);
                    }
                }
            }
        }
        for (output, sums) in sums.iter().enumerate() {
            for (part, sum) in sums.iter().enumerate() {
                for (lane, sum) in stored(*sum).into_iter().enumerate() {
                    found[(part * LANES + lane) * TILE + output] = sum;
                }
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn stored(register: __m256) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        // SAFETY: there is place for eight numbers.
        #[allow(unsafe_code, reason = "a register is stored by a pointer")]
        unsafe {
            _mm256_storeu_ps(values.as_mut_ptr(), register);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(i: usize, seed: usize) -> f32 {
        ((i * 7919 + seed * 31) % 1013) as f32 / 506.5 - 1.0
    }

    #[test]
    fn every_product_is_told_once_and_is_right() {
        if !is_here() {
            return;
        }
        for (rows, inner, outputs) in
            [(1, 1, 1), (8, 3, 24), (9, 5, 25), (20, 7, 11), (32, 4, 50), (33, 6, 3), (70, 9, 30)]
        {
            let step = inner + 2;
            let left: Vec<f32> = (0..rows * step).map(|i| number(i, 1)).collect();
            let weights: Vec<f32> = (0..outputs * inner).map(|i| number(i, 2)).collect();
            let mut found = vec![f32::NAN; rows * outputs];
            Rows::of(&left, rows, inner, step).multiply(&weights, &mut |row, first, products| {
                for (place, product) in found[row * outputs + first..].iter_mut().zip(products) {
                    assert!(place.is_nan(), "told twice");
                    *place = *product;
                }
            });
            for row in 0..rows {
                for output in 0..outputs {
                    let expected: f32 = (0..inner).map(|i| left[row * step + i] * weights[output * inner + i]).sum();
                    assert!((found[row * outputs + output] - expected).abs() < 1e-5, "{rows} x {inner} x {outputs}");
                }
            }
        }
    }
}
