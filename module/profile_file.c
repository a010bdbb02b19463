/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_file.c -- one profile of a set's file: read, put, deleted
 *
 * A change writes all of the file anew, beside it, and moves that into its place: whoever reads, or loses power, has
 * the file before the change or after it. fsync of the file comes before the move and fsync of the directory after it,
 * and only then is the change answered. Comments, order and directives stay; a new profile comes last.
 *
 *   lock FILE.lock --> read FILE --> write FILE.new, fsync --> rename --> fsync the directory --> unlock
 *
 * The lock is the kernel's (flock): it goes with the process that holds it. The names are fixed, so what a crash leaves
 * is one file, which the next change writes over.
 *
 * Cost: of a file of 100,000 profiles (7 MB) some 20 ms and what the disk takes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "document/names.h"
#include "profile_file.h"

#define ID_BYTES 512u

/* ---- lines ---- */

const char *gxm_profile_id_wrong(const char *id)
{
    const size_t n = strlen(id);
    if (!n || n > ID_BYTES)
        return "an id has 1 to 512 bytes";
    if (strchr("#%< ", *id) || id[n - 1] == ' ' || strncmp(id, "\xef\xbb\xbf", 3) == 0)
        return "an id does not begin with #, %, < or a blank, nor end with one";
    for (size_t i = 0, len; i < n; i += len)
        if ((u8)id[i] < 0x20 || !(len = gx_xml_char(id + i, n - i)))
            return "an id is made of XML's characters in UTF-8, without control characters";
    return NULL;
}

const char *gxm_profile_text_wrong(const char *text)
{
    for (size_t i = 0, n = strlen(text), len; i < n; i += len)
        if ((u8)text[i] < 0x20 || !(len = gx_xml_char(text + i, n - i)))
            return "an expression is one line of XML's characters in UTF-8";
    return text[strspn(text, " ")] ? NULL : "an expression is wanted";
}

/* The line of a profile in the n bytes: where it begins, *end behind its newline; NULL: there is none. The reader of
 * such files (match/list.c) takes the first of an id. */
static const char *line_of(const char *bytes, size_t n, const char *id, const char **end)
{
    const size_t id_n = strlen(id);
    const char *at = bytes, *stop = bytes + n;
    if (n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (; at < stop; at = *end) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        *end = newline ? newline + 1 : stop;
        if ((size_t)(*end - at) > id_n && at[id_n] == '\t' && memcmp(at, id, id_n) == 0)
            return at;
    }
    return NULL;
}

static const char *text_of(apr_pool_t *pool, const char *line, const char *end, const char *id)
{
    line += strlen(id) + 1;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    while (end > line && strchr("\n\r ", end[-1]))
        end--;
    return apr_pstrmemdup(pool, line, (apr_size_t)(end - line));
}

static int is_xml(const gx_buf *b)
{
    size_t i = b->n >= 3 && memcmp(b->at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < b->n && strchr(" \t\r\n", b->at[i]))
        i++;
    return i < b->n && b->at[i] == '<';
}

/* ---- files ---- */

static const char *system_says(apr_pool_t *pool, const char *what, const char *path)
{
    return apr_psprintf(pool, "%s cannot be %s: %s", path, what, strerror(errno));
}

/* All of the file; no such file: nothing. 0, or -1 */
static int read_all(const char *path, gx_buf *out, struct stat *st)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;
    memset(st, 0, sizeof *st);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (fstat(fd, st) == 0)
        while ((got = gx_buf_room(out, 65536) ? -1 : read(fd, out->at + out->n, 65536)) > 0)
            out->n += (size_t)got;
    close(fd);
    return got < 0 ? -1 : 0;
}

int gxm_profile_read(apr_pool_t *pool, const char *path, const char *id, const char **text, const char **why)
{
    gx_buf bytes = { 0 };
    struct stat st;
    const char *end, *line;
    *text = *why = NULL;
    if (read_all(path, &bytes, &st) != 0)
        *why = system_says(pool, "read", path);
    else if (!is_xml(&bytes) && (line = line_of(bytes.at, bytes.n, id, &end)) != NULL)
        *text = text_of(pool, line, end, id);
    gx_buf_free(&bytes);
    return *why ? HTTP_SERVICE_UNAVAILABLE : OK;
}

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        const ssize_t put = write(fd, bytes, n);
        if (put < 0 && errno != EINTR)
            return -1;
        bytes += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* The new bytes to FILE.new, synced, then renamed to the file, and its directory synced: whoever reads it sees the old
 * ones or the new ones, after a crash as well. old: whose mode it gets. 503, with e->why. */
static int put_file(gxm_profile_edit *e, const gx_buf *bytes, const struct stat *old)
{
    const char *beside = apr_pstrcat(e->pool, e->path, ".new", NULL), *dir = ap_make_dirstr_parent(e->pool, e->path);
    const int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    int dir_fd, failed = fd < 0 || write_all(fd, bytes->at, bytes->n) != 0;
    if (!failed && old->st_mode)        /* another user's group and mode, where that is allowed */
        (void)!fchmod(fd, old->st_mode & 0777);
    failed = failed || fsync(fd) != 0;
    if (fd >= 0 && close(fd) != 0)
        failed = 1;
    if (failed || rename(beside, e->path) != 0) {
        e->why = system_says(e->pool, "written", beside);
        if (fd >= 0)
            unlink(beside);
        return HTTP_SERVICE_UNAVAILABLE;
    }
    dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0 || fsync(dir_fd) != 0) {
        e->why = system_says(e->pool, "synchronised", dir);
        failed = 1;
    }
    if (dir_fd >= 0)
        close(dir_fd);
    return failed ? HTTP_SERVICE_UNAVAILABLE : OK;
}

static void append(gx_buf *to, const char *bytes, size_t n)
{
    char *at = n ? gx_buf_push(to, n) : NULL;
    if (at)
        memcpy(at, bytes, n);
}

/* What the file has after the change: *out. line: the profile's, up to end; NULL: it has none. 0, or -1 without
 * memory */
static int changed_of(const gxm_profile_edit *e, const gx_buf *bytes, const char *line, const char *end, gx_buf *out)
{
    const size_t before = line ? (size_t)(line - bytes->at) : bytes->n, id_n = strlen(e->id),
                 text_n = e->text ? strlen(e->text) : 0;
    if (gx_buf_room(out, bytes->n + id_n + text_n + 3))
        return -1;
    append(out, bytes->at, before);
    if (e->text) {
        append(out, "\n", before && bytes->at[before - 1] != '\n');
        append(out, e->id, id_n);
        append(out, "\t", 1);
        append(out, e->text, text_n);
        append(out, "\n", 1);
    }
    append(out, line ? end : NULL, line ? (size_t)(bytes->at + bytes->n - end) : 0);
    return 0;
}

/* Reads the file, asks e->may with the profile's old text and the file's new bytes, and writes them. OK, or a status
 * with e->why: 409 for a link or XML, 503 for what may pass, or what e->may says. With the lock held. */
static int change(gxm_profile_edit *e, gx_buf *bytes, gx_buf *changed)
{
    struct stat old, link;
    const char *end = NULL, *line;
    if (lstat(e->path, &link) == 0 && S_ISLNK(link.st_mode)) {
        e->why = "the file of profiles is a symbolic link, which a change would replace";
        return HTTP_CONFLICT;
    }
    if (read_all(e->path, bytes, &old) != 0) {
        e->why = system_says(e->pool, "read", e->path);
        return HTTP_SERVICE_UNAVAILABLE;
    }
    if (is_xml(bytes)) {
        e->why = "the profiles are in a file that is XML, which requests do not change";
        return HTTP_CONFLICT;
    }
    line = bytes->n ? line_of(bytes->at, bytes->n, e->id, &end) : NULL;
    e->was_there = line != NULL;
    if (changed_of(e, bytes, line, end, changed)) {
        e->why = "not enough memory";
        return HTTP_SERVICE_UNAVAILABLE;
    }
    const int status = e->may(e, line ? text_of(e->pool, line, end, e->id) : NULL, changed);
    return status == OK ? put_file(e, changed, &old) : status;
}

/* Adds, replaces (e->text) or removes (NULL) the profile e->id, one change at a time by a lock file beside it, for
 * which it waits until e->deadline_us. e->was_there: it was. OK or a status, with e->why or NULL. O(file). */
int gxm_profile_change(gxm_profile_edit *e)
{
    const char *lock = apr_pstrcat(e->pool, e->path, ".lock", NULL);
    const int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    gx_buf bytes = { 0 }, changed = { 0 };
    e->why = NULL;
    if (fd < 0) {
        e->why = system_says(e->pool, "opened", lock);
        return HTTP_SERVICE_UNAVAILABLE;
    }
    while (flock(fd, LOCK_EX | LOCK_NB) != 0)
        if (gx_now_us() > e->deadline_us || (errno != EWOULDBLOCK && errno != EINTR)) {
            e->why = "other changes of the file take longer than GPUXMLTimeout allows";
            close(fd);
            return HTTP_SERVICE_UNAVAILABLE;
        }
        else
            usleep(1000);
    const int status = change(e, &bytes, &changed);
    gx_buf_free(&bytes);
    gx_buf_free(&changed);
    close(fd);
    return status;
}
