//! Entities that another tool has found: a line of JSON for each record, as Presidio's analyser writes them.

use crate::entity::{Entity, Kind, without_overlaps};
use serde::Deserialize;

/// One entity of a line. Places are counted in characters, as Python does.
#[derive(Deserialize)]
struct Given {
    start: usize,
    end: usize,
    #[serde(alias = "type", alias = "label")]
    entity_type: String,
}

/// A line: a list, or an object with one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    List(Vec<Given>),
    Object {
        #[serde(alias = "results")]
        entities: Vec<Given>,
    },
}

/// The entities of a text by a line of JSON. `None` if it is no such line, or a place in it lies outside of the text.
pub fn given(line: &str, text: &str) -> Option<Vec<Entity>> {
    let (Line::List(found) | Line::Object { entities: found }) = serde_json::from_str(line).ok()?;
    let mut places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    places.push(text.len());
    let entity = |given: Given| {
        let span = *places.get(given.start)?..*places.get(given.end)?;
        (span.start < span.end).then(|| Entity { span, kind: kind(&given.entity_type) })
    };
    let mut found = found.into_iter().map(entity).collect::<Option<Vec<_>>>()?;
    // A whole address rather than the part of it that is one too.
    found.sort_by_key(|entity| std::cmp::Reverse(entity.span.len()));
    Some(without_overlaps(text, found))
}

/// What another tool calls it. What is not known here is replaced all the same.
fn kind(name: &str) -> Kind {
    match name.to_ascii_uppercase().as_str() {
        "PERSON" | "PER" => Kind::Person,
        "LOCATION" | "LOC" | "GPE" | "FAC" | "PLACE" => Kind::Place,
        "ORGANIZATION" | "ORGANISATION" | "ORG" => Kind::Organisation,
        "EMAIL_ADDRESS" | "EMAIL" => Kind::Email,
        "URL" | "DOMAIN_NAME" => Kind::Web,
        "PHONE_NUMBER" | "PHONE" => Kind::Phone,
        "IBAN_CODE" | "IBAN" => Kind::Iban,
        "CREDIT_CARD" => Kind::Card,
        "IP_ADDRESS" | "MAC_ADDRESS" => Kind::Machine,
        "DATE_TIME" | "DATE" => Kind::Date,
        name if name.starts_with("US_") || name.starts_with("UK_") => Kind::Number,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let text = "Zoë met Åsa in Köln.";
        let line = r#"[{"entity_type": "PERSON", "start": 8, "end": 11, "score": 0.85}, {"entity_type":"LOCATION","start":15,"end":19,"score":1}]"#;
        let found = given(line, text).unwrap();
        let told: Vec<_> = found.iter().map(|entity| (&text[entity.span.clone()], entity.kind)).collect();
        assert_eq!(told, [("Åsa", Kind::Person), ("Köln", Kind::Place)]);
        let object = r#"{"id": 7, "entities": [{"label": "NRP", "start": 0, "end": 3}]}"#;
        assert_eq!(given(object, text).unwrap()[0].kind, Kind::Other);
        assert_eq!(given("[]", text), Some(vec![]));
    }

    #[test]
    fn what_lies_outside_of_the_text_is_refused() {
        assert_eq!(given(r#"[{"entity_type":"PERSON","start":0,"end":9}]"#, "short"), None);
        assert_eq!(given(r#"[{"entity_type":"PERSON","start":3,"end":2}]"#, "short"), None);
        assert_eq!(given("not json", "short"), None);
    }
}
