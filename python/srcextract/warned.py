"""Warnings: each is shown by Python's `warnings`, and logged. srcextract.errors has their classes."""
from __future__ import annotations

import contextlib
import logging
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from srcextract import _core
from srcextract.errors import ImageWarning, SrcextractWarning

if TYPE_CHECKING:
    from srcextract import files

logger: logging.Logger = logging.getLogger("srcextract")
logger.addHandler(logging.NullHandler())

# Texts and classes of warnings that are not shown yet.
Kept = list[tuple[str, type[SrcextractWarning]]]
_of_thread = threading.local()
# Modules between a caller's code and the function that warns.
_OURS = ("srcextract", "contextlib", "functools")


def warn(text: str, kind: type[SrcextractWarning] = ImageWarning) -> None:
    """Logs a warning and shows it, or keeps it for the end of the call (`kept`)."""
    logger.warning("%s", text)
    _keep(text, kind)


def _keep(text: str, kind: type[SrcextractWarning]) -> None:
    kept: Kept | None = getattr(_of_thread, "kept", None)
    if kept is None:
        show([(text, kind)])
    else:
        kept.append((text, kind))


@contextlib.contextmanager
def kept() -> Iterator[Kept]:
    """Keeps the warnings of this thread in a list, for a call that shows them at its end, if it succeeds."""
    before, own = getattr(_of_thread, "kept", None), Kept()
    _of_thread.kept = own
    try:
        yield own
    finally:
        _of_thread.kept = before


def show(several: Iterable[tuple[str, type[SrcextractWarning]]]) -> None:
    """Shows each warning once, at the line of the caller's code; or keeps them, within a call that does."""
    for text, kind in dict.fromkeys(several):
        if getattr(_of_thread, "kept", None) is not None:
            _of_thread.kept.append((text, kind))
        else:
            warnings.warn(text, kind, stacklevel=_calls_here())


def _calls_here() -> int:
    """The number of calls from the caller's code to the function that asks, as warnings.warn counts them."""
    frame, calls = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS:
        frame, calls = frame.f_back, calls + 1
    return calls


def pass_on_log(*contents: files.Contents | None) -> None:
    """Passes log lines of the compiled half to Python's logging, with the names of contents. Its warnings are shown as well."""
    for level, text in _core.take_log():
        for one in contents:
            text = one.renamed(text) if one is not None else text
        logger.log(level, "%s", text)
        if level == logging.WARNING:
            _keep(text, ImageWarning)
