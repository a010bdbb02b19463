#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The error log stays small and tells everything once: repeats of a line are counted, not written; what a stylesheet
recovers from is a warning."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

web = Httpd("log", """
GPUXMLEngine cpu
GPUXMLStylesheet conf/xsl/id.xsl
<Location /missing.xml>
    GPUXMLStylesheet conf/xsl/missing.xsl
    GPUXMLDocument file
</Location>
<LocationMatch "^/say(-all)?[.]xml">
    GPUXMLStylesheet conf/xsl/say.xsl
</LocationMatch>
<Location /say-all.xml>
    LogLevel gpuxml:debug
</Location>
<Directory "@ROOT@/htdocs/site">
    RewriteEngine On
    RewriteRule "^feeds/" bad.xml
    AddOutputFilter INCLUDES .shtml
</Directory>
<VirtualHost *>
    ServerName localhost
</VirtualHost>
<VirtualHost *>
    ServerName two
    ErrorLog "@ROOT@/logs/two.log"
</VirtualHost>
""")
web.put("conf/xsl/id.xsl", sheet('<xsl:template match="/"><xsl:copy-of select="."/></xsl:template>'))
web.put("conf/xsl/missing.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="count(document(\'none.xml\') | '
                                      'document(\'broken.xml\'))"/>'
                                      '</p></xsl:template>'))
web.put("conf/xsl/say.xsl", sheet('<xsl:template match="/"><xsl:for-each select="//b"><xsl:message>no '
                                  'title</xsl:message></xsl:for-each></xsl:template>'))
for name in "say", "say-all":
    web.put("htdocs/%s.xml" % name, "<a>%s</a>" % ("<b/>" * 2000))
web.put("conf/xsl/broken.xml", "<a>")
web.put("htdocs/missing.xml", "<a/>")
web.put("htdocs/bad.xml", "<a></b>")
web.put("htdocs/other.xml", "")
web.put("htdocs/site/bad.xml", "<site></b>")
web.put("htdocs/site/page.shtml", '<!--#include virtual="part.xml"-->')
web.put("htdocs/site/part.xml", "<part></b>")
for i in range(200):
    web.put("htdocs/%d.xml" % i, "\n" * i + "<a></b>")


def ask_all(paths):
    """As many of them as fit in half a second."""
    end, n = time.time() + 0.5, 0
    for path in paths:
        if time.time() < end and web.get(path).status == 502:
            n += 1
    return n


with web:
    n = ask_all(["/bad.xml"] * 300)
    ok(n > 10, "%d requests for a broken document" % n)
    lines = web.new_log("GX0", 1)
    is_(len(lines), 1, "one line for all of them")
    like(lines[0] if lines else "", r"GX0107: .*1:\d+: mismatched tag.*\[class source, sheet id.xsl, uri /bad.xml\]",
         "... that says all")
    time.sleep(1.1)
    web.get("/bad.xml")
    lines = web.new_log("GX0", 1)
    like("\n".join(lines), r"uri /bad.xml\] \(and %d times in the last \d s\)|GX0153: %d more in" % (n - 1, n - 1),
         "the next one tells how many there were")
    web.get("/bad.xml")
    ask_all(["/bad.xml"])
    lines = web.new_log("GX0153", 14)
    like("\n".join(lines), r"GX0153: \d more in \d+ s of: GX0107: .*mismatched tag.*sheet id.xsl\]$",
         "without a next one httpd's parent tells it")

    ask_all(["/bad.xml"] * 2)
    time.sleep(1.1)
    web.get("/other.xml", Host="two")           # takes that line's place
    with open(web.path("logs/two.log")) as f:
        is_(re.findall("GX0...", f.read()), ["GX0101"], "a virtual host's log has nothing of another's")

    time.sleep(1.1)
    web.new_log()
    n = ask_all("/%d.xml" % i for i in range(200))
    lines = web.new_log(r"^(?!.*GX0153).*GX0107", 1)
    is_(len(lines), min(n, 64), "%d different errors: each has its line, at most 64 in a second" % n)

    time.sleep(1.1)
    for path, want in ("/site/feeds/new", r"uri /site/bad.xml for /site/feeds/new\]"), ("/site/page.shtml",
        r"uri /site/part.xml for /site/page.shtml\]"):
        web.new_log()
        web.get(path)
        like("\n".join(web.new_log("GX0107", 1)), want, "what the client asked for, too: " + path)

    for path, n in ("/say.xml", 100), ("/say-all.xml", 2000):
        web.new_log()
        is_(web.get(path).status, 200, "2000 times xsl:message")
        web.new_log("GX0151: 2000 times xsl:message .LogLevel", 1)
        is_(len(re.findall("GX0151: xsl:message: no title", web.log())), n, "... %d of them in the log" % n)
        open(web.path("logs/error.log"), "w").close()
        web.error_at = 0

    web.new_log()
    a = web.get("/missing.xml")
    like(a.text, "<p>0</p>", "document() of what cannot be read is empty")
    lines = web.new_log(r"^(?!.*GX0153).*GX0154", 1)
    is_(len(lines), 2, "... and a warning each")
    like("\n".join(sorted(lines)), r"gpuxml:warn.*GX0154: recovered from: .*broken.xml:1:\d+: .*\[sheet missing.xsl, "
                                   r"uri /missing.xml\]", "... with the place")
    like("\n".join(lines), r"GX0154: recovered from: .*none.xml", "... or the name")
    web.get("/missing.xml")
    like("\n".join(web.new_log("GX0153.*GX0154", 14)), "gpuxml:warn.*GX0153: ", "repeats of a warning are one")
done()
