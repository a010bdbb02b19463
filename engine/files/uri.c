/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uri.c -- references against a base (RFC 3986, 5.2), for URIs and plain paths alike
 *
 *   scheme ':' '//' authority  path  '?' query  '#' fragment
 *
 * A plain path is a reference without scheme and authority, so one routine serves both. Everything is linear in its
 * input.
 */
#include <string.h>
#include <strings.h>
#include "uri.h"

size_t gx_uri_scheme(const char *s)
{
    size_t n = 0;
    for (;; n++) {
        char c = s[n];
        int alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!alpha && (n == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')))
            return c == ':' ? n : 0;
    }
}

/* RFC 3986, 5.2.4, in place: how many bytes of the path are left. "." and ".." at the end leave a '/'; ".." at the
 * root goes, and at the start of a relative path stays. O(n). */
size_t gx_uri_remove_dots(char *path, size_t n)
{
    size_t in = 0, out = 0, floor = 0;      /* path[0..floor) can no longer be taken back */
    if (n && path[0] == '/')
        in = out = floor = 1;
    while (in < n) {
        /* path[in..end) is a segment, with its '/' if it has one; out stands behind a '/' or at the start */
        char *slash = memchr(path + in, '/', n - in);
        size_t end = slash ? (size_t)(slash - path) + 1 : n, len = end - in - (slash != NULL);
        if (len == 1 && path[in] == '.') {
            in = end;
        } else if (len == 2 && path[in] == '.' && path[in + 1] == '.' && (out > floor || path[0] == '/')) {
            if (out > floor)
                for (out--; out > floor && path[out - 1] != '/'; out--)
                    ;
            in = end;
        } else {
            int up = len == 2 && path[in] == '.' && path[in + 1] == '.';
            memmove(path + out, path + in, end - in);
            out += end - in;
            in = end;
            if (up)
                floor = out;
        }
    }
    return out;
}

const char *gx_uri_reference(const char *ref)
{
    return strncasecmp(ref, "file:", 5) == 0 && ref[5] != '/' ? ref + 5 : ref;
}

/* RFC 3986, 5.2.2, without the check of a scheme of its own that 5.2.2 calls non-strict. base NULL, "", a URI or a
 * path; of file: and of plain paths ref may be "file:x" as well as "x". out has room for strlen(base) + strlen(ref) +
 * 2 and is neither of them. */
void gx_uri_resolve(const char *base, const char *ref, char *out)
{
    if (base && (gx_uri_scheme(base) == 0 || strncasecmp(base, "file:", 5) == 0))
        ref = gx_uri_reference(ref);
    if (!base || !*base || gx_uri_scheme(ref)) {
        strcpy(out, ref);
        return;
    }
    size_t scheme = gx_uri_scheme(base), path = scheme ? scheme + 1 : 0;
    size_t head;                            /* base[0..head) is taken over as it stands */
    if (strncmp(base + path, "//", 2) == 0) {
        if (strncmp(ref, "//", 2) == 0) {
            head = path;
            memcpy(out, base, head);
            strcpy(out + head, ref);
            return;
        }
        path += 2 + strcspn(base + path + 2, "/?#");
    } else if (strncmp(ref, "//", 2) == 0) {
        memcpy(out, base, path);
        strcpy(out + path, ref);
        return;
    }
    size_t path_end = path + strcspn(base + path, "?#"), query_end = path_end + strcspn(base + path_end, "#");
    if (*ref == 0 || *ref == '#' || *ref == '?') {
        head = *ref == '?' ? path_end : query_end;
        memcpy(out, base, head);
        strcpy(out + head, ref);
        return;
    }
    size_t ref_path = strcspn(ref, "?#");
    head = path;
    size_t n = head;
    memcpy(out, base, head);
    if (*ref != '/') {
        size_t dir = path_end;              /* keep the base's path up to its last '/' */
        while (dir > path && base[dir - 1] != '/')
            dir--;
        memcpy(out + n, base + path, dir - path);
        n += dir - path;
        if (dir == path && path > (scheme ? scheme + 1 : 0))
            out[n++] = '/';                 /* an authority and an empty path */
    }
    memcpy(out + n, ref, ref_path);
    n += ref_path;
    n = head + gx_uri_remove_dots(out + head, n - head);
    strcpy(out + n, ref + ref_path);
}

void gx_uri_escape(const char *s, const char *also, char *out)
{
    static const char digits[] = "0123456789ABCDEF", excluded[] = " \"<>\\^`{|}";
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c > 32 && c < 127 && !strchr(excluded, c) && !strchr(also, c)) {
            *out++ = *s;
            continue;
        }
        *out++ = '%';
        *out++ = digits[c >> 4];
        *out++ = digits[c & 15];
    }
    *out = 0;
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
        : c >= 'a' && c <= 'f'  ? c - 'a' + 10
        : c >= 'A' && c <= 'F'  ? c - 'A' + 10
                                : -1;
}

int gx_uri_unescape(char *s)
{
    char *to = s;
    while (*s) {
        if (*s != '%') {
            *to++ = *s++;
            continue;
        }
        int hi = hex(s[1]), lo = hi < 0 ? -1 : hex(s[2]);
        if (lo < 0 || (hi | lo) == 0)
            return -1;
        *to++ = (char)(hi << 4 | lo);
        s += 3;
    }
    *to = 0;
    return 0;
}
