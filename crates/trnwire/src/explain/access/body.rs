//! The loops of a tensor as one would write them, and what they touch; the fields of everything else.

use alloc::{format, string::String, string::ToString, vec::Vec};

use crate::access::{Coverage, Loop, Pattern, Repeats, Start, Tensor};
use crate::addr4::{Addr4, Mode};
use crate::columns::aligned;
use crate::explain::addr4::describe;
use crate::explain::text::{Lines, Role};

/// What a descriptor is, in one phrase.
pub(super) fn summary(pattern: &Pattern<'_>) -> String {
    match pattern {
        Pattern::Tensor(tensor) => match tensor.elements() {
            Some(elements) => format!("{} from {}", plural(elements, "element"), describe(tensor.addr4)),
            None => describe(tensor.addr4),
        },
        Pattern::Indirect(gather) => format!("gather of {} from {}", gather.num, describe(gather.data)),
        Pattern::MxStatic(record) => {
            let elements = plural(record.k_extent.get().into(), "microscaled element");
            format!("{elements} from {}", describe(record.data.get()))
        }
        Pattern::MxIndirect(record) => {
            format!("gather of {} microscaled from {}", record.k_extent, describe(record.data.get()))
        }
    }
}

/// Everything below the verdicts.
pub(super) fn push(lines: &mut Lines, pattern: &Pattern<'_>, elem_size: Option<u32>) {
    let mut push = |rows: Vec<[String; 2]>| {
        if !rows.is_empty() {
            lines.blank();
        }
        for row in aligned(&rows) {
            lines.push(Role::Plain, format_args!("  {row}"));
        }
    };
    match pattern {
        Pattern::Tensor(tensor) => {
            push(nest(tensor, elem_size));
            push(facts(tensor, elem_size));
        }
        _ => push(fields(pattern)),
    }
}

/// The loops, outermost first, without those of one round.
fn nest(tensor: &Tensor<'_>, elem_size: Option<u32>) -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    for (slot, Loop { step, num }) in tensor.loops().enumerate().collect::<Vec<_>>().into_iter().rev() {
        if num == 1 {
            continue;
        }
        let indent = rows.len().saturating_mul(2);
        let in_bytes = elem_size.map(|size| i64::from(step).saturating_mul(size.into()));
        let step = match (step, in_bytes) {
            (0, _) => "step 0: the same again".to_string(),
            (_, Some(bytes)) => format!("step {}, {}", signed(step.into(), "element"), signed(bytes, "byte")),
            (_, None) => format!("step {}", signed(step.into(), "element")),
        };
        rows.push([format!("{:indent$}for i{slot} in 0..{num}", ""), step]);
    }
    rows
}

/// What the loops come to.
fn facts(tensor: &Tensor<'_>, elem_size: Option<u32>) -> Vec<[String; 2]> {
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut say = |label: &str, text: String| rows.push([label.to_string(), text]);
    let once = tensor.loops().enumerate().filter(|(_, one)| one.num == 1).map(|(slot, _)| format!("i{slot}"));
    let once: Vec<String> = once.collect();
    if !once.is_empty() {
        say("once", once.join(", "));
    }
    let Some(elements) = tensor.elements() else {
        let why = match tensor.addr4.mode() {
            Mode::Static => "not known: a register holds the address",
            Mode::Active => "not known: a register holds the shape, and the nums above are not the counts",
            Mode::Indirect | Mode::Dead => "not known: the mode of the word has no meaning here",
        };
        say("reach", why.to_string());
        return rows;
    };
    let size = elem_size.map_or_else(String::new, |size| format!(" of {}", plural(size.into(), "byte")));
    say("count", format!("{}{size} in each partition", plural(elements, "element")));
    if elements == 0 {
        return rows;
    }
    let (Some(size), Some(reach), Some(walk), Some(coverage)) = (
        elem_size,
        elem_size.and_then(|size| tensor.reach(size)),
        elem_size.and_then(|size| tensor.walk(size)),
        elem_size.and_then(|size| tensor.coverage(size)),
    ) else {
        let why = if elem_size.is_some() { "does not fit 64 bits" } else { "not known without the size of an element" };
        say("reach", why.to_string());
        return rows;
    };
    let last = walk.element(elements.saturating_sub(1)).unwrap_or_default();
    say("first", place(tensor.addr4, 0));
    say("last", place(tensor.addr4, last));
    let length = reach.high.saturating_sub(reach.low).unsigned_abs();
    let start = Start::of(tensor.addr4).map_or(0, |start| start.offset.into());
    let end = reach.high.saturating_sub(1).saturating_add(start);
    let of = if Start::of(tensor.addr4).is_some() { "of the partition" } else { "from the start" };
    let low = byte(reach.low.saturating_add(start));
    say("reach", format!("{}: from byte {low} to byte {} {of}", plural(length, "byte"), byte(end)));
    say("touched", touched(&coverage, length));
    if let Some(repeats) = tensor.repeats() {
        repeated(tensor, repeats, &coverage, size).into_iter().for_each(|text| say("repeats", text));
    }
    rows
}

fn touched(coverage: &Coverage, length: u64) -> String {
    match coverage {
        Coverage::Exact(footprint) if footprint.is_dense() => "all of them: no gap".to_string(),
        Coverage::Exact(footprint) => {
            format!("{} of them; {} in gaps", footprint.bytes(), length.saturating_sub(footprint.bytes()))
        }
        Coverage::Bound(_) => "not counted: the loops interleave too widely".to_string(),
    }
}

/// In which ways elements are accessed more than once.
fn repeated(tensor: &Tensor<'_>, repeats: Repeats, coverage: &Coverage, size: u32) -> Vec<String> {
    let mut texts = Vec::new();
    if repeats.broadcast {
        let still = tensor.loops().enumerate().filter(|(_, one)| one.step == 0 && one.num > 1);
        let (names, times) = still.fold((Vec::new(), 1_u64), |(mut names, times), (slot, one)| {
            names.push(format!("i{slot}"));
            (names, times.saturating_mul(one.num.into()))
        });
        texts.push(format!("broadcast: {times} times over {}, whose step is 0", names.join(" and ")));
    }
    let moving = tensor.loops().filter(|one| one.step != 0);
    let accesses = moving.fold(1_u64, |product, one| product.saturating_mul(one.num.into()));
    match (repeats.overlap, coverage.bytes().and_then(|bytes| bytes.checked_div(size.into()))) {
        (Some(true), Some(places)) => {
            texts.push(format!("overlap: {accesses} rounds of the loops meet in {}", plural(places, "element")));
        }
        (Some(true), None) => texts.push("overlap: different rounds of the loops meet in one element".to_string()),
        (None, _) => texts.push("overlap: not known, since the loops interleave too widely".to_string()),
        (Some(false), _) => {}
    }
    texts
}

/// The place so many bytes from the start.
fn place(first: Addr4, by: i64) -> String {
    let Some(start) = Start::of(first) else {
        return if by == 0 { describe(first) } else { format!("byte {} from the start", byte(by)) };
    };
    let offset = by.saturating_add(start.offset.into());
    match u32::try_from(offset).ok().filter(|&offset| offset < start.stride()) {
        // The offset fills the low bits of the word in either memory.
        Some(offset) => describe(Addr4::from_bits(first.bits().wrapping_sub(start.offset).wrapping_add(offset))),
        None => format!("byte {} of the partition: outside of it", byte(offset)),
    }
}

/// The fields of a gather or an MX record.
fn fields(pattern: &Pattern<'_>) -> Vec<[String; 2]> {
    let mut rows: Vec<[String; 2]> =
        pattern.named_words().map(|(which, word)| [which.to_string(), format!("{word}, {}", describe(word))]).collect();
    let mut say = |label: &str, text: String| rows.push([label.to_string(), text]);
    let extent = |extent: u16| format!("{}; a scale stands for 32", plural(extent.into(), "unpacked element"));
    let in_quadrant = |partition: u8| format!("partition {partition} of the quadrant that the scale word names");
    match pattern {
        Pattern::Tensor(_) => {}
        Pattern::Indirect(gather) => {
            say("num", format!("{} indices, or elements per partition: the opcode decides", gather.num));
            say("tail", spare(gather.tail));
        }
        Pattern::MxStatic(record) => {
            say("extent", extent(record.k_extent.get()));
            let direction = match record.step_dir {
                1 => "forward".to_string(),
                -1 => "backward".to_string(),
                other => format!("{other}, which is neither forward nor backward"),
            };
            say("direction", direction);
            say("scales in", in_quadrant(record.scale_part));
            say("reserved", spare(&record.reserved.0));
        }
        Pattern::MxIndirect(record) => {
            say("extent", format!("{} indices, times 4 for packed types", record.k_extent));
            say("scales in", in_quadrant(record.scale_part));
            say("spare", spare(&[record.spare]));
        }
    }
    rows
}

fn spare(bytes: &[u8]) -> String {
    if bytes.iter().all(|&byte| byte == 0) {
        return "zero".to_string();
    }
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}, where nothing but zero is known", hex.join(" "))
}

/// A byte offset; negative ones have no hexadecimal form that people read.
fn byte(offset: i64) -> String {
    if offset < 0 { offset.to_string() } else { format!("{offset:#X} ({offset})") }
}

fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn signed(count: i64, what: &str) -> String {
    if count.unsigned_abs() == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}
