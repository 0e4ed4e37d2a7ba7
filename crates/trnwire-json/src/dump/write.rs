//! Writing a dump: a tree becomes a short program of fixed text with holes, which then runs over bytes.

use super::shape::{BARRIER_FLAG, BARRIER_ON_DEVICE, BARRIER_ON_HOST, Member, Node, Part, When};
use super::{Options, Parts};

/// How to write one kind of thing with one set of options.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(super) ops: Vec<Op>,
}

#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Text in which some addresses stand as zeros: the place in the text of each, and its offset.
    Text(Box<[u8]>, Box<[(usize, usize)]>),
    Integer {
        offset: usize,
        bytes: usize,
    },
    Bits {
        offset: usize,
        shift: u32,
        mask: u64,
    },
    Hex {
        offset: usize,
        bytes: usize,
    },
    Position,
    /// The elements of an array of index words, and what stands before each and behind the last.
    IndexWords {
        is_tail: bool,
        before: Box<[u8]>,
        behind: Box<[u8]>,
    },
    ModelName,
    /// What follows is about another part.
    Of(Part, Box<[Op]>),
    /// Elements: how many (all that there are without a number), how far apart, and what stands between.
    Repeat {
        offset: usize,
        count: Option<usize>,
        stride: usize,
        between: Box<[u8]>,
        body: Box<[Op]>,
    },
    Barrier {
        offset: usize,
        on_device: Box<[Op]>,
        on_host: Box<[Op]>,
    },
}

impl Program {
    pub(crate) fn new(node: &Node, options: Options) -> Self {
        let mut builder = Builder { options, depth: 0, text: Vec::new(), holes: Vec::new(), ops: Vec::new() };
        builder.value(node, 0);
        builder.text.push(b'\n');
        Self { ops: builder.finish() }
    }

    /// Appends the text of what these parts hold; `position` is the index of a record.
    pub(crate) fn run(&self, parts: &Parts<'_>, position: usize, out: &mut Vec<u8>) {
        Run { parts, out, drain: None }.ops(&self.ops, parts.of(Part::Rows), position);
    }

    /// Whether the text of what these parts hold is this one. It is never there as a whole.
    pub(super) fn writes(&self, parts: &Parts<'_>, text: &[u8]) -> bool {
        let mut rest = Some(text);
        let mut drain = |out: &mut Vec<u8>| {
            rest = rest.and_then(|rest| rest.strip_prefix(out.as_slice()));
            out.clear();
        };
        let mut out = Vec::with_capacity(CHUNK.saturating_mul(2));
        Run { parts, out: &mut out, drain: Some(&mut drain) }.ops(&self.ops, parts.of(Part::Rows), 0);
        drain(&mut out);
        rest.is_some_and(<[u8]>::is_empty)
    }
}

/// An address that is none, as text.
const ZERO: &[u8] = b"0x0000000000000000";
/// Where its digits begin.
const DIGITS: usize = 2;

struct Builder {
    options: Options,
    depth: usize,
    /// Text that is not yet an op.
    text: Vec<u8>,
    holes: Vec<(usize, usize)>,
    ops: Vec<Op>,
}

impl Builder {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            let (text, holes) = (core::mem::take(&mut self.text), core::mem::take(&mut self.holes));
            self.ops.push(Op::Text(text.into(), holes.into()));
        }
    }

    fn finish(mut self) -> Vec<Op> {
        self.flush();
        self.ops
    }

    fn op(&mut self, op: Op) {
        self.flush();
        self.ops.push(op);
    }

    /// What a separate run of ops does, at the same depth.
    fn apart(&self, build: impl FnOnce(&mut Self)) -> Box<[Op]> {
        let mut inner =
            Self { options: self.options, depth: self.depth, text: Vec::new(), holes: Vec::new(), ops: Vec::new() };
        build(&mut inner);
        inner.finish().into()
    }

    fn line(&mut self) {
        let line = self.new_line();
        self.text.extend(line);
    }

    fn new_line(&self) -> Vec<u8> {
        if self.options.compact {
            return Vec::new();
        }
        let mut line = vec![b' '; self.depth.saturating_mul(2).saturating_add(1)];
        if let Some(first) = line.first_mut() {
            *first = b'\n';
        }
        line
    }

    fn value(&mut self, node: &Node, offset: usize) {
        match *node {
            Node::Object(members, _) => self.object(members, offset),
            Node::Array(element, count, stride) => self.array(element, Some(count), stride, offset),
            Node::Events(element) => {
                self.array(element, None, size_of::<trnwire::mesh::MeshEvent>(), offset);
            }
            Node::Of(part, node) => {
                let ops = self.apart(|inner| inner.value(node, 0));
                self.op(Op::Of(part, ops));
            }
            Node::Address => {
                self.text.push(b'"');
                self.holes.push((self.text.len().saturating_add(DIGITS), offset));
                self.text.extend(ZERO);
                self.text.push(b'"');
            }
            Node::Integer(bytes) => self.op(Op::Integer { offset, bytes: bytes.try_into().unwrap_or_default() }),
            Node::Bits { shift, width } => {
                let mask = 1_u64.wrapping_shl(width).wrapping_sub(1);
                self.op(Op::Bits { offset, shift, mask });
            }
            Node::Hex(bytes) => {
                self.text.push(b'"');
                self.op(Op::Hex { offset, bytes: bytes.try_into().unwrap_or_default() });
                self.text.push(b'"');
            }
            Node::Position => self.op(Op::Position),
            Node::ModelName => self.op(Op::ModelName),
            Node::Live | Node::Tail => self.index_words(matches!(node, Node::Tail), offset),
            Node::Barrier => {
                let on_device = self.apart(|inner| inner.value(&BARRIER_ON_DEVICE, 0));
                let on_host = self.apart(|inner| inner.value(&BARRIER_ON_HOST, 0));
                self.op(Op::Barrier { offset, on_device, on_host });
            }
        }
    }

    fn is_printed(&self, member: &Member) -> bool {
        match member.when {
            When::Always => true,
            When::Full => self.options.full,
            When::Wire => self.options.wire,
            When::FullAndWire => self.options.full && self.options.wire,
            When::Optional => false,
        }
    }

    fn object(&mut self, members: &'static [Member], offset: usize) {
        self.text.push(b'{');
        self.depth = self.depth.saturating_add(1);
        let printed: Vec<&Member> = members.iter().filter(|member| self.is_printed(member)).collect();
        for (index, member) in printed.iter().enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            self.line();
            self.text.push(b'"');
            self.text.extend(member.key.as_bytes());
            self.text.extend(if self.options.compact { b"\":".as_slice() } else { b"\": " });
            self.value(&member.node, offset.saturating_add(member.offset));
        }
        self.depth = self.depth.saturating_sub(1);
        if !printed.is_empty() {
            self.line();
        }
        self.text.push(b'}');
    }

    fn array(&mut self, element: &'static Node, count: Option<usize>, stride: usize, offset: usize) {
        self.text.push(b'[');
        self.depth = self.depth.saturating_add(1);
        self.line();
        let mut between = vec![b','];
        between.extend(self.new_line());
        let body = self.apart(|inner| inner.value(element, 0));
        self.op(Op::Repeat { offset, count, stride, between: between.into(), body });
        self.depth = self.depth.saturating_sub(1);
        self.line();
        self.text.push(b']');
    }

    /// Index words: the array is as long as the neighbour says.
    fn index_words(&mut self, is_tail: bool, offset: usize) {
        self.text.push(b'[');
        self.depth = self.depth.saturating_add(1);
        let before = self.new_line().into();
        self.depth = self.depth.saturating_sub(1);
        let behind = self.new_line().into();
        // Ops before and behind this one count from where the neighbour begins, which is where its index words do.
        let op = Op::IndexWords { is_tail, before, behind };
        self.op(Op::Repeat { offset, count: Some(1), stride: 0, between: Box::default(), body: Box::new([op]) });
        self.text.push(b']');
    }
}

/// So much text is there before it is drained, and an element more.
const CHUNK: usize = 1 << 14;

/// What takes text away.
type Drain<'a> = &'a mut dyn FnMut(&mut Vec<u8>);

struct Run<'a, 'p> {
    parts: &'a Parts<'p>,
    out: &'a mut Vec<u8>,
    /// Takes text away now and then.
    drain: Option<Drain<'a>>,
}

impl Run<'_, '_> {
    fn ops(&mut self, ops: &[Op], bytes: &[u8], position: usize) {
        for op in ops {
            self.op(op, bytes, position);
        }
    }

    #[inline]
    fn op(&mut self, op: &Op, bytes: &[u8], position: usize) {
        match op {
            Op::Text(text, holes) => self.text(text, holes, bytes),
            Op::Integer { offset, bytes: count } => self.integer(number(bytes, *offset, *count)),
            Op::Bits { offset, shift, mask } => self.integer(number(bytes, *offset, 4) >> shift & mask),
            Op::Hex { offset, bytes: count } => {
                for byte in bytes.iter().skip(*offset).take(*count) {
                    let [.., high, low] = hex_digits(u64::from(*byte)).map(|digit| digit.to_ascii_lowercase());
                    self.out.extend([high, low]);
                }
            }
            Op::Position => self.integer(u64::try_from(position).unwrap_or_default()),
            Op::IndexWords { is_tail, before, behind } => self.index_words(*is_tail, before, behind, bytes),
            Op::ModelName => self.string(self.parts.model_name),
            Op::Of(part, ops) => self.ops(ops, self.parts.of(*part), position),
            Op::Repeat { offset, count, stride, between, body } => {
                let count = count.unwrap_or_else(|| bytes.len().checked_div(*stride).unwrap_or_default());
                for index in 0..count {
                    if index > 0 {
                        self.out.extend_from_slice(between);
                    }
                    let start = offset.saturating_add(index.saturating_mul(*stride));
                    self.ops(body, bytes.get(start..).unwrap_or_default(), index);
                    if let (Some(drain), true) = (&mut self.drain, self.out.len() >= CHUNK) {
                        drain(self.out);
                    }
                }
            }
            Op::Barrier { offset, on_device, on_host } => {
                let union = bytes.get(*offset..).unwrap_or_default();
                let flag = match BARRIER_FLAG.node {
                    Node::Bits { shift, .. } => number(union, BARRIER_FLAG.offset, 1) >> shift & 1,
                    _ => 0,
                };
                self.ops(if flag == 1 { on_device } else { on_host }, union, position);
            }
        }
    }

    fn text(&mut self, text: &[u8], holes: &[(usize, usize)], bytes: &[u8]) {
        let start = self.out.len();
        self.out.extend_from_slice(text);
        for &(place, offset) in holes {
            let value = number(bytes, offset, 8);
            let start = start.wrapping_add(place);
            let digits = self.out.get_mut(start..).and_then(<[u8]>::first_chunk_mut::<16>);
            if let Some(digits) = digits.filter(|_| value != 0) {
                *digits = hex_digits(value);
            }
        }
    }

    fn integer(&mut self, value: u64) {
        match u8::try_from(value) {
            Ok(digit @ 0..=9) => self.out.push(digit | b'0'),
            _ => self.out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        }
    }

    fn index_words(&mut self, is_tail: bool, before: &[u8], behind: &[u8], bytes: &[u8]) {
        let words = super::neighbor_of(bytes);
        let words = if is_tail { words.tail() } else { words.live() };
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(before);
            self.out.extend_from_slice(b"\"0x");
            self.out.extend(hex_digits(word.get().0));
            self.out.push(b'"');
        }
        if !words.is_empty() {
            self.out.extend_from_slice(behind);
        }
    }

    /// A string as JSON, with no more escapes than it needs.
    fn string(&mut self, text: &str) {
        self.out.push(b'"');
        for &byte in text.as_bytes() {
            let short = match byte {
                b'"' | b'\\' => byte,
                0x08 => b'b',
                0x0C => b'f',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0..=0x1F => {
                    let [.., high, low] = hex_digits(byte.into()).map(|digit| digit.to_ascii_lowercase());
                    self.out.extend([b'\\', b'u', b'0', b'0', high, low]);
                    continue;
                }
                _ => {
                    self.out.push(byte);
                    continue;
                }
            };
            self.out.extend([b'\\', short]);
        }
        self.out.push(b'"');
    }
}

/// A little-endian number; what lies behind the bytes counts as zero.
#[inline]
fn number(bytes: &[u8], offset: usize, count: usize) -> u64 {
    let mut wide = [0; 8];
    match bytes.get(offset..).unwrap_or_default() {
        [first, ..] if count == 1 => return u64::from(*first),
        rest => {
            if let Some(chunk) = rest.first_chunk::<8>().filter(|_| count == 8) {
                return u64::from_le_bytes(*chunk);
            }
            wide.iter_mut().zip(rest).take(count).for_each(|(place, byte)| *place = *byte);
        }
    }
    u64::from_le_bytes(wide)
}

/// Sixteen upper-case digits.
#[inline]
fn hex_digits(value: u64) -> [u8; 16] {
    (u128::from(spread(value >> 32)) << 64 | u128::from(spread(value & 0xFFFF_FFFF))).to_be_bytes()
}

/// The digits of 32 bits: each nibble gets a byte of its own, and all bytes become digits at once.
#[inline]
const fn spread(bits: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
    let bytes = (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF;
    let nibbles = (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    let letters = nibbles.wrapping_add(ONES.wrapping_mul(6)) >> 4 & ONES;
    nibbles.wrapping_add(ONES.wrapping_mul(0x30)).wrapping_add(letters.wrapping_mul(7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let mut value = 0x0123_4567_89AB_CDEF_u64;
        for _ in 0..1000 {
            assert_eq!(hex_digits(value).as_slice(), format!("{value:016X}").as_bytes());
            value = value.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        }
    }
}
