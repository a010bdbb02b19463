/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c -- the only place of the engine that opens files
 *
 * A reference is a path or a file: URI; relative ones count from `base`, another path or file: URI. There is no network
 * and no other scheme. What is no file that may be read so is looked up in the XML catalogs (catalog.c), as libxml2
 * does it: a file that is there needs no catalog.
 *
 * With roots, the file must lie beneath one of them after all links are resolved. The resolved path is then opened once
 * more from the root downwards, one component at a time and following no link: a link that someone puts there meanwhile
 * makes it fail instead of leading out. Every failure below roots reads the same, so nobody learns what exists
 * elsewhere.
 *
 * What the system refuses for now (no descriptor left, a disk that does not answer) is GX_EBUSY, not GX_EIO: nobody may
 * go on as if there were no such file, or as if it ended where reading did.
 */
#define _GNU_SOURCE             /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <apr_strings.h>
#include "catalog.h"
#include "unpack.h"
#include "uri.h"

static const char not_fetched[] = "only files are read, nothing is fetched (an XML catalog can map it to a file)";
static const char not_beneath[] = "no such file beneath the allowed directories";
static const char not_mapped[] = "only files are read, nothing is fetched, and no XML catalog maps it to a file";

static int is_confined(const gx_loader *loader) { return loader && loader->roots; }

/* mapped: what the catalogs have in its place, or NULL; full: the path that was tried, or NULL */
static gx_status fail(gx_error *err, gx_status status, const char *ref, const char *mapped, const char *full,
                      const char *why)
{
    if (mapped)
        return gx_fail(err, status, NULL, 0, 0, "cannot read \"%.300s\" (by an XML catalog \"%.300s\"): %s", ref,
                       mapped, why);
    if (full && strcmp(full, ref) != 0)
        return gx_fail(err, status, NULL, 0, 0, "cannot read \"%.200s\" (%.300s): %s", ref, full, why);
    return gx_fail(err, status, NULL, 0, 0, "cannot read \"%.300s\": %s", ref, why);
}

/* An errno that says nothing of the file: another time it may be read. */
static int is_refusal(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO || error == ESTALE
        || error == ETIMEDOUT || error == EAGAIN || error == EINTR;
}

static gx_status fail_errno(gx_error *err, const char *ref, const char *mapped, const char *full, int confined,
                            int error)
{
    if (is_refusal(error))
        return fail(err, GX_EBUSY, ref, mapped, NULL, strerror(error));
    /* the parent of httpd's processes may read more than they: say so */
    return fail(err, GX_EIO, ref, mapped, full, confined && error != EACCES ? not_beneath : strerror(error));
}

/* The path of a file: URI (the part behind the scheme), unescaped, in pool; NULL with *why. */
static char *uri_path(apr_pool_t *pool, const char *rest, const char **why)
{
    if (strncmp(rest, "//", 2) == 0) {
        size_t host = strcspn(rest + 2, "/");
        if (host && !(host == 9 && strncasecmp(rest + 2, "localhost", 9) == 0)) {
            *why = "a file: URI must not name another host";
            return NULL;
        }
        rest += 2 + host;
    }
    char *path = apr_pstrndup(pool, rest, strcspn(rest, "?#"));
    if (*path != '/' || gx_uri_unescape(path)) {
        *why = "not a valid file: URI";
        return NULL;
    }
    return path;
}

/* Path of a reference that has a scheme: only file: has one. */
static char *scheme_path(apr_pool_t *pool, const char *uri, size_t scheme, const char **why)
{
    if (scheme == 4 && strncasecmp(uri, "file", 4) == 0)
        return uri_path(pool, uri + 5, why);
    *why = not_fetched;
    return NULL;
}

/* The absolute path without dot segments of a reference, in pool; NULL with *why. A ref without a scheme is a plain
 * path where there is no base, else a URI reference, whose %HH and query go. Nothing is opened here: whether the path
 * is beneath a root is decided when it is. */
static char *absolute_path(apr_pool_t *pool, const char *ref, const char *base, const char **why)
{
    char *path;
    ref = gx_uri_reference(ref);
    size_t scheme = gx_uri_scheme(ref);
    if (scheme) {
        path = scheme_path(pool, ref, scheme, why);
    } else if (!base || !*base) {
        path = apr_pstrdup(pool, ref);          /* a plain path, as somebody typed it */
    } else {
        char *dir;
        size_t base_scheme = gx_uri_scheme(base);
        dir = base_scheme ? scheme_path(pool, base, base_scheme, why) : apr_pstrdup(pool, base);
        if (!dir)
            return NULL;
        path = apr_pstrndup(pool, ref, strcspn(ref, "?#"));     /* a URI reference */
        if (gx_uri_unescape(path)) {
            *why = "not a valid URI reference";
            return NULL;
        }
        if (!*path) {
            path = dir;                         /* "" and "#id": the base itself */
        } else if (*path != '/') {
            char *slash = strrchr(dir, '/');
            if (slash)
                slash[1] = 0;
            path = apr_pstrcat(pool, slash ? dir : "", path, NULL);
        }
    }
    if (!path)
        return NULL;
    if (*path != '/') {
        char cwd[PATH_MAX];
        if (!getcwd(cwd, sizeof cwd)) {
            *why = "the current directory is unknown";
            return NULL;
        }
        path = apr_pstrcat(pool, cwd, "/", path, NULL);
    }
    path[gx_uri_remove_dots(path, strlen(path))] = 0;
    if (strlen(path) >= PATH_MAX) {
        *why = "the path is too long";
        return NULL;
    }
    return path;
}

const char *gx_load_site(const gx_loader *loader, apr_pool_t *pool, const char *ref, const char *base)
{
    const size_t n = loader && loader->site ? strlen(loader->site) : 0;
    char *uri;
    if (!n)
        return NULL;
    base = base ? base : "";
    if (*ref == '/' && strncasecmp(base, loader->site, n) != 0)
        base = loader->site;                    /* the stylesheet is a file, but it means what its pages would */
    uri = apr_palloc(pool, strlen(base) + strlen(ref) + 2);
    gx_uri_resolve(base, ref, uri);
    return strncasecmp(uri, loader->site, n) == 0 && strchr("/?", uri[n]) ? uri : NULL;
}

gx_loader gx_load_answers(const gx_loader *loader)
{
    static const char *const no_roots[1];
    gx_loader out = { .roots = no_roots };
    if (loader) {
        out.site = loader->site;
        out.fetch = loader->fetch;
        out.fetch_ctx = loader->fetch_ctx;
    }
    return out;
}

const char *gx_load_path(apr_pool_t *pool, const char *ref, const char *base)
{
    const char *why;
    return absolute_path(pool, ref, base, &why);
}

/* Opens real (a path without links) from the open directory that it lies beneath, following no link. Closes dir. */
static int open_beneath(int dir, char *real)
{
    char *name = real;
    while (dir >= 0) {
        char *slash = strchr(name, '/');
        if (slash)
            *slash = 0;
        int next = openat(dir, name, O_CLOEXEC | O_NOFOLLOW | (slash ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK));
        close(dir);
        if (!slash)
            return next;
        *slash = '/';
        name = slash + 1;
        dir = next;
    }
    return -1;
}

/* A descriptor of the file to read it, or -1 with errno. With roots, only beneath one of them after all links have
 * been followed (ENOENT else, or why a root could not be looked at, if that may pass); from the root down no link is
 * followed any more, so that one that is exchanged meanwhile leads nowhere. FIFOs do not block. */
static int open_file(const gx_loader *loader, const char *path)
{
    char real[PATH_MAX], root[PATH_MAX];
    if (!is_confined(loader))
        return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (!realpath(path, real))
        return -1;
    int error = ENOENT;
    for (int i = 0; i < loader->n_roots; i++) {
        if (!realpath(loader->roots[i], root)) {
            error = is_refusal(errno) ? errno : error;
            continue;
        }
        size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strncmp(real, root, n) == 0 && real[n] == '/')
            return open_beneath(open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), real + n + 1);
    }
    errno = error;
    return -1;
}

/* What the catalogs have for ref as it is written, or else for its path: 7.1.1 and 7.2.1 of XML Catalogs. */
static const char *look_up(const gx_loader *loader, apr_pool_t *pool, const char *public_id, const char *ref,
                           const char *path)
{
    const char *found = gx_catalog_find(loader->catalog, pool, public_id, ref);
    return found || !path ? found : gx_catalog_find(loader->catalog, pool, public_id, gx_catalog_uri(pool, path));
}

/* Opens the file of that name in a directory of the loader's path: the descriptor and *found, or -1 */
static int open_by_name(const gx_loader *loader, apr_pool_t *pool, const char *name, char **found)
{
    const char *slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    for (int i = 0, fd; loader && *name && i < loader->n_path; i++) {
        *found = apr_pstrcat(pool, loader->path[i], "/", name, NULL);
        *found = absolute_path(pool, *found, NULL, &(const char *){ NULL });
        if (*found && (fd = open_file(loader, *found)) >= 0)
            return fd;
    }
    return -1;
}

/* Opens the file that ref names, by a catalog perhaps: *fd and *path; *mapped, which is NULL before, is for sentences
 * about it. */
static gx_status find_file(const gx_loader *loader, apr_pool_t *pool, const char *public_id, const char *ref,
                           const char *base, int *fd, const char **path, const char **mapped, gx_error *err)
{
    const char *why = NULL;
    char *full = absolute_path(pool, ref, base, &why);
    *fd = full ? open_file(loader, full) : -1;
    int error = full && *fd < 0 ? errno : 0;
    if (*fd < 0 && loader && loader->catalog && !is_refusal(error)) {
        *mapped = look_up(loader, pool, public_id, ref, full);
        if (gx_catalog_refused(loader->catalog)) {      /* perhaps it says otherwise */
            *err = *gx_catalog_refused(loader->catalog);
            return err->status;
        }
        if (*mapped) {
            full = absolute_path(pool, *mapped, NULL, &why);
            *fd = full ? open_file(loader, full) : -1;
            error = errno;
        } else {
            why = why == not_fetched ? not_mapped : why;
        }
    }
    char *named = NULL;
    if (*fd < 0 && !is_refusal(error) && (*fd = open_by_name(loader, pool, full ? full : ref, &named)) >= 0)
        full = named;
    if (!full)
        return fail(err, GX_EIO, ref, *mapped, NULL, why);
    if (*fd < 0)
        return fail_errno(err, ref, *mapped, full, is_confined(loader), error);
    *path = full;
    return GX_OK;
}

/* A file that is growing is taken as long as it was; one that shrank, as long as it is; of one longer than its parser
 * takes, just more than that. errno, or 0 with *bytes (NULL: no memory). */
static int read_file(apr_pool_t *pool, int fd, u64 size, const gx_limits *limits, const char **bytes, size_t *n)
{
    gx_limits own = { 0 };
    if (limits)
        own = *limits;
    gx_limits_default(&own);
    size_t most = size > own.input ? (size_t)own.input + 1 : (size_t)size, got = 0;
    char *to = apr_palloc(pool, most + 1);
    while (to && got < most) {
        ssize_t r = read(fd, to + got, most - got);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return errno;
        if (r == 0)
            break;
        got += (size_t)r;
    }
    if (to)
        to[got] = 0;
    *bytes = to;
    *n = got;
    return 0;
}

/* A file of one's own that gzip compressed. *wrong: why it cannot be unpacked, or NULL */
static void unpack(apr_pool_t *pool, const gx_limits *limits, const char **text, size_t *size, const char **wrong)
{
    gx_limits own = { 0 };
    char *plain;
    size_t n;
    if (limits)
        own = *limits;
    gx_limits_default(&own);
    if (*size > own.input || (*wrong = gx_unpack(*text, *size, own.input, &plain, &n)))
        return;
    *text = apr_pstrmemdup(pool, plain, n);
    *size = n;
    free(plain);
}

/* A file's bytes. A loader that is confined to roots opens files beneath one of them alone (open_file) and leaves
 * packed ones packed. *path: where it was found, for what it refers to. Both live as long as the pool. */
gx_status gx_load(const gx_loader *loader, apr_pool_t *pool, const char *public_id, const char *ref, const char *base,
                  const gx_limits *limits, const char **path, const char **bytes, size_t *n, gx_error *err)
{
    const char *found = NULL, *mapped = NULL, *text = NULL, *wrong = NULL;
    size_t size = 0;
    int fd, error = 0;
    struct stat st;
    GX_TRY(find_file(loader, pool, public_id, ref, base, &fd, &found, &mapped, err));
    if (fstat(fd, &st))
        error = errno;
    else if (!S_ISREG(st.st_mode))
        wrong = is_confined(loader) ? not_beneath : "not a file";
    else
        error = read_file(pool, fd, (u64)st.st_size, limits, &text, &size);
    close(fd);
    if (!error && text && !is_confined(loader) && gx_is_packed(text, size))
        unpack(pool, limits, &text, &size, &wrong);
    if (error)
        return fail_errno(err, ref, mapped, found, is_confined(loader), error);
    if (wrong)
        return fail(err, GX_EIO, ref, mapped, found, wrong);
    if (!text)
        return gx_fail(err, GX_ENOMEM, NULL, 0, 0, "out of memory");
    *path = found;
    *bytes = text;
    *n = size;
    return GX_OK;
}
