//! Prints Markdown tables: how fast bulk validation is beside a streaming sum over the same bytes and beside other
//! ways to do the same, all in one run.
//!
//! `cargo run --release -- words|bundles|collectives [MIB] [ROUNDS]`, by default 1024 MiB and 9 rounds. The rounds are interleaved: every
//! contender runs once per round, so that a disturbance meets all. The speed of a contender is that of its best round.
//!
//! `cargo run --release -- once GENERATION STREAM CONTENDER [TIMES]` scans one short stream of bundles, for `./instructions`.

mod bundles;
mod collectives;
mod contest;
mod input;
mod peers;
mod words;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    if what == "once" {
        return bundles::once(&arguments.collect::<Vec<_>>());
    }
    let mut numbers = arguments.map(|text| text.parse::<usize>().expect("a number"));
    let (mebibytes, rounds) = (numbers.next().unwrap_or(1024), numbers.next().unwrap_or(9));
    println!("Machine: {}, {} CPUs; load average {} at the start.", cpu_model(), cpus(), load_average());
    println!("{mebibytes} MiB, {rounds} interleaved rounds.");
    match what.as_str() {
        "words" => words::run(mebibytes, rounds),
        "bundles" => bundles::run(mebibytes, rounds),
        "collectives" => collectives::run(mebibytes, rounds),
        _ => panic!("words, bundles or collectives?"),
    }
    println!("\nLoad average {} at the end.", load_average());
}

fn cpu_model() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| text.lines().find(|line| line.starts_with(key)).and_then(|line| line.split(": ").nth(1));
    match (value("model name"), value("cpu family"), value("model\t")) {
        (Some(name), Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => std::env::consts::ARCH.to_owned(),
    }
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}
