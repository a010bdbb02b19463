/* SPDX-License-Identifier: Apache-2.0 */
/* read.h -- bytes of an open file */
#ifndef GX_READ_H
#define GX_READ_H

#include <errno.h>
#include <unistd.h>
#include "base.h"

/* n bytes at `at`: 0, or errno; EIO: the file ends before */
static inline int gx_read_at(int fd, u64 at, void *bytes, size_t n)
{
    char *to = bytes;
    while (n) {
        const ssize_t got = pread(fd, to, n < (1u << 30) ? n : 1u << 30, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO;
        to += got;
        at += (u64)got;
        n -= (size_t)got;
    }
    return 0;
}

#endif
