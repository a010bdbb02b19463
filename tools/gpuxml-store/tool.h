/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h -- inside gpuxml-store: what the commands share
 */
#ifndef TOOL_H
#define TOOL_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <stdio.h>
#include "engine/clock.h"
#include "engine/store/ask.h"
#include "../gpuxslt/kit.h"

enum {
    EXIT_DONE = 0,
    EXIT_USAGE = 3,
    EXIT_STORE = 4,
    EXIT_EXPRESSION = 5,
    EXIT_DOCUMENT = 6,
    EXIT_DAMAGED = 7,
    EXIT_RUN = 9,
    EXIT_OUTPUT = 11
};
enum { MAX_PARAMS = 256 };

typedef struct tool {
    const char *store, *command;
    const char **args; /* behind the command, without options */
    int n_args;
    /* options */
    const char *name, *split_at, *output, *encoding;
    u32 index; /* GXS_HAS_* */
    const char *rank;
    u64 part_bytes, memory, top;
    int as_xml, json, no_index, timing, quiet;
    gx_param string_params[MAX_PARAMS], xpath_params[MAX_PARAMS], namespaces[MAX_PARAMS];
    int n_string_params, n_xpath_params, n_namespaces;
    gx_limits limits;
    /* what lives as long as the process */
    apr_pool_t *pool;
    kit kit;
    kit_source source;
    FILE *out;
    double progress_us; /* when it was last shown */
} tool;

/* Prints the error; the exit number for its status. */
int tool_report(const gx_error *err);
/* A line on standard error that replaces the last one, every half a second, if that is a terminal. NULL: away with it.
 */
void tool_progress(tool *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The result's file, or standard output: opened when there is something to write. Takes bytes as a gx_sink does. */
int tool_write(void *ctx, const char *bytes, size_t n);
int tool_finish_output(tool *t); /* the exit number */
void tool_warning(void *ctx, const gx_error *what);

int tool_add(tool *t);   /* add.c */
int tool_query(tool *t); /* ask.c */
int tool_transform(tool *t);
int tool_export(tool *t);
int tool_list(tool *t); /* keep.c */
int tool_remove(tool *t);
int tool_check(tool *t);
int tool_compact(tool *t);

#endif
