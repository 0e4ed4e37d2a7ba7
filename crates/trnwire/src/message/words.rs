//! Small pieces of wording that the rules and the rendering share.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;

use super::chip::Chip;

/// `1 partition`, `36 partitions`.
pub(super) fn plural(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// `gen2`, `gen2 and gen3`, or `every generation (gen1 to gen4)`.
pub(super) fn target_list(targets: &[Chip]) -> String {
    if targets == Chip::ALL {
        return "every generation (gen1 to gen4)".to_string();
    }
    let mut list = String::new();
    for (index, target) in targets.iter().enumerate() {
        if index > 0 {
            let last = index.saturating_add(1) == targets.len();
            list.push_str(if last { " and " } else { ", " });
        }
        list.push_str(target.name());
    }
    list
}

/// Numbers joined as `0, 32, 64 or 96`.
pub(super) fn or_list(values: &[u32]) -> String {
    let mut list = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            let last = index.saturating_add(1) == values.len();
            list.push_str(if last { " or " } else { ", " });
        }
        list.push_str(&value.to_string());
    }
    list
}

/// `192 KiB`, `24 MiB`, or nothing for a size that is no whole number of KiB.
pub(super) fn binary_size(bytes: i128) -> Option<String> {
    const KIB: i128 = 1 << 10;
    const MIB: i128 = 1 << 20;
    if bytes >= MIB && bytes.checked_rem(MIB) == Some(0) {
        bytes.checked_div(MIB).map(|count| format!("{count} MiB"))
    } else if bytes >= KIB && bytes.checked_rem(KIB) == Some(0) {
        bytes.checked_div(KIB).map(|count| format!("{count} KiB"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_sizes_read_as_english() {
        assert_eq!(plural(1, "partition"), "1 partition");
        assert_eq!(plural(0, "partition"), "0 partitions");
        assert_eq!(or_list(&[0, 32, 64, 96]), "0, 32, 64 or 96");
        assert_eq!(or_list(&[0]), "0");
        assert_eq!(target_list(&Chip::ALL), "every generation (gen1 to gen4)");
        assert_eq!(target_list(&[Chip::Gen1]), "gen1");
        assert_eq!(binary_size(196_608).as_deref(), Some("192 KiB"));
        assert_eq!(binary_size(24 << 20).as_deref(), Some("24 MiB"));
        assert_eq!(binary_size(1000), None);
    }
}
