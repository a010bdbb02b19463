# SPDX-License-Identifier: Apache-2.0
"""tap.py -- TAP for tests that are one program: a line for each claim, and beneath one that is wrong what was seen"""

_count = 0


def tap(good, claim, *why):
    global _count
    _count += 1
    print("%sok %d - %s" % ("" if good else "not ", _count, claim))
    if not good:
        print("".join("#   %s\n" % line[:300] for w in why for line in str(w).splitlines()[:8]), end="", flush=True)


def done():
    print("1..%d" % _count)
