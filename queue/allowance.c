/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allowance.c -- what of the machine this process may use: cores and memory
 *
 * Cores: the affinity mask (taskset, a cpuset), and the time that a control group may have of them (docker --cpus,
 * CPUQuota= of systemd), in whole cores, rounded up: who starts a thread for each core of the machine is stopped, all
 * threads at once, for most of each period.
 *
 * A limit holds for a group and all within it, so the smallest of our group's and of those above it is ours:
 *
 *   /proc/self/cgroup   0::/system.slice/apache2.service       -->
 *       /sys/fs/cgroup/system.slice/apache2.service/cpu.max        version 2
 *                       4:cpu,cpuacct:/docker/0a1b             -->   /sys/fs/cgroup/cpu/docker/0a1b/cpu.cfs_quota_us
 *                           version 1
 *
 * A container may see of that path nothing but its end, mounted as the root: folders that are not there say nothing.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "gx.h"
#include "memory.h"

#define MAX_CORES 8192          /* of a machine */
#define NONE (~0ull)            /* no limit, or none that can be read */

/* The file's beginning in buf; 0: there is none. */
static int read_file(const char *folder, const char *name, char *buf, size_t size)
{
    char path[4200];
    int fd =
        snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, buf, size - 1);
    close(fd);
    buf[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* The number behind key. NONE too for the words "max" and, of version 1, -1. */
static u64 read_number(const char *folder, const char *name, const char *key)
{
    char buf[4096], *at, *end;
    if (!read_file(folder, name, buf, sizeof buf) || !(at = strstr(buf, key)))
        return NONE;
    at += strlen(key);
    at += strspn(at, " \t");
    const u64 value = strtoull(at, &end, 10);
    return end == at || *at == '-' ? NONE : value;
}

static u64 group_cores(const char *folder)
{
    char max[80];
    unsigned long long quota = read_number(folder, "cpu.cfs_quota_us", ""),
                       period = read_number(folder, "cpu.cfs_period_us", "");
    if (read_file(folder, "cpu.max", max, sizeof max) && sscanf(max, "%llu %llu", &quota, &period) != 2)
        return NONE;                    /* max 100000 */
    return quota == NONE || period == NONE || period == 0 ? NONE : quota / period + (quota % period != 0);
}

/* Files that were read and may be dropped again count as used, in a group that has run for long up to the limit: they
 * are no want. */
static u64 group_memory(const char *folder)
{
    u64 max = read_number(folder, "memory.max", ""), used = read_number(folder, "memory.current", "");
    u64 files = read_number(folder, "memory.stat", "inactive_file ");
    if (max == NONE && used == NONE) {
        max = read_number(folder, "memory.limit_in_bytes", "");
        used = read_number(folder, "memory.usage_in_bytes", "");
    }
    if (max == NONE || used == NONE)
        return NONE;
    used -= files < used ? files : 0;
    return used > max ? 0 : max - used;
}

/* The smallest of what `limit` says of our group and of those above it. controller: version 1's. root: "", of the tests
 * a folder. */
static u64 least(const char *root, const char *controller, u64 (*limit)(const char *folder))
{
    char groups[4096], folder[4200], name[32], *rest, *line;
    u64 found = NONE;
    if (snprintf(folder, sizeof folder, "%s/proc/self", root) >= (int)sizeof folder
        || !read_file(folder, "cgroup", groups, sizeof groups))
        return NONE;
    snprintf(name, sizeof name, ",%s,", controller);
    for (line = strtok_r(groups, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char controllers[128], *path = strchr(line, ':'), *end;
        end = path ? strchr(path + 1, ':') : NULL;
        if (!end || end[1] != '/')
            continue;
        snprintf(controllers, sizeof controllers, ",%.*s,", (int)(end - path - 1), path + 1);
        const int is_v2 = end == path + 1;
        if (!is_v2 && !strstr(controllers, name))
            continue;
        const int top =
            snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", root, is_v2 ? "" : "/", is_v2 ? "" : controller);
        if (top + strlen(end + 1) >= sizeof folder)
            continue;
        strcpy(folder + top, end + 1);
        for (char *slash = folder + strlen(folder); slash; slash = strrchr(folder + top, '/')) {
            *slash = 0;
            const u64 here = limit(folder);
            found = here < found ? here : found;
        }
    }
    return found;
}

u64 gx_group_cores(const char *root) { return least(root, "cpu", group_cores); }

u64 gx_group_memory(const char *root) { return least(root, "memory", group_memory); }

u32 gx_cores(void)
{
    const size_t size = CPU_ALLOC_SIZE(MAX_CORES);
    cpu_set_t *set = CPU_ALLOC(MAX_CORES);
    int n = set && sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    const u64 most = gx_group_cores("");
    CPU_FREE(set);
    return n < 1 || most <= 1 ? 1 : most < (u64)n ? (u32)most : (u32)n;
}

u32 gx_cores_free(void)
{
    char load[128];
    unsigned running;
    const u32 ours = gx_cores();
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    /* "0.20 0.18 0.12 1/80 11206": what runs or waits for a core on the whole machine, this thread among it */
    if (!read_file("/proc", "loadavg", load, sizeof load) || sscanf(load, "%*s %*s %*s %u/", &running) != 1 || all < 1)
        return ours;
    const u32 others = running ? running - 1 : 0, unused = others < (u32)all ? (u32)all - others : 1;
    return unused < ours ? unused : ours;
}

u64 gx_memory_left(void)
{
    const u64 kib = read_number("/proc", "meminfo", "MemAvailable:"), group = gx_group_memory("");
    struct sysinfo machine;             /* where /proc is not mounted: no more than there is at all */
    const u64 left = kib != NONE ? kib * 1024
        : sysinfo(&machine) == 0 ? (u64)machine.totalram * machine.mem_unit
                                 : NONE;
    return group < left ? group : left;
}
