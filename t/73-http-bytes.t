#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sources that the worker parses (ByBytes): the same answers as by the request's own thread, whatever the source is;
what the worker hands back, and why it is not asked."""
import os
import signal
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
import harness
from harness import *

need()
if not os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    print("1..0 # SKIP gpuxml-worker is not built")
    sys.exit(0)

body, type = {}, {}


def backend(r):
    name = r.path.split("?")[0]
    answer(r, body[name], type=type.get(name, "text/xml"))


SHEETS = {
    "html": '<xsl:output method="html"/><xsl:param name="p" select="0"/><xsl:strip-space '
            'elements="list"/><xsl:template match="/"><html><head>'
            '<title>t</title></head><body><p class="{$p}"><xsl:value-of '
            'select="count(//text())"/></p><xsl:apply-templates/></body></html>'
            '</xsl:template><xsl:template match="item"><li><a href="{@n}"><xsl:value-of '
            'select="."/></a></li></xsl:template>',
    "copy": '<xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates '
            'select="@*|node()"/></xsl:copy></xsl:template>',
    "text": '<xsl:output method="text" media-type="text/csv"/><xsl:template match="/"><xsl:value-of '
            'select="."/></xsl:template>',
    "says": '<xsl:output method="text"/><xsl:template match="/"><xsl:message>said</xsl:message>x</xsl:template>',
    "latin": '<xsl:output encoding="iso-8859-1"/><xsl:template match="/"><r><xsl:value-of '
             'select="."/></r></xsl:template>',
    "fails": '<xsl:template match="/"><r><xsl:value-of select="."/></r><xsl:message '
             'terminate="yes">no</xsl:message></xsl:template>',
}
PORTABLE = ("html", "copy", "text")


def conf(port, engine, cache="off"):
    return """
ServerLimit 1
MaxRequestWorkers 25
GPUXMLEngine %s
GPUXMLCache %s
GPUXMLDebug headers
""" % (engine, cache) + "".join("""
ProxyPass /%s http://127.0.0.1:%d
<Location "/%s">
    GPUXMLStylesheet conf/xsl/%s.xsl
    GPUXMLParam p "%%{QUERY_STRING}"
</Location>
<Location "/%s/few">
    GPUXMLLimit nodes=3
</Location>
""" % (name, port, name, name, name) for name in SHEETS) + """
<Location "/status">
    SetHandler gpuxml-status
</Location>
"""


def server(name, text):
    web = Httpd(name, text)
    for k, v in SHEETS.items():
        web.put("conf/xsl/%s.xsl" % k, sheet(v))
    return web


ITEMS = "<list a='1'> %s</list>" % "".join("<item n='%d?a=b&amp;c=\u00e4'>text %d &lt; \u20ac</item>\n" % (i, i)
                                           for i in range(300))
SOURCES = {
    "/plain": ITEMS, "/tiny": "<a/>", "/bom": "\ufeff<?xml version='1.0' encoding='utf-8'?><a>b</a>",
        "/spaces": "\r\n<a> \r\n<b> </b></a> ",
    "/spaces2": "<a> \r\n<b xml:space='preserve'> </b></a>\n", "/cdata": "<a><![CDATA[<&>]]>x<?p i?><!-- c --></a>",
    "/names": "<p:a xmlns:p='u' xmlns='v' p:x='1'><b xmlns=''><p:c/></b></p:a>",
    "/doctype": "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
    "/bad": "<a><b></a>", "/few": "<a><b/><c/><d/></a>", "/entity": "<a>&nbsp;</a>",
    "/large": "<list>%s</list>" % (ITEMS * 300),
}
for name, text in SOURCES.items():
    body[name] = text.encode()
body["/latin"] = "<?xml version='1.0' encoding='iso-8859-1'?><a>\u00e4</a>".encode("latin-1")
body["/said"] = "<?xml version='1.0' encoding='iso-8859-1'?><a>\u00e4</a>".encode()
type["/said"] = "text/xml; charset=UTF-8"
body["/told"] = "<a>\u00e4</a>".encode("latin-1")
type["/told"] = "text/xml; charset=iso-8859-1"


def facts(a):
    """What the client sees of an answer, but for who made it."""
    return (a.status, a["Content-Type"], a["ETag"], a["Content-Length"], a.body)


def figures(web):
    return {k: status(web)[k] for k in ("Done", "ByBytes", "BytesRefused", "ByWorker", "ByCpu", "Nodes", "InBytes",
                                        "OutBytes")}


def reasons(web):
    """Of the log: what failed, without who and when."""
    return sorted(set(re.sub(r".*(GX0\d+: .*?)(, client| \[class).*", r"\1", line.strip())
                      for line in web.new_log("GX01[0-2]")))


back = Backend(backend)
said = {}
for engine in "cpu", "worker":
    with server("bytes", conf(back.port, engine)) as web:
        web.new_log()
        before = figures(web)
        answers = {(name, path): facts(web.get("/%s%s?%s" % (name, path, path[1:]))) for name in SHEETS
                   for path in body}
        after = figures(web)
        said[engine] = answers, {k: after[k] - before[k] for k in after}, reasons(web)
        if engine == "worker":
            plain = web.get("/html/plain?x")
            ok(plain.status == 200 and plain["ETag"], "a page has its ETag")
            again = web.get("/html/plain?x", If_None_Match=plain["ETag"])
            was = figures(web)
            is_(again.status, 304, "... which answers a condition without the worker")
            like(plain["X-GPUXML-Why"], "done", "... and its reason")
            pid = status(web)["WorkerPid"]
            web.get("/html/bad")
            is_(figures(web)["BytesRefused"] - was["BytesRefused"], 1,
                "a malformed source is handed back, which is counted")
            for _ in range(20):
                web.get("/html/doctype")
            ok(1 < figures(web)["BytesRefused"] - was["BytesRefused"] < 15,
               "... what it does not read again and again is not sent each time")
            for _ in range(70):
                web.get("/html/plain")
            last = figures(web)
            web.get("/html/plain")
            is_(figures(web)["ByBytes"] - last["ByBytes"], 1, "... until it reads again")
            os.kill(pid, signal.SIGKILL)
            is_(facts(web.get("/html/plain?plain")), answers["html", "/plain"], "the worker is killed: the same page")
(here, counts_here, log_here), (there, counts_there, log_there) = said["cpu"], said["worker"]
wrong = [key for key in here if here[key] != there[key]]
is_(wrong, [], "%d answers are the same, by thread and by worker" % len(here))
for key in wrong[:3]:
    diag("%s: %s | %s" % (key, str(here[key])[:300], str(there[key])[:300]))
is_(log_there, log_here, "the same sources and stylesheets fail, for the same reasons")
for k in "Done", "Nodes", "InBytes", "OutBytes":
    is_(counts_there[k], counts_here[k], "%s is the same" % k)
ok(counts_here["ByBytes"] == 0 and counts_there["ByBytes"] >= 3 * 9,
   "the worker made most of them of the source's bytes") or diag(counts_there)
ok(3 * 3 <= counts_there["BytesRefused"] <= 3 * 6, "... and handed some sources back") or diag(counts_there)
is_(said["worker"][0]["text", "/plain"][1], "text/csv;charset=UTF-8" if "csv;c" in here["text", "/plain"][1]
    else here["text", "/plain"][1], "the stylesheet's media type")

with server("bytes", conf(back.port, "worker", "8M")) as web:
    before = figures(web)
    got = [facts(web.get("/html/plain?plain")) for _ in range(4)]
    after = figures(web)
    ok(all(g == here["html", "/plain"] for g in got), "with a cache: the same page each time")
    is_(after["ByBytes"] - before["ByBytes"], 1, "... the worker parses the first one; then the source is known, and "
                                                 "its document kept")
    is_(status(web)["CacheHits"], 2, "... which is found from then on")
# auto: prices of the whole way, from bytes to the page, by thread and by worker
with server("bytes", "Define GPUXML_ANY_WORKER\n" + conf(back.port, "auto")) as web:
    whys, wrong = [], []
    def tried():
        return any("source: worker" in why or "source: trial of worker" in why for why in whys)
    # A trial comes when what it costs is a small part of what was spent, so a fast thread beside a slow worker waits
    # longer for it.
    while len(whys) < 400 or (not tried() and len(whys) < 20000):
        k = len(whys)
        name, path = PORTABLE[k % 3], ("/plain", "/tiny", "/cdata", "/doctype")[k // 3 % 4]
        a = web.get("/%s%s?%s" % (name, path, path[1:]))
        whys.append(a["X-GPUXML-Why"] or "")
        if facts(a) != here[name, path]:
            wrong.append((name, path))
    is_(wrong, [], "auto: the same answers")
    ok(sum("; source: " in why for why in whys) > len(whys) * 3 // 4,
       "... and the prices of the whole way, mostly") or diag(whys[-1])
    ok(tried(), "... the worker is tried") or diag(whys[:5])
    ok(0 < figures(web)["ByBytes"] < len(whys), "... and the model chooses") or diag(figures(web))
    ok(re.search(r"all: html.xsl", web.get("/status?auto").text), "the status page has them apart")
done()
