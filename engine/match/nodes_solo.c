/* SPDX-License-Identifier: Apache-2.0 */
/* nodes_solo.c -- lists of elements by one thread (nodes.h): in tests, what runs in a kernel's place */
#define GX_TEAM_SOLO
#include "nodes.h"

int gxp_nodes_run_solo(const gxp_request *q)
{
    gxp_run r;
    memset(&r, 0, sizeof r);
    gxp_run_begin(&r, q, (gxp_near){ NULL, NULL, NULL, NULL });
    return (int)gxp_nodes_run(&r);
}
