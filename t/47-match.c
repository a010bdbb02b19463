/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t/47-match.c -- profiles: the ids are those of evaluating each profile by itself; lists of profiles; limits by name
 *
 *   47-match                 some hundred random sets and documents; PAIRS=10000 SEED=n 47-match: as many
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "engine/match/list.h"
#include "engine/match/pack.h"
#include "engine/match/run.h"

static gx_parser *parser;
static gx_arena *arena;
static apr_pool_t *pool;
static u32 seed = 1;

static u32 chance(u32 n)
{
    seed = seed * 1664525u + 1013904223u;
    return n ? (seed >> 8) % n : 0;
}

/* ---- random documents and profiles over few names and values, so that much matches ---- */

static const char *const names[] = { "a", "b", "c", "d", "e", "p:a" };
static const char *const values[] = { "1", "2", "3", "10", "x", "yx", "" };
#define NS "xmlns:p='urn:p'"

static char *element(char *to, char *end, u32 depth)
{
    const char *name = names[chance(6)];
    to += sprintf(to, "<%s", name);
    for (u32 i = 0; i < 3; i++)
        if (!chance(3))
            to += sprintf(to, " %s='%s'", i == 0 ? "k" : i == 1 ? "n" : "p:k", values[chance(7)]);
    to += sprintf(to, ">");
    for (u32 n = chance(4); n && depth < 5 && end - to > 600; n--) {
        if (!chance(3))
            to += sprintf(to, "%s", values[chance(7)]);
        if (!chance(8))
            to += sprintf(to, "<!--x-->");
        to = element(to, end, depth + 1);
    }
    if (!chance(2))
        to += sprintf(to, "%s", values[chance(7)]);
    return to + sprintf(to, "</%s>", name);
}

static gx_doc *document_of(const char *text, size_t n)
{
    const gx_parse_options o = { .seed = 7 };
    gx_error err;
    gx_doc *doc;
    assert_int_equal(gx_parse(parser, &o, text, n, &doc, &err), GX_OK);
    return doc;
}

static gx_doc *random_document(void)
{
    static char text[6000];
    char *at = text + sprintf(text, "<a " NS ">");
    for (u32 n = chance(5); n && at < text + 4000; n--)
        at = element(at, text + 5000, 1);
    at += sprintf(at, "</a>");
    return document_of(text, (size_t)(at - text));
}

static char *path_to(char *to, u32 depth, int absolute);

static const char *literal(void)
{
    static const char *const all[] = { "'1'", "'x'", "'yx'", "''", "1", "2", "10", "-1", "'10'", "'3'" };
    return all[chance(10)];
}

static char *predicate(char *to, u32 depth)
{
    static const char *const ops[] = { "=", "!=", "<", "<=", ">", ">=" };
    static const char *const leaves[] = { "@k", "@n", ".", "text()", "@p:k", "b", "a/@k", ".//c", "@*", "*//@n",
                                          "c | b", "(a | b)/@k", "..", "//text()" };
    switch (chance(depth < 3 ? 16 : 6)) {
    case 0:
    case 1:
    case 2: return to + sprintf(to, "%s %s %s", leaves[chance(14)], ops[chance(6)], literal());
    case 3: return to + sprintf(to, "%s", leaves[chance(14)]);
    case 4: return to + sprintf(to, "%s(%s, %s)", chance(2) ? "contains" : "starts-with", leaves[chance(4)],
                                chance(4) ? "'x'" : "''");
    case 5: return to + sprintf(to, "%s %s %s", literal(), ops[chance(6)], leaves[chance(4)]);
    case 6:
    case 7:
        to = predicate(to + sprintf(to, "("), depth + 1);
        return predicate(to + sprintf(to, ") %s ", chance(2) ? "and" : "or"), depth + 1);
    case 8:
    case 9:
    case 10:
        to = predicate(to + sprintf(to, "not("), depth + 1);
        return to + sprintf(to, ")");
    case 11: {
        static const char *const odd[] = { "1", "last()", "position() = 2", "count(*) > 1", "string-length(@k) = 1",
                                           "following-sibling::b",
                                           "ancestor::c", "/a/b", "true()", "false()", "name() = 'b'", "self::a",
                                           "sum(b) > 1", "1 = 1" };
        return to + sprintf(to, "%s", odd[chance(14)]);
    }
    default: return path_to(to, depth + 1, 0);
    }
}

static char *path_to(char *to, u32 depth, int absolute)
{
    static const char *const tests[] = { "a", "b", "c", "d", "*", "*", "p:a", "p:*", "e", "node()" };
    static const char *const axes[] = { "", "", "", "", "", "", "descendant::", "descendant-or-self::", "self::",
                                        "parent::" };
    to += sprintf(to, "%s", absolute ? (chance(2) ? "//" : "/") : chance(4) ? "" : ".//");
    for (u32 n = 1 + chance(4); n; n--) {
        if (n == 1 && !chance(6))
            return to + sprintf(to, "%s", chance(3) ? (chance(2) ? "@k" : "text()") : ".");
        to += sprintf(to, "%s%s", axes[chance(10)], tests[chance(chance(4) ? 9 : 10)]);
        while (depth < 4 && !chance(3)) {
            to = predicate(to + sprintf(to, "["), depth + 1);
            to += sprintf(to, "]");
        }
        if (n > 1)
            to += sprintf(to, "%s", chance(4) ? "/" : "//");
    }
    return to;
}

static char *random_profile(void)
{
    static char text[1 << 16];
    char *to = text;
    switch (chance(8)) {
    case 0: to = predicate(to, 1); break;
    case 1:
        to = path_to(to, 0, 1);
        to = path_to(to + sprintf(to, chance(2) ? " | " : " and "), 0, 1);
        break;
    default: to = path_to(to, 0, 1);
    }
    return apr_pstrmemdup(pool, text, (apr_size_t)(to - text));
}

/* ---- each by itself ---- */

static int append(void *ctx, const char *bytes, size_t n)
{
    char *to = ctx;
    if (strlen(to) + n < 16)
        strncat(to, bytes, n);
    return 0;
}

/* 1, 0, or -1 where it is no expression */
static int by_itself(const gxp_profile *p, const gx_doc *doc)
{
    const gx_compile_options o = { .namespaces = p->namespaces, .n_namespaces = p->n_namespaces };
    gx_limits limits = { 0 };
    gx_program *program;
    gx_error err;
    gx_media media;
    apr_pool_t *own;
    char text[32] = "";
    int is = -1;
    gx_limits_default(&limits);
    assert_int_equal(apr_pool_create(&own, NULL), APR_SUCCESS);
    if (gx_compile_select(apr_pstrcat(own, "boolean(", p->text, ")", NULL), &o, own, &program, &err) == GX_OK) {
        gx_evaluation ev = { .program = program, .doc = doc, .limits = &limits, .arena = arena, .pool = own };
        const gx_serialize_options so = { .limits = &limits };
        is = gx_evaluate(&ev, &err) == GX_OK && gx_serialize_selection(&ev, &so, 0, NULL, append, text, &media,
            &err) == GX_OK
             && !strncmp(text, "true", 4);
        free(program);
    }
    apr_pool_destroy(own);
    return is;
}

static u32 n_wrong, n_by_teams;
static u8 *is_wrong;
static void wrong(void *ctx, u32 profile, const gx_error *what)
{
    (void)ctx, (void)what;
    n_wrong++;
    is_wrong[profile] = 1;
}

static const gx_param scope[] = { { "p", "urn:p" } };

enum { POOL = 1 << 20 };
/* What a worker does with a set and a tree: it believes nothing. GX_EBAD: it would not run */
static int run_checked(const gxp_flat *flat, const void *sent, u64 size, u64 *matched)
{
    gxp_tree *tree;
    const int status = gxp_tree_complete(sent, size, flat, &tree);
    if (status != GX_OK)
        return status;
    const u64 scratch_size = gxp_scratch_of(flat, tree->n, POOL).size;
    void *scratch = aligned_alloc(256, scratch_size);
    memset(scratch, 0xa5, scratch_size < 1 << 16 ? scratch_size : 1 << 16);
    const gxp_request r = { flat, tree, scratch, tree->n, POOL, matched, 0 };
    const int ran = gxp_nodes_run_solo(&r);
    free(scratch);
    free(tree);
    return ran;
}

static u32 n_refused, n_taken;

/* What is sent to a worker gives the same ids; what was written over is refused, or runs within its memory (ASan) */
static void by_another_process(const gxp_set *set, const gxp_flat *flat, const gx_doc *doc, u64 *matched)
{
    static const u32 odd[] = { 0, 1, 7, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff };
    gxp_packer *packer;
    const gxp_tree *sent;
    u64 size;
    gx_error err;
    assert_int_equal(gxp_packer_create(set, NULL, &packer, &err), GX_OK);
    assert_int_equal(gxp_pack(packer, doc, 0, 0, &sent, &size, &err), GX_OK);
    assert_non_null(sent);
    for (u32 i = 0; i < 12; i++) {
        const u64 cut = i == 11 ? chance((u32)size) : size, bytes = i % 2 ? size : flat->size;
        u32 *copy = malloc(bytes);
        memcpy(copy, i % 2 ? (const void *)sent : (const void *)flat, bytes);
        u32 *word = copy + chance((u32)(bytes / sizeof(u32)));
        *word = chance(2) ? odd[chance(8)] : *word + chance(3) - 1;
        const gxp_flat *f = i % 2 ? flat : (const gxp_flat *)(const void *)copy;
        int status = i % 2 ? GX_OK : gxp_flat_check(f, bytes);
        if (status == GX_OK && f->n_profiles == flat->n_profiles)
            status = run_checked(f, i % 2 ? (const void *)copy : (const void *)sent, cut, matched);
        n_refused += status == GX_EBAD;
        n_taken += status == GX_OK;
        free(copy);
    }
    assert_int_equal(run_checked(flat, sent, size, matched), GX_OK);
    gxp_packer_free(packer);
}

/* The ids that a team finds (nodes.h): one member, two, and one whose pool is too small */
static void same_by_teams(const gxp_set *set, gxp_matcher *m, const gx_doc *doc, const u32 *ids, u32 n, u32 pool_size)
{
    gxp_flat *flat;
    gxp_packer *packer;
    const gxp_tree *tree;
    u64 size, *matched, *scratch;
    u32 *expected = malloc((n + 1) * sizeof *expected), n_expected = n;
    gx_error err;
    if (n)
        memcpy(expected, ids, n * sizeof *ids);
    assert_int_equal(gxp_flat_make(set, &flat), GX_OK);
    assert_int_equal(gxp_packer_create(set, flat, &packer, &err), GX_OK);
    assert_int_equal(gxp_pack(packer, doc, 0, 0, &tree, &size, &err), GX_OK);
    assert_non_null(tree);
    matched = malloc((flat->n_profiles / 64 + 1) * sizeof *matched);
    for (u32 members = 0; members <= 2; members++) {
        const u32 room = members ? pool_size : 1;
        scratch = aligned_alloc(256, gxp_scratch_of(flat, tree->n, room).size);
        memset(scratch, 0xa5, gxp_scratch_of(flat, tree->n, room).size);
        const gxp_request r = { flat, tree, (char *)scratch, tree->n, room, matched, 0 };
        const int status = members < 2 ? gxp_nodes_run_solo(&r) : gxp_nodes_run_threads(&r, members);
        if (members)
            assert_int_equal(status, GX_OK);
        if (status == GX_OK) {
            assert_int_equal(gxp_match_bits(m, doc, NULL, matched, NULL, NULL, &ids, &n, &err), GX_OK);
            assert_int_equal(n, n_expected);
            for (u32 i = 0; i < n; i++)
                assert_int_equal(ids[i], expected[i]);
            n_by_teams += n;
        } else
            assert_int_equal(status, GX_EARENA);
        if (members && tree->n > 5000) {            /* that takes some work */
            gxp_request little = r;
            little.most_work = 64;
            assert_int_equal(members < 2 ? gxp_nodes_run_solo(&little) : gxp_nodes_run_threads(&little, members),
                             GX_ELIMIT);
        }
        free(scratch);
    }
    gxp_packer_free(packer);
    assert_int_equal(gxp_flat_check(flat, flat->size), GX_OK);
    by_another_process(set, flat, doc, matched);
    assert_int_equal(gxp_match_bits(m, doc, NULL, matched, NULL, NULL, &ids, &n, &err), GX_OK);
    assert_int_equal(n, n_expected);
    for (u32 i = 0; i < n; i++)
        assert_int_equal(ids[i], expected[i]);
    free(matched);
    free(flat);
    free(expected);
}

static void same_on_any_cpu(gxp_matcher *plain, const gx_doc *doc, const u32 *ids, u32 n)
{
    const u32 *others;
    u32 n_others;
    gx_error err;
    assert_int_equal(gxp_match(plain, doc, NULL, NULL, NULL, &others, &n_others, &err), GX_OK);
    assert_int_equal(n_others, n);
    if (n)
        assert_memory_equal(others, ids, n * sizeof *ids);
}

static void same_as_each_by_itself(void **state)
{
    enum { SET = 40, DOCUMENTS = 5 };
    const char *pairs = getenv("PAIRS");
    u32 n_exact = 0, n_matches = 0, n_all = 0;
    (void)state;
    if (getenv("SEED"))
        seed = (u32)atoi(getenv("SEED"));
    for (u32 round = (pairs ? (u32)atoi(pairs) : 300) / DOCUMENTS; round; round--) {
        gxp_profile profiles[SET];
        u8 bad[SET] = { 0 };
        gxp_set *set;
        gxp_matcher *m, *plain;
        gxp_counts counts;
        gx_error err;
        const u32 n_set = chance(4) ? SET : 1 + chance(3);      /* with few, nobody else asks for a name's values */
        apr_pool_clear(pool);
        is_wrong = bad;
        n_wrong = 0;
        for (u32 i = 0; i < n_set; i++)
            profiles[i] = (gxp_profile){ apr_psprintf(pool, "p%u", i), random_profile(), "", 1, 1, scope, 1 };
        assert_int_equal(gxp_compile(profiles, n_set, wrong, NULL, &set, &err), GX_OK);
        assert_int_equal(gxp_matcher_create(set, &m, &err), GX_OK);
        assert_int_equal(gxp_matcher_create(set, &plain, &err), GX_OK);
        gxp_matcher_plain(plain);
        gxp_set_counts(set, &counts);
        assert_int_equal(counts.profiles + n_wrong, n_set);
        n_exact += counts.exact;
        n_all += counts.profiles;
        for (u32 k = 0; k < DOCUMENTS; k++) {
            gx_doc *doc = random_document();
            const u32 *ids;
            u32 n, at = 0;
            if (gxp_match(m, doc, NULL, NULL, NULL, &ids, &n, &err) != GX_OK)
                fail_msg("%s", err.text);
            n_matches += n;
            for (u32 i = 0; i < n_set; i++) {
                const int is = at < n && !strcmp(gxp_id(set, ids[at]), profiles[i].id),
                    want = by_itself(&profiles[i], doc);
                if (want != (bad[i] ? -1 : is))
                    fail_msg("%s: %d where by itself it is %d (SEED before: %u)", profiles[i].text, is, want, seed);
                at += (u32)is;
            }
            assert_int_equal(at, n);
            same_on_any_cpu(plain, doc, ids, n);
            same_by_teams(set, m, doc, ids, n, 100000);
            free(doc);
        }
        gxp_matcher_free(plain);
        gxp_matcher_free(m);
        gxp_set_free(set);
    }
    printf("# %u profiles, %u of them by the planner, %u matches; by teams %u\n", n_all, n_exact, n_matches,
           n_by_teams);
    assert_true(n_by_teams >= 2 * n_matches);
    assert_true(n_refused > n_taken / 8 && n_taken > n_refused / 8);     /* the writing over does something */
    assert_true(n_matches > n_all / 2);
    assert_true(n_exact < n_all / 2);
}

/* ---- documents with many classes, and limits ---- */

static gx_doc *wide_document(u32 n)
{
    char *text = malloc(64ull * n + 100), *to = text + sprintf(text, "<r>");
    for (u32 i = 0; i < n; i++)
        to += sprintf(to, "<a k='%u'><b n='%u'><c/></b></a>", i, i * 2);
    to += sprintf(to, "</r>");
    gx_doc *doc = document_of(text, (size_t)(to - text));
    free(text);
    return doc;
}

static u32 wide_profiles(gxp_profile *profiles, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        const char *text = i % 4 == 0   ? apr_psprintf(pool, "//a[@k = '%u'][b/@n = %u]//c", i, i % 8 ? 2 * i : 1)
                           : i % 4 == 1 ? apr_psprintf(pool, "/r/a[b/@n > %u]/b/c", i)
                           : i % 4 == 2 ? apr_psprintf(pool, "//b[@n <= %u][not(c/d)]", i)
                                        : apr_psprintf(pool, "/r[a/b[@n = '%u']]//b[@n != '%u']", i, i);
        profiles[i] = (gxp_profile){ apr_psprintf(pool, "%u", i), text, "", 1, 1, NULL, 0 };
    }
    return n;
}

static void many_classes(void **state)
{
    enum { PROFILES = 3400 };
    gxp_profile *profiles = malloc(PROFILES * sizeof *profiles);
    const u32 n_profiles = wide_profiles(profiles, PROFILES);
    gxp_set *set;
    gxp_matcher *m, *plain;
    gx_error err;
    u8 bad[PROFILES] = { 0 };
    (void)state;
    is_wrong = bad;
    assert_int_equal(gxp_compile(profiles, n_profiles, wrong, NULL, &set, &err), GX_OK);
    assert_int_equal(gxp_matcher_create(set, &m, &err), GX_OK);
    assert_int_equal(gxp_matcher_create(set, &plain, &err), GX_OK);
    gxp_matcher_plain(plain);
    for (u32 n = 10; n <= 3400; n *= 340) { /* 3400: pieces of more than one word */
        gx_doc *doc = wide_document(n);
        const u32 *ids;
        u32 n_ids, at = 0;
        gxp_cost cost;
        assert_int_equal(gxp_match(m, doc, NULL, NULL, NULL, &ids, &n_ids, &err), GX_OK);
        gxp_match_cost(m, &cost);
        assert_true(n < 3400 || cost.classes > 4096);
        for (u32 i = 0; i < n_profiles; i++) {
            const int is = at < n_ids && ids[at] == i;
            at += (u32)is;
            if (is != by_itself(&profiles[i], doc))
                fail_msg("%s", profiles[i].text);
        }
        same_on_any_cpu(plain, doc, ids, n_ids);
        same_by_teams(set, m, doc, ids, n_ids, 1 << 22);
        gx_limits limits = { 0 };
        limits.steps = 3;
        assert_int_equal(gxp_match(m, doc, &limits, NULL, NULL, &ids, &n_ids, &err), GX_ELIMIT);
        assert_string_equal(err.limit, "steps");
        limits = (gx_limits){ .arena = 64 };
        assert_int_equal(gxp_match(m, doc, &limits, NULL, NULL, &ids, &n_ids, &err), GX_ELIMIT);
        assert_string_equal(err.limit, "arena");
        gxp_matcher_deadline(m, 1);
        assert_int_equal(gxp_match(m, doc, NULL, NULL, NULL, &ids, &n_ids, &err), GX_ETIME);
        gxp_matcher_deadline(m, 0);
        assert_int_equal(gxp_match(m, doc, NULL, NULL, NULL, &ids, &n_ids, &err), GX_OK); /* it goes on as before */
        assert_int_equal(n_ids, at);
        free(doc);
    }
    gxp_matcher_free(plain);
    gxp_matcher_free(m);
    gxp_set_free(set);
    free(profiles);
}

/* Documents of n records with a number and a text of their own, matched with few bounds and with as many as numbers */
static gxp_cost cost_of(const gxp_set *set, u32 n, const gx_limits *limits, gx_status want, const char *limit)
{
    gx_doc *doc = wide_document(n);
    gxp_matcher *m;
    gxp_cost cost;
    const u32 *ids;
    u32 n_ids;
    gx_error err = { 0 };
    assert_int_equal(gxp_matcher_create(set, &m, &err), GX_OK);
    assert_int_equal(gxp_match(m, doc, limits, NULL, NULL, &ids, &n_ids, &err), want);
    if (limit)
        assert_string_equal(err.limit, limit);
    gxp_match_cost(m, &cost);
    gxp_matcher_free(m);
    free(doc);
    return cost;
}

static void long_documents(void **state)
{
    enum { PROFILES = 4000, FEW = 40 };
    gxp_profile *profiles = malloc((PROFILES + FEW) * sizeof *profiles);
    gxp_set *few, *many;
    gx_error err;
    (void)state;
    for (u32 i = 0; i < PROFILES; i++)          /* each record is a class of its own, and each b */
        profiles[i] = (gxp_profile){ apr_psprintf(pool, "%u", i),
                                     apr_psprintf(pool, "//a[@k = '%u'][b/@n = %u]/b", i, 2 * i), "", 1, 1, NULL, 0 };
    for (u32 i = 0; i < FEW; i++)
        profiles[PROFILES + i] = (gxp_profile){ apr_psprintf(pool, "few%u", i),
                                                apr_psprintf(pool, "//b[@n > %u]", 500 * i), "", 1, 1, NULL, 0 };
    assert_int_equal(gxp_compile(profiles, PROFILES + FEW, NULL, NULL, &few, &err), GX_OK);
    gx_limits limits = { .arena = 100 * 3 * PROFILES };     /* bytes an element */
    const gxp_cost one = cost_of(few, PROFILES / 2, &limits, GX_OK, NULL),
                   two = cost_of(few, PROFILES, &limits, GX_OK, NULL);
    assert_true(one.classes > PROFILES && two.classes > 2 * PROFILES);
    assert_true(two.steps < one.steps * 5 / 2 && two.steps < 50 * two.elements);
    gxp_set_free(few);
    for (u32 i = 0; i < PROFILES; i++)          /* a bound for each: sets of up to as many bits */
        profiles[i].text = apr_psprintf(pool, "//b[@n < %u]", 2 * i + 1);
    assert_int_equal(gxp_compile(profiles, PROFILES, NULL, NULL, &many, &err), GX_OK);
    const gxp_cost all = cost_of(many, PROFILES, NULL, GX_OK, NULL);
    limits = (gx_limits){ .steps = all.steps / 2 };
    cost_of(many, PROFILES, &limits, GX_ELIMIT, "steps");
    limits = (gx_limits){ .arena = all.bytes / 2 };
    cost_of(many, PROFILES, &limits, GX_ELIMIT, "arena");
    gxp_set_free(many);
    free(profiles);
}

/* A text that is the string-value of many elements, and white space before a number that all of them look for */
static void nested_text(void **state)
{
    enum { DEEP = 400, LONG = 1 << 16 };
    const gxp_profile profile = { "n", "//a[. > 1]", "", 1, 1, NULL, 0 };
    gx_limits limits = { .steps = DEEP * (LONG / 128) };
    char *text = malloc(7 * DEEP + LONG + 10), *to = text;
    gx_error err;
    gxp_set *set;
    gxp_matcher *m;
    const u32 *ids;
    u32 n;
    (void)state;
    for (u32 i = 0; i < DEEP; i++)
        to += sprintf(to, "<a>");
    memset(to, ' ', LONG);
    to += LONG;
    to += sprintf(to, "2");
    for (u32 i = 0; i < DEEP; i++)
        to += sprintf(to, "</a>");
    assert_int_equal(gxp_compile(&profile, 1, NULL, NULL, &set, &err), GX_OK);
    assert_int_equal(gxp_matcher_create(set, &m, &err), GX_OK);
    gx_doc *doc = document_of(text, (size_t)(to - text));
    assert_int_equal(gxp_match(m, doc, NULL, NULL, NULL, &ids, &n, &err), GX_OK);
    assert_int_equal(n, 1);
    assert_int_equal(gxp_match(m, doc, &limits, NULL, NULL, &ids, &n, &err), GX_ELIMIT);
    assert_string_equal(err.limit, "steps");
    gxp_matcher_free(m);
    gxp_set_free(set);
    free(doc);
    free(text);
}

/* 400 steps, each of which has one shared operand, the value, and one of its own: they need no stack */
static void one_place(void **state)
{
    char *text = malloc(1 << 14), *to = text + sprintf(text, "/a");
    const gxp_profile profile = { "steps", text, "", 1, 1, NULL, 0 };
    gx_error err;
    gxp_set *set;
    gxp_flat *flat;
    (void)state;
    for (u32 i = 0; i < 400; i++)
        to += sprintf(to, "[@k='1'][a");
    for (u32 i = 0; i < 400; i++)
        to += sprintf(to, "]");
    assert_int_equal(gxp_compile(&profile, 1, NULL, NULL, &set, &err), GX_OK);
    assert_int_equal(gxp_flat_make(set, &flat), GX_OK);
    free(flat);
    gxp_set_free(set);
    free(text);
}

/* Branches that a matcher which follows each way would take forever for, and names that are nested deeply */
static void hostile(void **state)
{
    char *text = malloc(1 << 20), *to = text;
    gxp_profile profiles[3] = { { "many", text, "", 1, 1, NULL, 0 } };
    gx_error err;
    gxp_set *set;
    gxp_matcher *m;
    const u32 *ids;
    u32 n;
    u8 bad[3] = { 0 };
    (void)state;
    is_wrong = bad;
    for (u32 i = 0; i < 300; i++)
        to += sprintf(to, "//a[.//a]");
    profiles[1] = (gxp_profile){ "none", apr_pstrcat(pool, text, "//b", NULL), "", 1, 1, NULL, 0 };
    to = text + strlen(text) + 1;
    profiles[2].id = "deep";
    profiles[2].text = to;
    to += sprintf(to, "/a");
    for (u32 i = 0; i < 400; i++)
        to += sprintf(to, "[a][.//a][a");     /* two that are shared wait on the stack for the third */
    for (u32 i = 0; i < 400; i++)
        to += sprintf(to, "]");
    assert_int_equal(gxp_compile(profiles, 3, wrong, NULL, &set, &err), GX_OK);
    assert_int_equal(gxp_matcher_create(set, &m, &err), GX_OK);
    char *xml = malloc(1 << 16), *x = xml;
    for (u32 i = 0; i < 500; i++)
        x += sprintf(x, "<a>");
    for (u32 i = 0; i < 500; i++)
        x += sprintf(x, "</a>");
    gx_doc *doc = document_of(xml, (size_t)(x - xml));
    assert_int_equal(gxp_match(m, doc, NULL, NULL, NULL, &ids, &n, &err), GX_OK);
    assert_int_equal(n, 2);
    assert_string_equal(gxp_id(set, ids[0]), "many");
    assert_string_equal(gxp_id(set, ids[1]), "deep");
    same_by_teams(set, m, doc, ids, n, 1 << 20);        /* 400 branches need more of a stack than teams have */
    free(doc);
    free(xml);
    gxp_matcher_free(m);
    gxp_set_free(set);
    free(text);
}

/* ---- lists ---- */

static char told[4000], folder[] = "/tmp/match-XXXXXX";
static void tell(void *ctx, const gx_error *what)
{
    char line[1400];
    (void)ctx;
    gx_error_format(what, line, sizeof line);
    strncat(told, line + (strncmp(line, folder, strlen(folder)) ? 0 : strlen(folder) + 1),
            sizeof told - strlen(told) - 2);
    strcat(told, "\n");
}

static void put_file(const char *name, const char *bytes)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(bytes, f);
    fclose(f);
}

static void lists(void **state)
{
    static const char *const ids[] = { "one", "two", "three", "x", "y", "four" };
    char here[400];
    const gx_loader loader = { 0 };
    gx_limits limits = { 0 };
    gxp_list l;
    gx_error err;
    (void)state;
    gx_limits_default(&limits);
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    put_file("all.txt", "# comment\n\none\t//a\r\n%namespace p urn:p\ntwo\t//p:a\nno tab\n\tno "
                        "id\nthree\t//b\n%include more.xml\n%what\n"
                        "one\t//again\n%include all.txt\n%include gone.txt\nfour\t/a\n");
    put_file("more.xml", "<profiles xmlns:q='urn:q'><profile id='x'>//q:a[@k &lt; 1]</profile>\n<other/><profile "
                         "id='y' xmlns:r='urn:r'>"
                         "//r:b</profile></profiles>");
    gxp_list_begin(&l, pool, &loader, &limits);
    l.wrong = tell;
    assert_int_equal(gxp_list_read(&l, apr_pstrcat(pool, folder, "/all.txt", NULL), &err), GX_OK);
    assert_int_equal(gxp_list_n(&l), 6);
    for (u32 i = 0; i < 6; i++)
        assert_string_equal(gxp_list_at(&l)[i].id, ids[i]);
    const gxp_profile *p = gxp_list_at(&l);
    assert_string_equal(p[1].namespaces[0].value, "urn:p");
    assert_string_equal(p[3].text, "//q:a[@k < 1]");
    assert_string_equal(p[3].namespaces[0].value, "urn:q");
    assert_int_equal(p[4].n_namespaces, 2);
    assert_int_equal(p[2].line, 8);
    assert_int_equal(p[2].column, 7);
    assert_int_equal(l.n_bad, 7);
    static const char *const begin[] = { "all.txt:6:1: a profile is", "all.txt:7:1: the id", "more.xml:2:1: <profile",
                                         "all.txt:10:1: a line",
                                         "all.txt:11:1: there is a profile 'one'",
                                         "all.txt:12:10: cannot be included: ",
                                         "all.txt:13:10: cannot be included: ", "" };
    const char *at = told;
    for (u32 i = 0; *begin[i]; i++, at = strchr(at, '\n') + 1)
        if (strncmp(at, begin[i], strlen(begin[i])))
            fail_msg("%s\nwanted: %s", told, begin[i]);
    gxp_list_free(&l);
    assert_int_equal(remove("all.txt") | remove("more.xml"), 0);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_as_each_by_itself), cmocka_unit_test(many_classes),
                                        cmocka_unit_test(long_documents), cmocka_unit_test(nested_text),
                                        cmocka_unit_test(one_place), cmocka_unit_test(hostile),
                                        cmocka_unit_test(lists) };
    gx_error err;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    if (gx_parser_create(&parser, &err) != GX_OK || gx_arena_create(1u << 30, &arena, &err) != GX_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gx_parser_free(parser);
    gx_arena_free(arena);
    apr_pool_destroy(pool);
    apr_terminate();
    return failed;
}
