/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c -- gpuxslt --profile: see profile.h
 *
 *   evaluation: 9.9 us, of which instructions 9.1 us
 *         us     %        rows     times  template
 *        4.1  41.4          10         1  template match item at feed.xsl:24:1
 *         us     %        rows     times  expression
 *        1.2  12.1          10         1  substring(pubDate, 13, 4) at feed.xsl:20:9
 *
 * All rows of a wave run together: `times` counts waves, `rows` the nodes that they were for. An expression that waits
 * for the value of a variable or a function is evaluated again, and counted so.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_pools.h>
#include "program/program.h"
#include "profile.h"

enum { MOST_LINES = 20 };       /* of a table */

typedef struct entry { u32 index; gx_profile_line sum; } entry;

static int by_ticks(const void *a, const void *b)
{
    const u64 x = ((const entry *)a)->sum.ticks, y = ((const entry *)b)->sum.ticks;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void add(gx_profile_line *to, const gx_profile_line *line)
{
    to->ticks += line->ticks;
    to->rows = line->rows > to->rows ? line->rows : to->rows;
    to->times = line->times > to->times ? line->times : to->times;
}

static int to_file(void *ctx, const char *s, size_t n) { return fwrite(s, 1, n, ctx) != n; }

static void print_line(const gx_profile *p, const entry *e, FILE *out)
{
    fprintf(out, "%10.1f %5.1f %11llu %9llu  ", gx_profile_us(p, e->sum.ticks),
            p->ticks ? 100.0 * (double)e->sum.ticks / (double)p->ticks : 0,
            (unsigned long long)(e->sum.rows / p->evaluations), (unsigned long long)(e->sum.times / p->evaluations));
}

/* An expression as it was written, on one line */
static void print_source(const gx_program *program, u32 lit, FILE *out)
{
    const char *s = GX_LIT_AT(program, lit);
    int was_blank = 0;
    for (u32 i = 0, n = GX_LIT(program, lit).len; i < n; i++) {
        const int blank = strchr(" \t\r\n", s[i]) && s[i];
        if (!blank)
            fputc(s[i], out);
        else if (!was_blank)
            fputc(' ', out);
        was_blank = blank;
    }
}

static u32 outermost(const gx_program *program, u32 body)
{
    const gx_body *bodies = GX_PROG_TAB(program, gx_body, bodies);
    while (bodies[body].parent != GX_NONE)
        body = bodies[body].parent;
    return body;
}

static void print_templates(const gx_program *program, const gx_profile *p, apr_pool_t *pool, FILE *out)
{
    const gx_body *bodies = GX_PROG_TAB(program, gx_body, bodies);
    entry *all = apr_pcalloc(pool, (program->bodies.n + 1) * sizeof *all);
    for (u32 i = 0; i < program->bodies.n; i++) {
        gx_profile_line *sum = &all[outermost(program, i)].sum;
        all[i].index = i;
        for (u32 pc = bodies[i].first; pc < bodies[i].first + bodies[i].n; pc++)
            add(sum, &p->instrs[pc]);
    }
    qsort(all, program->bodies.n, sizeof *all, by_ticks);
    fprintf(out, "%10s %5s %11s %9s  %s\n", "us", "%", "rows", "times", "template");
    for (u32 i = 0; i < program->bodies.n && i < MOST_LINES && all[i].sum.times; i++) {
        print_line(p, &all[i], out);
        gx_explain_body(program, all[i].index, pool, to_file, out);
        fputc('\n', out);
    }
}

static void print_expressions(const gx_program *program, const gx_profile *p, apr_pool_t *pool, FILE *out)
{
    const gx_expr *exprs = GX_PROG_TAB(program, gx_expr, exprs);
    entry *all = apr_pcalloc(pool, (program->exprs.n + 1) * sizeof *all);
    for (u32 i = 0; i < program->exprs.n; i++) {
        all[i].index = i;
        for (u32 k = exprs[i].first; k < exprs[i].first + exprs[i].n; k++)
            add(&all[i].sum, &p->ops[k]);
    }
    qsort(all, program->exprs.n, sizeof *all, by_ticks);
    fprintf(out, "%10s %5s %11s %9s  %s\n", "us", "%", "rows", "times", "expression");
    for (u32 i = 0; i < program->exprs.n && i < MOST_LINES && all[i].sum.times; i++) {
        print_line(p, &all[i], out);
        print_source(program, exprs[all[i].index].source, out);
        gx_explain_where(program, exprs[all[i].index].where, to_file, out);
        fputc('\n', out);
    }
}

void profile_print(const gx_program *program, const gx_profile *p, apr_pool_t *pool, FILE *out)
{
    u64 ticks = 0;
    if (!p->evaluations)
        return;
    for (u32 pc = 0; pc < program->instrs.n; pc++)
        ticks += p->instrs[pc].ticks;
    fprintf(out, "evaluation: %.1f us, of which instructions %.1f us\n", gx_profile_us(p, p->ticks),
            gx_profile_us(p, ticks));
    if (program->bodies.n)
        print_templates(program, p, pool, out);
    print_expressions(program, p, pool, out);
}
