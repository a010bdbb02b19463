/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token.c -- XPath's tokens (XPath 1.0, 3.7)
 *
 * One token at a time. What "*" and a name mean depends on the token before: after an operand they are operators,
 * elsewhere a node test; and on the one after: a name before "(" is a function or node type, before "::" an axis.
 *
 * What only XPath 2.0 has is recognised where it would else be a puzzling syntax error, and named.
 */
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include "document/names.h"
#include "xpath.h"

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Bytes of the NCName at `from`; 0 = none. */
static u32 name_length(const gx_xparse *p, u32 from) { return gx_ncname_length(p->text + from, p->len - from); }

static u32 skip_space(const gx_xparse *p, u32 at)
{
    while (at < p->len && gx_is_space(p->text[at]))
        at++;
    return at;
}

static int looking_at(const gx_xparse *p, u32 at, const char *what)
{
    size_t n = strlen(what);
    return p->len - at >= n && !memcmp(p->text + at, what, n);
}

/* The sentence with 120 bytes of the expression around the place, cut at characters, and the place counted in
 * characters. GX_ESTYLE. */
gx_status gx_xparse_fail(const gx_xparse *p, u32 at, const char *fmt, ...)
{
    enum { QUOTED = 120 };      /* bytes of the text that a message shows: from a little before the place */
    u32 from = at > QUOTED - 40 ? at - (QUOTED - 40) : 0, character = 1, n = 0;
    while (from > 0 && ((u8)p->text[from] & 0xc0) == 0x80)
        from--;
    u32 to = p->len - from > QUOTED ? from + QUOTED : p->len;
    while (to < p->len && to > from && ((u8)p->text[to] & 0xc0) == 0x80)
        to--;
    char quote[QUOTED + 8];     /* with room for the bytes that stepping back to a character's start may add */
    for (u32 i = from; i < to && n < sizeof quote - 1; i++)
        quote[n++] = (u8)p->text[i] < ' ' ? ' ' : p->text[i];
    quote[n] = 0;
    for (u32 i = 0; i < at && i < p->len; i++)
        character += ((u8)p->text[i] & 0xc0) != 0x80;
    va_list args;
    va_start(args, fmt);
    char sentence[400];
    apr_vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    const gx_xpath_env *env = p->env;
    return gx_fail(env->b->err, GX_ESTYLE, env->file ? env->file : "", env->line, env->column,
                   "%s in %s \"%s%s%s\" at character %u", sentence, p->noun, from ? "..." : "", quote,
                   to < p->len ? "..." : "", character);
}

gx_status gx_xparse_slip(gx_xparse *p, u32 at, const char *sentence)
{
    const gx_xpath_env *env = p->env;
    if (env->forwards || !env->slip)
        return GX_OK;
    gx_xparse_fail(p, at, "%s", sentence);
    return env->slip(env->ctx);
}

gx_status gx_xparse_loose(gx_xparse *p, u32 at, const char *sentence)
{
    return p->env->slip ? gx_xparse_slip(p, at, sentence) : gx_xparse_fail(p, at, "%s", sentence);
}

/* Digits with at most one point, perhaps an exponent: strtod of the C locale, whatever the process has set, is
 * correctly rounded. */
static double number_value(const gx_xparse *p, u32 from, u32 to)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(apr_pstrmemdup(p->pool, p->text + from, to - from), NULL, c_locale);
    freelocale(c_locale);
    return value;
}

static const struct { const char *name; u8 op, precedence; } operators[] = {
    { "or", GX_X_OR, 1 }, { "and", GX_X_AND, 2 },
    { "=", GX_X_EQ, 3 }, { "!=", GX_X_NE, 3 },
    { "<=", GX_X_LE, 4 }, { ">=", GX_X_GE, 4 }, { "<", GX_X_LT, 4 }, { ">", GX_X_GT, 4 },
    { "+", GX_X_ADD, 5 }, { "-", GX_X_SUB, 5 },
    { "*", GX_X_MUL, 6 }, { "div", GX_X_DIV, 6 }, { "mod", GX_X_MOD, 6 }
};

static const char *const axes[] = {     /* by gx_axis */
    "self", "child", "descendant", "descendant-or-self", "attribute", "namespace", "following", "following-sibling",
    "parent", "ancestor", "ancestor-or-self", "preceding", "preceding-sibling"
};

static gx_status set_operator(gx_xparse *p, u32 i, u32 length)
{
    p->kind = GX_XT_OP;
    p->op = operators[i].op;
    p->precedence = operators[i].precedence;
    p->pos += length;
    return GX_OK;
}

/* XPath 1.0, 3.7: behind an operand a name is an operator's. p is moved behind it. Names of XPath 2.0's operators are
 * named in the error; "mod9" is the operator and a number, with a warning (gx_xparse_loose), as libxml2 has it. */
static gx_status operator_name(gx_xparse *p, u32 length)
{
    static const char *const later[] = { "eq",    "ne",     "lt",        "le",     "gt",        "ge",   "is",
                                         "to",    "idiv",   "intersect", "except", "instance",  "cast", "castable",
                                         "treat", "return", "then",      "else",   "satisfies", "in" };
    const char *name = apr_pstrmemdup(p->pool, p->text + p->pos, length);
    for (u32 i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(name, operators[i].name))
            return set_operator(p, i, length);
    for (u32 i = 0; i < sizeof later / sizeof *later; i++)
        if (!strcmp(name, later[i]))
            return gx_xparse_fail(p, p->pos, "not supported: '%s' (XPath 2.0)", name);
    for (u32 i = 0; i < sizeof operators / sizeof *operators; i++) {     /* "mod9": the operator, and 9: a slip */
        const u32 n = (u32)strlen(operators[i].name);
        if (apr_isalpha(*operators[i].name) && !strncmp(name, operators[i].name, n)) {
            GX_TRY(gx_xparse_loose(p, p->pos, "white space is missing behind the name of an operator"));
            return set_operator(p, i, n);
        }
    }
    return gx_xparse_fail(p, p->pos, "an operator is missing before '%s'", name);
}

static int is_node_type(const char *name, u8 *test)
{
    static const struct { const char *name; u8 test; } types[] = {
        { "node", GX_TEST_NODE }, { "text", GX_TEST_TEXT }, { "comment", GX_TEST_COMMENT },
        { "processing-instruction", GX_TEST_PI } };
    for (u32 i = 0; i < 4; i++)
        if (!strcmp(name, types[i].name)) {
            *test = types[i].test;
            return 1;
        }
    return 0;
}

/* A name where an operand begins (XPath 1.0, 3.7): node test, function, node type or axis, told apart by what follows
 * it. White space before the ':' of a QName is an error of which strictness decides. XPath 2.0's `for $x` and its kin
 * are refused by name, since what comes of them otherwise says little. */
static gx_status operand_name(gx_xparse *p, u32 length)
{
    const gx_xtoken before = p->kind;
    u32 start = p->pos, end = start + length;
    p->prefix = "";
    p->local = apr_pstrmemdup(p->pool, p->text + start, length);
    p->kind = GX_XT_NAME;
    u32 after = skip_space(p, end);
    if (looking_at(p, after, "::")) {
        p->pos = after + 2;
        p->kind = GX_XT_AXIS;
        for (p->op = 0; p->op < sizeof axes / sizeof *axes; p->op++)
            if (!strcmp(p->local, axes[p->op]))
                return GX_OK;
        return gx_xparse_fail(p, start, "there is no axis '%s'", p->local);
    }
    const int spaced = after > end && looking_at(p, after, ":") && before != GX_XT_AXIS && before != GX_XT_AT;
    if (spaced || looking_at(p, end, ":")) {
        p->prefix = p->local;
        if (spaced)
            GX_TRY(gx_xparse_loose(p, end, "white space is not allowed before the ':' of a name"));
        end = after;
        if (looking_at(p, end + 1, "*")) {
            p->pos = end + 2;
            p->kind = GX_XT_NS_STAR;
            return GX_OK;
        }
        length = name_length(p, end + 1);
        if (!length)
            return gx_xparse_fail(p, end, "a name is missing after '%s:'", p->prefix);
        p->local = apr_pstrmemdup(p->pool, p->text + end + 1, length);
        end += 1 + length;
        after = skip_space(p, end);
    }
    p->pos = end;
    if (looking_at(p, after, "(") && !spaced)
        p->kind = !*p->prefix && is_node_type(p->local, &p->op) ? GX_XT_NODE_TYPE : GX_XT_FUNC;
    else if (looking_at(p, after, "$") && !*p->prefix
             && (!strcmp(p->local, "for") || !strcmp(p->local, "some") || !strcmp(p->local, "every")
                 || !strcmp(p->local, "let")))
        return gx_xparse_fail(p, start, "not supported: '%s' (XPath 2.0)", p->local);
    return GX_OK;
}

static gx_status punctuation(gx_xparse *p, gx_xtoken kind, u32 length)
{
    p->kind = kind;
    p->pos += length;
    return GX_OK;
}

/* "1e" or "1e-": 1, a slip. */
static gx_status number_without_exponent(gx_xparse *p, u32 to, u32 end)
{
    GX_TRY(gx_xparse_loose(p, to, "the digits of the exponent are missing"));
    p->num = number_value(p, p->pos, to);
    return punctuation(p, GX_XT_NUM, end - p->pos);
}

/* The next token to p->kind, with its name, number or string. Whether "*" and a name are operators follows from the
 * token before (3.7). What begins something of XPath 2.0 is named as such. GX_ESTYLE at the token. */
gx_status gx_xparse_next(gx_xparse *p)
{
    int after_operand = p->pos
        && (p->kind == GX_XT_NUM || p->kind == GX_XT_STR || p->kind == GX_XT_NAME || p->kind == GX_XT_NS_STAR
            || p->kind == GX_XT_STAR || p->kind == GX_XT_VAR || p->kind == GX_XT_RPAR || p->kind == GX_XT_RBRACKET
            || p->kind == GX_XT_DOT || p->kind == GX_XT_DOTS);
    GX_TRY(gx_builder_go_on(p->env->b, p->env->file, p->env->line, p->env->column));
    p->start = p->pos = skip_space(p, p->pos);
    if (p->pos == p->len)
        return punctuation(p, GX_XT_END, 0);
    char c = p->text[p->pos];
    u32 length = name_length(p, p->pos);
    if (length)
        return after_operand ? operator_name(p, length) : operand_name(p, length);
    if (is_digit(c) || (c == '.' && p->pos + 1 < p->len && is_digit(p->text[p->pos + 1]))) {
        u32 to = p->pos;
        while (to < p->len && is_digit(p->text[to]))
            to++;
        if (to < p->len && p->text[to] == '.')
            for (to++; to < p->len && is_digit(p->text[to]); to++)
                ;
        /* 1e3 is XPath 2.0's, but read by all peers; in 1.0 nothing else could begin so */
        if (to < p->len && (p->text[to] == 'e' || p->text[to] == 'E')) {
            u32 digits = to + 1 + (to + 1 < p->len && (p->text[to + 1] == '+' || p->text[to + 1] == '-'));
            if (digits < p->len && is_digit(p->text[digits]))
                for (to = digits; to < p->len && is_digit(p->text[to]); to++)
                    ;
            else if (!name_length(p, digits))
                return number_without_exponent(p, to, digits);
        }
        p->num = number_value(p, p->pos, to);
        return punctuation(p, GX_XT_NUM, to - p->pos);
    }
    switch (c) {
    case '"': case '\'': {
        const char *from = p->text + p->pos + 1, *to = memchr(from, c, p->len - p->pos - 1);
        if (!to)
            return gx_xparse_fail(p, p->pos, "the literal is not closed");
        p->local = apr_pstrmemdup(p->pool, from, (apr_size_t)(to - from));
        p->pos += (u32)(to - from) + 2;
        p->kind = GX_XT_STR;
        return GX_OK;
    }
    case '$':
        p->pos++;
        length = name_length(p, p->pos);
        if (!length)
            return gx_xparse_fail(p, p->start, "a name is missing after '$'");
        p->prefix = "";
        p->local = apr_pstrmemdup(p->pool, p->text + p->pos, length);
        p->pos += length;
        if (looking_at(p, p->pos, ":") && (length = name_length(p, p->pos + 1))) {
            p->prefix = p->local;
            p->local = apr_pstrmemdup(p->pool, p->text + p->pos + 1, length);
            p->pos += 1 + length;
        }
        p->kind = GX_XT_VAR;
        return GX_OK;
    case '/': return looking_at(p, p->pos, "//") ? punctuation(p, GX_XT_SLASHES, 2) : punctuation(p, GX_XT_SLASH, 1);
    case '.': return looking_at(p, p->pos, "..") ? punctuation(p, GX_XT_DOTS, 2) : punctuation(p, GX_XT_DOT, 1);
    case '(':
        if (looking_at(p, p->pos, "(:"))
            return gx_xparse_fail(p, p->pos, "not supported: comments (XPath 2.0)");
        return punctuation(p, GX_XT_LPAR, 1);
    case ')': return punctuation(p, GX_XT_RPAR, 1);
    case '[': return punctuation(p, GX_XT_LBRACKET, 1);
    case ']': return punctuation(p, GX_XT_RBRACKET, 1);
    case '@': return punctuation(p, GX_XT_AT, 1);
    case ',': return punctuation(p, GX_XT_COMMA, 1);
    case '|':
        if (looking_at(p, p->pos, "||") && strcmp(p->noun, "pattern"))
            return gx_xparse_fail(p, p->pos, "not supported: '||' (XPath 3.0)");
        return punctuation(p, GX_XT_PIPE, 1);
    case '*':
        if (after_operand)
            break;
        if (looking_at(p, p->pos, "*:"))
            return gx_xparse_fail(p, p->pos, "not supported: '*:name' (XPath 2.0)");
        return punctuation(p, GX_XT_STAR, 1);
    case '<': case '>':
        if (p->pos + 1 < p->len && p->text[p->pos + 1] == c)
            return gx_xparse_fail(p, p->pos, "not supported: '%c%c' (XPath 2.0)", c, c);
        break;
    }
    for (u32 i = 0; i < sizeof operators / sizeof *operators; i++)
        if (looking_at(p, p->pos, operators[i].name))
            return set_operator(p, i, (u32)strlen(operators[i].name));
    return gx_xparse_fail(p, p->pos, "unexpected '%s'",
                          apr_pstrmemdup(p->pool, p->text + p->pos, gx_xml_char(p->text + p->pos, p->len - p->pos)));
}

gx_status gx_xparse_begin(gx_xparse *p, const gx_xpath_env *env, const char *noun, const char *text, u32 len)
{
    memset(p, 0, sizeof *p);
    p->env = env;
    p->pool = env->b->pool;
    p->noun = noun;
    p->text = text;
    p->len = len;
    for (u32 at = 0, length; at < len; at += length)        /* literals are copied into results as they are */
        if (!(length = gx_xml_char(text + at, len - at)))
            return gx_xparse_fail(p, at, "a character that XML does not have, or no UTF-8");
    return gx_xparse_next(p);
}
