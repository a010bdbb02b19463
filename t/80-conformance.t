#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every case of t/cases gives the expected bytes, alone, with a team of threads, without any of the planner's rules and
with each strategy for tree patterns; the conformance suites keep their level.

A strategy is tried with the cases that have something to choose it for: tree patterns, an automaton of template rules,
expressions that are strings.

A case is t/cases/AREA/NAME.xsl with NAME.xml (or the area's doc.xml), NAME.out and perhaps NAME.args (one argument a
line). Instead of NAME.out, NAME.status: the exit status, or "error" (any but a crash, a message, and nothing on
standard output). Expected output was worked out from the recommendations and compared with xsltproc; where the two
differ, the first decided.

build/asan/gpuxslt and build/tsan/gpuxslt (a team of 4) take part where they have been built. The suites are not part of
the project: ../shared/conformance is used if it is there, its error cases with --strict; t/conformance.floor says how
many cases must pass, at least.
"""
import concurrent.futures, glob, json, os, re, subprocess, sys, tempfile
from tap import done, tap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VARIANTS = [(n, [os.path.join(ROOT, p)] + a) for n, p, a in (
    ("solo", "build/gpuxslt", []),
    ("solo, without rules", "build/gpuxslt", ["--rules", "none"]),
    ("threads:4", "build/gpuxslt", ["--team", "exactly:4"]),
    ("solo, bits", "build/gpuxslt", ["--strategy", "bits"]),
    ("solo, levels", "build/gpuxslt", ["--strategy", "levels"]),
    ("threads:4, levels", "build/gpuxslt", ["--team", "exactly:4", "--strategy", "levels"]),
    ("solo, twig", "build/gpuxslt", ["--strategy", "twig"]),
    ("threads:4, twig", "build/gpuxslt", ["--team", "exactly:4", "--strategy", "twig"]),
    ("threads:4, bits", "build/gpuxslt", ["--team", "exactly:4", "--strategy", "bits"]),
    ("ASan and UBSan", "build/asan/gpuxslt", []),
    ("TSan, threads:4", "build/tsan/gpuxslt", ["--team", "exactly:4"]))]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def run(command, stem):
    folder, name = os.path.split(stem)
    xml = name + ".xml" if os.path.exists(stem + ".xml") else "doc.xml"
    args = read(stem + ".args").decode().splitlines() if os.path.exists(stem + ".args") else []
    # these limits say that it is fast: that is what the rules are for
    if "--rules" in command and os.path.exists(stem + ".out"):
        args = [a for i, a in enumerate(args)
                if not any(re.match("(steps|arena)=", x) for x in args[i:i + (2 if a == "--limit" else 1)])]
    try:
        p = subprocess.run(command + args + [name + ".xsl", xml], cwd=folder, stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=300)
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired:
        return "more than 300 s", b"", b""


def judge(stem, result):
    """None, or what is wrong."""
    status, out, err = result
    sanitizer = re.search(rb"(ThreadSanitizer|AddressSanitizer|LeakSanitizer|runtime error).*", err)
    if sanitizer:
        return sanitizer.group(0).decode()
    if os.path.exists(stem + ".status"):
        want = read(stem + ".status").decode().strip()
        good = 0 < status < 126 if want == "error" and isinstance(status, int) else str(status) == want
        return None if good and err and not out else "status %s (expected %s), output %r, message %r" % (status, want,
            out[:99], err[:99])
    want = read(stem + ".out")
    return None if status == 0 and out == want else "status %s %s\nexpected %r\ngot      %r" % (status,
        err[:200].decode("utf-8", "replace"), want, out)


def has_strategies(stem):
    p = subprocess.run([VARIANTS[0][1][0], "--explain", stem + ".xsl"], capture_output=True)
    if p.returncode:
        return os.path.exists(stem + ".out")            # it wants its arguments
    return re.search(rb"twig\(|<rules: automaton|host:dynamic:", p.stdout) is not None


def cases():
    every = sorted(p[:-4] for p in glob.glob(ROOT + "/t/cases/*/*.xsl"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        chosen = [stem for stem, has in zip(every, pool.map(has_strategies, every)) if has]
        tap(len(chosen) > 80, "cases with strategies are found", len(chosen))
        for name, command in VARIANTS:
            if not os.path.exists(command[0]):
                print("# not built: %s" % command[0][len(ROOT) + 1:])
                continue
            stems = chosen if "--strategy" in command else every
            results = list(pool.map(lambda s: run(command, s), stems))
            for stem, result in zip(stems, results):
                wrong = judge(stem, result)
                tap(wrong is None, "%s: %s" % (name, stem[len(ROOT) + 9:]), wrong)


def in_folder(folder, path):
    """A path of the manifest, several, or None."""
    return [os.path.join(folder, p) for p in path] if isinstance(path, list) else path and os.path.join(folder, path)


def suites():
    runner = os.path.join(os.path.dirname(ROOT), "shared", "conformance", "run.py")
    if not os.path.exists(runner):
        print("# no conformance suites here")
        return
    floor = int(read(ROOT + "/t/conformance.floor"))
    folder, got, told, wrong = os.path.dirname(runner), 0, "", ""
    with open(os.path.join(folder, "manifest.jsonl"), encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    for option in ("", " --strict"):            # what is to be an error is one in strict mode: else it is as in libxslt
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
            for case in cases:
                if (case["kind"] == "error") == bool(option):
                    f.write(json.dumps({k: in_folder(folder, v) if k in ("xsl", "xml", "expected") else v for k,
                                        v in case.items()}) + "\n")
            f.flush()
            p = subprocess.run([runner, "--cmd", ROOT + "/build/gpuxslt%s {params} {xsl} {xml}" % option, "-j", "2",
                                "--min-peers", "2",
                                "--list-fail", f.name], capture_output=True, text=True)
        passed = re.search(r"(?m)^ALL core\s+(\d+)\s+(\d+)", p.stdout)
        summary = [line for line in p.stdout.splitlines() if not re.match("FAIL|CRASH|TIMEOUT", line)]
        print("".join("# %s\n" % line for line in ["errors, --strict" if option else "results"] + summary), end="")
        told += p.stdout
        wrong += p.stderr
        got += int(passed.group(2)) if passed else 0
    if os.path.isdir(ROOT + "/build"):
        with open(ROOT + "/build/conformance.txt", "w") as f:
            f.write(told)
    tap(got >= floor, "conformance suites: %d cases pass, at least %d must (t/conformance.floor)" % (got, floor), wrong)
    tap("CRASH" not in told and "TIMEOUT" not in told, "no case crashes or takes too long",
        *[line for line in told.splitlines() if re.match("CRASH|TIMEOUT", line)])


if not os.path.exists(VARIANTS[0][1][0]):
    print("1..0 # SKIP build/gpuxslt is not there")
    sys.exit(0)
cases()
suites()
done()
