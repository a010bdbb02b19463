#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats the figures of the papers that this engine descends from, on a CPU: docs/papers/*.md with a table and a plot
for each.

    bench/papers.py [automaton|twigs|joins|axes|xslt|filtering ...] [--scale S] [--rounds N] [--work DIR]
    make papers

Documents are made here: those of published shapes (bench/gen_published.py, bench/gen_dblp.py, bench/gen_auction.py)
with S times the papers' size, and Peters's own, whose sizes are his. Peers: BaseX (Debian's basex), libxml2
(build/bench/libxslt) and, for stylesheets, Saxon-HE (libsaxonhe-java and a JDK), each left out where it is not
installed. Chapter filtering: bench/filter.py. Every count of nodes is compared. What is said below a table, between
`<!-- said -->` and `<!-- end -->`, stays as it was written when a page is made anew.
"""
import argparse, collections, datetime, json, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT + "/bench")
import filter as profiles               # bench/filter.py
GPUXSLT, LIBXSLT = ROOT + "/build/gpuxslt", ROOT + "/build/bench/libxslt"
SHEET = '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">%s</xsl:stylesheet>'
TWO = "exactly:2"
SAXON = "/usr/share/java/Saxon-HE.jar"


def cpu():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "unknown")


class Page:
    """A report: sections with a table each; keeps what was said by hand"""
    def __init__(self, name, title, about):
        self.path = "%s/docs/papers/%s.md" % (ROOT, name)
        self.name, self.parts, self.said = name, [], []
        if os.path.exists(self.path):
            self.said = re.findall(r"<!-- said -->\n(.*?)<!-- end -->", open(self.path).read(), re.S)
        self.n = 0
        self.parts.append("# %s\n\n%s\n\n`make papers`, %s, %s, %d cores, scale %g (of the published documents' sizes; "
                          "Peters's own documents have his). Milliseconds "
                          "of one thread are the least of several processes. Two threads are left out (`-`) while "
                          "other work runs on the machine.\n" % (title, about, datetime.date.today(), cpu(),
                                                                 os.cpu_count(), args.scale))

    def section(self, title, claim, plot, header, rows):
        """plot: None, or kind, what y is, x, [y], unit"""
        text = "## %s\n\n**The paper:** %s\n\n" % (title, claim)
        if plot:
            kind, about, x, ys, unit = plot
            svg = "%s-%d.svg" % (self.name, self.n + 1)
            text += "![%s](%s)\n\n<!-- plot: %s %s; title=%s; x=%s; y=%s; unit=%s; log -->\n" % (about, svg, kind, svg,
                about, x, ", ".join(ys), unit)
        text += "| %s |\n|%s\n" % (" | ".join(header), "--:|" * len(header))
        text += "".join("| %s |\n" % " | ".join(number(c) for c in row) for row in rows)
        said = self.said[self.n] if self.n < len(self.said) else "(nothing yet)\n"
        self.parts.append(text + "\n<!-- said -->\n%s<!-- end -->\n" % said)
        self.n += 1
        print(self.parts[-1], flush=True)

    def write(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "w") as f:
            f.write("\n".join(self.parts))
        subprocess.run([sys.executable, ROOT + "/bench/plot.py", self.path], check=True)


def number(cell):
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return ("%.0f" % cell if cell >= 100 else "%.1f" % cell if cell >= 10 else "%.2f" % cell if cell >= 0.1
                else "%.4f" % cell)
    return str(cell)


# ---- engines: milliseconds of one evaluation, and how many nodes ----

args = None


def ours(path, expression, *options):
    """The least of --rounds processes, each a median"""
    if TWO in options and crowded():
        return None
    least = None
    for _ in range(args.rounds):
        p = subprocess.run([GPUXSLT, *options, "--timing", "--json", "--repeat", "5", "--limit", "depth=65000",
                            "--xpath", expression, path], capture_output=True)
        if p.returncode:
            sys.exit("%s %s: %s" % (expression, path, p.stderr.decode()))
        us = json.loads(p.stderr.decode().splitlines()[-1])["evaluate_us"]
        least = us if least is None else min(us, least)
    return least / 1000


def crowded():
    """Others want the cores as well: then a team's members wait for each other, and a wall-clock time says nothing"""
    return os.getloadavg()[0] > os.cpu_count() + 1


def count(path, expression, *options):
    p = subprocess.run([GPUXSLT, *options, "--limit", "depth=65000", "--xpath", "count(%s)" % expression, path],
                       capture_output=True, text=True, check=True)
    return int(p.stdout.split()[0])


def has_strategy(path, expression):
    p = subprocess.run([GPUXSLT, "--explain", "--xpath", expression], capture_output=True, text=True, check=True)
    return "twig(" in p.stdout.split("rules applied")[0]


def strategies(path, expression, names, *options):
    """A figure for each; None where no tree pattern is left that a strategy could find"""
    there = has_strategy(path, expression)
    return {s: ours(path, expression, *options, *([] if s == "auto" else ["--strategy", s])) if there
            or s in ("auto", "steps") else None for s in names}


def transform(sheet, path, *options):
    if TWO in options and crowded():
        return None
    least = None
    for _ in range(args.rounds):
        p = subprocess.run([GPUXSLT, *options, "--timing", "--json", "--repeat", "5", "--limit", "recursion=100000",
                            sheet, path], capture_output=True)
        if p.returncode:
            sys.exit("%s %s: %s" % (sheet, path, p.stderr.decode()))
        took = json.loads(p.stderr.decode().splitlines()[-1])
        ms = (took["evaluate_us"] + took["serialize_us"]) / 1000
        least = ms if least is None else min(ms, least)
    return least


def libxml(path, expression=None, sheet=None, limit_s=5):
    """libxslt in process: a stylesheet that counts, or the one given; None: it is not there, fails, or takes longer
    than limit_s"""
    if not os.path.exists(LIBXSLT):
        return None
    if not sheet:
        sheet = args.work + "/count.xsl"
        with open(sheet, "w") as f:
            f.write(SHEET % '<xsl:output method="text"/><xsl:template match="/"><xsl:value-of '
                            'select="count(%s)"/></xsl:template>' % expression)
    try:
        p = subprocess.run([LIBXSLT, sheet, path, "3"], capture_output=True, text=True, timeout=limit_s)
        took = json.loads(p.stdout.splitlines()[-1])
        return (took["evaluate_us"] if expression else took["evaluate_us"] + took["serialize_us"]) / 1000
    except (subprocess.TimeoutExpired, json.JSONDecodeError, IndexError, KeyError):
        return None


def saxon(path, sheet, limit_s=30):
    """Saxon-HE in one warm process (bench/Saxon.java), as libxml; None: it is not there, fails, or takes longer"""
    if not os.path.exists(ROOT + "/build/bench/Saxon.class"):
        return None
    try:
        p = subprocess.run(["java", "-Xmx4g", "-Xss64m", "-XX:+UseSerialGC", "-cp", SAXON + ":" + ROOT + "/build/bench",
                            "Saxon", sheet, path, "3"],
                           capture_output=True, text=True, timeout=limit_s)
        return json.loads(p.stdout.splitlines()[-1])["evaluate_us"] / 1000
    except (subprocess.TimeoutExpired, json.JSONDecodeError, IndexError, KeyError):
        return None


class BaseX:
    """A database for each document. Each node's id is asked for, so that no query is answered by a statistic"""
    def __init__(self, documents):
        self.there = shutil.which("basex") is not None
        if not self.there:
            return
        home = args.work + "/basex"
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        self.env = dict(os.environ, HOME=home, JAVA_ARGS="-Xmx4g -Dorg.basex.DBPATH=" + home)
        for name, path in documents.items():
            script = home + "/load.bxs"
            with open(script, "w") as f:
                f.write("SET INTPARSE true\nCREATE DB %s %s\n" % (name, path))
            subprocess.run(["basex", script], env=self.env, check=True, capture_output=True)

    def ask(self, name, query, want):
        if not self.there:
            return None
        p = subprocess.run(["basex", "-V", "-r", "20", "-i", name,
            "let $i := (%s) ! db:node-id(.) return (count($i), sum($i))" % query], env=self.env,
            capture_output=True, text=True)
        found = re.search(r"^(\d+)\s+\d+$", p.stdout, re.M)
        if not found or int(found.group(1)) != want:
            sys.exit("BaseX does not find %d nodes for %s:\n%s%s" % (want, query, p.stdout, p.stderr))
        took = re.findall(r"(?:Evaluating|Printing): ([\d.]+) ms", p.stdout)       # it evaluates while it prints
        return sum(map(float, took)) if took else None


def made(name, command):
    path = "%s/%s.xml" % (args.work, name)
    if not os.path.exists(path):
        subprocess.run([sys.executable, *command, "-o", path + ".part"], check=True, cwd=ROOT)
        os.rename(path + ".part", path)
    return path


def written(name, text):
    path = "%s/%s.xml" % (args.work, name)
    if not os.path.exists(path):
        with open(path, "w") as f:
            f.write(text)
    return path


def published(names):
    sizes = {"dblp": 128, "psd7003": 684, "treebank": 83, "nasa": 24}
    out = {}
    for name in names:
        m = max(1, round(sizes[name] * args.scale))
        out[name] = made("%s-%d" % (name, m), ["bench/gen_dblp.py", "-m", str(m)] if name == "dblp"
                         else ["bench/gen_published.py", name, "-m", str(m)])
    return out


def auction(factor):
    return made("auction-%g" % factor, ["bench/gen_auction.py", "-f", "%g" % factor])


# ---- Guimaraes 2013 ----

GUIMARAES = (           # document, query, the paper's ms: CUDA, OpenMP, serial
    ("dblp", "//author", 114, 377, 354), ("dblp", "//article/author", 47, 193, 390),
        ("dblp", "/dblp//article", 27, 119, 300), ("dblp", "/author", 13, 70, 291),
    ("psd7003", "//authors", 17, 82, 268), ("psd7003", "//accinfo/db", 31, 124, 354), ("psd7003", "//db", 36, 133, 269),
    ("psd7003", "/ProteinDatabase/ProteinEntry", 17, 86, 312),
    ("dblp", "//title", 7, 19, 42), ("dblp", "/dblp//volume", 4, 13, 47), ("dblp", "//www/title", 2, 8, 47),
    ("dblp", "/dblp/www", 2, 8, 46),
    ("treebank", "//NN", 5, 11, 30), ("treebank", "//S//NP", 9, 19, 42), ("treebank", "//S/NP", 4, 8, 39),
    ("treebank", "/FILE/EMPTY", 3, 7, 34),
    ("nasa", "//name", 2, 3, 6), ("nasa", "//other/name", 1, 1, 7), ("nasa", "//year", 1, 1, 6),
    ("nasa", "/datasets/dataset", 1, 1, 7))


def shapes():
    """Of figure 3: elements, a wide document and one of 1000 levels"""
    depth = 1000
    for n in (10000, 100000, 1000000):
        yield (n, written("wide-%d" % n, "<r>%s</r>" % ("<a><b/></a>" * (n // 2))),
               written("deep-%d" % n, "<r>%s</r>" % (("<a><b>" * (depth // 2) + "</b></a>" * (depth // 2))
                                                     * (n // depth))))


def automaton():
    page = Page("automaton", "An automaton over levels (Guimaraes 2013)",
                "The paper evaluates paths by an NFA whose state sets are bit vectors, level by level. Here that is "
                "`--strategy levels` (engine/machine/levels.h). Documents "
                "have the shape of the paper's and %g times their size; its `dblp 1` (1.1 GB) is left out, its four "
                "queries run on `dblp`. The paper's figures are of its own "
                "sizes and hardware (2013: GTX 470, Xeon E5620), milliseconds." % args.scale)
    docs = published(("dblp", "psd7003", "treebank", "nasa"))
    shape = []
    for name, path in docs.items():
        p = subprocess.run([GPUXSLT, "--xpath", "concat(count(//*), ' ', count(//@*))", path], capture_output=True,
                           text=True, check=True)
        elements, attributes = p.stdout.split()
        shape.append((name, os.path.getsize(path) / 1e6, elements, attributes))
    page.section("Table I: the documents", "24 MB to 1.1 GB, depth 6 to 36.", None,
                 ("document", "MB", "elements", "attributes"), shape)
    basex, rows = BaseX(docs), []
    for name, query, cuda, omp, serial in GUIMARAES:
        path, n = docs[name], count(docs[name], query)
        one = strategies(path, query, ("auto", "steps", "levels"))
        two = strategies(path, query, ("levels",), "--team", TWO)
        rows.append(("%s `%s`" % (name, query), n, float(cuda), float(omp), float(serial), one["auto"], one["steps"],
                     one["levels"], two["levels"],
                     basex.ask(name, query, n), libxml(path, query)))
    page.section("Table II: 20 queries", "the GPU is up to 138 times as fast as eXist and 1 to 22 times as fast as the "
                                         "serial automaton.",
                 ("bars", "One query, one thread: milliseconds", "query",
                  ("auto", "steps", "levels", "levels on 2 threads", "BaseX", "libxml2"), "ms"),
                 ("query", "nodes", "paper: CUDA", "paper: OpenMP", "paper: serial", "auto", "steps", "levels",
                  "levels on 2 threads", "BaseX", "libxml2"), rows)
    synthetic = []
    for n, wide, deep in shapes():
        synthetic.append((n, *(ours(p, "//a/b", "--strategy", "levels", *team) for p in (wide, deep)
                               for team in ((), ("--team", TWO))),
                          *(ours(p, "//a/b", "--strategy", "twig") for p in (wide, deep))))
    page.section("Figure 3: shapes", "a flat document is the best case, a chain the worst, since each level is a "
                                     "launch of its own; random trees are near the best.",
                 ("lines", "//a/b by the automaton: milliseconds", "elements",
                  ("wide", "wide on 2 threads", "1000 levels", "1000 levels on 2 threads", "twig on wide"), "ms"),
                 ("elements", "wide", "wide on 2 threads", "1000 levels", "1000 levels on 2 threads", "twig on wide",
                  "twig on 1000 levels"), synthetic)
    page.write()


# ---- Shnaiderman 2011 and Jordan 2010 ----

NESTED = ("//S[NP]", "//S[NP[PP]]", "//S[NP[PP[NP]]]", "//S[NP[PP[NP[NN]]]]", "//S[NP[PP[NP[NN]]]]/VP")
FAR = ("//S[.//NP]", "//S[.//NP[.//PP]]", "//S[.//NP[.//PP[.//VP]]]", "//S[.//NP[.//PP[.//VP[.//JJ]]]]",
       "//S[.//NP[.//PP[.//VP[.//JJ]]]]//NN")
SEVERAL = ("//reference[refinfo]", "//reference[refinfo][accinfo]", "//reference[refinfo[year]][accinfo[xrefs]]",
           "//reference[refinfo[year][volume]][accinfo[xrefs/xref][label]]",
           "//ProteinEntry[genetics/gene][.//xref]/reference[accinfo]//author")
TWIGS = (               # title, claim, document, queries
    ("Nested predicates, children", "a stream's bits are set once, whatever the depth of the pattern.",
     "treebank", NESTED),
    ("Nested predicates, descendants", "each edge costs a search a node; no pair of ancestor and descendant is "
                                       "ever made.",
     "treebank", FAR),
    ("Several predicates", "the branches of a node are bits of one word.", "psd7003", SEVERAL))


def twigs():
    page = Page("twigs", "Tree patterns bottom up by bits (Shnaiderman 2011)",
                "GPU-Twig qualifies the nodes of each label's stream bottom up, then collects answers top down. Here "
                "that is `--strategy bits` (engine/machine/twig_bits.h). "
                "The paper gives no measurements (it refers to a publication of its own); what follows is the "
                "comparison that it calls for. The left-sibling rule, by which "
                "two equal branches must match different nodes, is `gx:twig()`, at the end of this page.")
    docs = published(("psd7003", "treebank"))
    names = ("auto", "steps", "bits", "twig", "levels")
    basex = BaseX(docs)
    for title, claim, name, queries in TWIGS:
        rows = []
        for depth, query in enumerate(queries):
            n = count(docs[name], query)
            one = strategies(docs[name], query, names)
            plain = ours(docs[name], query, "--rules", "none")
            two = ours(docs[name], query, "--team", TWO, "--strategy", "bits")
            rows.append(("`%s`" % query, n, plain, *(one[s] for s in names), two, basex.ask(name, query, n),
                         libxml(docs[name], query)))
        page.section(title, claim,
            ("bars", title + ": milliseconds", "query", ("no rules", "steps", "bits", "twig", "levels", "BaseX",
                                                         "libxml2"), "ms"),
                     ("query", "nodes", "no rules", *names, "bits on 2 threads", "BaseX", "libxml2"), rows)
    distinct(page, docs["treebank"])
    page.write()


EQUAL = ("//S[NP][NP]", "//NP[NP[PP]][NP[NN]]", "//S[.//NP][.//NP]", "//S[.//VP[NP]][.//VP[PP]]", "//NP[NP]/NP",
         "//VP[.//PP[NP]]//PP")


def distinct(page, doc):
    names = ("XPath", "gx:twig", "gx:twig steps", "gx:twig bits", "gx:twig twig")
    rows = []
    for query in EQUAL:
        own, gx = "gx:twig(%s)" % query, ("--ns", "gx=urn:gpuxml")
        rows.append(("`%s`" % query, count(doc, query), count(doc, own, *gx), ours(doc, query), *(
            ours(doc, own, *gx, *([] if s == "auto" else ["--strategy", s]))
            for s in ("auto", "steps", "bits", "twig"))))
    page.section("Equal branches match different nodes",
                 "siblings of the pattern with the same label match distinct nodes; a search for a perfect matching of "
                 "a "
                 "few branches and some tens of nodes, for each node of the stream above.",
                 ("bars", "Equal branches: milliseconds", "query", names, "ms"),
                 ("query", "nodes by XPath", "nodes by gx:twig", *names), rows)


JOINS = (
    ("auction", "//site//item//keyword"),
    ("auction", "//item[location]//keyword"),
    ("auction", "//open_auction[bidder/personref]//increase"),
    ("auction", "//person[address/city][profile/education]/name"),
    ("auction", "//listitem//listitem//keyword"),
    ("auction", "//item[description//keyword]/name"),
    ("dblp", "//article[volume][cite]/title"),
    ("dblp", "//inproceedings[author][year]/booktitle"),
    ("dblp", "//article[author]/ee"),
    ("treebank", "//S//NP//PP"),
    ("treebank", "//S[.//VP]//NP[PP]"),
    ("treebank", "//NP[.//SBAR]/NP"),
    ("treebank", "//VP[PP/NP]//NN"))


def joins():
    page = Page("joins", "Joins of label streams, in partitions (Jordan 2010)",
                "The thesis runs TwigStack over label streams that are cut into partitions by range containment (SPX). "
                "Here that is `--strategy twig` (engine/machine/twig_join.h). "
                "It gives no measurements of its own GPU program, which did not run to its end; its text names "
                "`//a//b//c` and twigs with values on documents such as XMark's.")
    docs = dict(published(("dblp", "treebank")), auction=auction(1.0 * args.scale))
    basex = BaseX(docs)
    rows = []
    for name, query in JOINS:
        n = count(docs[name], query)
        one, two = (strategies(docs[name], query, ("steps", "twig"), *team) for team in ((), ("--team", TWO)))
        rows.append(("%s `%s`" % (name, query), n, one["steps"], one["twig"], two["steps"], two["twig"],
                     one["twig"] / two["twig"] if one["twig"] and two["twig"] else None,
                     ours(docs[name], query), basex.ask(name, query, n), libxml(docs[name], query)))
    page.section("Twigs, with one partition and with two", "partitions that keep root-to-leaf paths let each thread "
                                                           "join its own part; a CPU thread is as good as a warp.",
                 ("bars", "One query: milliseconds", "query",
                  ("steps", "twig", "twig on 2 threads", "BaseX", "libxml2"), "ms"),
                 ("query", "nodes", "steps", "twig", "steps on 2 threads", "twig on 2 threads", "twig: 1 / 2", "auto",
                  "BaseX", "libxml2"), rows)
    page.write()


# ---- Peters 2011 ----

def series(page, title, claim, x, points):
    """points: (x, path, expression)"""
    rows = []
    for at, path, expression in points:
        n = count(path, expression)
        rows.append((at, n, ours(path, expression), ours(path, expression, "--team", TWO), libxml(path, expression)))
    page.section(title, claim, ("lines", title + ": milliseconds", x, ("solo", "2 threads", "libxml2"), "ms"),
                 (x, "nodes", "solo", "2 threads", "libxml2"), rows)


XMARK = ("/descendant::item", "/descendant-or-self::bidder", "//self::bidder", "//bidder", "//bidder/personref/@person",
         "//bidder/descendant::text()",
         "//annotation/descendant-or-self::keyword", "//item/parent::europe", "//emph/ancestor::description",
         "//item/ancestor-or-self::*", "//bidder/following::*",
         "//bidder/following-sibling::bidder", "//quantity/preceding::item", "//quantity/preceding-sibling::location")


def axis_series():
    """Peters's figures 8.2 to 8.10: title, claim, what x is, (x, document, expression) ..."""
    flat = lambda n: written("flat-%d" % n, "<start>%s</start>" % ("<elem><elem/></elem>" * (n // 2)))
    one = lambda n: written("one-%d" % n, "<start>%s<elemX/>%s</start>" % ("<elem><elem/></elem>" * (n // 4),
        "<elem><elem/></elem>" * (n // 4)))
    path = lambda n: written("path-%d" % n, "%s<elemX/>%s" % ("<start>" * n, "</start>" * n))
    comb = lambda n, k: written("comb-%d-%d" % (n, k), "<start>%s</start>"
                                % (("<start>" * (n // k) + "<elemX/>" + "</start>" * (n // k)) * k))
    mixed = lambda n, k, parts: written("mixed-%d-%d-%d" % (n, k, parts), "<start>%s</start>" % (
        ("<part>%s</part>" % (("<elemX/>" + "<elem/>" * (k - 1)) * (n // parts // k))) * parts))
    sizes = (100000, 500000, 1000000, 2000000)
    yield ("Figure 8.2: /descendant::elem", "linear for all; the GPU a little ahead, since little is to be done for "
                                            "a node.", "elements",
           [(n, flat(n), "/descendant::elem") for n in sizes])
    yield ("Figure 8.3: ancestors on one path", "the worst case of a parallel machine: one thread climbs; the CPU wins "
                                                "clearly.", "depth",
           [(n, path(n), "/descendant::elemX/ancestor::start") for n in (1000, 5000, 20000, 60000)])
    yield ("Figure 8.4: the same nodes on several paths", "CPUs take the same time, the GPU less the more paths "
                                                          "there are.", "paths",
           [(k, comb(240000, k), "/descendant::elemX/ancestor::start") for k in (4, 16, 64, 256, 1024)])
    yield ("Figure 8.5: one elemX", "an index makes a name test logarithmic; others look at every node.", "elements",
           [(n, one(n), "/descendant::elemX") for n in sizes])
    yield ("Figure 8.6: /descendant::elem/descendant::elem",
           "linear set-wise, quadratic for the CPU processors of 2011.", "elements",
           [(n, flat(n), "/descendant::elem/descendant::elem") for n in (10000, 50000, 100000, 500000)])
    tiny = written("tiny", "<start><elem><elem/></elem><elem><elem/></elem></start>")
    yield ("Figure 8.7: many steps on four elements", "linear in the number of steps set-wise, exponential in Xalan "
                                                      "and Saxon, not in libxslt.", "repetitions",
           [(k, tiny, "/descendant::elem/ancestor::start" * k) for k in (1, 4, 8, 12, 16)])
    yield ("Figure 8.9: /descendant::elemX/following::*",
           "minima make it one pass; CPU processors are far slower.", "elements",
           [(n, mixed(n, 100, 1), "/descendant::elemX/following::*") for n in (10000, 100000, 1000000)])
    yield ("Figure 8.10: /descendant::elemX/following-sibling::*", "likewise, a minimum for each parent.", "elements",
           [(n, mixed(n, 10, 10), "/descendant::elemX/following-sibling::*") for n in (10000, 100000, 1000000)])


def axes():
    page = Page("axes", "Set-wise axes (Peters 2011, chapter 8)",
                "Peters evaluates a step for a whole set of nodes, by columns and indexes. That is the machine's usual "
                "way (engine/machine/step.h). His figures 8.2 to 8.12 on his "
                "documents and sizes. libxml2 is this day's libxslt with a stylesheet that counts; `-`: more than 5 s, "
                "or it refuses the document. "
                "GPU rows: the axes of the grid team on an H100 are in "
                "[docs/bench](../bench/teams-2026-11-24-h100.md); these documents on one: [the papers' figures on a "
                "GPU](gpu.md).")
    for title, claim, x, points in axis_series():
        series(page, title, claim, x, points)
    small, rows = auction(0.1), []
    for expression in XMARK:
        rows.append(("`%s`" % expression, count(small, expression), ours(small, expression),
                     ours(small, expression, "--team", TWO), libxml(small, expression)))
    page.section("Figure 8.11: 14 expressions, XMark of 12 MB", "faster than Xalan for all 14, often 10 to 100 times.",
                 ("bars", "XMark, 12 MB: milliseconds", "expression", ("solo", "2 threads", "libxml2"), "ms"),
                 ("expression", "nodes", "solo", "2 threads", "libxml2"), rows)
    factors, rows = (0.05, 0.1, 0.2, 0.4), []
    for expression in XMARK:
        rows.append(("`%s`" % expression, *(ours(auction(f), expression) for f in factors)))
    page.section("Figure 8.12: the same, growing", "linear for all expressions.",
        ("bars", "XMark, one thread: milliseconds", "expression", tuple("%.0f MB" % (f * 115) for f in factors), "ms"),
                 ("expression", *("%.0f MB" % (f * 115) for f in factors)), rows)
    page.write()


def sheet(name, text):
    path = "%s/%s.xsl" % (args.work, name)
    with open(path, "w") as f:
        f.write(SHEET % text)
    return path


def tree(height, fan):
    def level(k):
        return "<%s>%s</%s>" % (chr(65 + k), level(k + 1) * fan if k + 1 < height else "", chr(65 + k))
    return written("tree-%d-%d" % (height, fan), level(0))


def xslt_figures():
    """Figures 9.14 to 9.18: title, claim, plot, its title, what x is, (x, stylesheet, document) ..."""
    apply = '<xsl:template match="%s"><xsl:apply-templates select="%s"/></xsl:template>'
    letters, points = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", []
    for n in (10, 100, 250):
        doc = written("worst-%d" % n, "<start>%s</start>" % "".join(
            "<start%s>%s<end%s/>%s</start%s>" % (c, "<tmp>" * (n - 1), c, "</tmp>" * (n - 1), c) for c in letters))
        for dummies in (0, 100):
            rules = apply % ("/", "/descendant::startA/child::tmp") + apply % ("tmp",
                "child::tmp | child::*[not(self::tmp)]")
            rules += "".join(apply % ("end" + a, "/descendant::start%s/child::tmp" % b) for a,
                             b in zip(letters, letters[1:]))
            rules += "".join('<xsl:template match="dummy%d/none%d"/>' % (i, i) for i in range(dummies))
            points.append(("%d, %d" % (n, dummies), sheet("worst-%d" % dummies, rules), doc))
    yield ("Figure 9.14: the worst case", "one node at a time down 26 paths: far slower than Xalan, and worse with "
                                          "each template that matches nothing.",
           "bars", "Transformations a second", "elements a path and dummies", points)
    level = lambda k: sheet("level-%d" % k, apply % ("/", "/child::A") + "".join(
        apply % (chr(64 + i), "/descendant::*/child::" + chr(65 + i)) if i < k
        else '<xsl:template match="%s"/>' % chr(64 + i)
        for i in range(1, k + 1)))
    yield ("Figure 9.15: stylesheets of growing level", "from level 5 on the GPU is ahead: sets are large enough "
                                                        "by then.",
           "lines", "Transformations a second, binary tree of height 10", "level",
           [(k, level(k), tree(10, 2)) for k in range(1, 8)])
    yield ("Figure 9.16: more siblings", "the parallel machine loses little as siblings grow; from 10 on it is ahead.",
           "lines", "Transformations a second, level 3, height 5", "siblings",
           [(fan, level(3), tree(5, fan)) for fan in (2, 5, 10, 15, 20)])
    for figure, name in (("9.17", "filter"), ("9.18", "report")):
        path = "%s/bench/xsl/%s.xsl" % (ROOT, name)
        yield ("Figure %s: XMark, %s.xsl" % (figure, name),
               "more transformations than the CPU processors at every size." + (
                   "" if name == "filter" else " bench/xsl/report.xsl, a report of the same document, stands for his "
                                               "transform.xsl."),
               "bars", "Transformations a second", "document",
               [("%.0f MB" % (f * 115), path, auction(f)) for f in (0.1, 0.2, 0.4)])


def xslt():
    page = Page("xslt", "Iterative XSLT (Peters 2011, chapter 9)",
                "Templates are instantiated a level at a time for all nodes: the machine's usual way "
                "(engine/machine/run.h). Figures 9.14 to 9.18 with documents and stylesheets as the "
                "chapter describes them: transformations a second without parsing. GPU rows: trees on an H100 are in "
                "[docs/bench](../bench/teams-2026-11-24-h100.md), XMark in "
                "[docs/bench](../bench/gpu-2026-11-24.md).")
    for title, claim, kind, about, x, points in xslt_figures():
        rows = []
        for label, rules, doc in points:
            figures = transform(rules, doc), transform(rules, doc, "--team", TWO), libxml(doc, sheet=rules,
                limit_s=10), saxon(doc, rules)
            rows.append((label, *(1000 / ms if ms else None for ms in figures)))
        page.section(title, claim, (kind, about, x, ("solo", "2 threads", "libxslt", "Saxon-HE"), "a second"),
                     (x, "solo", "2 threads", "libxslt", "Saxon-HE"), rows)
    page.write()


# ---- holistic twig filtering ----

def filtering():
    batch = max(int(500 * args.documents), 10)
    page = Page("filtering", "Holistic twig filtering (Absalyamov, Moussalli, Tsotras, Najjar 2013)",
                "Which of many twigs does a document match: gpuxml-match (engine/match/) beside one shared automaton "
                "of all paths that is made deterministic where documents need it (bench/automaton.c, after YFilter; "
                "it does not look at whether paths meet in the same element), and beside libxml2 and Saxon-HE, which "
                "evaluate one query after the other (four documents at most; `-`: longer than %g seconds). Times are "
                "CPU times of one core without parsing. Documents and queries are of one random schema, not DBLP's, "
                "with the paper's steps, splits and wildcards and without values. Scale says nothing here: batches are "
                "of %d and %d documents." % (args.wait, batch, 2 * batch))
    b = profiles.Bench(args.work, batch, args.wait)
    for figure in profiles.FIGURES.values():
        title, claim, plot, header, rows = figure(b)
        page.section(title, claim, plot and ("lines", title, header[0], plot[1], plot[0]), header,
                     rows)
    page.write()


CHAPTERS = {f.__name__: f for f in (automaton, twigs, joins, axes, xslt, filtering)}


def main():
    global args
    parser = argparse.ArgumentParser()
    parser.add_argument("chapters", nargs="*", default=list(CHAPTERS))
    parser.add_argument("--scale", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--documents", type=float, default=1, help="filtering: times the paper's batches")
    parser.add_argument("--wait", type=float, default=30, help="filtering: seconds for libxml2 and Saxon")
    parser.add_argument("--work", default=tempfile.gettempdir() + "/gpuxml-papers")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    for name in args.chapters:
        if name not in CHAPTERS:
            sys.exit("no such chapter: %s; there are %s" % (name, " ".join(CHAPTERS)))
        CHAPTERS[name]()


if __name__ == "__main__":
    main()
