//! The model that comes with the program: what fluent releases are written with where no other is named.
//!
//! How it was made stands in `models/RECIPE.md`, what it is in its card.

use crate::failure::Failure;
use allonym_models::fluent::{Bundled, FluentModel};
use allonym_nn::Card;

/// Its files.
const FILES: &[Bundled<'static>] = &[
    ("card.toml", include_bytes!("../models/english/card.toml")),
    ("model.safetensors", include_bytes!("../models/english/model.safetensors")),
    ("near.bin", include_bytes!("../models/english/near.bin")),
    ("vocabulary.txt", include_bytes!("../models/english/vocabulary.txt")),
];

/// Opens it.
///
/// # Errors
/// When the program was built with damaged files.
pub fn bundled_model() -> Result<(FluentModel, Card), Failure> {
    Ok(FluentModel::from_bundled(FILES)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_nn::Protection;

    #[test]
    fn the_files_are_those_of_the_card_and_of_public_texts() {
        let directory = tempfile::tempdir().unwrap();
        for (name, bytes) in FILES {
            std::fs::write(directory.path().join(name), bytes).unwrap();
        }
        // From a directory, every file is held against the card.
        let (model, card) = FluentModel::open(directory.path()).unwrap();
        assert_eq!(card.guarantee, Protection::Public);
        assert_eq!(model.language.vocabulary().words(), 10_000);
    }

    #[test]
    fn it_is_small_enough_to_be_shipped() {
        let bytes: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 9_000_000, "{bytes}");
    }

    #[test]
    fn it_expects_english() {
        let (model, _) = bundled_model().unwrap();
        let vocabulary = model.language.vocabulary();
        let mut prefixes = model.language.prefixes(1, 1.0).unwrap();
        for word in ["this", "is", "one", "of", "the", "best", "movies", "i", "have", "ever"] {
            prefixes.advance(&[Some(vocabulary.id(word))]).unwrap();
        }
        let logits = prefixes.logits(0);
        let best = (0..logits.len()).max_by(|a, b| logits[*a].total_cmp(&logits[*b])).unwrap();
        assert_eq!(vocabulary.word(best as u32), Some("seen"));
    }
}
