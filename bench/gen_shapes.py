#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents that are mostly one thing: what the parsers are timed on beside feeds and auctions. The same arguments give
the same bytes.

    bench/gen_shapes.py attributes|namespaces|prose|cjk [-b BYTES] [-o FILE]
"""
import argparse, random, sys

WORDS = ("a about after all and before but by for from had has her his in is it more not of on one or over said she "
         "some that the their this to was were with".split())


def words(rnd, n):
    return " ".join(rnd.choice(WORDS) for _ in range(n))


def attributes(rnd, i):
    return '<part no="%d" name="%s" price="%d.%02d" left="%d" colour="%s" code="%08x" note="%s"%s\n' % (
        i, words(rnd, 2), rnd.randrange(1000), rnd.randrange(100), rnd.randrange(500),
        rnd.choice(("red", "green", "blue")), rnd.getrandbits(32),
        words(rnd, rnd.randrange(1, 9)) + rnd.choice(("", "", "", " &amp; more")),
        rnd.choice(("/>", "/>", "><at x='1' y=\"%d\"/></part>" % i)))


def namespaces(rnd, i):
    prefix, declaration = rnd.choice((("", ""), ("", ""), ("g:", ' xmlns:g="urn:example:goods"'),
                                      ("m:", ' xmlns:m="urn:example:media"'),
                                      ("", ' xmlns="urn:example:other"')))
    return ('<p:entry%s q:id="%d" kind="%s">\n  <q:title>%s</q:title>\n  <%sthing p:of="t%d"><q:by>%s</q:by>'
            '</%sthing>\n  <cost q:in="EUR">%d</cost>\n</p:entry>\n') % (
        declaration, i, rnd.choice("abc"), words(rnd, 5), prefix, i, words(rnd, 2), prefix, rnd.randrange(1000))


def prose(rnd, i):
    return "<p>%s%s.</p>\n" % (words(rnd, rnd.randrange(80, 400)),
                               rnd.choice(("", " this &amp; that", " <i>%s</i> %s" % (words(rnd, 6), words(rnd, 30)))))


def cjk(rnd, i):
    text = lambda n: "".join(chr(rnd.choice((rnd.randrange(0x4e00, 0x9fa0), rnd.randrange(0x3041, 0x3094))))
                             for _ in range(n))
    return '<\u7bc0 \u756a\u53f7="%d"><\u984c>%s</\u984c>%s\u3002</\u7bc0>\n' % (i, text(rnd.randrange(4, 14)),
        text(rnd.randrange(20, 160)))


ROOTS = {attributes: ("<parts>", "</parts>"), prose: ("<book>", "</book>"), cjk: ("<\u6587\u66f8>", "</\u6587\u66f8>"),
         namespaces: ('<p:list xmlns:p="urn:example:p" xmlns:q="urn:example:q" xmlns="urn:example:default">',
                      "</p:list>")}
SHAPES = {shape.__name__: shape for shape in ROOTS}
args = argparse.ArgumentParser()
args.add_argument("shape", choices=SHAPES)
args.add_argument("-b", type=int, default=5_000_000, help="about so many bytes")
args.add_argument("-o", default="-", help="the file to write")
args = args.parse_args()
shape, rnd = SHAPES[args.shape], random.Random(1)
begin, end = ROOTS[shape]
pieces, size = ['<?xml version="1.0" encoding="UTF-8"?>\n%s\n' % begin], 0
while size < args.b:
    pieces.append(shape(rnd, len(pieces)))
    size += len(pieces[-1].encode())
pieces.append(end + "\n")
with sys.stdout if args.o == "-" else open(args.o, "w", encoding="utf-8") as f:
    f.write("".join(pieces))
