//! The figures of a reproduction of ADePT, as a table, as CSV and as JSON.

use super::classifier::Membership;
use crate::failure::Failure;
use allonym_eval::measure::Interval;
use allonym_models::adept::{Norm, Reconstruction};
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct AdeptFigures {
    /// What must be known to read the figures.
    pub notes: Vec<String>,
    /// One for each data set.
    pub data: Vec<DataSet>,
}

/// A data set and its figures.
#[derive(Clone, Debug, Serialize)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// How many intents it has.
    pub intents: usize,
    /// Texts to learn from, to choose by, and to test with.
    pub texts: [usize; 3],
    /// Words of the vocabulary.
    pub vocabulary: usize,
    /// The accuracy of always naming the commonest intent of the training part.
    pub chance: f64,
    /// The auto-encoders that were trained.
    pub models: Vec<AutoEncoder>,
    /// The figures.
    pub rows: Vec<Row>,
}

/// An auto-encoder.
#[derive(Clone, Debug, Serialize)]
pub struct AutoEncoder {
    /// By which norm its latent vectors are clipped.
    pub norm: Norm,
    /// Steps made.
    pub steps: u64,
    /// How texts of the test part come back without noise.
    pub reconstruction: Reconstruction,
}

/// The figures of one way to transform the training texts.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// `original`, `no noise`, or the kind of noise.
    pub texts: &'static str,
    /// The true loss of a text. Nothing where there is no bound.
    pub epsilon: Option<f64>,
    /// The probability with which it may be larger.
    pub delta: f64,
    /// What the paper's formula gives for the same noise, where it has one.
    pub paper_epsilon: Option<f64>,
    /// The root of the mean squared length of the noise, as a part of the bound.
    pub noise: Option<f64>,
    /// Of a classifier that learned from these texts, on the original test part.
    pub accuracy: Interval,
    /// What the losses of a classifier tell about who was in its training.
    pub membership: Membership,
    /// BLEU of these texts with the originals as references.
    pub bleu: Option<f64>,
}

impl AdeptFigures {
    /// A table for people.
    pub fn table(&self) -> String {
        let mut out = String::new();
        for data in &self.data {
            let [train, valid, test] = data.texts;
            let _ = writeln!(
                out,
                "{}: {} intents, {train} + {valid} + {test} texts, {} words; always the commonest intent: {:.3}",
                data.name, data.intents, data.vocabulary, data.chance
            );
            for model in &data.models {
                let found = &model.reconstruction;
                let _ = writeln!(
                    out,
                    "auto-encoder clipped by {:?}, {} steps: without noise {} of {} test texts come back exactly, {:.1} % of tokens at their place",
                    model.norm,
                    model.steps,
                    found.exact,
                    found.texts,
                    100.0 * found.accuracy()
                );
            }
            let _ = writeln!(
                out,
                "{:<18}{:>9}{:>9}{:>9}{:>8}  {:<22}{:<22}{:<22}",
                "learned from", "epsilon", "paper", "noise/C", "BLEU", "intent accuracy", "membership AUC", "advantage"
            );
            for row in &data.rows {
                let _ = writeln!(
                    out,
                    "{:<18}{:>9}{:>9}{:>9}{:>8}  {:<22}{:<22}{:<22}",
                    row.texts,
                    number(row.epsilon, 1),
                    number(row.paper_epsilon, 1),
                    number(row.noise, 2),
                    number(row.bleu, 3),
                    interval(Some(row.accuracy)),
                    interval(row.membership.auc),
                    interval(Some(row.membership.advantage))
                );
            }
            out.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(out, "- {note}");
        }
        out
    }

    /// A row for each row, with a header.
    pub fn csv(&self) -> String {
        let mut out = "data,texts,epsilon,delta,paper_epsilon,noise,bleu,accuracy,accuracy_low,accuracy_high,auc,auc_low,auc_high,\
                       advantage,advantage_low,advantage_high,found_at_one_percent\n"
            .to_owned();
        for (data, row) in self.data.iter().flat_map(|data| data.rows.iter().map(move |row| (data, row))) {
            let exact = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            let three = |value: Option<Interval>| {
                [value.map(|i| i.value), value.map(|i| i.low), value.map(|i| i.high)].map(exact).join(",")
            };
            let mut name = Vec::new();
            allonym_io::push_cell(&data.name, b',', &mut name);
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{}",
                String::from_utf8_lossy(&name),
                row.texts,
                exact(row.epsilon),
                row.delta,
                exact(row.paper_epsilon),
                exact(row.noise),
                exact(row.bleu),
                three(Some(row.accuracy)),
                three(row.membership.auc),
                three(Some(row.membership.advantage)),
                exact(row.membership.found_at_one_percent)
            );
        }
        out
    }

    /// Writes `adept.json` and `adept.csv` into a directory.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), Failure> {
        let json = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        for (name, text) in [("adept.json", json), ("adept.csv", self.csv())] {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(|error| Failure::writing(&path, &error))?;
        }
        Ok(())
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
}

fn interval(value: Option<Interval>) -> String {
    value.map_or("-".to_owned(), |Interval { value, low, high }| format!("{value:.3} [{low:.3}, {high:.3}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_csv_have_every_row_and_gaps_where_there_is_no_bound() {
        let some = Interval { value: 0.5, low: 0.25, high: 0.75 };
        let row = Row {
            texts: "no noise",
            epsilon: None,
            delta: 0.0,
            paper_epsilon: None,
            noise: None,
            accuracy: some,
            membership: Membership { auc: Some(some), advantage: some, found_at_one_percent: None },
            bleu: Some(1.0),
        };
        let data = DataSet {
            name: "a,b".to_owned(),
            intents: 2,
            texts: [3, 4, 5],
            vocabulary: 6,
            chance: 0.5,
            models: Vec::new(),
            rows: vec![row],
        };
        let figures = AdeptFigures { notes: vec!["a note".to_owned()], data: vec![data] };
        let last = figures.csv().lines().last().unwrap().to_owned();
        assert_eq!(last, "\"a,b\",no noise,,0,,,1,0.5,0.25,0.75,0.5,0.25,0.75,0.5,0.25,0.75,");
        assert_eq!(figures.csv().lines().next().unwrap().split(',').count(), 17);
        let table = figures.table();
        assert!(
            table.contains("3 + 4 + 5 texts") && table.contains("0.500 [0.250, 0.750]") && table.contains("- a note")
        );
        let directory = tempfile::tempdir().unwrap();
        figures.write(directory.path()).unwrap();
        assert!(directory.path().join("adept.json").is_file() && directory.path().join("adept.csv").is_file());
    }
}
