#!/usr/bin/env python3
"""Draws one sheet of the pages that users see: README, the site's first pages, and the five kinds of report, each 1400 and 420
pixels wide, light and dark. Fails if a page is wider than its window, or if a report asks for anything but itself.

Usage: scripts/screenshots.py PROGRAM OUTPUT.webp [--site build-docs/html] [--venv build-docs/venv]
--site adds pages of the site that scripts/docs.sh made, and --venv, which it made too, the README. Needs numpy, astropy,
chromium and python3-websocket.
"""
import argparse
import base64
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from astropy.io import fits

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/pipeline"))
from browser import Browser  # noqa: E402

WIDTHS, SCHEMES = (1400, 420), ("light", "dark")
MOST_HEIGHT = 3000  # pixels of a page that the sheet shows
SHRINK = 0.4
SITE = ("index.html", "tutorials/first_catalogue.html", "configuration.html", "catalogue.html", "stages.html", "performance.html")
README = ("import pathlib, sys; from markdown_it import MarkdownIt; text = pathlib.Path(sys.argv[1]).read_text();"
          "print('<!doctype html><meta charset=utf-8><meta name=viewport content=\"width=device-width\">'"
          " '<style>:root{color-scheme:light dark}body{max-width:830px;margin:2em auto;padding:0 1em;font:16px/1.5 sans-serif}'"
          " 'img,pre,table{max-width:100%;overflow-x:auto;display:block}</style>'"
          " + MarkdownIt('commonmark', {'html': True}).enable('table').render(text))")


def reports(program, folder):
    """One page of each kind, of the repository's own image."""
    sky, later = ROOT / "data/sky.fits", folder / "later.fits"
    with fits.open(sky, ignore_blank=True) as file:
        noise = np.random.default_rng(1).normal(0, 20, file[0].data.shape)
        noise[60:63, 60:63] += 2000
        file[0].data = file[0].data + noise
        file.writeto(later, output_verify="silentfix")
    runs = {"image": ["--report", sky], "difference": ["difference", "--report", sky, later],
            "radio": ["radio", "--report", "--set", "beam.source=given", "--set", "beam.fwhm=[3, 3]", sky],
            "crowd": ["crowd", "--report", "--set", "crowd.inject=300", sky]}
    for name, options in runs.items():
        subprocess.run([program, *options, "-q", "-o", folder / name], check=True)
        yield f"report: {name}", next((folder / name).glob("*.report.html"))
    subprocess.run([program, "batch", "-q", "--report", "-o", folder / "out", sky, later], check=True)
    subprocess.run([program, "merge", "-q", "--report", folder / "out", "-o", folder / "survey.fits"], check=True)
    yield "report: survey", folder / "survey.report.html"


def pages(program, site, venv, folder):
    if venv:
        readme = ROOT / "build-docs/readme.html"  # its pictures are found from there
        text = subprocess.run([venv / "bin/python", "-c", README, ROOT / "README.md"], check=True, capture_output=True, text=True).stdout
        readme.write_text(text.replace('src="docs/', 'src="../docs/').replace('srcset="docs/', 'srcset="../docs/'))
        yield "README", readme
    if site:
        for name in SITE:
            yield f"site: {name}", site / name
    yield from reports(program, folder)


def picture_of(page, width):
    """The page as a picture, in base64."""
    height = min(page.ask("document.documentElement.scrollHeight"), MOST_HEIGHT)
    return page("Page.captureScreenshot", format="webp", quality=70, captureBeyondViewport=True,
                clip={"x": 0, "y": 0, "width": width, "height": height, "scale": SHRINK})["data"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--site", type=pathlib.Path)
    parser.add_argument("--venv", type=pathlib.Path)
    options = parser.parse_args()
    problems, rows = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shown = list(pages(options.program.resolve(), options.site, options.venv, folder))
        cells = {page: [] for page, _ in shown}
        for width in WIDTHS:
            for scheme in SCHEMES:
                with Browser(folder / f"profile{width}{scheme}", width=width, height=1000, scheme=scheme) as browser:
                    for page, path in shown:
                        is_report = page.startswith("report")
                        browser.open(path, **({} if is_report else {"ready": "document.readyState === 'complete'"}))
                        over = browser.ask("document.documentElement.scrollWidth") - width
                        if over > 0:
                            problems.append(f"{page} is {over} pixels wider than {width}")
                        if is_report and (browser.messages or len(browser.requests) > 1):
                            problems.append(f"{page}: {browser.messages} {browser.requests[1:]}")
                        cells[page].append(f'<img src="data:image/webp;base64,{picture_of(browser, width)}">')
        for page, images in cells.items():
            rows.append(f"<h2>{page}</h2><div>{''.join(images)}</div>")
        sheet = folder / "sheet.html"
        sheet.write_text("<!doctype html><meta charset=utf-8><style>body{margin:20px;background:#888;font:16px sans-serif}"
                         "div{display:flex;gap:12px;align-items:start}</style>" + "".join(rows))
        with Browser(folder / "profile", width=1560, height=1000) as browser:
            browser.open(sheet, ready="document.readyState === 'complete'")
            height = browser.ask("document.documentElement.scrollHeight")
            data = browser("Page.captureScreenshot", format="webp", quality=60, captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": 1560, "height": min(height, 16000), "scale": 1})["data"]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_bytes(base64.b64decode(data))
    print(f"{options.output}: {len(shown)} pages, {len(WIDTHS) * len(SCHEMES)} windows each")
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
