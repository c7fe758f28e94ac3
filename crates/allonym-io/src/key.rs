//! Who a record is and who wrote it, as a ledger knows them.
//!
//! The same record must have the same key whatever file it comes in, so a key is what a person would read: the value of a
//! cell without quotes, the contents of a JSON string, the digits of a whole number; letters composed (NFC), without spaces and
//! invisible marks around it. What has several spellings is refused. Case and leading zeros count.

use crate::columns::Columns;
use crate::error::IoError;
use allonym_text::Private;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, types};
use arrow_schema::DataType;
use serde_json::value::RawValue;
use std::fmt::Display;
use unicode_normalization::UnicodeNormalization;

/// The id of a record and the name of its author.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The record's id; never empty.
    pub id: Vec<u8>,
    /// The author's name, where there is one.
    pub author: Option<Vec<u8>>,
}

impl Key {
    /// The key of a record from its two values, as far as it has them.
    pub(crate) fn new(
        id: Option<&[u8]>,
        author: Option<&[u8]>,
        record: u64,
        columns: &Columns,
    ) -> Result<Private<Self>, IoError> {
        let value =
            |value: Option<&[u8]>, column: &str| value.map_or(Ok(None), |value| of_bytes(value, record, column));
        let author = value(author, &columns.author)?;
        match value(id, &columns.id)? {
            Some(id) => Ok(Private::new(Self { id, author })),
            None => Err(IoError::NoId { record, column: columns.id.clone() }),
        }
    }

    /// A name as keys have it; nothing, if it is empty.
    pub fn name(text: &str) -> Option<Vec<u8>> {
        let unseen = |c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
        let name: String = text.trim_matches(unseen).nfc().collect();
        (!name.is_empty()).then(|| name.into_bytes())
    }
}

fn of_bytes(value: &[u8], record: u64, column: &str) -> Result<Option<Vec<u8>>, IoError> {
    let column = || column.to_owned();
    let text = std::str::from_utf8(value).map_err(|error| IoError::NotUtf8 {
        record,
        column: column(),
        offset: error.valid_up_to(),
    })?;
    let name = Key::name(text);
    if name.as_ref().is_some_and(|name| name.first() == Some(&b'"')) {
        return Err(IoError::NotAName { record, column: column(), found: "in quotes of its own" });
    }
    Ok(name)
}

/// What stands in a JSON value, as a person would read it; `None` for null.
pub(crate) fn of_json(value: &RawValue, record: u64, column: &str) -> Result<Option<Vec<u8>>, IoError> {
    let raw = value.get();
    let found = match raw.as_bytes().first() {
        Some(b'"') => {
            return serde_json::from_str::<String>(raw)
                .map(|text| Some(text.into_bytes()))
                .map_err(|error| IoError::NotUtf8 { record, column: column.to_owned(), offset: error.column() });
        }
        Some(b'n') => return Ok(None),
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        _ if raw == "-0" => return Ok(Some(b"0".to_vec())),
        _ if raw.bytes().skip(1).all(|byte| byte.is_ascii_digit()) => return Ok(Some(raw.as_bytes().to_vec())),
        _ => "not a whole number",
    };
    Err(IoError::NotAName { record, column: column.to_owned(), found })
}

/// Whether values of a column can name something.
pub(crate) fn can_name(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => can_name(values),
        kind => kind.is_integer() || matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

/// The names that such a column holds, `None` where it holds none; no names at all for a column of another type.
pub(crate) fn of_column(column: &ArrayRef) -> Vec<Option<Vec<u8>>> {
    fn strings<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<Vec<u8>>> {
        values.map(|value| value.map(|value| value.as_bytes().to_vec())).collect()
    }
    fn numbers<T: ArrowPrimitiveType>(column: &ArrayRef) -> Vec<Option<Vec<u8>>>
    where
        T::Native: Display,
    {
        column.as_primitive::<T>().iter().map(|value| value.map(|value| value.to_string().into_bytes())).collect()
    }
    match column.data_type() {
        DataType::Utf8 => strings(column.as_string::<i32>().iter()),
        DataType::LargeUtf8 => strings(column.as_string::<i64>().iter()),
        DataType::Utf8View => strings(column.as_string_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            if dictionary.values().is_empty() {
                return vec![None; column.len()];
            }
            let names = of_column(dictionary.values());
            let name =
                |row: usize, key: usize| column.is_valid(row).then(|| names.get(key).cloned().flatten()).flatten();
            dictionary.normalized_keys().into_iter().enumerate().map(|(row, key)| name(row, key)).collect()
        }
        DataType::Int8 => numbers::<types::Int8Type>(column),
        DataType::Int16 => numbers::<types::Int16Type>(column),
        DataType::Int32 => numbers::<types::Int32Type>(column),
        DataType::Int64 => numbers::<types::Int64Type>(column),
        DataType::UInt8 => numbers::<types::UInt8Type>(column),
        DataType::UInt16 => numbers::<types::UInt16Type>(column),
        DataType::UInt32 => numbers::<types::UInt32Type>(column),
        DataType::UInt64 => numbers::<types::UInt64Type>(column),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{DictionaryArray, Float64Array, Int64Array, StringViewArray, UInt8Array};
    use std::sync::Arc;

    fn opened(key: Private<Key>) -> Key {
        let mut inside = None;
        let _ = key.map(|key| inside = Some(key));
        inside.unwrap()
    }

    fn json(value: &str) -> Result<Option<Vec<u8>>, IoError> {
        of_json(&RawValue::from_string(value.into()).unwrap(), 3, "id")
    }

    #[test]
    fn a_number_a_string_and_a_cell_with_the_same_digits_are_the_same_record() {
        let columns = Columns::default();
        let key = |id: &[u8]| opened(Key::new(Some(id), None, 1, &columns).unwrap());
        let cell = key(b" 4711 ");
        assert_eq!(key(&json("4711").unwrap().unwrap()), cell);
        assert_eq!(key(&json("\"47\\u00311\"").unwrap().unwrap()), cell);
        let stored: [ArrayRef; 4] = [
            Arc::new(Int64Array::from(vec![4711])),
            Arc::new(StringViewArray::from(vec!["4711"])),
            Arc::new(arrow_array::UInt16Array::from(vec![4711])),
            Arc::new(vec!["4711"].into_iter().collect::<DictionaryArray<arrow_array::types::Int8Type>>()),
        ];
        for column in stored {
            assert_eq!(key(of_column(&column)[0].as_deref().unwrap()), cell);
        }
    }

    #[test]
    fn a_record_without_an_id_has_no_key_and_an_empty_author_is_none() {
        let columns = Columns::default();
        for none in [None, Some(&b""[..]), Some(&b" \t"[..])] {
            assert!(matches!(Key::new(none, None, 7, &columns), Err(IoError::NoId { record: 7, .. })));
            assert_eq!(opened(Key::new(Some(b"1"), none, 7, &columns).unwrap()).author, None);
        }
        assert_eq!(json("null").unwrap(), None);
    }

    #[test]
    fn what_has_several_spellings_names_nothing() {
        assert!(matches!(json("[1]"), Err(IoError::NotAName { record: 3, found: "a list", .. })));
        assert!(matches!(json("true"), Err(IoError::NotAName { .. })));
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
        let small: ArrayRef = Arc::new(UInt8Array::from(vec![None, Some(1)]));
        assert!(of_column(&floats).is_empty() && !can_name(floats.data_type()));
        assert_eq!(of_column(&small), [None, Some(b"1".to_vec())]);
    }
}
