//! Figures 3 and 4 of DPvG.

use super::classifier::as_str;
use super::dpvg::{DpvgReproduction, stopped};
use crate::failure::Failure;
use crate::synthesis::{Method, Names, OneLabel, SynthesisSettings};
use allonym_eval::features::residual_idf;
use allonym_text::{Activity, CancelToken, Document, Observer, Stage};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// Texts on each side of a heat map.
const SIDE: usize = 50;
/// Originals from which words get their weights.
const WEIGHED: usize = 5000;
/// Steps of the models of figure 4, which are many.
const STEPS: u64 = 30;
/// Records that they learn from.
const RECORDS: usize = 2000;

/// A matrix of cosines between originals (rows) and what was written (columns).
#[derive(Clone, Debug, Serialize)]
pub struct Heat {
    /// The system.
    pub system: String,
    /// The cosines, row by row.
    pub cosines: Vec<Vec<f64>>,
    /// Their mean.
    pub mean: f64,
    /// Their largest.
    pub largest: f64,
}

/// A point of figure 4.
#[derive(Clone, Debug, Serialize)]
pub struct LossPoint {
    /// `dp-e-d` or `dpvg`.
    pub system: &'static str,
    /// The price.
    pub epsilon: f64,
    /// Equation 2, the largest over seed words and output words: how far one record moved the chance of a word, with equal noise.
    pub loss: f64,
}

/// Equation 4, with words weighted by their residual IDF.
pub(super) fn heat(system: &str, originals: &[String], written: &[String]) -> Result<Heat, Failure> {
    let weights: HashMap<String, f64> = residual_idf(&as_str(&originals[..originals.len().min(WEIGHED)]), 2)?
        .into_iter()
        .map(|found| (found.word, found.residual.max(0.0)))
        .collect();
    let vector = |text: &String| -> HashMap<String, f64> {
        let mut counts = HashMap::new();
        for token in Document::read(text).tokens() {
            if let Some(weight) = weights.get(&*token.key()) {
                *counts.entry(token.key().into_owned()).or_insert(0.0) += weight;
            }
        }
        counts
    };
    let side = |texts: &[String]| texts.iter().take(SIDE).map(vector).collect::<Vec<_>>();
    let (rows, columns) = (side(originals), side(written));
    let cosines: Vec<Vec<f64>> =
        rows.iter().map(|row| columns.iter().map(|column| cosine(row, column)).collect()).collect();
    let all = || cosines.iter().flatten().copied();
    let mean = all().sum::<f64>() / (all().count() as f64).max(1.0);
    Ok(Heat { system: system.to_owned(), largest: all().fold(0.0, f64::max), mean, cosines })
}

fn cosine(a: &HashMap<String, f64>, b: &HashMap<String, f64>) -> f64 {
    let norm = |of: &HashMap<String, f64>| of.values().map(|value| value * value).sum::<f64>().sqrt();
    let dot: f64 = a.iter().filter_map(|(word, value)| Some(value * b.get(word)?)).sum();
    dot / (norm(a) * norm(b)).max(1e-12)
}

/// Figure 4: two models that differ by one record, at every price.
pub(super) fn losses(
    plan: &DpvgReproduction,
    training: &Path,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Vec<LossPoint>, Failure> {
    let mut found = Vec::new();
    for (system, names) in [("dp-e-d", Names::Stay), ("dpvg", Names::KAnonymous)] {
        for epsilon in &plan.losses {
            let settings = SynthesisSettings {
                data: training.to_owned(),
                epsilon: Some(*epsilon),
                delta: plan.delta,
                max_tokens: plan.max_tokens,
                method: Method::Lstm,
                names,
                k: plan.k,
                words: Some(0.0),
                steps: Some(plan.lstm_steps.map_or(STEPS, |steps| steps.min(STEPS))),
                seed: Some(1),
                threads: 1,
                ..SynthesisSettings::default()
            };
            let name = format!("figure 4, {system} at {epsilon}");
            let stage = Stage { activity: Activity::Training, label: &name };
            let pair = OneLabel::of(&settings, RECORDS)?.pair(&settings, (stage, observer), cancel)?;
            let Some((with, without)) = pair else { return Err(stopped()) };
            let gaps = with.iter().flatten().zip(without.iter().flatten()).map(|(a, b)| (a - b).abs());
            found.push(LossPoint { system, epsilon: *epsilon, loss: gaps.fold(0.0, f64::max) });
        }
    }
    Ok(found)
}

/// A heat map: light is unlike, dark alike.
pub(super) fn heat_svg(heat: &Heat) -> String {
    let (cell, side) = (8, heat.cosines.len());
    let size = cell * side;
    let mut svg = format!(
        r##"<svg viewBox="0 0 {0} {1}" role="img" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12"><title>{2}: cosine of originals (rows) and synthetic texts (columns)</title><rect width="{0}" height="{1}" fill="#fff"/><text x="40" y="20">{2}: mean {3:.3}, largest {4:.3}</text><text x="40" y="{5}">columns: synthetic texts; rows: originals; white 0, dark 0.5 and more</text>"##,
        size + 60,
        size + 70,
        heat.system,
        heat.mean,
        heat.largest,
        size + 55
    );
    for (row, cosines) in heat.cosines.iter().enumerate() {
        for (column, cosine) in cosines.iter().enumerate() {
            let shade = 255 - (cosine * 2.0).clamp(0.0, 1.0).mul_add(235.0, 0.0) as u8;
            let _ = write!(
                svg,
                r##"<rect x="{}" y="{}" width="{cell}" height="{cell}" fill="rgb({shade},{shade},255)"/>"##,
                40 + column * cell,
                30 + row * cell
            );
        }
    }
    svg + "</svg>"
}

/// Figure 4 as lines.
pub(super) fn loss_svg(points: &[LossPoint]) -> String {
    let (left, right, top, bottom) = (60.0, 580.0, 40.0, 280.0);
    let most = points.iter().map(|point| point.loss).fold(1e-9, f64::max) * 1.1;
    let (low, high) = points
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point.epsilon.ln()), high.max(point.epsilon.ln())));
    let x = |epsilon: f64| left + (epsilon.ln() - low) / (high - low).max(1e-9) * (right - left);
    let y = |loss: f64| bottom - loss / most * (bottom - top);
    let mut svg = r##"<svg viewBox="0 0 640 340" role="img" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12"><title>Budget and measured loss</title><rect width="640" height="340" fill="#fff"/>"##.to_owned();
    for step in 0..=5 {
        let loss = most * f64::from(step) / 5.0;
        let _ = write!(
            svg,
            r##"<path d="M{left} {0:.1}H{right}" stroke="#ddd"/><text x="{1:.1}" y="{2:.1}" text-anchor="end">{loss:.3}</text>"##,
            y(loss),
            left - 6.0,
            y(loss) + 4.0
        );
    }
    for (number, (system, colour, dashes)) in
        [("dp-e-d", "#26c", "none"), ("dpvg", "#b40", "6 3")].into_iter().enumerate()
    {
        let own = || points.iter().filter(|point| point.system == system);
        let path: String = own()
            .enumerate()
            .map(|(i, point)| format!("{}{:.1} {:.1}", if i == 0 { "M" } else { "L" }, x(point.epsilon), y(point.loss)))
            .collect();
        let at = left + 140.0 * number as f64;
        let _ = write!(
            svg,
            r##"<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/><path d="M{at:.0} 18h24" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/><text x="{:.0}" y="22">{system}</text>"##,
            at + 30.0
        );
        if number == 0 {
            for point in own() {
                let _ = write!(
                    svg,
                    r##"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"##,
                    x(point.epsilon),
                    bottom + 18.0,
                    point.epsilon
                );
            }
        }
    }
    svg + r##"<text x="320" y="320" text-anchor="middle">epsilon that was paid; upwards: how far one record moved ln P(word), at most</text></svg>"##
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_like_itself_and_unlike_one_that_shares_nothing() {
        // `boat` and `tram` come in clusters, so they have weight.
        let texts: Vec<String> = ["boat boat boat", "boat boat", "tram tram tram", "tram tram", "a", "b", "a b", "c"]
            .map(str::to_owned)
            .into();
        let found = heat("x", &texts, &texts).unwrap();
        assert!((found.cosines[0][0] - 1.0).abs() < 1e-9 && (found.cosines[0][1] - 1.0).abs() < 1e-9);
        assert_eq!(found.cosines[0][2], 0.0);
        let svg = heat_svg(&found);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && svg.matches("<rect").count() == 65);
    }
}
