#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No rule of the planner changes a result: each is switched off by itself, over the cases that have most to try, where
another program comes of it."""
import glob
import os
import re
import subprocess
import sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import *

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
GPUXSLT = os.path.join(os.environ.get("B", "build"), "gpuxslt")


def run(*args):
    p = subprocess.run([GPUXSLT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.stdout, p.returncode


cases = [x[:-4] for pattern in ("join/*", "path/place*", "path/choose*", "path/at-*", "path/first-*", "path/axis*",
                                "key/axis*", "key/few*", "boolean/*", "string/*", "template/copies*")
         for x in sorted(glob.glob("t/cases/%s.xsl" % pattern))]
cases = [x for x in cases
         if os.path.exists(x + ".xml") and os.path.exists(x + ".out") and not os.path.exists(x + ".args")]
rules = run("--rules", "list")[0].decode().split()
tap(len(cases) > 25 and len(rules) > 70, "cases and rules are found", len(cases), len(rules))


def program(case, *off):
    """As --explain puts it, which names most rules that were applied"""
    return run("--rules", ",".join("-" + rule for rule in off) or "all", "--explain", case + ".xsl")[0].decode()


def that_change(case, whole, group):
    """Those of the group without which the program is another one: by halves, as there are few"""
    if not group or program(case, *group) == whole:
        return []
    half = len(group) // 2
    return that_change(case, whole, group[:half]) + that_change(case, whole, group[half:]) if half else group


tried = {rule: [] for rule in rules}
for x in cases:
    whole = program(x)
    named = set(" ".join(re.findall(r"(?m)^    rules: (.*)$", whole)).split()) & set(rules)
    for rule in sorted(named) + that_change(x, whole, [rule for rule in rules if rule not in named]):
        tried[rule].append(x)
want = {x: open(x + ".out", "rb").read() for x in cases}
for rule in rules:
    wrong = [x for x in tried[rule] if run("--rules", "-" + rule, x + ".xsl", x + ".xml") != (want[x], 0)]
    tap(not wrong, "without the rule %s: %d cases" % (rule, len(tried[rule])), *wrong)
done()
