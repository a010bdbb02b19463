#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUXMLResultCache: pages in shmcb, memcached and redis. Found again by all children, only where they may be; a cache
that hangs, is gone or lies is a miss, told in one line a second, and costs a request 20 ms at most."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()
SITE = """
GPUXMLResultCache @CACHE@ max=64K expires=5min
<Location />
    GPUXMLStylesheet conf/xsl/a.xsl
    GPUXMLKeepResults on
</Location>
<Location /not>
    GPUXMLKeepResults off
</Location>
<Location /told>
    GPUXMLStylesheet conf/xsl/told.xsl
</Location>
<Location /user>
    SetEnvIf Remote_Addr "(.*)" USER=$1
    GPUXMLParam p "%{reqenv:USER}"
</Location>
<Location /param>
    GPUXMLParam p "%{req:X-P}"
</Location>
<Location /short>
    GPUXMLLimit output=8
</Location>
<Location /status>
    SetHandler gpuxml-status
</Location>
LogLevel gpuxml:info
"""
PAGE = sheet('<xsl:param name="p"/><xsl:output method="html"/><xsl:template match="/"><p><xsl:value-of '
             'select="concat(a, $p)"/></p></xsl:template>')
TOLD = sheet('<xsl:template match="/"><xsl:message>seen</xsl:message><p/></xsl:template>')


def site(name, cache, modules, more=""):
    web = Httpd("results-" + name, SITE.replace("@CACHE@", cache) + more, modules=modules)
    web.put("conf/xsl/a.xsl", PAGE)
    web.put("conf/xsl/told.xsl", TOLD)
    for at in ("", "not/", "user/", "param/", "short/", "told/"):
        web.put("htdocs/%sa.xml" % at, "<a>b&amp;c\u00e9</a>")
    for name, control in (("no-store", "max-age=10, no-store"), ("private", "private"),
                          ("public", "public, max-age=60")):
        web.cgi(name, "#!/bin/sh\nprintf 'Content-Type: text/xml\\r\\nCache-Control: %s\\r\\n\\r\\n<a>%s</a>'\n"
                % (control, name))
    web.put("htdocs/empty.xml", "<a/>")
    web.put("htdocs/big.xml", "<a>%s</a>" % ("x" * 70000))
    return web


def counts(web):
    s = status(web)
    return s["ResultHits"], s["ResultMisses"], s["ResultFailures"]


def moved(web, path, method="GET", **headers):
    """The answer, and what it added to hits, misses, failures. On a busy machine a server may take longer than 20 ms:
    that is none."""
    for _ in range(6):
        before = counts(web)
        a = web.get(path, method, **headers)
        time.sleep(0.05)        # what is kept over a network is not waited for
        did = tuple(n - m for n, m in zip(counts(web), before))
        if not did[2]:
            break
        time.sleep(1.1)
    return a, did


def usual(web, name):
    first, did = moved(web, "/a.xml")
    is_((first.status, did), (200, (0, 1, 0)), name + ": a page that nobody asked for yet is made")
    again, did = moved(web, "/a.xml")
    is_((again.status, again.text, again["content-type"], again["etag"], did),
        (200, first.text, first["content-type"], first["etag"], (1, 0, 0)), "... and found again, all of it")
    like("".join(str(x) for x in web.access("/a.xml")), r"kept", "... which the access log has")
    is_(moved(web, "/a.xml", If_None_Match=first["etag"])[1], (0, 0, 0), "a condition is answered before that")
    is_([moved(web, "/empty.xml")[1] for _ in range(2)], [(0, 1, 0), (1, 0, 0)], "a small page, too")


def limits(web):
    is_([moved(web, "/big.xml")[1] for _ in range(2)], [(0, 1, 0), (0, 1, 0)], "what is longer than max= is not kept")
    is_([moved(web, "/not/a.xml")[1] for _ in range(2)], [(0, 0, 0)] * 2, "GPUXMLKeepResults off: it is not asked")
    is_([moved(web, "/cgi-bin/" + name)[1] for name in ("no-store", "private", "public") for _ in range(2)],
        [(0, 0, 0)] * 4 + [(0, 1, 0), (1, 0, 0)],
        "Cache-Control of the source: no-store, private; else the page of a program is kept")
    is_(moved(web, "/a.xml", Cache_Control="no-store")[1], (0, 0, 0), "... and of the client")
    is_([moved(web, "/user/a.xml")[1] for _ in range(2)], [(0, 0, 0)] * 2, "what is one user's is not kept")
    one, did = moved(web, "/param/a.xml", X_P="one")
    two, _ = moved(web, "/param/a.xml", X_P="two")
    one_again, did_again = moved(web, "/param/a.xml", X_P="one")
    ok("one" in one.text and "two" in two.text and one_again.text == one.text and did_again == (1, 0, 0),
       "parameters tell pages apart")
    web.new_log()
    moved(web, "/told/a.xml")
    moved(web, "/told/a.xml")
    is_(len([line for line in web.new_log("GX0151") if "seen" in line]), 2, "what xsl:message says it says each time")
    is_(moved(web, "/short/a.xml")[0].status, 500, "a page that is longer than output= is none for this place")


# ---- memory of this host
web = site("shmcb", "shmcb:results(1000000)", ["socache_shmcb"])
with web:
    usual(web, "shmcb")
    limits(web)
    before = counts(web)
    pages = []
    at_once(16, lambda i: pages.extend([web.get("/a.xml").text for _ in range(10)]))
    is_((len(pages), len(set(pages))), (160, 1), "many at once get the same page")
    ok(counts(web)[0] - before[0] == 160, "... from the cache")

web = site("wrong", "none:x", ["socache_shmcb"])
code, said = web.test()
ok(code and "GPUXMLResultCache" in said and "no object cache" in said and "mod_socache_none" in said,
   "a provider that is not there: httpd -t says so") or diag(said)
for wrong, why in (("shmcb:r(1000000) max=0", "no size"), ("shmcb:r(1000000) max=1000M", "no size"),
    ("shmcb:r(1000000) max=64KB", "no size"), ("shmcb:r(1000000) expires=x", "a time"),
                   ("shmcb:r(1)", "GPUXMLResultCache")):
    web = Httpd("results-wrong", "GPUXMLResultCache %s\n" % wrong, modules=["socache_shmcb"])
    code, said = web.test()
    ok(code and why in said, "GPUXMLResultCache %s: refused" % wrong) or diag(said)


# ---- servers
def wait_port(port):
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


def served(kind, port, folder):
    if kind == "redis":
        return subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir",
                                 folder], stdout=subprocess.DEVNULL)
    return subprocess.Popen(["memcached", "-p", str(port), "-l", "127.0.0.1"]
                            + (["-u", "nobody"] if os.getuid() == 0 else []), stderr=subprocess.DEVNULL)


def over_network(kind, program, cache, more):
    if not shutil.which(program):
        ok(True, "%s # SKIP %s is not there" % (kind, program))
        return
    folder = tempfile.mkdtemp(prefix="gpuxml-results-")
    port = free_port()
    server = served(kind, port, folder)
    try:
        ok(wait_port(port), kind + " runs")
        web = site(kind, cache % port, ["socache_" + kind], more)
        with web:
            usual(web, kind)
            limits(web)
            page = web.get("/a.xml").text
            # it hangs
            web.new_log()
            os.kill(server.pid, signal.SIGSTOP)
            took, good, n, end = [], 0, 0, time.time() + 2.5
            while time.time() < end:
                start = time.time()
                good += web.get("/a.xml").text == page
                took.append(time.time() - start)
                n += 1
                time.sleep(0.01)
            took.sort()
            ok(good == n, "%s hangs: %d of %d requests have their page" % (kind, good, n))
            ok(took[-1] < 0.5 and took[len(took) * 8 // 10] < 0.05,
               "... and none waits long: the slowest %.0f ms" % (took[-1] * 1000))
            lines = web.new_log("GX0157")
            ok(1 <= len(lines) <= 4, "... %d lines in the log" % len(lines)) or diag("\n".join(lines))
            os.kill(server.pid, signal.SIGCONT)
            time.sleep(1.2)
            hits = 0
            for _ in range(30):
                hits = moved(web, "/a.xml")[1][0]
                if hits:
                    break
                time.sleep(0.2)
            ok(hits == 1, "... it goes on: pages are found again")
            # it lies: all that it has is something else
            if kind == "redis":
                keys = subprocess.run(["redis-cli", "-p", str(port), "keys", "*"], stdout=subprocess.PIPE,
                                      text=True).stdout.split()
                ok(keys, "there are keys")
                for value in ("", "x", "gxr1" + "\x01" * 300):
                    for key in keys:
                        subprocess.run(["redis-cli", "-p", str(port), "set", key, value], stdout=subprocess.DEVNULL)
                    time.sleep(1.1)
                    a, did = moved(web, "/a.xml")
                    ok(a.text == page and did[0] == 0,
                       "something else under the page's key, %d bytes: the page is made"
                       % len(value)) or diag("%s %s" % (a.text, did))
            # it is gone
            server.kill()
            server.wait()
            time.sleep(1.1)
            web.new_log()
            is_([web.get("/a.xml").text for _ in range(20)], [page] * 20, "%s is gone: pages are made" % kind)
            ok(1 <= len(web.new_log("GX0157")) <= 3, "... and the log says so")
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


over_network("redis", "redis-server", "redis:127.0.0.1:%d", "")
over_network("memcache", "memcached", "memcache:127.0.0.1:%d", "")
done()
