/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c -- latency histograms, counts by stylesheet, and an hour's samples (measure.h)
 */
#include <string.h>
#include "measure.h"

const char *const gxm_stage_names[GXM_STAGES] = { "parse", "wait", "evaluate", "write", "total" };

const char *const gxm_reason_names[GXM_REASONS] = {
    "", "configured", "cheaper", "trial", "as all", "host steps", "no worker"
};

static u64 load(const u64 *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static void store(u64 *word, u64 value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

static void add(u64 *word, u64 n)
{
    if (n)
        __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

/* 0 1 2 3 | 4 5 6 7 | 8 10 12 14 | 16 20 24 28 | ... : four buckets for each power of two */
static u32 bucket_of(u64 us)
{
    if (us < 4)
        return (u32)us;
    const u32 log2 = 63u - (u32)__builtin_clzll(us);
    const u32 bucket = 4 * (log2 - 1) + (u32)(us >> (log2 - 2) & 3);
    return bucket < GXM_BUCKETS ? bucket : GXM_BUCKETS - 1;
}

static u64 bucket_start(u32 bucket)
{
    return bucket < 4 ? bucket : (u64)(4 + bucket % 4) << (bucket / 4 - 1);
}

static void put(gxm_histogram *h, u64 us)
{
    add(&h->sum_us, us);
    add(&h->n[bucket_of(us)], 1);
}

/* ---- rows ---- */

static u64 key_of(const char *name)
{
    u64 h = 0xcbf29ce484222325u;
    for (; *name; name++)
        h = (h ^ (u8)*name) * 0x100000001b3u;
    return h ? h : 1;
}

/* What of a text is kept: 63 bytes of printable ASCII. Texts that agree in it share a row, so no two rows have the same
 * label. */
static void shorten(const char *text, char out[64])
{
    u32 i = 0;
    memset(out, 0, 64);
    for (; i < 63 && text[i]; i++)
        out[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
}

/* Text in 64 bytes of shared memory, a word at a time: a reader may see half of an old one, but never leaves the 64
 * bytes. */
static void put_text(u64 words[8], const char bytes[64])
{
    u64 word;
    for (u32 i = 0; i < 8; i++) {
        memcpy(&word, bytes + 8 * i, 8);
        if (load(&words[i]) != word)
            store(&words[i], word);
    }
}

static void get_text(const u64 words[8], char text[64])
{
    for (u32 i = 0; i < 8; i++) {
        const u64 word = load(&words[i]);
        memcpy(text + 8 * i, &word, 8);
    }
    text[63] = 0;
}

/* The row of a stylesheet, taken for it if there is a free one; row 0 when there is none. Rows are never given back. */
static gxm_row *row_of(gxm_measure *m, const char *sheet)
{
    char name[64];
    shorten(sheet, name);
    const u64 key = key_of(name);
    for (u32 i = 0; i < GXM_ROWS - 1; i++) {
        gxm_row *row = &m->row[1 + (key + i) % (GXM_ROWS - 1)];
        u64 there = load(&row->key);
        if (!there && __atomic_compare_exchange_n(&row->key, &there, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            put_text(row->name, name);
            return row;
        }
        if (there == key)
            return row;
    }
    return &m->row[0];
}

static gxm_stripe *stripe_of(gxm_row *row)
{
    static u32 next;
    static __thread u32 mine;           /* stripe's number + 1 */
    if (!mine)
        mine = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % GXM_STRIPES + 1;
    return &row->stripe[mine - 1];
}

/* One request's figures into the stripe that this thread adds to, of the row of its stylesheet. Without locks: figures
 * of one request may be seen apart. */
void gxm_measure_add(gxm_measure *m, const gxm_request_facts *facts)
{
    gxm_row *row = row_of(m, facts->sheet);
    gxm_stripe *s = stripe_of(row);
    if (facts->did == GXM_DID_NOT_MODIFY) {
        add(&s->not_modified, 1);
        return;
    }
    add(facts->did == GXM_DID_FAIL ? &s->failed : &s->done, 1);
    add(&s->in_bytes, facts->in_bytes);
    add(&s->out_bytes, facts->out_bytes);
    if (facts->by_worker >= 0)
        add(facts->by_worker ? &s->by_worker : &s->by_cpu, 1);
    if (facts->reason)
        add(&s->chosen[facts->is_worker_chosen][facts->reason], 1);
    for (u32 i = 0; i < GXM_STAGES; i++)
        if (facts->us[i] || i == GXM_AT_TOTAL)
            put(&s->stage[i], facts->us[i]);
    if (facts->arena_bytes > load(&row->arena_bytes))
        store(&row->arena_bytes, facts->arena_bytes);
    if (facts->why) {
        char why[64];
        shorten(facts->why, why);
        put_text(row->why, why);
    }
}

/* ---- reading ---- */

void gxm_measure_sum(const gxm_measure *m, u32 row, gxm_stripe *out)
{
    const u32 end = row == GXM_ROWS ? GXM_ROWS : row + 1;
    memset(out, 0, sizeof *out);
    for (u32 r = row == GXM_ROWS ? 0 : row; r < end; r++) {
        if (r && !load(&m->row[r].key))
            continue;
        for (u32 i = 0; i < GXM_STRIPES; i++) {
            const u64 *from = (const u64 *)&m->row[r].stripe[i];
            u64 *to = (u64 *)out;
            for (size_t k = 0; k < sizeof *out / sizeof *to; k++)
                to[k] += load(&from[k]);
        }
    }
}

void gxm_measure_name(const gxm_measure *m, u32 row, char text[64])
{
    get_text(m->row[row].name, text);
    if (!row)
        strcpy(text, "(other)");
    else if (!load(&m->row[row].key))
        *text = 0;
}

void gxm_measure_why(const gxm_measure *m, u32 row, char text[64]) { get_text(m->row[row].why, text); }

u64 gxm_histogram_count(const gxm_histogram *h)
{
    u64 n = 0;
    for (u32 i = 0; i < GXM_BUCKETS; i++)
        n += h->n[i];
    return n;
}

u64 gxm_histogram_below(const gxm_histogram *h, u32 log2)
{
    u64 n = 0;
    for (u32 i = 0; i < GXM_BUCKETS && bucket_start(i) < (u64)1 << log2; i++)
        n += h->n[i];
    return n;
}

double gxm_percentile(const gxm_histogram *h, double part)
{
    const double wanted = part * (double)gxm_histogram_count(h);
    double below = 0;
    for (u32 i = 0; i < GXM_BUCKETS; i++) {
        const double n = (double)h->n[i];
        if (n > 0 && below + n >= wanted) {
            const double start = (double)bucket_start(i),
                         end = i + 1 < GXM_BUCKETS ? (double)bucket_start(i + 1) : start;
            return start + (end - start) * (wanted - below) / n;
        }
        below += n;
    }
    return 0;
}

/* ---- the last hour ---- */

static void subtract(gxm_stripe *from, const gxm_stripe *what)
{
    u64 *a = (u64 *)from;
    const u64 *b = (const u64 *)what;
    for (size_t k = 0; k < sizeof *from / sizeof *a; k++)
        a[k] -= a[k] < b[k] ? a[k] : b[k];
}

/* What a counter has grown by; it is the worker's, and begins anew with that. */
static u64 growth(u64 *last, u64 now)
{
    const u64 n = now >= *last ? now - *last : now;
    *last = now;
    return n;
}

static void sample_devices(gxm_measure *m, gxm_sample *s, const gxm_sample_facts *facts)
{
    const u64 over_us = s->over_us * facts->n_devices, busy_us = growth(&m->last_busy_us, facts->busy_us);
    const u64 part = over_us ? busy_us * 1000 / over_us : 0;
    store(&s->busy, part < 1000 ? part : 1000);
    store(&s->memory, facts->memory);
    store(&s->memory_used, facts->memory_used);
    store(&s->batches, growth(&m->last_batches, facts->batches));
    store(&s->batch_requests, growth(&m->last_batch_requests, facts->batch_requests));
}

/* A sample of what has happened since the last one, if that is GXM_SAMPLE_US ago: differences of sums, two
 * percentiles, the devices. By one process, the parent; n_samples is stored last, so readers see whole samples. */
void gxm_measure_sample(gxm_measure *m, const gxm_sample_facts *facts)
{
    gxm_stripe sums, since;
    gxm_sample *s = &m->sample[m->n_samples % GXM_SAMPLES];
    if (m->sampled_us && facts->now_us - m->sampled_us < GXM_SAMPLE_US)
        return;
    gxm_measure_sum(m, GXM_ROWS, &sums);
    since = sums;
    subtract(&since, &m->last);
    store(&s->at_us, facts->wall_us);
    store(&s->over_us, m->sampled_us ? facts->now_us - m->sampled_us : 0);
    store(&s->done, since.done);
    store(&s->failed, since.failed);
    store(&s->not_modified, since.not_modified);
    store(&s->by_cpu, since.by_cpu);
    store(&s->by_worker, since.by_worker);
    store(&s->in_bytes, since.in_bytes);
    store(&s->out_bytes, since.out_bytes);
    store(&s->cache_hits, facts->cache_hits - m->last_hits);
    store(&s->cache_misses, facts->cache_misses - m->last_misses);
    store(&s->waiting, facts->waiting);
    sample_devices(m, s, facts);
    store(&s->p50_us, (u64)gxm_percentile(&since.stage[GXM_AT_TOTAL], 0.5));
    store(&s->p99_us, (u64)gxm_percentile(&since.stage[GXM_AT_TOTAL], 0.99));
    m->last = sums;
    m->last_hits = facts->cache_hits;
    m->last_misses = facts->cache_misses;
    m->sampled_us = facts->now_us;
    __atomic_store_n(&m->n_samples, m->n_samples + 1, __ATOMIC_RELEASE);
}
