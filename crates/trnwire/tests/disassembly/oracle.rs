//! The lines of `Bundle::disassemble`, made with `write!`. The speed recorder includes this file, too.

use core::fmt::{Display, Formatter, Result, Write};

use trnwire::access::{Pattern, Tensor};
use trnwire::addr4::{Addr4, Mode, Target};
use trnwire::arch::Generation;
use trnwire::bundle::{Bundle, ModeFacts, ModeOperand, Operand};
use trnwire::check::Severity;

/// Appends the line of a bundle.
pub(crate) fn disassemble(bundle: &Bundle, generation: Generation, offset: u64, out: &mut String) -> Result {
    write!(out, "0x{offset:08x}  ")?;
    match bundle.opcode().facts() {
        Some(facts) => write!(out, "{}", facts.name)?,
        None => write!(out, "opcode_0x{:02x}", bundle.opcode)?,
    }
    for slot in bundle.slots(generation) {
        write!(out, " {}=", slot.facts.role.unwrap_or("operand"))?;
        match &slot.operand {
            Operand::Word(word) => write!(out, "{}", Place(*word))?,
            Operand::Descriptor(_, Pattern::Tensor(tensor)) => write!(out, "{}", Loops(tensor))?,
            Operand::Descriptor(_, Pattern::Indirect(gather)) => {
                let (index, data) = (Plain(gather.index), Place(gather.data));
                write!(out, "gather(index={index} data={data} num={})", gather.num)?;
            }
            Operand::Descriptor(_, Pattern::MxStatic(mx)) => write!(
                out,
                "mx(data={} scale={} extent={} direction={} scale_partition={})",
                Place(mx.data.get()),
                Place(mx.scale.get()),
                mx.k_extent,
                mx.step_dir,
                mx.scale_part,
            )?,
            Operand::Descriptor(_, Pattern::MxIndirect(mx)) => write!(
                out,
                "mx_gather(index={} data={} scale={} extent={} scale_partition={})",
                Plain(mx.index.get()),
                Place(mx.data.get()),
                Place(mx.scale.get()),
                mx.k_extent,
                mx.scale_part,
            )?,
        }
        match slot.dtype.map(|dtype| (dtype, dtype.facts())) {
            None => {}
            Some((_, Some(facts))) => write!(out, ":{}", facts.name)?,
            Some((dtype, None)) => write!(out, ":dtype_{}", dtype.get())?,
        }
    }
    let family = bundle.family(generation);
    if family.is_none_or(|family| !family.unknown.is_empty()) {
        let is_known = bundle.opcode().facts().is_some_and(|facts| facts.is_on(generation) == Some(true));
        match family {
            _ if !is_known => {}
            Some(family) if !family.slots.is_empty() => write!(out, "  (other operands unknown)")?,
            _ => write!(out, "  (operands unknown)")?,
        }
        write!(out, "{}body=", if is_known { " " } else { "  " })?;
        for byte in bundle.body.0 {
            write!(out, "{byte:02x}")?;
        }
    }
    let value = bundle.semaphore_value.get();
    match bundle.wait() {
        None => write!(out, "  wait mode 0x{:02x} sem{} value {value}", bundle.wait_mode, bundle.wait_idx)?,
        Some(facts) if facts.operand == ModeOperand::None => {}
        Some(facts) => write!(out, "  wait sem{}{}", bundle.wait_idx, Change(facts, value))?,
    }
    match bundle.update() {
        None => write!(out, "  update mode 0x{:02x} sem{} value {value}", bundle.update_mode, bundle.update_idx)?,
        Some(facts) if facts.operand == ModeOperand::None => {}
        Some(facts) => write!(out, "  {} sem{}{}", facts.when, bundle.update_idx, Change(facts, value))?,
    }
    let mut result = Ok(());
    bundle.judge(generation, |finding| {
        if finding.id.severity() > Severity::Note && result.is_ok() {
            result = write!(out, "  ; {} {}@{}", finding.id.severity(), finding.id, finding.offset);
        }
    });
    result
}

struct Change(&'static ModeFacts, u32);

impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self(facts, value) = self;
        match facts.operand {
            ModeOperand::None => Ok(()),
            ModeOperand::One => write!(f, "{}1", facts.operator),
            ModeOperand::Immediate => write!(f, "{}{value}", facts.operator),
            ModeOperand::Register => write!(f, "{}reg{value}", facts.operator),
        }
    }
}

struct Place(Addr4);

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mode = match self.0.mode() {
            Mode::Static => "",
            Mode::Indirect => "index:",
            Mode::Active => "shaped:",
            Mode::Dead => "dead:",
        };
        write!(f, "{mode}{}", Plain(self.0))
    }
}

struct Plain(Addr4);

impl Display for Plain {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0.target() {
            Target::Register { id } => write!(f, "reg[{id}]"),
            Target::Sbuf { partition, offset } => write!(f, "sbuf[{partition}+{offset:#x}]"),
            Target::Psum { partition, offset, bank: Some(bank) } => {
                write!(f, "psum[{partition}.{bank}+{:#x}]", offset % 2048)
            }
            Target::Psum { partition, offset, bank: None } => write!(f, "psum[{partition}+{offset:#x}]"),
            Target::OffChip => write!(f, "off_chip[{:#010x}]", self.0.bits() & 0x1FFF_FFFF),
        }
    }
}

struct Loops<'a>(&'a Tensor<'a>);

impl Display for Loops<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let pairs: Vec<_> = self
            .0
            .loops()
            .rev()
            .filter(|free| free.num != 1)
            .map(|free| format!("[{},{}]", free.step, free.num))
            .collect();
        let pairs = if pairs.is_empty() { "[1,1]".to_owned() } else { pairs.join(",") };
        write!(f, "{}[{pairs}]", Place(self.0.addr4))
    }
}
