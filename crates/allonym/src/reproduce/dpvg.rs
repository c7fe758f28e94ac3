//! Table I and figures 3 and 4 of DPvG (Sasada et al. 2021), with an accountant that is sound, beside what is better and what is simpler.

use super::classifier::{advantage, as_str};
use super::dpvg_figures::{Heat, LossPoint, heat, losses};
use super::er_ae::writing;
use super::polarity::{Labelled, Polarity, polarity};
use crate::evaluation::load::{Loaded, Reading};
use crate::failure::Failure;
use crate::synthesis::{Method, Names, SynthesisSettings, synthesize};
use allonym_dp::PrivacyRng;
use allonym_eval::attack::{membership_by_score, nearest};
use allonym_eval::measure::Interval;
use allonym_eval::utility::{Copied, Piece, Pieces};
use allonym_io::{Format, Table};
use allonym_text::{Activity, CancelToken, Document, Observer, Prefixed};
use serde::Serialize;
use std::path::PathBuf;

/// Words of a run, or of a whole sentence at least, that counts as copied.
const COPIED: usize = 9;
/// Members, and as many others, whom an attacker tries to tell apart.
const ATTACKED: usize = 1000;
/// Words of the runs by which an attacker looks for a text in what was written.
const RUN: usize = 3;
/// Two-sided 95 % points of Student's distribution, by degrees of freedom from 1.
const STUDENT: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/// What is to be reproduced.
#[derive(Clone, Debug)]
pub struct DpvgReproduction {
    /// Texts with labels, and a column that says which are for tests.
    pub data: PathBuf,
    /// Where texts, tables and figures go.
    pub out: PathBuf,
    /// The column of the text.
    pub text_column: String,
    /// The column of the label.
    pub label_column: String,
    /// The column that is `test` for texts that are tested with. Where there is none, half of the texts are, by lot.
    pub split_column: String,
    /// The price of a record.
    pub epsilon: f64,
    /// The chance that it does not hold.
    pub delta: f64,
    /// Texts that every system writes.
    pub count: usize,
    /// The most tokens of a text.
    pub max_tokens: usize,
    /// Runs of DP E-D and DPvG, with different noise.
    pub seeds: u64,
    /// How many records must share what is said for a name.
    pub k: u32,
    /// Test texts, at most.
    pub tested: usize,
    /// Texts that the SVM learns from, at most.
    pub svm: usize,
    /// Steps of every LSTM. Default: what `synthesize` takes.
    pub lstm_steps: Option<u64>,
    /// The prices of figure 4; none leaves it out.
    pub losses: Vec<f64>,
    /// The directory of the public language model that is fitted. Default: the program's. It must not have been trained on the texts.
    pub model: Option<PathBuf>,
    /// Files of public texts: what stands in them is not copied from anybody.
    pub public: Vec<PathBuf>,
    /// The systems that are measured, by name; none means all.
    pub systems: Vec<String>,
    /// Threads; 0 is one a core.
    pub threads: usize,
}

impl Default for DpvgReproduction {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            out: PathBuf::new(),
            text_column: "text".into(),
            label_column: "label".into(),
            split_column: "split".into(),
            epsilon: 1.0,
            delta: 1e-5,
            count: 10_000,
            max_tokens: 100,
            seeds: 5,
            k: 5,
            tested: 5000,
            svm: 4000,
            lstm_steps: None,
            losses: vec![0.5, 1.0, 2.0, 4.0, 8.0],
            model: None,
            public: Vec::new(),
            systems: Vec::new(),
            threads: 0,
        }
    }
}

impl DpvgReproduction {
    fn reading(&self) -> Reading {
        Reading {
            format: None,
            table: Table::default(),
            text_column: self.text_column.clone(),
            id_column: self.label_column.clone(),
            author_column: "author".into(),
            label_column: self.label_column.clone(),
        }
    }
}

/// A way to get texts to learn from.
#[derive(Clone, Copy, Debug)]
struct System {
    name: &'static str,
    method: Method,
    names: Names,
    private: bool,
    /// Whether it is run with several seeds.
    several: bool,
}

impl System {
    /// Its name as that of a file.
    fn file(self, seed: u64) -> String {
        format!("{}-{seed}", self.name.replace(", ", "-").replace(' ', "-"))
    }
}

/// Without noise, to see what noise does to membership.
const SYSTEMS: [System; 6] = [
    System { name: "unigram", method: Method::Unigram, names: Names::Stay, private: true, several: false },
    System { name: "tuned", method: Method::Tuned, names: Names::Stay, private: true, several: false },
    System { name: "dp-e-d", method: Method::Lstm, names: Names::Stay, private: true, several: true },
    System { name: "dpvg", method: Method::Lstm, names: Names::KAnonymous, private: true, several: true },
    System { name: "tuned, no noise", method: Method::Tuned, names: Names::Stay, private: false, several: false },
    System { name: "lstm, no noise", method: Method::Lstm, names: Names::Stay, private: false, several: false },
];

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct DpvgFigures {
    /// The labels, in the order of the F1s.
    pub labels: Vec<String>,
    /// Texts learned from, tested with, and never learned from at all.
    pub records: [usize; 3],
    /// The price of every private row.
    pub price: (f64, f64),
    /// Table I.
    pub rows: Vec<SystemRow>,
    /// DPvG less DP E-D, over the seeds.
    pub differences: Vec<Difference>,
    /// Figure 3.
    pub heat: Vec<Heat>,
    /// Figure 4.
    pub losses: Vec<LossPoint>,
}

/// A row of table I.
#[derive(Clone, Debug, Serialize)]
pub struct SystemRow {
    /// The system.
    pub system: String,
    /// The seed of its noise.
    pub seed: u64,
    /// What classifiers learned from its texts.
    pub polarity: Vec<Polarity>,
    /// What two attackers find out about who was learned from. Not for originals.
    pub membership: Vec<Advantage>,
    /// Runs of nine words, and whole sentences of nine and more, that also stand in texts that were learned from. Not for originals.
    pub copied: Option<[CopiedCounts; 2]>,
    /// A text that it wrote; not where it was trained without noise.
    pub sample: Option<String>,
}

/// How many different pieces of what was written stand elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CopiedCounts {
    /// Only in texts that were learned from.
    pub learned: usize,
    /// Only in texts that were not: what is found by chance.
    pub control: usize,
    /// In both.
    pub both: usize,
    /// In public texts too.
    pub public: usize,
}

impl CopiedCounts {
    fn of(found: &Copied) -> Self {
        Self { learned: found.learned.len(), control: found.control, both: found.both, public: found.public }
    }
}

/// What an attacker finds out.
#[derive(Clone, Debug, Serialize)]
pub struct Advantage {
    /// By what.
    pub by: &'static str,
    /// The chance that a member has the larger score.
    pub auc: Option<Interval>,
    /// Members found less others taken for one.
    pub advantage: Interval,
}

/// A mean difference over seeds, with a 95 % interval by Student's distribution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The classifier.
    pub classifier: &'static str,
    /// The label.
    pub label: String,
    /// DPvG's F1 less that of DP E-D.
    pub difference: Interval,
}

/// The texts of one side.
struct Part {
    texts: Vec<String>,
    labels: Vec<u32>,
}

impl Part {
    fn labelled(&self) -> Labelled<'_> {
        Labelled { texts: &self.texts, labels: &self.labels }
    }

    fn first(&self, count: usize) -> Self {
        let count = count.min(self.texts.len());
        Self { texts: self.texts[..count].to_vec(), labels: self.labels[..count].to_vec() }
    }

    fn some(&self, count: usize, seed: u64) -> Vec<&str> {
        let mut places: Vec<usize> = (0..self.texts.len()).collect();
        PrivacyRng::reproducible(seed).shuffle(&mut places);
        places.iter().take(count).map(|place| self.texts[*place].as_str()).collect()
    }
}

/// Measures. Texts that a run before has written are not written again.
///
/// # Errors
/// When a file cannot be read or written, or labels are missing.
pub fn reproduce_dpvg(
    plan: &DpvgReproduction,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<DpvgFigures, Failure> {
    observer.begin(Activity::Reading, "reading texts");
    let systems = chosen(&plan.systems)?;
    let (learned, others, labels) = parts(plan)?;
    let tested = others.first(plan.tested);
    let public = public_texts(plan)?;
    let private = plan.out.join("private");
    std::fs::create_dir_all(&private).map_err(writing(&private))?;
    same_plan(plan, &private.join("plan.json"))?;
    let training = private.join("training.jsonl");
    std::fs::write(&training, rows_of(&learned, &labels)).map_err(writing(&training))?;
    observer.begin(Activity::Measuring, "learning from the originals");
    let of_originals = polarity(learned.labelled(), tested.labelled(), plan.svm)?;
    observer.begin(Activity::Measuring, &format!("originals: {}", in_short(&of_originals)));
    let mut rows = vec![SystemRow {
        system: "original".into(),
        seed: 0,
        polarity: of_originals,
        membership: Vec::new(),
        copied: None,
        sample: None,
    }];
    let known = [Piece::Run(COPIED), Piece::Sentence(COPIED)]
        .map(|piece| [&learned.texts, &others.texts, &public].map(|texts| Pieces::of(&as_str(texts), piece)));
    let mut heat_maps = Vec::new();
    for system in systems {
        for seed in 1..=if system.several { plan.seeds } else { 1 } {
            let name = format!("{}, seed {seed}", system.name);
            let told = &Prefixed::before(observer, format!("{name}: "));
            let Some(written) = written(plan, system, seed, &labels, told, cancel)? else { return Err(stopped()) };
            observer.begin(Activity::Measuring, &format!("{name}: learning from its texts"));
            if seed == 1 && system.private && system.method != Method::Unigram {
                heat_maps.push(heat(system.name, &learned.texts, &written.texts)?);
            }
            let found = polarity(written.labelled(), tested.labelled(), plan.svm)?;
            observer.begin(Activity::Measuring, &format!("{name}: {}", in_short(&found)));
            rows.push(SystemRow {
                system: system.name.into(),
                seed,
                polarity: found,
                membership: membership(&written, &learned, &tested)?,
                copied: Some(copied(&written, &known, &private.join(format!("copied-{}.txt", system.file(seed))))?),
                sample: written.texts.first().filter(|_| system.private).cloned(),
            });
        }
    }
    let differences = differences(&rows, &labels);
    let losses = if plan.systems.is_empty() { losses(plan, &training, observer, cancel)? } else { Vec::new() };
    let records = [learned.texts.len(), tested.texts.len(), others.texts.len()];
    Ok(DpvgFigures { labels, records, price: (plan.epsilon, plan.delta), rows, differences, heat: heat_maps, losses })
}

pub(super) fn stopped() -> Failure {
    Failure::interrupted("go on with the same command: what was written is kept")
}

/// Texts of another plan, or of other data, are not taken for those of this one.
fn same_plan(plan: &DpvgReproduction, path: &std::path::Path) -> Result<(), Failure> {
    let DpvgReproduction { epsilon, delta, count, max_tokens, k, lstm_steps, .. } = plan;
    let data = crate::evaluation::load::hash(&plan.data);
    let columns = [&plan.text_column, &plan.label_column, &plan.split_column];
    let own = serde_json::json!({"data": data, "columns": columns, "epsilon": epsilon, "delta": delta, "count": count,
        "max-tokens": max_tokens, "k": k, "lstm-steps": lstm_steps, "model": plan.model, "program": env!("CARGO_PKG_VERSION")})
    .to_string();
    match std::fs::read_to_string(path) {
        Ok(known) if known != own => {
            let message = format!("{} has texts of another plan or of other data", plan.out.display());
            Err(Failure::new(message, "choose another `--out`, or repeat the settings"))
        }
        Ok(_) => Ok(()),
        Err(_) => std::fs::write(path, own).map_err(writing(path)),
    }
}

/// A row in one line, for who waits.
fn in_short(found: &[Polarity]) -> String {
    let of = |row: &Polarity| format!("{} {}", row.classifier, super::dpvg_report::shown(&row.f1));
    found.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// What is learned from and what is not, cut to the same number of tokens.
fn parts(plan: &DpvgReproduction) -> Result<(Part, Part, Vec<String>), Failure> {
    let reading = plan.reading();
    let named = vec![plan.label_column.clone()];
    let wanted = [named.clone(), vec![plan.split_column.clone()]].concat();
    let loaded = Loaded::read(&plan.data, &reading, &wanted, &named)?;
    let no_labels = || Failure::new("some texts have no label", "give every record a label");
    let of_records: Option<Vec<String>> =
        loaded.column(&plan.label_column).ok_or_else(no_labels)?.iter().cloned().collect();
    let of_records = of_records.ok_or_else(no_labels)?;
    let mut labels = of_records.clone();
    labels.sort_unstable();
    labels.dedup();
    if labels.len() < 2 || labels.len() > 10 {
        let message = format!("there are {} labels", labels.len());
        return Err(Failure::new(message, "two are needed, and ten at most"));
    }
    let split = loaded.column(&plan.split_column);
    let is_test = |place: usize, record: usize| match split {
        Some(split) => split[record].as_deref() == Some("test"),
        None => place % 2 == 1,
    };
    let (mut learned, mut tested) = (Part { texts: vec![], labels: vec![] }, Part { texts: vec![], labels: vec![] });
    let mut order: Vec<usize> = (0..loaded.texts.len()).collect();
    // Files are often in the order of their labels.
    PrivacyRng::reproducible(1).shuffle(&mut order);
    for (place, record) in order.into_iter().enumerate() {
        let part = if is_test(place, record) { &mut tested } else { &mut learned };
        part.texts.push(cut(&loaded.texts[record], plan.max_tokens));
        part.labels.push(labels.partition_point(|label| *label < of_records[record]) as u32);
    }
    if learned.texts.is_empty() || tested.texts.is_empty() {
        let message = format!("{} texts to learn from and {} to test with", learned.texts.len(), tested.texts.len());
        return Err(Failure::new(
            message,
            "the column `--split-column` must be `test` for some texts, and not for all",
        ));
    }
    Ok((learned, tested, labels))
}

/// The first tokens of a text.
fn cut(text: &str, tokens: usize) -> String {
    let end = Document::read_up_to(text, tokens).tokens().last().map_or(0, |token| token.span.end);
    text[..end].to_owned()
}

fn rows_of(part: &Part, labels: &[String]) -> String {
    let row = |(text, label): (&String, &u32)| {
        serde_json::json!({"text": text, "label": labels[*label as usize]}).to_string() + "\n"
    };
    part.texts.iter().zip(&part.labels).map(row).collect()
}

/// The texts of a system; none if it was stopped.
fn written(
    plan: &DpvgReproduction,
    system: System,
    seed: u64,
    labels: &[String],
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Option<Part>, Failure> {
    let name = system.file(seed);
    let private = plan.out.join("private");
    let work = private.join(&name);
    // What was written without noise may be what was read.
    let out = if system.private { &plan.out } else { &private }.join(format!("{name}.jsonl"));
    if !out.is_file() {
        let settings = SynthesisSettings {
            data: plan.out.join("private").join("training.jsonl"),
            out: out.clone(),
            resume: work.join("settings.toml").is_file(),
            work,
            format: Some(Format::Jsonl),
            label_column: Some("label".into()),
            epsilon: system.private.then_some(plan.epsilon),
            delta: plan.delta,
            count: plan.count,
            max_tokens: plan.max_tokens,
            method: system.method,
            model: plan.model.clone().filter(|_| system.method == Method::Tuned),
            names: system.names,
            k: plan.k,
            steps: plan.lstm_steps.filter(|_| system.method == Method::Lstm),
            seed: Some(seed),
            threads: plan.threads,
            ..SynthesisSettings::default()
        };
        if synthesize(&settings, observer, cancel)?.stopped {
            return Ok(None);
        }
    }
    let text = std::fs::read_to_string(&out).map_err(|error| Failure::reading("the texts", &out, &error))?;
    let mut part = Part { texts: vec![], labels: vec![] };
    for row in text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        let label = row["label"].as_str().and_then(|label| labels.iter().position(|known| known == label));
        if let (Some(text), Some(label)) = (row["text"].as_str(), label) {
            part.texts.push(text.to_owned());
            part.labels.push(label as u32);
        }
    }
    Ok(Some(part))
}

/// The systems of these names, or all.
fn chosen(names: &[String]) -> Result<Vec<System>, Failure> {
    if let Some(name) = names.iter().find(|name| SYSTEMS.iter().all(|system| system.name != name.as_str())) {
        let known: Vec<&str> = SYSTEMS.iter().map(|system| system.name).collect();
        let message = format!("there is no system `{name}`");
        return Err(Failure::new(message, format!("there are: {}", known.join("; "))));
    }
    let wanted = |system: &&System| names.is_empty() || names.iter().any(|name| name == system.name);
    Ok(SYSTEMS.iter().filter(wanted).copied().collect())
}

/// Public texts, whole: nobody learned less of them than there is.
fn public_texts(plan: &DpvgReproduction) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    for path in &plan.public {
        texts.extend(Loaded::read(path, &plan.reading(), &[], &[])?.texts);
    }
    Ok(texts)
}

/// Counts what was copied, and leaves for the owner what stands in learned texts alone.
fn copied(written: &Part, known: &[[Pieces; 3]; 2], list: &std::path::Path) -> Result<[CopiedCounts; 2], Failure> {
    let texts = as_str(&written.texts);
    let [runs, sentences] =
        known.each_ref().map(|[learned, others, public]| Pieces::copied(&texts, learned, others, public));
    let lines: String = runs.learned.iter().chain(&sentences.learned).map(|words| format!("{words}\n")).collect();
    std::fs::write(list, lines).map_err(writing(list))?;
    Ok([CopiedCounts::of(&runs), CopiedCounts::of(&sentences)])
}

/// Two attackers have the synthetic texts and guess who was learned from: one looks for the nearest text, one for runs of words.
fn membership(written: &Part, learned: &Part, tested: &Part) -> Result<Vec<Advantage>, Failure> {
    let count = ATTACKED.min(learned.texts.len()).min(tested.texts.len()) / 2 * 2;
    let (members, others) = (learned.some(count, 3), tested.some(count, 4));
    let texts = as_str(&written.texts);
    let runs = Pieces::of(&texts, Piece::Run(RUN));
    let scores = [
        ("nearest text", nearest(&members, &texts)?, nearest(&others, &texts)?),
        ("runs of three words", runs.share(&members), runs.share(&others)),
    ];
    let mut found: Vec<Advantage> = Vec::new();
    for (by, members, others) in scores {
        let finding = membership_by_score(by, &members, &others)?;
        found.push(Advantage { by, auc: finding.measures.auc, advantage: advantage(finding.measures.accuracy) });
    }
    Ok(found)
}

/// DPvG less DP E-D: the runs of one seed began with the same numbers and have the same noise.
fn differences(rows: &[SystemRow], labels: &[String]) -> Vec<Difference> {
    let of = |system: &str| rows.iter().filter(|row| row.system == system).collect::<Vec<_>>();
    let (with, without) = (of("dpvg"), of("dp-e-d"));
    let mut found = Vec::new();
    for (place, classifier) in super::polarity::CLASSIFIERS.into_iter().enumerate() {
        for (label, name) in labels.iter().enumerate() {
            let numbers: Vec<f64> = with
                .iter()
                .zip(&without)
                .map(|(with, without)| with.polarity[place].f1[label] - without.polarity[place].f1[label])
                .collect();
            if let Some(difference) = of_few(&numbers) {
                found.push(Difference { classifier, label: name.clone(), difference });
            }
        }
    }
    found
}

/// The mean of a few numbers with its interval; nothing for fewer than two.
fn of_few(numbers: &[f64]) -> Option<Interval> {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // For more than ten numbers the point of ten: a little too wide.
    let point = STUDENT[numbers.len().checked_sub(2)?.min(STUDENT.len() - 1)];
    let reach = point * (variance / count).sqrt();
    Some(Interval { value: mean, low: mean - reach, high: mean + reach })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_few_by_hand() {
        // 1, 2, 3: mean 2, deviation 1, 4.303 / sqrt 3 = 2.4843.
        let found = of_few(&[1.0, 2.0, 3.0]).unwrap();
        assert!(found.value == 2.0 && (found.high - 4.4843).abs() < 1e-3 && (found.low + 0.4843).abs() < 1e-3);
        assert_eq!(of_few(&[1.0]), None);
    }

    #[test]
    fn a_text_is_cut_after_whole_tokens() {
        assert_eq!(cut("One, two three.", 3), "One, two");
        assert_eq!((cut("One", 3), cut("", 3)), ("One".to_owned(), String::new()));
    }
}
