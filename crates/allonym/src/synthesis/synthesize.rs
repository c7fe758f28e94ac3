//! Trains a model for each label, and lets it write.

use super::labels::Labelled;
use super::plan::Planned;
use super::settings::{Method, Names, SynthesisSettings, no_noise};
use super::statement::{of_shares, of_training, up};
use super::unigram::Unigram;
use super::words;
use super::write::write;
use super::writer::Public;
use crate::failure::Failure;
use crate::resumable::account_for_run;
use crate::spending::{Accounting, Request, Reserved, Spending, new_key};
use crate::training::{begin, check_out, owners_alone};
use allonym_dp::guarantee::{Claim, RecordLoss};
use allonym_dp::{Entropy, Guarantee, Purpose};
use allonym_io::{Compression, Format, Output};
use allonym_ledger::Cost as Spent;
use allonym_models::Sampling;
use allonym_text::{Activity, CancelToken, Cancelled, Cost, Event, Observer, Stage, Vocabulary, Warning, WarningCode};
use serde::Serialize;
use std::path::PathBuf;

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
    observer: &dyn Observer,
    cancel: &CancelToken,
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
    observer.begin(Activity::Reading, "reading texts");
    let labelled = Labelled::read(settings, public.vocabulary())?;
    if settings.resume && labelled.hash.is_none() {
        let message =
            "the texts came from no single file, so it cannot be told whether they are those that the run began with";
        return Err(Failure::refusal(message, "give them as one file, or begin anew"));
    }
    labelled.warnings.iter().for_each(|line| observer.warn(WarningCode::UnsuitedTexts, line));
    cancel.check()?;
    let entropy = Entropy::of_seed(settings.seed)?;
    if settings.method == Method::Unigram {
        return by_shares(settings, format, &labelled, public.vocabulary(), &entropy, observer, cancel);
    }
    let mut plans = Vec::new();
    for (label, texts) in &labelled.texts {
        plans.push(settings.plan(label, texts.count())?);
    }
    let mut prices = Vec::new();
    for plan in &plans {
        let price = plan.prices(settings.delta)?;
        observer.event(&Event::Cost(&cost_of(plan, price, settings)));
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
            observer.warn(WarningCode::LostInNoise, &line);
        }
        prices.push(price);
    }
    if settings.resume {
        let explanation = "reported when the run began; resuming costs nothing more".to_owned();
        observer.event(&Event::Cost(&Cost { epsilon: Some(0.0), delta: 0.0, unit: "record", explanation }));
    }
    let mut guarantee = of_training(settings, &prices);
    public.paid_before().into_iter().for_each(|line| guarantee.push_assumption(line));
    let spending = settings.spending(&guarantee);
    if settings.dry_run {
        let (guarantee, ledger) = (Some(guarantee), only_asked(settings, &spending, &labelled, observer)?);
        return Ok(Synthesized { plans, trained: 0, written: 0, kept: None, stopped: false, guarantee, ledger });
    }
    let take = || {
        owners_alone(&settings.work).map_err(|error| Failure::writing(&settings.work, &error))?;
        begin(&settings.work, settings, labelled.hash.as_ref(), settings.resume)
    };
    let records = (&labelled.keys[..], labelled.format);
    let directory = (settings.work.as_path(), settings.resume);
    let (_lock, accounting) = account_for_run(settings.ledger.as_deref(), &spending, records, directory, take)?;
    tell_ledger(&accounting, observer);
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
    let Some(words) = words::learn(settings, &plans, &labelled, &public, (&entropy, &accounting), observer, cancel)?
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
            let label = &format!("{named}training");
            let stage = Stage { activity: Activity::Training, label };
            let watched = (stage, observer);
            if writer.train(settings, plan, (place, texts), (&directory, &accounting), watched, cancel)? {
                return stopped(plans);
            }
        }
        let label = &format!("{named}writing texts");
        let stage = Stage { activity: Activity::Writing, label };
        observer.begin(stage.activity, label);
        let count = plans.len() as u64;
        // Each label has streams of its own.
        let stream = |text: u64| entropy.stream(Purpose::Synthetic, text * count + place as u64);
        let share = settings.share(place, plans.len());
        let Some(texts) = writer.write(share, sampling, stream, (stage, observer), cancel)? else {
            return stopped(plans);
        };
        columns.push(texts);
    }
    let labels: Vec<&str> = plans.iter().map(|plan| plan.label.as_str()).collect();
    write(settings, format, public.vocabulary(), (&labels, columns), &guarantee)?;
    let kept = Some(settings.work.clone());
    let (guarantee, ledger) = (Some(guarantee), accounting.reserved().cloned());
    Ok(Synthesized { plans, trained, written: settings.count, kept, stopped: false, guarantee, ledger })
}

/// Whether the ledger, if there is one, would take the run; nothing is reserved.
fn only_asked(
    settings: &SynthesisSettings,
    spending: &Spending,
    labelled: &Labelled,
    observer: &dyn Observer,
) -> Result<Option<Reserved>, Failure> {
    let Some(ledger) = &settings.ledger else { return Ok(None) };
    let request = Request { ledger, spending, key: new_key()?, dry_run: true, format: labelled.format };
    let reserved = request.reserve_all(&labelled.keys)?;
    reserved.warnings().into_iter().for_each(|line| warn(observer, line));
    Ok(Some(reserved))
}

fn tell_ledger(accounting: &Accounting, observer: &dyn Observer) {
    let warnings = accounting.reserved().map(Reserved::warnings).unwrap_or_default();
    warnings.into_iter().for_each(|line| warn(observer, line));
}

/// A warning about the ledger.
fn warn(observer: &dyn Observer, message: String) {
    observer.event(&Event::Warning(&Warning { code: WarningCode::Ledger, message }));
}

impl SynthesisSettings {
    /// What each record spends: the largest of the bounds that are claimed, whichever record it is compared with; unbounded where
    /// there is none, or where names depend on all records.
    fn spending(&self, guarantee: &Guarantee) -> Spending {
        let claims = guarantee.claims();
        let largest = |of: fn(&Claim) -> f64| claims.iter().map(of).fold(0.0, f64::max);
        let unbounded = claims.is_empty() || self.names == Names::KAnonymous;
        let cost = match unbounded {
            true => Spent::Unbounded,
            false => Spent::Bounded { epsilon: largest(|claim| claim.epsilon), delta: largest(|claim| claim.delta) },
        };
        Spending { method: format!("synthesize {}", self.method.name()), cost }
    }
}

/// When words of so many records are lost in the noise, people should know.
const MUCH: f64 = 0.1;

/// What a label will cost, before its first step.
fn cost_of(plan: &Planned, price: Option<RecordLoss>, settings: &SynthesisSettings) -> Cost {
    let mut of =
        if plan.label.is_empty() { String::new() } else { " (each label's records pay for themselves)".to_owned() };
    if settings.names == Names::KAnonymous {
        of.push_str(" as it is once names were generalised, which depends on all records: no epsilon is promised to a record as it is");
    }
    let Some(epsilon) = price.map(|loss| loss.add_remove()) else {
        let explanation = "unbounded; no noise is added, for comparison only".to_owned();
        return Cost { epsilon: None, delta: 1.0, unit: "record", explanation };
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
    let explanation =
        format!("epsilon {} of {allowed} allowed, delta {:e}{of}; {}", up(epsilon), settings.delta, how.join("; "));
    Cost { epsilon: Some(epsilon), delta: settings.delta, unit: "record", explanation }
}

/// Counts words with noise, and lets them write.
fn by_shares(
    settings: &SynthesisSettings,
    format: Format,
    labelled: &Labelled,
    vocabulary: &Vocabulary,
    entropy: &Entropy,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Synthesized, Failure> {
    let epsilon = settings.epsilon.ok_or_else(no_noise)?;
    let each = if labelled.texts.len() > 1 { " (each label's records pay for themselves)" } else { "" };
    let explanation = format!("epsilon {epsilon}, delta 0{each}; words are counted with noise, once per run");
    observer.event(&Event::Cost(&Cost { epsilon: Some(epsilon), delta: 0.0, unit: "record", explanation }));
    let guarantee = of_shares(settings, epsilon, labelled.texts.len())?;
    let spending = settings.spending(&guarantee);
    if settings.dry_run {
        let guarantee = Some(guarantee);
        let ledger = only_asked(settings, &spending, labelled, observer)?;
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
    tell_ledger(&accounting, observer);
    cancel.check()?;
    let learned = Unigram::learn(epsilon, labelled, vocabulary, entropy, &accounting)?;
    let count = learned.len();
    let text = |place: usize, text: usize| {
        let stream = &mut entropy.stream(Purpose::Synthetic, (text * count + place) as u64);
        learned[place].write(settings.max_tokens, stream)
    };
    let mut columns: Vec<Vec<Vec<u32>>> = Vec::new();
    for place in 0..count {
        let numbers = 0..settings.share(place, count);
        let column: Result<_, Cancelled> = numbers.map(|number| cancel.check().map(|()| text(place, number))).collect();
        columns.push(column?);
    }
    let labels: Vec<&str> = labelled.texts.keys().map(String::as_str).collect();
    write(settings, format, vocabulary, (&labels, columns), &guarantee)?;
    let (trained, ledger, guarantee) = (vocabulary.words(), accounting.reserved().cloned(), Some(guarantee));
    Ok(Synthesized { plans: vec![], trained, written: settings.count, kept: None, stopped: false, guarantee, ledger })
}
