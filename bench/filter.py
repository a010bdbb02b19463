#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures 7 to 11 of Absalyamov et al. (2013), the CPU's half: gpuxml-match beside one shared automaton
(bench/automaton.c), and beside libxml2 (bench/each_xpath.c) and Saxon-HE (bench/EachXPath.java), which evaluate one
query after the other. These two are left out where they are not installed (libxml2-dev; libsaxonhe-java and a JDK), and
where four documents take longer than --wait seconds.

    make papers PAPERS_ARGS=filtering              docs/papers/filtering.md, with batches of 500 and 1,000
    bench/filter.py --figures each,all             one query after the other; all cores at once

Documents and queries are of one random schema (bench/gen_profiles.py): queries of 5, 10 and 15 steps with 1, 3 and 6
branches and no values. All times are CPU time of one core without parsing.
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


def run(*args):
    return subprocess.run([str(a) for a in args], check=True, capture_output=True, text=True)


class Bench:
    def __init__(self, folder, documents, wait):
        self.folder, self.documents, self.wait = folder, documents, wait

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

    def peer(self, docs, *command):
        """Microseconds of four documents at most, each by itself, or None"""
        try:
            told = subprocess.run([*command, *docs[:4]], check=True, capture_output=True, text=True, timeout=self.wait)
        except subprocess.TimeoutExpired:
            return None
        return float(re.match(r"([\d.]+) us", told.stdout).group(1))

    def each(self, queries, docs):
        return self.peer(docs, EACH, "1", queries) if os.path.exists(EACH) else None

    def saxon(self, queries, docs, rounds=3):
        classes = os.path.join(ROOT, "build", "bench")
        if not os.path.exists(SAXON) or not os.path.exists(os.path.join(classes, "EachXPath.class")):
            return None
        return self.peer(docs, "java", "-cp", SAXON + ":" + classes, "EachXPath", str(rounds), queries)


def table(header, rows):
    """Lines of Markdown"""
    yield "| %s |\n|%s" % (" | ".join(header), "--:|" * len(header))
    for row in rows:
        yield "| %s |" % " | ".join("-" if c is None else c if isinstance(c, str) else "%.3g" % c if c < 100
                                    else "%.0f" % c for c in row)


def rate(size, us):
    return None if us is None else size / us       # bytes a microsecond: MB/s


def times(us, ours):
    return None if us is None else us / ours


# ---- the figures: title, what the paper says, (unit, what is drawn), header, rows, which come when measured ----

def by_steps(b, docs, size, numbers, wild, ours, automaton):
    """A row for each number of queries, of 5, 10 and 15 steps; the peers' of 10, last. ours, automaton: microseconds of
    a file of queries"""
    for n in numbers:
        row = [n]
        for steps in (5, 10, 15):
            q = b.queries(n, steps, wild)
            row += [rate(size, ours(q)), rate(size, automaton(q))]
            if steps == 10:
                peers = [rate(size, b.each(q, docs)), rate(size, b.saxon(q, docs))]
        yield row + peers


BY_STEPS = ["queries", "5 steps", "automaton 5", "10 steps", "automaton 10", "15 steps", "automaton 15", "libxml2 10",
            "Saxon 10"]


def figure_7(b):
    docs = b.docs(1, 1000000)
    return ("Figure 7: one document of 1 MB", "throughput is constant up to a breaking point, of which 256 queries of "
            "10 steps are one: all cores are in use. From there on twice the queries halve it.",
            ("MB/s", ["5 steps", "10 steps", "15 steps", "automaton 10", "libxml2 10", "Saxon 10"]), BY_STEPS,
            by_steps(b, docs, 1e6, QUERIES, 0.1, lambda q: b.ours(q, docs, 5)[0],
                     lambda q: b.automaton(q, docs, 5)[1]))


def figure_8(b):
    def rows():
        for kilobytes in (32, 64, 128, 256, 512, 1024, 2048):
            docs, row = b.docs(1, kilobytes * 1000), [kilobytes]
            for wild in (0.1, 0.3, 0.5):
                q = b.queries(256, 10, wild)
                us = b.ours(q, docs, 5)[0]
                row += [b.automaton(q, docs, 5)[1] / us, times(b.each(q, docs), us), times(b.saxon(q, docs), us)]
            yield row
    return ("Figure 8: 256 queries of 10 steps, by the document's size, times as fast",
            "the GPU's speedup over YFilter, 9 at most, is highest for small documents and flat from 512 KB on; "
            "wildcards and // raise it.",
            ("times as fast", ["automaton 10 %", "automaton 50 %", "libxml2 10 %", "libxml2 50 %", "Saxon 50 %"]),
            ["KB"] + [name + " %d %%" % w for w in (10, 30, 50) for name in ("automaton", "libxml2", "Saxon")], rows())


def figure_9(b):
    docs = b.docs(b.documents, 25000)
    size = sum(map(os.path.getsize, docs)) / len(docs)
    return ("Figure 9: a batch of %d documents of 25 KB, half of the steps * or //" % b.documents,
            "no breaking point: concurrent kernels use all cores from the first query on, and twice the queries or "
            "steps halve the throughput.",
            ("MB/s", ["5 steps", "10 steps", "15 steps", "automaton 5", "automaton 10", "automaton 15"]), BY_STEPS,
            by_steps(b, docs, size, IN_BATCHES, 0.5, lambda q: b.ours(q, docs, 2)[0],
                     lambda q: b.automaton(q, docs, 1)[0]))


def compare(b, n, steps, wild):
    row = []
    for count in (b.documents, 2 * b.documents):
        docs = b.docs(count, 25000)
        q = b.queries(n, steps, wild)
        us = b.ours(q, docs, 2)[0]
        first, least = b.automaton(q, docs, 1)
        row += [first / us, least / us]
    return row + [times(b.each(q, docs), us), times(b.saxon(q, docs), us)]


BATCHES = lambda b: ["%s (%d)" % (what, n) for n in (b.documents, 2 * b.documents)
                     for what in ("automaton", "its lookups")] + ["libxml2", "Saxon"]


def figure_10(b):
    return ("Figure 10: batches, 5 steps, half of the steps * or //, by the number of queries, times as fast",
            "the GPU's speedup over YFilter falls almost by half with twice the queries, in the end below 1, and a "
            "little with the batch.",
            ("times as fast", BATCHES(b)), ["queries"] + BATCHES(b),
            ([n] + compare(b, n, 5, 0.5) for n in IN_BATCHES))


def figure_11(b):
    return ("Figure 11: batches, 128 queries, by their length, times as fast",
            "the speedup falls almost by half with twice the steps.",
            ("times as fast", BATCHES(b)), ["steps"] + BATCHES(b),
            ([steps] + compare(b, 128, steps, 0.1) for steps in (5, 10, 15)))


def all_cores(b):
    """A process for each core, each with its part of the batch, at the same time"""
    cores = os.cpu_count()
    docs = b.docs(b.documents, 25000)
    parts = [docs[i::cores] for i in range(cores)]

    def rate_of(command, pattern):
        running = [subprocess.Popen([*command, *part], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                   for part in parts]
        return sum(1e6 / float(re.search(pattern, p.communicate()[0]).group(1)) for p in running)

    def rows():
        for n in (64, 1024, 4096):
            q = b.queries(n, 5, 0.5)
            yield [n, rate_of([MATCH, "--count", "--bench", "2", q], r"matched in ([\d.]+) us"),
                   rate_of([AUTOMATON, "1", q], r"([\d.]+) us the first time")]
    return ("All %d cores, the batch of figure 9, 5 steps, documents a second" % cores,
            "each core takes documents of its own; so does each copy of YFilter.",
            None, ["queries", "gpuxml-match", "automaton"], rows())


FIGURES = {"7": figure_7, "8": figure_8, "9": figure_9, "10": figure_10, "11": figure_11, "all": all_cores}


def each_by_itself(b):
    docs = b.docs(4, 25000)

    def rows():
        for steps, wild in ((5, 0.1), (10, 0.1), (10, 0.5)):
            for n in QUERIES[:4]:
                q = b.queries(n, steps, wild)
                ours, saxon, libxml2 = b.ours(q, docs, 10)[0], b.saxon(q, docs, 5), b.each(q, docs)
                yield [n, steps, "%d %%" % (100 * wild), ours, saxon, libxml2, times(saxon, ours),
                       times(libxml2, ours)]
    return ("One query after the other, microseconds of a document of 25 KB", "not in the paper.", None,
            ["queries", "steps", "* and //", "gpuxml-match", "Saxon", "libxml2", "Saxon / ours", "libxml2 / ours"],
            rows())


FIGURES["each"] = each_by_itself


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--documents", type=int, default=500)
    ap.add_argument("--figures", default=",".join(FIGURES))
    ap.add_argument("--wait", type=float, default=30)
    a = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(folder, a.documents, a.wait)
        for n in a.figures.split(","):
            title, claim, _, header, rows = FIGURES[n](b)
            print("## %s\n\n**The paper:** %s\n" % (title, claim))
            for line in table(header, rows):
                print(line, flush=True)
            print()


if __name__ == "__main__":
    main()
