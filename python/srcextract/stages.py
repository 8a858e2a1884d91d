"""The stages of the pipeline one by one: background, threshold, label, measure, and what may come between them.

Every function takes arrays and gives arrays, or small objects that hold what the next function wants and make an array
when one is asked for. Keys are those of the configuration: a stage's own section by their plain names
(``threshold(image, sky, threshold=3)``), others as ``section__key``, and what a result was made with goes on with it.
Chained by hand on an array the stages give exactly the columns of `extract`.

>>> sky = srcextract.background(image)                       # doctest: +SKIP
>>> found = srcextract.threshold(image, sky, threshold=5)    # doctest: +SKIP
>>> labels = srcextract.label(found, min_area=5)             # doctest: +SKIP
>>> srcextract.measure(image, labels, sky)["X_IMAGE"]        # doctest: +SKIP

Images, masks and labels on a GPU (of CuPy, PyTorch, or whatever has ``__cuda_array_interface__`` or ``__dlpack__``) stay
there: what a stage makes of them has both, and is ready when the function returns. Columns come to the host.
"""
import functools
import weakref
from collections import namedtuple

import numpy

from srcextract import _core, configuration, images
from srcextract.arrays import array_of, plane_of
from srcextract.catalogue import Catalogue
from srcextract.devices import DeviceArray
from srcextract.errors import ConfigError, InputError
from srcextract.pipeline import pass_on_log

Mesh = namedtuple("Mesh", "level rms")
Mesh.__doc__ = """Level and noise of every mesh of a background, after the median filter: arrays of float32."""

_device_image = getattr(_core, "DeviceImage", ())  # in a build without CUDA there is none
_held = weakref.WeakValueDictionary()  # images of the compiled half that NumPy has, by the address of their pixels


def _stage(function):
    """Passes on what the compiled half logs."""
    @functools.wraps(function)
    def passing_on(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            raise InputError(f"{function.__name__}: what is given lies on the host and on a GPU; copy it to one of them, as "
                             "with cupy.asarray or cupy.asnumpy") from None
        finally:
            pass_on_log()
    return passing_on


def _on_host(values):
    """An array of the host, or says where it lies."""
    if isinstance(values, numpy.ndarray):
        return values
    raise TypeError("this lies on a GPU: cupy.asarray takes it there, and cupy.asnumpy(cupy.asarray(...)) brings it here")


def _keys_of(section, keys):
    """Keys as extract() takes them; plain ones are of the section."""
    return {name if "__" in name else f"{section}__{name}": value for name, value in keys.items()}


@functools.lru_cache(64)
def _read(settings):
    return _core.Configuration(None, "", list(settings))


def _configuration(keys):
    if any(name.rpartition("__")[2] in ("file", "nnw") for name in keys):
        return configuration.read(None, keys)
    return _read(tuple(configuration.settings_of(keys)))


def _threads(threads):
    if threads is not None and (threads != int(threads) or threads < 1):
        raise ConfigError(f"threads={threads!r}: at least 1, or None for as many as this process may use")
    return int(threads or 0)


def _array_of(held, keys=None):
    """The pixels of an image of the compiled half, which need not be read again when they come back; on a device they are
    its own object."""
    held.keys = dict(keys or {})
    if not isinstance(held, _core.HostImage):
        return held
    array = held.array
    _held[array.__array_interface__["data"][0]] = held
    return array


def _image(values, threads, name="the image"):
    """An image as the compiled half takes it."""
    if type(values) is numpy.ndarray and not values.flags.writeable and values.dtype == numpy.float32:
        held = _held.get(values.__array_interface__["data"][0])
        if held is not None and values.flags.c_contiguous and held.array.shape == values.shape:
            return held
    if isinstance(values, _device_image):
        if not hasattr(values, "keys"):
            values.keys = {}
        return values
    if images.path_of(values) is not None:
        raise InputError(f"{name}: stages take arrays; open the file, as with astropy.io.fits.getdata({values!r})")
    opened = images.open_image(values, None)
    pixels = opened.pixels
    if pixels.dtype == bool:
        pixels = pixels.view("u1")
    if opened.mask is not None:
        pixels = numpy.where(opened.mask, numpy.float32(numpy.nan), pixels)
    plane = plane_of(pixels, name, bscale=opened.bscale, bzero=opened.bzero,
                     blank=opened.blank if pixels.dtype.kind in "iu" else None)
    held = _core.stage_image(plane, threads) if plane.device is None else _core.device_stage_image(plane)
    held.keys = {}
    return held


def free_device_memory(device=0):
    """Returns to a GPU what the stages keep of its memory for the next image."""
    _core.device_stage_free(int(device))


@_stage
def as_image(image, *, threads=None):
    """The pixels of an image as every stage takes them: of float32, NaN where they are masked.

    Stages read any array by themselves, each time they are given it; what this returns, and what stages return, they
    take as it is.

    Parameters
    ----------
    image : array, masked array, HDU, NDData
    threads : int, optional

    Returns
    -------
    numpy.ndarray
        Of float32 and read-only; ``.copy()`` of it can be written to.
    """
    held = _image(image, _threads(threads))
    return _array_of(held, held.keys)


class Background:
    """The sky of an image: its level and its noise.

    Attributes
    ----------
    level, rms : numpy.ndarray
        In every pixel, float32; made when they are first asked for.
    mesh : Mesh or None
        ``mesh.level`` and ``mesh.rms`` at every node, or None of the method ``constant``.
    global_level, global_rms : float
        In one number each: the clipped median and its sigma, or the medians over the meshes.
    shape : tuple of int
        Of the image.
    subtracted : Background
        That of what `subtract` leaves: its level is 0, its noise the same.
    """

    def __init__(self, made, keys, of_rest=False):
        self._made, self._keys, self._of_rest = made, keys, of_rest

    shape = property(lambda self: self._made.shape)
    global_rms = property(lambda self: self._made.global_rms)

    @property
    def global_level(self):
        return 0.0 if self._of_rest else self._made.global_level

    @functools.cached_property
    def level(self):
        return self._made.nothing() if self._of_rest else self._made.level()

    @functools.cached_property
    def rms(self):
        return self._made.rms()

    @property
    def mesh(self):
        level = self._made.level_nodes()
        if level is None:
            return None
        return Mesh(numpy.zeros_like(level) if self._of_rest else level, self._made.rms_nodes())

    @property
    def subtracted(self):
        return Background(self._made, self._keys, True)

    def subtract(self, image, *, threads=None):
        """What the image has above the level, ``image - level`` in float32; NaN where the image is."""
        threads = _threads(threads)
        held = _image(image, threads)
        if self._of_rest:
            return _array_of(held, held.keys)
        return _array_of(_core.stage_subtract(held, self._made, threads), held.keys)

    def __array__(self, dtype=None, copy=None):
        values = _on_host(self.level)
        return numpy.array(values, dtype) if copy else numpy.asarray(values, dtype)

    @property
    def __cuda_array_interface__(self):
        return self.level.__cuda_array_interface__

    def __repr__(self):
        height, width = self.shape
        mesh = self.mesh
        how = "constant" if mesh is None else f"{mesh.level.shape[1]} x {mesh.level.shape[0]} meshes"
        return f"<Background of {width} x {height} pixels, {how}, {self.global_level:.4g} ± {self.global_rms:.4g}>"


class Foreground:
    """Pixels that may be of sources, as `threshold` finds them.

    Attributes
    ----------
    mask : numpy.ndarray
        Of bool, True in these pixels; made when it is first asked for. ``numpy.asarray(foreground)`` is it, too.
    level : float or None
        The threshold as a pixel value, in the noise of the image as a whole.
    shape : tuple of int
    """

    def __init__(self, made, keys):
        self._made, self._keys = made, keys

    shape = property(lambda self: self._made.shape)
    level = property(lambda self: self._made.level)

    @functools.cached_property
    def mask(self):
        made = self._made.mask()
        return made.view(bool) if isinstance(made, numpy.ndarray) else made

    def __array__(self, dtype=None, copy=None):
        values = _on_host(self.mask)
        return numpy.array(values, dtype) if copy else numpy.asarray(values, dtype)

    @property
    def __cuda_array_interface__(self):
        return self.mask.__cuda_array_interface__

    def __repr__(self):
        height, width = self.shape
        return f"<Foreground of {width} x {height} pixels in {self._made.runs} runs>"


class Labels:
    """Which pixels are of which source, as `label` and `deblend` find them; ``len(labels)`` is how many there are.

    Attributes
    ----------
    image : numpy.ndarray
        Of int32: the source of each pixel, from 1, or 0; made when it is first asked for. ``numpy.asarray(labels)`` is
        it, too.
    found : int
        Sources before those of too few pixels were dropped.
    shape : tuple of int
    """

    def __init__(self, made, keys):
        self._made, self._keys = made, keys

    shape = property(lambda self: self._made.shape)
    found = property(lambda self: self._made.found)

    @functools.cached_property
    def image(self):
        return self._made.map()

    def __len__(self):
        return self._made.kept

    def __array__(self, dtype=None, copy=None):
        values = _on_host(self.image)
        return numpy.array(values, dtype) if copy else numpy.asarray(values, dtype)

    @property
    def __cuda_array_interface__(self):
        return self.image.__cuda_array_interface__

    def __repr__(self):
        height, width = self.shape
        return f"<Labels of {len(self)} sources in {width} x {height} pixels>"


def _foreground(mask, threads):
    if isinstance(mask, Foreground):
        return mask
    values = array_of(mask, "the mask")
    if values.dtype.kind not in "biu":
        raise InputError(f"the mask: of what type {values.dtype} is its foreground? Give an array of bool, as "
                         "image > 3, or what threshold() makes")
    if isinstance(values, DeviceArray) and values.dtype.itemsize > 1:
        raise InputError(f"the mask: on a GPU it is an array of bool, and this one is of {values.dtype}; give mask != 0")
    values = values.view("u1") if values.dtype.itemsize == 1 else (values != 0).view("u1")
    plane = plane_of(values, "the mask")
    return Foreground(_core.stage_foreground(plane, threads) if plane.device is None
                      else _core.device_stage_foreground(plane), {})


def _labels(labels, threads):
    if isinstance(labels, Labels):
        return labels
    values = array_of(labels, "the labels")
    if values.dtype.kind not in "iu":
        raise InputError(f"the labels: an array of {values.dtype} has none; give integers, 0 where there is no source, or "
                         "what label() makes" + (" of a mask" if values.dtype == bool else ""))
    if values.dtype != numpy.int32 and isinstance(values, DeviceArray):
        raise InputError(f"the labels: on a GPU they are of int32, and these of {values.dtype}; give "
                         "labels.astype('int32')")
    if values.dtype != numpy.int32:
        limits = numpy.iinfo(numpy.int32)
        if values.dtype.itemsize >= 4 and values.size and (values.max() > limits.max or values.min() < 0):
            raise InputError(f"the labels: labels are 1 to {limits.max}, and 0 where there is no source")
        values = values.astype(numpy.int32)
    plane = plane_of(values, "the labels")
    return Labels(_core.stage_labels(plane, threads) if plane.device is None else _core.device_stage_labels(plane), {})


def _background(image, background, keys, threads):
    if isinstance(background, Background):
        wrong = [name for name in keys if name.startswith("background__")]
        if wrong:
            raise ConfigError(f"{wrong[0]}: the background is given, with its keys; give either")
        return background
    if background is not None:
        raise InputError(f"background: a {type(background).__name__}; it is what background() makes of the image, and "
                         "None has it made")
    of_sky = {name: value for name, value in keys.items() if name.startswith("background__")}
    return Background(_core.stage_background(image, _configuration(of_sky), threads), of_sky)


def _found_in(found_in, threads):
    return None if found_in is None else _image(found_in, threads, "found_in")


@_stage
def background(image, *, threads=None, **keys):
    """Level and noise of the sky.

    Parameters
    ----------
    image : array
        Of 2 axes; NaN is masked.
    threads : int, optional
        None is as many as this process may use. What is found does not depend on them.
    **keys
        Of the section ``background``: ``method`` ('mesh' or 'constant'), ``mesh_size``, ``kappa``, ``estimator``,
        ``filter_size``, ``filter_threshold``, ``max_iterations``, ``rms``.

    Returns
    -------
    Background

    Notes
    -----
    The meshes are SExtractor's (Bertin & Arnouts 1996, section 3); ``constant`` is one kappa-sigma clip about the
    median.
    """
    threads = _threads(threads)
    keys = _keys_of("background", keys)
    return Background(_core.stage_background(_image(image, threads), _configuration(keys), threads), keys)


@_stage
def convolve(image, background=None, *, kernel, threads=None, **keys):
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
    threads = _threads(threads)
    if not isinstance(kernel, str):
        rows = numpy.asarray(kernel)
        if rows.ndim != 2 or rows.dtype.kind not in "iuf":
            raise ConfigError(f"kernel: an array of 2 axes, or gaussian, tophat, mexican_hat or file; not {kernel!r}")
        keys = {**keys, "values": rows.astype(float)}
        kernel = "values"
    keys = _keys_of("convolve", {"kernel": kernel, **keys})
    held = _image(image, threads)
    sky = None if background is None else _background(held, background, keys, threads)
    made = _core.stage_convolve(held, sky and sky._made, sky is not None and sky._of_rest, _configuration(keys),
                                threads)
    return _array_of(made, {**held.keys, **keys})


@_stage
def threshold(image, background=None, *, threads=None, **keys):
    """Pixels that are brighter than a threshold.

    Parameters
    ----------
    image : array
        As `background` had it, with the sky; or above it, with ``background.subtracted``.
    background : Background, optional
        Of the image; None: it is made, with ``background__...`` keys.
    threads : int, optional
    **keys
        Of the section ``detection``: ``threshold`` (5), ``threshold_unit``, ``reference``, ``seed``,
        ``false_discovery_rate``, ``correlated_pixels``. ``clean__operation`` erodes or opens what was found.

    Returns
    -------
    Foreground
    """
    threads = _threads(threads)
    keys = _keys_of("detection", keys)
    held = _image(image, threads)
    sky = _background(held, background, keys, threads)
    keys = {**sky._keys, **held.keys, **keys}
    return Foreground(_core.stage_threshold(held, sky._made, sky._of_rest, _configuration(keys), threads), keys)


@_stage
def label(mask, *, threads=None, **keys):
    """Joins pixels that touch into sources, numbered in raster order of their first pixel.

    Parameters
    ----------
    mask : Foreground or array
        Of bool, or of integers that are not 0 in the foreground.
    threads : int, optional
    **keys
        Of the section ``detection``: ``connectivity`` (4, or 8 by default) and ``min_area`` (5): sources of fewer
        pixels are dropped.

    Returns
    -------
    Labels

    Notes
    -----
    With ``min_area=1`` it is `scipy.ndimage.label`.
    """
    threads = _threads(threads)
    found = _foreground(mask, threads)
    keys = {**found._keys, **_keys_of("detection", keys)}
    return Labels(_core.stage_label(found._made, _configuration(keys), threads), keys)


@_stage
def deblend(image, labels, background=None, *, found_in=None, method="tree", threads=None, **keys):
    """Divides sources of more than one peak, and has some take in those in their wings.

    Parameters
    ----------
    image : array
        In which sources are measured, as for `threshold`.
    labels : Labels or array
        Of integers, 0 where there is no source.
    background : Background, optional
    found_in : array, optional
        In which sources were found, if it is another: the convolved image.
    method : {'tree', 'none'}
    threads : int, optional
    **keys
        Of the section ``deblend``: ``thresholds``, ``contrast``, ``clean``, ``clean_beta``; and
        ``detection__threshold`` of labels that are not of `threshold`.

    Returns
    -------
    Labels

    Notes
    -----
    SExtractor's multi-threshold deblending and cleaning (Bertin & Arnouts 1996, sections 5 and 6).
    """
    threads = _threads(threads)
    keys = _keys_of("deblend", {"method": method, **keys})
    held, sources, other, sky, keys = _of_sources(image, labels, background, found_in, keys, threads)
    return Labels(_core.stage_deblend(held, sources._made, sky._made, sky._of_rest, other, _configuration(keys), threads),
                  keys)


def _of_sources(image, labels, background, found_in, keys, threads):
    """What a stage takes that looks at sources."""
    held = _image(image, threads)
    sources = _labels(labels, threads)
    other = _found_in(found_in, threads)
    sky = _background(held, background, keys, threads)
    return held, sources, other, sky, {**sky._keys, **(other.keys if other else {}), **sources._keys, **keys}


@_stage
def measure(image, labels, background=None, *, found_in=None, threads=None, **keys):
    """The columns of every source that follow from its own pixels: position, extent, shape, isophotal flux.

    Parameters
    ----------
    image : array
        As for `threshold`.
    labels : Labels or array
        Of integers, 0 where there is no source. Rows are in ascending order of the labels, which are NUMBER.
    background : Background, optional
        Of the image; None: it is made, with ``background__...`` keys.
    found_in : array, optional
        In which sources were found, if it is another: it tells positions and shapes, the image tells fluxes.
    threads : int, optional
    **keys
        Of the section ``measurement``, such as ``gain`` and ``saturation``; ``detection__threshold`` tells THRESHOLD of
        labels that are not of `threshold`.

    Returns
    -------
    Catalogue
        The same columns that `extract` gives with the same keys, but for those on the sky.
    """
    return _measure(image, labels, background, found_in, threads, _keys_of("measurement", keys))


@_stage
def photometry(image, labels, background=None, *, columns, found_in=None, threads=None, **keys):
    """Further columns of every source: light in circles and ellipses, windowed positions, and all that output.columns
    can ask for but what is on the sky.

    Parameters
    ----------
    image, labels, background, found_in, threads
        As of `measure`.
    columns : str or list of str
        Names, or groups, as of ``output.columns``: ``["FLUX_AUTO", "FLUX_RADIUS"]``.
    **keys
        Of the section ``measurement``: ``apertures``, ``kron``, ``petrosian``, ``flux_radius``, ``annulus``, ``mask``,
        ``noise`` ...

    Returns
    -------
    Catalogue
    """
    keys = _keys_of("measurement", keys)
    keys["output__columns"] = [columns] if isinstance(columns, str) else list(columns)
    return _measure(image, labels, background, found_in, threads, keys)


def _measure(image, labels, background, found_in, threads, keys):
    threads = _threads(threads)
    held, sources, other, sky, keys = _of_sources(image, labels, background, found_in, keys, threads)
    return Catalogue(_core.stage_measure(held, sources._made, sky._made, sky._of_rest, other, _configuration(keys),
                                         threads))


@_stage
def combine(planes, method="mean", *, threads=None, **keys):
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
    threads = _threads(threads)
    held = [_image(plane, threads, f"plane {at}") for at, plane in enumerate(planes)]
    if not held:
        raise InputError("planes: there is none")
    keys = _keys_of("combine", {"method": method, **keys})
    if method == "none":
        raise ConfigError("combine.method: 'none' combines nothing")
    return _array_of(_core.stage_combine(held, _configuration(keys), threads))


@_stage
def resample(image, from_header, to_header, *, shape=None, threads=None, **keys):
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
    threads = _threads(threads)
    held = _image(image, threads)
    if shape is None:
        shape = getattr(to_header, "array_shape", None)
        if shape is None and hasattr(to_header, "get") and to_header.get("NAXIS", 0) >= 2:
            shape = to_header["NAXIS2"], to_header["NAXIS1"]
        if shape is None:
            shape = held.array.shape
    keys = _keys_of("difference", {"align": "wcs", **keys})
    height, width = (int(length) for length in shape)
    if height < 1 or width < 1:
        raise InputError(f"shape: {shape} has no pixels")
    return _array_of(_core.stage_resample(held, _cards(from_header), _cards(to_header), (height, width),
                                          _configuration(keys), threads))


def _cards(header):
    """Of a header or a WCS."""
    if hasattr(header, "to_header"):
        header = header.to_header(relax=True)
    return images.cards_of(header)


@_stage
def render(image, *, threads=None, **keys):
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
    threads = _threads(threads)
    keys = {"output__quicklook": True, **_keys_of("quicklook", keys)}
    return _core.stage_render(_image(image, threads), _configuration(keys), threads)
