#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which responses are transformed, by method; who answers conditions; what gets an ETag; made-up stylesheet names; a
condition that cannot be evaluated."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

CGI = """#!/bin/sh
printf 'Content-Type: text/xml\\r\\n'
[ "$REQUEST_METHOD" = PROPFIND ] && printf 'Status: 207 Multi-Status\\r\\n'
printf '\\r\\n<a><m>%s</m><i>%s</i></a>' "$REQUEST_METHOD" "$HTTP_IF_MATCH$HTTP_IF_NONE_MATCH"
"""
DATE = 'xmlns:d="http://exslt.org/dates-and-times" xmlns:m="http://exslt.org/math" xmlns:y="http://exslt.org/dynamic"'
PAGES = {       # expression in the page, has it an ETag?
    "plain": ("concat(a, 1)", True), "date": ("d:date('2026-11-21')", True), "now": ("d:date-time()", False),
        "year": ("d:year()", False),
    "random": ("m:random()", False), "dyn": ("y:evaluate('1')", False),
}
CONF = """
GPUXMLEngine cpu
<Location /cgi-bin>
    SetOutputFilter DEFLATE
    GPUXMLStylesheet conf/xsl/show.xsl
</Location>
<Location /named.xml>
    GPUXMLStylesheet "%{HTTP:X-Sheet}"
</Location>
GPUXMLStylesheetRoot conf/xsl
<Location /when.xml>
    GPUXMLStylesheet conf/xsl/show.xsl
    GPUXMLWhen "file('@ROOT@/none') == 'x'"
</Location>
"""
for name in PAGES:
    CONF += ("Alias /%s.xml @ROOT@/htdocs/named.xml\n<Location /%s.xml>\nGPUXMLStylesheet "
             "conf/xsl/%s.xsl\n</Location>\n" % (name, name, name))

CONF += "Alias /deflate-by-type.xml @ROOT@/htdocs/named.xml\n" \
        "<Location /deflate-by-type.xml>\nGPUXMLStylesheet conf/xsl/show.xsl\n" \
        "AddOutputFilterByType DEFLATE text/html text/xml\n</Location>\n"
CONF += "Alias /expires.xml @ROOT@/htdocs/named.xml\n" \
        "<Location /expires.xml>\nGPUXMLStylesheet conf/xsl/text.xsl\nExpiresActive on\n" \
        "ExpiresByType text/plain A3600\nExpiresByType text/xml A60\n" \
        "AddOutputFilterByType DEFLATE text/plain\n</Location>\n"
PACKED = {"deflate-provided": ("gzip", "FilterProvider PACK DEFLATE \"%{CONTENT_TYPE} =~ m#/xml#\"\nFilterChain PACK"),
          "brotli": ("br", "SetOutputFilter BROTLI_COMPRESS"),
          "brotli-by-type": ("br", "AddOutputFilterByType BROTLI_COMPRESS text/html text/xml"),
          "brotli-provided": ("br", "FilterProvider PACK BROTLI_COMPRESS \"%{CONTENT_TYPE} =~ "
                                    "m#/xml#\"\nFilterChain PACK"),
          "brotli-errors": ("br", "AddOutputFilterByType BROTLI_COMPRESS text/html text/xml\nSetEnv filter-errordocs")}
for name, (_, text) in PACKED.items():
    CONF += ("Alias /%s.xml @ROOT@/htdocs/named.xml\n<Location /%s.xml>\nGPUXMLStylesheet "
             "conf/xsl/show.xsl\n%s\n</Location>\n" % (name, name, text))

back = Backend(lambda r: answer(r, b"<a>x</a>", ETag='"source"'))
TYPES = {       # directives, GET's type, HEAD's where the back end sends no body
    "sheet": ("GPUXMLStylesheet conf/xsl/text.xsl", "text/plain; charset=UTF-8", "text/plain; charset=UTF-8"),
    "unknown": ("GPUXMLStylesheet conf/xsl/show.xsl", "text/xml; charset=UTF-8", None),
    "as-xml": ("GPUXMLSelect //a as xml", "application/xml; charset=UTF-8", "application/xml; charset=UTF-8"),
    "as-text": ("GPUXMLSelect //a", "text/plain; charset=UTF-8", "text/plain; charset=UTF-8"),
    "pi": ("GPUXMLStylesheetPI prefer\nGPUXMLStylesheet conf/xsl/text.xsl", "text/plain; charset=UTF-8", None),
    "pi-alone": ("GPUXMLStylesheetPI prefer\nGPUXMLOutput type=a/b", "text/xml", None),
    "output": ("GPUXMLStylesheet conf/xsl/show.xsl\nGPUXMLOutput type=a/b charset=utf-16", "a/b; charset=utf-16",
               "a/b; charset=utf-16"),
}
for name, (text, _, _) in TYPES.items():
    CONF += "ProxyPass /%s/ http://127.0.0.1:%d/\n<Location /%s/>\n%s\n</Location>\n" % (name, back.port, name, text)

CONF += "DavLockDB @ROOT@/htdocs/dav/lock\n<Location /dav>\nDAV on\nGPUXMLStylesheet conf/xsl/show.xsl\n</Location>\n"

web = Httpd("methods", CONF, modules=["brotli", "expires", "dav", "dav_fs"])
web.put("htdocs/dav/a.xml", "<a/>")
web.put("conf/xsl/text.xsl", sheet('<xsl:output method="text"/>'))
web.cgi("a", CGI)
web.put("conf/xsl/show.xsl", sheet('<xsl:template match="/"><o><p><xsl:value-of select="concat(a/m, \'|\', '
                                   'a/i)"/></p>%s</o>'
                                   '</xsl:template>' % ("x" * 1000)))
for name, (expression, _) in PAGES.items():
    web.put("conf/xsl/%s.xsl" % name,
            sheet('<xsl:template match="/"><p><xsl:value-of select="%s"/></p></xsl:template>' % expression)
            .replace("<xsl:stylesheet", "<xsl:stylesheet " + DATE, 1))
web.put("htdocs/named.xml", "<a>x</a>")
web.put("htdocs/when.xml", "<secret/>")

with web:
    for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
        seen = "" if method == "GET" else '"1"'
        a = web.get("/cgi-bin/a", method, If_Match='"1"')
        if method == "GET":
            is_(a.status, 412, "GET: If-Match is about the page")
        else:
            like(a.text, r'<p>%s\|"1"</p>' % method, method + ": the handler saw If-Match, and its answer is "
                "transformed")
    a = web.get("/cgi-bin/a")
    like(a.text, r"<p>GET\|</p>", "GET is transformed")
    is_(web.get("/cgi-bin/a", If_None_Match=a["etag"]).status, 304, "... and If-None-Match answered")
    for path in ("/cgi-bin/a", "/deflate-by-type.xml"):
        a = web.get(path)
        b = web.get(path, If_None_Match=a["etag"])
        is_((b.status, b["etag"], b["vary"]), (304, a["etag"], "Accept-Encoding"), "... with the page's Vary, " + path)
        is_(a["vary"], b["vary"], "... as it has it")
    a = web.get("/cgi-bin/a")
    zipped = web.get("/cgi-bin/a", Accept_Encoding="gzip")
    is_((zipped["content-encoding"], zipped["etag"]), ("gzip", a["etag"][:-1] + '-gzip"'),
        "mod_deflate has its own ETag")
    b = web.get("/cgi-bin/a", Accept_Encoding="gzip", If_None_Match=zipped["etag"])
    is_((b.status, b.body, b["etag"], b["vary"]), (304, b"", zipped["etag"], zipped["vary"]),
        "... and whoever has that has the page")
    is_(web.get("/cgi-bin/a", Accept_Encoding="gzip", If_None_Match=a["etag"][:-1] + '-zip"').status, 200,
        "... but no other")
    b = web.get("/cgi-bin/a", Accept_Encoding="gzip", If_Match=zipped["etag"])
    is_((b.status, b.body), (200, zipped.body), "If-Match with that ETag")
    is_(web.get("/cgi-bin/a", Accept_Encoding="gzip", If_Match=a["etag"][:-1] + '-zip"').status, 412,
        "... but no other")
    for name, (coding, text) in PACKED.items():
        a, packed = web.get("/%s.xml" % name), web.get("/%s.xml" % name, Accept_Encoding=coding)
        is_((packed["content-encoding"], packed["etag"], packed["vary"]),
            (coding, '%s-%s"' % (a["etag"][:-1], packed["content-encoding"]), "Accept-Encoding"), text)
        for page, asked in (packed, coding), (a, "identity"):
            b = web.get("/%s.xml" % name, Accept_Encoding=asked, If_None_Match=page["etag"])
            is_((b.status, b["etag"], b["vary"]), (304, page["etag"], page["vary"]),
                "... 304 has the ETag and Vary of the page in " + asked)
    a = web.get("/expires.xml")
    b = web.get("/expires.xml", If_None_Match=a["etag"])
    is_((b.status, a["cache-control"], b["cache-control"], b["content-type"]),
        (304, "max-age=3600", "max-age=3600", None), "304 has the Expires of the page's type")
    a = web.get("/cgi-bin/a", "POST", If_None_Match="*")
    is_((a.status, a["etag"]), (200, None), "POST: what has been done is not called 412")
    a = web.get("/cgi-bin/a", "PROPFIND")
    is_((a.status, a.text), (207, "<a><m>PROPFIND</m><i></i></a>"), "WebDAV's answers pass")
    is_(web.get("/cgi-bin/a", "LOCK").text, "<a><m>LOCK</m><i></i></a>", "... with 200 too")

    # files are edited by WebDAV: a PUT's conditions are about the file, and no one else's change is lost
    os.chmod(web.path("htdocs/dav"), 0o777)
    for condition in ({"If_Match": '"another"'}, {"If_None_Match": "*"},
                      {"If_Unmodified_Since": "Sun, 01 Jan 2023 00:00:00 GMT"}):
        is_(web.get("/dav/a.xml", "PUT", Content_Length="0", **condition).status, 412,
            "WebDAV: PUT with %s" % condition)
    is_(open(web.path("htdocs/dav/a.xml")).read(), "<a/>", "... changes nothing")
    is_(web.get("/dav/b.xml", "PUT", Content_Length="0", If_None_Match="*").status, 201, "... of what is not there")

    for name, (expression, tagged) in PAGES.items():
        a = web.get("/%s.xml" % name)
        is_((a.status, a["etag"] is not None), (200, tagged), "%s: %s ETag" % (expression, "an" if tagged else "no"))

    like(web.get("/named.xml", X_Sheet="plain.xsl").text, ">x1</p>", "a stylesheet named by the request")
    web.new_log()
    is_(web.get("/named.xml", X_Sheet="none.xsl").status, 500, "one that is not there")
    like("".join(web.new_log("GX01", 1)), 'GX0104: .*"none.xsl": no such file beneath GPUXMLStylesheetRoot '
                                          '[(]%s/conf\\S*[)]' % web.root, "... says so, and where it was looked for")
    web.put("conf/xsl/broken.xsl", "<a>\n<b></a>")
    web.get("/named.xml", X_Sheet="broken.xsl")
    like("".join(web.new_log("GX01", 1)), r"GX0110: stylesheet has an error: \S+/broken.xsl:2:\d+: mismatched tag",
         "one that is not well-formed: the stylesheet's error")
    web.put("conf/xsl/none.xsl", open(web.path("conf/xsl/plain.xsl")).read())
    like(web.get("/named.xml", X_Sheet="none.xsl").text, ">x1</p>", "... until it is")

    web.put("conf/xsl/closed.xsl", "", 0)
    is_(web.get("/named.xml", X_Sheet="closed.xsl").status, 500, "one that httpd's processes may not read")
    like("".join(web.new_log("GX01", 1)), "GX0116: .*closed.xsl.*Permission denied", "... says so too")

    for name, (text, get, head) in TYPES.items():
        a, b = web.get("/%s/x" % name), web.get("/%s/x" % name, "HEAD")
        is_((a.status, a["content-type"], b.status, b["content-type"], b["etag"]), (200, get, 200, head, None),
            text.splitlines()[0] + ": HEAD's type is GET's, or none")

    web.new_log()
    a = web.get("/when.xml")
    is_((a.status, "secret" in a.text), (500, False), "GPUXMLWhen that cannot be evaluated: the source is not shown")
    like("".join(web.new_log("GX01", 1)), "GX0105: .*GPUXMLWhen", "... and the log says why")
done()
