"""Runs the program under test."""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import termios
from types import SimpleNamespace
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]


#: The commands that extract images one by one; without a command the program does so as well.
EXTRACT = ("crowd", "difference", "radio")
OTHER = ("batch", "columns", "compare", "convert-config", "help", "inject", "keys", "merge", "psf", "sextractor", "status")


def with_record(words):
    """The words of a command line, with --record if an image is named to be extracted."""
    commands = [word for before, word in zip(["", *words], words) if before != "--backend"]
    if any(word in OTHER for word in commands) or not any(re.search(r"\.(fits|fit|fts)(\.fz|\.gz)?$|^-$", word) for word in words):
        return words
    place = 1 if words[0] in EXTRACT else 0
    return [*words[:place], "--record", *words[place:]]


def run_program(*arguments, env=None, record=True, **more):
    """Runs the program. Most tests read run.json of an image; `record=False` leaves --record out."""
    words = [str(argument) for argument in arguments]
    command = [os.environ["SRCEXTRACT_PROGRAM"], *(with_record(words) if record else words)]
    done = subprocess.run(command, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, **more)
    return SimpleNamespace(code=done.returncode, out=done.stdout.decode(errors="backslashreplace"),
                           err=done.stderr.decode(errors="backslashreplace"))


def on_terminal(start, columns=0):
    """The text that a process writes to stderr, which is a terminal, and its exit code. `start` is given the
    descriptor, which it closes. A terminal of 0 columns does not say how wide it is. TERM is set, since the program
    obeys the `dumb` of a container."""
    terminal, stderr = pty.openpty()
    fcntl.ioctl(stderr, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with mock.patch.dict(os.environ, TERM="xterm-256color"):
        process = start(stderr)
    text = b""
    try:
        while chunk := os.read(terminal, 4096):
            text += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(terminal)
    return text.decode(), process.wait()


def left_on_screen(text):
    """What stands on a terminal's lines at the end, of text that knows no controls but these."""
    lines = [line.removesuffix("\r").split("\r\x1b[K")[-1] for line in text.split("\n")]
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
