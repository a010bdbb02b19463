/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c -- gpuxslt --each: files, lists of files, tar archives, records
 *
 * Names and sizes come from outside. An entry that is larger than the limit is an item that fails, not the end of
 * everything.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "each.h"

enum { READ_AHEAD = 1 << 20 };         /* bytes of a stream at once: documents are small */

void each_item_free(each_item *item)
{
    free(item->name);
    free(item->bytes);
    free(item->wrong);
    memset(item, 0, sizeof *item);
}

static i64 time_of(const struct stat *st) { return (i64)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec; }

/* ---- files that are named ---- */

typedef struct files_input { each_input base; const char *const *names; u64 at; } files_input;

static int next_file(each_input *in, each_item *item, char why[400])
{
    files_input *f = (files_input *)in;
    struct stat st;
    (void)why;
    if (f->at == in->total)
        return 0;
    item->name = strdup(f->names[f->at++]);
    item->time_ns = item->name && stat(item->name, &st) == 0 ? time_of(&st) : 0;
    return 1;
}

static void close_plain(each_input *in) { free(in); }

each_input *each_open_files(const char *const *names, int n)
{
    files_input *f = calloc(1, sizeof *f);
    if (f)
        *f = (files_input){ { next_file, close_plain, (u64)n, 0, 0 }, names, 0 };
    return f ? &f->base : NULL;
}

/* ---- a list ---- */

typedef struct list_input { each_input base; FILE *file; char *line; size_t room; } list_input;

static int next_line(each_input *in, each_item *item, char why[400])
{
    list_input *l = (list_input *)in;
    struct stat st;
    ssize_t n;
    do {
        errno = 0;
        n = getline(&l->line, &l->room, l->file);
        if (n < 0 && ferror(l->file)) {
            snprintf(why, 400, "the list cannot be read: %s", strerror(errno));
            return -1;
        }
        if (n < 0)
            return 0;
        while (n && (l->line[n - 1] == '\n' || l->line[n - 1] == '\r'))
            l->line[--n] = 0;
    } while (!n);
    item->name = strdup(l->line);
    item->time_ns = item->name && stat(item->name, &st) == 0 ? time_of(&st) : 0;
    return 1;
}

static void close_list(each_input *in)
{
    list_input *l = (list_input *)in;
    if (l->file != stdin)
        fclose(l->file);
    free(l->line);
    free(l);
}

static FILE *open_input(const char *name, char why[400])
{
    FILE *file = strcmp(name, "-") ? fopen(name, "rb") : stdin;
    if (!file)
        snprintf(why, 400, "%s: cannot be opened: %s", name, strerror(errno));
    else
        setvbuf(file, NULL, _IOFBF, READ_AHEAD);
    return file;
}

each_input *each_open_list(const char *name, char why[400])
{
    FILE *file = open_input(name, why);
    list_input *l = file ? calloc(1, sizeof *l) : NULL;
    if (l)
        *l = (list_input){ { next_line, close_list, 0, 0, 0 }, file, NULL, 0 };
    return l ? &l->base : NULL;
}

/* ---- bytes of a stream ---- */

/* n bytes, or fewer at its end. Memory grows with what really comes, whatever a header claims. NULL: no memory. */
static char *take(FILE *file, u64 n, size_t *got)
{
    size_t room = n < 1 << 20 ? (size_t)n + 1 : 1 << 20;
    char *bytes = malloc(room);
    *got = 0;
    while (bytes && *got < n) {
        if (*got + 1 >= room) {
            const size_t more = room > n / 2 ? (size_t)n + 1 : 2 * room;
            char *at = realloc(bytes, more);
            if (!at)
                break;
            bytes = at;
            room = more;
        }
        const size_t want = room - 1 - *got < n - *got ? room - 1 - *got : (size_t)(n - *got);
        const size_t came = fread(bytes + *got, 1, want, file);
        *got += came;
        if (came < want)
            return bytes;
    }
    if (bytes && *got < n) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static int skip(FILE *file, u64 n)
{
    char piece[65536];
    while (n) {
        const size_t want = n < sizeof piece ? (size_t)n : sizeof piece, came = fread(piece, 1, want, file);
        if (came < want)
            return 0;
        n -= came;
    }
    return 1;
}

static u64 size_of(FILE *file)
{
    struct stat st;
    return fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) ? (u64)st.st_size : 0;
}

/* ---- tar: ustar, with pax's and GNU's headers for long names and large sizes ---- */

typedef struct tar_input {
    each_input base;
    FILE *file;
    const char *archive;
    u64 most, at;               /* bytes read so far, always whole blocks between entries */
    char *name;                 /* of the next entry, from a header before it */
    u64 size;                   /* the same; UINT64_MAX: its own header says */
} tar_input;

typedef struct tar_header {
    char name[100], mode[8], uid[8], gid[8], size[12], time[12], sum[8], type, link[100], magic[6], version[2],
        user[32], group[32], major[8], minor[8], prefix[155], pad[12];
} tar_header;
_Static_assert(sizeof(tar_header) == 512, "a tar header is one block");

/* Octal, or with the first bit set, base 256. UINT64_MAX: no number. */
static u64 tar_number(const char *field, size_t n)
{
    u64 value = 0;
    size_t i = 0;
    if ((u8)field[0] == 0x80) {
        for (i = 1; i < n; i++) {
            if (value >> 55)
                return UINT64_MAX;
            value = value << 8 | (u8)field[i];
        }
        return value;
    }
    while (i < n && field[i] == ' ')
        i++;
    for (; i < n && field[i] >= '0' && field[i] <= '7'; i++)
        value = value << 3 | (u64)(field[i] - '0');
    return i < n && field[i] && field[i] != ' ' ? UINT64_MAX : value;
}

static int has_sum(const tar_header *h)
{
    u64 sum = 0;
    for (size_t i = 0; i < sizeof *h; i++)
        sum += i >= offsetof(tar_header, sum) && i < offsetof(tar_header, type) ? ' ' : ((const u8 *)h)[i];
    return sum == tar_number(h->sum, sizeof h->sum);
}

static int is_zero(const tar_header *h)
{
    for (size_t i = 0; i < sizeof *h; i++)
        if (((const char *)h)[i])
            return 0;
    return 1;
}

/* "27 path=some/long/name.xml\n": path and size are what matters here. */
static void read_pax(tar_input *t, const char *s, size_t n)
{
    while (n) {
        char *end;
        const unsigned long length = strtoul(s, &end, 10);
        if (end == s || *end != ' ' || length > n || length < (size_t)(end - s) + 3 || s[length - 1] != '\n')
            return;
        const char *key = end + 1, *value = memchr(key, '=', (size_t)(s + length - key));
        if (value && value - key == 4 && memcmp(key, "path", 4) == 0) {
            free(t->name);
            t->name = strndup(value + 1, (size_t)(s + length - 1 - (value + 1)));
        }
        if (value && value - key == 4 && memcmp(key, "size", 4) == 0)
            t->size = strtoull(value + 1, NULL, 10);
        s += length;
        n -= length;
    }
}

static int tar_ends(const tar_input *t, char why[400], const char *what)
{
    snprintf(why, 400, "%s: byte %llu: %s", t->archive, (unsigned long long)t->at, what);
    return -1;
}

static u64 padded(u64 n) { return (n + 511) & ~(u64)511; }

/* A header's own data, of at most 1 MiB: 0 and *out, or an error. */
static int tar_text(tar_input *t, u64 size, char **out, size_t *n, char why[400])
{
    if (size > 1 << 20)
        return tar_ends(t, why, "a header for a long name is larger than 1 MiB");
    *out = take(t->file, padded(size), n);
    if (!*out || *n < padded(size)) {
        free(*out);
        return tar_ends(t, why, "the archive ends within a header");
    }
    t->at += padded(size);
    *n = (size_t)size;
    (*out)[size] = 0;
    return 0;
}

static int tar_entry(tar_input *t, const tar_header *h, u64 size, each_item *item, char why[400])
{
    char *name = t->name;
    t->name = NULL;
    if (!name && !memcmp(h->magic, "ustar", 5) && h->prefix[0]
        && asprintf(&name, "%.155s/%.100s", h->prefix, h->name) < 0)
        name = NULL;
    item->name = name ? name : strndup(h->name, sizeof h->name);
    item->time_ns = (i64)(tar_number(h->time, sizeof h->time) & 0xffffffffffu) * 1000000000;
    if (size > t->most) {
        item->wrong = strdup("larger than the limit input allows");
        if (!skip(t->file, padded(size)))
            return tar_ends(t, why, "the archive ends within an entry");
    } else {
        item->bytes = take(t->file, size, &item->n);
        if (!item->bytes || item->n < size || !skip(t->file, padded(size) - size)) {
            each_item_free(item);
            return tar_ends(t, why, "the archive ends within an entry");
        }
    }
    t->at += padded(size);
    t->base.read_bytes = t->at;
    return 1;
}

static int next_entry(each_input *in, each_item *item, char why[400])
{
    tar_input *t = (tar_input *)in;
    for (;;) {
        tar_header h;
        const size_t came = fread(&h, 1, sizeof h, t->file);
        char *text;
        size_t n;
        if (came == 0 && !ferror(t->file))
            return 0;
        if (came < sizeof h)
            return tar_ends(t, why, "the archive ends within a header");
        if (is_zero(&h))
            return 0;
        if (!has_sum(&h))
            return tar_ends(t, why,
                            t->at ? "no tar header where one must be"
                                  : "this is no tar archive (gzip it is not, either: unpack it before)");
        t->at += sizeof h;
        const u64 own = tar_number(h.size, sizeof h.size), size = t->size != UINT64_MAX ? t->size : own;
        if (size > (u64)1 << 50)
            return tar_ends(t, why, "an entry's size is no number");
        if (h.type == 'x' || h.type == 'L') {
            if (tar_text(t, own, &text, &n, why) < 0)
                return -1;
            if (h.type == 'x')
                read_pax(t, text, n);
            else {
                free(t->name);
                t->name = strdup(text);
            }
            free(text);
            continue;
        }
        t->size = UINT64_MAX;
        if (h.type == '0' || h.type == 0 || h.type == '7')
            return tar_entry(t, &h, size, item, why);
        free(t->name);              /* a directory, a link, ... */
        t->name = NULL;
        if (!skip(t->file, h.type == '5' ? 0 : padded(size)))
            return tar_ends(t, why, "the archive ends within an entry");
        t->at += h.type == '5' ? 0 : padded(size);
    }
}

static void close_tar(each_input *in)
{
    tar_input *t = (tar_input *)in;
    if (t->file != stdin)
        fclose(t->file);
    free(t->name);
    free(t);
}

each_input *each_open_tar(const char *name, u64 most, char why[400])
{
    FILE *file = open_input(name, why);
    tar_input *t = file ? calloc(1, sizeof *t) : NULL;
    if (t)
        *t = (tar_input){ { next_entry, close_tar, 0, size_of(file), 0 }, file, name, most, 0, NULL, UINT64_MAX };
    return t ? &t->base : NULL;
}

/* ---- records on standard input ---- */

typedef struct records_input {
    each_input base;
    each_frames frames;
    u64 most, n, at;
    char *line;
    size_t room;
} records_input;

static int name_record(records_input *r, each_item *item)
{
    if (asprintf(&item->name, "record %llu", (unsigned long long)++r->n) < 0)
        item->name = NULL;
    return 1;
}

static int next_nul(each_input *in, each_item *item, char why[400])
{
    records_input *r = (records_input *)in;
    const ssize_t n = getdelim(&r->line, &r->room, 0, stdin);
    if (n < 0 && ferror(stdin)) {
        snprintf(why, 400, "standard input, record %llu: %s", (unsigned long long)r->n + 1, strerror(errno));
        return -1;
    }
    if (n < 0)
        return 0;
    item->n = r->line[n - 1] ? (size_t)n : (size_t)n - 1;       /* the last one's 0 may be missing */
    if (item->n > r->most)
        item->wrong = strdup("larger than the limit input allows");
    else if ((item->bytes = malloc(item->n + 1)) != NULL)
        memcpy(item->bytes, r->line, item->n + 1);
    return name_record(r, item);
}

static int next_length(each_input *in, each_item *item, char why[400])
{
    records_input *r = (records_input *)in;
    u8 head[4];
    const size_t came = fread(head, 1, 4, stdin);
    if (came == 0 && !ferror(stdin))
        return 0;
    const u64 n = (u64)head[0] << 24 | (u64)head[1] << 16 | (u64)head[2] << 8 | head[3];
    name_record(r, item);
    int good = came == 4;
    if (good && n > r->most) {
        item->wrong = strdup("larger than the limit input allows");
        good = skip(stdin, n);
    } else if (good)
        good = (item->bytes = take(stdin, n, &item->n)) != NULL && item->n == n;
    if (good) {
        r->at += 4 + n;
        return 1;
    }
    snprintf(why, 400, "standard input, %s, byte %llu: ends within a record of %llu bytes",
             item->name ? item->name : "a record", (unsigned long long)r->at, (unsigned long long)(came == 4 ? n : 0));
    each_item_free(item);
    return -1;
}

static void close_records(each_input *in)
{
    free(((records_input *)in)->line);
    free(in);
}

each_input *each_open_records(each_frames frames, u64 most)
{
    records_input *r = calloc(1, sizeof *r);
    setvbuf(stdin, NULL, _IOFBF, READ_AHEAD);
    if (r)
        *r = (records_input){ { frames == EACH_FRAMES_NUL ? next_nul : next_length, close_records, 0, 0, 0 }, frames,
                              most, 0, 0, NULL, 0 };
    return r ? &r->base : NULL;
}
