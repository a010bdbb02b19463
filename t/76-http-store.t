#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUXMLStore: stored documents are served, selected from and transformed as the files are; a new version is seen at
once, under another ETag; what is not there, or is damaged, has its status and a line in the log."""
import os
import subprocess
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
STORE = os.path.join(ROOT, "build", "gpuxml-store")
CONF = """
GPUXMLStore bib @ROOT@/bib.gxs
GPUXMLStore gone @ROOT@/none.gxs
GPUXMLStore wrong @ROOT@/wrong.gxs
<Location />
  SetHandler gpuxml-store
</Location>
<Location /sheet>
  GPUXMLStylesheet conf/xsl/list.xsl
</Location>
<Location /strip>
  GPUXMLStylesheet conf/xsl/strip.xsl
</Location>
<Location /select>
  GPUXMLSelect "//rec[author = 'b']/@n"
</Location>
<Location /selxml>
  GPUXMLSelect "//rec[author = 'b']/author" as xml found
</Location>
<Location /selcount>
  GPUXMLSelect "count(//rec[@n = '7'])"
</Location>
<Location /small>
  GPUXMLSelect "//rec[@n = '7']/author"
  GPUXMLLimit input=1K
</Location>
<Location /smallall>
  GPUXMLSelect "//rec[last()]/author"
  GPUXMLLimit input=1K
</Location>
<Location /short>
  GPUXMLSelect "//rec[author = 'b']/@n"
  GPUXMLLimit output=100
</Location>
<Location /other>
  GPUXMLStylesheet conf/xsl/other.xsl
  GPUXMLDocument subrequest
</Location>
"""
LIST = sheet("<xsl:template match='/'><o><xsl:for-each select='//rec'><i><xsl:value-of select='@n'/>:<xsl:value-of "
             "select='author'/></i></xsl:for-each>"
             "</o></xsl:template>")
STRIP = sheet("<xsl:strip-space elements='*'/><xsl:template match='/'><o><xsl:value-of "
              "select='count(//text())'/></o></xsl:template>")
OTHER = sheet("<xsl:template match='/'><o><xsl:value-of select=\"count(document('/bib/two')//rec)\"/></o></"
              "xsl:template>")


def store(*args):
    p = subprocess.run([STORE, web.path("bib.gxs"), *args], capture_output=True, text=True, timeout=60)
    ok(p.returncode == 0, "gpuxml-store %s" % args[0]) or diag(p.stderr)


def add(name, text, *more):
    web.put("source.xml", text)
    store("add", "--name", name, *more, web.path("source.xml"))


def of(n):
    return '<bib> %s </bib>\n' % " ".join('<rec n="%d"><author>%s</author></rec>' % (i, "ab"[i % 2]) for i in range(n))


def logged():
    return " ".join(web.new_log(wait=2))


web = Httpd("store", CONF)
for name, text in (("list", LIST), ("strip", STRIP), ("other", OTHER)):
    web.put("conf/xsl/%s.xsl" % name, text)
add("one", of(4))
add("two", of(400), "--split-at", "rec", "--part-bytes", "1K")
add("fresh", of(400), "--split-at", "rec", "--part-bytes", "1K")
add("deep/er", "<!DOCTYPE d [<!ATTLIST e id ID #IMPLIED>]><d> <e id='x'/> </d>")
web.put("wrong.gxs", "this is no store")
with web:
    a = web.get("/bib/one")
    is_((a.status, a["content-type"], a.text), (200, "application/xml", of(4)), "a stored document is served as XML")
    is_(web.get("/bib/one", If_None_Match=a["etag"]).status, 304, "... and not again to who has it")
    is_(web.get("/bib/deep/er").status, 200, "a name with a /")
    is_(web.get("/bib/two").text, of(400), "a document in parts is served as one")
    s = web.get("/sheet/bib/one")
    ok(s.status == 200 and "<i>0:a</i><i>1:b</i>" in s.text, "a stylesheet transforms it") or diag(s.text)
    is_(web.get("/select/bib/two").text.split(), [str(i) for i in range(1, 400, 2)], "GPUXMLSelect selects from parts")
    x = web.get("/selxml/bib/two")
    is_((x.status, x["content-type"].split(";")[0], x.text),
        (200, "application/xml", '<?xml version="1.0" encoding="UTF-8"?>\n<found>\n%s</found>\n'
         % ("<author>b</author>\n" * 200)), "... as XML")
    is_(web.get("/selcount/bib/two").text, "1\n", "... how many there are")
    is_((web.get("/small/bib/fresh").status, web.get("/small/bib/fresh").text), (200, "b\n"),
        "the index finds it: input= does not limit the document, which is not made")
    is_(web.get("/smallall/bib/fresh").status, 500, "... as it does where all of it is needed")
    p = web.get("/short/bib/two")
    ok(p.status == 500 and "output=100" in logged(), "a selection longer than output=") or diag(p.text)
    is_(web.get("/selxml/bib/two", If_None_Match=x["etag"]).status, 304, "a selection has an ETag")
    ok(">4<" in web.get("/strip/bib/one").text, "a stylesheet that strips white space")
    ok(">400<" in web.get("/other/bib/one").text,
       "document() reads stored documents") or diag(web.get("/other/bib/one").text + web.log())
    p = web.get("/strip/bib/deep/er")
    ok(p.status == 500 and "has IDs" in logged(),
       "... and is refused where the XML does not say all") or diag(str(p.status))
    is_(web.get("/sheet/bib/one", If_None_Match=s["etag"]).status, 304, "the page has an ETag")
    add("one", of(6))
    b = web.get("/bib/one")
    ok(b.text == of(6) and b["etag"] != a["etag"], "a new version is served by the next request, with another ETag")
    t = web.get("/sheet/bib/one", If_None_Match=s["etag"])
    ok(t.status == 200 and "<i>5:b</i>" in t.text, "... and its page is another one") or diag("%d %s" % (t.status,
        t.text))
    # versions that come while it is asked: each answer is a whole version's, with that version's ETag, and none goes
    # back
    seen, over = {}, threading.Event()

    def ask(k):
        newest = 0
        while not over.is_set():
            for path in "/bib/turn", "/sheet/bib/turn":
                r = web.get(path)
                n = (len(r.text.split("<rec ")) if path[1] == "b" else len(r.text.split("<i>"))) - 1
                whole = r.status == 200 and n >= newest and (path[1] != "b" or r.text == of(n))
                seen.setdefault((path, r["etag"], n if whole else "wrong: %d, %d behind %d" % (r.status, n, newest)), k)
                newest = n

    add("turn", of(100))
    askers = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for t in askers:
        t.start()
    for n in range(101, 121):
        add("turn", of(n))
    over.set()
    for t in askers:
        t.join()
    of_tags = {(path, tag): n for path, tag, n in seen}
    ok(len(seen) == len(of_tags) > 4 and all(isinstance(n, int) for _, _, n in seen),
       "versions that are added while four clients ask: %d seen, whole, in their order"
       % len(seen)) or diag(repr(sorted(map(str, seen))[:9]))
    is_(web.get("/bib/turn").text, of(120), "... and the last one is there")
    store("remove", "turn")
    store("compact")
    is_(web.get("/bib/one").text, b.text, "compacting changes nothing")
    is_(web.get("/bib/none").status, 404, "a document that is not there")
    is_(web.get("/elsewhere/one").status, 404, "a store that nobody named")
    is_(web.get("/bib/").status, 404, "no document's name")
    is_(web.get("/bib/one", "POST").status, 405, "POST")
    is_(web.get("/bib/one", "HEAD").status, 200, "HEAD")
    web.new_log(wait=0)
    is_(web.get("/gone/x").status, 503, "a store whose file is not there")
    ok("GX0170" in (said := logged()) and "No such file" in said, "... has its line in the log") or diag(said)
    is_(web.get("/wrong/x").status, 500, "a file that is no store")
    ok("this is no store" in (said := logged()), "... has its line in the log") or diag(said)
    store("remove", "one")
    is_(web.get("/bib/one").status, 404, "a document that was removed")
    with open(web.path("bib.gxs"), "r+b") as f:        # every page but those of heads and catalog
        size = os.path.getsize(web.path("bib.gxs"))
        for page in range(2, size // 4096 - 2):
            f.seek(page * 4096 + 9)
            f.write(b"damage")
    a = web.get("/bib/two")
    ok(a.status in (500, 503) and "damaged" in (said := logged()),
       "a damaged document is an error, and named") or diag("%d %s" % (a.status, said))
code, said = Httpd("store-wrong", "GPUXMLStore a/b x.gxs\n").test()
ok(code and "GPUXMLStore" in said and "no /" in said, "a store's name without /") or diag(said)
done()
