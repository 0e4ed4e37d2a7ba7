/* What the recorder calls. */
#ifndef TRNWIRE_PEER_H
#define TRNWIRE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked about a word. */
struct access {
    uint32_t generation; /* 2, 3 or 4 */
    uint32_t alignment;  /* a power of two, or 0 where the type has none */
    bool write;
    bool accumulator; /* the PSUM accumulators hold the type */
    bool allow_psum;
    bool allow_sbuf;
};

enum verdict {
    OK,
    REG_RESERVED_BITS,
    REG_ID_RANGE,
    NO_ALIGNMENT_FOR_DTYPE,
    MISALIGNED,
    PSUM_NOT_ALLOWED,
    PSUM_WRITE_DTYPE,
    NOT_ON_CHIP,
    SBUF_NOT_ALLOWED,
    VERDICTS
};

/* The verdicts on a slot: the first eight after OK stand four times, for the start, index, data and scale word. */
enum slot_verdict {
    UNSUPPORTED_ON_ARCH = 4 * (VERDICTS - 1) + 1,
    DEAD_MODE,
    INDIRECT_IN_TENSOR,
    ZERO_NUM,
    DATA_FLAGS,
    STEP_DIRECTION,
    SCALE_PARTITION,
    NOT_SAME_QUADRANT,
    NOT_PSUM,
    MATMUL_DESTINATION_DTYPE,
    SOURCE_NOT_ON_CHIP,
    BOTH_PSUM,
    WORDS, /* how many address words there are */
    BUNDLE_COUNTS
};

/* Writes the dump of a context; gives its length. */
size_t peer_dump_c(const uint8_t *context, bool pretty, char *text, size_t room);

void peer_bundle_c(uint32_t generation, const uint8_t *bundles, size_t count, uint64_t counts[BUNDLE_COUNTS]);

void peer_c(const struct access *access, const uint32_t *words, size_t count, uint64_t counts[VERDICTS]);
void peer_c_branch_free(const struct access *access, const uint32_t *words, size_t count, uint64_t counts[VERDICTS]);

uint64_t sum_plain(const uint64_t *numbers, size_t count);
uint64_t sum_avx2(const uint64_t *numbers, size_t count);
uint64_t sum_avx512(const uint64_t *numbers, size_t count);
uint64_t sum_avx512_unrolled(const uint64_t *numbers, size_t count);
uint64_t sum_avx512_prefetch_2k(const uint64_t *numbers, size_t count);
uint64_t sum_avx512_prefetch_4k(const uint64_t *numbers, size_t count);

#endif
