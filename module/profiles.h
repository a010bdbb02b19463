/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiles.h -- GPUXMLProfiles: sets of profiles (match/match.h), exchanged when their files change
 */
#ifndef GXM_PROFILES_H
#define GXM_PROFILES_H

#include "match/list.h"
#include "match/pack.h"
#include "module.h"

typedef struct gxm_profiles gxm_profiles;

/* One state of a set. Read only, but for the matchers; lives until its last user lets go. */
typedef struct gxm_profile_set {
    gxp_set *set;
    gxp_counts n;
    unsigned refs;
    int n_files;
    gxm_file *files;            /* what it was read from; a stamp of zeros: there was no such file */
    i64 settles_ns;             /* by the wall clock: from then on the stamps are surely those of what was read */
    pthread_mutex_t lock;       /* idle */
    gxp_matcher *idle[8];       /* of the requests that ended last */
    gxp_packer *idle_packers[8];
    u32 n_idle, n_idle_packers;
    struct gxm_device_set *device;      /* as the worker's device has it; NULL: not made yet. Atomic */
    int is_tried;               /* this was done, or cannot be; of the thread that looks at files */
} gxm_profile_set;

typedef struct gxm_device_set {
    gxp_flat *flat;
    gx_queue_program queued;
} gxm_device_set;

/* A set that a section names. namespaces: of gx_param, complete when the configuration has been read. */
gxm_profiles *gxm_profiles_declare(cmd_parms *cmd, const char *path, const apr_array_header_t *namespaces,
                                   const gxm_dir *section);
void gxm_profiles_reset(void);
/* check_config: loads all that were declared. A file that cannot be read is a gxm_start_fault; of an httpd that serves
 * it is logged, and the last good state used. */
void gxm_profiles_load(apr_pool_t *ptemp);
void gxm_profiles_child_init(apr_pool_t *pchild, server_rec *s);

/* The state to use now, counted; NULL: there is none. */
gxm_profile_set *gxm_profiles_use(gxm_profiles *p);
void gxm_profile_set_release(gxm_profile_set *s);
/* This process looks at the files at once. */
void gxm_profiles_look(gxm_profiles *p);
const char *gxm_profiles_path(const gxm_profiles *p);
const char *gxm_profiles_name(const gxm_profiles *p);       /* its base name */
const apr_array_header_t *gxm_profiles_namespaces(const gxm_profiles *p);
/* Reads the list as it would be with these bytes in its file, and logs nothing. gxp_list_free follows. */
gx_status gxm_profiles_list(const gxm_profiles *p, apr_pool_t *pool, const char *bytes, size_t n, gxp_list *list,
                            gx_error *err);
/* May requests change it, where this directory is the section's GPUXMLProfilesRoot (NULL: it has none)? */
int gxm_profiles_is_beneath(const char *path, const char *root);

/* A matcher of s, for one thread. NULL: no memory */
gxp_matcher *gxm_matcher_take(gxm_profile_set *s);
void gxm_matcher_give(gxm_profile_set *s, gxp_matcher *m);
/* The set as the worker's device has it: soon after there is such a worker. NULL: not yet, or it is too large */
gxm_device_set *gxm_profiles_device(gxm_profile_set *s);
/* What packs documents to be sent there, likewise */
gxp_packer *gxm_packer_take(gxm_profile_set *s);
void gxm_packer_give(gxm_profile_set *s, gxp_packer *packer);

#endif
