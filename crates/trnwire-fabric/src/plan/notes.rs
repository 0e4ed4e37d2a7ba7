//! What was chosen, in words.

use super::{PlanOp, Planned};
use crate::topology::{Links, Topology};

impl Planned {
    /// A line for each op, and what is a model or not known.
    #[must_use]
    pub fn notes(&self, topology: &Topology) -> Vec<String> {
        let mut notes: Vec<String> =
            self.plan.ops.iter().zip(&self.rings).map(|(op, rings)| self.of_op(topology, op, rings)).collect();
        if !self.alone.is_empty() {
            notes.push(format!("{} groups of one rank need no ring", self.alone.len()));
        }
        if topology.links == Links::Switched {
            notes.push(
                "devices are joined by switches: rings go by device numbers, since links are not public".to_owned(),
            );
        }
        if self.plan.rows.iter().any(|row| row.qbundle.is_none()) {
            notes.push("no broadcast: the registers of this architecture are not public".to_owned());
        }
        notes
    }

    fn of_op(&self, topology: &Topology, op: &PlanOp, rings: &[super::Ring]) -> String {
        let cycles = rings.iter().map(|ring| ring.cycle).max().map_or(0, |last| last.saturating_add(1));
        let used = rings.iter().take(op.channels.len());
        let indirect = used.clone().map(|ring| ring.indirect_hops).max().unwrap_or_default();
        let network = used.map(|ring| ring.network_hops).max().unwrap_or_default();
        let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let several_devices = rings.first().is_some_and(|ring| ring.devices.len() > 1);
        let way = match (indirect, network) {
            _ if !several_devices => "on one device".to_owned(),
            (0, 0) if topology.links == Links::Switched => "over switches".to_owned(),
            (0, 0) => {
                format!("over {} of links, {} in both directions", count(cycles, "cycle"), count(rings.len(), "ring"))
            }
            (0, network) => format!("over links, with {} of {}", count(network, "hop"), "the network"),
            (indirect, _) => format!("with {} that no single link makes", count(indirect, "hop")),
        };
        format!(
            "op {}: {} of {} ranks on {}, {way}",
            op.id,
            op.algorithm.name(),
            op.ranks.len(),
            count(op.channels.len(), "channel")
        )
    }
}
