/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue.c -- the queue alone: what an evaluation is does not matter here, so the worker is a few lines that hash
 *
 * The answer to a request is a hash of its document and params; a wrong, foreign or stale answer has another one. Run
 * it under
 * AddressSanitizer (hostile writes) and ThreadSanitizer (fork-free cases: GX_TEST_THREADS_ONLY=1) too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gx.h"
#include "memory.h"

#define MiB (1u << 20)

static u64 hash(u64 h, const void *p, u64 n)
{
    for (u64 i = 0; i < n; i++)
        h = (h ^ ((const u8 *)p)[i]) * 1099511628211ull;
    return h;
}

static u64 next_random(u64 *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static void sleep_us(u64 us)
{
    struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };
    nanosleep(&t, NULL);
}

/* ---- blocks: nothing but header, size and filler ---- */

static void fill_doc(void *at, u64 size, u64 token)
{
    gx_doc *d = (gx_doc *)at;
    memset(at, 0, size < 4096 ? size : 4096);
    d->magic = GX_DOC_MAGIC;
    d->size = size;
    memcpy((char *)at + sizeof *d, &token, sizeof token);
}

static gx_program *make_program(u64 size, u32 token)
{
    gx_program *p = (gx_program *)calloc(1, size);
    p->magic = GX_PROG_MAGIC;
    p->size = size;
    memset(p + 1, (int)token, size - sizeof *p);
    memcpy(p + 1, &token, sizeof token);
    return p;
}

/* ---- the worker ---- */

typedef struct answer { gx_result head; u64 hash; u32 attempts, program; } answer;

static void evaluate(gx_queue *q, const gx_queue_job *job)
{
    answer a;
    void *block;
    u64 size, doc_size = job->request.doc.size;
    gx_error err;
    memset(&a, 0, sizeof a);
    gx_status status = gx_queue_program_copy(q, job, &block, &size);
    if (status != GX_OK) {
        gx_fail(&err, status, "", 0, 0, "program");
        gx_queue_finish(q, job, status, &err, NULL, 0);
        return;
    }
    memcpy(&a.program, (gx_program *)block + 1, sizeof a.program);
    free(block);
    char *copy = (char *)malloc(doc_size);
    memcpy(copy, gx_queue_at(q, job->request.doc), doc_size);
    a.hash = hash(7, copy, doc_size < 4096 ? doc_size : 4096);
    free(copy);
    if (job->request.params.size) {
        gx_param *params;
        int n;
        char *bytes = (char *)malloc(job->request.params.size);
        memcpy(bytes, gx_queue_at(q, job->request.params), job->request.params.size);
        if (gx_queue_params_decode(bytes, job->request.params.size, &params, &n) == GX_OK) {
            for (int i = 0; i < n; i++)
                a.hash = hash(hash(a.hash, params[i].name, strlen(params[i].name)), params[i].value,
                              strlen(params[i].value));
            free(params);
        }
        free(bytes);
    }
    a.attempts = job->attempts;
    gx_queue_finish(q, job, GX_OK, NULL, &a, sizeof a);
}

static int stop;
static void *work(void *arg)
{
    gx_queue *q = (gx_queue *)arg;
    u32 hint = 0;
    gx_queue_job job;
    u64 beat = 0;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        if (gx_queue_take_wait(q, &hint, &job, 20000, 5))
            evaluate(q, &job);
        if (gx_now_us() - beat > 50000) {
            gx_queue_heartbeat(q);
            gx_queue_sweep(q);
            beat = gx_now_us();
        }
    }
    return NULL;
}

static void be_ready(gx_queue *q)
{
    gx_queue_worker_begin(q);
    gx_queue_worker_ready(q, "test");
}

/* A child that does not outlive a test that fails: it would hold the test's output open, and who reads that would wait
 * for ever. */
static pid_t fork_child(void)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
        _exit(76);
    return pid;
}

static pid_t fork_worker(gx_queue *q)
{
    pid_t pid = fork_child();
    if (pid == 0) {
        gx_queue_worker_begin(q);
        gx_queue_worker_ready(q, "test");
        work(q);
        _exit(0);
    }
    return pid;
}

static gx_queue *make(u32 slots, u64 bytes)
{
    gx_queue *q = NULL;
    gx_error err;
    if (gx_queue_create(slots, bytes, &q, &err) != GX_OK)
        fail_msg("%s", err.text);
    return q;
}

/* Everything is free again but `programs` units, at last: a slot whose taker was killed before it had signed takes ten
 * seconds. */
static void assert_empty(gx_queue *q, u32 program_units)
{
    gx_queue_stats s;
    for (int tries = 0;; tries++) {
        gx_queue_stats_get(q, &s);
        if ((s.by_state[GX_Q_FREE] == s.slots && s.units_used == program_units) || tries == 1500)
            break;
        sleep_us(10000);
    }
    assert_int_equal(s.by_state[GX_Q_FREE], s.slots);
    assert_int_equal(s.units_used, program_units);
}

static gx_status ask(gx_queue *q, gx_queue_program *p, u64 size, u64 token, u64 timeout_us, answer *out)
{
    gx_slot *slot;
    gx_queue_result r;
    gx_error err;
    char value[32];
    snprintf(value, sizeof value, "%llx", (unsigned long long)token);
    gx_param param = { "token", value };
    gx_queue_request request;
    gx_status status = gx_queue_acquire(q, timeout_us, &slot);
    if (status != GX_OK)
        return status;
    memset(&request, 0, sizeof request);
    void *doc = malloc(size);
    fill_doc(doc, size, token);
    u64 want = hash(7, doc, size < 4096 ? size : 4096);
    want = hash(hash(want, "token", 5), value, strlen(value));
    request.doc = doc;
    request.doc_size = size;
    request.program = p;
    request.params = &param;
    request.n_params = 1;
    status = gx_queue_submit(slot, &request);
    if (status == GX_OK)
        status = gx_queue_wait(slot, gx_now_us() + timeout_us, &r, &err);
    if (status == GX_OK) {
        if (r.size != sizeof *out)
            fail_msg("answer of %llu bytes", (unsigned long long)r.size);
        memcpy(out, r.base, sizeof *out);
        if (out->hash != want)
            fail_msg("a foreign answer");
    }
    gx_queue_release(slot);
    free(doc);
    return status;
}

/* ---- cases ---- */

static void test_create(void **state)
{
    (void)state;
    gx_queue *q;
    gx_error err;
    assert_int_equal(gx_queue_create(0, 8 * MiB, &q, &err), GX_EBAD);
    assert_int_equal(gx_queue_create(1u << 20, 8 * MiB, &q, &err), GX_EBAD);
    assert_int_equal(gx_queue_create(4, 100, &q, &err), GX_EBAD);
    assert_int_equal(gx_queue_create(4, 1ull << 40, &q, &err), GX_ENOMEM);
    assert_non_null(strstr(err.text, "1099511627776 bytes of data"));
    struct rlimit files;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &files), 0);
    const struct rlimit small = { 2 * MiB, files.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(gx_queue_create(4, 4 * MiB, &q, &err), GX_ENOMEM);      /* and not the end of httpd */
    assert_non_null(strstr(err.text, "ulimit -f"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &files), 0);
    q = make(4, 4 * MiB);
    assert_int_equal((uintptr_t)&q->slots[1] % 128, 0);
    gx_queue *other;
    gx_queue_shape shape = gx_queue_shape_of(q), wrong;
    memset(q->header, 0xa5, sizeof *q->header);                             /* whatever a child has written there */
    assert_int_equal(gx_queue_attach(dup(q->fd), &shape, &other, &err), GX_OK);     /* as the worker does */
    assert_int_equal(other->n_slots, 4);
    assert_int_equal(other->data, q->data);
    gx_queue_worker_begin(other);
    gx_queue_worker_ready(other, "test");
    gx_queue_heartbeat(other);
    assert_true(gx_queue_alive(q));
    assert_string_equal(q->header->engine, "test");
    memset(q->header->engine, 'x', sizeof q->header->engine);
    gx_store(&q->header->hands_back, 7);
    gx_queue_heartbeat(other);                                              /* mends what is said of the worker */
    assert_string_equal(q->header->engine, "test");
    assert_int_equal(q->header->hands_back, 0);
    gx_queue *bad;
    assert_int_equal(gx_queue_attach(0, &shape, &bad, &err), GX_EBAD);
    wrong = shape;
    wrong.layout++;                                                         /* of another build */
    assert_int_equal(gx_queue_attach(q->fd, &wrong, &bad, &err), GX_EBAD);
    wrong = shape;
    wrong.units++;                                                          /* not this memory's */
    assert_int_equal(gx_queue_attach(q->fd, &wrong, &bad, &err), GX_EBAD);
    gx_queue_destroy(other);
    gx_queue_destroy(q);
}

static void test_runs(void **state)
{
    (void)state;
    gx_queue *q = make(8, 8 * MiB);
    gx_q_run run[600], large;
    u32 n = 0;
    assert_true(gx_run_alloc(q, GX_OWNER_SLOT(0, 1), 2 * MiB, 0, &large));
    assert_int_equal(large.off + 2 * MiB, q->size);                         /* from the end */
    while (n < 600 && gx_run_alloc(q, GX_OWNER_SLOT(1, 1), 100 + n * 40, gx_run_home(q, n % 8), &run[n]))
        n++;
    assert_true(n > 300 && n < 600);
    for (u32 i = 0; i < n; i++)
        memset(q->base + run[i].off, (int)i, run[i].size);
    for (u32 i = 0; i < n; i++)
        assert_int_equal((u8)q->base[run[i].off + run[i].size - 1], (u8)i);
    assert_false(gx_run_alloc(q, GX_OWNER_SLOT(2, 1), 8 * MiB, 0, &run[n]));
    assert_false(gx_run_alloc(q, GX_OWNER_SLOT(2, 1), 0, 0, &run[n]));
    assert_false(gx_run_alloc(q, GX_OWNER_SLOT(2, 1), ~0ull, 0, &run[n]));
    gx_run_free(q, run[0], GX_OWNER_SLOT(1, 2));                            /* another request's: stays */
    assert_int_not_equal(q->owners[(run[0].off - q->data) / GX_QUEUE_UNIT], 0);
    static const gx_q_run nonsense[] = { { 0, 100 }, { ~0ull, 100 }, { 1u << 20, ~0ull }, { 16383, 1 }, { 0, 0 } };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        assert_false(gx_run_valid(q, nonsense[i]));
    for (u32 i = 0; i < n; i++)
        gx_run_free(q, run[i], GX_OWNER_SLOT(1, 1));
    gx_run_free(q, large, GX_OWNER_SLOT(0, 1));
    assert_empty(q, 0);
    gx_queue_destroy(q);
}

typedef struct crowd { gx_queue *q; u64 seed; gx_queue_program *program; u32 n, ok, busy; } crowd;

static void *alloc_crowd(void *arg)
{
    crowd *c = (crowd *)arg;
    for (u32 i = 0; i < c->n; i++) {
        gx_q_run run;
        u64 owner = GX_OWNER_SLOT(c->seed % 8, i + 1), r = next_random(&c->seed);
        if (!gx_run_alloc(c->q, owner, 1 + r % (r & 256 ? 1500000 : 40000), (u32)(r >> 40) % c->q->n_units, &run)) {
            c->busy++;
            continue;
        }
        u64 *first = (u64 *)(c->q->base + run.off),
            *last = (u64 *)(c->q->base + run.off + (run.size - 1) / GX_QUEUE_UNIT * GX_QUEUE_UNIT);
        *first = *last = r;
        if (i % 16 == 0)
            sleep_us(1);
        assert_int_equal(*first, r);        /* TSan too would see two owners of a unit */
        assert_int_equal(*last, r);
        gx_run_free(c->q, run, owner);
        c->ok++;
    }
    return NULL;
}

static void test_runs_crowd(void **state)
{
    (void)state;
    gx_queue *q = make(8, 4 * MiB);
    pthread_t id[4];
    crowd c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = (crowd){ q, 0x9e3779b97f4a7c15ull * (u64)(i + 1), NULL, 5000, 0, 0 };
        pthread_create(&id[i], NULL, alloc_crowd, &c[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], NULL);
        assert_true(c[i].ok > 1000);
    }
    assert_empty(q, 0);
    gx_queue_destroy(q);
}

static void *ask_crowd(void *arg)
{
    crowd *c = (crowd *)arg;
    while (c->ok < c->n && c->busy < 20000) {
        answer a;
        u64 r = next_random(&c->seed);
        gx_status status = ask(c->q, c->program, sizeof(gx_doc) + 8 + r % (r & 0x700 ? 20000 : 300000), r,
                               10000000, &a);
        if (status == GX_OK)
            c->ok++;
        else if (status == GX_EBUSY) {      /* the program is being published: httpd would evaluate in the thread */
            c->busy++;
            sleep_us(1000);
        } else
            fail_msg("status %d", status);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    gx_queue *q = make(3, 8 * MiB);
    gx_program *block = make_program(5000, 1);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    pthread_t worker[2], id[4];
    crowd c[4];
    stop = 0;
    be_ready(q);
    for (int i = 0; i < 2; i++)
        pthread_create(&worker[i], NULL, work, q);
    for (int i = 0; i < 4; i++) {
        c[i] = (crowd){ q, 77 + (u64)i, &program, 1500, 0, 0 };
        pthread_create(&id[i], NULL, ask_crowd, &c[i]);
    }
    u32 ok = 0;
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], NULL);
        ok += c[i].ok;
    }
    assert_int_equal(ok, 4 * 1500);
    assert_empty(q, 1);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(worker[i], NULL);
    stop = 0;
    free(block);
    gx_queue_destroy(q);
}

/* 4 processes of 3 threads; now and then one is killed in the middle and replaced. */
static void test_processes(void **state)
{
    (void)state;
    gx_queue *q = make(16, 8 * MiB);
    gx_program *block = make_program(40000, 2);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 40000);
    pid_t worker = fork_worker(q), child[4];
    assert_int_equal(gx_queue_wait_alive(q, 5000000), GX_OK);
    int killed = 0, finished = 0;
    u64 seed = 4711;
    for (int round = 0; round < 16; round++) {
        int k = round % 4;
        if (round >= 4) {
            int status;
            if (round < 12) {
                sleep_us(next_random(&seed) % 20000);
                kill(child[k], SIGKILL);
            }
            waitpid(child[k], &status, 0);
            if (WIFSIGNALED(status)) {
                killed++;
                if (round % 2)
                    gx_queue_reap(q, (u32)child[k]);    /* else the worker's sweep finds it */
            } else {
                assert_int_equal(WEXITSTATUS(status), 0);
                finished++;
            }
        }
        if (round >= 12)
            continue;
        child[k] = fork_child();
        if (child[k] == 0) {
            pthread_t id[3];
            crowd c[3];
            for (int i = 0; i < 3; i++) {
                c[i] = (crowd){ q, seed + (u64)(round * 3 + i) * 999, &program, round < 8 ? 100000 : 500, 0, 0 };
                pthread_create(&id[i], NULL, ask_crowd, &c[i]);
            }
            for (int i = 0; i < 3; i++)
                pthread_join(id[i], NULL);
            _exit(c[0].ok == 500 ? 0 : 1);
        }
    }
    assert_true(killed >= 4);
    assert_int_equal(killed + finished, 12);
    sleep_us(300000);
    assert_empty(q, 3);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    free(block);
    gx_queue_destroy(q);
}

static gx_slot *submitted(gx_queue *q, gx_queue_program *p)
{
    static _Alignas(16) char doc[20000];
    gx_slot *slot;
    gx_queue_request r;
    memset(&r, 0, sizeof r);
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    fill_doc(doc, sizeof doc, 5);
    r.doc = doc;
    r.doc_size = sizeof doc;
    r.program = p;
    assert_int_equal(gx_queue_submit(slot, &r), GX_OK);
    return slot;
}

/* An owner killed in each state; this process is the worker. */
static void test_owner_death(void **state)
{
    (void)state;
    gx_program *block = make_program(5000, 3);
    enum { SWEPT, REAPED, UNKNOWN /* it has no /proc (ChrootDir), its worker has */, WAYS };
    for (int way = SWEPT; way < WAYS; way++)
        for (u32 at = GX_Q_HELD; at < GX_Q_ORPHAN; at++) {
            gx_queue *q = make(2, 2 * MiB);
            gx_queue_program program;
            gx_queue_program_init(&program, block, 5000);
            be_ready(q);
            pid_t pid = fork_child();
            if (pid == 0) {
                gx_slot *slot;
                if (way == UNKNOWN)
                    q->self_pid = (u32)getpid(), q->self_start = 0;
                gx_queue_result r;
                slot = submitted(q, &program);
                if (at == GX_Q_HELD) {                  /* again, with its memory */
                    if (gx_queue_wait(slot, 1, &r, NULL) != GX_ETIME)
                        _exit(1);
                } else {
                    while (at == GX_Q_LEFT && GX_Q_STATE(gx_load(&q->slots[slot->index].word)) != GX_Q_RUNNING)
                        sleep_us(100);
                    if (at == GX_Q_LEFT && gx_queue_wait(slot, 1, &r, NULL) == GX_OK)
                        _exit(1);
                }
                pause();
            }
            gx_queue_job job;
            u32 hint = 0, index = 0;
            int taken = at == GX_Q_RUNNING || at == GX_Q_DONE || at == GX_Q_LEFT;
            if (taken)
                while (!gx_queue_take_wait(q, &hint, &job, 100000, 0))
                    ;
            if (at == GX_Q_DONE)
                evaluate(q, &job);
            for (int tries = 0; tries < 1000; tries++) {
                for (index = 0; index < 2 && GX_Q_STATE(gx_load(&q->slots[index].word)) != at; index++)
                    ;
                if (index < 2)
                    break;
                sleep_us(1000);
            }
            assert_true(index < 2);
            sleep_us(2000);
            gx_queue_sweep(q);          /* it is alive: nothing happens */
            assert_int_equal(GX_Q_STATE(q->slots[index].word), at);
            kill(pid, SIGKILL);
            if (way == REAPED) {
                waitpid(pid, NULL, 0);
                assert_int_equal(gx_queue_reap(q, (u32)pid), 1);
            } else {
                siginfo_t info;
                waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);     /* a zombie is as dead */
                gx_queue_sweep(q);
                waitpid(pid, NULL, 0);
            }
            if (at == GX_Q_RUNNING || at == GX_Q_LEFT) {
                assert_int_equal(GX_Q_STATE(q->slots[index].word), GX_Q_ORPHAN);
                evaluate(q, &job);
            }
            assert_int_equal(GX_Q_STATE(q->slots[index].word), GX_Q_FREE);
            gx_queue_sweep(q);
            assert_empty(q, 1);
            gx_queue_destroy(q);
        }
    free(block);
}

/* Thousands of slots of some processes, in any order: a sweep, which is between two beats of the worker's heart, stays
 * short. */
static void test_sweep_is_short(void **state)
{
    (void)state;
    enum { SLOTS = 8192, CHILDREN = 8 };
    gx_queue *q = make(SLOTS, 2 * MiB);
    pid_t child[CHILDREN];
    u32 *turn = (u32 *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    be_ready(q);
    for (u32 k = 0; k < CHILDREN; k++)
        if ((child[k] = fork_child()) == 0) {
            pid_t me = getpid();
            for (u32 i = k; i < SLOTS; i += CHILDREN) {
                u64 start;
                u32 pid;
                gx_self(q, &pid, &start);
                q->slots[i].owner_pid = (u32)me;
                q->slots[i].owner_start = start;
                q->slots[i].owner_seq = 1;
                gx_store(&q->slots[i].word, GX_Q_WORD(1, GX_Q_HELD));
            }
            __atomic_add_fetch(turn, 1, __ATOMIC_SEQ_CST);
            pause();
        }
    for (int tries = 0; __atomic_load_n(turn, __ATOMIC_SEQ_CST) < CHILDREN && tries < 5000; tries++)
        sleep_us(1000);
    double before = gx_thread_cpu_us();
    gx_queue_sweep(q);
    double took = gx_thread_cpu_us() - before;
    print_message("# %.0f us for %d slots of %d processes\n", took, SLOTS, CHILDREN);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(took < 10000);
#endif
    gx_queue_stats s;
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.by_state[GX_Q_HELD], SLOTS);
    for (int k = 0; k < CHILDREN; k++) {
        kill(child[k], SIGKILL);
        waitpid(child[k], NULL, 0);
    }
    gx_queue_sweep(q);
    assert_empty(q, 0);
    munmap(turn, 4096);
    gx_queue_destroy(q);
}

/* What a worker tells of its devices is read as it was told; what others write there is cut to what a reader can
 * take. */
static void test_devices(void **state)
{
    static gx_queue_stats s;
    gx_q_device told[2];
    gx_queue *q;
    gx_error err;
    (void)state;
    assert_int_equal(gx_queue_create(4, MiB, &q, &err), GX_OK);
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.n_devices, 0);
    memset(told, 0, sizeof told);
    for (u32 i = 0; i < 2; i++) {
        snprintf(told[i].name, sizeof told[i].name, "device %u", i);
        told[i].memory = 1000;
        told[i].memory_used = 10 + i;
        told[i].batch[GX_Q_BATCHES - 1] = 7;
    }
    gx_queue_tell_devices(q, told, 2);
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.n_devices, 2);
    assert_memory_equal(s.device, told, sizeof told);
    memset(q->header->device, 0xff, sizeof q->header->device);
    memset(q->header->device[3].name, '<', 64);
    q->header->device[3].memory = 5;
    q->header->n_devices = 0xffffffff;
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.n_devices, GX_Q_DEVICES);
    for (u32 i = 0; i < GX_Q_DEVICES; i++) {
        assert_int_equal(strlen(s.device[i].name), 63);
        assert_int_equal(strspn(s.device[i].name, "?"), 63);
        assert_true(s.device[i].memory_used <= s.device[i].memory);
    }
    gx_queue_worker_begin(q);
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.n_devices, 0);
    gx_queue_destroy(q);
}

/* What comes late reaches nobody. */
static void test_late(void **state)
{
    (void)state;
    gx_queue *q = make(1, 2 * MiB);
    gx_program *block = make_program(5000, 4);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    gx_queue_result r;
    gx_error err;
    gx_queue_job job, old;
    gx_slot *slot, *none;
    u32 hint = 0;
    be_ready(q);

    slot = submitted(q, &program);                              /* nobody takes it */
    assert_int_equal(gx_queue_acquire(q, 1000, &none), GX_EBUSY);
    u64 before = gx_now_us();
    assert_int_equal(gx_queue_wait(slot, before + 30000, &r, &err), GX_ETIME);
    assert_true(gx_now_us() - before >= 30000 && gx_now_us() - before < 500000);
    assert_int_equal(((gx_doc *)(q->base + slot->doc.off))->magic, GX_DOC_MAGIC);      /* may be evaluated here now */
    assert_int_equal(gx_queue_take(q, &hint, &job), 0);
    gx_queue_release(slot);

    slot = submitted(q, &program);                              /* taken, left, finished, released */
    assert_int_equal(gx_queue_take(q, &hint, &old), 1);
    assert_int_equal(gx_queue_wait(slot, 1, &r, &err), GX_ETIME);
    assert_int_equal(GX_Q_STATE(q->slots[0].word), GX_Q_LEFT);
    evaluate(q, &old);
    assert_int_equal(GX_Q_STATE(q->slots[0].word), GX_Q_HELD);
    gx_queue_release(slot);
    assert_empty(q, 1);

    slot = submitted(q, &program);                              /* taken, released: the worker still reads */
    assert_int_equal(gx_queue_take(q, &hint, &old), 1);
    gx_queue_release(slot);
    assert_int_equal(GX_Q_STATE(q->slots[0].word), GX_Q_ORPHAN);
    assert_int_equal(gx_queue_acquire(q, 1000, &none), GX_EBUSY);
    evaluate(q, &old);
    assert_empty(q, 1);

    slot = submitted(q, &program);                              /* `old` comes once more, into the next request */
    evaluate(q, &old);
    assert_int_equal(GX_Q_STATE(q->slots[0].word), GX_Q_SUBMITTED);
    assert_int_equal(gx_queue_take(q, &hint, &job), 1);
    evaluate(q, &old);
    assert_int_equal(GX_Q_STATE(q->slots[0].word), GX_Q_RUNNING);
    assert_true(q->taken[0] == job.taken);                    /* or the sweep would give it to a second thread */
    evaluate(q, &job);
    evaluate(q, &old);
    assert_int_equal(gx_queue_wait(slot, gx_now_us() + 100000, &r, &err), GX_OK);
    gx_slot stale = *slot;
    gx_queue_release(slot);
    slot = submitted(q, &program);
    gx_queue_release(&stale);                                   /* a double release is not the next owner's trouble */
    assert_int_equal(GX_Q_STATE(q->slots[0].word), GX_Q_SUBMITTED);
    assert_int_equal(gx_queue_submit(&stale, &stale.asked), GX_EBUSY);
    gx_queue_release(slot);
    assert_empty(q, 1);
    free(block);
    gx_queue_destroy(q);
}

/* A sibling that was taken over writes that a slot is free while a thread of ours has it: our other threads do not get
 * it, too, with the memory that the first one's answer is copied to. */
static void test_slot_is_one_thread_s(void **state)
{
    (void)state;
    gx_queue *q = make(2, 2 * MiB);
    gx_slot *slot, *other, *third;
    be_ready(q);
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    gx_store(&q->slots[slot->index].word, GX_Q_WORD(slot->seq, GX_Q_FREE));
    assert_int_equal(gx_queue_acquire(q, 0, &other), GX_OK);
    assert_ptr_not_equal(slot, other);
    assert_int_equal(gx_queue_acquire(q, 0, &third), GX_EBUSY);
    gx_queue_release(slot);
    gx_queue_release(other);
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    assert_int_equal(gx_queue_acquire(q, 0, &other), GX_OK);
    gx_queue_release(slot);
    gx_queue_release(other);
    assert_empty(q, 0);
    gx_queue_destroy(q);
}

/* Who has many at once gets the one back that it gave back, without a look at all that are taken. */
static void test_slot_again(void **state)
{
    (void)state;
    gx_queue *q = make(64, 2 * MiB);
    gx_slot *slot[64];
    be_ready(q);
    for (int i = 0; i < 64; i++)
        assert_int_equal(gx_queue_acquire(q, 0, &slot[i]), GX_OK);
    for (int i = 5; i < 60; i += 11) {
        const gx_slot *was = slot[i];
        gx_queue_release(slot[(i + 30) % 64]);
        gx_queue_release(slot[i]);
        assert_int_equal(gx_queue_acquire(q, 0, &slot[i]), GX_OK);
        assert_ptr_equal(slot[i], was);
        assert_int_equal(gx_queue_acquire(q, 0, &slot[(i + 30) % 64]), GX_OK);
    }
    for (int i = 0; i < 64; i++)
        gx_queue_release(slot[i]);
    assert_empty(q, 0);
    gx_queue_destroy(q);
}

/* It has ended, its parent has not looked after it yet, and its heart beat just now: who waits sees that by himself. */
static void test_worker_is_gone(void **state)
{
    (void)state;
    gx_queue *q = make(2, 2 * MiB);
    gx_program *block = make_program(5000, 7);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    gx_queue_result r;
    gx_error err;
    gx_slot *slot, *none;
    pid_t worker = fork_child();
    if (worker == 0) {
        be_ready(q);
        for (;;)
            pause();                                            /* takes nothing */
    }
    assert_int_equal(gx_queue_wait_alive(q, 5000000), GX_OK);
    slot = submitted(q, &program);
    kill(worker, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)worker, &info, WEXITED | WNOWAIT), 0);
    gx_store(&q->header->heartbeat_us, gx_now_us() + 3600000000u);
    assert_int_equal(gx_queue_wait(slot, 0, &r, &err), GX_EBUSY);
    assert_int_equal(gx_queue_alive(q), 0);
    gx_queue_release(slot);
    /* at once: nobody waits for the next worker */
    assert_int_equal(gx_queue_acquire(q, 3600000000u, &none), GX_EBUSY);
    waitpid(worker, NULL, 0);
    free(block);
    gx_queue_destroy(q);
}

static void test_worker_death(void **state)
{
    (void)state;
    gx_queue *q = make(4, 2 * MiB);
    gx_program *block = make_program(5000, 5);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    gx_queue_result r;
    gx_error err;
    gx_queue_job a, b;
    u32 hint = 0;
    be_ready(q);
    gx_slot *one = submitted(q, &program), *two = submitted(q, &program);
    assert_int_equal(gx_queue_take(q, &hint, &a), 1);
    assert_int_equal(gx_queue_take(q, &hint, &b), 1);
    gx_slot *blamed = a.slot == one->index ? one : two, *innocent = blamed == one ? two : one;
    gx_queue_blame(q, &a);
    gx_queue_worker_died(q);
    assert_int_equal(gx_queue_wait(blamed, gx_now_us() + 100000, &r, &err), GX_EBAD);
    assert_non_null(strstr(err.text, "died"));
    assert_int_equal(GX_Q_STATE(q->slots[innocent->index].word), GX_Q_SUBMITTED);
    assert_int_equal(gx_queue_alive(q), 0);
    gx_slot *none;
    assert_int_equal(gx_queue_acquire(q, 1000, &none), GX_EBUSY);
    gx_queue_stats s;
    u64 before = gx_now_us();
    assert_int_equal(gx_queue_wait(innocent, before + 5000000, &r, &err), GX_EBUSY);    /* no new worker came */
    assert_true(gx_now_us() - before < 2000000);
    gx_queue_release(innocent);

    be_ready(q);                                                /* twice taken down without blame */
    innocent = submitted(q, &program);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(gx_queue_take(q, &hint, &a), 1);
        assert_int_equal(a.attempts, i + 1);
        gx_queue_worker_died(q);
        be_ready(q);
    }
    assert_int_equal(gx_queue_wait(innocent, gx_now_us() + 100000, &r, &err), GX_EBAD);
    gx_queue_release(innocent);
    gx_queue_release(blamed);

    /* a device's: no second worker, but whoever is to blame is */
    gx_queue_hands_back(q);
    one = submitted(q, &program);
    two = submitted(q, &program);
    assert_int_equal(gx_queue_take(q, &hint, &a), 1);
    assert_int_equal(gx_queue_take(q, &hint, &b), 1);
    blamed = a.slot == one->index ? one : two;
    innocent = blamed == one ? two : one;
    gx_queue_blame(q, &a);
    gx_queue_worker_died(q);
    assert_int_equal(gx_queue_wait(blamed, gx_now_us() + 100000, &r, &err), GX_EBAD);
    assert_int_equal(gx_queue_wait(innocent, gx_now_us() + 100000, &r, &err), GX_EHOST);
    gx_queue_release(innocent);
    gx_queue_release(blamed);
    gx_queue_worker_begin(q);          /* the next one says so itself, or does not */
    assert_int_equal(q->header->hands_back, 0);
    be_ready(q);

    /* in a hurry: half of the time is left for doing it here */
    innocent = submitted(q, &program);
    assert_int_equal(gx_queue_take(q, &hint, &a), 1);
    before = gx_now_us();
    gx_store(&q->header->heartbeat_us, before - 250000);        /* stopped for a while */
    assert_int_equal(gx_queue_wait(innocent, before + 600000, &r, &err), GX_EBUSY);
    assert_true(gx_now_us() - before < 450000);
    gx_queue_release(innocent);
    evaluate(q, &a);
    be_ready(q);
    int in_time = 0;
    for (int tries = 0; tries < 5 && !in_time; tries++) {       /* a busy machine may take the other half */
        innocent = submitted(q, &program);
        gx_queue_worker_died(q);
        before = gx_now_us();
        in_time = gx_queue_wait(innocent, before + 400000, &r, &err) == GX_EBUSY && gx_now_us() - before < 290000;
        gx_queue_release(innocent);
        be_ready(q);
    }
    assert_true(in_time);

    innocent = submitted(q, &program);                          /* stopped, not dead: the heart does not beat */
    gx_store(&q->header->heartbeat_us, gx_now_us() - 2 * GX_QUEUE_STALE_US);
    assert_int_equal(gx_queue_wait(innocent, gx_now_us() + 5000000, &r, &err), GX_EBUSY);
    gx_queue_release(innocent);
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.poison, 3);
    assert_int_equal(s.retried, 3);
    assert_empty(q, 1);
    free(block);
    gx_queue_destroy(q);
}

typedef struct waiter { gx_slot *slot; gx_status status; } waiter;

static void *wait_for_it(void *arg)
{
    waiter *w = (waiter *)arg;
    gx_queue_result r;
    gx_error err;
    w->status = gx_queue_wait(w->slot, gx_now_us() + 5000000, &r, &err);
    return NULL;
}

static void take(gx_queue *q, gx_queue_job *job)
{
    u32 hint = 0;
    for (int tries = 0; !gx_queue_take_wait(q, &hint, job, 10000, 0); tries++)
        assert_true(tries < 200);
}

/* "I have not got the document" is no death: the worker that then dies is the request's first. */
static void test_absent_is_no_death(void **state)
{
    (void)state;
    gx_queue *q = make(2, 2 * MiB);
    gx_program *block = make_program(5000, 9);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    gx_queue_request request;
    gx_queue_job job;
    gx_error err;
    char *doc = (char *)malloc(40000);
    gx_queue_kept kept = { .state = GX_KEPT_THERE };
    gx_queue_stats stats;
    pthread_t id;
    waiter w;
    fill_doc(doc, 40000, 5);
    memset(&request, 0, sizeof request);
    request.doc = doc;
    request.doc_size = 40000;
    request.program = &program;
    request.kept = &kept;
    be_ready(q);
    assert_int_equal(gx_queue_acquire(q, 0, &w.slot), GX_OK);
    assert_int_equal(gx_queue_submit(w.slot, &request), GX_OK);
    assert_int_equal(pthread_create(&id, NULL, wait_for_it, &w), 0);
    take(q, &job);
    gx_fail(&err, GX_EABSENT, "", 0, 0, "gone");
    gx_queue_finish(q, &job, GX_EABSENT, &err, NULL, 0);
    take(q, &job);
    assert_int_equal(job.request.doc.size, 40000);
    gx_queue_worker_died(q);            /* and no other begins: who waits does it alone, unless two died of it */
    pthread_join(id, NULL);
    assert_int_equal(w.status, GX_EBUSY);
    gx_queue_stats_get(q, &stats);
    assert_int_equal(stats.poison, 0);
    gx_queue_release(w.slot);
    assert_empty(q, 1);
    free(doc);
    free(block);
    gx_queue_destroy(q);
}

/* A source arrives whole, and its page comes back, an empty one too; what does not check out on either side is
 * refused. */
/* Requests to match: ids that the set has, ascending, or no answer */
static void test_ids(void **state)
{
    static const struct { u32 words[6], n, ok; } answers[] = {
        { { 0, 0 }, 2, 1 },             { { 2, 0, 0, 6 }, 4, 1 },    { { 1, 0, 7 }, 3, 0 },      /* there are seven */
        { { 2, 0, 3, 3 }, 4, 0 },       { { 2, 0, 3, 1 }, 4, 0 },    { { 2, 0, 1 }, 3, 0 },      /* cut short */
        { { 1, 0, 1, 2 }, 4, 0 },       { { 0xffffffff, 0, 1 }, 3, 0 }, { { 1, 1, 0x7f, 0 }, 4, 1 }, /* bits */
        { { 1, 1, 0x80, 0 }, 4, 0 },    { { 1, 1, 0, 1 }, 4, 0 },    { { 1, 1, 1 }, 3, 0 },
        { { 0, 1 }, 2, 0 },             { { 2, 1, 1, 0, 0, 0 }, 6, 0 }, { { 0xffffffff, 1, 1, 0 }, 4, 0 },
    };
    (void)state;
    gx_queue *q = make(2, 2 * MiB);
    gx_program *block = make_program(5000, 9);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    gx_queue_kept kept = { .state = GX_KEPT_THERE };
    gx_queue_request request;
    gx_queue_result r;
    gx_queue_job job;
    gx_error err;
    gx_slot *slot;
    u32 hint = 0;
    memset(&request, 0, sizeof request);
    request.program = &program;
    request.doc = "packed";
    request.doc_size = 6;
    request.n_profiles = 7;
    request.kept = &kept;               /* of no use here */
    be_ready(q);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
        assert_int_equal(gx_queue_submit(slot, &request), GX_OK);
        assert_int_equal(gx_queue_take(q, &hint, &job), 1);
        assert_true(job.request.is_match && !job.request.is_source && !job.request.has_name);
        assert_memory_equal(gx_queue_at(q, job.request.doc), "packed", 6);
        gx_queue_finish(q, &job, GX_OK, NULL, answers[i].words, answers[i].n * sizeof(u32));
        assert_int_equal(gx_queue_wait(slot, gx_now_us() + 1000000, &r, &err), answers[i].ok ? GX_OK : GX_EBAD);
        if (answers[i].ok && answers[i].words[1])
            assert_true(!r.ids && r.matched[0] == answers[i].words[2]);
        else if (answers[i].ok) {
            assert_true(!r.matched && r.n_ids == answers[i].words[0]);
            assert_memory_equal(r.ids, answers[i].words + 2, r.n_ids * sizeof(u32));
        }
        gx_queue_release(slot);
    }
    for (u32 odd = 0; odd < 2; odd++) { /* a source, a document that is kept */
        assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
        assert_int_equal(gx_queue_submit(slot, &request), GX_OK);
        gx_q_request *to = &q->slots[slot->index].request;
        to->is_source = !odd;
        to->has_name = 1;
        if (odd)
            to->doc.size = 0;
        assert_int_equal(gx_queue_take(q, &hint, &job), 0);
        assert_int_equal(gx_queue_wait(slot, gx_now_us() + 1000000, &r, &err), GX_EBAD);
        gx_queue_release(slot);
    }
    free(block);
    gx_queue_destroy(q);
}

static void test_source(void **state)
{
    (void)state;
    gx_queue *q = make(2, 2 * MiB);
    gx_program *block = make_program(5000, 9);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    const gx_queue_piece pieces[] = { { "<a>", 3 }, { "", 0 }, { "b</a>", 5 } };
    const char *const pages[] = { "page", "" };
    gx_q_page head = { 2, 3, 4 };
    gx_queue_request request;
    gx_queue_result r;
    gx_queue_job job;
    gx_error err;
    gx_slot *slot;
    gx_queue_kept kept = { .state = GX_KEPT_THERE };
    u32 hint = 0;
    memset(&request, 0, sizeof request);
    request.program = &program;
    request.pieces = pieces;
    request.n_pieces = 3;
    request.base_uri = "http://h/";
    request.is_utf8 = 1;
    request.kept = &kept;               /* of no use here */
    be_ready(q);
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    for (int i = 0; i < 2; i++) {
        const gx_q_request *job_has = &job.request;
        assert_int_equal(gx_queue_submit(slot, &request), GX_OK);
        assert_int_equal(gx_queue_take(q, &hint, &job), 1);
        assert_true(job_has->is_source && job_has->is_utf8 && !job_has->has_name && !job_has->keeps);
        assert_int_equal(job_has->base_len, 9);
        assert_int_equal(job_has->doc.size, 17);
        assert_memory_equal(gx_queue_at(q, job_has->doc), "<a>b</a>http://h/", 17);
        assert_int_equal(gx_queue_finish_page(q, &job, &head, pages[i], strlen(pages[i])), 1);
        assert_int_equal(gx_queue_wait(slot, gx_now_us() + 1000000, &r, &err), GX_OK);
        assert_int_equal(r.size, strlen(pages[i]));
        assert_memory_equal(r.base, pages[i], r.size);
        assert_memory_equal(&r.page, &head, sizeof head);
        gx_queue_release(slot);
        assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    }
    assert_int_equal(gx_queue_submit(slot, &request), GX_OK);   /* an answer without a page's head */
    assert_int_equal(gx_queue_take(q, &hint, &job), 1);
    gx_queue_finish(q, &job, GX_OK, NULL, "page", 4);
    assert_int_equal(gx_queue_wait(slot, gx_now_us() + 1000000, &r, &err), GX_EBAD);
    gx_queue_release(slot);
    for (u32 base_len = 17; base_len < 19; base_len++) {        /* nothing but a base URI, or more */
        assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
        assert_int_equal(gx_queue_submit(slot, &request), GX_OK);
        q->slots[slot->index].request.base_len = base_len;
        assert_int_equal(gx_queue_take(q, &hint, &job), 0);
        assert_int_equal(gx_queue_wait(slot, gx_now_us() + 1000000, &r, &err), GX_EBAD);
        gx_queue_release(slot);
    }
    char *const long_uri = (char *)malloc(GX_QUEUE_MAX_BASE + 2);
    memset(long_uri, 'u', GX_QUEUE_MAX_BASE + 1);
    long_uri[GX_QUEUE_MAX_BASE + 1] = 0;
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    request.base_uri = long_uri;
    assert_int_equal(gx_queue_submit(slot, &request), GX_EHOST);
    request.base_uri = NULL;
    request.n_pieces = 0;
    assert_int_equal(gx_queue_submit(slot, &request), GX_EHOST);
    gx_queue_release(slot);
    assert_empty(q, 1);
    free(long_uri);
    free(block);
    gx_queue_destroy(q);
}

/* A process that had every slot once keeps little of what large results took. */
static void test_memory_is_given_back(void **state)
{
    (void)state;
    enum { SLOTS = 64, SIZE = 900000 };
    gx_queue *q = make(SLOTS, 8 * MiB);
    gx_program *block = make_program(5000, 10);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    gx_result *result = (gx_result *)calloc(1, SIZE);
    gx_slot *slot[SLOTS];
    gx_queue_result r;
    gx_queue_job job;
    gx_error err;
    u64 kept = 0;
    u32 hint = 0;
    result->used = SIZE;
    be_ready(q);
    for (int i = 0; i < SLOTS; i++)
        slot[i] = submitted(q, &program);
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(gx_queue_take(q, &hint, &job), 1);
        assert_int_equal(gx_queue_finish(q, &job, GX_OK, NULL, result, SIZE), 1);
        for (int k = 0; k < SLOTS; k++)
            if (slot[k] && slot[k]->index == job.slot) {
                assert_int_equal(gx_queue_wait(slot[k], gx_now_us() + 1000000, &r, &err), GX_OK);
                gx_queue_release(slot[k]);
                slot[k] = NULL;
            }
    }
    for (int i = 0; i < SLOTS; i++)
        kept += q->held[i].image_cap;
    assert_true(kept <= SLOTS * 65536);
    assert_empty(q, 1);
    free(result);
    free(block);
    gx_queue_destroy(q);
}

/* The worker is killed again and again under load: every request gets its own answer, or "evaluate here". */
static void test_worker_killed(void **state)
{
    (void)state;
    gx_queue *q = make(8, 4 * MiB);
    gx_program *block = make_program(5000, 6);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    pid_t worker = fork_worker(q), child[2];
    assert_int_equal(gx_queue_wait_alive(q, 5000000), GX_OK);
    for (int k = 0; k < 2; k++)
        if ((child[k] = fork_child()) == 0) {
            u64 seed = 99 + (u64)k, until = gx_now_us() + 1500000;
            u32 ok = 0, bad = 0;
            while (gx_now_us() < until) {
                answer a;
                gx_status status = ask(q, &program, 5000, next_random(&seed), 5000000, &a);
                ok += status == GX_OK;
                bad += status != GX_OK && status != GX_EBUSY && status != GX_EBAD;
            }
            _exit(bad ? 1 : ok < 100 ? 2 : 0);
        }
    for (int i = 0; i < 10; i++) {
        sleep_us(100000);
        kill(worker, SIGKILL);
        waitpid(worker, NULL, 0);
        gx_queue_worker_died(q);
        worker = fork_worker(q);
    }
    for (int k = 0; k < 2; k++) {
        int status;
        waitpid(child[k], &status, 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    sleep_us(200000);
    assert_empty(q, 1);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    free(block);
    gx_queue_destroy(q);
}

static void test_errors_come_through(void **state)
{
    (void)state;
    gx_queue *q = make(2, 2 * MiB);
    gx_program *block = make_program(5000, 7);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    gx_queue_result r;
    gx_error sent, got;
    gx_queue_job job;
    u32 hint = 0;
    be_ready(q);
    gx_slot *slot = submitted(q, &program);
    assert_int_equal(gx_queue_take(q, &hint, &job), 1);
    gx_fail(&sent, GX_ELIMIT, "a.xsl", 3, 14, "too %s", "much");
    sent.limit = "recursion";
    sent.byte = 12345678901ull;
    gx_queue_finish(q, &job, GX_ELIMIT, &sent, NULL, 0);
    assert_int_equal(gx_queue_wait(slot, gx_now_us() + 100000, &r, &got), GX_ELIMIT);
    assert_string_equal(got.text, "too much");
    assert_string_equal(got.file, "a.xsl");
    assert_string_equal(got.limit, "recursion");
    assert_int_equal(got.line, 3);
    assert_int_equal(got.column, 14);
    assert_true(got.byte == 12345678901ull);
    gx_queue_release(slot);
    slot = submitted(q, &program);                      /* a result that has no room */
    assert_int_equal(gx_queue_take(q, &hint, &job), 1);
    gx_queue_finish(q, &job, GX_OK, NULL, block, 1ull << 40);
    assert_int_equal(gx_queue_wait(slot, gx_now_us() + 100000, &r, &got), GX_EARENA);
    gx_queue_release(slot);
    /* one that says it is longer than what came: somebody else wrote there */
    for (u64 beyond = 0; beyond < 2; beyond++) {
        gx_result head;
        memset(&head, 0, sizeof head);
        head.used = sizeof head + beyond;
        slot = submitted(q, &program);
        assert_int_equal(gx_queue_take(q, &hint, &job), 1);
        gx_queue_finish(q, &job, GX_OK, NULL, &head, sizeof head);
        assert_int_equal(gx_queue_wait(slot, gx_now_us() + 100000, &r, &got), beyond ? GX_EBAD : GX_OK);
        gx_queue_release(slot);
    }
    block->flags = GX_P_HOST;
    gx_queue_request request;
    memset(&request, 0, sizeof request);
    request.program = &program;
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    assert_int_equal(gx_queue_submit(slot, &request), GX_EHOST);
    gx_queue_release(slot);
    free(block);
    gx_queue_destroy(q);
}

static gx_status submit_again(gx_queue *q, gx_queue_program *p, u64 doc_size)
{
    static _Alignas(16) char doc[40000];
    gx_slot *slot;
    gx_queue_request r;
    memset(&r, 0, sizeof r);
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    fill_doc(doc, doc_size, 5);
    r.doc = doc;
    r.doc_size = doc_size;
    r.program = p;
    const gx_status status = gx_queue_submit(slot, &r);
    gx_queue_release(slot);
    return status;
}

/* What the worker says of a program's memory the children go by, and the next worker; other programs do not; anything
 * may stand there. */
static void test_room(void **state)
{
    (void)state;
    gx_queue *q = make(2, 4 * MiB);
    gx_program *block = make_program(5000, 3), *other = make_program(5000, 4);
    gx_queue_program program, second;
    gx_queue_job job;
    u8 room[GX_Q_CLASSES];
    gx_queue_program_init(&program, block, 5000);
    gx_queue_program_init(&second, other, 5000);
    be_ready(q);
    assert_int_equal(gx_queue_size_class(0), 0);
    assert_int_equal(gx_queue_size_class(20000), 14);
    assert_int_equal(gx_queue_size_class(~0ull), GX_Q_CLASSES - 1);
    assert_int_equal(submit_again(q, &program, 20000), GX_OK);
    assert_int_equal(submit_again(q, &second, 20000), GX_OK);
    memset(&job, 0, sizeof job);
    job.request.program = (u32)program.entry;
    job.request.generation = (u32)(program.entry >> 32);
    gx_queue_room_set(q, &job, 14, 4);
    assert_int_equal(submit_again(q, &program, 20000), GX_OK);
    gx_queue_room_set(q, &job, 14, GX_Q_NOT_THERE);
    gx_queue_room_get(q, &job, room);
    assert_int_equal(room[14], GX_Q_NOT_THERE);
    assert_int_equal(room[13], 0);
    u32 tried = 0;
    for (u32 i = 0; i < 1024; i++) {
        const gx_status status = submit_again(q, &program, 20000);
        assert_true(status == GX_OK || status == GX_EARENA);
        tried += status == GX_OK;
    }
    assert_int_equal(tried, 4);
    assert_int_equal(submit_again(q, &program, 10000), GX_OK);          /* of another size */
    assert_int_equal(submit_again(q, &second, 20000), GX_OK);
    job.request.generation++;                                           /* evicted meanwhile */
    gx_queue_room_set(q, &job, 14, 1);
    gx_queue_room_get(q, &job, room);
    assert_int_equal(room[14], 0);
    job.request.program = ~0u;                                          /* a child wrote that */
    gx_queue_room_set(q, &job, 14, 1);
    gx_queue_room_get(q, &job, room);
    assert_int_equal(room[14], 0);
    for (u32 k = 0; k < q->n_programs; k++)
        __atomic_store_n(&q->programs[k].used_us, 1, __ATOMIC_RELAXED);
    (void)gx_swap(&q->programs[(u32)program.entry].word, gx_load(&q->programs[(u32)program.entry].word), 0);
    assert_int_equal(submit_again(q, &program, 20000), GX_OK);          /* published again: nothing is known */
    gx_queue_destroy(q);
    free(block);
    free(other);
}

/* A child that was taken over writes into the header and into answers. */
static void test_hostile_words(void **state)
{
    (void)state;
    gx_queue *q = make(2, 4 * MiB);
    gx_program *block = make_program(5000, 3);
    gx_queue_program program;
    gx_queue_result result;
    gx_queue_job job;
    gx_error err;
    u32 hint = 0;
    gx_queue_program_init(&program, block, 5000);
    be_ready(q);
    gx_store(&q->header->heartbeat_us, gx_now_us() + 3600000000u);      /* the worker hangs, for an hour */
    assert_false(gx_queue_alive(q));
    assert_true(gx_queue_silent_us(q) > 1000000u);
    gx_store(&q->header->heartbeat_us, ~0ull);
    assert_false(gx_queue_alive(q));
    gx_queue_heartbeat(q);
    assert_true(gx_queue_alive(q));

    gx_slot *slot = submitted(q, &program);
    assert_int_equal(gx_queue_take(q, &hint, &job), 1);
    gx_fail(&err, GX_ELIMIT, "", 0, 0, "too much");
    gx_queue_finish(q, &job, GX_ELIMIT, &err, NULL, 0);
    memset(q->slots[job.slot].reply.file, 0xff, sizeof q->slots[job.slot].reply.file);
    memset(q->slots[job.slot].reply.text, '\n', sizeof q->slots[job.slot].reply.text);
    memcpy(q->slots[job.slot].reply.text, "a\r\nSet-Cookie: b\x1b", 17);
    assert_int_equal(gx_queue_wait(slot, 0, &result, &err), GX_ELIMIT);
    assert_memory_equal(err.text, "a??Set-Cookie: b??", 18);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    gx_queue_release(slot);
    gx_queue_destroy(q);
    free(block);
}

static void test_programs(void **state)
{
    (void)state;
    enum { N = 300, SIZE = 20000 };             /* more than places; 2 units each */
    gx_queue *q = make(2, 4 * MiB);             /* 256 units: 128 programs */
    static gx_queue_program p[N];
    gx_program *block[N];
    u32 ok = 0;
    for (u32 i = 0; i < N; i++) {
        block[i] = make_program(SIZE, i);
        gx_queue_program_init(&p[i], block[i], SIZE);
        for (u32 k = 0; k < q->n_programs; k++)         /* however long it takes here */
            __atomic_store_n(&q->programs[k].used_us, gx_now_us(), __ATOMIC_RELAXED);
        ok += gx_queue_publish(q, &p[i]) == GX_OK;
    }
    assert_true(ok > 60 && ok <= 128);          /* full, and all in use a moment ago: nobody is evicted */
    gx_queue_stats s;
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.units_used, 2 * ok);
    assert_int_equal(s.programs, ok);
    gx_queue_program again;
    gx_program *copy = make_program(SIZE, 0);   /* another process's: found by its bytes */
    gx_queue_program_init(&again, copy, SIZE);
    assert_int_equal(gx_queue_publish(q, &again), GX_OK);
    assert_true(again.entry == p[0].entry);
    ((char *)copy)[SIZE - 1] ^= 1;              /* other bytes, even if the digest were the same: is not taken for it */
    again.entry = ~0ull;
    for (u32 i = 0; i < q->n_programs; i++)
        __atomic_store_n(&q->programs[i].used_us, 1, __ATOMIC_RELAXED);     /* long ago */
    gx_status status = gx_queue_publish(q, &again);
    assert_true(status != GX_OK || again.entry != p[0].entry);
    for (u32 i = 0; i < N; i++) {               /* now all find room, and evict others */
        for (u32 k = 0; k < q->n_programs; k++)
            __atomic_store_n(&q->programs[k].used_us, 1, __ATOMIC_RELAXED);
        assert_int_equal(gx_queue_publish(q, &p[i]), GX_OK);
    }
    gx_queue_job job;
    void *bytes;
    u64 size;
    memset(&job, 0, sizeof job);
    u32 found = 0;
    for (u32 i = 0; i < N; i++) {
        job.request.program = (u32)p[i].entry;
        job.request.generation = (u32)(p[i].entry >> 32);
        job.request.digest = p[i].digest;
        if (gx_queue_program_copy(q, &job, &bytes, &size) == GX_OK) {
            assert_int_equal(size, SIZE);
            assert_memory_equal(bytes, block[i], SIZE);
            free(bytes);
            found++;
        }
    }
    assert_true(found > 60);
    assert_int_equal(gx_queue_publish(q, &p[7]), GX_OK);
    job.request.program = (u32)p[7].entry;
    job.request.generation = (u32)(p[7].entry >> 32);
    job.request.digest = p[7].digest;
    q->base[q->programs[job.request.program].block.off + SIZE / 2] ^= 1;       /* somebody writes where he should not */
    assert_int_equal(gx_queue_program_copy(q, &job, &bytes, &size), GX_EBUSY);
    assert_int_equal(gx_queue_publish(q, &p[7]), GX_OK);
    job.request.program = (u32)p[7].entry;
    job.request.generation = (u32)(p[7].entry >> 32);
    assert_int_equal(gx_queue_program_copy(q, &job, &bytes, &size), GX_OK);
    assert_memory_equal(bytes, block[7], SIZE);
    free(bytes);
    job.request.digest.word[1] ^= 1;
    assert_int_not_equal(gx_queue_program_copy(q, &job, &bytes, &size), GX_OK);
    job.request.program = 0xffffffff;
    assert_int_equal(gx_queue_program_copy(q, &job, &bytes, &size), GX_EBAD);
    gx_queue_sweep(q);
    gx_queue_stats_get(q, &s);
    assert_true(s.units_used <= 256);
    for (u32 i = 0; i < N; i++)
        free(block[i]);
    free(copy);
    gx_queue_destroy(q);
}

typedef struct publisher { gx_queue *q; const gx_program *block; pthread_barrier_t *all; int failed; } publisher;

static void *publish_first(void *arg)
{
    publisher *p = arg;
    gx_queue_program program;
    gx_queue_program_init(&program, p->block, 200000);
    pthread_barrier_wait(p->all);
    p->failed = gx_queue_publish(p->q, &program) != GX_OK;
    return NULL;
}

/* After a start all need the same program for the first time, at the same moment: nobody is turned away. */
static void test_first_use_at_once(void **state)
{
    (void)state;
    enum { N = 32, ROUNDS = 40 };
    gx_queue *q = make(4, 16 * MiB);
    gx_program *block = make_program(200000, 3);
    pthread_barrier_t all;
    pthread_t thread[N];
    publisher p[N];
    pthread_barrier_init(&all, NULL, N);
    for (u32 round = 0; round < ROUNDS; round++) {
        gx_queue_stats s;
        ((u32 *)block)[40000] = round;          /* another program */
        for (u32 k = 0; k < q->n_programs; k++)
            __atomic_store_n(&q->programs[k].used_us, 1, __ATOMIC_RELAXED);
        for (u32 i = 0; i < N; i++) {
            p[i] = (publisher){ q, block, &all, 0 };
            assert_int_equal(pthread_create(&thread[i], NULL, publish_first, &p[i]), 0);
        }
        for (u32 i = 0; i < N; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(p[i].failed, 0);
        }
        gx_queue_stats_get(q, &s);
        assert_true(s.programs <= round + 1);   /* one copy for all */
    }
    pthread_barrier_destroy(&all);
    free(block);
    gx_queue_destroy(q);
}

static void test_params(void **state)
{
    (void)state;
    struct { u32 n, zero, t[4]; char text[8]; } bytes = { 1, 0, { 24, 1, 26, 2 }, "a\0bc" };
    static const struct { u32 word, value; gx_status status; } cases[] = {
        { 0, 1, GX_OK }, { 0, 2, GX_EBAD }, { 0, 0xffffffff, GX_EBAD }, { 0, 0, GX_OK }, { 2, 0xffffffff, GX_EBAD },
        { 3, 0xfffffff0, GX_EBAD }, { 3, 2, GX_EBAD }, { 5, 200, GX_EBAD }, { 5, 5, GX_OK }, { 5, 6, GX_EBAD },
        { 4, 32, GX_EBAD },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *copy = (char *)malloc(sizeof bytes);      /* exact size: ASan sees a step beyond */
        gx_param *params;
        int n;
        memcpy(copy, &bytes, sizeof bytes);
        memcpy(copy + cases[i].word * 4, &cases[i].value, 4);
        gx_status status = gx_queue_params_decode(copy, sizeof bytes, &params, &n);
        assert_int_equal(status, cases[i].status);
        if (status == GX_OK) {
            if (i == 0) {
                assert_string_equal(params[0].name, "a");
                assert_string_equal(params[0].value, "bc");
            }
            free(params);
        }
        free(copy);
    }
}

/* ---- documents that stay with the worker ---- */

static struct { gx_sha256 name; u64 hash; u32 sent, named, absent, gone; } keeper;

static void *keep_one(void *arg)        /* a worker that keeps the last document that it was sent with a name */
{
    gx_queue *q = (gx_queue *)arg;
    u32 hint = 0;
    gx_queue_job job;
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        const gx_q_request *r = &job.request;
        answer a;
        gx_error err;
        if (!gx_queue_take_wait(q, &hint, &job, 20000, 5))
            continue;
        memset(&a, 0, sizeof a);
        if (gx_q_is_kept(r) && (__atomic_load_n(&keeper.gone, __ATOMIC_SEQ_CST)
                                || !gx_sha256_is_same(&r->name, &keeper.name))) {
            keeper.absent++;
            gx_fail(&err, GX_EABSENT, "", 0, 0, "gone");
            gx_queue_finish(q, &job, GX_EABSENT, &err, NULL, 0);
            continue;
        }
        if (gx_q_is_kept(r))
            keeper.named++;
        else {
            keeper.sent++;
            keeper.hash = hash(7, gx_queue_at(q, r->doc), r->doc.size);
            job.kept = r->has_name ? GX_Q_KEPT : r->keeps ? GX_Q_WORTH_KEEPING : GX_Q_NOT_KEPT;
            if (r->has_name) {
                keeper.name = gx_sha256_of(gx_queue_at(q, r->doc), r->doc.size);
                assert_true(gx_sha256_is_same(&keeper.name, &r->name));
                __atomic_store_n(&keeper.gone, 0, __ATOMIC_SEQ_CST);
            }
        }
        a.hash = keeper.hash;
        gx_queue_finish(q, &job, GX_OK, NULL, &a, sizeof a);
        gx_queue_heartbeat(q);
    }
    return NULL;
}

static void test_resident(void **state)
{
    (void)state;
    gx_queue *q = make(4, 2 * MiB);
    gx_program *block = make_program(5000, 7);
    gx_queue_program program;
    pthread_t worker;
    gx_queue_program_init(&program, block, 5000);
    char *doc = (char *)malloc(40000);
    fill_doc(doc, 40000, 5);
    gx_queue_kept kept = { 0 };
    /* sent, named, absent: the worker would keep it; it gets its name; from then on only that goes */
    static const u32 expected[][3] = { { 1, 0, 0 }, { 2, 0, 0 }, { 2, 1, 0 }, { 2, 2, 0 }, { 3, 2, 1 }, { 3, 3, 1 },
                                       { 4, 3, 1 }, { 4, 4, 1 } };
    memset(&keeper, 0, sizeof keeper);
    stop = 0;
    be_ready(q);
    assert_int_equal(pthread_create(&worker, NULL, keep_one, q), 0);
    for (int i = 0; i < 8; i++) {
        gx_slot *slot;
        gx_queue_request request;
        gx_queue_result r;
        gx_error err;
        memset(&request, 0, sizeof request);
        request.doc = doc;
        request.doc_size = 40000;
        request.program = &program;
        request.kept = i == 6 ? NULL : &kept;           /* a sender who keeps no name: nothing goes for his document */
        if (i == 4)
            __atomic_store_n(&keeper.gone, 1, __ATOMIC_SEQ_CST);    /* it had no room any more */
        assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
        assert_int_equal(gx_queue_submit(slot, &request), GX_OK);
        assert_int_equal(gx_queue_wait(slot, gx_now_us() + 1000000, &r, &err), GX_OK);
        assert_true(((const answer *)r.base)->hash == hash(7, doc, 40000));
        gx_queue_release(slot);
        assert_int_equal(keeper.sent, expected[i][0]);
        assert_int_equal(keeper.named, expected[i][1]);
        assert_int_equal(keeper.absent, expected[i][2]);
        assert_int_equal(gx_queue_is_kept(&kept), i > 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(worker, NULL);
    stop = 0;
    assert_empty(q, 1);
    free(doc);
    free(block);
    gx_queue_destroy(q);
}

/* A child writes anything anywhere, slots and tables most of all, while others ask: worker, parent and askers stay
 * alive. Answers are not looked at: what that child can spoil it may spoil. */
static void test_hostile(void **state)
{
    (void)state;
    gx_queue *q = make(8, 4 * MiB);
    gx_program *block = make_program(5000, 8);
    gx_queue_program program;
    gx_queue_program_init(&program, block, 5000);
    pid_t worker = fork_worker(q), hostile, asker;
    assert_int_equal(gx_queue_wait_alive(q, 5000000), GX_OK);
    if ((hostile = fork_child()) == 0)
        for (u64 seed = 31337;;) {
            u64 r = next_random(&seed), value = next_random(&seed), at = r % (r & 0x300000 ? q->data : q->size) & ~7ull;
            if (r & 0x400000)           /* plausible: a small change to what is there */
                value = *(u64 *)(q->base + at) + value % 5 - 2;
            __atomic_store_n((u64 *)(q->base + at), value, __ATOMIC_RELAXED);
            if (r % 64 == 0)
                sleep_us(1);
        }
    if ((asker = fork_child()) == 0)
        for (u64 seed = 12345;;) {
            static _Alignas(16) char doc[51000];
            gx_slot *slot;
            gx_queue_result r;
            gx_error err;
            gx_queue_request request;
            memset(&request, 0, sizeof request);
            if (gx_queue_acquire(q, 1000, &slot) != GX_OK)
                continue;
            gx_param param = { "a", "b" };
            request.doc_size = 1000 + next_random(&seed) % 50000;
            request.doc = doc;
            request.program = &program;
            request.params = &param;
            request.n_params = 1;
            if (gx_queue_submit(slot, &request) == GX_OK
                && gx_queue_wait(slot, gx_now_us() + 2000, &r, &err) == GX_OK)
                (void)hash(0, r.base, r.size);
            gx_queue_release(slot);
        }
    for (int i = 0; i < 30; i++) {
        gx_queue_stats s;
        sleep_us(50000);
        gx_queue_stats_get(q, &s);
        gx_queue_reap(q, 1u << 30);
        if (i % 10 == 5)
            gx_queue_worker_died(q);
    }
    int status;
    assert_int_equal(waitpid(worker, &status, WNOHANG), 0);
    assert_int_equal(waitpid(asker, &status, WNOHANG), 0);
    pid_t all[3] = { hostile, asker, worker };
    for (int i = 0; i < 3; i++) {
        kill(all[i], SIGKILL);
        waitpid(all[i], NULL, 0);
    }
    /* and a worker can begin in what they left */
    gx_queue_worker_died(q);
    gx_queue *view;
    gx_error err;
    const gx_queue_shape shape = gx_queue_shape_of(q);
    assert_int_equal(gx_queue_attach(dup(q->fd), &shape, &view, &err), GX_OK);
    gx_queue_worker_begin(view);
    gx_queue_sweep(view);
    gx_queue_destroy(view);
    free(block);
    gx_queue_destroy(q);
}

/* ---- allowance.c ---- */

static void write_file(const char *root, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0777);
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    fclose(f);
}

static void test_allowance(void **state)
{
    (void)state;
    static const struct { const char *proc, *files[6][2]; u64 cores, memory; } cases[] = {
        { "0::/\n", { { NULL } }, ~0ull, ~0ull },
        { "0::/\n", { { "cpu.max", "max 100000\n" }, { "memory.max", "max\n" }, { "memory.current", "5" } },
          ~0ull, ~0ull },
        { "0::/\n", { { "cpu.max", "200000 100000\n" }, { "memory.max", "1000\n" },
                      { "memory.current", "700\n" } }, 2, 300 },
        { "0::/\n", { { "cpu.max", "50000 100000\n" }, { "memory.max", "1000\n" },
                      { "memory.current", "1001\n" } }, 1, 0 },
        { "0::/\n", { { "memory.max", "1000\n" }, { "memory.current", "1000\n" },
                      { "memory.stat", "anon 5\ninactive_file 400\n" } }, ~0ull, 400 },
        /* rounded up; the smaller one of those above it */
        { "0::/a.slice/b.service\n", { { "a.slice/b.service/cpu.max", "350000 100000" } }, 4, ~0ull },
        { "0::/a.slice/b.service\n",
          { { "a.slice/b.service/cpu.max", "max 100000" }, { "a.slice/cpu.max", "600000 200000" } }, 3, ~0ull },
        { "0::/a.slice/b.service\n",
          { { "a.slice/b.service/cpu.max", "200000 100000" }, { "a.slice/cpu.max", "800000 100000" },
                                       { "a.slice/memory.max", "90" }, { "a.slice/memory.current", "80" } }, 2, 10 },
        { "0::/a.slice/b.service\n", { { "other/cpu.max", "100000 100000" } }, ~0ull, ~0ull },
        /* version 1; in a container the path is its host's */
        { "9:memory:/x\n4:cpu,cpuacct:/x\n1:name=systemd:/y\n0::/z\n",
          { { "cpu/x/cpu.cfs_quota_us", "150000\n" }, { "cpu/x/cpu.cfs_period_us", "100000\n" },
            { "memory/x/memory.limit_in_bytes", "4096\n" }, { "memory/x/memory.usage_in_bytes", "96\n" } }, 2, 4000 },
        { "4:cpu,cpuacct:/x\n", { { "cpu/cpu.cfs_quota_us", "-1\n" }, { "cpu/cpu.cfs_period_us", "100000\n" } },
          ~0ull, ~0ull },
        { "4:cpuacct,cpu:/docker/0a1b\n",
          { { "cpu/cpu.cfs_quota_us", "100000\n" }, { "cpu/cpu.cfs_period_us", "100000\n" } }, 1, ~0ull },
        { "4:cpuacct:/x\n", { { "cpu/cpu.cfs_quota_us", "100000\n" }, { "cpu/cpu.cfs_period_us", "100000\n" } },
          ~0ull, ~0ull },
        /* nonsense */
        { "", { { "cpu.max", "100000 100000" } }, ~0ull, ~0ull },
        { "0::/\n", { { "cpu.max", "100000 0" }, { "memory.max", "" } }, ~0ull, ~0ull },
        { "0\n::\n:/\n0::x\n", { { "cpu.max", "100000 100000" } }, ~0ull, ~0ull },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char root[] = "/tmp/gpuxml-allowance.XXXXXX", path[300];
        assert_non_null(mkdtemp(root));
        write_file(root, "proc/self/cgroup", cases[i].proc);
        for (int k = 0; k < 6 && cases[i].files[k][0]; k++) {
            snprintf(path, sizeof path, "sys/fs/cgroup/%s", cases[i].files[k][0]);
            write_file(root, path, cases[i].files[k][1]);
        }
        const u64 cores = gx_group_cores(root), memory = gx_group_memory(root);
        snprintf(path, sizeof path, "rm -r %s", root);
        assert_int_equal(system(path), 0);
        if (cores != cases[i].cores || memory != cases[i].memory)
            fail_msg("case %zu: %llu cores, %llu bytes", i, (unsigned long long)cores, (unsigned long long)memory);
    }
    assert_true(gx_cores() >= 1);
    assert_true(gx_group_cores("/nowhere") == ~0ull);
}

int main(void)
{
    const struct CMUnitTest threads[] = {
        cmocka_unit_test(test_create), cmocka_unit_test(test_runs), cmocka_unit_test(test_runs_crowd),
            cmocka_unit_test(test_threads),
        cmocka_unit_test(test_allowance), cmocka_unit_test(test_devices), cmocka_unit_test(test_late),
        cmocka_unit_test(test_slot_is_one_thread_s),
        cmocka_unit_test(test_worker_is_gone), cmocka_unit_test(test_worker_death),
        cmocka_unit_test(test_errors_come_through), cmocka_unit_test(test_slot_again),
        cmocka_unit_test(test_programs), cmocka_unit_test(test_first_use_at_once), cmocka_unit_test(test_room),
        cmocka_unit_test(test_hostile_words),
        cmocka_unit_test(test_params), cmocka_unit_test(test_resident),
        cmocka_unit_test(test_absent_is_no_death), cmocka_unit_test(test_source), cmocka_unit_test(test_ids),
        cmocka_unit_test(test_memory_is_given_back),
    };
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_create), cmocka_unit_test(test_runs), cmocka_unit_test(test_runs_crowd),
            cmocka_unit_test(test_threads),
        cmocka_unit_test(test_allowance), cmocka_unit_test(test_devices), cmocka_unit_test(test_late),
        cmocka_unit_test(test_slot_is_one_thread_s),
        cmocka_unit_test(test_worker_is_gone), cmocka_unit_test(test_worker_death),
        cmocka_unit_test(test_errors_come_through), cmocka_unit_test(test_slot_again),
        cmocka_unit_test(test_programs), cmocka_unit_test(test_room), cmocka_unit_test(test_hostile_words),
        cmocka_unit_test(test_params), cmocka_unit_test(test_resident),
        cmocka_unit_test(test_absent_is_no_death), cmocka_unit_test(test_source), cmocka_unit_test(test_ids),
        cmocka_unit_test(test_memory_is_given_back),
        cmocka_unit_test(test_owner_death), cmocka_unit_test(test_processes), cmocka_unit_test(test_worker_killed),
        cmocka_unit_test(test_sweep_is_short), cmocka_unit_test(test_hostile),
    };
    alarm(120);
    if (getenv("GX_TEST_THREADS_ONLY"))
        return cmocka_run_group_tests_name("queue", threads, NULL, NULL);
    return cmocka_run_group_tests_name("queue", all, NULL, NULL);
}
