/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c -- documents that a worker's device matches, with many under way (thread.h)
 *
 * A thread parses and packs one document after the other and sends it, WINDOW ahead of the one whose answer it waits
 * for. What the worker does not match (it is too large for the device, or the worker has died) the thread matches when
 * its turn comes.
 *
 * --engine auto: threads match for a second; if there is more to do, the first one starts the worker, the others go on.
 * Then each sends some windows, and compares how long a document took either way.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/clock.h"
#include "engine/match/pack.h"
#include "thread.h"

enum { WINDOW = 128, TRIED = 4 * WINDOW, SEAT_BYTES = 128 << 10 };
#define ALONE_US 1000000u       /* that the CPU takes before another engine is tried */
#define ANSWER_US 60000000u     /* a worker that says nothing for so long is not waited for */

typedef struct place {
    document d;
    remote_seat *seat;
    gx_doc *doc;                /* where profiles need it afterwards */
    const char *name;
    int is_sent;
} place;

typedef struct sender {
    matching *w;
    gxp_packer *packer;
    place places[WINDOW];
    u32 first, n;               /* under way */
    u32 n_here, n_device;       /* documents, and how long they took: auto */
    u64 here_us, device_us;
} sender;

const char *device_open(tool *t, u32 n_threads, char why[400])
{
    gxp_counts counts;
    if (gxp_flat_make(t->set, &t->flat) != GX_OK)
        return "no memory for the profiles, or they are too many or too deep for a GPU";
    gxp_set_counts(t->set, &counts);
    t->n_exact = counts.exact;
    remote *r = remote_open(1, (int)(n_threads * WINDOW), SEAT_BYTES, t->flat->size, why);
    if (!r)
        return why;
    remote_profiles(r, t->flat, t->flat->size, t->flat->n_profiles);
    __atomic_store_n(&t->remote, r, __ATOMIC_RELEASE);
    return NULL;
}

void device_close(tool *t)
{
    if (t->remote)
        remote_close(t->remote);
    free(t->flat);
}

/* Sends a document. Where that cannot be done, whatever the reason is, it is matched in its turn. */
static void send_document(sender *s, place *p)
{
    matching *w = s->w;
    tool *t = w->t;
    const char *bytes;
    const gxp_tree *tree;
    size_t n;
    u64 size;
    gx_doc *doc;
    gx_error err;
    p->is_sent = 0;
    p->doc = NULL;
    if (!p->seat && !(p->seat = remote_sit(t->remote)))
        return;
    if (!strcmp(p->d.item.name, "-")            /* can be read once */
        || read_document(w, &p->d.item, &p->name, &bytes, &n, &err) != GX_OK
        || kit_parse(&w->kit, &t->source, p->name, p->name, bytes, n, NULL, &doc, &err) != GX_OK
        || gxp_pack(s->packer, doc, t->limits.steps, 0, &tree, &size, &err) != GX_OK)
        return;
    if (!tree) {
        __atomic_add_fetch(&t->too_large, 1, __ATOMIC_RELAXED);
        return;
    }
    if (t->n_exact && !(p->doc = malloc(doc->size)))
        return;
    if (p->doc)
        memcpy(p->doc, doc, doc->size);
    p->is_sent = remote_match_ask(p->seat, tree, size);
}

/* The profiles of a document that was sent, or GX_EHOST */
static gx_status answer_of(sender *s, place *p, const u32 **ids, u32 *n, gx_error *err)
{
    matching *w = s->w;
    const tool *t = w->t;
    gxp_found found;
    if (!p->is_sent || !remote_match_found(p->seat, gx_now_us() + ANSWER_US, &found))
        return GX_EHOST;
    gxp_matcher_deadline(w->matcher, t->timeout_us ? gx_now_us() + t->timeout_us : 0);
    return gxp_match_found(w->matcher, p->doc, &t->limits, &found, warn_of, NULL, ids, n, err);
}

/* The document that was sent first */
static void receive(sender *s)
{
    matching *w = s->w;
    place *p = &s->places[s->first];
    gx_error err = { .status = GX_OK };
    const u32 *ids;
    u32 n;
    gx_status status = answer_of(s, p, &ids, &n, &err);
    if (status == GX_OK) {
        status = make_result(w, &p->d, p->name, ids, n, &err);
        __atomic_add_fetch(&w->t->by_device, 1, __ATOMIC_RELAXED);
    } else if (status == GX_EHOST)
        status = match_here(w, &p->d, &err);
    if (p->seat)
        remote_let_go(p->seat);
    free(p->doc);
    in_turn(w, &p->d, status, &err);
    s->first = (s->first + 1) % WINDOW;
    s->n--;
}

/* Should the next documents go to the device? auto: while that is not known to be slower */
static int is_device(sender *s)
{
    tool *t = s->w->t;
    char why[400];
    if (t->engine == ENGINE_GPU)
        return 1;
    if (s->w->is_first && !s->w->has_tried && gx_now_us() > t->began_us + ALONE_US) {
        s->w->has_tried = 1;
        if (getenv("GPUXML_WORKER") || access("/dev/nvidiactl", F_OK) == 0)
            (void)device_open(t, t->n_threads, why);
    }
    if (!__atomic_load_n(&t->remote, __ATOMIC_ACQUIRE))
        return 0;
    return s->n_device < TRIED || s->device_us * s->n_here < s->here_us * s->n_device;
}

static int one_here(sender *s)
{
    document d;
    gx_error err = { .status = GX_OK };
    if (!take(s->w->t, &d))
        return 0;
    const u64 from = gx_now_us();
    const gx_status status = match_here(s->w, &d, &err);
    s->here_us += gx_now_us() - from;
    s->n_here++;
    in_turn(s->w, &d, status, &err);
    return 1;
}

void *match_by_device(void *ctx)
{
    matching *w = ctx;
    gx_error err;
    sender *s = calloc(1, sizeof *s);
    if (!s || gxp_packer_create(w->t->set, NULL, &s->packer, &err) != GX_OK) {
        free(s);
        return match_documents(w);
    }
    s->w = w;
    for (int is_more = 1; is_more || s->n;) {
        const u64 from = gx_now_us();
        const int device = is_device(s);
        if (!device && !s->n) {
            is_more = one_here(s);
            continue;
        }
        while (is_more && device && s->n < WINDOW) {
            place *p = &s->places[(s->first + s->n) % WINDOW];
            is_more = take(w->t, &p->d);
            if (is_more) {
                send_document(s, p);
                s->n++;
            }
        }
        if (s->n)
            receive(s);
        s->n_device++;
        s->device_us += gx_now_us() - from;
    }
    for (u32 i = 0; i < WINDOW; i++)
        remote_rise(s->places[i].seat);
    gxp_packer_free(s->packer);
    free(s);
    return NULL;
}
