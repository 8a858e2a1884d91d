"""Catalogues as tables of astropy, with units and positions on the sky, and rows of two catalogues that belong together."""
from __future__ import annotations

import functools
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from srcextract import places, views
from srcextract.arguments import require
from srcextract.arrays import is_catalogue
from srcextract.errors import ConfigError, InputError

if TYPE_CHECKING:
    from srcextract.catalogue import Catalogue

Told = tuple[NDArray[Any], str, str, str]  # values of all rows, unit, UCD, description of a column
Vector = tuple[str, NDArray[Any], Told]


def vectors_of(names: list[str], single: Container[str]) -> Iterator[list[str]]:
    """The names that form one column of shape (sources, n): NAME, NAME_1, NAME_2 ..., or NAME alone if it is in `single`."""
    at = 0
    while at < len(names):
        name = names[at]
        several = 1
        while name not in single and at + several < len(names) and names[at + several] == f"{name}_{several}":
            several += 1
        yield names[at:at + several]
        at += several


def table_of(name: str, columns: Iterable[tuple[Any, ...]]) -> Any:
    """An astropy table of columns: name, values, unit, UCD, description."""
    require("astropy", "the table of a catalogue")
    told = list(columns)
    rows = len(told[0][1]) if told else 0
    table = _one_row(tuple((of_column, values.dtype.str, values.shape[1:], unit, description)
                           for of_column, values, unit, _, description in told))[
        numpy.zeros(rows, int)]
    table.meta["name"] = name
    for column, (_, values, _, ucd, _) in zip(table.columns.values(), told, strict=True):
        column.meta["ucd"] = ucd  # astropy takes a fifth of the time to copy it from the one row
        column.view(numpy.ndarray)[...] = values
    return table


@functools.lru_cache(32)
def _one_row(columns: tuple[tuple[Any, ...], ...]) -> Any:
    """A table of one row with these columns. Rows of it are a new table in a third of the time that astropy needs for new columns."""
    from astropy.table import Column, Table
    made = [Column(numpy.zeros((1, *shape), dtype), name=name, unit=unit or None, description=description)
            for name, dtype, shape, unit, description in columns]
    return Table(made, copy=False)


def sky_of(catalogue: Catalogue) -> Any:
    """The places of the sources as a SkyCoord."""
    require("astropy", "positions on the sky")
    from astropy.coordinates import FK5, ICRS, SkyCoord
    if "ALPHA_J2000" not in catalogue:
        raise ConfigError(f"{catalogue.name}: there is no ALPHA_J2000: the image has no WCS, or output.columns leaves the columns of "
                          "the sky out; give header= or wcs=")
    frame = places.frame_of(catalogue.header)
    return SkyCoord(catalogue["ALPHA_J2000"], catalogue["DELTA_J2000"], unit="deg",
                    frame=FK5() if isinstance(frame, FK5) else ICRS())


def qtable_of(catalogue: Catalogue) -> Any:
    """A QTable with a column of SkyCoord, if the image has positions on the sky."""
    require("astropy", "to_qtable()")
    from astropy.table import QTable
    table = QTable(catalogue.table)
    if "ALPHA_J2000" in catalogue:
        table["skycoord"] = sky_of(catalogue)
        table["skycoord"].info.description = "ALPHA_J2000, DELTA_J2000"
    return table


class Match:
    """Pairs of rows of two catalogues: each is the nearest to the other, and within the radius.

    Parameters
    ----------
    catalogue, other
        What was matched.
    rows : array of int
        Rows of the catalogue, in its order.
    other_rows : array of int
        The rows of the other one that belong to these.
    separation : astropy.units.Quantity or array
        Angles, or pixels if the radius was in pixels.
    """

    def __init__(self, catalogue: Catalogue, other: Any, rows: NDArray[Any], other_rows: NDArray[Any], separation: Any) -> None:
        self._catalogue, self._other = catalogue, other
        self.rows: NDArray[Any] = rows
        self.other_rows: NDArray[Any] = other_rows
        self.separation: Any = separation

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def unmatched(self) -> Catalogue:
        """The sources of the catalogue that have no partner."""
        alone = numpy.ones(len(self._catalogue), bool)
        alone[self.rows] = False
        return self._catalogue[alone]

    @property
    def table(self) -> Any:
        """The pairs as an astropy.table.Table: columns of both, with the endings _1 and _2 where names are equal, and
        ``separation``."""
        from astropy.table import Table, hstack
        other = self._other
        if is_catalogue(other):
            other = other.table
        elif hasattr(other, "transform_to"):
            other = Table({"skycoord": other})
        elif not hasattr(other, "colnames"):
            is_of_points = isinstance(other, list) or (isinstance(other, tuple) and len(other) != 2)
            other = Table(numpy.array(other) if is_of_points else other)
        both = hstack([self._catalogue.table[self.rows], other[self.other_rows]], metadata_conflicts="silent")
        both["separation"] = self.separation
        return both

    def _repr_html_(self) -> str:
        return views.match_as_html(self)

    def __repr__(self) -> str:
        return f"<Match: {len(self)} pairs of {len(self._catalogue)} sources>"


def match(catalogue: Catalogue, other: Any, radius: Any, origin: Any) -> Match:
    """Pairs of a catalogue and another, by angles or pixels."""
    require("scipy", "match()")
    other = places.of_one_row(other)
    other = other.reshape(1) if getattr(other, "isscalar", False) else other
    is_angle = hasattr(radius, "to_value")
    try:
        most = float(radius.to_value("deg") if is_angle else radius)
    except (TypeError, ValueError) as error:  # astropy.units.UnitConversionError is one
        raise ConfigError(f"radius={radius!r} is neither an angle, as 1 * astropy.units.arcsec, nor a number of pixels: {error}") from None
    if not most > 0:
        raise ConfigError(f"radius={radius} finds nothing; it has to be above 0")
    if is_angle:
        from astropy import units
        at, of_other = (_on_sphere(one, what) for one, what in ((catalogue, "the catalogue"), (other, "the other catalogue")))
        rows, partners, chords = _mutual(at, of_other, 2 * numpy.sin(numpy.radians(min(most, 180)) / 2))
        return Match(catalogue, other, rows, partners, (2 * numpy.arcsin(chords / 2) * units.rad).to(units.arcsec))
    rows, partners, pixels = _mutual(_in_pixels(catalogue), _in_pixels(other, origin), most)
    return Match(catalogue, other, rows, partners, pixels)


def _on_sphere(one: Any, what: str) -> NDArray[Any]:
    """Unit vectors in ICRS of a catalogue, a table, or a SkyCoord."""
    from astropy.coordinates import ICRS, SkyCoord
    if is_catalogue(one):
        one = sky_of(one)
    elif not hasattr(one, "transform_to"):
        names = list(one.keys() if hasattr(one, "keys") else getattr(getattr(one, "dtype", None), "names", None) or ())
        on_sky = [name for name in names if hasattr(one[name], "transform_to")]
        pairs = [pair for pair in places.PAIRS_OF_SKY if set(pair) <= {str(name).upper() for name in names}]
        if on_sky:
            one = one[on_sky[0]]
        elif pairs:
            called = {str(name).upper(): name for name in names}
            longitude, latitude = (one[called[name]] for name in pairs[0])
            if numpy.asarray(longitude).dtype.kind in "USO":
                raise InputError(f"{what}: {called[pairs[0][0]]} is text; give degrees, or a SkyCoord, which reads sexagesimal angles")
            unit = str(getattr(longitude, "unit", None) or "deg"), str(getattr(latitude, "unit", None) or "deg")
            # A SkyCoord forgets the mask of a column.
            longitude, latitude = (numpy.ma.filled(axis.astype(float), numpy.nan) if isinstance(axis, numpy.ma.MaskedArray) else axis
                                   for axis in (longitude, latitude))
            one = SkyCoord(longitude, latitude, unit=unit, frame="icrs")
        else:
            raise InputError(f"{what}: a {type(one).__name__} without RA and DEC, ALPHA_J2000 and DELTA_J2000, or a SkyCoord has no places "
                             "on the sky; a radius without a unit matches pixels")
    xyz = numpy.ma.filled(places._bare(one.transform_to(ICRS()).cartesian.get_xyz().value), numpy.nan)
    return numpy.atleast_2d(numpy.asarray(xyz / numpy.sqrt((xyz**2).sum(axis=0))).T)


def _in_pixels(one: Any, origin: Any = None) -> NDArray[Any]:
    """Rows of x and y, counted from 1, of whatever `positions` of extract may be."""
    from srcextract.files import columns_of_positions
    columns = columns_of_positions({name: one[name] for name in ("X_IMAGE", "Y_IMAGE")} if is_catalogue(one) else one, origin)
    return numpy.column_stack([columns["X_IMAGE"], columns["Y_IMAGE"]]).astype(float)


def _mutual(one: NDArray[Any], other: NDArray[Any], radius: float) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows that are each other's nearest within a radius, and how far they are apart."""
    from scipy.spatial import cKDTree
    finite = [numpy.flatnonzero(numpy.isfinite(points).all(axis=1)) for points in (one, other)]
    if not (len(finite[0]) and len(finite[1])):
        return finite[0][:0], finite[1][:0], numpy.zeros(0)
    one, other = one[finite[0]], other[finite[1]]
    distance, nearest = cKDTree(other).query(one)
    _, back = cKDTree(one).query(other)
    rows = numpy.arange(len(one))
    paired = (distance <= radius) & (back[nearest] == rows)
    return finite[0][rows[paired]], finite[1][nearest[paired]], distance[paired]


def cutouts(catalogue: Catalogue, side: Any, pixels: NDArray[Any]) -> NDArray[numpy.float32]:
    """Squares or rectangles of pixels about each source."""
    try:
        rows, columns = (int(length) for length in (side if isinstance(side, (tuple, list)) else (side, side)))
    except (TypeError, ValueError):
        rows = columns = 0
    if rows < 1 or columns < 1:
        raise ConfigError(f"a cut-out has a side of at least 1 pixel, or (rows, columns), and not {side!r}")
    height, width = pixels.shape
    out = numpy.full((len(catalogue), rows, columns), numpy.nan, numpy.float32)
    for stamp, x, y in zip(out, catalogue["X_IMAGE"], catalogue["Y_IMAGE"], strict=True):
        if not (numpy.isfinite(x) and numpy.isfinite(y)):
            continue
        # The pixel with the place, counted from 0, is in the middle; of even sides right of and above it.
        left, low = int(numpy.floor(x - 0.5)) - columns // 2, int(numpy.floor(y - 0.5)) - rows // 2
        x0, x1, y0, y1 = max(left, 0), min(left + columns, width), max(low, 0), min(low + rows, height)
        if x0 < x1 and y0 < y1:
            stamp[y0 - low:y1 - low, x0 - left:x1 - left] = pixels[y0:y1, x0:x1]
    return out
