#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much memory gpuxslt takes for one document: source, columns and block are never there at once."""
import os, subprocess, tempfile
from tap import done, tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
GPUXSLT = os.path.abspath(os.path.join(ROOT, "build", "gpuxslt"))
SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/"><r n="{count(//item)}"/></xsl:template></xsl:stylesheet>"""
ITEM = ('<item id="i%07d"><name>of a thing</name>'
        '<text>some words that tell what it is, and how it is used</text></item>\n')
SIZE = 24 << 20


def run(*args):
    """Most memory in bytes, and what it wrote"""
    p = subprocess.Popen([GPUXSLT, "--team", "solo", *args], stdout=subprocess.PIPE)
    out = p.stdout.read()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_maxrss * 1024 if p.returncode == 0 else None, out


with tempfile.TemporaryDirectory(prefix="gpuxml-memory-") as folder:
    os.chdir(folder)
    items = SIZE // len(ITEM % 0)
    with open("s.xsl", "w") as f:
        f.write(SHEET)
    with open("small.xml", "w") as f:
        f.write("<all><item/></all>")
    for name, head in (("large.xml", ""), ("declared.xml", "<!DOCTYPE all [<!ENTITY e 'x'>]>\n")):
        with open(name, "w") as f:
            f.write(head + "<all>\n")
            f.writelines(ITEM % i for i in range(items))
            f.write("</all>\n")
    base, _ = run("s.xsl", "small.xml")
    for name in ("large.xml", "declared.xml"):
        most, out = run("s.xsl", name)
        times = most and (most - base) / os.path.getsize(name)
        tap(most and b'n="%d"' % items in out, "%s is read" % name, out)
        # the source takes 1.0, the columns and heaps 1.9, the block as much
        tap(times and times < 3.2, "%s takes less than 3.2 times its size" % name, times)
        most, again = run("--repeat", "2", "s.xsl", name)
        tap(most and again == out, "%s is read twice where it is to be transformed twice" % name, again)
done()
