#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each failure of a request is provoked: the class in the log and the status are those that docs/reference/messages.md
and GPUXMLOnError's default say, the sentence is the one in the sources, in one line of level error, and GPUXML_CODE has
the number."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


told = dict(re.findall(r"^\| (GX01[012]\d) \| (\w+) \|", read("docs/reference/messages.md"), re.M))
default = re.search(r"`GPUXMLOnError class=.*Default\* `(.*?)`", read("docs/reference/directives.md")).group(1)
STATUS = {c: int(s) for c, s in (pair.split("=") for pair in default.split() if not pair.startswith("start="))}
words = {"GX0" + n: s for n, s in re.findall(r'failure \w+ = \{ (\d+), \w+, "(.*?)" \}', read("module/request.c"))}

ROOT_TEMPLATE = '<xsl:template match="/">%s</xsl:template>'
COPY = ROOT_TEMPLATE % '<xsl:copy-of select="."/>'
# number, directives, templates, source (a number: how long a program takes for it, and for no more than "<a>")
CASES = [
    ("GX0100", "", COPY, "Content-Length: 1000\n\n<a/>"),
    ("GX0101", "", COPY, ""),
    ("GX0102", "", COPY, 5),
    ("GX0103", "", COPY, "Content-Encoding: compress\n\n<a/>"),
    ("GX0104", 'GPUXMLStylesheet "../%{reqenv:none}secret.xsl"', COPY, "<a/>"),
    ("GX0105", 'GPUXMLWhen "%{HTTP:X-Words} =~ /^(a+)+$/ && file(%{HTTP:X-Words}) == 1"', COPY, "<a/>"),
    ("GX0107", "", COPY, "<a></b>"),
    ("GX0108", "GPUXMLLimit depth=2", COPY, "<a><a><a/></a></a>"),
    ("GX0110", 'GPUXMLStylesheet "xsl/%{reqenv:none}GX0110.xsl"',
     ROOT_TEMPLATE % '<xsl:value-of select="a["/>', "<a/>"),
    ("GX0111", "", ROOT_TEMPLATE % '<xsl:param name="p" select="1"/><xsl:copy-of select="$p/a"/>', "<a/>"),
    ("GX0112", "", ROOT_TEMPLATE % '<xsl:message terminate="yes">no</xsl:message>', "<a/>"),
    ("GX0113", "", '<xsl:template match="/" name="t">x<xsl:call-template name="t"/></xsl:template>', "<a/>"),
    ("GX0114", "GPUXMLTimeout 50ms\nGPUXMLLimit recursion=max",
     '<xsl:template match="/" name="t"><xsl:for-each select="//a[count(//a[. = current()]) &gt; 0]">'
     '<xsl:value-of select="count(//a[position() mod 7 = count(current()/preceding::a) mod '
     '7])"/></xsl:for-each></xsl:template>', "<a>%s</a>" % ("<a>1</a>" * 20000)),
    ("GX0116", 'GPUXMLStylesheet "xsl/%{reqenv:none}GX0116.xsl"', None, "<a/>"),
    ("GX0118", "GPUXMLDTD deny", COPY, "<!DOCTYPE a><a/>"),
    ("GX0119", "GPUXMLEngine gpu", COPY, "<a/>"),
    ("GX0120", "", COPY, "Status: 206\nContent-Range: bytes 0-3/9\n\n<a/>"),
    ("GX0121", "GPUXMLXInclude on", COPY, '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include '
                                          'href="none.xml"/></a>'),
]
# no stylesheet has a charset or media type that its compiler lets pass; what takes memory, or two workers, away from a
# request: t/79-http-faults.t, t/73-http-worker.t
is_(sorted(set(told) - {n for n, *_ in CASES}), ["GX0106", "GX0115", "GX0117"], "every failure of a request but three")


def location(number, directives):
    named = "" if "GPUXMLStylesheet " in directives else "GPUXMLStylesheet conf/xsl/%s.xsl\n" % number
    return '<Location "/cgi-bin/%s">\nSetEnv ap_trust_cgilike_cl 1\n%s%s\n</Location>\n' % (number, named, directives)


def check(web, cases):
    for number, _, templates, source in cases:
        web.put("conf/xsl/%s.xsl" % number, sheet(templates or ""), 0o644 if templates else 0)
        if isinstance(source, int):
            source, end = "<a>", "sleep %d" % source
        else:
            end = ""
        head, blank, body = source.rpartition("\n\n")
        web.cgi(number, "#!/bin/sh\ncat <<'END'\nContent-Type: text/xml\n%s\n\n%s%sEND\n%s\n" % (head or "X-Head: none",
            body, "\n" if body else "", end))
    with web:
        for number, _, _, _ in cases:
            web.new_log()
            a = web.get("/cgi-bin/" + number, X_Words="aaaa")
            lines = web.new_log(r"gpuxml:.*GX01(?!5)", 2)
            is_((a.status, len(lines)), (STATUS[told[number]], 1), "%s: %s, and one line" % (number, words[number]))
            like("".join(lines), r"\[gpuxml:error\].* %s: %s.*\[class %s, sheet " % (number, re.escape(words[number]),
                told[number]), "... of level error, that says so")
            like("".join(web.access("/cgi-bin/" + number)), r"error %s" % number, "... and in the access log")


LOG = 'LogFormat "%r %{GPUXML_STATE}e %{GPUXML_CODE}e" short\nCustomLog "@ROOT@/logs/access.log" short\nTimeout 1\n'
plain = [c for c in CASES if c[0] != "GX0119"]
web = Httpd("messages", LOG + "GPUXMLStylesheetRoot conf\nGPUXMLEngine cpu\n" + "".join(location(n, d) for n, d,
    *_ in plain))
web.put("secret.xsl", sheet(COPY))
check(web, plain)
if not os.path.exists("/dev/nvidiactl"):
    web = Httpd("messages-gpu", LOG + "GPUXMLEngine gpu\n" + location("GX0119", ""))
    check(web, [c for c in CASES if c[0] == "GX0119"])
done()
