//! The iota form: `[groups,size]<=[dims]T(permutation)`.

use core::fmt;

use super::MOST_IDS;
use super::cursor::{Cursor, Step};
use super::error::Problem;
use super::list::Groups;

/// Groups as a reshaped and transposed count: 0, 1, 2 ... in the shape of `dims`, transposed, then cut into groups of
/// equal size. Each id stands in one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iota {
    groups: u32,
    size: u32,
    dims: Vec<u32>,
    /// Which dimension comes at each place; one that changes nothing is kept as it was written.
    permutation: Option<Vec<u32>>,
}

impl Iota {
    /// Makes the form of its numbers: so many groups of a size, the dimensions of the count, and how they are transposed.
    ///
    /// # Errors
    /// A number that is zero, a product of the dimensions that is not groups times size, more than [`MOST_IDS`] ids, no
    /// permutation of the dimensions.
    pub fn new(groups: u32, size: u32, dims: Vec<u32>, permutation: Option<Vec<u32>>) -> Result<Self, Problem> {
        if groups == 0 || size == 0 || dims.contains(&0) {
            return Err(Problem::Zero);
        }
        let (wanted, total) = (product(&[groups, size]), product(&dims));
        if wanted != total {
            return Err(Problem::Product(wanted, total));
        }
        if usize::try_from(total).map_or(true, |total| total > MOST_IDS) {
            return Err(Problem::TooManyIds);
        }
        if permutation.as_ref().is_some_and(|permutation| !is_permutation(permutation, dims.len())) {
            return Err(Problem::Permutation);
        }
        Ok(Self { groups, size, dims, permutation })
    }

    /// How many groups there are.
    #[must_use]
    pub const fn group_count(&self) -> u32 {
        self.groups
    }

    /// How many ids each group has.
    #[must_use]
    pub const fn group_size(&self) -> u32 {
        self.size
    }

    /// The dimensions into which the count is reshaped.
    #[must_use]
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// Which dimension comes at each place after the transpose, if one is written.
    #[must_use]
    pub fn permutation(&self) -> Option<&[u32]> {
        self.permutation.as_deref()
    }

    /// The groups as lists.
    #[must_use]
    pub fn groups(&self) -> Groups {
        let mut groups = Groups::default();
        let mut odometer = self.odometer();
        for _ in 0..self.groups {
            for _ in 0..self.size {
                // There are no more than fit.
                let _ = groups.push_id(odometer.next());
            }
            groups.end_group();
        }
        groups
    }

    /// Counts in the order after the transpose.
    fn odometer(&self) -> Odometer {
        let mut stride = 1_u32;
        let mut wheels: Vec<Wheel> = Vec::with_capacity(self.dims.len());
        for &size in self.dims.iter().rev() {
            wheels.push(Wheel { size, stride, position: 0 });
            stride = stride.saturating_mul(size);
        }
        wheels.reverse();
        if let Some(permutation) = &self.permutation {
            let at = |&dim: &u32| usize::try_from(dim).ok().and_then(|dim| wheels.get(dim)).copied();
            wheels = permutation.iter().filter_map(at).collect();
        }
        // Those of size 1 never turn. Without them there are at most 20.
        wheels.retain(|wheel| wheel.size > 1);
        Odometer { wheels, id: 0 }
    }
}

/// A dimension of the transposed count.
#[derive(Clone, Copy)]
struct Wheel {
    size: u32,
    /// By how much the id grows with a step of this dimension.
    stride: u32,
    position: u32,
}

/// A counter with one wheel for each dimension, the last of which turns fastest.
struct Odometer {
    wheels: Vec<Wheel>,
    id: u32,
}

impl Odometer {
    /// The id at which it stands; then it steps.
    fn next(&mut self) -> u32 {
        let id = self.id;
        for wheel in self.wheels.iter_mut().rev() {
            wheel.position = wheel.position.saturating_add(1);
            self.id = self.id.saturating_add(wheel.stride);
            if wheel.position < wheel.size {
                break;
            }
            self.id = self.id.saturating_sub(wheel.stride.saturating_mul(wheel.size));
            wheel.position = 0;
        }
        id
    }
}

/// The product of some sizes, or the greatest number.
pub(super) fn product(sizes: &[u32]) -> u64 {
    sizes.iter().fold(1, |product: u64, &size| product.saturating_mul(size.into()))
}

/// Whether the numbers from 0 up to a length stand there, each once.
fn is_permutation(numbers: &[u32], length: usize) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.len() == length && sorted.into_iter().zip(0..).all(|(number, place)| number == place)
}

/// Reads `[4,2]<=[2,4]T(1,0)`.
pub(super) fn read<'text>(cursor: &mut Cursor<'text>) -> Step<Iota> {
    const SHAPE: &str = "',' and the size of a group: [groups,size]<=[dims]";
    cursor.skip_space();
    let start = *cursor;
    cursor.expect(b'[', "'['")?;
    // That a number is 0 is said when it is known that this is no list that lacks a level.
    let mut zero = None;
    let mut number = |cursor: &mut Cursor<'text>| {
        cursor.skip_space();
        let place = *cursor;
        let number = cursor.number()?;
        zero = zero.or((number == 0).then_some(place));
        Ok(number)
    };
    let groups = number(cursor)?;
    cursor.expect(b',', SHAPE)?;
    let size = number(cursor)?;
    cursor.skip_space();
    let behind = *cursor;
    if !cursor.eat(b']') {
        // More than two numbers are a list that lacks a level, and so are two without an arrow.
        let is_flat = cursor.peek() == Some(b',');
        return Err(behind.error(if is_flat { Problem::FlatList } else { Problem::Expected("']'") }));
    }
    cursor.skip_space();
    if !cursor.eat_text("<=") {
        let is_flat = cursor.peek().is_none();
        return Err(if is_flat { start.error(Problem::FlatList) } else { cursor.error(Problem::Expected("'<='")) });
    }
    if let Some(place) = zero {
        return Err(place.error(Problem::Zero));
    }
    cursor.expect(b'[', "'['")?;
    let dims = numbers(cursor, b']', "',' or ']'", Cursor::size)?;
    cursor.skip_space();
    let transpose = *cursor;
    let permutation = if cursor.eat(b'T') {
        cursor.expect(b'(', "'('")?;
        Some(numbers(cursor, b')', "',' or ')'", Cursor::number)?)
    } else {
        None
    };
    Iota::new(groups, size, dims, permutation).map_err(|problem| match problem {
        Problem::Permutation => transpose.error(problem),
        _ => start.error(problem),
    })
}

/// Reads numbers up to a bracket; at least one.
fn numbers<'text>(
    cursor: &mut Cursor<'text>,
    close: u8,
    next: &'static str,
    number: impl Fn(&mut Cursor<'text>) -> Step<u32>,
) -> Step<Vec<u32>> {
    let mut numbers = vec![number(cursor)?];
    while !cursor.eat(close) {
        cursor.expect(b',', next)?;
        numbers.push(number(cursor)?);
    }
    Ok(numbers)
}

/// `[4,2]<=[2,4]T(1,0)`.
impl fmt::Display for Iota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, numbers: &[u32]| {
            (0_usize..).zip(numbers).try_for_each(|(index, number)| {
                let comma = if index == 0 { "" } else { "," };
                write!(f, "{comma}{number}")
            })
        };
        write!(f, "[{},{}]<=[", self.groups, self.size)?;
        list(f, &self.dims)?;
        f.write_str("]")?;
        if let Some(permutation) = &self.permutation {
            f.write_str("T(")?;
            list(f, permutation)?;
            f.write_str(")")?;
        }
        Ok(())
    }
}
