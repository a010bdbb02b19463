/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h -- how a document is evaluated, built for a CPU. Whoever includes it defines ONES (extent_ops.h) and
 * EVALUATION, the name of what it exports */
#include "ranks.h"
#include "codes.h"

static void evaluate(gxp_matcher *m)
{
    all_ranks(m);
    if (m->failed != GX_OK)
        return;
    all_subscribers(m);
    run_codes(m);
}

const gxp_evaluation EVALUATION = { evaluate, code_holds };
