//! Mesh axes: `mesh['a'=2,'b'=4] {'b'}`.

use core::fmt;
use std::collections::HashMap;

use super::MOST_IDS;
use super::cursor::{Cursor, Step};
use super::error::Problem;
use super::iota::{Iota, product};
use super::list::Groups;

/// An axis of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// How many devices lie along it, from 1.
    pub size: u32,
}

/// An axis, or a part of one, over which groups run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisPart {
    /// Which axis of the mesh.
    pub axis: usize,
    /// `(before, size)` of a part: the axis is split into before, size and the rest, and groups run over the middle one.
    pub part: Option<(u32, u32)>,
}

/// Groups that run over some axes of a mesh, one for each setting of the others. Ids count the mesh in row-major order:
/// the last axis is the fastest. Inside a group the axes count in the order in which they are named, and groups follow
/// one another in the order of the mesh. Over no axis at all each id is a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshAxes {
    axes: Vec<Axis>,
    over: Vec<AxisPart>,
    /// The same groups as an iota.
    iota: Iota,
}

impl MeshAxes {
    /// The axes of the mesh.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The axes and parts of axes over which groups run, as they are named.
    #[must_use]
    pub fn over(&self) -> &[AxisPart] {
        &self.over
    }

    /// The same groups in iota form: the mesh with split axes as dimensions.
    #[must_use]
    pub const fn as_iota(&self) -> &Iota {
        &self.iota
    }

    /// The groups as lists.
    #[must_use]
    pub fn groups(&self) -> Groups {
        self.iota.groups()
    }
}

/// Reads `mesh['a'=2,'b'=4] {'b'}`.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Step<MeshAxes> {
    cursor.skip_space();
    let start = *cursor;
    if cursor.name() != "mesh" {
        return Err(start.error(Problem::Expected("mesh")));
    }
    let (axes, places) = read_axes(cursor)?;
    if product(&axes.iter().map(|axis| axis.size).collect::<Vec<_>>()) > u64::try_from(MOST_IDS).unwrap_or(u64::MAX) {
        return Err(start.error(Problem::TooManyIds));
    }
    cursor.skip_space();
    if cursor.peek() == Some(b',') || cursor.rest().starts_with(b"device_ids") {
        return Err(cursor.error(Problem::MeshOrder));
    }
    cursor.expect(b'{', "'{' and the axes over which groups run")?;
    let mut over = Vec::new();
    let mut slices: Vec<Vec<Slice>> = axes.iter().map(|_| Vec::new()).collect();
    if !cursor.eat(b'}') {
        loop {
            cursor.skip_space();
            let place = *cursor;
            let part = read_part(cursor, &places)?;
            let size = axes.get(part.axis).map_or(1, |axis| axis.size);
            if let Some(slices) = slices.get_mut(part.axis) {
                Slice::new(&part, size, over.len()).insert(slices, size).map_err(|problem| place.error(problem))?;
            }
            over.push(part);
            if cursor.eat(b'}') {
                break;
            }
            cursor.expect(b',', "',' or '}'")?;
        }
    }
    let iota = iota_of(&axes, slices, over.len()).map_err(|problem| start.error(problem))?;
    Ok(MeshAxes { axes, over, iota })
}

/// Which axis has a name.
type Places<'text> = HashMap<&'text str, usize>;

/// Reads `['a'=2,'b'=4]`.
fn read_axes<'text>(cursor: &mut Cursor<'text>) -> Step<(Vec<Axis>, Places<'text>)> {
    let mut axes: Vec<Axis> = Vec::new();
    let mut places = Places::new();
    cursor.expect(b'[', "'[' and the axes of the mesh")?;
    loop {
        cursor.skip_space();
        let place = *cursor;
        let name = axis_name(cursor)?;
        cursor.expect(b'=', "'=' and the size of the axis")?;
        let size = cursor.size()?;
        if places.insert(name, axes.len()).is_some() {
            return Err(place.error(Problem::RepeatedAxis));
        }
        axes.push(Axis { name: name.to_owned(), size });
        if cursor.eat(b']') {
            return Ok((axes, places));
        }
        cursor.expect(b',', "',' or ']'")?;
    }
}

/// Reads `'a'`.
fn axis_name<'text>(cursor: &mut Cursor<'text>) -> Step<&'text str> {
    const NAME: &str = "an axis in single quotes";
    cursor.expect(b'\'', NAME)?;
    let start = *cursor;
    while cursor.peek().is_some_and(|byte| !matches!(byte, b'\'' | b'\n')) {
        cursor.bump();
    }
    let name = start.text_to(*cursor);
    if name.is_empty() {
        return Err(start.error(Problem::Expected(NAME)));
    }
    cursor.expect(b'\'', "a quote behind the axis")?;
    Ok(name)
}

/// Reads `'a'` or `'a':(1)2`, which must be an axis of the mesh.
fn read_part(cursor: &mut Cursor<'_>, places: &Places<'_>) -> Step<AxisPart> {
    cursor.skip_space();
    let place = *cursor;
    let name = axis_name(cursor)?;
    let axis = places.get(name).copied().ok_or_else(|| place.error(Problem::UnknownAxis))?;
    let part = if cursor.eat(b':') {
        cursor.expect(b'(', "'(' and the size before the part")?;
        let before = cursor.size()?;
        cursor.expect(b')', "')'")?;
        cursor.skip_space();
        let place = *cursor;
        let size = cursor.size()?;
        if size == 1 {
            return Err(place.error(Problem::Expected("a part of at least 2")));
        }
        Some((before, size))
    } else {
        None
    };
    Ok(AxisPart { axis, part })
}

/// A stretch of an axis that groups run over.
#[derive(Clone, Copy)]
struct Slice {
    /// The product of the sizes before it, and including it.
    from: u32,
    to: u32,
    /// At which place it was named.
    rank: usize,
}

impl Slice {
    fn new(part: &AxisPart, axis_size: u32, rank: usize) -> Self {
        let (from, size) = part.part.unwrap_or((1, axis_size));
        Self { from, to: from.saturating_mul(size), rank }
    }

    /// Adds it to the slices of its axis, which are in order.
    fn insert(self, slices: &mut Vec<Self>, axis_size: u32) -> Result<(), Problem> {
        let divides = |part: u32, whole: u32| whole.checked_rem(part) == Some(0);
        if !divides(self.to, axis_size) {
            return Err(Problem::SubAxis(axis_size));
        }
        // Only an axis of size 1 as a whole holds no more than one device.
        if self.from == self.to && !slices.is_empty() {
            return Err(Problem::AxisOverlap);
        }
        let at = slices.partition_point(|slice| slice.from < self.from);
        let before = at.checked_sub(1).and_then(|before| slices.get(before));
        let neighbours = [before.zip(Some(&self)), Some(&self).zip(slices.get(at))];
        for (first, second) in neighbours.into_iter().flatten() {
            if first.to > second.from {
                return Err(Problem::AxisOverlap);
            }
            if !divides(first.to, second.from) {
                return Err(Problem::SubAxis(axis_size));
            }
        }
        slices.insert(at, self);
        Ok(())
    }
}

/// The iota whose dimensions are the axes, cut where a slice begins or ends.
fn iota_of(axes: &[Axis], slices: Vec<Vec<Slice>>, over: usize) -> Result<Iota, Problem> {
    let mut dims = Vec::new();
    let mut groups = Vec::new();
    let mut members = vec![0; over];
    for (axis, slices) in axes.iter().zip(slices) {
        let mut done = 1;
        let mut push = |size: u32| {
            dims.push(size);
            u32::try_from(dims.len()).unwrap_or_default().saturating_sub(1)
        };
        for slice in slices {
            groups.push(push(slice.from.checked_div(done).unwrap_or(1)));
            let dim = push(slice.to.checked_div(slice.from).unwrap_or(1));
            if let Some(member) = members.get_mut(slice.rank) {
                *member = dim;
            }
            done = slice.to;
        }
        groups.push(push(axis.size.checked_div(done).unwrap_or(1)));
    }
    let count = |places: &[u32]| {
        let sizes = places.iter().filter_map(|&dim| dims.get(usize::try_from(dim).ok()?).copied());
        sizes.fold(1, u32::saturating_mul)
    };
    let (group_count, size) = (count(&groups), count(&members));
    groups.extend(members);
    Iota::new(group_count, size, dims, Some(groups))
}

/// `mesh['a'=2,'b'=4] {'b'}`.
impl fmt::Display for MeshAxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("mesh[")?;
        for (index, axis) in self.axes.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}'{}'={}", axis.name, axis.size)?;
        }
        f.write_str("] {")?;
        for (index, over) in self.over.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let name = self.axes.get(over.axis).map_or("", |axis| &axis.name);
            write!(f, "{comma}'{name}'")?;
            if let Some((before, size)) = over.part {
                write!(f, ":({before}){size}")?;
            }
        }
        f.write_str("}")
    }
}
