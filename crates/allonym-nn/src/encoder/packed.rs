//! Sentences of a batch, token after token without padding, and their division among threads.

use crate::error::NnError;
use crate::matrix::Matrix;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many rows keep the product busy, and their activations still fit into the cache.
const ROWS: usize = 512;

/// The tokens of some sentences in a row.
pub(crate) struct Packed {
    tokens: Vec<u32>,
    sentences: Vec<Range<usize>>,
}

impl Packed {
    /// Puts sentences one after the other.
    pub(crate) fn of<'a>(sentences: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut packed = Self { tokens: Vec::new(), sentences: Vec::new() };
        for sentence in sentences {
            let start = packed.tokens.len();
            packed.tokens.extend_from_slice(sentence);
            packed.sentences.push(start..packed.tokens.len());
        }
        packed
    }

    /// How many tokens there are.
    pub(crate) fn rows(&self) -> usize {
        self.tokens.len()
    }

    /// The rows of every sentence.
    pub(crate) fn sentences(&self) -> &[Range<usize>] {
        &self.sentences
    }

    /// Every token with its position in its sentence.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (u32, usize)> {
        self.sentences.iter().flat_map(|rows| self.tokens[rows.clone()].iter().copied().zip(0..))
    }

    /// The mean of each sentence's rows; zeros where it has none.
    pub(crate) fn means(&self, rows: &Matrix<f32>) -> Matrix<f32> {
        let mut means = Matrix::zeros(self.sentences.len(), rows.columns());
        for (sentence, range) in self.sentences.iter().enumerate() {
            let mean = means.row_mut(sentence);
            for row in range.clone() {
                crate::vectorise::add_scaled(mean, 1.0, rows.row(row));
            }
            mean.iter_mut().for_each(|value| *value /= range.len().max(1) as f32);
        }
        means
    }
}

/// Divides every row by its length.
pub(crate) fn to_unit_length(rows: &mut Matrix<f32>) {
    for row in 0..rows.rows() {
        let row = rows.row_mut(row);
        // As PyTorch does: a row of zeros stays one.
        let length = crate::vectorise::dot(row, row).sqrt().max(1e-12);
        row.iter_mut().for_each(|value| *value /= length);
    }
}

/// Cuts texts into tokens and encodes them in packs, on up to `threads` threads; each thread works alone on its pack.
///
/// # Errors
/// When a text cannot be encoded.
pub(crate) fn encode(
    texts: &[&str],
    dimension: usize,
    threads: usize,
    tokens: impl Fn(&str) -> Vec<u32> + Sync,
    run: impl Fn(&Packed) -> Matrix<f32> + Sync,
) -> Result<Matrix<f32>, NnError> {
    let sentences = share(texts.len(), threads, |text| tokens(texts[text]));
    let lengths: Vec<usize> = sentences.iter().map(Vec::len).collect();
    let packs = packs(&lengths, threads);
    let results = share(packs.len(), threads, |pack| {
        run(&Packed::of(packs[pack].iter().map(|sentence| sentences[*sentence].as_slice())))
    });
    let mut out = Matrix::zeros(texts.len(), dimension);
    for (pack, result) in packs.iter().zip(&results) {
        for (row, sentence) in pack.iter().enumerate() {
            out.row_mut(*sentence).copy_from_slice(result.row(row));
        }
    }
    match out.first_not_finite() {
        Some((row, _)) => Err(NnError::NotFinite { what: "an encoding".to_owned(), place: format!("text {row}") }),
        None => Ok(out),
    }
}

/// Divides sentences into packs of about the same number of tokens, the longest sentences first.
fn packs(lengths: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let rows = lengths.iter().sum::<usize>().div_ceil(threads.max(1)).clamp(1, ROWS);
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|sentence| std::cmp::Reverse(lengths[*sentence]));
    let mut packs = Vec::new();
    let (mut pack, mut filled) = (Vec::new(), 0);
    for sentence in order {
        pack.push(sentence);
        filled += lengths[sentence];
        if filled >= rows {
            packs.push(std::mem::take(&mut pack));
            filled = 0;
        }
    }
    packs.extend((!pack.is_empty()).then_some(pack));
    packs
}

/// Does numbered jobs on up to `threads` threads and returns their results in order.
fn share<R: Send>(jobs: usize, threads: usize, job: impl Fn(usize) -> R + Sync) -> Vec<R> {
    if threads <= 1 || jobs <= 1 {
        return (0..jobs).map(job).collect();
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs)));
    rayon::scope(|scope| {
        for _ in 0..threads.min(jobs) {
            scope.spawn(|_| {
                let mut own = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= jobs {
                        break;
                    }
                    own.push((number, job(number)));
                }
                results.lock().expect("no thread panics while it holds the results").append(&mut own);
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics while it holds the results");
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stand_without_padding_and_are_averaged_alone() {
        let packed = Packed::of([[5, 6].as_slice(), &[], &[7]]);
        assert_eq!((packed.rows(), packed.sentences()), (3, [0..2, 2..2, 2..3].as_slice()));
        assert_eq!(packed.positions().collect::<Vec<_>>(), [(5, 0), (6, 1), (7, 0)]);
        assert_eq!(packed.means(&Matrix::of(3, 1, vec![1.0, 2.0, 9.0])).values(), [1.5, 0.0, 9.0]);
    }

    #[test]
    fn every_sentence_is_in_one_pack_and_packs_are_full() {
        let lengths: Vec<usize> = (0..500).map(|i| i * 13 % 97).collect();
        let packs = packs(&lengths, 2);
        let mut all = packs.concat();
        all.sort_unstable();
        assert_eq!(all, (0..500).collect::<Vec<_>>());
        let rows = |pack: &[usize]| pack.iter().map(|sentence| lengths[*sentence]).sum::<usize>();
        assert!(packs[..packs.len() - 1].iter().all(|pack| (ROWS..ROWS + 97).contains(&rows(pack))));
    }

    #[test]
    fn a_small_batch_is_divided_among_all_threads() {
        assert_eq!(packs(&[10; 8], 4).iter().map(Vec::len).collect::<Vec<_>>(), [2; 4]);
        assert!(packs(&[], 4).is_empty());
    }

    #[test]
    fn results_come_back_in_order() {
        for threads in [0, 1, 2, 5] {
            assert_eq!(share(100, threads, |job| job * job), (0..100).map(|job| job * job).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rows_get_length_one_unless_they_are_zero() {
        let mut rows = Matrix::of(2, 2, vec![3.0, 4.0, 0.0, 0.0]);
        to_unit_length(&mut rows);
        assert_eq!(rows.values(), [0.6, 0.8, 0.0, 0.0]);
    }
}
