#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the machine choose the right strategy for tree patterns? 60 queries over six documents, each with every strategy
pinned and with none.

    bench/strategies.py [--rounds N] [--team TEAM] [--report FILE.md] [--docs DIR]

A figure is the least of so many runs, which take turns; a run is the median of several evaluations in one process.
Written are the chosen strategy's time beside the best one's, the sums, and which strategy runs where none is pinned.
Results are compared, byte for byte.
"""
import argparse, datetime, hashlib, json, os, platform, random, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = ROOT + "/build/gpuxslt"
STRATEGIES = ("auto", "steps", "bits", "twig", "levels")
WORDS = "tree leaf node edge path root label level depth order range stream merge stack match".split()


def text(rnd, n):
    return " ".join(rnd.choice(WORDS) for _ in range(n))


def deep(rnd):
    """Chains of up to 200 levels; what is at their ends differs."""
    out = []
    for i in range(600):
        n = rnd.randrange(20, 200)
        names = [rnd.choice(("part", "part", "part", "section", "list")) for _ in range(n)]
        out.append("".join("<%s>" % s + ("<note/>" if rnd.random() < 0.1 else "") for s in names))
        out.append(rnd.choice(("<end/>", "<end><mark/></end>", "<stop/>")))
        out.append("".join("</%s>" % s for s in reversed(names)))
    return "<deep>%s</deep>" % "".join(out)


def wide(rnd):
    """200,000 rows below the root, with up to four children each."""
    row = lambda i: "<row>%s</row>" % "".join("<%s/>" % c for c in "abcd" if rnd.random() < {"a": 0.9, "b": 0.5,
        "c": 0.1, "d": 0.01}[c])
    return "<wide>%s<total/></wide>" % "".join(row(i) if rnd.random() < 0.98 else "<other><a/></other>"
                                               for i in range(120000))


def recursive(rnd):
    """Phrases within phrases, as Treebank has them."""
    def phrase(label, level):
        if level > 24 or (level > 3 and rnd.random() < 0.3):
            return "<%s>%s</%s>" % (w := rnd.choice(("NN", "VB", "JJ", "IN", "DT")), rnd.choice(WORDS), w)
        kids = "".join(phrase(rnd.choice(("NP", "NP", "VP", "PP", "S")), level + 1)
                       for _ in range(rnd.choice((1, 1, 2, 2, 3))))
        return "<%s>%s</%s>" % (label, kids, label)
    out, size = [], 0
    while size < 3_500_000:
        out.append("<EMPTY>%s</EMPTY>" % phrase("S", 1))
        size += len(out[-1])
    return "<FILE>%s</FILE>" % "".join(out)


def long_text(rnd):
    """Few elements, much text."""
    para = lambda: "<p>%s%s.</p>" % (text(rnd, rnd.randrange(60, 300)),
        rnd.choice(("", "", " <i>%s</i>" % text(rnd, 5), " <q><i>%s</i></q>" % text(rnd, 8))))
    return "<book>%s</book>" % "".join("<chapter><title>%s</title>%s%s</chapter>" % (
        text(rnd, 4), "".join(para() for _ in range(rnd.randrange(5, 40))),
        rnd.choice(("", "<notes><p>%s</p></notes>" % text(rnd, 20)))) for _ in range(250))


def attributes(rnd):
    """Parts with many attributes and a few elements in them."""
    def part(i):
        kids = "".join('<at x="%d" y="%d"%s/>' % (k, i, ' z="1"' if rnd.random() < 0.1 else "")
                       for k in range(rnd.choice((0, 0, 1, 3))))
        return '<part no="%d" name="%s" price="%d" colour="%s"%s>%s</part>' % (
            i, text(rnd, 2), rnd.randrange(1000), rnd.choice(("red", "green")), ' rare="1"' if rnd.random() < 0.005
            else "", kids)
    return "<parts>%s</parts>" % "".join("<group>%s</group>" % "".join(part(g * 40 + i) for i in range(40))
                                         for g in range(700))


def namespaces(rnd):
    """Entries of several namespaces."""
    def entry(i):
        thing = rnd.choice(("g:thing", "m:thing", "thing"))
        return '<p:entry q:id="%d"><q:title>%s</q:title><%s p:of="t%d"><q:by>%s</q:by>%s</%s>%s</p:entry>' % (
            i, text(rnd, 5), thing, i, text(rnd, 2), "<m:note/>" if rnd.random() < 0.05 else "", thing,
            "<cost q:in='EUR'/>" if rnd.random() < 0.5 else "")
    return '<p:list xmlns:p="urn:p" xmlns:q="urn:q" xmlns:g="urn:g" xmlns:m="urn:m">%s</p:list>' % "".join(entry(i)
        for i in range(24000))


QUERIES = {
    deep: ("//part[end]", "//part//end/mark", "//section//part[.//stop]", "/deep/part//section/list",
           "//list[note]/part", "//part[section/list]//end",
           "//part[.//section[note]]/list", "/deep/*/*/*/part", "//*[mark]", "//section[.//list[.//end[mark]]]"),
    wide: ("/wide/row[a]/b", "//row[a][b][c]", "//row[d]", "/wide/other/a", "//row/d", "/wide/row[d]/a",
           "/*/*[c and d]/b", "//row[.//d]/c", "//other[b]", "/wide/row/*"),
    recursive: ("//S//NP", "//S/NP", "/FILE/EMPTY/S", "//NP[NN]/VP", "//S[.//PP[.//JJ]]//NN", "//VP[NP/NN]/PP//DT",
                "//NP//NP//NP", "//S[VP]/NP[PP]", "/FILE/EMPTY/S/NP/NP/NN",
                "//NP[.//VB][.//JJ]/DT"),
    long_text: ("//chapter/title", "//p[i]", "//chapter[notes]/p/i", "/book/chapter[.//q]/title", "//q/i",
                "//chapter[p/q/i]", "//notes/p", "//p[q]/text()", "//*[i]/..//q", "/book//i"),
    attributes: ("//part/@rare", "//part[@rare]", "//part[@rare]/at/@x", "/parts/group/part/@name",
                 "//group[part/@rare]/part", "//part[at/@z]/@no", "//at[@z]", "//part[at]/@*",
                 "/parts/group/part[@colour]/at[@z]", "//group//@z"),
    namespaces: ("//p:entry/q:title", "//p:entry[m:thing]/cost", "//g:thing/q:by", "//p:entry[.//m:note]/q:title",
                 "/p:list/p:entry/*", "//p:entry[cost]/*/q:by", "//m:thing[m:note]",
                 "//p:entry[cost/@q:in]/q:title", "//thing[m:note]/q:by", "/p:list/p:entry[g:thing/m:note]"),
}
NAMESPACES = [a for p in "pqgm" for a in ("--ns", "%s=urn:%s" % (p, p))]


def run(path, query, strategy, team, repeat):
    p = subprocess.run([GPUXSLT, *NAMESPACES, "--team", team, "--strategy", strategy, "--timing", "--json", "--repeat",
                        str(repeat), "--xml", "--xpath", query, path], capture_output=True)
    if p.returncode:
        sys.exit(p.stderr.decode())
    return json.loads(p.stderr.decode().splitlines()[-1])["evaluate_us"], hashlib.sha256(p.stdout).hexdigest()


def taken(path, query):
    """The strategies that run where none is pinned"""
    p = subprocess.run([GPUXSLT, *NAMESPACES, "--explain", "--timing", "--xpath", query, path],
                       capture_output=True, text=True)
    return " ".join(dict.fromkeys(re.findall("<(%s)[;>]" % "|".join(STRATEGIES), p.stdout))) or "-"


def cpu():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())


REPORT = """# Tree patterns: the chosen strategy beside each pinned one

`bench/strategies.py`, {date}, {cpu}, team `{team}`. {queries} queries over six documents of the script's own (1 to 6 MB); microseconds of one evaluation,
the least of {rounds} runs that took turns, each the median of {repeat} evaluations. `taken`: what the machine chose by its estimates (engine/machine/twig_cost.h);
`-`: no pattern is left in the plan. The aim: all together within 15 % of the best pinned strategy of each, none more than twice its best.

"""


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--rounds", type=int, default=3)
    args.add_argument("--repeat", type=int, default=5)
    args.add_argument("--team", default="solo")
    args.add_argument("--report")
    args.add_argument("--docs", default=tempfile.gettempdir() + "/gpuxml-strategies")
    args = args.parse_args()
    os.makedirs(args.docs, exist_ok=True)
    lines, wrong, sums = [], 0, dict.fromkeys(STRATEGIES, 0.0)
    best_sum, worst = 0.0, (0, "")
    for make, queries in QUERIES.items():
        path = "%s/%s.xml" % (args.docs, make.__name__)
        if not os.path.exists(path):
            with open(path, "w") as f:
                f.write(make(random.Random(1)))
        for query in queries:
            least, digests = {}, set()
            for _ in range(args.rounds):
                for strategy in STRATEGIES:
                    us, digest = run(path, query, strategy, args.team, args.repeat)
                    least[strategy] = min(us, least.get(strategy, us))
                    digests.add(digest)
            wrong += len(digests) > 1
            pinned = min(STRATEGIES[1:], key=least.get)
            best_sum += least[pinned]
            for strategy in STRATEGIES:
                sums[strategy] += least[strategy]
            ratio = least["auto"] / least[pinned]
            worst = max(worst, (ratio, query))
            lines.append("| %s | `%s` | %s | %s | %s | %.2f |" % (
                make.__name__, query, " | ".join("%.0f" % least[s] for s in STRATEGIES),
                taken(path, query) if args.team == "solo" else "-", pinned, ratio))
            print(lines[-1], flush=True)
    lines.append("| all | | %s | | best of each: %.0f | %.2f |" % (" | ".join("%.0f" % sums[s] for s in STRATEGIES),
                                                                   best_sum, sums["auto"] / best_sum))
    table = ("| document | query | %s | taken | best | auto / best |\n|---|---|%s---|---|--:|\n"
             % (" | ".join(STRATEGIES), "--:|" * len(STRATEGIES)))
    table += "\n".join(lines) + "\n\nWorst: %.2f, `%s`. Queries whose strategies differ in a byte: %d.\n" % (*worst,
        wrong)
    print(table)
    if args.report:
        with open(args.report, "w") as f:
            f.write(REPORT.format(date=datetime.date.today(), team=args.team, cpu=cpu(), queries=len(lines) - 1,
                                  rounds=args.rounds, repeat=args.repeat) + table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
