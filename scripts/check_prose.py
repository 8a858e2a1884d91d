#!/usr/bin/env python3
"""Counts words and long sentences in the documentation, and fails where a page is hard to read.

A page for users may have at most 5 % of its sentences longer than 30 words, and no sentence with "What", "Who" or "That of"
as its subject. README.md has a limit of lines. Code blocks are not counted. Tables count as words, not as sentences: a table
is the cure for a long sentence.
Usage: scripts/check_prose.py [-v] [PAGE...]; -v prints every long sentence.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/*.md", "docs/tutorials/*.md", "docs/stages/*.md")
DEVELOPERS = {"architecture.md", "testing.md"}  # shown, but without a limit
MOST_LINES = 90  # of README.md
LONG = 30
SHARE = 0.05
SUBJECT = re.compile(r"(What|Who|That of|Of which)\s[^?]*$")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|et al|vs|cf|Fig|No|ApJS?|approx)\.$")


def without_code(text):
    """The page without front matter, code blocks, comments, directives and the targets of links."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^( *)(```+|~~~+|:::+).*?^\1\2 *$", "", text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^    .*$", "", text, flags=re.M)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)


def words(text):
    """How many words: whatever stands between blanks and has a letter."""
    return sum(bool(re.search(r"[^\W\d_]", word)) for word in text.split())


def blocks(text):
    """Paragraphs and list items, each on one line; no headings and no tables."""
    block = []
    for line in text.splitlines() + [""]:
        starts = re.match(r"\s*([-*+]|\d+\.)\s", line)
        if block and (not line.strip() or starts or re.match(r"#|\|", line)):
            yield " ".join(block)
            block = []
        if line.strip() and not re.match(r"#|\|", line):
            block.append(line.strip())


def sentences(text):
    """Sentences. A sentence ends with a full stop, a question mark or an exclamation mark before a capital, or with its
    paragraph."""
    for block in blocks(text):
        block = re.sub(r"^([-*+]|\d+\.)\s+", "", block)
        begin = 0
        for end in re.finditer(r"[.!?][)*_`\"']*(?=\s+[*_`(\[\"']*[A-Z0-9`*])|$", block):
            sentence = block[begin:end.end()]
            if not ABBREVIATION.search(sentence) and sentence.strip():
                yield sentence.strip()
                begin = end.end()


def main(arguments):
    verbose = "-v" in arguments
    named = [pathlib.Path(name).resolve() for name in arguments if name != "-v"]
    pages = named or [page for pattern in PAGES for page in sorted(ROOT.glob(pattern))]
    faults = []
    print("words  sentences  long   page")
    for page in pages:
        text, name = without_code(page.read_text(encoding="utf-8")), page.relative_to(ROOT)
        found = list(sentences(text))
        long = [sentence for sentence in found if words(sentence) > LONG]
        subjects = [sentence for sentence in found if SUBJECT.match(sentence.lstrip("*_ "))]
        count, share = words(text), len(long) / max(len(found), 1)
        print(f"{count:5}  {len(found):9}  {share:4.0%}   {name}")
        for sentence in long if verbose else []:
            print(f"       {words(sentence)} words: {sentence}")
        if page.name in DEVELOPERS:
            continue
        if share > SHARE:
            faults.append(f"{name}: {len(long)} of {len(found)} sentences have more than {LONG} words (-v prints them)")
        faults += [f"{name}: no noun is the subject of: {sentence}" for sentence in subjects]
    if (lines := len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())) > MOST_LINES:
        faults.append(f"README.md has {lines} lines, more than {MOST_LINES}")
    print("\n".join(faults), file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
