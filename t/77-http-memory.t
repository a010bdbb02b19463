#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What large documents needed does not stay with every thread that ever had one, nor their source with a page that is
being sent."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

CLIENTS = 25
if not measure_memory():
    print("1..0 # SKIP under ThreadSanitizer")
    sys.exit(0)
os.environ["MALLOC_MMAP_THRESHOLD_"] = "1048576"        # what is freed goes back at once: we see what is kept
web = Httpd("memory", """
ServerLimit 1
MaxRequestWorkers %d
GPUXMLEngine cpu
GPUXMLCache off
GPUXMLTimeout 60s
GPUXMLStylesheet conf/xsl/count.xsl
<Location "/copy.xml">
    GPUXMLStylesheet conf/xsl/copy.xsl
</Location>
<Location "/whole.xml">
    GPUXMLStylesheet conf/xsl/copy.xsl
    GPUXMLLimit input=max nodes=max output=max
</Location>
<Location "/whole-count.xml">
    GPUXMLLimit input=max nodes=max
</Location>
Alias "/whole-count.xml" "@ROOT@/htdocs/whole.xml"
Alias "/pass.xml" "@ROOT@/htdocs/copy.xml"
<Location "/pass.xml">
    GPUXMLStylesheet conf/xsl/copy.xsl
    GPUXMLOnError sheet=pass
</Location>
""" % CLIENTS)
web.put("conf/xsl/copy.xsl", sheet('<xsl:template match="/"><xsl:copy-of select="."/></xsl:template>'))
web.put("htdocs/copy.xml", "<r>%s</r>" % ("x" * 8000000))
web.put("conf/xsl/count.xsl", sheet('<xsl:output method="text"/><xsl:template match="/"><xsl:value-of '
                                    'select="count(//i[. != \'\'])"/></xsl:template>'))
ITEMS = "<i k='1'>some text</i>" * 100000
web.put("htdocs/large.xml", "<r>%s</r>" % ITEMS)
web.put("htdocs/whole.xml", "<r>%s</r>" % (ITEMS * 15))
web.put("htdocs/bad.xml", "<r>%s</s>" % ITEMS)
web.put("htdocs/token.xml", "<r a='%s" % ("&lt;x" * 2000000))
web.put("htdocs/small.xml", "<r><i>1</i></r>")


def resident_mb():
    """The largest child's."""
    return max(int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) for text in web.children().values()) >> 10


def peak_mb():
    return max(int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) for text in web.children().values()) >> 10


def slow_clients_mb(path):
    """While ten read the beginning of their pages."""
    clients = [socket.create_connection(("127.0.0.1", web.port), timeout=60) for _ in range(10)]
    for s in clients:
        s.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
    began = [s.recv(15) for s in clients]
    mb = resident_mb()
    for s in clients:
        s.close()
    return is_(began, [b"HTTP/1.1 200 OK"] * 10, path + ", ten slow clients") and mb


with web:
    size = os.path.getsize(web.path("htdocs/whole.xml")) >> 20
    is_(ask(web.port, "/whole-count.xml", timeout=100).status, 200, "a document of %d MB" % size)
    before = peak_mb()
    is_(len(ask(web.port, "/whole.xml", timeout=100).text) >> 20, size, "... and a page as large")
    mb = peak_mb()
    ok(mb < before + size * 3 // 4, "... for which there is room: the columns have gone, and the source was never kept")
    diag("%d MB, %d MB" % (before, mb))
    for name, want in ("large", 200), ("bad", 502), ("token", 502):
        got = []
        at_once(CLIENTS, lambda _: got.append(ask(web.port, "/%s.xml" % name, timeout=100).status))
        is_(got, [want] * CLIENTS, "%d requests at once for %s.xml of %d MB" % (CLIENTS, name,
            os.path.getsize(web.path("htdocs/%s.xml" % name)) >> 20))
        for _ in range(2 * CLIENTS):
            web.get("/small.xml")
        mb = resident_mb()
        ok(mb < 130, "... and httpd's child does not keep it all") or diag("%d MB" % mb)
        diag("%d MB" % mb)
    # the first time the kits grow
    mb = [slow_clients_mb(path) for path in ("/copy.xml", "/copy.xml", "/pass.xml")]
    ok(mb[2] < mb[1] + 40,
       "a source that might have been passed on is let go when the page is made") or diag("%d MB, %d MB" % (mb[1],
           mb[2]))
done()
