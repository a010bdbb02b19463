/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match_check.c -- gx-match-check: batches of documents matched on a GPU: are the ids the matcher's on the CPU, and how
 * many documents a second?
 *
 *   gx-match-check [-n DOCUMENTS] [-t THREADS] [-b BLOCKS] [-p POOL] PROFILES DOCUMENT ...
 *
 * Batches are made of the documents, again and again. The table says how long the kernel takes, how long with the link,
 * and how long from the documents' bytes to bits when all cores parse and pack while the GPU matches.
 *
 * Exit status: 0 all agree, 1 something differs, 2 it could not be done.
 */
#include <pthread.h>
#include <unistd.h>
#include <apr_general.h>
#include "../engine/gx.h"
#include "../engine/match/list.h"
#include "../engine/match/pack.h"
#include "../tools/timing.h"
#include "check_bytes.h"
#include "match.h"

typedef struct document {
    bytes source;
    gx_doc *doc;
    void *tree;
    u64 size;
    u32 *ids, n_ids;
} document;

typedef struct check {
    gxp_set *set;
    gxp_flat *flat;
    document *docs;
    u32 n_docs, n, threads, pool, blocks, most_nodes, most_hot;
    gxp_gpu *g;
    u64 most_tree;
} check;

static int fail(const gx_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 2;
}

static int read_profiles(check *c, const char *name, apr_pool_t *pool)
{
    gxp_list found;
    gx_loader loader;
    gx_limits limits;
    gx_error err;
    gxp_counts n;
    memset(&loader, 0, sizeof loader);
    memset(&limits, 0, sizeof limits);
    gx_limits_default(&limits);
    gxp_list_begin(&found, pool, &loader, &limits);
    if (gxp_list_read(&found, name, &err) != GX_OK
        || gxp_compile(gxp_list_at(&found), gxp_list_n(&found), NULL, NULL, &c->set, &err) != GX_OK)
        return fail(&err);
    const double began = now_us();
    if (gxp_flat_make(c->set, &c->flat) != GX_OK)
        return fprintf(stderr, "the profiles cannot be flattened\n"), 2;
    gxp_set_counts(c->set, &n);
    printf("# %u profiles, %u by the planner, %u formulas, %u of them shared, %u codes, %.1f MB on the device, "
           "made in %.0f ms\n",
           n.profiles, n.exact, n.formulas, c->flat->n_formulas, c->flat->n_codes, (double)c->flat->size / 1e6,
           (now_us() - began) / 1e3);
    return 0;
}

/* What one core makes of each document: its ids, and its tree */
static int read_documents(check *c, char **names)
{
    gx_parser *parser;
    gxp_matcher *m;
    gxp_packer *p;
    gx_parse_options o;
    gx_error err;
    double parse = 0, match = 0, pack = 0;
    u64 matches = 0, size = 0, trees = 0;
    memset(&o, 0, sizeof o);
    if (gx_parser_create(&parser, &err) != GX_OK || gxp_matcher_create(c->set, &m, &err) != GX_OK
        || gxp_packer_create(c->set, c->flat, &p, &err) != GX_OK)
        return fail(&err);
    for (u32 i = 0; i < c->n_docs; i++) {
        document *d = &c->docs[i];
        const gxp_tree *tree;
        const u32 *ids;
        double at = now_us();
        if (read_file(names[i], &d->source))
            return perror(names[i]), 2;
        at = now_us();
        if (gx_parse(parser, &o, d->source.at, d->source.n, &d->doc, &err) != GX_OK)
            return fail(&err);
        parse += now_us() - at;
        at = now_us();
        if (gxp_match(m, d->doc, NULL, NULL, NULL, &ids, &d->n_ids, &err) != GX_OK)
            return fail(&err);
        match += now_us() - at;
        d->ids = malloc((d->n_ids + 1ull) * sizeof *ids);
        memcpy(d->ids, ids, d->n_ids * sizeof *ids);
        at = now_us();
        if (gxp_pack(p, d->doc, 0, 0, &tree, &d->size, &err) != GX_OK || !tree)
            return fprintf(stderr, "%s: cannot be packed\n", names[i]), 2;
        pack += now_us() - at;
        d->tree = malloc(d->size);
        memcpy(d->tree, tree, d->size);
        c->most_nodes = tree->n > c->most_nodes ? tree->n : c->most_nodes;
        c->most_hot = tree->hot_end > c->most_hot ? (u32)tree->hot_end : c->most_hot;
        c->most_tree = d->size > c->most_tree ? d->size : c->most_tree;
        matches += d->n_ids;
        size += d->source.n;
        trees += d->size;
    }
    const double n = c->n_docs;
    printf("# %u documents of %.1f KB, %.0f matches each; one core, each: parsed in %.0f us, matched in %.0f us, "
           "packed in %.0f us: %.1f KB\n",
           c->n_docs, (double)size / n / 1e3, (double)matches / n, parse / n, match / n, pack / n,
           (double)trees / n / 1e3);
    gx_parser_free(parser);
    gxp_matcher_free(m);
    gxp_packer_free(p);
    return 0;
}

static u64 fill(const check *c, u32 batch, u32 n)
{
    char *to = gxp_gpu_trees(c->g, batch);
    u64 *at = gxp_gpu_at(c->g, batch), used = 0;
    for (u32 k = 0; k < n; k++) {
        const document *d = &c->docs[k % c->n_docs];
        memcpy(to + used, d->tree, d->size);
        at[k] = used;
        used += (d->size + 15) & ~15ull;
    }
    return used;
}

/* The documents whose ids are not what one core found. GX_OK of all but those that were refused */
static u32 compare(const check *c, gxp_matcher *m, u32 batch, u32 n, u32 *refused)
{
    u32 wrong = 0;
    *refused = 0;
    for (u32 k = 0; k < n; k++) {
        const document *d = &c->docs[k % c->n_docs];
        const u32 *ids;
        u32 n_ids;
        gx_error err;
        if (gxp_gpu_status(c->g, batch, k) != GX_OK) {
            *refused += 1;
            continue;
        }
        if (gxp_match_bits(m, d->doc, NULL, gxp_gpu_matched(c->g, batch, k), NULL, NULL, &ids, &n_ids, &err) != GX_OK
            || n_ids != d->n_ids || memcmp(ids, d->ids, n_ids * sizeof *ids)) {
            if (!wrong)
                printf("# document %u: %u ids beside %u\n", k, n_ids, d->n_ids);
            wrong++;
        }
    }
    return wrong;
}

enum { ROUNDS = 5 };

static int time_batch(check *c, gxp_matcher *m, u32 n)
{
    double kernel[ROUNDS], all[ROUNDS];
    const u64 used = fill(c, 0, n);
    u32 wrong = 0, refused = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double began = now_us();
        if (gxp_gpu_start(c->g, 0, n, used) || gxp_gpu_wait(c->g, 0, &kernel[i]))
            return printf("%s\n", gxp_gpu_error(c->g)), 2;
        all[i] = now_us() - began;
        if (i == 0)
            wrong = compare(c, m, 0, n, &refused);
    }
    const double k = median(kernel, ROUNDS), a = median(all, ROUNDS);
    printf("| %u | %.0f | %.0f | %.0f | %.0f | %.2f | %u | %u |\n", n, k, n / k * 1e6, a, n / a * 1e6,
           (double)used / a / 1e3, wrong, refused);
    fflush(stdout);
    return wrong != 0;
}

/* ---- from bytes to bits ---- */

typedef struct stream {
    check *c;
    pthread_barrier_t gate;
    u32 n, batch, quit;
    volatile u32 next;
    u64 slot;               /* bytes of each document's place */
} stream;

/* Each core parses and packs what comes next, into the batch that is filled now. */
static void *work(void *ctx)
{
    stream *s = ctx;
    check *c = s->c;
    gx_parser *parser;
    gxp_packer *p;
    gx_parse_options o;
    gx_error err;
    memset(&o, 0, sizeof o);
    if (gx_parser_create(&parser, &err) != GX_OK || gxp_packer_create(c->set, c->flat, &p, &err) != GX_OK)
        exit(fail(&err));
    for (;;) {
        pthread_barrier_wait(&s->gate);
        if (s->quit)
            break;
        for (u32 k; (k = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->n;) {
            const document *d = &c->docs[k % c->n_docs];
            const gxp_tree *tree;
            gx_doc *doc;
            u64 size;
            if (gx_parse(parser, &o, d->source.at, d->source.n, &doc, &err) != GX_OK
                || gxp_pack(p, doc, 0, 0, &tree, &size, &err) != GX_OK)
                exit(fail(&err));
            memcpy(gxp_gpu_trees(c->g, s->batch) + k * s->slot, tree, size);
            gxp_gpu_at(c->g, s->batch)[k] = k * s->slot;
            free(doc);
        }
        pthread_barrier_wait(&s->gate);
    }
    gxp_packer_free(p);
    gx_parser_free(parser);
    return NULL;
}

static int time_stream(check *c, gxp_matcher *m, u32 cores)
{
    enum { BATCHES = 8 };
    stream s = { .c = c, .n = c->n, .slot = (c->most_tree + 15) & ~15ull };
    pthread_t id[256];
    u32 wrong = 0, refused = 0;
    double began = 0, us = 0;
    pthread_barrier_init(&s.gate, NULL, cores + 1);
    for (u32 i = 0; i < cores; i++)
        if (pthread_create(&id[i], NULL, work, &s))
            return perror("pthread_create"), 2;
    for (u32 b = 0; b < BATCHES + 1; b++) {     /* the first makes cores and memory warm */
        if (b == 1)
            began = now_us();
        s.batch = b % 2;
        s.next = 0;
        pthread_barrier_wait(&s.gate);
        pthread_barrier_wait(&s.gate);
        if ((b && gxp_gpu_wait(c->g, !s.batch, NULL)) || gxp_gpu_start(c->g, s.batch, c->n, c->n * s.slot))
            return printf("%s\n", gxp_gpu_error(c->g)), 2;
    }
    if (gxp_gpu_wait(c->g, BATCHES % 2, NULL))
        return printf("%s\n", gxp_gpu_error(c->g)), 2;
    us = now_us() - began;
    s.quit = 1;
    pthread_barrier_wait(&s.gate);
    for (u32 i = 0; i < cores; i++)
        pthread_join(id[i], NULL);
    for (u32 b = 0; b < 2; b++) {
        u32 more;
        wrong += compare(c, m, b, c->n, &more);
        refused += more;
    }
    printf("# from bytes to bits, %u cores parse and pack batches of %u: %.0f documents/s, %u wrong, %u refused\n",
           cores, c->n, BATCHES * (double)c->n / us * 1e6, wrong, refused);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    check c = { .n = 4000, .pool = 1 << 19 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    apr_pool_t *pool;
    gxp_matcher *m;
    gx_error err;
    char why[256];
    int option, rc = 0;
    while ((option = getopt(argc, argv, "n:t:p:b:")) > 0)
        *(option == 'n'   ? &c.n
          : option == 't' ? &c.threads
          : option == 'b' ? &c.blocks
                          : &c.pool) = (u32)atoi(optarg);
    if (argc - optind < 2 || !c.n)
        return fprintf(stderr, "usage: gx-match-check [-n DOCUMENTS] [-t THREADS] [-b BLOCKS] [-p POOL] PROFILES "
                               "DOCUMENT ...\n"), 2;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    c.n_docs = (u32)(argc - optind - 1);
    c.docs = calloc(c.n_docs, sizeof *c.docs);
    if ((rc = read_profiles(&c, argv[optind], pool)) || (rc = read_documents(&c, argv + optind + 1)))
        return rc;
    const gxp_gpu_room room = { c.n, c.n * ((c.most_tree + 15) & ~15ull), c.most_nodes, c.pool, c.most_hot, c.threads,
                                c.blocks, 0 };
    c.g = gxp_gpu_open(0, c.flat, &room, why, sizeof why);
    if (!c.g)
        return fprintf(stderr, "%s\n", why), 2;
    if (gxp_matcher_create(c.set, &m, &err) != GX_OK)
        return fail(&err);
    printf("# %u blocks at the same time, each %.1f MB\n", gxp_gpu_blocks(c.g),
           (double)gxp_scratch_of(c.flat, c.most_nodes, c.pool).size / 1e6);
    printf("\n| documents | kernel us | a second | with the link us | a second | GB/s in | wrong | refused |\n"
           "|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (u32 n = 1; n <= c.n && rc < 2; n = n < c.n && n * 10 > c.n ? c.n : n * 10)
        rc |= time_batch(&c, m, n);
    if (rc < 2)
        rc |= time_stream(&c, m, cores < 1 ? 1 : cores > 255 ? 255 : (u32)cores);
    gxp_gpu_close(c.g);
    gxp_matcher_free(m);
    gxp_set_free(c.set);
    free(c.flat);
    apr_terminate();
    return rc;
}
