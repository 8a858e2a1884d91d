"""Positions in Python's forms: pairs of arrays, SkyCoord, tables and apertures of photutils."""
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy

from srcextract import warned
from srcextract.arrays import is_catalogue, parted
from srcextract.errors import ConfigError, InputError, OriginWarning

# Columns counted from 0: of photutils' star finders, source catalogues, aperture photometry, fits and peaks.
_FROM_ZERO = (("xcentroid", "ycentroid"), ("x_centroid", "y_centroid"), ("xcenter", "ycenter"), ("x_center", "y_center"),
              ("x_fit", "y_fit"), ("x_peak", "y_peak"))
_OF_PIXELS = ({"X_IMAGE", "Y_IMAGE"}, {"X", "Y"})
# Columns that count from 0 unless `origin` says otherwise, as of SEP's objects.
_OF_ARRAYS = ("x", "y")
PAIRS_OF_SKY = (("ALPHA_J2000", "DELTA_J2000"), ("RA", "DEC"), ("RA_ICRS", "DE_ICRS"), ("_RAJ2000", "_DEJ2000"),
                ("RAJ2000", "DEJ2000"))
_NAMES = frozenset(name.upper() for pair in (*_FROM_ZERO, *_OF_PIXELS, *PAIRS_OF_SKY) for name in pair)
# Columns that are used, and not copied to the catalogue.
NAMES_OF_NUMBERS = _NAMES | {"A_IMAGE", "B_IMAGE", "THETA_IMAGE", "KRON_RADIUS", "NUMBER"}

# The galactic axes in ICRS (ESA 1997, The Hipparcos and Tycho Catalogues, vol. 1, 1.5.3), as in the compiled half.
_GALACTIC_AXES = numpy.array([[-0.054875560416215368, -0.873437090234885049, -0.483835015548713227],
                              [0.494109427875583674, -0.444829629960011178, 0.746982244497218891],
                              [-0.867666149019004701, -0.198076373431201528, 0.455983776175066922]])


_told_of_origin = False


def origin_of(origin: Any) -> int:
    """The number of the first pixel of an array. None is 0, and once in a process a warning that it was 1 in earlier versions."""
    global _told_of_origin
    if origin is None and not _told_of_origin:
        _told_of_origin = True
        warned.warn("the positions: arrays, lists, tuples and columns x and y count from 0, as in NumPy and SEP; they counted from 1 in "
                    "earlier versions. Add origin=0 to silence this, or origin=1 if the first pixel is 1", OriginWarning)
    if origin not in (None, 0, 1) or isinstance(origin, bool):
        raise ConfigError(f"origin={origin!r}: 0 if the centre of the first pixel is 0, as in NumPy, or 1, as in FITS")
    return origin or 0


def usual(positions: Any, header: Callable[[], str] | None = None, origin: Any = None) -> Any:
    """Positions converted to a path, a table, or an array of rows of x and y, counted from 1.

    `header` returns the header cards of the image, for positions on the sky. Without it these are errors. `origin` is that of
    arrays and of columns x and y, as of `origin_of`.

    Raises
    ------
    InputError
        If a pair can be read in two ways, or positions are angles where pixels are needed.
    """
    if origin is not None:
        origin_of(origin)
    if positions is None or isinstance(positions, (str, os.PathLike)):
        return positions
    positions = of_one_row(positions)
    if is_aperture(positions):
        places = positions.positions
        if not _is_sky(places):
            return numpy.atleast_2d(numpy.asarray(places, float)) + 1
        positions = places
    if isinstance(positions, (list, tuple)) and positions and all(map(_is_sky, positions)):
        positions = _joined(positions)
    if _is_sky(positions):
        return dict(zip(("RA", "DEC"), _degrees_of(positions, header), strict=True))
    if isinstance(positions, (list, tuple, numpy.ndarray)) and is_empty(positions):
        return numpy.empty((0, 2))
    if isinstance(positions, (list, tuple)):
        positions = _of_sequence(positions)
    elif is_catalogue(positions):
        return positions
    elif hasattr(positions, "keys") or _fields_of(positions):
        return _of_table(positions, header, origin)
    require_pixels(positions)
    rows = array_of_places(positions)
    if not is_of_places(rows):
        return positions
    values, mask = parted(rows)
    values = numpy.array(values, float) + (1 - origin_of(origin))
    return values if mask is None else numpy.ma.MaskedArray(values, mask)


def array_of_places(positions: Any) -> Any:
    """Positions as an array, which keeps its mask."""
    try:
        has_mask = isinstance(positions, numpy.ma.MaskedArray) or hasattr(positions, "unmasked")
        return positions if has_mask else numpy.asarray(positions)
    except ValueError as error:
        raise InputError(f"the positions: rows of x and y are wanted, and these are none: {error}") from error


def is_of_places(array: Any) -> bool:
    """Whether it is an array of rows of x and y."""
    return array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iuf"


def of_one_row(positions: Any) -> Any:
    """A table of one row from a row of a table: of astropy, pandas, NumPy or FITS, a named tuple, or a dict of single values. Other
    positions stay as they are."""
    if hasattr(positions, "table") and hasattr(positions, "colnames") and hasattr(positions, "index"):
        return positions.table[positions.index:positions.index + 1]
    if type(positions).__name__ == "FITS_record":
        return positions.array[positions.row:positions.row + 1]
    if isinstance(positions, numpy.ma.core.mvoid):
        return numpy.ma.MaskedArray(numpy.asarray(positions.data).reshape(1), numpy.asarray(positions.mask).reshape(1))
    if _fields_of(positions) and getattr(positions, "ndim", 1) == 0:
        return numpy.asarray(positions).reshape(1)
    row: Any = positions
    if getattr(positions, "ndim", 2) == 1 and hasattr(positions, "iloc"):  # a Series; iloc of astropy 5 raises ValueError
        row = dict(positions.items())
    elif isinstance(positions, tuple) and hasattr(positions, "_asdict"):
        row = positions._asdict()
    if not isinstance(row, Mapping):
        return positions
    places = [value for name, value in row.items() if str(name).upper() in _NAMES or _is_sky(value)]
    if not places or not all(map(_is_single, places)):
        return positions
    return {name: _in_a_row(value) for name, value in row.items()}


def _is_single(value: Any) -> bool:
    return bool(value.isscalar) if hasattr(value, "isscalar") else _shape_of(value) == ()


def _in_a_row(value: Any) -> Any:
    if not _is_single(value):
        return numpy.asanyarray(value)[None]
    return value.reshape(1) if hasattr(value, "isscalar") and hasattr(value, "reshape") else [value]


def further_names(positions: Any) -> tuple[str, ...]:
    """The names of a table's columns that are neither positions nor shapes; none of a Catalogue, whose columns are made anew."""
    if is_catalogue(positions) or not (_fields_of(positions) or hasattr(positions, "keys")):
        return ()
    names = _fields_of(positions) or list(positions.keys())
    return tuple(str(name) for name in names if str(name).upper() not in NAMES_OF_NUMBERS | {"EXT_NUMBER", "EXTNAME"}
                 and not _is_sky(positions[name]))


def is_empty(positions: Any) -> bool:
    """Whether a list or an array has no positions."""
    return not _fields_of(positions) and _shape_of(positions) in ((0,), (0, 2))


def is_aperture(value: Any) -> bool:
    """Whether it is an aperture of photutils, in pixels or on the sky."""
    return hasattr(value, "positions") and (hasattr(value, "to_sky") or hasattr(value, "to_pixel"))


def _is_sky(value: Any) -> bool:
    """Whether it is a SkyCoord, or a frame of astropy with coordinates."""
    return hasattr(value, "transform_to") and hasattr(value, "represent_as")


def _joined(several: Any) -> Any:
    from astropy.coordinates import SkyCoord
    frame = several[0]
    parts = [SkyCoord(one.transform_to(frame.frame if hasattr(frame, "frame") else frame)) for one in several]
    longitude, latitude = (numpy.concatenate([numpy.ravel(values) for values in axis]) for axis in (
        [part.spherical.lon.deg for part in parts], [part.spherical.lat.deg for part in parts]))
    return SkyCoord(longitude, latitude, unit="deg", frame=parts[0].frame.replicate_without_data())


def _degrees_of(places: Any, header: Callable[[], str] | None) -> tuple[Any, Any]:
    """Right ascension and declination in the frame of the image's WCS: FK5 and ICRS are 0.02 arcseconds apart."""
    if header is None:
        raise InputError("the positions are on the sky, and arrays have no WCS here: give wcs.world_to_pixel of them, plus 1 in x "
                         "and y; extract() takes a SkyCoord and the image's WCS")
    from astropy.coordinates import FK5, ICRS, Galactic, SkyCoord
    frame = frame_of(header())
    if not isinstance(frame, (ICRS, FK5, Galactic)):
        frame = ICRS()
    try:
        native = SkyCoord(places).transform_to(frame).spherical
    except Exception as error:
        raise InputError(f"the positions: their frame cannot be converted to that of the image: {error}") from error
    longitude, latitude = (numpy.ma.filled(numpy.atleast_1d(_bare(axis.deg)), numpy.nan).ravel()
                           for axis in (native.lon, native.lat))
    if isinstance(frame, Galactic):
        return _from_galactic(longitude, latitude)
    return longitude, latitude


def _bare(values: Any) -> Any:
    """The values; astropy's Masked becomes an array of numpy.ma."""
    if hasattr(values, "unmasked"):
        return numpy.ma.MaskedArray(numpy.asarray(values.unmasked, float), values.mask)
    return numpy.asarray(values, float)


def _from_galactic(longitude: Any, latitude: Any) -> tuple[Any, Any]:
    """Right ascension and declination that the compiled half converts back to these galactic coordinates."""
    along, up = numpy.radians(longitude), numpy.radians(latitude)
    x, y, z = _GALACTIC_AXES.T @ numpy.array([numpy.cos(up) * numpy.cos(along), numpy.cos(up) * numpy.sin(along), numpy.sin(up)])
    return numpy.degrees(numpy.arctan2(y, x)) % 360, numpy.degrees(numpy.arctan2(z, numpy.hypot(x, y)))


def frame_of(cards: str) -> Any:
    """The frame of a header's celestial WCS; None if astropy finds none."""
    import warnings
    from astropy.io import fits
    from astropy.wcs import WCS
    from astropy.wcs.utils import wcs_to_celestial_frame
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return wcs_to_celestial_frame(WCS(fits.Header.fromstring(cards), naxis=2))
        except Exception:  # the compiled half reports the header's problem
            return None


def require_pixels(values: Any) -> None:
    """Raises InputError for values in units other than pixels."""
    unit: Any = getattr(values, "unit", None)
    if not hasattr(unit, "is_equivalent") or str(unit) in ("", "pix", "pixel"):
        return
    if unit.is_equivalent("deg"):
        raise InputError(f"the positions are in {unit}, and x and y are in pixels; give angles as a SkyCoord, or as a table with RA "
                         "and DEC")
    raise InputError(f"the positions are in {unit}, and x and y are in pixels; convert them")


def _fields_of(values: Any) -> list[Any]:
    """The field names of a structured array; empty for other objects."""
    return list(getattr(getattr(values, "dtype", None), "names", None) or ())


def _of_sequence(positions: Any) -> Any:
    """Rows from a list or a tuple: a tuple of two arrays (x, y) is a pair of columns, a sequence of points has a row
    each."""
    for one in positions:
        require_pixels(one)
    shapes = [_shape_of(one) for one in positions]
    if len(positions) != 2 or shapes[0] != shapes[1] or len(shapes[0]) > 1:
        return positions
    if not shapes[0]:
        return _columns(positions) if isinstance(positions, tuple) else positions
    points = all(isinstance(one, tuple) for one in positions)
    if shapes[0] == (2,):
        if isinstance(positions, list) and points:
            return positions
        if isinstance(positions, list) or points:
            raise InputError("the positions: two times two numbers are two rows of x and y, or x and y of two positions; give (x, y) as a "
                             "tuple of two arrays, or the rows as numpy.array(...) of shape (2, 2)")
        return _columns(positions)
    if shapes[0] == (0,):
        return numpy.empty((0, 2))
    if isinstance(positions, list):
        raise InputError(f"the positions: a list of two arrays of {shapes[0][0]} numbers has no rows of x and y; give (x, y) as a tuple of "
                         "two arrays, or rows of x and y")
    return _columns(positions)


def _shape_of(one: Any) -> tuple[int, ...]:
    try:
        return tuple(numpy.shape(one))
    except ValueError:
        return (-1, -1)


def _columns(pair: Any) -> Any:
    """Rows of x and y from a pair of columns."""
    return numpy.ma.column_stack([numpy.ma.atleast_1d(numpy.ma.asarray(one)) for one in pair])


def _of_table(positions: Any, header: Callable[[], str] | None, origin: Any) -> Any:
    """The table with X_IMAGE and Y_IMAGE from columns counted from 0, or RA and DEC from a SkyCoord column."""
    names = _fields_of(positions) or list(positions.keys())
    capitals = {str(name).upper() for name in names}
    if _OF_PIXELS[0] <= capitals:
        return positions
    if set(_OF_ARRAYS) <= set(names) and not {"X", "Y"} & set(names):
        first = 0 if "tnpix" in names else origin_of(origin)  # SEP's objects count from 0 anyway
        at = {f"{name.upper()}_IMAGE": _from_one(positions[name]) - first for name in _OF_ARRAYS}
        if hasattr(positions, "assign"):  # of pandas, whose further columns have types of their own
            return positions.drop(columns=list(_OF_ARRAYS)).assign(**at)
        return _with(positions, [name for name in names if name not in _OF_ARRAYS], at)
    if _OF_PIXELS[1] <= capitals:
        return positions
    pair = next((pair for pair in _FROM_ZERO if set(pair) <= set(names)), None)
    if pair is not None:
        return _with(positions, names, {"X_IMAGE": _from_one(positions[pair[0]]), "Y_IMAGE": _from_one(positions[pair[1]])})
    on_sky = [name for name in names if _is_sky(positions[name])]
    if not on_sky or any(capitals >= set(pair) for pair in PAIRS_OF_SKY):
        return positions
    if len(on_sky) > 1:
        raise InputError(f"the positions: {' and '.join(map(str, on_sky))} are each a SkyCoord; give the one that is meant")
    return _with(positions, names, dict(zip(("RA", "DEC"), _degrees_of(positions[on_sky[0]], header), strict=True)))


def _from_one(values: Any) -> Any:
    require_pixels(values)
    try:
        numbers: Any = numpy.ma.asarray(values.value if hasattr(values, "to_value") else values, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"the positions: these are no numbers: {error}") from error
    return numpy.ma.filled(numbers, numpy.nan) + 1


def _with(table: Any, names: list[Any], places: dict[str, Any]) -> Any:
    """The columns that a file can hold, with those of the positions."""
    rest = {name: table[name] for name in names
            if not _is_nothing(table[name]) and not _is_sky(table[name])
            and getattr(table[name], "ndim", 1) == 1 and str(name).upper() not in ("RA", "DEC", "ALPHA_J2000", "DELTA_J2000")}
    return places | rest


def _is_nothing(values: Any) -> bool:
    """Whether a column has None in every row, as photutils makes it without a WCS."""
    return getattr(values, "dtype", None) == object and all(one is None for one in values)
