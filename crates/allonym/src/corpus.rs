//! Records that will be learned from: read whole, and private until a DP mechanism or a trainer takes them.

use crate::evaluation::load::{Reading, hash};
use crate::failure::Failure;
use allonym_io::{Columns, Format, Key, Limits, open};
use allonym_text::Private;
use std::collections::HashMap;
use std::path::Path;

/// The records of a file, in their order.
pub(crate) struct Corpus {
    /// The texts.
    pub(crate) texts: Vec<Private<String>>,
    /// Ids and authors, where they were asked for.
    pub(crate) keys: Vec<Private<Key>>,
    /// The format of the file.
    pub(crate) format: Format,
    /// The SHA-256 of the file, for the owner's directory alone; none for a directory or a stream.
    pub(crate) hash: Option<String>,
    columns: HashMap<String, Vec<Private<Option<String>>>>,
}

/// The records of a file that nothing protects any more.
pub(crate) struct Plain {
    pub(crate) texts: Vec<String>,
    pub(crate) hash: Option<String>,
    columns: HashMap<String, Vec<Option<String>>>,
}

impl Plain {
    /// The values of a column, if it is there.
    pub(crate) fn column(&self, name: &str) -> Option<&[Option<String>]> {
        self.columns.get(name).map(Vec::as_slice).filter(|values| values.iter().any(Option::is_some))
    }
}

/// Which parts of the records are read.
pub(crate) struct Wanted<'a> {
    /// Columns whose values are kept.
    pub(crate) values: &'a [String],
    /// Columns that must exist because the user named them.
    pub(crate) named: &'a [String],
    /// Whether ids and authors are kept, as a ledger needs them; the id's column must then exist.
    pub(crate) keys: bool,
}

impl Corpus {
    /// Reads a file.
    pub(crate) fn read(path: &Path, reading: &Reading, wanted: &Wanted<'_>) -> Result<Self, Failure> {
        let format = Format::settle(reading.format, path)?;
        let columns = Columns {
            text: reading.text_column.clone(),
            id: reading.id_column.clone(),
            author: reading.author_column.clone(),
            label: reading.label_column.clone(),
            required: wanted.named.to_vec(),
            keys: wanted.keys,
            values: wanted.values.to_vec(),
            ..Columns::default()
        };
        let mut reader = open(path, format, reading.table, &columns, &Limits::default())?;
        let (mut texts, mut keys, mut values) = (Vec::new(), Vec::new(), vec![Vec::new(); wanted.values.len()]);
        while let Some(batch) = reader.next()? {
            texts.extend(batch.texts);
            keys.extend(batch.keys);
            for record in batch.values {
                // Every record has as many values as columns were asked for.
                values.iter_mut().zip(record.apart()).for_each(|(column, value)| column.push(value));
            }
        }
        if texts.is_empty() {
            let message = format!("{} has no records", path.display());
            return Err(Failure::new(message, "give a file with texts"));
        }
        let columns = wanted.values.iter().cloned().zip(values).collect();
        Ok(Self { texts, keys, format, hash: hash(path), columns })
    }

    /// The records for training without noise. Its card says that nothing is protected, unless the texts are public.
    pub(crate) fn for_training_without_noise(self) -> Plain {
        let open = |values: Vec<Private<Option<String>>>| -> Vec<Option<String>> {
            let open = |value: Private<Option<String>>| {
                value.declassify(
                    "training without noise: the card says that nothing is protected, unless the texts are public",
                )
            };
            values.into_iter().map(open).collect()
        };
        let columns: HashMap<String, Vec<Option<String>>> =
            self.columns.into_iter().map(|(name, values)| (name, open(values))).collect();
        let open = |text: Private<String>| {
            text.declassify(
                "training without noise: the card says that nothing is protected, unless the texts are public",
            )
        };
        Plain { texts: self.texts.into_iter().map(open).collect(), hash: self.hash, columns }
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The values of a column that was asked for.
    pub(crate) fn column(&self, name: &str) -> Option<&[Private<Option<String>>]> {
        self.columns.get(name).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(csv: &str, wanted: &Wanted<'_>) -> Result<Corpus, Failure> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("texts.csv");
        std::fs::write(&path, csv).unwrap();
        let name = |name: &str| name.to_owned();
        let reading = Reading {
            text_column: name("text"),
            id_column: name("id"),
            author_column: name("author"),
            label_column: name("label"),
            ..Reading::default()
        };
        Corpus::read(&path, &reading, wanted)
    }

    #[test]
    fn texts_keys_and_values_stay_private_and_in_line() {
        let values = ["label".to_owned()];
        let wanted = Wanted { values: &values, named: &[], keys: true };
        let corpus = read("id,author,label,text\n1,anna,good,a\n2,,,b\n", &wanted).unwrap();
        assert_eq!((corpus.len(), corpus.keys.len()), (2, 2));
        assert_eq!(format!("{:?}", corpus.texts), "[Private(..), Private(..)]");
        assert_eq!(corpus.column("label").map(<[_]>::len), Some(2));
        assert!(corpus.column("other").is_none());
    }

    #[test]
    fn ids_are_needed_only_where_a_ledger_asks_for_them() {
        let wanted = |keys| Wanted { values: &[], named: &[], keys };
        assert!(read("text\na\n", &wanted(false)).unwrap().keys.is_empty());
        assert!(read("text\na\n", &wanted(true)).is_err());
    }
}
