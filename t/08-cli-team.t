#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxslt --team threads on a core that has nothing free: its members do not spin, so it takes no more processor time
than solo, nearly."""
import os, resource, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = os.path.join(ROOT, "build", "gpuxslt")
if not os.access(GPUXSLT, os.X_OK):
    print("1..0 # SKIP build/gpuxslt is not there")
    sys.exit(0)

MOST = 1.1              # times as long
# seconds: the clock counts in hundredths, and a run takes fifteen; who spins takes twice as long
TICKS = 0.03
SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><o>
<xsl:for-each select="//i"><xsl:sort select="@k"/><p><xsl:value-of select="concat(@k, ':', translate(., 'abc', 'xyz'), substring-after(., ' '))"/></p></xsl:for-each>
<xsl:value-of select="count(//i[contains(., 'text 7')])"/></o></xsl:template></xsl:stylesheet>"""


def cpu_seconds(*options):
    """Of one run, in a process of its own: what its children used, and the page."""
    code = ("import resource, subprocess, sys\np = subprocess.run(sys.argv[1:], capture_output=True)\n"
            "u = resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(p.returncode, u.ru_utime + u.ru_stime, "
            "len(p.stdout))")
    out = subprocess.run([sys.executable, "-c", code, GPUXSLT, *options], capture_output=True, text=True,
                         timeout=120).stdout.split()
    return int(out[0]), float(out[1]), out[2]


n = failed = 0
with tempfile.TemporaryDirectory() as folder:
    for name, text in (("s.xsl", SHEET),
        ("d.xml", "<r>" + "".join("<i k='%d'>text %d of abc</i>" % (i * 7919 % 100003, i)
                                  for i in range(60000)) + "</r>")):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    files = [os.path.join(folder, "s.xsl"), os.path.join(folder, "d.xml")]
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    for team in ("threads:2", "threads:4"):
        n += 1
        solo, threads = [], []
        # other processes make some runs longer
        while len(solo) < 12 and (len(solo) < 3 or min(threads) > MOST * min(solo) + TICKS):
            solo.append(cpu_seconds("--team", "solo", *files)[1])
            status, seconds, size = cpu_seconds("--team", team, *files)
            threads.append(seconds)
        good = status == 0 and min(threads) <= MOST * min(solo) + TICKS
        failed += not good
        print("%sok %d - %s on one core: %.2f s of processor time, solo %.2f s" % ("" if good else "not ", n, team,
            min(threads), min(solo)), flush=True)
print("1..%d" % n)
sys.exit(failed != 0)
