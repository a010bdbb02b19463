/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_choose.c -- which of the walks (scan_walk.h) this processor runs
 *
 * It stands above them, and they above scan.c, which calls them through c->run.
 */
#include "parser.h"

#define WALKS(isa) extern gx_scan_run gx_scan_##isa##_fast, gx_scan_##isa##_checked, gx_scan_##isa##_careful
#define USE(isa) (c->run[GX_SCAN_FAST] = gx_scan_##isa##_fast, c->run[GX_SCAN_CHECKED] = gx_scan_##isa##_checked, \
                  c->run[GX_SCAN_CAREFUL] = gx_scan_##isa##_careful)
WALKS(plain);
#ifdef __x86_64__
WALKS(avx2);
WALKS(avx512);
#endif
#ifdef __aarch64__
WALKS(neon);
#endif

void gx_scan_choose(gx_scan *c, u32 most)
{
    USE(plain);
#ifdef __x86_64__
    if (most > 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        USE(avx2);
    if (most > 1 && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi2"))
        USE(avx512);
#endif
#ifdef __aarch64__
    if (most > 0)               /* every processor has it */
        USE(neon);
#endif
    (void)most;
}
