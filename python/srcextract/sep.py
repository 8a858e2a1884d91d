"""SEP's functions (Barbary 2016, JOSS 1, 58) on the library's own stages, under SEP's names.

``import srcextract.sep as sep`` in place of ``import sep``: the same arguments, defaults, types and order of what is
returned, flags and classes of exceptions as SEP 1.4. Pixels are counted from 0, from the centre of the first; angles
are in radians. What differs is said at each function:

- arrays of any byte order, strides and type of real numbers are taken, and lists. Those that are not of C order, this
  machine's byte order and one of float32, float64 and int32 are copied;
- work is done on all threads that the process may use (`set_threads`), and its results do not depend on their number;
- a pixel that is NaN is one that is masked.
"""
import os

import numpy

from srcextract import _core
from srcextract.errors import InputError

__version__ = "1.4.1"

OBJ_MERGED = numpy.int16(0x1)
OBJ_TRUNC = numpy.int16(0x2)
OBJ_DOVERFLOW = numpy.int16(0x4)
OBJ_SINGU = numpy.int16(0x8)
APER_TRUNC = numpy.int16(0x10)
APER_HASMASKED = numpy.int16(0x20)
APER_ALLMASKED = numpy.int16(0x40)
APER_NONPOSITIVE = numpy.int16(0x80)

default_kernel = numpy.array([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]], dtype=numpy.float32)

__all__ = ["APER_ALLMASKED", "APER_HASMASKED", "APER_NONPOSITIVE", "APER_TRUNC", "Background", "OBJ_DOVERFLOW",
           "OBJ_MERGED", "OBJ_SINGU", "OBJ_TRUNC", "default_kernel", "ellipse_axes", "ellipse_coeffs", "extract",
           "flux_radius", "get_extract_pixstack", "get_sub_object_limit", "get_threads", "kron_radius",
           "mask_ellipse", "set_extract_pixstack", "set_sub_object_limit", "set_threads", "sum_circann", "sum_circle",
           "sum_ellipann", "sum_ellipse", "winpos"]

_NATIVE = {numpy.dtype(name) for name in ("float32", "float64", "int32")}
_NATIVE_MASKS = _NATIVE | {numpy.dtype("bool"), numpy.dtype("uint8")}

_pixstack = 300000
_sub_object_limit = 1024


def _threads_wished():
    wish = os.environ.get("SRCEXTRACT_SEP_THREADS", "")
    return int(wish) if wish.isdigit() and int(wish) > 0 else 0


_threads = _threads_wished() or _core.available_threads()


def set_threads(count):
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


def get_threads():
    """On how many threads work is done."""
    return _threads


def _native(array, types):
    """The array as the compiled half reads it: itself, if it can."""
    if array.dtype in types and array.dtype.isnative and array.flags.c_contiguous:
        return array
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "biuf" or size > 8:
        raise InputError(f"input array dtype not supported: {array.dtype}; real numbers and integers of up to 8 bytes "
                         "are: convert the array, as with array.astype('float32')")
    if array.dtype.newbyteorder("=") in types:
        dtype = array.dtype.newbyteorder("=")
    elif numpy.can_cast(array.dtype, numpy.float32, "safe"):
        dtype = numpy.float32
    elif kind == "i" and size == 4:
        dtype = numpy.int32
    else:
        dtype = numpy.float64
    return numpy.ascontiguousarray(array, dtype=dtype)


def _image(data, types=_NATIVE):
    array = data if isinstance(data, numpy.ndarray) else numpy.asarray(data)
    if array.ndim != 2:
        raise InputError(f"array must be 2-d, and this one has {array.ndim} axes, of shape {array.shape}")
    return _native(array, types)


def _of_shape(values, shape, name, types=_NATIVE):
    array = _image(values, types)
    if array.shape != shape:
        raise InputError(f"size of {name} array must match data: it has the shape {array.shape}, and data {shape}")
    return array


def _mask_of(mask, shape):
    return None if mask is None else _of_shape(mask, shape, "mask", _NATIVE_MASKS)


def _noise_of(err, var, shape):
    """An array or None; the noise of all pixels; and whether it is a variance."""
    if err is not None and var is not None:
        raise InputError("Cannot specify both err and var: give one of them")
    value, is_variance = (err, False) if var is None else (var, True)
    if value is None:
        return None, 0.0, False
    if numpy.ndim(value) == 0:
        return None, float(value), is_variance
    return _of_shape(value, shape, "error/variance"), 0.0, is_variance


def _segments_of(segmap, seg_id, shape, positions):
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
    return (numpy.ascontiguousarray(segments, dtype=numpy.int32),
            numpy.ascontiguousarray(ids.reshape(-1), dtype=numpy.int64))


def _broadcast(*values):
    """All of them with as many elements, one after the other, and the shape that they have together."""
    arrays = [numpy.asarray(value, dtype=numpy.float64) for value in values]
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        arrays = numpy.broadcast_arrays(*arrays)
        shape = arrays[0].shape
    return [numpy.ascontiguousarray(array).reshape(-1) for array in arrays], shape


def _invalid():
    return InputError("invalid aperture parameters: radii must be 0 <= inner <= outer, and ellipses have a >= b >= 0 "
                      "and -pi/2 <= theta <= pi/2")


def _check_ellipses(a, b, theta):
    half = 0.5 * numpy.pi
    if not ((b >= 0).all() and (a >= b).all() and (theta >= -half).all() and (theta <= half).all()):
        raise _invalid()


def _check_radii(inner, outer):
    if not ((outer >= inner).all() and (inner >= 0).all()):
        raise _invalid()


def _sum(data, x, y, ellipse, inner, outer, err, var, mask, maskthresh, segmap, seg_id, bkgann, gain, subpix):
    image = _image(data)
    shape = image.shape
    noise, noise_of_all, is_variance = _noise_of(err, var, shape)
    rings = [] if inner is None else [inner]
    sky = [] if bkgann is None else list(bkgann)
    values, positions = _broadcast(x, y, outer, *rings, *ellipse, *sky)
    x, y, outer = values[:3]
    rest = iter(values[3:])
    inner = next(rest) if rings else None
    a, b, theta = (next(rest), next(rest), next(rest)) if ellipse else (None, None, None)
    sky_inner, sky_outer = (next(rest), next(rest)) if sky else (None, None)
    _check_radii(outer * 0 if inner is None else inner, outer)
    if ellipse:
        _check_ellipses(a, b, theta)
    if sky:
        _check_radii(sky_inner, sky_outer)
    if int(subpix) < 0:
        raise InputError(f"subpix value must be nonnegative, not {subpix}; 0 stands for areas")
    segments, ids = _segments_of(segmap, seg_id, shape, positions)
    light, error = numpy.empty(x.size), numpy.empty(x.size)
    flags = numpy.empty(x.size, numpy.int16)
    _core.sep_sum_apertures(image, noise, noise_of_all, is_variance, _mask_of(mask, shape), maskthresh, segments, ids,
                            x, y, a, b, theta, inner, outer, sky_inner, sky_outer, 0.0 if gain is None else gain,
                            int(subpix), light, error, flags, _threads)
    if positions != light.shape:
        return light.reshape(positions), error.reshape(positions), flags.reshape(positions)
    return light, error, flags


def sum_circle(data, x, y, r, err=None, var=None, mask=None, maskthresh=0.0, segmap=None, seg_id=None, bkgann=None,
               gain=None, subpix=5):
    """Sum the light in circles, as `sep.sum_circle`.

    Parameters
    ----------
    data : array_like, 2-d
    x, y, r : array_like
        Centres and radii in pixels, which are broadcast. Single numbers are taken too, which SEP refuses.
    err, var : float or array_like, optional
        Noise of a pixel, or its variance: one of them, for all pixels or for each.
    mask : array_like, optional
        Pixels above `maskthresh` are none: what is in the aperture is scaled by its area over that of the others.
    maskthresh : float
    segmap, seg_id : array_like, optional
        Sources of pixels, and the source of each position: pixels of others are left out, of a negative number all
        but its own.
    bkgann : tuple of array_like, optional
        Inner and outer radius of a ring, whose mean is subtracted from every pixel.
    gain : float, optional
        Photons a unit of `data`: the photon noise of the sum is added.
    subpix : int
        Pixels at the edge are divided into so many by so many; 0: by their area.

    Returns
    -------
    sum, sumerr : ndarray of float64
    flags : ndarray of int16

    Raises
    ------
    InputError
        Which is a ValueError: of shapes, types and sizes that do not fit.

    Notes
    -----
    Sums are of the pixels as they are; SEP rounds those of float64 arrays to float32.
    """
    return _sum(data, x, y, (), None, r, err, var, mask, maskthresh, segmap, seg_id, bkgann, gain, subpix)


def sum_circann(data, x, y, rin, rout, err=None, var=None, mask=None, maskthresh=0.0, seg_id=None, segmap=None,
                gain=None, subpix=5):
    """Sum the light between circles of radii `rin` and `rout`, as `sep.sum_circann`; all else as `sum_circle`."""
    return _sum(data, x, y, (), rin, rout, err, var, mask, maskthresh, segmap, seg_id, None, gain, subpix)


def sum_ellipse(data, x, y, a, b, theta, r=1.0, err=None, var=None, mask=None, maskthresh=0.0, seg_id=None,
                segmap=None, bkgann=None, gain=None, subpix=5):
    """Sum the light in ellipses of semi-axes a r and b r, as `sep.sum_ellipse`.

    Parameters
    ----------
    a, b, theta : array_like
        Semi-axes in pixels, a >= b >= 0, and the angle from x to that of `a` in radians, -pi/2 to pi/2.
    r : array_like
        What the axes are multiplied by.

    All else, what is returned and raised, as of `sum_circle`; `bkgann` is in units of the axes.
    """
    return _sum(data, x, y, (a, b, theta), None, r, err, var, mask, maskthresh, segmap, seg_id, bkgann, gain, subpix)


def sum_ellipann(data, x, y, a, b, theta, rin, rout, err=None, var=None, mask=None, maskthresh=0.0, gain=None,
                 subpix=5, segmap=None, seg_id=None):
    """Sum the light between ellipses of axes a rin, b rin and a rout, b rout, as `sep.sum_ellipann`; all else as
    `sum_ellipse`."""
    return _sum(data, x, y, (a, b, theta), rin, rout, err, var, mask, maskthresh, segmap, seg_id, None, gain, subpix)


def kron_radius(data, x, y, a, b, theta, r, mask=None, maskthresh=0.0, seg_id=None, segmap=None):
    """Kron's radius of the light in ellipses, sum r I / sum I in units of their axes, as `sep.kron_radius`.

    Parameters
    ----------
    x, y, a, b, theta : array_like
        Ellipses as of `sum_ellipse`.
    r : array_like
        How far light is looked at, in units of the axes. SExtractor has 6.
    mask, maskthresh, seg_id, segmap
        As of `sum_circle`; what is masked is left out.

    Returns
    -------
    kronrad : ndarray of float64
        0 where the light is not positive (APER_NONPOSITIVE) or there is none (APER_ALLMASKED).
    flag : ndarray of int16
    """
    image = _image(data)
    (x, y, a, b, theta, r), positions = _broadcast(x, y, a, b, theta, r)
    segments, ids = _segments_of(segmap, seg_id, image.shape, positions)
    radius, flags = numpy.empty(x.size), numpy.empty(x.size, numpy.int16)
    _core.sep_kron_radii(image, _mask_of(mask, image.shape), maskthresh, segments, ids, x, y, a, b, theta, r, radius,
                         flags, _threads)
    return radius.reshape(positions), flags.reshape(positions)


def flux_radius(data, x, y, rmax, frac, normflux=None, mask=None, maskthresh=0.0, segmap=None, seg_id=None, subpix=5):
    """Radii of circles that hold fractions of the light, as `sep.flux_radius`.

    Parameters
    ----------
    x, y, rmax : array_like
        Positions, and how far light is looked at, in 64 steps.
    frac : float or array_like
        Of `normflux`, or of the light within `rmax`.
    normflux : array_like, optional
    mask, maskthresh, segmap, seg_id, subpix
        As of `sum_circle`; `subpix` is at least 1.

    Returns
    -------
    radius : ndarray of float64
        With an axis more than `x` if `frac` is no single number.
    flags : ndarray of int16
    """
    image = _image(data)
    (x, y, rmax), positions = _broadcast(x, y, rmax)
    fractions = numpy.ascontiguousarray(frac, dtype=numpy.float64).reshape(-1)
    norm = None
    if normflux is not None:
        norm = numpy.ascontiguousarray(numpy.broadcast_to(numpy.asarray(normflux, dtype=numpy.float64), positions))
        norm = norm.reshape(-1)
    if int(subpix) < 1:
        raise InputError(f"subpix value must be positive, not {subpix}")
    segments, ids = _segments_of(segmap, seg_id, image.shape, positions)
    radius, flags = numpy.empty(x.size * fractions.size), numpy.empty(x.size, numpy.int16)
    _core.sep_flux_radii(image, _mask_of(mask, image.shape), maskthresh, segments, ids, x, y, rmax, norm, fractions,
                         int(subpix), radius, flags, _threads)
    return radius.reshape(positions + numpy.shape(frac)), flags.reshape(positions)


def winpos(data, xinit, yinit, sig, mask=None, maskthresh=0.0, subpix=11, minsig=2.0 / 2.35 * 0.5):
    """Positions by a Gaussian window, SExtractor's XWIN_IMAGE and YWIN_IMAGE, as `sep.winpos`.

    Parameters
    ----------
    xinit, yinit : array_like
        Where the window is first.
    sig : array_like
        Its sigma in pixels, at least `minsig`; it reaches to 4 of them.
    mask, maskthresh, subpix
        As of `sum_circle`.

    Returns
    -------
    x, y : ndarray of float64
    flag : ndarray of int16
    """
    image = _image(data)
    (x, y, sigma), positions = _broadcast(xinit, yinit, sig)
    x, y, sigma = x.copy(), y.copy(), numpy.maximum(sigma, minsig)
    flags = numpy.empty(x.size, numpy.int16)
    _core.sep_windowed_positions(image, _mask_of(mask, image.shape), maskthresh, x, y, sigma, int(subpix), flags,
                                 _threads)
    return x.reshape(positions), y.reshape(positions), flags.reshape(positions)


def ellipse_coeffs(a, b, theta):
    """The ellipse of axes and an angle as cxx x^2 + cyy y^2 + cxy x y = 1, as `sep.ellipse_coeffs`."""
    (a, b, theta), shape = _broadcast(a, b, theta)
    cosine, sine = numpy.cos(theta), numpy.sin(theta)
    along, across = 1 / (a * a), 1 / (b * b)
    values = (cosine * cosine * along + sine * sine * across, sine * sine * along + cosine * cosine * across,
              2 * cosine * sine * (along - across))
    return tuple(value.reshape(shape) for value in values)


def ellipse_axes(cxx, cyy, cxy):
    """The axes and the angle of the ellipse cxx x^2 + cyy y^2 + cxy x y = 1, as `sep.ellipse_axes`.

    Raises
    ------
    InputError
        Which is a ValueError: if it is none.
    """
    (cxx, cyy, cxy), shape = _broadcast(cxx, cyy, cxy)
    bad = ~((cxx > 0) & (cyy > 0) & (4 * cxx * cyy - cxy * cxy > 0))
    if bad.any():
        i = int(numpy.flatnonzero(bad)[0])
        raise InputError("parameters do not describe ellipse: "
                         f"cxx={cxx[i]:f}, cyy={cyy[i]:f}, cxy={cxy[i]:f}")
    half_sum, half_root = (cxx + cyy) / 2, numpy.hypot(cxx - cyy, cxy) / 2
    a, b = 1 / numpy.sqrt(half_sum - half_root), 1 / numpy.sqrt(half_sum + half_root)
    # The large axis is where the form is least.
    theta = numpy.where((cxy == 0) & (cxx <= cyy), 0.0, 0.5 * numpy.arctan2(0.0 - cxy, cyy - cxx))
    return a.reshape(shape), b.reshape(shape), theta.reshape(shape)


def mask_ellipse(arr, x, y, a=None, b=None, theta=None, r=1.0, cxx=None, cyy=None, cxy=None):
    """Set the elements of `arr` within ellipses to 1, as `sep.mask_ellipse`.

    Parameters
    ----------
    arr : ndarray, 2-d
        Is changed. SEP takes bool and uint8 alone; here any type is taken.
    x, y : array_like
        Centres.
    a, b, theta : array_like, optional
        Ellipses as of `sum_ellipse`; or
    cxx, cyy, cxy : array_like, optional
        as of `ellipse_coeffs`.
    r : array_like
        What the axes are multiplied by.
    """
    if not isinstance(arr, numpy.ndarray) or arr.ndim != 2:
        raise InputError("array must be 2-d: `arr` is changed, and has to be a NumPy array of two axes")
    if a is not None and b is not None and theta is not None:
        cxx, cyy, cxy = ellipse_coeffs(a, b, theta)
    elif cxx is None or cyy is None or cxy is None:
        raise InputError("Must specify either a, b and theta or cxx, cyy and cxy.")
    (x, y, cxx, cyy, cxy, r), _ = _broadcast(x, y, cxx, cyy, cxy, r)
    direct = arr.flags.c_contiguous and arr.dtype in (numpy.dtype(bool), numpy.dtype("uint8"))
    inside = arr.view(numpy.uint8) if direct else numpy.zeros(arr.shape, numpy.uint8)
    _core.sep_mask_ellipses(inside.reshape(-1), arr.shape[1], arr.shape[0], x, y, cxx, cyy, cxy, r)
    if not direct:
        arr[inside != 0] = 1


class Background:
    """The sky of an image and its noise, mesh by mesh, as `sep.Background`: SExtractor's, to the last bit.

    Parameters
    ----------
    data : array_like, 2-d
    mask : array_like, optional
        Pixels above `maskthresh` are left out.
    maskthresh : float
    bw, bh : int
        Sides of a mesh in pixels.
    fw, fh : int
        Sides of the median filter, in meshes.
    fthresh : float
        The filter replaces a mesh that differs from the median by so much.

    Attributes
    ----------
    globalback, globalrms : float
        The medians over the meshes.
    bw, bh : int
        Sides of a mesh. SEP does not tell them.

    Notes
    -----
    ``data - background``, ``numpy.array(background)``, `back`, `rms` and `subfrom` are as SEP has them. Pixels are
    looked at as float32, as SEP's are.
    """

    __array_priority__ = 100.0  # `array - background` is asked of this class

    def __init__(self, data, mask=None, maskthresh=0.0, bw=64, bh=64, fw=3, fh=3, fthresh=0.0):
        image = _image(data)
        if image.size == 0:
            raise InputError(f"an array of shape {image.shape} has no pixels")
        if bw < 1 or bh < 1:
            raise InputError(f"meshes of {bw} x {bh} pixels are none: bw and bh are at least 1")
        self._sky = _core.SepBackground(image, _mask_of(mask, image.shape), maskthresh, bw, bh, fw, fh, fthresh,
                                        _threads)
        self._shape, self._dtype = image.shape, image.dtype
        self.bw, self.bh = int(bw), int(bh)

    @property
    def globalback(self):
        """float: the level of the sky."""
        return self._sky.level

    @property
    def globalrms(self):
        """float: the noise of a pixel."""
        return self._sky.rms

    def _map(self, dtype, noise):
        wanted = self._dtype if dtype is None else numpy.dtype(dtype)
        made = wanted if wanted in _NATIVE and wanted.isnative else numpy.dtype("float64")
        values = numpy.empty(self._shape, made)
        self._sky.fill(values.reshape(-1), noise, _threads)
        return values if made == wanted else values.astype(wanted)

    def back(self, dtype=None, copy=None):
        """The level of the sky at every pixel.

        Parameters
        ----------
        dtype : numpy.dtype, optional
            That of the data by default.

        Returns
        -------
        ndarray
        """
        return self._map(dtype, False)

    def rms(self, dtype=None):
        """The noise of the sky at every pixel; `dtype` as of `back`."""
        return self._map(dtype, True)

    def subfrom(self, data):
        """Subtract the level of the sky from an array, which is changed.

        Any type of real numbers will do; SEP takes float32, float64 and int32.
        """
        if not isinstance(data, numpy.ndarray):
            raise TypeError(f"data must be a NumPy array, for it is changed, not a {type(data).__name__}")
        if data.shape != self._shape:
            raise InputError(f"Data dimensions do not match background dimensions: {data.shape} and {self._shape}")
        if data.dtype in _NATIVE and data.dtype.isnative and data.flags.c_contiguous:
            flat = data.reshape(-1)
            self._sky.subtract(flat, flat, _threads)
        else:
            data[...] = data - self.back(numpy.float64 if data.dtype.itemsize > 4 else numpy.float32)

    def __array__(self, dtype=None, copy=None):
        return self.back(dtype)

    def __rsub__(self, data):
        array = numpy.asarray(data)
        if array.shape == self._shape and array.dtype in _NATIVE and array.flags.c_contiguous and array.dtype.isnative:
            above = numpy.empty(self._shape, array.dtype)
            self._sky.subtract(array.reshape(-1), above.reshape(-1), _threads)
            return above
        return array - self.back(array.dtype.newbyteorder("=") if array.dtype.kind == "f" else None)

    def __repr__(self):
        return (f"<srcextract.sep.Background of {self._shape[0]} x {self._shape[1]} pixels: level {self.globalback:g}, "
                f"rms {self.globalrms:g}>")


def set_extract_pixstack(size):
    """Set how many pixels `extract` may find, as `sep.set_extract_pixstack`: SEP keeps them in a buffer of that size.

    Here memory grows with what is found, and nothing is refused unless a smaller number than SEP's default of 300000
    was set: then `extract` raises what SEP raises when its buffer is full.
    """
    global _pixstack
    _pixstack = int(size)


def get_extract_pixstack():
    """What `set_extract_pixstack` was told; 300000 by default."""
    return _pixstack


def set_sub_object_limit(limit):
    """Kept for SEP's sake: there is no limit on the parts into which a source is deblended."""
    global _sub_object_limit
    _sub_object_limit = int(limit)


def get_sub_object_limit():
    """What `set_sub_object_limit` was told; 1024 by default."""
    return _sub_object_limit


_OBJECT = numpy.dtype([(name, kind) for name, kind in
                       [("thresh", "f8")] + [(name, "i8") for name in "npix tnpix xmin xmax ymin ymax".split()]
                       + [(name, "f8") for name in ("x y x2 y2 xy errx2 erry2 errxy a b theta cxx cyy cxy cflux flux "
                                                    "cpeak peak").split()]
                       + [(name, "i8") for name in "xcpeak ycpeak xpeak ypeak".split()] + [("flag", "i2")]])


def extract(data, thresh, err=None, var=None, gain=None, mask=None, maskthresh=0.0, minarea=5,
            filter_kernel=default_kernel, filter_type="matched", deblend_nthresh=32, deblend_cont=0.005, clean=True,
            clean_param=1.0, segmentation_map=None):
    """Find the sources of an image whose sky was subtracted, as `sep.extract`.

    Parameters
    ----------
    data : array_like, 2-d
        Looked at as float32, as SEP does.
    thresh : float
        What pixels have to be above, in units of the noise if `err` or `var` is given, or else of the pixels.
    err, var : float or array_like, optional
        Noise of a pixel, or its variance: one of them, for all pixels or for each.
    gain : float, optional
        Photons a unit of `data`, for errx2, erry2 and errxy.
    mask : array_like, optional
        Pixels above `maskthresh` count as 0, and with a noise array as endlessly noisy.
    minarea : int
        Sources have at least so many pixels.
    filter_kernel : array_like, 2-d, or None
    filter_type : {'matched', 'conv'}
        With a noise array: whether pixels under the kernel count by their noise.
    deblend_nthresh, deblend_cont : int, float
        Levels, and the share of the light that a branch must have; a share of 1: no deblending.
    clean, clean_param : bool, float
        Whether sources in the wings of brighter ones are dropped, and the exponent of the wings.
    segmentation_map : bool or array_like of int, optional
        True: return one as well. An array: measure the sources that it has.

    Returns
    -------
    objects : structured ndarray
        As SEP's.
    segmap : ndarray of int32
        If a `segmentation_map` was asked for or given.

    Notes
    -----
    Pixels that belong to no part of a deblended source go to the one of which they are most probably a part; SEP draws
    lots for them. There is no limit on pixels and parts (`set_extract_pixstack`).
    """
    image = _image(data)
    if filter_type not in ("matched", "conv"):
        raise InputError(f"unknown filter_type: {filter_type!r}; it is 'matched' or 'conv'")
    noise, noise_of_all, is_variance = _noise_of(err, var, image.shape)
    kernel = None if filter_kernel is None else _image(filter_kernel)
    if not 1 <= int(deblend_nthresh) <= 256:
        raise InputError(f"deblend_nthresh is 1 to 256, not {deblend_nthresh}")
    given = None
    wanted = segmentation_map is not None and segmentation_map is not False
    if wanted and segmentation_map is not True:
        given = numpy.asarray(segmentation_map)
        if given.shape != image.shape or given.dtype.kind not in "iu":
            raise InputError(f"size of segmentation map must match data, and it has integers: it is {given.dtype} of "
                             f"the shape {given.shape}, and data of {image.shape}")
        given = numpy.ascontiguousarray(given, dtype=numpy.int32)
    segments = numpy.empty(image.shape, numpy.int32) if wanted else None
    rows = _core.sep_extract(image, thresh, noise, noise_of_all, is_variance, 0.0 if gain is None else gain,
                             _mask_of(mask, image.shape), maskthresh, int(minarea), kernel, filter_type == "matched",
                             int(deblend_nthresh), deblend_cont, bool(clean), clean_param, given,
                             None if segments is None else segments.reshape(-1),
                             _pixstack if _pixstack < 300000 else 0, _threads)
    objects = rows.view(_OBJECT)
    return (objects, segments) if wanted else objects
