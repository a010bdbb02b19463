#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gx:twig(): equal branches of a tree pattern match different nodes, as in GPU-Twig (Shnaiderman 2011).

    t/47-distinct.t [--count N] [--seed S]

The reference tries all ways to match a pattern's branches, as the paper's definitions 1 to 3 have it. Patterns nest
names, child and descendant edges, attributes and values of text.
"""
import re, subprocess, tempfile
import xml.etree.ElementTree as tree
from randoms import GPUXSLT, arguments, run
from tap import done, tap

args, rnd = arguments(25)
folder = tempfile.mkdtemp(prefix="gpuxml-distinct-")
STRATEGIES = ("auto", "steps", "bits", "levels", "twig")


class Node:
    """Of a pattern: a label ("@x", or "*"), an edge ("/" or "//"), branches, the text that it must have"""
    def __init__(self, label, edge, branches, value=None):
        self.label, self.edge, self.branches, self.value = label, edge, branches, value


def pattern(level, labels):
    label = rnd.choice(labels + labels + ["@x", "*"][:level])
    if label == "@x":
        return Node(label, "/", [], rnd.choice((None, None, "1")))
    n = rnd.choice(((0, 1, 2, 2, 3), (0, 0, 1, 2, 2), (0, 0, 1, 2), (0, 0, 1), (0,))[min(level, 4)])
    few = labels[:rnd.choice((1, 2))]
    branches = [pattern(level + 1, few) for _ in range(n)]
    return Node(label, rnd.choice(("/", "/", "//")), branches, rnd.choice((None,) * 7 + ("v",)))


def written(q):
    """A branch as a relative path; one branch without a value is now and then its next step"""
    last = q.branches[-1] if q.branches and rnd.random() < 0.3 and not q.value else None
    rest = q.branches[:-1] if last else q.branches
    text = q.label
    if len(rest) > 1 and rnd.random() < 0.3:
        text += "[%s]" % " and ".join(begun(b) for b in rest)
    else:
        text += "".join("[%s]" % begun(b) for b in rest)
    if q.value:
        text += "[. = '%s']" % q.value
    if last:
        text += last.edge + written(last)
    return text


def begun(q):
    if q.value and not q.branches and rnd.random() < 0.5:
        return "%s%s = '%s'" % (".//" if q.edge == "//" else "", q.label, q.value)
    return (rnd.choice((".//", "descendant::")) if q.edge == "//" else "") + written(q)


class Document:
    def __init__(self, text):
        self.root = tree.fromstring(text)
        self.number = {e: i for i, e in enumerate(self.root.iter())}
        self.known = {}

    def reached(self, e, q):
        """What q's edge leads to from e, with q's label: elements, or (element, attribute)"""
        if q.label.startswith("@"):
            return [(e, q.label)] if q.label[1:] in e.attrib else []
        there = list(e.iter())[1:] if q.edge == "//" else list(e)
        return [d for d in there if q.label in ("*", d.tag)]

    def value(self, d):
        return d[0].attrib[d[1][1:]] if isinstance(d, tuple) else "".join(d.itertext())

    def qualifies(self, d, q):
        key = (d, q)
        if key not in self.known:
            self.known[key] = (not q.value or self.value(d) == q.value) and (
                isinstance(d, tuple) or self.matched(d, q.branches, {}))
        return self.known[key]

    def matched(self, e, branches, used):
        """Can each branch have a node of its own? used: by label, nodes that are taken"""
        if not branches:
            return 1
        q = branches[0]
        for d in self.reached(e, q):
            if (q.label, d) in used or not self.qualifies(d, q):
                continue
            if self.matched(e, branches[1:], {**used, (q.label, d): 1}):
                return 1
        return 0

    def answers(self, spine):
        """Nodes that the last of the spine's pattern nodes can be; the first stands anywhere"""
        above = [e for e in self.number if spine[0].label in ("*", e.tag) and self.qualifies(e, spine[0])]
        for q, p in zip(spine[1:], spine):
            above = {d for e in above for d in self.reached(e, q)
                     if self.qualifies(d, q) and self.matched(e, p.branches, {(q.label, d): 1})}
        return sorted("%d%s" % ((self.number[d[0]], d[1]) if isinstance(d, tuple) else (self.number[d], ""))
                      for d in above)


def element(labels, level, left):
    left[0] -= 1
    content = ""
    while left[0] > 0 and level < 7 and rnd.random() < 0.65:
        content += element(labels, level + 1, left)
    if not content and rnd.random() < 0.3:
        content = "v"
    name = rnd.choice(labels)
    return "<%s%s>%s</%s>" % (name, ' x="%d"' % rnd.randrange(3) if rnd.random() < 0.3 else "", content, name)


SHOW = ('<xsl:for-each select="gx:twig(%s)">'
        '<xsl:value-of select="count(ancestor-or-self::* | preceding::*) - 1"/>'
        '<xsl:if test="not(self::*)">@x</xsl:if><xsl:text> </xsl:text></xsl:for-each>|')
SHEET = ('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:gx="urn:gpuxml">'
         '<xsl:output method="text"/>'
         '<xsl:template match="/">%s</xsl:template></xsl:stylesheet>')
wrong = differs = answers = large = 0
for batch in range(args.count):
    labels = ["a", "b", "c"][:rnd.choice((1, 2, 3))]
    left = [rnd.choice((8, 20, 60))]
    text = "<a>%s</a>" % "".join(element(labels, 1, left) for _ in range(4))
    spines = []
    while len(spines) < 16:
        spine = [pattern(0, labels) for _ in range(rnd.choice((1, 1, 2, 3)))]
        if any(q.label == "@x" for q in spine[:-1]):
            continue
        spine[0].edge = "//"
        spines.append(spine)
    paths = []
    for spine in spines:
        path = ""
        for q in spine:
            path += q.edge + q.label + "".join("[%s]" % begun(b) for b in q.branches)
            path += "[. = '%s']" % q.value if q.value else ""
        paths.append(path)
    xml, xsl = folder + "/d.xml", folder + "/s.xsl"
    with open(xml, "w") as f:
        f.write(text)
    with open(xsl, "w") as f:
        f.write(SHEET % "".join(SHOW % p for p in paths))
    doc = Document(text)
    want = [doc.answers(s) for s in spines]
    answers += sum(map(len, want))
    team = ["--team", "exactly:3", "--strategy", rnd.choice(STRATEGIES)]
    for options in [["--rules", "none"]] + [["--strategy", s] for s in STRATEGIES] + [team]:
        code, out, err = run(options, xsl, xml)
        if code and b"too many branches" in err:
            large += 1
            break
        got = [sorted(x.split()) for x in out.decode().split("|")[:-1]]
        if code or got != want:
            wrong += 1
            first = next((k for k in range(len(want)) if k >= len(got) or got[k] != want[k]), 0)
            tap(0, "batch %d: %s" % (batch, paths[first]), options, text, want[first],
                got[first] if first < len(got) else code, err)
            break
    if wrong:
        break
    if code:
        continue
    with open(xsl, "w") as f:
        f.write((SHEET % "".join(SHOW % p for p in paths)).replace("gx:twig", ""))
    differs += [sorted(x.split()) for x in run([], xsl, xml)[1].decode().split("|")[:-1]] != want
tap(not wrong, "%d documents with 16 patterns each, %d answers: what the definitions say, with each strategy"
    % (args.count, answers))
tap(large <= args.count // 5, "%d batches had a pattern that is too large" % large)
tap(differs, "in %d of them XPath's meaning has other answers" % differs)


def select(path, text="<r><a><b/></a><a><b/><b><c/></b></a><a><b/><b/><d/></a></r>"):
    with open(folder + "/x.xml", "w") as f:
        f.write(text)
    sheet = folder + "/x.xsl"
    with open(sheet, "w") as f:
        f.write(SHEET % ('<xsl:value-of select="%s"/>' % path))
    return run([], sheet, folder + "/x.xml")


for path, want in (("count(//a[b][b])", "3"),
                   ("count(gx:twig(//a[b][b]))", "2"),
                   ("count(gx:twig(//a[b][b][b]))", "0"),
                   ("count(gx:twig(//a[b[c]][b]))", "1"),
                   ("count(gx:twig(//a[b]/b))", "4"),
                   ("count(gx:twig(//a[b[c]]/b))", "1"),
                   ("count(gx:twig(//a[.//b and b and d]))", "1"),
                   ("count(gx:twig(//a[b or b]))", "3"),
                   ("count(gx:twig(//a[b][b][2]))", "1"),
                   ("count(gx:twig(//a[b][2]))", "1"),
                   ("count(gx:twig(//a[b][b] | //d))", "3"),
                   ("function-available('gx:twig')", "true")):
    code, out, err = select(path)
    tap(code == 0 and out.decode() == want, "%s is %s" % (path, want), out, err)
for path, said in (("gx:twig(//a[%s])" % " and ".join(["b"] * 6), "more than 5 branches with one name"),
                   ("gx:twig(//a[b[1]]/b)", "positions in a branch"),
                   ("gx:twig(//a%s)" % ("[b[c][c]][b[d][d]" * 14 + "]" * 14), "too many branches"),
                   ("gx:twig(1)", "twig()")):
    code, out, err = select(path)
    tap(code and said in err.decode(), "%s: %s" % (path[:40], said), code, out, err)
done()
