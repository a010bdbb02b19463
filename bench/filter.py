#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures 7 to 11 of Absalyamov et al. (2013), the CPU's half: gpuxml-match beside one shared automaton
(bench/automaton.c) and libxml2, which evaluates each query (bench/each_xpath.c; left out where libxml2-dev is not
installed). --figures each: one query after the other, by libxml2 and by Saxon-HE (bench/EachXPath.java; left out where
Debian's libsaxonhe-java and a JDK are not).

    make build/bench/automaton build/bench/each_xpath build/bench/EachXPath.class; bench/filter.py [--documents N]
    >docs/bench/filter-DATE.md; bench/plot.py docs/bench/filter-DATE.md

Documents and queries are of one random schema (bench/gen_profiles.py): queries of 5, 10 and 15 steps with 1, 3 and 6
branches and no values. All times are CPU time of one core without parsing. What a figure says of all cores is that
times their number: documents share nothing that is written.
"""
import argparse
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GEN, MATCH = os.path.join(ROOT, "bench", "gen_profiles.py"), os.path.join(ROOT, "build", "gpuxml-match")
SAXON = os.environ.get("SAXON", "/usr/share/java/Saxon-HE.jar")
AUTOMATON, EACH = (os.path.join(ROOT, "build", "bench", name) for name in ("automaton", "each_xpath"))
SPLITS = {5: 1, 10: 3, 15: 6}
QUERIES = (16, 64, 256, 1024, 4096, 16384)
IN_BATCHES = QUERIES[:5]
EACH_MOST = 4e4         # queries times kilobytes, for which libxml2 is waited for


def run(*args):
    return subprocess.run([str(a) for a in args], check=True, capture_output=True, text=True)


class Bench:
    def __init__(self, folder, documents):
        self.folder, self.documents = folder, documents

    def docs(self, n, size, seed=1):
        """Names of n documents of one size, made once"""
        path = os.path.join(self.folder, "d%d-%d-" % (size, seed))
        if not os.path.exists(path + "%d.xml" % (n - 1)):
            run(GEN, "--documents", n, "--bytes", size, "--seed", seed, "-o", path)
        return [path + "%d.xml" % i for i in range(n)]

    def queries(self, n, steps, wild):
        path = os.path.join(self.folder, "q")
        run(GEN, "-n", n, "--steps", steps, "--splits", SPLITS[steps], "--wild", wild, "--values", 0, "-o", path)
        return path

    def ours(self, queries, docs, rounds):
        p = run(MATCH, "--count", "--bench", rounds, queries, *docs)
        counts = [int(line.split("\t")[-1]) for line in p.stdout.split("\n") if line]
        return float(re.search(r"matched in ([\d.]+) us", p.stderr).group(1)), sum(counts) / len(counts)

    def automaton(self, queries, docs, rounds):
        """As documents come, which make states; when all states are there"""
        first, least = re.match(r"([\d.]+) us the first time, ([\d.]+) us",
                                run(AUTOMATON, rounds, queries, *docs).stdout).groups()
        return float(first), float(least)

    def each(self, n, queries, docs, matches):
        size = sum(map(os.path.getsize, docs)) / len(docs)
        if not os.path.exists(EACH) or n * size / 1e3 > EACH_MOST:
            return None
        docs = docs[:max(1, min(len(docs), 4))]
        us, found = re.match(r"([\d.]+) us, (\d+)", run(EACH, 1, queries, *docs).stdout).groups()
        return float(us)


    def saxon(self, queries, docs):
        classes = os.path.join(ROOT, "build", "bench")
        if not os.path.exists(SAXON) or not os.path.exists(os.path.join(classes, "EachXPath.class")):
            return None
        told = run("java", "-cp", SAXON + ":" + classes, "EachXPath", 5, queries, *docs[:4]).stdout
        return float(re.match(r"([\d.]+) us", told).group(1))


def figure(n, title, claim, plot, header, rows):
    print("## Figure %s: %s\n\n**The paper:** %s\n" % (n, title, claim))
    print("![%s](filter-2026-11-26-%s.svg)\n\n<!-- plot: lines filter-2026-11-26-%s.svg; title=%s; x=%s; y=%s; "
          "unit=%s; log -->" % (title, n, n, title, header[0], ", ".join(plot[1]), plot[0]))
    print("| %s |\n|%s" % (" | ".join(header), "--:|" * len(header)))
    for row in rows:
        print("| %s |" % " | ".join("-" if c is None else c if isinstance(c, str) else "%.3g" % c if c < 100
                                    else "%.0f" % c for c in row), flush=True)
    print()


def rate(size, us):
    return None if us is None else size / us       # bytes a microsecond: MB/s


def figure_7(b):
    docs, size = b.docs(1, 1000000), 1e6
    rows = []
    for n in QUERIES:
        row = [n]
        for steps in (5, 10, 15):
            q = b.queries(n, steps, 0.1)
            us, matches = b.ours(q, docs, 5)
            row += [rate(size, us), rate(size, b.automaton(q, docs, 5)[1])]
            if steps == 10:
                each = rate(size, b.each(n, q, docs, matches))
        rows.append(row + [each])
    figure("7", "one document of 1 MB", "throughput is constant up to a breaking point, of which 256 queries of 10 "
                                        "steps are one: all cores are in use. From there on twice the queries halve "
                                        "it.",
           ("MB/s", ["5 steps", "10 steps", "15 steps", "automaton 10", "libxml2 10"]),
           ["queries", "5 steps", "automaton 5", "10 steps", "automaton 10", "15 steps", "automaton 15",
            "libxml2 10"], rows)


def figure_8(b):
    rows = []
    for kilobytes in (32, 64, 128, 256, 512, 1024, 2048):
        docs, row = b.docs(1, kilobytes * 1000), [kilobytes]
        for wild in (0.1, 0.3, 0.5):
            q = b.queries(256, 10, wild)
            us, matches = b.ours(q, docs, 5)
            first, least = b.automaton(q, docs, 5)
            row += [least / us, (b.each(256, q, docs, matches) or 0) / us or None]
        rows.append(row)
    figure("8", "256 queries of 10 steps, by the document's size",
        "the GPU's speedup over YFilter, 9 at most, is highest for small documents and flat from 512 KB on; wildcards "
        "and // raise it.",
           ("times as fast", ["over automaton 10 %", "over automaton 50 %", "over libxml2 10 %", "over libxml2 50 %"]),
           ["KB"] + [name + " %d %%" % w for w in (10, 30, 50) for name in ("over automaton", "over libxml2")], rows)


def figure_9(b):
    docs, rows = b.docs(b.documents, 25000), []
    size = sum(map(os.path.getsize, docs)) / len(docs)
    for n in IN_BATCHES:
        row = [n]
        for steps in (5, 10, 15):
            q = b.queries(n, steps, 0.5)
            row += [rate(size, b.ours(q, docs, 2)[0]), rate(size, b.automaton(q, docs, 1)[0])]
        rows.append(row)
    figure("9", "a batch of %d documents of 25 KB, half of the steps * or //" % b.documents,
        "no breaking point: concurrent kernels use all cores from the first query on, and twice the queries or steps "
        "halve the throughput.",
           ("MB/s", ["5 steps", "10 steps", "15 steps", "automaton 5", "automaton 10", "automaton 15"]),
           ["queries", "5 steps", "automaton 5", "10 steps", "automaton 10", "15 steps", "automaton 15"], rows)


def compare(b, n, steps, wild):
    row = []
    for count in (b.documents, 2 * b.documents):
        docs = b.docs(count, 25000)
        q = b.queries(n, steps, wild)
        us, matches = b.ours(q, docs, 2)
        first, least = b.automaton(q, docs, 1)
        row += [first / us, least / us]
        if count == b.documents:
            each = b.each(n, q, docs, matches)
            row += [each / us if each else None]
    return row


BATCHES = lambda b: ["%s (%d)" % (what, n) for n, peers in ((b.documents, 3), (2 * b.documents, 2))
                     for what in ("over automaton", "over its lookups", "over libxml2")[:peers]]


def figure_10(b):
    figure("10", "batches, 5 steps, half of the steps * or //, by the number of queries",
        "the GPU's speedup over YFilter falls almost by half with twice the queries, in the end below 1, and a little "
        "with the batch.",
           ("times as fast", BATCHES(b)), ["queries"] + BATCHES(b), [[n] + compare(b, n, 5, 0.5) for n in IN_BATCHES])


def figure_11(b):
    figure("11", "batches, 128 queries, by their length", "the speedup falls almost by half with twice the steps.",
           ("times as fast", BATCHES(b)), ["steps"] + BATCHES(b),
           [[steps] + compare(b, 128, steps, 0.1) for steps in (5, 10, 15)])


def each_by_itself(b):
    docs = b.docs(4, 25000)
    print("## One query after the other\n\n| queries | steps | * and // | gpuxml-match us | Saxon us | libxml2 us | "
          "Saxon / ours | libxml2 / ours |")
    print("|" + "--:|" * 8)
    for steps, wild in ((5, 0.1), (10, 0.1), (10, 0.5)):
        for n in QUERIES[:4]:
            q = b.queries(n, steps, wild)
            ours, matches = b.ours(q, docs, 10)
            saxon, libxml2 = b.saxon(q, docs), b.each(n, q, docs, matches)
            print("| %d | %d | %d %% | %.0f | %s |" % (n, steps, 100 * wild, ours, " | ".join(
                "-" if x is None else form % x for x,
                form in ((saxon, "%.0f"), (libxml2, "%.0f"), (saxon and saxon / ours, "%.3g"),
                                                               (libxml2 and libxml2 / ours, "%.3g")))), flush=True)
    print()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--documents", type=int, default=500)
    ap.add_argument("--figures", default="7,8,9,10,11")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder, a.documents)
        for n in a.figures.split(","):
            {"each": each_by_itself, "7": figure_7, "8": figure_8, "9": figure_9, "10": figure_10,
             "11": figure_11}[n](b)


if __name__ == "__main__":
    main()
