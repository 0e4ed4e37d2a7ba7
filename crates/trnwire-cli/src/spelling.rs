//! Hints for names that are not known.

/// The error for an unknown name, with the nearest known one where there is one.
pub(crate) fn unknown<'a>(what: &str, given: &str, known: impl Iterator<Item = &'a str>) -> String {
    const ALIKE: f64 = 0.7;
    let lower = given.to_lowercase();
    let nearest = known
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(first, _), (second, _)| first.total_cmp(second));
    match nearest {
        Some((_, name)) => format!("unknown {what} {given:?}; did you mean {name:?}?"),
        None => format!("unknown {what} {given:?}"),
    }
}
