/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_sheet.c -- a program as text: what was made of a stylesheet, for tests and for people
 *
 *   runs on CPU teams only, because of host steps:
 *     document() at a.xsl:7:3
 *   key 0 k match b use  context attribute::id!       0: as expressions call it
 *   variable 0 v  'x'                                 which they call global(0)
 *   template match a mode m (precedence 0, priority 0.5) name t, asks position, at a.xsl:5:1
 *                                             one line a template: the rules that lead to it, best first, and its name;
 *                                             "copies subtrees": as a whole, where no other rule could match in it
 *     elem out                                  an instruction a line, its operands as explain.c writes them
 *       attr id
 *         value  context attribute::id!
 *     if  context child::b? boolean             nested bodies are indented below their instruction
 *       text "yes"
 *
 * Bodies that a line shows below an instruction are not shown again. Reads a program that gx_program_check has passed.
 */
#include <stdio.h>
#include <string.h>
#include <apr_pools.h>
#include "machine/number.h"
#include "xpath/xpath.h"

typedef struct lister {
    const gx_program *p;
    const gx_profile *profile;  /* NULL: times are not told */
    gx_sink sink;
    void *ctx;
    int depth;
    u32 *first, *next;          /* by body: its best rule + 1; by rule: the body's next one + 1; 0 = none */
} lister;

#define BUILTIN GX_NONE         /* in first: a mode's built-in rule */

static void put_n(const lister *l, const char *s, size_t n) { if (n) l->sink(l->ctx, s, n); }
static void put(const lister *l, const char *s) { put_n(l, s, strlen(s)); }
static void put_lit(const lister *l, u32 lit) { put_n(l, GX_LIT_AT(l->p, lit), GX_LIT(l->p, lit).len); }

static void put_number(const lister *l, double value)
{
    char buf[GX_NUMBER_CHARS];
    put_n(l, buf, gx_number_format(value, buf));
}

static void indent(const lister *l)
{
    for (int i = 0; i < l->depth; i++)
        put(l, "  ");
}

static void put_expr(const lister *l, const char *label, u32 expr)
{
    if (expr == GX_NONE)
        return;
    put(l, label);
    gx_explain_times(l->p, l->profile, expr, l->sink, l->ctx);
}

static void put_name(const lister *l, u32 prefix, u32 local, u32 uri)
{
    if (prefix) {
        put_lit(l, prefix);
        put(l, ":");
    }
    put_lit(l, local);
    if (uri) {
        put(l, "{");
        put_lit(l, uri);
        put(l, "}");
    }
}

static void put_qname(const lister *l, u32 qname)
{
    const gx_qname *name = &GX_PROG_TAB(l->p, gx_qname, qnames)[qname];
    put_name(l, name->prefix, name->local, name->uri);
}

static void put_nslist(const lister *l, u32 nslist)
{
    const gx_nslist *list = &GX_PROG_TAB(l->p, gx_nslist, nslists)[nslist];
    const gx_nsdecl *decl = GX_PROG_TAB(l->p, gx_nsdecl, nsdecls) + list->first;
    for (u32 i = 0; i < list->n; i++) {
        put(l, decl[i].prefix ? " xmlns:" : " xmlns");
        put_lit(l, decl[i].prefix);
        put(l, "=");
        put_lit(l, decl[i].uri);
    }
}

/* A pattern's alternative as it could be written, its steps from the first to the last, with predicates as code. */
static void put_pattern(const lister *l, const gx_pattern *pattern)
{
    static const char *const tests[] = { "node()", "",  "*",      "", "text()", "comment()", "processing-instruction()",
                                         "",       "/", "never()" };
    const gx_pstep *steps = GX_PROG_TAB(l->p, gx_pstep, psteps) + pattern->first;
    if (pattern->head != GX_NONE)
        put_expr(l, "", pattern->head);
    for (u32 i = pattern->n; i-- > 0; ) {
        const gx_pstep *step = &steps[i];
        const gx_pname *name = &GX_PROG_TAB(l->p, gx_pname, pnames)[step->name];
        u32 up = step->up;
        put(l, up == GX_UP_END || (up == GX_UP_ROOT && step->test == GX_TEST_ROOT) ? "" :
               up == GX_UP_PARENT || up == GX_UP_ROOT || up == GX_UP_HEAD_PARENT ? "/" : "//");
        put(l, step->axis == GX_AXIS_ATTRIBUTE ? "@" : step->axis == GX_AXIS_NAMESPACE ? "namespace::" : "");
        if (step->test == GX_TEST_NAME || step->test == GX_TEST_NS)
            put_name(l, 0, name->local, name->uri);
        else if (step->test == GX_TEST_PI_NAME)
            put(l, "processing-instruction("), put_lit(l, name->local), put(l, ")");
        else
            put(l, tests[step->test]);
        put_expr(l, "[ in ", step->set_expr);
        put_expr(l, "[ ", step->bool_expr);
        if (step->set_expr != GX_NONE || step->bool_expr != GX_NONE)
            put(l, " ]");
    }
}

static void put_patterns(const lister *l, const char *label, u32 first, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        put(l, i ? " | " : label);
        put_pattern(l, &GX_PROG_TAB(l->p, gx_pattern, patterns)[first + i]);
    }
}

/* " at file:line:column", without the path; nothing for built-in rules. */
void gx_explain_where(const gx_program *program, u32 where, gx_sink sink, void *ctx)
{
    const lister l = { .p = program, .sink = sink, .ctx = ctx };
    const gx_where *w = &GX_PROG_TAB(program, gx_where, wheres)[where];
    const char *file = GX_LIT_AT(program, w->file), *slash = strrchr(file, '/');
    char buf[64];
    if (!where || !w->line)             /* the built-in rules: no stylesheet has written them */
        return;
    snprintf(buf, sizeof buf, ":%u:%u", w->line, w->column);
    put(&l, " at ");
    put(&l, slash ? slash + 1 : file);
    put(&l, buf);
}

static void put_where(const lister *l, u32 where) { gx_explain_where(l->p, where, l->sink, l->ctx); }

/* ---- instructions ---- */

static void list_body(lister *l, u32 body);

static void list_inner(lister *l, u32 body)
{
    l->depth++;
    list_body(l, body);
    l->depth--;
}

/* A line begins: with the times, the instruction's time in one evaluation and for how many rows it ran. pc: GX_NONE, it
 * is none. */
static void list_line(const lister *l, u32 pc, const char *what)
{
    const gx_profile_line *line = l->profile && pc != GX_NONE ? &l->profile->instrs[pc] : NULL;
    char buf[64];
    if (line)
        snprintf(buf, sizeof buf, "%10.1f %11llu | ", gx_profile_us(l->profile, line->ticks),
                 (unsigned long long)(line->rows / l->profile->evaluations));
    else
        snprintf(buf, sizeof buf, "%22s | ", "");
    if (l->profile)
        put(l, buf);
    indent(l);
    put(l, what);
}

/* xsl:apply-templates' mode has an automaton (machine/classify.h); with times, whether it found the rules */
static void put_automaton(const lister *l, const gx_instr *i)
{
    const u32 states = GX_PROG_TAB(l->p, gx_mode, modes)[i->a].states;
    const u32 strategy = l->profile ? l->profile->instrs[i - GX_PROG_TAB(l->p, gx_instr, instrs)].strategy : 0;
    if (!states)
        return;
    put(l, strategy ? " <rules by " : " <rules: automaton of ");
    if (strategy) {
        put(l, gx_strategy_name(strategy));
        put(l, ", ");
    }
    put_number(l, states);
    put(l, " states>");
}

/* The value of a variable: the rest of the line, and the lines of its content. */
static void list_value(lister *l, u32 expr, u32 body, u32 flags)
{
    put_expr(l, "  ", expr);
    if (expr == GX_NONE && body != GX_NONE)
        put(l, flags & GX_IF_TEXT_ONLY ? "  content of text" : "  content");
    if (expr == GX_NONE && body != GX_NONE && flags & GX_IF_STRING)
        put(l, " as string");
    put(l, "\n");
    if (expr == GX_NONE && body != GX_NONE)
        list_inner(l, body);
}

static void list_params(lister *l, u32 first, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        const gx_with_param *param = &GX_PROG_TAB(l->p, gx_with_param, with_params)[first + i];
        list_line(l, GX_NONE, "with ");
        put_qname(l, param->name);
        put_expr(l, "  ", param->expr);
        put(l, "\n");
    }
}

static void list_sorts(lister *l, u32 first, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        const gx_sort *sort = &GX_PROG_TAB(l->p, gx_sort, sorts)[first + i];
        list_line(l, GX_NONE, "sort");
        put(l, sort->number ? " number" : "");
        put(l, sort->descending ? " descending" : "");
        put(l, sort->upper_first ? sort->upper_first == 1 ? " upper-first" : " lower-first" : "");
        put_expr(l, "  ", sort->select);
        put_expr(l, "  data-type ", sort->data_type);
        put_expr(l, "  order ", sort->order);
        put_expr(l, "  lang ", sort->lang);
        put_expr(l, "  case-order ", sort->case_order);
        put(l, "\n");
    }
}

static void list_places(lister *l, u32 from, u32 to)
{
    char buf[64];
    if (from == GX_NONE)
        snprintf(buf, sizeof buf, "places last()\n");
    else if (to == GX_NONE - 1)
        snprintf(buf, sizeof buf, "places from %u\n", from);
    else
        snprintf(buf, sizeof buf, "places %u to %u\n", from, to);
    list_line(l, GX_NONE, buf);
}

static void list_number(const lister *l, const gx_number *number)
{
    static const char *const levels[] = { " single", " multiple", " any" };
    put(l, number->has_value ? "" : levels[number->level]);
    put_expr(l, "  value ", number->value);
    put_patterns(l, "  count ", number->count, number->n_count);
    put_patterns(l, "  from ", number->from, number->n_from);
    put_expr(l, "  format ", number->format);
    put_expr(l, "  lang ", number->lang);
    put_expr(l, "  letter-value ", number->letter_value);
    put_expr(l, "  grouping-separator ", number->grouping_separator);
    put_expr(l, "  grouping-size ", number->grouping_size);
}

/* What an instruction's line says after its name. 1: it has ended the line itself, as a variable's body follows; 0:
 * the caller does. */
static int list_operands(lister *l, const gx_instr *i)
{
    switch (i->op) {
    case GX_I_TEXT:
        put(l, " ");
        gx_explain_text(l->p, i->a, '"', l->sink, l->ctx);
        return 0;
    case GX_I_ERROR:
        put(l, " ");
        put_lit(l, i->a);
        return 0;
    case GX_I_ELEM:
        put(l, " ");
        put_qname(l, i->a);
        put_nslist(l, i->b);
        return 0;
    case GX_I_ATTR:
        put(l, " ");
        put_qname(l, i->a);
        return 0;
    case GX_I_ELEM_DYN: case GX_I_ATTR_DYN:
        put_expr(l, "  ", i->expr);
        put_expr(l, "  namespace ", i->a);
        put_nslist(l, i->b);
        return 0;
    case GX_I_APPLY:
        if (i->a) {
            put(l, " mode ");
            put_qname(l, GX_PROG_TAB(l->p, gx_mode, modes)[i->a].name);
        }
        put_expr(l, "  ", i->expr);
        put_automaton(l, i);
        return 0;
    case GX_I_CALL: {
        const gx_body *body = &GX_PROG_TAB(l->p, gx_body, bodies)[i->a];
        if (body->kind == GX_B_ATTRIBUTE_SET) {         /* the program does not have its name */
            put(l, " attribute set");
            put_where(l, body->where);
        } else if (body->template_name != GX_NONE) {
            put(l, " ");
            put_qname(l, body->template_name);
        }
        return 0;
    }
    case GX_I_VAR: case GX_I_PARAM:
        put(l, " $");
        put_number(l, i->b);
        if (i->op == GX_I_PARAM) {
            put(l, " ");
            put_qname(l, i->d);
        }
        list_value(l, i->expr, i->a, i->flags);
        return 1;
    case GX_I_NUMBER:
        list_number(l, &GX_PROG_TAB(l->p, gx_number, numbers)[i->a]);
        return 0;
    default:
        put_expr(l, "  ", i->expr);
        return 0;
    }
}

/* What belongs to an instruction besides its operands: branches and bodies, indented, sorts, parameters. */
static void list_children(lister *l, const gx_instr *i)
{
    switch (i->op) {
    case GX_I_IF:
        list_body(l, i->a);
        break;
    case GX_I_CHOOSE:
        for (u32 k = 0; k < i->b; k++) {
            const gx_branch *branch = &GX_PROG_TAB(l->p, gx_branch, branches)[i->a + k];
            list_line(l, GX_NONE, branch->expr == GX_NONE ? "otherwise" : "when");
            put_expr(l, "  ", branch->expr);
            put(l, "\n");
            list_inner(l, branch->body);
        }
        break;
    case GX_I_FOR_EACH:
        list_sorts(l, i->b, i->c);
        if (i->d)
            list_places(l, i->d, i->e);
        list_body(l, i->a);
        break;
    case GX_I_APPLY:
        list_params(l, i->b, i->c);
        list_sorts(l, i->d, i->e);
        break;
    case GX_I_CALL: case GX_I_APPLY_IMPORTS:
        list_params(l, i->b, i->c);
        break;
    }
}

/* A body's instructions, a line each; END closes the indentation of what it ends. */
static void list_body(lister *l, u32 index)
{
    static const char *const names[GX_N_IOPS] = { "end",   "text",    "value",  "elem",     "elem",    "attr",
                                                  "attr",  "comment", "pi",     "copy",     "copy-of", "message",
                                                  "error", "if",      "choose", "for-each", "apply",   "apply-imports",
                                                  "call",  "var",     "param",  "number",   "result" };
    const gx_body *body = &GX_PROG_TAB(l->p, gx_body, bodies)[index];
    const gx_instr *instrs = GX_PROG_TAB(l->p, gx_instr, instrs) + body->first;
    int depth = l->depth;
    for (u32 k = 0; k < body->n; k++) {
        const gx_instr *i = &instrs[k];
        if (i->op == GX_I_END) {
            l->depth--;
            continue;
        }
        list_line(l, body->first + k, names[i->op]);
        put(l, i->flags & GX_IF_DOE ? " unescaped" : "");
        put(l, i->flags & GX_IF_TERMINATE ? " terminate" : "");
        if (!list_operands(l, i))
            put(l, "\n");
        l->depth++;
        list_children(l, i);
        if (!gx_iop_has_end(i->op))
            l->depth--;
    }
    l->depth = depth;
}

/* ---- the program ---- */

/* Which teams may run the program, and each call of a host function, with its place, that keeps it from a GPU. O(its
 * operators). */
static void list_teams(const lister *l)
{
    const gx_program *p = l->p;
    put(l, p->flags & GX_P_HOST ? "runs on CPU teams only, because of host steps:\n" : "runs on any team\n");
    for (u32 i = 0; i < p->exprs.n; i++) {
        const gx_expr *x = &GX_PROG_TAB(p, gx_expr, exprs)[i];
        const gx_op *ops = GX_PROG_TAB(p, gx_op, ops) + x->first;
        for (u32 k = 0; k < x->n; k++) {
            const char *uri;
            if (ops[k].op != GX_X_FUNC || !gx_function_is_host(ops[k].a))
                continue;
            put(l, "  ");
            put(l, gx_function_name(ops[k].a, &uri));
            put(l, "()");
            put_where(l, x->where);
            put(l, "\n");
        }
    }
    if (p->flags & GX_P_NAMESPACE_AXIS)
        put(l, "needs namespace nodes in its documents\n");
}

static void list_function(lister *l, const gx_function *f)
{
    const gx_body *body = &GX_PROG_TAB(l->p, gx_body, bodies)[f->body];
    list_line(l, GX_NONE, "function ");
    put_qname(l, f->name);
    put(l, "/");
    put_number(l, f->n_params);
    put(l, body->uses_position || body->uses_last ? ", asks" : "");
    put(l, body->uses_position ? " position" : "");
    put(l, body->uses_last ? " last" : "");
    put(l, ",");
    put_where(l, f->where);
    put(l, "\n");
    list_inner(l, f->body);
}

/* The rules that lead to a template, best first, and its name; is_long: with how they are chosen */
static void put_template(const lister *l, u32 index, int is_long)
{
    const gx_program *p = l->p;
    const gx_body *body = &GX_PROG_TAB(p, gx_body, bodies)[index];
    const gx_rule *rules = GX_PROG_TAB(p, gx_rule, rules);
    put(l, "template");
    for (u32 i = l->first[index]; i; i = l->next[i - 1]) {
        const gx_rule *rule = &rules[i - 1];
        put(l, " match ");
        put_pattern(l, &GX_PROG_TAB(p, gx_pattern, patterns)[rule->pattern]);
        if (rule->mode) {
            put(l, " mode ");
            put_qname(l, GX_PROG_TAB(p, gx_mode, modes)[rule->mode].name);
        }
        if (!is_long)
            continue;
        put(l, " (precedence ");
        put_number(l, rule->precedence);
        put(l, ", priority ");
        put_number(l, rule->priority);
        put(l, ")");
    }
    if (body->template_name != GX_NONE) {
        put(l, " name ");
        put_qname(l, body->template_name);
    }
}

/* A template's line with its rules, best first, then its body. */
static void list_template(lister *l, u32 index)
{
    const gx_program *p = l->p;
    const gx_body *body = &GX_PROG_TAB(p, gx_body, bodies)[index];
    list_line(l, GX_NONE, "");
    put_template(l, index, 1);
    put(l, body->uses_position || body->uses_last ? ", asks" : "");
    put(l, body->uses_position ? " position" : "");
    put(l, body->uses_last ? " last" : "");
    if (l->first[index] && GX_COPIES_MODE(GX_PROG_TAB(p, gx_rule, rules)[l->first[index] - 1].copies) != GX_NONE)
        put(l, ", copies subtrees");
    put(l, body->where ? "," : "");
    put_where(l, body->where);
    put(l, "\n");
    list_inner(l, index);
}

/* Which rules lead to each body */
static void find_rules(lister *l, apr_pool_t *pool)
{
    const gx_program *p = l->p;
    l->first = apr_pcalloc(pool, (p->bodies.n + 1) * sizeof *l->first);
    l->next = apr_palloc(pool, (p->rules.n + 1) * sizeof *l->next);
    for (u32 i = p->rules.n; i-- > 0; ) {
        u32 *first = &l->first[GX_PROG_TAB(p, gx_rule, rules)[i].body];
        l->next[i] = *first;
        *first = i + 1;
    }
    for (u32 i = 0; i < p->modes.n; i++)
        l->first[GX_PROG_TAB(p, gx_mode, modes)[i].builtin] = BUILTIN;
}

/* Everything in the order in which it may come to run: keys, globals, functions, templates. profile: NULL, or times and
 * rows before each line. A selection is one line. */
void gx_explain_program(const gx_program *p, const gx_profile *profile, apr_pool_t *pool, gx_sink sink, void *ctx)
{
    lister l = { .p = p, .profile = profile, .sink = sink, .ctx = ctx };
    list_teams(&l);
    if (profile)
        put(&l, "        us        rows | instruction; <us, rows> behind operators of 1 % of the time or more\n");
    if (p->flags & GX_P_XPATH) {
        list_line(&l, GX_NONE, "");
        put_expr(&l, "select  ", GX_PROG_TAB(p, gx_global, globals)[0].expr);
        put(&l, "\n");
        return;
    }
    for (u32 i = 0; i < p->keys.n; i++) {
        const gx_key *key = &GX_PROG_TAB(p, gx_key, keys)[i];
        list_line(&l, GX_NONE, "key ");
        put_number(&l, key->name);              /* as key/2 names it */
        put(&l, " ");
        put_qname(&l, GX_PROG_TAB(p, u32, key_names)[key->name]);
        put(&l, " match ");
        put_pattern(&l, &GX_PROG_TAB(p, gx_pattern, patterns)[key->pattern]);
        put_expr(&l, " use  ", key->use);
        put(&l, "\n");
    }
    for (u32 i = 0; i < p->globals.n; i++) {
        const gx_global *global = &GX_PROG_TAB(p, gx_global, globals)[i];
        list_line(&l, GX_NONE, global->is_param ? "param " : "variable ");
        put_number(&l, i);                      /* as global(2) names it */
        put(&l, " ");
        put_qname(&l, global->name);
        list_value(&l, global->expr, global->body, global->flags);
    }
    for (u32 i = 0; i < p->functions.n; i++)
        list_function(&l, &GX_PROG_TAB(p, gx_function, functions)[i]);
    if (p->start_mode) {
        list_line(&l, GX_NONE, "start with the messages of global variables\n");
        list_inner(&l, GX_PROG_TAB(p, gx_mode, modes)[p->start_mode].builtin);
    }
    find_rules(&l, pool);
    for (u32 i = 0; i < p->bodies.n; i++) {
        const gx_body *body = &GX_PROG_TAB(p, gx_body, bodies)[i];
        if (body->kind == GX_B_ATTRIBUTE_SET) {
            list_line(&l, GX_NONE, "attribute set");
            put_where(&l, body->where);
            put(&l, "\n");
            list_inner(&l, i);
        } else if (body->kind == GX_B_TEMPLATE && l.first[i] != BUILTIN) {
            list_template(&l, i);
        }
    }
}

/* What a body is, in words, for a line of a profile: the template with its rules, a function, a global's content. */
void gx_explain_body(const gx_program *p, u32 index, apr_pool_t *pool, gx_sink sink, void *ctx)
{
    lister l = { .p = p, .sink = sink, .ctx = ctx };
    const gx_body *body = &GX_PROG_TAB(p, gx_body, bodies)[index];
    find_rules(&l, pool);
    if (body->kind == GX_B_FUNCTION || body->kind == GX_B_ATTRIBUTE_SET) {
        put(&l, body->kind == GX_B_FUNCTION ? "function " : "attribute set");
        if (body->template_name != GX_NONE)
            put_qname(&l, body->template_name);
    } else if (body->kind != GX_B_TEMPLATE) {
        put(&l, "a global variable's content");
    } else if (l.first[index] == BUILTIN) {
        put(&l, "the built-in rules");
    } else {
        put_template(&l, index, 0);
    }
    put_where(&l, body->where);
}
