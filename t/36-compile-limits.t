#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiling a stylesheet ends at --compile-limit: the message names file, line and limit, and the process takes not
much more than that.

Each stylesheet is a few MB and takes hundreds of MB to compile. With memory=24M the process must stay below MOST_MB, of
which some are its own; with time=N it must end soon afterwards. A limit that is not reached changes nothing.
"""
import os, re, resource, subprocess, sys, tempfile, time
from tap import done, tap as ok

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = ROOT + "/build/gpuxslt"
if not os.path.exists(GPUXSLT):
    print("1..0 # SKIP build/gpuxslt is not there")
    sys.exit(0)

MOST_MB = 80
SHEET = '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">\n%s</xsl:stylesheet>'


def many(n, make):
    return "".join(make(i) for i in range(n))


def root(body):
    return SHEET % '<xsl:template match="/">%s</xsl:template>' % body


SHEETS = [
    ("many templates", SHEET % many(100000, lambda i: '<xsl:template match="a%x[@x=%d]"/>\n' % (i, i))),
    ("a pattern of many alternatives",
     SHEET % '<xsl:template match="%s"/>' % "|".join("a%d[b=%d]" % (i, i) for i in range(100000))),
    ("a long attribute value template", root('<e a="%s"/>' % ("{a+1}" * 300000))),
    ("many long expressions",
     SHEET % many(1500, lambda i: '<xsl:variable name="v%d" select="%s"/>' % (i, "+".join(["1"] * 900)))),
    ("many literal result elements", root('<e a="1" b="2">t</e>' * 100000)),
    ("deep nesting, again and again", root(("<e>" * 400 + "</e>" * 400) * 400)),
    ("much text", root("<e>some text</e>" * 200000)),
    ("many keys", SHEET % many(60000, lambda i: '<xsl:key name="k%d" match="a" use="@x%d"/>' % (i, i))),
    ("many attribute sets", SHEET % many(60000, lambda i: '<xsl:attribute-set name="s%d"><xsl:attribute '
                                                          'name="a">v</xsl:attribute></xsl:attribute-set>' % i)),
    ("many branches", root(many(30000, lambda i: '<xsl:choose><xsl:when '
        'test="a%d"/><xsl:otherwise>%d</xsl:otherwise></xsl:choose>' % (i, i)))),
    ("many modes", SHEET % many(20000, lambda i: '<xsl:template match="a%d" mode="m%d"/>' % (i, i))),
]


def run(folder, *options):
    """Status, message, the most memory in MB, and CPU seconds; of this process's children the last one counts, so each
    runs in one of its own."""
    code = ("import resource, subprocess, sys\np = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
            "stderr=subprocess.PIPE, timeout=300)\n"
            "u = resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(p.returncode, u.ru_maxrss >> 10, u.ru_utime + "
            "u.ru_stime)\n"
            "sys.stdout.write(p.stderr.decode('utf-8', 'replace'))")
    p = subprocess.run([sys.executable, "-c", code, GPUXSLT, *options, "s.xsl", "doc.xml"], cwd=folder,
                       capture_output=True, text=True)
    head, _, err = p.stdout.partition("\n")
    status, mb, seconds = head.split()
    return int(status), err, int(mb), float(seconds)


with tempfile.TemporaryDirectory() as folder:
    def write(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    write("doc.xml", "<nothing/>")
    for claim, text in SHEETS:
        write("s.xsl", text)
        got = run(folder, "--compile-limit", "memory=24M")
        ok(got[0] == 5 and got[2] < MOST_MB and re.search(r"s\.xsl(:\d+:\d+)?: compiling the stylesheet takes more "
                                                          r"than its limit, memory=25165824\n", got[1]),
           claim + ": memory", got)
    # modules that are named by two others each: 2^8 times what the last one says
    for i in range(8):
        write("m%d.xsl" % i, SHEET % ('<xsl:include href="m%d.xsl"/>' % (i + 1) * 2))
    write("m8.xsl", SHEET % many(500, lambda i: '<xsl:template match="a%d[@x]"><b c="{@d}"/></xsl:template>' % i))
    write("s.xsl", SHEET % '<xsl:include href="m0.xsl"/>')
    got = run(folder, "--compile-limit", "memory=24M")
    ok(got[0] == 5 and got[2] < MOST_MB and "takes more than its limit, memory=" in got[1],
       "modules included exponentially: memory", got)
    for claim, text in SHEETS[:4]:
        write("s.xsl", text)
        got = run(folder, "--compile-limit", "time=50ms")
        ok(got[0] == 5 and got[3] < 2 and re.search(r"s\.xsl(:\d+:\d+)?: compiling the stylesheet takes longer than "
                                                    r"its limit, time=50ms\n", got[1]),
           claim + ": time", got)
    write("s.xsl", root('<xsl:value-of select="1"/>'))
    got = run(folder, "--compile-limit", "memory=1M", "--compile-limit", "time=100s")
    ok(got[0] == 0 and not got[1], "a small stylesheet takes less", got)
    for wrong, sentence in (("memory=x", "whole number"), ("time=0", "above 0"), ("size=1", "memory=N and time=N"),
                            ("memory=0", "at least 1")):
        got = run(folder, "--compile-limit", wrong)
        ok(got[0] not in (0, 5) and sentence in got[1], "--compile-limit " + wrong, got)
    got = run(folder, "--compile-limit", "memory=max", "--compile-limit", "time=max")
    ok(got[0] == 0, "max is no limit", got)
done()
