#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUXMLEngine auto beside a worker that has CPUs only (Define GPUXML_ANY_WORKER): the way there and back never pays,
so requests stay in their threads; what was chosen and why is told; a dead worker changes nothing; other engines ask no
model."""
import os
import signal
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
COPY = sheet('<xsl:output method="text"/><xsl:template match="/"><xsl:value-of select="/a"/></xsl:template>')
HOST = sheet('<xsl:output method="text"/><xsl:template match="/"><xsl:value-of '
             'select="system-property(string(/a/@p))"/></xsl:template>')


def conf(first):
    return first + """
GPUXMLStylesheetRoot conf/xsl
Header always set X-Why "%{GPUXML_ENGINE}e: %{GPUXML_WHY}e"
<Location "/a">
    GPUXMLStylesheet conf/xsl/copy.xsl
</Location>
<Location "/h">
    GPUXMLStylesheet conf/xsl/host.xsl
</Location>
<Location "/status">
    SetHandler gpuxml-status
</Location>
"""


def server(name, first):
    web = Httpd(name, conf(first), level="debug")
    web.put("conf/xsl/copy.xsl", COPY)
    web.put("conf/xsl/host.xsl", HOST)
    web.put("htdocs/a/x.xml", "<a>one</a>")
    web.put("htdocs/h/x.xml", "<a p='xsl:version'/>")
    return web


with server("auto", "Define GPUXML_ANY_WORKER\nGPUXMLEngine auto\n") as web:
    answers = [web.get("/a/x.xml") for _ in range(400)]
    ok(all(a.text == "one" for a in answers), "every page is right, whoever made it")
    by_worker = sum(a["X-Why"].startswith("worker") for a in answers)
    ok(by_worker <= 20, "the worker is tried now and then, no more")
    diag("%d of 400; %s" % (by_worker, answers[-1]["X-Why"]))
    like(answers[-1]["X-Why"], r"^(cpu: thread \d+us <= worker \d+us|\w+: trial of \w+: thread \d+us, worker \d+us)$",
         "and why is told")
    costs = status(web)["Costs"]
    is_([(c["Sheet"], c["NodesLog2"]) for c in costs], [("copy.xsl", 1)], "the status page has what was learnt")
    ok(5 < costs[0]["ThreadSamples"] <= 400 and costs[0]["ThreadUs"] > 0,
       "from some of them: one is measured every 5 ms")

    def samples():
        c = status(web)["Costs"][0]
        return c["ThreadSamples"] + c["WorkerSamples"]

    before = samples()
    for _ in range(20):
        time.sleep(0.012)
        web.get("/a/x.xml")
    is_(samples() - before, 20, "... and every one that comes later than that")
    like(web.get("/status?auto").text, r"Cost: copy\.xsl nodes 2\^1 thread [\d.]+us \(\d+\) worker ", "also as text")
    like(web.get("/status?auto").text, r"(?m)^Load: \d+\.\d\d$", "with the machine's load")
    ok(status(web)["Load"] >= 1, "which is 1 at least")
    is_(status(web)["Ways"], "", "nothing was compared: the machine is not full")
    ok(web.new_log("GX0152"), "and the debug log")
    h = web.get("/h/x.xml")
    is_(h.text, "1", "host steps (xsl:version is the number 1)")
    is_(h["X-Why"], "cpu: thread: host steps", "stay in the thread")
    os.kill(status(web)["WorkerPid"], signal.SIGKILL)
    ok(all(web.get("/a/x.xml").text == "one" for _ in range(50)), "the worker is killed: nobody notices")

for engine, want in (("cpu", "cpu: (null)"), ("worker", "worker: (null)")):
    with server("pinned", "GPUXMLEngine %s\n" % engine) as web:
        is_(web.get("/a/x.xml")["X-Why"], want, "GPUXMLEngine %s is not asked" % engine)
        ok("Costs" not in web.get("/status?json").text, "and nothing learnt")
done()
