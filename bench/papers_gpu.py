#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats the figures of the papers on a GPU: queries, documents and stylesheets are those of bench/papers.py.

    bench/papers_gpu.py [automaton|twigs|joins|axes|xslt|sort|dispatcher|pinned ...] [--scale S] [--repeat N] [--seconds
    LIMIT]
                        [--build DIR] [--libraries DIR] [--output DIR]

Needs no network: gx-gpu-check, gx-sort-bench, gx-queue-bench and gpuxml-worker of --build, and Python. Documents are
made first, by all cores. gx-gpu-check evaluates every line on one thread and on the grid team and compares the bytes.
Writes gpu.md (for docs/papers/; bench/plot.py draws its charts) and what the programs printed: evaluations.log,
sort.log, dispatcher.log, pinned.log. What is not finished after LIMIT seconds is left out, and said. Chapter pinned is
t/cases with each strategy on block, grid and lane teams, beside one thread's bytes. bench/carry.sh --papers makes the
archive that a bare machine needs.
"""
import argparse, datetime, os, re, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import papers
from papers import number

STRATEGIES = ("steps", "bits", "twig", "levels")
options = begun = environment = None


def left():
    return options.seconds - (time.monotonic() - begun)


def program(name, *arguments, log):
    """What it printed; it is stopped when the time is over"""
    path = os.path.join(options.output, log)
    with open(path, "a") as f:
        at = f.tell()
        try:
            code = subprocess.run([os.path.join(options.build, name), *map(str, arguments)], stdout=f,
                                  stderr=subprocess.STDOUT, env=environment,
                                  timeout=max(1, left())).returncode
        except subprocess.TimeoutExpired:
            code = "stopped after %d s" % options.seconds
            f.write("\n" + code + "\n")
    with open(path) as f:
        f.seek(at)
        return code, f.read()


# ---- evaluations: sections are written down first, then measured in one process ----

class Section:
    """rows: (label, {column: (kind, strategy, expression or stylesheet, document)})"""
    def __init__(self, chapter, title, claim, plot, x, columns, rows):
        self.chapter, self.title, self.claim, self.plot, self.x, self.columns, self.rows = (chapter, title, claim,
            plot, x, columns, rows)


def sections(chapters):
    if "automaton" in chapters:
        docs = papers.published(("dblp", "psd7003", "treebank", "nasa"))
        yield Section("automaton", "Guimaraes 2013, table II: 20 queries",
                      "the GPU is up to 138 times as fast as eXist and 1 to 22 times as fast as the "
                      "serial automaton; `paper` is its CUDA column, of larger documents on a GTX 470.", "bars",
                          "query", ("steps", "levels"),
                      [("%s `%s`" % (d, q), {s: ("xpath", s, q, docs[d]) for s in ("steps", "levels")}) for d, q,
                       *_ in papers.GUIMARAES])
        yield Section("automaton", "Guimaraes 2013, figure 3: shapes, //a/b",
                      "a flat document is the best case, a chain the worst, since each level is a "
                      "launch of its own.", "bars", "elements and shape", ("steps", "levels"),
                      [("%d %s" % (n, name), {s: ("xpath", s, "//a/b", path) for s in ("steps", "levels")})
                       for n, wide, deep in papers.shapes() for name, path in (("wide", wide), ("deep", deep))])
    if "twigs" in chapters:
        docs = papers.published(("psd7003", "treebank"))
        for title, claim, name, queries in papers.TWIGS:
            yield Section("twigs", "Shnaiderman 2011: " + title[0].lower() + title[1:], claim, "bars",
                          "query", STRATEGIES,
                          [("`%s`" % q, {s: ("xpath", s, q, docs[name]) for s in STRATEGIES}) for q in queries])
    if "joins" in chapters:
        docs = dict(papers.published(("dblp", "treebank")), auction=papers.auction(1.0 * options.scale))
        yield Section("joins", "Jordan 2010: joins of label streams, partitioned",
                      "partitions that keep root-to-leaf paths let each part be joined alone; a CPU "
                      "thread is as good as a warp.", "bars", "query", ("steps", "twig"),
                      [("%s `%s`" % (d, q), {s: ("xpath", s, q, docs[d]) for s in ("steps", "twig")}) for d,
                       q in papers.JOINS])
    if "axes" in chapters:
        for title, claim, x, points in papers.axis_series():
            # nodes within each other: their text would be gigabytes
            counted = "count(%s)" if "ancestor" in points[0][2] else "%s"
            yield Section("axes", "Peters 2011, f" + title[1:], claim, "lines", x, ("steps",),
                          [(at, {"steps": ("xpath", "auto", counted % e, doc)}) for at, doc, e in points])
        small = papers.auction(0.1)
        yield Section("axes", "Peters 2011, figure 8.11: 14 expressions, XMark of 12 MB",
                      "faster than Xalan for all 14, often 10 to 100 times.", "bars",
                      "expression", ("steps",),
                      [("`%s`" % e, {"steps": ("xpath", "auto", "count(%s)" % e, small)}) for e in papers.XMARK])
        large = papers.auction(0.4)
        yield Section("axes", "Peters 2011, figure 8.12: the same, XMark of 46 MB",
                      "linear for all expressions.", "bars",
                      "expression", ("steps",),
                      [("`%s`" % e, {"steps": ("xpath", "auto", "count(%s)" % e, large)}) for e in papers.XMARK])
    if "xslt" in chapters:
        for title, claim, plot, about, x, points in papers.xslt_figures():
            yield Section("xslt", "Peters 2011, f" + title[1:], claim, plot, x, ("evaluation",),
                          [(at, {"evaluation": ("grid", "auto", sheet, doc)}) for at, sheet, doc in points])


def measured(all_sections):
    """Of each (kind, strategy, what, document): nodes, milliseconds of one thread, of the grid's kernel, with the
    result copied; or what went wrong"""
    lines = list(dict.fromkeys(case for s in all_sections for _, cases in s.rows for case in cases.values()))
    path = os.path.join(papers.args.work, "list")
    with open(path, "w") as f:
        f.writelines("\t".join(case) + "\n" for case in lines)
    code, text = program("gx-gpu-check", "list", path, options.repeat, log="evaluations.log")
    found, wrong = {}, []
    for line in text.splitlines():
        m = re.match(r"(.*?)\s+(\d+) nodes\s+solo\s+([\d.]+) us\s+grid kernel\s+([\d.]+) us\s+with result "
                     r"copied\s+([\d.]+) us", line)
        if m:
            found[tuple(m.group(1).rstrip().split("\t"))] = (int(m.group(2)),
                                                             *(float(m.group(k)) / 1000 for k in (3, 4, 5)))
        elif line.startswith("not ok"):
            wrong.append(line)
    card = re.search(r"^# (.*)", text, re.M)
    if not card:
        sys.exit("papers_gpu.py: no GPU: " + text[:400])
    return card.group(1), found, wrong, len(lines), code


def table(page, s, found):
    """One plot and one table: for each column one thread and the grid, each milliseconds"""
    page.n += 1
    header, plotted = [s.x, "document's nodes"], []
    for column in s.columns:
        mine = "" if len(s.columns) == 1 else column + ", "
        header += [mine + "one thread", mine + "grid", mine + "grid with copy"]
        plotted += [mine + "one thread", mine + "grid"]
    if s.chapter == "automaton" and len(s.rows) == len(papers.GUIMARAES):
        header.insert(2, "paper")
    rows = []
    for k, (label, cases) in enumerate(s.rows):
        row, nodes = [], None
        for column in s.columns:
            figures = found.get(cases[column])
            nodes = figures[0] if figures else nodes
            row += figures[1:] if figures else (None, None, None)
        row = [label, nodes, *row]
        if "paper" in header:
            row.insert(2, float(papers.GUIMARAES[k][2]))
        rows.append(row)
    svg = "gpu-%d.svg" % page.n
    page.text += ["## " + s.title, "", "**The paper:** " + s.claim, "", "![milliseconds](%s)" % svg, "",
                  "<!-- plot: %s %s; title=%s: milliseconds; x=%s; y=%s; unit=ms; log -->" % (s.plot, svg,
                      s.title.replace(";", ","), s.x, ", ".join(
                      p.replace(",", "") for p in plotted)),
                  "| %s |" % " | ".join(h.replace(",", "") for h in header), "|%s" % ("--:|" * len(header)),
                  *("| %s |" % " | ".join(number(c) for c in row) for row in rows), "", "<!-- said -->",
                  "<!-- end -->", ""]


# ---- Peters' sort and dispatcher ----

def sort(page):
    code, text = program("gx-sort-bench", "steps", log="sort.log")
    took = {}
    for line in text.splitlines():
        word = line.split()
        if word and word[0] == "grid":
            took.setdefault(int(word[2]), {})[word[3]] = float(word[4])
    if "DIFFERS" in text or not took:
        page.text += ["Sorting failed: %s" % text[-300:], ""]
        return
    page.n += 1
    svg = "gpu-%d.svg" % page.n
    page.text += ["## Peters 2011, figure 5.11: several steps a pass, or one", "",
                  "**The paper:** the optimised bitonic sort is four to five times as fast as one with a "
                  "launch for each step, for 32-bit keys.", "", "![million keys a second](%s)" % svg, "",
                  "<!-- plot: lines %s; title=Bitonic sort, 32-bit keys; x=keys; y=several steps a pass, a launch a "
                  "step; unit=million keys/s; log -->" % svg,
                  "| keys | several steps a pass | a launch a step | times |", "|--:|--:|--:|--:|"]
    for n, us in sorted(took.items()):
        if "plain" in us and "bitonic" in us:
            page.text.append("| {:,} | {:,.0f} | {:,.0f} | {:.1f} |".format(n, n / us["bitonic"], n / us["plain"],
                us["plain"] / us["bitonic"]))
    page.text += ["", "<!-- said -->", "<!-- end -->", ""]


SORTS = ('<xsl:output method="text"/><xsl:template match="/"><xsl:for-each select="//item"><xsl:sort '
         'select="title"/><xsl:sort select="pubDate"/>'
         '<xsl:value-of select="position()"/></xsl:for-each></xsl:template>')
SUMS = ('<xsl:output method="text"/><xsl:template match="/"><xsl:for-each select="//item"><xsl:value-of '
        'select="sum(//item/@n) + count(//item[string-length(title) &gt; '
        'string-length(current()/title)])"/></xsl:for-each></xsl:template>')


def asked(sheets, document, clients, depth, requests, *more):
    """Requests a second through shared memory and the worker; None if it failed"""
    worker = os.path.join(papers.args.work, "worker")
    with open(worker, "w") as f:
        f.write("#!/bin/sh\nexport LD_LIBRARY_PATH='%s'\nexec '%s' \"$@\"\n" % (environment.get("LD_LIBRARY_PATH", ""),
            os.path.join(options.build, "gpuxml-worker")))
    os.chmod(worker, 0o755)
    n = min(8, clients)
    _, text = program("gx-queue-bench", "--worker", worker, "--device", "auto", "--processes", n, "--clients",
                      max(1, clients // n), "--depth", depth,
                      "--slots", max(64, clients * depth), "--memory", 512, "--requests", max(20, requests // clients),
                      *more, *sheets, document,
                      log="dispatcher.log")
    m = re.search(r"requests, (\d+) a second; worker (\d+), local (\d+), wrong (\d+), failed (\d+)", text)
    return int(m.group(1)) if m and m.group(4) == m.group(5) == "0" else None


def dispatcher(page):
    document = papers.made("feed-50k", ["bench/gen_feed.py", "-b", "50000"])
    one, two = papers.sheet("sorts", SORTS), papers.sheet("sums", SUMS)
    page.n += 1
    svg = "gpu-%d.svg" % page.n
    page.text += ["## Peters 2011, figures 6.3 and 6.4: utilisation", "",
        "**The paper:** the more processes ask at the same time, up to the card's blocks, the more is done a second. "
                  "His tasks were sorts of 2^20 integers and products of matrices; ours are two stylesheets on a feed "
                  "of 50 KB: one sorts its items, one counts and adds for each item.",
                  "", "![requests a second](%s)" % svg, "",
                  "<!-- plot: lines %s; title=Requests a second; x=in flight; y=sorts, sums; unit=a second; log -->"
                  % svg, "| in flight | sorts | sums |", "|--:|--:|--:|"]
    full = {}
    for clients, depth in ((1, 1), (8, 1), (32, 1), (32, 4), (32, 16), (32, 64)):
        if left() < 8:
            break
        n = min(40000, 1000 * clients * min(depth, 8))
        full = {name: asked([sheet], document, clients, depth, n) for name, sheet in (("sorts", one), ("sums", two))}
        page.text.append("| %d | %s | %s |" % (clients * depth, number(full["sorts"]), number(full["sums"])))
    page.n += 1
    svg = "gpu-%d.svg" % page.n
    page.text += ["", "<!-- said -->", "<!-- end -->", "", "## Peters 2011, figures 6.5 and 6.6: mixed tasks", "",
        "**The paper:** nothing is lost when different tasks run at the same time; all together even do more. "
                  "100 % is what a task reaches alone.", "", "![percent of each task's best](%s)" % svg, "",
                  "<!-- plot: lines %s; title=Mixed tasks: percent of each one's best; x=sorts of 10; y=sorts, sums, "
                  "together; unit=percent -->" % svg,
                  "| sorts of 10 | requests a second | sorts | sums | together |", "|--:|--:|--:|--:|--:|"]
    for share in (1, 3, 5, 7, 9):
        if left() < 8 or not full.get("sorts") or not full.get("sums"):
            break
        mix = [one if (k * share) % 10 < share else two for k in range(10)]
        rate = asked(mix, document, 32, 64, 40000)
        if rate:
            parts = [rate * count / 10 / full[name] * 100 for name,
                     count in (("sorts", mix.count(one)), ("sums", mix.count(two)))]
            page.text.append("| %d | %d | %.0f | %.0f | %.0f |" % (mix.count(one), rate, *parts, sum(parts)))
    page.text += ["", "<!-- said -->", "<!-- end -->", ""]


def pinned(page):
    """t/cases with each strategy pinned: every team's bytes beside one thread's. Results that differ"""
    path = os.path.join(papers.args.work, "cases")
    with open(path, "w") as f:
        subprocess.run([os.path.join(papers.ROOT, "tools/gpu-cases")], stdout=f, check=True)
    page.text += ["## The same bytes, whatever is pinned", "",
                  "Each case of t/cases on block, grid and lane teams, beside one thread.", "",
                  "| pinned | cases | as one thread | differ | by the CPU | damaged documents | judged otherwise |",
                  "|---|--:|--:|--:|--:|--:|--:|"]
    differ = 0
    for strategy in STRATEGIES:
        if left() < 8:
            break
        _, text = program("gx-gpu-check", "cases", path, strategy, log="pinned.log")
        m = re.search(r"(\d+) cases on .*: (\d+) results as solo's, (\d+) differ, (\d+) arena full and (\d+) passed on "
                      r".* (\d+) damaged documents, (\d+) judged", text)
        if not m:
            differ += 1
            page.text.append("| %s | %s | | | | | |" % (strategy,
                (text.strip().splitlines() or ["nothing was printed"])[-1].replace("|", "/")))
            continue
        n = [int(x) for x in m.groups()]
        differ += n[2] + n[6]
        page.text.append("| %s | %d | %d | %d | %d | %d | %d |" % (strategy, n[0], n[1], n[2], n[3] + n[4], n[5], n[6]))
    page.text.append("")
    return differ


CHAPTERS = ("automaton", "twigs", "joins", "axes", "xslt", "sort", "dispatcher", "pinned")


class Report:
    def __init__(self):
        self.text, self.n = [], 0


def prepare(chapters):
    """The documents, by all cores"""
    wanted = []
    if {"automaton", "twigs", "joins"} & set(chapters):
        wanted += [lambda n=n: papers.published((n,)) for n in ("psd7003", "dblp", "treebank", "nasa")]
    if "joins" in chapters:
        wanted.append(lambda: papers.auction(1.0 * options.scale))
    if {"axes", "xslt"} & set(chapters):
        wanted += [lambda f=f: papers.auction(f) for f in (0.4, 0.2, 0.1)]
    factors = {options.scale} if "joins" in chapters else set()
    with ThreadPoolExecutor() as pool:
        seen = set()
        for make in wanted:
            key = make.__defaults__
            if key in seen or (key and key[0] in factors):
                continue
            seen.add(key)
            pool.submit(make)


def main():
    global options, begun, environment
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", default=list(CHAPTERS))
    parser.add_argument("--scale", type=float, default=0.2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=220)
    parser.add_argument("--build", default=papers.ROOT + "/build")
    parser.add_argument("--libraries")
    parser.add_argument("--work", default=tempfile.gettempdir() + "/gpuxml-papers")
    parser.add_argument("--output", default=papers.ROOT + "/docs/papers")
    options = parser.parse_args()
    begun = time.monotonic()
    papers.args = argparse.Namespace(scale=options.scale, work=options.work, rounds=1)
    environment = dict(os.environ)
    if options.libraries:
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None,
            (os.path.abspath(options.libraries), os.environ.get("LD_LIBRARY_PATH"))))
    for folder in (options.work, options.output):
        os.makedirs(folder, exist_ok=True)
    for name in options.chapters:
        if name not in CHAPTERS:
            sys.exit("no such chapter: %s; there are %s" % (name, " ".join(CHAPTERS)))
    page = Report()
    prepare(options.chapters)
    print("documents: %.0f s" % (time.monotonic() - begun), file=sys.stderr, flush=True)
    if "sort" in options.chapters:
        sort(page)
    if "dispatcher" in options.chapters:
        dispatcher(page)
    differ = pinned(page) if "pinned" in options.chapters else 0
    last, page.text = page.text, []
    planned = list(sections(options.chapters))
    card, found, wrong, asked_for, code = measured(planned) if planned else ("a GPU", {}, [], 0, 0)
    for s in planned:
        table(page, s, found)
    page.text = ["# The papers' figures on a GPU", "",
                 "`bench/papers_gpu.py`, %s, %s, beside one thread of its host (%s). Documents and queries are those "
                 "of the other pages of this folder, %g times the papers' "
                 "sizes. Milliseconds are medians of %d evaluations of a resident document; every result of the grid "
                 "team is one thread's, byte for byte." %
                 (datetime.date.today(), card, papers.cpu(), options.scale, options.repeat), "",
                 *(["%d of %d evaluations were measured before the time was over." % (len(found), asked_for), ""]
                   if len(found) + len(wrong) < asked_for else []),
                 *(x for line in wrong for x in ("Not measured: `%s`." % line.replace("\t", " ").replace("`", "'"),
                                                 ""))] + page.text + last
    with open(os.path.join(options.output, "gpu.md"), "w") as f:
        f.write("\n".join(page.text))
    print("%d of %d evaluations, %d wrong, exit %s; %.0f s" % (len(found), asked_for, len(wrong), code,
                                                               time.monotonic() - begun))
    sys.exit(1 if wrong or differ else 0)


if __name__ == "__main__":
    main()
