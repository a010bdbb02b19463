#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents and stylesheets that someone made so that they have the same quick digest: each page is its own, and so is
its ETag."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
MAKE = os.path.join(ROOT, "build", "t", "60-queue-collide")
WORKER = os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker"))
if not os.access(MAKE, os.X_OK):
    print("1..0 # SKIP %s is not built" % MAKE)
    sys.exit(0)
body = {}
back = Backend(lambda r: answer(r, body[r.path]))

CONF = """
ServerLimit 1
GPUXMLCache 8M
<Location "/show">
    GPUXMLStylesheet conf/xsl/show.xsl
</Location>
<Location "/from">
    GPUXMLStylesheet conf/xsl/show.xsl
</Location>
<Location "/by/a">
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/by/b">
    GPUXMLStylesheet conf/xsl/b.xsl
</Location>
<Location "/status">
    SetHandler gpuxml-status
</Location>
ProxyPass "/from" "http://127.0.0.1:%d"
GPUXMLEngine %s
"""

for engine in ("cpu", "worker")[:1 + WORKER]:
    web = Httpd("collide-" + engine, CONF % (back.port, engine))
    web.put("conf/xsl/show.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="/a"/></p></xsl:template>'))
    subprocess.run([MAKE, web.path("conf/xsl")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in ("a.xml", "b.xml"):
        body["/" + name] = open(web.path("conf/xsl/" + name), "rb").read()
        web.put("htdocs/show/" + name, body["/" + name].decode())
    for name in "ab":
        web.put("htdocs/by/%s/x.xml" % name, "<q/>")
    with web:
        for kind, where in (("files", "/show"), ("answers of a back end", "/from")):
            pages = [web.get("%s/%s.xml" % (where, "ab"[i % 2])) for i in range(8)]
            is_([re.sub(r"<\?.*\?>\s*|\s+", "", a.text) for a in pages], ["<p>one</p>", "<p>anotherone</p>"] * 4,
                "%s: two %s" % (engine, kind))
            tags = [a["ETag"] for a in pages]
            ok(tags[0] and tags[0] != tags[1], "... have two ETags") or diag(tags)
            is_((tags[0::2], tags[1::2]), ([tags[0]] * 4, [tags[1]] * 4), "... each the same again, parsed or kept")
            is_([web.get("%s/%s.xml" % (where, n), If_None_Match=tags[0]).status for n in "ab"], [304, 200],
                "... and a condition is about one of them")
        pages = [web.get("/by/%s/x.xml" % "ab"[i % 2]) for i in range(8)]
        is_([re.findall("from (..xsl)", a.text) for a in pages], [["a.xsl"], ["b.xsl"]] * 4,
            engine + ": two stylesheets")
        tags = [a["ETag"] for a in pages]
        ok(tags[0] and tags[0] != tags[1], "... have two ETags") or diag(tags)
        is_([web.get("/by/%s/x.xml" % n, If_None_Match=tags[0]).status for n in "ab"], [304, 200],
            "... and a condition is about one of them")
        if engine == "worker":
            ok(status(web)["ByWorker"] > 0, "the worker made pages")
done()
