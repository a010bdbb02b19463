# SPDX-License-Identifier: Apache-2.0
"""The history of a benchmark: docs/bench/history.tsv, a row a case and run, and what became slower since this machine's
last run.

    date  commit  machine  case  document  parse_us  evaluate_us  serialize_us  total_us  peak_bytes  of_libxslt

of_libxslt: our total divided by libxslt's in the same rounds, empty without it. It is what runs are compared by where
both rows have it, since a machine may be half as fast today; else the total is. `case` has the team in it.
"""
import csv, os, subprocess

COLUMNS = ("date", "commit", "machine", "case", "document", "parse_us", "evaluate_us", "serialize_us", "total_us",
           "peak_bytes", "of_libxslt")
TOLERANCE = 1.05


def commit_of(root):
    """The commit of a checkout, with a + where files differ from it."""
    p = subprocess.run(["git", "-C", root, "describe", "--always", "--dirty=+", "--abbrev=9", "--match="],
                       capture_output=True, text=True)
    return p.stdout.strip() or "unknown"


def row_of(head, case, document, facts, libxslt):
    """head: (date, commit, machine); facts, libxslt: as run.py's measure() gives them, libxslt may be None"""
    ratio = "%.4f" % (facts["total_us"] / libxslt["total_us"]) if libxslt and libxslt["total_us"] else ""
    numbers = ["%.2f" % facts[c] for c in ("parse_us", "evaluate_us", "serialize_us", "total_us")]
    return dict(zip(COLUMNS, (*head, case, document, *numbers, str(facts.get("peak_bytes", "")), ratio)))


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


def slower(before, rows):
    """(row, factor) for those of rows that took more than TOLERANCE x the same machine's last one in before."""
    last = {(r["machine"], r["case"], r["document"]): r for r in before}
    for r in rows:
        old = last.get((r["machine"], r["case"], r["document"]))
        if old:
            by = "of_libxslt" if r["of_libxslt"] and old["of_libxslt"] else "total_us"
            factor = float(r[by]) / max(float(old[by]), 1e-9)
            if factor > TOLERANCE:
                yield r, factor


def append(path, rows):
    """Adds rows to the file; returns a line for each that is slower than before."""
    lines = ["%s %s: %.2f times what it took" % (r["case"], r["document"], f) for r, f in slower(read(path), rows)]
    is_new = not os.path.exists(path)
    with open(path, "a", encoding="utf-8", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, delimiter="\t", lineterminator="\n")
        if is_new:
            w.writeheader()
        w.writerows(rows)
    return lines
