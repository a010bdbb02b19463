/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backtrack.c -- JavaScript's regular expressions where PCRE2 means something else by the same words
 *
 * In JavaScript (ECMA-262, 22.2.2) a turn of a repetition forgets what the groups inside it matched, a turn that is not
 * asked for may not be empty, and (?<=...) matches its content backwards, whatever its length. Where that can be seen,
 * a pattern is matched here; sets of characters are still PCRE2's, one pattern for each, asked about one character.
 *
 *   tokens (javascript.h)  ->  nodes: a tree  ->  code for a machine that backtracks
 *
 *   SPAN set least most    characters of a set, as many as there are; gives back one after the other
 *   SPLIT other            goes on, and at `other` if that fails
 *   ENTER/TURN/NEXT        a repetition: counts turns, notes where a turn began, forgets its groups
 *   LOOK ... SEEN/NOT      an assertion: what it chose is dropped when its content has matched
 *
 * Registers are numbers: three for each group (from, to, where it was entered), two for each repetition, one for each
 * assertion. What changes a register puts its old value on the stack, which has the choices, too, so going back to a
 * choice restores all registers.
 *
 * Cost: a choice is 12 bytes on the stack, STACK_BYTES in all, from the owner's memory. No recursion but over groups
 * inside each other, which javascript.c limits.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>
#include "backtrack.h"
#include "machine/text.h"

#define STACK_BYTES (64u << 20)
#define LOOK_EVERY 4096u        /* instructions, and characters that one of them goes through */
#define UNSET (~0u)

/* ---- the tree ---- */

enum { SEQUENCE, CHOICE, CHARACTER, REFERENCE, PLACE, CAPTURE, LOOK, REPEAT };
typedef struct node {
    u8 kind;
    u8 is_empty;                /* it can match nothing */
    u8 may_miss;                /* it can match without some of its groups */
    u8 lazy;
    u32 a, b;                   /* CHARACTER: its token; CAPTURE, REFERENCE: the group; LOOK: its kind; REPEAT: least,
                                   most */
    u32 first, last, next, prev;
    u32 group_from, group_to;   /* the groups inside */
} node;

typedef struct set { u32 words, n; u8 ascii[16]; pcre2_code *code; } set;

typedef struct entry { u32 what, at, was; } entry;
struct gx_backtrack {
    gx_backtrack_owner owner;
    pcre2_general_context *memory;
    pcre2_compile_context *compile;
    pcre2_match_data *one;      /* for sets */
    pcre2_code *fold;           /* two characters that are the same but for case */
    const char *words;
    int flags, error;
    /* compiling */
    const gx_js_token *tokens;
    u32 n_tokens, i;
    node *nodes;
    u32 n_nodes, cap_nodes;
    int differs, refers;        /* 1: from PCRE2, 2: if it refers to groups */
    /* compiled */
    u32 *code;
    u32 n_code, cap_code;
    set *sets;
    u32 n_sets, cap_sets;
    u32 n_groups, n_registers;
    u32 *registers;
    size_t *groups;
    /* matching */
    entry *stack;
    u32 n_stack, cap_stack;
    u32 work;                   /* since the last look at the clock, of this match and those before */
    const char *s;
    u32 n;
};

/* Room for one more item, twice as much each time. The items before may move. */
static void *room(gx_backtrack *b, void *items, u32 n, u32 *cap, size_t size)
{
    if (n < *cap)
        return items;
    const u32 want = *cap ? *cap * 2 : 32;
    void *more = b->owner.alloc(want * size, b->owner.ctx);
    if (!more) {
        b->error = PCRE2_ERROR_NOMEMORY;
        return NULL;
    }
    if (n)
        memcpy(more, items, n * size);
    b->owner.release(items, b->owner.ctx);
    *cap = want;
    return more;
}

/* A node at the end of the array, which may move: indexes, not pointers, are kept. */
static u32 new_node(gx_backtrack *b, int kind)
{
    node *more = room(b, b->nodes, b->n_nodes, &b->cap_nodes, sizeof *more);
    if (!more)
        return 0;               /* node 0 is always there: the caller goes on until it looks at b->error */
    b->nodes = more;
    memset(&more[b->n_nodes], 0, sizeof *more);
    more[b->n_nodes].kind = (u8)kind;
    more[b->n_nodes].group_from = b->n_groups;
    return b->n_nodes++;
}

/* A kid behind the others. */
static void add(gx_backtrack *b, u32 to, u32 kid)
{
    node *all = b->nodes, *n = &all[to];
    if (b->error)
        return;
    all[kid].prev = n->last;
    if (n->last)
        all[n->last].next = kid;
    else
        n->first = kid;
    n->last = kid;
}

static u32 alternatives(gx_backtrack *b);

/* One atom of the pattern as a node: a set of characters, a reference, a place, or a group with its alternatives. Notes
 * whether it can match nothing, and whether a group in it may not take part. Recursion: groups, as deep as the
 * tokenizer lets them nest. */
static u32 atom(gx_backtrack *b)
{
    const gx_js_token *t = &b->tokens[b->i++];
    const u32 is_group = t->kind == GX_JS_OPEN, is_capture = is_group && t->a == GX_JS_CAPTURE;
    u32 kid, self;
    if (!is_group) {
        self = new_node(b, t->kind == GX_JS_CHARACTER ? CHARACTER : t->kind == GX_JS_REFERENCE ? REFERENCE : PLACE);
        if (b->error)
            return 0;
        b->nodes[self].a = t->kind == GX_JS_CHARACTER ? (u32)(t - b->tokens) : t->a;
        b->nodes[self].is_empty = t->kind != GX_JS_CHARACTER;
        b->nodes[self].group_to = b->n_groups;
        b->refers |= t->kind == GX_JS_REFERENCE;
        return self;
    }
    if (t->a == GX_JS_GROUP)
        kid = self = alternatives(b);
    else {
        self = new_node(b, is_capture ? CAPTURE : LOOK);
        const u32 group = b->n_groups;
        b->n_groups += is_capture;
        kid = alternatives(b);
        add(b, self, kid);
        if (!b->error) {
            node *n = &b->nodes[self];
            n->a = is_capture ? group : t->a;
            n->is_empty = !is_capture || b->nodes[kid].is_empty;
            n->group_to = b->n_groups;
            n->may_miss = b->nodes[kid].may_miss
                || ((t->a == GX_JS_NOT_AHEAD || t->a == GX_JS_NOT_BEHIND) && n->group_to > n->group_from);
            b->differs |= t->a == GX_JS_BEHIND || t->a == GX_JS_NOT_BEHIND;
        }
    }
    b->i++;                     /* the group's end */
    return self;
}

/* A repetition of `kid`. Here it shows whether PCRE2 would do otherwise: a turn that may be empty, or groups that a
 * later turn forgets. */
static u32 repeated(gx_backtrack *b, u32 kid)
{
    const gx_js_token *t = &b->tokens[b->i++];
    const u32 self = new_node(b, REPEAT);
    if (b->error)
        return 0;
    node *n = &b->nodes[self];
    const node *k = &b->nodes[kid];
    const int has_groups = k->group_to > k->group_from;
    n->a = t->a;
    n->b = t->b;
    n->lazy = t->lazy;
    n->group_from = k->group_from;
    n->group_to = k->group_to;
    n->is_empty = k->is_empty || !t->a;
    n->may_miss = k->may_miss || (has_groups && !t->a);
    b->differs |= (k->is_empty && t->a != t->b) || (t->b > 1 && k->may_miss) || (t->b > 1 && has_groups && k->is_empty);
    if (t->b > 1 && has_groups)
        b->differs |= 2;
    add(b, self, kid);
    return self;
}

/* A CHOICE of sequences of atoms, up to the group's end or the pattern's, which is left for the caller. It may be
 * empty if one sequence may, and may miss groups if there are several. Its node's number; 0 with b->error. */
static u32 alternatives(gx_backtrack *b)
{
    const u32 self = new_node(b, CHOICE);
    u32 sequences = 0, is_empty = 0, may_miss = 0;
    for (;;) {
        const u32 one = new_node(b, SEQUENCE);
        u32 all_empty = 1;
        while (!b->error && b->i < b->n_tokens && b->tokens[b->i].kind != GX_JS_CLOSE
               && b->tokens[b->i].kind != GX_JS_OR) {
            u32 item = atom(b);
            if (!b->error && b->i < b->n_tokens && b->tokens[b->i].kind == GX_JS_REPEAT)
                item = repeated(b, item);
            if (b->error)
                return 0;
            all_empty &= b->nodes[item].is_empty;
            may_miss |= b->nodes[item].may_miss;
            add(b, one, item);
        }
        if (b->error)
            return 0;
        add(b, self, one);
        sequences++;
        is_empty |= all_empty;
        if (b->i >= b->n_tokens || b->tokens[b->i].kind != GX_JS_OR)
            break;
        b->i++;
    }
    node *n = &b->nodes[self];
    n->is_empty = (u8)is_empty;
    n->group_to = b->n_groups;
    n->may_miss = (u8)(may_miss || (sequences > 1 && n->group_to > n->group_from));
    return self;
}

/* ---- code ---- */

enum {
    OP_SPAN, OP_SPLIT, OP_JUMP, OP_REFERENCE, OP_PLACE, OP_ENTER, OP_CLOSE, OP_REPEAT, OP_TURN, OP_NEXT, OP_LOOK,
    OP_SEEN, OP_NOT, OP_MATCH
};

static u32 put(gx_backtrack *b, u32 word)
{
    u32 *more = room(b, b->code, b->n_code, &b->cap_code, sizeof *more);
    if (!more)
        return 0;
    b->code = more;
    more[b->n_code] = word;
    return b->n_code++;
}

static void put_op(gx_backtrack *b, u32 op, u32 x, u32 y, u32 z)
{
    put(b, op);
    put(b, x);
    put(b, y);
    put(b, z);
}

static int asks(gx_backtrack *b, const pcre2_code *code, const char *s, u32 n)
{
    return pcre2_match(code, (PCRE2_SPTR)s, n, 0, PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED, b->one, NULL) >= 0;
}

/* A pattern for one character: a set, or a comparison without case. */
static pcre2_code *compile(gx_backtrack *b, const char *words, u32 n)
{
    int error;
    PCRE2_SIZE at;
    const u32 options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_START_OPTIMIZE;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)words, n, options | (b->flags & GX_JS_NOCASE ? PCRE2_CASELESS : 0),
                                     &error, &at, b->compile);
    if (!code)
        b->error = error;
    return code;
}

/* The set of a token's characters, compiled by PCRE2 once; tokens with the same words share one. For ASCII PCRE2 is
 * asked at once, and a table answers from then on. Looks through the sets there are: their number is the pattern's. 0
 * with b->error: no memory, or words that PCRE2 does not know. */
static u32 set_of(gx_backtrack *b, const gx_js_token *t)
{
    for (u32 k = 0; k < b->n_sets; k++)
        if (b->sets[k].n == t->b - t->a && !memcmp(b->words + b->sets[k].words, b->words + t->a, t->b - t->a))
            return k;
    set *more = room(b, b->sets, b->n_sets, &b->cap_sets, sizeof *more);
    if (!more)
        return 0;
    b->sets = more;
    set *one = &more[b->n_sets];
    memset(one, 0, sizeof *one);
    one->words = t->a;
    one->n = t->b - t->a;
    if (!(one->code = compile(b, b->words + t->a, one->n)))
        return 0;
    for (u32 c = 0; c < 128; c++) {
        const char byte = (char)c;
        one->ascii[c / 8] |= (u8)(asks(b, one->code, &byte, 1) << c % 8);
    }
    return b->n_sets++;
}

static u32 new_registers(gx_backtrack *b, u32 n)
{
    b->n_registers += n;
    return b->n_registers - n;
}

static void emit(gx_backtrack *b, u32 self, u32 back);

/* SPLIT before each alternative but the last, a jump to the end behind each; the jumps are patched when the end is
 * known. */
static void emit_choice(gx_backtrack *b, const node *n, u32 back)
{
    u32 end = 0;                /* the jumps to the end are a list through their targets */
    for (u32 kid = n->first; kid && !b->error; kid = b->nodes[kid].next) {
        if (!b->nodes[kid].next) {
            emit(b, kid, back);
            break;
        }
        const u32 split = b->n_code;
        put_op(b, OP_SPLIT, 0, 0, 0);
        emit(b, kid, back);
        const u32 jump = b->n_code;
        put_op(b, OP_JUMP, end, 0, 0);
        end = jump;
        if (!b->error)
            b->code[split + 1] = b->n_code;
    }
    while (end && !b->error) {
        const u32 next = b->code[end + 1];
        b->code[end + 1] = b->n_code;
        end = next;
    }
}

/* A repetition: of one set forwards and greedy one SPAN, which counts; else a loop that notes where each turn began. */
static void emit_repeat(gx_backtrack *b, const node *n, u32 back)
{
    const node *kid = &b->nodes[n->first];
    if (kid->kind == CHARACTER && !n->lazy && !back) {
        put_op(b, OP_SPAN, set_of(b, &b->tokens[kid->a]), n->a, n->b);
        return;
    }
    const u32 r = new_registers(b, 2), least = n->a, most = n->b, from = n->group_from, to = n->group_to;
    put_op(b, OP_ENTER, r, 0, 0);
    const u32 loop = b->n_code;
    put_op(b, OP_REPEAT, r, least, most);
    put_op(b, n->lazy, 0, 0, 0);                /* goes on with REPEAT: lazy, where to behind it */
    put_op(b, OP_TURN, r, from, to);
    emit(b, n->first, back);
    put_op(b, OP_NEXT, r, least, loop);
    if (!b->error)
        b->code[loop + 5] = b->n_code;
}

/* Code of a node, behind what there is. back: it is matched from its end to its beginning, as in (?<=...). */
static void emit(gx_backtrack *b, u32 self, u32 back)
{
    if (b->error)
        return;
    const node *n = &b->nodes[self];
    u32 r;
    switch (n->kind) {
    case SEQUENCE:
        for (u32 kid = back ? n->last : n->first; kid; kid = back ? b->nodes[kid].prev : b->nodes[kid].next)
            emit(b, kid, back);
        break;
    case CHOICE: emit_choice(b, n, back); break;
    case CHARACTER: put_op(b, OP_SPAN, set_of(b, &b->tokens[n->a]), back ? UNSET : 1, 1); break;
    case REFERENCE: put_op(b, OP_REFERENCE, n->a, back, 0); break;
    case PLACE: put_op(b, OP_PLACE, n->a, 0, 0); break;
    case CAPTURE:
        put_op(b, OP_ENTER, 3 * n->a + 2, 1, 0);
        emit(b, n->first, back);
        put_op(b, OP_CLOSE, 3 * n->a, back, 0);
        break;
    case LOOK: {
        const int negated = n->a == GX_JS_NOT_AHEAD || n->a == GX_JS_NOT_BEHIND;
        const u32 look = b->n_code;
        r = new_registers(b, 1);
        put_op(b, OP_LOOK, r, 0, 0);
        emit(b, n->first, n->a == GX_JS_BEHIND || n->a == GX_JS_NOT_BEHIND);
        put_op(b, negated ? OP_NOT : OP_SEEN, r, 0, 0);
        if (negated && !b->error)
            b->code[look + 2] = b->n_code;
        break;
    }
    case REPEAT: emit_repeat(b, n, back); break;
    }
}

/* Only what repeats more than an atom, and what looks behind, can differ. */
static int may_differ(const gx_js_token *t, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if ((t[i].kind == GX_JS_OPEN && t[i].a >= GX_JS_BEHIND)
            || (t[i].kind == GX_JS_REPEAT && t[i - 1].kind != GX_JS_CHARACTER))
            return 1;
    return 0;
}

/* A matcher of its own for a pattern that PCRE2 would match otherwise; *out NULL: PCRE2 will do. 0, or PCRE2's
 * error. */
int gx_backtrack_create(gx_backtrack **out, const gx_backtrack_owner *owner, const gx_js_token *tokens, u32 n,
                        const char *words, int flags)
{
    *out = NULL;
    if (!may_differ(tokens, n))
        return 0;
    gx_backtrack *b = owner->alloc(sizeof *b, owner->ctx);
    if (!b)
        return PCRE2_ERROR_NOMEMORY;
    memset(b, 0, sizeof *b);
    b->owner = *owner;
    b->tokens = tokens;
    b->n_tokens = n;
    b->words = words;
    b->flags = flags;
    b->n_groups = 1;
    const u32 top = (new_node(b, SEQUENCE), b->error ? 0 : alternatives(b));
    if (!b->error && ((b->differs & 1) || (b->differs && b->refers))) {
        b->memory = pcre2_general_context_create(owner->alloc, owner->release, owner->ctx);
        b->compile = b->memory ? pcre2_compile_context_create(b->memory) : NULL;
        b->one = b->compile ? pcre2_match_data_create(2, b->memory) : NULL;
        b->error = b->one ? 0 : PCRE2_ERROR_NOMEMORY;
        b->n_registers = 3 * b->n_groups;
        if (!b->error && flags & GX_JS_NOCASE && b->refers)
            b->fold = compile(b, "(?s:(.))\\1", 10);
        emit(b, top, 0);
        put_op(b, OP_MATCH, 0, 0, 0);
        if (!b->error && (!(b->registers = owner->alloc(b->n_registers * sizeof *b->registers, owner->ctx))
                          || !(b->groups = owner->alloc(2 * b->n_groups * sizeof *b->groups, owner->ctx))))
            b->error = PCRE2_ERROR_NOMEMORY;
    } else if (!b->error)
        b->error = PCRE2_ERROR_NOMATCH;         /* PCRE2 will do */
    owner->release(b->nodes, owner->ctx);
    b->nodes = NULL;
    b->tokens = NULL;
    b->words = NULL;
    const int error = b->error;
    if (error)
        gx_backtrack_free(b);
    else
        *out = b;
    return error == PCRE2_ERROR_NOMATCH ? 0 : error;
}

/* Frees the sets, the code and the matcher, by the owner's allocator. */
void gx_backtrack_free(gx_backtrack *b)
{
    if (!b)
        return;
    const gx_backtrack_owner owner = b->owner;
    for (u32 k = 0; k < b->n_sets; k++)
        pcre2_code_free(b->sets[k].code);
    pcre2_code_free(b->fold);
    pcre2_match_data_free(b->one);
    pcre2_compile_context_free(b->compile);
    pcre2_general_context_free(b->memory);
    owner.release(b->sets, owner.ctx);
    owner.release(b->code, owner.ctx);
    owner.release(b->registers, owner.ctx);
    owner.release(b->groups, owner.ctx);
    owner.release(b->stack, owner.ctx);
    owner.release(b, owner.ctx);
}

u32 gx_backtrack_groups(const gx_backtrack *b) { return b->n_groups; }

/* ---- the machine ---- */

/* An entry of the stack: a register and its old value, or one of these */
#define TO_CHOICE (~0u)         /* at: the place, was: the code */
#define TO_SPAN (~1u)           /* at: the end of the characters, was: how far back it may go; TO_CODE is below */
#define TO_CODE (~2u)
#define TO_LOOK (~3u)           /* at: the place, was: the code if its content fails; 0: fails, too */
#define TO_NOTHING (~4u)

/* Notes a choice, or a register's old value, on the stack. 0: STACK_BYTES are full, which is an error like PCRE2's. */
static int push(gx_backtrack *b, u32 what, u32 at, u32 was)
{
    if (b->n_stack == b->cap_stack && b->cap_stack * sizeof *b->stack >= STACK_BYTES / 2) {
        b->error = PCRE2_ERROR_HEAPLIMIT;
        return 0;
    }
    entry *more = room(b, b->stack, b->n_stack, &b->cap_stack, sizeof *more);
    if (!more)
        return 0;
    b->stack = more;
    more[b->n_stack].what = what;
    more[b->n_stack].at = at;
    more[b->n_stack++].was = was;
    return 1;
}

static int change(gx_backtrack *b, u32 r, u32 value)
{
    if (b->registers[r] == value)
        return 1;
    if (!push(b, r, 0, b->registers[r]))
        return 0;
    b->registers[r] = value;
    return 1;
}

/* One more instruction or character. 1: the owner says that time is over, and b->error is CALLOUT. */
static int is_late(gx_backtrack *b)
{
    if (++b->work < LOOK_EVERY)
        return 0;
    b->work = 0;
    if (b->owner.look(b->owner.ctx))
        b->error = PCRE2_ERROR_CALLOUT;
    return b->error != 0;
}

static u32 before(const gx_backtrack *b, u32 at)
{
    do
        at--;
    while (((u8)b->s[at] & 0xc0) == 0x80);
    return at;
}

static u32 behind(const gx_backtrack *b, u32 at)
{
    do
        at++;
    while (at < b->n && ((u8)b->s[at] & 0xc0) == 0x80);
    return at;
}

static int has(gx_backtrack *b, const set *one, u32 from, u32 to)
{
    const u8 c = (u8)b->s[from];
    return c < 128 ? one->ascii[c / 8] >> c % 8 & 1 : asks(b, one->code, b->s + from, to - from);
}

/* Is the character at s[at] one of \w? With the flags i and u the long s and the Kelvin sign are, too (22.2.2.9.3). */
static int is_word(const gx_backtrack *b, u32 at)
{
    const u8 c = (u8)b->s[at];
    if (c < 0x80)
        return (u8)((c | 32) - 'a') < 26 || (u8)(c - '0') < 10 || c == '_';
    return b->flags & GX_JS_NOCASE && b->flags & GX_JS_UNICODE
        && ((b->n - at >= 2 && !memcmp(b->s + at, "\xc5\xbf", 2))
            || (b->n - at >= 3 && !memcmp(b->s + at, "\xe2\x84\xaa", 3)));
}

static int is_line_end(const gx_backtrack *b, u32 at)
{
    const char *s = b->s + at;
    return *s == '\n' || *s == '\r'
        || (b->n - at >= 3 && !memcmp(s, "\xe2\x80", 2) && ((u8)s[2] == 0xa8 || (u8)s[2] == 0xa9));
}

/* Does ^, $, \b or \B hold at byte `at`? */
static int is_place(const gx_backtrack *b, u32 kind, u32 at)
{
    switch (kind) {
    case '^': return at == 0 || (b->flags & GX_JS_LINES && is_line_end(b, before(b, at)));
    case '$': return at == b->n || (b->flags & GX_JS_LINES && is_line_end(b, at));
    default: {
        const int is_edge = (at > 0 && is_word(b, before(b, at))) != (at < b->n && is_word(b, at));
        return kind == 'b' ? is_edge : !is_edge;
    }
    }
}

/* Are two characters the same for a back reference? Without case PCRE2 is asked, but for those that JavaScript tells
 * apart. */
static int is_same(gx_backtrack *b, const char *x, u32 n_x, const char *y, u32 n_y)
{
    char both[8];
    u32 cx, cy;
    if (n_x == n_y && !memcmp(x, y, n_x))
        return 1;
    if (!b->fold)
        return 0;
    gx_utf8_decode(x, n_x, &cx);
    gx_utf8_decode(y, n_y, &cy);
    if (!(b->flags & GX_JS_UNICODE) && gx_javascript_differs(cx, cy))
        return 0;
    memcpy(both, x, n_x);
    memcpy(both + n_x, y, n_y);
    return asks(b, b->fold, both, n_x + n_y);
}

/* The text of a group again, at `at` or before it: *to, or 0 if it is not there, or b->error. A group that took no part
 * is empty (22.2.2.7). O(its characters). */
static int refers(gx_backtrack *b, u32 group, u32 back, u32 at, u32 *to)
{
    const u32 from = b->registers[3 * group], end = b->registers[3 * group + 1];
    *to = at;
    if (from == UNSET)
        return 1;
    for (u32 i = back ? end : from; i != (back ? from : end);) {
        if (is_late(b) || *to == (back ? 0 : b->n))
            return 0;
        const u32 next_i = back ? before(b, i) : behind(b, i), next = back ? before(b, *to) : behind(b, *to);
        const u32 xi = back ? next_i : i, yi = back ? next : *to;
        if (!is_same(b, b->s + xi, back ? i - next_i : next_i - i, b->s + yi, back ? *to - next : next - *to))
            return 0;
        i = next_i;
        *to = next;
    }
    return 1;
}

/* SPAN set least most: as many characters of the set as there are from *at on, `most` at most; c is the instruction.
 * One entry on the stack has all shorter spans as its choices. least UNSET: one character, before *at. 0: there are
 * fewer than `least`, or b->error. */
static int span(gx_backtrack *b, const u32 *c, u32 *at)
{
    const set *one = &b->sets[c[1]];
    const u32 code = (u32)(c - b->code) + 4;
    u32 n = 0, low = *at, to = *at;
    if (c[2] == UNSET) {                        /* one, backwards */
        if (!to || !has(b, one, before(b, to), to))
            return 0;
        *at = before(b, to);
        return 1;
    }
    while (n < c[3] && to < b->n) {
        const u32 next = behind(b, to);
        if (!has(b, one, to, next))
            break;
        if (is_late(b))
            return 0;
        to = next;
        if (++n == c[2])
            low = to;
    }
    if (n < c[2])
        return 0;
    *at = to;
    return to == low || (push(b, TO_CODE, code, 0) && push(b, TO_SPAN, to, low));
}

/* Drops the choices that an assertion has made; what registers had before stays. */
static u32 keep_registers(gx_backtrack *b, u32 base)
{
    const u32 at = b->stack[base].at;
    u32 kept = base;
    for (u32 k = base + 1; k < b->n_stack; k++)
        if (b->stack[k].what < b->n_registers)
            b->stack[kept++] = b->stack[k];
    b->n_stack = kept;
    return at;
}

/* Undoes what was done since the last choice: registers get their old values. With asks_choices up to the last choice,
 * whose place and code are *at and *pc: 1. Without, or if there is no choice above stack[base], down to that: 0. */
static int go_back(gx_backtrack *b, u32 base, int asks_choices, u32 *pc, u32 *at)
{
    while (b->n_stack > base) {
        entry *e = &b->stack[--b->n_stack];
        if (e->what < b->n_registers)
            b->registers[e->what] = e->was;
        else if (!asks_choices)
            continue;
        else if (e->what == TO_SPAN) {
            *at = before(b, e->at);
            *pc = b->stack[b->n_stack - 1].at;
            if (*at > e->was) {
                e->at = *at;
                b->n_stack++;
            }
            return 1;
        } else if (e->what == TO_CHOICE || (e->what == TO_LOOK && e->was)) {
            *at = e->at;
            *pc = e->was;
            return 1;
        }
    }
    return 0;
}

/* Runs the instruction at *pc: 1, and *pc and *at are where the match goes on; 0, it fails here, or b->error. */
static int step(gx_backtrack *b, u32 *pc, u32 *at)
{
    const u32 *c = b->code + *pc;
    u32 r = c[1], to;
    *pc += 4;
    switch (c[0]) {
    case OP_SPAN: return span(b, c, at);
    case OP_SPLIT: return push(b, TO_CHOICE, *at, r);
    case OP_JUMP: *pc = r; return 1;
    case OP_REFERENCE:
        if (!refers(b, r, c[2], *at, &to))
            return 0;
        *at = to;
        return 1;
    case OP_PLACE: return is_place(b, r, *at);
    case OP_ENTER: return change(b, r, c[2] ? *at : 0);
    case OP_CLOSE: {
        const u32 entered = b->registers[r + 2];
        return change(b, r, c[2] ? *at : entered) && change(b, r + 1, c[2] ? entered : *at);
    }
    case OP_REPEAT:
        if (b->registers[r] < c[2])
            *pc += 4;
        else if (b->registers[r] >= c[3])
            *pc = c[5];
        else if (c[4]) {                        /* lazy */
            *pc = c[5];
            return push(b, TO_CHOICE, *at, (u32)(c - b->code) + 8);
        } else {
            *pc += 4;
            return push(b, TO_CHOICE, *at, c[5]);
        }
        return 1;
    case OP_TURN:
        for (u32 g = c[2]; g < c[3]; g++)
            if (!change(b, 3 * g, UNSET) || !change(b, 3 * g + 1, UNSET))
                return 0;
        return change(b, r + 1, *at);
    case OP_NEXT:
        if (*at == b->registers[r + 1] && b->registers[r] >= c[2])
            return 0;
        *pc = c[3];
        return change(b, r, b->registers[r] + 1);
    case OP_LOOK:
        /* the register's old value comes below the entry that it is to name; where it had that value, nothing does */
        return change(b, r, b->n_stack + 1) && (b->registers[r] == b->n_stack || push(b, TO_NOTHING, 0, 0))
            && push(b, TO_LOOK, *at, c[2]);
    case OP_SEEN: *at = keep_registers(b, b->registers[r]); return 1;
    default:                                    /* OP_NOT */
        go_back(b, b->registers[r], 0, pc, at);
        return 0;
    }
}

/* Matches at byte `at` alone. 1 and the groups' offsets; PCRE2_ERROR_NOMATCH, MATCHLIMIT after `limit` choices that
 * failed, CALLOUT where the owner says that time is over. */
int gx_backtrack_match(gx_backtrack *b, const char *s, u32 n, u32 at, u32 limit, const size_t **groups)
{
    u32 pc = 0, tries = 0;
    b->s = s;
    b->n = n;
    b->error = 0;
    b->n_stack = 0;
    for (u32 r = 0; r < b->n_registers; r++)
        b->registers[r] = UNSET;
    b->registers[0] = at;
    while (b->code[pc] != OP_MATCH) {
        if (is_late(b))
            return b->error;
        if (step(b, &pc, &at))
            continue;
        if (b->error)
            return b->error;
        if (++tries > limit)
            return PCRE2_ERROR_MATCHLIMIT;
        if (!go_back(b, 0, 1, &pc, &at))
            return PCRE2_ERROR_NOMATCH;
    }
    b->registers[1] = at;
    for (u32 g = 0; g < b->n_groups; g++)
        for (u32 k = 0; k < 2; k++)
            b->groups[2 * g + k] = b->registers[3 * g + k] == UNSET ? PCRE2_UNSET : b->registers[3 * g + k];
    *groups = b->groups;
    return 1;
}
