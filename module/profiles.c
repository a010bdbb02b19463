/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiles.c -- sets of profiles: loaded with the configuration, exchanged when their files change
 *
 *   declare (directive) --> load (check_config) --> fork: all children share the pages of what was loaded
 *   use (request) --> a counted state
 *   watch (a thread of each child) --> once a check interval it looks at the files' stamps. If they have changed it
 * loads
 *                     them anew, and exchanges a pointer when it has done so
 *
 * No request waits for that, and one that has begun ends with the state that it began with. A child that had nothing to
 * do for long has the newest state, too, for its first request. What
 * cannot be read leaves the old state in use. A profile that is no expression is left out, and logged once for all
 * children (gxm_first_to_report).
 *
 * A set is kept for the life of the process (ap_retained_data): httpd reads its configuration twice, and at each
 * restart, and does not load again what has not changed. If a file is gone at a restart, the state that httpd's parent
 * loaded at the last one serves: what its children have loaded since then goes with them.
 *
 * Cost: a look is a stat of each file. Loading takes about 12 us a profile; each child does so, on a core, while the
 * others serve. Memory: match/match.h, once for what was loaded with the configuration, once more in each child for a
 * later state; a matcher for each thread that matches at the same time, of which 8 are kept.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "match/set.h"
#include "profiles.h"
#include "version.h"
#include "worker.h"

#define TOLD 20u                        /* bad profiles that have a line of their own in the log */
#define MATCHER_BYTES ((u64)64 << 20)   /* of a matcher that is kept, at most */

struct gxm_profiles {
    const char *path, *name, *key;
    gxm_profiles *same;                 /* another section's, which does for this one; NULL: none */
    const apr_array_header_t *namespaces;
    server_rec *server;
    const ap_directive_t *directive;
    const gxm_dir *section;
    i64 check_us;
    pthread_mutex_t lock;               /* current */
    gxm_profile_set *current;
    u64 look_us;                        /* atomic: when to look at the files again, 0 = now */
};

static apr_array_header_t *declared;    /* gxm_profiles *; pconf */
static int is_ending, is_watching;      /* this child is, its thread does; atomic */
static int wake_fd = -1;                /* that thread sleeps on it */

/* ---- states ---- */

static void set_free(gxm_profile_set *s)
{
    for (u32 i = 0; i < s->n_idle; i++)
        gxp_matcher_free(s->idle[i]);
    for (u32 i = 0; i < s->n_idle_packers; i++)
        gxp_packer_free(s->idle_packers[i]);
    if (s->device)
        free(s->device->flat);
    free(s->device);
    for (int i = 0; i < s->n_files; i++)
        free(s->files[i].path);
    free(s->files);
    gxp_set_free(s->set);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static gxm_profile_set *hold(gxm_profile_set *s)
{
    __atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void gxm_profile_set_release(gxm_profile_set *s)
{
    if (s && __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) == 0)
        set_free(s);
}

gxp_matcher *gxm_matcher_take(gxm_profile_set *s)
{
    gxp_matcher *m = NULL;
    gx_error err;
    pthread_mutex_lock(&s->lock);
    if (s->n_idle)
        m = s->idle[--s->n_idle];
    pthread_mutex_unlock(&s->lock);
    return m || gxp_matcher_create(s->set, &m, &err) == GX_OK ? m : NULL;
}

void gxm_matcher_give(gxm_profile_set *s, gxp_matcher *m)
{
    if (m && gxp_matcher_bytes(m) <= MATCHER_BYTES) {
        pthread_mutex_lock(&s->lock);
        if (s->n_idle < sizeof s->idle / sizeof *s->idle) {
            s->idle[s->n_idle++] = m;
            m = NULL;
        }
        pthread_mutex_unlock(&s->lock);
    }
    gxp_matcher_free(m);
}

gxp_packer *gxm_packer_take(gxm_profile_set *s)
{
    gxp_packer *p = NULL;
    gx_error err;
    pthread_mutex_lock(&s->lock);
    if (s->n_idle_packers)
        p = s->idle_packers[--s->n_idle_packers];
    pthread_mutex_unlock(&s->lock);
    return p || gxp_packer_create(s->set, NULL, &p, &err) == GX_OK ? p : NULL;
}

void gxm_packer_give(gxm_profile_set *s, gxp_packer *p)
{
    if (p && gxp_packer_bytes(p) <= MATCHER_BYTES) {
        pthread_mutex_lock(&s->lock);
        if (s->n_idle_packers < sizeof s->idle_packers / sizeof *s->idle_packers) {
            s->idle_packers[s->n_idle_packers++] = p;
            p = NULL;
        }
        pthread_mutex_unlock(&s->lock);
    }
    gxp_packer_free(p);
}

gxm_device_set *gxm_profiles_device(gxm_profile_set *s) { return __atomic_load_n(&s->device, __ATOMIC_ACQUIRE); }

/* Makes what a device gets. Only the thread that looks at files does so, so that no request waits for it. */
static void make_device_set(gxm_profile_set *s)
{
    gxm_device_set *d = calloc(1, sizeof *d);
    s->is_tried = 1;
    if (!d || !s->n.profiles || gxp_flat_make(s->set, &d->flat) != GX_OK) {
        free(d);
        return;
    }
    gx_queue_program_init(&d->queued, d->flat, d->flat->size);
    __atomic_store_n(&s->device, d, __ATOMIC_RELEASE);
}

static i64 wall_ns(void) { return (i64)apr_time_now() * 1000; }

static int is_stale(const gxm_profile_set *s)
{
    for (int i = 0; i < s->n_files; i++) {
        gxm_stamp now;
        memset(&now, 0, sizeof now);
        gxm_stamp_file(s->files[i].path, &now);
        if (memcmp(&now, &s->files[i].stamp, sizeof now) != 0)
            return 1;
    }
    return s->settles_ns && wall_ns() >= s->settles_ns;
}

/* ---- loading ---- */

typedef struct loading {
    const gxm_profiles *p;
    const gxp_list *list;
    gxm_profile_set *made;
    i64 began_ns;
    u32 n_told;
    int is_first, no_memory;            /* is_first: of the children, to see this state of the file */
} loading;

/* The bytes have just been read. What was written since then, or so shortly before that another writing would leave the
 * same stamp, is read again once that cannot be. */
static void note_file(void *ctx, const char *path)
{
    loading *l = ctx;
    gxm_profile_set *s = l->made;
    gxm_file *more = realloc(s->files, ((size_t)s->n_files + 1) * sizeof *more);
    char *copy = strdup(path);
    if (more)
        s->files = more;
    if (!more || !copy) {
        l->no_memory = 1;
        free(copy);
        return;
    }
    gxm_file *file = &s->files[s->n_files++];
    memset(file, 0, sizeof *file);
    file->path = copy;
    if (gxm_stamp_file(path, &file->stamp)
        && (file->stamp.mtime_ns > l->began_ns - GXM_RACY_NS || file->stamp.ctime_ns > l->began_ns - GXM_RACY_NS))
        s->settles_ns = l->began_ns + GXM_RACY_NS;
}

static void tell(loading *l, const char *id, const gx_error *what)
{
    char text[1200];
    if (!l->is_first || l->n_told++ >= TOLD)
        return;
    gx_error_format(what, text, sizeof text);
    ap_log_error(APLOG_MARK, APLOG_WARNING, 0, l->p->server, "GX0171: GPUXMLProfiles: left out: %s%s%.100s%s", text,
                 id ? " (profile '" : "", id ? id : "", id ? "')" : "");
}

static void wrong_line(void *ctx, const gx_error *what) { tell(ctx, NULL, what); }

static void wrong_profile(void *ctx, u32 profile, const gx_error *what)
{
    loading *l = ctx;
    tell(l, gxp_list_at(l->list)[profile].id, what);
}

/* Where p's files are found */
typedef struct places {
    gx_loader loader;
    gx_limits limits;
    const char *roots[2];
} places;

/* What is at the end of links counts, and what it includes may lie beside it, or beside the link. */
static void begin_list(const gxm_profiles *p, apr_pool_t *pool, places *of, gxp_list *list)
{
    char *real = realpath(p->path, NULL);
    memset(of, 0, sizeof *of);      /* limits: 0 = not set */
    of->loader.roots = of->roots;
    of->loader.n_roots = 1;
    gx_limits_most(&of->limits);
    of->roots[0] = ap_make_dirstr_parent(pool, p->path);
    if (real)
        of->roots[of->loader.n_roots++] = ap_make_dirstr_parent(pool, real);
    free(real);
    gxp_list_begin(list, pool, &of->loader, &of->limits);
    list->namespaces = (gx_param *)p->namespaces->elts;
    list->n_namespaces = p->namespaces->nelts;
}

static gx_status read_list(loading *l, gxp_list *list, apr_pool_t *pool, gx_error *err)
{
    const char *path = l->p->path;
    places of;
    begin_list(l->p, pool, &of, list);
    list->wrong = wrong_line;
    list->read = note_file;
    list->ctx = l;
    if (access(path, F_OK) != 0 && errno == ENOENT && gxm_profiles_is_beneath(path, l->p->section->profiles_root)) {
        note_file(l, path);             /* the first PUT makes it */
        return GX_OK;
    }
    const gx_status status = gxp_list_read(list, path, err);
    list->loader = NULL;
    list->limits = NULL;
    return status;
}

gx_status gxm_profiles_list(const gxm_profiles *p, apr_pool_t *pool, const char *bytes, size_t n, gxp_list *list,
                            gx_error *err)
{
    places of;
    begin_list(p, pool, &of, list);
    const gx_status status = gxp_list_read_bytes(list, p->path, bytes, n, err);
    list->loader = NULL;
    list->limits = NULL;
    return status;
}

/* The set of the file as it is now, with a reference; profiles that are wrong are left out and logged, the first time
 * for this state of the file. NULL: *err says why there is none. Takes as long as compiling does; the caller decides
 * who waits. */
static gxm_profile_set *load(const gxm_profiles *p, gx_error *err)
{
    gxm_profile_set *s = calloc(1, sizeof *s);
    loading l = { .p = p, .made = s, .began_ns = wall_ns() };
    gxp_list list = { 0 };
    apr_pool_t *pool;
    gx_status status = s ? GX_OK : gx_fail(err, GX_ENOMEM, p->path, 0, 0, "not enough memory");
    if (!s || apr_pool_create_unmanaged_ex(&pool, NULL, NULL) != APR_SUCCESS) {
        free(s);
        return NULL;
    }
    s->refs = 1;
    pthread_mutex_init(&s->lock, NULL);
    l.list = &list;
    l.is_first = gxm_first_to_report("profiles", p->path);
    status = read_list(&l, &list, pool, err);
    if (status == GX_OK && l.no_memory)
        status = gx_fail(err, GX_ENOMEM, p->path, 0, 0, "not enough memory");
    if (status == GX_OK)
        status = gxp_compile(gxp_list_at(&list), gxp_list_n(&list), wrong_profile, &l, &s->set, err);
    if (status == GX_OK) {
        gxp_set_counts(s->set, &s->n);
        s->n.bad += list.n_bad;
        if (s->n.bad && l.is_first)
            ap_log_error(APLOG_MARK, APLOG_WARNING, 0, p->server, "GX0172: GPUXMLProfiles: %s: %u profiles left out, "
                         "%u loaded", p->path, s->n.bad, s->n.profiles);
    }
    gxp_list_free(&list);
    apr_pool_destroy(pool);
    if (status != GX_OK) {
        set_free(s);
        return NULL;
    }
    return s;
}

/* For the status page: of all sets that this process uses now */
static void count(void)
{
    u64 n = 0, bad = 0, bytes = 0;
    for (int i = 0; declared && i < declared->nelts; i++) {
        gxm_profiles *p = APR_ARRAY_IDX(declared, i, gxm_profiles *);
        pthread_mutex_lock(&p->lock);
        n += p->current ? p->current->n.profiles : 0;
        bad += p->current ? p->current->n.bad : 0;
        bytes += p->current ? p->current->n.bytes : 0;
        pthread_mutex_unlock(&p->lock);
    }
    __atomic_store_n(&gxm_count->profiles, n, __ATOMIC_RELAXED);
    __atomic_store_n(&gxm_count->profiles_bad, bad, __ATOMIC_RELAXED);
    __atomic_store_n(&gxm_count->profiles_bytes, bytes, __ATOMIC_RELAXED);
}

static void exchange(gxm_profiles *p, gxm_profile_set *s)
{
    pthread_mutex_lock(&p->lock);
    gxm_profile_set *old = p->current;
    p->current = s;
    pthread_mutex_unlock(&p->lock);
    gxm_profile_set_release(old);
    count();
}

/* ---- while httpd serves ---- */

static void load_anew(gxm_profiles *p)
{
    gx_error err = { 0 };
    char text[1200];
    gxm_profile_set *s = load(p, &err);
    if (s) {
        exchange(p, s);
        GXM_COUNT(profile_reloads, 1);
        ap_log_error(APLOG_MARK, APLOG_INFO, 0, p->server, "GX0173: GPUXMLProfiles: %s has changed: %u profiles loaded",
                     p->path, s->n.profiles);
    }
    else if (gxm_first_to_report(gx_error_format(&err, text, sizeof text), p->path))
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, p->server, "GX0174: GPUXMLProfiles: going on with the last good state: "
                     "%s", text);
}

#define LEAST_WAIT_US 50000u
#define WORKER_WAIT_US 500000u      /* until a worker's device is looked for again */

/* p's set for a worker's device, where there is one. *next: when to look for one */
static void prepare(gxm_profiles *p, u64 now, u64 *next)
{
    if (p->same || !p->current || p->current->is_tried)
        return;
    if (gxm_worker_has_device())
        make_device_set(p->current);
    else if (gxm_worker_is_away() && now + WORKER_WAIT_US < *next)
        *next = now + WORKER_WAIT_US;
}

/* Is it time to look at p's files? *next: when it is, if that comes before */
static int is_due(gxm_profiles *p, u64 now, u64 *next)
{
    u64 look = __atomic_load_n(&p->look_us, __ATOMIC_RELAXED);
    if (p->same || (p->check_us < 0 && look))
        return 0;
    const u64 wait = p->check_us < LEAST_WAIT_US ? LEAST_WAIT_US : (u64)p->check_us;
    const int is = now >= look;
    if (is)         /* before the look: who changes a file during it has another one made */
        __atomic_store_n(&p->look_us, look = now + wait, __ATOMIC_RELAXED);
    if (look < *next)
        *next = look;
    return is;
}

/* The child's thread that looks at files, and loads what has changed */
static void *watch(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&is_ending, __ATOMIC_ACQUIRE)) {
        u64 next = gx_now_us() + 60000000, told;
        struct pollfd at = { wake_fd, POLLIN, 0 };
        for (int i = 0; i < declared->nelts && !__atomic_load_n(&is_ending, __ATOMIC_ACQUIRE); i++) {
            gxm_profiles *p = APR_ARRAY_IDX(declared, i, gxm_profiles *);
            if (is_due(p, gx_now_us(), &next) && (!p->current || is_stale(p->current)))
                load_anew(p);           /* current: only this thread changes it */
            prepare(p, gx_now_us(), &next);
        }
        const u64 now = gx_now_us();
        if (poll(&at, 1, next > now ? (int)((next - now) / 1000) + 1 : 0) > 0)
            (void)!read(wake_fd, &told, sizeof told);
    }
    __atomic_store_n(&is_watching, 0, __ATOMIC_RELEASE);
    return NULL;
}

gxm_profile_set *gxm_profiles_use(gxm_profiles *p)
{
    p = p->same ? p->same : p;
    pthread_mutex_lock(&p->lock);
    gxm_profile_set *s = p->current ? hold(p->current) : NULL;
    pthread_mutex_unlock(&p->lock);
    return s;
}

static void wake(void)
{
    const u64 one = 1;
    (void)!write(wake_fd, &one, sizeof one);
}

void gxm_profiles_look(gxm_profiles *p)
{
    __atomic_store_n(p->same ? &p->same->look_us : &p->look_us, 0, __ATOMIC_RELAXED);
    wake();
}

/* The child ends: what is being loaded is waited for, since libraries go away below it. Without a lock: prefork ends a
 * child in a signal's handler. */
static apr_status_t end_watching(void *unused)
{
    (void)unused;
    __atomic_store_n(&is_ending, 1, __ATOMIC_RELEASE);
    wake();
    for (int i = 0; i < 5000 && __atomic_load_n(&is_watching, __ATOMIC_ACQUIRE); i++)
        usleep(1000);
    return APR_SUCCESS;
}

/* No signal of the process interrupts the thread: what httpd does on one is for its own threads. */
void gxm_profiles_child_init(apr_pool_t *pchild, server_rec *s)
{
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;
    int made = 0;
    if (!declared)
        return;
    count();
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigfillset(&all);
    if (wake_fd >= 0 && pthread_attr_init(&attr) == 0) {
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attr, (size_t)8 << 20);
        is_watching = 1;
        pthread_sigmask(SIG_SETMASK, &all, &before);
        made = pthread_create(&thread, &attr, watch, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attr);
    }
    if (made)
        apr_pool_cleanup_register(pchild, NULL, end_watching, apr_pool_cleanup_null);
    else
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, s, "GX0174: GPUXMLProfiles: no thread can be started that looks at the "
                     "files: going on with the last good state");
}

const char *gxm_profiles_path(const gxm_profiles *p) { return p->path; }
const char *gxm_profiles_name(const gxm_profiles *p) { return p->name; }
const apr_array_header_t *gxm_profiles_namespaces(const gxm_profiles *p) { return p->namespaces; }

int gxm_profiles_is_beneath(const char *path, const char *root)
{
    size_t n = root ? strlen(root) : 0;
    while (n && root[n - 1] == '/')
        n--;
    return root && strncmp(path, root, n) == 0 && path[n] == '/' && !strstr(path + n, "/../");
}

/* ---- sets that the configuration names ---- */

typedef struct keepsake {               /* of a set, for the life of the process */
    char *key;
    gxm_profile_set *good;
    int is_used;
} keepsake;

typedef struct retained {
    keepsake *all;
    u32 n;
} retained;

/* Another build of this module may be loaded at a restart: the name tells the layout. */
static retained *retained_get(void)
{
    char name[80];
    apr_snprintf(name, sizeof name, "mod_gpuxml-profiles %s %d.%d.%d", GX_VERSION, (int)sizeof(gxm_profile_set),
                 (int)sizeof(gxp_set), (int)sizeof(keepsake));
    retained *r = ap_retained_data_get(name);
    return r ? r : ap_retained_data_create(name, sizeof *r);
}

static keepsake *keepsake_of(retained *r, const char *key)
{
    for (u32 i = 0; i < r->n; i++)
        if (strcmp(r->all[i].key, key) == 0)
            return &r->all[i];
    keepsake *more = realloc(r->all, (r->n + 1) * sizeof *more);
    char *copy = strdup(key);
    if (more)
        r->all = more;
    if (!more || !copy) {
        free(copy);
        return NULL;
    }
    r->all[r->n] = (keepsake){ copy, NULL, 0 };
    return &r->all[r->n++];
}

static void forget_unused(retained *r)
{
    u32 n = 0;
    for (u32 i = 0; i < r->n; i++)
        if (r->all[i].is_used) {
            r->all[n] = r->all[i];
            r->all[n++].is_used = 0;
        }
        else {
            gxm_profile_set_release(r->all[i].good);
            free(r->all[i].key);
        }
    r->n = n;
}

static apr_status_t profiles_cleanup(void *data)
{
    gxm_profiles *p = data;
    gxm_profile_set_release(p->current);
    p->current = NULL;
    return APR_SUCCESS;
}

void gxm_profiles_reset(void) { declared = NULL; }

gxm_profiles *gxm_profiles_declare(cmd_parms *cmd, const char *path, const apr_array_header_t *namespaces,
                                   const gxm_dir *section)
{
    gxm_profiles *p = apr_pcalloc(cmd->pool, sizeof *p);
    const char *slash = strrchr(path, '/');
    p->path = path;
    p->name = slash ? slash + 1 : path;
    p->namespaces = namespaces;
    p->server = cmd->server;
    p->directive = cmd->directive;
    p->section = section;
    pthread_mutex_init(&p->lock, NULL);
    apr_pool_cleanup_register(cmd->pool, p, profiles_cleanup, apr_pool_cleanup_null);
    if (!declared)
        declared = apr_array_make(cmd->pool, 4, sizeof(gxm_profiles *));
    APR_ARRAY_PUSH(declared, gxm_profiles *) = p;
    return p;
}

static const char *key_of(const gxm_profiles *p, apr_pool_t *pool)
{
    const char *key = apr_psprintf(pool, "%s\n%" APR_INT64_T_FMT, p->path, (apr_int64_t)p->check_us);
    for (int i = 0; i < p->namespaces->nelts; i++) {
        const gx_param *ns = &APR_ARRAY_IDX(p->namespaces, i, gx_param);
        key = apr_pstrcat(pool, key, "\n", ns->name, "=", ns->value, NULL);
    }
    return key;
}

/* A set of the configuration: the one that the last configuration had, if its files have not changed, else loaded. If
 * that fails, at a start it is a fault, at a restart the last good one goes on. */
static void load_declared(gxm_profiles *p, retained *r)
{
    keepsake *kept = keepsake_of(r, p->key);
    gx_error err = { 0 };
    char text[1200];
    if (kept && kept->good && !kept->good->settles_ns && !is_stale(kept->good))
        p->current = hold(kept->good);
    else if (!(p->current = load(p, &err))) {
        gx_error_format(&err, text, sizeof text);
        if (gxm_is_restart())
            ap_log_error(APLOG_MARK, APLOG_ERR, 0, p->server, "GX0174: GPUXMLProfiles: going on with the last good "
                         "state: %s", text);
        else
            gxm_start_fault(p->server->process->pconf, p->server, p->directive, p->section, 0,
                            apr_pstrcat(p->server->process->pconf, "GPUXMLProfiles: ", text, NULL));
        if (kept && kept->good)
            p->current = hold(kept->good);
    }
    if (!kept)
        return;
    kept->is_used = 1;
    if (p->current && p->current != kept->good) {
        gxm_profile_set_release(kept->good);
        kept->good = hold(p->current);
    }
}

void gxm_profiles_load(apr_pool_t *ptemp)
{
    (void)ptemp;
    retained *r = retained_get();
    for (int i = 0; declared && i < declared->nelts; i++) {
        gxm_profiles *p = APR_ARRAY_IDX(declared, i, gxm_profiles *);
        p->check_us = gxm_server_conf(p->server)->check_us;
        p->key = key_of(p, p->server->process->pconf);
        p->look_us = gx_now_us() + (p->check_us > 0 ? (u64)p->check_us : 0);
        for (int k = 0; k < i && !p->same; k++) {
            gxm_profiles *before = APR_ARRAY_IDX(declared, k, gxm_profiles *);
            if (!before->same && strcmp(before->key, p->key) == 0)
                p->same = before;
        }
        if (!p->same)
            load_declared(p, r);
    }
    forget_unused(r);
}
