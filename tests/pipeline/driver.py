"""Runs the program under test."""

import os
import pathlib
import subprocess
from types import SimpleNamespace

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_program(*arguments, env=None, **more):
    command = [os.environ["SRCEXTRACT_PROGRAM"], *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, **more)
    return SimpleNamespace(code=done.returncode, out=done.stdout.decode(errors="backslashreplace"),
                           err=done.stderr.decode(errors="backslashreplace"))
