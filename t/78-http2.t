#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Over HTTP/2, where each request has a connection of its own inside httpd, pages are the same; curl is the client."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
if not shutil.which("curl") or not os.path.exists(os.path.join(MODULES, "mod_http2.so")):
    print("1..0 # SKIP no curl, or no mod_http2")
    sys.exit(0)
stopped = []
XML = b"<a><b>one</b></a>"


def backend(r):
    if r.path == "/slow.xml":
        r.send_response(200)
        for name, value in ("Content-Type", "text/xml"), ("Content-Length", "1000000"):
            r.send_header(name, value)
        r.end_headers()
        try:
            for _ in range(100):
                r.wfile.write(b"<!-- %s -->" % (b"x" * 9990))
                time.sleep(0.02)
        except OSError:
            stopped.append(r.path)
        return
    if r.path != "/trailers.xml":
        return answer(r, b"<a>" if r.path == "/bad.xml" else XML)
    r.send_response(200)
    for name, value in ("Content-Type", "text/xml"), ("Transfer-Encoding", "chunked"), ("Trailer",
        "X-Sum, Content-MD5"):
        r.send_header(name, value)
    r.end_headers()
    r.wfile.write(b"%x\r\n%s\r\n0\r\nX-Sum: 1\r\nContent-MD5: source\r\nETag: \"source\"\r\n\r\n" % (len(XML), XML))


back = Backend(backend)
web = Httpd("http2", """
Protocols h2c http/1.1
ProxyPass "/proxy/" "http://127.0.0.1:%d/"
GPUXMLStylesheet conf/xsl/page.xsl
""" % back.port, modules=["http2"])
web.put("conf/xsl/page.xsl", sheet('<xsl:output method="html"/><xsl:template match="/"><p><xsl:value-of '
                                   'select="a/b"/></p></xsl:template>'))
web.put("htdocs/a.xml", XML)


def get(path, *args):
    """Headers, trailers and body as curl shows them."""
    p = subprocess.run(["curl", "-si", "--http2-prior-knowledge", *args, "http://127.0.0.1:%d%s" % (web.port, path)],
                       capture_output=True, timeout=30)
    return p.stdout.decode("latin-1")


with web:
    for path in "/a.xml", "/proxy/a.xml":
        a, b = web.get(path), get(path)
        like(b, r"^HTTP/2 200 .*\netag: %s\r\n.*\r\n\r\n%s$" % (a["etag"], a.text), path + ": the page and its ETag")
        like(get(path, "-H", "If-None-Match: " + a["etag"]), "^HTTP/2 304 ", "... 304")
        like(get(path, "-r", "3-5"), r"^HTTP/2 206 .*\r\n\r\none$", "... a range")
        like(get(path, "-I"), r"^HTTP/2 200 .*\ncontent-type: text/html; charset=UTF-8\r\n", "... HEAD")
    like(get("/proxy/bad.xml"), "^HTTP/2 502 .*<title>502", "an error")
    web.new_log()
    get("/proxy/slow.xml", "-m", "0.3")
    end = time.time() + 10
    while not stopped and time.time() < end:
        time.sleep(0.05)
    is_(stopped, ["/slow.xml"], "a client that goes: the back end is left alone")
    time.sleep(0.2)
    lines = web.new_log("GX01")
    is_([line for line in lines if "gpuxml:info" not in line], [], "... and not blamed")
    what = "trailers of a back end, but those about its bytes"
    if shutil.which("nghttp"):          # curl does not show them
        p = subprocess.run(["nghttp", "-v", "http://127.0.0.1:%d/proxy/trailers.xml" % web.port],
                           capture_output=True, timeout=30)
        is_(re.findall("(x-sum|content-md5|etag): ", p.stdout.decode().split("</p>")[1]), ["x-sum"], what)
    else:
        ok(True, what + " # SKIP no nghttp")
done()
