//! `trnwire diff`.

use std::ffi::OsString;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use serde_json::{Value, json};
use trnwire::Kind;
use trnwire::access::Pattern;
use trnwire::addr4::Addr4;
use trnwire::block::{Block, View};
use trnwire::bundle::Bundle;
use trnwire::diff::{Change, Comparison, Edit};
use trnwire::explain::{Line, Resolver, Role};
use trnwire::soc::SocAddress;
use trnwire::table::Field;
use trnwire_json::collective::{fields_of, resolved};

use crate::Outcome;
use crate::args::{Arch, Format, kind};
use crate::input::{Reading, Records, Source, noun};
use crate::output::{JsonPrinter, Printer, counted};

/// Say what differs between two words, records, blocks or contexts, field by field.
///
/// Addresses of semaphores are compared as registers: the same register through another window is told as such, and is a
/// difference. Ring channels of blocks are matched by their number. Exit code 1 when something differs.
///
/// Example: trnwire diff --as algo-block rank0.bin rank1.bin --ignore reserved
#[derive(Args)]
pub(crate) struct Options {
    /// The first thing: a file, - for standard input, or a literal.
    #[arg(value_name = "A")]
    one: OsString,
    /// The second thing.
    #[arg(value_name = "B")]
    other: OsString,
    /// What the bytes are; `trnwire kinds` lists the kinds.
    #[arg(long = "as", value_name = "KIND", default_value = "addr4", value_parser = kind)]
    kind: Kind,
    /// Files hold hex text, bytes in memory order, instead of binary.
    #[arg(long)]
    hex: bool,
    /// Whose bytes algo-blocks are: host, sunda or cayman. Default: their lengths tell.
    #[arg(long, value_name = "VIEW", value_parser = crate::args::view)]
    view: Option<View>,
    #[command(flatten)]
    arch: Arch,
    /// Leave a field out, by its name or its path; `reserved` is every reserved field.
    #[arg(long, value_name = "FIELD")]
    ignore: Vec<String>,
    /// Tell at most so many differences; all are counted.
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    most: usize,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What was found.
#[derive(Default)]
struct Found {
    items: u64,
    different: u64,
    count: u64,
    /// The first edits, each with the offset of its record.
    edits: Vec<(u64, Edit)>,
    /// Records that only one of the two has.
    surplus: [u64; 2],
}

impl Options {
    pub(crate) fn run(self) -> Result<Outcome> {
        let reading = Reading { kind: self.kind, view: self.view, hex: self.hex };
        if self.one == "-" && self.other == "-" {
            bail!("standard input can be read once; give another file");
        }
        let sources = [Source::parse(&self.one)?, Source::parse(&self.other)?];
        let [one, other] = &sources;
        let found = self.compare(&mut one.open(reading)?, &mut other.open(reading)?)?;
        let is_different = found.count > 0 || found.surplus != [0, 0];
        if self.format == Format::Text {
            let mut printer = Printer::new();
            printer.lines(&self.lines(&found, one.name(), other.name()))?;
            printer.finish()?;
        } else {
            let mut printer = JsonPrinter::new(Printer::new(), self.format);
            printer.push(&self.document(&found, one.name(), other.name()))?;
            printer.finish()?.finish()?;
        }
        Ok(if is_different { Outcome::Findings } else { Outcome::Clean })
    }

    fn compare(&self, one: &mut Records, other: &mut Records) -> Result<Found> {
        let mut found = Found::default();
        let size = u64::try_from(one.record_bytes())?;
        let mut offset = 0_u64;
        loop {
            let blocks = [one.next_record()?, other.next_record()?];
            let [Some(first), Some(second)] = blocks else {
                for (surplus, block) in found.surplus.iter_mut().zip(blocks) {
                    *surplus = u64::from(block.is_some());
                }
                break;
            };
            let edits = self.edits(first, second)?;
            found.items = found.items.saturating_add(1);
            found.different = found.different.saturating_add(u64::from(!edits.is_empty()));
            found.count = found.count.saturating_add(u64::try_from(edits.len())?);
            let room = self.most.saturating_sub(found.edits.len());
            found.edits.extend(edits.into_iter().take(room).map(|edit| (offset, edit)));
            offset = offset.saturating_add(size);
        }
        for (surplus, records) in found.surplus.iter_mut().zip([one, other]) {
            while *surplus > 0 && records.next_record()?.is_some() {
                *surplus = surplus.saturating_add(1);
            }
        }
        Ok(found)
    }

    /// What differs between two records.
    fn edits(&self, one: &[u8], other: &[u8]) -> Result<Vec<Edit>> {
        let comparison = Comparison { arch: self.arch.arch, ignore: &self.ignore };
        if self.kind == Kind::AlgoBlock && one.len() != other.len() {
            let [(one, stub), (other, other_stub)] = [as_host(one)?, as_host(other)?];
            let mut edits = comparison.compare(View::Host.layout().fields, &one, &other);
            if stub != other_stub && !self.ignore.iter().any(|ignored| ignored == STUB) {
                let told = |stub: SocAddress| stub.to_string();
                edits.push(Edit::whole(STUB.to_owned(), told(stub), told(other_stub)));
            }
            return Ok(edits);
        }
        let [(fields, one), (others, other)] = [self.fields(one)?, self.fields(other)?];
        if fields == others {
            return Ok(comparison.compare(fields, one, other));
        }
        // Read in two ways, nothing but the whole can be compared.
        let [before, after] = [(fields, one), (others, other)].map(|(fields, bytes)| self.reading_of(fields, bytes));
        Ok(vec![Edit::whole(String::new(), before, after)])
    }

    /// The fields of a record as its bytes are read.
    fn fields<'a>(&self, bytes: &'a [u8]) -> Result<(&'static [Field], &'a [u8])> {
        Ok(match self.kind {
            Kind::Addr4 => (Addr4::from_wire(bytes.try_into()?).layout().fields, bytes),
            Kind::Slot(slot) => {
                let layout = Pattern::decode(slot, bytes)?.layout(slot);
                (layout.map_or(&[][..], |layout| layout.fields), bytes)
            }
            Kind::Bundle => (Bundle::FIELDS, bytes),
            kind => {
                if kind == Kind::Context && self.arch.arch.is_none() {
                    bail!("a context needs --arch (sunda, cayman, mariana or mariana_plus): its size differs");
                }
                fields_of(kind, self.arch.arch, bytes)?
            }
        })
    }

    /// How a record is read, and its bytes.
    fn reading_of(&self, fields: &[Field], bytes: &[u8]) -> String {
        let name = self.kind.table().layouts.iter().find(|layout| layout.fields == fields);
        format!("{} {}", name.map_or("", |layout| layout.name), trnwire_json::HexBytes(bytes))
    }

    fn lines(&self, found: &Found, one: &str, other: &str) -> Vec<Line> {
        let items = counted(found.items, noun(self.kind));
        let (role, verdict) = match found.count {
            0 => (Role::Good, format!("no difference in {items}")),
            count => {
                let differences = counted(count, "difference");
                let place =
                    if found.items == 1 { String::new() } else { format!(" in {} of {items}", found.different) };
                (Role::Bad, format!("{differences}{place}"))
            }
        };
        let mut lines = vec![Line { role, text: format!("{one}, {other}: {verdict}") }];
        for (surplus, name) in found.surplus.iter().zip([one, other]).filter(|(surplus, _)| **surplus > 0) {
            let text = format!("only {name} has {} more", counted(*surplus, noun(self.kind)));
            lines.push(Line { role: Role::Bad, text });
        }
        let width = found.edits.iter().map(|(_, edit)| edit.path.len()).fold(0, usize::max);
        for (offset, edit) in &found.edits {
            let at = edit.offset.or(edit.other_offset).unwrap_or_default();
            let at = u64::try_from(at).unwrap_or_default().saturating_add(*offset);
            let text = format!("  {at:#07x}  {:<width$}  {}", edit.path, self.told(edit));
            lines.push(Line { role: Role::Plain, text });
        }
        let rest = found.count.saturating_sub(u64::try_from(found.edits.len()).unwrap_or_default());
        if rest > 0 {
            lines.push(Line { role: Role::Plain, text: format!("  and {rest} more (--most)") });
        }
        lines
    }

    /// Both values, with what addresses mean.
    fn told(&self, edit: &Edit) -> String {
        let Edit { before, after, change, .. } = edit;
        let meaning =
            |address: &SocAddress| Resolver { arch: self.arch.arch, ..Resolver::default() }.describe(*address, false);
        match (change, edit.addresses()) {
            (Change::Window, Some(addresses)) => {
                let [before, after] = addresses.each_ref().map(meaning);
                format!("{before} -> {after}  (same register, other window)")
            }
            (_, Some(addresses)) => {
                let [before, after] = addresses.each_ref().map(meaning);
                format!("{before} -> {after}")
            }
            (Change::Moved, _) => format!("moved from {before} to {after}"),
            _ => format!("{before} -> {after}"),
        }
    }

    fn document(&self, found: &Found, one: &str, other: &str) -> Value {
        let resolver = Resolver { arch: self.arch.arch, ..Resolver::default() };
        let edit = |(offset, edit): &(u64, Edit)| {
            let of = |address: &SocAddress| resolved(resolver, *address);
            let semaphores = edit.addresses().map(|addresses| addresses.each_ref().map(of));
            json!({
                "item_offset": offset,
                "path": edit.path,
                "change": edit.change.name(),
                "offset": edit.offset,
                "other_offset": edit.other_offset,
                "before": edit.before,
                "after": edit.after,
                "semaphores": semaphores,
            })
        };
        let [more_one, more_other] = found.surplus;
        json!({
            "trnwire": trnwire_json::VERSION,
            "kind": self.kind.name(),
            "one": one,
            "other": other,
            "items": found.items,
            "different": found.different,
            "only_one": more_one,
            "only_other": more_other,
            "count": found.count,
            "edits": found.edits.iter().map(edit).collect::<Vec<_>>(),
        })
    }
}

/// The field of the hierarchical part, which the host's view has not.
const STUB: &str = "hier_stub";

/// A block in the host's view, which has room for every other, and its hierarchical part; zero where there is none.
fn as_host(bytes: &[u8]) -> Result<(Vec<u8>, SocAddress)> {
    let block = Block::of_length(bytes).ok_or_else(|| anyhow!("{} bytes are no block", bytes.len()))?;
    let stub = block.hier_stub.unwrap_or_default();
    Ok((block.convert(View::Host, SocAddress::default())?.bytes, stub))
}
