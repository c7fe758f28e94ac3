//! Generalises the names of texts that are in memory.

use super::generalize::GeneralizeSettings;
use super::mode::Named;
use super::names::{Finder, bundled_ladders};
use crate::failure::Failure;
use allonym_dp::Entropy;
use allonym_entities::generalise::{Mention, mentions, rewritten};
use allonym_text::Private;
use rayon::prelude::*;

/// The texts with their names replaced, by what comes with the program. In public mode each depends on itself alone; else on all.
///
/// # Errors
/// When a setting is out of range, or the program was built with damaged files.
pub fn generalised(texts: &[String], settings: &GeneralizeSettings) -> Result<Vec<String>, Failure> {
    let (finder, ladders) = (Finder::tagger(None, settings.eagerness)?, bundled_ladders()?);
    let found = |text: &String| mentions(text, finder.find(1, text).unwrap_or_default(), None);
    let found: Vec<Vec<Mention>> = texts.par_iter().map(found).collect();
    let named = |mention: &Mention| -> Named { (mention.kind, ladders.of(mention.kind, &mention.name)) };
    let all: Vec<Vec<Named>> = found.iter().map(|mentions| mentions.iter().map(named).collect()).collect();
    let (cut, _) = settings.decide(Private::new(all), &Entropy::of_seed(settings.files.seed)?)?;
    let form = |mention: &Mention| cut.form(mention.kind, &named(mention).1, &ladders);
    Ok(texts.iter().zip(&found).map(|(text, mentions)| rewritten(text, mentions, form)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;

    #[test]
    fn a_name_is_said_where_enough_texts_share_it() {
        let texts: Vec<String> = (0..6)
            .map(|i| {
                let place = if i < 5 { "Berlin" } else { "Oslo" };
                format!("I met the director in {place} last year.")
            })
            .collect();
        let settings = |mode| GeneralizeSettings { mode, k: 5, ..GeneralizeSettings::default() };
        let counted = generalised(&texts, &settings(Mode::KAnonymous)).unwrap();
        assert!(counted[0].contains("Berlin") && !counted[5].contains("Oslo"), "{counted:?}");
        let public = generalised(&texts, &settings(Mode::Public)).unwrap();
        // Both have more people than is asked for.
        assert!(public[0].contains("Berlin") && public[5].contains("Oslo"), "{public:?}");
    }
}
