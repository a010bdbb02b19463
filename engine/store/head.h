/* SPDX-License-Identifier: Apache-2.0 */
/*
 * head.h -- inside the store: heads and locks, which readers and writers look at alike
 */
#ifndef GXS_HEAD_H
#define GXS_HEAD_H

#include "store.h"

/* The newer of the two heads that are whole. 1; 0: there is none; -1 and errno. */
int gxs_head_read(int fd, gxs_head *out);
void gxs_head_seal(gxs_head *h); /* fills in what every head has, and its checksum */
/* F_RDLCK, F_WRLCK or F_UNLCK of one byte, by fd's open file: 0, or errno (EAGAIN: another has it) */
int gxs_lock(int fd, int type, u64 at);
/* The lowest generation below `below` that a reader holds; `below`: there is none */
u64 gxs_locked_first(int fd, u64 below);
/* Names are sorted bytewise, a shorter one before those that begin with it: < 0, 0, > 0 */
int gxs_name_order(const char *a, size_t a_len, const char *b, size_t b_len);
/* Is a name in a list of names, each behind a blank? */
int gxs_is_listed(const char *list, size_t list_len, const char *name, size_t n);
/* Are the catalog's bytes what they say, and every extent in the file? NULL, or what is wrong. */
const char *gxs_catalog_wrong(const char *bytes, const gxs_head *h);

#endif
