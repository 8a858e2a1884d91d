"""What people have an image in: paths, arrays, masked arrays, HDUs of astropy, NDData."""
import os

import numpy

from srcextract import _core
from srcextract.arrays import array_of, plane_of
from srcextract.errors import InputError


def path_of(image):
    """The path that `image` is, or None."""
    return os.fsdecode(os.fspath(image)) if isinstance(image, (str, bytes, os.PathLike)) and not _is_fits(image) else None


def _is_fits(image):
    return isinstance(image, bytes) and image.startswith((b"SIMPLE", b"\x1f\x8b"))


def cards_of(header):
    """The cards of a header, 80 columns each and END."""
    if header is None:
        return ""
    text = header.tostring(sep="", endcard=True, padding=False) if hasattr(header, "tostring") else str(header)
    if "\n" in text:
        text = "".join(line.ljust(80) for line in text.splitlines())
    try:
        text.encode("ascii")
    except UnicodeEncodeError as error:
        raise InputError(f"the header is not ASCII: {error}") from error
    return text


def _with_wcs(cards, wcs):
    """The cards, with those of a WCS for their own."""
    from astropy.io import fits
    header = fits.Header.fromstring(cards) if cards else fits.Header()
    for key in list(header):
        if key.startswith(("CTYPE", "CRVAL", "CRPIX", "CDELT", "CUNIT", "CD1_", "CD2_", "PC1_", "PC2_", "PV1_", "PV2_",
                           "A_", "B_", "AP_", "BP_", "RADESYS", "EQUINOX", "LONPOLE", "LATPOLE", "CROTA")):
            del header[key]
    header.update(wcs.to_header(relax=True))
    return cards_of(header)


class Opened:
    """An image as it came: its pixels, how they are stored, and what is known of them."""

    def __init__(self, pixels, *, name="the array", header="", bscale=1.0, bzero=0.0, blank=None, mask=None, error=None):
        self.pixels, self.name, self.header = pixels, name, header
        self.bscale, self.bzero, self.blank, self.mask, self.error = bscale, bzero, blank, mask, error


def _stored_pixels(hdu):
    """The pixels as the file of the HDU has them, or None where somebody has touched them, or they lie in no plain file."""
    place = hdu.fileinfo()
    header = hdu.header
    plain = type(hdu).__name__ in ("PrimaryHDU", "ImageHDU") and "data" not in vars(hdu)
    if not plain or not place or not place["file"].name or place["file"].compression or not hdu.shape:
        return None
    types = {8: "u1", 16: ">i2", 32: ">i4", 64: ">i8", -32: ">f4", -64: ">f8"}
    try:
        return numpy.memmap(place["file"].name, types[header["BITPIX"]], "r", place["datLoc"], hdu.shape)
    except (OSError, TypeError, ValueError, KeyError):
        return None


def _of_hdu(hdu):
    """What is still in its file is scaled as the command scales it: in double, rounded once."""
    name = f"HDU {hdu.name or 'PRIMARY'}"
    pixels = _stored_pixels(hdu)
    if pixels is not None:
        name += f" of {hdu.fileinfo()['file'].name}"
    else:
        pixels = hdu.data
    if pixels is None:
        raise InputError(f"{name} has no pixels")
    header = hdu.header  # of which astropy takes BSCALE, BZERO and BLANK once it has scaled the pixels
    return Opened(pixels, name=name, header=cards_of(header), bscale=header.get("BSCALE", 1.0),
                  bzero=header.get("BZERO", 0.0), blank=header.get("BLANK"))


def _map(values, what, shape):
    """A map of something of every pixel."""
    values = array_of(values, what)
    if values.shape != shape:
        raise InputError(f"{what} has the shape {values.shape} and the image {shape}; a map must have a value for each of "
                         "its pixels")
    return values.view("u1") if values.dtype == bool else values


def inputs_of(image, *, header=None, wcs=None, mask=None, weight=None, error=None, name=None):
    """What the compiled half takes for the image, and what has to stay alive meanwhile."""
    opened = open_image(image, name)
    pixels = opened.pixels
    if pixels.dtype == bool:
        pixels = pixels.view("u1")
    inputs = _core.PixelInputs()
    inputs.name = opened.name
    inputs.header = cards_of(header) if header is not None else opened.header
    if wcs is not None:
        inputs.header = _with_wcs(inputs.header, wcs)
    blank = opened.blank if pixels.dtype.kind in "iu" else None
    if pixels.ndim > 2 and all(length == 1 for length in pixels.shape[:-2]):
        pixels = pixels.reshape(pixels.shape[-2:])
    plane = plane_of(pixels, opened.name, bscale=opened.bscale, bzero=opened.bzero, blank=blank)
    inputs.planes = [plane]
    shape = pixels.shape
    alive = [pixels]
    for what, values in (("mask", mask if mask is not None else opened.mask), ("weights", weight), ("weights", error)):
        if values is None:
            continue
        values = _map(values, what, shape)
        setattr(inputs, what, plane_of(values, what))
        alive.append(values)
    return inputs, alive


def open_image(image, name=None):
    """The image, whatever it is in."""
    if hasattr(image, "header") and hasattr(image, "fileinfo"):
        opened = _of_hdu(image)
    elif hasattr(image, "data") and hasattr(image, "uncertainty"):  # NDData, CCDData
        from astropy.nddata import StdDevUncertainty
        error = image.uncertainty
        if error is not None:
            error = error.represent_as(StdDevUncertainty).array
        header = getattr(image, "header", None)
        cards = cards_of(header) if header is not None and hasattr(header, "tostring") else ""
        if image.wcs is not None:
            cards = _with_wcs(cards, image.wcs)
        opened = Opened(array_of(image.data, name or "the image"), header=cards, mask=image.mask, error=error)
    elif isinstance(image, numpy.ma.MaskedArray):
        opened = Opened(image.data, mask=None if image.mask is numpy.ma.nomask else image.mask)
    else:
        opened = Opened(array_of(image, name or "the image"))
    if name is not None:
        opened.name = name
    return opened
