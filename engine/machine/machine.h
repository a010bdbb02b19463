/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h -- the machine's state: documents as operators see them, columns, host steps, registers
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
#ifndef GX_MACHINE_MACHINE_H
#define GX_MACHINE_MACHINE_H

#include <string.h>
#include "document/doc.h"
#include "program/program.h"
#include "result.h"
#include "team.h"
#include "text.h"

#define GX_TRY(call) do { gx_status try_ = (call); if (try_ != GX_OK) return try_; } while (0)
#define GX_LOCAL_STACK 12       /* columns of an expression's stack kept in the member itself */

/* Documents of a run: a gx_str names its space in 20 bits. All but the first come from host steps, so a team on a GPU
 * has one. */
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
    GX_RE_INSTRUCTION,          /* text: the sentence (GX_I_ERROR) */
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
    const u32 *uri_of;          /* by label id: the first label id with that namespace; NULL if no p:* test is in the
                                   program */
    const u32 *uri_test;        /* by pname of a p:* test: label id as in uri_of, or GX_NONE */
    const u32 *names;           /* while names are bound (bind.h): the program's, by hash */
    u32 names_mask, pad;
} gx_view;

typedef struct gx_param_value { u32 name; u32 pad; gx_col col; } gx_param_value;      /* name: qname */
typedef struct gx_params { u32 n, pad; gx_param_value at[1]; } gx_params;

enum { GX_V_CAND = 32 };        /* type of candidates: between STEP/FILTER and STEP_END */

/*
 * Rows 0..n-1; is_const: row 0 stands for all of them.
 *   BOOL NUM STR   data: u8, double, gx_str
 *   SET            data: u32 node ids; row r has ids [off[r], off[r] + cnt[r]), or to off[r + 1] when cnt is NULL,
 *                  or just data[r] when off is NULL too. dense: off ranges follow one another from 0 (always when cnt
 *                  is NULL)
 *   RTF            data: gx_kid; or NULL: row r has frame r of chunk n_seg, and none if that is 0. str: gx_str or NULL;
 *                  merged: one of all rows.
 *                  quiet: GX_C_QUIET
 *   CAND           data: ids; off: n_seg + 1 segment bounds, one segment a context node; row: n + 1 bounds in segments,
 *                  or NULL =
 *                  segment r is row r's only one. reverse: ids of a segment stand in reverse document order.
 */
typedef struct gx_v {
    u8 type, is_const, reverse, merged;     /* merged: segments are rows in document order already */
    u32 n, n_seg, quiet;
    void *data;
    const u32 *off, *cnt;
    union { const u32 *row; const gx_str *str; };
} gx_v;

/*
 * dyn:evaluate and its kin: expressions that are strings. One member evaluates them, for all rows of the innermost
 * scope (host/dynamic.c); the column comes back in kept memory.
 */
typedef struct gx_dynamic {
    u32 func, n;                        /* rows */
    gx_v set, text;                     /* text: STR; set: dyn:map's and so on */
    u32 nslist;
    gx_str in_scope, base;
    const u32 *context, *position, *size;       /* of the rows; position and size may be NULL: 1 */
    const u32 *map, *group_row;         /* row -> row of scope 0 -> row of the running group; NULL: the same */
    u32 group, where;
    u64 steps;                          /* in and out */
    /* out */
    gx_status status;
    gx_v value;
    u32 need_kind, need_index, need_body, need_flags;
} gx_dynamic;

/* Host steps: what a team on a CPU may ask its process for. NULL on a GPU. */
typedef struct gx_host {
    void *ctx;
    /* document(): loads uri relative to base, which is that of the node `from` (GX_NONE: the stylesheet's module);
     * *node: the root, or what the fragment leads to; GX_NONE: none. */
    gx_status (*document)(void *ctx, gx_str uri, gx_str base, u32 from, u32 *node);
    /* exsl:node-set of n fragments: roots[i] = root node of the tree made of fragment i. */
    gx_status (*node_set)(void *ctx, const gx_kid *kids, const gx_str *texts, u32 n, u32 *roots);
    /* A function that is easier there. Arguments and results are strings; n rows. */
    gx_status (*function)(void *ctx, u32 func, u32 argc, const gx_str *const *args, u32 n, u32 nslist, gx_str *out);
    /* An EXSLT function for n rows of its arguments' columns. out: double[], u8[], gx_str[], or u32[] of trees' roots,
     * as it has. */
    gx_status (*call)(void *ctx, u32 func, const gx_v *args, u32 n, void *out);
    /* EXSLT's dynamic module; GX_NEED with d->need: a value is wanted first, as in gx_m. */
    gx_status (*dynamic)(void *ctx, gx_dynamic *d);
    u64 (*now_us)(void *ctx);
} gx_host;

/* A string that a lone row made, from .. to - 1, in room that it may grow into: first .. end - 1, zeros. Offsets in the
 * arena (value.h, gx_grow) */
typedef struct gx_room { u64 first, from, to, end; } gx_room;
#define GX_ROOMS 4u
/* of the strings made last; next: the one to be forgotten */
typedef struct gx_rooms { gx_room at[GX_ROOMS]; u32 next, pad; } gx_rooms;

/* ONCE's value that is kept: of the op, counted from 1, for the tree of that root (value.h). */
typedef struct gx_once { u32 op, root; gx_col value; } gx_once;
#define GX_ONCES 16u

/* What is known of a mode's templates that only copy, for the first document (copies.h) */
typedef struct gx_copies {
    u32 known;                  /* the rest is */
    u32 n, labels;              /* ref: labels' ids whose nodes are not just copied, and that the document has */
    u32 before;                 /* ref u32[n_nodes + 1]: how many such nodes have a lower id; 0: not counted */
} gx_copies;

typedef struct gx_run {
    const gx_program *program;
    const gx_lit *lits;
    u64 lit_at;                 /* gx_str.at of the program's block: SPACE_PROG, or in the arena (host/dynamic.c) */
    const gx_op *ops;
    const gx_expr *exprs;
    const gx_twig *twigs;
    const gx_twig_node *twig_nodes;
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
    gx_view *views;             /* by document; they and doc_refs move when documents are added, and views that somebody
                                   holds stay readable */
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
    gx_copies *copies;          /* by mode; NULL: no template only copies */
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
    u32 need_kind, need_index, need_body, need_flags;   /* with GX_NEED: GX_NEED_*, run.h */
    u32 need_n, need_context, need_position, need_size, need_params;    /* of a call's frames; refs. KEY: rows, their
                                           nodes, and their keys' names */
    u32 calls_first, calls_last;        /* calls of functions that the running instruction has made, in their order:
                                           refs, call.h */
    u32 calls_next, calls_met;          /* the one that is met next; the last one met */
    u32 said;                           /* ref of the last gx_said */
    u32 in_function;                    /* what runs is not walked by the serialiser */
    u32 key_depth;                      /* levels of key indexes that are open, each for the one before */
    u32 scans_axis;                     /* a key's use is being evaluated by gx_axis_scan */
    u32 onces_seen;                     /* bits, by op: ONCEs that were evaluated */
    u32 speaks;                         /* counts instructions that ran and are, or copy, messages: gx_level */
    u32 last_word, last_group;          /* 1 + the first xsl:message that ran and ends the transformation, 0: none did;
                                           its group */
    u32 lasting;                        /* how much has been made that is used again to the end: indexes of keys, ONCEs,
                                           programs of dyn:evaluate */
    u64 shared;                         /* scratch that a part's rows share (PARTS): more of them would take no more */
    u32 root;                           /* of the result: ref */
    u32 begun;                          /* the first groups have been made */
    u32 held;                           /* 1 + the instruction before which another team goes on (gx_handed); 0: none */
    u32 ran;                            /* instructions since .. */
    u64 ran_since;                      /* .. that time, 0: not looked at yet */
    u32 turn_look, turn_long, turn_short, turns;    /* gx_team_turns; turns 0: there is no other team */
} gx_m;

/* What an instruction may find missing when it says GX_NEED (run.h) */
enum { GX_NEED_GLOBAL = 0, GX_NEED_VAR, GX_NEED_CALL, GX_NEED_KEY };
#define GX_KEY_DEPTH 32u                /* indexes that wait for one another: keys whose names are computed may ask for
                                           themselves */

/* ---- strings ---- */

GX_OP gx_str gx_str_none(void) { gx_str s; s.at = 0; s.len = 0; s.pad = 0; return s; }
GX_OP gx_str gx_str_make(u64 at, u32 len) { gx_str s; s.at = at; s.len = len; s.pad = 0; return s; }

GX_OP const char *gx_space_at(const gx_run *r, u32 space)
{
    return GX_MAX_DOCS == 1 || space <= GX_SPACE_DOC ? r->space[space]
                                                     : (const char *)r->views[space - GX_SPACE_DOC].doc;
}
GX_OP const char *gx_bytes(const gx_m *m, gx_str s)
{
    return gx_space_at(m->run, GX_STR_SPACE(s.at)) + GX_STR_OFF(s.at);
}
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

#endif
