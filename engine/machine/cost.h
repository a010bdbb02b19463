/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost.h -- the one table of costs: where one way of evaluating becomes cheaper than another
 *
 * One column is for solo, one for threads and one for GPU teams. A GPU's hundreds of members make work for each pair
 * cheap, and the syncs of a better way dear. Two threads are at most twice as fast as one, so they need the ways that
 * are better with growth where solo needs them. Every member of a team sees the same numbers and decides the same. The
 * last column names the line of bench/cliffs.tsv that the value was measured with. gpuxslt --explain prints the table
 * where an expression depends on it. Tests set some values to 0 (SMALL_PARTS in the Makefile).
 *
 *   X(name, solo, threads, gpu, unit, the way that is taken up to there, the way beyond, benchmark)
 */
#ifndef GX_MACHINE_COST_H
#define GX_MACHINE_COST_H

#define GX_COSTS(X) \
    X(CHOICE_ROWS, 8, 8, 8, "rows", "walk from each node", "join", "from-group") \
    X(CHOICE_TREE, 2, 2, 2, "nodes a row", "walk from each node", "join", "from-group") \
    X(CHOICE_FOUND, 16, 16, 16, "nodes found a row", "ask each node", "join the lists that rows share", "and-order") \
    X(JOIN_PAIRS, 4, 4, 64, "pairs for each row and candidate", "compare each pair", "make an index", "greater") \
    X(LOOKUP_LONG, 16, 16, 16, "entries a row", "look up for each row", "for each distinct value", "few-values") \
    X(SLICE_NODES, 4, 4, 4, "nodes a row", "work on each row's nodes", "once on the lists that rows share", "sum-few") \
    X(EACH_NODES, 8, 8, 8, "nodes", "compare two rows' sets node by node", "take them for different", "from-ancestor") \
    X(DOMAIN_ROWS, 16, 16, 16, "rows", "evaluate for each row", "for each that reads something else", "text-of-both") \
    X(ROUND_FIRST, 8, 8, 8, "candidates", "the first round's", "four times as many in the next", "next-greater") \
    X(KEY_TOGETHER, 16, 16, 1u << 30, "entries a row", "all members look at all rows' entries", \
      "share look-ups first", "sum-few") \
    X(SUM_TOGETHER, 0, 0, 1u << 20, "nodes of all rows", "all members read each row's numbers", \
      "once on the lists that rows share, if they do", "sum-few") \
    X(UNION_TOGETHER, 0, 16, 1u << 30, "rows", "all members merge a long row", "a member merges a row", \
      "variable-union") \
    X(NUMBERING, 16, 16, 16, "nodes", "count them", "number all that are counted", "number-any")

#define GX_COST_EACH(name, solo, threads, gpu, unit, below, above, bench) \
    GX_COST_SOLO_##name = solo, GX_COST_THREADS_##name = threads, GX_COST_GPU_##name = gpu,
enum { GX_COSTS(GX_COST_EACH) GX_COSTS_END };
#undef GX_COST_EACH
#define GX_COST(name) \
    ((u32)(TEAM_IS_SOLO ? GX_COST_SOLO_##name : TEAM_IS_CPU ? GX_COST_THREADS_##name : GX_COST_GPU_##name))

/*
 * What one thread takes for a piece of work of a tree pattern's strategy (twig_cost.h), in picoseconds, measured by
 * bench/strategies.py. Members of a team share all of it alike, so there is no column for them.
 *
 *   X(name, picoseconds, work)
 */
#define GX_WORKS(X) \
    X(NODE, 1000, "a pattern's node, whatever the document") \
    X(STEP, 4000, "a context of a step") \
    X(HOP, 1800, "a child, walked over") \
    X(OUT, 1500, "a node that a step selects") \
    X(ATTRIBUTE, 8000, "a context of an attribute step") \
    X(PREDICATE, 2500, "a candidate of a predicate") \
    X(SCAN, 700, "a node of the document, tested") \
    X(HALVE, 3500, "a halving of a stream that is looked up in no order") \
    X(HALVE_HOT, 700, "a halving in document order") \
    X(FLAG, 1200, "a flag, kept or not") \
    X(MERGE, 4500, "a node that a join looks for") \
    X(MERGE_SKIP, 1500, "a node that a join walks over") \
    X(MERGE_UP, 1500, "a node that a join asks for one below it") \
    X(LEVEL_DOWN, 2600, "a node on an automaton's way down") \
    X(LEVEL_UP, 4000, "a node on its way up") \
    X(LEVEL_HIT, 2000, "a node in one of its states") \
    X(CLASS_LOOK, 25000, "a template rule's candidate, or a step of it, looked at") \
    X(CLASS_NODE, 28000, "a node that a mode's automaton classifies") \
    X(CLASS_WORD, 3800, "each 64 of its states")

#define GX_WORK_PS(name, ps, work) GX_WORK_##name = ps,
enum { GX_WORKS(GX_WORK_PS) GX_WORKS_END };
#undef GX_WORK_PS

/* Fewer nodes that wait for a rule at once are not worth asking whether an automaton pays; nor are documents of fewer
 * than 16 times as many */
#ifndef GX_CLASSIFY_WAVE
#define GX_CLASSIFY_WAVE 256u
#endif

#endif
