/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c -- one compiled state of a stylesheet or selection: the program, and what it was made from
 *
 * A file is known by its stamp (inode, size, times). A version whose files' stamps have changed is stale; one whose
 * files were so young when they were read that their stamps prove nothing (GXM_RACY_NS) is not settled, and counts as
 * stale until they are older.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include "version.h"

int gxm_stamp_file(const char *path, gxm_stamp *out)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return 0;
    out->ino = (u64)st.st_ino;
    out->size = (u64)st.st_size;
    out->mtime_ns = (i64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    out->ctime_ns = (i64)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
    return 1;
}

static void version_free(gxm_version *v)
{
    for (int i = 0; i < v->n_files; i++)
        free(v->files[i].path);
    free(v->files);
    free(v->program);
    free(v);
}

gxm_version *gxm_version_hold(gxm_version *v)
{
    __atomic_fetch_add(&v->refs, 1, __ATOMIC_RELAXED);
    return v;
}

void gxm_version_release(gxm_version *v)
{
    if (v && __atomic_sub_fetch(&v->refs, 1, __ATOMIC_ACQ_REL) == 0)
        version_free(v);
}

/* Is a page made by nothing but the source, the program and the parameters? */
static int program_is_pure(const gx_program *p)
{
    const gx_op *ops = GX_PROG_TAB(p, gx_op, ops);
    for (u32 i = 0; i < p->ops.n; i++)
        if (ops[i].op == GX_X_FUNC && gx_function_traits(ops[i].a) & GX_FT_IMPURE)
            return 0;
    return 1;
}

/* The stamps are of files as they are now, after compiling. One whose times are near, or behind, those of the wall
 * clock before it may have been written since it was read, without another time to show for it. */
gxm_version *gxm_version_create(gx_program *program, i64 before_ns, u64 made_us)
{
    const u32 *files = GX_PROG_TAB(program, u32, files);
    gxm_version *v = calloc(1, sizeof *v);
    if (!v) {
        free(program);
        return NULL;
    }
    v->refs = 1;
    v->is_settled = !(program->flags & GX_P_FETCHED);
    v->made_us = v->since_us = made_us;
    v->program = program;
    v->is_pure = program_is_pure(program);
    v->is_portable = gx_page_is_portable(program);
    gx_program_features(program, &v->features);
    gx_queue_program_init(&v->queued, program, program->size);
    v->files = calloc(program->files.n ? program->files.n : 1, sizeof *v->files);
    for (u32 i = 0; v->files && i < program->files.n; i++) {
        gx_lit lit = GX_LIT(program, files[i]);
        gxm_file *file = &v->files[i];
        file->path = strndup((const char *)program + lit.off, lit.len);
        if (!file->path)
            break;
        v->n_files++;
        if (!gxm_stamp_file(file->path, &file->stamp) || file->stamp.mtime_ns > before_ns - GXM_RACY_NS
            || file->stamp.ctime_ns > before_ns - GXM_RACY_NS)
            v->is_settled = 0;
    }
    if (!v->files || v->n_files < (int)program->files.n) {
        version_free(v);
        return NULL;
    }
    return v;
}

int gxm_version_is_stale(const gxm_version *v)
{
    for (int i = 0; i < v->n_files && v->is_settled; i++) {
        gxm_stamp now;
        if (!gxm_stamp_file(v->files[i].path, &now) || memcmp(&now, &v->files[i].stamp, sizeof now) != 0)
            return 1;
    }
    return !v->is_settled;
}

int gxm_version_is_same(const gxm_version *a, const gxm_version *b)
{
    int same = gx_sha256_is_same(&a->queued.digest, &b->queued.digest) && a->n_files == b->n_files;
    for (int i = 0; same && i < a->n_files; i++)
        same = memcmp(&a->files[i].stamp, &b->files[i].stamp, sizeof a->files[i].stamp) == 0;
    return same;
}
