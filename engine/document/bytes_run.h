/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_run.h -- the team's parser as a call, for the teams of CPUs (bytes.h). *doc: in the request's arena
 */
#ifndef GX_BYTES_RUN_H
#define GX_BYTES_RUN_H

#include "bytes_request.h"

gx_status gx_bytes_run_solo(const gx_bytes_request *request, gx_doc **doc);
/* The columns of the request's chunks [from, to), those before them being done, and of the tokens that end with them:
 * for those who have no more bytes yet (gx_chunks_known) */
void gx_bytes_run_chunks(const gx_bytes_request *request, u32 from, u32 to);
/* GX_ENOMEM: there are not so many threads to be had. */
gx_status gx_bytes_run_threads(const gx_bytes_request *request, u32 members, gx_doc **doc);

#endif
