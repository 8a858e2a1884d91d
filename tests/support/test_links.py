"""Every relative link of a page leads to a file of the repository, and to a heading of it, as GitHub names headings."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")]


def prose(page):
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", prose(page), re.M)
    words = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in words}


def problems(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = page.parent / path if path else page
        if not there.exists():
            yield f"{page.relative_to(ROOT)}: {target} is not there"
        elif anchor and there.suffix == ".md" and anchor not in anchors(there):
            yield f"{page.relative_to(ROOT)}: {target} is no heading"


def test_every_link_leads_somewhere():
    assert len(PAGES) > 20
    assert [problem for page in PAGES for problem in problems(page)] == []


def test_every_page_is_in_the_site():
    listed = re.findall(r"^([\w/]+)$", (ROOT / "docs/index.md").read_text(encoding="utf-8"), re.M)
    there = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").glob("**/*.md")}
    assert there - {"index"} == set(listed)
