/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c -- gpuxslt --each: a directory, a tar, or records
 *
 * A file of a directory is written beside its place and renamed: whoever looks sees the whole result, or the one
 * before. Names come from lists and archives of others, so none leads out of the directory: "/" at the front goes, ".."
 * is refused.
 *
 * A stream has the results in the order of the items. A result that comes early waits in its place; each.c reads no
 * more than EACH_AHEAD items ahead of what was written, so there is a place for every one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "each.h"

typedef struct waiting { u64 number; char *name, *bytes; size_t n; int is_record; } waiting;

struct each_output {
    const char *name, *suffix;
    int directory;              /* open, -1: a stream */
    FILE *stream;
    char *temporary;            /* of a tar that is a file: renamed at the end */
    each_frames frames;
    int is_broken;
    pthread_mutex_t lock;
    u64 written;
    waiting early[EACH_AHEAD];
    /* a directory's: what was written, by hash of the name, so that no two items write one file */
    u64 *seen;
    u64 n_seen, room;
};

static int is_tar(const char *name)
{
    const size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".tar") == 0;
}

static int make_directories(int at, char *path, char why[400])
{
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const int failed = *path && mkdirat(at, path, 0777) != 0 && errno != EEXIST;
        if (failed)
            snprintf(why, 400, "directory %s cannot be made: %s", path, strerror(errno));
        *slash = '/';
        if (failed)
            return -1;
    }
    return 0;
}

each_output *each_open_output(const char *name, each_frames frames, const char *suffix, char why[400])
{
    each_output *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    out->name = name;
    out->suffix = suffix;
    out->frames = frames;
    out->directory = -1;
    pthread_mutex_init(&out->lock, NULL);
    if (strcmp(name, "-") == 0)
        out->stream = stdout;
    else if (is_tar(name)) {
        if (asprintf(&out->temporary, "%s.%ld~", name, (long)getpid()) > 0)
            out->stream = fopen(out->temporary, "wb");
    } else {
        char *path = NULL;
        if (asprintf(&path, "%s/", name) > 0 && make_directories(AT_FDCWD, path, why) == 0) {
            out->directory = open(name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
            if (out->directory < 0)
                snprintf(why, 400, "%s: %s", name, strerror(errno));
        }
        free(path);
        if (out->directory >= 0)
            return out;
        free(out);
        return NULL;
    }
    if (!out->stream) {
        snprintf(why, 400, "%s: cannot be written: %s", name, strerror(errno));
        free(out->temporary);
        free(out);
        return NULL;
    }
    setvbuf(out->stream, NULL, _IOFBF, 1 << 20);
    return out;
}

int each_output_is_directory(const each_output *out) { return out->directory >= 0; }

/* The result's path beneath the directory: malloc'd, NULL and *why. */
static char *place_of(const each_output *out, const char *name, char why[400])
{
    char *path;
    while (*name == '/' || (name[0] == '.' && name[1] == '/'))
        name++;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || !part[2])) {
            snprintf(why, 400, "\"..\" in a name would lead out of the output's directory");
            return NULL;
        }
    }
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash + 1 : name, '.');
    const int n = dot && dot > (slash ? slash + 1 : name) ? (int)(dot - name) : (int)strlen(name);
    if (!n) {
        snprintf(why, 400, "a file without a name");
        return NULL;
    }
    if (asprintf(&path, "%.*s%s", n, name, out->suffix) < 0) {
        snprintf(why, 400, "not enough memory");
        return NULL;
    }
    return path;
}

int each_output_is_done(each_output *out, const each_item *item, i64 newest_ns)
{
    struct stat st;
    char why[400], *path = out->directory >= 0 && item->time_ns ? place_of(out, item->name, why) : NULL;
    int is_done = 0;
    if (path && fstatat(out->directory, path, &st, 0) == 0 && S_ISREG(st.st_mode)) {
        const i64 written = (i64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        is_done = written > item->time_ns && written > newest_ns;
    }
    free(path);
    return is_done;
}

/* ---- a directory ---- */

static u64 hash_of(const char *s)
{
    u64 h = 0xcbf29ce484222325u;
    for (; *s; s++)
        h = (h ^ (u8)*s) * 0x100000001b3u;
    h ^= h >> 29;
    return h ? h : 1;
}

/* 1: a name that was not there before; 0: it was; -1: no memory. Under the lock. Names of the same 64-bit hash count as
 * one. */
static int remember(each_output *out, const char *path)
{
    if (2 * out->n_seen >= out->room) {
        const u64 room = out->room ? 2 * out->room : 1024;
        u64 *more = calloc(room, sizeof *more);
        if (!more)
            return -1;
        for (u64 i = 0; i < out->room; i++)
            for (u64 k = out->seen[i]; k && out->seen[i]; k++)
                if (!more[k & (room - 1)]) {
                    more[k & (room - 1)] = out->seen[i];
                    break;
                }
        free(out->seen);
        out->seen = more;
        out->room = room;
    }
    const u64 key = hash_of(path);
    for (u64 k = key;; k++) {
        u64 *at = &out->seen[k & (out->room - 1)];
        if (*at == key)
            return 0;
        if (!*at) {
            *at = key;
            out->n_seen++;
            return 1;
        }
    }
}

static int no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EROFS || error == EIO; }

static int write_all(int file, const char *bytes, size_t n)
{
    while (n) {
        const ssize_t k = write(file, bytes, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return -1;
        bytes += k;
        n -= (size_t)k;
    }
    return 0;
}

static int is_source(const each_output *out, const char *path, const each_item *item)
{
    struct stat a, b;
    return !item->bytes && fstatat(out->directory, path, &a, 0) == 0 && stat(item->name, &b) == 0
        && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int put_file(each_output *out, const each_item *item, char *path, const char *bytes, size_t n, char why[400],
                    int *full)
{
    char temporary[64];
    static u64 serial;
    const char *slash = strrchr(path, '/');
    char *beside = NULL;
    if (is_source(out, path, item)) {
        snprintf(why, 400, "the result would take the source's place (choose another --out or --suffix)");
        return -1;
    }
    snprintf(temporary, sizeof temporary, ".gpuxslt-%ld-%llu~", (long)getpid(),
             (unsigned long long)__atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
    if (asprintf(&beside, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, temporary) < 0) {
        snprintf(why, 400, "not enough memory");
        return -1;
    }
    int file = openat(out->directory, beside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno == ENOENT && make_directories(out->directory, path, why) == 0)
        file = openat(out->directory, beside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    int failed = file < 0 || write_all(file, bytes, n) < 0 ? errno : 0;
    if (file >= 0 && close(file) < 0 && !failed)
        failed = errno;
    if (!failed && renameat(out->directory, beside, out->directory, path) < 0)
        failed = errno;
    if (failed) {
        snprintf(why, 400, "%s/%s cannot be written: %s", out->name, path, strerror(failed));
        *full = no_room(failed);
        if (file >= 0)
            unlinkat(out->directory, beside, 0);
    }
    free(beside);
    return failed ? -1 : 0;
}

static int put_in_directory(each_output *out, const each_item *item, const char *bytes, size_t n, char why[400],
                            int *full)
{
    char *path = bytes ? place_of(out, item->name, why) : NULL;
    int is_new = 1;
    if (!bytes)
        return 0;
    if (!path)
        return -1;
    pthread_mutex_lock(&out->lock);
    is_new = remember(out, path);
    pthread_mutex_unlock(&out->lock);
    int failed = is_new == 1 ? put_file(out, item, path, bytes, n, why, full) : -1;
    if (is_new != 1)
        snprintf(why, 400, is_new ? "not enough memory" : "another source has the same result: %s", path);
    free(path);
    return failed;
}

/* ---- streams ---- */

static int put_tar_block(FILE *f, const char *name, u64 size, char type)
{
    char h[512] = "";
    u32 sum = 0;
    snprintf(h, 100, "%s", name);
    memcpy(h + 100, "0000644\0000000000\0000000000", 24);
    if (size >> 33) {               /* base 256 */
        h[124] = (char)0x80;
        for (int i = 0; i < 8; i++)
            h[135 - i] = (char)(size >> 8 * i);
    } else
        snprintf(h + 124, 12, "%011llo", (unsigned long long)size);
    memcpy(h + 136, "00000000000", 12);
    memset(h + 148, ' ', 8);
    h[156] = type;
    memcpy(h + 257, "ustar\00000", 8);
    for (int i = 0; i < 512; i++)
        sum += (u8)h[i];
    snprintf(h + 148, 8, "%06o", sum);
    return fwrite(h, 1, 512, f) == 512;
}

static int put_padding(FILE *f, u64 n)
{
    static const char zeros[512];
    const size_t rest = (size_t)((512 - n % 512) % 512);
    return fwrite(zeros, 1, rest, f) == rest;
}

static int put_tar(FILE *f, const char *name, const char *bytes, size_t n)
{
    const size_t length = strlen(name);
    if (length > 99) {              /* as GNU tar has long names */
        if (!put_tar_block(f, "././@LongLink", length + 1, 'L') || fwrite(name, 1, length + 1, f) != length + 1
            || !put_padding(f, length + 1))
            return 0;
    }
    return put_tar_block(f, name, n, '0') && fwrite(bytes, 1, n, f) == n && put_padding(f, n);
}

static int put_record(each_output *out, const char *bytes, size_t n)
{
    const u8 head[4] = { (u8)(n >> 24), (u8)(n >> 16), (u8)(n >> 8), (u8)n };
    if (out->frames == EACH_FRAMES_LENGTH)
        return fwrite(head, 1, 4, out->stream) == 4 && fwrite(bytes, 1, n, out->stream) == n;
    return fwrite(bytes, 1, n, out->stream) == n && fputc(0, out->stream) != EOF;
}

static int put_one(each_output *out, const waiting *w)
{
    if (out->frames != EACH_FRAMES_NONE)
        return put_record(out, w->bytes ? w->bytes : "", w->n);
    return !w->bytes || put_tar(out->stream, w->name, w->bytes, w->n);
}

static int put_in_stream(each_output *out, const each_item *item, const char *bytes, size_t n, char why[400], int *full)
{
    char *name = NULL, *copy = NULL;
    int failed = 0;
    if (bytes && out->frames == EACH_FRAMES_NUL && memchr(bytes, 0, n)) {
        snprintf(why, 400, "the result has a NUL byte (an encoding like UTF-16): use --stdin-records length");
        failed = -1;
        bytes = NULL;
    }
    if (bytes && out->frames != EACH_FRAMES_NONE && n > UINT32_MAX) {
        snprintf(why, 400, "the result is larger than a record can be (4 GiB)");
        failed = -1;
        bytes = NULL;
    }
    if (bytes && out->frames == EACH_FRAMES_NONE && !(name = place_of(out, item->name, why))) {
        failed = -1;
        bytes = NULL;
    }
    copy = bytes ? malloc(n + 1) : NULL;
    if (bytes && !copy) {
        snprintf(why, 400, "not enough memory");
        failed = -1;
    } else if (bytes)
        memcpy(copy, bytes, n);
    pthread_mutex_lock(&out->lock);
    out->early[item->number % EACH_AHEAD] = (waiting){ item->number, name, copy, copy ? n : 0, 1 };
    for (;;) {
        waiting *w = &out->early[(out->written + 1) % EACH_AHEAD];
        if (w->number != out->written + 1)
            break;
        if (!out->is_broken && !put_one(out, w)) {
            out->is_broken = errno ? errno : EIO;
            snprintf(why, 400, "%s cannot be written: %s", strcmp(out->name, "-") ? out->name : "standard output",
                     strerror(out->is_broken));
        }
        free(w->name);
        free(w->bytes);
        memset(w, 0, sizeof *w);
        __atomic_store_n(&out->written, out->written + 1, __ATOMIC_RELEASE);
    }
    if (out->is_broken) {
        *full = 1;
        failed = -1;
        if (!*why)
            snprintf(why, 400, "the output cannot be written: %s", strerror(out->is_broken));
    }
    pthread_mutex_unlock(&out->lock);
    return failed;
}

int each_output_put(each_output *out, const each_item *item, const char *bytes, size_t n, char why[400], int *full)
{
    *why = 0;
    return out->directory >= 0 ? put_in_directory(out, item, bytes, n, why, full)
                               : put_in_stream(out, item, bytes, n, why, full);
}

u64 each_output_written(each_output *out)
{
    return out->directory >= 0 ? UINT64_MAX : __atomic_load_n(&out->written, __ATOMIC_ACQUIRE);
}

void each_output_abandon(each_output *out)
{
    if (out->temporary)
        out->is_broken = EINTR;
}

int each_close_output(each_output *out, char why[400])
{
    int failed = 0;
    if (out->stream) {
        static const char zeros[1024];
        errno = 0;
        failed = out->is_broken || (out->frames == EACH_FRAMES_NONE && fwrite(zeros, 1, 1024, out->stream) != 1024)
            || fflush(out->stream) != 0;
        if (out->stream != stdout && fclose(out->stream) != 0)
            failed = 1;
        if (out->temporary && !failed)
            failed = rename(out->temporary, out->name) != 0;
        if (failed)
            snprintf(why, 400, "%s cannot be written: %s", out->name,
                     strerror(out->is_broken ? out->is_broken : errno));
        if (failed && out->temporary)
            unlink(out->temporary);
    }
    for (u32 i = 0; i < EACH_AHEAD; i++) {
        free(out->early[i].name);
        free(out->early[i].bytes);
    }
    if (out->directory >= 0)
        close(out->directory);
    free(out->temporary);
    free(out->seen);
    free(out);
    return failed ? -1 : 0;
}
