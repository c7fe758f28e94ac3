//! Which names a text has, each counted once however it is written.

use super::hierarchy::known;
use crate::entity::{Entity, Kind, without_overlaps};
use allonym_text::{Document, key};
use std::collections::HashMap;
use std::ops::Range;

/// A name in a text, and the name that is meant.
#[derive(Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// The name that is meant: for a part of a person's name, the whole one of the same text.
    pub name: String,
}

/// Words of the longest name that is looked for elsewhere.
const LONGEST: usize = 10;

/// Names that were found, for looking in all of a text, or of all texts.
#[derive(Clone, Default)]
pub struct Elsewhere {
    /// By their first word, without capitals: the others. The longest first.
    names: HashMap<String, Vec<Known>>,
}

/// A name that is looked for.
#[derive(Clone)]
struct Known {
    /// Its words after the first, without capitals.
    rest: Vec<String>,
    kind: Kind,
    /// A name of one word is looked for as it was written, or in capitals: without, it may be any word.
    written: Option<String>,
}

impl Elsewhere {
    /// Takes in what was found in a text. Numbers and addresses are found by their form wherever they are.
    pub fn add(&mut self, text: &str, found: &[Entity]) {
        for entity in found.iter().filter(|entity| is_name(entity.kind)) {
            let mut words = words(&text[entity.span.clone()]);
            if words.len() > LONGEST || !can_stand_alone(&words) {
                continue;
            }
            let rest: Vec<String> = words.split_off(1).iter().map(|word| key(word).into_owned()).collect();
            let first = words.remove(0);
            let names = self.names.entry(key(&first).into_owned()).or_default();
            let written = rest.is_empty().then_some(first);
            if !names.iter().any(|known| known.rest == rest && known.written == written) {
                let place = names.partition_point(|known| known.rest.len() >= rest.len());
                names.insert(place, Known { rest, kind: entity.kind, written });
            }
        }
    }

    /// The longest name that begins with the first of these words: how many words it has, and what it is.
    fn begins(&self, words: &[&str]) -> Option<(usize, Kind)> {
        let first = *words.first()?;
        let fits = |known: &&Known| match &known.written {
            Some(written) => first == written || (first.len() > 3 && first == written.to_uppercase()),
            None => {
                words.len() > known.rest.len()
                    && known.rest.iter().zip(&words[1..]).all(|(known, word)| *known == key(word))
            }
        };
        let found = self.names.get(&*key(first))?.iter().find(fits)?;
        Some((found.rest.len() + 1, found.kind))
    }
}

fn is_name(kind: Kind) -> bool {
    matches!(kind, Kind::Person | Kind::Place | Kind::Organisation)
}

fn words(text: &str) -> Vec<String> {
    Document::read(text).tokens().map(|token| token.text.to_owned()).collect()
}

/// Several words of three letters, or one that has a capital too: others are too often something else.
fn can_stand_alone(words: &[String]) -> bool {
    let long = |word: &String| word.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    match words {
        [] => false,
        [word] => word.starts_with(char::is_uppercase) && long(word),
        words => words.iter().all(long) || words.iter().any(|word| word.starts_with(char::is_uppercase)),
    }
}

/// The mentions of a text: what was found there, every other place where the same name stands in it, and names of other records if asked to look for those.
pub fn mentions(text: &str, found: Vec<Entity>, elsewhere: Option<&Elsewhere>) -> Vec<Mention> {
    let mut own = Elsewhere::default();
    own.add(text, &found);
    let document = Document::read(text);
    let tokens: Vec<_> = document.tokens().collect();
    let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    let mut more = Vec::new();
    for start in 0..words.len() {
        let rest = &words[start..];
        if let Some((len, kind)) = own.begins(rest).or_else(|| elsewhere.and_then(|elsewhere| elsewhere.begins(rest))) {
            more.push(Entity { span: tokens[start].span.start..tokens[start + len - 1].span.end, kind });
        }
    }
    let all = without_overlaps(text, found.into_iter().chain(more));
    let people: Vec<String> = all
        .iter()
        .filter(|entity| entity.kind == Kind::Person)
        .map(|entity| known(&text[entity.span.clone()]))
        .collect();
    let meant = |entity: Entity| {
        let name = known(&text[entity.span.clone()]);
        let name = if entity.kind == Kind::Person { whole_name(&name, &people) } else { name };
        // How it was written is looked at only where the way of writing is part of the name (`NASA`).
        let name = if entity.kind == Kind::Person || name.contains(char::is_whitespace) {
            name
        } else {
            text[entity.span.clone()].to_owned()
        };
        Mention { span: entity.span, kind: entity.kind, name }
    };
    all.into_iter().map(meant).collect()
}

/// The longest name of the text that ends or begins with this one: who is called `Lee` after `Ann Lee` is the same.
fn whole_name(name: &str, people: &[String]) -> String {
    let is_part = |whole: &&String| {
        whole.len() > name.len()
            && (whole.strip_suffix(name).is_some_and(|rest| rest.ends_with(' '))
                || whole.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
    };
    people.iter().filter(is_part).max_by_key(|whole| whole.len()).map_or_else(|| name.to_owned(), Clone::clone)
}

/// The text with something else in the place of each mention. Where nothing is said, one space goes too.
pub fn rewritten(text: &str, mentions: &[Mention], form: impl Fn(&Mention) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (place, mention) in mentions.iter().enumerate() {
        out.push_str(&text[done..mention.span.start]);
        let form = form(mention);
        done = mention.span.end;
        let touches = mentions.get(place + 1).is_some_and(|next| next.span.start <= done);
        if form.is_empty() && !touches && (out.is_empty() || out.ends_with(' ')) && text[done..].starts_with(' ') {
            done += 1;
        }
        out.push_str(&form);
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, part: &str, kind: Kind) -> Entity {
        let start = text.find(part).unwrap();
        Entity { span: start..start + part.len(), kind }
    }

    fn named(text: &str, found: Vec<Entity>) -> Vec<(&str, String)> {
        mentions(text, found, None).into_iter().map(|m| (&text[m.span], m.name)).collect()
    }

    #[test]
    fn a_name_is_found_again_and_a_part_of_it_means_the_whole() {
        let text = "Ann Lee came. Lee spoke, and Ann  Lee left.";
        let lee = Entity { span: 14..17, kind: Kind::Person };
        assert_eq!(
            named(text, vec![at(text, "Ann Lee", Kind::Person), lee]),
            [("Ann Lee", "ann lee".into()), ("Lee", "ann lee".into()), ("Ann  Lee", "ann lee".into())]
        );
    }

    #[test]
    fn names_of_other_records_are_looked_for_if_asked() {
        let mut elsewhere = Elsewhere::default();
        let other = "Zebulon was here, in May.";
        elsewhere.add(other, &[at(other, "Zebulon", Kind::Person), at(other, "May", Kind::Date)]);
        let text = "We met Zebulon in May.";
        assert_eq!(mentions(text, vec![], Some(&elsewhere)).len(), 1);
        assert_eq!(mentions("WE MET ZEBULON", vec![], Some(&elsewhere)).len(), 1);
        let full = "Quentin Blatherwick left.";
        elsewhere.add(full, &[at(full, "Quentin Blatherwick", Kind::Person)]);
        for other in ["i saw quentin blatherwick here", "I SAW QUENTIN  BLATHERWICK"] {
            assert_eq!(mentions(other, vec![], Some(&elsewhere)).len(), 1, "{other}");
        }
        assert_eq!(mentions(text, vec![], None).len(), 0);
    }

    #[test]
    fn names_that_touch_are_replaced_one_by_one() {
        let text = "Ann Lee left";
        let touching = [0..3, 3..7].map(|span| Mention { span, kind: Kind::Person, name: "x".into() });
        assert_eq!(rewritten(text, &touching, |_| String::new()), "left");
        let long = "word ".repeat(3000);
        let found = vec![Entity { span: 0..long.len() - 1, kind: Kind::Place }];
        assert_eq!(mentions(&long, found, None).len(), 1, "and a long one takes no longer");
    }

    #[test]
    fn everything_else_stays_as_it_was() {
        let text = "  Dear Ann,\n\tsee Rome!  ";
        let found = vec![at(text, "Ann", Kind::Person), at(text, "Rome", Kind::Place)];
        let mentions = mentions(text, found, None);
        let star =
            |mention: &Mention| if mention.kind == Kind::Person { "*".to_owned() } else { "somewhere".to_owned() };
        assert_eq!(rewritten(text, &mentions, star), "  Dear *,\n\tsee somewhere!  ");
        assert_eq!(
            rewritten(
                "Ann left Ann .",
                &super::mentions("Ann left Ann .", vec![at("Ann left Ann .", "Ann", Kind::Person)], None),
                |_| String::new()
            ),
            "left ."
        );
    }
}
