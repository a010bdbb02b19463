#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""{GET, HEAD, If-None-Match, Range, chunked, empty, gzip, error} x {static, CGI, proxy} x {event, worker, prefork}: the
same bytes everywhere, with headers that describe them."""
import gzip
import os
import struct
import sys
import zlib
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

XML = b'<?xml version="1.0"?>\n<list><item n="1">one</item><item n="2">two &amp; \xc3\xa9</item></list>\n'
XSL = sheet('<xsl:output method="html" encoding="UTF-8"/><xsl:param name="lang"/>'
            '<xsl:template match="/"><html><body lang="{$lang}"><xsl:for-each select="list/item"><p><xsl:value-of '
            'select="@n"/>'
            '<xsl:text>:</xsl:text><xsl:value-of select="."/></p></xsl:for-each></body></html></xsl:template>')


def bare(bytes):
    z = zlib.compressobj(wbits=-15)
    return z.compress(bytes) + z.flush()


CODED = {"zlib.xml": (zlib.compress(XML), "deflate"), "bare.xml": (bare(XML), "deflate"),
         "old.xml": (gzip.compress(XML), "X-GZip"),
         "stored.xml": (b"\x01" + struct.pack("<HH", len(XML), len(XML) ^ 0xffff) + XML, "deflate"),
         "listed.xml": (gzip.compress(XML), "identity, gzip ,"),
         "parts.xml": (gzip.compress(XML[:20]) + gzip.compress(XML[20:]), "gzip"),
         "twice.xml": (gzip.compress(gzip.compress(XML)), "gzip, gzip"), "cutoff.xml": (bare(XML)[:-9], "deflate"),
         "lie.xml": (XML, "gzip")}


def backend(r):
    path = r.path.rsplit("/", 1)[1]
    if path == "a.xml":
        return answer(r, XML, ETag='"source"', Last_Modified="Mon, 01 Jan 2024 00:00:00 GMT",
                      Cache_Control="max-age=60")
    if path == "ranged.xml" and r.headers["Range"]:
        return answer(r, XML[:10], status=206, Content_Range="bytes 0-9/%d" % len(XML))
    if path == "gzip.xml":
        return answer(r, gzip.compress(XML), Content_Encoding="gzip")
    if path in CODED:
        bytes, coding = CODED[path]
        return answer(r, bytes, Content_Encoding=coding)
    if path == "brotli.xml":
        return answer(r, XML, Content_Encoding="br")
    if path.startswith("chosen."):
        asked = r.headers["Accept-Encoding"] or "nothing"
        if path == "chosen.css":
            return answer(r, asked.encode(), "text/css")
        return answer(r, b"<list>br</list>" if "br" in asked else gzip.compress(XML) if "gzip" in asked else XML,
                      Content_Encoding="br" if "br" in asked else "gzip" if "gzip" in asked else "identity")
    if path == "made.xml":
        return answer(r, b"<a><b></a>", status=201)
    if path == "empty.xml":
        return answer(r, b"")
    if path == "none.xml":
        return answer(r, b"", status=204)
    if path == "notfound.xml":
        return answer(r, XML, status=404)
    if path in ("chunked.xml", "cut.xml", "cutwhole.xml"):
        r.send_response(200)
        r.send_header("Content-Type", "application/xml; charset=utf-8")
        r.send_header("Transfer-Encoding", "chunked")
        r.end_headers()
        for i in range(0, len(XML), 7):
            r.wfile.write(b"%x\r\n%s\r\n" % (len(XML[i:i + 7]), XML[i:i + 7]))
            r.wfile.flush()
            if path == "cut.xml" and i > 30:
                break
        # what is whole keeps it: else the proxy may use it again just before it is gone
        r.close_connection = path != "chunked.xml"
        if path == "chunked.xml":
            r.wfile.write(b"0\r\n\r\n")
        return
    if path == "short.xml":         # says more than it sends, and what it sends is well-formed
        r.send_response(200)
        r.send_header("Content-Type", "text/xml")
        r.send_header("Content-Length", str(len(XML) + 100))
        r.end_headers()
        r.wfile.write(XML)
        r.close_connection = True
        return
    answer(r, XML)


CGI = """#!/bin/sh
case $PATH_INFO in
/empty.xml) printf 'Content-Type: text/xml\\r\\n\\r\\n' ;;
/none.xml) printf 'Status: 204\\r\\n\\r\\n' ;;
/notfound.xml) printf 'Status: 404\\r\\nContent-Type: text/xml\\r\\n\\r\\n'; cat %(file)s ;;
/gzip.xml) printf 'Content-Type: text/xml\\r\\nContent-Encoding: gzip\\r\\n\\r\\n'; cat %(file)s.gz ;;
/short.xml) printf 'Content-Type: text/xml\\r\\nContent-Length: 1000\\r\\n\\r\\n'; cat %(file)s ;;
/long.xml) printf 'Content-Type: text/xml\\r\\nContent-Length: 10\\r\\n\\r\\n'; cat %(file)s ;;
/gzipshort.xml) printf 'Content-Type: text/xml\\r\\nContent-Encoding: gzip\\r\\nContent-Length: 1000\\r\\n\\r\\n'; cat %(file)s.gz ;;
/made.xml) printf 'Status: 201 Made\\r\\nContent-Type: text/xml\\r\\n\\r\\n<a><b></a>' ;;
/bad.xml) printf 'Content-Type: text/xml\\r\\n\\r\\n<a><b></a>' ;;
*) printf 'Content-Type: text/xml\\r\\nCache-Control: max-age=60\\r\\nETag: "source"\\r\\n\\r\\n'; cat %(file)s ;;
esac
"""

CONF = """
ProxyPass "/proxy/" "http://127.0.0.1:%d/"
Alias "/set/" "@ROOT@/htdocs/"
Alias "/plain/" "@ROOT@/htdocs/"
Alias "/deflate/" "@ROOT@/htdocs/"
<LocationMatch "^/(static|cgi-bin|proxy|set|deflate)/">
    GPUXMLStylesheet conf/xsl/list.xsl
    GPUXMLParam lang "%%{HTTP:Accept-Language}"
    ErrorDocument 502 "/error.html"
</LocationMatch>
SetEnv ap_trust_cgilike_cl
<Location "/set/">
    SetOutputFilter GPUXSLT
</Location>
<Location "/deflate/">
    SetOutputFilter DEFLATE
</Location>
Alias "/static/" "@ROOT@/htdocs/"
AddType text/css .css
"""

page = None
for mpm in ("event", "worker", "prefork"):
    back = Backend(backend)
    web = Httpd("matrix-" + mpm, CONF % back.port, mpm, level="debug")       # every line, repeats too
    web.put("conf/xsl/list.xsl", XSL)
    for name in ("a.xml", "ranged.xml"):
        web.put("htdocs/" + name, XML)
    web.put("htdocs/empty.xml", "")
    web.put("htdocs/bad.xml", "<a>\n<b></a>")
    web.put("htdocs/a.txt", "text")
    web.put("htdocs/error.html", "our own error page")
    web.put("htdocs/page.shtml.xml", "<a/>")
    web.cgi("x.sh", CGI % {"file": web.path("htdocs/a.xml")})
    web.put("htdocs/a.xml.gz", gzip.compress(XML))
    with web:
        ways = {"static": "/static/", "cgi": "/cgi-bin/x.sh/", "proxy": "/proxy/", "set": "/set/"}
        for way, base in ways.items():
            t = "%s %s: " % (mpm, way)
            a = web.get(base + "a.xml", Accept_Language="eo")
            page = page or a.body
            is_(a.status, 200, t + "GET")
            is_(a.body, page, t + "the same bytes as everywhere")
            like(a.text, r"two &amp; .*é", t + "the source's text is in the page")
            is_(a["content-type"], "text/html; charset=UTF-8", t + "content type and charset")
            is_(a["content-length"], str(len(page)), t + "content length")
            is_(a["vary"], "Accept-Language", t + "Vary names the header that the parameter reads")
            ok(a["last-modified"] is None and a["etag"] not in (None, '"source"'), t + "validators are ours")
            if way in ("cgi", "proxy"):
                is_(a["cache-control"], "max-age=60", t + "Cache-Control is kept")
            b = web.get(base + "a.xml", Accept_Language="fr")
            ok(b["etag"] != a["etag"], t + "another parameter, another ETag")
            b = web.get(base + "a.xml", Accept_Language="eo", If_None_Match=a["etag"])
            is_((b.status, b.body, b["etag"]), (304, b"", a["etag"]), t + "If-None-Match")
            b = web.get(base + "a.xml", Accept_Language="eo", If_None_Match='"source"')
            is_((b.status, b.body), (200, page), t + "If-None-Match with the source's ETag")
            b = web.get(base + "a.xml", Accept_Language="eo", If_Modified_Since="Sun, 01 Jan 2040 00:00:00 GMT")
            is_((b.status, b.body), (200, page), t + "If-Modified-Since: the stylesheet may be newer")
            b = web.get(base + "a.xml", Accept_Language="eo", If_Match='"other"')
            is_(b.status, 412, t + "If-Match")
            b = web.get(base + "ranged.xml", Accept_Language="eo", Range="bytes=6-15")
            is_((b.status, b.body), (206, page[6:16]), t + "Range is of the page, not of the source")
            b = web.get(base + "a.xml", Accept_Language="eo", Range="bytes=6-15", If_Range=a["etag"])
            is_((b.status, b.body), (206, page[6:16]), t + "If-Range with our ETag")
            b = web.get(base + "a.xml", Accept_Language="eo", Range="bytes=6-15", If_Range='"source"')
            is_((b.status, b.body), (200, page), t + "If-Range with another")
            b = web.get(base + "a.xml", "HEAD", Accept_Language="eo")
            is_((b.status, b.body, b["content-type"]), (200, b"", "text/html; charset=UTF-8"), t + "HEAD")
            if way != "proxy":
                is_((b["etag"], b["content-length"]), (a["etag"], a["content-length"]), t + "HEAD has GET's headers")
            else:
                is_((b["etag"], b["last-modified"]), (None, None),
                    t + "HEAD without a body claims nothing of the source")
            web.new_log()
            b = web.get(base + "empty.xml")
            is_((b.status, b.text), (502, "our own error page"), t + "empty source")
            like(web.access(base + "empty.xml")[-1], "^502 .* state=error code=GX0101 .*sheet=list.xsl",
                 t + "... and the access log says so")
            is_(len(web.new_log(r"^(?!.*GX0153).*GX0101", 1)), 1, t + "one line in the log")
            if way in ("cgi", "proxy"):
                b = web.get(base + "none.xml")
                is_((b.status, b.body), (204, b""), t + "204 passes")
                b = web.get(base + "notfound.xml")
                is_((b.status, b.body, b["content-type"]), (404, XML, "text/xml"), t + "404 passes as it is")
                b = web.get(base + "made.xml")
                is_((b.status, b.text), (502, "our own error page"), t + "201 that fails has its ErrorDocument, too")
                web.new_log()
                b = web.get(base + "gzip.xml", Accept_Language="eo")
                is_((b.status, b.body, b["content-encoding"]), (200, page, None), t + "gzip source")
            if way != "proxy":
                b = web.get(base + "bad.xml")
                is_((b.status, b.text), (502, "our own error page"), t + "malformed source: status and ErrorDocument")
                lines = web.new_log(r"^(?!.*GX0153).*GX0107", 1)
                is_(len(lines), 1, t + "one line in the log")
                like("".join(lines), r"GX0107: source not well-formed: .*:\d+.*class source, sheet list.xsl",
                     t + "with class and place")
            if way in ("static", "set"):
                web.new_log()
                is_(web.get(base + "a.txt").text, "text", t + "another type passes")
                like("".join(web.new_log("GX0150", 1)), r"GX0150: not transformed: type \(status 200, text/plain\)",
                     t + "... and LogLevel debug says why")
        for path in ("chunked.xml",):
            is_(web.get("/proxy/" + path, Accept_Language="eo").body, page, mpm + " proxy: chunked")
        for path in ("cut.xml", "cutwhole.xml", "short.xml"):
            web.new_log()
            b = web.get("/proxy/" + path)
            is_((b.status, b.text), (502, "our own error page"), mpm + " proxy: back end breaks off, " + path)
            is_(len(web.new_log(r"^(?!.*GX0153).*GX01", 1)), 1, mpm + " proxy: one line in the log")
        for path in ("short.xml", "gzipshort.xml"):
            web.new_log()
            b = web.get("/cgi-bin/x.sh/" + path)
            is_((b.status, b.text), (502, "our own error page"), mpm + " cgi: less than its Content-Length, " + path)
            like("".join(web.new_log(r"^(?!.*GX0153).*GX01", 1)),
                 r"GX0100: source ended with an error: \d+ bytes of its Content-Length, 1000 ",
                 mpm + " cgi: the log says how much")
        is_(web.get("/cgi-bin/x.sh/long.xml", Accept_Language="eo").body, page,
            mpm + " cgi: more than its Content-Length")
        for asked in ("gzip, deflate, br, zstd", "br", "br;q=1, gzip;q=0.5", "identity"):
            b = web.get("/proxy/chosen.xml", Accept_Language="eo", Accept_Encoding=asked)
            is_((b.status, b.body), (200, page),
                mpm + " proxy: the back end is asked for what we can read of: " + asked)
        is_(web.get("/proxy/chosen.css", Accept_Encoding="gzip, br").text, "gzip, br",
            mpm + " proxy: ... but not where the name is no XML's")
        for path in CODED:
            for _ in range(2):              # the second one may find its document kept
                b = web.get("/proxy/" + path, Accept_Language="eo")
                good = path not in ("twice.xml", "cutoff.xml", "lie.xml")
                is_((b.status, b.body), (200, page) if good else (502, b"our own error page"),
                    mpm + " proxy: Content-Encoding: " + CODED[path][1] + ", " + path)
        like("".join(web.new_log("GX0103", 1)), "GX0103: source cannot be decoded: it is neither gzip nor deflate "
                                                ".*lie.xml", mpm + " proxy: ... and the log says it")
        b = web.get("/proxy/brotli.xml")
        is_((b.status, b.text), (502, "our own error page"),
            mpm + " proxy: a coding we cannot read is no way around the stylesheet")
        like("".join(web.new_log("GX01", 1)), "GX0103: .*Content-Encoding br.*Accept-Encoding",
             mpm + " proxy: the log says what helps")
        b = web.get("/deflate/a.xml", Accept_Language="eo", Accept_Encoding="gzip")
        is_((b["content-encoding"], gzip.decompress(b.body) if b.body else b""), ("gzip", page),
            mpm + " DEFLATE after us")
        b = web.get("/deflate/bad.xml", Accept_Encoding="gzip")
        body = gzip.decompress(b.body) if b["content-encoding"] == "gzip" else b.body
        is_((b.status, body), (502, b"our own error page"), mpm + " DEFLATE: an error stays an error")
        is_(web.get("/plain/a.xml").body, XML, mpm + " without a directive: the source")
        like(web.access("/static/a.xml")[0], r"^200 .* state=done code=- engine=cpu sheet=list.xsl in=%d out=%d "
                                             r"nodes=\d+" % (len(XML), len(page)),
             mpm + " figures for the access log")
        like(web.access("/cgi-bin/x.sh/notfound.xml")[0], "state=bypass code=status", mpm + " reason in the access log")
        ok("[core:error]" not in web.log() and "exit signal" not in web.log(), mpm + " nothing else in the error log")
done()
