/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edition.c -- fuzzing the spelling of names: whatever the bytes are, what is spelled is read back as it was, each
 * place has its place, and every parser of the fourth edition takes what was spelled for names
 *
 * Input: one byte of the seed, then the bytes.
 */
#include "fuzz.h"
#include "engine/document/edition.h"
#include "engine/document/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static gx_buf spelled;
    if (size < 1)
        return 0;
    const u64 seed = 1 + data[0];
    const char *s = (const char *)data + 1;
    const size_t n = size - 1;
    spelled.n = 0;
    const int any = gx_edition_spell(seed, s, n, &spelled);
    FUZZ_ASSERT(any >= 0 && spelled.n >= n && (any || spelled.n == n));
    /* places: 0 is 0, the end is the end, in between they never go back, and each byte that was spelled has one */
    size_t last = 0;
    for (size_t at = 0; at <= spelled.n; at += 1 + spelled.n / 512) {
        const size_t place = gx_edition_place(s, n, at);
        FUZZ_ASSERT(place >= last && place <= n && (at || !place));
        last = place;
    }
    FUZZ_ASSERT(gx_edition_place(s, n, spelled.n) == n);
    char *copy = malloc(spelled.n + 1);
    FUZZ_ASSERT(copy);
    if (spelled.n)
        memcpy(copy, spelled.at, spelled.n);
    FUZZ_ASSERT(gx_edition_read(seed, copy, spelled.n) == n && memcmp(copy, s, n) == 0);
    free(copy);
    return 0;
}
