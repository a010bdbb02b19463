/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regexp.c -- EXSLT's regular expressions over PCRE2
 *
 * The dialect is JavaScript's (javascript.c writes a pattern in PCRE2's words; backtrack.c matches those to which PCRE2
 * gives another meaning), as are the flags and what "$" means in a replacement.
 *
 * Patterns and subjects are a stranger's. No pattern can run away: a match that starts at one place gets MATCH_LIMIT
 * steps and DEPTH_LIMIT levels, and PCRE2 is given so few places at a time that the clock is looked at in between: many
 * while each is quick, one where one is not. Its own look ahead for first and last characters is switched off, as it
 * would walk to the end of the subject for every few places.
 *
 * A pattern is compiled once an evaluation; CACHED of them are kept. They share one match data: PCRE2 keeps a match's
 * frames (up to HEAP_LIMIT_KB) in it for the next one. All that PCRE2 allocates is counted as host steps' memory, and a
 * call that took much gives it back when it ends.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include "backtrack.h"
#include "document/buf.h"
#include "host.h"
#include "javascript.h"
#include "machine/text.h"

#define MATCH_LIMIT 1000000u
#define DEPTH_LIMIT 20000u
#define HEAP_LIMIT_KB 65536u
#define QUICK_LIMIT (MATCH_LIMIT / PLACES)
#define PLACES 128u                     /* starts of a match looked at between two looks at the clock, at most */
#define SCANNED (1u << 22)              /* starts x length of the subject, likewise */
#define CACHED 64
#define KEPT_BYTES (1u << 20)           /* of frames, and of a replacement's text, from call to call */

typedef struct regexp {
    const char *text;
    u32 len;
    int flags;
    pcre2_code *code;
    gx_backtrack *own;                  /* instead, where PCRE2 means something else by the pattern */
    u32 groups;                         /* without the match itself */
} regexp;
typedef struct regexps {
    regexp cache[CACHED];
    u32 n, last;                        /* the one that gives way next */
    pcre2_general_context *memory;      /* counts */
    pcre2_compile_context *compile;
    pcre2_match_context *limits;
    pcre2_match_data *match;            /* of whichever pattern is searched for */
    u32 pairs;                          /* that match has room for */
    u64 largest;                        /* piece that PCRE2 asked for in this call: a match's frames are one */
    gx_buf out;
} regexps;

/* ---- memory: each piece has its size before it ---- */

typedef union piece { u64 size; max_align_t align; } piece;

/* PCRE2's memory: counted against the evaluation's before it is taken. NULL: PCRE2 gives up in good order. */
static void *piece_alloc(PCRE2_SIZE n, void *ctx)
{
    host *h = ctx;
    piece *p;
    if (n > SIZE_MAX - sizeof *p || gx_host_take(h, n + sizeof *p) != GX_OK)
        return NULL;
    p = malloc(n + sizeof *p);
    if (!p) {
        gx_host_give(h, n + sizeof *p);
        return NULL;
    }
    p->size = n + sizeof *p;
    if (h->regexps && n > h->regexps->largest)
        h->regexps->largest = n;
    return p + 1;
}

static void piece_free(void *at, void *ctx)
{
    piece *p = at;
    if (!p)
        return;
    gx_host_give(ctx, p[-1].size);
    free(p - 1);
}

static int look(void *h) { return gx_host_look(h) != GX_OK; }

/* PCRE2 got no memory: the limit, whose error is there, or the system. */
static gx_status no_memory(host *h)
{
    return h->error.status == GX_ELIMIT ? GX_ELIMIT
                                        : gx_fail(&h->error, GX_ENOMEM, "", 0, 0, "no memory for a regular expression");
}

static void forget(const regexp *x)
{
    pcre2_code_free(x->code);
    gx_backtrack_free(x->own);
}

void gx_host_regexp_free(host *h)
{
    regexps *r = h->regexps;
    if (!r)
        return;
    for (u32 i = 0; i < r->n; i++)
        forget(&r->cache[i]);
    pcre2_match_data_free(r->match);
    pcre2_match_context_free(r->limits);
    pcre2_compile_context_free(r->compile);
    pcre2_general_context_free(r->memory);
    gx_buf_free(&r->out);
    h->regexps = NULL;
}

/* PCRE2's contexts, made with the first regular expression of an evaluation, with limits of depth and heap. */
static gx_status open_regexps(host *h)
{
    regexps *r = h->regexps;
    if (r)
        return GX_OK;
    h->regexps = r = apr_pcalloc(h->ev->pool, sizeof *r);
    r->memory = pcre2_general_context_create(piece_alloc, piece_free, h);
    r->compile = r->memory ? pcre2_compile_context_create(r->memory) : NULL;
    r->limits = r->compile ? pcre2_match_context_create(r->memory) : NULL;
    if (!r->limits)
        return no_memory(h);
    pcre2_set_depth_limit(r->limits, DEPTH_LIMIT);
    pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KB);
    return GX_OK;
}

/* What one call needed much of is not kept for the next. */
static void rest(host *h)
{
    regexps *r = h->regexps;
    if (r->largest > KEPT_BYTES) {
        pcre2_match_data_free(r->match);
        r->match = NULL;
        r->pairs = 0;
        r->largest = 0;
    }
    if (r->out.cap > KEPT_BYTES) {
        gx_host_give(h, r->out.cap);
        gx_buf_free(&r->out);
    }
}

/* The match data has room for all groups of a pattern. */
static gx_status open_match(host *h, const regexp *x)
{
    regexps *r = h->regexps;
    if (r->match && r->pairs > x->groups)
        return GX_OK;
    pcre2_match_data_free(r->match);
    r->match = pcre2_match_data_create(x->groups + 1, r->memory);
    r->pairs = r->match ? x->groups + 1 : 0;
    return r->match ? GX_OK : no_memory(h);
}

static gx_status malformed(host *h, const char *text, u32 len, const char *why, u32 at)
{
    return gx_fail(&h->error, GX_EDYNAMIC, "", 0, 0, "the regular expression '%.*s' is malformed at byte %u: %s",
                   (int)(len < 100 ? len : 100), text, at + 1, why);
}

/* Translates the pattern from JavaScript's to PCRE2's (javascript.c), or builds our own matcher where PCRE2 would not
 * give JavaScript's answer (backtrack.c). Fails with a sentence that names the byte, or with no_memory. */
static gx_status compile(host *h, regexp *x)
{
    const gx_backtrack_owner owner = { piece_alloc, piece_free, look, h };
    gx_buf words = { 0 }, tokens = { 0 };
    int code = 0;
    u32 at = 0;
    PCRE2_SIZE offset;
    const char *wrong = gx_javascript_pattern(x->text, x->len, x->flags, &words, &tokens, &at);
    const char *text = words.at ? words.at : "";
    if (!wrong)
        code = gx_backtrack_create(&x->own, &owner, GX_BUF_AT(&tokens, gx_js_token), GX_BUF_N(&tokens, gx_js_token),
                                   text, x->flags);
    if (x->own)
        x->groups = gx_backtrack_groups(x->own) - 1;
    else if (!wrong && !code
             && (x->code = pcre2_compile((PCRE2_SPTR)text, words.n,
                                         PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT
                                             | PCRE2_NO_START_OPTIMIZE | PCRE2_MATCH_UNSET_BACKREF
                                             | (x->flags & GX_JS_NOCASE ? PCRE2_CASELESS : 0),
                                         &code, &offset, h->regexps->compile)))
        pcre2_pattern_info(x->code, PCRE2_INFO_CAPTURECOUNT, &x->groups);
    gx_buf_free(&words);
    gx_buf_free(&tokens);
    if (wrong)
        return malformed(h, x->text, x->len, wrong, at);
    if (x->code || x->own)
        return GX_OK;
    if (h->error.status == GX_ELIMIT || code == PCRE2_ERROR_NOMEMORY)
        return no_memory(h);
    /* what only PCRE2 minds: it looks at other words, so there is no place */
    char why[160] = "";
    pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof why);
    return gx_fail(&h->error, GX_EDYNAMIC, "", 0, 0, "the regular expression '%.*s' cannot be used: %s",
                   (int)(x->len < 100 ? x->len : 100), x->text, why);
}

/* The compiled pattern, from the cache or into it: CACHED of them, the oldest goes. *out lives until the next call.
 * `text` of the entry is the string's own, which lives as long as the evaluation. Fails as compile() does. */
static gx_status find(host *h, gx_str pattern, int flags, const regexp **out)
{
    regexps *r = h->regexps;
    const char *text = gx_host_bytes(h, pattern);
    flags &= ~GX_JS_GLOBAL;
    for (u32 i = 0; i < r->n; i++)
        if (r->cache[i].len == pattern.len && r->cache[i].flags == flags
            && !memcmp(r->cache[i].text, text, pattern.len)) {
            *out = &r->cache[i];
            return GX_OK;
        }
    regexp x = { text, pattern.len, flags, NULL, NULL, 0 };              /* strings live as long as the evaluation */
    GX_TRY(compile(h, &x));
    if (r->n < CACHED)
        r->last = r->n++;
    else {
        r->last = (r->last + 1) % CACHED;
        forget(&r->cache[r->last]);
    }
    r->cache[r->last] = x;
    *out = &r->cache[r->last];
    return GX_OK;
}

/* The bytes of the character at s[i]: the subject has been found to be UTF-8. */
static u32 character(const char *s, u32 i, u32 n)
{
    u32 to = i + 1;
    while (to < n && ((u8)s[to] & 0xc0) == 0x80)
        to++;
    return to - i;
}

/* A match ended as rc has it. */
static gx_status unmatched(host *h, const regexp *x, int rc)
{
    char why[160] = "";
    if (rc == PCRE2_ERROR_NOMEMORY)
        return no_memory(h);
    pcre2_get_error_message(rc, (PCRE2_UCHAR *)why, sizeof why);
    return gx_fail(&h->error,
                   rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT
                       ? GX_ELIMIT
                       : GX_EDYNAMIC,
                   "", 0, 0, "the regular expression '%.*s' could not be matched: %s",
                   (int)(x->len < 100 ? x->len : 100), x->text, why);
}

/* search(), without PCRE2 */
static gx_status search_own(host *h, const regexp *x, const char *s, u32 n, u32 from, u32 *n_groups,
                            const PCRE2_SIZE **groups)
{
    for (u32 places = 0; from <= n; places++) {
        if (places % PLACES == 0)
            GX_TRY(gx_host_look(h));
        const int rc = gx_backtrack_match(x->own, s, n, from, MATCH_LIMIT, groups);
        if (rc > 0)
            *n_groups = x->groups + 1;
        if (rc == PCRE2_ERROR_CALLOUT)
            return h->error.status;
        if (rc != PCRE2_ERROR_NOMATCH)
            return rc > 0 ? GX_OK : unmatched(h, x, rc);
        if (from == n || x->flags & GX_JS_STICKY)
            break;
        from += character(s, from, n);
    }
    return GX_OK;
}

/* The first match that begins at `from` or behind it: *n_groups of them (0: there is none), as pairs of offsets in
 * `groups`. */
static gx_status search(host *h, const regexp *x, const char *s, u32 n, u32 from, u32 *n_groups,
                        const PCRE2_SIZE **groups)
{
    regexps *r = h->regexps;
    u32 places = n > SCANNED / PLACES ? SCANNED / n : PLACES, options = from ? PCRE2_NO_UTF_CHECK : 0, slow_to = from;
    *n_groups = 0;
    if (x->own)
        return search_own(h, x, s, n, from, n_groups, groups);
    GX_TRY(open_match(h, x));
    *groups = pcre2_get_ovector_pointer(r->match);
    while (from <= n) {
        const int quick = from >= slow_to;
        u32 limit = !quick || x->flags & GX_JS_STICKY ? from : places < n - from ? from + places : n;
        GX_TRY(gx_host_look(h));
        pcre2_set_offset_limit(r->limits, limit);
        pcre2_set_match_limit(r->limits, quick ? QUICK_LIMIT : MATCH_LIMIT);
        int rc = pcre2_match(x->code, (PCRE2_SPTR)s, n, from, options, r->match, r->limits);
        if (rc > 0) {
            *n_groups = (u32)rc;
            return GX_OK;
        }
        if (rc == PCRE2_ERROR_MATCHLIMIT && quick) {
            slow_to = limit + 1;
            continue;
        }
        if (rc != PCRE2_ERROR_NOMATCH)
            return unmatched(h, x, rc);
        if (limit == n || x->flags & GX_JS_STICKY)
            break;
        from = limit + character(s, limit, n);
        options = PCRE2_NO_UTF_CHECK;
    }
    return GX_OK;
}

/* Where to search on behind a match: an empty one must not be found again. n + 1: nowhere. */
static u32 behind(const PCRE2_SIZE *groups, const char *s, u32 n)
{
    u32 end = (u32)groups[1];
    if (groups[0] < groups[1])
        return end;
    return end < n ? end + character(s, end, n) : n + 1;
}

/* Appends to the result string, which may be as long as the arena, and counts as it grows. */
static gx_status append(host *h, const char *s, u64 n)
{
    gx_buf *out = &h->regexps->out;
    if (out->n + n > h->ev->limits->arena)
        return gx_fail(&h->error, GX_EARENA, "", 0, 0, "the arena is full");
    const u64 had = out->cap;
    if (gx_buf_room(out, n))
        return gx_fail(&h->error, GX_ENOMEM, "", 0, 0, "no memory for a string");
    GX_TRY(gx_host_take(h, out->cap - had));
    if (n)
        memcpy(out->at + out->n, s, n);
    out->n += n;
    return GX_OK;
}

static u32 digit(const char *s, u32 i, u32 n) { return i < n && (u32)(s[i] - '0') < 10 ? (u32)(s[i] - '0') : 10; }

/* What `$` and what follows it at by[i] stand for, as JavaScript has it (ECMA-262, 22.1.3.19.1): a span of the subject,
 * or a dollar (length 1, at NULL). Returns its own length; 0: it is text. */
static u32 substitution(const regexp *x, const char *by, u32 i, u32 n_by, const char *s, u32 n, u32 n_groups,
                        const PCRE2_SIZE *groups, const char **at, u64 *length)
{
    u32 group = GX_NONE, len = 2;
    const u32 one = digit(by, i + 1, n_by), two = digit(by, i + 2, n_by);
    const u32 all = x->groups;
    *at = NULL;
    *length = 0;
    if (by[i + 1] == '$') {
        *length = 1;
        return 2;
    }
    if (by[i + 1] == '`' || by[i + 1] == '\'') {
        *at = by[i + 1] == '`' ? s : s + groups[1];
        *length = by[i + 1] == '`' ? groups[0] : n - groups[1];
        return 2;
    }
    if (by[i + 1] == '<' && gx_javascript_group(x->text, x->len, NULL, 0)) {
        const char *end = memchr(by + i + 2, '>', n_by - i - 2);
        if (!end)
            return 0;
        len = (u32)(end - (by + i)) + 1;
        group = gx_javascript_group(x->text, x->len, by + i + 2, len - 3);
        group = group ? group : n_groups;       /* of none: nothing */
    } else if (by[i + 1] == '&')
        group = 0;
    else if (one < 10 && two < 10 && one * 10 + two && one * 10 + two <= all) {
        group = one * 10 + two;
        len = 3;
    } else if (one < 10 && one && one <= all)
        group = one;
    else
        return 0;
    if (group < n_groups && groups[2 * group] != PCRE2_UNSET) {
        *at = s + groups[2 * group];
        *length = groups[2 * group + 1] - groups[2 * group];
    }
    return len;
}

/* A replacement with its $1, $&, $` and $' for one match, appended. */
static gx_status expand(host *h, const regexp *x, const char *by, u32 n_by, const char *s, u32 n, u32 n_groups,
                        const PCRE2_SIZE *groups)
{
    u32 from = 0;
    for (u32 i = 0; i + 1 < n_by; i++) {
        const char *at;
        u64 length;
        if (by[i] == '$' && by[i + 1] == '<')
            GX_TRY(gx_host_look(h));            /* the pattern is read for the name */
        const u32 len = by[i] == '$' ? substitution(x, by, i, n_by, s, n, n_groups, groups, &at, &length) : 0;
        if (!len)
            continue;
        GX_TRY(append(h, by + from, i - from));
        if (length)
            GX_TRY(append(h, at ? at : "$", length));
        from = i + len;
        i = from - 1;
    }
    return append(h, by + from, n_by - from);
}

/* regexp:replace(): the string with its first match replaced, or with g all of them. O(n) beside the matching; an
 * empty match goes on behind the next character. */
static gx_status replace(host *h, const regexp *x, const char *s, u32 n, int global, const char *by, u32 n_by,
                         gx_str *out)
{
    const PCRE2_SIZE *groups;
    u32 n_groups, kept = 0, from = 0;
    h->regexps->out.n = 0;
    while (from <= n) {
        GX_TRY(search(h, x, s, n, from, &n_groups, &groups));
        if (!n_groups)
            break;
        if (groups[0] < kept || groups[1] < groups[0])          /* \K in a lookahead */
            return gx_fail(&h->error, GX_EDYNAMIC, "", 0, 0,
                           "the regular expression '%.*s' moves the start of its match",
                           (int)(x->len < 100 ? x->len : 100), x->text);
        GX_TRY(append(h, s + kept, groups[0] - kept));
        GX_TRY(expand(h, x, by, n_by, s, n, n_groups, groups));
        kept = (u32)groups[1];
        from = behind(groups, s, n);
        if (!global)
            break;
    }
    GX_TRY(append(h, s + kept, n - kept));
    return gx_host_string(h, h->regexps->out.at, h->regexps->out.n, out);
}

/* <match> elements: with g every match; else the match and its groups, empty for those that took no part. */
static gx_status matches(host *h, const regexp *x, const char *s, u32 n, int global, gx_host_trees *t)
{
    const PCRE2_SIZE *groups;
    u32 n_groups, from = 0;
    while (from <= n) {
        GX_TRY(search(h, x, s, n, from, &n_groups, &groups));
        if (!n_groups)
            break;
        from = behind(groups, s, n);
        for (u32 g = 0; g <= (global ? 0 : x->groups); g++) {
            int in = g < n_groups && groups[2 * g] != PCRE2_UNSET && groups[2 * g] <= groups[2 * g + 1];
            GX_TRY(gx_host_trees_element(t, "match", s + (in ? groups[2 * g] : 0),
                                         in ? groups[2 * g + 1] - groups[2 * g] : 0));
        }
        if (!global)
            break;
    }
    return GX_OK;
}

/* One row of a call: its flags, its expression (compiled once for all rows that have it), and what the function makes
 * of them. */
static gx_status row(host *h, u32 func, const gx_v *args, u32 i, void *out, gx_host_trees *t)
{
    gx_str subject = gx_host_row(&args[0], i), flags = gx_host_row(&args[2], i);
    const char *s = gx_host_bytes(h, subject), *f = gx_host_bytes(h, flags);
    const regexp *x = NULL;
    const PCRE2_SIZE *groups;
    const int js = gx_javascript_flags(f, flags.len), global = js & GX_JS_GLOBAL;
    u32 n_groups;
    if (js < 0)
        return gx_fail(&h->error, GX_EDYNAMIC, "", 0, 0,
                       "the flags of a regular expression are g, i, m, s, u and y, each once, not '%.*s'",
                       (int)(flags.len < 40 ? flags.len : 40), f);
    GX_TRY(find(h, gx_host_row(&args[1], i), js, &x));
    if (func == GX_F_REGEXP_TEST) {
        GX_TRY(search(h, x, s, subject.len, 0, &n_groups, &groups));
        ((u8 *)out)[i] = n_groups > 0;
        return GX_OK;
    }
    if (func == GX_F_REGEXP_REPLACE) {
        gx_str by = gx_host_row(&args[3], i);
        return replace(h, x, s, subject.len, global, gx_host_bytes(h, by), by.len, &((gx_str *)out)[i]);
    }
    GX_TRY(gx_host_trees_next(t));
    return matches(h, x, s, subject.len, global, t);
}

/* regexp:test(), match() and replace() for n rows: out is a u8, a node or a string each. A row after the other; the
 * clock is looked at within matching. */
gx_status gx_host_regexp(host *h, u32 func, const gx_v *args, u32 n, void *out)
{
    gx_host_trees t;
    gx_status status = GX_OK;
    GX_TRY(open_regexps(h));
    if (func == GX_F_REGEXP_MATCH)
        GX_TRY(gx_host_trees_begin(h, &t));
    for (u32 i = 0; i < n && status == GX_OK; i++)
        status = row(h, func, args, i, out, &t);
    rest(h);
    return func == GX_F_REGEXP_MATCH ? gx_host_trees_end(&t, status, out, n) : status;
}
