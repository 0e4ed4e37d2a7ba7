//! Operations on addresses: of semaphores, their upper bits, and broadcasts.

use serde_json::{Value, json};
use trnwire::soc::{RouteFields, RouteView, Semaphore, SocAddress, ViewUnknown, Window};
use zerocopy::IntoBytes;

use super::{Outputs, address_or_zero, codes, dense, failed, outputs};
use crate::InputError;
use crate::collective::{address, arch_of, window};
use crate::describe::derivation;
use crate::input::Object;

pub(super) fn encode(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let arch = arch_of(line)?;
    let (top_sp, id) = (line.integer("sp_idx")?, line.integer("sema_id")?);
    let window = match line.optional("window") {
        None => Window::default(),
        Some(_) => window(line)?,
    };
    let mask = address_or_zero(line, "or_mask")?;
    Ok(match Semaphore::encode(arch, top_sp, id, window, mask.0) {
        Ok(address) => outputs([("addr", json!(address.to_string()))]),
        Err(error) => failed(error.code()),
    })
}

pub(super) fn decode(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let arch = arch_of(line)?;
    let address = address(line, "addr")?;
    Ok(match (Semaphore::decode(arch, address), crate::collective::semaphore(arch, address)) {
        (Ok(_), Value::Object(fields)) => outputs([]).into_iter().chain(fields).collect(),
        (Err(error), _) => failed(error.code()),
        (Ok(_), _) => Outputs::new(),
    })
}

pub(super) fn split(line: &mut Object<'_>, view: RouteView) -> Result<Outputs, InputError> {
    let arch = arch_of(line)?;
    let address = address(line, "addr")?;
    let assume_cayman = line.boolean_or_false("assume_cayman")?;
    let told = |(local, fields): (SocAddress, RouteFields)| {
        let mut outputs = outputs([("local", json!(local.to_string()))]);
        outputs.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), json!(value))));
        outputs
    };
    Ok(view.split(arch, address, assume_cayman).map_or_else(|_| failed(ViewUnknown::CODE), told))
}

pub(super) fn broadcast(line: &mut Object<'_>) -> Result<Outputs, InputError> {
    let arch = arch_of(line)?;
    Ok(match derivation(line)?.derive(arch) {
        Ok(derived) => outputs([
            ("queue_id", json!(derived.queue_id)),
            ("m2s_tail_ptr", json!(derived.broadcast.m2s_tail_ptr.get().to_string())),
            ("s2m_tail_ptr", json!(derived.broadcast.s2m_tail_ptr.get().to_string())),
            ("mask", json!(derived.broadcast.mask.get())),
            ("hex", dense(derived.broadcast.as_bytes())),
            ("warnings", codes(&derived.warnings, |warning| warning.code().to_owned())),
        ]),
        Err(error) => failed(error.code()),
    })
}
