/* SPDX-License-Identifier: Apache-2.0 */
/*
 * param.c -- GPUXMLParam: names that no stylesheet declares
 *
 * A parameter that no xsl:param takes is ignored, as XSLT wants it, so a slip in its name shows only in a page that
 * lacks something. When the configuration names all stylesheets by their paths it is known at the start whether one
 * of them declares the parameter. What a request names (an expression, a document, an .htaccess file) is known when
 * it is used. Either way one line in the log says so.
 */
#include <apr_hash.h>
#include "module.h"

typedef struct declared {
    const char *name;
    server_rec *server;
    const ap_directive_t *at;
    int *is_settled;
} declared_param;

static apr_array_header_t *declared;    /* declared_param; pconf */

void gxm_params_reset(void) { declared = NULL; }

int *gxm_param_declare(cmd_parms *cmd, const char *name)
{
    int *is_settled = apr_pcalloc(cmd->pool, sizeof *is_settled);
    if (!declared)
        declared = apr_array_make(cmd->pool, 4, sizeof(declared_param));
    APR_ARRAY_PUSH(declared, declared_param) = (declared_param){ name, cmd->server, cmd->directive, is_settled };
    return is_settled;
}

/* When all stylesheets are compiled: a warning for each GPUXMLParam of a name that none of them declares, once a name.
 * Where requests may name stylesheets nothing is sure, and used parameters are looked at then (gxm_params_used). */
void gxm_params_check(apr_pool_t *ptemp)
{
    static const int answers[] = { -1, 0, 1 };
    apr_hash_t *known = apr_hash_make(ptemp); /* name -> of answers: a macro writes the same one a thousand times */
    for (int i = 0; declared && i < declared->nelts; i++) {
        const declared_param *param = &APR_ARRAY_IDX(declared, i, declared_param);
        const int *has = apr_hash_get(known, param->name, APR_HASH_KEY_STRING);
        const int is_told = has != NULL;
        if (!has) {
            has = &answers[gxm_sheets_have_param(param->name) + 1];
            apr_hash_set(known, param->name, APR_HASH_KEY_STRING, has);
        }
        *param->is_settled = *has > 0 || (*has == 0 && !gxm_conf.names_by_request);
        if (*has || gxm_conf.names_by_request || is_told)
            continue;
        ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_WARNING, 0, param->server,
                     "GX0021: line %d of %s: GPUXMLParam %s: no stylesheet has a top-level xsl:param of this name",
                     param->at->line_num, param->at->filename, param->name);
    }
}

void gxm_params_used(request_rec *r, const gxm_dir *conf, const gx_program *const *programs, int n, const char *names)
{
    for (int i = 0; conf->params && i < conf->params->nelts; i++) {
        const gxm_param_conf *param = &APR_ARRAY_IDX(conf->params, i, gxm_param_conf);
        int k = 0;
        if (param->is_settled && *param->is_settled)
            continue;
        while (k < n && !gx_program_has_param(programs[k], param->name))
            k++;
        if (k == n)
            gxm_report_once(r, APLOG_WARNING, apr_psprintf(r->pool, "GX0021: %s: GPUXMLParam %s: there is no top-level "
                            "xsl:param of this name in %s", param->where, param->name, names));
    }
}
