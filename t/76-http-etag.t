#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which pages have an ETag: those that are the same whenever the source, the stylesheet and the parameters are. A page
that reads a file, the clock or chance has none, whichever function asks for it."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

EXSLT = "".join(' xmlns:%s="http://exslt.org/%s"' % n for n in [
    ("dyn", "dynamic"), ("date", "dates-and-times"), ("math", "math"), ("str", "strings"), ("set", "sets"),
        ("exsl", "common"), ("re", "regular-expressions")])
# what each of dyn's functions evaluates reads another document, which may change while the source does not
OTHER = "'document(&quot;other.xml&quot;)//v'"
IMPURE = {
    "document": "document('other.xml')",
    "now": "date:date-time()",
    "year": "date:year()",
    "random": "math:random()",
    "evaluate": "dyn:evaluate(%s)" % OTHER,
    "map": "dyn:map(/a, %s)" % OTHER,
    "closure": "dyn:closure(/a, %s)" % OTHER,
    "min": "dyn:min(/a, %s)" % OTHER,
    "max": "dyn:max(/a, %s)" % OTHER,
    "sum": "dyn:sum(/a, %s)" % OTHER,
}
PURE = {
    "string": "concat(/a, string-length(/a))",
    "host": "str:replace(string(/a), '1', '2')",
    "regexp": "re:match(string(/a), '[0-9]+')",
    "tree": "count(exsl:node-set('x') | str:tokenize('a b'))",
    "power": "math:power(2, 3)",
    "given": "date:year('2024-01-01')",
    "version": "system-property('xsl:version')",
}

web = Httpd("etag", """
GPUXMLEngine cpu
GPUXMLStylesheetPI prefer
GPUXMLStylesheetRoot htdocs
GPUXMLDocument file
<Location /at>
    GPUXMLDocument subrequest
</Location>
<Location /by>
    GPUXMLDTD external=file
</Location>
""")
for name, select in list(IMPURE.items()) + list(PURE.items()):
    web.put("htdocs/%s.xsl" % name, '<xsl:stylesheet version="1.0" '
                                    'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"%s><xsl:output method="html"/>'
            '<xsl:template match="/"><html><xsl:value-of select="%s"/></html></xsl:template></xsl:stylesheet>'
                % (EXSLT, select))
    web.put("htdocs/%s.xml" % name, '<?xml-stylesheet type="text/xsl" href="%s.xsl"?><a>1</a>' % name)
web.put("htdocs/other.xml", "<o><v>7</v></o>")
with web:
    for name in IMPURE:
        a = web.get("/%s.xml" % name)
        is_((a.status, a["ETag"]), (200, None), "%s: no ETag" % IMPURE[name])
    for name in ("document", "evaluate", "map", "closure", "min", "max", "sum"):
        like(web.get("/%s.xml" % name).text, "7", "... %s reads the other document" % name)
    web.put("htdocs/other.xml", "<o><v>8</v></o>")
    like(web.get("/closure.xml").text, "8", "... and is made anew when that has changed")
    for name in PURE:
        a = web.get("/%s.xml" % name)
        ok(a.status == 200 and a["ETag"], "%s: an ETag" % PURE[name])
        is_(web.get("/%s.xml" % name, If_None_Match=a["ETag"] or "none").status, 304, "... and 304")
    # the same bytes and stylesheet, but a page that says where they are
    web.put("htdocs/where.xsl", sheet('<xsl:output method="html"/><xsl:template match="/"><p><xsl:value-of '
                                      'select="unparsed-entity-uri(\'e\')"/></p></xsl:template>'))
    for path in ("at/1", "at/2", "by/1", "by/2"):
        web.put("htdocs/%s/a.xml" % path, '<!DOCTYPE a [<!NOTATION n SYSTEM "n"><!ENTITY e SYSTEM "pic.png" NDATA n>]>'
                                          '<?xml-stylesheet type="text/xsl" href="/where.xsl"?><a/>')
    for place in "at", "by":
        one, two = web.get("/%s/1/a.xml" % place), web.get("/%s/2/a.xml" % place)
        ok("/1/pic.png" in one.text and "/2/pic.png" in two.text,
           "two pages of the same bytes (%s)" % place) or diag(one.text + two.text)
        ok(not one["ETag"] or one["ETag"] != two["ETag"], "... have not the same ETag")
done()
