"""Inputs and results of stages: images, backgrounds, foregrounds and labels. The compiled half owns their memory."""
import functools
import os
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy
from numpy.typing import NDArray

from srcextract import _core, configuration, images, warned
from srcextract.arguments import threads_of
from srcextract.arrays import array_of, filled, plane_of
from srcextract.devices import DeviceArray
from srcextract.errors import ConfigError, InputError

Keys = dict[str, Any]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Mesh(NamedTuple):
    """Level and noise of every mesh of a background, after the median filter.

    Parameters
    ----------
    level, rms : numpy.ndarray
        A value for each mesh.
    """

    level: NDArray[numpy.float32]
    rms: NDArray[numpy.float32]


_devices: Any = _core  # for attributes that only exist with the CUDA back end
_device_image: Any = getattr(_core, "DeviceImage", ())
_held: weakref.WeakValueDictionary[int, _core.HostImage] = weakref.WeakValueDictionary()
# Images of the compiled half that NumPy arrays refer to, by the address of their pixels.


def stage(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Passes log lines of the compiled half to Python's logging, and shows its warnings."""
    @functools.wraps(function)
    def passing_on(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with warned.kept() as kept:
            result = logged(*args, **kwargs)
        warned.show(kept)
        return result

    def logged(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            raise InputError(f"{function.__name__}: what is given lies on the host and on a GPU; copy it to one of them, as "
                             "with cupy.asarray or cupy.asnumpy") from None
        finally:
            warned.pass_on_log()
    return passing_on


def on_host(values: Any) -> NDArray[Any]:
    """An array on the host; raises an error that names the place of any other."""
    if isinstance(values, numpy.ndarray):
        return values
    raise TypeError("this lies on a GPU: cupy.asarray takes it there, and cupy.asnumpy(cupy.asarray(...)) brings it here")


def keys_of(section: str, keys: Keys) -> Keys:
    """Keys in the form of extract(); plain ones belong to the section."""
    return {name if "__" in name else f"{section}__{name}": value for name, value in keys.items()}


@functools.lru_cache(64)
def _read(settings: tuple[str, ...]) -> _core.Configuration:
    return configuration.read_settings(None, "extends: none", list(settings))


def configuration_of(keys: Keys) -> _core.Configuration:
    """The configuration of these keys alone: a stage does what its arguments say."""
    if any(name.rpartition("__")[2] in ("file", "nnw") for name in keys):
        return configuration.read({"extends": "none"}, keys)
    return _read(tuple(configuration.settings_of(keys)))


def array_of_held(held: Any, keys: Keys | None = None) -> Any:
    """The pixels of an image of the compiled half, which recognises them when they are passed back. On a device they
    are the compiled half's own object."""
    held.keys = dict(keys or {})
    if not isinstance(held, _core.HostImage):
        return held
    array = held.array
    _held[array.__array_interface__["data"][0]] = held
    return array


def held_image(values: Any, threads: int, name: str = "the image", copy: bool = False) -> Any:
    """An image for the compiled half. Pixels are used in place if possible, unless `copy` is true."""
    if type(values) is numpy.ndarray and not values.flags.writeable and values.dtype == numpy.float32:
        held = _held.get(values.__array_interface__["data"][0])
        if held is not None and values.flags.c_contiguous and held.array.shape == values.shape:
            return held
    if isinstance(values, _device_image):
        if not hasattr(values, "keys"):
            values.keys = {}
        return values
    if isinstance(values, (str, bytes, os.PathLike)):
        path = "path" if isinstance(values, bytes) else repr(os.fspath(values))
        raise InputError(f"{name}: stages take arrays; open the file, as with astropy.io.fits.getdata({path})")
    opened = images.open_image(values, None)
    if opened.mask is not None and not isinstance(opened.pixels, DeviceArray):
        opened.pixels, opened.bscale, opened.bzero, opened.blank, opened.mask = opened.values(), 1.0, 0.0, None, None
    pixels = opened.pixels
    if pixels.dtype == bool:
        pixels = pixels.view("u1")
    if pixels.ndim > 2 and all(length == 1 for length in pixels.shape[:-2]):
        pixels = pixels.reshape(pixels.shape[-2:])
    if opened.mask is not None:
        pixels = numpy.where(opened.mask, numpy.float32(numpy.nan), pixels)
    plane = plane_of(pixels, name, bscale=opened.bscale, bzero=opened.bzero,
                     blank=opened.blank if pixels.dtype.kind in "iu" else None)
    if plane.device is None:
        held = _core.stage_image(plane, threads, lent=not copy)
        held.lender = pixels
    else:
        held = _devices.device_stage_image(plane)
    held.keys = {}
    return held


class Background:
    """The sky of an image: its level and its noise.

    Parameters
    ----------
    made, keys, of_rest
        What `background` of the stages gives it.
    """

    def __init__(self, made: Any, keys: Keys, of_rest: bool = False) -> None:
        self._made, self._keys, self._of_rest = made, keys, of_rest

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the image."""
        return self._made.shape

    @property
    def global_rms(self) -> float:
        """The sigma after the clip, or the median over the meshes."""
        return self._made.global_rms

    @property
    def global_level(self) -> float:
        """The median after the clip, or the median over the meshes."""
        return 0.0 if self._of_rest else self._made.global_level

    @functools.cached_property
    def level(self) -> Any:
        """The level in every pixel, float32; computed at the first access."""
        return self._made.nothing() if self._of_rest else self._made.level()

    @functools.cached_property
    def rms(self) -> Any:
        """The noise in every pixel, float32; computed at the first access."""
        return self._made.rms()

    @property
    def mesh(self) -> Mesh | None:
        """``mesh.level`` and ``mesh.rms`` at every node; None for the method ``constant``."""
        level = self._made.level_nodes()
        if level is None:
            return None
        return Mesh(numpy.zeros_like(level) if self._of_rest else level, self._made.rms_nodes())

    @property
    def subtracted(self) -> "Background":
        """The background of a result of `subtract`: its level is 0, its noise the same."""
        return Background(self._made, self._keys, True)

    def subtract(self, image: Any, *, threads: int | None = None) -> Any:
        """The image above the level.

        Parameters
        ----------
        image : array
            The image of this background.
        threads : int, optional
            None: as many as this process may use.

        Returns
        -------
        numpy.ndarray
            ``image - level`` in float32; NaN where the image is NaN.
        """
        count = threads_of(threads)
        held = held_image(image, count, copy=self._of_rest)
        if self._of_rest:
            return array_of_held(held, held.keys)
        return array_of_held(_core.stage_subtract(held, self._made, count), held.keys)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = on_host(self.level)
        return numpy.array(values, dtype) if copy else numpy.asarray(values, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.level.__cuda_array_interface__

    def __repr__(self) -> str:
        height, width = self.shape
        mesh = self.mesh
        how = "constant" if mesh is None else f"{mesh.level.shape[1]} x {mesh.level.shape[0]} meshes"
        return f"<Background of {width} x {height} pixels, {how}, {self.global_level:.4g} ± {self.global_rms:.4g}>"


class Foreground:
    """Pixels that may belong to sources, as `threshold` finds them.

    Parameters
    ----------
    made, keys
        What `threshold` gives it.
    """

    def __init__(self, made: Any, keys: Keys) -> None:
        self._made, self._keys = made, keys

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the image."""
        return self._made.shape

    @property
    def level(self) -> float | None:
        """The threshold as a pixel value, for the noise of the image as a whole."""
        return self._made.level

    @functools.cached_property
    def mask(self) -> Any:
        """bool, True in these pixels; computed at the first access. Equal to ``numpy.asarray(foreground)``."""
        made = self._made.mask()
        return made.view(bool) if isinstance(made, numpy.ndarray) else made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = on_host(self.mask)
        return numpy.array(values, dtype) if copy else numpy.asarray(values, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.mask.__cuda_array_interface__

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<Foreground of {width} x {height} pixels in {self._made.runs} runs>"


class Labels:
    """The source of every pixel, as found by `label` and `deblend`; ``len(labels)`` is the number of sources.

    Parameters
    ----------
    made, keys, thresholded
        What `label` gives it.
    """

    def __init__(self, made: Any, keys: Keys, thresholded: bool = False) -> None:
        self._made, self._keys = made, keys
        self._thresholded = thresholded  # what the threshold is counted from, if known

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the image."""
        return self._made.shape

    @property
    def found(self) -> int:
        """Number of sources before small ones were dropped."""
        return self._made.found

    @functools.cached_property
    def image(self) -> Any:
        """int32: each pixel's source, from 1, or 0; computed at the first access. Equal to ``numpy.asarray(labels)``."""
        return self._made.map()

    def __len__(self) -> int:
        return self._made.kept

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = on_host(self.image)
        return numpy.array(values, dtype) if copy else numpy.asarray(values, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.image.__cuda_array_interface__

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<Labels of {len(self)} sources in {width} x {height} pixels>"


def foreground_of(mask: Any, threads: int) -> Foreground:
    if isinstance(mask, Foreground):
        return mask
    values = filled(array_of(mask, "the mask"), False)
    if values.dtype.kind not in "biu":
        raise InputError(f"the mask: an array of {values.dtype} does not say which pixels are foreground; give an array of bool, as "
                         "image > 3, or the result of threshold()")
    if isinstance(values, DeviceArray) and values.dtype.itemsize > 1:
        raise InputError(f"the mask: on a GPU it is an array of bool, and this one is of {values.dtype}; give mask != 0")
    values = values.view("u1") if values.dtype.itemsize == 1 else (values != 0).view("u1")
    plane = plane_of(values, "the mask")
    return Foreground(_core.stage_foreground(plane, threads) if plane.device is None
                      else _devices.device_stage_foreground(plane), {})


def labels_of(labels: Any, threads: int) -> Labels:
    if isinstance(labels, Labels):
        return labels
    values = filled(array_of(labels, "the labels"), 0)
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
    return Labels(_core.stage_labels(plane, threads) if plane.device is None else _devices.device_stage_labels(plane), {})


def background_of(image: Any, background: Any, keys: Keys, threads: int) -> Background:
    if isinstance(background, Background):
        wrong = [name for name in keys if name.startswith("background__")]
        if wrong:
            raise ConfigError(f"{wrong[0]}: the Background that is given has its own keys; leave out the key, or give no background")
        return background
    if background is not None:
        raise InputError(f"background: a {type(background).__name__}; it is what background() makes of the image, and "
                         "None has it made")
    of_sky = {name: value for name, value in keys.items() if name.startswith("background__")}
    return Background(_core.stage_background(image, configuration_of(of_sky), threads), of_sky)


def found_in_of(found_in: Any, threads: int) -> Any:
    return None if found_in is None else held_image(found_in, threads, "found_in")


# Keys that threshold() decides, with their defaults; measuring functions could ask for other values.
_DECIDED = {"measurement__reference": "background", "detection__reference": "background", "detection__threshold": 5}


def require_as_thresholded(found: Keys, asked: Keys) -> None:
    """Raises ConfigError if measuring asks for another threshold than the sources were found with."""
    for key, usual in _DECIDED.items():
        if key in asked and asked[key] != found.get(key, usual):
            raise ConfigError(f"{key} belongs to the call of threshold() that found these sources; give it there: "
                              f"threshold(image, background, {key.removeprefix('detection__')}={asked[key]!r})")


def of_sources(image: Any, labels: Any, background: Any, found_in: Any, keys: Keys,
               threads: int) -> tuple[Any, Labels, Any, Background, Keys]:
    """Common inputs of stages that use sources."""
    held = held_image(image, threads)
    sources = labels_of(labels, threads)
    other = found_in_of(found_in, threads)
    sky = background_of(held, background, keys, threads)
    if sources._thresholded:
        require_as_thresholded(sources._keys, keys)
    return held, sources, other, sky, {**sky._keys, **(other.keys if other else {}), **sources._keys, **keys}
