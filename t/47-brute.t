#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tree patterns beside an evaluator of a few lines, which takes one node after the other: with each strategy, for one
thread and for three.

    t/47-brute.t [--count N] [--seed S]

A batch is a document and 20 paths: names within themselves, deep chains, predicates that nest and are joined by and, or
and not(), values, positions, attributes and text.
"""
import tempfile
from randoms import arguments, run
from tap import done, tap

args, rnd = arguments(15)
folder = tempfile.mkdtemp(prefix="gpuxml-brute-")
STRATEGIES = ("auto", "steps", "bits", "levels", "twig")
PATHS = 20


class Node:
    def __init__(self, kind, name, parent, text=""):
        self.kind, self.name, self.parent, self.text, self.kids, self.attributes = kind, name, parent, text, [], []

    def below(self):
        for kid in self.kids:
            yield kid
            yield from kid.below()

    def value(self):
        return self.text if self.kind in "at" else "".join(n.text for n in self.below() if n.kind == "t")


def document(names):
    """The root node, all nodes in document order, the text"""
    root, nodes = Node("r", "", None), []
    left, depth, chains = rnd.choice((5, 30, 100, 300)), rnd.choice((4, 10, 40)), rnd.random() < 0.4

    def element(parent, level):
        nonlocal left
        left -= 1
        e = Node("e", rnd.choice(names), parent)
        nodes.append(e)
        for name in "xy":
            if rnd.random() < 0.2:
                e.attributes.append(Node("a", name, e, str(rnd.randrange(3))))
        nodes.extend(e.attributes)
        out = "<%s%s>" % (e.name, "".join(' %s="%s"' % (a.name, a.text) for a in e.attributes))
        while left > 0 and level < depth and rnd.random() < (0.9 if chains and not e.kids else 0.6):
            if rnd.random() < 0.2 and (not e.kids or e.kids[-1].kind != "t"):
                e.kids.append(Node("t", "", e, str(rnd.randrange(3))))
                nodes.append(e.kids[-1])
                out += e.kids[-1].text
            else:
                place = len(e.kids)
                e.kids.append(None)
                kid, text = element(e, level + 1)
                e.kids[place] = kid
                out += text
        return e, out + "</%s>" % e.name

    top, text = Node("e", "r", root), ""
    root.kids.append(top)
    nodes.append(top)
    while left > 0:
        kid, more = element(top, 1)
        top.kids.append(kid)
        text += more
    return root, nodes, "<r>%s</r>" % text


# ---- paths: [(edge, test, predicates)]; a predicate: (what, ...) ----

def path(names, level, most):
    steps = []
    for _ in range(rnd.choice((1, 1, 2, 2, 3, 4)[:most])):
        preds = [predicate(names, level + 1) for _ in range(rnd.choice((0, 0, 1, 1, 2) if level < 3 else (0,)))]
        steps.append((rnd.choice(("/", "/", "//")), rnd.choice(names * 3 + ["*", "node()"]), preds))
    if rnd.random() < 0.15:
        steps.append((rnd.choice(("/", "//")), rnd.choice(("@x", "@y", "@*", "text()")), []))
    return steps


def predicate(names, level):
    kind = rnd.choice(("path",) * 8 + ("and", "or", "not", "value", "value", "place"))
    if kind in ("and", "or"):
        return kind, truth(names, level), truth(names, level)
    if kind == "place":
        return kind, rnd.choice(("1", "2", "last()"))
    if kind == "not":
        return kind, truth(names, level)
    return truth(names, level) if kind == "path" else value(names, level)


def truth(names, level):
    return "path", path(names, level, 4)


def value(names, level):
    return "value", path(names, level + 2, 2), rnd.choice(("=", "!=", ">")), rnd.randrange(3)


def written(steps, relative):
    text = ""
    for i, (edge, test, preds) in enumerate(steps):
        text += ("" if edge == "/" else ".//") if relative and not i else edge
        text += test + "".join("[%s]" % said(p) for p in preds)
    return text


def said(p):
    if p[0] in ("and", "or"):
        return "%s %s %s" % (said(p[1]), p[0], said(p[2]))
    if p[0] == "not":
        return "not(%s)" % said(p[1])
    if p[0] == "place":
        return p[1]
    return written(p[1], 1) + (" %s %d" % p[2:] if p[0] == "value" else "")


# ---- what they select ----

def step(context, test, preds):
    """From one node, in document order"""
    if test[0] == "@":
        found = [a for a in context.attributes if test in ("@*", "@" + a.name)]
    else:
        found = [k for k in context.kids
                 if test == "node()" or test == {"t": "text()", "e": k.name}[k.kind]
                 or (test == "*" and k.kind == "e")]
    for p in preds:
        found = [n for i, n in enumerate(found) if holds(n, p, i + 1, len(found))]
    return found


def select(context, steps):
    nodes = [context]
    for edge, test, preds in steps:
        found = {}
        for n in nodes:
            for start in [n, *n.below()] if edge == "//" else [n]:
                found.update((id(x), x) for x in step(start, test, preds))
        nodes = list(found.values())
    return nodes


def holds(n, p, position, last):
    if p[0] == "and":
        return holds(n, p[1], position, last) and holds(n, p[2], position, last)
    if p[0] == "or":
        return holds(n, p[1], position, last) or holds(n, p[2], position, last)
    if p[0] == "not":
        return not holds(n, p[1], position, last)
    if p[0] == "place":
        return position == (last if p[1] == "last()" else int(p[1]))
    found = select(n, p[1])
    return any(compared(x.value(), p[2], p[3]) for x in found) if p[0] == "value" else bool(found)


def compared(text, op, number):
    n = float(text) if text else float("nan")
    return n == number if op == "=" else n != number if op == "!=" else n > number


SHOW = ('<xsl:for-each select="%s"><xsl:value-of select="count(ancestor::node() | preceding::node())"/>.'
        '<xsl:value-of select="count(self::node()[not(self::* or self::text())])"/><xsl:value-of select="name()"/>'
        '<xsl:text> </xsl:text></xsl:for-each>|')
SHEET = ('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>'
         '<xsl:template match="/">%s</xsl:template></xsl:stylesheet>')
wrong = answers = 0
for batch in range(args.count):
    names = ["a", "b", "c", "d"][:rnd.choice((1, 2, 3, 4))]
    root, nodes, text = document(names)
    order, key = 1, {}
    for n in [root.kids[0], *root.kids[0].below()]:     # as SHOW has it: attributes stand behind their element
        key[id(n)] = order, "%d.0%s" % (order, n.name)
        for i, a in enumerate(n.attributes):
            key[id(a)] = order + (i + 1) / 100, "%d.1%s" % (order + 1, a.name)
        order += 1
    paths = [path(names, 0, 6) for _ in range(PATHS)]
    want = [[w for _, w in sorted(key[id(n)] for n in select(root, p) if id(n) in key)] for p in paths]
    answers += sum(map(len, want))
    xml, xsl = folder + "/d.xml", folder + "/s.xsl"
    with open(xml, "w") as f:
        f.write(text)
    with open(xsl, "w") as f:
        f.write(SHEET % "".join(SHOW % written(p, 0).replace(">", "&gt;") for p in paths))
    team = ["--team", "exactly:3", "--strategy", rnd.choice(STRATEGIES)]
    for options in [["--strategy", s] for s in STRATEGIES] + [team]:
        code, out, err = run(options, xsl, xml)
        got = [x.split() for x in out.decode().split("|")[:-1]]
        if code or got != want:
            wrong += 1
            first = next((k for k in range(PATHS) if k >= len(got) or got[k] != want[k]), 0)
            tap(0, "batch %d: %s" % (batch, written(paths[first], 0)), options, text, want[first],
                got[first] if first < len(got) else code, err)
            break
    if wrong:
        break
tap(not wrong, "%d documents with %d paths each, %d answers: as found node by node" % (args.count, PATHS, answers))
tap(answers > args.count, "and there were answers")
done()
