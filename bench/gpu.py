#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GPU's teams, timed by gx-gpu-check and gx-queue-bench: tables and charts.

    bench/gpu.py [--seconds 0.5] [--only batch|grid|trees|axes|queue] [--scale 1] [--root DIR] [--output docs/bench]

batch   small requests: how many a second by block and lane teams, over how many are in flight; 5 KB and 50 KB feeds,
and 200 different
        stylesheets mixed
grid    stylesheets and queries on one large resident document (bench/gen_auction.py, --scale 1: 100 MB), grid team
beside one thread and
        libxslt (bench/libxslt.c; at most --patience seconds each, several at once)
trees   templates that look through the whole tree again at every level, and the worst case, one node a level: the same
three axes    what each step and filter moves, beside the card's copy rate, on 5 million nodes
queue   through shared memory and the worker: GPU, CPU threads, and for lone requests the GPU's worker where its own
core may do it; every answer is compared with the local evaluation's bytes

--root: unpacked Debian packages (bench/carry.sh) whose libraries the programs use.
Writes teams-DATE.md, charts beside it (bench/plot.py) and the raw output as teams-DATE.log. Exits 1 where an answer
differs.
"""
import argparse, collections, datetime, json, os, random, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
import plot
from run import machine, make, size, ROOT, SHARED, WORK

BUILD = os.path.join(ROOT, os.environ.get("B", "build"))           # B=build/fast: what make B=build/fast has built
LIB = "usr/lib/x86_64-linux-gnu"
QUERIES = ("/descendant::item", "/descendant-or-self::bidder", "//self::bidder", "//bidder",
           "//bidder/personref/@person", "//bidder/descendant::text()",
           "//annotation/descendant-or-self::keyword", "//item/parent::europe", "//emph/ancestor::description",
           "//item/ancestor-or-self::*",
           "//bidder/following::*", "//bidder/following-sibling::bidder", "//quantity/preceding::item",
           "//quantity/preceding-sibling::location")
SHEETS = ("filter", "table", "report", "identity")


class Runner:
    def __init__(self, log, root):
        self.log, self.failed, self.device = open(log, "w"), [], None
        more = [os.environ["LD_LIBRARY_PATH"]] if os.environ.get("LD_LIBRARY_PATH") else []
        self.environment = dict(os.environ,
            LD_LIBRARY_PATH=":".join([os.path.join(os.path.abspath(root), LIB)] + more)) if root else None

    def __call__(self, *command):
        """The output's lines; none if it failed."""
        print("$ " + " ".join(map(str, command)), file=self.log, flush=True)
        print(" ".join(os.path.basename(str(c)) for c in command), file=sys.stderr, flush=True)
        p = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT,
                           env=self.environment)
        text = p.stdout.decode("utf-8", "replace")
        self.log.write(text)
        self.log.flush()
        lines = text.splitlines()
        if p.returncode or not lines or any(l.startswith("not ok") for l in lines):
            self.failed.append("%s: %s" % (" ".join(os.path.basename(str(c)) for c in command), " / ".join(lines[-2:])))
            return []
        if lines[0].startswith("# "):
            self.device = self.device or lines[0][2:]
        return lines

    def worker(self):
        """The worker, which starts with a clean environment: a script sets the libraries' path first."""
        program = os.path.join(BUILD, "gpuxml-worker")
        if not self.environment:
            return program
        path = os.path.join(WORK, "gpuxml-worker")
        with open(path, "w") as f:
            f.write("#!/bin/sh\nexport LD_LIBRARY_PATH='%s'\nexec '%s' \"$@\"\n" % (self.environment["LD_LIBRARY_PATH"],
                program))
        os.chmod(path, 0o755)
        return path

    def check(self, *arguments):
        return self(os.path.join(BUILD, "gx-gpu-check"), *arguments)


# ---- small requests ----


def variants(n):
    """n different stylesheets that do about the work of feed.xsl: an item's parts in another order, other sort keys,
    other names."""
    lines = open(os.path.join(ROOT, "bench", "xsl", "feed.xsl")).read().split("\n")
    first = next(i for i, l in enumerate(lines) if l.startswith("    <h2>"))
    sorts = next(i for i, l in enumerate(lines) if "<xsl:sort" in l)
    folder, paths = os.path.join(WORK, "variants"), []
    os.makedirs(folder, exist_ok=True)
    for k in range(n):
        r, mine = random.Random(k), list(lines)
        mine[first:first + 4] = r.sample(lines[first:first + 4], 4)
        mine[sorts:sorts + 3] = r.sample(lines[sorts:sorts + 3], 3)
        text = "\n".join(mine).replace("article", "entry%d" % k).replace('"s{position()}"',
            '"s%d-{position()}"' % k).replace("stories", "stories of edition %d" % k)
        paths.append(os.path.join(folder, "v%03d.xsl" % k))
        with open(paths[-1], "w") as f:
            f.write(text)
    return paths


def mixes():
    """(name, file with lines "stylesheet TAB document")"""
    gen, feed = os.path.join(ROOT, "bench", "gen_feed.py"), os.path.join(ROOT, "bench", "xsl", "feed.xsl")
    small, large = (make("feed%dk.xml" % k, gen, "-b", str(k * 1000)) for k in (5, 50))
    for name, lines in (("feed 5 KB", [(feed, small)]), ("feed 50 KB", [(feed, large)]),
                        ("200 stylesheets, 5 KB", [(v, small) for v in variants(200)])):
        path = os.path.join(WORK, "mix-" + re.sub(r"\W+", "-", name))
        with open(path, "w") as f:
            f.writelines("%s\t%s\n" % l for l in lines)
        yield name, path


def batch(run, a, stem):
    text = ["## Small requests in batches", "",
            "Requests a second, the best of the thread counts tried; in flight: host threads x requests of a batch. "
            "lanes: requests that share a warp.", ""]
    for name, path in mixes():
        lines = run.check("batch", path, a.seconds)
        alone = [re.search(r"alone, ([\w ]+): p50 ([\d.]+) us, p99 ([\d.]+) us", l) for l in lines]
        rates, failed = collections.defaultdict(dict), 0
        for l in lines:
            m = re.search(r"(\d+) threads x batches of\s+(\d+),\s+(\d+) lanes a warp(?: \((.*?)\))?:\s+(\d+) "
                          r"requests/s, (\d+) not", l)
            if m:
                threads, n, lanes, rate, bad = (int(x) for k, x in enumerate(m.groups()) if k != 3)
                lanes = -1 if m.group(4) == "blocks that stay" else lanes
                cell = rates[threads * n]
                cell[lanes] = max(rate, cell.get(lanes, 0))
                failed += bad
        if not rates:
            continue
        widths = sorted({w for cells in rates.values() for w in cells if w > 0})
        svg = "%s-batch-%s.svg" % (stem, re.sub(r"\W+", "-", name))
        differ = [re.search(r"(\d+) lanes.*?: (\d+) differ", l).groups() for l in lines if "differ from solo" in l]
        text += ["### " + name, "", "![%s](%s)" % (name, svg), "",
                 "<!-- plot: lines %s; title=Requests a second, %s; unit=requests/s; x=in flight; y=block, blocks that "
                 "stay, lane -->" % (svg, name),
                 "| in flight | block | blocks that stay | lane | %s |" % " | ".join("%d lanes" % w for w in widths),
                 "|--:|--:|--:|--:|%s" % ("--:|" * len(widths))]
        for n, cells in sorted(rates.items()):
            best = max((v for w, v in cells.items() if w > 0), default="")
            text.append("| %d | %s | %s | %s | %s |" % (n, cells.get(0, ""), cells.get(-1, ""), best,
                                                        " | ".join(str(cells.get(w, "")) for w in widths)))
        text += ["", "; ".join("alone, %s: p50 %s us, p99 %s us" % m.groups() for m in alone
                               if m) + ". %d were not ended on the GPU. " % failed
                 + ("Of 512 answers each, none differs from the solo team's." if all(d == "0" for _, d in differ)
                    else "Answers differ: %s." % differ), ""]
    return text


# ---- one large document ----


def peer(run, a, cases):
    """What libxslt's transformation takes of (stylesheet, document): {case: (microseconds, has it come to an end)};
    nothing without the peer"""
    program = os.path.join(BUILD, "bench", "libxslt")
    if not os.path.exists(program):
        return {}

    def one(case):
        try:
            p = subprocess.run([program, *case, "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=run.environment, timeout=a.patience)
            return case, (json.loads(p.stdout)["evaluate_us"], True) if p.returncode == 0 else None
        except subprocess.TimeoutExpired:
            return case, (a.patience * 1e6, False)

    print("libxslt: %d cases, at most %g s each" % (len(cases), a.patience), file=sys.stderr, flush=True)
    with ThreadPoolExecutor(min(8, max(1, (os.cpu_count() or 1) // 2))) as pool:
        return {case: us for case, us in pool.map(one, cases) if us}


def beside(run, a, cases):
    """Table rows and the number of nodes of (name, what, stylesheet or query, stylesheet for libxslt, document)."""
    theirs, rows, nodes = peer(run, a, [(sheet, document) for _, _, _, sheet, document in cases]), [], "?"
    for name, what, mine, sheet, document in cases:
        lines = run.check(what, mine, document, 9)
        m = re.search(r"(\d+) nodes\s+solo\s+([\d.]+) us\s+grid kernel\s+([\d.]+) us\s+with result copied\s+([\d.]+) "
                      r"us\s+\(([\d.]+)x\)\s+(\d+) bytes", "\n".join(lines))
        if not m:
            continue
        nodes, solo, kernel, copied, _, out = m.groups()
        us, ended = theirs.get((sheet, document), (None, True))
        ratio = lambda mine: "" if us is None else "%s%.3g" % ("" if ended else "> ", us / float(mine))
        rows.append("| %s | %s | %s | %s | %s | %s | %s | %s |" % (name,
            "" if us is None else ("%.0f" if ended else "> %.0f") % us, solo, kernel, copied,
                    ratio(solo), ratio(copied), out))
    return rows, nodes


HEAD = ["| %s | libxslt us | solo us | grid kernel us | with copy us | libxslt / solo | libxslt / grid with copy | "
        "bytes out |", "|---|--:|--:|--:|--:|--:|--:|--:|"]


def grid(run, a, stem):
    """Our stylesheets and the queries on our document; where ../shared/perf is, its stylesheets and the queries on its
    document."""
    xsl = os.path.join(ROOT, "bench", "xsl")
    document = make("auction-%g.xml" % a.scale, os.path.join(ROOT, "bench", "gen_auction.py"), "-f", str(a.scale))
    sets, text = [["auction", document, [os.path.join(xsl, s + ".xsl") for s in SHEETS], QUERIES]], []
    perf = os.path.join(SHARED, "perf")
    if os.path.isdir(perf):
        sets[0][3] = ()
        sets.append(["XMark", make("xmark_%g.xml" % a.scale, os.path.join(perf, "gen_xmark.py"), "-f", str(a.scale)),
                     [os.path.join(perf, "xsl", s + ".xsl") for s in ("filter", "transform", "identity")], QUERIES])
    for name, document, sheets, queries in sets:
        cases = [(os.path.basename(s), "grid", s, s, document) for s in sheets]
        for k, q in enumerate(queries):
            cases.append(("`%s`" % q, "xpath", q, sheet("query%d" % k, '<xsl:template match="/"><xsl:value-of '
                'select="count(%s)"/></xsl:template>' % q), document))
        rows, nodes = beside(run, a, cases)
        if rows:
            svg = "%s-grid-%s.svg" % (stem, name)
            text += ["### %s, %s, %s nodes" % (name, size(os.path.getsize(document)), nodes), "",
                     "![grid, solo and libxslt](%s)" % svg, "",
                     "<!-- plot: bars %s; title=One evaluation, %s nodes resident; unit=us; x=stylesheet or query; "
                     "y=libxslt us, solo us, grid kernel us; log -->" % (svg, nodes),
                     HEAD[0] % "stylesheet or query", HEAD[1], *rows, ""]
    return text and ["## One large resident document, grid team", "",
        "Medians of 9; with copy: until the result is in host memory. libxslt: its transformation alone (queries: "
        "count() of "
                     "them), once, on the same machine, %g s at most." % a.patience, "", *text]


def sheet(name, text):
    path = os.path.join(WORK, name + ".xsl")
    with open(path, "w") as f:
        f.write('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output '
                'method="text"/>%s</xsl:stylesheet>\n' % text)
    return path


def trees(run, a, stem):
    """Each level's template looks for the next level's elements in the whole document: quadratic for who does it node
    by node."""
    tree, large, path = (make(name, os.path.join(ROOT, "bench", "gen_tree.py"), "-b", str(b), "-l", str(l))
                         for name, b, l in (("tree.xml", 2, 16), ("tree-20.xml", 2, 20), ("path.xml", 1, 2000)))
    cases = []
    for document, elements in (tree, "65,535"), (large, "1,048,575"):
        for k in range(3, 7):
            rule = '<xsl:template match="%s"><xsl:apply-templates select="/descendant::*/child::%s"/></xsl:template>'
            text = "".join(rule % (chr(65 + i), chr(66 + i))
                           for i in range(k - 1)) + '<xsl:template match="%s"/>' % chr(64 + k)
            s = sheet("level%d" % k, text)
            cases.append(("level %d, tree of %s elements" % (k, elements), "grid", s, s, document))
    s = sheet("descend", '<xsl:template match="*">(<xsl:apply-templates/>)</xsl:template>')
    cases.append(("one node a level, path of 2,000 elements", "grid", s, s, path))
    rows, _ = beside(run, a, cases)
    return rows and ["## Trees", "", "Level k: k templates, of which each applies templates to all elements of the "
                                     "next level, wherever they are. A path is the worst case of a "
                     "machine that takes a level at a time: the cost model sends it to the CPU.", "",
                         HEAD[0] % "stylesheet, document", HEAD[1], *rows, ""]


def axes(run, a, stem):
    document = make("auction-axes.xml", os.path.join(ROOT, "bench", "gen_auction.py"), "-f", "%g" % (1.76 * a.scale))
    lines = run.check("axes", document, 15)
    table = [l for l in lines if l.startswith("|")]
    if not table:
        return []
    svg = stem + "-axes.svg"
    return ["## Axes and filters of the grid team", "",
            "auction-axes.xml:" + next(l for l in lines if "a copy of" in l).split(":", 1)[1] + ". "
            "Step: what count(path/step) takes more than count(path). Again: what it takes more when the kernel has "
            "done both once before, so that the "
            "instructions are where they are needed. MB: the least that must be read and written, each entry once.", "",
            "![percent of the copy rate](%s)" % svg, "",
            "<!-- plot: bars %s; title=Bytes that must move, beside the card's copy rate; unit=percent; x=step or "
            "filter; y=%% of copy -->" % svg, *table, ""]


# ---- through the queue ----


def queue(run, a, stem):
    rows, processes = [], min(8, os.cpu_count() or 1)
    gen, feed = os.path.join(ROOT, "bench", "gen_feed.py"), os.path.join(ROOT, "bench", "xsl", "feed.xsl")
    small, large = (make("feed%dk.xml" % k, gen, "-b", str(k * 1000)) for k in (5, 50))
    value, tiny = sheet("value",
        '<xsl:template match="/"><xsl:value-of select="/a/b"/></xsl:template>'), os.path.join(WORK, "tiny.xml")
    with open(tiny, "w") as f:
        f.write("<a><b>one</b><b>two</b></a>\n")
    # processes x threads of each x requests that a thread has in flight: one alone; as httpd's threads ask; 2,048 of a
    # few threads
    lone, loads = [(1, 1, 1)], [(processes, 4, 1), (processes, 64, 1)]
    for name, sheets, document, forms in (("one value of 30 bytes", [value], tiny, lone),
                                          ("5 KB", [feed], small, lone + loads + [(processes, 4, 64)]),
                                          ("5 KB, 200 stylesheets", variants(200), small, [(processes, 4, 64)]),
                                          ("50 KB", [feed], large, lone + loads + [(processes, 2, 128)])):
        for device, more in ("auto", []), ("cpu", []), ("auto", ["--any-core"]):
            for n, clients, depth in [f for f in forms if f in lone or not more]:
                total = 3000 if n * clients == 1 else int((1200000 if document == small else 300000) * a.seconds * (.1
                    if n * clients * depth < 64 else .5 if depth == 1 else 1))
                lines = run(os.path.join(BUILD, "gx-queue-bench"), "--worker", run.worker(), "--device", device,
                            "--processes", n, "--clients", clients, "--depth", depth,
                            "--slots", max(64, n * clients * depth), "--memory", 1024, "--requests",
                            max(200, total // (n * clients)), *more, *sheets, document)
                text = "\n".join(lines)
                m = re.search(r"requests, (\d+) a second; worker (\d+), local (\d+), wrong (\d+), failed (\d+)", text)
                t = re.search(r"round trip: p50 ([\d.]+) us, p99 ([\d.]+) us", text)
                e = re.search(r"engine (.*?)[;,]", text)
                engine = "CPU threads" if device == "cpu" else (e.group(1) if e else device) + (" or its worker's core"
                    if more else "")
                if m and t:
                    rows.append("| %s, %s, %d x %d x %d | %s | %s | %s | %s | %s | %s |" % (name, engine, n, clients,
                        depth, m.group(1), *t.groups(), m.group(3), m.group(4),
                                m.group(5)))
    if not rows:
        return []
    svg = stem + "-queue.svg"
    return ["## Through the queue: httpd's side, shared memory, worker", "",
        "feed.xsl, or 200 like it in turn; processes x threads x requests that each thread has in flight. Every "
        "answer is "
            "serialised and compared with the local evaluation's bytes.", "", "![requests a second](%s)" % svg, "",
            "<!-- plot: bars %s; title=Through the queue: requests a second; unit=requests/s; x=document, worker, in "
            "flight; y=requests/s; log -->" % svg,
            "| document, worker, in flight | requests/s | p50 us | p99 us | local | wrong | failed |",
            "|---|--:|--:|--:|--:|--:|--:|", *rows, ""]


def driver():
    """The driver's version, or nothing."""
    try:
        return "driver " + re.search(r"Module\s+([\d.]+)", open("/proc/driver/nvidia/version").read()).group(1)
    except (OSError, AttributeError):
        pass
    try:
        return "driver " + subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                                          capture_output=True, text=True).stdout.split()[0]
    except (OSError, IndexError):
        return "driver unknown"


def main():
    parts = {"batch": batch, "grid": grid, "trees": trees, "axes": axes, "queue": queue}
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seconds", type=float, default=0.5, help="of each measurement of batches")
    ap.add_argument("--scale", type=float, default=1, help="of the large documents")
    ap.add_argument("--patience", type=float, default=60, help="seconds for libxslt on one stylesheet or query")
    ap.add_argument("--only", action="append", choices=parts)
    ap.add_argument("--root")
    ap.add_argument("--output", default=os.path.join(ROOT, "docs", "bench"))
    a = ap.parse_args()
    os.makedirs(WORK, exist_ok=True)
    os.makedirs(a.output, exist_ok=True)
    stem = "teams-" + datetime.date.today().isoformat()
    run = Runner(os.path.join(a.output, stem + ".log"), a.root)
    probe = " ".join(run.check("cases", os.devnull))
    if "SKIP" in probe or run.failed:
        sys.exit("gpu.py: " + (probe or "; ".join(run.failed)))
    text = [l for name in a.only or parts for l in parts[name](run, a, stem)]
    text = ["# The GPU's teams, %s" % stem[6:], "", "%s, %s; host: %s." % (run.device, driver(), machine()), "",
            *["Failed: %s.  " % f for f in run.failed], *[""] * bool(run.failed), *text]
    path = os.path.join(a.output, stem + ".md")
    with open(path, "w") as f:
        f.write("\n".join(text))
    plot.of_markdown(path)
    print("\n".join(text))
    sys.exit(bool(run.failed))


if __name__ == "__main__":
    main()
