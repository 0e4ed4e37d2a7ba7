/* Streaming sums: what the memory gives. The best of them is the yardstick. Built with -O3 -march=native. */
#include "peer.h"

#include <immintrin.h>

uint64_t sum_plain(const uint64_t *numbers, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

/* The count is a multiple of 64 in all that follow. Without the instruction set they are the plain sum. */

uint64_t sum_avx2(const uint64_t *numbers, size_t count)
{
#ifdef __AVX2__
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
    for (size_t i = 0; i < count; i += 16) {
        const __m256i *at = (const __m256i *)(numbers + i);
        a = _mm256_add_epi64(a, _mm256_loadu_si256(at));
        b = _mm256_add_epi64(b, _mm256_loadu_si256(at + 1));
        c = _mm256_add_epi64(c, _mm256_loadu_si256(at + 2));
        d = _mm256_add_epi64(d, _mm256_loadu_si256(at + 3));
    }
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *)lanes, _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d)));
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
#else
    return sum_plain(numbers, count);
#endif
}

uint64_t sum_avx512(const uint64_t *numbers, size_t count)
{
#ifdef __AVX512F__
    __m512i a = _mm512_setzero_si512();
    for (size_t i = 0; i < count; i += 8)
        a = _mm512_add_epi64(a, _mm512_loadu_si512(numbers + i));
    return (uint64_t)_mm512_reduce_add_epi64(a);
#else
    return sum_plain(numbers, count);
#endif
}

#ifdef __AVX512F__
static inline uint64_t sum_unrolled(const uint64_t *numbers, size_t count, size_t ahead)
{
    __m512i sums[8];
    for (int k = 0; k < 8; k++)
        sums[k] = _mm512_setzero_si512();
    for (size_t i = 0; i < count; i += 64) {
        for (int k = 0; k < 8; k++) {
            if (ahead)
                _mm_prefetch((const char *)(numbers + i + 8 * k) + ahead, _MM_HINT_T0);
            sums[k] = _mm512_add_epi64(sums[k], _mm512_loadu_si512(numbers + i + 8 * k));
        }
    }
    for (int k = 1; k < 8; k++)
        sums[0] = _mm512_add_epi64(sums[0], sums[k]);
    return (uint64_t)_mm512_reduce_add_epi64(sums[0]);
}
#endif

uint64_t sum_avx512_unrolled(const uint64_t *numbers, size_t count)
{
#ifdef __AVX512F__
    return sum_unrolled(numbers, count, 0);
#else
    return sum_plain(numbers, count);
#endif
}

uint64_t sum_avx512_prefetch_2k(const uint64_t *numbers, size_t count)
{
#ifdef __AVX512F__
    return sum_unrolled(numbers, count, 2048);
#else
    return sum_plain(numbers, count);
#endif
}

uint64_t sum_avx512_prefetch_4k(const uint64_t *numbers, size_t count)
{
#ifdef __AVX512F__
    return sum_unrolled(numbers, count, 4096);
#else
    return sum_plain(numbers, count);
#endif
}
