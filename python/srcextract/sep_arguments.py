"""Arguments of srcextract.sep in the form of its compiled half, and its number of threads."""
from __future__ import annotations

import os
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from srcextract import _core
from srcextract.arrays import parted, unwrapped
from srcextract.errors import InputError

Array = NDArray[Any]

NATIVE: set[Any] = {numpy.dtype(name) for name in ("float32", "float64", "int32")}
NATIVE_MASKS: set[Any] = NATIVE | {numpy.dtype("bool"), numpy.dtype("uint8")}


def _threads_wished() -> int:
    wish = os.environ.get("SRCEXTRACT_SEP_THREADS", "")
    return int(wish) if wish.isdigit() and int(wish) > 0 else 0


_threads = _threads_wished() or _core.available_threads()


def set_threads(count: int) -> None:
    """Set the number of threads from now on. SEP has no such function.

    Parameters
    ----------
    count : int
        0 means all that this process may use. 0 is the default, unless the environment variable
        ``SRCEXTRACT_SEP_THREADS`` is set. Results do not depend on it.
    """
    global _threads
    wished = whole(count, "count")
    if wished < 0:
        raise InputError(f"there cannot be {count} threads: give a positive number, or 0 for all")
    _threads = wished or _core.available_threads()


def get_threads() -> int:
    """The number of threads.

    Returns
    -------
    int
        As many as this process may use, unless `set_threads` said otherwise.
    """
    return _threads


def number(value: Any, name: str) -> float:
    """A number; raises TypeError as SEP does."""
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name} must be a real number, not {value!r}")


def whole(value: Any, name: str) -> int:
    """An integer; other numbers are truncated, as in SEP. Raises TypeError for other objects."""
    try:
        count = None if isinstance(value, (str, bytes)) else int(value)
    except (TypeError, ValueError, OverflowError):
        count = None
    if count is None or abs(count) >= 2**63:
        raise TypeError(f"{name} must be an integer, not {value!r}")
    return count


def packed(values: ArrayLike, dtype: Any = None) -> Array:
    """The values, contiguous and aligned."""
    return numpy.require(numpy.ascontiguousarray(values, dtype=dtype), requirements="A")


def is_native(array: Array, types: set[numpy.dtype[Any]] = NATIVE) -> bool:
    """Whether the compiled half can read the array in place."""
    return array.dtype in types and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned


def require_writeable(array: Array, name: str) -> None:
    if not array.flags.writeable:
        raise InputError(f"{name} is read-only, and would be changed; give a copy, as {name}.copy() makes one")


def native(array: Array, types: set[numpy.dtype[Any]]) -> Array:
    """The array in a form that the compiled half can read; unchanged if possible."""
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


def image_of(data: ArrayLike, types: set[numpy.dtype[Any]] = NATIVE, name: str = "data") -> Array:
    if data is None or isinstance(data, (str, bytes)):
        raise TypeError(f"{name} must be an array, not {data!r}")
    array = numpy.asarray(unwrapped(data)[0])
    if array.ndim != 2:
        raise InputError(f"{name}: array must be 2-d, and this one has {array.ndim} axes, of shape {array.shape}")
    return native(array, types)


def of_shape(values: ArrayLike, shape: tuple[int, ...], name: str,
             types: set[numpy.dtype[Any]] = NATIVE) -> Array:
    array = image_of(values, types, name)
    if array.shape != shape:
        raise InputError(f"size of {name} array must match data: it has the shape {array.shape}, and data {shape}")
    return array


def masked_image(data: ArrayLike, mask: ArrayLike | None, maskthresh: float,
                 noise: ArrayLike | None = None) -> tuple[Array, Array | None, float]:
    """An image, its mask or None, and the value above which a pixel of that mask is masked.

    The masks that `data`, `mask` and `noise` have of their own (of an NDData, numpy.ma, astropy's Masked) count as well.
    """
    image, most = image_of(data), number(maskthresh, "maskthresh")
    own = [one for one in (unwrapped(values)[1] for values in (data, mask, noise)) if one is not None]
    bare = unwrapped(mask)[0]
    if numpy.ndim(bare) == 0 and isinstance(bare, (bool, numpy.bool_)):  # as numpy.ma.nomask
        bare = numpy.full(image.shape, True) if bare else None
    given = None if bare is None else of_shape(bare, image.shape, "mask", NATIVE_MASKS)
    if not own:
        return image, given, most
    if given is not None:
        own.append(given > most)
    return image, numpy.logical_or.reduce([of_shape(one, image.shape, "mask", NATIVE_MASKS) != 0 for one in own]), 0.0


def with_nan(image: Array, mask: Array | None, most: float) -> tuple[Array | None, float]:
    """The mask with the NaN pixels of the image, and the value above which a pixel of it is masked."""
    if image.dtype.kind != "f" or not numpy.isnan(numpy.min(image, initial=0)):
        return mask, most
    none = numpy.isnan(image)
    return none if mask is None else none | (mask > most), 0.0


def noise_of(err: ArrayLike | None, var: ArrayLike | None,
             shape: tuple[int, ...]) -> tuple[Array | None, float, bool]:
    """An array or None; the noise of all pixels; and whether the noise is a variance."""
    if err is not None and var is not None:
        raise InputError("Cannot specify both err and var: give one of them")
    value, is_variance = (err, False) if var is None else (var, True)
    if value is None:
        return None, 0.0, False
    value = _deviations(value, is_variance)
    if numpy.ndim(value) == 0:
        return None, number(value, "var" if is_variance else "err"), is_variance
    return of_shape(value, shape, "error/variance"), 0.0, is_variance


def _deviations(noise: Any, is_variance: bool) -> Any:
    """Noise, or variances, as an array; from an uncertainty of astropy, too."""
    if not hasattr(noise, "represent_as"):
        return unwrapped(noise)[0]
    from astropy.nddata import StdDevUncertainty, VarianceUncertainty
    try:
        return noise.represent_as(VarianceUncertainty if is_variance else StdDevUncertainty).array
    except TypeError as mistake:
        raise InputError(f"error/variance: a {type(noise).__name__} is no standard deviation, variance or inverse variance; give "
                         "an array") from mistake


def labels_of(segments: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """A map of sources in SEP's type, from any type with whole values."""
    array, hidden = unwrapped(segments)
    array = numpy.asarray(array)
    array = array if hidden is None else numpy.where(hidden, array.dtype.type(0), array)  # masked: of no source
    if array.shape != shape:
        raise InputError(f"size of {name} array must match data: it has the shape {array.shape}, and data {shape}")
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name}: a segmentation map has integers, not {array.dtype}")
    return packed(array, numpy.int32) if numpy.can_cast(array.dtype, numpy.int32) else _checked(array, name)


def _checked(array: Array, name: str) -> Array:
    with numpy.errstate(invalid="ignore"):
        labels = packed(array, numpy.int32)
    if not numpy.array_equal(labels, array):
        raise InputError(f"{name}: a segmentation map has integers of 32 bits, and this one of {array.dtype} has other "
                         "values, too")
    return labels


def segments_of(segmap: ArrayLike | None, seg_id: ArrayLike | None, shape: tuple[int, ...],
                positions: tuple[int, ...]) -> tuple[Array | None, Array | None]:
    if segmap is None:
        return None, None
    if seg_id is None:
        raise InputError("`segmap` supplied but not `seg_id`: give the number of the source of each position")
    segments = labels_of(segmap, shape, "segmap")
    ids = numpy.asarray(seg_id)
    if ids.shape != positions and ids.size != int(numpy.prod(positions)):
        raise InputError(f"Shapes of `x` and `seg_id` do not match: {positions} and {ids.shape}")
    return segments, packed(ids.reshape(-1), numpy.int64)


def measured(data: ArrayLike, mask: ArrayLike | None, maskthresh: float, segmap: ArrayLike | None = None,
             seg_id: ArrayLike | None = None, positions: tuple[int, ...] = (), err: ArrayLike | None = None,
             var: ArrayLike | None = None) -> _core.SepImage:
    """An image with all that tells which of its pixels count, and how much, at these positions."""
    image, mask, most = masked_image(data, mask, maskthresh, err if var is None else var)
    noise, noise_of_all, is_variance = noise_of(err, var, image.shape)
    segments, ids = segments_of(segmap, seg_id, image.shape, positions)
    # With a mask, light is extrapolated to the pixels of other sources, too. NaN pixels are a mask. Without a map of
    # sources, the compiled half finds them by itself, and does not read the whole image.
    if segments is not None and mask is None:
        mask, most = with_nan(image, mask, most)
    return _core.SepImage(image, mask, noise, segments, ids, most, noise_of_all, is_variance)


def _numbers(values: ArrayLike) -> Array:
    """Values as real numbers, NaN where masked."""
    bare, hidden = parted(values)
    numbers = numpy.asarray(bare, dtype=numpy.float64)
    return numbers if hidden is None else numpy.where(hidden, numpy.nan, numbers)


def broadcast(*values: ArrayLike) -> tuple[list[Array], tuple[int, ...]]:
    """All values broadcast to one shape and flattened, and that shape."""
    arrays = [_numbers(value) for value in values]
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        arrays = list(numpy.broadcast_arrays(*arrays))
        shape = arrays[0].shape
    return [packed(array).reshape(-1) for array in arrays], shape


