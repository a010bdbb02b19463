#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents of the shapes that papers on XML queries measure with: the same names, depths, fan-outs and shares of
elements; all text is made up.

    bench/gen_published.py psd7003|treebank|nasa -m MEGABYTES -o FILE        the same arguments give the same bytes

    dblp       bench/gen_dblp.py
    psd7003    protein entries, 7 levels: 31 elements a kilobyte, an attribute to 16 elements (684 MB in the papers)
    treebank   parsed sentences, up to 36 levels, mean depth 8: phrases within phrases of the same name (83 MB)
    nasa       astronomical data sets, 8 levels (24 MB)
"""
import argparse, random

SYLLABLES = "ka lo mi ne ru sa to vi be do fa gu hi jo pe qua ster ling ment ard".split()


def word(r):
    return "".join(r.choices(SYLLABLES, k=r.randint(1, 3)))


def words(r, least, most):
    return " ".join(word(r) for _ in range(r.randint(least, most)))


def psd7003(r, i):
    authors = "<authors>%s</authors>" % "".join("<author>%s, %s.</author>" % (word(r), word(r)[:1].upper())
                                                for _ in range(r.randint(1, 9)))
    ref = lambda k: ("<reference><refinfo "
                     "refid=\"A%05d\">%s<citation>%s</citation><volume>%d</volume><year>%d</year><pages>%d-%d</pages>"
                     "<title>%s</title>"
                     "<xrefs><xref><db>MUID</db><uid>%d</uid></xref></xrefs></refinfo><accinfo "
                     "label=\"%d\"><accession>%s</accession><mol-type>%s</mol-type>"
                     "<seq-spec>1-%d</seq-spec>%s</accinfo></reference>" % (
                         i % 100000, authors, words(r, 1, 3), r.randrange(400), r.randint(1960, 2003), r.randrange(900),
                         r.randrange(900, 2000), words(r, 5, 12),
                         r.randrange(10 ** 7), k, word(r).upper(), r.choice(("DNA", "mRNA", "protein")),
                         r.randrange(100, 900),
                         "<xrefs>%s</xrefs>" % "".join("<xref><db>%s</db><uid>%s%d</uid></xref>"
                             % (r.choice(("GB", "EMBL", "PIDN")), word(r).upper(), r.randrange(10 ** 5))
                                                       for _ in range(r.randint(1, 5))) if r.random() < 0.9 else ""))
    features = "".join("<feature><feature-type>%s</feature-type><description>%s</description><seq-spec>%d-%d</seq-spec>"
                       "</feature>" % (
        word(r), words(r, 1, 4), r.randrange(100), r.randrange(100, 300)) for _ in range(r.randrange(5)))
    return ("<ProteinEntry "
            "id=\"P%d\"><header><uid>P%d</uid><accession>%s</accession><created_date>%02d-Jan-%d</created_date></"
            "header>"
            "<protein><name>%s</name><classification><superfamily>%s</superfamily></classification></protein>"
            "<organism><source>%s</source><common>%s</common><formal>%s</formal></organism>%s%s<genetics><gene><db>"
            "GDB</db><uid>%d</uid></gene></genetics>%s"
            "<summary><length>%d</length><type>complete</type></summary><sequence>%s</sequence></ProteinEntry>\n" % (
                i, i, word(r).upper(), r.randint(1, 28), r.randint(1980, 2003), words(r, 2, 5), words(r, 1, 3),
                words(r, 1, 2), word(r), words(r, 2, 2),
                "".join(ref(k) for k in range(r.choice((1, 1, 1, 2)))), "", r.randrange(10 ** 6), features,
                r.randrange(50, 500), "MKVLAAGT" * r.randint(10, 60)))


def treebank(r, i):
    """A sentence: phrases by a grammar that prefers depth 8 and rarely goes beyond 30"""
    kinds = {"S": ("NP", "VP", "PP", "SBAR"), "NP": ("NP", "PP", "NN", "DT", "JJ", "NNP", "SBAR"),
             "VP": ("VP", "NP", "PP", "VB", "SBAR", "S"),
             "PP": ("IN", "NP"), "SBAR": ("IN", "S")}

    deep = r.choice((0.38, 0.42, 0.42, 0.46, 0.55)) if r.random() < 0.98 else 0.75

    def phrase(label, level):
        if label not in kinds:
            return "<%s>%s</%s>" % (label, words(r, 2, 4), label)
        n = r.choice((1, 2, 2, 3)) if level < 9 else r.choice((1, 1, 2)) if level < 34 else 1
        inner = [r.choice(kinds[label]) if level < 8 or r.random() < deep else r.choice(("NN", "DT", "VB", "IN", "JJ"))
                 for _ in range(n)]
        if deep > 0.7 and 8 <= level <= 33:
            inner = [kinds[label][-1] if kinds[label][-1] in kinds else kinds[label][0], "NN"]
        if level > 33:
            inner = ["NN"]
        return "<%s>%s</%s>" % (label, "".join(phrase(k, level + 1) for k in inner), label)

    return "<EMPTY>%s<_PERIOD_>.</_PERIOD_></EMPTY>\n" % phrase("S", 3)


def nasa(r, i):
    fields = "".join("<field><name>%s</name><definition>%s<footnote><para>%s</para></footnote></definition><units>%s</"
                     "units></field>" % (
        word(r), words(r, 3, 12), words(r, 2, 5),
        word(r)) if r.random() < 0.2 else "<field id=\"f%d\"><name>%s</name><definition>%s</definition></field>" % (
        r.randrange(99), word(r), words(r, 6, 18)) for _ in range(r.randint(4, 40)))
    authors = "".join("<author><initial>%s</initial><lastName>%s</lastName></author>" % (word(r)[:1].upper(), word(r))
                      for _ in range(r.randint(1, 5)))
    source = "<source><other>%s<title>%s</title>%s<date><year>%d</year></date></other></source>" % (
        "<name>%s</name>" % word(r) if r.random() < 0.12 else "", words(r, 3, 8), authors, r.randint(1900, 2000))
    return ("<dataset subject=\"astronomy\" xmlns:xlink=\"http://www.w3.org/XML/XLink/0.9\"><title>%s</title><altname "
            "type=\"ADC\">%d</altname><abstract>%s</abstract>"
            "<keywords parentListURL=\"x\">%s</keywords><author><initial>%s</initial><lastName>%s</lastName></author>"
            "<reference>%s</reference>"
            "<tableHead><tableLinks><tableLink "
            "xlink:href=\"t%d\"><title>%s</title></tableLink></tableLinks><fields>%s</fields></tableHead>"
            "<history><ingest><creator><lastName>%s</lastName></creator><date><year>%d</year><month>Jan</month><day>"
            "%d</day></date></ingest></history>"
            "<identifier>I_%d.xml</identifier></dataset>\n" % (
                words(r, 3, 9), i, "".join("<para>%s</para>" % words(r, 20, 90) for _ in range(r.randint(1, 3))),
                "".join("<keyword>%s</keyword>" % words(r, 1, 2) for _ in range(r.randint(2, 9))), word(r)[:1].upper(),
                word(r), source, i, words(r, 2, 5), fields,
                word(r), r.randint(1980, 2000), r.randint(1, 28), i))


ROOTS = {psd7003: "ProteinDatabase", treebank: "FILE", nasa: "datasets"}


def write(shape, megabytes, path):
    make, r, size = {f.__name__: f for f in ROOTS}[shape], random.Random(1), 0
    with open(path, "w") as f:
        f.write("<%s>\n" % ROOTS[make])
        i = 0
        while size < megabytes * 1e6:
            size += f.write(make(r, i))
            i += 1
        f.write("</%s>\n" % ROOTS[make])


if __name__ == "__main__":
    args = argparse.ArgumentParser()
    args.add_argument("shape", choices=[f.__name__ for f in ROOTS])
    args.add_argument("-m", type=float, default=5)
    args.add_argument("-o", required=True)
    args = args.parse_args()
    write(args.shape, args.m, args.o)
