#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the time of an expression grow with its document, or with its square?

    cliffs.py [--gpuxslt build/gpuxslt] [--list bench/cliffs.tsv] [--sizes 1000,2000,4000] [--only REGEX]
              [--check MS,EXPONENT] [--verify] [-- more arguments of gpuxslt, such as --team threads:2]

A line of the list is NAME TAB PLACE TAB EXPRESSION. PLACE says where a stylesheet has it:

    value   xsl:value-of in an xsl:for-each over all rows
    each    xsl:for-each over all rows, $o being the row, and in it one over the expression
    once    xsl:for-each at the root
    match   the pattern of a template, beside one for the row that does not match
    sort    xsl:sort in an xsl:for-each over all rows
    number  the attributes of an xsl:number in an xsl:for-each over all rows
    body    instructions in an xsl:for-each over all rows
    top     declarations; its templates are applied to all rows

Printed: milliseconds of evaluation at each size, the least of several runs, and the exponent of the growth between the
last two (1: linear, 2: square). --check: exit 1 where a line takes more than MS at the largest size and grows with more
than EXPONENT; such a line is measured again first, since what else the machine does can only make it look worse.
--verify: at the smallest size the output must be what it is without any rule.
"""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

HEAD = '''<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:set="http://exslt.org/sets"
  xmlns:math="http://exslt.org/math" xmlns:str="http://exslt.org/strings" xmlns:exsl="http://exslt.org/common" xmlns:dyn="http://exslt.org/dynamic"
  exclude-result-prefixes="set math str exsl dyn">
<xsl:output method="text"/>
<xsl:key name="kind" match="row" use="@k"/>
<xsl:key name="code" match="row" use="concat(@k, '/', @state)"/>
<xsl:key name="word" match="row" use="tag"/>
<xsl:variable name="all" select="//row"/>
<xsl:variable name="tags" select="//row/tag"/>
<xsl:variable name="states" select="/shop/states/s"/>
'''
ROWS = HEAD + '''<xsl:template match="/"><xsl:for-each select="shop/g/row">%s<xsl:text>
</xsl:text></xsl:for-each></xsl:template>
</xsl:stylesheet>
'''
APPLIED = HEAD + '''%s
<xsl:template match="/"><xsl:apply-templates select="shop/g/row"/></xsl:template>
</xsl:stylesheet>
'''
SHEETS = {
    'value': lambda e: ROWS % ('<xsl:value-of select="%s"/>' % e),
    'each': lambda e: ROWS % ('<xsl:variable name="o" select="."/><xsl:for-each select="%s"><xsl:value-of '
                              'select="@id"/></xsl:for-each>' % e),
    'once': lambda e: HEAD + '<xsl:template match="/"><xsl:for-each select="%s"><xsl:value-of '
                             'select="@id"/>,</xsl:for-each></xsl:template></xsl:stylesheet>' % e,
    'match': lambda e: APPLIED % ('<xsl:template match="row">-</xsl:template>\n<xsl:template match="%s" '
                                  'priority="2">+</xsl:template>' % e),
    'sort': lambda e: HEAD + '<xsl:template match="/"><xsl:for-each select="shop/g/row"><xsl:sort '
                             'select="%s"/><xsl:value-of select="@id"/>,'
                             '</xsl:for-each></xsl:template></xsl:stylesheet>' % e,
    'number': lambda e: ROWS % ('<xsl:number %s/>' % e),
    'body': lambda e: ROWS % e,
    'top': lambda e: APPLIED % e,
}
PLAIN = ('number', 'body', 'top')       # written as markup, not as an attribute's value


def document(n):
    """n rows in groups of 250. id and code are unique; ref and ref2 another's id; k one of n/8 values, state one of 5,
    v a number; ids a few ids; tag one of n/4 words."""
    r = random.Random(n)
    out = ['<shop kind="x"><states>%s</states>' % ''.join('<s name="s%d" w="%d"/>' % (i, i * 7 % 5) for i in range(5))]
    for i in range(n):
        if i % 250 == 0:
            out.append(('</g>' if i else '') + '<g n="%d" of="%d">' % (i // 250, r.randrange(max(1, n // 250))))
        out.append('<row id="r%d" code="c%d" ref="r%d" ref2="r%d" k="k%d" state="s%d" v="%d" w="%d" p="r%d" ids=" %s ">'
                   '<tag>t%d</tag><tag>t%d</tag><part no="%d"><q>%d</q></part><note>%s</note></row>' % (
                       i, i, r.randrange(n), r.randrange(n), r.randrange(max(1, n // 8)), r.randrange(5),
                       r.randrange(n), r.randrange(n),
                       r.randrange(100, 999), ' '.join('r%d' % r.randrange(n) for _ in range(3)),
                       r.randrange(max(1, n // 4)),
                       r.randrange(max(1, n // 4)), r.randrange(n), r.randrange(50), 'word ' * r.randrange(4)))
    out.append('</g></shop>')
    return '\n'.join(out)


def escape(e):
    return e.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;')


def lines(path):
    for number, line in enumerate(open(path), 1):
        line = line.rstrip('\n')
        if not line or line.startswith('#'):
            continue
        parts = line.split('\t')
        if len(parts) != 3 or parts[1] not in SHEETS:
            sys.exit('%s:%d: NAME TAB PLACE TAB EXPRESSION expected' % (path, number))
        yield parts


def milliseconds(gpuxslt, more, sheet, doc):
    """of evaluation (what is short is measured longer), and what went wrong"""
    ms = math.inf
    for repeat in 3, 15:
        p = subprocess.run([gpuxslt, '--timing', '--json', '--repeat', str(repeat), *more, sheet, doc],
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
        if p.returncode:
            return math.inf, p.stderr.strip()[-300:]
        ms = min(ms, json.loads(p.stderr.strip().split('\n')[-1])['evaluate_us'] / 1000)
        if ms < 2 or ms > 100:
            break
    return ms, ''


def growth(ms, sizes):
    return math.log2(max(ms[-1], 1e-3) / max(ms[-2],
        1e-3)) / math.log2(sizes[-1] / sizes[-2]) if ms[-1] < math.inf else math.inf


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--gpuxslt', default='build/gpuxslt')
    ap.add_argument('--list', default=os.path.join(HERE, 'cliffs.tsv'))
    ap.add_argument('--sizes', default='1000,2000,4000')
    ap.add_argument('--only')
    ap.add_argument('--check')
    ap.add_argument('--verify', action='store_true')
    ap.add_argument('more', nargs='*')
    a = ap.parse_args()
    sizes = [int(s) for s in a.sizes.split(',')]
    limit, exponent = map(float, a.check.split(',')) if a.check else (math.inf, math.inf)
    short = wrong = n = 0
    with tempfile.TemporaryDirectory() as d:
        docs = [os.path.join(d, '%d.xml' % size) for size in sizes]
        for path, size in zip(docs, sizes):
            open(path, 'w').write(document(size))
        for name, place, e in lines(a.list):
            if a.only and not re.search(a.only, name):
                continue
            n += 1
            sheet = os.path.join(d, 'sheet.xsl')
            open(sheet, 'w').write(SHEETS[place](e if place in PLAIN else escape(e)))
            ms = [math.inf] * len(docs)
            for attempt in range(4):
                for i, doc in enumerate(docs):
                    took, error = milliseconds(a.gpuxslt, a.more, sheet, doc)
                    ms[i] = min(ms[i], took)
                    if error:
                        print(name, error)
                if ms[-1] <= limit or growth(ms, sizes) <= exponent:
                    break
            bad = not (ms[-1] <= limit or growth(ms, sizes) <= exponent)
            short += bad
            note = '  <-- ' if bad else ''
            if a.verify:
                outs = [subprocess.run([a.gpuxslt, *rules, *a.more, sheet, docs[0]], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL).stdout
                        for rules in ([], ['--rules', 'none'])]
                if outs[0] != outs[1]:
                    wrong += 1
                    note += '  other output than without rules'
            print('%-28s %s  ^%.2f%s' % (name, '  '.join('%9.2f' % m for m in ms), growth(ms, sizes), note), flush=True)
    if a.check:
        print('%d of %d fall short' % (short, n))
    if wrong:
        print('%d give other output than without rules' % wrong)
    sys.exit(bool(short or wrong))


main()
