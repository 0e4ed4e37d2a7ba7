//! Any words: they round-trip, repairs are legal, lints can be repaired away, and every bulk engine agrees with the
//! scalar functions. The first two bytes choose dtype, flags and generation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trnwire::addr4::{Access, Addr4, WordRequest, lints, nearest_legal, tensor_start_addr_valid};
use trnwire::arch::Generation;
use trnwire::dtype::WireTag;
use trnwire::explain::WordExplanation;
use trnwire_batch::{Engine, Validator};
use trnwire_json::addr4::{DecodedWord, Request};

fuzz_target!(|data: &[u8]| {
    let [dtype, flags, rest @ ..] = data else { return };
    let access = Access {
        dtype: WireTag::new(*dtype),
        write: flags & 1 != 0,
        allow_psum: flags & 2 != 0,
        allow_sbuf: flags & 4 != 0,
    };
    let generation = Generation::ALL[usize::from(flags >> 3) % 3];
    let (words, _) = rest.as_chunks::<4>();
    let words: Vec<Addr4> = words.iter().map(|&bytes| Addr4::from_wire(bytes)).collect();
    for (&word, bytes) in words.iter().zip(rest.chunks_exact(4)) {
        assert_eq!(word.to_wire(), bytes);
        if let Some(nearest) = nearest_legal(generation, word, access) {
            assert_eq!(tensor_start_addr_valid(generation, nearest, access), Ok(()));
            assert!(nearest.mode() == word.mode() || word.is_register());
        }
        let explanation = WordExplanation::new(word, &[generation], |_| access);
        for view in explanation.views.iter().flat_map(|view| &view.lints) {
            if let Some(without) = view.without {
                assert!(!lints(generation, without).contains(view.lint), "{word} {}", view.lint);
            }
        }
        assert!(!explanation.lines(true).is_empty());
        let json = serde_json::to_value(DecodedWord::of(word)).unwrap();
        assert_eq!(Request::parse(&json), Ok(Request::Word(WordRequest::Verbatim(word))));
    }
    let truth = Validator::new(generation, access).engine(Engine::Scalar).unwrap().run(&words);
    for engine in Engine::available() {
        let summary = Validator::new(generation, access).engine(engine).unwrap().run(&words);
        assert_eq!(summary, truth, "{}", engine.name());
    }
});
