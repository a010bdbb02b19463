#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxml-match: ids as text, JSON and counts, of files, an archive and records; bad profiles are named and the others
count; exit numbers."""
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

MATCH = os.path.join(ROOT, "build", "gpuxml-match")
D = tempfile.mkdtemp(prefix="gpuxml-match-")
os.chdir(D)


def match(*args, stdin=b""):
    p = subprocess.run([MATCH, *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def put(name, text):
    with open(name, "w") as f:
        f.write(text)


put("p.txt", 'cheap\t//item[price < 10]\nname "q"\t//name\nsecond\t//item[2]\nnone\t//gone\n')
put("bad.txt", "good\t//item\nworse\t//item[\n\nworst\t//q:item\nodd\tnosuch()\n")
put("1.xml", "<order><item><price>9</price></item></order>")
put("2.xml", "<order><item/><item><price>12</price><name/></item></order>")
put("no.xml", "<order>")
is_(match("p.txt", "1.xml"), (0, "cheap\n", ""), "one document: an id a line")
is_(match("p.txt", "1.xml", "2.xml")[:2], (0, '1.xml\tcheap\n2.xml\tname "q"\n2.xml\tsecond\n', ),
    "several: with the document's name")
is_(match("--count", "p.txt", "1.xml", "2.xml")[1], "1.xml\t1\n2.xml\t2\n", "--count")
is_(match("--each", "p.txt", "2.xml")[1], '2.xml\tname "q" second\n', "--each")
is_([json.loads(line) for line in match("--json", "p.txt", "1.xml", "2.xml")[1].splitlines()],
    [{"document": "1.xml", "matches": 1, "ids": ["cheap"]},
     {"document": "2.xml", "matches": 2, "ids": ['name "q"', "second"]}], "--json")
is_(match("p.txt", "-", stdin=open("1.xml", "rb").read())[:2], (0, "cheap\n"), "standard input")
is_(match("--stdin-records", "nul", "p.txt", stdin=b"<item/>\0<name/>\0")[1].split("\t")[1], 'name "q"\n', "records")
with tarfile.open("d.tar", "w") as t:
    for name in ("1.xml", "2.xml"):
        t.add(name)
is_(match("--count", "--tar", "d.tar", "p.txt")[1], "1.xml\t1\n2.xml\t2\n", "a tar archive")
put("list", "2.xml\n1.xml\n")
is_(match("--count", "--from-list", "list", "p.txt")[1], "2.xml\t2\n1.xml\t1\n", "a list of files")
code, out, err = match("p.txt", "no.xml", "1.xml")
ok(code == 6 and out == "1.xml\tcheap\n" and "no.xml:1:" in err,
   "a document that is not well-formed costs itself alone") or diag(err)
code, out, err = match("bad.txt", "1.xml")
ok(code == 0 and out == "good\n", "bad profiles are left out") or diag(out + err)
for place in ("bad.txt:2:7: ", "bad.txt:4:7: ", "bad.txt:5:5: ", "3 profiles left out, 1 loaded"):
    ok(place in err, "... and named: " + place) or diag(err)
is_((match("--strict", "bad.txt", "1.xml")[:2], match("--check", "bad.txt")[0], match("--check", "p.txt")[0]),
    ((5, ""), 5, 0), "--strict, --check")
with open("bytes.txt", "wb") as f:
    f.write(b"\xef\xbb\xbfone\t//item\r\nnul\t//it\0em\r\n%namespace p urn:p urn:q\r\n#\0\r\ntwo\t//item \r\n"
            b"three\t//item")
code, out, err = match("bytes.txt", "1.xml")
ok((code, out) == (0, "one\ntwo\nthree\n") and "bytes.txt:2:9: a NUL byte" in err
   and "bytes.txt:3:1: a line that" in err and "2 profiles left out" in err,
   "a byte-order mark, CRLF, no last newline; a NUL byte costs its line") \
    or diag(out + err)
with open("wide.txt", "wb") as f:
    f.write("one\t//item\n".encode("utf-16"))
code, out, err = match("wide.txt", "1.xml")
ok(code == 5 and "wide.txt:1:1: lines of profiles are in UTF-8, not in UTF-16" in err, "... lines in UTF-16") \
    or diag(err)
with open("wide.txt", "wb") as f:
    f.write(('<profiles><profile id="x">//item</profile>'
             '<profile id="y&#10;z">//item</profile></profiles>').encode("utf-16"))
code, out, err = match("wide.txt", "1.xml")
ok((code, out) == (0, "x\n") and "1 profile left out" in err, "... XML may be; an id with a newline is left out") \
    or diag(out + err)
put("lone.txt", "up\t//b/../@k\n")
put("k.xml", '<r k="1"><b/></r>')
is_(match("lone.txt", "k.xml"), (0, "up\n", ""), "an attribute that no expression but the planner's asks for")
put("limit.txt", "deep\t//order[item/price]/item[name][price]\n")
code, out, err = match("--limit", "steps=2", "limit.txt", "2.xml")
ok(code == 9 and out == "" and "2.xml: matching" in err and "--limit steps=VALUE" in err,
   "a limit, by name") or diag(err)

# ---- hostile profiles and documents end by a limit with a name, or soon ----

DEEP = "<a>" * 400 + "<b/>" + "</a>" * 400
put("deep.xml", DEEP)
put("long.xml", "<item>" + "x" * 1000000 + "</item>")
put("nested.xml", "<a>" * 400 + "x" * 20000 + "</a>" * 400)
put("values.xml", "".join("<a %s>" % " ".join('v%d="%d"' % (k, (7 * i + k * k) % 400) for k in range(50))
                          for i in range(400)) + "</a>" * 400)
put("contains.txt", "".join("p%d\t//item[contains(., 'x%dy')]\n" % (i, i) for i in range(20000)))
put("searches.txt", "".join("p%d\t//a[contains(., 'x%dy')]\n" % (i, i) for i in range(2000)))
put("branches.txt", "".join("p%d\t//a%s\n" % (i, "".join("[.//%s]//a" % "ab"[i >> k & 1] for k in range(12)))
                            for i in range(4096)))
put("values.txt", "".join("p%d\t//a[@v%d = %d and not(.//a[@v%d > %d])]\n" % (i, i % 50, i // 50, i * 3 % 50, i // 50)
                          for i in range(20000)))
put("programs.txt", "".join("p%d\t//a[count(.//a[.//a]) = %d]\n" % (i, i) for i in range(2000)))
for name, text in (("or", "/".join(["a[b or c]"] * 60)), ("unions", "a" + "[b|c]" * 200),
                   ("predicates", "a[.//a" * 100 + "]" * 100), ("chain", "//".join(["a"] * 500)),
                   ("stars", "//".join(["*"] * 500)), ("nested", "a[(" + "b or (c and (" * 60 + "d" + "))" * 60
                                                       + ")]")):
    put(name + ".txt", "p\t//%s\n" % text)
    began = time.monotonic()
    code, out, err = match("--count", name + ".txt", "deep.xml")
    ok(code == 0 and out.strip() in "01" and "left out" not in err and time.monotonic() - began < 5,
       "a profile of many branches or steps is quick: " + name) or diag(err)
for name, text in (("predicates", "a" + "[a" * 20000 + "]" * 20000), ("parentheses", "(" * 20000 + "a" + ")" * 20000),
                   ("not()", "a[" + "not(" * 20000 + "b" + ")" * 20000 + "]")):
    put("bad.txt", "p\t//%s\nq\t//b\n" % text if text[0] == "a" else "p\t%s\nq\t//b\n" % text)
    code, out, err = match("bad.txt", "deep.xml")
    ok((code, out) == (0, "q\n") and "bad.txt:1:" in err and "1 profile left out" in err,
       "... and one that nests too deeply is left out: " + name) or diag(err)
for what, says, args in (
        ("a search for each of 20,000", "--timeout MS", ("--timeout", "50", "contains.txt", "long.xml")),
        ("in nested text", "--timeout MS", ("--timeout", "50", "searches.txt", "nested.xml")),
        ("in steps", "--limit steps=", ("--limit", "steps=1M", "searches.txt", "nested.xml")),
        ("programs", "--timeout MS", ("--timeout", "50", "programs.txt", "deep.xml")),
        ("programs together", "--limit steps=", ("--limit", "steps=1M", "programs.txt", "deep.xml")),
        ("4,096 sets of branches", "--limit steps=", ("--limit", "steps=1K", "branches.txt", "deep.xml")),
        ("values of all kinds", "--limit arena=", ("--limit", "arena=1M", "values.txt", "values.xml"))):
    began = time.monotonic()
    code, out, err = match("--count", *args, "1.xml")
    ok(code == 9 and says in err and args[-1] + ": matching" in err and out == "1.xml\t0\n"
       and time.monotonic() - began < 10, "a document ends by a limit with a name: " + what) \
        or diag("%d %s %s %.1f s" % (code, out[:99], err[-300:], time.monotonic() - began))
like(match("--explain", "cheap", "p.txt", "2.xml")[1], r"(?s)^does not match\n.*no .*element price.* < 10", "--explain")
names = []
for i in range(60):
    names.append("many%d.xml" % i)
    put(names[-1], ["<order><item><price>%d</price></item></order>" % i, "<order>",
                    "<order><name/><item/><item/></order>"][i % 3] + (" " * 20000 if i % 7 == 0 else ""))
one, four = match("--jobs", "1", "--each", "p.txt", *names), match("--jobs", "4", "--each", "p.txt", *names)
ok(one == four and one[0] == 6 and one[1].count("\n") == 40 and one[2].count("many") == 20,
   "--jobs: results and errors come in the documents' order") or diag(four[1][:500] + four[2][:500])

# --engine gpu: a worker over a runtime without a device (t/gpu), which matches with the team that a kernel is compiled
# from
FAKE = os.path.join(ROOT, "build", "fake", "gpuxml-worker")


def by_device(*args, worker=FAKE, stdin=b""):
    os.environ["GPUXML_WORKER"] = worker
    try:
        return match(*args, stdin=stdin)
    finally:
        del os.environ["GPUXML_WORKER"]


if os.access(FAKE, os.X_OK):
    gpu = by_device("--engine", "gpu", "--jobs", "4", "--each", "p.txt", *names)
    ok(gpu == one,
       "--engine gpu: the same results and errors in the same order, of profiles for the planner, too") or diag(
        gpu[1][:500] + gpu[2][:500])
    gpu = by_device("--engine", "gpu", "--timing", "--count", "p.txt", *(["1.xml"] * 700))
    ok(gpu[0] == 0 and gpu[1] == "1.xml\t1\n" * 700
       and re.search(r"\ngpuxml-match: 700 of 700 documents by gpu, 1 x .*\n$", gpu[2]),
       "... 700 documents, all by the device") or diag(gpu[2])
    is_(by_device("--engine", "gpu", "--count", "--tar", "d.tar", "p.txt")[1], "1.xml\t1\n2.xml\t2\n",
        "... a tar archive")
    is_(by_device("--engine", "gpu", "p.txt", "-", stdin=open("1.xml", "rb").read())[:2], (0, "cheap\n"),
        "... standard input")
    put("wide.xml", "<r>" + "<name/>" * 70000 + "</r>")
    gpu = by_device("--engine", "gpu", "--json", "--count", "p.txt", "wide.xml", "1.xml", "no.xml")
    is_([json.loads(line) for line in gpu[1].splitlines()],
        [{"document": "wide.xml", "engine": "cpu", "matches": 1},
         {"document": "1.xml", "engine": "gpu", "matches": 1}],
        "... what is too large for it is matched here: --json has each document's engine")
    ok(gpu[0] == 6 and re.search(r"\ngpuxml-match: 1 of 2 documents by gpu, .*, 1 by the CPU "
                                 r"\(1 too large for the GPU\)\n", gpu[2]),
       "... and standard error says so without --timing") or diag(gpu[2])
    p = subprocess.Popen([MATCH, "--engine", "auto", "--jobs", "1", "--timing", "--count", "--stdin-records", "nul",
                          "p.txt"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, GPUXML_WORKER=FAKE))
    p.stdin.write(b"<name/>\0" * 8)
    p.stdin.flush()
    time.sleep(1.3)
    out, err = p.communicate(b"<item/>\0<name/>\0" * 1500, timeout=60)
    ok(p.returncode == 0 and [line.split(b"\t")[1] for line in out.splitlines()] == [b"1"] * 8 + [b"0", b"1"] * 1500
       and re.search(rb": [1-9]\d* of 3008 documents by gpu", err),
       "--engine auto: after a second the device is tried") or diag(err.decode())
    code, out, err = by_device("--engine", "gpu", "p.txt", "1.xml", worker=os.path.join(ROOT, "build", "gpuxml-worker"))
    ok((code, out) == (9, "") and "there is no GPU" in err or code == 0,
       "--engine gpu where there is none says so") or diag(err)
    is_(by_device("--engine", "auto", "p.txt", "1.xml", worker="/gone")[:2], (0, "cheap\n"), "... and auto matches")
else:
    ok(True, "--engine gpu # SKIP %s is not built: there is no C++ compiler" % FAKE)
is_([match("--engine", *a, "p.txt", "1.xml")[0] for a in (("fast",), ("gpu", "--bench", "2"),
                                                          ("gpu", "--explain", "cheap"))], [3, 3, 3],
    "--engine of a kind that there is not; explained and timed are CPUs")
put("alone.txt", "a\t/r/a[@k = 'v'][not(c)]/b[.//d][e]/f[@z]\nb\t//a[b]\nc\t//b[e and .//d]\n")
put("alone.xml", '<r><a k="v"><b><d/><e/><f z="1"/></b></a></r>')
put("alone2.xml", '<r><a k="v"><b><d/><e/><f/></b></a><a><b><f z="1"/></b></a></r>')
is_(match("alone.txt", "alone.xml", "alone2.xml")[1], "".join("alone%s.xml\t%s\n" % (n, p) for n,
    ps in (("", "abc"), ("2", "bc")) for p in ps),
    "profiles of which a part is theirs alone")
like(match("--explain", "a", "alone.txt", "alone.xml")[1],
     r"(?s)^matches\n.*\nyes +element r with a child:\n.*\nyes +attribute z is there\n", "... explained")
like(match("--explain", "a", "alone.txt", "alone2.xml")[1],
     r"(?s)^does not match\n.*\nno +element r with a child:\n.*\nyes +element b with, below it:\nyes +element d\n",
     "... and why not")
like(match("--timing", "p.txt", "1.xml")[2], r"^4 profiles, 1 of them by the planner", "--timing counts")
is_([match(*a)[0] for a in ((), ("p.txt",), ("gone.txt", "1.xml"), ("--nosuch", "p.txt", "1.xml"),
    ("--jobs", "0", "p.txt", "1.xml"), ("--explain", "gone", "p.txt", "1.xml"), ("p.txt", "gone.xml"))],
    [3, 3, 5, 3, 3, 3, 6], "exit numbers")
os.chdir("/")
shutil.rmtree(D)
done()
