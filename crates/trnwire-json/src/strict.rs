//! Reading JSON without losing duplicate keys.

use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::InputError;

/// A JSON value in which no object had a key twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("key {key:?} occurs twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// Reads one JSON value.
///
/// # Errors
/// Text that is no JSON, holds more than one value, or repeats a key; the message has line and column.
pub fn parse(text: &str) -> Result<Value, InputError> {
    let Strict(value) = serde_json::from_str(text).map_err(|error| InputError::new(error.to_string()))?;
    Ok(value)
}

/// Reads JSON values that follow one another, with or without space or newlines between: JSON lines, for one.
///
/// After the first error nothing more comes.
pub fn parse_stream(reader: impl std::io::Read) -> impl Iterator<Item = Result<Value, InputError>> {
    serde_json::Deserializer::from_reader(reader)
        .into_iter::<Strict>()
        .map(|item| item.map(|Strict(value)| value).map_err(|error| InputError::new(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_occurs_twice_is_an_error_at_any_depth() {
        let message = |text| parse(text).unwrap_err().to_string();
        assert_eq!(message(r#"{"a":1,"a":1}"#), r#"key "a" occurs twice at line 1 column 13"#);
        assert!(message(r#"[{"x":{"b":1,"b":2}}]"#).contains(r#"key "b" occurs twice"#));
        assert!(parse(r#"{"a":{"b":1},"c":{"b":2}}"#).is_ok());
    }

    #[test]
    fn values_come_through_unchanged() {
        let text = r#"{"z":[1,-2,18446744073709551615,0.5,true,null,"\u00e9"],"a":{}}"#;
        let strict = parse(text).unwrap();
        assert_eq!(strict, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(strict.as_object().unwrap().keys().collect::<Vec<_>>(), ["z", "a"]);
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).unwrap_err().to_string().contains("recursion limit"));
    }

    #[test]
    fn a_stream_ends_at_its_first_error() {
        let results: Vec<_> = parse_stream(&b"{} [1]\n{\"a\":} {}"[..]).collect();
        assert_eq!(results.len(), 3);
        assert!(results[0].is_ok() && results[1].is_ok() && results[2].is_err());
    }
}
