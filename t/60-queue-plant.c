/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-plant.c -- a child that was taken over, and a device's worker that keeps documents: whatever it writes into
 * another child's requests and answers, that one's later answers are of its own document. So with documents that are
 * matched with profiles: no answer has numbers that the set does not have, and none but the attacked one is another's.
 *
 * The worker is the one over a runtime without a device (t/gpu). Each document is large enough for the grid, and the
 * stylesheet's answer is a number that tells one from the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <apr_general.h>
#include "gx.h"
#include "match/pack.h"
#include "queue.h"
#include "../queue/memory.h"

#define WORKER "build/fake/gpuxml-worker"
#define ITEMS 9000
#define WAIT_US 20000000u

typedef struct document { gx_doc *block; gx_queue_kept kept; const char *answer; } document;

static apr_pool_t *pool;
static gx_queue *q;
static gx_queue_program program;
static int worker;
static document theirs, ours;           /* the same number of bytes */

/* Elements of that name; documents of different numbers are different ones to the worker. */
static void parse(const char *name, unsigned number, document *out)
{
    gx_parse_options options;
    gx_parser *parser;
    gx_error err;
    size_t n = 0, cap = (size_t)ITEMS * 40 + 100;
    char *text = malloc(cap);
    memset(&out->kept, 0, sizeof out->kept);
    n += (size_t)snprintf(text, cap, "<list>%08x", number);
    for (int i = 0; i < ITEMS; i++)
        n += (size_t)snprintf(text + n, cap - n, "<%s>text of %d</%s>", name, i % 10, name);
    n += (size_t)snprintf(text + n, cap - n, "</list>");
    memset(&options, 0, sizeof options);
    assert_int_equal(gx_parser_create(&parser, &err), GX_OK);
    assert_int_equal(gx_parse(parser, &options, text, n, &out->block, &err), GX_OK);
    gx_parser_free(parser);
    free(text);
}

static gx_program *block;       /* program's */

static void begin(void)
{
    gx_worker_options options;
    gx_compile_options compile;
    gx_error err;
    static const char sheet[] = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
                                "<xsl:output method='text'/><xsl:template match='/'><xsl:value-of select="
                                "'concat(\"theirs=\", count(//a), \" ours=\", "
                                "count(//b))'/></xsl:template></xsl:stylesheet>";
    char path[] = "/tmp/gx-plant-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, sheet, sizeof sheet - 1) == (ssize_t)sizeof sheet - 1);
    close(fd);
    memset(&compile, 0, sizeof compile);
    assert_int_equal(gx_compile(path, &compile, pool, &block, &err), GX_OK);
    unlink(path);
    gx_queue_program_init(&program, block, block->size);
    parse("a", 0, &theirs);
    parse("b", 0, &ours);
    theirs.answer = "theirs=9000 ours=0";
    ours.answer = "theirs=0 ours=9000";
    assert_int_equal(theirs.block->size, ours.block->size);
    assert_int_equal(gx_queue_create(8, 64 << 20, &q, &err), GX_OK);
    memset(&options, 0, sizeof options);
    options.no_sandbox = 1;
    assert_int_equal(gx_worker_spawn(q, WORKER, &options, &worker, &err), GX_OK);
    assert_int_equal(gx_queue_wait_alive(q, WAIT_US), GX_OK);
}

static void end(void)
{
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    gx_queue_destroy(q);
    free(theirs.block);
    free(ours.block);
    free(block);
    theirs.block = ours.block = NULL;
}

typedef struct attack { void (*submitted)(gx_q_slot *s), (*answered)(gx_q_slot *s); int is_odd; } attack;

/* Sends a request, the attack under way: until the worker has it, or until its answer is attacked */
static gx_slot *submit(const gx_queue_request *request, const attack *a)
{
    gx_slot *slot;
    assert_int_equal(gx_queue_acquire(q, WAIT_US, &slot), GX_OK);
    gx_q_slot *s = &q->slots[slot->index];
    if (a && a->submitted)
        kill(worker, SIGSTOP);
    assert_int_equal(gx_queue_submit(slot, request), GX_OK);
    if (a && a->submitted) {
        a->submitted(s);
        kill(worker, SIGCONT);
    }
    if (a && a->answered) {
        while (GX_Q_STATE(gx_load(&s->word)) != GX_Q_DONE)
            usleep(100);
        a->answered(s);
    }
    return slot;
}

/* Asks, the attack under way. 1: the answer is the document's own; 0: another's; -1: none, and it is to be evaluated
 * here. */
static int ask(document *d, const attack *a)
{
    gx_queue_request request;
    gx_queue_result r;
    gx_error err;
    memset(&request, 0, sizeof request);
    request.doc = d->block;
    request.doc_size = d->block->size;
    request.program = &program;
    request.kept = &d->kept;
    gx_slot *slot = submit(&request, a);
    const gx_status status = gx_queue_wait(slot, gx_now_us() + WAIT_US, &r, &err);
    const int is_own = status == GX_OK ? memmem(r.base, r.size, d->answer, strlen(d->answer)) != NULL : -1;
    gx_queue_release(slot);
    return is_own;
}

/* ---- attacks ---- */

static void write_document(gx_q_slot *s)
{
    if (s->request.doc.size == theirs.block->size)
        memcpy(q->base + s->request.doc.off, theirs.block, theirs.block->size);
}

static void write_name(gx_q_slot *s)
{
    s->request.name = theirs.kept.name;
    s->request.has_name = 1;
}

static void name_only(gx_q_slot *s)
{
    write_name(s);
    s->request.doc.size = 0;
}

static void both(gx_q_slot *s)
{
    write_document(s);
    write_name(s);
}

static void say_kept(gx_q_slot *s)
{
    s->reply.kept = GX_Q_KEPT;
    s->reply.place = 3;
}

static void say_worth(gx_q_slot *s) { s->reply.kept = GX_Q_WORTH_KEEPING; }

static void say_absent(gx_q_slot *s) { s->reply.status = GX_EABSENT; }

static void random_reply(gx_q_slot *s)
{
    s->reply.kept = (u32)rand();
    s->reply.place = (u32)rand();
}

static void as_match(gx_q_slot *s) { s->request.is_match = 1; }

static void test_attacks(void **state)
{
    static const attack attacks[] = {
        { write_document, NULL, 1 }, { write_name, NULL, 1 },   { name_only, NULL, 1 },     { both, NULL, 1 },
        { NULL, say_kept, 0 },       { NULL, say_worth, 0 },    { NULL, say_absent, 1 },    { NULL, random_reply, 0 },
        { write_document, say_kept, 1 }, { both, say_kept, 1 }, { name_only, say_kept, 1 }, { as_match, NULL, 1 },
    };
    (void)state;
    begin();
    for (int i = 0; i < 4; i++)
        assert_int_equal(ask(&theirs, NULL), 1);
    assert_true(gx_queue_is_kept(&theirs.kept));
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        for (int at = 0; at < 4; at++) {        /* the request of the document's that is attacked */
            free(ours.block);
            parse("b", (unsigned)(i * 4 + (size_t)at + 1), &ours);
            for (int k = 0; k < 8; k++) {
                const int is_attacked = k == at, is_own = ask(&ours, is_attacked ? &attacks[i] : NULL);
                if (is_own != 1 && !(is_attacked && attacks[i].is_odd))
                    fail_msg("attack %zu on request %d: request %d has %s", i, at, k,
                             is_own ? "no answer" : "another's");
            }
            assert_true(gx_queue_is_kept(&ours.kept));
            assert_int_equal(ask(&theirs, NULL), 1);
        }
    end();
}

/* ---- documents that are matched ---- */

typedef struct matched { void *tree; u64 size; } matched;

static gxp_flat *flat;
static gx_queue_program set_program;
static matched their_tree, our_tree;    /* which match profile 0, and 1 */

static void pack(const gxp_set *set, const document *d, matched *out)
{
    gxp_packer *packer;
    const gxp_tree *tree;
    gx_error err;
    assert_int_equal(gxp_packer_create(set, NULL, &packer, &err), GX_OK);
    assert_int_equal(gxp_pack(packer, d->block, 0, 0, &tree, &out->size, &err), GX_OK);
    out->tree = malloc(out->size);
    memcpy(out->tree, tree, out->size);
    gxp_packer_free(packer);
}

static void as_sheet(gx_q_slot *s) { s->request.is_match = 0; }

static void of_sheet(gx_q_slot *s) { s->request.digest = program.digest; }

static void write_tree(gx_q_slot *s)
{
    if (s->request.doc.size == their_tree.size)
        memcpy(q->base + s->request.doc.off, their_tree.tree, their_tree.size);
}

static void spoil_tree(gx_q_slot *s)
{
    u32 *word = (u32 *)(void *)(q->base + s->request.doc.off);
    for (u64 i = 0; i < s->request.doc.size / sizeof *word; i += 1 + (u64)rand() % 7)
        word[i] = (u32)rand();
}

static void cut_tree(gx_q_slot *s) { s->request.doc.size -= 16; }

static void spoil_ids(gx_q_slot *s)
{
    u32 *word = (u32 *)(void *)(q->base + s->reply.result.off);
    word[rand() % 3] = (u32)rand() | 2;
}

static void cut_ids(gx_q_slot *s) { s->reply.result.size = (u64)rand() % 12; }

/* As ask. An answer is in range, whatever the attack was: else this process fails. */
static int match(const matched *m, u32 own, const attack *a)
{
    gx_queue_result r;
    gx_error err;
    const gx_queue_request request = { .program = &set_program, .doc = m->tree, .doc_size = m->size, .n_profiles = 2,
                                       .is_patient = 1 };
    gx_slot *slot = submit(&request, a);
    const gx_status status = gx_queue_wait(slot, gx_now_us() + WAIT_US, &r, &err);
    int is_own = -1;
    if (status == GX_OK && r.matched) {
        assert_true(r.matched[0] < 4);
        is_own = r.matched[0] == 1u << own;
    } else if (status == GX_OK) {
        assert_true(r.n_ids <= 2 && (r.n_ids < 1 || r.ids[0] < 2) && (r.n_ids < 2 || (r.ids[0] == 0 && r.ids[1] == 1)));
        is_own = r.n_ids == 1 && r.ids[0] == own;
    }
    gx_queue_release(slot);
    return is_own;
}

static void test_match_attacks(void **state)
{
    static const attack attacks[] = {
        { as_sheet, NULL, 1 },   { of_sheet, NULL, 1 },  { write_tree, NULL, 1 }, { spoil_tree, NULL, 1 },
        { cut_tree, NULL, 1 },   { NULL, spoil_ids, 1 }, { NULL, cut_ids, 1 },    { as_match, NULL, 0 },
    };
    const gxp_profile profiles[] = { { "theirs", "//a", "", 1, 1, NULL, 0 }, { "ours", "//b", "", 2, 1, NULL, 0 } };
    gxp_set *set;
    gx_error err;
    (void)state;
    begin();
    assert_int_equal(gxp_compile(profiles, 2, NULL, NULL, &set, &err), GX_OK);
    assert_int_equal(gxp_flat_make(set, &flat), GX_OK);
    gx_queue_program_init(&set_program, flat, flat->size);
    pack(set, &theirs, &their_tree);
    pack(set, &ours, &our_tree);
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        for (int k = 0; k < 12; k++) {
            const int is_own = match(&our_tree, 1, k % 2 ? &attacks[i] : NULL);
            if (is_own != 1 && !(k % 2 && attacks[i].is_odd))
                fail_msg("attack %zu: request %d has %s", i, k, is_own ? "no answer" : "another's");
            assert_int_equal(match(&their_tree, 0, NULL), 1);
            assert_int_equal(ask(&theirs, NULL), 1);
        }
    gxp_set_free(set);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_attacks), cmocka_unit_test(test_match_attacks) };
    if (access(WORKER, X_OK) != 0) {
        printf("1..0 # SKIP %s is not built: there is no C++ compiler\n", WORKER);
        return 0;
    }
    apr_initialize();
    apr_pool_create(&pool, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
