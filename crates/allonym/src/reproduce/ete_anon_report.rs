//! The figures of a reproduction of ETE-Anon, for people.

use super::ete_anon::{EteAnonFigures, EteAnonRow};
use crate::failure::Failure;
use crate::training::Right;
use std::fmt::Write;
use std::path::Path;

/// What the paper prints: sentiment and authorship, in percent.
const PAPER: [(&str, f64, f64); 6] = [
    ("the paper's original", 68.46, 48.14),
    ("the paper's alpha 0", 62.13, 24.87),
    ("the paper's alpha 0.25", 62.43, 24.78),
    ("the paper's alpha 0.5", 62.34, 24.81),
    ("the paper's alpha 0.75", 62.48, 24.73),
    ("the paper's alpha 1", 62.38, 24.90),
];

/// The drawing's size, and the room for axes.
const SIZE: (f64, f64, f64) = (640.0, 360.0, 50.0);
/// Colours of lines.
const COLOURS: [&str; 6] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#555555"];

impl EteAnonRow {
    fn name(&self) -> String {
        match self.alpha {
            Some(alpha) => {
                let content = self.content.filter(|content| *content > 0.0);
                let content = content.map_or_else(String::new, |content| format!(", content {content}"));
                format!("{}, alpha {alpha}{content}", self.system)
            }
            None => self.system.clone(),
        }
    }
}

fn shown(right: &Right) -> String {
    let accuracy = right.accuracy;
    let area = right.area.map_or_else(String::new, |area| format!(", {area:.3}"));
    format!("{:.1} ({:.1} to {:.1}){area}", 100.0 * accuracy.value, 100.0 * accuracy.low, 100.0 * accuracy.high)
}

impl EteAnonFigures {
    /// The table, the curves in numbers, and samples.
    pub fn markdown(&self) -> String {
        let [authors, learned, tested] = self.sizes;
        let found = &self.reconstruction;
        let mut text = format!(
            "# ETE-Anon, measured again\n\n- No row has a formal guarantee.\n- {learned} sequences of {authors} authors learned from, {tested} tested with. Chance: author {:.1} %; always the commonest: author {:.1} %, sentiment {:.1} %.\n- The auto-encoder alone: {} of {} sequences come back exactly, {:.1} % of {} tokens stand at their place, {:.1} % somewhere.\n\n## Accuracy in percent (95 %), area under the curve\n\n| system | author, by originals | sentiment, by originals | author, by releases | sentiment, by releases | words kept |\n|---|---|---|---|---|---|\n",
            100.0 / authors.max(1) as f64,
            100.0 * self.commonest[0],
            100.0 * self.commonest[1],
            found.exact,
            found.texts,
            100.0 * found.accuracy(),
            found.tokens,
            100.0 * found.kept()
        );
        for row in &self.rows {
            let adaptive =
                row.adaptive.as_ref().map_or(["".to_owned(), "".to_owned()], |both| [shown(&both[0]), shown(&both[1])]);
            let all = &row.found.all;
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {:.1} % |",
                row.name(),
                shown(&all.author),
                shown(&all.sentiment),
                adaptive[0],
                adaptive[1],
                100.0 * all.kept
            );
        }
        for (name, sentiment, author) in PAPER {
            let _ = writeln!(text, "| *{name}, on other data* | {author} | {sentiment} | | | |");
        }
        text.push_str("\n## Beginnings and ends, by originals\n\n| system | author | sentiment |\n|---|---|---|\n");
        for row in &self.rows {
            for (part, found) in [("beginnings", &row.found.first), ("ends", &row.found.last)] {
                if let Some(found) = found {
                    let _ = writeln!(
                        text,
                        "| {}, {part} | {} | {} |",
                        row.name(),
                        shown(&found.author),
                        shown(&found.sentiment)
                    );
                }
            }
        }
        text.push_str("\n## Rewards: nothing done, at random, and by tenths of the episodes\n\n| agent | nothing | random | tenths | texts decoded a second |\n|---|---|---|---|---|\n");
        for row in &self.rows {
            let Some(learned) = &row.learned else { continue };
            let tenths: Vec<String> = learned.curve.iter().map(|reward| format!("{reward:.3}")).collect();
            let _ = writeln!(
                text,
                "| {} | {:.3} | {:.3} | {} | {:.0} |",
                row.name(),
                learned.unchanged,
                learned.random.reward,
                tenths.join(" "),
                learned.decoded_per_second
            );
        }
        let moved = self.rows.iter().filter_map(|row| Some((row, row.learned.as_ref()?.moves?)));
        for (row, moves) in moved {
            let _ = writeln!(text, "\n{}: {moves}.", row.name());
        }
        text.push_str("\n## Samples\n");
        for sample in 0..self.rows.first().map_or(0, |row| row.samples.len()) {
            text.push_str("\n| system | text |\n|---|---|\n");
            for row in &self.rows {
                if let Some(sample) = row.samples.get(sample) {
                    let _ = writeln!(text, "| {} | {} |", row.name(), sample.replace('|', "\\|"));
                }
            }
        }
        text
    }

    /// Areas under the curves against alpha, as the paper's figure has them.
    fn areas_svg(&self) -> String {
        let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for (what, of) in [("author", true), ("sentiment", false)] {
            let area = |row: &EteAnonRow| if of { row.found.all.author.area } else { row.found.all.sentiment.area };
            for row in self.rows.iter().filter(|row| row.alpha.is_none() && !row.system.contains("random")) {
                if let Some(area) = area(row) {
                    lines.push((format!("{}: {what}", row.system), vec![(0.0, area), (1.0, area)]));
                }
            }
            let mut agents: Vec<&str> =
                self.rows.iter().filter(|row| row.alpha.is_some()).map(|row| row.system.as_str()).collect();
            agents.dedup();
            for agent in agents {
                let of_agent = self.rows.iter().filter(|row| row.system == agent);
                let points = of_agent.filter_map(|row| Some((row.alpha?, area(row)?))).collect();
                lines.push((format!("{agent}: {what}"), points));
            }
        }
        chart("area under the curve, by alpha", (0.0, 1.0), (0.4, 1.0), &lines)
    }

    /// Rewards at random, and then by tenths of the episodes.
    fn curves_svg(&self) -> String {
        let of = |row: &EteAnonRow| {
            let learned = row.learned.as_ref()?;
            let rewards = std::iter::once(&learned.random.reward).chain(&learned.curve);
            let points = rewards.enumerate().map(|(tenth, reward)| (tenth as f64, *reward));
            Some((row.name(), points.collect::<Vec<_>>()))
        };
        let lines: Vec<(String, Vec<(f64, f64)>)> = self.rows.iter().filter_map(of).collect();
        let all = || lines.iter().flat_map(|(_, points)| points.iter().map(|(_, reward)| *reward));
        let (low, high) = (all().fold(0.0, f64::min), all().fold(0.1, f64::max));
        chart(
            "mean reward of a step: at random (0), then by tenths of the episodes",
            (0.0, 10.0),
            (low - 0.05, high + 0.05),
            &lines,
        )
    }

    /// Writes the table, the figures and everything as JSON.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), Failure> {
        let json = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        for (name, contents) in [
            ("ete-anon.md", self.markdown()),
            ("ete-anon.json", json),
            ("figure-1.svg", self.areas_svg()),
            ("learning.svg", self.curves_svg()),
        ] {
            let path = out.join(name);
            std::fs::write(&path, contents).map_err(|error| Failure::writing(&path, &error))?;
        }
        Ok(())
    }
}

/// Lines over two axes.
fn chart(
    title: &str,
    (left, right): (f64, f64),
    (low, high): (f64, f64),
    lines: &[(String, Vec<(f64, f64)>)],
) -> String {
    let (width, height, room) = SIZE;
    let x = |value: f64| room + (value - left) / (right - left) * (width - 2.0 * room);
    let y = |value: f64| height - room - (value - low) / (high - low) * (height - 2.0 * room);
    let below = 18.0 * lines.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{room}\" y=\"20\">{title}</text>\n",
        height + below
    );
    for step in 0..=4 {
        let value = low + (high - low) * f64::from(step) / 4.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{room}\" x2=\"{}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/><text x=\"4\" y=\"{:.1}\">{value:.2}</text>",
            width - room,
            y(value),
            y(value),
            y(value) + 4.0
        );
        let value = left + (right - left) * f64::from(step) / 4.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value:.2}</text>",
            x(value),
            height - room + 18.0
        );
    }
    for (place, (name, points)) in lines.iter().enumerate() {
        let (colour, dash) =
            (COLOURS[place % COLOURS.len()], if place >= COLOURS.len() { " stroke-dasharray=\"5 3\"" } else { "" });
        let points: Vec<String> = points.iter().map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value))).collect();
        let line = height + 18.0 * place as f64;
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n<line x1=\"{room}\" x2=\"{}\" y1=\"{line}\" y2=\"{line}\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/><text x=\"{}\" y=\"{}\">{name}</text>",
            points.join(" "),
            room + 30.0,
            room + 38.0,
            line + 4.0
        );
    }
    svg + "</svg>\n"
}
