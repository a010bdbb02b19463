#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUXMLCompileLimit: a stylesheet that takes more memory or time to compile is in error, all httpd's children compile
so many at once, and who waits longer than its time gets a 503. The place of a child that dies while it compiles is free
again; what is kept of stylesheets that requests name has an end."""
import os
import re
import signal
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

ROOTED = ("GPUXMLEngine cpu\nGPUXMLStylesheetRoot conf/xsl\n<Location /x>\nGPUXMLStylesheet "
          "\"%{HTTP:X-Sheet}\"\n</Location>\n")


def large(k, n):
    return sheet("".join('<xsl:template match="a%x[@x=%d]"/>\n' % (i, i + k)
                         for i in range(n)) + '<xsl:template match="/"><xsl:text>%d</xsl:text></xsl:template>' % k)


def serve(name, conf, sheets):
    web = Httpd(name, conf + ROOTED)
    web.put("htdocs/x/a.xml", "<a/>")
    for k, text in enumerate(sheets):
        web.put("conf/xsl/%d.xsl" % k, text)
    return web


def ask_all(web, n):
    """By number of the stylesheet: status and seconds."""
    took = {}

    def one(k):
        start = time.time()
        took[k] = (web.get("/x/a.xml", X_Sheet="%d.xsl" % k).status, time.time() - start)
    at_once(n, one)
    return took


def peak_mb(web):
    return max(int(m) >> 10 for m in re.findall(r"VmHWM:\s*(\d+)", "".join(web.children().values())))


# memory
web = serve("compile-memory", "GPUXMLCompileLimit memory=32M at-once=1\nGPUXMLTimeout 60s\n",
            [large(k, 100000) for k in range(3)] + [large(9, 10)])
with web:
    web.get("/x/a.xml", X_Sheet="3.xsl")
    before = peak_mb(web)
    took = ask_all(web, 3)
    is_([took[k][0] for k in range(3)], [500] * 3, "three stylesheets of 4 MB, which take 280 MB each to compile")
    like(web.log(), r"conf/xsl/0\.xsl:\d+:\d+: compiling the stylesheet takes more than its limit, memory=33554432 "
                    r"\(GPUXMLCompileLimit\)", "the log says where, and which limit")
    is_(peak_mb(web) - before < 150, True, "they do not take more memory than that, one after the other")
    is_(web.get("/x/a.xml", X_Sheet="3.xsl").status, 200, "others are compiled")

# time
web = serve("compile-time", "GPUXMLCompileLimit time=20ms\n", [large(0, 100000)])
with web:
    is_(web.get("/x/a.xml", X_Sheet="0.xsl").status, 500, "a stylesheet that takes longer than time=20ms to compile")
    like(web.log(), r"takes longer than its limit, time=20ms \(GPUXMLCompileLimit\)", "the log names the limit")

# at once: the second one waits for the first, which takes seconds, no longer than its time
web = serve("compile-once", "GPUXMLCompileLimit at-once=1 memory=max time=max\n<Location /x>\nGPUXMLTimeout "
                            "100ms\n</Location>\n",
            [large(k, 60000) for k in range(2)])
with web:
    took = ask_all(web, 2)
    is_(sorted(s for s, t in took.values())[-1], 503, "one that waits for another longer than GPUXMLTimeout")
    like(web.log(), r"GPUXMLCompileLimit at-once=1: as many stylesheets as that are being compiled",
         "the log says what it waited for")

# a child that dies while it compiles
web = serve("compile-dies", "StartServers 2\nServerLimit 4\nGPUXMLCompileLimit at-once=1 memory=max "
                            "time=max\n<Location /x>\nGPUXMLTimeout 8s\n</Location>\n",
            [large(0, 150000), large(1, 10)])
with web:
    def lost():
        try:
            web.get("/x/a.xml", X_Sheet="0.xsl")
        except OSError:
            pass

    used = lambda: {pid: sum(map(int, open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[11:13]))
                    for pid in web.children()}
    web.get("/none")
    before = used()
    client = threading.Thread(target=lost)
    client.start()
    busiest = None
    # hundredths of a second: it compiles
    while busiest is None or now.get(busiest, 0) - before.get(busiest, 0) < 20:
        time.sleep(0.05)
        now = used()
        busiest = max(now, key=lambda pid: now[pid] - before.get(pid, 0), default=None)
    os.kill(busiest, signal.SIGKILL)
    start = time.time()
    is_(web.get("/x/a.xml", X_Sheet="1.xsl").status, 200, "a child is killed while it compiles: another one has "
                                                          "its place")
    ok(time.time() - start < 6 * SLOW, "... before its time is over")
    client.join()

# what is kept: 64 MB of programs, of which who has most gives way
is_measured = measure_memory()
MEGABYTES = ('<xsl:template match="/"><xsl:text>%%s</xsl:text><xsl:if test="//none">%s</xsl:if></xsl:template>'
             % ("text " * 600000))
web = Httpd("compile-kept", """GPUXMLEngine cpu
GPUXMLCheckFiles off
ServerLimit 1
MaxRequestWorkers 25
<VirtualHost *>
    ServerName a
    GPUXMLStylesheetRoot conf/xsl/a
    <Location /x>
        GPUXMLStylesheet "%{HTTP:X-Sheet}"
    </Location>
</VirtualHost>
<VirtualHost *>
    ServerName b
    GPUXMLStylesheetRoot conf/xsl/b
    <Location /x>
        GPUXMLStylesheet "%{HTTP:X-Sheet}"
    </Location>
</VirtualHost>
""")
web.put("htdocs/x/a.xml", "<a/>")
for host, n in (("a", 1), ("b", 100)):
    for k in range(n):
        web.put("conf/xsl/%s/%d.xsl" % (host, k), sheet('<xsl:output method="text"/>' + MEGABYTES % "old"))
with web:
    page = lambda host, k: web.get("/x/a.xml", Host=host, X_Sheet="%d.xsl" % k).text
    kept = lambda: max(int(kb) >> 10 for kb in re.findall(r"VmRSS:\s*(\d+)", "".join(web.children().values())))
    is_(page("a", 0), "old", "one stylesheet of a virtual host")
    first = kept()
    is_([page("b", k) for k in range(100)], ["old"] * 100, "100 of another one, of 3 MB each")
    ok(not is_measured or kept() - first < 220, "... of which about 64 MB are kept") \
        or diag("%d MB, then %d MB" % (first, kept()))
    web.put("conf/xsl/a/0.xsl", sheet('<xsl:output method="text"/>' + MEGABYTES % "new"))
    for k in (0, 99):
        web.put("conf/xsl/b/%d.xsl" % k, sheet('<xsl:output method="text"/>' + MEGABYTES % "new"))
    is_(page("b", 99), "old", "... the last one (GPUXMLCheckFiles off: its file is not looked at)")
    is_(page("b", 0), "new", "... the first one is not: it is compiled anew")
    is_(page("a", 0), "old", "... and nobody else's had to go")

# wrong values
for line, sentence in (("GPUXMLCompileLimit memory=0", "at least 1"),
                       ("GPUXMLCompileLimit at-once=0", "at-once is a number from 1 to 64"),
                       ("GPUXMLCompileLimit time=1x", "time must be"),
                       ("GPUXMLCompileLimit size=1", "memory=N and time=N")):
    web = Httpd("compile-wrong", line + "\n")
    code, said = web.test()
    ok(code != 0 and sentence in said, line)

done()
