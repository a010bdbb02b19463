/*
 * machine.h -- the machine's state: memory, documents, strings, values, scopes
 *
 * Included once for each team (run_solo.c, run_threads.c, kernels/). No libc beyond memcpy and memset.
 *
 *   gx_run  one per evaluation, in the arena, shared by the members: tables of the program and views of the documents.
 *           Written by one member between two syncs, read by all.
 *   gx_m    one per member: where the arena's tops are, which group runs. All copies are equal at every sync.
 *
 * The arena (bytes):
 *   | gx_result | gx_run | kept: groups, columns, computed strings --> ... | scratch --> ... |
 *   0                                                                    tmp_base         end
 * Kept memory lives as long as the result. Scratch is taken back after every instruction.
 */
#ifndef GX_OP_MACHINE_H
#define GX_OP_MACHINE_H

#include <string.h>
#include "document/doc.h"
#include "program/program.h"
#include "result.h"
#include "team.h"
#include "text.h"

#define GX_TRY(call) do { gx_status try_ = (call); if (try_ != GX_OK) return try_; } while (0)
#define GX_LOCAL_STACK 12       /* columns of an expression's stack kept in the member itself */

/* Documents of a run: a gx_str names its space in 20 bits. All but the first come from host steps, so a team on a GPU has one. */
#ifdef __CUDACC__
#define GX_MAX_DOCS 1u
#else
#define GX_MAX_DOCS ((1u << 20) - GX_SPACE_DOC)
#endif

/* Which sentence explains a failure; evaluate.c words them. error_text is the argument. */
typedef enum gx_run_error {
    GX_RE_NONE = 0,
    GX_RE_ARENA, GX_RE_STEPS, GX_RE_DEADLINE, GX_RE_RECURSION,
    GX_RE_NOT_A_SET,            /* an expression that must be a node-set is not */
    GX_RE_CIRCULAR,             /* text: name of the variable */
    GX_RE_FUNCTION,             /* text: the sentence (GX_F_ERROR) */
    GX_RE_NO_KEY,               /* text: the name that no xsl:key has */
    GX_RE_KEY_DEPTH,
    GX_RE_FORMAT,               /* text: the bad format-number() pattern */
    GX_RE_NO_DECIMAL_FORMAT,    /* text: the name that no xsl:decimal-format has */
    GX_RE_HOST,                 /* a host step said no; evaluate.c has the sentence */
    GX_RE_NO_HOST,
    GX_RE_RESULTS,              /* text: name of the function with a second func:result */
    GX_RE_MIXED,                /* text: name of the function whose results have no common type */
    GX_RE_CHANGED,              /* an instruction that began again has met other calls */
    GX_RE_NO_RULE,              /* xsl:apply-imports without a current template rule */
    GX_RE_TERMINATED,           /* text: the message */
    GX_RE_TYPE                  /* a variable is of another type than the program says */
} gx_run_error;

/* A document as operators see it. Ids given to and got from these columns are the run's: base + the document's own. */
typedef struct gx_view {
    const u32 *label, *parent, *next, *text_off, *text_len, *ns, *index_start, *index;
    const u16 *depth;
    const gx_label_info *labels;
    const u32 *roots;
    const char *text, *values;
    const gx_doc *doc;
    u64 text_at, values_at;     /* gx_str.at of the heaps */
    u32 base, n_nodes, n_roots, flags;
    /* program names bound to this document, by pname: label or GX_LABEL_NOTHING */
    const u32 *elem, *attr, *pi, *nsnode;
    const u32 *pname_of;        /* by label id: pname, 0 = other */
    const u32 *uri_of;          /* by label id: the first label id with that namespace; NULL if no p:* test is in the program */
    const u32 *uri_test;        /* by pname of a p:* test: label id as in uri_of, or GX_NONE */
    const u32 *names;           /* while names are bound (bind.h): the program's, by hash */
    u32 names_mask, pad;
} gx_view;

typedef struct gx_param_value { u32 name; u32 pad; gx_col col; } gx_param_value;      /* name: qname */
typedef struct gx_params { u32 n, pad; gx_param_value at[1]; } gx_params;

struct gx_v;
struct gx_dynamic;

/* Host steps: what a team on a CPU may ask its process for. NULL on a GPU. */
typedef struct gx_host {
    void *ctx;
    /* document(): loads uri relative to base; *doc is the index of the run's document, fragment resolved to *node (GX_NONE: none). */
    gx_status (*document)(void *ctx, gx_str uri, gx_str base, u32 *node);
    /* exsl:node-set of n fragments: roots[i] = root node of the tree made of fragment i. */
    gx_status (*node_set)(void *ctx, const gx_kid *kids, const gx_str *texts, u32 n, u32 *roots);
    /* A function that is easier there. Arguments and results are strings; n rows. */
    gx_status (*function)(void *ctx, u32 func, u32 argc, const gx_str *const *args, u32 n, u32 nslist, gx_str *out);
    /* An EXSLT function for n rows of its arguments' columns. out: double[], u8[], gx_str[], or u32[] of trees' roots, as it has. */
    gx_status (*call)(void *ctx, u32 func, const struct gx_v *args, u32 n, void *out);
    /* EXSLT's dynamic module; GX_NEED with d->need: a value is wanted first, as in gx_m. */
    gx_status (*dynamic)(void *ctx, struct gx_dynamic *d);
    u64 (*now_us)(void *ctx);
} gx_host;

/* A string that a lone row made, from .. to - 1, in room that it may grow into: first .. end - 1, zeros. Offsets in the arena (value.h, gx_grow) */
typedef struct gx_room { u64 first, from, to, end; } gx_room;
#define GX_ROOMS 4u
typedef struct gx_rooms { gx_room at[GX_ROOMS]; u32 next, pad; } gx_rooms;      /* of the strings made last; next: the one to be forgotten */

/* ONCE's value that is kept: of the op, counted from 1, for the tree of that root (value.h). */
typedef struct gx_once { u32 op, root; gx_col value; } gx_once;
#define GX_ONCES 16u

typedef struct gx_run {
    const gx_program *program;
    const gx_lit *lits;
    u64 lit_at;                 /* gx_str.at of the program's block: SPACE_PROG, or in the arena (host/dynamic.c) */
    const gx_op *ops;
    const gx_expr *exprs;
    const double *nums;
    const gx_pstep *psteps;
    const gx_pattern *patterns;
    const gx_rule *rules;
    const u32 *candidates;
    const gx_range *dispatch;
    const gx_mode *modes;
    const gx_instr *instrs;
    const gx_body *bodies;
    const gx_branch *branches;
    const gx_with_param *with_params;
    const gx_sort *sorts;
    const gx_number *numbers;
    const gx_global *globals;
    const gx_function *functions;
    const gx_key *keys;
    const char *space[GX_SPACE_DOC + 1];        /* the first document's is the last one here: gx_space_at */
    gx_view *views;             /* by document; they and doc_refs move when documents are added, and views that somebody holds stay readable */
    gx_col *global_cols;        /* by global; type 0 = not yet */
    u8 *global_state;           /* 0 untouched, 1 being evaluated, 2 done */
    u32 *doc_refs;              /* by document: refs of what was made for it, 0 = not yet: see gx_doc_ref */
    const gx_host *host;
    u64 step_limit, deadline_us;
    u64 host_tmp, host_tmp_end; /* scratch for it: above the team's */
    u64 host_top, host_end;     /* kept memory that a host step may take: from, to */
    u32 zero[4];                /* a context column for expressions without one: node 0 */
    gx_str *zero_str;           /* one empty string */
    u8 bits[8];                 /* [0] false, [4] true: at a word each, since references count words */
    u64 words_at;               /* offset of "truefalse" in the arena */
    gx_rooms *rooms;            /* written while the machine runs, so not in here: kernels/launch.h, gx_run_near */
    gx_once *onces;             /* NULL: none are kept */
    u32 n_docs, n_nodes;        /* n_nodes: ids used by all documents */
    u32 max_depth, max_recursion;
    u64 seed;                   /* of hashes: the first document's */
    u32 ones[4];                /* position and size of a lone frame: 1 */
    u32 root_context, one_ref;  /* refs of zero and ones */
} gx_run;

typedef struct gx_m {
    gx_team t;
    char *base;                 /* the arena */
    gx_run *run;
    gx_result *result;
    u64 top, top_end;           /* kept */
    u64 tmp, tmp_end;           /* scratch */
    u64 steps;
    u32 unseen;                 /* work of this member that is not in steps yet: gx_watch_asks */
    u32 since;                  /* instructions x instances since the budget was looked at */
    u32 n_docs;                 /* == run->n_docs */
    u32 group;                  /* ref of the running group */
    gx_group *g;
    u32 where;                  /* gx_where of the running instruction */
    u32 level;                  /* ref of the innermost gx_level */
    u32 pend_first, pend_last;  /* its queue of chunks, refs */
    u32 made;                   /* ref of the group made last in this level */
    u32 params;                 /* parameters of the running instruction, half evaluated: ref, 0 = none */
    u32 need_kind, need_index, need_body, need_flags;   /* with GX_NEED: run.h */
    u32 need_n, need_context, need_position, need_size, need_params;    /* of a call's frames; refs */
    u32 calls_first, calls_last;        /* calls of functions that the running instruction has made, in their order: refs, call.h */
    u32 calls_next, calls_met;          /* the one that is met next; the last one met */
    u32 said;                           /* ref of the last gx_said */
    u32 in_function;                    /* what runs is not walked by the serialiser */
    u32 key_depth;                      /* key indexes that are being built, each for the one before */
    u32 onces_seen;                     /* bits, by op: ONCEs that were evaluated */
    u32 speaks;                         /* counts instructions that ran and are, or copy, messages: gx_level */
    u32 last_word, last_group;          /* 1 + the first xsl:message that ran and ends the transformation, 0: none did; its group */
    u32 lasting;                        /* how much has been made that is used again to the end: indexes of keys, ONCEs, programs of dyn:evaluate */
    u64 shared;                         /* scratch that a part's rows share (PARTS): more of them would take no more */
} gx_m;

/* What a key's use asks of other keys is built within it, on the C stack. */
#ifdef __CUDACC__
#define GX_KEY_DEPTH 2u
#define GX_KEY_TOO_DEEP GX_EHOST        /* the CPU's stacks are larger */
#else
#define GX_KEY_DEPTH 32u
#define GX_KEY_TOO_DEEP GX_ELIMIT
#endif

/* ---- memory ---- */

#define GX_REF_OF(m, p) ((u32)(((const char *)(p) - (m)->base) >> 2))
#define GX_PTR(m, type, ref) GX_REF((m)->base, type, ref)

/* Zero bytes from offset `at` to the next multiple of 16; that. Kept memory has no others that nobody wrote: a result is handed on as
 * it lies and shows nothing of who had the arena before (t/33-arena.c). */
GX_OP u64 gx_pad(gx_m *m, u64 at)
{
    if (team_rank(&m->t) == 0) {
        for (; at & 3; at++)
            m->base[at] = 0;
        for (; at & 15; at += 4)
            *(u32 *)(m->base + at) = 0;
    }
    return (at + 15) & ~15ull;
}

/* bytes of kept memory, 16-byte aligned, or NULL: full. Every member gets the same answer. */
GX_OP void *gx_keep(gx_m *m, u64 bytes)
{
    const u64 at = m->top;

    if (((bytes + 15) & ~15ull) > m->top_end - at)
        return NULL;
    m->top = bytes & 15 ? gx_pad(m, at + bytes) : at + bytes;
    return m->base + at;
}

/* Gives back what has been kept since m->top was top; no string grows there any more. */
GX_OP void gx_keep_back(gx_m *m, u64 top)
{
    m->top = top;
    if (team_rank(&m->t) == 0)
        for (u32 k = 0; k < GX_ROOMS; k++)
            if (m->run->rooms->at[k].end > top)
                GX_CLEAR(&m->run->rooms->at[k]);
    team_sync(&m->t);
}

GX_OP void *gx_tmp(gx_m *m, u64 bytes)
{
    u64 at = m->tmp;

    bytes = (bytes + 15) & ~15ull;
    if (bytes > m->tmp_end - at)
        return NULL;
    m->tmp = at + bytes;
    return m->base + at;
}

/* memset(p, 0, bytes) for what gx_keep and gx_tmp gave: a compiler that cannot see the alignment writes bytes on a GPU */
GX_OP void gx_zero(void *p, u64 bytes)
{
#ifdef __CUDACC__
    for (u64 i = 0; i < (bytes + 15) / 16; i++)
        ((uint4 *)p)[i] = make_uint4(0, 0, 0, 0);
#else
    memset(p, 0, bytes);
#endif
}

/* The open end of the scratch, for a team of one that appends without counting first: commit with gx_tmp. */
GX_OP u32 *gx_tmp_open(gx_m *m, u64 *cap)
{
    *cap = (m->tmp_end - m->tmp) / 4;
    return (u32 *)(m->base + m->tmp);
}

GX_OP gx_str gx_str_none(void) { gx_str s; s.at = 0; s.len = 0; s.pad = 0; return s; }

/* The first error of a run is the one that is told. By one member. */
GX_OP void gx_set_error(gx_m *m, gx_status status, gx_run_error error, gx_str text)
{
    if (m->result->status != GX_OK)
        return;
    m->result->status = status;
    m->result->error = error;
    m->result->error_text = text;
    m->result->where = m->where;
    m->result->error_group = m->group;
}

GX_OP gx_status gx_raise(gx_m *m, gx_status status, gx_run_error error, gx_str text)
{
    team_sync(&m->t);
    if (team_rank(&m->t) == 0)
        gx_set_error(m, status, error, text);
    return status;
}

GX_OP gx_str gx_str_make(u64 at, u32 len) { gx_str s; s.at = at; s.len = len; s.pad = 0; return s; }
GX_OP gx_status gx_full(gx_m *m) { return gx_raise(m, GX_EARENA, GX_RE_ARENA, gx_str_none()); }

/*
 * One operator can be long: a[preceding::x] over a million nodes is 10^12 looks. Whoever loops so says how much it looked at
 * (nodes, bytes, pairs) and leaves the loop when the time or the steps are used up; gx_watch_end, called by all members behind the
 * loop and before anything that it made is used, counts the work as steps and fails then. It is a sync.
 */
#define GX_WORK_PER_STEP 64u            /* looks are cheaper than an instruction's instance */
#define GX_WORK_PER_LOOK (1u << 21)     /* at the clock: about a millisecond's */
#define GX_WORK_UNSEEN 1024u            /* a member's, before the others hear of it: a sum of all members' takes longer than a vote */
#define GX_WATCH_LATE ((u64)1 << 48)    /* more than any work; the sum of 65,535 members fits */
#define GX_WATCH_BYTES(n) ((n) / 8)     /* of strings that are run through once */

typedef struct gx_watch { u64 work, due; u32 late; } gx_watch;

/* Microseconds of the clock that deadline_us is of: CLOCK_MONOTONIC on a CPU, the device's own on a GPU */
GX_OP u64 gx_clock_us(const gx_m *m)
{
#ifdef __CUDA_ARCH__
    u64 ns;
    (void)m;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns / 1000;
#else
    const gx_host *host = m->run->host;
    return host ? host->now_us(host->ctx) : 0;
#endif
}

GX_OP gx_watch gx_watch_start(void) { gx_watch w; w.work = 0; w.due = GX_WORK_PER_LOOK; w.late = 0; return w; }
GX_OP_BIG int gx_watch_look(const gx_m *m, gx_watch *w)
{
    const gx_run *r = m->run;

    w->late = w->late || (r->deadline_us && gx_clock_us(m) > r->deadline_us);
    if (w->late || (r->step_limit && m->steps + w->work / GX_WORK_PER_STEP > r->step_limit)) {
        w->due = 0;
        return 1;
    }
    w->due = w->work + GX_WORK_PER_LOOK;
    return 0;
}
GX_OP int gx_watch_late(const gx_m *m, gx_watch *w, u64 more) { w->work += more; return w->work >= w->due && gx_watch_look(m, w); }
/* gx_watch_end, and *any: does a member say yes? Returns *little 1 where no member had work worth speaking of. */
GX_OP_BIG gx_status gx_watch_asks(gx_m *m, const gx_watch *w, int yes, int *any, int *little)
{
    u64 all = w->work;

    *any = yes;
    *little = 0;
    if (!TEAM_IS_SOLO) {
        all += m->unseen;
        *little = !team_any(&m->t, yes || w->late || all >= GX_WORK_UNSEEN);
        if (*little) {
            m->unseen = (u32)all;
            return GX_OK;
        }
        m->unseen = 0;
        *any = team_any(&m->t, yes);
    }
    if (!m->run->step_limit && !m->run->deadline_us)
        return GX_OK;
    all = team_sum(&m->t, w->late ? GX_WATCH_LATE : all);
    if (all >= GX_WATCH_LATE)
        return gx_raise(m, GX_ETIME, GX_RE_DEADLINE, gx_str_none());
    m->steps += all / GX_WORK_PER_STEP;
    if (m->run->step_limit && m->steps > m->run->step_limit)
        return gx_raise(m, GX_ETIME, GX_RE_STEPS, gx_str_none());
    return GX_OK;
}
GX_OP_BIG gx_status gx_watch_end(gx_m *m, const gx_watch *w)
{
    int any, little;
    return gx_watch_asks(m, w, 0, &any, &little);
}

/* Between pieces of work that are watched, or too small to be; by all members. */
GX_OP_BIG gx_status gx_check_budget(gx_m *m)
{
    if (m->run->step_limit && m->steps > m->run->step_limit)
        return gx_raise(m, GX_ETIME, GX_RE_STEPS, gx_str_none());
    if (m->run->deadline_us) {
        int late = 0;
        if (team_rank(&m->t) == 0)
            late = gx_clock_us(m) > m->run->deadline_us;
        if (team_any(&m->t, late))
            return gx_raise(m, GX_ETIME, GX_RE_DEADLINE, gx_str_none());
    }
    return GX_OK;
}

/* After so much that all members have done together: is the budget to be looked at again? */
#define GX_CHECK_EVERY (1u << 16)       /* instances of instructions; or 256 instructions, since a crowded team may take long for each */
#define GX_ROWS_PER_INSTANCE 16u        /* an operator of an expression is less for a row */
GX_OP gx_status gx_spend(gx_m *m, u32 instances)
{
    m->since += instances < GX_CHECK_EVERY ? instances : GX_CHECK_EVERY;
    if (m->since < GX_CHECK_EVERY)
        return GX_OK;
    m->since = 0;
    return gx_check_budget(m);
}

#define GX_TAKE(m, var, type, n, take, full) do { (var) = (type *)take(m, (u64)(n) * sizeof(type)); if (!(var)) return full(m); } while (0)
#define GX_KEEP(m, var, type, n) GX_TAKE(m, var, type, n, gx_keep, gx_full)
#define GX_TMP(m, var, type, n) GX_TAKE(m, var, type, n, gx_tmp, gx_full)
/* What one member does alone, between two syncs: there gx_full would wait for the others. */
GX_OP gx_status gx_full_alone(gx_m *m)
{
    gx_set_error(m, GX_EARENA, GX_RE_ARENA, gx_str_none());
    return GX_EARENA;
}
#define GX_KEEP_ALONE(m, var, type, n) GX_TAKE(m, var, type, n, gx_keep, gx_full_alone)
#define GX_TMP_ALONE(m, var, type, n) GX_TAKE(m, var, type, n, gx_tmp, gx_full_alone)

/* a[0..n) := exclusive prefix sums, a[n] := their total (a has n + 1 entries). A total that no column could hold is "full". */
GX_OP gx_status gx_scanned(gx_m *m, u64 sum, u32 *total)
{
    if (sum >= 0xfffffff0u)
        return gx_full(m);
    *total = (u32)sum;
    return GX_OK;
}
GX_OP gx_status gx_scan(gx_m *m, u32 *a, u32 n, u32 *total) { return gx_scanned(m, team_scan(&m->t, a, n), total); }
GX_OP gx_status gx_scan_complete(gx_m *m, u32 *a, u32 n, u32 *total) { return gx_scanned(m, team_scan_complete(&m->t, a, n), total); }

/* ---- strings ---- */

GX_OP const char *gx_space_at(const gx_run *r, u32 space)
{
    return GX_MAX_DOCS == 1 || space <= GX_SPACE_DOC ? r->space[space] : (const char *)r->views[space - GX_SPACE_DOC].doc;
}
GX_OP const char *gx_bytes(const gx_m *m, gx_str s) { return gx_space_at(m->run, GX_STR_SPACE(s.at)) + GX_STR_OFF(s.at); }
GX_OP gx_str gx_lit_str(const gx_m *m, u32 lit)
{
    return gx_str_make(m->run->lit_at + m->run->lits[lit].off, m->run->lits[lit].len);
}
GX_OP gx_str gx_arena_str(const gx_m *m, const char *p, u32 len)
{
    return len ? gx_str_make(GX_STR_AT(GX_SPACE_ARENA, p - m->base), len) : gx_str_none();
}
GX_OP int gx_bytes_equal(const char *a, const char *b, u32 n)
{
    /* most strings that are compared differ in their first byte or are short */
    if (n && *a != *b)
        return 0;
    return team_equal(a, b, n);
}
/* Of a string that the document's author may have chosen. Long, and in the middle of what calls it */
GX_OP_BIG u32 gx_hash(u64 seed, const char *s, u32 len) { return (u32)gx_text_hash(seed, s, len); }
GX_OP int gx_str_equal(const gx_m *m, gx_str a, gx_str b)
{
    return a.len == b.len && (a.len == 0 || a.at == b.at || gx_bytes_equal(gx_bytes(m, a), gx_bytes(m, b), a.len));
}

/* ---- nodes ---- */

/* Which of the n views the node is in */
GX_OP_BIG u32 gx_view_find(const gx_view *v, u32 n, u32 node)
{
    u32 lo = 0, hi = n;                 /* v[lo].base <= node < v[hi].base */

    while (hi - lo > 1) {
        u32 mid = lo + (hi - lo) / 2;
        if (v[mid].base <= node)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}
GX_OP u32 gx_view_index(const gx_m *m, u32 node)
{
    return GX_MAX_DOCS == 1 || m->n_docs == 1 ? 0 : gx_view_find(m->run->views, m->n_docs, node);
}
/* What is made for a document when it is asked for first: refs of a gx_key_index a key name, then of gx_marks, of count and from, a number */
GX_OP u32 gx_doc_refs(const gx_program *p) { return p->key_names.n + 2 * p->numbers.n; }
GX_OP u32 *gx_doc_ref(const gx_run *r, u32 view, u32 which) { return &r->doc_refs[(u64)view * gx_doc_refs(r->program) + which]; }
/* From row *at on, the next document of the rows' nodes that lacks its ref `which`: its index, and *at its row; or GX_NONE. names: rows with
 * another name do not count. By all members. */
GX_OP_BIG u32 gx_doc_lacking(gx_m *m, u32 which, const u32 *names, const u32 *nodes, u32 rows, u32 *at)
{
    u32 mine = GX_NONE;

    if (m->n_docs == 1 && !names)
        return *gx_doc_ref(m->run, 0, which) ? GX_NONE : 0;
    for (u32 i = *at + team_rank(&m->t); i < rows && mine == GX_NONE; i += team_size(&m->t))
        if ((!names || names[i] == which) && !*gx_doc_ref(m->run, gx_view_index(m, nodes[i]), which))
            mine = i;
    *at = team_min(&m->t, mine);
    return *at == GX_NONE ? GX_NONE : gx_view_index(m, nodes[*at]);
}
GX_OP const gx_view *gx_view_of(const gx_m *m, u32 node) { return m->run->views + gx_view_index(m, node); }
GX_OP u32 gx_label(const gx_view *v, u32 node) { return v->label[node - v->base]; }
GX_OP u32 gx_kind(const gx_view *v, u32 node) { return GX_LABEL_KIND(v->label[node - v->base]); }
GX_OP u32 gx_next(const gx_view *v, u32 node) { return v->next[node - v->base] + v->base; }
GX_OP u32 gx_parent(const gx_view *v, u32 node)
{
    u32 p = v->parent[node - v->base];
    return p == GX_NONE ? p : p + v->base;
}
GX_OP u32 gx_root_of(const gx_view *v, u32 node)
{
    if (v->n_roots == 1)
        return v->base;
    u32 lo = 0, hi = v->n_roots;            /* roots[lo] <= node < roots[hi] */
    while (hi - lo > 1) {
        u32 mid = (lo + hi) / 2;
        if (v->roots[mid] <= node - v->base)
            lo = mid;
        else
            hi = mid;
    }
    return v->roots[lo] + v->base;
}
GX_OP int gx_view_holds(const gx_view *v, u32 node) { return node - v->base < v->n_nodes; }
/* First child or GX_NONE: skips namespace nodes and attributes. */
GX_OP u32 gx_first_child(const gx_view *v, u32 node)
{
    u32 end = v->next[node - v->base], c = node - v->base + 1;

    while (c < end) {
        u32 kind = GX_LABEL_KIND(v->label[c]);
        if (!GX_IS_ATTACHED(kind))
            return c + v->base;
        c++;
    }
    return GX_NONE;
}
GX_OP int gx_kind_in_values(u32 kind)
{
    return GX_IS_ATTACHED(kind) || kind == GX_KIND_COMMENT || kind == GX_KIND_PI;
}
/* string-value (XPath 1.0, 5): always a slice */
GX_OP gx_str gx_node_str(const gx_view *v, u32 node)
{
    u32 i = node - v->base;
    u32 len = v->text_len[i];

    if (!len)
        return gx_str_none();
    return gx_str_make((gx_kind_in_values(GX_LABEL_KIND(v->label[i])) ? v->values_at : v->text_at) + v->text_off[i], len);
}
/* A slice of the document's heap of names */
GX_OP gx_str gx_view_name(const gx_view *v, u32 off, u32 len) { return gx_str_make(GX_STR_AT(GX_STR_SPACE(v->text_at), v->doc->strs + off), len); }
GX_OP const char *gx_node_bytes(const gx_view *v, u32 node, u32 *len)
{
    u32 i = node - v->base;

    *len = v->text_len[i];
    return (gx_kind_in_values(GX_LABEL_KIND(v->label[i])) ? v->values : v->text) + v->text_off[i];
}

/* ---- what teams find and compact (team.h) ---- */

/* The id if is, which it is then: nobody needs to look at it to know that it is one */
GX_OP u32 gx_id_if(int is, u32 id)
{
    GX_ASSUME(id != GX_NONE);
    return is ? id : GX_NONE;
}
GX_OP u32 gx_id_same(const void *ctx, size_t k, gx_seen s) { (void)ctx; (void)s; return (u32)k; }

/* off := one row's offsets, of n nodes; complete after the next sync */
GX_OP void gx_one_row(gx_m *m, u32 *off, u32 n)
{
    if (team_rank(&m->t) == 0) {
        off[0] = 0;
        off[1] = n;
    }
}

/*
 * name(m, count, ctx, &out, &n, off), ctx a type: out[0 .. n) := the ids that find gives for k < count, in order; see, id_of: as team_fill's. Room is taken
 * from the scratch. off: NULL, or 2 entries, the offsets of one row that has them all. With its own ctx: what stands behind a pointer would be loaded
 * for each tile. how: GX_OP_BIG, or GX_OP_ONCE if it is called in one place.
 */
#define GX_COMPACTION(how, name, type, see, find, id_of) \
    how gx_status name(gx_m *m, u32 count, const type *ctx, u32 **out, u32 *n, u32 *off) \
    { \
        const type own = *ctx; \
        u64 before, sum = team_count(&m->t, count, see, find, &own, &before); \
        GX_TMP(m, *out, u32, sum); \
        if (off) \
            gx_one_row(m, off, (u32)sum); \
        team_fill(&m->t, count, see, find, id_of, &own, before, *out); \
        *n = (u32)sum; \
        return GX_OK; \
    }

/* ---- values: a column on an expression's stack ---- */

enum { GX_V_CAND = 32 };        /* type of candidates: between STEP/FILTER and STEP_END */

/*
 * Rows 0..n-1; is_const: row 0 stands for all of them.
 *   BOOL NUM STR   data: u8, double, gx_str
 *   SET            data: u32 node ids; row r has ids [off[r], off[r] + cnt[r]), or to off[r + 1] when cnt is NULL,
 *                  or just data[r] when off is NULL too. dense: off ranges follow one another from 0 (always when cnt is NULL)
 *   RTF            data: gx_kid; or NULL: row r has frame r of chunk n_seg, and none if that is 0. str: gx_str or NULL; merged: one of all rows.
 *                  quiet: GX_C_QUIET
 *   CAND           data: ids; off: n_seg + 1 segment bounds, one segment a context node; row: n + 1 bounds in segments, or NULL =
 *                  segment r is row r's only one. reverse: ids of a segment stand in reverse document order.
 */
typedef struct gx_v {
    u8 type, is_const, reverse, merged;     /* merged: segments are rows in document order already */
    u32 n, n_seg, quiet;
    void *data;
    const u32 *off, *cnt;
    union { const u32 *row; const gx_str *str; };
} gx_v;

#define GX_ROW(v, r) ((v)->is_const ? 0 : (r))

GX_OP void gx_v_range(const gx_v *v, u32 r, u32 *begin, u32 *end)
{
    if (v->is_const)
        r = 0;
    if (!v->off) {
        *begin = r;
        *end = r + 1;
    } else {
        *begin = v->off[r];
        *end = v->cnt ? v->off[r] + v->cnt[r] : v->off[r + 1];
    }
}

GX_OP gx_v gx_v_make(u8 type, u32 n, void *data) { const gx_v v = { type, 0, 0, 0, n, 0, 0, data, NULL, NULL, { NULL } }; return v; }
GX_OP gx_v gx_v_none(void) { return gx_v_make(0, 0, NULL); }

typedef struct gx_parts {       /* PARTS: what is done */
    u32 done, all;              /* rows */
    u64 tmp;                    /* the scratch's top for the next part */
    u64 most;                   /* bytes that one is to take at most */
    u64 shared;                 /* the machine's, before */
    void *made;                 /* the value of all rows; a SET's offsets. NULL: all rows are one part */
    u32 *ids;                   /* SET: its nodes so far, made[done] of them */
} gx_parts;

typedef struct gx_rounds {      /* ROUNDS: what is found */
    const u32 *row;             /* the nodes of the rows, as a CAND has them; all, the nodes */
    u32 rows, all, most;        /* most: candidates of a node in this round, 0: all */
    u32 *found;                 /* by node; GX_NONE: none so far */
    const u32 *which, *after;   /* by row of this round: the node's number, NULL: the same; the candidate it goes on behind, NULL: from the beginning */
    const u32 *off, *ids;       /* of this round's candidates, one segment a row */
    u32 n_seg, turn;
    u32 *half[2];               /* in turn: what the next round reads, of each row which, after, context, map */
    u64 tmp;                    /* the scratch's top for the next round */
} gx_rounds;

typedef struct gx_join {        /* JOIN: the rows' sets */
    u32 n;
    u32 one;                    /* there is one for all rows */
    const u32 *of_row;          /* whose each row has; NULL: its own */
    const u32 *off;             /* n + 1: where a set's nodes begin among the candidates */
    u64 tmp;                    /* the scratch's top before them */
} gx_join;

/*
 * The rows an expression is evaluated for. An expression starts in scope 0, given by its caller; predicates open scopes whose rows
 * are the candidates, and map says which row of scope 0 each belongs to (NULL: the same row).
 */
typedef struct gx_scope {
    u32 n;
    u16 once;                   /* n == 1, standing for every row of the scope around it */
    u16 outer;                  /* of OUTER's own: its rows are the frame's */
    const u32 *context, *position, *size;
    const u32 *map;
    const u32 *rows;            /* WHERE: the row of the scope around it of each of the n; SIBLINGS: the other way round. NULL: the same */
    gx_rounds *rounds;          /* of ROUNDS; else NULL */
    union {                     /* who opened it knows which */
        gx_parts parts;
        gx_join join;
        u64 tmp;                /* SIBLINGS: the scratch's top before it */
    };
} gx_scope;

/* What variables and current() refer to: scope 0, and the row of the running group of each of its rows (NULL: the same). */
typedef struct gx_env { gx_scope scope; const u32 *group_row; } gx_env;

/* first node of row r in document order (sets are in document order), or GX_NONE */
GX_OP u32 gx_v_first(const gx_v *v, u32 r)
{
    u32 b, e;

    gx_v_range(v, r, &b, &e);
    return b < e ? ((const u32 *)v->data)[b] : GX_NONE;
}

/*
 * *v := a stored column's value. It is written in its place: a copy, of 16 bytes at a time, would wait until the smaller stores before it
 * are done, which is most of what a variable of a few rows costs.
 */
GX_OP void gx_v_load(const gx_m *m, const gx_col *c, gx_v *v)
{
    GX_CLEAR(v);
    v->type = c->type == GX_T_NODE ? GX_T_SET : c->type;
    v->is_const = c->is_const;
    v->n = c->n;
    if (c->type == GX_T_SET) {
        v->data = m->base;
        v->off = GX_PTR(m, const u32, c->a);
        v->cnt = GX_PTR(m, const u32, c->b);
    } else if (c->type == GX_T_RTF) {
        if (c->flags & GX_C_OWN_ROWS)
            v->n_seg = c->a;
        else
            v->data = c->a ? GX_PTR(m, void, c->a) : NULL;
        v->str = c->b ? GX_PTR(m, const gx_str, c->b) : NULL;
        v->merged = (c->flags & GX_C_ONE_TEXT) != 0;
        v->quiet = c->flags & GX_C_QUIET;
    } else
        v->data = GX_PTR(m, void, c->a);
}

/* The frame of row r of an RTF */
GX_OP gx_kid gx_v_kid(const gx_v *v, u32 r)
{
    gx_kid kid;

    r = GX_ROW(v, r);
    if (v->data)
        return ((const gx_kid *)v->data)[r];
    kid.chunk = v->n_seg ? v->n_seg : GX_NONE;
    kid.row = r;
    return kid;
}

/* For a host step: an RTF with data and str for each of its rows */
GX_OP_BIG gx_status gx_v_fragments(gx_m *m, gx_v *v, u32 rows)
{
    gx_kid *kid;
    gx_str *str = NULL;

    GX_TMP(m, kid, gx_kid, rows);
    if (v->str)
        GX_TMP(m, str, gx_str, rows);
    TEAM_FOR(&m->t, r, rows) {
        kid[r] = gx_v_kid(v, r);
        if (str)
            str[r] = v->str[v->merged ? 0 : r];
    }
    team_sync(&m->t);
    v->data = kid;
    v->str = str;
    v->merged = 0;
    return GX_OK;
}

/* out[i] = in[map[i]]; const columns stay as they are */
GX_OP_BIG gx_status gx_v_gather(gx_m *m, gx_v *v, const u32 *map, u32 n)
{
    if (v->is_const || !map)
        return GX_OK;
    const gx_v in = *v;
    switch (in.type) {
    case GX_T_BOOL: {
        u8 *d;
        GX_TMP(m, d, u8, n);
        TEAM_FOR(&m->t, i, n)
            d[i] = ((const u8 *)in.data)[map[i]];
        *v = gx_v_make(in.type, n, d);
        break;
    }
    case GX_T_NUM: {
        double *d;
        GX_TMP(m, d, double, n);
        TEAM_FOR(&m->t, i, n)
            d[i] = ((const double *)in.data)[map[i]];
        *v = gx_v_make(in.type, n, d);
        break;
    }
    case GX_T_STR: {
        gx_str *d;
        GX_TMP(m, d, gx_str, n);
        TEAM_FOR(&m->t, i, n)
            d[i] = ((const gx_str *)in.data)[map[i]];
        *v = gx_v_make(in.type, n, d);
        break;
    }
    case GX_T_SET: {
        u32 *off, *cnt;
        GX_TMP(m, off, u32, n);
        if (!in.off) {
            TEAM_FOR(&m->t, i, n)
                off[i] = ((const u32 *)in.data)[map[i]];
            *v = gx_v_make(in.type, n, off);
            break;
        }
        GX_TMP(m, cnt, u32, n);
        TEAM_FOR(&m->t, i, n) {
            u32 b, e;
            gx_v_range(&in, map[i], &b, &e);
            off[i] = b;
            cnt[i] = e - b;
        }
        *v = gx_v_make(in.type, n, in.data);
        v->off = off;
        v->cnt = cnt;
        break;
    }
    case GX_T_RTF: {
        gx_kid *kid = NULL;
        gx_str *str = NULL;
        if (in.data || in.n_seg)
            GX_TMP(m, kid, gx_kid, n);
        if (in.str && !in.merged)
            GX_TMP(m, str, gx_str, n);
        TEAM_FOR(&m->t, i, n) {
            if (kid)
                kid[i] = gx_v_kid(&in, map[i]);
            if (str)
                str[i] = in.str[map[i]];
        }
        *v = gx_v_make(in.type, n, kid);
        v->str = in.merged ? in.str : str;
        v->merged = in.merged;
        v->quiet = in.quiet;
        break;
    }
    default:
        break;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* The row of pair k when row r has pairs off[r] .. off[r + 1] - 1. */
GX_OP u32 gx_row_of(const u32 *off, u32 n, u32 k)
{
    u32 lo = 0, hi = n;                 /* off[lo] <= k < off[hi] */

    while (hi - lo > 1) {
        u32 mid = lo + (hi - lo) / 2;
        if (off[mid] <= k)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* rows[k] := the row of each of the pairs; off as above. Teams look each pair up, so that one long row is no one member's. */
GX_OP void gx_expand_rows(gx_m *m, const u32 *off, u32 n, u32 *rows)
{
#if TEAM_IS_SOLO
    (void)m;
    for (u32 r = 0; r < n; r++)
        for (u32 k = off[r]; k < off[r + 1]; k++)
            rows[k] = r;
#else
    TEAM_FOR(&m->t, k, off[n])
        rows[k] = gx_row_of(off, n, k);
#endif
    team_sync(&m->t);
}

/*
 * Rows one after the other that are the same to who asks are one run: starts[i] is 1 where row i begins one, else 0 (n + 1 entries, scanned
 * here). heads: the first row of each of *n_runs; of_row: the run of each row; both NULL: each row is a run of its own.
 */
GX_OP_BIG gx_status gx_runs(gx_m *m, u32 *starts, u32 n, u32 *n_runs, const u32 **heads, const u32 **of_row)
{
    u32 *head, *run;

    *heads = *of_row = NULL;
    GX_TRY(gx_scan(m, starts, n, n_runs));
    if (*n_runs == n)
        return GX_OK;
    GX_TMP(m, head, u32, *n_runs);
    GX_TMP(m, run, u32, n);
    TEAM_FOR(&m->t, i, n) {
        if (starts[i + 1] != starts[i])
            head[starts[i]] = i;
        run[i] = starts[i + 1] - 1;
    }
    team_sync(&m->t);
    *heads = head;
    *of_row = run;
    return GX_OK;
}

/* Makes a SET's ranges dense (off of n + 1, no cnt) and not const: what steps and frames iterate over. n: rows wanted. */
GX_OP gx_status gx_v_dense(gx_m *m, gx_v *v, u32 n)
{
    u32 *off, *ids, total = 0;

    if (!v->is_const && !v->cnt)
        return GX_OK;
    GX_TMP(m, off, u32, n + 1);
    if (n == 1) {                       /* where they are: recursion passes what is left of a list, which nobody copies then (gx_store) */
        u32 b, e;
        gx_v_range(v, 0, &b, &e);
        gx_one_row(m, off, e - b);
        team_sync(&m->t);
        *v = gx_v_make(GX_T_SET, 1, (u32 *)v->data + b);
        v->off = off;
        return GX_OK;
    }
    if (v->is_const) {                  /* the same nodes for each row */
        u32 b, e;
        gx_v_range(v, 0, &b, &e);
        const u32 each = e - b;
        if ((u64)n * each >= 0xfffffff0u)
            return gx_full(m);
        GX_TMP(m, ids, u32, n * each);
        TEAM_FOR(&m->t, i, n + 1)
            off[i] = i * each;
#if TEAM_IS_SOLO
        for (u32 k = 0; k < n; k++)
            for (u32 j = 0; j < each; j++)
                ids[k * each + j] = ((const u32 *)v->data)[b + j];
#else
        TEAM_FOR(&m->t, k, n * each)
            ids[k] = ((const u32 *)v->data)[b + k % each];
#endif
        team_sync(&m->t);
        *v = gx_v_make(GX_T_SET, n, ids);
        v->off = off;
        return GX_OK;
    }
    TEAM_FOR(&m->t, i, n) {
        u32 b, e;
        gx_v_range(v, i, &b, &e);
        off[i] = e - b;
    }
    GX_TRY(gx_scan(m, off, n, &total));
    GX_TMP(m, ids, u32, total);
#if TEAM_IS_SOLO
    for (u32 k = 0; k < n; k++) {
        u32 b, e;
        gx_v_range(v, k, &b, &e);
        for (u32 j = b, at = off[k]; j < e; j++)
            ids[at++] = ((const u32 *)v->data)[j];
    }
#else
    TEAM_FOR(&m->t, k, total) {
        u32 r = gx_row_of(off, n, k), b, e;
        gx_v_range(v, r, &b, &e);
        ids[k] = ((const u32 *)v->data)[b + k - off[r]];
    }
    team_sync(&m->t);
#endif
    *v = gx_v_make(GX_T_SET, n, ids);
    v->off = off;
    return GX_OK;
}
/* off where there is none, since each of a dense set's n rows has one node */
GX_OP gx_status gx_v_offsets(gx_m *m, gx_v *v, u32 n)
{
    u32 *off;

    if (v->off)
        return GX_OK;
    GX_TMP(m, off, u32, (u64)n + 1);
    TEAM_FOR(&m->t, i, n + 1)
        off[i] = i;
    team_sync(&m->t);
    v->off = off;
    return GX_OK;
}
/* gx_v_dense, but a const set stays const (one dense row) */
GX_OP gx_status gx_v_flat(gx_m *m, gx_v *v, u32 n)
{
    const u8 is_const = v->is_const;

    if (!is_const || v->cnt)
        GX_TRY(gx_v_dense(m, v, is_const ? 1 : n));
    v->is_const = is_const;
    v->n = is_const ? 1 : n;
    return GX_OK;
}
GX_OP u32 gx_v_total(const gx_v *v) { return v->off ? v->off[v->n] : v->n; }    /* of a dense set */

#endif
