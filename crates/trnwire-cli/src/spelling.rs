//! Hints for names that are not known.

/// The error for an unknown name, with the nearest known one where there is one.
pub(crate) fn unknown<'a>(what: &str, given: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(given, known) {
        Some(name) => format!("no {what} has this name; did you mean {name:?}?"),
        None => format!("no {what} has this name"),
    }
}

fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.7;
    let lower = given.to_lowercase();
    known
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        .filter(|(likeness, name)| *likeness >= ALIKE && !is_another_number(&lower, &name.to_lowercase()))
        .max_by(|(first, _), (second, _)| first.total_cmp(second))
        .map(|(_, name)| name)
}

/// Whether two names differ in one digit alone. gen5 is no misspelled gen4, but another thing.
fn is_another_number(one: &str, other: &str) -> bool {
    let different: Vec<_> = one.chars().zip(other.chars()).filter(|(one, other)| one != other).collect();
    one.len() == other.len()
        && matches!(different[..], [(one, other)] if one.is_ascii_digit() && other.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_mended_and_another_number_is_not() {
        let known = || ["gen2", "gen3", "trn1", "inf2", "bfloat16", "float32"].into_iter();
        assert_eq!(nearest("genn3", known()), Some("gen3"));
        assert_eq!(nearest("tnr1", known()), Some("trn1"));
        assert_eq!(nearest("bfloat61", known()), Some("bfloat16"));
        assert_eq!(nearest("gen33", known()), Some("gen3"));
        assert_eq!(nearest("gen5", known()), None);
        assert_eq!(nearest("inf1", known()), None);
        assert_eq!(nearest("bflaot16", known()), Some("bfloat16"));
        assert_eq!(nearest("floot", known()), Some("float32"));
        assert_eq!(nearest("xyz", known()), None);
    }
}
