//! One plain form for every text, with a map back to the bytes that the writer typed.
//!
//! NFC; zero-width, directional and control characters removed; exotic quotes, dashes, spaces and letters folded;
//! look-alike letters of other scripts folded where they pretend to be Latin.

use crate::fold::{Fold, Script, fold, is_pictographic, look_alike, script};
use std::fmt;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

const ZERO_WIDTH_JOINER: char = '\u{200D}';

/// A text in plain form, which knows where each piece stood in the original.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Normalised {
    text: String,
    /// Empty when nothing was changed.
    pieces: Vec<Piece>,
}

/// A stretch of the plain text and of the original that correspond, byte by byte or as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    plain: usize,
    original: Range<usize>,
    verbatim: bool,
}

impl fmt::Debug for Normalised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text is somebody's.
        write!(f, "Normalised({} bytes)", self.text.len())
    }
}

impl Normalised {
    /// The plain form.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Where a stretch of the plain form stood in the original, as a byte range.
    pub fn origin(&self, plain: Range<usize>) -> Range<usize> {
        if self.pieces.is_empty() || plain.is_empty() {
            return plain;
        }
        let start = {
            let piece = &self.pieces[self.piece_at(plain.start)];
            if piece.verbatim { piece.original.start + (plain.start - piece.plain) } else { piece.original.start }
        };
        let end = {
            let piece = &self.pieces[self.piece_at(plain.end - 1)];
            if piece.verbatim { piece.original.start + (plain.end - piece.plain) } else { piece.original.end }
        };
        start..end
    }

    fn piece_at(&self, plain: usize) -> usize {
        self.pieces.partition_point(|piece| piece.plain <= plain) - 1
    }
}

/// Brings a text into plain form.
///
/// ```
/// let plain = allonym_text::normalise("wasn\u{2019}t\u{A0}it\u{200B}?");
/// assert_eq!(plain.as_str(), "wasn't it?");
/// ```
pub fn normalise(original: &str) -> Normalised {
    if is_plain(original) {
        return Normalised { text: original.to_owned(), pieces: Vec::new() };
    }
    fold_doubled_apostrophes(fold_look_alikes(fold_characters(original)))
}

/// Whether normalisation would change nothing: printable ASCII without typewriter quotes.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // No early exit inside a chunk: that lets the compiler look at many bytes at once.
    bytes.chunks(256).all(|chunk| chunk.iter().fold(true, |all, b| all & is_plain_byte(*b)))
        && memchr::memchr_iter(b'\'', bytes).all(|at| bytes.get(at + 1) != Some(&b'\''))
}

/// Printable ASCII and the usual white space, but for the backtick.
fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'_' | b'a'..=b'~')
}

/// Writes the plain text and the map side by side.
struct Builder {
    text: String,
    pieces: Vec<Piece>,
}

impl Builder {
    fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), pieces: Vec::new() }
    }

    fn push(&mut self, plain: &str, original: Range<usize>, verbatim: bool) {
        if plain.is_empty() {
            return;
        }
        if verbatim
            && let Some(last) = self.pieces.last_mut()
            && last.verbatim
            && last.original.end == original.start
        {
            last.original.end = original.end;
        } else {
            self.pieces.push(Piece { plain: self.text.len(), original, verbatim });
        }
        self.text.push_str(plain);
    }

    fn finish(self) -> Normalised {
        Normalised { text: self.text, pieces: self.pieces }
    }
}

/// A stretch that is normalised as one: a character with the marks that follow it.
fn is_continuation(c: char) -> bool {
    // Vowel and final jamo compose with the consonant before them.
    is_combining_mark(c) || matches!(c, '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}')
}

fn fold_characters(original: &str) -> Normalised {
    let mut out = Builder::with_capacity(original.len());
    let mut cluster = String::new();
    let mut at = 0;
    while at < original.len() {
        // The last of a run of plain characters may carry the marks that follow it, so it is left for below.
        let run = original.as_bytes()[at..].iter().take_while(|b| is_plain_byte(**b)).count();
        let alone = if at + run == original.len() { run } else { run.saturating_sub(1) };
        out.push(&original[at..at + alone], at..at + alone, true);
        at += alone;
        let Some(c) = original[at..].chars().next() else { break };
        let start = at;
        at += c.len_utf8();
        // Gather the character with the marks after it; invisible characters between them do not count.
        cluster.clear();
        push_folded(c, original, start, &mut cluster);
        while let Some(next) = original[at..].chars().next() {
            let skipped = fold(next) == Fold::Remove && !joins_pictures(original, at);
            if !(is_continuation(next) || skipped) {
                break;
            }
            push_folded(next, original, at, &mut cluster);
            at += next.len_utf8();
        }
        if cluster.is_ascii() {
            let verbatim = cluster == original[start..at];
            out.push(&cluster, start..at, verbatim);
        } else {
            let plain: String = cluster.nfc().collect();
            let verbatim = plain == original[start..at];
            out.push(&plain, start..at, verbatim);
        }
    }
    out.finish()
}

/// Two apostrophes, typed or folded from backticks and curly ones, stand for a double quote.
fn fold_doubled_apostrophes(folded: Normalised) -> Normalised {
    if memchr::memmem::find(folded.text.as_bytes(), b"''").is_none() {
        return folded;
    }
    let mut out = Builder::with_capacity(folded.text.len());
    let mut at = 0;
    while at < folded.text.len() {
        let next = memchr::memmem::find(&folded.text.as_bytes()[at..], b"''").map_or(folded.text.len(), |n| at + n);
        copy(&folded, at..next, &mut out);
        at = next;
        if at < folded.text.len() {
            out.push("\"", folded.origin(at..at + 2), false);
            at += 2;
        }
    }
    out.finish()
}

fn push_folded(c: char, original: &str, at: usize, cluster: &mut String) {
    // A few characters are canonically another one that is folded (U+1FEF is the backtick).
    let c =
        if matches!(c, '\u{374}' | '\u{1FEF}' | '\u{1FFD}') { std::iter::once(c).nfc().next().unwrap_or(c) } else { c };
    match fold(c) {
        Fold::Keep => cluster.push(c),
        Fold::To(plain) => cluster.push_str(plain),
        Fold::Compatible => {
            for plain in std::iter::once(c).nfkc() {
                match fold(plain) {
                    Fold::To(plain) => cluster.push_str(plain),
                    Fold::Remove => {}
                    Fold::Keep | Fold::Compatible => cluster.push(plain),
                }
            }
        }
        Fold::Remove if joins_pictures(original, at) => cluster.push(c),
        Fold::Remove => {}
    }
}

/// Whether the joiner at this byte holds two pictures together (a family, a profession): then it carries meaning.
fn joins_pictures(original: &str, at: usize) -> bool {
    if !original[at..].starts_with(ZERO_WIDTH_JOINER) {
        return false;
    }
    // What is folded or composed away is no picture any more, and a joiner beside it would be an invisible mark.
    let stays = |c: char| fold(c) == Fold::Keep && std::iter::once(c).nfc().eq(std::iter::once(c));
    let picture = |c: char| (is_pictographic(c) || matches!(c, '\u{1F3FB}'..='\u{1F3FF}')) && stays(c);
    let visible = |c: &char| fold(*c) != Fold::Remove;
    let before = original[..at].chars().rev().take(4).find(visible);
    let after = original[at + ZERO_WIDTH_JOINER.len_utf8()..].chars().next();
    before.is_some_and(picture) && after.is_some_and(picture)
}

/// Folds letters of other scripts that pass for Latin: all of them in a text that has no other letter of their
/// script, else only those inside a word with Latin letters.
fn fold_look_alikes(folded: Normalised) -> Normalised {
    if !folded.text.chars().any(|c| !c.is_ascii() && look_alike(c).is_some()) {
        return folded;
    }
    let mut genuine: Vec<Script> = Vec::new();
    let others =
        folded.text.chars().filter(|c| look_alike(*c).is_none()).filter_map(script).filter(|s| *s != Script::Latin);
    for script in others {
        // At most one entry a script, so that looking one up costs nothing.
        if !genuine.contains(&script) {
            genuine.push(script);
        }
    }
    let mut out = Builder::with_capacity(folded.text.len());
    let mut at = 0;
    while at < folded.text.len() {
        let rest = &folded.text[at..];
        let is_letter = |c: char| c.is_alphabetic() || is_combining_mark(c);
        let word_end = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        if word_end == 0 {
            let gap = rest.find(is_letter).unwrap_or(rest.len());
            copy(&folded, at..at + gap, &mut out);
            at += gap;
            continue;
        }
        let word = &rest[..word_end];
        let foreign = |c: char| script(c).is_none_or(|s| !genuine.contains(&s));
        let latin = word.chars().any(|c| script(c) == Some(Script::Latin) || (look_alike(c).is_some() && foreign(c)));
        for (offset, c) in word.char_indices() {
            let plain = at + offset..at + offset + c.len_utf8();
            let pretends = latin || foreign(c);
            match look_alike(c).filter(|_| pretends) {
                Some(letter) => out.push(letter.encode_utf8(&mut [0; 4]), folded.origin(plain), false),
                None => copy(&folded, plain, &mut out),
            }
        }
        at += word_end;
    }
    compose(out.finish())
}

/// Copies a stretch of an earlier pass, piece by piece, so that its map stays true.
fn copy(folded: &Normalised, plain: Range<usize>, out: &mut Builder) {
    if folded.pieces.is_empty() {
        out.push(&folded.text[plain.clone()], plain, true);
        return;
    }
    let mut at = plain.start;
    while at < plain.end {
        let index = folded.piece_at(at);
        let piece_end = folded.pieces.get(index + 1).map_or(folded.text.len(), |next| next.plain);
        let end = piece_end.min(plain.end);
        out.push(&folded.text[at..end], folded.origin(at..end), folded.pieces[index].verbatim);
        at = end;
    }
}

/// A folded letter may compose with the marks after it: one more pass where that is so.
fn compose(folded: Normalised) -> Normalised {
    if unicode_normalization::is_nfc(&folded.text) {
        return folded;
    }
    let mut out = Builder::with_capacity(folded.text.len());
    let mut at = 0;
    while let Some(c) = folded.text[at..].chars().next() {
        let start = at;
        at += c.len_utf8();
        while let Some(mark) = folded.text[at..].chars().next().filter(|c| is_continuation(*c)) {
            at += mark.len_utf8();
        }
        let cluster = &folded.text[start..at];
        let plain: String = cluster.nfc().collect();
        if plain == cluster {
            copy(&folded, start..at, &mut out);
        } else {
            out.push(&plain, folded.origin(start..at), false);
        }
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(original: &str) -> String {
        normalise(original).text
    }

    #[test]
    fn plain_ascii_is_left_alone() {
        let text = "It was great, wasn't it? \"Yes\"...\n\tOK";
        assert_eq!(plain(text), text);
        assert!(normalise(text).pieces.is_empty());
    }

    #[test]
    fn quotes_dashes_spaces_and_ellipses_are_folded() {
        assert_eq!(plain("“It’s”\u{A0}fine – really—yes…"), "\"It's\" fine - really--yes...");
        assert_eq!(plain("``quoted'' ‘‘too’’"), "\"quoted\" \"too\"");
    }

    #[test]
    fn composed_and_decomposed_accents_become_one() {
        assert_eq!(plain("cafe\u{301}"), "café");
        assert_eq!(plain("cafe\u{200B}\u{301}"), "café");
        assert_eq!(plain("\u{1112}\u{1161}\u{11AB}"), "한");
    }

    #[test]
    fn invisible_characters_and_controls_disappear() {
        assert_eq!(plain("in\u{200B}vis\u{AD}ib\u{202E}le\0\u{FEFF}"), "invisible");
    }

    #[test]
    fn letters_in_costume_are_undressed() {
        assert_eq!(plain("Ｆｕｌｌ 𝐛𝐨𝐥𝐝 ﬁne ⓞⓚ"), "Full bold fine ok");
    }

    #[test]
    fn a_cyrillic_letter_inside_an_english_word_is_folded() {
        assert_eq!(plain("pаypal"), "paypal");
        assert_eq!(plain("this is а test"), "this is a test");
        assert_eq!(plain("сору"), "copy"); // all four are Cyrillic, and nothing else in the text is
    }

    #[test]
    fn a_russian_text_stays_russian() {
        assert_eq!(plain("мама сору"), "мама сору");
        assert_eq!(plain("Όχι καλό"), "Όχι καλό");
    }

    #[test]
    fn a_folded_letter_composes_with_its_accent() {
        assert_eq!(plain("c\u{430}fe t\u{430}\u{301}"), "cafe tá");
    }

    #[test]
    fn a_family_stays_together_without_its_variation_selectors() {
        assert_eq!(plain("👩\u{200D}👧 ❤\u{FE0F}\u{200D}🔥 a\u{200D}b"), "👩\u{200D}👧 ❤\u{200D}🔥 ab");
    }

    #[test]
    fn origin_leads_back_to_the_bytes_typed() {
        let original = "a “cafe\u{301}” …";
        let normalised = normalise(original);
        let find = |piece: &str| {
            let at = normalised.as_str().find(piece).unwrap();
            &original[normalised.origin(at..at + piece.len())]
        };
        assert_eq!(find("café"), "cafe\u{301}");
        assert_eq!(find("\""), "“");
        assert_eq!(find("..."), "…");
        assert_eq!(find("a"), "a");
    }
}
