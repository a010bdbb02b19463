/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c -- documents kept: what is served again is not parsed again
 *
 * Parsing is most of a small request. Where the handler's whole answer is one file whose bytes nobody has touched (one
 * file bucket from 0 to the file's size, then the end), the document is known by the file's identity, else by its
 * bytes; and by what of the request changes parsing:
 *
 *   (device, inode, parsing options) --> state of the file (size, mtime, ctime) --> block, strong digest of the bytes
 *   (quick digest,  parsing options) --> size, strong digest of the bytes       --> block, strong digest of the bytes
 *
 * Files are never stale: the state is taken from the open file before its first byte is read and again when it has been
 * parsed; a document is kept only if both are the same and older than GXM_RACY_NS, since a file may be written twice
 * within one tick of its clock. A later write changes ctime, which no program can set. (A program that writes through a
 * mapping moves it when the page becomes dirty: no server's Last-Modified knows better.) Requests do not read other
 * files while they parse (gx_parse_options.external is NULL): the bytes are all that a document depends on.
 *
 * Other bytes (of a program, of a proxied back end) are collected until they end (source.c). Two digests, because most
 * such answers never come again: the quick one tells whether it is worth going on; whoever makes two sources with the
 * same one gains nothing, since the strong one (queue/lanes.h) decides, all of it. A document is kept when its bytes
 * come for the second time that the process remembers (table `seen`): one that is asked for once does not push out what
 * is used. (The strong one takes 0.1 ns a byte, 0.25 by AVX2; parsing 0.5 to 1. The page's ETag needs it, too: then it
 * is taken once.)
 *
 * A process has one table under one lock, held for a look-up and some pointers. Documents are counted: a request keeps
 * its own while it is evicted. The least recently used go when the budget (GPUXMLCache, of each process) is spent.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <apr_portable.h>
#include "cache.h"

#define N_CHAINS 4096u
#define N_SEEN 4096u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gxm_cached *chains[N_CHAINS];
static gxm_cached *newest, *oldest;     /* by use; linked through newer, older */
static u64 kept_bytes;
static u64 seen[N_SEEN];                /* bytes that came, by digest; a place is its last comer's */

static u64 mix(const gxm_key *key)
{
    return (key->id[0] ^ key->id[1] * 0x9e3779b97f4a7c15ull ^ key->options.word[0]) * 0xd1b54a32d192ed03ull;
}

static gxm_cached **chain_of(const gxm_key *key) { return &chains[mix(key) >> 40 & (N_CHAINS - 1)]; }

static int same_place(const gxm_key *a, const gxm_key *b)
{
    return a->is_file == b->is_file && a->id[0] == b->id[0] && a->id[1] == b->id[1]
        && gx_sha256_is_same(&a->options, &b->options);
}

static int same_state(const gxm_key *a, const gxm_key *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns
        && gx_sha256_is_same(&a->sha, &b->sha);
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

static void keep_bytes(i64 more)
{
    kept_bytes += (u64)more;
    GXM_COUNT(child[gxm_child_place].cache_bytes, (u64)more);
}

/* Out of the table; the table's count of it is the caller's now. */
static gxm_cached *take_out(gxm_cached *c)
{
    gxm_cached **at = chain_of(&c->key);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    use_unlink(c);
    keep_bytes(-(i64)bytes_of(c));
    return c;
}

static gxm_cached *look(const gxm_key *key)
{
    gxm_cached *c = *chain_of(key);
    while (c && !same_place(&c->key, key))
        c = c->next;
    return c;
}

/* ---- the table ---- */

int gxm_cache_seen(const gxm_key *key)
{
    const u64 tag = mix(key);
    u64 *place = &seen[tag >> 52 & (N_SEEN - 1)];
    int yes;
    pthread_mutex_lock(&lock);
    yes = *place == tag || look(key);       /* what is kept may have lost its place here */
    *place = tag;
    pthread_mutex_unlock(&lock);
    if (!yes)
        GXM_COUNT(cache_misses, 1);
    return yes;
}

/* The document of this key, with a reference for the caller, or NULL. One of another state of the same place, such as
 * a file that has changed since, is taken out. Counts a hit or a miss. */
gxm_cached *gxm_cache_find(const gxm_key *key)
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

/* What the open file is, and in what state, now: all of *key but the options. */
static int file_state(int fd, gxm_key *key)
{
    struct stat st;
    struct timespec t;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    memset(key, 0, sizeof *key);
    key->is_file = 1;
    key->id[0] = (u64)st.st_dev;
    key->id[1] = (u64)st.st_ino;
    key->size = (u64)st.st_size;
    key->mtime_ns = (i64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    key->ctime_ns = (i64)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
    clock_gettime(CLOCK_REALTIME, &t);
    key->seen_ns = (i64)t.tv_sec * 1000000000 + t.tv_nsec;
    return 1;
}

/* Is what was parsed still what the file holds, and will the next change show? (A modification time in the future will
 * move, too: archives have such.) */
static int is_settled(int fd, const gxm_key *key)
{
    gxm_key now;
    if (!file_state(fd, &now))
        return 0;
    now.options = key->options;
    return same_place(&now, key) && same_state(&now, key) && key->ctime_ns < key->seen_ns - GXM_RACY_NS
        && (key->mtime_ns < key->seen_ns - GXM_RACY_NS || key->mtime_ns > key->seen_ns + GXM_RACY_NS);
}

gxm_cached *gxm_cache_alone(const gx_doc *doc, const gxm_sha *source, u64 in_bytes)
{
    gxm_cached *c = calloc(1, sizeof *c);
    if (!c || !(c->doc = aligned_alloc(64, (doc->size + 63) & ~(u64)63))) {
        free(c);
        return NULL;
    }
    memcpy(c->doc, doc, doc->size);
    c->source = *source;
    c->in_bytes = in_bytes;
    c->refs = 1;
    return c;
}

gxm_cached *gxm_cache_hold(gxm_cached *c)
{
    __atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED);
    return c;
}

/* Keeps a copy of the block, source being the name that the worker knows it by, and returns it with a reference for
 * the caller. If another thread has kept the same meanwhile, that one. Those not used for longest make room; they are
 * freed without the lock. NULL: not kept, as it is larger than the cache, there is no memory, or the file (fd) may
 * have changed since it was read (is_settled). */
gxm_cached *gxm_cache_put(const gxm_key *key, int fd, const gx_doc *doc, const gxm_sha *source, u64 in_bytes)
{
    gxm_cached *c, *old, *gone = NULL;
    if (sizeof *c + doc->size > gxm_conf.cache_bytes || (key->is_file && !is_settled(fd, key)))
        return NULL;
    if (!(c = gxm_cache_alone(doc, source, in_bytes)))
        return NULL;
    c->key = *key;
    c->refs = 2;                        /* the table's and the caller's */
    pthread_mutex_lock(&lock);
    old = look(key);
    if (old && same_state(&old->key, key)) {    /* another thread parsed it at the same time: the worker may have that
                                                   one */
        __atomic_fetch_add(&old->refs, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&lock);
        free(c->doc);
        free(c);
        return old;
    }
    if (old) {
        gone = take_out(old);
        gone->next = NULL;
    }
    while (oldest && kept_bytes + bytes_of(c) > gxm_conf.cache_bytes) {
        old = take_out(oldest);
        old->next = gone;               /* freed below, without the lock */
        gone = old;
    }
    c->next = *chain_of(key);
    *chain_of(key) = c;
    use_newest(c);
    keep_bytes((i64)bytes_of(c));
    pthread_mutex_unlock(&lock);
    while (gone) {
        old = gone->next;
        gxm_cache_release(gone);
        gone = old;
    }
    return c;
}

/* ---- what a document is known by ---- */

/* Is the brigade one file from its first byte to its last, and nothing else? Then its state is *key's and *fd its
 * descriptor, which stays the bucket's. Looks at the open file, not at its name: another may be there by now. */
int gxm_file_whole(request_rec *r, apr_bucket_brigade *bb, gxm_key *key, int *fd)
{
    apr_bucket *e = APR_BRIGADE_FIRST(bb), *end;
    apr_file_t *file;
    apr_os_file_t os;
    const char *name;
    if (e == APR_BRIGADE_SENTINEL(bb) || !APR_BUCKET_IS_FILE(e) || e->start != 0)
        return 0;
    end = APR_BUCKET_NEXT(e);
    if (end == APR_BRIGADE_SENTINEL(bb) || !APR_BUCKET_IS_EOS(end))
        return 0;
    file = ((apr_bucket_file *)e->data)->fd;
    if (apr_os_file_get(&os, file) != APR_SUCCESS || !file_state(os, key))
        return 0;
    /* httpd looks how long a file is before it opens it. If another was moved into its place in between, that one would
     * be cut, or too short. */
    if (key->size != e->length && key->id[1] != (u64)r->finfo.inode && e->length == (apr_size_t)r->finfo.size
        && apr_file_name_get(&name, file) == APR_SUCCESS && name && strcmp(name, r->filename) == 0) {
        e->length = (apr_size_t)key->size;
        ap_set_content_length(r, (apr_off_t)key->size);
    }
    if (key->size != e->length)
        return 0;
    *fd = os;
    return 1;
}

void gxm_bytes_key(gxm_key *key, const gx_digesting *bytes)
{
    gx_digesting h = *bytes;
    gx_digest d = gx_digest_end(&h);
    memset(key, 0, sizeof *key);
    key->id[0] = d.a;
    key->id[1] = d.b;
    key->size = bytes->n;
}

int gxm_bytes_sha(gxm_key *key, apr_bucket_brigade *bytes)
{
    int good = 1;
    gx_lanes lanes;
    gx_lanes_begin(&lanes);
    for (apr_bucket *e = APR_BRIGADE_FIRST(bytes); good && e != APR_BRIGADE_SENTINEL(bytes); e = APR_BUCKET_NEXT(e)) {
        const char *data;
        apr_size_t n;
        good = apr_bucket_read(e, &data, &n, APR_BLOCK_READ) == APR_SUCCESS;
        if (good)
            gx_lanes_add(&lanes, data, n);
    }
    key->sha = gx_lanes_end(&lanes);
    return good;
}

/* SHA-256 of all that makes another block of the same bytes: options, limits and the rules of xsl:strip-space. An
 * option that is added to gx_parse_options and changes a block belongs here. 0: no memory. */
int gxm_parsing_sha(gxm_shaing *h, const gx_parse_options *o, int is_coded, gxm_sha *out)
{
    const gx_limits *l = o->limits;
    const u64 numbers[] = {(u64)is_coded,
                           o->flags,
                           (u64)o->external_ignore,
                           (u64)o->html_entities,
                           (u64)o->lenient,
                           (u64)(o->external != NULL),
                           (u64)o->xinclude,
                           (u64)o->no_doctype,
                           l->input,
                           l->text,
                           l->depth,
                           l->nodes,
                           l->attributes,
                           l->name,
                           l->amplification};
    gxm_sha_begin(h);
    gxm_sha_add(h, numbers, sizeof numbers);
    gxm_sha_str(h, o->charset);
    gxm_sha_str(h, o->base_uri);
    gxm_sha_str(h, o->external_base);
    for (u32 i = 0; o->spaces && i < o->spaces->spaces.n; i++) {
        const gx_space *s = &GX_PROG_TAB(o->spaces, gx_space, spaces)[i];
        const u32 rule[] = { GX_LIT(o->spaces, s->uri).len, GX_LIT(o->spaces, s->local).len, s->test, s->strip };
        gxm_sha_add(h, rule, sizeof rule);
        gxm_sha_add(h, GX_LIT_AT(o->spaces, s->uri), rule[0]);
        gxm_sha_add(h, GX_LIT_AT(o->spaces, s->local), rule[1]);
    }
    return gxm_sha_end(h, out);
}
