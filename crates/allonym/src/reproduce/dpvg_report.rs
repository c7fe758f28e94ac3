//! The figures of a reproduction of DPvG, for people.

use super::dpvg::{Advantage, DpvgFigures, SystemRow};
use super::dpvg_figures::{heat_svg, loss_svg};
use super::polarity::CLASSIFIERS;
use crate::failure::Failure;
use allonym_eval::measure::Interval;
use std::fmt::Write;
use std::path::Path;

/// What the paper prints for texts of DPvG at epsilon 1, positive and negative, by the same classifiers.
const PAPER: [(&str, [(f64, f64); 4]); 3] = [
    ("the paper's original", [(0.582, 0.681), (0.642, 0.723), (0.640, 0.755), (0.609, 0.739)]),
    ("the paper's DP E-D", [(0.426, 0.622), (0.577, 0.653), (0.595, 0.661), (0.536, 0.639)]),
    ("the paper's DPvG", [(0.510, 0.648), (0.609, 0.680), (0.614, 0.691), (0.570, 0.673)]),
];

impl DpvgFigures {
    /// Table I and what stands beside it.
    pub fn markdown(&self) -> String {
        let [learned, tested, others] = self.records;
        let (epsilon, delta) = self.price;
        let mut text = format!(
            "# DPvG, measured again\n\n- {learned} texts learned from, {tested} tested with. Private rows cost a record epsilon {epsilon}, delta {delta:e} (added or removed), by a sound accountant. The noise is seeded here, for the sake of repetition, so none of these texts is protected: nothing of them is to be shown unless the data is public.\n- `dpvg` generalises names until k records share them, which depends on all records: its epsilon holds for the generalised texts alone.\n\n## Table I: F1 of {}\n\n| learned from | {} |\n|---|{}\n",
            self.labels.join(" / "),
            CLASSIFIERS.join(" | "),
            "---|".repeat(CLASSIFIERS.len())
        );
        for row in &self.rows {
            let cells: Vec<String> = row.polarity.iter().map(|found| shown(&found.f1)).collect();
            let _ = writeln!(text, "| {} | {} |", row.name(), cells.join(" | "));
        }
        if self.labels == ["neg", "pos"] {
            for (name, cells) in PAPER {
                let cells: Vec<String> = cells.iter().map(|(pos, neg)| shown(&[*neg, *pos])).collect();
                let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
            }
        }
        text.push_str(
            "\n## DPvG less DP E-D, over the seeds (95 %)\n\n| classifier | label | difference |\n|---|---|---|\n",
        );
        for found in &self.differences {
            let difference = found.difference;
            let _ = writeln!(
                text,
                "| {} | {} | {:+.3} ({:+.3} to {:+.3}) |",
                found.classifier, found.label, difference.value, difference.low, difference.high
            );
        }
        text.push_str("\n## Who was learned from\n\nTwo attackers have the synthetic texts and guess whether a text was learned from: members found less others taken for one; 0 is a blind guess.\n\n| system | by the nearest text | by runs of three words |\n|---|---|---|\n");
        for row in &self.rows {
            if row.membership.is_empty() {
                continue;
            }
            let each = |found: &Advantage| {
                let Interval { value, low, high } = found.advantage;
                format!("{value:.3} ({low:.3} to {high:.3})")
            };
            let found: Vec<String> = row.membership.iter().map(each).collect();
            let _ = writeln!(text, "| {} | {} |", row.name(), found.join(" | "));
        }
        let _ = writeln!(
            text,
            "\n## What is copied\n\nDifferent runs of nine words / whole sentences of nine and more that a system wrote and that stand in none but the {learned} texts that were learned from; in none but {others} that were not (what is found by chance); in both; or in public texts too. `private/copied-*.txt` lists the first.\n\n| system | learned from | not learned from | both | public |\n|---|---|---|---|---|"
        );
        for row in &self.rows {
            let Some([runs, sentences]) = row.copied else { continue };
            let cells = [
                (runs.learned, sentences.learned),
                (runs.control, sentences.control),
                (runs.both, sentences.both),
                (runs.public, sentences.public),
            ];
            let cells = cells.map(|(runs, sentences)| format!("{runs} / {sentences}"));
            let _ = writeln!(text, "| {} | {} |", row.name(), cells.join(" | "));
        }
        text.push_str("\n## Figure 3: cosine of originals and synthetic texts, residual IDF\n\n| system | mean | largest |\n|---|---|---|\n");
        for heat in &self.heat {
            let _ = writeln!(text, "| {} | {:.4} | {:.4} |", heat.system, heat.mean, heat.largest);
        }
        if !self.losses.is_empty() {
            text.push_str("\n## Figure 4: how far one record moved the logarithm of a word's chance, at most\n\nTwo models with equal noise, without dropout, for one of which one text was exchanged (for `dpvg` after names were generalised, so what that text changed in others is left out). It is no bound: epsilon is.\n\n| system | epsilon | loss |\n|---|---|---|\n");
            for point in &self.losses {
                let _ = writeln!(text, "| {} | {} | {:.4} |", point.system, point.epsilon, point.loss);
            }
        }
        text.push_str("\n## Samples\n\n| system | text |\n|---|---|\n");
        for (row, sample) in
            self.rows.iter().filter(|row| row.seed == 1).filter_map(|row| Some((row, row.sample.as_ref()?)))
        {
            let _ = writeln!(text, "| {} | {} |", row.system, sample.replace('|', "\\|"));
        }
        text
    }

    /// Writes tables and figures into a directory.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), Failure> {
        let mut files = vec![
            ("dpvg.md".to_owned(), self.markdown()),
            ("dpvg.json".to_owned(), serde_json::to_string_pretty(self).unwrap_or_default() + "\n"),
        ];
        files.extend(self.heat.iter().map(|heat| (format!("figure-3-{}.svg", heat.system), heat_svg(heat))));
        if !self.losses.is_empty() {
            files.push(("figure-4.svg".to_owned(), loss_svg(&self.losses)));
        }
        for (name, text) in files {
            let path = out.join(name);
            std::fs::write(&path, text).map_err(|error| Failure::writing(&path, &error))?;
        }
        Ok(())
    }
}

impl SystemRow {
    fn name(&self) -> String {
        match self.seed {
            0 => self.system.clone(),
            seed => format!("{} ({seed})", self.system),
        }
    }
}

pub(super) fn shown(f1: &[f64]) -> String {
    f1.iter().map(|f1| format!("{f1:.3}")).collect::<Vec<_>>().join(" / ")
}
