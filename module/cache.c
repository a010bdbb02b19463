/*
 * cache.c -- documents kept: a file that is served again is not parsed again
 *
 * Parsing is most of a small request. The handler's whole answer being one file whose bytes nobody has touched (one file bucket from
 * 0 to the file's size, then the end), the document is known by the file's identity and by what of the request changes parsing:
 *
 *   (device, inode, parsing options) --> state of the file (size, mtime, ctime) --> document block, digest of the bytes
 *
 * Never stale: the state is taken from the open file before its first byte is read and again when it has been parsed; a document is kept
 * only if both are the same and older than RACY_NS, since a file may be written twice within one tick of its clock. A later write
 * changes ctime, which no program can set. (A program that writes through a mapping moves it when the page becomes dirty: no
 * server's Last-Modified knows better.) Requests do not read other files while they parse (gx_parse_options.external is NULL): the
 * file is all that a document depends on.
 *
 * A process has one table under one lock, held for a look-up and some pointers. Documents are counted: a request keeps its own while it
 * is evicted. The least recently used go when the budget (GPUXMLCache, of each process) is spent.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <apr_portable.h>
#include "cache.h"

#define RACY_NS ((i64)2000000000)
#define N_CHAINS 4096u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gxm_cached *chains[N_CHAINS];
static gxm_cached *newest, *oldest;     /* by use; linked through newer, older */
static u64 kept_bytes;

static gxm_cached **chain_of(const gxm_file_key *key)
{
    return &chains[(key->ino * 0x9e3779b97f4a7c15ull ^ key->options.a) >> 40 & (N_CHAINS - 1)];
}

static int same_place(const gxm_file_key *a, const gxm_file_key *b)
{
    return a->ino == b->ino && a->dev == b->dev && a->options.a == b->options.a && a->options.b == b->options.b;
}

static int same_state(const gxm_file_key *a, const gxm_file_key *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static u64 bytes_of(const gxm_cached *c) { return sizeof *c + c->doc->size; }

void gxm_cache_release(gxm_cached *c)
{
    if (c && __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) == 0) {
        free(c->doc);
        free(c);
    }
}

/* ---- with the lock held ---- */

static void use_unlink(gxm_cached *c)
{
    *(c->newer ? &c->newer->older : &newest) = c->older;
    *(c->older ? &c->older->newer : &oldest) = c->newer;
}

static void use_newest(gxm_cached *c)
{
    c->newer = NULL;
    c->older = newest;
    *(newest ? &newest->newer : &oldest) = c;
    newest = c;
}

/* Out of the table; the table's count of it is the caller's now. */
static gxm_cached *take_out(gxm_cached *c)
{
    gxm_cached **at = chain_of(&c->key);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    use_unlink(c);
    kept_bytes -= bytes_of(c);
    __atomic_fetch_sub(&gxm_count->cache_bytes, bytes_of(c), __ATOMIC_RELAXED);
    return c;
}

static gxm_cached *look(const gxm_file_key *key)
{
    gxm_cached *c = *chain_of(key);
    while (c && !same_place(&c->key, key))
        c = c->next;
    return c;
}

/* ---- the table ---- */

gxm_cached *gxm_cache_find(const gxm_file_key *key)
{
    gxm_cached *c, *gone = NULL;
    pthread_mutex_lock(&lock);
    c = look(key);
    if (c && !same_state(&c->key, key)) {
        gone = take_out(c);
        c = NULL;
    }
    if (c) {
        __atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED);
        use_unlink(c);
        use_newest(c);
    }
    pthread_mutex_unlock(&lock);
    gxm_cache_release(gone);
    if (c)
        GXM_COUNT(cache_hits, 1);
    else
        GXM_COUNT(cache_misses, 1);
    return c;
}

/* Is what was parsed still what the file holds, and will the next change show? */
static int is_settled(int fd, const gxm_file_key *key)
{
    gxm_file_key now = *key;
    return gxm_file_state(fd, &now) && same_place(&now, key) && same_state(&now, key)
        && key->mtime_ns < key->seen_ns - RACY_NS && key->ctime_ns < key->seen_ns - RACY_NS;
}

gxm_cached *gxm_cache_put(const gxm_file_key *key, int fd, const gx_doc *doc, const gxm_hash *source, u64 in_bytes)
{
    gxm_cached *c, *old, *gone = NULL;
    if (sizeof *c + doc->size > gxm_conf.cache_bytes || !is_settled(fd, key))
        return NULL;
    c = calloc(1, sizeof *c);
    if (!c || !(c->doc = aligned_alloc(64, (doc->size + 63) & ~(u64)63))) {
        free(c);
        return NULL;
    }
    memcpy(c->doc, doc, doc->size);
    c->key = *key;
    c->source = *source;
    c->in_bytes = in_bytes;
    c->refs = 2;                        /* the table's and the caller's */
    pthread_mutex_lock(&lock);
    old = look(key);                    /* another thread parsed it at the same time, or it is an older state */
    if (old) {
        take_out(old);
        old->next = NULL;
        gone = old;
    }
    while (oldest && kept_bytes + bytes_of(c) > gxm_conf.cache_bytes) {
        old = take_out(oldest);
        old->next = gone;               /* freed below, without the lock */
        gone = old;
    }
    c->next = *chain_of(key);
    *chain_of(key) = c;
    use_newest(c);
    kept_bytes += bytes_of(c);
    GXM_COUNT(cache_bytes, bytes_of(c));
    pthread_mutex_unlock(&lock);
    while (gone) {
        old = gone->next;
        gxm_cache_release(gone);
        gone = old;
    }
    return c;
}

/* What the process leaves is not counted any more. Threads may still run: nothing is freed. */
static apr_status_t forget(void *data)
{
    (void)data;
    pthread_mutex_lock(&lock);
    __atomic_fetch_sub(&gxm_count->cache_bytes, kept_bytes, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return APR_SUCCESS;
}

void gxm_cache_child_init(apr_pool_t *pchild)
{
    apr_pool_cleanup_register(pchild, NULL, forget, apr_pool_cleanup_null);
}

/* ---- what a document is known by ---- */

int gxm_file_state(int fd, gxm_file_key *key)
{
    struct stat st;
    struct timespec t;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    key->dev = (u64)st.st_dev;
    key->ino = (u64)st.st_ino;
    key->size = (u64)st.st_size;
    key->mtime_ns = (i64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    key->ctime_ns = (i64)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
    clock_gettime(CLOCK_REALTIME, &t);
    key->seen_ns = (i64)t.tv_sec * 1000000000 + t.tv_nsec;
    return 1;
}

int gxm_file_whole(apr_bucket_brigade *bb, gxm_file_key *key, int *fd)
{
    apr_bucket *e = APR_BRIGADE_FIRST(bb), *end;
    apr_os_file_t os;
    if (e == APR_BRIGADE_SENTINEL(bb) || !APR_BUCKET_IS_FILE(e) || e->start != 0)
        return 0;
    end = APR_BUCKET_NEXT(e);
    if (end == APR_BRIGADE_SENTINEL(bb) || !APR_BUCKET_IS_EOS(end))
        return 0;
    if (apr_os_file_get(&os, ((apr_bucket_file *)e->data)->fd) != APR_SUCCESS || !gxm_file_state(os, key) || key->size != e->length)
        return 0;
    *fd = os;
    return 1;
}

gxm_digest gxm_parsing_digest(const gx_parse_options *o, int is_coded)
{
    const gx_limits *l = o->limits;
    const u64 numbers[] = { (u64)is_coded, o->flags, (u64)o->external_ignore, (u64)o->no_doctype, l->input, l->text, l->depth, l->nodes, l->attributes, l->name,
                            l->amplification };
    gxm_hash h;
    gxm_hash_init(&h);
    gxm_hash_add(&h, numbers, sizeof numbers);
    gxm_hash_str(&h, o->charset);
    for (u32 i = 0; o->spaces && i < o->spaces->spaces.n; i++) {
        const gx_space *s = &GX_PROG_TAB(o->spaces, gx_space, spaces)[i];
        const u32 rule[] = { GX_LIT(o->spaces, s->uri).len, GX_LIT(o->spaces, s->local).len, s->test, s->strip };
        gxm_hash_add(&h, rule, sizeof rule);
        gxm_hash_add(&h, GX_LIT_AT(o->spaces, s->uri), rule[0]);
        gxm_hash_add(&h, GX_LIT_AT(o->spaces, s->local), rule[1]);
    }
    return gxm_hash_end(&h);
}
