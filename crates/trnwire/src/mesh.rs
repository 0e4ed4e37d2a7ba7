//! Mesh events: what a sync core waits for and starts, one step of a mesh collective.

use core::mem::offset_of;

use zerocopy::little_endian::U32;

use crate::check::{Finding, Rule};
use crate::ring::ApbBroadcast;
use crate::soc::SemaphoreAddress;
use crate::table::Legal::{Any, Depends, Range};
use crate::table::record;

record! {
    /// One event of a mesh collective: wait for a semaphore, start DMA rings, signal semaphores.
    pub struct MeshEvent[80] = "mesh-event": "one step of a mesh collective: wait, start DMA rings, signal";

    // offset, field         type                  unit       legal        sources
    0 dma_apb_bcast:         [ApbBroadcast; 2],    None,      Any,         [RingDescriptorPage, FirmwareBook],
        "how the DMA rings of the event are started, in two legs";
    40 direct_trigger_sema:  [SemaphoreAddress; 3], Semaphore, Any,        [RingDescriptorPage, FirmwareBook],
        "semaphores to signal";
    64 event_wait_sema:      SemaphoreAddress,     Semaphore, Any,         [RingDescriptorPage, FirmwareBook],
        "the semaphore to wait for";
    72 wait_val:             U32,                  Count,     Any,         [RingDescriptorPage, FirmwareBook],
        "the value to wait for";
    76 event_type:           u8,                   None,      Depends,     [RingDescriptorPage, FirmwareBook],
        "what the event is for; numbers from 9 on differ between releases";
    77 dma_trigger:          u8,                   None,      Range(0, 1), [RingDescriptorPage, FirmwareBook],
        "1: it starts DMA rings (meaning and range inferred)";
    78 direct_trigger:       u8,                   None,      Range(0, 1), [RingDescriptorPage, FirmwareBook],
        "1: it signals semaphores (meaning and range inferred)";
    79 wait_event:           u8,                   None,      Range(0, 1), [RingDescriptorPage, FirmwareBook],
        "1: it waits (meaning and range inferred)";
}

/// The name of a type of event, for those whose number is the same in every release that is known.
#[must_use]
pub const fn event_type_name(event_type: u8) -> Option<&'static str> {
    Some(match event_type {
        0 => "sync",
        1 => "global handshake",
        2 => "local handshake",
        3 => "inter-group broadcast",
        4 => "function barrier, first",
        5 => "function barrier, last",
        6 => "reduce local handshake",
        7 => "intra-group broadcast",
        8 => "reduce-copy",
        _ => return None,
    })
}

impl MeshEvent {
    /// Whether the event is unused: all of it is zero.
    #[must_use]
    #[inline]
    pub fn is_unused(&self) -> bool {
        zerocopy::IntoBytes::as_bytes(self).iter().all(|&byte| byte == 0)
    }

    /// Reports all that is wrong, then all that is odd, each in the order of the rules.
    pub fn judge(&self, mut report: impl FnMut(Finding)) {
        let flags = [
            ("dma_trigger", offset_of!(Self, dma_trigger), self.dma_trigger),
            ("direct_trigger", offset_of!(Self, direct_trigger), self.direct_trigger),
            ("wait_event", offset_of!(Self, wait_event), self.wait_event),
        ];
        for (name, offset, value) in flags {
            if value > 1 {
                report(Finding::new(Rule::FlagRange, offset, value).within(name));
            }
        }
        if self.wait_event == 1 && !self.event_wait_sema.is_set() {
            report(Finding::new(Rule::WaitWithoutSema, offset_of!(Self, event_wait_sema), 0_u8));
        }
        if self.direct_trigger == 1 && !self.direct_trigger_sema.iter().any(|address| address.is_set()) {
            report(Finding::new(Rule::TriggerWithoutSema, offset_of!(Self, direct_trigger_sema), 0_u8));
        }
    }
}
