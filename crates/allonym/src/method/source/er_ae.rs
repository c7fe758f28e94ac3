//! Proposals of a trained ER-AE or AE-DP.

use super::{BoxedProposer, Source};
use crate::method::RecordError;
use allonym_dp::Terms;
use allonym_dp::mechanism::Reads;
use allonym_models::er_ae::ErAe;
use allonym_nn::Card;
use allonym_text::{Document, Private};
use rayon::prelude::*;

/// A trained auto-encoder, and its card.
pub(in crate::method) struct ErAeSource {
    pub(in crate::method) model: Box<ErAe>,
    pub(in crate::method) card: Card,
}

impl Source for ErAeSource {
    fn name(&self) -> &'static str {
        "er-ae"
    }

    fn proposers<'a>(
        &'a self,
        documents: Vec<Private<Document>>,
        terms: &Terms,
        reads: Reads,
    ) -> Result<Vec<Private<BoxedProposer<'a>>>, RecordError> {
        let pieces = |document: Private<Document>| document.map(|document| self.model.pieces(&document));
        let count = documents.len();
        let pieces = Private::together(documents.into_par_iter().map(pieces).collect::<Vec<_>>());
        let encoded = pieces.map(|pieces| self.model.encode(&pieces).unwrap_or_default()).apart();
        if encoded.len() != count {
            return Err(RecordError::new("the model could not encode the texts"));
        }
        let proposer = |encoded| Box::new(self.model.proposal(encoded, terms.length, reads)) as BoxedProposer<'a>;
        Ok(encoded.into_par_iter().map(|encoded| encoded.map(proposer)).collect())
    }

    fn card(&self) -> Option<&Card> {
        Some(&self.card)
    }

    fn proposes_logits(&self) -> bool {
        true
    }
}
