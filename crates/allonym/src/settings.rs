//! A run as data: every setting of `allonym anonymize`, its default, and its check.

use crate::failure::Failure;
use crate::method::{Form, Method, OTHERS};
use crate::model::OpenModel;
use crate::source::Source;
use allonym_dp::compose::plan;
use allonym_dp::mechanism::{self, Mechanism, Parameters, Reads};
use allonym_dp::{Length, Terms};
use allonym_io::{Columns, Format, Limits, Table, is_stream, real_path};
use allonym_text::Vocabulary;
use allonym_text::vocabulary::Origin;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// The loss of a token where none is given: about half of the meaning is kept, and most names are not.
const USUAL_LOSS: f64 = 8.0;

/// The settings of a run, as in a `run.toml`. Only [`Settings::check`]ed ones run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
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
    /// The mechanism, by its name in the catalogue. Default `fluent`, and with it a loss of 8 a token where none is given.
    pub mechanism: String,
    /// What becomes of the length of a text. Default `fixed`.
    pub length: Length,
    /// With length `private`: how many public lengths there are. Default 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_buckets: Option<u32>,
    /// With length `private`: the loss of choosing one of them. Default 4.4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_epsilon: Option<f64>,
    /// The most tokens of a record that are drawn. Default 50, as in the papers.
    pub max_tokens: usize,
    /// The mechanism's own parameter, as its paper defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// The true loss of a token, instead of `epsilon`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_per_token: Option<f64>,
    /// The total loss that a record may cost, instead of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// The probability with which the total may be larger. Default 0, pure composition.
    pub delta: f64,
    /// `two-set`: draws that form the candidate set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<usize>,
    /// `subset` and `band`: how many tokens count as good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good: Option<usize>,
    /// `clipped-logit`, `floored` and `metric`: where scores are clipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// `fluent`: the part of what is expected that is the same for every token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniform: Option<f64>,
    /// `fluent`: how many times e^-epsilon of what is expected may be preferred at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<f64>,
    /// A model's directory, which proposes the tokens. Default: the text's own words are proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<PathBuf>,
    /// A file of word vectors: words that are near the original are proposed. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<PathBuf>,
    /// In which form the texts are released. Default `text`.
    pub form: Form,
    /// Whether a model may be used that was trained on private texts without protection. Default false.
    pub allow_private_model: bool,
    /// A file that tells the owner, for every token, the best candidates and what was drawn. It is private. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<PathBuf>,
    /// A vocabulary file. Default: the model's, or the English list that comes with the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<PathBuf>,
    /// How many of the most frequent words are used. Default: all of the list (20,000, as in the papers).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary_size: Option<usize>,
    /// Whether a vocabulary that was counted from private texts may be used. Its contents leak. Default false.
    pub allow_private_vocabulary: bool,
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
            mechanism: "fluent".into(),
            length: Length::Fixed,
            length_buckets: None,
            length_epsilon: None,
            max_tokens: 50,
            epsilon: None,
            epsilon_per_token: None,
            total: None,
            delta: 0.0,
            candidates: None,
            good: None,
            clip: None,
            uniform: None,
            room: None,
            model: None,
            embeddings: None,
            form: Form::Text,
            allow_private_model: false,
            explain: None,
            vocabulary: None,
            vocabulary_size: None,
            allow_private_vocabulary: false,
            seed: None,
            ledger: None,
            threads: 0,
            in_place: false,
            max_record_mib: 256,
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
    pub(crate) terms: Terms,
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) method: Method,
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
        if self.in_place && is_stream(&self.output) && !is_stream(&self.input) {
            self.output = self.input.clone();
        }
        let none_given = self.epsilon.is_none() && self.epsilon_per_token.is_none() && self.total.is_none();
        if self.mechanism == Self::default().mechanism && none_given {
            self.epsilon_per_token = Some(USUAL_LOSS);
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
        if self.length != Length::Private && (self.length_buckets.is_some() || self.length_epsilon.is_some()) {
            let message = format!("`length-buckets` and `length-epsilon` mean nothing for length `{}`", self.length);
            return Err(Failure::new(message, "they are for `--length private`; leave them out"));
        }
        let usual = Terms::default();
        let terms = Terms {
            max_tokens: self.max_tokens,
            length: self.length,
            buckets: self.length_buckets.unwrap_or(usual.buckets),
            length_epsilon: self.length_epsilon.unwrap_or(usual.length_epsilon),
            delta: self.delta,
        }
        .check()?;
        self.check_explain()?;
        let (vocabulary, method) = self.method(&terms)?;
        columns.withheld = method.hides();
        if !(1..=4095).contains(&self.max_record_mib) {
            let message = format!("`max-record-mib` is {}; it must be between 1 and 4095", self.max_record_mib);
            return Err(Failure::new(message, "the default is 256"));
        }
        if self.threads > 1024 {
            let message = format!("`threads` is {}; it must be at most 1024", self.threads);
            return Err(Failure::new(message, "0 is one a core, which is what most runs want"));
        }
        // A batch holds releases too: fewer records where each may be long.
        let batch_records = (400_000 / self.max_tokens).clamp(1, Limits::default().batch_records);
        let limits = Limits { record_bytes: self.max_record_mib << 20, batch_records, ..Limits::default() };
        Ok(Checked { settings: self, format, columns, table, limits, terms, vocabulary, method })
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

    fn build_mechanism(&self, terms: &Terms, outcomes: u32) -> Result<Box<dyn Mechanism>, Failure> {
        let entry = mechanism::entry(&self.mechanism)?;
        let parameters = Parameters {
            epsilon: self.epsilon,
            epsilon_per_token: self.epsilon_per_token,
            candidates: self.candidates,
            good: self.good,
            clip: self.clip,
            uniform: self.uniform,
            room: self.room,
        };
        let Some(total) = self.total else { return Ok(entry.build(&parameters, outcomes)?) };
        if self.epsilon.is_some() || self.epsilon_per_token.is_some() {
            let message = "`total` and an epsilon of the mechanism were given";
            return Err(Failure::new(message, "a total decides the epsilon: give one of them"));
        }
        if entry.parameters.is_empty() {
            let message = format!("`{}` costs nothing, so a total means nothing for it", entry.name);
            return Err(Failure::new(message, "leave out `--total`"));
        }
        if total.is_nan() || total <= 0.0 {
            let message = format!("a total of {total} pays for nothing");
            return Err(Failure::new(
                message,
                "give a positive number: `allonym budget --total E` shows what it pays for",
            ));
        }
        // A private length is paid from the same total.
        let for_tokens = total - terms.length_loss()?;
        if for_tokens <= 0.0 {
            let message = format!("a total of {total} does not even pay for the private length");
            return Err(Failure::new(
                message,
                "raise the total, lower `--length-epsilon`, or hide the length for nothing with `--length fixed`",
            ));
        }
        Ok(plan(entry, &parameters, outcomes, self.max_tokens as u64, for_tokens, self.delta)?)
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
        let others =
            [Some(&self.input), Some(&self.output), self.ledger.as_ref(), self.model.as_ref(), run_file.as_ref()];
        let (place, beside) = (real_path(explain), [self.vocabulary.as_ref(), self.embeddings.as_ref()]);
        // Also inside of them: a directory of releases is published whole, and a directory of originals read whole.
        let same = |other: &PathBuf| allonym_io::same_file(other, explain) || place.starts_with(real_path(other));
        if is_stream(explain) || others.into_iter().chain(beside).flatten().filter(|path| !is_stream(path)).any(same) {
            return Err(Failure::refusal(
                "the explanation tells the original texts, so it needs a file of its own",
                "give a file that no other setting names, and keep it with the originals",
            ));
        }
        Ok(())
    }

    /// The vocabulary and the method that the settings name.
    fn method(&self, terms: &Terms) -> Result<(Arc<Vocabulary>, Method), Failure> {
        let model = self.load_model()?;
        let vocabulary = match &model {
            Some(model) => model.vocabulary(),
            None => Arc::new(self.load_vocabulary()?),
        };
        if self.explain.is_some() && OTHERS.iter().any(|(name, _)| *name == self.mechanism) {
            let message =
                format!("`{}` does not draw among candidates, so there is nothing to explain", self.mechanism);
            return Err(Failure::new(message, "leave out `--explain`"));
        }
        let method = match self.mechanism.as_str() {
            "metric-noise" | "metric-mahalanobis" => Method::words(self, &vocabulary, model, terms)?,
            "latent-laplace" | "latent-gaussian" => Method::latent(self, model, terms)?,
            "agent" => Method::agent(self, model, terms)?,
            _ => {
                let mechanism = self.build_mechanism(terms, self.length.outcomes(vocabulary.words()))?;
                if mechanism.reads() == Reads::Nothing && (self.model.is_some() || self.embeddings.is_some()) {
                    let message = format!(
                        "`{}` looks at no proposal, so a model or word vectors mean nothing for it",
                        self.mechanism
                    );
                    return Err(Failure::new(
                        message,
                        "name a mechanism that does: `--mechanism subset --epsilon-per-token 9`",
                    ));
                }
                let source = Source::of(self, &vocabulary, model, mechanism.reads())?;
                if mechanism.as_fluent().is_some() && !matches!(source, Source::Fluent(..)) {
                    let message = "`fluent` needs a model of what is expected";
                    return Err(Failure::new(
                        message,
                        "leave out `--model` for the one that comes with the program, or name a mechanism for it: `--mechanism subset --epsilon-per-token 9`",
                    ));
                }
                Method::Tokens { mechanism, source }
            }
        };
        Ok((vocabulary, method))
    }

    fn load_model(&self) -> Result<Option<OpenModel>, Failure> {
        if self.model.is_none() && self.allow_private_model {
            let message = "`allow-private-model` means nothing without a model";
            return Err(Failure::new(message, "leave it out, or name a model with `--model`"));
        }
        if self.model.is_none() && self.mechanism != Self::default().mechanism {
            return Ok(None);
        }
        if self.vocabulary.is_some() || self.vocabulary_size.is_some() {
            let message = "a model has a vocabulary of its own";
            let hint = match &self.model {
                Some(_) => "leave out `--vocabulary` and `--vocabulary-size`",
                None => "leave them out, or name a mechanism that needs no model: `--mechanism subset`",
            };
            return Err(Failure::new(message, hint));
        }
        if self.embeddings.is_some() {
            let message = "a model has word vectors of its own";
            let hint = match &self.model {
                Some(_) => "leave out `--embeddings` or `--model`",
                None => "leave them out, or name a mechanism for word vectors: `--mechanism subset`",
            };
            return Err(Failure::new(message, hint));
        }
        let Some(directory) = &self.model else { return Ok(Some(OpenModel::bundled()?)) };
        let opened = OpenModel::open(directory, self.allow_private_model)?;
        if opened.vocabulary().origin() == Origin::Private && !self.allow_private_vocabulary {
            return Err(Failure::refusal(
                format!(
                    "the vocabulary of the model {} was counted from private texts, and its words leak",
                    directory.display()
                ),
                "use another model, or accept the leak with `--allow-private-vocabulary`",
            ));
        }
        Ok(Some(opened))
    }

    fn load_vocabulary(&self) -> Result<Vocabulary, Failure> {
        let Some(path) = &self.vocabulary else {
            return Ok(Vocabulary::english(self.vocabulary_size.unwrap_or_else(Vocabulary::english_size))?);
        };
        if is_stream(path) {
            return Err(Failure::new("a vocabulary cannot be read from standard input", "give a file"));
        }
        let file = std::fs::read_to_string(path).map_err(|error| Failure::reading("the vocabulary", path, &error))?;
        let vocabulary = Vocabulary::parse(&file)?;
        if vocabulary.origin() == Origin::Private && !self.allow_private_vocabulary {
            return Err(Failure::refusal(
                format!("the vocabulary {} was counted from private texts, and its words leak", path.display()),
                "use a public one, or accept the leak with `--allow-private-vocabulary`",
            ));
        }
        match self.vocabulary_size {
            Some(size) => Ok(vocabulary.truncated(size)?),
            None => Ok(vocabulary),
        }
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
        let error = toml::from_str::<Settings>("mecanism = \"random\"").unwrap_err();
        assert!(error.to_string().contains("mecanism"));
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
        let bad = [
            Settings { max_tokens: 0, ..default() },
            Settings { mechanism: "magic".into(), ..default() },
            Settings { vocabulary_size: Some(1), ..default() },
            Settings { vocabulary_size: Some(1_000_000), ..default() },
            Settings { keep: vec!["date".into()], format: Some(Format::Csv), ..default() },
            Settings { drop: vec!["text".into()], format: Some(Format::Csv), ..default() },
            Settings { drop: vec!["date".into()], ..default() },
            Settings { no_header: true, ..default() },
            Settings { author_column: "text".into(), format: Some(Format::Csv), ..default() },
            Settings { max_record_mib: 0, ..default() },
            Settings { threads: 100_000, ..default() },
            Settings { length_buckets: Some(5), ..default() },
            Settings { mechanism: "subset".into(), ..default() },
            Settings { mechanism: "random".into(), epsilon: Some(1.0), ..default() },
            Settings { mechanism: "random".into(), total: Some(1.0), ..default() },
            Settings { epsilon: Some(1.0), total: Some(50.0), ..default() },
            Settings { embeddings: Some("vectors.txt".into()), ..default() },
            Settings { delta: 1.0, ..default() },
            Settings { input: "what.xyz".into(), ..default() },
        ];
        for settings in bad {
            let shown = format!("{settings:?}");
            let failure = settings.check().map(|_| ()).expect_err(&shown);
            assert!(!failure.hint.is_empty());
        }
    }
}
