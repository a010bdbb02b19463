/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body.c -- the content of templates, variables and attribute sets, compiled to instructions
 *
 * Elements, attributes, comments and messages open and close inline; what runs in frames of its own (for-each,
 * branches, content of variables) is a body of its own:
 *
 *   <a b="{c}"><xsl:if test="d">e</xsl:if>f</a>      body 1: ELEM a, ATTR b, VALUE c, END, IF d body 2, TEXT f, END
 *                                                    body 2: TEXT e
 *
 * A body's instructions are collected in its gx_body_state and appended to the program when it is complete: bodies
 * nest, their ranges do not. Until then pcs (gx_instr.a of END, .c of what it closes) count from the body's start.
 *
 * Variables: s->scope is a stack; an entry is dropped at the end of the element that contains its xsl:variable. That is
 * also when it is known whether all its references were whole selects of xsl:copy-of, so that nobody needs its
 * string-value.
 *
 * Forwards-compatible processing (2.5): a static error inside an instruction becomes a GX_I_ERROR in its place, so that
 * it counts only where the instruction is reached.
 */
#include <string.h>
#include <apr_strings.h>
#include "plan/rules.h"
#include "sheet.h"

#define INSTR(s, i) GX_VEC_AT(&(s)->body->instrs, gx_instr, i)

static gx_status compile_content(gx_sheet *s, u32 node, const gx_within *w, u32 from);

/* ---- emitting ---- */

/* The text that has been collected becomes an instruction. Whatever emits another one calls it first. */
static void flush_text(gx_sheet *s)
{
    gx_body_state *body = s->body;
    if (!body->text.n)
        return;
    gx_instr text = { .op = GX_I_TEXT, .flags = body->text_flags, .expr = GX_NONE, .where = body->text_where };
    text.a = gx_builder_lit(s->b, body->text.at, body->text.n);
    body->text.n = 0;
    gx_builder_push(s->b, &body->instrs, &text);
}

/* An instruction with room for n output slots: its index in the body. */
static u32 emit(gx_sheet *s, gx_iop op, u32 where, u32 n_slots)
{
    gx_body_state *body = s->body;
    flush_text(s);
    gx_instr instr = { .op = (u8)op, .slot = n_slots ? (u16)body->n_slots : 0, .expr = GX_NONE, .where = where };
    body->n_slots += n_slots;
    return gx_builder_push(s->b, &body->instrs, &instr);
}

static void emit_end(gx_sheet *s, u32 opening)
{
    u32 end = emit(s, GX_I_END, INSTR(s, opening)->where, 0);
    INSTR(s, end)->a = opening;
    INSTR(s, opening)->c = end;
}

/* Adds literal text to the run that is being collected: text nodes one behind the other, and constants of xsl:value-of,
 * become one TEXT instruction as long as their flags (disable-output-escaping) agree. The buffer doubles. */
static void emit_text(gx_sheet *s, const char *text, u32 n, u8 flags, u32 where)
{
    gx_body_state *body = s->body;
    if (!n)
        return;
    if (body->text_flags != flags)
        flush_text(s);
    if (!body->text.n) {
        body->text_flags = flags;
        body->text_where = where;
    }
    if (body->text.n + n > body->text.cap) {
        u32 cap = (body->text.n + n) * 2;
        gx_builder_charge(s->b, cap);
        char *at = apr_palloc(s->pool, cap);
        if (body->text.n)
            memcpy(at, body->text.at, body->text.n);
        body->text.at = at;
        body->text.cap = cap;
    }
    memcpy(body->text.at + body->text.n, text, n);
    body->text.n += n;
}

static void emit_error(gx_sheet *s, const char *sentence, u32 where)
{
    u32 at = emit(s, GX_I_ERROR, where, 0);
    INSTR(s, at)->a = gx_builder_lit(s->b, sentence, strlen(sentence));
}

/* An error where it is reached, of which the compiler warns. */
static gx_status emit_late_error(gx_sheet *s, u32 node, const char *sentence, u32 where)
{
    gx_status status = gx_sheet_fail(s, s->module, node, "%s", sentence);
    if (!gx_sheet_is_late(s))
        return status;
    gx_sheet_late(s);
    emit_error(s, sentence, where);
    return GX_OK;
}

/* Is it an error for when it is reached? Then it is emitted, and has been told of. */
static int is_emitted(gx_sheet *s, gx_status status, u32 where)
{
    if (status != GX_ESTYLE || !gx_sheet_is_late(s))
        return 0;
    emit_error(s, apr_pstrdup(s->pool, s->err->text), where);
    gx_sheet_late(s);
    return 1;
}

/* A message: for what the specification lets us recover from. */
static void emit_warning(gx_sheet *s, const char *sentence, u32 where)
{
    u32 message = emit(s, GX_I_MESSAGE, where, 0);
    INSTR(s, message)->flags |= GX_IF_WARNING;
    emit_text(s, sentence, (u32)strlen(sentence), 0, where);
    emit_end(s, message);
}

/* ---- bodies ---- */

u32 gx_sheet_reserve_body(gx_sheet *s)
{
    gx_body body = { .parent = GX_NONE, .template_name = GX_NONE, .empty = 1 };
    return gx_builder_push(s->b, &s->b->bodies, &body);
}

/* Begins a body within the one that is open: what is emitted from now on is its own, until close_body(). */
static void open_body(gx_sheet *s, gx_body_state *body, u32 index, u32 kind, u32 where)
{
    memset(body, 0, sizeof *body);
    body->up = s->body;
    body->index = index;
    body->kind = kind;
    body->where = where;
    body->template_name = GX_NONE;
    body->instrs.size = sizeof(gx_instr);
    s->in_scope = NULL;         /* another body may have been where this one is */
    s->body = body;
}

/* The body is complete: its instructions move to the program's table, pcs become indexes into that, and gx_body gets
 * what the serialiser and the machine need to know of it. The body around it goes on. GX_ESTYLE for more than
 * GX_SHEET_SLOTS slots. */
static gx_status close_body(gx_sheet *s)
{
    gx_body_state *body = s->body;
    flush_text(s);
    u32 first = s->b->instrs.n;
    for (u32 i = 0; i < body->instrs.n; i++) {
        gx_instr *instr = INSTR(s, i);
        if (instr->op == GX_I_END)
            instr->a += first;
        else if (gx_iop_has_end(instr->op))
            instr->c += first;
        gx_builder_push(s->b, &s->b->instrs, instr);
    }
    if (body->n_slots > GX_SHEET_SLOTS) {
        const gx_where *where = GX_VEC_AT(&s->b->wheres, gx_where, body->where);
        return gx_fail(s->err, GX_ESTYLE, gx_builder_lit_text(s->b, where->file, NULL), where->line, where->column,
                       "more than %u instructions in one template; split it", GX_SHEET_SLOTS);
    }
    gx_body *out = GX_VEC_AT(&s->b->bodies, gx_body, body->index);
    out->first = first;
    out->n = body->instrs.n;
    out->n_slots = body->n_slots;
    out->n_vars = body->n_vars;
    out->parent = body->up ? body->up->index : GX_NONE;
    out->template_name = body->template_name;
    out->where = body->where;
    out->uses_position = !!(body->deps & GX_DEP_POSITION);
    out->uses_last = !!(body->deps & GX_DEP_LAST);
    out->empty = !body->instrs.n;
    out->kind = (u8)body->kind;
    s->body = body->up;
    return GX_OK;
}

/* The content of `node` from child `from` on, as a new body. */
static gx_status compile_nested(gx_sheet *s, u32 node, const gx_within *w, u32 from, u32 kind, u32 *body)
{
    gx_body_state state;
    *body = gx_sheet_reserve_body(s);
    open_body(s, &state, *body, kind, gx_sheet_where(s, s->module, node));
    GX_TRY(compile_content(s, node, w, from));
    return close_body(s);
}

/* ---- expressions ---- */

/* An expression that the body's frames evaluate. */
static gx_status compile_in_env(gx_sheet *s, const gx_xpath_env *env, const char *text, u32 want, u32 *expr)
{
    GX_TRY(gx_xpath_compile(env, text, want, expr));
    if (s->body)
        s->body->deps |= GX_VEC_AT(&s->b->exprs, gx_expr, *expr)->deps;
    return GX_OK;
}

static gx_status compile_expr(gx_sheet *s, u32 node, const gx_within *w, const char *text, u32 want, u32 *expr)
{
    gx_xpath_env env = gx_sheet_env(s, node, w);
    env.plan = &s->planned;
    return compile_in_env(s, &env, text, want, expr);
}

/* An expression that is one string, without asking the planner. */
static u32 literal_expr(gx_sheet *s, const char *text, u32 where)
{
    u32 lit = gx_builder_lit(s->b, text, strlen(text));
    gx_op op = { GX_X_STR, GX_T_STR, 0, lit };
    gx_expr expr = { .first = gx_builder_push(s->b, &s->b->ops, &op),
                     .n = 1,
                     .type = GX_T_STR,
                     .max_stack = 1,
                     .where = where,
                     .source = lit };
    return gx_builder_push(s->b, &s->b->exprs, &expr);
}

/* The attribute as an AVT. *expr GX_NONE and *literal NULL: no such attribute; *literal: it has no expression, *expr is
 * GX_NONE. */
static gx_status compile_avt(gx_sheet *s, u32 node, const gx_within *w, const char *attribute, u32 *expr,
                             const char **literal)
{
    const char *text = gx_sheet_attribute(s, s->module, node, "", attribute);
    *expr = GX_NONE;
    *literal = NULL;
    if (!text)
        return GX_OK;
    gx_xpath_env env = gx_sheet_env(s, node, w);
    u32 found = GX_NONE;
    GX_TRY(gx_avt_expr(&env, text, &found, literal));
    if (!*literal) {
        *expr = found;
        s->body->deps |= GX_VEC_AT(&s->b->exprs, gx_expr, found)->deps;
    }
    return GX_OK;
}

/* The same as an expression in either case; GX_NONE = no such attribute. */
static gx_status compile_avt_expr(gx_sheet *s, u32 node, const gx_within *w, const char *attribute, u32 *expr)
{
    const char *literal;
    GX_TRY(compile_avt(s, node, w, attribute, expr, &literal));
    if (literal)
        *expr = literal_expr(s, literal, gx_sheet_where(s, s->module, node));
    return GX_OK;
}

/* ---- variables, parameters ---- */

/* Is it an element, or text that is not stripped? */
static int is_content(const gx_module *m, u32 node, const gx_within *w)
{
    u32 kind = gx_sheet_kind(m, node);
    return kind == GX_KIND_ELEM || (w->preserve ? kind == GX_KIND_TEXT : gx_sheet_is_words(m, node));
}

static int has_content(const gx_module *m, u32 node, const gx_within *w)
{
    for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at])
        if (is_content(m, at, w))
            return 1;
    return 0;
}

/*
 * What gives a variable, parameter or func:result its value:
 *
 *   select="e"       *expr
 *   content          *body: a body of its own, whose frames make a fragment
 *   neither          *expr, the empty string
 *
 * Both at once is an error where it is reached in a function, a slip for parameters, else an error at once (11.2).
 */
gx_status gx_sheet_compile_value(gx_sheet *s, u32 node, const gx_within *w, u32 *expr, u32 *body)
{
    const gx_module *m = s->module;
    const char *select = gx_sheet_attribute(s, m, node, "", "select");
    *expr = *body = GX_NONE;
    if (select && has_content(m, node, w)) {
        static const char sentence[] = "%s:%s must be empty when it has the attribute select";
        const gx_sheet_name *name = gx_sheet_name_of(m, node);
        if (name->xsl == GX_XSL_NONE && gx_sheet_is_late(s)) {
            GX_TRY(emit_late_error(s, node, apr_psprintf(s->pool, sentence, "func", name->local),
                                   gx_sheet_where(s, m, node)));
        } else if (name->xsl != GX_XSL_PARAM && name->xsl != GX_XSL_WITH_PARAM)
            return gx_sheet_fail(s, m, node, sentence, name->xsl == GX_XSL_NONE ? "func" : "xsl", name->local);
        GX_TRY(gx_sheet_slip(s, m, node, sentence, "xsl", name->local));
    }
    if (select) {
        const int is_result = gx_sheet_name_of(m, node)->xsl == GX_XSL_NONE;                /* func:result */
        s->at_once = (u8)is_result;
        const gx_status status = compile_expr(s, node, w, select, GX_T_ANY, expr);
        s->at_once = 0;
        if (status != GX_ESTYLE || !is_result || w->forwards)
            return status;
        *expr = literal_expr(s, "", gx_sheet_where(s, m, node));                            /* as libxslt */
        return gx_sheet_slipped(s);
    }
    if (has_content(m, node, w))
        return compile_nested(s, node, w, gx_sheet_first(m, node), GX_B_CONTENT, body);
    *expr = literal_expr(s, "", gx_sheet_where(s, m, node));
    return GX_OK;
}

static void enter_scope(gx_sheet *s, gx_scoped var)
{
    var.head = gx_sheet_head(var.uri, var.local);
    var.outer = s->scoped[var.head];
    s->scoped[var.head] = gx_builder_push(s->b, &s->scope, &var) + 1;
    s->in_scope = NULL;
}

static const gx_scoped *drop(gx_sheet *s)
{
    const gx_scoped *var = GX_VEC_AT(&s->scope, gx_scoped, --s->scope.n);
    s->scoped[var->head] = var->outer;
    s->in_scope = NULL;
    return var;
}

/* Drops the variables of the element that ends here. */
static void leave_scope(gx_sheet *s, u32 mark)
{
    while (s->scope.n > mark) {
        const gx_scoped *var = drop(s);
        gx_instr *instr = GX_VEC_AT(&var->body->instrs, gx_instr, var->instr);
        if (var->as_string && instr->expr == GX_NONE)
            instr->flags |= GX_IF_STRING;
        if (var->is_asked && !var->is_used)         /* whoever asked for it has planned its value anew */
            instr->expr = literal_expr(s, "", instr->where);
    }
}

/*
 * xsl:variable and xsl:param of a template:
 *
 *   <xsl:variable name="v" select="e"/>     VAR slot v, expr e
 *   <xsl:variable name="v">c</xsl:..>       VAR slot v, body c
 *   <xsl:param name="p" select="e"/>        PARAM slot p, expr e, d: the name that callers pass it by
 *
 * Entered into the scope after its value is compiled: it does not see itself. A name that hides another one of the
 * template is an error where it is reached (11.5), of a parameter a slip. Fails with GX_ESTYLE, and for more than
 * GX_SHEET_SCOPE.
 */
static gx_status compile_variable(gx_sheet *s, u32 node, const gx_within *w, gx_iop op)
{
    gx_module *m = s->module;
    const char *uri, *local, *element = gx_sheet_name_of(m, node)->local;
    GX_TRY(gx_sheet_qname(s, m, node, gx_sheet_attribute(s, m, node, "", "name"), "name", 0, NULL, &uri, &local));
    const gx_scoped *hidden = w->forwards ? NULL : gx_sheet_scoped(s, uri, local);
    if (hidden) {                           /* 11.5; XSLT 2.0 allows it, and libxslt where it hides a parameter that was
                                               given */
        static const char sentence[] = "xsl:%s %s hides another variable of that name in the same template";
        const gx_instr *other = GX_VEC_AT(&hidden->body->instrs, gx_instr, hidden->instr);
        if (other->op == GX_I_PARAM)
            GX_TRY(gx_sheet_slip(s, m, node, sentence, element, local));
        else
            GX_TRY(
                emit_late_error(s, node, apr_psprintf(s->pool, sentence, element, local), gx_sheet_where(s, m, node)));
    }
    if (s->scope.n == GX_SHEET_SCOPE)
        return gx_sheet_fail(s, m, node, "more than %u variables and parameters within sight of each other",
                             GX_SHEET_SCOPE);
    u32 expr, body;
    s->planned = NULL;
    GX_TRY(gx_sheet_compile_value(s, node, w, &expr, &body));
    const gx_plan *plan = op == GX_I_VAR ? s->planned : NULL;
    if (plan && (plan->type != GX_T_SET || plan->calls || plan->hosted || plan->fails))
        plan = NULL;
    u32 at = emit(s, op, gx_sheet_where(s, m, node), 0);
    gx_instr *instr = INSTR(s, at);
    instr->expr = expr;
    instr->a = body;
    instr->b = s->body->n_vars++;
    if (op == GX_I_PARAM)
        instr->d = gx_builder_qname(s->b, "", local, uri);
    u8 type = GX_T_ANY;
    if (op == GX_I_VAR)
        type = expr == GX_NONE ? GX_T_RTF : GX_VEC_AT(&s->b->exprs, gx_expr, expr)->type;
    /* a parameter's default may be replaced by a value that the caller uses otherwise: its string-value is always at
     * hand */
    enter_scope(s,
                (gx_scoped){ .uri = uri,
                             .local = local,
                             .body = s->body,
                             .slot = instr->b,
                             .instr = at,
                             .type = type,
                             .is_param = op == GX_I_PARAM,
                             .plan = plan,
                             .as_string = op == GX_I_PARAM });
    return GX_OK;
}

/* A variable of no name whose value is a body of content: *expr is what refers to it. */
static void emit_content(gx_sheet *s, u32 body, u32 where, const char *source, u32 *expr)
{
    u32 slot = s->body->n_vars++, at = emit(s, GX_I_VAR, where, 0);
    INSTR(s, at)->a = body;
    INSTR(s, at)->b = slot;
    INSTR(s, at)->flags = GX_IF_STRING;
    gx_op op = { GX_X_VAR, GX_T_RTF, 0, slot };
    gx_expr value = { .first = gx_builder_push(s->b, &s->b->ops, &op),
                      .n = 1,
                      .type = GX_T_RTF,
                      .deps = GX_DEP_LOCAL,
                      .max_stack = 1,
                      .where = where,
                      .source = gx_builder_lit(s->b, source, strlen(source)) };
    *expr = gx_builder_push(s->b, &s->b->exprs, &value);
}

/* xsl:with-param children into *params. Content is a variable before the call: what it has to say is met whether or not
 * the template called has such a parameter. */
static gx_status compile_with_param(gx_sheet *s, u32 node, const gx_within *inherited, gx_vec *params)
{
    gx_module *m = s->module;
    gx_within w = *inherited;
    const char *uri, *local;
    u32 body;
    GX_TRY(gx_sheet_within(s, m, node, &w));
    GX_TRY(gx_sheet_check_attributes(s, m, node, &w, NULL));
    GX_TRY(gx_sheet_qname(s, m, node, gx_sheet_attribute(s, m, node, "", "name"), "name", 0, NULL, &uri, &local));
    gx_with_param one = { .name = gx_builder_qname(s->b, "", local, uri), .where = gx_sheet_where(s, m, node) };
    GX_TRY(gx_sheet_compile_value(s, node, &w, &one.expr, &body));
    if (body != GX_NONE)
        emit_content(s, body, one.where, "xsl:with-param", &one.expr);
    for (u32 i = 0; i < params->n; i++)
        /* an error only as of XSLT 2.0; the others take the last */
        if (GX_VEC_AT(params, gx_with_param, i)->name == one.name) {
            emit_warning(s, apr_psprintf(s->pool, "xsl:with-param %s is given twice: the last one counts", local),
                         one.where);
            *GX_VEC_AT(params, gx_with_param, i) = one;
            return GX_OK;
        }
    if (params->n == GX_SHEET_SCOPE)
        return gx_sheet_fail(s, m, node, "more than %u xsl:with-param in one call", GX_SHEET_SCOPE);
    gx_builder_push(s->b, params, &one);
    return GX_OK;
}

/* ---- sorts ---- */

/* A sort attribute with an enumerated value. *which: 1 or 2 for the first or second of the words when it is literal. */
static gx_status compile_sort_word(gx_sheet *s, u32 node, const gx_within *w, const char *attribute, const char *first,
                                   const char *second, int qname_too, u32 *expr, int *which, int *dynamic)
{
    const char *literal;
    const int loose = !strcmp(attribute, "case-order");         /* libxslt passes over one that it cannot read */
    s->at_once = (u8)loose;
    const gx_status status = compile_avt(s, node, w, attribute, expr, &literal);
    s->at_once = 0;
    if (status == GX_ESTYLE && loose && !w->forwards) {
        *expr = GX_NONE;
        return gx_sheet_slipped(s);
    }
    GX_TRY(status);
    *dynamic |= *expr != GX_NONE;
    if (!literal)
        return GX_OK;
    *which = !strcmp(literal, first) ? 1 : !strcmp(literal, second) ? 2 : 0;
    if (!*which && !(qname_too && strchr(literal, ':')) && !w->forwards)
        return gx_sheet_slip(s, s->module, node, "the attribute %s must be \"%s\" or \"%s\", not \"%s\"", attribute,
                             first, second, literal);
    return GX_OK;
}

/* One xsl:sort, appended to `sorts`. Words that are literal become flags; an attribute with {} becomes an expression,
 * and then the others' words become expressions too, since the machine reads all or none from columns. The key's type
 * follows from data-type: a number, or a string. */
static gx_status compile_sort(gx_sheet *s, u32 node, const gx_within *inherited, gx_vec *sorts)
{
    gx_module *m = s->module;
    gx_within w = *inherited;
    GX_TRY(gx_sheet_within(s, m, node, &w));
    GX_TRY(gx_sheet_check_attributes(s, m, node, &w, NULL));
    GX_TRY(gx_sheet_check_empty(s, m, node, &w, 0));
    gx_sort sort = { .where = gx_sheet_where(s, m, node) };
    int type = 0, order = 0, letters = 0, dynamic = 0;
    GX_TRY(compile_sort_word(s, node, &w, "data-type", "text", "number", 1, &sort.data_type, &type, &dynamic));
    GX_TRY(compile_sort_word(s, node, &w, "order", "ascending", "descending", 0, &sort.order, &order, &dynamic));
    GX_TRY(compile_sort_word(s, node, &w, "case-order", "upper-first", "lower-first", 0, &sort.case_order, &letters,
                             &dynamic));
    GX_TRY(compile_avt_expr(s, node, &w, "lang", &sort.lang));
    /* where one attribute is computed, the machine reads the others' literals from expressions too */
    if (dynamic && type && sort.data_type == GX_NONE)
        sort.data_type = literal_expr(s, type == 2 ? "number" : "text", sort.where);
    if (dynamic && order && sort.order == GX_NONE)
        sort.order = literal_expr(s, order == 2 ? "descending" : "ascending", sort.where);
    if (dynamic && letters && sort.case_order == GX_NONE)
        sort.case_order = literal_expr(s, letters == 2 ? "lower-first" : "upper-first", sort.where);
    sort.number = type == 2;
    sort.descending = order == 2;
    sort.upper_first = (u8)letters;
    const char *select = gx_sheet_attribute(s, m, node, "", "select");
    gx_xpath_env env = gx_sheet_env(s, node, &w);       /* its position() is that of the nodes being sorted, not the
                                                           body's */
    s->elsewhere++;
    const gx_status status = gx_xpath_compile(&env, select ? select : ".", sort.number ? GX_T_NUM : GX_T_STR,
                                              &sort.select);
    s->elsewhere--;
    GX_TRY(status);
    gx_builder_push(s->b, sorts, &sort);
    return GX_OK;
}

/* ---- instructions that make frames ---- */

/* Appends the collected elements; *first is where they lie. */
static void append(gx_sheet *s, gx_vec *table, const gx_vec *elements, u32 *first, u32 *n)
{
    *first = table->n;
    *n = elements->n;
    for (u32 i = 0; i < elements->n; i++)
        gx_builder_push(s->b, table, elements->at + (size_t)i * elements->size);
}

static const char *misplaced(const gx_sheet *s, u32 child, u32 node)
{
    const gx_module *m = s->module;
    const gx_sheet_name *name = gx_sheet_kind(m, child) == GX_KIND_ELEM ? gx_sheet_name_of(m, child) : NULL;
    return apr_psprintf(s->pool, "%s%s is not allowed in xsl:%s", name ? (name->xsl ? "xsl:" : "") : "",
                        name ? name->local : "text", gx_sheet_name_of(m, node)->local);
}

/* A slip: the child is passed over. */
static gx_status pass_over(gx_sheet *s, u32 child, u32 node)
{
    if (gx_sheet_kind(s->module, child) == GX_KIND_ELEM && gx_sheet_check_places(s, s->module, child) != GX_OK)
        return gx_sheet_fail(s, s->module, child, "%s", misplaced(s, child, node));
    return gx_sheet_slip(s, s->module, child, "%s", misplaced(s, child, node));
}

/* Children of xsl:apply-templates, xsl:apply-imports, xsl:call-template. sorts NULL: not allowed. */
static gx_status compile_arguments(gx_sheet *s, u32 node, const gx_within *w, gx_vec *params, gx_vec *sorts)
{
    const gx_module *m = s->module;
    for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at]) {
        if (gx_sheet_is_words(m, at))
            GX_TRY(pass_over(s, at, node));
        if (gx_sheet_kind(m, at) != GX_KIND_ELEM)
            continue;
        gx_xsl xsl = gx_sheet_name_of(m, at)->xsl;
        if (xsl == GX_XSL_WITH_PARAM)
            GX_TRY(compile_with_param(s, at, w, params));
        else if (xsl == GX_XSL_SORT && sorts)
            GX_TRY(compile_sort(s, at, w, sorts));
        else if (!(w->forwards && xsl != GX_XSL_NONE))
            GX_TRY(pass_over(s, at, node));
        if (xsl == GX_XSL_NONE && sorts)
            break;                      /* as libxslt: what follows is passed over, too */
    }
    return GX_OK;
}

/*
 *   <xsl:apply-templates select="e" mode="m">      APPLY a mode, expr e (none: child::node()), b c params, d e sorts
 */
static gx_status compile_apply(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    const char *select = gx_sheet_attribute(s, s->module, node, "", "select");
    gx_vec params = { .size = sizeof(gx_with_param) }, sorts = { .size = sizeof(gx_sort) };
    u32 mode, expr = s->node_select;
    GX_TRY(gx_sheet_mode(s, node, w, gx_sheet_attribute(s, s->module, node, "", "mode"), &mode));
    if (select)
        GX_TRY(compile_expr(s, node, w, select, GX_T_SET, &expr));
    GX_TRY(compile_arguments(s, node, w, &params, &sorts));
    u32 at = emit(s, GX_I_APPLY, where, 1);
    gx_instr *instr = INSTR(s, at);
    instr->expr = expr;
    instr->a = mode;
    append(s, &s->b->with_params, &params, &instr->b, &instr->c);
    append(s, &s->b->sorts, &sorts, &instr->d, &instr->e);
    return GX_OK;
}

static gx_status compile_apply_imports(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_vec params = { .size = sizeof(gx_with_param) };
    GX_TRY(gx_sheet_check_empty(s, s->module, node, w, 1));      /* parameters are XSLT 2.0's */
    GX_TRY(compile_arguments(s, node, w, &params, NULL));
    u32 at = emit(s, GX_I_APPLY_IMPORTS, where, 1);
    append(s, &s->b->with_params, &params, &INSTR(s, at)->b, &INSTR(s, at)->c);
    return GX_OK;
}

/*
 *   <xsl:call-template name="t">      CALL a: t's body, b c params      no such template: an error where it is reached
 */
static gx_status compile_call(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_module *m = s->module;
    gx_vec params = { .size = sizeof(gx_with_param) };
    const char *name = gx_sheet_attribute(s, m, node, "", "name"), *uri, *local;
    GX_TRY(gx_sheet_qname(s, m, node, name, "name", 0, NULL, &uri, &local));
    u32 found = gx_sheet_find(s, s->named, uri, local);
    if (found == GX_NONE)
        return emit_late_error(s, node, apr_psprintf(s->pool, "xsl:call-template: there is no template named %s", name),
                               where);
    GX_TRY(compile_arguments(s, node, w, &params, NULL));
    u32 at = emit(s, GX_I_CALL, where, 1);
    INSTR(s, at)->a = GX_VEC_AT(&s->templates, gx_template, found)->body;
    append(s, &s->b->with_params, &params, &INSTR(s, at)->b, &INSTR(s, at)->c);
    return GX_OK;
}

/* The places for which a test holds: "position() = 1", "position() < 4", "position() = last()". 0: it is another one */
static int places_of(const gx_builder *b, const gx_expr *test, u32 *from, u32 *to)
{
    const gx_op *op = GX_VEC_AT(&b->ops, gx_op, test->first);
    if (test->n != 3)
        return 0;
    const u32 turned = op->op != GX_X_POSITION, other = op[!turned].op;
    const u32 is = turned ? gx_xop_turned(op[2].op) : op[2].op;
    if (op[turned].op != GX_X_POSITION || is < GX_X_EQ || is > GX_X_GE)
        return 0;
    *from = *to = GX_NONE;
    if (other == GX_X_LAST)
        return is == GX_X_EQ || is == GX_X_GE;
    const double number = other == GX_X_NUM ? *GX_VEC_AT(&b->nums, double, op[!turned].b) : 0;
    if (!(number >= 1 && number < 0x7fffffff))
        return 0;
    const u32 below = (u32)number, whole = number == below;
    *from = is == GX_X_GT || is == GX_X_NE ? below + 1 : is == GX_X_GE ? below + !whole : is == GX_X_EQ ? below : 1;
    *to = is == GX_X_LE || is == GX_X_EQ ? below : is == GX_X_LT ? below - whole : GX_NONE - 1;
    return *to && (is == GX_X_EQ ? whole : is != GX_X_NE || number == 1);
}

/* Does the body of a for-each do nothing for nodes but those at some places: has it nothing but an xsl:if that says
 * so? */
static int shows_places(const gx_sheet *s, u32 body, u32 *from, u32 *to)
{
    const gx_body *b = GX_VEC_AT(&s->b->bodies, gx_body, body);
    const gx_instr *only = b->n == 1 ? GX_VEC_AT(&s->b->instrs, gx_instr, b->first) : NULL;
    return only && only->op == GX_I_IF && !gx_rule_in(&s->b->rules_off, GX_RULE_PLACES)
        && places_of(s->b, GX_VEC_AT(&s->b->exprs, gx_expr, only->expr), from, to);
}

/* Are these the first places or the last one, and does what is done for them not ask for more places? Then the other
 * nodes need not be selected. */
static int asks_no_more(const gx_sheet *s, u32 body, u32 first)
{
    const gx_instr *only = GX_VEC_AT(&s->b->instrs, gx_instr, GX_VEC_AT(&s->b->bodies, gx_body, body)->first);
    const gx_body *inner = GX_VEC_AT(&s->b->bodies, gx_body, only->a);
    return !inner->uses_last && (first == 1 || (first == GX_NONE && !inner->uses_position));
}

/* Do the keys of sorts say nothing about the order before? Then the nodes may come in any. */
static int in_any_order(const gx_sheet *s, const gx_vec *sorts)
{
    for (u32 i = 0; i < sorts->n; i++)
        if (GX_VEC_AT(&s->b->exprs, gx_expr, GX_VEC_AT(sorts, gx_sort, i)->select)->deps
            & (GX_DEP_POSITION | GX_DEP_LAST))
            return 0;
    return sorts->n != 0;
}

/*
 *   <xsl:for-each select="e"> s c </xsl:for-each>      FOR_EACH expr e, a: the body of c, b c: the sorts s
 *
 * The sorts are the leading children; whatever is content ends them.
 */
static gx_status compile_for_each(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    const gx_module *m = s->module;
    gx_vec sorts = { .size = sizeof(gx_sort) };
    u32 expr, body, from = gx_sheet_first(m, node), first = 0, last = 0;
    for (; from < m->next[node]; from = m->next[from]) {        /* the leading xsl:sort children */
        if (gx_sheet_kind(m, from) == GX_KIND_ELEM && gx_sheet_name_of(m, from)->xsl == GX_XSL_SORT)
            GX_TRY(compile_sort(s, from, w, &sorts));
        else if (is_content(m, from, w))
            break;
    }
    GX_TRY(compile_nested(s, node, w, from, GX_B_FOR_EACH, &body));
    const int some = shows_places(s, body, &first, &last), few = some && !sorts.n && asks_no_more(s, body, first);
    gx_xpath_env env = gx_sheet_env(s, node, w);
    env.any_order = in_any_order(s, &sorts);
    env.first_of = few ? last : 0;
    GX_TRY(compile_in_env(s, &env, gx_sheet_attribute(s, m, node, "", "select"), GX_T_SET, &expr));
    u32 at = emit(s, GX_I_FOR_EACH, where, 1);
    INSTR(s, at)->expr = expr;
    INSTR(s, at)->a = body;
    append(s, &s->b->sorts, &sorts, &INSTR(s, at)->b, &INSTR(s, at)->c);
    if (some && !few) {
        INSTR(s, at)->d = first;
        INSTR(s, at)->e = last;
    }
    return GX_OK;
}

/*
 *   <xsl:if test="e">c</xsl:if>       IF expr e (a truth), a: the body of c
 */
static gx_status compile_if(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    u32 expr, body;
    GX_TRY(compile_expr(s, node, w, gx_sheet_attribute(s, s->module, node, "", "test"), GX_T_BOOL, &expr));
    GX_TRY(compile_nested(s, node, w, gx_sheet_first(s->module, node), GX_B_BRANCH, &body));
    u32 at = emit(s, GX_I_IF, where, 1);
    INSTR(s, at)->expr = expr;
    INSTR(s, at)->a = body;
    return GX_OK;
}

/* One xsl:when or xsl:otherwise */
static gx_status compile_branch(gx_sheet *s, u32 node, const gx_within *w, gx_vec *branches)
{
    gx_module *m = s->module;
    gx_within inner = *w;
    gx_branch branch = { GX_NONE, GX_NONE };
    GX_TRY(gx_sheet_within(s, m, node, &inner));
    GX_TRY(gx_sheet_check_attributes(s, m, node, &inner, NULL));
    if (gx_sheet_name_of(m, node)->xsl == GX_XSL_WHEN)
        GX_TRY(compile_expr(s, node, &inner, gx_sheet_attribute(s, m, node, "", "test"), GX_T_BOOL, &branch.expr));
    GX_TRY(compile_nested(s, node, &inner, gx_sheet_first(m, node), GX_B_BRANCH, &branch.body));
    gx_builder_push(s->b, branches, &branch);
    return GX_OK;
}

/* As libxslt: the first child must be xsl:when where the instruction is reached; behind the xsl:whens comes
 * xsl:otherwise, if it does at once; what else there is is passed over. */
static gx_status compile_choose(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_module *m = s->module;
    gx_vec branches = { .size = sizeof(gx_branch) };
    int n_when = 0, is_over = 0;
    for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at]) {
        const int is_element = gx_sheet_kind(m, at) == GX_KIND_ELEM;
        const gx_xsl xsl = is_element ? gx_sheet_name_of(m, at)->xsl : GX_XSL_NONE;
        if (!is_element && !gx_sheet_is_words(m, at))
            continue;
        if (xsl != GX_XSL_WHEN && (xsl != GX_XSL_OTHERWISE || (!n_when && m->next[at] < m->next[node]))) {
            if (!n_when)
                return emit_late_error(s, at,
                                       xsl == GX_XSL_OTHERWISE ? "xsl:otherwise must be the last child of xsl:choose"
                                                               : misplaced(s, at, node),
                                       where);
            GX_TRY(pass_over(s, at, node));
            is_over = 1;
        } else if (is_over) {
            GX_TRY(gx_sheet_slip(s, m, at, "xsl:otherwise must be the last child of xsl:choose"));
        } else if (xsl == GX_XSL_OTHERWISE && !n_when) {
            break;
        } else {
            GX_TRY(compile_branch(s, at, w, &branches));
            n_when += xsl == GX_XSL_WHEN;
            is_over = xsl == GX_XSL_OTHERWISE;
        }
    }
    if (!n_when)
        return emit_late_error(s, node, "xsl:choose needs a child xsl:when", where);
    u32 at = emit(s, GX_I_CHOOSE, where, 1);
    append(s, &s->b->branches, &branches, &INSTR(s, at)->a, &INSTR(s, at)->b);
    return GX_OK;
}

/* Calls of the attribute sets that an attribute names, in its order. */
static gx_status compile_set_calls(gx_sheet *s, u32 node, const char *attribute_uri, u32 where)
{
    gx_module *m = s->module;
    const char *names = gx_sheet_attribute(s, m, node, attribute_uri, "use-attribute-sets"), *name, *uri, *local;
    while (names && (name = gx_sheet_token(s, &names))) {
        gx_status status = gx_sheet_qname(s, m, node, name, "use-attribute-sets", 0, NULL, &uri, &local);
        if (is_emitted(s, status, where))
            continue;
        GX_TRY(status);
        u32 set = gx_sheet_find(s, s->attribute_sets, uri, local);
        if (set == GX_NONE) {
            GX_TRY(gx_sheet_slip(s, m, node, "there is no attribute set named %s", name));
            continue;
        }
        if (s->compiling_set != GX_NONE) {
            gx_edge use = { s->compiling_set, set };
            gx_builder_push(s->b, &s->set_uses, &use);
        }
        u32 at = emit(s, GX_I_CALL, where, 1);
        INSTR(s, at)->a = *GX_VEC_AT(&s->set_bodies, u32, set);
    }
    return GX_OK;
}

/* ---- nodes ---- */

/* An attribute value template, as text */
static gx_status emit_template(gx_sheet *s, u32 node, const gx_within *w, const char *template, u32 where)
{
    gx_avt_part *parts;
    u32 n;
    gx_xpath_env env = gx_sheet_env(s, node, w);
    GX_TRY(gx_avt_compile(&env, template, &parts, &n));
    for (u32 i = 0; i < n; i++)
        if (parts[i].lit != GX_NONE) {
            size_t length;
            const char *text = gx_builder_lit_text(s->b, parts[i].lit, &length);
            emit_text(s, apr_pstrmemdup(s->pool, text, length), (u32)length, 0, where);
        } else {
            u32 value = emit(s, GX_I_VALUE, where, 1);
            INSTR(s, value)->expr = parts[i].expr;
            s->body->deps |= GX_VEC_AT(&s->b->exprs, gx_expr, parts[i].expr)->deps;
        }
    return GX_OK;
}

/*
 * A literal result element (7.1.1), inline:
 *
 *   <a x="{e}" xsl:use-attribute-sets="s">c</a>     ELEM a, (calls of s), ATTR x, VALUE e, END, c, END
 *
 * Names go through xsl:namespace-alias. ELEM has the list of namespaces to declare: those in scope without the excluded
 * ones. Limit: GX_SHEET_COPIED declarations in all, each different list counted.
 */
static gx_status compile_literal_element(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_module *m = s->module;
    const gx_sheet_name *name = gx_sheet_name_of(m, node);
    const char *prefix = gx_sheet_prefix(s, m, node), *uri = name->uri;
    gx_sheet_alias(s, &prefix, &uri);
    u32 element = emit(s, GX_I_ELEM, where, 0);
    INSTR(s, element)->flags = GX_IF_LRE;
    INSTR(s, element)->a = gx_builder_qname(s->b, prefix, name->local, uri);
    INSTR(s, element)->b = gx_sheet_nslist(s, node, w, 1);
    if (s->b->nsdecls.n > GX_SHEET_COPIED)
        return gx_fail(s->err, GX_ELIMIT, m->path, m->line[node], m->column[node],
                       "literal result elements copy more than %u namespaces, each list of different ones counted",
                       GX_SHEET_COPIED);
    GX_TRY(compile_set_calls(s, node, GX_XSLT_URI, where));
    for (u32 at = node + 1, end = gx_sheet_first(m, node); at < end; at++) {
        if (gx_sheet_kind(m, at) != GX_KIND_ATTR)
            continue;
        name = gx_sheet_name_of(m, at);
        if (!strcmp(name->uri, GX_XSLT_URI))    /* instructions to the compiler; unknown ones are no error (7.1.1) */
            continue;
        prefix = gx_sheet_prefix(s, m, at);
        uri = name->uri;
        if (*uri)                           /* "#default" is no attribute's namespace */
            gx_sheet_alias(s, &prefix, &uri);
        u32 attribute = emit(s, GX_I_ATTR, where, 0);
        INSTR(s, attribute)->flags = GX_IF_LRE;
        INSTR(s, attribute)->a = gx_builder_qname(s->b, prefix, name->local, uri);
        GX_TRY(emit_template(s, node, w, gx_sheet_value(s, m, at), where));
        emit_end(s, attribute);
    }
    GX_TRY(compile_content(s, node, w, gx_sheet_first(m, node)));
    emit_end(s, element);
    return GX_OK;
}

/* The name of an xsl:element or xsl:attribute that is a literal, with a literal namespace or none: *qname, or *wrong
 * says why not. */
static void static_name(gx_sheet *s, u32 node, const char *name, const char *ns, int is_element, u32 *qname,
                        const char **wrong)
{
    const char *what = is_element ? "xsl:element" : "xsl:attribute", *uri = ns, *rest = name;
    const char *token = gx_sheet_token(s, &rest), *colon = token ? strchr(token, ':') : NULL;
    const char *prefix = colon ? apr_pstrmemdup(s->pool, token, (apr_size_t)(colon - token)) : "";
    const char *local = colon ? colon + 1 : token;
    *wrong = NULL;
    if (!token || !gx_sheet_is_blank(rest) || !gx_sheet_is_ncname(local) || (colon && !gx_sheet_is_ncname(prefix)) ||
        (!is_element && !strcmp(token, "xmlns"))) {
        *wrong = apr_psprintf(s->pool, "%s: \"%s\" is not a name that it can have", what, name);
        return;
    }
    if (ns && !strcmp(ns, GX_XMLNS_URI)) {
        *wrong = apr_psprintf(s->pool, "%s: \"%s\" cannot be in the namespace " GX_XMLNS_URI, what, name);
        return;
    }
    if (!ns && (colon || is_element)) {
        uri = gx_sheet_uri(s, s->module, node, prefix);
        if (!uri && colon) {
            *wrong = apr_psprintf(s->pool, "%s: the prefix %s of \"%s\" is not declared", what, prefix, name);
            return;
        }
    }
    /* xmlns as a prefix is legal beside the attribute namespace, and must not come out */
    if (!uri || !*uri || !strcmp(prefix, "xmlns"))
        prefix = "";
    *qname = gx_builder_qname(s->b, prefix, local, uri ? uri : "");
}

/* xsl:element and xsl:attribute. A literal name without a computed namespace is resolved now (ELEM, ATTR); else name
 * and namespace are expressions that the machine evaluates (ELEM_DYN, ATTR_DYN, two slots). A literal name that is none
 * is recovered from as the spec says (7.1.2, 7.1.3), with a warning: of an element the content alone is made, of an
 * attribute nothing. */
static gx_status compile_named_node(gx_sheet *s, u32 node, const gx_within *w, u32 where, int is_element)
{
    gx_module *m = s->module;
    const char *name, *ns, *wrong = NULL;
    u32 name_expr, ns_expr, qname = GX_NONE, opening;
    GX_TRY(compile_avt(s, node, w, "name", &name_expr, &name));
    GX_TRY(compile_avt(s, node, w, "namespace", &ns_expr, &ns));
    if (name && ns_expr == GX_NONE)
        static_name(s, node, name, ns, is_element, &qname, &wrong);
    if (wrong) {                            /* 7.1.2, 7.1.3: the content without the element; no attribute. And a
                                               warning */
        emit_warning(s, wrong, where);
        u32 from = gx_sheet_first(m, node);
        while (from < m->next[node]
               && (gx_sheet_kind(m, from) != GX_KIND_ELEM || gx_sheet_name_of(m, from)->xsl == GX_XSL_ATTRIBUTE)
               && !gx_sheet_is_words(m, from))
            from = m->next[from];
        return is_element ? compile_content(s, node, w, from) : GX_OK;
    }
    if (qname != GX_NONE) {
        opening = emit(s, is_element ? GX_I_ELEM : GX_I_ATTR, where, 0);
        INSTR(s, opening)->a = qname;
        if (is_element)
            INSTR(s, opening)->b = gx_builder_nslist(s->b, NULL, 0);
    } else {
        opening = emit(s, is_element ? GX_I_ELEM_DYN : GX_I_ATTR_DYN, where, 2);
        INSTR(s, opening)->expr = name ? literal_expr(s, name, where) : name_expr;
        INSTR(s, opening)->a = ns ? literal_expr(s, ns, where) : ns_expr;
        INSTR(s, opening)->b = gx_sheet_nslist(s, node, w, 0);
    }
    if (is_element)
        GX_TRY(compile_set_calls(s, node, "", where));
    GX_TRY(compile_content(s, node, w, gx_sheet_first(m, node)));
    emit_end(s, opening);
    return GX_OK;
}

/* Whether a select can only reach children and attributes, and what is below them: empty for nodes that have neither.
 * Says no to everything but plain paths; that is always safe. */
static int selects_below(const char *select)
{
    static const char *const tests[] = { "node", "text", "comment", "processing-instruction" };
    const char *word = select;              /* start of the name that ends at `at` */
    int at_start = 1;                       /* of an alternative */
    for (const char *at = select; *at; at++) {
        if (strchr(" \t\r\n", *at))
            continue;
        if (at_start)
            word = at;
        if (*at == '/' && at_start)
            return 0;
        at_start = *at == '|';
        if (strchr("|/@", *at)) {
            word = at + 1;
            continue;
        }
        if (*at == '(') {
            int is_test = 0;
            for (int i = 0; i < 4; i++)
                is_test |= strlen(tests[i]) == (size_t)(at - word) && !memcmp(tests[i], word, (size_t)(at - word));
            if (!is_test || *++at != ')')
                return 0;
            continue;
        }
        if (*at == ':' && at[1] == ':')
            return 0;
        int in_name = ((*at | 32) >= 'a' && (*at | 32) <= 'z') || (*at >= '0' && *at <= '9') || strchr("*:_-", *at)
            || (u8)*at >= 0x80;
        if (!in_name)
            return 0;
    }
    return 1;
}

/* Whether content of xsl:copy may be evaluated for nodes that it is not written for: it ends, since it goes to
 * descendants only, and does nothing that shows, such as messages, calls or attribute sets. Recurses by the depth of
 * the stylesheet's elements. */
static int is_harmless(const gx_sheet *s, u32 node)
{
    const gx_module *m = s->module;
    for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at]) {
        if (gx_sheet_kind(m, at) != GX_KIND_ELEM)
            continue;
        const char *select = gx_sheet_attribute(s, m, at, "", "select");
        switch (gx_sheet_name_of(m, at)->xsl) {
        case GX_XSL_APPLY_TEMPLATES:
        case GX_XSL_FOR_EACH:
            if (select && !selects_below(select))
                return 0;
            for (u32 child = gx_sheet_first(m, at); child < m->next[at]; child = m->next[child])
                if (gx_sheet_kind(m, child) == GX_KIND_ELEM && gx_sheet_name_of(m, child)->xsl == GX_XSL_WITH_PARAM
                    && !is_harmless(s, child))
                    return 0;
            break;
        case GX_XSL_TEXT: case GX_XSL_VALUE_OF: case GX_XSL_COPY_OF: case GX_XSL_NUMBER:
            break;
        case GX_XSL_ATTRIBUTE:
        case GX_XSL_COMMENT:
        case GX_XSL_PI:
        case GX_XSL_IF:
        case GX_XSL_CHOOSE:
        case GX_XSL_WHEN:
        case GX_XSL_OTHERWISE: case GX_XSL_VARIABLE:
            if (!is_harmless(s, at))
                return 0;
            break;
        case GX_XSL_NONE:
            if (gx_sheet_attribute_node(m, at, GX_XSLT_URI, "use-attribute-sets") != GX_NONE || !is_harmless(s, at))
                return 0;
            break;
        default:
            return 0;
        }
    }
    return 1;
}

/* A body that runs where *test holds: open_body() was called for it. test is compiled if nobody did so before. */
static gx_status close_guarded(gx_sheet *s, u32 node, const gx_within *w, u32 where, u32 body, const char *xpath,
                               u32 *test)
{
    GX_TRY(close_body(s));
    if (*test == GX_NONE) {
        gx_xpath_env env = gx_sheet_env(s, node, w);
        GX_TRY(gx_xpath_compile(&env, xpath, GX_T_BOOL, test));
    }
    u32 at = emit(s, GX_I_IF, where, 1);
    INSTR(s, at)->expr = *test;
    INSTR(s, at)->a = body;
    return GX_OK;
}

/* xsl:copy: COPY, content, END. The content of nodes that have none (text, attributes, ...) must not be evaluated where
 * it can fail, call or loop: then it is a body of its own behind a test of the node's kind. So are its attribute sets,
 * which only elements use (7.5). */
static gx_status compile_copy(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_module *m = s->module;
    const u32 has_sets = gx_sheet_attribute_node(m, node, "", "use-attribute-sets") != GX_NONE;
    /* a function of the stylesheet need not end for nodes that it is not called for */
    int guarded = has_sets || s->user_functions.n || !is_harmless(s, node);
    gx_body_state state;
    u32 copy = emit(s, GX_I_COPY, where, 0);
    if (has_sets) {                             /* "used only when copying element nodes" (7.5) */
        u32 body = gx_sheet_reserve_body(s);
        open_body(s, &state, body, GX_B_BRANCH, where);
        GX_TRY(compile_set_calls(s, node, "", where));
        GX_TRY(close_guarded(s, node, w, where, body, "boolean(self::*)", &s->element_test));
    }
    if (guarded) {
        u32 body = gx_sheet_reserve_body(s);
        open_body(s, &state, body, GX_B_BRANCH, where);
        GX_TRY(compile_content(s, node, w, gx_sheet_first(m, node)));
        GX_TRY(close_guarded(s, node, w, where, body, "boolean(self::*) or not(parent::node())", &s->copy_test));
    } else {
        GX_TRY(compile_content(s, node, w, gx_sheet_first(m, node)));
    }
    emit_end(s, copy);
    return GX_OK;
}

/* "$name" and nothing else */
static int is_variable(const char *select)
{
    select += strspn(select, " \t\r\n");
    if (*select++ != '$')
        return 0;
    select += strspn(select, " \t\r\n");
    return !strpbrk(select, "/[|=<>!+*,()$ \t\r\n");
}

/*
 *   <xsl:copy-of select="e"/>       COPY_OF expr e
 *
 * Whether e is a variable and nothing else is noted: one that is only copied needs no string-value.
 */
static gx_status compile_copy_of(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    const char *select = gx_sheet_attribute(s, s->module, node, "", "select");
    u32 expr;
    GX_TRY(gx_sheet_check_empty(s, s->module, node, w, 1));
    s->copying = (u8)is_variable(select);
    gx_status status = compile_expr(s, node, w, select, GX_T_ANY, &expr);
    s->copying = 0;
    GX_TRY(status);
    u32 at = emit(s, GX_I_COPY_OF, where, 1);
    INSTR(s, at)->expr = expr;
    return GX_OK;
}

/*
 *   <xsl:value-of select="e"/>       VALUE expr e       a constant: literal text
 *
 * The expression knows that only its string is wanted, which asks a set for its first node alone.
 */
static gx_status compile_value_of(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    u32 expr;
    int unescaped = 0;
    GX_TRY(gx_sheet_check_empty(s, s->module, node, w, 1));
    GX_TRY(gx_sheet_yes_no(s, s->module, node, w, "disable-output-escaping", 1, &unescaped));
    gx_xpath_env env = gx_sheet_env(s, node, w);
    env.only_string = 1;
    GX_TRY(gx_xpath_compile(&env, gx_sheet_attribute(s, s->module, node, "", "select"), GX_T_ANY, &expr));
    s->body->deps |= GX_VEC_AT(&s->b->exprs, gx_expr, expr)->deps;
    const gx_expr *e = GX_VEC_AT(&s->b->exprs, gx_expr, expr);
    const gx_op *op = GX_VEC_AT(&s->b->ops, gx_op, e->first);
    u8 flags = unescaped ? GX_IF_DOE : 0;
    if (e->n == 1 && op->op == GX_X_STR) {  /* a constant is literal text */
        size_t n;
        const char *text = gx_builder_lit_text(s->b, op->b, &n);
        emit_text(s, text, (u32)n, flags, where);
        return GX_OK;
    }
    u32 at = emit(s, GX_I_VALUE, where, 1);
    INSTR(s, at)->expr = expr;
    INSTR(s, at)->flags = flags;
    return GX_OK;
}

/* xsl:text: its text, white space and all. An element in it is an error (7.2). */
static gx_status compile_text(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_module *m = s->module;
    int unescaped = 0;
    GX_TRY(gx_sheet_yes_no(s, m, node, w, "disable-output-escaping", 1, &unescaped));
    for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at]) {
        if (gx_sheet_kind(m, at) == GX_KIND_ELEM)
            return gx_sheet_fail(s, m, at, "%s", misplaced(s, at, node));
        if (gx_sheet_kind(m, at) == GX_KIND_TEXT)
            emit_text(s, m->text + m->text_off[at], m->text_len[at], unescaped ? GX_IF_DOE : 0, where);
    }
    return GX_OK;
}

/* xsl:comment, xsl:processing-instruction, xsl:message: OP, content, END. A name of a processing instruction that
 * cannot be one is recovered from by leaving it out: a slip, or an error where it is reached. */
static gx_status compile_inline(gx_sheet *s, u32 node, const gx_within *w, u32 where, gx_iop op)
{
    int terminate = 0;
    u32 name = GX_NONE;
    if (op == GX_I_MESSAGE) {
        gx_status status = gx_sheet_yes_no(s, s->module, node, w, "terminate", 0, &terminate);
        if (is_emitted(s, status, where))
            return GX_OK;
        GX_TRY(status);
    }
    if (op == GX_I_PI) {
        const char *literal;
        GX_TRY(compile_avt(s, node, w, "name", &name, &literal));
        if (!literal && name == GX_NONE)        /* a slip */
            return GX_OK;
        if (literal && !apr_strnatcasecmp(literal, "xml")) {
            emit_error(s,
                       apr_psprintf(s->pool, "xsl:processing-instruction: \"%s\" is not a name that it can have",
                                    literal),
                       where);
            return GX_OK;
        }
        if (literal && !gx_sheet_is_ncname(literal)) {
            if (!w->forwards)               /* 7.3: recovered from by not creating the node. libxslt writes what is no
                                               XML */
                return gx_sheet_slip(s, s->module, node,
                                     "xsl:processing-instruction: \"%s\" is not a name that it can have", literal);
            emit_error(s,
                       apr_psprintf(s->pool, "xsl:processing-instruction: \"%s\" is not a name that it can have",
                                    literal),
                       where);
            return GX_OK;
        }
        if (literal)
            name = literal_expr(s, literal, where);
    }
    u32 opening = emit(s, op, where, op == GX_I_PI);
    INSTR(s, opening)->expr = name;
    INSTR(s, opening)->flags = terminate ? GX_IF_TERMINATE : 0;
    s->messages += op == GX_I_MESSAGE;
    GX_TRY(compile_content(s, node, w, gx_sheet_first(s->module, node)));
    s->messages -= op == GX_I_MESSAGE;
    emit_end(s, opening);
    return GX_OK;
}

/* As compile_avt_expr; what cannot be evaluated is a slip, and as if it were not there. */
static gx_status compile_loose_avt(gx_sheet *s, u32 node, const gx_within *w, const char *attribute, u32 *expr)
{
    s->at_once = 1;
    gx_status status = compile_avt_expr(s, node, w, attribute, expr);
    s->at_once = 0;
    if (status != GX_ESTYLE || w->forwards)
        return status;
    *expr = GX_NONE;
    return gx_sheet_slipped(s);
}

/* Of literals the first character, and the digits at the beginning, count (machine/numbering.h): the rest is a slip. */
static gx_status compile_grouping(gx_sheet *s, u32 node, const gx_within *w, gx_number *number)
{
    const char *separator = gx_sheet_attribute(s, s->module, node, "", "grouping-separator"),
               *size = gx_sheet_attribute(s, s->module, node, "", "grouping-size");
    if (separator && !strpbrk(separator, "{}") && separator[gx_sheet_first_character(separator)] && !w->forwards)
        GX_TRY(gx_sheet_slip(s, s->module, node, "the attribute grouping-separator must be one character, not \"%s\"",
                             separator));
    if (size && !strpbrk(size, "{}") && size[strspn(size, "0123456789. \t\r\n-")] && !w->forwards)
        GX_TRY(gx_sheet_slip(s, s->module, node, "the attribute grouping-size is no number: \"%s\"", size));
    GX_TRY(compile_loose_avt(s, node, w, "grouping-separator", &number->grouping_separator));
    return compile_loose_avt(s, node, w, "grouping-size", &number->grouping_size);
}

/* xsl:number (7.7): a row of the program's table `numbers` with the patterns of count and from, the value, and the
 * format's parts, and NUMBER with its index. Attributes that libxslt takes although they are wrong are slips: with
 * --strict they are errors. */
static gx_status compile_number(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_module *m = s->module;
    static const char *const levels[] = { "single", "multiple", "any" };
    gx_number number = { .value = GX_NONE, .where = where };
    const char *level = gx_sheet_attribute(s, m, node, "", "level"),
               *value = gx_sheet_attribute(s, m, node, "", "value");
    const char *count = gx_sheet_attribute(s, m, node, "", "count"), *from = gx_sheet_attribute(s, m, node, "", "from"),
               *literal;
    double *priority;
    GX_TRY(gx_sheet_check_empty(s, m, node, w, 1));
    if (level) {
        while (number.level < 3 && strcmp(level, levels[number.level]))
            number.level++;
        if (number.level == 3 && !w->forwards)
            GX_TRY(gx_sheet_slip(s, m, node,
                                 "the attribute level must be \"single\", \"multiple\" or \"any\", not \"%s\"", level));
        number.level %= 3;
    }
    if (value && !value[strspn(value, " \t\r\n")]) {
        GX_TRY(gx_sheet_slip(s, m, node, "the attribute value is empty: NaN is written"));
        value = "number('')";
    }
    if (value) {
        number.has_value = 1;
        s->at_once = s->enclosed = 1;
        gx_status status = compile_expr(s, node, w, value, GX_T_NUM, &number.value);
        s->at_once = s->enclosed = 0;
        if (status == GX_ESTYLE && !w->forwards)
            return gx_sheet_slipped(s);     /* nothing is written */
        GX_TRY(status);
    }
    if (count)
        GX_TRY(gx_sheet_compile_pattern(s, node, w, count, &number.count, &number.n_count, &priority));
    if (from)
        GX_TRY(gx_sheet_compile_pattern(s, node, w, from, &number.from, &number.n_from, &priority));
    GX_TRY(compile_avt_expr(s, node, w, "format", &number.format));
    GX_TRY(compile_loose_avt(s, node, w, "lang", &number.lang));
    GX_TRY(compile_grouping(s, node, w, &number));
    gx_status status = compile_avt(s, node, w, "letter-value", &number.letter_value, &literal);
    if (status == GX_ESTYLE && !w->forwards)
        status = gx_sheet_slipped(s);
    GX_TRY(status);
    const int known = literal && (!strcmp(literal, "alphabetic") || !strcmp(literal, "traditional"));
    if (literal && !known && !w->forwards)
        GX_TRY(gx_sheet_slip(s, m, node,
                             "the attribute letter-value must be \"alphabetic\" or \"traditional\", not \"%s\"",
                             literal));
    if (literal && known)
        number.letter_value = literal_expr(s, literal, where);
    u32 at = emit(s, GX_I_NUMBER, where, 1);
    INSTR(s, at)->a = gx_builder_push(s->b, &s->b->numbers, &number);
    return GX_OK;
}

/* What stands in for an instruction that is not there: its xsl:fallback children, or an error when it is reached (15).
 * sentence NULL: or nothing. */
static gx_status compile_fallback(gx_sheet *s, u32 node, const gx_within *w, const char *sentence, u32 where)
{
    const gx_module *m = s->module;
    int found = 0;
    for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at])
        if (gx_sheet_kind(m, at) == GX_KIND_ELEM && gx_sheet_name_of(m, at)->xsl == GX_XSL_FALLBACK) {
            gx_within inner = *w;
            GX_TRY(gx_sheet_within(s, s->module, at, &inner));
            GX_TRY(compile_content(s, at, &inner, gx_sheet_first(m, at)));
            found = 1;
        }
    if (!found && sentence)
        emit_error(s, sentence, where);
    return GX_OK;
}

/* Is this the content of a func:function that gives no value, rather than that of a variable or message there? */
static int is_in_function(const gx_sheet *s)
{
    const gx_body_state *body = s->body;
    while (body && (body->kind == GX_B_BRANCH || body->kind == GX_B_FOR_EACH))
        body = body->up;
    return body && body->kind == GX_B_FUNCTION && !s->messages;
}

/* ---- files beside the result ---- */

/* What its attribute says, for engine/output/beside.c: a template, or an expression. */
static gx_status emit_property(gx_sheet *s, u32 node, const gx_within *w, const char *name, const char *text,
                               int is_expression, u32 where)
{
    u32 attribute = emit(s, GX_I_ATTR, where, 0);
    INSTR(s, attribute)->a = gx_builder_qname(s->b, "", name, "");
    u32 expr = GX_NONE;
    gx_status status = is_expression ? compile_expr(s, node, w, text, GX_T_STR, &expr)
                                     : emit_template(s, node, w, text, where);
    if (w->forwards || !is_emitted(s, status, where))
        GX_TRY(status);
    if (expr != GX_NONE) {
        u32 value = emit(s, GX_I_VALUE, where, 1);
        INSTR(s, value)->expr = expr;
    }
    emit_end(s, attribute);
    return GX_OK;
}

/* A file's attributes as what the header's element has for attributes: of exsl:document and xsl:document href and the
 * properties of xsl:output; of redirect:write select, or href, then file. Each is a value that may be computed. */
static gx_status emit_properties(gx_sheet *s, u32 node, const gx_within *w, const gx_beside_spec *spec, u32 where)
{
    static const char *const properties[] = { "method",         "version",
                                              "encoding",       "omit-xml-declaration",
                                              "standalone",     "doctype-public",
                                              "doctype-system", "cdata-section-elements",
                                              "indent",         "media-type" };
    const gx_module *m = s->module;
    const char *href = gx_sheet_attribute(s, m, node, "", "href"), *file = gx_sheet_attribute(s, m, node, "", "file");
    const char *select = spec->is_redirect ? gx_sheet_attribute(s, m, node, "", "select") : NULL;
    if (spec->is_redirect || !href)
        href = file;
    if (select)
        GX_TRY(emit_property(s, node, w, "select", select, 1, where));
    if (href)
        GX_TRY(emit_property(s, node, w, "href", href, 0, where));
    if (spec->is_redirect)
        return emit_property(s, node, w, "file", "", 0, where);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const char *text = gx_sheet_attribute(s, m, node, "", properties[i]);
        if (text)
            GX_TRY(emit_property(s, node, w, properties[i], text, 0, where));
    }
    return GX_OK;
}

/* Why no file can be written as the attributes have it, or NULL */
static const char *cannot_write(const gx_sheet *s, u32 node, const gx_beside_spec *spec)
{
    const gx_module *m = s->module;
    const char *append = gx_sheet_attribute(s, m, node, "", "append");
    const int has_file = gx_sheet_attribute_node(m, node, "", "file") != GX_NONE;
    if (!has_file && gx_sheet_attribute_node(m, node, "", spec->is_redirect ? "select" : "href") == GX_NONE)
        return spec->is_redirect ? " needs the attribute file or select" : " needs the attribute href";
    if (spec->is_redirect && append && strcmp(append, "no") && strcmp(append, "false"))
        return ": nothing can be appended to a file: it is written once, and complete";
    return NULL;
}

/*
 * An instruction that writes a file of its own:
 *
 *   MESSAGE (DOCUMENT), ELEM (DOCUMENT) with an ATTR for each property, END, content, END
 *
 * so that the serialiser meets it where a message would be, with its properties first. Without --write-below it is not
 * available: its xsl:fallback, or an error where it is reached.
 */
static gx_status compile_beside(gx_sheet *s, u32 node, const gx_within *w, const gx_beside_spec *spec, u32 where)
{
    const char *cannot = cannot_write(s, node, spec), *prefix = gx_sheet_prefix(s, s->module, node);
    const char *name = apr_pstrcat(s->pool, prefix, *prefix ? ":" : "", spec->local, NULL);
    if (!s->options->writes)
        return compile_fallback(
            s, node, w,
            apr_psprintf(s->pool,
                         "%s writes a file beside the result: gpuxslt --write-below DIRECTORY does that, httpd "
                         "does not",
                         name),
            where);
    if (is_in_function(s)) {
        emit_error(s, apr_psprintf(s->pool, "%s in a function: only a template can write a file", name), where);
        return GX_OK;
    }
    if (cannot)
        return emit_late_error(s, node, apr_pstrcat(s->pool, name, cannot, NULL), where);
    u32 opening = emit(s, GX_I_MESSAGE, where, 0);
    INSTR(s, opening)->flags = GX_IF_DOCUMENT;
    u32 header = emit(s, GX_I_ELEM, where, 0);
    INSTR(s, header)->flags = GX_IF_DOCUMENT;
    INSTR(s, header)->a = gx_builder_qname(s->b, "", spec->local, "");
    INSTR(s, header)->b = gx_sheet_nslist(s, node, w, 0);
    GX_TRY(emit_properties(s, node, w, spec, where));
    emit_end(s, header);
    s->messages++;
    GX_TRY(compile_content(s, node, w, gx_sheet_first(s->module, node)));
    s->messages--;
    emit_end(s, opening);
    return GX_OK;
}

/* ---- functions (EXSLT, functions) ---- */

/* Does the instruction at `node` write nodes, whatever the document is? Not those that may write none, such as xsl:if,
 * nor xsl:text without text. */
static int writes(const gx_sheet *s, u32 node)
{
    const gx_module *m = s->module;
    switch (gx_sheet_name_of(m, node)->xsl) {
    case GX_XSL_NONE:
    case GX_XSL_ATTRIBUTE:
    case GX_XSL_COMMENT:
    case GX_XSL_COPY:
    case GX_XSL_COPY_OF:
    case GX_XSL_ELEMENT:
    case GX_XSL_NUMBER: case GX_XSL_PI: case GX_XSL_VALUE_OF:
        return 1;
    case GX_XSL_TEXT:
        for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at])
            if (gx_sheet_kind(m, at) == GX_KIND_TEXT)
                return 1;
        return 0;
    default:
        return 0;
    }
}

static void emit_writes(gx_sheet *s, u32 node, const char *what)
{
    emit_error(s,
               apr_psprintf(s->pool, "%s in a function writes to the result: only func:result gives its value", what),
               gx_sheet_where(s, s->module, node));
}

/* func:result: RESULT with an expression; content is made into one by a variable before it. It must be the last thing
 * in its parent, and in a function but in no variable there: GX_ESTYLE. */
static gx_status compile_result(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    gx_module *m = s->module;
    u32 expr, body;
    if (!is_in_function(s))
        return gx_sheet_fail(
            s, m, node,
            "func:result is not allowed here: it must be in func:function, and in no variable or message there");
    GX_TRY(gx_sheet_check_func(s, m, node, "select"));
    for (u32 at = m->next[node]; at < m->next[m->parent[node]]; at = m->next[at]) {
        if (gx_sheet_kind(m, at) == GX_KIND_ELEM ? gx_sheet_name_of(m, at)->xsl != GX_XSL_FALLBACK
                                                 : gx_sheet_is_words(m, at))
            return emit_late_error(s, at, "nothing but xsl:fallback may follow func:result", where);
    }
    GX_TRY(gx_sheet_compile_value(s, node, w, &expr, &body));
    if (body != GX_NONE)
        emit_content(s, body, where, "func:result", &expr);
    u32 at = emit(s, GX_I_RESULT, where, 1);
    INSTR(s, at)->expr = expr;
    return GX_OK;
}

/* ---- dispatch ---- */

/* One instruction of XSLT by its name. What is not allowed here is an error, but for what libxslt lets pass (a slip,
 * with its xsl:fallback), and, with a later version, for elements that 1.0 does not know (2.5). */
static gx_status compile_xslt_instruction(gx_sheet *s, u32 node, const gx_within *w, u32 where)
{
    const gx_sheet_name *name = gx_sheet_name_of(s->module, node);
    if (name->xsl != GX_XSL_UNKNOWN && (gx_sheet_is_instruction(name->xsl) || name->xsl == GX_XSL_PARAM))
        GX_TRY(gx_sheet_check_attributes(s, s->module, node, w, NULL));
    switch (name->xsl) {
    case GX_XSL_APPLY_TEMPLATES: return compile_apply(s, node, w, where);
    case GX_XSL_APPLY_IMPORTS: return compile_apply_imports(s, node, w, where);
    case GX_XSL_CALL_TEMPLATE: return compile_call(s, node, w, where);
    case GX_XSL_FOR_EACH: return compile_for_each(s, node, w, where);
    case GX_XSL_IF: return compile_if(s, node, w, where);
    case GX_XSL_CHOOSE: return compile_choose(s, node, w, where);
    case GX_XSL_VALUE_OF: return compile_value_of(s, node, w, where);
    case GX_XSL_TEXT: return compile_text(s, node, w, where);
    case GX_XSL_ELEMENT: return compile_named_node(s, node, w, where, 1);
    case GX_XSL_ATTRIBUTE: return compile_named_node(s, node, w, where, 0);
    case GX_XSL_COPY: return compile_copy(s, node, w, where);
    case GX_XSL_COPY_OF: return compile_copy_of(s, node, w, where);
    case GX_XSL_COMMENT: return compile_inline(s, node, w, where, GX_I_COMMENT);
    case GX_XSL_PI: return compile_inline(s, node, w, where, GX_I_PI);
    case GX_XSL_MESSAGE: return compile_inline(s, node, w, where, GX_I_MESSAGE);
    case GX_XSL_VARIABLE: return compile_variable(s, node, w, GX_I_VAR);
    case GX_XSL_NUMBER: return compile_number(s, node, w, where);
    case GX_XSL_FALLBACK: return GX_OK;
    case GX_XSL_PARAM:
        return emit_late_error(s, node, apr_psprintf(s->pool, "xsl:param must come first in %s",
                                                     is_in_function(s) ? "func:function" : "xsl:template"), where);
    default: break;
    }
    const char *sentence = name->xsl == GX_XSL_UNKNOWN ? gx_sheet_unknown_element(s, name)
        : name->xsl == GX_XSL_SORT ? "xsl:sort must come first in xsl:for-each, or stand in xsl:apply-templates"
                                   : apr_psprintf(s->pool, "xsl:%s is not allowed here", name->local);
    /* libxslt does what its xsl:fallbacks say, or nothing */
    if (name->xsl == GX_XSL_UNKNOWN && !s->options->strict) {
        GX_TRY(gx_sheet_slip(s, s->module, node, "%s", sentence));
        return compile_fallback(s, node, w, NULL, where);
    }
    if (name->xsl == GX_XSL_SORT && !w->forwards
        && gx_sheet_name_of(s->module, s->module->parent[node])->xsl == GX_XSL_FOR_EACH)
        return emit_late_error(s, node, sentence, where);
    if (!w->forwards)
        return gx_sheet_fail(s, s->module, node, "%s", sentence);
    return compile_fallback(s, node, w, sentence, where);
}

/* One element of a body, whatever it is: func:result, something that a function must not write, a file, an XSLT
 * instruction, an extension element that is not there (its fallback), or a literal element. *w: what holds within
 * it. */
static gx_status compile_one(gx_sheet *s, u32 node, const gx_within *inherited, gx_within *w)
{
    gx_module *m = s->module;
    const gx_sheet_name *name = gx_sheet_name_of(m, node);
    u32 where = gx_sheet_where(s, m, node);
    *w = *inherited;
    GX_TRY(gx_sheet_go_on(s, m, node));
    GX_TRY(gx_sheet_within(s, m, node, w));
    if (gx_sheet_is_func(name, "result") && (is_in_function(s) || gx_sheet_has_uri(w->extension, name->uri)))
        return compile_result(s, node, w, where);
    if (s->user_functions.n && is_in_function(s) && writes(s, node)) {
        emit_writes(s, node, apr_pstrcat(s->pool, name->xsl == GX_XSL_NONE ? "" : "xsl:", name->local, NULL));
        return GX_OK;
    }
    const gx_beside_spec *beside = gx_sheet_beside(name->uri, name->local);
    if (beside && (name->xsl != GX_XSL_NONE || gx_sheet_has_uri(w->extension, name->uri)))
        return compile_beside(s, node, w, beside, where);
    if (name->xsl != GX_XSL_NONE)
        return compile_xslt_instruction(s, node, w, where);
    if (gx_sheet_has_uri(w->extension, name->uri))
        return compile_fallback(s, node, w,
                                apr_psprintf(s->pool, "the extension element %s (%s) is not available", name->local,
                                             name->uri),
                                where);
    return compile_literal_element(s, node, w, where);
}

/* compile_one() with forwards-compatible recovery (2.5): if a static error comes out of it where version says so, all
 * that it emitted is taken back, and one ERROR with the sentence stands in its place. */
static gx_status compile_instruction(gx_sheet *s, u32 node, const gx_within *inherited)
{
    gx_within w;
    gx_body_state *body = s->body;
    u32 scope = s->scope.n;
    if (inherited->forwards)
        flush_text(s);                      /* what follows may be taken back */
    u32 n = body->instrs.n, messages = s->messages;
    gx_status status = compile_one(s, node, inherited, &w);
    if (status != GX_ESTYLE || !w.forwards || !inherited->forwards)
        return status;
    s->body = body;
    s->messages = messages;
    while (s->scope.n > scope)
        drop(s);
    body->instrs.n = n;
    body->text.n = 0;
    emit_error(s, apr_pstrdup(s->pool, s->err->text), gx_sheet_where(s, s->module, node));
    s->err->status = GX_OK;
    return GX_OK;
}

/* The text nodes from *at to the next element, as one: comments and PIs between them are as if they were not there (3).
 * White space is stripped (3.4). Leaves *at at the element. */
static void compile_text_run(gx_sheet *s, u32 node, const gx_within *w, u32 *at)
{
    const gx_module *m = s->module;
    u32 first = *at, white = 1;
    for (; *at < m->next[node] && gx_sheet_kind(m, *at) != GX_KIND_ELEM; *at = m->next[*at])
        white &= !gx_sheet_is_words(m, *at);
    if (is_in_function(s)) {
        if (!white)
            emit_writes(s, node, "text");
        return;
    }
    for (u32 k = first; k < *at && (w->preserve || !white); k = m->next[k])
        if (gx_sheet_kind(m, k) == GX_KIND_TEXT)
            emit_text(s, m->text + m->text_off[k], m->text_len[k], 0, gx_sheet_where(s, m, node));
}

/* The children of node from `from` on, in order, as instructions of the body that is open. Variables that they declare
 * leave the scope at the end. */
static gx_status compile_content(gx_sheet *s, u32 node, const gx_within *w, u32 from)
{
    const gx_module *m = s->module;
    u32 mark = s->scope.n;
    for (u32 at = from; at < m->next[node]; ) {
        if (gx_sheet_kind(m, at) != GX_KIND_ELEM) {
            compile_text_run(s, node, w, &at);
            continue;
        }
        GX_TRY(compile_instruction(s, at, w));
        at = m->next[at];
    }
    leave_scope(s, mark);
    return GX_OK;
}

/* ---- templates, functions, attribute sets ---- */

/* The leading xsl:param children; *from is where the rest begins: behind the last of them, with white space that is
 * preserved. Text before one of them, xsl:text too, is a slip: libxslt passes it over. */
static gx_status compile_params(gx_sheet *s, u32 node, const gx_within *w, u32 *from)
{
    gx_module *m = s->module;
    int is_late = 0;
    for (u32 at = *from; at < m->next[node]; at = m->next[at]) {
        const gx_xsl xsl = gx_sheet_kind(m, at) == GX_KIND_ELEM ? gx_sheet_name_of(m, at)->xsl : GX_XSL_NONE;
        if (gx_sheet_is_words(m, at) || xsl == GX_XSL_TEXT)
            is_late = 1;
        if (gx_sheet_kind(m, at) != GX_KIND_ELEM || xsl == GX_XSL_TEXT)
            continue;
        if (xsl != GX_XSL_PARAM)
            break;
        if (is_late)
            GX_TRY(gx_sheet_slip(s, m, at, "xsl:param must come first in %s",
                                 is_in_function(s) ? "func:function" : "xsl:template"));
        gx_within inner = *w;
        GX_TRY(gx_sheet_within(s, m, at, &inner));
        GX_TRY(gx_sheet_check_attributes(s, m, at, &inner, NULL));
        GX_TRY(compile_variable(s, at, &inner, GX_I_PARAM));
        *from = m->next[at];
    }
    return GX_OK;
}

/* A template or function: its parameters, then the rest of its content. */
static gx_status compile_definition(gx_sheet *s, const gx_declaration *at, u32 body, u32 kind, u32 name)
{
    gx_module *m = s->module = at->module;
    u32 node = at->node, from = gx_sheet_first(m, node);
    gx_within w = m->within;
    gx_body_state state;
    s->body = NULL;
    open_body(s, &state, body, kind, gx_sheet_where(s, m, node));
    state.template_name = name;
    if (gx_sheet_is_simplified(at)) {
        GX_TRY(compile_instruction(s, node, &w));
        return close_body(s);
    }
    GX_TRY(gx_sheet_within(s, m, node, &w));
    GX_TRY(compile_params(s, node, &w, &from));
    GX_TRY(compile_content(s, node, &w, from));
    leave_scope(s, 0);
    return close_body(s);
}

gx_status gx_sheet_compile_template(gx_sheet *s, const gx_template *t)
{
    return compile_definition(s, &t->at, t->body, GX_B_TEMPLATE, t->name);
}

gx_status gx_sheet_compile_function(gx_sheet *s, const gx_user_function *f, u32 name)
{
    return compile_definition(s, &f->at, f->body, GX_B_FUNCTION, name);
}

/* The body of an attribute set: of all definitions of its name, lowest import precedence first, so that a later
 * attribute replaces an earlier one: the sets that each uses, then its xsl:attributes. Other children are slips. */
gx_status gx_sheet_compile_attribute_set(gx_sheet *s, const gx_declaration *definitions, u32 n, u32 body)
{
    gx_body_state state;
    s->body = NULL;
    open_body(s, &state, body, GX_B_ATTRIBUTE_SET, gx_sheet_where(s, definitions->module, definitions->node));
    for (u32 i = 0; i < n; i++) {           /* a later attribute replaces an earlier one of its name: higher precedences
                                               come last */
        gx_module *m = s->module = definitions[i].module;
        u32 node = definitions[i].node;
        gx_within w = m->within;
        GX_TRY(gx_sheet_within(s, m, node, &w));
        GX_TRY(compile_set_calls(s, node, "", gx_sheet_where(s, m, node)));
        for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at]) {
            int is_element = gx_sheet_kind(m, at) == GX_KIND_ELEM;
            const int is_attribute = is_element && gx_sheet_name_of(m, at)->xsl == GX_XSL_ATTRIBUTE;
            if (is_element ? !is_attribute : gx_sheet_is_words(m, at))  /* whatever it holds: libxslt does not look */
                GX_TRY(gx_sheet_slip(s, m, at, "%s", misplaced(s, at, node)));
            if (is_attribute)
                GX_TRY(compile_instruction(s, at, &w));
        }
    }
    return close_body(s);
}

/* A mode's built-in rule for the root and elements (5.8): apply-templates to the children. */
gx_status gx_sheet_compile_builtin(gx_sheet *s, u32 mode, u32 body)
{
    gx_body_state state;
    s->body = NULL;
    open_body(s, &state, body, GX_B_TEMPLATE, 0);
    u32 at = emit(s, GX_I_APPLY, 0, 1);
    INSTR(s, at)->expr = s->node_select;
    INSTR(s, at)->a = mode;
    return close_body(s);
}

static int env_the_global(void *ctx, const char *uri, const char *local, gx_variable *out)
{
    (void)uri, (void)local;
    *out = *(const gx_variable *)ctx;
    return 1;
}

/* The body that a program begins with where global variables have messages or errors in their content: it copies each
 * into a variable that nobody reads, so that the serialiser comes by, and then applies templates to the root. */
gx_status gx_sheet_compile_start(gx_sheet *s, const u32 *globals, u32 n, u32 body)
{
    gx_body_state state, content;
    u32 copies = gx_sheet_reserve_body(s), root;
    gx_variable global = { .global = 1, .type = GX_T_ANY };
    gx_xpath_env env = { .b = s->b, .file = "", .ctx = &global, .variable = env_the_global, .base_uri = "",
                         .nslist = gx_builder_nslist(s->b, NULL, 0) };
    s->body = NULL;
    open_body(s, &state, body, GX_B_TEMPLATE, 0);
    open_body(s, &content, copies, GX_B_CONTENT, 0);
    for (u32 i = 0; i < n; i++) {
        u32 copy = emit(s, GX_I_COPY_OF, 0, 1), expr;
        global.index = globals[i];
        GX_TRY(gx_xpath_compile(&env, "$global", GX_T_ANY, &expr));
        INSTR(s, copy)->expr = expr;
    }
    GX_TRY(close_body(s));
    u32 variable = emit(s, GX_I_VAR, 0, 0);
    INSTR(s, variable)->a = copies;
    INSTR(s, variable)->b = s->body->n_vars++;
    GX_TRY(gx_xpath_compile(&env, ".", GX_T_SET, &root));
    u32 apply = emit(s, GX_I_APPLY, 0, 1);
    INSTR(s, apply)->expr = root;
    return close_body(s);
}
