/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t/11-catalog.c -- XML Catalogs: each entry type, what comes before what, files that are no catalogs, circles,
 * confinement
 *
 * Expected values are worked out from OASIS XML Catalogs V1.1, 6 and 7. In them and in the catalogs D is the test's
 * directory as a URI.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include "files/catalog.h"

static apr_pool_t *pool;
static char dir[] = "/tmp/gx-catalog-XXXXXX";
static int n_warnings;
static gx_error warned;

static char *at(const char *name) { return apr_pstrcat(pool, dir, "/", name, NULL); }

/* text with D for the directory's URI */
static const char *with_dir(const char *text)
{
    const char *d;
    char *out = apr_pstrdup(pool, "");
    for (; (d = strchr(text, 'D')); text = d + 1)
        out = apr_pstrcat(pool, out, apr_pstrndup(pool, text, (size_t)(d - text)), "file://", dir, NULL);
    return apr_pstrcat(pool, out, text, NULL);
}

static void put_file(const char *name, const char *text)
{
    FILE *f = fopen(at(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void put_catalog(const char *name, const char *attributes, const char *entries)
{
    put_file(name, apr_pstrcat(pool, "<catalog xmlns='urn:oasis:names:tc:entity:xmlns:xml:catalog' ", attributes,
                               ">\n", with_dir(entries),
                               "\n</catalog>", NULL));
}

static void warning(void *ctx, const gx_error *what)
{
    (void)ctx;
    n_warnings++;
    warned = *what;
}

static gx_catalog *open_catalog(const char *name)
{
    const char *file = at(name);
    n_warnings = 0;
    return gx_catalog_create(pool, &file, 1, warning, NULL);
}

static const struct { const char *entries, *public_id, *uri, *expected; } cases[] = {
    /* external identifiers, 7.1.2 */
    { "<system systemId='http://a/x' uri='one'/><system systemId='http://a/x' uri='two'/>", "", "http://a/x", "D/one" },
    { "<system systemId='http://a/x' uri='http://b/y'/>", "", "http://a/x", "http://b/y" },
    { "<system systemId='http://a/x' uri='one'/>", "", "http://a/xy", NULL },
    { "<public publicId='-//P' uri='p'/><system systemId='http://a/x' uri='s'/>", "-//P", "http://a/x", "D/s" },
    { "<public publicId='-//P' uri='p'/><system systemId='http://a/x' uri='s'/>", "-//P", "http://a/y", "D/p" },
    { "<rewriteSystem systemIdStartString='http://a/' rewritePrefix='a/'/><rewriteSystem "
      "systemIdStartString='http://a/b/' rewritePrefix='b/'/>"
      "<rewriteSystem systemIdStartString='http://a/bc' rewritePrefix='c/'/>", "", "http://a/b/x", "D/b/x" },
    { "<rewriteSystem systemIdStartString='http://a/' rewritePrefix='r/'/><system systemId='http://a/x' uri='s'/>", "",
      "http://a/x", "D/s" },
    { "<systemSuffix systemIdSuffix='.dtd' uri='any'/><systemSuffix systemIdSuffix='/x.dtd' uri='x'/>", "",
      "http://a/x.dtd", "D/x" },
    { "<systemSuffix systemIdSuffix='a-long-suffix' uri='any'/>", "", "suffix", NULL },
    { "<systemSuffix systemIdSuffix='x' uri='s'/><rewriteSystem systemIdStartString='http:' rewritePrefix='r'/>", "",
      "http:x", "D/rx" },
    { "<delegateSystem systemIdStartString='http://' catalog='b.xml'/><systemSuffix systemIdSuffix='in-b' uri='s'/>",
      "", "http://in-b", "D/s" },
    { "<delegateSystem systemIdStartString='http://' catalog='b.xml'/>", "", "http://in-b", "D/b" },
    { "<delegateSystem systemIdStartString='http:' catalog='b.xml'/><delegateSystem systemIdStartString='http://' "
      "catalog='c.xml'/>",
      "", "http://in-both", "D/both-c" },
    /* ... the public identifier does not count below, and there is no way back */
    { "<delegateSystem systemIdStartString='http://' catalog='b.xml'/><public publicId='-//P' uri='p'/>", "-//P",
      "http://none", NULL },
    { "<delegateSystem systemIdStartString='http://' catalog='b.xml'/>", "-//in-b", "http://none", NULL },
    { "<delegateSystem systemIdStartString='http://' catalog='b.xml'/><nextCatalog catalog='c.xml'/>", "",
      "http://in-c", NULL },
    { "<delegateSystem systemIdStartString='http://' catalog='none.xml'/><delegateSystem systemIdStartString='http:' "
      "catalog='b.xml'/>",
      "", "http://in-b", "D/b" },
    { "<delegatePublic publicIdStartString='-//' catalog='b.xml'/>", "-//in-b", "http://none", "D/public-b" },
    { "<delegatePublic publicIdStartString='-//' catalog='b.xml'/>", "-//none", "http://in-b", NULL },
    { "<delegatePublic publicIdStartString='-//' catalog='b.xml'/><public publicId='-//in-b' uri='p'/>", "-//in-b",
      "http://none", "D/p" },
    /* prefer */
    { "<group prefer='system'><public publicId='-//P' uri='p'/></group>", "-//P", "http://a/x", NULL },
    { "<group prefer='system'><public publicId='-//P' uri='p'/></group><public publicId='-//P' uri='q'/>", "-//P",
      "http://a/x", "D/q" },
    { "<group prefer='system'><group prefer='public'><public publicId='-//P' uri='p'/></group><public publicId='-//Q' "
      "uri='q'/></group>",
      "-//P", "http://a/x", "D/p" },
    { "<group prefer='system'><group prefer='public'><public publicId='-//P' uri='p'/></group><public publicId='-//Q' "
      "uri='q'/></group>",
      "-//Q", "http://a/x", NULL },
    { "<group prefer='system'><delegatePublic publicIdStartString='-//' catalog='b.xml'/></group>", "-//in-b",
      "http://none", NULL },
    /* prefer=system there */
    { "<delegatePublic publicIdStartString='-//' catalog='c.xml'/>", "-//in-c", "http://none", "D/public-c" },
    /* names, 6.2 to 6.4 */
    { "<public publicId=' -//P  q &#10; r ' uri='p'/>", "\n-//P q\t\tr ", "x", "D/p" },
    { "<system systemId='http://a/\u00e4 b' uri='s'/>", "", "http://a/%C3%A4%20b", "D/s" },
    { "<system systemId='http://a/%C3%A4%20b' uri='s'/>", "", "http://a/\u00e4 b", "D/s" },
    { "<public publicId='-//A+B C//X::E' uri='p'/>", "", "urn:publicid:-:A%2BB+C:X;E", "D/p" },
    { "<public publicId='-//P' uri='p'/>", "urn:publicid:-:P", "http://a/x", "D/p" },
    { "<public publicId='-//P' uri='p'/><public publicId='-//Q' uri='q'/>", "-//P", "urn:publicid:-:Q", "D/p" },
    { "<group prefer='system'><public publicId='-//P' uri='p'/></group>", "-//P", "urn:publicid:-:P", "D/p" },
    { "<public publicId='-//P' uri='p'/>", NULL, "urn:publicid:-:P", "D/p" },
    /* URI references, 7.2.2 */
    { "<uri name='http://a/x' uri='u'/><uri name='http://a/x' uri='v'/><system systemId='http://a/x' uri='s'/>", NULL,
      "http://a/x", "D/u" },
    { "<rewriteURI uriStartString='http://a/' rewritePrefix='a/'/><rewriteURI uriStartString='http://a/b/' "
      "rewritePrefix='D/b/'/>",
      NULL, "http://a/b/../x", "D/b/../x" },
    { "<rewriteURI uriStartString='http://a/' rewritePrefix='a/'/><uri name='http://a/x' uri='u'/>", NULL,
      "http://a/x", "D/u" },
    { "<uriSuffix uriSuffix='x.xsl' uri='u'/><uriSuffix uriSuffix='html/x.xsl' uri='v'/>", NULL, "http://a/html/x.xsl",
      "D/v" },
    { "<uriSuffix uriSuffix='x' uri='u'/><delegateURI uriStartString='http:' catalog='b.xml'/>", NULL, "http:x",
      "D/u" },
    { "<delegateURI uriStartString='http:' catalog='b.xml'/><delegateURI uriStartString='http://' catalog='c.xml'/>",
      NULL, "http://in-both", "D/uri-c" },
    { "<uri name='urn:x' uri='u'/>", NULL, "urn:x", "D/u" },
    { "<uri name='only.xsl' uri='u'/>", NULL, "only.xsl", "D/u" },
    { "<uri name='http://a/x' uri='http://b/x'/><uri name='http://b/x' uri='u'/>", NULL, "http://a/x", "http://b/x" },
    /* what has no entry of its kind */
    { "<system systemId='http://a/x' uri='s'/>", NULL, "http://a/x", "D/s" },
    { "<uri name='http://a/x' uri='u'/>", "-//P", "http://a/x", "D/u" },
    /* xml:base */
    { "<group xml:base='sub/'><uri name='a' xml:base='deep/' uri='u'/><uri name='b' uri='u'/></group><uri name='c' "
      "uri='u'/>", NULL, "a", "D/sub/deep/u" },
    { "<group xml:base='sub/'><uri name='a' xml:base='deep/' uri='u'/><uri name='b' uri='u'/></group><uri name='c' "
      "uri='u'/>", NULL, "b", "D/sub/u" },
    { "<group xml:base='sub/'><uri name='a' xml:base='deep/' uri='u'/><uri name='b' uri='u'/></group><uri name='c' "
      "uri='u'/>", NULL, "c", "D/u" },
    { "<rewriteURI xml:base='http://b/c/' uriStartString='x' rewritePrefix='../'/>", NULL, "xy", "http://b/y" },
    /* the next ones, in their order, before those that follow this one, and after all of it */
    { "<nextCatalog catalog='b.xml'/><uri name='http://in-both' uri='u'/>", NULL, "http://in-both", "D/u" },
    { "<nextCatalog catalog='b.xml'/><nextCatalog catalog='c.xml'/>", NULL, "http://in-both", "D/uri-b" },
    { "<nextCatalog catalog='c.xml'/><nextCatalog catalog='b.xml'/>", NULL, "http://in-both", "D/uri-c" },
    { "<nextCatalog catalog='to-b.xml'/><nextCatalog catalog='c.xml'/>", NULL, "http://in-both", "D/uri-b" },
    { "<nextCatalog catalog='none.xml'/><nextCatalog catalog='c.xml'/>", "-//P", "http://in-c", "D/c" },
    /* what is ignored */
    { "<x xmlns='urn:other'><uri xmlns='urn:oasis:names:tc:entity:xmlns:xml:catalog' name='a' uri='u'/></x>", NULL,
      "a", NULL },
    { "<uri xmlns='' name='a' uri='u'/><uri name='a'/><uri name='a' uri='v'/>", NULL, "a", "D/v" },
    { "<later><uri name='a' uri='u'/></later><!-- c --><?p i?>text", NULL, "a", NULL },
    /* circles */
    { "<nextCatalog catalog='a.xml'/><nextCatalog catalog='to-a.xml'/><nextCatalog catalog='b.xml'/>", NULL,
      "http://in-b", "D/uri-only-b" },
    { "<nextCatalog catalog='to-a.xml'/>", NULL, "x", NULL },
    { "<delegateURI uriStartString='' catalog='a.xml'/>", NULL, "x", NULL },
    { "<delegateURI uriStartString='' catalog='to-a.xml'/>", NULL, "x", NULL },
};

static void put_shared(void)
{
    put_catalog("b.xml", "",
                "<system systemId='http://in-b' uri='b'/><system systemId='http://in-both' uri='both-b'/><public "
                "publicId='-//in-b' uri='public-b'/>"
                             "<uri name='http://in-both' uri='uri-b'/><uri name='http://in-b' uri='uri-only-b'/>");
    put_catalog("c.xml", "prefer='system'",
                "<system systemId='http://in-c' uri='c'/><system systemId='http://in-both' uri='both-c'/>"
                             "<public publicId='-//in-c' uri='public-c'/><uri name='http://in-both' uri='uri-c'/>");
    put_catalog("to-b.xml", "", "<nextCatalog catalog='b.xml'/>");
    put_catalog("to-a.xml", "", "<nextCatalog catalog='a.xml'/>");
}

static void entries(void **state)
{
    (void)state;
    put_shared();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_catalog("a.xml", "", cases[i].entries);
        const char *got = gx_catalog_find(open_catalog("a.xml"), pool, cases[i].public_id, cases[i].uri);
        const char *want = cases[i].expected ? with_dir(cases[i].expected) : NULL;
        if (!got != !want || (got && strcmp(got, want)))
            fail_msg("%s: \"%s\" \"%s\" is %s, not %s", cases[i].entries,
                     cases[i].public_id ? cases[i].public_id : "(URI)", cases[i].uri,
                     got ? got : "nothing", want ? want : "nothing");
    }
    assert_null(gx_catalog_find(NULL, pool, NULL, "x"));
}

/* A catalog that is none is told of once, with its place, and passed over. */
static void broken(void **state)
{
    static const struct { const char *text; u32 line, column; const char *said; } bad[] = {
        { "<catalog>\n  <uri></catalog>", 2, 10, "mismatched tag" },
        { "\n<catalog/>", 2, 1, "not an XML catalog" },
        { "<x xmlns='urn:oasis:names:tc:entity:xmlns:xml:catalog'/>", 1, 1, "not an XML catalog" },
        { "<catalog xmlns='urn:oasis:names:tc:entity:xmlns:xml:catalog'>\n <uri name='n'/></catalog>", 2, 2,
          "uri needs the attribute uri" },
        { "<catalog xmlns='urn:oasis:names:tc:entity:xmlns:xml:catalog'>\n <uri uri='n'/></catalog>", 2, 2,
          "uri needs the attribute name" },
        { "<catalog xmlns='urn:oasis:names:tc:entity:xmlns:xml:catalog' prefer='me'/>", 1, 1,
          "prefer must be public or system" },
        { "", 1, 1, "no element found" },
    };
    (void)state;
    gx_error err;
    put_shared();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_file("bad.xml", bad[i].text);
        put_catalog("a.xml", "", "<nextCatalog catalog='bad.xml'/><nextCatalog catalog='b.xml'/>");
        gx_catalog *c = open_catalog("a.xml");
        for (int k = 0; k < 2; k++)
            assert_string_equal(gx_catalog_find(c, pool, NULL, "http://in-b"), with_dir("D/uri-only-b"));
        assert_int_equal(n_warnings, 1);
        assert_string_equal(warned.file, at("bad.xml"));
        if (warned.line != bad[i].line || warned.column != bad[i].column || !strstr(warned.text, bad[i].said))
            fail_msg("%s: %u:%u: %s", bad[i].text, warned.line, warned.column, warned.text);
        assert_int_not_equal(gx_catalog_check(pool, at("bad.xml"), &err), GX_OK);
        assert_string_equal(err.text, warned.text);
        assert_int_equal(gx_catalog_check(pool, at("a.xml"), &err), GX_OK);
    }
    assert_int_equal(gx_catalog_check(pool, at("none.xml"), &err), GX_EIO);
    gx_catalog *c = open_catalog("none.xml");
    assert_null(gx_catalog_find(c, pool, NULL, "http://in-b"));
    assert_int_equal(n_warnings, 1);
}

/* A chain of more catalogs than there may be ends, with one warning; a file counts once, however often it is named. */
static void many(void **state)
{
    (void)state;
    for (int i = 0; i < 1200; i++)
        put_catalog(apr_psprintf(pool, "n%d.xml", i), "", apr_psprintf(pool,
            "<nextCatalog catalog='n%d.xml'/><nextCatalog catalog='n%d.xml'/>"
                                                                       "<uri name='in-%d' uri='%d'/>",
                                                                       (i * 7 + 1) % 1200, (i + 1) % 1200, i, i));
    gx_catalog *c = open_catalog("n0.xml");
    assert_null(gx_catalog_find(c, pool, NULL, "x"));
    assert_int_equal(n_warnings, 1);
    assert_non_null(strstr(warned.text, "more than 1000 catalog entry files"));
    for (int i = 0; i < 60; i++)        /* delegated too often */
        put_catalog(apr_psprintf(pool, "d%d.xml", i), "", apr_psprintf(pool,
            "<delegateURI uriStartString='' catalog='d%d.xml'/>", i + 1));
    put_catalog("d60.xml", "", "<uri name='x' uri='u'/>");
    assert_null(gx_catalog_find(open_catalog("d0.xml"), pool, NULL, "x"));
    assert_string_equal(gx_catalog_find(open_catalog("d20.xml"), pool, NULL, "x"), with_dir("D/u"));
}

static void count(void *ctx, const char *path)
{
    apr_array_header_t *files = ctx;
    APR_ARRAY_PUSH(files, const char *) = path;
}

/* What gx_load makes of it. */
static void loading(void **state)
{
    (void)state;
    gx_error err;
    const char *path, *bytes;
    size_t n;
    char *roots[] = { at("root") };
    mkdir(roots[0], 0700);
    mkdir(at("root/a b%"), 0700);
    put_file("root/a b%/in", "inside");
    put_file("root/here", "here");
    put_file("outside", "outside");
    put_shared();
    put_catalog("root/a b%/catalog.xml", "", "<uri name='http://in' uri='in'/>");
    put_catalog("l.xml", "",
                "<uri name='http://out' uri='outside'/><rewriteURI uriStartString='http://r/' "
                "rewritePrefix='root/'/><uri name='D/root/here' uri='outside'/>"
                             "<uri name='D/root/gone' uri='root/here'/><uri name='gone-too' uri='root/here'/><uri "
                             "name='http://elsewhere' uri='http://other/x'/>"
                             "<system systemId='http://in' uri='outside'/><nextCatalog "
                             "catalog='root/a%20b%25/catalog.xml'/><nextCatalog catalog='b.xml'/>");
    gx_loader confined = { .roots = (const char *const *)roots, .n_roots = 1, .catalog = open_catalog("l.xml") };
    gx_loader open = { .catalog = open_catalog("l.xml") }, none = { 0 };
    static const struct { const char *ref, *confined, *open; } refs[] = {       /* the bytes, or the sentence's end */
        { "here", "here", "here" },             /* what is there needs no catalog */
        { "gone", "here", "here" }, { "gone-too", "here", "here" },
        { "http://in", "inside", "inside" }, { "http://r/here", "here", "here" },
                                                                                { "http://r/a%20b%25/in", "inside",
                                                                                    "inside" },
        { "http://out", "no such file beneath the allowed directories", "outside" },
        { "http://r/../outside", "no such file beneath the allowed directories", "outside" },
        { "http://elsewhere", "nothing is fetched (an XML catalog can map it to a file)",
          "nothing is fetched (an XML catalog can map it to a file)" },
        { "http://nobody/", "nothing is fetched, and no XML catalog maps it to a file",
          "nothing is fetched, and no XML catalog maps it to a file" },
    };
    for (size_t i = 0; i < sizeof refs / sizeof *refs; i++)
        for (int is_open = 0; is_open < 2; is_open++) {
            const char *want = is_open ? refs[i].open : refs[i].confined;
            gx_status status = gx_load(is_open ? &open : &confined, pool, NULL, refs[i].ref, at("root/base.xsl"), NULL,
                                       &path, &bytes, &n, &err);
            const char *got = status ? err.text : bytes;
            if (status ? !strstr(got, want) : strcmp(got, want))
                fail_msg("%s: %s", refs[i].ref, got);
        }
    /* an external identifier: outside */
    assert_int_equal(gx_load(&confined, pool, "", "http://in", NULL, NULL, &path, &bytes, &n, &err), GX_EIO);
    assert_non_null(strstr(err.text, "(by an XML catalog \"file:///"));
    assert_int_equal(gx_load(&none, pool, NULL, "http://in", NULL, NULL, &path, &bytes, &n, &err), GX_EIO);
    assert_non_null(strstr(err.text, "an XML catalog can map it"));
    /* a DTD by its public identifier, from within the parser that reads the document */
    put_file("root/x.dtd", "<!ENTITY e 'from the DTD'>");
    put_catalog("e.xml", "", "<public publicId='-//X//EN' uri='root/x.dtd'/>");
    static const char xml[] = "<!DOCTYPE a PUBLIC '-//X//EN' 'http://nobody/x.dtd'><a>&e;</a>";
    open.catalog = open_catalog("e.xml");
    gx_parse_options options = { .external = &open };
    gx_parser *parser;
    gx_doc *doc;
    assert_int_equal(gx_parser_create(&parser, &err), GX_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gx_parse(parser, &options, xml, sizeof xml - 1, &doc, &err), GX_OK);
        assert_memory_equal(GX_DOC_COL(doc, char, text), "from the DTD", 12);
        free(doc);
    }
    assert_true(gx_parser_bytes(parser) < 1u << 22);
    gx_parser_free(parser);

    apr_array_header_t *files = apr_array_make(pool, 4, sizeof(const char *));
    gx_catalog_files(confined.catalog, count, files);
    assert_int_equal(files->nelts, 3);
    assert_string_equal(APR_ARRAY_IDX(files, 0, const char *), at("l.xml"));
    assert_string_equal(APR_ARRAY_IDX(files, 1, const char *), at("root/a b%/catalog.xml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(entries), cmocka_unit_test(broken), cmocka_unit_test(many),
                                        cmocka_unit_test(loading) };
    if (apr_initialize() || apr_pool_create(&pool, NULL) || !mkdtemp(dir))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed |= system(apr_pstrcat(pool, "rm -r ", dir, NULL));
    apr_pool_destroy(pool);
    return failed;
}
