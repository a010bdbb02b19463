/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_page.c -- the status page: the server's state as XML, transformed by status.xsl, which this library contains
 *
 * The stylesheet is compiled when a child is first asked for the page. A page is kept for a second: who asks for it
 * again and again costs a copy. One thread makes it at a time. If there is no memory for it, the request fails; nothing
 * else does.
 */
#include <pthread.h>
#include <unistd.h>
#include "status.h"

/* module/status.xsl, byte for byte */
__asm__(".section .rodata\n"
        "gxm_status_sheet_begin:\n"
        ".incbin \"module/status.xsl\"\n"
        "gxm_status_sheet_end:\n"
        ".byte 0\n"
        ".previous\n");
extern const char gxm_status_sheet_begin[], gxm_status_sheet_end[];

#define KEEP_US 1000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gx_program *program;
static struct { char *bytes; size_t n, room; u64 made_us; } page;

static int add_bytes(void *ctx, const char *bytes, size_t n)
{
    (void)ctx;
    if (page.room - page.n < n) {
        const size_t room = 2 * (page.room + n);
        char *more = realloc(page.bytes, room);
        if (!more)
            return GX_ENOMEM;
        page.bytes = more;
        page.room = room;
    }
    memcpy(page.bytes + page.n, bytes, n);
    page.n += n;
    return GX_OK;
}

/* The XML, n bytes, transformed by status.xsl, which is compiled once a child, to `page`. With the lock held, as both
 * are shared. What fails leaves page.n 0 to the caller. */
static gx_status transform(gxm_kit *kit, apr_pool_t *pool, const char *xml, size_t n, gx_error *err)
{
    gx_limits limits = { 0 };
    gx_parse_options parse = { .limits = &limits };
    gx_compile_options compile = { .bytes = gxm_status_sheet_begin };
    gx_evaluation ev = { .limits = &limits, .arena = kit->arena, .pool = pool };
    const gx_serialize_options write = { .limits = &limits };
    gx_media media;
    gx_doc *doc = NULL;
    gx_limits_default(&limits);
    compile.n_bytes = (size_t)(gxm_status_sheet_end - gxm_status_sheet_begin);
    if (!program)
        GX_TRY(gx_compile("status.xsl", &compile, pool, &program, err));
    parse.spaces = program;
    GX_TRY(gx_parse(kit->parser, &parse, xml, n, &doc, err));
    ev.program = program;
    ev.doc = doc;
    ev.team.members = 1;
    gx_status status = gx_evaluate(&ev, err);
    page.n = 0;
    if (status == GX_OK)
        status = gx_serialize(&ev, &write, add_bytes, NULL, &media, err);
    free(doc);
    return status;
}

/* The page, *n bytes in the request's pool; made anew if the last one is older than KEEP_US, by one thread while
 * others wait. NULL: it cannot be made, and the log says why. */
const char *gxm_status_page(request_rec *r, gxm_status_writer *state, size_t *n)
{
    const u64 now = gx_now_us();
    const char *out = NULL, *xml;
    gx_error err;
    gx_status status = GX_OK;
    memset(&err, 0, sizeof err);
    pthread_mutex_lock(&lock);
    if (!page.n || now - page.made_us > KEEP_US) {
        gxm_kit *kit = gxm_kit_take();
        size_t n_xml;
        xml = state(r->pool, &n_xml);
        status = kit ? transform(kit, r->pool, xml, n_xml, &err) : GX_ENOMEM;
        if (kit)
            gxm_kit_give(kit, 0);
        page.made_us = now;
        if (status != GX_OK)
            page.n = 0;
    }
    if (status == GX_OK) {
        out = apr_pmemdup(r->pool, page.bytes, page.n);
        *n = page.n;
    }
    pthread_mutex_unlock(&lock);
    if (!out) {
        char text[1200];
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "GX0190: the status page cannot be made: %s",
                      gx_error_format(&err, text, sizeof text));
    }
    return out;
}
