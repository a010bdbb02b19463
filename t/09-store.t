#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxml-store: a stored document answers as the file does, whole or in parts, with and without the index; what changes
a store happens or does not; kill -9, full disks, damage and wrong input end with a sentence."""
import json
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "httpd"))
from harness import *

STORE, GPUXSLT = (os.path.join(ROOT, "build", p) for p in ("gpuxml-store", "gpuxslt"))


def run(*args, **more):
    p = subprocess.run(args, capture_output=True, timeout=60, **more)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def store(*args, **more):
    return run(STORE, S, *args, **more)


def put(name, text):
    with open(os.path.join(D, name), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


D = tempfile.mkdtemp(prefix="gpuxml-store-")
os.chdir(D)
S = "s.gxs"
R = random.Random(int(os.environ.get("SEED", "1")))
WORDS = "parallel Query trees JOIN index Straße Ελλάδα memory GPU x1 network".split()


def bibliography(records, space="\n"):
    """Records in groups, with what splitting must get right: namespaces, prefixes, comments, CDATA, names in text,
    entities, IDs."""
    out = ["<?xml version='1.0'?>\n<!DOCTYPE bib [<!ENTITY ed 'edited <i>by</i>'><!ATTLIST rec id ID #IMPLIED>]>\n<?pi "
           "before?>",
           "<bib xmlns:p='u' xml:lang='en' made='2026'>"]
    for g in range(3):
        out.append("<group n='%d' xmlns='%s'>" % (g, "" if g < 2 else "v"))
        for i in range(records):
            k = "rec" if R.random() < .8 else "note"
            out.append("<%s id='r%d-%d' year='%d'>" % (k, g, i, R.randint(1990, 2025)))
            for _ in range(R.randint(0, 3)):
                out.append("<author>%s %s</author>" % (R.choice(WORDS), R.choice(WORDS)))
            out.append("<title>%s<b>%s</b>%s</title>" % (" ".join(R.choices(WORDS, k=3)), R.choice(WORDS),
                                                         R.choice(("", " ", "s"))))
            out.append(R.choice(("", "<!-- <rec> -->", "<![CDATA[<rec year='1'>]]>", "&ed;", "<p:x p:y='1'/>",
                                 "<q:x xmlns:q='u'/>",
                                 "<rec year='1'><author>inner</author></rec>", "<a t='&lt;rec> >'/>")))
            out.append("</%s>" % k)
        out.append("</group>")
    return space.join(out) + "<!-- end --></bib>\n<?pi after?>"


QUERIES = ["count(//rec)", "//rec/author", "//author[. = 'GPU JOIN']", "//rec[author = 'memory index']/title",
           "//rec[@year = '2001']/@id",
           "//rec[@year > 2020]/title", "(//rec)[last()]/@id", "//rec[1]/@id", "//group[2]/rec[3]/title", "/bib/@made",
           "name(/*)",
           "//group", "sum(//@year)", "count(//rec[not(author)])", "//rec[author[2]]/title/b",
           "//rec[position() = last()]/@id",
           "//title[gx:contains-word(., 'index gpu')]", "//rec[gx:contains-word(title, 'TREESs') or author]/@id",
           "//b[gx:contains-word(., 'straße')]", "//rec[title[gx:phrase(., 'x1 network')]][author = 'GPU GPU']/@id",
           "id('r1-3')/title", "//rec/following::rec[1]/@id", "//comment()", "//p:x/@p:y", "//rec[../@n = '1']/@id",
           "count(//node())",
           "//rec[author='none of these']", "//rec | //note", "//rec[ancestor::group[@n='2']]",
           "//v:rec[v:author = 'GPU memory']/@id",
           "string(//rec[5]/title)", "//rec[author = 'x1 GPU' and @year = '2000']/@id", "//text()[contains(., 'by')]",
           "//rec[lang('en')]/@id",
           "/bib/*[@n = '1']/*/@id", "/*/*/*[author]/title", "/bib/group/*[author = 'memory index']/@id",
           "count(/bib/*/*)", "/bib/*/node()",
           "/bib/*[2]/rec/@id", "/bib/*/*/*[1]", "/bib//*[@year = '1']/author",
           "/*[group]/@made | /bib/*/*[@year = '2001']/@id"]
NS = ["--ns", "p=u", "--ns", "v=v", "--ns", "gx=urn:gpuxml"]

for space in ("\n", ""):
    put("bib.xml", bibliography(60, space))
    if os.path.exists(S):
        os.unlink(S)
    is_(store("add", "--name", "whole", "bib.xml")[::2], (0, ""), "a document is added")
    for at, size in (("rec", "1"), ("rec", "700"), ("note", "2K"), ("group", "1"), ("rec", "64K"), ("rec|note", "1"),
                     ("note|none|rec", "700"), ("rec|group", "300")):
        is_(store("add", "--name", "split", "--split-at", at, "--part-bytes", size, "bib.xml")[::2], (0, ""),
            "... and in parts at <%s> of %s bytes" % (at, size))
        wrong = []
        for q in QUERIES:
            for xml in ([], ["--xml"]):
                want = run(GPUXSLT, *NS, *xml, "--xpath", q, "bib.xml")[:2]
                for more in (["split"], ["--no-index", "split"], ["whole"]):
                    got = store("query", *NS[:4], *xml, q, *more)
                    if got[:2] != want:
                        wrong.append("%s %s %s: %r, not %r" % (q, xml, more, got, want))
        ok(not wrong, "%d queries give the bytes that the file gives" % len(QUERIES)) or diag("\n".join(wrong))
        want = run(GPUXSLT, "--xml", "--xpath", "/", "bib.xml")[1]
        is_(store("export", "split")[1], want, "the parts put together are the document")

store("add", "--name", "split", "--split-at", "group", "--part-bytes", "1", "bib.xml")
code, out, err = store("query", "--timing", "--json", "/bib/*[@n = '1']/rec[1]/@id", "split")
ok(code == 0 and out and '"read":1,' in err and '"joined":0' in err,
   "a * below all elements that lie in several parts is answered part by part") or diag("%s%r" % (err, out))
code, out, err = store("query", "--timing", "--json", "//*[starts-with(@n, '1')]/rec[1]/@id", "split")
ok(code == 0 and out and '"joined":1' in err, "... one that may be such an element is not") or diag("%s%r" % (err, out))
put("guard.xml", "<bib k='top'><title>t</title>%s<year>y</year></bib>" % "".join(
    "<group k='g%d' m='1'>%s<year>y</year></group>" % (g, "".join("<rec k='r%d-%d'><title>t%d</title></rec>" % (g, i, i)
                                                                for i in range(200))) for g in range(3)))
for size, index in ("1", "all"), ("2K", "all"), ("2K", "none"):
    store("add", "--name", "guard", "--split-at", "rec", "--part-bytes", size, "--index", index, "guard.xml")
    for q, whole in (("//*[@k = 'r1-150']/title", 0), ("count(//*[@k = 'r2-9'])", 0), ("//*[@k = 'none']", 0),
                     ("//*[@k = 'g1']/rec[3]/title", 1), ("//*['top' = @k][title = 't'][year = 'y']/title", 1),
                     ("count(//*[@k = 'g2' and rec/title = 't0']/*)", 1), ("//*[@m = '1']/rec[@k = 'r0-7']/title", 1),
                     ("//*[@k = 'r1-150'][2]/title", 0), ("//*[@k = 'g1'][following::group]/@k", 1),
                     ("//*[@k = 'top']/*[@k = 'g2']/rec[title = 't5']/@k", 1), ("/*/*[@k = 'g0'][rec][year]/@k", 1)):
        code, out, err = store("query", "--timing", q, "guard")
        joins = "; 0 documents" not in err
        ok(out == run(GPUXSLT, "--xpath", q, "guard.xml")[1] and (whole or not joins or "][2]" in q),
           "a * of an attribute's value, in parts of %s bytes, index %s: %s" % (size, index, q)) or diag("%s%r" % (err,
               out))
store("remove", "guard")
store("add", "--name", "split", "--split-at", "rec", "--part-bytes", "700", "bib.xml")
put("t.xsl",
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:key name='k' match='rec' "
    "use='@year'/>"
    "<xsl:param name='y' select='2001'/><xsl:template match='/'><o><xsl:copy-of select=\"key('k', "
    "$y)\"/></o></xsl:template></xsl:stylesheet>")
is_(store("transform", "t.xsl", "split", "--param", "y", "2003")[:2],
    run(GPUXSLT, "--param", "y", "2003", "t.xsl", "bib.xml")[:2],
    "a stylesheet with keys, over parts")
put("strip.xsl",
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:strip-space elements='*'/>"
    "<xsl:template match='/'><xsl:copy-of select='.'/></xsl:template></xsl:stylesheet>")
put("plain.xml", "<a> <b> x </b> <c/> </a>")
store("add", "plain.xml")
is_(store("transform", "strip.xsl", "plain.xml")[:2], run(GPUXSLT, "strip.xsl", "plain.xml")[:2],
    "a stylesheet that strips white space")
code, out, err = store("transform", "strip.xsl", "split")
ok(code == 9 and "IDs" in err and out == b"",
   "... of a document with IDs of its DTD: refused with the reason") or diag(err)
code, out, err = store("query", "--memory", "10K", "(//rec)[2]", "split")
ok(code == 9 and "needed whole (it takes nodes by their position" in err and out == b"",
   "too large to be put together: refused with the reason") or diag(err)
put("long.xml", "<bib>%s</bib>" % "".join("<rec n='%d'><author>%s</author><title>word%d and %s</title></rec>" % (
    i, "often" if i % 97 == 0 else "a%d" % i, i % 89, "more of it " * 9) for i in range(5000)))
for at in ([], ["--split-at", "rec", "--part-bytes", "200K"]):
    store("add", "--name", "long", *at, "long.xml")
    for q, found in (("//rec[author = 'often']/@n", 52), ("count(//rec[gx:contains-word(title, 'word3 more')])", 57),
                     ("//rec[author = 'often'][gx:phrase(title, 'word8 and')]", 1)):
        code, out, err = store("query", "--timing", q, "long")
        ok(" %d records alone" % found in err and out == run(GPUXSLT, *NS, "--xpath", q, "long.xml")[1],
           "the index finds records, and only those are read: %s" % q) \
            or diag(err)
put("huge.xml", "<bib>%s</bib>" % "".join("<rec n='%d'><author>a%d</author><title>%s</title></rec>"
                                          % (i, i, "some text of this title " * 5) for i in range(40000)))
run(STORE, "huge.gxs", "add", "huge.xml")
code, out, err = run(STORE, "huge.gxs", "query", "--timing", "--json", "//rec[author = 'a31234']/@n")
ok(out == b"31234\n" and json.loads(err)["nodes"] < 20,
   "one record is read of a part whose checksums take several pages") or diag(err)
put("mixed.xml", "<bib>%s</bib>" % "".join("<%s n='%d'><author>a%d</author><title>t%d %s</title>%s</%s>" % (
    k, i, i % 7, i % 5, "x" * (i % 300), "<note m='%d'/>" % i if i % 3 == 0 else "", k) for i in range(4000)
                                           for k in [("rec", "book")[i % 2]]))
for at in ([], ["--split-at", "rec", "--part-bytes", "100K"]):
    store("add", "--name", "long", *at, "mixed.xml")
    for q, of in (("//rec[author = 'a3']/@n", lambda i: i % 7 == 3 and i % 2 == 0),
                  ("//book[author = 'a3'][note]/title", lambda i: i % 42 == 3),
                  ("count(//rec[author = 'a3']/note/@m)", lambda i: i % 42 == 24),
                  ("//book[author = 'a3'][note/@m > 1000]/@n", lambda i: i % 42 == 3),
                  ("//rec[gx:contains-word(title, 't4')][note]/note/@m", lambda i: i % 30 == 24)):
        found = sum(map(of, range(4000)))
        code, out, err = store("query", "--timing", q, "long")
        ok(" %d records alone" % found in err and out == run(GPUXSLT, *NS, "--xpath", q, "mixed.xml")[1],
           "records without the path's names are not read: %s" % q) or diag(err)
store("remove", "long")

# ranked: BM25 with the index's statistics, computed again here
ranked = [("".join(R.choice((" and ", ", ")) + w for w in R.choices("index query join trees gpu memory of it".split(),
    k=R.randint(1, 30)))) for _ in range(900)]
put("rank.xml", "<bib>%s</bib>" % "".join("<rec n='%d'><title>%s</title><by>%s</by></rec>"
                                          % (i, t, "gpu" if i % 50 == 0 else "x") for i, t in enumerate(ranked)))
titles = [re.findall(r"[a-z]+", t) for t in ranked]
# (of a record's string-value: what `by` has is a part of its last word)
average = sum(len(t) for t in titles) / len(titles)


def bm25(i, words):
    score = 0
    for w in words:
        with_it = sum(w in t or (w == "gpu" and k % 50 == 0) for k, t in enumerate(titles))
        tf = titles[i].count(w)
        score += math.log(1 + (900 - with_it + .5) / (with_it + .5)) * tf * 2.2 / (tf + 1.2
            * (.25 + .75 * len(titles[i]) / average))
    return score


if os.path.exists("r.gxs"):
    os.unlink("r.gxs")
for at in ([], ["--split-at", "rec", "--part-bytes", "9K"]):
    run(STORE, "r.gxs", "add", "--name", "rank", *at, "rank.xml")
    run(STORE, "r.gxs", "compact")
    for words in ("gpu join",), ("memory",), ("trees gpu query",):
        has = [i for i in range(900) if all(w in titles[i] for w in words[0].split())]
        best = sorted(has, key=lambda i: (-round(bm25(i, words[0].split()), 9), i))
        code, out, err = run(STORE, "r.gxs", "query", "//rec[gx:contains-word(title, '%s')]/@n" % words[0], "--rank",
                             "gx:score(../title, '%s')" % words[0])
        got = list(map(int, out.split()))
        ok(code == 0 and sorted(got) == has and all(abs(bm25(g, words[0].split()) - bm25(w, words[0].split())) < 1e-9
                                                    for g, w in zip(got, best)),
           "ranked as BM25 says: %s" % words[0]) or diag("%s\n%s\n%s" % (err, got[:20], best[:20]))
        code, out, err = run(STORE, "r.gxs", "query", "//rec[gx:contains-word(title, '%s')]/title" % words[0],
                             "--rank", "gx:score(., '%s')" % words[0], "--top", "7", "--xml")
        is_(out.decode(), "".join("<title>%s</title>\n" % ranked[i] for i in got[:7]),
            "... the first seven of them, as XML")
    code, out, err = run(STORE, "r.gxs", "query", "//rec/@n", "--rank", "-. mod 10", "--top", "600")
    is_(list(map(int, out.split())), sorted(range(900), key=lambda i: (i % 10, i))[:600],
        "ranked by any number; equal ones stay in order")
    put("rank.xsl",
        sheet("<xsl:template match='/'><o><xsl:for-each select='//rec'><xsl:sort select=\"gx:score(title, 'gpu')\" "
              "data-type='number' order='descending'/>"
              "<xsl:value-of select=\"concat(@n, ':', format-number(gx:score(title, 'gpu'), '0.000000000'), ' "
              "')\"/></xsl:for-each></o></xsl:template>"
              ).replace("<xsl:stylesheet", "<xsl:stylesheet xmlns:gx='urn:gpuxml' exclude-result-prefixes='gx'"))
    code, out, err = run(STORE, "r.gxs", "transform", "rank.xsl", "rank")
    pairs = [p.split(":") for p in re.sub(r"<[^>]*>", "", out.decode()).split()]
    ok(len(pairs) == 900 and all(abs(bm25(int(i), ["gpu"]) - float(s)) < 2e-9 for i, s in pairs)
       and [float(s) for _, s in pairs] == sorted([float(s) for _, s in pairs], reverse=True),
       "xsl:sort by gx:score()") or diag("%s %s" % (err, [(i, s, bm25(int(i), ["gpu"])) for i, s in pairs
                                                          if abs(bm25(int(i), ["gpu"]) - float(s)) > 2e-9][:4]))
code, out, err = run(STORE, "r.gxs", "query", "//rec", "--rank", "count(")
ok(code == 5 and out == b"", "--rank of what is no expression") or diag(err)
code, out, err = run(STORE, "r.gxs", "query", "count(//rec)", "--rank", "1")
ok(code == 5 and out == b"", "--rank of what has no nodes") or diag(err)
is_(run(STORE, "r.gxs", "query", "//rec", "--top", "3")[0], 3, "--top without --rank")

put("site.xml", "<site><regions>%s</regions><people>%s</people><sold>%s</sold></site>" % (
    "".join("<item n='%d'><name>i%d</name></item>" % (i, i) for i in range(900)),
    "".join("<person id='p%d'><name>n%d</name><mail>m</mail></person>" % (i, i) for i in range(1500)),
    "".join("<sale><buyer person='p%d'/><price>%d</price></sale>" % (i * 7 % 1500, i) for i in range(1500))))
store("add", "--name", "site", "--split-at", "item", "--part-bytes", "9K", "site.xml")
for q, found in (("/site/people/person[@id = 'p77']/name", 1), ("//sale[buyer/@person = 'p700']/price", 1),
                 ("//item[name = 'i800']/@n", 1), ("/site/people[person/@id = 'p77']/person[1]", 0)):
    code, out, err = store("query", "--timing", q, "site")
    ok(" %d records alone" % found in err and out and out == run(GPUXSLT, "--xpath", q, "site.xml")[1],
       "records of a list outside what is split: %s" % q) or diag("%s%r" % (err, out))
for at in ["--split-at", "item", "--part-bytes", "9K"], ["--split-at", "item", "--split-at", "sale",
                                                         "--split-at=person", "--part-bytes", "9K"], []:
    at = [a for b in at for a in b.split("=")]
    is_(store("add", "--name", "site", *at, "site.xml")[0], 0, "split at %s" % at[1::2])
    for q in ("/site/people/person[not(none)]/name", "/site/sold/sale[price >= 1400]/buyer/@person", "count(//sale)",
              "//sale[buyer/@person != 'p7' and price < 9]/price", "//person[false() = none[x = '1']]/@id",
              "//person[none = false()]/mail", "/site[people/person/mail]/sold/sale[1]/price", "//mail | //price"):
        code, out, err = store("query", "--timing", q, "site")
        reads_all = "|" in q or "[people" in q
        ok(out and out == run(GPUXSLT, "--xpath", q, "site.xml")[1]
           and (reads_all or int(re.search(r", (\d+) read", err).group(1)) in (1, 9, 11)),
           "only parts that have a path's names are read: %s" % q) or diag("%s%r" % (err, out))
    for q in "//person[not(none)]/name", "//item[name = 'i7' or name = 'i800']/@n", "//item[contains(name, '8')]/name":
        with open(S, "rb") as f:    # out of the page cache, so that what is needed is read ahead
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        is_(store("query", q, "site")[1], run(GPUXSLT, "--xpath", q, "site.xml")[1], "... and from a cold file: %s" % q)
    code, out, err = store("query", "--timing", "//person/none", "site")
    ok(code == 0 and not out and " 0 read" in err, "... none, where no part has them") or diag("%s%r" % (err, out))
store("remove", "site")


def word():
    n = R.choice((1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 100, 130))
    letters = [R.choice("abcXYZ019" if R.random() < .9 else "éÉßλΛ\u212a\u0416") for _ in range(n)]
    return "".join(letters) if R.random() < .4 else R.choice(WORDS)


def words_and_marks():
    return "".join(R.choice(words) + R.choice((" ", ", ", "…", "-", "\n", "_é ", "` "))
                   for _ in range(R.randint(1, 40)))


words = [word() for _ in range(300)]
put("words.xml", "<bib>%s</bib>" % "".join("<rec n='%d' t='%s'><title>%s</title>%s</rec>" % (
    i, R.choice(words), words_and_marks(), " " * R.randint(0, 9)) for i in range(400)))
wrong, found = [], 0
for at in ([], ["--split-at", "rec", "--part-bytes", "9K"]):
    store("add", "--name", "words", *at, "words.xml")
    for w in R.sample(words, 60):
        w = R.choice((w, w.upper(), w.lower()))
        for q in "//title[gx:contains-word(., '%s')]/../@n" % w, "//rec[gx:contains-word(@t, '%s')]/@n" % w:
            got = [store("query", *more, q, "words")[:2] for more in ((), ("--no-index",))]
            found += got[0][1] != b""
            if got[0] != got[1] or got[0][0]:
                wrong.append("%s: %r, not %r" % (q, *got))
ok(not wrong and found > 120, "words of all lengths and alphabets, wherever they lie, are found by the index") \
    or diag("%d %s" % (found, "\n".join(wrong)))
store("remove", "words")
code, out, err = store("query", "--timing", "//author[. = 'none of these']")
ok(code == 0 and " 0 read" in err, "the index leaves out what cannot matter") or diag(err)
code, out, err = store("query", "//b", "nobody")
ok(code == 4 and 'there is no document "nobody"' in err, "a name that is not there") or diag(err)
code, out, err = store("query", "//b[", "split")
ok(code == 5 and "expression" in err, "a wrong expression") or diag(err)

# ---- all or nothing ----
before = store("list")[1]
put("bad.xml", "<bib>\n<rec>1</rec>\n<rec>2\n</bib>")
code, out, err = store("add", "--split-at", "rec", "--part-bytes", "1", "plain.xml", "bad.xml")
ok(code == 6 and "bad.xml:4" in err, "an error in a part has the file's line") or diag(err)
is_(store("list")[1], before, "... and nothing was added")
put("utf16.xml", "<bib><rec/></bib>".encode("utf-16"))
code, out, err = store("add", "--split-at", "rec", "utf16.xml")
ok(code == 6 and "convert it to UTF-8" in err, "UTF-16 is not split") or diag(err)
code, out, err = store("remove", "plain.xml", "nobody")
ok(code == 4 and store("list")[1] == before, "removing: all or none") or diag(err)
is_(store("remove", "plain.xml")[0], 0, "removing")
ok(b"plain.xml" not in store("list")[1], "... and it is gone")


def small():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(S) + 4096,) * 2)


put("large.xml", "<d>" + "<e>some text of it</e>" * 200000 + "</d>")
code, out, err = store("add", "large.xml", preexec_fn=small)
ok(code == 4 and "File too large" in err, "a full disk") or diag(err)
is_(store("check")[0], 0, "... leaves the store whole")
ok(b"large.xml" not in store("list")[1], "... and without it")
code, out, err = run(STORE, "/proc/self/s.gxs", "add", "plain.xml")
ok(code == 4 and "cannot be made" in err, "where no file can be made") or diag(err)
code, out, err = run(STORE, "plain.xml", "list")
ok(code == 7 and "no store" in err, "what is no store") or diag(err)
put("older.gxs", b"GXS1" + bytes(8188))
code, out, err = run(STORE, "older.gxs", "list")
ok(code == 7 and "another version" in err, "a store of another version's format") or diag(err)
code, out, err = run(STORE, "none.gxs", "list")
ok(code == 4 and "No such file" in err, "what is not there") or diag(err)

p = subprocess.Popen([STORE, S, "add", "--name", "pipe", "-"], stdin=subprocess.PIPE)
time.sleep(.3)
code, out, err = store("add", "plain.xml")
ok(code == 4 and "another process is changing this store" in err, "two writers") or diag(err)
ok(store("query", "count(//rec)", "split")[0] == 0, "... and readers go on")
p.stdin.write(b"<d/>")
p.kill()
p.wait()
ok(store("check")[0] == 0 and b"pipe" not in store("list")[1], "kill -9 before the commit: nothing happened")
lost = 0
for i in range(30):
    p = subprocess.Popen([STORE, S, "add", "--name", "killed", "large.xml"])
    time.sleep(R.random() * .15)
    p.kill()
    ended = p.wait() == 0
    here = b"killed" in store("list")[1]
    lost += store("check")[0] != 0 or (ended and not here)
    if here:
        store("remove", "killed")
is_(lost, 0, "kill -9 at any time: what was acknowledged is there, and the store is whole")

size = os.path.getsize(S)
is_(store("compact")[0], 0, "compact")
ok(os.path.getsize(S) < size and store("check")[0] == 0,
   "... is smaller, and whole") or diag("%d %d" % (size, os.path.getsize(S)))
is_(store("export", "split")[1], want, "... and the document is what it was")
code, out, err = store("query", "--timing", "//author[. = 'none of these']", "split")
ok(code == 0 and " 0 read" in err, "... and found by the index") or diag(err)

with open(S, "r+b") as f:
    f.seek(os.path.getsize(S) // 2 // 4096 * 4096)
    b = f.read(1)
    f.seek(-1, 1)
    f.write(bytes([b[0] ^ 1]))
code, out, err = store("check")
ok(code == 7 and "page %d is damaged" % (os.path.getsize(S) // 2 // 4096) in err,
   "a damaged page is named") or diag(err)

subprocess.run(["rm", "-rf", D])
done()
