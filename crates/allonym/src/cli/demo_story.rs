//! `allonym evaluate --demo`: made-up reviews, two releases of them, and their datasheet, in one command.

use super::{anonymize, demo};
use allonym::demo::Demo;
use allonym::io::{begin_unfinished, end_unfinished};
use allonym::{CancelToken, Failure, MethodSettings, Settings, Silent};
use std::path::{Path, PathBuf};

/// Files that are gone when the story is told.
pub(super) struct Story {
    directory: PathBuf,
    pub(super) original: PathBuf,
    pub(super) released: Vec<PathBuf>,
}

impl Story {
    /// Writes 1,000 reviews of 20 authors, a release that keeps nothing of them, and one that keeps about half of their words.
    pub(super) fn write(cancel: &CancelToken) -> Result<Self, Failure> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let directory = std::env::temp_dir().join(format!("allonym-demo-{}-{now}", std::process::id()));
        // It must not be there before: it is taken away with all that is in it.
        std::fs::create_dir(&directory).map_err(|error| {
            let message = format!("cannot write {}: {}", directory.display(), error.kind());
            Failure::new(message, "set TMPDIR to a directory that can be written")
        })?;
        begin_unfinished(&directory);
        let mut story = Self { original: directory.join("reviews.csv"), directory, released: Vec::new() };
        demo::write(&Demo { authors: 20, texts: 50, seed: 7 }, &story.original)?;
        let nothing = MethodSettings::named("random");
        let half =
            MethodSettings::named("randomized-response").with("epsilon-per-token", 10.0).with("length", "public");
        for (name, method) in [("random.csv", nothing), ("half-kept.csv", half)] {
            let path = story.directory.join(name);
            release(&story.original, &path, method, cancel)?;
            story.released.push(path);
        }
        Ok(story)
    }
}

fn release(original: &Path, released: &Path, method: MethodSettings, cancel: &CancelToken) -> Result<(), Failure> {
    let settings = Settings { input: original.to_owned(), output: released.to_owned(), method, ..Settings::default() };
    let checked = settings.check()?;
    allonym::run(&checked, &Silent, cancel)?;
    anonymize::write_run_file(checked.settings())
}

impl Drop for Story {
    fn drop(&mut self) {
        // What was made up may stay behind if it must.
        let _ = std::fs::remove_dir_all(&self.directory);
        end_unfinished(&self.directory);
    }
}
