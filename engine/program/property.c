/* SPDX-License-Identifier: Apache-2.0 */
/*
 * property.c -- system-property(), element-available() and function-available() with an argument that is computed
 *
 * With a literal argument the compiler answers them (plan/call.c, xslt/scope.c); this is the same answer at run time.
 */
#include <string.h>
#include "builder.h"
#include "xslt/sheet.h"
#include "xpath/xpath.h"

/* XSLT 1.0, 12.4 and 15: func says which of the three; name is a QName, whose prefix is looked up in the namespace
 * list of the call. "1" or "" for the two that ask; of an undeclared prefix "" as well. The string is the program's or
 * static. */
const char *gx_runtime_property(const gx_program *p, u32 func, const char *name, u32 nslist)
{
    const char *colon = strchr(name, ':'), *local = colon ? colon + 1 : name, *uri = "";

    /* an instruction's name without a prefix is in the default namespace */
    if (colon || func == GX_F_ELEMENT_AVAILABLE) {
        const gx_nslist *list = GX_PROG_TAB(p, gx_nslist, nslists) + nslist;
        const gx_nsdecl *decl = GX_PROG_TAB(p, gx_nsdecl, nsdecls);
        size_t n = colon ? (size_t)(colon - name) : 0;
        uri = NULL;
        for (u32 i = 0; nslist < p->nslists.n && i < list->n && !uri; i++) {
            const gx_nsdecl *d = &decl[list->first + i];
            if (strlen(GX_LIT_AT(p, d->prefix)) == n && !memcmp(GX_LIT_AT(p, d->prefix), name, n))
                uri = GX_LIT_AT(p, d->uri);
        }
        if (!uri)
            return "";
    }
    if (func == GX_F_FUNCTION_AVAILABLE) {
        const gx_qname *qnames = GX_PROG_TAB(p, gx_qname, qnames);
        for (u32 i = 0; i < p->functions.n; i++) {
            const gx_qname *q = &qnames[GX_PROG_TAB(p, gx_function, functions)[i].name];
            if (!strcmp(GX_LIT_AT(p, q->local), local) && !strcmp(GX_LIT_AT(p, q->uri), uri))
                return "1";
        }
        return gx_xpath_function_available(uri, local) ? "1" : "";
    }
    if (func == GX_F_ELEMENT_AVAILABLE)
        return gx_sheet_element_available(uri, local, (p->flags & GX_P_WRITES) != 0) ? "1" : "";
    return gx_xpath_system_property(uri, local, GX_LIT_AT(p, p->vendor), GX_LIT_AT(p, p->vendor_url));
}
