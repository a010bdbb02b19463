/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t/cases.h -- the walk over t/cases, for tests that run all of them in one process
 */
#ifndef GX_T_CASES_H
#define GX_T_CASES_H

#include <apr_pools.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Calls `each` with every stylesheet and its document: NAME.xml, else the area's doc.xml, else that of all areas.
 * Returns the sum of what `each` returned. The pool is cleared behind each case. */
static int over_cases(int (*each)(const char *sheet, const char *document, apr_pool_t *pool))
{
    glob_t sheets;
    apr_pool_t *pool;
    int sum = 0;

    if (glob("t/cases/*/*.xsl", 0, NULL, &sheets) != 0)
        return 0;
    apr_pool_create(&pool, NULL);
    for (size_t i = 0; i < sheets.gl_pathc; i++) {
        const char *sheet = sheets.gl_pathv[i], *slash = strrchr(sheet, '/');
        char path[3][512];
        snprintf(path[0], sizeof path[0], "%.*s.xml", (int)strlen(sheet) - 4, sheet);
        snprintf(path[1], sizeof path[1], "%.*s/doc.xml", (int)(slash - sheet), sheet);
        snprintf(path[2], sizeof path[2], "t/cases/doc.xml");
        for (int k = 0; k < 3; k++)
            if (access(path[k], R_OK) == 0) {
                sum += each(sheet, path[k], pool);
                break;
            }
        apr_pool_clear(pool);
    }
    globfree(&sheets);
    apr_pool_destroy(pool);
    return sum;
}

#endif
