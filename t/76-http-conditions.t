#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions and ranges where the filter steps aside, behind redirects inside httpd and behind mod_cache, which keeps
pages as they were sent and finds them fresh again by our ETag."""
import os
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

XSL = sheet('<xsl:output method="html" encoding="UTF-8"/><xsl:template match="/"><html><i><xsl:value-of '
            'select="."/></i></html></xsl:template>')
HTML = "text/html; charset=UTF-8"


def other(r):
    seen.append([name for name in ("Range", "If-None-Match", "If-Modified-Since") if name in r.headers])
    xml = "xml" in r.path
    whole, type = (b"<a>secret%s</a>" % (b"x" * 990), "text/xml") if xml else (b"P" * 1000, "image/png")
    if "knows" in r.path and ("If-None-Match" in r.headers or "If-Modified-Since" in r.headers):
        return answer(r, b"", type, 304, ETag='"img"')
    if "feed" in r.path and "A-IM" in r.headers and "If-None-Match" in r.headers:
        return answer(r, b"<a>new</a>", type, 226, ETag='"img"', IM="feed")
    if "unasked" in r.path:
        return answer(r, b"<a>new</a>", type, 226, ETag='"img"', IM="feed")
    if r.headers.get("Range") == "bytes=3-8":
        return answer(r, whole[3:9], type, 206, ETag='"img"', Content_Range="bytes 3-8/1000")
    if "stream" in r.path:
        r.send_response(200)
        r.send_header("Content-Type", type)
        r.send_header("Connection", "close")
        r.end_headers()
        for i in range(0, len(whole), 250):
            r.wfile.write(whole[i:i + 250])
            r.wfile.flush()
            time.sleep(0.05)
        r.close_connection = True
        return
    answer(r, whole, type, ETag='"img"', Last_Modified=DATE)


# what goes out as it came: the conditions are about that
DATE = "Mon, 01 Jan 2024 00:00:00 GMT"
seen = []
back = Backend(other)
web = Httpd("conditions", """
GPUXMLEngine cpu
ProxyPass /p/ http://127.0.0.1:%d/
ProxyPass /pi/ http://127.0.0.1:%d/
AddType image/png .png
SetEnvIf X-Raw . no-gpuxml
RewriteEngine On
<LocationMatch ^/(?!pi/)>
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLWhen "%%{HTTP:Accept} =~ m#^text/html#"
</LocationMatch>
<Location /pi/>
    GPUXMLStylesheetPI prefer
</Location>
<Directory @ROOT@/htdocs/inner>
    RewriteEngine On
    RewriteBase /inner/
    RewriteRule ^(a\\..*)$ /$1 [L]
</Directory>
LogFormat "%%U %%{Range}i" range
CustomLog "@ROOT@/logs/range.log" range
""" % (back.port, back.port))
web.put("conf/xsl/a.xsl", XSL)
web.put("htdocs/a.xml", "<a>one</a>")
web.put("htdocs/a.png", b"P" * 1000)
web.put("htdocs/inner/x", "")
web.cgi("redirect", "#!/bin/sh\nprintf 'Location: /a.xml\\r\\n\\r\\n'\n")
web.cgi("feed", "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\nETag: \"feed\"\\r\\n\\r\\n<a>'\nfor i in 1 2 3; do "
                "sleep 0.1; echo $i; done\necho '</a>'\n")
web.cgi("asks", "#!/bin/sh\n[ \"$HTTP_IF_NONE_MATCH\" = '\"feed\"' ] && printf 'Status: 304 Not Modified\\r\\nETag: "
                "\"feed\"\\r\\n\\r\\n' && exit\n"
        "printf 'Content-Type: text/xml\\r\\nETag: \"feed\"\\r\\n\\r\\n<a>x</a>'\n")
web.cgi("other", "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\nx'\n")
os.utime(web.path("htdocs/a.xml"), (1e9, 1e9))
os.utime(web.path("htdocs/a.png"), (1e9, 1e9))
with web:
    page, raw, image = web.get("/a.xml", Accept="text/html"), web.get("/a.xml"), web.get("/a.png")
    ok(raw.text == "<a>one</a>" and raw["etag"] != page["etag"] and raw["last-modified"],
       "GPUXMLWhen false: the file, with its own validators")
    for fields in ({"If-None-Match": raw["etag"]}, {"If-Modified-Since": raw["last-modified"]}):
        a = ask(web.port, "/a.xml", headers=fields)
        is_((a.status, a.body, a["etag"], a["vary"]), (304, b"", raw["etag"], "X-Raw,Accept"),
            "... and 304 by " + list(fields)[0])
    is_(web.get("/a.xml", If_None_Match=page["etag"]).status, 200, "... but not by the page's ETag")
    is_(web.get("/a.xml", Accept="text/html", If_None_Match=raw["etag"]).text, page.text,
        "... nor the page by the file's")
    is_(web.get("/a.xml", Accept="text/html", If_Modified_Since=raw["last-modified"]).text, page.text,
        "... or by its time")
    is_(web.get("/a.xml", If_Match='"other"').status, 412, "... If-Match")
    a = web.get("/cgi-bin/asks", If_None_Match='"feed"')
    is_((a.status, a.body, a["vary"]), (304, b"", "X-Raw,Accept"),
        "a program that answers a condition itself does, where GPUXMLWhen is false")
    a = web.get("/cgi-bin/asks", If_None_Match='"feed"', Accept="text/html")
    is_((a.status, a["vary"]), (200, "X-Raw,Accept"), "... but not about the page")
    is_(web.get("/cgi-bin/asks", If_None_Match=a["etag"], Accept="text/html").status, 304, "... of which we know")
    is_(web.get("/cgi-bin/other", If_None_Match='"x"')["vary"], None, "what is no XML does not vary")
    a = web.get("/cgi-bin/feed", If_None_Match='"feed"')
    is_((a.status, a.body), (304, b""), "a program's source: 304 by its ETag")
    like(web.access("/cgi-bin/feed")[0], "^304 .* state=bypass code=when", "... and the access log knows")
    for fields in ({"If-None-Match": '"img"'}, {"If-Modified-Since": DATE}):
        for path in "/p/a.png", "/p/knows.png":
            a = ask(web.port, path, headers=fields)
            is_((a.status, a.body, a["etag"], a["vary"], seen[-1]), (304, b"", '"img"', None, list(fields)),
                "a back end's image, %s: it sees the condition, 304 by %s" % (path, list(fields)[0]))
        a = ask(web.port, "/p/image", headers=dict(fields, Accept="text/html"))
        is_((a.status, a.body, seen[-1]), (304, b"", []), "... what may be XML: it does not")
        for path in "/p/xml", "/p/knows.xml":
            a = ask(web.port, path, headers=fields)
            is_((a.status, a.body, a["etag"], a["vary"], seen[-1]), (304, b"", '"img"', "X-Raw,Accept", list(fields)),
                "... unless GPUXMLWhen is false, %s" % path)
            a = ask(web.port, "/p/knows.xml", headers=dict(fields, **{"Accept": "text/html", "X-Raw": "1"}))
            is_((a.status, seen[-1]), (304, list(fields)), "... likewise where no-gpuxml says so")
    whole = web.get("/p/xml.png", Accept="text/html")
    a = web.get("/p/xml.png", Accept="text/html", If_None_Match=whole["etag"])
    is_((a.status, a["etag"], seen[-1]), (304, whole["etag"], ["If-None-Match"]),
        "... XML that pretends to be an image: by the page's ETag")

    for path, accept in (("/p/stream.png", "text/html"), ("/p/stream.png", "*/*"), ("/pi/stream.png", "*/*"),
                         ("/pi/stream", "*/*")):
        a = web.get(path, Accept=accept, Range="bytes=3-8", If_Range='"img"')
        is_((a.status, a.body, a["content-range"], seen[-1]), (206, b"PPPPPP", "bytes 3-8/1000", ["Range"]),
            "a range of what a back end streams: " + path)
    a = web.get("/p/stream", Range="bytes=3-8")
    is_((a.status, len(a.body), seen[-1]), (200, 1000, []), "... of what may be XML: all of it")
    whole = web.get("/p/xml", Accept="text/html")
    for path in ("/p/xml", "/p/stream.xml"):
        a = web.get(path, Accept="text/html", Range="bytes=3-8")
        is_((a.status, a.body, seen[-1]), (206, whole.body[3:9], []),
            "a range of XML that a back end sends is the page's: " + path)
    web.new_log()
    a = web.get("/p/xml.png", Accept="text/html", Range="bytes=3-8")
    is_((a.status, b"secret" in a.body, a["content-range"], seen[-1]), (502, False, None, ["Range"]),
        "... a part of XML that pretends to be none")
    like("".join(web.new_log("GX01", 1)), "GX0120: source is a part of a document .class source",
         "... is an error of the source")
    a = web.get("/p/xml.png", Range="bytes=3-8")
    is_((a.status, a.body, a["vary"]), (206, b"secret", "X-Raw,Accept"), "... unless GPUXMLWhen is false")
    a = web.get("/p/xml.png", Accept="text/html", Range="bytes=3-8,10-11")
    is_((a.status, whole.body[3:9] in a.body, b"secret" in a.body, seen[-1]), (206, True, False, []),
        "... several parts are the page's")
    a = web.get("/p/xml.png", Accept="text/html", Range="bytes=0-2", If_Range=whole["etag"])
    is_((a.status, a.body), (206, whole.body[:3]), "... a back end that answers with the whole: a part of the page")
    is_(web.get("/pi/xml", Range="bytes=3-8").status, 206, "GPUXMLStylesheetPI alone: a part of XML passes")

    new = {"If_None_Match": '"old"', "A_IM": "feed"}
    a = web.get("/p/feed.xml", **new)
    is_((a.status, a.text, a["im"]), (226, "<a>new</a>", "feed"), "226: a feed reader gets what is new")
    a = web.get("/p/feed.xml", Accept="text/html", **new)
    is_((a.status, a["im"], "secret" in a.text), (200, None, True), "... a page is of the whole")
    time.sleep(1.1)     # else a repeat
    web.new_log()
    a = web.get("/p/unasked.xml", Accept="text/html")
    is_((a.status, a["im"]), (502, None), "... and of what is new none is made")
    like("".join(web.new_log("GX01", 1)), "GX0120: ", "... but an error of the source")
    is_(web.get("/pi/unasked.xml").status, 226, "... GPUXMLStylesheetPI alone: it passes")

    a = web.get("/inner/a.xml", Accept="text/html", If_None_Match=page["etag"])
    is_((a.status, a.body), (304, b""), "behind a RewriteRule of a directory: 304")
    a = web.get("/inner/a.xml", Accept="text/html", Range="bytes=0-5")
    is_((a.status, a.body), (206, page.body[:6]), "... and a range")
    is_(web.get("/inner/a.png", If_None_Match=image["etag"]).status, 304, "... 304 also for what is no XML")
    a = web.get("/inner/a.png", Range="bytes=0-9")
    is_((a.status, a.body), (206, b"P" * 10), "... and a range of that")
    a = web.get("/cgi-bin/redirect", Accept="text/html", If_None_Match=page["etag"])
    is_((a.status, a.body), (304, b""), "behind a program's Location: 304")
    web.get("/none.xml", Range="bytes=0-9")
    time.sleep(0.1)
    like(open(web.path("logs/range.log")).read(), r"(?m)^/none\.xml bytes=0-9$",
         "the access log has the headers back when the handler ends with an error")
    is_(web.new_log("error"), [], "nothing in the error log")

word = ["one"]
asked = []


def backend(r):
    asked.append(r.path)
    answer(r, b"<a>%s</a>" % word[0].encode(), ETag='"%s"' % word[0], Cache_Control="max-age=1000")


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
        is_(web.get("/p/a.xml", If_None_Match=a["etag"]).status, 304, t + "... 304 from the cache")
        c = web.get("/p/a.xml", Range="bytes=0-5")
        is_((c.status, c.body, len(asked)), (206, a.body[:6], n), t + "... and a range")
        a = web.get("/p/a.xml", Cache_Control="max-age=0")     # as if it were stale, without waiting for it
        is_((len(asked), a.text, (a["x-cache"] or "")[:10], a["content-type"]), (n + 1, b.text, "REVALIDATE", HTML),
            t + "stale: it is fresh again")
        is_(web.get("/p/a.xml")["content-type"], HTML, t + "... and has kept its type")
        is_(web.get("/p/a.xml", Cache_Control="max-age=0", If_None_Match=a["etag"]).status, 304,
            t + "... 304 for the client, too")
        word[0] = "two"
        like(web.get("/p/a.xml", Cache_Control="max-age=0").text, "<i>two</i>", t + "another source, another page")
done()
