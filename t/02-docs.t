#!/usr/bin/env python3
"""docs/directives.md and docs/messages.md say what the sources do: every directive with its context, limits with their defaults, variables,
reasons, numbers of messages with their class. And the links of all pages lead somewhere."""
import glob
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

os.chdir(ROOT)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


config = read("mod_gpuxml.c")
module = config + "".join(read(p) for p in sorted(glob.glob("module/*.c")))
directives, messages = read("docs/directives.md"), read("docs/messages.md")

# ---- directives ----

WHERE = {"RSRC_CONF": "server", "RSRC_CONF | ACCESS_CONF": "directory", "OR_FILEINFO": ".htaccess"}
there = {}
for name, setter, where in re.findall(r'AP_INIT_\w+\("(\w+)", (\w+), NULL, ([A-Z_ |]+),', config):
    body = re.search(r"^static const char \*%s\(.*?^}" % setter, config, re.M | re.S).group(0)
    there[name] = "main" if "GLOBAL_ONLY" in body else WHERE[where]
told = dict(re.findall(r"^### (\w+)\n\*Syntax\* `\1 .*\*Context\* (\S+)$", directives, re.M))
is_(told, there, "every directive has its section, with syntax and context")
is_(re.findall(r"^### (\w+)$", directives, re.M), sorted(there, key=str.lower), "in the alphabet's order")
is_(sorted(set(re.findall(r"\]\(#(gpuxml\w+)\)", directives.split("\n## ")[0]))), sorted(n.lower() for n in there), "and its place in the overview")

limits = {}
for name, value in re.findall(r"^    LIMIT\d\d\((\w+), (?:\(u32\))?([KMG]\(\d+\)|\d+)", read("engine/error.c"), re.M):
    limits[name] = "none" if value == "0" else re.sub(r"^([KMG])\((\d+)\)$", r"\2\1", value)
is_(dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", directives, re.M)), limits, "the limits, and their defaults")

names = set(re.findall(r'tell(?:_number)?\([\w>-]+, "(GPUXML_\w+)"', module))
is_(set(re.findall(r"`(GPUXML_\w+)`", directives)), names, "the variables for the access log")
filter_c = read("module/request.c")
reasons = set(re.findall(r'return "([a-z-]+)";', re.search(r"^const char \*gxm_not_for_us\(.*?^}", read("module/ours.c"), re.M | re.S).group(0)))
reasons |= set(re.findall(r'step_aside\(ctx, bb, "([a-z-]+)"\)', filter_c)) | set(re.findall(r'tell_state\(r, "bypass", "([a-z]+)"\)', filter_c))
row = re.search(r"^\| `GPUXML_CODE` .*$", directives, re.M).group(0)
is_(set(re.findall(r"`([a-z-]+)`", row)), reasons, "the reasons of a bypass")

# ---- messages ----

CLASS = {"SOURCE": "source", "SHEET": "sheet", "BUSY": "busy", "TIME": "time"}
failures = {"GX0" + tag: CLASS[cls] for tag, cls in re.findall(r"failure \w+ = \{ (\d+), GXM_CLASS_(\w+),", module)}
rows = re.findall(r"^\| (GX\d+) \| ([^|]*?) \|", messages, re.M)
is_({tag: what for tag, what in rows if tag in failures}, failures, "every failure of a request has its row, with its class")
is_({tag for tag, _ in rows}, set(failures) | set(re.findall(r'"(GX\d{4}):', module)), "so has every other number, and no row is of one that is not there")
is_([tag for tag, _ in rows], sorted(tag for tag, _ in rows), "each once, in order")

# ---- links ----


def anchors(page):
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", read(page), re.M)}


bad = []
for page in sorted(glob.glob("*.md") + glob.glob("docs/*.md") + glob.glob("docs/bench/*.md")):
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if "://" not in target and (not os.path.exists(path) or (anchor and anchor not in anchors(path))):
            bad.append("%s: %s" % (page, target))
is_(bad, [], "the links of all pages lead somewhere")
done()
