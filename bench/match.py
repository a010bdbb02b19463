#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxml-match timed with profiles of the mix that Absalyamov et al. (2013) vary: number, length, branches, wildcards;
a table in Markdown.

    bench/match.py >docs/bench/match-DATE.md

Documents of 25 KB and profiles are of one random schema (gen_profiles.py); every tenth step compares a value. A time is
the least of 20, of one core, its CPU time, without parsing; the mean of the documents.
"""
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GEN, MATCH = os.path.join(ROOT, "bench", "gen_profiles.py"), os.path.join(ROOT, "build", "gpuxml-match")
MIX = [(n, 5, 1, 0.1) for n in (1000, 10000, 100000)] + [(100000, steps, splits, wild) for steps,
    splits in ((5, 1), (10, 3), (15, 6)) for wild in (0.1, 0.3, 0.5)][1:]


def main():
    print("| profiles | steps | splits | * and // | compile ms | formulas | bytes a profile | matches | held | tried | "
          "us a document |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as d:
        doc, profiles = os.path.join(d, "doc"), os.path.join(d, "profiles")
        subprocess.run([GEN, "--documents", "4", "-o", doc], check=True)
        for n, steps, splits, wild in MIX:
            subprocess.run([GEN, "-n", str(n), "--steps", str(steps), "--splits", str(splits), "--wild", str(wild),
                            "-o", profiles], check=True)
            told = [subprocess.run([MATCH, "--count", "--bench", "20", profiles, doc + "%d.xml" % i], check=True,
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True).stderr for i in range(4)]
            compiled, formulas, size = re.search(r"compiled in ([\d.]+) ms, (\d+) formulas, (\d+) bytes",
                                                 min(told, key=lambda s: float(
                re.search(r"compiled in ([\d.]+)", s).group(1)))).groups()
            mean = lambda pattern: sum(float(re.search(pattern, s).group(1)) for s in told) / len(told)
            print("| %d | %d | %d | %d %% | %s | %s | %s | %.0f | %.0f | %.0f | %.0f |" % (
                n, steps, splits, 100 * wild, compiled, formulas, size, mean(r"(\d+) matches"),
                mean(r"(\d+) formulas held"), mean(r"(\d+) tried"),
                mean(r"matched in ([\d.]+)")), flush=True)


if __name__ == "__main__":
    main()
