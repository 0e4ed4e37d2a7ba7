//! The fast way to read a dump that this project wrote: the writer's program runs backwards over the text, steps over what is
//! fixed and takes what is not. It checks next to nothing. What counts is that the program writes the very same text from the
//! bytes that came out; then they are what the slow reader finds, too, and else that one is asked.

use std::sync::OnceLock;

use trnwire::mesh::MeshEvent;
use trnwire::ring::{Neighbor, RingChannel};
use zerocopy::{FromBytes, IntoBytes};

use super::Options;
use super::read::{Packed, Reader, hex_number};
use super::shape::{CONTEXT, DEVICE_BLOCK, HOST_BLOCK, Node, Part, RING_CHANNEL, WIRE_CHANNEL_ID};
use super::write::{Op, Program};

/// What a text is taken for.
struct Form {
    node: &'static Node,
    is_context: bool,
    has_stub: bool,
    full: bool,
    wire: bool,
}

/// Every form, the likely ones first.
const FORMS: [Form; 8] = {
    const fn context(full: bool, wire: bool) -> Form {
        Form { node: &CONTEXT, is_context: true, has_stub: true, full, wire }
    }
    const fn block(node: &'static Node, has_stub: bool, wire: bool) -> Form {
        Form { node, is_context: false, has_stub, full: false, wire }
    }
    [
        context(false, false),
        context(false, true),
        context(true, false),
        context(true, true),
        block(&DEVICE_BLOCK, true, false),
        block(&DEVICE_BLOCK, true, true),
        block(&HOST_BLOCK, false, false),
        block(&HOST_BLOCK, false, true),
    ]
};

/// Reads a text that is exactly as this project writes it; `None` for any other.
pub(super) fn replay(text: &[u8]) -> Option<Packed> {
    static PROGRAMS: [[OnceLock<Program>; FORMS.len()]; 2] = [const { [const { OnceLock::new() }; FORMS.len()] }; 2];
    let compact = text.get(1) != Some(&b'\n');
    let is_context = text.iter().take(16).any(|&byte| byte == b'm');
    let programs = PROGRAMS.get(usize::from(compact))?;
    FORMS.iter().zip(programs).filter(|(form, _)| form.is_context == is_context).find_map(|(form, program)| {
        let options = Options { full: form.full, wire: form.wire, compact };
        let program = program.get_or_init(|| Program::new(form.node, options));
        read(program, form, text)
    })
}

fn read(program: &Program, form: &Form, text: &[u8]) -> Option<Packed> {
    let mut reader = Reader::new();
    reader.is_context = form.is_context;
    reader.has_stub = form.has_stub;
    reader.has_wire = form.wire;
    reader.has_full = form.full;
    reader.lacks_full = form.is_context && !form.full;
    let room = trnwire::block::View::Host.event_count().saturating_mul(size_of::<MeshEvent>());
    reader.part(Part::Events).resize(room, 0);
    let mut replay = Replay { text, reader, events: 0 };
    replay.ops(&program.ops, &mut [])?;
    let Replay { text: rest, mut reader, events } = replay;
    if !rest.is_empty() {
        return None;
    }
    reader.part(Part::Events).truncate(events.saturating_mul(size_of::<MeshEvent>()));
    if !form.wire {
        number_rows(reader.part(Part::Rows));
    }
    if form.is_context && reader.model_name.is_none() || !program.writes(&reader.parts(), text) {
        return None;
    }
    reader.packed().ok()
}

/// Used rows have their position as their channel.
fn number_rows(rows: &mut [u8]) {
    let Node::Object(members, _) = RING_CHANNEL else { return };
    let Some(member) = members.iter().find(|member| member.key == WIRE_CHANNEL_ID) else { return };
    for (row, bytes) in (0_u8..).zip(rows.chunks_mut(size_of::<RingChannel>())) {
        if bytes.iter().any(|&byte| byte != 0) {
            bytes.iter_mut().skip(member.offset).take(1).for_each(|byte| *byte = row);
        }
    }
}

struct Replay<'t> {
    /// What is still to be read.
    text: &'t [u8],
    reader: Reader,
    events: usize,
}

impl<'t> Replay<'t> {
    fn ops(&mut self, ops: &[Op], bytes: &mut [u8]) -> Option<()> {
        ops.iter().try_for_each(|op| self.op(op, bytes))
    }

    fn op(&mut self, op: &Op, bytes: &mut [u8]) -> Option<()> {
        match op {
            Op::Text(text, holes) => {
                let here = self.take(text.len())?;
                // A wrong form shows early.
                let fixed = holes.first().map_or(text.len(), |(place, _)| *place);
                if here.get(..fixed) != text.get(..fixed) {
                    return None;
                }
                for &(place, offset) in holes {
                    let value = hex_number(here.get(place..)?.first_chunk()?)?;
                    *bytes.get_mut(offset..)?.first_chunk_mut()? = value.to_le_bytes();
                }
            }
            Op::Integer { offset, bytes: count } => {
                let number = self.number()?.to_le_bytes();
                bytes.get_mut(*offset..)?.get_mut(..*count)?.copy_from_slice(number.get(..*count)?);
            }
            Op::Bits { offset, shift, mask } => {
                let bits = (self.number()? & mask).wrapping_shl(*shift).to_le_bytes();
                bytes.get_mut(*offset..)?.iter_mut().zip(bytes_of(&bits)).for_each(|(place, bits)| *place |= bits);
            }
            Op::Hex { offset, bytes: count } => {
                let text = self.take(count.checked_mul(2)?)?;
                let read = crate::hex::bytes(core::str::from_utf8(text).ok()?)?;
                bytes.get_mut(*offset..)?.get_mut(..*count)?.copy_from_slice(read.get(..*count)?);
            }
            Op::Position => {
                self.number()?;
            }
            Op::IndexWords { is_tail, before, behind } => {
                self.index_words(*is_tail, before.len(), behind.len(), bytes)?
            }
            Op::ModelName => {
                self.take(1)?;
                let length = self.text.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
                let name = core::str::from_utf8(self.take(length)?).ok()?;
                self.reader.model_name = Some(name.to_owned());
                self.take(1)?;
            }
            Op::Of(part, ops) => {
                let mut bytes = core::mem::take(self.reader.part(*part));
                let result = self.ops(ops, &mut bytes);
                *self.reader.part(*part) = bytes;
                return result;
            }
            Op::Repeat { offset, count, stride, between, body } => {
                let most = count.unwrap_or_else(|| trnwire::block::View::Host.event_count());
                for index in 0..most {
                    let start = offset.checked_add(index.checked_mul(*stride)?)?;
                    self.ops(body, bytes.get_mut(start..)?)?;
                    let is_last =
                        if count.is_some() { index.checked_add(1)? == most } else { !self.text.starts_with(b",") };
                    if count.is_none() {
                        self.events = index.checked_add(1)?;
                    }
                    if is_last {
                        break;
                    }
                    self.take(between.len())?;
                }
            }
            Op::Barrier { offset, on_device, on_host } => {
                let union = bytes.get_mut(*offset..)?.get_mut(..size_of::<trnwire::context::DeviceBarrier>())?;
                let text = self.text;
                if self.ops(on_device, union).is_none() {
                    union.fill(0);
                    self.text = text;
                    self.ops(on_host, union)?;
                }
            }
        }
        Some(())
    }

    fn take(&mut self, length: usize) -> Option<&'t [u8]> {
        let (taken, rest) = self.text.split_at_checked(length)?;
        self.text = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        while let [digit @ b'0'..=b'9', rest @ ..] = self.text {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit & 0xF));
            self.text = rest;
        }
        Some(number)
    }

    /// The elements of an array of index words, which are behind those that fold_n calls live, or those.
    fn index_words(&mut self, is_tail: bool, before: usize, behind: usize, bytes: &mut [u8]) -> Option<()> {
        if self.text.starts_with(b"]") {
            return Some(());
        }
        let (neighbor, _) = Neighbor::mut_from_prefix(bytes).ok()?;
        let first = if is_tail { neighbor.live().len() } else { 0 };
        for place in neighbor.net_idx_addrs.iter_mut().skip(first) {
            self.take(before)?;
            self.take(b"\"0x".len())?;
            let value = hex_number(self.take(16)?.first_chunk()?)?;
            place.as_mut_bytes().copy_from_slice(&value.to_le_bytes());
            self.take(1)?;
            if !self.text.starts_with(b",") {
                return self.take(behind).map(|_| ());
            }
            self.take(1)?;
        }
        None
    }
}

/// The bytes that bits can reach: those of a word of four.
fn bytes_of(bits: &[u8; 8]) -> impl Iterator<Item = u8> + '_ {
    bits.iter().take(5).copied()
}

#[cfg(test)]
mod tests {
    use super::super::read::pack_slowly;
    use super::super::{Dumper, Target};
    use super::*;
    use trnwire::arch::CollectiveArch;
    use trnwire::block::{Block, View};
    use trnwire::context::{Context, smallest_context};

    /// Bytes of which some are zero, from a few seeds.
    fn bytes(length: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24).to_le_bytes()[0]
        };
        (0..length).map(|index| if seed > 1 && (index / 97) % 3 == 0 { 0 } else { next() }).collect()
    }

    #[test]
    fn what_this_project_writes_is_read_fast_and_as_by_the_slow_reader() {
        for seed in 1..20 {
            for choice in 0..8_u8 {
                let options = Options { full: choice & 1 != 0, wire: choice & 2 != 0, compact: choice & 4 != 0 };
                for arch in [CollectiveArch::Sunda, CollectiveArch::Mariana] {
                    let bytes = bytes(smallest_context(arch), seed);
                    let (context, _) = Context::new(arch, &bytes).unwrap();
                    let mut text = Vec::new();
                    Dumper::new(Target::Context, options).context(&context, "a name", &mut text);
                    let fast = replay(&text).unwrap();
                    assert!(fast == pack_slowly(&text).unwrap());
                }
                for view in View::ALL {
                    let bytes = bytes(view.size_bytes(), seed);
                    let mut text = Vec::new();
                    Dumper::new(Target::Block(view), options).block(&Block::new(view, &bytes).unwrap(), &mut text);
                    let fast = replay(&text).unwrap();
                    assert!(fast == pack_slowly(&text).unwrap());
                }
            }
        }
    }

    #[test]
    fn a_text_that_is_written_otherwise_is_left_to_the_slow_reader() {
        let bytes = bytes(View::Sunda.size_bytes(), 3);
        let mut text = Vec::new();
        let dumper = Dumper::new(Target::Block(View::Sunda), Options::default());
        dumper.block(&Block::new(View::Sunda, &bytes).unwrap(), &mut text);
        assert!(replay(&text).is_some());
        for place in (0..text.len()).step_by(37) {
            let mut other = text.clone();
            other[place] ^= 1;
            if let Some(fast) = replay(&other) {
                assert!(fast == pack_slowly(&other).unwrap());
            }
        }
        let spaced = String::from_utf8(text.clone()).unwrap().replacen(": ", ":  ", 1);
        assert!(replay(spaced.as_bytes()).is_none());
        assert!(pack_slowly(spaced.as_bytes()).unwrap() == pack_slowly(&text).unwrap());
        assert!(replay(b"").is_none());
        assert!(replay(b"{").is_none());
    }
}
