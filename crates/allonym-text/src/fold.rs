//! Characters that say the same and betray the writer: what each is folded to.
//!
//! A curly quote tells a phone from a typewriter, a no-break space tells a word processor, a Cyrillic `а` inside an
//! English word is a mark that somebody left on purpose. Folding maps each family to one plain member.

/// What normalisation does with one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// Stays as it is.
    Keep,
    /// Disappears: zero-width, directional and other control characters.
    Remove,
    /// Is written as this instead.
    To(&'static str),
    /// Is written as its compatibility decomposition (full-width, mathematical and circled letters, ligatures).
    Compatible,
}

/// Says what becomes of a character wherever it stands.
pub(crate) fn fold(c: char) -> Fold {
    match c {
        '\t' | '\n' | '\r' | ' '..='_' | 'a'..='~' => Fold::Keep,
        '\u{0B}' | '\u{0C}' => Fold::To(" "),
        '\u{85}' | '\u{2028}' | '\u{2029}' => Fold::To("\n"),
        // Bytes of Windows-1252 that somebody read as Latin-1: quotes and dashes.
        '\u{91}' | '\u{92}' => Fold::To("'"),
        '\u{93}' | '\u{94}' => Fold::To("\""),
        '\u{96}' => Fold::To("-"),
        '\u{97}' => Fold::To("--"),
        // Quotes, apostrophes, primes, accents that people type for them.
        '`' | '\u{B4}' | '‘' | '’' | '‚' | '‛' | '′' | '‵' | '‹' | '›' | 'ʹ' | 'ʻ' | 'ʼ' | 'ʽ' | 'ˈ' | '＇' | '❛'
        | '❜' => Fold::To("'"),
        '“' | '”' | '„' | '‟' | '″' | '‶' | '«' | '»' | '〝' | '〞' | '〟' | '＂' | '❝' | '❞' => {
            Fold::To("\"")
        }
        // Hyphens and dashes.
        '\u{2010}'..='\u{2013}' | '\u{2043}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}' => Fold::To("-"),
        '\u{2014}' | '\u{2015}' | '\u{2E3A}' | '\u{2E3B}' => Fold::To("--"),
        '…' => Fold::To("..."),
        '‥' => Fold::To(".."),
        '⁄' | '∕' => Fold::To("/"),
        '․' => Fold::To("."),
        '¡'..='ˮ' if !is_removed(c) && c != '\u{A0}' => Fold::Keep,
        c if is_removed(c) => Fold::Remove,
        c if c.is_whitespace() || c == '\u{2800}' => Fold::To(" "),
        c if is_compatible(c) => Fold::Compatible,
        _ => Fold::Keep,
    }
}

/// Control, zero-width, directional, variation and tag characters: invisible, and therefore a place to hide a mark.
fn is_removed(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{E}'..='\u{1F}' | '\u{7F}'..='\u{84}' | '\u{86}'..='\u{9F}' | '\u{AD}' | '\u{34F}'
        | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Letters and digits in costume. Superscripts and fractions are left alone: they carry meaning.
fn is_compatible(c: char) -> bool {
    matches!(c,
        '\u{2100}'..='\u{214F}' | '\u{2460}'..='\u{24FF}' | '\u{FB00}'..='\u{FB06}' | '\u{FF01}'..='\u{FF5E}'
        | '\u{FFE0}'..='\u{FFE6}' | '\u{1D400}'..='\u{1D7FF}' | '\u{1F100}'..='\u{1F16A}' | '\u{1F170}'..='\u{1F189}')
}

/// The Latin letter that a letter of another script (or a rare Latin one) is taken for by the eye.
pub(crate) fn look_alike(c: char) -> Option<char> {
    let latin = match c {
        // Cyrillic
        'а' => 'a',
        'ԁ' => 'd',
        'е' => 'e',
        'һ' => 'h',
        'і' => 'i',
        'ј' => 'j',
        'ӏ' => 'l',
        'о' => 'o',
        'р' => 'p',
        'ԛ' => 'q',
        'с' => 'c',
        'ѕ' => 's',
        'у' => 'y',
        'ѵ' => 'v',
        'ԝ' => 'w',
        'х' => 'x',
        'ү' => 'y',
        'А' => 'A',
        'В' => 'B',
        'С' => 'C',
        'Е' => 'E',
        'Н' => 'H',
        'І' => 'I',
        'Ј' => 'J',
        'К' => 'K',
        'М' => 'M',
        'О' => 'O',
        'Р' => 'P',
        'Ԛ' => 'Q',
        'Ѕ' => 'S',
        'Т' => 'T',
        'Ԝ' => 'W',
        'Х' => 'X',
        'Ү' => 'Y',
        'Ӏ' => 'I',
        // Greek
        'α' => 'a',
        'ι' => 'i',
        'ν' => 'v',
        'ο' => 'o',
        'ρ' => 'p',
        'υ' => 'u',
        'ϲ' => 'c',
        'ϳ' => 'j',
        'κ' => 'k',
        'Α' => 'A',
        'Β' => 'B',
        'Ε' => 'E',
        'Ζ' => 'Z',
        'Η' => 'H',
        'Ι' => 'I',
        'Κ' => 'K',
        'Μ' => 'M',
        'Ν' => 'N',
        'Ο' => 'O',
        'Ρ' => 'P',
        'Τ' => 'T',
        'Υ' => 'Y',
        'Χ' => 'X',
        'Ϲ' => 'C',
        'Ϳ' => 'J',
        // Armenian and Cherokee shapes in use for spoofing
        'օ' => 'o',
        'ս' => 'u',
        'ո' => 'n',
        'հ' => 'h',
        'Ꭺ' => 'A',
        'Ꭼ' => 'E',
        'Ꮋ' => 'H',
        'Ꮶ' => 'K',
        'Ꮇ' => 'M',
        'Ꮲ' => 'P',
        'Ꭲ' => 'T',
        'Ꮩ' => 'V',
        'Ꮃ' => 'W',
        'Ꮓ' => 'Z',
        'Ꮯ' => 'C',
        'Ꮮ' => 'L',
        // Latin letters that English does not use
        'ı' => 'i',
        'ȷ' => 'j',
        'ɑ' => 'a',
        'ɡ' => 'g',
        'ɩ' => 'i',
        'ɪ' => 'i',
        'ʏ' => 'y',
        'ᴀ' => 'a',
        'ᴄ' => 'c',
        'ᴇ' => 'e',
        'ᴏ' => 'o',
        'ᴠ' => 'v',
        'ᴡ' => 'w',
        'ᴢ' => 'z',
        'ſ' => 's',
        _ => return None,
    };
    Some(latin)
}

/// The scripts that have look-alikes of Latin letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
}

/// The script of a letter, where it matters for look-alikes.
pub(crate) fn script(c: char) -> Option<Script> {
    match c {
        'a'..='z'
        | 'A'..='Z'
        | '\u{AA}'..='\u{24F}'
        | '\u{250}'..='\u{2AF}'
        | '\u{1D00}'..='\u{1D2B}'
        | '\u{1E00}'..='\u{1EFF}' => c.is_alphabetic().then_some(Script::Latin),
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => c.is_alphabetic().then_some(Script::Greek),
        '\u{400}'..='\u{52F}' | '\u{1C80}'..='\u{1C8F}' => c.is_alphabetic().then_some(Script::Cyrillic),
        '\u{530}'..='\u{58F}' => c.is_alphabetic().then_some(Script::Armenian),
        '\u{13A0}'..='\u{13FF}' => Some(Script::Cherokee),
        _ => None,
    }
}

/// Pictures: emoji and the symbols that may become one (an approximation of Unicode's Extended_Pictographic).
pub(crate) fn is_pictographic(c: char) -> bool {
    matches!(c,
        '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{2300}'..='\u{23FF}' | '\u{2B05}'..='\u{2B55}'
        | '\u{25AA}'..='\u{25FE}' | '\u{2194}'..='\u{21AA}' | '\u{2934}' | '\u{2935}' | '\u{203C}' | '\u{2049}'
        | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_ascii_is_kept_but_for_the_backtick() {
        for c in ' '..='~' {
            assert_eq!(fold(c), if c == '`' { Fold::To("'") } else { Fold::Keep });
        }
    }

    #[test]
    fn invisible_characters_disappear() {
        for c in ['\0', '\u{200B}', '\u{202E}', '\u{FEFF}', '\u{AD}', '\u{2066}', '\u{E0041}', '\u{FE0F}', '\u{7F}'] {
            assert_eq!(fold(c), Fold::Remove, "{:x}", c as u32);
        }
    }

    #[test]
    fn every_unicode_space_becomes_a_plain_one() {
        for c in ['\u{A0}', '\u{2003}', '\u{202F}', '\u{3000}', '\u{1680}', '\u{2800}', '\u{0B}'] {
            assert_eq!(fold(c), Fold::To(" "), "{:x}", c as u32);
        }
    }

    #[test]
    fn misread_quotes_and_dashes_are_mended() {
        assert_eq!([fold('\u{92}'), fold('\u{93}'), fold('\u{96}')], [Fold::To("'"), Fold::To("\""), Fold::To("-")]);
    }

    #[test]
    fn accented_letters_and_other_scripts_are_kept() {
        for c in ['é', 'ß', 'ñ', 'ж', '中', 'ا', 'ก', '€', '½', '²'] {
            assert_eq!(fold(c), Fold::Keep);
        }
    }

    #[test]
    fn a_look_alike_belongs_to_a_known_script() {
        let letters = (0..0x2FFFF).filter_map(char::from_u32).filter(|c| look_alike(*c).is_some());
        for c in letters {
            assert!(script(c).is_some(), "{c} {:x}", c as u32);
        }
    }
}
