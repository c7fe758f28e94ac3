//! What the training of every model is told, and does with it before the first step.

use super::directory::{begin, check_out};
use super::parts::{Parts, Shares};
use crate::corpus::{Corpus, Wanted};
use crate::evaluation::load::Reading;
use crate::failure::Failure;
use crate::resumable::account_for_run;
use crate::spending::{Accounting, Spending, check_ledger};
use allonym_dp::PrivacyRng;
use allonym_io::{Format, Table};
use allonym_ledger::Cost;
use allonym_nn::optimiser::PrivateSettings;
use allonym_nn::training::{Data, Decay, Examples, Schedule, Standing, TrainingSettings, protection};
use allonym_nn::{Card, Protection};
use allonym_text::vocabulary::Origin;
use allonym_text::{Cost as Announced, Event, Observer, Private, Vocabulary, Warning, WarningCode};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What stands on a card for private texts.
pub(crate) const WITHHELD: &str = "withheld: a hash would let others check a guess";

/// How many threads: as many as were asked for, or one a core.
pub(crate) fn threads_or_cores(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// At most so many examples are looked at to choose the best state, and as many to say how good it is.
const LOOKED_AT: usize = 2000;

/// Settings that all models have.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Basis {
    /// The file with the texts.
    pub data: PathBuf,
    /// The directory to write.
    pub out: PathBuf,
    /// Whether the texts may be shown to anybody. Default false.
    pub public: bool,
    /// The format of the file, where its name does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Whether a CSV or TSV file has no header; its columns are then named 1, 2, .. Default false.
    pub no_header: bool,
    /// What stands between two cells of a CSV file. Default a comma.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The column that holds the text. Default `text`.
    pub text_column: String,
    /// The column that names the author, for the split. Default `author`.
    pub author_column: String,
    /// A public vocabulary file. Default: the English list of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<PathBuf>,
    /// How many of its words. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary_size: Option<usize>,
    /// The most tokens that are encoded together. Default 50.
    pub max_tokens: usize,
    /// Texts in a step. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The learning rate. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Private training: noise, clip, delta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<PrivateSettings>,
    /// Threads; 0 is one a core. Default 0.
    pub threads: usize,
    /// The seed of the split and, in plain training, of everything else. Default 1.
    pub seed: u64,
    /// A ledger in which the loss of every record is reserved before the first step. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<PathBuf>,
    /// The column that names the record, for the ledger. Default `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_column: Option<String>,
    /// Whether to go on with what is in the directory. Default false.
    pub resume: bool,
}

impl Default for Basis {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            out: PathBuf::new(),
            public: false,
            format: None,
            no_header: false,
            delimiter: None,
            text_column: "text".into(),
            author_column: "author".into(),
            vocabulary: None,
            vocabulary_size: None,
            max_tokens: 50,
            batch: None,
            rate: None,
            private: None,
            threads: 0,
            seed: 1,
            ledger: None,
            id_column: None,
            resume: false,
        }
    }
}

/// How long a stage is: as asked for, or else as many passes as are usual.
pub(super) struct Duration {
    pub(super) epochs: Option<u64>,
    pub(super) steps: Option<u64>,
    pub(super) usual: u64,
}

/// A text as ids, the last of which is the end.
pub(super) type Text = Vec<u32>;

/// Examples, private unless their owner declared them public.
pub(super) enum Kept<Example> {
    Public(Vec<Example>),
    Private(Private<Vec<Example>>),
}

impl<Example> Kept<Example> {
    fn new(examples: Private<Vec<Example>>, public: bool) -> Self {
        match public {
            true => Self::Public(examples.declassify("training: the owner declared the texts public")),
            false => Self::Private(examples),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Public(examples) => examples.len(),
            Self::Private(examples) => examples.count(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For the training loop.
    fn examples(&self) -> Examples<'_, Example> {
        match self {
            Self::Public(examples) => Examples::Public(examples),
            Self::Private(examples) => Examples::Private(examples.as_ref().map(Vec::as_slice)),
        }
    }

    /// For exact figures of training without noise, in a report that is the owner's.
    pub(super) fn for_owner(&self) -> &[Example] {
        match self {
            Self::Public(examples) => examples,
            Self::Private(examples) => {
                examples.as_ref().declassify("training without noise: exact figures in a report for the owner")
            }
        }
    }
}

/// The texts of a file as examples.
pub(super) struct Prepared<Example = Text> {
    pub(super) training: Kept<Example>,
    pub(super) validation: Kept<Example>,
    pub(super) test: Kept<Example>,
    /// Records trained on, chosen by, and left for tests.
    pub(super) records: [usize; 3],
    fingerprint: String,
    /// For the owner's directory alone.
    pub(super) hash: Option<String>,
}

impl<Example> Prepared<Example> {
    /// Examples to train on, to choose by and to test with. At most some of the latter two are looked at.
    pub(super) fn new(
        basis: &Basis,
        [training, validation, test]: [Private<Vec<Example>>; 3],
        records: [usize; 3],
        hash: Option<String>,
    ) -> Result<Self, Failure> {
        let some = |examples: Private<Vec<Example>>| {
            let some = examples.map(|mut examples| {
                PrivacyRng::reproducible(basis.seed).shuffle(&mut examples);
                examples.truncate(LOOKED_AT);
                examples
            });
            Kept::new(some, basis.public)
        };
        if training.count() == 0 {
            return Err(Failure::new("there is nothing to train on", "give a file with at least a few texts"));
        }
        Ok(Self {
            training: Kept::new(training, basis.public),
            validation: some(validation),
            test: some(test),
            records,
            // A plain hash of private texts would let others check a guess.
            fingerprint: match (basis.public, &hash) {
                (true, Some(hash)) => format!("sha256:{hash}"),
                _ => WITHHELD.to_owned(),
            },
            hash,
        })
    }

    pub(super) fn data<'a>(&'a self, examples: &'a Kept<Example>) -> Data<'a, Example> {
        Data { examples: examples.examples(), fingerprint: &self.fingerprint }
    }

    /// What chooses the best state; nothing does in private training, which has no such part.
    pub(super) fn validation(&self) -> Option<Data<'_, Example>> {
        (!self.validation.is_empty()).then(|| self.data(&self.validation))
    }
}

/// There is no preset of this name.
pub(super) fn no_preset<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let names: Vec<&str> = known.collect();
    Failure::new(format!("there is no preset `{name}`"), format!("take one of {}", names.join(", ")))
}

impl Basis {
    /// Refuses what contradicts itself, and a directory that is somebody else's.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.public && self.private.is_some() {
            let message = "the texts are declared public, and noise is asked for to protect them";
            return Err(Failure::new(message, "leave out `--public` or `--private`"));
        }
        if let Some(ledger) = &self.ledger {
            if self.public {
                let message = "the texts are declared public, so there is nothing that a ledger could account for";
                return Err(Failure::new(message, "leave out `--public` or `--ledger`"));
            }
            let format = Format::settle(self.format, &self.data)?;
            check_ledger(ledger, format, false, &[(self.data.as_path(), "input"), (self.out.as_path(), "output")])?;
        }
        if let Some(why) = self.private.as_ref().and_then(PrivateSettings::unprotected) {
            return Err(Failure::refusal(
                format!("`private` would protect nobody: {why}"),
                "give noise above 0 and a finite clip, or leave `--private` out",
            ));
        }
        check_out(&self.out, self.resume)
    }

    /// The first words of a public file, or of the list of the program; as many as were asked for, or are usual.
    pub(super) fn words(&self, usual: usize) -> Result<Vocabulary, Failure> {
        let all = match &self.vocabulary {
            None => Vocabulary::english(Vocabulary::english_size())?,
            Some(path) => {
                let file = std::fs::read_to_string(path).map_err(|e| Failure::reading("the vocabulary", path, &e))?;
                Vocabulary::parse(&file)?
            }
        };
        if all.origin() == Origin::Private {
            return Err(Failure::refusal(
                "the vocabulary was counted from private texts, and every release of the model would show its words",
                "use a public one",
            ));
        }
        let size = self.vocabulary_size.unwrap_or(usual.min(all.words()));
        Ok(all.truncated(size)?)
    }

    /// How a stage is trained on so many examples.
    pub(super) fn stage(&self, (batch, rate): (usize, f64), duration: &Duration, examples: usize) -> TrainingSettings {
        let batch = self.batch.unwrap_or(batch);
        let per_epoch = examples.div_ceil(batch.max(1)).max(1) as u64;
        TrainingSettings {
            rate: self.rate.unwrap_or(rate),
            epochs: if duration.steps.is_some() { None } else { Some(duration.epochs.unwrap_or(duration.usual)) },
            steps: duration.steps,
            batch,
            threads: threads_or_cores(self.threads),
            // Noise from a seed that stands in a file protects nobody.
            seed: if self.private.is_some() { None } else { Some(self.seed) },
            checkpoint_every: (per_epoch / 4).clamp(50, 1000),
            evaluate_every: (per_epoch / 2).clamp(50, 1000),
            schedule: Schedule { decay: Decay::Cosine, ..Schedule::default() },
            private: self.private,
            ..TrainingSettings::default()
        }
    }

    /// Reads the texts and splits them; `examples` makes what is learned from of one text. Private training must get one example of each.
    pub(super) fn prepare(&self, shares: Shares, examples: impl Fn(&str) -> Vec<Text>) -> Result<Prepared, Failure> {
        // No record is looked up by its label here.
        let reading = self.reading("label");
        // A column that was named must be there.
        let named: Vec<String> = Some(self.author_column.clone())
            .filter(|name| *name != Self::default().author_column)
            .into_iter()
            .collect();
        let values = [self.author_column.clone()];
        let corpus = Corpus::read(&self.data, &reading, &Wanted { values: &values, named: &named, keys: false })?;
        let parts = match self.private {
            None => {
                let author = |author: &Private<Option<String>>| {
                    author
                        .clone()
                        .declassify("training without noise: authors decide who is in which part of the split")
                };
                let authors: Option<Vec<_>> =
                    corpus.column(&self.author_column).map(|authors| authors.iter().map(author).collect());
                Parts::by_shares(corpus.len(), authors.as_deref(), shares, self.seed)
            }
            Some(_) => Parts::whole(corpus.len()),
        };
        let of = |records: &[usize]| -> Private<Vec<Text>> {
            let of_record = |record: &usize| corpus.texts[*record].as_ref().map(|text| examples(text));
            Private::together(records.iter().map(of_record)).map(|examples| examples.into_iter().flatten().collect())
        };
        let examples = [of(&parts.training), of(&parts.validation), of(&parts.test)];
        let records = [parts.training.len(), parts.validation.len(), parts.test.len()];
        Prepared::new(self, examples, records, corpus.hash)
    }

    /// How the file is read.
    pub(super) fn reading(&self, label_column: &str) -> Reading {
        Reading {
            format: self.format,
            table: Table {
                header: !self.no_header,
                delimiter: self.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()),
            },
            text_column: self.text_column.clone(),
            // Without a ledger no record is looked up by its id.
            id_column: match &self.ledger {
                None => self.author_column.clone(),
                Some(_) => self.id_column.clone().unwrap_or_else(|| "id".into()),
            },
            author_column: self.author_column.clone(),
            label_column: label_column.to_owned(),
        }
    }

    /// Says what private training will cost, before it begins, and returns what each record spends: the epsilon of an exchanged
    /// record, which is the larger one, or no bound where there is no noise. The steps are those of all stages.
    pub(super) fn report_cost(
        &self,
        plans: &[TrainingSettings],
        examples: usize,
        observer: &dyn Observer,
    ) -> Result<Cost, Failure> {
        let Some(private) = &self.private else { return Ok(Cost::Unbounded) };
        let (mut steps, mut sampling) = (0, None);
        for plan in plans {
            let plan = plan.plan(examples)?;
            (steps, sampling) = (steps + plan.steps, plan.sampling);
        }
        let Some(sampling) = sampling else { return Ok(Cost::Unbounded) };
        let Protection::Differential(promise) = protection(Standing::Private, Some((private, sampling)), steps, false)?
        else {
            return Ok(Cost::Unbounded);
        };
        observer.event(&Event::Cost(&Announced {
            epsilon: Some(promise.epsilon_replace_one),
            delta: promise.delta,
            unit: "record",
            explanation: format!(
                "after all {steps} steps: epsilon {:.3} (one added or removed), {:.3} (one replaced), delta {:e}; rate {:.6} (texts per step over records)",
                promise.epsilon_add_remove, promise.epsilon_replace_one, promise.delta, promise.rate
            ),
        }));
        Ok(Cost::Bounded { epsilon: promise.epsilon_replace_one, delta: promise.delta })
    }

    /// Takes possession of the directory, and reserves the loss of every record where there is a ledger.
    pub(super) fn begin(
        &self,
        kind: &str,
        cost: Cost,
        settings: &impl Serialize,
        hash: Option<&String>,
        observer: &dyn Observer,
    ) -> Result<(std::fs::File, Accounting), Failure> {
        let spending = Spending { method: format!("train {kind}"), cost };
        let (mut keys, mut format) = (Vec::new(), Format::Csv);
        if self.ledger.is_some() {
            let wanted = Wanted { values: &[], named: &[], keys: true };
            let corpus = Corpus::read(&self.data, &self.reading("label"), &wanted)?;
            if corpus.hash.as_ref() != hash {
                let message = "the texts changed while they were read";
                return Err(Failure::refusal(message, "let nothing write to the file during a run"));
            }
            (keys, format) = (corpus.keys, corpus.format);
        }
        let take = || begin(&self.out, settings, hash, self.resume);
        let directory = (self.out.as_path(), self.resume);
        let (lock, accounting) = account_for_run(self.ledger.as_deref(), &spending, (&keys, format), directory, take)?;
        if let Some(reserved) = accounting.reserved() {
            let explanation = format!("reserved (that of a replaced record, the larger one): {reserved}");
            let (epsilon, delta) = match cost {
                Cost::Bounded { epsilon, delta } => (Some(epsilon), delta),
                Cost::Unbounded => (None, 1.0),
            };
            observer.event(&Event::Cost(&Announced { epsilon, delta, unit: "record", explanation }));
            for message in reserved.warnings() {
                observer.event(&Event::Warning(&Warning { code: WarningCode::Ledger, message }));
            }
        }
        Ok((lock, accounting))
    }

    /// What an example of private training is, in words of the file.
    pub(super) fn in_words(&self, mut card: Card) -> Card {
        if let Protection::Differential(promise) = &mut card.guarantee {
            promise.unit = format!("one record of the training file (its first {} tokens)", self.max_tokens);
        }
        card
    }
}
