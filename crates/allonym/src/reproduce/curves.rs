//! Figure 2: what is kept and what is found, as epsilon grows.

use super::er_ae::TableRow;
use super::systems::System;
use serde::Serialize;
use std::fmt::Write;

/// A curve of figure 2.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// The mechanism, and the corpus where it is not the author's.
    pub name: String,
    /// Its points, by the paper's epsilon.
    pub points: Vec<Point>,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Point {
    /// The paper's parameter.
    pub epsilon: f64,
    /// The true loss of a record.
    pub epsilon_total: Option<f64>,
    /// What the paper would print for it.
    pub paper_epsilon_total: Option<f64>,
    /// The mean similarity.
    pub similarity: Option<f64>,
    /// The share of texts whose author the strongest attacker does not find.
    pub author_error: Option<f64>,
    /// The distance in stylometric features.
    pub stylometric: Option<f64>,
}

pub(super) fn curves(systems: &[System], table: &[TableRow], reviews: &[TableRow]) -> Vec<Curve> {
    let mut all: Vec<Curve> = Vec::new();
    for (rows, end) in [(table, ""), (reviews, "-reviews")] {
        for system in systems {
            let Some((name, epsilon)) = system.curve else { continue };
            let Some(row) = rows.iter().find(|row| row.release == system.name) else { continue };
            let found = |row: &TableRow| {
                let all = row.attacks.iter().flat_map(|attack| [attack.by_originals, attack.by_releases]);
                all.flatten().reduce(f64::max)
            };
            let point = Point {
                epsilon,
                epsilon_total: row.epsilon_total,
                paper_epsilon_total: row.paper_epsilon_total,
                similarity: row.similarity,
                author_error: found(row).map(|found| 1.0 - found),
                stylometric: row.stylometric,
            };
            let name = format!("{name}{end}");
            match all.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.points.push(point),
                None => all.push(Curve { name, points: vec![point] }),
            }
        }
    }
    all
}

pub(super) fn csv(curves: &[Curve]) -> String {
    let mut text = "curve,epsilon,epsilon_total,paper_epsilon_total,similarity,author_error,stylometric\n".to_owned();
    let cell = |value: Option<f64>| value.map(|value| format!("{value:.6}")).unwrap_or_default();
    for curve in curves {
        for point in &curve.points {
            let cells = [
                point.epsilon_total,
                point.paper_epsilon_total,
                point.similarity,
                point.author_error,
                point.stylometric,
            ];
            let _ = writeln!(text, "{},{},{}", curve.name, point.epsilon, cells.map(cell).join(","));
        }
    }
    text
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 580.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 280.0;

/// Shares on the left axis, stylometric distance on the right one; told apart without colour too.
pub(super) fn svg(curve: &Curve) -> String {
    let mut svg = format!(
        r##"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12"><title>{0}: what is kept and what is found</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>"##,
        curve.name
    );
    let epsilons: Vec<f64> = curve.points.iter().map(|point| point.epsilon).collect();
    let (low, high) =
        (epsilons.iter().copied().fold(f64::MAX, f64::min), epsilons.iter().copied().fold(f64::MIN, f64::max));
    let x = |epsilon: f64| LEFT + (epsilon - low) / (high - low).max(1e-9) * (RIGHT - LEFT);
    let most = curve.points.iter().filter_map(|point| point.stylometric).fold(1.0, f64::max) * 1.1;
    let share = |value: f64| BOTTOM - value.clamp(0.0, 1.0) * (BOTTOM - TOP);
    let style = |value: f64| BOTTOM - (value / most).clamp(0.0, 1.0) * (BOTTOM - TOP);
    for step in 0..=5 {
        let part = f64::from(step) / 5.0;
        let y = share(part);
        let _ = write!(
            svg,
            r##"<path d="M{LEFT} {y:.1}H{RIGHT}" stroke="#ddd"/><text x="{0:.1}" y="{1:.1}" text-anchor="end">{part:.1}</text><text x="{2:.1}" y="{1:.1}">{3:.0}</text>"##,
            LEFT - 6.0,
            y + 4.0,
            RIGHT + 6.0,
            part * most
        );
    }
    for epsilon in &epsilons {
        let _ = write!(
            svg,
            r##"<text x="{:.1}" y="{:.1}" text-anchor="middle">{epsilon}</text>"##,
            x(*epsilon),
            BOTTOM + 18.0
        );
    }
    let line = |pick: &dyn Fn(&Point) -> Option<f64>, y: &dyn Fn(f64) -> f64| -> String {
        let places = curve.points.iter().filter_map(|point| Some((x(point.epsilon), y(pick(point)?))));
        places.enumerate().map(|(i, (x, y))| format!("{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" })).collect()
    };
    let lines = [
        ("similarity of meaning", "#0a5", "none", line(&|point| point.similarity, &share)),
        ("authors not found", "#26c", "6 3", line(&|point| point.author_error, &share)),
        ("stylometric distance (right)", "#b40", "2 3", line(&|point| point.stylometric, &style)),
    ];
    for (number, (name, colour, dashes, path)) in lines.into_iter().enumerate().filter(|(_, line)| !line.3.is_empty()) {
        let at = LEFT + 180.0 * number as f64;
        let _ = write!(
            svg,
            r##"<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/><path d="M{at:.0} 18h24" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/><text x="{:.0}" y="22">{name}</text>"##,
            at + 30.0
        );
    }
    let _ = write!(
        svg,
        r##"<text x="{:.0}" y="{:.0}" text-anchor="middle">epsilon of the paper ({})</text></svg>"##,
        f64::midpoint(LEFT, RIGHT),
        HEIGHT - 20.0,
        curve.name
    );
    svg
}
