/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 61-sandbox.c -- what a worker in its sandbox can and cannot do: each try in a process of its own, as root or not,
 * whatever the kernel offers
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "../worker/sandbox.c"

#define SKIPPED 77
typedef struct try { const char *what; int (*of)(void); int has_device; int want; } try;    /* want: 0, or the error */

static char log_path[] = "/tmp/gx-sandbox-XXXXXX";

static int answer(long rc) { return rc < 0 ? errno : 0; }

static int a_socket(void) { return answer(socket(AF_INET, SOCK_STREAM, 0)); }
static int a_process(void)
{
    const pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        _exit(0);
    return answer(pid);
}
static int a_program(void) { return answer(execl("/bin/true", "true", (char *)NULL)); }
static int a_file(void) { return answer(open("/tmp/gx-sandbox-new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)); }
static int writing_a_file(void) { return answer(open(log_path, O_WRONLY | O_CLOEXEC)); }
static int writing_a_device(void) { return answer(open("/dev/null", O_RDWR | O_CLOEXEC)); }
static int reading(void) { return answer(open("/proc/self/stat", O_RDONLY | O_CLOEXEC)); }
static int code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}
static int a_signal(void) { return answer(kill(getppid(), SIGCONT)); }
static int a_look(void) { return answer(kill(getppid(), 0)); }
static int tracing(void) { return answer(syscall(SYS_ptrace, 0, 0, 0, 0)); }
static int a_new_limit(void)
{
    const struct rlimit limit = { 1, 1 };
    return answer(setrlimit(RLIMIT_NOFILE, &limit));
}
static int asking_a_limit(void)
{
    struct rlimit limit;
    return answer(getrlimit(RLIMIT_NOFILE, &limit));
}
static int typing(void) { return answer(ioctl(2, TIOCSTI, "x")); }
static int memory(void)
{
    char *at = malloc(1u << 20);
    if (!at)
        return errno;
    memset(at, 1, 1u << 20);
    free(at);
    return 0;
}
static int too_much_memory(void) { return malloc((size_t)256 << 20) ? 0 : errno; }
static void *nothing(void *arg) { return arg; }
static int a_thread(void)
{
    pthread_t id;
    const int error = pthread_create(&id, NULL, nothing, NULL);
    return error ? error : pthread_join(id, NULL);
}
static int an_abort(void)               /* raise() works: the crash handler's last step */
{
    signal(SIGUSR1, SIG_IGN);
    return answer(raise(SIGUSR1));
}
static int a_line(void) { return answer(write(2, "a line\n", 7)); }

static const try tries[] = {
    { "a socket", a_socket, 0, EPERM }, { "a socket, device", a_socket, 1, EPERM },
    { "a process", a_process, 0, EAGAIN }, { "a process, device", a_process, 1, EAGAIN },
    { "a program", a_program, 0, EPERM }, { "a program, device", a_program, 1, EPERM },
    { "a new file", a_file, 0, EPERM }, { "a new file, device", a_file, 1, EPERM },
    { "writing a file", writing_a_file, 0, EPERM }, { "writing a file, device", writing_a_file, 1, EACCES },
    { "writing a device file", writing_a_device, 0, EPERM },
    { "writing a device file, device", writing_a_device, 1, 0 },
    { "reading", reading, 0, 0 }, { "reading, device", reading, 1, 0 },
    { "code", code, 0, EPERM }, { "code, device", code, 1, EPERM },
    { "a signal", a_signal, 0, EPERM }, { "a look at a process", a_look, 0, 0 }, { "tracing", tracing, 1, EPERM },
    { "a new limit", a_new_limit, 0, EPERM }, { "asking for a limit", asking_a_limit, 0, 0 },
    { "typing into the terminal", typing, 1, EPERM },
    { "memory", memory, 0, 0 }, { "too much memory", too_much_memory, 0, ENOMEM },
    { "too much memory, device", too_much_memory, 1, ENOMEM },
    { "a thread", a_thread, 0, EAGAIN }, { "a thread, device", a_thread, 1, 0 },
    { "raise", an_abort, 0, 0 }, { "a line in the log", a_line, 0, 0 },
};

static int has_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

/* In a process of its own, whose standard error is the log. */
static int outcome(const try *t)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        gx_error err;
        const int log = open(log_path, O_WRONLY | O_APPEND);
        dup2(log, 2);
        gx_sandbox_enter(gx_sandbox_leave());
        if (gx_sandbox_close(64u << 20, t->has_device, &err) != GX_OK)
            _exit(SKIPPED);
        _exit(t->of());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void each_try(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        const try *t = &tries[i];
        const int got = outcome(t);
        if (t->want == EACCES && !has_landlock())
            continue;
        if (got != t->want)
            print_error("%s: %d (%s), expected %d\n", t->what, got, strerror(got), t->want);
        wrong += got != t->want;
    }
    assert_int_equal(wrong, 0);
}

/* Each refused call has its line, once. */
static int twice(void) { return (void)a_socket(), a_socket(); }

static void what_was_refused_is_said(void **state)
{
    static const try t = { "twice", twice, 0, EPERM };
    char text[4096], want[160];
    (void)state;
    assert_int_equal(truncate(log_path, 0), 0);
    outcome(&t);
    const int fd = open(log_path, O_RDONLY);
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    snprintf(want, sizeof want,
             "gpuxml-worker: the sandbox refuses system call %d; GPUXMLWorkerSandbox off would allow it\n",
             (int)SYS_socket);
    assert_string_equal(text, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_try), cmocka_unit_test(what_was_refused_is_said) };
    const int fd = mkstemp(log_path);
    if (fd < 0)
        return 1;
    close(fd);
    static const try any = { "reading", reading, 0, 0 };
    if (HAS_SANITIZER || outcome(&any) == SKIPPED) {
        puts(HAS_SANITIZER ? "1..0 # SKIP a sanitizer makes calls that are refused"
                           : "1..0 # SKIP this kernel has no seccomp filters");
        unlink(log_path);
        return 0;
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
