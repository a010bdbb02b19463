/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c -- SetHandler gpuxml-status, and this module's part of mod_status's page
 *
 *   what is asked for                                              answer
 *   ?metrics, ?metrics=, .../metrics, Accept: Prometheus's types   Prometheus's text format 0.0.4
 *   ?json, Accept: application/json                                JSON
 *   ?auto, Accept: text/plain                                      a line for each counter, as mod_status's ?auto
 *   ?xml                                                           the XML that the page is made from
 *   .../json, .../auto, .../xml                                    the same, for a program that writes no query
 *   anything else                                                  a page (status_page.c)
 *
 * No URIs, parameters or paths are shown: of a stylesheet its base name. Names come from memory that every child can
 * write, so they are escaped like anything from the network.
 */
#include "status.h"
#include "worker.h"
#include <apr_optional_hooks.h>
#include <mod_status.h>

/* ---- the counters, by name ---- */

typedef struct line {
    const char *name;           /* of ?auto and ?json; ParseUs is Prometheus's gpuxml_parse_seconds_total */
    const char *help;
    u64 value;
    int is_gauge;               /* how it is now, not how often since the start */
} line;
#define MAX_LINES 64

/* All counters and gauges, in the order of every form of the page, to `out`, which has MAX_LINES; how many. Names are
 * part of the interface: ?auto, ?json and Prometheus's are made of them. */
static int collect(line *out)
{
    gx_queue_stats q;
    int n = 0;
#define COUNTER(name, field, help) out[n++] = (line){ name, help, GXM_TOLD(field), 0 }
#define GAUGE(name, value, help) out[n++] = (line){ name, help, (u64)(value), 1 }
    COUNTER("Done", done, "Pages made.");
    COUNTER("NotModified", not_modified, "Requests answered with 304 or 412 before anything was evaluated.");
    COUNTER("Bypass", bypass, "Responses that went out untransformed.");
    COUNTER("ErrorSource", error[GXM_CLASS_SOURCE], "Failed requests: the source was at fault.");
    COUNTER("ErrorSheet", error[GXM_CLASS_SHEET], "Failed requests: the stylesheet was at fault.");
    COUNTER("ErrorBusy", error[GXM_CLASS_BUSY], "Failed requests: no memory or no capacity.");
    COUNTER("ErrorTime", error[GXM_CLASS_TIME], "Failed requests: out of time.");
    COUNTER("Passed", passed, "Failed requests whose source was sent instead.");
    COUNTER("InBytes", in_bytes, "Bytes of sources.");
    COUNTER("OutBytes", out_bytes, "Bytes of pages.");
    COUNTER("Nodes", nodes, "Nodes of sources.");
    COUNTER("ParseUs", parse_us, "Time spent parsing.");
    COUNTER("QueueUs", queue_us, "Time spent waiting in the worker's queue.");
    COUNTER("EvalUs", eval_us, "Time spent evaluating.");
    COUNTER("OutUs", out_us, "Time spent writing pages.");
    COUNTER("CacheHits", cache_hits, "Documents found in the cache.");
    COUNTER("CacheMisses", cache_misses, "Documents looked for in the cache in vain.");
    COUNTER("ResultHits", result_hits, "Pages found in the result cache.");
    COUNTER("ResultMisses", result_misses, "Pages looked for in the result cache in vain.");
    COUNTER("ResultFailures", result_failures, "Failures of the result cache.");
    GAUGE("CacheBytes", gxm_cache_bytes(), "Bytes of documents kept by all children.");
    COUNTER("Reloads", reloads, "Stylesheets compiled again because their files changed.");
    COUNTER("ReloadErrors", reload_errors, "Changed stylesheets that could not be compiled.");
    COUNTER("ByCpu", by_cpu, "Evaluations by the request's own thread.");
    COUNTER("ByWorker", by_worker, "Evaluations by the worker process.");
    COUNTER("WorkerFallbacks", worker_fallbacks,
            "Requests that the worker did not take, evaluated by their own thread.");
    COUNTER("ByBytes", by_bytes, "Pages that the worker made of a source's bytes.");
    COUNTER("BytesRefused", bytes_refused, "Sources that the worker handed back, parsed by their own thread.");
    COUNTER("WorkerStarts", worker_starts, "Starts of the worker process.");
    COUNTER("WorkerDeaths", worker_deaths, "Deaths of the worker process.");
    GAUGE("Profiles", GXM_TOLD(profiles), "Profiles in use (GPUXMLProfiles).");
    GAUGE("ProfilesLeftOut", GXM_TOLD(profiles_bad), "Profiles that are no expressions, and others left out.");
    GAUGE("ProfilesBytes", GXM_TOLD(profiles_bytes), "Memory of the profiles in use.");
    COUNTER("ProfileReloads", profile_reloads, "Sets of profiles loaded again because their files changed.");
    COUNTER("MatchDocuments", match_documents, "Documents matched with profiles.");
    COUNTER("MatchMatches", match_matches, "Profiles that these documents matched.");
    COUNTER("MatchErrors", match_errors, "Documents that could not be matched.");
    COUNTER("MatchUs", match_us, "Time spent matching.");
    COUNTER("MatchByDevice", match_by_device, "Documents that a worker's device matched.");
    COUNTER("MatchFallbacks", match_fallbacks, "Documents that the device did not take, matched by their own thread.");
    COUNTER("Restarts", restarts, "Restarts of httpd that these counters have outlived.");
    if (gxm_worker_stats(&q)) {
        GAUGE("WorkerPid", q.worker_pid, "Process id of the worker, 0 if there is none.");
        GAUGE("WorkerAlive", q.alive, "1 while the worker's heart beats.");
        GAUGE("QueueSlots", q.slots, "Requests that may be in flight to the worker.");
        GAUGE("QueueSlotsFree", q.by_state[GX_Q_FREE], "Free slots of the queue.");
        GAUGE("QueueWaiting", q.by_state[GX_Q_SUBMITTED], "Requests that wait for the worker.");
        GAUGE("QueueRunning", q.by_state[GX_Q_RUNNING], "Requests that the worker has taken.");
        GAUGE("QueueUnits", q.units, "Units of 16 KiB in the queue's memory.");
        GAUGE("QueueUnitsUsed", q.units_used, "Units of the queue's memory in use.");
        out[n++] = (line){ "QueueSubmitted", "Requests handed to the worker.", q.submitted, 0 };
        out[n++] = (line){ "QueueBusy", "Requests turned away because the queue was full.", q.busy, 0 };
        out[n++] = (line){ "QueueLate", "Requests given up by their owner.", q.late, 0 };
        out[n++] = (line){ "QueueReaped", "Slots of processes that died.", q.reaped, 0 };
        out[n++] = (line){ "QueueRetried", "Requests tried again after a worker's death.", q.retried, 0 };
        out[n++] = (line){ "QueuePoison", "Requests refused because workers died with them.", q.poison, 0 };
    }
#undef COUNTER
#undef GAUGE
    return n;
}

/* Names out of memory that is shared, on a text page and in a JSON string */
static int is_word(char c) { return apr_isalnum(c) || strchr("._- ^(),/:@*[]", c); }

static void words_only(char *s)
{
    for (; *s; s++)
        if (!is_word(*s))
            *s = '_';
}

/* What the cost model has learnt: calls put for each program and size class that was measured. */
static void each_cost(request_rec *r, void (*put)(request_rec *r, const gxm_cost_cell *cell, int n))
{
    int n = 0;
    for (u32 i = 0; gxm_costs && i < GXM_COST_CELLS; i++) {
        gxm_cost_cell c = gxm_cost_look(&gxm_costs->cell[i]);
        if (!c.key || !(c.n_thread | c.n_worker))
            continue;
        words_only(c.name);
        put(r, &c, n++);
    }
}

/* The stylesheets that were used, each added up once; in pool */
typedef struct used { u32 row; char name[64]; gxm_stripe sum; } used;
static used *all_used(apr_pool_t *pool, u32 *n)
{
    used *all = (used *)APR_ALIGN((apr_uintptr_t)apr_palloc(pool, (GXM_ROWS + 1) * sizeof *all),
                                  __alignof__(used)); /* a pool aligns to 8 bytes */
    *n = 0;
    for (u32 row = 0; row < GXM_ROWS; row++) {
        used *u = &all[*n];
        u->row = row;
        gxm_measure_name(&gxm_count->measure, row, u->name);
        gxm_measure_sum(&gxm_count->measure, row, &u->sum);
        if (*u->name && (u->sum.done | u->sum.failed | u->sum.not_modified))
            ++*n;
    }
    return all;
}

/* The last reason, in words with figures, of a stylesheet's engine */
static const char *why_of(const used *sheet, char why[64])
{
    gxm_measure_why(&gxm_count->measure, sheet->row, why);
    for (char *c = why; *c; c++)
        if (*c != '<' && *c != '=' && !is_word(*c))     /* "thread 12us <= worker 30us" */
            *c = '_';
    return why;
}

static const char *ways(char *text, size_t size)
{
    *text = 0;
    if (gxm_costs)
        gxm_cost_explain_ways(gxm_costs, text, (int)size);
    words_only(text);
    return text;
}

/* A device's figures, by the names that ?auto and ?json give them; Batches apart */
typedef struct device_line { const char *name; u64 value; } device_line;
#define DEVICE_LINES 9

static void device_lines(const gx_q_device *d, device_line out[DEVICE_LINES])
{
    u64 batches = 0;
    for (u32 i = 0; i < GX_Q_BATCHES; i++)
        batches += d->batch[i];
    out[0] = (device_line){ "MemoryBytes", d->memory };
    out[1] = (device_line){ "MemoryUsedBytes", d->memory_used };
    out[2] = (device_line){ "BusyUs", d->busy_us };
    out[3] = (device_line){ "Batches", batches };
    out[4] = (device_line){ "BatchRequests", d->batch_requests };
    out[5] = (device_line){ "GridRequests", d->grid_requests };
    out[6] = (device_line){ "CoreRequests", d->core_requests };
    out[7] = (device_line){ "MatchRequests", d->match_requests };
    out[8] = (device_line){ "MatchSets", d->match_sets };
}

/* What ?auto and mod_status's page show: name is the line's, such as Device0BusyUs */
static void each_device_line(request_rec *r, void (*put)(request_rec *r, const char *name, const char *value))
{
    gx_queue_stats q;
    device_line lines[DEVICE_LINES];
    if (!gxm_worker_stats(&q))
        return;
    for (u32 k = 0; k < q.n_devices; k++) {
        device_lines(&q.device[k], lines);
        words_only(q.device[k].name);
        put(r, apr_psprintf(r->pool, "Device%uName", k), q.device[k].name);
        for (u32 i = 0; i < DEVICE_LINES; i++)
            put(r, apr_psprintf(r->pool, "Device%u%s", k, lines[i].name),
                apr_psprintf(r->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)lines[i].value));
    }
}

/* The newest sample, or NULL: how busy the devices are now */
static const gxm_sample *newest_sample(void)
{
    const gxm_measure *m = &gxm_count->measure;
    const u64 n = __atomic_load_n(&m->n_samples, __ATOMIC_ACQUIRE);
    return n ? &m->sample[(n - 1) % GXM_SAMPLES] : NULL;
}

/* ---- text ---- */

static void put_line(request_rec *r, const char *name, const char *value) { ap_rprintf(r, "%s: %s\n", name, value); }

static void put_cost_text(request_rec *r, const gxm_cost_cell *c, int n)
{
    (void)n;
    ap_rprintf(r, "Cost: %s nodes 2^%u thread %.1fus (%u) worker %.1fus + CPU %.1fus (%u)\n", c->name, c->size_class,
               (double)c->thread_us, c->n_thread, (double)c->worker_us, (double)c->worker_cpu_us, c->n_worker);
}

static void put_text(request_rec *r)
{
    line lines[MAX_LINES];
    char text[160];
    const int n = collect(lines);
    ap_rprintf(r, "Engine: %s\n", gxm_worker_verdict());
    for (int i = 0; i < n; i++)
        ap_rprintf(r, "%s: %" APR_UINT64_T_FMT "\n", lines[i].name, (apr_uint64_t)lines[i].value);
    if (gxm_costs)
        ap_rprintf(r, "Load: %.2f\n", (double)gxm_cost_load(gxm_costs));
    if (*ways(text, sizeof text))
        ap_rprintf(r, "Ways: %s\n", text);
    each_device_line(r, put_line);
    each_cost(r, put_cost_text);
}

/* ---- JSON ---- */

static void put_cost_json(request_rec *r, const gxm_cost_cell *c, int n)
{
    ap_rprintf(
        r,
        "%s{\"Sheet\": \"%s\", \"NodesLog2\": %u, \"ThreadUs\": %.1f, \"ThreadSamples\": %u, \"WorkerUs\": %.1f, "
        "\"WorkerCpuUs\": %.1f, \"WorkerSamples\": %u}",
        n ? ", " : "", c->name, c->size_class, (double)c->thread_us, c->n_thread, (double)c->worker_us,
        (double)c->worker_cpu_us, c->n_worker);
}

static void put_histogram_json(request_rec *r, const char *name, const gxm_histogram *h)
{
    ap_rprintf(r,
               "\"%s\": {\"N\": %" APR_UINT64_T_FMT ", \"SumUs\": %" APR_UINT64_T_FMT
               ", \"P50Us\": %.0f, \"P90Us\": %.0f, "
               "\"P99Us\": %.0f}",
               name, (apr_uint64_t)gxm_histogram_count(h), (apr_uint64_t)h->sum_us, gxm_percentile(h, 0.5),
               gxm_percentile(h, 0.9), gxm_percentile(h, 0.99));
}

static void put_stages_json(request_rec *r, const gxm_stripe *sum)
{
    ap_rputs("\"Stages\": {", r);
    for (u32 i = 0; i < GXM_STAGES; i++) {
        ap_rputs(i ? ", " : "", r);
        put_histogram_json(r, gxm_stage_names[i], &sum->stage[i]);
    }
    ap_rputs("}", r);
}

/* The worker's GPUs as a list in JSON; their names have harmless characters only. */
static void put_devices_json(request_rec *r, const gx_queue_stats *q)
{
    device_line lines[DEVICE_LINES];
    const gxm_sample *now = newest_sample();
    if (now)
        ap_rprintf(r, ", \"DevicesBusy\": %.3f", (double)now->busy / 1000);
    ap_rputs(", \"Devices\": [", r);
    for (u32 k = 0; k < q->n_devices; k++) {
        char name[64];
        memcpy(name, q->device[k].name, sizeof name);
        words_only(name);
        ap_rprintf(r, "%s{\"Name\": \"%s\"", k ? ", " : "", name);
        device_lines(&q->device[k], lines);
        for (u32 i = 0; i < DEVICE_LINES; i++)
            ap_rprintf(r, ", \"%s\": %" APR_UINT64_T_FMT, lines[i].name, (apr_uint64_t)lines[i].value);
        ap_rputs(", \"BatchSizes\": [", r);
        for (u32 i = 0; i < GX_Q_BATCHES; i++)
            ap_rprintf(r, "%s%" APR_UINT64_T_FMT, i ? ", " : "", (apr_uint64_t)q->device[k].batch[i]);
        ap_rputs("]}", r);
    }
    ap_rputs("]", r);
}

/* Choices of an engine, those that were made: put(ctx, engine, reason, n) for each. */
static void each_choice(const gxm_stripe *sum, void (*put)(void *ctx, const char *engine, const char *reason, u64 n),
                        void *ctx)
{
    for (u32 engine = 0; engine < 2; engine++)
        for (u32 i = 1; i < GXM_REASONS; i++)
            if (sum->chosen[engine][i])
                put(ctx, engine ? "worker" : "thread", gxm_reason_names[i], sum->chosen[engine][i]);
}

typedef struct choices { request_rec *r; const char *labels; const char *comma; } choices;

static void put_choice_json(void *ctx, const char *engine, const char *reason, u64 n)
{
    choices *c = ctx;
    ap_rprintf(c->r, "%s\"%s: %s\": %" APR_UINT64_T_FMT, c->comma, engine, reason, (apr_uint64_t)n);
    c->comma = ", ";
}

/* The state as one JSON object. Strings that come from memory shared with others have harmless characters only
 * (words_only). */
static void put_json(request_rec *r)
{
    gx_queue_stats q;
    line lines[MAX_LINES];
    gxm_stripe sum;
    char text[160], why[64];
    u32 n_used;
    const int n = collect(lines);
    const char *comma = "";
    ap_rprintf(r, "{\"Engine\": \"%s\"", ap_escape_quotes(r->pool, gxm_worker_verdict()));
    for (int i = 0; i < n; i++)
        ap_rprintf(r, ", \"%s\": %" APR_UINT64_T_FMT, lines[i].name, (apr_uint64_t)lines[i].value);
    if (gxm_costs) {
        ap_rprintf(r, ", \"Load\": %.2f, \"Ways\": \"%s\", \"Costs\": [", (double)gxm_cost_load(gxm_costs),
                   ways(text, sizeof text));
        each_cost(r, put_cost_json);
        ap_rputs("]", r);
    }
    if (gxm_worker_stats(&q) && q.n_devices)
        put_devices_json(r, &q);
    gxm_measure_sum(&gxm_count->measure, GXM_ROWS, &sum);
    ap_rputs(", ", r);
    put_stages_json(r, &sum);
    ap_rputs(", \"Stylesheets\": [", r);
    const used *all = all_used(r->pool, &n_used);
    for (u32 k = 0; k < n_used; k++) {
        char *name = apr_pstrdup(r->pool, all[k].name);
        sum = all[k].sum;
        words_only(name);
        ap_rprintf(r,
                   "%s{\"Name\": \"%s\", \"Done\": %" APR_UINT64_T_FMT ", \"Failed\": %" APR_UINT64_T_FMT
                   ", \"NotModified\": %" APR_UINT64_T_FMT ", \"InBytes\": %" APR_UINT64_T_FMT
                   ", \"OutBytes\": %" APR_UINT64_T_FMT ", \"ByCpu\": %" APR_UINT64_T_FMT
                   ", \"ByWorker\": %" APR_UINT64_T_FMT ", \"ArenaBytes\": %" APR_UINT64_T_FMT
                   ", \"Why\": \"%s\", \"Choices\": {",
                   comma, name, (apr_uint64_t)sum.done, (apr_uint64_t)sum.failed, (apr_uint64_t)sum.not_modified,
                   (apr_uint64_t)sum.in_bytes, (apr_uint64_t)sum.out_bytes, (apr_uint64_t)sum.by_cpu,
                   (apr_uint64_t)sum.by_worker, (apr_uint64_t)GXM_TOLD(measure.row[all[k].row].arena_bytes),
                   why_of(&all[k], why));
        each_choice(&sum, put_choice_json, &(choices){ r, NULL, "" });
        ap_rputs("}, ", r);
        put_stages_json(r, &sum);
        ap_rputs("}", r);
        comma = ", ";
    }
    ap_rputs("]}\n", r);
}

/* ---- Prometheus's text format, 0.0.4 ---- */

#define LE_FIRST 5u         /* 32 us */
#define LE_LAST 24u         /* 17 s */

/* A label's value: \ and " are escaped, and what is not printable ASCII is replaced. */
static const char *label(apr_pool_t *p, const char *s)
{
    char *out = apr_palloc(p, 2 * strlen(s) + 1), *to = out;
    for (; *s; s++) {
        if (*s == '\\' || *s == '"')
            *to++ = '\\';
        *to++ = *s >= ' ' && *s < 0x7f ? *s : '_';
    }
    *to = 0;
    return out;
}

static void put_family(request_rec *r, const char *name, const char *type, const char *help)
{
    ap_rprintf(r, "# HELP gpuxml_%s %s\n# TYPE gpuxml_%s %s\n", name, help, name, type);
}

/* labels: `stage="parse"`. Values are whole microseconds, so "below 2^k us" is what le says. step: of k, between two
 * buckets. */
static void put_histogram(request_rec *r, const char *name, const char *labels, const gxm_histogram *h, u32 step)
{
    const apr_uint64_t all = gxm_histogram_count(h);
    for (u32 k = LE_FIRST; k < LE_LAST; k += step)
        ap_rprintf(r, "gpuxml_%s_bucket{%s,le=\"%.9g\"} %" APR_UINT64_T_FMT "\n", name, labels,
                   (double)((u64)1 << k) / 1e6, (apr_uint64_t)gxm_histogram_below(h, k));
    ap_rprintf(r,
               "gpuxml_%s_bucket{%s,le=\"+Inf\"} %" APR_UINT64_T_FMT
               "\ngpuxml_%s_sum{%s} %.6f\ngpuxml_%s_count{%s} %" APR_UINT64_T_FMT "\n",
               name, labels, all, name, labels, (double)h->sum_us / 1e6, name, labels, all);
}

typedef enum { BY_PAGES, BY_CHOICE, BY_ARENA, BY_ERRORS, BY_NOT_MODIFIED, BY_BYTES, BY_TIME } family;

static void put_choice(void *ctx, const char *engine, const char *reason, u64 n)
{
    const choices *c = ctx;
    ap_rprintf(c->r, "gpuxml_stylesheet_choices_total{%s,engine=\"%s\",reason=\"%s\"} %" APR_UINT64_T_FMT "\n",
               c->labels, engine, reason, (apr_uint64_t)n);
}

/* One family of Prometheus's metrics, a line or histogram for each stylesheet. */
static void put_rows(request_rec *r, const used *all, u32 n, family what)
{
    for (u32 k = 0; k < n; k++) {
        const gxm_stripe *sum = &all[k].sum;
        const char *labels = apr_psprintf(r->pool, "stylesheet=\"%s\"", label(r->pool, all[k].name));
        switch (what) {
        case BY_PAGES:
            ap_rprintf(r, "gpuxml_stylesheet_evaluations_total{%s,engine=\"thread\"} %" APR_UINT64_T_FMT "\n"
                       "gpuxml_stylesheet_evaluations_total{%s,engine=\"worker\"} %" APR_UINT64_T_FMT "\n", labels,
                       (apr_uint64_t)sum->by_cpu, labels, (apr_uint64_t)sum->by_worker);
            break;
        case BY_CHOICE: each_choice(sum, put_choice, &(choices){ r, labels, NULL }); break;
        case BY_ARENA:
            ap_rprintf(r, "gpuxml_stylesheet_arena_bytes{%s} %" APR_UINT64_T_FMT "\n", labels,
                       (apr_uint64_t)GXM_TOLD(measure.row[all[k].row].arena_bytes));
            break;
        case BY_ERRORS:
            ap_rprintf(r, "gpuxml_stylesheet_errors_total{%s} %" APR_UINT64_T_FMT "\n", labels,
                       (apr_uint64_t)sum->failed);
            break;
        case BY_NOT_MODIFIED:
            ap_rprintf(r, "gpuxml_stylesheet_not_modified_total{%s} %" APR_UINT64_T_FMT "\n", labels,
                       (apr_uint64_t)sum->not_modified);
            break;
        case BY_BYTES:
            ap_rprintf(r, "gpuxml_stylesheet_out_bytes_total{%s} %" APR_UINT64_T_FMT "\n", labels,
                       (apr_uint64_t)sum->out_bytes);
            break;
        case BY_TIME:
            put_histogram(r, "stylesheet_duration_seconds", labels, &sum->stage[GXM_AT_TOTAL], 3);
            break;
        }
    }
}

static void put_counter(request_rec *r, const line *l)
{
    char name[80], *to = name;
    const size_t length = strlen(l->name);
    const int is_time = strcmp(l->name + length - 2, "Us") == 0;
    for (const char *s = l->name; s < l->name + length - 2 * is_time; s++) {
        if (apr_isupper(*s) && s > l->name)
            *to++ = '_';
        *to++ = (char)apr_tolower(*s);
    }
    strcpy(to, is_time ? "_seconds_total" : l->is_gauge ? "" : "_total");
    put_family(r, name, l->is_gauge ? "gauge" : "counter", l->help);
    if (is_time)
        ap_rprintf(r, "gpuxml_%s %.6f\n", name, (double)l->value / 1e6);
    else
        ap_rprintf(r, "gpuxml_%s %" APR_UINT64_T_FMT "\n", name, (apr_uint64_t)l->value);
}

/* One value of each device; value: of DEVICE_LINES */
static void put_devices(request_rec *r, const gx_queue_stats *q, const char *name, const char *type, const char *help,
                        u32 value)
{
    device_line lines[DEVICE_LINES];
    put_family(r, name, type, help);
    for (u32 k = 0; k < q->n_devices; k++) {
        device_lines(&q->device[k], lines);
        ap_rprintf(r, "gpuxml_%s{device=\"%u\",name=\"%s\"} ", name, k, label(r->pool, q->device[k].name));
        if (strcmp(lines[value].name, "BusyUs") == 0)
            ap_rprintf(r, "%.6f\n", (double)lines[value].value / 1e6);
        else
            ap_rprintf(r, "%" APR_UINT64_T_FMT "\n", (apr_uint64_t)lines[value].value);
    }
}

/* Metrics of the worker's GPUs; the numbers are places in device_lines(). Batches are a histogram by powers of two. */
static void put_device_metrics(request_rec *r, const gx_queue_stats *q)
{
    put_devices(r, q, "device_memory_bytes", "gauge", "Memory of a GPU.", 0);
    put_devices(r, q, "device_memory_used_bytes", "gauge", "Memory of a GPU in use, by whomever.", 1);
    put_devices(r, q, "device_busy_seconds_total", "counter",
                "Time in which a GPU had at least one launch of the worker's under way.", 2);
    put_devices(r, q, "device_grid_requests_total", "counter", "Requests that a whole GPU evaluated together.", 5);
    put_devices(r, q, "device_core_requests_total", "counter",
                "Requests that the worker evaluated on a core, where that cost less than a launch.", 6);
    put_devices(r, q, "device_match_requests_total", "counter", "Documents that a GPU matched with profiles.", 7);
    put_devices(r, q, "device_match_sets", "gauge", "Sets of profiles that a GPU has.", 8);
    put_family(r, "device_batch_requests", "histogram", "Requests of a batch.");
    for (u32 k = 0; k < q->n_devices; k++) {
        const gx_q_device *d = &q->device[k];
        const char *labels = apr_psprintf(r->pool, "device=\"%u\",name=\"%s\"", k, label(r->pool, d->name));
        u64 n = 0;
        for (u32 i = 0; i < GX_Q_BATCHES; i++) {
            n += d->batch[i];
            ap_rprintf(r, "gpuxml_device_batch_requests_bucket{%s,le=\"%s\"} %" APR_UINT64_T_FMT "\n", labels,
                       i + 1 < GX_Q_BATCHES ? apr_psprintf(r->pool, "%u", (2u << i) - 1) : "+Inf", (apr_uint64_t)n);
        }
        ap_rprintf(r,
                   "gpuxml_device_batch_requests_sum{%s} %" APR_UINT64_T_FMT
                   "\ngpuxml_device_batch_requests_count{%s} %" APR_UINT64_T_FMT "\n",
                   labels, (apr_uint64_t)d->batch_requests, labels, (apr_uint64_t)n);
    }
}

/* The state in Prometheus's text format: each family's lines stand together, behind its HELP and TYPE. */
static void put_metrics(request_rec *r)
{
    gx_queue_stats q;
    line lines[MAX_LINES];
    gxm_stripe sum;
    u32 n_used;
    const used *all = all_used(r->pool, &n_used);
    const int n = collect(lines);
    put_family(r, "info", "gauge", "Version of the module and what evaluates.");
    ap_rprintf(r, "gpuxml_info{version=\"" GX_VERSION "\",engine=\"%s\"} 1\n", label(r->pool, gxm_worker_verdict()));
    put_family(r, "start_time_seconds", "gauge", "When these counters began, in seconds since 1970.");
    ap_rprintf(r, "gpuxml_start_time_seconds %.3f\n", (double)gxm_count->started_us / 1e6);
    if (gxm_costs) {
        put_family(r, "load", "gauge", "What a microsecond on a core costs, 1 while cores are idle.");
        ap_rprintf(r, "gpuxml_load %.2f\n", (double)gxm_cost_load(gxm_costs));
    }
    for (int i = 0; i < n; i++)
        put_counter(r, &lines[i]);
    if (gxm_worker_stats(&q) && q.n_devices)
        put_device_metrics(r, &q);
    gxm_measure_sum(&gxm_count->measure, GXM_ROWS, &sum);
    put_family(r, "stage_duration_seconds", "histogram", "Time of a request by stage; total: what this module added.");
    for (u32 i = 0; i < GXM_STAGES; i++)
        put_histogram(r, "stage_duration_seconds", apr_psprintf(r->pool, "stage=\"%s\"", gxm_stage_names[i]),
                      &sum.stage[i], 1);
    put_family(r, "stylesheet_evaluations_total", "counter", "Evaluations by stylesheet and engine.");
    put_rows(r, all, n_used, BY_PAGES);
    put_family(r, "stylesheet_choices_total", "counter", "Choices of an engine, by stylesheet and reason.");
    put_rows(r, all, n_used, BY_CHOICE);
    put_family(r, "stylesheet_arena_bytes", "gauge", "The largest result of an evaluation, by stylesheet.");
    put_rows(r, all, n_used, BY_ARENA);
    put_family(r, "stylesheet_errors_total", "counter", "Failed requests by stylesheet.");
    put_rows(r, all, n_used, BY_ERRORS);
    put_family(r, "stylesheet_not_modified_total", "counter",
               "Conditional requests answered without a page, by stylesheet.");
    put_rows(r, all, n_used, BY_NOT_MODIFIED);
    put_family(r, "stylesheet_out_bytes_total", "counter", "Bytes of pages by stylesheet.");
    put_rows(r, all, n_used, BY_BYTES);
    put_family(r, "stylesheet_duration_seconds", "histogram",
               "Time that this module added to a request, by stylesheet.");
    put_rows(r, all, n_used, BY_TIME);
}

/* ---- XML, which the page is made from ---- */

typedef struct text { apr_pool_t *pool; apr_array_header_t *bytes; } text;

static void say(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *s = apr_pvsprintf(t->pool, fmt, args);
    va_end(args);
    const size_t n = strlen(s);
    const int at = t->bytes->nelts;
    if ((size_t)t->bytes->nalloc - (size_t)at < n)
        for (size_t i = 0; i < n; i++)
            APR_ARRAY_PUSH(t->bytes, char) = s[i];
    else {
        memcpy(t->bytes->elts + at, s, n);
        t->bytes->nelts += (int)n;
    }
}

/* An attribute's value. APR escapes & < > " and, asked to, everything that is not ASCII; controls cannot stand in XML
 * at all. */
static const char *clean(text *t, const char *s)
{
    char *out = apr_pstrdup(t->pool, s);
    for (char *c = out; *c; c++)
        if ((u8)*c < ' ' || *c == 0x7f)
            *c = '?';
    return ap_escape_html2(t->pool, out, 1);
}

static void say_stages(text *t, const gxm_stripe *sum)
{
    for (u32 i = 0; i < GXM_STAGES; i++) {
        const gxm_histogram *h = &sum->stage[i];
        const u64 n = gxm_histogram_count(h);
        say(t, "<stage name=\"%s\" n=\"%" APR_UINT64_T_FMT "\" mean=\"%.1f\" p50=\"%.0f\" p90=\"%.0f\" p99=\"%.0f\"/>",
            gxm_stage_names[i], (apr_uint64_t)n, n ? (double)h->sum_us / (double)n : 0, gxm_percentile(h, 0.5),
            gxm_percentile(h, 0.9), gxm_percentile(h, 0.99));
    }
}

static void say_devices(text *t)
{
    gx_queue_stats q;
    device_line lines[DEVICE_LINES];
    if (!gxm_worker_stats(&q))
        return;
    for (u32 k = 0; k < q.n_devices; k++) {
        say(t, "<device name=\"%s\"", clean(t, q.device[k].name));
        device_lines(&q.device[k], lines);
        for (u32 i = 0; i < DEVICE_LINES; i++)
            say(t, " %s=\"%" APR_UINT64_T_FMT "\"", lines[i].name, (apr_uint64_t)lines[i].value);
        say(t, ">");
        for (u32 i = 0; i < GX_Q_BATCHES; i++)
            say(t, "<batch from=\"%u\" n=\"%" APR_UINT64_T_FMT "\"/>", 1u << i, (apr_uint64_t)q.device[k].batch[i]);
        say(t, "</device>\n");
    }
}

/* To each_choice: elements of a stylesheet's */
static void say_choice(void *ctx, const char *engine, const char *reason, u64 n)
{
    say(ctx, "<choice engine=\"%s\" reason=\"%s\" n=\"%" APR_UINT64_T_FMT "\"/>", engine, reason, (apr_uint64_t)n);
}

/* An element for each stylesheet in use, with its choices and stages. */
static void say_sheets(text *t)
{
    char why[64];
    u32 n;
    const used *all = all_used(t->pool, &n);
    for (u32 k = 0; k < n; k++) {
        const gxm_stripe *sum = &all[k].sum;
        gxm_measure_why(&gxm_count->measure, all[k].row, why);
        say(t,
            "<stylesheet name=\"%s\" done=\"%" APR_UINT64_T_FMT "\" failed=\"%" APR_UINT64_T_FMT
            "\" notmodified=\"%" APR_UINT64_T_FMT "\" in=\"%" APR_UINT64_T_FMT "\" out=\"%" APR_UINT64_T_FMT
            "\" thread=\"%" APR_UINT64_T_FMT "\" worker=\"%" APR_UINT64_T_FMT "\" arena=\"%" APR_UINT64_T_FMT
            "\" why=\"%s\">",
            clean(t, all[k].name), (apr_uint64_t)sum->done, (apr_uint64_t)sum->failed, (apr_uint64_t)sum->not_modified,
            (apr_uint64_t)sum->in_bytes, (apr_uint64_t)sum->out_bytes, (apr_uint64_t)sum->by_cpu,
            (apr_uint64_t)sum->by_worker, (apr_uint64_t)GXM_TOLD(measure.row[all[k].row].arena_bytes), clean(t, why));
        each_choice(sum, say_choice, t);
        say_stages(t, sum);
        say(t, "</stylesheet>\n");
    }
}

/* The samples of the last hour, the oldest first. Rates are of a second; @t is the sample's age in seconds. Others
 * write samples meanwhile: one that cannot be is left out. */
static void say_history(text *t)
{
    const gxm_measure *m = &gxm_count->measure;
    const u64 n = __atomic_load_n(&m->n_samples, __ATOMIC_ACQUIRE), now = (u64)apr_time_now();
    say(t, "<history>\n");
    for (u64 i = n > GXM_SAMPLES ? n - GXM_SAMPLES : 0; i < n; i++) {
        const gxm_sample *s = &m->sample[i % GXM_SAMPLES];
        const double over = (double)s->over_us / 1e6;
        if (over <= 0 || s->at_us > now || now - s->at_us > (u64)3700 * 1000000)
            continue;
        say(t,
            "<sample t=\"%.0f\" pages=\"%.3f\" errors=\"%.3f\" notmodified=\"%.3f\" thread=\"%.3f\" worker=\"%.3f\" "
            "out=\"%.0f\" hits=\"%.3f\" "
            "misses=\"%.3f\" "
            "busy=\"%.3f\" memory=\"%" APR_UINT64_T_FMT "\" batch=\"%.1f\" "
            "waiting=\"%" APR_UINT64_T_FMT "\" p50=\"%" APR_UINT64_T_FMT "\" p99=\"%" APR_UINT64_T_FMT
            "\"/>\n",
            (double)(now - s->at_us) / 1e6, (double)s->done / over, (double)s->failed / over,
            (double)s->not_modified / over, (double)s->by_cpu / over, (double)s->by_worker / over,
            (double)s->out_bytes / over, (double)s->cache_hits / over, (double)s->cache_misses / over,
            (double)s->busy / 1000, (apr_uint64_t)s->memory_used,
            s->batches ? (double)s->batch_requests / (double)s->batches : 0, (apr_uint64_t)s->waiting,
            (apr_uint64_t)s->p50_us, (apr_uint64_t)s->p99_us);
    }
    say(t, "</history>\n");
}

/* The state as XML, *n bytes in pool, which status.xsl makes the page of. */
const char *gxm_status_xml(apr_pool_t *pool, size_t *n)
{
    line lines[MAX_LINES];
    gxm_stripe sum;
    char way[160];
    const int n_lines = collect(lines);
    text t = { pool, apr_array_make(pool, 65536, 1) };
    const u64 now = (u64)apr_time_now(), since = gxm_count->started_us ? gxm_count->started_us : now;
    say(&t, "<status version=\"" GX_VERSION "\" engine=\"%s\" uptime=\"%.0f\" load=\"%.2f\" ways=\"%s\">\n",
        clean(&t, gxm_worker_verdict()), (double)(now - since) / 1e6, gxm_costs ? (double)gxm_cost_load(gxm_costs) : 0,
        clean(&t, ways(way, sizeof way)));
    for (int i = 0; i < n_lines; i++)
        say(&t, "<counter name=\"%s\" value=\"%" APR_UINT64_T_FMT "\"%s>%s</counter>\n", lines[i].name,
            (apr_uint64_t)lines[i].value, lines[i].is_gauge ? " gauge=\"yes\"" : "", lines[i].help);
    gxm_measure_sum(&gxm_count->measure, GXM_ROWS, &sum);
    say(&t, "<stages>\n");
    say_stages(&t, &sum);
    say(&t, "</stages>\n");
    say_devices(&t);
    say_sheets(&t);
    say_history(&t);
    say(&t, "</status>\n");
    *n = (size_t)t.bytes->nelts;
    return t.bytes->elts;
}

/* ---- the handler ---- */

typedef enum { AS_PAGE, AS_TEXT, AS_JSON, AS_XML, AS_METRICS, N_FORMS } form;
static const char *const types[N_FORMS] = { "text/html; charset=utf-8", "text/plain; charset=utf-8", "application/json",
                                            "application/xml; charset=utf-8",
                                            "text/plain; version=0.0.4; charset=utf-8" };

static int ends_with(const char *s, const char *end)
{
    const size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static form form_of(request_rec *r)
{
    static const char *const names[N_FORMS] = { "html", "auto", "json", "xml", "metrics" };
    const char *accept = apr_table_get(r->headers_in, "Accept");
    for (int i = AS_TEXT; i < N_FORMS; i++)
        if (ends_with(r->uri, apr_pstrcat(r->pool, "/", names[i], NULL)))
            return (form)i;
    for (int i = 0; r->args && i < N_FORMS; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(r->args, names[i], n) == 0 && (!r->args[n] || strcmp(r->args + n, "=") == 0))
            return (form)i;
    }
    apr_table_mergen(r->headers_out, "Vary", "Accept");
    if (!accept || strstr(accept, "text/html"))
        return AS_PAGE;
    if (strstr(accept, "application/openmetrics-text") || strstr(accept, "version=0.0.4"))
        return AS_METRICS;
    return strstr(accept, "application/json") ? AS_JSON : strstr(accept, "text/plain") ? AS_TEXT : AS_PAGE;
}

/* SetHandler gpuxml-status: GET and HEAD, in the form that is asked for (form_of). Nothing of it is cached, nor
 * transformed. */
int gxm_status_handler(request_rec *r)
{
    const char *bytes;
    size_t n;
    form form;
    if (!r->handler || strcmp(r->handler, "gpuxml-status") != 0)
        return DECLINED;
    ap_allow_methods(r, REPLACE_ALLOW, "GET", NULL);
    if (r->method_number != M_GET)
        return HTTP_METHOD_NOT_ALLOWED;
    form = form_of(r);
    ap_set_content_type(r, types[form]);
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    /* what is made here is no source of another page */
    apr_table_setn(r->subprocess_env, "no-gpuxml", "1");
    if (r->header_only)
        return OK;
    switch (form) {
    case AS_PAGE:
        bytes = gxm_status_page(r, gxm_status_xml, &n);
        if (!bytes)
            return HTTP_INTERNAL_SERVER_ERROR;
        apr_table_setn(r->headers_out, "Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; img-src data:");
        ap_rwrite(bytes, (int)n, r);
        break;
    case AS_XML:
        bytes = gxm_status_xml(r->pool, &n);
        ap_rwrite(bytes, (int)n, r);
        break;
    case AS_TEXT: put_text(r); break;
    case AS_JSON: put_json(r); break;
    default: put_metrics(r); break;
    }
    return OK;
}

/* ---- mod_status ---- */

static void put_short(request_rec *r, const char *name, const char *value)
{
    ap_rprintf(r, "Gpuxml%s: %s\n", name, value);
}

static void put_row(request_rec *r, const char *name, const char *value)
{
    ap_rprintf(r, "<tr><td>%s</td><td>%s</td></tr>\n", name, ap_escape_html(r->pool, value));
}

static int mod_status_part(request_rec *r, int flags)
{
    line lines[MAX_LINES];
    int n = collect(lines);
    if (flags & AP_STATUS_SHORT) {
        ap_rprintf(r, "GpuxmlEngine: %s\n", gxm_worker_verdict());
        for (int i = 0; i < n; i++)
            ap_rprintf(r, "Gpuxml%s: %" APR_UINT64_T_FMT "\n", lines[i].name, (apr_uint64_t)lines[i].value);
        each_device_line(r, put_short);
        return OK;
    }
    ap_rprintf(r, "<hr />\n<h2>gpuxml: %s</h2>\n<table>\n", ap_escape_html(r->pool, gxm_worker_verdict()));
    for (int i = 0; i < n; i++)
        ap_rprintf(r, "<tr><td>%s</td><td>%" APR_UINT64_T_FMT "</td></tr>\n", lines[i].name,
                   (apr_uint64_t)lines[i].value);
    each_device_line(r, put_row);
    ap_rputs("</table>\n", r);
    return OK;
}

void gxm_status_register(void) { APR_OPTIONAL_HOOK(ap, status_hook, mod_status_part, NULL, NULL, APR_HOOK_MIDDLE); }
