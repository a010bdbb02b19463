#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an answer tells a developer (GPUXMLDebug headers): how it came about, in a sentence, and the times of what was
really done; and that messages name the directive or file that they are about."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

CONF = """
GPUXMLEngine cpu
GPUXMLDebug headers
GPUXMLStylesheetRoot conf/xsl
LogLevel gpuxml:debug
Header set X-Engine "%%{GPUXML_ENGINE}e"
<LocationMatch "^/(a|when|pass|p|r)/">
    GPUXMLStylesheet conf/xsl/a.xsl
</LocationMatch>
<Location /when/>
    GPUXMLWhen "%%{HTTP:X-Page} == 'yes'"
</Location>
Header set X-Figures "%%{GPUXML_IN}e %%{GPUXML_OUT}e %%{GPUXML_NODES}e"
<Location /r/>
    SetEnv GPUXML_NODES 99
    SetEnv gpuxml_out 98
</Location>
<Location /pi/>
    GPUXMLStylesheetPI prefer
</Location>
<Location /pass/>
    GPUXMLOnError sheet=pass
</Location>
<Location /pass/late/>
    GPUXMLStylesheet conf/xsl/stops.xsl
</Location>
<Location /none/>
    GPUXMLStylesheet "%%{QUERY_STRING}"
</Location>
<Location /document/>
    GPUXMLStylesheet conf/xsl/document.xsl
</Location>
<Location /document/file/>
    GPUXMLDocument file
</Location>
ProxyPass /p/ http://127.0.0.1:%d/
"""


def backend(r):
    if r.command == "HEAD":
        return answer(r, b"", Server_Timing="db;dur=3")
    answer(r, b"<a>1</a>", status=203 if "203" in r.path else 404 if "404" in r.path else 200, Server_Timing="db;dur=3")


web = Httpd("why", CONF % Backend(backend).port)
web.put("conf/xsl/a.xsl", sheet('<xsl:output method="html"/><xsl:template match="/"><p><xsl:if '
    'test="//stop"><xsl:message terminate="yes">no</xsl:message></xsl:if></p></xsl:template>'))
web.put("conf/xsl/stops.xsl", sheet('<xsl:template match="/"><xsl:message terminate="yes">no&#233;&#10;X: '
                                    'y</xsl:message></xsl:template>'))
web.put("conf/xsl/document.xsl", sheet('<xsl:template match="/"><o><xsl:copy-of '
                                       'select="document(/a)"/></o></xsl:template>'))
for name in ("a", "when", "pass", "pass/late", "pi", "none", "r"):
    web.put("htdocs/%s/a.xml" % name, "<a/>")
web.put("htdocs/a/a.txt", "text")
web.put("htdocs/a/wrong.xml", "<a>\n<\u00e9></b></a>")
web.put("htdocs/pi/other.xml", '<?xml-stylesheet type="text/xsl" href="gone.xsl"?><a/>')
for name in ("document", "document/file"):
    web.put("htdocs/%s/a.xml" % name, "<a>sub/gone.xml</a>")
ALL = r'parse;dur=\d+\.\d+, queue;dur=\d+\.\d+, eval;dur=\d+\.\d+;desc="cpu", out;dur=\d+\.\d+'
ANSWERS = [     # what is asked, header fields, status, X-GPUXML-Why, Server-Timing, GPUXML_ENGINE
    ("/a/a.xml", {}, 200, "done; -; made by a.xsl", ALL, "cpu"),
    ("/a/a.xml", {"If-None-Match": "*"}, 304, "notmodified; 304; the client has this page: nothing was evaluated",
     r"parse;dur=\d+\.\d+", "-"),
    ("/a/a.xml", {"If-Match": '"x"'}, 412, "notmodified; 412; the client asks for another state of the page",
     None, None),
    ("/a/a.txt", {}, 200, "bypass; type; text/plain is none of GPUXMLTypes", None, "(null)"),
    ("/when/a.xml", {}, 200, "bypass; when; GPUXMLWhen is false for this request", None, "(null)"),
    ("/pi/a.xml", {}, 200, "bypass; no-stylesheet; no stylesheet is configured for it.*",
     r"(parse;dur=\d+\.\d+)?", "(null)"),
    ("/a/wrong.xml", {}, 502, "error; GX0107; source not well-formed: (line )?2:?.*", None, None),
    ("/pass/late/a.xml", {}, 200, r"error; GX0112; stylesheet ended the transformation: .*no\?+X: y.*; so the source "
                                  r"was sent",
     r'parse;dur=\d+\.\d+(, queue;dur=\d+\.\d+, eval;dur=\d+\.\d+;desc="cpu", out;dur=\d+\.\d+)?', "cpu"),
    ("/p/x", {}, 200, "done; -; made by a.xsl", "db;dur=3, " + ALL, "cpu"),
    ("/p/203", {}, 203, "done; -; made by a.xsl", "db;dur=3, " + ALL, "cpu"),
    ("/p/404", {}, 404, "bypass; status; status 404: only 2xx with content is transformed", "db;dur=3", "(null)"),
    ("/p/x", "HEAD", 200, "bypass; head; the answer to HEAD has no content to make a page of", "db;dur=3", "(null)"),
]
with web:
    for path, fields, status, why, times, engine in ANSWERS:
        a = ask(web.port, path, "HEAD") if fields == "HEAD" else ask(web.port, path, headers=fields)
        name = "%s %s: " % (path, fields or "")
        is_((a.status, a["X-Engine"]), (status, engine), name + "answered")
        like(a["X-GPUXML-Why"], "^%s$" % why, name + "why")
        if status < 400 or times:
            like(a["Server-Timing"] or "", "^%s$" % (times or ""), name + "what was done")
    is_([web.get("/%s/a.xml" % name)["X-Figures"] for name in ("a", "r")], ["4 8 2"] * 2,
        "figures, where a configuration has set variables of these names, too")
    like(web.get("/document/a.xml")["X-GPUXML-Why"], r'GX0111; .*document\("sub/gone.xml"\) is switched off: '
        r'GPUXMLDocument says', "document() switched off names GPUXMLDocument")
    web.new_log()
    is_(web.get("/document/file/a.xml").status, 200, "a document that is not there is recovered from")
    here = web.path("")
    like("".join(web.new_log("GX0154", 1)),
        r'cannot read "sub/gone.xml" [(]%sconf/xsl/sub/gone.xml[)]: no such file' % here,
        "... and the log names the file")
    like(web.get("/pi/other.xml")["X-GPUXML-Why"], r'GX0104; .*"gone.xsl": no such file here [(]it would be '
                                                   r'%shtdocs/pi/gone.xsl[)]' % here, "so it does of an instruction")
    like(web.get("/none/a.xml?gone.xsl")["X-GPUXML-Why"], r'GX0104; .*"gone.xsl": no such file beneath '
        r'GPUXMLStylesheetRoot [(]%sconf/xsl[)]' % here, "... and of an expression")
done()
