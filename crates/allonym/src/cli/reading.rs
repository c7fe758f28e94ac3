//! What commands are told that only look at texts.

use allonym::Failure;
use allonym::dp::ForOwner;
use allonym::io::{Columns, Format, Limits, Table};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct TextFlags {
    /// The file to read; `-` is standard input
    #[arg(default_value = "-")]
    input: PathBuf,

    /// The format, if the name does not tell: csv, tsv, jsonl, parquet, lines or files
    #[arg(long)]
    format: Option<Format>,

    /// The column that holds the text
    #[arg(long, default_value = "text", value_name = "NAME")]
    text_column: String,
}

impl TextFlags {
    /// Hands over every record's number and text, in their order.
    pub(super) fn each(
        &self,
        mut look: impl FnMut(u64, ForOwner<String>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let format = Format::settle(self.format, &self.input)?;
        let columns = Columns { text: self.text_column.clone(), ..Columns::default() };
        let mut reader = allonym::io::open(&self.input, format, Table::default(), &columns, &Limits::default())?;
        while let Some(batch) = reader.next()? {
            for (record, text) in (batch.first..).zip(batch.texts) {
                look(record, ForOwner::show(text, "a command that shows the owner how texts are read"))?;
            }
        }
        Ok(())
    }
}
