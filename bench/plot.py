#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SVG charts of the tables in a Markdown report: each table that follows a line like one of these gets one, beside the
report.

    <!-- plot: bars FILE.svg; title=...; x=COLUMN; y=COLUMN, COLUMN; unit=...; log -->      a group of bars for each row
    <!-- plot: lines FILE.svg; title=...; x=COLUMN; y=COLUMN, COLUMN; unit=...; log -->     a line for each y, over x

    bench/plot.py REPORT.md ...         writes them anew: the tables are the data, there is no other file

unit names what is measured; log: that axis is logarithmic (x of lines always is). A cell counts as a number after ","
between digits and what follows the number are dropped; cells without one are left out.
"""
import html, math, os, re, sys

COLOURS = ("#1f6f8b", "#e0902f", "#5b8c3a", "#8a4f9e", "#b4341f", "#6b6b6b")


def number(cell):
    m = re.match(r"[*`>\s]*(-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?)", cell)
    return float(m.group(1).replace(",", "")) if m else None


def short(v):
    """1 250 000 as 1.25M"""
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(v) >= factor:
            return "%.3g%s" % (v / factor, unit)
    return "%.3g" % v


def steps(low, high, log):
    """Where an axis has its marks; the first and the last enclose the values."""
    if log:
        a, b = math.floor(math.log10(low)), math.ceil(math.log10(high))
        return [10.0 ** e for e in range(a, max(b, a + 1) + 1)]
    raw = high / 5 or 1
    size = 10 ** math.floor(math.log10(raw))
    size *= next(f for f in (1, 2, 2.5, 5, 10) if f * size >= raw)
    return [i * size for i in range(math.ceil(high / size - 1e-9) + 1)]


def scale(marks, log, length):
    f = (lambda v: math.log10(max(v, marks[0]))) if log else (lambda v: v)
    return lambda v: (f(v) - f(marks[0])) / (f(marks[-1]) - f(marks[0])) * length


class Picture:
    def __init__(self, width, height, title):
        self.parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
                      'font-size="12">' % (width, height),
                      "<title>%s</title>" % html.escape(title),
                      '<rect width="%d" height="%d" fill="#fff"/>' % (width, height)]
        self.text(16, 22, title, weight="bold", size=14)

    def text(self, x, y, what, anchor="start", weight=None, size=None, fill=None):
        more = "".join(' %s="%s"' % (k, v) for k,
                       v in (("font-weight", weight), ("font-size", size), ("fill", fill)) if v)
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (x, y, anchor, more,
            html.escape(str(what))))

    def line(self, x1, y1, x2, y2, colour="#ddd"):
        self.parts.append('<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>' % (x1, y1, x2, y2, colour))

    def rect(self, x, y, w, h, fill):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (x, y, w, h, fill))

    def legend(self, names, x, y):
        for i, name in enumerate(names):
            self.rect(x, y - 10, 12, 12, COLOURS[i % len(COLOURS)])
            self.text(x + 17, y, name)
            x += 30 + 7 * len(name)

    def done(self):
        return "\n".join(self.parts) + "\n</svg>\n"


def bars(title, labels, series, unit, log):
    """labels: one a group; series: [(name, values)], None where there is no value"""
    values = [v for _, vs in series for v in vs if v is not None and v > 0] or [1]
    left, width = 20 + 7 * max(map(len, labels)), 860
    row, thick = len(series) * 13 + 9, 12
    top = 34 + 22 * (len(series) > 1)
    marks = steps(min(values), max(values), log)
    at = scale(marks, log, width - left - 80)
    bottom = top + row * len(labels) + 4
    p = Picture(width, bottom + 40, title)
    if len(series) > 1:
        p.legend([n for n, _ in series], left, 44)
    for m in marks:
        p.line(left + at(m), top, left + at(m), bottom)
        p.text(left + at(m), bottom + 14, short(m), "middle", fill="#555")
    p.text(left + at(marks[-1]) / 2, bottom + 32, unit + (", logarithmic" if log else ""), "middle", fill="#555")
    for i, label in enumerate(labels):
        y = top + i * row + 5
        p.text(left - 8, y + len(series) * 6.5 + 4, label, "end")
        for k, (_, vs) in enumerate(series):
            if vs[i] is not None and vs[i] > 0:
                p.rect(left, y + k * 13, max(at(vs[i]), 1), thick, COLOURS[k % len(COLOURS)])
                p.text(left + at(vs[i]) + 5, y + k * 13 + 10, short(vs[i]), size=11)
    p.line(left, top, left, bottom, "#444")
    return p.done()


def lines(title, x_name, xs, series, unit, log):
    """xs: numbers, on a logarithmic axis with a mark at each"""
    values = [v for _, vs in series for v in vs if v is not None and v > 0] or [1]
    left, right, top, height = 70, 640, 62, 300
    marks = steps(min(values), max(values), log)
    up = scale(marks, log, height)
    ticks = sorted(set(xs))
    along = scale([ticks[0], ticks[-1]] if len(ticks) > 1 else [ticks[0] / 2, ticks[0] * 2], True, right - left)
    p = Picture(right + 190, top + height + 50, title)
    p.text(left - 54, 44, unit + (", logarithmic" if log else ""), fill="#555")
    for m in marks:
        p.line(left, top + height - up(m), right, top + height - up(m))
        p.text(left - 6, top + height - up(m) + 4, short(m), "end", fill="#555")
    last = -99
    for t in ticks:
        if along(t) - last > 30:        # marks that would overlap are left out
            last = along(t)
            p.line(left + last, top + height, left + last, top + height + 4, "#444")
            p.text(left + last, top + height + 17, "%g" % t, "middle", fill="#555")
    p.text((left + right) / 2, top + height + 38, x_name, "middle", fill="#555")
    ends = []
    for k, (name, vs) in enumerate(series):
        points = sorted((along(x), v) for x, v in zip(xs, vs) if v is not None and v > 0)
        if not points:
            continue
        colour = COLOURS[k % len(COLOURS)]
        p.parts.append('<polyline fill="none" stroke-width="2" stroke="%s" points="%s"/>' % (
            colour, " ".join("%.1f,%.1f" % (left + x, top + height - up(v)) for x, v in points)))
        p.parts += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (left + x, top + height - up(v), colour) for x,
                    v in points]
        ends.append([top + height - up(points[-1][1]) + 4, name, colour, points[-1]])
    ends.sort(key=lambda e: e[0])
    for before, e in zip(ends, ends[1:]):       # names at the lines' ends, not on one another
        e[0] = max(e[0], before[0] + 14)
    for y, name, colour, (x, v) in ends:
        p.text(right + 10, y, "%s: %s" % (name, short(v)), fill=colour)
    p.line(left, top, left, top + height, "#444")
    p.line(left, top + height, right, top + height, "#444")
    return p.done()


def cells(line):
    return [c.strip().strip("`") for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def chart(kind, options, table):
    head, rows = cells(table[0]), [cells(l) for l in table[2:]]
    for name in [options["x"], *options["y"]]:
        if name not in head:
            raise ValueError("no column %r, only %s" % (name, ", ".join(head)))
    column = lambda name: [r[head.index(name)] if head.index(name) < len(r) else "" for r in rows]
    series = [(y, [number(c) for c in column(y)]) for y in options["y"]]
    log = "log" in options
    if kind == "bars":
        return bars(options["title"], column(options["x"]), series, options["unit"], log)
    xs = [number(c) for c in column(options["x"])]
    return lines(options["title"], options["x"], xs, series, options["unit"], log)


def of_markdown(path):
    """Writes every chart that the report asks for; returns their names."""
    text = open(path).read().splitlines()
    made = []
    for i, line in enumerate(text):
        m = re.match(r"<!-- plot: (bars|lines) (\S+?); (.*) -->$", line.strip())
        if not m:
            continue
        options = dict((part.split("=", 1) + [""])[:2] for part in re.split(r";\s+", m.group(3)))
        options["y"] = [y.strip() for y in options["y"].split(",")]
        table = []
        for l in text[i + 1:]:
            if not l.startswith("|"):
                break
            table.append(l)
        try:
            svg = chart(m.group(1), options, table)
        except (ValueError, KeyError, IndexError) as e:
            sys.exit("%s:%d: plot: %s" % (path, i + 1, e))
        with open(os.path.join(os.path.dirname(path), m.group(2)), "w") as f:
            f.write(svg)
        made.append(m.group(2))
    return made


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for report in sys.argv[1:]:
        print("\n".join(of_markdown(report)))
