#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""63-gpu-host.t -- the GPU's host side without a GPU: kernels/gpu.cu and the worker over a runtime whose calls fail as
they are told to (t/gpu)

Load comes from gx-queue-bench, which compares every answer with the local evaluation. B=build/asan t/63-gpu-host.t
tests another build's worker (make B=build/asan SAN=... build/asan/fake/gpuxml-worker build/asan/fake/each-call first).
"""
import os, signal, subprocess, sys, tempfile, time
from worker import SHEET, done, number, ok

B = os.environ.get("B", "build")
WORKER, BENCH, CALLS = B + "/fake/gpuxml-worker", "build/gx-queue-bench", B + "/fake/each-call"
SLOW = 4 if "san" in B else 1


if not all(os.access(f, os.X_OK) for f in (WORKER, BENCH, CALLS)):
    print("1..0 # SKIP %s is not built: there is no C++ compiler" % WORKER)
    sys.exit(0)

tmp = tempfile.TemporaryDirectory()
sheet = tmp.name + "/s.xsl"
open(sheet, "w").write(SHEET)


def write_list(k, items):
    path = "%s/d%d.xml" % (tmp.name, k)
    with open(path, "w") as f:
        f.write("<list token='t%d'>%s</list>" % (k,
            "".join("<item n='%d'>text %d of %d &amp;</item>" % (i * 7 % 101, i, k) for i in range(items))))
    return path


docs = [write_list(k, items) for k, items in enumerate((1, 40, 900, 8000, 9000))]       # the last two are the grid's


class Load:
    """What the bench said of a worker with these faults."""
    def __init__(self, faults, *args, docs=docs, timeout=240, meanwhile=None):
        with open(WORKER + ".faults", "w") as f:
            f.write("\n".join(faults) + "\n")
        sheets = [] if docs[0].endswith(".xsl") or "--profiles" in args else [sheet]
        p = subprocess.Popen([BENCH, "--worker", WORKER, *args, *sheets, *docs], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        try:
            if meanwhile:
                meanwhile(p.pid)
            self.text = p.communicate(timeout=timeout * SLOW)[0]
        finally:
            p.kill()
            if os.path.exists(WORKER + ".faults"):
                os.unlink(WORKER + ".faults")
        self.code = p.returncode
        self.engine = self.text.split("engine ", 1)[1].split(";")[0] if "engine " in self.text else ""

    def number(self, before):
        return number(self.text, before)

    def is_right(self):
        return self.number(", wrong ") == 0 and self.number(", failed ") == 0 and self.number("left over: ") == 0


p = subprocess.run([CALLS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
ok(p.returncode == 0, "each call fails in turn: nothing is left behind, the next go succeeds", p.stdout)

# profiles: batches of documents (kernels/match.h)
MATCHES = B + "/fake/gx-match-check"
gen = lambda *args: subprocess.run([sys.executable, "bench/gen_profiles.py", *map(str, args)], check=True)
gen("-n", 2000, "--values", 0.3, "--negated", 0.2, "-o", tmp.name + "/profiles")
gen("--documents", 3, "--bytes", 6000, "-o", tmp.name + "/m")


def check_matches(*faults):
    with open(MATCHES + ".faults", "w") as f:
        f.write("\n".join(faults) + "\n")
    try:
        return subprocess.run([MATCHES, "-n", "20", tmp.name + "/profiles",
                               *(tmp.name + "/m%d.xml" % i for i in range(3))],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60 * SLOW)
    finally:
        os.unlink(MATCHES + ".faults")


p = check_matches()
ok(p.returncode == 0 and p.stdout.count(" | 0 | 0 |\n") == 3 and " 0 wrong, 0 refused" in p.stdout,
   "batches of documents: the ids are the matcher's",
   p.stdout)
p = check_matches("memory 5")
ok(p.returncode == 2 and "no memory for a batch: out of memory" in p.stdout,
   "... a device that is too small is named", p.stdout)
wrong = [(n, p.returncode, p.stdout[-300:]) for n in range(1, 60, 3) for p in [check_matches("any %d 1 719" % n)]
         if p.returncode != 2]
ok(not wrong, "... calls that fail end it with a sentence", str(wrong[:2]))

CORES = "the worker's cores "
load = Load([], "--requests", "60")
ok(load.code == 0 and load.number("; worker ") >= 230 and load.engine.startswith("gpu, 1 x"),
   "all is well: the GPU answers all", load.text)
load = Load(["devices 2"], "--requests", "60", "--keep")
ok(load.code == 0 and load.number("; worker ") >= 230 and load.engine.startswith("gpu, 2 x"),
   "two devices, documents that stay", load.text)
load = Load(["devices 2"], "--requests", "60", "--device", "0,1")
ok(load.code == 0 and load.engine.startswith("gpu, 2 x"), "... both by their numbers", load.text)
load = Load(["devices 2"], "--requests", "1", "--device", "1x")
ok(load.code != 0 and "there is no device 1x: 2 can be seen" in load.text, "what is no number is no device", load.text)
load = Load(["stays", "chaos 30"], "--requests", "200", "--keep")
ok(load.is_right(), "calls that fail, are slow or never end, of all kinds: every answer is right", load.text)
load = Load([], "--requests", "600", "--pause", "1000", "--kill", "200")
ok(load.code == 0 and load.number("(killed ") >= 2, "the worker is killed: nothing lost, nothing wrong", load.text)
load = Load([], "--requests", "200", "--hostile", "--deadline", "200")
ok(load.code == 0, "a process writes at random into the shared memory: nobody dies", load.text)

# sources: parsed, evaluated and written there
SOURCES = "of sources "
load = Load([], "--requests", "60", "--source")
ok(load.code == 0 and load.number(SOURCES) == load.number("; worker ") >= 230 and load.number(CORES) == 0,
   "the GPU makes the pages of sources, small and large", load.text)
load = Load(["devices 2"], "--requests", "60", "--source", "--keep")
ok(load.code == 0 and load.number(SOURCES) >= 230, "... two devices", load.text)
load = Load(["stays", "chaos 30"], "--requests", "200", "--source")
ok(load.is_right(), "... calls that fail, are slow or never end: every answer is right", load.text)
load = Load([], "--requests", "600", "--pause", "1000", "--kill", "200", "--source")
ok(load.code == 0 and load.number("(killed ") >= 2, "... the worker is killed: nothing lost, nothing wrong", load.text)
load = Load([], "--requests", "200", "--hostile", "--deadline", "200", "--source")
ok(load.code == 0, "... random bytes in the shared memory: nobody dies", load.text)
load = Load(["HostRegister 1 1 2"], "--requests", "60", "--source")
ok(load.code == 0 and load.number(SOURCES) >= 230, "... the shared memory cannot be pinned", load.text)
load = Load(["memory 150"], "--requests", "60", "--source")
ok(load.code == 0 and load.number("workers ") == 1, "... a small device", load.text)
for kernel in "source", "page", "bytes", "pages":
    load = Load(["%s 5 1 719" % kernel], "--requests", "60", "--source")
    ok(load.is_right() and load.number("workers ") == 2 and "is lost" in load.text,
       "... the kernel %s fails: another worker" % kernel, load.text)
for kernel in "source", "page":
    load = Load(["%s 5 1 -1" % kernel], "--requests", "200", "--deadline", "1000", "--pause", "20000", "--source")
    ok(load.is_right() and load.number("workers ") == 2 and "does not end" in load.text,
       "... the kernel %s never ends: another worker" % kernel, load.text)

# documents matched with profiles: packed by whoever asks, matched in batches beside transformations
matched = [tmp.name + "/m%d.xml" % i for i in range(3)]
PROFILES = ["--profiles", tmp.name + "/profiles"]
load = Load([], "--requests", "200", "--depth", "8", *PROFILES, docs=matched)
ok(load.code == 0 and load.number("; worker ") == 800, "profiles: the device matches all documents", load.text)
load = Load(["devices 2"], "--requests", "200", "--pack", *PROFILES, docs=matched)
ok(load.code == 0 and load.number("; worker ") >= 750,
   "... two devices, documents parsed and packed for each request", load.text)
load = Load(["stays", "chaos 3000"], "--requests", "300", *PROFILES, docs=matched)
ok(load.is_right(), "... calls that fail, are slow or never end: every answer is right", load.text)
load = Load([], "--requests", "300", "--pause", "1000", "--kill", "200", *PROFILES, docs=matched)
ok(load.code == 0 and load.number("(killed ") >= 1 and load.number("; worker ") > 50,
   "... the worker is killed: nothing lost, nothing wrong", load.text)
load = Load([], "--requests", "300", "--hostile", "--deadline", "200", *PROFILES, docs=matched)
ok(load.code == 0, "... random bytes in the shared memory: nobody dies", load.text)
load = Load(["match 3 1 719"], "--requests", "100", *PROFILES, docs=matched)
ok(load.is_right() and load.number("workers ") == 2 and "is lost" in load.text,
   "... the kernel fails: another worker", load.text)
load = Load(["memory 130"], "--requests", "60", *PROFILES, docs=matched)
ok(load.code == 0 and load.number("workers ") == 1 and load.number("local ") == 240
   and load.text.count("has no room for 2000 profiles") == 1,
   "... a device without room for the profiles: the CPU matches, the log says it once", load.text)
deep = tmp.name + "/deep.xml"
with open(deep, "w") as f:
    f.write("<feed>%s</feed>" % "".join("<entry n='%d'><title>%d</title></entry>" % (i, i) for i in range(6000)))
wide = tmp.name + "/wide.xml"
with open(wide, "w") as f:
    f.write("<feed>%s</feed>" % ("<entry/>" * 70000))
load = Load([], "--requests", "40", *PROFILES, docs=[matched[0], deep, wide])
ok(load.code == 0 and load.number("workers ") == 1 and 100 <= load.number("; worker ") <= 108,
   "... large documents get more room, those of more than 65,534 elements are matched here", load.text)

# what may be evaluated on the worker's own cores, if that costs less than a launch: what the device does costs these
# little here
DEVICE = ["lane 1 1000000 -2", "block 1 1000000 -2"]
ONE = ["--processes", "1", "--clients", "1", "--deadline", "20000"]
load = Load(DEVICE, "--requests", "200", *ONE, docs=docs[:1])
ok(load.code == 0 and load.number("; worker ") == 200 and load.number(CORES) == 0,
   "not asked to it uses none of its own cores", load.text)
# some launches teach it what they cost
load = Load(DEVICE + ["busy 3000"], "--requests", "200", *ONE, "--any-core", docs=docs[:1])
ok(load.code == 0 and load.number("; worker ") == 200 and load.number(CORES) >= 150,
   "a lone small request is not launched", load.text)
load = Load(DEVICE, "--requests", "250", "--processes", "4", "--any-core", "--depth", "50", "--slots", "500",
            docs=[write_list(5, 300)])
ok(load.code == 0 and load.number("; worker ") >= 1980 and load.number(CORES) <= 1500, "many that wait are", load.text)
dear = tmp.name + "/dear.xsl"
with open(dear, "w") as f:
    f.write('''<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>
<xsl:template match="/"><xsl:call-template name="t"><xsl:with-param name="n" select="150"/></xsl:call-template></xsl:template>
<xsl:template name="t"><xsl:param name="n"/><xsl:if test="$n > 0 and not(//item[contains(., concat($n, 'a'))])">
<xsl:call-template name="t"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:if></xsl:template></xsl:stylesheet>''')
load = Load(DEVICE, "--requests", "30", *ONE, "--any-core", docs=[dear, docs[2]])
ok(load.code == 0 and load.number("; worker ") == 30 and load.number(CORES) == 0,
   "what takes long there is stopped, and the device does it", load.text)
load = Load(DEVICE, "--requests", "200", "--any-core", docs=[dear, sheet, *docs[:3]])
ok(load.code == 0 and load.number("; worker ") >= 780, "all kinds beside each other", load.text)
load = Load(DEVICE, "--requests", str(400 * SLOW), "--pause", "2000", "--kill", str(200 * SLOW), "--any-core",
            docs=docs[:2])
ok(load.code == 0 and load.number("(killed ") >= 1 and load.number(CORES) > 0, "the worker is killed", load.text)
load = Load(["stays", "chaos 30"], "--requests", "200", "--keep", "--any-core")
ok(load.is_right() and load.number(CORES) > 0, "calls that fail", load.text)
load = Load(DEVICE, "--requests", "200", "--hostile", "--deadline", "200", "--any-core", docs=docs[:3])
ok(load.code == 0, "random bytes in the shared memory", load.text)

# one of two devices
for lost in 0, 1:
    load = Load(["devices 2", "lost %d" % lost], "--requests", "60", "--keep")
    ok(load.code == 0 and load.number("; worker ") >= 230 and load.engine.startswith("gpu, 1 x")
       and "device %d is left out" % lost in load.text,
       "device %d cannot be opened: the other one serves" % lost, load.text)
load = Load(["devices 2", "lost 0", "lost 1"], "--requests", "60")
ok(load.code == 0 and load.engine.startswith("cpu"), "both cannot: threads serve", load.text)

# memory
load = Load(["MallocAsync 1 100000 2", "Malloc 60 100000 2"], "--requests", "60")
ok(load.code == 0 and load.number("workers ") == 1, "no memory for stylesheets and large documents: the device is "
                                                    "not lost", load.text)
load = Load(["memory 150"], "--requests", "60", "--keep")
ok(load.code == 0 and load.number("workers ") == 1 and load.number("; worker ") > 100, "a small device", load.text)
load = Load(["MallocAsync 1 100000 2", "Malloc 26 1 2", "Malloc 28 1 2"], "--requests", "60", "--keep")
ok(load.code == 0 and load.number("workers ") == 1, "others take its memory", load.text)
load = Load(["HostAlloc 5 1 2"], "--requests", "60")
ok(load.code == 0 and load.number("workers ") == 1 and load.engine.startswith("gpu"),
   "no pinned memory for one of the threads", load.text)
load = Load(["HostRegister 1 1 2"], "--requests", "60")
ok(load.code == 0 and load.number("; worker ") >= 230,
   "the shared memory cannot be pinned: documents are copied", load.text)
# a queue as full as here turns some away, more or fewer as the machine has time for its clients; without another go it
# were half of all
load = Load([], "--requests", "300", "--clients", "1", "--depth", "150", "--slots", "300", "--memory", "100",
            docs=docs[2:3])
ok(load.code == 0 and load.number("; worker ") >= 500, "more results than their memory takes: another go, not a "
                                                       "larger arena", load.text)
large = tmp.name + "/large.xml"
open(large, "w").write("<list token='large'><item n='1'>one</item><!-- %s --></list>" % ("x" * 300000))
load = Load([], "--requests", "200", "--clients", "1", "--depth", "60", "--slots", "300", "--memory", "300",
            docs=[large])
ok(load.code == 0 and load.number("; worker ") >= 340,
   "the grid's line is long: blocks take large documents", load.text)
load = Load(["grid 12 1 -1"], "--requests", "200", "--clients", "20", "--slots", "60", "--memory", "100", "--deadline",
            "1000", "--pause", "20000", docs=[large])
ok(load.is_right() and load.number("workers ") == 2,
   "the grid hangs while blocks take large documents: another worker", load.text)

# a stylesheet for which no arena is large enough here: that is found out once, and looked at again now and then, not
# with each request
grows = tmp.name + "/grows.xsl"
with open(grows, "w") as f:
    f.write('''<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="//item"><xsl:for-each select="//item"><xsl:for-each select="//item[position() &lt; 12]">
<xsl:value-of select="@n"/></xsl:for-each></xsl:for-each></xsl:for-each></xsl:template></xsl:stylesheet>''')
load = Load([], "--requests", "200", "--memory", "300", "--clients", "1", docs=[grows, docs[1]])
ok(load.is_right() and load.number("local ") == 400 and load.number("handed over ") <= 10,
   "no arena is large enough: few are tried", load.text)
load = Load([], "--requests", "100", "--memory", "300", docs=[sheet, grows, docs[1]])
ok(load.is_right() and load.number("; worker ") >= 190 and load.number("handed over ") <= 220,
   "... of that stylesheet", load.text)

# documents too large for blocks stand in line: what nobody waits for any more is not evaluated
huge = tmp.name + "/huge.xml"
open(huge, "w").write("<list token='huge'><item n='1'>one</item><!-- %s --></list>" % ("x" * 2200000))


def kill_a_client(bench):
    clients = []
    for _ in range(1000):
        with open("/proc/%d/task/%d/children" % (bench, bench)) as f:
            children = f.read().split()
        clients = [int(pid) for pid in children if "worker" not in open("/proc/%s/comm" % pid).read()]
        if len(clients) == 2 < len(children):       # and one that is the worker, by its name too
            break
        time.sleep(0.01)
    time.sleep(0.7)
    os.kill(clients[0], signal.SIGKILL)


# the first launch is the worker's own; all twenty would reach the 19th, which fails
load = Load(["grid 1 18 -200", "grid 19 1 719"], "--requests", "1", "--clients", "10", "--deadline", "30000",
            "--memory", "300", docs=[huge],
            meanwhile=kill_a_client)
ok(load.number("workers ") == 1 and load.number("; worker ") >= 8,
   "half of twenty in line die: what they asked for is not evaluated", load.text)

# a request's time is its own: the worker gives none more than a second here, and says so
load = Load(["block 12 1 -1200", "grid 12 1 -1200"], "--requests", "60", "--deadline", "30000")
ok(load.is_right() and load.number("told too early ") == 0 and load.number("local ") >= 1,
   "kernels take longer than the worker gives them, not than the request has",
   load.text)
slow = tmp.name + "/slow.xsl"
with open(slow, "w") as f:
    f.write('''<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/"><xsl:call-template name="t"><xsl:with-param name="n" select="2900"/></xsl:call-template></xsl:template>
<xsl:template name="t"><xsl:param name="n"/><xsl:for-each select="//item[%s]"><x/></xsl:for-each><xsl:if test="$n > 0">
<xsl:call-template name="t"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:if></xsl:template>
</xsl:stylesheet>''' % " or ".join("contains(., concat($n, '%s'))" % c for c in "abcdef"))
load = Load(["lost 0"], "--requests", "1", "--processes", "1", "--clients", "1", "--deadline", "60000",
            docs=[slow, docs[4]])
ok(load.is_right() and load.number("told too early ") == 0 and load.number("local ") == 1,
   "neither do its threads' requests", load.text)

# a device that is lost, or says nothing any more
load = Load(["block 30 1 719"], "--requests", "60")
ok(load.is_right() and load.number("workers ") == 2 and "is lost: kernels cannot be launched" in load.text,
   "a launch fails: another worker", load.text)
load = Load(["StreamSynchronize 30 1 719"], "--requests", "60")
ok(load.is_right() and load.number("workers ") == 2,
   "the device is lost to the large documents: another worker", load.text)
load = Load(["stays", "block 8 1 719"], "--requests", "60", "--pause", "20000", "--clients", "8", docs=docs[:3])
ok(load.is_right() and load.number("workers ") > 5 and load.number("refused after a crash ") == 0,
   "something takes each worker down: what was in flight beside it is not refused: its own threads do it", load.text)
for kernel in "block", "grid":
    load = Load(["%s 12 1 -1" % kernel], "--requests", "200", "--deadline", "1000", "--pause", "20000")
    ok(load.is_right() and load.number("workers ") == 2 and "does not end" in load.text,
       "a %s kernel never ends: another worker" % kernel, load.text)
done()
