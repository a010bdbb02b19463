#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/directives.md and docs/reference/messages.md say what the sources do: every directive with its
context, limits with their defaults, variables, reasons, numbers of messages with their class and level, the languages
of sorting. What ARCHITECTURE.md and first comments name is there, and the links of all pages lead somewhere."""
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
directives, messages = read("docs/reference/directives.md"), read("docs/reference/messages.md")

# ---- directives ----

WHERE = {"RSRC_CONF": "server", "RSRC_CONF | ACCESS_CONF": "directory", "OR_FILEINFO": ".htaccess"}
there = {}
for name, setter, where in re.findall(r'AP_INIT_\w+\("(\w+)", (\w+), NULL, ([A-Z_ |]+),', config):
    body = re.search(r"^static const char \*%s\(.*?^}" % setter, config, re.M | re.S).group(0)
    there[name] = "main" if "GLOBAL_ONLY" in body else WHERE[where]
told = dict(re.findall(r"^### (\w+)\n\*Syntax\* `\1 .*\*Context\* (\S+)$", directives, re.M))
is_(told, there, "every directive has its section, with syntax and context")
is_(re.findall(r"^### (\w+)$", directives, re.M), sorted(there, key=str.lower), "in the alphabet's order")
is_(sorted(set(re.findall(r"\]\(#(gpuxml\w+)\)", directives.split("\n## ")[0]))), sorted(n.lower() for n in there),
    "and its place in the overview")

limits = {}
for name, value in re.findall(r"^    LIMIT\d\d\((\w+), (?:\(u32\))?([KMG]\(\d+\)|\d+)", read("engine/error.c"), re.M):
    limits[name] = "none" if value == "0" else re.sub(r"^([KMG])\((\d+)\)$", r"\2\1", value)
is_(dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", directives, re.M)), limits, "the limits, and their defaults")

default = dict(re.findall(r"^\*Syntax\* `(\w+) .*\*Default\* `([^`]*)`", directives, re.M))
number = {f: v for f, v in re.findall(r"gxm_conf\.(\w+) = (?:\(u64\))?(\d+)(?: << 20)?;", config)}
is_([default[d] for d in ("GPUXMLCache", "GPUXMLSharedMemory", "GPUXMLWorkerRestart", "GPUXMLTimeout",
                          "GPUXMLCheckFiles")],
    [number["cache_bytes"] + "M", number["shared_bytes"] + "M", "%(restart_n)s/%(restart_s)s %(backoff_s)ss" % number,
     "%ds" % (int(re.search(r": (\d+)000000;", read("module/conf.c")).group(1))),
     "%ds" % (int(re.search(r"conf->check_us = (\d+)000000;", config).group(1)))],
    "the defaults of sizes and times")

names = set(re.findall(r'(?:tell(?:_number)?\([\w>-]+,|\{) "(GPUXML_\w+)"', module))
is_(set(re.findall(r"`(GPUXML_\w+)`", directives)), names, "the variables for the access log")
filter_c = read("module/request.c")
reasons = set(re.findall(r'return "([a-z-]+)";',
    re.search(r"^const char \*gxm_not_for_us\(.*?^}", read("module/ours.c"), re.M | re.S).group(0)))
reasons |= set(re.findall(r'step_aside\(ctx, bb, "([a-z-]+)"\)',
                          filter_c)) | set(re.findall(r'tell_state\(r, "bypass", "([a-z]+)"\)', filter_c))
row = re.search(r"^\| `GPUXML_CODE` .*$", directives, re.M).group(0)
is_(set(re.findall(r"`([a-z-]+)`", row)), reasons, "the reasons of a bypass")

# ---- messages ----

CLASS = {"SOURCE": "source", "SHEET": "sheet", "BUSY": "busy", "TIME": "time"}
failures = {"GX0" + tag: CLASS[cls] for tag, cls in re.findall(r"failure \w+ = \{ (\d+), GXM_CLASS_(\w+),", module)}
rows = re.findall(r"^\| (GX\d+) \| ([^|]*?) \|", messages, re.M)
is_({tag: what for tag, what in rows if tag in failures}, failures,
    "every failure of a request has its row, with its class")
is_({tag for tag, _ in rows}, set(failures) | set(re.findall(r'"(GX\d{4}):', module)),
    "so has every other number, and no row is of one that is not there")
is_([tag for tag, _ in rows], sorted(tag for tag, _ in rows), "each once, in order")

LEVEL = {"ERR": "error", "WARNING": "warning"}
levels = {}
for args, tag in re.findall(r'ap_log_r?error\(APLOG_MARK, ([^";]*?)"(GX\d{4}):', module):
    for level in re.findall(r"APLOG_(CRIT|ERR|WARNING|NOTICE|INFO|DEBUG)\b", args):
        levels.setdefault(tag, set()).add(LEVEL.get(level, level.lower()))
is_([(tag, what) for tag, what in rows if tag in levels and what not in levels[tag] and tag != "GX0153"], [],
    "the levels of the others")

# ---- names of files and functions ----

tracked = {os.path.relpath(os.path.join(at, f)) for top in ("engine", "kernels", "queue", "worker", "module", "tools",
                                                            "t") for at, _, fs in os.walk(top)
           for f in fs} | {"mod_gpuxml.c"}
base = {os.path.basename(p) for p in tracked} | {os.path.basename(p) for p in glob.glob("docs/**/*.md",
    recursive=True) + glob.glob("bench/*")}
code = {p: read(p) for p in tracked if re.search(r"\.(c|h|cu)$", p) and not p.startswith("t/")}
first = {p: re.match(r"(?s)/\*.*?\*/", s).group(0) for p, s in code.items() if s.startswith("/*")}
words = set(re.findall(r"\w+", " ".join(re.sub(r"(?s)/\*.*?\*/", "", s) for s in code.values())))
NAME = r"\b(?:gxm?|GXM?|team|TEAM)_\w*[A-Za-z0-9]\b(?![*_])"
bad = ["%s: %s" % (p, n) for p, s in [("ARCHITECTURE.md", read("ARCHITECTURE.md"))] + sorted(first.items())
       for n in re.findall(NAME, s) if n not in words]
is_(bad, [], "functions and types that ARCHITECTURE.md and first comments name are there")
bad = ["%s: %s" % (p, n) for p, s in [("ARCHITECTURE.md", read("ARCHITECTURE.md"))] + sorted(first.items())
       for n in re.findall(r"(?<![\w*/.])\w[\w/-]*\.(?:c|h|cu|t|md)\b(?!\*)", s) if os.path.basename(n) not in base]
is_(bad, [], "and so are files")
named = [(top, re.sub(r"\*", r"\\w*", n.replace(".", r"\."))) for at, text in
         re.findall(r"^(\S+)((?:.*\n)(?:[ ]+.*\n)*)",
                    re.search(r"```\n(.*?)```", read("ARCHITECTURE.md"), re.S).group(1), re.M)
         for top in [at.split("/")[0]] for n in re.findall(r"[\w*]+\.(?:cu|c)\b", at + text)]
bad = [p for p in sorted(code) if re.search(r"\.(c|cu)$", p) and "/" in p and not p.startswith(("tools/", "t/"))
       and not any(re.fullmatch(top + r"/(?:\w+/)?" + n, p) for top, n in named)]
is_(bad, [], "and every source file has its place in ARCHITECTURE.md's map")

# ---- languages ----

tags = re.findall(r'\{ "([a-z ]+)", (?:""|\{)', read("engine/machine/collate.h"))
known = set(" ".join(tags).split()) - {"nb", "nn"}      # Norwegian's two, beside no
listed = re.search(r"`lang` chooses an alphabet for(.*?);", read("docs/reference/conformance.md"), re.S).group(1)
is_((len(re.split(r",| and ", listed)), re.search(r"alphabet of (\d+) languages", read("README.md")).group(1)),
    (len(known), str(len(known))),
    "the languages whose alphabets there are, listed and counted")

# ---- the compiler's limits ----

page = read("docs/reference/conformance.md")
wrong = []
for header, name, words in (("engine/xslt/sheet.h", "GX_SHEET_SLOTS", "instructions in one template"),
                            ("engine/xslt/sheet.h", "GX_SHEET_DEPTH", "elements inside each other"),
                            ("engine/xslt/sheet.h", "GX_SHEET_SCOPE", "variables and parameters within sight"),
                            ("engine/xslt/sheet.h", "GX_SHEET_MODULES", "modules"),
                            ("engine/xpath/xpath.h", "GX_XPATH_DEPTH", "levels in an expression")):
    value = re.search(r"#define %s\s*\\?\s*(\d+)u" % name, read(header)).group(1)
    if "%s %s" % (format(int(value), ","), words) not in re.sub(r"\n\(.*?\)", "", page):
        wrong.append("%s %s" % (value, words))
is_(wrong, [], "the limits of the compiler are those of the sources")

# ---- links ----


def anchors(page):
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", read(page), re.M)}


bad = []
pages = sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True) + glob.glob("conf/*.md"))
for page in pages:
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if "://" not in target and (not os.path.exists(path) or (anchor and anchor not in anchors(path))):
            bad.append("%s: %s" % (page, target))
is_(bad, [], "the links of all pages lead somewhere")
indexed = {os.path.normpath(os.path.join("docs", t.split("#")[0])) for t in re.findall(r"\]\(([^)\s]+)\)",
    read("docs/README.md"))}
is_([p for p in pages if p.startswith("docs/") and not p.startswith("docs/bench/") and p != "docs/README.md"
     and p not in indexed], [], "docs/README.md has every page")
ok(all("(%s)" % p in read("README.md") for p in ("docs/README.md", "ARCHITECTURE.md")),
   "README.md leads to it, and to ARCHITECTURE.md")
done()
