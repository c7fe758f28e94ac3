//! Data sets of intents: rows of `intent,text` without a header, in three files.

use crate::evaluation::load::{Loaded, Reading};
use crate::failure::Failure;
use allonym_io::Table;
use std::collections::BTreeSet;
use std::path::Path;

/// Texts with their classes.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The texts.
    pub texts: Vec<String>,
    /// The intent of each, as a place among the names.
    pub classes: Vec<u32>,
}

/// A data set.
#[derive(Clone, Debug)]
pub struct Intents {
    /// Its name: what stands before `train.csv`, or the name of the directory.
    pub name: String,
    /// The names of the intents, sorted.
    pub intents: Vec<String>,
    /// To learn from.
    pub train: Part,
    /// To choose by.
    pub valid: Part,
    /// To test with.
    pub test: Part,
}

impl Intents {
    /// Reads all data sets of a directory: `NAME_train.csv`, `NAME_valid.csv` and `NAME_test.csv`, or the same without a name.
    ///
    /// # Errors
    /// When there is none, or a file of one cannot be read.
    pub fn read_all(directory: &Path) -> Result<Vec<Self>, Failure> {
        const ENDING: &str = "train.csv";
        let entries = std::fs::read_dir(directory).map_err(|error| Failure::reading("the data", directory, &error))?;
        let names: BTreeSet<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| Some(name.strip_suffix(ENDING)?.to_owned()))
            .filter(|before| before.is_empty() || before.ends_with(['_', '-', '.']))
            .collect();
        if names.is_empty() {
            return Err(Failure::new(
                format!("{} has no data set", directory.display()),
                "it should hold NAME_train.csv, NAME_valid.csv and NAME_test.csv, with rows of `intent,text` and no header",
            ));
        }
        names.iter().map(|before| Self::read(directory, before)).collect()
    }

    fn read(directory: &Path, before: &str) -> Result<Self, Failure> {
        let file = |part: &str| file(&directory.join(format!("{before}{part}.csv")));
        let (train, valid, test) = (file("train")?, file("valid")?, file("test")?);
        let all = [&train, &valid, &test].into_iter().flatten().map(|(intent, _)| intent.clone());
        let intents: Vec<String> = all.collect::<BTreeSet<String>>().into_iter().collect();
        let part = |rows: Vec<(String, String)>| {
            let class = |intent: &String| intents.partition_point(|other| other < intent) as u32;
            let (classes, texts) = rows.into_iter().map(|(intent, text)| (class(&intent), text)).unzip();
            Part { texts, classes }
        };
        let of_directory = || directory.file_name().map_or("data".into(), |name| name.to_string_lossy().into_owned());
        let name = before.trim_end_matches(['_', '-', '.']);
        let name = if name.is_empty() { of_directory() } else { name.to_owned() };
        let (train, valid, test) = (part(train), part(valid), part(test));
        Ok(Self { name, intents, train, valid, test })
    }
}

/// Intents and texts.
fn file(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let reading = Reading {
        table: Table { header: false, ..Table::default() },
        text_column: "2".to_owned(),
        // The intent is the first column; it is read as an id would be.
        id_column: "1".to_owned(),
        author_column: String::new(),
        label_column: String::new(),
        ..Reading::default()
    };
    let loaded = Loaded::read(path, &reading, &[], &["1".to_owned()])?;
    let intents = loaded.column("1").unwrap_or_default().to_vec();
    let row = |(place, (intent, text)): (usize, (Option<String>, String))| match intent.filter(|i| !i.is_empty()) {
        Some(intent) => Ok((intent, text)),
        None => {
            let message = format!("record {} of {} has no intent", place + 1, path.display());
            Err(Failure::new(message, "every row is `intent,text`"))
        }
    };
    intents.into_iter().zip(loaded.texts).enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_found_by_their_names_and_intents_are_numbered_alike_in_all_parts() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        assert!(Intents::read_all(directory.path()).unwrap_err().message.contains("has no data set"));
        write("a_train.csv", "play,some music\nbook,a table\n");
        write("a_valid.csv", "play,a song\n");
        assert!(Intents::read_all(directory.path()).unwrap_err().message.contains("a_test.csv"));
        write("a_test.csv", "rate,five stars\nplay,that song\n");
        let found = Intents::read_all(directory.path()).unwrap().remove(0);
        assert_eq!((found.name.as_str(), found.intents.join(" ").as_str()), ("a", "book play rate"));
        assert_eq!((found.train.classes, found.valid.classes, found.test.classes), (vec![1, 0], vec![1], vec![2, 1]));
        assert_eq!(found.test.texts, ["five stars", "that song"]);
    }

    #[test]
    fn a_row_without_an_intent_is_named_and_not_quoted() {
        let directory = tempfile::tempdir().unwrap();
        for part in ["train", "valid", "test"] {
            std::fs::write(directory.path().join(format!("{part}.csv")), "play,some music\n,a secret\n").unwrap();
        }
        let failure = Intents::read_all(directory.path()).unwrap_err();
        assert!(failure.message.contains("record 2 of") && !failure.message.contains("secret"));
    }
}
