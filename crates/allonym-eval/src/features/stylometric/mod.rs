//! The habits of a writer as numbers: the features of the authorship literature (Zheng et al. 2006; Iqbal et al. 2013).
//!
//! Lexical, syntactic, structural and idiosyncratic features, all of them in [`FEATURES`] and in `docs/stylometry.md`. A text is read as
//! it was typed: what the plain form takes away, like curly quotes and double spaces, is a habit too.

mod change;
mod characters;
mod habits;
mod lists;
mod marks;
mod misspellings;
mod sheet;
mod standardised;
mod structure;
mod words;

pub use change::{FeatureChange, StyleChange, style_change};
pub use sheet::{Feature, Group};
pub use standardised::Standardised;

use allonym_text::Document;
use characters::Characters;
use habits::Habits;
use marks::Marks;
use sheet::{Names, Sheet, Values};
use std::sync::LazyLock;
use structure::Structure;
use words::Words;

/// All features, in the order of the numbers of [`stylometric`].
pub static FEATURES: LazyLock<Vec<Feature>> = LazyLock::new(|| {
    let mut names = Names::default();
    fill("", &mut names);
    names.features
});

/// The features of a text, as many as [`FEATURES`]. Every number is finite; those of an empty text are 0.
///
/// ```
/// use allonym_eval::features::{FEATURES, stylometric};
/// let values = stylometric("Aha, a banana!");
/// let letter_a = FEATURES.iter().position(|feature| feature.name == "letter-a").unwrap();
/// assert_eq!(values[letter_a], 0.6); // six of ten letters
/// ```
pub fn stylometric(text: &str) -> Vec<f32> {
    let mut values = Values { values: Vec::with_capacity(1024) };
    fill(text, &mut values);
    values.values
}

/// Reads a text and fills a sheet with what was found.
fn fill(text: &str, sheet: &mut impl Sheet) {
    let document = Document::read(text);
    let characters = Characters::read(text);
    let words = Words::read(&document);
    characters.fill(sheet);
    words.fill(sheet);
    characters.fill_marks(sheet);
    words.fill_function_words(sheet);
    Structure::read(text, &document).fill(sheet);
    Habits::read(&document).fill(sheet);
    Marks::read(text).fill(sheet);
}

/// A part of a whole; of nothing, nothing.
fn share(part: impl Into<f64>, whole: impl Into<f64>) -> f32 {
    let whole = whole.into();
    if whole > 0.0 { (part.into() / whole) as f32 } else { 0.0 }
}

/// Totals grow with a text; their logarithm keeps a long text from drowning the others.
fn damped(total: impl Into<f64>) -> f32 {
    total.into().ln_1p() as f32
}

/// The mean and the deviation of some numbers; 0 when there are none.
fn mean_and_deviation(numbers: &[u32]) -> (f32, f32) {
    let count = numbers.len().max(1) as f64;
    let mean = numbers.iter().map(|number| f64::from(*number)).sum::<f64>() / count;
    let square = numbers.iter().map(|number| (f64::from(*number) - mean).powi(2)).sum::<f64>() / count;
    (mean as f32, square.sqrt() as f32)
}

#[cfg(test)]
mod tests;
