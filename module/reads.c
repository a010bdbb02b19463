/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reads.c -- what an expression of httpd's reads, and so what a page depends on that it decides about
 *
 * A cache finds a page by its URL and by the request's headers that Vary names. httpd tells which headers an expression
 * reads while it is evaluated. Whatever else tells one client from another - its address, its user, a certificate, a
 * cookie behind SetEnvIf - no cache sees, so such a page must not be kept for others.
 *
 * What an expression may read is known when it is parsed: the parser asks a function of ours for each variable,
 * function and operator in it, which asks httpd's. Everything that is not listed below as the same for everybody is
 * taken for hidden, modules' own variables among it. What is hidden counts also where an expression was evaluated only
 * in part (a && b): too few pages are shared rather than too many.
 */
#include <apr_strings.h>
#include "module.h"
#include "expr.h"

enum { SAME = 1, HEADER, BY_NAME, ENVIRONMENT };

typedef struct known { int type; const char *name; int is; } known;
static const known table[] = {
    /* of the URL, the configuration, the file, the response so far; the clock is the same for everybody */
    { AP_EXPR_FUNC_VAR, "REQUEST_METHOD", SAME },
    { AP_EXPR_FUNC_VAR, "REQUEST_SCHEME", SAME },
    { AP_EXPR_FUNC_VAR, "REQUEST_URI", SAME },
    { AP_EXPR_FUNC_VAR, "DOCUMENT_URI", SAME },
    { AP_EXPR_FUNC_VAR, "REQUEST_FILENAME", SAME },
    { AP_EXPR_FUNC_VAR, "SCRIPT_FILENAME", SAME },
    { AP_EXPR_FUNC_VAR, "LAST_MODIFIED", SAME },
    { AP_EXPR_FUNC_VAR, "SCRIPT_USER", SAME },
    { AP_EXPR_FUNC_VAR, "SCRIPT_GROUP", SAME },
    { AP_EXPR_FUNC_VAR, "PATH_INFO", SAME },
    { AP_EXPR_FUNC_VAR, "QUERY_STRING", SAME },
    { AP_EXPR_FUNC_VAR, "IS_SUBREQ", SAME },
    { AP_EXPR_FUNC_VAR, "THE_REQUEST", SAME },
    { AP_EXPR_FUNC_VAR, "REQUEST_STATUS", SAME },
    { AP_EXPR_FUNC_VAR, "SERVER_ADMIN", SAME },
    { AP_EXPR_FUNC_VAR, "SERVER_NAME", SAME },
    { AP_EXPR_FUNC_VAR, "SERVER_PORT", SAME },
    { AP_EXPR_FUNC_VAR, "DOCUMENT_ROOT", SAME },
    { AP_EXPR_FUNC_VAR, "HANDLER", SAME },
    { AP_EXPR_FUNC_VAR, "CONTENT_TYPE", SAME },
    { AP_EXPR_FUNC_VAR, "CONTEXT_PREFIX", SAME },
    { AP_EXPR_FUNC_VAR, "CONTEXT_DOCUMENT_ROOT", SAME },
    { AP_EXPR_FUNC_VAR, "HTTPS", SAME },
    { AP_EXPR_FUNC_VAR, "SERVER_SOFTWARE", SAME },
    { AP_EXPR_FUNC_VAR, "API_VERSION", SAME },
    { AP_EXPR_FUNC_VAR, "TIME", SAME },
    { AP_EXPR_FUNC_VAR, "TIME_YEAR", SAME },
    { AP_EXPR_FUNC_VAR, "TIME_MON", SAME },
    { AP_EXPR_FUNC_VAR, "TIME_DAY", SAME },
    { AP_EXPR_FUNC_VAR, "TIME_HOUR", SAME },
    { AP_EXPR_FUNC_VAR, "TIME_MIN", SAME },
    { AP_EXPR_FUNC_VAR, "TIME_SEC", SAME },
    { AP_EXPR_FUNC_VAR, "TIME_WDAY", SAME },
    { AP_EXPR_FUNC_VAR, "HTTP_ACCEPT", HEADER },
    { AP_EXPR_FUNC_VAR, "HTTP_COOKIE", HEADER },
    { AP_EXPR_FUNC_VAR, "HTTP_FORWARDED", HEADER },
    { AP_EXPR_FUNC_VAR, "HTTP_HOST", HEADER },
    { AP_EXPR_FUNC_VAR, "HTTP_PROXY_CONNECTION", HEADER },
    { AP_EXPR_FUNC_VAR, "HTTP_REFERER", HEADER },
    { AP_EXPR_FUNC_VAR, "HTTP_USER_AGENT", HEADER },
    { AP_EXPR_FUNC_STRING, "req", BY_NAME },
    { AP_EXPR_FUNC_STRING, "http", BY_NAME },
    { AP_EXPR_FUNC_STRING, "req_novary", SAME }, /* who writes that wants no Vary */
    { AP_EXPR_FUNC_STRING, "reqenv", ENVIRONMENT },
    { AP_EXPR_FUNC_STRING, "env", ENVIRONMENT },
    { AP_EXPR_FUNC_STRING, "osenv", SAME },
    { AP_EXPR_FUNC_STRING, "resp", SAME },
    { AP_EXPR_FUNC_STRING, "tolower", SAME },
    { AP_EXPR_FUNC_STRING, "toupper", SAME },
    { AP_EXPR_FUNC_STRING, "escape", SAME },
    { AP_EXPR_FUNC_STRING, "unescape", SAME },
    { AP_EXPR_FUNC_STRING, "base64", SAME },
    { AP_EXPR_FUNC_STRING, "unbase64", SAME },
    { AP_EXPR_FUNC_STRING, "sha1", SAME },
    { AP_EXPR_FUNC_STRING, "md5", SAME },
    { AP_EXPR_FUNC_STRING, "ldap", SAME },
    { AP_EXPR_FUNC_STRING, "replace", SAME },
    { AP_EXPR_FUNC_STRING, "file", SAME },
    { AP_EXPR_FUNC_STRING, "filesize", SAME },
    { AP_EXPR_FUNC_STRING, "filemod", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "n", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "z", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "T", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "d", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "e", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "f", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "s", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "L", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "h", SAME },
    { AP_EXPR_FUNC_OP_UNARY, "x", SAME }, /* not -R (an address), nor -F, -U, -A: what this client may have */
    { AP_EXPR_FUNC_OP_BINARY, "ipmatch", SAME },
    { AP_EXPR_FUNC_OP_BINARY, "fnmatch", SAME },
    { AP_EXPR_FUNC_OP_BINARY, "strmatch", SAME },
    { AP_EXPR_FUNC_OP_BINARY, "strcmatch", SAME }, /* of what their operands read */
};

/* What the thread that parses an expression has met so far: .htaccess files are read while others are served. */
static _Thread_local struct { gxm_reads *reads; apr_pool_t *pool; } parsing;

void gxm_reads_begin(gxm_reads *reads, apr_pool_t *pool)
{
    parsing.reads = reads;
    parsing.pool = pool;
}

static void add(apr_array_header_t **list, const char *name)
{
    if (!*list)
        *list = apr_array_make(parsing.pool, 2, sizeof(const char *));
    APR_ARRAY_PUSH(*list, const char *) = apr_pstrdup(parsing.pool, name);
}

/* What an expression reads, from its parser's question for one function or variable: environment, a header, nothing
 * that differs (the table), or something hidden, of which the first is kept for a sentence. */
static void note(const ap_expr_lookup_parms *parms)
{
    static const char prefix[] = "HTTP_";
    gxm_reads *reads = parsing.reads;
    int is = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table && !is; i++)
        if (table[i].type == parms->type
            && (parms->type == AP_EXPR_FUNC_OP_UNARY ? strcmp(table[i].name, parms->name)
                                                     : strcasecmp(table[i].name, parms->name))
                == 0)
            is = table[i].is;
    if (is == ENVIRONMENT && parms->arg)
        add(&reads->env, parms->arg);
    else if (is == BY_NAME && parms->arg)
        add(&reads->headers, parms->arg);
    else if (is == HEADER) {
        char *name = apr_pstrdup(parsing.pool, parms->name + sizeof prefix - 1);
        for (char *c = name; *c; c++)           /* USER_AGENT: User-Agent */
            *c = *c == '_' ? '-' : c == name || c[-1] == '-' ? *c : apr_tolower(*c);
        add(&reads->headers, name);
    }
    else if (is == BY_NAME)
        reads->has_computed = 1;
    else if (is != SAME && !reads->hidden)
        reads->hidden =
            apr_pstrcat(parsing.pool,
                        parms->type == AP_EXPR_FUNC_OP_UNARY || parms->type == AP_EXPR_FUNC_OP_BINARY ? "-" : "",
                        parms->name, NULL);
}

int gxm_reads_look_up(ap_expr_lookup_parms *parms)
{
    note(parms);
    return ap_expr_lookup_default(parms);
}

const char *gxm_reads_of(apr_pool_t *p, apr_pool_t *ptemp, const char *text, gxm_reads *reads)
{
    ap_expr_info_t info;
    const char *err;
    memset(&info, 0, sizeof info);
    info.filename = "";
    info.module_index = APLOG_MODULE_INDEX;
    gxm_reads_begin(reads, p);
    err = ap_expr_parse(ptemp, ptemp, &info, text, gxm_reads_look_up);
    gxm_reads_begin(NULL, NULL);
    return err;
}
