"""The commands of docs/tutorials/first_catalogue.md and of README.md run, and print what the pages show. So does the tutorial's
Python, which reads their catalogue."""

import os
import re
import subprocess
import sys

import pytest

from driver import ROOT


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def session(page):
    """Commands, each with the lines that are shown below it."""
    shown = [part for block in blocks(page, "console") for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [(re.sub(r"\s+#.*", "", command), told) for command, _, told in (part.partition("\n") for part in shown)]


def words(text):
    """Line by line, without the line that has a time."""
    return [line.split() for line in text.splitlines() if line.strip() and " done in " not in line]


@pytest.mark.parametrize("page", ["docs/tutorials/first_catalogue.md", "README.md"])
def test_every_command(page, tmp_path):
    os.symlink(ROOT / "data", tmp_path / "data")
    (tmp_path / "build").mkdir()
    os.symlink(os.environ["SRCEXTRACT_PROGRAM"], tmp_path / "build/srcextract")
    path = f"{tmp_path / 'build'}:{os.environ['PATH']}"
    commands = session(page)
    assert len(commands) >= 3
    for command, told in commands:
        done = subprocess.run(["bash", "-c", command + " 2>&1"], cwd=tmp_path, env={**os.environ, "PATH": path, "COLUMNS": "80"},
                              capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stdout)
        if command.startswith("ls "):
            assert done.stdout.split() == told.split(), command
        elif told.strip():
            assert words(done.stdout) == words(told), command
    if page.startswith("docs"):
        pytest.importorskip("astropy")
        (code,) = blocks(page, "python")
        subprocess.run([sys.executable, "-c", code + "\nassert 0 < len(bright) < len(table)"], cwd=tmp_path, check=True)
