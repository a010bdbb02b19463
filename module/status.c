/*
 * status.c -- counters of all children, and the two ways to read them: SetHandler gpuxml-status, and mod_status
 *
 * The counters lie in one anonymous shared mapping that is made before the children are forked. They are added to without
 * order; a page that is read while requests run may be off by those. What a child has, and not did, stands in a place of its own there: when it
 * ends, however it does, httpd's parent empties that. No URIs, parameters or paths are shown (of a stylesheet its base
 * name, in the table of what GPUXMLEngine auto has learnt).
 */
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"
#include "worker.h"
#include <apr_optional_hooks.h>
#include <mod_status.h>

static gxm_counters nowhere;        /* while there is no mapping: what is counted here is not shown */
gxm_counters *gxm_count = &nowhere;

static apr_status_t unmap(void *data)
{
    munmap(data, sizeof(gxm_counters));
    gxm_count = &nowhere;
    return APR_SUCCESS;
}

void gxm_status_start(apr_pool_t *pconf)
{
    void *at = mmap(NULL, sizeof(gxm_counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    gxm_count = at;
    apr_pool_cleanup_register(pconf, at, unmap, apr_pool_cleanup_null);
}

/* ---- children ---- */

u32 gxm_child_place = GXM_CHILDREN - 1;

/* More children than places: the last ones share one. What they tell is a little off then, and what is left of them goes with its first one. */
void gxm_child_begin(void)
{
    for (u32 i = 0, none = 0; i < GXM_CHILDREN; i++, none = 0)
        if (__atomic_compare_exchange_n(&gxm_count->child[i].pid, &none, (u32)getpid(), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            gxm_child_place = i;
            return;
        }
}

u32 gxm_child_ended(int pid)
{
    u32 i = 0;
    while (i < GXM_CHILDREN && GXM_TOLD(child[i].pid) != (u32)pid)
        i++;
    if (i < GXM_CHILDREN) {
        __atomic_store_n(&gxm_count->child[i].cache_bytes, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&gxm_count->child[i].pid, 0, __ATOMIC_RELEASE);
    }
    return i;
}

static u64 cache_bytes(void)
{
    u64 n = 0;
    for (u32 i = 0; i < GXM_CHILDREN; i++)
        n += GXM_TOLD(child[i].cache_bytes);
    return n;
}

/* ---- the page ---- */

#define MAX_LINES 64

typedef struct line { const char *name; u64 value; } line;

static int collect(line *out)
{
    gx_queue_stats q;
    int n = 0;
    out[n++] = (line){ "Done", GXM_TOLD(done) };
    out[n++] = (line){ "NotModified", GXM_TOLD(not_modified) };
    out[n++] = (line){ "Bypass", GXM_TOLD(bypass) };
    out[n++] = (line){ "ErrorSource", GXM_TOLD(error[GXM_CLASS_SOURCE]) };
    out[n++] = (line){ "ErrorSheet", GXM_TOLD(error[GXM_CLASS_SHEET]) };
    out[n++] = (line){ "ErrorBusy", GXM_TOLD(error[GXM_CLASS_BUSY]) };
    out[n++] = (line){ "ErrorTime", GXM_TOLD(error[GXM_CLASS_TIME]) };
    out[n++] = (line){ "Passed", GXM_TOLD(passed) };
    out[n++] = (line){ "InBytes", GXM_TOLD(in_bytes) };
    out[n++] = (line){ "OutBytes", GXM_TOLD(out_bytes) };
    out[n++] = (line){ "Nodes", GXM_TOLD(nodes) };
    out[n++] = (line){ "ParseUs", GXM_TOLD(parse_us) };
    out[n++] = (line){ "QueueUs", GXM_TOLD(queue_us) };
    out[n++] = (line){ "EvalUs", GXM_TOLD(eval_us) };
    out[n++] = (line){ "OutUs", GXM_TOLD(out_us) };
    out[n++] = (line){ "CacheHits", GXM_TOLD(cache_hits) };
    out[n++] = (line){ "CacheMisses", GXM_TOLD(cache_misses) };
    out[n++] = (line){ "CacheBytes", cache_bytes() };
    out[n++] = (line){ "Reloads", GXM_TOLD(reloads) };
    out[n++] = (line){ "ReloadErrors", GXM_TOLD(reload_errors) };
    out[n++] = (line){ "ByCpu", GXM_TOLD(by_cpu) };
    out[n++] = (line){ "ByWorker", GXM_TOLD(by_worker) };
    out[n++] = (line){ "WorkerFallbacks", GXM_TOLD(worker_fallbacks) };
    out[n++] = (line){ "WorkerStarts", GXM_TOLD(worker_starts) };
    out[n++] = (line){ "WorkerDeaths", GXM_TOLD(worker_deaths) };
    if (gxm_worker_stats(&q)) {
        out[n++] = (line){ "WorkerPid", q.worker_pid };
        out[n++] = (line){ "WorkerAlive", (u64)q.alive };
        out[n++] = (line){ "QueueSlots", q.slots };
        out[n++] = (line){ "QueueSlotsFree", q.by_state[GX_Q_FREE] };
        out[n++] = (line){ "QueueUnits", q.units };
        out[n++] = (line){ "QueueUnitsUsed", q.units_used };
        out[n++] = (line){ "QueueSubmitted", q.submitted };
        out[n++] = (line){ "QueueBusy", q.busy };
        out[n++] = (line){ "QueueLate", q.late };
        out[n++] = (line){ "QueueReaped", q.reaped };
        out[n++] = (line){ "QueueRetried", q.retried };
        out[n++] = (line){ "QueuePoison", q.poison };
    }
    return n;
}

/* Names out of memory that is shared, on a page and in a JSON string */
static void words_only(char *s)
{
    for (; *s; s++)
        if (!apr_isalnum(*s) && !strchr("._- ^(),/", *s))
            *s = '_';
}

/* What the cost model has learnt: a line for each program and size class. */
static void put_costs(request_rec *r, int json)
{
    char ways[160];
    int n = 0;
    if (!gxm_costs)
        return;
    gxm_cost_explain_ways(gxm_costs, ways, sizeof ways);
    words_only(ways);
    ap_rprintf(r, json ? ", \"Load\": %.2f, \"Ways\": \"%s\", \"Costs\": [" : *ways ? "Load: %.2f\nWays: %s\n" : "Load: %.2f\n",
               (double)gxm_cost_load(gxm_costs), ways);
    for (u32 i = 0; i < GXM_COST_CELLS; i++) {
        gxm_cost_cell c = gxm_cost_look(&gxm_costs->cell[i]);
        if (!c.key || !(c.n_thread | c.n_worker))
            continue;
        words_only(c.name);
        if (json)
            ap_rprintf(r, "%s{\"Sheet\": \"%s\", \"NodesLog2\": %u, \"ThreadUs\": %.1f, \"ThreadSamples\": %u, \"WorkerUs\": %.1f, "
                       "\"WorkerCpuUs\": %.1f, \"WorkerSamples\": %u}", n++ ? ", " : "", c.name, c.size_class, c.thread_us, c.n_thread,
                       c.worker_us, c.worker_cpu_us, c.n_worker);
        else
            ap_rprintf(r, "Cost: %s nodes 2^%u thread %.1fus (%u) worker %.1fus + CPU %.1fus (%u)\n", c.name, c.size_class, c.thread_us,
                       c.n_thread, c.worker_us, c.worker_cpu_us, c.n_worker);
    }
    ap_rputs(json ? "]" : "", r);
}

int gxm_status_handler(request_rec *r)
{
    line lines[MAX_LINES];
    int n, json;
    if (!r->handler || strcmp(r->handler, "gpuxml-status") != 0)
        return DECLINED;
    ap_allow_methods(r, REPLACE_ALLOW, "GET", NULL);
    if (r->method_number != M_GET)
        return HTTP_METHOD_NOT_ALLOWED;
    json = r->args && strcmp(r->args, "json") == 0;
    ap_set_content_type(r, json ? "application/json" : "text/plain; charset=utf-8");
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    if (r->header_only)
        return OK;
    n = collect(lines);
    ap_rprintf(r, json ? "{\"Engine\": \"%s\"" : "Engine: %s\n", gxm_worker_verdict());
    for (int i = 0; i < n; i++)
        ap_rprintf(r, json ? ", \"%s\": %" APR_UINT64_T_FMT : "%s: %" APR_UINT64_T_FMT "\n", lines[i].name, (apr_uint64_t)lines[i].value);
    put_costs(r, json);
    ap_rputs(json ? "}\n" : "", r);
    return OK;
}

static int mod_status_part(request_rec *r, int flags)
{
    line lines[MAX_LINES];
    int n = collect(lines);
    if (flags & AP_STATUS_SHORT) {
        ap_rprintf(r, "GpuxmlEngine: %s\n", gxm_worker_verdict());
        for (int i = 0; i < n; i++)
            ap_rprintf(r, "Gpuxml%s: %" APR_UINT64_T_FMT "\n", lines[i].name, (apr_uint64_t)lines[i].value);
        return OK;
    }
    ap_rprintf(r, "<hr />\n<h2>gpuxml: %s</h2>\n<table>\n", ap_escape_html(r->pool, gxm_worker_verdict()));
    for (int i = 0; i < n; i++)
        ap_rprintf(r, "<tr><td>%s</td><td>%" APR_UINT64_T_FMT "</td></tr>\n", lines[i].name, (apr_uint64_t)lines[i].value);
    ap_rputs("</table>\n", r);
    return OK;
}

void gxm_status_register(void) { APR_OPTIONAL_HOOK(ap, status_hook, mod_status_part, NULL, NULL, APR_HOOK_MIDDLE); }
