/* SPDX-License-Identifier: Apache-2.0 */
/*
 * below.h -- gpuxslt --write-below: the files that a stylesheet writes beside its result
 */
#ifndef BELOW_H
#define BELOW_H

#include "engine/gx.h"

typedef struct below below;

/* The directory, made if it is not there. is_strict: a file that is written twice is an error. NULL with why. */
below *below_open(const char *directory, int is_strict, char why[400]);
/* gx_serialize_options.document; ctx: the directory. The file is complete under a temporary name beside its own.
 * What was written before in the same transformation is replaced, with a warning in *err. GX_EDYNAMIC: the name leads
 * out of the directory, or is_strict; GX_EIO: it cannot be written. */
gx_status below_write(void *ctx, const char *href, const char *bytes, size_t n, gx_error *err);
/* All files since the last call of these two get their names: 1; or 0 with why, and those that have none yet are
 * gone. */
int below_commit(below *b, char why[400]);
/* They are taken away: nothing has changed. */
void below_abandon(below *b);

#endif
