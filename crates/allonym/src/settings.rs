//! A run as data: every setting of `allonym anonymize`, its default, and its check.

use crate::failure::Failure;
use crate::method::{Method, MethodSettings, registry};
use allonym_io::{Columns, Format, Limits, Table, is_stream, real_path};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// The settings of a run, as in a `run.toml`. Only [`Settings::check`]ed ones run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    /// The file to read; `-` is standard input. Default `-`.
    pub input: PathBuf,
    /// The file to write; `-` is standard output. Default `-`.
    pub output: PathBuf,
    /// The format of both. Default: what the input's name says, lines on standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The column that holds the text. Default `text`.
    pub text_column: String,
    /// The column that names the record. Default `id`.
    pub id_column: String,
    /// The column that names the author, which stays behind. Default `author`.
    pub author_column: String,
    /// The column that holds a label. Default `label`.
    pub label_column: String,
    /// Columns that pass although they would stay behind: `author`. Default none.
    pub keep: Vec<String>,
    /// Columns that stay behind besides the author's. Default none.
    pub drop: Vec<String>,
    /// Whether a CSV or TSV file has no header; its columns are then named 1, 2, .. Default false.
    pub no_header: bool,
    /// What stands between two cells of a CSV file. Default a comma; in a TSV file a tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether the rows are written in random order. Default false.
    pub shuffle: bool,
    /// A file that tells the owner, for every token, the best candidates and what was drawn. It is private. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<PathBuf>,
    /// A seed for tests and papers. Releases made with one are not private. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// A ledger in which the price of the run is reserved before anything is drawn. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<PathBuf>,
    /// Worker threads; 0 is one a core. Default 0.
    pub threads: usize,
    /// Whether the output may replace the input. Default false.
    pub in_place: bool,
    /// The largest record in MiB. Default 256.
    pub max_record_mib: usize,
    /// The method and its settings. Default `fluent`.
    #[serde(flatten)]
    pub method: MethodSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            input: "-".into(),
            output: "-".into(),
            format: None,
            text_column: "text".into(),
            id_column: "id".into(),
            author_column: "author".into(),
            label_column: "label".into(),
            keep: Vec::new(),
            drop: Vec::new(),
            no_header: false,
            delimiter: None,
            shuffle: false,
            explain: None,
            seed: None,
            ledger: None,
            threads: 0,
            in_place: false,
            max_record_mib: 256,
            method: MethodSettings::default(),
        }
    }
}

/// Settings that were checked whole, with what they stand for.
#[derive(Debug)]
pub struct Checked {
    pub(crate) settings: Settings,
    pub(crate) format: Format,
    pub(crate) columns: Columns,
    pub(crate) table: Table,
    pub(crate) limits: Limits,
    pub(crate) method: Arc<dyn Method>,
}

impl Checked {
    /// The columns of the release: the text's is where it was, and nothing else is asked for.
    pub(crate) fn of_release(&self) -> Columns {
        Columns { text: self.columns.text.clone(), keep_author: true, ..Columns::default() }
    }

    /// The settings as they were given.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl Settings {
    /// Checks every setting before any work begins.
    ///
    /// # Errors
    /// When a setting is out of range, contradicts another, or would do harm.
    pub fn check(mut self) -> Result<Checked, Failure> {
        self.method = registry::complete(self.method)?;
        let method = registry::build(&self.method)?;
        self.check_with(method)
    }

    /// The same for a method that is not in the registry, of any crate; the settings of the registry's methods are ignored.
    ///
    /// # Errors
    /// When a setting is out of range, contradicts another, or would do harm.
    pub fn check_with(mut self, method: Arc<dyn Method>) -> Result<Checked, Failure> {
        if self.in_place && is_stream(&self.output) && !is_stream(&self.input) {
            self.output = self.input.clone();
        }
        let format = Format::settle(self.format, &self.input)?;
        if self.no_header && !matches!(format, Format::Csv | Format::Tsv) {
            let message = format!("`no-header` means nothing for {format}");
            return Err(Failure::new(message, "it is for csv and tsv; leave it out"));
        }
        let table = self.table(format)?;
        if matches!(format, Format::Lines | Format::Files) && !(self.drop.is_empty() && self.keep.is_empty()) {
            let message = format!("`{format}` has no columns to keep or drop");
            return Err(Failure::new(message, "leave out `--keep` and `--drop`"));
        }
        if matches!(format, Format::Lines | Format::Files) && self.text_column != Columns::default().text {
            let message = format!("`{format}` has no columns, so `text-column` means nothing");
            return Err(Failure::new(message, "leave it out, or name the format with `--format`"));
        }
        allonym_io::check_target(&self.input, &self.output, format, self.in_place)?;
        let mut columns = self.columns()?;
        self.check_ledger(format)?;
        self.check_explain()?;
        if self.explain.is_some() && !method.is_explainable() {
            let message = format!("`{}` does not draw among candidates, so there is nothing to explain", method.name());
            return Err(Failure::new(message, "leave out `--explain`"));
        }
        columns.withheld = method.withheld_columns();
        if !(1..=4095).contains(&self.max_record_mib) {
            let message = format!("`max-record-mib` is {}; it must be between 1 and 4095", self.max_record_mib);
            return Err(Failure::new(message, "the default is 256"));
        }
        if self.threads > 1024 {
            let message = format!("`threads` is {}; it must be at most 1024", self.threads);
            return Err(Failure::new(message, "0 is one a core, which is what most runs want"));
        }
        // A batch holds releases too: fewer records where each may be long.
        let batch_records = (400_000 / method.max_tokens().max(1)).clamp(1, Limits::default().batch_records);
        let limits = Limits { record_bytes: self.max_record_mib << 20, batch_records, ..Limits::default() };
        Ok(Checked { settings: self, format, columns, table, limits, method })
    }

    pub(crate) fn table(&self, format: Format) -> Result<Table, Failure> {
        let table = Table { header: !self.no_header, delimiter: None };
        let Some(delimiter) = self.delimiter else { return Ok(table) };
        if format != Format::Csv {
            let message = format!("`delimiter` means nothing for {format}");
            return Err(Failure::new(message, "it is for csv; leave it out"));
        }
        match u8::try_from(delimiter) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => {
                Ok(Table { delimiter: Some(byte), ..table })
            }
            _ => Err(Failure::new(
                format!("`delimiter` is `{}`", delimiter.escape_default()),
                "it must be an ASCII character, and neither a quote nor a line break",
            )),
        }
    }

    /// A ledger needs an input that can be read twice and records that it can know again.
    fn check_ledger(&self, format: Format) -> Result<(), Failure> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        if is_stream(ledger) {
            return Err(Failure::new(
                "a ledger cannot be a stream",
                "give a file; `allonym ledger create FILE` makes one",
            ));
        }
        if format == Format::Lines {
            return Err(Failure::refusal(
                "lines have no ids, and a ledger knows records by their ids",
                "use csv, tsv, jsonl or parquet with an id column, or a directory of files",
            ));
        }
        // A pipe given by name is one too.
        let is_file = std::fs::metadata(&self.input).is_ok_and(|metadata| metadata.is_file() || metadata.is_dir());
        if is_stream(&self.input) || (self.input.exists() && !is_file) {
            return Err(Failure::refusal(
                "with a ledger the input is read twice, which a stream cannot be",
                "save the input to a file first",
            ));
        }
        if self.seed.is_some() {
            return Err(Failure::refusal(
                "a seeded release is not private, so it has no price that could stand in a ledger",
                "leave out `--seed` or `--ledger`",
            ));
        }
        // SQLite's own files beside the ledger belong to it.
        let belongings = ["", "-journal", "-wal", "-shm"].map(|end| {
            let mut name = real_path(ledger).into_os_string();
            name.push(end);
            PathBuf::from(name)
        });
        let run_file = self.run_file();
        let files =
            [(Some(&self.input), "input"), (Some(&self.output), "output"), (run_file.as_ref(), "settings file")];
        for (file, what) in files.into_iter().filter_map(|(file, what)| Some((file?, what))) {
            if allonym_io::same_file(file, ledger) || belongings.contains(&real_path(file)) {
                let message = format!("the {what} is the ledger, or belongs to it");
                return Err(Failure::refusal(message, "give the ledger a file of its own"));
            }
        }
        Ok(())
    }

    /// The same settings for looking back at a release: nothing is reserved, and nothing is explained.
    pub(crate) fn again(&self) -> Self {
        Self { ledger: None, explain: None, ..self.clone() }
    }

    /// Where the settings are written beside the release: not inside, since `-o released/` is a directory.
    pub fn run_file(&self) -> Option<PathBuf> {
        let mut name = self.output.file_name().filter(|_| !is_stream(&self.output))?.to_owned();
        name.push(".run.toml");
        Some(self.output.with_file_name(name))
    }

    pub(crate) fn columns(&self) -> Result<Columns, Failure> {
        for (role, column) in [("id", &self.id_column), ("author", &self.author_column), ("label", &self.label_column)]
        {
            if *column == self.text_column {
                let message = format!("the text and the {role} are both in column `{column}`");
                return Err(Failure::new(message, format!("name them with `--text-column` and `--{role}-column`")));
            }
        }
        let mut keep_author = false;
        for column in &self.keep {
            if *column != "author" && *column != self.author_column {
                let message = format!("`keep` names `{column}`, which is not the author's column");
                return Err(Failure::new(
                    message,
                    "only the author's column (`--author-column`) stays behind: keep it with `--keep author`",
                ));
            }
            keep_author = true;
        }
        if keep_author && self.drop.contains(&self.author_column) {
            let message = format!("`keep` and `drop` both name `{}`", self.author_column);
            return Err(Failure::new(message, "leave out one of them"));
        }
        if self.drop.contains(&self.text_column) {
            let message = format!("`drop` names the text column `{}`", self.text_column);
            return Err(Failure::new(message, "the text is what is released: drop other columns"));
        }
        let default = Columns::default();
        let default_author = default.author.clone();
        let named =
            [(&self.id_column, default.id), (&self.author_column, default.author), (&self.label_column, default.label)];
        // A column that the user named must be there; one that is only a default may be missing.
        let mut required: Vec<String> =
            named.into_iter().filter(|(name, usual)| **name != *usual).map(|(n, _)| n.clone()).collect();
        if self.no_header && !keep_author && self.author_column == default_author {
            return Err(Failure::refusal(
                "the columns have no names, so none is known for the author's",
                "say which it is with `--author-column N`, or that none is with `--keep author`",
            ));
        }
        if keep_author && !self.no_header {
            required.push(self.author_column.clone());
        }
        Ok(Columns {
            text: self.text_column.clone(),
            id: self.id_column.clone(),
            author: self.author_column.clone(),
            label: self.label_column.clone(),
            required,
            keep_author,
            drop: self.drop.clone(),
            withheld: Vec::new(),
            keys: self.ledger.is_some(),
            values: Vec::new(),
        })
    }

    /// What is explained is private, so it is written into a file of its own.
    fn check_explain(&self) -> Result<(), Failure> {
        let Some(explain) = &self.explain else { return Ok(()) };
        let run_file = self.run_file();
        let others = [Some(&self.input), Some(&self.output), self.ledger.as_ref(), run_file.as_ref()];
        let (place, beside) = (real_path(explain), self.method.paths());
        // Also inside of them: a directory of releases is published whole, and a directory of originals read whole.
        let same = |other: &PathBuf| allonym_io::same_file(other, explain) || place.starts_with(real_path(other));
        if is_stream(explain) || others.into_iter().flatten().chain(&beside).filter(|path| !is_stream(path)).any(same) {
            return Err(Failure::refusal(
                "the explanation tells the original texts, so it needs a file of its own",
                "give a file that no other setting names, and keep it with the originals",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_pass_the_check() {
        assert!(Settings::default().check().is_ok());
    }

    #[test]
    fn unknown_keys_are_refused() {
        let settings = toml::from_str::<Settings>("mecanism = \"random\"").unwrap();
        assert!(settings.check().unwrap_err().message.contains("mecanism"));
    }

    #[test]
    fn settings_survive_a_file() {
        let settings = Settings { seed: Some(7), drop: vec!["date".into()], ..Settings::default() };
        let file = toml::to_string(&settings).unwrap();
        let again: Settings = toml::from_str(&file).unwrap();
        assert_eq!(toml::to_string(&again).unwrap(), file);
    }

    #[test]
    fn settings_that_cannot_be_are_refused_before_work_begins() {
        let default = Settings::default;
        let method = |name: &str| Settings { method: MethodSettings::named(name), ..default() };
        let with = |name: &str, setting: &str, value: toml::Value| Settings {
            method: MethodSettings::named(name).with(setting, value),
            ..default()
        };
        let bad = [
            with("fluent", "max-tokens", 0.into()),
            method("magic"),
            with("fluent", "vocabulary-size", 1.into()),
            with("random", "vocabulary-size", 1.into()),
            with("random", "vocabulary-size", 1_000_000.into()),
            Settings { keep: vec!["date".into()], format: Some(Format::Csv), ..default() },
            Settings { drop: vec!["text".into()], format: Some(Format::Csv), ..default() },
            Settings { drop: vec!["date".into()], ..default() },
            Settings { no_header: true, ..default() },
            Settings { author_column: "text".into(), format: Some(Format::Csv), ..default() },
            Settings { max_record_mib: 0, ..default() },
            Settings { threads: 100_000, ..default() },
            with("fluent", "length-buckets", 5.into()),
            method("subset"),
            with("random", "epsilon", 1.0.into()),
            with("random", "total", 1.0.into()),
            Settings { method: MethodSettings::named("subset").with("epsilon", 1.0).with("total", 50.0), ..default() },
            with("fluent", "embeddings", "vectors.txt".into()),
            with("fluent", "delta", 1.0.into()),
            Settings { input: "what.xyz".into(), ..default() },
        ];
        for settings in bad {
            let shown = format!("{settings:?}");
            let failure = settings.check().map(|_| ()).expect_err(&shown);
            assert!(!failure.hint.is_empty());
        }
    }
}
