/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edition.h -- names of XML 1.0's fifth edition for a parser of the fourth: edition.c
 */
#ifndef GX_EDITION_H
#define GX_EDITION_H

#include "buf.h"

/* Appends n bytes of UTF-8 to `to`, each character of a name that is not ASCII spelled out in characters that both
 * editions have.
 * 1; 0: there is none; -1: no memory. */
int gx_edition_spell(u64 seed, const char *s, size_t n, gx_buf *to);
/* The n bytes as they were, in place. Returns how many. */
size_t gx_edition_read(u64 seed, char *s, size_t n);
/* Of the n bytes that were spelled: where was the byte that is now at `at`? */
size_t gx_edition_place(const char *s, size_t n, size_t at);

#endif
