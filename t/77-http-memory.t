#!/usr/bin/env python3
"""What large documents needed does not stay with every thread that ever had one."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

CLIENTS = 25
os.environ["MALLOC_MMAP_THRESHOLD_"] = "1048576"        # what is freed goes back at once: we see what is kept
web = Httpd("memory", """
ServerLimit 1
MaxRequestWorkers %d
GPUXMLEngine cpu
GPUXMLCache off
GPUXMLTimeout 60s
GPUXMLStylesheet conf/xsl/count.xsl
""" % CLIENTS)
web.put("conf/xsl/count.xsl", sheet('<xsl:output method="text"/><xsl:template match="/"><xsl:value-of select="count(//i[. != \'\'])"/></xsl:template>'))
ITEMS = "<i k='1'>some text</i>" * 100000
web.put("htdocs/large.xml", "<r>%s</r>" % ITEMS)
web.put("htdocs/bad.xml", "<r>%s</s>" % ITEMS)
web.put("htdocs/token.xml", "<r a='%s" % ("&lt;x" * 2000000))
web.put("htdocs/small.xml", "<r><i>1</i></r>")


def resident_mb():
    """The largest child's."""
    return max(int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) for text in web.children().values()) >> 10


with web:
    for name, want in ("large", 200), ("bad", 502), ("token", 502):
        got = []
        at_once(CLIENTS, lambda _: got.append(ask(web.port, "/%s.xml" % name, timeout=100).status))
        is_(got, [want] * CLIENTS, "%d requests at once for %s.xml of %d MB" % (CLIENTS, name, os.path.getsize(web.path("htdocs/%s.xml" % name)) >> 20))
        for _ in range(2 * CLIENTS):
            web.get("/small.xml")
        mb = resident_mb()
        ok(mb < 130, "... and httpd's child does not keep it all") or diag("%d MB" % mb)
        diag("%d MB" % mb)
done()
