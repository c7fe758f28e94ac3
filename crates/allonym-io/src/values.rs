//! Values of other columns, as a person would read them.

use crate::error::IoError;
use crate::key;
use allonym_text::Private;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, types};
use arrow_schema::DataType;
use serde_json::value::RawValue;

/// The values of some columns of a record, `None` where there is none or it is empty.
pub type Values = Private<Vec<Option<String>>>;

/// A value without the spaces around it; nothing, if it is empty.
pub(crate) fn of_bytes(value: &[u8], record: u64, column: &str) -> Result<Option<String>, IoError> {
    let text = std::str::from_utf8(value).map_err(|error| IoError::NotUtf8 {
        record,
        column: column.to_owned(),
        offset: error.valid_up_to(),
    })?;
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

/// The contents of a JSON string, or a number, true or false as it stands there.
pub(crate) fn of_json(value: &RawValue, record: u64, column: &str) -> Result<Option<String>, IoError> {
    match value.get().as_bytes().first() {
        Some(b't' | b'f' | b'-' | b'0'..=b'9') => Ok(Some(value.get().to_owned())),
        _ => match key::of_json(value, record, column)? {
            Some(bytes) => of_bytes(&bytes, record, column),
            None => Ok(None),
        },
    }
}

/// The values of an Arrow column of strings, numbers, true or false; none of any other type.
pub(crate) fn of_column(column: &ArrayRef) -> Vec<Option<String>> {
    match column.data_type() {
        DataType::Boolean => column.as_boolean().iter().map(|value| value.map(|value| value.to_string())).collect(),
        DataType::Float32 => floats(column.as_primitive::<types::Float32Type>().iter().map(|v| v.map(f64::from))),
        DataType::Float64 => floats(column.as_primitive::<types::Float64Type>().iter()),
        kind if key::can_name(kind) => {
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok().map(|text| text.trim().to_owned());
            let names = key::of_column(column).into_iter();
            names.map(|name| name.and_then(text).filter(|text| !text.is_empty())).collect()
        }
        _ => vec![None; column.len()],
    }
}

fn floats(values: impl Iterator<Item = Option<f64>>) -> Vec<Option<String>> {
    values.map(|value| value.map(|value| value.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_value_reads_alike_in_every_format() {
        let json = |text: &str| of_json(&RawValue::from_string(text.into()).unwrap(), 1, "age").unwrap();
        assert_eq!(of_bytes(b" 33 ", 1, "age").unwrap().as_deref(), Some("33"));
        assert_eq!((json("33").as_deref(), json("\"33 \"").as_deref(), json("null")), (Some("33"), Some("33"), None));
        assert_eq!((json("true").as_deref(), json("1.5").as_deref(), json("\"\"")), (Some("true"), Some("1.5"), None));
        let column: ArrayRef = Arc::new(arrow_array::Int32Array::from(vec![Some(33), None]));
        assert_eq!(of_column(&column), [Some("33".to_owned()), None]);
        let column: ArrayRef = Arc::new(arrow_array::Float64Array::from(vec![1.5]));
        assert_eq!(of_column(&column), [Some("1.5".to_owned())]);
    }
}
