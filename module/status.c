/*
 * status.c -- counters of all children, and the two ways to read them: SetHandler gpuxml-status (text, JSON, Prometheus), and mod_status
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

typedef struct line { const char *name; u64 value; int is_now; } line;      /* is_now: how it is, not how often since the start */

static line counter(const char *name, u64 value) { return (line){ name, value, 0 }; }
static line gauge(const char *name, u64 value) { return (line){ name, value, 1 }; }

static int collect(line *out)
{
    gx_queue_stats q;
    int n = 0;
    out[n++] = counter("Done", GXM_TOLD(done));
    out[n++] = counter("NotModified", GXM_TOLD(not_modified));
    out[n++] = counter("Bypass", GXM_TOLD(bypass));
    out[n++] = counter("ErrorSource", GXM_TOLD(error[GXM_CLASS_SOURCE]));
    out[n++] = counter("ErrorSheet", GXM_TOLD(error[GXM_CLASS_SHEET]));
    out[n++] = counter("ErrorBusy", GXM_TOLD(error[GXM_CLASS_BUSY]));
    out[n++] = counter("ErrorTime", GXM_TOLD(error[GXM_CLASS_TIME]));
    out[n++] = counter("Passed", GXM_TOLD(passed));
    out[n++] = counter("InBytes", GXM_TOLD(in_bytes));
    out[n++] = counter("OutBytes", GXM_TOLD(out_bytes));
    out[n++] = counter("Nodes", GXM_TOLD(nodes));
    out[n++] = counter("ParseUs", GXM_TOLD(parse_us));
    out[n++] = counter("QueueUs", GXM_TOLD(queue_us));
    out[n++] = counter("EvalUs", GXM_TOLD(eval_us));
    out[n++] = counter("OutUs", GXM_TOLD(out_us));
    out[n++] = counter("CacheHits", GXM_TOLD(cache_hits));
    out[n++] = counter("CacheMisses", GXM_TOLD(cache_misses));
    out[n++] = gauge("CacheBytes", cache_bytes());
    out[n++] = counter("Reloads", GXM_TOLD(reloads));
    out[n++] = counter("ReloadErrors", GXM_TOLD(reload_errors));
    out[n++] = counter("ByCpu", GXM_TOLD(by_cpu));
    out[n++] = counter("ByWorker", GXM_TOLD(by_worker));
    out[n++] = counter("WorkerFallbacks", GXM_TOLD(worker_fallbacks));
    out[n++] = counter("WorkerStarts", GXM_TOLD(worker_starts));
    out[n++] = counter("WorkerDeaths", GXM_TOLD(worker_deaths));
    if (gxm_worker_stats(&q)) {
        out[n++] = gauge("WorkerPid", q.worker_pid);
        out[n++] = gauge("WorkerAlive", (u64)q.alive);
        out[n++] = gauge("QueueSlots", q.slots);
        out[n++] = gauge("QueueSlotsFree", q.by_state[GX_Q_FREE]);
        out[n++] = gauge("QueueUnits", q.units);
        out[n++] = gauge("QueueUnitsUsed", q.units_used);
        out[n++] = counter("QueueSubmitted", q.submitted);
        out[n++] = counter("QueueBusy", q.busy);
        out[n++] = counter("QueueLate", q.late);
        out[n++] = counter("QueueReaped", q.reaped);
        out[n++] = counter("QueueRetried", q.retried);
        out[n++] = counter("QueuePoison", q.poison);
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

/* Prometheus' text format, 0.0.4, whose names have units: ParseUs is gpuxml_parse_seconds_total, CacheBytes gpuxml_cache_bytes */
static void put_metrics(request_rec *r, const line *lines, int n)
{
    char name[80], engine[160];
    apr_cpystrn(engine, gxm_worker_verdict(), sizeof engine);
    words_only(engine);
    ap_rprintf(r, "# TYPE gpuxml_info gauge\ngpuxml_info{version=\"" GX_VERSION "\",engine=\"%s\"} 1\n", engine);
    if (gxm_costs)
        ap_rprintf(r, "# TYPE gpuxml_load gauge\ngpuxml_load %.2f\n", (double)gxm_cost_load(gxm_costs));
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(lines[i].name);
        const int is_time = strcmp(lines[i].name + length - 2, "Us") == 0;
        char *to = name;
        for (const char *s = lines[i].name; s < lines[i].name + length - 2 * is_time; s++) {
            if (apr_isupper(*s) && s > lines[i].name)
                *to++ = '_';
            *to++ = (char)apr_tolower(*s);
        }
        strcpy(to, is_time ? "_seconds_total" : lines[i].is_now ? "" : "_total");
        ap_rprintf(r, "# TYPE gpuxml_%s %s\ngpuxml_%s ", name, lines[i].is_now ? "gauge" : "counter", name);
        if (is_time)
            ap_rprintf(r, "%.6f\n", (double)lines[i].value / 1e6);
        else
            ap_rprintf(r, "%" APR_UINT64_T_FMT "\n", (apr_uint64_t)lines[i].value);
    }
}

int gxm_status_handler(request_rec *r)
{
    line lines[MAX_LINES];
    int n, json, metrics;
    if (!r->handler || strcmp(r->handler, "gpuxml-status") != 0)
        return DECLINED;
    ap_allow_methods(r, REPLACE_ALLOW, "GET", NULL);
    if (r->method_number != M_GET)
        return HTTP_METHOD_NOT_ALLOWED;
    json = r->args && strcmp(r->args, "json") == 0;
    metrics = r->args && strcmp(r->args, "metrics") == 0;
    ap_set_content_type(r, json ? "application/json" : metrics ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8");
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    if (r->header_only)
        return OK;
    n = collect(lines);
    if (metrics) {
        put_metrics(r, lines, n);
        return OK;
    }
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
