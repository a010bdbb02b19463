/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.c -- what host steps share: the run's documents, strings in the arena, the deadline
 *
 * Documents that steps make or load become the run's: bound to the program's names, listed for the caller, freed with
 * the evaluation's pool.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include "host.h"
#include "machine/solo.h"
#include "machine/start.h"

gx_m gx_host_machine(host *h)
{
    gx_m m;

    gx_m_start(&m, h->base, h->run->host_top, h->run->host_end, h->run->host_tmp, h->run->host_tmp_end,
        h->run->n_docs);
    m.run = h->run;                     /* another one while an expression of dyn:evaluate runs */
    return m;
}

static apr_status_t free_block(void *block)
{
    free(block);
    return APR_SUCCESS;
}

/* Tables by document double when the number of documents, which is in them all, comes to a power of two: what they are
 * to have room for, 0 = they have */
static u64 more_docs(u32 n) { return n & (n - 1) ? 0 : n ? 2 * (u64)n : 1; }

static void *grown(apr_pool_t *pool, const void *old, u64 size, u64 larger)
{
    char *new = apr_palloc(pool, larger);

    if (size)
        memcpy(new, old, size);
    memset(new + size, 0, larger - size);
    return new;
}

void gx_host_room(gx_run *r, apr_pool_t *pool)
{
    const u64 n = r->n_docs, more = more_docs(r->n_docs), refs = gx_doc_refs(r->program) * sizeof *r->doc_refs;

    if (!more)
        return;
    r->views = grown(pool, r->views, n * sizeof *r->views, more * sizeof *r->views);
    r->doc_refs = grown(pool, r->doc_refs, n * refs, more * refs);
}

void gx_host_list(gx_evaluation *ev, const gx_doc *doc, u32 base)
{
    const u64 n = ev->n_docs, more = more_docs(ev->n_docs);

    if (more) {
        ev->docs = grown(ev->pool, ev->docs, n * sizeof *ev->docs, more * sizeof *ev->docs);
        ev->doc_base = grown(ev->pool, ev->doc_base, n * sizeof *ev->doc_base, more * sizeof *ev->doc_base);
    }
    ev->docs[n] = doc;
    ((u32 *)ev->doc_base)[n] = base;
    ev->n_docs++;
}

gx_status gx_host_take(host *h, u64 bytes)
{
    const u64 most = h->ev->limits->arena, has = h->doc_bytes + h->held;
    if (has <= most && bytes <= most - has) {
        h->held += bytes;
        return GX_OK;
    }
    gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "%s need more memory than arena=%llu (raise it with GPUXMLLimit arena=N)",
            h->doc_bytes > h->held ? "the documents that the transformation makes or loads"
                                   : "the transformation's host steps (gpuxslt --explain lists them)",
            (unsigned long long)most);
    h->error.limit = "arena";
    return GX_ELIMIT;
}

gx_status gx_host_bind(host *h, const gx_doc *doc)
{
    gx_m m = gx_host_machine(h);
    u32 k = h->run->n_docs;

    if (k >= GX_MAX_DOCS)
        return gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "more than %u documents in one transformation", GX_MAX_DOCS);
    if ((u64)h->run->n_nodes + doc->n_nodes >= 0xfffffff0u)
        return gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "too many nodes in all documents together");
    gx_host_room(h->run, h->ev->pool);
    if (gx_solo_bind(&m, doc, k) != GX_OK)
        return gx_fail(&h->error, GX_EARENA, "", 0, 0, "the arena is full");
    h->run->host_top = m.top;
    gx_host_list(h->ev, doc, h->run->views[k].base);
    return GX_OK;
}

gx_status gx_host_add(host *h, gx_doc *doc, u32 *roots, u32 n)
{
    const gx_view *v;

    apr_pool_cleanup_register(h->ev->pool, doc, free_block, apr_pool_cleanup_null);
    h->doc_bytes += doc->size;
    GX_TRY(gx_host_take(h, 0));
    GX_TRY(gx_host_bind(h, doc));
    v = &h->run->views[h->run->n_docs - 1];
    for (u32 i = 0; roots && i < n; i++)
        roots[i] = v->roots[i] + v->base;
    return GX_OK;
}

gx_status gx_host_string(host *h, const char *bytes, u64 n, gx_str *out)
{
    *out = gx_str_none();
    if (!n)
        return GX_OK;
    if (n > 0xfffffff0u || h->run->host_end - h->run->host_top < n + 16)
        return gx_fail(&h->error, GX_EARENA, "", 0, 0, "the arena is full");
    memcpy(h->base + h->run->host_top, bytes, n);
    *out = gx_str_make(GX_STR_AT(GX_SPACE_ARENA, h->run->host_top), (u32)n);
    h->run->host_top += (n + 15) & ~15ull;
    return GX_OK;
}

gx_status gx_host_look(host *h)
{
    return gx_evaluation_is_late(h->ev) ? gx_fail(&h->error, GX_ETIME, "", 0, 0, "%s", GX_LATE) : GX_OK;
}

char *gx_host_copy(host *h, apr_pool_t *pool, gx_str s) { return apr_pstrmemdup(pool, gx_host_bytes(h, s), s.len); }
