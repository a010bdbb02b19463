/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.c -- profiles compiled: their formulas numbered, their names and values in tables (set.h)
 */
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "machine/text.h"
#include "set.h"

enum { BATCH = 512 };               /* profiles that are read with one pool */

typedef struct compiler {
    gxp_set *set;
    gxp_formulas f;
    gx_buf refs;                    /* of the good profiles, in order */
    gx_buf exact;                   /* gxp_exact */
    gx_buf ids, id_at;
    u32 *number;                    /* of each formula in the set; GX_NONE: of no profile */
    u32 *trigger;                   /* of each formula, or GX_NONE; by its old number */
    u8 *block;                      /* EDGES, ANDS, LATER */
    u8 *is_private;                 /* of each formula, by its old number */
    apr_pool_t *pool;
} compiler;

enum { EDGES, ANDS, LATER };

/* ---- reading ---- */


static const char *namespace_of(void *ctx, const char *prefix)
{
    const gxp_profile *p = *(const gxp_profile *const *)ctx;
    for (int i = 0; i < p->n_namespaces; i++)
        if (!strcmp(p->namespaces[i].name, prefix))
            return p->namespaces[i].value;
    return NULL;
}

/* A prefix that is not declared, anywhere in the tree: where it stands; GX_NONE: there is none */
static u32 undeclared(const gx_xparse *parse, const gx_syntax *s)
{
    u32 at = GX_NONE;
    if (s->kind == GX_S_STEP && s->prefix)
        return s->undeclared_at;
    for (int preds = 0; preds < 2; preds++)
        for (const gx_syntax *k = preds ? s->preds : s->kids; k && at == GX_NONE; k = k->next)
            at = undeclared(parse, k);
    return at;
}

static gx_status program_of(const gxp_profile *p, apr_pool_t *pool, gx_program **out, gx_error *err)
{
    const gx_compile_options o = { .namespaces = p->namespaces, .n_namespaces = p->n_namespaces };
    gx_program *bare;
    GX_TRY(gx_compile_select(p->text, &o, pool, &bare, err)); /* for its message, which quotes the text */
    free(bare);
    return gx_compile_select(apr_pstrcat(pool, "boolean(", p->text, ")", NULL), &o, pool, out, err);
}

/* One profile: parsed, made a formula; where the formula says less than the expression (loose), the expression's
 * program is kept to ask when the formula holds. Its reference, id and program go to tables by its number. Fails with
 * GX_ESTYLE at the place of a syntax error; nothing was added then. */
static gx_status add(compiler *c, gx_xpath_env *env, const gxp_profile *p, gx_error *err)
{
    gx_xparse parse;
    gx_syntax *syntax;
    gx_program *program = NULL;
    const size_t n_id = strlen(p->id) + 1;
    const u32 before = GX_BUF_N(&c->refs, u32);
    int loose;
    u32 at;
    GX_TRY(gx_xparse_all(&parse, env, p->text, (u32)strlen(p->text), &syntax));
    if ((at = undeclared(&parse, syntax)) != GX_NONE)
        return gx_xparse_fail(&parse, at, "the prefix is not declared");
    const u32 ref = gxp_formula_of(&c->f, &parse, syntax, &loose);
    if (c->f.no_memory)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for the profiles");
    if (c->f.odd)
        GX_TRY(program_of(p, env->b->pool, &program, err));
    loose = loose && ref != GXP_FALSE;
    if (!loose) {
        free(program);
        program = NULL;
    }
    if (gx_buf_room(&c->refs, sizeof(u32)) || gx_buf_room(&c->ids, n_id) || gx_buf_room(&c->id_at, sizeof(u32))
        || gx_buf_room(&c->exact, sizeof(gxp_exact)) || c->ids.n + n_id > UINT32_MAX
        || before == GXP_PROFILE(GX_NONE)) {
        free(program);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for the profiles");
    }
    *(u32 *)gx_buf_push(&c->refs, sizeof(u32)) = ref;
    *(u32 *)gx_buf_push(&c->id_at, sizeof(u32)) = (u32)c->ids.n;
    memcpy(gx_buf_push(&c->ids, n_id), p->id, n_id);
    if (loose)
        *(gxp_exact *)gx_buf_push(&c->exact, sizeof(gxp_exact)) = (gxp_exact){ before, program };
    return GX_OK;
}

/* What an error of the compiler is called here: its place is that of the profile. */
static void place_error(const gxp_profile *p, gx_error *err)
{
    snprintf(err->file, sizeof err->file, "%s", p->file ? p->file : "");
    err->line = p->line;
    err->column = p->column;
}

/* All profiles, in batches that share a pool for their syntax, which is freed behind each. A profile that is wrong is
 * told and left out. */
static gx_status add_all(compiler *c, const gxp_profile *profiles, u32 n,
                         void (*wrong)(void *ctx, u32 profile, const gx_error *what), void *ctx, gx_error *err)
{
    for (u32 i = 0; i < n;) {
        const gxp_profile *now;
        apr_pool_clear(c->pool);
        gx_xpath_env env = { .b = gx_builder_create(c->pool, err), .file = "", .ctx = &now,
                             .namespace_uri = namespace_of };
        for (const u32 end = n - i < BATCH ? n : i + BATCH; i < end; i++) {
            now = &profiles[i];
            const gx_status status = add(c, &env, now, err);
            if (status == GX_ENOMEM)
                return status;
            if (status == GX_OK)
                continue;
            place_error(now, err);
            c->set->n_bad++;
            if (wrong)
                wrong(ctx, i, err);
        }
    }
    return GX_OK;
}

/* ---- which formulas there are, and what triggers each ---- */

static const u32 *args_of(const compiler *c, const gxp_formula *x) { return GX_BUF_AT(&c->f.args, u32) + x->a; }

/* Marks a formula and its operands, which have smaller numbers: downwards over all. */
static void mark_used(compiler *c, u32 n)
{
    const u32 *refs = GX_BUF_AT(&c->refs, u32);
    for (u32 i = 0; i < n; i++)
        c->number[i] = GX_NONE;
    for (u32 i = 0; i < GX_BUF_N(&c->refs, u32); i++) {
        if (refs[i] >= GXP_TRUE)
            continue;
        const gxp_formula *x = gxp_formula_at(&c->f, GXP_REF_FORMULA(refs[i]));
        c->number[x->kind == GXP_EDGE && x->test == GXP_TEST_ROOT ? x->a : GXP_REF_FORMULA(refs[i])] = 0;
    }
    for (u32 i = n; i-- > 0;) {
        const gxp_formula *x = gxp_formula_at(&c->f, i);
        if (c->number[i] == GX_NONE)
            continue;
        if (x->kind == GXP_EDGE)
            c->number[x->a] = 0;
        for (u32 k = 0; x->kind >= GXP_AND && k < x->n; k++)
            c->number[GXP_REF_FORMULA(args_of(c, x)[k])] = 0;
    }
}

/* Which operand of a formula wakes it: of an "and" the one of the highest rank, which is evaluated last; of an edge
 * what is below it. Formulas that nothing wakes are looked at in their rank's turn (LATER). */
static void find_trigger(compiler *c, u32 i)
{
    const gxp_formula *x = gxp_formula_at(&c->f, i);
    c->trigger[i] = GX_NONE;
    c->block[i] = LATER;
    if (x->kind == GXP_EDGE) {
        c->trigger[i] = x->a;
        c->block[i] = EDGES;
    }
    for (u32 k = 0; x->kind == GXP_AND && k < x->n; k++) {
        const u32 ref = args_of(c, x)[k], old = c->trigger[i];
        if (!GXP_REF_NOT(ref)
            && (old == GX_NONE
                || gxp_formula_at(&c->f, GXP_REF_FORMULA(ref))->rank >= gxp_formula_at(&c->f, old)->rank))
            c->trigger[i] = GXP_REF_FORMULA(ref);
    }
    if (x->kind == GXP_AND && gxp_formula_at(&c->f, c->trigger[i])->rank + 1 == x->rank)
        c->block[i] = ANDS;
}

/* ---- numbers: by rank, block, trigger, axis, test ---- */

typedef struct sorted {
    u64 key;
    u32 old;
} sorted;

static int by_key(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->old < y->old ? -1 : x->old > y->old;
}

/* Numbers of one rank, from `next` on; those below have theirs. */
static u32 number_rank(compiler *c, sorted *rows, u32 n, u32 next)
{
    for (u32 i = 0; i < n; i++) {
        const u32 old = rows[i].old, trigger = c->block[old] == LATER ? 0 : c->number[c->trigger[old]];
        const gxp_formula *x = gxp_formula_at(&c->f, old);
        rows[i].key = (u64)c->block[old] << 62 | (u64)trigger << 32
                      | (x->kind == GXP_EDGE ? (u64)x->axis << 30 | x->test : 0);
    }
    qsort(rows, n, sizeof *rows, by_key);
    for (u32 i = 0; i < n; i++)
        c->number[rows[i].old] = next++;
    return next;
}

static void *zeros(compiler *c, size_t n, size_t size)
{
    c->set->bytes += n * size;
    return calloc(n ? n : 1, size);
}

/* keys[0 .. n-1], ascending, are the formulas that n neighbours belong to; the neighbours begin at `first`. */
static int ranges_of(compiler *c, u32 kind, const u32 *keys, const u32 *at, u32 n)
{
    gxp_set *s = c->set;
    u32 distinct = 0, k = 0;
    for (u32 i = 0; i < n; i++)
        distinct += !i || keys[i] != keys[i - 1];
    gxp_range *r = s->ranges[kind] = zeros(c, distinct, sizeof *r);
    s->n_ranges[kind] = distinct;
    if (!r)
        return -1;
    for (u32 i = 0; i < n; i++) {
        if (!i || keys[i] != keys[i - 1]) {
            r[k++].from = at[i];
            s->blocks[keys[i] / 64].bits[kind] |= (u64)1 << keys[i] % 64;
        }
        r[k - 1].to = at[i] + 1;
    }
    for (u32 i = 1; i <= s->n_formulas / 64; i++)
        s->blocks[i].before[kind] = s->blocks[i - 1].before[kind] + gxp_ones(s->blocks[i - 1].bits[kind]);
    return 0;
}

/* A pair of numbers, to be sorted */
typedef struct pair {
    u32 key, value;
} pair;

static int by_pair(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->value < y->value ? -1 : x->value > y->value;
}

/* Ranges of the pairs' keys over an array of their values */
static int lists_of(compiler *c, u32 kind, pair *pairs, u32 n, u32 **values)
{
    u32 *keys = malloc((n + 1ull) * sizeof *keys), *at = malloc((n + 1ull) * sizeof *at);
    *values = zeros(c, n, sizeof **values);
    int failed = !keys || !at || !*values;
    if (!failed && n)
        qsort(pairs, n, sizeof *pairs, by_pair);
    for (u32 i = 0; i < n && !failed; i++) {
        keys[i] = pairs[i].key;
        at[i] = i;
        (*values)[i] = pairs[i].value;
    }
    failed = failed || ranges_of(c, kind, keys, at, n);
    free(keys);
    free(at);
    return failed;
}

/* What only compiling needed is left behind; arrays end where their content does. */
static void tighten(gxp_set *s, gx_buf *b)
{
    char *at = b->n && b->n < b->cap ? realloc(b->at, b->n) : NULL;
    if (at) {
        b->at = at;
        b->cap = b->n;
    }
    s->bytes += b->cap;
}

/* ---- the tables ---- */

static u32 new_ref(const compiler *c, u32 ref) { return GXP_REF(c->number[GXP_REF_FORMULA(ref)]) | GXP_REF_NOT(ref); }

/* A formula's word; its operands but the trigger go to args. */
static void word_of(compiler *c, u32 old, gx_buf *args)
{
    const gxp_formula *x = gxp_formula_at(&c->f, old);
    u32 *word = &c->set->word[c->number[old]];
    if (x->kind == GXP_EDGE)
        *word = x->test << 2 | x->axis;
    if (x->kind == GXP_LABEL)
        *word = x->test;
    if (x->kind == GXP_ATOM)
        *word = x->a;
    if (x->kind < GXP_AND)
        return;
    const int is_and = c->block[old] == ANDS;
    if (is_and && x->n == 2) {
        const u32 *a = args_of(c, x);
        *word = GXP_ALONE | new_ref(c, a[0] == GXP_REF(c->trigger[old]) ? a[1] : a[0]);
        return;
    }
    *word = GX_BUF_N(args, u32);
    u32 *to = gx_buf_push(args, (x->n + 1ull - (u32)is_and) * sizeof *to);
    if (!to) {
        c->f.no_memory = 1;
        return;
    }
    /* how many; later: << 1 | is it an OR? */
    *to++ = is_and ? x->n - 1 : x->n << 1 | (x->kind == GXP_OR);
    for (u32 k = 0; k < x->n; k++)
        if (!is_and || args_of(c, x)[k] != GXP_REF(c->trigger[old]))
            *to++ = new_ref(c, args_of(c, x)[k]);
}

/* What is triggered later: OR by each operand, AND by its trigger */
static int later_lists(compiler *c, const sorted *rows, u32 n)
{
    gx_buf pairs = { 0 };
    int failed = 0;
    for (u32 i = 0; i < n; i++) {
        const u32 old = rows[i].old;
        const gxp_formula *x = gxp_formula_at(&c->f, old);
        if (x->kind < GXP_AND || c->block[old] != LATER)
            continue;
        for (u32 k = 0; k < (x->kind == GXP_OR ? x->n : 1); k++) {
            pair *p = gx_buf_push(&pairs, sizeof *p);
            if (!p)
                failed = 1;
            else
                *p = (pair){ c->number[x->kind == GXP_OR ? GXP_REF_FORMULA(args_of(c, x)[k]) : c->trigger[old]],
                             c->number[old] };
        }
    }
    failed = failed || lists_of(c, GXP_LATER, GX_BUF_AT(&pairs, pair), GX_BUF_N(&pairs, pair), &c->set->later_of);
    gx_buf_free(&pairs);
    return failed;
}

/* Edges and ANDs, whose triggers' numbers ascend as their own do */
static int trigger_ranges(compiler *c, const sorted *rows, u32 n, u32 block, u32 kind)
{
    u32 *keys = malloc((n + 1ull) * sizeof *keys), *at = malloc((n + 1ull) * sizeof *at), k = 0;
    int failed = !keys || !at;
    for (u32 i = 0; i < n && !failed; i++)
        if (c->block[rows[i].old] == block) {
            keys[k] = c->number[c->trigger[rows[i].old]];
            at[k++] = c->number[rows[i].old];
        }
    failed = failed || ranges_of(c, kind, keys, at, k);
    free(keys);
    free(at);
    return failed;
}

static int downwards(const void *a, const void *b)
{
    const u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x > y ? -1 : x < y;
}

/* The formulas that a code needs by number, since late ones are the least likely to hold. The second, or GX_NONE */
static u32 sort_needed(u32 *code)
{
    u32 i = 1, *needed = code + 2;
    qsort(needed, code[1], sizeof *needed, downwards);
    while (i < code[1] && needed[i] == needed[0])
        i++;
    return i < code[1] ? needed[i] : GX_NONE;
}

/* How a code begins, as one word: most profiles fail in their first operation, which then costs no look at the code. */
static gxp_start start_of(const gxp_set *s, const u32 *code)
{
    const u32 *op = code + 2 + code[1], load = GXP_CODE_VALUE(op[0]), kind = GXP_CODE_KIND(op[1]),
              value = GXP_CODE_VALUE(op[1]);
    const int is_longer = op[1] != GXP_CODE_END && op[2] != GXP_CODE_END;
    if (is_longer && kind == GXP_CODE_MEET)
        return (gxp_start){ (u32)GXP_START_MEET << 30 | load, value };
    if (is_longer && kind == GXP_CODE_EDGE && (value & 3) != GXP_HERE_OR_BELOW)
        return (gxp_start){ (u32)((value & 3) == GXP_CHILD ? GXP_START_CHILD : GXP_START_BELOW) << 30 | load,
                            s->n_formulas + (value >> 2) };
    return (gxp_start){ (u32)GXP_START_OTHER << 30 | load, load };
}

/* Codes in the order of the formulas that they are entered from, so that a document reads them in the order of memory.
 * from: the codes in the order of profiles */
static int place_codes(compiler *c, const gx_buf *from, u32 n_subscribers)
{
    gxp_set *s = c->set;
    const u32 *code = GX_BUF_AT(from, u32);
    u32 next = 0;
    s->n_code = GX_BUF_N(from, u32);
    s->code = malloc((s->n_code + 1ull) * sizeof *code);
    s->start = zeros(c, n_subscribers, sizeof *s->start);
    s->second = zeros(c, n_subscribers, sizeof *s->second);
    s->bytes += s->n_code * sizeof *code;
    if (s->code)
        gx_pages_ready(s->code, s->n_code * sizeof *code);
    for (u32 i = 0; i < n_subscribers && s->code && s->start && s->second; i++) {
        s->second[i] = GX_NONE;
        if (GXP_HOW(s->subscriber[i]) != GXP_BY_CODE)
            continue;
        const u32 *old = code + GXP_CODE_AT(s->subscriber[i]), *end = old + 2 + old[1];
        while (*end != GXP_CODE_END)
            end++;
        s->subscriber[i] = (u32)GXP_BY_CODE << 30 | next;
        memcpy(s->code + next, old, (size_t)(end + 1 - old) * sizeof *old);
        s->second[i] = sort_needed(s->code + next);
        s->start[i] = start_of(s, s->code + next);
        next += (u32)(end + 1 - old);
    }
    return s->code && s->start && s->second ? 0 : -1;
}

/* For each formula the profiles that it is the formula of, with how it must hold; those of a formula that only one
 * profile has get code of their own (code.h). Profiles that are always true make a list of their own. Nonzero: out of
 * memory. */
static int subscribers_of(compiler *c)
{
    gxp_set *s = c->set;
    gxp_coder coder = { .f = &c->f, .number = c->number, .is_private = c->is_private };
    const u32 n = GX_BUF_N(&c->refs, u32), *refs = GX_BUF_AT(&c->refs, u32);
    pair *pairs = malloc((n + 1ull) * sizeof *pairs);
    u32 n_pairs = 0;
    s->always = zeros(c, n, sizeof *s->always);
    if (!pairs || !s->always) {
        free(pairs);
        return -1;
    }
    for (u32 i = 0; i < n; i++) {
        if (refs[i] == GXP_TRUE)
            s->always[s->n_always++] = i;
        if (refs[i] >= GXP_TRUE)
            continue;
        const gxp_formula *x = gxp_formula_at(&c->f, GXP_REF_FORMULA(refs[i]));
        const int is_edge = x->kind == GXP_EDGE && x->test == GXP_TEST_ROOT;
        const u32 how = !is_edge ? GXP_AT_ROOT : x->axis == GXP_CHILD ? GXP_AT_TOP : GXP_ANYWHERE;
        const u32 f = is_edge ? x->a : GXP_REF_FORMULA(refs[i]);
        u32 entry = c->number[f], subscriber = how << 30 | i;
        if (c->is_private[f])
            subscriber = (u32)GXP_BY_CODE << 30 | gxp_code_of(&coder, f, subscriber, &entry);
        pairs[n_pairs++] = (pair){ entry, subscriber };
    }
    const int failed = coder.no_memory || GX_BUF_N(&coder.code, u32) > GXP_PROFILE(GX_NONE)
                       || lists_of(c, GXP_SUBSCRIBERS, pairs, n_pairs, &s->subscriber)
                       || place_codes(c, &coder.code, n_pairs);
    gx_buf_free(&coder.needed);
    gx_buf_free(&coder.code);
    s->code_depth = coder.deepest;
    free(pairs);
    return failed;
}

/* The name tests by hash, at most half full, so that each name of a document is looked up once. -1: out of memory. */
static int names_table(compiler *c)
{
    gxp_set *s = c->set;
    const u32 n = GX_BUF_N(&s->tests, gxp_test);
    u32 size = 16;
    while (size < 2 * n)
        size *= 2;
    s->labels = zeros(c, size, sizeof *s->labels);
    s->label_mask = size - 1;
    if (!s->labels)
        return -1;
    for (u32 i = GXP_TEST_FIRST; i < n; i++) {
        const gxp_test *t = gxp_set_test(s, i);
        const u32 hash = gx_name_hash(s->strs.at + t->uri, t->uri_len, s->strs.at + t->local, t->local_len) + t->kind;
        u32 at = hash & s->label_mask;
        while (s->labels[at].test)
            at = (at + 1) & s->label_mask;
        s->labels[at] = (gxp_label){ hash, i + 1 };
    }
    return 0;
}

static __thread const gxp_set *sorting; /* for by_id */

static int by_id(const void *a, const void *b)
{
    return strcmp(gxp_id(sorting, *(const u32 *)a), gxp_id(sorting, *(const u32 *)b));
}

/* Numbers the formulas that are used by ascending rank (operands before what is made of them), and writes for each its
 * word, its operands, and the lists of whom it wakes. -1: out of memory. O(formulas + operands), a counting sort by
 * rank. */
static int tables(compiler *c)
{
    gxp_set *s = c->set;
    const u32 n = GX_BUF_N(&c->f.formulas, gxp_formula), n_atoms = GX_BUF_N(&c->f.values.atoms, gxp_atom);
    const u32 n_tests = GX_BUF_N(&c->f.tests, gxp_test);
    sorted *rows = malloc((n + 1ull) * sizeof *rows);
    u32 *start = calloc(UINT16_MAX + 2, sizeof *start), kept = 0;
    gx_buf args = { 0 };
    int failed = -1;
    c->number = malloc((n + 1ull) * sizeof *c->number);
    c->trigger = malloc((n + 1ull) * sizeof *c->trigger);
    c->block = malloc(n + 1ull);
    c->is_private = malloc(n + 1ull);
    if (!rows || !start || !c->number || !c->trigger || !c->block || !c->is_private)
        goto end;
    mark_used(c, n);
    s->n_private = gxp_find_private(&c->f, GX_BUF_AT(&c->refs, u32), GX_BUF_N(&c->refs, u32), c->number, c->is_private);
    for (u32 i = 0; i < n; i++)
        if (c->number[i] != GX_NONE) {
            find_trigger(c, i);
            start[gxp_formula_at(&c->f, i)->rank + 1]++;
            kept++;
        }
    for (u32 r = 0; r <= UINT16_MAX; r++) {
        s->n_ranks = start[r + 1] ? r + 1 : s->n_ranks;
        start[r + 1] += start[r];
    }
    s->n_formulas = kept;
    s->rank_start = zeros(c, s->n_ranks + 1, sizeof *s->rank_start);
    s->word = zeros(c, kept, sizeof *s->word);
    s->blocks = aligned_alloc(sizeof *s->blocks, (kept / 64 + 1) * sizeof *s->blocks);
    s->atom_formula = zeros(c, n_atoms, sizeof *s->atom_formula);
    s->test_formula = zeros(c, n_tests, sizeof *s->test_formula);
    if (!s->blocks || !s->rank_start || !s->word || !s->atom_formula || !s->test_formula)
        goto end;
    memset(s->blocks, 0, (kept / 64 + 1) * sizeof *s->blocks);
    s->bytes += (kept / 64 + 1) * sizeof *s->blocks;
    memcpy(s->rank_start, start, (s->n_ranks + 1ull) * sizeof *start);
    for (u32 i = 0; i < n; i++)
        if (c->number[i] != GX_NONE)
            rows[start[gxp_formula_at(&c->f, i)->rank]++].old = i;
    for (u32 r = 0, next = 0; r < s->n_ranks; r++)
        next = number_rank(c, rows + s->rank_start[r], s->rank_start[r + 1] - s->rank_start[r], next);
    memset(s->atom_formula, 0xff, n_atoms * sizeof *s->atom_formula);
    memset(s->test_formula, 0xff, n_tests * sizeof *s->test_formula);
    for (u32 i = 0; i < kept; i++) {
        const gxp_formula *x = gxp_formula_at(&c->f, rows[i].old);
        word_of(c, rows[i].old, &args);
        if (x->kind == GXP_ATOM)
            s->atom_formula[x->a] = i;
        if (x->kind == GXP_LABEL)
            s->test_formula[x->test] = i;
    }
    s->args = args.n ? realloc(args.at, args.n) : args.at;
    s->bytes += args.n;
    args.at = NULL;
    failed = c->f.no_memory || trigger_ranges(c, rows, kept, EDGES, GXP_EDGES)
             || trigger_ranges(c, rows, kept, ANDS, GXP_ANDS) || later_lists(c, rows, kept) || subscribers_of(c);
end:
    gx_buf_free(&args);
    free(rows);
    free(start);
    return failed;
}

/* The set out of what was collected: tables, names, values, ids in order. Arrays are cut to their size, since a set
 * lives for long. GX_ENOMEM. */
static gx_status finish(compiler *c, gx_error *err)
{
    gxp_set *s = c->set;
    s->n_profiles = GX_BUF_N(&c->refs, u32);
    int failed = gxp_values_finish(&c->f.values) || tables(c);
    s->tests = c->f.tests;
    s->strs = c->f.strs;
    s->values = c->f.values;
    memset(&c->f.tests, 0, sizeof c->f.tests);
    memset(&c->f.strs, 0, sizeof c->f.strs);
    memset(&c->f.values, 0, sizeof c->f.values);
    s->text_group = failed ? GX_NONE : gxp_set_test(s, GXP_TEST_NODE)->group;
    s->by_id = zeros(c, s->n_profiles, sizeof *s->by_id);
    s->is_exact = zeros(c, s->n_profiles / 8 + 1, 1);
    failed = failed || names_table(c) || !s->by_id || !s->is_exact;
    tighten(s, &s->tests);
    tighten(s, &s->strs);
    gx_buf *const of_values[] = { &s->values.groups, &s->values.atoms, &s->values.strs, &s->values.index,
                                  &s->values.lists, &s->values.bounds };
    for (u32 i = 0; i < sizeof of_values / sizeof *of_values; i++)
        tighten(s, of_values[i]);
    tighten(s, &c->ids);
    tighten(s, &c->id_at);
    tighten(s, &c->exact);
    s->ids = c->ids.at;
    s->id_at = GX_BUF_AT(&c->id_at, u32);
    s->exact = GX_BUF_AT(&c->exact, gxp_exact);
    s->n_exact = GX_BUF_N(&c->exact, gxp_exact);
    c->ids.at = c->id_at.at = c->exact.at = NULL;
    if (failed)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for the profiles");
    for (u32 i = 0; i < s->n_exact; i++) {
        s->is_exact[s->exact[i].profile / 8] |= (u8)(1u << s->exact[i].profile % 8);
        s->exact_bytes += s->exact[i].program->size;
    }
    s->bytes += s->exact_bytes + sizeof *s;
    for (u32 i = 0; i < s->n_profiles; i++)
        s->by_id[i] = i;
    sorting = s;
    if (s->n_profiles)
        qsort(s->by_id, s->n_profiles, sizeof *s->by_id, by_id);
    return GX_OK;
}

/* Profiles to a set. wrong() hears of each that is left out. Equal subexpressions of all profiles are one formula.
 * O(total length of the expressions), and sorts. */
gx_status gxp_compile(const gxp_profile *profiles, u32 n, void (*wrong)(void *ctx, u32 profile, const gx_error *what),
                      void *ctx, gxp_set **out, gx_error *err)
{
    compiler c = { .set = calloc(1, sizeof *c.set) };
    gxp_formulas_begin(&c.f);
    gx_status status = GX_ENOMEM;
    if (c.set && !c.f.no_memory && getrandom(&c.f.values.seed, sizeof c.f.values.seed, 0) == sizeof c.f.values.seed
        && apr_pool_create(&c.pool, NULL) == APR_SUCCESS)
        status = add_all(&c, profiles, n, wrong, ctx, err);
    else
        gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for the profiles");
    if (status == GX_OK)
        status = finish(&c, err);
    else if (c.set) {
        c.set->exact = GX_BUF_AT(&c.exact, gxp_exact);
        c.set->n_exact = GX_BUF_N(&c.exact, gxp_exact);
        c.exact.at = NULL;
    }
    if (c.pool)
        apr_pool_destroy(c.pool);
    gxp_formulas_free(&c.f);
    gx_buf_free(&c.refs);
    gx_buf_free(&c.ids);
    gx_buf_free(&c.id_at);
    free(c.number);
    free(c.trigger);
    free(c.block);
    free(c.is_private);
    if (status == GX_OK)
        *out = c.set;
    else
        gxp_set_free(c.set);
    return status;
}

void gxp_set_free(gxp_set *s)
{
    if (!s)
        return;
    for (u32 i = 0; i < s->n_exact; i++)
        free(s->exact[i].program);
    for (u32 i = 0; i < GXP_N_RANGES; i++)
        free(s->ranges[i]);
    gx_buf_free(&s->tests);
    gx_buf_free(&s->strs);
    gxp_values_free(&s->values);
    void *const all[] = { s->code,   s->blocks, s->word,         s->rank_start,   s->args,   s->later_of, s->subscriber,
                          s->start, s->second, s->always, s->atom_formula, s->test_formula, s->labels, s->exact,
                          s->is_exact, s->ids,  s->id_at,        s->by_id,        s };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

void gxp_set_counts(const gxp_set *s, gxp_counts *out)
{
    *out = (gxp_counts){ s->n_profiles, s->n_bad, s->n_exact, s->n_formulas + s->n_private, s->bytes, s->exact_bytes };
}

const char *gxp_id(const gxp_set *s, u32 i) { return s->ids + s->id_at[i]; }

/* A profile by its id, by halving. GX_NONE: there is none. */
u32 gxp_find(const gxp_set *s, const char *id)
{
    u32 lo = 0, hi = s->n_profiles;
    while (lo < hi) { /* the ids before lo are less, those from hi on are not */
        const u32 mid = (lo + hi) / 2;
        if (strcmp(gxp_id(s, s->by_id[mid]), id) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->n_profiles && !strcmp(gxp_id(s, s->by_id[lo]), id) ? s->by_id[lo] : GX_NONE;
}
