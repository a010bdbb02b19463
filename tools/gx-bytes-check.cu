/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gx-bytes-check -- the team's parser on a GPU (engine/document/bytes.h): are its blocks the scanner's, and how long
 * does it take?
 *
 *   gx-bytes-check check FILE...             each file on blocks of 32, 64 and 128 threads, and on the grid: the
 *                                            scanner's block, or refused
 *   gx-bytes-check mutants COUNT SEED FILE...    so many damaged copies of each, on blocks: the scanner's verdict. Of
 *                                                more than 64 KiB, up to 1 MiB: on the grid, too, in pieces as if they
 *                                                came from a network; blanks at the beginning move all seams of chunks,
 *                                                groups and pieces over the rest
 *   gx-bytes-check time FILE...              microseconds: many copies of each file on blocks, one on the grid; with
 *                                            and without the link
 *
 * Exit status: 0 all agree, 1 something differs, 2 it could not be done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "document/doc.h"
#include "kernels/bytes.h"
#include "sure.h"
extern "C" {
#include "gx.h"
}

typedef struct text { const char *name; char *at; size_t n; } text;
typedef struct job {
    gx_bytes_request *requests;
    gx_bytes_answer *answers;
    char *bytes, *arenas;
    u32 n;
    u64 arena;
} job;

static gx_parser *parser;
static gx_limits limits;
static const char base_uri[] = "http://host/doc.xml";
static u32 blocks;
static void *shared;

static text read_file(const char *path)
{
    text t = { path, NULL, 0 };
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    t.n = (size_t)ftell(f);
    rewind(f);
    SURE(cudaMallocHost((void **)&t.at, t.n + 64));
    if (fread(t.at, 1, t.n, f) != t.n) {
        perror(path);
        exit(2);
    }
    fclose(f);
    return t;
}

/* On the device: what a document of n bytes may take */
static u64 arena_of(u64 n) { return (n * 40 + (512u << 10) + 255) & ~255ull; }

static gx_bytes_request request_of(const char *d_bytes, u64 n, u64 seed, char *d_arena, u64 arena, const char *d_base)
{
    gx_bytes_request r;
    memset(&r, 0, sizeof r);
    r.bytes = d_bytes;
    r.n = n;
    r.seed = seed;
    r.base_uri = d_base;
    r.base_uri_len = sizeof base_uri - 1;
    r.limits.text = limits.text;
    r.limits.depth = limits.depth;
    r.limits.nodes = limits.nodes;
    r.limits.attributes = limits.attributes;
    r.limits.name = limits.name;
    r.arena = d_arena;
    r.arena_bytes = arena;
    return r;
}

/* The scanner's block, or NULL */
static gx_doc *scan(const char *bytes, size_t n)
{
    gx_parse_options o;
    gx_error err;
    gx_doc *doc = NULL;
    memset(&o, 0, sizeof o);
    o.base_uri = base_uri;
    o.seed = 12345;
    o.limits = &limits;
    return gx_parse(parser, &o, bytes, n, &doc, &err) == GX_OK ? doc : NULL;
}

static const char *compare(const gx_bytes_answer *a, const char *d_arena, const gx_doc *doc)
{
    if (a->status == GX_EXML)
        return NULL;
    if (a->status != GX_OK)
        return "not enough memory";
    if (!doc)
        return "accepted, and the scanner refuses it";
    if (a->size != doc->size)
        return "a block of another size";
    char *own = (char *)malloc(a->size);
    SURE(cudaMemcpy(own, d_arena + a->doc, a->size, cudaMemcpyDeviceToHost));
    const int same = memcmp(own, doc, a->size) == 0;
    free(own);
    return same ? NULL : "another block";
}

static u32 seed;
static u32 chance(u32 n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static char *d_base;
static int differing, agreeing, refused, judged;

static void judge(const char *name, const char *team, const gx_bytes_answer *a, const char *d_arena, const gx_doc *doc)
{
    const char *wrong = compare(a, d_arena, doc);
    judged++;
    if (wrong) {
        printf("%s on %s: %s\n", name, team, wrong);
        differing++;
    } else if (a->status == GX_OK)
        agreeing++;
    else
        refused += doc != NULL;
}

/* n documents of bytes at offsets, as blocks; answers to host memory */
static void on_blocks(const gx_bytes_request *requests, u32 n, u32 threads, gx_bytes_answer *answers)
{
    gx_bytes_request *d_requests;
    gx_bytes_answer *d_answers;
    SURE(cudaMalloc((void **)&d_requests, n * sizeof *requests));
    SURE(cudaMalloc((void **)&d_answers, n * sizeof *answers));
    SURE(cudaMemcpy(d_requests, requests, n * sizeof *requests, cudaMemcpyHostToDevice));
    SURE(gx_bytes_blocks(d_requests, d_answers, n, threads, 0));
    SURE(cudaDeviceSynchronize());
    SURE(cudaMemcpy(answers, d_answers, n * sizeof *answers, cudaMemcpyDeviceToHost));
    SURE(cudaFree(d_requests));
    SURE(cudaFree(d_answers));
}

static void on_grid(const gx_bytes_request *request, gx_bytes_answer *answer)
{
    gx_bytes_request *d_request;
    gx_bytes_answer *d_answer;
    SURE(cudaMalloc((void **)&d_request, sizeof *request));
    SURE(cudaMalloc((void **)&d_answer, sizeof *answer));
    SURE(cudaMemcpy(d_request, request, sizeof *request, cudaMemcpyHostToDevice));
    SURE(cudaMemset(shared, 0, gx_bytes_grid_shared_size()));
    SURE(gx_bytes_grid(d_request, d_answer, shared, blocks, 0));
    SURE(cudaDeviceSynchronize());
    SURE(cudaMemcpy(answer, d_answer, sizeof *answer, cudaMemcpyDeviceToHost));
    SURE(cudaFree(d_request));
    SURE(cudaFree(d_answer));
}

/* The same, and the source comes in pieces of random sizes. The end of its arena, arena bytes, is used for that. */
static void on_grid_in_pieces(gx_bytes_request r, u64 arena, gx_bytes_answer *answer)
{
    gx_bytes_request *d_request;
    gx_bytes_answer *d_answer;
    const u64 table = GX_BYTES_STRINGS * sizeof(u64);
    const u32 most = (u32)(r.n / GX_COME_TOKEN_BYTES) + 1;
    const gx_coming *const c = &r.chunks;
    u32 from = 0;
    r.arena_bytes = (arena - gx_chunks_lay(NULL, NULL, r.n, most) - 128) & ~127ull;
    gx_chunks_lay(&r.chunks, r.arena + r.arena_bytes, r.n, most);
    SURE(cudaMalloc((void **)&d_request, sizeof r));
    SURE(cudaMalloc((void **)&d_answer, sizeof *answer));
    SURE(cudaMemcpy(d_request, &r, sizeof r, cudaMemcpyHostToDevice));
    SURE(cudaMemset(c->found, 0, 2 * sizeof(u32)));
    SURE(cudaMemset(c->state, 0, sizeof(u32)));
    SURE(cudaMemset(c->before, 0, sizeof *c->before));
    SURE(cudaMemset(c->come.strings, 0, table));
    SURE(cudaMemset(c->come.strings_first, 0xff, table));
    for (u64 at = 0; at < r.n; ) {
        at += 1 + chance(1u << (8 + chance(12)));
        const u32 to = gx_chunks_known(at, r.n);
        SURE(gx_bytes_chunks(d_request, from, to, 0));
        from = to > from ? to : from;
    }
    SURE(cudaMemset(shared, 0, gx_bytes_grid_shared_size()));
    SURE(gx_bytes_grid(d_request, d_answer, shared, blocks, 0));
    SURE(cudaMemcpy(answer, d_answer, sizeof *answer, cudaMemcpyDeviceToHost));
    SURE(cudaFree(d_request));
    SURE(cudaFree(d_answer));
}

static void check(const text *t)
{
    char *d_bytes, *d_arena;
    const u64 arena = arena_of(t->n);
    gx_doc *doc = scan(t->at, t->n);
    gx_bytes_answer a;
    SURE(cudaMalloc((void **)&d_bytes, t->n + 64));
    SURE(cudaMalloc((void **)&d_arena, arena));
    SURE(cudaMemcpy(d_bytes, t->at, (t->n + 15) & ~(size_t)15, cudaMemcpyHostToDevice)); /* words are read */
    const gx_bytes_request r = request_of(d_bytes, t->n, 12345, d_arena, arena, d_base);
    for (u32 threads = 32; threads <= 128 && t->n < 4u << 20; threads *= 2) {
        char team[20];
        on_blocks(&r, 1, threads, &a);
        snprintf(team, sizeof team, "block %u", threads);
        judge(t->name, team, &a, d_arena, doc);
    }
    on_grid(&r, &a);
    judge(t->name, "grid", &a, d_arena, doc);
    SURE(cudaFree(d_bytes));
    SURE(cudaFree(d_arena));
    free(doc);
}

/* ---- damaged documents ---- */

static size_t damage(char *s, size_t n, size_t most)
{
    static const char *const bits[] = { "<",
                                        ">",
                                        "/",
                                        "&",
                                        ";",
                                        "'",
                                        "\"",
                                        "=",
                                        " ",
                                        "\n",
                                        "\r",
                                        "]",
                                        "]]>",
                                        "<!--",
                                        "-->",
                                        "<![CDATA[",
                                        "<?",
                                        "?>",
                                        "xmlns",
                                        ":",
                                        "xml:id='a'",
                                        "&lt;",
                                        "&#65;",
                                        "&#x1F600;",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xff",
                                        "\x01",
                                        "\xef\xbf\xbf",
                                        "a",
                                        "<a>",
                                        "</a>",
                                        "<b/>",
                                        " x='1'",
                                        " xmlns:p='u'",
                                        " xmlns='v'",
                                        "p:",
                                        "<p:b>",
                                        "</p:b>",
                                        "!",
                                        "-" };
    for (u32 k = 1 + chance(3); k; k--) {
        const char *bit = bits[chance(sizeof bits / sizeof *bits)];
        const size_t len = strlen(bit), at = chance((u32)n), size = 1 + chance(8);
        if (chance(3) && n + len <= most) {
            memmove(s + at + len, s + at, n - at);
            memcpy(s + at, bit, len);
            n += len;
        } else if (at + size < n) {
            memmove(s + at, s + at + size, n - at - size);
            n -= size;
        }
    }
    return n;
}

/* The document's bytes with up to 300 blanks behind its first start tag: returns how many they are */
static size_t shifted(char *to, const text *t)
{
    const char *tag = (const char *)memchr(t->at, '<', t->n);
    while (tag && (size_t)(tag + 1 - t->at) < t->n && (tag[1] == '?' || tag[1] == '!'))
        tag = (const char *)memchr(tag + 1, '<', t->n - (size_t)(tag + 1 - t->at));
    const char *end = tag ? (const char *)memchr(tag, '>', t->n - (size_t)(tag - t->at)) : NULL;
    const size_t before = end && end[-1] != '/' ? (size_t)(end + 1 - t->at) : 0, more = before ? chance(300) : 0;
    memcpy(to, t->at, before);
    memset(to + before, ' ', more);
    memcpy(to + before + more, t->at + before, t->n - before);
    return t->n + more;
}

static void keep_differing(const char *bytes, size_t n)
{
    char path[400];
    if (!getenv("OUT"))
        return;
    snprintf(path, sizeof path, "%s/differs-%d.xml", getenv("OUT"), differing);
    FILE *f = fopen(path, "wb");
    if (f) {
        fwrite(bytes, 1, n, f);
        fclose(f);
    }
}

static void damaged(const text *t, u32 count)
{
    const int is_large = t->n > 65536;
    const u32 batch = is_large ? 64 : 4096;
    const size_t most = (t->n + 400 + 255) & ~255ull;
    const u64 arena = arena_of(most) + (is_large ? most * 8 + (1u << 20) : 0);
    char *bytes, *d_bytes, *d_arenas;
    if (t->n > 1u << 20 || t->n < 4)
        return;
    gx_bytes_request *requests = (gx_bytes_request *)malloc(batch * sizeof *requests);
    gx_bytes_answer *answers = (gx_bytes_answer *)malloc(batch * sizeof *answers);
    SURE(cudaMallocHost((void **)&bytes, batch * most));
    SURE(cudaMalloc((void **)&d_bytes, batch * most + 64));
    SURE(cudaMalloc((void **)&d_arenas, batch * arena));
    for (u32 done = 0; done < count; ) {
        const u32 n = count - done < batch ? count - done : batch;
        for (u32 k = 0; k < n; k++) {
            char *const at = bytes + k * most;
            size_t size = is_large ? shifted(at, t) : (memcpy(at, t->at, t->n), t->n);
            if (!is_large || chance(4))
                size = damage(at, size, most);
            requests[k] = request_of(d_bytes + k * most, size, 12345, d_arenas + k * arena, arena, d_base);
        }
        SURE(cudaMemcpy(d_bytes, bytes, n * most, cudaMemcpyHostToDevice));
        on_blocks(requests, n, 32u << chance(6), answers);
        for (u32 k = 0; k < n; k++) {
            const int before = differing;
            gx_doc *doc = scan(bytes + k * most, requests[k].n);
            judge(t->name, "a damaged document", &answers[k], d_arenas + k * arena, doc);
            if (is_large) {
                on_grid_in_pieces(requests[k], arena, &answers[k]);
                judge(t->name, "a damaged document in pieces", &answers[k], d_arenas + k * arena, doc);
            }
            if (differing != before)
                keep_differing(bytes + k * most, requests[k].n);
            free(doc);
        }
        done += n;
    }
    SURE(cudaFreeHost(bytes));
    SURE(cudaFree(d_bytes));
    SURE(cudaFree(d_arenas));
    free(requests);
    free(answers);
}

/* ---- time ---- */

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void time_blocks(const text *t, u32 n, u32 threads)
{
    enum { ROUNDS = 9 };
    const size_t size = (t->n + 64 + 255) & ~255ull;
    const u64 arena = (t->n * 16 + (400u << 10) + 255) & ~255ull;
    char *bytes, *d_bytes, *d_arenas;
    float kernel[ROUNDS], all[ROUNDS];
    gx_bytes_request *d_requests, *requests = (gx_bytes_request *)malloc(n * sizeof *requests);
    gx_bytes_answer *d_answers, *answers;
    cudaEvent_t e[4];
    for (int i = 0; i < 4; i++)
        SURE(cudaEventCreate(&e[i]));
    SURE(cudaMallocHost((void **)&answers, n * sizeof *answers));
    SURE(cudaMallocHost((void **)&bytes, n * size));
    SURE(cudaMalloc((void **)&d_bytes, n * size));
    SURE(cudaMalloc((void **)&d_arenas, n * arena));
    SURE(cudaMalloc((void **)&d_requests, n * sizeof *requests));
    SURE(cudaMalloc((void **)&d_answers, n * sizeof *answers));
    for (u32 k = 0; k < n; k++) {
        memcpy(bytes + k * size, t->at, t->n);
        requests[k] = request_of(d_bytes + k * size, t->n, 12345, d_arenas + k * arena, arena, d_base);
    }
    SURE(cudaMemcpy(d_requests, requests, n * sizeof *requests, cudaMemcpyHostToDevice));
    for (int i = 0; i < ROUNDS; i++) {
        SURE(cudaEventRecord(e[0]));
        SURE(cudaMemcpyAsync(d_bytes, bytes, n * size, cudaMemcpyHostToDevice));
        SURE(cudaEventRecord(e[1]));
        SURE(gx_bytes_blocks(d_requests, d_answers, n, threads, 0));
        SURE(cudaEventRecord(e[2]));
        SURE(cudaMemcpyAsync(answers, d_answers, n * sizeof *answers, cudaMemcpyDeviceToHost));
        SURE(cudaEventRecord(e[3]));
        SURE(cudaEventSynchronize(e[3]));
        SURE(cudaEventElapsedTime(&kernel[i], e[1], e[2]));
        SURE(cudaEventElapsedTime(&all[i], e[0], e[3]));
    }
    u32 wrong = 0;
    for (u32 k = 0; k < n; k++)
        wrong += answers[k].status != GX_OK;
    qsort(kernel, ROUNDS, sizeof *kernel, ascending);
    qsort(all, ROUNDS, sizeof *all, ascending);
    printf("%s\tblocks of %u\t%u\t%.1f\t%.1f\t%.0f\t%.2f\t%u\n", t->name, threads, n, kernel[ROUNDS / 2] * 1e3,
           all[ROUNDS / 2] * 1e3, n / (kernel[ROUNDS / 2] * 1e-3), (double)n * t->n / (kernel[ROUNDS / 2] * 1e6),
           wrong);
    SURE(cudaFreeHost(answers));
    SURE(cudaFreeHost(bytes));
    SURE(cudaFree(d_bytes));
    SURE(cudaFree(d_arenas));
    SURE(cudaFree(d_requests));
    SURE(cudaFree(d_answers));
    free(requests);
}

static void time_grid(const text *t)
{
    enum { ROUNDS = 9 };
    const u64 arena = arena_of(t->n) / 2 + (8u << 20);
    char *d_bytes, *d_arena;
    float kernel[ROUNDS], all[ROUNDS];
    gx_bytes_request *d_request;
    gx_bytes_answer *d_answer, *answer;
    cudaEvent_t e[4];
    for (int i = 0; i < 4; i++)
        SURE(cudaEventCreate(&e[i]));
    SURE(cudaMallocHost((void **)&answer, sizeof *answer));
    SURE(cudaMalloc((void **)&d_bytes, t->n + 64));
    SURE(cudaMalloc((void **)&d_arena, arena));
    SURE(cudaMalloc((void **)&d_request, sizeof *d_request));
    SURE(cudaMalloc((void **)&d_answer, sizeof *d_answer));
    const gx_bytes_request r = request_of(d_bytes, t->n, 12345, d_arena, arena, d_base);
    SURE(cudaMemcpy(d_request, &r, sizeof r, cudaMemcpyHostToDevice));
    for (int i = 0; i < ROUNDS; i++) {
        SURE(cudaMemset(shared, 0, gx_bytes_grid_shared_size()));
        SURE(cudaEventRecord(e[0]));
        SURE(cudaMemcpyAsync(d_bytes, t->at, t->n, cudaMemcpyHostToDevice));
        SURE(cudaEventRecord(e[1]));
        SURE(gx_bytes_grid(d_request, d_answer, shared, blocks, 0));
        SURE(cudaEventRecord(e[2]));
        SURE(cudaMemcpyAsync(answer, d_answer, sizeof *answer, cudaMemcpyDeviceToHost));
        SURE(cudaEventRecord(e[3]));
        SURE(cudaEventSynchronize(e[3]));
        SURE(cudaEventElapsedTime(&kernel[i], e[1], e[2]));
        SURE(cudaEventElapsedTime(&all[i], e[0], e[3]));
    }
    qsort(kernel, ROUNDS, sizeof *kernel, ascending);
    qsort(all, ROUNDS, sizeof *all, ascending);
    printf("%s\tgrid of %u\t1\t%.1f\t%.1f\t%.0f\t%.2f\t%u\n", t->name, blocks, kernel[ROUNDS / 2] * 1e3,
           all[ROUNDS / 2] * 1e3, 1 / (kernel[ROUNDS / 2] * 1e-3), (double)t->n / (kernel[ROUNDS / 2] * 1e6),
           answer->status != GX_OK);
    SURE(cudaFree(d_bytes));
    SURE(cudaFree(d_arena));
    SURE(cudaFree(d_request));
    SURE(cudaFree(d_answer));
    SURE(cudaFreeHost(answer));
}

int main(int argc, char **argv)
{
    gx_error err;
    const int is_check = argc > 2 && strcmp(argv[1], "check") == 0, is_time = argc > 2 && strcmp(argv[1], "time") == 0,
              is_damaged = argc > 4 && strcmp(argv[1], "mutants") == 0;
    if (!is_check && !is_time && !is_damaged) {
        fprintf(stderr, "usage: gx-bytes-check check FILE... | mutants COUNT SEED FILE... | time FILE...\n");
        return 2;
    }
    memset(&limits, 0, sizeof limits);
    gx_limits_most(&limits);
    if (gx_parser_create(&parser, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    SURE(gx_bytes_grid_blocks(&blocks));
    SURE(cudaMalloc(&shared, gx_bytes_grid_shared_size()));
    SURE(cudaMalloc((void **)&d_base, sizeof base_uri + 64));
    SURE(cudaMemcpy(d_base, base_uri, sizeof base_uri, cudaMemcpyHostToDevice));
    if (is_time)
        printf("document\tteam\tcopies\tkernel_us\twith_link_us\tdocuments_per_s\tGB_per_s\tfailed\n");
    seed = is_damaged ? (u32)strtoul(argv[3], NULL, 10) : 0;
    for (int i = is_damaged ? 4 : 2; i < argc; i++) {
        text t = read_file(argv[i]);
        if (is_check)
            check(&t);
        else if (is_damaged)
            damaged(&t, (u32)strtoul(argv[2], NULL, 10));
        else {
            if (t.n < 200000)
                for (u32 n = 1; n <= 16000 && n * (t.n + 65536) < 4ull << 30; n = n == 1 ? 132
                         : n == 132                                                      ? 1000
                                                                                         : n * 4)
                    for (u32 threads = 64; threads <= 128; threads *= 2)
                        time_blocks(&t, n, threads);
            time_grid(&t);
        }
        SURE(cudaFreeHost(t.at));
    }
    if (!is_time)
        printf("%d judged: %d blocks as the scanner's, %d refused that it accepts, %d refused by both, %d differ\n",
               judged, agreeing, refused, judged - agreeing - refused - differing, differing);
    return differing != 0;
}
