#!/usr/bin/env python3
"""Draws docs/truth_*.svg from docs/truth.csv, for docs/truth.md: other programs less srcextract, by magnitude.

The same table gives the same bytes; tests/support/test_truth_charts.py compares them. Needs the standard library alone.
"""
import argparse
import csv
import math
import pathlib

from speed_charts import COLOURS, DOCS, grid, key, line, page, text, upright

BLUE, ORANGE, GREY = COLOURS
GREEN = "#2f9e6e"
PEERS = {"SExtractor": (ORANGE, 7), "SEP": (GREEN, 4.5), "photutils": (GREY, 3)}  # colour, radius of a point
LEAST = 20  # sources of a bin


def rows_of(path):
    """{kind of field: {program: {magnitude: {column: value}}}}, without missing values."""
    kinds = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            bins = kinds.setdefault(row["kind"], {}).setdefault(row["program"], {})
            bins[float(row["mag"])] = {name: float(value) for name, value in row.items()
                                       if name not in ("kind", "program") and value}
    return kinds


class Question:
    """A column of the table: its label, what a difference is, and how srcextract's own value is written."""

    def __init__(self, label, column, unit, difference, own, count="detections"):
        self.label, self.column, self.unit, self.difference, self.own, self.count = label, column, unit, difference, own, count

    def points(self, programs, peer):
        """(magnitude of the middle, difference) of the bins that both programs have."""
        for mag, there in programs.get(peer, {}).items():
            here = programs["srcextract"].get(mag, {})
            if self.column in here and self.column in there and min(here[self.count], there[self.count]) >= LEAST:
                yield mag + 0.5, self.difference(here[self.column], there[self.column])


def nice(value):
    """The least of 1, 2, 5, 10 … times a power of ten that is not below `value`."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.999)


def panel(programs, kind, question, left, top, most):
    """A chart with its lower left corner at `left`, and `top` above it; differences reach from -most to most."""
    width, height = 262, 112
    low, high = 18, 25

    def place(mag, value):
        return left + width * (mag - low) / (high - low), top + height / 2 * (1 - value / most)

    parts = [text(left + width / 2, top - 8, f"{kind}: {question.label}", "middle", 13)]
    for value in (-most, 0, most):
        _, y = place(low, value)
        parts += [line(left, y, left + width, y) if value == 0 else grid(left, y, left + width, y),
                  text(left - 6, y + 5, f"{value:+g}" if value else "0", "end", 12)]
    for mag in range(low, high + 1):
        x, _ = place(mag, 0)
        parts += [grid(x, top, x, top + height), text(x, top + height + 15, f"{mag}", "middle", 12)]
    for mag, here in programs["srcextract"].items():
        if question.column in here and here[question.count] >= LEAST:
            parts.append(f'<g fill="{BLUE}">{text(place(mag + 0.5, 0)[0], top + height + 32, question.own(here[question.column]), "middle", 11)}</g>')
    for peer, (colour, radius) in PEERS.items():
        points = [place(*point) for point in question.points(programs, peer)]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="none" stroke="{colour}" stroke-width="2"/>' for x, y in points]
    return parts


def chart(kinds, title, below, questions):
    """A row of panels for each kind of field, a column for each question."""
    limits = [nice(max(abs(value) for programs in kinds.values() for peer in PEERS for _, value in question.points(programs, peer)))
              for question in questions]
    parts, top = key([(GREEN if name == "SEP" else PEERS[name][0], name + (", 5 of the 20 fields" if name == "photutils" else ""))
                      for name in PEERS] + [(BLUE, "value of srcextract")], 54), 92
    for kind, programs in kinds.items():
        for number, (question, most) in enumerate(zip(questions, limits)):
            left = 74 + 366 * number
            parts += panel(programs, kind, question, left, top, most)
            parts.append(upright(left - 48, top + 56, question.unit, 12))
        top += 176
    parts.append(text(360, top - 14, below, "middle", 13))
    return page(top, title, parts)


def percent(value):
    return f"{100 * value:.0f} %"


def share(label, column, count):
    return Question(label, column, "percentage points", lambda here, there: 100 * (there - here), percent, count)


def charts(table=DOCS / "truth.csv"):
    """{name of the file: its text}."""
    kinds = rows_of(table)

    def ratio(label, column):
        return Question(label, column, "percent", lambda here, there: 100 * (there / here - 1), "{:.2g}".format)

    def pull(label, column, own):
        return Question(label, column, "errors", lambda here, there: there - here, own)

    def pulls(name):
        return [pull("median of the pull", f"{name}_median", "{:+.1f}".format), pull("width of the pull", f"{name}_width", "{:.1f}".format)]

    return {
        "truth_shares.svg": chart(kinds, "Completeness and purity: other programs less srcextract", "magnitude: true, and of purity measured",
                                  [share("completeness", "completeness", "count"), share("purity", "purity", "detections")]),
        "truth_positions.svg": chart(kinds, "How far positions are off: other programs beyond srcextract", "true magnitude; own values in pixels",
                                     [ratio("X_IMAGE", "off"), ratio("XWIN_IMAGE", "off_win")]),
        "truth_auto.svg": chart(kinds, "FLUX_AUTO against the whole light: other programs less srcextract", "true magnitude", pulls("auto")),
        "truth_aper.svg": chart(kinds, "FLUX_APER against the light in the circle: other programs less srcextract", "true magnitude", pulls("aper")),
    }


def draw(folder=DOCS):
    """Writes the charts of folder/truth.csv."""
    for name, drawn in charts(folder / "truth.csv").items():
        (folder / name).write_text(drawn, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=DOCS, help="with truth.csv; docs without it")
    draw(parser.parse_args().folder)


if __name__ == "__main__":
    main()
