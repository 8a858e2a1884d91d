#!/usr/bin/env python3
"""Draws docs/speed_peers.svg and docs/speed_backends.svg from docs/speed.csv, for docs/performance.md.

The same table gives the same bytes; tests/support/test_speed_charts.py compares them. Needs the standard library alone.
"""
import argparse
import csv
import pathlib

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
# Pictures have no background: these colours are read on a white page and on a dark one.
COLOURS = ("#2b7fc6", "#d9822b", "#7a7a7a")
INK = "#7a7a7a"
RED = "#dd3333"
WIDTH = 720


def rows_of(chart):
    """{group: {series: value}}, in the order of the table."""
    groups = {}
    with open(DOCS / "speed.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["chart"] == chart:
                groups.setdefault(row["group"], {})[row["series"]] = float(row["value"])
    return groups


def text(x, y, words, anchor="start", size=14):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def line(x1, y1, x2, y2, colour=INK):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def grid(x1, y1, x2, y2):
    """A line of a chart's grid, faint on either page."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{INK}" stroke-opacity="0.3"/>'


def upright(x, y, words, size=13):
    """The label of a vertical axis, read from below; (x, y) is its middle."""
    return f'<text transform="translate({x:.1f} {y:.1f}) rotate(-90)" text-anchor="middle" font-size="{size}">{words}</text>'


def key(entries, y, middle=WIDTH / 2, size=13):
    """What the colours mean, on one line around `middle`: entries are (colour, words), or (colour, words, True) if dashed."""
    widths = [24 + 0.55 * size * len(words) for _, words, *_ in entries]
    x, parts = middle - (sum(widths) + 14 * (len(entries) - 1)) / 2, []
    for (colour, words, *dashed), width in zip(entries, widths):
        dashes = ' stroke-dasharray="3 3"' if dashed else ""
        parts += [f'<circle cx="{x + 8:.1f}" cy="{y - 4:.1f}" r="6" fill="none" stroke="{colour}" stroke-width="3"{dashes}/>',
                  text(x + 20, y, words, size=size)]
        x += width + 14
    return parts


def legend(names, y):
    parts = []
    for number, (name, colour) in enumerate(zip(names, COLOURS)):
        x = 150 + 150 * number
        parts += [f'<rect x="{x}" y="{y - 11}" width="14" height="14" fill="{colour}"/>', text(x + 20, y, name)]
    return parts


def page(height, title, parts):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'font-family="sans-serif" fill="{INK}">')
    return "\n".join([head, text(WIDTH / 2, 26, title, "middle", 16), *parts, "</svg>"]) + "\n"


def bars(groups, title, unit):
    """One horizontal bar for each value, with the value behind it."""
    left, right, bar, top = 150, 640, 20, 72
    most = max(value for values in groups.values() for value in values.values())
    parts = legend(next(iter(groups.values())), 54)
    y = top
    for group, values in groups.items():
        parts.append(text(left - 10, y + bar * len(values) / 2 + 5, group, "end"))
        for (_, value), colour in zip(values.items(), COLOURS):
            long = (right - left) * value / most
            parts += [f'<rect x="{left}" y="{y + 2}" width="{long:.1f}" height="{bar - 4}" fill="{colour}"/>',
                      text(left + long + 6, y + bar / 2 + 5, f"{value:g} {unit}", size=13)]
            y += bar
        y += 14
    return page(y + 4, title, parts)


def curves(groups, title, below, step, unit):
    """One curve for each series; the groups are numbers."""
    left, right, top, bottom = 90, 680, 72, 330
    along = [float(group) for group in groups]
    most = max(value for values in groups.values() for value in values.values())
    ceiling = step * (int(most / step) + 1)
    names = list(next(iter(groups.values())))

    def place(x, value):
        return left + (right - left) * x / max(along), bottom - (bottom - top) * value / ceiling

    parts = legend(names, 54)
    for tick in range(round(ceiling / step) + 1):
        _, y = place(0, tick * step)
        parts += [grid(left, y, right, y), text(left - 8, y + 5, f"{tick * step:g} {unit}", "end", 13)]
    for group, x in zip(groups, along):
        parts.append(text(place(x, 0)[0], bottom + 20, group, "middle", 13))
    for name, colour in zip(names, COLOURS):
        points = [place(x, values[name]) for x, values in zip(along, groups.values())]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in points]
    parts.append(text((left + right) / 2, bottom + 44, below, "middle"))
    return page(bottom + 58, title, parts)


def charts():
    """{name of the file: its text}."""
    return {
        "speed_peers.svg": bars(rows_of("peers"), "One image of 4096 x 4096 pixels on one core: less is better", "ms"),
        "speed_backends.svg": curves(rows_of("backends"), "lesson.yaml, many images of 4096 x 4096, whole run",
                                     "number of images", 0.25, "s"),
    }


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for name, drawn in charts().items():
        (DOCS / name).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
