#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GPUXMLProfiles where the worker has a device: it matches documents of handler and filters, with the ids of the CPU;
what it does not take the CPU matches; sets change, workers die and the device is lost under load, and no request fails
or sees another set. The device is none (t/gpu)."""
import http.client
import os
import shutil
import signal
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
import harness
from harness import *

need()
# FAKE: one that is built for a sanitizer
FAKE = os.environ.get("FAKE") or os.path.join(ROOT, "build", "fake", "gpuxml-worker")
if not os.access(FAKE, os.X_OK):
    print("1..0 # SKIP %s is not built: there is no C++ compiler" % FAKE)
    sys.exit(0)
beside = os.path.join(SERVERS, "beside-match")
shutil.rmtree(beside, ignore_errors=True)
os.makedirs(beside)
shutil.copy(MODULE, beside)
shutil.copy(FAKE, os.path.join(beside, "gpuxml-worker"))
harness.MODULE = os.path.join(beside, os.path.basename(MODULE))

CONF = """
GPUXMLEngine %s
GPUXMLCheckFiles 100ms
GPUXMLWorkerRestart 60/10
<Location /status>
  SetHandler gpuxml-status
</Location>
<Location /match>
  SetHandler gpuxml-match
  GPUXMLProfiles @ROOT@/conf/p.txt
  Header always set X-Engine "%%{GPUXML_MATCH_ENGINE}e"
</Location>
<Location /feed>
  SetOutputFilter GPUXMLMATCH
  GPUXMLProfiles @ROOT@/conf/p.txt
  Header set X-Matches "%%{GPUXML_MATCHES}e" env=GPUXML_MATCHES
  Header set X-Engine "%%{GPUXML_MATCH_ENGINE}e" env=GPUXML_MATCH_ENGINE
</Location>
"""
DOC = "<order><item k='1'><price>9</price></item><item><price>12</price><name/></item></order>"
PROFILES = "cheap\t//item[price < 10]\nkey\t//item/@k\nsecond\t//item[2]\nnone\t//gone\n"     # second: by the planner
IDS = "cheap\nkey\nsecond\n"


def post(web, body, path="/match", timeout=30):
    c = http.client.HTTPConnection("127.0.0.1", web.port, timeout=timeout)
    c.request("POST", path, body, {"Content-Type": "text/xml", "Connection": "close"})
    a = c.getresponse()
    said = a.status, a.read().decode(), a.getheader("X-Engine")
    c.close()
    return said


def until(what, good, seconds=20):
    """What it is, once it has been good 4 times: each of httpd's processes has a set of its own"""
    end, n, got = time.time() + seconds, 0, None
    while n < 4 and time.time() < end:
        got = what()
        n = n + 1 if good(got) else 0
        time.sleep(0.03)
    return got


def by_gpu(web):
    return until(lambda: post(web, DOC), lambda got: got[2] == "gpu")


web = Httpd("match-gpu", CONF % "worker")
web.put("conf/p.txt", PROFILES)
web.put("htdocs/feed/doc.xml", DOC)
web.start()
is_(by_gpu(web), (200, IDS, "gpu"), "the worker's device matches, soon after it is there; a profile with a "
                                    "position, too")
a = web.get("/feed/doc.xml")
is_((a["x-matches"], a["x-engine"]), ("cheap,key,second", "gpu"), "... responses, too")
said = post(web, DOC, "/match?explain=cheap")
ok(said[0] == 200 and said[1].startswith("matches\n") and said[2] == "cpu",
   "what is explained the CPU matches") or diag(said)
before = status(web)
is_(post(web, "<order>" + "<item/>" * 70000 + "</order>")[1:], ("second\n", "cpu"),
    "a document of more elements than the device takes: the CPU matches")
is_(post(web, "<order>" + "<item><price>1</price></item>" * 9000 + "</order>")[1:], ("cheap\nsecond\n", "gpu"),
    "... one for which the device makes room")
is_(post(web, "<order>")[0], 400, "what is not well-formed is refused as ever")
time.sleep(0.7)                 # the worker tells what its devices do twice a second
s = status(web)
ok(s["MatchFallbacks"] == before["MatchFallbacks"] + 1 and s["MatchByDevice"] > 4
   and s["MatchByDevice"] < s["MatchDocuments"],
   "the status counts by engine") or diag(s)
lines = web.get("/status?auto").text
like(lines, r"(?m)^Device0MatchRequests: [1-9]\d*\n(?s:.*)^Device0MatchSets: 1$",
     "... and the device's documents and sets")
like(web.get("/status?metrics").text, r'(?s)gpuxml_device_match_requests_total\{device="0",name="Fake 0, 4 SMs"\} '
                                      r'[1-9].*gpuxml_device_match_sets\{', "... and so do the metrics")
like(web.get("/status", Accept="text/html").text, r"Matched with profiles", "... and the page")


# ---- under load ----

class Load:
    """Threads that post while something happens. Right is 200, and one of these sets' ids."""
    def __init__(self, web, sets, n=4):
        self.web, self.sets, self.stop = web, sets, threading.Event()
        self.wrong, self.engines = [], {}
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run) for _ in range(n)]

    def run(self):
        while not self.stop.is_set():
            try:
                said = post(self.web, DOC)
            except Exception as e:
                said = (0, str(e), "-")
            with self.lock:
                self.engines[said[2]] = self.engines.get(said[2], 0) + 1
                if said[0] != 200 or said[1] not in self.sets:
                    self.wrong.append(said)

    def __enter__(self):
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for t in self.threads:
            t.join()


def kill_worker():
    for _ in range(100):
        pid = status(web)["WorkerPid"]
        if pid > 1:
            os.kill(pid, signal.SIGKILL)
            return
        time.sleep(0.1)


many = "".join("n%d\t//item[@n%d = 'v']\n" % (k, k) for k in range(2000))
SETS = ["x%d\n" % i for i in range(3)]
web.put("conf/p.txt", "x0\t//item\n" + many)
until(lambda: post(web, DOC)[1], lambda got: got == SETS[0])
by_gpu(web)
with Load(web, SETS) as load:
    for i in range(12):         # more sets than the device keeps
        web.put("conf/p.txt", "x%d\t//item\n" % (i % 3) + many + "y%d\t//gone\n" % i)
        time.sleep(0.3)
        if i == 6:
            web.graceful()
n = sum(load.engines.values())
ok(not load.wrong and load.engines.get("gpu", 0) > 20, "%d requests while sets change: none failed, none with another "
                                                       "set: %s" % (n, load.engines)) or diag(load.wrong[:5])
by_gpu(web)
with Load(web, SETS) as load:
    for i in range(3):
        kill_worker()
        time.sleep(1)
n = sum(load.engines.values())
ok(not load.wrong and load.engines.get("cpu", 0) and load.engines.get("gpu", 0),
   "%d while workers are killed: none failed: %s" % (n, load.engines)) or diag(load.wrong[:5])
for faults, what in (("match 40 1 719", "the device is lost"), ("stays\nmatch 3 100000 2", "each batch fails")):
    with open(os.path.join(beside, "gpuxml-worker.faults"), "w") as f:
        f.write(faults + "\n")
    kill_worker()
    by_gpu(web) if faults[0] == "m" else time.sleep(2)
    with Load(web, SETS) as load:
        time.sleep(2)
    ok(not load.wrong, "%d while %s: none failed: %s" % (sum(load.engines.values()), what,
                                                         load.engines)) or diag(load.wrong[:5])
    os.unlink(os.path.join(beside, "gpuxml-worker.faults"))
web.stop()

# ---- auto ----

web = Httpd("match-auto", "Define GPUXML_ANY_WORKER\n" + CONF % "auto")
web.put("conf/p.txt", PROFILES)
web.start()
end, engines = time.time() + 60, set()
while time.time() < end and engines != {"cpu", "gpu"}:
    said = post(web, DOC)
    if said[:2] != (200, IDS):
        break
    engines.add(said[2])
is_((said[:2], engines), ((200, IDS), {"cpu", "gpu"}), "auto: the thread, which is cheaper here, and the device "
                                                       "on trial")
like(web.get("/status?auto").text, r"(?m)^Cost.*match: p.txt", "... and the status says what it has learnt")
web.stop()
done()
