/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_run.h -- the team's parser as a call, for the teams of CPUs (bytes.h). *doc: in the request's arena
 */
#ifndef GX_BYTES_RUN_H
#define GX_BYTES_RUN_H

#include "bytes_request.h"

gx_status gx_bytes_run_solo(const gx_bytes_request *request, gx_doc **doc);
/* turns[k] of the chunks [from, to) of n bytes (gx_bytes_request), for those who have no more of them yet */
void gx_bytes_run_turns(const char *bytes, u32 n, u32 from, u32 to, u32 *turns);
/* GX_ENOMEM: there are not so many threads to be had. */
gx_status gx_bytes_run_threads(const gx_bytes_request *request, u32 members, gx_doc **doc);

#endif
