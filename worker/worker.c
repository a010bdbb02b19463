/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c -- gpuxml-worker: evaluates the requests of all httpd children
 *
 *   gpuxml-worker --memory LAYOUT,SLOTS,UNITS --threads N --arena BYTES --device auto|cpu|N --batch N --uid N --gid N
 *                 --sandbox 0|1      (started by gx_worker_spawn, not by people)
 *
 * fd 3 is the shared memory, fd 4 the lifeline: when the last of httpd's processes that hold its other end has gone,
 * read() sees the end of file and the worker exits. Every other descriptor is closed. Nothing is opened later but
 * /proc/<pid>/stat, and what a GPU's driver opens. What else it could reach it gives up (sandbox.c).
 *
 * The main thread keeps the heart beating (10 times a second), sweeps (twice a second) and waits for the end; a
 * dispatcher's threads do the work. A crash names the request it happened in (gx_queue_blame) before the process goes:
 * the next worker evaluates the innocent again and refuses that one.
 *
 * Exit codes: 0 asked to, or no more need; 2 called wrongly; 3 the device is lost; 71 cannot run.
 */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <apr_general.h>
#include "dispatch.h"
#include "sandbox.h"

#define MEMORY_FD 3
#define LIFELINE_FD 4
#define BEATS_PER_SWEEP 5
#define BEATS_STUCK 5           /* one alone: the whole process may have been stopped */
#define DEFAULT_ARENA (256ull << 20)
#define MAX_THREADS 1024
#define HEAP_BYTES (4ull << 30)

static volatile sig_atomic_t asked_to_stop;

static void on_stop(int sig)
{
    (void)sig;
    asked_to_stop = 1;
}

static void set_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_stop;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGPIPE, &action, NULL);
}

static gx_status start(gx_worker *w, const gx_dispatcher **out, char *engine, size_t size, gx_error *err)
{
    static const gx_dispatcher *const all[] = {
#ifdef GX_CUDA
        &gx_dispatch_cuda,
#endif
        &gx_dispatch_cpu,
    };
    gx_status status = GX_EHOST;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == GX_EHOST; i++) {
        status = all[i]->start(w, engine, size, err);
        if (status == GX_OK)
            *out = all[i];
        else if (status == GX_EHOST && *err->text)      /* "": it was not asked for */
            fprintf(stderr, "gpuxml-worker: %s: %s\n", all[i]->name, err->text);
    }
    return status;
}

/* The main thread's life: a heart beat, now and then a sweep for what the dead left in the queue, and a look whether
 * the device still answers; if it does not the worker ends, for a new one to be started. Returns when the lifeline's
 * other end, httpd, is gone, or a signal asks. */
static void beat(gx_worker *w, const gx_dispatcher *dispatcher)
{
    gx_queue *q = w->queue;
    unsigned stuck = 0;
    for (unsigned n = 0; !asked_to_stop; n++) {
        struct pollfd life = { LIFELINE_FD, POLLIN, 0 };
        gx_queue_heartbeat(q);
        if (n % BEATS_PER_SWEEP == 0)
            gx_queue_sweep(q);
        stuck = dispatcher->is_stuck && dispatcher->is_stuck(w) ? stuck + 1 : 0;
        if (stuck > BEATS_STUCK) {
            fprintf(stderr, "gpuxml-worker: what was asked of the %s does not end\n", dispatcher->name);
            _exit(3);
        }
        int rc = poll(&life, 1, GX_QUEUE_BEAT_US / 1000);
        if (rc > 0 && (life.revents & (POLLHUP | POLLERR | POLLNVAL)))
            return;
        if (rc > 0) {           /* nobody writes; if somebody did, it is not to keep us busy */
            const struct timespec pause = { 0, GX_QUEUE_BEAT_US * 1000 };
            char bytes[4096];
            if (read(LIFELINE_FD, bytes, sizeof bytes) <= 0)
                return;
            nanosleep(&pause, NULL);
        }
    }
}

static int parse_shape(const char *text, gx_queue_shape *shape)
{
    int n = 0;
    return sscanf(text, "%u,%u,%u%n", &shape->layout, &shape->slots, &shape->units, &n) == 3 && !text[n];
}

/* Options in pairs, as httpd passes them (gx_worker_spawn). 0: they are none. */
static int parse(int argc, char **argv, gx_worker *w, gx_queue_shape *shape)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        char *end = argv[i + 1];
        if (strcmp(argv[i], "--threads") == 0) {
            long n = strtol(argv[i + 1], &end, 10);
            if (n < 0 || n > MAX_THREADS)
                return 0;
            w->threads = (int)n;
        } else if (strcmp(argv[i], "--arena") == 0)
            w->arena_bytes = strtoull(argv[i + 1], &end, 10);
        else if (strcmp(argv[i], "--batch") == 0)
            w->batch = (u32)strtoul(argv[i + 1], &end, 10);
        else if (strcmp(argv[i], "--uid") == 0)
            w->uid = (u32)strtoul(argv[i + 1], &end, 10);
        else if (strcmp(argv[i], "--gid") == 0)
            w->gid = (u32)strtoul(argv[i + 1], &end, 10);
        else if (strcmp(argv[i], "--sandbox") == 0)
            w->sandbox = strtoul(argv[i + 1], &end, 10) != 0;
        else if (strcmp(argv[i], "--device") == 0) {
            w->device = argv[i + 1];
            continue;
        } else if (strcmp(argv[i], "--memory") == 0) {
            if (!parse_shape(argv[i + 1], shape))
                return 0;
            continue;
        } else
            return 0;
        if (*end)
            return 0;
    }
    if (w->threads == 0)
        w->threads = gx_cores() > MAX_THREADS ? MAX_THREADS : (int)gx_cores();
    if (w->arena_bytes == 0)
        w->arena_bytes = DEFAULT_ARENA;
    return argc % 2 == 1;
}

/* Here and not before this program was executed: a program that has just begun may be looked into by all of its user's
 * processes, such as a CGI program, and through /proc opened its descriptor 3. It was root's then; who changes his user
 * may not be looked into from then on. */
static int drop_rights(const gx_worker *w)
{
    return (!w->gid || (setgroups(0, NULL) == 0 && setgid(w->gid) == 0)) && (!w->uid || setuid(w->uid) == 0);
}

/* What its threads may take beyond what they have when they begin: copies of documents, which all lie in the queue,
 * parameters and programs, results
 * that a device puts into the host's memory. */
static u64 heap_bytes(const gx_worker *w)
{
    return 2 * gx_queue_size(w->queue) + (u64)w->threads * (16u << 20) + HEAP_BYTES;
}

/* Rights go first, before a byte of shared memory is read: user, namespaces, descriptors. Then the queue, the threads
 * and their device, at last the filter of system calls. Exit status 71: it cannot start (EX_OSERR), 2: wrong options,
 * 3: the device hangs. */
int main(int argc, char **argv)
{
    gx_worker w;
    gx_error err;
    const gx_dispatcher *dispatcher = NULL;
    char engine[64] = "";
    gx_queue_shape shape = { 0, 0, 0 };
    memset(&w, 0, sizeof w);
    memset(&err, 0, sizeof err);
    w.device = "auto";
    w.sandbox = 1;
    if (!parse(argc, argv, &w, &shape)) {
        fprintf(stderr, "usage: gpuxml-worker --memory LAYOUT,SLOTS,UNITS [--threads N] [--arena BYTES]"
                " [--device auto|cpu|N] [--batch N] [--uid N] [--gid N] [--sandbox 0|1], as started by httpd\n");
        return 2;
    }
    const int has_left = w.sandbox && gx_sandbox_leave();
    if (!drop_rights(&w)) {
        perror("gpuxml-worker: the server's user and group");
        return 71;
    }
    if (w.sandbox)
        gx_sandbox_enter(has_left);
    prctl(PR_SET_PDEATHSIG, SIGTERM);   /* again: setuid and a user namespace took it back */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0);          /* documents of all clients are in here */
#ifdef SYS_close_range
    syscall(SYS_close_range, 5u, ~0u, 0u);
#endif
    if (apr_initialize() != APR_SUCCESS)
        return 71;
    if (gx_queue_attach(MEMORY_FD, &shape, &w.queue, &err) != GX_OK) {
        fprintf(stderr, "gpuxml-worker: %s\n", err.text);
        return 71;
    }
    gx_worker_crash_begin(w.queue);
    set_signals();

    gx_queue_worker_begin(w.queue);
    /* starting a GPU takes seconds: nobody counts on us before we are ready */
    gx_status status = start(&w, &dispatcher, engine, sizeof engine, &err);
    if (status != GX_OK) {
        fprintf(stderr, "gpuxml-worker: %s\n", err.text);
        return 71;
    }
    if (w.sandbox && gx_sandbox_close(heap_bytes(&w), dispatcher != &gx_dispatch_cpu, &err) != GX_OK)
        fprintf(stderr, "gpuxml-worker: %s\n", err.text);
    gx_queue_worker_ready(w.queue, engine);
    beat(&w, dispatcher);
    __atomic_store_n(&w.stop, 1, __ATOMIC_RELEASE);
    dispatcher->stop(&w);
    gx_queue_worker_end(w.queue);
    _exit(0);                           /* a thread may still be at work: no destructors under its feet */
}
