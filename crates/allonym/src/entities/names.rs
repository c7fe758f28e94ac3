//! Who finds names: the tagger that comes with the program, another, or another tool.

use crate::failure::Failure;
use allonym_entities::generalise::{Hierarchy, Ladders};
use allonym_entities::tagger::Tagger;
use allonym_entities::{Entity, Recogniser, given, patterns, without_overlaps};
use allonym_io::{read_text, unpack_text};
use std::path::Path;

const TAGGER: &[u8] = include_bytes!("../../models/entities/tagger.bin");
const PLACES: &[u8] = include_bytes!("../../models/entities/places.csv.gz");

/// The tagger that comes with the program. How it was made stands in `models/RECIPE.md`.
///
/// # Errors
/// When the program was built with a damaged file.
pub fn bundled_tagger() -> Result<Tagger, Failure> {
    parsed(TAGGER, "(in the program)")
}

fn parsed(bytes: &[u8], name: &str) -> Result<Tagger, Failure> {
    Tagger::parse(bytes)
        .map_err(|error| Failure::new(format!("{name}: {error}"), "give a file that `allonym train entities` wrote"))
}

/// The public hierarchy of places that comes with the program: cities of 15,000 people and more, their regions and countries.
///
/// # Errors
/// When the program was built with a damaged file.
pub fn bundled_ladders() -> Result<Ladders, Failure> {
    let places = hierarchy(&unpack_text("places", PLACES)?, "(in the program)")?;
    Ok(Ladders { places, ..Ladders::default() })
}

/// Reads a hierarchy from a file.
pub(super) fn read_hierarchy(path: &Path) -> Result<Hierarchy, Failure> {
    hierarchy(&read_text(path)?, &path.display().to_string())
}

fn hierarchy(text: &str, name: &str) -> Result<Hierarchy, Failure> {
    let hint = "a line is a name and what it lies in, from the narrowest: Camden,London,United Kingdom";
    let hierarchy = Hierarchy::parse(text).map_err(|error| Failure::new(format!("{name}: {error}"), hint))?;
    if hierarchy.is_empty() {
        return Err(Failure::new(format!("{name} has no name in it"), hint));
    }
    Ok(hierarchy)
}

/// A tagger of a file or directory, or the program's.
///
/// # Errors
/// When there is no such file.
pub fn read_tagger(path: Option<&Path>) -> Result<Tagger, Failure> {
    let Some(path) = path else { return bundled_tagger() };
    let file = if path.is_dir() { path.join("tagger.bin") } else { path.to_owned() };
    let bytes = std::fs::read(&file).map_err(|error| Failure::reading("the tagger", &file, &error))?;
    parsed(&bytes, &file.display().to_string())
}

/// Finds the names of records.
#[derive(Debug)]
pub enum Finder {
    /// A tagger and patterns.
    Tagger(Box<Recogniser>),
    /// Another tool: a line for each record.
    Given(Vec<String>),
}

impl Finder {
    /// The tagger of the program, or one of a file.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn tagger(path: Option<&Path>, eagerness: f32) -> Result<Self, Failure> {
        Ok(Self::Tagger(Box::new(Recogniser::new(read_tagger(path)?, eagerness))))
    }

    /// What another tool has found, as lines of JSON.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn given(path: &Path) -> Result<Self, Failure> {
        Ok(Self::Given(read_text(path)?.lines().map(str::to_owned).collect()))
    }

    /// How many records it has lines for, if it has lines.
    pub(super) fn lines(&self) -> Option<usize> {
        match self {
            Self::Tagger(_) => None,
            Self::Given(lines) => Some(lines.len()),
        }
    }

    /// The names of a record's text; records count from 1. `None` if the line for it does not fit.
    pub fn find(&self, record: u64, text: &str) -> Option<Vec<Entity>> {
        match self {
            Self::Tagger(recogniser) => Some(recogniser.find(text)),
            Self::Given(lines) => {
                let line = usize::try_from(record).ok().and_then(|record| lines.get(record.checked_sub(1)?))?;
                // What can be found by its form is found whatever the other tool does; the other's word counts first.
                let found = given(line, text)?;
                Some(without_overlaps(text, found.into_iter().chain(patterns::find(text))))
            }
        }
    }
}
