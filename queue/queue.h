/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h -- requests from many httpd processes to one worker, through shared memory
 *
 *   httpd's parent   gx_queue_create, fork the children, gx_worker_spawn; gx_queue_reap, gx_queue_worker_died
 *   httpd's children gx_queue_acquire, gx_queue_submit, gx_queue_wait, gx_queue_release
 *   the worker       gx_queue_attach, gx_queue_take, gx_queue_finish, gx_queue_sweep
 *
 * One memfd, sealed against resizing, all of its pages there from the start (nobody gets SIGBUS later):
 *
 *   header | slots[n_slots] | pending bits | owner words[n_units] | programs[n_programs] | units[n_units] of 16 KiB
 *
 * A slot carries one request. Its word is sequence number << 16 | state; every transition is one compare-and-swap of
 * the whole word, so what comes late (a result, a reaper, a second worker) never touches the slot's next request. The
 * word's lower half is the futex that the waiter sleeps on.
 *
 *            acquire        submit           take             finish        release
 *      FREE --------> HELD --------> SUBMITTED -----> RUNNING -------> DONE --------> FREE
 *                      ^                |              | | ^ worker died, first time: back to SUBMITTED
 *                      |   gave up      |              | |
 *                      +----------------+     gave up  | | owner died, or released
 *                      +------------------- LEFT <-----+ +------> ORPHAN ---------> FREE
 *                        worker finished     | released              worker finished
 *                                            +--------> ORPHAN
 *
 * HELD, SUBMITTED and DONE belong to the owner (a thread of an httpd child): if that process dies, anybody may free
 * them. RUNNING, LEFT and ORPHAN are being read by the worker: only the worker's end of work, or its death, ends them.
 *
 * Memory is given out in runs of units. A unit's owner word is sequence << 16 | slot + 1, set by the same
 * compare-and-swap that takes the unit: there is no moment at which a dying process can lose one. A unit whose word
 * names a request that is over is free for the sweep to take. Requests that wait for the worker are bits, not a list:
 * nothing can be corrupted that setting the bits of all SUBMITTED slots would not mend, and a dispatcher takes up to 64
 * at once.
 *
 * Trust: a child that was taken over can write anything anywhere in here at any time. So every process keeps the layout
 * in private memory: the children inherit it, and a new worker is given it by the parent as an argument; the worker
 * copies the request, the document and the program before it looks at them, the owner copies the result; offsets read
 * from here are range checked at each use. Such a child can spoil or stop requests under way; it cannot make the worker
 * or the parent leave their memory. And what it writes does not stay: the programs and documents that the worker keeps
 * for later requests are known by the SHA-256 of its own copy, and the process that asks takes the digest of its own.
 *
 * Cost: a request is about a dozen atomic operations and two futex calls when both sides sleep; none when they do not.
 */
#ifndef GX_QUEUE_H
#define GX_QUEUE_H

#include "../engine/base.h"
#include "../engine/clock.h"
#include "sha256.h"

struct gx_error;                        /* gx.h's, which needs APR: this header does not */
struct gx_param;

#define GX_QUEUE_MAX_SLOTS 16384u
#define GX_QUEUE_PROGRAMS 1024u         /* programs in shared memory at once */
#define GX_QUEUE_UNIT 16384u            /* bytes */
#define GX_QUEUE_MAX_PARAMS 1024u
#define GX_QUEUE_MAX_PARAM_BYTES (1u << 20)
#define GX_QUEUE_MAX_BASE 4096u         /* bytes of a source's base URI */
#define GX_QUEUE_BEAT_US 100000u        /* the worker's heart beats so often */
#define GX_QUEUE_STALE_US 1000000u      /* a heartbeat older than this: the worker hangs */
#define GX_QUEUE_POISON "the worker died while it evaluated this request"      /* GX_EBAD: of it; GX_EHOST: with it */
#define GX_QUEUE_MAX_ATTEMPTS 2u        /* evaluations that a request may take down with it before it is refused */

/* ---- what lies in shared memory: plain fields, 16-byte aligned, also for a GPU that pulls requests itself ---- */

/* counts changes of these structures: httpd's module and the worker program may be of different builds */
#define GX_QUEUE_LAYOUT 8u

enum { GX_Q_FREE = 0, GX_Q_HELD, GX_Q_SUBMITTED, GX_Q_RUNNING, GX_Q_DONE, GX_Q_LEFT, GX_Q_ORPHAN, GX_Q_STATES };
#define GX_Q_WORD(seq, state) ((u64)(seq) << 16 | (u64)(state))
#define GX_Q_STATE(word) ((u32)((word) & 0xffffu))
#define GX_Q_SEQ(word) ((word) >> 16)

typedef struct gx_q_run { u64 off, size; } gx_q_run;    /* bytes from the memory's start; size 0 = none */

typedef struct gx_q_request {   /* written by the owner while HELD */
    gx_q_run doc, params;
    gx_sha256 digest;           /* of the program */
    gx_sha256 name;             /* of the document, where has_name: it is to be kept, or, without doc, has been */
    u32 program, generation;    /* entry of the program table: where a worker that does not have it finds it */
    u64 deadline_us;            /* CLOCK_MONOTONIC, 0 = none */
    u32 has_name;
    u32 place;                  /* what the worker said of where it keeps the document: a hint */
    u32 keeps;                  /* the owner would name it: keeping the document may be of use */
    u32 any_core;               /* gx_queue_request */
    u32 is_source;              /* doc is no block: the bytes of a document, and behind them base_len of its base URI */
    u32 base_len;
    u32 is_utf8;                /* its transport says that it is UTF-8 */
    u32 is_match;               /* the program is a set of profiles, doc what a packer made for it */
    u32 is_patient;             /* it waits until the set is on the device */
    gx_limits limits;
} gx_q_request;

/* The request's document is one that the worker has, not one that comes with it. */
static inline int gx_q_is_kept(const gx_q_request *r) { return r->doc.size == 0; }

/* Of a document, in an answer. A false one costs time: it says nothing about what is in the document. */
enum { GX_Q_NOT_KEPT = 0, GX_Q_WORTH_KEEPING /* if it had a name */, GX_Q_KEPT };

typedef struct gx_q_page {      /* before a page's bytes, in the result of a request with a source */
    u32 method;                 /* GX_METHOD_*, as the output decided */
    u32 n_nodes;                /* of the source */
    u64 arena;                  /* bytes that the evaluation's result took */
} gx_q_page;

/* The result of a request to match: behind it the n numbers of profiles, ascending, or n words, a bit for each profile
 * (n_profiles / 64 + 1): what is shorter */
typedef struct gx_q_matches { u32 n, is_bits; } gx_q_matches;

typedef struct gx_q_reply {     /* written by the worker while RUNNING */
    gx_q_run result;
    u32 status;                 /* gx_status */
    u32 line, column;
    u32 cpu_us, batch_us;       /* CPU time of the worker's, about: for this request, and its share of what is done for
                                   all of a batch */
    u32 on_core;                /* a core of the worker's evaluated, no device */
    u32 kept, place;            /* GX_Q_*KEPT*; where, for the requests that name it */
    u64 byte;
    u64 started_us, finished_us;
    char limit[16];             /* key of the limit that was reached, or "" */
    char file[256];
    char text[768];
} gx_q_reply;

typedef struct gx_q_slot {
    _Alignas(128) u64 word;
    u32 waiting;                /* somebody sleeps on the word */
    u32 attempts;               /* times the worker took it */
    u32 owner_pid, pad;
    u64 owner_start;            /* start time of owner_pid: a pid comes again, both together do not */
    u64 owner_seq;              /* set last: the two above are the owner's of this sequence number */
    u64 submitted_us;
    _Alignas(128) gx_q_request request;
    _Alignas(128) gx_q_reply reply;
} gx_q_slot;

/* A program's memory by size of the document (gx_queue_size_class), as its worker found it and the next one begins: 0
 * not known, else times the usual
 * arena, or that no arena of the worker's is large enough: GX_Q_NOT_THERE. Anybody may write here: a wrong figure
 * costs time. */
#define GX_Q_CLASSES 32u
#define GX_Q_NOT_THERE 255u

typedef struct gx_q_program {
    u64 word;                   /* generation << 32 | 24 bits of the digest << 8 | state (program.c) */
    u64 used_us;                /* when it was last asked for: the oldest goes first */
    gx_sha256 digest;
    gx_q_run block;
    u32 writer_pid, writer_generation;  /* the latter set last, as owner_seq */
    u64 writer_start;
    u8 room[GX_Q_CLASSES];
} gx_q_program;

/* A device of the worker's, as that told within the last second or so. For people: nothing is decided by it. Counts are
 * since the worker's start. */
#define GX_Q_DEVICES 16u
#define GX_Q_BATCHES 11u        /* batches of 1, of 2 or 3, of 4 to 7 ... of 1,024 and more requests */
typedef struct gx_q_device {
    char name[64];
    u64 memory, memory_used;    /* bytes, whoever uses them */
    u64 busy_us;                /* at least one launch of this worker was under way */
    u64 batch[GX_Q_BATCHES], batch_requests;
    u64 grid_requests;          /* evaluated by the whole device together */
    u64 core_requests;          /* cheaper than a launch: evaluated by the core that would have launched it */
    u64 match_requests;         /* documents matched with profiles */
    u32 match_sets, pad;        /* sets of profiles that it has now */
} gx_q_device;

typedef struct gx_q_header {    /* nothing in here says where anything lies: gx_queue_shape */
    _Alignas(128) u32 doorbell; /* futex: counts submits */
    u32 sleepers;               /* worker threads that sleep on it */
    _Alignas(128) u32 freed;    /* futex: counts releases */
    u32 free_waiters;
    _Alignas(128) u32 worker_pid;       /* 0: none */
    u32 epoch;                  /* counts workers that came and went */
    u64 worker_start;
    u64 heartbeat_us;
    char engine[64];            /* what the worker runs on, for the status page */
    u32 hands_back;             /* what it dies with is not tried again (gx_queue_hands_back) */
    u32 n_devices;              /* of device */
    gx_q_device device[GX_Q_DEVICES];
    _Alignas(128) u64 n_submitted, n_done, n_failed, n_late, n_busy, n_reaped, n_retried, n_poison, n_workers;
} gx_q_header;

/* ---- every process ---- */

typedef struct gx_queue gx_queue;       /* one process's view; valid in children forked after it was made */
typedef struct gx_slot gx_slot;         /* a slot held by the calling thread */

/* slots: requests in flight. bytes: for documents, programs, params and results. Fails with GX_ENOMEM and a sentence
 * with the numbers. */
gx_status gx_queue_create(u32 slots, u64 bytes, gx_queue **out, struct gx_error *err);
/* What the layout follows from. The parent hands it to the worker. */
typedef struct gx_queue_shape { u32 layout, slots, units; } gx_queue_shape;
gx_queue_shape gx_queue_shape_of(const gx_queue *q);
/* Unmaps and closes this process's part. In the parent: when the last child has gone too, the worker sees its lifeline
 * end and exits. */
void gx_queue_destroy(gx_queue *q);
u64 gx_queue_size(const gx_queue *q);   /* bytes of the whole memory, from gx_queue_base on: what a GPU registers */
void *gx_queue_base(const gx_queue *q);

typedef struct gx_queue_stats {
    u32 slots, by_state[GX_Q_STATES];
    u32 units, units_used, programs;
    u32 worker_pid, epoch;
    int alive;
    u64 heartbeat_age_us;
    char engine[64];
    u64 submitted, done, failed;        /* failed: done with another status than GX_OK */
    u64 late;                           /* given up by their waiter */
    u64 busy;                           /* turned away */
    u64 reaped;                         /* slots of dead owners */
    u64 retried, poison, workers;
    u32 n_devices;                      /* 0: the worker has no GPU */
    gx_q_device device[GX_Q_DEVICES];
} gx_queue_stats;
void gx_queue_stats_get(gx_queue *q, gx_queue_stats *out);
/* A worker is attached and its heart beats. */
int gx_queue_alive(gx_queue *q);
u64 gx_queue_silent_us(gx_queue *q);    /* since the last beat of this worker, or of its predecessor */
/* What the worker runs on, or the last one did, fit for logs and pages; "": none was ever ready. */
void gx_queue_engine(gx_queue *q, char text[64]);

/* ---- httpd's children: safe in any number of threads and processes ---- */

/* A stylesheet, as a process keeps it: the caller fills in block and size, and gx_queue_program_init digests it once.
 * block must stay as it is. The handle may be used by all threads. */
typedef struct gx_queue_program {
    const void *block;
    u64 size;
    gx_sha256 digest;
    u64 entry;          /* where it was last seen in shared memory: generation << 32 | index */
    u32 n_not_there;    /* requests that no arena of the worker's is large enough for; atomic */
} gx_queue_program;
void gx_queue_program_init(gx_queue_program *program, const void *block, u64 size);
/* Makes sure that it is in shared memory, evicting what was not asked for longest. Waits some milliseconds for another
 * thread that is just publishing it. GX_EBUSY: no room, or that does not end. Called by submit; call it at start to
 * have it ready. */
gx_status gx_queue_publish(gx_queue *q, gx_queue_program *program);

/* A free slot. Waits up to wait_us for one; else, and at once where no worker is alive, GX_EBUSY. */
gx_status gx_queue_acquire(gx_queue *q, u64 wait_us, gx_slot **out);
/* A document that is asked for again, as a process keeps it beside its block: all zeros at first, only the queue writes
 * it. The handle may be used by all threads. Its digest is taken once, and only where the worker has said that it would
 * keep such a document. */
typedef struct gx_queue_kept {
    u32 state;          /* atomic */
    u32 place;          /* atomic */
    gx_sha256 name;     /* read only from GX_KEPT_NAMED on */
} gx_queue_kept;
/* Is it with the worker, as far as its last answer says? Then a request moves only its result. */
int gx_queue_is_kept(const gx_queue_kept *kept);
typedef struct gx_queue_piece { const char *at; u64 n; } gx_queue_piece;
typedef struct gx_queue_request {
    const void *doc;                    /* a document block: it is copied */
    u64 doc_size;
    gx_queue_program *program;
    const struct gx_param *params;
    int n_params;
    const gx_limits *limits;            /* NULL = defaults */
    u64 deadline_us;                    /* CLOCK_MONOTONIC: the worker stops too; 0 = none */
    gx_queue_kept *kept;                /* that of doc; NULL: it need not be kept */
    int any_core;                       /* a device's worker may evaluate it on a core of its own, where that costs less
                                           than a launch */
    /* Instead of doc: the source itself, in pieces, which are copied. The worker parses it and answers with the page in
     * UTF-8. GX_EXML: it does not read this document, which need not be the document's fault; GX_EHOST: it reads no
     * sources, or does not write such pages. Then the document is to be parsed here. kept is not used. */
    const gx_queue_piece *pieces;
    u32 n_pieces;
    int is_utf8;                        /* the transport says that it is UTF-8 (else it is what it says itself) */
    const char *base_uri;               /* NULL = none */
    /* doc is what engine/match/pack.c made for another process, program is the set's block (flat.h): which of so many
     * profiles does it match? The answer is ids. GX_EHOST, GX_EARENA, GX_EBUSY: to be matched here. params, kept and
     * any_core are not used. */
    u32 n_profiles;                     /* 0 = it is no such request */
    int is_patient;                     /* it waits until the profiles are on the device, seconds perhaps; else that is
                                           GX_EARENA */
} gx_queue_request;
/* Hands the request over; what it points to stays until gx_queue_wait has returned. GX_EBUSY: no room for it. GX_EHOST:
 * the program has host steps. GX_EARENA: the worker said that its arenas are too small for this program and documents
 * of this size; some of these requests are handed over all the same, in case that has changed. The slot stays the
 * caller's. */
gx_status gx_queue_submit(gx_slot *slot, const gx_queue_request *request);

typedef struct gx_queue_result {
    const void *base;                   /* the result image (result.h): a private copy, until release. Document 0 is the
                                           request's */
    u64 size;
    u64 queue_us, evaluate_us;          /* from submit to the worker's start, from there to its end */
    u32 cpu_us, batch_us;               /* CPU time that the worker took, about: for it alone, its share of a batch;
                                           also of an answer that is an error */
    int on_core;                        /* a core of the worker's evaluated, no device; also of an error */
    u32 attempts;
    gx_q_page page;                     /* of a request with a source, whose base and size are the page's bytes */
    const u32 *ids;                     /* of a request to match: n_ids, ascending, below n_profiles; or NULL, and */
    const u64 *matched;                 /* .. a bit for each of its profiles */
    u32 n_ids;
} gx_queue_result;
/* Waits for the answer. Returns the evaluation's status (err as gx_evaluate fills it), or
 *   GX_ETIME                    the deadline (CLOCK_MONOTONIC microseconds; 0 = none) passed
 *   GX_EBUSY                    there is no worker any more, or it hangs
 *   GX_EHOST, GX_EARENA, GX_ENOMEM, GX_EBAD
 *                               the worker cannot or will not: evaluate here. GX_EBAD: it took the worker down before;
 *                               refusing is wiser
 * Serialise beside the document that was submitted: its copy, a sibling that was taken over could change. */
gx_status gx_queue_wait(gx_slot *slot, u64 deadline_us, gx_queue_result *out, struct gx_error *err);
/* Gives the slot and its memory back, in whatever state it is. */
void gx_queue_release(gx_slot *slot);

/* ---- httpd's parent ---- */

/* A child is dead: frees its slots. Returns how many. */
u32 gx_queue_reap(gx_queue *q, u32 pid);
/* The worker is dead (waitpid said so): its requests go back in line, or are answered with an error (GX_EBAD: it was
 * their second worker; GX_EHOST: gx_queue_hands_back); wakes all waiters. */
void gx_queue_worker_died(gx_queue *q);
/* Waits until a worker is attached and beats; GX_ETIME. */
gx_status gx_queue_wait_alive(gx_queue *q, u64 timeout_us);

/* Is this process, which is there, stopped (SIGSTOP)? */
int gx_process_stopped(u32 pid);

typedef struct gx_worker_options {
    int threads;                /* CPU dispatcher: 0 = one per core */
    u64 arena_bytes;            /* cap of one evaluation, 0 = default */
    const char *device;         /* "cpu", "auto" or a device number; NULL = auto */
    const char *visible;        /* the devices it may see, as CUDA_VISIBLE_DEVICES has them, numbers in the order of the
                                   bus; NULL = as this process */
    int batch;                  /* requests in a launch, at most; 0 = default */
    u32 uid, gid;               /* the worker drops to these; 0 = stay */
    int no_sandbox;             /* it keeps all of its user's rights */
} gx_worker_options;
/* fork + exec of the worker program: fd 3 is the memory, fd 4 the lifeline (its end of file ends the worker), stdin
 * /dev/null, stdout and stderr as here, nothing else; no privileges to gain, dies with this process. Fails with GX_EIO
 * if it cannot be executed. */
gx_status gx_worker_spawn(gx_queue *q, const char *path, const gx_worker_options *options, int *pid,
                          struct gx_error *err);

/* ---- the worker ---- */

/* Maps the memory behind fd (kept), which must be sealed and just as large as its shape says. GX_EBAD: it is not, or
 * has another layout. */
gx_status gx_queue_attach(int fd, const gx_queue_shape *shape, gx_queue **out, struct gx_error *err);
/* Takes over from a worker that has ended, which the parent has seen: there is one at a time. Requests that it had are
 * as after gx_queue_worker_died. */
void gx_queue_worker_begin(gx_queue *q);
/* What this worker dies with is answered GX_EHOST, unless it is blamed (gx_queue_blame): who asks evaluates it. For
 * devices: one request may take all that is in flight there down with it, again and again, and starting one takes
 * seconds. To be said before anything is taken. */
void gx_queue_hands_back(gx_queue *q);

/* Is known as the worker from now on; its heart must beat. engine: what it runs on, for the status page. */
void gx_queue_worker_ready(gx_queue *q, const char *engine);
void gx_queue_worker_end(gx_queue *q);          /* goes: waiters do not wait for the heartbeat to become stale */
void gx_queue_heartbeat(gx_queue *q);
/* What its devices do; n of GX_Q_DEVICES. */
void gx_queue_tell_devices(gx_queue *q, const gx_q_device *device, u32 n);
/* Once or twice a second: frees what dead processes and broken requests hold; finds requests that no bit stands for. */
void gx_queue_sweep(gx_queue *q);

/* A request, taken. All of it is private; doc, params are offsets that lie within the memory (but what lies there may
 * change). */
typedef struct gx_queue_job {
    gx_q_request request;
    u64 seq;
    u64 taken;                  /* tells it from an earlier job of the same slot and number, whose document was not
                                   there (GX_EABSENT) */
    u32 slot;
    u32 attempts;               /* this one included */
    u64 started_us;
    u32 kept, place;            /* out: of its document, as gx_q_reply */
    u32 cpu_us, batch_us;       /* out: CPU time it took, its share of what its batch did */
    u32 on_core;                /* out: a core evaluated it, no device */
} gx_queue_job;
/* Claims a waiting request; 0 = none. *hint: the caller's, any value to begin with; makes the callers go round all
 * slots. */
int gx_queue_take(gx_queue *q, u32 *hint, gx_queue_job *job);
/* As take, but sleeps until there is one or the timeout is over. spin_us: how long to look before sleeping. */
int gx_queue_take_wait(gx_queue *q, u32 *hint, gx_queue_job *job, u64 timeout_us, u32 spin_us);
/* Memory at [off, off + size) of a run of a job. */
const void *gx_queue_at(gx_queue *q, gx_q_run run);
/* A malloc'd copy of the job's program as it is in shared memory; its SHA-256 is the one the request names. GX_EBAD:
 * it names another one; GX_EBUSY: evicted meanwhile, or spoilt. */
gx_status gx_queue_program_copy(gx_queue *q, const gx_queue_job *job, void **block, u64 *size);
/* log2 of the bytes of a document block: what programs' memory is known by */
static inline u32 gx_queue_size_class(u64 bytes)
{
    const u32 log2 = bytes ? 63u - (u32)__builtin_clzll(bytes) : 0;
    return log2 < GX_Q_CLASSES ? log2 : GX_Q_CLASSES - 1;
}
/* What is known of the memory of the job's program, a hint from shared memory; and making it known. */
void gx_queue_room_get(gx_queue *q, const gx_queue_job *job, u8 room[GX_Q_CLASSES]);
void gx_queue_room_set(gx_queue *q, const gx_queue_job *job, u32 size_class, u8 room);
/* Does anybody wait for it? Not when its waiter gave up, or its process died. */
int gx_queue_wanted(gx_queue *q, const gx_queue_job *job);
/* Ends a job: status, *err (if not GX_OK), result image (if GX_OK; copied). GX_EARENA is answered when there is no room
 * for it. 0: the waiter had gone, nothing was delivered. */
int gx_queue_finish(gx_queue *q, const gx_queue_job *job, gx_status status, const struct gx_error *err,
                    const void *result, u64 size);
/* Ends a job with a source by its page: size bytes. As gx_queue_finish. */
int gx_queue_finish_page(gx_queue *q, const gx_queue_job *job, const gx_q_page *page, const void *bytes, u64 size);
/* From a crash handler (async-signal-safe): this job is what took the worker down. */
void gx_queue_blame(gx_queue *q, const gx_queue_job *job);

/* Decodes the params of a job from a private copy of its bytes into names and values (NUL-terminated, within bytes).
 * *out is malloc'd. GX_EBAD if it does not check out. */
gx_status gx_queue_params_decode(char *bytes, u64 size, struct gx_param **out, int *n);

u32 gx_cores_free(void);        /* of these, that nothing else runs on at this moment, at least 1 */
u32 gx_cores(void);             /* that this process may use (allowance.c), at least 1 */
double gx_thread_cpu_us(void);  /* time that this thread spent on a core: others may have had it meanwhile */

#endif
