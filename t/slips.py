#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stylesheets with random slips: what xsltproc takes is taken here, and gives the same bytes.

    t/slips.py [--count N] [--seed S] [--with FOLDER ...]       TAP; `make test-slips` runs several thousand

Each stylesheet of t/cases (and of the folders given with --with) that both processors transform alike is changed once
at random: a stray, missing or misspelled attribute or element, a child that is removed, repeated or moved, text and
children in wrong places, a damaged expression or pattern, words of later versions. Then both processors run. A finding
is one of these:

    refused   an error when it is compiled here, and xsltproc transforms
    early     an error when it is compiled here, and for xsltproc when it is reached
    reached   an error when it is reached here, and xsltproc transforms
    bytes     both transform, and the results differ
    crash     a signal or more than --timeout seconds, here only

Findings are grouped by the sentence (bytes: by the change), so that each kind is told once, with its first example.
Where the results differ, both run the stylesheet once more without what docs/reference/conformance.md gives a reason
for (agreed): when they agree then, the difference was that. --keep FOLDER writes an example of each kind there.
"""
import argparse, collections, concurrent.futures, glob, os, random, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
args = argparse.ArgumentParser()
args.add_argument("--count", type=int, default=300)
args.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
args.add_argument("--gpuxslt", default=ROOT + "/build/gpuxslt")
args.add_argument("--with", dest="folders", action="append", default=[], metavar="FOLDER")
args.add_argument("--keep", metavar="FOLDER")
args.add_argument("--timeout", type=float, default=10)
args.add_argument("--looser", action="store_true", help="tell also of what is taken here and refused there")
args = args.parse_args()
rnd = random.Random(args.seed)

# ---- a stylesheet as tokens: tags, text, comments, ...; what is put together again is the same text ----

TOKEN = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*'|\[.*?\]\s*(?=>"
                   r"))*>|</[^>]*>|<(?:[^>\"']|\"[^\"]*\"|'[^']*')*>|[^<]+", re.S)
ATTRIBUTE = re.compile(r"(\s+)([\w:.-]+)(\s*=\s*)(\"[^\"]*\"|'[^']*')")
NAME = re.compile(r"<([\w:.-]+)")


class Sheet:
    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.ends, open_tags = {}, []
        for i, token in enumerate(self.tokens):
            if token.startswith("</"):
                self.ends[open_tags.pop()] = i
            elif NAME.match(token):
                if token.endswith("/>"):
                    self.ends[i] = i
                else:
                    open_tags.append(i)
        self.sound = "".join(self.tokens) == text and not open_tags
        self.elements = sorted(self.ends)
        prefix = re.search(r"xmlns:([\w.-]+)\s*=\s*[\"']http://www.w3.org/1999/XSL/Transform[\"']", text)
        self.xsl = prefix.group(1) + ":" if prefix else None

    def name(self, i):
        return NAME.match(self.tokens[i]).group(1)

    def text(self):
        return "".join(self.tokens)

    def instructions(self):
        return [i for i in self.elements if self.name(i).startswith(self.xsl)]

    def attributes(self, i):
        return [m for m in ATTRIBUTE.finditer(self.tokens[i]) if not m.group(2).startswith("xmlns")]

    def put(self, i, match, name, value):
        """Replaces an attribute; without a name it goes."""
        quote = "'" if '"' in value else '"'
        by = match.group(1) + name + match.group(3) + quote + value + quote if name else ""
        self.tokens[i] = self.tokens[i][:match.start()] + by + self.tokens[i][match.end():]


STRAY = ['foo="1"', 'select="."', 'select="//*"', 'test="true()"', 'name="n"', 'mode="m"', 'match="*"',
         'as="xs:string"', 'version="2.0"', 'version="1.1"',
         'separator=", "', 'use-when="true()"', 'xpath-default-namespace="u"', 'expand-text="yes"',
         'disable-output-escaping="yes"', 'html-version="5"',
         'encoding="x"', 'indent="yes"', 'use="."', 'priority="1"', 'order="descending"', 'data-type="number"',
         'lang="de"', 'format="1"', 'href="x"',
         'terminate="no"', 'elements="*"', 'namespace="u"', 'use-attribute-sets="s"', 'required="yes"', 'tunnel="yes"',
         'xml:space="preserve"', 'collation="c"',
         'byte-order-mark="no"', 'method="html5"', 'method="xhtml"', 'undeclare-prefixes="no"', 'visibility="public"',
         'id="i"', 'exclude-result-prefixes="q"',
         'extension-element-prefixes="q"', 'count="*"', 'level="any"', 'value="1"', 'from="*"', 'letter-value="x"',
         'grouping-separator=","',
         'cdata-section-elements="a"', 'standalone="maybe"', 'omit-xml-declaration="true"', 'case-order="x"',
         'stable="yes"', 'inherit-namespaces="no"',
         'copy-namespaces="no"', 'validation="strip"', 'type="xs:int"', 'error-code="x"', 'default-mode="m"',
         'X:foo="1"', 'X:use-attribute-sets="s"',
         'X:version="2.0"', 'X:exclude-result-prefixes="#all"', 'X:extension-element-prefixes="nope"', 'default="x"',
         'priority="high"', 'media-type="a/b"']
CHILD = ['<e/>', '<X:param name="p"/>', '<X:param name="p" select="1"/>', '<X:variable name="p" select="1"/>',
         '<X:sort/>', '<X:sort select="."/>',
         '<X:with-param name="p" select="1"/>', '<X:when test="1"/>', '<X:otherwise>o</X:otherwise>', '<X:output/>',
         '<X:output method="html"/>',
         '<X:template match="nope"/>', '<X:template name="nope"/>', '<X:foo/>', '<X:sequence select="1"/>',
         '<X:text>t</X:text>', '<X:text>t<e/></X:text>',
         '<X:attribute name="a">v</X:attribute>', '<X:fallback>f</X:fallback>',
         '<X:key name="k" match="*" use="@id"/>', '<X:strip-space elements="*"/>',
         '<X:import href="nope.xsl"/>', '<X:include href="nope.xsl"/>', '<X:message>m</X:message>',
         '<X:apply-imports/>', '<X:number/>', '<X:comment>c</X:comment>',
         '<X:value-of select="1"/>', '<X:choose/>', '<X:choose><X:when test="0"/></X:choose>',
         '<X:if test="1">i</X:if>', '<X:for-each select="*"/>',
         '<X:call-template name="nope"/>', '<X:apply-templates mode="nope"/>', '<X:function name="f"/>',
         '<X:decimal-format/>', '<X:attribute-set name="s"/>',
         '<X:namespace-alias stylesheet-prefix="a" result-prefix="b"/>', '<X:element name="e"/>',
         '<X:element name="1e">x</X:element>', '<X:copy/>',
         '<X:copy-of select="."/>', '<X:processing-instruction name="p"/>',
         '<X:for-each-group select="*" group-by="."/>', '<X:variable name="v"/>',
         '<X:result-document href="x"/>', '<X:analyze-string select="." regex="a"/>', '<X:document href="x"/>',
         '<X:script/>', '<X:stylesheet version="1.0"/>',
         'text', '&#160;', '<!-- c -->', '<?p i?>', '<q:e xmlns:q="u"/>']
WORDS = ["", "yes", "no", "1", "a b", "q:a", "{", "}", "{}", "{.}", "text", "*", ".", "/", "true", "0", "#all", "a",
         "-1", "{1", "number", "descending", "html", "//*", "$x", "'"]
NAMES = """apply-imports apply-templates attribute attribute-set call-template choose comment copy copy-of decimal-format element fallback for-each if import
include key message namespace-alias number otherwise output param preserve-space processing-instruction sort strip-space template text value-of variable when
with-param foo sequence function for-each-group document script aply-templates valueof""".split()
MISSPELLED = {"select": ["slect", "selct", "test"], "test": ["select", "tets"], "match": ["select", "macth"],
              "name": ["nmae", "match"]}
BITS = list("/|@*()[]'$:,.=<>!+- ") + ["//", "::", "..", "text()", "node()", "current()", "position()", "last()",
                                       "key('k',1)", "foo()", "q:f(1)", "a", "1", " and ", " or ",
                                      " div ", " eq ", "child::", "ancestor::", "self::node()", "id('a')",
                                       "document('')", "$nope", "q:a", "@@", "1e3", ".5", "0x1", "\"", "{", "#"]


def damaged(text):
    at = rnd.randrange(len(text) + 1)
    way = rnd.randrange(6)
    if way == 0 and at < len(text):
        return text[:at] + text[at + 1:]
    if way == 1:
        pieces = re.findall(r"[\w.-]+|[^\w\s]|\s+", text)
        if pieces:
            pieces.insert(rnd.randrange(len(pieces)), pieces.pop(rnd.randrange(len(pieces))))
        return "".join(pieces)
    if way == 2:
        pieces = re.findall(r"[\w.-]+|[^\w\s]|\s+", text)
        if pieces:
            pieces[rnd.randrange(len(pieces))] = rnd.choice(BITS)
        return "".join(pieces)
    if way == 3:
        return text[:at] if rnd.random() < 0.5 else text[at:]
    return text[:at] + rnd.choice(BITS) + text[at:]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;") if "&" not in text else text.replace("<", "&lt;")


def some(sheet, of):
    return rnd.choice(of) if of else None


def stray(sheet):
    i = some(sheet, sheet.instructions())
    one = rnd.choice(STRAY).replace("X:", sheet.xsl)
    sheet.tokens[i] = re.sub(r"(<[\w:.-]+)", lambda m: m.group(1) + " " + one, sheet.tokens[i], 1)
    return "%s with %s" % (sheet.name(i), one)


def an_attribute(sheet):
    found = [(i, m) for i in sheet.instructions() for m in sheet.attributes(i)]
    return rnd.choice(found)


def drop_attribute(sheet):
    i, m = an_attribute(sheet)
    sheet.put(i, m, "", "")
    return "%s without %s" % (sheet.name(i), m.group(2))


def misspell_attribute(sheet):
    i, m = an_attribute(sheet)
    name = rnd.choice(MISSPELLED.get(m.group(2), []) + [m.group(2)[:-1] or "x", m.group(2).upper(), "q" + m.group(2)])
    sheet.put(i, m, name, m.group(4)[1:-1])
    return "%s with %s for %s" % (sheet.name(i), name, m.group(2))


def change_value(sheet):
    i, m = an_attribute(sheet)
    value = rnd.choice(WORDS)
    sheet.put(i, m, m.group(2), value)
    return "%s/@%s is %r" % (sheet.name(i), m.group(2), value)


def damage(sheet):
    found = [(i, m) for i in sheet.elements for m in sheet.attributes(i)
             if m.group(2) in ("select", "test", "match", "use", "value", "count", "from") or "{" in m.group(4)]
    i, m = rnd.choice(found)
    value = escaped(damaged(m.group(4)[1:-1]))
    if '"' in value and "'" in value:
        value = value.replace('"', "'")
    sheet.put(i, m, m.group(2), value)
    return "%s/@%s damaged" % (sheet.name(i), m.group(2))


def rename(sheet):
    i = some(sheet, sheet.instructions())
    old, new = sheet.name(i), sheet.xsl + rnd.choice(NAMES)
    end = sheet.ends[i]
    sheet.tokens[i] = "<" + new + sheet.tokens[i][1 + len(old):]
    if end != i:
        sheet.tokens[end] = "</" + new + ">"
    return "%s for %s" % (new, old)


def cut(sheet, i):
    piece = sheet.tokens[i:sheet.ends[i] + 1]
    del sheet.tokens[i:sheet.ends[i] + 1]
    return piece


def a_child(sheet):
    return rnd.choice(sheet.elements[1:])


def remove(sheet):
    i = a_child(sheet)
    name = sheet.name(i)
    cut(sheet, i)
    return "%s removed" % name


def repeat(sheet):
    i = a_child(sheet)
    name = sheet.name(i)
    sheet.tokens[i:i] = sheet.tokens[i:sheet.ends[i] + 1]
    return "%s twice" % name


def place(sheet, piece):
    """Somewhere in the document element, between two tokens."""
    top = sheet.elements[0]
    tokens = [i for i in range(top + 1, sheet.ends[top] + 1)]
    at = rnd.choice(tokens)
    within, open_tags = sheet.name(top), []
    for i in sheet.elements:
        if i < at <= sheet.ends[i]:
            within = sheet.name(i)
    sheet.tokens[at:at] = piece
    return within


def move(sheet):
    i = a_child(sheet)
    name, text = sheet.name(i), cut(sheet, i)
    rest = Sheet(sheet.text())
    within = place(rest, text)
    sheet.tokens = rest.tokens
    return "%s moved into %s" % (name, within)


def insert(sheet):
    piece = rnd.choice(CHILD).replace("X:", sheet.xsl)
    return "%s in %s" % (piece, place(sheet, [piece]))


def version(sheet):
    top = sheet.elements[0]
    value = rnd.choice(("2.0", "1.1", "3.0", "1", "", "x"))
    sheet.tokens[top] = re.sub(r"(\bversion\s*=\s*)(\"[^\"]*\"|'[^']*')", lambda m: '%s"%s"' % (m.group(1), value),
                               sheet.tokens[top], 1)
    return "version " + value


CHANGES = [stray, stray, drop_attribute, misspell_attribute, change_value, change_value, damage, damage, damage,
           damage, rename, remove, repeat, move, insert, insert, insert, version]

# ---- running ----


def run(command, folder):
    try:
        p = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=args.timeout)
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired:
        return "time", b"", b""


def character(m):
    number = m.group(1).decode()
    code = int(number[1:], 16) if number[0] == "x" else int(number)
    return chr(code).encode("utf-8", "replace") if 127 < code < 0x110000 else m.group(0)


def is_encoding(name):
    try:
        return "a".encode(name) == b"a" or name.upper().startswith("UTF-16")
    except (LookupError, UnicodeError):
        return False


def plain(out):
    """Without what the two are known to write otherwise: the declaration, an invented meta element, white space at both
    ends and beside tags, empty comments, characters as references, the numbers of invented prefixes."""
    out = re.sub(rb"^<\?xml[^>]*\?>", b"", out.strip())
    out = re.sub(rb"(?i)\s*<meta http-equiv=\"content-type\"[^>]*>(</meta>)?", b"", out)
    out = re.sub(rb"<!---->", b"", out)
    out = re.sub(rb"&#(x[0-9a-fA-F]+|\d+);", character, out)
    out = re.sub(rb"\bns_?\d+\b", b"ns", out)
    out = re.sub(rb"\s*(</?[\w:.-]+|>)\s*", rb"\1", out)
    return re.sub(rb"<([\w:.-]+)([^<>]*)></\1>", rb"<\1\2/>", out).strip()


def both(folder, sheet, source):
    theirs = run(["xsltproc", "--nonet", "--nowrite", sheet, source], folder)
    ours = run([args.gpuxslt, sheet, source], folder)
    return ours, theirs


def sentence(err, sheet):
    lines = [line for line in err.decode("utf-8", "replace").splitlines() if not line.startswith("warning")]
    line = lines[0] if lines else ""
    line = re.sub(r"^.*?:\d+:\d+: ", "", line)
    line = re.sub(r" in (expression|pattern|attribute value template) \".*", "", line)
    line = re.sub(r"\"[^\"]*\"|'[^']*'", "...", line)
    return re.sub(r"\$[\w:.-]+|\d+|[\w.-]+\(\)", "...", line)


def judge(ours, theirs, change, sheet):
    """None, or the kind of finding and its key."""
    if ours[0] == "time" or (isinstance(ours[0], int) and (ours[0] < 0 or ours[0] > 125)):
        return None if theirs[0] == "time" else ("crash", "%s: %s" % (ours[0], sentence(ours[2], sheet)))
    if theirs[0] == "time" or theirs[0] < 0:
        return None
    if ours[0] == 0 and theirs[0] == 0:
        return None if plain(ours[1]) == plain(theirs[1]) else ("bytes", change)
    if ours[0] == 0:
        return ("looser", re.sub(r"'[^']*'|\"[^\"]*\"", "...",
            "; ".join(theirs[2].decode("utf-8", "replace").splitlines()[1:2])) + " | "
                + change.split(" is ")[0]) if args.looser else None
    if theirs[0] == 0:
        return ("reached" if ours[0] in (9, 10) else "refused", sentence(ours[2], sheet))
    if theirs[0] in (9, 10) and ours[0] == 5:
        return "early", sentence(ours[2], sheet)
    return None


def counted(pattern):
    """The pattern without root nodes, which have no number for libxslt; None if that is not easily said."""
    if re.search(r"[\[\]\"'()]", pattern.replace("node()", "").replace("text()", "").replace("comment()", "")):
        return None
    return "|".join("*[false()]" if p.strip() == "/" else p.strip() + "[..]" for p in pattern.split("|"))


def agreed(sheet):
    """The stylesheet without what the two read differently for a reason that conformance.md gives; None: it has nothing
    of that."""
    before = list(sheet.tokens)
    for i in sheet.instructions():
        if sheet.name(i) == sheet.xsl + "number":
            test = ".."
            for m in reversed(sheet.attributes(i)):
                name, value = m.group(2), m.group(4)[1:-1]
                if name == "from":          # a node that it matches itself; whether level="any" counts that one
                    sheet.put(i, m, None, "")
                elif name == "count" and counted(value):
                    sheet.put(i, m, name, counted(value))
                elif name == "format" and not any(c.isalnum() for c in value):
                    sheet.put(i, m, None, "")
                elif name == "value" and value:         # no positive number
                    test = "(%s) &gt;= 0.5 and (%s) &lt; 1e15" % (value, value)
            quote = '"' if "'" in test else "'"
            sheet.tokens[i] = "<%sif test=%s%s%s>%s" % (sheet.xsl, quote, test, quote, sheet.tokens[i])
            sheet.tokens[sheet.ends[i]] += "</%sif>" % sheet.xsl
        elif sheet.name(i) == sheet.xsl + "output":
            names = {m.group(2) for m in sheet.attributes(i)}
            for m in reversed(sheet.attributes(i)):
                if (m.group(2) == "encoding" and not is_encoding(m.group(4)[1:-1])) \
                        or (m.group(2) == "doctype-public" and "doctype-system" not in names):
                    sheet.put(i, m, None, "")
        elif sheet.name(i) == sheet.xsl + "template":
            for m in reversed(sheet.attributes(i)):
                if m.group(2) == "priority" and not re.fullmatch(r"\s*-?(\d+\.?\d*|\.\d+)\s*", m.group(4)[1:-1]):
                    sheet.put(i, m, None, "")
        elif sheet.name(i) == sheet.xsl + "sort" and sheet.ends[i] == i and "position()" in sheet.tokens[i] \
                and any(sheet.name(k) == sheet.xsl + "sort" for k in sheet.elements if i - 3 < k < i):
            sheet.tokens[i] = ""            # a second key, which libxslt computes when nodes have changed places
    return sheet.text() if sheet.tokens != before else None


def bases():
    found = []
    for top in [ROOT + "/t/cases"] + args.folders:
        for path in sorted(glob.glob(top + "/**/*.xsl", recursive=True) + glob.glob(top + "/**/*.xslt",
            recursive=True)):
            stem = os.path.splitext(path)[0]
            if os.path.exists(stem + ".args") or os.path.exists(stem + ".status") or os.path.getsize(path) > 60000:
                continue
            source = next((s for s in (stem + ".xml", os.path.dirname(path) + "/doc.xml") if os.path.exists(s)), None)
            if source and os.path.getsize(source) < 300000:
                found.append((path, source))
    return found


def main():
    found = bases()
    top = tempfile.mkdtemp(prefix="gpuxml-slips-")
    farms, alike, kinds = {}, {}, collections.OrderedDict()
    counts = collections.Counter()

    def farm(folder):
        """A folder beside which nothing is written: the stylesheet's neighbours as links."""
        if folder not in farms:
            farms[folder] = os.path.join(top, str(len(farms)))
            os.mkdir(farms[folder])
            for name in os.listdir(folder):
                os.symlink(os.path.join(folder, name), os.path.join(farms[folder], name))
        return farms[folder]

    def is_alike(path, source, text):
        if path not in alike:
            folder = farm(os.path.dirname(path))
            ours, theirs = both(folder, os.path.basename(path), os.path.basename(source))
            alike[path] = ours[0] == 0 and theirs[0] == 0 and plain(ours[1]) == plain(theirs[1])
        return alike[path]

    def make(number):
        for _ in range(100):
            path, source = rnd.choice(found)
            try:
                with open(path, encoding="utf-8", newline="") as f:
                    sheet = Sheet(f.read())
            except (UnicodeDecodeError, IndexError):
                continue
            if not sheet.sound or not sheet.xsl or len(sheet.elements) < 2 or alike.get(path) is False:
                continue
            try:
                change = rnd.choice(CHANGES)(sheet)
            except IndexError:              # there is nothing of that kind
                continue
            return number, path, source, sheet.text(), change
        return None

    def work(job):
        number, path, source, text, change = job
        if not is_alike(path, source, text):
            return None
        folder, name = farm(os.path.dirname(path)), "slip-%d.xsl" % number
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as f:
            f.write(text)
        ours, theirs = both(folder, name, os.path.basename(source))
        finding = judge(ours, theirs, change, name)
        other = agreed(Sheet(text)) if finding and finding[0] == "bytes" else None
        if other:
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as f:
                f.write(other)
            if judge(*both(folder, name, os.path.basename(source)), change, name) is None:
                finding = ("known", "")
        os.unlink(os.path.join(folder, name))
        return finding, job, ours, theirs

    done = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = (make(i) for i in range(args.count))
        for result in pool.map(work, (job for job in jobs if job)):
            if not result:
                continue
            done += 1
            finding, (number, path, source, text, change), ours, theirs = result
            if finding:
                counts[finding] += 1
                kinds.setdefault(finding, (path, source, text, change, ours, theirs))
    shutil.rmtree(top)
    told = [k for k in kinds if k[0] != "known"]
    print("# seed %d: %d changed stylesheets, %d findings of %d kinds; %d differ by what conformance.md says alone" %
          (args.seed, done, sum(counts[k] for k in told), len(told), counts["known", ""]))
    for at, kind in enumerate(sorted(told, key=lambda k: (k[0], -counts[k]))):
        path, source, text, change, ours, theirs = kinds[kind]
        print("# %s (%d): %s" % (kind[0], counts[kind], kind[1]))
        print("#    %s: %s" % (os.path.relpath(path, ROOT), change))
        print("#    here %s %r" % (ours[0], (ours[1] if kind[0] == "bytes" else ours[2])[-150:]))
        print("#    there %s %r" % (theirs[0], (theirs[1] if kind[0] == "bytes" else theirs[2])[-150:]))
        if args.keep:
            os.makedirs(args.keep, exist_ok=True)
            stem = "%s/%03d-%s" % (args.keep, at, kind[0])
            with open(stem + ".xsl", "w", encoding="utf-8", newline="") as f:
                f.write(text)
            shutil.copy(source, stem + ".xml")
    print("%sok 1 - what xsltproc takes is taken here, and gives the same bytes" % ("not " if told else ""))
    print("1..1")
    return 1 if told else 0


if __name__ == "__main__":
    if not shutil.which("xsltproc") or not os.path.exists(args.gpuxslt):
        print("1..0 # SKIP xsltproc or gpuxslt is not there")
        sys.exit(0)
    sys.exit(main())
