//! Objects of the manifest: one description of each drives reading, writing, checking and the schema.

use serde_json::{Map, Value, json};
use trnwire::arch::CollectiveArch;
use trnwire::soc::SocAddress;

/// What is wrong in a manifest, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A JSON pointer to the value.
    pub path: String,
    /// What is wrong.
    pub what: String,
    /// A count that may not be stored.
    pub is_derived: bool,
}

impl Fault {
    pub(super) fn new(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into(), is_derived: false }
    }
}

/// A key of an object.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What its value is, in words.
    pub kind: &'static str,
    /// It must be there.
    pub is_required: bool,
    /// The least and greatest number.
    pub range: Option<(i64, i64)>,
    /// The JSON Schema of its value.
    pub schema: fn(Option<(i64, i64)>) -> Value,
}

/// A value of a key.
pub(super) trait Stored: Sized {
    /// What it is, in words.
    const KIND: &'static str;
    /// `None` for a value of another type or out of range.
    fn read(value: &Value, range: Option<(i64, i64)>) -> Option<Self>;
    /// `None` where the key is left out.
    fn write(&self) -> Option<Value>;
    /// Its JSON Schema.
    fn schema(range: Option<(i64, i64)>) -> Value;
}

fn in_range(number: i64, range: Option<(i64, i64)>) -> bool {
    range.is_none_or(|(least, most)| (least..=most).contains(&number))
}

macro_rules! integers {
    ($($Type:ty: $kind:literal),*) => {$(
        impl Stored for $Type {
            const KIND: &'static str = $kind;
            fn read(value: &Value, range: Option<(i64, i64)>) -> Option<Self> {
                let number = value.as_i64().filter(|number| in_range(*number, range))?;
                number.try_into().ok()
            }
            fn write(&self) -> Option<Value> {
                Some((*self).into())
            }
            fn schema(range: Option<(i64, i64)>) -> Value {
                let (least, most) = range.unwrap_or((0, i64::try_from(<$Type>::MAX).unwrap_or(i64::MAX)));
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
        }
    )*};
}
integers!(u8: "an integer", u16: "an integer", u32: "an integer", u64: "an integer", i64: "an integer");

impl Stored for bool {
    const KIND: &'static str = "true or false";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        value.as_bool()
    }
    fn write(&self) -> Option<Value> {
        Some((*self).into())
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        json!({ "type": "boolean" })
    }
}

impl Stored for String {
    const KIND: &'static str = "a string";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
    fn write(&self) -> Option<Value> {
        Some(self.as_str().into())
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        json!({ "type": "string" })
    }
}

impl Stored for SocAddress {
    const KIND: &'static str = "an address (0x and 16 upper-case hex digits)";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        let digits = value.as_str()?.strip_prefix("0x")?;
        let is_upper = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
        (digits.len() == 16 && is_upper).then(|| u64::from_str_radix(digits, 16).ok().map(Self)).flatten()
    }
    fn write(&self) -> Option<Value> {
        Some(self.to_string().into())
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        json!({ "type": "string", "pattern": "^0x[0-9A-F]{16}$" })
    }
}

/// The part of an address above the local one, such as `0x0041`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Route(pub u64);

impl Stored for Route {
    const KIND: &'static str = "hex digits behind 0x, not zero";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        let digits = value.as_str()?.strip_prefix("0x")?;
        let is_hex = !digits.is_empty() && digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u64::from_str_radix(digits, 16).ok())?.filter(|route| *route != 0).map(Self)
    }
    fn write(&self) -> Option<Value> {
        Some(format!("{:#06x}", self.0).into())
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        json!({ "type": "string", "pattern": "^0x(?!0+$)[0-9a-fA-F]{1,8}$" })
    }
}

impl Stored for CollectiveArch {
    const KIND: &'static str = "sunda, cayman, mariana or mariana_plus";
    fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
        let name = value.as_str()?;
        Self::ALL.into_iter().find(|arch| arch.name() == name)
    }
    fn write(&self) -> Option<Value> {
        Some(self.name().into())
    }
    fn schema(_: Option<(i64, i64)>) -> Value {
        json!({ "enum": Self::ALL.map(Self::name) })
    }
}

/// A value, or null for what is not known.
impl<T: Stored> Stored for Option<T> {
    const KIND: &'static str = T::KIND;
    fn read(value: &Value, range: Option<(i64, i64)>) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::read(value, range).map(Some) }
    }
    fn write(&self) -> Option<Value> {
        self.as_ref().map_or(Some(Value::Null), T::write)
    }
    fn schema(range: Option<(i64, i64)>) -> Value {
        json!({ "anyOf": [T::schema(range), { "type": "null" }] })
    }
}

/// A value that is there or left out, and never null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Maybe<T>(pub Option<T>);

impl<T: Stored> Stored for Maybe<T> {
    const KIND: &'static str = T::KIND;
    fn read(value: &Value, range: Option<(i64, i64)>) -> Option<Self> {
        T::read(value, range).map(|value| Self(Some(value)))
    }
    fn write(&self) -> Option<Value> {
        self.0.as_ref().and_then(T::write)
    }
    fn schema(range: Option<(i64, i64)>) -> Value {
        T::schema(range)
    }
}

impl<T: Stored> Stored for Vec<T> {
    const KIND: &'static str = "a list of numbers";
    fn read(value: &Value, range: Option<(i64, i64)>) -> Option<Self> {
        value.as_array()?.iter().map(|value| T::read(value, range)).collect()
    }
    fn write(&self) -> Option<Value> {
        Some(Value::Array(self.iter().filter_map(T::write).collect()))
    }
    fn schema(range: Option<(i64, i64)>) -> Value {
        json!({ "type": "array", "items": T::schema(range) })
    }
}

/// Declares a value that is one of some words.
macro_rules! words {
    ($( $(#[$doc:meta])+ $Name:ident { $( $(#[$variant_doc:meta])+ $Variant:ident = $word:literal, )* } )*) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Name { $( $(#[$variant_doc])+ $Variant, )* }

        impl $Name {
            /// All of them.
            pub const ALL: &[Self] = &[$( Self::$Variant ),*];

            /// The word in the manifest.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$Variant => $word, )* }
            }
        }

        impl Stored for $Name {
            const KIND: &'static str = concat!("one of the words", $( " ", $word ),*);
            fn read(value: &Value, _: Option<(i64, i64)>) -> Option<Self> {
                let word = value.as_str()?;
                Self::ALL.iter().copied().find(|one| one.name() == word)
            }
            fn write(&self) -> Option<Value> {
                Some(self.name().into())
            }
            fn schema(_: Option<(i64, i64)>) -> Value {
                serde_json::json!({ "enum": [$( $word ),*] })
            }
        }
    )*};
}
pub(super) use words;

/// An object of the manifest.
pub(super) trait Entry: Sized {
    /// Its keys, in the order in which they are written.
    const KEYS: &'static [Key];
    /// Reads it; keys that it does not know are handed to `unknown`.
    fn read(map: Map<String, Value>, path: &str, unknown: &mut dyn FnMut(String)) -> Result<Self, Fault>;
    /// Its keys and values.
    fn write(&self) -> Map<String, Value>;
}

/// Counts that follow from records, which nobody may store.
pub(super) const DERIVED: [&str; 7] = ["sent", "taken", "returned", "used", "fired", "completed", "delivered"];

/// Takes a key out of an object.
pub(super) fn take<T: Stored>(
    map: &mut Map<String, Value>,
    path: &str,
    key: &Key,
    default: Option<T>,
) -> Result<T, Fault> {
    match map.shift_remove(key.name) {
        None => default.ok_or_else(|| Fault::new(path, format!("key {:?} is missing", key.name))),
        Some(value) => T::read(&value, key.range).ok_or_else(|| {
            let found: String = value.to_string().chars().take(60).collect();
            let range = key.range.map_or(String::new(), |(least, most)| format!(" in {least}..={most}"));
            Fault::new(format!("{path}/{}", key.name), format!("expected {}{range}, found {found}", key.kind))
        }),
    }
}

/// Looks at the keys that are left: derived counts are faults, keys of one's own are kept, others are told.
pub(super) fn rest(
    map: Map<String, Value>,
    path: &str,
    unknown: &mut dyn FnMut(String),
) -> Result<Map<String, Value>, Fault> {
    for key in map.keys() {
        let place = format!("{path}/{key}");
        if DERIVED.contains(&key.as_str()) {
            let what = "a count that follows from the records may not be stored";
            return Err(Fault { is_derived: true, ..Fault::new(place, what) });
        }
        if !key.starts_with("x_") {
            unknown(place);
        }
    }
    Ok(map)
}

/// The default of a key: none when it is required.
macro_rules! default_of {
    (required) => {
        None
    };
    (($default:expr)) => {
        Some($default)
    };
}

/// The range of a key.
macro_rules! range_of {
    () => {
        None
    };
    ($least:literal, $most:literal) => {
        Some(($least, $most))
    };
}

macro_rules! is_required {
    (required) => {
        true
    };
    (($default:expr)) => {
        false
    };
}

/// Declares objects: `key: Type = required | (default) [in least, most];`.
macro_rules! entries {
    ($( $(#[doc = $about:literal])+ $Name:ident {
        $( $(#[doc = $meaning:literal])+ $key:ident: $Type:ty = $default:tt $(in $least:literal, $most:literal)?; )*
    } )*) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Name {
            $( $(#[doc = $meaning])+ pub $key: $Type, )*
            /// Keys that this program does not know, which are written again.
            pub extra: Map<String, Value>,
        }

        impl Entry for $Name {
            const KEYS: &'static [Key] = &[$( Key {
                name: stringify!($key),
                meaning: concat!($($meaning),+),
                kind: <$Type as Stored>::KIND,
                is_required: is_required!($default),
                range: range_of!($($least, $most)?),
                schema: <$Type as Stored>::schema,
            }, )*];

            fn read(
                mut map: Map<String, Value>,
                path: &str,
                unknown: &mut dyn FnMut(String),
            ) -> Result<Self, Fault> {
                let mut keys = Self::KEYS.iter();
                $(
                    let Some(key) = keys.next() else { return Err(Fault::new(path, "no such key")) };
                    let $key: $Type = take(&mut map, path, key, default_of!($default))?;
                )*
                Ok(Self { $( $key, )* extra: rest(map, path, unknown)? })
            }

            fn write(&self) -> Map<String, Value> {
                let mut map = Map::new();
                $(
                    if let Some(value) = self.$key.write() {
                        map.insert(stringify!($key).to_owned(), value);
                    }
                )*
                map.extend(self.extra.iter().map(|(key, value)| (key.clone(), value.clone())));
                map
            }
        }
    )*};
}
pub(super) use {default_of, entries, is_required, range_of};
