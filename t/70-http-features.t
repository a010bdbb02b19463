#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each directive does what docs/reference/directives.md says; SSI, .htaccess, xml-stylesheet instructions, the status
page."""
import gzip
import json
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

XML = '<list><item>one</item><item>two</item></list>'
NS_XML = '<feed xmlns="urn:f"><entry><title>T1</title></entry><entry><title>T2</title></entry></feed>'
ATTACKER_LANG = b"\xff<script>\xed\xa0\x80"


def page(word):
    """A stylesheet whose page carries a word, the parameter p and the text of the source."""
    return sheet('<xsl:output method="html" encoding="UTF-8"/><xsl:param name="p" select="\'unset\'"/><xsl:template '
                 'match="/"><html><i>%s</i>'
                 '<b><xsl:value-of select="$p"/></b><xsl:value-of select="."/></html></xsl:template>' % word)


def backend(r):
    if r.path.endswith("/cookie.xml"):
        return answer(r, XML.encode(), Set_Cookie="a=1", Vary="Cookie", Content_Language="en",
                      Content_Range="bytes 0-1/2")
    if "half" in r.path:
        return answer(r, b"<%s>" % (b"a" * len(r.path)), Vary="Cookie")     # each its own line in the log
    if "untouched" in r.path:
        # a list in two lines
        return answer(r, XML.encode(), cache_control="max-age=60", Cache_Control='private="x, y", No-Transform')
    if r.path == "/pass.xml":
        return answer(r, gzip.compress(XML.encode()), Content_Encoding="gzip", Cache_Control="max-age=60",
                      ETag='"source"', Last_Modified="Sun, 01 Jan 2023 00:00:00 GMT")
    if r.path == "/links.xml":
        return answer(r, "<a>\u00e9</a>".encode())
    if r.path.endswith("/streamed.xml"):
        r.send_response(200)
        r.send_header("Content-Type", "text/xml")
        r.send_header("Connection", "close")
        r.end_headers()
        r.wfile.write(b"<feed>" + b"x" * 2000)
        r.wfile.flush()
        go_on.wait(20)
        r.wfile.write(b"</feed>")
        r.close_connection = True
        return
    if "pi-fallback" in r.path:
        return answer(r, open(web.path("htdocs/pi-fallback/" + r.path.split("/pi-fallback/")[1]), "rb").read())
    if "codings" in r.path:
        return answer(r, XML.encode(), content_encoding="identity", Content_Encoding="br")
    answer(r, XML.encode(), "application/vnd.custom+xml" if "custom" in r.path else "text/xml")


go_on = threading.Event()
CONF = """
GPUXMLStylesheetRoot conf/xsl htdocs/style htdocs/pi-fallback htdocs/pretty htdocs/inner
ProxyPass "/proxy/" "http://127.0.0.1:%d/"
AddEncoding x-gzip .gz
<Location "/sheet">
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/param">
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLParam p "<%%{HTTP:X-P}>"
</Location>
<Location "/literal">
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLParam p plain
    GPUXMLParam unknown unused
</Location>
<Location "/literal/inner">
    GPUXMLParam p inner
</Location>
<Location "/literal/empty">
    GPUXMLParam p ""
</Location>
<Location "/expr">
    GPUXMLStylesheet "%%{HTTP:X-Sheet}.xsl"
</Location>
<Location "/when">
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLWhen "%%{HTTP:Accept} =~ m#^text/html#"
</Location>
<Location "/proxy/when">
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLWhen "%%{HTTP:Accept} =~ m#^text/html#"
</Location>
<Location "/proxy/when/lang">
    GPUXMLParam p "%%{HTTP:Accept-Language}%%{HTTP:accept}"
</Location>
<Location "/proxy/when/half">
    GPUXMLOnError source=404
</Location>
<Location "/proxy/when/half/document">
    ErrorDocument 404 /plain/a.xml
</Location>
<Location "/proxy/cookie.xml">
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/cgi-bin/untouched">
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/proxy/untouched">
    GPUXMLStylesheet conf/xsl/a.xsl
    SetEnvIf Request_URI force force-gpuxml
</Location>
<Location "/proxy/untouched/mod_filter">
    AddOutputFilterByType GPUXSLT text/xml
</Location>
<Location "/types">
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLTypes text/plain +xml
</Location>
<Location "/env">
    GPUXMLStylesheet conf/xsl/a.xsl
    SetEnvIf Request_URI off no-gpuxml
    SetEnvIf Request_URI force force-gpuxml
    ErrorDocument 404 /env/page.shtml
</Location>
<Directory "@ROOT@/htdocs/env">
    AddType text/html .shtml
    AddOutputFilter INCLUDES .shtml
    RewriteEngine On
    RewriteRule ^raw/(.*) $1 [E=no-gpuxml:1,L]
    RewriteRule ^made/(.*) $1 [E=force-gpuxml:1,L]
</Directory>
<Location "/select">
    GPUXMLSelect //a:title as xml titles
    GPUXMLNamespace a urn:f
</Location>
<Location "/select/last">
    GPUXMLSelect //a:title as xml titles
    GPUXMLSelect //a:title as xml
    GPUXMLNamespace a urn:f
</Location>
<Location "/select/text">
    GPUXMLSelect "count(//*)"
</Location>
<Location "/select/filter">
    SetOutputFilter GPUXPATH
</Location>
<Location "/select/other">
    SetOutputFilter GPUXSLT
</Location>
<Location "/sheet/other">
    SetOutputFilter GPUXPATH
</Location>
<Location "/output">
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLOutput type=application/x-test charset=iso-8859-1
</Location>
<Location "/charset">
    GPUXMLStylesheet conf/xsl/charset.xsl
    CharsetSourceEnc ISO-8859-1
    CharsetDefault UTF-8
</Location>
<Location "/media">
    GPUXMLStylesheet conf/xsl/media.xsl
</Location>
<Location "/nothing">
    GPUXMLStylesheet conf/xsl/nothing.xsl
</Location>
<Location "/noetag">
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLETag off
</Location>
<Files "denied.xsl">
    Require all denied
</Files>
<Location "/pi-off">
    GPUXMLStylesheetPI off
</Location>
<Location "/pi-fallback">
    GPUXMLStylesheetPI fallback
</Location>
<Location "/pi-fallback/sheet">
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/pi-prefer">
    GPUXMLStylesheetPI prefer
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/error">
    GPUXMLStylesheet conf/xsl/stop.xsl
</Location>
<Location "/error/pass">
    GPUXMLOnError sheet=pass
</Location>
<Location "/proxy/pi-fallback">
    GPUXMLStylesheetPI fallback
    GPUXMLLimit input=5M
</Location>
<LocationMatch "^/(proxy/)?pi-fallback/less/">
    GPUXMLLimit input=1K
    GPUXMLDTD deny
</LocationMatch>
<Location "/proxy/pass.xml">
    GPUXMLStylesheet conf/xsl/stop.xsl
    GPUXMLOnError sheet=pass
</Location>
<Location "/error/507">
    GPUXMLOnError sheet=507 source=422
</Location>
<Location "/error/document">
    ErrorDocument 404 /sheet/a.xml
    ErrorDocument 500 /sheet/a.xml
</Location>
<Location "/error/program">
    ErrorDocument 500 /cgi-bin/stop
</Location>
<Location "/cgi-bin/stop">
    GPUXMLStylesheet conf/xsl/stop.xsl
    ErrorDocument 500 /cgi-bin/stop
</Location>
RewriteEngine On
RewriteRule ^/pretty/.*[.]xml$ /pi-fallback/beside.xml [PT]
<Directory "@ROOT@/htdocs/inner">
    RewriteEngine On
    RewriteRule ^page$ /pi-fallback/beside.xml
</Directory>
<IfModule xsendfile_module>
    XSendFile On
    XSendFilePath "@ROOT@/htdocs"
    <Location "/cgi-bin/sendfile">
        GPUXMLStylesheet conf/xsl/a.xsl
    </Location>
</IfModule>
<Location "/twice">
    SetOutputFilter GPUXSLT;GPUXSLT
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/bytype">
    AddOutputFilterByType GPUXSLT text/xml
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location "/bytype/page">
    AddOutputFilterByType GPUXSLT text/html
</Location>
<Location "/bytype/when">
    GPUXMLWhen "%%{HTTP:Accept} =~ m#^text/html#"
</Location>
<Location "/order">
    GPUXMLStylesheet conf/xsl/a.xsl
    AddOutputFilterByType SUBSTITUTE text/html
    Substitute "s|item>one|item>source|"
    Substitute "s|<i>A</i>|<i>page</i>|"
</Location>
<Location "/proxy/links.xml">
    GPUXMLStylesheet conf/xsl/links.xsl
    ProxyHTMLEnable On
    ProxyHTMLLinks a href
    ProxyHTMLURLMap http://inside/ /outside/
</Location>
<Location "/order/before">
    SetOutputFilter SUBSTITUTE
</Location>
<Location "/order/behind">
    SetOutputFilter GPUXSLT;SUBSTITUTE
</Location>
<Location "/ssi">
    GPUXMLStylesheet conf/xsl/a.xsl
    AddType text/html .shtml
    AddOutputFilter INCLUDES .shtml
</Location>
<Location "/status">
    SetHandler gpuxml-status
</Location>
<Location "/server-status">
    SetHandler server-status
</Location>
"""

FILES = ["charset", "sheet", "sheet/other", "param", "literal", "literal/inner", "literal/empty", "expr", "when",
         "types", "env", "output", "media",
         "nothing", "noetag", "error", "error/pass", "error/507", "error/document", "error/program", "twice", "bytype",
         "bytype/page", "bytype/when", "order",
         "order/before", "order/behind", "ssi", "plain"]

back = Backend(backend)
web = Httpd("features", CONF % back.port, override="FileInfo Limit",
            modules=["substitute", "charset_lite", "xml2enc", "proxy_html", "xsendfile"])
web.put("conf/xsl/links.xsl", sheet('<xsl:output method="html"/><xsl:template match="/"><html><body><a '
                                    'href="http://inside/x">'
                                    '<xsl:value-of select="."/></a></body></html></xsl:template>'))
web.put("conf/xsl/charset.xsl", page("\u00e9"))
web.put("htdocs/charset/a.txt", "\u00e9".encode("latin-1"))
web.put("htdocs/charset/bad.xml", "<a>")
for word in "abc":
    web.put("conf/xsl/%s.xsl" % word, page(word.upper()))
web.put("conf/xsl/media.xsl", page("M").replace('method="html"', 'method="html" media-type=" text/html; '
                                                                 'charset=latin1;level=1"'))
web.put("conf/xsl/nothing.xsl", sheet('<xsl:output method="text"/><xsl:template match="/"/>'))
web.put("conf/xsl/stop.xsl", sheet('<xsl:template match="/"><xsl:message '
                                   'terminate="yes">enough</xsl:message></xsl:template>'))
web.put("htdocs/style/pi.xsl", page("PI").replace("<xsl:param", '<xsl:strip-space elements="*"/><xsl:param'))
web.put("htdocs/style/\u00e4-\u00e4-\u00c4&.xsl", page("PI"))
web.put("conf/secret.xsl", page("SECRET"))
for folder in FILES:
    web.put("htdocs/%s/a.xml" % folder, XML)
web.put("htdocs/types/a.txt", XML)
web.put("htdocs/env/off.xml", XML)
web.put("htdocs/env/a.txt", XML)
web.put("htdocs/env/page.shtml", '<!--#include virtual="/env/a.xml" -->')
web.put("htdocs/env/force.txt", XML)
for kind in ("off", "fallback", "fallback/sheet", "prefer"):
    web.put("htdocs/pi-%s/a.xml" % kind, '<?xml-stylesheet type="text/xsl" href="/style/pi.xsl"?>\n<list> '
                                         '<item>one</item> </list>')
    web.put("htdocs/pi-%s/none.xml" % kind, XML)
    web.put("htdocs/pi-%s/css.xml" % kind, '<?xml-stylesheet type="text/css" href="/style/pi.css"?>' + XML)
    web.put("htdocs/pi-%s/far.xml" % kind, '<?xml-stylesheet type="text/xsl" href="http://example.com/x.xsl"?>' + XML)
    for name, host in (("own", "http://localhost:81"), ("own-short", "//LOCALHOST")):
        web.put("htdocs/pi-%s/%s.xml" % (kind, name),
                '<?xml-stylesheet type="text/xsl" href="%s/style/pi.xsl?v=1"?>%s' % (host, XML))
    web.put("htdocs/pi-%s/alternate.xml" % kind, '<?xml-stylesheet type="text/xsl" href="/style/gone.xsl" '
                                                 'alternate="yes" title="x"?>'
            '<?xml-stylesheet type="text/xsl" href="/style/pi.xsl"?>' + XML)
    web.put("htdocs/pi-%s/references.xml" % kind, '<?xml-stylesheet type="text&#47;xsl" '
                                                  'href="/style/%C3%A4-&#xE4;-&#196;&amp;.xsl?a=1&#38;b=2"?>' + XML)
    web.put("htdocs/pi-%s/out.xml" % kind, '<?xml-stylesheet type="text/xsl" href="../plain/a.xml"?>' + XML)
    web.put("htdocs/pi-%s/gone.xml" % kind, '<?xml-stylesheet type="text/xsl" href="/style/gone.xsl"?>' + XML)
web.put("htdocs/pi-fallback/denied.xml", '<?xml-stylesheet type="text/xsl" href="/style/denied.xsl"?>' + XML)
web.put("htdocs/style/denied.xsl", page("DENIED"))
web.put("htdocs/pi-fallback/endless.xml",
        '<?xml-stylesheet type="text/xsl" href="/style/pi.xsl?%s"?>' % ("x" * 9000) + XML)
for kind in "fallback", "prefer":
    for name, href in ("proxied", "/proxy/s.xsl"), ("program", "/cgi-bin/stop"):
        web.put("htdocs/pi-%s/%s.xml" % (kind, name), '<?xml-stylesheet type="text/xsl" href="%s"?>' % href + XML)
web.cgi("stop", "#!/bin/sh\nprintf 'Status: 200 OK\\r\\nContent-Type: text/xml\\r\\n\\r\\n<a/>'\n")
web.cgi("sendfile", "#!/bin/sh\nprintf 'Content-Type: %%s\\r\\nX-Sendfile: %s\\r\\n\\r\\n' \"$QUERY_STRING\"\n"
        % web.path("htdocs/sheet/a.xml"))
web.put("htdocs/pi-fallback/empty.xml", "")
web.put("htdocs/pi-fallback/empty.xml.gz", "")
web.put("htdocs/pi-fallback/broken.xml", "<!-- %s --><feed><item></feed>" % ("x" * 3000))
web.put("htdocs/pi-fallback/long.xml", "<feed>%s</feed>" % ("<item/>" * 1000000))
web.put("htdocs/pi-fallback/named-broken.xml", '<?xml-stylesheet type="text/xsl" '
                                               'href="/style/pi.xsl"?><feed><item></feed>')
for name, text in (("doctype", "<!DOCTYPE a><a/>"), ("none", "Out of memory"), ("many", "<a>%s</a>" % ("x" * 3000)),
                   ("comment", "<!-- %s --><a/>" % ("x" * 3000))):
    web.put("htdocs/pi-fallback/less/%s.xml" % name, text)
web.put("htdocs/pi-fallback/less/named.xml",
        '<?xml-stylesheet type="text/xsl" href="/style/pi.xsl"?><a>%s</a>' % ("x" * 3000))
web.put("htdocs/pi-fallback/late.xml", '<a><?xml-stylesheet type="text/xsl" href="/style/pi.xsl"?></a>')
web.put("htdocs/pi-fallback/beside.xml", '<?xml-stylesheet type="text/xsl" href="beside.xsl"?>' + XML)
for folder, word in ("pi-fallback", "SERVER"), ("pretty", "ASKED"), ("inner", "INNER"):
    web.put("htdocs/%s/beside.xsl" % folder, page(word))
web.put("htdocs/pi-fallback/zip.xml.gz", gzip.compress(open(web.path("htdocs/pi-fallback/a.xml"), "rb").read()))
for folder in ("select", "select/last", "select/text", "select/filter", "select/other"):
    web.put("htdocs/%s/a.xml" % folder, NS_XML)
web.put("htdocs/ssi/page.shtml", 'before <!--#include virtual="/ssi/a.xml" --> middle <!--#include '
                                 'virtual="/ssi/bad.xml" -->'
        ' then <!--#include virtual="/cgi-bin/stop" --> after')
web.put("htdocs/ssi/bad.xml", "<a><b></a>")
web.put("htdocs/ht/.htaccess", "GPUXMLStylesheet b.xsl\nGPUXMLParam p ht\nGPUXMLLimit nodes=5\n")
web.put("htdocs/ht/a.xml", "<a>x</a>")
web.put("htdocs/ht/many.xml", "<a><b/><b/><b/><b/><b/><b/></a>")
web.put("htdocs/ht-out/.htaccess", "GPUXMLStylesheet ../secret.xsl\n")
web.put("htdocs/ht-out/a.xml", XML)
web.put("htdocs/ht-abs/.htaccess", "GPUXMLStylesheet %s\n" % web.path("conf/secret.xsl"))
web.put("htdocs/ht-abs/a.xml", XML)
web.put("htdocs/ht-file/.htaccess", "GPUXMLWhen \"file('%s') =~ /SECRET/\"\n" % web.path("conf/secret.xsl"))
web.put("htdocs/ht-file/a.xml", XML)

with web:
    a = web.get("/sheet/a.xml")
    like(a.text, "<i>A</i>.*unset.*onetwo", "GPUXMLStylesheet alone is enough")
    is_(a["vary"], None, "no Vary without a reason")
    is_(a["accept-ranges"], None, "Accept-Ranges is the source's")

    like(web.get("/param/a.xml", X_P="v&'\"{}<").text, r"<b>&lt;v&amp;'\"\{\}&lt;&gt;</b>", "parameter values are data")
    is_(web.get("/param/a.xml")["vary"], "X-P", "a parameter's header joins Vary, also when it is not there")
    a = ask(web.port, "/param/a.xml", headers={"X-P": ATTACKER_LANG.decode("latin-1")})
    like(a.text, "<b>&lt;\ufffd&lt;script&gt;\ufffd+&gt;</b>", "bytes that are no XML become U+FFFD")
    like(web.get("/literal/a.xml").text, "<b>plain</b>", "a literal parameter")
    like(web.get("/literal/inner/a.xml").text, "<b>inner</b>", "an inner section's parameter wins")
    like(web.get("/literal/empty/a.xml").text, "<b(/>|></b>)", "a parameter can be the empty string")

    for word in "abc":
        like(web.get("/expr/a.xml", X_Sheet=word).text, "<i>%s</i>" % word.upper(), "stylesheet by expression: " + word)
    is_(web.get("/expr/a.xml", X_Sheet="a")["vary"], "X-Sheet", "its header joins Vary")
    for name in ("../secret", web.path("conf/secret"), "no-such", "", "../xsl/../secret", "a.xsl\x00", "%2e%2e/secret"):
        web.new_log()
        a = web.get("/expr/a.xml", X_Sheet=name)
        ok(a.status in (400, 500) and b"SECRET" not in a.body and web.root.encode() not in a.body,
           "stylesheet by expression: %r is refused" % name.replace(web.root, "..."))
    like("".join(web.new_log("GX0", 1)), "GX0", "... with a line in the log")
    os.symlink(web.path("conf/secret.xsl"), web.path("conf/xsl/link.xsl"))
    is_(web.get("/expr/a.xml", X_Sheet="link").status, 500,
        "stylesheet by expression: a link that leads out is refused")

    for base in ("/when/", "/proxy/when/"):
        a = web.get(base + "a.xml", Accept="text/html")
        like(a.text, "<i>A</i>", base + " true")
        is_(a["vary"], "Accept", base + " Vary")
        a = web.get(base + "a.xml", Accept="application/xml")
        is_((a.text, a["vary"]), (XML, "Accept"), base + " false: the source, and the same Vary")
    for path in "", "/document":
        a = web.get("/proxy/when/half" + path, Accept="text/html")
        is_((a.status, a["vary"]), (404, "Cookie,Accept"),
            "an error of the page's has its Vary: caches keep a 404" + path)
    is_(web.get("/proxy/when/a.xml", Accept="text/html", If_Match='"x"')["vary"], "Accept", "... a 412 likewise")
    is_(web.get("/proxy/when/lang/a.xml", Accept="text/html")["vary"], "Accept,Accept-Language",
        "... and headers of parameters beside it, also where one begins like another")
    a = web.get("/proxy/cookie.xml")
    is_((a["vary"], a["set-cookie"], a["content-language"]), ("Cookie", "a=1", "en"),
        "other headers of a back end stay")
    a = web.get("/proxy/cookie.xml", Range="bytes=0-5")
    is_((a.status, a["content-range"]), (206, "bytes 0-5/%d" % len(web.get("/proxy/cookie.xml").body)),
        "... but not a Content-Range, which a 200 has by mistake")

    for path in ("a.xml", "mod_filter/a.xml"):
        a = web.get("/proxy/untouched/" + path)
        is_((a.status, a.text, a["content-type"]), (200, XML, "text/xml"),
            "Cache-Control: no-transform of a back end, " + path)
        like(web.access("/proxy/untouched/" + path)[-1], "state=bypass code=no-transform",
             "... and the access log says why")
    is_(web.get("/proxy/cookie.xml/codings").status, 502, "Content-Encoding in two lines is a list, too")
    like(web.get("/proxy/untouched/force.xml").text, "<i>A</i>", "... unless force-gpuxml")
    like(web.get("/proxy/when/a.xml", Accept="text/html", Cache_Control="no-transform").text, "<i>A</i>",
         "... nor because a client asks")
    web.cgi("untouched",
            "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\nCache-Control: no-transform\\r\\n\\r\\n<a/>'\n")
    a = web.get("/cgi-bin/untouched")
    ok("<i>A</i>" in a.text and a["cache-control"] == "no-transform", "... a program's own: it is for those between")

    like(web.get("/types/a.txt").text, "<i>A</i>", "GPUXMLTypes: a type")
    is_(web.get("/types/a.xml").text, XML, "GPUXMLTypes: what is not named is not XML")
    is_(web.get("/env/off.xml").text, XML, "no-gpuxml")
    like(web.get("/env/force.txt").text, "<i>A</i>", "force-gpuxml")
    is_(web.get("/env/raw/a.xml").text, XML, "no-gpuxml behind a redirect inside httpd")
    like(web.get("/env/made/a.txt").text, "<i>A</i>", "... force-gpuxml")
    is_((web.get("/env/raw/none").status, "<i>A</i>" in web.get("/env/raw/none").text), (404, True),
        "... not for what an ErrorDocument includes")

    a = web.get("/select/a.xml")
    like(a.text, r"<titles[^>]*>\s*<(a:)?title.*T1.*T2.*</titles>", "GPUXMLSelect as xml with a wrapper")
    like(a["content-type"], r"^(text|application)/xml", "... is XML")
    like(web.get("/select/last/a.xml").text, r"^<(a:)?title",
         "of two in one section the last one is used, with its own wrapper or none")
    a = web.get("/select/text/a.xml")
    is_((a.text.strip(), a["content-type"].split(";")[0]), ("5", "text/plain"), "GPUXMLSelect as text")
    like(web.get("/select/filter/a.xml").text, "T1.*T2", "SetOutputFilter GPUXPATH")
    is_(web.get("/select/other/a.xml").text, web.get("/select/a.xml").text,
        "SetOutputFilter GPUXSLT where a selection is configured: that")
    is_(web.get("/sheet/other/a.xml").text, web.get("/sheet/a.xml").text,
        "SetOutputFilter GPUXPATH where a stylesheet is: that, and not the source")

    a = web.get("/output/a.xml")
    is_(a["content-type"], "application/x-test; charset=iso-8859-1", "GPUXMLOutput")
    a = web.get("/media/a.xml")
    is_((a.status, a["content-type"]), (200, "text/html; level=1; charset=UTF-8"),
        "parameters of xsl:output's media-type; the charset is the page's")
    a = web.get("/nothing/a.xml")
    is_((a.status, a.body, a["content-length"], a["content-type"]), (200, b"", "0", "text/plain; charset=UTF-8"),
        "an empty page is a page")
    is_(web.get("/noetag/a.xml")["etag"], None, "GPUXMLETag off")
    is_([web.get("/noetag/a.xml", If_Match=value).status for value in ('"x"', "*")], [412, 200],
        "... If-Match: who continues a page that had one does not get a part of this one")
    a = web.get("/charset/a.xml")
    ok("<i>\u00e9</i>" in a.text and a["content-type"] == "text/html; charset=UTF-8",
       "mod_charset_lite leaves the page as it is") or diag(a.text)
    is_(web.get("/charset/a.txt").text, "\u00e9", "... but not other files")
    web.new_log()
    is_(web.get("/charset/bad.xml").status, 502, "... and has no part in an error")
    is_(len(web.new_log("error]", 1)), 1, "... which the log tells once")

    is_(web.get("/pi-off/a.xml").text[:20], "<?xml-stylesheet typ", "GPUXMLStylesheetPI off")
    for name in ("none.xml", "css.xml", "far.xml"):
        a = web.get("/pi-fallback/" + name)
        is_((a.status, a.text, a["content-type"]), (200, open(web.path("htdocs/pi-fallback/" + name)).read(),
                                                    "text/xml"),
            "GPUXMLStylesheetPI: %s goes out as it is" % name)
        like(web.get("/pi-prefer/" + name).text, "<i>A</i>", "... or with the configured stylesheet")
    a = web.get("/pi-fallback/a.xml")
    like(a.text, "<i>PI</i>.*</b>one</html>", "GPUXMLStylesheetPI: the stylesheet that it names, with its strip-space")
    is_(web.get("/pi-fallback/a.xml", If_None_Match=a["etag"]).status, 304, "... and its ETag")
    is_(web.get("/pi-fallback/zip.xml.gz").body, a.body, "... also from gzip")
    like(web.get("/pi-fallback/sheet/a.xml").text, "<i>A</i>", "GPUXMLStylesheetPI fallback: the configured one first")
    like(web.get("/pi-prefer/a.xml").text, "<i>PI</i>", "GPUXMLStylesheetPI prefer: the document's first")
    for name in ("own.xml", "own-short.xml", "alternate.xml", "references.xml"):
        like(web.get("/pi-fallback/" + name).text, "<i>PI</i>", "GPUXMLStylesheetPI: " + name)
    for name in ("proxied.xml", "program.xml"):
        is_(web.get("/pi-fallback/" + name).text, open(web.path("htdocs/pi-fallback/" + name)).read(),
            "GPUXMLStylesheetPI: a stylesheet that is no file here, " + name)
        like(web.get("/pi-prefer/" + name).text, "<i>A</i>", "... or with the configured stylesheet")
    for name in ("empty.xml", "empty.xml.gz", "broken.xml", "long.xml"):
        for path in ("/pi-fallback/", "/proxy/pi-fallback/") * 2:
            a = web.get(path + name)
            ok((a.status, a.text, a["content-type"]) == (200, open(web.path("htdocs/pi-fallback/" + name)).read(),
                                                         "text/xml"),
               "GPUXMLStylesheetPI: what names no stylesheet is not ours to judge, " + path + name) or diag(a.raw[:300])
    like(web.access("/proxy/pi-fallback/broken.xml")[-1], "^200 .* state=bypass code=no-stylesheet",
         "... and the access log says why")
    for path in ("/pi-fallback/", "/proxy/pi-fallback/"):
        is_(web.get(path + "named-broken.xml").status, 502, "... but what names one is, " + path)
        for name in ("doctype.xml", "none.xml", "many.xml", "comment.xml"):
            a = web.get(path + "less/" + name)
            is_((a.status, a.text), (200, open(web.path("htdocs/pi-fallback/less/" + name)).read()),
                "... limits and GPUXMLDTD neither, " + path + name)
        is_(web.get(path + "less/named.xml").status, 502, "... but of what names one")
        is_(web.get(path + "late.xml").text[:3], "<a>", "... an instruction within the document names none, " + path)
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as s:
        s.sendall(b"GET /proxy/pi-fallback/streamed.xml HTTP/1.0\r\n\r\n")
        came = s.recv(65536)
        while came and b"<feed>" not in came:
            came += s.recv(65536)
        ok(b"<feed>" in came, "... and its beginning does not wait for its end")
        go_on.set()
    for path, want in ("/pi-fallback/beside.xml", "SERVER"), ("/pretty/a.xml", "ASKED"), ("/inner/page", "INNER"):
        like(web.get(path).text, "<i>%s</i>" % want, "GPUXMLStylesheetPI: a relative name is beside what was "
                                                     "asked for, " + path)
    is_(web.get("/pi-fallback/own.xml", Host="elsewhere").text[:5], "<?xml", "... but not for whom asked another host")
    for name, want in ("out.xml", "outside GPUXMLStylesheetRoot"), ("gone.xml", "no such file here"), ("denied.xml",
        "a request for it but status 403"), \
            ("endless.xml", "longer than LimitRequestLine"):
        web.new_log()
        is_(web.get("/pi-fallback/" + name).status, 500, "GPUXMLStylesheetPI: %s is refused" % name)
        like("".join(web.new_log("GX0104", 1)), 'GX0104: .*xml-stylesheet "[^"]*": [^:]*' + want, "... and why")

    web.new_log()
    a = web.get("/error/a.xml")
    is_(a.status, 500, "xsl:message terminate")
    lines = web.new_log("GX01[0-4]", 1)
    is_(len(lines), 1, "... one line")
    like(lines[0] if lines else "", "GX0112: .*enough.*class sheet, sheet stop.xsl, uri /error/a.xml",
         "... with the message")
    a = web.get("/error/pass/a.xml")
    is_((a.status, a.text, a["content-type"]), (200, XML, "text/xml"), "GPUXMLOnError sheet=pass")
    a = web.get("/proxy/pass.xml")
    is_((a.status, a["content-encoding"], a["content-length"], gzip.decompress(a.body).decode()),
        (200, "gzip", str(len(a.body)), XML), "... from gzip")
    is_((a["etag"], a["last-modified"]), ('"source"', "Sun, 01 Jan 2023 00:00:00 GMT"),
        "... with the validators of the source: the page's would hide the page")
    is_(a["cache-control"], "max-age=60, no-store", "... but no cache keeps it in the page's place")
    is_(web.get("/error/507/a.xml").status, 507, "GPUXMLOnError sheet=507")

    a = web.get("/error/document/none.xml")
    is_((a.status, a.text), (404, XML), "an ErrorDocument in XML has the status and is sent as it is")
    a = web.get("/error/document/a.xml")
    is_((a.status, a.text), (500, XML), "... also that of an error of ours")
    like(web.access("/error/document/a.xml")[-1], "^500 .* state=error code=GX0112 ",
         "... which is what the access log tells")
    web.new_log()
    a = web.get("/error/program/a.xml")
    is_((a.status, "error was encountered while trying to use an ErrorDocument" in a.text), (500, True),
        "an ErrorDocument that fails itself")
    is_(web.new_log("AH00124"), [], "... is asked for once")
    like(web.get("/twice/a.xml").text, "^(?!.*<i>A</i>.*<i>A</i>).*<i>A</i>", "never twice")
    like(web.access("/twice/a.xml")[-1], "state=done code=- ", "... and the log says that it was done")
    like(web.get("/bytype/a.xml").text, "^(?!.*<i>A</i>.*<i>A</i>).*<i>A</i>", "AddOutputFilterByType")
    for path in "", "page/", "when/":
        a = web.get("/bytype/%sa.xml" % path)
        is_((a["etag"] is not None, web.get("/bytype/%sa.xml" % path, If_None_Match=a["etag"] or "").status),
            (True, 304), "... has an ETag, page or not: /bytype/" + path)
    for path, want in ("", "page.*one"), ("before/", "page.*source"), ("behind/", "page.*one"):
        like(web.get("/order/%sa.xml" % path).text, want, "the order of filters: /order/" + path)
    a = web.get("/proxy/links.xml")
    like(a.text, "^<html><body><a href=./outside/x.>\u00e9</a></body></html>$",
         "... ProxyHTMLEnable: the page's links, and the source is not taken for Latin-1")
    if os.path.exists(os.path.join(MODULES, "mod_xsendfile.so")):
        for method in "GET", "HEAD":
            a, b = web.get("/cgi-bin/sendfile?text/xml", method), web.get("/sheet/a.xml", method)
            is_((a.status, a.body, a["etag"], a["last-modified"], a["content-length"]),
                (200, b.body, b["etag"], None, b["content-length"]),
                "... X-Sendfile: the file is transformed, " + method)
        a = web.get("/cgi-bin/sendfile?image/png", Range="bytes=3-8")
        is_((a.status, a.text), (206, XML[3:9]), "... but not what is no XML")
    else:
        ok(True, "X-Sendfile # SKIP no mod_xsendfile")
    a = web.get("/ssi/page.shtml")
    like(a.text, r"^before .*<i>A</i>.* middle .*error occurred[^<>]* then [^<>]*error occurred[^<>]* after$",
         "SSI: included pages are transformed, a bad one is one include's error, also if a program made it")

    like(web.get("/ht/a.xml").text, "<i>B</i><b>ht</b>x", ".htaccess: a stylesheet beneath the root")
    is_(web.get("/ht/many.xml").status, 502, ".htaccess: limits can be lowered")
    for folder in ("ht-out", "ht-abs", "ht-file"):
        a = web.get("/%s/a.xml" % folder)
        ok(a.status == 500 and b"SECRET" not in a.body, ".htaccess: not outside the root, " + folder)

    s = json.loads(web.get("/status?json").text)
    ok(s["Done"] > 20 and s["Bypass"] > 5 and s["ErrorSheet"] > 3 and s["ErrorSource"] >= 1 and s["ByCpu"] > 10,
       "gpuxml-status?json counts")
    a = web.get("/status", "POST")
    is_((a.status, "GET" in (a["allow"] or "")), (405, True), "gpuxml-status takes GET only, and says so")
    like(web.get("/server-status?auto").text, r"\nGpuxmlEngine: cpu[^\n]*\nGpuxmlDone: \d+\n", "mod_status, short")
    like(web.get("/server-status").text, "<h2>gpuxml: cpu", "mod_status")
    ok("exit signal" not in web.log(), "no child died")

for engine, status in (("off", 200), ("gpu", 503)):
    web = Httpd("engine-" + engine, "GPUXMLEngine %s\n<Location />\nGPUXMLStylesheet conf/xsl/a.xsl\n</Location>\n"
                "<Location /later.xml>\nGPUXMLOnError busy=429\n</Location>" % engine)
    web.put("conf/xsl/a.xsl", page("A"))
    web.put("htdocs/a.xml", XML)
    web.put("htdocs/later.xml", XML)
    with web:
        a = web.get("/a.xml")
        if engine == "gpu" and os.path.exists("/dev/nvidiactl"):
            ok(True, "GPUXMLEngine gpu # SKIP there is a GPU")
            continue
        is_(a.status, status, "GPUXMLEngine " + engine)
        if engine == "gpu":
            is_(a["retry-after"], "1", "... with Retry-After")
            like(web.access("/a.xml")[0], "state=error code=GX0119 engine=- ", "... and nothing evaluated it")
            a = web.get("/later.xml")
            is_((a.status, a["retry-after"]), (429, "1"), "... GPUXMLOnError busy=429 too")


web = Httpd("late", "Timeout 1\n<Location /cgi-bin>\nGPUXMLStylesheet conf/xsl/a.xsl\nGPUXMLOnError time=pass "
                    "busy=pass sheet=pass\n</Location>")
web.put("conf/xsl/a.xsl", page("A"))
web.cgi("late", "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\n\\r\\n<a>'; sleep 5; echo '</a>'\n")
with web:
    a = web.get("/cgi-bin/late")
    is_((a.status, a.complete), (504, True), "GPUXMLOnError time=pass: half a source is not passed")
    like("".join(web.new_log("GX0102", 1)), "^(?!.*source passed).*GX0102: source took too long",
         "... nor is that said")


class Cramped(Httpd):
    def command(self, *args):
        return ["prlimit", "--as=100000000"] + super().command(*args)


if shutil.which("prlimit") and not PRELOAD:        # sanitizers map much more
    web = Cramped("cramped", "GPUXMLStylesheet conf/xsl/a.xsl", "prefork")
    web.put("conf/xsl/a.xsl", page("A"))
    web.put("htdocs/a.xml", XML)
    with web:
        like(web.get("/a.xml").text, "<i>A</i>", "100 MB of address space: a small page needs few of them")
done()
