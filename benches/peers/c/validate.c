/* A validator of address words as a C programmer would write it. Built with -O3 -march=native. */
#include "peer.h"

static inline enum verdict judge(const struct access *access, uint32_t word)
{
    if (word >> 31) {
        uint32_t reserved = access->generation == 2 ? 0x7FFFFF00u : 0x00FFFF00u;
        if (word & reserved)
            return REG_RESERVED_BITS;
        return (word & 0xFF) < 64 ? OK : REG_ID_RANGE;
    }

    uint32_t address = word & 0x1FFFFFFFu;
    if (access->alignment == 0)
        return NO_ALIGNMENT_FOR_DTYPE;
    if (address & (access->alignment - 1))
        return MISALIGNED;
    if (address < 0x02000000u)
        return access->allow_sbuf ? OK : SBUF_NOT_ALLOWED;
    if (address >= 0x02400000u)
        return NOT_ON_CHIP;
    if (!access->allow_psum)
        return PSUM_NOT_ALLOWED;
    return access->write && !access->accumulator ? PSUM_WRITE_DTYPE : OK;
}

void peer_c(const struct access *access, const uint32_t *words, size_t count, uint64_t counts[VERDICTS])
{
    /* A copy, so that the compiler knows that the counts do not change it. */
    const struct access asked = *access;

    for (size_t i = 0; i < count; i++)
        counts[judge(&asked, words[i])]++;
}

/*
 * The same with care for the compiler: every class is counted without a branch, so that the loop becomes vectors.
 * More than a plain peer would do; it tells how much of the library's gain a C compiler finds by itself.
 */
void peer_c_branch_free(const struct access *access, const uint32_t *words, size_t count, uint64_t counts[VERDICTS])
{
    const uint32_t reserved = access->generation == 2 ? 0x7FFFFF00u : 0x00FFFF00u;
    const uint32_t low = access->alignment ? access->alignment - 1 : 0;
    uint64_t registers = 0, bad_bits = 0, bad_id = 0, misaligned = 0, sbuf = 0, psum = 0;

    while (count > 0) {
        /* Counters as wide as a word keep the vectors full. */
        size_t block = count < 65536 ? count : 65536;
        uint32_t n_registers = 0, n_bits = 0, n_id = 0, n_misaligned = 0, n_sbuf = 0, n_psum = 0;
        for (size_t i = 0; i < block; i++) {
            uint32_t word = words[i], address = word & 0x1FFFFFFFu;
            uint32_t is_register = word >> 31, immediate = is_register ^ 1;
            uint32_t bits = (word & reserved) != 0, aligned = immediate & ((word & low) == 0);
            n_registers += is_register;
            n_bits += is_register & bits;
            n_id += is_register & (bits ^ 1) & ((word & 0xFF) > 63);
            n_misaligned += immediate & (aligned ^ 1);
            n_sbuf += aligned & (address < 0x02000000u);
            n_psum += aligned & (address - 0x02000000u < 0x00400000u);
        }
        registers += n_registers;
        bad_bits += n_bits;
        bad_id += n_id;
        misaligned += n_misaligned;
        sbuf += n_sbuf;
        psum += n_psum;
        counts[OK] += block;
        words += block;
        count -= block;
    }

    /* Until here everything counts as ok; now the rejected ones move to their reasons. */
    uint64_t immediates = counts[OK] - registers;
    counts[REG_RESERVED_BITS] += bad_bits;
    counts[REG_ID_RANGE] += bad_id;
    counts[OK] -= bad_bits + bad_id;
    if (access->alignment == 0) {
        counts[NO_ALIGNMENT_FOR_DTYPE] += immediates;
        counts[OK] -= immediates;
        return;
    }
    uint64_t off_chip = immediates - misaligned - sbuf - psum;
    counts[MISALIGNED] += misaligned;
    counts[NOT_ON_CHIP] += off_chip;
    counts[OK] -= misaligned + off_chip;
    if (!access->allow_sbuf) {
        counts[SBUF_NOT_ALLOWED] += sbuf;
        counts[OK] -= sbuf;
    }
    if (!access->allow_psum || (access->write && !access->accumulator)) {
        counts[access->allow_psum ? PSUM_WRITE_DTYPE : PSUM_NOT_ALLOWED] += psum;
        counts[OK] -= psum;
    }
}
