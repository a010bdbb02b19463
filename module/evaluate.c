/*
 * evaluate.c -- a request's evaluation: in its own thread, or by the worker
 *
 * cost.c has the model that chooses, worker.c the way to the worker. Here the model is asked, and told what it took. What the worker does not
 * take the thread does. GPUXMLEngine gpu is an exception for what it never takes (host steps, a machine without a GPU), but not for what is
 * passing: a full queue, a worker that has died or is not ready yet.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "evaluate.h"

#define TELL_OLD_US 1000000u        /* what a thread did before that says nothing about now */

/* Tells the cost model how long this thread had a core since it last did, and how long it stood in line for one: schedstat of proc(5), two
 * counters of nanoseconds. Without that file (a kernel without CONFIG_SCHED_INFO) the model counts threads only. The file is not kept open:
 * there are hundreds of threads, and few of them tell. */
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

static void choose(gxm_run *run, u64 now, gxm_choice *choice)
{
    static gxm_cost_count counting;
    request_rec *r = run->r;
    gxm_cost_facts facts;
    char why[100];
    facts.digest = run->version->queued.digest.a;
    facts.name = gxm_sheet_name(run->sheet);
    facts.n_nodes = run->ev->doc->n_nodes;
    facts.doc_bytes = run->cached && __atomic_load_n(&run->cached->resident, __ATOMIC_RELAXED) ? 0 : run->ev->doc->size;
    facts.is_recursive = run->version->features.is_recursive;
    facts.only_look = !gxm_cost_is_time(&counting, GXM_COUNT_US, now, &facts.others);
    tell_load(now);
    gxm_cost_choose(gxm_costs, &facts, choice);
    run->why = apr_pstrdup(r->pool, gxm_cost_explain(choice, why, sizeof why));
    ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "GX0152: %s, load %.1f, %s, nodes 2^%u", why, (double)choice->load, facts.name,
                  choice->size_class);
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
    gx_status status = gxm_worker_evaluate(&run->job, run->ev, run->version, run->cached ? &run->cached->resident : NULL, &run->queue_us, cpu, err);
    if (status == GX_EHOST || status == GX_EBUSY) {
        GXM_COUNT(worker_fallbacks, 1);
        return status;
    }
    run->where = gxm_worker_kind(cpu->on_core);
    GXM_COUNT(by_worker, 1);
    return status;
}

gx_status gxm_evaluate(gxm_run *run, gx_error *err)
{
    const u64 start = gx_now_us();
    const int is_host = run->version->features.is_host;
    gx_status status = GX_EHOST;
    double cpu = 0;
    gxm_choice choice;
    gxm_worker_cpu worker_cpu = { 0, 0, 0 };
    int is_chosen = 0;

    memset(&choice, 0, sizeof choice);
    if (gxm_worker_wanted() && !is_host && (!gxm_costs || gxm_worker_alive())) {
        choice.worker = 1;
        if (gxm_costs) {
            choose(run, start, &choice);
            is_chosen = 1;
            gxm_cost_begin(gxm_costs, gxm_child_place, &choice);
            cpu = choice.is_measured ? gx_thread_cpu_us() : 0;
        }
    }
    else if (gxm_costs)
        run->why = is_host ? "thread: host steps" : "thread: no worker";
    if (choice.worker)
        status = evaluate_there(run, &worker_cpu, err);
    if (status == GX_EHOST && !is_host && gxm_worker_is_away())
        status = GX_EBUSY;
    if (status == GX_EHOST || status == GX_EBUSY)
        status = gxm_conf.engine != GXM_ENGINE_GPU || status == GX_EBUSY ? evaluate_here(run, err)
               : gx_fail(err, GX_EBUSY, "", 0, 0, "GPUXMLEngine gpu: %s", gxm_worker_verdict());
    run->eval_us = gx_now_us() - start;
    if (is_chosen) {
        gxm_cost_end(gxm_costs, gxm_child_place, &choice);
        if (choice.is_measured)
            gxm_cost_learn(gxm_costs, &choice, gx_thread_cpu_us() - cpu, (double)run->eval_us, worker_cpu.own_us, worker_cpu.batch_us);
    }
    run->eval_us -= run->queue_us < run->eval_us ? run->queue_us : run->eval_us;
    return status;
}
