/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c -- asking the index (terms.h): of each segment its checksums, one entry of begins and one bucket are read
 *
 * Cost: some 10 microseconds a segment and term, and 2 ns a record that has the term; a segment has millions of terms.
 */
#include <stdlib.h>
#include <string.h>
#include "extent.h"
#include "head.h"
#include "number.h"
#include "terms.h"

typedef struct segment {
    const gxs_view *v;
    gxs_extent x;
    gxs_terms_head h;
    gx_buf sums, piece;
} segment;

static gx_status no_memory(const gxs_view *v, gx_error *err)
{
    return gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory");
}

static gx_status damaged(const segment *s, gx_error *err)
{
    return gx_fail(err, GX_EBAD, s->v->path, 0, 0,
                   "an index is damaged near page %llu: --no-index asks without it, compact makes it anew",
                   (unsigned long long)s->x.page);
}

/* An error of reading, in our words */
static gx_status read_wrong(const segment *s, gx_status status, const gx_error *why, gx_error *err)
{
    return status == GX_OK     ? GX_OK
           : status == GX_EBAD ? damaged(s, err)
                               : gx_fail(err, status, s->v->path, 0, 0, "an index: %s", why->text);
}

/* Bytes of the segment, until the next ones are read */
static gx_status piece(segment *s, u64 at, u64 n, const char **bytes, gx_error *err)
{
    gx_error why;
    s->piece.n = 0;
    return read_wrong(s, gxs_extent_piece(&s->x, &s->sums, at, n, &s->piece, bytes, &why), &why, err);
}

/* Reads a segment's head and its table of first records, and checks both before they are used. f: all parts and
 * records may have what is looked for (f->all), until a term says otherwise. */
static gx_status open_segment(segment *s, const gxs_view *v, const gxs_segment *of, gxs_found_segment *f, gx_error *err)
{
    const char *bytes;
    const u64 firsts = (of->n_uids + 1ull) * sizeof *f->first;
    s->v = v;
    s->x = (gxs_extent){ v->fd, of->page, of->bytes, of->crc };
    f->first_uid = of->first_uid;
    f->n_uids = of->n_uids;
    f->all = 1;
    gx_error why;
    GX_TRY(read_wrong(s, gxs_extent_sums(&s->x, &s->sums, &why), &why, err));
    GX_TRY(piece(s, 0, sizeof s->h + firsts, &bytes, err));
    memcpy(&s->h, bytes, sizeof s->h);
    if (s->h.bits > 24 || s->h.n_parts != of->n_uids || s->h.n_shapes > GXS_ANY_SHAPE
        || s->h.shapes_at + s->h.n_shapes * sizeof(gxs_shape) + s->h.n_records > of->bytes)
        return damaged(s, err);
    f->shapes_at = s->h.shapes_at;
    f->n_shapes = s->h.n_shapes;
    f->all_records = s->h.n_records;
    if (!(f->first = malloc(firsts)) || !(f->parts = malloc(of->n_uids + 1ull)))
        return no_memory(v, err);
    memcpy(f->first, bytes + sizeof s->h, firsts);
    memset(f->parts, 1, of->n_uids);
    for (u32 i = 0; i < of->n_uids; i++)
        if (f->first[i] > f->first[i + 1])
            return damaged(s, err);
    return f->first[0] == 0 && f->first[of->n_uids] == s->h.n_records ? GX_OK : damaged(s, err);
}

/* The records of a term, as they are stored, in s->piece: `one`, or those of at .. end; neither: it has none */
typedef struct postings {
    const u8 *at, *end;
    u64 one;
    int is_one;
} postings;

/*
 * One bucket is read: two words of the table of buckets say where it lies. In it are the terms of that bucket by their
 * hashes, each as a number and its postings:
 *
 *     | first = distance from the hash before, times 2, plus 1 if there is one record |
 *     | n = that record, or bytes of postings | postings |
 *
 * Numbers that go beyond the bucket, and lengths beyond it, are damage.
 */
static gx_status find_term(segment *s, u32 hash, postings *out, gx_error *err)
{
    const char *bytes;
    u32 begins[2];
    const u32 bucket = s->h.bits ? hash >> (32 - s->h.bits) : 0;
    int wrong = 0;
    memset(out, 0, sizeof *out);
    GX_TRY(piece(s, sizeof s->h + (s->h.n_parts + 1ull) * 4 + 4ull * bucket, 8, &bytes, err));
    memcpy(begins, bytes, 8);
    if (begins[1] < begins[0])
        return damaged(s, err);
    GX_TRY(piece(s, begins[0], begins[1] - begins[0], &bytes, err));
    const u8 *at = (const u8 *)bytes, *end = at + (begins[1] - begins[0]);
    u64 before = s->h.bits ? (u64)bucket << (32 - s->h.bits) : 0;
    while (at < end && !wrong) {
        const u64 first = gxs_number_get(&at, end, &wrong), n = gxs_number_get(&at, end, &wrong);
        before += first / 2;
        if (before > hash)
            break;
        if (!(first & 1) && n > (u64)(end - at))
            return damaged(s, err);
        if (before == hash) {
            *out = (postings){ at, at + (first & 1 ? 0 : n), n, first & 1 };
            break;
        }
        at += first & 1 ? 0 : n;
    }
    return wrong ? damaged(s, err) : GX_OK;
}

/* Keeps the parts and records of f that the term is in. has: room for a byte a part, zeros and so again */
static gx_status keep(segment *s, postings p, gxs_found_segment *f, u8 *has, gx_error *err)
{
    const u32 most = f->all ? (u32)(p.is_one + (p.end - p.at)) : f->n_records;
    u32 kept = 0, part = 0, k = 0;
    u64 record = 0;
    int wrong = 0, one = p.is_one;
    u32 *to = f->all ? malloc((most + 1ull) * sizeof *to) : f->records;
    if (!to)
        return no_memory(s->v, err);
    f->records = to;
    for (; one || p.at < p.end; one = 0) {
        record += one ? p.one : gxs_number_get(&p.at, p.end, &wrong);
        if (wrong || record >= s->h.n_records)
            return damaged(s, err);
        while (f->first[part + 1] <= record)
            part++;
        has[part] = 1;
        if (f->all)
            to[kept++] = (u32)record;
        else {
            while (k < f->n_records && f->records[k] < record)
                k++;
            if (k < f->n_records && f->records[k] == record)
                to[kept++] = (u32)record;
        }
    }
    f->n_records = kept;
    f->all = 0;
    for (u32 i = 0; i < f->n_uids; i++) {
        f->parts[i] &= has[i];
        has[i] = 0;
    }
    return GX_OK;
}

/* The records of a segment that have all needed terms: each term's list narrows those before. Terms that the segment
 * was not made with are passed over: a record may have them. */
static gx_status find_in_segment(segment *s, const gxs_need *needs, u32 n, gxs_found_segment *f, gx_error *err)
{
    u8 *has = calloc(f->n_uids + 1ull, 1);
    gx_status status = has ? GX_OK : no_memory(s->v, err);
    for (u32 i = 0; i < n && status == GX_OK; i++) {
        postings p;
        if (!(s->h.flags & needs[i].flag))
            continue;
        if ((status = find_term(s, needs[i].hash, &p, err)) == GX_OK)
            status = keep(s, p, f, has, err);
    }
    free(has);
    return status;
}

/* Where a segment has what a term's bucket is, or with is_bucket the bucket: read unchecked, only to have the kernel
 * read there. *n 0: nowhere */
static void place_of(const gxs_extent *x, const gxs_segment *of, u32 hash, int is_bucket, u64 *at, u64 *n)
{
    gxs_terms_head h;
    u32 begins[2];
    *n = 0;
    if (gxs_extent_peek(x, 0, &h, sizeof h) || h.bits > 24)
        return;
    *at = sizeof h + (of->n_uids + 1ull) * 4 + 4ull * (h.bits ? hash >> (32 - h.bits) : 0);
    *n = sizeof begins;
    if (!is_bucket || gxs_extent_peek(x, *at, begins, sizeof begins))
        return;
    *at = begins[0];
    *n = begins[1] > begins[0] ? begins[1] - begins[0] : 0;
}

/* Each segment is read in three steps, the next of which is known by the one before. Cold, each would be waited for:
 * all segments take a step at once. */
static void read_ahead(const gxs_view *v, const gxs_need *needs, u32 n)
{
    const u32 n_segments = v->catalog->n_segments;
    for (u32 step = 0; step < 3; step++)
        for (u32 i = 0; i < n_segments; i++) {
            const gxs_segment *of = &v->segments[i];
            const gxs_extent x = { v->fd, of->page, of->bytes, of->crc };
            if (step == 0 && i == 0 && (n_segments < 2 || gxs_extent_is_near(&x)))
                return;
            if (step == 0) {
                gxs_extent_ahead(&x, 0, sizeof(gxs_terms_head) + (of->n_uids + 1ull) * 4);
                gxs_extent_sums_ahead(&x);
            }
            for (u32 k = 0; step && k < n; k++) {
                u64 at, bytes;
                place_of(&x, of, needs[k].hash, step == 2, &at, &bytes);
                if (bytes && at < x.bytes && bytes <= x.bytes - at)
                    gxs_extent_ahead(&x, at, bytes);
            }
        }
}

/* Which bytes of a segment say the shapes of what was found? 0: none, since reading the records costs no more */
static int shapes_place(const gxs_found_segment *f, u64 *at, u64 *n)
{
    if (f->all || f->n_records < 4 || !f->n_shapes)
        return 0;
    *at = f->shapes_at + f->n_shapes * sizeof(gxs_shape) + f->records[0];
    *n = f->records[f->n_records - 1] + 1ull - f->records[0];
    return 1;
}

/* The shapes of the records that were found: a table of them, and a byte a record. Only the bytes from the first
 * record found to the last are read. */
static gx_status read_shapes(segment *s, const gxs_view *v, const gxs_segment *of, gxs_found_segment *f, gx_error *err)
{
    const u64 shapes = f->n_shapes * sizeof *f->shapes;
    const char *bytes;
    u64 at, n;
    gx_error why;
    if (!shapes_place(f, &at, &n))
        return GX_OK;
    s->v = v;
    s->x = (gxs_extent){ v->fd, of->page, of->bytes, of->crc };
    if (!(f->shapes = malloc(shapes)) || !(f->shape = malloc(f->n_records)))
        return no_memory(v, err);
    GX_TRY(read_wrong(s, gxs_extent_sums(&s->x, &s->sums, &why), &why, err));
    GX_TRY(piece(s, f->shapes_at, shapes, &bytes, err));
    memcpy(f->shapes, bytes, shapes);
    GX_TRY(piece(s, at, n, &bytes, err));
    for (u32 i = 0; i < f->n_records; i++) {
        f->shape[i] = (u8)bytes[f->records[i] - f->records[0]];
        if (f->shape[i] >= f->n_shapes && f->shape[i] != GXS_ANY_SHAPE)
            return damaged(s, err);
    }
    return GX_OK;
}

/* Shapes of all that was found; what is far is read at once. */
static gx_status find_shapes(segment *s, const gxs_view *v, gxs_found *found, gx_error *err)
{
    u64 at, n;
    for (u32 i = 0; i < found->n; i++) {
        const gxs_segment *of = &v->segments[i];
        const gxs_extent x = { v->fd, of->page, of->bytes, of->crc };
        if (shapes_place(&found->segments[i], &at, &n))
            gxs_extent_ahead(&x, found->segments[i].shapes_at, at + n - found->segments[i].shapes_at);
    }
    for (u32 i = 0; i < found->n; i++)
        GX_TRY(read_shapes(s, v, &v->segments[i], &found->segments[i], err));
    return GX_OK;
}

/* Records that have all the terms that are needed, for each segment: a list for each term by a search of its checksums
 * and one bucket, then the lists intersected. with_shapes: also which elements each record has. O(records found) and
 * some reads a segment and term. On failure `found` is empty. */
gx_status gxs_find(const gxs_view *v, const gxs_need *needs, u32 n, int with_shapes, gxs_found *found, gx_error *err)
{
    const u32 n_segments = n ? v->catalog->n_segments : 0;
    segment s = { 0 };
    gx_status status = GX_OK;
    found->n = 0;
    if (n)
        read_ahead(v, needs, n);
    if (!(found->segments = calloc(n_segments + 1ull, sizeof *found->segments)))
        return no_memory(v, err);
    for (u32 i = 0; i < n_segments && status == GX_OK; i++) {
        gxs_found_segment *f = &found->segments[found->n++];
        if ((status = open_segment(&s, v, &v->segments[i], f, err)) == GX_OK)
            status = find_in_segment(&s, needs, n, f, err);
    }
    if (status == GX_OK && with_shapes)
        status = find_shapes(&s, v, found, err);
    gx_buf_free(&s.sums);
    gx_buf_free(&s.piece);
    if (status != GX_OK)
        gxs_found_free(found);
    return status;
}

/* In how many records a word is (*with), of how many, and of how many words: the figures of BM25. */
gx_status gxs_count_word(const gxs_view *v, u32 hash, u64 *with, u64 *records, u64 *words, gx_error *err)
{
    segment s = { 0 };
    gx_status status = GX_OK;
    const gxs_need need = { GXS_HAS_WORDS, hash };
    *with = *records = *words = 0;
    read_ahead(v, &need, 1);
    for (u32 i = 0; i < v->catalog->n_segments && status == GX_OK; i++) {
        gxs_found_segment f = { 0 };
        postings p;
        status = open_segment(&s, v, &v->segments[i], &f, err);
        if (status == GX_OK && s.h.flags & GXS_HAS_WORDS && (status = find_term(&s, hash, &p, err)) == GX_OK) {
            int wrong = 0;
            for (*with += p.is_one; p.at < p.end && !wrong; *with += !wrong)
                gxs_number_get(&p.at, p.end, &wrong);
            *records += s.h.n_records;
            *words += s.h.n_words;
            if (wrong)
                status = damaged(&s, err);
        }
        free(f.first);
        free(f.parts);
    }
    gx_buf_free(&s.sums);
    gx_buf_free(&s.piece);
    return status;
}

void gxs_found_free(gxs_found *found)
{
    for (u32 i = 0; i < found->n; i++) {
        free(found->segments[i].parts);
        free(found->segments[i].first);
        free(found->segments[i].records);
        free(found->segments[i].shapes);
        free(found->segments[i].shape);
    }
    free(found->segments);
    *found = (gxs_found){ 0 };
}

/* The segment that knows a part; NULL: none. They are in the order of uids. */
static const gxs_found_segment *segment_of(const gxs_found *found, u64 uid)
{
    u32 lo = 0, hi = found->n;
    while (lo < hi) { /* segments[lo - 1].first_uid <= uid < segments[hi].first_uid */
        const u32 mid = (lo + hi) / 2;
        if (found->segments[mid].first_uid <= uid)
            lo = mid + 1;
        else
            hi = mid;
    }
    const gxs_found_segment *s = lo ? &found->segments[lo - 1] : NULL;
    return s && uid - s->first_uid < s->n_uids ? s : NULL;
}

int gxs_found_part(const gxs_found *found, u64 uid)
{
    const gxs_found_segment *s = segment_of(found, uid);
    return !s || s->parts[uid - s->first_uid];
}

/* How many of a[0 .. n), ascending, are less than x. */
static u32 lower_bound(const u32 *a, u32 n, u32 x)
{
    u32 lo = 0;
    while (lo < n) { /* a[lo - 1] < x <= a[n] */
        const u32 mid = lo + (n - lo) / 2;
        if (a[mid] < x)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

/* The records of the part `uid` among those that were found, as numbers within the part, ascending, in `room`. names:
 * only those that may have all of these elements. 0: not known, all may be the answer. */
int gxs_found_records(const gxs_found *found, u64 uid, const gxs_shape *names, gx_buf *room, const u32 **records,
                      u32 *n)
{
    const gxs_found_segment *s = segment_of(found, uid);
    if (!s || s->all)
        return 0;
    const u32 first = s->first[uid - s->first_uid], from = lower_bound(s->records, s->n_records, first);
    room->n = *n = 0;
    for (u32 i = from; i < s->n_records && s->records[i] < s->first[uid - s->first_uid + 1]; i++) {
        if (names && s->shapes && s->shape[i] != GXS_ANY_SHAPE && !gxs_shape_has(&s->shapes[s->shape[i]], names))
            continue;
        u32 *to = gx_buf_push(room, sizeof *to);
        if (!to)
            return 0; /* the whole part has them too */
        *to = s->records[i] - first;
        ++*n;
    }
    *records = GX_BUF_AT(room, u32);
    return 1;
}
