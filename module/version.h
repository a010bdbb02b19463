/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.h -- one compiled state of a stylesheet or selection (gxm_version in module.h), as those see it who make it
 */
#ifndef GXM_VERSION_H
#define GXM_VERSION_H

#include "module.h"

/* 0: there is no such file. */
int gxm_stamp_file(const char *path, gxm_stamp *out);
/* Takes the program over, whatever happens. before_ns: the wall clock before its files were read, 0: they are not known
 * to be those; made_us: then, by gx_now_us. NULL: no memory. */
gxm_version *gxm_version_create(gx_program *program, i64 before_ns, u64 made_us);
gxm_version *gxm_version_hold(gxm_version *v);          /* for another user, who calls gxm_version_release */
int gxm_version_is_stale(const gxm_version *v);
/* the same program of the same state of the same files */
int gxm_version_is_same(const gxm_version *a, const gxm_version *b);

#endif
