//! The text's own words and near ones, with what a language model expects after the released tokens.

use super::{BoxedProposer, Source};
use crate::method::RecordError;
use allonym_dp::mechanism::Reads;
use allonym_dp::{Expectation, Terms};
use allonym_models::fluent::{FluentModel, Written};
use allonym_nn::Card;
use allonym_text::{Document, Private};
use rayon::prelude::*;

/// A language model with its card.
pub(in crate::method) struct FluentSource {
    pub(in crate::method) model: Box<FluentModel>,
    pub(in crate::method) card: Card,
}

impl Source for FluentSource {
    fn name(&self) -> &'static str {
        "fluent"
    }

    fn proposers<'a>(
        &'a self,
        documents: Vec<Private<Document>>,
        terms: &Terms,
        _: Reads,
    ) -> Result<Vec<Private<BoxedProposer<'a>>>, RecordError> {
        let proposer = |document: Document| Box::new(self.model.proposal(&document, terms.length)) as BoxedProposer<'a>;
        Ok(documents.into_par_iter().map(|document| document.map(proposer)).collect())
    }

    fn expectation(&self, texts: usize) -> Result<Box<dyn Expectation + '_>, RecordError> {
        match self.model.written(texts) {
            Ok(written) => Ok(Box::new(written)),
            Err(_) => Err(RecordError::new("the language model could not be used")),
        }
    }

    fn group(&self) -> usize {
        Written::TEXTS
    }

    fn card(&self) -> Option<&Card> {
        Some(&self.card)
    }

    fn is_of_a_language(&self) -> bool {
        true
    }
}
