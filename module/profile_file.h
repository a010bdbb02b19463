/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_file.h -- one profile of a set's file, as a request reads or changes it
 */
#ifndef GXM_PROFILE_FILE_H
#define GXM_PROFILE_FILE_H

#include "module.h"
#include "document/buf.h"

/* What a request wants of the file at path; strings live in pool */
typedef struct gxm_profile_edit {
    apr_pool_t *pool;
    const char *path, *id;
    const char *text;           /* the expression that it is to have, NULL: it is to go */
    u64 deadline_us;            /* until when another change may be waited for */
    /* is asked with the lock held what to do, given the expression that is there (NULL: none), and what the file would
     * have: OK, or a status, and `why` */
    int (*may)(struct gxm_profile_edit *e, const char *old, const gx_buf *file);
    void *ctx;
    const char *why;            /* of an error that is ours to explain, else NULL */
    int was_there;
} gxm_profile_edit;

/* May an id stand in such a file, and a text? NULL, or why not. */
const char *gxm_profile_id_wrong(const char *id);
const char *gxm_profile_text_wrong(const char *text);
/* *text: the expression of the profile, NULL: the file has none of this id. OK, or a status and *why. */
int gxm_profile_read(apr_pool_t *pool, const char *path, const char *id, const char **text, const char **why);
/* OK, what `may` said, or a status and e->why. When it returns OK the change is on disk. */
int gxm_profile_change(gxm_profile_edit *e);

#endif
