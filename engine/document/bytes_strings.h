/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_strings.h -- names as they are written, and namespace names: each distinct one has a slot of a hash table
 */
#ifndef GX_BYTES_STRINGS_H
#define GX_BYTES_STRINGS_H

#include "bytes_context.h"

#define GX_URI_NONE 0xffffffffu         /* attr_uri: it is no declaration; else a string's slot */
#define GX_URI_EMPTY 0xfffffffeu

/* Where a string, or an ID, comes in the order of the interned: names by their place, what the values of a tag add
 * behind all names in it */
#define GX_ORDER_NAME(at) ((u64)(at) << 32)
#define GX_ORDER_URI(end, at) ((u64)(end) << 32 | (at))
#define GX_ORDER_ID(end, at) ((u64)(end) << 32 | 0x80000000u | (at))

/* The slot that a string has, or gets; GX_NONE: the table is too full, or it was looked for too long */
GX_OP_BIG u32 gx_strings_put(gx_bytes *b, u32 at, u32 len, u64 order)
{
    const char *s = (const char *)b->s + at;
    const u64 key = (u64)(at + 1) << 32 | len;
    u32 slot = (u32)gx_text_hash(b->r->seed, s, len) & (b->n_slots - 1);

    for (u32 looks = 0; looks < GX_BYTES_PROBES; looks++, slot = (slot + 1) & (b->n_slots - 1)) {
        u64 has = TEAM_LOAD(&b->strings[slot]);
        if (!has)
            has = team_claim(&b->strings[slot], key);
        if (!has || ((u32)has == len && gx_text_equal((const char *)b->s + (has >> 32) - 1, len, s, len))) {
            team_least(&b->strings_first[slot], order);
            return slot;
        }
    }
    return GX_NONE;
}

/* The slots that are taken, by the order in which they were first seen: list[0 .. *n); at most `most`, else the
 * document is refused */
GX_OP_BIG gx_status gx_slots_order(gx_bytes *b, const u64 *keys, const u64 *first, u32 n_slots, u32 most, u32 **list,
                                   u32 *n)
{
    u32 *taken, *any, *sorted;

    GX_BYTES_ROOM(b, taken, u32, n_slots + 1);
    team_sync(&b->t);
    TEAM_FOR(&b->t, i, n_slots)
        taken[i] = keys[i] != 0;
    const u32 count = (u32)team_scan(&b->t, taken, n_slots);
    if (count > most)
        return b->status = GX_EXML;
    GX_BYTES_ROOM(b, any, u32, count);
    GX_BYTES_ROOM(b, sorted, u32, count);
    TEAM_FOR(&b->t, i, n_slots)
        if (taken[i + 1] != taken[i])
            any[taken[i]] = i;
    team_sync(&b->t);
    TEAM_FOR(&b->t, i, count) {
        u32 before = 0;
        for (u32 k = 0; k < count; k++)
            before += first[any[k]] < first[any[i]];
        sorted[before] = any[i];
    }
    team_sync(&b->t);
    *list = sorted;
    *n = count;
    return GX_OK;
}

GX_OP_BIG gx_status gx_slots_make(gx_bytes *b, u64 **keys, u64 **first, u32 n)
{
    GX_BYTES_ROOM(b, *keys, u64, n);
    GX_BYTES_ROOM(b, *first, u64, n);
    u64 *const k = *keys, *const f = *first;
    TEAM_FOR(&b->t, i, n) {
        k[i] = 0;
        f[i] = ~0ull;
    }
    team_sync(&b->t);
    return GX_OK;
}

/* The table of strings, whose size the number of tokens and attributes says */
GX_OP_BIG gx_status gx_bytes_table(gx_bytes *b)
{
    b->n_slots = GX_BYTES_STRINGS_LEAST;
    while (b->n_slots < GX_BYTES_STRINGS && b->n_slots / 2 < b->n_tokens + 2 * (u64)b->n_attrs)
        b->n_slots *= 2;
    GX_BYTES_ROOM(b, b->string_id, u32, b->n_slots);
    return gx_slots_make(b, &b->strings, &b->strings_first, b->n_slots);
}

#endif
