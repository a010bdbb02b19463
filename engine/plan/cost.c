/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost.c -- the machine's table of costs, for people
 */
#include "gx.h"
#include "machine/cost.h"
#include "program/program.h"

const char *gx_strategy_name(u32 i)
{
    static const char *const names[GX_N_STRATEGIES] = { "auto", "steps", "bits", "levels", "twig" };
    return i < GX_N_STRATEGIES ? names[i] : NULL;
}

int gx_cost_at(u32 i, gx_cost_row *out)
{
#define GX_COST_ROW(name, solo, threads, gpu, unit, below, above, bench) \
    { #name, unit, below, above, solo, threads, gpu },
    static const gx_cost_row rows[] = { GX_COSTS(GX_COST_ROW) };
#undef GX_COST_ROW
    if (i >= sizeof rows / sizeof *rows)
        return 0;
    *out = rows[i];
    return 1;
}

int gx_work_at(u32 i, gx_work_row *out)
{
#define GX_WORK_ROW(name, ps, work) { #name, work, ps },
    static const gx_work_row rows[] = { GX_WORKS(GX_WORK_ROW) };
#undef GX_WORK_ROW
    if (i >= sizeof rows / sizeof *rows)
        return 0;
    *out = rows[i];
    return 1;
}
