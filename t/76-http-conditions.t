#!/usr/bin/env python3
"""mod_cache in front of the filter keeps pages as they were sent, and finds them fresh again by our ETag."""
import os
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

XSL = sheet('<xsl:output method="html" encoding="UTF-8"/><xsl:template match="/"><html><i><xsl:value-of select="."/></i></html></xsl:template>')
HTML = "text/html; charset=UTF-8"
asked = []
word = ["one"]


def backend(r):
    asked.append(r.path)
    answer(r, b"<a>%s</a>" % word[0].encode(), ETag='"%s"' % word[0], Cache_Control="max-age=1")


back = Backend(backend)
CONF = """
GPUXMLEngine cpu
ProxyPass /p/ http://127.0.0.1:%d/
<Location /p/>
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
CacheRoot @ROOT@/run/cache
CacheEnable disk /p/
CacheHeader On
CacheIgnoreNoLastMod On
CacheQuickHandler %s
"""
for quick in ("on", "off"):
    t = "mod_cache, CacheQuickHandler %s: " % quick
    web = Httpd("conditions-cache", CONF % (back.port, quick), modules=["cache", "cache_disk"])
    web.put("conf/xsl/a.xsl", XSL)
    os.mkdir(web.path("run/cache"))
    if os.getuid() == 0:
        shutil.chown(web.path("run/cache"), "www-data", "www-data")
    word[0] = "one"
    with web:
        a, n = web.get("/p/a.xml"), len(asked)
        b = web.get("/p/a.xml")
        is_((len(asked), b.text, b["etag"]), (n, a.text, a["etag"]), t + "the page is kept")
        is_((a["content-type"], b["content-type"]), (HTML, HTML), t + "... and its type is the page's")
        time.sleep(2.1)
        a = web.get("/p/a.xml")
        is_((len(asked), a.text, (a["x-cache"] or "")[:10], a["content-type"]), (n + 1, b.text, "REVALIDATE", HTML), t + "stale: it is fresh again")
        is_(web.get("/p/a.xml")["content-type"], HTML, t + "... and has kept its type")
        word[0] = "two"
        time.sleep(2.1)
        like(web.get("/p/a.xml").text, "<i>two</i>", t + "another source, another page")
done()
