/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c -- lines about requests in the error log, and not the same one a thousand times
 *
 * Anybody can ask for a page that fails as often as he likes. A line is written when the same one was not written for a
 * second; the repeats are counted, and the count goes with the next one, or httpd's parent writes it within ten
 * seconds. A table of LINES places, shared by all children, remembers who was written when; when all of it was used in
 * the last second, other lines are only counted. So at most LINES lines a second are written, whatever anyone does.
 * LogLevel gpuxml:debug shows them all.
 *
 * No lock: who swaps a place's time from an old one to now writes the line. Two that take different places for one new
 * line at the same moment both write it. A text that is read while it is being written is cut, or a mixture: it is a
 * hint for people.
 */
#include <http_main.h>
#include "module.h"

#define QUIET_US 1000000u

/* A key is stored behind the line's text: whoever reads it may overwrite the text. */
static u64 load(const u64 *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

/* The place's turn to write has come, and it is ours. *since: when it wrote last. */
static int take(gxm_line *place, u64 now, u64 *since)
{
    *since = load(&place->at_us);
    return now >= *since + QUIET_US
        && __atomic_compare_exchange_n(&place->at_us, since, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void copy_text(char *to, const char *from)
{
    size_t n = strnlen(from, sizeof ((gxm_line *)0)->text - 1);
    memcpy(to, from, n);
    to[n] = 0;
}

/* What was counted there and not told: its last line stands for it. Which virtual host's that was nobody knows now: no
 * other's log is told. */
static void tell_rest(gxm_line *place, u64 since, u64 now)
{
    char text[sizeof place->text];
    u64 more = __atomic_exchange_n(&place->more, 0, __ATOMIC_RELAXED);
    if (!more)
        return;
    copy_text(text, place->text);
    ap_log_error(APLOG_MARK, __atomic_load_n(&place->level, __ATOMIC_RELAXED) & APLOG_LEVELMASK, 0, ap_server_conf,
                 "GX0153: %" APR_UINT64_T_FMT " more in %" APR_UINT64_T_FMT " s of: %s]", (apr_uint64_t)more,
                 (apr_uint64_t)((now - since) / 1000000), text);
}

/* Lines are told apart by it: who may choose a part of one must not be able to make it pass for another, which would
 * not be written then. */
static u64 key_of(const char *host, const char *line)
{
    gxm_shaing h = { 0 };
    gxm_sha sha;
    gxm_sha_begin(&h);
    gxm_sha_str(&h, host);
    gxm_sha_str(&h, line);
    (void)gxm_sha_end(&h, &sha);        /* without memory lines are one: the log is not what suffers most then */
    gxm_sha_free(&h);
    return sha.word[0];
}

/* Writes a line to the error log unless any child has written the same for this host less than a second ago: then it
 * is counted, and written at level debug. The next one says how often. GXM_LINES lines are remembered in shared
 * memory; beyond that they are only counted. where: what differs from request to request. */
void gxm_report(request_rec *r, int level, const char *line, const char *where)
{
    gxm_line *lines = gxm_count->lines, *mine = NULL;
    u64 now = gx_now_us(), since = 0, more = 0;
    int is_quiet = 1;
    u64 key = key_of(r->server->server_hostname, line);
    for (int i = 0; i < GXM_LINES && !mine; i++)
        if (load(&lines[i].key) == key)
            mine = &lines[i];
    if (mine) {
        is_quiet = !take(mine, now, &since);
        more = is_quiet ? 0 : __atomic_exchange_n(&mine->more, 0, __ATOMIC_RELAXED);
    }
    for (int i = 0; i < GXM_LINES && !mine; i++)
        if (take(&lines[i], now, &since)) {
            mine = &lines[i];
            is_quiet = 0;
            tell_rest(mine, since, now);
            copy_text(mine->text, line);
            __atomic_store_n(&mine->level, level, __ATOMIC_RELAXED);
            __atomic_store_n(&mine->key, key, __ATOMIC_RELEASE);
        }
    if (is_quiet) {
        __atomic_fetch_add(mine ? &mine->more : &gxm_count->more_lines, 1, __ATOMIC_RELAXED);
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "%s%s", line, where);
    }
    else if (more)
        ap_log_rerror(APLOG_MARK, level, 0, r,
                      "%s%s (and %" APR_UINT64_T_FMT " times in the last %" APR_UINT64_T_FMT " s)", line, where,
                      (apr_uint64_t)more, (apr_uint64_t)((now - since) / 1000000));
    else
        ap_log_rerror(APLOG_MARK, level, 0, r, "%s%s", line, where);
}

char *gxm_error_text(const gx_error *err, char *buf, size_t size)
{
    static const char outside[] = "beneath the allowed directories";
    const size_t n = strlen(gx_error_format(err, buf, size));
    if (strstr(buf, outside))
        apr_cpystrn(buf + n, " (GPUXMLStylesheetRoot allows them)", size - n);
    return buf;
}

void gxm_report_once(request_rec *r, int level, const char *line)
{
    enum { N = sizeof gxm_count->told / sizeof *gxm_count->told, TRIES = 16 };
    const u64 key = key_of("", line) | 1;
    for (u64 i = 0; i < TRIES; i++) {
        u64 *place = &gxm_count->told[((key >> 8) + i) % N], there = 0;
        if (__atomic_compare_exchange_n(place, &there, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            ap_log_rerror(APLOG_MARK, level, 0, r, "%s", line);
            return;
        }
        if (there == key)
            return;
    }
}

void gxm_report_rest(const server_rec *s)
{
    u64 now = gx_now_us(), more = __atomic_exchange_n(&gxm_count->more_lines, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < GXM_LINES; i++) {
        u64 since = load(&gxm_count->lines[i].at_us);
        if (now >= since + QUIET_US)
            tell_rest(&gxm_count->lines[i], since, now);
    }
    if (more)
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, s,
                     "GX0153: %" APR_UINT64_T_FMT " more lines about requests, of more kinds than are told apart",
                     (apr_uint64_t)more);
}
