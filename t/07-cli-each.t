#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxslt --each: files, lists, archives, records and the parts of a large document; what is done is not done again;
what fails is named and costs itself alone; results are complete or absent; no name leads out of the output's
directory."""
import io
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = os.path.join(ROOT, "build", "gpuxslt")
n = 0


def ok(good, name, why=""):
    global n
    n += 1
    print("%sok %d - %s" % ("" if good else "not ", n, name), flush=True)
    if not good and why != "":
        print("".join("# %s\n" % line[:300] for line in str(why).splitlines()[:8]), end="")


def is_(got, want, name):
    ok(got == want, name, "got  %r\nwant %r" % (got, want))


if not os.path.exists(GPUXSLT):
    print("1..0 # SKIP build/gpuxslt is not there")
    sys.exit(0)
D = tempfile.mkdtemp(prefix="gpuxslt-each-")
SHEET = os.path.join(D, "s.xsl")


def put(name, text):
    path = os.path.join(D, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


def get(name):
    with open(os.path.join(D, name), "rb") as f:
        return f.read().decode()


def run(*args, input=b"", cwd=D, **more):
    return subprocess.run([GPUXSLT, "--each", *args], cwd=cwd, input=input, capture_output=True, timeout=120, **more)


def listed(folder):
    return sorted(os.path.relpath(os.path.join(at, f), os.path.join(D, folder)) for at, _,
                  fs in os.walk(os.path.join(D, folder)) for f in fs)


put("s.xsl", '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output '
             'method="text"/>'
    '<xsl:template match="/"><xsl:value-of select="concat(name(*), \':\', *, \':\', namespace-uri(*), \':\', '
    '*//@xml:lang)"/>'
    '<xsl:if test="lang(\'de\')">de</xsl:if></xsl:template></xsl:stylesheet>')
os.utime(SHEET, (1e9, 1e9))

# ---- files and lists ----
for i in range(300):
    os.utime(put("in/%d/a%d.xml" % (i % 3, i), "<a>%d</a>" % i), (1.1e9, 1.1e9))
names = ["in/%d/a%d.xml" % (i % 3, i) for i in range(300)]
p = run("-j", "3", "s.xsl", "--out", "out", *names)
is_((p.returncode, len(listed("out")), get("out/in/1/a4.txt")), (0, 300, "a:4::"), "files, three threads")
ok(b"300 documents" in p.stderr, "a summary", p.stderr)
p = run("s.xsl", "--out", "out", "--from-list", "-", input="\n".join(names).encode())
ok(p.returncode == 0 and b"300 done before" in p.stderr, "a list; what is done is not done again", p.stderr)
os.utime(put("in/0/a3.xml", "<a>new</a>"))
p = run("s.xsl", "--out", "out", "--from-list", "-", input="\n".join(names).encode())
is_((p.returncode, get("out/in/0/a3.txt")), (0, "a:new::"), "what is newer is")
ok(b"299 done before" in p.stderr, "... alone", p.stderr)
p = run("s.xsl", "--again", "--out", "out", *names)
ok(b"done before" not in p.stderr, "--again", p.stderr)
os.utime(SHEET)
p = run("s.xsl", "--out", "out", *names)
ok(b"done before" not in p.stderr, "a stylesheet that is newer makes all anew", p.stderr)
os.utime(SHEET, (1e9, 1e9))

# ---- errors ----
put("in/bad.xml", "<a>\n<b></a>")
p = run("s.xsl", "--out", "out2", "--report", "report", "in/bad.xml", "in/none.xml", *names[:5])
is_((p.returncode, len(listed("out2"))), (6, 5), "two fail, the others do not")
ok(re.search(r"^in/bad.xml:2:\d+: ", get("report"), re.M) and re.search(r"^in/none.xml: .*No such file", get("report"),
    re.M), "... and are named", get("report"))
ok(b"2 errors" in p.stderr, "... and counted", p.stderr)
p = run("s.xsl", "--out", "out3", "in/0/a0.xml", "in/0/../0/a3.xml", "/etc/../etc/hostname")
is_((p.returncode, listed("out3")), (6, ["in/0/a0.txt"]), "no name leads out of the directory")
p = run("s.xsl", "--out", "out4", "--suffix", "", "in/0/a0.xml", "in/0/a0.xsl")
ok(p.returncode == 6 and b"another source has the same result" in p.stderr or b"No such file" in p.stderr,
   "two sources, one result", p.stderr)
p = run("s.xsl", "--out", ".", "--suffix", ".xml", "in/0/a0.xml", "--again")
is_((p.returncode, get("in/0/a0.xml")), (6, "<a>0</a>"), "a result never takes its source's place")
for args, what in ((["s.xsl", "in/0/a0.xml"], "--out"), (["--out", "x"], "stylesheet"),
                   (["s.xsl", "--out", "x"], "documents"),
                   (["s.xsl", "--out", "x", "--tar", "a", "--from-list", "b"], "one of"),
                   (["s.xsl", "--out", "x", "-j", "0", "a"], "-j"),
                   (["s.xsl", "--out", "x", "--tar", "none.tar"], "none.tar"),
                   (["s.xsl", "--out", "s.xsl/x", "in/0/a0.xml"], "s.xsl")):
    p = run(*args)
    ok(p.returncode in (1, 2, 3, 6, 11) and what.encode() in p.stderr, "a message about " + what, p.stderr)

# ---- sources are read as one document's is ----
put("xi/part.xml", "<part>included</part>")
put("xi/a.xml", '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="part.xml"/></a>')
put("xi/b.xml", "<a><u:b>undeclared</u:b></a>")
for option, name in (("--xinclude", "xi/a.xml"), ("--nonet", "xi/b.xml"), ("--novalid", "xi/a.xml")):
    alone = subprocess.run([GPUXSLT, option, "s.xsl", name], cwd=D, capture_output=True, timeout=60)
    p = run(option, "--again", "s.xsl", "--out", "outxi", name)
    is_((p.returncode, alone.returncode, get("outxi/" + name[:-4] + ".txt")), (0, 0, alone.stdout.decode()),
        "%s %s as without --each" % (option, name))

# ---- tar ----
def tar(entries, **more):
    f = io.BytesIO()
    with tarfile.open(fileobj=f, mode="w", **more) as t:
        for name, text in entries:
            info = tarfile.TarInfo(name)
            info.size = len(text)
            t.addfile(info, io.BytesIO(text.encode()))
        t.addfile(tarfile.TarInfo("a/link"), None) if more.get("format") == tarfile.GNU_FORMAT else None
    return f.getvalue()


long = "/".join(["folder%d" % i * 5 for i in range(10)]) + "/x.xml"
for form in tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT:
    entries = [("a/%d.xml" % i, "<a>%d</a>" % i) for i in range(2000)] + ([(long, "<long/>")]
        if form != tarfile.USTAR_FORMAT else [])
    p = run("s.xsl", "--tar", "-", "--out", "-", input=tar(entries, format=form))
    with tarfile.open(fileobj=io.BytesIO(p.stdout)) as t:
        got = [(m.name, t.extractfile(m).read().decode()) for m in t if m.isfile() and m.name != "a/link"]
    want = [(name[:-4] + ".txt", ("long:::" if name == long else "a:%s::" % re.sub(r"\D", "", text))) for name,
            text in entries]
    is_((p.returncode == 0 or form == tarfile.GNU_FORMAT, got), (True, want),
        "a tar to a tar, in order (format %d)" % form)
whole = tar([("a/%d.xml" % i, "<a>%d</a>" % i) for i in range(20)])
for cut in 100, 512 + 3, 1024 + 20, len(whole) // 2 + 7:
    p = run("s.xsl", "--tar", "-", "--out", "-", input=whole[:cut])
    ok(p.returncode == 6 and b"the archive ends within" in p.stderr, "a tar that ends at byte %d" % cut, p.stderr)
p = run("s.xsl", "--tar", "-", "--out", "-", input=b"x" * 5000)
ok(p.returncode == 6 and b"no tar archive" in p.stderr, "no tar", p.stderr)
evil = bytearray(tar([("a.xml", "<a/>")]))
evil[124:136] = b"\x80" + b"\x00" * 5 + b"\x10" + b"\x00" * 5
evil[148:156] = b"%06o\0 " % (sum(evil[:148]) + 8 * 32 + sum(evil[156:512]))
p = run("s.xsl", "--tar", "-", "--out", "-", "--limit", "input=1M", input=bytes(evil))
ok(p.returncode == 6, "an entry that claims to be a terabyte", p.stderr)
put("in.tar", whole)
p = run("s.xsl", "--tar", "in.tar", "--out", "out.tar")
ok(p.returncode == 0 and tarfile.open(os.path.join(D, "out.tar")).getnames()[19] == "a/19.txt",
   "files that are archives")
p = run("s.xsl", "--tar", "in.tar", "--out", "outtar")
is_((p.returncode, len(listed("outtar"))), (0, 20), "an archive to a directory")
p = run("s.xsl", "--tar", "-", "--out", "escape", input=tar([("../../x.xml", "<a/>"), ("/abs.xml", "<a/>")]))
is_((p.returncode, listed("escape")), (6, ["abs.txt"]), "an archive's names do not lead out, either")

# ---- records ----
docs = ["<r>%d</r>" % i for i in range(3000)]
p = run("s.xsl", "--stdin-records", "nul", input=b"".join(d.encode() + b"\0" for d in docs))
is_((p.returncode, p.stdout), (0, b"".join(b"r:%d::\0" % i for i in range(3000))),
    "records that end with NUL, in order")
bad = docs[:10] + ["<r>"] + docs[10:20]
p = run("s.xsl", "--stdin-records", "length", input=b"".join(struct.pack(">I", len(d)) + d.encode() for d in bad))
got, at = [], 0
while at < len(p.stdout):
    size = struct.unpack(">I", p.stdout[at:at + 4])[0]
    got.append(p.stdout[at + 4:at + 4 + size].decode())
    at += 4 + size
is_((p.returncode, got), (6, ["r:%d::" % i for i in range(10)] + [""] + ["r:%d::" % i for i in range(10, 20)]),
    "records with lengths; an empty one for what failed")
ok(b"record 11:" in p.stderr, "... which is named", p.stderr)
p = run("s.xsl", "--stdin-records", "length", input=struct.pack(">I", 8) + b"<r>1</r>" + struct.pack(">I",
    100) + b"<r/>")
is_((p.returncode, p.stdout), (6, struct.pack(">I", 5) + b"r:1::"),
    "a record of a wrong length: those before it are answered")
ok(b"record 2" in p.stderr and b"byte 12" in p.stderr, "... and the place is named", p.stderr)

# ---- parts ----
big = ('<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE d [ <!ENTITY e "entity"> ]>\n<d xmlns="u:1" '
       'xml:lang="de" xmlns:q="u:&#233;\xe9&quot;"><head>x</head>'
       + "".join('<part n="%d">%d\xe9&e;<part>in</part></part>' % (i, i)
                 for i in range(500)) + '<other xmlns=""><part>none</part></other></d>').encode("latin-1")
put("big.xml", big)
put("part.xsl", '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output '
                'method="text" encoding="UTF-8"/>'
    '<xsl:template match="/"><xsl:value-of select="concat(namespace-uri(*), \'|\', *, \'|\', */namespace::q, \'|\', '
    '*/@xml:lang, \'|\', count(//@*))"/></xsl:template></xsl:stylesheet>')
p = run("part.xsl", "--split-at", "part", "big.xml", "--out", "parts")
is_((p.returncode, len(listed("parts")), get("parts/part-00000500.txt")), (0, 501, "u:1|499éentityin|u:éé\"|de|2"),
    "the parts of a document, with all that is in scope")
is_(get("parts/part-00000501.txt"), '|none|u:éé"|de|1', "... and nothing that is not")
put("big2.xml", big[:len(big) // 2])
p = run("part.xsl", "--split-at", "part", "big2.xml", "--out", "parts2")
ok(p.returncode == 6 and len(listed("parts2")) > 200 and re.search(rb"big2.xml:\d+:\d+: ", p.stderr),
   "a document that ends early: the parts before that", p.stderr)
p = run("part.xsl", "--split-at", "nothing", "big.xml", "--out", "parts3")
is_((p.returncode, listed("parts3")), (0, []), "no such element: no results")

# ---- full, interrupted ----
if os.path.exists("/dev/full"):
    with open("/dev/full", "wb") as full:
        p = subprocess.run([GPUXSLT, "--each", "s.xsl", "--tar", "in.tar", "--out", "-"], cwd=D, stdout=full,
                           stderr=subprocess.PIPE, timeout=60)
    ok(p.returncode == 11 and b"No space left" in p.stderr, "a full disk ends it, with a message", p.stderr)
r, w = os.pipe()
server = subprocess.Popen([GPUXSLT, "--each", "s.xsl", "--from-list", "-", "--out", "out5"], cwd=D, stdin=r,
                          stderr=subprocess.PIPE)
os.write(w, ("\n".join(names[:200]) + "\n").encode())
end = time.time() + 30
while time.time() < end and len(listed("out5") if os.path.isdir(D + "/out5") else []) < 150:
    time.sleep(0.02)
server.send_signal(signal.SIGINT)
os.write(w, ("\n".join(names[200:]) + "\n").encode())
os.close(w)
err = server.communicate(timeout=60)[1]
ok(server.returncode == 130 and b"goes on from here" in err, "interrupted", err)
ok(not [f for f in listed("out5") if f.endswith("~")], "... nothing half written")
os.close(r)
p = run("s.xsl", "--out", "out5", *names)
is_((p.returncode, len(listed("out5"))), (0, 300), "... and the same command finishes it")

# ---- other ways of evaluation ----
def way(*args):
    return subprocess.run([GPUXSLT, *args], cwd=D, capture_output=True, timeout=120)


if os.path.exists(os.path.join(ROOT, "build", "gpuxml-worker")):
    solo, worker = way("s.xsl", "in/1/a4.xml"), way("--team", "worker", "s.xsl", "in/1/a4.xml")
    is_((worker.returncode, worker.stdout, worker.stderr), (0, solo.stdout, b""), "--team worker gives the same bytes")
    gpu = way("--team", "gpu", "s.xsl", "in/1/a4.xml")
    ok(gpu.stdout == solo.stdout or (gpu.returncode == 9 and b"there is no GPU" in gpu.stderr),
       "--team gpu does, too, or says that there is none", gpu.stderr)

    p = subprocess.run([GPUXSLT, "--team", "worker", "s.xsl", "in/1/a4.xml"], cwd=D, capture_output=True, timeout=120,
                       env=dict(os.environ, GPUXML_WORKER="/bin/false"))
    ok(p.returncode == 9 and b"ended before it was ready" in p.stderr,
       "a worker that ends at once is not waited for", p.stderr)

    def same_as_threads(folder):
        return listed(folder) == listed("by-threads") and all(get(folder + "/" + f) == get("by-threads/" + f)
                                                              for f in listed(folder))
    run("s.xsl", "--out", "by-threads", *names)
    p = run("--team", "worker", "-j", "8", "s.xsl", "--out", "by-worker", *names)
    ok(p.returncode == 0 and same_as_threads("by-worker"), "--each --team worker gives the same files", p.stderr)
    ok(b", %d of sources by the worker (cpu" % len(names) in p.stderr,
       "... which the worker made of the sources", p.stderr)
    bad = [put("odd/%d.xml" % i, text) for i,
           text in enumerate(("<a><b>1</b></a>", "<a><b></a>", '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>', "", "<a/>"))]
    here, there = (run(*team, "s.xsl", "--out", "odd-" + name, *bad) for team,
                   name in (((), "here"), (("--team", "worker"), "there")))
    errors = [sorted(line for line in p.stderr.splitlines() if b"odd/" in line) for p in (here, there)]
    ok(here.returncode == there.returncode == 6 and errors[0] == errors[1] and len(errors[0]) == 2,
       "... what it hands back has the same errors", errors)
    ok(listed("odd-here") == listed("odd-there")
       and all(get("odd-here/" + f) == get("odd-there/" + f) for f in listed("odd-here")), "... and the same pages")
    # the worker is stopped, then dies, while threads wait for it
    p = subprocess.Popen([GPUXSLT, "--each", "--team", "worker", "-j", "8", "s.xsl", "--from-list", "-", "--out",
                          "by-dead"], cwd=D,
                         stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdin.write(("\n".join(names[:100]) + "\n").encode())
    p.stdin.flush()
    end = time.time() + 30
    while time.time() < end and len(listed("by-dead") if os.path.isdir(D + "/by-dead") else []) < 50:
        time.sleep(0.02)
    with open("/proc/%d/task/%d/children" % (p.pid, p.pid)) as f:
        worker = int(f.read().split()[0])
    os.kill(worker, signal.SIGSTOP)
    p.stdin.write(("\n".join(names[100:200]) + "\n").encode())
    p.stdin.flush()
    time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    err = p.communicate(("\n".join(names[200:]) + "\n").encode(), timeout=60)[1]
    ok(p.returncode == 0 and same_as_threads("by-dead"), "... also when the worker dies: then by its threads", err)
    p = way("--compare", "s.xsl", "in/1/a4.xml")
    ok(p.returncode == 0 and re.search(rb"(?m)^one thread +\d+ +\d+ +\d+ +\d+ +1.0$", p.stdout)
       and b"GPUXMLEngine" in p.stdout, "--compare: a table, and what to do", p.stdout + p.stderr)
ok(way("--compare", "s.xsl").returncode == 3, "--compare wants a stylesheet and a document")
shutil.rmtree(D)
print("1..%d" % n)
