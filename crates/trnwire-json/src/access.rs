//! Descriptors as JSON: the decoded object, and requests to encode.

use serde_json::{Map, Value, json};
use trnwire::WrongLength;
use trnwire::access::{self, FreeDim, MxRequest, MxWalk, Pattern, ScaleModulus, SlotType};
use trnwire::addr4::WordRequest;
use trnwire::dtype::BirDtype;
use trnwire::table::Layout;

use crate::InputError;
use crate::addr4::{self, bir_dtype};
use crate::input::{Object, integer, wrong};
use crate::record::{Hex, fields, write_fields};

/// A descriptor: `variant`, then every field of it.
///
/// # Errors
/// Bytes of another length than the slot's.
pub fn decoded(slot: SlotType, bytes: &[u8]) -> Result<Map<String, Value>, WrongLength> {
    let pattern = Pattern::decode(slot, bytes)?;
    let mut object = Map::new();
    object.insert("variant".to_owned(), json!(pattern.variant()));
    object.extend(pattern.layout(slot).into_iter().flat_map(|layout| fields(layout.fields, bytes, Hex::Spaced)));
    Ok(object)
}

/// The name of a type in JSON: a slot, or the gather form of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The slot.
    pub slot: SlotType,
    /// Only a gather may be in it: `INDIRECT16B` is a gather in a slot of 16 bytes.
    pub is_gather: bool,
}

impl TypeName {
    /// Understands `TENSOR3D`, `MEM_PATTERN3D`, `MXMEM_PATTERN1D`, `INDIRECT16B`, `MXINDIRECT16B`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let gather = |slot| Some(Self { slot, is_gather: true });
        match name {
            "INDIRECT12B" => gather(SlotType::MemPattern2d),
            "INDIRECT16B" => gather(SlotType::MemPattern3d),
            "INDIRECT20B" => gather(SlotType::MemPattern4d),
            "MXINDIRECT16B" => gather(SlotType::MxMemPattern1d),
            _ => SlotType::by_name(name).map(|slot| Self { slot, is_gather: false }),
        }
    }
}

/// What JSON asks to write into a slot.
#[derive(Clone, Debug)]
pub enum Request {
    /// A decoded record: bytes to write back as they are.
    Verbatim(Vec<u8>),
    /// A descriptor to build.
    Build(access::Request),
}

impl Request {
    /// Reads a decoded record, an object with the key `variant`, or a request. The key `type` is the caller's.
    pub(crate) fn parse(name: TypeName, object: &mut Object<'_>, modulus: ScaleModulus) -> Result<Self, InputError> {
        let is_mx = name.slot == SlotType::MxMemPattern1d;
        if object.optional("variant").is_some() {
            return verbatim(name, object).map(Self::Verbatim);
        }
        let request = if is_mx {
            access::Request::Mx(mx(name, object, modulus)?)
        } else if name.is_gather || object.optional("index").is_some() {
            let (index, data) = (word_request(object, "index")?, word_request(object, "data")?);
            access::Request::Gather { index, data, num: object.integer("num")? }
        } else {
            access::Request::Tensor { addr: word_request(object, "addr")?, free_dims: free_dims(object)? }
        };
        Ok(Self::Build(request))
    }
}

fn verbatim(name: TypeName, object: &mut Object<'_>) -> Result<Vec<u8>, InputError> {
    let slot = name.slot;
    let variant = object.string("variant")?;
    // The last reading of a slot that has two is the gather.
    let layouts = slot.table().layouts;
    let layouts = if name.is_gather { layouts.get(1..).unwrap_or_default() } else { layouts };
    let Some(layout) = layouts.iter().find(|layout| layout.name == variant) else {
        let names: Vec<_> = layouts.iter().map(|layout| layout.name).collect();
        return Err(InputError::new(format!("variant: {variant:?} is not what a {slot} holds: {}", names.join(", "))));
    };
    let mut bytes = vec![0; slot.size_bytes()];
    write_fields(layout.fields, object, &mut bytes)?;
    refuse_another_variant(slot, layout, &bytes)?;
    // What decode derives when it knows the size of an element.
    object.optional("reach");
    object.optional("elements");
    Ok(bytes)
}

/// A record whose first word selects another variant was not decoded from anything.
fn refuse_another_variant(slot: SlotType, layout: &Layout, bytes: &[u8]) -> Result<(), InputError> {
    match Pattern::decode(slot, bytes) {
        Ok(pattern) if pattern.variant() != layout.name => Err(InputError::new(format!(
            "variant is {:?}, but the mode of its first word, {}, makes it {:?}",
            layout.name,
            pattern.first_word(),
            pattern.variant()
        ))),
        _ => Ok(()),
    }
}

fn word_request(object: &mut Object<'_>, key: &'static str) -> Result<WordRequest, InputError> {
    let in_key = |error: InputError| InputError::new(format!("{key}: {error}"));
    match addr4::Request::parse(object.required(key)?).map_err(in_key)? {
        addr4::Request::Word(request) => Ok(request),
        addr4::Request::Dtype(_) => Err(InputError::new(format!("{key}: a dtype is no word"))),
    }
}

fn free_dims(object: &mut Object<'_>) -> Result<Vec<FreeDim>, InputError> {
    let value = object.required("free_dims")?;
    let pair = |item: &Value| match item.as_array().map(Vec::as_slice) {
        Some([step, num]) => Some(FreeDim { step: integer(step)?, num: integer(num)? }),
        _ => None,
    };
    let dims = value.as_array().and_then(|items| items.iter().map(pair).collect());
    dims.ok_or_else(|| wrong("free_dims", "pairs of integers, [[step, num], ...], outermost first", value))
}

fn mx(name: TypeName, object: &mut Object<'_>, modulus: ScaleModulus) -> Result<MxRequest, InputError> {
    let walk = if name.is_gather || object.optional("index").is_some() {
        MxWalk::Gather { index: word_request(object, "index")? }
    } else {
        MxWalk::Static { innermost_step: object.integer("innermost_step")? }
    };
    let dtype: &'static BirDtype = bir_dtype(object)?;
    Ok(MxRequest {
        walk,
        data: word_request(object, "data")?,
        scale: word_request(object, "scale")?,
        dtype,
        count: object.integer("count")?,
        scale_base_partition: object.integer("scale_base_partition")?,
        modulus,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn request(slot: &str, text: &str) -> Result<Request, String> {
        let value = parse(text).unwrap();
        let mut object = Object::new(&value).unwrap();
        let request = Request::parse(TypeName::parse(slot).unwrap(), &mut object, ScaleModulus::default());
        request.and_then(|request| object.finish().map(|()| request)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_value_that_does_not_fit_its_field_is_an_input_error_that_names_both() {
        let tensor = |steps: &str, nums: &str| {
            let text = format!(r#"{{"variant":"tensor","addr4":"0x00000000","steps":{steps},"nums":{nums}}}"#);
            request("TENSOR1D", &text).unwrap_err()
        };
        assert_eq!(tensor("[32768]", "[1]"), "steps: 32768 is outside -32768..=32767");
        assert_eq!(tensor("[0]", "[-1]"), "nums: -1 is outside 0..=65535");
        assert_eq!(tensor("[0,1]", "[1]"), "steps: expected a list of 1, found [0,1]");
        assert_eq!(tensor("[1.5]", "[1]"), "steps: expected an integer, found 1.5");
        let gather = r#"{"variant":"indirect","index":"0x20000000","data":"0x00000000","num":1,"tail":"00 00"}"#;
        assert!(request("INDIRECT12B", gather).is_ok());
        let error = request("INDIRECT12B", r#"{"variant":"tensor"}"#).unwrap_err();
        assert_eq!(error, "variant: \"tensor\" is not what a MEM_PATTERN2D holds: indirect");
        let error = request("TENSOR1D", r#"{"variant":"indirect"}"#).unwrap_err();
        assert_eq!(error, "variant: \"indirect\" is not what a TENSOR1D holds: tensor");
    }

    #[test]
    fn a_record_that_would_decode_as_another_variant_is_refused() {
        let text = r#"{"variant":"tensor","addr4":"0x20000000","steps":[0,0],"nums":[0,0]}"#;
        let message = "variant is \"tensor\", but the mode of its first word, 0x20000000, makes it \"indirect\"";
        assert_eq!(request("TENSOR2D", text).unwrap_err(), message);
        assert!(request("TENSOR1D", &text.replace("[0,0]", "[0]")).is_ok(), "no gather of 8 bytes exists");
    }

    #[test]
    fn errors_of_a_word_name_its_key() {
        let text = r#"{"addr":{"kind":"physical"},"free_dims":[]}"#;
        assert_eq!(request("TENSOR1D", text).unwrap_err(), "addr: key \"region\" is missing");
        let text = r#"{"addr":{"kind":"dtype","bir_dtype":"float32"},"free_dims":[]}"#;
        assert_eq!(request("TENSOR1D", text).unwrap_err(), "addr: a dtype is no word");
    }
}
