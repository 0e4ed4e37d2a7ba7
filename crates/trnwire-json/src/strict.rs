//! Reading JSON without losing duplicate keys.

use core::cell::Cell;
use core::fmt;
use std::io::{self, BufReader, Read};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
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

/// Hands on JSON values that follow one another, with or without space or newlines between, and the elements of
/// top-level arrays one by one. Memory is needed for one value at a time.
///
/// # Errors
/// The first of: text that is no JSON, a repeated key, a value of more than [`MAX_VALUE_BYTES`], the reader's own
/// error, and the visitor's.
pub fn parse_stream<E: From<InputError>>(
    reader: impl Read,
    visit: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    let used = Cell::new(0);
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(Metered { reader, used: &used }));
    let mut values = Values { visit, used: &used, refused: None };
    // `end` looks ahead without taking: an error other than one of reading means that there is another value.
    while let Err(rest) = json.end() {
        let result = if rest.is_io() { Err(rest) } else { (&mut values).deserialize(&mut json) };
        if let Some(refused) = values.refused {
            return Err(refused);
        }
        result.map_err(|error| InputError::new(error.to_string()))?;
    }
    Ok(())
}

/// The longest value that [`parse_stream`] reads. Decoded words and requests are below 1 KiB.
pub const MAX_VALUE_BYTES: usize = 1 << 20;

/// A reader that stops when too much was read since somebody last set `used` to zero.
struct Metered<'a, R> {
    reader: R,
    used: &'a Cell<usize>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.used.get() > MAX_VALUE_BYTES {
            return Err(io::Error::other(format!("a value is longer than {MAX_VALUE_BYTES} bytes")));
        }
        let count = self.reader.read(buffer)?;
        self.used.set(self.used.get().saturating_add(count));
        Ok(count)
    }
}

/// Hands on one value, or each element of one array.
struct Values<'a, E, F> {
    visit: F,
    used: &'a Cell<usize>,
    /// The visitor's error, which ended the reading.
    refused: Option<E>,
}

impl<E, F: FnMut(Value) -> Result<(), E>> Values<'_, E, F> {
    fn hand_on<D: Error>(&mut self, value: Value) -> Result<(), D> {
        self.used.set(0);
        (self.visit)(value).map_err(|error| {
            self.refused = Some(error);
            D::custom("refused")
        })
    }
}

impl<'de, E, F: FnMut(Value) -> Result<(), E>> DeserializeSeed<'de> for &mut Values<'_, E, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, E, F: FnMut(Value) -> Result<(), E>> Visitor<'de> for &mut Values<'_, E, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(Strict(value)) = items.next_element()? {
            self.hand_on(value)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<(), A::Error> {
        let value = StrictVisitor.visit_map(entries)?;
        self.hand_on(value)
    }
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

    /// What a stream hands on, and how it ends.
    fn stream(reader: impl Read) -> (Vec<String>, Result<(), String>) {
        let mut values = Vec::new();
        let result = parse_stream(reader, |value| {
            values.push(value.to_string());
            Ok::<(), InputError>(())
        });
        (values, result.map_err(|error| error.to_string()))
    }

    #[test]
    fn a_stream_hands_on_objects_and_the_elements_of_arrays() {
        let (values, result) = stream(&b" {} [{\"a\":1},[2]]\n\n{\"b\":[3]}[]\n"[..]);
        assert_eq!(values, ["{}", "{\"a\":1}", "[2]", "{\"b\":[3]}"]);
        assert_eq!(result, Ok(()));
        assert_eq!(stream(&b" \n"[..]), (Vec::new(), Ok(())));
    }

    #[test]
    fn a_stream_ends_at_its_first_error() {
        let (values, result) = stream(&b"{} {\"a\":} {}"[..]);
        assert_eq!(values, ["{}"]);
        assert!(result.unwrap_err().starts_with("expected value at line 1 column"));
        assert!(stream(&b"[{}"[..]).1.is_err());
        assert!(stream(&b"17"[..]).1.unwrap_err().contains("expected an object or an array of objects"));
        let (values, result) = stream(&b"[{},{\"a\":1,\"a\":2}]"[..]);
        assert_eq!(values, ["{}"]);
        assert!(result.unwrap_err().contains("occurs twice"));
    }

    #[test]
    fn the_visitors_error_ends_the_stream_and_comes_back_as_it_is() {
        let mut seen = 0;
        let result = parse_stream(&b"[{},{},{}]"[..], |_| {
            seen += 1;
            if seen == 2 { Err(InputError::new("mine".to_owned())) } else { Ok(()) }
        });
        assert_eq!((result.unwrap_err().to_string().as_str(), seen), ("mine", 2));
    }

    #[test]
    fn memory_is_bounded_by_value_and_not_by_stream() {
        let short = br#"{"word":"0x00000000"},"#.repeat(100_000);
        let many = b"[".chain(&short[..]).chain(&b"{}]"[..]);
        let (values, result) = stream(many);
        assert_eq!((values.len(), result), (100_001, Ok(())));
        let long = b"{\"a\":[".chain(io::repeat(b'[').take(64)).chain(io::repeat(b' '));
        assert!(stream(long).1.unwrap_err().contains("longer than 1048576 bytes"));
    }
}
