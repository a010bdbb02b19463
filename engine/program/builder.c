/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.c -- the program under construction, and its packing into one block
 *
 * Every table of gx_program is a growing array here. Strings, names, numbers and namespace lists are interned: equal
 * content, equal index, so that the machine compares names of the program by index.
 *
 *   block:  gx_program | table | table | ... | literal bytes | prepared | documents of modules
 *
 * Tables start at multiples of 16. Literal bytes are NUL-terminated (not counted in gx_lit.len) so that host code may
 * hand them to C functions. While building, gx_lit.off counts from the start of lit_bytes; packing adds where they came
 * to lie.
 *
 * Cost: amortised O(1) a push; an array's outgrown copies stay in the pool, at most as much again as the final array.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include "clock.h"
#include "machine/format.h"
#include "xpath/xpath.h"

/* Offsets in the block are u32. Far above any stylesheet, far below what would overflow a sum of two of them. */
#define MAX_PROGRAM_BYTES (1u << 30)

static void vec_init(gx_vec *vec, u32 size)
{
    memset(vec, 0, sizeof *vec);
    vec->size = size;
}

void gx_builder_limit(gx_builder *b, u64 memory, u64 time_us)
{
    b->memory = memory;
    b->time_us = time_us;
    b->deadline_us = time_us ? gx_now_us() + time_us : 0;
}

void gx_builder_charge(gx_builder *b, u64 bytes)
{
    b->charged += bytes;
    if (b->memory && b->charged > b->memory)
        b->stopped = GX_ELIMIT;
    else if (b->deadline_us && b->charges++ % 256 == 0 && gx_now_us() > b->deadline_us)
        b->stopped = GX_ETIME;
}

gx_status gx_builder_stop(gx_builder *b, const char *file, u32 line, u32 column)
{
    if (b->stopped == GX_ELIMIT)
        return gx_fail(b->err, GX_ELIMIT, file, line, column, "compiling the stylesheet takes more than its limit, "
                       "memory=%llu", (unsigned long long)b->memory);
    return gx_fail(b->err, GX_ETIME, file, line, column, "compiling the stylesheet takes longer than its limit, "
                   "time=%llums", (unsigned long long)(b->time_us / 1000));
}

/* Makes room for n more elements and returns where the first goes. */
static char *vec_grow(gx_builder *b, gx_vec *vec, u32 n)
{
    if (n > vec->cap - vec->n) {
        u64 cap = vec->cap ? vec->cap : 4;           /* a template has several */
        while (cap < (u64)vec->n + n)
            cap *= 2;
        assert(cap * vec->size <= 2ull * MAX_PROGRAM_BYTES);        /* the input limit of a module keeps far below */
        gx_builder_charge(b, cap * vec->size);
        char *at = apr_palloc(b->pool, (apr_size_t)(cap * vec->size));
        if (vec->n)
            memcpy(at, vec->at, (size_t)vec->n * vec->size);
        vec->at = at;
        vec->cap = (u32)cap;
    }
    return vec->at + (size_t)vec->n * vec->size;
}

u32 gx_builder_push(gx_builder *b, gx_vec *vec, const void *element)
{
    memcpy(vec_grow(b, vec, 1), element, vec->size);
    return vec->n++;
}

/* An index in one of the interning tables; key is copied when it is new. */
static int interned(apr_hash_t *index, const void *key, size_t n, u32 *at)
{
    void *found = apr_hash_get(index, key, (apr_ssize_t)n);
    if (!found)
        return 0;
    *at = (u32)(uintptr_t)found - 1;
    return 1;
}

static u32 intern(gx_builder *b, apr_hash_t *index, const void *key, size_t n, u32 at)
{
    gx_builder_charge(b, n + 64);           /* with the table's entry */
    apr_hash_set(index, apr_pmemdup(b->pool, key, n), (apr_ssize_t)n, (void *)((uintptr_t)at + 1));
    return at;
}

u32 gx_builder_lit(gx_builder *b, const char *s, size_t n)
{
    u32 at;
    if (interned(b->lit_index, s, n, &at))
        return at;
    gx_lit lit = { b->lit_bytes.n, (u32)n };
    char *to = vec_grow(b, &b->lit_bytes, (u32)n + 1);
    memcpy(to, s, n);
    to[n] = 0;
    b->lit_bytes.n += (u32)n + 1;
    return intern(b, b->lit_index, s, n, gx_builder_push(b, &b->lits, &lit));
}

const char *gx_builder_lit_text(const gx_builder *b, u32 lit, size_t *n)
{
    const gx_lit *l = GX_VEC_AT(&b->lits, gx_lit, lit);
    if (n)
        *n = l->len;
    return b->lit_bytes.at + l->off;
}

/* Is a format-number() pattern right for this decimal format, by the strict reading? Told at compile time where it is a
 * literal. */
int gx_builder_picture(const gx_builder *b, const char *pattern, u32 format)
{
    if (format >= b->decimal_formats.n)     /* an expression without a stylesheet has none */
        return 1;
    const gx_decimal_format *d = GX_VEC_AT(&b->decimal_formats, gx_decimal_format, format);
    gx_decimal_symbols symbols;
    const struct { u32 lit, *symbol;
    } all[] = {
        { d->decimal_separator, &symbols.decimal_separator },
        { d->grouping_separator, &symbols.grouping_separator },
        { d->minus_sign, &symbols.minus_sign },
        { d->percent, &symbols.percent },
        { d->per_mille, &symbols.per_mille },
        { d->zero_digit, &symbols.zero_digit },
        { d->digit, &symbols.digit },
        { d->pattern_separator, &symbols.pattern_separator },
    };
    gx_format parsed;
    gx_decimal_symbols_default(&symbols);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t n;
        const char *text = gx_builder_lit_text(b, all[i].lit, &n);
        gx_utf8_decode(text, (u32)n, all[i].symbol);
    }
    return gx_format_parse(pattern, (u32)strlen(pattern), &symbols, 1, &parsed) == GX_FORMAT_OK;
}

u32 gx_builder_pname(gx_builder *b, const char *uri, const char *local)
{
    size_t uri_len = strlen(uri), local_len = strlen(local);
    gx_pname name = { gx_builder_lit(b, uri, uri_len), gx_builder_lit(b, local, local_len),
                      gx_name_hash(uri, (u32)uri_len, local, (u32)local_len), 0 };
    u32 at;
    if (interned(b->pname_index, &name, sizeof name, &at))
        return at;
    return intern(b, b->pname_index, &name, sizeof name, gx_builder_push(b, &b->pnames, &name));
}

u32 gx_builder_qname(gx_builder *b, const char *prefix, const char *local, const char *uri)
{
    gx_qname name = { gx_builder_lit(b, prefix, strlen(prefix)), gx_builder_lit(b, local, strlen(local)),
                      gx_builder_lit(b, uri, strlen(uri)), 0 };
    u32 at;
    if (interned(b->qname_index, &name, sizeof name, &at))
        return at;
    return intern(b, b->qname_index, &name, sizeof name, gx_builder_push(b, &b->qnames, &name));
}

/* By bits: 0 and -0 are two numbers, and NaN is equal to itself. */
u32 gx_builder_num(gx_builder *b, double value)
{
    u32 at;
    if (interned(b->num_index, &value, sizeof value, &at))
        return at;
    return intern(b, b->num_index, &value, sizeof value, gx_builder_push(b, &b->nums, &value));
}

u32 gx_builder_where(gx_builder *b, const char *file, u32 line, u32 column)
{
    /* a module's instructions come one after another, and an instruction's expressions: the usual repetitions */
    const u32 last = b->wheres.n - 1;
    const gx_where *before = b->wheres.n ? GX_VEC_AT(&b->wheres, gx_where, last) : NULL;
    if (!file)
        file = "";
    const int same = before && !strcmp(gx_builder_lit_text(b, before->file, NULL), file);
    const gx_where where = { same ? before->file : gx_builder_lit(b, file, strlen(file)), line, column };
    if (same && before->line == line && before->column == column)
        return last;
    return gx_builder_push(b, &b->wheres, &where);
}

u32 gx_builder_nslist(gx_builder *b, const gx_nsdecl *decls, u32 n)
{
    static const gx_nsdecl none;
    size_t size = n * sizeof *decls;
    u32 at;
    if (!n)
        decls = &none;
    if (interned(b->nslist_index, decls, size, &at))
        return at;
    gx_nslist list = { b->nsdecls.n, n };
    for (u32 i = 0; i < n; i++)
        gx_builder_push(b, &b->nsdecls, &decls[i]);
    return intern(b, b->nslist_index, decls, size, gx_builder_push(b, &b->nslists, &list));
}

/* The decimal format of a stylesheet that declares none (12.3). */
gx_decimal_format gx_builder_decimal_format(gx_builder *b)
{
    gx_decimal_format format = { .name = GX_NONE };
    const struct { u32 *lit; const char *value;
    } fields[] = {
        { &format.decimal_separator, "." },
        { &format.grouping_separator, "," },
        { &format.infinity, "Infinity" },
        { &format.minus_sign, "-" },
        { &format.nan, "NaN" },
        { &format.percent, "%" },
        { &format.per_mille, "\xe2\x80\xb0" },
        { &format.zero_digit, "0" },
        { &format.digit, "#" },
        { &format.pattern_separator, ";" },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i].lit = gx_builder_lit(b, fields[i].value, strlen(fields[i].value));
    return format;
}

/* Where each array goes in the block. */
static const struct { u32 vec, table, size; } tables[] = {
#define TABLE(name, type) { offsetof(gx_builder, name), offsetof(gx_program, name), sizeof(type) },
    GX_EACH_TABLE(TABLE)
#undef TABLE
};
#define N_TABLES (sizeof tables / sizeof *tables)
#define VEC(b, i) ((gx_vec *)((char *)(b) + tables[i].vec))

void gx_builder_vendor(gx_builder *b, const char *vendor, const char *url)
{
    vendor = vendor ? vendor : "gpuxml";
    url = url ? url : "urn:gpuxml";
    b->vendor = gx_builder_lit(b, vendor, strlen(vendor));
    b->vendor_url = gx_builder_lit(b, url, strlen(url));
}

/* An empty program. Literal 0 is the empty string, name 0 is "any other name", place 0 is nowhere. */
gx_builder *gx_builder_create(apr_pool_t *pool, gx_error *err)
{
    gx_builder *b = apr_pcalloc(pool, sizeof *b);
    b->pool = pool;
    b->err = err;
    for (u32 i = 0; i < N_TABLES; i++)
        vec_init(VEC(b, i), tables[i].size);
    vec_init(&b->lit_bytes, 1);
    b->lit_index = apr_hash_make(pool);
    b->pname_index = apr_hash_make(pool);
    b->qname_index = apr_hash_make(pool);
    b->num_index = apr_hash_make(pool);
    b->nslist_index = apr_hash_make(pool);
    b->join_index = apr_hash_make(pool);
    gx_builder_lit(b, "", 0);
    gx_pname other = { 0, 0, gx_name_hash("", 0, "", 0), 0 };
    gx_builder_push(b, &b->pnames, &other);     /* not interned: no name may ever get index 0 */
    gx_builder_where(b, "", 0, 0);
    return b;
}

static u64 align16(u64 n) { return (n + 15) & ~15ull; }

/* The flags that say what the program's code needs of its documents and its team. */
static u32 needs(const gx_builder *b)
{
    u32 flags = 0;
    for (u32 i = 0; i < b->ops.n; i++) {
        const gx_op *op = GX_VEC_AT(&b->ops, gx_op, i);
        if ((op->op == GX_X_STEP || op->op == GX_X_COUNT) && GX_STEP_AXIS(op->a) == GX_AXIS_NAMESPACE)
            flags |= GX_P_NAMESPACE_AXIS;
        if (op->op == GX_X_FUNC && gx_function_is_host(op->a))
            flags |= GX_P_HOST;
    }
    for (u32 i = 0; i < b->psteps.n; i++)
        if (GX_VEC_AT(&b->psteps, gx_pstep, i)->axis == GX_AXIS_NAMESPACE)
            flags |= GX_P_NAMESPACE_AXIS;
    return flags;
}

static gx_status too_large(gx_builder *b)
{
    return gx_fail(b->err, GX_ELIMIT, "", 0, 0, "the compiled program is larger than %u bytes", MAX_PROGRAM_BYTES);
}

static gx_status no_memory(gx_builder *b)
{
    return gx_fail(b->err, GX_ENOMEM, "", 0, 0, "no memory for the compiled program");
}

gx_status gx_builder_append(gx_builder *b, gx_program **program, const void *bytes, size_t n, u32 *off)
{
    const u64 size = (*program)->size;
    if (n > MAX_PROGRAM_BYTES || align16(size + n) > MAX_PROGRAM_BYTES)
        return too_large(b);
    const u64 whole = align16(size + n);
    char *larger = realloc(*program, whole);
    if (!larger)
        return no_memory(b);
    memset(larger + size, 0, whole - size);
    if (n)
        memcpy(larger + size, bytes, n);
    *program = (gx_program *)larger;
    (*program)->size = whole;
    *off = (u32)size;
    return GX_OK;
}

/* Appends the serialiser's code */
static gx_status add_prepared(gx_builder *b, gx_program **program)
{
    void *prepared;
    size_t n;
    u32 off;
    if (gx_serialize_prepare(*program, &prepared, &n) != GX_OK)
        return no_memory(b);
    gx_status status = gx_builder_append(b, program, prepared, n, &off);
    if (status == GX_OK)
        (*program)->prepared = (gx_table){ off, (u32)n };
    free(prepared);
    return status;
}

/* All tables in one block of malloc(), each at a multiple of 16, gaps zeroed: equal programs are equal bytes. Then code
 * for the serialiser is prepared and appended. GX_ELIMIT beyond MAX_PROGRAM_BYTES. */
gx_status gx_builder_pack(gx_builder *b, gx_program **out)
{
    gx_program head;
    memset(&head, 0, sizeof head);
    u64 size = align16(sizeof head);
    for (u32 i = 0; i < N_TABLES; i++) {
        gx_table *t = (gx_table *)((char *)&head + tables[i].table);
        t->off = (u32)size;
        t->n = VEC(b, i)->n;
        size = align16(size + (u64)t->n * tables[i].size);
        if (size > MAX_PROGRAM_BYTES)
            return too_large(b);
    }
    u64 lit_bytes = size;
    size = align16(size + b->lit_bytes.n);
    if (size > MAX_PROGRAM_BYTES)
        return too_large(b);

    gx_builder_charge(b, 2 * size);             /* it grows once more */
    GX_TRY(gx_builder_go_on(b, "", 0, 0));
    char *block = calloc(1, size);              /* zeroed: the gaps between tables are part of what is compared and
                                                   hashed */
    if (!block)
        return no_memory(b);
    for (u32 i = 0; i < N_TABLES; i++) {
        const gx_table *t = (gx_table *)((char *)&head + tables[i].table);
        if (t->n)
            memcpy(block + t->off, VEC(b, i)->at, (size_t)t->n * tables[i].size);
    }
    memcpy(block + lit_bytes, b->lit_bytes.at, b->lit_bytes.n);
    gx_lit *lits = (gx_lit *)(block + head.lits.off);
    for (u32 i = 0; i < head.lits.n; i++)
        lits[i].off += (u32)lit_bytes;
    head.magic = GX_PROG_MAGIC;
    head.flags = b->flags | needs(b);
    head.size = size;
    head.n_key_names = head.key_names.n;
    head.start_mode = b->start_mode;
    head.vendor = b->vendor;
    head.vendor_url = b->vendor_url;
    memcpy(block, &head, sizeof head);

    gx_program *program = (gx_program *)block;
    gx_status status = add_prepared(b, &program);
    if (status == GX_OK)
        *out = program;
    else
        free(program);
    return status;
}
