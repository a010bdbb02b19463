/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf.c -- what the configuration says of a request: sections, servers, limits and times in effect
 */
#include <apr_strings.h>
#include "module.h"

gxm_global gxm_conf;
const char *const gxm_engine_names[] = { "auto", "gpu", "cpu", "worker", "off", NULL };

const gxm_dir *gxm_dir_conf(const request_rec *r) { return ap_get_module_config(r->per_dir_config, &gpuxml_module); }
const gxm_server *gxm_server_conf(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &gpuxml_module);
}

void gxm_limits_lower(gx_limits *limits, const gx_limits *bound)
{
#define LOWER(field) if (bound->field && (!limits->field || bound->field < limits->field)) limits->field = bound->field;
    GXM_EACH_LIMIT(LOWER)
#undef LOWER
}

void gxm_limits_effective(const gxm_dir *dir, gx_limits *out)
{
    *out = dir->limits;
    gx_limits_default(out);
    gxm_limits_lower(out, &dir->lower);
}

/* A warning, once a file and value, for each limit of a .htaccess file that is higher than the server allows there: it
 * was lowered without an error, as others write such files. */
void gxm_limits_report(request_rec *r, const gxm_dir *dir)
{
    const u64 timeout_us = gxm_timeout_us(dir);
    gx_limits limits;
    if (!dir->htaccess)
        return;
    gxm_limits_effective(dir, &limits);
#define REPORT(field)                                                                                                  \
    if (dir->wanted.field > limits.field && limits.field)                                                              \
        gxm_report_once(r, APLOG_WARNING,                                                                              \
                        apr_psprintf(r->pool,                                                                          \
                                     "GX0022: GPUXMLLimit " #field                                                     \
                                     "= of %s is lowered to what is allowed there, " #field "=%" APR_UINT64_T_FMT,     \
                                     dir->htaccess, (apr_uint64_t)limits.field));
    GXM_EACH_LIMIT(REPORT)
#undef REPORT
    if (dir->timeout_wanted_us > 0 && (u64)dir->timeout_wanted_us > timeout_us)
        gxm_report_once(r, APLOG_WARNING,
                        apr_psprintf(r->pool,
                                     "GX0022: GPUXMLTimeout of %s is lowered to what is allowed there, "
                                     "%" APR_UINT64_T_FMT "ms",
                                     dir->htaccess, (apr_uint64_t)(timeout_us / 1000)));
}

u64 gxm_timeout_us(const gxm_dir *dir)
{
    const i64 timeout_us = dir->timeout_us > 0 ? dir->timeout_us : 5000000;
    return (u64)(dir->timeout_lower_us > 0 && dir->timeout_lower_us < timeout_us ? dir->timeout_lower_us : timeout_us);
}
