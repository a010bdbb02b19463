/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c -- the parent starts the worker program
 *
 *   fd 0     /dev/null
 *   fd 1, 2  as the parent's (the error log)
 *   fd 3     the shared memory
 *   fd 4     the lifeline's read end: end of file = parent and all children of this configuration have gone
 *
 * The child between fork and exec only makes system calls: the parent may have threads, and locks that they hold. What
 * fails there comes back through a pipe that a successful exec closes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gx.h"
#include "memory.h"

#define WORKER_FILES 1024           /* a GPU driver opens dozens for each GPU */

/* Of httpd's environment the worker gets which GPUs are for it, nothing else */
static const char *const passed[] = { "CUDA_VISIBLE_DEVICES=", "CUDA_DEVICE_ORDER=", "CUDA_MPS_PIPE_DIRECTORY=" };
#define N_PASSED (sizeof passed / sizeof *passed)
#define N_WHICH 2                   /* of them: which devices */

/* Moves fd to at least 10, out of the way of 0..4. */
static int move_up(int fd) { return fcntl(fd, F_DUPFD, 10); }

static void close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
        return;
#endif
    struct rlimit limit;
    int n = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1048576 ? (int)limit.rlim_cur : 1048576;
    for (int fd = first; fd < n; fd++)
        close(fd);
}

/* Only async-signal-safe calls. Returns only on failure, with errno; *report: where to say so, another descriptor by
 * then. */
static void become_worker(gx_queue *q, const char *path, char *const argv[], char *const envp[], pid_t parent,
                          int *report)
{
    sigset_t none;
    sigemptyset(&none);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);                      /* not ended by a signal to the server's process group: the parent ends it, in
                                           its order */

    const int up = move_up(*report);
    if (up < 0)
        return;
    *report = up;
    int null = open("/dev/null", O_RDWR), memory = move_up(q->fd), life = move_up(q->lifeline[0]);
    if (null < 0 || memory < 0 || life < 0 || dup2(null, 0) < 0 || dup2(memory, 3) < 0 || dup2(life, 4) < 0
        || dup2(up, 5) < 0)
        return;
    *report = 5;
    if (fcntl(5, F_SETFD, FD_CLOEXEC) < 0)
        return;
    close_from(6);

    struct rlimit files = { WORKER_FILES, WORKER_FILES };
    setrlimit(RLIMIT_NOFILE, &files);
    struct rlimit core = { 0, 0 };
    setrlimit(RLIMIT_CORE, &core);      /* a core would hold documents of all clients */
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    if (getppid() != parent)            /* it died before that was asked for: nobody will tell us */
        _exit(0);
    execve(path, argv, envp);
}

gx_status gx_worker_spawn(gx_queue *q, const char *path, const gx_worker_options *options, int *pid, gx_error *err)
{
    char memory[48], threads[16], arena[24], batch[16], uid[16], gid[16], visible[1024];
    const gx_queue_shape shape = gx_queue_shape_of(q);
    char *argv[] = { (char *)path,
                     (char *)"--memory",
                     memory,
                     (char *)"--threads",
                     threads,
                     (char *)"--arena",
                     arena,
                     (char *)"--device",
                     (char *)(options->device ? options->device : "auto"),
                     (char *)"--batch",
                     batch,
                     (char *)"--uid",
                     uid,
                     (char *)"--gid",
                     gid,
                     (char *)"--sandbox",
                     (char *)(options->no_sandbox ? "0" : "1"),
                     NULL };
    char *envp[6 + N_PASSED] = { (char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C", (char *)"CUDA_CACHE_DISABLE=1" };
    size_t n_env = 3;
    if (options->visible) {
        if (snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", options->visible) >= (int)sizeof visible)
            return gx_fail(err, GX_ELIMIT, "", 0, 0, "the list of devices for the worker is too long");
        envp[n_env++] = visible;
        envp[n_env++] = (char *)"CUDA_DEVICE_ORDER=PCI_BUS_ID";
    }
    for (size_t i = options->visible ? N_WHICH : 0; i < N_PASSED; i++)
        for (char **e = environ; *e; e++)
            if (strncmp(*e, passed[i], strlen(passed[i])) == 0) {
                envp[n_env++] = *e;
                break;
            }
    snprintf(memory, sizeof memory, "%u,%u,%u", shape.layout, shape.slots, shape.units);
    snprintf(batch, sizeof batch, "%d", options->batch);
    snprintf(threads, sizeof threads, "%d", options->threads);
    snprintf(arena, sizeof arena, "%llu", (unsigned long long)options->arena_bytes);
    snprintf(uid, sizeof uid, "%u", options->uid);
    snprintf(gid, sizeof gid, "%u", options->gid);

    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return gx_fail(err, GX_EIO, "", 0, 0, "no pipe for starting the worker: %s", strerror(errno));
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        int error = errno;
        close(report[0]);
        close(report[1]);
        return gx_fail(err, GX_EIO, "", 0, 0, "the worker cannot be started: %s", strerror(error));
    }
    if (child == 0) {
        become_worker(q, path, argv, envp, parent, &report[1]);
        int error = errno;
        _exit(write(report[1], &error, sizeof error) < 0 ? 126 : 127);
    }
    close(report[1]);
    int error = 0;
    ssize_t n;
    while ((n = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
        ;
    close(report[0]);
    if (n == (ssize_t)sizeof error) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        return gx_fail(err, GX_EIO, "", 0, 0, "the worker program %s cannot be started: %s", path, strerror(error));
    }
    *pid = (int)child;
    return GX_OK;
}
