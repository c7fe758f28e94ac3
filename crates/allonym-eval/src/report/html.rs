//! The datasheet as one HTML file without any reference to the outside.

use super::chart::{Point, attacks, escape, trade};
use super::{Datasheet, Release, side, worst};
use crate::attack::Finding;
use crate::error::EvalError;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

const PAGE: &str = include_str!("page.html");

#[derive(Serialize)]
struct Page<'a> {
    #[serde(flatten)]
    sheet: &'a Datasheet,
    releases: Vec<Section>,
    trade: Option<String>,
    before_chart: String,
    how: Vec<String>,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    name: String,
    records: usize,
    sha256: String,
}

#[derive(Serialize)]
struct Section {
    name: String,
    tiles: Vec<Tile>,
    guarantee: Option<Vec<String>>,
    chart: Option<String>,
    attacks: Vec<Row>,
    utility: Vec<Line>,
    style: Option<StyleSection>,
    samples: Option<Vec<Pair>>,
    settings: Option<String>,
}

#[derive(Serialize)]
struct Tile {
    value: String,
    what: String,
}

#[derive(Serialize)]
struct Line {
    what: String,
    value: String,
    note: String,
}

#[derive(Serialize)]
struct Row {
    attack: String,
    attacker: String,
    learned: &'static str,
    tested: &'static str,
    accuracy: String,
    interval: String,
    chance: String,
    f1: String,
    top5: String,
    auc: String,
    found: String,
}

#[derive(Serialize)]
struct StyleSection {
    sentence: String,
    rows: Vec<HabitRow>,
}

#[derive(Serialize)]
struct HabitRow {
    what: String,
    shift: String,
    size: String,
}

#[derive(Serialize)]
struct Pair {
    id: String,
    diff: String,
}

/// The page of a datasheet.
///
/// # Errors
/// When the page cannot be made, which would be a mistake of ours.
pub fn render(sheet: &Datasheet) -> Result<String, EvalError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let page = Page {
        sheet,
        releases: sheet.releases.iter().map(|release| section(sheet, release)).collect(),
        trade: picture(sheet),
        before_chart: if sheet.releases.is_empty() { attacks(&single(&sheet.before), &[]) } else { String::new() },
        how: how(sheet),
        files: files(sheet),
    };
    environment.render_str(PAGE, page).map_err(|error| EvalError::Page { why: error.kind().to_string() })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn number(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// Attributions of single texts to authors.
fn single(findings: &[Finding]) -> Vec<Finding> {
    let is = |finding: &&Finding| finding.attack == "attribution";
    findings.iter().filter(is).cloned().collect()
}

fn section(sheet: &Datasheet, release: &Release) -> Section {
    let (before, after) = (single(&sheet.before), single(&release.findings));
    let chart = (!after.is_empty()).then(|| attacks(&before, &after));
    Section {
        name: release.name.clone(),
        tiles: tiles(sheet, release),
        guarantee: release.guarantee.clone(),
        chart,
        attacks: release.findings.iter().chain(&sheet.before).map(row).collect(),
        utility: utility(release),
        style: release.style.as_ref().map(|style| StyleSection {
            sentence: format!(
                "A release is {:.1} standard deviations away from its original; two originals are {:.1} apart on average.",
                style.distance, style.between_originals
            ),
            rows: style
                .most_changed
                .iter()
                .map(|change| HabitRow {
                    what: change.about.to_owned(),
                    shift: format!("{:+.2}", change.shift),
                    size: format!("{:.2}", change.size),
                })
                .collect(),
        }),
        samples: release.samples.as_ref().map(|samples| {
            samples.iter().map(|s| Pair { id: s.id.clone(), diff: diff(&s.original, &s.released) }).collect()
        }),
        settings: release.settings.as_ref().and_then(|settings| serde_json::to_string_pretty(settings).ok()),
    }
}

fn tiles(sheet: &Datasheet, release: &Release) -> Vec<Tile> {
    let mut tiles = Vec::new();
    let mut tile = |value: String, what: String| tiles.push(Tile { value, what });
    if let Some(before) = worst(&sheet.before) {
        let what = format!("of originals are attributed by the strongest of the attackers asked ({})", before.attacker);
        tile(percent(before.measures.accuracy.value), what);
    }
    if let Some(after) = release.worst() {
        let what = format!(
            "of released texts by the strongest of the attackers asked ({}); chance {}",
            after.attacker,
            percent(after.measures.chance)
        );
        tile(percent(after.measures.accuracy.value), what);
    }
    if let Some(similarity) = &release.utility.similarity {
        tile(
            number(similarity.mean.value),
            format!("mean similarity ({}); unrelated texts {}", similarity.encoder, number(similarity.unrelated)),
        );
    }
    if let Some(guess) = &release.reconstruction {
        let what =
            format!("of original tokens are guessed by who knows the mechanism; chance {}", percent(guess.chance));
        tile(percent(guess.recovered.value), what);
    }
    if let Some(kept) = release.utility.content_words_kept {
        tile(percent(kept), "of content words are kept".to_owned());
    }
    tiles
}

fn row(finding: &Finding) -> Row {
    let measures = &finding.measures;
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "\u{2013}".to_owned());
    Row {
        attack: finding.title(),
        attacker: finding.attacker.clone(),
        learned: side(finding.learned_from),
        tested: side(finding.tested_on),
        accuracy: percent(measures.accuracy.value),
        interval: format!("{:.1} \u{2013} {:.1}", 100.0 * measures.accuracy.low, 100.0 * measures.accuracy.high),
        chance: percent(measures.chance),
        f1: number(measures.macro_f1.value),
        top5: if measures.classes > 5 { percent(measures.top5.value) } else { "\u{2013}".to_owned() },
        auc: or_dash(measures.auc.map(|auc| number(auc.value))),
        found: or_dash(finding.found_at_one_percent.map(percent)),
    }
}

fn utility(release: &Release) -> Vec<Line> {
    let utility = &release.utility;
    let mut lines = Vec::new();
    let mut line = |what: &str, value: String, note: String| {
        lines.push(Line { what: what.to_owned(), value, note });
    };
    if let Some(similarity) = &utility.similarity {
        let empty = match similarity.empty {
            0 => String::new(),
            count => format!("; {count} pairs with an empty original are left out"),
        };
        let note = format!(
            "95 %: {} \u{2013} {}; unrelated originals: {}{empty}",
            number(similarity.mean.low),
            number(similarity.mean.high),
            number(similarity.unrelated)
        );
        line(&format!("similarity ({})", similarity.encoder), number(similarity.mean.value), note);
    }
    for finding in &utility.label {
        let what = format!(
            "label `{}`, learned from {}, tested on {}",
            finding.target,
            side(finding.learned_from),
            side(finding.tested_on)
        );
        line(&what, percent(finding.measures.accuracy.value), format!("chance {}", percent(finding.measures.chance)));
    }
    if let Some(kept) = utility.content_words_kept {
        line(
            "content words kept",
            percent(kept),
            format!("{} of {}", utility.words.content_kept, utility.words.content),
        );
    }
    if let Some(bleu) = utility.bleu {
        line("BLEU", number(bleu), "0 to 1, with the originals as references".to_owned());
    }
    if let Some(ratio) = utility.length_ratio {
        line("length", number(ratio), "released tokens for each original one".to_owned());
    }
    if let (Some(before), Some(after)) = (&utility.fluency_original, &utility.fluency_released) {
        line("perplexity", number(after.perplexity), format!("originals: {}", number(before.perplexity)));
        line(
            "grammaticality (SLOR)",
            number(after.grammaticality),
            format!("originals: {}", number(before.grammaticality)),
        );
    }
    lines
}

/// The picture of several releases: by similarity where it was measured, else by words kept.
fn picture(sheet: &Datasheet) -> Option<String> {
    if sheet.releases.len() < 2 {
        return None;
    }
    let by_meaning = sheet.releases.iter().all(|release| release.utility.similarity.is_some());
    let kept = |release: &Release| match by_meaning {
        true => release.utility.similarity.as_ref().map(|similarity| similarity.mean.value),
        false => release.utility.content_words_kept,
    };
    let mut points = Vec::new();
    for release in &sheet.releases {
        let (attack, kept) = (release.worst()?.measures.accuracy.value, kept(release)?);
        points.push(Point { name: &release.name, attack, kept });
    }
    if let Some(before) = worst(&sheet.before) {
        points.push(Point { name: "originals", attack: before.measures.accuracy.value, kept: 1.0 });
    }
    let chance = sheet.releases[0].worst()?.measures.chance;
    Some(trade(&points, chance, if by_meaning { "mean similarity" } else { "content words kept" }))
}

fn how(sheet: &Datasheet) -> Vec<String> {
    let protocol = &sheet.protocol;
    let mut lines = Vec::new();
    if protocol.authors.is_some() {
        lines.push(format!(
            "Attackers learned from {} records and were tested on {} others ({} of each author's; seed {}).",
            protocol.learned,
            protocol.tested,
            percent(protocol.test_share),
            protocol.seed
        ));
    }
    if protocol.authors_with_one_text > 0 {
        let count = protocol.authors_with_one_text;
        lines.push(format!("{count} authors have a single text: it is learned, and they are not tested."));
    }
    if !sheet.releases.is_empty() {
        lines.push(format!("Originals and releases were lined up by {}.", protocol.lined_up_by));
    }
    lines.push(
        "Chance is the accuracy of always naming whoever wrote most of the texts that were learned from.".to_owned(),
    );
    lines.push(format!(
        "Intervals hold 95 % of {} resamples of the tested texts. They say nothing about other texts, other authors or other attackers.",
        crate::measure::RESAMPLES
    ));
    lines
}

fn files(sheet: &Datasheet) -> Vec<File> {
    let sources = std::iter::once(&sheet.original).chain(sheet.releases.iter().map(|release| &release.source));
    let file = |source: &super::Source| File {
        name: source.name.clone(),
        records: source.records,
        sha256: source.sha256.clone().unwrap_or_else(|| "a directory".to_owned()),
    };
    sources.map(file).collect()
}

/// What was taken out and what was put in, word by word.
fn diff(original: &str, released: &str) -> String {
    let diff = TextDiff::from_words(original, released);
    let mut out = String::new();
    for change in diff.iter_all_changes() {
        let text = escape(change.value());
        match change.tag() {
            ChangeTag::Delete => out.push_str(&format!("<del>{text}</del>")),
            ChangeTag::Insert => out.push_str(&format!("<ins>{text}</ins>")),
            ChangeTag::Equal => out.push_str(&text),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::{Side, membership_by_score};
    use crate::report::{Protocol, Sample, Source, Utility};

    fn sheet(samples: bool) -> Datasheet {
        let source = |name: &str| Source { name: name.into(), sha256: Some("ab".repeat(32)), records: 2 };
        let mut finding = membership_by_score("char-svm", &[3.0, 4.0], &[1.0, 2.0]).unwrap();
        (finding.attack, finding.target) = ("attribution", "author".to_owned());
        let sample =
            || Sample { id: "1".into(), original: "the <b>canary</b> sang".into(), released: "the dog sang".into() };
        Datasheet {
            allonym: "0".into(),
            original: source("originals.csv"),
            protocol: Protocol {
                records: 2,
                authors: Some(2),
                authors_with_one_text: 1,
                learned: 1,
                tested: 1,
                test_share: 0.2,
                seed: 1,
                author_column: Some("author".into()),
                label_column: None,
                lined_up_by: "id".into(),
            },
            releases: vec![Release {
                source: source("released.csv"),
                name: "released & co".into(),
                guarantee: None,
                settings: None,
                findings: vec![Finding { tested_on: Side::Released, ..finding.clone() }],
                reconstruction: None,
                utility: Utility::default(),
                style: None,
                samples: samples.then(|| vec![sample()]),
            }],
            before: vec![finding],
            remarks: Vec::new(),
            not_protected: vec!["meaning".into()],
        }
    }

    #[test]
    fn a_page_refers_to_nothing_outside_and_escapes_what_it_is_given() {
        let page = render(&sheet(false)).unwrap();
        assert!(page.contains("<svg") && page.contains("released &amp; co"));
        let refers = ["href=", "src=", "url(", "@import", "<script"];
        assert!(refers.iter().all(|word| !page.contains(word)));
        assert!(!page.contains("canary"));
    }

    #[test]
    fn samples_are_shown_when_asked_for_with_their_changes() {
        let page = render(&sheet(true)).unwrap();
        assert!(page.contains("<del>&lt;b&gt;canary&lt;/b&gt;</del>"), "{page}");
        assert!(page.contains("<ins>dog</ins>") && !page.contains("<b>canary"));
    }
}
