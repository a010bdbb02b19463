#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The document store beside BaseX (Debian's package basex), xmllint and gpuxslt, which parse the document for each
query: loading, size, opening, queries.

    bench/store.py [-m 200] [--auction 0.5] [--rounds 5] [--only REGEX] [--engines ...] [--large 1000 5000]
    >docs/bench/store-DATE.md bench/plot.py docs/bench/store-DATE.md

Documents: a bibliography of -m megabytes (gen_dblp.py) and an auction site (gen_auction.py -f). All engines run on one
core. Times to load are CPU time, which other work on the machine changes less. A query's time is, of the store, the
least of --rounds x 4 (cold: of --rounds) of what `query --timing` says of opening and asking; of BaseX "Evaluating" and
"Printing" of -V, the mean of --rounds x 4 in one JVM (parsing and compiling a query takes it some 100 ms more); of the
others the process's time, once. "Cold": the store's file was dropped from the page cache before. Each engine's number
of results is compared with the store's; one that differs ends the run.

--large: bibliographies of so many megabytes, loaded and asked by the store alone, with 2 GiB of address space for each
command; -m 0: only these.
"""
import argparse
import datetime
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORE, GPUXSLT = os.path.join(ROOT, "build", "gpuxml-store"), os.path.join(ROOT, "build", "gpuxslt")
ENGINES = "store warm", "store cold", "BaseX", "xmllint", "gpuxslt"


class Query:
    """xpath: of the store; basex: XQuery that does the same; plain: XPath 1.0 for who has no functions for words, or
    None"""
    def __init__(self, document, title, xpath, basex=None, plain=None):
        self.document, self.title, self.xpath, self.basex, self.plain = (document, title, xpath, basex or xpath,
            plain or xpath)


def queries(common, key, words, buyer):
    two = "'%s'" % "', '".join(words)
    contains = " and ".join("contains(concat(' ', translate(title, '.ABCDEFGHIJKLMNOPQRSTUVWXYZ', ' "
                            "abcdefghijklmnopqrstuvwxyz'), ' '), ' %s ')" % w
                            for w in words)
    return [
        Query("dblp", "a rare author", "//article[author = 'Emil Fuchs']/title"),
        Query("dblp", "a common author", "//article[author = '%s']/title" % common),
        Query("dblp", "one by its key", "//inproceedings[@key = '%s']/title" % key),
        Query("dblp", "two common words", "//article[gx:contains-word(title, '%s')]/@key" % " ".join(words),
              "//article[title contains text { %s } all]/@key" % two, "//article[%s]/@key" % contains),
        Query("dblp", "author and year", "//article[author = '%s'][year = '2015']/title" % common),
        Query("dblp", "a scan: pages of a volume", "//article[volume > 59][year > 2020]/pages"),
        Query("auction", "XMark 1: a person's name", "/site/people/person[@id = 'person0']/name"),
        Query("auction", "XMark 5: sold for 40 or more", "/site/closed_auctions/closed_auction[price >= 40]/price"),
        Query("auction", "XMark 6: items", "/site/regions//item/@id"),
        Query("auction", "XMark 8: bought by a person", "/site/closed_auctions/closed_auction[buyer/@person = "
                                                        "'%s']/itemref/@item" % buyer),
        Query("auction", "XMark 17: no homepage", "/site/people/person[not(homepage)]/name"),
        Query("auction", "XMark 20: income over 80000", "/site/people/person[profile/@income > 80000]/name"),
    ]


def run(*command, **more):
    """Output, CPU and wall-clock seconds"""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    p = subprocess.run(["taskset", "-c", "0", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       text=True, **more)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode not in (0, 10):                         # 10: xmllint found nothing
        sys.exit("%s: %d\n%s" % (" ".join(command)[:300], p.returncode, p.stderr[-2000:]))
    return p, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def folder_bytes(path):
    return sum(os.path.getsize(os.path.join(at, f)) for at, _, files in os.walk(path) for f in files)


def drop(path):
    """The file's pages leave the page cache."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


class Stores:
    def __init__(self, files, work):
        self.files, self.paths, self.loads = files, {}, {}
        for name, split in ("dblp", "article"), ("auction", "item|person|open_auction|closed_auction"):
            self.paths[name] = os.path.join(work, name + ".gxs")
            _, cpu, _ = run(STORE, self.paths[name], "add", "--quiet", "--name", name, "--split-at", split, files[name])
            self.loads[name] = cpu, os.path.getsize(self.paths[name])

    def ask(self, q, cold):
        if cold:
            drop(self.paths[q.document])
        p, _, _ = run(STORE, self.paths[q.document], "query", "--timing", "--json", "--ns", "gx=urn:gpuxml", q.xpath)
        told = json.loads(p.stderr)
        return told["open_us"] / 1e3, told["ask_us"] / 1e3, p.stdout.count("\n")


class BaseX:
    def __init__(self, files, work):
        self.files, self.loads, self.path = files, {}, os.path.join(work, "basex")
        os.mkdir(self.path)
        self.env = dict(os.environ, HOME=work, JAVA_ARGS="-Xmx6g -Dorg.basex.DBPATH=" + self.path)
        for name in files:
            script = os.path.join(work, name + ".bxs")
            with open(script, "w") as f:
                f.write("SET INTPARSE true\nSET FTINDEX true\nCREATE DB %s %s\n" % (name, files[name]))
            _, cpu, _ = run("basex", script, env=self.env)
            self.loads[name] = cpu, folder_bytes(os.path.join(self.path, name))

    def ask(self, q, rounds):
        count, _, _ = run("basex", "-i", q.document, "count(%s)" % q.basex, env=self.env)
        p, _, _ = run("basex", "-V", "-r", str(rounds), "-z", "-i", q.document, "(%s) ! string()" % q.basex,
                      env=self.env)
        took = [float(ms) for ms in re.findall(r"(?:Evaluating|Printing): ([\d.]+) ms", p.stdout + p.stderr)]
        return sum(took), int(count.stdout.split()[0])


def ask_all(q, a, stores, basex):
    warm = [stores.ask(q, False) for _ in range(4 * a.rounds)]
    n = warm[0][2]
    cold = min(sum(stores.ask(q, True)[:2]) for _ in range(a.rounds))
    row = {"store warm": min(w[0] + w[1] for w in warm), "store cold": cold}
    counts = {}
    if basex:
        row["BaseX"], counts["BaseX"] = basex.ask(q, a.rounds * 4)
    if "xmllint" in a.engines and shutil.which("xmllint"):
        p, _, wall = run("xmllint", "--huge", "--xpath", "count(%s)" % q.plain, stores.files[q.document])
        if p.stdout.strip():                                # else it has refused: a set of more than 10 million nodes
            row["xmllint"], counts["xmllint"] = wall * 1e3, int(float(p.stdout))
    if "gpuxslt" in a.engines:
        p, _, wall = run(GPUXSLT, "--xpath", "count(%s)" % q.plain, stores.files[q.document])
        row["gpuxslt"], counts["gpuxslt"] = wall * 1e3, int(p.stdout)
    wrong = {engine: c for engine, c in counts.items() if c != n}
    if wrong:
        sys.exit("%s: the store has %d results, %s" % (q.title, n, wrong))
    return row, n, min(w[0] for w in warm)


def probe(path):
    """The author of most records, and a conference paper's key"""
    authors, key = {}, None
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("<author>"):
                authors[line[8:-10]] = authors.get(line[8:-10], 0) + 1
            elif line.startswith("<inproceedings"):
                key = re.search(r'key="([^"]*)"', line).group(1)
    return max(authors, key=authors.get), key


def first_buyer(path):
    with open(path, encoding="utf-8") as f:
        return re.search(r'<buyer person="([^"]*)"', f.read()).group(1)


def common_words(path):
    """Two words that are among the most common ones of titles"""
    counts = {}
    with open(path, encoding="utf-8") as f:
        for k, line in enumerate(f):
            if line.startswith("<title>"):
                for w in line[7:-10].split():
                    counts[w.strip(".").lower()] = counts.get(w.strip(".").lower(), 0) + 1
            if k > 1000000:
                break
    return sorted(sorted(counts, key=counts.get)[-12:-10])


def limited(*command):
    """As run(), with 2 GiB of address space"""
    return run(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))


def large(megabytes, work, keep, rounds):
    xml, store = os.path.join(keep or work, "dblp-%d.xml" % megabytes), os.path.join(work, "large.gxs")
    if not os.path.exists(xml):
        subprocess.run([sys.executable, os.path.join(ROOT, "bench", "gen_dblp.py"), "-m", "60", "-c",
                        str(round(megabytes / 60)), "-o", xml], check=True)
    size = os.path.getsize(xml)
    _, cpu, wall = limited(STORE, store, "add", "--quiet", "--name", "dblp", "--split-at", "article", xml)
    print("\n%.0f MB: loaded at %.0f MB/s of CPU time (%.0f of the clock's), %.2f times the source.\n" % (
        size / 1e6, size / 1e6 / cpu, size / 1e6 / wall, os.path.getsize(store) / size))
    common, key = probe(xml)
    words = common_words(xml)
    if not keep:
        os.unlink(xml)
    print("| query, of %.0f MB | results | records read | warm | cold |\n|---|--:|--:|--:|--:|" % (size / 1e6))
    for q in queries(common, key, words, ""):
        if q.document == "dblp":
            times = {}
            for cold in (True, False):
                for _ in range(rounds if cold else 2 * rounds):
                    if cold:
                        drop(store)
                    p, _, _ = limited(STORE, store, "query", "--timing", "--json", "--ns", "gx=urn:gpuxml", q.xpath)
                    told = json.loads(p.stderr)
                    times.setdefault(cold, []).append(told["ask_us"] / 1e3)
            print("| %s | %d | %d | %.2f | %.2f |" % (q.title, p.stdout.count("\n"), told["records"], min(times[False]),
                                                      min(times[True])), flush=True)
    os.unlink(store)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("-m", type=float, default=200)
    args.add_argument("--auction", type=float, default=0.5)
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--only", default="")
    args.add_argument("--keep", help="a folder of documents that are made once")
    args.add_argument("--engines", nargs="*", default=ENGINES, help="of %s" % ", ".join(ENGINES))
    args.add_argument("--large", type=float, nargs="*", default=[], help="megabytes")
    a = args.parse_args()
    with tempfile.TemporaryDirectory() as work:
        files = {name: os.path.join(a.keep or work, name + ".xml") for name in ("dblp", "auction")}
        for name, option in ("dblp", ("-m", str(a.m))), ("auction", ("-f", str(a.auction))):
            if a.m and not os.path.exists(files[name]):
                subprocess.run([sys.executable, os.path.join(ROOT, "bench", "gen_%s.py" % name), *option, "-o",
                                files[name]], check=True)
        if a.m:
            report(a, files, work)
        for megabytes in a.large:
            large(megabytes, work, a.keep, a.rounds)


def report(a, files, work):
    today = datetime.date.today()
    stores = Stores(files, work)
    basex = BaseX(files, work) if "BaseX" in a.engines and shutil.which("basex") else None
    engines = [e for e in ENGINES if e in a.engines and (e != "BaseX" or basex)
               and (e != "xmllint" or shutil.which("xmllint"))]
    print("<!-- plot: bars store-%s-load.svg; title=Loading with all indexes, one core; x=document; y=store MB/s, "
          "BaseX MB/s; unit=MB/s -->" % today)
    print("| document | MB | store MB/s | BaseX MB/s | store's size | BaseX's size |\n|---|--:|--:|--:|--:|--:|")
    for name, path in files.items():
        size = os.path.getsize(path)
        (cpu, took), (cpu_b, took_b) = stores.loads[name], basex.loads[name] if basex else (0, 0)
        print("| %s | %.0f | %.0f | %s | %.2f | %s |" % (name, size / 1e6, size / 1e6 / cpu,
                                                         "%.0f" % (size / 1e6 / cpu_b) if basex else "-", took / size,
                                                       "%.2f" % (took_b / size) if basex else "-"), flush=True)
    common, key = probe(files["dblp"])
    opened = []
    print("\n<!-- plot: bars store-%s-queries.svg; title=Queries, one core; x=query; y=%s; unit=ms; log -->" % (today,
        ", ".join(engines)))
    print("| query | results | %s |\n|---|--:|%s" % (" | ".join(engines), "--:|" * len(engines)))
    for q in queries(common, key, common_words(files["dblp"]), first_buyer(files["auction"])):
        if re.search(a.only, q.title):
            row, n, open_ms = ask_all(q, a, stores, basex)
            opened.append(open_ms)
            print("| %s | %d | %s |" % (q.title, n, " | ".join("%.2f" % row[e] if e in row else "-" for e in engines)),
                  flush=True)
    if opened:
        print("\nThe store is opened in %.3f ms at best." % min(opened))


if __name__ == "__main__":
    main()
