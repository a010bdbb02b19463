/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_request.h -- what a team is asked to write (page_team.h)
 */
#ifndef GX_PAGE_REQUEST_H
#define GX_PAGE_REQUEST_H

#include "document/doc.h"
#include "program/program.h"

/* The same for all members, and nobody writes it. */
typedef struct gx_page_request {
    const gx_program *program;
    const void *result;         /* its only document is doc */
    const gx_doc *doc;
    u64 most;                   /* bytes of the page */
    char *arena;                /* 16-byte aligned */
    u64 arena_bytes;
} gx_page_request;

#ifdef __cplusplus
extern "C" {
#endif
/* For the teams of CPUs. GX_OK: *out, in the arena, has *size bytes. GX_EHOST: the team does not write this page.
 * GX_EARENA: the arena is too small, or the page is longer than `most`. GX_ENOMEM: there are not so many threads to be
 * had. */
gx_status gx_page_run_solo(const gx_page_request *request, const char **out, u32 *size);
gx_status gx_page_run_threads(const gx_page_request *request, u32 members, const char **out, u32 *size);
#ifdef __cplusplus
}
#endif

#endif
