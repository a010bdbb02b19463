/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codes.h -- codes of private formulas (code.h) are run; built as extent_ops.h is
 *
 * An operation leaves a loose extent: a summary, and its pieces. Those of a stored extent (extent.h) lie one behind the
 * other. Those that an operation made lie at their places in a row of the stack's memory, where pieces that the summary
 * does not have are anything. They get no number and nobody looks for them: 60 to 94 % of the operations of a document
 * are made once.
 *
 * Cost of an operation: the pieces that both operands have. An edge from a loose extent first keeps what has the test
 * above it, if there are many codes. Then it costs, for each class that is left, one word of the test: the ancestors of
 * each class are known as a row of bits (gxp_extents.above), unless there are too many classes, where ancestors are
 * walked through.
 */
#include "extent_ops.h"
#include "matcher.h"

OWN const u64 *words_of(const gxp_extents *e) { return GX_BUF_AT(&e->words, u64); }

OWN int is_stored(const gxp_loose *a) { return a->number != GX_NONE; }

OWN gxp_loose stored(const gxp_extents *e, u32 a)
{
    const gxp_extent *x = gxp_extent_at(e, a);
    return (gxp_loose){ x->summary, words_of(e) + x->at, a };
}

/* A stored one may have moved since. */
OWN gxp_loose now(const gxp_extents *e, const gxp_loose *a) { return is_stored(a) ? stored(e, a->number) : *a; }

OWN gxp_loose nothing(void) { return (gxp_loose){ 0, NULL, GXP_NOWHERE }; }

/* Where piece k is, which the summary has */
OWN const u64 *piece_of(const gxp_loose *a, u32 k, int packed, u32 piece)
{
    return a->at + (size_t)(packed ? ONES(a->summary & (((u64)1 << k) - 1)) : k) * piece;
}

/* a and b, or a but not b, to `to`: the summary. to may be where a is. */
OWN u64 loose_of(u64 *to, const gxp_loose *a, int a_packed, const gxp_loose *b, int b_packed, int but, u32 piece)
{
    u64 out = 0;
    for (u64 left = but ? a->summary : a->summary & b->summary; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        const u64 *p = piece_of(a, k, a_packed, piece), *q = piece_of(b, k, b_packed, piece);
        const int has_b = !but || (b->summary >> k & 1);
        u64 some = 0;
        for (u32 i = 0; i < piece; i++)
            some |= to[k * piece + i] = !has_b ? p[i] : but ? p[i] & ~q[i] : p[i] & q[i];
        out |= (u64)(some != 0) << k;
    }
    return out;
}

/* *a := a and b, or a but not b */
OWN void meet(const gxp_extents *e, gxp_loose *a, const gxp_loose *other, int but, u64 *own, u32 piece)
{
    const gxp_loose x = now(e, a), b = now(e, other);
    if (!(x.summary & b.summary)) {
        a->summary = but ? a->summary : 0;
        return;
    }
    if (is_stored(a) && a->number == b.number) {
        a->summary = but ? 0 : a->summary;
        return;
    }
    u64 *to = is_stored(a) ? own : own + (a->at - own), summary;
    if (is_stored(a))
        summary = is_stored(&b) ? loose_of(to, &x, 1, &b, 1, but, piece) : loose_of(to, &x, 1, &b, 0, but, piece);
    else
        summary = is_stored(&b) ? loose_of(to, &x, 0, &b, 1, but, piece) : loose_of(to, &x, 0, &b, 0, but, piece);
    *a = (gxp_loose){ summary, to, GX_NONE };
}

/* What two stored extents have in common, to `to`, dense: the summary */
OWN u64 common(const gxp_extents *e, u32 a, u32 b, u64 *to, u32 piece)
{
    const gxp_extent *x = gxp_extent_at(e, a), *y = gxp_extent_at(e, b);
    const u64 of_a = x->summary, of_b = y->summary, *p = words_of(e) + x->at, *q = words_of(e) + y->at;
    u64 out = 0;
    for (u64 left = of_a & of_b; left; left &= left - 1) {
        const u64 one = left & -left;
        const u32 k = (u32)__builtin_ctzll(left);
        const size_t in_a = ONES(of_a & (one - 1)) * piece, in_b = ONES(of_b & (one - 1)) * piece;
        u64 some = 0;
        for (u32 i = 0; i < piece; i++)
            some |= to[k * piece + i] = p[in_a + i] & q[in_b + i];
        out |= some ? one : 0;
    }
    return out;
}

OWN int meets(const gxp_extents *e, const gxp_loose *a, const gxp_loose *other, u32 piece)
{
    const gxp_loose x = now(e, a), b = now(e, other);
    u64 some = 0;
    for (u64 left = x.summary & b.summary; left && !some; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        const u64 *p = piece_of(&x, k, is_stored(&x), piece), *q = piece_of(&b, k, is_stored(&b), piece);
        for (u32 i = 0; i < piece; i++)
            some |= p[i] & q[i];
    }
    return some != 0;
}

OWN int meets_stored(const gxp_extents *e, const gxp_loose *a, u32 b, u32 piece)
{
    const gxp_loose other = stored(e, b);
    return meets(e, a, &other, piece);
}

/* ---- edges ---- */

/* What the words of `to` have of the test, in its pieces: the summary */
OWN u64 only(u64 *to, const gxp_loose *test, u32 piece)
{
    u64 out = 0;
    const u64 *q = test->at;
    for (u64 left = test->summary; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        u64 some = 0;
        for (u32 i = 0; i < piece; i++)
            some |= to[k * piece + i] &= *q++;
        out |= (u64)(some != 0) << k;
    }
    return out;
}

OWN void clear(u64 *to, u64 summary, u32 piece)
{
    for (; summary; summary &= summary - 1)
        memset(to + (size_t)(u32)__builtin_ctzll(summary) * piece, 0, piece * sizeof *to);
}

/* For each class of the dense extent that has the test above: DO, with its bit */
#define EACH_BELOW(DO)                                                                                                \
    for (u64 left = x->summary & below->summary; left; left &= left - 1) {                                           \
        const u32 k = (u32)__builtin_ctzll(left);                                                                     \
        const u64 *p = piece_of(x, k, 0, piece), *q = piece_of(below, k, 1, piece);                                  \
        for (u32 i = 0; i < piece; i++)                                                                              \
            for (u64 bits = p[i] & q[i]; bits; bits &= bits - 1) {                                                    \
                const u32 bit = 64 * (k * piece + i) + (u32)__builtin_ctzll(bits);                                    \
                DO;                                                                                                   \
            }                                                                                                         \
    }

/* A word of the parents, or of both where there are more. What lies outside of the test is no harm. */
OWN u64 parents(const gxp_extents *e, const gxp_loose *x, const gxp_loose *below, const gxp_loose *test, u64 *to,
                u32 piece)
{
    const gxp_span *spans = GX_BUF_AT(&e->span, gxp_span);
    const u32 *list = GX_BUF_AT(&e->list, u32);
    clear(to, test->summary, piece);
    EACH_BELOW({
        const gxp_span span = spans[bit];
        if (span.to == GXP_ONLY)
            to[span.from / 64] |= (u64)1 << span.from % 64;
        for (u32 at = span.from; span.to != GXP_ONLY && at < span.to; at++)
            to[list[at] / 64] |= (u64)1 << list[at] % 64;
    })
    return only(to, test, piece);
}

/* Which elements that pass `test` have an ancestor's relation to x: the rows of ancestors of each bit of x that is
 * also below the test are joined in `to`, with pieces of one word. By how many words the test has: one word is read of
 * each row, up to four each, or whole rows. Only the test's words of `to` mean anything. O(bits of x that are left x
 * words read). */
OWN u64 ancestors(const gxp_extents *e, const gxp_loose *x, const gxp_loose *below, const gxp_loose *test, u64 *to)
{
    const u64 *rows = GX_BUF_AT(&e->above, u64);
    const u32 stride = gxp_stride(e), piece = 1, n = ONES(test->summary);
    if (n == 1) {
        const u32 of_test = (u32)__builtin_ctzll(test->summary);
        u64 word = 0;
        EACH_BELOW(word |= rows[(size_t)bit * stride + of_test])
        to[of_test] = word;
    } else if (n <= 4) {
        clear(to, test->summary, 1);
        EACH_BELOW(for (u64 of = test->summary; of; of &= of - 1) {
            const u32 at = (u32)__builtin_ctzll(of);
            to[at] |= rows[(size_t)bit * stride + at];
        })
    } else {
        memset(to, 0, stride * sizeof *to);
        EACH_BELOW(add_row(to, rows + (size_t)bit * stride, stride))
    }
    return 0;
}

OWN u64 walked(gxp_extents *e, const gxp_loose *x, const gxp_loose *below, const gxp_loose *test, u64 *to, u32 piece)
{
    clear(to, test->summary, piece);
    EACH_BELOW(extents_walk(e, bit))
    extents_walked(e, test->summary, to);
    return 0;
}

/* What passes the test and has x, which is dense, on the axis: to `to`, where x is not */
OWN u64 edge(gxp_extents *e, const gxp_loose *x, const gxp_loose *below, const gxp_loose *test, u32 axis, u64 *to,
             u32 piece)
{
    if (axis == GXP_CHILD)
        return parents(e, x, below, test, to, piece);
    if (piece == 1 && e->above.n)
        ancestors(e, x, below, test, to);
    else
        walked(e, x, below, test, to, piece);
    if (axis == GXP_HERE_OR_BELOW)
        for (u64 left = test->summary & x->summary; left; left &= left - 1) {
            const u32 k = (u32)__builtin_ctzll(left);
            for (u32 i = 0; i < piece; i++)
                to[k * piece + i] |= x->at[k * piece + i];
        }
    return only(to, test, piece);
}

/* ---- operations ---- */

static __attribute__((noinline)) u32 find_below_test(gxp_matcher *m, u32 test, u32 axis)
{
    u32 *known = &m->below_test[GXP_N_AXES * test + axis];
    *known = extent_below(&m->extents, m->test_slot[test], axis);
    gxp_push(m, &m->below, GXP_N_AXES * test + axis);
    return *known;
}

/* Of a test: what has something that passes it above, on an axis; made when it is wanted */
OWN u32 below_test(gxp_matcher *m, u32 test, u32 axis)
{
    const u32 known = m->below_test[GXP_N_AXES * test + axis];
    return known != GX_NONE ? known : find_below_test(m, test, axis);
}

/* An edge: *top becomes what passes the test and has something of *top on the axis. Of a stored extent the way up is
 * kept with it, and made once a document; of a loose one it is walked, in that half of `own` where *top is not. A test
 * that nothing passes leaves nothing. */
OWN void climb_loose(gxp_matcher *m, gxp_loose *top, u32 test, u32 axis, u64 *own, u32 piece)
{
    gxp_extents *e = &m->extents;
    const u32 passes = m->test_slot[test];
    if (passes == GX_NONE) {
        *top = nothing();
        return;
    }
    if (is_stored(top)) {               /* its parents are made once */
        const gxp_loose up = stored(e, extent_up(e, top->number, axis)), of_test = stored(e, passes);
        *top = up;
        meet(e, top, &of_test, 0, own, piece);
        return;
    }
    /* what is below the test pays where many codes ask for it */
    const u32 under = m->filters ? below_test(m, test, axis) : m->test_slot[GXP_TEST_NODE];
    const gxp_loose below = stored(e, under), of_test = stored(e, passes);
    u64 *to = top->at == own ? own + gxp_stride(e) : own;
    e->work++;
    *top = (gxp_loose){ edge(e, top, &below, &of_test, axis, to, piece), to, GX_NONE };
}

/* What an operation leaves on the stack, whose top is at *at: does it leave anything? */
OWN int operate(gxp_matcher *m, u32 word, gxp_loose **at, u32 piece)
{
    gxp_extents *e = &m->extents;
    const u32 value = GXP_CODE_VALUE(word), kind = GXP_CODE_KIND(word);
    gxp_loose *top = *at, other;
    if (kind == GXP_CODE_LOAD)
        *at = ++top;
    else if (kind == GXP_CODE_JOIN)
        *at = --top;
    u64 *own = GX_BUF_AT(&m->own, u64) + 2 * (size_t)(top - m->stack) * gxp_stride(e);
    switch (kind) {
    case GXP_CODE_LOAD:
        *top = stored(e, m->slot[value]);
        break;
    case GXP_CODE_EDGE:
        climb_loose(m, top, value >> 2, value & 3, own, piece);
        break;
    case GXP_CODE_JOIN:
        meet(e, top, top + 1, 0, own, piece);
        break;
    case GXP_CODE_MEET:
        other = stored(e, m->slot[value]);
        meet(e, top, &other, 0, own, piece);
        break;
    default:
        if (gxp_has_bit(m->holds, value)) {
            other = stored(e, m->slot[value]);
            meet(e, top, &other, 1, own, piece);
        }
    }
    return top->summary != 0;
}

/* What code of a document needs: of each way in which a profile must hold */
typedef struct from {
    u32 extent;                     /* where it must hold; ANYWHERE: GXP_NOWHERE, and the test says where */
    u32 below[GXP_N_AXES];
} from;

/* The last operation: whether it leaves anything where the profile must hold is all that matters. So no parents are
 * looked for: something has the top on its axis if something of the top is on the other's. */
OWN int ends_well(gxp_matcher *m, u32 word, gxp_loose *top, const from *must, u32 piece)
{
    const u32 value = GXP_CODE_VALUE(word), kind = GXP_CODE_KIND(word);
    if (kind == GXP_CODE_EDGE) {
        const u32 test = value >> 2, axis = value & 3;
        if (m->test_slot[test] == GX_NONE)
            return 0;
        if (!must->extent)
            return meets_stored(&m->extents, top, below_test(m, test, axis), piece);
        return extent_and(&m->extents, must->extent, m->test_slot[test])
               && meets_stored(&m->extents, top, must->below[axis], piece);
    }
    if (!must->extent && kind == GXP_CODE_MEET)
        return meets_stored(&m->extents, top, m->slot[value], piece);
    if (!must->extent && kind == GXP_CODE_JOIN)
        return meets(&m->extents, top - 1, top, piece);
    return operate(m, word, &top, piece) && (!must->extent || meets_stored(&m->extents, top, must->extent, piece));
}

/* ---- codes ---- */

/* Room for what is on the stack */
static int own_room(gxp_matcher *m)
{
    const u64 bytes = 2 * (m->set->code_depth + 2ull) * gxp_stride(&m->extents) * sizeof(u64);
    if (bytes > m->most_bytes)
        gxp_fail(m, GX_ELIMIT, "arena");
    else if (m->own.n < bytes && !gx_buf_push(&m->own, bytes - m->own.n))
        gxp_fail(m, GX_ENOMEM, NULL);
    return m->failed != GX_OK;
}

/* The formula that the code was entered from, which is the first, and gxp_set.second were looked at before. */
OWN int needed_hold(const gxp_matcher *m, const u32 *code)
{
    const u32 n = code[1], *needed = code + 2;
    u32 i = 2;
    while (i < n && gxp_has_bit(m->holds, needed[i]))
        i++;
    return i >= n;
}

/* Without an end where nothing is left */
static void code_holds(gxp_matcher *m, const u32 *code, u8 *yes)
{
    const u32 *op = code + 2 + code[1];
    gxp_loose *top = m->stack;
    if (m->failed != GX_OK || own_room(m))
        return;
    for (u32 i = 0; op[i] != GXP_CODE_END; i++) {
        const u32 kind = GXP_CODE_KIND(op[i]), is_of_shared = kind == GXP_CODE_LOAD || kind == GXP_CODE_MEET;
        const int lacks = is_of_shared && !gxp_has_bit(m->holds, GXP_CODE_VALUE(op[i]));
        if (lacks)
            *(kind == GXP_CODE_LOAD ? ++top : top) = nothing();
        yes[i] = !lacks && operate(m, op[i], &top, m->extents.piece);
    }
}

/* How many operations there were, and after how many something was left */
typedef struct effort {
    u64 tried, held;
} effort;

/* A code that is to be run: where it is, what it loads, or the parents or ancestors of that, and what that meets. If
 * these two are the same, the second operation is still to be done. */
typedef struct candidate {
    u32 at, a, b;
} candidate;

/* Runs one code up to the operation that decides, and notes a match. It begins with the stack's lowest place, which
 * candidate c may have computed already, and ends as soon as an operation leaves nothing: few go far. Limits are
 * looked at between codes, and after 16 operations within a long one. done: counts for the cost model. */
OWN void run_code(gxp_matcher *m, const candidate *c, const from *from, effort *done, u32 piece)
{
    const u32 *code = m->set->code + c->at, *const first = code + 2 + code[1], *op = first + 1;
    gxp_loose *top = m->stack + 1;
    if (!needed_hold(m, code))
        return;
    done->tried++;
    done->held++;
    if (c->a == c->b)
        *top = stored(&m->extents, m->slot[GXP_CODE_VALUE(first[0])]);
    else {
        u64 *own = GX_BUF_AT(&m->own, u64) + 2 * (size_t)gxp_stride(&m->extents);
        *top = (gxp_loose){ common(&m->extents, c->a, c->b, own, piece), own, GX_NONE };
        done->tried++;
        if (!top->summary)
            return;
        done->held++;
        op++;
    }
    for (; op[0] != GXP_CODE_END && op[1] != GXP_CODE_END; op++) {
        done->tried++;
        if (!operate(m, *op, &top, piece))
            return;
        done->held++;
        if ((op - first) % 16 == 0 && gxp_is_over(m))
            return;
    }
    done->tried++;
    if (op[0] == GXP_CODE_END)
        op--;
    const u32 how = GXP_HOW(code[0]), p = GXP_PROFILE(code[0]);
    if (m->extents.failed == GX_OK && ends_well(m, *op, top, &from[how], piece)) {
        m->matched[p / 64] |= (u64)1 << p % 64;
        done->held++;
    }
}

/* Those of n subscribers whose codes start with extents that have a piece in common. Hardly a branch depends on the
 * document, so that what many wait for comes at once. */
OWN u32 find_candidates(gxp_matcher *m, const u32 *subscribers, u32 n, candidate *out)
{
    gxp_extents *e = &m->extents;
    const gxp_start *starts = m->set->start;
    const u32 *slot = m->slot, *subscriber = m->set->subscriber, *code = m->set->code;
    u32 kept = 0;
    for (u32 i = 0; i < n; i++) {
        const gxp_start start = starts[subscribers[i]];
        const u32 how = start.load >> 30, of_b = slot[start.other], of_a = slot[GXP_PROFILE(start.load)];
        const u32 b = of_b == GX_NONE ? (u32)GXP_NOWHERE : of_b;
        u32 a = of_a == GX_NONE ? (u32)GXP_NOWHERE : of_a;
        const u32 axis = how == GXP_START_BELOW ? GXP_BELOW : GXP_CHILD, up = gxp_extent_at(e, a)->up[axis];
        if (how == GXP_START_CHILD || how == GXP_START_BELOW)
            a = up != GX_NONE ? up : extent_up(e, a, axis);
        out[kept] = (candidate){ GXP_CODE_AT(subscriber[subscribers[i]]), a, b };
        kept += (gxp_extent_at(e, a)->summary & gxp_extent_at(e, b)->summary) != 0;
    }
    for (u32 i = 0; i < kept; i++)
        __builtin_prefetch(code + out[i].at);
    return kept;
}

OWN void run_all(gxp_matcher *m, const from *from, u32 piece)
{
    enum { AT_ONCE = 64 };
    const u32 n = GX_BUF_N(&m->codes, u32), *subscribers = GX_BUF_AT(&m->codes, u32);
    effort done = { 0, 0 };
    for (u32 i = 0; i < n && !gxp_is_over(m); i += AT_ONCE) {
        candidate found[AT_ONCE];
        const u32 some = n - i < AT_ONCE ? n - i : AT_ONCE, n_found = find_candidates(m, subscribers + i, some, found);
        const u64 before = done.tried;
        for (u32 k = 0; k < n_found; k++)
            run_code(m, &found[k], from, &done, piece);
        m->looked += (some + done.tried - before) * piece;
    }
    m->cost.tried += (u32)done.tried;
    m->cost.held += (u32)done.held;
}

/* The extent that has this bit alone, and what is below it */
static from from_bit(gxp_matcher *m, u32 bit)
{
    from f;
    f.extent = extent_of_bits(&m->extents, &bit, 1);
    for (u32 axis = 0; axis < GXP_N_AXES; axis++)
        f.below[axis] = extent_below(&m->extents, f.extent, axis);
    return f;
}

static void run_codes(gxp_matcher *m)
{
    if (!m->codes.n || own_room(m))
        return;
    const from from[] = { { GXP_NOWHERE, { GXP_NOWHERE, GXP_NOWHERE, GXP_NOWHERE } }, from_bit(m, m->top),
                          from_bit(m, m->root) };
    m->filters = m->codes.n / sizeof(u32) >= (size_t)m->filter_from * gxp_n_classes(&m->classes);
    if (m->extents.piece == 1)
        run_all(m, from, 1);
    else
        run_all(m, from, m->extents.piece);
}
