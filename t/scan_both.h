/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_both.h -- one document by the scanner and by Expat: the same block, or the same refusal. Shared by t/12-scan.c
 * and fuzz/scan.c
 */
#ifndef SCAN_BOTH_H
#define SCAN_BOTH_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "document/parser.h"
#include "document/doc_check.h"
#include "document/bytes_run.h"
#include "document/parts.h"

/* How a document reaches the parser: whole (0), or in pieces of so many bytes; cut once: at that byte; or in pieces of
 * any size, which follow from `random` */
typedef struct both_way { size_t piece, cut; u32 random; } both_way;

/* The next piece's size at `at` of n bytes: mostly a few, now and then a good part of the document */
static size_t both_size(both_way *way, size_t at, size_t n)
{
    if (!way->random)
        return way->piece ? way->piece : at ? n : way->cut;
    way->random = way->random * 1664525u + 1013904223u;
    const u32 x = way->random >> 8;
    return 1 + x / 4 % (x % 4 ? 40 : n / 2 + 1);
}

static int both_is_whole(both_way way) { return !way.piece && !way.cut && !way.random; }

typedef struct both_source { const char *xml; size_t n; u32 asked; } both_source;
static u32 both_asked;                      /* documents that were asked for once more */

static int both_give(void *ctx, u64 from, char *to, size_t n)
{
    both_source *s = ctx;
    both_asked += !s->asked++;
    if (from > s->n || n > s->n - from)
        abort();
    memcpy(to, s->xml + from, n);
    return 0;
}

/* In pieces: every other document can be had again, so the parser does not keep it. */
static gx_status both_parse(gx_parser *p, const gx_parse_options *o, const char *xml, size_t n, both_way way,
                            gx_doc **doc, gx_error *err)
{
    static u32 count;
    both_source source = { xml, n, 0 };
    gx_parse_options options = *o;
    if (both_is_whole(way))
        return gx_parse(p, o, xml, n, doc, err);
    if (count++ & 2) {
        options.again = both_give;
        options.again_ctx = &source;
    }
    gx_status status = gx_parser_begin(p, &options, err);
    for (size_t at = 0; at < n && !status; ) {
        const size_t most = both_size(&way, at, n), size = n - at < most ? n - at : most;
        /* a piece of its own: AddressSanitizer sees the first byte beyond */
        char *piece = malloc(size);
        memcpy(piece, xml + at, size);
        status = gx_parser_feed(p, piece, size, err);
        free(piece);
        at += size;
    }
    return status ? status : gx_parser_finish(p, doc, err);
}

/* Is there a document type declaration in which a name may not be ASCII? Then Expat refuses what the scanner had it
 * read spelled out; and in Latin-1 it takes the bytes 0xAA, 0xB5 and 0xBA for letters, which no edition of XML does. */
static int both_new_declarations(const char *xml, size_t n)
{
    int other = 0;
    size_t k = 0;
    char *plain = malloc(n + 1);                /* without the NULs that UTF-16 has */
    for (size_t i = 0; i < n; i++) {
        other |= xml[i] & 0x80 || !xml[i];
        if (xml[i])
            plain[k++] = xml[i];
    }
    const int is_new = other && memmem(plain, k, "<!D", 3);
    free(plain);
    return is_new;
}

/* A name that is not ASCII: Expat's are of an earlier edition of XML */
static int both_new_names(const gx_doc *d)
{
    const char *strs = GX_DOC_COL(d, char, strs);
    for (u64 i = 0; i < d->strs_size; i++)
        if (strs[i] & 0x80)
            return 1;
    return 0;
}

static u32 both_teams, both_refused;       /* documents that the team's parser took, and that it left to the scanner */

/* A request's document comes in two pieces, as for a GPU (kernels/gpu.cu): what is not there yet is not looked at.
 * most: tokens that there is room for. Returns the memory of r->chunks */
static char *both_chunks(gx_bytes_request *r, size_t there, u32 most)
{
    const size_t n = r->n, size = (gx_chunks_lay(NULL, NULL, n, most) + 63) & ~(size_t)63;
    gx_coming *const all = &r->chunks;
    gx_bytes_request coming = *r;
    char *memory = aligned_alloc(64, size), *piece = malloc(n + 16);
    memset(memory, 0xa5, size);
    gx_chunks_lay(all, memory, n, most);
    all->found[0] = all->found[1] = all->state[0] = 0;
    memset(all->before, 0, sizeof *all->before);
    if (most) {
        memset(all->come.strings, 0, GX_BYTES_STRINGS * sizeof *all->come.strings);
        memset(all->come.strings_first, 0xff, GX_BYTES_STRINGS * sizeof *all->come.strings_first);
    }
    coming.chunks = *all;
    coming.bytes = piece;
    memset(piece, '<', n + 16);
    memcpy(piece, r->bytes, there);
    const u32 known = gx_chunks_known(there, n);
    gx_bytes_run_chunks(&coming, 0, known);
    memcpy(piece, r->bytes, n);
    gx_bytes_run_chunks(&coming, known, gx_chunks_known(n, n));
    free(piece);
    return memory;
}

/* The team's parser, by one thread and now and then by three: it refuses the document, or makes the same block. doc:
 * the scanner's, NULL: that refused it. NULL, or what is wrong */
static const char *both_team(const gx_parser *p, const gx_parse_options *o, const char *xml, size_t n,
                             const gx_doc *doc)
{
    static u32 count;
    const gx_bytes_limits limits = { p->limits.text, p->limits.depth, p->limits.nodes, p->limits.attributes,
                                     p->limits.name };
    const u32 members = count++ % 16 ? 1 : 3;
    const u64 room = n * 64 + (1u << 20);
    gx_bytes_request r = { .bytes = xml, .n = n, .seed = doc ? doc->seed : 1, .spaces = o->spaces,
                           .base_uri = o->base_uri ? o->base_uri : "",
                           .base_uri_len = o->base_uri ? (u32)strlen(o->base_uri) : 0, .limits = limits,
                           .arena = malloc(room), .arena_bytes = room };
    char *const chunks =
        count % 3 && n ? both_chunks(&r, n * (count % 7) / 6, (u32)(count % 3 == 1 ? n / 4 + 2 : n / 64)) : NULL;
    gx_doc *made = NULL;
    const char *wrong = NULL;
    memset(r.arena, 0xa5, room < 1u << 21 ? room : 1u << 21);
    const gx_status status = members == 1 ? gx_bytes_run_solo(&r, &made) : gx_bytes_run_threads(&r, members, &made);
    if (status == GX_EXML)
        both_refused += doc != NULL;
    else if (status != GX_OK)
        wrong = "the team's parser needs more memory";
    else if (!doc)              /* Expat, if it was asked, has names of an earlier edition */
        wrong = both_new_names(made) ? NULL : "the team's parser accepts it";
    else if (made->size != doc->size || memcmp(made, doc, doc->size))
        wrong = "the team's block is another";
    both_teams += status == GX_OK;
    free(r.arena);
    free(chunks);
    return wrong;
}

/* Of so many documents, by their hash, one goes the team's way and is read in parts, too: these cost a hundred times
 * the comparison, and a fuzzer has no time for them on each */
static u32 both_one_in = 1;

/* The same columns, tables and heaps, wherever each stands */
static int both_is_same(const gx_doc *a, const gx_doc *b)
{
    const u64 n = a->n_nodes;
    const u64 parts[][3] = {
        { a->label, b->label, n * 4 },
        { a->parent, b->parent, n * 4 },
        { a->next, b->next, n * 4 },
        { a->depth, b->depth, n * 2 },
        { a->text_off, b->text_off, n * 4 },
        { a->text_len, b->text_len, n * 4 },
        { a->ns, b->ns, a->ns ? n * 4 : 0 },
        { a->line, b->line, a->line ? n * 4 : 0 },
        { a->column, b->column, a->column ? n * 4 : 0 },
        { a->index_start, b->index_start, (a->n_labels + 1ull) * 4 },
        { a->index, b->index, n * 4 },
        { a->labels, b->labels, a->n_labels * sizeof(gx_label_info) },
        { a->ns_lists, b->ns_lists, a->n_ns_lists * sizeof(gx_ns_list) },
        { a->ns_decls, b->ns_decls, a->n_ns_decls * sizeof(gx_ns_decl) },
        { a->ids, b->ids, a->n_ids * sizeof(gx_doc_id) },
        { a->entities, b->entities, a->n_entities * sizeof(gx_doc_entity) },
        { a->odd, b->odd, a->n_odd * sizeof(gx_doc_odd) },
        { a->bases, b->bases, a->n_bases * sizeof(gx_doc_base) },
        { a->roots, b->roots, a->n_roots * 4ull },
        { a->text, b->text, a->text_size },
        { a->values, b->values, a->values_size },
        { a->strs, b->strs, a->strs_size },
    };
    /* all counts lie behind `size` and before the first column */
    if (a->flags != b->flags || memcmp(&a->seed, &b->seed, offsetof(gx_doc, label) - offsetof(gx_doc, seed))
        || !a->ns != !b->ns || !a->line != !b->line || !a->column != !b->column || a->text_size != b->text_size
        || a->values_size != b->values_size || a->strs_size != b->strs_size || a->base_uri != b->base_uri
        || a->base_uri_len != b->base_uri_len)
        return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memcmp((const char *)a + parts[i][0], (const char *)b + parts[i][1], parts[i][2]))
            return 0;
    return 1;
}

static u32 both_stayed;         /* documents that stayed in the parser's memory */

static void *both_block(void *ctx, u64 size) { return (void)ctx, malloc(size); }

/* In the parser's memory: the same document. Of two of one size the second finds room, unless much of what was asked
 * for was not needed at last. */
static const char *both_in_place(gx_parser *p, const gx_parse_options *options, const char *xml, size_t n,
                                 const gx_doc *doc)
{
    gx_parse_options o = *options;
    const char *wrong = NULL;
    int stays = 0;
    o.in_place = 1;
    o.alloc = both_block;
    for (int i = 0; i < 2 && !wrong && !stays; i++) {
        gx_error err;
        gx_doc *made = NULL;
        if (gx_parse(p, &o, xml, n, &made, &err))
            return "in place it is refused";
        if (gx_doc_check(made, made->size, &err))
            wrong = "in place the block does not check out";
        else if (!both_is_same(made, doc))
            wrong = "in place the document is another";
        stays = gx_parser_has(p, made);
        if (!stays)
            free(made);
    }
    both_stayed += (u32)stays;
    return wrong;
}

/* Twice more by the scanner: names that the last document had, too, are taken over, which changes nothing */
static const char *both_again(gx_parser *p, const gx_parse_options *options, const char *xml, size_t n,
                              const gx_doc *doc)
{
    gx_parse_options o = *options;
    const char *wrong = NULL;
    o.expat = 0;
    for (int i = 0; i < 2 && !wrong; i++) {
        gx_error err;
        gx_doc *made = NULL;
        if (gx_parse(p, &o, xml, n, &made, &err))
            wrong = "again it is refused";
        else if (made->size != doc->size || memcmp(made, doc, doc->size))
            wrong = "again the block is another";
        free(made);
    }
    return wrong ? wrong : both_in_place(p, &o, xml, n, doc);
}

static u32 both_parts;          /* documents of which other threads have read parts */
static u32 both_parts_stayed;   /* .. and that stayed in the parser's memory */

/* n bytes in parts: the document doc, or for NULL its error. NULL, or what is wrong */
static const char *both_parts_once(gx_parser *p, const gx_parse_options *o, const char *xml, size_t n,
                                   const gx_doc *doc, const gx_error *why)
{
    gx_doc *made = NULL;
    gx_error err, unfit;
    memset(&err, 0, sizeof err);
    const gx_status status = gx_parse(p, o, xml, n, &made, &err);
    const int is_in_parts = gx_parts_total(p->parts).nodes > 0, stays = made && gx_parser_has(p, made);
    const char *wrong = NULL;
    both_parts += (u32)is_in_parts;
    both_parts_stayed += (u32)(is_in_parts && stays);
    if (status != (doc ? GX_OK : why->status))
        wrong = "in parts it is accepted or refused otherwise";
    else if (!doc && (err.byte != why->byte || err.line != why->line || err.column != why->column))
        wrong = "in parts the error is elsewhere";
    else if (doc && stays && gx_doc_check(made, made->size, &unfit))
        wrong = "in parts and in place the block does not check out";
    else if (doc && (stays ? !both_is_same(made, doc) : made->size != doc->size || memcmp(made, doc, doc->size)))
        wrong = "in parts the block is another";
    if (!stays)
        free(made);
    return wrong;
}

/* Whole, by some threads, each of which has few bytes at least: the same document or the same refusal. Every second
 * time in place and twice, since the second one may find room. Blanks behind a document that is good change nothing,
 * and let it be cut. NULL, or what is wrong */
static const char *both_in_parts(gx_parser *p, const gx_parse_options *options, const char *xml, size_t n,
                                 const gx_doc *doc, const gx_error *why)
{
    static u32 count;
    gx_parse_options o = *options;
    const size_t behind = doc && n && !memchr(xml, 0, n) && (u8)*xml < 0xfe ? GX_SCAN_PAD : 0;
    char *copy = malloc(n + behind + 1);
    memcpy(copy, xml, n);
    memset(copy + n, '\n', behind);
    copy = realloc(copy, n + behind + !(n + behind));   /* AddressSanitizer sees the first byte beyond */
    o.expat = 0;
    o.threads = 2 + count % 3;
    o.part_bytes = 1 + count++ % 7 * (n + behind) / 20;
    o.seed = doc ? doc->seed : 0;
    o.in_place = count % 2;
    o.alloc = o.in_place ? both_block : o.alloc;
    const char *wrong = both_parts_once(p, &o, copy, n + behind, doc, why);
    if (!wrong && o.in_place)
        wrong = both_parts_once(p, &o, copy, n + behind, doc, why);
    free(copy);
    return wrong;
}

/* NULL, or what is wrong. *scanned: the scanner read the document */
static const char *both_compare(gx_parser *p, const gx_parse_options *options, const char *xml, size_t n, both_way way,
                                int *scanned)
{
    static gx_parser *judge;    /* so that the scanner's parser goes from one document of its own to the next */
    static char what[2000];
    gx_parse_options o = *options;
    gx_error err[2];
    gx_doc *doc[2] = { NULL, NULL };
    gx_status status[2];
    const char *wrong = NULL;
    int latin_1 = 0;            /* Expat has its own names there, and shows bytes as they are */
    memset(err, 0, sizeof err);
    if (!judge && gx_parser_create(&judge, err))
        return "out of memory";
    for (int expat = 0; expat < 2; expat++) {
        o.expat = expat;
        o.seed = expat ? p->names.seed : o.seed;
        status[expat] = both_parse(expat ? judge : p, &o, xml, n, way, &doc[expat], &err[expat]);
        if (!expat) {
            *scanned = !p->uses_expat;
            latin_1 = p->latin_1;
        }
    }
    if (status[0] == GX_OK && status[1] == GX_OK) {
        gx_error why;
        if (doc[0]->size != doc[1]->size || memcmp(doc[0], doc[1], doc[0]->size))
            wrong = "the blocks differ";
        else if (gx_doc_check(doc[0], doc[0]->size, &why))
            wrong = "the block does not check out";
    } else if (status[0] == GX_OK) {
        if (!both_new_names(doc[0]) && !both_new_declarations(xml, n))
            snprintf(what, sizeof what, "Expat refuses it: %u:%u: %s", err[1].line, err[1].column, err[1].text),
                wrong = what;
    } else if (status[1] == GX_OK) {
        if (!latin_1 || !(both_new_names(doc[1]) || both_new_declarations(xml, n)))
            snprintf(what, sizeof what, "refused, and Expat accepts it: %u:%u: %s", err[0].line, err[0].column,
                     err[0].text),
                wrong = what;
    } else if (latin_1 || (both_new_declarations(xml, n) && status[1] == GX_EXML)) {
        ;                       /* Expat stops at a name, or, in Latin-1, goes past one: the errors may be two */
    } else if (status[0] != status[1] || err[0].limit != err[1].limit
               || (both_is_whole(way) && !p->transcode && strcmp(err[0].text, err[1].text))
               || err[0].line != err[1].line || err[0].column != err[1].column || err[0].byte != err[1].byte) {
        /* in pieces, which another encoding makes, Expat may not see all that the sentence could be about */
        snprintf(what, sizeof what, "%u:%u byte %llu: %s; by Expat %u:%u byte %llu: %s", err[0].line, err[0].column,
                 (unsigned long long)err[0].byte, err[0].text, err[1].line, err[1].column,
                 (unsigned long long)err[1].byte, err[1].text),
            wrong = what;
    }
    if (!wrong && status[0] == GX_OK)
        wrong = both_again(p, options, xml, n, doc[0]);
    if (!wrong && both_one_in > 1 && gx_text_hash(1, xml, n) % both_one_in) {
        free(doc[0]);
        free(doc[1]);
        return NULL;
    }
    if (!wrong && !o.flags && both_is_whole(way))
        wrong = both_team(p, options, xml, n, doc[0]);
    if (!wrong && both_is_whole(way) && n > 8)
        wrong = both_in_parts(p, options, xml, n, status[0] == GX_OK ? doc[0] : NULL, &err[0]);
    free(doc[0]);
    free(doc[1]);
    return wrong;
}

#endif
