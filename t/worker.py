# SPDX-License-Identifier: Apache-2.0
"""worker.py -- what the tests of the worker share: a stylesheet, TAP with the reason of a failure, numbers out of
gx-queue-bench's report"""
import sys

SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html"/>
<xsl:template match="/"><html><body><h1><xsl:value-of select="list/@token"/></h1>
<table><xsl:apply-templates select="list/item"><xsl:sort select="@n" data-type="number" order="descending"/></xsl:apply-templates></table>
</body></html></xsl:template>
<xsl:template match="item"><tr class="c{position() mod 2}"><td><xsl:value-of select="@n"/></td><td><xsl:value-of select="."/></td></tr>
</xsl:template></xsl:stylesheet>"""

_count = 0


def ok(good, what, why=""):
    global _count
    _count += 1
    print(("ok" if good else "not ok"), _count, "-", what)
    if not good:
        for line in str(why).splitlines()[:40]:
            print("#", line)
    sys.stdout.flush()


def done():
    print("1..%d" % _count)


def number(text, before):
    """The number that follows `before` in the bench's report; -1: it is not there."""
    rest = text.split(before, 1)[1].split()[0] if before in text else "-1"
    return float(rest.strip(",;()"))
