#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile and broken sources and stylesheets: the documented status, the ErrorDocument, one line in the log that names
the limit; nothing outside is opened, nothing crashes, and the answer is quick."""
import gzip
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

IDENTITY = sheet('<xsl:output method="xml" encoding="UTF-8"/><xsl:template '
                 'match="@*|node()"><xsl:copy><xsl:apply-templates '
                 'select="@*|node()"/></xsl:copy></xsl:template>')
SHEETS = {
    "id": IDENTITY,
    "self": sheet('<xsl:template match="/"><xsl:apply-templates select="."/></xsl:template>'),
    "call": sheet('<xsl:template match="/"><xsl:call-template name="t"/></xsl:template><xsl:template '
                  'name="t"><xsl:call-template name="t"/>'
                  '</xsl:template>'),
    "double": sheet('<xsl:template match="/"><xsl:call-template name="t"><xsl:with-param name="s" '
                    'select="\'xxxxxxxxxxxxxxxx\'"/>'
                    '</xsl:call-template></xsl:template><xsl:template name="t"><xsl:param name="s"/><xsl:call-template '
                    'name="t">'
                    '<xsl:with-param name="s" select="concat($s,$s)"/></xsl:call-template></xsl:template>'),
    "bomb": sheet('<xsl:template match="/"><xsl:for-each select="//*"><xsl:for-each select="//*"><xsl:for-each '
                  'select="//*">'
                  '<x>0123456789</x></xsl:for-each></xsl:for-each></xsl:for-each></xsl:template>'),
    "slow": sheet('<xsl:template match="/"><xsl:value-of '
                  'select="count(//*[count(//*[count(//*[count(//*)>1])>1])>1])"/></xsl:template>'),
    "copies": sheet('<xsl:template match="/"><a>%s</a></xsl:template>' % ('<xsl:copy-of select="."/>' * 100)),
    "document": sheet('<xsl:template match="/"><a><xsl:value-of '
                      'select="document(string(/a/@href))"/></a></xsl:template>'),
}


def nested(n):
    return "<a>" * n + "</a>" * n


SECRET = "the-secret-word"
LAUGHS = '<!DOCTYPE a [<!ENTITY l0 "ha">%s]><a>&l40;</a>' % "".join('<!ENTITY l%d "&l%d;&l%d;">' % (i, i - 1, i - 1)
                                                                    for i in range(1, 41))
QUADRATIC = '<!DOCTYPE a [<!ENTITY x "%s">]><a>%s</a>' % ("x" * 50000, "&x;" * 50000)

#        name, source, status, tag, a part of the line
CASES = [
    ("malformed", "<a>\n<b></a>", 502, "GX0107", r" 2:\d+: mismatched tag"),
    ("two roots", "<a/><b/>", 502, "GX0107", ""),
    ("whitespace only", "  \n ", 502, "GX0107", ""),
    ("not XML at all", "GIF89a\x00\x01", 502, "GX0107", ""),
    ("NUL inside", "<a>\x00</a>", 502, "GX0107", ""),
    ("broken UTF-8", b"<a>\xc3\x28</a>", 502, "GX0107", ""),
    ("overlong UTF-8", b"<a>\xc0\xaf</a>", 502, "GX0107", ""),
    ("a surrogate", b"<a>\xed\xa0\x80</a>", 502, "GX0107", ""),
    ("odd UTF-16", b"\xff\xfe<\x00a\x00/\x00>\x00<", 502, "GX0107", ""),
    ("undeclared prefix", "<p:a/>", 502, "GX0107", ""),
    ("duplicate attribute", "<a x='1' x='2'/>", 502, "GX0107", ""),
    ("unknown charset", '<?xml version="1.0" encoding="x-nonsense"?><a/>', 502, "GX0107", ""),
    ("external general entity", '<!DOCTYPE a [<!ENTITY x SYSTEM "file://@FIFO@">]><a>&x;</a>', 502, "GX0107", ""),
    ("external entity by http", '<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1:@PORT@/x">]><a>&x;</a>', 502,
     "GX0107", ""),
    ("external parameter entity", '<!DOCTYPE a [<!ENTITY %% x SYSTEM "file://@FIFO@">%%x;]><a>&y;</a>'.replace("%%",
        "%"), 502, "GX0107", ""),
    ("skipped entity", '<!DOCTYPE a SYSTEM "file://@FIFO@"><a>b&nbsp;c</a>', 502, "GX0107", "nbsp"),
    ("unknown entity", "<a>&nbsp;</a>", 502, "GX0107", ""),
    ("billion laughs", LAUGHS, 502, "GX0108", "amplification|text"),
    ("quadratic blow-up", QUADRATIC, 502, "GX0108", "amplification|text|input"),
    ("an attribute of 90 MB", '<!DOCTYPE a [<!ENTITY x "%s">]><a b="%s"/>' % ("x" * 10000, "&x;" * 9000), 502, "GX0108",
     "amplification|text|input"),
    ("2 million deep", nested(2000000), 502, "GX0108|GX0107", "depth|input"),
    ("600 deep", nested(600), 502, "GX0108", "GPUXMLLimit depth="),
    ("200,000 attributes", "<a %s/>" % " ".join("a%d=''" % i for i in range(200000)), 502, "GX0108|GX0107",
     "attributes"),
    ("a name of 100,000 bytes", "<%s/>" % ("a" * 100000), 502, "GX0108", "name"),
    ("2.5 MB", "<a>%s</a>" % ("x" * 2500000), 502, "GX0108", "GPUXMLLimit input="),
]


def backend(r):
    name = r.path.rsplit("/", 1)[1]
    if name == "hit":
        hits.append(r.path)
    if name == "bomb.gz":           # 200 MB of spaces in 200 KB
        return answer(r, gzip.compress(b"<a>" + b" " * 200000000 + b"</a>"), Content_Encoding="gzip")
    if name == "members.gz":        # 4 MB of gzip, not one byte of XML
        return answer(r, gzip.compress(b"") * 200000, Content_Encoding="gzip")
    if name == "notgzip":
        return answer(r, b"<a/>", Content_Encoding="gzip")
    if name == "cutgzip":
        return answer(r, gzip.compress(b"<a>%s</a>" % os.urandom(2000).hex().encode())[:-300], Content_Encoding="gzip")
    if name == "conflict.xml":
        return answer(r, '<?xml version="1.0" encoding="UTF-8"?><a>\u00e9</a>'.encode("latin-1"),
                      "text/xml; charset=ISO-8859-1")
    if name == "quoted.xml":
        return answer(r, '<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e9</a>'.encode(),
                      "text/xml; charset='utf-8'")
    if name == "utf16.xml":
        return answer(r, '<?xml version="1.0" encoding="UTF-16"?><a>\u00e9</a>'.encode("utf-16"),
                      'application/xml; charset="UTF-8"')
    hits.append(r.path)
    answer(r, b"<a>%s</a>" % SECRET.encode())


hits = []
back = Backend(backend)
CONF = """
ErrorDocument 502 /error.html
ErrorDocument 500 /error.html
ErrorDocument 504 /error.html
GPUXMLStylesheetRoot conf/xsl
ProxyPass /proxy/ http://127.0.0.1:%d/
<Location /proxy>
    GPUXMLStylesheet conf/xsl/id.xsl
</Location>
GPUXMLTimeout 1500ms
GPUXMLLimit input=2M
GPUXMLDocument file
Alias /ignore @ROOT@/htdocs
<Location /ignore>
    GPUXMLStylesheet conf/xsl/id.xsl
    GPUXMLDTD internal external=ignore
</Location>
Alias /entities @ROOT@/htdocs
<Location /entities>
    GPUXMLStylesheet conf/xsl/id.xsl
    GPUXMLDTD internal entities=html
</Location>
<Directory @ROOT@/htdocs/declared>
    GPUXMLDTD entities=html
</Directory>
Alias /deny @ROOT@/htdocs
<Location /deny>
    GPUXMLStylesheet conf/xsl/id.xsl
    GPUXMLDTD deny
</Location>
Alias /files @ROOT@/htdocs
<Location /files>
    GPUXMLStylesheet conf/xsl/id.xsl
    GPUXMLDTD external=file
</Location>
Alias /lenient @ROOT@/htdocs
<Location /lenient>
    GPUXMLStylesheet conf/xsl/id.xsl
    GPUXMLNamespaces lenient
</Location>
<Directory @ROOT@/htdocs/sub>
    GPUXMLDTD deny
</Directory>
<Location /forbid>
    GPUXMLStylesheet conf/xsl/id.xsl
</Location>
<Location /copies>
    GPUXMLTimeout %dms
    GPUXMLLimit output=max
</Location>
Alias /nodoc @ROOT@/htdocs
<Location /nodoc>
    GPUXMLStylesheet conf/xsl/document.xsl
    GPUXMLDocument none
</Location>
""" % (back.port, 200 * SLOW * SLOW)
for name in SHEETS:
    CONF += "Alias /%s @ROOT@/htdocs\n<Location /%s>\nGPUXMLStylesheet conf/xsl/%s.xsl\n</Location>\n" % (name, name,
        name)

web = Httpd("attack", CONF, level="debug", override="All")        # every line, repeats too
fifo = web.path("run/fifo")
os.mkfifo(fifo)             # who opens it waits for ever: no answer
os.chmod(fifo, 0o666)
for name, text in SHEETS.items():
    web.put("conf/xsl/%s.xsl" % name, text)
web.put("conf/secret.xml", "<s>%s</s>" % SECRET)
web.put("conf/xsl/inside.xml", "<s>inside</s>")
web.put("htdocs/error.html", "our own error page")
for i, case in enumerate(CASES):
    text = case[1] if isinstance(case[1], bytes) else case[1].encode()
    web.put("htdocs/%d.xml" % i, text.replace(b"@FIFO@", fifo.encode()).replace(b"@PORT@", str(back.port).encode()))
web.put("htdocs/prefix.xml", '<a><media:content media:url="u"/></a>')
web.put("htdocs/good.xml", "<a>good</a>")
for folder, said in (("sub", "internal"), ("forbid", "deny"), ("declared", "entities=declared")):
    web.put("htdocs/%s/doctype.xml" % folder, "<!DOCTYPE a><a/>")
    web.put("htdocs/%s/.htaccess" % folder, "GPUXMLDTD %s\n" % said)
web.put("htdocs/wide.xml", "<a>%s</a>" % ("<b/>" * 1000))

with web:
    for where, i, (name, _, status, tag, part) in [(where, i, case) for where in ("id", "files") for i,
                                                   case in enumerate(CASES)]:
        web.new_log()
        start = time.time()
        a = web.get("/%s/%d.xml" % (where, i))
        took = time.time() - start
        is_((a.status, a.text), (status, "our own error page"), "/%s/: %s" % (where, name))
        lines = web.new_log(r"^(?!.*GX0153|.*GX0156).*GX01", 1)
        is_(len(lines), 1, "... one line")
        like(lines[0][:600] if lines else "", "(%s): .*(%s).*class source" % (tag, part), "... that names it")
        if not ok(took < SLOW, "... in less than a second"):
            diag(took)
    is_(hits, [], "nothing was fetched")

    # GPUXMLDTD external=file: what lies beneath the roots, and nothing else
    def source(text, name="files/doc.xml"):
        web.put("htdocs/" + name, text)
        a = web.get("/files/" + name)
        return a.text.partition("?>")[2].strip() if a.status == 200 else a.status

    inside = web.path("conf/xsl/dtd")
    web.put("conf/xsl/dtd/a.dtd", '<!ENTITY % more SYSTEM "more.ent">%more;<!ATTLIST a kind CDATA "given"><!ENTITY '
                                  'chapter SYSTEM "chapter.xml">')
    web.put("conf/xsl/dtd/more.ent", '<!ENTITY word "from afar">')
    web.put("conf/xsl/dtd/chapter.xml",
            '<?xml version="1.0" encoding="ISO-8859-1"?><b>\u00e9 &word;</b>'.encode("latin-1"))
    web.put("conf/xsl/dtd/large.ent", "<c>%s</c>" % ("x" * 300000))
    is_(source('<!DOCTYPE a SYSTEM "file://%s/a.dtd"><a>&word;&chapter;</a>' % inside),
        '<a kind="given">from afar<b>\u00e9 from afar</b></a>', "external=file: DTD and entities")
    is_(web.get("/files/files/doc.xml")["etag"], None, "... and no ETag: other files have a part in it")
    web.put("conf/xsl/dtd/more.ent", '<!ENTITY word "changed">')
    like(web.get("/files/files/doc.xml").text, "changed<b>\u00e9 changed", "... which are read again each time")
    is_(web.get("/id/files/doc.xml").status, 502, "... for its neighbour they are not there")
    is_(source('<!DOCTYPE a [<!ENTITY l SYSTEM "%s/large.ent">]><a>&l;</a>' % inside),
        "<a><c>%s</c></a>" % ("x" * 300000), "... a large file in a small document is no attack")
    is_(source('<!DOCTYPE a [<!ENTITY l SYSTEM "%s/large.ent">]><a>%s</a>' % (inside, "&l;" * 20)), 502,
        "... again and again it is")
    like("".join(web.new_log("GX0108", 1)), "input=|amplification=", "... says so")
    os.symlink(web.path("conf/secret.xml"), web.path("conf/xsl/dtd/link.ent"))
    for what in ("%s/link.ent" % inside, "%s/../../secret.xml" % inside, "file:///etc/passwd", "/etc/passwd",
                 "..//..//conf/secret.xml", "http://127.0.0.1:%d/hit" % back.port, inside, "file://%s" % fifo):
        web.new_log()
        is_(source('<!DOCTYPE a [<!ENTITY x SYSTEM "%s">]><a>&x;</a>' % what), 502, "... not " + what)
        like("".join(web.new_log("GX0107", 1)), "external entity", "... says so")
    is_(source('<!DOCTYPE a [<!ENTITY % x SYSTEM "none.ent">%x;<!ENTITY e "here">]><a>&e;</a>'), "<a>here</a>",
        "... a parameter entity that is not there")
    like("".join(web.new_log("GX0156", 1)), 'cannot read .*none.ent', "... is a warning that names it")
    web.put("conf/xsl/dtd/loop.ent", "<b>&x;</b>")
    is_(source('<!DOCTYPE a [<!ENTITY x SYSTEM "%s/loop.ent">]><a>&x;</a>' % inside), 502,
        "... one that refers to itself")
    is_(hits, [], "... and nothing was fetched")
    web.put("htdocs/sub2/.htaccess", "GPUXMLDTD external=file\n")
    web.put("htdocs/sub2/a.xml", "<a/>")
    is_(web.get("/id/sub2/a.xml").status, 500, "... not in .htaccess")
    a = web.get("/ignore/15.xml")
    like(a.text, "<a>bc</a>", "external=ignore: the reference is empty")
    ok(web.get("/ignore/good.xml")["etag"] != web.get("/id/good.xml")["etag"],
       "... and the ETag another: a 304 would hide the error")
    xhtml = '<!DOCTYPE a PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "file://%s">' % fifo
    web.put("htdocs/xhtml.xml", xhtml + "<a>b&nbsp;c</a>")
    like(web.get("/id/xhtml.xml").text, "<a>b\u00a0c</a>", "XHTML's entities are known by its public identifier, and "
                                                           "the DTD is not read")
    web.put("htdocs/xhtml.xml", xhtml + "<a>b&none;c</a>")
    is_(web.get("/id/xhtml.xml").status, 502, "... but no others")
    web.put("htdocs/nbsp.xml", "<a>b&nbsp;c</a>")
    like(web.get("/entities/nbsp.xml").text, "<a>b\u00a0c</a>", "entities=html: those of HTML, without a DOCTYPE")
    is_(web.get("/id/nbsp.xml").status, 502, "... while its neighbour does not take the same file")
    ok(web.get("/entities/good.xml")["etag"] != web.get("/id/good.xml")["etag"],
       "... and the ETag is another: a 304 would hide the error")
    web.put("htdocs/declared/nbsp.xml", "<a>b&nbsp;c</a>")
    is_(web.get("/id/declared/nbsp.xml").status, 502, "entities=declared, in .htaccess: those of the DOCTYPE again")
    web.put("htdocs/doctype.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>")
    like(web.get("/id/doctype.xml").text, "<a>c</a>", "a DOCTYPE is allowed")
    web.new_log()
    a = web.get("/deny/doctype.xml")
    is_((a.status, a.text), (502, "our own error page"), "GPUXMLDTD deny: refused")
    lines = web.new_log(r"^(?!.*GX0153).*GX01", 1)
    like("".join(lines), r"GX0118: source refused \(GPUXMLDTD deny\): 1:\d+: a document type declaration.*class source",
         "... with its own tag")
    is_(web.get("/id/doctype.xml").status, 200, "... while its neighbour still serves the same file")
    like(web.get("/deny/good.xml").text, "<a>good</a>", "... and a source without one passes")
    is_(web.get("/id/sub/doctype.xml").status, 502, "... .htaccess does not allow it again")
    is_(web.get("/forbid/doctype.xml").status, 502, "... but may deny it")
    web.new_log()
    is_(web.get("/id/prefix.xml").status, 502, "a prefix that is not declared is an error of the source")
    like("".join(web.new_log("GX0107", 1)), r'1:4: the prefix of "media:content" is not declared \(GPUXMLNamespaces '
                                            r'lenient accepts it\)', "... which says what would accept it")
    for again in "", ", again":
        a = web.get("/lenient/prefix.xml")
        is_((a.status, a.text.partition("?>")[2].strip()), (200, '<a><media:content media:url="u"/></a>'),
            "GPUXMLNamespaces lenient accepts it" + again)
    said = web.new_log("GX0156", 1)
    like("".join(said), r'GX0156: source accepted: 1:4: the prefix of "media:content" is not declared.*uri '
                        r'/lenient/prefix.xml', "... with a line in the log")
    ok(web.get("/lenient/prefix.xml")["etag"] != None, "... and an ETag")
    a = web.get("/proxy/conflict.xml")
    like(a.text, "<a>\u00e9</a>", "the transport's charset beats the declaration")
    like(web.get("/proxy/quoted.xml").text, "<a>\u00e9</a>", "... also in single quotes")
    a = web.get("/proxy/utf16.xml")
    like(a.text, "<a>\u00e9</a>", "a BOM beats both")

    for path, tag in (("/proxy/bomb.gz", "GX0108"), ("/proxy/members.gz", "GX0108"), ("/proxy/notgzip", "GX0103"),
                      ("/proxy/cutgzip", "GX0103")):
        web.new_log()
        a = web.get(path)
        is_(a.status, 502, path)
        lines = web.new_log(r"^(?!.*GX0153).*GX01", 1)
        ok(len(lines) == 1 and tag in lines[0], "... " + tag) or diag(lines)

    for name, status, tag in (("self", (500, 504), "GX011[134]"), ("call", (500, 504), "GX011[134]"),
                              ("double", (500, 504), "GX011[134]"),
                              ("bomb", (500, 504), "GX011[134]"), ("slow", (500, 504, 200), "GX011[134]")):
        web.new_log()
        start = time.time()
        a = web.get("/%s/wide.xml" % name)
        took = time.time() - start
        if not ok(a.status in status and (a.status == 200 or a.text == "our own error page"),
                  "stylesheet %s ends" % name):
            diag("%d %r" % (a.status, a.body[:200]))
        if a.status != 200:
            lines = web.new_log(r"^(?!.*GX0153).*GX01", 1)
            ok(len(lines) == 1 and re.search(tag + ": .*class (sheet|time)", lines[0]), "... one line") or diag(lines)
        if not ok(took < 3 * SLOW, "... by the deadline"):
            diag(took)
        like(web.get("/id/good.xml").text, "good", "... and the next request is served")

    web.put("htdocs/copied.xml", "<a>%s</a>" % ("<b>c</b>" * 200000))
    web.new_log()
    start = time.time()
    a = web.get("/copies/copied.xml", "HEAD")       # 160 MB
    took = time.time() - start
    is_(a.status, 504, "a page that takes long to write ends")
    like("".join(web.new_log(r"^(?!.*GX0153).*GX01", 1)), "GX0114: time is up: writing the page takes "
                                                          "longer.*class time", "... by the deadline")
    ok(took < SLOW * SLOW, "... soon after it") or diag(took)

    for href in ("../secret.xml", "file://" + web.path("conf/secret.xml"), web.path("conf/secret.xml"),
                 "http://127.0.0.1:%d/x" % back.port,
                 "//127.0.0.1/x", "%2e%2e/secret.xml", "link.xml", fifo):
        if href == "link.xml":
            os.symlink(web.path("conf/secret.xml"), web.path("conf/xsl/link.xml"))
        web.put("htdocs/doc.xml", '<a href="%s"/>' % href)
        a = web.get("/document/doc.xml")
        ok(SECRET.encode() not in a.raw and web.root.encode() not in a.raw and a.status in (200, 500),
           "document(%s) reads nothing" % href.replace(web.root, "..."))
    web.put("htdocs/doc.xml", '<a href="inside.xml"/>')
    like(web.get("/document/doc.xml").text, "<a>inside</a>", "document() beneath the root")
    is_(web.get("/document/doc.xml")["etag"], None, "... makes no ETag: that file may change")
    ok("inside" not in web.get("/nodoc/doc.xml").text, "GPUXMLDocument none: not even that")
    is_(hits, [], "nothing was fetched")
    ok("exit signal" not in web.log(), "no child died")
done()
