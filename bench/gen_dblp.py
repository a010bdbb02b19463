#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a bibliography as one document: elements and proportions as DBLP's export has them, all names and words made
up.

    gen_dblp.py -m 200 -o dblp.xml          some 200 MB; same arguments, same bytes
    gen_dblp.py -m 60 -c 16 -o dblp.xml     some 960 MB, quickly: 60 MB 16 times, each with keys and a word of titles of
    its own

Authors and words of titles are drawn with falling frequency: the first author wrote about one record in 250. `Emil
Fuchs` wrote exactly three articles, in each copy.
"""
import argparse
import itertools
import random

SYLLABLES = "ka lo mi ne ru sa to vi be do fa gu hi jo pe qua ster ling ment ard".split()
JOURNALS = 400
RECORD = """<%s mdate="20%02d-%02d-%02d" key="%s">
%s<title>%s.</title>
<pages>%d-%d</pages>
<year>%d</year>
%s<ee>https://doi.example/10.%d/%d</ee>
</%s>
"""


def falling(n, offset):
    """Cumulative weights of ranks 0 .. n, each 1 / (rank + offset)"""
    return list(itertools.accumulate(1 / (rank + offset) for rank in range(n)))


def names(r, n, most):
    seen = dict.fromkeys("".join(r.choices(SYLLABLES, k=r.randint(2, most))) for _ in range(2 * n))
    return list(seen)[:n]


class Bibliography:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        first, last = names(r, 600, 3), names(r, 30000, 4)
        self.authors = ["%s %s" % (r.choice(first).title(), r.choice(last).title()) for _ in range(200000)]
        self.author_weights = falling(len(self.authors), 100)
        self.words = names(r, 20000, 4)
        self.word_weights = falling(len(self.words), 12)
        self.journals = ["%s %s" % (r.choice(self.words).title(), r.choice(self.words).title())
                         for _ in range(JOURNALS)]

    def record(self, n, fuchs):
        r = self.r
        kind = "article" if r.random() < 0.55 or fuchs else "inproceedings"
        year, journal = 1970 + int(53 * r.random() ** 0.4), int(JOURNALS * r.random() ** 2)
        authors = r.choices(self.authors, cum_weights=self.author_weights, k=1 + int(5 * r.random() ** 1.5))
        if fuchs:
            authors[0] = "Emil Fuchs"
        words = r.choices(self.words, cum_weights=self.word_weights, k=r.randint(5, 13))
        words[0] = words[0].title()
        page = r.randint(1, 900)
        key = "%s/%d/%d" % ("journals" if kind == "article" else "conf", journal, n)
        where = ("<journal>%s</journal>\n<volume>%d</volume>\n" % (self.journals[journal], r.randint(1, 60))
                 if kind == "article"
                 else "<booktitle>%s</booktitle>\n" % self.journals[journal])
        return RECORD % (kind, r.randint(2, 23), r.randint(1, 12), r.randint(1, 28), key,
                         "".join("<author>%s</author>\n" % a for a in authors),
                         " ".join(words), page, page + r.randint(1, 30), year, where, journal, n, kind)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("-m", type=float, default=200, help="megabytes")
    args.add_argument("-s", type=int, default=1, help="seed")
    args.add_argument("-o", required=True, help="the file to write")
    args.add_argument("-c", type=int, default=1, help="copies")
    args = args.parse_args()
    b = Bibliography(args.s)
    size, n, kept = args.m * 1e6, 0, []
    marks = [size * share for share in (0.9, 0.5, 0.1)]      # where Emil Fuchs's records stand
    with open(args.o, "w", encoding="ascii") as f:
        written = f.write('<?xml version="1.0"?>\n<dblp>\n')
        while written < size:
            fuchs = bool(marks) and written >= marks[-1]
            if fuchs:
                marks.pop()
            record = b.record(n, fuchs)
            written += f.write(record)
            n += 1
            if args.c > 1:
                kept.append(record)
        records = "".join(kept)
        for k in range(1, args.c):
            f.write(records.replace(' key="', ' key="%d/' % k).replace("<title>", "<title>Copy%d " % k))
        f.write("</dblp>\n")


if __name__ == "__main__":
    main()
