"""Every notebook and every complete example of docs/ runs from an empty directory, with the package alone."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import srcextract

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
NEEDS = {"four_steps": ["pandas", "scipy", "matplotlib", "jinja2"], "coming_from_sep": ["sep", "matplotlib"],
         "coming_from_photutils": ["photutils", "matplotlib"], "five_minutes": ["matplotlib", "pyarrow"],
         "python": ["photutils", "matplotlib", "pyarrow", "scipy"], "survey": ["matplotlib"]}
if not DOCS.is_dir():
    pytest.skip("no data: docs/ is not here", allow_module_level=True)


def notebook(path):
    """The cells of a page, each without its options."""
    cells = re.findall(r"^```\{code-cell\} python\n(.*?)^```", path.read_text(), re.M | re.S)
    return "\n".join(re.sub(r"\A(---\n.*?\n---\n|(:[^\n]*\n)+)", "", cell, flags=re.S) for cell in cells)


def examples():
    """Name and code: a notebook is one; in python.md and gpu.md each block that imports what it uses."""
    for path in sorted(DOCS.rglob("*.md")):
        if code := notebook(path):
            yield pytest.param(path.stem, code, id=path.stem)
    for page in "python", "gpu":
        blocks = re.findall(r"^```python\n(import (?!cupy).*?)^```", (DOCS / f"{page}.md").read_text(), re.M | re.S)
        for number, code in enumerate(blocks):
            yield pytest.param(page, code, id=f"{page} {number}")


def test_there_are_examples():
    assert len(list(examples())) >= 9


@pytest.mark.parametrize("name, code", list(examples()))
def test_it_runs_from_an_empty_directory(name, code, tmp_path):
    pytest.importorskip("astropy")
    for package in NEEDS.get(name, []):
        pytest.importorskip(package)
    (tmp_path / "example.py").write_text("def display(*_): pass\n" + code)
    (tmp_path / "empty").mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SRCEXTRACT_")}
    environment |= {"MPLBACKEND": "agg", "PYTHONPATH": str(pathlib.Path(srcextract.__file__).absolute().parents[1])}
    done = subprocess.run([sys.executable, "-W", "ignore", tmp_path / "example.py"], cwd=tmp_path / "empty", env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_jupyter_opens_every_notebook():
    jupytext, nbformat = pytest.importorskip("jupytext"), pytest.importorskip("nbformat")
    pages = [path for path in sorted(DOCS.rglob("*.md")) if notebook(path)]
    assert len(pages) >= 5
    for page in pages:
        made = jupytext.read(page, fmt="md:myst")
        nbformat.validate(made)
        assert sum(cell.cell_type == "code" for cell in made.cells) == page.read_text().count("```{code-cell}"), page.name
