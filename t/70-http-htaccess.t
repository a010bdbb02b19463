#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paths in .htaccess files; what of them is lowered to the server's, and parameters that no stylesheet declares: one
line in the log each; the warning of GPUXMLSelect as xml without a wrapper."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()


def page(word, param="p"):
    return sheet('<xsl:output method="html"/><xsl:param name="%s"/><xsl:template match="/"><i>%s</i></xsl:template>'
                 % (param, word))


# ---- paths ----

web = Httpd("htaccess", """
GPUXMLEngine cpu
GPUXMLStylesheetRoot conf/xsl htdocs/skin
GPUXMLLimit nodes=100 depth=20
GPUXMLTimeout 2s
""", override="FileInfo")
web.put("conf/xsl/a.xsl", page("CONF"))
web.put("conf/xsl/only.xsl", page("ROOT"))
web.put("conf/xsl/conf/xsl/a.xsl", page("DEEPER"))
web.put("htdocs/skin/a.xsl", page("SKIN"))
web.put("secret.xsl", page("SECRET"))
for name, text in {
        "server-root": "GPUXMLStylesheet conf/xsl/a.xsl", "other-root": "GPUXMLStylesheet htdocs/skin/a.xsl",
            "root": "GPUXMLStylesheet only.xsl",
        "absolute": "GPUXMLStylesheet %s" % web.path("conf/xsl/a.xsl"), "outside": "GPUXMLStylesheet secret.xsl",
        "up": "GPUXMLStylesheet conf/xsl/../../secret.xsl",
        "none": "GPUXMLStylesheet conf/xsl/none.xsl", "element": "GPUXMLStylesheetFor a conf/xsl/a.xsl",
        "computed": 'GPUXMLStylesheet "%{tolower:CONF}/xsl/a.xsl"',
        "row": "GPUXMLStylesheet conf/xsl/only.xsl only.xsl", "broken": "GPUXMLStylesheet",
        "unknown": "GPUXMLStylesheets a.xsl"}.items():
    web.put("htdocs/%s/.htaccess" % name, text + "\n")
    web.put("htdocs/%s/a.xml" % name, "<a/>")


def got(path):
    a = web.get("/%s/a.xml" % path)
    return (a.status, (a.text.split("<i>") + [""])[1].split("<")[0])


with web:
    for name, want, what in (("server-root", "CONF", "relative to ServerRoot, as the reference says"),
                             ("other-root", "SKIN", "... beneath another root"),
                             ("root", "ROOT", "relative to a root, where ServerRoot has no such file"),
                             ("absolute", "CONF", "absolute"),
                             ("element", "CONF", "GPUXMLStylesheetFor likewise"),
                             ("computed", "DEEPER", "an expression's value is relative to a root alone"),
                             ("row", "ROOT", "several, each by itself")):
        is_(got(name), (200, want), what)
    for name, words in (("outside", r'"secret.xsl": no such file beneath GPUXMLStylesheetRoot \(\S+/conf/xsl '
                                    r'\S+/htdocs/skin\)'),
                        ("up", "GPUXMLStylesheetRoot"), ("none", '"conf/xsl/none.xsl": no such file beneath '
                                                                 'GPUXMLStylesheetRoot')):
        web.error_at = len(web.log())
        is_(got(name), (500, ""), "not " + name)
        like("".join(web.new_log("GX0104", 1)), words, "... and the log says why")
    for name, words in (("broken", "takes the path of a stylesheet"), ("unknown", "Invalid command")):
        web.error_at = len(web.log())
        is_(got(name)[0], 500, "an .htaccess file with an error: " + name)
        like("".join(web.new_log("htaccess", 1)), words, "... and the log says which")

    # ---- limits and times ----
    web.put("htdocs/l/.htaccess", "GPUXMLStylesheet only.xsl\nGPUXMLLimit nodes=1000 depth=10 "
                                  "output=1G\nGPUXMLTimeout 1min\n")
    web.put("htdocs/l/in/.htaccess", "GPUXMLLimit depth=15\n")
    web.put("htdocs/l/low/.htaccess", "GPUXMLLimit depth=5 nodes=max\nGPUXMLTimeout 1s\n")
    for name, n in (("l", 11), ("l/in", 11), ("l/low", 6)):
        web.put("htdocs/%s/a.xml" % name, "<a/>")
        web.put("htdocs/%s/many.xml" % name, "<a>%s</a>" % ("<b/>" * 200))
        web.put("htdocs/%s/deep.xml" % name, "<a>" * n + "</a>" * n)
    web.error_at = len(web.log())
    for _ in range(3):
        is_([web.get("/l/%s.xml" % n).status for n in ("a", "many", "deep")], [200, 502, 502],
            "limits are lowered, not raised")
    said = [re.sub(r".*GX0022: ", "", line) for line in web.new_log("GX0022", 1)]
    path = web.path("htdocs/l/.htaccess")
    is_(sorted(said), ["GPUXMLLimit nodes= of %s is lowered to what is allowed there, nodes=100" % path,
                       "GPUXMLLimit output= of %s is lowered to what is allowed there, output=67108864" % path,
                       "GPUXMLTimeout of %s is lowered to what is allowed there, 2000ms" % path],
                       "... one line for each that was wanted higher")
    is_([web.get("/l/in/%s.xml" % n).status for n in ("a", "deep")], [200, 502],
        "an inner .htaccess file does not raise the outer one's")
    like("".join(web.new_log("GX0022", 1)), r"depth= of \S+/l/in/.htaccess is lowered to what is allowed there, "
                                            r"depth=10", "... and the log says so")
    is_([web.get("/l/low/%s.xml" % n).status for n in ("a", "many", "deep")], [200, 502, 502], "... but lowers it")
    said = "".join(web.new_log("GX0022", 1))
    ok("depth=" not in said and "Timeout" not in said and "nodes= of" in said,
       "... of what is lower no line, of max one") or diag(said)

    # ---- parameters ----
    web.put("htdocs/p/.htaccess", "GPUXMLStylesheet only.xsl\nGPUXMLParam p x\nGPUXMLParam lagn de\n")
    web.put("htdocs/p/a.xml", "<a/>")
    web.error_at = len(web.log())
    for _ in range(3):
        is_(got("p"), (200, "ROOT"), "a parameter that the stylesheet does not declare")
    said = web.new_log("GX0021", 1)
    is_(len(said), 1, "... one line says so")
    like(said[0] if said else "", r"GX0021: line 3 of \S+/p/.htaccess: GPUXMLParam lagn: there is no top-level "
                                  r"xsl:param of this name in only.xsl", "... and where it stands")
    web.graceful()
    for _ in range(100):
        if web.log().count("resuming") > 1:
            break
        time.sleep(0.05)
    web.error_at = len(web.log())
    got("p")
    is_(len(web.new_log("GX0021", 1)), 1, "... once more after a restart")

UNKNOWN = r"GX0021: line \d+ of \S+httpd.conf: GPUXMLParam lagn: no stylesheet has a top-level xsl:param of this name"
for conf, want, what in (
        ("GPUXMLParam lagn de\nGPUXMLStylesheet conf/xsl/a.xsl", 1,
         "httpd -t: a parameter that no stylesheet declares"),
        ("GPUXMLParam p de\nGPUXMLStylesheet conf/xsl/a.xsl", 0, "... that it declares"),
        ("GPUXMLParam {}p de\nGPUXMLStylesheet conf/xsl/a.xsl", 0, "... by {uri}name"),
        ("GPUXMLParam lagn de\nGPUXMLStylesheet conf/xsl/a.xsl conf/xsl/lagn.xsl", 0,
         "... that one of several declares"),
        ("GPUXMLParam lagn de\n<Location /a>\nGPUXMLStylesheet conf/xsl/a.xsl\n</Location>\n<Location "
         "/b>\nGPUXMLStylesheet conf/xsl/lagn.xsl\n</Location>", 0, "... or of another section"),
        ("".join("<Location /%s>\nGPUXMLParam lagn de\nGPUXMLStylesheet conf/xsl/a.xsl\n</Location>\n" % n
                 for n in "abc"), 1, "... in several sections: one line"),
        ("GPUXMLParam lagn de\nGPUXMLStylesheet conf/xsl/a.xsl\n<Location /b>\nGPUXMLStylesheetPI prefer\n</Location>",
         0, "... where documents name stylesheets nobody knows yet"),
        ("GPUXMLParam lagn de", 0, "... nor where there is none"),
        ("GPUXMLParam lagn de\nGPUXMLOnError start=serve\nGPUXMLStylesheet conf/xsl/broken.xsl", 0,
         "... nor where one is broken")):
    web.conf = conf
    web.put("conf/xsl/lagn.xsl", page("LAGN", "lagn"))
    web.put("conf/xsl/broken.xsl", "<")
    code, said = web.test()
    is_((code, len(re.findall(UNKNOWN, said))), (0, want), what) or diag(said)

UNKNOWN = (r"GX0021: line \d+ of \S+httpd.conf: GPUXMLXPathParam lagn: no stylesheet of its section has a top-level "
           r"xsl:param of this name")
XPATH = "<Location /a>\nGPUXMLXPathParam lagn 1+1\n%s\n</Location>\n"
for conf, want, what in (
        (XPATH % "GPUXMLStylesheet conf/xsl/a.xsl", 1, "an XPath parameter that no stylesheet declares"),
        (XPATH % "GPUXMLStylesheet conf/xsl/lagn.xsl", 0, "... that it declares"),
        (XPATH % "GPUXMLStylesheet conf/xsl/a.xsl conf/xsl/lagn.xsl", 0, "... that one of several declares"),
        (XPATH % "GPUXMLStylesheet conf/xsl/a.xsl" + "<Location /b>\nGPUXMLStylesheet conf/xsl/lagn.xsl\n</Location>",
         1, "... that one of another section declares"),
        (XPATH % "GPUXMLStylesheet conf/xsl/a.xsl" + XPATH.replace("/a", "/b") % "GPUXMLStylesheet conf/xsl/a.xsl", 1,
         "... in two sections: one line"),
        (XPATH % "GPUXMLOnError start=serve\nGPUXMLStylesheet conf/xsl/broken.xsl", 0,
         "... nothing is said where it is broken")):
    web.conf = conf
    code, said = web.test()
    is_((code, len(re.findall(UNKNOWN, said))), (0, want), what) or diag(said)

web = Httpd("param", "GPUXMLEngine cpu\nGPUXMLStylesheetRoot conf/xsl\nGPUXMLParam known 1\nGPUXMLParam lagn de\n"
            '<Location /a.xml>\nGPUXMLStylesheet "%{HTTP:X-Sheet}"\n</Location>\n<Location /b.xml>\nGPUXMLStylesheet '
            'conf/xsl/b.xsl\n</Location>\n')
web.put("conf/xsl/a.xsl", page("A"))
web.put("conf/xsl/b.xsl", page("B", "known"))
web.put("htdocs/a.xml", "<a/>")
with web:
    web.error_at = len(web.log())
    for _ in range(3):
        web.get("/a.xml", X_Sheet="a.xsl")
    said = web.new_log("GX0021", 1)
    is_(len(said), 1, "a stylesheet by an expression: one line, when it is used")
    like("".join(said), r"line \d+ of \S+httpd.conf: GPUXMLParam lagn: there is no .* in a.xsl",
         "... only of what no other stylesheet declares")

# ---- as xml ----

for text, want in (("GPUXMLSelect //a as xml", 1), ("GPUXMLSelect //a as xml list", 0), ("GPUXMLSelect //a", 0),
                   ("GPUXMLSelect //a as text", 0)):
    web.conf = "<Location />\n%s\n</Location>\n" % text
    code, said = web.test()
    is_((code, len(re.findall(r"GX0023: line \d+ of \S+httpd.conf: GPUXMLSelect ... as xml has no wrapper: ", said))),
        (0, want), text) or diag(said)
done()
