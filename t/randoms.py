# SPDX-License-Identifier: Apache-2.0
"""randoms.py -- what tests with random documents and patterns share: --count and --seed, documents, runs of gpuxslt"""
import argparse, os, random, subprocess

GPUXSLT = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/build/gpuxslt"


def arguments(count):
    """(--count, --seed), the latter printed, and the generator that has it."""
    args = argparse.ArgumentParser()
    args.add_argument("--count", type=int, default=count)
    args.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    args = args.parse_args()
    print("# seed %d" % args.seed)
    return args, random.Random(args.seed)


def document(rnd, names, size, depth, more, others=("t%d", "<!--c-->"), root="<r>"):
    """Elements that are often inside others of their name, attributes and others (%d: a number) between them. more: how
    likely one more child is"""
    left = size

    def element(level):
        nonlocal left
        left -= 1
        content = ""
        while left > 0 and level < depth and rnd.random() < more:
            kind = rnd.choice((None, None, None) + others)
            content += element(level + 1) if kind is None else kind.replace("%d", str(left))
        name = rnd.choice(names)
        return "<%s%s>%s</%s>" % (name, ' x="%d"' % rnd.randrange(3) if rnd.random() < 0.3 else "", content, name)

    return "%s%s</r>" % (root, "".join(element(1) for _ in range(max(1, size // 6))))


def run(options, sheet, xml):
    p = subprocess.run([GPUXSLT] + options + [sheet, xml], capture_output=True, timeout=300)
    return p.returncode, p.stdout, p.stderr
