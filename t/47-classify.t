#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Template rules by the automaton of a mode's patterns: the same bytes as candidate by candidate, for one thread and
for teams.

    t/47-classify.t [--count N] [--seed S]

A batch is a document and a stylesheet of random patterns: several steps, "//", predicates, attributes, texts, modes,
priorities, imports.
"""
import shutil, subprocess, tempfile
from randoms import GPUXSLT, arguments, document, run
from tap import done, tap

args, rnd = arguments(25)
folder = tempfile.mkdtemp(prefix="gpuxml-classify-")
SHEET = ('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:p" '
         'xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="p exsl">%s</xsl:stylesheet>')
OTHERS = ("t%d", "<!--c-->", "<?i d?>")


def pattern(names):
    steps = rnd.choice((1, 2, 2, 3, 3, 4, 5))
    text = rnd.choice(("", "", "", "/", "//"))
    for i in range(steps):
        if i:
            text += rnd.choice(("/", "//"))
        text += rnd.choice(names * 3 + ["*", "node()" if i + 1 == steps else "*", "p:*", "r"])
        if rnd.random() < 0.15:
            text += rnd.choice(("[@x]", "[@x = 1]", "[1]", "[last()]", "[%s]" % rnd.choice(names), "[position() != 2]"))
    return text + rnd.choice(("", "", "", "", "/@x", "//@*", "/text()", "//comment()", "/processing-instruction('i')"))


def rules(names, count, modes):
    text = ""
    for i in range(count):
        mode, where = rnd.choice(modes), rnd.choice(("", "", ' priority="%d"' % rnd.randrange(3)))
        body = '<xsl:apply-templates select="@*|node()"%s/>' % rnd.choice(modes)
        if rnd.random() < 0.1:
            body = "<xsl:apply-imports/>" + body
        union = rnd.choice(("", "", " | " + pattern(names)))
        text += '<xsl:template match="%s%s"%s%s>(%d%s)</xsl:template>' % (pattern(names), union, mode, where, i, body)
    return text


def put(name, text):
    with open(folder + "/" + name, "w") as f:
        f.write(text)
    return folder + "/" + name


wrong = []
for batch in range(args.count):
    names = ["a", "b", "c", "p:d"][:rnd.choice((1, 2, 4, 4))]
    xml = put("d.xml", document(rnd, names, rnd.choice((5, 30, 300, 3000)), rnd.choice((3, 6, 12)), 0.75, OTHERS,
                                '<r xmlns:p="urn:p">'))
    modes = rnd.choice(([""], ["", ' mode="m"']))
    put("i.xsl", SHEET % rules(names, rnd.choice((0, 5)), modes))
    sheet = put("s.xsl", SHEET % ('<xsl:import href="i.xsl"/><xsl:output omit-xml-declaration="yes"/>' + rules(names,
        rnd.choice((3, 10, 40, 120)), modes) + (
        '<xsl:template match="/"><xsl:variable name="v"><a><b/><c><b/></c></a></xsl:variable><xsl:apply-templates/>|'
        '<xsl:apply-templates select="exsl:node-set($v)/node() | //a"/></xsl:template>' if rnd.random() < 0.4 else "")))
    want = run(["--strategy", "steps"], sheet, xml)
    for options in (["--strategy", "levels"], ["--strategy", "levels", "--team", "exactly:3"], [],
                    ["--team", "exactly:3"], ["--strategy", "levels", "--rules", "none"]):
        got = run(options, sheet, xml)
        if got != want:
            wrong.append((options, want, got, open(xml).read(), open(sheet).read()))
    if shutil.which("xsltproc") and want[0] == 0 and "p:" not in open(sheet).read().replace("p:p", ""):
        p = subprocess.run(["xsltproc", "--maxdepth", "100000", sheet, xml], capture_output=True)
        if p.returncode == 0 and p.stdout.strip() != want[1].strip():
            wrong.append(("xsltproc", p.stdout, want[1], open(xml).read(), open(sheet).read()))
    if wrong:
        tap(0, "batch %d of seed %d" % (batch, args.seed), *wrong[0])
        break
tap(not wrong, "%d random stylesheets: the automaton finds the rules that candidates give, on one thread and three"
    % args.count)


# What --explain says, and what is chosen
def explained(sheet, *options):
    p = subprocess.run([GPUXSLT, *options, "--explain", sheet] if "--timing" not in options else [GPUXSLT, *options,
        "--explain", sheet, xml],
                       capture_output=True, text=True)
    return p.stdout


several = put("several.xsl", SHEET % ('<xsl:template match="*"><xsl:apply-templates/></xsl:template>' + "".join(
    '<xsl:template match="%s">.</xsl:template>' % p for p in ("a/b", "/r//c", "b[@x]", "a[@x]/b//c", "c"))))
tap("<rules: automaton of 7 states>" in explained(several), "states are the steps of patterns that look at ancestors",
    explained(several))
plain = put("plain.xsl", SHEET % '<xsl:template match="*"><xsl:apply-templates/></xsl:template><xsl:template '
                                 'match="b[@x]">.</xsl:template>')
tap("automaton" not in explained(plain), "patterns of one step make none", explained(plain))
xml = put("e.xml", "<r><a><b/><c/></a></r>")
tap("<rules by levels, 7 states>" in explained(several, "--strategy", "levels", "--timing"),
    "--strategy levels pins it, and --explain --timing says so",
    explained(several, "--strategy", "levels", "--timing"))
tap("<rules by" not in explained(several, "--timing"), "a small document is not worth it",
    explained(several, "--timing"))
many = put("many.xsl", SHEET % ('<xsl:template match="*"><xsl:apply-templates/></xsl:template>' + "".join(
    '<xsl:template match="n%d//%s/%s">.</xsl:template>' % (i, p, q) for i in range(120) for p in "ab" for q in "abc")))
xml = put("f.xml", "<r>%s</r>" % ("<a><b><c/><a><c/><b/></a></b><c/></a>" * 3000))
tap("<rules by levels" in explained(many, "--timing"), "many patterns and many nodes are",
    explained(many, "--timing")[:2000])
tap("<rules by" not in explained(many, "--timing", "--strategy", "steps"), "--strategy steps pins candidates",
    explained(many, "--timing", "--strategy", "steps")[:2000])
tap(run([], many, xml) == run(["--strategy", "steps"], many, xml) == run(["--team", "exactly:2"], many, xml),
    "and the bytes are the same")

# Paths beneath roots that are no root node, and steps that only the root is above
trees = put("trees.xsl", SHEET % '<xsl:output method="text"/><xsl:template match="/"><xsl:variable '
    'name="v"><a><b/></a></xsl:variable><xsl:apply-templates select="exsl:node-set($v)//b | '
        '//b"/></xsl:template><xsl:template match="b">0</xsl:template><xsl:template '
            'match="/a/b">1</xsl:template><xsl:template match="//a//b">2</xsl:template><xsl:template match="/r/a//b" '
            'priority="2">3</xsl:template>')
xml = put("g.xml", "<r><a><b/></a><b/></r>")
tap({run(["--strategy", s], trees, xml)[1] for s in ("steps", "levels")} in ({b"301"}, {b"302"}, {b"130"}, {b"230"}),
    "/ and // begin at each tree's root",
    run(["--strategy", "steps"], trees, xml), run(["--strategy", "levels"], trees, xml))
shutil.rmtree(folder)
done()
