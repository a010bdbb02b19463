#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A flat list of records under headings: what numbering, grouping and comparing with neighbours is done on.

    bench/gen_records.py [-n 3000] [-o FILE]
"""
import argparse, random, sys

args = argparse.ArgumentParser()
args.add_argument("-n", type=int, default=3000, help="records")
args.add_argument("-o", default="-", help="the file to write")
args = args.parse_args()
rnd = random.Random(1)
lines = ["<list>"]
for n in range(args.n):
    if n % 12 == 0:
        lines.append("<head>Section %d</head>" % (n // 12 + 1))
    lines.append('<item key="k%d"><value>%d</value></item>' % (rnd.randrange(args.n // 10), rnd.randrange(1000)))
lines.append("</list>\n")
with sys.stdout if args.o == "-" else open(args.o, "w", encoding="utf-8") as f:
    f.write("\n".join(lines))
