"""The functions of srcextract.sep that measure at given positions; srcextract.sep re-exports them."""
from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from srcextract import _core
from srcextract.errors import InputError
from srcextract.sep_arguments import Array, broadcast, get_threads, measured, number, packed, require_writeable, whole


def _invalid() -> InputError:
    return InputError("invalid aperture parameters: radii must be 0 <= inner <= outer, and ellipses have a >= b >= 0 "
                      "and -pi/2 <= theta <= pi/2")


# A right angle in float32 is beyond pi/2. SEP's extract and numpy.radians give such angles.
_OF_ROUNDING = 1e-6


def _check_ellipses(a: Array, b: Array, theta: Array) -> None:
    half = 0.5 * numpy.pi + _OF_ROUNDING
    if not ((b >= 0).all() and (a >= b).all() and (theta >= -half).all() and (theta <= half).all()):
        raise _invalid()


def _check_radii(inner: Array, outer: Array) -> None:
    if (inner < 0).any() or (outer < inner).any():  # NaN radii pass: such an aperture has no pixels
        raise _invalid()


def _sub_pixels(subpix: Any) -> int:
    parts = whole(subpix, "subpix")
    if parts < 0:
        raise InputError(f"subpix value must be nonnegative, not {subpix}; 0 stands for areas")
    return parts


def _sum(data: ArrayLike, x: Any, y: Any, ellipse: Any, inner: Any, outer: Any, err: Any, var: Any, mask: Any,
         maskthresh: float, segmap: Any, seg_id: Any, bkgann: Any, gain: float | None,
         subpix: int) -> tuple[Array, Array, Array]:
    rings = [] if inner is None else [inner]
    sky = [] if bkgann is None else list(bkgann)
    if len(sky) not in (0, 2):
        raise InputError(f"bkgann has an inner and an outer radius, and not {len(sky)} of them")
    (x, y, outer, *rest), positions = broadcast(x, y, outer, *rings, *ellipse, *sky)
    rings, axes, sky = rest[:len(rings)], rest[len(rings):len(rest) - len(sky)], rest[len(rest) - len(sky):]
    if rings:
        _check_radii(rings[0], outer)
    elif (outer < outer * 0).any():  # an infinite one passes, as NaN does
        raise _invalid()
    if axes:
        _check_ellipses(*axes)
    if sky:
        _check_radii(*sky)
    parts = _sub_pixels(subpix)
    light, error = numpy.empty(x.size), numpy.empty(x.size)
    flags = numpy.empty(x.size, numpy.int16)
    _core.sep_sum_apertures(measured(data, mask, maskthresh, segmap, seg_id, positions, err, var), x, y, axes, rings,
                            outer, sky, 0.0 if gain is None else number(gain, "gain"), parts, light, error, flags,
                            get_threads())
    if positions != light.shape:
        return light.reshape(positions), error.reshape(positions), flags.reshape(positions)
    return light, error, flags


def sum_circle(data: ArrayLike, x: ArrayLike, y: ArrayLike, r: ArrayLike, var: ArrayLike | None = None,
               err: ArrayLike | None = None, gain: float | None = None, mask: ArrayLike | None = None,
               maskthresh: float = 0.0, seg_id: ArrayLike | None = None, segmap: ArrayLike | None = None,
               bkgann: tuple[ArrayLike, ArrayLike] | None = None, subpix: int = 5) -> tuple[Array, Array, Array]:
    """Sum the light in circles, as `sep.sum_circle`.

    Parameters
    ----------
    data : array_like, 2-d
    x, y, r : array_like
        Centres and radii in pixels, which are broadcast. Single numbers are allowed, which SEP refuses.
    var, err : float or array_like, optional
        Variance of a pixel, or its noise: only one of them, for all pixels or for each.
    gain : float, optional
        Photons per unit of `data`: adds the photon noise of the sum.
    mask : array_like, optional
        Pixels above `maskthresh` are masked: the sum of the others is scaled by the aperture's area over theirs.
    maskthresh : float
    seg_id, segmap : array_like, optional
        The source of each position, and a map of sources: pixels of other sources are left out. With a negative number,
        only the source's own pixels count.
    bkgann : tuple of array_like, optional
        Inner and outer radius of a ring, whose mean is subtracted from every pixel.
    subpix : int
        Pixels at the edge are divided into subpix x subpix parts; 0: exact areas.

    Returns
    -------
    sum, sumerr : ndarray of float64
    flags : ndarray of int16

    Raises
    ------
    InputError
        A ValueError: for shapes, types and sizes that do not fit.

    Notes
    -----
    Sums use the pixels unchanged; SEP rounds those of float64 arrays to float32. The order of arguments is that of
    SEP's code, not of its documentation.
    """
    return _sum(data, x, y, (), None, r, err, var, mask, maskthresh, segmap, seg_id, bkgann, gain, subpix)


def sum_circann(data: ArrayLike, x: ArrayLike, y: ArrayLike, rin: ArrayLike, rout: ArrayLike,
                var: ArrayLike | None = None, err: ArrayLike | None = None, gain: float | None = None,
                mask: ArrayLike | None = None, maskthresh: float = 0.0, seg_id: ArrayLike | None = None,
                segmap: ArrayLike | None = None, subpix: int = 5) -> tuple[Array, Array, Array]:
    """Sum the light between circles, as `sep.sum_circann`.

    Parameters
    ----------
    x, y, rin, rout : array_like
        Centres and radii in pixels.
    data, mask, maskthresh, seg_id, segmap, var, err, gain, subpix
        As for `sum_circle`.

    Returns
    -------
    sum, sumerr : ndarray of float64
    flags : ndarray of int16
    """
    return _sum(data, x, y, (), rin, rout, err, var, mask, maskthresh, segmap, seg_id, None, gain, subpix)


def sum_ellipse(data: ArrayLike, x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, theta: ArrayLike,
                r: ArrayLike = 1.0, var: ArrayLike | None = None, err: ArrayLike | None = None,
                gain: float | None = None, mask: ArrayLike | None = None, maskthresh: float = 0.0,
                seg_id: ArrayLike | None = None, segmap: ArrayLike | None = None,
                bkgann: tuple[ArrayLike, ArrayLike] | None = None, subpix: int = 5) -> tuple[Array, Array, Array]:
    """Sum the light in ellipses of semi-axes a r and b r, as `sep.sum_ellipse`.

    Parameters
    ----------
    x, y : array_like
        Centres in pixels.
    a, b, theta : array_like
        Semi-axes in pixels, a >= b >= 0, and the angle from x to the axis `a` in radians, -pi/2 to pi/2.
    r : array_like
        Factor for the axes.
    bkgann : tuple of array_like, optional
        As for `sum_circle`, in units of the axes.
    data, mask, maskthresh, seg_id, segmap, var, err, gain, subpix
        As for `sum_circle`.

    Returns
    -------
    sum, sumerr : ndarray of float64
    flags : ndarray of int16
    """
    return _sum(data, x, y, (a, b, theta), None, r, err, var, mask, maskthresh, segmap, seg_id, bkgann, gain, subpix)


def sum_ellipann(data: ArrayLike, x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, theta: ArrayLike,
                 rin: ArrayLike, rout: ArrayLike, var: ArrayLike | None = None, err: ArrayLike | None = None,
                 gain: float | None = None, mask: ArrayLike | None = None, maskthresh: float = 0.0,
                 seg_id: ArrayLike | None = None, segmap: ArrayLike | None = None, subpix: int = 5) -> tuple[Array, Array, Array]:
    """Sum the light between ellipses of axes a rin, b rin and a rout, b rout, as `sep.sum_ellipann`.

    Parameters
    ----------
    x, y, a, b, theta : array_like
        Ellipses as for `sum_ellipse`.
    rin, rout : array_like
        Factors for the axes.
    data, mask, maskthresh, seg_id, segmap, var, err, gain, subpix
        As for `sum_circle`.

    Returns
    -------
    sum, sumerr : ndarray of float64
    flags : ndarray of int16
    """
    return _sum(data, x, y, (a, b, theta), rin, rout, err, var, mask, maskthresh, segmap, seg_id, None, gain, subpix)


def stats_circann(data: ArrayLike, x: ArrayLike, y: ArrayLike, rin: ArrayLike, rout: ArrayLike, var: ArrayLike | None = None,
                  err: ArrayLike | None = None, gain: float | None = None, mask: ArrayLike | None = None, maskthresh: float = 0.0,
                  seg_id: ArrayLike | None = None, segmap: ArrayLike | None = None, subpix: int = 5, clip_sigma: float = 3.0,
                  clip_iters: int = 5) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Statistics of the pixels between circles, as `stats_circann` of sep-x, a fork of SEP; SEP 1.4.1 has no such function.

    Parameters
    ----------
    x, y, rin, rout : array_like
        As for `sum_circann`. A pixel's weight is its part inside.
    var, err, gain
        Without effect.
    data, mask, maskthresh, seg_id, segmap, subpix
        As for `sum_circle`; masked pixels are left out.
    clip_sigma, clip_iters : float, int
        Pixels further from the median than this many deviations are left out, so many times at most.

    Returns
    -------
    mean, std, median : ndarray of float64
        NaN without a pixel (APER_ALLMASKED).
    mad_std : ndarray of float64
        The median deviation from the median, times 1.4826.
    mean_clip : ndarray of float64
        The mean of the pixels that are left.
    flags : ndarray of int16
        As for `sum_circle`.
    """
    (x, y, inner, outer), positions = broadcast(x, y, rin, rout)
    _check_radii(inner, outer)
    kappa, rounds = number(clip_sigma, "clip_sigma"), whole(clip_iters, "clip_iters")
    if not kappa > 0 or rounds < 0:
        raise InputError(f"clip_sigma is above 0 and clip_iters at least 0, not {clip_sigma} and {clip_iters}")
    stats, flags = numpy.empty((x.size, 5)), numpy.empty(x.size, numpy.int16)
    _core.sep_ring_stats(measured(data, mask, maskthresh, segmap, seg_id, positions, err, var), x, y, inner, outer,
                         _sub_pixels(subpix), kappa, rounds, stats.reshape(-1), flags, get_threads())
    mean, deviation, median, by_median, clipped = (packed(column).reshape(positions) for column in stats.T)
    return mean, deviation, median, by_median, clipped, flags.reshape(positions)


def kron_radius(data: ArrayLike, x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, theta: ArrayLike, r: ArrayLike,
                mask: ArrayLike | None = None, maskthresh: float = 0.0, seg_id: ArrayLike | None = None,
                segmap: ArrayLike | None = None) -> tuple[Array, Array]:
    """Kron radius of the light in ellipses, sum r I / sum I in units of their axes, as `sep.kron_radius`.

    Parameters
    ----------
    x, y, a, b, theta : array_like
        Ellipses as for `sum_ellipse`.
    r : array_like
        Size of the region, in units of the axes; 6 in SExtractor.
    data, mask, maskthresh, seg_id, segmap
        As for `sum_circle`; masked pixels are left out.

    Returns
    -------
    kronrad : ndarray of float64
        0 where the light is not positive (APER_NONPOSITIVE) or all pixels are masked (APER_ALLMASKED).
    flag : ndarray of int16
    """
    (x, y, a, b, theta, r), positions = broadcast(x, y, a, b, theta, r)
    radius, flags = numpy.empty(x.size), numpy.empty(x.size, numpy.int16)
    _core.sep_kron_radii(measured(data, mask, maskthresh, segmap, seg_id, positions), x, y, a, b, theta, r, radius,
                         flags, get_threads())
    return radius.reshape(positions), flags.reshape(positions)


def flux_radius(data: ArrayLike, x: ArrayLike, y: ArrayLike, rmax: ArrayLike, frac: ArrayLike,
                normflux: ArrayLike | None = None, mask: ArrayLike | None = None, maskthresh: float = 0.0,
                seg_id: ArrayLike | None = None, segmap: ArrayLike | None = None,
                subpix: int = 5) -> tuple[Array, Array]:
    """Radii of circles that hold fractions of the light, as `sep.flux_radius`.

    Parameters
    ----------
    x, y, rmax : array_like
        Positions, and the largest radius, which is divided into 64 steps.
    frac : float or array_like
        Fraction of `normflux`, or of the light within `rmax`.
    normflux : array_like, optional
    data, mask, maskthresh, seg_id, segmap, subpix
        As for `sum_circle`; `subpix` is at least 1.

    Returns
    -------
    radius : ndarray of float64
        With one axis more than `x` unless `frac` is a single number.
    flags : ndarray of int16
    """
    (x, y, rmax), positions = broadcast(x, y, rmax)
    fractions = packed(frac, numpy.float64).reshape(-1)
    norm: list[Array] = []
    if normflux is not None:
        norm = [packed(numpy.broadcast_to(numpy.asarray(normflux, dtype=numpy.float64), positions)).reshape(-1)]
    parts = whole(subpix, "subpix")
    if parts < 1:
        raise InputError(f"subpix value must be positive, not {subpix}")
    if (rmax < 0).any():
        raise _invalid()
    radius, flags = numpy.empty(x.size * fractions.size), numpy.empty(x.size, numpy.int16)
    _core.sep_flux_radii(measured(data, mask, maskthresh, segmap, seg_id, positions), x, y, rmax, norm, fractions,
                         parts, radius, flags, get_threads())
    return radius.reshape(positions + numpy.shape(frac)), flags.reshape(positions)


def winpos(data: ArrayLike, xinit: ArrayLike, yinit: ArrayLike, sig: ArrayLike, mask: ArrayLike | None = None,
           maskthresh: float = 0.0, subpix: int = 11, minsig: float = 2.0 / 2.35 * 0.5, seg_id: ArrayLike | None = None,
           segmap: ArrayLike | None = None, *, ignore_masked: bool | None = None) -> tuple[Array, Array, Array]:
    """Positions by a Gaussian window, SExtractor's XWIN_IMAGE and YWIN_IMAGE, as `sep.winpos`.

    Parameters
    ----------
    xinit, yinit : array_like
        Initial position of the window.
    sig : array_like
        Its sigma in pixels, at least `minsig`; the window extends to 4 sigma.
    minsig : float
        The smallest sigma.
    data, mask, maskthresh, subpix, seg_id, segmap
        As for `sum_circle`. SEP 1.4.1 has no segmap here; its fork sep-x has.
    ignore_masked : bool, optional
        Whether masked pixels and those of other sources are left out. Otherwise they count as the mean of the others. By
        default they are left out if there is a segmap, as in sep-x.

    Returns
    -------
    x, y : ndarray of float64
    flag : ndarray of int16
    """
    (x, y, sigma), positions = broadcast(xinit, yinit, sig)
    parts = _sub_pixels(subpix)
    x, y, sigma = x.copy(), y.copy(), numpy.maximum(sigma, number(minsig, "minsig"))
    flags = numpy.empty(x.size, numpy.int16)
    ignores = segmap is not None if ignore_masked is None else bool(ignore_masked)
    _core.sep_windowed_positions(measured(data, mask, maskthresh, segmap, seg_id, positions), x, y, sigma, parts, ignores, flags,
                                 get_threads())
    return x.reshape(positions), y.reshape(positions), flags.reshape(positions)


def ellipse_coeffs(a: ArrayLike, b: ArrayLike, theta: ArrayLike) -> tuple[Array, Array, Array]:
    """The ellipse of axes and an angle as cxx x^2 + cyy y^2 + cxy x y = 1, as `sep.ellipse_coeffs`.

    Parameters
    ----------
    a, b, theta : array_like
        Ellipses as for `sum_ellipse`.

    Returns
    -------
    cxx, cyy, cxy : ndarray of float64
    """
    (a, b, theta), shape = broadcast(a, b, theta)
    cxx, cyy, cxy = numpy.empty(a.size), numpy.empty(a.size), numpy.empty(a.size)
    _core.sep_ellipse_coeffs(a, b, theta, cxx, cyy, cxy)
    return cxx.reshape(shape), cyy.reshape(shape), cxy.reshape(shape)


def ellipse_axes(cxx: ArrayLike, cyy: ArrayLike, cxy: ArrayLike) -> tuple[Array, Array, Array]:
    """The axes and the angle of the ellipse cxx x^2 + cyy y^2 + cxy x y = 1, as `sep.ellipse_axes`.

    SEP 1.4.1 returns an angle of 0 where cxx = cyy and cxy is not 0; here it is 45 or -45 degrees, which is correct.

    Parameters
    ----------
    cxx, cyy, cxy : array_like
        Coefficients of the ellipses.

    Returns
    -------
    a, b, theta : ndarray of float64

    Raises
    ------
    InputError
        A ValueError: if the coefficients are no ellipse.
    """
    (cxx, cyy, cxy), shape = broadcast(cxx, cyy, cxy)
    a, b, theta = numpy.empty(cxx.size), numpy.empty(cxx.size), numpy.empty(cxx.size)
    bad = _core.sep_ellipse_axes(cxx, cyy, cxy, a, b, theta)
    if bad < cxx.size:
        raise InputError("parameters do not describe ellipse: "
                         f"cxx={cxx[bad]:f}, cyy={cyy[bad]:f}, cxy={cxy[bad]:f}")
    return a.reshape(shape), b.reshape(shape), theta.reshape(shape)


def mask_ellipse(arr: NDArray[Any], x: ArrayLike, y: ArrayLike, a: ArrayLike | None = None, b: ArrayLike | None = None,
                 theta: ArrayLike | None = None, r: ArrayLike = 1.0, cxx: ArrayLike | None = None,
                 cyy: ArrayLike | None = None, cxy: ArrayLike | None = None) -> None:
    """Set the elements of `arr` within ellipses to 1, as `sep.mask_ellipse`.

    Parameters
    ----------
    arr : ndarray, 2-d
        Changed in place. SEP accepts bool and uint8 alone; here any type is accepted.
    x, y : array_like
        Centres.
    a, b, theta : array_like, optional
        Ellipses as for `sum_ellipse`; or
    cxx, cyy, cxy : array_like, optional
        as for `ellipse_coeffs`.
    r : array_like
        Factor for the axes.
    """
    if not isinstance(arr, numpy.ndarray):
        raise TypeError(f"arr must be a NumPy array, for it is changed, not a {type(arr).__name__}")
    if arr.ndim != 2:
        raise InputError(f"arr: array must be 2-d, and this one has {arr.ndim} axes, of shape {arr.shape}")
    require_writeable(arr, "arr")
    if a is not None and b is not None and theta is not None:
        cxx, cyy, cxy = ellipse_coeffs(a, b, theta)
    elif cxx is None or cyy is None or cxy is None:
        raise InputError("Must specify either a, b and theta or cxx, cyy and cxy.")
    (x, y, cxx, cyy, cxy, r), _ = broadcast(x, y, cxx, cyy, cxy, r)
    direct = arr.flags.c_contiguous and arr.dtype in (numpy.dtype(bool), numpy.dtype("uint8"))
    inside = arr.view(numpy.uint8) if direct else numpy.zeros(arr.shape, numpy.uint8)
    _core.sep_mask_ellipses(inside.reshape(-1), arr.shape[1], arr.shape[0], x, y, cxx, cyy, cxy, r)
    if not direct:
        arr[inside != 0] = 1


