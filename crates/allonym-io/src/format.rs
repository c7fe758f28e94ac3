//! The formats of records and how they are told apart.

use crate::error::{IoError, name_of};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Comma-separated values with a header (RFC 4180).
    Csv,
    /// Tab-separated values, quoted like CSV.
    Tsv,
    /// A JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// Plain text, a record a line.
    Lines,
    /// Plain text, a record a file, in a directory.
    Files,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [Self::Csv, Self::Tsv, Self::Jsonl, Self::Parquet, Self::Lines, Self::Files];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::Lines => "lines",
            Self::Files => "files",
        }
    }

    /// Tells the format from a file's name, whatever its compression.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = Compression::endings().fold(name.as_str(), |name, ending| name.strip_suffix(ending).unwrap_or(name));
        match name.rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "parquet" | "pq" => Some(Self::Parquet),
            "txt" | "text" => Some(Self::Lines),
            _ => None,
        }
    }

    /// Settles the format of an input: what was asked for, else what its name says; standard input is lines.
    ///
    /// # Errors
    /// When the name says nothing.
    pub fn settle(asked: Option<Self>, input: &Path) -> Result<Self, IoError> {
        if let Some(format) = asked {
            return Ok(format);
        }
        if is_stream(input) {
            return Ok(Self::Lines);
        }
        Self::of_path(input).ok_or_else(|| IoError::UnknownFormat { name: name_of(input) })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| format!("there is no format `{name}`"))
    }
}

/// How bytes are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    None,
    /// As `.gz`.
    Gzip,
    /// As `.zst`.
    Zstd,
}

impl Compression {
    fn endings() -> impl Iterator<Item = &'static str> {
        [".gz", ".zst"].into_iter()
    }

    /// What a file's name promises.
    pub fn of_path(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }

    /// What a file's first bytes show.
    pub fn of_bytes(first: &[u8]) -> Self {
        if first.starts_with(&[0x1F, 0x8B]) {
            Self::Gzip
        } else if first.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
            Self::Zstd
        } else {
            Self::None
        }
    }
}

/// Whether a path stands for standard input or output.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_format_and_compression() {
        let cases = [
            ("a.csv", Some(Format::Csv), Compression::None),
            ("b.CSV.gz", Some(Format::Csv), Compression::Gzip),
            ("dir.csv/c.jsonl.zst", Some(Format::Jsonl), Compression::Zstd),
            ("d.parquet", Some(Format::Parquet), Compression::None),
            ("e.txt", Some(Format::Lines), Compression::None),
            ("f.gz", None, Compression::Gzip),
            ("noending", None, Compression::None),
        ];
        for (name, format, compression) in cases {
            let path = Path::new(name);
            assert_eq!((Format::of_path(path), Compression::of_path(path)), (format, compression), "{name}");
        }
    }

    #[test]
    fn standard_input_is_lines_unless_told_otherwise() {
        assert_eq!(Format::settle(None, Path::new("-")).unwrap(), Format::Lines);
        assert_eq!(Format::settle(Some(Format::Csv), Path::new("-")).unwrap(), Format::Csv);
    }

    #[test]
    fn names_read_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
    }
}
