"""`pip install` brings the command: the same program as build/srcextract, also as `python -m srcextract`."""
import importlib.metadata
import os
import pathlib
import resource
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

import srcextract
from srcextract import build_info

ROOT = pathlib.Path(__file__).resolve().parents[2]
try:
    installed = any(file.name == "srcextract" for file in importlib.metadata.distribution(build_info()["distribution"]).files or [])
except importlib.metadata.PackageNotFoundError:
    pytest.skip("no data: the package is not installed, it is imported from a build", allow_module_level=True)
BESIDE = pathlib.Path(srcextract.__file__).parents[1] / "bin"  # where `pip install --target` puts it
COMMAND = (BESIDE if (BESIDE / "srcextract").is_file() else pathlib.Path(sysconfig.get_path("scripts"))) / "srcextract"
MODULE = [sys.executable, "-m", "srcextract"]
PROGRAM = os.environ.get("SRCEXTRACT_PROGRAM")


def test_the_command_is_installed():
    assert (installed or COMMAND.parent == BESIDE) and os.access(COMMAND, os.X_OK)


def test_the_command_beside_the_package_is_its_own(tmp_path):
    """As after `pip install --target`, whose list of files names another place."""
    (tmp_path / "srcextract").symlink_to(pathlib.Path(srcextract.__file__).parent)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "srcextract").write_text("#!/bin/sh\necho beside\n")
    (tmp_path / "bin" / "srcextract").chmod(0o755)
    told = subprocess.run(MODULE, env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True)
    assert told.stdout == "beside\n", told.stderr


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


def end_of(program, arguments, *, after=None, signal_to=None, before=None):
    """The exit status: of a reader that goes away, or of a signal once there is a file `after`."""
    with subprocess.Popen([*program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=before) as process:
        process.stdout.close()
        if after is not None:
            while not after.exists() and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(signal_to)
        return process.wait(60)


def test_it_ends_as_the_command(tmp_path):
    """Whatever ends it: a closed pipe, which is no failure; a limit of the size of files, which Python ignores and the command
    does not; signals, also where whoever started the test ignores them."""
    several = [tmp_path / f"{number}.fits" for number in range(2000)]  # which take minutes
    for path in several:
        path.symlink_to(ROOT / "data/sky.fits")
    limit = {"before": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999))}
    ends = []
    for program in [COMMAND], MODULE:
        out = tmp_path / pathlib.Path(program[0]).name
        long = ["-q", "--threads", "1", "-o", out, ROOT / "config/default.yaml", *several]
        ends.append([end_of(program, ["columns"]), end_of(program, ["-q", "-o", tmp_path, several[0]], **limit)])
        for number in signal.SIGTERM, signal.SIGINT:
            heeded = {"before": lambda number=number: signal.signal(number, signal.SIG_DFL)}
            ends[-1].append(end_of(program, long, after=out / "0.cat.fits", signal_to=number, **heeded))
            (out / "0.cat.fits").unlink()
    assert ends[0] == ends[1] == [0, 3, -signal.SIGTERM, -signal.SIGINT]
