/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h -- how long requests take: by stage and by stylesheet, in memory that all children share
 *
 *   gxm_measure --+-- row[0]   stylesheets beyond the table's end, together
 *                 +-- row[1]   "feed.xsl"    stripe[0] ... stripe[7], each: counts, a histogram for every stage
 *                 +-- ...
 *                 +-- sample   a ring of the last hour, one every ten seconds (written by httpd's parent)
 *
 * A request adds to one stripe of one row: the threads of a machine seldom share a cache line. A reader adds the
 * stripes up. Nothing is locked or allocated. A page that is read while requests run may be off by those requests.
 *
 * A histogram has four buckets for each power of two from 1 us to 16 s, so a percentile is exact to 19 %. The last
 * bucket has everything that took longer.
 *
 * Cost: about a dozen relaxed atomic additions a request, 60 to 120 ns (t/64-measure.c prints it). Memory: 2.1 MiB.
 * Every process of httpd writes here, so a reader takes names and counts for what they are: text to be escaped,
 * numbers.
 */
#ifndef GXM_MEASURE_H
#define GXM_MEASURE_H

#include "base.h"

enum { GXM_AT_PARSE = 0, GXM_AT_WAIT, GXM_AT_EVALUATE, GXM_AT_WRITE, GXM_AT_TOTAL, GXM_STAGES };
extern const char *const gxm_stage_names[GXM_STAGES];

#define GXM_BUCKETS 96u
#define GXM_STRIPES 8u
#define GXM_ROWS 64u
#define GXM_SAMPLES 360u            /* an hour */
#define GXM_SAMPLE_US 9000000u      /* httpd's parent looks about every ten seconds */

typedef struct gxm_histogram { u64 sum_us, n[GXM_BUCKETS]; } gxm_histogram;

/* Why an engine was chosen */
enum {
    GXM_NOT_CHOSEN = 0,             /* nothing was evaluated */
    GXM_CONFIGURED,                 /* GPUXMLEngine leaves no choice */
    GXM_CHEAPER, GXM_AS_TRIAL,      /* as the cost model says; the other one, to see whether that still holds */
    GXM_AS_ALL,                     /* all requests of a kind go one way: a full machine serves more so */
    GXM_HOST_STEPS, GXM_NO_WORKER,  /* the worker would not take it, or there is none now */
    GXM_REASONS
};
extern const char *const gxm_reason_names[GXM_REASONS];

typedef struct gxm_stripe {
    u64 chosen[2][GXM_REASONS];     /* of threads; of the worker */
    u64 done, failed, not_modified, in_bytes, out_bytes, by_cpu, by_worker;
    gxm_histogram stage[GXM_STAGES];
} __attribute__((aligned(64))) gxm_stripe;

typedef struct gxm_row {
    u64 key;                        /* hash of the name; 0: the row is free */
    u64 name[8], why[8];            /* text that ends with a 0 byte; written word by word */
    u64 arena_bytes;                /* the most that an evaluation needed */
    gxm_stripe stripe[GXM_STRIPES];
} gxm_row;

typedef struct gxm_sample {
    u64 at_us;                      /* wall clock, microseconds since 1970; 0: none yet */
    u64 over_us;                    /* what it covers */
    u64 done, failed, not_modified, by_cpu, by_worker, in_bytes, out_bytes, cache_hits, cache_misses;
    u64 waiting;                    /* requests in the queue at that moment */
    u64 busy, memory, memory_used;  /* GPUs: parts of 1,000 of the time that all were busy; bytes of all */
    u64 batches, batch_requests;
    u64 p50_us, p99_us;             /* of the whole request */
} gxm_sample;

typedef struct gxm_measure {
    gxm_row row[GXM_ROWS];
    gxm_sample sample[GXM_SAMPLES];
    u64 n_samples;                  /* ever taken: the newest is sample[(n_samples - 1) % GXM_SAMPLES] */
    u64 sampled_us;                 /* gx_now_us() of the newest */
    gxm_stripe last;                /* the sums at that time */
    u64 last_hits, last_misses, last_busy_us, last_batches, last_batch_requests;
} gxm_measure;

enum { GXM_DID_PAGE = 0, GXM_DID_FAIL, GXM_DID_NOT_MODIFY };
typedef struct gxm_request_facts {
    const char *sheet;              /* base name */
    const char *why;                /* of the engine's choice; NULL: there was no choice */
    int did;                        /* GXM_DID_* */
    int by_worker;                  /* -1: nothing was evaluated */
    int reason, is_worker_chosen;   /* GXM_NOT_CHOSEN ...; the choice, which the worker may have declined */
    u64 us[GXM_STAGES];
    u64 in_bytes, out_bytes, arena_bytes;
} gxm_request_facts;

/* Adds one request. Any thread of any process, at any time. */
void gxm_measure_add(gxm_measure *m, const gxm_request_facts *facts);

/* The sums of one row, or of all (row == GXM_ROWS). */
void gxm_measure_sum(const gxm_measure *m, u32 row, gxm_stripe *out);
/* A row's name or its last reason: text[64]; "" for a row that is free. */
void gxm_measure_name(const gxm_measure *m, u32 row, char text[64]);
void gxm_measure_why(const gxm_measure *m, u32 row, char text[64]);
/* Where values lie of which a share of `part` (0 to 1) is smaller, in microseconds; 0 for an empty histogram. */
double gxm_percentile(const gxm_histogram *h, double part);
u64 gxm_histogram_count(const gxm_histogram *h);
/* How many values are below 2^log2 microseconds. */
u64 gxm_histogram_below(const gxm_histogram *h, u32 log2);

/* Takes a sample where the last one is GXM_SAMPLE_US old. In httpd's parent only, with what the histograms do not
 * know. */
typedef struct gxm_sample_facts {
    u64 now_us, wall_us, cache_hits, cache_misses, waiting;
    u64 n_devices, busy_us, memory, memory_used, batches, batch_requests;       /* of all GPUs, since the worker's
                                                                                   start */
} gxm_sample_facts;
void gxm_measure_sample(gxm_measure *m, const gxm_sample_facts *facts);

#endif
