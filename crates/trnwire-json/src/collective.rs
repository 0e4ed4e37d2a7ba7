//! Records of collectives as JSON: the decoded object, which is their tables' fields, and the way back.

use core::fmt;

use serde_json::{Map, Value, json};
use trnwire::arch::CollectiveArch;
use trnwire::block::View;
use trnwire::cc_op::CcOp;
use trnwire::context::{CaymanContext, ShortContext, SundaContext, smallest_context};
use trnwire::explain::Resolver;
use trnwire::soc::{AddressError, Semaphore, SocAddress, Window, route_shift};
use trnwire::table::Field;
use trnwire::{Kind, WrongLength};

use zerocopy::IntoBytes;

use crate::InputError;
use crate::describe;
use crate::hex;
use crate::input::{Object, wrong};
use crate::record::{Hex, fields, write_fields};

/// Why bytes cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// They are not as many as the kind has.
    Length(WrongLength),
    /// They end before the context does.
    Short(ShortContext),
    /// The kind is read differently on each architecture, and none is given.
    NeedsArch(Kind),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(error) => error.fmt(f),
            Self::Short(error) => error.fmt(f),
            Self::NeedsArch(kind) => write!(f, "{kind} needs --arch: it differs between architectures"),
        }
    }
}

impl core::error::Error for DecodeError {}

impl From<WrongLength> for DecodeError {
    fn from(error: WrongLength) -> Self {
        Self::Length(error)
    }
}

/// The fields of a record of collectives and the bytes that they read: all of them, but for a context, behind which more
/// may follow.
///
/// # Errors
/// As [`decoded`].
pub fn fields_of(
    kind: Kind,
    arch: Option<CollectiveArch>,
    bytes: &[u8],
) -> Result<(&'static [Field], &[u8]), DecodeError> {
    let length = bytes.len();
    let (table, size) = layout(kind, arch, length)?;
    match (bytes.get(..size), kind, arch) {
        (None, Kind::Context, Some(arch)) => Err(DecodeError::Short(ShortContext { arch, length })),
        (Some(record), ..) if length == size || kind == Kind::Context => Ok((table, record)),
        _ => Err(WrongLength { kind, length }.into()),
    }
}

/// The fields of a kind and how many bytes they are. A block is told by its length, a context by its architecture.
fn layout(kind: Kind, arch: Option<CollectiveArch>, length: usize) -> Result<(&'static [Field], usize), DecodeError> {
    let wrong_length = WrongLength { kind, length };
    match kind {
        Kind::CcOp => Ok((CcOp::FIELDS, size_of::<CcOp>())),
        Kind::AlgoBlock => {
            let view = View::of_length(length).ok_or(wrong_length)?;
            Ok((view.layout().fields, length))
        }
        Kind::Context => {
            let arch = arch.ok_or(DecodeError::NeedsArch(kind))?;
            Ok((context_fields(arch), smallest_context(arch)))
        }
        _ => match kind.table() {
            table if table.layouts.len() == 1 => {
                let fields = table.layouts.first().map_or(&[][..], |layout| layout.fields);
                Ok((fields, usize::try_from(table.size_bytes).unwrap_or_default()))
            }
            _ => Err(wrong_length.into()),
        },
    }
}

const fn context_fields(arch: CollectiveArch) -> &'static [Field] {
    match arch {
        CollectiveArch::Sunda => SundaContext::FIELDS,
        CollectiveArch::Cayman | CollectiveArch::Mariana | CollectiveArch::MarianaPlus => CaymanContext::FIELDS,
    }
}

/// The object of a record of collectives. Only a context and the address of a semaphore look at the architecture.
///
/// # Errors
/// Bytes of another length, or no architecture where one is needed.
pub fn decoded(kind: Kind, arch: Option<CollectiveArch>, bytes: &[u8]) -> Result<Value, DecodeError> {
    let length = bytes.len();
    if kind == Kind::SemaphoreAddress {
        let wire = bytes.try_into().map_err(|_| WrongLength { kind, length })?;
        let arch = arch.ok_or(DecodeError::NeedsArch(kind))?;
        return Ok(semaphore(arch, SocAddress(u64::from_le_bytes(wire))));
    }
    let (table, record) = fields_of(kind, arch, bytes)?;
    Ok(Value::Object(fields(table, record, Hex::Dense)))
}

/// What an address of a semaphore says; what is no semaphore keeps its address, so that it can be written back.
#[must_use]
pub fn semaphore(arch: CollectiveArch, address: SocAddress) -> Value {
    match Semaphore::decode(arch, address) {
        Ok(found) => located(arch, found),
        Err(error) => json!({ "addr": address.to_string(), "error": AddressError::code(error) }),
    }
}

/// Where a semaphore is.
pub(crate) fn located(arch: CollectiveArch, found: Semaphore) -> Value {
    json!({
        "sp_idx": found.register.top_sp,
        "sema_id": found.register.id,
        "window": found.window.name(),
        "die": found.die(arch),
        "route": found.register.route,
    })
}

/// What an address means, on the architecture that is asked for or on the first that has a semaphore there.
#[must_use]
pub fn resolved(resolver: Resolver, address: SocAddress) -> Value {
    match resolver.semaphore(address) {
        Ok((arch, found)) => {
            let mut told = located(arch, found);
            if let (Some(fields), Value::Object(told)) = (resolver.route_fields(arch, address), &mut told) {
                let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
                told.insert("route_fields".to_owned(), Value::Object(fields.collect()));
            }
            told
        }
        Err(error) => json!({ "error": error.code() }),
    }
}

/// Why a record is not encoded, though its object is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    code: &'static str,
    message: String,
}

impl FieldError {
    /// The name in vectors and JSON.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for FieldError {}

/// Reads the object of a record back into its bytes: the outer error is about input that cannot be understood, the inner
/// one about a value that its field cannot hold.
///
/// # Errors
/// Those two.
pub fn encode(
    kind: Kind,
    arch: Option<CollectiveArch>,
    value: &Value,
) -> Result<Result<Vec<u8>, FieldError>, InputError> {
    if kind == Kind::SemaphoreAddress {
        return semaphore_bytes(arch, value);
    }
    let (table, size) = layout_of_object(kind, arch, value)?;
    let mut object = Object::new(value)?;
    let mut bytes = vec![0; size];
    match write_fields(table, &mut object, &mut bytes) {
        Ok(()) => {}
        Err(error) if error.is_out_of_range() => {
            return Ok(Err(FieldError { code: "field_range", message: error.to_string() }));
        }
        Err(error) => return Err(error),
    }
    object.finish()?;
    if kind == Kind::CcOp && !views_agree(value, &bytes) {
        let message = "channel_list differs from sema_shift_offset and sema_mask, and they are the same bytes";
        return Ok(Err(FieldError { code: "union_mismatch", message: message.to_owned() }));
    }
    Ok(Ok(bytes))
}

/// What an object was encoded to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What is odd about it.
    pub warnings: Vec<String>,
}

/// Encodes a decoded record as it stands, or what the host knows, to which the rules of populating apply: the description
/// of a channel (`channel_abs_index`), what a broadcast is derived from (`tpb`), the channels of a control slot
/// (`channels`). The inner error is that of those rules.
///
/// # Errors
/// Input that cannot be understood, or no architecture where one is needed.
pub fn encode_any(
    kind: Kind,
    arch: Option<CollectiveArch>,
    slot_limit: u8,
    value: &Value,
) -> Result<Result<Encoded, FieldError>, InputError> {
    let needed = || arch.ok_or_else(|| InputError::new(DecodeError::NeedsArch(kind).to_string()));
    let has = |key: &str| value.get(key).is_some();
    match kind {
        Kind::RingChannel if has("channel_abs_index") => {
            let description = describe::channel(value)?;
            Ok(match description.record(needed()?, slot_limit) {
                Ok((_, record, warnings)) => Ok(Encoded {
                    bytes: record.as_bytes().to_vec(),
                    warnings: warnings.iter().map(|warning| format!("{}: {warning}", warning.code())).collect(),
                }),
                Err(error) => Err(FieldError { code: error.code(), message: error.to_string() }),
            })
        }
        Kind::ApbBroadcast if has("tpb") => {
            let mut object = Object::new(value)?;
            let derivation = describe::derivation(&mut object)?;
            object.finish()?;
            Ok(match derivation.derive(needed()?) {
                Ok(derived) => Ok(Encoded {
                    bytes: derived.broadcast.as_bytes().to_vec(),
                    warnings: derived.warnings.iter().map(|warning| format!("{}: {warning}", warning.code())).collect(),
                }),
                Err(error) => Err(FieldError { code: error.code(), message: error.to_string() }),
            })
        }
        Kind::CcOp if has("channels") => Ok(match describe::pack_channels(value)? {
            Ok(slot) => Ok(Encoded { bytes: slot.to_wire().to_vec(), warnings: Vec::new() }),
            Err(error) => Err(FieldError { code: error.code(), message: error.to_string() }),
        }),
        _ => Ok(encode(kind, arch, value)?.map(|bytes| Encoded { bytes, warnings: Vec::new() })),
    }
}

/// Whether the view of the union that was written first is still what it was.
fn views_agree(value: &Value, bytes: &[u8]) -> bool {
    let written: Map<_, _> = fields(CcOp::FIELDS, bytes, Hex::Dense);
    written.get(CcOp::CHANNEL_LIST.name) == value.get(CcOp::CHANNEL_LIST.name)
}

/// The fields that the object of a kind has; a block is told by its number of events, as a context is.
fn layout_of_object(
    kind: Kind,
    arch: Option<CollectiveArch>,
    value: &Value,
) -> Result<(&'static [Field], usize), InputError> {
    let events = |value: &Value| value.pointer("/mesh").and_then(Value::as_array).map(Vec::len);
    let view_of = |count: Option<usize>| View::ALL.into_iter().find(|view| Some(view.event_count()) == count);
    let unknown = || InputError::new("mesh: expected a list of 200, 50 or 108 events".to_owned());
    match kind {
        Kind::AlgoBlock => {
            let view = view_of(events(value)).ok_or_else(unknown)?;
            Ok((view.layout().fields, view.size_bytes()))
        }
        Kind::Context => {
            let view = value.get("algo").and_then(|algo| view_of(events(algo)));
            let arch = match (arch, view) {
                (Some(arch), _) => arch,
                (None, Some(View::Sunda)) => CollectiveArch::Sunda,
                (None, Some(View::Cayman)) => CollectiveArch::Cayman,
                (None, _) => return Err(unknown()),
            };
            Ok((context_fields(arch), smallest_context(arch)))
        }
        _ => {
            let size = usize::try_from(kind.table().size_bytes).unwrap_or_default();
            layout(kind, arch, size).map_err(|error| InputError::new(error.to_string()))
        }
    }
}

/// The address of a semaphore: what decoding gives, or `addr` alone, which is taken as it stands. `or_mask` may stand in
/// place of `route`, and neither means this device.
fn semaphore_bytes(arch: Option<CollectiveArch>, value: &Value) -> Result<Result<Vec<u8>, FieldError>, InputError> {
    let mut object = Object::new(value)?;
    if object.optional("addr").is_some() {
        let address = address(&mut object, "addr")?;
        object.optional("error");
        object.finish()?;
        return Ok(Ok(address.0.to_le_bytes().to_vec()));
    }
    let arch = match (arch, object.optional("arch")) {
        (_, Some(_)) => arch_of(&mut object)?,
        (Some(arch), None) => arch,
        (None, None) => return Err(InputError::new(DecodeError::NeedsArch(Kind::SemaphoreAddress).to_string())),
    };
    let (top_sp, id) = (object.integer("sp_idx")?, object.integer("sema_id")?);
    let window = window(&mut object)?;
    let route = match (object.optional("route"), object.optional("or_mask")) {
        (Some(_), _) => {
            let route = object.integer("route")?;
            let bits = 64_u32.saturating_sub(route_shift(arch));
            let number = u64::try_from(route).ok().filter(|route| route.checked_shr(bits) == Some(0));
            let Some(number) = number else {
                let message = format!("route: {route} does not fit {bits} bits");
                return Ok(Err(FieldError { code: "field_range", message }));
            };
            number.wrapping_shl(route_shift(arch))
        }
        (None, Some(_)) => address(&mut object, "or_mask")?.0,
        (None, None) => 0,
    };
    let die = object.optional("die").map(|_| object.integer("die")).transpose()?;
    object.finish()?;
    Ok(match Semaphore::encode(arch, top_sp, id, window, route) {
        Ok(address) => {
            let found = Semaphore::decode(arch, address).map(|found| i64::from(found.die(arch)));
            if die.is_some_and(|die| Ok(die) != found) {
                return Err(InputError::new(format!("die: top-SP {top_sp} is not on it")));
            }
            Ok(address.0.to_le_bytes().to_vec())
        }
        Err(error) => Err(FieldError { code: error.code(), message: error.to_string() }),
    })
}

/// An address under a key.
pub(crate) fn address(object: &mut Object<'_>, key: &'static str) -> Result<SocAddress, InputError> {
    let value = object.required(key)?;
    let address = value.as_str().and_then(hex::address);
    address.map(SocAddress).ok_or_else(|| wrong(key, "an address such as \"0x0000008300001000\"", value))
}

/// The architecture under the key `arch`.
pub(crate) fn arch_of(object: &mut Object<'_>) -> Result<CollectiveArch, InputError> {
    let name = object.string("arch")?;
    CollectiveArch::parse(name).ok_or_else(|| InputError::new(format!("arch: {name:?} is unknown")))
}

/// The window under the key `window`.
pub(crate) fn window(object: &mut Object<'_>) -> Result<Window, InputError> {
    let name = object.string("window")?;
    Window::by_name(name).ok_or_else(|| InputError::new(format!("window: {name:?} is none of read, set, inc, dec")))
}
