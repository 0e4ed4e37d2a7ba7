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
    /// How it reads between the semaphore and the value: `>=`, or what is done.
    pub meaning: &'static str,
    /// Whether the semaphore value is meant as a number, as a register, or not at all.
    pub operand: ModeOperand,
}

/// What the semaphore value of a bundle is to a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeOperand {
    /// Without meaning.
    None,
    /// A number.
    Immediate,
    /// The number of a register.
    Register,
}

const fn mode(value: u8, name: &'static str, meaning: &'static str, operand: ModeOperand) -> ModeFacts {
    ModeFacts { value, name, meaning, operand }
}

/// The known wait modes; the list is partial. Source: header book; `ge_reg` also compiler book.
pub const WAIT_MODES: [ModeFacts; 7] = [
    mode(0x00, "none", "", ModeOperand::None),
    mode(0x01, "eq_imm", "==", ModeOperand::Immediate),
    mode(0x04, "gt_imm", ">", ModeOperand::Immediate),
    mode(0x05, "ge_imm", ">=", ModeOperand::Immediate),
    mode(0x81, "eq_reg", "==", ModeOperand::Register),
    mode(0x84, "gt_reg", ">", ModeOperand::Register),
    mode(0x85, "ge_reg", ">=", ModeOperand::Register),
];

/// The known update modes; the list is partial. Source: header book.
pub const UPDATE_MODES: [ModeFacts; 6] = [
    mode(0x00, "none", "", ModeOperand::None),
    mode(0x03, "inc_on_read", "add 1 when the operands are read", ModeOperand::None),
    mode(0x13, "inc_on_done", "add 1 when done", ModeOperand::None),
    mode(0x15, "add_imm_on_done", "add the value when done", ModeOperand::Immediate),
    mode(0x87, "sub_reg_on_read", "subtract the register when the operands are read", ModeOperand::Register),
    mode(0x99, "write_reg_on_done", "write the register when done", ModeOperand::Register),
];

impl Bundle {
    /// The wait mode, if it is known.
    #[must_use]
    #[inline]
    pub fn wait(&self) -> Option<&'static ModeFacts> {
        WAIT_MODES.iter().find(|mode| mode.value == self.wait_mode)
    }

    /// The update mode, if it is known.
    #[must_use]
    #[inline]
    pub fn update(&self) -> Option<&'static ModeFacts> {
        UPDATE_MODES.iter().find(|mode| mode.value == self.update_mode)
    }
}
