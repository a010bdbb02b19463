#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a complete tree: every element but the leaves has as many children; the elements of a level have the level's
letter for a name.

    gen_tree.py -b 2 -l 16 -o tree.xml      65,535 elements, A to P
    gen_tree.py -b 1 -l 2000 -o path.xml    a path: one element a level (names A to Z, again and again)
"""
import argparse


def write(put, branches, levels):
    name = lambda level: chr(65 + level % 26)
    made, at = [0] * levels, 0          # a path is deeper than Python's stack
    put("<A>")
    while at >= 0:
        if at + 1 < levels and made[at] < branches:
            made[at] += 1
            at += 1
            made[at] = 0
            put("<%s>" % name(at))
        else:
            put("</%s>" % name(at))
            at -= 1


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("-b", type=int, default=2)
    ap.add_argument("-l", type=int, default=16)
    ap.add_argument("-o", required=True)
    a = ap.parse_args()
    with open(a.o, "w", encoding="ascii", buffering=1 << 20) as f:
        write(f.write, a.b, a.l)
        f.write("\n")


if __name__ == "__main__":
    main()
