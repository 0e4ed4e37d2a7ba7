//! The 64 bytes of an instruction, and the modes of its header.

use zerocopy::little_endian::U32;

use crate::table::Legal::{Any, Depends, Range};
use crate::table::{Bytes, Layout, Table, record};

record! {
    /// An instruction. Bytes that an opcode does not use are zero.
    pub struct Bundle[64];

    // offset, field    type       unit       legal      sources
    0 opcode:           u8,        None,      Depends,   [CompilerBook, HeaderBook, RuntimeBook],
        "what the instruction does";
    1 inst_word_len:    u8,        None,      Range(16, 16), [CompilerBook, HeaderBook, RuntimeBook],
        "length in words of 4 bytes: 16 (the compiler book has 17 for QUANTIZE_MX with saturation)";
    2 debug_cmd:        u8,        None,      Any,       [HeaderBook],
        "zero from the compiler";
    3 debug_hint:       u8,        None,      Any,       [HeaderBook],
        "zero from the compiler";
    4 wait_mode:        u8,        None,      Depends,   [CompilerBook, HeaderBook],
        "what to wait for before execution";
    5 wait_idx:         u8,        Semaphore, Any,       [CompilerBook, HeaderBook],
        "the semaphore to wait for";
    6 update_mode:      u8,        None,      Depends,   [CompilerBook, HeaderBook],
        "how and when to change a semaphore";
    7 update_idx:       u8,        Semaphore, Any,       [CompilerBook, HeaderBook],
        "the semaphore to change";
    8 semaphore_value:  U32,       None,      Any,       [CompilerBook, HeaderBook],
        "the value or the register that the two modes refer to";
    12 body:            Bytes<52>, None,      Depends,   [CompilerBook, HeaderBook],
        "slots and control bytes; the family of the opcode says where";
}

impl Bundle {
    /// The whole format.
    pub const TABLE: Table = Table {
        kind: "bundle",
        title: "an instruction of 64 bytes, whose slots hold descriptors",
        size_bytes: 64,
        is_word: false,
        layouts: &[Layout { name: "bundle", when: "always", fields: Self::FIELDS }],
    };
}

/// What a wait mode or an update mode means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeFacts {
    /// The value.
    pub value: u8,
    /// Its name.
    pub name: &'static str,
    /// When it happens: nothing for a wait, `on read` or `on done` for an update.
    pub when: &'static str,
    /// What stands between the semaphore and the operand: `>=`, `+=`.
    pub operator: &'static str,
    /// What the semaphore is compared or changed with.
    pub operand: ModeOperand,
}

/// What a mode compares or changes a semaphore with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeOperand {
    /// Nothing is done.
    None,
    /// The number 1.
    One,
    /// The semaphore value of the bundle.
    Immediate,
    /// The register that the semaphore value of the bundle names.
    Register,
}

const fn wait(value: u8, name: &'static str, operator: &'static str, operand: ModeOperand) -> ModeFacts {
    ModeFacts { value, name, when: "", operator, operand }
}

/// The known wait modes; the list is partial. Source: header book; `ge_reg` also compiler book.
pub const WAIT_MODES: [ModeFacts; 7] = [
    wait(0x00, "none", "", ModeOperand::None),
    wait(0x01, "eq_imm", "==", ModeOperand::Immediate),
    wait(0x04, "gt_imm", ">", ModeOperand::Immediate),
    wait(0x05, "ge_imm", ">=", ModeOperand::Immediate),
    wait(0x81, "eq_reg", "==", ModeOperand::Register),
    wait(0x84, "gt_reg", ">", ModeOperand::Register),
    wait(0x85, "ge_reg", ">=", ModeOperand::Register),
];

const fn update(value: u8, name: &'static str, when: &'static str, change: (&'static str, ModeOperand)) -> ModeFacts {
    ModeFacts { value, name, when, operator: change.0, operand: change.1 }
}

/// The known update modes; the list is partial. Source: header book.
pub const UPDATE_MODES: [ModeFacts; 6] = [
    update(0x00, "none", "", ("", ModeOperand::None)),
    update(0x03, "inc_on_read", "on read", ("+=", ModeOperand::One)),
    update(0x13, "inc_on_done", "on done", ("+=", ModeOperand::One)),
    update(0x15, "add_imm_on_done", "on done", ("+=", ModeOperand::Immediate)),
    update(0x87, "sub_reg_on_read", "on read", ("-=", ModeOperand::Register)),
    update(0x99, "write_reg_on_done", "on done", ("=", ModeOperand::Register)),
];

/// The facts of each value.
const fn by_value(mut modes: &'static [ModeFacts]) -> [Option<&'static ModeFacts>; 256] {
    let mut all = [None; 256];
    while let [facts, tail @ ..] = modes {
        #[expect(clippy::indexing_slicing, clippy::as_conversions, reason = "a constant; 8 bits are below 256")]
        {
            all[facts.value as usize] = Some(facts);
        }
        modes = tail;
    }
    all
}

static WAITS: [Option<&ModeFacts>; 256] = by_value(&WAIT_MODES);
static UPDATES: [Option<&ModeFacts>; 256] = by_value(&UPDATE_MODES);

impl Bundle {
    /// The wait mode, if it is known.
    #[must_use]
    #[inline]
    pub fn wait(&self) -> Option<&'static ModeFacts> {
        WAITS.get(usize::from(self.wait_mode)).copied().flatten()
    }

    /// The update mode, if it is known.
    #[must_use]
    #[inline]
    pub fn update(&self) -> Option<&'static ModeFacts> {
        UPDATES.get(usize::from(self.update_mode)).copied().flatten()
    }
}
