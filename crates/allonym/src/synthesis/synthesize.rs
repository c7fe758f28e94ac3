//! Trains a model for each label, and lets it write.

use super::labels::Labelled;
use super::plan::Planned;
use super::settings::{Method, Names, SynthesisSettings, no_noise};
use super::statement::{of_shares, of_training, up};
use super::unigram::Unigram;
use super::words;
use super::writer::Public;
use crate::failure::Failure;
use crate::resumable::account_for_run;
use crate::spending::{Accounting, Request, Reserved, Spending, new_key};
use crate::training::{PRICE, WARNING, begin, check_out, owners_alone};
use allonym_dp::guarantee::Claim;
use allonym_dp::guarantee::RecordLoss;
use allonym_dp::{Entropy, Guarantee, Purpose};
use allonym_io::{Compression, Format, Output, push_row};
use allonym_ledger::Cost;
use allonym_models::Sampling;
use allonym_nn::training::Progress;
use allonym_text::{Vocabulary, detokenise};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// What was done.
#[derive(Clone, Debug, Serialize)]
pub struct Synthesized {
    /// How each label was trained.
    pub plans: Vec<Planned>,
    /// Numbers that were trained, of each label.
    pub trained: usize,
    /// Texts that were written.
    pub written: usize,
    /// Where the training is kept, for its owner.
    pub kept: Option<PathBuf>,
    /// Whether it was stopped, and can go on.
    pub stopped: bool,
    /// What is protected and what is not; none if the run was stopped.
    pub guarantee: Option<Guarantee>,
    /// What the ledger has of the run, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Reserved>,
}

/// Writes texts like those of a file.
///
/// # Errors
/// When a setting is out of range, found before anything is spent, or a file cannot be read or written.
pub fn synthesize(
    settings: &SynthesisSettings,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, Option<&Progress>),
) -> Result<Synthesized, Failure> {
    let format = settings.check()?;
    if settings.method != Method::Unigram {
        check_out(&settings.work, settings.resume)?;
    }
    if !settings.dry_run {
        // What cannot be written is found before anything is spent. Nothing is left behind.
        drop(Output::create(&settings.out, Compression::of_path(&settings.out))?);
    }
    let public = Public::open(settings)?;
    progress("reading texts", None);
    let labelled = Labelled::read(settings, public.vocabulary())?;
    if settings.resume && labelled.hash.is_none() {
        let message =
            "the texts came from no single file, so it cannot be told whether they are those that the run began with";
        return Err(Failure::refusal(message, "give them as one file, or begin anew"));
    }
    labelled.warnings.iter().for_each(|line| progress(&format!("{WARNING}: {line}"), None));
    let entropy = Entropy::of_seed(settings.seed)?;
    if settings.method == Method::Unigram {
        return by_shares(settings, format, &labelled, public.vocabulary(), &entropy, progress);
    }
    let mut plans = Vec::new();
    for (label, texts) in &labelled.texts {
        plans.push(settings.plan(label, texts.count())?);
    }
    let mut prices = Vec::new();
    for plan in &plans {
        let price = plan.prices(settings.delta)?;
        progress(&price_of(plan, price, settings), None);
        if let Some(share) = plan.lost_in_noise(settings.max_tokens).filter(|share| *share > MUCH) {
            let named = if plan.label.is_empty() { String::new() } else { "a label has ".to_owned() };
            let lost = match share {
                share if share < 1.0 => format!("words that stand in fewer than {:.0} % of them", 100.0 * share),
                _ => "every word".to_owned(),
            };
            let line = format!(
                "{named}{} records, and the noise hides {lost}: the texts will say little of yours; more records, a larger epsilon or a smaller `--max-tokens` would help",
                plan.records
            );
            progress(&format!("{WARNING}: {line}"), None);
        }
        prices.push(price);
    }
    if settings.resume {
        progress(&format!("{PRICE} was announced when the run began: going on costs nothing more"), None);
    }
    let mut guarantee = of_training(settings, &prices);
    public.paid_before().into_iter().for_each(|line| guarantee.push_assumption(line));
    let spending = settings.spending(&guarantee);
    if settings.dry_run {
        let (guarantee, ledger) = (Some(guarantee), only_asked(settings, &spending, &labelled, progress)?);
        return Ok(Synthesized { plans, trained: 0, written: 0, kept: None, stopped: false, guarantee, ledger });
    }
    let take = || {
        owners_alone(&settings.work).map_err(|error| Failure::writing(&settings.work, &error))?;
        begin(&settings.work, settings, labelled.hash.as_ref(), settings.resume)
    };
    let records = (&labelled.keys[..], labelled.format);
    let directory = (settings.work.as_path(), settings.resume);
    let (_lock, accounting) = account_for_run(settings.ledger.as_deref(), &spending, records, directory, take)?;
    tell_ledger(&accounting, progress);
    let stopped = |plans: Vec<Planned>| {
        Ok(Synthesized {
            plans,
            trained: 0,
            written: 0,
            kept: Some(settings.work.clone()),
            stopped: true,
            guarantee: None,
            ledger: accounting.reserved().cloned(),
        })
    };
    let Some(words) = words::learn(settings, &plans, &labelled, &public, (&entropy, &accounting), stop, progress)?
    else {
        return stopped(plans);
    };
    let sampling = Sampling { temperature: settings.temperature, max_tokens: settings.max_tokens };
    let (mut columns, mut trained) = (Vec::new(), 0);
    for (place, ((plan, texts), words)) in plans.iter().zip(labelled.texts.values()).zip(words).enumerate() {
        let named = if plan.label.is_empty() { String::new() } else { format!("label {}, ", place + 1) };
        let mut writer = public.writer(settings, words)?;
        if plan.steps > 0 {
            trained = writer.numbers();
            // The name of a label may be anything; that of a directory may not.
            let directory = settings.work.join("training").join(format!("label-{place}"));
            let told = &mut |made: &Progress| progress(&format!("{named}training"), Some(made));
            if writer.train(settings, plan, (place, texts), (&directory, &accounting), stop, told)? {
                return stopped(plans);
            }
        }
        progress(&format!("{named}writing texts"), None);
        let count = plans.len() as u64;
        // Each label has streams of its own.
        let stream = |text: u64| entropy.stream(Purpose::Synthetic, text * count + place as u64);
        let share = settings.share(place, plans.len());
        let mut told = Told::default();
        let done = &mut |done: usize| {
            if let Some(line) = told.line(done, share) {
                progress(&format!("{named}{line}"), None);
            }
        };
        let Some(texts) = writer.write(share, sampling, stream, stop, done)? else {
            return stopped(plans);
        };
        columns.push(texts);
    }
    let labels: Vec<&str> = plans.iter().map(|plan| plan.label.as_str()).collect();
    write(settings, format, public.vocabulary(), &labels, &columns)?;
    let kept = Some(settings.work.clone());
    let (guarantee, ledger) = (Some(guarantee), accounting.reserved().cloned());
    Ok(Synthesized { plans, trained, written: settings.count, kept, stopped: false, guarantee, ledger })
}

/// Whether the ledger, if there is one, would take the run; nothing is reserved.
fn only_asked(
    settings: &SynthesisSettings,
    spending: &Spending,
    labelled: &Labelled,
    progress: &mut dyn FnMut(&str, Option<&Progress>),
) -> Result<Option<Reserved>, Failure> {
    let Some(ledger) = &settings.ledger else { return Ok(None) };
    let request = Request { ledger, spending, key: new_key()?, dry_run: true, format: labelled.format };
    let reserved = request.reserve_all(&labelled.keys)?;
    reserved.warnings().iter().for_each(|line| progress(&format!("{WARNING}: {line}"), None));
    Ok(Some(reserved))
}

fn tell_ledger(accounting: &Accounting, progress: &mut dyn FnMut(&str, Option<&Progress>)) {
    let warnings = accounting.reserved().map(Reserved::warnings).unwrap_or_default();
    warnings.iter().for_each(|line| progress(&format!("{WARNING}: {line}"), None));
}

impl SynthesisSettings {
    /// What each record spends: the largest of the bounds that are claimed, whichever record it is compared with; unbounded where
    /// there is none, or where names depend on all records.
    fn spending(&self, guarantee: &Guarantee) -> Spending {
        let claims = guarantee.claims();
        let largest = |of: fn(&Claim) -> f64| claims.iter().map(of).fold(0.0, f64::max);
        let unbounded = claims.is_empty() || self.names == Names::KAnonymous;
        let cost = match unbounded {
            true => Cost::Unbounded,
            false => Cost::Bounded { epsilon: largest(|claim| claim.epsilon), delta: largest(|claim| claim.delta) },
        };
        Spending { method: format!("synthesize {}", self.method.name()), cost }
    }
}

/// When words of so many records are lost in the noise, people should know.
const MUCH: f64 = 0.1;

/// What is told while texts are written: a line for each tenth of them.
#[derive(Default)]
struct Told {
    tenths: usize,
}

impl Told {
    fn line(&mut self, done: usize, all: usize) -> Option<String> {
        let tenths = 10 * done / all.max(1);
        let news = tenths > self.tenths && done < all;
        self.tenths = tenths.max(self.tenths);
        news.then(|| format!("{done} of {all} texts written"))
    }
}

/// What a label will cost, before its first step.
fn price_of(plan: &Planned, price: Option<RecordLoss>, settings: &SynthesisSettings) -> String {
    let mut of =
        if plan.label.is_empty() { String::new() } else { " (each label's records pay for themselves)".to_owned() };
    if settings.names == Names::KAnonymous {
        of.push_str(" as it is once names were generalised, which depends on all records: no epsilon is promised to a record as it is");
    }
    let Some(epsilon) = price.map(|loss| loss.add_remove()) else {
        return format!("{PRICE} of a record: everything; no noise is added, for comparison only");
    };
    let words = plan.words_noise.map(|noise| format!("words counted once, noise {noise:.2} times a record"));
    let steps = plan.noise.map(|noise| {
        format!(
            "{} steps on {} of {} records on average, noise {noise:.3} times the clip",
            plan.steps, plan.batch, plan.records
        )
    });
    let how: Vec<String> = words.into_iter().chain(steps).collect();
    let allowed = settings.epsilon.unwrap_or(epsilon);
    format!(
        "{PRICE} of a record: epsilon {} of {allowed} allowed, delta {:e}{of}; {}",
        up(epsilon),
        settings.delta,
        how.join("; ")
    )
}

/// Counts words with noise, and lets them write.
fn by_shares(
    settings: &SynthesisSettings,
    format: Format,
    labelled: &Labelled,
    vocabulary: &Vocabulary,
    entropy: &Entropy,
    progress: &mut dyn FnMut(&str, Option<&Progress>),
) -> Result<Synthesized, Failure> {
    let epsilon = settings.epsilon.ok_or_else(no_noise)?;
    let each = if labelled.texts.len() > 1 { " (each label's records pay for themselves)" } else { "" };
    progress(
        &format!("{PRICE} of a record: epsilon {epsilon}, delta 0{each}; words are counted with noise, once a run"),
        None,
    );
    let guarantee = of_shares(settings, epsilon, labelled.texts.len())?;
    let spending = settings.spending(&guarantee);
    let guarantee = Some(guarantee);
    if settings.dry_run {
        let ledger = only_asked(settings, &spending, labelled, progress)?;
        return Ok(Synthesized {
            plans: vec![],
            trained: 0,
            written: 0,
            kept: None,
            stopped: false,
            guarantee,
            ledger,
        });
    }
    let accounting = match &settings.ledger {
        None => Accounting::Unaccounted,
        Some(ledger) => {
            let format = labelled.format;
            let request = Request { ledger, spending: &spending, key: new_key()?, dry_run: false, format };
            Accounting::Reserved(request.reserve_all(&labelled.keys)?)
        }
    };
    tell_ledger(&accounting, progress);
    let learned = Unigram::learn(epsilon, labelled, vocabulary, entropy, &accounting)?;
    let count = learned.len();
    let text = |place: usize, text: usize| {
        let stream = &mut entropy.stream(Purpose::Synthetic, (text * count + place) as u64);
        learned[place].write(settings.max_tokens, stream)
    };
    let column = |place: usize| (0..settings.share(place, count)).map(|number| text(place, number)).collect();
    let columns: Vec<Vec<Vec<u32>>> = (0..count).map(column).collect();
    let labels: Vec<&str> = labelled.texts.keys().map(String::as_str).collect();
    write(settings, format, vocabulary, &labels, &columns)?;
    let (trained, ledger) = (vocabulary.words(), accounting.reserved().cloned());
    Ok(Synthesized { plans: vec![], trained, written: settings.count, kept: None, stopped: false, guarantee, ledger })
}

/// Writes the texts of all labels, in turns.
fn write(
    settings: &SynthesisSettings,
    format: Format,
    vocabulary: &Vocabulary,
    labels: &[&str],
    columns: &[Vec<Vec<u32>>],
) -> Result<(), Failure> {
    let columns_of_file: Vec<&str> =
        [Some(settings.text_column.as_str()), settings.label_column.as_deref()].into_iter().flatten().collect();
    let mut bytes = Vec::new();
    if format == Format::Csv {
        push_row(columns_of_file.iter().copied(), b',', &mut bytes);
    }
    for row in 0..settings.count {
        let (ids, label) = (&columns[row % labels.len()][row / labels.len()], labels[row % labels.len()]);
        let text = detokenise(ids.iter().filter_map(|id| vocabulary.word(*id)));
        let cells = columns_of_file.iter().zip([text.as_str(), label]);
        if format == Format::Csv {
            push_row(cells.map(|(_, cell)| cell), b',', &mut bytes);
        } else {
            let object = cells.map(|(column, cell)| ((*column).to_owned(), cell.into()));
            bytes.extend(serde_json::Value::Object(object.collect()).to_string().into_bytes());
            bytes.push(b'\n');
        }
    }
    let mut output = Output::create(&settings.out, Compression::of_path(&settings.out))?;
    output.write(&bytes)?;
    Ok(output.finish()?)
}
