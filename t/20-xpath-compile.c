/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 20-xpath-compile.c -- what XPath expressions and patterns compile to
 *
 * Tables of expression -> code as gx_explain_expr writes it, expression -> error, pattern -> steps; then random tokens
 * and bytes, which must end in a program that passes gx_program_check or in an error, and damaged programs, which must
 * never crash the check.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <apr_general.h>
#include <apr_strings.h>
#include "engine/program/builder.h"

/* The serialiser has nothing to prepare for a program without bodies. */
gx_status gx_serialize_prepare(const gx_program *program, void **out,
                               size_t *n) { (void)program; *n = 0; *out = NULL; return GX_OK; }

/* ---- surroundings: variables, names
 * ------------------------------------------------------------------------------------- */

static const char *namespace_uri(void *ctx, const char *prefix)
{
    static const char *const known[][2] = { { "p", "urn:p" }, { "exsl", "http://exslt.org/common" },
                                            { "e", "http://exslt.org/math" },
                                            { "xsl", "http://www.w3.org/1999/XSL/Transform" } };
    (void)ctx;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i][0], prefix))
            return known[i][1];
    return NULL;
}

/* $g $gs: globals, any and node-set; $l $ln $ls $lr $lo: locals, any, number, node-set, fragment, of a loop around */
static int variable(void *ctx, const char *uri, const char *local, gx_variable *out)
{
    static const struct { const char *name; gx_variable v; } known[] = {
        { "g", { 1, 0, 0, GX_T_ANY, 0, NULL } },  { "gs", { 1, 1, 0, GX_T_SET, 0, NULL } },
        { "l", { 0, 0, 0, GX_T_ANY, 0, NULL } },  { "ln", { 0, 1, 2, GX_T_NUM, 0, NULL } },
        { "ls", { 0, 2, 0, GX_T_SET, 0, NULL } }, { "lr", { 0, 3, 0, GX_T_RTF, 0, NULL } },
        { "lo", { 0, 4, 1, GX_T_SET, 1, NULL } } };
    (void)ctx;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!*uri && !strcmp(known[i].name, local)) {
            *out = known[i].v;
            return 1;
        }
    return 0;
}

static u32 key(void *ctx, const char *uri, const char *local) { (void)ctx; return !*uri
                                                                && !strcmp(local, "k") ? 0 : GX_NONE; }
static u32 format(void *ctx, const char *uri, const char *local) { (void)ctx; return !*uri
                                                                   && !strcmp(local, "d") ? 1 : GX_NONE; }
static int element(void *ctx, const char *uri, const char *local)
{
    (void)ctx;
    return strstr(uri, "XSL/Transform") && !strcmp(local, "if");
}

typedef struct bench { apr_pool_t *pool; gx_error err; gx_xpath_env env; } bench;

static void bench_open(bench *t)
{
    memset(t, 0, sizeof *t);
    apr_pool_create(&t->pool, NULL);
    gx_xpath_env *e = &t->env;
    e->b = gx_builder_create(t->pool, &t->err);
    gx_builder_vendor(e->b, NULL, NULL);
    e->file = "s.xsl";
    e->line = 3;
    e->column = 7;
    e->namespace_uri = namespace_uri;
    e->variable = variable;
    e->key = key;
    e->decimal_format = format;
    e->element_available = element;
    e->base_uri = "file:/s.xsl";
    e->nslist = gx_builder_nslist(e->b, NULL, 0);
    u32 name = gx_builder_qname(e->b, "", "k", "");
    gx_builder_push(e->b, &e->b->key_names, &name);
}

static void bench_close(bench *t) { apr_pool_destroy(t->pool); }

/* The least that makes the builder's content a whole program. */
static gx_program *bench_pack(bench *t)
{
    gx_builder *b = t->env.b;
    gx_program *p;
    gx_decimal_format f = { GX_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    gx_output out = { 0, 2, 2, 2, GX_NONE, GX_NONE, GX_NONE, GX_NONE, GX_NONE, 0, 0 };
    gx_mode mode = { GX_NONE, 0, 0, 0, 0, 0 };
    gx_body body = { .parent = GX_NONE, .template_name = GX_NONE, .empty = 1 };
    gx_range none = { 0, 0 };
    gx_global global = { gx_builder_qname(b, "", "g", ""), GX_NONE, GX_NONE, 0, 0, 0 };
    gx_builder_push(b, &b->decimal_formats, &f);
    gx_builder_push(b, &b->decimal_formats, &f);
    gx_builder_push(b, &b->output, &out);
    gx_builder_push(b, &b->bodies, &body);
    gx_builder_push(b, &b->modes, &mode);
    gx_builder_push(b, &b->globals, &global);
    gx_builder_push(b, &b->globals, &global);
    for (u32 i = 0; i < b->pnames.n + GX_N_KINDS; i++)
        gx_builder_push(b, &b->dispatch, &none);
    assert_int_equal(gx_builder_pack(b, &p), GX_OK);
    return p;
}

typedef struct text { char at[4096]; size_t n; } text;
static int append(void *ctx, const char *s, size_t n)
{
    text *t = ctx;
    if (n > sizeof t->at - 1 - t->n)
        n = sizeof t->at - 1 - t->n;
    memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = 0;
    return 0;
}

/* ---- expressions
 * ---------------------------------------------------------------------------------------------------------- */

static const struct { const char *xpath, *code; u32 want; } expressions[] = {
    /* axes, tests, order */
    { ".", "context", 0 },
    { "/", "root", 0 },
    { "a", "context child::a!", 0 },
    { "a/b/@c", "context child::a! child::b! attribute::c!", 0 },
    { "..", "context parent::node()!", 0 },
    { "../..", "context parent::node()! parent::node()!", 0 },
    { "a/..", "context child::a! parent::node()", 0 },
    { "p:a | p:*", "context child::{urn:p}a! context child::{urn:p}*! |", 0 },
    { "self::a", "context self::a!", 0 },
    { "a/self::node()/./b", "context child::a! child::b!", 0 },
    { "following::a", "context following::a!", 0 },
    { "following-sibling::*/b", "context following-sibling::*! child::b!", 0 },
    { "a/following-sibling::b", "context child::a! following-sibling::b", 0 },
    { "preceding::a/@x", "context preceding::a! attribute::x!", 0 },
    { "ancestor-or-self::a/b", "context ancestor-or-self::a! each( child::b )", 0 },
    { "@x/..", "context attribute::x! parent::node()!", 0 },
    { "@*/..", "context attribute::*! parent::node()", 0 },
    { "namespace::p", "context namespace::p!", 0 },
    { "namespace::p:p", "context namespace::never()!", 0 },
    { "comment() | text()", "context child::comment()! context child::text()! |", 0 },
    { "processing-instruction()", "context child::processing-instruction()!", 0 },
    { "processing-instruction ( 'x' )", "context child::processing-instruction:x!", 0 },
    { "@text()", "context attribute::never()!", 0 },
    { "attribute::node()", "context attribute::node()!", 0 },
    { "descendant::text()/ancestor::a", "context descendant::text()! ancestor::a", 0 },
    /* rewriting of // */
    { ".//x", "context descendant::x!", 0 },
    { "a//b", "context child::a! descendant::b!", 0 },
    { "a//b//c", "context child::a! descendant::b! descendant::c", 0 },
    { ".//x[@y]", "context twig(//x[@y]: descendant::x![ { context attribute::y? boolean } ] )", 0 },
    { ".//x[1]", "context descendant::x! parent::node() each( child::x(1)[ nth(1) ] )", 0 },
    { ".//x[$l]", "context descendant::x! parent::node() child::x[ var(0,0) at ]", 0 },
    { ".//x[position() mod 2]", "context descendant::x! parent::node() each( child::x[ { position 2 mod } ] )", 0 },
    { ".//@x", "context descendant-or-self::*! attribute::x!", 0 },
    { ".//.", "context descendant-or-self::node()!", 0 },
    { ".//self::a", "context descendant-or-self::a!", 0 },
    { ".//descendant::a", "context descendant::a!", 0 },
    { ".//..", "context descendant-or-self::node()! parent::node()", 0 },
    /* predicates */
    { "a[1]", "context child::a!(1)[ nth(1) ]", 0 },
    { "a[last()]", "context child::a![ nth(last) ]", 0 },
    { "a[position() = 2]", "context child::a!(2)[ nth(2) ]", 0 },
    { "a[2 = position()]", "context child::a!(2)[ nth(2) ]", 0 },
    { "a[position() = last()]", "context child::a![ nth(last) ]", 0 },
    { "a[position() < 4]", "context child::a!(3)[ nth(1..3) ]", 0 },
    { "a[20 >= position()]", "context child::a!(32)[ nth(1..20) ]", 0 },
    { "a[position() > 1.5 and position() <= 4]", "context child::a!(4)[ nth(2..4) ]", 0 },
    { "a[position() != 1][b]", "context child::a![ nth(2..) { context child::b? boolean } ]", 0 },
    { "a[position() != 2]", "context child::a![ { position 2 != } ]", 0 },
    { "a[position() < 1]", "context child::a! 1 1 between", 0 },
    { "a[position() > 3 and position() < 3]", "context child::a! 3 3 between", 0 },
    { "a[1][b]", "context child::a!(1)[ nth(1) { context child::b? boolean } ]", 0 },
    { "a[0]", "context child::a![ { 0 } ]", 0 },
    { "a[1.5]", "context child::a![ { 1.5 } ]", 0 },
    { "a[1]/b/..", "context child::a!(1)[ nth(1) ] child::b! parent::node()", 0 },
    { "a[1]/../following::b", "context child::a!(1)[ nth(1) ] parent::node()! following::b!", 0 },
    { "a[last() - 1]", "context child::a![ { last 1 - } ]", 0 },
    { "a[count(b)]", "context child::a![ { context count(child::b) } ]", 0 },
    { "a['x']", "context child::a!", 0 },
    { "a['']", "context child::a![ { false } ]", 0 },
    { "ancestor::a[2]", "context ancestor::a!(2)[ nth(2) ]", 0 },
    { "ancestor::a[b]", "context ancestor::a! filter[ { context child::b? boolean } ]", 0 },
    { "a/following::b[c]", "parts( context child::a! following::b filter[ { context child::c? boolean } ] )", 0 },
    { "(a | b)[1]/c", "context child::a! context child::b! | filter[ nth(1) ] child::c!", 0 },
    { "$ls[2]", "var(0,2) 2 at", 0 },
    { "$l[@x]/y", "parts( var(0,0) set each( filter[ { context attribute::x? boolean } ] child::y ) )", 0 },
    { "$lr/a", "var(0,3) set each( child::a )", 0 },
    { "a[b[c]]", "context twig(a[b/c]: child::a![ { context child::b![ { context child::c? boolean } ] boolean } ] )",
      0 },
    /* lifting */
    { "//x", "once( root descendant::x! )", 0 },
    { "/a/b", "once( root twig(a/b: child::a! child::b! ) )", 0 },
    { "(//a)[3]", "once( root descendant::a! filter[ nth(3) ] )", 0 },
    { "count(//a) + $ln", "once( root count(descendant::a) ) var(2,1) +", 0 },
    { "$gs/a", "once( global(1) child::a )", 0 },
    { "$g", "global(0)", 0 },
    { "$g + 1", "global(0) number 1 +", 0 },
    { "id('x')//b", "once( 'x' id/1 descendant::b )", 0 },
    { "key('k', @r)", "0 context attribute::r! key/2", 0 },
    { "key('k', 'v')/x", "once( 0 'v' key/2 child::x )", 0 },
    { "a[@x = //b/@y]", "context child::a![ { context attribute::x! once( root twig(//b/@y: descendant::b! "
                        "attribute::y! ) ) = } ]", 0 },
    { "//a[@x = //b/@y]",
      "once( root descendant::a![ { context attribute::x! once( root twig(//b/@y: descendant::b! attribute::y! ) ) "
      "= } ] )", 0 },
    { "a[@x = current()/@y]",
      "context domain( context child::a![ { context attribute::x! outer( current attribute::y! ) = } ] )", 0 },
    { "current()/@y", "context attribute::y!", 0 },
    { "a[. = $l]", "context child::a![ { context var(0,0) = } ]", 0 },
    { "a[. = concat($l, 'x')]", "context child::a![ { context outer( var(0,0) string 'x' concat/2 ) = } ]", 0 },
    { "a[position() = $ln + 1]", "context child::a! var(2,1) 1 + at", 0 },
    { "a[position() > $ln and position() <= $l]", "context child::a! var(2,1) var(0,0) between", 0 },
    { "preceding::a[$ln > position()]", "parts( context preceding::a![ 1 var(2,1) between ] )", 0 },
    { "$ls[@a > $ln and @b <= $ln]", "parts( var(0,2) var(2,1) var(2,1) join( context attribute::a! context "
                                     "attribute::b! > <= ) )", 0 },
    { "a[$ls/x = /y]", "context child::a![ { outer( 1 once( root child::y! ) var(0,2) 1 axis(key)[1]/4 boolean ) } ]",
      0 },
    { "a[b[. = $ls/x]]", "context child::a![ { context child::b![ { 1 context var(0,2) 1 axis(key)[1]/4 boolean } ] "
                         "boolean } ]", 0 },
    { "string-length($l) > 0", "var(0,0) string boolean", 0 },
    { "1 > string-length(.)", "context string boolean not/1", 0 },
    { "string-length(.) > 1", "context string string-length/1 1 >", 0 },
    { "a[string-length(@x)]", "context child::a![ { context attribute::x! string string-length/1 } ]", 0 },
    { "count(../b) + sum(../b/@x)",
      "siblings( context parent::node()! count(child::b) parts( context parent::node()! child::b! attribute::x! "
      "sum/1 ) + )", 0 },
    { "../@x = @x", "context parent::node()! attribute::x! context attribute::x! =", 0 },
    { "../b[@x = current()/@x][$ln]", "parts( 1 current attribute::x! context parent::node()! 1 axis(key)/4 "
                                      "var(2,1) at )", 0 },
    { "../../b[last()]", "siblings( parts( context parent::node()! parent::node()! child::b![ nth(last) ] ) )", 0 },
    { "a[../b[1]/@x = @x]", "context child::a![ { siblings( context parent::node()! child::b!(1)[ nth(1) ] "
                            "attribute::x! ) context attribute::x! = } ]", 0 },
    { "count(ancestor::a/b | ../b)", "parts( context ancestor::a! each( child::b ) siblings( context parent::node()! "
                                     "child::b! ) | count/1 )", 0 },
    { "//a[$ln]", "var(2,1) domain( parts( once( root descendant::a! parent::node() ) child::a[ var(2,1) at ] ) )", 0 },
    { "$ls[@x][$ln][1]",
      "var(0,2) var(2,1) domain( parts( var(0,2) filter[ { context attribute::x? boolean } var(2,1) at nth(1) ] ) )",
      0 },
    { "../a[count(current()/b)]",
      "parts( siblings( context parent::node()! child::a! ) current count(child::b) at )", 0 },
    { "a[$l]", "context child::a! var(0,0) at", 0 },
    { "a[last() - $ln]", "context child::a![ { last var(2,1) - } ]", 0 },
    { "a[b[$ln]]", "context child::a![ { context child::b! var(2,1) at boolean } ]", 0 },
    { "preceding::a[$ln = position()]", "parts( context preceding::a![ var(2,1) at ] )", 0 },
    { "(ancestor::a | preceding::b)[last()]/@x", "context ancestor::a!(1)[ nth(1) ] context preceding::b!(1)[ nth(1) ] "
                                                 "| filter[ nth(last) ] attribute::x!", 0 },
    { "a[$ls[@x = $l]]",
      "context child::a![ { outer( var(0,2) var(0,0) join( context attribute::x! = )count boolean ) } ]", 0 },
    { "$ls[@x > $ln][1]", "var(0,2) var(2,1) join( context attribute::x! > )first(1)", 0 },
    { "$ls[c][$ln = @x or d][@k >= $l]", "parts( var(0,2) each( filter[ { context child::c? boolean } ] ) var(2,1) "
                                         "join( context attribute::x! = ) choice( filter[ { context attribute::k! "
                                         "var(0,0) >= } ] else var(0,0) join( context attribute::k! >= ) ) var(0,2) "
                                         "each( filter[ { context child::c? boolean } { context child::d? boolean } ] "
                                         ") var(0,0) join( context attribute::k! >= ) | )", 0 },
    { "$ls[position() < 3][@k = $l]",
      "parts( var(0,2) each( filter[ nth(1..2) ] ) var(0,0) join( context attribute::k! = ) )", 0 },
    { "count(//b[@k = current()/@y + 1])", "once( root descendant::b! ) current attribute::y! number 1 + join( context "
                                           "attribute::k! = )count", 0 },
    { "//b[@k != $l]", "parts( once( root descendant::b! ) var(0,0) join( context attribute::k! != ) )", 0 },
    { "//b[@k < 2]", "once( root descendant::b![ { context attribute::k! 2 < } ] )", 0 },
    { "//b[3 < @k]/c[@m = $ln]", "parts( once( root descendant::b![ { 3 context attribute::k! < } ] child::c ) "
                                 "var(2,1) join( context attribute::m! = ) )", 0 },
    { "//b[@k >= $ln][2]",
      "parts( once( root descendant::b! ) var(2,1) join( context attribute::k! >= )first(2)of-each each[ "
      "nth(2) ] )", 0 },
    /* joins; key 0 is the surroundings' own */
    { "//b[@k = $ls]", "1 var(0,2) key/2", 0 },
    { "//b[current()/@y = @k]/c", "1 current attribute::y! key/2 each( child::c )", 0 },
    { "/a/b[@k = $lr]", "1 var(0,3) string key/2", 0 },
    { "/a/b[@k = $ls][c]", "parts( 1 var(0,2) key/2 each( filter[ { context child::c? boolean } ] ) )", 0 },
    { "//b[c][string(@k) = $ls] | //b[string(@k) = current()]",
      "parts( 1 var(0,2) key/2 each( filter[ { context child::c? boolean } ] ) 1 current key/2 | )", 0 },
    { "count(//a[b[@k = current()/@y][@v]])",
      "parts( 1 current attribute::y! key/2 each( filter[ { context attribute::v? boolean } ] ) count(parent::node()) "
      ")", 0 },
    { "count(//b[@k = current()/@y]/preceding-sibling::b)",
      "parts( 1 current attribute::y! key/2 count(preceding-sibling::b) )", 0 },
    { "a[//b[@k = current()/@y]]",
      "context domain( context child::a![ { outer( 1 current attribute::y! key[1]/2 boolean ) } ] )", 0 },
    { "a[@x = //b[@k > $ln]/@m]", "context child::a![ { context attribute::x! outer( once( root descendant::b! ) "
                                  "var(2,1) join( context attribute::k! > )unordered attribute::m! ) = } ]", 0 },
    { "generate-id(//b[@k = $ls][1])", "1 var(0,2) key[1]/2 generate-id/1", 0 },
    { "string(//b[@k = $ls][1])", "1 var(0,2) key[1]/2 string", 0 },
    { "name(//b[c][1])", "once( root twig(//b[c]: descendant::b![ { context child::c? boolean } ] ) name/1 )", 0 },
    { "string(//b[2][1])", "once( root descendant::b! parent::node() child::b(2)[ nth(2) nth(1) ] string )", 0 },
    /* ... on an axis that many rows' nodes share: following 6, following-sibling 7, preceding 11, preceding-sibling
     * 12, child 1 */
    { "following-sibling::b[@k = $ls][1]", "1 var(0,2) context 7 axis(key)[1]/4", 0 },
    { "preceding::*[current()/@y = @k][1][c]", "1 current attribute::y! context 11 axis(key)[1]/4 filter[ { context "
                                               "child::c? boolean } ]", 0 },
    { "following::b[c][@k = $ls][2]", "parts( 1 var(0,2) context 6 axis(key)/4 filter[ { context child::c? boolean } "
                                      "nth(2) ] )", 0 },
    { "following-sibling::b[@k = $ls and @m]", "parts( 1 var(0,2) context 7 axis(key)/4 filter[ { context "
                                               "attribute::m? boolean } ] )", 0 },
    { "preceding-sibling::b[@k = $ls][2]", "parts( 1 var(0,2) context 12 axis(key)/4 2 from-end )", 0 },
    { "not(preceding-sibling::b[@k = $ls])", "1 var(0,2) context 12 axis(key)[1]/4 boolean not/1", 0 },
    { "string(following::b[@k = $ls])", "1 var(0,2) context 6 axis(key)[1]/4 string", 0 },
    { "string(preceding::b[@k = $ls])", "parts( 1 var(0,2) context 11 axis(key)/4 string )", 0 },
    { "../b[@k = 'x']", "1 'x' context parent::node()! 1 axis(key)/4", 0 },
    { "b[@k = $ls]", "context child::b![ { context attribute::k! var(0,2) = } ]", 0 },
    { "preceding-sibling::b[@k = $l]", "parts( context preceding-sibling::b! filter[ { context attribute::k! var(0,0) "
                                       "= } ] )", 0 },
    { "$ls/b[@k = current()/@k]", "parts( var(0,2) choice( 1 current attribute::k! var(0,2) 1 axis(key)/4 else "
                                  "var(0,2) each( child::b ) current attribute::k! join( context attribute::k! = ) ) )",
                                      0 },
    { "$gs/a//b[@k = current()/@k]", "parts( once( global(1) child::a ) choice( 1 current attribute::k! once( "
                                     "global(1) child::a ) 2 axis(key)/4 else once( global(1) twig(a//b: child::a "
                                     "descendant::b ) ) current attribute::k! join( context attribute::k! = ) ) )", 0 },
    { "string(document('d')/a/b[@k = $ls])", "1 var(0,2) once( 'd' 'file:/s.xsl' host:document/2 child::a ) 1 "
                                             "axis(key)[1]/4 string", 0 },
    { "preceding-sibling::b/@k = @k", "1 context attribute::k! context 12 axis(key)[1]/4 boolean", 0 },
    { "@k != preceding-sibling::b/@k", "parts( context attribute::k! siblings( context parent::node()! child::b! "
                                       "attribute::k! ) context preceding-sibling axis-range/3 != )", 0 },
    { "a[not(@k = following::a/c/@k)]", "context child::a![ { 1 context attribute::k! context 6 axis(key)[1]/4 boolean "
                                        "not/1 } ]", 0 },
    { ". = preceding::b", "1 context context 11 axis(key)[1]/4 boolean", 0 },
    { "position() = preceding-sibling::b/@k", "parts( position siblings( context parent::node()! child::b! "
                                              "attribute::k! ) context preceding-sibling axis-range/3 = )", 0 },
    /* a part of what siblings share: following-sibling 7, preceding-sibling 12 */
    { "sum(preceding-sibling::b/@k)", "parts( siblings( context parent::node()! child::b! attribute::k! ) context "
                                      "preceding-sibling axis-range/3 sum/1 )", 0 },
    { "@k < preceding-sibling::b/@k", "parts( context attribute::k! siblings( context parent::node()! child::b! "
                                      "attribute::k! ) context preceding-sibling axis-range/3 < )", 0 },
    { "count(following-sibling::*[@k > /a]//c)", "parts( siblings( context parent::node()! child::*![ { context "
                                                 "attribute::k! once( root child::a! ) > } ] "
      "descendant::c! ) context following-sibling axis-range/3 count/1 )", 0 },
    { "count(preceding-sibling::b)", "context count(preceding-sibling::b)", 0 },
    { "sum(preceding-sibling::b[2])", "context preceding-sibling::b!(2)[ nth(2) ] sum/1", 0 },
    { "sum(preceding-sibling::b/..)", "parts( context preceding-sibling::b! parent::node() sum/1 )", 0 },
    { "sum(preceding-sibling::b[@k > $ln])", "parts( context preceding-sibling::b! filter[ { context attribute::k! "
                                             "var(2,1) > } ] sum/1 )", 0 },
    /* sets that share no node */
    { "count(preceding::b | ancestor::b)", "context count(preceding::b) context count(ancestor::b) +", 0 },
    { "count(*[@x] | ancestor-or-self::b)", "context twig(*[@x]: child::*![ { context attribute::x? boolean } ] ) "
                                            "context ancestor-or-self::b! | count/1", 0 },
    { "count(ancestor::b | following::b/c | .//b)", "context count(ancestor::b) parts( context following::b! "
                                                    "count(child::c) ) + context count(descendant::b) +", 0 },
    { "count(ancestor::b/c | preceding::c)", "parts( context ancestor::b! each( child::c ) context preceding::c! | "
                                             "count/1 )", 0 },
    { "sum(@k | preceding-sibling::b/@k)", "context attribute::k! sum/1 parts( siblings( context parent::node()! "
                                           "child::b! attribute::k! ) context preceding-sibling axis-range/3 sum/1 ) +",
                                               0 },
    { "sum(b | preceding-sibling::b)", "parts( context child::b! context preceding-sibling::b! | sum/1 )", 0 },
    /* the first that meets conditions */
    { "preceding-sibling::*[self::a or self::b][1]",
      "context rounds( context preceding-sibling::*![ { context self::a? boolean context self::b? boolean or } "
      "nth(1) ) ]", 0 },
    { "following::b[c][@k > $ln][1][2]/c",
      "context rounds( context following::b![ { context child::c? boolean } { context attribute::k! var(2,1) > } "
      "nth(1) ) nth(2) ] child::c!", 0 },
    { "not(../b[@k > $ln])", "siblings( context parent::node()! child::b! ) var(2,1) join( context attribute::k! > "
                             ")count boolean not/1", 0 },
    { "string(following-sibling::b[c])", "context rounds( context following-sibling::b![ { context child::c? boolean } "
                                         "nth(1) ) ] string", 0 },
    { "string(preceding-sibling::b[c])", "parts( context preceding-sibling::b! filter[ { context child::c? boolean } ] "
                                         "string )", 0 },
    { "following::b[/c][1]", "parts( context following::b![ { once( root child::c? boolean ) } nth(1) ] )", 0 },
    { "b[c][1]", "context child::b![ { context child::c? boolean } nth(1) ]", 0 },
    /* what stands before the first separator */
    { "substring-before(concat(., ' '), ' ')", "context string ' ' substring-before(concat)/2", 0 },
    { "substring-before(concat(a, b, $l), $l)", "context child::a!(1) string context child::b!(1) string concat/2 "
                                                "var(0,0) string substring-before(concat)/2", 0 },
    { "substring-before(concat(., ' '), ',')", "context string ' ' concat/2 ',' substring-before/2", 0 },
    { "substring-before(concat(., @x), @x)", "context string context attribute::x! string concat/2 context "
                                             "attribute::x! string substring-before/2", 0 },
    /* is the node in the set? */
    { "count(.|$ls) = count($ls)", "context var(0,2) sets:has-same-node/2", 0 },
    { "count($ls|.) != count($ls)", "context var(0,2) sets:has-same-node/2 not/1", 0 },
    { "count($l) = count($l|current())", "context var(0,0) set sets:has-same-node/2", 0 },
    { "count($ls) < count(.|$ls)", "context var(0,2) sets:has-same-node/2 not/1", 0 },
    { "count(.|a) <= count(a)", "context context child::a! sets:has-same-node/2", 0 },
    { "count(a|.|$ls) = count(a|$ls)", "context context child::a! var(0,2) | sets:has-same-node/2", 0 },
    { "count(.|key('k', @a)) = count(key('k', @a))", "parts( context 0 context attribute::a! key/2 "
                                                     "sets:has-same-node/2 )", 0 },
    { "a[count(.|current()/b)=count(current()/b)]", "context child::a![ { context outer( current child::b! ) "
                                                    "sets:has-same-node/2 } ]", 0 },
    { "generate-id() = generate-id(key('k', @a)[1])",
      "context 0 context attribute::a! key[1]/2 sets:has-same-node/2", 0 },
    { "count(.|$ls) = count($gs)",
      "var(0,2) count/1 1 + context var(0,2) sets:has-same-node/2 number - once( global(1) count/1 ) =", 0 },
    { "count(.|$ls) = $ls", "var(0,2) count/1 1 + context var(0,2) sets:has-same-node/2 number - var(0,2) =", 0 },
    { "count(.|a) = a", "context context child::a! | count/1 context child::a! =", 0 },
    { "count(.|$ls) >= count($ls)",
      "var(0,2) count/1 1 + context var(0,2) sets:has-same-node/2 number - var(0,2) count/1 >=", 0 },
    { "count(..|$ls) = count($ls)",
      "var(0,2) count/1 context count(parent::node()) + context parent::node()! var(0,2) sets:has-same-node/2 "
      "number - var(0,2) count/1 =", 0 },
    { "generate-id(.) = generate-id($ls)", "context generate-id/1 var(0,2) generate-id/1 =", 0 },
    { "count(//b[@k = $ls][1])", "parts( 1 var(0,2) key/2 each( each[ nth(1) ] ) count/1 )", 0 },
    { "/a/b[@k = $l]", "parts( once( root twig(a/b: child::a! child::b! ) ) var(0,0) join( context attribute::k! = ) )",
      0 },
    { "/a/b[@k = $ls][1]", "parts( 1 var(0,2) key/2 each( each[ nth(1) ] ) )", 0 },
    /* quotients of both: the factor's kind and comparison in one number */
    { "count(//b[@v div $ln > 2])",
      "once( root descendant::b! ) var(2,1) 2 12 least-factor/3 var(2,1) 2 12 greatest-factor/3 join( "
      "context attribute::v! number context attribute::v! number >= <= )count", 0 },
    { "count(//b[$ln div @v != 2])",
      "once( root count(descendant::b) ) once( root descendant::b! ) var(2,1) 2 16 least-factor/3 var(2,1) "
      "2 16 greatest-factor/3 join( context attribute::v! number reciprocal-place/1 context attribute::v! "
      "number reciprocal-place/1 >= <= )count -", 0 },
    /* sides that ask node and row: brought apart, exactly where an operator stands around them with literals */
    { "count(//b[(@v - $ln) * 2 > 100])",
      "once( root descendant::b! ) 0 var(2,1) - 50.00000000000001 0 least-addend/3 join( context attribute::v! "
      "number >= )count", 0 },
    { "count(//b[(@v + $ln) * (@v + $ln) < 9])",
      "once( root descendant::b! ) 0 0 var(2,1) - -2.9999999999999996 0 least-addend/3 - var(2,1) "
      "-2.9999999999999996 0 least-addend/3 join( context attribute::v! number context attribute::v! number <= >= "
      ")count", 0 },
    { "count(//b[@v + $ln = @w + $ln])",
      "0 var(2,1) - var(2,1) + 0 var(2,1) math:abs/1 + var(2,1) math:abs/1 + 0 sum-end/3 0 var(2,1) - var(2,1) + "
      "0 var(2,1) math:abs/1 + var(2,1) math:abs/1 + 1 sum-end/3 var(2,1) domain( parts( once( root "
      "descendant::b! ) 0 var(2,1) - var(2,1) + 0 var(2,1) math:abs/1 + var(2,1) math:abs/1 + 0 sum-end/3 0 "
      "var(2,1) - var(2,1) + 0 var(2,1) math:abs/1 + var(2,1) math:abs/1 + 1 sum-end/3 join( 0 context "
      "attribute::v! number + context attribute::w! number - 0 context attribute::v! number math:abs/1 + context "
      "attribute::w! number math:abs/1 + 1 sum-end/3 0 context attribute::v! number + context attribute::w! "
      "number - 0 context attribute::v! number math:abs/1 + context attribute::w! number math:abs/1 + 0 sum-end/3 "
      ">= <= ) filter[ { context attribute::v! number var(2,1) + context attribute::w! number var(2,1) + = } ] "
      "count/1 ) )", 0 },
    { "count(//b[concat(@k, $l) = concat($l, @k)])",
      "parts( once( root descendant::b! ) 0 var(0,0) string letters/1 - var(0,0) string letters/1 + join( 0 "
      "context attribute::k! string letters/1 + context attribute::k! string letters/1 - = ) filter[ { context "
      "attribute::k! string outer( var(0,0) string ) concat/2 outer( var(0,0) string ) context attribute::k! "
      "string concat/2 = } ] count/1 )", 0 },
    /* the children of a context node that other rows of the loop around have, too: made once for each */
    { "count(b[@k = $lo/@k])",
      "context domain( context child::b! ) var(1,4) attribute::k! join( context attribute::k! = )count", 0 },
    { "b[@v > $lo/@v][1]",
      "context domain( context child::b! ) var(1,4) attribute::v! join( context attribute::v! > )first(1)", 0 },
    { "b[@v > $ls/@v][1]",
      "context child::b![ { parts( context attribute::v! outer( var(0,2) attribute::v! ) > ) } nth(1) ]", 0 },
    /* of two look-ups along an axis the nearer one; what differs between rows is looked up, not what is the same */
    { "preceding::b[@k = $ls or @j = $ls][1]",
      "parts( 1 var(0,2) context 11 axis(key)[1]/4 2 var(0,2) context 11 axis(key)[1]/4 | filter[ nth(last) ] )", 0 },
    { "preceding::b[@k = 'x'][@j = $ls]",
      "parts( 1 var(0,2) context 11 axis(key)/4 filter[ { context attribute::k! 'x' = } ] )", 0 },
    /* parts of what an order finds need no parts of rows, nor an order */
    { "count(//b[@v > $ln]/c[. = $ls])",
      "parts( 1 var(0,2) key/2 choice( filter[ { context parent::node()! attribute::v! var(2,1) > } ] count/1 "
      "else var(2,1) join( context parent::node()! attribute::v! > )count ) )", 0 },
    { "sum(//b[@v > $ln]/c/@w)",
      "once( root descendant::b! ) var(2,1) join( context attribute::v! > )unordered each( child::c! ) "
      "attribute::w! sum-unordered/1", 0 },
    /* the nodes of a set that are, or are not, in another; unions counted by their parts */
    { "count(//b[count(. | current()) = 2])",
      "once( root descendant::b! ) current generate-id/1 join( context generate-id/1 != )count", 0 },
    { "/a/b[count(. | $ls) = count($ls)]",
      "once( root twig(a/b: child::a! child::b! ) ) var(0,2) sets:intersection/2", 0 },
    { "count(//b[count(. | $ls) != count($ls)])",
      "once( root count(descendant::b) ) once( root descendant::b! ) var(0,2) sets:intersection/2 count/1 -", 0 },
    { "count($ls | .)", "var(0,2) count/1 1 + context var(0,2) sets:has-same-node/2 number -", 0 },
    { "count(a | //b)",
      "once( root count(descendant::b) ) context count(child::a) + context child::a! once( root descendant::b! "
      ") sets:intersection/2 count/1 -", 0 },
    /* what is before, by the same value for all; the second; one from the end */
    { "sum(preceding::b[@k = 'x'][@v > 5]/@v)",
      "parts( once( root descendant::b![ { context attribute::k! 'x' = } { context attribute::v! 5 > } ] "
      "attribute::v! ) context preceding axis-range/3 sum/1 )", 0 },
    { "preceding::b[@v > $ln][2]/@k",
      "context rounds( nth(2) context preceding::b![ { context attribute::v! var(2,1) > } ) ] attribute::k!", 0 },
    { "preceding::b[@k = $ln][2]/@k",
      "context rounds( nth(2) context preceding::b![ { context attribute::k! var(2,1) = } ) ] attribute::k!", 0 },
    /* what stands beside a node finds it; strings of both sides; few of a union; what rows share stays where it is */
    { "//b[following-sibling::c/@k = $ln]/@id",
      "parts( once( root descendant::c! ) var(2,1) join( context attribute::k! = ) preceding-sibling::b "
      "attribute::id! )", 0 },
    { "../b[preceding-sibling::b[@k = $l]]",
      "parts( context parent::node()! child::b![ { context rounds( context preceding-sibling::b![ { context "
      "attribute::k! var(0,0) = } nth(1) ) ] boolean } ] )", 0 },
    { "boolean(//b[following::b/@k = $ln])",
      "parts( once( root descendant::b! ) var(2,1) join( context attribute::k! = ) each( filter[ nth(last) ] ) "
      "preceding::b? boolean )", 0 },
    { "count(//b[not(preceding::c/@v > $ln)])",
      "once( root count(descendant::b) ) once( root descendant::b! ) var(2,1) join( once( root twig(//c/@v: "
      "descendant::c! attribute::v! ) ) context preceding axis-range/3 > )count -", 0 },
    { "//b[concat($ln, '-', @k) = $ln]",
      "var(2,1) string var(2,1) domain( parts( root descendant::b![ { outer( var(2,1) string ) '-' context "
      "attribute::k! string concat/3 var(2,1) = } ] ) )", 0 },
    { "//b[concat(@k, '-', $ln) = 'k-1']",
      "parts( 1 'k-1' once( '' string-length/1 1 + ) once( 'k-1' string-length/1 '' string-length/1 - ) '-' "
      "var(2,1) string concat/2 string-length/1 - substring/3 key/2 'k-1' '' 'k-1' once( '' string-length/1 1 "
      "+ ) once( 'k-1' string-length/1 '' string-length/1 - ) '-' var(2,1) string concat/2 string-length/1 - "
      "substring/3 '-' var(2,1) string concat/2 concat/3 = at )", 0 },
    { "$gs[@k = $ln or @v > $ln][3]",
      "parts( global(1) var(2,1) join( context attribute::k! = ) global(1) var(2,1) join( context "
      "attribute::v! > )first(3) | filter[ nth(3) ] )", 0 },
    { "$ls[last()]", "var(0,2) 1 from-end", 0 },
    { "b[@k = current()/c/@k]",
      "context domain( context child::b![ { context attribute::k! outer( current child::c! attribute::k! ) = } "
      "] )", 0 },
    { "preceding::b[@v > $ln][position() < 3]",
      "context rounds( context preceding::b![ { context attribute::v! var(2,1) > } nth(1) ) ] context rounds( "
      "nth(2) context preceding::b![ { context attribute::v! var(2,1) > } ) ] |", 0 },
    /* positions of each parent: the ends of what an order finds */
    { "count(//b[@v > $ln][last()])",
      "parts( once( root descendant::b! ) var(2,1) join( context attribute::v! > )last(1)of-each each[ "
      "nth(last) ] count/1 )", 0 },
    { "//c/b[@v > $ln][position() < 3]/@k",
      "parts( once( root twig(//c/b: descendant::c! child::b ) ) var(2,1) join( context attribute::v! > "
      ")first(2)of-each each[ nth(1..2) ] attribute::k! )", 0 },
    { "/a/b[@k = 'x']", "once( root twig(a/b: child::a! child::b! ) filter[ { context attribute::k! 'x' = } ] )", 0 },
    { "document('d')/a", "once( 'd' 'file:/s.xsl' host:document/2 child::a )", 0 },
    { "document(@href, /)", "context attribute::href! 'file:/s.xsl' root host:document/3", 0 },
    /* operators, numbers, folding */
    { "1 + 2 * 3", "7", 0 },
    { "- 1 - -1", "0", 0 },
    { "--a", "context child::a!(1) number", 0 },
    { "-a|b", "context child::a!(1) context child::b!(1) | number neg", 0 },
    { ".5 + 5.", "5.5", 0 },
    { "0.1 + 0.2", "0.30000000000000004", 0 },
    { "123456789012345678901234567890", "123456789012345680000000000000", 0 },
    { "1.5e2 + 1E-1", "150.1", 0 },
    { "1e", NULL, 0 },
    { "'1' + ' -2.50 '", "-1.5", 0 },
    { "'1e3' + 1", "NaN", 0 },
    { "7 mod 2", "7 2 mod", 0 },
    { "* * *", "context child::*!(1) number context child::*!(1) number *", 0 },
    { "div div div", "context child::div!(1) number context child::div!(1) number div", 0 },
    { "or or and and mod", "context child::or? boolean context child::and? boolean context child::mod? boolean and or",
      0 },
    { "a-b", "context child::a-b!", 0 },
    { "a -b", "context child::a!(1) number context child::b!(1) number -", 0 },
    { "a < b = c", "context child::a! context child::b! < context child::c! =", 0 },
    { "a or b = 1 and c", "context child::a? boolean context child::b! 1 = context child::c? boolean and or", 0 },
    { "true() or a", "true", 0 },
    { "false() and a", "false", 0 },
    { "true() and a", "context child::a? boolean", 0 },
    { "self", "context child::self!", 0 },
    { "node/text/comment", "context child::node! child::text! child::comment!", 0 },
    { "child :: a [ 1 ]", "context child::a!(1)[ nth(1) ]", 0 },
    { "/ * 2", NULL, 0 },
    { "\"it's\"", "'it's'", 0 },
    /* functions */
    { "string()", "context string", 0 },
    { "string-length()", "context string string-length/1", 0 },
    { "name()", "context name/1", 0 },
    { "number()", "context number", 0 },
    { "not(a)", "context child::a? boolean not/1", 0 },
    { "not(false())", "true", 0 },
    { "boolean('x')", "true", 0 },
    { "concat(a, 1, true())", "context child::a!(1) string 1 string 'true' concat/3", 0 },
    { "substring(a, '2')", "context child::a!(1) string 2 substring/2", 0 },
    { "sum($l)", "var(0,0) set sum/1", 0 },
    { "lang('en')", "'en' lang/1", 0 },
    { "position() = last()", "position last =", 0 },
    { "format-number(a, '#')", "context child::a!(1) number '#' 0 format-number/3", 0 },
    { "format-number(a, '#', 'd')", "context child::a!(1) number '#' 1 format-number/3", 0 },
    { "format-number(a, '#', @f)",
      "context child::a!(1) number '#' context attribute::f! string 0 format-number/4", 0 },
    { "key(@n, 'v')", "context attribute::n! string 'v' 0 key/3", 0 },
    { "key('none', 'v')", "context child::never()!", 0 },
    { "generate-id()", "context generate-id/1", 0 },
    { "system-property('xsl:version')", "1", 0 },
    { "system-property('xsl:vendor')", "'gpuxml'", 0 },
    { "system-property('p:x')", "''", 0 },
    { "system-property(@p)", "context attribute::p! string 0 host:system-property/2", 0 },
    { "element-available('xsl:if')", "true", 0 },
    { "element-available('p:if')", "false", 0 },
    { "function-available('concat')", "true", 0 },
    { "function-available('exsl:node-set')", "true", 0 },
    { "function-available('e:least')", "false", 0 },
    { "function-available('e:least') and e:least(a)", "false", 0 },
    { "e:min(a)", "context child::a! math:min/1", 0 },
    { "e:least(a)", "'not supported: function e:least (http://exslt.org/math)' error/1", 0 },
    { "exsl:node-set($lr)/a", "var(0,3) host:common:node-set/1 child::a!", 0 },
    { "exsl:object-type($l)", "var(0,0) common:object-type/1", 0 },
    { "unparsed-entity-uri(@e)", "context attribute::e! string unparsed-entity-uri/1", 0 },
    /* what is wanted */
    { "a", "context child::a!(1) string", GX_T_STR },
    { "a", "context child::a? boolean", GX_T_BOOL },
    { "'x'", "NaN", GX_T_NUM },
    { "//a", "once( root descendant::a? boolean )", GX_T_BOOL },
    { "$l", "var(0,0) set", GX_T_SET },
};

static void compiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        bench t;
        u32 expr;
        text code = { "", 0 };
        bench_open(&t);
        gx_status status = gx_xpath_compile(&t.env, expressions[i].xpath, expressions[i].want, &expr);
        if (expressions[i].code && status)
            fail_msg("%s: %s", expressions[i].xpath, t.err.text);
        if (!expressions[i].code) {
            assert_int_equal(status, GX_ESTYLE);
        } else {
            gx_program *p = bench_pack(&t);
            gx_explain_expr(p, expr, append, &code);
            if (strcmp(code.at, expressions[i].code))
                fail_msg("%s:\n  is     %s\n  wanted %s", expressions[i].xpath, code.at, expressions[i].code);
            if (gx_program_check(p, p->size, &t.err))
                fail_msg("%s: %s", expressions[i].xpath, t.err.text);
            free(p);
        }
        bench_close(&t);
    }
}

static void knows_dependencies(void **state)
{
    static const struct { const char *xpath; u32 type, deps, stack, scope; } cases[] = {
        { "1", GX_T_NUM, 0, 1, 0 },
        { "a", GX_T_SET, GX_DEP_CONTEXT, 1, 0 },
        { "/a", GX_T_SET, GX_DEP_TREE, 1, 1 },
        { "$g/a", GX_T_SET, 0, 1, 1 },
        { "$l", GX_T_ANY, GX_DEP_LOCAL, 1, 0 },
        { "position() + last()", GX_T_NUM, GX_DEP_POSITION | GX_DEP_LAST, 2, 0 },
        { "a[position() = $ln]", GX_T_SET, GX_DEP_CONTEXT | GX_DEP_LOCAL, 2, 0 },
        { "/a[. > current()]", GX_T_SET, GX_DEP_TREE | GX_DEP_CURRENT, 3, 2 },
        { "lang('x')", GX_T_BOOL, GX_DEP_CONTEXT, 1, 0 },
        { "concat(a, b, c[d[1] = 2])", GX_T_STR, GX_DEP_CONTEXT, 5, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench t;
        u32 expr;
        bench_open(&t);
        assert_int_equal(gx_xpath_compile(&t.env, cases[i].xpath, GX_T_ANY, &expr), GX_OK);
        const gx_expr *x = GX_VEC_AT(&t.env.b->exprs, gx_expr, expr);
        if (x->type != cases[i].type || x->deps != cases[i].deps || x->max_stack != cases[i].stack
            || x->max_scope != cases[i].scope)
            fail_msg("%s: type %u deps %u stack %u scope %u", cases[i].xpath, x->type, x->deps, x->max_stack,
                     x->max_scope);
        bench_close(&t);
    }
}

static const struct { const char *xpath, *message; u32 at; u32 want; } errors[] = {
    { "", "an expression expected at the end", 1, 0 },
    { "a[", "an expression expected at the end", 3, 0 },
    { "a[1", "']' expected at the end", 4, 0 },
    { "a]", "an operator expected before ']'", 2, 0 },
    { "a b", "an operator is missing before 'b'", 3, 0 },
    { "a/", "a step expected at the end", 3, 0 },
    { "//", "a step expected at the end", 3, 0 },
    { "a/'x'", "a step expected before ''x''", 3, 0 },
    { "(a", "')' expected at the end", 3, 0 },
    { "concat(a b)", "an operator is missing before 'b'", 10, 0 },
    { "concat(a, )", "an expression expected before ')'", 11, 0 },
    { "'abc", "the literal is not closed", 1, 0 },
    { "a::b", "there is no axis 'a'", 1, 0 },
    { "q:a", "the prefix 'q' is not declared", 1, 0 },
    { "a/q:*", "the prefix 'q' is not declared", 3, 0 },
    { "q:f()", "the prefix 'q' is not declared", 1, 0 },
    { "p:", "a name is missing after 'p:'", 2, 0 },
    { "$", "a name is missing after '$'", 1, 0 },
    { "a[$none]", "the variable $none is not declared", 3, 0 },
    { "$p:x", "the variable $p:x is not declared", 1, 0 },
    { "foo(1)", "there is no function foo()", 1, 0 },
    { "count()", "count() wants 1 argument, not 0", 1, 0 },
    { "a[concat('a')]", "concat() wants at least 2 arguments, not 1", 3, 0 },
    { "substring('a', 1, 2, 3)", "substring() wants at most 3 arguments, not 4", 1, 0 },
    { "true(1)", "true() takes no arguments", 1, 0 },
    { "count(1)", "the argument of count() must be a node-set, not a number", 7, 0 },
    { "'a'/b", "what a path begins with must be a node-set, not a string", 1, 0 },
    { "1[2]", "what a predicate filters must be a node-set, not a number", 1, 0 },
    { "a | 1", "the right side of '|' must be a node-set, not a number", 5, 0 },
    { "true()", "the value must be a node-set, not a boolean", 1, GX_T_SET },
    { ".[a]", "a predicate cannot follow '.': write self::node()[...]", 2, 0 },
    { "a # b", "unexpected '#'", 3, 0 },
    { "\xc3\xa9/\xc3\x97", "unexpected '\xc3\x97'", 3, 0 },
    { "'\x01'", "a character that XML does not have, or no UTF-8", 2, 0 },
    { "a/\xff", "a character that XML does not have, or no UTF-8", 3, 0 },
    { "system-property('q:x')", "the prefix 'q' is not declared", 17, 0 },
    { "function-available('')", "'' is not a name", 20, 0 },
    { "1 to 3", "not supported: 'to' (XPath 2.0)", 3, 0 },
    { "a eq b", "not supported: 'eq' (XPath 2.0)", 3, 0 },
    { "for $x in a return $x", "not supported: 'for' (XPath 2.0)", 1, 0 },
    { "if (a) then b else c", "not supported: function if() (XPath 2.0)", 1, 0 },
    { "(a, b)", "not supported: a sequence with ',' (XPath 2.0)", 3, 0 },
    { "()", "not supported: '()' (XPath 2.0)", 2, 0 },
    { "(: x :) a", "not supported: comments (XPath 2.0)", 1, 0 },
    { "*:a", "not supported: '*:name' (XPath 2.0)", 1, 0 },
    { "a << b", "not supported: '<<' (XPath 2.0)", 3, 0 },
    { "a || b", "not supported: '||' (XPath 3.0)", 3, 0 },
    { "lower-case(a)", "not supported: function lower-case() (XPath 2.0)", 1, 0 },
    { "a/string()", "a function call cannot be a step: 'string()' (XPath 2.0)", 3, 0 },
};

static void reports_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        bench t;
        u32 expr = 77;
        char wanted[512];
        bench_open(&t);
        gx_status status = gx_xpath_compile(&t.env, errors[i].xpath, errors[i].want, &expr);
        snprintf(wanted, sizeof wanted, "%s in expression \"%s\" at character %u", errors[i].message, errors[i].xpath,
                 errors[i].at);
        for (char *c = wanted; *c; c++)         /* a quoted text stays on its line */
            *c = (unsigned char)*c < ' ' ? ' ' : *c;
        if (status != GX_ESTYLE || strcmp(t.err.text, wanted))
            fail_msg("%s:\n  is     %s\n  wanted %s", errors[i].xpath, status ? t.err.text : "no error", wanted);
        assert_string_equal(t.err.file, "s.xsl");
        assert_int_equal(t.err.line, 3);
        assert_int_equal(t.err.column, 7);
        assert_int_equal(expr, 77);
        bench_close(&t);
    }
}

static void forwards_mode_defers(void **state)
{
    static const char *const cases[] = { "foo(1)", "count()", "matches(a, 'b')" };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench t;
        u32 expr;
        bench_open(&t);
        t.env.forwards = 1;
        assert_int_equal(gx_xpath_compile(&t.env, cases[i], GX_T_SET, &expr), GX_OK);
        bench_close(&t);
    }
}

static void nesting_is_limited(void **state)
{
    static const struct { const char *open, *middle, *close; } cases[] = {
        { "(", "a", ")" }, { "a[", "b", "]" }, { "not(", "a", ")" }, { "-(", "1", ")" }, { "a/", "b", "" },
            { "1+a*", "1", "" },
        { "a|", "b", "" }, { "a or ", "b", "" } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (u32 n = 300; n <= 100000; n *= 10) {
            bench t;
            u32 expr;
            bench_open(&t);
            size_t open = strlen(cases[i].open), close = strlen(cases[i].close);
            char *s = apr_palloc(t.pool, n * (open + close) + 8), *at = s;
            for (u32 k = 0; k < n; k++, at += open)
                memcpy(at, cases[i].open, open);
            at = apr_cpystrn(at, cases[i].middle, 8);
            for (u32 k = 0; k < n; k++, at += close)
                memcpy(at, cases[i].close, close);
            *at = 0;
            gx_status status = gx_xpath_compile(&t.env, s, GX_T_ANY, &expr);
            assert_int_equal(status, n > 1000 ? GX_ESTYLE : GX_OK);
            bench_close(&t);
        }
}

/* ---- patterns
 * --------------------------------------------------------------------------------------------------------------- */

/* Alternatives as "step up step up ... (priority)", the last step first; b{...} a boolean, s{...} a set expression. */
static const struct { const char *pattern, *steps; } patterns[] = {
    { "/", "root() end simple (0.5)" },
    { "a", "child a end simple (0)" },
    { "p:a", "child {urn:p}a end simple (0)" },
    { "p:*", "child {urn:p}* end simple (-0.25)" },
    { "*", "child * end simple (-0.5)" },
    { "@a", "attribute a end simple (0)" },
    { "@*|node()", "attribute * end simple (-0.5) | child node() end simple (-0.5)" },
    { "text()", "child text() end simple (-0.5)" },
    { "processing-instruction('x')", "child pi x end (0)" },
    { "processing-instruction()", "child pi() end simple (-0.5)" },
    { "child::a", "child a end simple (0)" },
    { "attribute::p:a", "attribute {urn:p}a end simple (0)" },
    { "/a", "child a root (0.5)" },
    { "//a", "child a root-desc (0.5)" },
    { "a/b", "child b parent child a end (0.5)" },
    { "a//b/@c", "attribute c parent child b ancestor child a end (0.5)" },
    { "/a//b", "child b ancestor child a root (0.5)" },
    { "a[b]", "child a b{context child::b? boolean} end (0.5)" },
    { "a[b][@c = 1]", "child a b{context child::b? boolean context attribute::c! 1 = and} end (0.5)" },
    { "a[true()]", "child a end simple (0.5)" },
    { "a[2]/b", "child b parent child a s{context child::a!(2)[ nth(2) ]} end (0.5)" },
    { "@*[position() > 1]", "attribute * s{context attribute::*![ nth(2..) ]} end (0.5)" },
    { "a[b[1]]", "child a b{context child::b!(1)[ nth(1) ] boolean} end (0.5)" },
    { "id('x')", "head{once( 'x' id/1 )} (0.5)" },
    { "key('k', 'v')/a", "head{once( 0 'v' key/2 )} child a head-parent (0.5)" },
    { "id('x')//a/b", "head{once( 'x' id/1 )} child b parent child a head-ancestor (0.5)" },
    { " a | b/c ", "child a end simple (0) | child c parent child b end (0.5)" },
};

static void explain_part(const gx_program *p, const char *open, u32 expr, text *out)
{
    if (expr == GX_NONE)
        return;
    append(out, open, strlen(open));
    gx_explain_expr(p, expr, append, out);
    append(out, "} ", 2);
}

static void explain_pattern(const gx_program *p, u32 index, double priority, text *out)
{
    static const char *const tests[] = { "node()", "", "*", "", "text()", "comment()", "pi()", "pi ", "root()",
                                         "never()" };
    static const char *const ups[] = { "end ", "parent ", "ancestor ", "root ", "root-desc ", "head-parent ",
                                       "head-ancestor " };
    const gx_pattern *t = &GX_PROG_TAB(p, gx_pattern, patterns)[index];
    char number[32];
    explain_part(p, "head{", t->head, out);
    for (u32 i = 0; i < t->n; i++) {
        const gx_pstep *s = &GX_PROG_TAB(p, gx_pstep, psteps)[t->first + i];
        const gx_pname *n = &GX_PROG_TAB(p, gx_pname, pnames)[s->name];
        if (s->test != GX_TEST_ROOT)
            append(out, s->axis == GX_AXIS_CHILD ? "child " : "attribute ", s->axis == GX_AXIS_CHILD ? 6 : 10);
        append(out, tests[s->test], strlen(tests[s->test]));
        if (n->uri) {
            append(out, "{", 1);
            append(out, GX_LIT_AT(p, n->uri), GX_LIT(p, n->uri).len);
            append(out, "}", 1);
        }
        append(out, GX_LIT_AT(p, n->local), GX_LIT(p, n->local).len);
        append(out, " ", 1);
        explain_part(p, "b{", s->bool_expr, out);
        explain_part(p, "s{", s->set_expr, out);
        append(out, ups[s->up], strlen(ups[s->up]));
    }
    snprintf(number, sizeof number, "%s(%g)", t->simple ? "simple " : "", priority);
    append(out, number, strlen(number));
}

static void compiles_patterns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        bench t;
        u32 first, n;
        double *priority;
        text steps = { "", 0 };
        bench_open(&t);
        t.env.no_current = 1;
        if (gx_pattern_compile(&t.env, patterns[i].pattern, &first, &n, &priority))
            fail_msg("%s: %s", patterns[i].pattern, t.err.text);
        gx_builder *b = t.env.b;
        u32 use;
        assert_int_equal(gx_xpath_compile(&t.env, ".", GX_T_ANY, &use), GX_OK);
        for (u32 k = 0; k < n; k++) {       /* a key over it, so that gx_program_check looks at the pattern */
            gx_key key_row = { 0, first + k, use, 0, 0 };
            gx_builder_push(b, &b->keys, &key_row);
        }
        gx_program *p = bench_pack(&t);
        for (u32 k = 0; k < n; k++) {
            if (k)
                append(&steps, " | ", 3);
            explain_pattern(p, first + k, priority[k], &steps);
        }
        if (strcmp(steps.at, patterns[i].steps))
            fail_msg("%s:\n  is     %s\n  wanted %s", patterns[i].pattern, steps.at, patterns[i].steps);
        if (gx_program_check(p, p->size, &t.err))
            fail_msg("%s: %s", patterns[i].pattern, t.err.text);
        free(p);
        bench_close(&t);
    }
}

static void refuses_patterns(void **state)
{
    static const struct { const char *pattern, *message; u32 at; } cases[] = {
        { "", "a node test expected at the end", 1 },
        { "a b", "an operator is missing before 'b'", 3 },
        { "..", "'..' is not allowed in a pattern", 1 },
        { "a/.", "'.' is not allowed in a pattern", 3 },
        { "ancestor::a", "the axis 'ancestor' is not allowed in a pattern", 1 },
        { "count(a)", "only id() and key() may begin a pattern, not count()", 1 },
        { "id(a)", "a literal expected", 4 },
        { "key('k')", "',' expected", 8 },
        { "a = b", "'/' or '|' expected", 3 },
        { "$g/a", "a step expected", 1 },
        { "//", "a node test expected at the end", 3 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench t;
        u32 first, n;
        double *priority;
        char wanted[512];
        bench_open(&t);
        t.env.no_current = 1;
        gx_status status = gx_pattern_compile(&t.env, cases[i].pattern, &first, &n, &priority);
        snprintf(wanted, sizeof wanted, "%s in pattern \"%s\" at character %u", cases[i].message, cases[i].pattern,
                 cases[i].at);
        if (status != GX_ESTYLE || strcmp(t.err.text, wanted))
            fail_msg("%s:\n  is     %s\n  wanted %s", cases[i].pattern, status ? t.err.text : "no error", wanted);
        bench_close(&t);
    }
}

/* ---- attribute value templates
 * ------------------------------------------------------------------------------------------------ */

static void compiles_templates(void **state)
{
    static const struct { const char *avt, *parts, *whole; } cases[] = {     /* whole: code, or literal after "=" */
        { "", "", "=" },
        { "plain", "plain;", "=plain" },
        { "{{a}}", "{a};", "={a}" },
        { "{a}", "<context child::a!(1)>;", "context child::a!(1) string" },
        { "x{a}y", "x;<context child::a!(1)>;y;", "'x' context child::a!(1) string 'y' concat/3" },
        { "{'}'}{\"{\"}", "<'}'>;<'{'>;", "once( '}' '{' concat/2 )" },
        { "{1+1}", "<2>;", "2 string" },
        { "a{", NULL, "'{' is not closed in attribute value template \"a{\" at character 2" },
        { "a}b", NULL, "'}' stands alone: write '}}' in attribute value template \"a}b\" at character 2" },
        { "{}", NULL, "an expression expected between '{' and '}' in attribute value template \"{}\" at character 1" },
        { "{a}{b c}", NULL, "an operator is missing before 'c' in expression \"b c\" at character 3" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench t;
        gx_avt_part *parts;
        u32 n, expr;
        const char *literal;
        text out = { "", 0 }, whole = { "", 0 };
        bench_open(&t);
        gx_status status = gx_avt_compile(&t.env, cases[i].avt, &parts, &n);
        if (!cases[i].parts) {
            assert_int_equal(status, GX_ESTYLE);
            assert_string_equal(t.err.text, cases[i].whole);
            assert_int_equal(gx_avt_expr(&t.env, cases[i].avt, &expr, &literal), GX_ESTYLE);
            assert_string_equal(t.err.text, cases[i].whole);
            bench_close(&t);
            continue;
        }
        assert_int_equal(status, GX_OK);
        assert_int_equal(gx_avt_expr(&t.env, cases[i].avt, &expr, &literal), GX_OK);
        gx_program *p = bench_pack(&t);
        for (u32 k = 0; k < n; k++) {
            if (parts[k].expr == GX_NONE) {
                append(&out, GX_LIT_AT(p, parts[k].lit), GX_LIT(p, parts[k].lit).len);
            } else {
                append(&out, "<", 1);
                gx_explain_expr(p, parts[k].expr, append, &out);
                append(&out, ">", 1);
            }
            append(&out, ";", 1);
        }
        if (literal) {
            append(&whole, "=", 1);
            append(&whole, literal, strlen(literal));
        } else {
            gx_explain_expr(p, expr, append, &whole);
        }
        assert_string_equal(out.at, cases[i].parts);
        assert_string_equal(whole.at, cases[i].whole);
        free(p);
        bench_close(&t);
    }
}

/* ---- hostile input
 * ------------------------------------------------------------------------------------------------------------- */

static u32 seed = 12345;
static u32 random_below(u32 n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

static void survives_random_text(void **state)
{
    static const char *const tokens[] = { "a", "b", "p:a", "p:*", "*", "@", "/", "//", "[", "]", "(", ")", "|", "+",
                                          "-", " ", "=", "<",
        " and ", " div ", "'x'", "1", "2.5", ".", "..", "$l", "$gs", "$ls", "ancestor::", "self::", "text()",
        "position()", "last()",
        "count(", "id(", "key('k',", "concat(", ",", "current()", "node()", "following::", "string(", "not(", "{",
        "}", "'", "\"",
        "preceding-sibling::", "\xc3\xa9", "exsl:node-set(", "document(", "generate-id(", "x", "0", ":", "$", "!" };
    gx_compile_options options;
    gx_param names[] = { { "p", "urn:p" }, { "exsl", "http://exslt.org/common" } };
    u32 n_good = 0;
    (void)state;
    memset(&options, 0, sizeof options);
    options.namespaces = names;
    options.n_namespaces = 2;
    for (u32 i = 0; i < 60000; i++) {
        bench t;
        text s = { "", 0 };
        u32 expr, first, n;
        double *priority;
        gx_avt_part *parts;
        gx_program *p;
        for (u32 k = random_below(10) + 1; k; k--) {
            if (i % 8) {
                const char *token = tokens[random_below(sizeof tokens / sizeof *tokens)];
                append(&s, token, strlen(token));
            } else {
                char byte = (char)(random_below(255) + 1);
                append(&s, &byte, 1);
            }
        }
        bench_open(&t);
        t.env.forwards = i & 1;
        gx_pattern_compile(&t.env, s.at, &first, &n, &priority);
        gx_avt_compile(&t.env, s.at, &parts, &n);
        if (!gx_xpath_compile(&t.env, s.at, GX_T_ANY, &expr)) {
            n_good++;
            p = bench_pack(&t);
            if (gx_program_check(p, p->size, &t.err))
                fail_msg("%s: %s", s.at, t.err.text);
            free(p);
        }
        if (!gx_compile_select(s.at, &options, t.pool, &p, &t.err)) {
            if (gx_program_check(p, p->size, &t.err))
                fail_msg("select %s: %s", s.at, t.err.text);
            free(p);
        }
        bench_close(&t);
    }
    assert_true(n_good > 1000);         /* else it is no test of the code generator */
}

static void check_survives_damage(void **state)
{
    static const char *const sources[] = { "//a[@x = //b/@y][2]/c[last()]", "concat(a, 'x', format-number(1, '#'))",
                                           "a[. = current()/@y and position() < 3] | id('x')" };
    u32 n_refused = 0;
    (void)state;
    for (u32 i = 0; i < 60000; i++) {
        static gx_program *p;
        static u32 words[4096] __attribute__((aligned(16)));
        apr_pool_t *pool;
        gx_error err;
        if (i % 20000 == 0) {
            free(p);
            apr_pool_create(&pool, NULL);
            assert_int_equal(gx_compile_select(sources[i / 20000], NULL, pool, &p, &err), GX_OK);
            apr_pool_destroy(pool);
            assert_true(p->size <= sizeof words);
        }
        memcpy(words, p, p->size);
        for (u32 k = random_below(3) + 1; k; k--) {
            u32 at = random_below((u32)p->size / 4), how = random_below(4);
            words[at] = how == 0 ? random_below(64) : how == 1 ? random_below(0xffffffff) : how == 2
                ? GX_NONE - random_below(3)
                      : words[at] + random_below(5) - 2;
        }
        text code = { "", 0 };
        if (gx_program_check(words, p->size, &err))
            n_refused++;
        else if (GX_PROG_TAB((gx_program *)words, gx_global, globals)->expr != GX_NONE)
            gx_explain_expr((gx_program *)words, GX_PROG_TAB((gx_program *)words, gx_global, globals)->expr,
                            append, &code);
        if (i == 59999)
            free(p);
    }
    assert_true(n_refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiles), cmocka_unit_test(knows_dependencies), cmocka_unit_test(reports_errors),
        cmocka_unit_test(forwards_mode_defers), cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(compiles_patterns),
        cmocka_unit_test(refuses_patterns), cmocka_unit_test(compiles_templates),
        cmocka_unit_test(survives_random_text),
        cmocka_unit_test(check_survives_damage) };
    apr_initialize();
    return cmocka_run_group_tests_name("xpath-compile", tests, NULL, NULL);
}
