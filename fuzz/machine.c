/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c -- fuzzing the machine with stylesheets that are always well-formed: the bytes are decisions of a grammar
 *
 * Input: bytes; each answers one question (which instruction, which axis, another predicate?, ...), 0 when they are
 * used up, and every question's answer 0 ends something. What must hold: the stylesheet compiles to a sound program;
 * one thread and a team of three agree to the byte; with an arena of any size the evaluation ends in the same result
 * or in GX_EARENA.
 */
#include <fcntl.h>
#include <unistd.h>
#include "fuzz.h"

typedef struct maker {
    fuzz_bytes b;
    char *at;           /* the stylesheet so far */
    u32 n, depth;
    u32 n_vars;         /* $v0 .. are in scope */
} maker;

enum { SHEET_MAX = 16384, SHEET_FULL = 12000 };

static void put(maker *m, const char *s)
{
    size_t n = strlen(s);
    if (m->n + n < SHEET_MAX) {
        memcpy(m->at + m->n, s, n + 1);
        m->n += (u32)n;
    }
}

static u32 pick(maker *m, u32 n) { return m->n > SHEET_FULL || m->depth > 12 ? 0 : fuzz_byte(&m->b) % n; }
#define PICK(m, list) (list)[pick(m, sizeof (list) / sizeof *(list))]

static void string(maker *m);
static void number(maker *m);
static void boolean(maker *m);
static void any(maker *m);

static void test(maker *m)
{
    static const char *const tests[] = { "*", "node()", "b", "c", "i", "p", "n:i", "n:*", "text()", "comment()",
                                         "processing-instruction()",
        "processing-instruction('q')", "x", "n", "id", "l", "@*/..", "a" };
    put(m, PICK(m, tests));
}

static void predicates(maker *m)
{
    while (pick(m, 4) == 1) {
        m->depth++;
        put(m, "[");
        switch (pick(m, 8)) {
        case 0: put(m, "1"); break;
        case 1: put(m, "last()"); break;
        case 2: put(m, "position() > "); number(m); break;
        case 3: put(m, "position() = last()"); break;
        case 4: number(m); break;
        case 5: any(m); break;
        default: boolean(m); break;
        }
        put(m, "]");
        m->depth--;
    }
}

static void set(maker *m)
{
    static const char *const axes[] = { "", "child::", "descendant::", "descendant-or-self::", "self::", "parent::",
                                        "ancestor::",
        "ancestor-or-self::", "following::", "preceding::", "following-sibling::", "preceding-sibling::", "attribute::",
        "@", "namespace::" };
    m->depth++;
    switch (pick(m, 13)) {
    case 0: put(m, "*"); break;
    case 1: put(m, "."); break;
    case 2: put(m, "/"); break;
    case 3: put(m, "//*"); predicates(m); break;
    case 4: put(m, "("); set(m); put(m, " | "); set(m); put(m, ")"); predicates(m); break;
    case 5: put(m, "key('k', "); any(m); put(m, ")"); predicates(m); break;
    case 6: put(m, "id("); any(m); put(m, ")"); break;
    case 7: put(m, "("); set(m); put(m, ")"); predicates(m); break;
    case 8: put(m, "current()"); predicates(m); break;
    case 9: put(m, "exsl:node-set("); any(m); put(m, ")"); break;
    case 10: put(m, "$gs"); predicates(m); break;
    default: put(m, ".");
    }
    static const char *const slashes[] = { "/", "//" };
    while (pick(m, 3)) {
        if (m->at[m->n - 1] == '/')
            put(m, ".");
        put(m, PICK(m, slashes));
        const char *axis = PICK(m, axes);
        put(m, axis);
        if (*axis == '@' || !strcmp(axis, "attribute::")) {
            static const char *const names[] = { "*", "x", "n", "node()", "n:*", "id" };
            put(m, PICK(m, names));
        } else
            test(m);
        predicates(m);
    }
    m->depth--;
}

static void call(maker *m, const char *name, void (*a)(maker *), void (*b)(maker *), void (*c)(maker *))
{
    put(m, name);
    put(m, "(");
    a(m);
    if (b) {
        put(m, ", ");
        b(m);
    }
    if (c) {
        put(m, ", ");
        c(m);
    }
    put(m, ")");
}

static void string(maker *m)
{
    static const char *const texts[] = { "''", "'a'", "'12'", "' x  y '", "'k1 k2'", "'\xc3\xa4\xe2\x82\xac'", "'b'",
                                         "'-'", "'n:i'" };
    m->depth++;
    switch (pick(m, 17)) {
    case 0: put(m, PICK(m, texts)); break;
    case 1: call(m, "string", any, NULL, NULL); break;
    case 2: call(m, "concat", string, string, pick(m, 2) ? string : NULL); break;
    case 3: call(m, "substring", string, number, pick(m, 2) ? number : NULL); break;
    case 4: call(m, "substring-before", string, string, NULL); break;
    case 5: call(m, "substring-after", string, string, NULL); break;
    case 6: call(m, "normalize-space", string, NULL, NULL); break;
    case 7: call(m, "translate", string, string, string); break;
    case 8: call(m, "name", set, NULL, NULL); break;
    case 9: call(m, "local-name", set, NULL, NULL); break;
    case 10: call(m, "namespace-uri", set, NULL, NULL); break;
    case 11: put(m, "string(generate-id("); set(m); put(m, ") = generate-id("); set(m); put(m, "))"); break;
    case 12: put(m, "format-number("); number(m); put(m, ", '#,##0.00;(0)')"); break;
    case 13: call(m, "str:padding", number, string, NULL); break;
    case 14: put(m, "format-number("); number(m); put(m, ", "); string(m); put(m, ")"); break;
    case 15: put(m, "system-property("); string(m); put(m, ")"); break;
    default: call(m, "string", set, NULL, NULL);
    }
    m->depth--;
}

static void number(maker *m)
{
    static const char *const values[] = { "0", "1", "2", "3.5", "-1", "1 div 0", "0 div 0", "100000", "-0.5", "1e3" };
    static const char *const operators[] = { " + ", " - ", " * ", " div ", " mod " };
    m->depth++;
    switch (pick(m, 12)) {
    case 0: put(m, values[pick(m, 9)]); break;
    case 1: put(m, "position()"); break;
    case 2: put(m, "last()"); break;
    case 3: call(m, "count", set, NULL, NULL); break;
    case 4: call(m, "sum", set, NULL, NULL); break;
    case 5: call(m, "number", any, NULL, NULL); break;
    case 6: put(m, "("); number(m); put(m, PICK(m, operators)); number(m); put(m, ")"); break;
    case 7: call(m, "string-length", string, NULL, NULL); break;
    case 8: call(m, "floor", number, NULL, NULL); break;
    case 9: call(m, "round", number, NULL, NULL); break;
    case 10: call(m, "ceiling", number, NULL, NULL); break;
    default: put(m, "-("); number(m); put(m, ")");
    }
    m->depth--;
}

static void boolean(maker *m)
{
    static const char *const operators[] = { " = ", " != ", " &lt; ", " &lt;= ", " > ", " >= " };
    m->depth++;
    switch (pick(m, 10)) {
    case 0: put(m, "true()"); break;
    case 1: call(m, "not", any, NULL, NULL); break;
    case 2: put(m, "("); any(m); put(m, PICK(m, operators)); any(m); put(m, ")"); break;
    case 3: put(m, "("); set(m); put(m, PICK(m, operators)); set(m); put(m, ")"); break;
    case 4: put(m, "("); boolean(m); put(m, pick(m, 2) ? " and " : " or "); boolean(m); put(m, ")"); break;
    case 5: call(m, "contains", string, string, NULL); break;
    case 6: call(m, "starts-with", string, string, NULL); break;
    case 7: call(m, "lang", string, NULL, NULL); break;
    case 8: call(m, "boolean", any, NULL, NULL); break;
    default: call(m, "boolean", set, NULL, NULL);
    }
    m->depth--;
}

static void any(maker *m)
{
    switch (pick(m, 7)) {
    case 0: put(m, "."); break;
    case 1: number(m); break;
    case 2: string(m); break;
    case 3: boolean(m); break;
    case 4:
        if (m->n_vars) {
            char name[16];
            sprintf(name, "$v%u", pick(m, m->n_vars));
            put(m, name);
        } else
            put(m, "$g");
        break;
    case 5: put(m, "$g"); break;
    default: set(m);
    }
}

static void attribute(maker *m, const char *name, void (*value)(maker *))
{
    put(m, " ");
    put(m, name);
    put(m, "=\"");
    value(m);
    put(m, "\"");
}

static void pattern(maker *m)
{
    static const char *const starts[] = { "", "/", "//", "", "id('k1')/", "key('k', '1')//", "*/", "*//" };
    put(m, PICK(m, starts));
    test(m);
    predicates(m);
    while (pick(m, 3) == 1) {
        put(m, pick(m, 2) ? "//" : "/");
        static const char *const names[] = { "*", "@*", "child::node()", "text()", "b", "i", "@n" };
        put(m, PICK(m, names));
        predicates(m);
    }
}

static void sorts(maker *m)
{
    while (pick(m, 3) == 1) {
        static const char *const kinds[] = { "", " data-type=\"number\"", " order=\"descending\"",
                                             " case-order=\"upper-first\"", " data-type=\"{'number'}\"",
            " order=\"{'descending'}\"" };
        put(m, "<xsl:sort");
        attribute(m, "select", any);
        put(m, PICK(m, kinds));
        put(m, "/>");
    }
}

static void body(maker *m);

static void with_params(maker *m)
{
    while (pick(m, 3) == 1) {
        static const char *const names[] = { "p", "q" };
        put(m, "<xsl:with-param name=\"");
        put(m, PICK(m, names));
        put(m, "\"");
        if (pick(m, 2)) {
            attribute(m, "select", any);
            put(m, "/>");
        } else {
            put(m, ">");
            body(m);
            put(m, "</xsl:with-param>");
        }
    }
}

static void number_instruction(maker *m)
{
    static const char *const levels[] = { "", " level=\"multiple\"", " level=\"any\"" };
    static const char *const formats[] = { "", " format=\"1.a\"", " format=\"I\"", " format=\"{'A-1'}\"",
                                           " grouping-size=\"2\" grouping-separator=\".\"" };
    put(m, "<xsl:number");
    put(m, PICK(m, levels));
    if (pick(m, 2))
        attribute(m, "count", pattern);
    if (pick(m, 3) == 1)
        attribute(m, "from", pattern);
    if (pick(m, 4) == 1)
        attribute(m, "value", number);
    put(m, PICK(m, formats));
    put(m, "/>");
}

static void enclosed(maker *m, const char *name, const char *open)
{
    put(m, "<");
    put(m, name);
    put(m, open);
    put(m, ">");
    body(m);
    put(m, "</");
    put(m, name);
    put(m, ">");
}

static void instruction(maker *m)
{
    static const char *const modes[] = { "", " mode=\"m\"" };
    switch (pick(m, 20)) {
    case 0: put(m, "t"); break;
    case 1: put(m, "<xsl:value-of"); attribute(m, "select", any); put(m, "/>"); break;
    case 2: put(m, "<xsl:copy-of"); attribute(m, "select", any); put(m, "/>"); break;
    case 3: put(m, "<e"); attribute(m, "a", string); put(m, " b=\"{"); any(m); put(m, "}\">"); body(m);
    put(m, "</e>"); break;
    case 4: put(m, "<xsl:for-each"); attribute(m, "select", set); put(m, ">"); sorts(m); body(m);
    put(m, "</xsl:for-each>"); break;
    case 5: put(m, "<xsl:apply-templates"); attribute(m, "select", set); put(m, PICK(m, modes)); put(m, ">"); sorts(m);
    with_params(m);
        put(m, "</xsl:apply-templates>"); break;
    case 6: put(m, "<xsl:apply-templates/>"); break;
    case 7: put(m, "<xsl:if"); attribute(m, "test", boolean); put(m, ">"); body(m); put(m, "</xsl:if>"); break;
    case 8:
        put(m, "<xsl:choose><xsl:when");
        attribute(m, "test", boolean);
        put(m, ">");
        body(m);
        put(m, "</xsl:when><xsl:when");
        attribute(m, "test", any);
        put(m, ">");
        body(m);
        put(m, "</xsl:when>");
        if (pick(m, 2))
            enclosed(m, "xsl:otherwise", "");
        put(m, "</xsl:choose>");
        break;
    case 9: put(m, "<xsl:call-template name=\"t\">"); with_params(m); put(m, "</xsl:call-template>"); break;
    case 10: enclosed(m, "xsl:copy", ""); break;
    case 11: enclosed(m, "xsl:element", " name=\"{local-name()}x\""); break;
    case 12: enclosed(m, "xsl:attribute", " name=\"n:y\""); break;
    case 13: enclosed(m, "xsl:comment", ""); break;
    case 14: number_instruction(m); break;
    case 15: put(m, "<xsl:apply-imports/>"); break;
    case 16: enclosed(m, "xsl:processing-instruction", " name=\"p{position()}\""); break;
    case 17: put(m, "<xsl:attribute name=\"{"); string(m); put(m, "}\" namespace=\"{"); string(m); put(m, "}\">");
    body(m); put(m, "</xsl:attribute>");
        break;
    case 18: put(m, "<xsl:value-of select=\"$p\"/>"); break;
    default: put(m, "<n:e xsl:use-attribute-sets=\"s\"/>");
    }
}

static void body(maker *m)
{
    u32 vars = m->n_vars;
    m->depth++;
    while (pick(m, 3)) {
        if (pick(m, 5) == 1) {
            char open[40];
            sprintf(open, "<xsl:variable name=\"v%u\"", m->n_vars);
            put(m, open);
            if (pick(m, 2)) {
                attribute(m, "select", any);
                put(m, "/>");
            } else {
                put(m, ">");
                body(m);
                put(m, "</xsl:variable>");
            }
            m->n_vars = m->n_vars < 1000 ? m->n_vars + 1 : m->n_vars;
        } else
            instruction(m);
    }
    m->depth--;
    m->n_vars = vars;
}

static void stylesheet(maker *m)
{
    static const char *const outputs[] = { "", "<xsl:output method=\"html\"/>", "<xsl:output method=\"text\"/>",
                                           "<xsl:output indent=\"yes\"/>",
        "<xsl:output cdata-section-elements=\"e\" encoding=\"iso-8859-1\"/>", "<xsl:strip-space elements=\"*\"/>" };
    put(m, "<xsl:stylesheet version=\"1.0\" xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\" xmlns:n=\"urn:n\" "
           "xmlns:exsl=\"http://exslt.org/common\" xmlns:str=\"http://exslt.org/strings\" "
           "exclude-result-prefixes=\"exsl str\">");
    put(m, PICK(m, outputs));
    put(m, "<xsl:key name=\"k\" match=\"");
    test(m);
    put(m, "\" use=\"");
    static const char *const uses[] = { "@*", ".", "string(@n)", "*", "count(*)", "local-name()", "../@x" };
    put(m, PICK(m, uses));
    put(m, "\"/><xsl:variable name=\"gs\" select=\"//node()\"/><xsl:variable name=\"g\">");
    static const char *const values[] = { "<g>1<h a='2'/></g>", "12", "", "<xsl:copy-of select='/'/>",
                                          "<xsl:value-of select='count(//*)'/>" };
    put(m, PICK(m, values));
    put(m, "</xsl:variable><xsl:attribute-set name=\"s\"><xsl:attribute name=\"z\">");
    put(m, "<xsl:value-of select=\"position()\"/></xsl:attribute></xsl:attribute-set>");
    put(m, "<xsl:template name=\"t\"><xsl:param name=\"p\"/><xsl:param name=\"q\" select=\"7\"/>");
    body(m);
    put(m, "</xsl:template>");
    for (u32 i = 0; i < 6 && (i == 0 || pick(m, 3)); i++) {
        static const char *const heads[] = { "", " mode=\"m\"", " priority=\"2\"" };
        put(m, "<xsl:template");
        if (i)
            attribute(m, "match", pattern);
        else
            put(m, " match=\"/\"");
        put(m, PICK(m, heads));
        put(m, "><xsl:param name=\"p\" select=\"3\"/>");
        body(m);
        put(m, "</xsl:template>");
    }
    put(m, "</xsl:stylesheet>");
}

static char path[] = "/tmp/gpuxml-fuzz-XXXXXX";
static void remove_file(void) { unlink(path); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const gx_loader nothing;
    static fuzz_output out[2];
    static char *sheet;
    static int fd = -1;
    gx_compile_options o;
    gx_program *program;
    gx_error err;
    maker m;
    if (fd < 0) {
        FUZZ_ASSERT((fd = mkstemp(path)) >= 0 && (sheet = malloc(SHEET_MAX)) != NULL);
        atexit(remove_file);
    }
    if (size < 2)
        return 0;
    fuzz_start();
    memset(&m, 0, sizeof m);
    memset(&err, 0, sizeof err);
    memset(&o, 0, sizeof o);
    m.b.at = data + 2;
    m.b.end = data + size;
    m.at = sheet;
    stylesheet(&m);
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s\n", sheet);
    FUZZ_ASSERT(ftruncate(fd, 0) == 0 && pwrite(fd, sheet, m.n, 0) == (ssize_t)m.n);
    o.loader = &nothing;
    o.strategy = (u32)(size % GX_N_STRATEGIES);
    if (gx_compile(path, &o, fuzz_pool, &program, &err) != GX_OK) {
        FUZZ_ASSERT(err.status == GX_ESTYLE || err.status == GX_EXML);   /* XML: the sheet was cut */
        return 0;
    }
    FUZZ_ASSERT(gx_program_check(program, program->size, &err) == GX_OK);
    const char *xml = fuzz_documents[data[0] % FUZZ_N_DOCUMENTS];
    gx_doc *doc = fuzz_parse(xml, strlen(xml), program, 0);
    u64 arena = data[1] & 1 ? 0 : 65536 + (u64)(data[1] >> 1) * 4096;
    gx_status status = fuzz_run(program, doc, NULL, 0, 0, 0, &out[0], &err);
    gx_status again = fuzz_run(program, doc, NULL, data[1] & 2 ? 3 : 0, 0, arena, &out[1], &err);
    if (status != GX_EARENA && again != GX_EARENA && status != GX_ETIME && again != GX_ETIME) {
        FUZZ_ASSERT(status == again);
        FUZZ_ASSERT(status != GX_OK || (out[0].n == out[1].n && !memcmp(out[0].at, out[1].at, out[0].n)));
    }
    free(doc);
    free(program);
    apr_pool_clear(fuzz_pool);          /* APR's memory is mapped, where LeakSanitizer does not look for references */
    return 0;
}
