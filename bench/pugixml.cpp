/* SPDX-License-Identifier: Apache-2.0 */
/* bench/pugixml.cpp -- pugixml's row of bench/parse.c */
#include <stdlib.h>
#include <string.h>
#include <pugixml.hpp>

extern "C" size_t bench_pugixml(const char *bytes, size_t n)
{
    static char *copy;
    static size_t cap;
    if (n > cap)
        copy = (char *)realloc(copy, cap = n);
    memcpy(copy, bytes, n);
    pugi::xml_document doc;
    return doc.load_buffer_inplace(copy, n) ? 1 : 0;
}
