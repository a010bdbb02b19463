#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker that hangs: requests are answered meanwhile, httpd kills it and starts another one, and says so once. One
that a graceful restart replaces ends without a word, even when it is stopped. One that starts slowly is used as soon as
it is ready; one that comes back without its GPU is called what it is."""
import os
import shutil
import signal
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
import harness
from harness import *

need()
if not os.path.exists(os.path.join(os.path.dirname(MODULE), "gpuxml-worker")):
    print("1..0 # SKIP gpuxml-worker is not built")
    sys.exit(0)

def one_page(name, more=""):
    """A server with one page, by its worker."""
    web = Httpd(name, """
GPUXMLEngine worker
<Location /a.xml>
    GPUXMLStylesheet conf/xsl/a.xsl
</Location>
<Location /status>
    SetHandler gpuxml-status
</Location>
""" + more)
    web.put("htdocs/a.xml", "<a>b</a>")
    web.put("conf/xsl/a.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="a"/></p></xsl:template>'))
    return web


web = one_page("hung")


def by_worker():
    before = status(web)["ByWorker"]
    web.get("/a.xml")
    return status(web)["ByWorker"] > before


with web:
    old = status(web)["WorkerPid"]
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
    is_([re.search("GX00..", line).group(0) for line in lines], ["GX0010", "GX0005", "GX0006"],
        "three lines: hangs, died, started again")
    new = 0
    for _ in range(50):
        new = status(web)["WorkerPid"]
        if new and by_worker():
            break
        time.sleep(0.1)
    ok(new not in (0, old) and by_worker(), "a new worker answers")
    ok(str(old) not in web.get("/status?auto").text, "... and the status page does not name the old one")
    time.sleep(12)
    is_(status(web)["WorkerPid"], new, "... and is left alone")
    is_(web.new_log("GX00"), [], "... without a word")

    pids = [new]
    for _ in range(3):
        web.graceful()
        for _ in range(100):
            pid = status(web)["WorkerPid"]
            if pid not in [0] + pids and by_worker():
                break
            time.sleep(0.1)
        pids.append(pid)
    is_(len(set(pids)), 4, "each graceful restart has a worker of its own")
    for _ in range(100):
        if not any(os.path.exists("/proc/%d" % pid) for pid in pids[:-1]):
            break
        time.sleep(0.1)
    is_([pid for pid in pids if os.path.exists("/proc/%d" % pid)], pids[-1:], "the old ones end")
    ok("long lost child" not in web.log(), "httpd knows them all") or diag(web.log()[-2000:])
    ok("GX0005" not in "".join(web.new_log("GX00")), "none is said to have died")
    os.kill(pids[-1], signal.SIGKILL)
    for _ in range(50):
        if status(web)["WorkerPid"] not in (0, pids[-1]) and by_worker():
            break
        time.sleep(0.1)
    ok(by_worker() and len(web.new_log("GX0006")) == 1, "the last one that is killed is started again")

    old = status(web)["WorkerPid"]
    os.kill(old, signal.SIGSTOP)
    web.graceful()
    for _ in range(350):
        if not os.path.exists("/proc/%d" % old):
            break
        time.sleep(0.1)
    ok(not os.path.exists("/proc/%d" % old), "one that is stopped when it is replaced does not stay")
    ok(by_worker() and [line for line in web.new_log("GX00") if "GX0010" in line and str(old) in line],
       "... which is said")

# ---- another worker program beside the module ----

beside = os.path.join(SERVERS, "beside")


def worker_program(text=None, program=None):
    shutil.rmtree(beside, ignore_errors=True)
    os.makedirs(beside)
    shutil.copy(MODULE, beside)
    shutil.copy(os.path.join(os.path.dirname(MODULE), "gpuxml-worker"), os.path.join(beside, "real"))
    harness.MODULE = os.path.join(beside, os.path.basename(MODULE))
    path = os.path.join(beside, "gpuxml-worker")
    if program:
        shutil.copy(program, path)
    else:
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)


def another(name, conf="", engine="GPUXMLEngine worker"):
    web = Httpd(name, conf + "\n" + engine + """
Header always set X-Engine "%{GPUXML_ENGINE}e"
GPUXMLStylesheet conf/xsl/a.xsl
<Location /status>
    SetHandler gpuxml-status
</Location>
""")
    web.put("htdocs/a.xml", "<a>b</a>")
    web.put("htdocs/large.xml", "<a>b<!-- %s --></a>" % ("x" * 300000))
    web.put("conf/xsl/a.xsl", sheet('<xsl:template match="/"><p><xsl:value-of select="a"/><xsl:for-each '
        'select="a/b"><i><xsl:value-of select="count(//b)"/></i></xsl:for-each></p></xsl:template>'))
    web.put("htdocs/much.xml", "<a>%s</a>" % ("<b/>" * 2000))
    web.put("htdocs/host.xml", "<a>b</a>")
    web.put("conf/xsl/host.xsl", sheet('<xsl:template match="/"><p><xsl:copy-of '
                                       'select="document(a)"/></p></xsl:template>'))
    return web


def wait_for_engine(web, engine, seconds, path="/a.xml"):
    end = time.time() + seconds
    seen = None
    while time.time() < end and seen != engine:
        answer = web.get(path)
        if answer.status != 200:
            return answer.status
        seen = answer["X-Engine"]
        time.sleep(0.05)
    return seen


worker_program("#!/bin/sh\nsleep 7\nexec %s/real \"$@\"\n" % beside)
with another("slow") as web:
    is_(web.get("/a.xml")["X-Engine"], "cpu", "a worker that needs 7 seconds to start: requests are answered meanwhile")
    if os.getuid() == 0 and shutil.which("setpriv"):
        pid = max(pid for pid in web.children() if "gpuxml-worker" in open("/proc/%d/cmdline" % pid).read())
        user = ["setpriv", "--reuid=www-data", "--regid=www-data", "--clear-groups", "sh", "-c"]
        ok(subprocess.run(user + ["true </proc/%d/fd/3" % pid], stderr=subprocess.DEVNULL).returncode != 0,
           "... its memory cannot be opened by programs of httpd's user")
    like(status(web)["Engine"], "^cpu, the worker is starting", "... the status page says why")
    is_(len(web.new_log("GX0011")), 1, "... and the log")
    is_(wait_for_engine(web, "worker", 10), "worker", "then it has them")
    if os.getuid() == 0 and shutil.which("setpriv"):
        like(web.children()[pid], r"Uid:\t([1-9]\d*)\t\1\t\1\t\1\n.*Groups:\s*\n.*NoNewPrivs:\t1", "... and no rights")
        ok(subprocess.run(user + ["true </proc/%d/fd/3" % pid], stderr=subprocess.DEVNULL).returncode != 0,
           "... nor can its memory be opened now")
    like(status(web)["Engine"], "^cpu, [0-9]+ thread", "... and the status page says what it is")

worker_program("#!/bin/sh\n[ -e %s/mended ] && exec %s/real \"$@\"\nexit 5\n" % (beside, beside))
started = time.time()
with another("broken", "GPUXMLWorkerRestart 5/60 1s") as web:
    ok(time.time() - started < 4,
       "a worker that ends at once: httpd does not wait for it") or diag(time.time() - started)
    is_(web.get("/a.xml")["X-Engine"], "cpu", "... and answers")
    is_(len(web.new_log("GX0002.*ended at once")), 1, "... and says so")
    like(status(web)["Engine"], "^cpu, the worker could not be started", "... the status page, too")
    lines = web.new_log("GX0007", 25)
    ok(len(lines) == 1 and "crit" not in lines[0], "... once: that it ends at once again is no news") or diag(lines)
    open(os.path.join(beside, "mended"), "w").close()
    is_(wait_for_engine(web, "worker", 25), "worker", "... it is tried again")
    is_(len(web.new_log("GX0009", 25)), 1, "... which is said")

worker_program("")
os.unlink(os.path.join(beside, "gpuxml-worker"))
os.mkdir(os.path.join(beside, "gpuxml-worker"))             # else one that is installed is found
with another("missing", "GPUXMLWorkerRestart 5/60 1s") as web:
    lines = []
    for _ in range(300):
        lines += web.new_log("GX0002", 0.1)
        if len(lines) == 2:
            break
    is_(["crit" in line for line in lines], [True, False], "one that cannot be executed: a critical line, not one "
                                                           "each time") or diag(lines)



def check_devices(web):
    """What the status page says of a GPU: its memory, how busy it was, batches; and why an engine was chosen."""
    end = time.time() + 20 * SLOW
    # told twice a second
    while time.time() < end and not (status(web).get("Devices") or [{}])[0].get("GridRequests"):
        time.sleep(0.1)
    d = (status(web).get("Devices") or [{}])[0]
    ok(d.get("Name", "").startswith("Fake 0") and 0 < d["MemoryUsedBytes"] < d["MemoryBytes"] and d["BusyUs"] > 0,
       "?json: a GPU's memory and busy time: %s" % d)
    ok(d["GridRequests"] > 0 and sum(d["BatchSizes"]) == d["Batches"] <= d["BatchRequests"],
       "... its requests and batches")
    chosen = {}
    for row in status(web)["Stylesheets"]:
        for choice, n in row["Choices"].items():
            chosen[choice] = chosen.get(choice, 0) + n
    ok(chosen.get("worker: configured", 0) >= 2
       and all(row["ArenaBytes"] > 0 for row in status(web)["Stylesheets"] if row["Done"]),
       "... choices of an engine, and what results took: %s" % chosen)
    page = web.get("/status", Accept="text/html").text
    like(page, r"<h2>GPUs</h2>", "the page has the GPU")
    like(page, r"GPU memory in use, of ", "... its memory")
    like(page, r"Batches by size: ", "... and its batches")
    metrics = web.get("/status?metrics").text
    for pattern in (r'gpuxml_device_memory_bytes\{device="0",name="Fake 0, 4 SMs"\} \d+',
        r'gpuxml_device_busy_seconds_total\{.*\} \d', r'gpuxml_device_batch_requests_bucket\{.*le="\+Inf"\} \d',
                    r'gpuxml_stylesheet_choices_total\{stylesheet=".*",engine="worker",reason="[a-z ]+"\} \d',
                    r'gpuxml_stylesheet_arena_bytes\{.*\} \d'):
        like(metrics, pattern, "?metrics: " + pattern.split("\\{")[0])
    promtool = shutil.which("promtool")
    if promtool:
        p = subprocess.run([promtool, "check", "metrics"], input=metrics, capture_output=True, text=True,
                           timeout=60 * SLOW)
        ok(p.returncode == 0 and not p.stdout + p.stderr,
           "promtool check metrics has nothing to say of a GPU's, either") or diag(p.stdout + p.stderr)
    else:
        ok(True, "promtool check metrics # SKIP Debian's package prometheus is not installed")
    wanted = drawn_metrics()
    is_(sorted(wanted - set(re.findall(r"^(gpuxml_\w+)", metrics, re.M))), [],
        "docs/grafana-dashboard.json draws what there is")
    like(web.get("/status?auto").text, r"(?m)^Device0MemoryUsedBytes: [1-9]\d*$", "?auto has them, too")
    like(web.get("/status?xml").text, r'<device name="Fake 0, 4 SMs" MemoryBytes="\d+"', "... and ?xml")


def drawn_metrics():
    with open(os.path.join(ROOT, "docs/grafana-dashboard.json")) as f:
        return set(re.findall(r"gpuxml_\w+", f.read()))


fake = os.path.join(ROOT, "build", "fake", "gpuxml-worker")
if os.path.exists(fake):
    worker_program(program=fake)
    with another("gone") as web:
        is_(wait_for_engine(web, "gpu", 5, "/large.xml"), "gpu", "a GPU answers")
        is_(wait_for_engine(web, "worker", 5), "worker", "... and, for a small document, its worker")
        check_devices(web)
        with open(os.path.join(beside, "gpuxml-worker.faults"), "w") as f:
            f.write("GetDeviceCount 1 100 46\n")
        os.kill(status(web)["WorkerPid"], signal.SIGKILL)
        is_(wait_for_engine(web, "worker", 10, "/large.xml"), "worker",
            "it is gone: what answers is not called GPU any more")
        like(status(web)["Engine"], "^cpu, [0-9]+ thread", "... nor by the status page")
else:
    ok(True, "a GPU that is gone # SKIP %s is not built" % fake)
harness.MODULE = MODULE

# ---- what a GPU never takes ----

has_gpu = os.path.exists("/dev/nvidiactl")
with another("only", "GPUXMLLimit arena=64K\n<Location /host.xml>\nGPUXMLStylesheet conf/xsl/host.xsl\n</Location>\n",
             "GPUXMLEngine gpu") as web:
    CASES = [("host.xml", "the stylesheet has host steps")]
    if has_gpu:
        is_(wait_for_engine(web, "gpu", 20), "gpu", "GPUXMLEngine gpu: a GPU answers")
        CASES.append(("much.xml", "the page takes more memory than the GPU has for one request, or GPUXMLLimit "
                                  "arena= allows"))
    else:
        ok(True, "an evaluation that needs more memory than a GPU has for it # SKIP no GPU")
    for name, words in CASES:
        web.error_at = len(web.log())
        a = web.get("/" + name)
        is_((a.status, a["retry-after"]), (503, "1"), "GPUXMLEngine gpu: not " + name)
        like("".join(web.new_log("GX0119", 1)), "GX0119: no capacity: GPUXMLEngine gpu: %s .class busy" % words,
             "... and the log says why")

# ---- what nobody waits for any more ----

web = Httpd("orphan", """
GPUXMLEngine worker
GPUXMLTimeout 60s
GPUXMLLimit steps=max recursion=1000000
<Location /a.xml>
    GPUXMLStylesheet conf/xsl/endless.xsl
</Location>
<Location /status>
    SetHandler gpuxml-status
</Location>
""")
web.put("htdocs/a.xml", "<a>%s</a>" % ("<b x='1'>u</b>" * 60000))
web.put("conf/xsl/endless.xsl", sheet('<xsl:template match="/"><xsl:call-template name="t"><xsl:with-param name="n" '
                                      'select="0"/></xsl:call-template></xsl:template>'
    '<xsl:template name="t"><xsl:param name="n"/><xsl:if test="count(//b[contains(concat(., $n), concat(@x, $n, 9))]) '
    '= 0"><xsl:call-template name="t">'
    '<xsl:with-param name="n" select="$n + 1"/></xsl:call-template></xsl:if></xsl:template>'))


def ask_for_long():
    def client():
        try:
            web.get("/a.xml")
        except OSError:
            pass
    threading.Thread(target=client, daemon=True).start()
    for _ in range(50):
        time.sleep(0.1)
        s = status(web)
        if s["QueueSlotsFree"] < s["QueueSlots"]:
            break
    time.sleep(0.3)
    return s["WorkerPid"], s["QueueSlots"]


def children_but(worker):
    with open("/proc/%d/task/%d/children" % (web.proc.pid, web.proc.pid)) as f:
        return [int(pid) for pid in f.read().split() if int(pid) != worker]


with web:
    worker, slots = ask_for_long()
    ok(status(web)["QueueSlotsFree"] < slots, "a request that takes a minute has a slot")
    for pid in children_but(worker):
        os.kill(pid, signal.SIGKILL)
    killed = time.time()
    free = 0
    while free < slots and time.time() < killed + 10:
        time.sleep(0.2)
        try:
            free = status(web)["QueueSlotsFree"]
        except OSError:
            pass
    ok(free == slots and time.time() - killed < 5,
       "its child is killed: the worker lets it be") or diag(time.time() - killed)
    is_(status(web)["WorkerPid"], worker, "... and lives")
    worker, _ = ask_for_long()
    for pid in [web.proc.pid] + children_but(worker):
        os.kill(pid, signal.SIGKILL)
    killed = time.time()
    web.proc.wait()
    gone = lambda: not os.path.exists("/proc/%d" % worker) or open("/proc/%d/stat" % worker).read().rsplit(")",
        1)[1].split()[0] == "Z"
    while not gone() and time.time() < killed + 10:
        time.sleep(0.02)
    ok(time.time() - killed < 5,
       "all of httpd is killed: the worker ends, whatever it evaluates") or diag(time.time() - killed)

# ---- what the configuration says of the worker ----

root = os.getuid() == 0
web = one_page("asked", "GPUXMLDevice 1 GPU-00000000-0000-0000-0000-000000000000\nGPUXMLBatch "
                        "1\nGPUXMLWorkerSandbox off\n" + ("GPUXMLWorkerUser nobody\n" if root else ""))
os.environ["CUDA_VISIBLE_DEVICES"] = "7"
with web:
    ok(by_worker(), "GPUXMLDevice, GPUXMLBatch, GPUXMLWorkerUser: the worker answers")
    pid = status(web)["WorkerPid"]
    with open("/proc/%d/cmdline" % pid, "rb") as f:
        like(f.read().replace(b"\0", b" ").decode(), "--batch 1 ", "... what a launch may have is told")
    if root:
        import pwd
        with open("/proc/%d/environ" % pid, "rb") as f:
            env = f.read().split(b"\0")
        is_([e for e in env if e.startswith(b"CUDA_V")],
            [b"CUDA_VISIBLE_DEVICES=1,GPU-00000000-0000-0000-0000-000000000000"], "... which devices it may see")
        ok(b"CUDA_DEVICE_ORDER=PCI_BUS_ID" in env, "... in nvidia-smi's order")
        with open("/proc/%d/status" % pid) as f:
            status = f.read()
            like(status, r"Uid:\t%d\t" % pwd.getpwnam("nobody").pw_uid, "... whose process it is")
            like(status, r"Seccomp:\t0", "GPUXMLWorkerSandbox off: no system call filter")
del os.environ["CUDA_VISIBLE_DEVICES"]
for directive, words in (("GPUXMLDevice one", "nvidia-smi -L"), ("GPUXMLBatch 0", "from 1 to 1024"),
                         ("GPUXMLWorkerUser nobody-here", "there is no user"),
                         ("GPUXMLWorkerUser nobody nobody-here", "there is no group"),
                         ("GPUXMLWorkerUser root", "must not be root's"), ("GPUXMLBatch x", "from 1 to 1024")):
    web = Httpd("asked-wrong", directive)
    code, said = web.test()
    ok(code != 0 and words in said, "httpd -t: " + directive) or diag(said)
done()
