#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""EXSLT's regular expressions are JavaScript's: random patterns give what Node gives, to test, match and replace.

    t/44-regexp.t [COUNT [SEED]]      1,500 patterns, always the same ones, unless told otherwise

With the flag u Node refuses what annex B allows without it, and the engine takes it: such cases are left out.
"""
import json, os, random, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUXSLT = os.environ.get("GPUXSLT", ROOT + "/build/gpuxslt")
COUNT, SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 1500, int(sys.argv[2]) if len(sys.argv) > 2 else 44
END = "\u2424"
SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:r="http://exslt.org/regular-expressions">
<xsl:output method="text" encoding="UTF-8"/>
<xsl:template match="/"><xsl:for-each select="c/i">
<xsl:variable name="s" select="string(@s)"/><xsl:variable name="p" select="string(@p)"/><xsl:variable name="f" select="string(@f)"/>
<xsl:value-of select="r:test($s, $p, $f)"/>
<xsl:for-each select="r:match($s, $p, $f)">|<xsl:value-of select="."/></xsl:for-each>
<xsl:value-of select="concat('#', r:replace($s, $p, $f, string(@by)), '%s')"/></xsl:for-each></xsl:template></xsl:stylesheet>""" % END
SCRIPT = """
const out = JSON.parse(require('fs').readFileSync(0, 'utf8')).map(c => {
    try {
        const re = () => new RegExp(c.p, c.f), m = c.s.match(re());
        return re().test(c.s) + (m ? Array.from(m) : []).map(x => '|' + (x === undefined ? '' : x)).join('') + '#' + c.s.replace(re(), c.by);
    } catch (e) {
        return null;
    }
});
console.log(JSON.stringify(out));"""
ATOMS = [".", "[ab]", "[^a]", r"\w", r"\d", r"\s", r"\W", r"\S", "[a-c]", r"\D", "\u00e9", "[^]", "[]", r"\x61",
         r"[\s\S]", r"\u0062", "\u017f", "s",
         "k", "K", "\u212a", r"[^\W]", r"[\w-c]", r"\0", r"\cJ", "[k-s]", r"\q", "-", "}", "\u03c9", "\u2126",
         r"[\b]", r"\t", "[k-\u212b]", r"[\W_]", "[a-\U0001f600]"]
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "*?", "+?", "??", "{1,2}?", "{0,3}", "{0}"]
BY = ["[$1]", "<$&>", "$2$1", "-", "$`", "$'", "$$", "$<n1>", "$10", "$01", "$3$", "$0"]
rnd = random.Random(SEED)


def atom(depth, names):
    k = rnd.random()
    if k < 0.36 or (depth <= 0 and k > 0.56):
        return rnd.choice("abc")
    if k < 0.45:
        return rnd.choice(ATOMS)
    if k < 0.50:
        return rnd.choice(["^", "$", r"\b", r"\B"])
    if k < 0.56:
        return "\\%d" % rnd.randint(1, 3) if rnd.random() < 0.9 or not names else "\\k<%s>" % rnd.choice(names)
    for limit, begin in ((0.80, "("), (0.86, "(?:"), (0.90, "(?="), (0.93, "(?!"), (0.97, "(?<="), (0.985, "(?<!")):
        if k < limit:
            return begin + alternatives(depth - 1, names) + ")"
    names.append("n%d" % (len(names) + 1))
    return "(?<%s>" % names[-1] + alternatives(depth - 1, names) + ")"


def term(depth, names):
    one = atom(depth, names)
    if one in ("^", "$", r"\b", r"\B") or one.startswith(("(?<=", "(?<!")) or rnd.random() > 0.45:
        return one
    return one + rnd.choice(REPEATS)


def alternatives(depth, names):
    return "|".join("".join(term(depth, names) for _ in range(rnd.choice((0, 1, 1, 2, 2, 3))))
                    for _ in range(rnd.choice((1, 1, 1, 2, 2, 3))))


def case():
    flags = "".join(c for c in "gimsuy" if rnd.random() < (0.4 if c == "g" else 0.2))
    letters = "aaabbbccc1 \nA\u00e9Ss\u017fKk\u212a\u00a0-}\u03c9\u2126" + "\U0001f601" * ("u" in flags)
    return {"p": alternatives(3, []), "f": flags, "by": rnd.choice(BY),
            "s": "".join(rnd.choice(letters) for _ in range(rnd.randint(0, 8)))}


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\n",
        "&#10;").replace("\t", "&#9;")


def ours(folder, cases):
    """The results of all of them, or None after an error."""
    with open(folder + "/s.xsl", "w", encoding="utf-8") as f:
        f.write(SHEET)
    with open(folder + "/d.xml", "w", encoding="utf-8") as f:
        f.write("<c>%s</c>" % "".join("<i %s/>" % " ".join('%s="%s"' % (k, escaped(c[k])) for k in c) for c in cases))
    p = subprocess.run([GPUXSLT, "s.xsl", "d.xml"], cwd=folder, capture_output=True)
    return p.stdout.decode().split(END)[:-1] if p.returncode == 0 else None


def told(folder, cases):
    """As ours, with None for each case that is an error."""
    all_of_them = ours(folder, cases)
    if all_of_them is not None:
        return all_of_them
    if len(cases) == 1:
        return [None]
    return told(folder, cases[:len(cases) // 2]) + told(folder, cases[len(cases) // 2:])


def main():
    if not shutil.which("node"):
        print("1..0 # SKIP there is no node")
        return 0
    cases = [case() for _ in range(COUNT)]
    theirs = json.loads(subprocess.run(["node", "-e", SCRIPT], input=json.dumps(cases).encode(), capture_output=True,
                                       check=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        here = told(folder, cases)
    differ = [i for i in range(COUNT) if here[i] != theirs[i] and not ("u" in cases[i]["f"] and theirs[i] is None)]
    for i in differ[:20]:
        print("# %s: node %r, here %r" % (json.dumps(cases[i], ensure_ascii=False), theirs[i], here[i]))
    print("1..1")
    print("%sok 1 - %d random patterns (seed %d), %d of them errors: as in Node" % ("not " if differ else "", COUNT,
        SEED, theirs.count(None)))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
