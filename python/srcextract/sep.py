"""SEP's functions (Barbary 2016, JOSS 1, 58) on the library's own stages, under SEP's names.

``import srcextract.sep as sep`` replaces ``import sep``: arguments, defaults, types and order of results, flags and
exception classes are those of SEP 1.4. Pixels are counted from 0, from the centre of the first; angles are in radians.
Each function documents its differences. General differences:

- lists, and arrays of any byte order, strides and real type are accepted. Arrays that are not in C order, native byte
  order and one of float32, float64 and int32 are copied;
- work runs on all threads that the process may use (`set_threads`); results do not depend on their number;
- NaN pixels are masked, and so are those that an NDData, a masked array or astropy's Masked masks.
"""
from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from srcextract import _core
from srcextract.arrays import unwrapped
from srcextract.errors import InputError
from srcextract.sep_apertures import (ellipse_axes, ellipse_coeffs, flux_radius, kron_radius, mask_ellipse,
                                      stats_circann, sum_circann, sum_circle, sum_ellipann, sum_ellipse, winpos)
from srcextract.sep_arguments import (NATIVE, Array, get_threads, image_of, is_native, labels_of, masked_image, measured, noise_of,
                                      number, require_writeable, set_threads, whole, with_nan)

__version__ = "1.4.1"

OBJ_MERGED = numpy.int16(0x1)
OBJ_TRUNC = numpy.int16(0x2)
OBJ_DOVERFLOW = numpy.int16(0x4)
OBJ_SINGU = numpy.int16(0x8)
APER_TRUNC = numpy.int16(0x10)
APER_HASMASKED = numpy.int16(0x20)
APER_ALLMASKED = numpy.int16(0x40)
APER_NONPOSITIVE = numpy.int16(0x80)

default_kernel: NDArray[numpy.float32] = numpy.array([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]], dtype=numpy.float32)

__all__ = ["APER_ALLMASKED", "APER_HASMASKED", "APER_NONPOSITIVE", "APER_TRUNC", "Background", "OBJ_DOVERFLOW",
           "OBJ_MERGED", "OBJ_SINGU", "OBJ_TRUNC", "default_kernel", "ellipse_axes", "ellipse_coeffs", "extract",
           "flux_radius", "get_extract_pixstack", "get_sub_object_limit", "get_threads", "kron_radius",
           "mask_ellipse", "set_extract_pixstack", "set_sub_object_limit", "set_threads", "stats_circann", "sum_circann", "sum_circle",
           "sum_ellipann", "sum_ellipse", "winpos"]

_pixstack = 300000
_sub_object_limit = 1024


class Background:
    """The sky of an image and its noise, mesh by mesh, as `sep.Background`: SExtractor's, to the last bit.

    Parameters
    ----------
    data : array_like, 2-d
    mask : array_like, optional
        Pixels above `maskthresh` are left out.
    maskthresh : float
    bw, bh : int
        Width and height of a mesh in pixels.
    fw, fh : int
        Width and height of the median filter, in meshes.
    fthresh : float
        The filter replaces a mesh that differs from the median by at least this much.

    Attributes
    ----------
    globalback, globalrms : float
        The medians over the meshes.
    bw, bh : int
        Width and height of a mesh. SEP has no such attributes.

    Notes
    -----
    ``data - background``, ``numpy.array(background)``, `back`, `rms` and `subfrom` are as in SEP. Pixels are converted
    to float32, as in SEP.
    """

    bw: int
    bh: int

    def __init__(self, data: ArrayLike, mask: ArrayLike | None = None, maskthresh: float = 0.0, bw: int = 64,
                 bh: int = 64, fw: int = 3, fh: int = 3, fthresh: float = 0.0) -> None:
        image = image_of(data)
        if image.size == 0:
            raise InputError(f"an array of shape {image.shape} has no pixels")
        self.bw, self.bh = whole(bw, "bw"), whole(bh, "bh")
        if self.bw < 1 or self.bh < 1:
            raise InputError(f"meshes of {bw} x {bh} pixels are none: bw and bh are at least 1")
        self._sky = _core.SepBackground(measured(data, mask, maskthresh), self.bw, self.bh, whole(fw, "fw"),
                                        whole(fh, "fh"), number(fthresh, "fthresh"), get_threads())
        self._shape, self._dtype = image.shape, image.dtype

    @property
    def globalback(self) -> float:
        """float: the level of the sky."""
        return self._sky.level

    @property
    def globalrms(self) -> float:
        """float: the noise of a pixel."""
        return self._sky.rms

    def _map(self, dtype: Any, noise: bool) -> Array:
        wanted = self._dtype if dtype is None else numpy.dtype(dtype)
        made = wanted if wanted in NATIVE and wanted.isnative else numpy.dtype("float64")
        values = numpy.empty(self._shape, made)
        self._sky.fill(values.reshape(-1), noise, get_threads())
        return values if made == wanted else values.astype(wanted)

    def back(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The level of the sky at every pixel.

        Parameters
        ----------
        dtype : numpy.dtype, optional
            The data's type by default; integers are rounded.
        copy : bool, optional
            For NumPy; the result is always new.

        Returns
        -------
        ndarray
        """
        return self._map(dtype, False)

    def rms(self, dtype: Any = None) -> Array:
        """The noise of the sky at every pixel.

        Parameters
        ----------
        dtype : numpy.dtype, optional
            As for `back`.

        Returns
        -------
        ndarray
        """
        return self._map(dtype, True)

    def subfrom(self, data: NDArray[Any]) -> None:
        """Subtract the level of the sky from an array in place; for integers the rounded level.

        Parameters
        ----------
        data : ndarray
            All real types except unsigned ones, which end at 0; SEP accepts float32, float64 and int32.
        """
        if not isinstance(data, numpy.ndarray):
            raise TypeError(f"data must be a NumPy array, for it is changed, not a {type(data).__name__}")
        if data.shape != self._shape:
            raise InputError(f"Data dimensions do not match background dimensions: {data.shape} and {self._shape}")
        if data.dtype.kind not in "if":
            raise InputError(f"input array dtype not supported: {data.dtype}; real numbers and signed integers are: convert the "
                             "array, as with data.astype('float32')")
        require_writeable(data, "data")
        if is_native(data):
            flat = data.reshape(-1)
            self._sky.subtract(flat, flat, get_threads())
        else:
            level = numpy.int32 if data.dtype.kind in "iu" else numpy.float64 if data.dtype.itemsize > 4 else numpy.float32
            data[...] = data - self.back(level)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.back(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keys: Any) -> Any:
        """Array arithmetic with the level. A difference needs no level map, and ``data -= background`` changes data."""
        if ufunc is numpy.subtract and method == "__call__" and not keys and inputs[1] is self:
            return self.__rsub__(inputs[0])
        levels = [self.back() if one is self else one for one in inputs]
        return getattr(ufunc, method)(*levels, **keys)

    def __rsub__(self, data: ArrayLike) -> Array:
        values, mask = unwrapped(data)
        if mask is not None:  # what is left keeps the mask
            return data - self.back() if isinstance(data, numpy.ndarray) else numpy.ma.MaskedArray(self.__rsub__(values), mask)
        array = numpy.asarray(values)
        in_place = array.dtype.kind == self._dtype.kind and numpy.result_type(array, self._dtype) == array.dtype
        if array.shape == self._shape and is_native(array) and in_place:  # without a level map
            above = numpy.empty(self._shape, array.dtype)
            self._sky.subtract(array.reshape(-1), above.reshape(-1), get_threads())
            return above
        return array - self.back()

    def __repr__(self) -> str:
        return (f"<srcextract.sep.Background of {self._shape[0]} x {self._shape[1]} pixels: level {self.globalback:g}, "
                f"rms {self.globalrms:g}>")


def _at_least_none(value: Any, name: str) -> int:
    count = whole(value, name)
    if count < 0:
        raise InputError(f"{name} is 0 or more, not {value!r}")
    return count


def set_extract_pixstack(size: int) -> None:
    """Set how many pixels `extract` may find, as `sep.set_extract_pixstack`: SEP keeps them in a buffer of that size.

    Here memory grows as needed. Only a number below SEP's default of 300000 is a limit: beyond it `extract` raises the
    error of SEP's full buffer.

    Parameters
    ----------
    size : int
        The number of pixels.
    """
    global _pixstack
    _pixstack = _at_least_none(size, "size")


def get_extract_pixstack() -> int:
    """The value of `set_extract_pixstack`.

    Returns
    -------
    int
        300000 by default.
    """
    return _pixstack


def set_sub_object_limit(limit: int) -> None:
    """Kept for compatibility with SEP: the number of parts of a deblended source is unlimited.

    Parameters
    ----------
    limit : int
        What `get_sub_object_limit` gives.
    """
    global _sub_object_limit
    _sub_object_limit = _at_least_none(limit, "limit")


def get_sub_object_limit() -> int:
    """The value of `set_sub_object_limit`.

    Returns
    -------
    int
        1024 by default.
    """
    return _sub_object_limit


def _single(value: float) -> float:
    """The value rounded to single precision, as SEP stores thresholds and the noise of all pixels."""
    with numpy.errstate(over="ignore"):
        return float(numpy.float32(value))


_OBJECT = numpy.dtype([(name, kind) for name, kind in
                       [("thresh", "f8")] + [(name, "i8") for name in "npix tnpix xmin xmax ymin ymax".split()]
                       + [(name, "f8") for name in ("x y x2 y2 xy errx2 erry2 errxy a b theta cxx cyy cxy cflux flux "
                                                    "cpeak peak").split()]
                       + [(name, "i8") for name in "xcpeak ycpeak xpeak ypeak".split()] + [("flag", "i2")]])


def extract(data: ArrayLike, thresh: float, err: ArrayLike | None = None, var: ArrayLike | None = None,
            gain: float | None = None, mask: ArrayLike | None = None, maskthresh: float = 0.0, minarea: int = 5,
            filter_kernel: ArrayLike | None = default_kernel, filter_type: str = "matched", deblend_nthresh: int = 32,
            deblend_cont: float = 0.005, clean: bool = True, clean_param: float = 1.0,
            segmentation_map: ArrayLike | bool | None = None) -> Any:
    """Find the sources of an image whose sky was subtracted, as `sep.extract`.

    Parameters
    ----------
    data : array_like, 2-d
        Converted to float32, as in SEP.
    thresh : float
        Threshold, in units of the noise if `err` or `var` is given, else in units of the pixels.
    err, var : float or array_like, optional
        Noise of a pixel, or its variance: only one of them, for all pixels or for each. A single value must not be
        negative.
    gain : float, optional
        Photons per unit of `data`, for errx2, erry2 and errxy.
    mask, maskthresh : array_like, float, optional
        Pixels above `maskthresh` count as 0, as NaN pixels do; in a matched filter their noise is infinite.
    minarea : int
        Minimum number of pixels of a source; less than 1 means 1.
    filter_kernel : array_like, 2-d, or None
        Of any size.
    filter_type : {'matched', 'conv'}
        With a noise array: whether the filter weights pixels by their noise.
    deblend_nthresh, deblend_cont : int, float
        Levels, at most 256, and the share of the light that a branch must have; a share of 1 means no deblending.
    clean, clean_param : bool, float
        Whether sources in the wings of brighter ones are dropped, and the exponent of the wings.
    segmentation_map : bool or array_like of int, optional
        True: also return a map. An array, of any type with whole values: measure the sources of this map. Their extent
        is given, so none is OBJ_TRUNC.

    Returns
    -------
    objects : structured ndarray
        As SEP's.
    segmap : ndarray of int32
        If `segmentation_map` was True or an array.

    Notes
    -----
    Pixels of a deblended source outside its parts go to the most probable part; SEP assigns them randomly. The numbers
    of pixels and parts are unlimited (`set_extract_pixstack`).
    """
    image, mask, most = masked_image(data, mask, maskthresh, err if var is None else var)
    if image.size == 0:
        raise InputError(f"an array of shape {image.shape} has no pixels")
    mask, most = with_nan(image, mask, most)
    if filter_type not in ("matched", "conv"):
        raise InputError(f"unknown filter_type: {filter_type!r}; it is 'matched' or 'conv'")
    level = _single(number(thresh, "thresh"))
    noise, noise_of_all, is_variance = noise_of(err, var, image.shape)
    if noise is None and not (err is None and var is None):
        if noise_of_all < 0:
            raise InputError(f"{'var' if is_variance else 'err'} is {noise_of_all}, and noise is not negative; SEP finds "
                             "nothing by a negative variance, and everything by a negative deviation")
        noise_of_all = _single(noise_of_all)
        level = _single(level * (_single(noise_of_all**0.5) if is_variance else noise_of_all))
    kernel = None if filter_kernel is None else image_of(filter_kernel, name="filter_kernel")
    levels = whole(deblend_nthresh, "deblend_nthresh")
    if not 1 <= levels <= 256:
        raise InputError(f"deblend_nthresh is 1 to 256, not {deblend_nthresh}: levels of pixels are kept in a byte")
    given = None
    if segmentation_map is not None and numpy.ndim(segmentation_map) > 0:
        given = labels_of(segmentation_map, image.shape, "segmentation_map")
    draws = given is not None or bool(segmentation_map)
    of = _core.SepImage(image, mask, noise, given, None, most, noise_of_all, is_variance)
    found = _core.sep_extract(of, level, 0.0 if gain is None else number(gain, "gain"), max(1, whole(minarea, "minarea")),
                              kernel, filter_type == "matched", levels, number(deblend_cont, "deblend_cont"), bool(clean),
                              number(clean_param, "clean_param"), draws, _pixstack if _pixstack < 300000 else 0,
                              get_threads())
    return (found[0].view(_OBJECT), found[1]) if draws else found.view(_OBJECT)
