//! `allonym tokenize`: shows how a text is read.

use super::print;
use super::reading::TextFlags;
use allonym::Failure;
use allonym::text::Document;
use clap::Args;
use serde::Serialize;
use std::fmt::Write;

const AFTER_HELP: &str = "\
Examples:
  printf 'It was great, wasn’t it?\\n' | allonym tokenize
  allonym tokenize reviews.csv --text-column review --json

Columns: record, sentence (both from 1), first byte and byte after the last within the text, token in plain form.
The output shows the text: it is for you alone.";

/// Show the tokens of a text with their places
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Tokenize {
    #[command(flatten)]
    texts: TextFlags,

    /// A JSON object a token instead of a line with tabs
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    record: u64,
    sentence: usize,
    start: usize,
    end: usize,
    token: &'a str,
}

impl Tokenize {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.texts.each(|record, text| {
            let document = Document::read(&text.for_terminal_or_private_file());
            print(&self.lines(record, &document))
        })
    }

    fn lines(&self, record: u64, document: &Document) -> String {
        let mut out = String::new();
        let mut sentences = document.sentences().iter().enumerate().peekable();
        for (index, token) in document.tokens().enumerate() {
            while sentences.peek().is_some_and(|(_, sentence)| sentence.end <= index) {
                sentences.next();
            }
            let sentence = sentences.peek().map_or(0, |(number, _)| number + 1);
            let line = Line { record, sentence, start: token.span.start, end: token.span.end, token: token.text };
            // Writing to a String does not fail.
            let _ = if self.json {
                writeln!(out, "{}", serde_json::to_string(&line).unwrap_or_default())
            } else {
                writeln!(out, "{record}\t{sentence}\t{}\t{}\t{}", line.start, line.end, line.token)
            };
        }
        out
    }
}
