/* SPDX-License-Identifier: Apache-2.0 */
/*
 * automaton.c -- one automaton of all profiles' paths, made deterministic where documents need it: a peer of
 * gpuxml-match
 *
 *   build/bench/automaton ROUNDS PROFILES DOCUMENT ...
 *
 * As YFilter does it: profiles of element steps, "*", "/", "//" and nested paths, without values, are cut into paths
 * from the root to each leaf. These share a tree of states by their prefixes. The states that are active at an element
 * are one state of the deterministic automaton, made the first time that its path of names is seen and kept for all
 * documents. A profile is a candidate if all of its paths end somewhere. That they meet in the same branching elements
 * is not looked at, which spares this peer work: candidates are more than matches.
 *
 * Writes, in microseconds of CPU time a document: the first time, with all that has to be made, and the least of
 * ROUNDS; then candidates of a document, states. Documents are read before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint32_t u32;
typedef uint64_t u64;
enum { NONE = 0xffffffffu, DEPTH = 4096 };

static void *more(void *at, u32 n, size_t size)
{
    if (n & (n - 1) || (n && n < 4))
        return at;
    at = realloc(at, (n ? 2 * (size_t)n : 4) * size);
    if (!at)
        exit(1);
    return at;
}

/* ---- a table of numbers by two numbers ---- */

typedef struct table { u64 *key; u32 *value, n, mask; } table;

static u32 *find(table *t, u64 key)
{
    if (!t->mask || 2 * t->n > t->mask) {
        table bigger = { NULL, NULL, t->n, t->mask ? 2 * t->mask + 1 : 1023 };
        bigger.key = malloc((bigger.mask + 1ull) * sizeof *bigger.key);
        bigger.value = malloc((bigger.mask + 1ull) * sizeof *bigger.value);
        memset(bigger.value, 0xff, (bigger.mask + 1ull) * sizeof *bigger.value);
        for (u32 i = 0; t->mask && i <= t->mask; i++)
            if (t->value[i] != NONE) {
                u32 at = (u32)(t->key[i] * 0x9e3779b97f4a7c15ull >> 32) & bigger.mask;
                while (bigger.value[at] != NONE)
                    at = (at + 1) & bigger.mask;
                bigger.key[at] = t->key[i];
                bigger.value[at] = t->value[i];
            }
        free(t->key);
        free(t->value);
        *t = bigger;
    }
    u32 at = (u32)(key * 0x9e3779b97f4a7c15ull >> 32) & t->mask;
    while (t->value[at] != NONE && t->key[at] != key)
        at = (at + 1) & t->mask;
    t->n += t->value[at] == NONE;       /* the caller fills it */
    t->key[at] = key;
    return &t->value[at];
}

/* ---- names ---- */

static char (*names)[64];
static u32 n_names;
static table name_table;

static u32 name_of(const char *s, size_t n)
{
    u64 hash = 1469598103934665603ull;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)s[i]) * 1099511628211ull;
    u32 *at = find(&name_table, hash);
    if (*at == NONE) {
        names = more(names, n_names, sizeof *names);
        snprintf(names[n_names], sizeof *names, "%.*s", (int)n, s);
        *at = n_names++;
    }
    return *at;
}

/* ---- the tree of states ---- */

typedef struct state { u32 *paths, n_paths; int goes_deep; } state;     /* paths that end here; it has a "//" */
static state *states;
static u32 n_states, star;
static table next_of[2];                /* child, descendant: by state << 32 | name */
static u32 *query_of, n_paths, *n_wanted, n_queries;

static u32 new_state(void)
{
    states = more(states, n_states, sizeof *states);
    memset(&states[n_states], 0, sizeof *states);
    return n_states++;
}

static void end_path(u32 s, u32 query)
{
    states[s].paths = more(states[s].paths, states[s].n_paths, sizeof *states[s].paths);
    states[s].paths[states[s].n_paths++] = n_paths;
    query_of = more(query_of, n_paths, sizeof *query_of);
    query_of[n_paths++] = query;
    n_wanted[query]++;
}

/* A path from state s on, up to its end or a "]": each leaf ends a path */
static const char *add_path(const char *at, u32 s, u32 query, int is_inner)
{
    int first = is_inner, last_was_leaf = 0;
    while (*at == '/' || *at == '.' || first) {
        int deep = 0;
        if (*at == '.')
            at++;
        if (*at == '/') {
            deep = at[1] == '/';
            at += 1 + deep;
        }
        first = 0;
        const size_t n = strcspn(at, "/[]\n");
        const u32 name = name_of(at, n);
        at += n;
        u32 *to = find(&next_of[deep], (u64)s << 32 | name);
        if (*to == NONE)
            *to = new_state();
        states[s].goes_deep |= deep;
        s = *to;
        while (*at == '[') {
            at = add_path(at + 1, s, query, 1);
            if (*at++ != ']')
                exit(2);
        }
        last_was_leaf = *at != '/';
    }
    if (last_was_leaf)
        end_path(s, query);
    return at;
}

/* ---- deterministic states ---- */

/* state << 1 | is it only passed through? */
typedef struct deterministic { u32 *active, n, *paths, n_paths, seen; } deterministic;
static deterministic *dets;
static u32 n_dets;
static table det_by_hash, det_next;

static int by_number(const void *a, const void *b) { return *(const u32 *)a < *(const u32 *)b ? -1
                                                     : *(const u32 *)a > *(const u32 *)b; }

static u32 det_of(u32 *active, u32 n)
{
    u32 k = 0;
    qsort(active, n, sizeof *active, by_number);
    for (u32 i = 0; i < n; i++)
        if (!i || active[i] != active[k - 1])
            active[k++] = active[i];
    u64 hash = k;
    for (u32 i = 0; i < k; i++)
        hash = (hash ^ active[i]) * 0x9e3779b97f4a7c15ull + (hash >> 29);
    u32 *at = find(&det_by_hash, hash);
    if (*at != NONE)
        return *at;
    *at = n_dets;
    dets = more(dets, n_dets, sizeof *dets);
    deterministic *d = &dets[n_dets];
    memset(d, 0, sizeof *d);
    d->active = malloc((k + 1) * sizeof *active);
    memcpy(d->active, active, k * sizeof *active);
    d->n = k;
    for (u32 i = 0; i < k; i++)
        for (u32 p = 0; !(active[i] & 1) && p < states[active[i] >> 1].n_paths; p++) {
            d->paths = more(d->paths, d->n_paths, sizeof *d->paths);
            d->paths[d->n_paths++] = states[active[i] >> 1].paths[p];
        }
    return n_dets++;
}

static u32 step(u32 from, u32 name)
{
    static u32 *found, room;
    u32 *known = find(&det_next, (u64)from << 32 | name), n = 0;
    if (*known != NONE)
        return *known;
    for (u32 i = 0; i < dets[from].n; i++) {
        const u32 s = dets[from].active[i] >> 1, passes = dets[from].active[i] & 1;
        if (n + 8 > room) {
            room = 2 * room + 64;
            found = realloc(found, room * sizeof *found);
        }
        for (u32 deep = passes; deep < 2; deep++)
            for (u32 k = 0; k < 2; k++) {
                const u64 key = (u64)s << 32 | (k ? star : name);
                u32 *to = find(&next_of[deep], key);
                if (*to == NONE)
                    next_of[deep].n--;
                else
                    found[n++] = *to << 1;
            }
        if (states[s].goes_deep)
            found[n++] = s << 1 | 1;
    }
    const u32 to = det_of(found, n);
    *find(&det_next, (u64)from << 32 | name) = to;
    return to;
}

/* ---- a document: its names, and an end for each, as a parser would hand them over ---- */

typedef struct document { u32 *events, n; } document;

static document read_document(const char *path)
{
    static char bytes[1 << 24];
    document d = { NULL, 0 };
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(bytes, 1, sizeof bytes - 1, f) : 0;
    if (!f)
        exit(3);
    fclose(f);
    bytes[n] = 0;
    for (char *at = bytes; (at = strchr(at, '<')); at++) {
        const int end = at[1] == '/';
        d.events = more(d.events, d.n, sizeof *d.events);
        d.events[d.n++] = end ? NONE : name_of(at + 1, strcspn(at + 1, " >/"));
        char *close = strchr(at, '>');
        if (!end && close && close[-1] == '/') {
            d.events = more(d.events, d.n, sizeof *d.events);
            d.events[d.n++] = NONE;
        }
    }
    return d;
}

static u32 filter(const document *d, u32 stamp, u32 *path_stamp, u32 *query_stamp, u32 *n_found)
{
    u32 stack[DEPTH], depth = 0, candidates = 0;
    stack[0] = 0;
    for (u32 i = 0; i < d->n; i++) {
        if (d->events[i] == NONE) {
            depth--;
            continue;
        }
        const u32 to = step(stack[depth], d->events[i]);
        if (++depth == DEPTH)
            exit(4);
        stack[depth] = to;
        if (dets[to].seen == stamp)
            continue;
        dets[to].seen = stamp;
        for (u32 p = 0; p < dets[to].n_paths; p++) {
            const u32 path = dets[to].paths[p], q = query_of[path];
            if (path_stamp[path] == stamp)
                continue;
            path_stamp[path] = stamp;
            if (query_stamp[q] != stamp) {
                query_stamp[q] = stamp;
                n_found[q] = 0;
            }
            candidates += ++n_found[q] == n_wanted[q];
        }
    }
    return candidates;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    FILE *f = argc > 3 ? fopen(argv[2], "r") : NULL;
    if (!f)
        return 1;
    star = name_of("*", 1);
    new_state();
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        n_wanted = more(n_wanted, n_queries, sizeof *n_wanted);
        n_wanted[n_queries] = 0;
        if (!tab || *add_path(tab + 1, 0, n_queries++, 0) != '\n')
            return 2;
    }
    fclose(f);
    u32 *path_stamp = calloc(n_paths + 1, 4), *query_stamp = calloc(n_queries + 1, 4),
        *n_found = calloc(n_queries + 1, 4);
    u32 root[] = { 0 << 1 }, stamp = 0, n_docs = (u32)argc - 3;
    document *docs = calloc(n_docs, sizeof *docs);
    det_of(root, 1);
    for (u32 i = 0; i < n_docs; i++)
        docs[i] = read_document(argv[3 + i]);
    double first = 0, least = 0, candidates = 0;
    for (int round = 0; round <= atoi(argv[1]); round++) {
        const double from = now_us();
        candidates = 0;
        for (u32 i = 0; i < n_docs; i++)
            candidates += filter(&docs[i], ++stamp, path_stamp, query_stamp, n_found);
        const double took = (now_us() - from) / n_docs;
        if (!round)
            first = took;
        else if (round == 1 || took < least)
            least = took;
    }
    printf("%.1f us the first time, %.1f us, %.0f candidates, %u states, %u deterministic\n", first, least,
           candidates / n_docs, n_states, n_dets);
    return 0;
}
