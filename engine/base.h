/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h -- the types every layer shares: plain C that nvcc compiles too
 *
 * Nothing here needs APR, libc or a pool: operators, kernels, the queue and the host side all include it.
 */
#ifndef GX_BASE_H
#define GX_BASE_H

#include <stddef.h>
#include <stdint.h>

#if __SIZEOF_POINTER__ != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error \
    "mod_gpuxml needs a machine of 64 bits, little-endian: arenas are address space, and machine/text.h looks at " \
    "eight bytes in one word"
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* GX_FN: a function every side compiles (host, kernels); GX_FN_BIG: one that is seldom called, and not to be in its
 * callers. The only place besides team.h that knows nvcc. */
#ifdef __CUDACC__
#define GX_FN static __host__ __device__ inline
#define GX_FN_BIG static __host__ __device__ __noinline__ __attribute__((unused))
#else
#define GX_FN static inline __attribute__((unused))
#define GX_FN_BIG static __attribute__((unused, noinline))
#endif

/* *p := zeros. nvcc's memset of a struct is a loop that stores a byte at a time: 700 instructions for a scope. */
#ifdef __CUDACC__
template <size_t ALIGN> struct gx_word { typedef u8 type; };
template <> struct gx_word<4> { typedef u32 type; };
template <> struct gx_word<8> { typedef u64 type; };
template <typename T> static __host__ __device__ inline __attribute__((always_inline)) void gx_clear(T *p)
{
    typedef typename gx_word<alignof(T)>::type word;
#pragma unroll
    for (size_t i = 0; i < sizeof(T) / sizeof(word); i++)
        ((word *)p)[i] = 0;
}
#define GX_CLEAR(p) gx_clear(p)
#else
#define GX_CLEAR(p) memset(p, 0, sizeof *(p))
#endif

/* What a compiler may rely on */
#ifdef __CUDACC__
#define GX_ASSUME(x) __builtin_assume(x)
#else
#define GX_ASSUME(x) ((void)0)
#endif

/* Namespaces in XML, 3: the names that xml and xmlns are bound to */
#define GX_XML_URI "http://www.w3.org/XML/1998/namespace"
#define GX_XMLNS_URI "http://www.w3.org/2000/xmlns/"

#define GX_NONE 0xffffffffu     /* no node, no index, no reference */

/* How a call ended. Everything but GX_OK leaves its out-parameters as they were. */
typedef enum gx_status {
    GX_OK = 0,
    GX_EXML, /* the document is not well-formed, or uses what is refused          -> "source" */
    GX_ELIMIT, /* a limit of gx_limits was reached; gx_error.limit names it         -> "source" or "sheet" */
    GX_ESTYLE, /* static error of a stylesheet or expression                        -> "sheet" */
    GX_EDYNAMIC, /* error while transforming (XSLT 1.0 "it is an error ...")          -> "sheet" */
    GX_ETERMINATE, /* xsl:message terminate="yes"                                       -> "sheet" */
    GX_EARENA, /* the arena is full: try again with a larger one, or give up        -> "sheet" */
    GX_EHOST, /* the program needs a host step and this team has no host: use another team */
    GX_ETIME, /* the step budget or the deadline is used up                        -> "time" */
    GX_EIO, /* a file could not be read */
    GX_ENOMEM, /* malloc or mmap failed */
    GX_EBAD, /* a block from shared memory does not check out */
    GX_ECANCEL, /* the caller's sink refused more bytes */
    GX_EDOCTYPE, /* the document has a DOCTYPE, and the caller allows none             -> "source" */
    /* internal to the machine, never returned to its caller: */
    GX_NEED, /* a global, key index or function result is needed first; the instruction is run again */
    /* the queue's own, never an evaluation's: */
    GX_EBUSY, /* no slot, no memory or no worker in time: evaluate here, or refuse                  -> "busy" */
    GX_EABSENT /* the worker has not got the document any more: it is sent again (queue.c; nobody else sees
                  this) */
} gx_status;

/* A slice of bytes (UTF-8) in one of the spaces of a run. Relocatable: no pointer.
 *   at = space << 44 | byte offset in the space
 * space 0: the empty string; 1: the program block; 2: the arena; 3 + k: document block k of the run. */
typedef struct gx_str {
    u64 at;
    u32 len;            /* bytes */
    u32 pad;            /* 0 */
} gx_str;

#define GX_SPACE_PROG 1u
#define GX_SPACE_ARENA 2u
#define GX_SPACE_DOC 3u
#define GX_STR_AT(space, off) (((u64)(space) << 44) | (u64)(off))
#define GX_STR_SPACE(at) ((u32)((at) >> 44))
#define GX_STR_OFF(at) ((at) & 0x00000fffffffffffull)

/* Limits of one request; 0 = the default. GPUXMLLimit and gpuxslt --limit set them by these names. */
typedef struct gx_limits {
    u64 input;          /* bytes of a source document; with what its entities and defaults add not more either, or twice
                           as many */
    u64 output;         /* bytes of the result */
    u64 text;           /* bytes of one text node or attribute value */
    u64 steps;          /* machine instructions x instances; 0 = no step budget */
    u64 arena;          /* bytes the evaluation may use */
    u32 depth;          /* element nesting */
    u32 nodes;          /* nodes in a document */
    u32 attributes;     /* attributes on one element */
    u32 name;           /* bytes of a name */
    u32 amplification;  /* entity expansion: output bytes per input byte */
    u32 recursion;      /* depth of template instantiation */
} gx_limits;

#endif
