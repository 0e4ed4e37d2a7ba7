//! Contenders, the rounds in which all of them run, and the table of what came out.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use trnwire::addr4::Addr4;

use crate::peers::SUMS;

/// Judges the buffer; a sum has no counts.
pub type Run<'a> = Box<dyn Fn(&[Addr4]) -> Option<Vec<u64>> + Sync + 'a>;

/// Whose column a contender's ratio belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Sum,
    /// The library's scalar functions, which say what is right.
    Truth,
    Library,
    Peer,
}

pub struct Contender<'a> {
    pub name: String,
    pub threads: usize,
    pub role: Role,
    /// Slow ones get one part of this many of the buffer.
    pub parts: usize,
    pub run: Run<'a>,
    /// Bytes per nanosecond, one per round.
    pub speeds: Vec<f64>,
}

impl<'a> Contender<'a> {
    pub fn new(name: &str, threads: usize, role: Role, parts: usize, run: Run<'a>) -> Self {
        Self { name: name.to_owned(), threads, role, parts, run, speeds: Vec::new() }
    }

    fn best(&self) -> f64 {
        self.speeds.iter().copied().fold(0.0, f64::max)
    }
}

/// The sums on one thread.
pub fn sums<'a>() -> impl Iterator<Item = Contender<'a>> {
    SUMS.into_iter().map(|sum| {
        let run = move |words: &[Addr4]| {
            black_box(sum.run(words));
            None
        };
        Contender::new(sum.name, 1, Role::Sum, 1, Box::new(run))
    })
}

pub fn measure(contenders: &mut [Contender], words: &[Addr4], rounds: usize) {
    let scalar = contenders.iter().find(|contender| contender.role == Role::Truth).expect("scalar");
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
                counts.as_ref().is_none_or(|counts| *counts == expected[&contender.parts]),
                "{} counts {counts:?}",
                contender.name
            );
            contender.speeds.push(size_of_val(words) as f64 / nanoseconds);
        }
    }
}

/// Contenders beside the sums alone.
pub fn print_sums(title: &str, contenders: &[Contender]) {
    let sums = contenders.iter().filter(|contender| contender.role == Role::Sum);
    let best = sums.max_by(|a, b| a.best().total_cmp(&b.best())).expect("a sum");
    println!("\n### {title}\n\n| contender | GB/s | of the best sum |\n|---|--:|--:|");
    for contender in contenders {
        if contender.role != Role::Sum || std::ptr::eq(contender, best) {
            println!("| {} | {:.3} | {:.3} |", contender.name, contender.best(), contender.best() / best.best());
        }
    }
}

pub fn print_table(title: &str, contenders: &[Contender]) {
    let best_sum = |threads| {
        contenders
            .iter()
            .filter(|contender| contender.role == Role::Sum && contender.threads == threads)
            .max_by(|a, b| a.best().total_cmp(&b.best()))
            .expect("a sum")
    };
    let peer = |name: &str| contenders.iter().find(|contender| contender.name == name).expect("a peer").best();
    let (sum, c, deku) = (best_sum(1), peer("C"), peer("deku"));
    println!("\n### {title}\n");
    println!(
        "| contender | threads | GB/s | of the best one-thread sum | of itself on one thread | of the C peer | of deku |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for contender in contenders {
        let is_best = std::ptr::eq(contender, best_sum(contender.threads));
        if contender.role == Role::Sum && !is_best {
            continue;
        }
        let single = contenders.iter().find(|other| other.name == contender.name && other.threads == 1);
        println!(
            "| {}{} | {} | {:.3} | {:.3} | {} | {:.2} | {:.1} |",
            contender.name,
            if contender.parts > 1 { " (a part)" } else { "" },
            contender.threads,
            contender.best(),
            contender.best() / sum.best(),
            match single {
                Some(single) if contender.threads > 1 => format!("{:.2}", contender.best() / single.best()),
                _ => String::new(),
            },
            contender.best() / c,
            contender.best() / deku,
        );
    }
    let sums: Vec<String> = contenders
        .iter()
        .filter(|contender| contender.role == Role::Sum)
        .map(|contender| format!("{} on {}: {:.2}", contender.name, contender.threads, contender.best()))
        .collect();
    println!("\nAll sums, GB/s: {}.", sums.join("; "));
}
