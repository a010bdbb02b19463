/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.c -- namespaces, Landlock, resource limits and a system call filter for the worker: see sandbox.h
 *
 *   leave    network and IPC namespaces, while the process is still root's
 *   enter    the same through a user namespace, for those who were never root; Landlock: writing beneath /dev only,
 *            executing nothing
 *   close    RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NPROC; seccomp
 *
 * There is no mount namespace: an unprivileged process can make one, but Landlock gives what it would be for, and
 * needs no mounts.
 *
 * Limits:
 *   RLIMIT_DATA   what there is now, and heap_bytes. Not RLIMIT_AS: that counts reservations, and CUDA's are as large
 *                 as the memory of the machine
 *                 and its cards together, malloc's 64 MiB a thread.
 *   RLIMIT_FSIZE  the error log is the only file that can still be written. It may be a regular file of any size, to
 *                 which all of httpd appends: the
 *                 limit is its size now and LOG_BYTES. A line beyond it is lost (SIGXFSZ is ignored).
 *   RLIMIT_NPROC  0 without a device: no thread and no process more. It counts all threads of the user, httpd's too,
 *                 so no other number means
 *                 anything. A GPU's driver may start threads, which the filter tells from processes; then there is no
 *                 such limit.
 *
 * The filter allows a list of system calls and a few with certain arguments. What is not on the list is not made:
 * SIGSYS says so once a number in the
 * error log, and the call returns EPERM (clone: EAGAIN, and no line). So what a driver newly asks for costs a line,
 * mostly not a worker, and the line says what is missing.
 * 32-bit and x32 calls end the process. Cost: 0.1 us a call (a jump for each of the list's numbers; the kernel keeps
 * what does not depend on arguments
 * in a bitmap).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "sandbox.h"

#define LOG_BYTES (1ull << 30)

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#define X32_CALLS 0x40000000u
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif
/* they reserve memory and make calls as they like */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef ARCH
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

/* ---- namespaces ---- */

int gx_sandbox_leave(void) { return geteuid() == 0 && unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0; }

/* Nobody is mapped into the user namespace: this process's user stays whose it was for all others, and is nobody to
 * itself. */
static void leave_by_user_namespace(void)
{
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0)
        (void)syscall(SYS_capset, &header, none);
}

/* ---- Landlock ---- */

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ull << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ull << 14)
#endif
#define MAKE (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG \
              | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK \
              | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define REMOVE (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE)

static void allow_below(int rules, const char *path, u64 access)
{
    struct landlock_path_beneath_attr below;
    memset(&below, 0, sizeof below);
    below.allowed_access = access;
    below.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (below.parent_fd < 0)
        return;
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0u);
    close(below.parent_fd);
}

/* Devices are written to, and a driver keeps files in /dev/shm; a server that shares a GPU among processes (CUDA MPS)
 * is spoken to through pipes. */
static void restrict_files(void)
{
    const char *pipes = getenv("CUDA_MPS_PIPE_DIRECTORY");
    const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    const u64 change = LANDLOCK_ACCESS_FS_WRITE_FILE | (abi >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0);
    /* the first field of landlock_ruleset_attr: all that the first version knows */
    struct { u64 handled_access_fs; } rules;
    if (abi < 1)
        return;
    rules.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | MAKE | REMOVE | change
        | (abi >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0);
    const int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0u);
    if (fd < 0)
        return;
    allow_below(fd, "/dev", change | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE);
    allow_below(fd, "/proc/self/task", change);     /* threads' names */
    allow_below(fd, pipes ? pipes : "/tmp/nvidia-mps", change);
    (void)syscall(SYS_landlock_restrict_self, fd, 0u);
    close(fd);
}

void gx_sandbox_enter(int has_left)
{
    if (!has_left)
        leave_by_user_namespace();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);         /* Landlock and seccomp ask for it */
    restrict_files();
}

/* ---- resource limits ---- */

static void lower(int resource, u64 most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || (limit.rlim_max != RLIM_INFINITY && limit.rlim_max <= most))
        return;
    limit.rlim_cur = limit.rlim_max = most;
    (void)setrlimit(resource, &limit);
}

/* Private memory that can be written, as RLIMIT_DATA counts it; ~0: nobody says. */
static u64 data_bytes(void)
{
    char text[4096], *at;
    const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    at = strstr(text, "\nVmData:");
    return at ? strtoull(at + 8, NULL, 10) * 1024 : ~0ull;
}

static void set_limits(u64 heap_bytes, int has_device)
{
    const u64 data = data_bytes();
    u64 log = 0;
    for (int fd = 1; fd <= 2; fd++) {
        struct stat st;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (u64)st.st_size > log)
            log = (u64)st.st_size;
    }
    signal(SIGXFSZ, SIG_IGN);
    lower(RLIMIT_FSIZE, log + LOG_BYTES);
    if (!HAS_SANITIZER && data != ~0ull)
        lower(RLIMIT_DATA, data + heap_bytes);
    if (!has_device && !HAS_SANITIZER)
        lower(RLIMIT_NPROC, 0);
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_MSGQUEUE, 0);
}

/* ---- system calls ---- */

#ifdef ARCH
/* Whoever evaluates: memory, time, waiting for each other, a look at /proc/PID/stat, the error log, the process's own
 * end */
static const int always[] = {
    SYS_read, SYS_write, SYS_writev, SYS_pread64, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_ppoll,
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_getcpu,
    SYS_gettid, SYS_getpid, SYS_getppid, SYS_getrandom, SYS_getrusage, SYS_clock_gettime, SYS_clock_getres,
    SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times, SYS_sysinfo, SYS_uname, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_set_robust_list, SYS_rseq, SYS_membarrier,
    SYS_restart_syscall, SYS_exit, SYS_exit_group, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
#ifdef SYS_poll
    SYS_poll,
#endif
};

/* A GPU's driver: its devices, pinned memory, and how it waits for interrupts */
static const int device[] = {
    SYS_dup, SYS_dup3, SYS_pipe2, SYS_eventfd2, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_statx,
    SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_mlock, SYS_munlock, SYS_mincore, SYS_msync, SYS_mbind,
    SYS_get_mempolicy, SYS_set_mempolicy, SYS_sched_setaffinity, SYS_sched_getscheduler, SYS_sched_getparam,
    SYS_readv, SYS_pselect6, SYS_timerfd_create, SYS_timerfd_settime, SYS_set_tid_address,
#ifdef SYS_access
    SYS_access, SYS_stat, SYS_readlink, SYS_epoll_wait, SYS_select,
#endif
};

#define MOST_LINES 400
typedef struct lines { struct sock_filter at[MOST_LINES]; unsigned short n; } lines;

static void put(lines *f, unsigned short code, u32 k, u8 if_true, u8 if_false)
{
    const struct sock_filter line = { code, if_true, if_false, k };
    f->at[f->n++] = line;
}

#define LOAD (BPF_LD | BPF_W | BPF_ABS)
#define EQUAL (BPF_JMP | BPF_JEQ | BPF_K)
#define ANY_BIT (BPF_JMP | BPF_JSET | BPF_K)
#define RETURN (BPF_RET | BPF_K)
/* The lower 32 bits of an argument, which is all that int arguments have; both machines are little-endian. */
#define ARGUMENT(n) ((u32)(offsetof(struct seccomp_data, args) + 8 * (n)))

/* System call nr: allowed without any of these bits in argument n. */
static void without_bits(lines *f, int nr, int n, u32 bits)
{
    put(f, EQUAL, (u32)nr, 0, 4);
    put(f, LOAD, ARGUMENT(n), 0, 0);
    put(f, ANY_BIT, bits, 0, 1);
    put(f, RETURN, SECCOMP_RET_TRAP, 0, 0);
    put(f, RETURN, SECCOMP_RET_ALLOW, 0, 0);
}

/* System call nr: allowed when argument n is one of these (is_one), or is none of these. */
static void with_values(lines *f, int nr, int n, const u32 *values, u8 n_values, int is_one)
{
    put(f, EQUAL, (u32)nr, 0, (u8)(n_values + 3));
    put(f, LOAD, ARGUMENT(n), 0, 0);
    for (u8 i = 0; i < n_values; i++)
        put(f, EQUAL, values[i], (u8)(n_values - i), 0);
    put(f, RETURN, is_one ? SECCOMP_RET_TRAP : SECCOMP_RET_ALLOW, 0, 0);
    put(f, RETURN, is_one ? SECCOMP_RET_ALLOW : SECCOMP_RET_TRAP, 0, 0);
}
#define WITH(f, nr, n, is_one, ...) \
    with_values(f, nr, n, (const u32[]){ __VA_ARGS__ }, (u8)(sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32)), \
                is_one)

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* A jump has 8 bits: every rule ends with its answer, so that none is longer than a few lines. */
static void write_filter(lines *f, int has_device)
{
    f->n = 0;
    put(f, LOAD, (u32)offsetof(struct seccomp_data, arch), 0, 0);
    put(f, EQUAL, ARCH, 1, 0);
    put(f, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put(f, LOAD, (u32)offsetof(struct seccomp_data, nr), 0, 0);
#ifdef X32_CALLS
    put(f, BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1);
    put(f, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
#endif
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        put(f, EQUAL, (u32)always[i], 0, 1);
        put(f, RETURN, SECCOMP_RET_ALLOW, 0, 0);
    }
    /* memory that holds no code; files that are there; signals to nobody but ourselves */
    without_bits(f, SYS_mmap, 2, PROT_EXEC);
    without_bits(f, SYS_mprotect, 2, PROT_EXEC);
    const u32 changes = O_CREAT | O_TRUNC | (has_device ? O_TMPFILE & ~O_DIRECTORY : O_ACCMODE);
    without_bits(f, SYS_openat, 2, changes);
#ifdef SYS_open
    without_bits(f, SYS_open, 1, changes);
#endif
    WITH(f, SYS_kill, 1, 1, 0);
    WITH(f, SYS_tgkill, 0, 1, (u32)getpid());
    WITH(f, SYS_prctl, 0, 1, PR_SET_TIMERSLACK, PR_SET_NAME, PR_GET_NAME, PR_SET_VMA);
    WITH(f, SYS_fcntl, 1, 1, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC);
    WITH(f, SYS_prlimit64, 2, 1, 0);        /* asked for, not set: no structure lies at a multiple of 4 GiB */
    put(f, EQUAL, SYS_clone3, 0, 1);        /* its flags are in memory; the C library then takes clone */
    put(f, RETURN, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
    if (has_device) {
        for (size_t i = 0; i < sizeof device / sizeof *device; i++) {
            put(f, EQUAL, (u32)device[i], 0, 1);
            put(f, RETURN, SECCOMP_RET_ALLOW, 0, 0);
        }
        WITH(f, SYS_ioctl, 1, 0, TIOCSTI, TIOCLINUX, TIOCSETD);    /* standard error may be a terminal */
    }
    /* A device's driver may start threads, nobody a process. Without a line: the C library blocks all signals around
     * the call, and a blocked SIGSYS
     * ends the process. */
    put(f, EQUAL, SYS_clone, 0, 4);
    put(f, LOAD, ARGUMENT(0), 0, 0);
    put(f, ANY_BIT, has_device ? CLONE_THREAD : 0, 1, 0);
    put(f, RETURN, SECCOMP_RET_ERRNO | EAGAIN, 0, 0);
    put(f, RETURN, SECCOMP_RET_ALLOW, 0, 0);
    put(f, RETURN, SECCOMP_RET_TRAP, 0, 0);
}

static u8 was_refused[1024];            /* by number: it is in the log already */

/* A call that the filter refused: one line a number, and the caller sees EPERM. */
static void on_refused(int sig, siginfo_t *info, void *context)
{
    static const char head[] = "gpuxml-worker: the sandbox refuses system call ";
    static const char tail[] = "; GPUXMLWorkerSandbox off would allow it\n";
    char text[sizeof head + sizeof tail + 12];
    size_t n = sizeof head - 1;
    unsigned nr = (unsigned)info->si_syscall, digits = 1;
    const int saved = errno;
    ucontext_t *uc = (ucontext_t *)context;
    (void)sig;
#if defined(__x86_64__)
    uc->uc_mcontext.gregs[REG_RAX] = -EPERM;
#else
    uc->uc_mcontext.regs[0] = (unsigned long)-EPERM;
#endif
    if (nr < sizeof was_refused && !__atomic_exchange_n(&was_refused[nr], 1, __ATOMIC_RELAXED)) {
        memcpy(text, head, n);
        for (unsigned rest = nr; rest >= 10; rest /= 10)
            digits++;
        for (unsigned i = digits; i-- > 0; nr /= 10)
            text[n + i] = (char)('0' + nr % 10);
        n += digits;
        memcpy(text + n, tail, sizeof tail - 1);
        (void)!write(2, text, n + sizeof tail - 1);
    }
    errno = saved;
}
#endif

/* The last step, when all that needs rights is open: limits of memory, of what it may write and of processes, and a
 * filter that lets only the system calls through that threads at work need; with a device also what its driver does.
 * Holds for all threads (TSYNC). GX_EIO: there is no filter here; the worker goes on. */
gx_status gx_sandbox_close(u64 heap_bytes, int has_device, gx_error *err)
{
    set_limits(heap_bytes, has_device);
#ifdef ARCH
    static lines filter;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_refused;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSYS, &action, NULL);
    write_filter(&filter, has_device);
    const struct sock_fprog program = { filter.n, filter.at };
    /* TSYNC: also for the threads that run already; it returns one that cannot be had */
    const long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (rc != 0)
        return gx_fail(err, GX_EIO, "", 0, 0, "no system call filter: %s",
                       rc > 0 ? "a thread has another one" : strerror(errno));
#else
    (void)err;
#endif
    return GX_OK;
}
