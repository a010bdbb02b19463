#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an auction site as one document: the element structure and proportions of the public XMark benchmark schema.

    gen_auction.py -f 0.1 -o auction.xml        f = 0.1: about 11 MB; f = 1: ten times that. Same arguments, same bytes.

Prose is drawn from made-up words with falling frequency, so that names and values repeat as they do in real data.
"""
import argparse, random

REGIONS = {"africa": .025, "asia": .092, "australia": .101, "europe": .276, "namerica": .46, "samerica": .046}
COUNTRIES = "Iceland Portugal Estonia Ghana Peru Vietnam Mexico Ireland Nepal Canada".split()
CITIES = "Porto Tartu Accra Cusco Hue Puebla Galway Pokhara Gander Reykjavik".split()
PAYMENT = ("Cash", "Creditcard", "Bank transfer", "Personal Check")
SHIPPING = ("Will ship only within country", "Will ship internationally", "Buyer pays fixed shipping charges")


class Auction:
    def __init__(self, factor, seed, out):
        self.r, self.put = random.Random(seed), out.write
        parts = "ka lo mi ne ru sa to vi be do fa gu hi jo pe qua ster ling ment ard".split()
        self.vocabulary = sorted({"".join(self.r.choices(parts, k=self.r.randint(1, 4))) for _ in range(9000)})
        self.r.shuffle(self.vocabulary)
        self.weights, total = [], 0.0
        for rank in range(len(self.vocabulary)):
            total += 1 / (rank + 4)
            self.weights.append(total)
        self.n = {k: max(2, round(v * factor)) for k, v in
                  {"item": 21750, "person": 25500, "open": 12000, "closed": 9750, "category": 1000}.items()}

    def words(self, low, high):
        return " ".join(self.r.choices(self.vocabulary, cum_weights=self.weights, k=self.r.randint(low, high)))

    def date(self):
        return "%02d/%02d/%d" % (self.r.randint(1, 12), self.r.randint(1, 28), self.r.randint(2019, 2025))

    def ref(self, kind):
        return "%s%d" % ("open_auction" if kind == "open" else kind, self.r.randrange(self.n[kind]))

    def prose(self):
        """Text with inline markup, nested at most three deep."""
        pieces = []
        for _ in range(self.r.randint(3, 10)):
            pieces.append(self.words(5, 22))
            if self.r.random() < .5:
                tag = self.r.choice(("bold", "keyword", "emph"))
                inner = self.words(1, 4)
                if self.r.random() < .15:
                    inner += " <emph>%s</emph>" % self.words(1, 2)
                pieces.append("<%s>%s</%s>" % (tag, inner, tag))
        return "<text>%s</text>" % " ".join(pieces)

    def description(self):
        if self.r.random() < .7:
            return "<description>%s</description>" % self.prose()
        items = "".join("<listitem>%s</listitem>" % self.prose() for _ in range(self.r.randint(1, 3)))
        return "<description><parlist>%s</parlist></description>" % items

    def item(self, i):
        r, put = self.r, self.put
        put('<item id="item%d"%s><location>%s</location><quantity>%d</quantity><name>%s</name><payment>%s</payment>' % (
            i, ' featured="yes"' if r.random() < .1 else "", r.choice(COUNTRIES), 1 + (r.random() < .2),
            self.words(1, 3), r.choice(PAYMENT)))
        put(self.description() + "<shipping>%s</shipping>" % r.choice(SHIPPING))
        put("".join('<incategory category="%s"/>' % self.ref("category") for _ in range(r.randint(1, 5))) + "<mailbox>")
        for _ in range(int(r.expovariate(1))):
            put("<mail><from>%s</from><to>%s</to><date>%s</date>%s</mail>" % (self.words(2, 2), self.words(2, 2),
                self.date(), self.prose()))
        put("</mailbox></item>\n")

    def person(self, i):
        r, put, name = self.r, self.put, self.words(2, 2)
        put('<person id="person%d"><name>%s</name><emailaddress>mailto:%s@example.net</emailaddress>' % (i, name,
            name.replace(" ", ".")))
        if r.random() < .5:
            put("<phone>+%d (%d) %d</phone>" % (r.randint(1, 99), r.randint(10, 999), r.randint(10**6, 10**8)))
        if r.random() < .5:
            put("<address><street>%d %s St</street><city>%s</city><country>%s</country><zipcode>%d</zipcode></address>"
                % (
                r.randint(1, 99), self.words(1, 1), r.choice(CITIES), r.choice(COUNTRIES), r.randint(1, 40)))
        if r.random() < .5:
            put('<profile income="%.2f">' % r.uniform(9000, 90000))
            put("".join('<interest category="%s"/>' % self.ref("category") for _ in range(r.randint(0, 4))))
            put("<business>%s</business></profile>" % r.choice(("Yes", "No")))
        if r.random() < .4:
            put("<watches>%s</watches>" % "".join('<watch open_auction="%s"/>' % self.ref("open")
                                                  for _ in range(r.randint(1, 5))))
        put("</person>\n")

    def annotation(self):
        return '<annotation><author person="%s"/>%s<happiness>%d</happiness></annotation>' % (
            self.ref("person"), self.description(), self.r.randint(1, 10))

    def open_auction(self, i):
        r, put, price = self.r, self.put, self.r.uniform(1, 300)
        put('<open_auction id="open_auction%d"><initial>%.2f</initial>' % (i, price))
        for _ in range(int(r.expovariate(.25))):
            step = 1.5 * r.randint(1, 16)
            price += step
            put('<bidder><date>%s</date><time>%02d:%02d:%02d</time><personref '
                'person="%s"/><increase>%.2f</increase></bidder>' % (
                self.date(), r.randrange(24), r.randrange(60), r.randrange(60), self.ref("person"), step))
        put('<current>%.2f</current><itemref item="%s"/><seller person="%s"/>%s' % (price, self.ref("item"),
            self.ref("person"), self.annotation()))
        put("<quantity>1</quantity><type>%s</type><interval><start>%s</start><end>%s</end></interval></open_auction>\n"
            % (
            r.choice(("Regular", "Featured")), self.date(), self.date()))

    def closed_auction(self):
        self.put('<closed_auction><seller person="%s"/><buyer person="%s"/><itemref '
                 'item="%s"/><price>%.2f</price><date>%s</date>'
                 "<quantity>1</quantity><type>Regular</type>%s</closed_auction>\n" % (
                     self.ref("person"), self.ref("person"), self.ref("item"), self.r.uniform(1, 400), self.date(),
                     self.annotation()))

    def site(self):
        put, n, i = self.put, self.n, 0
        put('<?xml version="1.0" encoding="UTF-8"?>\n<site><regions>\n')
        for region, share in REGIONS.items():
            last = n["item"] if region == "samerica" else min(n["item"], i + max(1, round(share * n["item"])))
            put("<%s>\n" % region)
            for i in range(i, last):
                self.item(i)
            i = last
            put("</%s>\n" % region)
        put("</regions><categories>\n")
        for k in range(n["category"]):
            put('<category id="category%d"><name>%s</name>%s</category>\n' % (k, self.words(1, 2), self.description()))
        put("</categories><catgraph>\n")
        for _ in range(n["category"]):
            put('<edge from="%s" to="%s"/>\n' % (self.ref("category"), self.ref("category")))
        put("</catgraph><people>\n")
        for k in range(n["person"]):
            self.person(k)
        put("</people><open_auctions>\n")
        for k in range(n["open"]):
            self.open_auction(k)
        put("</open_auctions><closed_auctions>\n")
        for _ in range(n["closed"]):
            self.closed_auction()
        put("</closed_auctions></site>\n")


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("-f", type=float, default=0.1, help="scale")
    ap.add_argument("-s", type=int, default=1, help="seed")
    ap.add_argument("-o", required=True, help="output file")
    a = ap.parse_args()
    with open(a.o, "w", encoding="utf-8", buffering=1 << 20) as f:
        Auction(a.f, a.s, f).site()
