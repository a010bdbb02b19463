#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an RSS 2.0 feed of about the wanted size, as a web site would answer it.

    gen_feed.py -b 5000 -o feed.xml       Same arguments, same bytes.
"""
import argparse, random

WORDS = ("river council opens bridge after storm museum finds letters new train line report says budget grows team "
         "wins final "
         "harbour market energy plan delayed school choir record summer library saves archive old mill reopens "
         "coast path").split()
DAYS, MONTHS = "Mon Tue Wed Thu Fri Sat Sun".split(), "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
TOPICS = "Local Science Sport Culture Business Travel".split()
NAMES = "Ines Marsh;Tom Reyes;Aiko Lund;Paul Mbeki".split(";")


def item(r, i):
    say = lambda low, high: " ".join(r.choices(WORDS, k=r.randint(low, high)))
    if r.random() < .5:
        text = "<![CDATA[<p>%s.</p><p>%s.</p>]]>" % (say(15, 40), say(5, 20))
    else:
        text = "%s &amp; %s: &#8220;%s&#8221;" % (say(15, 40), say(2, 5), say(5, 20))
    return ('    <item>\n      <title>%s</title>\n      <link>https://herald.example/%d?from=rss&amp;n=%d</link>\n'
            '      <guid isPermaLink="false">herald:%d</guid>\n      <pubDate>%s, %02d %s 2025 %02d:%02d:00 '
            'GMT</pubDate>\n'
            '      <dc:creator>%s</dc:creator>\n%s      <description>%s</description>\n    </item>\n') % (
        say(4, 9).capitalize(), i, i, i, r.choice(DAYS), r.randint(1, 28), r.choice(MONTHS), r.randrange(24),
        r.randrange(60),
        r.choice(NAMES), "".join("      <category>%s</category>\n" % t for t in r.sample(TOPICS, r.randint(0, 2))),
        text)


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("-b", type=int, default=5000, help="bytes")
    ap.add_argument("-s", type=int, default=1, help="seed")
    ap.add_argument("-o", required=True, help="output file")
    a = ap.parse_args()
    r, parts, size = random.Random(a.s), [], 500
    while size < a.b:
        parts.append(item(r, len(parts)))
        size += len(parts[-1])
    with open(a.o, "w", encoding="utf-8") as f:
        f.write('<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" '
                'xmlns:dc="http://purl.org/dc/elements/1.1/">\n  <channel>\n'
                "    <title>The Herald</title>\n    <link>https://herald.example/</link>\n    <description>All the "
                "news</description>\n"
                "    <language>en</language>\n    <lastBuildDate>Fri, 21 Nov 2025 09:00:00 GMT</lastBuildDate>\n"
                + "".join(parts) + "  </channel>\n</rss>\n")
