/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 51-page.c -- pages that a team writes (output/page_team.h): the serialiser's bytes, or refused
 *
 * Every case of t/cases and stylesheet of bench/xsl and conf/xsl with its document, then a table of outputs, each by
 * the solo team and by threads, with arenas from too small to ample. What must not be refused is said in the table,
 * and how much of the rest may be.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <apr_general.h>
#include "engine/gx.h"
#include "engine/output/page_request.h"

enum { ARENA = 64 << 20 };

static apr_pool_t *root;
static gx_parser *parser;
static char *arena;
static char folder[] = "/tmp/gx-page-XXXXXX";

typedef struct bytes { char *at; size_t n, cap; } bytes;

static int take(void *ctx, const char *p, size_t n)
{
    bytes *b = ctx;
    if (b->n + n > b->cap) {
        b->cap = (b->n + n) * 2 + 256;
        b->at = realloc(b->at, b->cap);
        assert_non_null(b->at);
    }
    if (n)
        memcpy(b->at + b->n, p, n);
    b->n += n;
    return 0;
}

static int speak(void *ctx, const char *p, size_t n)
{
    (void)p;
    (void)n;
    *(int *)ctx = 1;
    return 0;
}

static int set_up(void **state)
{
    gx_error err;
    (void)state;
    apr_initialize();
    apr_pool_create(&root, NULL);
    arena = aligned_alloc(64, ARENA);
    return arena && gx_parser_create(&parser, &err) == GX_OK && mkdtemp(folder) ? 0 : -1;
}

static bytes read_file(const char *path)
{
    bytes b = { NULL, 0, 0 };
    char block[65536];
    size_t n;
    FILE *f = fopen(path, "rb");
    take(&b, "", 0);
    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        take(&b, block, n);
    if (f)
        fclose(f);
    return b;
}

typedef struct tally { int same, refused, messages, differ, skipped; } tally;

static void differs(const char *what, const char *team, const bytes *want, const char *got, u32 n)
{
    u32 at = 0;
    while (at < n && at < want->n && got[at] == want->at[at])
        at++;
    const u32 from = at > 60 ? at - 60 : 0;
    print_error("%s, %s: differs at byte %u of %u and %zu:\n  got  ..%.*s\n  want ..%.*s\n", what, team, at, n, want->n,
                (int)(n - from < 160 ? n - from : 160), got + from,
                (int)(want->n - from < 160 ? want->n - from : 160), want->at + from);
}

/* The evaluation's page by teams; want: what the serialiser makes of it; NULL: it refuses it. */
static void judge(const char *what, const gx_evaluation *ev, const bytes *want, tally *t)
{
    static const u32 members[] = { 1, 3, 8 };
    gx_page_request r = { ev->program, ev->base, ev->doc, 1u << 30, arena, ARENA };
    int verdict = -1;
    for (int i = 0; i < 3; i++) {
        const char *out = "";
        char team[40];
        u32 n = 0;
        memset(arena, 0xa5, 1 << 20);
        const gx_status s = members[i] == 1 ? gx_page_run_solo(&r, &out, &n)
                                            : gx_page_run_threads(&r, members[i], &out, &n);
        snprintf(team, sizeof team, "%u members", members[i]);
        if (verdict == -1)
            verdict = (int)s;
        if ((int)s != verdict || (s != GX_OK && s != GX_EHOST)) {
            print_error("%s, %s: status %d, solo %d\n", what, team, (int)s, verdict);
            t->differ++;
        } else if (s == GX_OK && (!want || n != want->n || (n && memcmp(out, want->at, n) != 0))) {
            static const bytes none = { "", 0, 0 };
            differs(what, team, want ? want : &none, out, n);
            t->differ++;
        }
    }
    if (verdict == GX_EHOST)
        t->refused++;
    else
        t->same++;
    for (u64 size = 64; verdict == GX_OK && size < ARENA; size = size * 3 / 2) {     /* too small: it says so */
        const char *out = "";
        u32 n = 0;
        r.arena_bytes = size & ~(u64)15;
        const gx_status s = gx_page_run_solo(&r, &out, &n);
        if (s == GX_OK)
            break;
        if (s != GX_EARENA) {
            print_error("%s: status %d with an arena of %llu\n", what, (int)s, (unsigned long long)size);
            t->differ++;
        }
    }
}

static void try_one(const char *what, const char *sheet, const char *xml, size_t n, tally *t)
{
    apr_pool_t *pool;
    gx_compile_options compile;
    gx_parse_options parsing;
    gx_serialize_options options;
    gx_program *program = NULL;
    gx_doc *doc = NULL;
    gx_arena *machine = NULL;
    gx_evaluation ev;
    gx_limits limits;
    gx_media media;
    gx_error err;
    bytes want = { NULL, 0, 0 };
    int spoke = 0;
    apr_pool_create(&pool, root);
    memset(&compile, 0, sizeof compile);
    memset(&parsing, 0, sizeof parsing);
    memset(&options, 0, sizeof options);
    memset(&ev, 0, sizeof ev);
    memset(&limits, 0, sizeof limits);
    gx_limits_default(&limits);
    options.message = speak;
    options.message_ctx = &spoke;
    t->skipped++;
    if (gx_compile(sheet, &compile, pool, &program, &err) != GX_OK || !gx_page_is_portable(program))
        goto end;
    parsing.spaces = program;
    if (gx_parse(parser, &parsing, xml, n, &doc, &err) != GX_OK || gx_arena_create(256u << 20, &machine, &err) != GX_OK)
        goto end;
    ev.program = program;
    ev.doc = doc;
    ev.limits = &limits;
    ev.team.members = 1;
    ev.arena = machine;
    ev.pool = pool;
    if (gx_evaluate(&ev, &err) != GX_OK)
        goto end;
    t->skipped--;
    take(&want, "", 0);
    const gx_status s = gx_serialize(&ev, &options, take, &want, &media, &err);
    if (spoke)                          /* whose words are for who asked: the bytes are the same all the same */
        t->messages++;
    judge(what, &ev, s == GX_OK ? &want : NULL, t);
end:
    if (machine)
        gx_arena_free(machine);
    free(doc);
    free(program);
    free(want.at);
    apr_pool_destroy(pool);
}

static void test_cases(void **state)
{
    glob_t files;
    tally t = { 0, 0, 0, 0, 0 };
    (void)state;
    assert_int_equal(glob("t/cases/*/*.xsl", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char xml[1024];
        const char *sheet = files.gl_pathv[i];
        snprintf(xml, sizeof xml, "%.*s.xml", (int)strlen(sheet) - 4, sheet);
        if (access(xml, R_OK))
            snprintf(xml, sizeof xml, "%.*s/doc.xml", (int)(strrchr(sheet, '/') - sheet), sheet);
        bytes b = read_file(xml);
        try_one(sheet, sheet, b.at, b.n, &t);
        free(b.at);
    }
    print_message("# %d cases the same, %d refused, %d with messages, %d not for pages\n", t.same,
                  t.refused, t.messages,
                  t.skipped);
    globfree(&files);
    assert_int_equal(t.differ, 0);
    assert_true(t.same > 190);
}

#define XSL(output, templates) \
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>" \
    "<xsl:output " output "/>" templates \
    "</xsl:stylesheet>"
#define DOC "<r a='1' b='&lt;&quot;&amp;&#9;'><i n='1'>one &amp; &lt;two></i><i n='2'/><?p d?><!-- c -->" \
    "<i n='3'>\xc3\xa4<b>x</b>y&#13;</i></r>"

/* must: it must not be refused */
static const struct { int must; const char *what, *sheet, *xml; } table[] = {
    { 1, "html, lines", XSL("method='html'", "<xsl:template match='/'><html><head><title><xsl:value-of "
                                             "select='r/@b'/></title><style>p { x: y }"
      "</style><script src='s.js'></script><meta name='a' content='b'/></head><body><xsl:apply-templates "
      "select='r/i'/><br/><pre>a\nb</pre>"
      "<textarea></textarea></body></html></xsl:template><xsl:template match='i'><p><xsl:value-of "
      "select='.'/></p><div><xsl:if test='@n = 2'>"
      "<p/></xsl:if></div><b><xsl:if test='@n = 2'>t</xsl:if></b></xsl:template>"), DOC },
    { 1, "html, lines around what writes nothing", XSL("method='html'", "<xsl:template match='/'><body><xsl:for-each "
        "select='r/i'><xsl:if "
      "test='@n &gt; 1'><xsl:apply-templates select='.'/></xsl:if></xsl:for-each></body></xsl:template><xsl:template "
      "match='i[@n=2]'/>"
      "<xsl:template match='i'><xsl:apply-templates select='.' mode='m'/><p/></xsl:template><xsl:template match='*' "
      "mode='m'/>"), DOC },
    { 1, "html, uris and attributes", XSL("method='html' indent='no'", "<xsl:template match='/'><html "
        "lang='{r/@a}'><body><xsl:for-each "
      "select='r/i'><a href='{.}?a&amp;b' title='{../@b}' name='\xc3\xa4{@n}'><xsl:attribute "
      "name='class'><xsl:choose><xsl:when test='@n=1'>"
      "first&lt;</xsl:when><xsl:otherwise>o<xsl:value-of "
      "select='../@b'/></xsl:otherwise></xsl:choose></xsl:attribute><img src='i.png'/>"
      "<input checked='checked' disabled='x'/></a></xsl:for-each></body></html></xsl:template>"), DOC },
    { 1, "html 5, doctype", XSL("method='html' version='5.0'",
        "<xsl:template match='/'><html><head></head><body>x</body></html></xsl:template>"), DOC },
    { 1, "html by name", XSL("omit-xml-declaration='no'", "<xsl:template "
                                                          "match='/'><html><body><br/></body></html></xsl:template>"),
                                                              DOC },
    { 1, "xml, names", XSL("cdata-section-elements='none'",
                           "<xsl:template match='/'><o:a xmlns:o='urn:o' o:x='{r/@b}'><o:b/><c><xsl:value-of "
      "select='r/i'/></c><d><xsl:if test='r/none'>x</xsl:if></d></o:a></xsl:template>"), DOC },
    { 1, "xml, doctype", XSL("doctype-system='s.dtd' doctype-public='-//X//Y' standalone='yes'",
                             "<xsl:template match='/'><a><b/></a>"
      "</xsl:template>"), DOC },
    { 1, "xml, the built-in rules lead to the document element",
      XSL("omit-xml-declaration='yes'", "<xsl:template match='r'><a><xsl:apply-templates"
      "/></a></xsl:template><xsl:template match='i'><x><xsl:apply-templates/></x></xsl:template>"), DOC },
    { 1, "copies", XSL("", "<xsl:template match='/'><a><xsl:copy-of select='//i'/><xsl:copy-of "
                           "select='//i[3]'/><xsl:copy-of select='r/text()|r/"
      "comment()|r/processing-instruction()'/></a></xsl:template>"), DOC },
    { 1, "a copy of all", XSL("", "<xsl:template match='/'><xsl:copy-of select='.'/></xsl:template>"),
      "<?x y?>" DOC "<!--z-->" },
    { 1, "a copy of all by templates", XSL("", "<xsl:template match='@*|node()'><xsl:copy><xsl:apply-templates "
                                               "select='@*|node()'/></xsl:copy>"
      "</xsl:template>"), DOC },
    { 1, "a copy of xml:lang", XSL("", "<xsl:template match='/'><a><xsl:copy-of select='a'/></a></xsl:template>"),
      "<a xml:lang='de' xml:space='preserve'/>" },
    { 1, "a fragment's copy", XSL("", "<xsl:template match='/'><xsl:variable name='v'><b c='{r/@a}'><xsl:value-of "
                                      "select='r/i'/></b></xsl:variable><a>"
      "<xsl:copy-of select='$v'/><xsl:value-of select='$v'/></a></xsl:template>"), DOC },
    { 1, "text", XSL("method='text'", "<xsl:template match='/'>a&lt;<xsl:apply-templates/><xsl:value-of select='1 div "
                                      "3'/><xsl:copy-of select='r'/>"
      "</xsl:template><xsl:template match='i'><ignored><xsl:value-of select='.'/></ignored></xsl:template>"), DOC },
    { 1, "text, nothing", XSL("method='text'", "<xsl:template match='/'><xsl:if test='x'>y</xsl:if></xsl:template>"),
      DOC },
    { 1, "numbers, booleans, unescaped", XSL("", "<xsl:template match='/'><a x='{count(//i) div 7}'><xsl:value-of "
                                                 "select='1 = 1'/><xsl:text "
      "disable-output-escaping='yes'>&lt;br></xsl:text><xsl:value-of disable-output-escaping='yes' "
      "select='r/@b'/></a></xsl:template>"), DOC },
    { 0, "indented xml", XSL("indent='yes'", "<xsl:template match='/'><a><b/></a></xsl:template>"), DOC },
    { 0, "a computed name", XSL("", "<xsl:template match='/'><a><xsl:element name='{name(r)}'/></a></xsl:template>"),
      DOC },
    { 0, "namespaces of a copy", XSL("", "<xsl:template match='/'><a><xsl:copy-of select='*'/></a></xsl:template>"),
      "<p:a xmlns:p='u'><b/></p:a>" },
    { 0, "a default namespace around a copy", XSL("", "<xsl:template match='/'><a xmlns='u'><xsl:copy-of "
                                                      "select='*'/></a></xsl:template>"), DOC },
    { 0, "an attribute too late",
      XSL("", "<xsl:template match='/'><a>x<xsl:copy-of select='r/@a'/></a></xsl:template>"), DOC },
    { 0, "an attribute from elsewhere", XSL("", "<xsl:template match='/'><a><xsl:call-template "
                                                "name='t'/></a></xsl:template><xsl:template name='t'>"
      "<xsl:attribute name='x'>y</xsl:attribute></xsl:template>"), DOC },
    { 0, "text before the document element", XSL("method='xml'", "<xsl:template match='/'>x<a/></xsl:template>"), DOC },
    { 0, "two document elements", XSL("", "<xsl:template match='/'><xsl:apply-templates "
                                          "select='//i'/></xsl:template><xsl:template match='i'><a/>"
      "</xsl:template>"), DOC },
    { 0, "two document elements with namespaces", XSL("", "<xsl:template match='/'><a xmlns='u'/><b "
                                                          "xmlns='u'/></xsl:template>"), DOC },
    { 0, "nothing", XSL("", "<xsl:template match='/'><xsl:if test='x'><y/></xsl:if></xsl:template>"), DOC },
    { 0, "a script with values", XSL("method='html'", "<xsl:template match='/'><html><script>x = '<xsl:value-of "
                                                      "select='r/i'/>'</script></html>"
      "</xsl:template>"), DOC },
    { 0, "elements inside pre", XSL("method='html'", "<xsl:template "
                                                     "match='/'><html><pre><p/><p/></pre></html></xsl:template>"),
                                                         DOC },
    { 0, "a meta element that is ours", XSL("method='html'", "<xsl:template match='/'><html><head><meta "
        "http-equiv='Content-Type' content='x'/>"
      "<title>t</title></head></html></xsl:template>"), DOC },
};

static tally try_sheet(const char *what, const char *sheet, const char *xml, size_t n)
{
    char path[200];
    tally t = { 0, 0, 0, 0, 0 };
    snprintf(path, sizeof path, "%s/t.xsl", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(sheet, f);
    fclose(f);
    try_one(what, path, xml, n, &t);
    unlink(path);
    return t;
}

static int is_wrong(const char *what, const tally *t, int is)
{
    if (is)
        print_error("%s: %s\n", what, t->differ ? "differs" : t->skipped ? "not evaluated" : "refused");
    return is;
}

typedef struct case_of { const char *what, *sheet; } case_of;

/* How many of n stylesheets do not write the document as the serialiser does */
static int wrong_sheets(const case_of *sheets, size_t n, const bytes *xml)
{
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const tally t = try_sheet(sheets[i].what, sheets[i].sheet, xml->at, xml->n);
        wrong += is_wrong(sheets[i].what, &t, t.same != 1 || t.differ);
    }
    return wrong;
}

static void test_table(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const tally t = try_sheet(table[i].what, table[i].sheet, table[i].xml, strlen(table[i].xml));
        wrong += is_wrong(table[i].what, &t, t.differ || t.skipped || (table[i].must && !t.same));
    }
    assert_int_equal(wrong, 0);
}

/* Runs of kids around GX_LONG_RUN and GX_SPAN_KIDS, within each other, in an attribute's value, some of them empty, and
 * copies of nodes within each other */
static void test_runs(void **state)
{
    static const u32 sizes[] = { 1, 31, 32, 33, 127, 128, 129, 300 };
    static const case_of sheets[] = {
        { "runs to html", XSL("method='html'", "<xsl:template match='/'><html><body title='{r/@t}'><xsl:for-each "
          "select='r/i'><xsl:if test='@n mod 3 = 0'><p><xsl:for-each select='../i[@n &lt; 40]'>"
          "<xsl:value-of select='@n'/></xsl:for-each></p></xsl:if></xsl:for-each><xsl:apply-templates select='r/i[@n = "
          "-1]'/><div/></body></html>"
          "</xsl:template>") },
        { "runs to xml", XSL("", "<xsl:template match='/'><a><xsl:attribute name='v'><xsl:for-each select='r/i'>"
          "<xsl:value-of select='concat(@n, &quot; &quot;)'/></xsl:for-each></xsl:attribute><xsl:apply-templates "
          "select='r/i'/><xsl:copy-of select='r/i/b|r/i[@n mod 2 = 0]|r'/></a></xsl:template><xsl:template match='i'>"
          "<xsl:copy-of select='b'/><xsl:apply-templates select='b[@m = 1]/..' mode='n'/></xsl:template>"
          "<xsl:template match='i' mode='n'><n/></xsl:template>") },
    };
    int wrong = 0;
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        bytes xml = { NULL, 0, 0 };
        char row[100];
        take(&xml, "<r t='x'>", 9);
        for (u32 i = 0; i < sizes[k]; i++)
            take(&xml, row, (size_t)snprintf(row, sizeof row, "<i n='%u'>%s<b m='%u'/>&lt;</i>", i,
                                             i % 2 ? "x" : "<c><d/></c>", i % 5));
        take(&xml, "</r>", 4);
        wrong += wrong_sheets(sheets, sizeof sheets / sizeof *sheets, &xml);
        free(xml.at);
    }
    assert_int_equal(wrong, 0);
}

/* Texts of all lengths up to some words, what is escaped at every place of them; then long ones. */
static void test_texts(void **state)
{
    static const char *const some[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#9;", "&#10;", "&#13;", "\xc3\xa4", "{" };
    static const case_of sheets[] = {
        { "texts to html", XSL("method='html'", "<xsl:template match='/'><html><body><xsl:for-each select='r/i'><a "
                                                "href='{.}' "
          "title='{.}'><xsl:value-of select='.'/></a><p><xsl:copy-of "
          "select='text()'/></p></xsl:for-each></body></html></xsl:template>") },
        { "texts to xml", XSL("", "<xsl:template match='/'><a><xsl:for-each select='r/i'><b c='{@t}'><xsl:value-of "
                                  "select='.'/></b>"
          "<xsl:copy-of select='.'/></xsl:for-each></a></xsl:template>") },
        { "texts to text", XSL("method='text'", "<xsl:template match='/'><xsl:for-each select='r/i'><xsl:value-of "
                                                "select='@t'/>"
          "<xsl:value-of select='.'/></xsl:for-each></xsl:template>") },
    };
    bytes xml = { NULL, 0, 0 };
    (void)state;
    take(&xml, "<r>", 3);
    for (u32 n = 0; n < 48; n++) {
        const u32 many = n < 44 ? n : n * 4099;
        for (int twice = 0; twice < 2; twice++) {
            take(&xml, twice ? "'>" : "<i t='", twice ? 2 : 6);
            for (u32 at = 0; at < many; at++) {
                const char *c = some[(n + at / 40) % 9];
                const int special = many < 44 ? at == n * 7 % many || at == n * 11 % many : at % 997 == n
                    || at == many - 1;
                take(&xml, special ? c : "x", special ? strlen(c) : 1);
            }
        }
        take(&xml, "</i>", 4);
    }
    take(&xml, "</r>", 4);
    const int wrong = wrong_sheets(sheets, sizeof sheets / sizeof *sheets, &xml);
    free(xml.at);
    assert_int_equal(wrong, 0);
}

static int clean(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_table), cmocka_unit_test(test_runs),
                                        cmocka_unit_test(test_texts), cmocka_unit_test(test_cases) };
    return cmocka_run_group_tests(tests, set_up, clean);
}
