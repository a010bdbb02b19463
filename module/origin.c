/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.c -- where variables of the environment come from: can a cache tell the requests apart in which they differ?
 *
 * SetEnvIf sets a variable by a header, which Vary can name, or by an address, which nothing can. Nothing at run time
 * says which it was, but the configuration does: it is a tree of directives that stays while httpd serves. For each
 * variable that an expression of ours reads (and the two that we read ourselves) the tree is searched once, when it is
 * complete. A variable counts as set by headers only if every directive that may set it is one of these, and there is
 * at least one:
 *
 *   SetEnv, UnsetEnv, PassEnv                   the same for everybody
 *   SetEnvIf, BrowserMatch, ...NoCase           a header, the URI or the method; or another such variable
 *   SetEnvIfExpr                                what the expression reads
 *   RewriteRule with [E=name:...]               the URL, while there is no RewriteCond and the value has no %
 *
 * and none of them stands in an <If>. All else is hidden: addresses, certificates, what modules set by themselves, what
 * an .htaccess file may have set (gxm_depend looks at that), and variables whose names stand in directives that are not
 * known here. So a page is taken for one that differs by user rather once too often; GPUXMLPrivate off says that it
 * does not.
 */
#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <util_cfgtree.h>
#include "expr.h"
#include "module.h"

typedef struct origin {
    int n_setters;
    int is_by_request;          /* at least one is none of SetEnv's */
    gxm_reads reads;
    int is_found;               /* the tree was searched for it */
} origin;

typedef struct search {
    apr_pool_t *pool, *ptemp;
    const char *name;
    origin *out;
    int has_conditions;         /* there is a RewriteCond */
    int depth;                  /* of variables that depend on each other */
} search;

static apr_hash_t *origins;     /* name -> origin; of pconf. Read only once the configuration has been read */

void gxm_origins_reset(void) { origins = NULL; }

void gxm_origin_want(apr_pool_t *pconf, const char *name)
{
    if (!origins)
        origins = apr_hash_make(pconf);
    if (!apr_hash_get(origins, name, APR_HASH_KEY_STRING))
        apr_hash_set(origins, apr_pstrdup(pconf, name), APR_HASH_KEY_STRING, apr_pcalloc(pconf, sizeof(origin)));
}

static void hide(search *s, const char *why)
{
    if (!s->out->reads.hidden)
        s->out->reads.hidden = apr_psprintf(s->pool, "%s (%s)", s->name, why);
}

static void by_header(search *s, const char *header)
{
    if (!s->out->reads.headers)
        s->out->reads.headers = apr_array_make(s->pool, 2, sizeof(const char *));
    APR_ARRAY_PUSH(s->out->reads.headers, const char *) = apr_pstrdup(s->pool, header);
}

static int is_name_char(char c) { return apr_isalnum(c) || c == '_' || c == '-'; }

/* Stands the name in text as a word? */
static int has_word(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_name_char(at[-1])) && !is_name_char(at[n]))
            return 1;
    return 0;
}

/* One of the variables that the rest of a SetEnvIf sets: name, !name, name=value */
static int sets(apr_pool_t *p, const char *args, const char *name)
{
    const size_t n = strlen(name);
    while (*args) {
        const char *word = ap_getword_conf(p, &args);
        word += *word == '!';
        if (strncmp(word, name, n) == 0 && (!word[n] || word[n] == '='))
            return 1;
    }
    return 0;
}

static int is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(name, *list) == 0)
            return 1;
    return 0;
}

static void look_at(search *s, const ap_directive_t *d, int in_if);

static void search_tree(search *s, const ap_directive_t *d, int in_if)
{
    for (; d; d = d->next) {
        look_at(s, d, in_if);
        if (d->first_child)
            search_tree(s, d->first_child,
                        in_if || strncasecmp(d->directive, "<If", 3) == 0
                            || strncasecmp(d->directive, "<Else", 5) == 0);
    }
}

/* SetEnvIf's attribute: a header, a variable that was set before, or what the request is */
static void by_attribute(search *s, const char *attribute)
{
    static const char *const same[] = { "Request_URI", "Request_Method", NULL };
    static const char *const hidden[] = { "Remote_Host", "Remote_Addr",      "Remote_User",
                                          "Server_Addr", "Request_Protocol", NULL };
    const char *c = attribute;
    search other = *s;
    if (is_one_of(attribute, same))
        return;
    while (is_name_char(*c))
        c++;
    if (*c || is_one_of(attribute, hidden) || s->depth > 8) {       /* a pattern of headers' names, OID(...) */
        hide(s, apr_pstrcat(s->ptemp, "by ", attribute, NULL));
        return;
    }
    by_header(s, attribute);
    other.name = attribute;
    other.depth++;
    search_tree(&other, ap_conftree, 0);
}

static void by_rewrite(search *s, const char *args)
{
    const char *flags = strrchr(args, '['), *at;
    const size_t n = strlen(s->name);
    for (at = flags; at && *at && *at != ']'; at = at + 1 + strcspn(at + 1, ",]")) {
        const char *f = at + 1 + strspn(at + 1, " \t");
        f += strncasecmp(f, "env=", 4) == 0 ? 4 : strncasecmp(f, "E=", 2) == 0 ? 2 : strlen(f);
        f += *f == '!';
        if (strncmp(f, s->name, n) != 0 || (f[n] && f[n] != ':' && f[n] != ',' && f[n] != ']'))
            continue;
        s->out->n_setters++;
        s->out->is_by_request = 1;
        if (s->has_conditions || memchr(f, '%', strcspn(f, ",]")))
            hide(s, "by a RewriteRule");
    }
}

/* May this directive set the variable, and what does its value depend on? What is sure is noted as what is read, such
 * as the header of a SetEnvIf; all others that have the name among their arguments hide where it comes from, and then
 * caches cannot tell requests apart. in_if: it is within an <If>, so even a fixed value is by request. */
static void look_at(search *s, const ap_directive_t *d, int in_if)
{
    static const char *const fixed[] = { "SetEnv", "UnsetEnv", "PassEnv", NULL };
    static const char *const by_attr[] = { "SetEnvIf", "SetEnvIfNoCase", NULL },
                             *const by_browser[] = { "BrowserMatch", "BrowserMatchNoCase", NULL };
    static const char *const readers[] = { "LogFormat",
                                           "CustomLog",
                                           "ErrorLogFormat",
                                           "Header",
                                           "RequestHeader",
                                           "RewriteCond",
                                           "Require",
                                           "Allow",
                                           "Deny",
                                           "FilterProvider",
                                           "<If",
                                           "<ElseIf",
                                           "AllowOverrideList",
                                           "AuthzProviderAlias",
                                           NULL };
    const char *args = d->args ? d->args : "", *first;
    const int is_browser = is_one_of(d->directive, by_browser), is_attr = is_one_of(d->directive, by_attr);
    int is_set = 0;
    if (!has_word(args, s->name) || is_one_of(d->directive, readers) || strncasecmp(d->directive, "GPUXML", 6) == 0)
        return;
    if (strcasecmp(d->directive, "RewriteRule") == 0) {
        by_rewrite(s, args);
        is_set = in_if;
    }
    else if (is_one_of(d->directive, fixed))
        is_set = sets(s->ptemp, args, s->name);
    else if (is_attr || is_browser || strcasecmp(d->directive, "SetEnvIfExpr") == 0) {
        first = is_browser ? "User-Agent" : ap_getword_conf(s->ptemp, &args);
        if (is_attr || is_browser)
            ap_getword_conf(s->ptemp, &args);           /* the pattern */
        is_set = sets(s->ptemp, args, s->name);
        if (is_set) {
            s->out->is_by_request = 1;
            if (is_attr || is_browser)
                by_attribute(s, first);
            else if (gxm_reads_of(s->pool, s->ptemp, first, &s->out->reads) || s->out->reads.env
                     || s->out->reads.has_computed)
                hide(s, "by SetEnvIfExpr");
        }
    }
    else if (*d->directive != '<') {
        s->out->is_by_request = is_set = 1;
        hide(s, apr_pstrcat(s->ptemp, "perhaps by ", d->directive, NULL));
    }
    s->out->n_setters += is_set;
    if (is_set && in_if) {
        s->out->is_by_request = 1;
        hide(s, "in an <If>");
    }
}

static int has_directive(const ap_directive_t *d, const char *name)
{
    for (; d; d = d->next)
        if (strcasecmp(d->directive, name) == 0 || has_directive(d->first_child, name))
            return 1;
    return 0;
}

void gxm_origins_find(apr_pool_t *pconf, apr_pool_t *ptemp)
{
    gxm_origin_want(pconf, "no-gpuxml");
    gxm_origin_want(pconf, "force-gpuxml");
    for (apr_hash_index_t *i = apr_hash_first(ptemp, origins); i; i = apr_hash_next(i)) {
        search s = {
            pconf, ptemp, apr_hash_this_key(i), apr_hash_this_val(i), has_directive(ap_conftree, "RewriteCond"), 0
        };
        search_tree(&s, ap_conftree, 0);
        s.out->is_found = 1;
    }
}

int gxm_origin_of(const char *name, const char **hidden, const apr_array_header_t **headers)
{
    const origin *o = origins ? apr_hash_get(origins, name, APR_HASH_KEY_STRING) : NULL;
    *headers = o ? o->reads.headers : NULL;
    *hidden = o && o->is_found && o->n_setters ? o->reads.hidden : name;
    return o && o->is_by_request;
}
