/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-lifeline.c -- the worker ends when the last process has gone that could ask it
 *
 * Its parent here lives on, so that what ends it is the lifeline, not the signal that a dead parent's children get.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gx.h"
#include "queue.h"

static char worker[4096];

/* 1: it has ended within that time. */
static int ends(int pid, u64 most_us, int *status)
{
    const u64 until = gx_now_us() + most_us;
    while (waitpid(pid, status, WNOHANG) == 0) {
        const struct timespec pause = { 0, 10000000 };
        if (gx_now_us() > until)
            return 0;
        nanosleep(&pause, NULL);
    }
    return 1;
}

static void test_lifeline(void **state)
{
    gx_worker_options options;
    gx_queue *q;
    gx_error err;
    int pid, status = -1;
    (void)state;
    memset(&options, 0, sizeof options);
    options.threads = 1;
    options.device = "cpu";
    assert_int_equal(gx_queue_create(8, 4u << 20, &q, &err), GX_OK);
    assert_int_equal(gx_worker_spawn(q, worker, &options, &pid, &err), GX_OK);
    assert_int_equal(gx_queue_wait_alive(q, 30000000), GX_OK);
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    gx_queue_destroy(q);
    assert_false(ends(pid, 500000, &status));           /* the child may still ask */
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    if (!ends(pid, 20000000, &status)) {
        kill(pid, SIGKILL);
        fail_msg("the worker goes on without anybody");
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lifeline) };
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    snprintf(worker, sizeof worker, "%.*s../gpuxml-worker", slash ? (int)(slash - argv[0] + 1) : 0, argv[0]);
    if (access(worker, X_OK) != 0) {
        printf("1..0 # SKIP %s is not built\n", worker);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
