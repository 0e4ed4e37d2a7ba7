//! Typed reading of a JSON object, with errors that name the key.

use core::fmt;

use serde_json::{Map, Value};

use crate::hex;

/// Input that cannot be understood, as opposed to a request that the encoder's rules refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    message: String,
    is_out_of_range: bool,
}

impl InputError {
    #[cold]
    pub(crate) fn new(message: String) -> Self {
        Self { message, is_out_of_range: false }
    }

    /// A value that its field cannot hold.
    #[cold]
    pub(crate) fn out_of_range(message: String) -> Self {
        Self { message, is_out_of_range: true }
    }

    /// Whether a value is understood, and does not fit its field.
    #[must_use]
    pub const fn is_out_of_range(&self) -> bool {
        self.is_out_of_range
    }

    /// The error with the key of the object that it is in.
    pub(crate) fn within(self, key: &str) -> Self {
        Self { message: format!("{key}: {}", self.message), ..self }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for InputError {}

/// An object whose keys are taken one by one; what is left at the end was not expected.
pub(crate) struct Object<'a> {
    map: &'a Map<String, Value>,
    taken: Vec<&'static str>,
    ignores_rest: bool,
}

impl<'a> Object<'a> {
    pub(crate) fn new(value: &'a Value) -> Result<Self, InputError> {
        match value {
            Value::Object(map) => Ok(Self { map, taken: Vec::new(), ignores_rest: false }),
            other => Err(InputError::new(format!("expected an object, found {}", brief(other)))),
        }
    }

    /// The value of a key that may be absent.
    pub(crate) fn optional(&mut self, key: &'static str) -> Option<&'a Value> {
        self.taken.push(key);
        self.map.get(key)
    }

    pub(crate) fn required(&mut self, key: &'static str) -> Result<&'a Value, InputError> {
        self.optional(key).ok_or_else(|| InputError::new(format!("key {key:?} is missing")))
    }

    /// Whether a key holds this string.
    pub(crate) fn is(&self, key: &str, text: &str) -> bool {
        self.map.get(key).is_some_and(|value| value == text)
    }

    pub(crate) fn string(&mut self, key: &'static str) -> Result<&'a str, InputError> {
        let value = self.required(key)?;
        value.as_str().ok_or_else(|| wrong(key, "a string", value))
    }

    pub(crate) fn boolean_or_false(&mut self, key: &'static str) -> Result<bool, InputError> {
        match self.optional(key) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| wrong(key, "true or false", value)),
        }
    }

    /// An integer; one beyond 64 bits becomes the nearest that fits, which every range check then refuses.
    pub(crate) fn integer(&mut self, key: &'static str) -> Result<i64, InputError> {
        let value = self.required(key)?;
        integer(value).ok_or_else(|| wrong(key, "an integer", value))
    }

    /// An integer, or `null` for none.
    pub(crate) fn integer_or_null(&mut self, key: &'static str) -> Result<Option<i64>, InputError> {
        match self.required(key)? {
            Value::Null => Ok(None),
            value => integer(value).map(Some).ok_or_else(|| wrong(key, "an integer or null", value)),
        }
    }

    /// A flag that is written as 0 or 1.
    pub(crate) fn bit(&mut self, key: &'static str) -> Result<bool, InputError> {
        let value = self.required(key)?;
        match value.as_u64() {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => Err(wrong(key, "0 or 1", value)),
        }
    }

    /// A word as `"0x02008004"`.
    pub(crate) fn word(&mut self, key: &'static str) -> Result<u32, InputError> {
        let value = self.required(key)?;
        word(value).ok_or_else(|| wrong(key, "a word such as \"0x02008004\"", value))
    }

    /// The keys that were asked for.
    pub(crate) fn taken(&self) -> &[&'static str] {
        &self.taken
    }

    /// Takes every key that is left.
    pub(crate) fn take_all(&mut self) {
        self.ignores_rest = true;
    }

    /// Ends the reading; a key that nobody took is an error.
    pub(crate) fn finish(self) -> Result<(), InputError> {
        match self.map.keys().find(|key| !self.ignores_rest && !self.taken.iter().any(|taken| taken == key)) {
            None => Ok(()),
            Some(key) => Err(InputError::new(format!("key {key:?} is not expected here"))),
        }
    }
}

/// The error for a value of another type or out of bounds.
pub(crate) fn wrong(key: &str, expected: &str, found: &Value) -> InputError {
    InputError::new(format!("{key}: expected {expected}, found {}", brief(found)))
}

pub(crate) fn word(value: &Value) -> Option<u32> {
    u32::try_from(hex::number(value.as_str()?)?).ok()
}

/// An integer; one beyond 64 bits becomes the nearest that fits.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    const FIRST_BEYOND_I64: f64 = 9_223_372_036_854_775_808.0;
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    match value.as_f64()? {
        number if number >= FIRST_BEYOND_I64 => Some(i64::MAX),
        number if number <= -FIRST_BEYOND_I64 => Some(i64::MIN),
        // JSON has a negative zero, and readers keep it as a float.
        number if number == 0.0 && number.is_sign_negative() => Some(0),
        _ => None,
    }
}

/// The value as an error shows it: whole when short, its start otherwise.
pub(crate) fn brief(value: &Value) -> String {
    const MOST_CHARS: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MOST_CHARS) {
        None => text,
        Some(_) => text.chars().take(MOST_CHARS).chain("...".chars()).collect(),
    }
}
