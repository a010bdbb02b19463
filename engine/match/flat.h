/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat.h -- a set of profiles and a document as blocks without pointers, for teams that match (nodes.h)
 *
 * The set: every shared formula by its number, so that a formula's operands come before it, rank by rank (set.h); and
 * the codes of profiles (code.h), sorted so that neighbours have the same operations and begin with the same formula:
 * the threads of a warp, which take neighbours, then do the same.
 *
 *   TEST   a test                 elements that pass it: a list of the document
 *   ATOM   an atom                one of an element's items is in its interval
 *   EDGE   test, axis, operand
 *   AND, OR   references in args: how many, and these
 *
 * The document: its elements in document order. The root is 0, the document element 1. Lists ascend; a step upwards
 * from a list leaves one, in one pass.
 *
 *   items of an element       atoms of texts that hold, positions of its numbers (value.h): "< 10" is an interval of
 *                             positions, and a text is an interval of one item
 *   list of a test            the elements that pass it
 *   list of a group           pairs of an element and one of its items in the group
 *
 * Elements are 16 bits: a document has 65,534 at most, and so many items, and so has a set of tests. What is larger is
 * matched on the CPU. Lists begin at multiples of 8 bytes: members read four elements at a time.
 */
#ifndef GXP_FLAT_H
#define GXP_FLAT_H

#include "base.h"

enum { GXP_FLAT_TEST, GXP_FLAT_ATOM, GXP_FLAT_EDGE, GXP_FLAT_AND, GXP_FLAT_OR };
#define GXP_FLAT_KIND(f) ((f)->a & 7)
#define GXP_NO_NODE 0xffffu
enum { GXP_FLAT_NODES = 65534 };

typedef struct gxp_flat_formula {
    u32 a;                  /* kind; EDGE: (test << 2 | axis) << 3 | kind */
    u32 b;                  /* TEST: the test; ATOM: its number; EDGE: the operand; AND, OR: the place in args */
} gxp_flat_formula;

typedef struct gxp_flat_atom {
    u32 first, last;        /* items */
    u32 group;
    u32 is_listed;          /* something needs the list of its elements; else it is looked up for one at a time */
} gxp_flat_atom;

typedef struct gxp_flat_subscriber {
    u32 formula, how;       /* how << 30 | profile, as in gxp_set */
} gxp_flat_subscriber;

typedef struct gxp_flat {
    u64 size;               /* of the whole block; offsets in bytes from its start */
    u32 n_formulas, n_ranks, n_profiles, n_tests, n_groups, n_atoms, n_codes, n_subscribers;
    u64 rank_start;         /* u32, n_ranks + 1 */
    u64 formula;            /* gxp_flat_formula */
    u64 args;               /* u32 */
    u64 atom;               /* gxp_flat_atom */
    u64 subscriber;         /* gxp_flat_subscriber: profiles that a shared formula is */
    u64 code_at;            /* u32, where each code begins in code */
    u64 code;               /* u32 */
    u64 group_of;           /* u32, of each item: for gxp_tree_make */
} gxp_flat;

typedef struct gxp_tree {
    u64 size;
    u32 n, n_items;         /* elements and the root; items */
    u32 has_ns, unused;
    u64 node;               /* u32: parent | name's test << 16, GXP_NO_NODE: none */
    u64 item_at;            /* u16, n + 1: where each element's items begin */
    u64 item;               /* u32; with this column ends what is looked at most, which a block copies: */
    u64 hot_end;
    u64 ns;                 /* u16: another test that it passes, GXP_NO_NODE: none */
    u64 all;                /* u16: 0, 1, 2 ... */
    u64 test_at;            /* u32, n_tests + 1: where each test's list ends; the next begins at a multiple of 4 */
    u64 test;               /* u16 */
    u64 group_at;           /* u32, n_groups + 1 */
    u64 group_item;         /* u32 */
    u64 group_node;         /* u16, ascending in each group */
} gxp_tree;

#define GXP_COL(block, type, column) ((const type *)(const void *)((const char *)(block) + (block)->column))

/* What a team that matches gets, and says */
typedef struct gxp_request {
    const gxp_flat *flat;
    const gxp_tree *tree;
    char *scratch;          /* gxp_scratch_of; one for each document that is matched at the same time */
    u32 most_nodes;         /* of a document; and of lists: */
    u32 pool;
    u64 *matched;           /* a bit for each profile, n_profiles / 64 + 1 words */
    u64 most_work;          /* elements looked at, more or less; 0 = any */
} gxp_request;

/* Of a team's squads as many have buffers for long lists. */
enum { GXP_WIDE = 32 };

typedef struct gxp_scratch {
    u64 slot, holds, put_off, todo, bits, pool, wide, size;     /* in bytes from its start, where a gxp_shared is */
} gxp_scratch;

/* Where a column of so many bytes begins in a block that is being laid out: behind its size, which grows */
GX_FN u64 gxp_place(u64 *size, u64 bytes)
{
    const u64 at = *size;
    *size += (bytes + 15) & ~15ull;
    return at;
}

GX_FN gxp_scratch gxp_scratch_of(const gxp_flat *f, u32 most_nodes, u32 pool)
{
    gxp_scratch s;
    s.slot = 256;
    s.holds = s.slot + 8ull * f->n_formulas;
    s.put_off = s.holds + 8ull * (f->n_formulas / 64 + 1);
    s.todo = s.put_off + 4ull * (f->n_formulas > f->n_codes ? f->n_formulas : f->n_codes);
    s.bits = s.todo + 4ull * f->n_codes;
    s.pool = (s.bits + 4ull * GXP_WIDE * ((most_nodes + 32) / 32) + 15) & ~15ull;
    s.wide = s.pool + ((2ull * pool + 15) & ~15ull);
    s.size = (s.wide + 2ull * GXP_WIDE * (2ull * most_nodes + 64) + 255) & ~255ull;
    return s;
}

#ifdef __cplusplus
extern "C" {
#endif
struct gxp_set;
struct gxp_classes;
struct gx_doc;
struct gx_error;
/* The set's block, malloc'd. GX_ENOMEM; GX_ELIMIT: too large for it */
int gxp_flat_make(const struct gxp_set *set, gxp_flat **out);
/* A document whose elements' items are known (gxp_items_make): its block is written to `to`. Its size, or, if that is
 * above `room`, the bytes that writing it takes; 0: too many elements. flat: NULL for a tree that is sent to another
 * process: up to `ns`, the lists are left out */
u64 gxp_tree_make(const struct gxp_classes *c, const gxp_flat *flat, char *to, u64 room);
/* Blocks of other processes. A set's: GX_EBAD, if a team that follows it would leave its memory. Nobody writes it
 * meanwhile. */
int gxp_flat_check(const void *block, u64 size);
/* A sent tree (gxp_tree_make with flat NULL) in memory that others may write at any time: a checked copy of it, with
 * its lists, free()d. GX_EBAD, GX_ENOMEM */
int gxp_tree_complete(const void *sent, u64 size, const gxp_flat *flat, gxp_tree **out);
/* GX_OK; GX_EARENA: a pool, or a buffer, is too small; GX_ELIMIT: most_work */
int gxp_nodes_run_solo(const gxp_request *r);
int gxp_nodes_run_threads(const gxp_request *r, u32 members);
#ifdef __cplusplus
}
#endif
#endif
