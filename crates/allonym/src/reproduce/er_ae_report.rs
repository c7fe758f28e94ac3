//! The figures as tables for people and for spreadsheets.

use super::er_ae::{ErAeFigures, TableRow};
use std::fmt::Write;

fn cell(value: Option<f64>, places: usize) -> String {
    value.map(|value| format!("{value:.places$}")).unwrap_or_default()
}

/// A table with one line for each system.
pub(super) fn csv(rows: &[TableRow]) -> String {
    let attackers: Vec<&str> =
        rows.first().map(|row| row.attacks.iter().map(|attack| attack.attacker.as_str()).collect()).unwrap_or_default();
    let mut text =
        "system,epsilon_per_token,epsilon_total,paper_epsilon_total,similarity,unrelated,tokens_kept,stylometric"
            .to_owned();
    for attacker in &attackers {
        let _ = write!(text, ",{attacker}_static,{attacker}_adaptive");
    }
    text.push('\n');
    for row in rows {
        let numbers = [
            row.epsilon_per_token,
            row.epsilon_total,
            row.paper_epsilon_total,
            row.similarity,
            row.unrelated,
            row.tokens_kept,
            row.stylometric,
        ];
        let _ = write!(text, "\"{}\",{}", row.system, numbers.map(|value| cell(value, 6)).join(","));
        for attacker in &attackers {
            let found = row.attacks.iter().find(|attack| attack.attacker == *attacker);
            let by = |pick: fn(&super::er_ae::AttackRow) -> Option<f64>| cell(found.and_then(pick), 6);
            let _ = write!(text, ",{},{}", by(|attack| attack.by_originals), by(|attack| attack.by_releases));
        }
        text.push('\n');
    }
    text
}

fn percent(value: Option<f64>) -> String {
    value.map(|value| format!("{:.1}", 100.0 * value)).unwrap_or_default()
}

fn rows(text: &mut String, rows: &[TableRow]) {
    let attackers: Vec<&str> =
        rows.first().map(|row| row.attacks.iter().map(|attack| attack.attacker.as_str()).collect()).unwrap_or_default();
    text.push_str(
        "| system | epsilon a token | epsilon a record | paper's | similarity | tokens kept % | stylometric L2 |",
    );
    for attacker in &attackers {
        let _ = write!(text, " {attacker} % |");
    }
    let _ = writeln!(text, "\n|---|---|---|---|---|---|---|{}", "---|".repeat(attackers.len()));
    for row in rows {
        let _ = write!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.system,
            cell(row.epsilon_per_token, 3),
            cell(row.epsilon_total, 1),
            cell(row.paper_epsilon_total, 1),
            cell(row.similarity, 3),
            percent(row.tokens_kept),
            cell(row.stylometric, 2)
        );
        for attacker in &attackers {
            let found = row.attacks.iter().find(|attack| attack.attacker == *attacker);
            let adaptive = found.and_then(|attack| attack.by_releases);
            let end = adaptive.map(|found| format!(" / {:.1}", 100.0 * found)).unwrap_or_default();
            let _ = write!(text, " {}{end} |", percent(found.and_then(|attack| attack.by_originals)));
        }
        text.push('\n');
    }
}

/// All tables as a page.
pub fn markdown(figures: &ErAeFigures) -> String {
    let mut text = "# ER-AE, measured again\n\n".to_owned();
    figures.notes.iter().for_each(|note| {
        let _ = writeln!(text, "- {note}");
    });
    let [authors, learned, tested] = figures.records;
    let chance = figures.table.first().and_then(|row| Some(row.attacks.first()?.chance)).unwrap_or(0.0);
    let _ = writeln!(
        text,
        "\n## Table 1: {authors} authors, {learned} records learned from, {tested} tested\nAttackers: learned from originals / learned from releases of the same kind; chance {:.1} %.\n",
        100.0 * chance
    );
    rows(&mut text, &figures.table);
    if !figures.reviews.is_empty() {
        text.push_str("\n## Table 1: texts without authors\n\n");
        rows(&mut text, &figures.reviews);
    }
    text.push_str("\n## Table 2: what is proposed\n\n| model | word | best candidates: probability, cosine with the original |\n|---|---|---|\n");
    for found in &figures.examples.candidates {
        let best: Vec<String> =
            found.best.iter().map(|(word, p, cosine)| format!("{word} {p:.4} ({cosine:.2})")).collect();
        let _ = writeln!(text, "| {} | {} | {} |", found.model, found.word, best.join(", "));
    }
    text.push_str("\n## Table 3: the probability that one of the five best is drawn\n\n| probabilities | word | mechanism | true loss | probability |\n|---|---|---|---|---|\n");
    for good in &figures.examples.good {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.3} | {:.5} |",
            good.of, good.word, good.mechanism, good.loss, good.probability
        );
    }
    text.push_str("\n## Samples\n\n| original | system | release |\n|---|---|---|\n");
    for [original, system, release] in &figures.examples.samples {
        let clean = |text: &String| text.replace('|', "\\|");
        let _ = writeln!(text, "| {} | {system} | {} |", clean(original), clean(release));
    }
    text
}
