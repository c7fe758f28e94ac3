//! Originals beside their releases, for the owner who asks to see them.

use crate::failure::Failure;
use crate::run::open;
use crate::settings::Checked;
use allonym_dp::ForOwner;
use allonym_io::is_stream;
use allonym_text::Private;
use std::path::Path;

/// An original and its release.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The original text.
    pub original: String,
    /// What was released for it.
    pub released: String,
}

/// The first pairs of a release that was written.
///
/// # Errors
/// When originals and releases cannot be lined up, or a file cannot be read.
pub fn shown(checked: &Checked, count: usize) -> Result<ForOwner<Vec<Pair>>, Failure> {
    let settings = checked.settings();
    check_showable(checked)?;
    let texts = |path: &Path| -> Result<Private<Vec<String>>, Failure> {
        let mut reader = match path == settings.input {
            true => open(checked)?,
            false => allonym_io::open(path, checked.format, checked.table, &checked.of_release(), &checked.limits)?,
        };
        let mut texts = Vec::new();
        while texts.len() < count
            && let Some(batch) = reader.next()?
        {
            texts.extend(batch.texts);
        }
        texts.truncate(count);
        Ok(Private::together(texts))
    };
    let both = texts(&settings.input)?.with(texts(&settings.output)?);
    let pairs = both.map(|(originals, releases)| {
        originals.into_iter().zip(releases).map(|(original, released)| Pair { original, released }).collect()
    });
    Ok(ForOwner::show(pairs, "--show: the owner asked for originals beside their releases"))
}

/// Refuses, before anything is drawn, what could not be shown afterwards.
///
/// # Errors
/// When input or output is a stream, they are one file, or the order is not kept.
pub fn check_showable(checked: &Checked) -> Result<(), Failure> {
    let settings = checked.settings();
    let special = |path: &Path| {
        is_stream(path) || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
    };
    if special(&settings.input) || special(&settings.output) || settings.in_place {
        let message = "originals and releases are shown beside each other from two files";
        return Err(Failure::new(message, "name an input and an output, or leave out `--show`"));
    }
    if settings.no_header {
        let message = "without a header, the columns of input and output have different numbers";
        return Err(Failure::new(message, "leave out `--show`"));
    }
    if settings.shuffle {
        let message = "releases in random order cannot be shown beside their originals";
        return Err(Failure::new(message, "leave out `--show` or `--shuffle`"));
    }
    Ok(())
}
