//! The collectives of a compiled program as ops to judge.

use super::{NotChecked, Op};
use crate::groups::{Devices, ExpandError, Module, expand};

/// Every collective of a module with the ranks that it means; what cannot be expanded is said instead. Counts that are given
/// go before those of the module.
#[must_use]
pub fn ops_of_module(module: &Module, replicas: Option<u32>, partitions: Option<u32>) -> (Vec<Op>, Vec<NotChecked>) {
    let replicas = replicas.or(module.replicas);
    let partitions = partitions.or(module.partitions);
    let mut ops = Vec::new();
    let mut missing = Vec::new();
    for collective in &module.collectives {
        let name = format!("{} {} (line {})", collective.op, collective.name, collective.line);
        match expand(collective, replicas, partitions) {
            Ok(expansion) => {
                let (groups, pairs) = match expansion.devices {
                    Devices::Groups(groups) => (groups.to_vecs(), Vec::new()),
                    Devices::Pairs(pairs) => (Vec::new(), pairs.into_iter().map(|[from, to]| (from, to)).collect()),
                };
                let mode = expansion.mode.name().to_owned();
                ops.push(Op { name, kind: Some(collective.op), mode, groups, pairs });
            }
            Err(error) => {
                let needs = match error {
                    ExpandError::MissingCount { replicas: true, partitions: true, .. } => {
                        "--replicas COUNT --partitions COUNT"
                    }
                    ExpandError::MissingCount { replicas: true, .. } => "--replicas COUNT",
                    ExpandError::MissingCount { .. } => "--partitions COUNT",
                    _ => "a mended module",
                };
                missing.push(NotChecked { what: format!("{name}: {error}"), needs: needs.to_owned() });
            }
        }
    }
    for error in &module.refused {
        missing.push(NotChecked { what: error.to_string(), needs: "a mended module".to_owned() });
    }
    (ops, missing)
}
