#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page's own validators and digests: its ETag where files have none (FileETag None, mod_include before us), none
where mod_include comes behind us, and no digest or signature of the source's bytes."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

DIGESTS = {"Content-MD5": "x", "Digest": "sha-256=x", "Content-Digest": "sha-256=:eA==:",
           "Repr-Digest": "sha-256=:eA==:",
           "Unencoded-Digest": "sha-256=:eA==:", "Signature": "sig=:eA==:", "Signature-Input": 'sig=("content-digest")'}
back = Backend(lambda r: answer(r, b"<a>one</a>", "text/xml" if "xml" in r.path else "text/plain",
                                **{k.replace("-", "_"): v for k, v in DIGESTS.items()}))
web = Httpd("validators", """
GPUXMLEngine cpu
<LocationMatch "^/(s|off|before|behind)/">
    FileETag None
    GPUXMLStylesheet conf/xsl/a.xsl
</LocationMatch>
<Location /off/>
    GPUXMLETag off
</Location>
<Location /plain/>
    FileETag None
</Location>
<Location /before/>
    SetOutputFilter INCLUDES;GPUXSLT
</Location>
<Location /behind/>
    SetOutputFilter GPUXSLT;INCLUDES
    GPUXMLLastModified source
</Location>
<Location /behind-by-type/>
    GPUXMLStylesheet conf/xsl/a.xsl
    AddOutputFilterByType INCLUDES text/html
    GPUXMLLastModified source
</Location>
<Location /weak/>
    FileETag None
    GPUXMLStylesheet conf/xsl/a.xsl
    Header edit ETag ^ W/
</Location>
ProxyPass /p/ http://127.0.0.1:%d/
<Location /p/>
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
""" % back.port, modules=["http2"])
web.put("conf/xsl/a.xsl", sheet('<xsl:output method="html" encoding="UTF-8"/><xsl:template match="/"><p><xsl:value-of '
                                'select="."/>'
                                '<xsl:comment>#echo var="QUERY_STRING" </xsl:comment></p></xsl:template>'))
for name in ("s", "off", "plain", "weak"):
    web.put("htdocs/%s/a.xml" % name, "<a>one</a>")
for name in ("before", "behind", "behind-by-type"):
    web.put("htdocs/%s/a.xml" % name, '<a>one<!--#echo var="QUERY_STRING" --></a>')
with web:
    a = web.get("/s/a.xml")
    like(a["etag"], '^"[0-9a-f]{48}"$', "FileETag None: the page has an ETag")
    b = web.get("/s/a.xml", If_None_Match=a["etag"] or "x")
    is_((b.status, b["etag"], b.body), (304, a["etag"], b""), "... which answers a condition")
    is_(web.get("/s/a.xml", If_None_Match="*").status, 304, "... as * does")
    is_(web.get("/s/a.xml", method="HEAD")["etag"], a["etag"], "... of HEAD, too")
    c = web.get("/s/a.xml", Range="bytes=0-2", If_Range=a["etag"] or "x")
    is_((c.status, c.body), (206, b"<p>"), "... and If-Range")
    is_(web.get("/off/a.xml")["etag"], None, "GPUXMLETag off: none")
    is_(web.get("/plain/a.xml")["etag"], None, "the file itself: none")
    like(web.get("/weak/a.xml")["etag"], '^W/"[0-9a-f]{48}"$', "a filter behind us makes it a weak one")

    x, y = web.get("/before/a.xml?x"), web.get("/before/a.xml?y")
    ok(x["etag"] and y["etag"] and x["etag"] != y["etag"], "mod_include before us: an ETag of what its directives "
                                                           "have become")
    is_(web.get("/before/a.xml?x", If_None_Match=x["etag"] or "-").status, 304, "... which answers a condition")
    is_(web.get("/before/a.xml?y", If_None_Match=x["etag"] or "-").status, 200, "... but not of the other page")
    for name in ("behind", "behind-by-type"):
        x = web.get("/%s/a.xml?x" % name)
        is_((x.text, x["etag"], x["last-modified"]), ("<p>onex</p>\n", None, None),
            "mod_include behind us puts into the page what we do not see: no validators")
        is_(web.get("/%s/a.xml?y" % name, If_None_Match=a["etag"],
                    If_Modified_Since="Mon, 01 Jan 2035 00:00:00 GMT").status, 200, "... and no condition is answered")

    a = web.get("/p/a.xml")
    is_((a.text[:6], [h for h in DIGESTS if a[h]]), ("<p>one", []), "a page has no digest or signature of its source")
    a = web.get("/p/a.txt")
    is_([h for h in DIGESTS if not a[h]], [], "what passes has them all")
done()
