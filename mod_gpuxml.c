/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mod_gpuxml.c -- XSLT 1.0 and XPath 1.0 for httpd's responses: the directives and hooks (the filter is in module/)
 *
 *     <Location "/catalog/">
 *         GPUXMLStylesheet conf/xsl/catalog.xsl
 *         GPUXMLParam lang "%{HTTP:Accept-Language}"
 *     </Location>
 *
 * One filter, GPUXSLT (GPUXPATH for selections), replaces an XML response by what the stylesheet makes of it.
 * docs/reference/directives.md says what each directive means, docs/reference/messages.md what the error log does;
 * t/02-docs.t holds both to the sources.
 */
#include <pthread.h>
#include <apr_user.h>
#include <ap_mpm.h>
#include <mpm_common.h>
#include <http_main.h>
#include "document/names.h"
#include "module/module.h"
#include "module/cache.h"
#include "module/match.h"
#include "module/media.h"
#include "module/results.h"
#include "module/section.h"
#include "module/stored.h"
#include "module/worker.h"

/* ---- configuration: create and merge ----------------------------------------------------------------------------- */

static void *create_dir(apr_pool_t *p, char *dir)
{
    gxm_dir *conf = apr_pcalloc(p, sizeof *conf);
    (void)dir;
    conf->pi = conf->pi_fetches = conf->is_private = conf->etag = conf->last_modified = conf->debug = GXM_UNSET;
    conf->external_ignore = conf->external_files = conf->html_entities = conf->lenient = conf->strict =
        conf->no_doctype = conf->documents = GXM_UNSET;
    conf->xinclude = conf->start = conf->keeps_results = conf->matches_requests = GXM_UNSET;
    return conf;
}

static void merge_limits(gx_limits *out, const gx_limits *base, const gx_limits *add)
{
#define MERGE(field) out->field = add->field ? add->field : base->field;
    GXM_EACH_LIMIT(MERGE)
#undef MERGE
}

/* add's parameters win over base's of the same name */
static apr_array_header_t *merge_params(apr_pool_t *p, const apr_array_header_t *base, const apr_array_header_t *add)
{
    apr_array_header_t *out;
    if (!base || !add)
        return (apr_array_header_t *)(add ? add : base);
    out = apr_array_copy(p, add);
    for (int i = 0; i < base->nelts; i++) {
        const gxm_param_conf *param = &APR_ARRAY_IDX(base, i, gxm_param_conf);
        int k;
        for (k = 0; k < add->nelts && strcmp(param->name, APR_ARRAY_IDX(add, k, gxm_param_conf).name) != 0; k++)
            ;
        if (k == add->nelts)
            APR_ARRAY_PUSH(out, gxm_param_conf) = *param;
    }
    return out;
}

static void *merge_dir(apr_pool_t *p, void *basev, void *addv)
{
    const gxm_dir *base = basev, *add = addv;
    gxm_dir *out = apr_pmemdup(p, add, sizeof *out);
    if (!add->sheets) {         /* the inner section's stylesheet or selection replaces all of the outer's;
                                   GPUXMLStylesheetFor comes before it */
        if (!add->by_root || !base->is_select) {
            out->sheets = base->sheets;
            out->is_select = base->is_select;
            out->select_xml = base->select_xml;
            out->select_wrapper = base->select_wrapper;
        }
        if (base->by_root) {
            out->by_root = add->by_root ? apr_array_append(p, add->by_root, base->by_root) : base->by_root;
            out->last_by_root = base->last_by_root;
        }
    }
    if (!add->profiles) {
        out->profiles = base->profiles;
        out->profiles_at = base->profiles_at;
    }
    if (!add->profiles_root)
        out->profiles_root = base->profiles_root;
    out->params = merge_params(p, base->params, add->params);
    if (!add->types)
        out->types = base->types;
    if (!add->when)
        out->when = base->when;
    merge_limits(&out->limits, &base->limits, &add->limits);
    gxm_limits_lower(&out->lower, &base->lower);
    merge_limits(&out->wanted, &base->wanted, &add->wanted);
    if (!add->htaccess)
        out->htaccess = base->htaccess;
    if (!add->timeout_wanted_us)
        out->timeout_wanted_us = base->timeout_wanted_us;
    if (!add->timeout_us)
        out->timeout_us = base->timeout_us;
    if (!add->timeout_lower_us || (base->timeout_lower_us && base->timeout_lower_us < add->timeout_lower_us))
        out->timeout_lower_us = base->timeout_lower_us;
    for (int i = 0; i < GXM_N_CLASSES; i++)
        if (!add->on_error[i])
            out->on_error[i] = base->on_error[i];
#define INHERIT(field) if (add->field == GXM_UNSET) out->field = base->field;
    INHERIT(pi)
    INHERIT(is_private) INHERIT(pi_fetches) INHERIT(etag) INHERIT(keeps_results)
    INHERIT(last_modified) INHERIT(debug) INHERIT(external_ignore) INHERIT(external_files) INHERIT(html_entities)
    INHERIT(matches_requests)
    INHERIT(lenient) INHERIT(strict) INHERIT(no_doctype) INHERIT(documents) INHERIT(xinclude) INHERIT(start)
#undef INHERIT
                if (!add->out_type) out->out_type = base->out_type;
    if (!add->out_charset)
        out->out_charset = base->out_charset;
    return out;
}

static void *create_server(apr_pool_t *p, server_rec *s)
{
    gxm_server *conf = apr_pcalloc(p, sizeof *conf);
    (void)s;
    conf->check_us = 1000000;
    return conf;
}

static void *merge_server(apr_pool_t *p, void *basev, void *addv)
{
    const gxm_server *base = basev, *add = addv;
    gxm_server *out = apr_pmemdup(p, add, sizeof *out);
    if (!add->roots)
        out->roots = base->roots;
    if (!add->catalogs)
        out->catalogs = base->catalogs;
    if (!add->stores)
        out->stores = base->stores;
    else if (base->stores) /* the virtual host's first: it may have a store of the same name */
        out->stores = apr_array_append(p, add->stores, base->stores);
    if (!add->vendor) {
        out->vendor = base->vendor;
        out->vendor_url = base->vendor_url;
    }
    if (!add->check_set)
        out->check_us = base->check_us;
    return out;
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

#ifndef AP_EXPR_FLAG_RESTRICTED_FILE_FUNC /* httpd before 2.4.68: this one forbids them too, and whether a file is \
                                             there */
#define AP_EXPR_FLAG_RESTRICTED_FILE_FUNC AP_EXPR_FLAG_RESTRICTED
#endif

static int in_htaccess(cmd_parms *cmd) { return ap_check_cmd_context(cmd, NOT_IN_HTACCESS) != NULL; }

static const char *parse_string(cmd_parms *cmd, const char *text, gxm_expr **expr)
{
    const char *err = NULL;
    *expr = NULL;
    if (strstr(text, "%{"))
        *expr = gxm_expr_parse(cmd, text,
            AP_EXPR_FLAG_STRING_RESULT | (in_htaccess(cmd) ? AP_EXPR_FLAG_RESTRICTED_FILE_FUNC : 0), &err);
    return err ? apr_psprintf(cmd->pool, "%s: %s", cmd->cmd->name, err) : NULL;
}

/* This section's list, which may be asked for before anything is in it */
static apr_array_header_t *list_of(cmd_parms *cmd, apr_array_header_t **list)
{
    if (!*list)
        *list = apr_array_make(cmd->pool, 4, sizeof(gx_param));
    return *list;
}

/* What a directive names, each to be the source of the next. NULL and *out, or what is wrong. */
static const char *parse_sheets(cmd_parms *cmd, gxm_dir *dir, int argc, char *const argv[], apr_array_header_t **out)
{
    const char *name = cmd->cmd->name;
    apr_array_header_t *sheets = apr_array_make(cmd->pool, argc, sizeof(gxm_named));
    if (argc < 1)
        return apr_psprintf(cmd->pool,
                            "%s takes the path of a stylesheet, or several, each for what the one before makes", name);
    if (argc > GXM_MAX_SHEETS)
        return apr_psprintf(cmd->pool, "%s takes at most %d stylesheets", name, GXM_MAX_SHEETS);
    for (int i = 0; i < argc; i++) {
        gxm_named *named = apr_array_push(sheets);
        const char *path = NULL, *err = parse_string(cmd, argv[i], &named->expr);
        if (err)
            return err;
        if (!named->expr && strstr(argv[i], "://"))
            return apr_psprintf(cmd->pool, "%s takes the path of a file, no URL: nothing is fetched from a network",
                                name);
        if (named->expr)
            gxm_conf.names_by_request |= !in_htaccess(cmd);
        else if (in_htaccess(cmd))
            named->value = argv[i];
        else if (!(path = ap_server_root_relative(cmd->pool, argv[i])))
            return apr_psprintf(cmd->pool, "%s: \"%s\" is no path", name, argv[i]);
        if (path)
            named->sheet = gxm_sheet_declare(cmd, path, list_of(cmd, &dir->xpath_params), dir);
    }
    *out = sheets;
    return NULL;
}

static const char excludes[] =
    "GPUXMLSelect and stylesheets (GPUXMLStylesheet, GPUXMLStylesheetFor) exclude each other";

static const char *set_stylesheet(cmd_parms *cmd, void *dirv, int argc, char *const argv[])
{
    gxm_dir *dir = dirv;
    return dir->is_select ? excludes : parse_sheets(cmd, dir, argc, argv, &dir->sheets);
}

/* GPUXMLStylesheetFor name file ...; name: local or {uri}local */
static const char *set_stylesheet_for(cmd_parms *cmd, void *dirv, int argc, char *const argv[])
{
    gxm_dir *dir = dirv;
    gxm_by_root rule = { "", argc ? argv[0] : "", NULL };
    const char *close = *rule.local == '{' ? strchr(rule.local, '}') : NULL, *err;
    apr_array_header_t *sheets;
    if (dir->is_select)
        return excludes;
    if (close) {
        rule.uri = apr_pstrmemdup(cmd->pool, rule.local + 1, (apr_size_t)(close - rule.local - 1));
        rule.local = close + 1;
    }
    if (argc < 2 || !gx_is_ncname(rule.local, (u32)strlen(rule.local)))
        return "GPUXMLStylesheetFor takes the document element's name, local or {uri}local, and the path of a "
               "stylesheet or several";
    err = parse_sheets(cmd, dir, argc - 1, argv + 1, &sheets);
    if (err)
        return err;
    rule.sheets = sheets;
    if (!dir->by_root) {
        dir->by_root = apr_array_make(cmd->pool, 4, sizeof(gxm_by_root));
        dir->last_by_root = apr_pcalloc(cmd->pool, sizeof *dir->last_by_root);
    }
    APR_ARRAY_PUSH(dir->by_root, gxm_by_root) = rule;
    return NULL;
}

/* GPUXMLSelect expr [as xml|text [wrapper]] */
static const char *set_select(cmd_parms *cmd, void *dirv, int argc, char *const argv[])
{
    static const char usage[] =
        "GPUXMLSelect takes an XPath expression (in quotes, if it has spaces), then perhaps: as text, as xml, or as "
        "xml and an element name";
    gxm_dir *dir = dirv;
    if (argc < 1 || argc == 2 || argc > 4 || (argc > 1 && strcasecmp(argv[1], "as") != 0))
        return usage;
    if ((dir->sheets && !dir->is_select) || dir->by_root)
        return excludes;
    dir->select_xml = argc > 2 && strcasecmp(argv[2], "xml") == 0;
    if (argc > 2 && !dir->select_xml && (strcasecmp(argv[2], "text") != 0 || argc > 3))
        return usage;
    dir->select_wrapper = argc > 3 ? argv[3] : NULL;
    for (const char *s = dir->select_wrapper; s && *s; s++)
        if (!apr_isalpha(*s) && *s != '_' && (s == argv[3] || (!apr_isdigit(*s) && *s != '-' && *s != '.')))
            return "GPUXMLSelect: the wrapper is an element name of ASCII letters, digits, '-', '_' and '.'";
    if (dir->select_xml && !dir->select_wrapper)
        ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_WARNING, 0, cmd->server,
                     "GX0023: line %d of %s: GPUXMLSelect ... as xml has "
                     "no wrapper: unless the expression gives exactly one element, the page is no XML document",
                     cmd->directive->line_num, cmd->directive->filename);
    dir->is_select = 1;
    dir->sheets = apr_array_make(cmd->pool, 1, sizeof(gxm_named));
    APR_ARRAY_PUSH(dir->sheets, gxm_named) =
        (gxm_named){ gxm_select_declare(cmd, argv[0], list_of(cmd, &dir->namespaces)), NULL, NULL };
    return NULL;
}

static const char *set_namespace(cmd_parms *cmd, void *dirv, const char *prefix, const char *uri)
{
    static const char xml[] = "http://www.w3.org/XML/1998/namespace", xmlns[] = "http://www.w3.org/2000/xmlns/";
    gxm_dir *dir = dirv;
    if (!*prefix || !*uri || strcmp(prefix, "xmlns") == 0 || strcmp(uri, xmlns) == 0
        || (strcmp(prefix, "xml") == 0) != (strcmp(uri, xml) == 0))
        return "GPUXMLNamespace takes a prefix and a URI, but not xmlns, nor xml with another URI than its own";
    APR_ARRAY_PUSH(list_of(cmd, &dir->namespaces), gx_param) = (gx_param){ prefix, uri };
    return NULL;
}

static const char *set_xpath_param(cmd_parms *cmd, void *dirv, const char *name, const char *expression)
{
    gxm_dir *dir = dirv;
    APR_ARRAY_PUSH(list_of(cmd, &dir->xpath_params), gx_param) = (gx_param){ name, expression };
    gxm_xpath_param_declare(cmd, dir->xpath_params);
    return NULL;
}

static int is_xml_text(const char *s)
{
    u32 len = 1;
    for (size_t n = strlen(s); n && len; s += len, n -= len)
        len = gx_xml_char(s, n);
    return len > 0;
}

static const char *set_param(cmd_parms *cmd, void *dirv, const char *name, const char *value)
{
    gxm_dir *dir = dirv;
    value = value ? value : "";         /* httpd takes "" for a missing argument */
    gxm_param_conf param = { .name = name, .text = value };
    const char *err = parse_string(cmd, value, &param.expr);
    if (err)
        return err;
    /* it goes into the page as it is; what an expression finds in a request is mended there */
    if (!param.expr && !is_xml_text(value))
        return apr_psprintf(cmd->pool, "GPUXMLParam %s: the value must be characters of XML in UTF-8", name);
    param.where = apr_psprintf(cmd->pool, "line %d of %s", cmd->directive->line_num, cmd->directive->filename);
    param.is_settled = in_htaccess(cmd) ? NULL : gxm_param_declare(cmd, name);
    if (!dir->params)
        dir->params = apr_array_make(cmd->pool, 4, sizeof(gxm_param_conf));
    for (int i = 0; i < dir->params->nelts; i++)
        if (strcmp(APR_ARRAY_IDX(dir->params, i, gxm_param_conf).name, name) == 0) {
            APR_ARRAY_IDX(dir->params, i, gxm_param_conf) = param;
            return NULL;
        }
    APR_ARRAY_PUSH(dir->params, gxm_param_conf) = param;
    return NULL;
}

static const char *set_when(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    const char *err = NULL;
    dir->when = gxm_expr_parse(cmd, text, in_htaccess(cmd) ? AP_EXPR_FLAG_RESTRICTED_FILE_FUNC : 0, &err);
    return err ? apr_psprintf(cmd->pool, "GPUXMLWhen: %s", err) : NULL;
}

static const char *set_type(cmd_parms *cmd, void *dirv, const char *type)
{
    gxm_dir *dir = dirv;
    gxm_media_type media;
    const char *why =
        gxm_media_parse(cmd->temp_pool, *type == '+' ? apr_pstrcat(cmd->temp_pool, "x/x", type, NULL) : type, &media);
    if (!why && gxm_charset_of(cmd->temp_pool, type))
        why = "has a charset, by which no document is another kind of XML";
    if (why || (*type == '+' && !media.type[sizeof "x/x+" - 1]))
        return apr_psprintf(
            cmd->pool,
            "GPUXMLTypes takes media types (text/xml) and suffixes (+xml), with spaces between them, in quotes "
            "what has "
            "parameters (\"application/atom+xml;type=feed\"); \"%s\" %s",
            type, why ? why : "is none");
    if (!dir->types)
        dir->types = apr_array_make(cmd->pool, 4, sizeof(const char *));
    APR_ARRAY_PUSH(dir->types, const char *) = type;
    return NULL;
}

static const char *set_limit(cmd_parms *cmd, void *dirv, const char *key_value)
{
    gxm_dir *dir = dirv;
    const char *err = gx_limits_set(in_htaccess(cmd) ? &dir->lower : &dir->limits, key_value);
    if (in_htaccess(cmd)) {
        gx_limits_set(&dir->wanted, key_value);
        dir->htaccess = apr_pstrdup(cmd->pool, cmd->directive->filename);
    }
    return err ? apr_psprintf(cmd->pool, "GPUXMLLimit %s: %s", key_value, err) : NULL;
}

static const char *set_timeout(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    apr_interval_time_t time;
    if (ap_timeout_parameter_parse(text, &time, "s") != APR_SUCCESS || time <= 0)
        return "GPUXMLTimeout must be a time above 0, like 5s or 800ms";
    if (!in_htaccess(cmd)) {
        dir->timeout_us = time;
        return NULL;
    }
    dir->timeout_lower_us = dir->timeout_wanted_us = time;
    dir->htaccess = apr_pstrdup(cmd->pool, cmd->directive->filename);
    return NULL;
}

static const char *set_on_error(cmd_parms *cmd, void *dirv, const char *text)
{
    static const char *const classes[GXM_N_CLASSES] = { "source", "sheet", "busy", "time" };
    gxm_dir *dir = dirv;
    if (strncasecmp(text, "start=", 6) == 0) {
        if (in_htaccess(cmd))
            return "GPUXMLOnError: start= is for the server's configuration, not for .htaccess";
        if (strcasecmp(text + 6, "refuse") != 0 && strcasecmp(text + 6, "serve") != 0)
            return "GPUXMLOnError: start is refuse or serve";
        dir->start = strcasecmp(text + 6, "serve") == 0 ? GXM_START_SERVE : GXM_START_REFUSE;
        return NULL;
    }
    for (int i = 0; i < GXM_N_CLASSES; i++) {
        size_t n = strlen(classes[i]);
        const char *value = text + n + 1;
        if (strncasecmp(text, classes[i], n) != 0 || text[n] != '=')
            continue;
        if (strcasecmp(value, "pass") == 0) {
            if (i == GXM_CLASS_SOURCE)
                return "GPUXMLOnError: a source that is not well-formed XML cannot be passed on: source takes a status";
            dir->on_error[i] = GXM_PASS;
            return NULL;
        }
        if (strlen(value) == 3 && strspn(value, "0123456789") == 3 && ap_is_HTTP_ERROR(atoi(value))
            && (atoi(value) == HTTP_INTERNAL_SERVER_ERROR       /* what httpd sends instead of those that it does not
                                                                   know */
                || ap_index_of_response(atoi(value)) != ap_index_of_response(HTTP_INTERNAL_SERVER_ERROR))) {
            dir->on_error[i] = atoi(value);
            return NULL;
        }
        return "GPUXMLOnError: the value is a status from 400 to 599 that httpd knows, or pass";
    }
    return "GPUXMLOnError takes source=, sheet=, busy= or time= with a status or pass, and start= with refuse or serve";
}

static const char *set_dtd(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    if (strcasecmp(text, "deny") == 0)
        dir->no_doctype = 1;
    else if (strcasecmp(text, "internal") == 0) {
        if (!in_htaccess(cmd))                  /* there a DOCTYPE can be denied, not allowed again */
            dir->no_doctype = 0;
    }
    else if (strcasecmp(text, "external=ignore") == 0 || strcasecmp(text, "external=error") == 0) {
        dir->external_ignore = strcasecmp(text, "external=ignore") == 0;
        dir->external_files = 0;
    }
    else if (strcasecmp(text, "external=file") == 0) {
        if (in_htaccess(cmd))
            return "GPUXMLDTD external=file is for the server's configuration, not for .htaccess";
        dir->external_ignore = 0;
        dir->external_files = 1;
    }
    else if (strcasecmp(text, "entities=html") == 0)
        dir->html_entities = 1;
    else if (strcasecmp(text, "entities=declared") == 0)
        dir->html_entities = 0;
    else
        return "GPUXMLDTD takes deny, internal, external=ignore, external=error, external=file, entities=html or "
               "entities=declared";
    return NULL;
}

static const char *set_output(cmd_parms *cmd, void *dirv, const char *text)
{
    static const char usage[] = "GPUXMLOutput takes type=media/type and charset=name";
    gxm_dir *dir = dirv;
    const char *value = strchr(text, '='), *why;
    gxm_media_type media;
    if (!value || !*++value)
        return usage;
    if (strncasecmp(text, "type=", 5) == 0) {
        why = gxm_media_parse(cmd->temp_pool, value, &media);
        if (!why && gxm_charset_of(cmd->temp_pool, value))
            why = "has a charset, which is an argument of its own: charset=name";
        if (why)
            return apr_psprintf(cmd->pool, "GPUXMLOutput: \"%s\" %s", value, why);
        dir->out_type = value;
        return NULL;
    }
    if (strncasecmp(text, "charset=", 8) != 0)
        return usage;
    if (!gx_encoding_known(value))
        return apr_psprintf(cmd->pool, "GPUXMLOutput: nothing can be written in charset %s here", value);
    dir->out_charset = value;
    return NULL;
}

static const char *set_pi(cmd_parms *cmd, void *dirv, const char *text, const char *fetches)
{
    gxm_dir *dir = dirv;
    gxm_conf.names_by_request |= !in_htaccess(cmd) && strcasecmp(text, "off") != 0;
    if (fetches && in_htaccess(cmd))
        return "GPUXMLStylesheetPI: subrequest is for the server's configuration, not for .htaccess";
    if (fetches && (strcasecmp(fetches, "subrequest") != 0 || strcasecmp(text, "off") == 0))
        return "GPUXMLStylesheetPI must be off, fallback or prefer; the last two may be followed by subrequest";
    if (strcasecmp(text, "off") == 0)
        dir->pi = GXM_PI_OFF;
    else if (strcasecmp(text, "fallback") == 0)
        dir->pi = GXM_PI_FALLBACK;
    else if (strcasecmp(text, "prefer") == 0)
        dir->pi = GXM_PI_PREFER;
    else
        return "GPUXMLStylesheetPI must be off, fallback or prefer";
    if (!in_htaccess(cmd))
        dir->pi_fetches = fetches != NULL;
    return NULL;
}

static const char *set_namespaces(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    (void)cmd;
    if (strcasecmp(text, "strict") != 0 && strcasecmp(text, "lenient") != 0)
        return "GPUXMLNamespaces must be strict or lenient";
    dir->lenient = strcasecmp(text, "lenient") == 0;
    return NULL;
}

static const char *set_documents(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    (void)cmd;
    if (strcasecmp(text, "none") == 0)
        dir->documents = GXM_DOC_NONE;
    else if (strcasecmp(text, "file") == 0)
        dir->documents = GXM_DOC_FILE;
    else if (strcasecmp(text, "subrequest") == 0)
        dir->documents = GXM_DOC_SUBREQUEST;
    else
        return "GPUXMLDocument must be none, file or subrequest";
    return NULL;
}

static const char *set_xinclude(cmd_parms *cmd, void *dirv, int on)
{
    (void)cmd;
    ((gxm_dir *)dirv)->xinclude = on;
    return NULL;
}

static const char *set_etag(cmd_parms *cmd, void *dirv, int on)
{
    (void)cmd;
    ((gxm_dir *)dirv)->etag = on;
    return NULL;
}

static const char *set_strict(cmd_parms *cmd, void *dirv, int on)
{
    (void)cmd;
    ((gxm_dir *)dirv)->strict = on;
    return NULL;
}

static const char *set_private(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    (void)cmd;
    if (strcasecmp(text, "auto") == 0)
        dir->is_private = GXM_PRIVATE_AUTO;
    else if (strcasecmp(text, "on") == 0)
        dir->is_private = GXM_PRIVATE_ON;
    else if (strcasecmp(text, "off") == 0)
        dir->is_private = GXM_PRIVATE_OFF;
    else
        return "GPUXMLPrivate must be auto, on or off";
    return NULL;
}

static const char *set_last_modified(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    (void)cmd;
    if (strcasecmp(text, "off") == 0)
        dir->last_modified = GXM_LM_OFF;
    else if (strcasecmp(text, "source") == 0)
        dir->last_modified = GXM_LM_SOURCE;
    else if (strcasecmp(text, "newest") == 0)
        dir->last_modified = GXM_LM_NEWEST;
    else
        return "GPUXMLLastModified must be off, source or newest";
    return NULL;
}

static const char *set_debug(cmd_parms *cmd, void *dirv, const char *text)
{
    (void)cmd;
    if (strcasecmp(text, "off") != 0 && strcasecmp(text, "headers") != 0)
        return "GPUXMLDebug must be off or headers";
    ((gxm_dir *)dirv)->debug = strcasecmp(text, "headers") == 0;
    return NULL;
}

static gxm_server *server_of(cmd_parms *cmd)
{
    return ap_get_module_config(cmd->server->module_config, &gpuxml_module);
}

static const char *set_root(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_server *conf = server_of(cmd);
    const char *path = ap_server_root_relative(cmd->pool, text);
    apr_finfo_t info;
    (void)dirv;
    if (!path)
        return apr_psprintf(cmd->pool, "GPUXMLStylesheetRoot: \"%s\" is no path", text);
    if (apr_stat(&info, path, APR_FINFO_TYPE, cmd->temp_pool) != APR_SUCCESS || info.filetype != APR_DIR) {
        if (gxm_is_restart())
            ap_log_error(APLOG_MARK, APLOG_ERR, 0, cmd->server,
                         "GX0012: GPUXMLStylesheetRoot: \"%s\" is no directory now", path);
        else
            gxm_start_fault(cmd->pool, cmd->server, cmd->directive, NULL, 0,
                            apr_psprintf(cmd->temp_pool, "GPUXMLStylesheetRoot: \"%s\" is no directory", path));
    }
    if (!conf->roots)
        conf->roots = apr_array_make(cmd->pool, 2, sizeof(const char *));
    APR_ARRAY_PUSH(conf->roots, const char *) = path;
    return NULL;
}

static const char *set_vendor(cmd_parms *cmd, void *dirv, const char *name, const char *url)
{
    gxm_server *conf = server_of(cmd);
    (void)dirv;
    if (!is_xml_text(name) || (url && !is_xml_text(url)))
        return "GPUXMLVendor takes a name, and perhaps a URL, of characters of XML in UTF-8";
    conf->vendor = name;
    conf->vendor_url = url;
    return NULL;
}

static const char *set_catalog(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_server *conf = server_of(cmd);
    const char *path = ap_server_root_relative(cmd->pool, text);
    char said[1200];
    gx_error err;
    (void)dirv;
    if (!conf->catalogs || strcasecmp(text, "none") == 0)
        conf->catalogs = apr_array_make(cmd->pool, 2, sizeof(const char *));
    if (strcasecmp(text, "none") == 0)
        return NULL;
    if (!path)
        return apr_psprintf(cmd->pool, "GPUXMLCatalog: \"%s\" is no path", text);
    if (gx_catalog_check(cmd->temp_pool, path, &err) != GX_OK) {
        gxm_error_text(&err, said, sizeof said);
        if (gxm_is_restart())
            ap_log_error(APLOG_MARK, APLOG_ERR, 0, cmd->server, "GX0014: GPUXMLCatalog: %s", said);
        else
            gxm_start_fault(cmd->pool, cmd->server, cmd->directive, NULL, 0,
                            apr_psprintf(cmd->temp_pool, "GPUXMLCatalog: %s", said));
    }
    APR_ARRAY_PUSH(conf->catalogs, const char *) = path;
    return NULL;
}

static const char *set_store(cmd_parms *cmd, void *dirv, const char *name, const char *file)
{
    gxm_server *conf = server_of(cmd);
    const char *path = ap_server_root_relative(cmd->pool, file);
    gxm_document_store *store = apr_pcalloc(cmd->pool, sizeof *store);
    (void)dirv;
    if (!*name || strchr(name, '/'))
        return "GPUXMLStore: the name is a part of URLs: it must have a character and no /";
    if (!path)
        return apr_psprintf(cmd->pool, "GPUXMLStore: \"%s\" is no path", file);
    store->name = name;
    store->path = path;
    if (!conf->stores)
        conf->stores = apr_array_make(cmd->pool, 2, sizeof(gxm_document_store *));
    APR_ARRAY_PUSH(conf->stores, gxm_document_store *) = store;
    return NULL;
}

static const char *set_profiles(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    const char *path = ap_server_root_relative(cmd->pool, text);
    if (!path)
        return apr_psprintf(cmd->pool, "GPUXMLProfiles: \"%s\" is no path", text);
    dir->profiles = gxm_profiles_declare(cmd, path, list_of(cmd, &dir->namespaces), dir);
    dir->profiles_at = cmd->path;
    return NULL;
}

static const char *set_profiles_root(cmd_parms *cmd, void *dirv, const char *text)
{
    const char *path = ap_server_root_relative(cmd->pool, text);
    if (!path)
        return apr_psprintf(cmd->pool, "GPUXMLProfilesRoot: \"%s\" is no path", text);
    ((gxm_dir *)dirv)->profiles_root = path;
    return NULL;
}

static const char *set_match_requests(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_dir *dir = dirv;
    (void)cmd;
    if (strcasecmp(text, "off") == 0)
        dir->matches_requests = GXM_MATCH_OFF;
    else if (strcasecmp(text, "on") == 0)
        dir->matches_requests = GXM_MATCH_ON;
    else if (strcasecmp(text, "early") == 0)
        dir->matches_requests = GXM_MATCH_EARLY;
    else
        return "GPUXMLMatchRequests must be off, on or early";
    return NULL;
}

static const char *set_check(cmd_parms *cmd, void *dirv, const char *text)
{
    gxm_server *conf = server_of(cmd);
    apr_interval_time_t time = -1;
    (void)dirv;
    if (strcasecmp(text, "off") != 0 && (ap_timeout_parameter_parse(text, &time, "s") != APR_SUCCESS || time < 0))
        return "GPUXMLCheckFiles must be a time, like 1s, or off";
    conf->check_us = time;
    conf->check_set = 1;
    return NULL;
}

static const char *set_engine(cmd_parms *cmd, void *dirv, const char *text)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    (void)dirv;
    if (err)
        return err;
    for (int i = 0; gxm_engine_names[i]; i++)
        if (strcasecmp(text, gxm_engine_names[i]) == 0) {
            gxm_conf.engine = i;
            return NULL;
        }
    return "GPUXMLEngine must be auto, gpu, cpu, worker or off";
}

static const char *set_parser(cmd_parms *cmd, void *dirv, const char *text)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    (void)dirv;
    if (err)
        return err;
    if (strcasecmp(text, "auto") != 0 && strcasecmp(text, "expat") != 0)
        return "GPUXMLParser must be auto or expat";
    gx_parser_expat_only(strcasecmp(text, "expat") == 0);       /* at once: the configuration's stylesheets are
                                                                   documents, too */
    return NULL;
}

static const char *set_slots(cmd_parms *cmd, void *dirv, const char *text)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    char *end;
    long n = strtol(text, &end, 10);
    (void)dirv;
    if (err)
        return err;
    if (*end || n < 1 || n > (long)GX_QUEUE_MAX_SLOTS)
        return apr_psprintf(cmd->pool, "GPUXMLQueueSlots must be a number from 1 to %u", GX_QUEUE_MAX_SLOTS);
    gxm_conf.queue_slots = (int)n;
    return NULL;
}

static const char *set_shared(cmd_parms *cmd, void *dirv, const char *text)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    (void)dirv;
    if (err)
        return err;
    gxm_conf.shared_bytes = gxm_size(text, 1 << 20, (u64)1 << 40);      /* more the queue does not take */
    return gxm_conf.shared_bytes ? NULL
         : "GPUXMLSharedMemory must be a size from 1M to 1024G, like 256M or 2G";
}

static const char *set_cache(cmd_parms *cmd, void *dirv, const char *text, const char *what)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    int off = strcasecmp(text, "off") == 0;
    (void)dirv;
    if (err)
        return err;
    gxm_conf.cache_bytes = off ? 0 : gxm_size(text, 1 << 20, (u64)1 << 42);
    gxm_conf.cache_files = what != NULL;
    if ((!off && !gxm_conf.cache_bytes) || (what && (off || strcasecmp(what, "files") != 0)))
        return "GPUXMLCache must be a size of at least 1M, like 32M, and then perhaps the word files; or off";
    return NULL;
}

static const char *set_result_cache(cmd_parms *cmd, void *dirv, const char *text)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    (void)dirv;
    return err ? err : gxm_results_set(cmd, text);
}

static const char *set_results(cmd_parms *cmd, void *dirv, int on)
{
    (void)cmd;
    ((gxm_dir *)dirv)->keeps_results = on;
    return NULL;
}

static const char *set_compile_limit(cmd_parms *cmd, void *dirv, const char *key_value)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    (void)dirv;
    if (err)
        return err;
    if (strncmp(key_value, "at-once=", 8) == 0) {
        char *end;
        long n = strtol(key_value + 8, &end, 10);
        if (*end || end == key_value + 8 || n < 1 || n > GXM_COMPILES)
            return apr_psprintf(cmd->pool, "GPUXMLCompileLimit %s: at-once is a number from 1 to %d", key_value,
                                GXM_COMPILES);
        gxm_conf.compile_at_once = (u32)n;
        return NULL;
    }
    err = gx_compile_limit_set(&gxm_conf.compile_memory, &gxm_conf.compile_us, key_value);
    return err ? apr_psprintf(cmd->pool, "GPUXMLCompileLimit %s: %s", key_value, err) : NULL;
}

static const char *set_restart(cmd_parms *cmd, void *dirv, const char *rate, const char *backoff)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    apr_interval_time_t time = apr_time_from_sec(30);
    int n, s, used = 0;
    (void)dirv;
    if (err)
        return err;
    if (sscanf(rate, "%4d/%6d%n", &n, &s, &used) != 2 || rate[used] || n < 1 || n > 64 || s < 1
        || (backoff && (ap_timeout_parameter_parse(backoff, &time, "s") != APR_SUCCESS || time < apr_time_from_sec(1))))
        return "GPUXMLWorkerRestart takes n/seconds with n from 1 to 64, then perhaps a time of at least 1s";
    gxm_conf.restart_n = n;
    gxm_conf.restart_s = s;
    gxm_conf.backoff_s = (int)apr_time_sec(time);
    return NULL;
}

static const char *set_device(cmd_parms *cmd, void *dirv, const char *text)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/";
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    const size_t n = strlen(text);
    (void)dirv;
    if (err)
        return err;
    if (strcasecmp(text, "auto") == 0) {
        gxm_conf.devices = NULL;
        return NULL;
    }
    if (strspn(text, name) != n
        || (strspn(text, "0123456789") != n && strncmp(text, "GPU-", 4) != 0 && strncmp(text, "MIG-", 4) != 0))
        return "GPUXMLDevice takes auto, or devices by their numbers or UUIDs (GPU-...), as nvidia-smi -L lists them";
    gxm_conf.devices = gxm_conf.devices ? apr_pstrcat(cmd->pool, gxm_conf.devices, ",", text, NULL) : text;
    return NULL;
}

static const char *set_batch(cmd_parms *cmd, void *dirv, const char *text)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    char *end;
    const long n = strtol(text, &end, 10);
    (void)dirv;
    if (err)
        return err;
    if (*end || n < 1 || n > 1024)
        return "GPUXMLBatch must be a number from 1 to 1024";
    gxm_conf.batch = (int)n;
    return NULL;
}

static const char *set_worker_user(cmd_parms *cmd, void *dirv, const char *user, const char *group)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    apr_uid_t uid;
    apr_gid_t gid;
    (void)dirv;
    if (err)
        return err;
    if (apr_uid_get(&uid, &gid, user, cmd->temp_pool) != APR_SUCCESS)
        return apr_psprintf(cmd->pool, "GPUXMLWorkerUser: there is no user %s", user);
    if (group && apr_gid_get(&gid, group, cmd->temp_pool) != APR_SUCCESS)
        return apr_psprintf(cmd->pool, "GPUXMLWorkerUser: there is no group %s", group);
    if (!uid || !gid)
        return "GPUXMLWorkerUser: the worker must not be root's, nor of root's group";
    gxm_conf.worker_uid = uid;
    gxm_conf.worker_gid = gid;
    return NULL;
}

static const char *set_worker_sandbox(cmd_parms *cmd, void *dirv, int on)
{
    const char *err = ap_check_cmd_context(cmd, GLOBAL_ONLY);
    (void)dirv;
    gxm_conf.worker_is_free = !on;
    return err;
}

static const command_rec directives[] = {
    AP_INIT_TAKE1("GPUXMLEngine", set_engine, NULL, RSRC_CONF, "auto, gpu, cpu, worker or off"),
    AP_INIT_ITERATE("GPUXMLDevice", set_device, NULL, RSRC_CONF,
                    "auto, or the numbers or UUIDs of the GPUs that the worker uses"),
    AP_INIT_TAKE1("GPUXMLBatch", set_batch, NULL, RSRC_CONF, "requests that a GPU gets in one launch, at most"),
    AP_INIT_TAKE12("GPUXMLWorkerUser", set_worker_user, NULL, RSRC_CONF, "user and group of the worker process"),
    AP_INIT_FLAG("GPUXMLWorkerSandbox", set_worker_sandbox, NULL, RSRC_CONF,
                 "on or off: whether the worker gives up what it does not need"),
    AP_INIT_TAKE1("GPUXMLParser", set_parser, NULL, RSRC_CONF, "auto, or expat: which parser reads documents"),
    AP_INIT_TAKE1("GPUXMLQueueSlots", set_slots, NULL, RSRC_CONF, "requests in flight to the worker"),
    AP_INIT_TAKE1("GPUXMLSharedMemory", set_shared, NULL, RSRC_CONF, "size of the memory shared with the worker"),
    AP_INIT_TAKE12("GPUXMLCache", set_cache, NULL, RSRC_CONF,
                   "how much of documents each process keeps, of files only or of all; or off"),
    AP_INIT_ITERATE("GPUXMLResultCache", set_result_cache, NULL, RSRC_CONF,
                    "off, or an object cache of httpd's for pages, like shmcb:results(8388608), and max=, expires="),
    AP_INIT_FLAG("GPUXMLKeepResults", set_results, NULL, OR_FILEINFO,
                 "on or off: whether pages are kept in GPUXMLResultCache"),
    AP_INIT_ITERATE("GPUXMLCompileLimit", set_compile_limit, NULL, RSRC_CONF,
                    "memory=, time= and at-once=: what compiling stylesheets may take"),
    AP_INIT_TAKE12("GPUXMLWorkerRestart", set_restart, NULL, RSRC_CONF,
                   "n/seconds, and how long to wait when it died so often"),
    AP_INIT_ITERATE("GPUXMLStylesheetRoot", set_root, NULL, RSRC_CONF,
                    "directories that stylesheets named by requests lie beneath"),
    AP_INIT_ITERATE("GPUXMLCatalog", set_catalog, NULL, RSRC_CONF,
                    "XML catalogs that say which file has the name of another, or none"),
    AP_INIT_TAKE2("GPUXMLStore", set_store, NULL, RSRC_CONF,
                  "a name, and the file of a document store whose documents are served below it"),
    AP_INIT_TAKE1("GPUXMLProfiles", set_profiles, NULL, RSRC_CONF | ACCESS_CONF,
                  "a file of profiles, which documents are matched with"),
    AP_INIT_TAKE1("GPUXMLProfilesRoot", set_profiles_root, NULL, RSRC_CONF | ACCESS_CONF,
                  "a directory: requests of authenticated users may change files of profiles beneath it"),
    AP_INIT_TAKE1("GPUXMLMatchRequests", set_match_requests, NULL, RSRC_CONF | ACCESS_CONF,
                  "off, on or early: whether requests are matched before they have a handler"),
    AP_INIT_TAKE12("GPUXMLVendor", set_vendor, NULL, RSRC_CONF,
                   "what system-property() says of xsl:vendor, and of xsl:vendor-url"),
    AP_INIT_TAKE1("GPUXMLCheckFiles", set_check, NULL, RSRC_CONF, "how often to look for changed stylesheets, or off"),
    AP_INIT_TAKE_ARGV("GPUXMLStylesheet", set_stylesheet, NULL, OR_FILEINFO,
                      "a stylesheet file, or an expression that names one; or several"),
    AP_INIT_TAKE_ARGV("GPUXMLStylesheetFor", set_stylesheet_for, NULL, OR_FILEINFO,
                      "a document element's name, and stylesheets for such documents"),
    AP_INIT_TAKE12("GPUXMLStylesheetPI", set_pi, NULL, OR_FILEINFO, "off, fallback or prefer; and subrequest"),
    AP_INIT_TAKE_ARGV("GPUXMLSelect", set_select, NULL, RSRC_CONF | ACCESS_CONF,
                      "an XPath expression [as xml|text [wrapper]]"),
    AP_INIT_TAKE2("GPUXMLNamespace", set_namespace, NULL, RSRC_CONF | ACCESS_CONF, "prefix and URI for GPUXMLSelect"),
    AP_INIT_TAKE12("GPUXMLParam", set_param, NULL, OR_FILEINFO, "name and value of a stylesheet parameter"),
    AP_INIT_TAKE2("GPUXMLXPathParam", set_xpath_param, NULL, RSRC_CONF | ACCESS_CONF,
                  "name and XPath expression of a stylesheet parameter"),
    AP_INIT_TAKE1("GPUXMLWhen", set_when, NULL, OR_FILEINFO,
                  "an expression, in quotes if it has spaces: transform only when it is true"),
    AP_INIT_ITERATE("GPUXMLTypes", set_type, NULL, OR_FILEINFO, "media types and suffixes that are XML"),
    AP_INIT_ITERATE("GPUXMLDTD", set_dtd, NULL, OR_FILEINFO,
                    "deny, internal, external=ignore|error, entities=html|declared"),
    AP_INIT_TAKE1("GPUXMLNamespaces", set_namespaces, NULL, OR_FILEINFO,
                  "strict or lenient: whether a source may use a prefix that it does not declare"),
    AP_INIT_FLAG("GPUXMLXInclude", set_xinclude, NULL, RSRC_CONF | ACCESS_CONF,
                 "on or off: whether sources may include files"),
    AP_INIT_TAKE1("GPUXMLDocument", set_documents, NULL, RSRC_CONF | ACCESS_CONF,
                  "none, file or subrequest: what document() may read"),
    AP_INIT_ITERATE("GPUXMLLimit", set_limit, NULL, OR_FILEINFO, "key=value ..."),
    AP_INIT_TAKE1("GPUXMLTimeout", set_timeout, NULL, OR_FILEINFO,
                  "a time, like 5s or 800ms, from the source's end to the page"),
    AP_INIT_ITERATE("GPUXMLOnError", set_on_error, NULL, OR_FILEINFO, "class=status|pass ..., start=refuse|serve"),
    AP_INIT_ITERATE("GPUXMLOutput", set_output, NULL, OR_FILEINFO, "type=media/type charset=name"),
    AP_INIT_FLAG("GPUXMLStrict", set_strict, NULL, RSRC_CONF | ACCESS_CONF,
                 "on or off: whether slips in stylesheets are errors"),
    AP_INIT_FLAG("GPUXMLETag", set_etag, NULL, OR_FILEINFO, "on or off"),
    AP_INIT_TAKE1("GPUXMLPrivate", set_private, NULL, OR_FILEINFO,
                  "auto, on or off: whether only the client's own cache may keep a page"),
    AP_INIT_TAKE1("GPUXMLLastModified", set_last_modified, NULL, OR_FILEINFO,
                  "off, source or newest: what a page's Last-Modified is"),
    AP_INIT_TAKE1("GPUXMLDebug", set_debug, NULL, RSRC_CONF | ACCESS_CONF, "off or headers"),
    { 0 }
};

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

static int pre_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp)
{
    (void)plog, (void)ptemp;
    memset(&gxm_conf, 0, sizeof gxm_conf);
    gxm_conf.shared_bytes = (u64)256 << 20;
    gxm_conf.cache_bytes = (u64)32 << 20;
    gxm_conf.compile_memory = (u64)256 << 20;
    gxm_conf.compile_us = 30000000;
    gxm_conf.compile_at_once = 2;
    gxm_conf.restart_n = 5;
    gxm_conf.restart_s = 60;
    gxm_conf.backoff_s = 30;
    gx_parser_expat_only(0);
    gxm_sheets_reset();
    gxm_start_reset();
    gxm_params_reset();
    gxm_profiles_reset();
    gxm_origins_reset();
    gxm_sections_reset();
    gxm_results_reset(pconf);
    return OK;
}

/* Runs under httpd -t too, when all of the configuration is known: roots and namespaces may stand below what needs
 * them. */
static int check_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *main)
{
    apr_array_header_t *roots = apr_array_make(pconf, 1, sizeof(const char *));
    apr_array_header_t *catalogs = apr_array_make(pconf, 1, sizeof(const char *));
    const char *root = ap_server_root_relative(pconf, "conf");
    apr_finfo_t info;
    int named = 0;
    (void)plog;
    APR_ARRAY_PUSH(roots, const char *) = root;
    for (server_rec *s = main; s; s = s->next) {
        gxm_server *conf = ap_get_module_config(s->module_config, &gpuxml_module);
        if (conf->roots)
            named = 1;
        else
            conf->roots = roots;
        if (!conf->catalogs)
            conf->catalogs = catalogs;
    }
    if (gxm_conf.names_by_request && !named
        && (apr_stat(&info, root, APR_FINFO_TYPE, ptemp) != APR_SUCCESS || info.filetype != APR_DIR))
        ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_WARNING, 0, main,
                     "GX0017: stylesheets that documents or requests name will not be found: there is "
                     "no GPUXMLStylesheetRoot, and its default, \"%s\", is no directory",
                     root);
    gxm_sections_find(pconf, ptemp);
    gxm_origins_find(pconf, ptemp);
    gxm_sheets_compile(ptemp);
    gxm_profiles_load(ptemp);
    gxm_params_check(ptemp);
    gxm_xpath_params_check(ptemp);
    return gxm_start_check(main, ptemp);
}

static void test_config(apr_pool_t *pconf, server_rec *s)
{
    apr_file_t *out;
    (void)s;
    if (!ap_exists_config_define("DUMP_GPUXML") || apr_file_open_stdout(&out, pconf) != APR_SUCCESS)
        return;
    apr_file_printf(out, "gpuxml %s, engine %s\n", GX_VERSION, gxm_engine_names[gxm_conf.engine]);
    gxm_sheets_dump(out);
}

#define STACK_BYTES ((size_t)1 << 20)   /* compiling what nests as deeply as it may took three quarters of it */

/* 8 MiB as a rule; with ThreadStackSize, a small ulimit -s or another C library much less, and then a stylesheet can
 * end a child. */
static void check_stack(const server_rec *s)
{
    pthread_attr_t attr;
    size_t bytes = ap_thread_stacksize;
    if (!bytes && pthread_attr_init(&attr) == 0) {
        pthread_attr_getstacksize(&attr, &bytes);
        pthread_attr_destroy(&attr);
    }
    if (bytes && bytes < STACK_BYTES)
        ap_log_error(
            APLOG_MARK, APLOG_WARNING, 0, s,
            "GX0016: httpd's threads have a stack of %d KiB (ThreadStackSize, ulimit -s): less than the %d that "
            "a stylesheet or an expression that nests deeply may need, which would end a child with a "
            "segmentation fault",
            (int)(bytes >> 10), (int)(STACK_BYTES >> 10));
}

static int post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s)
{
    (void)plog, (void)ptemp;
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG)
        return gxm_start_verdict(ptemp); /* httpd reads its configuration twice; this pass is thrown away */
    check_stack(s);
    gxm_sheets_start();
    gxm_counters_start(s);
    gxm_worker_start(pconf, s);
    return gxm_results_start(pconf, s);
}

static void child_init(apr_pool_t *pchild, server_rec *s)
{
    gxm_sheets_child_init(pchild);
    gxm_profiles_child_init(pchild, s);
    gxm_child_begin();
    gxm_worker_child_init();
    gxm_results_child_init(pchild, s);
}

static int monitor(apr_pool_t *p, server_rec *s)
{
    (void)p;
    gxm_worker_monitor();
    gxm_worker_sample();
    gxm_report_rest(s);
    return DECLINED;
}

static void child_status(server_rec *s, pid_t pid, ap_generation_t generation, int slot, mpm_child_status status)
{
    (void)s, (void)generation, (void)slot;
    if (status == MPM_CHILD_EXITED)
        gxm_worker_child_exited(pid, gxm_child_ended(pid));
}

static void register_hooks(apr_pool_t *p)
{
    static const char *const cache[] = { "mod_cache.c", NULL };
    /* behind SetOutputFilter's, before those that AddOutputFilterByType adds (SUBSTITUTE text/html), and
     * ProxyHTMLEnable: they are for pages */
    static const char *const core[] = { "core.c", NULL },
                             *const for_pages[] = { "mod_filter.c", "mod_proxy_html.c", NULL };
    (void)p;
    gxm_filter_register();
    gxm_status_register();
    gxm_match_register();
    ap_hook_pre_config(pre_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_check_config(check_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_test_config(test_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_post_config(post_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(child_init, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_monitor(monitor, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_status(child_status, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_filter(gxm_filter_insert, core, for_pages, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(gxm_error_headers, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_post_read_request(gxm_redirected, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_handler(gxm_hold_conditions, cache, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_translate_name(gxm_match_early, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_fixups(gxm_match_fixups, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_handler(gxm_match_handler, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_handler(gxm_stored_handler, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_handler(gxm_status_handler, NULL, NULL, APR_HOOK_MIDDLE);
}

/* the one symbol that leaves this library: everything is compiled with hidden visibility */
__attribute__((visibility("default"))) module AP_MODULE_DECLARE_DATA gpuxml_module = {
    STANDARD20_MODULE_STUFF, create_dir, merge_dir, create_server, merge_server, directives, register_hooks
#ifdef AP_MODULE_FLAG_NONE
    , AP_MODULE_FLAG_NONE
#endif
};
