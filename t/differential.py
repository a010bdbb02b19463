#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random expressions and stylesheets on random documents: one thread, a team of four, one thread without the planner's
rules and xsltproc must agree.

    t/differential.py [--count N] [--seed S] [--gpuxslt PATH]       TAP; `make test-differential` runs several thousand
    t/differential.py --write FOLDER [--count N] [--seed S]         N programs for `make test-gpu`, see below

Expressions are typed, so that each is legal; forty stand in one stylesheet, one line of output each (node-sets as
positions in the document). Half the batches are small stylesheets instead, every sixth one is of EXSLT's sets, math,
strings, dates and times, every sixth one of sets that rows share and look-ups in them; some expressions are patterns,
of which a line says what they match. The threads' bytes must be those of one thread, always; so must those of --rules
none, unless that meets a limit. Expressions are evaluated at all nodes of the document as well, by both and, by one
thread, in words of which the compiler makes neither look-ups nor shared sets (plainly; a pattern is the set that it
selects): these must agree. xsltproc's may differ where KNOWN names a reason, where it has our nodes in a wrong order,
or where Xalan, if it is installed, says the same as we do: two against one. What differs is cut down as long as it
still differs, and printed with its document.

--write keeps the stylesheets and documents instead, and FOLDER/list names them (stylesheet TAB document): `gx-gpu-check
cases` gives them to the GPU's teams. A document serves many programs, eight expressions stand in a stylesheet; what one
thread and four do not agree on is a finding as ever, and what meets a limit is left out: such programs cost much and
show little.
"""
import argparse, os, random, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
args = argparse.ArgumentParser()
args.add_argument("--count", type=int, default=500)
args.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
args.add_argument("--gpuxslt", default=ROOT + "/build/gpuxslt")
args.add_argument("--write", metavar="FOLDER")
args.add_argument("--keep-going", type=int, default=5, help="stop after so many findings")
args = args.parse_args()
rnd = random.Random(args.seed)
folder = tempfile.mkdtemp(prefix="gpuxml-differential-")

# Where xsltproc deviates from the recommendations, by what is in the expression.
KNOWN = (
    (re.compile(r"-0|\b0 \*|\* 0\b|mod"), "libxml2 writes negative zero as -0"),
    (re.compile(r"substring"), "libxml2 takes the string '-' for a number"),
    (re.compile(r"lang\("), "libxml2's lang() of attribute nodes"),
    (re.compile(r"key\('k'[^\]]*\)\["), "places among what two xsl:key find: libxslt has it out of order"),
    (re.compile(r"encode-uri\(.*encode-uri\("), "libxslt escapes the % of an escape that is there already"),
    (re.compile(r"@.*/following::"), "libxml2's following axis of an attribute leaves out what is in its element"),
)

# ---- documents ----


def document():
    words = ["1", "2", "10", " 3 ", "x", "abcdefg", "abcdefgh", "a b", "", "-4.5", "n", "\u00e4\u20ac",
             "12", "NaN", "b"]
    budget = [rnd.choice((8, 20, 60))]

    def attributes():
        names = rnd.sample(["x", "y", "n:z", "xml:lang"], rnd.choice((0, 1, 1, 2, 3)))
        return "".join(' %s="%s"' % (a, rnd.choice(("en", "de-AT", "EN")) if a == "xml:lang" else rnd.choice(words))
                       for a in names)

    def element(depth):
        name, content = rnd.choice(("a", "a", "b", "c", "n:a", "n:d")), ""
        while budget[0] > 0 and depth < 7 and rnd.random() < 0.72:
            budget[0] -= 1
            content += rnd.choice((lambda: element(depth + 1), lambda: element(depth + 1), lambda: element(depth + 1),
                                   lambda: rnd.choice(words),
                                   lambda: "<!--%s-->" % rnd.choice(words[:3]),
                                   lambda: "<?p %s?>" % rnd.choice(words[:3])))()
        return "<%s%s>%s</%s>" % (name, attributes(), content, name)

    top = ""
    while budget[0] > 0:
        budget[0] -= 1
        top += element(1)
    return '<?xml version="1.0" encoding="UTF-8"?>\n<!--c--><r xmlns:n="urn:n">%s</r>' % top


# ---- expressions: [type, text with a %s for each part, part, ...] ----

LEAF = {"set": ".", "num": "1", "str": "'a'", "bool": "true()", "test": "*", "pred": "", "step": "self::node()",
        "tail": "", "body": "", "sorts": "",
        "pattern": "*", "pattern test": "", "chosen": "//*", "own": "@x", "row": "current()/@x",
        "test of own": "@x = current()/@x",
        "xset": ".", "xnum": "1", "xstr": "'a'", "xbool": "true()", "date": "'2000-02-29Z'", "duration": "'P1D'"}


def text(node):
    return node[1] % tuple(text(part) for part in node[2:]) if len(node) > 2 else node[1]


def plainly(node):
    """The same as text(), in words that the compiler knows no short way for: sets are unions, predicates comparisons of
    truths."""
    words = node[1]
    if node[0] == "pred" and words:
        end, place = words.index("]"), words in ("[1]", "[last()]", "[2]", "[$i]") or (words == "[%s]"
            and node[2][0] == "num")
        words = "[(%s%s) = true()]%s" % ("position() = " if place else "", words[1:end], words[end + 1:])
    words = words.replace("(count(. |", "(0 + count(. |")
    words = words.replace("generate-id()", "concat(generate-id(), '')").replace("generate-id(.)",
        "concat(generate-id(), '')")
    words = words % tuple(plainly(part) for part in node[2:]) if len(node) > 2 else words
    is_set = node[0] in SETS or (node[0] in ("own", "row")
                                 and re.match(r"(@|\*|\.|/|pre|current\(\)|\$some)[^+]*$", words))
    return "(%s | /..)" % words if is_set else words


variables = iter(range(1 << 30))


def unique():
    return "v%d" % next(variables)


def make(kind, depth):
    def made(node):
        return node[:2] + [make(part[1], depth - 1) if isinstance(part, tuple) else made(part) for part in node[2:]]
    return made(grow(kind, depth))


def grow(kind, depth):
    """A node whose parts may be still to be made: most of what is offered here is not chosen."""
    def m(k):
        return ("to make", k)

    def one(*choices):
        return rnd.choice(choices)

    if kind in ("xset", "xnum", "xstr", "xbool", "date", "duration"):
        return extension(kind, depth, m, one)
    if kind in ("pattern", "pattern test"):
        return pattern(kind, depth, m, one)
    if functions and kind in ("set", "num", "str", "bool") and depth > 0 and rnd.random() < 0.2:
        return [kind, "f:%s(%%s, %%s)" % kind, m("set"), m("num")]
    if kind in ("asked", "chosen", "own", "row", "test of own"):
        return chosen(kind, depth, m, one)
    if kind == "any":
        return make(one("set", "num", "str", "bool"), depth - 1)
    if kind == "test":
        return [kind, one("*", "*", "node()", "node()", "a", "b", "c", "n:a", "n:*", "text()", "comment()",
                          "processing-instruction()",
                          "processing-instruction('p')")]
    if depth <= 0:
        return [kind, {"set": lambda: one(".", "*", "a", "@x", "@*", "..", "(/)", "//a"),
                       "num": lambda: one("0", "1", "2", "3", "position()", "last()", "10", "1.5"),
                       "str": lambda: one("'a'", "''", "'1'", "'b'", "string()", "name()"),
                       "bool": lambda: one("true()", "false()", "@x", "a"),
                       "step": lambda: one("self::node()", "*", "node()", "..", "@*")
                       }.get(kind, lambda: LEAF[kind])()]
    if kind == "set" and rnd.random() < 0.25:
        return [kind, one("%s", "%s", "%s/@x", "%s/@y", "%s/..", "%s/*", "(%s)[1]", "(%s)[last()]", "(%s)[$i]"),
                m("chosen")]
    if kind == "set":
        choice = rnd.randrange(18)
        if choice > 13:                 # neighbours and others by a value of theirs
            use, value = ["str", one("@x", "@x", "@y", ".", "string(@x)")], ["str",
                "current()" + one("", "/@x", "/@x", "/@y")]
            sides = [use, value] if rnd.random() < 0.5 else [value, use]
            return [kind, one("preceding-sibling::", "following-sibling::", "preceding::", "following::", "//",
                              "../") + "%s%s" + one("", "/@x", "/@y"),
                    m("test"), ["pred", "[%s " + one("=", "=", "<", ">", "<=", ">=") + " %s]%s", *sides,
                                ["pred", one("", "[1]", "[last()]")]]]
        if choice > 11:
            return [kind, "%s", m("step")]
        if choice < 2:
            return [kind, one("//%s%s", "/descendant::%s%s", "%s%s", "/r/a/%s%s"), m("test"), m("pred")]
        if choice == 2:
            return [kind, "(%s | %s)%s", m("set"), m("set"), m("pred")]
        if choice == 3:
            return [kind, "(%s)%s", m("set"), m("pred")]
        if choice == 4:
            # predicates only with l, and not of node-sets: libxslt applies them before the nodes of several xsl:keys,
            # or values, are in document order, and Xalan misses some
            return [kind, *one(["key('k', %s)", ["set", one(".", "//a", "@x", "//@x")]],
                               ["key('l', %s)%s", m(one("str", "num", "bool")), m("pred")])]
        if choice == 5:
            return [kind, "current()/%s", m("step")] if depth > 1 else [kind, "current()"]
        return [kind, "(%s)/%s", m("set"), m("step")]
    if kind == "step":
        axis = one("child", "child", "descendant", "descendant-or-self", "self", "parent", "ancestor",
                   "ancestor-or-self", "following", "preceding",
                   "following-sibling", "preceding-sibling", "attribute")
        tail = ["tail", one("/%s", "//%s"), make("step", depth - 1)] if rnd.random() < 0.3 else ["tail", ""]
        if axis == "attribute":
            return [kind, "@" + one("*", "x", "y", "n:z", "node()") + "%s", m("pred")]
        return [kind, axis + "::%s%s%s", m("test"), m("pred"), tail]
    if kind == "pred":
        choice = rnd.randrange(13)
        if choice < 6:
            return [kind, ""]
        return [kind, *([["[1]"], ["[last()]"], ["[%s]", m("num")], ["[%s]", m("bool")],
                         ["[%s]%s", m("bool"), m("pred")],
                         ["[position() %s %%s]" % one("=", "<", "<=", ">", ">=", "!=", "mod 2 ="), m("num")],
                         ["[%s position() and position() %s]" % (one("1 <", "2 <=", "0 <", "3 >=", "1 !="),
                             one("< 3", "<= 3", "< 2", "> 1", "!= 1"))]][choice - 6])]
    if kind == "num":
        return [kind, *one(["count(%s)", m("set")], ["sum(%s)", m("set")], ["number(%s)", m("any")],
                           ["string-length(%s)", m("str")],
                           ["(%s + %s)", m("num"), m("num")], ["(%s - %s)", m("num"), m("num")],
                           ["(%s * %s)", m("num"), m("num")],
                           ["(%s div %s)", m("num"), m("num")], ["(%s mod %s)", m("num"), m("num")],
                           ["floor(%s)", m("num")],
                           ["ceiling(%s)", m("num")], ["round(%s)", m("num")], ["-(%s)", m("num")], ["position()"],
                           ["last()"])]
    if kind == "str":
        return [kind, *one(["string(%s)", m("any")], ["concat(%s, %s)", m("str"), m("str")],
                           ["substring(%s, %s, %s)", m("str"), m("num"), m("num")],
                           ["substring(%s, %s)", m("str"), m("num")], ["substring-before(%s, %s)", m("str"), m("str")],
                           ["substring-after(%s, %s)", m("str"), m("str")], ["normalize-space(%s)", m("str")],
                           ["translate(%s, %s, %s)", m("str"), m("str"), m("str")], ["name(%s)", m("set")],
                           ["local-name(%s)", m("set")],
                           ["namespace-uri(%s)", m("set")])]
    if kind == "bool" and rnd.random() < 0.1:
        some = make(one("set", "chosen"), depth - 1)
        return [kind, "(count(. | %s) " + one("=", "!=", ">", "<=", "<", ">=") + " count(%s))", some, some]
    if kind == "bool":
        operator = one("=", "!=", "<", "<=", ">", ">=")
        return [kind, *one(["not(%s)", m("any")], ["boolean(%s)", m("any")],
                           ["(%s " + operator + " %s)", m("any"), m("any")],
                           ["(%s " + operator + " %s)", m("set"), m("any")],
                           ["(%s " + operator + " %s)", m("set"), m("set")],
                           ["(%s and %s)", m("bool"), m("bool")], ["(%s or %s)", m("bool"), m("bool")],
                           ["contains(%s, %s)", m("str"), m("str")],
                           ["starts-with(%s, %s)", m("str"), m("str")], ["lang('en')"], ["%s", m("set")])]
    if kind == "sorts":
        if rnd.random() < 0.5:
            return [kind, ""]
        return [kind, '<xsl:sort select="%s"' + one("", ' data-type="number"', ' order="descending"') + "/>%s",
                m("num"), m("sorts")]
    # bodies of stylesheets
    if rnd.random() < 0.25:
        return [kind, ""]
    return [kind, *one(
        ['<xsl:value-of select="%s"/>;%s', m("any"), m("body")],
        ['<e x="{%s}">%s</e>%s', m("str"), m("body"), m("body")],
        ['<xsl:for-each select="%s">%s%s</xsl:for-each>%s', m("set"), m("sorts"), m("body"), m("body")],
        ['<xsl:for-each select="%s">%s<xsl:if test="' + one("position() = 1", "position() = last()", "position() < 3",
                                                           "2 = position()", "position() > 1") + '">%s</xsl:if>'
            '</xsl:for-each>%s', m("set"), m("sorts"), m("body"), m("body")],
        # loops in loops, of which the inner one's node is compared with something of the outer one's
        [loops(one), m("body")],
        [kept_sets(one), m("body")],
        ['<xsl:apply-templates select="%s"' + one("", ' mode="m"') + '>%s<xsl:with-param name="p" '
            'select="%s"/></xsl:apply-templates>%s', ["set", one("*", "node()",
            "@*", "*/*", "a|b")], m("sorts"), m("any"), m("body")],
        # not for attributes: in libxslt they have a child
        ['<xsl:if test="count(. | ../@*) != count(../@*)"><xsl:apply-templates/></xsl:if>%s', m("body")],
            ['<xsl:if test="%s">%s</xsl:if>%s', m("bool"), m("body"), m("body")],
        ['<xsl:choose><xsl:when test="%s">%s</xsl:when><xsl:otherwise>%s</xsl:otherwise></xsl:choose>%s', m("bool"),
         m("body"), m("body"), m("body")],
        ['<xsl:copy-of select="%s"/>%s', m("set"), m("body")], ['<f><xsl:copy>%s</xsl:copy></f>', m("body")],
        ['<g><xsl:variable name="V" select="%s"/><xsl:value-of select="$V"/><xsl:value-of select="count(//*[. = '
         '$V])"/>%s</g>'.replace("V", unique()),
         m("any"), m("body")],
        ['<xsl:variable name="V">%s</xsl:variable><xsl:value-of select="$V"/><xsl:copy-of select="$V"/>'.replace("V",
            unique()), m("body")],
        ['<xsl:variable name="V">%s</xsl:variable><xsl:variable name="W"><xsl:copy-of '
         'select="$V"/></xsl:variable>{<xsl:value-of select="$W"/>}'
         .replace("V", unique()).replace("W", unique()), m("body")],
        # not for the root: libxslt has no number for it
        ['<xsl:if test="self::*"><xsl:number' + one("", ' level="any"', ' level="multiple" count="*" format="1.a"',
                                                    ' level="any" count="*|b"',
         ' count="*[@x]"', ' count="a"') + "/>,</xsl:if>%s", m("body")],
        ['<xsl:call-template name="t"><xsl:with-param name="p" select="%s"/></xsl:call-template>', m("any")]
        if depth > 3 else ["t"],
        ['<xsl:value-of select="$p"/>%s', m("body")])]


def pattern(kind, depth, m, one):
    """grow() for patterns (XSLT 1.0, 5.2)."""
    if kind == "pattern test":
        return [kind, *one([""], [""], ["[%s]%s", m("bool"), m("pattern test")], ["[%s]", m("num")], ["[1]"],
                           ["[last()]"], ["[@x][1]"], ["[position() > 1]"],
                           ["[%s = %s]", m("own"), m("own")])]
    return [kind, *one(*4 * (["%s%s", m("test"), m("pattern test")],
                             ["%s%s/%s%s", m("test"), m("pattern test"), m("test"), m("pattern test")]),
                       ["%s%s//%s%s", m("test"), m("pattern test"), m("test"), m("pattern test")],
                       ["@" + one("x", "*", "n:*") + "%s", m("pattern test")],
                       ["%s/@" + one("x", "y", "node()") + "%s", m("test"), m("pattern test")],
                       ["/%s/%s%s", m("test"), m("test"), m("pattern test")],
                       ["key('l', 'x')/%s%s", m("test"), m("pattern test")], ["%s|%s", m("pattern"), m("pattern")])]


def chosen(kind, depth, m, one):
    """grow() for nodes of sets that rows share, by what is theirs and what is the row's, and for what is asked of them:
    what the compiler has short ways for."""
    if kind == "asked":
        words = one("count(%s)", "count(%s)", "sum(%s/@x)", "(@x = %s/@x)", "(@x > %s/@x)", "(%s/@x <= @y)",
                    "not(@x = %s/@x)", "not(%s)", "string(%s)",
                    "(. = %s)", "(generate-id(%s) = generate-id())", "(generate-id(.) != generate-id((%s)[1]))",
                    "(generate-id((%s)[1]) = generate-id())",
                    "concat(%s, '')", "name(%s)", "($s = %s/@x)", "($i < %s)", "(count(. | %s) = 1)", "sum(%s)",
                    "count(%s/@*)", "count(%s | .)", "count(current() | %s)", "count(//*/@x | %s)",
                    "count(%s | current()/*)", "(count(. | current()) < count(%s | .))",
                    "(generate-id(.) = generate-id(preceding-sibling::*[1] | %s))")
        beside = one("preceding-sibling::", "following-sibling::", "preceding::",
                     "following::") + "%s%s" + one("", "/@x")
        return [kind, words, one(m("chosen"), m("chosen"), ["chosen", beside, m("test"), m("pred")])]
    if kind == "own":
        return [kind, one("@x", "@x", "@x", "@y", ".", "string(@x)", "number(@x)", "@n:z", "*/@x", "*", "@*", "name()",
                          "count(*)", "string-length(@x)",
                          "../@x", "@x + 1", "concat(@x, @y)", "count(preceding-sibling::*)", "not(@x)",
                          "preceding-sibling::*[1]/@x")]
    if kind == "row":
        return [kind, one("current()/@x", "current()/@x", "current()/@y", "current()", "$s", "$i", "$f",
                          "string(current()/@x)", "number(current()/@x)",
                          "current()/*/@x", "current()/../@x", "$some/@x", "$some", "count(current()/*)",
                          "name(current())", "current()/@*", "2", "'a'",
                          "true()", "$i + 1", "concat($s, '')", "current()/preceding-sibling::*/@x", "//*[1]/@x")]
    if kind == "test of own" and rnd.random() < 0.3:            # of both sides together, and what stands beside a node
        compare, axis = one("=", "=", "<", ">", "<=", ">=", "!="), one("preceding-sibling::", "following-sibling::",
                                                                        "preceding::", "following::")
        other = one("2", "0", "-1", "0.5", "@y", "number(current()/@y)", "$i", "current()/@x")
        return [kind, *one(["%s div %s " + compare + " " + other, m("own"), m("row")],
                           ["%s div %s " + compare + " " + other, m("row"), m("own")],
                           ["%s * %s " + compare + " " + other, m("row"), m("own")],
                           ["concat(%s, '', %s) = %s", m("row"), m("own"), m("row")],
                           ["concat(%s, %s, 'a') != concat(@x, 'a')", m("own"), m("row")],
                           ["%s = concat(%s, @x, $s)", m("own"), m("row")],
                           ["count(. | current()) " + compare + " " + one("1", "2", "3")],
                           ["count(* | current()/*) " + compare + " " + one("1", "2", "3")],
                           ["count(current()/@* | @*) " + compare + " " + one("1", "2", "4")],
                           ["count(. | $some) " + compare + " count($some)"],
                           ["count($all | .) " + compare + " count($all)"],
                           [axis + "%s[%s]", m("test"), m("test of own")],
                           ["not(" + axis + "%s[%s])", m("test"), m("test of own")],
                           [axis + "*/@x " + compare + " %s", m("row")],
                           ["count(" + axis + "%s[%s]) = 0", m("test"), m("test of own")])]
    if kind == "test of own" and rnd.random() < 0.2:            # sides that both ask node and row
        compare, order = one("=", "<", ">", "<=", ">=", "!="), one("<", "<=", ">", ">=")
        few = one("2", "0", "-1", "0.5", "9", "1.3", "0.1", "1000000")
        part = one("@x", "@x", "@y", "(@x * 0.1)", "*/@x", "count(*)")
        other = one("current()/@x", "current()/@y", "(current()/@x div 3)", "$i", "(current()/@y * 0.1)")
        minus = part + one(" - ", " - ", " + ") + other
        return [kind, *one(["%s + %s " + compare + " %s + " + other, m("own"), m("row"), m("own")],
                           [part + " - " + other + " " + compare + " @y - current()/@y"],
                           [other + " - (" + part + " div 2) " + compare + " (%s + %s) * 3", m("own"), m("row")],
                           ["(" + minus + ") " + one("* ", "div ", "+ ", "- ") + few + " " + compare + " " + few],
                           [one("floor", "round", "ceiling", "-") + "(" + minus + ") " + compare + " " + few],
                           [few + one(" - ", " * ") + "(" + minus + ") " + compare + " " + few],
                           ["(" + minus + ") * (" + minus + ") " + order + " " + few],
                           ["(" + minus + ") * (" + minus + ") + (@y - current()/@x) * (@y - current()/@x) " + order
                            + " " + few],
                           ["concat(%s, %s) " + compare + " concat(%s, %s)", m("own"), m("row"), m("row"), m("own")],
                           ["concat(%s, %s, @y) " + compare + " concat(current()/@y, %s, %s)", m("row"), m("own"),
                            m("own"), m("row")])]
    if kind == "test of own":
        compare, search = one("=", "=", "=", "<", ">", "<=", ">=", "!="), one("starts-with", "contains")
        sides = [m("own"), m("row")] if rnd.random() < 0.6 else [m("row"), m("own")]
        return [kind, *one(["%s " + compare + " %s", *sides], ["%s " + compare + " %s", *sides],
                           [search + "(%s, %s)", *sides],
                           ["generate-id() = generate-id(%s)", m("chosen")],
                           ["%s and %s", m("test of own"), m("test of own")],
                           ["%s and %s", m("test of own"), m("bool")], ["%s and %s", m("bool"), m("test of own")],
                           ["(%s or %s)", m("test of own"), m("test of own")], ["not(%s)", m("test of own")],
                           ["not(%s != %s)", *sides], ["(%s or $i > 1)", m("test of own")],
                           ["%s " + one("<", "<=") + " %s and %s " + one(">", ">=", "<") + " %s", m("own"), m("row"),
                            m("own"), m("row")],
                           ["@x " + one(">", ">=") + " %s and @x " + one("<", "<=") + " %s", m("row"), m("row")])]
    if depth > 2 and rnd.random() < 0.5:
        near = one("preceding-sibling::", "following-sibling::", "preceding::", "following::", "../", "//", "$all/",
                   "current()/preceding-sibling::")
        return [kind, "%s%%s%%s%s" % (near, one("", "", "/@x", "/@y", "/*")), ["test", one("*", "*", "a", "b", "n:a")],
                ["pred", "[%s]%s", m("test of own"),
                 ["pred", one("", "", "[1]", "[2]", "[last()]", "[$i]", "[@y]", "[position() > 1]")]]]
    among = one("//", "/r/*/", "/r/", "../", "../*/", "", "*/", "$all/", "$some/", "$some//", "current()/../",
                "preceding-sibling::", "following-sibling::",
                "preceding::", "following::", "current()/preceding-sibling::", "current()/following::", "/descendant::",
                "descendant::", "ancestor::",
                "(//a | //b)/", "key('l', @x)/", "../preceding-sibling::", "ancestor::*/", "ancestor::*[1]/*/",
                "(preceding-sibling::* | .)/",
                "$some/*/", "$all/*/", "key('k', @y)/*/")
    test = m("test")
    pred = ["pred", "[%s]%s", m("test of own"),
            ["pred", one("", "", "", "[1]", "[last()]", "[2]", "[$i]", "[position() = $i]", "[position() > $i]", "[@y]",
                                                             "[position() >= $i and position() < $i + 3]", "[@x = $s]",
                                                             "[position() < last()]")]]
    whole = one("$all", "$some", "(preceding-sibling::* | following-sibling::*)", "(../* | .)", "(//*)", "key('k', $s)",
                "(//a | //@x)", "($all | $some)", "../*", "(preceding::*)")
    return [kind, *one(["%s%%s%%s" % among, test, pred], ["%s%%s%%s" % among, test, pred],
                       ["%s%%s%%s" % among, test, pred], ["%s%%s" % whole, pred],
                       ["%s%%s/%%s" % whole, pred, m("step")], ["%s%%s%%s/@x" % among, test, pred],
                       ["%s%%s%%s/*" % among, test, pred],
                       ["preceding::%s[%s = 'n'][%s]/@x", test, m("own"), m("own")],
                       ["preceding::%s[%s][" + one("2", "3") + "]", test, m("test of own")],
                       ["$all[%s or %s][" + one("1", "2", "last()", "position() < 3") + "]", m("test of own"),
                        m("test of own")],
                       ["$some[" + one("last()", "2", "1", "7") + "]/@x"],
                       ["(%s | %s)[" + one("2", "last()") + "]", m("chosen"), m("chosen")],
                       ["//%s[%s]/%s[%s]", test, m("test of own"), m("test"), m("test of own")],
                       ["//%s[%s = //%s[%s]]", test, m("own"), m("test"), m("test of own")],
                       ["//%s[%s = $all[%s]]", test, m("own"), m("test of own")],
                       ["//%s[%s = $all[%s]/@x]", test, m("own"), m("test of own")])]


def extension(kind, depth, m, one):
    """grow() for EXSLT, where libxslt says what exslt.org does. Xalan does not know all of it, so the rest stays
    simple. All dates have a time zone (libxslt's date:add gives others one), seconds at most one digit behind the point
    (it counts them as doubles), roots are those of positive numbers (it gives NaN for others, exslt.org 0)."""
    if kind == "date":
        zone = one("Z", "+05:30", "-08:00")
        return [kind, "'%s%s'" % (one("%04d" % rnd.randint(1, 3000),
                                      "%04d-%02d" % (rnd.randint(1900, 2100), rnd.randint(0, 13)),
            "%04d-%02d-%02d" % (rnd.randint(1900, 2100), rnd.randint(1, 12), rnd.randint(1, 31)),
            "%04d-%02d-%02d" % (rnd.randint(1, 3000), one(1, 2, 12), one(1, 4, 28, 29, 31)),
            "%04d-%02d-%02dT%02d:%02d:%02d%s" % (rnd.randint(1900, 2100), rnd.randint(1, 12), rnd.randint(1, 28),
                                                 rnd.randint(0, 23),
                                                 one(0, 59, 60), one(0, 59), one("", ".5")),
            "%02d:30:15" % rnd.randint(0, 23), "--02-29", "--12--", "---31"), zone)]
    if kind == "duration":
        return [kind, "'%s'" % one("", "x", "P", "-P1M", "P1Y2M", "-P1Y", "P0D", "PT36H", "-PT0.5S", "PT90.5S",
                                   "P1DT1M", "P1Y2M3DT4H5M6.5S", "P400D",
                                   "-P31DT12H", "P13M", "PT3600S")]
    if depth <= 0:
        return [kind, {"xset": one("//*", "*", "@*", "//a", "//@x", "//text()", "/..", "."),
                       "xnum": one("1", "2", "5", "-7", "0.5"),
                       "xstr": one("'a'", "''", "'b a'", "'ba,b a;c'", "'\u00e4\u20acx'", "'10'", "string()"),
                       "xbool": one("true()", "false()")}[kind]]
    if kind == "xset":
        return [kind, *one(["set:difference(%s, %s)", m("xset"), m("xset")],
                           ["set:intersection(%s, %s)", m("xset"), m("xset")],
                           ["set:distinct(%s)", m("xset")], ["set:leading(%s, %s)", m("xset"), m("xset")],
                           ["set:trailing(%s, %s)", m("xset"), m("xset")],
                           ["math:highest(%s)", m("xset")], ["math:lowest(%s)", m("xset")],
                           ["(%s)[%s]", m("xset"), m("xbool")])]
    if kind == "xnum":
        component = one("year", "month-in-year", "week-in-year", "week-in-month", "day-in-year", "day-in-month",
                        "day-of-week-in-month",
                        "day-in-week", "hour-in-day", "minute-in-hour", "second-in-minute")
        return [kind, *one(["date:%s(%%s)" % component, m("date")], ["date:%s(%%s)" % component, m("date")],
                           ["date:%s(%%s)" % component, m("xstr")],
                           ["date:seconds(%s)", m("duration")], ["math:min(%s)", m("xset")],
                           ["math:max(%s)", m("xset")], ["math:abs(%s)", m("xnum")],
                           ["floor(math:sqrt(math:abs(%s)))", m("xnum")], ["count(%s)", m("xset")],
                           ["string-length(%s)", m("xstr")],
                           ["(%s + %s)", m("xnum"), m("xnum")], ["count(str:tokenize(%s, %s))", m("xstr"), m("xstr")])]
    if kind == "xstr":
        name = one("month-name", "month-abbreviation", "day-name", "day-abbreviation", "date", "time", "leap-year")
        return [kind, *one(["string(%s)", m("xset")], ["concat(%s, %s)", m("xstr"), m("xstr")],
                           ["concat(date:%s(%%s), '')" % name, m("date")],
                           ["date:add(%s, %s)", m("date"), m("duration")],
                           ["date:difference(%s, %s)", m("date"), m("date")],
                           ["date:add-duration(%s, %s)", m("duration"), m("duration")],
                           ["date:duration(floor(%s))", m("xnum")],
                           ["str:padding(string-length(%s), 'ab\u00e4')", m("xstr")],
                           ["str:align(%s, %s, '" + one("left", "right", "center") + "')", m("xstr"), m("xstr")],
                           ["str:concat(%s)", m("xset")], ["str:encode-uri(%s, true())", m("xstr")],
                           ["str:decode-uri(%s)", m("xstr")],
                           ["string(str:tokenize(%s, %s)[%s])", m("xstr"), m("xstr"), m("xnum")],
                           ["string(str:split(%s, ' '))", m("xstr")])]
    return [kind, *one(["set:has-same-node(%s, %s)", m("xset"), m("xset")], ["(%s < %s)", m("xnum"), m("xnum")],
                       ["(%s = %s)", m("xstr"), m("xset")],
                       ["not(%s)", m("xbool")], ["boolean(%s)", m("xset")])]


RESULTS = {
    "set": ("$p", "$p/*", "$p | $p/..", "$p[@x]", "$p[$q]", "$all[@x = $p/@x]", "//*[@x = $p/@x]", "key('l', $p/@x)",
            "$p/ancestor::*[1]",
            "$p/..//*[@x > $q]", "$p/@x", "/..", "$some[. = $p]"),
    "num": ("count($p)", "$q", "$q * 2", "sum($p/@x)", "string-length($p)", "count($all[@x = $p/@x])",
            "count(//*[@x > $q])"),
    "str": ("string($p)", "name($p)", "concat($q, ':', $p/@x)", "substring($p, $q, 2)", "string($all[$q])", "''"),
    "bool": ("$p/@x = $q", "boolean($p[2])", "$q > count($p)", "$p = $all/@x", "true()", "not($p)")}
CALLS = {"set": ("f:set($p/*, $q - 1)", "$p | f:set($p/.., $q - 1)", "$p[f:bool(., $q - 1)]", "f:set($p, $q - 1)/*",
                 "f:set($p, -f:num($p, $q - 1))"),
         "num": ("f:num($p/*, $q - 1) + 1", "count(f:set($p, $q - 1))", "sum(f:set($p, $q - 1)/@x)",
                 "f:num($p[1], $q - 1) + f:num($p[2], $q - 2)"),
         "str": ("concat(f:str($p/.., $q - 1), name($p))", "f:str(f:set($p, $q - 1), $q - 1)",
                 "substring(f:str($p, $q - 1), f:num($p, $q - 2))"),
         "bool": ("f:bool($p/.., $q - 1) and $p", "not(f:bool($p, $q - 1))", "f:num($p, $q - 1) > $q",
                  "$p[f:bool(., $q - 2)] or f:bool($p/*, $q - 1)")}


def function(kind):
    """A func:function f:KIND of a node-set and a number, as text. Its body says nothing of its context, which libxslt
    takes from the template; calls are at most three deep, or xsltproc would take for ever."""
    def result(of):
        return '<func:result select="%s"/>' % escaped(rnd.choice(of[kind]))

    test = escaped(rnd.choice(("$q > 0 and $q < 3", "$q > 0 and $q < 4 and $p/@x and count($p) < 5",
                               "$q > 0 and $q < 4 and count($p) < 3")))
    choose = '<xsl:choose><xsl:when test="%s">%s</xsl:when><xsl:otherwise>%s</xsl:otherwise></xsl:choose>' % (test,
        result(CALLS), result(RESULTS))
    body = rnd.choice((result(RESULTS), choose, choose))
    if rnd.random() < 0.3:
        body = ('<xsl:variable name="v"><xsl:for-each select="$p"><xsl:value-of '
                'select="@x"/></xsl:for-each></xsl:variable>' + body.replace("'')", "$v)"))
    return ('<func:function name="f:%s"><xsl:param name="p"/><xsl:param name="q" select="1"/>%s</func:function>\n'
            % (kind, body))


HEAD = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:n="urn:n"
 xmlns:set="http://exslt.org/sets" xmlns:math="http://exslt.org/math" xmlns:str="http://exslt.org/strings" xmlns:date="http://exslt.org/dates-and-times"
 xmlns:func="http://exslt.org/functions" xmlns:f="urn:f" extension-element-prefixes="func" exclude-result-prefixes="n set math str date f">
<xsl:key name="k" match="*" use="@x"/><xsl:key name="k" match="a" use="."/><xsl:key name="l" match="*" use="@x"/>
<xsl:variable name="all" select="//*"/><xsl:variable name="some" select="//*[@x][position() mod 2 = 1]"/><xsl:variable name="i" select="2"/>
<xsl:variable name="s" select="string((//@x)[1])"/><xsl:variable name="f"><xsl:value-of select="(//@x)[2]"/></xsl:variable>
"""
# The same in a row, where they are other values
LOCAL = """<xsl:variable name="all" select="../*[@x]"/><xsl:variable name="some" select="following::*"/><xsl:variable name="i" select="position() mod 4"/>
<xsl:variable name="s" select="string(@x)"/><xsl:variable name="f"><xsl:value-of select="../@x"/></xsl:variable>
"""
local, functions = False, ""


def loops(one):
    """A loop over all nodes in one over some, both compared; a %s for what follows."""
    name = "v%d" % rnd.randrange(1 << 30)
    value, own = one((".", "/@x"), ("*", "/@y"), ("@*", ""), ("string(@x)", ""), ("count(*)", ""), ("@y", ""))
    inner = (one("*", "a", "*/*", ".//*", "@x", "node()", "b") + "[" + one("@x", "@y", ".", "@x + 1") + " "
             + one("=", "=", "!=", "<", ">=") + " $" + name + own + "]"
             + one("", "", "[1]", "[last()]", "[2]", "[@y]", "/@x"))
    asked = one("count(%s)", "sum(%s)", "string(%s)", "boolean(%s)", "count(%s/..)") % inner
    body = '<xsl:value-of select="%s"/>,' % asked
    if one(0, 0, 1):
        body = '<xsl:if test="%s">%s</xsl:if>' % (inner, body)
    return ('<xsl:for-each select="%s"><xsl:variable name="%s" select="%s"/><xsl:for-each select="%s">%s'
            "</xsl:for-each></xsl:for-each>%%s"
            % (one("//*", "*", "//a"), name, value, one("//*", "/r/*", "..", "*", "//a | //b"), body))


def kept_sets(one):
    """A variable that holds what an order, an inequality or an equality finds, and what is asked of it; a %s for what
    follows."""
    name = "v%d" % rnd.randrange(1 << 30)
    order = one("<", ">", ">=", "!=", "=")
    found = one("//*", "//a", "../*", "$all", "preceding::*", "*") + "[@x " + order + " current()/@x]" \
        + one("", "", "[@y]", "[@y > current()/@y]", "[2]", "/@y")
    of = "$" + name
    asked = [one("count(%s)", "sum(%s/@x)", "string(%s/@x)", "boolean(%s)", "count(%s[@x = 2])", "sum(%s[@y]/@y)",
                 "count(%s[@y < current()/@y])", "count(%s | .) = count(%s)", "%s[1]/@x", "(%s/..)[last()]/@x",
                 "@y > %s/@y", "count(//*[@x = %s/@y])", "count(%s[position() > 1])").replace("%s", of)
             for i in range(one(1, 2, 3))]
    uses = "".join(one('<xsl:value-of select="%s"/>;', '<xsl:value-of select="%s"/>;', '<xsl:if test="%s">y</xsl:if>',
                       '<xsl:for-each select="*"><xsl:sort select="%s"/><xsl:value-of select="%s"/></xsl:for-each>',
                       '<xsl:choose><xsl:when test="%s">n</xsl:when><xsl:otherwise><xsl:value-of select="%s"/>'
                       "</xsl:otherwise></xsl:choose>").replace("%s", a) for a in asked)
    return ('<xsl:for-each select="%s"><xsl:variable name="%s" select="%s"/>%s</xsl:for-each>%%s'
            % (one("//*", "*", "//a"), name, found, uses))


def surroundings():
    """Half of the batches have LOCAL's variables in each row, a fifth has functions of the stylesheet's."""
    global local, functions
    local = rnd.random() < 0.5
    functions = "" if rnd.random() < 0.8 else "".join(function(kind) for kind in RESULTS)


# The built-in rules, written out: libxslt passes parameters through its own (XSLT 1.0, 5.8 does not).
BUILT_IN = """<xsl:template match="*|/" priority="-9"><xsl:apply-templates/></xsl:template>
<xsl:template match="*|/" mode="m" priority="-9"><xsl:apply-templates mode="m"/></xsl:template>
"""
SHOW = """<xsl:template match="@*|node()|/" mode="show"><xsl:value-of select="concat(count(ancestor::node()|preceding::node()), name())"/>
<xsl:text>,</xsl:text></xsl:template>
"""
SHOW_SET = '<xsl:apply-templates mode="show" select="%s"/>'
SETS = ("set", "xset", "chosen")


def escaped(expression):
    return expression.replace("&", "&amp;").replace("<", "&lt;")


def expressions(n):
    kinds = rnd.choice((("set", "set", "num", "str", "bool", "pattern"), ("chosen", "asked", "asked"),
                        ("xset", "xnum", "xnum", "xstr", "xstr", "xbool")))
    return [make(rnd.choice(kinds), rnd.choice((2, 3, 4))) for i in range(n)]


def alternatives(node):
    return [part for one in node[2:] for part in alternatives(one)] if node[1] == "%s|%s" else [text(node)]


def in_pattern(words):
    """Neither current() nor variables may be there."""
    for name, value in (("current()", "."), ("$all", "(//*)"), ("$some", "(//*[@y])"), ("$i", "2"), ("$s", "'a'"),
                        ("$f", "'1'")):
        words = words.replace(name, value)
    return words


def expressions_sheet(nodes, words=text, where="(//*)[last() > 3][3] | /r[not((//*)[4])]"):
    """A line for each expression, with its values at the nodes of where. Of a pattern: does it match? Plainly: is the
    node among those that it selects?"""
    out = HEAD + functions + '<xsl:output method="text"/>\n' + SHOW
    for i, node in enumerate(nodes):
        if node[0] == "pattern" and words is text:
            out += '<xsl:template match="%s" mode="match%d">1</xsl:template>\n' % (escaped(in_pattern(text(node))), i)
            out += '<xsl:template match="node()|@*|/" mode="match%d" priority="-9">0</xsl:template>\n' % i
    out += '<xsl:template match="/">\n'
    for i, node in enumerate(nodes):
        if node[0] != "pattern":
            row = (LOCAL if local else "") + (SHOW_SET if node[0] in SETS
                                              else '<xsl:value-of select="%s"/>') % escaped(words(node))
        elif words is text:
            row = '<xsl:apply-templates select="." mode="match%d"/>' % i
        else:
            selected = " | ".join(part if part[0] in "/k" else "//" + part for part in alternatives(node))
            row = '<xsl:value-of select="%s"/>' % escaped(in_pattern("number(count(. | %s) = 0 + count(%s))"
                                                                     % (selected, selected)))
        out += '<xsl:for-each select="%s">%s</xsl:for-each><xsl:text>&#10;</xsl:text>\n' % (where, row)
    return out + "</xsl:template></xsl:stylesheet>"


def markup(s):
    """text() of a stylesheet's tree: expressions in attributes are escaped."""
    return re.sub(r'(select|test)="([^"]*)"', lambda m: '%s="%s"' % (m.group(1), escaped(m.group(2))),
                  re.sub(r'x="\{([^"]*)\}"', lambda m: 'x="{%s}"' % escaped(m.group(1)), s))


def whole_sheet(nodes):
    patterns = ("/", "a", "*", "@*", "n:*|b", "a/a", "text()", "c//*", "*[@x]", "b[2]", "*[last()]")
    out = (HEAD + functions + '<xsl:output omit-xml-declaration="yes" encoding="UTF-8"/>' + BUILT_IN
           + '<xsl:template name="t"><xsl:param name="p"/>' + markup(text(nodes[0])) + "</xsl:template>\n")
    for node, pattern, mode in zip(nodes[1:], patterns_of(len(nodes) - 1, patterns), modes_of(len(nodes) - 1)):
        out += '<xsl:template match="%s"%s><xsl:param name="p" select="7"/>%s</xsl:template>\n' % (pattern, mode,
            markup(text(node)))
    return out + "</xsl:stylesheet>"


def patterns_of(n, patterns):
    return ["/"] + [patterns[(n * 7 + i * 3) % len(patterns)] for i in range(n - 1)]


def modes_of(n):
    return ["", ""] + [' mode="m"' if (n + i) % 3 == 0 else "" for i in range(n - 2)]


# ---- runs ----


def run(command, stylesheet, xml):
    sheet_path, doc_path = folder + "/style.xsl", folder + "/doc.xml"
    for path, content in ((sheet_path, stylesheet), (doc_path, xml)):
        with open(path, "w", encoding="utf-8") as f:
            f.write(content)
    try:
        files = [doc_path, sheet_path] if command is ARBITER else [sheet_path, doc_path]
        p = subprocess.run(command + files, capture_output=True, timeout=10 if command in (PEER, ARBITER) else 60)
    except subprocess.TimeoutExpired:
        return "timeout", b"", b""
    return p.returncode, p.stdout, p.stderr


ARBITER = ["Xalan"]
SOLO, TEAM, PEER = [args.gpuxslt, "--limit", "steps=300K"], [args.gpuxslt, "--team", "exactly:4", "--limit",
                                                             "steps=300K"], ["xsltproc", "--novalid"]
# without the planner's rules: what it says word for word
BARE = [args.gpuxslt, "--rules", "none", "--limit", "steps=3M"]
NUMBER = re.compile(r"^-?(\d+\.?\d*(e[+-]?\d+)?|Infinity)$|^NaN$")


def canonical(xml):
    """Empty elements in one form; no line ends, which libxslt puts between the nodes outside of the document element;
    no namespace declarations: its xsl:copy takes only those that stand on the element itself (XSLT 1.0, 7.5: all); of
    numbers 12 digits: it writes 15."""
    xml = re.sub(r"\d+\.\d{9,}", lambda m: "%.12g" % float(m.group()),
                 xml.replace(' xmlns:n="urn:n"', "").replace("\n", ""))
    return re.sub(r"(<[\w:]+(?:\s[^<>]*)?)(?<!/)></[\w:]+>", r"\1/>", xml)


def apart(a, b):
    """Both from a little before they part."""
    n = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return a[max(0, n - 60):n + 100], b[max(0, n - 60):n + 100]


def same_value(a, b):
    if a == b:
        return True
    if NUMBER.match(a) and NUMBER.match(b):      # libxml2 writes 15 digits, and exponents
        x, y = float(a), float(b)
        return x == y or abs(x - y) <= 1e-9 * max(abs(x), abs(y))
    return False


def is_other_order(mine, theirs):
    """The same nodes, here in document order: libxml2 sorts some large node-sets wrongly."""
    places = [int(re.match(r"\d+", part).group()) for part in mine.split(",")[:-1]] if re.fullmatch(r"(\d+[\w:]*,)+",
        mine) else [1, 0]
    return places == sorted(places) and sorted(mine.split(",")) == sorted(theirs.split(","))


def differs(kind, nodes, xml):
    """None, or (what, index of the expression or None)."""
    sheet = expressions_sheet(nodes) if kind == "expressions" else whole_sheet(nodes)
    a, b = run(SOLO, sheet, xml), run(TEAM, sheet, xml)
    if a[0] != b[0] or a[1] != b[1]:
        return "one thread %s, four %s" % (show(a), show(b)), None
    bare = run(BARE, sheet, xml)
    if bare[:2] != a[:2] and not any(r[0] == "timeout" or (r[0] == 9 and re.search(rb"steps=|arena=|recursion=", r[2]))
                                     for r in (a, bare)):
        return "with rules %s, without %s" % (show(a), show(bare)), None
    if kind == "expressions":
        ways = (("one thread", SOLO, text), ("four", TEAM, text), ("plainly", SOLO, plainly),
                ("without rules", BARE, text))
        lines = [(way, out.decode("utf-8", "replace").split("\n")) for way, (status, out, errors) in
                 ((way, run(command, expressions_sheet(nodes, words, "//node() | //@*"), xml)) for way, command,
                  words in ways) if status == 0]
        for way, others in lines[1:]:
            for i, node in enumerate(nodes):
                if others[i] != lines[0][1][i]:
                    return "at all nodes, %s %r\n#   %s %r" % (lines[0][0], apart(lines[0][1][i], others[i])[0], way,
                                                               apart(lines[0][1][i], others[i])[1]), i
    if a[0] not in (0, 9):
        return "status %s" % show(a), None
    # endless: xsltproc would find out later
    if not have_peer or (a[0] == 9 and re.search(rb"steps=|recursion=", a[2])):
        return None
    c = run(PEER, sheet, xml)
    if a[0] != 0:
        return ("error here only: %s; xsltproc %s" % (show(a), show(c)), None) if c[0] == 0 else None
    if c[0] == "timeout":
        return None
    if c[0] != 0:
        # recovered from here (XSLT 1.0, 7.1.3); a fatal one there
        return None if re.search(b"infinite|depth|XPath error|attribute node to a non-element|Attribute nodes must be "
                                 b"added before", c[2]) else ("error in xsltproc only: %s" % show(c), None)
    mine, theirs, third = a[1].decode("utf-8", "replace"), c[1].decode("utf-8", "replace"), None

    def outvoted(same):
        """Does Xalan give our answer? same(its output) says."""
        nonlocal third
        if have_arbiter and third is None:
            third = run(ARBITER, sheet, xml)
        return have_arbiter and third[0] == 0 and same(third[1].decode("utf-8", "replace"))

    if kind == "stylesheet":
        # libxml2 sorts some large node-sets wrongly: the same pieces of a copy in another order are left to the
        # expressions' lines
        swapped = "copy-of" in sheet and sorted(canonical(mine)) == sorted(canonical(theirs))
        agree = canonical(mine) == canonical(theirs) or swapped or outvoted(lambda out: canonical(out)
            == canonical(mine))
        return None if agree else ("here %r\n#   xsltproc %r" % apart(canonical(mine), canonical(theirs)), None)
    mine, theirs = mine.split("\n"), theirs.split("\n")
    if len(mine) != len(theirs):
        return "%d lines here, %d of xsltproc" % (len(mine), len(theirs)), None
    for i, node in enumerate(nodes):
        if same_value(mine[i], theirs[i]) or is_other_order(mine[i], theirs[i]) or any(k.search(text(node)) for k,
            why in KNOWN) \
                or ("f:" in text(node) and any(other[0] == "pattern"
                    for other in nodes)):  # libxslt's calls hang on other templates' patterns
            continue
        if not outvoted(lambda out: out.count("\n") == len(mine) - 1 and same_value(mine[i], out.split("\n")[i])):
            return "here %r, xsltproc %r" % (mine[i][:300], theirs[i][:300]), i
    return None


def show(result):
    return "%s %r %s" % (result[0], result[1][:300], result[2].decode("utf-8", "replace")[:300].strip())


# ---- cutting down ----


def smaller(node):
    """Trees with one part less: a part in place of its whole, a leaf in place of a part."""
    if len(node) > 2 or node[1] != LEAF.get(node[0], node[1]):
        for part in node[2:]:
            if part[0] == node[0]:
                yield part
        if node[0] in LEAF:
            yield [node[0], LEAF[node[0]]]
        for i in range(2, len(node)):
            for part in smaller(node[i]):
                yield node[:i] + [part] + node[i + 1:]


def minimise(kind, nodes, xml):
    def still(candidate):
        return differs(kind, candidate, xml) is not None
    if kind == "expressions":
        for i in range(len(nodes) if len(nodes) > 1 else 0):
            if still([nodes[i]]):
                nodes = [nodes[i]]
                break
    tries, progress = 300, True
    while progress and tries > 0:
        progress = False
        for i in range(len(nodes)):
            for candidate in smaller(nodes[i]):
                tries -= 1
                if tries <= 0:
                    break
                if still(nodes[:i] + [candidate] + nodes[i + 1:]):
                    nodes, progress = nodes[:i] + [candidate] + nodes[i + 1:], True
                    break
    return nodes


PER_DOCUMENT = 40


def write_programs():
    """Fills args.write; returns how many findings there were."""
    os.makedirs(args.write, exist_ok=True)
    findings = limited = size = n = 0
    with open(args.write + "/list", "w") as names:
        while n < args.count and findings < args.keep_going:
            if n % PER_DOCUMENT == 0:
                doc, xml = "%s/d%05d.xml" % (args.write, n // PER_DOCUMENT), document()
                with open(doc, "w", encoding="utf-8") as f:
                    size += f.write(xml)
            surroundings()
            if rnd.random() < 0.5:
                sheet = expressions_sheet(expressions(8))
            else:
                sheet = whole_sheet([make("body", rnd.choice((2, 3, 4))) for i in range(rnd.choice((3, 4, 6)))])
            a, b = run(SOLO, sheet, xml), run(TEAM, sheet, xml)
            if a[:2] != b[:2]:
                findings += 1
                print("#   one thread %s, four %s\n#   %s\n#   document: %s" % (show(a), show(b),
                    sheet.replace("\n", "\n#   "), xml.replace("\n", " ")), flush=True)
            elif a[0]:
                limited += 1
            else:
                path = "%s/p%05d.xsl" % (args.write, n)
                with open(path, "w", encoding="utf-8") as f:
                    size += f.write(sheet)
                print(path, doc, sep="\t", file=names)
                n += 1
    print("%sok 1 - %d programs in %s, %d documents, %.1f MiB; %d met a limit and were left out; one thread and four "
          "agree (%d findings)" % (
        "not " if findings else "", n, args.write, -(-n // PER_DOCUMENT), size / 2**20, limited, findings))
    return findings


def compare():
    """Runs args.count cases beside each other; returns how many findings there were."""
    done = findings = 0
    while done < args.count and findings < args.keep_going:
        xml = document()
        surroundings()
        kind = "expressions" if rnd.random() < 0.5 else "stylesheet"
        nodes = expressions(40) if kind == "expressions" else \
                [make("body", rnd.choice((2, 3, 4))) for i in range(rnd.choice((3, 4, 6)))]
        done += len(nodes) if kind == "expressions" else 1
        if differs(kind, nodes, xml):
            findings += 1
            nodes = minimise(kind, nodes, xml)
            what = (differs(kind, nodes, xml) or ("differs no more", None))[0]
            print("#   %s\n#   %s\n#   document: %s" % (what, "\n#   ".join(
                [text(n) for n in nodes] if kind == "expressions" else whole_sheet(nodes).splitlines()),
                xml.replace("\n", " ")[:2000]), flush=True)
    print("%sok 1 - %d random cases: one thread, four threads, without rules%s agree (%d findings)" % ("not "
        if findings else "", done, ", xsltproc" if have_peer else "", findings))
    return findings


if not os.path.exists(args.gpuxslt):
    print("1..0 # SKIP %s is not there" % args.gpuxslt)
    sys.exit(0)
have_peer, have_arbiter = (subprocess.run(["sh", "-c", "command -v " + name], capture_output=True).returncode == 0
                           for name in ("xsltproc", "Xalan"))
print("# seed %d, %d cases%s" % (args.seed, args.count, ", Xalan decides" * (have_peer and have_arbiter) if have_peer
                                 else "; no xsltproc: only one thread against four"), flush=True)
findings = write_programs() if args.write else compare()
print("1..1")
for name in ("style.xsl", "doc.xml"):
    if os.path.exists(folder + "/" + name):
        os.unlink(folder + "/" + name)
os.rmdir(folder)
sys.exit(findings > 0)
