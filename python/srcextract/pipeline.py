"""From images to catalogues: `extract`, and `Extractor`, which keeps its resources between images."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from srcextract import _core, angles, asdf_files, configuration, files, images, views, warned
from srcextract.arguments import Arguments, ArgumentsOfCrowd, Backend, Config, Image, Origin, backend_of, devices_of, threads_of
from srcextract.catalogue import Catalogue
from srcextract.devices import DeviceArray
from srcextract.errors import ConfigError, ConfigWarning, InputError
from srcextract.key_types import Keys
from srcextract.psf import Psf, as_keys

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Extractor:
    """Extracts images with one configuration, and keeps memory and the CUDA graph between them.

    Parameters
    ----------
    config : path, dict or None
        Path of a YAML file as for the command, or sections with their keys, which change the configuration that the key
        ``extends`` names: ``default``, ``none``, ``radio``, ``crowd``, or a path. None is the default configuration, which
        filters, deblends, and measures apertures and Kron ellipses.
    backend : {'auto', 'cpu', 'cuda'}
        `auto` uses a GPU if that is faster. Catalogues are the same to the last bit.
    device : int or list of int, optional
        Index of the GPU, or of those that may be used. None: the GPU with the array's memory, or the first.
    threads : int, optional
        Host threads; None: as many as this process may use.
    of_difference : bool
        For images from which a reference is subtracted.
    reference_set : dict, optional
        Keys for the reference alone, as in ``{"mask__file": "m.fits"}``: those of ``srcextract difference
        --reference-set``.
    psf : Psf, path of a .psf, PSF of photutils, STPSF or Piff, or image of a star, optional
        The PSF of the images: see `Psf.of`. For a difference it is that of the new frame.
    segmentation : bool
        Whether catalogues have a `segmentation`. Without it they take less memory, and a GPU transfers less.
    **keys
        Keys of the configuration as ``section__key``, as in ``detection__threshold=3``: see `extract`. Keys in pixels also
        accept angles of astropy, as in ``measurement__apertures=[2 * u.arcsec]``, which the image's scale converts.

    Raises
    ------
    ConfigError
        If the configuration is wrong: with the place, the reason, and the key that may be meant.
    """

    def __init__(self, config: Config = None, *, backend: Backend = "auto", device: int | Sequence[int] | None = None,
                 threads: int | None = None, of_difference: bool = False, reference_set: dict[str, Any] | None = None,
                 psf: Any = None, segmentation: bool = True, **keys: Unpack[Keys]) -> None:
        of_config = config
        config, given, self._angles = angles.apart(config, {**keys})
        self._psf, given = as_keys(psf, given)
        if reference_set is not None and not (of_difference and isinstance(reference_set, dict)):
            raise ConfigError("reference_set is a dict of keys for a frame that is subtracted, as in difference(reference, new, "
                              f"reference_set={{'mask__hdu': 'MASK'}}); not {reference_set!r:.60}"
                              + ("" if of_difference else " without a reference"))
        self._of_reference = configuration.settings_of(reference_set or {})
        self._configuration = configuration.read(config, given, of_difference, segmentation, reference_set, self._psf)
        if not of_difference:
            configuration.warn_of_unit(config, given, self._configuration)
        self._keys, self._of_difference, self._segmentation = given, of_difference, segmentation
        self._weights_type = _weights_type(of_config, self._configuration)
        self._of_files = configuration.names_files(config, [str(config), str(given), *self._of_reference])
        self._with_maps: dict[str, _core.Configuration] = {}
        self._machine = backend_of(backend), devices_of(device), threads_of(threads)
        self._engine = _core.Extractor(*self._machine)

    # An Extractor in another process has the same configuration, of which files may be gone there, and resources of its own.
    def __getstate__(self) -> dict[str, Any]:
        return {**{name: value for name, value in vars(self).items() if name not in ("_configuration", "_with_maps", "_engine")},
                "yaml": self.config}

    def __setstate__(self, state: dict[str, Any]) -> None:
        yaml = state.pop("yaml")
        vars(self).update(state)
        self._configuration = configuration.read_settings(None, yaml, [], self._of_difference, self._segmentation,
                                                          self._of_reference, self._psf)
        self._with_maps = {}
        self._engine = _core.Extractor(*self._machine)

    @property
    def config(self) -> str:
        """The configuration as YAML, with every key."""
        return self._configuration.yaml

    def __repr__(self) -> str:
        backend, devices, threads = self._machine
        told = [backend] + [f"device {', '.join(map(str, devices))}"] * bool(devices) + [f"{threads} threads"] * bool(threads)
        told += [f"{name}={self._angles[name]} arcsec" if name in self._angles else f"{name}={value!r:.60}"
                 for name, value in self._keys.items()]
        return f"<Extractor: {', '.join(told)}>"

    def _repr_html_(self) -> str:
        return views.extractor_as_html(self)

    def __call__(self, image: Image, *, header: Any = None, wcs: Any = None, mask: Any = None, weight: Any = None,
                 error: Any = None, reference: Any = None, positions: Any = None, origin: Origin | None = None,
                 name: str | None = None) -> Catalogue:
        """The catalogue of an image; see `extract`."""
        with warned.kept() as kept:
            found = self._extracted(image, header=header, wcs=wcs, mask=mask, weight=weight, error=error, reference=reference,
                                    positions=positions, origin=origin, name=name)
        warned.show(kept)
        return found

    def _extracted(self, image: Any, *, header: Any = None, wcs: Any = None, mask: Any = None, weight: Any = None,
                   error: Any = None, reference: Any = None, positions: Any = None, origin: Origin | None = None,
                   name: str | None = None) -> Catalogue:
        mask = None if mask is numpy.ma.nomask else mask
        if asdf_files.is_asdf(image):
            name, image = name or os.fsdecode(image), asdf_files.opened(image)
        if (reference is not None) != self._of_difference:
            raise ConfigError("a reference is subtracted with of_difference=True, and only then: as difference() does")
        with contextlib.ExitStack() as stack:
            def held(one: files.Contents | None) -> files.Contents | None:
                if one is not None:
                    stack.enter_context(files.told_by_name(one))
                return one

            contents = held(files.contents_of(image, name))
            beside = held(_reference_of(reference, self._configuration.reference_hdu))
            table = held(files.positions_of(positions, lambda: images.cards_for(
                contents or image, header, wcs, self._configuration.hdu), origin))
            stack.callback(warned.pass_on_log, contents, beside, table)
            with_files = _core.FilesWith()
            if beside is not None:
                with_files.reference = beside.path
            if table is not None:
                with_files.positions, with_files.positions_name = table.path, table.name
            maps = {"header": header, "wcs": wcs, "mask": mask, "weight": weight, "error": error}
            # A reference in memory is written to a file of one image.
            of_memory = (beside is not None and not files.is_contents(reference)
                         and self._configuration.reference_hdu != ["auto"])
            if contents is not None and all(value is None for value in maps.values()):
                if of_memory:
                    raise ConfigError("input.hdu selects an image of both frames' files, and the reference is in memory; open the "
                                      "new one, too, as with astropy.io.fits.open, or give the path of the reference")
                return _at(table, self._of_contents(contents, with_files), self._keys)
            own_maps: dict[str, Any] = {}
            if contents is not None:
                image, name = stack.enter_context(images.opened_hdu(contents, self._configuration.hdu)), contents.name
                given = ["mask"] * (mask is not None) + ["weights"] * (weight is not None or error is not None)
                if beside is None:  # the reference has a file of its own
                    own_maps = configuration.maps_of_file(self._configuration.yaml, contents.path, given)
            told, maps["error"] = _told_by_maps(self._keys, self._weights_type, image, mask, weight, error, self._of_difference)
            if maps["error"] is not None and "weights__photons" not in self._keys and self._configuration.weights_photons == "auto":
                told["weights__photons"] = "included"  # the error of a pixel is that of all its light
            told |= own_maps | self._in_pixels(image, header, wcs)
            if self._keys.get("input__hdu", "auto") != "auto" and contents is None and not images.is_hdu_list(image):
                raise ConfigError(f"input__hdu={self._keys['input__hdu']!r} names an image of a file, and {type(image).__name__} "
                                  "is one by itself; leave it out, or give the path or the HDUList")
            told |= {"input__hdu": "auto"} if of_memory else {}
            inputs, alive = images.inputs_of(image, **maps, name=name, takes_planes=self._takes_planes(),
                                             hdu=self._configuration.hdu,
                                             weights_type=self._keys.get("weights__type", self._weights_type))
            found = self._engine.extract(self._configured(told), inputs, with_files)
            del alive
            return _at(table, Catalogue(found), self._keys)

    def _takes_planes(self) -> bool:
        """Whether the configuration handles an array of three axes."""
        return self._configuration.takes_planes or "input__plane" in self._keys

    def _in_pixels(self, image: Any, header: Any = None, wcs: Any = None) -> dict[str, Any]:
        """Keys given as angles, in pixels by the scale of the image."""
        if not self._angles:
            return {}
        cards = images.cards_for(image, header, wcs, self._configuration.hdu)
        of_file = isinstance(image, files.Contents)
        shape = (0, 0) if of_file else images.open_image(image, None, self._configuration.hdu).pixels.shape
        return angles.in_pixels(self._angles, self.config, cards, shape)

    def _configured(self, told: dict[str, Any]) -> _core.Configuration:
        """The configuration with keys for the maps of one image, which other images may not have."""
        if not told:
            return self._configuration
        settings = configuration.settings_of(told)
        known = self._with_maps.get(str(settings))
        if known is None:
            # Of a reference in memory, which its own keys may have selected, a file of one image was made.
            selected = ["input.hdu=auto"] if self._of_reference and "input__hdu" in told else []
            known = configuration.read_text(self.config, settings, self._of_difference, self._segmentation,
                                            self._of_reference + selected,
                                            self._of_files or configuration.names_files(None, settings), self._psf)
            self._with_maps[str(settings)] = known
        return known

    def _of_contents(self, contents: files.Contents, with_files: _core.FilesWith) -> Catalogue:
        found = self._engine.extract_file(self._configured(self._in_pixels(contents)), contents.path, with_files)
        if len(found) != 1:
            raise ConfigError(f"input.hdu selects {len(found)} images of {contents.name}; name one of them")
        found[0].name = contents.renamed(found[0].name)
        return Catalogue(found[0])


def _at(table: files.Contents | None, found: Catalogue, keys: dict[str, Any]) -> Catalogue:
    """The catalogue at the positions of a table: without the row that stands for none, and with a word on columns that it lacks."""
    if table is None:
        return found
    if "output__columns" in keys:
        warned.warn("output.columns is not used at positions: columns there are those of circles, and of ellipses if positions have a "
                    "shape; srcextract.sep has rings and windowed positions at any place", ConfigWarning)
    lost = [name for name in table.further if name not in found._carried]
    if lost:
        shown = ", ".join(lost[:8]) + (f" and {len(lost) - 8} more" if len(lost) > 8 else "")
        text = (f"the positions: the catalogue has no copy of {shown}: srcextract has columns of its own of such names, or a row has no "
                "single number or text; give other names, or make columns of numbers")
        warned.warn(text)
        found = Catalogue(found._made, found._chosen, [text])
    return found[:0] if table.is_empty else found


def _weights_type(config: Config, read: _core.Configuration | None) -> str | None:
    """weights.type of a configuration; `read` is None if it cannot be read. A map may replace the types that need none,
    unless a dict has them: the default configuration has `background`."""
    if isinstance(config, dict) and isinstance(config.get("weights"), dict) and "type" in config["weights"]:
        return str(config["weights"]["type"])
    return None if read is None or read.weights_type in ("none", "background") else read.weights_type


def _given_weights_type(config: Config, keys: dict[str, Any]) -> str | None:
    """weights.type of a configuration that may lack the name of the map, since the map is in memory. Only a file can
    have a type that is not told by the keys or the dict: the configurations of srcextract have no map."""
    if config is None or (isinstance(config, dict) and not configuration.extends_file(config)):
        return _weights_type(config, None)
    given = {"weights__hdu": "MAP"} | {key: value for key, value in keys.items() if key.startswith("weights__")}
    read = None
    with contextlib.suppress(ConfigError):  # where no type needs a map, one is refused; mistakes are told when all is read
        read = configuration.read(angles.apart(config, {})[0], given)
    return _weights_type(config, read)


def _told_by_maps(keys: dict[str, Any], kind: str | None, image: Any, mask: Any, weight: Any, error: Any,
                  of_difference: bool) -> tuple[dict[str, Any], Any]:
    """Keys that follow from the maps of an image, unless they are given, and the errors of an NDData. `kind` is the
    weights.type of the configuration."""
    kind = keys.get("weights__type", kind)
    if weight is not None and error is not None:
        raise ConfigError("weight and error both tell how noisy pixels are; give one of them")
    if (weight is not None or error is not None) and kind in ("none", "background"):
        raise ConfigError(f"{'weight' if error is None else 'error'} tells how noisy every pixel is, and weights__type={kind!r} "
                          "says that no map does; leave one of them out")
    if weight is None and error is None and kind in (None, "rms") and not of_difference:
        error = images.error_of(image)
    told = {} if mask is None else {"mask__hdu": "MASK"}
    if weight is not None or error is not None:
        told |= {"weights__type": "rms" if weight is None else "weight", "weights__hdu": "RMS" if weight is None else "WEIGHT"}
    if kind is not None:
        told.pop("weights__type", None)
    return {key: value for key, value in told.items() if key not in keys}, error


def _reference_of(reference: Any, hdu: Sequence[str]) -> files.Contents | None:
    if reference is None:
        return None
    reference = asdf_files.opened(reference) if asdf_files.is_asdf(reference) else reference
    contents = files.contents_of(reference, None if isinstance(reference, str) else "the reference")
    if contents is not None:
        return contents
    opened = images.open_image(reference, "the reference", hdu)
    if isinstance(opened.pixels, DeviceArray):
        raise InputError("the reference: lies on a GPU, and is read from a file or the host; give a copy there, as "
                         "array.get() of CuPy or array.cpu() of PyTorch makes one")
    return files.fits_contents(opened.header, opened.values(), "the reference")


def extract(image: Image, config: Config = None, *, header: Any = None, wcs: Any = None, mask: Any = None, weight: Any = None,
            error: Any = None, reference: Any = None, reference_set: dict[str, Any] | None = None, psf: Any = None,
            positions: Any = None, origin: Origin | None = None, name: str | None = None, backend: Backend = "auto",
            device: int | Sequence[int] | None = None, threads: int | None = None, segmentation: bool = True,
            **keys: Unpack[Keys]) -> Catalogue:
    """Extracts the sources of an image.

    Parameters
    ----------
    image : path, address, bytes, file object, array, masked array, HDU, NDData
        One of:

        - a FITS file, plain, gzipped or tile-compressed: its path, its contents, or an object with ``read()``, as of
          fsspec, which is read from its beginning. ``input.hdu`` names the image in it. What is at an address, as
          ``https://...`` or ``s3://...``, fsspec fetches whole. A path that ends in .asdf is one of Roman's files.
        - a 2-D array of any real type, byte order and strides, which is read in place.
        - a stack of shape (n, height, width), with ``combine__method``.
        - an NDData, with its mask, WCS, unit and uncertainty (as `error`). For a difference the uncertainty is not
          used.
    config, psf, backend, device, threads, segmentation
        As for `Extractor`.
    header : astropy.io.fits.Header or str, optional
        The image's header: its WCS, GAIN, BUNIT, BLANK and keywords that the catalogue repeats. An HDU's header by
        default. A Cutout2D keeps its own WCS beside it.
    wcs : astropy.wcs.WCS or gwcs.WCS, optional
        Replaces the header's WCS. Polynomials of SIP stand for a gwcs, to 0.01 pixel.
    mask : array, HDU, path, NDData, optional
        Array of the image's shape: pixels that are not 0 (or True) are left out, as are those that the image itself
        masks.
    weight, error : array, HDU, path, NDData, uncertainty of astropy, or a number, optional
        Arrays of the image's shape: inverse variances, or standard deviations, of its pixels; only one of them. A
        number is that of all pixels. They are used as ``weights__type`` "weight" and "rms", unless that argument names
        another kind of map. Standard deviations are total errors, with the photons of sources, unless
        ``weights__photons`` says otherwise. Pixels that the map itself masks (`numpy.ma`, or astropy's ``Masked``) are
        masked in the image.
    reference : as `image`, optional
        A frame of the same field that is subtracted first; see `difference`.
    reference_set : dict, optional
        Keys for the reference alone; see `Extractor`.
    positions : path, table, dict, array of shape (n, 2), (x, y), SkyCoord, optional
        Positions to measure, instead of detected sources: columns ``X`` and ``Y`` in pixels (the centre of the first is
        1), or ``RA`` and ``DEC`` in degrees, and the further columns of ``srcextract --positions``. A row of a table is
        one position, and no positions are a catalogue without rows. An array has a row of x and y for each position; a
        tuple of two arrays has all x and all y. These count from 0, as do columns ``x`` and ``y`` of a table. Photutils
        tables are used by columns like ``xcentroid``, counted from 0, and a SkyCoord by the WCS of the image.
    origin : {0, 1}, optional
        The number of the first pixel in an array, a tuple, or columns ``x`` and ``y``. None is 0, with a warning once a
        process: earlier versions counted from 1.
    name : str, optional
        The image's name in messages.
    **keys
        Keys of the configuration as ``section__key``, as in ``detection__threshold=3``. ``srcextract.keys("detection")``
        prints the keys of a section: names, defaults, meaning. The sections are:

        - input, wcs, beam: which image of a file, its positions on the sky, the beam of a radio map
        - combine: several planes or images become one
        - background, weights, mask, flags: the sky, its noise, and pixels that do not count
        - convolve, detection, morphology, deblend: the filter, and which pixels are which source
        - fit, model, measurement, psf, crowd: Gaussians, galaxies, apertures and shapes, the PSF, crowded fields
        - difference: how a reference is subtracted
        - output, quicklook: columns, files and pictures

    Returns
    -------
    Catalogue

    Raises
    ------
    ConfigError
        If a key, a value or a combination of arguments is wrong.
    InputError
        If the image, a map or a table cannot be used.
    DeviceError, OutOfMemoryError
    """
    mask = None if mask is numpy.ma.nomask else mask
    given: dict[str, Any] = {**keys}
    has_noise = weight is not None or error is not None or getattr(image, "uncertainty", None) is not None
    kind = _given_weights_type(config, given) if has_noise else None
    told, error = _told_by_maps(given, kind, image, mask, weight, error, reference is not None)
    extractor = Extractor(config, backend=backend, device=device, threads=threads, of_difference=reference is not None,
                          reference_set=reference_set, psf=psf, segmentation=segmentation, **given, **told)
    return extractor(image, header=header, wcs=wcs, mask=mask, weight=weight, error=error, reference=reference,
                     positions=positions, origin=origin, name=name)


def crowd(image: Image, psf: Any = None, config: Config = "crowd", **arguments: Unpack[ArgumentsOfCrowd]) -> Catalogue:
    """Finds the stars of a crowded field and fits them all at once: ``srcextract crowd``.

    Parameters
    ----------
    image
        As for `extract`.
    psf : optional
        The PSF of the image, as for `extract`. Without one it is made of the image's stars (``psf__method="fit"``).
    config, **arguments
        As for `extract`. With ``positions``, the fluxes of stars there are fitted together, and none is found.

    Returns
    -------
    Catalogue
        A row for each star: FLUX_PSF, its error, and the columns of docs/crowd.md.

    Raises
    ------
    ConfigError, InputError, OutOfMemoryError
    """
    given: dict[str, Any] = {**arguments}
    if psf is None and "psf__file" not in given:
        given.setdefault("psf__method", "fit")
    return extract(image, config, psf=psf, **given)


def difference(reference: Image, new: Image, config: Config = None, **arguments: Unpack[Arguments]) -> Catalogue:
    """Finds changes between two frames of one field: ``srcextract difference``.

    Parameters
    ----------
    reference, new
        Frames as the image of `extract`. `reference` is subtracted from `new`; section ``difference`` of the
        configuration says how they are made comparable.
    config, **arguments
        As for `extract`.

    Returns
    -------
    Catalogue
        SIGN is 1 for sources that are brighter in `new`, and -1 for fainter ones.

    Raises
    ------
    ConfigError, InputError, DeviceError, OutOfMemoryError
    """
    return extract(new, config, reference=reference, **arguments)


def fit_psf(image: Image, config: Config = None, **arguments: Unpack[Arguments]) -> Psf:
    """Makes the PSF of an image from its stars: ``srcextract psf``.

    Parameters
    ----------
    image, config, **arguments
        As for `extract`: ``mask``, ``error``, ``psf__degree``, ``measurement__gain``, ``measurement__saturation`` ...

    Returns
    -------
    Psf
        With `stars`, if astropy is installed.

    Raises
    ------
    InputError
        If there is no star that could tell the PSF: the message counts the reasons.
    ConfigError, DeviceError, OutOfMemoryError
    """
    keys: dict[str, Any] = {"psf__method": "fit", "output__psf": True, "output__columns": ["NUMBER"]}
    clash = sorted(set(keys) & set(arguments))
    if clash:
        raise ConfigError(f"{' and '.join(clash)} cannot be given: fit_psf makes the PSF of the image and no catalogue")
    given: dict[str, Any] = {**arguments}
    return extract(image, config, **given, **keys).psf
