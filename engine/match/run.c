/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c -- the formulas' values for one document, from the leaves upwards
 *
 *   rank 0: labels that the document has    its values are bits, one for each class
 *   each formula that holds somewhere       its edges and ANDs are evaluated; those that hold are of the next rank
 *   its profiles                            match, if it holds where they want it
 *
 * What does not hold anywhere is not stored, and of what does only the words that are not 0:
 *
 *   summary 0...0101    which pieces there are: here the first and the third
 *   piece, piece        each of m->piece words, 1 for up to 4,096 classes
 *
 * A value is made of its operands' by AND, OR, AND NOT; most that come to nothing have no piece in common. So that they
 * have not, classes of one name are neighbours. An edge moves its operand's bits to the parents, or ancestors, of the
 * classes: one row of a matrix for each bit, or, for documents with many classes, one list.
 */
#include <stdlib.h>
#include <string.h>
#include "classes.h"
#include "run.h"

enum { MATRIX_CLASSES = 2048 };     /* with more, parents are lists: a matrix would have 2 * 64 KB a thousand */

struct gxp_matcher {
    const gxp_set *set;
    gxp_classes classes;
    u32 w, piece;                   /* words of a value if it had them all; of a piece */
    u32 top, root;                  /* bits of classes */
    gx_buf bit;                     /* of each class */
    gx_buf parents, ancestors;      /* a summary and w words for each bit; or none */
    gx_buf list_start, list;        /* a list for each class, whose bit is its number then */
    gx_buf open;                    /* leaves while they are made, and names: a summary and w words each */
    gx_buf packed;                  /* of each of these: where its value is, or GX_NONE */
    gx_buf values;                  /* summaries with their pieces */
    u32 *slot;                      /* of each formula that holds: where its value is; of a leaf first its open row */
    u64 *holds;                     /* a bit for each formula */
    u64 *queued;                    /* the same, of those that are later */
    u32 *test_slot;                 /* of each test: its open row, GX_NONE: nothing passes it */
    gx_buf tests;                   /* those that something passes */
    gx_buf held;                    /* formulas that hold, by rank */
    gx_buf waiting;                 /* links of the lists of later ones; u32 pairs */
    u32 *later_head;                /* of each rank */
    gx_buf atoms;                   /* formulas of atoms that hold */
    gx_buf positions;               /* pairs: a group's position, class */
    gx_buf up[3];                   /* a value's parents, ancestors, itself and ancestors: a summary and w words */
    u32 up_known;
    u64 *matched;                   /* a bit for each profile */
    gx_buf ids;
    gxp_cost cost;
    u64 work, most_work, most_bytes;
    gx_status failed;               /* GX_ENOMEM, GX_ELIMIT */
    const char *limit;
    /* for programs */
    gx_arena *arena;
    apr_pool_t *pool;
};

/* A summary and w words of them, of which those that it does not name say nothing */
static u64 *row(const gx_buf *b, u32 w, u32 i) { return GX_BUF_AT(b, u64) + (size_t)i * (w + 1); }
static const u64 *value(const gxp_matcher *m, u32 slot) { return GX_BUF_AT(&m->values, u64) + slot; }

/* The piece of a value that has it */
static inline const u64 *piece_of(const gxp_matcher *m, const u64 *v, u32 k)
{
    return v + 1 + (size_t)gxp_ones(*v & (((u64)1 << k) - 1)) * m->piece;
}

static void fail(gxp_matcher *m, gx_status status, const char *limit)
{
    if (m->failed == GX_OK) {
        m->failed = status;
        m->limit = limit;
    }
}

/* Room for a whole value behind the last */
static inline u64 *next_value(gxp_matcher *m)
{
    const size_t bytes = (m->piece * 64 + 1ull) * sizeof(u64);
    if (m->values.n + bytes > m->most_bytes || m->values.n / sizeof(u64) >= GX_NONE)
        fail(m, GX_ELIMIT, "arena");
    else if (m->values.cap - m->values.n < bytes && gx_buf_room(&m->values, bytes))
        fail(m, GX_ENOMEM, NULL);
    return m->failed == GX_OK ? (u64 *)(void *)(m->values.at + m->values.n) : NULL;
}

/* What has been written there is a value: its slot */
static inline u32 take_value(gxp_matcher *m, u32 n_pieces)
{
    const u32 slot = (u32)(m->values.n / sizeof(u64));
    m->values.n += ((size_t)n_pieces * m->piece + 1) * sizeof(u64);
    return slot;
}

/* A row's pieces that are not 0 as a value; GX_NONE: there are none, or it failed */
static u32 pack(gxp_matcher *m, const u64 *from)
{
    u64 *to = next_value(m), *at = to + 1;
    u32 n = 0;
    if (!to)
        return GX_NONE;
    *to = 0;
    for (u64 left = *from; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        u64 some = 0;
        for (u32 x = 0; x < m->piece; x++)
            some |= at[x] = from[1 + (size_t)k * m->piece + x];
        if (some) {
            *to |= (u64)1 << k;
            at += m->piece;
            n++;
        }
    }
    return n ? take_value(m, n) : GX_NONE;
}

static u32 open_row(gxp_matcher *m)
{
    const size_t bytes = (m->w + 1ull) * sizeof(u64);
    u64 *to = m->open.n + bytes > m->most_bytes ? NULL : gx_buf_push(&m->open, bytes);
    u32 *packed = to ? gx_buf_push(&m->packed, sizeof *packed) : NULL;
    if (!packed) {
        fail(m, m->open.n + bytes > m->most_bytes ? GX_ELIMIT : GX_ENOMEM, "arena");
        return 0;
    }
    *packed = GX_NONE;
    memset(to, 0, bytes);
    return GX_BUF_N(&m->packed, u32) - 1;
}

/* A bit of a row whose words are all valid */
static inline void set_bit(const gxp_matcher *m, u64 *to, u32 bit)
{
    to[1 + bit / 64] |= (u64)1 << bit % 64;
    *to |= (u64)1 << bit / 64 / m->piece;
}

static void push(gxp_matcher *m, gx_buf *b, u32 x)
{
    u32 *to = gx_buf_push(b, sizeof *to);
    if (to)
        *to = x;
    else
        fail(m, GX_ENOMEM, NULL);
}

static int has_bit(const u64 *v, u32 i) { return (int)(v[i / 64] >> i % 64 & 1); }

/* ---- a formula holds ---- */

static int value_has(const gxp_matcher *m, const u64 *v, u32 bit)
{
    const u32 k = bit / 64 / m->piece;
    return (int)(*v >> k & 1) && (int)(piece_of(m, v, k)[bit / 64 % m->piece] >> bit % 64 & 1);
}

static void members(gxp_matcher *m, u32 range, u32 slot)
{
    const gxp_set *s = m->set;
    const u64 *v = value(m, slot);
    for (u32 i = s->members.from[range]; i < s->members.to[range]; i++) {
        const u32 how = GXP_HOW(s->member[i]), p = GXP_PROFILE(s->member[i]);
        if (how == GXP_ANYWHERE || value_has(m, v, how == GXP_AT_TOP ? m->top : m->root))
            m->matched[p / 64] |= (u64)1 << p % 64;
    }
}

static void hold(gxp_matcher *m, u32 f, u32 slot)
{
    m->holds[f / 64] |= (u64)1 << f % 64;
    m->slot[f] = slot;
    push(m, &m->held, f);
    const u32 range = gxp_range(&m->set->members, f);
    if (range != GX_NONE)
        members(m, range, slot);
}

static void queue(gxp_matcher *m, u32 f)
{
    const gxp_set *s = m->set;
    u32 lo = 0, hi = s->n_ranks;
    if (has_bit(m->queued, f))
        return;
    m->queued[f / 64] |= (u64)1 << f % 64;
    while (hi - lo > 1) { /* rank_start[lo] <= f < rank_start[hi] */
        const u32 mid = (lo + hi) / 2;
        if (s->rank_start[mid] <= f)
            lo = mid;
        else
            hi = mid;
    }
    const u32 at = GX_BUF_N(&m->waiting, u32);
    push(m, &m->waiting, f);
    push(m, &m->waiting, m->later_head[lo]);
    m->later_head[lo] = at;
}

/* ---- parents ---- */

/* Bits of v, and those put there meanwhile, which are above: their parents join `out`; and v, if they are to go on */
static void up_by_lists(gxp_matcher *m, u64 *v, u64 *out, int on)
{
    const u32 *start = GX_BUF_AT(&m->list_start, u32), *list = GX_BUF_AT(&m->list, u32);
    for (u32 i = 0; i < m->w; i++) {
        u64 done = 0, left;
        while ((left = v[i] & ~done)) {
            const u64 bit = left & -left;
            const u32 c = 64 * i + (u32)__builtin_ctzll(left);
            done |= bit;
            m->work += start[c + 1] - start[c];
            for (u32 k = start[c]; k < start[c + 1]; k++) {
                out[list[k] / 64] |= (u64)1 << list[k] % 64;
                if (on)
                    v[list[k] / 64] |= (u64)1 << list[k] % 64;
            }
        }
    }
}

/* A value's bits in all of its words, the others 0 */
static void unpack(const gxp_matcher *m, const u64 *v, u64 *to)
{
    const u64 *at = v + 1;
    memset(to, 0, (m->w + 1ull) * sizeof *to);
    *to = *v;
    for (u64 left = *v; left; left &= left - 1, at += m->piece)
        for (u32 x = 0; x < m->piece; x++)
            to[1 + (size_t)__builtin_ctzll(left) * m->piece + x] = at[x];
}

/* The row joins `out`, of which pieces that its summary does not name say nothing. */
static inline void join(const gxp_matcher *m, u64 *out, const u64 *from)
{
    for (u64 left = *from; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        const size_t at = 1 + (size_t)k * m->piece;
        for (u32 x = 0; x < m->piece; x++)
            out[at + x] = *out >> k & 1 ? out[at + x] | from[at + x] : from[at + x];
        *out |= (u64)1 << k;
    }
}

static void up_all(gxp_matcher *m, const u64 *v, u32 axis, u64 *out)
{
    u64 *copy = GX_BUF_AT(&m->up[GXP_HERE_OR_BELOW], u64);
    if (!m->parents.n) {
        m->up_known &= ~(1u << GXP_HERE_OR_BELOW);
        unpack(m, v, copy);
        memset(out, 0, (m->w + 1ull) * sizeof *out);
        up_by_lists(m, copy + 1, out + 1, axis == GXP_BELOW);
        for (u32 i = 0; i < m->w; i++)
            *out |= (u64)(out[1 + i] != 0) << i / m->piece;
        return;
    }
    const gx_buf *matrix = axis == GXP_CHILD ? &m->parents : &m->ancestors;
    const u64 *at = v + 1;
    *out = 0;
    for (u64 pieces = *v; pieces; pieces &= pieces - 1, at++)       /* of one word each: there are few classes */
        for (u64 left = *at; left; left &= left - 1)
            join(m, out, row(matrix, m->w, 64 * (u32)__builtin_ctzll(pieces) + (u32)__builtin_ctzll(left)));
}

static const u64 *up_of(gxp_matcher *m, u32 slot, u32 axis)
{
    u64 *out = GX_BUF_AT(&m->up[axis], u64);
    if (m->up_known >> axis & 1)
        return out;
    if (axis == GXP_HERE_OR_BELOW) {
        const u64 *above = up_of(m, slot, GXP_BELOW);
        unpack(m, value(m, slot), out);
        join(m, out, above);
    } else
        up_all(m, value(m, slot), axis, out);
    m->up_known |= 1u << axis;
    return out;
}

/* ---- what a formula triggers ---- */

/* The bits that two rows have in common, as a value; GX_NONE: none */
static inline u32 common(gxp_matcher *m, const u64 *a, const u64 *b)
{
    const u64 both = *a & *b;
    u64 *to, *at;
    if (!both || !(to = next_value(m)))
        return GX_NONE;
    at = to + 1;
    *to = 0;
    for (u64 left = both; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        u64 some = 0;
        for (u32 x = 0; x < m->piece; x++)
            some |= at[x] = a[1 + (size_t)k * m->piece + x] & b[1 + (size_t)k * m->piece + x];
        at += some ? m->piece : 0;
        *to |= (u64)(some != 0) << k;
    }
    return *to ? take_value(m, (u32)(at - to - 1) / m->piece) : GX_NONE;
}

static void edges(gxp_matcher *m, u32 range, u32 slot)
{
    const gxp_set *s = m->set;
    m->cost.tried += s->edges.to[range] - s->edges.from[range];
    for (u32 f = s->edges.from[range]; f < s->edges.to[range]; f++) {
        const u32 test = m->test_slot[s->word[f] >> 2];
        if (test == GX_NONE)
            continue;
        const u32 found = common(m, up_of(m, slot, s->word[f] & 3), row(&m->open, m->w, test));
        if (found != GX_NONE)
            hold(m, f, found);
    }
}

/* to, a value behind the last, &= an operand's; how many pieces are left of it */
static u32 and_operand(const gxp_matcher *m, u64 *to, u32 ref)
{
    const u32 f = GXP_REF_FORMULA(ref);
    const u64 none = 0, *v = has_bit(m->holds, f) ? value(m, m->slot[f]) : &none, *from = to + 1;
    u64 *at = to + 1, kept = 0;
    u32 n = 0;
    for (u64 left = *to; left; left &= left - 1, from += m->piece) {
        const u32 k = (u32)__builtin_ctzll(left);
        const int there = (int)(*v >> k & 1);
        const u64 *other = there ? piece_of(m, v, k) : from;
        u64 some = 0;
        if (!there && !GXP_REF_NOT(ref))
            continue;
        for (u32 x = 0; x < m->piece; x++)
            some |= at[x] = !there ? from[x] : GXP_REF_NOT(ref) ? from[x] & ~other[x] : from[x] & other[x];
        if (some) {
            kept |= (u64)1 << k;
            at += m->piece;
            n++;
        }
    }
    *to = kept;
    return n;
}

/* The bits of a value that all operands have, but for the one that it is of; GX_NONE: none */
static u32 and_all(gxp_matcher *m, u32 slot, const u32 *refs, u32 n, u32 but)
{
    u64 *to = next_value(m);
    if (!to)
        return GX_NONE;
    const u64 *v = value(m, slot);
    u32 left = gxp_ones(*v);
    memcpy(to, v, ((size_t)left * m->piece + 1) * sizeof *to);
    for (u32 k = 0; k < n && left; k++)
        if (k != but)
            left = and_operand(m, to, refs[k]);
    return left ? take_value(m, left) : GX_NONE;
}

static void ands(gxp_matcher *m, u32 range, u32 slot)
{
    const gxp_set *s = m->set;
    m->cost.tried += s->ands.to[range] - s->ands.from[range];
    for (u32 f = s->ands.from[range]; f < s->ands.to[range]; f++) {
        const u32 word = s->word[f], alone = word & ~GXP_ALONE;
        const u32 *refs = word & GXP_ALONE ? &alone : s->args + word + 1, n = word & GXP_ALONE ? 1 : refs[-1];
        if (!GXP_REF_NOT(refs[0])
            && (!has_bit(m->holds, GXP_REF_FORMULA(refs[0])) || !(*value(m, m->slot[GXP_REF_FORMULA(refs[0])]) & *value(m, slot))))
            continue;
        const u32 found = and_all(m, slot, refs, n, GX_NONE);
        if (found != GX_NONE)
            hold(m, f, found);
    }
}

static void expand(gxp_matcher *m, u32 f)
{
    const gxp_set *s = m->set;
    const u32 e = gxp_range(&s->edges, f), a = gxp_range(&s->ands, f), l = gxp_range(&s->later, f);
    m->up_known = 0;
    if (e != GX_NONE)
        edges(m, e, m->slot[f]);
    if (a != GX_NONE)
        ands(m, a, m->slot[f]);
    for (u32 i = l == GX_NONE ? 0 : s->later.from[l]; l != GX_NONE && i < s->later.to[l]; i++)
        queue(m, s->later_of[i]);
}

/* An OR, or an AND with all its operands, when these are known */
static void later(gxp_matcher *m, u32 f)
{
    const u32 *args = m->set->args + m->set->word[f], n = args[0] >> 1, *refs = args + 1;
    u64 *all = GX_BUF_AT(&m->up[GXP_CHILD], u64), *one = GX_BUF_AT(&m->up[GXP_BELOW], u64);
    u32 found = GX_NONE, k = 0;
    m->cost.tried++;
    if (args[0] & 1) {
        *all = 0;
        for (; k < n; k++)
            if (has_bit(m->holds, GXP_REF_FORMULA(refs[k]))) {
                unpack(m, value(m, m->slot[GXP_REF_FORMULA(refs[k])]), one);
                join(m, all, one);
            }
        found = pack(m, all);
    } else {
        while (GXP_REF_NOT(refs[k]))        /* its trigger, at the latest, is none */
            k++;
        if (has_bit(m->holds, GXP_REF_FORMULA(refs[k])))
            found = and_all(m, m->slot[GXP_REF_FORMULA(refs[k])], refs, n, k);
    }
    if (found != GX_NONE)
        hold(m, f, found);
}

/* ---- the leaves ---- */

static void leaf_bit(gxp_matcher *m, u32 *slot, gx_buf *list, u32 name, u32 class)
{
    if (*slot == GX_NONE) {
        *slot = open_row(m);
        push(m, list, name);
    }
    if (m->failed == GX_OK)
        set_bit(m, row(&m->open, m->w, *slot), GX_BUF_AT(&m->bit, u32)[class]);
}

/* The classes' bits: in the order of their names, but where lists want that of their numbers */
static int number_bits(gxp_matcher *m, u32 n)
{
    const gxp_class *k = GX_BUF_AT(&m->classes.classes, gxp_class);
    u32 n_tests = GX_BUF_N(&m->set->tests, gxp_test) + 1, next = 0;
    gx_buf_rewind(&m->bit);
    u32 *bit = gx_buf_push(&m->bit, ((size_t)n + (n <= MATRIX_CLASSES ? n_tests + 1 : 0)) * sizeof *bit), *start = bit + n;
    if (!bit)
        return -1;
    if (n > MATRIX_CLASSES) {
        for (u32 c = 0; c < n; c++)
            bit[c] = c;
        return 0;
    }
#define NAME_OF(c) (k[c].name < n_tests ? k[c].name : n_tests - 1)
    memset(start, 0, (n_tests + 1ull) * sizeof *start);
    for (u32 c = 0; c < n; c++)
        start[NAME_OF(c)]++;
    for (u32 c = 0; c < n; c++) {
        const u32 name = NAME_OF(c);
        if (start[name] && !(start[name] >> 31)) { /* the first of its name: the counts become places */
            const u32 count = start[name];
            start[name] = next | 1u << 31;
            next += count;
        }
        bit[c] = start[name]++ & ~(1u << 31);
    }
#undef NAME_OF
    return 0;
}

/* Parents of each class: rows, or lists with as many as items that are classes */
static int make_parents(gxp_matcher *m, u32 n)
{
    const gxp_class *k = GX_BUF_AT(&m->classes.classes, gxp_class);
    const u32 *items = GX_BUF_AT(&m->classes.items, u32), first = gxp_first_class_item(m->set), w = m->w;
    m->parents.n = m->ancestors.n = m->list_start.n = m->list.n = 0;
    if (n <= MATRIX_CLASSES) {
        const size_t bytes = (size_t)n * (w + 1) * sizeof(u64);
        const u32 *bit = GX_BUF_AT(&m->bit, u32);
        if (!gx_buf_push(&m->parents, bytes) || !gx_buf_push(&m->ancestors, bytes))
            return -1;
        memset(m->parents.at, 0, bytes);
        memset(m->ancestors.at, 0, bytes);
        for (u32 c = n; c-- > 0;)
            for (u32 i = k[c].items; i < k[c].items + k[c].n_items; i++) {
                if (items[i] < first)
                    continue;
                const u32 child = bit[items[i] - first];
                set_bit(m, row(&m->parents, w, child), bit[c]);
                join(m, row(&m->ancestors, w, child), row(&m->ancestors, w, bit[c]));
                set_bit(m, row(&m->ancestors, w, child), bit[c]);
            }
        return 0;
    }
    u32 *start = gx_buf_push(&m->list_start, (n + 2ull) * sizeof *start), n_items = GX_BUF_N(&m->classes.items, u32);
    u32 *list = gx_buf_push(&m->list, (n_items + 1ull) * sizeof *list);
    if (!start || !list)
        return -1;
    memset(start, 0, (n + 2ull) * sizeof *start);
    for (u32 i = 0; i < n_items; i++)
        if (items[i] >= first)
            start[items[i] - first + 2]++;
    for (u32 c = 0; c <= n; c++)
        start[c + 1] += start[c];
    for (u32 c = 0; c < n; c++)
        for (u32 i = k[c].items; i < k[c].items + k[c].n_items; i++)
            if (items[i] >= first)
                list[start[items[i] - first + 1]++] = c;
    return 0;
}

/* Rows of tests and of atoms; positions for later */
static void make_leaves(gxp_matcher *m, u32 n)
{
    const gxp_set *s = m->set;
    const gxp_class *k = GX_BUF_AT(&m->classes.classes, gxp_class);
    const u32 *items = GX_BUF_AT(&m->classes.items, u32), n_atoms = GX_BUF_N(&s->values.atoms, gxp_atom), first = gxp_first_class_item(s);
    for (u32 c = 0; c < n && m->failed == GX_OK; c++) {
        leaf_bit(m, &m->test_slot[GXP_TEST_NODE], &m->tests, GXP_TEST_NODE, c);
        leaf_bit(m, &m->test_slot[c == n - 1 ? GXP_TEST_ROOT : GXP_TEST_ANY], &m->tests, c == n - 1 ? GXP_TEST_ROOT : GXP_TEST_ANY, c);
        if (c != n - 1 && k[c].name != GX_NONE)
            leaf_bit(m, &m->test_slot[k[c].name], &m->tests, k[c].name, c);
        if (k[c].ns != GX_NONE)
            leaf_bit(m, &m->test_slot[k[c].ns], &m->tests, k[c].ns, c);
        for (u32 i = k[c].items; i < k[c].items + k[c].n_items; i++) {
            if (items[i] < n_atoms && s->atom_formula[items[i]] != GX_NONE) {
                const u32 f = s->atom_formula[items[i]];
                leaf_bit(m, &m->slot[f], &m->atoms, f, c);
            }
            if (items[i] >= n_atoms && items[i] < first) {
                push(m, &m->positions, items[i] - n_atoms);
                push(m, &m->positions, c);
            }
        }
    }
}

static int by_position(const void *a, const void *b)
{
    const u32 *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

static void number_holds(gxp_matcher *m, u32 atom, u32 slot)
{
    const u32 f = m->set->atom_formula[atom];
    if (f == GX_NONE)
        return;
    m->slot[f] = slot;
    push(m, &m->atoms, f);
}

/* Comparisons of numbers of one group, at[0 .. n-1] in the order of their positions. All bounds between two positions
 * share one row. */
static void compare_numbers(gxp_matcher *m, const gxp_group *g, const u32 *at, u32 n)
{
    const u32 *lists = GX_BUF_AT(&m->set->values.lists, u32), *below = lists + g->below, *above = lists + g->above;
    u32 slot = GX_NONE, b = 0, a = g->n_above;
    for (u32 i = 0; i < n && m->failed == GX_OK; i++) { /* those not above a last position */
        const u32 position = at[2 * i] - g->first_position;
        if (position & 1 && lists[g->equals + position / 2] != GX_NONE) {
            const u32 f = m->set->atom_formula[lists[g->equals + position / 2]];
            if (f != GX_NONE)
                leaf_bit(m, &m->slot[f], &m->atoms, f, at[2 * i + 1]);
        }
        for (; b < g->n_below && below[2 * b] < position; b++)
            if (slot != GX_NONE)
                number_holds(m, below[2 * b + 1], slot);
        const u32 old = slot;
        slot = open_row(m);
        if (m->failed != GX_OK)
            return;
        if (old != GX_NONE)
            memcpy(row(&m->open, m->w, slot), row(&m->open, m->w, old), (m->w + 1ull) * sizeof(u64));
        set_bit(m, row(&m->open, m->w, slot), GX_BUF_AT(&m->bit, u32)[at[2 * i + 1]]);
    }
    for (; b < g->n_below; b++)
        number_holds(m, below[2 * b + 1], slot);
    slot = GX_NONE;
    for (u32 i = n; i-- > 0 && m->failed == GX_OK;) { /* those not below a first position */
        const u32 position = at[2 * i] - g->first_position, old = slot;
        for (; a > 0 && above[2 * a - 2] > position; a--)
            if (slot != GX_NONE)
                number_holds(m, above[2 * a - 1], slot);
        slot = open_row(m);
        if (m->failed != GX_OK)
            return;
        if (old != GX_NONE)
            memcpy(row(&m->open, m->w, slot), row(&m->open, m->w, old), (m->w + 1ull) * sizeof(u64));
        set_bit(m, row(&m->open, m->w, slot), GX_BUF_AT(&m->bit, u32)[at[2 * i + 1]]);
    }
    for (; a > 0; a--)
        number_holds(m, above[2 * a - 1], slot);
}

static void make_numbers(gxp_matcher *m)
{
    const gxp_values *v = &m->set->values;
    u32 n = GX_BUF_N(&m->positions, u32) / 2, i = 0;
    u32 *at = GX_BUF_AT(&m->positions, u32);
    if (n)
        qsort(at, n, 2 * sizeof *at, by_position);
    for (u32 k = 0; k < GX_BUF_N(&v->groups, gxp_group) && i < n && m->failed == GX_OK; k++) {
        const gxp_group *g = gxp_group_at(v, k);
        const u32 from = i, end = g->first_position + 2 * g->n_bounds + 1;
        if (!g->n_bounds)
            continue;
        while (i < n && at[2 * i] < end)
            i++;
        if (i > from)
            compare_numbers(m, g, at + 2 * from, i - from);
    }
}

/* ---- all ranks ---- */

/* Where an open row's value is, which is made once */
static u32 packed_of(gxp_matcher *m, u32 open)
{
    u32 *packed = GX_BUF_AT(&m->packed, u32) + open;
    if (*packed == GX_NONE)
        *packed = pack(m, row(&m->open, m->w, open));
    return *packed;
}

static void hold_leaf(gxp_matcher *m, u32 f, u32 open)
{
    const u32 slot = packed_of(m, open);
    if (slot != GX_NONE)
        hold(m, f, slot);
}

static void rank_begins(gxp_matcher *m, u32 rank)
{
    const gxp_set *s = m->set;
    const u32 from = s->rank_start[rank], to = s->rank_start[rank + 1];
    for (u32 i = 0; rank == 0 && i < GX_BUF_N(&m->tests, u32); i++) {
        const u32 test = GX_BUF_AT(&m->tests, u32)[i];
        if (s->test_formula[test] != GX_NONE)
            hold_leaf(m, s->test_formula[test], m->test_slot[test]);
    }
    for (u32 i = 0; rank <= GXP_RANK_VALUE && i < GX_BUF_N(&m->atoms, u32); i++) {
        const u32 f = GX_BUF_AT(&m->atoms, u32)[i];
        if (f >= from && f < to)
            hold_leaf(m, f, m->slot[f]);
    }
    for (u32 at = m->later_head[rank]; at != GX_NONE; at = GX_BUF_AT(&m->waiting, u32)[at + 1])
        later(m, GX_BUF_AT(&m->waiting, u32)[at]);
}

static void all_ranks(gxp_matcher *m)
{
    u32 start = 0;
    for (u32 rank = 0; rank < m->set->n_ranks; rank++) {
        rank_begins(m, rank);
        const u32 end = GX_BUF_N(&m->held, u32); /* complete: what is triggered from here on is of a later rank */
        for (u32 i = start; i < end && m->failed == GX_OK; i++) {
            expand(m, GX_BUF_AT(&m->held, u32)[i]);
            if (m->most_work && m->work + (u64)m->cost.tried * m->piece > m->most_work)
                fail(m, GX_ELIMIT, "steps");
        }
        start = end;
    }
}

/* What the last document left is taken back, not all cleared. */
static void forget(gxp_matcher *m)
{
    const u32 *held = GX_BUF_AT(&m->held, u32), *tests = GX_BUF_AT(&m->tests, u32), *waiting = GX_BUF_AT(&m->waiting, u32);
    const u32 *atoms = GX_BUF_AT(&m->atoms, u32);
    for (u32 i = 0; i < GX_BUF_N(&m->held, u32); i++) {
        m->holds[held[i] / 64] = 0;
        m->slot[held[i]] = GX_NONE;
    }
    for (u32 i = 0; i < GX_BUF_N(&m->atoms, u32); i++)
        m->slot[atoms[i]] = GX_NONE;
    for (u32 i = 0; i < GX_BUF_N(&m->tests, u32); i++)
        m->test_slot[tests[i]] = GX_NONE;
    for (u32 i = 0; i < GX_BUF_N(&m->waiting, u32); i += 2)
        m->queued[waiting[i] / 64] = 0;
    for (u32 i = 0; i < m->set->n_ranks; i++)
        m->later_head[i] = GX_NONE;
    gx_buf *const all[] = { &m->held, &m->tests, &m->atoms, &m->waiting, &m->positions, &m->values, &m->open, &m->packed,
                           &m->ids };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    memset(m->matched, 0, (m->set->n_profiles / 64 + 1) * sizeof *m->matched);
    memset(&m->cost, 0, sizeof m->cost);
    m->failed = GX_OK;
    m->work = 0;
}

/* ---- programs ---- */

typedef struct answer {
    char text[8];
    u32 n;
} answer;

static int append(void *ctx, const char *bytes, size_t n)
{
    answer *a = ctx;
    for (size_t i = 0; i < n && a->n < sizeof a->text; i++)
        a->text[a->n++] = bytes[i];
    return 0;
}

static gx_status program_says(gxp_matcher *m, const gxp_exact *e, const gx_doc *doc, const gx_limits *limits, int *yes, gx_error *err)
{
    if (!m->pool && apr_pool_create(&m->pool, NULL) != APR_SUCCESS)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document");
    if (!m->arena)
        GX_TRY(gx_arena_create(limits->arena, &m->arena, err));
    apr_pool_clear(m->pool);
    gx_evaluation ev = { .program = e->program, .doc = doc, .limits = limits, .arena = m->arena, .pool = m->pool,
                         .no_loader = "a profile reads no other document" };
    const gx_serialize_options o = { .limits = limits };
    gx_media media;
    answer a = { "", 0 };
    m->cost.exact++;
    GX_TRY(gx_evaluate(&ev, err));
    GX_TRY(gx_serialize_selection(&ev, &o, 0, NULL, append, &a, &media, err));
    *yes = a.n >= 4 && !memcmp(a.text, "true", 4);
    return GX_OK;
}

static gx_status run_programs(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits,
                              void (*warning)(void *ctx, const gx_error *what), void *ctx, gx_error *err)
{
    for (u32 i = 0; i < m->set->n_exact; i++) {
        const u32 p = m->set->exact[i].profile;
        int is = 0;
        if (!has_bit(m->matched, p))
            continue;
        const gx_status status = program_says(m, &m->set->exact[i], doc, limits, &is, err);
        if (status == GX_ENOMEM)
            return status;
        if (status != GX_OK && warning)
            warning(ctx, err);
        if (!is)
            m->matched[p / 64] &= ~((u64)1 << p % 64);
    }
    return GX_OK;
}

/* ---- one document ---- */

static gx_status end_of(gxp_matcher *m, gx_error *err)
{
    if (m->failed == GX_OK)
        return GX_OK;
    if (m->failed == GX_ENOMEM)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document");
    gx_fail(err, GX_ELIMIT, "", 0, 0,
            strcmp(m->limit, "steps") ? "matching the document needs more memory than the limit 'arena' allows"
                                      : "matching the document needs more steps than the limit 'steps' allows");
    err->limit = m->limit;
    return GX_ELIMIT;
}

static gx_status evaluate(gxp_matcher *m, gx_error *err)
{
    const u32 n = gxp_n_classes(&m->classes);
    m->w = (n + 63) / 64;
    m->piece = (m->w + 63) / 64;
    m->w = (m->w + m->piece - 1) / m->piece * m->piece;     /* whole pieces */
    for (u32 i = 0; i < GXP_N_AXES; i++) {
        m->up[i].n = 0;
        if (!gx_buf_push(&m->up[i], (m->w + 1ull) * sizeof(u64)))
            fail(m, GX_ENOMEM, NULL);
    }
    if (m->failed == GX_OK && number_bits(m, n))
        fail(m, GX_ENOMEM, NULL);
    if (m->failed != GX_OK)
        return end_of(m, err);
    m->root = GX_BUF_AT(&m->bit, u32)[n - 1];
    m->top = GX_BUF_AT(&m->bit, u32)[n - 2];
    if (make_parents(m, n))
        fail(m, GX_ENOMEM, NULL);
    if (m->failed == GX_OK)
        make_leaves(m, n);
    if (m->failed == GX_OK)
        make_numbers(m);
    if (m->failed == GX_OK)
        all_ranks(m);
    m->cost.classes = n;
    m->cost.elements = m->classes.n_elements;
    m->cost.held = GX_BUF_N(&m->held, u32);
    return end_of(m, err);
}

static int list_matched(gxp_matcher *m)
{
    for (u32 i = 0; i <= m->set->n_profiles / 64; i++)
        for (u64 left = m->matched[i]; left; left &= left - 1) {
            u32 *to = gx_buf_push(&m->ids, sizeof *to);
            if (!to)
                return -1;
            *to = 64 * i + (u32)__builtin_ctzll(left);
        }
    return 0;
}

gx_status gxp_match(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits,
                    void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n, gx_error *err)
{
    gx_limits filled = { 0 };
    if (limits)
        filled = *limits;
    gx_limits_default(&filled);
    forget(m);
    m->most_work = filled.steps;
    m->most_bytes = filled.arena;
    GX_TRY(gxp_classes_make(&m->classes, doc, err));
    m->work = m->classes.work;
    GX_TRY(evaluate(m, err));
    for (u32 i = 0; i < m->set->n_always; i++)
        m->matched[m->set->always[i] / 64] |= (u64)1 << m->set->always[i] % 64;
    GX_TRY(run_programs(m, doc, &filled, warning, ctx, err));
    if (list_matched(m))
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document");
    *ids = GX_BUF_AT(&m->ids, u32);
    *n = GX_BUF_N(&m->ids, u32);
    return GX_OK;
}

const gxp_set *gxp_set_of(const gxp_matcher *m) { return m->set; }
int gxp_holds(const gxp_matcher *m, u32 formula) { return has_bit(m->holds, formula); }
int gxp_matched(const gxp_matcher *m, u32 profile) { return has_bit(m->matched, profile); }

void gxp_match_cost(const gxp_matcher *m, gxp_cost *out) { *out = m->cost; }

gx_status gxp_matcher_create(const gxp_set *s, gxp_matcher **out, gx_error *err)
{
    gxp_matcher *m = calloc(1, sizeof *m);
    const u32 n = s->n_formulas, n_tests = GX_BUF_N(&s->tests, gxp_test);
    if (m) {
        m->set = m->classes.set = s;
        m->slot = malloc((n + 1ull) * sizeof *m->slot);
        m->holds = calloc(n / 64 + 1, sizeof *m->holds);
        m->queued = calloc(n / 64 + 1, sizeof *m->queued);
        m->test_slot = malloc((n_tests + 1ull) * sizeof *m->test_slot);
        m->later_head = malloc((s->n_ranks + 1ull) * sizeof *m->later_head);
        m->matched = calloc(s->n_profiles / 64 + 1, sizeof *m->matched);
    }
    if (!m || !m->slot || !m->holds || !m->queued || !m->test_slot || !m->later_head || !m->matched) {
        gxp_matcher_free(m);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a matcher");
    }
    memset(m->slot, 0xff, (n + 1ull) * sizeof *m->slot);
    memset(m->test_slot, 0xff, (n_tests + 1ull) * sizeof *m->test_slot);
    *out = m;
    return GX_OK;
}

void gxp_matcher_free(gxp_matcher *m)
{
    if (!m)
        return;
    gx_buf *const bufs[] = { &m->parents, &m->ancestors, &m->list_start, &m->list, &m->values, &m->open, &m->packed, &m->bit, &m->tests, &m->held, &m->waiting,
                             &m->atoms, &m->positions, &m->up[0], &m->up[1], &m->up[2], &m->ids };
    void *const all[] = { m->slot, m->holds, m->queued, m->test_slot, m->later_head, m->matched };
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gx_buf_free(bufs[i]);
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    gxp_classes_free(&m->classes);
    if (m->arena)
        gx_arena_free(m->arena);
    if (m->pool)
        apr_pool_destroy(m->pool);
    free(m);
}
