/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c -- for LD_PRELOAD: chosen calls fail as the operating system makes them fail
 *
 * $REFUSE names a file that begins with one struct rule, which t/faults/refuse.py writes while programs run. The skip
 * calls after the rule was set succeed, the next count fail with errno error, all further ones succeed. part: a part
 * of what is opened; for the others, of the name of the library that calls ("" = whatever).
 */
#define _GNU_SOURCE
/* of a packager's CFLAGS: they make other functions of open and read */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTHING, OPEN, READ, MEMORY, CLOSE };

static struct rule { int call, error; unsigned skip, count, seen; char part[108]; } *rule;
static __thread int busy;               /* in dladdr or dlsym, which may call us */

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("REFUSE");
    int fd = name ? openat(AT_FDCWD, name, O_RDWR | O_CLOEXEC) : -1;
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *rule, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    rule = at == MAP_FAILED ? NULL : at;
}

/* Sets errno if this call is to fail. what: a path, or NULL where the caller's library counts */
static int refused(int call, const char *what, void *caller)
{
    Dl_info info = { 0 };
    if (!rule || busy || __atomic_load_n(&rule->call, __ATOMIC_ACQUIRE) != call)
        return 0;
    busy = 1;
    if (!what && *rule->part)
        what = dladdr(caller, &info) ? info.dli_fname : "";
    busy = 0;
    if (*rule->part && !strstr(what, rule->part))
        return 0;
    const unsigned n = __atomic_fetch_add(&rule->seen, 1, __ATOMIC_RELAXED);
    if (n < rule->skip || n - rule->skip >= rule->count)
        return 0;
    errno = rule->error;
    return 1;
}

#define CALLER __builtin_return_address(0)
#define NEXT(f) \
    static __typeof__(f) *next; \
    if (!next) { \
        busy++; \
        next = (__typeof__(f) *)dlsym(RTLD_NEXT, #f); \
        busy--; \
    }

/* parameters: up to path and flags, which the mode may follow; ...: what is passed on */
#define OPENS(f, parameters, ...) \
int f parameters \
{ \
    va_list more; \
    va_start(more, flags); \
    const unsigned mode = va_arg(more, unsigned); \
    va_end(more); \
    NEXT(f) \
    return refused(OPEN, path, CALLER) ? -1 : next(__VA_ARGS__, mode); \
}
OPENS(open, (const char *path, int flags, ...), path, flags)
OPENS(open64, (const char *path, int flags, ...), path, flags)
OPENS(openat, (int folder, const char *path, int flags, ...), folder, path, flags)
OPENS(openat64, (int folder, const char *path, int flags, ...), folder, path, flags)

/* What _FORTIFY_SOURCE makes of the same calls */
#define OPENS_FORTIFIED(f, plain, parameters, ...) \
int f parameters; \
int f parameters { return plain(__VA_ARGS__, 0); }
OPENS_FORTIFIED(__open_2, open, (const char *path, int flags), path, flags)
OPENS_FORTIFIED(__open64_2, open64, (const char *path, int flags), path, flags)
OPENS_FORTIFIED(__openat_2, openat, (int folder, const char *path, int flags), folder, path, flags)
OPENS_FORTIFIED(__openat64_2, openat64, (int folder, const char *path, int flags), folder, path, flags)

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen)
    return refused(OPEN, path, CALLER) ? NULL : next(path, mode);
}

ssize_t read(int fd, void *to, size_t n)
{
    NEXT(read)
    return refused(READ, NULL, CALLER) ? -1 : next(fd, to, n);
}

ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    (void)room;
    return read(fd, to, n);
}

/* The file is closed all the same, as close(2) does */
int fclose(FILE *file)
{
    NEXT(fclose)
    const int refuse = refused(CLOSE, NULL, CALLER), error = errno, rc = next(file);
    if (refuse)
        errno = error;
    return refuse ? EOF : rc;
}

/* ---- memory: by glibc's own names, for dlsym asks for some itself ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t n) { return refused(MEMORY, NULL, CALLER) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return refused(MEMORY, NULL, CALLER) ? NULL : __libc_calloc(n, size); }
void *realloc(void *at, size_t n) { return refused(MEMORY, NULL, CALLER) ? NULL : __libc_realloc(at, n); }
void *aligned_alloc(size_t align, size_t n) { return refused(MEMORY, NULL, CALLER) ? NULL : __libc_memalign(align, n); }
