//! Sparse rows times a table with several numbers for each column: what linear classifiers of many classes do all the time.

use crate::vectorise::vectorised;

/// Lanes that are summed at once, in registers.
const WIDE: usize = 32;
const NARROW: usize = 8;

/// The table's row for each class must be a multiple of this many numbers.
pub const LANES: usize = NARROW;

/// For every lane, the sum over the row's columns of value times the table's number for that column and lane.
///
/// # Panics
/// When `lanes` is no multiple of [`LANES`], or a column is not in the table.
pub fn gather(columns: &[u32], values: &[f32], table: &[f32], lanes: usize, out: &mut [f32]) {
    assert!(lanes.is_multiple_of(LANES) && out.len() == lanes);
    gather_lanes(columns, values, table, lanes, out);
}

/// Adds the row's values times a factor for every lane to the table's numbers.
///
/// # Panics
/// When `lanes` is no multiple of [`LANES`], or a column is not in the table.
pub fn scatter(columns: &[u32], values: &[f32], table: &mut [f32], lanes: usize, factors: &[f32]) {
    assert!(lanes.is_multiple_of(LANES) && factors.len() == lanes);
    scatter_lanes(columns, values, table, lanes, factors);
}

/// How many columns ahead the table is asked for. Columns are in no order that the processor could foresee, and the table is larger than its caches.
const AHEAD: usize = 12;

/// Asks the memory for the numbers of a later column.
#[inline(always)]
fn fetch<T>(columns: &[u32], place: usize, table: &[T], lanes: usize, first: usize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(column) = columns.get(place + AHEAD) {
        let start = *column as usize * lanes + first;
        let line = 64 / size_of::<T>();
        for offset in (0..count).step_by(line) {
            let address = table.as_ptr().wrapping_add(start + offset).cast::<i8>();
            // SAFETY: a prefetch reads nothing and cannot fail, whatever the address.
            #[allow(unsafe_code, reason = "a hint to the processor")]
            unsafe {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address);
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (columns, place, table, lanes, first, count);
}

vectorised! {
    fn gather_lanes<T>(columns: &[u32], values: &[T], table: &[T], lanes: usize, out: &mut [T]) {
        let mut first = 0;
        while first + WIDE <= lanes {
            let mut sums = [T::ZERO; WIDE];
            for (place, (column, value)) in columns.iter().zip(values).enumerate() {
                fetch(columns, place, table, lanes, first, WIDE);
                let start = *column as usize * lanes + first;
                for (sum, number) in sums.iter_mut().zip(&table[start..start + WIDE]) {
                    *sum += *value * *number;
                }
            }
            out[first..first + WIDE].copy_from_slice(&sums);
            first += WIDE;
        }
        while first < lanes {
            let mut sums = [T::ZERO; NARROW];
            for (place, (column, value)) in columns.iter().zip(values).enumerate() {
                fetch(columns, place, table, lanes, first, NARROW);
                let start = *column as usize * lanes + first;
                for (sum, number) in sums.iter_mut().zip(&table[start..start + NARROW]) {
                    *sum += *value * *number;
                }
            }
            out[first..first + NARROW].copy_from_slice(&sums);
            first += NARROW;
        }
    }
}

vectorised! {
    fn scatter_lanes<T>(columns: &[u32], values: &[T], table: &mut [T], lanes: usize, factors: &[T]) {
        for (place, (column, value)) in columns.iter().zip(values).enumerate() {
            fetch(columns, place, table, lanes, 0, lanes);
            let start = *column as usize * lanes;
            for (number, factor) in table[start..start + lanes].iter_mut().zip(factors) {
                *number += *value * *factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_updates_are_those_of_plain_loops() {
        for lanes in [8, 16, 40, 64, 72] {
            let number = |i: usize| ((i * 31 + 5) % 17) as f32 - 8.0;
            let mut table: Vec<f32> = (0..10 * lanes).map(number).collect();
            let (columns, values) = ([1, 4, 9], [0.5_f32, -2.0, 3.0]);
            let mut out = vec![0.0; lanes];
            gather(&columns, &values, &table, lanes, &mut out);
            for (lane, found) in out.iter().enumerate() {
                let at = |column: usize| table[column * lanes + lane];
                assert_eq!(*found, 0.5 * at(1) - 2.0 * at(4) + 3.0 * at(9));
            }
            let (before, factors): (Vec<f32>, Vec<f32>) = (table.clone(), (0..lanes).map(number).collect());
            scatter(&columns, &values, &mut table, lanes, &factors);
            for (lane, factor) in factors.iter().enumerate() {
                assert_eq!(table[4 * lanes + lane], before[4 * lanes + lane] - 2.0 * factor);
                assert_eq!(table[5 * lanes + lane], before[5 * lanes + lane]);
            }
        }
    }
}
