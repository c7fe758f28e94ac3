//! Reads the texts of records: once each, up to the most tokens that are used.

use super::Record;
use crate::owner::OwnerReport;
use allonym_text::{Document, Private, Vocabulary};
use rayon::prelude::*;

/// The documents of records.
pub(super) fn read(records: &[Record<'_>], max_tokens: usize) -> Vec<Private<Document>> {
    let read = |record: &Record<'_>| record.text.as_ref().map(|text| Document::read_up_to(text, max_tokens));
    records.par_iter().map(read).collect()
}

/// The same, counted for the owner: which are in another language than the vocabulary's, and which were truncated.
pub(super) fn read_and_count(
    records: &[Record<'_>],
    max_tokens: usize,
    vocabulary: &Vocabulary,
    report: &OwnerReport,
) -> Vec<Private<Document>> {
    let documents = read(records, max_tokens);
    documents.par_iter().for_each(|document| report.count(document.as_ref(), vocabulary));
    documents
}
