/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 30-compile.c -- what stylesheets compile to
 *
 * t/sheets/NAME.xsl -> t/sheets/NAME.txt, the program as gx_explain_program lists it; a table of small stylesheets ->
 * errors; precedences, dispatch tables, space and output declarations; limits; then stylesheets with random damage,
 * which must end in a program that passes gx_program_check or in an error.
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
#include "engine/program/builder.h"
#include "engine/xslt/sheet.h"

#define SHEETS "t/sheets/"

static apr_pool_t *root;
static char folder[] = "/tmp/gx-compile-XXXXXX";

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

static char *read_file(apr_pool_t *pool, const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *text = apr_palloc(pool, 1 << 16);
    assert_non_null(f);
    *n = fread(text, 1, (1 << 16) - 1, f);
    text[*n] = 0;
    fclose(f);
    return text;
}

/* Compiles bytes as a file of `folder`. */
static gx_status compile(apr_pool_t *pool, const char *text, size_t n, const gx_compile_options *options,
                         gx_program **out, gx_error *err)
{
    const char *path = apr_pstrcat(pool, folder, "/s.xsl", NULL);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
    memset(err, 0, sizeof *err);
    gx_status status = gx_compile(path, options, pool, out, err);
    unlink(path);
    return status;
}

static const char *sheet(apr_pool_t *pool, const char *content)
{
    return apr_pstrcat(pool, "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
                             "xmlns:p='urn:p'>\n",
                       content, "</xsl:stylesheet>", NULL);
}

static gx_program *must_compile(apr_pool_t *pool, const char *content)
{
    const char *text = sheet(pool, content);
    gx_program *program = NULL;
    gx_error err;
    if (compile(pool, text, strlen(text), NULL, &program, &err) != GX_OK)
        fail_msg("%s\n%u:%u: %s", content, err.line, err.column, err.text);
    assert_int_equal(gx_program_check(program, program->size, &err), GX_OK);
    return program;
}

typedef struct buffer { char at[1 << 16]; size_t n; } buffer;

static int collect(void *ctx, const char *bytes, size_t n)
{
    buffer *b = ctx;
    assert_true(b->n + n < sizeof b->at);
    memcpy(b->at + b->n, bytes, n);
    b->at[b->n += n] = 0;
    return 0;
}

/* ---- listings ---- */

static void listings(void **state)
{
    static const char *const names[] = { "instructions.xsl", "variables.xsl", "functions.xsl", "literal.xsl",
                                         "copy.xsl", "forwards.xsl", "space.xsl",
                                         "simplified.xsl", "embedded.xml", "import.xsl", "strategies.xsl" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        apr_pool_t *pool;
        apr_pool_create(&pool, root);
        buffer *got = apr_pcalloc(pool, sizeof *got);
        gx_program *program;
        gx_error err;
        size_t n;
        if (gx_compile(apr_pstrcat(pool, SHEETS, names[i], NULL), NULL, pool, &program, &err) != GX_OK)
            fail_msg("%s:%u:%u: %s", names[i], err.line, err.column, err.text);
        assert_int_equal(gx_program_check(program, program->size, &err), GX_OK);
        gx_explain_program(program, NULL, pool, collect, got);
        free(program);
        char *path = apr_pstrcat(pool, SHEETS, names[i], NULL);
        strcpy(strrchr(path, '.'), ".txt");
        assert_string_equal(got->at, read_file(pool, path, &n));
        apr_pool_destroy(pool);
    }
}

/* ---- errors: line 2 of the file is the first of the text ---- */

#define IN(content) "<xsl:template match='a'>" content "</xsl:template>"

static const struct { const char *text, *error; } errors[] = {
    { IN("<xsl:if>x</xsl:if>"), "2:25: xsl:if needs the attribute test" },
    { IN("<xsl:if test='a' tset='b'/>"), "2:25: xsl:if may not have the attribute tset (is test meant?)" },
    { IN("<xsl:if xsl:test='a' test='b'/>"), "2:25: xsl:if may not have the attribute xsl:test" },
    { IN("\n<xsl:foo/>"), "3:1: there is no xsl:foo in XSLT 1.0" },
    { IN("<xsl:for-each-group/>"), "2:25: not supported: xsl:for-each-group (XSLT 2.0)" },
    { IN("<xsl:result-document href='b'/>"), "2:25: not supported: xsl:result-document (XSLT 2.0)" },
    { IN("<xsl:iterate select='b'/>"), "2:25: not supported: xsl:iterate (XSLT 3.0)" },
    { IN("<xsl:foreach select='b'/>"), "2:25: there is no xsl:foreach in XSLT 1.0 (is xsl:for-each meant?)" },
    { IN("<xsl:value-of select='b' separator=','/>"), "2:25: not supported: the attribute separator of xsl:value-of "
                                                      "(XSLT 2.0)" },
    { IN("<xsl:variable name='b' static='yes'/>"), "2:25: not supported: the attribute static of xsl:variable "
                                                   "(XSLT 3.0)" },
    { IN("<xsl:value-of selct='b'/>"), "2:25: xsl:value-of may not have the attribute selct (is select meant?)" },
    { IN("<xsl:value-of select='upper-case(b)'/>"), "2:25: not supported: function upper-case() (XPath 2.0) in "
                                                    "expression \"upper-case(b)\" at character 1" },
    { IN("<xsl:value-of select='current-group()'/>"), "2:25: not supported: function current-group() (XSLT 2.0) in "
                                                      "expression \"current-group()\" at character 1" },
    { IN("<xsl:value-of select='parse-json(b)'/>"), "2:25: not supported: function parse-json() (XPath 3.1) in "
                                                    "expression \"parse-json(b)\" at character 1" },
    { IN("<xsl:value-of select='normalise-space(b)'/>"), "2:25: there is no function normalise-space() (is "
                                                         "normalize-space() meant?) in expression "
                                                         "\"normalise-space(b)\" at character 1" },
    { IN("<xsl:when test='a'/>"), "2:25: xsl:when is not allowed here" },
    { IN("<xsl:template match='b'/>"), "2:25: xsl:template is not allowed here" },
    { IN("<a/><xsl:param name='p'/>"), "2:29: xsl:param must come first in xsl:template" },
    { IN("<xsl:choose/>"), "2:25: xsl:choose needs a child xsl:when" },
    { IN("<xsl:choose><xsl:otherwise/><xsl:when test='a'/></xsl:choose>"),
      "2:37: xsl:otherwise must be the last child of xsl:choose" },
    { IN("<xsl:choose><xsl:when test='a'/>text</xsl:choose>"), "2:57: text is not allowed in xsl:choose" },
    { IN("<xsl:choose><b/></xsl:choose>"), "2:37: b is not allowed in xsl:choose" },
    { IN("<xsl:apply-templates><xsl:if test='a'/></xsl:apply-templates>"),
      "2:46: xsl:if is not allowed in xsl:apply-templates" },
    { IN("<xsl:for-each select='a'><b/><xsl:sort/></xsl:for-each>"),
      "2:54: xsl:sort must come first in xsl:for-each, or stand in xsl:apply-templates" },
    { IN("<xsl:apply-imports><xsl:with-param name='p'/></xsl:apply-imports>"),
      "2:44: xsl:apply-imports must be empty" },
    { IN("<xsl:value-of select='a'>x</xsl:value-of>"), "2:50: xsl:value-of must be empty" },
    { IN("<xsl:text><b/></xsl:text>"), "2:35: b is not allowed in xsl:text" },
    { IN("<xsl:text disable-output-escaping='maybe'/>"), "2:25: the attribute disable-output-escaping must be \"yes\" "
                                                         "or \"no\", not \"maybe\"" },
    { IN("<xsl:call-template name='none'/>"), "2:25: xsl:call-template: there is no template named none" },
    { IN("<xsl:call-template name='q:none'/>"), "2:25: the prefix q of \"q:none\" is not declared" },
    { IN("<xsl:call-template name='{$x}'/>"), "2:25: the attribute name is no QName: \"{$x}\"" },
    { IN("<xsl:apply-templates mode='1'/>"), "2:25: the attribute mode is no QName: \"1\"" },
    { IN("<xsl:value-of select='$none'/>"), "2:25: the variable $none is not declared in expression \"$none\" at "
                                            "character 1" },
    { IN("<b><xsl:variable name='v'/></b><xsl:value-of select='$v'/>"),
      "2:56: the variable $v is not declared in expression \"$v\" at character 1" },
    { IN("<xsl:variable name='v' select='$v'/>"), "2:25: the variable $v is not declared in expression \"$v\" at "
                                                  "character 1" },
    { IN("<xsl:variable name='v'/><b><xsl:variable name='v'/></b>"),
      "2:52: xsl:variable v hides another variable of that name in the same template" },
    { IN("<xsl:param name='v'/><xsl:param name='v'/>"), "2:46: xsl:param v hides another variable of that name in the "
                                                        "same template" },
    { IN("<xsl:variable name='v' select='1'>2</xsl:variable>"),
      "2:25: xsl:variable must be empty when it has the attribute select" },
    { IN("<b a='x{ }'/>"), "2:25: an expression expected between '{' and '}' in attribute value template \"x{ }\" at "
                           "character 2" },
    { IN("<b xsl:use-attribute-sets='s'/>"), "2:25: there is no attribute set named s" },
    { IN("<b xsl:exclude-result-prefixes='q'/>"), "2:25: the prefix q in exclude-result-prefixes is not declared" },
    { IN("<xsl:for-each select='1'/>"), "2:25: the value must be a node-set, not a number in expression \"1\" at "
                                        "character 1" },
    { IN("<xsl:apply-templates><xsl:sort order='up'/></xsl:apply-templates>"),
      "2:46: the attribute order must be \"ascending\" or \"descending\", not \"up\"" },
    { IN("<xsl:number level='all'/>"), "2:25: the attribute level must be \"single\", \"multiple\" or \"any\", not "
                                       "\"all\"" },
    { "<xsl:template/>", "2:1: xsl:template needs the attribute match or the attribute name" },
    { "<xsl:template name='a' mode='b'/>", "2:1: xsl:template without the attribute match may not have the "
                                           "attribute mode" },
    { "<xsl:template match='a' priority='high'/>", "2:1: the attribute priority is no number: \"high\"" },
    { "<xsl:template name='a'/><xsl:template name='a'/>", "2:25: there are two templates named a with the same import "
                                                          "precedence" },
    { "<xsl:variable name='a'/><xsl:param name='a'/>", "2:25: the global variable a is declared twice with the same "
                                                       "import precedence" },
    { "<xsl:variable name='a' select='$b'/><xsl:variable name='b'>x<xsl:value-of select='$a'/></xsl:variable>",
      "2:1: the value of the variable a depends on itself" },
    { "<xsl:attribute-set name='a' use-attribute-sets='b'/><xsl:attribute-set name='b' use-attribute-sets='a'/>",
      "2:1: the attribute set a uses itself" },
    { "<xsl:attribute-set name='a'><b/></xsl:attribute-set>", "2:29: b is not allowed in xsl:attribute-set" },
    { "<xsl:key name='k' match='a' use='$v'/>", "2:1: variables are not allowed in xsl:key in expression \"$v\" at "
                                                "character 1" },
    { "<xsl:key name='k' match='a' use=\"key('l', .)\"/><xsl:key name='l' match=\"a[key('k', 1)]\" use='b'/>",
      "2:48: the key 'k' depends on itself in pattern \"a[key('k', 1)]\" at character 3" },
    { "<xsl:key name='k' match='.' use='1'/>", "2:1: '.' is not allowed in a pattern in pattern \".\" at character 1" },
    { "<xsl:key name='k' match=' ' use='1'/>", "2:1: the pattern is empty in pattern \" \" at character 2" },
    { "<xsl:output method='pdf'/>", "2:1: the attribute method must be \"xml\", \"html\" or \"text\", not \"pdf\"" },
    { "<xsl:output indent='1'/>", "2:1: the attribute indent must be \"yes\" or \"no\", not \"1\"" },
    { "<xsl:decimal-format digit='##'/>", "2:1: the attribute digit must be one character, not \"##\"" },
    { "<xsl:decimal-format name='d'/><xsl:decimal-format name='d' digit='x'/>",
      "2:31: the decimal format d is declared twice with different values" },
    { "<xsl:strip-space elements='q:*'/>", "2:1: the prefix q of \"q:*\" is not declared" },
    { "<xsl:namespace-alias stylesheet-prefix='p' result-prefix='q'/>",
      "2:1: the prefix q in the attribute result-prefix is not declared" },
    { "<xsl:if test='a'/>", "2:1: xsl:if is not allowed at the top level" },
    { "<nothing/>", "2:1: the top-level element nothing must have a namespace" },
    { "text", "1:96: text is not allowed at the top level of a stylesheet" },
    { "<p:data/><xsl:import href='x.xsl'/>", "2:10: xsl:import must come before all other elements" },
    { "<xsl:include href='s.xsl'/>", "2:1: /tmp/gx-compile-XXXXXX/s.xsl imports or includes itself" },
    { "<xsl:include/>", "2:1: xsl:include needs the attribute href" },
};

static void sentences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        apr_pool_t *pool;
        apr_pool_create(&pool, root);
        const char *text = sheet(pool, errors[i].text), *expected = errors[i].error;
        const char *mark = strstr(expected, "/tmp/gx-compile-XXXXXX");
        if (mark)                           /* the folder's real name */
            expected = apr_pstrcat(pool, apr_pstrmemdup(pool, expected, (apr_size_t)(mark - expected)), folder,
                                   mark + strlen(folder), NULL);
        gx_program *program = NULL;
        gx_error err;
        const gx_compile_options strict = { .strict = 1 };      /* by default many are warnings: t/31-slips.t */
        gx_status status = compile(pool, text, strlen(text), &strict, &program, &err);
        if (status == GX_OK)
            fail_msg("no error in %s", errors[i].text);
        assert_string_equal(apr_psprintf(pool, "%u:%u: %s", err.line, err.column, err.text), expected);
        assert_true(strstr(err.file, "/s.xsl") != NULL);
        apr_pool_destroy(pool);
    }
}

/* ---- rules ---- */

static const char *candidates(apr_pool_t *pool, const gx_program *p, u32 entry)
{
    const gx_range *range = &GX_PROG_TAB(p, gx_range, dispatch)[entry];
    const char *text = "";
    for (u32 i = 0; i < range->n; i++)
        text = apr_psprintf(pool, "%s%s%u", text, i ? " " : "", GX_PROG_TAB(p, u32, candidates)[range->first + i]);
    return text;
}

static u32 pname(const gx_program *p, const char *uri, const char *local)
{
    const gx_pname *names = GX_PROG_TAB(p, gx_pname, pnames);
    for (u32 i = 1; i < p->pnames.n; i++)
        if (!strcmp(GX_LIT_AT(p, names[i].uri), uri) && !strcmp(GX_LIT_AT(p, names[i].local), local))
            return i;
    return 0;
}

/* In comments: the rank */
#define RULES \
    "<xsl:template match='node()'/>"                /* 8 */ \
    "<xsl:template match='*'/>"                     /* 7 */ \
    "<xsl:template match='p:*'/>"                   /* 6 */ \
    "<xsl:template match='b'/>"                     /* 5 */ \
    "<xsl:template match='a'/>"                     /* 4 */ \
    "<xsl:template match='p:c'/>"                   /* 3 */ \
    "<xsl:template match='@a'/>"                    /* 2 */ \
    "<xsl:template match='a[1] | text()[. = 1]'/>"  /* 1, 0 */ \
    "<xsl:template match='key(\"k\", \"1\")' mode='m'/>" /* 9 */ \
    "<xsl:key name='k' match='a' use='@x'/>"

static void check_dispatch(apr_pool_t *pool, const char *content, const char *const expected[10])
{
    gx_program *p = must_compile(pool, content);
    const gx_mode *modes = GX_PROG_TAB(p, gx_mode, modes);
    assert_true(pname(p, "", "a") && pname(p, "", "b") && pname(p, "urn:p", "c"));
    assert_string_equal(candidates(pool, p, modes[0].elem + pname(p, "", "a")), expected[0]);
    assert_string_equal(candidates(pool, p, modes[0].elem + pname(p, "", "b")), expected[1]);
    assert_string_equal(candidates(pool, p, modes[0].elem + pname(p, "urn:p", "c")), expected[2]);
    assert_string_equal(candidates(pool, p, modes[0].elem + pname(p, "urn:p", "*")), expected[3]);
    assert_string_equal(candidates(pool, p, modes[0].elem), expected[4]);
    assert_string_equal(candidates(pool, p, modes[0].attr + pname(p, "", "a")), expected[5]);
    assert_string_equal(candidates(pool, p, modes[0].attr), expected[6]);
    assert_string_equal(candidates(pool, p, modes[0].other + GX_KIND_TEXT), expected[7]);
    assert_string_equal(candidates(pool, p, modes[0].other + GX_KIND_ROOT), expected[8]);
    assert_string_equal(candidates(pool, p, modes[1].elem + pname(p, "", "a")), expected[9]);
    assert_string_equal(candidates(pool, p, modes[1].attr), expected[9]);
    assert_string_equal(candidates(pool, p, modes[1].other + GX_KIND_ROOT), expected[9]);
    free(p);
}

static void dispatch(void **state)
{
    apr_pool_t *pool;
    (void)state;
    apr_pool_create(&pool, root);
    static const char *const cut[10] = { "1 4", "5", "3", "6", "6 7", "2", "", "0 8", "", "9" };
    static const char *const whole[10] = { "1 4 7 8", "5 7 8", "3 6 7 8", "6 7 8", "6 7 8", "2", "", "0 8", "", "9" };
    check_dispatch(pool, RULES, cut);
    check_dispatch(pool, RULES "<xsl:template name='n'><xsl:apply-imports/></xsl:template>", whole);
    apr_pool_destroy(pool);
}

static void precedence(void **state)
{
    apr_pool_t *pool;
    gx_program *p;
    gx_error err;
    (void)state;
    apr_pool_create(&pool, root);
    assert_int_equal(gx_compile(SHEETS "import.xsl", NULL, pool, &p, &err), GX_OK);
    static const struct { u32 precedence, low; double priority; } expected[] = {
        { 4, 0, 1.5 }, { 4, 0, 0 }, { 4, 0, 0 }, { 3, 3, 0 }, { 2, 2, 0 }, { 1, 0, 0 }, { 0, 0, 0 },
    };
    const gx_rule *rules = GX_PROG_TAB(p, gx_rule, rules);
    assert_int_equal(p->rules.n, sizeof expected / sizeof *expected);
    for (u32 i = 0; i < p->rules.n; i++) {
        assert_int_equal(rules[i].precedence, expected[i].precedence);
        assert_int_equal(rules[i].import_low, expected[i].low);
        assert_true(rules[i].priority == expected[i].priority);
    }
    /* every file once, the stylesheet first */
    const u32 *files = GX_PROG_TAB(p, u32, files);
    assert_int_equal(p->files.n, 5);
    assert_non_null(strstr(GX_LIT_AT(p, files[0]), "/t/sheets/import.xsl"));
    free(p);
    apr_pool_destroy(pool);
}

/* ---- declarations ---- */

static void declarations(void **state)
{
    apr_pool_t *pool;
    (void)state;
    apr_pool_create(&pool, root);
    gx_program *p = must_compile(pool,
        "<xsl:output method='html' indent='no' cdata-section-elements='a p:b'/><xsl:output indent='yes' "
        "encoding='UTF-16' cdata-section-elements='a c'/>"
        "<xsl:strip-space elements='* p:*'/><xsl:preserve-space elements='a p:b'/><xsl:strip-space elements='a'/>"
        "<xsl:decimal-format decimal-separator=','/><xsl:decimal-format name='p:d' NaN='none'/><xsl:decimal-format "
        "name='p:d' NaN='none'/>");
    const gx_output *output = GX_PROG_TAB(p, gx_output, output);
    assert_int_equal(output->method, GX_METHOD_HTML);
    assert_int_equal(output->indent, 1);
    assert_int_equal(output->omit_declaration, 2);
    assert_int_equal(output->n_cdata, 3);
    assert_string_equal(GX_LIT_AT(p, output->encoding), "UTF-16");
    assert_int_equal(output->doctype_system, GX_NONE);
    static const struct { const char *local; u8 test, strip; } spaces[] = {
        { "a", GX_TEST_NAME, 1 }, { "b", GX_TEST_NAME, 0 }, { "a", GX_TEST_NAME, 0 }, { "*", GX_TEST_NS, 1 },
            { "*", GX_TEST_ANY, 1 } };
    const gx_space *space = GX_PROG_TAB(p, gx_space, spaces);
    assert_int_equal(p->spaces.n, 5);
    for (u32 i = 0; i < 5; i++) {
        assert_string_equal(GX_LIT_AT(p, space[i].local), spaces[i].local);
        assert_int_equal(space[i].test, spaces[i].test);
        assert_int_equal(space[i].strip, spaces[i].strip);
    }
    const gx_decimal_format *format = GX_PROG_TAB(p, gx_decimal_format, decimal_formats);
    assert_int_equal(p->decimal_formats.n, 2);
    assert_string_equal(GX_LIT_AT(p, format[0].decimal_separator), ",");
    assert_string_equal(GX_LIT_AT(p, format[1].nan), "none");
    assert_int_equal(p->flags, 0);
    free(p);
    p = must_compile(pool, IN("<xsl:value-of select='namespace::*'/><xsl:copy-of select='document(@x)'/>"));
    assert_int_equal(p->flags, GX_P_NAMESPACE_AXIS | GX_P_HOST);
    free(p);
    apr_pool_destroy(pool);
}

static void parameters(void **state)
{
    apr_pool_t *pool;
    gx_program *p;
    gx_error err;
    (void)state;
    apr_pool_create(&pool, root);
    gx_param params[] = { { "a", "'y'" }, { "{urn:p}b", "'x'" }, { "v", "2" }, { "unknown", "3" } };
    gx_compile_options options = { .xpath_params = params, .n_xpath_params = 4 };
    const char *text = sheet(pool, "<xsl:param name='a'/><xsl:param name='p:b'/><xsl:variable name='v' select='0'/>");
    buffer *got = apr_pcalloc(pool, sizeof *got);
    assert_int_equal(compile(pool, text, strlen(text), &options, &p, &err), GX_OK);
    gx_explain_program(p, NULL, pool, collect, got);
    assert_string_equal(got->at, "runs on any team\nparam 0 a  'y'\nparam 1 p:b{urn:p}  'x'\nvariable 2 v  0\n");
    free(p);
    params[0].value = "$v";
    assert_int_equal(compile(pool, text, strlen(text), &options, &p, &err), GX_ESTYLE);
    assert_string_equal(err.file, "parameter a");
    apr_pool_destroy(pool);
}

/* ---- limits ---- */

static const char *repeated(apr_pool_t *pool, const char *text, u32 n)
{
    size_t one = strlen(text);
    char *out = apr_palloc(pool, one * n + 1);
    for (u32 i = 0; i < n; i++)
        memcpy(out + one * i, text, one);
    out[one * n] = 0;
    return out;
}

static void limits(void **state)
{
    apr_pool_t *pool;
    gx_program *p;
    gx_error err;
    (void)state;
    apr_pool_create(&pool, root);
    const char *text = sheet(pool,
        apr_pstrcat(pool, "<xsl:template match='a'>", repeated(pool, "<xsl:for-each select='a'>", 500),
                             repeated(pool, "</xsl:for-each>", 500), "</xsl:template>", NULL));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_OK);
    free(p);
    text = sheet(pool, apr_pstrcat(pool, "<xsl:template match='a'>", repeated(pool, "<a>", 600),
                                   repeated(pool, "</a>", 600), "</xsl:template>", NULL));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_ELIMIT);
    assert_string_equal(err.text, "element nesting deeper than depth=512 (fixed for stylesheets and catalogs)");
    assert_null(err.limit);
    text = sheet(pool, apr_pstrcat(pool, "<xsl:template match='a'>",
        repeated(pool, "<xsl:value-of select='.'/>", GX_SHEET_SLOTS + 1), "</xsl:template>", NULL));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_ESTYLE);
    assert_string_equal(err.text, "more than 65535 instructions in one template; split it");
    char *names = apr_palloc(pool, 16 * (GX_SHEET_CDATA + 1)), *to = names;
    for (u32 i = 0; i <= GX_SHEET_CDATA; i++)
        to += sprintf(to, " e%u", i);
    text = sheet(pool, apr_psprintf(pool, "<xsl:output cdata-section-elements='%s'/>", names));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_ESTYLE);
    char *variables = apr_palloc(pool, 48 * (GX_SHEET_SCOPE + 1));
    to = variables;
    for (u32 i = 0; i <= GX_SHEET_SCOPE; i++)
        to += sprintf(to, "<xsl:variable name='v%u' select='1'/>", i);
    text = sheet(pool, apr_psprintf(pool, "<xsl:template match='a'>%s</xsl:template>", variables));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_ESTYLE);
    to = variables = apr_palloc(pool, 48 * (GX_SHEET_SCOPE + 1));
    for (u32 i = 0; i <= GX_SHEET_SCOPE; i++)
        to += sprintf(to, "<xsl:with-param name='v%u' select='1'/>", i);
    text = sheet(pool, apr_psprintf(pool, "<xsl:template "
                                          "match='a'><xsl:apply-templates>%s</xsl:apply-templates></xsl:template>",
                                              variables));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_ESTYLE);
    /* elements that each copy all of 1,000 namespaces but two: a list each */
    char *copied = apr_palloc(pool, 1 << 20);
    to = copied + sprintf(copied, "<xsl:template match='a'><a");
    for (u32 i = 0; i < 1000; i++)
        to += sprintf(to, " xmlns:p%u='u%u'", i, i);
    *to++ = '>';
    for (u32 i = 0; i <= GX_SHEET_COPIED / 998; i++)
        to += sprintf(to, "<b xsl:exclude-result-prefixes='p%u p%u'/>", i % 1000, (i + 1 + i / 1000) % 1000);
    strcpy(to, "</a></xsl:template>");
    text = sheet(pool, copied);
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_ELIMIT);
    assert_non_null(strstr(err.text, "copy more than 2097152 namespaces"));
    text = sheet(pool, repeated(pool, "<xsl:include href='" SHEETS "none.xsl'/>", 1));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_EIO);
    assert_int_equal(err.line, 2);
    /* a file of many names: each is a document in memory */
    const char *one = apr_pstrcat(pool, folder, "/1", NULL), *two = apr_pstrcat(pool, folder, "/2", NULL);
    FILE *f = fopen(one, "wb");
    assert_non_null(f);
    fputs(sheet(pool, ""), f);
    for (int i = 0; i < 5; i++)
        fprintf(f, "<!--%*s-->", 8 << 20, "");
    fclose(f);
    assert_int_equal(symlink(one, two), 0);
    text = sheet(pool, apr_psprintf(pool, "<xsl:include href='%s'/>", one));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_OK);
    free(p);
    text = sheet(pool, apr_psprintf(pool, "<xsl:include href='%s'/><xsl:include href='%s'/>", one, two));
    assert_int_equal(compile(pool, text, strlen(text), NULL, &p, &err), GX_ELIMIT);
    unlink(one);
    unlink(two);
    apr_pool_destroy(pool);
}

/* ---- a module's own document, which the program brings along ---- */

static void own_documents(void **state)
{
    static const char asks[] = "<xsl:strip-space elements='p:t'/><p:t> <p:i id='a'/> </p:t><xsl:template match='/'><a "
                               "xml:id='b'>"
        "<xsl:value-of select=\"document('')\"/></a></xsl:template>";
    apr_pool_t *pool;
    gx_error err;
    (void)state;
    apr_pool_create(&pool, root);
    gx_program *p = must_compile(pool, asks), *again = must_compile(pool, asks);
    assert_int_equal(p->own_docs.n, 1);
    assert_int_equal(p->size, again->size);
    assert_memory_equal(p, again, p->size);     /* httpd knows a new version by its bytes */
    const gx_own_doc *own = GX_PROG_TAB(p, gx_own_doc, own_docs);
    const gx_doc *doc = (const gx_doc *)((const char *)p + own->off);
    assert_int_equal(doc->size, own->size);
    assert_int_equal(doc->n_ids, 1);
    ((gx_doc *)(char *)doc)->n_labels++;
    assert_int_equal(gx_program_check(p, p->size, &err), GX_EBAD);
    ((gx_own_doc *)(char *)GX_PROG_TAB(again, gx_own_doc, own_docs))->off += 16;
    assert_int_equal(gx_program_check(again, again->size, &err), GX_EBAD);
    free(p);
    free(again);
    p = must_compile(pool, "<xsl:template match='/'><xsl:value-of select=\"document('other.xml')\"/></xsl:template>");
    assert_int_equal(p->own_docs.n, 0);
    free(p);
    apr_pool_destroy(pool);
}

/* ---- damage ---- */

static u64 seed = 0x9e3779b97f4a7c15ull;

static u32 any(u32 n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (u32)(seed >> 33) % n;
}

static void damage(void **state)
{
    static const char *const names[] = { "instructions.xsl", "variables.xsl", "functions.xsl", "literal.xsl",
                                         "copy.xsl", "forwards.xsl", "import.xsl" };
    static const char *const pieces[] = { "xsl:", "select='", "'", "\"", "name", "=", "<xsl:if test='a'>", "</xsl:if>",
                                          "<!--", "$v", "{", "}", "p:",
        "<xsl:variable name='v'/>", "/>", ">", "<", "xmlns:p='urn:x'", " version='2.0'",
        "<xsl:call-template name='n'/>", "key('k',1)", "[1]", "//" };
    (void)state;
    for (int round = 0; round < 3000; round++) {
        apr_pool_t *pool;
        apr_pool_create(&pool, root);
        size_t n;
        char *text = read_file(pool, apr_pstrcat(pool, SHEETS, names[any(sizeof names / sizeof *names)], NULL), &n);
        for (u32 k = any(3) + 1; k--; ) {
            u32 at = any((u32)n), take = any(4) ? 0 : any(30);
            const char *piece = any(2) ? pieces[any(sizeof pieces / sizeof *pieces)] : "";
            if (at + take > n)
                take = (u32)n - at;
            text = apr_pstrcat(pool, apr_pstrmemdup(pool, text, at), piece, text + at + take, NULL);
            n = strlen(text);
        }
        gx_program *program;
        gx_error err;
        gx_status status = compile(pool, text, n, NULL, &program, &err);
        if (status == GX_OK) {
            if (gx_program_check(program, program->size, &err) != GX_OK)
                fail_msg("a compiled program does not check out: %s\n%s", err.text, text);
            free(program);
        } else {
            assert_true(err.status == status && *err.text);
        }
        apr_pool_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings), cmocka_unit_test(sentences), cmocka_unit_test(dispatch),
            cmocka_unit_test(precedence),
        cmocka_unit_test(declarations), cmocka_unit_test(parameters), cmocka_unit_test(limits),
        cmocka_unit_test(own_documents), cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests_name("compile", tests, set_up, tear_down);
}
