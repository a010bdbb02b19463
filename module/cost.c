/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost.c -- the cost model: see cost.h
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cost.h"

#define PROBES 8u
#define WEIGHT 0.0625f              /* of a new sample, once there are 16 */
#define TRIAL_WEIGHT 0.5f           /* of a trial's sample: the next one comes late */
#define LEAST_US 0.001f            /* no request takes less */
#define OUTLIER 4.0f /* a sample counts at most as so many times the figure: one hiccup is not a trend, eight are */
#define EXPLORE_SHARE 0.003f        /* of the time: with 1 % a full machine's 99th percentile is a trial */
#define EXPLORE_US 20000.0f
#define FEW 3u                      /* samples before a figure is believed when a trial is considered */
#define LOAD_US 20000.0f            /* how far back the load looks. Shorter: everybody goes over and back at once */
#define LOAD_LIGHT 1.4f             /* up to here the worker's time is taken as it was measured */
#define LOAD_HEAVY 1.8f             /* from here on divided, by the load to the power of 1.5 */
#define DICE_LOW 0.75f              /* above LOAD_LIGHT the worker's cost is taken for so much .. */
#define DICE_HIGH 1.33f             /* .. to so much of itself, by chance */
#define LOAD_IDLE_US 1000.0f        /* so little time on cores in LOAD_US says nothing: there is no load */

/* All requests of a cell one way, for comparison */
#define SETTLE_US 15000.0f /* after a change, until what was under way is done and children have told their counts */
#define STAGE_US 40000.0f           /* how long is counted at least: children tell every GXM_COUNT_US */
#define STAGE_MOST_US 400000.0f     /* who serves fewer than MEASURED in that is not compared */
#define MEASURED 400u               /* requests */
#define MOST 0.75f                  /* of all requests are the cell's */
#define NEARLY_ALL 0.95f            /* of the cell's go this way already: nothing is to be learnt of it */
#define NEAR 2.5f                   /* how much dearer the way may be that few take, if it is to be compared at all */
#define HOPELESS 0.7f               /* serving so much less shows while it settles */
#define BETTER 1.03f                /* a way takes over .. */
#define AS_GOOD 0.98f               /* .. and is kept */
#define FELL 0.7f                   /* from one look to the next: something else is going on */
#define ROSE 1.5f
#define HOLD_US 250000.0f
#define HOLD_MOST_US 16000000.0f

/* Guesses, from one core and an H200. They only have to be right to a factor: whichever side they choose is measured at
 * once. */
#define THREAD_US 5.0f
#define THREAD_NODE_US 0.02f
#define GPU_US 900.0f               /* a lone small request: a launch and its way through the queue */
#define GPU_NODE_US 0.0005f
#define GPU_BYTES_US 10000.0f       /* bytes a microsecond to the device */
#define GPU_SERIAL 8.0f             /* waves of one frame */
#define WORKER_US 30.0f             /* the worker has CPUs only: the thread's time and the way there and back */
#define WORKER_CPU_US 20.0f         /* of both processes */

#define get(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define put(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)

/* What lies there anybody of httpd may have written: a time or a rate, else 0. */
static float get_f(const float *p)
{
    float v;
    __atomic_load(p, &v, __ATOMIC_RELAXED);
    return v >= 0 && v < 1e15f ? v : 0;
}

static void put_f(float *p, float v) { __atomic_store(p, &v, __ATOMIC_RELAXED); }

static u32 size_class(u32 n_nodes) { return n_nodes ? 31u - (u32)__builtin_clz(n_nodes) : 0; }

static u64 key_of(u64 digest, u32 cls) { return (digest + cls) * 0x9e3779b97f4a7c15ull | 1; }

/* A new owner's: what others still write into it is a sample or two. */
static void begin_cell(gxm_cost *cost, gxm_cost_cell *c, const gxm_cost_facts *facts, u32 cls)
{
    u32 n = (u32)strnlen(facts->name, sizeof c->name - 1);
    put(&c->n_thread, 0);
    put(&c->n_worker, 0);
    put_f(&c->spent_us, 0);
    put_f(&c->tried_us, 0);
    put(&c->size_class, cls);
    put(&c->used, get(&cost->n_counted));
    for (u32 i = 0; i < sizeof c->name; i++)
        put(&c->name[i], i < n ? facts->name[i] : 0);
}

gxm_cost_cell gxm_cost_look(const gxm_cost_cell *c)
{
    gxm_cost_cell out = { .key = get(&c->key),
                          .size_class = get(&c->size_class),
                          .n_thread = get(&c->n_thread),
                          .n_worker = get(&c->n_worker),
                          .thread_us = get_f(&c->thread_us),
                          .worker_us = get_f(&c->worker_us),
                          .worker_cpu_us = get_f(&c->worker_cpu_us) };
    for (u32 i = 0; i < sizeof out.name - 1; i++)
        out.name[i] = get(&c->name[i]);
    return out;
}

/* make: takes a cell for it that is free, or that nobody uses any more. */
static gxm_cost_cell *find(gxm_cost *cost, const gxm_cost_facts *facts, u32 cls, int make)
{
    const u64 key = key_of(facts->digest, cls);
    gxm_cost_cell *oldest = NULL;
    u32 idle = GXM_COST_IDLE;
    for (u32 k = 0; k < PROBES; k++) {
        gxm_cost_cell *c = &cost->cell[((key >> 40) + k) & (GXM_COST_CELLS - 1)];
        u64 have = get(&c->key);
        if (have == key)
            return c;
        if (have) {
            if (get(&cost->n_counted) - get(&c->used) > idle) {
                idle = get(&cost->n_counted) - get(&c->used);
                oldest = c;
            }
            continue;
        }
        if (!make)
            return NULL;
        if (__atomic_compare_exchange_n(&c->key, &have, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            begin_cell(cost, c, facts, cls);
            return c;
        }
        if (have == key)
            return c;
    }
    u64 have = oldest ? get(&oldest->key) : 0;
    if (!make || !oldest
        || !__atomic_compare_exchange_n(&oldest->key, &have, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return NULL;
    begin_cell(cost, oldest, facts, cls);
    return oldest;
}

/* By what a wait for the worker is divided, and what a batch takes: see cost.h. On an H200's 16 cores with 16
 * connections the load is 1.2 to 1.4, and the time is the device's; dividing there sent half the requests to the slower
 * side. */
static float company_of(float load)
{
    if (load <= LOAD_LIGHT)
        return 1;
    return load >= LOAD_HEAVY ? load * sqrtf(load / LOAD_HEAVY)
                              : 1 + (load - LOAD_LIGHT) * (LOAD_HEAVY - 1) / (LOAD_HEAVY - LOAD_LIGHT);
}

/* Evaluation in the thread, alone on its core. Half the nodes are taken to need half the time. */
static float predict_thread(gxm_cost *cost, const gxm_cost_facts *facts, const gxm_cost_cell *c, u32 cls)
{
    if (c && get(&c->n_thread))
        return get_f(&c->thread_us);
    for (u32 k = 1; k <= 2 && k <= cls; k++) {
        const gxm_cost_cell *smaller = find(cost, facts, cls - k, 0);
        if (smaller && get(&smaller->n_thread))
            return get_f(&smaller->thread_us) * (float)(1u << k);
    }
    return THREAD_US + THREAD_NODE_US * (float)facts->n_nodes;
}

static float predict_worker(gxm_cost *cost, const gxm_cost_facts *facts, const gxm_cost_cell *c, float thread_us,
                            float load)
{
    const float least_us = cost->is_gpu ? 0 : thread_us;        /* a core, for as long as the thread would have it:
                                                                   never the cheaper one */
    if (c && get(&c->n_worker)) {
        float cpu_us = get_f(&c->worker_cpu_us);
        return get_f(&c->worker_us) / company_of(load) + (cpu_us > least_us ? cpu_us : least_us) * load;
    }
    float us = WORKER_US;
    if (cost->is_gpu) {
        us = GPU_US + GPU_NODE_US * (float)facts->n_nodes + (float)facts->doc_bytes / GPU_BYTES_US;
        us = facts->is_recursive ? us * GPU_SERIAL : us;
    }
    return us + (WORKER_CPU_US + least_us) * load;
}

static void count_busy(gxm_cost *cost)
{
    u32 busy = 0, n = get(&cost->n_children);
    for (u32 i = 0; i < n && i < GXM_CHILDREN; i++)
        busy += get(&cost->child[i].busy);
    put(&cost->busy, busy);
}

float gxm_cost_load(gxm_cost *cost)
{
    const u32 cores = get(&cost->cores);
    float shared = ((float)get(&cost->busy) + 1) / (float)(cores ? cores : 1);
    float load = 1 + get_f(&cost->stood_us) / (get_f(&cost->ran_us) + LOAD_IDLE_US);
    return load > shared ? load : shared;
}

void gxm_cost_tell(gxm_cost *cost, u64 now_us, double ran_us, double stood_us)
{
    u64 told = get(&cost->told_us);
    float keep = LOAD_US / (LOAD_US + (now_us > told ? (float)(now_us - told) : 0));
    put(&cost->told_us, now_us);
    put_f(&cost->ran_us, get_f(&cost->ran_us) * keep + (float)ran_us);
    put_f(&cost->stood_us, get_f(&cost->stood_us) * keep + (float)stood_us);
}

/* What a trial that takes so much longer counts: what is lost, and more if one request loses it all. */
static float price(float extra) { return extra <= EXPLORE_US ? extra : extra * (extra / EXPLORE_US); }

int gxm_cost_is_time(gxm_cost_count *count, u32 every_us, u64 now_us, u32 *others)
{
    u64 at = get(&count->at_us);
    if ((i64)(now_us - at) >= (i64)every_us
        && __atomic_compare_exchange_n(&count->at_us, &at, now_us, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        if (others)
            *others = __atomic_exchange_n(&count->others, 0, __ATOMIC_RELAXED);
        return 1;
    }
    if (others) {
        __atomic_fetch_add(&count->others, 1, __ATOMIC_RELAXED);
        *others = 0;
    }
    return 0;
}

/* The side that is not chosen is tried when its last figures may be old. Of a side that was never measured the guess
 * decides. */
static int is_due(gxm_cost_cell *c, float cheap, float dear)
{
    return get(&c->n_thread) + get(&c->n_worker) > FEW
        && get_f(&c->tried_us) + price(dear - cheap) <= EXPLORE_SHARE * get_f(&c->spent_us);
}

/* Between full and empty there is a load at which both sides cost the same, and the figures are late: if all went over
 * at once they would come back at once, and stand in line, or idle, in turn. */
static __thread u32 random_bits;        /* the dice's state; 0: not thrown yet. The tests set it */

static float dice(const gxm_cost *cost, float load)
{
    if (!cost->is_gpu || load <= LOAD_LIGHT)
        return 1;
    /* each thread its own: beside others who throw the same they would all go over at once */
    if (!random_bits)
        random_bits = (u32)(((u64)(size_t)&random_bits + (u64)getpid()) * 0x9e3779b97f4a7c15ull >> 32) | 1;
    random_bits = random_bits * 1664525u + 1013904223u;
    return DICE_LOW + (DICE_HIGH - DICE_LOW) * (float)(random_bits >> 8) / (float)(1u << 24);
}

/*
 * All requests one way. Stages: WATCH, until it is time to compare; then each as its prices say, all one way, each
 * again; of these the first part settles and is not counted. Whoever exchanges began_us ends a stage, alone; should it
 * die meanwhile a wrong way is taken until the next one ends.
 */
enum { WATCH, EACH_SETTLES, EACH, ONE_WAY_SETTLES, ONE_WAY, AGAIN_SETTLES, AGAIN };

static int settles(u32 stage) { return stage == EACH_SETTLES || stage == ONE_WAY_SETTLES || stage == AGAIN_SETTLES; }

static void begin_stage(gxm_cost_ways *w, u32 stage, u32 way)
{
    put(&w->all, 0);
    put(&w->own, 0);
    put(&w->worker, 0);
    put(&w->way, way);
    put(&w->stage, stage);
}

/* Nothing is known of this cell's requests. */
static void begin_ways(gxm_cost_ways *w, u32 cell)
{
    put(&w->cell, cell);
    put(&w->kept, GXM_EACH);
    put(&w->tried, GXM_EACH);
    put_f(&w->one_way, 0);
    put_f(&w->rate, 0);
    put_f(&w->held_us, 0);
    put_f(&w->hold_us, 0);
    begin_stage(w, WATCH, GXM_EACH);
}

/* Which way is compared, where so much of the cell goes to the worker; GXM_EACH: none */
static u32 way_to_try(const gxm_cost_ways *w, const gxm_choice *choice, float to_worker)
{
    const u32 kept = get(&w->kept), most = to_worker > 0.5f ? GXM_ALL_WORKER : GXM_ALL_THREAD;
    const int near = choice->worker_us < NEAR * choice->thread_us && choice->thread_us < NEAR * choice->worker_us;
    if (kept != GXM_EACH)
        return kept;
    if (get(&w->tried) == most && near)
        return most == GXM_ALL_WORKER ? GXM_ALL_THREAD : GXM_ALL_WORKER;
    return to_worker > NEARLY_ALL || to_worker < 1 - NEARLY_ALL ? GXM_EACH : most;
}

static void keep_way(gxm_cost_ways *w, u32 way)
{
    /* comparing costs more where it is not each for itself */
    const float hold = get_f(&w->hold_us) * (way == GXM_EACH ? 2 : 4);
    const int is_first = get_f(&w->hold_us) == 0 || way != get(&w->kept);
    put(&w->kept, way);
    put_f(&w->hold_us, is_first ? HOLD_US : hold < HOLD_MOST_US ? hold : HOLD_MOST_US);
    put_f(&w->held_us, 0);
    put_f(&w->rate, 0);
    begin_stage(w, WATCH, way);
}

/* A stage that took so long has come to its end; choice: of the request that found that out. */
static void end_stage(gxm_cost *cost, const gxm_choice *choice, float us)
{
    gxm_cost_ways *w = &cost->ways;
    const u32 stage = get(&w->stage), all = get(&w->all), own = get(&w->own), kept = get(&w->kept),
              cell = 1 + (u32)(choice->cell - cost->cell);
    const float rate = (float)all / us * 1e6f, before = get_f(&w->rate), load = gxm_cost_load(cost);
    u32 way;

    if (us > STAGE_MOST_US || (!settles(stage) && (float)own < MOST * (float)all)) {
        begin_ways(w, cell);
        return;
    }
    switch (stage) {
    case WATCH:
        if (kept != GXM_EACH && before > 0 && (rate < before * FELL || rate > before * ROSE)) {
            begin_ways(w, cell);
            return;
        }
        put_f(&w->rate, rate);
        put_f(&w->held_us, get_f(&w->held_us) + us);
        if (get_f(&w->held_us) < get_f(&w->hold_us) || (kept == GXM_EACH && load < LOAD_LIGHT))
            begin_stage(w, WATCH, kept);
        else
            begin_stage(w, EACH_SETTLES, GXM_EACH);
        return;
    case EACH:
        way = way_to_try(w, choice, (float)get(&w->worker) / (float)own);
        put_f(&w->each, rate);
        if (load < LOAD_LIGHT)      /* all that comes is served, and soonest so */
            begin_ways(w, cell);
        else if (way == GXM_EACH) {
            put_f(&w->one_way, 0);
            put(&w->tried, get(&w->worker) * 2 > own ? GXM_ALL_WORKER : GXM_ALL_THREAD);
            keep_way(w, GXM_EACH);
        } else {
            put(&w->tried, way);
            begin_stage(w, ONE_WAY_SETTLES, way);
        }
        return;
    case ONE_WAY_SETTLES:
        put_f(&w->one_way, rate);
        if (rate < HOPELESS * get_f(&w->each))
            keep_way(w, GXM_EACH);
        else
            begin_stage(w, ONE_WAY, get(&w->way));
        return;
    case ONE_WAY:
        put_f(&w->one_way, rate);
        begin_stage(w, AGAIN_SETTLES, GXM_EACH);
        return;
    case AGAIN:
        keep_way(w,
                 get_f(&w->one_way) > (get_f(&w->each) + rate) / 2 * (kept == GXM_EACH ? BETTER : AS_GOOD)
                     ? get(&w->tried)
                     : GXM_EACH);
        return;
    default:
        begin_stage(w, stage + 1, get(&w->way));
    }
}

/* A request that was counted, and those that it stands for */
static void count_way(gxm_cost *cost, const gxm_choice *choice, u32 n)
{
    gxm_cost_ways *w = &cost->ways;
    const u64 now = get(&cost->told_us);
    const u32 all = __atomic_add_fetch(&w->all, n, __ATOMIC_RELAXED), stage = get(&w->stage);
    u64 began = get(&w->began_us);
    const float us = now > began ? (float)(now - began) : 0;

    if (get(&w->cell) == 1 + (u32)(choice->cell - cost->cell)) {
        __atomic_fetch_add(&w->own, n, __ATOMIC_RELAXED);
        if (choice->worker)
            __atomic_fetch_add(&w->worker, n, __ATOMIC_RELAXED);
    }
    if (us >= (settles(stage) ? SETTLE_US : STAGE_US)
        && (settles(stage) || stage == WATCH || all >= MEASURED || us > STAGE_MOST_US)
        && __atomic_compare_exchange_n(&w->began_us, &began, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        end_stage(cost, choice, us);
}

/* Thread or worker for one request, by what each is predicted to cost in microseconds, a thread's weighted with the
 * load; the dice let several requests of about equal costs go both ways. Now and then the dearer way is tried, so that
 * its figure does not grow old; what trials cost stays in proportion to what was spent (is_due). only_look: nothing is
 * counted or learnt, and `out` is what would be chosen. Figures are shared by all children without locks: a lost
 * update is one sample less. */
void gxm_cost_choose(gxm_cost *cost, const gxm_cost_facts *facts, gxm_choice *out)
{
    u32 cls = size_class(facts->n_nodes);
    gxm_cost_cell *c = find(cost, facts, cls, !facts->only_look);
    float thread_us = predict_thread(cost, facts, c, cls);
    const u32 way = get(&cost->ways.way);

    if (!facts->only_look)
        count_busy(cost);
    out->cell = c;
    out->size_class = cls;
    out->load = gxm_cost_load(cost);
    out->worker_us = predict_worker(cost, facts, c, thread_us, out->load);
    out->thread_us = thread_us * out->load;
    const int cheaper = out->worker_us < out->thread_us;
    out->worker = out->worker_us * dice(cost, out->load) < out->thread_us;
    out->is_trial = 0;
    out->is_one_way = c && way != GXM_EACH && get(&cost->ways.cell) == 1 + (u32)(c - cost->cell);
    if (out->is_one_way)
        out->worker = way == GXM_ALL_WORKER;
    if (c && !facts->only_look) {
        put(&c->used, __atomic_add_fetch(&cost->n_counted, 1, __ATOMIC_RELAXED));
        float cheap = cheaper ? out->worker_us : out->thread_us, dear = cheaper ? out->thread_us : out->worker_us;
        float spent = get_f(&c->spent_us) + cheap * (float)(1 + facts->others), tried = get_f(&c->tried_us);
        if (!out->is_one_way && out->worker == cheaper && is_due(c, cheap, dear)) {
            out->is_trial = 1;
            out->worker = !out->worker;
            put_f(&c->tried_us, tried + price(dear - cheap));
        }
        if (spent > 1e9f) {         /* keeps a float's sum moving, and forgets */
            spent /= 2;
            put_f(&c->tried_us, get_f(&c->tried_us) / 2);
        }
        put_f(&c->spent_us, spent);
    }
    if (c && cost->is_gpu && !facts->only_look)
        count_way(cost, out, 1 + facts->others);
    out->is_measured = !facts->only_look || out->worker || (c && get(&c->n_thread) + get(&c->n_worker) <= FEW);
}

static void learn(float *figure, u32 n, float sample, float weight)
{
    float was = get_f(figure), now = sample, first = 1.0f / ((float)n + 1);
    if (was < LEAST_US) {               /* nobody measured that: it begins anew */
        put_f(figure, sample);
        return;
    }
    if (n >= FEW && now > was * OUTLIER)
        now = was * OUTLIER;
    put_f(figure, was + (now - was) * (first > weight ? first : weight));
}

static void count(u32 *n)
{
    u32 k = get(n);
    put(n, k < 0xffffffffu ? k + 1 : k);
}

/* What a request took, in microseconds: cpu_us of this thread, took_us from end to end, the worker's own time and its
 * share of a batch. Joins the running means of the cell, with more weight if it was a trial; a trial that was cheaper
 * than predicted gives back what it had been charged. */
void gxm_cost_learn(gxm_cost *cost, const gxm_choice *choice, double cpu_us, double took_us, double worker_cpu_us,
                    double batch_us)
{
    gxm_cost_cell *c = choice->cell;
    if (!c)
        return;
    const float weight = choice->is_trial ? TRIAL_WEIGHT : WEIGHT;
    const float load = gxm_cost_load(cost), company = company_of(load);
    const float waited_us = (float)(took_us > cpu_us ? took_us - cpu_us : 0),
                all_us = (float)(cpu_us + worker_cpu_us + batch_us / company);
    if (choice->is_trial) {     /* what it did not cost after all may be spent on the next one */
        float dear = choice->worker ? choice->worker_us : choice->thread_us,
              cheap = choice->worker ? choice->thread_us : choice->worker_us;
        float was = (choice->worker ? waited_us / company : 0) + all_us * load;
        if (was < dear)
            put_f(&c->tried_us, get_f(&c->tried_us) - (price(dear - cheap) - (was > cheap ? price(was - cheap) : 0)));
    }
    if (choice->worker) {
        learn(&c->worker_us, get(&c->n_worker), waited_us, weight);
        learn(&c->worker_cpu_us, get(&c->n_worker), all_us, weight);
        count(&c->n_worker);
    }
    else {
        learn(&c->thread_us, get(&c->n_thread), (float)cpu_us, weight);
        count(&c->n_thread);
    }
}

static void move(gxm_cost *cost, u32 child, const gxm_choice *choice, u32 by)
{
    if (!choice->worker)
        __atomic_fetch_add(&cost->child[child].busy, by, __ATOMIC_RELAXED);
}

void gxm_cost_begin(gxm_cost *cost, u32 child, const gxm_choice *choice) { move(cost, child, choice, 1); }
void gxm_cost_end(gxm_cost *cost, u32 child, const gxm_choice *choice) { move(cost, child, choice, (u32)-1); }

void gxm_cost_child(gxm_cost *cost, u32 child)
{
    for (u32 n = get(&cost->n_children); n <= child
         && !__atomic_compare_exchange_n(&cost->n_children, &n, child + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);)
        ;
}

void gxm_cost_child_died(gxm_cost *cost, u32 child)
{
    put(&cost->child[child].busy, 0);
    count_busy(cost);
}

char *gxm_cost_explain(const gxm_choice *ch, char *buf, u32 size)
{
    unsigned thread_us = (unsigned)(ch->thread_us < 4e9f ? ch->thread_us : 4e9f);
    unsigned worker_us = (unsigned)(ch->worker_us < 4e9f ? ch->worker_us : 4e9f);
    if (ch->is_one_way)
        snprintf(buf, size, "%s as all of them: worker %uus, thread %uus", ch->worker ? "worker" : "thread", worker_us,
                 thread_us);
    else if (ch->is_trial)
        snprintf(buf, size, "trial of %s: thread %uus, worker %uus", ch->worker ? "worker" : "thread", thread_us,
                 worker_us);
    else if (ch->worker)
        snprintf(buf, size, "worker %uus < thread %uus", worker_us, thread_us);
    else
        snprintf(buf, size, "thread %uus <= worker %uus", thread_us, worker_us);
    return buf;
}

char *gxm_cost_explain_ways(const gxm_cost *cost, char *buf, u32 size)
{
    static const char *const says[] = { "each as its prices say", "all to the worker", "all in their threads" };
    const gxm_cost_ways *w = &cost->ways;
    const u32 cell = get(&w->cell), way = get(&w->way), tried = get(&w->tried);
    *buf = 0;
    if (cell == 0 || cell > GXM_COST_CELLS || way > GXM_ALL_THREAD || tried > GXM_ALL_THREAD || get_f(&w->one_way) <= 0)
        return buf;
    const gxm_cost_cell c = gxm_cost_look(&cost->cell[cell - 1]);
    snprintf(buf, size, "%s nodes 2^%u %s (%.0f requests/s each as its prices say, %.0f %s)", c.name, c.size_class,
             says[way], (double)get_f(&w->each), (double)get_f(&w->one_way), says[tried]);
    return buf;
}
