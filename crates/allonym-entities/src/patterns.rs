//! What can be recognised by its form alone, and surely: addresses, numbers with check digits, dates.

use crate::entity::{Entity, Kind, without_overlaps};
use regex::Regex;
use std::sync::LazyLock;

/// A form and what else must hold of what has it.
struct Pattern {
    kind: Kind,
    form: Regex,
    holds: fn(&str) -> bool,
}

/// In the order in which they are believed: what has a check digit, and what is longest, first.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let month = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?";
    let always: fn(&str) -> bool = |_| true;
    let pattern = |kind, form: &str, holds| Pattern {
        kind,
        form: Regex::new(form).expect("a pattern that a test compiles"),
        holds,
    };
    vec![
        pattern(Kind::Email, r"(?i)[\p{L}\d._%+'-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.\p{L}{2,}", always),
        pattern(Kind::Web, r#"(?i)\b(?:https?://|ftp://|www\.)[^\s<>"']*[\p{L}\d/]"#, always),
        pattern(
            Kind::Web,
            r"(?i)\b[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.(?:com|org|net|edu|gov|info|biz|io|co\.uk|de|fr)\b(?:/[^\s]*[\p{L}\d/])?",
            always,
        ),
        pattern(Kind::Iban, r"\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b", iban),
        pattern(Kind::Card, r"\b\d(?:[ -]?\d){12,18}\b", luhn),
        pattern(Kind::Machine, r"\b(?:\d{1,3}\.){3}\d{1,3}\b", bytes),
        pattern(Kind::Machine, r"(?i)\b(?:[\da-f]{2}[:-]){5}[\da-f]{2}\b", always),
        pattern(Kind::Date, r"\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b", always),
        pattern(Kind::Date, r"\b\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})\b", day_and_month),
        pattern(Kind::Date, &format!(r"(?i)\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {month},? \d{{4}}\b"), always),
        pattern(Kind::Date, &format!(r"(?i)\b{month} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b"), always),
        pattern(Kind::Date, &format!(r"(?i)\b{month} \d{{1,2}}(?:st|nd|rd|th)?\b"), always),
        pattern(Kind::Date, &format!(r"(?i)\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {month}\b"), not_may_alone),
        pattern(Kind::Number, r"\b\d{3}-\d{2}-\d{4}\b", always),
        pattern(Kind::Phone, r"(?:\+|\b00)\d[\d ().-]{6,18}\d\b", phone),
        pattern(Kind::Phone, r"(?:\(\d{2,5}\) ?|\b\d{2,5}[ .-])\d{2,4}(?:[ .-]?\d{2,4}){1,4}\b", phone),
        pattern(Kind::Phone, r"\b\d{3}-\d{4}\b", always),
        pattern(Kind::Postcode, r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b", always),
        pattern(Kind::Postcode, r"\b[A-Z]{2} \d{5}(?:-\d{4})?\b", always),
        pattern(Kind::Handle, r"\B@[\p{L}\d_]{2,}\b", always),
        pattern(Kind::Number, r"\b(?:[A-Z]{1,3}-?)?\d{6,}(?:-\d+)*\b", always),
        // Whatever a check digit or a form was wrong with: seven digits stand for somebody.
        pattern(Kind::Number, r"\d(?:[ ./-]?\d){6,}", always),
    ]
});

/// Finds them in a text.
pub fn find(text: &str) -> Vec<Entity> {
    // All of them have a digit, an at sign or a dot inside a word; most texts are done after one look.
    if !text.chars().any(|c| c.is_numeric() || c == '@') && !inner_dot(text) {
        return Vec::new();
    }
    let found = PATTERNS.iter().flat_map(|pattern| {
        let matches = pattern.form.find_iter(text).filter(|found| (pattern.holds)(found.as_str()));
        matches.map(|found| Entity { span: found.range(), kind: pattern.kind })
    });
    without_overlaps(text, found)
}

fn inner_dot(text: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
    text.as_bytes().windows(3).any(|w| w[1] == b'.' && inside(w[0]) && inside(w[2])) || text.contains("://")
}

fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    text.chars().filter_map(|c| c.to_digit(10))
}

/// The check digit of cards (ISO/IEC 7812).
fn luhn(text: &str) -> bool {
    let sum: u32 = digits(text)
        .rev()
        .enumerate()
        .map(|(place, digit)| if place % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 })
        .sum();
    sum.is_multiple_of(10) && digits(text).any(|digit| digit != 0)
}

/// The check digits of accounts (ISO 13616): the rest by 97 is 1.
fn iban(text: &str) -> bool {
    let letters: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
    if !(15..=34).contains(&letters.len()) {
        return false;
    }
    let turned = letters[4..].iter().chain(&letters[..4]);
    turned.filter_map(|c| c.to_digit(36)).fold(0_u32, |rest, value| {
        let shift = if value > 9 { 100 } else { 10 };
        (rest * shift + value) % 97
    }) == 1
}

fn bytes(text: &str) -> bool {
    text.split('.').all(|part| part.parse::<u16>().is_ok_and(|byte| byte < 256))
}

fn day_and_month(text: &str) -> bool {
    let mut parts = text.split(['-', '/', '.']).filter_map(|part| part.parse::<u32>().ok());
    matches!((parts.next(), parts.next()), (Some(a @ 1..=31), Some(b @ 1..=31)) if a.min(b) <= 12)
}

/// `5 may` is a date, but `2 may` is often a number and a verb.
fn not_may_alone(text: &str) -> bool {
    !text.ends_with("may")
}

fn phone(text: &str) -> bool {
    (7..=15).contains(&digits(text).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, Kind)> {
        find(text).into_iter().map(|entity| (&text[entity.span], entity.kind)).collect()
    }

    #[test]
    fn addresses_are_found_without_what_follows_them() {
        assert_eq!(
            found("Write to j.o'hara+x@mail.example.co.uk, or see (https://example.org/a?b=1)."),
            [("j.o'hara+x@mail.example.co.uk", Kind::Email), ("https://example.org/a?b=1", Kind::Web)]
        );
        assert_eq!(found("Buy it on amazon.com!"), [("amazon.com", Kind::Web)]);
        assert_eq!(
            found("ask @some_one at 192.168.0.12"),
            [("@some_one", Kind::Handle), ("192.168.0.12", Kind::Machine)]
        );
        assert_eq!(found("It was great.We left."), []);
    }

    #[test]
    fn numbers_with_check_digits_count_only_if_they_are_right() {
        assert_eq!(found("GB82 WEST 1234 5698 7654 32"), [("GB82 WEST 1234 5698 7654 32", Kind::Iban)]);
        assert!(!found("GB82 WEST 1234 5698 7654 33").iter().any(|(_, kind)| *kind == Kind::Iban));
        assert_eq!(found("card 4111 1111 1111 1111."), [("4111 1111 1111 1111", Kind::Card)]);
        assert!(!found("card 4111 1111 1111 1112.").iter().any(|(_, kind)| *kind == Kind::Card));
    }

    #[test]
    fn a_number_with_a_wrong_check_digit_is_still_a_number() {
        assert_eq!(found("4111111111111112"), [("4111111111111112", Kind::Number)]);
        assert_eq!(found("order AB-1234567"), [("AB-1234567", Kind::Number)]);
        assert_eq!(found("4111 1111 1111 1112"), [("4111 1111 1111 1112", Kind::Number)]);
        assert_eq!(found("my ssn is 078-05-1120"), [("078-05-1120", Kind::Number)]);
    }

    #[test]
    fn phones_and_dates_are_told_apart() {
        assert_eq!(found("+44 20 7946 0958"), [("+44 20 7946 0958", Kind::Phone)]);
        assert_eq!(found("(555) 010-9999"), [("(555) 010-9999", Kind::Phone)]);
        assert_eq!(found("call 555-0199"), [("555-0199", Kind::Phone)]);
        assert_eq!(found("on 12/03/2024"), [("12/03/2024", Kind::Date)]);
        assert_eq!(found("on 2024-03-12"), [("2024-03-12", Kind::Date)]);
        assert_eq!(found("on 3 March 2024"), [("3 March 2024", Kind::Date)]);
        assert_eq!(found("March 3rd, 2024 or Oct. 5"), [("March 3rd, 2024", Kind::Date), ("Oct. 5", Kind::Date)]);
        let both = found("12/03/2024 020 7946 0958");
        assert_eq!(both.iter().map(|(_, kind)| *kind).collect::<Vec<_>>(), [Kind::Date, Kind::Phone], "{both:?}");
        assert_eq!(found("we 2 may go, 13 people, room 12, $1,200.50"), []);
    }

    #[test]
    fn postcodes_are_found() {
        assert_eq!(found("SW1A 1AA and TX 77002"), [("SW1A 1AA", Kind::Postcode), ("TX 77002", Kind::Postcode)]);
    }

    #[test]
    fn a_text_without_any_is_left_alone() {
        assert_eq!(found("The food was great, and we will come back."), []);
        assert_eq!(found(""), []);
    }
}
