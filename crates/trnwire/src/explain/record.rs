//! A record of collectives in plain words: a sentence, its findings, then its fields as a tree with addresses resolved.

use alloc::{format, string::String, string::ToString, vec::Vec};

use zerocopy::FromBytes;

use super::text::{Line, Lines, Role};
use crate::Kind;
use crate::arch::CollectiveArch;
use crate::cc_op::{CcOp, Pattern};
use crate::check::{Finding, Severity};
use crate::columns::aligned;
use crate::context::RuntimeRow;
use crate::mesh::{MeshEvent, event_type_name};
use crate::ring::{Neighbor, NeighborType, Place, RingChannel};
use crate::soc::{AddressError, RouteView, Semaphore, SemaphoreRef, SocAddress, hardware_top_sp};
use crate::table::{Field, Shape};

/// Everything that can be said about one record of collectives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordExplanation<'a> {
    /// What it is.
    pub kind: Kind,
    /// What it says, in a sentence.
    pub summary: String,
    /// What is wrong or odd, each with the first byte of the record in which it is found.
    pub findings: Vec<(usize, Finding)>,
    /// Why the address of a semaphore is none.
    pub refused: Option<AddressError>,
    fields: &'a [Field],
    bytes: &'a [u8],
    resolver: Resolver,
}

/// Says what addresses mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resolver {
    /// The architecture whose addresses these are; without it every one is tried.
    pub arch: Option<CollectiveArch>,
    /// How the upper bits are read; without it a route is a number.
    pub route: Option<RouteView>,
    /// The upper bits on MARIANA and MARIANA_PLUS are read as those on CAYMAN.
    pub assume_cayman: bool,
}

impl Resolver {
    /// The semaphore at an address, and the first architecture on which there is one.
    ///
    /// # Errors
    /// Why there is none: on the architecture that was asked for, or on the last one.
    pub fn semaphore(self, address: SocAddress) -> Result<(CollectiveArch, Semaphore), AddressError> {
        let mut last = Err(AddressError::NotTopSp);
        for arch in CollectiveArch::ALL.into_iter().filter(|arch| self.arch.is_none_or(|asked| asked == *arch)) {
            match Semaphore::decode(arch, address) {
                Ok(found) => return Ok((arch, found)),
                Err(error) if last == Err(AddressError::NotTopSp) => last = Err(error),
                Err(_) => {}
            }
        }
        last
    }

    /// The fields of the upper bits, where they shall be read and can be.
    #[must_use]
    pub fn route_fields(self, arch: CollectiveArch, address: SocAddress) -> Option<Vec<(&'static str, u8)>> {
        let (_, fields) = self.route?.split(arch, address, self.assume_cayman).ok()?;
        Some(fields)
    }

    /// An address and what it means.
    #[must_use]
    pub fn describe(self, address: SocAddress, is_semaphore: bool) -> String {
        if address.0 == 0 {
            return "none".to_string();
        }
        match self.semaphore(address) {
            Ok((arch, Semaphore { register, window })) => {
                let SemaphoreRef { route, top_sp, id } = register;
                let hardware = match hardware_top_sp(arch, top_sp) {
                    same if same == top_sp => String::new(),
                    other => format!(", hardware top-SP {other}"),
                };
                let device = match self.route_fields(arch, address) {
                    _ if route == 0 => String::new(),
                    None => format!(" of another device, route {route:#x}"),
                    Some(fields) => {
                        let set = fields.iter().filter(|(name, value)| *value != 0 && *name != "die");
                        let set: Vec<_> = set.map(|(name, value)| format!("{name} {value}")).collect();
                        format!(" of another device, route {route:#x} ({})", set.join(", "))
                    }
                };
                let die = Semaphore { register, window }.die(arch);
                format!("{address}  semaphore {id} of top-SP {top_sp}{device} (die {die}{hardware}, window {window})")
            }
            Err(error) if is_semaphore => format!("{address}  no semaphore: {error}"),
            Err(_) => address.to_string(),
        }
    }

    /// The semaphore as a sentence names it.
    fn brief(self, address: SocAddress, own_top_sp: Option<u32>) -> String {
        match self.semaphore(address) {
            _ if address.0 == 0 => "nothing".to_string(),
            Err(_) => address.to_string(),
            Ok((_, found)) if Some(found.register.top_sp) == own_top_sp && found.register.route == 0 => {
                format!("semaphore {}", found.register.id)
            }
            Ok((_, found)) => found.to_string(),
        }
    }
}

impl<'a> RecordExplanation<'a> {
    /// Explains the bytes of a record of this kind, which has these fields.
    #[must_use]
    pub fn new(kind: Kind, fields: &'a [Field], bytes: &'a [u8], place: Place, resolver: Resolver) -> Self {
        let mut findings = Vec::new();
        findings_in(fields, bytes, 0, place, &mut findings);
        match kind {
            Kind::RingChannel => judge_row(bytes, 0, place, &mut findings),
            Kind::MeshEvent => judge_event(bytes, 0, &mut findings),
            Kind::Neighbor => judge_neighbor(bytes, &mut findings),
            Kind::CcOp => judge_slot(bytes, 0, &mut findings),
            _ => {}
        }
        let address = SocAddress(number(bytes));
        let refused = match kind {
            Kind::SemaphoreAddress if address.0 != 0 => resolver.semaphore(address).err(),
            _ => None,
        };
        let summary = summary(kind, fields, bytes, resolver);
        Self { kind, summary, findings, refused, fields, bytes, resolver }
    }

    /// Whether something makes the record invalid.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.refused.is_some() || self.findings.iter().any(|(_, finding)| finding.rule.severity() == Severity::Error)
    }

    /// The explanation as text. With `sources`, the meaning and the evidence of every field are listed too.
    #[must_use]
    pub fn lines(&self, sources: bool) -> Vec<Line> {
        let mut lines = Lines::default();
        lines.push(Role::Title, format_args!("{}  {}", self.kind.name().to_uppercase(), self.summary));
        if let Some(error) = self.refused {
            lines.push(Role::Bad, format_args!("error: {}", error.code()));
        } else if self.findings.is_empty() {
            lines.push(Role::Good, format_args!("nothing wrong found"));
        }
        for (base, finding) in &self.findings {
            let severity = finding.rule.severity();
            let role = if severity == Severity::Error { Role::Bad } else { Role::Warning };
            let at = base.saturating_add(finding.offset);
            lines.push(role, format_args!("{severity} at byte {at}: {finding}"));
            lines.push(Role::Plain, format_args!("  {}", finding.because()));
        }
        if let (None, Some(family)) = (self.resolver.arch, self.family()) {
            lines.push(Role::Plain, format_args!("addresses read as those of {family}, since no --arch is given"));
        }
        lines.blank();
        let mut tree = Tree { resolver: self.resolver, sources, rows: Vec::new() };
        tree.fields("", self.fields, self.bytes, 0);
        for line in aligned(&tree.rows) {
            lines.push(Role::Plain, format_args!("  {line}"));
        }
        lines.into_inner()
    }

    /// Whose addresses the record has, as the first one that is a semaphore tells.
    fn family(&self) -> Option<&'static str> {
        let mut found = self.semaphores().into_iter().filter_map(|(_, address)| self.resolver.semaphore(address).ok());
        found.next().map(|(arch, _)| match arch {
            CollectiveArch::Sunda => "sunda",
            _ => "cayman, which are mariana's as well",
        })
    }

    /// Says what addresses mean.
    #[must_use]
    pub const fn resolver(&self) -> Resolver {
        self.resolver
    }

    /// Every address of a semaphore that is set, by its path.
    #[must_use]
    pub fn semaphores(&self) -> Vec<(String, SocAddress)> {
        let mut found = Vec::new();
        addresses_in("", self.fields, self.bytes, &mut found);
        found
    }
}

/// The fields as rows of offset, path, value and, if asked for, meaning.
struct Tree {
    resolver: Resolver,
    sources: bool,
    rows: Vec<[String; 4]>,
}

impl Tree {
    fn fields(&mut self, path: &str, fields: &[Field], bytes: &[u8], base: usize) {
        for field in fields {
            let name = join(path, field.name);
            let (bytes, offset) = part(field, bytes);
            let offset = base.saturating_add(offset);
            if is_whole(field) {
                self.value(&name, field, field.shape, bytes, offset);
            } else {
                self.row(&name, field, offset, field.bits.wide_get(number(bytes)).to_string());
            }
        }
    }

    fn row(&mut self, name: &str, field: &Field, offset: usize, value: String) {
        let told = if self.sources { format!("{} ({})", field.meaning, field.evidence) } else { String::new() };
        self.rows.push([offset.to_string(), name.to_string(), value, told]);
    }

    fn value(&mut self, name: &str, field: &Field, shape: Shape, bytes: &[u8], offset: usize) {
        let value = match shape {
            Shape::Record(_, fields) => return self.fields(name, fields, bytes, offset),
            Shape::Array(&element, _) => return self.elements(name, field, element, bytes, offset),
            Shape::Address => self.resolver.describe(SocAddress(number(bytes)), false),
            Shape::SemaphoreAddress => self.resolver.describe(SocAddress(number(bytes)), true),
            Shape::Reserved | Shape::Bytes => match bytes.iter().filter(|&&byte| byte != 0).count() {
                0 if self.sources => format!("{} bytes, zero", bytes.len()),
                0 => return,
                _ if bytes.len() <= 8 => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                count => format!("{} bytes, {count} of them not zero", bytes.len()),
            },
            _ => hint(field.name, number(bytes)),
        };
        self.row(name, field, offset, value);
    }

    /// The elements of an array; runs of unused records become one row.
    fn elements(&mut self, name: &str, field: &Field, element: Shape, bytes: &[u8], offset: usize) {
        let elements: Vec<&[u8]> = elements_of(field.shape, bytes).collect();
        let collapses = matches!(element, Shape::Record(..));
        let mut at = offset;
        let mut index = 0_usize;
        while let Some(bytes) = elements.get(index) {
            let rest = elements.iter().skip(index);
            let unused = if collapses { rest.take_while(|bytes| is_zero(bytes)).count() } else { 0 };
            let last = index.saturating_add(unused.saturating_sub(1));
            match unused {
                0 => self.value(&format!("{name}[{index}]"), field, element, bytes, at),
                1 => self.row(&format!("{name}[{index}]"), field, at, "unused".to_string()),
                _ => self.row(&format!("{name}[{index}..={last}]"), field, at, "unused".to_string()),
            }
            at = at.saturating_add(bytes.len().saturating_mul(unused.max(1)));
            index = last.saturating_add(1);
        }
    }
}

/// The elements of an array that fills the bytes.
fn elements_of(shape: Shape, bytes: &[u8]) -> core::slice::Chunks<'_, u8> {
    let length = match shape {
        Shape::Array(_, length) => usize::try_from(length).unwrap_or_default(),
        _ => 1,
    };
    bytes.chunks(bytes.len().checked_div(length).unwrap_or_default().max(1))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// Whether a field is made of whole bytes.
const fn is_whole(field: &Field) -> bool {
    field.bits.low % 8 == 0 && field.bits.width() % 8 == 0
}

/// The bytes of a field and where they begin. A field of a word has all bytes from its first bit's on.
fn part<'a>(field: &Field, bytes: &'a [u8]) -> (&'a [u8], usize) {
    let index = |byte: u32| usize::try_from(byte).unwrap_or_default();
    let (first, last) = (index(field.bits.low / 8), index(field.bits.high / 8));
    match is_whole(field) {
        true => (bytes.get(first..last.saturating_add(1)).unwrap_or_default(), first),
        false => (bytes, first),
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// A number and, where a field has names, the name of the value.
fn hint(field: &str, value: u64) -> String {
    let name = match (field, u8::try_from(value)) {
        ("type", Ok(number)) => NeighborType::from_number(number).map(NeighborType::hint),
        ("event_type", Ok(number)) => event_type_name(number),
        _ => None,
    };
    match name {
        Some(name) => format!("{value} ({name})"),
        None if matches!(field, "mask" | "dma_engines_bitmap") => format!("{value:#x}"),
        None => value.to_string(),
    }
}

fn addresses_in(path: &str, fields: &[Field], bytes: &[u8], found: &mut Vec<(String, SocAddress)>) {
    for field in fields.iter().filter(|field| is_whole(field)) {
        of_shape(&join(path, field.name), field.shape, part(field, bytes).0, found);
    }
}

fn of_shape(path: &str, shape: Shape, bytes: &[u8], found: &mut Vec<(String, SocAddress)>) {
    match shape {
        Shape::SemaphoreAddress if !is_zero(bytes) => found.push((path.to_string(), SocAddress(number(bytes)))),
        Shape::Record(_, fields) => addresses_in(path, fields, bytes, found),
        Shape::Array(&element, _) => {
            for (index, bytes) in elements_of(shape, bytes).enumerate() {
                of_shape(&format!("{path}[{index}]"), element, bytes, found);
            }
        }
        _ => {}
    }
}

/// The findings of every record within, with the byte at which each record begins.
fn findings_in(fields: &[Field], bytes: &[u8], base: usize, place: Place, found: &mut Vec<(usize, Finding)>) {
    for field in fields.iter().filter(|field| is_whole(field)) {
        let (bytes, offset) = part(field, bytes);
        let base = base.saturating_add(offset);
        match field.shape {
            Shape::Record(name, _) if name == CcOp::TABLE.kind => judge_slot(bytes, base, found),
            Shape::Record(_, fields) => findings_in(fields, bytes, base, place, found),
            Shape::Array(&Shape::Record(name, fields), _) => {
                for (row, bytes) in (0_u8..=u8::MAX).zip(elements_of(field.shape, bytes)) {
                    let base = base.saturating_add(usize::from(row).saturating_mul(bytes.len()));
                    match name {
                        RingChannel::NAME => judge_row(bytes, base, Place { row: Some(row), ..place }, found),
                        MeshEvent::NAME => judge_event(bytes, base, found),
                        _ => findings_in(fields, bytes, base, place, found),
                    }
                }
            }
            _ => {}
        }
    }
}

fn judge_row(bytes: &[u8], base: usize, place: Place, found: &mut Vec<(usize, Finding)>) {
    if let Ok(record) = RingChannel::ref_from_bytes(bytes) {
        record.judge(place, |finding| found.push((base, finding)));
    }
}

fn judge_event(bytes: &[u8], base: usize, found: &mut Vec<(usize, Finding)>) {
    if let Ok(record) = MeshEvent::ref_from_bytes(bytes) {
        record.judge(|finding| found.push((base, finding)));
    }
}

fn judge_neighbor(bytes: &[u8], found: &mut Vec<(usize, Finding)>) {
    if let Ok(record) = Neighbor::ref_from_bytes(bytes) {
        record.judge(|finding| found.push((0, finding)));
    }
}

fn judge_slot(bytes: &[u8], base: usize, found: &mut Vec<(usize, Finding)>) {
    if let Some(slot) = bytes.first_chunk() {
        CcOp::from_wire(*slot).judge(|finding| found.push((base, finding)));
    }
}

/// What a record says, in a sentence.
fn summary(kind: Kind, fields: &[Field], bytes: &[u8], resolver: Resolver) -> String {
    match kind {
        Kind::SemaphoreAddress if is_zero(bytes) => "no address: zero".to_string(),
        _ if is_zero(bytes) => "unused: every byte is zero".to_string(),
        Kind::RingChannel => {
            RingChannel::ref_from_bytes(bytes).map(|row| of_channel(row, resolver)).unwrap_or_default()
        }
        Kind::MeshEvent => MeshEvent::ref_from_bytes(bytes).map(|event| of_event(event, resolver)).unwrap_or_default(),
        Kind::RuntimeRow => RuntimeRow::ref_from_bytes(bytes).map(of_live_row).unwrap_or_default(),
        Kind::CcOp => bytes.first_chunk().map(|slot| of_slot(CcOp::from_wire(*slot))).unwrap_or_default(),
        Kind::SemaphoreAddress => resolver.describe(SocAddress(number(bytes)), true),
        Kind::AlgoBlock | Kind::Context | Kind::AlgoState => counts(fields, bytes),
        _ => kind.table().title.to_string(),
    }
}

/// `5 of 32 ring channels and 3 of 108 mesh events in use`, wherever in a record those are.
fn counts(fields: &[Field], bytes: &[u8]) -> String {
    let mut told = Vec::new();
    count_in(fields, bytes, &mut told);
    format!("{} in use", told.join(", "))
}

fn count_in(fields: &[Field], bytes: &[u8], told: &mut Vec<String>) {
    for field in fields.iter().filter(|field| is_whole(field)) {
        let (bytes, _) = part(field, bytes);
        match field.shape {
            Shape::Array(Shape::Record(name, _), length) => {
                let noun = match *name {
                    RingChannel::NAME => "ring channels",
                    MeshEvent::NAME => "mesh events",
                    RuntimeRow::NAME => "live rows",
                    _ => continue,
                };
                let used = elements_of(field.shape, bytes).filter(|bytes| !is_zero(bytes)).count();
                told.push(format!("{used} of {length} {noun}"));
            }
            Shape::Record(_, fields) => count_in(fields, bytes, told),
            _ => {}
        }
    }
}

fn of_channel(row: &RingChannel, resolver: Resolver) -> String {
    let own = [row.recv_sema, row.send_sema, row.post_sema, row.dma_compl_sema];
    let top_sp =
        own.iter().find_map(|address| resolver.semaphore(address.get()).ok()).map(|(_, found)| found.register.top_sp);
    let place = top_sp.map_or_else(String::new, |top_sp| format!(" on top-SP {top_sp}"));
    let neighbor = |neighbor: &Neighbor| {
        let hint = NeighborType::from_number(neighbor.neighbor_type).map_or("unknown type", NeighborType::hint);
        let words = neighbor.live().len();
        format!("neighbour of type {} ({hint}, {words} index word{})", neighbor.neighbor_type, plural(words))
    };
    let [recv, send, post, complete] = own.map(|address| resolver.brief(address.get(), top_sp));
    let kangaring = match (row.kangaring_is_primary, row.kangaring_num_peers) {
        (0, 0) => "plain ring".to_string(),
        (is_primary, peers) => {
            let role = if is_primary == 0 { "member" } else { "primary" };
            format!("kangaring {role} with {peers} peer{}", plural(peers.into()))
        }
    };
    format!(
        "channel {}{place}: receives from a {}, sends to a {}; waits on {recv} for data, {send} for credit, {post} for slots, \
         {complete} for DMA; slot {}; {kangaring}",
        row.channel_id,
        neighbor(&row.prev_neigh),
        neighbor(&row.next_neigh),
        row.spad_slot_idx,
    )
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn of_event(event: &MeshEvent, resolver: Resolver) -> String {
    let name = event_type_name(event.event_type).unwrap_or("a type that differs between releases");
    let mut does = Vec::new();
    if event.wait_event != 0 {
        let semaphore = resolver.brief(event.event_wait_sema.get(), None);
        does.push(format!("waits until {semaphore} reaches {}", event.wait_val));
    }
    if event.dma_trigger != 0 {
        does.push("starts DMA rings".to_string());
    }
    if event.direct_trigger != 0 {
        let set = event.direct_trigger_sema.iter().filter(|address| address.is_set());
        let all: Vec<_> = set.map(|address| resolver.brief(address.get(), None)).collect();
        does.push(if all.is_empty() { "signals nothing".to_string() } else { format!("signals {}", all.join(", ")) });
    }
    let does = if does.is_empty() { "does nothing".to_string() } else { does.join(", ") };
    format!("event of type {} ({name}): {does}", event.event_type)
}

fn of_live_row(row: &RuntimeRow) -> String {
    format!(
        "{} received, {} credit to send, repeat {}, slot {}, run state {} (its values are unknown)",
        row.recv_cnt, row.send_credit, row.repeat_cnt, row.slot_idx, row.run_state
    )
}

fn of_slot(slot: CcOp) -> String {
    let pattern = match slot.pattern() {
        Pattern::Ring => {
            let list = slot.get(&CcOp::CHANNEL_LIST);
            let channels: Vec<_> = (0_u8..32).filter(|bit| list >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
            let all = if channels.is_empty() { "none".to_string() } else { channels.join(", ") };
            format!("ring operation on channels {all}")
        }
        Pattern::Mesh => format!(
            "mesh operation, semaphores shifted by {} under mask {:#x}",
            slot.get(&CcOp::SEMA_SHIFT_OFFSET),
            slot.get(&CcOp::SEMA_MASK)
        ),
        Pattern::Invalid => "operation of the invalid pattern".to_string(),
        Pattern::Unassigned(number) => format!("operation of pattern {number}, which nothing assigns"),
    };
    let flags = [
        (&CcOp::REPORTER, "reports completion"),
        (&CcOp::RING_WAIT_COMPLETE, "waits for a lower top-SP"),
        (&CcOp::RING_SEND_COMPLETE, "tells a higher top-SP"),
        (&CcOp::TRIGGER_NEXT, "starts the next operation"),
        (&CcOp::SAFE_MODE, "safe mode"),
        (&CcOp::UNIQUE_TENSORS, "unique tensors"),
    ];
    let set: Vec<_> = flags.into_iter().filter(|(field, _)| slot.get(field) == 1).map(|(_, name)| name).collect();
    let flags = if set.is_empty() { String::new() } else { format!("; {}", set.join(", ")) };
    let empty = if slot.get(&CcOp::HEADER_CC_OP) == 0 { "no operation is set, but the rest of one: " } else { "" };
    format!("{empty}{pattern}{flags}")
}
