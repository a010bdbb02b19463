#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents kept (GPUXMLCache): the same page as without, never of an older state of the file, within the budget. Files
that are written while they are read."""
import os
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

COPY = sheet('<xsl:output method="text"/><xsl:template match="/"><xsl:value-of '
             'select="count(//text())"/>:<xsl:value-of select="/a"/></xsl:template>')
STRIP = sheet('<xsl:output method="text"/><xsl:strip-space elements="*"/><xsl:template match="/"><xsl:value-of '
              'select="count(//text())"/>:'
              '<xsl:value-of select="/a"/></xsl:template>')
NAMESPACES = sheet('<xsl:output method="text"/><xsl:template match="/"><xsl:value-of '
                   'select="count(//namespace::*)"/></xsl:template>')
LATER = 2.2     # seconds until a file is old enough to be kept


def conf(size):
    # one process: what one request leaves, the next one finds
    return """
ServerLimit 1
MaxRequestWorkers 25
GPUXMLCache %s
GPUXMLStylesheetRoot conf/xsl htdocs
<Location "/a">
    GPUXMLStylesheet conf/xsl/copy.xsl
</Location>
<Location "/b">
    GPUXMLStylesheet conf/xsl/strip.xsl
</Location>
<Location "/n">
    GPUXMLStylesheet conf/xsl/namespaces.xsl
</Location>
<Location "/pi">
    GPUXMLStylesheetPI prefer
</Location>
Alias "/b" "@ROOT@/htdocs/a"
Alias "/n" "@ROOT@/htdocs/a"
<Location "/status">
    SetHandler gpuxml-status
</Location>
""" % size


def setup(name, size):
    web = Httpd(name, conf(size))
    web.put("conf/xsl/copy.xsl", COPY)
    web.put("conf/xsl/strip.xsl", STRIP)
    web.put("conf/xsl/namespaces.xsl", NAMESPACES)
    return web


def in_place(path, text):
    """The same inode, and the modification time that it had."""
    st = os.stat(path)
    with open(path, "r+b") as f:
        f.write(text.encode())
    os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))


web = setup("cache", "8M")
path = web.put("htdocs/a/x.xml", "<a> <b>one</b> </a>")
web.put("htdocs/a/fresh.xml", "<a>0</a>")
web.put("htdocs/a/bad.xml", "<a>")
web.put("htdocs/pi/x.xml", '<?xml-stylesheet type="text/xsl" href="/s.xsl"?><a> <b>one</b> </a>')
web.put("htdocs/s.xsl", STRIP)
os.symlink("one.xml", web.path("htdocs/a/link.xml"))
web.put("htdocs/a/one.xml", "<a>ONE</a>")
web.put("htdocs/a/two.xml", "<a>TWO</a>")
os.utime(web.put("htdocs/a/future.xml", "<a>1</a>"), (time.time() + 100000,) * 2)
for i in range(60):
    web.put("htdocs/a/big%d.xml" % i, "<a>%s</a>" % ("<b>text</b>" * 6000))
with web:
    # a file as new as this is not kept: it may change again within its clock's tick
    stale = 0
    for i in range(200):
        in_place(web.path("htdocs/a/fresh.xml"), "<a>%d</a>" % (i % 10))
        stale += web.get("/a/fresh.xml").text != "1:%d" % (i % 10)
    is_(stale, 0, "written again and again in the same second, same size: every answer is of the newest state")
    is_(status(web)["CacheHits"], 0, "what has just been written is not kept")

    time.sleep(LATER)
    first = web.get("/a/x.xml")
    before = status(web)
    again = web.get("/a/x.xml")
    after = status(web)
    is_(first.text, "3: one ", "parsed")
    is_(again.raw.split(b"\r\n\r\n", 1)[1], first.raw.split(b"\r\n\r\n", 1)[1], "from the cache: the same bytes")
    is_((again["ETag"], again["Content-Type"], again["Content-Length"]),
        (first["ETag"], first["Content-Type"], first["Content-Length"]),
        "and the same headers")
    is_((after["CacheHits"] - before["CacheHits"], after["CacheMisses"] - before["CacheMisses"]), (1, 0),
        "counted as a hit")
    ok(after["CacheBytes"] > 0, "and its bytes")
    is_(web.get("/a/x.xml", If_None_Match=first["ETag"]).status, 304, "a condition is answered from it")
    is_(web.get("/a/x.xml", "HEAD").headers.get("content-length"), first["Content-Length"], "HEAD too")

    before = status(web)["CacheHits"]
    is_([web.get("/a/future.xml").text for _ in range(2)], ["1:1"] * 2, "a file from the future")
    is_(status(web)["CacheHits"], before + 1, "... is kept, too")
    in_place(web.path("htdocs/a/future.xml"), "<a>2</a>")
    is_(web.get("/a/future.xml").text, "1:2", "... and its change is seen")

    is_([web.get("/b/x.xml").text, web.get("/b/x.xml").text, web.get("/a/x.xml").text], ["1:one", "1:one", "3: one "],
        "other strip-space rules: another document of the same file")
    is_([web.get("/n/x.xml").text, web.get("/n/x.xml").text], ["2", "2"], "namespace nodes: another one")
    is_([web.get("/pi/x.xml").text, web.get("/pi/x.xml").text], ["1:one", "1:one"],
        "the stylesheet of a PI, whose rules come after the first parse")
    is_([web.get("/a/bad.xml").status, web.get("/a/bad.xml").status], [502, 502], "what cannot be parsed is not kept")

    in_place(path, "<a> <b>two</b> </a>")
    is_(web.get("/a/x.xml").text, "3: two ", "changed in place, same size, modification time set back: seen")
    web.get("/a/one.xml"), web.get("/a/one.xml")
    is_(web.get("/a/link.xml").text, "1:ONE", "through a link")
    os.symlink("two.xml", web.path("htdocs/a/link.new"))
    os.rename(web.path("htdocs/a/link.new"), web.path("htdocs/a/link.xml"))
    is_(web.get("/a/link.xml").text, "1:TWO", "the link leads elsewhere now: seen")
    stamp = os.stat(web.path("htdocs/a/one.xml"))
    web.put("htdocs/a/one.xml", "<a>NEW</a>")
    os.utime(web.path("htdocs/a/one.xml"), ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    is_(web.get("/a/one.xml").text, "1:NEW", "another file renamed over it, same size and time: seen")

    good, largest = [], [0]
    want = "6000:" + "text" * 6000

    def client(seed):
        for i in range(60):
            good.append(web.get("/a/big%d.xml" % ((seed * 7 + i) % 60)).text == want)
            if i % 10 == 0:
                largest[0] = max(largest[0], status(web)["CacheBytes"])

    at_once(12, client)
    s = status(web)
    ok(len(good) == 720 and all(good), "12 clients, more documents than there is room for: all pages right")
    ok(4 << 20 < max(largest[0], s["CacheBytes"]) <= 8 << 20, "never more than the budget")
    diag("CacheBytes %d of %d" % (s["CacheBytes"], 8 << 20))
    for _ in range(3):
        web.get("/a/big1.xml")
    ok(status(web)["CacheHits"] > s["CacheHits"], "and still in use")

    for pid in web.children():
        os.kill(pid, signal.SIGKILL)
    for _ in range(100):
        try:
            s = status(web)
            if not s["CacheBytes"]:
                break
        except (OSError, ValueError):       # there is no child now
            pass
        time.sleep(0.1)
    is_(s["CacheBytes"], 0, "what a child kept that was killed is not counted any more")
    web.get("/a/big1.xml"), web.get("/a/big1.xml")
    ok(0 < status(web)["CacheBytes"] < 1 << 20, "and what its successor keeps is")

# cp and a shell's > make the file empty before they write it: what is mapped is gone then
with setup("written", "8M") as web:
    whole = "<a>%s</a>" % ("<b>text</b>" * 200000)
    path = web.put("htdocs/a/x.xml", whole)
    want = "200000:" + "text" * 200000
    got, end = [], time.time() + 4 * SLOW

    def client_or_writer(k):
        while time.time() < end:
            if k:
                a = web.get("/a/x.xml")
                got.append(a.status if a.status != 200 or a.text == want else "another page")
            else:
                with open(path, "w") as f:
                    f.write(whole)
                time.sleep(0.03)

    at_once(5, client_or_writer)
    ok(200 in got and set(got) <= {200, 502},
       "a file that is written over while it is read: the page or an error") or diag(set(got))
    ok("exit signal" not in web.log(), "... and no child dies of it")

# httpd looks at a file, then asks mod_rewrite, then opens it: replaced in between, the new one has other bytes than
# the old one's length says
for size in ("off", "8M"):
    web = setup("replaced", size)
    swap = web.cgi("swap", """#!/usr/bin/env python3
import os, sys
for text in iter(sys.stdin.readline, ""):
    with open("%s.new", "w") as f:
        f.write(text)
    os.rename("%s.new", "%s")
    print("done", flush=True)
""" % ((web.path("htdocs/a/x.xml"),) * 3))
    web.conf += """
RewriteEngine on
RewriteMap swap prg:%s
Alias /pi/a @ROOT@/htdocs/a
<Directory @ROOT@/htdocs/a>
    RewriteEngine on
    RewriteCond ${swap:%%{HTTP:X-New}} done
    RewriteRule . -
</Directory>
""" % swap
    with web:
        web.put("htdocs/a/x.xml", "<a>1234</a>")
        for text in ("123456789", "12", "1234"):
            a = web.get("/a/x.xml", X_New="<a>%s</a>" % text)
            is_((a.status, a.text, a.complete), (200, "1:" + text, True),
                "GPUXMLCache %s: a file replaced by one of another length" % size)
        for text in ("<a>123456789</a>", "<a/>"):
            a = web.get("/pi/a/x.xml", X_New=text)
            is_((a.status, a.text, a.complete), (200, text + "\n", True), "... that is passed on")

with setup("cache-off", "off") as web:
    web.put("htdocs/a/x.xml", "<a>1</a>")
    time.sleep(LATER)
    web.get("/a/x.xml"), web.get("/a/x.xml")
    s = status(web)
    is_((s["CacheHits"], s["CacheMisses"], s["CacheBytes"]), (0, 0, 0), "GPUXMLCache off")

for bad in ("12", "1M2", "-1M", "x"):
    code, text = Httpd("cache-conf", conf(bad)).test()
    ok(code != 0 and "GPUXMLCache must be" in text, "GPUXMLCache %s is refused" % bad)
done()
