//! A bundle as one line of text.
//!
//! Numbers are written by hand into the caller's bytes: formatting with `write!` takes several times as long, and the
//! tests hold both against each other.

use alloc::vec::Vec;

use super::header::{Bundle, ModeFacts, ModeOperand};
use super::judge::{Finding, FindingId};
use super::slot::{Operand, Slot};
use crate::access::{Indirect, Pattern, Tensor};
use crate::addr4::{Addr4, Mode, Target};
use crate::arch::Generation;
use crate::check::Severity;
use crate::dtype::WireTag;
use crate::geometry::PSUM_BANK_SIZE;

impl Bundle {
    /// Appends the bundle as a line of ASCII text, without a line end:
    ///
    /// ```text
    /// 0x00000040  MATMUL moving=sbuf[0+0x100][[1,64]]:FP32 dst=psum[0.1+0x0][[1,512]]:FP32  wait sem5>=12  on done sem7+=1
    /// ```
    ///
    /// `offset` is that of the bundle in its stream. Operands come in the order of their slots, each with its role, its
    /// place (partition and byte, in PSUM partition, bank and byte in the bank), its loops as `[step,num]`, outermost
    /// first and without those of one round, and its dtype. Where places of slots are not known the body is shown as
    /// bytes. Findings above a note stand at the end, each with its byte in the bundle; the severity of the worst comes
    /// back.
    pub fn disassemble(&self, generation: Generation, offset: u64, out: &mut Vec<u8>) -> Severity {
        let mut line = Line(out);
        line.hex_u64(offset);
        line.text("  ");
        line.opcode(self);
        let mut findings = Findings::default();
        self.judge_header(generation, |finding| findings.push(finding));
        for slot in self.slots(generation) {
            line.slot(&slot);
            slot.judge(generation, |finding| findings.push(finding));
        }
        self.judge_sources(generation, |finding| findings.push(finding));
        match self.family(generation) {
            Some(family) if family.unknown.is_empty() => {}
            family => {
                let is_known = matches!(self.opcode().is_on(generation), Some(true));
                line.body(self, is_known, family.is_some_and(|family| !family.slots.is_empty()));
            }
        }
        line.wait(self);
        line.update(self);
        for finding in findings.get() {
            line.text("  ; ");
            line.text(finding.id.severity().name());
            line.text(" ");
            finding.id.pieces().into_iter().for_each(|piece| line.text(piece));
            line.count("@", finding.offset.into());
        }
        findings.get().iter().map(|finding| finding.id.severity()).max().unwrap_or(Severity::Note)
    }
}

/// The findings above a note that a line ends with, kept while its operands are written.
struct Findings {
    found: [Finding; MOST_FINDINGS],
    count: usize,
}

/// More than a bundle can have: five of its header, of each of four slots three and two lints of each of three words, and
/// one of its sources.
const MOST_FINDINGS: usize = 48;

impl Default for Findings {
    fn default() -> Self {
        Self { found: [Finding { id: FindingId::SlotsUnknown, offset: 0 }; MOST_FINDINGS], count: 0 }
    }
}

impl Findings {
    #[inline(always)]
    fn push(&mut self, finding: Finding) {
        if finding.id.severity() == Severity::Note {
            return;
        }
        if let Some(place) = self.found.get_mut(self.count) {
            *place = finding;
            self.count = self.count.wrapping_add(1);
        }
    }

    fn get(&self) -> &[Finding] {
        self.found.get(..self.count).unwrap_or_default()
    }
}

/// The end of a line that is being written.
///
/// Copies of a length that is known when this is compiled are single stores, so numbers are written at full width and
/// cut off.
struct Line<'a>(&'a mut Vec<u8>);

impl Line<'_> {
    #[inline(always)]
    fn text(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Appends the first bytes of a text of full width.
    #[inline(always)]
    fn start_of<const WIDTH: usize>(&mut self, text: [u8; WIDTH], length: usize) {
        let end = self.0.len().wrapping_add(length);
        self.0.extend_from_slice(&text);
        self.0.truncate(end);
    }

    #[inline(always)]
    fn decimal(&mut self, number: u32) {
        match usize::try_from(number).ok().and_then(|number| BELOW_1000.get(number)) {
            Some(&[first, second, third, length]) => self.start_of([first, second, third], length.into()),
            None => self.long_decimal(number),
        }
    }

    fn long_decimal(&mut self, mut number: u32) {
        let mut digits = [0_u8; 10];
        let mut length = 0_usize;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' | (number % 10).to_le_bytes()[0];
            number /= 10;
            length = length.saturating_add(1);
            if number == 0 {
                break;
            }
        }
        self.0.extend_from_slice(digits.get(digits.len().saturating_sub(length)..).unwrap_or_default());
    }

    #[inline(always)]
    fn signed(&mut self, number: i16) {
        self.start_of([b'-'], usize::from(number < 0));
        self.decimal(number.unsigned_abs().into());
    }

    /// `0x` and at least `least` digits, 8 at most.
    #[inline(always)]
    fn hex(&mut self, number: u32, least: u32) {
        self.text("0x");
        let needed = 8_u32.saturating_sub(number.leading_zeros() / 4).max(least);
        let unneeded = 8_u32.saturating_sub(needed).saturating_mul(8);
        let left = hex_digits(number).checked_shl(unneeded).unwrap_or_default();
        self.start_of(left.to_be_bytes(), usize::try_from(needed).unwrap_or_default());
    }

    /// `0x` and 8 digits, or as many as are needed.
    #[inline(always)]
    fn hex_u64(&mut self, number: u64) {
        match (u32::try_from(number >> 32), u32::try_from(number & 0xFFFF_FFFF)) {
            (Ok(high @ 1..), Ok(low)) => {
                self.hex(high, 1);
                self.start_of(hex_digits(low).to_be_bytes(), 8);
            }
            (_, low) => self.hex(low.unwrap_or_default(), 8),
        }
    }

    fn opcode(&mut self, bundle: &Bundle) {
        match bundle.opcode().facts() {
            Some(facts) => self.text(facts.name),
            None => {
                self.text("opcode_");
                self.hex(bundle.opcode.into(), 2);
            }
        }
    }

    fn slot(&mut self, slot: &Slot<'_>) {
        self.text(" ");
        self.text(slot.facts.role.unwrap_or("operand"));
        self.text("=");
        match &slot.operand {
            Operand::Word(word) => self.place(*word),
            Operand::Descriptor(_, Pattern::Tensor(tensor)) => self.tensor(tensor),
            Operand::Descriptor(_, Pattern::Indirect(Indirect { index, data, num, .. })) => {
                self.index("gather(index=", *index);
                self.words(&[(" data=", *data)]);
                self.count(" num=", (*num).into());
            }
            Operand::Descriptor(_, Pattern::MxStatic(mx)) => {
                self.words(&[("mx(data=", mx.data.get()), (" scale=", mx.scale.get())]);
                self.count(" extent=", mx.k_extent.get().into());
                self.text(" direction=");
                self.signed(mx.step_dir.into());
                self.count(" scale_partition=", mx.scale_part.into());
            }
            Operand::Descriptor(_, Pattern::MxIndirect(mx)) => {
                self.index("mx_gather(index=", mx.index.get());
                self.words(&[(" data=", mx.data.get()), (" scale=", mx.scale.get())]);
                self.count(" extent=", mx.k_extent.get().into());
                self.count(" scale_partition=", mx.scale_part.into());
            }
        }
        if !matches!(slot.operand, Operand::Word(_) | Operand::Descriptor(_, Pattern::Tensor(_))) {
            self.text(")");
        }
        if let Some(dtype) = slot.dtype {
            self.text(":");
            self.dtype(dtype);
        }
    }

    fn words(&mut self, words: &[(&str, Addr4)]) {
        for (key, word) in words {
            self.text(key);
            self.place(*word);
        }
    }

    /// A gather index, of which the text around it says so.
    fn index(&mut self, key: &str, word: Addr4) {
        self.text(key);
        self.target(word);
    }

    #[inline(always)]
    fn count(&mut self, key: &str, count: u32) {
        self.text(key);
        self.decimal(count);
    }

    /// The mode of a word, unless it is static, and where it points.
    fn place(&mut self, word: Addr4) {
        match word.mode() {
            Mode::Static => {}
            Mode::Indirect => self.text("index:"),
            Mode::Active => self.text("shaped:"),
            Mode::Dead => self.text("dead:"),
        }
        self.target(word);
    }

    fn target(&mut self, word: Addr4) {
        match word.target() {
            Target::Register { id } => self.count("reg[", id.into()),
            Target::Sbuf { partition, offset } => {
                self.count("sbuf[", partition.into());
                self.text("+");
                self.hex(offset, 1);
            }
            Target::Psum { partition, offset, bank } => {
                self.count("psum[", partition.into());
                let in_bank = match bank {
                    Some(bank) => {
                        self.count(".", bank.into());
                        offset.wrapping_rem(PSUM_BANK_SIZE)
                    }
                    None => offset,
                };
                self.text("+");
                self.hex(in_bank, 1);
            }
            Target::OffChip => {
                self.text("off_chip[");
                self.hex(word.address().unwrap_or_default(), 8);
            }
        }
        self.text("]");
    }

    fn tensor(&mut self, tensor: &Tensor<'_>) {
        self.place(tensor.addr4);
        let mut separator = "[";
        for free in tensor.loops().rev().filter(|free| free.num != 1) {
            self.text(separator);
            self.text("[");
            self.signed(free.step);
            self.count(",", free.num.into());
            self.text("]");
            separator = ",";
        }
        self.text(if separator == "[" { "[[1,1]]" } else { "]" });
    }

    fn dtype(&mut self, dtype: WireTag) {
        match dtype.facts() {
            Some(facts) => self.text(facts.name),
            None => self.count("dtype_", dtype.get().into()),
        }
    }

    /// The body as bytes. Of an opcode that the generation does not have nothing more can be said.
    fn body(&mut self, bundle: &Bundle, is_known: bool, has_slots: bool) {
        self.text(match (is_known, has_slots) {
            (false, _) => "  body=",
            (true, false) => "  (operands unknown) body=",
            (true, true) => "  (other operands unknown) body=",
        });
        for bytes in bundle.body.0.chunks_exact(4) {
            let number = bytes.try_into().map_or(0, u32::from_be_bytes);
            self.start_of(hex_digits(number).to_be_bytes(), 8);
        }
    }

    fn wait(&mut self, bundle: &Bundle) {
        match bundle.wait() {
            None => {
                self.text("  wait mode ");
                self.hex(bundle.wait_mode.into(), 2);
                self.count(" sem", bundle.wait_idx.into());
                self.count(" value ", bundle.semaphore_value.get());
            }
            Some(facts) if facts.operand != ModeOperand::None => {
                self.count("  wait sem", bundle.wait_idx.into());
                self.change(facts, bundle);
            }
            Some(_) => {}
        }
    }

    fn update(&mut self, bundle: &Bundle) {
        match bundle.update() {
            None => {
                self.text("  update mode ");
                self.hex(bundle.update_mode.into(), 2);
                self.count(" sem", bundle.update_idx.into());
                self.count(" value ", bundle.semaphore_value.get());
            }
            Some(facts) if facts.operand != ModeOperand::None => {
                self.text("  ");
                self.text(facts.when);
                self.count(" sem", bundle.update_idx.into());
                self.change(facts, bundle);
            }
            Some(_) => {}
        }
    }

    fn change(&mut self, facts: &ModeFacts, bundle: &Bundle) {
        self.text(facts.operator);
        match facts.operand {
            ModeOperand::None => {}
            ModeOperand::One => self.text("1"),
            ModeOperand::Immediate => self.decimal(bundle.semaphore_value.get()),
            ModeOperand::Register => self.count("reg", bundle.semaphore_value.get()),
        }
    }
}

/// The eight hex digits of a number, the first one in the highest byte: every nibble becomes a byte, and every byte its
/// letter, all at once.
#[inline(always)]
const fn hex_digits(number: u32) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let [a, b, c, d] = number.to_be_bytes();
    let spread = u64::from_be_bytes([a >> 4, a & 0xF, b >> 4, b & 0xF, c >> 4, c & 0xF, d >> 4, d & 0xF]);
    let is_letter = spread.wrapping_add(ONES.wrapping_mul(6)) >> 4 & ONES;
    spread.wrapping_add(ONES.wrapping_mul(0x30)).wrapping_add(is_letter.wrapping_mul(0x27))
}

/// The digits of every number below 1000, from the left, and how many they are.
static BELOW_1000: [[u8; 4]; 1000] = {
    let mut all = [[0; 4]; 1000];
    let mut number = 0;
    while number < 1000 {
        let [hundreds, tens, ones] = [number / 100, number / 10 % 10, number % 10];
        #[expect(clippy::indexing_slicing, clippy::as_conversions, reason = "a constant; digits are below 10")]
        {
            let [hundreds, tens, ones] = [b'0' + hundreds as u8, b'0' + tens as u8, b'0' + ones as u8];
            all[number] = match number {
                0..10 => [ones, 0, 0, 1],
                10..100 => [tens, ones, 0, 2],
                _ => [hundreds, tens, ones, 3],
            };
        }
        number += 1;
    }
    all
};
