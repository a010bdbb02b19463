/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c -- what went wrong, as one sentence; and the limits by name
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "gx.h"

/* gx.h has the contract. err NULL: nobody asks, and only the status is returned. Of a path that is too long the end is
 * kept; a sentence that is too long is cut before a character of UTF-8 and ends with "...", as it goes into logs and
 * pages. */
gx_status gx_fail(gx_error *err, gx_status status, const char *file, u32 line, u32 column, const char *fmt, ...)
{
    va_list args;
    if (!err)
        return status;
    memset(err, 0, offsetof(gx_error, text));
    err->status = status;
    err->line = line;
    err->column = column;
    if (file) {
        /* the end of a long path says more than its start */
        size_t n = strlen(file), room = sizeof err->file - 1;
        if (n > room)
            snprintf(err->file, sizeof err->file, "...%s", file + (n - (room - 3)));
        else
            memcpy(err->file, file, n + 1);
    }
    va_start(args, fmt);
    int n = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    if (n < 0)
        err->text[0] = 0;
    if (n >= (int)sizeof err->text) {
        /* cut before a UTF-8 character, not inside one: the sentence goes into logs and pages */
        size_t cut = sizeof err->text - 4;
        while (cut > 0 && ((unsigned char)err->text[cut] & 0xc0) == 0x80)
            cut--;
        memcpy(err->text + cut, "...", 4);
    }
    return status;
}

char *gx_error_format(const gx_error *err, char *buf, size_t size)
{
    if (size == 0)
        return buf;
    const char *colon = err->file[0] ? ":" : "";
    if (err->line && err->column)
        snprintf(buf, size, "%s%s%u:%u: %s", err->file, colon, err->line, err->column, err->text);
    else if (err->line)
        snprintf(buf, size, "%s%s%u: %s", err->file, colon, err->line, err->text);
    else
        snprintf(buf, size, "%s%s%s", err->file, err->file[0] ? ": " : "", err->text);
    return buf;
}

/* ---- limits ---- */

#define K(n) ((u64)(n) << 10)
#define M(n) ((u64)(n) << 20)
#define G(n) ((u64)(n) << 30)

/* Defaults suit a server that takes documents from strangers. */
static const struct limit {
    const char *key;
    u32 at, wide;               /* offset in gx_limits; 1 = u64 */
    u64 value, max;
} limits_table[] = {
#define LIMIT64(name, value) { #name, offsetof(gx_limits, name), 1, value, UINT64_MAX }
#define LIMIT32(name, value, max) { #name, offsetof(gx_limits, name), 0, value, max }
    LIMIT64(input, M(64)),
    LIMIT64(output, M(64)),
    LIMIT64(text, M(10)),
    LIMIT64(steps, 0),                          /* no step budget */
    LIMIT64(arena, G(1)),
    LIMIT32(depth, 512, 65533),                 /* the depth column is 16 bits wide, and text lies one deeper */
    LIMIT32(nodes, (u32)M(4), 0xfffffff0u),
    LIMIT32(attributes, 1024, UINT32_MAX),
    LIMIT32(name, 1024, UINT32_MAX),
    LIMIT32(amplification, 100, UINT32_MAX),
    LIMIT32(recursion, 3000, UINT32_MAX),
};

static const struct limit *limit_named(const char *key, size_t n)
{
    for (size_t i = 0; i < sizeof limits_table / sizeof *limits_table; i++)
        if (strlen(limits_table[i].key) == n && memcmp(limits_table[i].key, key, n) == 0)
            return &limits_table[i];
    return NULL;
}

/* The largest value that makes a difference */
static u64 limit_most(const struct limit *l) { return l->at == offsetof(gx_limits, arena) ? GX_ARENA_MAX : l->max; }

static void limit_store(gx_limits *limits, const struct limit *l, u64 value)
{
    char *at = (char *)limits + l->at;
    if (l->wide)
        memcpy(at, &value, sizeof value);
    else
        memcpy(at, &(u32){ (u32)value }, sizeof(u32));
}

static u64 limit_load(const gx_limits *limits, const struct limit *l)
{
    u64 wide;
    u32 narrow;
    const char *at = (const char *)limits + l->at;
    if (l->wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

void gx_limits_default(gx_limits *limits)
{
    for (size_t i = 0; i < sizeof limits_table / sizeof *limits_table; i++)
        if (limit_load(limits, &limits_table[i]) == 0)
            limit_store(limits, &limits_table[i], limits_table[i].value);
}

void gx_limits_most(gx_limits *limits)
{
    for (size_t i = 0; i < sizeof limits_table / sizeof *limits_table; i++) {
        const struct limit *l = &limits_table[i];
        const int is_size =
            l->value && l->at != offsetof(gx_limits, amplification) && l->at != offsetof(gx_limits, recursion);
        if (is_size && limit_load(limits, l) == 0)
            limit_store(limits, l, limit_most(l));
    }
    gx_limits_default(limits);
}

int gx_limits_is_most(const char *key, u64 value)
{
    const struct limit *l = limit_named(key, strlen(key));
    return l && value >= limit_most(l);
}

int gx_size_parse(const char *text, u64 most, u64 *value)
{
    const char *s = text;
    u64 n = 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (n > (UINT64_MAX - 9) / 10)
            return -1;
        n = n * 10 + (u64)(*s - '0');
    }
    const int shift = *s == 'K' || *s == 'k' ? 10 : *s == 'M' || *s == 'm' ? 20 : *s == 'G' || *s == 'g' ? 30 : 0;
    if (s == text || s[shift ? 1 : 0])
        return 0;
    if (n > most >> shift)
        return -1;
    *value = n << shift;
    return 1;
}

/* NULL, or what is wrong with it */
static const char *limit_number(const char *text, u64 max, u64 *value)
{
    switch (gx_size_parse(text, max, value)) {
    case 1: return *value ? NULL : "a limit must be at least 1";
    case 0: return "a limit's value must be a whole number, optionally with K, M or G after it, or max";
    default: return "this limit's value is too large; say max for no limit";
    }
}

/* A whole number of seconds, or of milliseconds with ms after it. */
static const char *limit_time(const char *text, u64 *time_us)
{
    const char *s = text;
    u64 value = 0;
    for (; *s >= '0' && *s <= '9' && value < 1000000000; s++)
        value = value * 10 + (u64)(*s - '0');
    const u64 unit = !strcmp(s, "ms") ? 1000 : !*s || !strcmp(s, "s") ? 1000000 : 0;
    if (!unit || !value)
        return "time must be a whole number of seconds above 0, or of milliseconds like 800ms, or max";
    *time_us = value * unit;
    return NULL;
}

const char *gx_compile_limit_set(u64 *memory, u64 *time_us, const char *key_value)
{
    const int is_memory = !strncmp(key_value, "memory=", 7), is_time = !strncmp(key_value, "time=", 5);
    const char *value = strchr(key_value, '=');
    if (!is_memory && !is_time)
        return "what bounds compiling are memory=N and time=N";
    if (!strcmp(++value, "max")) {
        *(is_memory ? memory : time_us) = 0;
        return NULL;
    }
    return is_memory ? limit_number(value, UINT64_MAX, memory) : limit_time(value, time_us);
}

const char *gx_limits_set(gx_limits *limits, const char *key_value)
{
    const char *eq = strchr(key_value, '='), *wrong;
    const struct limit *l;
    if (!eq)
        return "a limit must look like key=value, e.g. depth=1000";
    if (!(l = limit_named(key_value, (size_t)(eq - key_value))))
        return "unknown limit: the keys are input, output, text, steps, arena, depth, nodes, attributes, name, "
               "amplification, recursion";
    if (strcmp(eq + 1, "max") == 0) {
        limit_store(limits, l, l->max);
        return NULL;
    }
    u64 value;
    if ((wrong = limit_number(eq + 1, l->max, &value)))
        return wrong;
    limit_store(limits, l, value);
    return NULL;
}
