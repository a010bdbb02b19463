#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUXMLXInclude: what a source includes, from beneath GPUXMLStylesheetRoot alone; its errors with their statuses;
limits, the clock; ETags that change with the included files."""
import os
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

# sanitizers make frames larger
web = Httpd("xinclude", "ThreadStackSize %d" % (SLOW << 20) + """
GPUXMLEngine cpu
GPUXMLStylesheetRoot @ROOT@/htdocs/inc @ROOT@/conf/xsl
GPUXMLCatalog @ROOT@/conf/catalog.xml
GPUXMLStylesheet conf/xsl/copy.xsl
<LocationMatch "^/(inc|small|slow|cgi-bin|deep|deny)/">
    GPUXMLXInclude on
</LocationMatch>
<Location /inc/modified.xml>
    GPUXMLLastModified newest
</Location>
Alias /small @ROOT@/htdocs/inc
Alias /slow @ROOT@/htdocs/inc
Alias /deep @ROOT@/htdocs/inc
Alias /off @ROOT@/htdocs/inc
Alias /deny @ROOT@/htdocs/inc
<Location /small/>
    GPUXMLLimit input=2K
</Location>
<Location /slow/>
    GPUXMLTimeout 50ms
    GPUXMLLimit input=max
</Location>
<Location /deep/>
    GPUXMLLimit depth=max
</Location>
<Location /deny/>
    GPUXMLDTD deny
</Location>
<Location /inc/by-root/>
    GPUXMLStylesheetFor part conf/xsl/part.xsl
</Location>
<Location /inc/document/>
    GPUXMLStylesheet conf/xsl/document.xsl
    GPUXMLDocument file
</Location>
<Location /inc/fetched/>
    GPUXMLStylesheet conf/xsl/document.xsl
    GPUXMLDocument subrequest
</Location>
<Location /inc/asked/>
    GPUXMLDocument subrequest
</Location>
<Location /plain/locked/>
    Require all denied
</Location>
<Location /pi/>
    GPUXMLXInclude on
    GPUXMLStylesheetPI prefer
</Location>
""", override="FileInfo")
COPY = ('<xsl:output method="xml" omit-xml-declaration="yes" encoding="UTF-8"/><xsl:template match="/"><xsl:copy-of '
        'select="."/></xsl:template>')
web.put("conf/xsl/copy.xsl", sheet(COPY))
web.put("conf/xsl/part.xsl", sheet('<xsl:template match="/">PART</xsl:template>'))
web.put("conf/xsl/document.xsl", sheet('<xsl:output omit-xml-declaration="yes"/><xsl:template match="/"><xsl:copy-of '
                                       'select="document(/a/@of)/a/*"/></xsl:template>'))
web.put("conf/catalog.xml", '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="urn:part" '
                            'uri="../htdocs/inc/part.xml"/></catalog>')
web.put("secret.xml", "<secret/>")
inc = web.path("htdocs/inc")
XI = ' xmlns:xi="http://www.w3.org/2001/XInclude"'
web.put("htdocs/inc/part.xml", '<?xml version="1.0"?><!--c--><part n="1">word <b xml:id="b">B</b><i>I</i></part>')
web.put("htdocs/inc/sub/lang.xml", '<part xml:lang="fr"><x>mot</x></part>')
web.put("htdocs/inc/sub/nested.xml", '<n%s><xi:include href="lang.xml" xpointer="element(/1/1)"/></n>' % XI)
web.put("htdocs/inc/text.txt", "a < b & \u00e9\r\n")
web.put("htdocs/inc/latin.txt", "caf\u00e9".encode("latin-1"))
web.put("htdocs/inc/empty.txt", "")
web.put("htdocs/inc/broken.xml", "<a>\n<b></a>")
web.put("htdocs/inc/entity.xml", '<!DOCTYPE e [<!ENTITY f SYSTEM "file:///etc/hostname">]><e>&f;</e>')
web.put("htdocs/inc/large.xml", "<l>%s</l>" % ("x" * 4000))
web.put("htdocs/inc/locked.xml", "<l/>", 0o600)
os.symlink(web.path("secret.xml"), web.path("htdocs/inc/link.xml"))
for word in "ab":
    web.put("htdocs/inc/loop-%s.xml" % word,
            '<l%s><xi:include href="loop-%s.xml"/></l>' % (XI, "b" if word == "a" else "a"))


def source(body, where="inc/t.xml", head="", attributes=""):
    web.put("htdocs/" + where, "%s<a%s%s>%s</a>" % (head, XI, attributes, body))
    web.error_at = len(web.log())
    return web.get("/" + where)


def page(body, **more):
    a = source(body, **more)
    return (a.status, a.text.replace(XI, "").strip()) if a.status == 200 else (a.status,
        "".join(web.new_log("GX01", 1)))


PART = '<part n="1">word <b xml:id="b">B</b><i>I</i></part>'
GOOD = [        # what the document element has, what it becomes, what is tried
    ('<xi:include href="part.xml"/>', "<!--c-->" + PART, "a file, with its comment and without its XML declaration"),
    ('<xi:include href="text.txt" parse="text"/>', "a &lt; b &amp; \u00e9&#13;\n", "text"),
    ('<xi:include href="latin.txt" parse="text" encoding="ISO-8859-1"/>', "caf\u00e9", "text in an encoding"),
    ('<xi:include href="empty.txt" parse="text"/>', "", "an empty text"),
    ('<xi:include href="part.xml" xpointer="b"/>', '<b xml:id="b">B</b>', "a shorthand pointer"),
    ('<xi:include href="part.xml" xpointer="element(b)"/>', '<b xml:id="b">B</b>', "element() with an ID"),
    ('<xi:include href="part.xml" xpointer="element(/1/2)"/>', "<i>I</i>", "element() with a path"),
    ('<xi:include href="part.xml" xpointer="xmlns(a=b) other(^)x())element(/1/9)element(b)"/>', '<b xml:id="b">B</b>',
     "several scheme parts"),
    ('<xi:include href="part.xml" xpointer="element()"><xi:fallback>F</xi:fallback></xi:include>', "F",
     "a fallback for element() of nothing"),
    ('<xi:include href="part.xml" xpointer="element(b"><xi:fallback>F</xi:fallback></xi:include>', "F",
     "a fallback for a pointer that does not end"),
    ('<p xml:id="q">Q</p><xi:include xpointer="q"/>', '<p xml:id="q">Q</p><p xml:id="q">Q</p>',
     "an element of the document itself"),
    ('<xi:include href="none.xml"><xi:fallback>F<xi:include href="part.xml" xpointer="b"/></xi:fallback></xi:include>',
     'F<b xml:id="b">B</b>', "a fallback, which includes"),
    ('<xi:include href="part.xml" xpointer="none"><xi:fallback>F</xi:fallback></xi:include>', "F",
     "a fallback for a pointer that finds nothing"),
    ('<xi:include href="locked.xml"><xi:fallback>F</xi:fallback></xi:include>', "F" if os.getuid() == 0 else "<l/>",
     "a fallback for a file that httpd may not read"),
    ('<xi:include href="http://localhost/inc/part.xml"><xi:fallback>F</xi:fallback></xi:include>', "F",
     "nothing is fetched"),
    ('<xi:include href="../secret.xml"><xi:fallback>F</xi:fallback></xi:include>', "F", "nothing from elsewhere"),
    ('<xi:include href="../../secret.xml"><xi:fallback>F</xi:fallback></xi:include>', "F",
     "nothing from above the roots"),
    ('<xi:include href="file:///etc/hostname" parse="text"><xi:fallback>F</xi:fallback></xi:include>', "F",
     "nothing from elsewhere by a file: URI"),
    ('<xi:include href="link.xml"><xi:fallback>F</xi:fallback></xi:include>', "F", "nothing by a link that leads out"),
    ('<xi:include href="urn:part" xpointer="b"/>', '<b xml:id="b">B</b>', "what a catalog maps"),
    ('<xi:include href="sub/lang.xml"/>', '<part xml:lang="fr" xml:base="sub/lang.xml"><x>mot</x></part>',
     "xml:base where the reference has a directory"),
    ('<xi:include href="sub/lang.xml" xpointer="element(/1/1)"/>', '<x xml:base="sub/lang.xml" xml:lang="fr">mot</x>',
     "xml:lang of the element around what is included"),
    ('<xi:include href="sub/nested.xml"/>', '<n xml:base="sub/nested.xml"><x xml:lang="fr">mot</x></n>',
     "an inclusion in what is included, relative to that"),
    ('<d xml:base="sub/"><xi:include href="lang.xml" xpointer="element(/1/1)"/></d>',
     '<d xml:base="sub/"><x xml:lang="fr">mot</x></d>', "xml:base is what a reference is relative to"),
]
BAD = [         # what the document element has, the status, what the log says, what is tried
    ('\n <xi:include href="none.xml"/>', 502, r'GX0121: source cannot be completed by XInclude: \S+/t.xml:2:2: '
                                              r'xi:include of "none.xml": cannot read "none.xml".*no such file beneath'
     r'.*no xi:fallback.*class source', "a file that is not there"),
    ('<xi:include href="../secret.xml"/>', 502, "GX0121: .*no such file beneath the allowed directories",
     "a file elsewhere"),
    ('<xi:include href="loop-a.xml"/>', 502, r'GX0121: .*loop-b.xml:1:\d+: xi:include of "loop-a.xml": it '
                                             r'includes itself', "a loop"),
    ('<xi:include href="t.xml"/>', 502, "GX0121: .*it includes itself", "itself"),
    ('<xi:include xpointer="element(/1)"/>', 502, "GX0121: .*it includes itself", "an element around it"),
    ('<xi:include href="broken.xml"><xi:fallback/></xi:include>', 502, r"GX0121: .*broken.xml:2:\d+: mismatched tag",
     "a file that is no XML, whatever the fallback"),
    ('<xi:include href="entity.xml"/>', 502, "GX0121: .*entity.xml:1:.*f",
     "an external entity of a file that it includes"),
    ('<xi:include href="latin.txt" parse="text"/>', 502, "GX0121: .*it is not text in the encoding UTF-8",
     "text that is none"),
    ('<xi:include href="part.xml" parse="html"/>', 502, 'GX0121: .*parse must be "xml" or "text"', "another parse"),
    ('<xi:include href="part.xml"><xi:fallback/><xi:fallback/></xi:include>', 502,
     "GX0121: .*it may have one xi:fallback only", "two fallbacks"),
    ('<xi:include href="part.xml"><xi:include href="part.xml"/></xi:include>', 502,
     "GX0121: .*no xi:include as a child", "an xi:include in an xi:include"),
    ('<xi:include href="none.xml"><xi:fallback><xi:fallback/></xi:fallback></xi:include>', 502,
     "GX0121: .*xi:fallback must be a child of xi:include", "a fallback elsewhere"),
    ('<xi:include href="part.xml#b"/>', 502, "GX0121: .*fragment identifier: xpointer is for that",
     "a fragment identifier"),
    ('<xi:include href="text.txt" parse="text" xpointer="b"/>', 502, 'GX0121: .*parse="text" has no xpointer',
     "a pointer into text"),
    ('<xi:include href="part.xml" xpointer="xpointer(//b)"/>', 502, r"GX0121: .*#ID and element\(\) are known",
     "xpointer()"),
]
with web:
    for body, want, name in GOOD:
        is_(page(body), (200, "<a>%s</a>" % want), name) if want else like(page(body)[1], "^<a/>$", name)
    for body, status, words, name in BAD:
        got = page(body)
        is_(got[0], status, "no page: " + name)
        like(got[1], words, "... and the log says why")

    # ---- off where nobody wrote it ----
    a = web.get("/off/t.xml")
    like(a.text, "<xi:include", "without the directive it stays an element")
    body = '<xi:include href="part.xml" xpointer="b"/>'
    page(body)
    time.sleep(2.1)         # from now on the cache keeps the file's document
    for where, want in (("off", "xi:include"), ("inc", "<b xml:id"), ("off", "xi:include"), ("inc", "<b xml:id")):
        ok(want in web.get("/%s/t.xml" % where).text, "the cache tells the two apart: " + where)

    # ---- validators ----
    a = web.get("/inc/t.xml")
    like(a["etag"], '^"[0-9a-f]{48}"$', "an ETag")
    is_(web.get("/inc/t.xml", If_None_Match=a["etag"]).status, 304, "... answers a condition")
    web.put("htdocs/inc/part.xml", PART.replace(">B<", ">C<"))
    b = web.get("/inc/t.xml", If_None_Match=a["etag"])
    is_((b.status, ">C<" in b.text), (200, True), "... another one once an included file has changed")
    is_(web.get("/inc/t.xml", If_None_Match=b["etag"]).status, 304, "... answers a condition, too")
    web.put("htdocs/inc/part.xml", PART.replace("word", "another word"))
    web.put("htdocs/inc/part.xml", PART)
    is_(web.get("/inc/t.xml")["etag"], a["etag"], "... the first again, when the file is")
    os.unlink(web.path("htdocs/inc/part.xml"))
    is_(web.get("/inc/t.xml", If_None_Match=a["etag"]).status, 502, "... none when the file is gone")
    web.put("htdocs/inc/part.xml", PART)
    a = source(body, where="inc/modified.xml")
    is_((a.status, a["last-modified"]), (200, None), "no Last-Modified: the included files have times of their own")
    is_(bool(source("x", where="inc/modified.xml")["last-modified"]), True, "... but where nothing is included")

    # ---- limits and the clock ----
    web.put("htdocs/inc/t.xml", "<a%s>%s</a>" % (XI, '<xi:include href="large.xml"/>'))
    for where, words in (("small", "GX0108: .*input=2048.*GPUXMLLimit input="), ("inc", None)):
        web.error_at = len(web.log())
        a = web.get("/%s/t.xml" % where)
        is_(a.status, 502 if words else 200, "a large file with its limit: " + where)
        if words:
            like("".join(web.new_log("GX01", 1)), words, "... and the log names it")
    web.put("htdocs/inc/t.xml", "<a%s>%s</a>" % (XI, '<xi:include href="part.xml"/>' * 40))
    web.error_at = len(web.log())
    is_(web.get("/small/t.xml").status, 502, "many small files")
    like("".join(web.new_log("GX01", 1)), "GX0108: .*larger than input=2048.*GPUXMLLimit input=",
         "... and the log names the limit")
    # the document itself is short: what takes the time is to be what it includes
    web.put("htdocs/inc/t.xml", "<a%s>%s</a>" % (XI, '<xi:include href="t2.xml"/>' * 300))
    web.put("htdocs/inc/t2.xml", "<b%s>%s</b>" % (XI, '<xi:include href="empty.txt" parse="text"/>' * 300))
    web.error_at = len(web.log())
    start = time.time()
    is_(web.get("/slow/t.xml").status, 504, "more files than there is time for, though they are empty")
    ok(time.time() - start < 2 * SLOW, "... ends in time") or diag(time.time() - start)
    like("".join(web.new_log("GX01", 1)), "GX0114: time is up: .*(XInclude|the document) takes longer than.*class time",
         "... and the log says so")
    deep = "<d>" * 300 + '<xi:include href="t2.xml"/>' + "</d>" * 300
    web.put("htdocs/inc/t2.xml", "<e>" * 300 + "</e>" * 300)
    got = page(deep)
    is_(got[0], 502, "deeper than GPUXMLLimit depth, together")
    like(got[1], "GX0108: .*nests deeper than depth=512.*GPUXMLLimit depth=", "... and the log names it")
    is_(web.get("/deep/t.xml").status, 200, "... which can be raised")
    web.put("htdocs/inc/t2.xml", "<e>" * 1690 + "</e>" * 1690)
    is_(web.get("/deep/t.xml").status, 200, "... as deep as a stack of 1 MiB takes")
    web.put("htdocs/inc/t2.xml", "<e>" * 2000 + "</e>" * 2000)
    web.error_at = len(web.log())
    is_(web.get("/deep/t.xml").status, 502, "... up to what a thread's stack takes")
    like("".join(web.new_log("GX01", 1)), r"GX0108: .*depth=2000 \(fixed for XInclude\)", "... and the log says so")
    billion = "".join('<p xml:id="i%d"><xi:include xpointer="i%d"/><xi:include xpointer="i%d"/></p>' % (i, i + 1, i + 1)
                      for i in range(30)) + '<p xml:id="i30">x</p>'
    got = page(billion)
    ok(got[0] in (502, 504) and "GX01" in got[1], "what doubles 30 times ends at a limit") or diag(got)

    # ---- other ways to a source ----
    web.cgi("made", "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\n\\r\\n<a%s><xi:include href=\"%%s\"/></a>' "
                    "\"$QUERY_STRING\"\n" % XI)
    is_(web.get("/cgi-bin/made?file://%s/part.xml" % inc).text.replace(XI, "").strip(),
        "<a>%s</a>" % PART.replace('n="1"', 'n="1" xml:base="file://%s/part.xml"' % inc),
        "a program's document: a file by its URI")
    is_(web.get("/cgi-bin/made?urn:part").text.replace(XI, "").strip(), "<a>%s</a>" % PART, "... or by a catalog")
    web.error_at = len(web.log())
    is_(web.get("/cgi-bin/made?part.xml").status, 502, "... not relative to anything")
    like("".join(web.new_log("GX01", 1)), "GX0121: .*http://localhost.*/cgi-bin/made.*nothing is fetched",
         "... and the log says what it would be")
    is_(web.get("/cgi-bin/made?file:///etc/hostname").status, 502, "... nothing from elsewhere")
    web.put("htdocs/inc/by-root/t.xml", '<xi:include%s href="../part.xml"/>' % XI)
    is_(web.get("/inc/by-root/t.xml").text.strip()[-4:], "PART",
        "GPUXMLStylesheetFor sees the included document element")
    web.put("htdocs/inc/document/t.xml", '<a of="file://%s/t3.xml"/>' % inc)
    web.put("htdocs/inc/t3.xml", '<a%s><xi:include href="part.xml"/></a>' % XI)
    like(web.get("/inc/document/t.xml").text, "<part", "what document() reads is completed, too")

    # ---- what this server answers, with GPUXMLDocument subrequest ----
    web.put("htdocs/plain/part.xml", "<plain/>")
    web.put("htdocs/plain/locked/l.xml", "<locked/>")
    web.put("htdocs/plain/own.xml", '<o%s><xi:include href="part.xml"/></o>' % XI)
    web.put("htdocs/plain/reach.xml", '<r%s><xi:include '
        'href="file://%s/part.xml"><xi:fallback>F</xi:fallback></xi:include><xi:include '
        'href="urn:part"><xi:fallback>G</xi:fallback></xi:include></r>' % (XI, inc))
    web.put("htdocs/plain/entity.xml", '<!DOCTYPE e [<!ENTITY f SYSTEM "file://%s/text.txt">]><e>&f;</e>' % inc)
    web.put("htdocs/plain/again.xml", '<g%s><xi:include href="/inc/asked/t.xml"/></g>' % XI)
    web.put("htdocs/inc/asked/beside.xml", "<beside/>")
    web.cgi("word", "#!/bin/sh\nprintf 'Content-Type: text/plain; charset=ISO-8859-1\\r\\n\\r\\n%s caf\\351' "
                    "\"$QUERY_STRING\"\n")
    for body, want, name in [
            ('<xi:include href="/plain/part.xml"/>', '<plain xml:base="/plain/part.xml"/>', "a path from the root"),
            ('<xi:include href="beside.xml"/>', "<beside/>", "what lies beside the source"),
            ('<xi:include href="../../plain/own.xml"/>', '<o xml:base="../../plain/own.xml"><plain/></o>',
             "an answer, with the answer that it includes"),
            ('<xi:include href="/cgi-bin/word?w" parse="text" encoding="UTF-8"/>', "w caf\u00e9",
             "a program's text, in the encoding of its Content-Type"),
            ('<xi:include href="/plain/locked/l.xml"><xi:fallback>F</xi:fallback></xi:include>', "F",
             "not what who asks for the page may not have"),
            ('<xi:include href="http://elsewhere.example/x.xml"><xi:fallback>F</xi:fallback></xi:include>', "F",
             "nothing of another host"),
            ('<xi:include href="file://%s/part.xml" xpointer="b"/>' % inc,
             '<b xml:id="b" xml:base="file://%s/part.xml">B</b>' % inc, "a file by its URI"),
            ('<xi:include href="/plain/reach.xml"/>', '<r xml:base="/plain/reach.xml">FG</r>',
             "an answer includes no file")]:
        is_(page(body, where="inc/asked/t.xml"), (200, "<a>%s</a>" % want), "by a subrequest: " + name)
    for body, words, name in [
            ('<xi:include href="/plain/again.xml"/>', r'GX0121: .*/plain/again.xml:1:\d+: xi:include of '
                                                      r'"/inc/asked/t.xml": it includes itself', "a loop"),
            ('<xi:include href="/plain/entity.xml"/>', "GX0121: .*/plain/entity.xml:1:.*f",
             "an external entity of an answer"),
            ('<xi:include href="/plain/none.xml"/>', "GX0121: .*/plain/none.xml.*the server answers with status 404",
             "what is not there"),
            ('<xi:include href="/cgi-bin/word?x"/>', "GX0121: .*/cgi-bin/word.*1:1", "text for XML")]:
        got = page(body, where="inc/asked/t.xml")
        is_(got[0], 502, "no page by a subrequest: " + name)
        like(got[1], words, "... and the log says why")
    a = source('<xi:include href="/plain/part.xml"/>', where="inc/asked/t.xml")
    is_(web.get("/inc/asked/t.xml", If_None_Match=a["etag"]).status, 304, "its ETag answers a condition")
    web.put("htdocs/plain/part.xml", "<plain>2</plain>")
    b = web.get("/inc/asked/t.xml", If_None_Match=a["etag"])
    is_((b.status, "<plain" in b.text), (200, True), "... until the answer is another")
    web.put("htdocs/plain/own.xml", '<a%s><xi:include href="part.xml"/></a>' % XI)
    web.put("htdocs/plain/reach.xml", '<a%s><xi:include '
        'href="file://%s/part.xml"><xi:fallback><f>F</f></xi:fallback></xi:include></a>' % (XI, inc))
    for of, want in (("own", "^<plain[^>]*>2</plain>$"), ("reach", "^<f[^>]*>F</f>$")):
        web.put("htdocs/inc/fetched/t.xml", '<a of="/plain/%s.xml"/>' % of)
        like(web.get("/inc/fetched/t.xml").text.strip(), want,
             "what document() gets from this server is completed: " + of)
    web.put("htdocs/pi/t.xml", '<?xml-stylesheet type="text/xsl" href="/inc/pi.xsl"?><a%s><xi:include '
                               'href="../inc/part.xml"/></a>' % XI)
    web.put("htdocs/inc/pi.xsl", sheet('<xsl:strip-space elements="*"/><xsl:template match="/">PI <xsl:value-of '
                                       'select="count(//*)"/></xsl:template>'))
    is_(web.get("/pi/t.xml").text.strip()[-4:], "PI 4", "a document that names its stylesheet")
    web.put("htdocs/inc/t.xml", '<!DOCTYPE a><a%s><xi:include href="part.xml"/></a>' % XI)
    is_((web.get("/deny/t.xml").status, web.get("/inc/t.xml").status), (502, 200), "GPUXMLDTD deny is about the source")

    # ---- where it may stand ----
    web.put("htdocs/inc/h/.htaccess", "GPUXMLXInclude on\n")
    web.put("htdocs/inc/h/a.xml", "<a/>")
    is_(web.get("/inc/h/a.xml").status, 500, "not for .htaccess")
    like("".join(web.new_log("GPUXMLXInclude", 1)), "GPUXMLXInclude not allowed here", "... says so")
web.conf = "GPUXMLXInclude maybe\n"
code, said = web.test()
like(said, "GPUXMLXInclude must be On or Off", "refused: another word")
done()
