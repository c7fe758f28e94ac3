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
pub fn generalised(texts: &[Private<String>], settings: &GeneralizeSettings) -> Result<Vec<Private<String>>, Failure> {
    let (finder, ladders) = (Finder::tagger(None, settings.eagerness)?, bundled_ladders()?);
    let found = |text: &Private<String>| {
        text.as_ref().map(|text| mentions(text, finder.find(1, text).unwrap_or_default(), None))
    };
    let found: Vec<Private<Vec<Mention>>> = texts.par_iter().map(found).collect();
    let named = |mention: &Mention| -> Named { (mention.kind, ladders.of(mention.kind, &mention.name)) };
    let of_record = |mentions: &Vec<Mention>| -> Vec<Named> { mentions.iter().map(named).collect() };
    let all = Private::together(found.iter().map(|mentions| mentions.as_ref().map(of_record)));
    let (cut, _) = settings.decide(all, &Entropy::of_seed(settings.files.seed)?)?;
    let form = |mention: &Mention| cut.form(mention.kind, &named(mention).1, &ladders);
    let replaced = |(text, mentions): (&Private<String>, &Private<Vec<Mention>>)| {
        text.as_ref().with(mentions.as_ref()).map(|(text, mentions)| rewritten(text, mentions, form))
    };
    Ok(texts.iter().zip(&found).map(replaced).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;

    #[test]
    fn a_name_is_said_where_enough_texts_share_it() {
        let texts: Vec<Private<String>> = (0..6)
            .map(|i| {
                let place = if i < 5 { "Berlin" } else { "Oslo" };
                Private::new(format!("I met the director in {place} last year."))
            })
            .collect();
        let settings = |mode| GeneralizeSettings { mode, k: 5, ..GeneralizeSettings::default() };
        let says = |texts: &[Private<String>], place: usize, name: &str| {
            texts[place].as_ref().map(|text| text.contains(name)).declassify("a test")
        };
        let counted = generalised(&texts, &settings(Mode::KAnonymous)).unwrap();
        assert!(says(&counted, 0, "Berlin") && !says(&counted, 5, "Oslo"));
        let public = generalised(&texts, &settings(Mode::Public)).unwrap();
        // Both have more people than is asked for.
        assert!(says(&public, 0, "Berlin") && says(&public, 5, "Oslo"));
    }
}
