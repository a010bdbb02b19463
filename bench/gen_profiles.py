#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes profiles and documents of one random schema, for gpuxml-match.

    gen_profiles.py -n 100000 --steps 5 --splits 1 --wild 0.1 --values 0.2 -o profiles.txt
    gen_profiles.py --documents 20 --bytes 25000 -o doc          doc0.xml, doc1.xml, ...

A schema has --labels element names; which children each may have is chosen by --schema, a seed that both calls share. A
profile is a path down the schema of --steps nodes in all, --splits of which have branches; each step is a "*" or
follows "//" with the probability --wild, and has a comparison of an attribute or its text with the probability
--values. --free: labels of profiles are drawn by chance, not along the schema.
"""
import argparse
import random


class Schema:
    def __init__(self, labels, seed):
        rng = random.Random(seed)
        self.names = ["n%d" % i for i in range(labels)]
        self.kids = [rng.sample(range(labels), min(labels, rng.randint(2, 8))) for _ in range(labels)]


def document(schema, rng, size):
    out, total = [], 0

    def element(label, depth):
        nonlocal total
        name = schema.names[label]
        tag = "<%s" % name
        if rng.random() < 0.3:
            tag += ' id="v%d"' % int(rng.expovariate(0.02))
        if rng.random() < 0.3:
            tag += ' price="%d"' % rng.randint(0, 1000)
        out.append(tag + ">")
        total += len(tag) + len(name) + 4
        kids = schema.kids[label]
        if depth < 8 and total < size:
            for _ in range(rng.randint(0, 5)):
                element(rng.choice(kids), depth + 1)
        if rng.random() < 0.4:
            text = "t%d" % int(rng.expovariate(0.02))
            out.append(text)
            total += len(text)
        out.append("</%s>" % name)

    out.append("<n0>")
    while total < size:
        element(rng.choice(schema.kids[0]), 1)
    out.append("</n0>")
    return "".join(out)


def profile(schema, rng, a):
    def value(test):
        kind = rng.random()
        if kind < 0.5:
            return "[@id = 'v%d']" % int(rng.expovariate(0.02))
        if kind < 0.75:
            return "[@price %s %d]" % (rng.choice("< > <= >=".split()), rng.randint(0, 1000))
        return "[. = 't%d']" % int(rng.expovariate(0.02))

    def chain(label, steps, splits, first):
        """The nodes below one of this label: a path of so many steps, so many of which split"""
        text = ""
        while steps > 0:
            label = rng.randrange(len(schema.names)) if a.free else rng.choice(schema.kids[label])
            deep = rng.random() < a.wild
            if deep and not a.free and rng.random() < 0.5:
                label = rng.choice(schema.kids[label])
            text += ("//" if deep else "/" if not first else "") if not (first and deep) else ".//"
            text += "*" if rng.random() < a.wild else schema.names[label]
            first = False
            steps -= 1
            if rng.random() < a.values:
                text += value(label)
            if splits > 0 and steps > 1:
                branch = rng.randint(1, max(1, min(steps - 1, 3)))
                inner = chain(label, branch, 0, True)
                text += "[not(%s)]" % inner if rng.random() < a.negated else "[%s]" % inner
                steps -= branch
                splits -= 1
        return text
    root = "//" if rng.random() < 0.5 else "/n0"
    if root == "//":
        label = rng.randrange(len(schema.names))
        return "//" + schema.names[label] + chain(label, a.steps - 1, a.splits, False)
    return root + chain(0, a.steps - 1, a.splits, False)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("-n", type=int, default=100000)
    ap.add_argument("--steps", type=int, default=5)
    ap.add_argument("--splits", type=int, default=1)
    ap.add_argument("--wild", type=float, default=0.1)
    ap.add_argument("--values", type=float, default=0.1)
    ap.add_argument("--negated", type=float, default=0.0)
    ap.add_argument("--free", action="store_true")
    ap.add_argument("--labels", type=int, default=60)
    ap.add_argument("--schema", type=int, default=1)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--documents", type=int, default=0)
    ap.add_argument("--bytes", type=int, default=25000)
    ap.add_argument("-o", required=True)
    a = ap.parse_args()
    schema, rng = Schema(a.labels, a.schema), random.Random(a.seed)
    for i in range(a.documents):
        with open("%s%d.xml" % (a.o, i), "w", encoding="ascii") as f:
            f.write(document(schema, rng, a.bytes))
    if not a.documents:
        with open(a.o, "w", encoding="ascii") as f:
            for i in range(a.n):
                f.write("p%d\t%s\n" % (i, profile(schema, rng, a)))


if __name__ == "__main__":
    main()
