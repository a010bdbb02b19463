/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c -- the module's side of the worker process: start, restart, and a request's way through the queue
 *
 * httpd's parent makes the queue (shared memory that every child inherits) and executes the worker, once for each
 * reading of the configuration, never for the pass that httpd throws away, never under -t. A graceful restart makes new
 * ones; the old worker serves the old children and ends with the last of them (its lifeline is a pipe that they hold).
 *
 * When the worker dies, httpd's own wait loop calls us: waiters are woken, a new worker takes their requests over. One
 * that dies n times in s seconds (GPUXMLWorkerRestart) is left alone for a while, as one that cannot be started. One
 * whose heart does not beat is killed when httpd looks after its children (every ten seconds), and so becomes one that
 * died; one of an earlier configuration, whose heart this one cannot hear, when it is found stopped twice. Meanwhile,
 * while a worker starts, and whenever the queue is full, threads evaluate themselves, also with GPUXMLEngine gpu: no
 * client sees an error because a worker died, and none waits for the next one.
 *
 * A worker that lost its GPU is followed by one that has CPUs only, and the other way round. So whether requests go
 * there is asked for each of them, of what the worker says that it runs on.
 */
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "worker.h"
#include <ap_mpm.h>
#include <unixd.h>

#ifndef GPUXML_LIBEXEC
#define GPUXML_LIBEXEC "/usr/local/lib/gpuxml"
#endif
#define START_US \
    5000000u /* httpd's start waits so long for it: a CUDA context takes a second or two, many GPUs longer */
#define START_STEP_US 100000u
#define ACQUIRE_US 2000u            /* how long a request waits for a slot before its own thread does it */
#define TRIES 3
#define MAX_SLOTS 512
#define MAX_PROCS 64                /* workers that old children may still have */
#define HUNG_US 5000000u            /* it beats ten times a second: for so long without, it does nothing any more */
#define HUNG_START_US 30000000u     /* as long before its first beat: a driver may load for all of a host's GPUs */

static gx_queue *queue;             /* of this generation; NULL: threads evaluate all */
static int any_engine;              /* children send requests to any worker, not only to one that has a GPU */
static const char *verdict = "cpu"; /* without a queue */
static int n_slots;
static server_rec *main_server;
static apr_pool_t *conf_pool;
static const char *worker_path;
static apr_proc_t *procs;           /* MAX_PROCS; kept over restarts. pid 0: free */
static apr_proc_t *worker;          /* of this generation, one of procs; NULL: none runs */
/* times by CLOCK_MONOTONIC: a wall clock that is set back must not keep a worker from starting */
static u64 spawned_us;
static u64 deaths_us[64];           /* a ring: when the last ones happened */
static unsigned n_deaths;
static u64 retry_us;                /* 0: not waiting */
static char why_not[1200];          /* it could not be started the last time */
static int is_given_up;             /* it was left alone for a while, and none has been ready since: that another fails
                                       the same way is no news */
static char was_stopped[MAX_PROCS]; /* of procs, when it was last looked at */

gxm_cost *gxm_costs;

int gxm_worker_alive(void) { return gx_queue_alive(queue); }
int gxm_worker_is_away(void) { return queue && !gx_queue_alive(queue); }

static int is_gpu(void)
{
    char engine[64];
    gx_queue_engine(queue, engine);
    return strncmp(engine, "gpu", 3) == 0;
}

int gxm_worker_has_device(void) { return queue && is_gpu(); }
int gxm_worker_wanted(void) { return queue && (any_engine || is_gpu()); }
const char *gxm_worker_kind(int on_core) { return !on_core && is_gpu() ? "gpu" : "worker"; }

/* Without its pid: it is the status page's WorkerPid. */
const char *gxm_worker_verdict(void)
{
    static __thread char text[160];
    char engine[64];
    if (!queue)
        return verdict;
    gx_queue_engine(queue, engine);
    apr_snprintf(text, sizeof text, "%s (%d slots, %" APR_UINT64_T_FMT " MiB)",
                 *engine ? engine : retry_us ? "cpu, the worker could not be started"
                 : "cpu, the worker is starting", n_slots,
                 (apr_uint64_t)(gx_queue_size(queue) >> 20));
    return text;
}

int gxm_worker_stats(gx_queue_stats *out)
{
    if (!queue)
        return 0;
    gx_queue_stats_get(queue, out);
    return 1;
}

/* A sample of how busy queue and devices are, for the status's history; by the parent, now and then. */
void gxm_worker_sample(void)
{
    gx_queue_stats q;
    gxm_sample_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.now_us = gx_now_us();
    facts.wall_us = (u64)apr_time_now();
    facts.cache_hits = GXM_TOLD(cache_hits);
    facts.cache_misses = GXM_TOLD(cache_misses);
    if (gxm_worker_stats(&q)) {
        facts.waiting = q.by_state[GX_Q_SUBMITTED] + q.by_state[GX_Q_RUNNING];
        facts.n_devices = q.n_devices;
        for (u32 i = 0; i < q.n_devices; i++) {
            facts.busy_us += q.device[i].busy_us;
            facts.memory += q.device[i].memory;
            facts.memory_used += q.device[i].memory_used;
            facts.batch_requests += q.device[i].batch_requests;
            for (u32 k = 0; k < GX_Q_BATCHES; k++)
                facts.batches += q.device[i].batch[k];
        }
    }
    gxm_measure_sample(&gxm_count->measure, &facts);
}

/* ---- a request --------------------------------------------------------------------------------------------------- */

void gxm_job_release(gxm_job *job)
{
    if (job->slot)
        gx_queue_release(job->slot);
    job->slot = NULL;
}

/* One try: the slot stays job's. */
static gx_status ask(gxm_job *job, const gx_queue_request *request, gx_queue_result *result, gx_error *err)
{
    if (!gx_queue_alive(queue) || gx_queue_acquire(queue, ACQUIRE_US, &job->slot) != GX_OK) {
        job->slot = NULL;
        return GX_EBUSY;
    }
    memset(result, 0, sizeof *result);
    err->status = GX_OK;
    const gx_status status = gx_queue_submit(job->slot, request);
    return status == GX_OK ? gx_queue_wait(job->slot, request->deadline_us, result, err) : status;
}

/* Asks until there is an answer; where that is not the request's own, the slot is given back. */
static gx_status ask_until(gxm_job *job, gx_queue_request *request, gx_queue_result *result, u64 *queue_us,
                           gxm_worker_cpu *cpu, gx_error *err)
{
    gx_status status;
    request->any_core = gxm_conf.engine == GXM_ENGINE_WORKER;
    /* GX_EBUSY of a worker that lives is passing: its program was evicted meanwhile, say */
    for (int tries = TRIES;
         (status = ask(job, request, result, err)) == GX_EBUSY && job->slot && --tries && gx_queue_alive(queue);)
        gxm_job_release(job);
    *queue_us = job->slot ? result->queue_us : 0;
    cpu->own_us = job->slot ? result->cpu_us : 0;
    cpu->batch_us = job->slot ? result->batch_us : 0;
    cpu->on_core = job->slot ? result->on_core : 0;
    switch (status) {
    case GX_OK:
        return GX_OK;
    case GX_EBUSY:      /* no room, no worker, or none any more: that it asked is no reason for a request to fail */
    case GX_ENOMEM:     /* the worker's */
        gxm_job_release(job);
        return GX_EBUSY;
    case GX_EHOST:      /* of a worker that has died since, or that cannot do this */
        gxm_job_release(job);
        return err->status == GX_EHOST && strcmp(err->text, GX_QUEUE_POISON) ? GX_EHOST : GX_EBUSY;
    case GX_EARENA:     /* more than it has for one request */
        gxm_job_release(job);
        return GX_EARENA;
    default:            /* an answer, the deadline, or GX_EBAD: it took two workers down and shall not take a child down
                           */
        gxm_job_release(job);
        return status;
    }
}

static void fill(gx_queue_request *request, const gx_evaluation *ev, gxm_version *version)
{
    memset(request, 0, sizeof *request);
    request->program = &version->queued;
    request->params = ev->params;
    request->n_params = ev->n_params;
    request->limits = ev->limits;
    request->deadline_us = ev->deadline_us;
}

/* The worker evaluates ev's program over its document: on GX_OK ev->base and docs lead to the result in the queue's
 * memory, which is job's until gxm_job_release(). kept: the name that the worker knows the document by. *queue_us: how
 * long it waited. GX_EHOST: the worker cannot; GX_EBUSY, GX_EARENA, or the evaluation's error. */
gx_status gxm_worker_evaluate(gxm_job *job, gx_evaluation *ev, gxm_version *version, gx_queue_kept *kept, u64 *queue_us,
                              gxm_worker_cpu *cpu, gx_error *err)
{
    gx_queue_request request;
    gx_queue_result result;
    fill(&request, ev, version);
    request.doc = ev->doc;
    request.doc_size = ev->doc->size;
    request.kept = kept;
    const gx_status status = ask_until(job, &request, &result, queue_us, cpu, err);
    if (status != GX_OK)
        return status;
    job->docs[0] = ev->doc;
    job->doc_base[0] = 0;
    ev->base = result.base;
    ev->docs = job->docs;
    ev->doc_base = job->doc_base;
    ev->n_docs = 1;
    return GX_OK;
}

gx_status gxm_worker_page(gxm_job *job, const gx_evaluation *ev, gxm_version *version, const gxm_bytes *source,
                          gxm_page *page, u64 *queue_us, gxm_worker_cpu *cpu, gx_error *err)
{
    gx_queue_request request;
    gx_queue_result result;
    fill(&request, ev, version);
    request.pieces = source->pieces;
    request.n_pieces = source->n_pieces;
    request.is_utf8 = source->is_utf8;
    request.base_uri = source->base_uri;
    const gx_status status = ask_until(job, &request, &result, queue_us, cpu, err);
    if (status != GX_OK)
        return status;
    page->bytes = result.base;
    page->n = result.size;
    page->facts = result.page;
    return GX_OK;
}

gx_status gxm_worker_match(gxm_job *job, gx_queue_program *set, u32 n_profiles, const void *tree, u64 size,
                           u64 deadline_us, gxp_found *found, gxm_worker_cpu *cpu, gx_error *err)
{
    gx_queue_request request;
    gx_queue_result result;
    u64 queue_us;
    memset(&request, 0, sizeof request);
    request.program = set;
    request.n_profiles = n_profiles;
    request.doc = tree;
    request.doc_size = size;
    request.deadline_us = deadline_us;
    GX_TRY(ask_until(job, &request, &result, &queue_us, cpu, err));
    *found = (gxp_found){ result.matched, result.ids, result.n_ids };
    return GX_OK;
}

/* ---- start and restart ------------------------------------------------------------------------------------------- */

static void worker_maintain(int reason, void *data, int status);

/* Starts a worker, without waiting for it; httpd's parent is told when it ends. 0: *err says why not, one reason being
 * workers of earlier configurations that still run. */
static int spawn(gx_error *err)
{
    gx_worker_options options;
    apr_proc_t *proc = procs;
    while (proc < procs + MAX_PROCS && proc->pid)
        proc++;
    if (proc == procs + MAX_PROCS)
        return gx_fail(err, GX_EIO, "", 0, 0, "%d workers of earlier configurations still run", MAX_PROCS), 0;
    memset(&options, 0, sizeof options);
    options.no_sandbox = gxm_conf.worker_is_free;
    if (geteuid() == 0) {
        options.uid = gxm_conf.worker_uid ? gxm_conf.worker_uid : ap_unixd_config.user_id;
        options.gid = gxm_conf.worker_uid ? gxm_conf.worker_gid : ap_unixd_config.group_id;
    }
    options.visible = gxm_conf.devices;
    options.batch = gxm_conf.batch;
    if (gx_worker_spawn(queue, worker_path, &options, &proc->pid, err) != GX_OK)
        return 0;
    worker = proc;
    spawned_us = gx_now_us();
    apr_proc_other_child_register(proc, worker_maintain, proc, NULL, conf_pool);
    GXM_COUNT(worker_starts, 1);
    return 1;
}

/* Another is tried later. */
static void give_up(void)
{
    retry_us = gx_now_us() + (u64)gxm_conf.backoff_s * 1000000;
    is_given_up = 1;
}

/* What the system refuses now (a process, a descriptor) it may give later. */
static void retry(const gx_error *err)
{
    char text[sizeof why_not];
    int known;
    gx_error_format(err, text, sizeof text);
    known = is_given_up && strcmp(text, why_not) == 0;
    strcpy(why_not, text);
    give_up();
    ap_log_error(APLOG_MARK, known ? APLOG_INFO : APLOG_CRIT, 0, main_server,
                 "GX0002: no worker, the CPU does it alone for %d s: %s", gxm_conf.backoff_s, text);
}

static void respawn(void)
{
    gx_error err;
    retry_us = 0;
    if (spawn(&err))
        ap_log_error(APLOG_MARK, is_given_up ? APLOG_INFO : APLOG_NOTICE, 0, main_server,
                     "GX0006: worker started again, pid %d", worker->pid);
    else
        retry(&err);
}

/* Has the worker's heart beaten? silent_us: since its last beat, or its start. A beat older than this worker is its
 * predecessor's. */
static int has_beaten(u64 *silent_us)
{
    const u64 age_us = gx_now_us() - spawned_us, since_beat_us = gx_queue_silent_us(queue);
    *silent_us = since_beat_us < age_us ? since_beat_us : age_us;
    return since_beat_us < age_us;
}

/* The worker has ended: its requests are taken over by those who wait, and another is started, unless restart_n have
 * died within restart_s seconds; then it is tried again after backoff_s. The log has one line a death, quieter while
 * they repeat. */
static void worker_ended(int status)
{
    int state, level;
    u64 now = gx_now_us(), silent_us;
    worker = NULL;
    gx_queue_worker_died(queue);
    if (ap_mpm_query(AP_MPMQ_MPM_STATE, &state) == APR_SUCCESS && state == AP_MPMQ_STOPPING)
        return;
    GXM_COUNT(worker_deaths, 1);
    is_given_up &= !has_beaten(&silent_us);
    level = is_given_up ? APLOG_INFO : APLOG_CRIT;
    ap_log_error(APLOG_MARK, level, 0, main_server, "GX0005: worker died (status %d); its requests are taken over",
                 status);
    deaths_us[n_deaths++ % 64] = now;
    if (n_deaths < (unsigned)gxm_conf.restart_n
        || now - deaths_us[(n_deaths - gxm_conf.restart_n) % 64] >= (u64)gxm_conf.restart_s * 1000000) {
        respawn();
        return;
    }
    give_up();
    ap_log_error(APLOG_MARK, level, 0, main_server,
                 "GX0007: worker died %d times in %d s: the CPU goes on alone for %d s", gxm_conf.restart_n,
                 gxm_conf.restart_s, gxm_conf.backoff_s);
}

/* Called by the MPM's wait loop in the parent. */
static void worker_maintain(int reason, void *data, int status)
{
    apr_proc_t *proc = data;
    const int ended = reason == APR_OC_REASON_DEATH || reason == APR_OC_REASON_LOST;
    if (!ended && reason != APR_OC_REASON_RESTART)
        return;
    apr_proc_other_child_unregister(proc);
    if (!ended)
        return;
    proc->pid = 0;
    if (proc == worker)             /* else of an earlier configuration */
        worker_ended(status);
}

/* Which process to kill is known here; shared memory does not choose it. */
static void kill_if_hung(void)
{
    u64 silent_us;
    const u64 most_us = has_beaten(&silent_us) ? HUNG_US : HUNG_START_US;
    if (silent_us < most_us)
        return;
    ap_log_error(APLOG_MARK, APLOG_CRIT, 0, main_server,
                 "GX0010: worker, pid %d, hangs: no heartbeat for %d s; it is killed", worker->pid,
                 (int)(silent_us / 1000000));
    kill(worker->pid, SIGKILL);
}

static void say_ready(void)
{
    ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, main_server, "GX0009: worker ready: %s, pid %d", gxm_worker_verdict(),
                 worker->pid);
}

/* A stopped worker does not see that the last child of its configuration has gone. */
static void kill_stopped(void)
{
    for (int i = 0; i < MAX_PROCS; i++) {
        const int pid = procs[i].pid, stopped = pid && &procs[i] != worker && gx_process_stopped((u32)pid);
        if (stopped && was_stopped[i]) {
            ap_log_error(APLOG_MARK, APLOG_CRIT, 0, main_server,
                         "GX0010: worker of an earlier configuration, pid %d, is stopped; it is killed", pid);
            kill(pid, SIGKILL);
        }
        was_stopped[i] = (char)stopped;
    }
}

void gxm_worker_monitor(void)
{
    u64 silent_us;
    kill_stopped();
    if (worker)
        kill_if_hung();
    if (worker && is_given_up && has_beaten(&silent_us)) {
        is_given_up = 0;
        say_ready();
    }
    if (retry_us && gx_now_us() >= retry_us)
        respawn();
}

void gxm_worker_child_exited(int pid, u32 place)
{
    if (queue)
        gx_queue_reap(queue, (u32)pid);
    if (gxm_costs && place < GXM_CHILDREN)
        gxm_cost_child_died(gxm_costs, place);
}

static apr_status_t queue_cleanup(void *data)
{
    gx_queue_destroy(data);
    queue = NULL;
    return APR_SUCCESS;
}

static apr_status_t costs_unmap(void *data)
{
    munmap(data, sizeof(gxm_cost));
    gxm_costs = NULL;
    return APR_SUCCESS;
}

/* Without this memory everything goes to the worker. */
static void costs_start(apr_pool_t *pconf)
{
    void *at = mmap(NULL, sizeof(gxm_cost), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    gxm_costs = at;
    gxm_costs->cores = gx_cores();
    gxm_costs->is_gpu = !any_engine || is_gpu();
    apr_pool_cleanup_register(pconf, at, costs_unmap, apr_pool_cleanup_null);
}

void gxm_worker_child_init(void)
{
    if (gxm_costs)
        gxm_cost_child(gxm_costs, gxm_child_place);
}

static const char *find_worker(apr_pool_t *p)
{
    Dl_info info;
    if (dladdr(&gpuxml_module, &info) && info.dli_fname) {
        const char *path = apr_pstrcat(p, ap_make_dirstr_parent(p, info.dli_fname), "gpuxml-worker", NULL);
        if (access(path, X_OK) == 0)
            return path;
    }
    return GPUXML_LIBEXEC "/gpuxml-worker";
}

/* Whoever waits for children is to see its end, too. */
static int has_ended(int pid)
{
    siginfo_t info;
    info.si_pid = 0;
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* The workers that the last configurations left with their children are watched by this one: httpd complains of a child
 * whose end nobody expected. Their process numbers are theirs until their end has been told here. */
static void adopt_old_workers(void)
{
    /* another build may be loaded at a restart */
    static const char name[] = "mod_gpuxml-workers " APR_STRINGIFY(MAX_PROCS);
    procs = ap_retained_data_get(name);
    if (!procs)
        procs = ap_retained_data_create(name, MAX_PROCS * sizeof *procs);
    for (apr_proc_t *proc = procs; proc < procs + MAX_PROCS; proc++)
        if (proc->pid)
            apr_proc_other_child_register(proc, worker_maintain, proc, NULL, conf_pool);
}

/* GPUXMLQueueSlots, or as many as httpd has threads. */
static int slots_wanted(void)
{
    int daemons = 1, threads = 1, n;
    if (gxm_conf.queue_slots)
        return gxm_conf.queue_slots;
    ap_mpm_query(AP_MPMQ_MAX_DAEMONS, &daemons);
    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    n = daemons * (threads > 0 ? threads : 1);
    return n < 8 ? 8 : n > MAX_SLOTS ? MAX_SLOTS : n;
}

/* Whether there is a worker, ready or still starting. */
static int start_and_wait(gx_error *err)
{
    if (!spawn(err))
        return 0;
    for (u64 waited_us = 0; gx_queue_wait_alive(queue, START_STEP_US) != GX_OK && waited_us < START_US;
         waited_us += START_STEP_US)
        if (has_ended(worker->pid)) {
            gx_fail(err, GX_EIO, "", 0, 0, "%s ended at once", worker_path);
            gx_queue_worker_died(queue);
            worker = NULL;              /* httpd is told of its end as of an earlier one's */
            return 0;
        }
    return 1;
}

/* post_config: queue and worker, if GPUXMLEngine wants one and there is a GPU (or it wants none). The queue is created
 * before httpd forks, so children inherit it. What fails leaves the CPU; only `gpu` has requests end with 503. */
void gxm_worker_start(apr_pool_t *pconf, server_rec *s)
{
    const int engine = gxm_conf.engine;
    gx_error err;
    char text[1200];

    main_server = s;
    conf_pool = pconf;
    worker = NULL;
    retry_us = 0;
    is_given_up = 0;
    n_deaths = 0;
    memset(was_stopped, 0, sizeof was_stopped);
    adopt_old_workers();
    verdict = engine == GXM_ENGINE_CPU ? "cpu (GPUXMLEngine cpu)" : engine == GXM_ENGINE_OFF ? "off" : "cpu (no GPU)";
    if (engine == GXM_ENGINE_CPU || engine == GXM_ENGINE_OFF)
        return;
    /* Define GPUXML_ANY_WORKER: auto also asks a worker that has CPUs only, to measure what that costs */
    any_engine =
        engine == GXM_ENGINE_WORKER || (engine == GXM_ENGINE_AUTO && ap_exists_config_define("GPUXML_ANY_WORKER"));
    if (!any_engine && access("/dev/nvidiactl", F_OK) != 0) {
        if (engine == GXM_ENGINE_GPU)
            ap_log_error(APLOG_MARK, APLOG_CRIT, 0, s,
                         "GX0008: GPUXMLEngine gpu, but there is no GPU: requests end with 503");
        return;
    }
    n_slots = slots_wanted();
    worker_path = find_worker(pconf);
    memset(&err, 0, sizeof err);
    /* children inherit it: there is none until a restart */
    if (gx_queue_create((u32)n_slots, gxm_conf.shared_bytes, &queue, &err) != GX_OK) {
        ap_log_error(APLOG_MARK, APLOG_CRIT, 0, s, "GX0002: no worker, the CPU does it: %s",
                     gx_error_format(&err, text, sizeof text));
        verdict = "cpu (no memory for the worker's queue)";
        return;
    }
    apr_pool_cleanup_register(pconf, queue, queue_cleanup, apr_pool_cleanup_null);
    if (!start_and_wait(&err))
        retry(&err);
    else if (gx_queue_alive(queue))
        say_ready();
    else
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s,
                     "GX0011: worker, pid %d, is still starting: until it is ready the CPU does it", worker->pid);
    if (engine == GXM_ENGINE_AUTO)
        costs_start(pconf);
}
