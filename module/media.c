/* SPDX-License-Identifier: Apache-2.0 */
/*
 * media.c -- media types: taken apart and written
 *
 *     media-type    = type "/" subtype *( OWS ";" OWS [ name "=" value ] )     RFC 9110, 8.3.1 and 5.6.6
 *     value         = token / quoted-string
 *     quoted-string = DQUOTE *( qdtext / "\" character ) DQUOTE                5.6.4
 *
 * A semicolon, a comma or "charset=" in quotes is a part of the value. SOAP's action, XOP's type and start-info and the
 * profile of JSON-LD carry such values.
 *
 * One scanner serves two callers. What an administrator or a stylesheet writes has to be right, or the header would be
 * wrong; what a back end sends is read as far as it goes. White space around "=" is no mistake to either: it is not
 * written again.
 */
#include <string.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include "media.h"

static int is_tchar(char c) { return apr_isalnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c)); }

/* What may stand in quotes: HTAB, and all but controls. Bytes above 127 are obs-text. */
static int is_quotable(char c) { return c == '\t' || ((unsigned char)c >= 0x20 && c != 0x7f); }

static size_t token_len(const char *s)
{
    size_t n = 0;
    while (is_tchar(s[n]))
        n++;
    return n;
}

/* White space of attributes, too: xsl:output's may be written over several lines. */
static const char *skip_space(const char *s) { return s + strspn(s, " \t\r\n"); }

/* From the opening quote at *at to what follows the closing one. NULL, or why it is no quoted-string; *value is what
 * could be read. */
static const char *scan_quoted(apr_pool_t *p, const char **at, const char **value)
{
    const char *s = *at + 1, *why = NULL;
    char *to = apr_palloc(p, strlen(s) + 1);
    *value = to;
    for (; *s && *s != '"'; s++) {
        if (*s == '\\' && s[1])
            s++;
        if (!is_quotable(*s))
            why = "has a control character";
        *to++ = *s;
    }
    *to = 0;
    if (!*s)
        why = "has a quote that is not closed";
    *at = *s ? s + 1 : s;
    return why;
}

/* One parameter; *at: behind its semicolon, afterwards the next semicolon or the end. NULL, or what is wrong with it:
 * then out has what could be read. */
static const char *scan_param(apr_pool_t *p, const char **at, gxm_media_param *out)
{
    const char *s = skip_space(*at), *why = NULL, *from;
    size_t n = token_len(s);
    memset(out, 0, sizeof *out);
    out->value = out->written = "";
    if (n) {
        out->name = apr_pstrmemdup(p, s, n);
        s = skip_space(s + n);
        if (*s == '=')
            s = skip_space(s + 1);
        else
            why = "has a parameter without a value";
    }
    else if (*s && *s != ';')
        why = "has a parameter without a name";
    from = s;
    if (*s == '"' && !why)
        why = scan_quoted(p, &s, &out->value);
    else if (n && !why) {
        n = token_len(s);
        if (!n || (s[n] && s[n] != ';' && !apr_isspace(s[n])))
            why = "has a value that needs quotes";
        n = strcspn(s, "; \t,");
        out->value = apr_pstrmemdup(p, s, n);
        s += n;
    }
    out->written = apr_pstrmemdup(p, from, (apr_size_t)(s - from));
    s = skip_space(s);
    if (*s && *s != ';' && !why)
        why = "has something behind a parameter's value";
    *at = s + strcspn(s, ";");
    return why;
}

/* A media type with parameters (RFC 9110, 8.3.1), in p. NULL, or how a sentence about it ends that says what is wrong.
 * A range of types is none. */
const char *gxm_media_parse(apr_pool_t *p, const char *text, gxm_media_type *out)
{
    const char *s = skip_space(text), *why;
    const size_t type = token_len(s), subtype = s[type] == '/' ? token_len(s + type + 1) : 0;
    if (!type || !subtype)
        return "is not of the form type/subtype";
    if ((type == 1 && *s == '*') || (subtype == 1 && s[type + 1] == '*'))
        return "is a range of types, not one";
    out->type = apr_pstrmemdup(p, s, type + 1 + subtype);
    out->params = apr_array_make(p, 2, sizeof(gxm_media_param));
    s = skip_space(s + type + 1 + subtype);
    while (*s == ';') {
        gxm_media_param param;
        s++;
        why = scan_param(p, &s, &param);
        if (why)
            return why;
        if (param.name)
            APR_ARRAY_PUSH(out->params, gxm_media_param) = param;
    }
    return *s ? "has something behind the type that is no parameter" : NULL;
}

/* The first parameter of that name; what does not follow the grammar is passed over. NULL: there is none. */
static const char *param_of(apr_pool_t *p, const char *content_type, const char *name)
{
    const char *s = content_type + strcspn(content_type, ";");
    while (*s == ';') {
        gxm_media_param param;
        s++;
        scan_param(p, &s, &param);
        if (param.name && strcasecmp(param.name, name) == 0 && *param.value)
            return param.value;
    }
    return NULL;
}

int gxm_media_is(apr_pool_t *p, const char *content_type, const char *want)
{
    const size_t n = strcspn(want, "; \t"), len = strcspn(content_type, "; \t");
    const char *s = skip_space(want + n);
    if (*want == '+' ? len <= n || strncasecmp(content_type + len - n, want, n) != 0
                     : len != n || strncasecmp(content_type, want, n) != 0)
        return 0;
    while (*s == ';') {
        gxm_media_param param;
        const char *has;
        s++;
        scan_param(p, &s, &param);
        has = param.name ? param_of(p, content_type, param.name) : "";
        if (!has || (param.name && strcasecmp(has, param.value) != 0))
            return 0;
    }
    return 1;
}

const char *gxm_charset_of(apr_pool_t *p, const char *content_type)
{
    const char *value = content_type ? param_of(p, content_type, "charset") : NULL;
    size_t n;
    if (!value || *value != '\'')
        return value;
    n = strlen(value);          /* they quote nothing in HTTP, but people take them from the XML declaration */
    return n > 2 ? apr_pstrmemdup(p, value + 1, n - 1 - (value[n - 1] == '\'')) : NULL;
}

/* A parameter's value as it has to be written; NULL: it cannot be. Names of charsets have colons and brackets
 * ("ISO_8859-1:1987"). */
static const char *quote(apr_pool_t *p, const char *value)
{
    const size_t n = strlen(value);
    if (n && token_len(value) == n)
        return value;
    for (size_t i = 0; i < n; i++)
        if (!is_quotable(value[i]) || value[i] == '"' || value[i] == '\\')
            return NULL;
    return n ? apr_pstrcat(p, "\"", value, "\"", NULL) : NULL;
}

const char *gxm_content_type(apr_pool_t *p, const char *type, const char *charset)
{
    gxm_media_type media;
    const char *out, *quoted = charset ? quote(p, charset) : "";
    if (!type || !quoted || gxm_media_parse(p, type, &media))
        return NULL;
    out = media.type;
    for (int i = 0; i < media.params->nelts; i++) {
        const gxm_media_param *param = &APR_ARRAY_IDX(media.params, i, gxm_media_param);
        if (strcasecmp(param->name, "charset") != 0)
            out = apr_pstrcat(p, out, "; ", param->name, "=", param->written, NULL);
    }
    return charset ? apr_pstrcat(p, out, "; charset=", quoted, NULL) : out;
}
