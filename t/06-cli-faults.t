#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxslt when the operating system refuses, at each call in turn: the whole result, or none, a sentence with the
reason and an exit number."""
import errno
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "t", "faults"))
from refuse import *

GPUXSLT = ROOT + "/build/gpuxslt"
if not (os.path.exists(GPUXSLT) and os.path.exists(LIBRARY)):
    print("1..0 # SKIP build/gpuxslt or build/refuse.so is not there")
    sys.exit(0)

XSL = 'version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"'
FILES = {
    "main.xsl": '''<!DOCTYPE xsl:stylesheet [<!ENTITY more SYSTEM "more">]>
<xsl:stylesheet %s><xsl:import href="urn:lib2"/><xsl:include href="lib.xsl"/><xsl:output method="html" indent="yes"/><xsl:key name="k" match="i" use="@k"/>
<xsl:template match="/"><html title="{count(//i)}"><xsl:apply-templates select="//i"><xsl:sort select="@k" data-type="number"/></xsl:apply-templates>
<xsl:copy-of select="document('data.xml')"/><xsl:value-of select="document('urn:data')/d"/><xsl:call-template name="lib"/><xsl:call-template name="lib2"/>&more;
</html></xsl:template>
<xsl:template match="i"><p><xsl:attribute name="id">x</xsl:attribute><xsl:number/>: <xsl:value-of select="count(key('k', @k))"/></p></xsl:template></xsl:stylesheet>''' % XSL,
    "lib.xsl": '<xsl:stylesheet %s><xsl:template name="lib"><b>lib</b></xsl:template></xsl:stylesheet>' % XSL,
    "lib2.xsl": '<xsl:stylesheet %s><xsl:template name="lib2"><b>lib2</b></xsl:template></xsl:stylesheet>' % XSL,
    "more": "<xsl:text>more</xsl:text>",
    "data.xml": "<d>data</d>",
    "catalog.xml": '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="urn:data" '
                   'uri="data.xml"/><uri name="urn:lib2" uri="lib2.xsl"/></catalog>',
    "doc.xml": '<!DOCTYPE r SYSTEM "dtd" [<!ENTITY e SYSTEM "part">]><r><i k="2"/>&e;</r>',
    "dtd": '<!ATTLIST i k CDATA "7">',
    "part": "<i/><i k='1'/>",
}
n = failed = 0


def ok(good, name, more=""):
    global n, failed
    n += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", n, name))
    if not good:
        print("# " + str(more).replace("\n", "\n# "))


with tempfile.TemporaryDirectory() as folder, Refusing() as refuse:
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)

    def run(*args, stdout=subprocess.PIPE):
        return subprocess.run([GPUXSLT, *args, "main.xsl", "doc.xml"], cwd=folder, stdout=stdout,
                              stderr=subprocess.PIPE, text=True, timeout=60,
                              env={**os.environ, **refuse.env, "XML_CATALOG_FILES": "catalog.xml"})

    def program(stderr):
        return re.search(r"program \d+ bytes", stderr).group()

    def in_turn(call, error, reasons, count=1):
        """What is wrong with a run, of all in which the k-th call fails"""
        for k in range(10000):
            refuse(call, error, skip=k, count=count)
            p = run("--timing")
            if not refuse.met():
                return k, None
            if p.returncode not in (0, 4, 5, 6, 9) or p.stdout != ("" if p.returncode else whole) or (p.returncode
                and not any(r in p.stderr for r in reasons)) \
                    or "ignored" in p.stderr or "--help" in p.stderr or (not p.returncode
                        and program(p.stderr) != program(timed.stderr)):
                return k, (p.returncode, p.stderr, p.stdout)

    timed = run("--timing")
    whole = timed.stdout
    ok("3: 1</p>" in whole and "data</d>data<b>lib</b><b>lib2</b>more" in whole, "what all is read for", whole)
    for call, error, least, name in ((OPEN, errno.EMFILE, 9, "opened: no descriptor left"),
                                     (OPEN, errno.EIO, 9, "opened: the disk does not answer"),
                                     (READ, errno.EIO, 8, "read"), (MEMORY, errno.ENOMEM, 200, "no memory")):
        k, wrong = in_turn(call, error, ("out of memory", "ot enough memory", "no memory", "no address space",
                                         "allocate memory") if call == MEMORY else (os.strerror(error),))
        ok(not wrong and k > least, "%s, %d times" % (name, k), wrong)
    k, wrong = in_turn(READ, errno.EINTR, ())
    ok(not wrong and k > 8, "interrupted: it goes on", wrong)
    refuse(CLOSE, errno.EDQUOT)
    p = run("-o", "result")
    ok(p.returncode == 11 and "result: Disk quota exceeded" in p.stderr,
       "what is refused when the file is closed", p.stderr)
    refuse(NOTHING)
    with open("/dev/full", "w") as full:
        p = run(stdout=full)
    ok(p.returncode == 11 and "standard output: No space left on device" in p.stderr, "a full disk", p.stderr)
print("1..%d" % n)
sys.exit(failed > 0)
