//! plan.json: reading and writing.

use core::fmt;

use serde::Serialize;

use super::Plan;

/// The version of plan.json.
pub const PLAN_VERSION: u32 = 1;

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFileError {
    message: String,
}

impl fmt::Display for PlanFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for PlanFileError {}

impl Plan {
    /// Reads plan.json. Whether what it says fits together is for its user to find.
    ///
    /// # Errors
    /// A key that is missing, unknown, there twice or of another type, with line and column; a newer version by its number.
    pub fn parse(text: &str) -> Result<Self, PlanFileError> {
        /// The version alone, so that a newer plan is refused for being newer.
        #[derive(serde::Deserialize)]
        struct Version {
            trnwire_plan: u32,
        }
        let error = |error: serde_json::Error| PlanFileError { message: error.to_string() };
        let Version { trnwire_plan: version } = serde_json::from_str(text).map_err(error)?;
        if version != PLAN_VERSION {
            let message = format!("/trnwire_plan: version {version}, and this program reads {PLAN_VERSION}");
            return Err(PlanFileError { message });
        }
        serde_json::from_str(text).map_err(error)
    }

    /// The text of plan.json: an entry per line, so that people can edit and compare it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::from("{\n");
        let mut line = |key: &str, value: String| {
            if out.len() > 2 {
                out.push_str(",\n");
            }
            out.push_str(&format!(" \"{key}\": {value}"));
        };
        line("trnwire_plan", self.trnwire_plan.to_string());
        line("written_by", json(&self.written_by));
        line("arch", json(&self.arch));
        line("instances", entries(&self.instances));
        line("devices", entries(&self.devices));
        line("ranks", entries(&self.ranks));
        line("ops", entries(&self.ops));
        line("rows", entries(&self.rows));
        out.push_str("\n}\n");
        out
    }
}

fn json(value: &impl Serialize) -> String {
    // What plans hold has no map with odd keys and no float: it always has a text.
    serde_json::to_string(value).unwrap_or_default()
}

/// A list with an entry per line.
fn entries(list: &[impl Serialize]) -> String {
    if list.is_empty() {
        return "[]".to_owned();
    }
    let lines: Vec<String> = list.iter().map(|entry| format!("  {}", json(entry))).collect();
    format!("[\n{}\n ]", lines.join(",\n"))
}
