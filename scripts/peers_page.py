#!/usr/bin/env python3
"""Writes the tables of docs/peers.md from docs/peers.csv, and reads that file for tests/support/test_peer_figures.py.

Usage: scripts/peers_page.py [--check]   (--check: writes nothing, exits 1 if the page differs from the file)
"""
import csv
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
OURS = ("srcextract", "srcextract, command", "srcextract.sep", "srcextract, own PSF")
# What a reader sees for a name of the file.
WORDS = {"C": "completeness at 5 σ", "P": "purity at 5 σ", "C90": "completeness at a purity of 90 %", "rows/s": "rows a CPU second",
         "pulls of RA": "width of pulls, right ascension", "pulls of DEC": "width of pulls, declination",
         "pulls of Peak_flux": "width of pulls, peak", "pulls of Total_flux": "width of pulls, total",
         "pulls of Maj": "width of pulls, major axis", "total: scatter": "scatter of totals", "total: median": "median of totals"}
MARK = re.compile(r"(<!-- figures of (\w+), made by scripts/peers_page.py -->\n).*?(<!-- end of figures -->)", re.S)


def figures():
    """The rows of docs/peers.csv."""
    with open(DOCS / "peers.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ratio(row, rows):
    """How many times the value of srcextract a time or memory is that was measured on the same day; None for others."""
    if row["unit"] not in ("s", "ms", "MB") or row["peer"] in OURS:
        return None
    for name in ("srcextract", "srcextract, command", "srcextract.sep"):
        for ours in rows:
            if ours["peer"] == name and all(ours[key] == row[key] for key in ("what", "field", "unit", "machine", "date")):
                return float(row["value"]) / float(ours["value"])
    return None


def words_of(what):
    """The name of a figure for the page: without its group, and in words."""
    what = what.split(": ", 1)[1]
    what = re.sub(r", \d+ points$", "", what)
    what = re.sub(r"^found at (\d) to (\d|inf) sigma$", lambda found: f"found at {found[1]} to {found[2]} σ".replace("to inf σ", "σ and more"), what)
    what = re.sub(r"^scatter (\S+)-(\S+)$", r"scatter, \1 to \2 mag", what)
    return WORDS.get(what, what)


def cell(row, rows):
    if row is None:
        return ""
    times = ratio(row, rows)
    return f"{row['value']} {row['unit']}".strip() + (f" ({times:.{0 if times >= 10 else 1}f} ×)" if times else "")


def table(group):
    """A line for each figure of a group, a column for each program, with its version and the day."""
    every = figures()
    rows = [row for row in every if row["what"].split(":")[0] == group]
    peers = list(dict.fromkeys(row["peer"] for row in rows))
    peers.sort(key=lambda peer: OURS.index(peer) if peer in OURS else len(OURS))
    found = {(row["what"], row["field"], row["peer"]): row for row in rows}
    lines = list(dict.fromkeys((row["what"], row["field"]) for row in rows))
    if group == "truth":  # a field of sources after the other
        kinds = list(dict.fromkeys(field.split(",")[0] for _, field in lines))
        lines.sort(key=lambda line: kinds.index(line[1].split(",")[0]))
    out = [f"| figure | fields | {' | '.join(peers)} |", "|---" * (len(peers) + 2) + "|"]
    for what, field in lines:
        cells = [cell(found.get((what, field, peer)), rows) for peer in peers]
        out.append(f"| {words_of(what)} | {field.replace(' sources a Mpixel', '/Mpixel')} | {' | '.join(cells)} |")
    dated = {}
    for row in rows:
        told = f"{row['peer']} {row['version']}".strip()
        dated.setdefault((row["date"], row["machine"]), {})[told] = None
    out += [""] + [f"Measured {date} on {machine}: {'; '.join(names)}." for (date, machine), names in sorted(dated.items())]
    return "\n".join(out) + "\n"


def page():
    """docs/peers.md as it should be."""
    text = (DOCS / "peers.md").read_text(encoding="utf-8")
    return MARK.sub(lambda found: found[1] + "\n" + table(found[2]) + "\n" + found[3], text)


def main():
    wanted, path = page(), DOCS / "peers.md"
    if "--check" in sys.argv[1:]:
        if path.read_text(encoding="utf-8") != wanted:
            print("docs/peers.md differs from docs/peers.csv; scripts/peers_page.py writes it again", file=sys.stderr)
            return 1
        return 0
    path.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
