/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.c -- parts put together (join.h)
 *
 *   part 2:  0 root  1 d (spine)  2 @k (spine)  3 a ...      skip = 3: what is repeated
 *   joined:  ... | a's id is base + (3 - skip), its parent path[1], the d of part 1
 *
 * path[k]: the element at depth k that is open at the part's beginning. Its end and its string grow with each part.
 */
#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include "document/doc_layout.h"
#include "join.h"

typedef struct joiner {
    const gxs_view *v;
    apr_pool_t *pool;
    gx_doc d; /* what there is so far; offsets are of room for all */
    char *block;
    u32 *label, *parent, *next, *off, *len, *ns;
    u16 *depth;
    gx_buf labels, lists, decls, ids, odd, bases, entities, strs;
    apr_hash_t *label_of, *list_of;
    gx_buf label_map, list_map; /* u32: of the part's, ours */
    gx_buf differs;             /* u8: a label's prefix is another one in this part */
    u32 path[65536];
    u32 text, values; /* bytes so far */
    gx_error *err;
} joiner;

u64 gxs_join_bytes(const gxs_view *v, const gxs_doc *doc)
{
    u64 sum = 4096;
    for (u32 i = 0; i < doc->n_parts; i++)
        sum += v->parts[doc->first_part + i].block_bytes + 4096;
    return sum;
}

static gx_status no_memory(joiner *j)
{
    return gx_fail(j->err, GX_ENOMEM, j->v->path, 0, 0, "not enough memory to put a document together");
}

/* A slice of the part's strings, once more: where it is in ours */
static int copy_string(joiner *j, const gx_doc *from, u32 *at, u32 len)
{
    const u32 to = (u32)j->strs.n;
    char *room = gx_buf_push(&j->strs, len + 1);
    if (!room)
        return 0;
    j->strs.n--;
    memcpy(room, GX_DOC_COL(from, char, strs) + *at, len);
    *at = to;
    return 1;
}

/* ---- tables ---- */

/* kind, prefix of a namespace node, local name and URI: what makes a label */
static gx_status map_labels(joiner *j, const gx_doc *from)
{
    const gx_label_info *info = GX_DOC_COL(from, gx_label_info, labels);
    const char *strs = GX_DOC_COL(from, char, strs);
    j->label_map.n = j->differs.n = 0;
    for (u32 i = 0; i < from->n_labels; i++) {
        gx_label_info l = info[i];
        const u32 n = 8 + l.local_len + l.uri_len;
        char *key = apr_palloc(j->pool, n);
        memcpy(key, &l.kind, 4);
        memcpy(key + 4, &l.local_len, 4);
        memcpy(key + 8, strs + l.local, l.local_len);
        memcpy(key + 8 + l.local_len, strs + l.uri, l.uri_len);
        u32 *known = apr_hash_get(j->label_of, key, n), *map = gx_buf_push(&j->label_map, sizeof *map);
        u8 *differs = gx_buf_push(&j->differs, 1);
        if (!map || !differs)
            return no_memory(j);
        if (!known) {
            known = apr_palloc(j->pool, sizeof *known);
            *known = GX_BUF_N(&j->labels, gx_label_info);
            apr_hash_set(j->label_of, key, n, known);
            gx_label_info *to = gx_buf_push(&j->labels, sizeof *to);
            if (!to || !copy_string(j, from, &l.local, l.local_len) || !copy_string(j, from, &l.uri, l.uri_len)
                || !copy_string(j, from, &l.prefix, l.prefix_len))
                return no_memory(j);
            *to = l;
        }
        const gx_label_info *ours = &GX_BUF_AT(&j->labels, gx_label_info)[*known];
        *map = GX_LABEL(l.kind, *known);
        *differs = ours->prefix_len != l.prefix_len
                   || memcmp(j->strs.at + ours->prefix, strs + info[i].prefix, l.prefix_len) != 0;
    }
    return GX_OK;
}

/* list_map[i] := our number of the part's namespace list i. A list is known by its declarations, prefix and URI with
 * their lengths; one that no part before had is added. O(declarations of the part). */
static gx_status map_lists(joiner *j, const gx_doc *from)
{
    const gx_ns_list *lists = GX_DOC_COL(from, gx_ns_list, ns_lists);
    const gx_ns_decl *decls = GX_DOC_COL(from, gx_ns_decl, ns_decls);
    const char *strs = GX_DOC_COL(from, char, strs);
    j->list_map.n = 0;
    for (u32 i = 0; i < from->n_ns_lists; i++) {
        u32 n = 0;
        for (u32 k = 0; k < lists[i].n; k++)
            n += 8 + decls[lists[i].first + k].prefix_len + decls[lists[i].first + k].uri_len;
        char *key = apr_palloc(j->pool, n + 1), *at = key;
        for (u32 k = 0; k < lists[i].n; k++) {
            const gx_ns_decl *d = &decls[lists[i].first + k];
            memcpy(at, &d->prefix_len, 4);
            memcpy(at + 4, &d->uri_len, 4);
            memcpy(at + 8, strs + d->prefix, d->prefix_len);
            memcpy(at + 8 + d->prefix_len, strs + d->uri, d->uri_len);
            at += 8 + d->prefix_len + d->uri_len;
        }
        u32 *known = apr_hash_get(j->list_of, key, n), *map = gx_buf_push(&j->list_map, sizeof *map);
        if (!map)
            return no_memory(j);
        if (!known) {
            known = apr_palloc(j->pool, sizeof *known);
            *known = GX_BUF_N(&j->lists, gx_ns_list);
            apr_hash_set(j->list_of, key, n, known);
            gx_ns_list *to = gx_buf_push(&j->lists, sizeof *to);
            if (!to)
                return no_memory(j);
            *to = (gx_ns_list){ GX_BUF_N(&j->decls, gx_ns_decl), lists[i].n };
            for (u32 k = 0; k < lists[i].n; k++) {
                gx_ns_decl d = decls[lists[i].first + k], *decl = gx_buf_push(&j->decls, sizeof d);
                if (!decl || !copy_string(j, from, &d.prefix, d.prefix_len) || !copy_string(j, from, &d.uri, d.uri_len))
                    return no_memory(j);
                *decl = d;
            }
        }
        *map = *known;
    }
    return GX_OK;
}

/* IDs and base URIs of nodes from skip on; entities of the first part, as all have the same DTD */
static gx_status put_tables(joiner *j, const gx_doc *from, u32 skip, u32 base)
{
    for (u32 i = 0; i < from->n_ids; i++) {
        gx_doc_id id = GX_DOC_COL(from, gx_doc_id, ids)[i], *to;
        if (id.node < skip)
            continue;
        if (!(to = gx_buf_push(&j->ids, sizeof id)) || !copy_string(j, from, &id.value, id.value_len))
            return no_memory(j);
        id.node += base - skip;
        *to = id;
    }
    for (u32 i = 0; i < from->n_bases; i++) {
        gx_doc_base b = GX_DOC_COL(from, gx_doc_base, bases)[i], *to;
        if (b.node < skip)
            continue;
        if (!(to = gx_buf_push(&j->bases, sizeof b)) || !copy_string(j, from, &b.uri, b.uri_len))
            return no_memory(j);
        b.node += base - skip;
        *to = b;
    }
    for (u32 i = 0; !base && i < from->n_entities; i++) {
        gx_doc_entity e = GX_DOC_COL(from, gx_doc_entity, entities)[i], *to = gx_buf_push(&j->entities, sizeof e);
        if (!to || !copy_string(j, from, &e.name, e.name_len) || !copy_string(j, from, &e.uri, e.uri_len))
            return no_memory(j);
        *to = e;
    }
    return GX_OK;
}

/* Prefixes other than our label's: those that the part lists, and nodes of labels that have another one in this part */
static gx_status put_odd(joiner *j, const gx_doc *from, u32 skip, u32 base)
{
    const u32 *label = GX_DOC_COL(from, u32, label);
    const gx_doc_odd *odd = GX_DOC_COL(from, gx_doc_odd, odd);
    const gx_label_info *info = GX_DOC_COL(from, gx_label_info, labels);
    const u8 *differs = (const u8 *)j->differs.at;
    u32 k = 0;
    if (!from->n_odd && !memchr(differs, 1, from->n_labels))
        return GX_OK;
    for (u32 i = 0; i < from->n_nodes; i++) {
        const u32 id = GX_LABEL_ID(label[i]);
        const int is_odd = k < from->n_odd && odd[k].node == i;
        gx_doc_odd o = is_odd ? odd[k++] : (gx_doc_odd){ i, info[id].prefix, info[id].prefix_len };
        if (i < skip || (!is_odd && !differs[id]))
            continue;
        gx_doc_odd *to = gx_buf_push(&j->odd, sizeof o);
        if (!to || !copy_string(j, from, &o.prefix, o.prefix_len))
            return no_memory(j);
        o.node += base - skip;
        *to = o;
    }
    return GX_OK;
}

/* ---- nodes ---- */

/* Nodes of the spine, with the root and what is attached to them */
static u32 skip_of(const gx_doc *from, u32 spine)
{
    const u32 *label = GX_DOC_COL(from, u32, label);
    u32 i = 1, elements = 0;
    for (; i < from->n_nodes; i++) {
        const u32 kind = GX_LABEL_KIND(label[i]);
        if (!GX_IS_ATTACHED(kind) && (kind != GX_KIND_ELEM || elements == spine))
            break;
        elements += kind == GX_KIND_ELEM;
    }
    return elements == spine ? i : 0;
}

/* The part's nodes behind ours: ids go up by base - skip, places in the heaps by what stands there already; a node
 * whose parent is in the repeated spine gets the element that is open in ours. Elements of the spine now end where
 * this part does. At last j->path is what is open at the part's end. O(nodes + bytes). */
static gx_status put_nodes(joiner *j, const gx_doc *from, u32 part, u32 skip, u32 base)
{
    const u32 *label = GX_DOC_COL(from, u32, label), *parent = GX_DOC_COL(from, u32, parent),
              *next = GX_DOC_COL(from, u32, next), *off = GX_DOC_COL(from, u32, text_off),
              *len = GX_DOC_COL(from, u32, text_len), *ns = from->ns ? GX_DOC_COL(from, u32, ns) : NULL,
              *map = GX_BUF_AT(&j->label_map, u32), *lists = GX_BUF_AT(&j->list_map, u32), n = from->n_nodes,
              more = base - skip;
    const u16 *depth = GX_DOC_COL(from, u16, depth);
    for (u32 i = 0; i < skip; i++) /* the spine goes on */
        if (GX_LABEL_KIND(label[i]) <= GX_KIND_ELEM) {
            const u32 open = j->path[depth[i]];
            j->next[open] = next[i] + more;
            j->len[open] = j->text + off[i] + len[i] - j->off[open];
        }
    for (u32 i = skip; i < n; i++) {
        const u32 to = i + more, kind = GX_LABEL_KIND(label[i]);
        j->label[to] = map[GX_LABEL_ID(label[i])];
        j->parent[to] = kind == GX_KIND_ROOT ? GX_NONE
                        : parent[i] < skip   ? j->path[depth[parent[i]]]
                                             : parent[i] + more;
        j->next[to] = next[i] + more;
        j->depth[to] = depth[i];
        j->off[to] = off[i] + (kind <= GX_KIND_TEXT ? j->text : j->values);
        j->len[to] = len[i];
        j->ns[to] = ns ? lists[ns[i]] : 0;
    }
    for (u32 i = n - 1; i >= skip && i; i = parent[i]) /* what may be open where the next part begins */
        if (GX_LABEL_KIND(label[i]) == GX_KIND_ELEM)
            j->path[depth[i]] = i + more;
    if (!part)
        j->path[0] = 0;
    memcpy(j->block + j->d.text + j->text, GX_DOC_COL(from, char, text), from->text_size);
    memcpy(j->block + j->d.values + j->values, GX_DOC_COL(from, char, values), from->values_size);
    j->text += (u32)from->text_size;
    j->values += (u32)from->values_size;
    j->d.max_depth = from->max_depth > j->d.max_depth ? from->max_depth : j->d.max_depth;
    j->d.flags &= from->flags;
    return GX_OK;
}

/* One part behind those before. Each part has been checked as a document of its own; checked here is what only
 * joining asks for: that it begins with its spine, that the spine is open in ours, and that it fits the room that its
 * sizes promised. */
static gx_status put_part(joiner *j, const gx_doc *from, u32 part, u32 spine)
{
    const u32 skip = part ? skip_of(from, spine) : 0, base = j->d.n_nodes;
    if ((part && !skip) || from->n_roots != 1 || from->line)
        return gx_fail(j->err, GX_EBAD, j->v->path, 0, 0, "part %u of a document does not begin with its spine",
                       part + 1);
    for (u32 i = 1, depth = 0; i < skip; i++) /* of these the parts before must have had the elements */
        if (GX_LABEL_KIND(GX_DOC_COL(from, u32, label)[i]) == GX_KIND_ELEM && j->path[++depth] >= base)
            return gx_fail(j->err, GX_EBAD, j->v->path, 0, 0, "part %u of a document does not follow the one before",
                           part + 1);
    if (from->n_nodes - skip > j->d.index_start - base || from->text_size > j->d.text_size - j->text
        || from->values_size > j->d.values_size - j->values || j->strs.n + from->strs_size > GX_NONE)
        return gx_fail(j->err, GX_EBAD, j->v->path, 0, 0, "part %u of a document is larger than it says", part + 1);
    if (!part) {
        j->d.seed = from->seed;
        j->d.flags = from->flags;
        j->d.base_uri = from->base_uri;
        j->d.base_uri_len = from->base_uri_len;
        if (!copy_string(j, from, &j->d.base_uri, j->d.base_uri_len))
            return no_memory(j);
    }
    GX_TRY(map_labels(j, from));
    GX_TRY(map_lists(j, from));
    GX_TRY(put_tables(j, from, skip, base));
    GX_TRY(put_odd(j, from, skip, base));
    GX_TRY(put_nodes(j, from, part, skip, base));
    j->d.n_nodes += from->n_nodes - skip;
    return GX_OK;
}

/* ---- the block ---- */

/* What the parts say of themselves, before they are read: room for all of their nodes and strings */
static gx_status measure(joiner *j, const gxs_doc *doc, u64 *nodes, u64 *text, u64 *values)
{
    *nodes = *text = *values = 0;
    for (u32 i = 0; i < doc->n_parts; i++) {
        u64 n, t, w;
        GX_TRY(gxs_part_sizes(j->v, doc->first_part + i, &n, &t, &w, j->err));
        *nodes += n;
        *text += t;
        *values += w;
    }
    if (*nodes >= GX_NONE || *text >= GX_NONE || *values >= GX_NONE)
        return gx_fail(j->err, GX_ELIMIT, j->v->path, 0, 0,
                       "document \"%.*s\" has more nodes, or more text, than one document in memory can have: 4 G",
                       (int)doc->name_len, j->v->names + doc->name);
    return GX_OK;
}

/* The columns of the joined block, each with room for all parts' nodes, in one piece of memory. What follows (labels,
 * lists, strings) is placed when it is known how much there is. */
static gx_status make_room(joiner *j, gx_buf *block, u64 nodes, u64 text, u64 values)
{
    gx_doc *d = &j->d;
    u64 size = sizeof *d;
    d->label = gx_doc_place(&size, nodes * 4);
    d->parent = gx_doc_place(&size, nodes * 4);
    d->next = gx_doc_place(&size, nodes * 4);
    d->depth = gx_doc_place(&size, nodes * 2);
    d->text_off = gx_doc_place(&size, nodes * 4);
    d->text_len = gx_doc_place(&size, nodes * 4);
    d->ns = gx_doc_place(&size, nodes * 4);
    d->index = gx_doc_place(&size, nodes * 4);
    d->text = gx_doc_place(&size, text);
    d->values = gx_doc_place(&size, values);
    block->n = 0;
    if (gx_buf_room(block, size))
        return no_memory(j);
    block->n = size;
    j->block = block->at;
    j->label = (u32 *)(void *)(j->block + d->label);
    j->parent = (u32 *)(void *)(j->block + d->parent);
    j->next = (u32 *)(void *)(j->block + d->next);
    j->depth = (u16 *)(void *)(j->block + d->depth);
    j->off = (u32 *)(void *)(j->block + d->text_off);
    j->len = (u32 *)(void *)(j->block + d->text_len);
    j->ns = (u32 *)(void *)(j->block + d->ns);
    d->index_start = nodes; /* until it is placed: how many there is room for */
    d->text_size = text;
    d->values_size = values;
    return GX_OK;
}

static int by_hash(const void *a, const void *b)
{
    const gx_doc_id *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : x->node < y->node ? -1 : x->node > y->node;
}

/* The tables behind columns and heaps that are in `block` already, then the header, which says where all are; IDs are
 * sorted. *out points into `block`. The name index is made last, from the labels. GX_ENOMEM. */
static gx_status finish(joiner *j, gx_buf *block, gx_doc **out)
{
    gx_doc *d = &j->d;
    const u32 root = 0;
    d->magic = GX_DOC_MAGIC;
    d->n_roots = 1;
    d->n_labels = GX_BUF_N(&j->labels, gx_label_info);
    d->n_ns_lists = GX_BUF_N(&j->lists, gx_ns_list);
    d->n_ns_decls = GX_BUF_N(&j->decls, gx_ns_decl);
    d->n_ids = GX_BUF_N(&j->ids, gx_doc_id);
    d->n_entities = GX_BUF_N(&j->entities, gx_doc_entity);
    d->n_odd = GX_BUF_N(&j->odd, gx_doc_odd);
    d->n_bases = GX_BUF_N(&j->bases, gx_doc_base);
    d->text_size = j->text;
    d->values_size = j->values;
    d->strs_size = j->strs.n;
    if (d->n_ids)
        qsort(j->ids.at, d->n_ids, sizeof(gx_doc_id), by_hash);
    const struct {
        u64 *at;
        const void *from;
        u64 n;
    } tables[] = {
        { &d->labels, j->labels.at, j->labels.n },
        { &d->ns_lists, j->lists.at, j->lists.n },
        { &d->ns_decls, j->decls.at, j->decls.n },
        { &d->ids, j->ids.at, j->ids.n },
        { &d->entities, j->entities.at, j->entities.n },
        { &d->odd, j->odd.at, j->odd.n },
        { &d->bases, j->bases.at, j->bases.n },
        { &d->roots, &root, sizeof root },
        { &d->index_start, NULL, (d->n_labels + 1ull) * 4 },
        { &d->strs, j->strs.at, j->strs.n },
    };
    const u64 start = block->n;
    u64 size = start;
    for (u32 i = 0; i < sizeof tables / sizeof *tables; i++)
        *tables[i].at = gx_doc_place(&size, tables[i].n);
    d->size = (size + 15) & ~15ull;
    if (gx_buf_room(block, d->size - start))
        return no_memory(j);
    memset(block->at + start, 0, d->size - start);
    for (u32 i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].from && tables[i].n)
            memcpy(block->at + *tables[i].at, tables[i].from, tables[i].n);
    block->n = d->size;
    memcpy(block->at, d, sizeof *d);
    *out = (gx_doc *)(void *)block->at;
    gx_doc_index(*out);
    return GX_OK;
}

/* The whole document of its parts: their sizes are summed up first, so that the block is made once; then each part is
 * read, and its nodes, labels, namespaces and IDs renumbered behind what is there. GX_EBAD where parts do not belong
 * together: the block is checked like any other's. */
gx_status gxs_join(const gxs_view *v, const gxs_doc *doc, gxs_room *room, gx_buf *block, gx_doc **out, gx_error *err)
{
    joiner *j = calloc(1, sizeof *j);
    u64 nodes, text, values;
    if (!j || apr_pool_create(&j->pool, NULL) != APR_SUCCESS) {
        free(j);
        return gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory to put a document together");
    }
    j->v = v;
    j->err = err;
    j->label_of = apr_hash_make(j->pool);
    j->list_of = apr_hash_make(j->pool);
    gx_status status = measure(j, doc, &nodes, &text, &values);
    if (status == GX_OK)
        status = make_room(j, block, nodes, text, values);
    for (u32 i = 0; i < doc->n_parts && status == GX_OK; i++) {
        gx_doc *from;
        if ((status = gxs_part_read(v, doc->first_part + i, room, &from, err)) == GX_OK)
            status = put_part(j, from, i, v->parts[doc->first_part + i].spine);
    }
    if (status == GX_OK)
        status = finish(j, block, out);
    if (status == GX_OK)
        status = gx_doc_check(*out, (*out)->size, err); /* parts of a stranger's file need not belong together */
    gx_buf *all[] = { &j->labels,   &j->lists, &j->decls,     &j->ids,      &j->odd,    &j->bases,
                      &j->entities, &j->strs,  &j->label_map, &j->list_map, &j->differs };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
    apr_pool_destroy(j->pool);
    free(j);
    return status;
}
