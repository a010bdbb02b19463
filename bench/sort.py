#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bitonic sort on a GPU beside CUB's sorts and the engine's merge sort: a table and charts of what gx-sort-bench
prints.

    bench/sort.py [--log FILE] [--output docs/bench]

Runs build/gx-sort-bench (make build/gx-sort-bench; it needs a GPU), or reads what it printed elsewhere. Writes
sort-gpu-DATE.md and charts.
"""
import argparse, collections, datetime, os, subprocess, sys
import plot

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = collections.OrderedDict((("32", "32-bit keys"), ("64", "64-bit keys"), ("128", "128-bit keys"),
                                 ("128+32", "128-bit keys with 32-bit values")))
GRID = ("bitonic", "plain", "cub-merge", "cub-radix", "engine-merge")
BLOCK = ("bitonic", "cub-segmented", "engine-merge")
NAMES = {"bitonic": "bitonic", "plain": "a launch a step", "cub-merge": "CUB merge", "cub-radix": "CUB radix",
         "cub-segmented": "CUB segmented", "engine-merge": "engine merge"}


def read(text):
    """(team, kind) -> n -> algorithm -> (microseconds, bytes beside the items); the card's name"""
    card, rows = "a GPU", collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in text.splitlines():
        if "DIFFERS" in line:
            sys.exit("a sort went wrong: " + line)
        word = line.split()
        if line.startswith("# "):
            card = line[2:]
        elif word and word[0] in ("grid", "block"):
            rows[word[0], word[1]][int(word[2])][word[3]] = (float(word[4]), int(word[5]))
    return card, rows


def table(rows, algorithms, items):
    """Million items a second; items(n): of how many in all the microseconds are"""
    used = [a for a in algorithms if any(a in by for by in rows.values())]
    lines = ["| items | " + " | ".join(NAMES[a] for a in used) + " |", "|" + "--:|" * (len(used) + 1)]
    for n, by in sorted(rows.items()):
        lines.append("| {:,} | ".format(n) + " | ".join("{:,.0f}".format(items(n) / by[a][0]) if a in by else ""
                                                        for a in used) + " |")
    return lines, [NAMES[a] for a in used]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--log")
    options.add_argument("--output", default=os.path.join(ROOT, "docs/bench"))
    o = options.parse_args()
    if o.log:
        text = open(o.log).read()
    else:
        print("gx-sort-bench: a minute ...", file=sys.stderr)
        text = subprocess.run([os.path.join(ROOT, "build/gx-sort-bench"), "time"], stdout=subprocess.PIPE,
                              check=True).stdout.decode()
    card, rows = read(text)
    date = datetime.date.today().isoformat()
    name = "sort-gpu-" + date
    out = ["# Sorting on a GPU, " + date, "",
           "%s. `gx-sort-bench time`: random keys, million items a second, the least time of five turns; every "
           "algorithm's result is the same." % card,
           "Bitonic sort is `engine/machine/bitonic.h` (Peters 2011, chapter 5); CUB is the one of the CUDA toolkit; "
           "the engine's merge sort is",
           "`engine/machine/merge.h`, which sorts row numbers and does not move the keys.", "", "<!-- said -->", ""]
    for kind, title in KINDS.items():
        lines, used = table(rows["grid", kind], GRID, lambda n: n)
        out += ["## One large sort, %s" % title, "",
                "<!-- plot: lines %s-grid-%s.svg; title=One sort by the whole card, %s; x=items; y=%s; unit=million "
                "items/s; log -->" %
                (name, kind.replace("+", "-"), title, ", ".join(used))] + lines + [""]
    for kind, title in KINDS.items():
        lines, used = table(rows["block", kind], BLOCK, lambda n: 1 << 22)
        out += ["## Many sorts at once, each by a block of 128 threads, %s" % title, "",
                "<!-- plot: lines %s-block-%s.svg; title=4 million items in many sorts, %s; x=items; y=%s; "
                "unit=million items/s; log -->" %
                (name, kind.replace("+", "-"), title, ", ".join(used))] + lines + [""]
    large = max(rows["grid", "128"])
    out += ["## Memory beside the items", "", "| algorithm | bytes for {:,} 128-bit keys | in place |".format(large),
            "|---|--:|---|"]
    for a in GRID:
        if not any(a in by for by in rows["grid", "128"].values()):
            continue
        n = max(n for n in rows["grid", "128"] if a in rows["grid", "128"][n])
        bytes_ = rows["grid", "128"][n][a][1]
        out.append("| %s | %s | %s |" % (NAMES[a], "{:,}".format(bytes_ * (large // n)),
                                         {"bitonic": "yes", "engine-merge": "keys stay where they are"}.get(a, "no")))
    path = os.path.join(o.output, name + ".md")
    said = open(path).read().split("<!-- said -->")[1:2] if os.path.exists(path) else []
    text = "\n".join(out) + "\n"
    if said:                                            # what was written by hand stays
        text = text.replace("<!-- said -->\n",
                            "<!-- said -->" + said[0].split("## One large sort")[0].rstrip("\n") + "\n", 1)
    open(path, "w").write(text)
    plot.of_markdown(path)
    print(path)


if __name__ == "__main__":
    main()
