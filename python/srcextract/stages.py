"""The stages of the pipeline one by one: background, threshold, label, measure, and optional stages between them.

Every function takes arrays, and returns arrays or small objects. The objects hold the input of the next function, and
become an array on request. A key of the function's own section has its plain name (``threshold(image, sky,
threshold=3)``), others are ``section__key``. A result passes its keys on. Stages chained by hand on an array give
exactly the columns of `extract`.

>>> sky = srcextract.background(image)                       # doctest: +SKIP
>>> found = srcextract.threshold(image, sky, threshold=5)    # doctest: +SKIP
>>> labels = srcextract.label(found, min_area=5)             # doctest: +SKIP
>>> srcextract.measure(image, labels, sky)["X_IMAGE"]        # doctest: +SKIP

Images, masks and labels on a GPU (of CuPy, PyTorch, or any object with ``__cuda_array_interface__`` or ``__dlpack__``)
stay there. Results of stages have both interfaces, and are ready when the function returns. Columns are copied to the
host.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from srcextract import _core
from srcextract.arguments import Origin, threads_of
from srcextract.catalogue import Catalogue
from srcextract.errors import ConfigError
from srcextract.files import columns_of_positions
from srcextract.image_stages import as_image, combine, convolve, render, resample
from srcextract.stage_results import (Background, Foreground, Keys, Labels, Mesh, background_of, configuration_of,
                                      foreground_of, held_image, keys_of, of_sources, stage)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from srcextract.key_types import BackgroundKeys, DeblendKeys, DetectionKeys, MeasurementKeys

__all__ = ["Background", "Foreground", "Labels", "Mesh", "as_image", "background", "combine", "convolve", "deblend",
           "free_device_memory", "label", "measure", "photometry", "render", "resample", "threshold"]


def free_device_memory(device: int = 0) -> None:
    """Returns GPU memory that the stages have cached for the next image.

    Parameters
    ----------
    device : int
        Index of the GPU.
    """
    give_back: Any = getattr(_core, "device_stage_free", None)
    if give_back is not None:
        give_back(int(device))


@stage
def background(image: Any, *, threads: int | None = None, **keys: Unpack[BackgroundKeys]) -> Background:
    """Level and noise of the sky.

    Parameters
    ----------
    image : array
        2 axes; NaN is masked.
    threads : int, optional
        None: as many as this process may use. Results do not depend on it.
    **keys
        Keys of section ``background``: ``method`` ('mesh' or 'constant'), ``mesh_size``, ``mesh_height``, ``kappa``,
        ``estimator``, ``filter_size``, ``filter_height``, ``filter_threshold``, ``max_iterations``, ``rms``.

    Returns
    -------
    Background

    Notes
    -----
    The meshes are SExtractor's (Bertin & Arnouts 1996, section 3); ``constant`` is one kappa-sigma clip about the
    median.
    """
    count = threads_of(threads)
    given = keys_of("background", {**keys})
    return Background(_core.stage_background(held_image(image, count), configuration_of(given), count), given)


@stage
def threshold(image: Any, background: Background | None = None, *, threads: int | None = None,
              **keys: Unpack[DetectionKeys]) -> Foreground:
    """Finds pixels that are brighter than a threshold.

    Parameters
    ----------
    image : array
        The image that `background` got, with its sky; or the subtracted image, with ``background.subtracted``.
    background : Background, optional
        The image's background; None: it is estimated, with ``background__...`` keys.
    threads : int, optional
    **keys
        Keys of section ``detection``: ``threshold`` (5), ``threshold_unit``, ``reference``, ``seed``,
        ``false_discovery_rate``, ``correlated_pixels``. ``morphology__operation`` erodes or opens the result.

    Returns
    -------
    Foreground
    """
    count = threads_of(threads)
    given = keys_of("detection", {**keys})
    held = held_image(image, count)
    sky = background_of(held, background, given, count)
    given = {**sky._keys, **held.keys, **given}
    return Foreground(_core.stage_threshold(held, sky._made, sky._of_rest, configuration_of(given), count), given)


@stage
def label(mask: Any, *, threads: int | None = None, **keys: Unpack[DetectionKeys]) -> Labels:
    """Joins touching pixels into sources, numbered in raster order of their first pixel.

    Parameters
    ----------
    mask : Foreground or array
        bool, or integers that are not 0 in the foreground.
    threads : int, optional
    **keys
        Keys of section ``detection``: ``connectivity`` (4, or 8 by default) and ``min_area`` (5): sources with fewer
        pixels are dropped.

    Returns
    -------
    Labels

    Notes
    -----
    ``min_area=1`` gives the result of `scipy.ndimage.label`: with ``connectivity=4`` that of its default, and with 8
    (the default here) that of ``structure=numpy.ones((3, 3))``.
    """
    count = threads_of(threads)
    found = foreground_of(mask, count)
    given = {**found._keys, **keys_of("detection", {**keys})}
    return Labels(_core.stage_label(found._made, configuration_of(given), count), given, found._made.level is not None)


@stage
def deblend(image: Any, labels: Any, background: Background | None = None, *, found_in: Any = None, method: str = "tree",
            threads: int | None = None, **keys: Unpack[DeblendKeys]) -> Labels:
    """Deblends sources with several peaks, and merges sources into others whose wings they are in.

    Parameters
    ----------
    image : array
        The image to measure, as for `threshold`.
    labels : Labels or array
        Integers, 0 where there is no source.
    background : Background, optional
    found_in : array, optional
        The detection image, if it is another: the convolved image.
    method : {'tree', 'none'}
    threads : int, optional
    **keys
        Keys of section ``deblend``: ``thresholds``, ``contrast``, ``clean``, ``clean_beta``; and
        ``detection__max_area``, and ``detection__threshold`` for labels that are not from `threshold`.

    Returns
    -------
    Labels

    Notes
    -----
    SExtractor's multi-threshold deblending and cleaning (Bertin & Arnouts 1996, sections 5 and 6).
    """
    count = threads_of(threads)
    given = keys_of("deblend", {"method": method, **keys})
    held, sources, other, sky, given = of_sources(image, labels, background, found_in, given, count)
    return Labels(_core.stage_deblend(held, sources._made, sky._made, sky._of_rest, other, configuration_of(given), count),
                  given, sources._thresholded)


@stage
def measure(image: Any, labels: Any, background: Background | None = None, *, found_in: Any = None,
            threads: int | None = None, **keys: Unpack[MeasurementKeys]) -> Catalogue:
    """Measures every source from its own pixels: position, extent, shape, isophotal flux.

    Parameters
    ----------
    image : array
        As for `threshold`.
    labels : Labels or array
        Integers, 0 where there is no source. Rows are in ascending order of the labels, which become NUMBER.
    background : Background, optional
        The image's background; None: it is estimated, with ``background__...`` keys.
    found_in : array, optional
        The detection image, if it is another: positions and shapes are from it, fluxes from `image`.
    threads : int, optional
    **keys
        Keys of section ``measurement``, such as ``gain`` and ``saturation``; ``detection__threshold`` is THRESHOLD for
        labels that are not from `threshold`.

    Returns
    -------
    Catalogue
        The columns that `extract` gives with the same keys, except those on the sky.
    """
    return _measure(image, labels, background, found_in, threads, keys_of("measurement", {**keys}))


@stage
def photometry(image: Any, labels: Any = None, background: Background | None = None, *,
               columns: str | Sequence[str] | None = None, positions: Any = None, origin: Origin | None = None,
               found_in: Any = None, threads: int | None = None, **keys: Unpack[MeasurementKeys]) -> Catalogue:
    """Measures further columns of every source: light in circles and ellipses, windowed positions, and all others of
    output.columns except those on the sky.

    Parameters
    ----------
    image, labels, background, found_in, threads
        As for `measure`.
    columns : str or list of str, optional
        Names or groups, as in ``output.columns``: ``["FLUX_AUTO", "FLUX_RADIUS"]``. For labels.
    positions : Catalogue, table, dict, structured array, array of shape (n, 2), optional
        Positions to measure, instead of labels: X_IMAGE and Y_IMAGE, or X and Y (the centre of the first pixel is 1), or
        columns or an array of x and y (it is 0). Light is measured in circles, and in the ellipses of A_IMAGE, B_IMAGE and
        THETA_IMAGE, if given.
    origin : {0, 1}, optional
        As for `extract`.
    **keys
        Keys of section ``measurement``: ``apertures``, ``kron``, ``petrosian``, ``flux_radius``, ``annulus``, ``mask``,
        ``noise`` ...

    Returns
    -------
    Catalogue
    """
    if (labels is None) == (positions is None):
        raise ConfigError("photometry is of labels, or at positions: give one of them")
    given = keys_of("measurement", {**keys})
    if positions is not None:
        if columns is not None or found_in is not None:
            raise ConfigError("columns and found_in are of labels; at positions there are the columns of circles and, where "
                              "positions have a shape, of ellipses")
        return _measure_at(image, positions, origin, background, threads, given)
    if columns is None:
        raise ConfigError("columns: say which, as in columns=['FLUX_AUTO', 'FLUX_RADIUS']")
    given["output__columns"] = [columns] if isinstance(columns, str) else list(columns)
    return _measure(image, labels, background, found_in, threads, given)


def _measure_at(image: Any, positions: Any, origin: Any, background: Background | None, threads: int | None, keys: Keys) -> Catalogue:
    count = threads_of(threads)
    held = held_image(image, count)
    sky = background_of(held, background, keys, count)
    columns = columns_of_positions(positions, origin)
    is_empty = not columns["X_IMAGE"]
    if is_empty:  # a row that is left out later
        columns = {name: [1.0] for name in columns}
    found = Catalogue(_core.stage_measure_at(held, columns, sky._made, sky._of_rest, configuration_of({**sky._keys, **keys}), count))
    return found[:0] if is_empty else found


def _measure(image: Any, labels: Any, background: Background | None, found_in: Any, threads: int | None,
             keys: Keys) -> Catalogue:
    count = threads_of(threads)
    held, sources, other, sky, keys = of_sources(image, labels, background, found_in, keys, count)
    return Catalogue(_core.stage_measure(held, sources._made, sky._made, sky._of_rest, other, configuration_of(keys),
                                         count))
