/* SPDX-License-Identifier: Apache-2.0 */
/*
 * below.c -- gpuxslt --write-below: the files that a stylesheet writes beside its result
 *
 * What a stylesheet, and the document that it reads, say can name no file outside the directory: a name is unescaped,
 * taken apart and followed from the open directory downwards, one component at a time and through no link; ".." that
 * leads out, and what is absolute and not beneath it, is an error.
 *
 * Each file is written under a temporary name in its own directory and renamed when the whole transformation has
 * succeeded, so an error leaves every older file as it was, and whoever looks sees complete files. Directories that
 * were made stay.
 *
 * Cost: a few system calls a file for each level of its name; two descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/files/uri.h"
#include "below.h"

#define TEMPORARY ".gpuxslt-%ld-%u"

/* path: relative to the directory, without dot segments */
typedef struct pending { char *path; unsigned number; } pending;

struct below {
    int directory;              /* open */
    char *given, *real;         /* absolute paths of it, which an absolute name may begin with */
    pending *files;             /* by path: sorted */
    size_t n, room;
    unsigned numbers;
    int is_strict;
};

static char *absolute(const char *directory)
{
    char cwd[PATH_MAX], *path;
    if (*directory == '/')
        path = strdup(directory);
    else if (!getcwd(cwd, sizeof cwd) || asprintf(&path, "%s/%s", cwd, directory) < 0)
        return NULL;
    if (path) {
        path[gx_uri_remove_dots(path, strlen(path))] = 0;
        for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
            path[n - 1] = 0;
    }
    return path;
}

below *below_open(const char *directory, int is_strict, char why[400])
{
    below *b = calloc(1, sizeof *b);
    if (b && mkdir(directory, 0777) != 0 && errno != EEXIST) {
        snprintf(why, 400, "cannot be made: %s", strerror(errno));
        free(b);
        return NULL;
    }
    if (b) {
        b->is_strict = is_strict;
        b->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        b->given = absolute(directory);
        b->real = realpath(directory, NULL);
    }
    if (b && b->directory >= 0 && b->given && b->real)
        return b;
    snprintf(why, 400, "cannot be opened: %s", strerror(errno));
    free(b);
    return NULL;
}

static gx_status refuse(gx_error *err, const char *href, const char *why)
{
    return gx_fail(err, GX_EDYNAMIC, "", 0, 0, "the file \"%.200s\" cannot be written: %s", href, why);
}

static gx_status failed(gx_error *err, const char *href, const char *why)
{
    return gx_fail(err, GX_EIO, "", 0, 0, "the file \"%.200s\" cannot be written: %s", href, why);
}

/* The part of an absolute path behind the directory's; NULL: it does not lie beneath it. */
static char *behind(char *path, const char *directory)
{
    const size_t n = strcmp(directory, "/") ? strlen(directory) : 0;
    return strncmp(path, directory, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* href as a path relative to the directory, without dot segments, malloc'd; NULL with *why. */
static char *path_of(const below *b, const char *href, const char **why)
{
    const size_t scheme = gx_uri_scheme(href);
    const int is_file = scheme == 4 && strncasecmp(href, "file", 4) == 0;
    char *path = strdup(is_file ? href + 5 : href), *at = path;
    *why = "not enough memory";
    if (!path)
        return NULL;
    if (is_file && strncmp(at, "//", 2) == 0)
        at += strncasecmp(at + 2, "localhost/", 10) == 0 ? 11 : 2;
    *why = "it is a URI of another scheme than file:";
    if (scheme && !is_file)
        goto refused;
    *why = "it is not a valid URI reference";
    if (gx_uri_unescape(at) || (is_file && *at != '/'))
        goto refused;
    *why = "it leads out of the directory of --write-below";
    if (*at == '/') {
        at[gx_uri_remove_dots(at, strlen(at))] = 0;
        char *rest = behind(at, b->given);
        if (!(at = rest ? rest : behind(at, b->real)))
            goto refused;
    }
    at[gx_uri_remove_dots(at, strlen(at))] = 0;
    if (strcmp(at, "..") == 0 || strncmp(at, "../", 3) == 0 || *at == '/')
        goto refused;
    *why = "it names no file";
    if (!*at || at[strlen(at) - 1] == '/')
        goto refused;
    memmove(path, at, strlen(at) + 1);
    return path;
refused:
    free(path);
    return NULL;
}

/* The directory of the path, open, and the file's name in it. -1 with errno: a component is a link, or none can be
 * made. */
static int parent_of(const below *b, const char *path, int may_make, const char **name)
{
    int dir = fcntl(b->directory, F_DUPFD_CLOEXEC, 3);
    const char *slash;
    for (*name = path; dir >= 0 && (slash = strchr(*name, '/')); *name = slash + 1) {
        char *part = strndup(*name, (size_t)(slash - *name));
        int next = -1;
        if (part && (!*part || !may_make || mkdirat(dir, part, 0777) == 0 || errno == EEXIST))
            next = openat(dir, *part ? part : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const int error = part ? errno : ENOMEM;
        close(dir);
        free(part);
        errno = error;
        dir = next;
    }
    return dir;
}

static void temporary_of(unsigned number, char name[64]) { snprintf(name, 64, TEMPORARY, (long)getpid(), number); }

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        const ssize_t wrote = write(fd, bytes, n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return 0;
        bytes += wrote;
        n -= (size_t)wrote;
    }
    return 1;
}

/* Where the path is among the files, or would be. files[lo - 1] < path <= files[hi] */
static size_t place_of(const below *b, const char *path)
{
    size_t lo = 0, hi = b->n;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (strcmp(b->files[mid].path, path) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int make_room(below *b)
{
    if (b->n < b->room)
        return 1;
    const size_t room = b->room ? b->room * 2 : 64;
    pending *files = realloc(b->files, room * sizeof *files);
    if (!files)
        return 0;
    b->files = files;
    b->room = room;
    return 1;
}

/* 1: the bytes stand in a new file; else errno */
static int write_temporary(const below *b, const char *path, unsigned number, const char *bytes, size_t n)
{
    char temporary[64];
    const char *name;
    struct stat there;
    int dir = parent_of(b, path, 1, &name);
    if (dir < 0)
        return 0;
    temporary_of(number, temporary);
    const int is_directory = fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(there.st_mode);
    errno = is_directory ? EISDIR : ENAMETOOLONG;           /* said now: the temporary name is a short one */
    int fd = is_directory || strlen(name) > NAME_MAX
        ? -1
        : openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    int good = fd >= 0 && write_all(fd, bytes, n), error = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        error = errno;
        good = 0;
    }
    if (fd >= 0 && !good)
        unlinkat(dir, temporary, 0);
    close(dir);
    errno = error;
    return good;
}

static void unlink_temporary(const below *b, const char *path, unsigned number)
{
    char temporary[64];
    const char *name;
    int dir = parent_of(b, path, 0, &name);
    temporary_of(number, temporary);
    if (dir < 0)
        return;
    unlinkat(dir, temporary, 0);
    close(dir);
}

gx_status below_write(void *ctx, const char *href, const char *bytes, size_t n, gx_error *err)
{
    below *b = ctx;
    const char *why;
    char *path = path_of(b, href, &why);
    if (!path)
        return refuse(err, href, why);
    const size_t at = place_of(b, path);
    const int is_again = at < b->n && strcmp(b->files[at].path, path) == 0;
    gx_status status = GX_OK;
    if (is_again && b->is_strict)
        status = refuse(err, href, "it was written before in this transformation");
    else if (!make_room(b))
        status = gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory");
    else if (!write_temporary(b, path, ++b->numbers, bytes, n))
        status = failed(err, href,
                        errno == ELOOP || errno == ENOTDIR ? "a directory in its name is a link or a file"
                                                           : strerror(errno));
    if (status != GX_OK) {
        free(path);
        return status;
    }
    if (is_again) {                             /* as with xsltproc, the last one counts */
        unlink_temporary(b, path, b->files[at].number);
        free(b->files[at].path);
        gx_fail(err, GX_OK, "", 0, 0, "the file \"%.200s\" is written more than once: the last one counts", href);
    } else {
        memmove(b->files + at + 1, b->files + at, (b->n - at) * sizeof *b->files);
        b->n++;
    }
    b->files[at] = (pending){ path, b->numbers };
    return GX_OK;
}

/* Renames the files, or takes them away. The number of those that went wrong, errno: of the last. */
static size_t settle(below *b, int keep, char why[400])
{
    size_t wrong = 0;
    for (size_t i = 0; i < b->n; i++) {
        char temporary[64];
        const char *name;
        int dir = parent_of(b, b->files[i].path, 0, &name);
        temporary_of(b->files[i].number, temporary);
        if (keep && !wrong && (dir < 0 || renameat(dir, temporary, dir, name) != 0)) {
            snprintf(why, 400, "%.200s: %s", b->files[i].path, strerror(errno));
            wrong++;
        }
        if (dir >= 0 && (!keep || wrong))
            unlinkat(dir, temporary, 0);
        if (dir >= 0)
            close(dir);
        free(b->files[i].path);
    }
    b->n = 0;
    return wrong;
}

int below_commit(below *b, char why[400]) { return settle(b, 1, why) == 0; }
void below_abandon(below *b) { settle(b, 0, NULL); }
