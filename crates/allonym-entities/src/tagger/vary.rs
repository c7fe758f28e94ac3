//! Copies of sentences as careless people write them: without capitals, all in capitals, with a letter wrong.

use super::annotated::Sentence;

/// Numbers for copies (xorshift; nothing is protected by them).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    pub(super) fn happens(&mut self, part: f64) -> bool {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64 <= part && part > 0.0
    }
}

/// A copy without capitals.
pub(super) fn small(sentence: &Sentence) -> Sentence {
    changed(sentence, |token| token.to_lowercase())
}

/// A copy in capitals.
pub(super) fn capital(sentence: &Sentence) -> Sentence {
    changed(sentence, |token| token.to_uppercase())
}

/// A copy in which every name of four letters or more has one wrong: left out, twice, or exchanged with the next.
pub(super) fn misspelt(sentence: &Sentence, chance: &mut Chance) -> Sentence {
    let mut copy = sentence.clone();
    for span in &sentence.spans {
        for token in &mut copy.tokens[span.tokens.clone()] {
            let mut letters: Vec<char> = token.chars().collect();
            if letters.len() >= 4 && letters.iter().all(|c| c.is_alphabetic()) {
                // The first letter is seldom wrong.
                let place = 1 + chance.below(letters.len() - 2);
                match chance.below(3) {
                    0 => drop(letters.remove(place)),
                    1 => letters.insert(place, letters[place]),
                    _ => letters.swap(place, place + 1),
                }
                *token = letters.into_iter().collect();
            }
        }
    }
    copy
}

fn changed(sentence: &Sentence, change: impl Fn(&str) -> String) -> Sentence {
    Sentence { tokens: sentence.tokens.iter().map(|token| change(token)).collect(), spans: sentence.spans.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagger::Span;

    #[test]
    fn only_names_are_misspelt_and_by_one_letter() {
        let tokens = ["Dear", "Jonathan", "Li"].map(str::to_owned).to_vec();
        let sentence = Sentence { tokens, spans: vec![Span { tokens: 1..3, kind: 0 }] };
        let mut chance = Chance::new(5);
        for _ in 0..50 {
            let copy = misspelt(&sentence, &mut chance);
            assert_eq!((&*copy.tokens[0], &*copy.tokens[2]), ("Dear", "Li"));
            assert!((7..=9).contains(&copy.tokens[1].len()) && copy.tokens[1].starts_with('J'));
        }
        assert_eq!(small(&sentence).tokens, ["dear", "jonathan", "li"]);
        assert_eq!(capital(&sentence).tokens, ["DEAR", "JONATHAN", "LI"]);
    }
}
