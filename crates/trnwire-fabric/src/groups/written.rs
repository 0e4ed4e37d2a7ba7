//! What stands in a text as groups, and the reader that recognises its form.

use core::fmt;

use super::cursor::{Cursor, Step};
use super::dense;
use super::error::{ParseError, Problem};
use super::iota::{self, Iota};
use super::list::Groups;
use super::mesh::{self, MeshAxes};
use super::nested::{self, Style};

/// The forms in which groups are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// `[[0,1],[2,3]]`.
    Json,
    /// `{{0,1},{2,3}}`, and `{}` for all ids in one group.
    Braces,
    /// `[2,2]<=[4]`, `[2,2]<=[2,2]T(1,0)`.
    Iota,
    /// `mesh['a'=2,'b'=2] {'b'}`.
    MeshAxes,
    /// `dense<[[0,1],[2,3]]> : tensor<2x2xi64>`.
    Dense,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 5] = [Self::Json, Self::Braces, Self::Iota, Self::MeshAxes, Self::Dense];

    /// The word in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Braces => "hlo",
            Self::Iota => "iota",
            Self::MeshAxes => "mesh_axes",
            Self::Dense => "dense",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Groups, or pairs, as they stand in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// `[[0,1],[2,3]]`.
    Json(Groups),
    /// `{{0,1},{2,3}}`.
    Braces(Groups),
    /// `[2,2]<=[4]`.
    Iota(Iota),
    /// `mesh['a'=2,'b'=2] {'b'}`.
    MeshAxes(MeshAxes),
    /// `dense<[[0,1],[2,3]]> : tensor<2x2xi64>`, without the pads.
    Dense(Groups),
}

impl Written {
    /// The form.
    #[must_use]
    pub const fn form(&self) -> Form {
        match self {
            Self::Json(_) => Form::Json,
            Self::Braces(_) => Form::Braces,
            Self::Iota(_) => Form::Iota,
            Self::MeshAxes(_) => Form::MeshAxes,
            Self::Dense(_) => Form::Dense,
        }
    }

    /// The groups as lists of ids. None are written as `{}`, which means one group of all ids.
    #[must_use]
    pub fn groups(&self) -> Groups {
        match self {
            Self::Json(groups) | Self::Braces(groups) | Self::Dense(groups) => groups.clone(),
            Self::Iota(iota) => iota.groups(),
            Self::MeshAxes(axes) => axes.groups(),
        }
    }
}

/// The text again, in one spelling for each form; a dense literal is written as a list.
impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(groups) => groups.fmt(f),
            Self::Braces(groups) => groups.write(f, ['{', '}']),
            Self::Iota(iota) => iota.fmt(f),
            Self::MeshAxes(axes) => axes.fmt(f),
            Self::Dense(groups) => write_dense(f, groups),
        }
    }
}

/// Writes a dense literal, padded where groups are short.
fn write_dense(f: &mut fmt::Formatter<'_>, groups: &Groups) -> fmt::Result {
    let columns = groups.iter().map(<[u32]>::len).max().unwrap_or_default();
    f.write_str("dense<")?;
    if !groups.is_empty() {
        f.write_str("[")?;
        for (index, group) in groups.iter().enumerate() {
            f.write_str(if index == 0 { "[" } else { ",[" })?;
            for place in 0..columns {
                let comma = if place == 0 { "" } else { "," };
                match group.get(place) {
                    Some(id) => write!(f, "{comma}{id}")?,
                    None => write!(f, "{comma}-1")?,
                }
            }
            f.write_str("]")?;
        }
        f.write_str("]")?;
    }
    write!(f, "> : tensor<{}x{columns}xi64>", groups.len())
}

/// Reads groups in any form; white space around and comments in between do not count. Pairs are groups of two.
///
/// # Errors
/// The first thing that is wrong: see [`Problem`].
///
/// # Examples
/// ```
/// use trnwire_fabric::groups::{Form, parse};
///
/// let written = parse("[2,4]<=[4,2]T(1,0)").unwrap();
/// assert_eq!(written.form(), Form::Iota);
/// assert_eq!(written.groups().to_vecs(), [[0, 2, 4, 6], [1, 3, 5, 7]]);
///
/// let error = parse("{{0,1},{2,3]}").unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 12: expected ',' or '}', found \"]}\"");
/// ```
pub fn parse(text: &str) -> Result<Written, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.skip_space();
    let written = match cursor.peek() {
        Some(b'd') => dense::read(&mut cursor).map(Written::Dense)?,
        Some(b'[') if is_nested(cursor) => {
            nested::read(&mut cursor, Style::JSON).map(|list| Written::Json(list.groups))?
        }
        _ => read_hlo(&mut cursor)?,
    };
    cursor.skip_space();
    match cursor.peek() {
        None => cursor.end().map(|()| written),
        Some(_) => Err(cursor.error(Problem::Expected("nothing behind the groups"))),
    }
}

/// Whether a list of lists begins here, which may be empty, and no iota form.
fn is_nested(mut cursor: Cursor<'_>) -> bool {
    cursor.bump();
    cursor.skip_space();
    matches!(cursor.peek(), Some(b'[' | b']'))
}

/// Reads one of the forms of HLO text: braces, iota or mesh axes.
pub(super) fn read_hlo(cursor: &mut Cursor<'_>) -> Step<Written> {
    cursor.skip_space();
    match cursor.peek() {
        Some(b'{') => nested::read(cursor, Style::BRACES).map(|list| Written::Braces(list.groups)),
        Some(b'[') => iota::read(cursor).map(Written::Iota),
        Some(b'm') => mesh::read(cursor).map(Written::MeshAxes),
        _ => Err(cursor.error(Problem::NoForm)),
    }
}
