"""The stages that make images from images; see `srcextract.stages`."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from srcextract import _core, headers
from srcextract.arguments import threads_of
from srcextract.errors import ConfigError, InputError
from srcextract.configuration import with_kernel
from srcextract.images import require_one_unit
from srcextract.stage_results import (Background, array_of_held, background_of, configuration_of, held_image, keys_of, stage)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from srcextract.key_types import CombineKeys, ConvolveKeys, DifferenceKeys, QuicklookKeys


@stage
def as_image(image: Any, *, threads: int | None = None) -> Any:
    """The pixels of an image in the form that stages use: float32, NaN where masked.

    Stages convert any array each time they get it. Results of this function and of other stages are used directly.
    The result is a copy: later changes of `image` do not affect it.

    Parameters
    ----------
    image : array, masked array, HDU, NDData
    threads : int, optional

    Returns
    -------
    numpy.ndarray
        float32 and read-only; a ``.copy()`` is writable.
    """
    held = held_image(image, threads_of(threads), copy=True)
    return array_of_held(held, held.keys)


@stage
def convolve(image: Any, background: Background | None = None, *, kernel: Any, threads: int | None = None,
             **keys: Unpack[ConvolveKeys]) -> Any:
    """The image convolved with a kernel, about its sky level. Masked pixels do not contribute, and stay masked.

    Parameters
    ----------
    image : array
    background : Background, optional
        The image's background. For a mesh, convolve ``background.subtract(image)`` with ``background.subtracted``.
        None: the sky is already subtracted.
    kernel : {'gaussian', 'tophat', 'mexican_hat', 'file'} or array
        An array with odd sides is the kernel itself.
    threads : int, optional
    **keys
        Keys of section ``convolve``: ``fwhm``, ``sigma``, ``radius``, ``size``, ``file``, ``normalize``, ``edges``
        ('zero', 'nearest' or 'reflect').

    Returns
    -------
    numpy.ndarray
        float32, read-only.
    """
    count = threads_of(threads)
    given = keys_of("convolve", with_kernel({"kernel": kernel, **keys}, ""))
    held = held_image(image, count)
    sky = None if background is None else background_of(held, background, given, count)
    made = _core.stage_convolve(held, sky and sky._made, sky is not None and sky._of_rest, configuration_of(given),
                                count)
    return array_of_held(made, {**held.keys, **given})


@stage
def combine(planes: Any, method: str = "mean", *, threads: int | None = None, **keys: Unpack[CombineKeys]) -> Any:
    """Combines several images of one shape pixel by pixel.

    Parameters
    ----------
    planes : sequence of arrays, or array of 3 axes
        Quantities and NDData in one unit, or all without.
    method : {'mean', 'weighted', 'luminosity', 'median', 'inverse_variance', 'chi_square'}
    threads : int, optional
    **keys
        Keys of section ``combine``: ``weights``; ``background__...`` for methods that need the noise of planes.

    Returns
    -------
    numpy.ndarray
        float32, read-only; NaN where no plane has a value.
    """
    count = threads_of(threads)
    if not isinstance(planes, Iterable) or getattr(planes, "ndim", 3) < 3:
        raise InputError("planes: several images of one shape, as in combine([first, second]), or an array of 3 axes; not "
                         + (f"an array of {planes.ndim}" if hasattr(planes, "ndim") else f"{planes!r}"))
    planes = list(planes)
    if not planes:
        raise InputError("planes: there is none")
    require_one_unit(planes)
    held = [held_image(plane, count, f"plane {at}") for at, plane in enumerate(planes)]
    given = keys_of("combine", {"method": method, **keys})
    if method == "none":
        raise ConfigError("combine.method: 'none' combines nothing")
    return array_of_held(_core.stage_combine(held, configuration_of(given), count))


@stage
def resample(image: Any, from_header: Any, to_header: Any, *, shape: Sequence[int] | None = None,
             threads: int | None = None, **keys: Unpack[DifferenceKeys]) -> Any:
    """Resamples the image to the pixels of another, by the WCS of both.

    Parameters
    ----------
    image : array
    from_header, to_header : astropy.io.fits.Header, astropy.wcs.WCS or str
        Header of the image, and of the target pixels.
    shape : tuple of int, optional
        Rows and columns of the result. Default: those of ``to_header`` (NAXIS2 and NAXIS1, or a WCS's ``array_shape``),
        else the image's.
    threads : int, optional
    **keys
        Keys of section ``difference``: ``interpolation`` ('lanczos3' or 'bilinear').

    Returns
    -------
    numpy.ndarray
        float32, read-only; NaN where the image has no pixel.
    """
    count = threads_of(threads)
    held = held_image(image, count)
    if shape is None:
        shape = getattr(to_header, "array_shape", None)
        if shape is None:
            shape = headers.shape_of(_cards(to_header))
        if shape is None:
            shape = held.array.shape
    given = keys_of("difference", {"align": "wcs", **keys})
    height, width = (int(length) for length in shape)
    if height < 1 or width < 1:
        raise InputError(f"shape: {shape} has no pixels")
    return array_of_held(_core.stage_resample(held, _cards(from_header), _cards(to_header), (height, width),
                                          configuration_of(given), count))


def _cards(header: Any) -> str:
    """The cards of a header or a WCS."""
    if hasattr(header, "to_header") or hasattr(header, "low_level_wcs"):
        return headers.with_wcs("", header)
    return headers.cards_of(header)


@stage
def render(image: Any, *, threads: int | None = None, **keys: Unpack[QuicklookKeys]) -> NDArray[numpy.uint8]:
    """A grey picture of the image for viewing.

    Parameters
    ----------
    image : array
    threads : int, optional
    **keys
        Keys of section ``quicklook``: ``stretch`` ('asinh', 'linear', 'sqrt', 'log', 'equalize'), ``limits`` ('zscale',
        'minmax', 'values' with ``low`` and ``high``), ``bins``, ``size`` (maximum pixels of the longer side, 1024 by
        default).

    Returns
    -------
    numpy.ndarray
        uint8; row 0 is the image's row 0; masked pixels are black.
    """
    count = threads_of(threads)
    given = {"output__quicklook": True, **keys_of("quicklook", {**keys})}
    return _core.stage_render(held_image(image, count), configuration_of(given), count)
