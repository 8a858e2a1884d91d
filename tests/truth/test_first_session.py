"""The session of docs/sextractor.md, "Moving in", as someone who has that page alone types it: every command that it shows,
in a folder that holds sky.fits, and what it says that they print."""
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

from program import ROOT
from sextractor import PROGRAM

if PROGRAM is None or pathlib.Path(PROGRAM).name != "source-extractor":
    pytest.skip("no source-extractor on PATH", allow_module_level=True)

PAGE = (ROOT / "docs" / "sextractor.md").read_text()


def session():
    """Commands, each with the lines that it is said to print."""
    block = re.search(r"^## Moving in$.*?^```console\n(.*?)^```$", PAGE, re.M | re.S)[1]
    shown = re.split(r"^\$ ", block, flags=re.M)[1:]
    return [(command.partition("\n")[0], command.partition("\n")[2]) for command in shown]


def run(program, command, directory):
    done = subprocess.run(["bash", "-c", f"srcextract() {{ {shlex.quote(str(program))} \"$@\"; }}; {command}"], cwd=directory,
                          capture_output=True, text=True)
    assert done.returncode == 0 or command.startswith("srcextract compare"), done.stderr
    return done.stdout


def test_every_command_of_the_page(program, tmp_path):
    shutil.copy(ROOT / "data" / "sky.fits", tmp_path)
    printed = {command: (run(program, command, tmp_path), told) for command, told in session()}
    assert len(printed) >= 7 and "source-extractor -dd > default.sex" in printed
    for command, (out, told) in printed.items():
        assert out.startswith(told), command
    assert sum(bool(told) for _, told in printed.values()) == 1
    assert (tmp_path / "config.yaml").exists() and (tmp_path / "out/sky.cat.txt").exists()


def test_how_the_configuration_begins(program, tmp_path):
    """With the key that the page adds."""
    shutil.copy(ROOT / "data" / "sky.fits", tmp_path)
    line = re.search(r"^With `(DETECT_TYPE [A-Z]+)` it begins so:$", PAGE, re.M)[1]
    begin, further = re.search(r"it begins so:\n\n```yaml\n(.*?)^```\n.*?^```yaml\n(.*?)^```$", PAGE, re.M | re.S).groups()
    for command, _ in session():
        if command.startswith("srcextract convert-config"):
            path = tmp_path / "default.sex"
            path.write_text(re.sub(r"^DETECT_TYPE +\S+", line, path.read_text(), flags=re.M))
            run(program, command, tmp_path)
            break
        if not command.startswith("source-extractor sky"):
            run(program, command, tmp_path)
    text = (tmp_path / "config.yaml").read_text()
    assert text.startswith(begin) and "\n" + further in text
