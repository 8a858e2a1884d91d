"""Headers for the compiled half, and their facts about arrays."""
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy

from srcextract.errors import InputError


def cards_of(header: Any) -> str:
    """The header cards, 80 columns each, with END."""
    if header is None:
        return ""
    if not isinstance(header, str) and not hasattr(header, "tostring"):
        raise InputError(f"the header: a {type(header).__name__} is none; give an astropy.io.fits.Header, or its cards as text")
    text = header if isinstance(header, str) else header.tostring(sep="", endcard=True, padding=False)
    if "\n" in text:
        text = "".join(line.ljust(80) for line in text.splitlines())
    try:
        text.encode("ascii")
    except UnicodeEncodeError as error:
        raise InputError(f"the header is not ASCII: {error}") from error
    return text


# Prefixes of keywords of a celestial WCS and its distortions.
_OF_WCS = ("CTYPE", "CRVAL", "CRPIX", "CDELT", "CUNIT", "CD1_", "CD2_", "PC1_", "PC2_", "PV1_", "PV2_", "A_", "B_", "AP_", "BP_",
           "RADESYS", "EQUINOX", "LONPOLE", "LATPOLE", "CROTA", "CPDIS", "CPERR", "CQDIS", "DP1", "DP2", "DQ1", "DQ2", "D2IM")


def without_wcs(cards: str) -> str:
    """The cards without those of a WCS."""
    if not cards:
        return ""
    from astropy.io import fits
    header = fits.Header.fromstring(cards)
    for key in [key for key in header if key.startswith(_OF_WCS)]:
        header.remove(key, ignore_missing=True, remove_all=True)
    return cards_of(header)


def with_wcs(cards: str, wcs: Any, shape: Any = None) -> str:
    """The cards with their WCS replaced. A gwcs is a model with polynomials of SIP, for an image of that shape.

    Raises
    ------
    InputError
        If cards cannot represent the WCS.
    """
    from astropy.io import fits
    wcs = _whole_wcs(wcs)
    if hasattr(wcs, "to_fits_sip"):
        header = fits.Header.fromstring(without_wcs(cards))
        header.update(_sip_of(wcs, shape))
        return cards_of(header)
    for table in "cpdis1", "cpdis2", "det2im1", "det2im2":
        if getattr(wcs, table, None) is not None:
            raise InputError(f"wcs: its distortion is a table ({table}), which srcextract does not read, and without which "
                             "positions are off; leave it out, and take wcs.all_pix2world of X_IMAGE and Y_IMAGE (which count from 1), or "
                             "give a WCS with SIP or PV polynomials")
    header = fits.Header.fromstring(without_wcs(cards))
    header.update(wcs.to_header(relax=True))
    return cards_of(header)


def _whole_wcs(wcs: Any) -> Any:
    """The astropy.wcs.WCS itself, or the one that it is a slice of, as in an NDData."""
    inner = getattr(wcs, "low_level_wcs", wcs)
    whole: Any = getattr(inner, "_wcs", None)
    slices = getattr(inner, "_slices_array", None)
    if hasattr(whole, "slice") and slices is not None and not hasattr(inner, "to_header"):
        try:
            inner = whole.slice([at if isinstance(at, slice) else slice(at, at + 1) for at in slices])
        except (TypeError, ValueError, IndexError, NotImplementedError) as error:
            raise InputError(f"wcs: a slice that has no header: {error}; give that of the whole, sliced as the image is") from error
        if whole.pixel_n_dim > 2:
            inner = inner.celestial
    if not hasattr(inner, "to_header") and not hasattr(inner, "to_fits_sip"):
        raise InputError(f"wcs: a {type(wcs).__name__} is no astropy.wcs.WCS, and no header can be made of it; a header is given "
                         "as header=")
    return inner


# Pixels by which positions of a gwcs may be off.
_MOST_OFF = 0.01


def _sip_of(wcs: Any, shape: Any) -> Any:
    """The header that stands for a gwcs, once its positions are those of the gwcs itself."""
    import warnings

    from astropy.coordinates import SkyCoord
    from astropy.wcs import WCS
    from astropy.wcs.utils import proj_plane_pixel_scales
    shape = shape if shape is not None else getattr(wcs, "array_shape", None)
    if shape is None and wcs.bounding_box is None:
        raise InputError("wcs: a gwcs without bounding_box and array_shape does not tell where it is right; set one of them")
    box = ((-0.5, shape[-1] - 0.5), (-0.5, shape[-2] - 0.5)) if shape is not None else wcs.bounding_box.bounding_box(order="F")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            header = wcs.to_fits_sip(bounding_box=box, max_pix_error=_MOST_OFF / 4, max_inv_pix_error=None)
    except Exception as error:
        raise InputError(f"wcs: no header can be made of the gwcs: {type(error).__name__}: {error}; give header=, or an astropy.wcs.WCS") from error
    x, y = numpy.meshgrid(*(numpy.linspace(low + 0.5, high - 0.5, 23) for low, high in box))
    fitted = WCS(header)
    own = SkyCoord(*wcs(x, y, with_bounding_box=False), unit="deg")
    off = own.separation(SkyCoord(*fitted.all_pix2world(x, y, 0), unit="deg")).deg.max() / proj_plane_pixel_scales(fitted).min()
    if not off <= _MOST_OFF:
        raise InputError(f"wcs: polynomials of SIP follow the gwcs to {off:.2g} pixels and not to {_MOST_OFF}; leave it out, and take wcs(x, y) of "
                         "found.x and found.y")
    return header


def shape_of(cards: str) -> tuple[int, int] | None:
    """Rows and columns of the header's image; None if the header has no axes."""
    from astropy.io import fits
    header = fits.Header.fromstring(cards)
    if "NAXIS1" not in header or "NAXIS2" not in header:
        return None
    return header["NAXIS2"], header["NAXIS1"]


def blank_of(header: Any, dtype: Any) -> int | None:
    """The value of missing pixels, as an array with that header has it."""
    if dtype.kind not in "iu" or header is None:
        return None
    if isinstance(header, str):
        from astropy.io import fits
        header = fits.Header.fromstring(cards_of(header))
    def number(key: str, default: Any) -> Any:  # a header's values may be scalars of NumPy
        return numpy.asarray(header.get(key, default)).item()

    blank = number("BLANK", None) if hasattr(header, "get") else None
    if type(blank) is not int:
        return None
    if not is_scaled(dtype):
        return blank
    value = blank * Fraction(number("BSCALE", 1.0)) + Fraction(number("BZERO", 0.0))  # exact above 2^53
    return int(value) if value.denominator == 1 else None


def is_scaled(dtype: Any) -> bool:
    """Whether no FITS file stores such integers: astropy has applied BZERO to them, but keeps it in the header."""
    return (dtype.kind == "u" and dtype.itemsize > 1) or (dtype.kind == "i" and dtype.itemsize == 1)


def unit_of_header(cards: str) -> Any:
    """The astropy unit that BUNIT names; None if there is none, or astropy does not know it."""
    if "BUNIT" not in cards:
        return None
    from astropy.io import fits
    from astropy.units import Unit
    try:
        return Unit(fits.Header.fromstring(cards)["BUNIT"])
    except (KeyError, TypeError, ValueError, fits.VerifyError):
        return None


def units_as_given(cards: str) -> Callable[[str], str]:
    """Puts units of the catalogue in the word of BUNIT: FITS has no electrons, which are counts there, and no DN."""
    at = cards.find("BUNIT   =")
    given = cards[at + 9:at + 80].split("/")[0].lower() if at >= 0 and at % 80 == 0 else ""
    if "electron" in given:
        return lambda unit: re.sub(r"\bcount\b", "electron", unit)
    return (lambda unit: re.sub(r"\badu\b", "DN", unit)) if re.search(r"\bdn\b", given) else str


def with_unit(cards: str, unit: Any) -> str:
    """The cards with this unit of the pixels in place of an older BUNIT. Cards that name the same unit stay as they are."""
    if unit is None or unit_of_header(cards) == unit:
        return cards
    from astropy.io import fits
    try:
        text = unit.to_string("fits")
    except ValueError:  # not a unit of the FITS standard
        text = str(unit)
    header = fits.Header.fromstring(cards)
    header.remove("BUNIT", ignore_missing=True)
    header.update([("BUNIT", text)] if text else [])
    return cards_of(header)
