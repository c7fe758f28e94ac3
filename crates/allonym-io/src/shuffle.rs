//! Shuffles the rows of a release in bounded memory, uniformly over all orders.
//!
//! Each row goes to one of many buckets by a fair draw; at the end each bucket is shuffled by itself and the buckets are
//! written one after the other (Rao 1961, Sandelius 1962). Buckets that outgrow memory lie in unnamed temporary files,
//! which vanish with the process. They hold released rows, never an original text.

use crate::error::IoError;
use crate::output::{Output, directory_of};
use crate::row::RowShape;
use crate::{Rest, Writer, is_stream};
use allonym_dp::{ExitText, PrivacyRng};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// What buckets may hold in memory together before they are spilled.
pub(crate) const MEMORY: usize = 64 << 20;

/// How many buckets keep each of them small for an input of this size.
pub(crate) fn buckets_for(input_bytes: Option<u64>) -> u64 {
    // Short texts become long ones, packed inputs unpack, and a pipe may bring anything: never fewer than 256.
    input_bytes.map_or(256, |bytes| (bytes >> 23).clamp(256, 1024))
}

/// The directory for spilled buckets: beside the target.
pub(crate) fn spill_directory(target: &Path) -> PathBuf {
    if is_stream(target) { std::env::temp_dir() } else { directory_of(target).to_owned() }
}

pub(crate) fn spill_file(directory: &Path) -> Result<File, IoError> {
    tempfile::tempfile_in(directory).map_err(IoError::write(directory.display().to_string()))
}

#[derive(Default)]
struct Bucket {
    /// Rows, each after its length in four bytes.
    rows: Vec<u8>,
    spilled: Option<File>,
}

/// A writer that keeps rows until all are there and writes them in random order.
pub(crate) struct ShuffledRows {
    output: Output,
    shape: RowShape,
    rng: PrivacyRng,
    buckets: Vec<Bucket>,
    directory: PathBuf,
    in_memory: usize,
    memory: usize,
}

impl ShuffledRows {
    pub(crate) fn new(
        mut output: Output,
        shape: RowShape,
        rng: PrivacyRng,
        target: &Path,
        input_bytes: Option<u64>,
    ) -> Result<Self, IoError> {
        output.write(&shape.header)?;
        let buckets = (0..buckets_for(input_bytes)).map(|_| Bucket::default()).collect();
        Ok(Self { output, shape, rng, buckets, directory: spill_directory(target), in_memory: 0, memory: MEMORY })
    }

    fn spill(&mut self) -> Result<(), IoError> {
        for bucket in self.buckets.iter_mut().filter(|bucket| !bucket.rows.is_empty()) {
            let mut file = match bucket.spilled.take() {
                Some(file) => file,
                None => spill_file(&self.directory)?,
            };
            file.write_all(&bucket.rows).map_err(IoError::write(self.directory.display().to_string()))?;
            bucket.spilled = Some(file);
            bucket.rows = Vec::new();
        }
        self.in_memory = 0;
        Ok(())
    }
}

/// Where each row of a bucket begins and ends.
fn places(rows: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some((length, _)) = rows.get(at..).and_then(|rest| rest.split_first_chunk::<4>()) {
        let end = at + 4 + u32::from_le_bytes(*length) as usize;
        places.push(at + 4..end);
        at = end;
    }
    places
}

impl Writer for ShuffledRows {
    fn write(&mut self, rest: Rest, texts: Vec<ExitText>) -> Result<(), IoError> {
        for (row, text) in rest.into_rows()?.iter().zip(&texts) {
            let chosen = self.rng.below(self.buckets.len() as u64) as usize;
            let bucket = &mut self.buckets[chosen];
            let before = bucket.rows.len();
            bucket.rows.extend_from_slice(&[0; 4]);
            self.shape.fill(row, text, &mut bucket.rows);
            let length = (bucket.rows.len() - before - 4) as u32;
            bucket.rows[before..before + 4].copy_from_slice(&length.to_le_bytes());
            self.in_memory += length as usize + 4;
        }
        if self.in_memory > self.memory { self.spill() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), IoError> {
        let name = self.directory.display().to_string();
        for bucket in std::mem::take(&mut self.buckets) {
            let mut rows = Vec::new();
            if let Some(mut file) = bucket.spilled {
                file.rewind().map_err(IoError::read(&name))?;
                file.read_to_end(&mut rows).map_err(IoError::read(&name))?;
            }
            rows.extend_from_slice(&bucket.rows);
            let mut order = places(&rows);
            self.rng.shuffle(&mut order);
            for place in order {
                self.output.write(&rows[place])?;
            }
        }
        self.output.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Compression;
    use crate::row::Row;
    use allonym_dp::{Drawing, Length, NoExpectation, Proposer, Terms, mechanism, release};
    use allonym_text::Private;
    use allonym_text::vocabulary::TokenId;

    struct Nothing;
    impl Proposer for Nothing {
        fn tokens(&self) -> usize {
            0
        }
        fn scores(&mut self, _: &[TokenId]) -> &[f32] {
            &[]
        }
    }

    fn empty_release() -> ExitText {
        let mechanism = mechanism::by_name("random", &mechanism::Parameters::default(), 2).unwrap();
        let terms = Terms { max_tokens: 1, length: Length::Public, ..Terms::default() };
        let drawing = Drawing { proposer: Private::new(Nothing), rng: PrivacyRng::reproducible(1) };
        let released = release(&*mechanism, &mut NoExpectation, &mut [drawing], &terms).remove(0);
        released.map(|_| String::new()).into()
    }

    fn shuffled(memory: usize, seed: u64) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("out.txt");
        let output = Output::create(&target, Compression::None).unwrap();
        let shape = RowShape { header: b"head\n".to_vec(), encode: crate::row::Encode::Plain, newline: b"\n" };
        let rng = PrivacyRng::reproducible(seed);
        let mut writer = Box::new(ShuffledRows::new(output, shape, rng, &target, Some(40 << 20)).unwrap());
        writer.memory = memory;
        for batch in 0..10 {
            let rows = (0..10).map(|i| {
                let mut row = Row::builder();
                row.push(format!("{}", batch * 10 + i).as_bytes());
                row.finish()
            });
            writer.write(Rest::Rows(rows.collect()), vec![empty_release(); 10]).unwrap();
        }
        writer.finish().unwrap();
        std::fs::read_to_string(&target).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_row_comes_out_once_in_another_order() {
        for memory in [MEMORY, 0] {
            let lines = shuffled(memory, 1);
            assert_eq!(lines[0], "head");
            let mut numbers: Vec<usize> = lines[1..].iter().map(|line| line.parse().unwrap()).collect();
            assert!(!numbers.is_sorted());
            numbers.sort_unstable();
            assert_eq!(numbers, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn spilling_to_disk_does_not_change_the_order() {
        assert_eq!(shuffled(MEMORY, 7), shuffled(0, 7));
        assert_ne!(shuffled(MEMORY, 7), shuffled(MEMORY, 8));
    }

    #[test]
    fn the_first_row_can_come_out_anywhere() {
        let mut counts = [0u64; 4];
        for seed in 0..400 {
            let place = shuffled(MEMORY, seed)[1..].iter().position(|line| line == "0").unwrap();
            counts[place / 25] += 1;
        }
        allonym_dp::statistics::assert_distribution(&counts, &[0.25; 4]);
    }
}
