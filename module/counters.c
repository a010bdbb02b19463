/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.c -- what all children count, in memory that outlives a graceful restart
 *
 * The counters lie in one anonymous shared mapping, made before the first children are forked. It belongs to the
 * process, not to a reading of the configuration: children of the old and of the new generation add to the same
 * counters, and a graceful restart loses nothing. Another version of the module makes a mapping of its own.
 *
 * Counters are added to without order; a page that is read while requests run may be off by those requests. What a
 * child has now, as opposed to what it did, stands in a place of its own: when the child ends, however it does, httpd's
 * parent empties that place.
 */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"

static gxm_counters nowhere;        /* while there is no mapping: what is counted here is not shown */
gxm_counters *gxm_count = &nowhere;

/* Places of children that ended while nobody watched (a restart that was not graceful) */
static void forget_the_dead(void)
{
    for (u32 i = 0; i < GXM_CHILDREN; i++) {
        const u32 pid = GXM_TOLD(child[i].pid);
        if (pid && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            gxm_child_ended((int)pid);
    }
}

/* The counters in memory that children share and that outlives a graceful restart, found again by a key of the
 * process's pool with version and size in it. Without memory gxm_count stays what it was: counting goes nowhere.
 * Called in the parent, before it forks. */
void gxm_counters_start(const server_rec *s)
{
    apr_pool_t *forever = s->process->pool;
    const char *key = apr_psprintf(forever, "gpuxml counters " GX_VERSION " %lu", (unsigned long)sizeof(gxm_counters));
    void *at = NULL;
    apr_pool_userdata_get(&at, key, forever);
    if (!at) {
        at = mmap(NULL, sizeof(gxm_counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            return;
        /* no cleanup: this library is unloaded before the process's pool goes */
        apr_pool_userdata_set(at, key, NULL, forever);
        gxm_count = at;
        gxm_count->started_us = (u64)apr_time_now();
        return;
    }
    gxm_count = at;
    gxm_count->restarts++;
    memset(gxm_count->reported, 0, sizeof gxm_count->reported);     /* a restart tells again what is wrong */
    memset(gxm_count->told, 0, sizeof gxm_count->told);
    forget_the_dead();
}

/* ---- children ---- */

u32 gxm_child_place = GXM_CHILDREN - 1;

/* More children than places: the last ones share one. What they tell is a little off then, and what is left of them
 * goes with its first one. */
void gxm_child_begin(void)
{
    for (u32 i = 0, none = 0; i < GXM_CHILDREN; i++, none = 0)
        if (__atomic_compare_exchange_n(&gxm_count->child[i].pid, &none, (u32)getpid(), 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            gxm_child_place = i;
            return;
        }
}

/* Places are taken by pid, so that those of a child that was killed are known. A thread that waits looks every few
 * milliseconds: it waits for seconds of somebody's compiling, if at all. */
int gxm_compile_begin(u32 n, u64 until_us)
{
    u32 *place = gxm_count->compiling;
    const u32 self = (u32)getpid();
    for (;;) {
        for (u32 i = 0; i < n; i++) {
            u32 owner = __atomic_load_n(&place[i], __ATOMIC_RELAXED);
            if (owner && owner != self && kill((pid_t)owner, 0) != 0 && errno == ESRCH)
                __atomic_compare_exchange_n(&place[i], &owner, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
            owner = 0;
            if (__atomic_compare_exchange_n(&place[i], &owner, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                return (int)i;
        }
        if (gx_now_us() >= until_us)
            return -1;
        usleep(4000);
    }
}

void gxm_compile_end(int place) { __atomic_store_n(&gxm_count->compiling[place], 0, __ATOMIC_RELEASE); }

u32 gxm_child_ended(int pid)
{
    u32 i = 0;
    for (u32 k = 0; k < GXM_COMPILES; k++) {
        u32 owner = (u32)pid;
        __atomic_compare_exchange_n(&gxm_count->compiling[k], &owner, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    while (i < GXM_CHILDREN && GXM_TOLD(child[i].pid) != (u32)pid)
        i++;
    if (i < GXM_CHILDREN) {
        __atomic_store_n(&gxm_count->child[i].cache_bytes, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&gxm_count->child[i].pid, 0, __ATOMIC_RELEASE);
    }
    return i;
}

u64 gxm_cache_bytes(void)
{
    u64 n = 0;
    for (u32 i = 0; i < GXM_CHILDREN; i++)
        n += GXM_TOLD(child[i].cache_bytes);
    return n;
}
