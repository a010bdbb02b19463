#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents of programs and back ends kept (GPUXMLCache): known by their bytes, from their second time on; the same
answers as without."""
import gzip
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

SHOW = '<xsl:output method="text"/><xsl:param name="p" select="0"/>' \
       '<xsl:template match="/"><xsl:value-of select="count(//text())"/>:' \
       '<xsl:value-of select="concat($p, \':\', /a)"/></xsl:template>'
HOLDS = 1 << 20             # an eighth of 8M: what is longer is not collected
body, type, coding, declared = {}, {}, {}, {}       # what the back end says, by path


def backend(r):
    name = r.path.split("?")[0]
    if "X-Sent" in r.headers:           # a chunked answer that ends in the middle
        r.send_response(200)
        r.send_header("Content-Type", "text/xml")
        r.send_header("Transfer-Encoding", "chunked")
        r.end_headers()
        r.wfile.write(b"%x\r\n%s\r\n" % (len(body[name]), body[name]))
        r.close_connection = True
        return
    headers = {"Content_Encoding": coding[name]} if name in coding else {}
    if name in declared:
        r.send_response(200)
        r.send_header("Content-Type", "text/xml")
        r.send_header("Content-Length", str(declared[name]))
        r.end_headers()
        r.wfile.write(body[name])
        r.close_connection = True
        return
    answer(r, body[name], type=type.get(name, "text/xml"), **headers)


def conf(cache, more=""):
    return """
ServerLimit 1
MaxRequestWorkers 25
GPUXMLCache %s
GPUXMLStylesheetRoot conf/xsl htdocs
<Location "/a">
    GPUXMLStylesheet conf/xsl/show.xsl
    GPUXMLParam p "%%{QUERY_STRING}"
</Location>
<Location "/b">
    GPUXMLStylesheet conf/xsl/strip.xsl
</Location>
<Location "/few">
    GPUXMLStylesheet conf/xsl/show.xsl
    GPUXMLLimit nodes=3
</Location>
<Location "/pi">
    GPUXMLStylesheetPI prefer
</Location>
<Location "/pass">
    GPUXMLStylesheet conf/xsl/stop.xsl
    GPUXMLOnError sheet=pass
</Location>
<Location "/cgi-bin">
    GPUXMLStylesheet conf/xsl/show.xsl
</Location>
<Location "/status">
    SetHandler gpuxml-status
</Location>
ProxyPass "/a" "http://127.0.0.1:%d"
ProxyPass "/b" "http://127.0.0.1:%d"
ProxyPass "/few" "http://127.0.0.1:%d"
ProxyPass "/pi" "http://127.0.0.1:%d"
ProxyPass "/pass" "http://127.0.0.1:%d"
%s
""" % ((cache,) + (back.port,) * 5 + (more,))


def setup(name, cache, **more):
    web = Httpd(name, conf(cache), **more)
    web.put("conf/xsl/show.xsl", sheet(SHOW))
    web.put("conf/xsl/strip.xsl", sheet('<xsl:strip-space elements="*"/>' + SHOW))
    web.put("htdocs/s.xsl", sheet('<xsl:strip-space elements="*"/>' + SHOW))
    web.put("conf/xsl/stop.xsl", sheet('<xsl:template match="/"><xsl:message '
                                       'terminate="yes">no</xsl:message></xsl:template>'))
    web.cgi("same", "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\n\\r\\n<a> <b>cgi</b> </a>'\n")
    web.cgi("bytes", "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\n\\r\\n'\nfor c in '<' a '>' 1 2 3 '<' / a '>'; do "
                     "printf %s \"$c\"; sleep 0.02; done\n")
    web.cgi("half", "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\n\\r\\n<a> <b>cg'\n")
    return web


def counted(web, *paths, **headers):
    """The answers, and by how much hits, misses and bytes grew."""
    before = status(web)
    answers = [web.get(path, **headers) for path in paths]
    after = status(web)
    return answers, tuple(after[k] - before[k] for k in ("CacheHits", "CacheMisses", "CacheBytes"))


def same(a, b):
    keys = ("ETag", "Content-Type", "Content-Length")
    return (a.status, a.body, [a[k] for k in keys]) == (b.status, b.body, [b[k] for k in keys])


back = Backend(backend)
body["/x"] = b"<a> <b>one</b> </a>"
body["/long"] = b"<a>%s</a>" % (b"<b>text</b>" * (HOLDS // 11 + 100))
body["/longbad"] = body["/long"] + b"\n<c/>"
body["/bad"] = b"<a>\n <b>\n  </c></a>"
body["/latin"] = body["/utf"] = "<a>\u00e9</a>".encode()
type["/latin"] = "text/xml; charset=iso-8859-1"
body["/pi"] = b'<?xml-stylesheet type="text/xsl" href="/s.xsl"?><a> <b>one</b> </a>'
body["/zip"] = gzip.compress(body["/x"])
coding["/zip"] = coding["/cutzip"] = "gzip"
body["/cutzip"] = body["/zip"][:-12]
body["/cut"], declared["/cut"] = b"<a>whole?</a>", 100
body["/none"] = b""

with setup("cache-bytes", "8M") as web:
    answers, n = counted(web, "/a/x", "/a/x")
    is_(([a.text for a in answers], n[:2]), (["3:: one "] * 2, (0, 2)), "the first two times: parsed")
    ok(n[2] > 0, "... and kept then")
    answers, n = counted(web, "/a/x")
    is_(n, (1, 0, 0), "the third time: a hit")
    first = web.get("/a/x")
    ok(same(answers[0], first) and same(first, web.get("/a/x")), "the same page, ETag, type and length")
    is_(web.get("/a/x", If_None_Match=first["ETag"]).status, 304, "a condition is answered")
    is_((web.get("/a/x", "HEAD").status, counted(web, "/a/x")[1]), (200, (1, 0, 0)), "HEAD")
    answers, n = counted(web, "/a/x?q")
    is_((answers[0].text, n), ("3:q: one ", (1, 0, 0)), "another parameter: another page of the same document")
    answers, n = counted(web, *["/b/x"] * 3)
    is_(([a.text for a in answers], n[:2]), (["1:0:one"] * 3, (1, 2)), "other strip-space rules: another document")
    answers, n = counted(web, *["/few/x"] * 3)
    is_(([a.status for a in answers], n[0]), ([502] * 3, 0), "lower limits: another document, refused each time")

    wrong = 0
    for i in range(60):
        body["/x"] = b"<a> <b>%s</b> </a>" % (b"one", b"two", b"six")[i % 3]
        wrong += web.get("/a/x").body != b"3:: %s " % (b"one", b"two", b"six")[i % 3]
    is_(wrong, 0, "three sources of one length in turn: each page is of what the back end says now")
    is_(counted(web, "/a/x")[1], (1, 0, 0), "... and all are kept")

    is_([web.get("/a/" + n).text for n in ("utf", "latin") * 4], ["1::\u00e9", "1::\u00c3\u00a9"] * 4,
        "the same bytes in another charset")
    answers, n = counted(web, *["/pi/pi"] * 4)
    is_(([a.text for a in answers], n), (["1:0:one"] * 4, (4, 4, n[2])),
        "the stylesheet of a PI: two documents, of its rules and of none")
    answers, n = counted(web, *["/pass/x"] * 4)
    is_([(a.status, a.body) for a in answers], [(200, body["/x"])] * 4,
        "GPUXMLOnError sheet=pass: the source, also when it is kept")

    answers, n = counted(web, *["/cgi-bin/same"] * 4)
    is_(([a.text for a in answers], n[:2]), (["3:0: cgi "] * 4, (2, 2)), "a CGI program")
    is_((web.get("/cgi-bin/same", "POST").text, counted(web, "/cgi-bin/same")[1][0]), ("3:0: cgi ", 1), "... POST")
    parse_us = status(web)["ParseUs"]
    answers, n = counted(web, *["/cgi-bin/bytes"] * 3)
    is_(([a.text for a in answers], n[:2]), (["1:0:123"] * 3, (1, 2)), "... that writes byte by byte")
    parse_us = status(web)["ParseUs"] - parse_us
    ok(parse_us < 200000, "... half a second's waiting for it is no parsing") or diag(parse_us)
    answers, n = counted(web, *["/cgi-bin/half"] * 4)
    is_(([a.status for a in answers], n[0], n[2]), ([502] * 4, 0, 0), "... that ends too early: an error each time")
    answers, n = counted(web, *["/a/zip"] * 4)
    is_(([a.text for a in answers], n[:2]), (["3:: one "] * 4, (2, 2)), "gzip")
    answers, n = counted(web, *["/a/cutzip"] * 4)
    is_(([a.status for a in answers], n[0], n[2]), ([502] * 4, 0, 0), "... cut: an error each time")

    web.new_log()
    answers, n = counted(web, *["/a/bad"] * 4)
    time.sleep(1.1)
    answers.append(web.get("/a/bad"))
    is_(([a.status for a in answers], n[0], n[2]), ([502] * 5, 0, 0), "malformed: an error each time, never kept")
    lines = ["".join(re.findall(r"GX0107: .*?\[", line)) for line in web.new_log("GX0107", 1)]
    ok(len(lines) >= 2 and len(set(lines)) == 1 and " 3:5: " in lines[0],
       "... the same one, with its line") or diag(lines)

    answers, n = counted(web, *["/a/cut"] * 4)
    is_(([a.status for a in answers], n), ([502] * 4, (0, 0, 0)),
        "well-formed, but shorter than announced: an error, not even remembered")
    body["/chunks"] = body["/cut"]
    answers, n = counted(web, *["/a/chunks"] * 4, X_Sent="half")
    is_(([a.status for a in answers], n), ([502] * 4, (0, 0, 0)), "chunks without end: likewise")
    del declared["/cut"]
    answers, n = counted(web, *["/a/cut"] * 4)
    is_(([a.text for a in answers], n[:2]), (["1::whole?"] * 4, (2, 2)),
        "the whole of it then: parsed, parsed and kept, found")
    answers, n = counted(web, *["/a/none"] * 3)
    is_(([a.status for a in answers], n), ([502] * 3, (0, 0, 0)), "nothing at all")

    answers, n = counted(web, *["/a/long"] * 3)
    ok(all(a.status == 200 and len(a.body) > HOLDS // 11 * 4 for a in answers), "one that is too long to be collected")
    is_(n, (0, 0, 0), "... goes to the parser as it comes")
    web.new_log()
    is_(web.get("/a/longbad").status, 502, "... with an error behind the part that was collected")
    like("".join(web.new_log("GX0107", 1)), ": 2:1: a second document element", "... at the right place")

    # what is asked for once leaves no trace but in a small table
    before = status(web)["CacheBytes"]
    for i in range(300):
        body["/once%d" % i] = b"<a>%d%s</a>" % (i, b"<b>text</b>" * 500)
        web.get("/a/once%d" % i)
    s = status(web)
    is_(s["CacheBytes"], before, "300 documents that are asked for once: not kept")
    is_(counted(web, "/cgi-bin/same")[1], (1, 0, 0), "... and what was kept still is")

    for i in range(40):
        body["/big%d" % i] = b"<a>%d%s</a>" % (i, b"<b>text</b>" * 9000)
    good, largest = [], [0]

    def client(seed):
        for i in range(60):
            k = (seed * 7 + i // 3) % 40
            good.append(web.get("/a/big%d" % k).text == "9001::%d%s" % (k, "text" * 9000))
            if i % 10 == 0:
                largest[0] = max(largest[0], status(web)["CacheBytes"])

    at_once(6, client)
    s = status(web)
    ok(len(good) == 360 and all(good), "6 clients, more documents than there is room for: all pages right")
    ok(4 << 20 < max(largest[0], s["CacheBytes"]) <= 8 << 20, "never more than the budget") or diag(s["CacheBytes"])
    is_(counted(web, *["/a/big1"] * 3)[1][0] > 0, True, "and still in use")

for name, cache in (("files", "8M files"), ("off", "off")):
    with setup("cache-bytes-" + name, cache) as web:
        answers, n = counted(web, *["/a/x"] * 4)
        is_(([a.status for a in answers], n), ([200] * 4, (0, 0, 0)), "GPUXMLCache " + cache)
        ok(same(answers[0], answers[3]), "... the same page")
        is_(web.get("/a/x")["ETag"], answers[0]["ETag"], "... and ETag")

if os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    web = setup("cache-bytes-worker", "8M")
    web.conf += "GPUXMLEngine worker\n"
    with web:
        wrong = 0
        for i in range(30):
            body["/x"] = b"<a> <b>%s</b> </a>" % (b"one", b"two", b"six")[i % 3]
            wrong += web.get("/a/x").body != b"3:: %s " % (b"one", b"two", b"six")[i % 3]
        s = status(web)
        is_((wrong, s["ByWorker"], s["CacheHits"]), (0, 30, 24), "the worker evaluates what is kept")

for bad in ("8M all", "off files", "8M files 1", "files"):
    code, text = Httpd("cache-conf", conf(bad)).test()
    ok(code != 0 and "GPUXMLCache" in text, "GPUXMLCache %s is refused" % bad)
done()
