#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tree patterns: every strategy selects the same nodes, for one thread and for a team, of random patterns in random
documents.

    t/47-twig.t [--count N] [--seed S]

A batch is a document and a stylesheet of 24 paths. Each is asked for at the root, at every element (rows that lie
within each other: only steps can do that), and at every leaf's parent (rows that lie apart). The reference is the
program without the planner's rules.
"""
import re, subprocess, tempfile
from randoms import GPUXSLT, arguments, document, run
from tap import done, tap

args, rnd = arguments(30)
folder = tempfile.mkdtemp(prefix="gpuxml-twig-")
STRATEGIES = ("auto", "steps", "bits", "levels", "twig")


def test(names):
    return rnd.choice(names + names + ["*", "node()", "text()", "nosuch", "r"])


def condition(names, level):
    path = rnd.choice(("", "", ".//")) + test(names) + predicates(names, level + 1)
    for _ in range(rnd.choice((0, 0, 1, 2))):
        path += rnd.choice(("/", "//")) + test(names) + predicates(names, level + 1)
    return rnd.choice((path, path, path, path + "/@x", "@x", path + " and " + test(names)))


def predicates(names, level):
    return "".join("[%s]" % condition(names, level)
                   for _ in range(rnd.choice((0, 0, 0, 1, 1, 2) if level < 3 else (0,))))


def path(names, start):
    text, value = start, ("[. != '']", "[@x > 0]", "[position() != 3]", "[last()]", "[not(b)]")
    for i in range(rnd.choice((1, 2, 2, 3, 4))):
        text += (rnd.choice(("/", "//")) if i or start == "/" else rnd.choice(("", ".//"))).replace("//",
            "/" if text == "/" else "//")
        text += test(names) + predicates(names, 0) + (rnd.choice(value) if rnd.random() < 0.1 else "")
    return text + rnd.choice(("", "", "", "/@x", "/@*"))


def stylesheet(paths):
    show = ('<xsl:for-each select="%s"><xsl:value-of select="count(ancestor::node() | '
            'preceding::node())"/>:<xsl:value-of select="name()"/>,</xsl:for-each>|')
    root = "".join(show % p for p in paths[0])
    each = "".join("<xsl:value-of select=\"count(%s)\"/>,<xsl:value-of select=\"boolean(%s)\"/>|" % (p, p)
                   for p in paths[1])
    return """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>
<xsl:template match="/">%s<xsl:for-each select="//*">%s;</xsl:for-each>
<xsl:for-each select="/r/*">%s%s</xsl:for-each></xsl:template></xsl:stylesheet>""" % (root, each, each, "".join(show % p for p in paths[1][:6]))


findings = 0
for batch in range(args.count):
    names = ["a", "b", "c", "d"][:rnd.choice((1, 2, 4, 4))]
    xml, sheet = folder + "/d.xml", folder + "/s.xsl"
    with open(xml, "w") as f:
        f.write(document(rnd, names, rnd.choice((5, 30, 30, 300, 300, 3000)), rnd.choice((3, 6, 12)), 0.7))
    with open(sheet, "w") as f:
        f.write(stylesheet(([path(names, rnd.choice(("/", "//"))) for _ in range(16)],
                            [path(names, "") for _ in range(8)])))
    want = run(["--rules", "none"], sheet, xml)
    wrong = [] if want[0] == 0 else [("without rules", want)]
    for strategy in STRATEGIES:
        for team in ([], ["--team", "exactly:4"]):
            got = run(["--strategy", strategy] + team, sheet, xml)
            if got[:2] != want[:2]:
                wrong.append((strategy, team, got))
    findings += bool(wrong)
    if wrong:
        tap(0, "batch %d of seed %d" % (batch, args.seed), open(xml).read(), open(sheet).read(), want, *wrong)
        break
tap(not findings, "%d random documents with 24 patterns each: five strategies, one thread and four, give the nodes "
                  "that plain steps give" % args.count)


def explained(path, *options):
    p = subprocess.run([GPUXSLT, *options, "--explain", "--xpath", path], capture_output=True, text=True)
    return p.stdout.split("\n")[1]


# Which paths are patterns, and where they begin
for path, pattern in (
        ("//a[b[c]//d]/e", "twig(//a[b[c]//d]/e:"), ("/r/a[@id]/b", "twig(r/a[@id]/b:"),
        ("//a[b and .//c]", "twig(//a[b][.//c]:"),
        ("//a[b]/c[. = 'x']", "twig(//a[b]/c:"), ("//a[. = 'x']/b[c]/d", "twig(b[c]/d:"),
        ("//a//*[b/c]/text()", "twig(//a//*[b/c]/text():")):
    tap(pattern in explained(path), "%s has the pattern %s" % (path, pattern), explained(path))
for path in ("//a", "a/b", "//a[1]/b[2]", "//a/following::b", "//a[b]/.."):
    code = explained(path)
    tap("twig(" not in code or path == "//a[b]/..", "%s has none" % path, code)
tap("twig(" not in explained("//a[b]/c", "--rules", "-twig"), "the rule can be switched off")


# A pinned strategy is the one that runs, also from several contexts of which some lie in others
nested = folder + "/nested.xml"
with open(nested, "w") as f:
    f.write("<r><a><b/></a><a>x<a>y<b><c/></b></a><b/><a><b><c/></b><b/></a><b><c/></b></a></r>")
for strategy in STRATEGIES[1:]:
    p = subprocess.run([GPUXSLT, "--strategy", strategy, "--explain", "--timing", "--xpath", "//a[. != '']/b[c]",
                        nested], capture_output=True, text=True)
    tap("<%s>" % strategy in p.stdout, "--strategy %s runs %s, and --explain --timing says so" % (strategy, strategy),
        p.stdout, p.stderr)
    p = subprocess.run([GPUXSLT, "--strategy", strategy, "--xpath", "count(//a[. != '']/b[c])", nested],
                       capture_output=True, text=True)
    tap(p.stdout.strip() == "2", "%s: contexts in other contexts" % strategy, p.stdout, p.stderr)


# Without one the cheapest runs
def chosen(path, xml):
    p = subprocess.run([GPUXSLT, "--explain", "--timing", "--xpath", path, xml], capture_output=True, text=True)
    return re.findall("<(%s)(; estimated: steps [0-9.]+ us, bits [0-9.]+ us, levels [0-9.]+ us, twig [0-9.]+ us)?>"
                      % "|".join(STRATEGIES), p.stdout), p.stdout


large = folder + "/large.xml"
with open(large, "w") as f:
    f.write("<r><few><a><b/></a></few>%s%s</r>" % ("<a><c/></a>" * 20000, ("<s>" * 50 + "<n/>" + "</s>" * 50) * 100))
for path, want, estimated in (("//a[b]", ("twig", "bits"), 1), ("//s[.//s[n]]//n", ("twig",), 1),
                              ("/r/few/a/b", ("steps",), 1), ("/r/few[1]/a[b]/b", ("steps",), 0)):
    found, text = chosen(path, large)
    tap(found and found[-1][0] in want and bool(found[-1][1]) == bool(estimated),
        "%s by %s%s" % (path, " or ".join(want), ", as estimated" if estimated else ""), text)
found, text = chosen("//s[n]", nested)
tap(found == [("steps", "")], "a small document is left to steps without an estimate", text)
p = subprocess.run([GPUXSLT, "--explain", "--xpath", "//a[b]/c"], capture_output=True, text=True)
tap("HOP: " in p.stdout, "--explain says what costs are sums of", p.stdout)
p = subprocess.run([GPUXSLT, "--strategy", "fast", "--xpath", "1", xml], capture_output=True, text=True)
tap(p.returncode == 3 and "--strategy wants" in p.stderr, "an unknown strategy is refused", p.stderr)
done()
