"""`pip install` brings the command: the same program as build/srcextract, also as `python -m srcextract`."""
import importlib.metadata
import os
import pathlib
import signal
import subprocess
import sys
import sysconfig

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
try:
    installed = any(file.name == "srcextract" for file in importlib.metadata.distribution("srcextract").files or [])
except importlib.metadata.PackageNotFoundError:
    pytest.skip("no data: the package is not installed, it is imported from a build", allow_module_level=True)
COMMAND = pathlib.Path(sysconfig.get_path("scripts")) / "srcextract"
MODULE = [sys.executable, "-m", "srcextract"]
PROGRAM = os.environ.get("SRCEXTRACT_PROGRAM")


def test_the_command_is_installed():
    assert installed and os.access(COMMAND, os.X_OK)


@pytest.mark.parametrize("arguments", [["--help"], ["batch", "--help"], ["columns", "-x"], ["no.yaml", "no.fits"],
                                       ["config/default.yaml", "data/none.fits"]])
def test_it_answers_as_the_program(arguments):
    if not PROGRAM:
        pytest.skip("no data: SRCEXTRACT_PROGRAM names no program")
    done = [subprocess.run([*program, *arguments], cwd=ROOT, capture_output=True, text=True)
            for program in ([COMMAND], MODULE, [PROGRAM])]
    told = [(one.returncode, one.stdout, one.stderr) for one in done]
    assert told[0] == told[2] and told[1] == told[2]


def test_it_writes_the_bytes_of_the_program(tmp_path):
    if not PROGRAM:
        pytest.skip("no data: SRCEXTRACT_PROGRAM names no program")
    programs = {"command": [COMMAND], "module": MODULE, "program": [PROGRAM]}
    for name, program in programs.items():
        subprocess.run([*program, "-q", "-o", tmp_path / name, ROOT / "config/default.yaml", ROOT / "data/sky.fits"],
                       check=True)
    written = [(tmp_path / name / "sky.cat.fits").read_bytes() for name in programs]
    assert written[0] == written[1] == written[2] and len(written[0]) > 10_000


@pytest.mark.parametrize("program", [[COMMAND], MODULE], ids=["command", "module"])
def test_signals_end_it_as_the_command(program, tmp_path):
    # A reader that goes away ends a program by SIGPIPE; Python ignores that signal, and what it becomes must not.
    with subprocess.Popen([*program, "columns"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.close()
    assert process.returncode == -signal.SIGPIPE
    os.mkfifo(tmp_path / "never.fits")
    with subprocess.Popen([*program, "-o", tmp_path, ROOT / "config/default.yaml", tmp_path / "never.fits"],
                          stderr=subprocess.DEVNULL) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    assert process.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM)
