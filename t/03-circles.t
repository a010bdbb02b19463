#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file of the product includes or calls in a circle, or declares what a higher file defines: who reads one can stop at
what lies below it. Lines have at most 120 columns, and comments are a share of the lines.

Calls between object files are read off these: what one needs and another one defines. The machine is headers, which one
object file includes: there a declaration of what a header defines that includes this one is a call upwards."""
import collections
import io
import os
import re
import subprocess
import sys
import tokenize
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

os.chdir(ROOT)
B = os.environ.get("B", "build")
ROOMS = ["engine", "queue", "module", "worker"]
FLOOR = 0.157                           # of comments, lines that have one over lines that are not blank
EXEMPT = {"gpuxml_module"}              # data: httpd finds a module's configuration by its address


def circles(graph):
    """Strongly connected parts of more than one node (Tarjan), without recursion."""
    index, low, stack, on, out = {}, {}, [], set(), []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, edges = work[-1]
            for to in edges:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    on.add(to)
                    work.append((to, iter(graph.get(to, ()))))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = set()
                    while node not in part:
                        part.add(stack.pop())
                    on -= part
                    if len(part) > 1:
                        out.append(part)
    return out


def includes():
    files = [os.path.join(d, f) for room in ROOMS + ["kernels", "tools"] for d, _, names in os.walk(room) for f in names
             if f.endswith((".c", ".h", ".cu"))]
    known, graph = set(files) | {"mod_gpuxml.c"}, {}
    for f in known:
        with open(f) as source:
            named = re.findall(r'^\s*#\s*include "([^"]+)"', source.read(), re.M)
        found = ([p for p in (os.path.normpath(os.path.join(d, name)) for d in (os.path.dirname(f), "engine", "queue",
            "")) if p in known] for name in named)
        graph[f] = {p[0] for p in found if p}
    return graph


def closure(graph, f):
    seen, work = set(), [f]
    while work:
        for to in graph.get(work.pop(), ()):
            if to not in seen:
                seen.add(to)
                work.append(to)
    return seen


SIGNATURE = re.compile(r"^(?!typedef|return|else|extern)[A-Za-z_][\w \*]*?[ \*]((?:gx|gxp|gxs|gxm|team)_\w+)"
                       r"\(([^;{}]*?)\)\s*([;{])", re.M | re.S)


def upwards(texts, graph):
    """Functions that a header declares and one defines that includes it: (name, declared in, defined in)"""
    declared, defined = collections.defaultdict(set), collections.defaultdict(set)
    for f, text in texts.items():
        for name, _, end in SIGNATURE.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
            (declared if end == ";" else defined)[name].add(f)
    return sorted((name, f, g) for name in declared for f in declared[name] for g in defined[name]
                  if f != g and f.endswith(".h") and g.endswith(".h") and f in closure(graph, g))


def calls(objects):
    defines, needs = {}, collections.defaultdict(set)
    for o in objects:
        for line in subprocess.run(["nm", o], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
            *_, kind, symbol = line.split()
            if kind in "TDBRV":
                defines[symbol] = o
            elif kind == "U":
                needs[o].add(symbol)
    return {o: {defines[s]: s for s in sorted(needs[o] - EXEMPT) if s in defines and defines[s] != o} for o in objects}


is_(sorted(map(sorted, circles({"a": "b", "b": "cd", "c": "a", "d": "e", "e": "d", "f": "a"}))),
    [["a", "b", "c"], ["d", "e"]], "circles are found")
included = includes()
is_(sorted(map(sorted, circles(included))), [], "no circle of includes")
texts = {f: open(f, encoding="utf-8").read() for f in included}
is_(upwards({"low.h": "GX_OP u32 gx_f(u32 a);\n", "mid.h": "", "high.h": "GX_OP u32 gx_f(u32 a)\n{\n"},
            {"high.h": {"mid.h"}, "mid.h": {"low.h"}}), [("gx_f", "low.h", "high.h")], "a call upwards is seen")
is_(upwards(texts, included), [], "no header declares what a higher one defines")

objects = [os.path.join(d, f) for room in ROOMS for d, _, names in os.walk(os.path.join(B, room)) for f in names
           if f.endswith(".o")]
objects.append(os.path.join(B, "mod_gpuxml.o"))
sources = [o for o in objects if os.path.exists(o[len(B) + 1:-1] + "c")]       # not of files that are gone
graph = calls(sources)
ok(len(sources) > 100 and sum(map(len, graph.values())) > 300, "object files tell who calls whom")
found = [{o[len(B) + 1:-2] for o in part} for part in circles(graph)]
is_(found, [], "no circle of calls")
for part in found:
    for o in sorted(part):
        for to, symbol in graph["%s/%s.o" % (B, o)].items():
            if to[len(B) + 1:-2] in part:
                diag("%s calls %s of %s" % (o, symbol, to[len(B) + 1:-2]))
# ---- lines ----

# a macro's long string may be continued like anything else; in Python, what a string of several lines says is data
def data_of(python):
    return {n for t in tokenize.generate_tokens(io.StringIO(python).readline)
            if t.type == tokenize.STRING and t.start[0] != t.end[0] for n in range(t.start[0], t.end[0] + 1)}


def long_lines(f):
    with open(f, encoding="utf-8") as source:
        text = source.read()
    python = f.endswith(".py") or (text.startswith("#!") and "python" in text.partition("\n")[0])
    data = data_of(text) if python else ()
    return ["%s:%d" % (f, n) for n, line in enumerate(text.split("\n"), 1) if len(line) > 120 and n not in data]


def code(*rooms):
    """C, C++, CUDA and Python of the rooms; not of their data"""
    for d, _, names in (x for room in rooms for x in os.walk(room)):
        for f in (os.path.join(d, name) for name in names):
            if f.startswith(("t/cases", "t/sheets")) or "__pycache__" in f:
                continue
            with open(f, "rb") as source:
                first = source.readline()
            if f.endswith((".c", ".h", ".cc", ".cpp", ".py")) or (first.startswith(b"#!") and b"python" in first):
                yield f


is_(data_of('a = """b\nc\n"""\nd = "e"\n'), {1, 2, 3}, "a string of several lines is seen")
rooms = sorted(code("t", "bench", "fuzz"))
ok(len(rooms) > 150 and "t/35-bombs.t" in rooms and "t/12-scan.c" in rooms,
   "tests, benchmarks and fuzz targets are seen")
is_([x for f in sorted(includes()) + rooms + ["Makefile"] for x in long_lines(f)], [],
    "lines of the product, of tests and of benchmarks have at most 120 columns")

# ---- comments ----

TOKEN = re.compile(r"""/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.S)


def share(text):
    """(lines that have any comment, lines that are not blank) of C"""
    def mark(token):
        return re.sub(r"[^\n]+", "\1", token.group(0)) if token.group(0).startswith("/*") else "0"
    lines = [line for line in TOKEN.sub(mark, text).split("\n") if line.strip()]
    return sum("\1" in line for line in lines), len(lines)


is_(share("/* a's\n * b */\nint c; /* d */\n\nchar *e = \"/* f */\";\n{\n"), (3, 5), "lines of comments are counted")
bodies = {f: text for f, text in texts.items() if f.startswith("engine/") and re.search(r"^\{", text, re.M)}
comments, lines = map(sum, zip(*map(share, bodies.values())))
if not ok(comments >= FLOOR * lines, "%.1f %% of the lines of engine/'s functions have comments" % (100 * FLOOR)):
    diag("%d of %d, %.2f %%" % (comments, lines, 100 * comments / lines))
done()
