/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 50-serialize.c -- what results are written as
 *
 * A table: xsl:output's attributes, a template body, the bytes. Each case runs with the prepared code and without it:
 * the same result, but for empty elements written with two tags. Then escapes in texts of every length, copies,
 * messages, errors, encodings by size, fragments as documents, deep results, and results with random damage, which
 * must end in bytes or in an error and never be read outside their memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <apr_general.h>
#include <apr_strings.h>
#include "engine/gx.h"
#include "engine/output/writer.h"

static apr_pool_t *root;
static char folder[] = "/tmp/gx-serialize-XXXXXX";

typedef struct bytes { char *at; size_t n, cap; int refuse; } bytes;

static int take(void *ctx, const char *p, size_t n)
{
    bytes *b = ctx;
    if (b->refuse)
        return 1;
    if (b->n + n + 1 > b->cap) {
        b->cap = (b->n + n) * 2 + 256;
        b->at = realloc(b->at, b->cap);
        assert_non_null(b->at);
    }
    memcpy(b->at + b->n, p, n);
    b->n += n;
    b->at[b->n] = 0;
    return 0;
}

static int take_line(void *ctx, const char *p, size_t n) { return take(ctx, p, n) || take(ctx, "|", 1); }

typedef struct run {
    apr_pool_t *pool;
    gx_parser *parser;
    gx_program *program;
    gx_doc *doc;
    gx_evaluation ev;
    bytes out, messages;
    gx_media media;
    gx_error err;
} run;

static int set_up(void **state)
{
    (void)state;
    apr_initialize();
    apr_pool_create(&root, NULL);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    apr_pool_destroy(root);
    return rmdir(folder);
}

/* Compiles, parses and evaluates; 0 with r->err when one of them fails. */
static int begin(run *r, const char *sheet, const char *xml)
{
    static gx_limits limits;
    memset(r, 0, sizeof *r);
    memset(&limits, 0, sizeof limits);
    limits.recursion = 300000;
    gx_limits_default(&limits);
    apr_pool_create(&r->pool, root);
    const char *path = apr_pstrcat(r->pool, folder, "/s.xsl", NULL);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(sheet, f);
    fclose(f);
    gx_status s = gx_compile(path, NULL, r->pool, &r->program, &r->err);
    unlink(path);
    if (s != GX_OK)
        return 0;
    assert_int_equal(gx_parser_create(&r->parser, &r->err), GX_OK);
    gx_parse_options options = { .limits = &limits, .spaces = r->program,
                                 .flags = r->program->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0 };
    assert_int_equal(gx_parse(r->parser, &options, xml, strlen(xml), &r->doc, &r->err), GX_OK);
    gx_arena *arena;
    assert_int_equal(gx_arena_create(1u << 28, &arena, &r->err), GX_OK);
    r->ev.program = r->program;
    r->ev.doc = r->doc;
    r->ev.limits = &limits;
    r->ev.arena = arena;
    r->ev.pool = r->pool;
    return gx_evaluate(&r->ev, &r->err) == GX_OK;
}

static gx_status serialize(run *r, const char *encoding, const gx_limits *limits)
{
    gx_serialize_options options = {
        .limits = limits, .encoding = encoding, .message = take_line, .message_ctx = &r->messages
    };
    free(r->out.at);
    free(r->messages.at);
    memset(&r->out, 0, sizeof r->out);
    memset(&r->messages, 0, sizeof r->messages);
    take(&r->out, "", 0);
    take(&r->messages, "", 0);
    return gx_serialize(&r->ev, &options, take, &r->out, &r->media, &r->err);
}

static void end(run *r)
{
    if (r->ev.arena)
        gx_arena_free(r->ev.arena);
    free(r->doc);
    free(r->program);
    if (r->parser)
        gx_parser_free(r->parser);
    free(r->out.at);
    free(r->messages.at);
    apr_pool_destroy(r->pool);
}

static const char *sheet_of(const char *output, const char *body)
{
    static char buf[1 << 16];
    snprintf(buf, sizeof buf, "<xsl:stylesheet version='1.0' "
                              "xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>%s%s%s%s</xsl:stylesheet>",
             *output == '<' ? output : "<xsl:output ", *output == '<' ? "" : output, *output == '<' ? "" : "/>", body);
    return buf;
}

#define DOC "<r xmlns:p='urn:p' a='1' p:b='2'><i>x</i><i>y &amp; z</i><p:j q='\"&#9;'/><!--c--><?pi d?></r>"
#define M(body) "<xsl:template match='/'>" body "</xsl:template>"
#define XML "method='xml' omit-xml-declaration='yes' indent='no'"
#define HTML "method='html' indent='no'"
#define ATTR(name, value) "<xsl:attribute name='" name "'>" value "</xsl:attribute>"

static const struct { const char *output, *body, *want; } cases[] = {
    /* text and attributes */
    { XML, M("<o a='&lt;&gt;&amp;\"&#9;&#10;&#13;'>&lt;&gt;&amp;\"&#9;&#13;é</o>"),
      "<o a=\"&lt;&gt;&amp;&quot;&#9;&#10;&#13;\">&lt;&gt;&amp;\"\t&#13;é</o>" },
    { XML, M("<o a='{r/i[2]}'><xsl:value-of select='r/i[2]'/></o>"), "<o a=\"y &amp; z\">y &amp; z</o>" },
    { XML, M("<o><xsl:value-of select=\"'&lt;b>'\" disable-output-escaping='yes'/><xsl:text "
             "disable-output-escaping='yes'>&amp;nbsp;</xsl:text></o>"),
      "<o><b>&nbsp;</o>" },
    { XML, M("<xsl:variable name='v'><xsl:text "
             "disable-output-escaping='yes'>&lt;b/></xsl:text></xsl:variable><o><xsl:copy-of select='$v'/></o>"),
      "<o><b/></o>" },
    { XML, M("<o><xsl:value-of select='1 div 3'/>,<xsl:value-of select='true()'/>,<xsl:value-of select='r/none'/></o>"),
      "<o>0.3333333333333333,true,</o>" },
    /* attributes made later */
    { XML, M("<o a='1' b='2'>" ATTR("a", "3") ATTR("c", "4") "</o>"), "<o a=\"3\" b=\"2\" c=\"4\"/>" },
    { XML, M("<o>t" ATTR("a", "3") "<i/>" "</o>" ATTR("z", "1")), "<o>t<i/></o>" },
    { XML, M("<o><xsl:if test='r'>" ATTR("a", "1") "</xsl:if><xsl:if test='r'>" ATTR("a", "2") "x</xsl:if></o>"),
      "<o a=\"2\">x</o>" },
    { XML, M("<o><xsl:copy-of select='r/@*'/></o>"), "<o xmlns:p=\"urn:p\" a=\"1\" p:b=\"2\"/>" },
    { XML, M("<o><xsl:attribute name='a'>x<e>hidden</e>y<xsl:comment>h</xsl:comment><xsl:copy-of "
             "select='r/i'/></xsl:attribute></o>"),
      "<o a=\"xhiddenyxy &amp; z\"/>" },
    { XML, M("<o><a>" ATTR("x", "1") "</a><b>" ATTR("xmlns", "1") "</b></o>"), "<o><a x=\"1\"/><b/></o>" },
    /* comments, processing instructions */
    { XML, M("<o><xsl:comment>a--b-<e/>-</xsl:comment><xsl:processing-instruction "
             "name='p'>a?>b</xsl:processing-instruction></o>"),
      "<o><!--a- -b- - --><?p a? >b?></o>" },
    { XML, M("<xsl:comment>&lt;&amp;</xsl:comment><o/>"), "<!--<&--><o/>" },
    /* namespaces */
    { XML, M("<o xmlns='urn:d' xmlns:q='urn:q'><e q:a='1'/><f xmlns=''><g/></f></o>"),
      "<o xmlns=\"urn:d\" xmlns:q=\"urn:q\"><e q:a=\"1\"/><f xmlns=\"\"><g/></f></o>" },
    { XML, M("<o xmlns='urn:d'><xsl:for-each select='r'><e><xsl:copy-of select='i[1]'/></e></xsl:for-each></o>"),
      "<o xmlns=\"urn:d\"><e><i xmlns=\"\" xmlns:p=\"urn:p\">x</i></e></o>" },
    { XML, M("<o><xsl:attribute name='a' namespace='urn:1'>1</xsl:attribute><xsl:attribute name='b' "
             "namespace='urn:2'>2</xsl:attribute></o>"),
      "<o xmlns:ns0=\"urn:1\" xmlns:ns1=\"urn:2\" ns0:a=\"1\" ns1:b=\"2\"/>" },
    { XML, M("<p:o xmlns:p='urn:1'><xsl:attribute name='p:a' namespace='urn:2'>1</xsl:attribute></p:o>"),
      "<p:o xmlns:p=\"urn:1\" xmlns:ns0=\"urn:2\" ns0:a=\"1\"/>" },
    { XML, M("<o><xsl:attribute name='xml:lang'>en</xsl:attribute></o>"), "<o xml:lang=\"en\"/>" },
    { XML, M("<xsl:element name='q:e' namespace='urn:e'><xsl:element name='f' namespace='urn:e'/></xsl:element>"),
      "<q:e xmlns:q=\"urn:e\"><f xmlns=\"urn:e\"/></q:e>" },
    { XML, M("<o><xsl:for-each select='r'><xsl:copy><xsl:copy-of select='@p:b' "
             "xmlns:p='urn:p'/></xsl:copy></xsl:for-each></o>"),
      "<o><r xmlns:p=\"urn:p\" p:b=\"2\"/></o>" },
    /* copies */
    { XML, M("<xsl:copy-of select='/'/>"),
      "<r xmlns:p=\"urn:p\" a=\"1\" p:b=\"2\"><i>x</i><i>y &amp; z</i><p:j q=\"&quot;&#9;\"/><!--c--><?pi d?></r>" },
    { XML, "<xsl:template match='@*|node()'><xsl:copy><xsl:apply-templates "
           "select='@*|node()'/></xsl:copy></xsl:template>",
      "<r xmlns:p=\"urn:p\" a=\"1\" p:b=\"2\"><i>x</i><i>y &amp; z</i><p:j q=\"&quot;&#9;\"/><!--c--><?pi d?></r>" },
    { XML, M("<xsl:variable name='v'><a>1<b/></a>t</xsl:variable><o><xsl:copy-of select='$v'/>|<xsl:value-of "
             "select='$v'/></o>"),
      "<o><a>1<b/></a>t|1t</o>" },
    /* the declaration and the document type */
    { "method='xml' indent='no'", M("<o/>"), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<o/>" },
    { "method='xml' indent='no' standalone='yes' encoding='us-ascii'", M("<o a='é'>é€<xsl:comment>é</xsl:comment></o>"),
      "<?xml version=\"1.0\" encoding=\"us-ascii\" standalone=\"yes\"?>\n<o a=\"&#233;\">&#233;&#8364;<!--?--></o>" },
    { "method='xml' indent='no' omit-xml-declaration='yes' encoding='iso-8859-1'", M("<o a='é'>é€</o>"),
      "<o a=\"\xe9\">\xe9&#8364;</o>" },
    { "method='xml' indent='no' omit-xml-declaration='yes' encoding='iso-8859-15'", M("<o>é€ŵ</o>"),
      "<o>\xe9\xa4&#373;</o>" },
    { "method='xml' indent='no' omit-xml-declaration='yes' doctype-system='a\"b' doctype-public='P'", M("<o/>"),
      "<!DOCTYPE o PUBLIC \"P\" 'a\"b'>\n<o/>" },
    { "method='xml' indent='no' omit-xml-declaration='yes' encoding='nonsense'", M("<o>é</o>"), "<o>é</o>" },
    /* cdata sections */
    { XML " cdata-section-elements='c'", M("<o>&lt;<c>a&lt;]]&gt;b<d>&lt;</d><xsl:value-of "
                                           "select=\"']]'\"/>></c><c/></o>"),
      "<o>&lt;<c><![CDATA[a<]]]]><![CDATA[>b]]><d>&lt;</d><![CDATA[]]]]><![CDATA[>]]></c><c/></o>" },
    { "method='xml' omit-xml-declaration='yes' indent='no' encoding='us-ascii' cdata-section-elements='c'",
      M("<c>aéb</c>"),
      "<c><![CDATA[a]]>&#233;<![CDATA[b]]></c>" },
    { "method='xml' omit-xml-declaration='yes' indent='no' encoding='us-ascii' cdata-section-elements='c'",
      M("<o><c>é</c><c>éb€€]]&gt;é<d/>é</c><c>]]é&gt;<xsl:value-of select=\"'é'\"/>]<xsl:value-of "
        "select=\"']é]&gt;'\"/></c></o>"),
      "<o><c>&#233;</c><c>&#233;<![CDATA[b]]>&#8364;&#8364;<![CDATA[]]]]><![CDATA[>]]>&#233;<d/>&#233;</c>"
      "<c><![CDATA[]]]]>&#233;<![CDATA[>]]>&#233;<![CDATA[]]]]>&#233;<![CDATA[]>]]></c></o>" },
    /* indenting */
    { "method='xml' omit-xml-declaration='yes' indent='yes'",
      M("<o><a><b/>t<c/></a><d><e/><xsl:comment>x</xsl:comment></d><f>t</f></o>"),
      "<o>\n  <a><b/>t<c/></a>\n  <d>\n    <e/>\n    <!--x-->\n  </d>\n  <f>t</f>\n</o>\n" },
    { "method='xml' omit-xml-declaration='yes' indent='yes'", M("<o><a xml:space='preserve'><b/></a></o>"),
      "<o>\n  <a xml:space=\"preserve\"><b/></a>\n</o>\n" },
    /* what stands among words is not indented, whether the words come before it or after it */
    { "method='xml' indent='yes' omit-xml-declaration='yes'",
      M("<o><p><b><i>x</i></b><b><i><u/></i></b>t</p><p><b><i/></b></p><p>t<b><i/></b></p></o>"),
      "<o>\n  <p><b><i>x</i></b><b><i><u/></i></b>t</p>\n  <p>\n    <b>\n      <i/>\n    </b>\n  </p>\n  "
      "<p>t<b><i/></b></p>\n</o>\n" },
    { "method='xml' indent='yes' omit-xml-declaration='yes'",
        M("<o><a/></o><p><q xml:space='default'><b/></q>t<q xml:space='default'><b/></q><q "
          "xml:space='default'><b/>u</q></p>"),
      "<o>\n  <a/>\n</o>\n<p><q xml:space=\"default\"><b/></q>t<q xml:space=\"default\">\n    <b/>\n  </q><q "
      "xml:space=\"default\"><b/>u</q></p>\n" },
    /* prepared tags: empty ones, values alone, beside elements, of a fragment; a template that does not know how deep
     * it stands, nor among what */
#define INDENTED "method='xml' omit-xml-declaration='yes' indent='yes'"
    { INDENTED, M("<o><xsl:for-each select='r/i'><p n='{position()}'><a><xsl:value-of select='.'/></a><b><xsl:value-of "
                  "select='none'/></b><c/>"
                  "<d><xsl:variable name='v'><xsl:value-of select='.'/>!</xsl:variable><e><xsl:value-of "
                  "select='$v'/></e></d></p></xsl:for-each>"
                  "<f g='{r/@a}'><xsl:variable name='w' select='1'/></f></o>"),
      "<o>\n  <p n=\"1\">\n    <a>x</a>\n    <b/>\n    <c/>\n    <d>\n      <e>x!</e>\n    </d>\n  </p>\n"
      "  <p n=\"2\">\n    <a>y &amp; z</a>\n    <b/>\n    <c/>\n    <d>\n      <e>y &amp; z!</e>\n    </d>\n  </p>\n  "
      "<f g=\"1\"/>\n</o>\n" },
    { INDENTED, M("<o><xsl:apply-templates select='r'/><m>t<xsl:apply-templates "
                  "select='r'/></m><m><xsl:apply-templates select='r'/>"
                  "<xsl:value-of select='r/none'/></m><m><xsl:apply-templates select='r'/><xsl:value-of "
                  "select='r/i'/></m></o>")
                "<xsl:template match='r'><q><q1><xsl:apply-templates select='i[1]'/></q1></q></xsl:template>"
                "<xsl:template match='i'><b><c><xsl:value-of select='.'/></c></b></xsl:template>",
      "<o>\n  <q>\n    <q1>\n      <b>\n        <c>x</c>\n      </b>\n    </q1>\n  </q>\n  "
      "<m>t<q><q1><b><c>x</c></b></q1></q></m>\n"
      "  <m>\n    <q>\n      <q1>\n        <b>\n          <c>x</c>\n        </b>\n      </q1>\n    </q>\n  </m>\n"
      "  <m><q><q1><b><c>x</c></b></q1></q>x</m>\n</o>\n" },
    /* the white space that is taken out makes the output as long as it was behind an earlier start tag */
    { INDENTED, M("<o><p><k><c><xsl:value-of select='r/i'/></c><xsl:apply-templates "
                  "select='r/none'/></k>y</p><z><xsl:apply-templates select='r/none'/></z></o>"),
      "<o>\n  <p><k><c>x</c></k>y</p>\n  <z/>\n</o>\n" },
    { XML, M("<o><a/><xsl:for-each select='r/*'><a><xsl:value-of select='*'/></a><b c='{.}'><xsl:if "
             "test='*'>x</xsl:if></b></xsl:for-each></o>"),
      "<o><a/><a/><b c=\"x\"/><a/><b c=\"y &amp; z\"/><a/><b c=\"\"/></o>" },
    { XML, M("<o><a/><a><b><c><xsl:value-of select='r/none'/></c></b></a><a><xsl:variable name='v' "
             "select='1'/></a><a><b><xsl:apply-templates/></b></a>"
             "<a><xsl:comment/></a></o>") "<xsl:template match='r'><xsl:for-each "
                                          "select='none'>x</xsl:for-each></xsl:template>",
      "<o><a/><a><b><c/></b></a><a/><a><b/></a><a><!----></a></o>" },
    /* html */
    { HTML, M("<html><head><title>t</title></head><body><br/><p/><input checked='checked' value='v'/></body></html>"),
      "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; "
      "charset=UTF-8\"><title>t</title></head><body><br><p></p>"
      "<input checked value=\"v\"></body></html>" },
    { HTML, M("<HTML><Head><META Http-Equiv='content-type' content='x'/></Head><SCRIPT>a&lt;b<xsl:value-of "
              "select=\"'&amp;'\"/></SCRIPT><p>a&lt;b</p></HTML>"),
      "<HTML><Head><meta http-equiv=\"Content-Type\" content=\"text/html; "
      "charset=UTF-8\"></Head><SCRIPT>a<b&</SCRIPT><p>a&lt;b</p></HTML>" },
    { HTML, M("<a href='é?a&amp;b' title='&lt;é>&amp;{{x}}\"'>x</a><a href='{r/i[2]}é'/>"),
      "<a href=\"%C3%A9?a&amp;b\" title=\"<é>&{x}&quot;\">x</a><a href=\"y &amp; z%C3%A9\"></a>" },
    { HTML, M("<p><x:e xmlns:x='urn:x' a='&lt;'/></p><xsl:processing-instruction "
              "name='p'>d</xsl:processing-instruction>"),
      "<p><x:e xmlns:x=\"urn:x\" a=\"&lt;\"></x:e></p><?p d>" },
    { HTML " doctype-public='P'", M("<html/>"), "<!DOCTYPE html PUBLIC \"P\">\n<html></html>" },
    { "method='html'", M("<html><body><h1>t</h1><p>a<b>c</b></p><pre><div>1</div><div>2</div></pre></body></html>"),
      "<html>\n<body>\n<h1>t</h1>\n<p>a<b>c</b></p>\n<pre><div>1</div><div>2</div></pre>\n</body>\n</html>\n" },
    /* no method: what the first element says */
    { "indent='no'", M("<xsl:comment>c</xsl:comment><xsl:processing-instruction "
                       "name='p'>d</xsl:processing-instruction><hTmL><br/></hTmL>"),
      "<!--c--><?p d><hTmL><br></hTmL>" },
    { "indent='no'", M("x<html><br/></html>"), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\nx<html><br/></html>" },
    { "indent='no'", M("<html xmlns='urn:h'><br/></html>"),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<html xmlns=\"urn:h\"><br/></html>" },
    { "indent='no'", M("<xsl:value-of select='r/i'/>"), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\nx" },
    /* text */
    { "method='text'", M("<o a='1'>&lt;<xsl:comment>c</xsl:comment><b>&amp;</b></o><xsl:copy-of select='r'/>" ATTR("a",
        "x")), "<&xy & z" },
};

static void table(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run r;
        if (!begin(&r, sheet_of(cases[i].output, cases[i].body), DOC)) {
            print_message("# case %zu: %s\n", i, r.err.text);
            failed++;
            end(&r);
            continue;
        }
        for (int prepared = 1; prepared >= 0; prepared--) {
            r.err.text[0] = 0;
            if (!prepared)
                r.program->prepared.n = 0;
            gx_status s = serialize(&r, NULL, NULL);
            if (s != GX_OK || strcmp(r.out.at, cases[i].want)) {
                print_message("# case %zu%s: %s\n#   want %s\n#   got  %s\n", i, prepared ? "" : ", by events",
                              r.err.text, cases[i].want, r.out.at);
                failed++;
            }
        }
        end(&r);
    }
    assert_int_equal(failed, 0);
}

static void messages(void **state)
{
    (void)state;
    run r;
    assert_true(begin(&r, sheet_of(XML,
        "<xsl:template name='p'><xsl:param name='v'/><o><xsl:value-of select='$v'/></o></xsl:template>"
        M("<xsl:message>1<b>&lt;</b></xsl:message><o><xsl:variable "
          "name='v'><xsl:message>2</xsl:message>x</xsl:variable>"
          "<xsl:attribute name='a'><xsl:message>3</xsl:message>y</xsl:attribute>"
          "<xsl:call-template name='p'><xsl:with-param "
          "name='v'><xsl:message>4</xsl:message>z</xsl:with-param></xsl:call-template>"
          "<xsl:message><xsl:message>5</xsl:message>6</xsl:message><xsl:copy-of select='$v'/></o>")), DOC));
    assert_int_equal(serialize(&r, NULL, NULL), GX_OK);
    assert_string_equal(r.out.at, "<o a=\"y\"><o>z</o>x</o>");
    /* 2 is said where the variable is, and again wherever its content is copied */
    assert_memory_equal(r.messages.at, "1<|2|3|4|", 9);
    assert_non_null(strstr(r.messages.at, "5|6|"));
    end(&r);
    assert_true(begin(&r, sheet_of(XML, M("<o/><xsl:message terminate='yes'>no more</xsl:message><e/>")), DOC));
    assert_int_equal(serialize(&r, NULL, NULL), GX_ETERMINATE);
    assert_string_equal(r.err.text, "no more");
    assert_string_equal(r.messages.at, "no more|");
    end(&r);
    assert_true(begin(&r, sheet_of(XML, M("<o><xsl:attribute name='{\"\"}'/><xsl:element "
                                          "name='{r/i[2]}'>x</xsl:element></o>")), DOC));
    assert_int_equal(serialize(&r, NULL, NULL), GX_OK);
    assert_string_equal(r.out.at, "<o>x</o>");
    assert_non_null(strstr(r.messages.at, ": xsl:attribute: \"\" is not a name that it can have|"));
    assert_non_null(strstr(r.messages.at, ": xsl:element: \""));
    end(&r);
}

static void errors(void **state)
{
    static const struct { const char *body; gx_status want; } bad[] = {
        { M("<xsl:message><xsl:processing-instruction name='{r/i[2]}'/></xsl:message>"), GX_EDYNAMIC },
        { M("<xsl:processing-instruction name='{\"XmL\"}'/>"), GX_EDYNAMIC }
    };
    run r;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(begin(&r, sheet_of(XML, bad[i].body), DOC));
        assert_int_equal(serialize(&r, NULL, NULL), bad[i].want);
        assert_true(r.err.line > 0);
        end(&r);
    }
    /* the limits, and a receiver that has enough */
    gx_limits limits;
    memset(&limits, 0, sizeof limits);
    limits.output = 20;
    assert_true(begin(&r, sheet_of(XML, M("<o>012345678901234567890123456789</o>")), DOC));
    assert_int_equal(serialize(&r, NULL, &limits), GX_ELIMIT);
    assert_string_equal(r.err.limit, "output");
    end(&r);
    limits.output = 0;
    limits.attributes = 1;
    assert_true(begin(&r, sheet_of(XML, M("<o><xsl:copy-of select='r/@*'/></o>")), DOC));
    assert_int_equal(serialize(&r, NULL, &limits), GX_ELIMIT);
    assert_string_equal(r.err.limit, "attributes");
    bytes none = { .refuse = 1 };
    assert_int_equal(gx_serialize(&r.ev, NULL, take, &none, NULL, &r.err), GX_ECANCEL);
    end(&r);
    /* a message is text: its attributes are not made */
    assert_true(begin(&r, sheet_of(XML, M("<o>a<xsl:message><a b='' c=''/>m</xsl:message></o>")), DOC));
    assert_int_equal(serialize(&r, NULL, &limits), GX_OK);
    assert_string_equal(r.messages.at, "m|");
    end(&r);
}

/* Texts and attributes of all sizes around the buffer's, in each encoding: the same characters come back. */
static void sizes(void **state)
{
    static const char *const encodings[] = { "UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII", "ISO-8859-2", "Shift_JIS" };
    (void)state;
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++)
        for (size_t n = 65400; n < 65560; n += e ? 37 : 1) {
            run r;
            bytes xml = { 0 };
            take(&xml, "<r><a>", 6);
            for (size_t i = 0; i < n; i++)
                take(&xml, i % 7 == n % 7 ? "é" : i % 11 == 5 ? "&lt;" : i % 101 == 9 ? "😀" : "x",
                     i % 7 == n % 7 ? 2 : i % 11 == 5 ? 4 : i % 101 == 9 ? 4 : 1);
            take(&xml, "</a></r>", 8);
            assert_true(begin(&r, sheet_of("method='xml'", M("<o a='{r/a}'><xsl:copy-of select='r/a'/><e><xsl:value-of "
                "select='r/none'/></e></o>")), xml.at));
            assert_int_equal(serialize(&r, encodings[e], NULL), GX_OK);
            assert_true(e == 1 || (r.out.n > 10 && !memcmp(r.out.at + r.out.n - 9, "<e/></o>\n", 9)));
            gx_doc *back;
            gx_parse_options options = { .charset = NULL };
            if (e < 4) {                        /* what Expat reads by itself */
                assert_int_equal(gx_parse(r.parser, &options, r.out.at, r.out.n, &back, &r.err), GX_OK);
                assert_int_equal(back->text_size, r.doc->text_size);
                assert_memory_equal(GX_DOC_COL(back, char, text), GX_DOC_COL(r.doc, char, text), r.doc->text_size);
                assert_memory_equal(GX_DOC_COL(back, char, values), GX_DOC_COL(r.doc, char, text), r.doc->text_size);
                free(back);
            }
            free(xml.at);
            end(&r);
        }
}

static void deep(void **state)
{
    run r;
    (void)state;
    assert_true(begin(&r, sheet_of(XML,
        "<xsl:template name='d'><xsl:param name='n'/><a><xsl:if test='$n > 0'><xsl:call-template name='d'>"
        "<xsl:with-param name='n' select='$n - 1'/></xsl:call-template></xsl:if></a></xsl:template>"
        M("<xsl:call-template name='d'><xsl:with-param name='n' select='100000'/></xsl:call-template>")), DOC));
    assert_int_equal(serialize(&r, NULL, NULL), GX_OK);
    assert_int_equal(r.out.n, 100000 * 7 + 4);
    end(&r);
}

/* A fragment made a document passes the check for documents, and is copied as what it was. */
static void fragments(void **state)
{
    static const char ns[] = " xmlns:x='http://exslt.org/common' exclude-result-prefixes='x'";
    char sheet[4096];
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        run r;
        snprintf(sheet, sizeof sheet, "<xsl:stylesheet version='1.0' "
                                      "xmlns:xsl='http://www.w3.org/1999/XSL/Transform'%s><xsl:output " XML "/>"
            M("<xsl:variable name='v'>t<a xmlns:q='urn:q' q:z='1' y='2'>u<q:b/><c "
              "xmlns='urn:d'><d/></c></a>v<xsl:comment>w</xsl:comment>"
              "<xsl:processing-instruction name='p'>i</xsl:processing-instruction></xsl:variable>"
              "<o n='{count(x:node-set($v)//node())}'><xsl:copy-of select='x:node-set($v)'/>%s</o>")
              "</xsl:stylesheet>", ns,
            axis ? "<xsl:value-of select='count(x:node-set($v)//namespace::*)'/>" : "");
        if (!begin(&r, sheet, DOC)) {
            print_message("# %s\n", r.err.text);
            fail();
        }
        assert_true(r.ev.n_docs >= 2);
        for (u32 i = 1; i < r.ev.n_docs; i++)
            assert_int_equal(gx_doc_check(r.ev.docs[i], r.ev.docs[i]->size, &r.err), GX_OK);
        assert_int_equal(serialize(&r, NULL, NULL), GX_OK);
        assert_string_equal(r.out.at, axis ?
            "<o n=\"9\">t<a xmlns:q=\"urn:q\" q:z=\"1\" y=\"2\">u<q:b/><c xmlns=\"urn:d\"><d/></c></a>v<!--w--><?p "
            "i?>10</o>" :
            "<o n=\"9\">t<a xmlns:q=\"urn:q\" q:z=\"1\" y=\"2\">u<q:b/><c xmlns=\"urn:d\"><d/></c></a>v<!--w--><?p "
            "i?></o>");
        end(&r);
    }
}

/* What stands for the special character c (of UTF-8, in an encoding without it if limited), written as GX_ESC_*
 * `where` */
static const char *escaped(int where, int limited, const char *c)
{
    switch (*c) {
    case '&': return "&amp;";
    case '\r': return "&#13;";
    case '<': return where <= GX_ESC_ATTR ? "&lt;" : c;
    case '>': return where <= GX_ESC_ATTR ? "&gt;" : c;
    case '"': return where == GX_ESC_TEXT ? c : "&quot;";
    case '\t': return where == GX_ESC_ATTR ? "&#9;" : c;
    case '\n': return where == GX_ESC_ATTR ? "&#10;" : c;
    default: return where == GX_ESC_HTML_URI ? "%C3%A9" : limited ? "&#233;" : c;
    }
}

/* Two special characters anywhere in texts of up to 40 bytes, which end where their memory does */
static void escapes(void **state)
{
    static const char *const special[] = { "&", "\r", "<", ">", "\"", "\t", "\n", "\303\251" };
    const u32 n_special = sizeof special / sizeof *special;
    (void)state;
    for (int where = GX_ESC_TEXT; where <= GX_ESC_HTML_URI; where++)
        for (int limited = 0; limited < 2; limited++) {
            bytes out = { NULL, 0, 0, 0 }, wanted = out;
            gx_writer w;
            assert_int_equal(gx_writer_open(&w, take, &out, ~0ull), GX_OK);
            assert_int_equal(gx_writer_encoding(&w, limited ? "US-ASCII" : "UTF-8", limited ? 8 : 5), 1);
            for (u32 n = 0; n <= 40; n++)
                for (u32 one = 0; one <= n; one++)
                    for (u32 two = one; two <= n; two++) {
                        const char *c[2] = { special[(one + n) % n_special], special[(two + 3 * n) % n_special] };
                        bytes text = { NULL, 0, 0, 0 };
                        for (u32 i = 0; i <= n; i++) {
                            for (u32 k = 0; k < 2; k++)
                                if (i == (k ? two : one)) {
                                    const char *e = escaped(where, limited, c[k]);
                                    take(&text, c[k], strlen(c[k]));
                                    take(&wanted, e, strlen(e));
                                }
                            const char plain = (char)('a' + i % 26);
                            if (i < n) {
                                take(&text, &plain, 1);
                                take(&wanted, &plain, 1);
                            }
                        }
                        char *exact = malloc(text.n);
                        assert_non_null(exact);
                        memcpy(exact, text.at, text.n);
                        gx_writer_escape(&w, exact, text.n, where);
                        free(exact);
                        free(text.at);
                    }
            gx_writer_finish(&w);
            assert_int_equal(w.status, GX_OK);
            assert_int_equal(out.n, wanted.n);
            assert_memory_equal(out.at, wanted.at, out.n);
            gx_writer_close(&w);
            free(out.at);
            free(wanted.at);
        }
}

/* Words of the result changed at random. The copy ends where the result does, so that a sanitizer sees every step
 * outside. */
static void damage(void **state)
{
    run r;
    u64 seed = 0x9e3779b97f4a7c15ull;
    gx_limits limits;
    (void)state;
    memset(&limits, 0, sizeof limits);
    limits.output = 1u << 20;
    assert_true(begin(&r, sheet_of("method='html'",
        M("<html><body><xsl:apply-templates select='//i'><xsl:with-param "
          "name='q'>1<b/></xsl:with-param></xsl:apply-templates>"
          "<xsl:copy-of select='r'/><xsl:for-each select='r/*'><p a='{.}'><xsl:value-of "
          "select='position()'/></p></xsl:for-each></body></html>")
        "<xsl:template match='i'><xsl:param name='q'/><xsl:variable name='v'><u><xsl:copy-of "
        "select='$q'/></u></xsl:variable>"
        "<xsl:choose><xsl:when test='position() = 1'><xsl:copy-of select='$v'/></xsl:when><xsl:otherwise><xsl:element "
        "name='{name()}'>"
        "<xsl:message>m</xsl:message><xsl:value-of "
        "select='$v'/></xsl:element></xsl:otherwise></xsl:choose></xsl:template>"), DOC));
    const void *base = r.ev.base;
    u64 used = ((const gx_result *)base)->used;
    u32 *copy = malloc(used);
    u32 ended[GX_NEED + 1] = { 0 };
    assert_non_null(copy);
    for (int i = 0; i < 20000; i++) {
        memcpy(copy, base, used);
        for (int k = i % 3; k >= 0; k--) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            u64 at = (seed >> 20) % (used / 4);
            u32 value = (u32)(seed >> 33);
            if (at * 4 < offsetof(gx_result, root)
                || (at * 4 >= offsetof(gx_result, used) && at * 4 < offsetof(gx_result, used) + 8))
                continue;                       /* the head's other fields are the caller's to check */
            copy[at] = i % 4 == 0 ? value : i % 4 == 1 ? copy[value % (used / 4)] : i % 4 == 2
                ? copy[at] + value % 9 - 4 : GX_NONE - value % 3;
        }
        r.ev.base = copy;
        gx_status s = serialize(&r, NULL, &limits);
        assert_true(s >= 0 && s <= GX_NEED);
        ended[s]++;
    }
    print_message("# damaged results: %u written, %u refused\n", ended[GX_OK], 20000 - ended[GX_OK]);
    free(copy);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table), cmocka_unit_test(escapes), cmocka_unit_test(messages), cmocka_unit_test(errors),
            cmocka_unit_test(sizes), cmocka_unit_test(deep),
        cmocka_unit_test(fragments), cmocka_unit_test(damage)
    };
    return cmocka_run_group_tests_name("serialize", tests, set_up, tear_down);
}
