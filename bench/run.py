#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxslt beside its peers (those of libxslt, Xalan-C, Saxon-HE that are installed), in turns, on one core: what each
step takes, and by how much one is faster.

    bench/run.py [--rounds 4] [--core 0] [--only REGEX] [--team solo] [--clock thread] [--no-xsltmark] [--shared DIR]
                 [--output docs/bench]

Machines that are shared change their speed from one second to the next: so all take turns, every round is a process
with many repetitions inside and gives their median; the table shows each engine's best round, and how much slower its
worst one was. All have the stylesheet compiled and the document's bytes in memory; total = bytes in to bytes out, with
the freeing of trees. Xalan-C and Saxon write while they transform. Saxon is warmed up for six seconds each time. Memory
is the whole process's peak.

Writes docs/bench/cpu-DATE.md and .svg, and adds a row a case to history.tsv beside them (history.py). What takes more
than 5 % longer than in this machine's last run is printed at the end. Where ../shared/perf and ../shared/conformance
are (--shared), their stylesheets and XSLTMark join in. The parsers alone are timed by build/bench/parse: the scanner
beside Expat, libxml2 and pugixml.
--clock thread counts the CPU time of each engine's one thread: for a machine that does other things as well
(tools/timing.h; not Saxon's).
"""
import argparse, datetime, json, math, os, platform, re, shutil, subprocess, sys, tempfile

import history

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "bench")
STEPS = ("parse_us", "evaluate_us", "serialize_us")
ROUND_US = 400_000          # how long one round of one engine should last


def make(name, *command):
    path = os.path.join(WORK, name)
    if not os.path.exists(path):
        print("making %s" % name, file=sys.stderr)
        subprocess.run([sys.executable, *command, "-o", path], check=True)
    return path


def cases(a):
    """(group, name, sheet, document)"""
    def gen(name):
        return os.path.join(ROOT, "bench", name)
    auction = make("auction.xml", gen("gen_auction.py"), "-f", "0.115")
    small = make("auction-small.xml", gen("gen_auction.py"), "-f", "0.01")
    feeds = [make("feed%dk.xml" % k, gen("gen_feed.py"), "-b", str(k * 1000)) for k in (5, 50)]
    sheet = lambda s: os.path.join(ROOT, "bench", "xsl", s + ".xsl")
    for f in feeds:
        yield "feeds", "feed", sheet("feed"), f
    for s in ("table", "filter", "report", "identity"):
        yield "documents", s, sheet(s), small
        yield "documents", s, sheet(s), auction
    records = make("records.xml", gen("gen_records.py"))
    for s in ("number", "previous", "section", "maximum", "distinct", "group", "neighbour", "sum", "rank"):
        yield "idioms", s, sheet("idiom/" + s), records
    perf = os.path.join(a.shared, "perf")
    if os.path.isdir(perf):
        for k in (5, 50):
            rss = make("rss%dk.xml" % k, os.path.join(perf, "gen_feed.py"), "-b", str(k * 1000))
            yield "feeds", "feed2html", os.path.join(perf, "xsl", "feed2html.xsl"), rss
        for factor in ("0.01", "0.1"):
            xmark = make("xmark_%s.xml" % factor, os.path.join(perf, "gen_xmark.py"), "-f", factor)
            for s in ("transform", "filter", "identity"):
                yield "documents", "xmark-" + s, os.path.join(perf, "xsl", s + ".xsl"), xmark
    manifest = os.path.join(a.shared, "conformance", "manifest.jsonl")
    if a.xsltmark and os.path.exists(manifest):
        with open(manifest, encoding="utf-8") as f:
            for c in map(json.loads, f):
                if "XSLTMark/" in c["xsl"] and c["kind"] != "error" and not c.get("params"):
                    base = os.path.dirname(manifest)
                    yield "XSLTMark", os.path.basename(c["xsl"])[:-4], os.path.join(base,
                        c["xsl"]), os.path.join(base, c["xml"])


def parsers(a):
    """The table of build/bench/parse: of each document MB/s at best of every parser that is here, and the scanner's of
    pugixml's."""
    gen = lambda name: os.path.join(ROOT, "bench", name)
    shapes = [make(s + ".xml", gen("gen_shapes.py"), s) for s in ("attributes", "namespaces", "prose", "cjk")]
    documents = dict.fromkeys([c[3] for c in cases(a) if c[0] in ("feeds", "documents")] + shapes)
    documents = [d for d in documents if re.search(a.only, "parsers/" + os.path.basename(d))]
    rows, engines = [], []
    for d in documents:
        # pugixml apart from libxml2, whose freed nodes leave it a heap in which it is four times as slow
        out = "".join(subprocess.run((["taskset", "-c", str(a.core)] if a.core >= 0 else [])
                                     + [WORK + "/parse", "-s", str(a.rounds), "-e", e, d], stdout=subprocess.PIPE,
                                         text=True).stdout
                      for e in ("scan,in-place,pugixml", "expat-block,expat,libxml2-sax,libxml2-tree"))
        speed = {e: int(mb) for e, mb in re.findall(r"^ +(\S+) +(\d+) MB/s at best", out, re.M)}
        engines = engines or list(speed)
        of = ["%.2f" % (speed[e] / speed["pugixml"]) if speed.get("pugixml") and speed.get(e) else ""
              for e in ("scan", "in-place")]
        rows.append("| %s %s | %s | %s |" % (os.path.basename(d), size(os.path.getsize(d)),
                                             " | ".join(str(speed.get(e, "refused")) for e in engines),
                                             " | ".join(of)))
        print(rows[-1], flush=True)
    return ["## Parsers, MB/s", "", "scan: into the document's block, checked and with namespaces resolved, as "
                                    "expat-block; in-place: it stays where it was read; expat and libxml2-sax make no "
                                    "tree; "
            "pugixml knows no namespaces and checks little.", "",
                "| document | %s | scan / pugixml | in-place / pugixml |" % " | ".join(engines),
            "|---|" + "--:|" * (len(engines) + 2), *rows, ""] if rows else []


def run(command, core, on_stderr):
    """One round: the JSON object the engine printed, with peak memory; None if it failed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        p = subprocess.run((["taskset", "-c", str(core)] if core >= 0 else []) + command, stdout=out, stderr=err)
        stream = err if on_stderr else out
        stream.seek(0)
        lines = stream.read().splitlines()
        if p.returncode:
            return None
        facts = json.loads(lines[-1])
        facts["output_us"] = facts["evaluate_us"] + facts["serialize_us"]
        facts["total_us"] = sum(facts[s] for s in STEPS) + facts.get("free_us", 0)
        return facts


PEERS = {"libxslt": [WORK + "/libxslt"], "Xalan-C": [WORK + "/xalan"],
         "Saxon-HE": ["java", "-Xmx4g", "-Xss64m", "-XX:+UseSerialGC", "-cp",
                      "/usr/share/java/Saxon-HE.jar:" + WORK, "Saxon"]}


def peers():
    """Those whose driver was built (see PEERS in the Makefile)."""
    return [e for e in PEERS if (e != "Saxon-HE" or "GX_TIMING_CLOCK" not in os.environ)
            and os.path.exists(WORK + "/Saxon.class" if e == "Saxon-HE" else PEERS[e][0])]


def engine_commands(sheet, document, team):
    ours = [ROOT + "/build/gpuxslt", "--noout", "--timing", "--json", "--team", team, sheet, document]
    of_peer = lambda e: (lambda n: PEERS[e] + [sheet, document, str(n)], False)
    return {"gpuxml": (lambda n: ours[:1] + ["--repeat", str(n)] + ours[1:], True), **{e: of_peer(e) for e in peers()}}


def measure(case, a):
    """{engine: best round}, with "worst" = slowest round's total / best round's; an engine that fails is left out."""
    commands = engine_commands(case[2], case[3], a.team)
    rounds, repeat = {e: [] for e in commands}, {}
    for e, (command, on_stderr) in commands.items():
        first = run(command(1), a.core, on_stderr)
        if first:
            repeat[e] = max(3, min(20000, int(ROUND_US / max(first["total_us"], 1))))
    for _ in range(a.rounds):
        for e in repeat:
            command, on_stderr = commands[e]
            facts = run(command(repeat[e]), a.core, on_stderr)
            if facts:
                rounds[e].append(facts)
    best = {}
    for e, r in rounds.items():
        if r:
            best[e] = min(r, key=lambda f: f["total_us"])
            best[e]["worst"] = max(f["total_us"] for f in r) / best[e]["total_us"]
    return best


def us(x):
    return "%.3g ms" % (x / 1000) if x >= 1000 else "%.3g us" % x


def size(n):
    for unit in ("B", "KB", "MB"):
        if n < 1000:
            return "%.3g %s" % (n, unit)
        n /= 1000
    return "%.3g GB" % n


def ratio(r, step, peer):
    if peer not in r or "gpuxml" not in r:
        return float("nan")
    return r[peer][step] / max(r["gpuxml"][step], 0.01)


def geometric_mean(values):
    values = [v for v in values if v == v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def table(results):
    engines = ["gpuxml"] + peers()
    is_apart = "libxslt" in engines         # the one peer whose steps are ours
    head = ["stylesheet", "document", *engines]
    head += ["libxslt / gpuxml: parse", "evaluate", "serialise", "evaluate + serialise"] if is_apart else []
    head += ["total: %s / gpuxml" % e for e in engines[1:]] + (["peak memory: gpuxml, libxslt"] if is_apart else [])
    lines = ["| %s |" % " | ".join(head), "|" + "---|" * (2 + len(engines)) + "--:|" * (len(head) - 2 - len(engines))]
    times = lambda x: "%.1fx" % x if x == x else ""
    for (group, name, _, document), r in results:
        cells = [name, "%s %s" % (os.path.basename(document), size(os.path.getsize(document)))]
        for e in engines:
            f = r.get(e)
            steps = [s for s in STEPS + ("free_us",) if f and f.get(s)]
            cells.append("%s = **%s** (x%.2f)" % (" + ".join(us(f[s]) for s in steps), us(f["total_us"]), f["worst"])
                         if f else "failed")
        cells += [times(ratio(r, s, "libxslt")) for s in (*STEPS, "output_us") if is_apart]
        cells += [times(ratio(r, "total_us", e)) for e in engines[1:]]
        if is_apart:
            cells.append(", ".join(size(r[e]["peak_bytes"]) for e in ("gpuxml", "libxslt") if e in r))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


COLOURS = ("#1f6f8b", "#c98a12", "#7a4a9a")


def plot(bars):
    """Horizontal bars: how many times faster than each peer, total time, as far as 20; a line at 1. bars: (label, [a
    ratio for each of peers()])"""
    top = min(20, max([1.5] + [v for _, values in bars for v in values if v == v]))
    scale, bar = 440 / top, 11
    row = bar * len(peers()) + 9
    height = row * len(bars) + 76
    svg = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 %d" font-family="sans-serif" font-size="13">'
           % height,
           '<title>Times faster, bytes in to bytes out</title><rect width="820" height="%d" fill="#fff"/>' % height,
           '<text x="20" y="22" font-weight="bold">How many times faster gpuxml is, bytes in to bytes out, one '
           'core</text>']
    for k, e in enumerate(peers()):
        svg.append('<rect x="%d" y="34" width="12" height="12" fill="%s"/><text x="%d" y="45">than %s</text>'
                   % (20 + k * 150, COLOURS[k], 38 + k * 150, e))
    for i, (label, values) in enumerate(bars):
        y = 60 + i * row
        svg.append('<text x="268" y="%d" text-anchor="end">%s</text>' % (y + (row - 9) / 2 + 4, label))
        for k, value in enumerate(values):
            if value == value:
                width = min(value, top) * scale
                svg.append('<rect x="276" y="%d" width="%.1f" height="%d" fill="%s"/><text x="%.1f" y="%d" '
                           'font-size="10">%.1f</text>' % (
                           y + k * bar, width, bar - 1, COLOURS[k], 280 + width, y + k * bar + 9, value))
    svg.append('<line x1="{0:.1f}" x2="{0:.1f}" y1="54" y2="{1}" stroke="#444" stroke-dasharray="3 3"/></svg>'.format(
        276 + scale, height - 12))
    return "\n".join(svg) + "\n"


def machine():
    name = platform.processor() or "unknown processor"
    try:
        with open("/proc/cpuinfo") as f:
            name = re.search(r"model name\s*: (.*)", f.read()).group(1)
    except (OSError, AttributeError):
        pass
    return "%s, %d cores, %s" % (name, os.cpu_count(), platform.platform())


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--rounds", type=int, default=4)
    ap.add_argument("--core", type=int, default=0, help="-1: do not pin")
    ap.add_argument("--team", default="solo")
    ap.add_argument("--clock", choices=("wall", "thread"), default="wall")
    ap.add_argument("--only", default="", help="cases whose group/name/document matches")
    ap.add_argument("--no-xsltmark", dest="xsltmark", action="store_false")
    ap.add_argument("--shared", default=os.path.join(ROOT, "..", "shared"), help="where perf and conformance are")
    ap.add_argument("--output", default=os.path.join(ROOT, "docs", "bench"))
    a = ap.parse_args()
    if a.clock == "thread":
        os.environ["GX_TIMING_CLOCK"] = "thread"
    os.makedirs(WORK, exist_ok=True)
    if not os.path.exists(ROOT + "/build/gpuxslt"):
        sys.exit("run.py: build/gpuxslt is not there; run make")
    for e in PEERS.keys() - peers():
        print("run.py: no driver for %s, it is left out (the Makefile's PEERS says what it takes)" % e, file=sys.stderr)
    if not shutil.which("taskset"):
        a.core = -1
    todo = [c for c in cases(a) if re.search(a.only, "/".join((c[0], c[1], os.path.basename(c[3]))))]
    results = []
    for i, c in enumerate(todo):
        r = measure(c, a)
        results.append((c, r))
        print("%3d/%d  %-12s %-18s %-18s %s" % (i + 1, len(todo), c[0], c[1], os.path.basename(c[3]), "  ".join(
            "%s %s" % (e, us(f["total_us"])) for e, f in r.items())), flush=True)
    date = datetime.date.today().isoformat()
    text, bars = ["# gpuxml and its peers, %s" % date, "", machine() + "; team %s, %d rounds in turns, best round "
        "shown, %s time; load %.1f at the end. " % (a.team, a.rounds,
            {"wall": "elapsed", "thread": "the thread's CPU"}[a.clock], os.getloadavg()[0])
                  + "Steps: parse + evaluate + serialise + free, = the total, (x: the slowest round / the best). "
                    "Ratios: how many times faster gpuxml is.", "", "![times faster](cpu-%s.svg)" % date, ""], []
    for group in dict.fromkeys(c[0] for c, _ in results):
        part = [x for x in results if x[0][0] == group]
        means = [geometric_mean([ratio(r, "total_us", e) for _, r in part]) for e in peers()]
        text += ["## %s" % group, "", *table(part), "", "Geometric means of the total over %d cases: %s." % (
                 len(part), ", ".join("%s %.2fx" % x for x in zip(peers(), means))), ""]
        if group == "XSLTMark":
            bars.append(("XSLTMark, mean of %d" % len(part), means))
        else:
            bars += [("%s, %s" % (c[1], size(os.path.getsize(c[3]))), [ratio(r, "total_us", e) for e in peers()])
                     for c, r in part]
    if os.path.exists(WORK + "/parse"):
        text += parsers(a)
    os.makedirs(a.output, exist_ok=True)
    with open(os.path.join(a.output, "cpu-%s.md" % date), "w") as f:
        f.write("\n".join(text))
    with open(os.path.join(a.output, "cpu-%s.svg" % date), "w") as f:
        f.write(plot(bars))
    print("\n".join(text[6:]))
    head = (date, history.commit_of(ROOT), machine().replace("\t", " "))
    rows = [history.row_of(head, "%s/%s/%s" % (c[0], c[1], a.team), os.path.basename(c[3]), r["gpuxml"],
                           r.get("libxslt"))
            for c, r in results if "gpuxml" in r]
    for line in history.append(os.path.join(a.output, "history.tsv"), rows):
        print("run.py: slower than before: " + line, file=sys.stderr)


if __name__ == "__main__":
    main()
