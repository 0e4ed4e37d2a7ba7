//! The fields of any record, out and in, from its table alone.

use serde_json::{Map, Value, json};
use trnwire::addr4::Addr4;
use trnwire::soc::SocAddress;
use trnwire::table::{Field, Shape};

use crate::InputError;
use crate::hex::{self, DenseHex, HexBytes, HexWord};
use crate::input::{Object, brief, integer, word, wrong};

/// How bytes that no table reads are written. Both are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hex {
    /// `04 80`, in descriptors and bundles.
    Spaced,
    /// `0480`, in records of collectives.
    Dense,
}

/// Every field of a record as `key: value`, in the order of the table.
pub(crate) fn fields(fields: &[Field], bytes: &[u8], hex: Hex) -> Map<String, Value> {
    let is_word = is_word(fields);
    let of = |field: &Field| match is_word {
        true => json!(field.bits.wide_get(unsigned(bytes))),
        false => value(field.shape, part(field, bytes), hex),
    };
    fields.iter().map(|field| (field.name.to_owned(), of(field))).collect()
}

/// Whether the fields cut a word of at most eight bytes into bits.
pub(crate) fn is_word(fields: &[Field]) -> bool {
    fields.iter().any(|field| !field.bits.low.is_multiple_of(8) || !field.bits.width().is_multiple_of(8))
}

/// Reads every field of a record back into its bytes.
pub(crate) fn write_fields(fields: &[Field], object: &mut Object<'_>, bytes: &mut [u8]) -> Result<(), InputError> {
    let is_word = is_word(fields);
    for field in fields {
        let given = object.required(field.name)?;
        if is_word {
            let values = 1_i128.wrapping_shl(field.bits.width());
            let number = in_range(field.name, given, 0, values)?;
            let word = unsigned(bytes) & !field.bits.wide_mask() | field.bits.wide_place(number.cast_unsigned());
            bytes.iter_mut().zip(word.to_le_bytes()).for_each(|(place, byte)| *place = byte);
            continue;
        }
        let Some(target) = place(field).and_then(|(start, end)| bytes.get_mut(start..end)) else { continue };
        write(field.name, field.shape, given, target)?;
    }
    Ok(())
}

/// First byte of a field and the one after its last.
fn place(field: &Field) -> Option<(usize, usize)> {
    Some(((field.bits.low / 8).try_into().ok()?, (field.bits.high / 8).checked_add(1)?.try_into().ok()?))
}

fn part<'a>(field: &Field, bytes: &'a [u8]) -> &'a [u8] {
    place(field).and_then(|(start, end)| bytes.get(start..end)).unwrap_or_default()
}

fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The number with the sign of its highest bit.
fn signed(bytes: &[u8]) -> i64 {
    let unused = 64_usize.saturating_sub(bytes.len().saturating_mul(8));
    let shift = u32::try_from(unused).unwrap_or_default();
    unsigned(bytes).wrapping_shl(shift).cast_signed().wrapping_shr(shift)
}

fn value(shape: Shape, bytes: &[u8], hex: Hex) -> Value {
    match shape {
        Shape::Signed => json!(signed(bytes)),
        Shape::Addr4 => bytes.first_chunk().map_or(Value::Null, |&word| json!(HexWord(Addr4::from_wire(word).bits()))),
        Shape::Address | Shape::SemaphoreAddress => json!(SocAddress(unsigned(bytes)).to_string()),
        Shape::Record(_, parts) => Value::Object(fields(parts, bytes, hex)),
        Shape::Reserved | Shape::Bytes if hex == Hex::Dense => json!(DenseHex(bytes)),
        Shape::Reserved | Shape::Bytes => json!(HexBytes(bytes)),
        Shape::Array(element, length) => {
            let size = usize::try_from(length).ok().and_then(|length| bytes.len().checked_div(length)).unwrap_or(1);
            bytes.chunks(size.max(1)).map(|bytes| value(*element, bytes, hex)).collect()
        }
        _ => json!(unsigned(bytes)),
    }
}

fn write(key: &str, shape: Shape, given: &Value, bytes: &mut [u8]) -> Result<(), InputError> {
    match shape {
        Shape::Addr4 => {
            let bits = word(given).ok_or_else(|| wrong(key, "a word such as \"0x02008004\"", given))?;
            bytes.copy_from_slice(&Addr4::from_bits(bits).to_wire());
        }
        Shape::Address | Shape::SemaphoreAddress => {
            let address = given.as_str().and_then(hex::address);
            let address = address.ok_or_else(|| wrong(key, "an address such as \"0x0000008300001000\"", given))?;
            bytes.copy_from_slice(&address.to_le_bytes());
        }
        Shape::Record(_, parts) => {
            let mut object = Object::new(given)?;
            let read = write_fields(parts, &mut object, bytes).and_then(|()| object.finish());
            return read.map_err(|error| error.within(key));
        }
        Shape::Reserved | Shape::Bytes => {
            let given_bytes = given.as_str().and_then(hex::bytes).filter(|given| given.len() == bytes.len());
            let expected = || format!("{} bytes as hex, such as \"04 80\"", bytes.len());
            bytes.copy_from_slice(&given_bytes.ok_or_else(|| wrong(key, &expected(), given))?);
        }
        Shape::Array(element, length) => {
            let items = given.as_array().filter(|items| u32::try_from(items.len()) == Ok(length));
            let items = items.ok_or_else(|| wrong(key, &format!("a list of {length}"), given))?;
            let size = bytes.len().checked_div(items.len()).unwrap_or(1);
            for (item, bytes) in items.iter().zip(bytes.chunks_mut(size.max(1))) {
                write(key, *element, item, bytes)?;
            }
        }
        _ => write_integer(key, shape == Shape::Signed, given, bytes)?,
    }
    Ok(())
}

fn write_integer(key: &str, is_signed: bool, given: &Value, bytes: &mut [u8]) -> Result<(), InputError> {
    let bits = u32::try_from(bytes.len().saturating_mul(8)).unwrap_or(u32::MAX);
    let values = 1_i128.checked_shl(bits).unwrap_or_default();
    let low = if is_signed { (values / 2).wrapping_neg() } else { 0 };
    let high = values.saturating_add(low);
    let number = in_range(key, given, low, high)?;
    for (target, byte) in bytes.iter_mut().zip(number.to_le_bytes()) {
        *target = byte;
    }
    Ok(())
}

/// An integer from `low` to below `high`, as its 64 bits.
fn in_range(key: &str, given: &Value, low: i128, high: i128) -> Result<i64, InputError> {
    let number = given.as_u64().map(i128::from).or_else(|| integer(given).map(i128::from));
    let number = number.ok_or_else(|| wrong(key, "an integer", given))?;
    if !(low..high).contains(&number) {
        let last = high.saturating_sub(1);
        return Err(InputError::out_of_range(format!("{key}: {} is outside {low}..={last}", brief(given))));
    }
    let [bits, _]: [[u8; 8]; 2] = zerocopy::transmute!(number.to_le_bytes());
    Ok(i64::from_le_bytes(bits))
}
