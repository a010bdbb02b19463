#!/usr/bin/env python3
"""A worker that hangs: requests are answered meanwhile, httpd kills it and starts another one, and says so once."""
import json
import os
import signal
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
if not os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    print("1..0 # SKIP gpuxml-worker is not built")
    sys.exit(0)

web = Httpd("hung", """
GPUXMLEngine worker
<Location /a.xml>
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location /status>
    SetHandler gpuxml-status
</Location>
""")
web.put("htdocs/a.xml", "<a>b</a>")
web.put("conf/xsl/a.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="a"/></p></xsl:template>'))


def status():
    return json.loads(web.get("/status?json").text)


def by_worker():
    before = status()["ByWorker"]
    web.get("/a.xml")
    return status()["ByWorker"] > before


with web:
    old = status()["WorkerPid"]
    ok(by_worker(), "the worker answers")
    web.new_log()
    os.kill(old, signal.SIGSTOP)
    stopped = time.time()
    good, slowest, lines = 0, 0, []
    n = 0
    while time.time() < stopped + 30:
        start = time.time()
        a = web.get("/a.xml")
        slowest = max(slowest, time.time() - start)
        n += 1
        good += a.status == 200 and "<p>b</p>" in a.text
        lines += web.new_log("GX00")
        if any("GX0006" in line for line in lines):
            break
        time.sleep(0.1)
    is_(good, n, "every request is answered while it is stopped")
    ok(slowest < 3, "... and soon") or diag(slowest)
    ok(not os.path.exists("/proc/%d" % old), "it is killed")
    ok(time.time() - stopped > 4, "... not before it had its time") or diag(time.time() - stopped)
    is_([re.search("GX00..", line).group(0) for line in lines], ["GX0010", "GX0005", "GX0006"], "three lines: hangs, died, started again")
    new = 0
    for _ in range(50):
        new = status()["WorkerPid"]
        if new and by_worker():
            break
        time.sleep(0.1)
    ok(new not in (0, old) and by_worker(), "a new worker answers")
    time.sleep(12)
    is_(status()["WorkerPid"], new, "... and is left alone")
    is_(web.new_log("GX00"), [], "... without a word")
done()
