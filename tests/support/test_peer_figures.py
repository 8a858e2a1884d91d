"""Every figure beside another program's name, in README.md and docs/*.md, is in a table of measurements: docs/peers.csv,
docs/speed.csv or docs/truth.csv. A figure is a number with a unit in a sentence or a cell that names the program, or any number in a
column of a table whose head names it."""

import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_prose
import peers_page

PEERS = re.compile(r"SExtractor|\bSEP\b|photutils|PyBDSF|Aegean|PySE\b|PSFEx|crowdsource|HOTPANTS|SciPy|CuPy|NoiseChisel|SFFT|SoFiA|"
                   r"SourceXtractor\+\+|DAOPHOT|SCAMP|The Tractor|srcextract\.sep")
WORDS = {"twice": 2, **{word: number for number, word in enumerate("two three four five six seven eight nine ten".split(), 2)}}
NUMBER = r"\d+(?:\.\d+)?|" + "|".join(WORDS)
UNITS = {"ms": ("s", 1e-3), "s": ("s", 1), "µs": ("s", 1e-6), "MB": ("MB", 1), "GB": ("MB", 1e3), "%": ("%", 1), "times": ("×", 1),
         "×": ("×", 1), "x": ("×", 1), "mmag": ("mmag", 1)}
FIGURE = re.compile(rf"\b({NUMBER})(?: to ({NUMBER}))? ?(ms|µs|s|MB|GB|%|times|×|x|mmag)(?![\w/]|\s\d)|\b(twice)\b")
# (page, beginning of a sentence or cell): why its numbers are no measurements of scripts/peers.sh. An empty beginning is the whole page.
ALLOWED = {
    ("docs/catalogue.md", ""): "its columns for other programs are names and formulas",
    ("docs/galaxies.md", "space"): "scores of simulated fields; docs/testing.md has them with the rest",
    ("docs/galaxies.md", "ground"): "the same",
    ("docs/galaxies.md", "bulge and disk"): "the same",
    ("docs/python.md", "The pipeline itself"): "agreement; tests/python/test_public_pipeline.py has it",
    ("docs/testing.md", "astroalign"): "agreement of tests of public programs; scripts/sep_programs.py prints it",
    ("docs/testing.md", "metadetect"): "the same",
    ("docs/testing.md", "ProperImage"): "the same",
    ("docs/testing.md", "pyobs-core"): "the same",
    ("docs/testing.md", "sxdes"): "the same",
    ("docs/testing.md", "ysphotutilpy"): "the same",
    ("docs/sextractor.md", "With either program's catalogue PSFEx"): "agreement; tests/truth/test_psfex.py and test_scamp.py have it",
    ("docs/sextractor.md", "SExtractor's  is off by"): "an error by definition; tests/truth/test_rotated_world.py has it",
    ("docs/sextractor.md", "within 10⁻³ of the error"): "agreement; tests/truth/test_local_sky.py has it",
}


# A row of measurements counts for a sentence or cell only if it has these words too.
TOPICS = ("sparse", "crowded", "deep", "shallow", "completeness", "purity", "pulls", "memory")


def rows_of_tables():
    """(programs, unit, value, its field, what it is and its field as text) of each measurement; ratios have the unit ×."""
    every = peers_page.figures()
    for row in every:
        programs, text = set(row["peer"].split(", ")), f"{row['what']}, {row['field']}"
        yield programs, row["unit"], float(row["value"]), row["field"], text
        if times := peers_page.ratio(row, every):
            yield programs, "×", times, row["field"], text
            yield programs, "×", 1 / times, row["field"], text
    with open(ROOT / "docs/speed.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["chart"] == "peers":
                yield {row["series"]}, row["unit"], float(row["value"]), row["group"], row["group"]
    with open(ROOT / "docs/truth.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for what in ("completeness", "purity"):
                if row[what]:
                    yield {row["program"]}, "", float(row[what]), row["kind"], f"{what}, {row['kind']}"


MEASURED = list(rows_of_tables())


def is_measured(said, number, unit, peers):
    """Whether a program named there, or srcextract beside it, has a value that is this number when rounded like it."""
    wanted, scale = UNITS.get(unit, (unit, 1))
    digits = len(number.partition(".")[2])
    value = float(WORDS.get(number, number))
    programs = peers if wanted == "×" else peers | set(peers_page.OURS)
    rows = [row for row in MEASURED if programs & row[0] and (unit is None or UNITS.get(row[1], (row[1], 1))[0] == wanted)]
    begin = said.split(": ")[0]
    if exact := [row for row in rows if begin and row[3].startswith(begin)]:
        rows = exact
    for topic in TOPICS:
        if topic in said and (of_topic := [row for row in rows if topic in row[4]]):
            rows = of_topic
    factors = [1 if unit is None else UNITS.get(row[1], (row[1], 1))[1] / scale for row in rows]
    return any(abs(row[2] * factor - value) <= 0.5001 * 10.0 ** -digits for row, factor in zip(rows, factors))


def named_in(text):
    """The programs; of srcextract.sep SEP, which it is held against."""
    return {"SEP" if name == "srcextract.sep" else name for name in PEERS.findall(text)}


def figures_of(text):
    """(number, unit) of each figure of a sentence or cell."""
    for first, second, unit, word in FIGURE.findall(text):
        if word:
            yield word, "times"
        else:
            yield from ((number, unit) for number in (first, second) if number)


def rows_of(text):
    """(head, cells) of each row of each table."""
    head = None
    for line in text.splitlines():
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = [cell.strip() for cell in line.strip().strip("|").split("|")]
        elif not re.match(r"[|\-: ]+$", line):
            yield head, [cell.strip() for cell in line.strip().strip("|").split("|")]


def claims(text):
    """(what is said, number, unit, the programs beside it) of a page."""
    text = re.sub(r"`([^`\n]*)`", lambda code: code[1] if code[1].startswith("srcextract") else "", check_prose.without_code(text))
    for sentence in check_prose.sentences(text):
        if peers := named_in(sentence):
            yield from ((sentence, *figure, peers) for figure in figures_of(sentence))
    for head, cells in rows_of(text):
        for number, cell in enumerate(cells):
            if peers := named_in(cell):
                yield from ((cell, *figure, peers) for figure in figures_of(cell))
            of_column = named_in(head[number]) if number < len(head) else set()
            if of_column and not re.search(r"[a-zA-Z]{4}", cell):
                yield from ((f"{cells[0]}: {cell}", value, None, of_column) for value in re.findall(r"(?<![\d.])\d+(?:\.\d+)?", cell))


def wrong(name, text):
    allowed = [begin for page, begin in ALLOWED if page == name]
    return [f"{name}: {number} {unit} in: {said}" for said, number, unit, peers in claims(text)
            if not any(said.startswith(begin) for begin in allowed) and not is_measured(said, number, unit, peers)]


def pages():
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]:
        yield str(path.relative_to(ROOT)), peers_page.MARK.sub("", path.read_text(encoding="utf-8"))


def changed(number):
    """Another number of the same form."""
    if number in WORDS:
        return "seven" if number != "seven" else "nine"
    return f"{float(number) * 1.37 + 2 * 10.0 ** -len(number.partition('.')[2]):.{len(number.partition('.')[2])}f}"


def test_every_figure_beside_a_peer_is_in_a_table():
    assert [fault for name, text in pages() for fault in wrong(name, text)] == []


def test_the_page_of_peers_is_fresh():
    assert peers_page.page() == (ROOT / "docs/peers.md").read_text(encoding="utf-8"), "scripts/peers_page.py writes it again"


def test_a_changed_figure_is_told():
    """Of each claim of a page, with another number: it may be another program's or field's number only by chance."""
    told = []
    for name, text in pages():
        begins = [begin for page, begin in ALLOWED if page == name]
        for said, number, unit, peers in claims(text):
            if not any(said.startswith(begin) for begin in begins):
                told.append(not is_measured(said, changed(number), unit, peers))
    assert len(told) > 30 and sum(told) > 0.8 * len(told), (len(told), sum(told))


def test_a_sentence_of_a_page_that_changes_is_told():
    name = "docs/which_program.md"
    page, row = (ROOT / name).read_text(encoding="utf-8") + "\n", next(row for row in peers_page.figures() if row["peer"] == "PyBDSF" and row["unit"] == "s")
    assert wrong(name, page + f"On one core {row['peer']} takes {row['value']} s.\n") == []
    assert len(wrong(name, page + f"On one core {row['peer']} takes {changed(row['value'])} s.\n")) == 1
    assert len(wrong(name, page + "It is 73 times as fast as SEP.\n")) == 1


def test_no_exception_is_left_over():
    of_pages = {name: [said for said, *_ in claims(text)] for name, text in pages()}
    assert [one for one in ALLOWED if not any(said.startswith(one[1]) for said in of_pages.get(one[0], []))] == []
