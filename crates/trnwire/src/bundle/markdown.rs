//! Opcodes, families and modes as a page for docs/formats.

use alloc::{format, string::String, string::ToString, vec::Vec};
use core::fmt::Write;

use super::family::{Declared, DtypePlace, Family, Flags, SlotCheck, SlotFacts};
use super::header::{ModeFacts, ModeOperand, UPDATE_MODES, WAIT_MODES};
use super::opcode::{Availability, Opcode};
use crate::arch::Generation;

/// Every opcode, every family with its slots, and the modes of the header.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "# Opcodes\n\nGenerated from the tables in the source; do not edit.\n\nA family without slots has none, unless the \
         last column says otherwise. Flags: written or read, then the memories where the operand may lie.\n\n## Families\n\n\
         | family | opcodes | slots | evidence | not known |\n|---|---|---|---|---|\n",
    );
    for family in Family::all() {
        let opcodes: Vec<_> = family.opcodes.iter().map(|opcode| format!("{opcode:02X}")).collect();
        let since = if family.since == Generation::Gen2 { String::new() } else { format!(" (from {})", family.since) };
        let slots: Vec<_> = family.slots.iter().map(slot).collect();
        let _ = writeln!(
            out,
            "| {}{since} | {} | {} | {} | {} |",
            family.name,
            opcodes.join(" "),
            slots.join("<br>"),
            family.evidence,
            family.unknown
        );
    }
    out.push_str("\n## Disputed bytes\n\n| family | byte | readings | until |\n|---|---|---|---|\n");
    for family in Family::all() {
        for dispute in family.disputes {
            let _ =
                writeln!(out, "| {} | {} | {} | {} |", family.name, dispute.offset, dispute.readings, dispute.until);
        }
    }
    modes(&mut out, "Wait modes", &WAIT_MODES);
    modes(&mut out, "Update modes", &UPDATE_MODES);
    out.push_str("\n## Opcodes\n\n| opcode | name | on | family |\n|---|---|---|---|\n");
    for facts in Opcode::all() {
        let on = match facts.on {
            Availability::From(Generation::Gen2) => "all".to_string(),
            Availability::From(first) => format!("{first} on"),
            Availability::Gen2Only => "gen2 only".to_string(),
            Availability::Unknown => "not known".to_string(),
        };
        let pseudo = if Opcode::new(facts.value).is_pseudo() { " (pseudo)" } else { "" };
        let family = Family::all().iter().find(|family| family.opcodes.contains(&facts.value));
        let family = family.map_or("", |family| family.name);
        let _ = writeln!(out, "| {:02X} | {}{pseudo} | {on} | {family} |", facts.value, facts.name);
    }
    out
}

fn slot(facts: &SlotFacts) -> String {
    let declared = match facts.declared {
        Declared::Three => "TENSOR3D (gen4: MEM_PATTERN3D)",
        Declared::Four => "TENSOR4D (gen4: MEM_PATTERN4D)",
        Declared::Always(slot) => slot.name(),
        Declared::Word => "ADDR4",
    };
    let dtype = match facts.dtype {
        DtypePlace::Unknown => "dtype not known".to_string(),
        DtypePlace::Byte(byte) => format!("dtype in byte {byte}"),
        DtypePlace::ByteSince(first, byte) => format!("dtype in byte {byte} from {first} on, before not known"),
        DtypePlace::LowNibble(byte) => format!("dtype in the low half of byte {byte}"),
        DtypePlace::HighNibble(byte) => format!("dtype in the high half of byte {byte}"),
    };
    let check = match facts.check {
        SlotCheck::None => "",
        SlotCheck::MustBeIndirect => ", must be a gather",
        SlotCheck::MatmulDestination => ", judged by `mm_dst_nc` on gen4 with dtype 6",
    };
    let role = facts.role.unwrap_or("role not known");
    format!("{}: {declared}, {role}, {}, {dtype}{check}", facts.offset, flags(facts.flags))
}

fn flags(flags: Option<Flags>) -> String {
    let Some(Flags { write, allow_psum, allow_sbuf, inferred }) = flags else { return "flags not known".to_string() };
    let memories = match (allow_psum, allow_sbuf) {
        (true, true) => "PSUM, SBUF",
        (true, false) => "PSUM",
        (false, true) => "SBUF",
        (false, false) => "none",
    };
    format!("{} {memories}{}", if write { "written" } else { "read" }, if inferred { " (inferred)" } else { "" })
}

fn modes(out: &mut String, title: &str, modes: &[ModeFacts]) {
    let _ = write!(out, "\n## {title}\n\nThe list is partial.\n\n| value | name | meaning |\n|---|---|---|\n");
    for mode in modes {
        let operand = match mode.operand {
            ModeOperand::None => "",
            ModeOperand::One => "1",
            ModeOperand::Immediate => "value",
            ModeOperand::Register => "register",
        };
        let meaning = match mode.operand {
            ModeOperand::None => "nothing".to_string(),
            _ => format!("semaphore {} {operand} {}", mode.operator, mode.when),
        };
        let _ = writeln!(out, "| 0x{:02X} | {} | {} |", mode.value, mode.name, meaning.trim_end());
    }
}
