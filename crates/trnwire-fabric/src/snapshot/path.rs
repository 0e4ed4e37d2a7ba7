//! Names of files: relative, of plain characters, never out of the directory.

/// The most parts of a name.
const MOST_PARTS: usize = 8;
/// The longest part.
const LONGEST_PART: usize = 255;

/// Why a name is not allowed.
pub(super) fn check(name: &str) -> Result<(), &'static str> {
    let mut parts = 0_usize;
    for part in name.split('/') {
        parts = parts.saturating_add(1);
        match part {
            "" if name.starts_with('/') => return Err("absolute names are not allowed"),
            "" => return Err("empty parts are not allowed"),
            "." | ".." => return Err("the parts . and .. are not allowed"),
            _ if part.len() > LONGEST_PART => return Err("a part has at most 255 characters"),
            _ => {}
        }
        if !part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')) {
            return Err("parts are of A-Z a-z 0-9 . _ -");
        }
    }
    if parts > MOST_PARTS { Err("at most 8 parts are allowed") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_directory() {
        for name in ["a", "i0/nd0/sp00.block", "a-b_c.D9", "1/2/3/4/5/6/7/8"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a b", "a\\b", "\u{e9}", "1/2/3/4/5/6/7/8/9"] {
            assert!(check(name).is_err(), "{name}");
        }
        assert!(check(&"a".repeat(255)).is_ok() && check(&"a".repeat(256)).is_err());
    }
}
