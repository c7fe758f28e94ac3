//! Charts as SVG, readable in print and without colour.

use crate::attack::{Finding, Side};
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 70.0;

/// A text that may stand in SVG or HTML.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
    out
}

/// For each attacker the accuracy on originals and on the release, with intervals; the dashed line is blind guessing.
pub(super) fn attacks(before: &[Finding], after: &[Finding]) -> String {
    let mut attackers: Vec<&str> = Vec::new();
    for finding in before.iter().chain(after) {
        if !attackers.contains(&finding.attacker.as_str()) {
            attackers.push(&finding.attacker);
        }
    }
    let bars: Vec<(&str, Vec<(&str, &Finding)>)> = attackers
        .into_iter()
        .map(|attacker| {
            let all = before.iter().chain(after).filter(|finding| finding.attacker == attacker);
            (attacker, all.map(|finding| (kind(finding), finding)).collect())
        })
        .collect();
    let rows: usize = bars.iter().map(|(_, bars)| bars.len()).sum();
    let height = 46.0 + rows as f64 * 19.0 + bars.len() as f64 * 12.0;
    let scale = |share: f64| LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT);
    let mut svg = begin(height, "Accuracy of each attacker before and after");
    grid(&mut svg, height, scale);
    let mut y = 14.0;
    for (attacker, bars) in &bars {
        let middle = y + bars.len() as f64 * 19.0 / 2.0 + 4.0;
        let _ = write!(svg, r#"<text x="8" y="{middle:.0}" class="name">{}</text>"#, escape(attacker));
        for (kind, finding) in bars {
            let accuracy = finding.measures.accuracy;
            let (x, low, high) = (scale(accuracy.value), scale(accuracy.low), scale(accuracy.high));
            let _ = write!(
                svg,
                r#"<rect x="{LEFT}" y="{y:.0}" width="{:.1}" height="15" class="{kind}"/><path d="M{low:.1} {m:.1}H{high:.1}M{low:.1} {t:.1}v6M{high:.1} {t:.1}v6" class="interval"/><text x="{:.1}" y="{:.1}">{:.1} %</text>"#,
                (x - LEFT).max(0.5),
                high + 6.0,
                y + 12.0,
                100.0 * accuracy.value,
                m = y + 7.5,
                t = y + 4.5,
            );
            y += 19.0;
        }
        y += 12.0;
    }
    if let Some(chance) = after.iter().chain(before).map(|finding| finding.measures.chance).next() {
        let x = scale(chance);
        let _ = write!(
            svg,
            r#"<path d="M{x:.1} 6V{:.0}" class="chance"/><text x="{:.1}" y="{:.0}" class="small">chance {:.1} %</text>"#,
            height - 30.0,
            x + 3.0,
            height - 6.0,
            100.0 * chance
        );
    }
    svg.push_str("</svg>");
    svg
}

fn kind(finding: &Finding) -> &'static str {
    match (finding.learned_from, finding.tested_on) {
        (_, Side::Original) => "before",
        (Side::Original, Side::Released) => "static",
        (Side::Released, Side::Released) => "adaptive",
    }
}

/// A release in the picture of all: how well its authors are found, and what it keeps.
pub(super) struct Point<'a> {
    pub(super) name: &'a str,
    pub(super) attack: f64,
    pub(super) kept: f64,
}

/// What is kept against what is found: the best place is at the top left.
pub(super) fn trade(points: &[Point<'_>], chance: f64, kept: &str) -> String {
    let height = 320.0;
    let x = |share: f64| LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT);
    let y = |share: f64| 280.0 - share.clamp(0.0, 1.0) * 260.0;
    let mut svg = begin(height, "What is kept against what attackers find");
    for step in 0..=5 {
        let share = f64::from(step) / 5.0;
        let _ = write!(
            svg,
            r#"<path d="M{0:.1} 20V280M{LEFT} {1:.1}H{2:.1}" class="grid"/><text x="{0:.1}" y="296" class="tick">{3:.0} %</text><text x="{4:.1}" y="{5:.1}" class="tick end">{6:.1}</text>"#,
            x(share),
            y(share),
            WIDTH - RIGHT,
            100.0 * share,
            LEFT - 6.0,
            y(share) + 4.0,
            share
        );
    }
    let _ = write!(
        svg,
        r#"<path d="M{0:.1} 20V280" class="chance"/><text x="{1:.1}" y="14" class="small">chance</text><text x="{2:.1}" y="314" class="small middle">strongest attacker, accuracy</text><text x="8" y="150" class="small">{3}</text>"#,
        x(chance),
        x(chance) - 10.0,
        x(0.5),
        escape(kept)
    );
    for point in points {
        let (x, y) = (x(point.attack), y(point.kept));
        let _ = write!(
            svg,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="5" class="point"/><text x="{:.1}" y="{:.1}">{}</text>"#,
            x + 8.0,
            y - 5.0,
            escape(point.name)
        );
    }
    svg.push_str("</svg>");
    svg
}

fn begin(height: f64, title: &str) -> String {
    format!(
        r#"<svg viewBox="0 0 {WIDTH} {height:.0}" role="img" aria-label="{0}" xmlns="http://www.w3.org/2000/svg"><title>{0}</title>"#,
        escape(title)
    )
}

fn grid(svg: &mut String, height: f64, scale: impl Fn(f64) -> f64) {
    for step in 0..=5 {
        let share = f64::from(step) / 5.0;
        let x = scale(share);
        let _ = write!(
            svg,
            r#"<path d="M{x:.1} 6V{:.0}" class="grid"/><text x="{x:.1}" y="{:.0}" class="tick">{:.0} %</text>"#,
            height - 30.0,
            height - 18.0,
            100.0 * share
        );
    }
}
