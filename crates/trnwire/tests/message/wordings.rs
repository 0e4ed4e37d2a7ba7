//! Other wordings of the recorded messages.

use super::{EVERY, assert_says, of_rule};
use trnwire::message::explain;

/// Rule, then texts that must all break it or name it, then what each answer must hold.
const REWORDED: [(&str, &[&str], &[&str]); 15] = [
    (
        "partition_count",
        &[
            "SBUF <0, 185856> (756257 x 10376)",
            "sb<0,185856>(756257x10376)",
            "2024-05-01T12:33:01.123Z ERROR 77 [neuronx-cc] I-21-0: {x}@SB<0,185856>(756257x10376)#Internal",
            "SB < 0 , 0x2d600 > ( 756257 * 10376 )",
            "SB<0,185856>(756257×10376)",
            "SBUF partition 0, offset 185856, 756257 partitions x 10376 bytes",
        ],
        &["756257 > 128", "over by 756129", "185856 + 10376 = 196232"],
    ),
    (
        "partition_count",
        &[
            "SBUF: 756257 partitions exceed the limit of 128 partitions",
            "number of partitions 756257 exceeds architecture limitation of 128",
            "[NKI] partition dimension size 756257 is more than 128",
            "756257 > 128 partitions in SBUF",
        ],
        &["756257 > 128, over by 756129; nearest legal: 128 partitions"],
    ),
    (
        "start_partition",
        &[
            "the access starts at partition 48 with 36 partitions",
            "src start_partition(48) is illegal, num_partitions = 36",
            "Start partition: 48; number of partitions: 36",
            "start_partition=48 partitions=36",
            "start partition must be 0 or 64, got 48 for 36 partitions",
            "Start partition 48, num partitions 36",
            "\tBEGINS AT PARITION 48 , 36 PARTITIONS",
        ],
        &["36 partitions (33..64) may start only at 0 or 64, not at 48", "64 (16 above)"],
    ),
    (
        "start_partition",
        &[
            "dst start_partition(ii) is not multiple of partitions_per_bank (32)",
            "dst_start_partition( ii ) must be a multiple of 32",
            "START_PARTITION(ii)",
            "error: start_partition = ii",
            "dst start partition ii is not a multiple of 32",
        ],
        &["`ii` is a name, not a number (a loop variable, for one)", "multiple of 32"],
    ),
    (
        "start_partition",
        &[
            "AP: [[406, 36], [1, 203]]\nOffset: 19488\nLocation: {x}@SB<0,0>(84x1624)",
            "Location: {x}@SB<0,0>(84x1624)\nAccess pattern: [[406,36],[1,203]] offset=19488",
            "pattern [ [406,36] , [1,1] , [1,203] ] Offset : 19,488 in {x}@SB<0,0>(84x1624)",
            "12:00:01 AP\n12:00:01 Access Pattern: [[406,36],[1,1]] Offset: 19488",
        ],
        &["19488 / 406 = 48", "0 or 64, not at 48"],
    ),
    (
        "sbuf_bytes",
        &[
            "a: 888 bytes per partition\nb: 98568 bytes per partition\nc: 98568 bytes per partition\n\
             SB partition size: 196608",
            "888 B/partition, 98,568 B/partition, 98568 B / partition; SBUF partition size is 192 KiB",
            "limit of 196608 bytes per SBUF partition; takes 888 bytes per partition, 98568 bytes per partition and \
             98568 bytes per partition",
            "2024-05-01 12:33:01 1: x 888 Bytes per Partition in SB\r\n2: y 98568 bytes per partition in sbuf\r\n\
             3: z 98568 Bytes per Partition in SB\r\nSBUF capacity per partition = 196608 bytes",
        ],
        &["888 + 98568 + 98568 = 198024 > 196608", "over by 1416"],
    ),
    (
        "sbuf_bytes",
        &[
            "Total accessed bytes per partition: 198024, SB partition size: 196608",
            "total bytes per partition by instruction = 198,024\nSBUF Partition limit: 192 KiB",
            "the instruction takes 198024 bytes per partition in total\nSB partition size 196608",
            "198024 bytes per partition exceeds 196608 bytes per partition in SBUF",
            "SBUF: 198024 > 196608 bytes per partition",
            "SB usage 198024 / 196608 bytes per partition",
            "SBUF: needs 198024 bytes per partition, only 196608 available",
            "SBUF: needs 198024 bytes per partition (limit: 192 KiB)",
        ],
        &["198024 > 196608", "over by 1416"],
    ),
    (
        "matmul_destination",
        &[
            "matmul dst tensor is not PSUM: float32 <128x420> in SB",
            "Matmult destination must be in PSUM, got float32 [128, 420] in SBUF",
            "[TEN404] I-3-0 MatMul output float32 < 128 x 420 > in sbuf is not in psum",
            "12:00:01 error: matmulmx result should live in PSUM but is float32 (128,420) in the SBUF",
        ],
        &["a matmul writes PSUM only", "420 x 4 = 1680"],
    ),
    (
        "step_field",
        &[
            "step = -48528 < min = -32768",
            "the stride -48528 is less than the minimum of -32768",
            "BIR: I-1 step: -48528 is too small",
            "Assertion: step(-48528) out of range [-32768, 32767]",
            "Step -48528 not in int16",
            "2024-05-01 12:33:01 new STEP is too small: STEP=-48528 (MIN=-32768)",
        ],
        &["-48528 < -32768", "under by 15760", "nearest legal: -32768"],
    ),
    (
        "matmul_source_partition",
        &[
            "assertion 's3d3_mm_valid_src_partition' failed",
            "I-7: MATMUL: check s4d4_mm_valid_src_partition",
            "Matmult source partition check failed",
            "12:00:01 [X] matmul: invalid src partition",
        ],
        &["0, 32, 64 or 96"],
    ),
    (
        "pattern_in_tensor",
        &[
            "Reason: access pattern out of bounds",
            "AP out-of-bound",
            "Out-of-bound access for tensor `x` on dimension 1",
            "the access pattern is out of range",
            "12:00:01 === BIR error === Pattern reaches outside of its tensor",
        ],
        &["offset + sum((num - 1) * step)"],
    ),
    (
        "gather_index",
        &[
            "scatter out-of-bounds access",
            "indirect memory copy: index out of bound",
            "RuntimeError: gather failed, out_of_bounds",
            "2024-05-01 vector DGE ran out of bounds",
        ],
        &["1006", "run"],
    ),
    (
        "psum_banks",
        &[
            "PSUM bank 9",
            "bank 9 of PSUM",
            "psum: banks 2-9 requested",
            "PSUM banks 0 to 9",
            "12:00:01 I-9-2 uses bank=9 in PSUM",
        ],
        &["bank 9 > 7, over by 2", "bank 9 > 3"],
    ),
    (
        "psum_banks",
        &[
            "16 PSUM banks",
            "PSUM: sixteen banks",
            "needs 16 banks of PSUM",
            "psum has 16 banks?",
            "too many PSUM banks: 16 requested",
        ],
        &["16 > 8, over by 8"],
    ),
    (
        "no_address_rule",
        &[
            "no PSUM tensor was allocated",
            "fails without any psum tensor allocated",
            "12:00:01 error: no tensors are allocated in PSUM",
            "runtime error in the allocation API: not one tensor",
        ],
        &["Not an address fault"],
    ),
];

#[test]
fn other_wordings_are_understood() {
    for (rule, texts, expected) in REWORDED {
        assert!(texts.len() >= 4);
        for text in texts {
            let report = explain(text, EVERY);
            assert!(!of_rule(&report, rule).is_empty(), "{rule}: {text:?}\n{}", report.render_text());
            assert_says(text, &report, expected);
        }
    }
}
