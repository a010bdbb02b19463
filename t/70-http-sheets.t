#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several stylesheets in a row, stylesheets by the document element, XPath parameters, Last-Modified, GPUXMLDebug's
headers."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

ATOM = "http://www.w3.org/2005/Atom"
OLD, NEW = 1500000000, 1600000000
OLD_DATE, NEW_DATE = "Fri, 14 Jul 2017 02:40:00 GMT", "Sun, 13 Sep 2020 12:26:40 GMT"
LATER = "Mon, 01 Jan 2024 00:00:00 GMT"


def html(body, extra=""):
    return sheet('<xsl:output method="html" encoding="UTF-8" indent="no"/>%s<xsl:template '
                 'match="/"><html>%s</html></xsl:template>' % (extra, body))


SHEETS = {
    # step 1 makes a tree that is no document of its own: text before its element, white space that the next one
    # strips, nothing escaped twice
    "one": sheet('<xsl:output method="text" encoding="ISO-8859-1"/><xsl:param name="p" select="\'-\'"/><xsl:template '
                 'match="/">text<mid xmlns:k="urn:k" p="{$p}">'
                 '<xsl:text>  </xsl:text><k:v><xsl:value-of select="." '
                 'disable-output-escaping="yes"/>&#x20ac;</k:v><xsl:text>&#10;</xsl:text></mid></xsl:template>'),
    "two": html('<i><xsl:value-of select="count(//text())"/></i><b><xsl:value-of xmlns:k="urn:k" '
                'select="mid/k:v"/></b><u><xsl:value-of select="mid/@p"/></u>'
                '<s><xsl:value-of select="$p"/></s>', '<xsl:strip-space elements="mid"/><xsl:param name="p" '
                                                      'select="\'-\'"/>'),
    "again": sheet('<xsl:template match="*"><r><xsl:copy-of select="."/></r></xsl:template>'),
    "stop": sheet('<xsl:template match="/"><xsl:message terminate="yes">no more</xsl:message></xsl:template>'),
    "clock": sheet('<xsl:template match="/"><xsl:value-of select="d:date-time()"/></xsl:template>', "").replace(
        'version="1.0"', 'version="1.0" xmlns:d="http://exslt.org/dates-and-times"', 1),
    "feed": html('feed <xsl:value-of select="count(//text())"/>', '<xsl:strip-space elements="*"/>'),
    "atom": html('atom <xsl:value-of select="count(//text())"/>'),
    "any": html('any <xsl:value-of select="count(//text())"/>'),
    "param": html('<xsl:value-of select="$n + 1"/>|<xsl:value-of select="count($set)"/>|<xsl:value-of select="$s"/>',
                  '<xsl:param name="n" select="0"/><xsl:param name="set" select="/.."/><xsl:param name="s" '
                  'select="\'own\'"/>'),
    "lm": html('<xsl:value-of select="."/>'),
    # what document() brings of this server: by a path from its root, relative to the source, by its whole URI; of
    # others nothing
    "ask": html('<xsl:for-each select="//ask">[<xsl:value-of select="concat(count(document(.)//i), \' \', '
                'document(.))"/>]</xsl:for-each>'
                '<xsl:value-of select="count(document(//ask))"/>|<xsl:value-of '
                'select="document(\'/ask/part.xml\')"/>|<xsl:value-of select="document(\'ask.xsl\')/*/@version"/>'),
    # the stylesheet's own document, in the module that asks, wherever document() may read
    "own": html('<xsl:value-of select="concat(document(\'\')/*/t:t, \'|\', document($none)/*/t:t, \'|\', '
                'name(document(\'\', /a)/*), \'|\', '
                'document(\'#here\'), \'|\', dyn:evaluate(&quot;document(\'\')/*/t:t&quot;), '
                '\'|\')"/><xsl:call-template name="module"/>',
                '<xsl:include href="own-module.xsl"/><xsl:param name="none"/><t:t xmlns:t="urn:t" '
                'xml:id="here">main</t:t>'),
    "beside": sheet('<xsl:template match="/"><exsl:document xmlns:exsl="http://exslt.org/common" href="x">a '
                    'file</exsl:document></xsl:template>').replace(
        'version="1.0"', 'version="1.0" extension-element-prefixes="exsl" xmlns:exsl="http://exslt.org/common"', 1),
    "own-module": sheet('<t:t xmlns:t="urn:t">module</t:t><xsl:template name="module"><xsl:value-of '
                        'select="document(\'\')/*/t:t"/></xsl:template>'),
}
for name in "own", "own-module":
    SHEETS[name] = SHEETS[name].replace('version="1.0"', 'version="1.0" xmlns:t="urn:t" '
        'xmlns:dyn="http://exslt.org/dynamic" exclude-result-prefixes="t dyn"', 1)


def backend(r):
    if "large" in r.path:
        return answer(r, b"<large>%s</large>" % (b"x" * 300000))
    if "asked" in r.path:
        asked.append((r.command, r.headers.get("If-None-Match"), r.headers.get("Accept-Encoding"), r.path))
        return answer(r, "<asked>\u00e9</asked>".encode("iso-8859-1"), "text/xml; charset=ISO-8859-1")
    xml = b"<list>x</list>" if "list" in r.path else b"<feed> <a/> </feed>"
    answer(r, xml, Last_Modified=OLD_DATE, ETag='"source"')


asked = []
back = Backend(backend)
CONF = """
GPUXMLEngine %s
GPUXMLStylesheetRoot conf/xsl
ProxyPass "/p/" "http://127.0.0.1:%d/"
<Location "/chain/">
    GPUXMLStylesheet conf/xsl/one.xsl conf/xsl/two.xsl
    GPUXMLParam p given
</Location>
<Location "/chain/expr/">
    GPUXMLStylesheet "%%{HTTP:X-Sheet}.xsl" conf/xsl/two.xsl
</Location>
<Location "/chain/long/">
    GPUXMLStylesheet conf/xsl/again.xsl conf/xsl/again.xsl conf/xsl/again.xsl conf/xsl/again.xsl conf/xsl/again.xsl conf/xsl/again.xsl conf/xsl/again.xsl conf/xsl/again.xsl
</Location>
<Location "/chain/stop/">
    GPUXMLStylesheet conf/xsl/one.xsl conf/xsl/stop.xsl conf/xsl/two.xsl
</Location>
<Location "/chain/stop/pass/">
    GPUXMLOnError sheet=pass
</Location>
<Location "/chain/clock/">
    GPUXMLStylesheet conf/xsl/clock.xsl conf/xsl/two.xsl
</Location>
<LocationMatch "^/(p/)?for/">
    GPUXMLStylesheetFor feed conf/xsl/feed.xsl
    GPUXMLStylesheetFor {%s}feed conf/xsl/atom.xsl
    GPUXMLStylesheetFor chain conf/xsl/one.xsl conf/xsl/two.xsl
</LocationMatch>
<LocationMatch "^/for/default/">
    GPUXMLStylesheet conf/xsl/any.xsl
    GPUXMLStylesheetFor feed conf/xsl/feed.xsl
</LocationMatch>
<Location "/for/default/inner/">
    GPUXMLStylesheetFor {%s}feed conf/xsl/lm.xsl
</Location>
<Location "/for/default/alone/">
    GPUXMLStylesheet conf/xsl/lm.xsl
</Location>
<Location "/for/pi/">
    GPUXMLStylesheetPI fallback
</Location>
<Location "/for/prefer/">
    GPUXMLStylesheetPI prefer
</Location>
<Location "/select/">
    GPUXMLSelect "string(/*)"
</Location>
<Location "/select/for/">
    GPUXMLStylesheetFor feed conf/xsl/feed.xsl
</Location>
GPUXMLVendor libxslt http://xmlsoft.org/XSLT/
<Location "/param/">
    GPUXMLXPathParam n "count(//a) + 1"
    GPUXMLXPathParam s "'first'"
    GPUXMLStylesheet conf/xsl/param.xsl
    GPUXMLXPathParam set //a
    GPUXMLXPathParam s "concat('x', name(/*))"
</Location>
<Location "/param/vendor/">
    GPUXMLNamespace x http://www.w3.org/1999/XSL/Transform
    GPUXMLSelect "concat(system-property('x:vendor'), ' ', system-property(concat('x:vendor', '-url')))"
</Location>
<Location "/param/inner/">
    GPUXMLParam s string
</Location>
<Location "/param/plain/">
    GPUXMLStylesheet conf/xsl/param.xsl
</Location>
<LocationMatch "^/(p/)?lm/source/">
    GPUXMLStylesheet conf/xsl/lm.xsl
    GPUXMLLastModified source
</LocationMatch>
<Location "/lm/newest/">
    GPUXMLStylesheet conf/xsl/lm.xsl
    GPUXMLLastModified newest
    GPUXMLETag off
</Location>
<Location "/lm/source/packed/">
    SetOutputFilter DEFLATE
</Location>
<Location "/lm/off/">
    GPUXMLStylesheet conf/xsl/lm.xsl
</Location>
<Location "/lm/clock/">
    GPUXMLStylesheet conf/xsl/clock.xsl
    GPUXMLLastModified source
</Location>
<Location "/debug/">
    GPUXMLStylesheet conf/xsl/lm.xsl
    GPUXMLDebug headers
    ErrorDocument 502 "sorry"
</Location>
<Location "/debug/when/">
    GPUXMLWhen "%%{HTTP:Accept} =~ m#^text/html#"
</Location>
<Location "/ask/">
    GPUXMLStylesheet conf/xsl/ask.xsl
    GPUXMLDocument subrequest
    GPUXMLLimit input=200K
</Location>
<Location "/ask/max/">
    GPUXMLLimit input=max
</Location>
<Location "/ask/file/">
    GPUXMLDocument file
</Location>
<Location "/ask/include.shtml">
    ForceType text/xml
    SetOutputFilter INCLUDES
</Location>
<Location "/beside/">
    GPUXMLStylesheet conf/xsl/beside.xsl
</Location>
<Location "/own/">
    GPUXMLStylesheet conf/xsl/own.xsl
</Location>
<Location "/own/file/">
    GPUXMLDocument file
</Location>
<Location "/own/subrequest/">
    GPUXMLDocument subrequest
</Location>
<Location "/own/pi/">
    GPUXMLStylesheetPI prefer
    GPUXMLDocument subrequest
</Location>
<Directory "@ROOT@/htdocs/ask/rewritten">
    RewriteEngine On
    RewriteRule . /cgi-bin/asked [L]
</Directory>
<Location "/ask/secret.xml">
    Require all denied
</Location>
<Location "/ht/">
    GPUXMLTimeout 9s
</Location>
<Location "/status">
    SetHandler gpuxml-status
</Location>
"""
TREE = "<a>x &amp;amp; y</a>"
PAGE = "<html><i>2</i><b>x &amp;amp; y\u20ac</b><u>given</u><s>given</s></html>"


def put_all(web):
    for name, text in SHEETS.items():
        path = web.put("conf/xsl/%s.xsl" % name, text)
        os.utime(path, (OLD, OLD))
    for where in ("chain", "chain/expr", "chain/long", "chain/stop", "chain/stop/pass", "chain/clock", "ht", "select",
                  "lm/clock"):
        web.put("htdocs/%s/a.xml" % where, TREE)
    for where in ("for", "for/default", "for/default/inner", "for/default/alone", "for/pi", "for/prefer", "select/for"):
        web.put("htdocs/%s/feed.xml" % where, "<feed> <a/> </feed>")
        web.put("htdocs/%s/atom.xml" % where, '<f:feed xmlns:f="%s"> <a/> </f:feed>' % ATOM)
        web.put("htdocs/%s/other.xml" % where, '<other xmlns="urn:o"> <a/> </other>')
        web.put("htdocs/%s/pi.xml" % where,
            '<?xml-stylesheet type="text/xsl" href="/style/any.xsl"?><%s/>' % ("feed" if where == "for/prefer"
                else "other"))
        web.put("htdocs/%s/wrong.xml" % where, "<other></feed>")
        web.put("htdocs/%s/chain.xml" % where, "<chain>c</chain>")
    for where in ("param", "param/inner", "param/plain", "param/vendor"):
        web.put("htdocs/%s/a.xml" % where, "<r><a/><a/></r>")
    for where in ("lm/source", "lm/source/packed", "lm/newest", "lm/off", "debug", "debug/when"):
        os.utime(web.put("htdocs/%s/a.xml" % where, "<a>dated</a>"), (NEW, NEW))
    web.put("htdocs/debug/wrong.xml", "<a>")
    for where in ("own", "own/file", "own/subrequest", "beside"):
        web.put("htdocs/%s/a.xml" % where, "<a/>")
    web.put("htdocs/own/pi/a.xml", '<?xml-stylesheet type="text/xsl" href="/style/own.xsl"?><a/>')
    web.put("htdocs/ask/part.xml", "<p><i/>part</p>")
    web.put("htdocs/ask/secret.xml", "<p>secret</p>")
    web.put("htdocs/ask/rewritten/there.txt", "")
    web.put("htdocs/ask/wrong.xml", "<p>wrong")
    web.put("htdocs/ask/include.shtml", '<p><i/><!--#include virtual="/ask/part.xml" --></p>')
    web.cgi("asked", '#!/bin/sh\nprintf "Content-Type: text/xml\\n\\n<p><i/>$QUERY_STRING $REQUEST_METHOD</p>"\n')
    web.cgi("fails", '#!/bin/sh\nprintf "Status: 503\\nContent-Type: text/xml\\n\\n<p>fails</p>"\n')
    for name in "any", "own", "own-module":
        web.put("htdocs/style/%s.xsl" % name, SHEETS[name])
    web.put("htdocs/ht/.htaccess", "GPUXMLStylesheetFor b any.xsl\nGPUXMLStylesheetFor a one.xsl "
                                   "two.xsl\nGPUXMLLastModified source\n")


def check(engine):
    web = Httpd("sheets-" + engine, (CONF % (engine, back.port, ATOM, ATOM)).replace("GPUXMLStylesheetRoot conf/xsl",
        "GPUXMLStylesheetRoot conf/xsl htdocs/style"),
                override="FileInfo")
    put_all(web)
    with web:
        a = web.get("/chain/a.xml")
        is_((a.status, a.text, a["Content-Type"]), (200, PAGE, "text/html; charset=UTF-8"),
            engine + ": the page of two stylesheets")
        like(web.access("/chain/a.xml")[-1], "state=done .*sheet=one.xsl", "... both are told")
        is_(web.get("/chain/a.xml", If_None_Match=a["ETag"]).status, 304, "... and its ETag is known again")
        web.put("conf/xsl/one.xsl", SHEETS["one"].replace("text<mid", "other text<mid"))
        for _ in range(100):
            if web.get("/chain/a.xml")["ETag"] != a["ETag"]:
                break
            time.sleep(0.1)
        ok(web.get("/chain/a.xml")["ETag"] != a["ETag"], "... which changes with the first stylesheet")
        web.put("conf/xsl/one.xsl", SHEETS["one"])
        time.sleep(1.5)
        b = web.get("/chain/expr/a.xml", X_Sheet="one")
        is_((b.text, b["Vary"]), (PAGE, "X-Sheet"), "one of them named by an expression")
        b = web.get("/chain/expr/a.xml", X_Sheet="none")
        is_(b.status, 500, "... which names none")
        like(" ".join(web.new_log("GX0104")), 'none.xsl.*no such file', "... says which")
        is_(web.get("/chain/long/a.xml").text.count("<r>"), 8, "eight in a row")
        b = web.get("/chain/stop/a.xml")
        is_(b.status, 500, "the second ends it")
        like(" ".join(web.new_log("GX0112")), r"no more .*\[class sheet, sheet stop.xsl",
             "... it is the one that is named")
        is_(web.get("/chain/stop/pass/a.xml").text, TREE, "... or the source is passed")
        is_(web.get("/chain/clock/a.xml")["ETag"], None, "no ETag where one of them looks at the clock")
        is_(web.get("/ht/a.xml").text, PAGE.replace("given", "-"), "a row of them by document element in .htaccess")

        for _ in range(2):
            is_([web.get("/for/%s.xml" % n).text for n in ("feed", "atom", "chain")],
                ["<html>feed 0</html>", "<html>atom 2</html>", "<html><i>2</i><b>c\u20ac</b><u>-</u><s>-</s></html>"],
                "by the document element")
        is_(web.get("/for/feed.xml").text, web.get("/for/feed.xml").text, "the same twice")
        c = web.get("/for/other.xml")
        is_((c.text, c["Content-Type"]), ('<other xmlns="urn:o"> <a/> </other>', "text/xml"),
            "another element: it goes out as it came")
        like(web.access("/for/other.xml")[-1], "state=bypass code=no-stylesheet", "... and that is told")
        is_(web.get("/for/wrong.xml").status, 502, "what is not well-formed does not")
        is_(web.get("/p/for/feed").text, "<html>feed 0</html>", "of a back end")
        is_(web.get("/p/for/list").text, "<list>x</list>", "... another element")
        is_([web.get("/for/default/%s.xml" % n).text for n in ("feed", "atom", "other")],
            ["<html>feed 0</html>", "<html>any 2</html>", "<html>any 2</html>"],
            "with a stylesheet for the others, in place of the outer section's")
        is_([web.get("/for/default/inner/%s.xml" % n).text for n in ("feed", "atom", "other")],
            ["<html>feed 0</html>", "<html>  </html>", "<html>any 2</html>"], "an inner section adds one")
        is_(web.get("/for/default/alone/feed.xml").text, "<html>  </html>", "an inner section's stylesheet is for all")
        is_([web.get("/for/pi/%s.xml" % n).text for n in ("feed", "pi", "other")],
            ["<html>feed 0</html>", "<html>any 0</html>", '<other xmlns="urn:o"> <a/> </other>'],
            "an xml-stylesheet instruction for the others")
        is_([web.get("/for/prefer/%s.xml" % n).text for n in ("feed", "pi")],
            ["<html>feed 0</html>", "<html>any 0</html>"], "... or first of all")
        is_([web.get("/select/a.xml").text, web.get("/select/for/feed.xml").text,
             web.get("/select/for/atom.xml").text[:7]],
            ["x &amp; y\n", "<html>feed 0</html>", "<f:feed"], "in a selection's place")

        is_(web.get("/param/vendor/a.xml").text, "libxslt http://xmlsoft.org/XSLT/\n",
            "GPUXMLVendor, of a literal name and of one that is computed")
        is_([web.get("/param/%sa.xml" % n).text for n in ("", "inner/", "plain/")],
            ["<html>4|2|xr</html>", "<html>4|2|string</html>", "<html>1|0|own</html>"],
            "XPath parameters; strings of the same name; another section's")

        lm = web.get("/lm/source/a.xml")
        is_(lm["Last-Modified"], NEW_DATE, "the source's Last-Modified")
        is_([web.get("/lm/source/a.xml", If_Modified_Since=d).status for d in (OLD_DATE, NEW_DATE, LATER)],
            [200, 304, 304], "... is asked for")
        is_([web.get("/lm/source/a.xml", If_Unmodified_Since=d).status for d in (OLD_DATE, NEW_DATE, LATER)],
            [412, 200, 200], "... the other way, too")
        is_([web.get("/lm/source/a.xml", If_Modified_Since=LATER, If_None_Match=e).status for e in ('"x"', lm["ETag"])],
            [200, 304], "... after the ETag")
        d = web.get("/lm/source/a.xml", If_Modified_Since=LATER)
        is_((d.body, d["Last-Modified"], d["ETag"]), (b"", NEW_DATE, lm["ETag"]), "... a 304 has both")
        d = web.get("/lm/source/packed/a.xml", If_Modified_Since=LATER, Accept_Encoding="gzip")
        is_((d.status, d["Last-Modified"], d["ETag"], d["Vary"]), (304, NEW_DATE, None, "Accept-Encoding"),
            "... of a page that may be packed")
        is_(web.get("/p/lm/source/list")["Last-Modified"], OLD_DATE, "... of a back end")
        is_(web.get("/p/lm/source/list", If_Modified_Since=NEW_DATE).status, 304, "... whose page has not changed")
        is_(web.get("/lm/newest/a.xml")["Last-Modified"], NEW_DATE, "the newest of source and stylesheet")
        os.utime(web.put("conf/xsl/lm.xsl", SHEETS["lm"].replace("<html>", "<html>new ")), (NEW + 100, NEW + 100))
        for _ in range(100):
            if web.get("/lm/newest/a.xml")["Last-Modified"] != NEW_DATE:
                break
            time.sleep(0.1)
        is_(web.get("/lm/newest/a.xml")["Last-Modified"], "Sun, 13 Sep 2020 12:28:20 GMT", "... when that was edited")
        is_(web.get("/lm/newest/a.xml", If_Modified_Since=NEW_DATE).text, "<html>new dated</html>", "... it is sent")
        is_([web.get("/lm/off/a.xml")["Last-Modified"], web.get("/lm/clock/a.xml")["Last-Modified"]], [None, None],
            "none by itself, nor where the clock has a part")
        is_(web.get("/lm/off/a.xml", If_Modified_Since=LATER).status, 200, "... and none is asked for")

        e = web.get("/debug/a.xml")
        like(e["X-GPUXML-Why"], "^done; -", "GPUXMLDebug headers: how it ended")
        like(e["Server-Timing"], r'^parse;dur=\d+\.\d+, queue;dur=\d+\.\d+, eval;dur=\d+\.\d+;desc="%s", '
                                 r'out;dur=\d+\.\d+$' % engine, "... and how long it took")
        like(web.get("/debug/a.xml", If_None_Match=e["ETag"])["X-GPUXML-Why"], "^notmodified; 304; ",
             "... of a condition")
        f = web.get("/debug/wrong.xml")
        is_((f.status, f.text, f["X-GPUXML-Why"][:14]), (502, "sorry", "error; GX0107;"), "... of an error")
        like(web.get("/debug/when/a.xml")["X-GPUXML-Why"], "^bypass; when; ", "... of what goes out as it came")
        is_(e.headers.keys() - web.get("/lm/off/a.xml").headers.keys(), {"x-gpuxml-why", "server-timing"},
            "not without it")
        def asks(*uris, folder="ask", **more):
            web.put("htdocs/%s/page.xml" % folder,
                    "<page><i/>self%s</page>" % "".join("<ask>%s</ask>" % u for u in uris))
            return web.get("/%s/page.xml" % folder, **more)

        here = "http://localhost:%d" % web.port
        is_(asks("part.xml", "/ask/part.xml", "../ask/./part.xml", here + "/ask/part.xml",
                 "//localhost:%d/ask/part.xml" % web.port,
                 Host="localhost:%d" % web.port).text,
            "<html>" + "[1 part]" * 5 + "1|part|1.0</html>",
            "document() of this server: one document, whatever it is called, and not transformed")
        is_(asks("/cgi-bin/asked?a=b").text, "<html>[1 a=b GET]1|part|1.0</html>", "... of a program")
        is_(asks("/cgi-bin/asked?a=b", method="POST", Content_Length="0").text, "<html>[1 a=b GET]1|part|1.0</html>",
            "... for a POST, too")
        is_(asks("/ask/rewritten/x?a=b").text, "<html>[1 a=b GET]1|part|1.0</html>",
            "... where a RewriteRule of a directory leads")
        del asked[:]
        is_(asks("/p/asked", If_None_Match='"x"', Accept_Encoding="gzip").text, "<html>[0 \u00e9]1|part|1.0</html>",
            "... of a back end, in its charset")
        is_(asked, [("GET", None, None, "/asked")], "... which sees nothing of the page's conditions and encodings")
        is_(asks("page.xml").text.count("self"), 1, "... of the page itself: the source")
        is_(asks("include.shtml").text, "<html>[2 part]1|part|1.0</html>",
            "... with what it includes, which is not transformed either")
        web.new_log("GX")
        a = asks("secret.xml", "none.xml", "/cgi-bin/fails", "wrong.xml")
        is_((a.status, a.text), (200, "<html>[0 ][0 ][0 ][0 ]0|part|1.0</html>"),
            "... of what the client may not have, is not there, fails, is not well-formed: nothing")
        said = " ".join(web.new_log("GX0154"))
        for words in ("secret.xml: document.*status 403", "none.xml: document.*status 404",
                      "fails: document.*status 503", "wrong.xml:1:"):
            like(said, words, "... and that is told: " + words)
        a = asks("http://elsewhere.invalid/a.xml", "https://localhost/a.xml", "http://localhost.invalid/",
                 here + "0/ask/part.xml", "ftp://localhost/x", "file:///etc/passwd", "//elsewhere.invalid/a")
        is_(a.text, "<html>" + "[0 ]" * 7 + "0|part|1.0</html>", "... of another server, or a file anywhere: nothing")
        a = asks("/p/large")
        is_(a.status, 500, "... of more bytes than input=")
        like(" ".join(web.new_log("GX0113|GX0108")), "input=", "... says so")
        is_(asks("/ask/part.xml?" + "x" * 9000).text, "<html>[0 ]0|part|1.0</html>",
            "... by a longer URI than a request's line may have: nothing")
        is_(asks("/p/asked\u0001 x", "/p/asked\u00e9<![CDATA[\"<>]]>").status, 502, "... a control character is no XML")
        del asked[:]
        asks("/p/asked a\u00e9<![CDATA[\"<]]>\nHost: x")
        is_([a[3] for a in asked], ["/asked%20a%C3%A9%22%3C%0AHost:%20x"], "... odd characters are escaped")
        h = asks("part.xml", method="HEAD")
        is_((h.status, h.body, h["Content-Length"]), (200, b"", str(len("<html>[1 part]1|part|1.0</html>"))),
            "... for a HEAD")
        is_(asks("/ask/part.xml", folder="ask/max").text, "<html>[1 part]1|part|1.0</html>", "... with input=max")
        web.put("htdocs/ask/file/part.xml", "<p/>")
        is_(asks("part.xml", "/ask/part.xml", folder="ask/file").text, "<html>[0 ][0 ]0||1.0</html>",
            "GPUXMLDocument file: none of that")

        web.new_log("GX")
        is_(web.get("/beside/a.xml").status, 500, "exsl:document is not for httpd")
        like(" ".join(web.new_log("GX0111", 1)), "exsl:document writes a file beside the result: gpuxslt --write-below "
                                                 "DIRECTORY does that, httpd does not",
                                                     "... which names the instruction")
        for where in "", "file/", "subrequest/", "pi/":
            for again in "", ", again":
                is_(web.get("/own/%sa.xml" % where).text, "<html>main|main|a|main|main|module</html>",
                    "document('') in memory: /own/%s%s" % (where, again))
        is_(web.new_log("GX"), [], "... without a word in the log")

        code, said = web.test("-D", "DUMP_GPUXML")
        ok(code == 0 and said.count("param.xsl") == 2, "each program is listed") or diag(said)


check("cpu")
if os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    check("worker")

# ---- the configuration ----

WRONG = [
    ("GPUXMLStylesheet", "GPUXMLStylesheet takes the path"),
    ("GPUXMLStylesheet" + " conf/xsl/any.xsl" * 9, "GPUXMLStylesheet takes at most 8 stylesheets"),
    ("GPUXMLStylesheet conf/xsl/any.xsl http://elsewhere/b.xsl", "no URL"),
    ("GPUXMLStylesheet conf/xsl/any.xsl conf/xsl/none.xsl", "none.xsl"),
    ("GPUXMLStylesheetFor feed", "GPUXMLStylesheetFor takes the document element's name"),
    ("GPUXMLStylesheetFor {urn:a conf/xsl/any.xsl", "GPUXMLStylesheetFor takes the document element's name"),
    ("GPUXMLStylesheetFor a:b conf/xsl/any.xsl", "GPUXMLStylesheetFor takes the document element's name"),
    ("GPUXMLSelect //a\nGPUXMLStylesheetFor a conf/xsl/any.xsl", "exclude each other"),
    ("GPUXMLStylesheetFor a conf/xsl/any.xsl\nGPUXMLSelect //a", "exclude each other"),
    ("GPUXMLXPathParam p 1", "GPUXMLXPathParam: it is compiled into the stylesheets that the same section names"),
    ("GPUXMLXPathParam p 1\nGPUXMLSelect //a", "GPUXMLXPathParam: it is compiled into the stylesheets that the same "
                                               "section names"),
    ("GPUXMLXPathParam n 1+\nGPUXMLStylesheet conf/xsl/param.xsl", "parameter n: an expression expected"),
    ("GPUXMLLastModified on", "GPUXMLLastModified must be off, source or newest"),
    ("GPUXMLVendor x", "GPUXMLVendor not allowed"),
    ("GPUXMLDebug on", "GPUXMLDebug must be off or headers"),
]
for directives, words in WRONG:
    web = Httpd("sheets-wrong", "<Location /a>\n%s\n</Location>" % directives)
    put_all(web)
    code, said = web.test()
    ok(code != 0 and words in said, "httpd -t: " + directives.replace("\n", ", ")[:70]) or diag(said)
done()
