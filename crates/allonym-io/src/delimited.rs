//! Splits delimited bytes into records and cells without losing a byte (RFC 4180).
//!
//! The `csv` crate forgives a quote that is never closed and forgets how a cell was quoted. We need to refuse the
//! first, since half a file would become one record, and to keep the second, since other columns pass untouched.

use crate::error::IoError;
use crate::input::Input;
use memchr::{memchr, memchr2};
use std::borrow::Cow;
use std::io::BufRead;
use std::ops::Range;

/// Cuts an input into raw records, one at a time, in a buffer that is used again.
pub(crate) struct Splitter {
    input: Input,
    delimiter: u8,
    limit: usize,
    raw: Vec<u8>,
    cells: Vec<Range<usize>>,
    /// The line on which the next record begins.
    line: u64,
    /// The line on which the current record began.
    started: u64,
    crlf: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    CellStart,
    Bare,
    Quoted,
    QuoteInQuoted,
    /// A carriage return after a closing quote: only the end of the line may follow.
    Closed,
}

/// Whether there was a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Record,
    End,
}

impl Splitter {
    pub(crate) fn new(input: Input, delimiter: u8, limit: usize) -> Self {
        Self { input, delimiter, limit, raw: Vec::new(), cells: Vec::new(), line: 1, started: 1, crlf: false }
    }

    /// Reads the next record. `record` is its number, for messages.
    pub(crate) fn advance(&mut self, record: u64) -> Result<Step, IoError> {
        self.raw.clear();
        self.cells.clear();
        self.started = self.line;
        let mut state = State::CellStart;
        let mut cell = 0;
        let mut quote_line = self.line;
        loop {
            let chunk = self.input.bytes.fill_buf().map_err(IoError::read(&self.input.name))?;
            if chunk.is_empty() {
                return self.end_of_input(state, cell, record, quote_line);
            }
            if self.raw.len() > self.limit {
                return Err(IoError::TooLarge { record, line: self.started, limit: self.limit });
            }
            let base = self.raw.len();
            let mut at = 0;
            let mut ended = false;
            while at < chunk.len() {
                match state {
                    State::CellStart if chunk[at] == b'"' => {
                        state = State::Quoted;
                        quote_line = self.line;
                        at += 1;
                    }
                    State::CellStart => state = State::Bare,
                    State::Bare => match memchr2(self.delimiter, b'\n', &chunk[at..]) {
                        None => at = chunk.len(),
                        Some(offset) => {
                            at += offset;
                            let end = base + at;
                            at += 1;
                            if chunk[at - 1] == self.delimiter {
                                self.cells.push(cell..end);
                                cell = end + 1;
                                state = State::CellStart;
                            } else {
                                self.cells.push(cell..end);
                                ended = true;
                                break;
                            }
                        }
                    },
                    State::Quoted => match memchr(b'"', &chunk[at..]) {
                        None => {
                            self.line += count_lines(&chunk[at..]);
                            at = chunk.len();
                        }
                        Some(offset) => {
                            self.line += count_lines(&chunk[at..at + offset]);
                            at += offset + 1;
                            state = State::QuoteInQuoted;
                        }
                    },
                    State::QuoteInQuoted => match chunk[at] {
                        b'"' => {
                            state = State::Quoted;
                            at += 1;
                        }
                        b'\n' => state = State::Bare,
                        b'\r' => {
                            state = State::Closed;
                            at += 1;
                        }
                        byte if byte == self.delimiter => state = State::Bare,
                        _ => return Err(IoError::AfterQuote { record, line: self.line }),
                    },
                    State::Closed if chunk[at] == b'\n' => state = State::Bare,
                    State::Closed => return Err(IoError::AfterQuote { record, line: self.line }),
                }
            }
            self.raw.extend_from_slice(&chunk[..at]);
            self.input.bytes.consume(at);
            if ended {
                self.line += 1;
                self.drop_carriage_return();
                return Ok(Step::Record);
            }
        }
    }

    fn end_of_input(&mut self, state: State, cell: usize, record: u64, quote_line: u64) -> Result<Step, IoError> {
        if state == State::Quoted {
            return Err(IoError::UnclosedQuote { record, line: quote_line });
        }
        if self.raw.is_empty() {
            return Ok(Step::End);
        }
        self.cells.push(cell..self.raw.len());
        self.drop_carriage_return();
        Ok(Step::Record)
    }

    /// The carriage return of a line's end does not belong to its last cell.
    fn drop_carriage_return(&mut self) {
        if let Some(last) = self.cells.last_mut()
            && last.end > last.start
            && self.raw[last.end - 1] == b'\r'
        {
            last.end -= 1;
            self.crlf = true;
        }
    }

    /// How many cells the current record has.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// How many bytes the current record takes.
    pub(crate) fn bytes(&self) -> usize {
        self.raw.len()
    }

    /// Whether the current record is an empty line.
    pub(crate) fn is_blank(&self) -> bool {
        self.cells.len() == 1 && self.cells[0].is_empty()
    }

    /// A cell as it stands in the file, quotes and all.
    pub(crate) fn raw_cell(&self, index: usize) -> &[u8] {
        &self.raw[self.cells[index].clone()]
    }

    /// A cell's value.
    pub(crate) fn cell(&self, index: usize) -> Cow<'_, [u8]> {
        let raw = self.raw_cell(index);
        let Some(inner) = raw.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
            return Cow::Borrowed(raw);
        };
        if memchr(b'"', inner).is_none() {
            return Cow::Borrowed(inner);
        }
        let mut value = Vec::with_capacity(inner.len());
        let mut skip = false;
        for byte in inner {
            skip = *byte == b'"' && !skip;
            if !skip {
                value.push(*byte);
            }
        }
        Cow::Owned(value)
    }

    /// The line on which the current record began.
    pub(crate) fn first_line(&self) -> u64 {
        self.started
    }

    /// How lines end, judged by those read so far.
    pub(crate) fn newline(&self) -> &'static [u8] {
        if self.crlf { b"\r\n" } else { b"\n" }
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }
}

fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Appends a row of cells.
pub fn push_row<'a>(cells: impl IntoIterator<Item = &'a str>, delimiter: u8, out: &mut Vec<u8>) {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            out.push(delimiter);
        }
        push_cell(cell, delimiter, out);
    }
    out.push(b'\n');
}

/// Appends a cell to a row, quoted where it must be.
pub fn push_cell(text: &str, delimiter: u8, out: &mut Vec<u8>) {
    let needs_quotes = text.is_empty()
        || text.starts_with('"')
        || text.bytes().any(|b| b == delimiter || matches!(b, b'"' | b'\n' | b'\r'));
    if !needs_quotes {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn splitter(bytes: &[u8]) -> Splitter {
        let input = Input {
            name: "test".into(),
            // A buffer of three bytes: every state must survive the end of a chunk.
            bytes: Box::new(std::io::BufReader::with_capacity(3, Cursor::new(bytes.to_vec()))),
            progress: crate::input::Progress::default(),
            marked: false,
        };
        Splitter::new(input, b',', 1 << 20)
    }

    fn records(bytes: &[u8]) -> Result<Vec<Vec<String>>, IoError> {
        let mut splitter = splitter(bytes);
        let mut records = Vec::new();
        while splitter.advance(records.len() as u64 + 1)? == Step::Record {
            let cells = (0..splitter.len()).map(|i| String::from_utf8(splitter.cell(i).into_owned()).unwrap());
            records.push(cells.collect());
        }
        Ok(records)
    }

    #[test]
    fn cells_are_cut_and_unquoted() {
        let cut = records(b"a,b\r\n\"x, \"\"y\"\"\",\"two\nlines\"\n,last").unwrap();
        assert_eq!(cut, [vec!["a", "b"], vec!["x, \"y\"", "two\nlines"], vec!["", "last"]]);
    }

    #[test]
    fn raw_cells_keep_their_quotes() {
        let mut splitter = splitter(b"\"a\",\"b\"\"c\",d\"e\r\n");
        splitter.advance(1).unwrap();
        assert_eq!((splitter.raw_cell(0), splitter.raw_cell(1)), (&b"\"a\""[..], &b"\"b\"\"c\""[..]));
        assert_eq!(splitter.raw_cell(2), b"d\"e");
        assert_eq!(splitter.newline(), b"\r\n");
    }

    #[test]
    fn a_quote_that_is_never_closed_is_found_with_its_line() {
        let error = records(b"a,b\nc,d\ne,\"f\ng\nh").unwrap_err();
        assert!(matches!(error, IoError::UnclosedQuote { record: 3, line: 3 }), "{error}");
    }

    #[test]
    fn something_after_a_closing_quote_is_refused() {
        assert!(matches!(records(b"\"a\"b,c\n"), Err(IoError::AfterQuote { record: 1, line: 1 })));
        assert!(matches!(records(b"\"a\"\rb,c\n"), Err(IoError::AfterQuote { .. })));
        assert!(matches!(records(b"\"a\"\rb\"\n"), Err(IoError::AfterQuote { .. })));
        assert_eq!(records(b"\"a\"\r\n\"b\"\r").unwrap(), [["a"], ["b"]]);
    }

    #[test]
    fn lines_inside_quotes_are_counted() {
        let mut splitter = splitter(b"\"a\nb\nc\",d\ne,f\n");
        splitter.advance(1).unwrap();
        splitter.advance(2).unwrap();
        assert_eq!(splitter.first_line(), 4);
    }

    #[test]
    fn a_record_over_the_limit_is_refused() {
        let mut splitter = splitter(&[b'x'; 1000]);
        splitter.limit = 100;
        assert!(matches!(splitter.advance(1), Err(IoError::TooLarge { record: 1, line: 1, .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read_again(rows in prop::collection::vec(prop::collection::vec(any::<String>(), 3), 1..5)) {
            let mut bytes = Vec::new();
            for row in &rows {
                for (i, cell) in row.iter().enumerate() {
                    if i > 0 {
                        bytes.push(b',');
                    }
                    push_cell(cell, b',', &mut bytes);
                }
                bytes.push(b'\n');
            }
            prop_assert_eq!(records(&bytes).unwrap(), rows);
        }

        #[test]
        fn no_bytes_make_the_splitter_panic(bytes in prop::collection::vec(prop::sample::select(&b"a,\"\r\n\0\xFF"[..]), 0..40)) {
            let _ = records(&bytes.iter().map(|b| if *b == 0xFF { b'z' } else { *b }).collect::<Vec<_>>());
        }
    }
}
