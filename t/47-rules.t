#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No rule of the planner changes a result: each is switched off by itself, over the cases that have most to try."""
import glob
import os
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
                                "key/axis*", "key/few*", "boolean/*")
         for x in sorted(glob.glob("t/cases/%s.xsl" % pattern))]
cases = [x for x in cases
         if os.path.exists(x + ".xml") and os.path.exists(x + ".out") and not os.path.exists(x + ".args")]
rules = run("--rules", "list")[0].decode().split()
tap(len(cases) > 25 and len(rules) > 70, "cases and rules are found", len(cases), len(rules))
want = {x: open(x + ".out", "rb").read() for x in cases}
for rule in rules:
    wrong = [x for x in cases if run("--rules", "-" + rule, x + ".xsl", x + ".xml") != (want[x], 0)]
    tap(not wrong, "without the rule %s" % rule, *wrong)
done()
