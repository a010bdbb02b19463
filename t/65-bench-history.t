#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark's history: rows are appended, and what became slower on the same machine is told."""
import os, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
sys.dont_write_bytecode = True
import history

n = 0


def same(got, want, claim):
    global n
    n += 1
    print("%sok %d - %s" % ("" if got == want else "not ", n, claim))
    if got != want:
        print("#   got  %r\n#   want %r" % (got, want))


def row(machine, case, us, peer_us):
    facts = {"parse_us": 1, "evaluate_us": 1, "serialize_us": us - 2, "total_us": us, "peak_bytes": 4096}
    return history.row_of(("2026-01-02", "abc", machine), case, "a.xml", facts,
                          {"total_us": peer_us} if peer_us else None)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "history.tsv")
    same(history.append(path, [row("m", "feeds/feed/solo", 100, 1000), row("m", "lone", 100, 0)]), [],
         "the first rows of a machine are compared with nothing")
    same(history.append(path, [row("m", "feeds/feed/solo", 200, 2000), row("m", "lone", 104, 0)]), [],
         "a machine that is half as fast today is no regression, nor is 4 %")
    same(history.append(path, [row("m", "feeds/feed/solo", 100, 500), row("m", "lone", 130, 0)]),
         ["feeds/feed/solo a.xml: 2.00 times what it took", "lone a.xml: 1.25 times what it took"],
         "slower beside libxslt, or without it by the clock: both are told")
    same(history.append(path, [row("other", "lone", 900, 0), row("m", "new", 900, 0)]), [],
         "other machines and new cases have a history of their own")
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    same((len(lines), lines[0].split("\t")), (9, list(history.COLUMNS)), "one head, then a row each")
    same(lines[1].split("\t")[-1], "0.1000", "with the share of libxslt's time")
print("1..%d" % n)
