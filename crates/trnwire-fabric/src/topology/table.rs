//! The tables of `neuron-ls`. Columns are told by their headings, which are stacked over several lines, so that `--wide` and
//! `--show-all-procs` read as well.

use super::listing::{ListedDevice, Listing, ListingError};

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Device,
    Cores,
    CoreIds,
    Memory,
    Neighbours,
    Bdf,
    CpuAffinity,
    NumaNode,
    /// Processes, and whatever newer versions print.
    Other,
}

impl Column {
    fn of_heading(heading: &str) -> Self {
        match heading.strip_prefix("NEURON ").unwrap_or(heading) {
            "DEVICE" => Self::Device,
            "CORES" => Self::Cores,
            "CORE IDS" => Self::CoreIds,
            "MEMORY" => Self::Memory,
            "CONNECTED DEVICES" => Self::Neighbours,
            "PCI BDF" => Self::Bdf,
            "CPU AFFINITY" => Self::CpuAffinity,
            "NUMA NODE" => Self::NumaNode,
            _ => Self::Other,
        }
    }
}

/// Reads a table with the lines above it. What stands behind the table, such as the drawing of `--topology`, is skipped.
pub(super) fn read(text: &str) -> Result<Listing, ListingError> {
    let mut listing = Listing { memory_is_text: true, ..Listing::default() };
    let mut headings: Vec<String> = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    let mut rules = 0_usize;
    for (number, line) in (1_usize..).zip(text.lines()) {
        let line = line.trim();
        if line.starts_with("+-") {
            rules = rules.saturating_add(1);
            if rules == 2 {
                columns = headings.iter().map(|heading| Column::of_heading(heading)).collect();
                if !columns.contains(&Column::Device) || !columns.contains(&Column::Cores) {
                    return Err(ListingError::new(format!(
                        "line {number}: no columns DEVICE and CORES above this line"
                    )));
                }
            }
            continue;
        }
        let Some(cells) = line.strip_prefix('|') else {
            if rules == 0 {
                heading_line(line, number, &mut listing)?;
            }
            continue;
        };
        let cells: Vec<&str> = cells.trim_end_matches('|').split('|').map(str::trim).collect();
        match rules {
            1 => stack(&mut headings, &cells),
            // A row without a device lists another process of the one above.
            _ if rules > 1 => {
                if let Some(device) = row(&columns, &cells).map_err(|error| at(number, &error))? {
                    listing.devices.push(device);
                }
            }
            _ => return Err(ListingError::new(format!("line {number}: a row before the table begins"))),
        }
    }
    if rules == 0 {
        return Err(ListingError::new("neither JSON nor a table of neuron-ls"));
    }
    Ok(listing)
}

fn at(line: usize, what: &str) -> ListingError {
    ListingError::new(format!("line {line}: {what}"))
}

/// `instance-type: trn2.48xlarge` and the like, above the table.
fn heading_line(line: &str, number: usize, listing: &mut Listing) -> Result<(), ListingError> {
    let Some((key, value)) = line.split_once(':') else { return Ok(()) };
    let value = value.trim();
    match key.trim() {
        "instance-type" => listing.instance_type = Some(value.to_owned()),
        "instance-id" => listing.instance_id = Some(value.to_owned()),
        "logical-neuroncore-config" => {
            let lnc = value.parse().map_err(|_| at(number, &format!("{value:?} is no number of cores")))?;
            listing.lnc = Some(lnc);
        }
        _ => {}
    }
    Ok(())
}

/// Adds a line of headings to those above it.
fn stack(headings: &mut Vec<String>, cells: &[&str]) {
    if headings.len() < cells.len() {
        headings.resize(cells.len(), String::new());
    }
    for (heading, cell) in headings.iter_mut().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
        if !heading.is_empty() {
            heading.push(' ');
        }
        heading.push_str(cell);
    }
}

/// The device of a row; `None` where the row has none.
fn row(columns: &[Column], cells: &[&str]) -> Result<Option<ListedDevice>, String> {
    let mut device = ListedDevice::default();
    for (column, cell) in columns.iter().zip(cells) {
        let number = |text: &str| text.parse::<u32>().map_err(|_| format!("{text:?} is no number"));
        match column {
            Column::Device if cell.is_empty() => return Ok(None),
            Column::Device => device.id = number(cell)?,
            Column::Cores => device.cores = number(cell)?,
            Column::CoreIds => device.core_ids = Some(ranges(cell)?),
            Column::Memory => device.memory_bytes = Some(memory(cell)?),
            Column::Neighbours if matches!(*cell, "" | "NA" | "N/A" | "-") => {}
            Column::Neighbours => {
                device.neighbours = Some(cell.split(',').map(|part| number(part.trim())).collect::<Result<_, _>>()?);
            }
            Column::Bdf => device.bdf = Some((*cell).to_owned()),
            Column::CpuAffinity => device.cpu_affinity = Some((*cell).to_owned()),
            Column::NumaNode => device.numa_node = cell.parse().ok(),
            Column::Other => {}
        }
    }
    Ok(Some(device))
}

/// `0-3` or `0-3,8`.
fn ranges(text: &str) -> Result<Vec<u32>, String> {
    const MOST: u32 = 1024;
    let wrong = || format!("{text:?} is no list of core ids");
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        let (first, last): (u32, u32) = (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
        if last.checked_sub(first).is_none_or(|more| more >= MOST) {
            return Err(wrong());
        }
        all.extend(first..=last);
    }
    Ok(all)
}

/// `96 GB`, which are GiB.
fn memory(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no memory such as 96 GB");
    let (number, unit) = text.split_once(' ').ok_or_else(wrong)?;
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let shift = match unit.trim() {
        "GB" | "GiB" => 30,
        "MB" | "MiB" => 20,
        _ => return Err(wrong()),
    };
    number.checked_mul(1_u64.wrapping_shl(shift)).ok_or_else(wrong)
}
