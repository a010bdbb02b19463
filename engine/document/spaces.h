/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spaces.h -- which white space a program drops from its source documents (XSLT 1.0, 3.4)
 */
#ifndef GX_SPACES_H
#define GX_SPACES_H

#include "machine/text.h"
#include "program/program.h"

/* Does the program strip white space that is all there is between two nodes in an element of this name? */
GX_FN int gx_space_is_stripped(const gx_program *p, const char *uri, u32 uri_len, const char *local, u32 local_len)
{
    const gx_space *rule = GX_PROG_TAB(p, gx_space, spaces);
    for (u32 i = 0; i < p->spaces.n; i++, rule++) {
        const int same_uri = gx_text_equal(GX_LIT_AT(p, rule->uri), GX_LIT(p, rule->uri).len, uri, uri_len);
        const int same_local = gx_text_equal(GX_LIT_AT(p, rule->local), GX_LIT(p, rule->local).len, local, local_len);
        if (rule->test == GX_TEST_ANY || (rule->test == GX_TEST_NS && same_uri)
            || (rule->test == GX_TEST_NAME && same_uri && same_local))
            return rule->strip;
    }
    return 0;
}

#endif
