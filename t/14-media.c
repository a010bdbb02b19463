/* SPDX-License-Identifier: Apache-2.0 */
/* Media types: what is one, what of a bad one can be read, and how they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <apr_general.h>
#include "../module/media.c"

static apr_pool_t *pool;

static const struct { const char *type, *charset; } sent[] = {
    { "text/xml", NULL }, { "text/xml;charset=utf-8", "utf-8" }, { "text/xml ; Charset = \"utf-8\" ", "utf-8" },
        { "text/xml; charset=", NULL },
    { "application/soap+xml; action=\"urn:x;charset=no\"", NULL },
    { "application/xop+xml; type=\"text/xml; charset=utf-16\"", NULL },
    { "multipart/related; type=\"application/xop+xml\"; start-info=\"a; charset=x\"; charset=utf-8", "utf-8" },
    { "text/xml; title=\"a\\\"; charset=utf-16; b\"; charset=utf-8", "utf-8" },
    { "text/xml; charset=\"utf\\-8\"", "utf-8" },
    { "application/xml; note=\"x; charset=utf-8\"; charset=iso-8859-1", "iso-8859-1" },
    { "application/xml; x=\"a;b\"; charset=\"iso-8859-1\"", "iso-8859-1" },
    { "text/xml; title=\"charset=utf-16\"", NULL }, { "text/xml; charset='utf-8'", "utf-8" },
    { "text/xml; charset=\"", NULL },
    { "text/xml; charset=\"utf-8", "utf-8" }, { "text/xml;; a; =b; charset=utf-8; charset=utf-16", "utf-8" },
    { "text/xml; charset=utf-8, text/xml", "utf-8" },
    { "text/xml; charset=ISO_8859-1:1987", "ISO_8859-1:1987" }, { "text/xml; x=\"\\", NULL },
    { "text/xml; charset=''", NULL }, { "text/xml; charset='", NULL },
    { ";charset=utf-8", "utf-8" }, { "", NULL }, { "text/xml; xcharset=a; charset-x=b", NULL },
    { "text/xml; a=b c=d; charset=utf-8", "utf-8" },
};

static void charset_of_what_was_sent(void **state)
{
    (void)state;
    assert_null(gxm_charset_of(pool, NULL));
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        const char *got = gxm_charset_of(pool, sent[i].type);
        if (!got != !sent[i].charset || (got && strcmp(got, sent[i].charset) != 0))
            fail_msg("%s: %s", sent[i].type, got ? got : "none");
    }
}

static const struct { const char *type, *charset, *written; } written[] = {
    { "text/html", "UTF-8", "text/html; charset=UTF-8" }, { "text/html", NULL, "text/html" },
    { "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"", "UTF-8",
      "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"; charset=UTF-8" },
    { "application/soap+xml; charset=\"utf-8\"; action=\"x;y\"", "UTF-16",
      "application/soap+xml; action=\"x;y\"; charset=UTF-16" },
    { " \n text/html ;charset=latin1;\n level = 1 ; ", "UTF-8", "text/html; level=1; charset=UTF-8" },
    { "text/x;a=\"q\\\"\\\\;\"", NULL, "text/x; a=\"q\\\"\\\\;\"" },
    { "a!#$&^_.+-'%*`|~/b;c='%*`|~", NULL, "a!#$&^_.+-'%*`|~/b; c='%*`|~" },
    { "text/html", "ISO_8859-1:1987", "text/html; charset=\"ISO_8859-1:1987\"" },
    { "text", NULL, NULL }, { "text/", NULL, NULL }, { "/html", NULL, NULL }, { "", NULL, NULL },
    { "text/*", NULL, NULL }, { "*/*", NULL, NULL },
    { "text/html ;x", NULL, NULL }, { "text/html;=x", NULL, NULL }, { "text/html;x=", NULL, NULL },
    { "text/html;x=a b", NULL, NULL },
    { "text/html;x=a/b", NULL, NULL }, { "text/html;x=\"a", NULL, NULL }, { "text/html;x=\"a\\\"", NULL, NULL },
    { "text/html;x=\"a\"b", NULL, NULL },
    { "text/html;x=\"a\r\nSet-Cookie: b\"", NULL, NULL }, { "text/html;x=\"a\\\nb\"", NULL, NULL },
    { "text/html\r\nX: y", NULL, NULL },
    { "text/html, text/xml", NULL, NULL }, { "text / html", NULL, NULL }, { "text/<html>", NULL, NULL },
    { "text/html/x", NULL, NULL },
    { "text/html", "a\"b", NULL }, { "text/html", "", NULL }, { "text/html", "a\nb", NULL }, { NULL, "UTF-8", NULL },
};

static void what_is_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        const char *got = gxm_content_type(pool, written[i].type, written[i].charset);
        if (!got != !written[i].written || (got && strcmp(got, written[i].written) != 0))
            fail_msg("%s, %s: %s", written[i].type, written[i].charset, got ? got : "none");
    }
}

static const struct { const char *type, *want; int is; } same[] = {
    { "Text/XML; charset=utf-8", "text/xml", 1 }, { "text/xmlx", "text/xml", 0 }, { "application/a+xml", "+xml", 1 },
        { "+xml", "+xml", 0 },
    { "application/soap+xml;action=\"a;b\"", "+xml", 1 }, { "application/atom+xml;type=feed", "application/atom+xml; "
        "type=feed", 1 },
    { "application/atom+xml; charset=utf-8; Type=\"feed\"", "application/atom+xml;type=feed", 1 },
    { "application/atom+xml;type=entry", "application/atom+xml;type=feed", 0 },
    { "application/atom+xml", "application/atom+xml;type=feed", 0 },
    { "application/x+xml;profile=\"a b\"", "+xml;profile=\"a b\"", 1 }, { "", "+xml", 0 },
};

static void what_is_of_a_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (gxm_media_is(pool, same[i].type, same[i].want) != same[i].is)
            fail_msg("%s, %s", same[i].type, same[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(charset_of_what_was_sent), cmocka_unit_test(what_is_written),
                                        cmocka_unit_test(what_is_of_a_type) };
    apr_initialize();
    apr_pool_create(&pool, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
