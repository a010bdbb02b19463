#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many clients at once, each with its own token: everyone gets the own page and never another's; also while the worker
is killed, httpd restarts gracefully, and clients hang up."""
import os
import queue
import random
import time
import signal
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

need()

CLIENTS = 200
XSL = sheet('<xsl:output method="html" encoding="UTF-8"/><xsl:param name="token"/><xsl:key name="k" match="item" '
            'use="@n"/>'
            '<xsl:template match="/"><html><head><title><xsl:value-of '
            'select="$token"/></title></head><body><xsl:apply-templates '
            'select="feed/item"><xsl:sort select="@n" data-type="number" '
            'order="descending"/></xsl:apply-templates></body></html>'
            '</xsl:template><xsl:template match="item"><p title="{key(\'k\', @n)/@n}"><xsl:value-of '
            'select="."/></p></xsl:template>')
TOKEN = re.compile(r"t[0-9a-f]{16}t")


def source(token, n):
    return "<feed>%s</feed>" % "".join('<item n="%d">%s%d</item>' % (i, token, i) for i in range(n))


def backend(r):
    token = r.path.rsplit("/", 1)[1].split(".")[0]
    answer(r, source(token, 5 + int(token[1:3], 16) % 40).encode())


def expected(token):
    n = 5 + int(token[1:3], 16) % 40
    return [token] + ["%s%d" % (token, i) for i in range(n - 1, -1, -1)]


class Load:
    """CLIENTS threads that ask until the time is over; keep-alive connections, now and then one that is dropped half
    way."""

    def __init__(self, web, seconds, abort=0.0, path="/proxy/"):
        self.web, self.end, self.abort, self.path = web, time.time() + seconds, abort, path
        self.good = self.aborted = 0
        self.bad = []
        self.foreign = 0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.client, args=(i,)) for i in range(CLIENTS)]

    def run(self, meanwhile=None):
        for t in self.threads:
            t.start()
        if meanwhile:
            meanwhile()
        for t in self.threads:
            t.join(60 * SLOW)
        return self

    def client(self, i):
        rng = random.Random(i)
        while time.time() < self.end:
            token = "t%016xt" % rng.getrandbits(64)
            try:
                if rng.random() < self.abort:
                    with socket.create_connection(("127.0.0.1", self.web.port), timeout=10) as s:
                        s.sendall(("GET %s%s.xml?token=%s HTTP/1.1\r\nHost: x\r\n\r\n" % (self.path, token,
                            token)).encode())
                        if rng.random() < 0.5:
                            s.recv(10)
                    with self.lock:
                        self.aborted += 1
                    continue
                a = ask(self.web.port, "%s%s.xml?token=%s" % (self.path, token, token), timeout=20 * SLOW)
                found = re.findall(r">(t[0-9a-f]{16}t\d*)<", a.text)
                problem = None
                if a.status != 200 or not a.complete:
                    problem = "status %d %r" % (a.status, a.raw[:100])
                elif found != expected(token):
                    problem = "wrong page %r" % a.text[:300]
                with self.lock:
                    if any(t != token for t in TOKEN.findall(a.text)):
                        self.foreign += 1
                    if problem:
                        self.bad.append(problem)
                    else:
                        self.good += 1
            except OSError as e:
                with self.lock:
                    self.bad.append("%s" % e)

    def report(self, name, least=200):
        if not ok(not self.bad, "%s: no client sees an error" % name):
            diag("%d of %d; %s" % (len(self.bad), len(self.bad) + self.good, self.bad[:5]))
        is_(self.foreign, 0, name + ": nobody sees another's token")
        ok(self.good >= least, "%s: %d pages, %d hung up" % (name, self.good, self.aborted))


CONF = """
ListenBacklog 1024
GPUXMLEngine %s
GPUXMLSharedMemory 32M
GPUXMLWorkerRestart 60/10 1s
ProxyPass "/proxy/" "http://127.0.0.1:%d/"
<Location "/proxy/">
    GPUXMLStylesheet conf/xsl/feed.xsl
    GPUXMLParam token "%%{QUERY_STRING}"
</Location>
<Location /status>
    SetHandler gpuxml-status
</Location>
"""
XSL = XSL.replace('select="$token"', 'select="substring-after($token, \'=\')"')


def clear(web, name):
    """Everything is free again when the load is over."""
    s = {}
    for _ in range(30):
        s = status(web)
        if s.get("QueueSlotsFree") == s.get("QueueSlots"):
            break
        time.sleep(0.1)
    is_(s.get("QueueSlotsFree"), s.get("QueueSlots"), name + ": all slots are free again")


for mpm in ("event", "prefork", "worker"):
    back = Backend(backend)
    web = Httpd("load-" + mpm, CONF % ("cpu", back.port), mpm)
    web.put("conf/xsl/feed.xsl", XSL)
    with web:
        Load(web, 3, abort=0.1).run().report(mpm + ", cpu")
        if mpm != "worker":
            def restarts():
                for _ in range(3):
                    time.sleep(1)
                    web.graceful()
            Load(web, 5).run(restarts).report(mpm + ", graceful restarts")
        ok("exit signal" not in web.log(), mpm + ", cpu: no child died")

if not os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    ok(True, "through the worker # SKIP gpuxml-worker is not built")
    done()

for mpm in ("event", "prefork"):
    back = Backend(backend)
    web = Httpd("worker-" + mpm, CONF % ("worker", back.port), mpm)
    web.put("conf/xsl/feed.xsl", XSL)
    with web:
        for _ in range(100):            # httpd does not wait for it
            if "GX0009: worker ready" in web.log():
                break
            time.sleep(0.1)
        like(web.log(), "GX0009: worker ready", mpm + ": the worker comes up by itself")
        Load(web, 3, abort=0.1).run().report(mpm + ", worker")
        s = status(web)
        ok(s["ByWorker"] > 0.5 * s["Done"], "%s: %d of %d pages came from the worker" % (mpm, s["ByWorker"],
            s["Done"])) or diag(s)
        clear(web, mpm)

        def kills():
            for _ in range(6 * SLOW):
                time.sleep(0.7)
                s = status(web)
                if s["WorkerDeaths"] >= 5:
                    break
                if s["WorkerPid"]:
                    os.kill(s["WorkerPid"], signal.SIGKILL)
        Load(web, 5).run(kills).report(mpm + ", worker killed")
        time.sleep(1)
        s = status(web)
        ok(s["WorkerDeaths"] >= 4 and s["WorkerAlive"] == 1, mpm + ": it was killed, and is there again") or diag(s)
        is_(len(re.findall("GX0005", web.log())), s["WorkerDeaths"], mpm + ": one line for each death")
        clear(web, mpm)

        def stops():
            time.sleep(0.5)
            pid = status(web)["WorkerPid"]
            os.kill(pid, signal.SIGSTOP)
            time.sleep(3)
            os.kill(pid, signal.SIGCONT)
        Load(web, 5).run(stops).report(mpm + ", worker stopped for 3 s", 20)

        def restarts():
            for _ in range(3):
                time.sleep(1)
                web.graceful()
        Load(web, 5).run(restarts).report(mpm + ", graceful restarts with a worker")
        ok("exit signal" not in web.log(), mpm + ", worker: no child died")
        pid = status(web)["WorkerPid"]
    for _ in range(50):
        if not os.path.exists("/proc/%d" % pid):
            break
        time.sleep(0.1)
    ok(not os.path.exists("/proc/%d" % pid), mpm + ": the worker ends with httpd")
done()
