//! What synthetic texts promise.

use super::settings::{Method, Names, SynthesisSettings};
use serde::Serialize;
use std::fmt;

/// The price of the private texts, and what it does not cover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SynthesisStatement {
    /// What is protected: one record.
    pub unit: &'static str,
    /// When a record is added or removed; none without protection.
    pub epsilon_add_remove: Option<f64>,
    /// When a record is exchanged for another of the same label.
    pub epsilon_replace_one: Option<f64>,
    /// When a record is exchanged for one of another label: it leaves one model and enters another.
    pub epsilon_other_label: Option<f64>,
    /// For the first two.
    pub delta: f64,
    /// For the last.
    pub delta_other_label: f64,
    /// What is not protected.
    pub not_protected: Vec<String>,
    /// What must hold for the price to be true.
    pub assumptions: Vec<String>,
    /// Why nothing is promised, where nothing is.
    pub void: Vec<String>,
}

impl SynthesisStatement {
    /// Of counts with noise of this price, for so many labels.
    pub(super) fn pure(settings: &SynthesisSettings, epsilon: f64, labels: usize) -> Self {
        let of_none = Self::of(settings, &[]);
        let not_protected = of_none.not_protected.iter().filter(|line| labels > 1 || !line.contains("labels"));
        let several = |line: &String| match line.starts_with("several records") {
            true => "several records of one author together: n of them cost n times".to_owned(),
            false => line.clone(),
        };
        Self {
            not_protected: not_protected.map(several).collect(),
            assumptions: vec!["the words and the settings were chosen without these records".to_owned()],
            epsilon_add_remove: Some(epsilon),
            epsilon_replace_one: Some(2.0 * epsilon),
            epsilon_other_label: (labels > 1).then_some(2.0 * epsilon),
            delta: 0.0,
            delta_other_label: 0.0,
            ..of_none
        }
    }

    /// Of the prices of all labels, when a record is added or removed and when it is exchanged. Records of different labels are different records: the largest price is that of all.
    pub(super) fn of(settings: &SynthesisSettings, prices: &[Option<(f64, f64)>]) -> Self {
        let mut not_protected = Vec::new();
        not_protected.push(match settings.label_column.is_some() {
            true => "which labels there are, how they are written, and how many records each has".to_owned(),
            false => "how many records there are".to_owned(),
        });
        if prices.contains(&None) {
            not_protected.push("anything: a text may be repeated as it was".to_owned());
        } else {
            not_protected.push(
                "several records of one author together: n of them cost n times and more, and delta grows faster"
                    .to_owned(),
            );
        }
        not_protected.push("what many records have in common: that is what is learned".to_owned());
        not_protected.push("other runs on the same records, such as those that chose the settings".to_owned());
        if prices.contains(&None) {
            // Without noise nothing more can be said.
        } else if settings.names == Names::Stay {
            not_protected.push("names by anything but the noise (`--names public` generalises them first)".to_owned());
        } else {
            not_protected.push("names that the tagger does not find, by anything but the noise".to_owned());
        }
        let k_anonymous = settings.names == Names::KAnonymous;
        if k_anonymous {
            not_protected.push(format!(
                "one of your records by the price below: what is said for a name depends on all records (until {} share it), so one more or less changes others too, and no epsilon of this size bounds that",
                settings.k
            ));
        }
        let known: Option<Vec<(f64, f64)>> = prices.iter().copied().collect();
        let largest = |of: fn(&(f64, f64)) -> f64| known.as_ref().map(|known| known.iter().map(of).fold(0.0, f64::max));
        let (add_remove, replace_one) = (largest(|prices| prices.0), largest(|prices| prices.1));
        let why = match (add_remove, settings.seed) {
            (None, _) => Some("the model was trained without noise: it can repeat what it read"),
            (_, Some(_)) => Some("the noise comes from a seed: whoever knows it can take it away"),
            _ => None,
        };
        let several = prices.len() > 1;
        // It leaves one label's releases and enters another's, whose noise is its own: two releases of the price, composed.
        let other_label = add_remove.map(|epsilon| (2.0 * epsilon, 2.0 * settings.delta));
        Self {
            unit: match k_anonymous {
                false => "one record, as far as it was learned from",
                true => "one record as it was after names were generalised, as far as it was learned from",
            },
            epsilon_add_remove: add_remove,
            epsilon_replace_one: replace_one,
            epsilon_other_label: other_label.filter(|_| several).map(|(epsilon, _)| epsilon),
            delta: settings.delta,
            delta_other_label: other_label.filter(|_| several).map_or(0.0, |(_, delta)| delta),
            not_protected,
            assumptions: vec![
                match (settings.method, &settings.model) {
                    (Method::Lstm, _) => "the words and the settings were chosen without these records",
                    (_, None) => "the language model, the words and the settings were chosen without these records (the program's model has read 20,000 reviews of films)",
                    (_, Some(_)) => "the language model that you gave, the words and the settings were chosen without these records (whether it has read them cannot be checked)",
                }
                .to_owned(),
                "noise on a fine grid counts as Gaussian, and sums of 32-bit floats as exact".to_owned(),
            ],
            void: why.map(str::to_owned).into_iter().collect(),
        }
    }
}

/// A bound beyond this says nothing about the worst case.
const LARGE: f64 = 10.0;

/// A small number as it is printed.
fn small(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { format!("{number:e}") }
}

/// A price as it is printed: never less than it is.
pub(super) fn up(price: f64) -> f64 {
    (price * 1e4).ceil() / 1e4
}

impl fmt::Display for SynthesisStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.void.iter().try_for_each(|why| writeln!(f, "not private: {why}"))?;
        writeln!(f, "not protected")?;
        self.not_protected.iter().try_for_each(|line| writeln!(f, "  - {line}"))?;
        let (Some(add_remove), Some(replace_one)) = (self.epsilon_add_remove, self.epsilon_replace_one) else {
            return Ok(());
        };
        match self.void.is_empty() {
            true => writeln!(f, "protected: {}", self.unit)?,
            false => writeln!(f, "what the noise would have protected, but for that: {}", self.unit)?,
        }
        writeln!(
            f,
            "  epsilon {:.4} if it is added or removed, {:.4} if it is exchanged; delta {}",
            up(add_remove),
            up(replace_one),
            small(self.delta)
        )?;
        if let Some(other) = self.epsilon_other_label {
            writeln!(
                f,
                "  epsilon {:.4} if it is exchanged for one of another label; delta {}",
                up(other),
                small(self.delta_other_label)
            )?;
        }
        if add_remove > LARGE {
            writeln!(f, "  a bound this large promises nothing in the worst case: rely on measured attacks")?;
        }
        writeln!(f, "  however many texts this run writes: they cost nothing more")?;
        writeln!(f, "assuming that")?;
        self.assumptions.iter().try_for_each(|line| writeln!(f, "  - {line}"))
    }
}
