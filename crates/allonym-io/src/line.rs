//! Reads an input line by line with a limit, for the formats in which a line is a record.

use crate::error::IoError;
use crate::input::Input;
use memchr::memchr;
use std::io::BufRead;

/// Cuts an input into lines, in a buffer that is used again.
pub(crate) struct LineSplitter {
    pub(crate) input: Input,
    limit: usize,
    line: Vec<u8>,
}

impl LineSplitter {
    pub(crate) fn new(input: Input, limit: usize) -> Self {
        Self { input, limit, line: Vec::new() }
    }

    /// The next line without its end; `None` at the end of the input. `number` is the line's, for messages.
    pub(crate) fn advance(&mut self, number: u64) -> Result<Option<&[u8]>, IoError> {
        self.line.clear();
        let mut any = false;
        loop {
            let chunk = self.input.bytes.fill_buf().map_err(IoError::read(&self.input.name))?;
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = memchr(b'\n', chunk);
            let taken = end.unwrap_or(chunk.len());
            self.line.extend_from_slice(&chunk[..taken]);
            self.input.bytes.consume(taken + usize::from(end.is_some()));
            if self.line.len() > self.limit {
                return Err(IoError::TooLarge { record: number, line: number, limit: self.limit });
            }
            if end.is_some() {
                break;
            }
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(any.then_some(&self.line))
    }
}
