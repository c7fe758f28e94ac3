//! What word similarities propose for a private text.
//!
//! Similarities are computed for several tokens at once, and those of frequent words are kept for all texts. Neither shows in the
//! numbers: every token has sums of its own (see [`Vectors::products`](allonym_dp::vector_noise::Vectors::products)).

use super::{Lexical, scores, unit};
use allonym_dp::mechanism::Reads;
use allonym_dp::vector_noise::LANES;
use allonym_dp::{Length, Proposer};
use allonym_text::vocabulary::{SPECIAL, TokenId, UNKNOWN};
use allonym_text::{Document, Vocabulary};
use std::sync::Arc;

/// A token of the original.
enum Token {
    /// A word of the vocabulary, counted without the special tokens.
    Word(usize),
    /// Another word, with its vector at unit length; an empty one if nothing is known of it.
    Other(Vec<f32>),
}

impl Token {
    fn of(text: &str, vocabulary: &Vocabulary, lexical: &Lexical) -> Self {
        match vocabulary.id(text) {
            UNKNOWN => {
                let vector = lexical.embeddings.as_ref().and_then(|embeddings| embeddings.vector(text));
                Self::Other(vector.map(unit).unwrap_or_default())
            }
            id => Self::Word(id as usize - SPECIAL.len()),
        }
    }
}

impl Lexical {
    /// Proposes for a document. The mechanism must read scores of the kind that these are.
    pub fn proposal(&self, document: &Document, length: Length) -> LexicalProposal<'_> {
        let tokens = document.tokens().map(|token| Token::of(token.text, &self.vocabulary, self)).collect();
        LexicalProposal { lexical: self, tokens, length, ahead: Vec::new(), current: Arc::clone(&self.end) }
    }

    /// The scores that are kept for a token.
    fn kept(&self, token: &Token) -> Option<&Arc<[f32]>> {
        let Token::Word(word) = token else { return None };
        self.kept.get(*word)?.get()
    }

    /// Computes the scores of up to [`LANES`] tokens, and keeps those of frequent words.
    fn compute(&self, tokens: &[&Token]) -> Vec<Arc<[f32]>> {
        let vector = |token: &Token| match token {
            Token::Word(word) => self.units.row(*word).to_vec(),
            Token::Other(vector) => vector.clone(),
        };
        let vectors: Vec<Vec<f32>> = tokens.iter().map(|token| vector(token)).collect();
        let points: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let mut cosines = Vec::new();
        self.units.products(0..self.vocabulary.words(), &points, &mut cosines);
        let scores = tokens.iter().zip(points).enumerate().map(|(lane, (token, vector))| {
            let own = if let Token::Word(word) = token { Some(*word) } else { None };
            let cosines = cosines.iter().map(|lanes| lanes[lane]);
            let scores: Arc<[f32]> = scores::for_token(self.reads, &self.units, vector, own, cosines).into();
            if let Some(place) = own.and_then(|word| self.kept.get(word)) {
                // Another thread may have been faster, with the same numbers.
                let _ = place.set(Arc::clone(&scores));
            }
            scores
        });
        scores.collect()
    }
}

/// Proposes, for one token after the other, words like it, and then the end.
pub struct LexicalProposal<'a> {
    lexical: &'a Lexical,
    tokens: Vec<Token>,
    length: Length,
    /// Scores that were computed together with others, by their step.
    ahead: Vec<(usize, Arc<[f32]>)>,
    current: Arc<[f32]>,
}

impl LexicalProposal<'_> {
    fn row(&mut self, step: usize) -> Arc<[f32]> {
        let lexical = self.lexical;
        let Some(token) = self.tokens.get(step) else {
            return Arc::clone(&lexical.end);
        };
        if let Some((_, scores)) = self.ahead.iter().find(|(known, _)| *known == step) {
            return Arc::clone(scores);
        }
        if let Some(scores) = lexical.kept(token) {
            return Arc::clone(scores);
        }
        let missing = |(_, token): &(usize, &Token)| lexical.kept(token).is_none();
        // The token itself first: another thread may keep its scores in this moment.
        let rest = self.tokens.iter().enumerate().skip(step + 1).filter(missing);
        let (steps, tokens): (Vec<usize>, Vec<&Token>) = std::iter::once((step, token)).chain(rest).take(LANES).unzip();
        self.ahead = steps.into_iter().zip(lexical.compute(&tokens)).collect();
        Arc::clone(&self.ahead[0].1)
    }
}

impl Proposer for LexicalProposal<'_> {
    fn tokens(&self) -> usize {
        self.tokens.len()
    }

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
        if self.lexical.reads == Reads::Nothing {
            return &[];
        }
        self.current = self.row(released.len());
        // Without an end to draw, the words come first.
        &self.current[usize::from(!self.length.hides_end())..]
    }
}
