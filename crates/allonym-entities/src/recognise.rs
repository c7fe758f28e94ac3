//! Finds names and numbers in texts: by form first, then by the tagger.

use crate::entity::{Entity, Kind, without_overlaps};
use crate::patterns;
use crate::tagger::Tagger;
use allonym_text::Document;

/// Finds entities.
#[derive(Clone, Debug)]
pub struct Recogniser {
    tagger: Tagger,
    /// What each kind of the tagger is.
    kinds: Vec<Option<Kind>>,
    eagerness: f32,
}

impl Recogniser {
    /// With a trained tagger. `eagerness` above 0 finds more names, and more that are none.
    pub fn new(tagger: Tagger, eagerness: f32) -> Self {
        let kinds = tagger.kinds().iter().map(|kind| Kind::named(kind)).collect();
        Self { tagger, kinds, eagerness }
    }

    /// The entities of a text, in their order.
    pub fn find(&self, text: &str) -> Vec<Entity> {
        let document = Document::read(text);
        let tokens: Vec<_> = document.tokens().collect();
        let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        let sentences = document.sentences();
        let parts: Vec<&[&str]> = sentences.iter().map(|range| &words[range.clone()]).collect();
        let names = self.tagger.tag(&parts, self.eagerness).into_iter().zip(sentences).flat_map(|(spans, sentence)| {
            spans.into_iter().filter_map(|span| {
                let (first, last) = (sentence.start + span.tokens.start, sentence.start + span.tokens.end - 1);
                let span_in_text = tokens[first].span.start..tokens[last].span.end;
                Some(Entity { span: span_in_text, kind: self.kinds[span.kind]? })
            })
        });
        without_overlaps(text, patterns::find(text).into_iter().chain(names))
    }
}
