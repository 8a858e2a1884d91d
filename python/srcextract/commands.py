"""The commands `compare` and `merge` in Python."""
import contextlib
import json
import os
from dataclasses import dataclass
from typing import Any

from srcextract import _core, files, warned
from srcextract.arguments import threads_of
from srcextract.arrays import is_catalogue
from srcextract.errors import InputError


@dataclass(frozen=True)
class Comparison:
    """The result of `compare`. True if it is within the rules; as text, the tables that the command prints.

    Parameters
    ----------
    within : bool
        Whether everything is within the rules.
    report : dict
        The whole result, as ``srcextract compare --json`` writes it.
    text : str
        The tables.
    """

    within: bool
    report: dict[str, Any]
    text: str

    def __bool__(self) -> bool:
        return self.within

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Merged:
    """Totals of `merge`.

    Parameters
    ----------
    images, failures, sources : int
        Numbers of images, of failed ones, and of sources.
    """

    images: int
    failures: int
    sources: int


def _catalogue(one: Any, name: str) -> files.Contents:
    """Contents of a catalogue, from a path or a table."""
    if isinstance(one, (str, os.PathLike)):
        path = files.path_text(one)
        return files.Contents(path, path)
    table = one.table if is_catalogue(one) else one
    if not hasattr(table, "colnames") or not hasattr(table, "write"):
        raise InputError(f"{name}: a {type(one).__name__} is no catalogue; give a Catalogue, an astropy table, or the path "
                         "of a file")
    return files.table_contents(table, name)


def compare(reference: Any, new: Any, rules: Any = None, *, matched: Any = None,
            threads: int | None = None) -> Comparison:
    """Compares a catalogue with a reference: ``srcextract compare``.

    Parameters
    ----------
    reference, new : path, Catalogue, astropy.table.Table
        Two catalogues, or the paths of two directories.
    rules : path, optional
        Tolerances in YAML; the built-in rules by default.
    matched : path, optional
        Path for the matched rows of both sides.
    threads : int, optional

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If a catalogue cannot be read.
    ConfigError, OutputError
    """
    with warned.kept() as kept, contextlib.ExitStack() as stack:
        sides = []
        for one, name in ((reference, "the reference"), (new, "the new catalogue")):
            sides.append(_catalogue(one, name))
            stack.enter_context(files.told_by_name(sides[-1]))
        try:
            within, report, text = _core.compare(sides[0].path, sides[1].path, _path(rules), _path(matched),
                                                 threads_of(threads))
        finally:
            warned.pass_on_log(*sides)
        for side in sides:
            report, text = side.renamed(report), side.renamed(text)
    warned.show(kept)
    return Comparison(within, json.loads(report), text)


def _path(path: Any) -> str:
    return "" if path is None else files.path_text(path)


def merge(directories: Any, output: Any, *, partial: bool = False) -> Merged:
    """Joins the catalogues of a survey into one: ``srcextract merge``.

    Parameters
    ----------
    directories : path or list of paths
        Output directories of ``srcextract batch``: one, or those of all shards.
    output : path
        The survey's catalogue; its ending is the format.
    partial : bool
        Merge even if a shard is missing or unfinished.

    Returns
    -------
    Merged

    Raises
    ------
    ConfigError
        If the directories belong to different surveys, or the ending is no format.
    InputError
        If a shard has not finished, or a catalogue is missing or damaged.
    OutputError
    """
    if isinstance(directories, (str, os.PathLike)):
        directories = [directories]
    if not directories:
        raise InputError("directories: there is none to merge; name those that srcextract batch wrote into")
    with warned.kept() as kept:
        try:
            merged = Merged(*_core.merge([_path(one) for one in directories], _path(output), partial))
        finally:
            warned.pass_on_log()
    warned.show(kept)
    return merged
