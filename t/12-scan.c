/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t/12-scan.c -- the scanner beside Expat: every document gives the same block to the byte, or the same refusal
 *
 *   12-scan                      the documents below, the files of t/cases, and mutants of both (SEED, COUNT)
 *   12-scan FILE...              these files only, and COUNT mutants of each
 *
 * Each on every instruction set that this processor has, with all that a caller may ask for, whole and in pieces.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>
#include "scan_both.h"

static gx_parser *parser;
static u32 seed;
static char **files;
static int n_files;

static u32 chance(u32 n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* ---- documents ---- */

static const char *const documents[] = {
    "<a/>",
    "<a></a >",
    "<a\n>x</a\t>",
    "\xef\xbb\xbf<a>x</a>\n<!-- c --><?p?>\n",
    "<?xml version='1.0'?><a/>",
    "<?xml version=\"1.1\" encoding='utf8' standalone='yes' ?>\n<?p d?><!---->\n<a/>",
    "<?xml  version = '1.0' encoding='us-ascii'?><a>x</a>",
    "<a>1&lt;2&gt;3&amp;4&apos;5&quot;6&#65;7&#x20ac;8&#x1F600;9</a>",
    "<a>\r\nb\rc\r\r\nd\n</a>",
    "<a b='\r\nx\ty\nz\r' c=\"&#10;&#9;&#13;'\"/>",
    "<a><![CDATA[]]><![CDATA[x<&>]]>y<![CDATA[\r\n]]]></a>",
    "<a>]]<b>]</b>&#62;]] ]&gt;</a>",
    "<a><?p?><?p x?><?p  x ? y?><!-- - --><?q \r\n?></a>",
    "<p:a xmlns:p='u' xmlns='d' p:x='1' x='2'><b/><p:b p:y='3'/><b xmlns=''><c/></b><q:b xmlns:q='u' "
    "q:x='4'/><p:b/></p:a>",
    "<r xmlns='d' xmlns:p='u'><a><b p:c='1'/></a><a xmlns='e'><b p:c='1'/></a><a xmlns:p='v'><b p:c='1'/><p:b/></a>"
    "<a><b p:c='1'/><p:b/></a><a xmlns='e'><b p:c='1' d='2'/></a><a xmlns:p='v' p:c='1'><b p:c='1'/><p:b/></a><a "
    "p:c='1'/>"
    "<a xmlns=''><b/></a><a xmlns='e'><a xmlns='d'><b/></a><b/></a><a xmlns=''><b/></a></r>",
    "<r><a xmlns='e'><b xml:space='preserve'> <c/> </b></a><a><b> </b></a><a xmlns='e'><b> </b></a><a><b> </b></a></r>",
    "<a xmlns:p='u' xmlns:q='u'><p:b/><q:b/><q:b p:c='1'/><p:b q:c='2'/><b p:c='1' q:d='2'/><b p:c='3' q:d='4'/></a>",
    "<a xmlns:p='u'><b p:x='1' p:y='2'/><b p:x='1' p:y='2'/><b p:x='1' p:x='2'/></a>",
    "<a xmlns:p='u' xmlns:q='u'><b p:x='1' q:y='2'/><b p:y='1' q:y='2'/></a>",
    "<a x='1'><b x='1' y='2'/><b x='1' y='2' z='3'/><b z='3' y='2' x='1'/><b x='1' y='2' x='3'/></a>",
    "<a x='1'><b x=\"1\" y=\"2\"/><b x=\"1\" y=\"2\"/><b y=\"1\" y=\"2\"/></a>",
    "<a xml:space='preserve'> <b> </b><b xml:space='default'> <c/> </b> </a>",
    "<a> <b> </b>\n <c>x</c> <b xml:space='preserve'> </b> <p:b xmlns:p='u'> </p:b></a>",
    "<a xmlns:n='u'><b xml:space='preserve'> <c xml:space='default'> <d/> </c> <b> <n:d e='1'/> </b> <b e='1'>"
    " <c xml:space='default'> </c> <d> </d> </b></b> <b> </b></a>",
    "<a xmlns:n='u'><b xml:space='preserve'><f/><g xml:space='default'><h/></g>//e><i><j a='1'/><n:j/></i>"
    "<k> <l> </l></k></b></a>",
    "<a xml:id=' i '><b xml:id='j'/><b xml:id='j'/><b xml:lang='en'/></a>",
    "<abcdefghijklmnop abcdefghijklmnop='1'><abcdefghijklmnopq abcdefghijklmnopq='2'/><abcdefghijklmnopq "
    "abcdefghijklmnopq='2'/></abcdefghijklmnop>",
    "<abcdefghijklmnopqrstuvwxyz01234><abcdefghijklmnopqrstuvwxyz012345/><abcdefghijklmnopqrstuvwxyz01234></"
    "abcdefghijklmnopqrstuvwxyz01234></abcdefghijklmnopqrstuvwxyz01234>",
    "<abcdefghijklmnopqrstuvwxyz0123456 a='1'><abcdefghijklmnopqrstuvwxyz0123456 "
    "a='1'></abcdefghijklmnopqrstuvwxyz0123456></abcdefghijklmnopqrstuvwxyz0123456>",
    "<\xc3\xa9l\xc3\xa9ment \xc3\xa0='\xc3\xbc'>\xe2\x82\xac \xf0\x9f\x98\x80<\xe6\x96\x87/></\xc3\xa9l\xc3\xa9ment>",
    "<xmlns x='1'><xmlns x='1'/></xmlns>",
    "<a xmlns:xml='http://www.w3.org/XML/1998/namespace'><xml:b/></a>",
    "<a><b>x</b><b>y</b> <b>z</b><c/><c/><c></c><b/></a>",
    "<a b = 'c' d\n=\n\"e\"   f='g'/>",
    /* behind a document type declaration */
    "<!DOCTYPE a><a>x</a>",
    "<?p?><!-- c --><!DOCTYPE a [<!-- > --><?q ]>?><!ELEMENT a ANY>]>\n<!-- d -->\n<a>x</a>",
    "<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST a b CDATA 'd' i ID #IMPLIED>]><a i='1'>&e;<a i=' 2 ' "
    "b='&e;'/><c>&e;&e;</c></a>",
    "<!DOCTYPE a [<!ATTLIST b t NMTOKENS #IMPLIED u (x|y) 'x' v CDATA #IMPLIED><!ATTLIST b t CDATA 'z' u CDATA "
    "'q'>]><a><b t='  p \n q '/><b u=' y ' v=' w '/><c t='  p '/><b/></a>",
    "<!DOCTYPE a [<!ATTLIST a xmlns CDATA 'u' xmlns:p CDATA 'v' xml:space (default|preserve) 'preserve' xml:id ID "
    "#IMPLIED>]><a> <p:b xml:id=' i '/> <a xml:id='j'/></a>",
    "<!DOCTYPE a [<!ENTITY e 'a\nb\tc'><!ENTITY f '&#13;x'><!ENTITY g '<b>&e;</b>'><!ENTITY h '&e;'>]><a t='&e;'>&e;<b "
    "t='&f;'/></a>",
    "<!DOCTYPE a [<!ENTITY e 'x'><!ENTITY g '<b>&e;</b>'>]><a>&e;&g;</a>",
    "<!DOCTYPE a [<!ENTITY e 'x'><!ENTITY e 'y'><!ENTITY lt 'l'>]><a>&e;&lt;</a>",
    "<!DOCTYPE a [<!ENTITY e ''>]><a>&e;<b/>&e;&#10;</a>",
    "<!DOCTYPE a [<!ENTITY e '\xc3\xa9'>]><a t='&e;'>&e;</a>",
    "<!DOCTYPE a [<!NOTATION n SYSTEM 'n'><!ENTITY u SYSTEM 'p.gif' NDATA n>]><a t='u'/>",
    "<!DOCTYPE a [<!ATTLIST a i ID 'x' j ID #IMPLIED>]><a><a i='y'/><a j='z'/></a>",
    "<!DOCTYPE a SYSTEM 'x'><a>&amp;</a>",
    "<!DOCTYPE a SYSTEM 'x'><a>&e;</a>",
    "<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'x' [<!ENTITY % p '<!ENTITY e \"x\">'>%p;]><a>&e;</a>",
    "<!DOCTYPE a PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'x'><a t='&eacute;'>&nbsp;&mdash;<b/></a>",
    "<!DOCTYPE a [<!ENTITY e ']]'><!ENTITY f ']]>'>]><a>&e;></a>",
    "<!DOCTYPE a [<!ENTITY e SYSTEM 'f'>]><a>&e;</a>",
    "<!DOCTYPE a [<!ENTITY e SYSTEM 'f'>]><a><b/></a>",
    "<!DOCTYPE a []><a>&e;</a>",
    "<!DOCTYPE a [<!ENTITY e 'x'>]><a t='&f;'/>",
    "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e</a>",
    "<!DOCTYPE a [",
    "<!DOCTYPE a [<!ENTITY e 'x'>]><b></c>",
    "<!DOCTYPE a [<!ENTITY e 'x'>]",
    "<!DOCTYPE a><!DOCTYPE a><a/>",
    "<!DOCTYPE a [<!ATTLIST a b CDATA 'x'>]><a b='1' b='2'/>",
    "<!DOCTYPE a [<!ATTLIST a b CDATA 'x'>]><a b='1'><a c='2'/></a><!-- c -->",
    "<!DOCTYPE a [<!ATTLIST a p:b CDATA 'x' q:b CDATA 'y'>]><a xmlns:p='u' xmlns:q='u'/>",
    /* declarations that repeat go the fast way: what is declared there, again, otherwise, no more */
    "<r xmlns:p='u'><p:a xmlns:q='v' q:x='1'/><p:a xmlns:q='w' q:x='1'/><p:a xmlns:q='v' q:x='1'><q:b/></p:a>"
    "<p:a xmlns:q='v' q:x='1'><q:b/></p:a><p:a/><p:a xmlns:q='v' q:x='1'/></r>",
    "<r><a xmlns='u'><b/></a><a xmlns='v'><b/></a><a xmlns='u'><b/></a><b/><a xmlns=''><b/></a><a xmlns='u'>"
    "<b xmlns=''/><b/></a><a xmlns='u'><b xmlns=''/><b/></a></r>",
    "<r xmlns:p='u' xmlns:q='v'><a p:x='1' q:x='2'/><a xmlns:q='u' q:x='1'/><a p:x='1' xmlns:p='v'/>"
    "<a p:x='1' xmlns:p='v'/><a p:x='1' xmlns:p='u'/><q:a xmlns:q='u'/><q:a/></r>",
    "<r xmlns:p='u'><a xmlns:q='v' q:x='1' p:x='2'/><a xmlns:q='v' q:x='1' p:x='2'/><a xmlns:q='u' q:x='1'/>"
    "<a xmlns:q='u' q:x='1' p:x='2'/></r>",
    "<r><a xmlns:q='v' xmlns:p='w'/><a xmlns:q='v' xmlns:p='w'/><a xmlns:q='v' xmlns:q='w'/></r>",
    "<r><a xmlns:q='v'/><a xmlns:q='v' xmlns:q='v'/></r>",
    "<r><a xmlns:q='v' z=''/><b z='v' y=''/><q:b xmlns:q='v'/><a xmlns:q=''/></r>",
    "<r><q:b xmlns:q='v'/><q:b xmlns:q='v'/><q:b/></r>",
    "<r><a xmlns:q='v' q:x=''/><a xmlns:q='v' q:x=''/><a q:x=''/></r>",
    "<r xmlns='u'><a xmlns:q='&lt;v'/><a xmlns:q='&lt;v' t='x'/><a\txmlns:q = '&lt;v'/><a xmlns:q='&lt;v'></a >"
    "<a xmlns:q='&lt;v'></r>",
    "<r><a xmlns:xml='http://www.w3.org/XML/1998/namespace'/><a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>"
    "<b xmlns:p='http://www.w3.org/XML/1998/namespace'/></r>",
    "<r><a xml:space='preserve'> <b xmlns='u'> <c/> </b> <b xmlns='u'> <c/> </b> </a> <b xmlns='u'> <c/> </b>"
    " <b xmlns='u'> <c/> </b></r>",
    "<a:r xmlns:a='u'><a:b xmlns:a='v'><a:b xmlns:a='u'/><a:b/></a:b><a:b xmlns:a='v'><a:b xmlns:a='u'/><a:b/></a:b>"
    "<c:b xmlns:c='v'/><c:b xmlns:c='v'/><a:b/></a:r>",
    /* refused */
    "",
    " ",
    "<",
    "<a",
    "<a>",
    "<a/",
    "<a/><b/>",
    "<a/>x",
    "x<a/>",
    "<a></b>",
    "<a></a",
    "<a><b></a></b>",
    "<a>]]></a>",
    "<a>&x;</a>",
    "<a>&</a>",
    "<a>&lt</a>",
    "<a>&#;</a>",
    "<a>&#0;</a>",
    "<a>&#xD800;</a>",
    "<a>&#x110000;</a>",
    "<a>&#99999999999;</a>",
    "<a b='&#1;'/>",
    "<a b='<'/>",
    "<a b=c/>",
    "<a b/>",
    "<a b='1'c='2'/>",
    "<a b='1' b='2'/>",
    "<a>\x01</a>",
    "<a>\xff</a>",
    "<a>\xc0\x80</a>",
    "<a>\xed\xa0\x80</a>",
    "<a>\xef\xbf\xbe</a>",
    "<a>\xef\xbf\xbf</a>",
    "<a>\xf4\x90\x80\x80</a>",
    "<a>\xe2\x82</a>",
    "<a>\xe2",
    "<a b='\xe2\x82'/>",
    "<1/>",
    "<a:b:c xmlns:a='u'/>",
    "<:a/>",
    "<a:/>",
    "<a:1 xmlns:a='u'/>",
    "<p:a/>",
    "<a p:b=''/>",
    "<xmlns:a/>",
    "<a xmlns:p=''/>",
    "<a xmlns:xml='u'/>",
    "<a xmlns:xmlns='u'/>",
    "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
    "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
    "<a><!-- -- --></a>",
    "<a><!--->--></a>",
    "<a><!-x></a>",
    "<a><![CDATA[x]]</a>",
    "<![CDATA[x]]><a/>",
    "<a><?xml version='1.0'?></a>",
    "<a><?XML x?></a>",
    "<a><?p:q x?></a>",
    "<a><?p",
    " <?xml version='1.0'?><a/>",
    "<?xml version='2.0'?><a/>",
    "<?xml encoding='utf-8'?><a/>",
    "<?xml version='1.0' standalone='no' encoding='utf-8'?><a/>",
    "<?xml version='1.0' encoding='us-ascii'?><a>\xc3\xa9</a>",
    "<?xml version='1.0' encoding='a-name-that-is-longer-than-any-encoding-has-one-longer'?><a/>",
    "<a/><!DOCTYPE a>",
    "<a><!DOCTYPE a></a>",
    "<a\x0b/>",
    "<a></a b>",
    "<a\xc3\xa9\xff/>",
    "<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>",
    "<a b='1'/ >",
    "<a / >",
    "< a/>",
    "<a><b</a>",
    "<a><b<c/></a>",
    "<a ='1'/>",
    "<a><b ='1'/></a>",
    /* converted */
    "<?xml version='1.0' encoding='latin1'?><a \xe9t\xe9='plain ASCII of more than sixteen bytes \xe9'>\xff and so on, "
    "and so forth \xe9</a>\n<!-- \xe4 -->",
    "<?xml version='1.0' encoding='latin1'?><a>\xe9\xe9\n\xe9</b>",
    /* a declaration where none may be; names that Expat reads spelled out, in a document with small limits */
    "<?xml version='1.0' encoding='latin1'?><a \xe9t\xe9='1'>\xf0<!DOCTYPE a [<!ENTITY e ne -->",
    "<!DOCTYPE a [<!ENTITY e '\xc3\xa9'>]><a \xc3\xa9t\xc3\xa9='\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3"
    "\xa9\xc3\xa9'>\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9</b>",
    "<?xml version='1.0' encoding='latin1'?><!DOCTYPE a [<!ENTITY e '\xe9'>]><a t='&e;'>&e;\xe9</a>",
    /* three bytes of Latin-1 that only Expat takes for letters */
    "<?xml version='1.0' encoding='latin1'?><!DOCTYPE a [<!ENTITY \xaa 'x'>]><a/>",
    "<?xml version='1.0' encoding='latin1'?>\n<!-- c -->\n<!DOCTYPE \xb5>\n<a/>",
    "<?xml version='1.0' encoding='windows-1252'?><a>\x80</b>",
    "<?xml version='1.0' encoding='windows-1252'?><a>\x80 &x;\x81</a>",
    "<?xml version='1.0' encoding='euc-jp'?><a>\xc6",
    "<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>",
    "<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>",
};

/* A program with rules for white space, and nothing else: strip all, but not in <b> */
static struct { gx_program p; gx_space rules[2]; gx_lit lits[3]; char text[8]; } rules;

static void make_rules(void)
{
    rules.p.spaces.off = (u32)((char *)rules.rules - (char *)&rules);
    rules.p.spaces.n = 2;
    rules.p.lits.off = (u32)((char *)rules.lits - (char *)&rules);
    rules.p.lits.n = 2;
    memcpy(rules.text, "c", 1);
    rules.lits[0] = (gx_lit){ .off = (u32)(rules.text - (char *)&rules), .len = 0 };
    rules.lits[1] = (gx_lit){ .off = (u32)(rules.text - (char *)&rules), .len = 1 };
    rules.rules[0] = (gx_space){ .test = GX_TEST_NAME, .uri = 0, .local = 1, .strip = 0 };
    rules.rules[1] = (gx_space){ .test = GX_TEST_ANY, .uri = 0, .local = 0, .strip = 1 };
}

static const struct { u32 flags; int strips, few, at_once, ignore, html;
} wishes[] = { { 0, 0, 0, 0, 0, 0 },
               { GX_DOC_LINES, 0, 0, 0, 0, 0 },
               { GX_DOC_NAMESPACES, 0, 0, 0, 1, 0 },
               { 0, 1, 0, 0, 0, 0 },
               { GX_DOC_LINES | GX_DOC_NAMESPACES, 1, 0, 1, 0, 0 },
               { 0, 0, 1, 0, 0, 0 },
               { 0, 1, 1, 1, 0, 1 },
               { 0, 0, 0, 1, 1, 0 } };

static void check(const char *name, const char *xml, size_t n, u32 wish, both_way way, int *scanned)
{
    const gx_limits few = { .depth = 5, .nodes = 40, .attributes = 3, .name = 8, .text = 50 };
    gx_parse_options o;
    memset(&o, 0, sizeof o);
    o.base_uri = "http://host/d/doc.xml";
    o.flags = wishes[wish].flags;
    o.spaces = wishes[wish].strips ? &rules.p : NULL;
    o.limits = wishes[wish].few ? &few : NULL;
    o.at_once = wishes[wish].at_once;
    o.external_ignore = wishes[wish].ignore;
    o.html_entities = wishes[wish].html;
    char *copy = malloc(n + !n);            /* with nothing behind it */
    memcpy(copy, xml, n);
    const char *wrong = both_compare(parser, &o, copy, n, way, scanned);
    free(copy);
    if (wrong) {
        FILE *f = fopen("build/scan-differs.xml", "wb");
        if (f) {
            fwrite(xml, 1, n, f);
            fclose(f);
        }
        fail_msg("%s, wish %u, piece %zu, cut %zu: %s (build/scan-differs.xml)", name, wish, way.piece, way.cut, wrong);
    }
}

enum { N_WISHES = sizeof wishes / sizeof *wishes, N_DOCUMENTS = sizeof documents / sizeof *documents };

static void test_documents(void **state)
{
    (void)state;
    u32 read = 0;
    for (u32 most = 0; most < GX_SCAN_SETS; most++) {
        gx_scan_choose(&parser->scan, most);
        for (u32 i = 0; i < N_DOCUMENTS; i++)
            for (u32 wish = 0; wish < N_WISHES; wish++) {
                const size_t n = strlen(documents[i]);
                int scanned;
                check(documents[i], documents[i], n, wish, (both_way){ 0, 0, 0 }, &scanned);
                read += scanned;
                for (size_t cut = 1; cut < n; cut++)
                    check(documents[i], documents[i], n, wish, (both_way){ 0, cut, 0 }, &scanned);
                check(documents[i], documents[i], n, wish, (both_way){ 1, 0, 0 }, &scanned);
            }
    }
    assert_true(read >= 40 * GX_SCAN_SETS * 4);     /* of all these, so that this test sees the scanner at all */
}

/* Where windows, vectors and copies end: every token at every place around the end of one */
static void test_edges(void **state)
{
    static const char *const tokens[] = { "<b x=\"1\" y=\"2\">t</b>",
                                          "<b x='&amp;'/>",
                                          "&#x20ac;",
                                          "\xf0\x9f\x98\x80",
                                          "\r\n",
                                          "<!-- c -->",
                                          "<![CDATA[ ]] ]]>",
                                          "<?p q?>",
                                          "]] ]>",
                                          "<p:b xmlns:p='u'/>",
                                          "</b><b y=\"1\" x=\"2\">",
                                          "\xc3\xa9l" };
    static char xml[3 * GX_SCAN_WINDOW + 200];
    (void)state;
    for (u32 most = 0; most < GX_SCAN_SETS; most++) {
        gx_scan_choose(&parser->scan, most);
        for (u32 t = 0; t < sizeof tokens / sizeof *tokens; t++)
            for (u32 before = GX_SCAN_WINDOW - 90; before < GX_SCAN_WINDOW + 10; before += 1 + (t % 3)) {
                int scanned;
                size_t n = (size_t)sprintf(xml, "<a><b x=\"\" y=\"\">");
                for (; n < before; n++)
                    xml[n] = n % 61 ? 'x' : '\n';
                n += (size_t)sprintf(xml + n, "%s%s<b x='1'>z</b></b></a>", tokens[t],
                                     tokens[(t + 1) % (sizeof tokens / sizeof *tokens)]);
                check(tokens[t], xml, n, before % 4, (both_way){ 0, 0, 0 }, &scanned);
                assert_true(scanned);
                check(tokens[t], xml, n, before % 4, (both_way){ 1000 + before % 7, 0, 0 }, &scanned);
            }
    }
}

/* More prefixes and scopes than are remembered, twice each */
static void test_namespaces(void **state)
{
    enum { N = GX_SCAN_SCOPES + 40, ONE = 120 };
    static char xml[2 * N * ONE];
    size_t n = (size_t)sprintf(xml, "<r xmlns:z='u'>");
    int scanned;
    (void)state;
    for (u32 i = 0; i < 2 * N; i++)
        n += (size_t)sprintf(xml + n, "<z:a%u xmlns:p%u='u%u' z:x='' p%u:y=''><p%u:b>%u</p%u:b><z:c/></z:a%u>", i % 3,
            i % N % 50, i % N, i % N % 50, i % N % 50, i, i % N % 50, i % 3);
    n += (size_t)sprintf(xml + n, "</r>");
    for (u32 most = 0; most < GX_SCAN_SETS; most++) {
        gx_scan_choose(&parser->scan, most);
        for (u32 wish = 0; wish < 4; wish++) {
            check("namespaces", xml, n, wish, (both_way){ 0, 0, 0 }, &scanned);
            assert_true(scanned);
        }
        check("namespaces", xml, n, 0, (both_way){ 777, 0, 0 }, &scanned);
    }
}

/* ---- files and mutants ---- */

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *at = malloc(*n + 1);
    if (fread(at, 1, *n, f) != *n)
        *n = 0;
    fclose(f);
    return at;
}

/* What a mutant gets: what markup is made of, and bytes that are none */
static size_t mutate(char *s, size_t n, size_t most)
{
    static const char *const bits[] = { "<",
                                        ">",
                                        "/",
                                        "&",
                                        ";",
                                        "'",
                                        "\"",
                                        "=",
                                        " ",
                                        "\n",
                                        "\r",
                                        "]",
                                        "]]>",
                                        "<!--",
                                        "-->",
                                        "<![CDATA[",
                                        "<?",
                                        "?>",
                                        "xmlns",
                                        ":",
                                        "xml:space='preserve'",
                                        "xml:id='a'",
                                        "&lt;",
                                        "&#65;",
                                        "&#x1F600;",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80",
                                        "\xff",
                                        "\x01",
                                        "\xef\xbf\xbf",
                                        "\xc0",
                                        "a",
                                        "b",
                                        "<a>",
                                        "</a>",
                                        "<b/>",
                                        " x='1'",
                                        " xmlns:p='u'",
                                        " xmlns='v'",
                                        "p:",
                                        "<p:b>",
                                        "</p:b>",
                                        "\0",
                                        "\xed\xa0\x80",
                                        "!",
                                        "-" };
    for (u32 k = 1 + chance(4); k; k--) {
        const char *bit = bits[chance(sizeof bits / sizeof *bits)];
        const size_t len = *bit ? strlen(bit) : 1, at = n ? chance((u32)n) : 0;
        size_t from, size;
        switch (chance(6)) {
        case 0:                                         /* a bit in the place of what is there */
            if (at + len <= n)
                memcpy(s + at, bit, len);
            break;
        case 1: case 2:                                 /* a bit more */
            if (n + len <= most) {
                memmove(s + at + len, s + at, n - at);
                memcpy(s + at, bit, len);
                n += len;
            }
            break;
        case 3:                                         /* something less */
            size = 1 + chance(8);
            if (at + size <= n) {
                memmove(s + at, s + at + size, n - at - size);
                n -= size;
            }
            break;
        case 4:                                         /* a part twice */
            from = n ? chance((u32)n) : 0;
            size = 1 + chance(60);
            if (from + size <= n && n + size <= most) {
                char part[64];
                memcpy(part, s + from, size);
                memmove(s + at + size, s + at, n - at);
                memcpy(s + at, part, size);
                n += size;
            }
            break;
        default:
            if (n)
                s[at] = (char)chance(256);
        }
    }
    return n;
}

static void mutants(const char *name, const char *xml, size_t n, u32 count)
{
    const size_t most = n + 400;
    char *s = malloc(most + 1);
    for (u32 k = 0; k < count; k++) {
        int scanned;
        memcpy(s, xml, n);
        const size_t size = mutate(s, n, most);
        gx_scan_choose(&parser->scan, chance(GX_SCAN_SETS));
        const both_way ways[] = { { 0, 0, 0 },
                                  { 1 + chance(40), 0, 0 },
                                  { 0, 1 + chance((u32)size + 1), 0 },
                                  { 0, 0, 1 + chance(1u << 16) } };
        check(name, s, size, chance(N_WISHES), ways[chance(4)], &scanned);
    }
    free(s);
}

static void one_file(const char *path, u32 count)
{
    size_t n;
    int scanned;
    char *xml = read_file(path, &n);
    if (!xml)
        return;
    for (u32 wish = 0; wish < N_WISHES; wish++) {
        gx_scan_choose(&parser->scan, wish);
        check(path, xml, n, wish, (both_way){ 0, 0, 0 }, &scanned);
        check(path, xml, n, wish, (both_way){ 1 + chance(3000), 0, 0 }, &scanned);
    }
    if (n < 20000)
        mutants(path, xml, n, count);
    free(xml);
}

static void test_files(void **state)
{
    const u32 count = getenv("COUNT") ? (u32)atoi(getenv("COUNT")) : 3;
    (void)state;
    for (int i = 0; i < n_files; i++)
        one_file(files[i], count);
    if (n_files)
        return;
    DIR *areas = opendir("t/cases");
    assert_non_null(areas);
    for (struct dirent *a; (a = readdir(areas)); ) {
        char path[800];
        snprintf(path, sizeof path, "t/cases/%s", a->d_name);
        DIR *cases = a->d_name[0] == '.' ? NULL : opendir(path);
        if (!cases)
            continue;
        for (struct dirent *c; (c = readdir(cases)); ) {
            const char *dot = strrchr(c->d_name, '.');
            if (dot && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".xsl") == 0)
                && snprintf(path, sizeof path, "t/cases/%s/%s", a->d_name, c->d_name) < 800)
                one_file(path, count);
        }
        closedir(cases);
    }
    closedir(areas);
}

/* What the next document may take for its own of the one before: its names, in their order. Some are namespaces', some
 * mean another label, and all of it may be read by Expat. */
#define TEN(x) "<" x "0></" x "0><" x "1>t</" x "1><" x "2></" x "2><" x "3></" x "3><" x "4></" x "4>" \
               "<" x "5></" x "5><" x "6></" x "6><" x "7></" x "7><" x "8></" x "8><" x "9></" x "9>"
#define EIGHT(x) x x x x x x x x
#define ROWS EIGHT(EIGHT("<a q='1' u='2'/>"))
static const char *const kept[] = {
    "<r><a x='1' y='2' z='3'/><b/><c>t</c><a x='1'/><d/></r>",
    "<r><a x='1' z='2' y='3'/><c>t</c><b/><d/></r>",
    "<r><a x='1'/><b/><c y='1'/><a z='1'/></r>",
    "<r><a/><b x='1'>t<c/></b><a/><d y='2'/></r>",
    "<r><a/><b>t<c x='1'/></b><d y='2'/><e/></r>",
    "<r><a/><b x='1'/><!-- c --><d xml:lang='en'/><?c d?><d y='2'/><e/></r>",
    "<r><a q='1'/><a u='1'/>" ROWS "<a q='1' w='2' v='3'/></r>",
    "<r><a q='1'/><a u='1'/>" ROWS "<a q='1' u='2' v='3'/><a w='1'/></r>",
    "<r><a q='1'/><a u='1'/>" ROWS "<a q='1' u='2' v='3' w='1'/></r>",
    "<r xmlns='u' xmlns:p='v'><p:a p:b='1'/><c p:b='1' b='2'/><p:d/><e p:f='1'/></r>",
    "<r xmlns='u' xmlns:p='v'><p:a p:b='1'/><c p:b='1' b='2'/><p:d/><f xmlns='w'/><e p:f='1'/></r>",
    "<r xmlns='v' xmlns:p='u'><p:a p:b='1'/><c p:b='1' b='2'/><p:d/><e p:f='1'/></r>",
    "<r><a/><b/><c></d></r>",
    "<r><a b='1'/><c d='1'/><c d='2' xmlns=''/></r>",
    "<r>" TEN("a") TEN("b") TEN("c") TEN("d") TEN("e") TEN("f") TEN("g") "</r>",
    "<r>" TEN("a") TEN("b") "<z y='1'/>" TEN("c") TEN("d") "<z></z></r>",
    "<r xmlns:p='u' xmlns='v'><p:a></p:a><a></a><b xmlns=''><a></a><c></c></b><c></c><p:c></p:c></r>",
    "<r xmlns:p='v' xmlns='u'><p:a></p:a><a></a><b xmlns=''><a></a><c></c></b><c></c><p:c></p:c></r>",
    "<r xmlns:p='u'><p:a></p:a><b></b><q:c></q:c></r>",
    "<r><a xmlns='b&lt;c'/></r>",
    "<r><a/><xmlns/><b<c></b<c></r>",
    "<r><a/><xmlns/><b/></r>",
    "<r><a/><p:b xmlns:p='u'/><p:c xmlns:p='v'/></r>",
    "<r><a/><p:b xmlns:p='v'/><p:c xmlns:p='u'/></r>",
    "<r><a/><p:b xmlns:p='u'/><p:c xmlns:p='u'/><p:d xmlns:p='w'/></r>",
    "<r xml:id='abc'><a xml:id='d' e='f'/><e/></r>",
    "<r xml:id='abd'><a xml:id='ee' f='f'/><e/></r>",
    "<r><a b='1' c='2'/><c b='1'/><b c='3' b='4'/></r>",
    "<r><a c='1' b='2'/><c b='1'/><b c='3' b='4'/></r>",
    "<r><a> <b> </b></a><c> </c><d/></r>",
    "<r><?a b?><a/><c/></r>",
    "<!DOCTYPE r [<!ATTLIST a b CDATA 'c' p:d CDATA 'e' xmlns:p CDATA 'u'>]><r><a/><p:d xmlns:p='u'/></r>",
    "<r><a b='c'/><p:d xmlns:p='u'/></r>",
    "<r><abcdefghijklmnopqrstuvwxyz/><abcdefghijklmnopqrstuvwxyz0123456/><abcdefghijklmnopq/></r>",
    "<r><abcdefghijklmnopqrstuvwxyz/><abcdefghijklmnopqrstuvwxyz0123457/><abcdefghijklmnopr/></r>",
};

/* 0: no rules for white space; 1: the rules; 2: others, in the same place */
static const gx_program *rules_of(int strips)
{
    rules.rules[1].strip = strips != 2;
    return strips ? &rules.p : NULL;
}

/* The block that a parser makes of a document is the same whatever it has read before, once or some times, and the
 * refusal. */
static void read_behind(gx_parser *p, const char *first, int first_strips, const char *xml, int strips, int times)
{
    gx_parse_options o = { .seed = 77, .spaces = rules_of(first_strips) };
    gx_error err, fresh_err;
    gx_parser *fresh;
    gx_doc *d = NULL, *fresh_d = NULL;
    for (int i = 0; i < times; i++)
        if (!gx_parse(p, &o, first, strlen(first), &d, &err))
            free(d);
    d = NULL;
    o.spaces = rules_of(strips);
    assert_int_equal(gx_parser_create(&fresh, &err), GX_OK);
    const gx_status status = gx_parse(p, &o, xml, strlen(xml), &d, &err);
    assert_int_equal(gx_parse(fresh, &o, xml, strlen(xml), &fresh_d, &fresh_err), status);
    if (status) {
        assert_string_equal(err.text, fresh_err.text);
    } else {
        if (d->size != fresh_d->size || memcmp(d, fresh_d, d->size))
            fail_msg("behind %s another block of %s", first, xml);
        free(d);
        free(fresh_d);
    }
    gx_parser_free(fresh);
}

static void test_kept(void **state)
{
    static const char slow[] = "<r><n p=''></n><n p\n=''></n></r>";
    enum { N = sizeof kept / sizeof *kept };
    (void)state;
    for (u32 i = 0; i < N + N_DOCUMENTS; i++)
        for (u32 k = 0; k < N; k++) {
            const char *first = i < N ? kept[i] : documents[i - N];
            read_behind(parser, first, i % 2, kept[k], k % 2, 1 + (i + k) % 3);
            read_behind(parser, kept[k], k % 3 == 0, first, i % 2, 1 + (i + k / 2) % 3);
            read_behind(parser, kept[k], 0, first, 0, 3);
            read_behind(parser, kept[k], 0, kept[k], 0, 3);
            read_behind(parser, kept[k], 1 + (int)(i % 2), first, 1 + (int)(k % 2), 3);
            read_behind(parser, kept[k], 1 + (int)(i % 2), kept[k], (int)(i % 3), 3);
        }
    for (u32 i = 1; i < N_DOCUMENTS; i++)
        read_behind(parser, documents[i - 1], 0, documents[i], 0, 1 + i % 3);
    /* and they are taken over all at once where the last document has used all of them */
    read_behind(parser, kept[0], 0, kept[0], 0, 1);
    assert_int_equal(parser->scan.is_as_before, 1);
    assert_int_equal(parser->scan.was_taken, 1);
    for (int i = 0; i < 3; i++) {       /* if the rules for white space are the same */
        read_behind(parser, kept[0], 1, kept[0], i, 2);
        read_behind(parser, kept[0], i, kept[0], i, 2);
        assert_int_equal(parser->scan.is_as_before, 1);
    }
    read_behind(parser, kept[1], 0, kept[0], 0, 3);
    assert_int_equal(parser->scan.is_as_before, 0);
    rules_of(1);
    /* an attribute of a tag that is read slowly, at the same node: not a second one of its name */
    for (int i = 0; i < 4; i++) {
        read_behind(parser, slow, 0, slow, 0, 1 + i % 2);
        assert_int_equal(parser->uses_expat, 0);
    }
}

/* What a document begins with is taken over where the last one began so, and where nothing else would come of it. */
static void test_heads(void **state)
{
    static const char *const heads[] = {
        "<?xml version='1.0' encoding='utf-8'?>\n<r a='1' xmlns:p='u' p:b='2'><c/>t</r>",
        "<?xml version='1.0' encoding='utf-8'?>\n<r a='1' xmlns:p='u' p:b='2'>t<p:c/></r> ",
        "<?xml version='1.0' encoding='utf-8'?>\n<r a='1' xmlns:p='u' p:b='2'>\xc3\xa9</r>",
        "<?xml version='1.0' encoding='utf-8'?>\n<r a='1' xmlns:p='u' p:b='2'></r",
        "<?xml version='1.0' encoding='utf-8'?>\n<r a='1' xmlns:p='u' p:b='2'>",
        "<?xml version='1.0' encoding='utf-8'?>\n<r a='1' xmlns:p='u' p:b='2'></r>\n<!-- d -->",
        "<?xml version='1.0' encoding='iso-8859-1'?><r a='1'><c/>\xe9</r>",
        "<?xml version='1.0' encoding='us-ascii'?><r a='&#xe9;'><c/></r>",
        "<?xml version='1.0' encoding='us-ascii'?><r a='&#xe9;'>\xc3\xa9</r>",
        "\xef\xbb\xbf<r xmlns='u' a='\xc3\xa9'><r xmlns='u' a=''/></r>",
        "<r xmlns='u'>\n <b> </b> <c> </c></r>",
        "<c xmlns='u'>\n <b> </b> <c> </c></c>",
        "<c>\n <b> </b> <c> </c></c>",
        "<c>\n <b> </b> <d> </d></c>",
        "<r>t</r>",
        "<r><r a='1'/><r b='2' a='3'/></r>",
        "<r/>",
        "<r a='1'/>",
        "<r xml:space='preserve'> <c/> </r>",
        "<r xml:lang='en' xmlns:p='u' xmlns:q='u'><p:r/><q:r/></r>",
        "<p:r p:a='1' q:b='1' xmlns:p='u' xmlns:q='v'><q:r p:b='1'/><r/></p:r>",
        "<p:r p:a='1' q:a='1' xmlns:p='u' xmlns:q='u'><q:r/></p:r>",
        "<?p q?><r a='1'><b/></r>",
        "<!DOCTYPE r [<!ATTLIST r d CDATA 'e'>]><r a='1'><b/></r>",
        "<r a='1'><b/><!DOCTYPE r></r>",
    };
    enum { N = sizeof heads / sizeof *heads };
    (void)state;
    for (u32 i = 0; i < N; i++)
        for (u32 k = 0; k < N; k++)
            for (int strips = 0; strips < 3; strips++) {
                read_behind(parser, heads[i], strips, heads[k], strips, 1 + (i + k) % 3);
                read_behind(parser, heads[i], strips, heads[k], (int)(i + k) % 3, 3);
            }
    rules_of(1);
    const gx_scan_head *const head = &parser->scan.head;
    read_behind(parser, heads[0], 0, heads[0], 0, 3);
    assert_true(head->is_mine && head->is_last);
    read_behind(parser, heads[0], 0, heads[1], 0, 3);
    assert_true(head->is_mine && head->is_last);
    read_behind(parser, heads[0], 0, heads[10], 0, 3);
    assert_false(head->is_last);
    /* limits, and an encoding that comes from elsewhere */
    static const gx_limits few[] = { { .attributes = 2 }, { .nodes = 3 }, { .text = 1 }, { .name = 2 }, { .depth = 1 },
    };
    enum { N_FEW = sizeof few / sizeof *few };
    for (u32 i = 0; i < 4 * (N_FEW + 2); i++) {
        const char *const xml = heads[i % 4 * 5];
        const u32 which = i / 4;
        gx_parse_options o = { .seed = 77, .limits = which < N_FEW ? &few[which] : NULL };
        gx_error err[2];
        gx_doc *d;
        gx_parser *fresh;
        read_behind(parser, xml, 0, xml, 0, 3);
        o.charset = which == N_FEW ? "utf-16" : which > N_FEW ? "iso-8859-1" : NULL;
        assert_int_equal(gx_parser_create(&fresh, err), GX_OK);
        const gx_status status = gx_parse(fresh, &o, xml, strlen(xml), &d, &err[0]);
        if (!status)
            free(d);
        assert_int_equal(gx_parse(parser, &o, xml, strlen(xml), &d, &err[1]), status);
        if (status)
            assert_string_equal(err[0].text, err[1].text);
        else
            free(d);
        assert_true(status || which != N_FEW);
        gx_parser_free(fresh);
    }
}

/* Records with declarations: each part begins with one, else it would be scanned in vain. A longer name that begins so
 * is another one. */
static void test_records(void **state)
{
    static const char record[] = "<p:r xmlns:q='%s' x='%u'>\n<q:a><b/>one<b/></q:a><c q:d='1'/><c/><b>two</b><b/>"
                                 "<p:rest/><b/><b/><b/>\n</p:r>\n";
    static char xml[64 << 10];
    (void)state;
    for (u32 n_records = 20; n_records < 200; n_records += 7) {
        gx_doc *made[2] = { NULL, NULL };
        gx_parse_options o;
        gx_error err;
        size_t n = (size_t)sprintf(xml, "<?xml version='1.0'?><p:l xmlns:p='u'>");
        for (u32 i = 0; i < n_records; i++)
            n += (size_t)sprintf(xml + n, record, i % 3 ? "v" : "w", i);
        n += (size_t)sprintf(xml + n, "</p:l>");
        memset(xml + n, '\n', GX_SCAN_PAD);
        n += GX_SCAN_PAD;
        memset(&o, 0, sizeof o);
        o.seed = 1;
        o.part_bytes = 1000;
        for (u32 threads = 1; threads < 5; threads++) {
            o.threads = threads;
            assert_int_equal(gx_parse(parser, &o, xml, n, &made[threads > 1], &err), GX_OK);
            if (threads == 1)
                continue;
            assert_true(gx_parts_total(parser->parts).nodes > 4 * n_records);
            assert_int_equal(made[1]->size, made[0]->size);
            assert_memory_equal(made[1], made[0], made[0]->size);
            free(made[1]);
        }
        free(made[0]);
    }
}

/* A name that XML's fifth edition has, in a declaration or as the root's, and an error behind it: where the scanner
 * stops before it has met the declaration, and where a part ends before the error, too, it is the error that is told,
 * not the name. */
static void test_declared_name(void **state)
{
    static const char *const heads[] = {
        "<!DOCTYPE r [<!ATTLIST p id\xef\xbb\xbf ID #IMPLIED>]>\n<r><![CDATA[text<p i"
        "                  IST p id\xef\xbb\xbf ID #IMPLIED>]>\n<\x01",
        "<!DOCTYPE \xc4\xb2 [<!ELEMENT r ANY>]>\n<\xc4\xb2>\n\x01",
    };
    char xml[425];
    (void)state;
    for (u32 i = 0; i < 8; i++) {
        const char *head = heads[i / 4];
        gx_parse_options o;
        gx_error err;
        gx_doc *doc = NULL;
        memset(xml, 0xff, sizeof xml);
        memcpy(xml, head, strlen(head));
        memset(&o, 0, sizeof o);
        o.threads = 1 + i % 4;
        o.part_bytes = 40;
        assert_int_equal(gx_parse(parser, &o, xml, sizeof xml, &doc, &err), GX_EXML);
        assert_int_equal(err.byte, strlen(head) - 1);
    }
}

static void test_mutants(void **state)
{
    const u32 count = getenv("COUNT") ? (u32)atoi(getenv("COUNT")) : 300;
    (void)state;
    for (u32 i = 0; i < N_DOCUMENTS && !n_files; i++)
        mutants(documents[i], documents[i], strlen(documents[i]), count);
}

int main(int argc, char **argv)
{
    gx_error err;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents), cmocka_unit_test(test_edges), cmocka_unit_test(test_namespaces),
            cmocka_unit_test(test_kept),
            cmocka_unit_test(test_heads),
            cmocka_unit_test(test_files), cmocka_unit_test(test_records), cmocka_unit_test(test_declared_name),
            cmocka_unit_test(test_mutants) };
    seed = getenv("SEED") ? (u32)atoi(getenv("SEED")) : 29;
    files = argv + 1;
    n_files = argc - 1;
    printf("# SEED=%u\n", seed);
    make_rules();
    if (gx_parser_create(&parser, &err))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("# the team's parser took %u documents, and left %u that are well-formed to the scanner\n", both_teams,
           both_refused);
    printf("# of %u documents other threads read parts, and %u of these stayed in the parser's memory\n", both_parts,
           both_parts_stayed);
    printf("# %u documents stayed in the parser's memory\n", both_stayed);
    printf("# %u documents were asked for once more\n", both_asked);
    gx_parser_free(parser);
    return failed || (!n_files && !(both_parts && both_parts_stayed && both_stayed && both_asked));
}
