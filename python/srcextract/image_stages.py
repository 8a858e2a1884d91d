"""The stages that make images of images; see `srcextract.stages`."""
from collections.abc import Iterable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from srcextract import _core, headers
from srcextract.arguments import threads_of
from srcextract.errors import ConfigError, InputError
from srcextract.stage_results import (Background, array_of_held, background_of, configuration_of, held_image, keys_of, stage)


@stage
def as_image(image: Any, *, threads: int | None = None) -> Any:
    """The pixels of an image as every stage takes them: of float32, NaN where they are masked.

    Stages read any array by themselves, each time they are given it; what this returns, and what stages return, they
    take as it is. It is a copy: what becomes of `image` changes nothing of it.

    Parameters
    ----------
    image : array, masked array, HDU, NDData
    threads : int, optional

    Returns
    -------
    numpy.ndarray
        Of float32 and read-only; ``.copy()`` of it can be written to.
    """
    held = held_image(image, threads_of(threads), copy=True)
    return array_of_held(held, held.keys)


@stage
def convolve(image: Any, background: Background | None = None, *, kernel: Any, threads: int | None = None,
             **keys: Any) -> Any:
    """The image convolved with a kernel, about the level of its sky. Masked pixels take no part and stay masked.

    Parameters
    ----------
    image : array
    background : Background, optional
        Of the image. Of a mesh: convolve ``background.subtract(image)``, with ``background.subtracted``. None: the
        image is above its sky already.
    kernel : {'gaussian', 'tophat', 'mexican_hat', 'file'} or array
        An array, both of whose sides are odd, is the kernel itself.
    threads : int, optional
    **keys
        Of the section ``convolve``: ``fwhm``, ``sigma``, ``radius``, ``size``, ``file``, ``normalize``, ``edges``
        ('zero', 'nearest' or 'reflect').

    Returns
    -------
    numpy.ndarray
        Of float32, read-only.
    """
    count = threads_of(threads)
    if not isinstance(kernel, str):
        rows = numpy.asarray(kernel)
        if rows.ndim != 2 or rows.dtype.kind not in "iuf":
            raise ConfigError(f"kernel: an array of 2 axes, or gaussian, tophat, mexican_hat or file; not {kernel!r}")
        keys = {**keys, "values": rows.astype(float)}
        kernel = "values"
    keys = keys_of("convolve", {"kernel": kernel, **keys})
    held = held_image(image, count)
    sky = None if background is None else background_of(held, background, keys, count)
    made = _core.stage_convolve(held, sky and sky._made, sky is not None and sky._of_rest, configuration_of(keys),
                                count)
    return array_of_held(made, {**held.keys, **keys})


@stage
def combine(planes: Any, method: str = "mean", *, threads: int | None = None, **keys: Any) -> Any:
    """Several images of one shape as one, pixel by pixel.

    Parameters
    ----------
    planes : sequence of arrays, or array of 3 axes
    method : {'mean', 'weighted', 'luminosity', 'median', 'inverse_variance', 'chi_square'}
    threads : int, optional
    **keys
        Of the section ``combine``: ``weights``; ``background__...`` for methods that need the noise of planes.

    Returns
    -------
    numpy.ndarray
        Of float32, read-only; NaN where no plane tells.
    """
    count = threads_of(threads)
    if not isinstance(planes, Iterable) or getattr(planes, "ndim", 3) < 3:
        raise InputError("planes: several images of one shape, as in combine([first, second]), or an array of 3 axes; not "
                         + (f"an array of {planes.ndim}" if hasattr(planes, "ndim") else f"{planes!r}"))
    held = [held_image(plane, count, f"plane {at}") for at, plane in enumerate(planes)]
    if not held:
        raise InputError("planes: there is none")
    keys = keys_of("combine", {"method": method, **keys})
    if method == "none":
        raise ConfigError("combine.method: 'none' combines nothing")
    return array_of_held(_core.stage_combine(held, configuration_of(keys), count))


@stage
def resample(image: Any, from_header: Any, to_header: Any, *, shape: Sequence[int] | None = None,
             threads: int | None = None, **keys: Any) -> Any:
    """The image on the pixels of another, by the WCS of both.

    Parameters
    ----------
    image : array
    from_header, to_header : astropy.io.fits.Header, astropy.wcs.WCS or str
        Of the image, and of the pixels that it is wanted on.
    shape : tuple of int, optional
        Rows and columns that are wanted; by default what ``to_header`` says (NAXIS2 and NAXIS1, or a WCS's
        ``array_shape``), or else the image's.
    threads : int, optional
    **keys
        Of the section ``difference``: ``interpolation`` ('lanczos3' or 'bilinear').

    Returns
    -------
    numpy.ndarray
        Of float32, read-only; NaN where the image has no pixel.
    """
    count = threads_of(threads)
    held = held_image(image, count)
    if shape is None:
        shape = getattr(to_header, "array_shape", None)
        if shape is None:
            shape = headers.shape_of(_cards(to_header))
        if shape is None:
            shape = held.array.shape
    keys = keys_of("difference", {"align": "wcs", **keys})
    height, width = (int(length) for length in shape)
    if height < 1 or width < 1:
        raise InputError(f"shape: {shape} has no pixels")
    return array_of_held(_core.stage_resample(held, _cards(from_header), _cards(to_header), (height, width),
                                          configuration_of(keys), count))


def _cards(header: Any) -> str:
    """Of a header or a WCS."""
    if hasattr(header, "to_header") or hasattr(header, "low_level_wcs"):
        return headers.with_wcs("", header)
    return headers.cards_of(header)


@stage
def render(image: Any, *, threads: int | None = None, **keys: Any) -> NDArray[numpy.uint8]:
    """A picture of the image in grey, to be looked at.

    Parameters
    ----------
    image : array
    threads : int, optional
    **keys
        Of the section ``quicklook``: ``stretch`` ('asinh', 'linear', 'sqrt', 'log', 'equalize'), ``limits`` ('zscale',
        'minmax', 'values' with ``low`` and ``high``), ``bins``, ``size`` (the longer side has at most so many pixels,
        1024 by default).

    Returns
    -------
    numpy.ndarray
        Of uint8, row 0 that of the image; masked pixels are black.
    """
    count = threads_of(threads)
    keys = {"output__quicklook": True, **keys_of("quicklook", keys)}
    return _core.stage_render(held_image(image, count), configuration_of(keys), count)
