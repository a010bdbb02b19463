/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack.c -- files that gzip has compressed (RFC 1952), which libxml2 and so xsltproc read as if they were not: Dia's
 * drawings, icons as .svgz, packages' doc.xml.gz
 *
 * Only for files that the command line reads. A small file can become a thousand times as many bytes: no more than the
 * limit `input` and one are made, which its reader then refuses with the limit's name.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "unpack.h"

#define GZIP (16 + MAX_WBITS)           /* zlib's word for: with gzip's header, and its checksum */
#define FIRST 65536u

int gx_is_packed(const char *bytes, size_t n) { return n > 2 && !memcmp(bytes, "\x1f\x8b\x08", 3); }

/* Room for another byte at least, at most `most` in all. */
static int make_room(char **to, size_t *cap, size_t n, size_t most)
{
    if (n < *cap)
        return 1;
    const size_t next = *cap ? *cap > most / 2 ? most : *cap * 2 : most < FIRST ? most : FIRST;
    char *at = realloc(*to, next + 1);
    if (!at)
        return 0;
    *to = at;
    *cap = next;
    return 1;
}

/* All members of n bytes of gzip, one behind the other, into *out: malloc()ed, *n_out bytes and a NUL. No more than
 * limit + 1 bytes are made. NULL, or a static sentence what is wrong; then there is nothing to free. */
const char *gx_unpack(const char *bytes, size_t n, u64 limit, char **out, size_t *n_out)
{
    const size_t most = limit < SIZE_MAX / 4 ? (size_t)limit + 1 : SIZE_MAX / 4;
    const char *wrong = NULL;
    char *to = NULL;
    size_t cap = 0, got = 0, at = 0;
    z_stream z;
    memset(&z, 0, sizeof z);
    if (inflateInit2(&z, GZIP) != Z_OK)
        return "out of memory";
    while (!wrong && got < most) {
        if (!make_room(&to, &cap, got, most)) {
            wrong = "out of memory";
            break;
        }
        const size_t in = n - at < FIRST ? n - at : FIRST, room = cap - got < 1u << 30 ? cap - got : 1u << 30;
        z.next_in = (Bytef *)(uintptr_t)(bytes + at);
        z.avail_in = (uInt)in;
        z.next_out = (Bytef *)to + got;
        z.avail_out = (uInt)room;
        const int status = inflate(&z, Z_NO_FLUSH);
        at += in - z.avail_in;
        got += room - z.avail_out;
        if (status == Z_STREAM_END && !gx_is_packed(bytes + at, n - at))
            break;                      /* gzip, too, passes over zeros behind the last member */
        if (status == Z_STREAM_END)
            inflateReset(&z);
        else if (status == Z_MEM_ERROR)
            wrong = "out of memory";
        else if (status == Z_BUF_ERROR || (status == Z_OK && at == n && z.avail_out))
            wrong = "its gzip data ends too early";
        else if (status != Z_OK)
            wrong = "its gzip data is damaged";
    }
    inflateEnd(&z);
    if (wrong) {
        free(to);
        return wrong;
    }
    to[got] = 0;
    *out = to;
    *n_out = got;
    return NULL;
}
