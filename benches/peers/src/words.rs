//! Address words.

use std::hint::black_box;

use rayon::ThreadPool;
use trnwire::addr4::{Access, Addr4, Reason};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire_batch::{Engine, Summary, Validator};

use crate::contest::{Contender, Role, measure, print_table, sums};
use crate::input::Input;
use crate::peers::{PEERS, PeerAccess, SUMS};

pub fn run(mebibytes: usize, rounds: usize) {
    let generation = Generation::Gen3;
    let access = Access { dtype: WireTag::new(10), write: true, allow_psum: true, allow_sbuf: true };
    let mut words = vec![Addr4::default(); mebibytes << 18];
    println!("Words, judged for {generation}, FP32, write, both memories.");
    println!("Engines of this machine: {}.", Engine::available().map(Engine::name).collect::<Vec<_>>().join(", "));
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for input in Input::ALL {
        input.fill(&mut words);
        let mut contenders = contenders(generation, access, &pools);
        measure(&mut contenders, &words, rounds);
        print_table(input.name(), &contenders);
    }
}

fn contenders(generation: Generation, access: Access, pools: &[ThreadPool; 2]) -> Vec<Contender<'_>> {
    let [one, two] = pools;
    let mut contenders: Vec<_> = sums().collect();
    let mut add = |name: &str, threads, role, parts, run| {
        contenders.push(Contender::new(name, threads, role, parts, run));
    };
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
            let role = if engine == Engine::Scalar { Role::Truth } else { Role::Library };
            add(&name, threads, role, parts, run);
        }
    }
    for peer in PEERS {
        let run = Box::new(move |words: &[Addr4]| Some(peer.run(&PeerAccess::new(generation, access), words).to_vec()));
        add(peer.name, 1, Role::Peer, peer.parts, run);
    }
    contenders
}

fn counts(summary: &Summary) -> Vec<u64> {
    let mut counts = vec![summary.ok(); 9];
    for (count, &reason) in counts[1..].iter_mut().zip(Reason::ALL) {
        *count = summary.count(reason);
    }
    counts
}
