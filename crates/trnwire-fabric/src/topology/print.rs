//! A topology for people and for programs.

use serde_json::{Value, json};
use trnwire::explain::{Line, Role};

use super::{Instance, LinkKind, Links, Topology};
use crate::report::{findings_json, line, lines};

impl Topology {
    /// For people: what it is, a drawing, the devices, and what there is to say.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let mut text = Vec::new();
        for (number, instance) in self.instances.iter().enumerate() {
            text.push(line(Role::Title, self.title(number, instance)));
        }
        let ranks = self.cores.len();
        let links = match &self.links {
            Links::Direct(links) => format!("{} links", links.len()),
            Links::Switched => "switched: no link is known".to_owned(),
        };
        text.push(line(
            Role::Plain,
            format!("{} devices, {ranks} ranks, LNC {}, {links}", self.devices.len(), self.lnc),
        ));
        for instance in &self.instances {
            let drawing = self.drawing(instance);
            if !drawing.is_empty() {
                text.push(line(Role::Plain, ""));
                text.extend(drawing.into_iter().map(|row| line(Role::Plain, row)));
            }
        }
        text.push(line(Role::Plain, ""));
        text.extend(self.table().into_iter().map(|row| line(Role::Plain, row)));
        if !self.findings.is_empty() {
            text.push(line(Role::Plain, ""));
            text.extend(lines(&self.findings));
        }
        text
    }

    fn title(&self, number: usize, instance: &Instance) -> String {
        let names: Vec<&str> = instance.recognised.candidates.iter().map(|platform| platform.name.as_str()).collect();
        let name = match names.as_slice() {
            [] => "an unknown platform".to_owned(),
            [name] => (*name).to_owned(),
            _ => format!("one of {}", names.join(", ")),
        };
        let about = instance.platform().map_or(String::new(), |platform| {
            format!(": {}, {} devices, {}", platform.arch, platform.devices_per_instance, platform.graph)
        });
        let id = instance.id.as_ref().map_or(String::new(), |id| format!(" ({id})"));
        let which = if self.instances.len() > 1 { format!("instance {number}: ") } else { String::new() };
        let node = instance.node.map_or(String::new(), |node| format!(", node {node} of an UltraServer"));
        format!("{which}{name}{id}{about}{node}")
    }

    /// A grid for tori of four columns, a line for chains and rings, nothing for others.
    fn drawing(&self, instance: &Instance) -> Vec<String> {
        let adjacency = self.adjacency();
        let first = instance.devices.start;
        let count = instance.devices.len();
        let is_linked = |a: usize, b: usize| {
            adjacency.get(first.saturating_add(a)).is_some_and(|list| list.contains(&first.saturating_add(b)))
        };
        let id = |index: usize| {
            self.devices.get(first.saturating_add(index)).map_or(String::new(), |device| device.id.to_string())
        };
        let degree = |index: usize| (0..count).filter(|other| is_linked(index, *other)).count();
        let last = count.saturating_sub(1);
        let is_path = (1..count).all(|index| is_linked(index.saturating_sub(1), index));
        if count > 2 && is_path && (0..count).all(|index| degree(index) <= 2) {
            let all: Vec<_> = (0..count).map(id).collect();
            let ends = if is_linked(0, last) {
                [format!("{} --- ", id(last)), format!(" --- {}", id(0))]
            } else {
                [String::new(), String::new()]
            };
            let [before, behind] = ends;
            return vec![format!("{before}{}{behind}", all.join(" --- "))];
        }
        const COLUMNS: usize = 4;
        let is_grid = count >= 8 && count.is_multiple_of(COLUMNS) && (0..count).all(|index| degree(index) == 4);
        if !is_grid {
            return Vec::new();
        }
        let mut rows = Vec::new();
        for row in (0..count).step_by(COLUMNS) {
            let cells: Vec<_> = (row..row.saturating_add(COLUMNS)).map(|index| format!("{:>4}", id(index))).collect();
            let joined = cells.join(if is_linked(row, row.saturating_add(1)) { " --" } else { "   " });
            let wrap = if is_linked(row, row.saturating_add(COLUMNS).saturating_sub(1)) { " --" } else { "" };
            rows.push(format!("{wrap:>4}{joined}{wrap}"));
            let below = if row.saturating_add(COLUMNS) < count { row.saturating_add(COLUMNS) } else { 0 };
            if is_linked(row, below) {
                rows.push(format!("    {}", ["   |"; COLUMNS].join("   ")));
            }
        }
        rows
    }

    fn table(&self) -> Vec<String> {
        let adjacency = self.adjacency();
        let several = self.instances.len() > 1;
        let name = |index: usize| {
            self.devices.get(index).map_or(String::new(), |device| {
                if several { format!("{}.{}", device.instance, device.id) } else { device.id.to_string() }
            })
        };
        let mut rows = vec![["device", "ranks", "linked with", "top-SPs of each rank"].map(str::to_owned)];
        for (index, list) in adjacency.iter().enumerate() {
            let ranks = self.ranks_of(index);
            let linked: Vec<_> = list.iter().map(|other| name(*other)).collect();
            let top_sps = ranks.clone().filter_map(|rank| self.core(rank)).map(|core| spans(&core.top_sps));
            rows.push([
                name(index),
                spans(&ranks.collect::<Vec<_>>()),
                if linked.is_empty() { "-".to_owned() } else { linked.join(" ") },
                top_sps.collect::<Vec<_>>().join("  "),
            ]);
        }
        trnwire::columns::aligned(&rows)
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let instance = |instance: &Instance| {
            let names: Vec<_> = instance.recognised.candidates.iter().map(|platform| &platform.name).collect();
            json!({
                "id": instance.id,
                "platforms": names,
                "hint": instance.recognised.hint.map(|platform| &platform.name),
                "node": instance.node,
                "devices": instance.devices.len(),
                "first_rank": instance.ranks.start,
                "ranks": instance.ranks.len(),
            })
        };
        let adjacency = self.adjacency();
        let of = |index: usize| {
            self.devices.get(index).map(|device| [device.instance, usize::try_from(device.id).unwrap_or_default()])
        };
        let devices = self.devices.iter().zip(&adjacency).map(|(device, linked)| {
            json!({
                "instance": device.instance,
                "device": device.id,
                "listed_as": device.listed_id,
                "bdf": device.bdf,
                "memory_bytes": device.memory_bytes,
                "cores": device.cores,
                "linked_with": linked.iter().map(|other| of(*other)).collect::<Vec<_>>(),
            })
        });
        let links = match &self.links {
            Links::Switched => Value::Null,
            Links::Direct(links) => links
                .iter()
                .map(|link| json!({ "a": of(link.a), "b": of(link.b), "between_instances": link.kind == LinkKind::Between }))
                .collect(),
        };
        let ranks = (0_u32..).zip(&self.cores).map(|(rank, core)| {
            let device = self.devices.get(core.device);
            json!({
                "rank": rank,
                "instance": device.map(|device| device.instance),
                "device": device.map(|device| device.id),
                "core": core.index,
                "physical_cores": core.physical,
                "top_sps": core.top_sps,
            })
        });
        json!({
            "trnwire": trnwire_json::VERSION,
            "arch": self.arch().map(|arch| arch.to_string()),
            "lnc": self.lnc,
            "core_map": self.core_map.name(),
            "instances": self.instances.iter().map(instance).collect::<Vec<_>>(),
            "devices": devices.collect::<Vec<_>>(),
            "links": links,
            "ranks": ranks.collect::<Vec<_>>(),
            "findings": findings_json(&self.findings),
        })
    }
}

/// `0-3,8`.
pub(crate) fn spans(numbers: &[u32]) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match spans.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => spans.push((number, number)),
        }
    }
    let span = |&(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    spans.iter().map(span).collect::<Vec<_>>().join(",")
}
