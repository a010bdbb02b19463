/*
 * host.h -- inside the evaluation on a CPU: the host steps' own state, shared by run.c and the files of the larger steps
 *
 * A host step runs in the evaluation's thread while the team waits, so nothing here is shared between threads. Memory: the
 * evaluation's pool, or the arena's kept half from run->host_top up to host_end.
 */
#ifndef GX_HOST_H
#define GX_HOST_H

#define GX_TEAM_SOLO            /* a host step that uses operators is a team of one */
#include <apr_hash.h>
#include "gx.h"
#include "op/machine.h"

typedef struct host {
    gx_evaluation *ev;
    gx_run *run;
    char *base;
    gx_parser *parser;
    apr_hash_t *by_path;                /* document(): absolute path -> loaded */
    u64 random;                         /* math:random()'s state; 0 = not seeded */
    gx_error error;                     /* of the step that failed */
} host;

/* ---- host_math.c ---- */

/* EXSLT's math: out[i] := func of row i of the arguments' columns (NUM), for n rows. GX_OK always. */
gx_status gx_host_math(void *ctx, u32 func, const gx_v *args, u32 n, double *out);

#endif
