//! ADDR4 words as JSON: the decoded object, and requests to encode.

use serde::Serialize;
use serde_json::Value;
use trnwire::addr4::{self, Addr4, Place, Register, Resolver, Target, WordRequest};
use trnwire::dtype::BirDtype;

use crate::InputError;
use crate::hex::{self, HexWord};
use crate::input::{Object, wrong};

/// What a word says. Keys that do not apply are `null`; a register word has no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Decoded {
    register: bool,
    mode: &'static str,
    reg_id: Option<u8>,
    addr29: Option<HexWord>,
    region: Option<&'static str>,
    partition: Option<u8>,
    offset: Option<u32>,
    bank: Option<u8>,
}

impl Decoded {
    /// Decodes a word. Every word decodes.
    #[must_use]
    pub const fn of(word: Addr4) -> Self {
        let mut decoded = Self {
            register: word.is_register(),
            mode: word.mode().name(),
            reg_id: None,
            addr29: match word.address() {
                Some(address) => Some(HexWord(address)),
                None => None,
            },
            region: None,
            partition: None,
            offset: None,
            bank: None,
        };
        match word.target() {
            Target::Register { id } => decoded.reg_id = Some(id),
            Target::Sbuf { partition, offset } => {
                decoded.region = Some("sbuf");
                decoded.partition = Some(partition);
                decoded.offset = Some(offset);
            }
            Target::Psum { partition, offset, bank } => {
                decoded.region = Some("psum");
                decoded.partition = Some(partition);
                decoded.offset = Some(offset);
                decoded.bank = bank;
            }
            Target::OffChip => decoded.region = Some("none"),
        }
        decoded
    }
}

/// A word and what it says: the object that `decode` prints and `encode` reads back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DecodedWord {
    word: HexWord,
    #[serde(flatten)]
    decoded: Decoded,
}

impl DecodedWord {
    /// Decodes a word.
    #[must_use]
    pub const fn of(word: Addr4) -> Self {
        Self { word: HexWord(word.bits()), decoded: Decoded::of(word) }
    }
}

/// A request as JSON states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A word to write back as it is, or to build.
    Word(WordRequest),
    /// The wire tag of a compiler type.
    Dtype(&'static BirDtype),
}

impl Request {
    /// Reads a request, or a decoded word: an object with the key `word`, whose other keys must then say the same.
    ///
    /// # Errors
    /// A missing, unknown or mistyped key, an unknown kind, region, resolver or type, or a decoded object that
    /// contradicts its own word.
    pub fn parse(value: &Value) -> Result<Self, InputError> {
        let mut object = Object::new(value)?;
        if object.optional("word").is_some() {
            return verbatim(value, object);
        }
        let request = match object.string("kind")? {
            "physical" => physical(&mut object)?,
            "register" => WordRequest::Build {
                request: addr4::Request::Register(Register {
                    id: object.integer_or_null("reg_id")?,
                    offset_register: object.boolean_or_false("offset_register")?,
                }),
                stamp_indirect: object.boolean_or_false("stamp_indirect")?,
            },
            "symbolic" => addr4::Request::Symbolic.into(),
            "base" => addr4::Request::Base.into(),
            "dtype" => {
                let dtype = bir_dtype(&mut object)?;
                object.finish()?;
                return Ok(Self::Dtype(dtype));
            }
            other => {
                return Err(InputError::new(format!(
                    "kind: {other:?} is none of physical, register, symbolic, base, dtype"
                )));
            }
        };
        object.finish()?;
        Ok(Self::Word(request))
    }
}

/// The compiler type under the key `bir_dtype`.
pub(crate) fn bir_dtype(object: &mut Object<'_>) -> Result<&'static BirDtype, InputError> {
    let name = object.string("bir_dtype")?;
    BirDtype::by_name(name).ok_or_else(|| InputError::new(format!("bir_dtype: no type is called {name:?}")))
}

fn verbatim(value: &Value, mut object: Object<'_>) -> Result<Request, InputError> {
    let word = Addr4::from_bits(object.word("word")?);
    let decoded = serde_json::to_value(Decoded::of(word)).map_err(|error| InputError::new(error.to_string()))?;
    for (key, given) in value.as_object().into_iter().flatten().filter(|(key, _)| *key != "word") {
        match decoded.get(key) {
            None => return Err(InputError::new(format!("key {key:?} is not expected beside \"word\""))),
            Some(says) if says != given => {
                return Err(InputError::new(format!(
                    "{key} is {given}, but word {word} says {says}; leave \"word\" out and give a request to change it"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(Request::Word(WordRequest::Verbatim(word)))
}

fn physical(object: &mut Object<'_>) -> Result<WordRequest, InputError> {
    let resolver = match object.optional("resolver") {
        None => Resolver::Data,
        Some(Value::String(name)) if name == "data" => Resolver::Data,
        Some(Value::String(name)) if name == "scale" => Resolver::Scale,
        Some(other) => return Err(wrong("resolver", "\"data\" or \"scale\"", other)),
    };
    let stamp_indirect = object.boolean_or_false("stamp_indirect")?;
    if let Some(value) = object.optional("addr") {
        let address = value.as_str().and_then(hex::number);
        let address = address.ok_or_else(|| wrong("addr", "an address such as \"0x02008004\"", value))?;
        return Ok(WordRequest::Build { request: addr4::Request::Address(address), stamp_indirect });
    }
    let place = match object.string("region")? {
        "sbuf" => Place::Sbuf { partition: object.integer("partition")?, offset: object.integer("offset")? },
        "psum" => Place::Psum {
            partition: object.integer("partition")?,
            bank: object.integer("bank")?,
            bank_offset: object.integer("bank_offset")?,
        },
        other => return Err(InputError::new(format!("region: {other:?} is neither sbuf nor psum"))),
    };
    Ok(WordRequest::Build { request: addr4::Request::Place(place, resolver), stamp_indirect })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn message(text: &str) -> String {
        Request::parse(&parse(text).unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn a_decoded_word_reads_back_as_itself() {
        for bits in [0, 0x0200_8004, 0x0200_5000, 0x0240_0000, 0x7FFF_FFFF, 0x8000_003F, 0xFFFF_FFFF] {
            let word = Addr4::from_bits(bits);
            let text = serde_json::to_string(&DecodedWord::of(word)).unwrap();
            assert_eq!(
                Request::parse(&parse(&text).unwrap()),
                Ok(Request::Word(WordRequest::Verbatim(word))),
                "{text}"
            );
        }
    }

    #[test]
    fn an_edited_decoded_word_is_refused_and_not_silently_ignored() {
        let text = serde_json::to_string(&DecodedWord::of(Addr4::from_bits(0x0200_8004))).unwrap();
        let edited = text.replace("\"partition\":1", "\"partition\":2");
        assert!(message(&edited).starts_with("partition is 2, but word 0x02008004 says 1"));
    }

    #[test]
    fn input_errors_name_the_key() {
        assert_eq!(message("[]"), "expected an object, found []");
        assert_eq!(message("{}"), "key \"kind\" is missing");
        assert_eq!(
            message(r#"{"kind":"virtual"}"#),
            "kind: \"virtual\" is none of physical, register, symbolic, base, dtype"
        );
        assert_eq!(message(r#"{"kind":"base","addr":"0x0"}"#), "key \"addr\" is not expected here");
        assert_eq!(
            message(r#"{"kind":"physical","addr":"12"}"#),
            "addr: expected an address such as \"0x02008004\", found \"12\""
        );
        assert_eq!(message(r#"{"kind":"physical","addr":"0x0","offset":1}"#), "key \"offset\" is not expected here");
        assert_eq!(
            message(r#"{"kind":"physical","region":"sbuf","partition":true,"offset":0}"#),
            "partition: expected an integer, found true"
        );
        assert_eq!(
            message(r#"{"word":"0x100000000"}"#),
            "word: expected a word such as \"0x02008004\", found \"0x100000000\""
        );
        assert_eq!(message(r#"{"word":"0x0","resolver":"data"}"#), "key \"resolver\" is not expected beside \"word\"");
    }

    #[test]
    fn numbers_beyond_64_bits_meet_the_range_check() {
        let value =
            parse(r#"{"kind":"physical","region":"sbuf","partition":99999999999999999999,"offset":0}"#).unwrap();
        let Ok(Request::Word(request)) = Request::parse(&value) else { panic!("no word") };
        assert_eq!(request.encode(), Err(addr4::EncodeError::PartitionRange(i64::MAX)));
    }
}
