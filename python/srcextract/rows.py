"""Which rows of a catalogue an index, a mask or a slice takes, and which column a name may mean."""
import difflib
import operator
from collections.abc import Iterable
from typing import Any

import numpy
from numpy.typing import NDArray


def is_one(key: Any) -> bool:
    """Whether it takes a single row; True and False are no numbers of rows."""
    return hasattr(key, "__index__") and not isinstance(key, (bool, numpy.bool_)) and getattr(key, "ndim", 0) == 0


def are_names(key: Any) -> bool:
    """Whether it is a list of columns' names."""
    return isinstance(key, (list, tuple, numpy.ndarray)) and len(key) > 0 and all(isinstance(name, str) for name in key)


def one(key: Any, length: int) -> int:
    """The number of a row from 0; a negative one counts from the end."""
    at = operator.index(key)
    if not -length <= at < length:
        raise IndexError(f"there is no row {at} in a catalogue of {length}")
    return at % length


def several(key: Any, length: int) -> NDArray[numpy.int64]:
    """The numbers of the rows, in the order that is asked for.

    Raises
    ------
    IndexError
        If the mask has another length, or there is no such row.
    TypeError
        If it is no slice, mask, or list of numbers.
    """
    every = numpy.arange(length)
    if isinstance(key, slice):
        return every[key]
    wanted = numpy.ma.filled(key, False) if isinstance(key, numpy.ma.MaskedArray) else numpy.asarray(key)
    if wanted.ndim == 1 and wanted.dtype == bool:
        if len(wanted) != length:
            raise IndexError(f"the mask has {len(wanted)} values and the catalogue {length} rows")
        return every[wanted]
    if wanted.ndim == 1 and (wanted.dtype.kind in "iu" or wanted.size == 0):
        wanted = wanted.astype("i8")
        wrong = wanted[(wanted < -length) | (wanted >= length)]
        if wrong.size:
            raise IndexError(f"there is no row {wrong[0]} in a catalogue of {length}")
        return every[wanted]
    raise TypeError("a column has a name, as in found['X_IMAGE']; rows are a mask, indices or a slice, as in found[:10]; not "
                    f"{type(key).__name__}" + (f" of shape {wanted.shape} of {wanted.dtype}" if wanted.ndim else ""))


def meant(name: str, columns: Iterable[str]) -> str:
    """The column that may be meant, to begin a sentence of a message."""
    near = difflib.get_close_matches(name.upper(), columns, 1)
    return f"did you mean {near[0]!r}? " if near else ""
