//! Any object that can be encoded: decoded words and records, and requests for new ones.

use core::fmt;

use serde_json::Value;
use trnwire::Kind;
use trnwire::access::{self, ScaleModulus};
use trnwire::addr4;
use trnwire::arch::Generation;
use trnwire::dtype::BirDtype;

use crate::InputError;
use crate::access::TypeName;
use crate::bundle;
use crate::collective;
use crate::input::Object;

/// What an object asks for, understood but not yet judged.
#[derive(Clone, Debug)]
pub enum Request {
    /// An address word.
    Word(addr4::WordRequest),
    /// The wire tag of a compiler type.
    Dtype(&'static BirDtype),
    /// A descriptor to build in a slot.
    Descriptor(access::SlotType, access::Request),
    /// A decoded record: bytes to write back as they are.
    Verbatim(Vec<u8>),
}

/// What an object was encoded to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoded {
    /// A word.
    Word(addr4::Addr4),
    /// The bytes of a record.
    Record(Vec<u8>),
    /// A compiler type, whose wire tag the generation decides.
    Dtype(&'static BirDtype),
}

/// Why the encoder's rules refuse a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An address word.
    Word(addr4::EncodeError),
    /// A descriptor.
    Descriptor(access::EncodeError),
}

impl Refusal {
    /// The name in JSON and text.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Word(error) => error.code(),
            Self::Descriptor(error) => error.code(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(error) => error.fmt(f),
            Self::Descriptor(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Refusal {}

impl Request {
    /// Reads an object. Its key `type` says what the bytes are to be; `kind` says it where that key is absent, and must
    /// agree where both are there. Without either it is about an address word.
    ///
    /// # Errors
    /// A missing, unknown or mistyped key, or a `type` that is not the `kind`.
    pub fn parse(value: &Value, kind: Option<Kind>, modulus: ScaleModulus) -> Result<Self, InputError> {
        if let Some(kind) = kind.filter(|kind| !kind.is_of_core()) {
            let encoded = collective::encode(kind, None, value)?;
            return encoded.map(Self::Verbatim).map_err(|error| InputError::new(error.to_string()));
        }
        let mut object = Object::new(value)?;
        let target = match object.optional("type") {
            Some(_) => target(object.string("type")?, kind)?,
            None if kind.is_none() && object.is("variant", bundle::VARIANT) => Target::Bundle,
            None => kind.map_or(Target::Word, Target::of),
        };
        let name = match target {
            Target::Descriptor(name) => name,
            Target::Bundle => {
                let bytes = bundle::verbatim(&mut object)?;
                return object.finish().map(|()| Self::Verbatim(bytes));
            }
            Target::Word if object.optional("variant").is_some() => {
                return Err(InputError::new(
                    "a decoded record: say of what kind (--as KIND, or a key \"type\")".to_owned(),
                ));
            }
            Target::Word => {
                return Ok(match crate::addr4::Request::parse(value)? {
                    crate::addr4::Request::Word(request) => Self::Word(request),
                    crate::addr4::Request::Dtype(dtype) => Self::Dtype(dtype),
                });
            }
        };
        let request = crate::access::Request::parse(name, &mut object, modulus)?;
        object.finish()?;
        Ok(match request {
            crate::access::Request::Verbatim(bytes) => Self::Verbatim(bytes),
            crate::access::Request::Build(request) => Self::Descriptor(name.slot, request),
        })
    }

    /// Whether the result depends on the generation.
    #[must_use]
    pub const fn needs_generation(&self) -> bool {
        matches!(self, Self::Dtype(_) | Self::Descriptor(_, access::Request::Mx(_)))
    }

    /// Encodes it. Only what [`Request::needs_generation`] looks at the generation.
    ///
    /// # Errors
    /// The encoder's first error.
    pub fn encode(self, generation: Generation) -> Result<Encoded, Refusal> {
        match self {
            Self::Word(request) => request.encode().map(Encoded::Word).map_err(Refusal::Word),
            Self::Dtype(dtype) => Ok(Encoded::Dtype(dtype)),
            Self::Descriptor(slot, request) => access::encode(generation, slot, &request)
                .map(|descriptor| Encoded::Record(descriptor.as_ref().to_vec()))
                .map_err(Refusal::Descriptor),
            Self::Verbatim(bytes) => Ok(Encoded::Record(bytes)),
        }
    }
}

/// What an object is to become.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Word,
    Descriptor(TypeName),
    Bundle,
}

impl Target {
    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Slot(slot) => Self::Descriptor(TypeName { slot, is_gather: false }),
            Kind::Bundle => Self::Bundle,
            _ => Self::Word,
        }
    }
}

/// What the key `type` names, which must be of the kind that was asked for, if any was.
fn target(text: &str, kind: Option<Kind>) -> Result<Target, InputError> {
    let (target, named) = match (text, TypeName::parse(text)) {
        ("BUNDLE", _) => (Target::Bundle, Kind::Bundle),
        (_, Some(name)) => (Target::Descriptor(name), Kind::Slot(name.slot)),
        _ => return Err(InputError::new(format!("type: {text:?} is unknown"))),
    };
    match kind {
        Some(kind) if kind != named => Err(InputError::new(format!("type is {text:?}, but the kind is {kind}"))),
        _ => Ok(target),
    }
}
