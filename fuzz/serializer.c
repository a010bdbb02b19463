/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serializer.c -- fuzzing the serialiser: a copy of any document, written in any encoding and read again, is the
 * document
 *
 * Input: two bytes of options (encoding, method, indent, ...), then a document. method xml without indentation must
 * come back with the same nodes and strings; the others must end.
 */
#include <unistd.h>
#include "fuzz.h"

enum { N_ENCODINGS = 5, N_METHODS = 4 };

static gx_program *compile(u32 encoding, u32 method)
{
    static const char *const encodings[N_ENCODINGS] = { "UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16", "windows-1252" };
    static const char *const methods[N_METHODS] = { "method='xml'",
        "method='xml' indent='yes' cdata-section-elements='a b'", "method='html'",
        "method='text'" };
    static const gx_loader anywhere;
    char path[] = "/tmp/gpuxml-fuzz-XXXXXX", sheet[1024];
    gx_compile_options o;
    gx_program *program;
    gx_error err;
    int fd = mkstemp(path);
    int n = snprintf(sheet, sizeof sheet, "<xsl:stylesheet version='1.0' "
                                          "xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:output %s "
        "encoding='%s'/><xsl:template match='/'><xsl:copy-of select='.'/></xsl:template></xsl:stylesheet>",
            methods[method], encodings[encoding]);
    FUZZ_ASSERT(fd >= 0 && write(fd, sheet, (size_t)n) == n);
    close(fd);
    memset(&o, 0, sizeof o);
    o.loader = &anywhere;
    gx_status status = gx_compile(path, &o, fuzz_pool, &program, &err);
    unlink(path);
    if (status != GX_OK)
        fprintf(stderr, "%s\n", err.text);
    return status == GX_OK ? program : NULL;
}

/* Are all names, comments and processing instructions ASCII? No encoding but UTF has all of theirs, and they take no
 * references. */
static int is_plain(const gx_doc *d)
{
    const u8 *strs = GX_DOC_COL(d, u8, strs), *values = GX_DOC_COL(d, u8, values);
    u32 high = 0;
    for (u64 i = 0; i < d->strs_size; i++)
        high |= strs[i];
    for (u32 i = 0; i < d->n_nodes; i++) {
        u32 kind = GX_LABEL_KIND(GX_DOC_COL(d, u32, label)[i]), off = GX_DOC_COL(d, u32, text_off)[i];
        for (u32 k = 0; (kind == GX_KIND_COMMENT || kind == GX_KIND_PI) && k < GX_DOC_COL(d, u32, text_len)[i]; k++)
            high |= values[off + k];
    }
    return high < 0x80;
}

/* Same nodes, same names, same strings. */
static int same(const gx_doc *a, const gx_doc *b)
{
    if (a->n_nodes != b->n_nodes)
        return 0;
    for (u32 i = 0; i < a->n_nodes; i++) {
        u32 x = GX_DOC_COL(a, u32, label)[i], y = GX_DOC_COL(b, u32, label)[i];
        const gx_label_info *p = GX_DOC_COL(a, gx_label_info, labels) + GX_LABEL_ID(x),
            *q = GX_DOC_COL(b, gx_label_info, labels) + GX_LABEL_ID(y);
        u32 len = GX_DOC_COL(a, u32, text_len)[i], in_text = GX_LABEL_KIND(x) == GX_KIND_TEXT
            || GX_LABEL_KIND(x) == GX_KIND_ELEM;
        const char *s = (const char *)a + (in_text ? a->text : a->values) + GX_DOC_COL(a, u32, text_off)[i];
        const char *t = (const char *)b + (in_text ? b->text : b->values) + GX_DOC_COL(b, u32, text_off)[i];
        if (GX_LABEL_KIND(x) != GX_LABEL_KIND(y) || GX_DOC_COL(a, u32, next)[i] != GX_DOC_COL(b, u32, next)[i])
            return 0;
        if (p->uri_len != q->uri_len || p->local_len != q->local_len
            || memcmp((const char *)a + a->strs + p->uri, (const char *)b + b->strs + q->uri, p->uri_len)
            || memcmp((const char *)a + a->strs + p->local, (const char *)b + b->strs + q->local, p->local_len))
            return 0;
        if (i && (len != GX_DOC_COL(b, u32, text_len)[i] || memcmp(s, t, len)))
            return 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static gx_program *programs[N_ENCODINGS][N_METHODS];
    static fuzz_output out;
    gx_error err;
    if (size < 2)
        return 0;
    fuzz_start();
    u32 encoding = data[0] % N_ENCODINGS, method = data[1] % N_METHODS;
    if (!programs[encoding][method] && !(programs[encoding][method] = compile(encoding, method)))
        return 0;
    const gx_program *program = programs[encoding][method];
    gx_doc *doc = fuzz_parse((const char *)data + 2, size - 2, program, 0);
    if (!doc)
        return 0;
    gx_status status = fuzz_run(program, doc, NULL, 0, 0, 0, &out, &err);
    if (status == GX_OK && method == 0 && (encoding == 0 || encoding == 3 || is_plain(doc))) {
        gx_doc *again = fuzz_parse(out.at, out.n, program, 0);
        if (!again || !same(doc, again)) {
            fwrite(out.at, 1, out.n, stderr);
            fputc('\n', stderr);
        }
        FUZZ_ASSERT(again && same(doc, again));
        free(again);
    }
    free(doc);
    return 0;
}
