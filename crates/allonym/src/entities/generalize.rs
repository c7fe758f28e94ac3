//! Replaces the names of a file's texts by what many share.
//!
//! Two passes: names are found and counted, then replaced. Texts are found again in the second pass rather than kept, so that memory holds names alone.

use super::mode::{Cut, Mode, Named};
use super::names::{Finder, bundled_ladders, read_hierarchy};
use super::statement;
use crate::failure::Failure;
use crate::run::{RELEASING, RESERVING, report};
use crate::settings::Settings;
use crate::spending::{Accounting, Request, Reserved, Spending, check_ledger, new_key};
use allonym_dp::{Entropy, ExitText, Guarantee, PrivacyRng, Rewriter, rewrite};
use allonym_entities::Kind;
use allonym_entities::generalise::{Elsewhere, Ladders, Mention, NOTHING, STAR, mentions, rewritten, shared};
use allonym_io::{Batch, Columns, Format, Key, Limits, Reader, Table, check_target, is_stream};
use allonym_ledger::Cost;
use allonym_text::{CancelToken, Observer, Private};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct GeneralizeSettings {
    /// Input, output and columns, as `anonymize` has them.
    pub files: Settings,
    /// How it is decided what is said.
    pub mode: Mode,
    /// How many records must share a form.
    pub k: u32,
    /// `private`: what the counts may cost.
    pub epsilon: f64,
    /// `private`: with which chance a name of one record may be named all the same.
    pub delta: f64,
    /// `private`: for how many names a record counts.
    pub names_each: u32,
    /// `public`: places with fewer people are not said.
    pub least_people: u64,
    /// `public`: whether people keep their initials.
    pub initials: bool,
    /// The user's hierarchy of places, instead of the program's.
    pub places: Option<PathBuf>,
    /// The user's hierarchy of organisations.
    pub organisations: Option<PathBuf>,
    /// A trained tagger, instead of the program's.
    pub tagger: Option<PathBuf>,
    /// What another tool has found, instead of a tagger.
    pub entities: Option<PathBuf>,
    /// Above 0, more is taken for a name.
    pub eagerness: f32,
    /// Whether names of one record are looked for in all.
    pub across: bool,
}

impl Default for GeneralizeSettings {
    fn default() -> Self {
        Self {
            files: Settings::default(),
            mode: Mode::default(),
            k: 5,
            epsilon: 0.0,
            delta: 0.0,
            names_each: 4,
            least_people: 100_000,
            initials: false,
            places: None,
            organisations: None,
            tagger: None,
            entities: None,
            eagerness: 1.0,
            across: false,
        }
    }
}

/// What was done.
#[derive(Clone, Debug, Serialize)]
pub struct Generalized {
    /// What is protected and what is not.
    pub guarantee: Guarantee,
    /// Records read.
    pub records: u64,
    /// Mentions of each kind.
    pub found: BTreeMap<&'static str, u64>,
    /// Forms that are said, and in how many records: exact counts, for the owner alone.
    pub shared: Vec<(String, usize)>,
    /// Records in which a star is said.
    pub starred: usize,
    /// Records in which nothing is said for a name.
    pub removed: usize,
    /// Columns that pass untouched.
    pub carried: Vec<String>,
    /// What the ledger has of the run, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Reserved>,
    /// What the owner should know.
    pub warnings: Vec<String>,
}

/// A run on its way.
struct Run<'a> {
    settings: &'a GeneralizeSettings,
    finder: Finder,
    ladders: Ladders,
    format: Format,
    table: Table,
    columns: Columns,
    elsewhere: Option<Elsewhere>,
    seen: Seen,
}

/// Digests of the texts that were counted: what is written must be the same texts.
#[derive(Default)]
struct Seen {
    hasher: RandomState,
    batches: Vec<Private<u64>>,
}

impl Seen {
    fn digest(&self, batch: &Batch) -> Private<u64> {
        let texts = Private::together(batch.texts.iter().map(Private::as_ref));
        let keys = Private::together(batch.keys.iter().map(Private::as_ref));
        texts.with(keys).map(|both| self.hasher.hash_one(both))
    }

    /// Whether a batch is what was counted in its place.
    fn again(&self, place: usize, batch: &Batch) -> bool {
        let same = |known: &Private<u64>| {
            let both = known.as_ref().with(self.digest(batch));
            both.map(|(known, now)| *known == now)
                .declassify("generalize: whether the input changed between two passes")
        };
        self.batches.get(place).is_some_and(same)
    }
}

/// A text that has a name where the other tool's line does not fit.
const DOES_NOT_FIT: &str = "the file of entities does not fit";

/// Replaces the names of a file.
///
/// # Errors
/// When a setting is out of range, a record cannot be read, or the output cannot be written; then nothing appears under the output's name.
pub fn generalize(
    settings: &GeneralizeSettings,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Generalized, Failure> {
    let mut run = Run::new(settings)?;
    if settings.across {
        run.elsewhere = Some(run.names_of_all(observer, cancel)?);
    }
    let (mut found, mut ladders_of, mut keys, mut records) = (BTreeMap::new(), Vec::new(), Vec::new(), 0);
    let mut reader = run.open()?;
    let progress = reader.progress();
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        for mentions in run.mentions(&batch)? {
            records += 1;
            let counted = mentions.as_ref().map(|mentions| mentions.iter().map(|m| m.kind).collect::<Vec<Kind>>());
            for kind in counted.declassify("generalize: how many names there are, told to their owner") {
                *found.entry(kind.name()).or_default() += 1;
            }
            ladders_of.push(mentions.map(|mentions| run.ladders_of(&mentions)));
        }
        let digest = run.seen.digest(&batch);
        run.seen.batches.push(digest);
        keys.extend(batch.keys);
        report(observer, RESERVING, &progress, records);
    }
    run.check_records(records)?;
    let entropy = Entropy::of_seed(settings.files.seed)?;
    let accounting = run.account(&keys)?;
    let (cut, values) = settings.decide(Private::together(ladders_of), &entropy)?;
    let carried = run.write(&cut, &accounting, observer, cancel).map_err(|failure| accounting.told(failure))?;
    let shared = shared(&values, |value| cut.form(value.kind, &value.ladder, &run.ladders));
    let times = |form: &str| shared.iter().find(|(said, _)| said == form).map_or(0, |(_, count)| *count);
    let (starred, removed) = (times(STAR), times(NOTHING));
    let warnings = settings.files.seed.map(|_| "not private: seeded".to_owned()).into_iter().collect();
    Ok(Generalized {
        guarantee: statement::guarantee(settings, &run.finder, &run.ladders)?,
        records,
        found,
        starred,
        removed,
        shared: shared.into_iter().filter(|(form, _)| form != NOTHING).collect(),
        carried,
        ledger: accounting.reserved().cloned(),
        warnings,
    })
}

/// Replaces the names of a text by the forms that were decided. All that is not a name passes as it was.
struct Replacer<'a> {
    cut: &'a Cut,
    ladders: &'a Ladders,
}

impl Rewriter for Replacer<'_> {
    type Input = (String, Vec<Mention>);
    type Output = String;

    fn name(&self) -> &str {
        "generalize"
    }

    fn rewrite(&self, texts: Vec<(String, Vec<Mention>)>, _: &mut [PrivacyRng]) -> Vec<String> {
        let form = |mention: &Mention| {
            self.cut.form(mention.kind, &self.ladders.of(mention.kind, &mention.name), self.ladders)
        };
        texts.into_iter().map(|(text, found)| rewritten(&text, &found, form)).collect()
    }
}

impl<'a> Run<'a> {
    fn new(settings: &'a GeneralizeSettings) -> Result<Self, Failure> {
        if settings.k < 1 {
            return Err(Failure::new("`k` is 0; a form is shared by at least 1 record", "5 is usual: `--k 5`"));
        }
        if settings.mode == Mode::Private {
            if settings.names_each == 0 {
                let message = "`names-each` is 0: no name could ever be said";
                return Err(Failure::new(message, "4 is usual, or take `--mode public`"));
            }
            settings.large_counts()?;
        }
        if settings.files.in_place && is_stream(&settings.files.output) {
            let message = "`in-place` needs the output to be named: it lets it be the input";
            return Err(Failure::new(message, "give `-o` with the name of the input"));
        }
        if !settings.eagerness.is_finite() {
            return Err(Failure::new("`eagerness` is no number", "1 is usual"));
        }
        if settings.across && settings.mode != Mode::KAnonymous {
            let message = "`across` lets a record's names change other records, which this mode promises not to happen";
            return Err(Failure::new(message, "leave it out, or take `--mode k-anonymous`"));
        }
        let files = &settings.files;
        let format = Format::settle(files.format, &files.input)?;
        let (columns, table) = (files.columns()?, files.table(format)?);
        if let Some(ledger) = &files.ledger {
            let others = [(files.input.as_path(), "input"), (files.output.as_path(), "output")];
            check_ledger(ledger, format, files.seed.is_some(), &others)?;
        }
        check_target(&files.input, &files.output, format, files.in_place)?;
        if is_stream(&files.input) {
            let message = "names are counted in a first pass and replaced in a second, and a stream can be read once";
            return Err(Failure::new(message, "write it into a file first"));
        }
        let mut ladders = match &settings.places {
            None => bundled_ladders()?,
            Some(path) => Ladders { places: read_hierarchy(path)?, ..Ladders::default() },
        };
        if let Some(path) = &settings.organisations {
            ladders.organisations = read_hierarchy(path)?;
        }
        let finder = match &settings.entities {
            Some(path) => Finder::given(path)?,
            None => Finder::tagger(settings.tagger.as_deref(), settings.eagerness)?,
        };
        Ok(Self { settings, finder, ladders, format, table, columns, elsewhere: None, seen: Seen::default() })
    }

    fn open(&self) -> Result<Box<dyn Reader>, Failure> {
        let files = &self.settings.files;
        Ok(allonym_io::open(&files.input, self.format, self.table, &self.columns, &Limits::default())?)
    }

    fn check_records(&self, records: u64) -> Result<(), Failure> {
        if self.finder.lines().is_some_and(|lines| lines as u64 != records) {
            let message = format!("{DOES_NOT_FIT}: it has another number of lines than there are records ({records})");
            return Err(Failure::new(message, "it needs one line of JSON for each record, in their order"));
        }
        if self.settings.mode == Mode::KAnonymous && records > 0 && u64::from(self.settings.k) > records {
            let message = format!("`k` is {}, and there are {records} records: no name could be said", self.settings.k);
            return Err(Failure::refusal(message, "choose a smaller `--k`, or `--mode public`"));
        }
        if self.settings.mode == Mode::Private && self.settings.delta * records as f64 >= 1.0 {
            return Err(Failure::new(
                format!(
                    "delta is {}, and there are {records} records: it must be below 1 over their number",
                    self.settings.delta
                ),
                "publishing one record as it is would be allowed; a tenth of 1 over the records is usual",
            ));
        }
        Ok(())
    }

    /// Reserves for all records, where there is a ledger. Whatever decides about names, everything else in a text passes as it is:
    /// nothing bounds what a record loses.
    fn account(&self, keys: &[Private<Key>]) -> Result<Accounting, Failure> {
        let Some(ledger) = &self.settings.files.ledger else { return Ok(Accounting::Unaccounted) };
        let method = format!("generalize {}", self.settings.mode.name());
        let spending = Spending { method, cost: Cost::Unbounded };
        let request = Request { ledger, spending: &spending, key: new_key()?, dry_run: false, format: self.format };
        Ok(Accounting::Reserved(request.reserve_all(keys)?))
    }

    /// The names that were found in any record.
    fn names_of_all(&self, observer: &dyn Observer, cancel: &CancelToken) -> Result<Elsewhere, Failure> {
        let mut all = Private::new(Elsewhere::default());
        let mut reader = self.open()?;
        let progress = reader.progress();
        while let Some(batch) = reader.next()? {
            cancel.check()?;
            for (record, text) in (batch.first..).zip(&batch.texts) {
                let both = all.as_mut().with(text.as_ref());
                let _added = both.map(|(all, text)| self.finder.find(record, text).map(|found| all.add(text, &found)));
            }
            report(observer, RESERVING, &progress, batch.first - 1 + batch.texts.len() as u64);
        }
        Ok(all.declassify("generalize: names to look for in other records of the same owner"))
    }

    /// The mentions of a batch, record by record.
    fn mentions(&self, batch: &Batch) -> Result<Vec<Private<Vec<Mention>>>, Failure> {
        let find = |(place, text): (usize, &Private<String>)| {
            text.as_ref().map(|text| {
                let found = self.finder.find(batch.first + place as u64, text)?;
                Some(mentions(text, found, self.elsewhere.as_ref()))
            })
        };
        let found: Vec<Private<Option<Vec<Mention>>>> = batch.texts.par_iter().enumerate().map(find).collect();
        let fits = |found: &Private<Option<Vec<Mention>>>| {
            found.as_ref().map(Option::is_some).declassify("generalize: whether another tool's line fits its record")
        };
        match found.iter().position(|found| !fits(found)) {
            None => Ok(found.into_iter().map(|found| found.map(Option::unwrap_or_default)).collect()),
            Some(place) => {
                let message = format!("{DOES_NOT_FIT}: line {} is not of record {0}", batch.first + place as u64);
                Err(Failure::new(message, "a line is a list of entity_type, start and end, in characters of the text"))
            }
        }
    }

    fn ladders_of(&self, mentions: &[Mention]) -> Vec<Named> {
        mentions.iter().map(|mention| (mention.kind, self.ladders.of(mention.kind, &mention.name))).collect()
    }

    /// Writes the file; returns the columns that pass.
    fn write(
        &self,
        cut: &Cut,
        _accounting: &Accounting,
        observer: &dyn Observer,
        cancel: &CancelToken,
    ) -> Result<Vec<String>, Failure> {
        let changed = || Failure::new("the input changed while it was read", "run again while nothing writes to it");
        let replacer = Replacer { cut, ladders: &self.ladders };
        let mut reader = self.open()?;
        let mut writer = allonym_io::create(&self.settings.files.output, reader.shape(), None, None)?;
        let (progress, mut records, mut batches) = (reader.progress(), 0, 0);
        while let Some(batch) = reader.next()? {
            cancel.check()?;
            if !self.seen.again(batches, &batch) {
                return Err(changed());
            }
            batches += 1;
            let found = self.mentions(&batch)?;
            let replaced = |(text, found): (Private<String>, Private<Vec<Mention>>)| -> Option<ExitText> {
                // A replacement draws nothing.
                let text = rewrite(&replacer, text.with(found), &mut PrivacyRng::reproducible(0));
                text.map(ExitText::from)
            };
            records += batch.texts.len() as u64;
            let texts: Option<Vec<ExitText>> = batch.texts.into_par_iter().zip(found).map(replaced).collect();
            let texts = texts.ok_or_else(|| Failure::new("a text was not written", "please report this"))?;
            writer.write(batch.rest, texts)?;
            report(observer, RELEASING, &progress, records);
        }
        if batches != self.seen.batches.len() {
            return Err(changed());
        }
        cancel.check()?;
        writer.finish()?;
        Ok(reader.report().carried.clone())
    }
}
