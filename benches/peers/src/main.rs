//! Prints a Markdown table: how fast bulk validation is beside a streaming sum over the same bytes and beside other
//! ways to do the same, all in one run.
//!
//! `cargo run --release -- [MIB] [ROUNDS]`, by default 1024 MiB and 9 rounds. The rounds are interleaved: every
//! contender runs once per round, so that a disturbance meets all. The speed of a contender is that of its best round.

mod input;
mod peers;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use input::Input;
use peers::{Counts, PEERS, PeerAccess, SUMS};
use rayon::ThreadPool;
use trnwire::addr4::{Access, Addr4, Reason};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire_batch::{Engine, Summary, Validator};

/// Judges the words; a sum has no counts.
type Run<'a> = Box<dyn Fn(&[Addr4]) -> Option<Counts> + Sync + 'a>;

/// Whose column a contender's ratio belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Sum,
    Library(Engine),
    Peer,
}

struct Contender<'a> {
    name: String,
    threads: usize,
    role: Role,
    /// Slow ones get one part of this many of the buffer.
    parts: usize,
    run: Run<'a>,
    /// Bytes per nanosecond, one per round.
    speeds: Vec<f64>,
}

impl Contender<'_> {
    fn best(&self) -> f64 {
        self.speeds.iter().copied().fold(0.0, f64::max)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>().expect("a number"));
    let mebibytes = arguments.next().unwrap_or(1024);
    let rounds = arguments.next().unwrap_or(9);
    let generation = Generation::Gen3;
    let access = Access { dtype: WireTag::new(10), write: true, allow_psum: true, allow_sbuf: true };
    let mut words = vec![Addr4::default(); mebibytes << 18];

    println!("Machine: {}, {} CPUs; load average {} at the start.", cpu_model(), cpus(), load_average());
    println!(
        "Words: {mebibytes} MiB, judged for {generation}, FP32, write, both memories. {rounds} interleaved rounds."
    );
    println!("Engines of this machine: {}.", Engine::available().map(Engine::name).collect::<Vec<_>>().join(", "));
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for input in Input::ALL {
        input.fill(&mut words);
        let mut contenders = contenders(generation, access, &pools);
        measure(&mut contenders, &words, rounds);
        print_table(input, &contenders);
    }
    println!("\nLoad average {} at the end.", load_average());
}

fn contenders(generation: Generation, access: Access, pools: &[ThreadPool; 2]) -> Vec<Contender<'_>> {
    let [one, two] = pools;
    let mut contenders = Vec::new();
    let mut add = |name: &str, threads, role, parts, run| {
        contenders.push(Contender { name: name.to_owned(), threads, role, parts, run, speeds: Vec::new() });
    };
    for sum in SUMS {
        add(
            sum.name,
            1,
            Role::Sum,
            1,
            Box::new(move |words| {
                black_box(sum.run(words));
                None
            }),
        );
    }
    for sum in SUMS {
        add(
            sum.name,
            2,
            Role::Sum,
            1,
            Box::new(move |words| {
                let (left, right) = words.split_at(words.len() / 2);
                two.install(|| black_box(rayon::join(|| sum.run(left), || sum.run(right))));
                None
            }),
        );
    }
    let validator = Validator::new(generation, access);
    for engine in Engine::available() {
        let validator = validator.clone().engine(engine).expect("it is available");
        let parts = if engine == Engine::Scalar { 32 } else { 1 };
        let name = format!("trnwire, {engine}");
        for (threads, pool) in [(1, one), (2, two)] {
            let validator = validator.clone();
            let run = Box::new(move |words: &[Addr4]| Some(counts(&pool.install(|| validator.run(words)))));
            add(&name, threads, Role::Library(engine), parts, run);
        }
    }
    for peer in PEERS {
        let run = Box::new(move |words: &[Addr4]| Some(peer.run(&PeerAccess::new(generation, access), words)));
        add(peer.name, 1, Role::Peer, peer.parts, run);
    }
    contenders
}

fn counts(summary: &Summary) -> Counts {
    let mut counts = [summary.ok(); 9];
    for (count, &reason) in counts[1..].iter_mut().zip(Reason::ALL) {
        *count = summary.count(reason);
    }
    counts
}

fn measure(contenders: &mut [Contender], words: &[Addr4], rounds: usize) {
    // The scalar engine says what is right.
    let scalar = contenders.iter().find(|contender| contender.role == Role::Library(Engine::Scalar)).expect("scalar");
    let part = |parts: usize| &words[..words.len() / parts];
    let mut expected = BTreeMap::new();
    for contender in &*contenders {
        expected.entry(contender.parts).or_insert_with(|| (scalar.run)(part(contender.parts)).expect("counts"));
    }
    for _ in 0..rounds {
        for contender in &mut *contenders {
            let words = part(contender.parts);
            let start = Instant::now();
            let counts = black_box((contender.run)(black_box(words)));
            let nanoseconds = start.elapsed().as_secs_f64() * 1e9;
            assert!(
                counts.is_none_or(|counts| counts == expected[&contender.parts]),
                "{} counts {counts:?}",
                contender.name
            );
            contender.speeds.push(size_of_val(words) as f64 / nanoseconds);
        }
    }
}

fn print_table(input: Input, contenders: &[Contender]) {
    let best_sum = |threads| {
        contenders
            .iter()
            .filter(|contender| contender.role == Role::Sum && contender.threads == threads)
            .max_by(|a, b| a.best().total_cmp(&b.best()))
            .expect("a sum")
    };
    let (sum, c) = (best_sum(1), contenders.iter().find(|contender| contender.name == "C").expect("the C peer"));
    println!("\n### {}\n", input.name());
    println!("| contender | threads | GB/s | of the best one-thread sum | of itself on one thread | of the C peer |");
    println!("|---|--:|--:|--:|--:|--:|");
    for contender in contenders {
        let is_best = std::ptr::eq(contender, best_sum(contender.threads));
        if contender.role == Role::Sum && !is_best {
            continue;
        }
        let single = contenders.iter().find(|other| other.name == contender.name && other.threads == 1);
        println!(
            "| {}{} | {} | {:.3} | {:.3} | {} | {:.2} |",
            contender.name,
            if contender.parts > 1 { " (a part)" } else { "" },
            contender.threads,
            contender.best(),
            contender.best() / sum.best(),
            match single {
                Some(single) if contender.threads > 1 => format!("{:.2}", contender.best() / single.best()),
                _ => String::new(),
            },
            contender.best() / c.best(),
        );
    }
    let sums: Vec<String> = contenders
        .iter()
        .filter(|contender| contender.role == Role::Sum)
        .map(|contender| format!("{} on {}: {:.2}", contender.name, contender.threads, contender.best()))
        .collect();
    println!("\nAll sums, GB/s: {}.", sums.join("; "));
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
