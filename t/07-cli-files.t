#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpuxslt --write-below: exsl:document, xsl:document of XSLT 1.1 and redirect:write write complete files beneath one
directory, and nothing else.
--read-below: what a stylesheet or document names is read beneath it, and nowhere else."""
import os, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = next(p for p in (os.environ.get("GPUXSLT"), os.path.join(ROOT, "build", "gpuxslt")) if p)
n = failed = 0


def ok(good, claim, *why):
    global n, failed
    n += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", n, claim), flush=True)
    if not good:
        print("".join("#   %s\n" % line[:300] for w in why for line in str(w).splitlines()[:8]), end="", flush=True)


HEAD = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" xmlns:p="urn:p"
 xmlns:r="org.apache.xalan.xslt.extensions.Redirect" xmlns:x="http://xml.apache.org/xalan/redirect" extension-element-prefixes="exsl r x" exclude-result-prefixes="p">
<xsl:output method="html" indent="no" encoding="US-ASCII"/><xsl:param name="to" select="'out.txt'"/><xsl:param name="m" select="'xml'"/>
"""
home = tempfile.mkdtemp(prefix="gpuxslt-files-")
os.chdir(home)


def sheet(name, body):
    with open(name, "w", encoding="utf-8") as f:
        f.write(HEAD + body + "</xsl:stylesheet>\n")


def run(*args, below="out"):
    p = subprocess.run([GPUXSLT] + (["--write-below", below] if below else []) + list(args), stdin=subprocess.DEVNULL,
                       capture_output=True, timeout=60)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def files(folder="out"):
    """Name -> bytes of all that is there; a link's target."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = os.readlink(path) if os.path.islink(path) else open(path,
                "rb").read()
    return found


def fresh():
    shutil.rmtree("out", ignore_errors=True)


with open("d.xml", "w") as f:
    f.write('<b><c id="a"><n>1</n></c><c id="b"><n>2</n><n>3</n></c></b>')
sheet("chunks.xsl", """<xsl:template match="/"><html><xsl:apply-templates select="//c"/></html></xsl:template>
<xsl:template match="c"><a href="ch/{@id}.html"/><exsl:document href="ch/{@id}.html" method="{$m}" encoding="ISO-8859-{1}" indent="{'no'}" omit-xml-declaration="no"
 standalone="yes" doctype-public="-//P//{@id}" doctype-system="{@id}.dtd" cdata-section-elements="p:s q" version="1.0" media-type="text/x"><h>\u00e9\u20ac<q>&lt;</q><p:s>&amp;</p:s><xsl:apply-templates/></h></exsl:document></xsl:template>
<xsl:template match="n">[<xsl:document href="note-{position()}-{../@id}.txt" method="text"><xsl:value-of select="."/>\u20ac</xsl:document>]</xsl:template>""")
xml = ('<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>\n<!DOCTYPE h PUBLIC "-//P//%s" '
       '"%s.dtd">\n<h>\u00e9&#8364;<q><![CDATA[<]]></q><p:s xmlns:p="urn:p"><![CDATA[&]]></p:s>%s</h>')
want = {"ch/a.html": (xml % ("a", "a", "[]") + "\n").encode("latin-1"),
        "ch/b.html": (xml % ("b", "b", "[][]") + "\n").encode("latin-1"), "ch/note-1-a.txt": "1\u20ac".encode(),
        "ch/note-1-b.txt": "2\u20ac".encode(), "ch/note-2-b.txt": "3\u20ac".encode()}
page = '<html><a href="ch/a.html"></a><a href="ch/b.html"></a></html>'
for team in (["--team", "solo"], ["--team", "threads:3"], ["--repeat", "3"], []):
    fresh()
    got = run(*team, "chunks.xsl", "d.xml")
    have = {k: v.rstrip(b"\n") for k, v in files().items()}
    ok(got[0] == 0 and got[1].strip() == page and have == {k: v.rstrip(b"\n") for k, v in want.items()},
       "exsl:document and xsl:document, within each other: %s" % " ".join(team), got, have)
ok(run("chunks.xsl", "d.xml", "d.xml")[0] == 0, "... once more for the next document")
fresh()
ok(run("--stringparam", "m", "html", "chunks.xsl", "d.xml")[0] == 0
   and files()["ch/a.html"].startswith(b'<!DOCTYPE html PUBLIC "-//P//a"'), "... method as a template", files())
got = run("--stringparam", "m", "pdf", "chunks.xsl", "d.xml")
ok(got[0] == 9 and "method must be xml, html or text" in got[2], "... a wrong one is an error with its place", got)

sheet("redirect.xsl", """<xsl:template match="/"><r:write select="concat('s/', name(/*), '.html')" file="file.html"><html><br/>\u20ac</html></r:write>
<x:write select="''" file="{name(/*)}-2.html"><html/></x:write></xsl:template>""")
fresh()
got = run("redirect.xsl", "d.xml")
ok(got[0] == 0 and {k: v.strip() for k, v in files().items()} == {"s/b.html": b"<html><br>&#8364;</html>",
                                                                  "b-2.html": b"<html></html>"},
   "redirect:write: select before file, written as the result is", got, files())

sheet("variable.xsl", """<xsl:template match="/"><xsl:variable name="v"><exsl:document href="v.txt" method="text">v</exsl:document><b/></xsl:variable>
<xsl:copy-of select="$v"/><xsl:copy-of select="$v"/><xsl:copy-of select="exsl:node-set($v)/*"/><xsl:value-of select="string-length($v)"/>
<i><xsl:attribute name="t">1<exsl:document href="in.txt" method="text">2</exsl:document></xsl:attribute></i>
<xsl:message>m<exsl:document href="m.txt" method="text">3</exsl:document></xsl:message></xsl:template>""")
fresh()
got = run("variable.xsl", "d.xml")
ok(got[0] == 0 and got[1].strip() == '<b></b><b></b><b></b>0<i t="1"></i>'
   and files() == {"v.txt": b"v", "in.txt": b"2", "m.txt": b"3"} and got[2] == "m\n",
   "in a variable, an attribute, a message: once, and no part of these", got, files())

sheet("available.xsl", """<xsl:output method="text"/><xsl:template match="/"><xsl:for-each select="//n"><xsl:value-of select="element-available('exsl:document')"/>
<xsl:value-of select="concat(element-available(concat('exsl:docu', 'ment')), element-available('r:write'), element-available('xsl:document'))"/></xsl:for-each>
<exsl:document href="x.txt" method="text"><xsl:fallback>no file</xsl:fallback>file</exsl:document></xsl:template>""")
fresh()
got = run("available.xsl", "d.xml")
ok("false" not in got[1] and got[1].count("true") == 12 and files() == {"x.txt": b"file"}, "element-available()", got)
got = run("available.xsl", "d.xml", below=None)
ok(got[0] == 0 and "true" not in got[1] and got[1].endswith("no file"),
   "... without --write-below it is not there, and xsl:fallback is used", got)
got = run("chunks.xsl", "d.xml", below=None)
ok(got[0] in (9, 10) and not got[1] and "chunks.xsl:5:50: " in got[2]
   and "exsl:document writes a file beside the result: gpuxslt --write-below DIRECTORY" in got[2],
   "... or the message says what to do", got)

sheet("to.xsl",
      """<xsl:template match="/"><exsl:document href="{$to}" method="text">text</exsl:document></xsl:template>""")
secret = os.path.join(home, "secret")
os.mkdir("elsewhere")
outside = [("../secret", "leads out"), ("a/../../secret", "leads out"), ("%2e%2e/secret", "leads out"),
           ("..%2Fsecret", "leads out"), (secret, "leads out"),
           ("file://" + secret, "leads out"), ("file:" + secret, "leads out"), ("file:///etc/passwd", "leads out"),
           ("/etc/passwd", "leads out"), ("//host/x", "leads out"),
           ("http://localhost/x", "another scheme"), ("FTP://h/x", "another scheme"), ("a%00b", "not a valid URI"),
           ("a%zz", "not a valid URI"), ("", "names no file"), (".", "names no file"),
           ("sub/", "names no file"), ("..", "leads out"), ("link/x", "is a link"),
           ("file.txt/x", "is a link or a file"), ("dir", "Is a directory"),
           (home + "/out/../secret", "leads out"), ("x" * 300, "too long")]
for to, words in outside:
    fresh()
    os.makedirs("out/dir")
    os.symlink(os.path.join(home, "elsewhere"), "out/link")
    open("out/file.txt", "w").write("old")
    before = files()
    got = run("--stringparam", "to", to, "to.xsl", "d.xml")
    ok(got[0] in (9, 11) and not got[1] and words in got[2] and "to.xsl:4:" in got[2] and files() == before
       and not os.path.exists("secret")
       and not os.listdir("elsewhere"), "nothing is written to %r" % to[:60], got, files())
for to, name in (("./a.txt", "a.txt"), ("a/b/../c%20d.txt", "a/c d.txt"), ("\u00e9.txt", "\u00e9.txt"),
                 (home + "/out/abs.txt", "abs.txt"), ("file://localhost" + home + "/out/f.txt", "f.txt"),
                 ("a//b.txt", "a/b.txt")):
    fresh()
    got = run("--stringparam", "to", to, "to.xsl", "d.xml")
    ok(got[0] == 0 and files() == {name: b"text"}, "beneath it is %r" % to[:60], got, files())
fresh()
os.mkdir("out")
open("target", "w").write("untouched")
os.symlink(os.path.join(home, "target"), "out/out.txt")
got = run("to.xsl", "d.xml")
ok(got[0] == 0 and files() == {"out.txt": b"text"} and open("target").read() == "untouched",
   "a link with the file's name is replaced, not followed", got, files())

for name, body, words in (
        ("end", '<exsl:document href="out.txt" method="text">1</exsl:document><xsl:message terminate="yes">the '
                'end</xsl:message>', "the end"),
        ("within", '<exsl:document href="out.txt" method="text">1<xsl:message terminate="yes">the '
                   'end</xsl:message></exsl:document>', "the end"),
        ("later", '<exsl:document href="out.txt" method="text">1</exsl:document><exsl:document '
                  'href="../x">2</exsl:document>', "leads out")):
    sheet(name + ".xsl", '<xsl:template match="/"><p/>%s</xsl:template>' % body)
    fresh()
    os.mkdir("out")
    open("out/out.txt", "w").write("old")
    got = run(name + ".xsl", "d.xml")
    ok(got[0] in (9, 10) and not got[1] and words in got[2] and files() == {"out.txt": b"old"},
       "an error loses nothing, and leaves nothing: " + name, got, files())
sheet("twice.xsl", '<xsl:template match="/"><exsl:document href="a/out.txt" '
    'method="text">1</exsl:document>\n<exsl:document href="a/b/../out.txt" method="text">2</exsl:document>'
      '<exsl:document href="a/out.txt" method="text">3<exsl:document href="out.txt" '
      'method="text">4</exsl:document></exsl:document></xsl:template>')
fresh()
got = run("twice.xsl", "d.xml")
ok(got[0] == 0 and files() == {"a/out.txt": b"3"} and got[2].count("is written more than once") == 3
   and "twice.xsl:5:" in got[2], "a file that is written again has what was written last, with a warning", got, files())
fresh()
got = run("--strict", "twice.xsl", "d.xml")
ok(got[0] == 9 and "written before" in got[2] and files() == {}, "... --strict: it is an error", got, files())

for name, body, words in (("no-href", "<exsl:document/>", "exsl:document needs the attribute href"),
                          ("no-file", "<r:write/>", "r:write needs the attribute file or select"),
                          ("append", '<r:write file="x" append="yes"/>', "nothing can be appended"),
                          ("bad-href", '<exsl:document href="{1 +}"/>', "an expression expected"),
                          ("bad-select", '<r:write select="1 +"/>', "an expression expected"),
                          ("bad-method", '<exsl:document href="x" method="{"/>', "'{' is not closed")):
    sheet(name + ".xsl", '<xsl:template match="/">%s</xsl:template>' % body)
    got = run(name + ".xsl", "d.xml")
    ok(got[0] == 9 and not got[1] and words in got[2], "when it is reached: " + words, got)
    sheet(name + ".xsl", '<xsl:template match="/"><o/></xsl:template><xsl:template name="t">%s</xsl:template>' % body)
    got, strict = run(name + ".xsl", "d.xml"), run("--strict", name + ".xsl", "d.xml")
    ok(got[0] == 0 and got[2].startswith("warning: ") and words in got[2] and strict[0] == 5 and words in strict[2],
       "... else a warning, --strict: an error", got, strict)
fresh()
got = run("-o", "main.html", "chunks.xsl", "d.xml", below="new-directory")
ok(got[0] == 0 and open("main.html").read().strip() == page and len(files("new-directory")) == 5,
   "a directory is made; -o is for the result alone", got)
got = run("to.xsl", "d.xml", below="none/at/all")
ok(got[0] == 11 and "none/at/all: cannot be made" in got[2], "... but not where there is no place for it", got)
got = run("--each", "--out", "e", "to.xsl", "d.xml")
ok(got[0] == 3 and "--write-below goes with" in got[2], "not with --each", got)
got = run("--explain", "to.xsl")
ok(got[0] == 0, "--explain", got)

# ---- --read-below ----

os.makedirs("fence/in")
for name, text in (("fence/in/inside.xml", "<in>inside</in>"), ("outside.xml", "<out>secret</out>"),
                   ("outside.xsl", HEAD + "</xsl:stylesheet>"),
                   ("fence/in/part.xsl", HEAD + '<xsl:template match="/">imported</xsl:template></xsl:stylesheet>')):
    with open(name, "w") as f:
        f.write(text)
os.symlink("../outside.xml", "fence/link.xml")
OUTSIDE = ("../outside.xml", os.path.join(home, "outside.xml"), "file://%s/outside.xml" % home, "link.xml",
           "in/../../outside.xml")
REACH = {"fence/document-%d.xsl" % i: '<xsl:template match="/"><xsl:copy-of select="document(\'%s\')"/></xsl:template>'
         % name for i, name in enumerate(OUTSIDE)}
for name, body in REACH.items():
    sheet(name, body)
    for more in ([], ["--each", "--out", "each-%s" % os.path.basename(name)]):
        got = run("--read-below", "fence", *more, name, "d.xml", below=None)
        ok("secret" not in got[1] + str(files(more[2]) if more else "")
           and "no such file beneath the allowed directories" in got[2], "document() of %s reads nothing" % name, got)
OPEN = HEAD.split("<xsl:output")[0]        # imports come first
open("fence/good.xsl", "w").write(OPEN + '<xsl:import href="in/part.xsl"/><xsl:template match="/" '
    'priority="2"><xsl:apply-imports/><xsl:value-of '
    'select="document(\'in/inside.xml\')"/></xsl:template></xsl:stylesheet>')
got = run("--read-below", "fence", "fence/good.xsl", "d.xml", below=None)
ok(got[0] == 0 and "importedinside" in got[1], "what lies beneath is read", got)
got = run("--read-below", "none", "--read-below", "fence", "fence/good.xsl", "d.xml", below=None)
ok(got[0] == 0, "more than one directory, one of which is not there", got)
for element in ("import", "include"):
    open("fence/%s.xsl" % element, "w").write(OPEN + '<xsl:%s href="../outside.xsl"/></xsl:stylesheet>' % element)
    got = run("--read-below", "fence", "fence/%s.xsl" % element, "d.xml", below=None)
    ok(got[0] == 5 and "no such file beneath the allowed directories" in got[2],
       "xsl:%s from outside is an error" % element, got)
got = run("--read-below", "fence", "outside.xsl", "d.xml", below=None)
ok(got[0] == 4, "so is a stylesheet of the command line", got)
with open("entity.xml", "w") as f:
    f.write('<!DOCTYPE a [<!ENTITY e SYSTEM "outside.xml"><!ENTITY %% p SYSTEM "%s/outside.xml"> %%p;]><a '
            'xmlns:xi="http://www.w3.org/2001/XInclude">&e;'
            '<xi:include href="outside.xml"><xi:fallback>none</xi:fallback></xi:include></a>' % home)
sheet("fence/copy.xsl", '<xsl:template match="/"><xsl:copy-of select="."/></xsl:template>')
got = run("--read-below", "fence", "--xinclude", "fence/copy.xsl", "entity.xml", below=None)
ok("secret" not in got[1] and "left empty" in got[2], "external entities and XInclude read nothing outside", got)
shutil.rmtree(home)
print("1..%d" % n)
sys.exit(failed != 0)
