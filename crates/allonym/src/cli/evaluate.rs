//! `allonym evaluate`: the datasheet of a release.

use super::demo_story::Story;
use super::interrupt::Interrupt;
use super::judging::{Judging, aligned, percent, table};
use super::progress::{Lines, Terminal};
use super::{json, print, print_json};
use allonym::Failure;
use allonym::eval::report::{Datasheet, Release, render};
use allonym::evaluation::evaluate;
use allonym::io::{Compression, Output};
use clap::Args;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  allonym evaluate --demo --report report.html
  allonym evaluate --original reviews.csv --released released.csv --report report.html
  allonym evaluate --original reviews.csv --released weak.csv strong.csv --report compared.html
  allonym evaluate --original reviews.csv --released released.csv --encoder minilm/ --json

The report is one HTML file that opens offline, with the same figures as JSON beside it (report.json). It holds no text of a record
unless `--samples` asks for some. If the run file of a release lies beside it (FILE.run.toml), the report says what was promised.
Without `--encoder` or `--embeddings` similarity sees shared words and stems only, not meaning.";

/// Measure what a release hides and what it keeps, on one page
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Evaluate {
    #[command(flatten)]
    judging: Judging,

    /// Tell the story on made-up reviews: 20 authors, before and after two releases
    #[arg(long, conflicts_with_all = ["original", "released"])]
    demo: bool,

    /// Write a page here, and its figures as JSON beside it
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    utility: Measuring,

    /// Show so many originals beside their releases: whoever has the report has these texts; only you can read the file
    #[arg(long, value_name = "N", default_value_t = 0)]
    samples: usize,
}

/// What similarity and fluency are measured with.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Utility")]
pub(super) struct Measuring {
    /// A directory with a sentence encoder: MiniLM or Universal Sentence Encoder Lite
    #[arg(long, value_name = "DIR", conflicts_with = "embeddings")]
    pub(super) encoder: Option<PathBuf>,

    /// Word vectors as GloVe or word2vec write them, instead
    #[arg(long, value_name = "FILE")]
    pub(super) embeddings: Option<PathBuf>,

    /// A public text, a sentence a line, for perplexity and grammaticality
    #[arg(long, value_name = "FILE")]
    pub(super) public_text: Option<PathBuf>,
}

impl Evaluate {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let story = self.demo.then(|| Story::write(interrupt.token())).transpose()?;
        let mut judging = self.judging;
        if let Some(story) = &story {
            judging.original = Some(story.original.clone());
            judging.released.clone_from(&story.released);
        }
        let mut plan = judging.plan()?;
        if plan.released.is_empty() {
            let hint = "name it with `--released`; for originals alone there is `allonym attack`";
            return Err(Failure::new("there is no release to evaluate", hint));
        }
        let Measuring { encoder, embeddings, public_text } = self.utility;
        (plan.encoder, plan.embeddings, plan.public_text) = (encoder, embeddings, public_text);
        (plan.utility, plan.samples) = (true, self.samples);
        if let Some(report) = &self.report {
            let others = [&plan.embeddings, &plan.public_text].into_iter().flatten();
            let inputs: Vec<&PathBuf> = plan.released.iter().chain([&plan.original]).chain(others).collect();
            check_target(report, &inputs)?;
        }
        let terminal = Terminal::new(Lines::NowAndThen);
        let sheet = evaluate(&plan, &terminal, interrupt.token())?;
        drop(terminal);
        if let Some(report) = &self.report {
            write(report, &render(&sheet)?, self.samples > 0)?;
            write(&report.with_extension("json"), &json(&sheet)?, self.samples > 0)?;
        }
        if self.json { print_json(&sheet) } else { print(&summary(&sheet, self.report.as_deref())) }
    }
}

/// A report must not replace what it is about.
fn check_target(report: &Path, inputs: &[&PathBuf]) -> Result<(), Failure> {
    let twin = report.with_extension("json");
    if twin == report {
        return Err(Failure::new("the report and its JSON would be the same file", "name it something.html"));
    }
    for target in [report, &twin] {
        if inputs.iter().any(|input| allonym::io::same_file(input, target)) {
            let message = format!("{} would be overwritten", target.display());
            return Err(Failure::refusal(message, "name another file with `--report`"));
        }
    }
    let directory = report.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match directory.is_dir() {
        true => Ok(()),
        false => {
            let message = format!("cannot write {}: no such directory", report.display());
            Err(Failure::new(message, "make the directory first"))
        }
    }
}

/// Writes a report. One that quotes originals is for their owner: nobody else can read the file.
fn write(path: &Path, text: &str, quotes_originals: bool) -> Result<(), Failure> {
    let mut file = match quotes_originals {
        true => Output::create_for_owner(path)?,
        false => Output::create(path, Compression::None)?,
    };
    file.write(text.as_bytes())?;
    Ok(file.finish()?)
}

fn summary(sheet: &Datasheet, report: Option<&Path>) -> String {
    let mut text = String::new();
    for remark in &sheet.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text.push_str("What these figures do not cover:\n");
    sheet.not_protected.iter().for_each(|line| text.push_str(&format!("- {line}\n")));
    text.push_str(&format!("\n{}:\n{}", sheet.original.name, table(&sheet.before)));
    for release in &sheet.releases {
        text.push_str(&format!(
            "\n{}:\n{}",
            release.source.name,
            table(release.findings.iter().chain(&release.utility.label))
        ));
        text.push_str(&format!("\n{}", kept(release)));
    }
    if let Some(report) = report {
        text.push_str(&format!(
            "\nThe report is in {}, its figures in {}.\n",
            report.display(),
            report.with_extension("json").display()
        ));
    }
    text
}

/// What a release keeps, for people.
fn kept(release: &Release) -> String {
    let utility = &release.utility;
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut row = |what: String, value: String| rows.push([what, value]);
    if let Some(similarity) = &utility.similarity {
        let what = format!("similarity ({}; unrelated {:.3})", similarity.encoder, similarity.unrelated);
        row(what, format!("{:.3}", similarity.mean.value));
    }
    utility.content_words_kept.into_iter().for_each(|share| row("content words kept".into(), percent(share)));
    utility.bleu.into_iter().for_each(|bleu| row("BLEU".into(), format!("{bleu:.3}")));
    utility.length_ratio.into_iter().for_each(|ratio| row("length ratio".into(), format!("{ratio:.2}")));
    if let (Some(before), Some(after)) = (&utility.fluency_original, &utility.fluency_released) {
        row(format!("perplexity (originals {:.0})", before.perplexity), format!("{:.0}", after.perplexity));
        row(format!("grammaticality (originals {:.2})", before.grammaticality), format!("{:.2}", after.grammaticality));
    }
    if let Some(guess) = &release.reconstruction {
        row(format!("tokens guessed (chance {})", percent(guess.chance)), percent(guess.recovered.value));
    }
    if let Some(style) = &release.style {
        let what = format!("stylometric change (between originals {:.1})", style.between_originals);
        row(what, format!("{:.1}", style.distance));
    }
    aligned(&rows, 1)
}
