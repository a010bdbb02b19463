/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h -- what a worker that was taken over can reach
 *
 * The worker reads documents and stylesheets of strangers. Whoever finds a fault in its checks runs code in a process
 * that has all clients'
 * documents, but needs little of the system. It gives up what it does not need in two steps. The kernel may refuse any
 * part of them (a container,
 * an old kernel): the worker then runs without that part.
 */
#ifndef GX_SANDBOX_H
#define GX_SANDBOX_H

#include "gx.h"

/* Before the process drops root's rights: no network interfaces, no System V IPC of others. 1: it has them.
 * Single-threaded. */
int gx_sandbox_leave(void);
/* Then, before a device is opened. has_left: gx_sandbox_leave's answer; else a user namespace of its own, without
 * capabilities in it, gives the same.
 * From here on files can be written and created beneath /dev only, and no program can be executed. */
void gx_sandbox_enter(int has_left);
/* Then, when all that is to be opened is open and all threads run: the resource limits, and the system call filter for
 * all threads. heap_bytes: of
 * memory that the process may still take. has_device: the system calls of a GPU's driver are allowed, too. GX_EIO and
 * a sentence: there is no
 * filter on this machine; the limits hold. */
gx_status gx_sandbox_close(u64 heap_bytes, int has_device, gx_error *err);

#endif
