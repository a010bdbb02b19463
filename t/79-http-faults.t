#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""httpd when the operating system refuses: 503 and the reason, never a page without what could not be read; and the
next request after it is over has its page, without a restart."""
import errno
import gzip
import os
import sys
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "t", "httpd"), os.path.join(ROOT, "t", "faults")]
from harness import *
from refuse import *

need()
if not os.path.exists(LIBRARY):
    print("1..0 # SKIP %s is not built" % LIBRARY)
    sys.exit(0)


class Refused(Httpd):
    def command(self, *args):
        return ["env"] + ["%s=%s" % pair for pair in refuse.env.items()] + super().command(*args)


def descriptors():
    """Open ones of parent and child, when the last connection has gone"""
    found = []
    for _ in range(20):
        found.append(sum(len(os.listdir("/proc/%d/fd" % pid)) for pid in [web.proc.pid, *web.children()]))
        time.sleep(0.02)
    return min(found)


def refused(path, call, error, part, reason, name, skip=0):
    refuse(call, error, skip, part=part)
    web.new_log()
    a = web.get(path)
    is_((a.status, a["retry-after"], refuse.met()), (503, "1", True), name)
    like("".join(web.new_log("GX01", 1)), reason, "... the log says why")
    refuse(NOTHING)


PAGE = '<xsl:template match="/"><p><xsl:value-of select="/a"/></p></xsl:template>'
with Refusing() as refuse:
    web = Refused("faults", """
GPUXMLEngine cpu
GPUXMLCheckFiles off
GPUXMLStylesheetRoot @ROOT@/conf/xsl
GPUXMLCatalog @ROOT@/conf/catalog.xml
AddEncoding gzip .gz
SetEnvIf Request_URI "/([a-z]*)\\.xml" SHEET=$1.xsl
GPUXMLStylesheet %{reqenv:SHEET}
<Location /xinclude.xml>
    GPUXMLXInclude on
</Location>
<LocationMatch /(document|mapped)\\.xml>
    GPUXMLDocument file
</LocationMatch>
""", "prefork")
    # the child that failed is asked again
    web.conf += "StartServers 1\nMinSpareServers 1\nMaxSpareServers 1\nMaxRequestWorkers 1\n"
    web.put("conf/catalog.xml", '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="urn:data" '
                                'uri="xsl/data"/></catalog>')
    web.put("conf/xsl/data", "<d>data</d>")
    web.put("conf/xsl/page.xsl", sheet(PAGE))
    web.put("conf/xsl/packed.xsl", sheet(PAGE))
    web.put("conf/xsl/xinclude.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="/a"/></p></xsl:template>'))
    web.put("conf/xsl/part.xml", "<p>part</p>")
    web.put("htdocs/xinclude.xml", '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include '
                                   'href="../conf/xsl/part.xml"><xi:fallback>F</xi:fallback></xi:include></a>')
    web.put("conf/xsl/layer.xsl", sheet("", '<xsl:import href="page.xsl"/>'))
    for name, uri in (("document", "data"), ("mapped", "urn:data")):
        web.put("conf/xsl/%s.xsl" % name, sheet('<xsl:template match="/"><p><xsl:value-of '
                                                'select="document(\'%s\')/d"/></p></xsl:template>' % uri))
    for name in ("page", "layer", "document", "mapped"):
        web.put("htdocs/%s.xml" % name, "<a>b</a>")
    web.put("htdocs/packed.xml.gz", gzip.compress(b"<a>b%s</a>" % (b" " * 50000)))        # more than one step
    with web:
        refused("/page.xml", OPEN, errno.EMFILE, "page.xsl",
                "GX0119: no capacity: cannot read .*page.xsl\": Too many open files", "a stylesheet at its first use")
        like(web.get("/page.xml").text, "<p>b</p>", "... the next request has it, also with GPUXMLCheckFiles off")
        refused("/layer.xml", OPEN, errno.ENFILE, "page.xsl",
                "layer.xsl:1:.*cannot read \"page.xsl\": Too many open files in system", "what it imports")
        like(web.get("/layer.xml").text, "<p>b</p>", "... the next request has it")
        like(web.get("/document.xml").text, "<p>data</p>", "document()")
        refused("/document.xml", OPEN, errno.EMFILE, "data", "cannot read \"data\": Too many open files",
                "... without a descriptor is no empty set")
        refused("/document.xml", READ, errno.EIO, "mod_gpuxml", "cannot read .*: Input/output error",
                "... of a disk that does not answer")
        like(web.get("/document.xml").text, "<p>data</p>", "... which is over")
        like(web.get("/mapped.xml").text, "<p>data</p>", "document() by a catalog")
        like(web.get("/xinclude.xml").text, "<p>part</p>", "an xi:include")
        refused("/xinclude.xml", OPEN, errno.EMFILE, "part.xml",
                "GX0119: no capacity: .*part.xml.*: Too many open files", "... without a descriptor is no fallback")
        refused("/xinclude.xml", READ, errno.EIO, "mod_gpuxml", "Input/output error",
                "... nor of a disk that does not answer")
        like(web.get("/xinclude.xml").text, "<p>part</p>", "... which is over")
        refused("/packed.xml.gz", MEMORY, errno.ENOMEM, "libz.so", "GX0115: out of memory: no memory to decode it",
                "no memory for the second step of decompressing", skip=1)
        like(web.get("/packed.xml.gz").text, "<p>b +</p>", "... which is over")
        before = descriptors()
        refused("/mapped.xml", OPEN, errno.EMFILE, "catalog.xml", "cannot read .*catalog.xml\": Too many open files",
                "... that cannot be read for now")
        like(web.get("/mapped.xml").text, "<p>data</p>", "... which is over")
        is_(descriptors(), before, "no descriptor is left open")
done()
