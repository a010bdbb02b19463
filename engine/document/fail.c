/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail.c -- how a document ends before its end: errors and warnings with their place, limits, the clock
 *
 * Expat or the scanner reads; both end a document here, so the sentence, the place and the status are the same. After a
 * failure p->status says that the document is over, and Expat's handlers are off.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* Expat 2.9 deprecates positions that are a long, for systems where that has 32 bits, and a salt of 64 bits, which is
 * what our seed has */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "clock.h"
#include "expat_at.h"
#include "fail.h"

/* Lines and columns of the scanner are counted when somebody asks for them. */
void gx_scan_position(gx_parser *p, u32 *line, u32 *column)
{
    gx_scan *c = &p->scan;
    for (size_t i = c->counted; i < c->at; i++) {
        const u8 b = c->s[i];
        if (b == '\n' || b == '\r') {
            i += b == '\r' && i + 1 < c->at && c->s[i + 1] == '\n';
            c->line++;
            c->column = 0;
        } else
            c->column += (b & 0xc0) != 0x80;
    }
    c->counted = c->at > c->counted ? c->at : c->counted;
    *line = c->line + 1;
    *column = c->column + 1;
}

void gx_parser_position(gx_parser *p, u32 *line, u32 *column)
{
    if (!p->uses_expat) {
        gx_scan_position(p, line, column);
        return;
    }
    *line = (u32)gx_expat_line(p->expat);
    *column = (u32)gx_expat_column(p->expat) + 1;
}

static void handlers_off(gx_parser *p)
{
    XML_SetElementHandler(p->expat, NULL, NULL);
    XML_SetCharacterDataHandler(p->expat, NULL);
    XML_SetProcessingInstructionHandler(p->expat, NULL);
    XML_SetCommentHandler(p->expat, NULL);
    XML_SetEntityDeclHandler(p->expat, NULL);
    XML_SetNotationDeclHandler(p->expat, NULL);
    XML_SetAttlistDeclHandler(p->expat, NULL);
    XML_SetSkippedEntityHandler(p->expat, NULL);
    XML_SetDoctypeDeclHandler(p->expat, NULL, NULL);
    XML_SetXmlDeclHandler(p->expat, NULL);
}

void gx_parser_fail_at(gx_parser *p, gx_status status)
{
    i64 byte = p->uses_expat ? gx_expat_byte(p->expat) : (i64)(p->scan.base + p->scan.at);
    if (p->err) {
        gx_parser_position(p, &p->err->line, &p->err->column);
        p->err->byte = byte < 0 ? p->n_input : (u64)byte;
    }
    p->status = status;
    if (!p->uses_expat)
        return;
    handlers_off(p);
    XML_StopParser(p->expat, XML_FALSE);
}

void gx_parser_fail_memory(gx_parser *p) { FAIL(p, GX_ENOMEM, "out of memory"); }

void gx_parser_warn(gx_parser *p, const char *fmt, ...)
{
    char text[sizeof p->err->text];
    gx_error what;
    va_list args;
    if (!p->options.warning || p->is_quiet)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    gx_fail(&what, GX_EXML, p->options.file, 0, 0, "%s", text);
    gx_parser_position(p, &what.line, &what.column);
    p->options.warning(p->options.warning_ctx, &what);
}

/* The document that failed would not have, leniently read. */
int gx_parser_name_leniency(gx_parser *p)
{
    const size_t n = p->err ? strlen(p->err->text) : 0;
    if (p->err && !p->options.fixed_limits)
        snprintf(p->err->text + n, sizeof p->err->text - n, " (GPUXMLNamespaces lenient accepts it)");
    return 0;
}

void gx_parser_fail_limit(gx_parser *p, const char *key, u64 value, const char *what)
{
    if (p->options.fixed_limits) {
        FAIL(p, GX_ELIMIT, "%s %s=%llu (fixed for stylesheets and catalogs)", what, key, (unsigned long long)value);
        return;
    }
    if (gx_limits_is_most(key, value)) {
        FAIL(p, GX_ELIMIT, "%s %s=%llu (there can be no more)", what, key, (unsigned long long)value);
        return;
    }
    FAIL(p, GX_ELIMIT, "%s %s=%llu (raise it with GPUXMLLimit %s=N)", what, key, (unsigned long long)value, key);
    if (p->err)
        p->err->limit = key;
}

u64 gx_parser_growth(const gx_parser *p)
{
    const u64 most = gx_parser_is_own(p) ? ~0ull : p->limits.input / (p->n_input + 1), least = most < 2 ? 2 : most;
    return least < p->limits.amplification ? least : p->limits.amplification;
}

void gx_parser_fail_growth(gx_parser *p, const char *what)
{
    if (gx_parser_growth(p) < p->limits.amplification)
        gx_parser_fail_limit(p, "input", p->limits.input, "the document with what its declarations add is larger than");
    else
        gx_parser_fail_limit(p, "amplification", p->limits.amplification, what);
}

gx_status gx_parser_begin_failed(gx_parser *p)
{
    return p->status = gx_fail(p->err, GX_ENOMEM, p->options.file, 0, 0, "out of memory");
}

/* GX_LOOK units of work have been done since the last look at the clock. */
int gx_parser_look(gx_parser *p)
{
    p->work = 0;
    if (p->is_cancelled && __atomic_load_n(p->is_cancelled, __ATOMIC_RELAXED))
        return p->status = GX_ECANCEL, 1;
    if (!p->options.timeout_us || gx_now_us() <= p->due_us)
        return 0;
    FAIL(p, GX_ETIME, "reading the document takes longer than GPUXMLTimeout allows");
    return 1;
}

int gx_parser_is_late(gx_parser *p, u32 work) { return gx_parser_is_late_here(p, work); }
