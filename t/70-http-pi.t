#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""<?xml-stylesheet?>: in the document itself, alternate ones, what a program of this server makes, and the line that
says why there is no page."""
import gzip
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()


def page(word, extra=""):
    return sheet('<xsl:output method="html" encoding="UTF-8" indent="no"/>%s<xsl:template match="/"><p>%s '
                 '<xsl:value-of select="normalize-space(/*/i)"/></p>'
                 '</xsl:template>' % (extra, word))


def backend(r):
    asked.append(r.path)
    if "fails" in r.path:
        return answer(r, b"no", "text/plain", 404)
    if "latin" in r.path:
        return answer(r, page("\u00e9").encode("latin-1"), "text/xsl; charset=ISO-8859-1")
    if "import" in r.path:
        return answer(r, sheet("", '<xsl:import href="base.xsl?v=%s"/>' % r.path.partition("?")[2]).encode(),
                      "text/xsl")
    if "base" in r.path:
        return answer(r, page("imported " + state["base"]).encode(), "text/xsl")
    if "broken" in r.path:
        return answer(r, b"<a>", "text/html")
    if "entity" in r.path:
        return answer(r, b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>' + page("&e;").encode(), "text/xsl")
    answer(r, page("proxied " + r.path.replace("&", "&amp;")).encode(), "text/xsl")


asked, state = [], {"base": "one"}
back = Backend(backend)
web = Httpd("pi", """
GPUXMLStylesheetRoot conf/xsl htdocs/style
GPUXMLCheckFiles 0s
ProxyPass "/p/" "http://127.0.0.1:%d/"
GPUXMLStylesheetPI prefer
<Location "/wp/">
    GPUXMLStylesheetPI prefer subrequest
    GPUXMLDocument none
</Location>
<Directory "@ROOT@/htdocs/wp">
    RewriteEngine On
    RewriteCond %%{REQUEST_FILENAME} !-f
    RewriteRule . /cgi-bin/index [L]
</Directory>
<Location "/wp/secret.xsl">
    Require all denied
</Location>
<Location "/off/">
    GPUXMLStylesheetPI off
</Location>
<Location "/fallback/">
    GPUXMLStylesheetPI fallback
    GPUXMLStylesheet conf/xsl/own.xsl
</Location>
<Location "/prefer/">
    GPUXMLStylesheet conf/xsl/own.xsl
</Location>
""" % back.port, modules=["authz_host"])
EMBEDDED = """<?xml version="1.0"?>
<?xml-stylesheet type="text/xsl" href="#look"?>
<!DOCTYPE doc [<!ATTLIST xsl:stylesheet id ID #REQUIRED>]>
<doc><i>%s</i>
  <xsl:stylesheet id="look" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">%s
    <xsl:output method="html" indent="no"/>
    <xsl:template match="xsl:*"/>
    <xsl:template match="/"><p>made of <xsl:value-of select="concat(name(*), ' ', name(document('')/*), ' ', *//i)"/></p></xsl:template>
  </xsl:stylesheet>
</doc>
"""


def doc(href, rest='type="text/xsl"'):
    return '<?xml-stylesheet %s href="%s"?><a><i>x</i></a>' % (rest, href)


for name, text in {
        "look.xml": EMBEDDED % ("one", ""), "look.xml.gz": gzip.compress((EMBEDDED % ("packed", "")).encode()),
        "broken.xml": EMBEDDED.replace("xsl:output", "xsl:outputs") % ("x", ""),
        "no-id.xml": EMBEDDED.replace("#look", "#none") % ("x", ""),
        "import.xml": EMBEDDED % ("x", '<xsl:import href="../style/words.xsl"/>'),
        "outside.xml": EMBEDDED % ("x", '<xsl:import href="outside.xsl"/>'),
        "alternate.xml": doc("/style/pi.xsl", 'type="text/xsl" alternate="yes" title="a"'),
        "alternates.xml": '<?xml-stylesheet type="text/xsl" alternate="yes" href="/style/pi.xsl"?>'
        + doc("/style/none.xsl", 'type="text/xsl" alternate="yes"'),
        "far.xml": doc("http://elsewhere.example/x.xsl"), "made.xml": doc("/p/s.xsl"),
        "typeless.xml": doc("/style/pi.xsl", ""),
        "typed.xml": doc("/style/pi.xsl", 'type="text/xslx"'), "css.xml": doc("/style/pi.css", 'type="text/css"'),
        "none.xml": "<a><i>x</i></a>"}.items():
    web.put("htdocs/doc/" + name, text)
    for where in "off", "prefer", "fallback":
        web.put("htdocs/%s/%s" % (where, name), text)
web.put("htdocs/doc/outside.xsl", sheet(""))
web.put("htdocs/style/pi.xsl", page("PI"))
web.put("htdocs/style/words.xsl", sheet('<xsl:template name="w"/>'))
web.put("conf/xsl/own.xsl", page("OWN"))
for name, href in {
        "short": "//localhost/p/short.xsl", "absolute": "http://localhost:81/p/absolute.xsl?a=1&amp;b=2",
            "root": "/p/root.xsl", "latin": "/p/latin.xsl",
        "rewritten": "main-sitemap.xsl?v=2", "rewritten-absolute": "//localhost/wp/main-sitemap.xsl",
        "fails": "/p/fails.xsl", "broken": "/p/broken.xsl",
        "import": "/p/import.xsl", "entity": "/p/entity.xsl", "far": "//elsewhere.example/main-sitemap.xsl",
        "file": "/style/pi.xsl", "secret": "secret.xsl",
        "denied": "/wp/secret.xsl", "fragment": "/p/s.xsl#x"}.items():
    web.put("htdocs/wp/%s.xml" % name, doc(href))
web.put("htdocs/wp/look.xml", EMBEDDED % ("x", '<xsl:import href="/p/base.xsl"/>'))
web.cgi("index", "#!/bin/sh\nprintf 'Content-Type: text/xsl\\r\\n\\r\\n'\ncat <<'END'\n%s\nEND\n" % page("CGI"))

with web:
    a = web.get("/doc/look.xml")
    is_((a.status, a.text, a["content-type"]), (200, "<p>made of doc doc one</p>", "text/html; charset=UTF-8"),
        "href=\"#look\": the stylesheet in the document")
    is_(web.get("/doc/look.xml", If_None_Match=a["etag"] or "-").status, 200, "... which asks document(''): no ETag")
    web.put("htdocs/doc/look.xml", EMBEDDED % ("two", ""))
    is_(web.get("/doc/look.xml").text, "<p>made of doc doc two</p>", "... changed with the document")
    is_(web.get("/doc/import.xml").text, "<p>made of doc doc x</p>",
        "... imports from beneath GPUXMLStylesheetRoot, relative to the document")
    web.new_log("GX")
    is_(web.get("/doc/outside.xml").status, 500, "... and nothing else")
    like(" ".join(web.new_log("GX0116", 1)), "no such file beneath", "... says so")
    is_(web.get("/doc/broken.xml").status, 500, "... an error in it")
    like(" ".join(web.new_log("GX0110", 1)), "broken.xml:\\d+:\\d+: .*outputs",
         "... is told with its line in the document")
    is_(web.get("/doc/no-id.xml").status, 500, "... that is not there")
    like(" ".join(web.new_log("GX0110", 1)), 'no stylesheet with the ID "none"', "... says so")
    is_(web.get("/off/look.xml").text[:5], "<?xml", "... not with GPUXMLStylesheetPI off")
    is_(web.get("/fallback/look.xml").text, "<p>OWN one</p>", "... fallback: the configured stylesheet first")
    is_(web.get("/prefer/look.xml").text, "<p>made of doc doc one</p>", "... prefer: the document's")
    for name in "alternate", "alternates":
        is_(web.get("/doc/%s.xml" % name).text, "<p>PI x</p>", "alternate=\"yes\" where there is no other: " + name)

    for name, words in (("far", '"http://elsewhere.example/x.xsl": it is another host\'s'),
                        ("made", '"/p/s.xsl": a program makes it.*GPUXMLStylesheetPI prefer subrequest'),
                        ("typeless", "it has no type"), ("typed", 'its type is "text/xslx"')):
        web.new_log("GX")
        a = web.get("/doc/%s.xml" % name)
        is_((a.status, a.text), (200, open(web.path("htdocs/doc/%s.xml" % name)).read()), "untransformed: " + name)
        said = web.new_log("GX0155", 1)
        is_(len(said), 1, "... one line says so")
        like(said[0] if said else "", "GX0155: not transformed: xml-stylesheet.*%s.*uri /doc/%s.xml" % (words, name),
             "... and why")
        is_(web.get("/prefer/%s.xml" % name).text, "<p>OWN x</p>", "... or with the configured stylesheet")
        is_(web.new_log("GX0155"), [], "... and without a line")
    for name in "css", "none":
        web.get("/doc/%s.xml" % name)
        is_(web.new_log("GX0155", 0.1), [], "no line of a document that names none for us: " + name)

    del asked[:]
    for name, want in (("short", "proxied /short.xsl"), ("absolute", "proxied /absolute.xsl?a=1&amp;b=2"),
                       ("root", "proxied /root.xsl"), ("latin", "\u00e9"),
                       ("rewritten", "CGI"), ("rewritten-absolute", "CGI"), ("file", "PI"),
                       ("fragment", "proxied /s.xsl")):
        for again in "", ", again":
            a = web.get("/wp/%s.xml" % name)
            is_((a.status, a.text), (200, "<p>%s x</p>" % want), "a stylesheet that this server makes: " + name + again)
    is_(asked.count("/root.xsl"), 2, "... asked for each time, since it may have changed")
    for base in "one", "two":
        state["base"] = base
        is_(web.get("/wp/import.xml").text, "<p>imported %s x</p>" % base,
            "... imports what it asks for likewise: " + base)
    like(web.get("/wp/look.xml").text, "made of doc doc x", "... and so does one in the document")
    web.new_log("GX")
    for name, words in (("fails", "status 404"), ("secret", "status 403"), ("denied", "status 403"),
                        ("broken", "broken.xsl:1:"), ("entity", "external|entity")):
        is_(web.get("/wp/%s.xml" % name).status, 500, "... no page: " + name)
        like(" ".join(web.new_log("GX01", 1)), words, "... and why")
    web.get("/wp/far.xml")
    like(" ".join(web.new_log("GX0155", 1)), "another host's", "... still not of another host")

for line, words in (("GPUXMLStylesheetPI prefer later", "may be followed by subrequest"),
                    ("GPUXMLStylesheetPI off subrequest", "may be followed by subrequest")):
    web.conf = line + "\n"
    code, said = web.test()
    ok(code != 0 and words in said, "refused: " + line) or diag(said)
web = Httpd("pi-htaccess", "GPUXMLStylesheetRoot htdocs\n", override="FileInfo")
web.put("htdocs/a.xml", "<a/>")
web.put("htdocs/.htaccess", "GPUXMLStylesheetPI prefer subrequest\n")
with web:
    is_(web.get("/a.xml").status, 500, "subrequest is not for .htaccess")
    like(" ".join(web.new_log("GPUXMLStylesheetPI", 1)), "server's configuration", "... says so")
done()
