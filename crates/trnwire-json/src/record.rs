//! The fields of any record, out and in, from its table alone.

use serde_json::{Map, Value, json};
use trnwire::addr4::Addr4;
use trnwire::table::{Field, Shape};

use crate::InputError;
use crate::hex::{self, HexBytes, HexWord};
use crate::input::{Object, brief, integer, word, wrong};

/// Every field of a record as `key: value`, in the order of the table.
pub(crate) fn fields(fields: &[Field], bytes: &[u8]) -> Map<String, Value> {
    fields.iter().map(|field| (field.name.to_owned(), value(field.shape, part(field, bytes)))).collect()
}

/// Reads every field of a record back into its bytes.
pub(crate) fn write_fields(fields: &[Field], object: &mut Object<'_>, bytes: &mut [u8]) -> Result<(), InputError> {
    for field in fields {
        let given = object.required(field.name)?;
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

fn value(shape: Shape, bytes: &[u8]) -> Value {
    match shape {
        Shape::Signed => json!(signed(bytes)),
        Shape::Addr4 => bytes.first_chunk().map_or(Value::Null, |&word| json!(HexWord(Addr4::from_wire(word).bits()))),
        Shape::Reserved | Shape::Bytes => json!(HexBytes(bytes)),
        Shape::Array(element, length) => {
            let size = usize::try_from(length).ok().and_then(|length| bytes.len().checked_div(length)).unwrap_or(1);
            bytes.chunks(size.max(1)).map(|bytes| value(*element, bytes)).collect()
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
    let number = integer(given).ok_or_else(|| wrong(key, "an integer", given))?;
    if !(low..high).contains(&i128::from(number)) {
        let last = high.saturating_sub(1);
        return Err(InputError::new(format!("{key}: {} is outside {low}..={last}", brief(given))));
    }
    for (target, byte) in bytes.iter_mut().zip(number.to_le_bytes()) {
        *target = byte;
    }
    Ok(())
}
