/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c -- what may keep httpd from starting: stylesheets that do not compile, roots and catalogs that are not there
 *
 * httpd reads its configuration on these occasions, and asks our hooks in this order:
 *
 *   httpd -t                               check_config
 *   httpd -k stop, graceful, restart       check_config; then it sends the signal, and ends
 *   httpd -k start                         check_config, post_config; then once more from the beginning, and it serves
 *   a restart, in the process that serves  check_config, post_config
 *
 * A file that is broken, or gone, must neither keep -k stop from stopping nor take a server down that could go on with
 * what it has. So check_config only takes note of such a fault, and post_config of the first reading refuses to start.
 * GPUXMLOnError start=serve starts all the same: requests that need the stylesheet fail until it is mended.
 *
 * httpd -t reports a fault as an error, but as a warning while the server runs whose PidFile the configuration names:
 * that server would go on. Many systems' apachectl graceful, and with it the rotation of logs, sends its signal only if
 * httpd -t succeeds. httpd -t -D GPUXML_TEST reports an error in any case. What is wrong with the configuration itself
 * (an expression of GPUXMLSelect) is an error whatever runs.
 */
#include <signal.h>
#include <apr_hash.h>
#include <ap_mpm.h>
#include <http_main.h>
#include <mpm_common.h>
#include "module.h"

typedef struct fault {
    server_rec *server;
    const ap_directive_t *at;
    const gxm_dir *section;     /* whose GPUXMLOnError start= holds, if it says anything; NULL: the server's does */
    const char *sentence;
    int is_syntax;
} fault;

static apr_array_header_t *faults;      /* fault; pconf */

void gxm_start_reset(void) { faults = NULL; }

int gxm_is_restart(void)
{
    return ap_state_query(AP_SQ_CONFIG_GEN) > 0 && ap_state_query(AP_SQ_RUN_MODE) == AP_SQ_RM_NORMAL;
}

void gxm_start_fault(apr_pool_t *pconf, server_rec *s, const ap_directive_t *at, const gxm_dir *section, int is_syntax,
                     const char *sentence)
{
    if (!faults)
        faults = apr_array_make(pconf, 4, sizeof(fault));
    APR_ARRAY_PUSH(faults, fault) = (fault){ s, at, section, apr_pstrdup(pconf, sentence), is_syntax };
}

static int is_served(const fault *f)
{
    const gxm_dir *server = ap_get_module_config(f->server->lookup_defaults, &gpuxml_module);
    const int start = f->section && f->section->start != GXM_UNSET ? f->section->start : server->start;
    return start == GXM_START_SERVE && !f->is_syntax;
}

static const char *command_of(apr_pool_t *p, const char *pid)
{
    char text[64];
    apr_size_t n = sizeof text;
    apr_file_t *f;
    if (apr_file_open(&f, apr_psprintf(p, "/proc/%s/comm", pid), APR_FOPEN_READ, 0, p) != APR_SUCCESS)
        return "";
    if (apr_file_read(f, text, &n) != APR_SUCCESS)
        n = 0;
    apr_file_close(f);
    return apr_pstrmemdup(p, text, n);
}

/* The process that PidFile names, if it is an httpd that this process may signal: a number may be another program's by
 * now. 0: none */
static pid_t running(apr_pool_t *p)
{
    const char *path = ap_pid_fname ? ap_server_root_relative(p, ap_pid_fname) : NULL, *own = command_of(p, "self");
    pid_t pid;
    if (!path || ap_read_pid(p, path, &pid) != APR_SUCCESS || kill(pid, 0) != 0)
        return 0;
    return *own && strcmp(own, command_of(p, apr_psprintf(p, "%ld", (long)pid))) == 0 ? pid : 0;
}

/* Each sentence once: a macro may write the same one for a thousand virtual hosts. */
static void report(const fault *f, apr_hash_t *told, int flags)
{
    const char *key = apr_pstrcat(apr_hash_pool_get(told), is_served(f) ? "+" : "-", f->sentence, NULL);
    if (apr_hash_get(told, key, APR_HASH_KEY_STRING))
        return;
    apr_hash_set(told, key, APR_HASH_KEY_STRING, f);
    if (is_served(f))
        ap_log_error(APLOG_MARK, flags | APLOG_ERR, 0, f->server, "GX0019: httpd starts without it: line %d of %s: %s",
                     f->at->line_num, f->at->filename, f->sentence);
    else
        ap_log_error(APLOG_MARK, flags | APLOG_ERR, 0, f->server, "GX0001: Syntax error on line %d of %s: %s",
                     f->at->line_num, f->at->filename, f->sentence);
}

/* Tells all faults of the configuration, each once. With httpd -t the status by which it fails; where httpd runs
 * already, only what a restart would not survive. At a start others decide (gxm_start_verdict). */
int gxm_start_check(server_rec *main, apr_pool_t *ptemp)
{
    const int is_test = ap_state_query(AP_SQ_RUN_MODE) == AP_SQ_RM_CONFIG_TEST;
    const pid_t pid = is_test && faults && !ap_exists_config_define("GPUXML_TEST") ? running(ptemp) : 0;
    apr_hash_t *told = apr_hash_make(ptemp);
    int n_refused = 0, n_syntax = 0;
    for (int i = 0; faults && i < faults->nelts; i++) {
        const fault *f = &APR_ARRAY_IDX(faults, i, fault);
        report(f, told, APLOG_STARTUP);
        n_refused += !is_served(f);
        n_syntax += f->is_syntax;
    }
    if (n_refused > n_syntax && pid)
        ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_WARNING, 0, main,
                     "GX0020: httpd is running (process %ld): it may be stopped and restarted all the same, and goes "
                     "on with the last good version of what does not compile, or answers 500 where there is none. "
                     "A new start would fail; httpd -t -D GPUXML_TEST does",
                     (long)pid);
    return is_test && (pid ? n_syntax : n_refused) ? HTTP_INTERNAL_SERVER_ERROR : OK;
}

int gxm_start_verdict(apr_pool_t *ptemp)
{
    apr_hash_t *told = apr_hash_make(ptemp);
    int status = OK;
    if (gxm_is_restart())
        return OK;
    for (int i = 0; faults && i < faults->nelts; i++) {
        const fault *f = &APR_ARRAY_IDX(faults, i, fault);
        if (is_served(f))
            continue;
        report(f, told, 0);     /* the terminal has it from check_config, the error log is open only now */
        status = HTTP_INTERNAL_SERVER_ERROR;
    }
    return status;
}
