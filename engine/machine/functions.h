/*
 * functions.h -- the function library on columns (XPath 1.0, 4; XSLT 1.0, 12)
 *
 * Strings that are parts of their arguments are slices, nothing is copied. Those that are new (concat, translate, ...) are built in
 * kept memory in two steps: lengths, then bytes; a team of one that can write at once does.
 *
 * Keys. One index for each key name and document, made when key() first asks:
 *     entries by bucket (hash & mask), in document order in a bucket:  start[b] .. start[b + 1]
 *     entry: hash, node, value
 */
#ifndef GX_OP_FUNC_H
#define GX_OP_FUNC_H

#include "bind.h"
#include "merge.h"
#include "eval.h"
#include "format.h"
#include "match.h"

typedef struct gx_key_entry { gx_str value; u32 hash, node; } gx_key_entry;
/* refs: u32[mask + 2], gx_key_entry[n]; in a bucket the nodes of a value are in document order when all are of one xsl:key */
typedef struct gx_key_index { u32 mask, n; u32 start, entries; } gx_key_index;

GX_OP gx_str gx_slice(gx_str s, gx_span part) { return part.len ? gx_str_make(s.at + part.off, part.len) : gx_str_none(); }

GX_OP u32 gx_args_rows(const gx_v *args, u32 argc, u32 n)
{
    for (u32 i = 0; i < argc; i++)
        if (!args[i].is_const)
            return n;
    return 1;
}

/*
 * Do the row's arguments after the first stand behind it already, as in concat(normalize-space($rest), ' '), $rest being the end of what the same
 * concat() made a level above? Within one string that is remembered (gx_grow): it lives as long as the slice.
 */
GX_OP int gx_concat_stands(const gx_m *m, const gx_v *args, u32 argc)
{
    const gx_str s = ((const gx_str *)args[0].data)[0];
    const u64 at = GX_STR_OFF(s.at);
    u32 k = GX_STR_SPACE(s.at) == GX_SPACE_ARENA ? 0 : GX_ROOMS;
    const char *p = gx_bytes(m, s) + s.len;

    while (k < GX_ROOMS && (at < m->run->rooms->at[k].from || at + s.len > m->run->rooms->at[k].to))
        k++;
    if (k == GX_ROOMS)
        return 0;
    u64 left = m->run->rooms->at[k].to - (at + s.len);
    for (u32 j = 1; j < argc; j++) {
        const gx_str part = ((const gx_str *)args[j].data)[0];
        if (part.len > left || !gx_bytes_equal(p, gx_bytes(m, part), part.len))
            return 0;
        left -= part.len;
        p += part.len;
    }
    return 1;
}

/* concat() for one row with a long argument. *grown: it is done. */
GX_OP_BIG gx_status gx_concat_long(gx_m *m, const gx_v *args, u32 argc, gx_str *out, int *grown)
{
    u32 longest = 0;
    u64 before = 0, after = 0;
    char *bytes;
    gx_str s;

    for (u32 k = 1; k < argc; k++)
        if (((const gx_str *)args[k].data)[0].len > ((const gx_str *)args[longest].data)[0].len)
            longest = k;
    s = ((const gx_str *)args[longest].data)[0];
    *grown = s.len >= GX_GROW_LEAST;
    if (!*grown)
        return GX_OK;
    for (u32 k = 0; k < argc; k++)
        *(k < longest ? &before : &after) += k == longest ? 0 : ((const gx_str *)args[k].data)[0].len;
    if (!longest && gx_concat_stands(m, args, argc)) {
        if (team_rank(&m->t) == 0)
            out[0] = gx_str_make(s.at, (u32)(s.len + after));
        team_sync(&m->t);
        return GX_OK;
    }
    GX_TRY(gx_grow(m, before, s, after, &bytes));
    if (team_rank(&m->t) == 0) {
        char *p = bytes;
        for (u32 k = 0; k < argc; k++) {
            gx_str part = ((const gx_str *)args[k].data)[0];
            if (k != longest)
                memcpy(p, gx_bytes(m, part), part.len);
            p += part.len;
        }
        out[0] = gx_arena_str(m, bytes, (u32)(before + s.len + after));
    }
    team_sync(&m->t);
    return GX_OK;
}

GX_OP_BIG gx_status gx_concat(gx_m *m, const gx_v *args, u32 argc, u32 rows, gx_str *out)
{
    u32 *at;
    char *bytes;

    if (rows == 1) {
        int grown;
        GX_TRY(gx_concat_long(m, args, argc, out, &grown));
        if (grown)
            return GX_OK;
    }
    GX_TMP(m, at, u32, rows + 1);
    TEAM_FOR(&m->t, i, rows) {
        u32 len = 0;
        for (u32 k = 0; k < argc; k++)
            len = gx_len_add(len, ((const gx_str *)args[k].data)[GX_ROW(&args[k], i)].len);
        at[i] = len;
    }
    GX_TRY(gx_build(m, at, rows, &bytes));
    TEAM_FOR(&m->t, j, rows) {
        char *p = bytes + at[j];
        for (u32 k = 0; k < argc; k++) {
            gx_str s = ((const gx_str *)args[k].data)[GX_ROW(&args[k], j)];
            memcpy(p, gx_bytes(m, s), s.len);
            p += s.len;
        }
        out[j] = gx_arena_str(m, bytes + at[j], at[j + 1] - at[j]);
    }
    team_sync(&m->t);
    return GX_OK;
}

GX_OP_BIG gx_status gx_normalize(gx_m *m, const gx_v *arg, u32 rows, gx_str *out)
{
    const gx_str *in = (const gx_str *)arg->data;
    u32 *at, build = 0;
    char *bytes = NULL;
    gx_watch watch = gx_watch_start();

    GX_TMP(m, at, u32, rows + 1);
    TEAM_FOR(&m->t, i, rows) {
        gx_span span;
        const char *s = gx_bytes(m, in[i]);
        if (gx_watch_late(m, &watch, GX_WATCH_BYTES(in[i].len)))
            break;
        at[i] = 0;
        if (gx_text_is_normal_space(s, in[i].len, &span))
            out[i] = gx_slice(in[i], span);
        else {
            at[i] = gx_text_normalize_length(s, in[i].len);
            build = 1;
        }
    }
    GX_TRY(gx_watch_end(m, &watch));
    if (!team_any(&m->t, (int)build))
        return GX_OK;
    GX_TRY(gx_build(m, at, rows, &bytes));
    TEAM_FOR(&m->t, k, rows)
        if (at[k + 1] != at[k]) {
            gx_text_normalize_write(gx_bytes(m, in[k]), in[k].len, bytes + at[k]);
            out[k] = gx_arena_str(m, bytes + at[k], at[k + 1] - at[k]);
        }
    team_sync(&m->t);
    return GX_OK;
}

/* gx_translation_apply in pieces of some bytes, since it looks through all of the second argument for a character beyond ASCII */
#define GX_TRANSLATE_PIECE 1024u
GX_OP_BIG u64 gx_translate_row(const gx_m *m, const gx_translation *tr, gx_str s, char *out, gx_watch *watch)
{
    const char *p = gx_bytes(m, s);
    u64 len = 0;

    for (u32 b = 0, e; b < s.len; b = e) {
        e = s.len - b > GX_TRANSLATE_PIECE ? b + GX_TRANSLATE_PIECE : s.len;
        while (e < s.len && !gx_utf8_is_start(p[e]))
            e++;
        len += gx_translation_apply(tr, p + b, e - b, out ? out + len : NULL);
        if (gx_watch_late(m, watch, (e - b) * (1 + (tr->others ? (u64)tr->from_len : 0)) / 4))
            break;
    }
    return len;
}

GX_OP_BIG gx_status gx_translate(gx_m *m, const gx_v *args, u32 rows, gx_str *out)
{
    u32 *at;
    char *bytes = NULL;
    int same = args[1].is_const && args[2].is_const;

    GX_TMP(m, at, u32, rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        gx_translation tr;
        int ready = 0;
        TEAM_FOR(&m->t, i, rows) {
            gx_str s = gx_row_str(m, &args[0], i);
            u64 len;
            if (!ready || !same) {
                gx_str from = gx_row_str(m, &args[1], i), to = gx_row_str(m, &args[2], i);
                gx_translation_init(&tr, gx_bytes(m, from), from.len, gx_bytes(m, to), to.len);
                ready = 1;
                watch.work += GX_WATCH_BYTES((u64)from.len + to.len);
            }
            len = gx_translate_row(m, &tr, s, pass ? bytes + at[i] : NULL, &watch);
            if (gx_watch_late(m, &watch, 0))
                break;
            if (!pass)
                at[i] = len > GX_LONGEST ? GX_LONGEST : (u32)len;
            else
                out[i] = gx_arena_str(m, bytes + at[i], at[i + 1] - at[i]);
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass)
            GX_TRY(gx_build(m, at, rows, &bytes));
    }
    team_sync(&m->t);
    return GX_OK;
}

/* names of nodes: 0 local-name, 1 namespace-uri, 2 name */
GX_OP_BIG gx_status gx_names(gx_m *m, const gx_v *arg, u32 rows, int what, gx_str *out)
{
    u32 *at, build = 0;
    char *bytes = NULL;

    GX_TMP(m, at, u32, rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        TEAM_FOR(&m->t, i, rows) {
            u32 node = gx_v_first(arg, i), kind;
            const gx_view *v;
            const gx_label_info *l;
            u32 prefix, prefix_len;
            if (!pass) {
                at[i] = 0;
                out[i] = gx_str_none();
            }
            if (node == GX_NONE)
                continue;
            v = gx_view_of(m, node);
            kind = gx_kind(v, node);
            if (kind == GX_KIND_ROOT || kind == GX_KIND_TEXT || kind == GX_KIND_COMMENT)
                continue;
            l = &v->labels[GX_LABEL_ID(gx_label(v, node))];
            if (what == 1) {
                if (kind != GX_KIND_NS && !pass && l->uri_len)
                    out[i] = gx_view_name(v, l->uri, l->uri_len);
                continue;
            }
            prefix = l->prefix;
            prefix_len = l->prefix_len;
            if (v->doc->n_odd) {
                const gx_doc_odd *odd = GX_DOC_COL(v->doc, gx_doc_odd, odd);
                u32 lo = 0, hi = v->doc->n_odd;
                while (lo < hi) {
                    u32 mid = (lo + hi) / 2;
                    if (odd[mid].node < node - v->base)
                        lo = mid + 1;
                    else
                        hi = mid;
                }
                if (lo < v->doc->n_odd && odd[lo].node == node - v->base) {
                    prefix = odd[lo].prefix;
                    prefix_len = odd[lo].prefix_len;
                }
            }
            if (what == 0 || !prefix_len || kind == GX_KIND_NS || kind == GX_KIND_PI) {
                if (!pass && l->local_len)
                    out[i] = gx_view_name(v, l->local, l->local_len);
            } else if (!pass) {
                at[i] = prefix_len + 1 + l->local_len;
                build = 1;
            } else {
                char *p = bytes + at[i];
                const char *heap = GX_DOC_COL(v->doc, char, strs);
                memcpy(p, heap + prefix, prefix_len);
                p[prefix_len] = ':';
                memcpy(p + prefix_len + 1, heap + l->local, l->local_len);
                out[i] = gx_arena_str(m, p, at[i + 1] - at[i]);
            }
        }
        if (!pass) {
            if (!team_any(&m->t, (int)build))
                return GX_OK;
            GX_TRY(gx_build(m, at, rows, &bytes));
        }
    }
    team_sync(&m->t);
    return GX_OK;
}

/* sum() of each row, in document order: doubles do not add up the same in another. A long row's numbers are read by all members; a row that has the
 * nodes of the one before, and others behind them (GX_F_BESIDE), goes on from there. */
GX_OP_BIG gx_status gx_sum(gx_m *m, gx_v *set, u32 rows, double *num)
{
    gx_watch watch = gx_watch_start();
#if !TEAM_IS_SOLO
    int longest = 0, shared = 0;
    TEAM_FOR(&m->t, r0, rows) {
        u32 b, e, before, end;
        gx_v_range(set, r0, &b, &e);
        gx_v_range(set, r0 ? r0 - 1 : 0, &before, &end);
        longest |= e - b > 64;
        shared |= r0 && b == before && b < end;
    }
    if (team_any(&m->t, longest) && !team_any(&m->t, shared)) {
        double *x;
        GX_TRY(gx_v_dense(m, set, rows));
        GX_TMP(m, x, double, set->off[rows]);
        TEAM_FOR(&m->t, k, set->off[rows]) {
            const u32 node = ((const u32 *)set->data)[k];
            x[k] = gx_node_num(m, node);
            if (gx_watch_late(m, &watch, gx_node_work(m, node)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        TEAM_FOR(&m->t, r1, rows) {
            double sum = 0;
            for (u32 k = set->off[r1]; k < set->off[r1 + 1]; k++)
                sum += x[k];
            num[r1] = sum;
        }
        return GX_OK;
    }
#endif
    u32 first = 0, at = 0;              /* sum: of the nodes from first up to here */
    double sum = 0;
    TEAM_FOR(&m->t, r, rows) {
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        if (b != first || e < at) {
            first = at = b;
            sum = 0;
        }
        for (; at < e && !gx_watch_late(m, &watch, gx_node_work(m, ((const u32 *)set->data)[at])); at++)
            sum += gx_node_num(m, ((const u32 *)set->data)[at]);
        num[r] = sum;
    }
    return gx_watch_end(m, &watch);
}

/* Does one of the ids[b .. e), all of them before the node, belong to an element that the node is in, as it or its attribute? */
GX_OP int gx_is_around(const gx_view *v, const u32 *ids, u32 b, u32 e, u32 node)
{
    for (u32 a = gx_parent(v, node); b < e && a != GX_NONE; a = gx_parent(v, a)) {
        const u32 k = gx_index_lower(ids, b, e, a);
        if (k < e && (ids[k] == a || (ids[k] - v->base < v->n_nodes && gx_is_attached(v, ids[k] - v->base) && gx_parent(v, ids[k]) == a)))
            return 1;
    }
    return 0;
}
/* ids[b .. e) without these, to `to` (NULL: nowhere); how many */
GX_OP u32 gx_not_around(const gx_view *v, const u32 *ids, u32 b, u32 e, u32 node, u32 *to)
{
    u32 n = 0;

    for (u32 k = b; k < e; k++) {
        const int here = ids[k] - v->base < v->n_nodes;         /* only a program that was not compiled here has others' */
        const u32 owner = here && gx_is_attached(v, ids[k] - v->base) ? gx_parent(v, ids[k]) : ids[k];
        if (here && gx_next(v, owner) > node)
            continue;
        if (to)
            to[n] = ids[k];
        n++;
    }
    return n;
}
/*
 * Of each row's set the part that belongs to those on the axis of the row's node: siblings and what is below them, or any nodes and attributes. The ids
 * stay where they are, but where a row's node is in some of those before it.
 */
GX_OP_BIG gx_status gx_beside(gx_m *m, const gx_v *set, const gx_v *nodes, u32 axis, u32 rows, gx_v *out)
{
    const u32 *ids = (const u32 *)set->data;
    const int siblings = axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING_SIBLING;
    u32 *off, *cnt, *start, *own = NULL, around = 0, total;
    gx_watch watch = gx_watch_start();

    GX_TMP(m, off, u32, rows);
    GX_TMP(m, cnt, u32, rows);
    TEAM_FOR(&m->t, r, rows) {
        const u32 node = gx_v_first(nodes, r);
        const gx_view *v = gx_view_of(m, node == GX_NONE ? 0 : node);
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        if (node == GX_NONE || (siblings && gx_is_attached(v, node - v->base)))
            e = b;
        else if (axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_PRECEDING) {
            e = gx_index_lower(ids, b, e, node);
            around |= !siblings && gx_is_around(v, ids, b, e, node);
        } else {
            u32 from = gx_next(v, node);        /* behind an attribute are its element's children, not the other attributes */
            while (gx_is_attached(v, node - v->base) && from < v->base + v->n_nodes && gx_is_attached(v, from - v->base))
                from++;
            b = gx_index_lower(ids, b, e, from);
        }
        off[r] = b;
        cnt[r] = e - b;
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, set->data);
    out->off = off;
    out->cnt = cnt;
    if (!team_any(&m->t, (int)around))
        return GX_OK;
    GX_TMP(m, start, u32, (u64)rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        TEAM_FOR(&m->t, r, rows) {
            const u32 node = gx_v_first(nodes, r);
            const u32 n = node == GX_NONE ? 0 : gx_not_around(gx_view_of(m, node), ids, off[r], off[r] + cnt[r], node, pass ? own + start[r] : NULL);
            if (!pass)
                start[r] = n;
            if (gx_watch_late(m, &watch, cnt[r] / 8))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        watch = gx_watch_start();
        if (!pass) {
            GX_TRY(gx_scan(m, start, rows, &total));
            GX_TMP(m, own, u32, total);
        }
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, own);
    out->off = start;
    return GX_OK;
}

GX_OP int gx_lang_row(const gx_m *m, u32 node, gx_str lang, gx_watch *watch)
{
    const gx_view *v = gx_view_of(m, node);
    const char *want = gx_bytes(m, lang), *heap = GX_DOC_COL(v->doc, char, strs);

    for (u32 p = node; p != GX_NONE; p = gx_parent(v, p)) {
        u32 i = p - v->base;
        watch->work++;
        if (GX_LABEL_KIND(v->label[i]) != GX_KIND_ELEM)
            continue;
        for (u32 a = i + 1; a < v->next[i]; a++) {
            u32 kind = GX_LABEL_KIND(v->label[a]), len;
            const gx_label_info *l;
            const char *s;
            if (!GX_IS_ATTACHED(kind) || gx_watch_late(m, watch, 1))
                break;
            l = &v->labels[GX_LABEL_ID(v->label[a])];
            if (kind != GX_KIND_ATTR || l->local_len != 4 || !team_equal(heap + l->local, "lang", 4) || l->uri_len != 36
                || !team_equal(heap + l->uri, "http://www.w3.org/XML/1998/namespace", 36))
                continue;
            s = gx_node_bytes(v, a + v->base, &len);
            if (len < lang.len || (len > lang.len && s[lang.len] != '-'))
                return 0;
            for (u32 k = 0; k < lang.len; k++) {
                char x = s[k], y = want[k];
                x = x >= 'A' && x <= 'Z' ? (char)(x + 32) : x;
                y = y >= 'A' && y <= 'Z' ? (char)(y + 32) : y;
                if (x != y)
                    return 0;
            }
            return 1;
        }
    }
    return 0;
}

/* ---- id() ---- */

/* The ids of one tree: a block holds many when it was made of fragments, and id() and key() ask about the context node's only. */
typedef struct gx_tree_ids { u32 first, end; } gx_tree_ids;

GX_OP gx_tree_ids gx_tree_of(const gx_view *v, u32 node)
{
    gx_tree_ids t;

    t.first = gx_root_of(v, node);
    t.end = gx_next(v, t.first);
    return t;
}

GX_OP void gx_id_tokens(const gx_view *v, gx_tree_ids tree, const char *s, u32 len, gx_fill *f)
{
    for (u32 i = 0; i < len;) {
        u32 b, node;
        while (i < len && gx_number_space(s[i]))
            i++;
        for (b = i; i < len && !gx_number_space(s[i]);)
            i++;
        f->work += i - b;
        if (i > b && (node = gx_id_node(v, s + b, i - b)) != GX_NONE && node >= tree.first && node < tree.end)
            gx_put(f, node);
    }
}

/* ---- keys ---- */

/* Entries by bucket, in a bucket in document order: start[b], mask + 2 of them, is where bucket b begins. found: in document order, one
 * part behind the other. */
typedef struct gx_bucketing { const gx_key_entry *found; u32 mask; } gx_bucketing;
GX_OP int gx_bucket_before(const void *ctx, u32 a, u32 b)
{
    const gx_bucketing *x = (const gx_bucketing *)ctx;
    const u32 p = x->found[a].hash & x->mask, q = x->found[b].hash & x->mask;
    return p != q ? p < q : x->found[a].node != x->found[b].node ? x->found[a].node < x->found[b].node : a < b;
}
#if TEAM_IS_SOLO
GX_OP gx_status gx_key_buckets(gx_m *m, gx_key_entry *found, u32 n, u32 n_parts, u32 mask, u32 *start, gx_key_entry *entries)
{
    const gx_bucketing by = { entries, mask };
    u32 *next, *perm, *aux;

    GX_TMP(m, next, u32, (u64)mask + 2);
    for (u32 i = 0; i <= mask + 1; i++)
        start[i] = 0;
    for (u32 k = 0; k < n; k++)
        start[(found[k].hash & mask) + 1]++;
    for (u32 i = 0; i <= mask; i++)
        start[i + 1] += start[i];
    for (u32 i = 0; i <= mask; i++)
        next[i] = start[i];
    for (u32 k = 0; k < n; k++)
        entries[next[found[k].hash & mask]++] = found[k];
    if (n_parts > 1) {
        GX_TMP(m, perm, u32, n);
        GX_TMP(m, aux, u32, n);
        const u32 *order = gx_merge(m, gx_bucket_before, &by, perm, aux, start, NULL, mask + 1, n);
        for (u32 k = 0; k < n; k++)
            found[k] = entries[order[k]];
        for (u32 k = 0; k < n; k++)
            entries[k] = found[k];
    }
    return GX_OK;
}
#else
GX_OP gx_status gx_key_buckets(gx_m *m, gx_key_entry *found, u32 n, u32 n_parts, u32 mask, u32 *start, gx_key_entry *entries)
{
    const gx_bucketing by = { found, mask };
    u32 *perm, *aux, *row;

    (void)n_parts;
    GX_TMP(m, perm, u32, n);
    GX_TMP(m, aux, u32, n);
    GX_TMP(m, row, u32, 2);
    if (team_rank(&m->t) == 0) {
        row[0] = 0;
        row[1] = n;
    }
    const u32 *order = gx_merge(m, gx_bucket_before, &by, perm, aux, row, NULL, 1, n);
    TEAM_FOR(&m->t, k, n + 1) {                 /* the buckets after the entry before, up to this entry's, begin here */
        const u32 to = k < n ? found[order[k]].hash & mask : mask + 1;
        for (u32 b = k ? (found[order[k - 1]].hash & mask) + 1 : 0; b <= to; b++)
            start[b] = k;
        if (k < n)
            entries[k] = found[order[k]];
    }
    team_sync(&m->t);
    return GX_OK;
}
#endif

typedef struct gx_key_part {    /* of one xsl:key: its nodes, and their values for `use` */
    gx_v values;
    const u32 *nodes;
    u32 n, siblings;
} gx_key_part;

/* A value's hash among the children of a node (gx_key.siblings) */
GX_OP u32 gx_key_hash_in(u32 hash, u32 parent) { return hash ^ (parent + 1) * 0x9e3779b1u; }

GX_OP_BIG gx_status gx_key_build(gx_m *m, u32 name, u32 view)
{
    gx_run *r = m->run;
    const gx_view *v = &r->views[view];
    gx_key_index *index;
    gx_key_entry *entries, *found;
    gx_key_part *parts;
    u32 n = 0, mask = 15, *start, n_parts = 0;
    u32 met = m->calls_met;

    for (u32 k = 0; k < r->program->keys.n; k++)
        n_parts += r->keys[k].name == name;
    GX_TMP(m, parts, gx_key_part, n_parts);
    n_parts = 0;
    for (u32 k = 0; k < r->program->keys.n; k++) {
        const gx_key *key = &r->keys[k];
        const gx_pattern *p = &r->patterns[key->pattern];
        u32 total = v->n_nodes, from = 0, *nodes, *keep, *list, count;
        gx_v values;
        u8 *matched;
        gx_env env;
        if (key->name != name)
            continue;
        GX_TMP(m, nodes, u32, total);
        if (p->n && r->psteps[p->first].test == GX_TEST_NAME) {         /* the name index has them */
            gx_bound_test b = gx_test_bind(r, v, r->psteps[p->first].axis, GX_TEST_NAME, r->psteps[p->first].name);
            total = 0;
            if (b.label != GX_LABEL_NOTHING) {
                from = v->index_start[GX_LABEL_ID(b.label)];
                total = v->index_start[GX_LABEL_ID(b.label) + 1] - from;
            }
            TEAM_FOR(&m->t, i, total)
                nodes[i] = v->index[from + i] + v->base;
        } else
            TEAM_FOR(&m->t, i, total)
                nodes[i] = i + v->base;
        team_sync(&m->t);
        GX_TMP(m, matched, u8, total);
        GX_TRY(gx_match_pattern(m, nodes, total, key->pattern, GX_NONE, matched));
        GX_TMP(m, keep, u32, total + 1);
        TEAM_FOR(&m->t, i, total)
            keep[i] = matched[i];
        GX_TRY(gx_scan(m, keep, total, &count));
        GX_TMP(m, list, u32, count);
        TEAM_FOR(&m->t, i, total)
            if (keep[i + 1] != keep[i])
                list[keep[i]] = nodes[i];
        team_sync(&m->t);
        gx_env_nodes(&env, list, count);
        GX_TRY(gx_eval(m, key->use, &env, &values));
        if (values.type == GX_T_SET) {
            GX_TRY(gx_v_dense(m, &values, count));
            n += gx_v_total(&values);
        } else {
            GX_TRY(gx_to_str(m, &values, count));
            n += count;
        }
        if (team_rank(&m->t) == 0) {
            parts[n_parts].values = values;
            parts[n_parts].nodes = list;
            parts[n_parts].n = count;
            parts[n_parts].siblings = key->siblings;
        }
        n_parts++;
    }
    team_sync(&m->t);
    while (mask < n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_KEEP(m, index, gx_key_index, 1);
    GX_KEEP(m, start, u32, (u64)mask + 2);
    GX_KEEP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    for (u32 k = 0, at = 0; k < n_parts; k++) {
        const gx_key_part part = parts[k];
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, i, part.n) {
            u32 b = i, e = i + 1;
            if (part.values.type == GX_T_SET)
                gx_v_range(&part.values, i, &b, &e);
            for (u32 j = b; j < e; j++) {
                gx_key_entry x;
                if (part.values.type == GX_T_SET) {
                    const u32 node = ((const u32 *)part.values.data)[j];
                    x.value = gx_node_str(gx_view_of(m, node), node);
                } else
                    x.value = gx_row_str(m, &part.values, i);
                x.hash = gx_hash(r->seed, gx_bytes(m, x.value), x.value.len);
                x.node = part.nodes[i];
                if (part.siblings)
                    x.hash = gx_key_hash_in(x.hash, gx_parent(v, x.node));
                found[at + j] = x;
                watch.work += GX_WATCH_BYTES(x.value.len);
            }
            if (gx_watch_late(m, &watch, 1))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        at += part.values.type == GX_T_SET ? gx_v_total(&part.values) : part.n;
    }
    GX_TRY(gx_key_buckets(m, found, n, n_parts, mask, start, entries));
    if (team_rank(&m->t) == 0) {
        index->mask = mask;
        index->n = n;
        index->start = GX_REF_OF(m, start);
        index->entries = GX_REF_OF(m, entries);
        *gx_doc_ref(r, view, name) = GX_REF_OF(m, index);
    }
    m->lasting++;
    gx_calls_drop(m, met);
    team_sync(&m->t);
    return GX_OK;
}

GX_OP int gx_key_is(const gx_m *m, const gx_key_entry *e, u32 hash, const char *s, u32 len)
{
    return e->hash == hash && e->value.len == len && gx_bytes_equal(gx_bytes(m, e->value), s, len);
}

/* What a row's set asked for lately. Many nodes of a set have few values (key('k', //item/@kind)), and each looked up again gives all of its
 * nodes again, to be sorted out later. */
typedef struct gx_asked { u32 n, hash[8], node[8]; } gx_asked;

GX_OP int gx_asked_before(const gx_m *m, gx_asked *a, u32 node, const char *s, u32 len, u32 hash)
{
    for (u32 k = 0; k < a->n && k < 8; k++)
        if (a->hash[k] == hash) {
            u32 other;
            const char *t = gx_node_bytes(gx_view_of(m, a->node[k]), a->node[k], &other);
            if (other == len && gx_bytes_equal(s, t, len))
                return 1;
        }
    a->hash[a->n & 7] = hash;
    a->node[a->n & 7] = node;
    a->n = a->n < 15 ? a->n + 1 : 8;
    return 0;
}

/*
 * The nodes of an axis among a key's (plan/join.c): a node's are within a range of ids, which a bucket's entries stand in order of, since a
 * join's key has one declaration; of those in it one look tells. So the nearest is found by halving, however many have its value.
 */
typedef struct gx_near { const gx_view *v; u32 node, axis, last /* they are wanted from the end */; } gx_near;

GX_OP gx_tree_ids gx_near_ids(const gx_near *near, gx_tree_ids tree)
{
    const gx_view *v = near->v;
    const u32 parent = gx_parent(v, near->node), axis = near->axis;
    const int siblings = axis == GX_AXIS_FOLLOWING_SIBLING || axis == GX_AXIS_PRECEDING_SIBLING;
    const int behind = axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_FOLLOWING_SIBLING, before = axis == GX_AXIS_PRECEDING || axis == GX_AXIS_PRECEDING_SIBLING;
    gx_tree_ids in = { near->node + 1, gx_next(v, near->node) };        /* child, descendant */

    if (siblings && (parent == GX_NONE || gx_is_attached(v, near->node - v->base)))
        in.end = in.first = near->node;
    else if (behind) {
        in.first = gx_next(v, near->node);
        in.end = siblings ? gx_next(v, parent) : tree.end;
    } else if (before) {
        in.first = siblings ? parent : tree.first;
        in.end = near->node;
    }
    return in;
}
/* The hash by which the index has what is on the axis */
GX_OP u32 gx_near_hash(const gx_near *near, u32 hash)
{
    const int siblings = near->axis == GX_AXIS_FOLLOWING_SIBLING || near->axis == GX_AXIS_PRECEDING_SIBLING;

    if (!siblings && near->axis != GX_AXIS_CHILD)
        return hash;
    return gx_key_hash_in(hash, siblings ? gx_parent(near->v, near->node) : near->node);
}
GX_OP int gx_near_has(const gx_near *near, u32 node)
{
    const gx_view *v = near->v;

    switch (near->axis) {
    case GX_AXIS_CHILD: return gx_parent(v, node) == near->node;
    case GX_AXIS_FOLLOWING_SIBLING: case GX_AXIS_PRECEDING_SIBLING: return gx_parent(v, node) == gx_parent(v, near->node);
    case GX_AXIS_PRECEDING: return gx_next(v, node) <= near->node;      /* else an ancestor */
    default: return 1;
    }
}
GX_OP u32 gx_key_lower(const gx_key_entry *e, u32 lo, u32 hi, u32 node)
{
    while (lo < hi) {
        const u32 mid = lo + (hi - lo) / 2;
        if (e[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
/* The entries among which those of the hash are, as indexes; tree: the ids that count */
GX_OP gx_tree_ids gx_key_range(const gx_key_index *index, const u32 *start, const gx_key_entry *e, gx_tree_ids tree, const gx_near *near, u32 hash)
{
    const u32 b = hash & index->mask;
    gx_tree_ids at = { start[b], start[b + 1] };

    if (near) {
        at.first = gx_key_lower(e, at.first, at.end, tree.first);
        at.end = gx_key_lower(e, at.first, at.end, tree.end);
    }
    return at;
}

/* hash: gx_hash's of s */
GX_OP void gx_key_fill(const gx_m *m, u32 ref, gx_tree_ids tree, const gx_near *near, const char *s, u32 len, u32 hash, gx_fill *f)
{
    const gx_key_index *index = GX_PTR(m, const gx_key_index, ref);
    const gx_key_entry *e = GX_PTR(m, const gx_key_entry, index->entries);
    u32 last = GX_NONE;                 /* a node with the same value twice */
    const gx_tree_ids at = gx_key_range(index, GX_PTR(m, const u32, index->start), e, tree, near, hash);

    for (u32 i = at.first; i < at.end; i++, f->work++) {
        const gx_key_entry *x = &e[near && near->last ? at.end - 1 - (i - at.first) : i];
        if (x->node != last && x->node >= tree.first && x->node < tree.end && gx_key_is(m, x, hash, s, len) && (!near || gx_near_has(near, x->node))) {
            last = x->node;
            if (gx_put(f, last))
                return;
        }
    }
}

/* The index of key `name` for each document that the rows' context nodes (those of them that ask for this key) are in. */
GX_OP_BIG gx_status gx_key_indexes(gx_m *m, u32 name, const u32 *names, const u32 *context, u32 rows)
{
    team_sync(&m->t);
    for (u32 at = 0, view; (view = gx_doc_lacking(m, name, names, context, rows, &at)) != GX_NONE; ) {
        if (m->key_depth == GX_KEY_DEPTH)
            return gx_raise(m, GX_KEY_TOO_DEEP, GX_RE_KEY_DEPTH, gx_str_none());
        m->key_depth++;
        const gx_status status = gx_key_build(m, name, view);
        m->key_depth--;
        GX_TRY(status);
    }
    return GX_OK;
}

/* v: a dense SET in order, rows with one node at most then: the first, or the last */
GX_OP_BIG gx_status gx_v_heads(gx_m *m, gx_v *v, int last)
{
    u32 *off, *ids, total;

    GX_TMP(m, off, u32, v->n + 1);
    TEAM_FOR(&m->t, i, v->n)
        off[i] = v->off[i + 1] != v->off[i];
    GX_TRY(gx_scan(m, off, v->n, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, k, v->n)
        if (off[k + 1] != off[k])
            ids[off[k]] = ((const u32 *)v->data)[last ? v->off[k + 1] - 1 : v->off[k]];
    team_sync(&m->t);
    v->data = ids;
    v->off = off;
    return GX_OK;
}

#if !TEAM_IS_SOLO
/* What is looked up: the string of row q, or of node q of a set */
GX_OP const char *gx_key_asked(const gx_m *m, const gx_v *value, u32 q, u32 *len)
{
    if (value->type == GX_T_SET) {
        const u32 node = ((const u32 *)value->data)[q];
        return gx_node_bytes(gx_view_of(m, node), node, len);
    }
    const gx_str s = gx_row_str(m, value, q);
    *len = s.len;
    return gx_bytes(m, s);
}

/*
 * key() with buckets too long for one member, by all: the entries of all rows' buckets one behind the other are one column of candidates.
 * A row has a string to look up, or one for each node of its set. *wide 0: no such bucket, or more candidates than that is good for;
 * else off, ids and total as gx_lookup makes them, but off[i] the rows' counts if that is all that is wanted. near: on whose axis; node: by row.
 */
#define GX_LONG_BUCKET 256u
GX_OP gx_tree_ids gx_near_row(gx_near *near, const u32 *nodes, const u32 *of_row, u32 rows, u32 q, gx_tree_ids tree)
{
    if (!nodes)
        return tree;
    near->node = nodes[of_row ? gx_row_of(of_row, rows, q) : q];
    const gx_tree_ids none = { 0, 0 };
    return near->node == GX_NONE ? none : gx_near_ids(near, tree);
}
GX_OP_BIG gx_status gx_key_wide(gx_m *m, u32 ref, gx_tree_ids tree, gx_near near, const u32 *nodes, gx_v *value, u32 rows, int only_count, u32 *off,
    u32 **ids, u32 *total, int *wide)
{
    const gx_key_index *index = GX_PTR(m, const gx_key_index, ref);
    const u32 *start = GX_PTR(m, const u32, index->start);
    const gx_key_entry *entries = GX_PTR(m, const gx_key_entry, index->entries);
    u32 *hash, *first, *at, *keep, *of_row = NULL, n = rows, candidates, longest = 0;
    u64 sum = 0;

    *wide = 0;
    if (index->n <= GX_LONG_BUCKET)
        return GX_OK;
    if (value->type == GX_T_SET) {
        GX_TRY(gx_v_dense(m, value, rows));
        of_row = (u32 *)value->off;
        n = gx_v_total(value);
    }
    GX_TMP(m, hash, u32, n);
    GX_TMP(m, first, u32, n);
    GX_TMP(m, at, u32, (u64)n + 1);
    TEAM_FOR(&m->t, q, n) {
        u32 len;
        const char *p = gx_key_asked(m, value, q, &len);
        const gx_tree_ids in = gx_near_row(&near, nodes, of_row, rows, q, tree);
        hash[q] = gx_hash(m->run->seed, p, len);
        if (nodes && near.node != GX_NONE)
            hash[q] = gx_near_hash(&near, hash[q]);
        const gx_tree_ids range = gx_key_range(index, start, entries, in, nodes ? &near : NULL, hash[q]);
        first[q] = range.first;
        at[q] = range.end - range.first;
        longest |= at[q] > GX_LONG_BUCKET;
        sum += at[q];
    }
    if (!team_any(&m->t, (int)longest) || team_sum(&m->t, sum) > 4 * (u64)m->run->n_nodes)
        return GX_OK;
    *wide = 1;
    GX_TRY(gx_scan(m, at, n, &candidates));
    m->steps += candidates / GX_WORK_PER_STEP;
    GX_TMP(m, keep, u32, (u64)candidates + 1);
    TEAM_FOR(&m->t, c, candidates) {
        const u32 q = gx_row_of(at, n, c), k = first[q] + (c - at[q]);
        const gx_tree_ids in = gx_near_row(&near, nodes, of_row, rows, q, tree);
        u32 len;
        const char *p = gx_key_asked(m, value, q, &len);
        keep[c] = entries[k].node >= in.first && entries[k].node < in.end && gx_key_is(m, &entries[k], hash[q], p, len)
            && (!nodes || gx_near_has(&near, entries[k].node));
        for (u32 j = k; keep[c] && j > first[q] && entries[j - 1].node == entries[k].node; j--)    /* a node with the same value twice */
            keep[c] = !gx_key_is(m, &entries[j - 1], hash[q], p, len);
    }
    GX_TRY(gx_scan(m, keep, candidates, total));
    if (only_count) {
        TEAM_FOR(&m->t, i, rows)
            off[i] = keep[at[of_row ? of_row[i + 1] : i + 1]] - keep[at[of_row ? of_row[i] : i]];
        team_sync(&m->t);
        return GX_OK;
    }
    GX_TMP(m, *ids, u32, *total);
    TEAM_FOR(&m->t, c1, candidates)
        if (keep[c1 + 1] != keep[c1]) {
            const u32 q = gx_row_of(at, n, c1);
            (*ids)[keep[c1]] = entries[first[q] + (c1 - at[q])].node;
        }
    TEAM_FOR(&m->t, i1, rows + 1)
        off[i1] = keep[at[of_row ? of_row[i1] : i1]];
    team_sync(&m->t);
    return GX_OK;
}
#endif

/*
 * NEAR and NEAREST without an index, for a few rows that have no more on their axes than the index would have to go through: in a large document that
 * is asked for one node's neighbours it would cost all, and be used once. in: the rows' nodes. *done 0: the index is there, or better.
 */
#define GX_FEW_ROWS 64u
#ifndef GX_SMALL_INDEX                  /* of tests */
#define GX_SMALL_INDEX 1024u
#endif
GX_OP_BIG gx_status gx_near_scan(gx_m *m, u32 what, gx_near near, int first, const gx_v *in, const gx_v *value, u32 rows, gx_v *out, int *done)
{
    const gx_run *r = m->run;
    const gx_key *key = NULL;
    gx_v from = *in, found, use;
    u32 *keep, *off, *ids, total;
    gx_watch watch = gx_watch_start();

    *done = 0;
    for (u32 k = 0; k < r->program->keys.n; k++)
        if (r->keys[k].name == what)
            key = &r->keys[k];
    if (!key || rows > GX_FEW_ROWS || (from.is_const && rows > 1) || m->key_depth == GX_KEY_DEPTH || !r->patterns[key->pattern].n)
        return GX_OK;
    from.is_const = 0;
    from.n = rows;
    if (!gx_v_total(&from))
        return GX_OK;
    const u32 view = gx_view_index(m, ((const u32 *)from.data)[0]);
    const gx_view *v = &r->views[view];
    const gx_pstep *s = &r->psteps[r->patterns[key->pattern].first];
    const gx_bound_test t = gx_test_bind(r, v, GX_AXIS_CHILD, s->test, s->name);
    u64 nodes = v->n_nodes;             /* that the index goes through */
    if (t.test == GX_TEST_NAME)
        nodes = t.label == GX_LABEL_NOTHING ? 0 : v->index_start[GX_LABEL_ID(t.label) + 1] - v->index_start[GX_LABEL_ID(t.label)];
    if (*gx_doc_ref(r, view, what) || nodes < GX_SMALL_INDEX || (rows > 1 && rows * nodes > (1u << 22)))
        return GX_OK;
    GX_TRY(gx_step(m, &from, GX_STEP_MAKE(near.axis, s->test), s->name, 0, NULL, &found));
    GX_TRY(gx_v_offsets(m, &found, rows));
    const u32 n = found.off[rows];
    if (n > 2 * nodes)
        return GX_OK;
    gx_env env;
    gx_env_nodes(&env, (const u32 *)found.data, n);
    m->key_depth++;
    const gx_status status = gx_eval(m, key->use, &env, &use);
    m->key_depth--;
    GX_TRY(status);
    if (use.type == GX_T_SET)
        GX_TRY(gx_v_dense(m, &use, n));
    else
        GX_TRY(gx_to_str(m, &use, n));
    GX_TMP(m, keep, u32, (u64)n + 1);
    TEAM_FOR(&m->t, k1, n) {
        u32 b = 0, e = 1, vb = 0, ve = 1, work = 0;
        const u32 row = gx_row_of(found.off, rows, k1);
        if (use.type == GX_T_SET)
            gx_v_range(&use, k1, &b, &e);
        if (value->type == GX_T_SET)
            gx_v_range(value, row, &vb, &ve);
        keep[k1] = 0;
        for (; b < e && !keep[k1]; b++) {
            const gx_str x = use.type == GX_T_SET ? gx_node_str(gx_view_of(m, ((const u32 *)use.data)[b]), ((const u32 *)use.data)[b]) : gx_row_str(m, &use, k1);
            for (u32 j = vb; j < ve && !keep[k1]; j++, work++) {
                const u32 node = value->type == GX_T_SET ? ((const u32 *)value->data)[j] : 0;
                keep[k1] = (u32)gx_str_equal(m, x, value->type == GX_T_SET ? gx_node_str(gx_view_of(m, node), node) : gx_row_str(m, value, row));
            }
        }
        if (gx_watch_late(m, &watch, work))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_scan(m, keep, n, &total));
    GX_TMP(m, off, u32, (u64)rows + 1);
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, k2, n)
        if (keep[k2 + 1] != keep[k2])
            ids[keep[k2]] = ((const u32 *)found.data)[k2];
    TEAM_FOR(&m->t, r1, rows + 1)
        off[r1] = keep[found.off[r1]];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    *done = 1;
    return first ? gx_v_heads(m, out, (int)near.last) : GX_OK;
}

/* What rows look up: strings, and nodes whose tree or (on_axis) axis is asked about; what, names: as gx_lookup's. first: one find is enough */
typedef struct gx_search {
    const gx_v *value, *from;
    const u32 *names;
    u32 what, rows;
    int on_axis, first;
    gx_near near;
} gx_search;

/* One pass over the rows: how many each finds, off[i], and what, where it is one; or, where it is told room for these, the nodes themselves */
GX_OP_BIG gx_status gx_search_pass(gx_m *m, const gx_search *search, u32 *off, u32 *one, u32 *ids)
{
    const gx_v *value = search->value, *from = search->from;
    gx_near near = search->near;
    gx_watch watch = gx_watch_start();
    gx_fill f;

    TEAM_FOR(&m->t, i, search->rows) {
        u32 fb = i, fend = i + 1, b = 0, end = 1;
        const u32 name = search->names ? search->names[i] : search->what;
        if (ids && off[i + 1] - off[i] <= 1) {
            if (off[i + 1] != off[i])
                ids[off[i]] = one[i];
            continue;
        }
        f.after = NULL;
        f.out = ids ? ids + off[i] : NULL;
        f.cap = ids ? off[i + 1] - off[i] : 0;
        f.n = 0;
        f.one = GX_NONE;
        f.work = 0;
        if (search->on_axis)
            gx_v_range(from, i, &fb, &fend);
        if (value->type == GX_T_SET)
            gx_v_range(value, i, &b, &end);
        for (; fb < fend; fb++) {
            const u32 asker = !search->on_axis && gx_one_tree(m) ? 0 : ((const u32 *)from->data)[fb], k = gx_view_index(m, asker);
            const gx_view *v = &m->run->views[k];
            const u32 ref = name == GX_NONE ? 0 : *gx_doc_ref(m->run, k, name);
            gx_tree_ids tree = gx_tree_of(v, asker);
            gx_asked asked;
            asked.n = 0;
            near.v = v;
            near.node = asker;
            if (search->on_axis)
                tree = gx_near_ids(&near, tree);
            for (u32 j = b; j < end; j++) {
                u32 len, hash;
                const char *s;
                f.work++;
                if (gx_watch_late(m, &watch, f.work))
                    break;
                if (value->type == GX_T_SET) {
                    const u32 node = ((const u32 *)value->data)[j];
                    s = gx_node_bytes(gx_view_of(m, node), node, &len);
                } else {
                    const gx_str x = gx_row_str(m, value, i);
                    s = gx_bytes(m, x);
                    len = x.len;
                }
                f.work = GX_WATCH_BYTES(len);
                f.enough = search->first ? f.n + 1 : GX_NONE;
                if (name == GX_NONE)
                    gx_id_tokens(v, tree, s, len, &f);
                else if (hash = gx_hash(m->run->seed, s, len), value->type != GX_T_SET || !gx_asked_before(m, &asked, ((const u32 *)value->data)[j], s, len, hash))
                    gx_key_fill(m, ref, tree, search->on_axis ? &near : NULL, s, len, search->on_axis ? gx_near_hash(&near, hash) : hash, &f);
            }
        }
        if (!ids) {
            off[i] = f.n;
            one[i] = f.one;
        }
        if (gx_watch_late(m, &watch, f.work))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* key() and id(): what = key name number, or GX_NONE for id(); names: the key's number in each row instead, or NULL. value: any
 * type. Context nodes, or those whose axis is asked for, say which tree. func: one of gx_func's for keys, or another: all nodes. on: NEAR's and
 * NEAREST's last two arguments. */
GX_OP_BIG gx_status gx_lookup(gx_eval_state *e, u32 func, u32 what, const u32 *names, gx_v *value, const gx_v *on, gx_v *out)
{
    gx_m *m = e->m;
    const int first = func == GX_F_KEY_FIRST || func == GX_F_KEY_NEAREST;
    const u32 n = e->scope->n, *context = e->scope->context, rows = value->is_const && !names && (on ? on->is_const : (u8)gx_one_tree(m)) ? 1 : n;
    u32 *off, *one, *ids = NULL, total = 0, *nodes = NULL, several_on = 0, several = 0;
    gx_v from = on ? *on : gx_v_make(GX_T_SET, n, (void *)context);
    gx_search search = { value, &from, names, what, rows, on != NULL, first, { m->run->views, 0, 0, 0 } };
    int wide = 0, only_count;

    if (on) {
        search.near.axis = (u32)((const double *)on[1].data)[0];
        search.near.last = first && GX_AXIS_IS_REVERSE(search.near.axis);
        GX_TRY(gx_v_flat(m, &from, n));
        GX_TMP(m, nodes, u32, rows);
        TEAM_FOR(&m->t, r, rows) {
            u32 b, end;
            gx_v_range(&from, r, &b, &end);
            nodes[r] = b < end ? ((const u32 *)from.data)[b] : GX_NONE;
            several_on |= end - b > 1;
        }
        several_on = (u32)team_any(&m->t, (int)several_on);
    }

    if (value->type != GX_T_SET)
        GX_TRY(gx_to_str(m, value, n));
    if (on) {
        int done;
        GX_TRY(gx_near_scan(m, what, search.near, first, &from, value, rows, out, &done));
        if (done) {
            out->is_const = rows == 1 && n != 1;
            return GX_OK;
        }
    }
    if (names)
        for (u32 k = 0; k < m->run->program->key_names.n; k++)
            GX_TRY(gx_key_indexes(m, k, names, context, rows));
    else if (what != GX_NONE)
        GX_TRY(gx_key_indexes(m, what, NULL, (const u32 *)from.data, on ? gx_v_total(&from) : rows));
    if (func == GX_F_KEY_COUNT && value->type == GX_T_SET)
        TEAM_FOR(&m->t, i0, rows) {
            u32 b, end;
            gx_v_range(value, i0, &b, &end);
            several |= end - b > 1;
        }
    only_count = func == GX_F_KEY_COUNT && !team_any(&m->t, (int)several);     /* no node is found twice */
    GX_TMP(m, off, u32, rows + 1);
#if !TEAM_IS_SOLO
    if (what != GX_NONE && !names && !first && !several_on && gx_one_tree(m))
        GX_TRY(gx_key_wide(m, *gx_doc_ref(m->run, 0, what), gx_tree_of(m->run->views, 0), search.near, nodes, value, rows, only_count, off, &ids, &total, &wide));
#endif
    if (!wide) {
        GX_TMP(m, one, u32, rows);
        GX_TRY(gx_search_pass(m, &search, off, one, NULL));
        if (!only_count) {
            GX_TRY(gx_scan(m, off, rows, &total));
            GX_TMP(m, ids, u32, total);
            GX_TRY(gx_search_pass(m, &search, off, one, ids));
        }
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    if (!only_count)
        GX_TRY(gx_v_order(m, out));
    if (first)
        GX_TRY(gx_v_heads(m, out, (int)search.near.last));
    else if (func == GX_F_KEY_COUNT) {
        double *num;
        GX_TMP(m, num, double, rows);
        TEAM_FOR(&m->t, k, rows)
            num[k] = only_count ? off[k] : out->off[k + 1] - out->off[k];
        team_sync(&m->t);
        *out = gx_v_make(GX_T_NUM, rows, num);
    }
    out->is_const = rows == 1 && n != 1;
    return GX_OK;
}

/* Is s, a QName in the namespaces of nslist, the name q? */
GX_OP int gx_qname_is(const gx_m *m, gx_str s, u32 nslist, const gx_qname *q)
{
    const char *text = gx_bytes(m, s), *p = (const char *)m->run->program;
    const gx_lit *lits = m->run->lits;
    u32 colon = 0;
    gx_lit local = lits[q->local], uri = lits[q->uri];

    while (colon < s.len && text[colon] != ':')
        colon++;
    if (colon == s.len)
        return !uri.len && local.len == s.len && team_equal(text, p + local.off, s.len);
    if (local.len != s.len - colon - 1 || !team_equal(text + colon + 1, p + local.off, local.len))
        return 0;
    const gx_nslist *list = GX_PROG_TAB(m->run->program, gx_nslist, nslists) + nslist;
    const gx_nsdecl *d = GX_PROG_TAB(m->run->program, gx_nsdecl, nsdecls) + list->first;
    for (u32 i = 0; i < list->n; i++)
        if (lits[d[i].prefix].len == colon && team_equal(text, p + lits[d[i].prefix].off, colon))
            return lits[d[i].uri].len == uri.len && team_equal(p + lits[d[i].uri].off, p + uri.off, uri.len);
    return 0;
}

/* The number of the key with this name, GX_NONE if there is none. */
GX_OP u32 gx_key_named(const gx_m *m, gx_str name, u32 nslist)
{
    const u32 *names = GX_PROG_TAB(m->run->program, u32, key_names);

    for (u32 k = 0; k < m->run->program->key_names.n; k++)
        if (gx_qname_is(m, name, nslist, GX_PROG_TAB(m->run->program, gx_qname, qnames) + names[k]))
            return k;
    return GX_NONE;
}

/* ---- format-number() ---- */

GX_OP gx_decimal_symbols gx_symbols(const gx_m *m, u32 format)
{
    const gx_decimal_format *d = GX_PROG_TAB(m->run->program, gx_decimal_format, decimal_formats) + format;
    const gx_lit *lits = m->run->lits;
    const char *p = (const char *)m->run->program;
    gx_decimal_symbols s;
    u32 from[8], *to[8];

    from[0] = d->decimal_separator;  to[0] = &s.decimal_separator;
    from[1] = d->grouping_separator; to[1] = &s.grouping_separator;
    from[2] = d->minus_sign;         to[2] = &s.minus_sign;
    from[3] = d->percent;            to[3] = &s.percent;
    from[4] = d->per_mille;          to[4] = &s.per_mille;
    from[5] = d->zero_digit;         to[5] = &s.zero_digit;
    from[6] = d->digit;              to[6] = &s.digit;
    from[7] = d->pattern_separator;  to[7] = &s.pattern_separator;
    for (u32 i = 0; i < 8; i++)
        gx_utf8_decode(p + lits[from[i]].off, lits[from[i]].len, to[i]);
    s.infinity = p + lits[d->infinity].off;
    s.infinity_len = lits[d->infinity].len;
    s.nan = p + lits[d->nan].off;
    s.nan_len = lits[d->nan].len;
    return s;
}

/* The number of the xsl:decimal-format with this name, GX_NONE if there is none. */
GX_OP u32 gx_decimal_format_named(const gx_m *m, gx_str name, u32 nslist)
{
    const gx_decimal_format *all = GX_PROG_TAB(m->run->program, gx_decimal_format, decimal_formats);
    for (u32 k = 1; k < m->run->program->decimal_formats.n; k++)
        if (all[k].name != GX_NONE && gx_qname_is(m, name, nslist, GX_PROG_TAB(m->run->program, gx_qname, qnames) + all[k].name))
            return k;
    return GX_NONE;
}

GX_OP_BIG gx_status gx_format_number(gx_m *m, const gx_v *args, u32 argc, u32 rows, gx_str *out)
{
    u32 *at, bad = GX_NONE, unnamed = GX_NONE;
    char *bytes = NULL;
    const int is_named = argc == 4;     /* by a computed name */
    const int by_row = !args[1].is_const || (is_named && !args[2].is_const);
    gx_decimal_symbols sym = gx_symbols(m, argc == 3 ? (u32)((const double *)args[2].data)[0] : 0);

    GX_TMP(m, at, u32, rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        gx_format f;
        int ready = 0;
        TEAM_FOR(&m->t, i, rows) {
            if (!ready || by_row) {
                gx_str s = gx_row_str(m, &args[1], i);
                if (is_named) {
                    u32 k = gx_decimal_format_named(m, gx_row_str(m, &args[2], i), (u32)((const double *)args[3].data)[0]);
                    if (k == GX_NONE) {
                        unnamed = unnamed < i ? unnamed : i;
                        at[i] = 0;
                        continue;
                    }
                    sym = gx_symbols(m, k);
                }
                watch.work += s.len;
                if (gx_format_parse(gx_bytes(m, s), s.len, &sym, &f) != 0) {
                    bad = bad < i ? bad : i;
                    at[i] = 0;
                    continue;
                }
                ready = 1;
            }
            double d = gx_row_num(m, &args[0], i);
            if (!pass)
                at[i] = gx_format_write(&f, &sym, d, NULL, 0);
            else {
                gx_format_write(&f, &sym, d, bytes + at[i], at[i + 1] - at[i]);
                out[i] = gx_arena_str(m, bytes + at[i], at[i + 1] - at[i]);
            }
            if (gx_watch_late(m, &watch, pass ? at[i + 1] - at[i] : at[i]))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            unnamed = team_min(&m->t, unnamed);
            if (unnamed != GX_NONE)
                return gx_raise(m, GX_EDYNAMIC, GX_RE_NO_DECIMAL_FORMAT, gx_row_str(m, &args[2], unnamed));
            bad = team_min(&m->t, bad);
            if (bad != GX_NONE)
                return gx_raise(m, GX_EDYNAMIC, GX_RE_FORMAT, gx_row_str(m, &args[1], bad));
            GX_TRY(gx_build(m, at, rows, &bytes));
        }
    }
    team_sync(&m->t);
    return GX_OK;
}

/* generate-id(): "id" and the node's number in base 36 digits; with several documents a letter run keeps them apart by number */
GX_OP_BIG gx_status gx_generate_ids(gx_m *m, const gx_v *arg, u32 rows, gx_str *out)
{
    char *bytes = (char *)gx_keep(m, (u64)rows * 16);

    if (!bytes)
        return gx_full(m);
    TEAM_FOR(&m->t, i, rows) {
        u32 node = gx_v_first(arg, i), len;
        char *p = bytes + (u64)i * 16;
        gx_zero(p, 16);
        if (node == GX_NONE) {
            out[i] = gx_str_none();
            continue;
        }
        p[0] = 'i';
        p[1] = 'd';
        len = gx_number_write_u64((u64)node + 1, p + 2);
        out[i] = gx_arena_str(m, p, len + 2);
    }
    team_sync(&m->t);
    return GX_OK;
}

/* Before a host step: what memory it may take. */
GX_OP void gx_host_begin(gx_m *m)
{
    if (team_rank(&m->t) == 0) {
        m->run->host_top = m->top;
        m->run->host_tmp = m->tmp;
    }
    team_sync(&m->t);
}

/* After a host step that may have added documents. */
GX_OP void gx_docs_changed(gx_m *m)
{
    team_sync(&m->t);
    m->n_docs = m->run->n_docs;
    m->top = m->run->host_top > m->top ? m->run->host_top : m->top;
}

GX_OP_BIG gx_status gx_host_strings(gx_eval_state *e, u32 func, u32 argc, gx_v *args, u32 rows, u32 nslist, gx_str *out)
{
    gx_m *m = e->m;
    const gx_str *in[4];
    gx_status status = GX_OK;

    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    for (u32 k = 0; k < argc && k < 4; k++) {
        gx_str *all;
        GX_TRY(gx_to_str(m, &args[k], rows));
        in[k] = (const gx_str *)args[k].data;
        if (args[k].is_const && rows > 1) {
            GX_TMP(m, all, gx_str, rows);
            TEAM_FOR(&m->t, i, rows)
                all[i] = in[k][0];
            in[k] = all;
        }
    }
    gx_host_begin(m);
    if (team_rank(&m->t) == 0)
        status = m->run->host->function(m->run->host->ctx, func, argc, in, rows, nslist, out);
    gx_docs_changed(m);
    if (team_any(&m->t, status != GX_OK))
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    return GX_OK;
}

GX_OP_BIG gx_status gx_document(gx_eval_state *e, u32 argc, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    u32 n = e->scope->n, rows = gx_args_rows(args, argc, n), *off, total = 0, *ids;
    gx_str base = gx_row_str(m, &args[1], 0);
    u32 bad = 0;

    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    if (args[0].type != GX_T_SET)
        GX_TRY(gx_to_str(m, &args[0], rows));
    GX_TMP(m, off, u32, rows + 1);
    TEAM_FOR(&m->t, i, rows) {
        u32 b = 0, end = 1;
        if (args[0].type == GX_T_SET)
            gx_v_range(&args[0], i, &b, &end);
        off[i] = end - b;
    }
    GX_TRY(gx_scan(m, off, rows, &total));
    GX_TMP(m, ids, u32, total);
    gx_host_begin(m);
    if (team_rank(&m->t) == 0)
        for (u32 i = 0; i < rows && !bad; i++)
            for (u32 k = off[i]; k < off[i + 1]; k++) {
                gx_str uri, from = base;
                u32 node = GX_NONE;
                if (args[0].type == GX_T_SET) {
                    u32 b, end;
                    gx_v_range(&args[0], i, &b, &end);
                    node = ((const u32 *)args[0].data)[b + k - off[i]];
                    uri = gx_node_str(gx_view_of(m, node), node);
                } else
                    uri = gx_row_str(m, &args[0], i);
                /* the base: of the second argument's first node; else of the node itself; else of the stylesheet */
                if (argc > 2 && (node = gx_v_first(&args[2], i)) == GX_NONE)
                    from = gx_str_none();       /* of no node at all */
                if (node != GX_NONE) {
                    const gx_view *v = gx_view_of(m, node);
                    u32 at = v->doc->base_uri, len = v->doc->base_uri_len;
                    if (uri.len)            /* "" is the document of the node (12.1) */
                        gx_doc_base_of(v->doc, node - v->base, &at, &len);
                    from = len ? gx_view_name(v, at, len) : base;
                }
                if (m->run->host->document(m->run->host->ctx, uri, from, &ids[k]) != GX_OK) {
                    bad = 1;
                    break;
                }
                m->n_docs = m->run->n_docs;
            }
    gx_docs_changed(m);
    if (team_any(&m->t, (int)bad))
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    /* what could not be loaded is no node (GX_NONE): drop */
    u32 *keep, *at, *list, count;
    GX_TMP(m, keep, u32, total + 1);
    TEAM_FOR(&m->t, k, total)
        keep[k] = ids[k] != GX_NONE;
    GX_TRY(gx_scan(m, keep, total, &count));
    GX_TMP(m, list, u32, count);
    GX_TMP(m, at, u32, rows + 1);
    TEAM_FOR(&m->t, k, total)
        if (keep[k + 1] != keep[k])
            list[keep[k]] = ids[k];
    TEAM_FOR(&m->t, i, rows + 1)
        at[i] = keep[off[i]];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, list);
    out->off = at;
    GX_TRY(gx_v_order(m, out));
    out->is_const = rows == 1 && n != 1;
    return GX_OK;
}

GX_OP_BIG gx_status gx_node_set(gx_eval_state *e, gx_v *arg, gx_v *out)
{
    gx_m *m = e->m;
    u32 rows = gx_v_rows(arg, e->scope->n), *ids;
    gx_status status = GX_OK;
    gx_str *texts = NULL;

    if (arg->type == GX_T_SET) {
        *out = *arg;
        return GX_OK;
    }
    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    if (arg->type == GX_T_RTF)
        GX_TRY(gx_v_fragments(m, arg, rows));
    else
        GX_TRY(gx_to_str(m, arg, rows));
    texts = arg->type == GX_T_RTF ? (gx_str *)arg->str : (gx_str *)arg->data;
    GX_TMP(m, ids, u32, rows);
    gx_host_begin(m);
    if (team_rank(&m->t) == 0)
        status = m->run->host->node_set(m->run->host->ctx, arg->type == GX_T_RTF ? (const gx_kid *)arg->data : NULL, texts, rows, ids);
    gx_docs_changed(m);
    if (team_any(&m->t, status != GX_OK))
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->is_const = arg->is_const;
    return GX_OK;
}

/* What a function gives for no rows: a column of its type without any. */
GX_OP gx_v gx_call_none(const gx_m *m, u32 func)
{
    gx_v v = gx_v_make(GX_T_STR, 0, m->run->zero);

    switch (func) {
    case GX_F_COUNT: case GX_F_SUM: case GX_F_STRING_LENGTH: case GX_F_FLOOR: case GX_F_CEILING: case GX_F_ROUND: case GX_F_KEY_COUNT:
        v.type = GX_T_NUM;
        break;
    case GX_F_STARTS_WITH: case GX_F_CONTAINS: case GX_F_NOT: case GX_F_LANG: case GX_F_ELEMENT_AVAILABLE:
    case GX_F_FUNCTION_AVAILABLE:
        v.type = GX_T_BOOL;
        break;
    case GX_F_KEY: case GX_F_KEY_FIRST: case GX_F_KEY_NEAR: case GX_F_KEY_NEAREST: case GX_F_BESIDE: case GX_F_ID: case GX_F_DOCUMENT:
    case GX_F_NODE_SET:
        v.type = GX_T_SET;
        v.off = m->run->zero;
        break;
    default:
        break;
    }
    return v;
}

GX_OP_BIG gx_status gx_call_extension(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out);     /* extension.h */

/* args: the columns of the arguments; *out: n == scope rows, or const when all arguments are and the function looks at nothing else */
GX_OP_BIG gx_status gx_call(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    int by_context = func == GX_F_LANG || (func == GX_F_UNPARSED_ENTITY_URI && m->n_docs > 1);
    u32 n = e->scope->n, rows = by_context ? n : gx_args_rows(args, argc, n);
    gx_str *str = NULL;
    double *num = NULL;
    u8 *bit = NULL;
    gx_watch watch = gx_watch_start();

    if (func >= GX_F_EXSLT)
        return gx_call_extension(e, func, argc, args, out);
    if (n == 0) {           /* called for nobody (in a predicate without candidates): no error, and no document to ask */
        *out = gx_call_none(m, func);
        return GX_OK;
    }
    /* what comes out, and the types that go in */
    switch (func) {
    case GX_F_COUNT: case GX_F_SUM: case GX_F_STRING_LENGTH: case GX_F_FLOOR: case GX_F_CEILING: case GX_F_ROUND:
        GX_TMP(m, num, double, rows);
        break;
    case GX_F_STARTS_WITH: case GX_F_CONTAINS: case GX_F_NOT: case GX_F_LANG:
        GX_TMP(m, bit, u8, rows);
        break;
    case GX_F_KEY: case GX_F_KEY_FIRST: case GX_F_KEY_COUNT: case GX_F_KEY_NEAR: case GX_F_KEY_NEAREST: case GX_F_BESIDE: case GX_F_ID: case GX_F_DOCUMENT:
    case GX_F_NODE_SET:
        break;
    default:
        GX_TMP(m, str, gx_str, rows);
    }
    switch (func) {
    case GX_F_COUNT: case GX_F_SUM: case GX_F_LOCAL_NAME: case GX_F_NAMESPACE_URI: case GX_F_NAME: case GX_F_GENERATE_ID:
        GX_TRY(gx_is_set(m, &args[0]));
        break;
    case GX_F_CONCAT: case GX_F_STARTS_WITH: case GX_F_CONTAINS: case GX_F_SUBSTRING_BEFORE: case GX_F_SUBSTRING_AFTER:
    case GX_F_SUBSTRING_UNTIL: case GX_F_STRING_LENGTH: case GX_F_NORMALIZE_SPACE: case GX_F_TRANSLATE: case GX_F_LANG: case GX_F_UNPARSED_ENTITY_URI:
    case GX_F_ERROR:
        for (u32 k = 0; k < argc; k++)
            GX_TRY(gx_to_str(m, &args[k], n));
        break;
    case GX_F_SUBSTRING:
        GX_TRY(gx_to_str(m, &args[0], n));
        GX_TRY(gx_to_num(m, &args[1], n));
        if (argc > 2)
            GX_TRY(gx_to_num(m, &args[2], n));
        break;
    case GX_F_FORMAT_NUMBER:
        GX_TRY(gx_to_num(m, &args[0], n));
        GX_TRY(gx_to_str(m, &args[1], n));
        break;
    case GX_F_FLOOR: case GX_F_CEILING: case GX_F_ROUND:
        GX_TRY(gx_to_num(m, &args[0], n));
        break;
    case GX_F_NOT:
        GX_TRY(gx_to_bool(m, &args[0], n));
        break;
    default:
        break;
    }

    const gx_v *a = &args[0], *b = &args[1];
    switch (func) {
    case GX_F_COUNT:
        TEAM_FOR(&m->t, i, rows) {
            u32 from, to;
            gx_v_range(a, i, &from, &to);
            num[i] = to - from;
        }
        break;
    case GX_F_SUM:
        GX_TRY(gx_sum(m, &args[0], rows, num));
        break;
    case GX_F_ID:
        return gx_lookup(e, func, GX_NONE, NULL, &args[0], NULL, out);
    case GX_F_KEY_FIRST: case GX_F_KEY_COUNT: case GX_F_KEY_NEAR: case GX_F_KEY_NEAREST:
        return gx_lookup(e, func, (u32)((const double *)a->data)[0], NULL, &args[1], argc > 2 ? &args[2] : NULL, out);
    case GX_F_BESIDE:
        GX_TRY(gx_beside(m, a, b, (u32)((const double *)args[2].data)[0], rows, out));
        out->is_const = rows == 1 && n != 1;
        return GX_OK;
    case GX_F_KEY: {
        u32 *names, named = gx_v_rows(a, n), bad = 0;
        if (a->type == GX_T_NUM)
            return gx_lookup(e, func, (u32)((const double *)a->data)[0], NULL, &args[1], NULL, out);
        GX_TMP(m, names, u32, n);
        TEAM_FOR(&m->t, i, named) {
            names[i] = gx_key_named(m, gx_row_str(m, a, i), (u32)((const double *)args[2].data)[0]);
            bad |= names[i] == GX_NONE;
            if (gx_watch_late(m, &watch, m->run->program->key_names.n))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (team_any(&m->t, (int)bad))
            for (u32 i = 0; i < named; i++)
                if (names[i] == GX_NONE)
                    return gx_raise(m, GX_EDYNAMIC, GX_RE_NO_KEY, gx_row_str(m, a, i));
        return named == n ? gx_lookup(e, func, GX_NONE, names, &args[1], NULL, out) : gx_lookup(e, func, names[0], NULL, &args[1], NULL, out);
    }
    case GX_F_LOCAL_NAME:
        GX_TRY(gx_names(m, a, rows, 0, str));
        break;
    case GX_F_NAMESPACE_URI:
        GX_TRY(gx_names(m, a, rows, 1, str));
        break;
    case GX_F_NAME:
        GX_TRY(gx_names(m, a, rows, 2, str));
        break;
    case GX_F_CONCAT:
        GX_TRY(gx_concat(m, args, argc, rows, str));
        break;
    case GX_F_STARTS_WITH: case GX_F_CONTAINS:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i), y = gx_row_str(m, b, i);
            bit[i] = (u8)(func == GX_F_CONTAINS ? gx_text_contains(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len)
                : gx_text_starts_with(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len));
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(func == GX_F_CONTAINS ? x.len : y.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_SUBSTRING_BEFORE: case GX_F_SUBSTRING_AFTER:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i), y = gx_row_str(m, b, i);
            str[i] = gx_slice(x, func == GX_F_SUBSTRING_BEFORE ? gx_text_substring_before(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len)
                : gx_text_substring_after(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len));
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_SUBSTRING_UNTIL: {
        int joins = 0;
        TEAM_FOR(&m->t, i, rows) {
            const gx_str y = gx_row_str(m, b, i);
            joins |= !gx_text_is_unbordered(gx_bytes(m, y), y.len);
        }
        if (team_any(&m->t, joins)) {           /* where t begins as it ends it may be found across the end of s */
            GX_TRY(gx_concat(m, args, 2, rows, str));
            team_sync(&m->t);
        } else
            TEAM_FOR(&m->t, i1, rows)
                str[i1] = gx_row_str(m, a, i1);
        TEAM_FOR(&m->t, i2, rows) {
            const gx_str x = str[i2], y = gx_row_str(m, b, i2);
            const u32 at = gx_text_find(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len);
            const gx_span span = { 0, at == GX_NONE ? x.len : at };
            str[i2] = gx_slice(x, span);
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    }
    case GX_F_SUBSTRING:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i);
            double first = gx_row_num(m, b, i);
            if (argc > 2)
                str[i] = gx_slice(x, gx_text_substring(gx_bytes(m, x), x.len, first, gx_row_num(m, &args[2], i)));
            else if (first == -gx_number_infinity())
                str[i] = x;
            else
                str[i] = gx_slice(x, gx_text_substring(gx_bytes(m, x), x.len, first, gx_number_infinity()));
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_STRING_LENGTH:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i);
            num[i] = gx_text_length(gx_bytes(m, x), x.len);
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_NORMALIZE_SPACE:
        GX_TRY(gx_normalize(m, a, rows, str));
        break;
    case GX_F_TRANSLATE:
        GX_TRY(gx_translate(m, args, rows, str));
        break;
    case GX_F_NOT:
        TEAM_FOR(&m->t, i, rows)
            bit[i] = !((const u8 *)a->data)[i];
        break;
    case GX_F_LANG:
        TEAM_FOR(&m->t, i, rows) {
            bit[i] = (u8)gx_lang_row(m, e->scope->context[i], gx_row_str(m, a, i), &watch);
            if (gx_watch_late(m, &watch, 1))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_FLOOR:
        TEAM_FOR(&m->t, i, rows)
            num[i] = gx_number_floor(((const double *)a->data)[i]);
        break;
    case GX_F_CEILING:
        TEAM_FOR(&m->t, i, rows)
            num[i] = gx_number_ceiling(((const double *)a->data)[i]);
        break;
    case GX_F_ROUND:
        TEAM_FOR(&m->t, i, rows)
            num[i] = gx_number_round(((const double *)a->data)[i]);
        break;
    case GX_F_FORMAT_NUMBER:
        GX_TRY(gx_format_number(m, args, argc, rows, str));
        break;
    case GX_F_GENERATE_ID:
        GX_TRY(gx_generate_ids(m, a, rows, str));
        break;
    case GX_F_UNPARSED_ENTITY_URI:
        TEAM_FOR(&m->t, i, rows) {
            const gx_view *v = gx_view_of(m, e->scope->context[i]);
            const gx_doc_entity *ent = GX_DOC_COL(v->doc, gx_doc_entity, entities);
            const char *heap = GX_DOC_COL(v->doc, char, strs);
            gx_str name = gx_row_str(m, a, i);
            str[i] = gx_str_none();
            if (gx_watch_late(m, &watch, v->doc->n_entities))
                break;
            for (u32 k = 0; k < v->doc->n_entities; k++)
                if (ent[k].name_len == name.len && team_equal(heap + ent[k].name, gx_bytes(m, name), name.len)) {
                    if (ent[k].uri_len)
                        str[i] = gx_view_name(v, ent[k].uri, ent[k].uri_len);
                    break;
                }
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_DOCUMENT:
        return gx_document(e, argc, args, out);
    case GX_F_NODE_SET:
        return gx_node_set(e, &args[0], out);
    case GX_F_OBJECT_TYPE:
        TEAM_FOR(&m->t, i, rows)
            str[i] = gx_str_make(GX_STR_AT(GX_SPACE_ARENA, m->run->words_at)
                + (a->type == GX_T_BOOL ? 9 : a->type == GX_T_NUM ? 16 : a->type == GX_T_STR ? 22 : a->type == GX_T_SET ? 28 : 36),
                a->type == GX_T_BOOL ? 7 : a->type == GX_T_NUM || a->type == GX_T_STR ? 6 : a->type == GX_T_SET ? 8 : 3);
        break;
    case GX_F_ERROR:
        return gx_raise(m, GX_EDYNAMIC, GX_RE_FUNCTION, gx_row_str(m, a, 0));
    case GX_F_SYSTEM_PROPERTY: case GX_F_ELEMENT_AVAILABLE: case GX_F_FUNCTION_AVAILABLE: {
        u32 nslist = argc > 1 ? (u32)((const double *)args[1].data)[0] : 0;
        GX_TRY(gx_host_strings(e, func, 1, args, rows, nslist, str));
        if (func != GX_F_SYSTEM_PROPERTY) {     /* "" is false */
            GX_TMP(m, bit, u8, rows);
            TEAM_FOR(&m->t, i, rows)
                bit[i] = str[i].len != 0;
        }
        break;
    }
    default:
        return gx_raise(m, GX_EDYNAMIC, GX_RE_FUNCTION, gx_str_none());
    }
    team_sync(&m->t);
    *out = bit ? gx_v_make(GX_T_BOOL, rows, bit) : num ? gx_v_make(GX_T_NUM, rows, num) : gx_v_make(GX_T_STR, rows, str);
    out->is_const = rows == 1 && !by_context && gx_args_rows(args, argc, 2) == 1;
    return GX_OK;
}

#endif
