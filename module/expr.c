/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr.c -- httpd's expressions in our directives: parsed, and evaluated for a request, whose response then depends on
 * what they read (reads.c)
 */
#include <apr_strings.h>
#include "depend.h"
#include "expr.h"

gxm_expr *gxm_expr_parse(cmd_parms *cmd, const char *text, unsigned flags, const char **err)
{
    gxm_expr *expr = apr_pcalloc(cmd->pool, sizeof *expr);
    gxm_reads_begin(&expr->reads, cmd->pool);
    expr->info = ap_expr_parse_cmd(cmd, text, flags, err, gxm_reads_look_up);
    gxm_reads_begin(NULL, NULL);
    if (*err)
        return NULL;
    for (int i = 0; expr->reads.env && i < expr->reads.env->nelts && ap_check_cmd_context(cmd, NOT_IN_HTACCESS) == NULL;
         i++)
        gxm_origin_want(cmd->pool, APR_ARRAY_IDX(expr->reads.env, i, const char *));
    return expr;
}

/* ---- evaluating ---- */

static void begin(request_rec *r, const gxm_expr *expr, const char **err, ap_expr_eval_ctx_t *eval)
{
    *err = NULL;
    memset(eval, 0, sizeof *eval);
    eval->r = r;
    eval->c = r->connection;
    eval->s = r->server;
    eval->p = r->pool;
    eval->err = err;
    eval->info = expr->info;
}

const char *gxm_expr_string(request_rec *r, const gxm_expr *expr, const char **err)
{
    const char *value = NULL, *vary = NULL;
    ap_expr_eval_ctx_t eval;
    begin(r, expr, err, &eval);
    eval.vary_this = &vary;             /* ap_expr_str_exec leaves Vary alone for strings */
    eval.result_string = &value;
    if (ap_expr_exec_ctx(&eval) < 0 && !*err)
        *err = "the expression cannot be evaluated";
    gxm_depend(r, &expr->reads, vary);
    return *err ? NULL : value ? value : "";
}

int gxm_expr_is_true(request_rec *r, const gxm_expr *expr, const char **err)
{
    const char *matched = NULL, *vary = NULL;
    ap_regmatch_t matches[AP_MAX_REG_MATCH];
    ap_expr_eval_ctx_t eval;
    int yes;
    begin(r, expr, err, &eval);
    eval.re_pmatch = matches;
    eval.re_nmatch = AP_MAX_REG_MATCH;
    eval.re_source = &matched;
    eval.vary_this = &vary;
    yes = ap_expr_exec_ctx(&eval) > 0;
    gxm_depend(r, &expr->reads, vary);
    return yes;
}

int gxm_expr_is_false_now(request_rec *r, const gxm_expr *expr)
{
    const char *err, *matched = NULL;
    ap_regmatch_t matches[AP_MAX_REG_MATCH];
    ap_expr_eval_ctx_t eval;
    begin(r, expr, &err, &eval);
    eval.re_pmatch = matches;
    eval.re_nmatch = AP_MAX_REG_MATCH;
    eval.re_source = &matched;
    return ap_expr_exec_ctx(&eval) == 0 && !err;
}
