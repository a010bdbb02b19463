/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c -- a request's evaluation: in its own thread, or by the worker
 *
 * cost.c has the model that chooses, worker.c the way to the worker. Here the model is asked, and told what it took.
 * What the worker does not take the thread does. GPUXMLEngine gpu is an exception for what it never takes (host steps,
 * a machine without a GPU), but not for what is passing: a full queue, a worker that has died or is not ready yet.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "evaluate.h"

#define TELL_OLD_US 1000000u        /* what a thread did before that says nothing about now */

/* Tells the cost model how long this thread had a core since it last did, and how long it stood in line for one:
 * schedstat of proc(5), two counters of nanoseconds. Without that file (a kernel without CONFIG_SCHED_INFO) the model
 * counts threads only. The file is not kept open: there are hundreds of threads, and few of them tell. */
static void tell_load(u64 now)
{
    static gxm_cost_count telling;
    static __thread struct { u64 at_us; unsigned long long ran, stood; } last;
    unsigned long long ran, stood;
    char text[80];
    ssize_t n = -1;
    int file;
    if (now - last.at_us < GXM_TELL_AGAIN_US || !gxm_cost_is_time(&telling, GXM_TELL_US, now, NULL))
        return;
    file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        n = read(file, text, sizeof text - 1);
        close(file);
    }
    text[n > 0 ? n : 0] = 0;
    if (sscanf(text, "%llu %llu", &ran, &stood) != 2)
        return;
    if (now - last.at_us < TELL_OLD_US)
        gxm_cost_tell(gxm_costs, now, (double)(ran - last.ran) / 1e3, (double)(stood - last.stood) / 1e3);
    else
        gxm_cost_tell(gxm_costs, now, 0, 0);
    last.at_us = now;
    last.ran = ran;
    last.stood = stood;
}

void gxm_ask_costs(gxm_cost_facts *facts, gxm_cost_count *counting, u64 now, gxm_choice *choice)
{
    facts->only_look = !gxm_cost_is_time(counting, GXM_COUNT_US, now, &facts->others);
    tell_load(now);
    gxm_cost_choose(gxm_costs, facts, choice);
}

/* Asks the model about a program's requests of one size, in choice, and says why in words. facts: has the digest, the
 * name, and the document's size. */
static const char *ask(gxm_run *run, gxm_cost_facts *facts, gxm_cost_count *counting, u64 now, gxm_choice *choice)
{
    char why[100];
    facts->is_recursive = run->version->features.is_recursive;
    gxm_ask_costs(facts, counting, now, choice);
    run->reason = choice->is_one_way ? GXM_AS_ALL : choice->is_trial ? GXM_AS_TRIAL : GXM_CHEAPER;
    run->is_worker_chosen = choice->worker;
    return apr_pstrdup(run->r->pool, gxm_cost_explain(choice, why, sizeof why));
}

static void choose(gxm_run *run, u64 now, gxm_choice *choice)
{
    static gxm_cost_count counting;
    gxm_cost_facts facts;
    facts.digest = run->version->queued.digest.word[0];
    facts.name = gxm_sheet_name(run->sheet);
    facts.n_nodes = run->ev->doc->n_nodes;
    facts.doc_bytes = run->cached && gx_queue_is_kept(&run->cached->kept) ? 0 : run->ev->doc->size;
    run->why = ask(run, &facts, &counting, now, choice);
    ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, run->r, "GX0152: %s, load %.1f, %s, nodes 2^%u", run->why,
                  (double)choice->load, facts.name, choice->size_class);
}

static gx_status evaluate_here(gxm_run *run, gx_error *err)
{
    const u64 most = run->ev->limits->arena;
    gx_status status = gx_evaluate(run->ev, err);
    if (status == GX_EARENA && most > run->kit->arena_bytes) {
        /* the kit's arena was too small: another go with all that the limit allows, in one that is not kept */
        status = gxm_kit_arena(run->kit, most, err);
        run->ev->arena = run->kit->arena;
        if (status == GX_OK)
            status = gx_evaluate(run->ev, err);
    }
    run->where = "cpu";
    GXM_COUNT(by_cpu, 1);
    return status;
}

static gx_status evaluate_there(gxm_run *run, gxm_worker_cpu *cpu, gx_error *err)
{
    gx_status status = gxm_worker_evaluate(&run->job, run->ev, run->version,
                                           run->cached ? &run->cached->kept : NULL, &run->queue_us, cpu, err);
    if (status == GX_EHOST || status == GX_EARENA || status == GX_EBUSY) {
        GXM_COUNT(worker_fallbacks, 1);
        return status;
    }
    run->where = gxm_worker_kind(cpu->on_core);
    GXM_COUNT(by_worker, 1);
    return status;
}

/* ---- pages from bytes ---- */

#define REFUSED_OFTEN 8u        /* in a row: from then on only some are sent, in case that has changed */
#define REFUSED_AGAIN 64u

int gxm_may_send_bytes(const gxm_version *version)
{
    return version->is_portable && gxm_worker_wanted() && (!gxm_costs || gxm_worker_alive());
}

/* Mostly, what the worker has not made of this program's last sources it will not make of the next. */
static int is_worth_sending(gxm_version *version)
{
    const u32 n = __atomic_load_n(&version->n_refused, __ATOMIC_RELAXED);
    if (n < REFUSED_OFTEN)
        return 1;
    return __atomic_add_fetch(&version->n_refused, 1, __ATOMIC_RELAXED) % REFUSED_AGAIN == 0;
}

#define BYTES_PER_NODE 16u      /* of a source, about: the model's classes go by nodes */

/* The prices of these ways are learnt apart from evaluations': parsing and writing are in them. Between parsing here
 * and evaluating there nobody chooses: who sends a source's bytes moves less, and saves more. */
int gxm_try_begin(gxm_try *way, gxm_run *run, u64 n)
{
    static gxm_cost_count counting;
    const u64 now = gx_now_us();
    gxm_cost_facts facts;
    if (!gxm_may_send_bytes(run->version) || !is_worth_sending(run->version))
        return 0;
    run->reason = GXM_CONFIGURED;
    run->is_worker_chosen = 1;
    if (!gxm_costs)
        return 1;
    facts.digest = run->version->queued.digest.word[1];       /* evaluations have the first word */
    facts.name = apr_pstrcat(run->r->pool, "all: ", gxm_sheet_name(run->sheet), NULL);
    facts.n_nodes = (u32)(n / BYTES_PER_NODE < 0xfffffff ? n / BYTES_PER_NODE : 0xfffffff) + 1;
    facts.doc_bytes = n;
    run->why = apr_pstrcat(run->r->pool, "source: ", ask(run, &facts, &counting, now, &way->choice), NULL);
    way->is_chosen = 1;
    way->start_us = now;
    gxm_cost_begin(gxm_costs, gxm_child_place, &way->choice);
    way->cpu_us = way->choice.is_measured ? gx_thread_cpu_us() : 0;
    return way->choice.worker;
}

void gxm_try_end(gxm_try *way)
{
    if (!way->is_chosen)
        return;
    way->is_chosen = 0;
    gxm_cost_end(gxm_costs, gxm_child_place, &way->choice);
    if (way->choice.is_measured)
        gxm_cost_learn(gxm_costs, &way->choice, gx_thread_cpu_us() - way->cpu_us, (double)(gx_now_us() - way->start_us),
                       way->worker.own_us, way->worker.batch_us);
}

static int is_handed_back(gx_status status)
{
    return status == GX_EXML || status == GX_EHOST || status == GX_EARENA || status == GX_EBUSY;
}

/* The worker makes the page of a source's bytes. GX_EXML: it has handed them back, for whatever reason, and the thread
 * is to parse; a program whose sources are handed back often is asked less (n_refused). Else as gxm_worker_page(). */
gx_status gxm_evaluate_bytes(gxm_run *run, gxm_try *way, const gxm_bytes *source, gxm_page *page, gx_error *err)
{
    const u64 start = gx_now_us();
    const gx_status status =
        gxm_worker_page(&run->job, run->ev, run->version, source, page, &run->queue_us, &way->worker, err);
    if (is_handed_back(status)) {
        GXM_COUNT(bytes_refused, 1);
        if (status != GX_EBUSY)
            __atomic_add_fetch(&run->version->n_refused, 1, __ATOMIC_RELAXED);
        return GX_EXML;
    }
    if (__atomic_load_n(&run->version->n_refused, __ATOMIC_RELAXED))
        __atomic_store_n(&run->version->n_refused, 0, __ATOMIC_RELAXED);
    run->where = gxm_worker_kind(way->worker.on_core);
    GXM_COUNT(by_worker, 1);
    GXM_COUNT(by_bytes, 1);
    run->eval_us = gx_now_us() - start;
    run->eval_us -= run->queue_us < run->eval_us ? run->queue_us : run->eval_us;
    return status;
}

/* Evaluates run->ev's program over its document, in the worker or by this thread, as the cost model chooses if there
 * is a choice; run->reason says why. What the worker does not take (full, too large, host steps, it has died) this
 * thread does, but with GPUXMLEngine gpu that is GX_EBUSY. Both times are learnt. run->eval_us is without the time in
 * the queue. */
gx_status gxm_evaluate(gxm_run *run, gx_error *err)
{
    static const char no_room[] =
        "the page takes more memory than the GPU has for one request, or GPUXMLLimit arena= allows";
    const u64 start = gx_now_us();
    const int is_host = run->version->features.is_host;
    gx_status status = GX_EHOST;
    double cpu = 0;
    gxm_choice choice;
    gxm_worker_cpu worker_cpu = { 0, 0, 0 };
    int is_chosen = 0;

    memset(&choice, 0, sizeof choice);
    /* a document that was read in place, before the worker was ready, stays in this process */
    const int is_wanted = gxm_worker_wanted() && !gx_parser_has(run->kit->parser, run->ev->doc);
    if (!run->is_ours && is_wanted && !is_host && (!gxm_costs || gxm_worker_alive())) {
        choice.worker = run->is_worker_chosen = 1;
        run->reason = GXM_CONFIGURED;
        if (gxm_costs) {
            choose(run, start, &choice);
            is_chosen = 1;
            gxm_cost_begin(gxm_costs, gxm_child_place, &choice);
            cpu = choice.is_measured ? gx_thread_cpu_us() : 0;
        }
    } else if (!run->is_ours) {
        run->reason = is_host && is_wanted ? GXM_HOST_STEPS : gxm_costs ? GXM_NO_WORKER : GXM_CONFIGURED;
        run->why = !gxm_costs ? NULL : is_host ? "thread: host steps" : "thread: no worker";
    }
    if (choice.worker)
        status = evaluate_there(run, &worker_cpu, err);
    if (status == GX_EHOST && !is_host && gxm_worker_is_away())
        status = GX_EBUSY;
    if ((status == GX_EHOST || status == GX_EARENA) && gxm_conf.engine == GXM_ENGINE_GPU)
        status = gx_fail(err, GX_EBUSY, "", 0, 0, "GPUXMLEngine gpu: %s", is_host ? "the stylesheet has host steps"
                         : status == GX_EARENA ? no_room : gxm_worker_verdict());
    else if (status == GX_EHOST || status == GX_EARENA || status == GX_EBUSY)
        status = evaluate_here(run, err);
    run->eval_us = gx_now_us() - start;
    if (is_chosen) {
        gxm_cost_end(gxm_costs, gxm_child_place, &choice);
        if (choice.is_measured)
            gxm_cost_learn(gxm_costs, &choice, gx_thread_cpu_us() - cpu, (double)run->eval_us, worker_cpu.own_us,
                           worker_cpu.batch_us);
    }
    run->eval_us -= run->queue_us < run->eval_us ? run->queue_us : run->eval_us;
    return status;
}
