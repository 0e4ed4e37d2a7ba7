/* Finds and validates every address word of a stream of bundles: a switch over the opcode, one line for each slot, as one
 * would write it with the description of the format at hand. */
#include "peer.h"

#include <string.h>

static uint32_t word_at(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint16_t half_at(const uint8_t *bytes) {
    uint16_t half;
    memcpy(&half, bytes, sizeof half);
    return half;
}

static uint32_t alignment_of(unsigned generation, unsigned dtype) {
    switch (dtype) {
    case 2: case 3: case 13: case 14: case 15:
        return 1;
    case 4: case 5: case 6: case 7:
        return 2;
    case 8: case 9: case 10: case 11:
        return 4;
    case 1: case 12:
        return 8;
    case 16:
        return generation == 4 ? 1 : 0;
    default:
        return 0;
    }
}

enum { WRITE = 4, PSUM = 2, SBUF = 1 };
enum mode { STATIC, INDIRECT, ACTIVE, DEAD };

static enum mode mode_of(uint32_t word) {
    return word >> 29 & 3;
}

/* The verdict on one word. */
static unsigned word_verdict(unsigned generation, uint32_t word, unsigned dtype, unsigned flags) {
    if (word >> 31) {
        if (word & (generation == 2 ? 0x7FFFFF00u : 0x00FFFF00u))
            return REG_RESERVED_BITS;
        return (word & 0xFF) > 63 ? REG_ID_RANGE : OK;
    }
    uint32_t address = word & 0x1FFFFFFF;
    uint32_t alignment = alignment_of(generation, dtype);
    if (alignment == 0)
        return NO_ALIGNMENT_FOR_DTYPE;
    if (address & (alignment - 1))
        return MISALIGNED;
    if (address >= 0x02000000 && address < 0x02400000) {
        if (!(flags & PSUM))
            return PSUM_NOT_ALLOWED;
        return (flags & WRITE) && !(dtype >= 8 && dtype <= 11) ? PSUM_WRITE_DTYPE : OK;
    }
    if (address >= 0x02000000)
        return NOT_ON_CHIP;
    return flags & SBUF ? OK : SBUF_NOT_ALLOWED;
}

/* A reason of the word with this number: 0 start, 1 index, 2 data, 3 scale. */
static unsigned of_word(unsigned number, unsigned verdict) {
    return verdict == OK ? OK : number * 8 + verdict;
}

static unsigned tensor_verdict(unsigned generation, const uint8_t *slot, unsigned loops, unsigned dtype, unsigned flags) {
    uint32_t word = word_at(slot);
    if (mode_of(word) == DEAD)
        return DEAD_MODE;
    if (mode_of(word) == INDIRECT)
        return INDIRECT_IN_TENSOR;
    unsigned verdict = word_verdict(generation, word, dtype, flags);
    if (verdict != OK)
        return verdict;
    if (mode_of(word) != ACTIVE)
        for (unsigned loop = 0; loop < loops; loop++)
            if (half_at(slot + 4 + 2 * (loops + loop)) == 0)
                return ZERO_NUM;
    return OK;
}

static unsigned gather_verdict(unsigned generation, const uint8_t *slot, unsigned dtype, unsigned flags) {
    if (half_at(slot + 8) == 0)
        return ZERO_NUM;
    unsigned verdict = word_verdict(generation, word_at(slot), 9, SBUF);
    if (verdict != OK)
        return of_word(1, verdict);
    if (slot[7] & 0xE0)
        return DATA_FLAGS;
    return of_word(2, word_verdict(generation, word_at(slot + 4), dtype, flags));
}

static unsigned mx_verdict(const uint8_t *slot, unsigned dtype, unsigned flags) {
    unsigned verdict, partition;
    flags &= ~(unsigned)PSUM;
    if (mode_of(word_at(slot)) == INDIRECT) {
        if (half_at(slot + 12) == 0)
            return ZERO_NUM;
        if ((verdict = word_verdict(4, word_at(slot), 9, flags)) != OK)
            return of_word(1, verdict);
        if ((verdict = word_verdict(4, word_at(slot + 4), 9, flags)) != OK)
            return of_word(2, verdict);
        if ((verdict = word_verdict(4, word_at(slot + 8), 3, flags)) != OK)
            return of_word(3, verdict);
        partition = slot[15];
        return partition & ~12u ? SCALE_PARTITION : OK;
    }
    if (mode_of(word_at(slot)) == DEAD)
        return DEAD_MODE;
    verdict = word_verdict(4, word_at(slot), 9, flags);
    if (verdict != OK && !(dtype == 16 && word_verdict(4, word_at(slot), 5, flags) == OK))
        return of_word(2, verdict);
    if ((verdict = word_verdict(4, word_at(slot + 4), 3, flags)) != OK)
        return of_word(3, verdict);
    if ((slot[3] & 0x70) != 0x40) {
        if (half_at(slot + 8) == 0)
            return ZERO_NUM;
        if (slot[10] != 1 && slot[10] != 0xFF)
            return STEP_DIRECTION;
    }
    if ((slot[3] & 0xA0) == 0x80)
        return OK;
    partition = slot[11];
    return partition & ~12u ? SCALE_PARTITION : OK;
}

/* The destination of a matmul to bf16 on gen4. */
static unsigned matmul_verdict(const uint8_t *slot) {
    uint32_t word = word_at(slot);
    if (mode_of(word) == DEAD)
        return DEAD_MODE;
    if (mode_of(word) == INDIRECT)
        return OK; /* not known, and not counted */
    if (word >> 31) {
        unsigned verdict = word_verdict(4, word, 6, 0);
        if (verdict != OK)
            return verdict;
    } else {
        uint32_t address = word & 0x1FFFFFFF;
        if (address & 1)
            return MISALIGNED;
        if (address < 0x02000000 || address >= 0x02400000)
            return NOT_PSUM;
    }
    if (mode_of(word) != ACTIVE)
        for (unsigned loop = 0; loop < 3; loop++)
            if (half_at(slot + 10 + 2 * loop) == 0)
                return ZERO_NUM;
    return OK;
}

/* Address words of a slot of several loops. */
static unsigned words_of(const uint8_t *slot) {
    return mode_of(word_at(slot)) == INDIRECT ? 2 : 1;
}

static unsigned mx_words_of(const uint8_t *slot) {
    return mode_of(word_at(slot)) == INDIRECT ? 3 : 2;
}

void peer_bundle_c(uint32_t generation, const uint8_t *bundles, size_t count, uint64_t counts[BUNDLE_COUNTS]) {
    for (size_t number = 0; number < count; number++) {
        const uint8_t *b = bundles + 64 * number;
/* A slot that is a tensor before gen4 and a union from gen4 on. */
#define UNION(offset, loops, dtype, flags)                                                                             \
    do {                                                                                                               \
        counts[WORDS] += words_of(b + (offset));                                                                       \
        if (generation == 4 && mode_of(word_at(b + (offset))) == INDIRECT)                                             \
            counts[gather_verdict(generation, b + (offset), (dtype), (flags))]++;                                      \
        else                                                                                                           \
            counts[tensor_verdict(generation, b + (offset), (loops), (dtype), (flags))]++;                             \
    } while (0)
#define GATHER(offset, loops, dtype, flags)                                                                            \
    do {                                                                                                               \
        counts[WORDS] += words_of(b + (offset));                                                                       \
        if (mode_of(word_at(b + (offset))) == INDIRECT)                                                                \
            counts[gather_verdict(generation, b + (offset), (dtype), (flags))]++;                                      \
        else                                                                                                           \
            counts[tensor_verdict(generation, b + (offset), (loops), (dtype), (flags))]++;                             \
    } while (0)
#define TENSOR(offset, loops, dtype, flags)                                                                            \
    do {                                                                                                               \
        counts[WORDS] += words_of(b + (offset));                                                                       \
        counts[tensor_verdict(generation, b + (offset), (loops), (dtype), (flags))]++;                                 \
    } while (0)
#define UNJUDGED(offset) (counts[WORDS] += words_of(b + (offset)))
        switch (b[0]) {
        case 0x42: case 0x52: case 0x83: case 0x84: case 0x4E: case 0x5E: case 0x46: case 0x47: case 0x48: case 0x6A: case 0x6B:
            UNION(12, 4, b[32], PSUM | SBUF);
            UNION(44, 4, b[33], WRITE | PSUM | SBUF);
            break;
        case 0x45: case 0x58:
            TENSOR(12, 4, b[32], PSUM | SBUF);
            UNJUDGED(44);
            break;
        case 0x7C: case 0x7D:
            TENSOR(12, 4, b[32], SBUF);
            TENSOR(44, 4, b[33], WRITE | SBUF);
            break;
        case 0x68:
            UNJUDGED(12);
            UNJUDGED(44);
            break;
        case 0xE7:
            GATHER(12, 4, b[32], SBUF);
            UNJUDGED(44);
            break;
        case 0x02:
            UNION(16, 3, b[32], SBUF);
            if (generation == 2) {
                UNJUDGED(48);
            } else if (generation == 4 && b[40] == 6) {
                counts[WORDS] += words_of(b + 48);
                counts[matmul_verdict(b + 48)]++;
            } else {
                UNION(48, 3, b[40], WRITE | PSUM);
            }
            break;
        case 0x01:
            UNION(16, 3, b[32], SBUF);
            break;
        case 0x0A:
            if (generation < 4)
                break;
            counts[WORDS] += mx_words_of(b + 16);
            counts[mx_verdict(b + 16, b[32], SBUF)]++;
            if (b[40] == 6) {
                counts[WORDS] += words_of(b + 48);
                counts[matmul_verdict(b + 48)]++;
            } else {
                UNION(48, 3, b[40], WRITE | PSUM);
            }
            break;
        case 0x09:
            if (generation < 4)
                break;
            counts[WORDS] += mx_words_of(b + 16);
            counts[mx_verdict(b + 16, b[32], SBUF)]++;
            break;
        case 0xE3:
            if (generation < 4)
                break;
            UNION(16, 3, b[34], SBUF);
            counts[WORDS] += mx_words_of(b + 48);
            counts[mx_verdict(b + 48, b[35], WRITE | SBUF)]++;
            break;
        case 0x21:
            UNION(16, 3, b[32] & 15u, PSUM | SBUF);
            UNION(48, 3, b[33], WRITE | PSUM | SBUF);
            break;
        case 0x22:
            UNJUDGED(16);
            UNION(48, 3, b[33], WRITE | PSUM | SBUF);
            break;
        case 0x43: case 0x53: case 0x44: case 0x54: case 0x93: case 0x9A: case 0xE6: case 0x30:
            UNION(16, 3, b[32], PSUM | SBUF);
            UNION(48, 3, b[33], WRITE | PSUM | SBUF);
            break;
        case 0x41: case 0x51: case 0x72: case 0x99:
            UNJUDGED(16);
            UNJUDGED(32);
            UNJUDGED(48);
            break;
        case 0xBF:
            if (generation < 3)
                break;
            UNION(16, 3, b[12], SBUF);
            UNION(48, 3, b[13], WRITE | SBUF);
            break;
        case 0x7B:
            if (generation < 3)
                break;
            UNION(12, 3, b[32], SBUF);
            UNION(44, 3, b[33], WRITE | SBUF);
            break;
        case 0xE2:
            if (generation == 4)
                UNJUDGED(48);
            break;
        case 0x61: case 0x82:
            UNJUDGED(12);
            UNJUDGED(48);
            break;
        case 0x7E:
            UNJUDGED(44);
            break;
        case 0x49:
            counts[WORDS] += 1;
            break;
        case 0xE0:
            if (generation == 4)
                UNJUDGED(16);
            break;
        case 0xBB:
            counts[WORDS] += 2;
            break;
        case 0xF1:
            counts[WORDS] += generation >= 3;
            break;
        case 0xCA:
            counts[WORDS] += 3;
            UNJUDGED(24);
            break;
        default:
            break;
        }
    }
}
