/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c -- evaluation on the CPU: the run's tables, a team, the sentences of errors
 *
 * gx_evaluate lays a gx_run into the arena, binds the program's names to the document and lets a team run the machine
 * (machine/run.h). host/steps.c is what the team may ask its process for.
 */
#include <stdio.h>
#include <string.h>
#include "host/host.h"
#include "machine/arena.h"
#include "machine/solo.h"
#include "machine/start.h"
#include "machine/run_team.h"

/* ---- sentences ---- */

/* The sentence for an error of the machine's, with up to 200 bytes of what it names. A limit's sentence says how to
 * raise it. */
static const char *error_text(gx_m *m, const host *h, char *buf, size_t size)
{
    const gx_result *r = m->result;
    u32 n = r->error_text.len > 200 ? 200 : r->error_text.len;
    const char *s = n ? gx_bytes(m, r->error_text) : "";

    switch (r->error) {
    case GX_RE_ARENA:
        snprintf(buf, size, "the transformation needs more memory than arena=%llu (%s)",
                 (unsigned long long)h->ev->limits->arena,
                 gx_limits_is_most("arena", h->ev->limits->arena) ? "none can have more"
                                                                  : "raise it with GPUXMLLimit arena=N");
        break;
    case GX_RE_STEPS: snprintf(buf, size, "more than steps=%llu steps (raise it with GPUXMLLimit steps=N)",
        (unsigned long long)h->ev->limits->steps); break;
    case GX_RE_DEADLINE: snprintf(buf, size, "%s", GX_LATE); break;
    case GX_RE_RECURSION:
        snprintf(buf, size,
                 "templates or functions nested deeper than recursion=%u (endless recursion? else raise it with "
                 "GPUXMLLimit recursion=N)",
                 h->ev->limits->recursion);
        break;
    case GX_RE_NOT_A_SET:
        snprintf(
            buf, size,
            "the expression must be a node-set, and its value is something else (a variable with content is none: "
            "exsl:node-set() makes one of it)");
        break;
    case GX_RE_NO_RULE:
        snprintf(buf, size,
                 "xsl:apply-imports has no current template rule: it is in xsl:for-each, or not called by a rule");
        break;
    case GX_RE_CIRCULAR: snprintf(buf, size, "the global variable $%.*s depends on itself", (int)n, s); break;
    case GX_RE_FUNCTION: case GX_RE_INSTRUCTION: snprintf(buf, size, "%.*s", (int)n, s); break;
    case GX_RE_KEY_DEPTH: snprintf(buf, size, "more than %u keys use one another", GX_KEY_DEPTH); break;
    case GX_RE_NO_DECIMAL_FORMAT: snprintf(buf, size, "there is no xsl:decimal-format named '%.*s'", (int)n, s); break;
    case GX_RE_FORMAT: snprintf(buf, size, "format-number(): the pattern '%.*s' is malformed", (int)n, s); break;
    case GX_RE_HOST: snprintf(buf, size, "%.480s", h->error.text); break;
    case GX_RE_RESULTS:
        snprintf(buf, size, "the function %.*s instantiates more than one func:result", (int)n, s);
        break;
    case GX_RE_MIXED:
        snprintf(buf, size,
                 "the function %.*s gives values of different types in calls that are made together; convert them, "
                 "with string() for instance, in its func:results or where it is called",
                 (int)n, s);
        break;
    case GX_RE_CHANGED:
        snprintf(buf, size, "functions are called in another order when the expression is evaluated again");
        break;
    case GX_RE_TERMINATED: snprintf(buf, size, "terminated by xsl:message%s%.*s", n ? ": " : "", (int)n, s); break;
    case GX_RE_TYPE: snprintf(buf, size, "the compiled program is damaged: a variable's type"); break;
    case GX_RE_NO_HOST: snprintf(buf, size, "needs a host step"); break;
    default: snprintf(buf, size, "evaluation failed (%u)", r->status);
    }
    return buf;
}

/* " [in template x at line 5, from template at other.xsl:7, ...]", at most 5 deep. file: of the error; others are
 * named. */
static void error_stack(gx_m *m, u32 file, char *buf, size_t size)
{
    const gx_program *p = m->run->program;
    const gx_qname *names = GX_PROG_TAB(p, gx_qname, qnames);
    const gx_where *wheres = GX_PROG_TAB(p, gx_where, wheres);
    u32 ref = m->result->error_group, shown = 0, last = GX_NONE;
    size_t n = 0;

    for (; ref && shown < 5; ref = GX_PTR(m, gx_group, ref)->caller) {
        u32 body = GX_PTR(m, gx_group, ref)->body;
        const gx_body *b;
        while (m->run->bodies[body].parent != GX_NONE)
            body = m->run->bodies[body].parent;
        b = &m->run->bodies[body];
        if (body == last || (b->kind != GX_B_TEMPLATE && b->kind != GX_B_FUNCTION) || !b->where)
            continue;
        last = body;
        if (n + 160 > size)
            break;
        n += (size_t)snprintf(buf + n, size - n, "%s", shown ? ", from " : " [in ");
        if (b->template_name != GX_NONE)
            n += (size_t)snprintf(buf + n, size - n, "%s %.40s ", b->kind == GX_B_FUNCTION ? "function" : "template",
                                  GX_LIT_AT(p, names[b->template_name].local));
        else
            n += (size_t)snprintf(buf + n, size - n, "template ");
        const char *path = GX_LIT_AT(p, wheres[b->where].file), *slash = strrchr(path, '/');
        if (wheres[b->where].file == file)
            n += (size_t)snprintf(buf + n, size - n, "at line %u", wheres[b->where].line);
        else
            n += (size_t)snprintf(buf + n, size - n, "at %.60s:%u", slash ? slash + 1 : path, wheres[b->where].line);
        shown++;
    }
    if (shown && n + 2 < size)
        memcpy(buf + n, "]", 2);
}

/* Words the run's error: at the instruction where it was raised, with the templates around it; a document that a host
 * step loaded keeps its own place. err->limit names a limit that would help. */
static gx_status fail_with(gx_m *m, host *h, gx_error *err)
{
    const gx_program *p = m->run->program;
    const gx_result *r = m->result;
    const gx_where *w = GX_PROG_TAB(p, gx_where, wheres) + r->where;
    char text[512], stack[560] = "";
    gx_status status = r->status;

    if (r->error == GX_RE_HOST && h->error.file[0] && h->error.status != GX_EIO) {   /* a loaded document is at fault */
        *err = h->error;
        return err->status;
    }
    if (r->error == GX_RE_HOST && h->error.status != GX_OK)
        status = h->error.status;
    error_stack(m, w->file, stack, sizeof stack);
    gx_fail(err, status, GX_LIT_AT(p, w->file), w->line, w->column, "%s%s", error_text(m, h, text, sizeof text), stack);
    err->in_xpath = status == GX_EDYNAMIC && r->error != GX_RE_NO_RULE && r->error != GX_RE_INSTRUCTION;
    err->limit = r->error == GX_RE_ARENA && !gx_limits_is_most("arena", h->ev->limits->arena) ? "arena"
        : r->error == GX_RE_STEPS                                                             ? "steps"
        : r->error == GX_RE_RECURSION                                                         ? "recursion"
        : r->error == GX_RE_HOST && h->error.status == status                                 ? h->error.limit
                                                                                              : NULL;
    return status;
}

/* ---- evaluation ---- */

/* The global that a parameter "local", "{uri}local" or "prefix:local" is for; GX_NONE: the stylesheet has no such
 * parameter. */
static u32 param_global(const gx_program *p, const char *name)
{
    const gx_qname *names = GX_PROG_TAB(p, gx_qname, qnames);
    const gx_global *globals = GX_PROG_TAB(p, gx_global, globals);
    const gx_lit *lits = GX_PROG_TAB(p, gx_lit, lits);
    const char *before = "", *local = name, *end;
    size_t n = 0;
    int is_uri = 1;

    if ((*name == '{' && (end = strchr(name, '}'))) || ((end = strchr(name, ':')) && end > name)) {
        is_uri = *end == '}';
        before = name + is_uri;
        n = (size_t)(end - before);
        local = end + 1;
    }
    for (u32 k = 0; k < p->globals.n; k++) {
        const gx_qname *q = &names[globals[k].name];
        const gx_lit *is = &lits[is_uri ? q->uri : q->prefix];
        if (globals[k].is_param && !strcmp(GX_LIT_AT(p, q->local), local) && is->len == n
            && !memcmp((const char *)p + is->off, before, n))
            return k;
    }
    return GX_NONE;
}

int gx_program_has_param(const gx_program *p, const char *name) { return param_global(p, name) != GX_NONE; }

/* Parameters as one block for another process: for each that the program declares its global's number and its bytes.
 * Bytes that it took, 0: there is no room for them. */
u64 gx_params_pack(const gx_program *p, const gx_param *params, int n, void *out, u64 cap)
{
    gx_packed_params *to = out;
    u64 size = sizeof *to + (u64)(n < 0 ? 0 : n) * sizeof *to->at;

    if (size > cap)
        return 0;
    to->n = to->pad = 0;
    for (int i = 0; i < n; i++) {
        u32 k = param_global(p, params[i].name);
        u64 len = strlen(params[i].value);
        if (k == GX_NONE)
            continue;
        if (len > cap - size)
            return 0;
        memcpy((char *)out + size, params[i].value, len);
        to->at[to->n].global = k;
        to->at[to->n].off = (u32)size;
        to->at[to->n].len = (u32)len;
        to->at[to->n++].pad = 0;
        size += len;
    }
    to->size = (size + 15) & ~15ull;
    return to->size <= cap ? to->size : 0;
}

/* Global parameters given as strings; gx_run_fill is done. */
static gx_status set_params(gx_m *m, const gx_evaluation *ev)
{
    for (int i = 0; i < ev->n_params; i++) {
        u32 k = param_global(ev->program, ev->params[i].name);
        if (k != GX_NONE)
            GX_TRY(gx_run_param(m, k, ev->params[i].value, (u32)strlen(ev->params[i].value)));
    }
    return GX_OK;
}

static gx_status prepare(gx_m *m, gx_evaluation *ev, const gx_host *steps)
{
    gx_run *r = m->run;

    GX_TRY(gx_run_fill(m, ev->program, ev->limits->recursion, ev->limits->steps));
    r->host = steps;
    r->host_end = m->top_end;
    r->host_tmp_end = m->tmp_end;
    r->deadline_us = ev->deadline_us;
    GX_TRY(gx_solo_bind(m, ev->doc, 0));
    gx_host_list(ev, ev->doc, 0);
    return set_params(m, ev);
}

/* A team of two begins in about 100 us, and an instruction has 10 to 20 syncs of a microsecond. XMark's identity,
 * transform and report (11 MB) take one thread less than a millisecond, so they get no team. */
const gx_team_turns gx_team_turns_default = { 2000, 100, 25 };

/* A team is wanted for the first time: for as many as there are cores for. Who counts them reads files of the kernel,
 * so an evaluation without long instructions must not ask. */
static u32 count_members(gx_team_spec *team)
{
    const u32 cores = team->free_cores ? team->free_cores() : (u32)team->members;
    team->free_cores = NULL;
    if ((u32)team->members > cores)
        team->members = cores ? (int)cores : 1;
    return (u32)team->members;
}

/* Lets the team run: solo, threads, or threads by turns, which begin solo and take over where instructions are long.
 * Without memory for threads it goes on solo. */
static gx_status run_machine(gx_evaluation *ev, const gx_start *start)
{
    const gx_team_turns *turns = ev->team.turns;
    u32 members = ev->team.kind == GX_TEAM_KIND_THREADS ? (u32)ev->team.members : 1;
    gx_handed held = { 0 };
    gx_status status;

    ev->by_team = 0;
    if (members < 2 || ev->profile)
        return ev->profile ? ev->profile->run(start, ev->profile) : gx_solo_run(start, NULL);
    if (!turns) {
        ev->by_team = 1;
        status = gx_threads_run(start, members, NULL);
        return status == GX_ENOMEM ? gx_solo_run(start, NULL) : status;
    }
    held.look = turns->look;
    held.long_one = turns->long_one;
    held.short_one = turns->short_one;
    for (;;) {
        status = gx_solo_run(start, &held);
        if (status != GX_OK || !held.any)
            return status;
        members = count_members(&ev->team);
        status = members < 2 ? GX_ENOMEM : gx_threads_run(start, members, &held);
        if (status == GX_ENOMEM && held.any)            /* no threads: this one, to the end */
            held.look = GX_NONE;
        else if (ev->by_team = 1, status != GX_OK || !held.any)
            return status;
    }
}

/* One evaluation: result and tables at the arena's beginning, kept memory behind, scratch in the other half. Whatever
 * happens, the arena can be used again, and what the host holds for the run is given back. */
gx_status gx_evaluate(gx_evaluation *ev, gx_error *err)
{
    gx_arena *a = ev->arena;
    gx_m m;
    host h;
    gx_host steps;
    gx_start start;
    gx_limits limits = {0};
    gx_status status;
    u64 cap;

    if (ev->limits)
        limits = *ev->limits;
    gx_limits_default(&limits);
    const gx_limits *given = ev->limits;
    ev->limits = &limits;
    cap = limits.arena < a->cap ? limits.arena : a->cap;
    if (cap < 65536)
        cap = 65536;
    memset(&h, 0, sizeof h);
    h.ev = ev;
    h.base = a->base;
    gx_host_steps(&h, &steps);
    ev->n_docs = 0;
    ev->base = a->base;

    /* gx_result, gx_run, then kept memory; scratch in the other half */
    gx_arena_begin(a);
    memset(a->base, 0, GX_RUN_END);
    gx_m_start(&m, a->base, GX_RUN_END, cap, a->cap, a->cap + cap, 0);
    h.run = m.run;
    status = prepare(&m, ev, &steps);
    if (status == GX_OK) {
        start.base = a->base;
        start.top = m.top;
        start.top_end = m.top_end;
        start.tmp = m.tmp;
        start.tmp_end = m.tmp_end;
        start.n_docs = 1;
        status = run_machine(ev, &start);
    } else if (m.result->status == GX_OK)
        m.result->status = status;
    if (status != GX_OK)
        status = fail_with(&m, &h, err);
    if (h.parser)
        gx_parser_free(h.parser);
    gx_host_regexp_free(&h);
    gx_arena_end(a, m.result->used > m.top ? m.result->used : m.top, ev->doc->n_nodes > 20000);
    ev->limits = given;
    return status;
}
