"""What srcextract.sep is given, as its compiled half reads it; and on how many threads it works."""
import os
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from srcextract import _core
from srcextract.errors import InputError

Array = NDArray[Any]

NATIVE = {numpy.dtype(name) for name in ("float32", "float64", "int32")}
NATIVE_MASKS = NATIVE | {numpy.dtype("bool"), numpy.dtype("uint8")}


def _threads_wished() -> int:
    wish = os.environ.get("SRCEXTRACT_SEP_THREADS", "")
    return int(wish) if wish.isdigit() and int(wish) > 0 else 0


_threads = _threads_wished() or _core.available_threads()


def set_threads(count: int) -> None:
    """Work on so many threads from now on. SEP has no such function.

    Parameters
    ----------
    count : int
        0 stands for all that this process may use, which is the default unless the environment variable
        ``SRCEXTRACT_SEP_THREADS`` says otherwise. Results do not depend on it.
    """
    global _threads
    if int(count) < 0:
        raise InputError(f"there cannot be {count} threads: give a positive number, or 0 for all")
    _threads = int(count) or _core.available_threads()


def get_threads() -> int:
    """On how many threads work is done."""
    return _threads


def packed(values: ArrayLike, dtype: Any = None) -> Array:
    """The values one after the other, each where its type may lie."""
    return numpy.require(numpy.ascontiguousarray(values, dtype=dtype), requirements="A")


def is_native(array: Array, types: set[numpy.dtype[Any]] = NATIVE) -> bool:
    """Whether the compiled half can read it where it is."""
    return array.dtype in types and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned


def native(array: Array, types: set[numpy.dtype[Any]]) -> Array:
    """The array as the compiled half reads it: itself, if it can."""
    if is_native(array, types):
        return array
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "biuf" or size > 8:
        raise InputError(f"input array dtype not supported: {array.dtype}; real numbers and integers of up to 8 bytes "
                         "are: convert the array, as with array.astype('float32')")
    dtype: Any
    if array.dtype.newbyteorder("=") in types:
        dtype = array.dtype.newbyteorder("=")
    elif numpy.can_cast(array.dtype, numpy.float32, "safe"):
        dtype = numpy.float32
    elif kind == "i" and size == 4:
        dtype = numpy.int32
    else:
        dtype = numpy.float64
    return packed(array, dtype)


def image_of(data: ArrayLike, types: set[numpy.dtype[Any]] = NATIVE) -> Array:
    if isinstance(data, numpy.ma.MaskedArray) and numpy.any(data.mask):
        raise InputError("the mask of a masked array is not looked at: give array.data, and array.mask as mask=")
    array = data if isinstance(data, numpy.ndarray) else numpy.asarray(data)
    if array.ndim != 2:
        raise InputError(f"array must be 2-d, and this one has {array.ndim} axes, of shape {array.shape}")
    return native(array, types)


def of_shape(values: ArrayLike, shape: tuple[int, ...], name: str,
             types: set[numpy.dtype[Any]] = NATIVE) -> Array:
    array = image_of(values, types)
    if array.shape != shape:
        raise InputError(f"size of {name} array must match data: it has the shape {array.shape}, and data {shape}")
    return array


def mask_of(mask: ArrayLike | None, shape: tuple[int, ...]) -> Array | None:
    return None if mask is None else of_shape(mask, shape, "mask", NATIVE_MASKS)


def noise_of(err: ArrayLike | None, var: ArrayLike | None,
             shape: tuple[int, ...]) -> tuple[Array | None, float, bool]:
    """An array or None; the noise of all pixels; and whether it is a variance."""
    if err is not None and var is not None:
        raise InputError("Cannot specify both err and var: give one of them")
    value, is_variance = (err, False) if var is None else (var, True)
    if value is None:
        return None, 0.0, False
    if numpy.ndim(value) == 0:
        return None, float(value), is_variance  # type: ignore[arg-type]
    return of_shape(value, shape, "error/variance"), 0.0, is_variance


def segments_of(segmap: ArrayLike | None, seg_id: ArrayLike | None, shape: tuple[int, ...],
                positions: tuple[int, ...]) -> tuple[Array | None, Array | None]:
    if segmap is None:
        return None, None
    if seg_id is None:
        raise InputError("`segmap` supplied but not `seg_id`: give the number of the source of each position")
    segments = numpy.asarray(segmap)
    if segments.shape != shape:
        raise InputError(f"size of segmap array must match data: it has the shape {segments.shape}, and data {shape}")
    if segments.dtype.kind not in "iu":
        raise InputError(f"a segmentation map has integers, not {segments.dtype}")
    ids = numpy.asarray(seg_id)
    if ids.shape != positions and ids.size != int(numpy.prod(positions)):
        raise InputError(f"Shapes of `x` and `seg_id` do not match: {positions} and {ids.shape}")
    return (packed(segments, numpy.int32),
            packed(ids.reshape(-1), numpy.int64))


def broadcast(*values: ArrayLike) -> tuple[list[Array], tuple[int, ...]]:
    """All of them with as many elements, one after the other, and the shape that they have together."""
    arrays = [numpy.asarray(value, dtype=numpy.float64) for value in values]
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        arrays = list(numpy.broadcast_arrays(*arrays))
        shape = arrays[0].shape
    return [packed(array).reshape(-1) for array in arrays], shape


