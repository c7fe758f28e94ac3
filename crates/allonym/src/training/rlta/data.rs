//! Records with a class of the task and classes of private attributes.

use super::super::basis::Basis;
use super::super::parts::{Parts, Shares};
use super::settings::RltaTraining;
use crate::corpus::{Corpus, Wanted};
use crate::failure::Failure;
use allonym_models::rlta::{Encoder, Labelled};
use allonym_text::Document;
use std::collections::BTreeMap;

/// A column of numbers with more values than this is cut into thirds.
const FEW: usize = 8;
/// A column of words may have so many values.
const MOST: usize = 50;

/// A record.
pub(super) struct Item {
    /// Its text and its class of the task.
    pub(super) example: Labelled,
    /// Its class of each attribute.
    pub(super) attributes: Vec<u32>,
}

/// An attribute that is to be hidden.
pub(super) struct Attribute {
    pub(super) name: String,
    /// What its classes are called.
    pub(super) classes: Vec<String>,
    /// The class of each record, if it has one.
    of_records: Vec<Option<u32>>,
}

/// The records of a file.
pub(super) struct Known {
    pub(super) attributes: Vec<Attribute>,
    /// To train on, to choose by and to test with.
    pub(super) parts: [Vec<Item>; 3],
    /// Records without one of the two labels, or without an attribute.
    pub(super) left_out: usize,
    pub(super) hash: Option<String>,
}

impl Known {
    pub(super) fn read(settings: &RltaTraining, encoder: &Encoder) -> Result<Self, Failure> {
        let (basis, label) = (&settings.basis, &settings.label_column);
        let mut named = settings.attributes.clone();
        named.push(label.clone());
        let wanted: Vec<String> = named.iter().cloned().chain([basis.author_column.clone()]).collect();
        // The author's column is needed only if it was named.
        let needed: Vec<String> = match basis.author_column == Basis::default().author_column {
            true => named,
            false => wanted.clone(),
        };
        let wanted = Wanted { values: &wanted, named: &needed, keys: false };
        let loaded = Corpus::read(&basis.data, &basis.reading(label), &wanted).map_err(|mut failure| {
            failure.hint = failure.hint.replace("--target", "--attributes");
            failure
        })?;
        let loaded = loaded.for_training_without_noise();
        let column = |name: &str| {
            let hint = "the task and every attribute must be known";
            loaded.column(name).ok_or_else(|| Failure::new(format!("the column `{name}` is empty"), hint))
        };
        let labels = column(label)?;
        let attributes: Vec<Attribute> =
            settings.attributes.iter().map(|name| attribute(name, column(name)?)).collect::<Result<_, Failure>>()?;
        let item = |record: usize| {
            let class = settings.labels.iter().position(|known| labels[record].as_ref() == Some(known))?;
            let text = encoder.text(&Document::read(&loaded.texts[record]));
            let attributes: Option<Vec<u32>> = attributes.iter().map(|found| found.of_records[record]).collect();
            Some(Item { example: Labelled { text, label: class as u32 }, attributes: attributes? })
        };
        let records = loaded.texts.len();
        let parts = Parts::by_shares(records, loaded.column(&basis.author_column), Shares::USUAL, basis.seed);
        let parts = [parts.training, parts.validation, parts.test]
            .map(|records| records.into_iter().filter_map(item).collect::<Vec<Item>>());
        for (class, name) in settings.labels.iter().enumerate() {
            if !parts[0].iter().any(|item| item.example.label == class as u32) {
                return Err(Failure::new(
                    format!("no record to learn from has the label `{name}` in `{label}`"),
                    "name the two labels with `--labels NEGATIVE,POSITIVE`",
                ));
            }
        }
        if parts[2].is_empty() {
            return Err(Failure::new("there is no record to test with", "give more records"));
        }
        let left_out = records - parts.iter().map(Vec::len).sum::<usize>();
        Ok(Self { attributes, parts, left_out, hash: loaded.hash.clone() })
    }
}

/// The classes of a column: its values, or thirds where these are many numbers.
fn attribute(name: &str, values: &[Option<String>]) -> Result<Attribute, Failure> {
    let given = || values.iter().flatten().filter(|value| !value.is_empty());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    given().for_each(|value| *counts.entry(value).or_default() += 1);
    let refused = |what: String| Err(Failure::new(what, "name other columns with `--attributes`"));
    if counts.len() < 2 {
        return refused(format!("`{name}` has {} values: there is nothing to hide", counts.len()));
    }
    let number = |value: &str| value.parse::<f64>().ok().filter(|number| number.is_finite());
    let mut numbers: Vec<f64> = given().filter_map(|value| number(value)).collect();
    if counts.len() > FEW && numbers.len() == given().count() {
        numbers.sort_by(f64::total_cmp);
        let [low, high] = [1, 2].map(|third| numbers[numbers.len() * third / 3]);
        let class = |value: &String| Some(u32::from(number(value)? >= low) + u32::from(number(value)? >= high));
        if low < high && numbers[0] < low {
            let classes = vec![format!("below {low}"), format!("{low} to below {high}"), format!("{high} and more")];
            let of_records = values.iter().map(|value| value.as_ref().and_then(class)).collect();
            return Ok(Attribute { name: name.to_owned(), classes, of_records });
        }
    }
    if counts.len() > MOST {
        return refused(format!("`{name}` has {} values: too many to be classes", counts.len()));
    }
    let mut classes: Vec<(&str, usize)> = counts.into_iter().collect();
    classes.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
    let classes: Vec<String> = classes.into_iter().map(|(value, _)| value.to_owned()).collect();
    let class = |value: &String| classes.iter().position(|known| known == value).map(|place| place as u32);
    let of_records = values.iter().map(|value| value.as_ref().and_then(class)).collect();
    Ok(Attribute { name: name.to_owned(), classes, of_records })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> Vec<Option<String>> {
        values.iter().map(|value| Some((*value).to_owned())).chain([None]).collect()
    }

    #[test]
    fn words_are_classes_and_many_numbers_are_cut_into_thirds() {
        let gender = attribute("gender", &column(&["m", "f", "m", ""])).unwrap();
        assert_eq!(
            (gender.classes, gender.of_records),
            (vec!["m".to_owned(), "f".into()], vec![Some(0), Some(1), Some(0), None, None])
        );
        let ages: Vec<String> = (20..32).map(|age| age.to_string()).collect();
        let age = attribute("age", &column(&ages.iter().map(String::as_str).collect::<Vec<_>>())).unwrap();
        assert_eq!(age.classes, ["below 24", "24 to below 28", "28 and more"]);
        assert_eq!((age.of_records[0], age.of_records[4], age.of_records[11]), (Some(0), Some(1), Some(2)));
        assert_eq!(attribute("few", &column(&["1", "2", "3"])).unwrap().classes, ["1", "2", "3"]);
    }

    #[test]
    fn one_value_and_values_without_end_are_refused() {
        let names: Vec<String> = (0..60).map(|i| format!("n{i}")).collect();
        assert!(attribute("name", &column(&names.iter().map(String::as_str).collect::<Vec<_>>())).is_err());
        assert!(attribute("same", &column(&["a", "a"])).is_err());
    }
}
