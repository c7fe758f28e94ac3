//! The tables and figures of the two papers on ER-AE, on other data and with bounds that hold.

use super::curves::{Curve, curves};
use super::examples::{Examples, examples};
use super::systems::{System, systems};
use crate::evaluation::{Attack, Plan, evaluate, load::Loaded, load::Reading};
use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::run::run;
use crate::settings::Settings;
use crate::training::{ErAeTraining, Parts};
use allonym_eval::attack::{Finding, Side};
use allonym_eval::report::{Datasheet, Release};
use allonym_io::{Format, Table};
use allonym_models::er_ae::ErAe;
use allonym_text::{Activity, CancelToken, Document, Observer, Prefixed, Silent};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What is to be reproduced.
#[derive(Clone, Debug)]
pub struct ErAeReproduction {
    /// Records with authors.
    pub data: PathBuf,
    /// Records without authors: the papers' peer reviews.
    pub reviews: Option<PathBuf>,
    /// The directory that `train er-ae` wrote.
    pub model: PathBuf,
    /// Word vectors, for SynTF.
    pub embeddings: Option<PathBuf>,
    /// A sentence encoder's directory.
    pub encoder: Option<PathBuf>,
    /// Where releases, tables and figures go.
    pub out: PathBuf,
    /// The most tokens of a record; the papers take 50.
    pub max_tokens: usize,
    /// At most so many test records.
    pub records: usize,
    /// Attackers, by their names.
    pub attackers: Vec<String>,
    /// Whether a model may be used that was trained on private texts without protection.
    pub allow_private_model: bool,
}

/// A row of the papers' table 1.
#[derive(Clone, Debug, Serialize)]
pub struct TableRow {
    /// The system.
    pub system: String,
    /// The name of its release.
    pub release: String,
    /// The true loss of a token.
    pub epsilon_per_token: Option<f64>,
    /// The true loss of a record.
    pub epsilon_total: Option<f64>,
    /// What the paper would print for it.
    pub paper_epsilon_total: Option<f64>,
    /// The mean similarity of meaning.
    pub similarity: Option<f64>,
    /// What unrelated texts have.
    pub unrelated: Option<f64>,
    /// The share of tokens that stand where they stood.
    pub tokens_kept: Option<f64>,
    /// The distance in stylometric features.
    pub stylometric: Option<f64>,
    /// Accuracy of each attacker: static, and adaptive.
    pub attacks: Vec<AttackRow>,
}

/// What an attacker finds.
#[derive(Clone, Debug, Serialize)]
pub struct AttackRow {
    /// The attacker.
    pub attacker: String,
    /// Learned from originals.
    pub by_originals: Option<f64>,
    /// Learned from releases of the same kind.
    pub by_releases: Option<f64>,
    /// What guessing finds.
    pub chance: f64,
}

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct ErAeFigures {
    /// What must be said with the figures.
    pub notes: Vec<String>,
    /// Authors, test records and their split among learned and tested.
    pub records: [usize; 3],
    /// Table 1 on the author corpus.
    pub table: Vec<TableRow>,
    /// Table 1 on texts without authors.
    pub reviews: Vec<TableRow>,
    /// Tables 2, 3 and the samples.
    pub examples: Examples,
    /// Figure 2.
    pub curves: Vec<Curve>,
}

/// Measures all systems. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, or the model does not fit.
pub fn reproduce_er_ae(
    plan: &ErAeReproduction,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<ErAeFigures, Failure> {
    let [er_ae, ae_dp] = ["er-ae", "ae-dp"].map(|name| plan.model.join(name));
    observer.begin(Activity::Reading, "reading the models");
    cancel.check()?;
    if let Some(missing) = [&er_ae, &ae_dp].into_iter().find(|stage| !stage.join("card.toml").is_file()) {
        return Err(Failure::new(
            format!("{} is missing: both stages of an ER-AE are compared", missing.display()),
            "give a directory that `allonym train er-ae` finished, with its second stage",
        ));
    }
    attackers_known(&plan.attackers)?;
    let (with_reward, _) = ErAe::open(&er_ae)?;
    let (without, _) = ErAe::open(&ae_dp)?;
    let words = with_reward.vocabulary().words();
    let all = systems(&er_ae, &ae_dp, plan.embeddings.as_deref(), words, plan.max_tokens);
    let trained = trained(&plan.model)?;
    check_unseen(plan, &trained)?;
    let originals = plan.out.join("private");
    for directory in [&originals, &plan.out.join("releases")] {
        std::fs::create_dir_all(directory).map_err(writing(directory))?;
    }
    let authors = test_part(plan, &trained, &plan.data, &originals.join("authors.jsonl"), true)?;
    let (table, sheet) = table(plan, &trained, &authors, &all, true, observer, cancel)?;
    let reviews = match &plan.reviews {
        None => Vec::new(),
        Some(reviews) => {
            let reviews = test_part(plan, &trained, reviews, &originals.join("reviews.jsonl"), false)?;
            self::table(plan, &trained, &reviews, &all, false, observer, cancel)?.0
        }
    };
    observer.begin(Activity::Measuring, "looking at examples");
    cancel.check()?;
    let figures = ErAeFigures {
        notes: notes(plan, words),
        records: [sheet.protocol.authors.unwrap_or(0), sheet.protocol.learned, sheet.protocol.tested],
        curves: curves(&all, &table, &reviews),
        table,
        reviews,
        examples: examples(&without, &with_reward, trained.basis.seed)?,
    };
    write(plan, &figures)?;
    Ok(figures)
}

/// How the model was trained: by the same seed and columns, the test part is the one that it has not seen.
fn trained(model: &Path) -> Result<ErAeTraining, Failure> {
    let path = model.join("settings.toml");
    let text =
        std::fs::read_to_string(&path).map_err(|error| Failure::reading("the settings of the model", &path, &error))?;
    toml::from_str(&text).map_err(|error| {
        let message = format!("{} is not of a training of er-ae: {}", path.display(), error.message());
        Failure::new(message, "give the directory that `allonym train er-ae` wrote")
    })
}

fn attackers_known(names: &[String]) -> Result<(), Failure> {
    names.iter().try_for_each(|name| allonym_eval::attacker::find(name).map(|_| ()))?;
    Ok(())
}

/// A test part is one that the model has not seen: of the file that it was trained on, and of a training that left one.
fn check_unseen(plan: &ErAeReproduction, trained: &ErAeTraining) -> Result<(), Failure> {
    if trained.basis.private.is_some() {
        return Err(Failure::refusal(
            "private training learns from every record, so there is none left to test with",
            "train a model on public texts for the comparison",
        ));
    }
    let path = plan.model.join("training").join("data.sha256");
    let known =
        std::fs::read_to_string(&path).map_err(|error| Failure::reading("what was trained on", &path, &error))?;
    let given = crate::evaluation::load::hash(&plan.data);
    if given.is_none_or(|given| given != known.trim()) {
        return Err(Failure::refusal(
            format!(
                "{} is not the file that the model was trained on: it may have seen any of these texts",
                plan.data.display()
            ),
            "give the same file; its test part is the one that was left out",
        ));
    }
    Ok(())
}

/// The test part of a file, each record cut to the most tokens, so that originals and releases are of one length.
fn test_part(
    plan: &ErAeReproduction,
    trained: &ErAeTraining,
    data: &Path,
    out: &Path,
    authors: bool,
) -> Result<PathBuf, Failure> {
    let column = &trained.basis.author_column;
    let reading = Reading {
        format: None,
        table: Table::default(),
        text_column: if authors { trained.basis.text_column.clone() } else { "text".into() },
        id_column: column.clone(),
        author_column: column.clone(),
        label_column: "label".into(),
    };
    let loaded = Loaded::read(data, &reading, &[], &[])?;
    let of_record = loaded.column(column);
    if authors && of_record.is_none() {
        let message = format!("{} has no column `{column}`", data.display());
        return Err(Failure::new(message, "the attacks need to know who wrote what"));
    }
    let parts = Parts::of(loaded.texts.len(), of_record, trained.basis.seed);
    let mut lines = String::new();
    for record in spread(&parts.test, of_record, plan.records) {
        let text = &loaded.texts[record];
        let end = Document::read_up_to(text, plan.max_tokens).tokens().last().map_or(0, |token| token.span.end);
        if end == 0 {
            continue;
        }
        let author = of_record.and_then(|authors| authors[record].as_deref());
        let row = serde_json::json!({ "id": record, "author": author, "text": &text[..end] });
        let _ = writeln!(lines, "{row}");
    }
    std::fs::write(out, lines).map_err(writing(out))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(out, std::fs::Permissions::from_mode(0o600)).map_err(writing(out))?;
    }
    Ok(out.to_owned())
}

/// At most so many, and about the same share of every author's.
fn spread(records: &[usize], authors: Option<&[Option<String>]>, most: usize) -> Vec<usize> {
    let mut groups: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for record in records {
        groups.entry(authors.and_then(|authors| authors[*record].as_deref())).or_default().push(*record);
    }
    // Authors one after the other, and of all together every so-and-so-many-th: rounding is not done anew for each of them.
    let ordered: Vec<usize> = groups.into_values().flatten().collect();
    let count = most.min(ordered.len());
    let mut kept: Vec<usize> = (0..count).map(|place| ordered[place * ordered.len() / count]).collect();
    kept.sort_unstable();
    kept
}

fn table(
    plan: &ErAeReproduction,
    trained: &ErAeTraining,
    originals: &Path,
    systems: &[System],
    attacked: bool,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<(Vec<TableRow>, Datasheet), Failure> {
    let stem = originals.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut released = Vec::new();
    for system in systems {
        observer.begin(Activity::Releasing, &format!("{stem}: releasing by {}", system.title));
        cancel.check()?;
        let output = plan.out.join("releases").join(format!("{stem}-{}.jsonl", system.name));
        let settings = Settings {
            input: originals.to_owned(),
            output: output.clone(),
            format: Some(Format::Jsonl),
            seed: Some(trained.basis.seed),
            method: system.method(plan.allow_private_model),
            ..Settings::default()
        };
        let checked = settings.check()?;
        run(&checked, &Silent, cancel)?;
        released.push(output);
    }
    let measured = Plan {
        released,
        format: Some(Format::Jsonl),
        attacks: if attacked { vec![Attack::Attribution] } else { Vec::new() },
        attackers: if attacked { plan.attackers.clone() } else { Vec::new() },
        utility: true,
        encoder: plan.encoder.clone(),
        seed: trained.basis.seed,
        ..Plan::new(originals.to_owned())
    };
    let sheet = evaluate(&measured, &Prefixed::before(observer, format!("{stem}: ")), cancel)?;
    let mut rows = vec![TableRow {
        system: "original".into(),
        release: String::new(),
        epsilon_per_token: None,
        epsilon_total: None,
        paper_epsilon_total: None,
        similarity: Some(1.0),
        unrelated: None,
        tokens_kept: Some(1.0),
        stylometric: Some(0.0),
        attacks: attacks(&sheet.before, Side::Original),
    }];
    for (system, release) in systems.iter().zip(&sheet.releases) {
        rows.push(row(plan, system, release)?);
    }
    Ok((rows, sheet))
}

fn row(plan: &ErAeReproduction, system: &System, release: &Release) -> Result<TableRow, Failure> {
    let checked = Settings { method: system.method(plan.allow_private_model), ..Settings::default() }.check()?;
    let guarantee = Pipeline::new(&checked)?.guarantee()?;
    let (similarity, words) = (release.utility.similarity.as_ref(), release.utility.words);
    Ok(TableRow {
        system: system.title.clone(),
        release: system.name.clone(),
        epsilon_per_token: guarantee.epsilon_per_token(),
        epsilon_total: guarantee.epsilon_total(),
        paper_epsilon_total: guarantee.paper_epsilon_total(),
        similarity: similarity.map(|found| found.mean.value),
        unrelated: similarity.map(|found| found.unrelated),
        tokens_kept: (words.original > 0).then(|| words.in_place as f64 / words.original as f64),
        stylometric: release.style.as_ref().map(|style| style.distance),
        attacks: attacks(&release.findings, Side::Released),
    })
}

fn attacks(findings: &[Finding], tested: Side) -> Vec<AttackRow> {
    let mut rows: Vec<AttackRow> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.attack == "attribution" && finding.tested_on == tested) {
        let measures = &finding.measures;
        let place = match rows.iter().position(|row| row.attacker == finding.attacker) {
            Some(place) => place,
            None => {
                let attacker = finding.attacker.clone();
                rows.push(AttackRow { attacker, by_originals: None, by_releases: None, chance: measures.chance });
                rows.len() - 1
            }
        };
        match finding.learned_from {
            Side::Original => rows[place].by_originals = Some(measures.accuracy.value),
            Side::Released => rows[place].by_releases = Some(measures.accuracy.value),
        }
    }
    rows
}

fn notes(plan: &ErAeReproduction, words: usize) -> Vec<String> {
    vec![
        format!(
            "Each record is cut to its first {} tokens, and the number of tokens is kept, as the papers do.",
            plan.max_tokens
        ),
        format!("The vocabulary has {words} words; the papers' has 20,000, counted from the texts, which leaks."),
        "The releases are seeded, so that they can be made again: they are not private.".to_owned(),
        "Attackers learn from about four fifths of each author's test records and are tested on the rest.".to_owned(),
        "Table 3 of the second paper: the row of the two-set mechanism does not follow from its definition; ours does."
            .to_owned(),
    ]
}

pub(super) fn writing(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |error| Failure::writing(path, &error)
}

fn write(plan: &ErAeReproduction, figures: &ErAeFigures) -> Result<(), Failure> {
    let file = |name: &str, text: String| {
        let path = plan.out.join(name);
        std::fs::write(&path, text).map_err(|error| writing(&path)(error))
    };
    file("er-ae.json", serde_json::to_string_pretty(figures).unwrap_or_default() + "\n")?;
    file("table-1.csv", super::er_ae_report::csv(&figures.table))?;
    if !figures.reviews.is_empty() {
        file("table-1-reviews.csv", super::er_ae_report::csv(&figures.reviews))?;
    }
    file("figure-2.csv", super::curves::csv(&figures.curves))?;
    for curve in &figures.curves {
        file(&format!("figure-2-{}.svg", curve.name), super::curves::svg(curve))?;
    }
    file("er-ae.md", super::er_ae_report::markdown(figures))
}
