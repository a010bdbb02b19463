/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h -- gpuxslt --profile: where an evaluation's time goes, as tables */
#ifndef GPUXSLT_PROFILE_H
#define GPUXSLT_PROFILE_H

#include <stdio.h>
#include "engine/gx.h"

/* Templates and expressions, by time. pool: for its own needs */
void profile_print(const gx_program *program, const gx_profile *profile, apr_pool_t *pool, FILE *out);

#endif
