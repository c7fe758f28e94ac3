//! Words that are near the original in a table of word vectors.

use super::{BoxedProposer, Source};
use crate::method::RecordError;
use allonym_dp::Terms;
use allonym_dp::mechanism::Reads;
use allonym_models::lexical::Lexical;
use allonym_nn::Card;
use allonym_text::{Document, Private};
use rayon::prelude::*;

/// Word vectors; with the card, where they are a model's.
pub(in crate::method) struct NearSource {
    pub(in crate::method) near: Box<Lexical>,
    pub(in crate::method) card: Option<Card>,
}

impl Source for NearSource {
    fn name(&self) -> &'static str {
        "near words"
    }

    fn proposers<'a>(
        &'a self,
        documents: Vec<Private<Document>>,
        terms: &Terms,
        _: Reads,
    ) -> Result<Vec<Private<BoxedProposer<'a>>>, RecordError> {
        let proposer = |document: Document| Box::new(self.near.proposal(&document, terms.length)) as BoxedProposer<'a>;
        Ok(documents.into_par_iter().map(|document| document.map(proposer)).collect())
    }

    fn card(&self) -> Option<&Card> {
        self.card.as_ref()
    }

    fn assumption(&self) -> Option<&'static str> {
        self.card.is_none().then_some("the word vectors are public")
    }
}
