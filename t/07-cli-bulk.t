#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/howto/bulk.md: its commands run, and where a process is killed nothing is lost or doubled: GNU parallel
(Debian's parallel) and Dask (python3-distributed), each where it is installed."""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

if not os.path.exists(os.path.join(ROOT, "build", "gpuxslt")):
    print("1..0 # SKIP build/gpuxslt is not there")
    sys.exit(0)
N = 600
with open(os.path.join(ROOT, "docs/howto/bulk.md")) as f:
    BLOCKS = re.findall(r"^```\w+\n([\s\S]*?)^```$", f.read(), re.M)
home = tempfile.mkdtemp(prefix="gpuxml-bulk-")
os.chdir(home)
os.makedirs("in")
os.makedirs("bin")
with open("page.xsl", "w") as f:
    f.write(sheet('<xsl:output method="html"/><xsl:template match="/"><p><xsl:value-of '
                  'select="//i"/></p></xsl:template>'))
for i in range(N):
    with open("in/%d.xml" % i, "w") as f:
        f.write("<a><i>%d</i>%s</a>" % (i, "<x/>" * 200))
# gpuxslt, but for the first process, which does some of its work and is killed
with open("bin/gpuxslt", "w") as f:
    f.write('#!/bin/sh\nif mkdir killed 2>/dev/null; then\n    head -n 40 | %s/build/gpuxslt "$@" 2>/dev/null\n    '
            'kill -KILL $$\nfi\nexec %s/build/gpuxslt "$@"\n' % (ROOT, ROOT))
os.chmod("bin/gpuxslt", 0o755)
ENV = dict(os.environ, PATH=home + "/bin:" + os.environ["PATH"], HOME=home)


def results():
    found = {}
    for path in glob.glob("out/**/*", recursive=True):
        if os.path.isfile(path):
            with open(path) as f:
                found[os.path.basename(path)] = f.read().strip()
    return found


WANT = {"%d.html" % i: "<p>%d</p>" % i for i in range(N)}
command = next(b for b in BLOCKS if "parallel --pipe" in b)
if shutil.which("parallel"):
    p = subprocess.run(["/bin/sh", "-c", command.replace("-N 5000", "-N 150").replace("parallel ", "parallel -j 2 ")],
                       env=ENV, capture_output=True, text=True, timeout=120)
    ok(os.path.isdir("killed"), "GNU parallel: a process is killed") or diag(p.stderr)
    ok(p.returncode == 0 and results() == WANT,
       "... and nothing is lost or doubled") or diag("%s %d %s" % (p.returncode, len(results()), p.stderr[-400:]))
else:
    ok(True, "GNU parallel # SKIP Debian's package parallel is not installed")

# ---- the function for Spark, Hadoop, Dask ----

code = next(b for b in BLOCKS if "def transform" in b)
program = "import sys\n" + code[:code.index("pages =")] + '''
parts = [[b"<a><i>%d</i></a>" % (100 * k + i) for i in range(100)] for k in range(6)]
'''
shutil.rmtree("killed", ignore_errors=True)
os.mkdir("killed")
p = subprocess.run([sys.executable, "-c", program + "out = [r for part in parts for r in transform(part)]\nassert "
                                                    "[r.strip() for r in out] == [b'<p>%d</p>' % i for i in "
                                                    "range(600)], out[:3]"],
                   env=ENV, capture_output=True, text=True, timeout=120)
ok(p.returncode == 0, "the function for RDD.pipe, Bag.map_partitions and multiprocessing") or diag(p.stderr[-800:])
DASK = program + '''
import os, signal, time
from distributed import Client, LocalCluster
def slowly(part):
    time.sleep(0.3)
    return list(transform(part))
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        futures = client.map(slowly, parts, pure=False)
        pids = list(client.run(os.getpid).values())
        os.kill(pids[0], signal.SIGKILL)
        out = [r for part in client.gather(futures) for r in part]
        assert [r.strip() for r in out] == [b"<p>%d</p>" % i for i in range(600)], len(out)
        print("whole", len(pids))
'''
with open("dask_run.py", "w") as f:
    f.write(DASK)
python = next((p for p in (sys.executable, "/usr/bin/python3") if subprocess.run([p, "-c", "import distributed"],
    capture_output=True).returncode == 0), None)
if python:
    p = subprocess.run([python, "dask_run.py"], env=ENV, capture_output=True, text=True, timeout=180)
    ok(p.returncode == 0 and p.stdout.startswith("whole 2"),
       "Dask: one of two workers is killed, nothing is lost or doubled") or diag(p.stdout + p.stderr[-1200:])
else:
    ok(True, "Dask # SKIP Debian's package python3-distributed is not installed")
os.chdir(ROOT)
shutil.rmtree(home, ignore_errors=True)
done()
