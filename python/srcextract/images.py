"""Images in Python: arrays, masked arrays, HDUs of astropy, NDData. Images in files: files.py."""
import contextlib
import fnmatch
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy

from srcextract import _core, files, maps, remote, warned
from srcextract.arguments import require
from srcextract.arrays import array_of, filled, is_nddata, parted, plane_of, unwrapped
from srcextract.devices import DeviceArray
from srcextract.errors import ConfigError, InputError
from srcextract.headers import blank_of, cards_of, is_scaled, unit_of_header, with_unit, with_wcs, without_wcs


class Opened:
    """An input image: its pixels, their storage, and its metadata."""

    pixels: Any
    name: str
    header: str
    bscale: float
    bzero: float
    blank: int | None
    mask: Any
    error: Any

    def __init__(self, pixels: Any, *, name: str = "the array", header: str = "", bscale: float = 1.0, bzero: float = 0.0,
                 blank: int | None = None, mask: Any = None, error: Any = None, of_file: bool = False,
                 primary: str = "") -> None:
        self.pixels, self.name, self.header = pixels, name, header
        self.bscale, self.bzero, self.blank, self.mask, self.error = bscale, bzero, blank, mask, error
        self.primary = primary  # the header whose keywords the image inherits
        self.of_file = of_file  # a cube then uses input.plane, as a file does

    def values(self) -> Any:
        """The pixel values as real numbers; NaN where masked or BLANK."""
        pixels, scaled = self.pixels, (self.bscale, self.bzero) != (1, 0)
        if pixels.dtype.kind not in "biu" and self.mask is None and not scaled:
            return pixels
        values = pixels.astype("f4" if (pixels.dtype.itemsize < 4 or pixels.dtype.kind == "f") and pixels.dtype.itemsize <= 4
                               and not scaled else "f8")
        if scaled:
            values = values.astype("f8") * self.bscale + self.bzero
        if self.blank is not None and pixels.dtype.kind in "iu":
            values[pixels == self.blank] = numpy.nan
        if self.mask is not None:
            values[numpy.broadcast_to(numpy.asarray(self.mask, bool), values.shape)] = numpy.nan
        return values


def _path_of(place: Any) -> str | None:
    """A path for reading an HDU's file again, even after a rename; None if there is no file or it is closed."""
    try:
        number, name = place["file"]._file.fileno(), place["file"].name
    except (TypeError, KeyError, AttributeError, OSError, ValueError):
        return None
    try:
        if os.path.samestat(os.stat(name), os.fstat(number)):
            return os.fspath(name)
    except (TypeError, OSError, ValueError):
        pass
    return f"/proc/self/fd/{number}"


def _stored_pixels(hdu: Any) -> tuple[Any, Any] | None:
    """The pixels of an HDU as stored in its file, and their header. None if the pixels were accessed already, or there
    is no such file."""
    place = hdu.fileinfo()
    path = _path_of(place)
    if "data" in vars(hdu) or not hdu.shape or path is None:
        return None
    if type(hdu).__name__ not in ("PrimaryHDU", "ImageHDU") or place["file"].compression:
        return _read_again(hdu, path, place)
    types = {8: "u1", 16: ">i2", 32: ">i4", 64: ">i8", -32: ">f4", -64: ">f8"}
    try:
        return numpy.memmap(path, types[hdu.header["BITPIX"]], "r", place["datLoc"], hdu.shape), hdu.header
    except (OSError, TypeError, ValueError, KeyError):
        return None


def _read_again(hdu: Any, path: str, place: Any) -> tuple[Any, Any] | None:
    """As _stored_pixels(), for compressed HDUs, which astropy would scale with another precision."""
    from astropy.io import fits
    try:
        with fits.open(path, do_not_scale_image_data=True, memmap=False) as hdus:
            for one in hdus:
                if one.fileinfo()["hdrLoc"] == place["hdrLoc"] and one.header.tostring() == hdu.header.tostring():
                    return one.data, one.header
    except (OSError, TypeError, ValueError, KeyError):
        pass
    return None


def _of_hdu(hdu: Any) -> Opened:
    """An image from an HDU. Pixels that are still in the file are scaled as by the command: in double, rounded once."""
    name = f"HDU {hdu.name or 'PRIMARY'}"
    if "TableHDU" in type(hdu).__name__:
        raise InputError(f"{name} is a table; take an HDU with an image")
    stored = _stored_pixels(hdu)
    if stored is not None:
        pixels, header = stored
        name += f" of {hdu.fileinfo()['file'].name}"
    else:
        try:
            pixels = hdu.data
        except Exception as error:
            if remote.is_of_network(error):
                raise InputError(f"{name}: {remote.reason(error, name)}") from error
            if not isinstance(error, (OSError, ValueError, TypeError, EOFError)):
                raise
            raise InputError(f"{name}: its pixels cannot be read: {error}; the file may be cut short, or be closed") from error
        header = hdu.header  # astropy removes BSCALE, BZERO and BLANK once it has scaled the pixels
    if pixels is None:
        raise InputError(f"{name} has no pixels; take another HDU of the file")
    if "EXTNAME" not in header and type(hdu).__name__ == "CompImageHDU" and hdu.name:  # astropy omits it
        header = header.copy()
        header["EXTNAME"] = hdu.name
    bscale, bzero = (1.0, 0.0) if is_scaled(pixels.dtype) else (header.get("BSCALE", 1.0), header.get("BZERO", 0.0))
    opened = Opened(pixels, name=name, header=cards_of(header), primary=_primary_cards(hdu), bscale=bscale, bzero=bzero,
                    blank=blank_of(header, pixels.dtype), of_file=True)
    return opened if stored is None else _linear(opened, header)


def _linear(opened: Opened, header: Any) -> Opened:
    """The image, with stored pixels of an asinh scale (BSOFTEN, BOFFSET) made linear as by the command."""
    softening, offset = header.get("BSOFTEN"), header.get("BOFFSET", 0.0)
    unscaled = opened.pixels.dtype.kind in "iu" and opened.bscale == 1
    if unscaled or not all(isinstance(value, (int, float)) for value in (softening, offset)) or not softening > 0:
        return opened
    magnitudes = opened.values().astype("f8")
    header = header.copy()
    for keyword in ("BSOFTEN", "BOFFSET", "BSCALE", "BZERO", "BLANK"):
        header.remove(keyword, ignore_missing=True)
    linear = (offset + softening * 2 * numpy.sinh(magnitudes * math.log(10) / 2.5)).astype("f4")
    return Opened(linear, name=opened.name, header=cards_of(header), primary=opened.primary, of_file=True)


def _primary_cards(hdu: Any) -> str:
    """The header of the primary HDU, for an extension of an existing file."""
    from astropy.io import fits
    path = None if type(hdu).__name__ == "PrimaryHDU" else _path_of(hdu.fileinfo())
    if path is None:
        return ""
    try:
        return cards_of(fits.getheader(path, 0))
    except (OSError, TypeError, ValueError, KeyError):
        return ""


def _has_image(hdu: Any) -> bool:
    return "TableHDU" not in type(hdu).__name__ and hdu.header.get("NAXIS", 0) > 0


def _is_meant(hdu: Any, index: int, name: str) -> bool:
    """Whether a word of input.hdu names the HDU."""
    if name.isdigit():
        return index == int(name)
    wanted, comma, version = name.rpartition(",")
    if comma and (version.strip() == "*" or version.strip().isdigit()):
        return version.strip() in ("*", str(hdu.ver)) and _is_meant(hdu, index, wanted)
    return name in ("auto", "all") or fnmatch.fnmatchcase(hdu.name.upper(), name.upper().replace("[", "[[]"))


def _selected(hdus: Any, names: Sequence[str]) -> Any:
    """The HDU that input.hdu selects, as the command would in such a file."""
    found = [hdu for index, hdu in enumerate(hdus) if _has_image(hdu) and any(_is_meant(hdu, index, name) for name in names)]
    if len(found) > 1 and len(names) == 1 and names[0] != "all" and not {"*", "?"} & set(names[0]):
        found = found[:1]
    if len(found) == 1:
        return found[0]
    told = ", ".join(f"{index} {hdu.name}".rstrip() for index, hdu in enumerate(hdus) if _has_image(hdu))
    if not told:
        raise InputError("no HDU of the file has an image")
    if found:
        raise ConfigError(f"input.hdu selects {len(found)} images of the HDUList; name one of them: {told}")
    raise InputError(f"input.hdu: no image of the HDUList is {' or '.join(map(repr, names))}; there are {told}")


def _planes_of(opened: Opened, takes_planes: bool) -> list[Any]:
    """The planes of an image, or of a stack if the configuration combines it."""
    pixels = opened.pixels
    if pixels.ndim > 2 and all(length == 1 for length in pixels.shape[:-2]):
        return [pixels.reshape(pixels.shape[-2:])]
    if pixels.ndim < 3 or not (takes_planes or opened.of_file):
        return [pixels]
    if pixels.size == 0:
        raise InputError(f"{opened.name}: an array of shape {pixels.shape} has no pixels")
    return [pixels[index] for index in numpy.ndindex(pixels.shape[:-2])]


def inputs_of(image: Any, *, header: Any = None, wcs: Any = None, mask: Any = None, weight: Any = None, error: Any = None,
              name: str | None = None, takes_planes: bool = False,
              hdu: Sequence[str] = ("auto",), weights_type: str | None = None) -> tuple[_core.PixelInputs, list[Any]]:
    """The inputs of the compiled half for the image, and the objects that must stay alive meanwhile."""
    opened = open_image(image, name, hdu)
    if opened.blank is None:
        opened.blank = blank_of(header, opened.pixels.dtype)
    if opened.pixels.dtype == bool:
        opened.pixels = opened.pixels.view("u1")
    inputs = _core.PixelInputs()
    opened.name = inputs.name = files.printable(opened.name)
    inputs.primary_header = opened.primary
    inputs.header = with_unit(cards_of(header), _unit_of(image)) if header is not None else opened.header
    wcs = _own_wcs(image) if wcs is None and header is not None else wcs
    if wcs is not None:
        inputs.header = with_wcs(inputs.header, wcs, opened.pixels.shape)
    blank = opened.blank if opened.pixels.dtype.kind in "iu" else None
    if opened.pixels.ndim > 2 and opened.mask is not None and not isinstance(opened.pixels, DeviceArray):
        opened.pixels, opened.mask, opened.bscale, opened.bzero = opened.values(), None, 1.0, 0.0  # a mask for every plane
    planes = _planes_of(opened, takes_planes)
    inputs.planes = [plane_of(plane, opened.name, bscale=opened.bscale, bzero=opened.bzero, blank=blank)
                     for plane in planes]
    shape = planes[0].shape
    alive = planes

    has_unit = _unit_of(image) is not None or unit_of_header(inputs.header) is not None

    def in_unit(noise: Any) -> Any:  # the unit that an object brings along is not that of numbers alone
        return _in_unit(noise, image, inputs.header) if has_unit else noise.value

    masks = {"the image": opened.mask,
             "mask": None if mask is None else maps.plain(_of_map(mask, "mask", None), "mask", None, in_unit)}
    for what, values in (("weight", weight), ("error", error)):
        if values is None:
            continue
        values = maps.plain(_of_map(values, what, weights_type, inputs.header), what, weights_type, in_unit)
        if what == "error":
            values = _in_unit(values, image, inputs.header)
        values, masks[what] = parted(maps.of_shape(values, what, shape))
        inputs.weights = plane_of(values, what)
        alive.append(values)
    joined = _joined(masks, shape)
    if joined is not None:
        inputs.mask = plane_of(joined, "mask")
        alive.append(joined)
    return inputs, alive


def _of_map(values: Any, what: str, weights_type: str | None, header: str = "") -> Any:
    """A map that is an HDU or a file as an array; noise in the unit of its BUNIT, if the image's header has one, too."""
    contents = files.contents_of(values, None if isinstance(values, (str, os.PathLike)) else what)
    if contents is not None:
        with files.told_by_name(contents), opened_file(contents, what) as hdus:
            one = maps.one_of(hdus, what, contents.name)
            return numpy.copy(_of_map(one, what, weights_type, header), subok=True)
    if is_hdu_list(values):
        values = maps.one_of(values, what)
    if not (hasattr(values, "header") and hasattr(values, "fileinfo")):
        return values
    opened = _of_hdu(values)
    if what == "mask" and (opened.bscale, opened.bzero) == (1, 0):
        return opened.pixels
    unit = unit_of_header(opened.header) if maps.is_deviation(what, weights_type) and unit_of_header(header) is not None else None
    return opened.values() if unit is None else opened.values() * unit


def _own_wcs(image: Any) -> Any:
    """The WCS of a Cutout2D, which a header of the whole image does not replace; None for other objects."""
    return image.wcs if hasattr(image, "bbox_original") else None


def _joined(masks: dict[str, Any], shape: tuple[int, ...]) -> Any:
    """The union of the masks of the image, the `mask` argument and the noise map; None if nothing is masked."""
    told = {what: filled(maps.of_shape(mask, "mask", shape), True) for what, mask in masks.items() if mask is not None}
    if len(told) < 2:
        return next(iter(told.values()), None)
    if not isinstance(told.get("mask", told), (numpy.ndarray, dict)):
        raise InputError(f"mask: lies on a GPU, and {next(iter(told))} has a mask of its own on the host; give one of both "
                         "together")
    for mask in told.values():
        plane_of(mask, "mask")  # raises the error about its type or shape
    return numpy.logical_or.reduce([mask != 0 for mask in told.values()]).view("u1")


def error_of(image: Any) -> Any:
    """The standard deviations of an NDData's pixels; None for other objects."""
    uncertainty = getattr(image, "uncertainty", None)
    if uncertainty is None or not hasattr(image, "data") or not hasattr(uncertainty, "represent_as"):
        return None
    from astropy.nddata import StdDevUncertainty
    try:
        deviation = uncertainty.represent_as(StdDevUncertainty)
    except TypeError as mistake:
        raise InputError(f"the uncertainty: a {type(uncertainty).__name__} is no standard deviation, variance or inverse variance; "
                         "make it one of these, or give weights__type='background'") from mistake
    values = array_of(deviation.array, "the uncertainty")
    return values if deviation.unit is None else _in_unit(values * deviation.unit, image)


def _unit_of(image: Any) -> Any:
    """The unit of a Quantity, of NDData, or of the Quantity in a Cutout2D."""
    unit = getattr(image, "unit", None)
    if unit is not None or hasattr(image, "fileinfo"):  # of an HDU, astropy would read the pixels
        return unit
    return getattr(getattr(image, "data", None), "unit", None)


def require_one_unit(planes: Sequence[Any]) -> None:
    """Raises InputError for planes of several units, or of which some have one."""
    units = [unit if str(unit or "") else None for unit in map(_unit_of, planes)]  # a dimensionless one is no unit
    for at, unit in enumerate(units):
        if unit != units[0]:
            told = [f"in {one}" if one is not None else "without a unit" for one in (units[0], unit)]
            raise InputError(f"planes: plane 0 is {told[0]}, and plane {at} {told[1]}; give all in one unit, as plane.to(unit) does")


def _in_unit(error: Any, image: Any, header: str = "") -> Any:
    """Standard deviations as numbers in the unit of the image, or of BUNIT if the image has none."""
    if not (hasattr(error, "unit") and hasattr(error, "to_value")):
        return error
    unit = _unit_of(image)
    unit = unit_of_header(header) if unit is None else unit
    try:
        return error.to_value(unit if unit is not None else "")
    except ValueError as mistake:  # astropy.units.UnitConversionError
        raise InputError(f"error: in {error.unit}, and the image {f'in {unit}' if unit is not None else 'has no unit that astropy knows'}; "
                         "give both in units that convert to each other, or numbers alone") from mistake


def _of_nddata(image: Any) -> Opened:
    header = getattr(image, "header", None) or getattr(image, "meta", None)
    cards = cards_of(header) if hasattr(header, "tostring") else ""
    if image.wcs is not None:
        try:
            cards = with_wcs(cards, image.wcs, numpy.shape(image.data))
        except InputError as error:
            cards = without_wcs(cards)
            warned.warn(f"the image has no positions on the sky: {error}")
    pixels, mask = unwrapped(image)
    pixels = array_of(pixels, "the image")
    return Opened(pixels, header=with_unit(cards, _unit_of(image)), mask=mask, blank=blank_of(header, pixels.dtype))


def _of_array(image: Any, header: str = "") -> Opened:
    """An image from a NumPy array, which may have a mask."""
    if image.ndim > 2 and image.dtype.kind == "f":  # the planes of a stack have masks of their own
        return Opened(filled(image, numpy.nan), header=header)
    pixels, mask = parted(image)
    return Opened(pixels, header=header, mask=mask)


def is_hdu_list(image: Any) -> bool:
    return isinstance(image, list) and hasattr(image, "fileinfo")


def open_image(image: Any, name: str | None = None, hdu: Sequence[str] = ("auto",)) -> Opened:
    """The image of any supported object."""
    if is_hdu_list(image):
        image = _selected(image, hdu)
    if hasattr(image, "header") and hasattr(image, "fileinfo"):
        opened = _of_hdu(image)
    elif is_nddata(image):
        opened = _of_nddata(image)
    elif hasattr(image, "unit") and hasattr(image, "to_value"):  # Quantity
        opened = _of_array(numpy.asanyarray(image.value), with_unit("", image.unit))
    elif isinstance(image, numpy.ndarray):
        opened = _of_array(image)
    else:
        opened = Opened(array_of(image, name or "the image"))
    if name is not None:
        opened.name = name
    return opened


@contextlib.contextmanager
def opened_hdu(contents: files.Contents, hdu: Sequence[str]) -> Iterator[Any]:
    """The HDU of a file that input.hdu selects, while the file is open."""
    with opened_file(contents) as hdus:
        yield _selected(hdus, hdu)


@contextlib.contextmanager
def opened_file(contents: files.Contents, what: str = "") -> Iterator[Any]:
    """The HDUList of a file, while it is open; `what` begins messages."""
    require("astropy", f"{what or 'a map, a header or a WCS'} {'in' if what else 'beside'} a file")
    from astropy.io import fits
    try:
        hdus = fits.open(contents.path)
    except OSError as error:
        raise InputError(f"{what}{': ' if what else ''}{contents.path}: cannot be read: {error}") from error
    with hdus:
        yield hdus


def cards_for(image: Any, header: Any, wcs: Any, hdu: Sequence[str]) -> str:
    """The cards of an image, or of its file's `Contents`, replaced by given ones."""
    if header is None and isinstance(image, files.Contents):
        from astropy.io import fits
        try:
            with fits.open(image.path) as hdus:
                header = _selected(hdus, hdu).header.copy()
        except OSError as error:
            raise InputError(f"{image.path}: cannot be read: {error}") from error
    wcs = _own_wcs(image) if wcs is None and header is not None else wcs
    opened = None if isinstance(image, files.Contents) else open_image(image, None, hdu)
    cards = opened.header if header is None and opened is not None else cards_of(header)
    return with_wcs(cards, wcs, None if opened is None else opened.pixels.shape) if wcs is not None else cards
