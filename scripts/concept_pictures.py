#!/usr/bin/env python3
"""Draws the pictures of docs/stages that explain an idea: deblending.svg, clean.svg, kron.svg and masks.svg.

The same bytes every time; tests/support/test_concept_pictures.py compares them. Needs the standard library alone.
"""
import argparse
import math

from speed_charts import COLOURS, DOCS, INK, RED, grid, key, line, page, text, upright

BLUE, ORANGE, GREY = COLOURS


def curve(points, colour, dashed=False):
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="6 4"' if dashed else ""
    return f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"{dashes}/>'


def graph(f, first, last, place, colour, dashed=False):
    steps = 240
    along = [first + (last - first) * i / steps for i in range(steps + 1)]
    return curve([place(x, f(x)) for x in along], colour, dashed)


def gauss(x, centre, width, height):
    return height * math.exp(-((x - centre) / width)**2 / 2)


def deblending():
    """A cut through two stars that overlap, the levels, and the tree of what is connected above each."""
    def light(x):
        return gauss(x, 36, 9, 100) + gauss(x, 66, 8, 60)

    def place(x, value):
        return 50 + 4 * x, 300 - 2.2 * value

    levels = [10 * 10**(k / 6) for k in range(6)]
    parts = [graph(light, 0, 100, place, INK)]
    steps = [i / 4 for i in range(401)]
    nodes = []
    for level in levels:
        inside = [x for x in steps if light(x) > level]
        gaps = [i for i in range(1, len(inside)) if inside[i] - inside[i - 1] > 0.3]
        ends = list(zip([0, *gaps], [*gaps, len(inside)]))
        spans = [(inside[a], inside[b - 1]) for a, b in ends]
        nodes.append(spans)
        for number, (a, b) in enumerate(spans):
            colour = GREY if len(spans) == 1 and a < 50 < b else (BLUE, ORANGE)[number]
            (x1, y1), (x2, _) = place(a, level), place(b, level)
            parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y1:.1f}" stroke="{colour}" stroke-width="4"/>')
    parts += [text(250, 330, "a cut through two stars", "middle"), text(48, place(0, levels[0])[1] - 6, "threshold", size=13)]
    last = None
    for height, spans in zip([290, 245, 200, 155, 110, 65], nodes):
        centres = [560 if len(spans) == 1 and spans[0][0] < 50 < spans[0][1] else (520, 600)[n] for n in range(len(spans))]
        for n, x in enumerate(centres):
            colour = GREY if x == 560 else (BLUE, ORANGE)[n]
            if last:
                above = min(last[0], key=lambda old: abs(old - x))
                parts.append(line(above, last[1], x, height))
            parts.append(f'<circle cx="{x}" cy="{height}" r="9" fill="{colour}"/>')
        last = centres, height
    parts.append(text(560, 330, "the tree of its parts", "middle"))
    return page(350, "The water rises: one part becomes two", parts)


def clean():
    """The wings of a bright star lift a peak of noise over the threshold."""
    def wings(x):
        return 240 / (1 + (x / 9)**2)

    def light(x):
        return wings(x) + gauss(x, 52, 3, 7)

    def place(x, value):
        return 60 + 6 * x, 290 - 8 * min(value, 28)

    x, top = place(52, light(52))
    _, under = place(52, wings(52))
    _, level = place(0, 10)
    parts = [graph(light, 25, 100, place, BLUE), graph(wings, 25, 100, place, ORANGE, True), line(180, level, 680, level),
             text(680, level - 6, "threshold", "end", 13), line(180, 290, 680, 290), text(680, 308, "sky", "end", 13),
             line(x, under, x, 290), text(x + 8, 282, "wings", size=13), line(x, top, x, level),
             text(x + 10, top - 8, "a faint peak", size=13), *key([(BLUE, "image"), (ORANGE, "wings of the bright star")], 74, 420),
             text(360, 334, "The wings are higher than the peak rises above the threshold: the star absorbs it.", "middle", 13)]
    return page(350, "CLEAN: would it be a source without the wings?", parts)


def kron():
    """How much light of an exponential disc lies within a radius."""
    def share(x):
        return 1 - (1 + x) * math.exp(-x)

    def place(x, value):
        return 80 + 75 * x, 300 - 220 * value

    parts = [graph(share, 0, 8, place, INK)]
    for tick in range(0, 101, 25):
        _, y = place(0, tick / 100)
        parts += [grid(80, y, 680, y), text(72, y + 5, f"{tick} %", "end", 13)]
    for x, name, colour in ((2.2, "isophote", GREY), (3, "circle", ORANGE), (5, "2.5 Kron radii", BLUE)):
        at, y = place(x, share(x))
        parts += [line(at, 300, at, y, colour), f'<circle cx="{at:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>',
                  text(at + 8, y + 22, f"{name}: {100 * share(x):.0f} %", size=13)]
    parts += [text(380, 330, "radius, in scale lengths of the disc", "middle", 13), upright(20, 190, "share of the light")]
    return page(350, "Light of a disc galaxy within an aperture", parts)


def masks():
    """A source with a masked pixel, and the opposite pixel that replaces it in an aperture."""
    side, left, top = 34, 190, 50
    bad, opposite = (7, 2), (3, 4)
    parts = []
    for y in range(7):
        for x in range(11):
            value = gauss(math.hypot(x - 5, y - 3), 0, 1.8, 1)
            grey = round(255 - 190 * value)
            fill = RED if (x, y) == bad else f"rgb({grey},{grey},{grey})"
            parts.append(f'<rect x="{left + side * x}" y="{top + side * y}" width="{side - 1}" height="{side - 1}" fill="{fill}"/>')
    centre = left + side * 5.5, top + side * 3.5
    parts.append(f'<circle cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" r="{3 * side}" fill="none" stroke="{BLUE}" stroke-width="2.5"/>')
    (x1, y1), (x2, y2) = ((left + side * (x + 0.5), top + side * (y + 0.5)) for x, y in (opposite, bad))
    parts += [f'<rect x="{x1 - side / 2:.1f}" y="{y1 - side / 2:.1f}" width="{side - 1}" height="{side - 1}" fill="none" '
              f'stroke="{ORANGE}" stroke-width="3"/>', line(x1, y1, x2, y2, ORANGE),
              *key([(RED, "masked"), (ORANGE, "the opposite pixel, which takes its place (correct)"), (BLUE, "the aperture")], 322)]
    return page(350, "A masked pixel in an aperture", parts)


def pictures():
    """{name of the file: its text}."""
    return {"deblending.svg": deblending(), "clean.svg": clean(), "kron.svg": kron(), "masks.svg": masks()}


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for name, drawn in pictures().items():
        (DOCS / "stages" / name).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
