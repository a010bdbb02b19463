#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make install's man pages: mandoc has no complaint of any, man shows them, and they have every option, directive and
page of what they are about. tools/manual itself is tried with Markdown that could be mistaken for requests or escapes
of roff."""
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

os.chdir(ROOT)
to = os.path.join(ROOT, "build", "man-installed")
shutil.rmtree(to, ignore_errors=True)
env = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}


def output(*args, **kw):
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(env, LC_ALL="C.UTF-8", **kw),
                       timeout=120)
    return p.returncode, p.stdout.decode("utf-8", "replace")


code, said = output("make", "-o", "all", "install", "DESTDIR=" + to, "PREFIX=/usr")
is_(code, 0, "make install") or diag(said)
pages = {name: os.path.join(to, "usr/share/man/man%s" % name[-1], name) for name in ("gpuxslt.1", "gpuxml-match.1",
    "gpuxml-store.1", "gpuxml-worker.8", "mod_gpuxml.8")}
is_(sorted(f for _, _, fs in os.walk(to + "/usr/share/man") for f in fs), sorted(pages),
    "it installs a page for each program, and the module's")
text = {}
for name, path in pages.items():
    text[name] = ""
    if not shutil.which("mandoc"):
        ok(True, name + " # SKIP Debian's package mandoc is not installed")
        continue
    code, said = output("mandoc", "-Tlint", "-W", "warning", path)
    is_((code, said), (0, ""), name + ": mandoc has no complaint")
    text[name] = re.sub(r".\x08", "", output("mandoc", "-Tutf8", "-Owidth=400", path)[1])
    like(text[name], r"(?s)^\S+\(%s\).*\nNAME\n +\S+ - .*\nDESCRIPTION\n.*gpuxml 0\.\d" % name[-1],
         name + ": name, description, version")
    ok("`" not in re.sub(r"`[^`']*'", "", text[name]) and "](" not in text[name] and "**" not in text[name],
       name + ": no mark of Markdown is left")
    if shutil.which("man"):
        code, said = output("man", "-l", path, MANWIDTH="80", PAGER="cat", MAN_KEEP_STDERR="1")
        ok(code == 0 and "warning:" not in said and len(said) > 1000, name + ": man -l shows it") or diag(said[:2000])
    else:
        ok(True, name + " # SKIP man is not installed")
if text["gpuxslt.1"]:
    usage = output("build/gpuxslt", "--help")[1]
    options = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", usage))
    ok(len(options) > 40, "gpuxslt --help has options")
    is_(sorted(o for o in options if not re.search(re.escape(o) + r"(?![\w-])", text["gpuxslt.1"])), [],
        "gpuxslt(1) has each of them")
    tags = re.findall(r"^       (-\S.*)$", text["gpuxslt.1"].split("OPTIONS\n")[1].split("\nDESCRIPTION")[0], re.M)
    ok(len(tags) > 30, "... as a tag of its own") or diag("\n".join(tags))
    options = set(re.findall(r"--[a-z]+",
        output("build/gpuxml-worker", "--help")[1])) if os.path.exists("build/gpuxml-worker") else set()
    is_(sorted(o for o in options if o not in text["gpuxml-worker.8"]), [], "gpuxml-worker(8) has the worker's")
    with open("mod_gpuxml.c") as f:
        directives = re.findall(r'AP_INIT_\w+\("(\w+)"', f.read())
    is_([d for d in directives if not re.search(r"^   %s$" % d, text["mod_gpuxml.8"], re.M)], [],
        "mod_gpuxml(8) has a section for each directive")
    page = os.path.join(to, "page.md")
    with open(page, "w") as f:
        f.write("# X\n\n.SH a line with a point, `\\fB` and a \\ \n'br and `a|b`: [there](x.md), "
                "[far](http://a.example/b-c)\n\n"
                "| a | head |\n|---|--:|\n| `x\\|y` | *one* **two** |\n| `p|q` | |\n\n- an item\n  that goes on\n- "
                ".another\n\n```sh\n.code 'x' \\n -- `y`\n\n# no heading\n```\n")
    with open(page + ".8", "w") as f:
        f.write(output("tools/manual", "x-y", "8", "what", page)[1])
    is_(output("mandoc", "-Tlint", "-W", "warning", page + ".8"), (0, ""),
        "a page with what could be roff's: no complaint")
    said = re.sub(r".\x08", "", output("mandoc", "-Tascii", "-Owidth=120", page + ".8")[1])
    for want in (".SH a line with a point, \\fB and a \\", "'br and a|b: there, far <http://a.example/b-c>",
                 "x|y    one two", "p|q", "an item that goes on", ".another",
                 ".code 'x' \\n -- `y`", "# no heading", "x-y - what"):
        ok(want in said, "... it shows " + want) or diag(said)
is_(output("tools/manual", "x")[0], 2, "tools/manual without a page: how it is called")
code, said = output("make", "-o", "all", "uninstall", "DESTDIR=" + to, "PREFIX=/usr")
is_([f for _, _, fs in os.walk(to + "/usr/share/man") for f in fs], [], "make uninstall takes them away") or diag(said)
shutil.rmtree(to, ignore_errors=True)
done()
