"""The catalogue of an image."""
import functools
import io
import os
import tempfile
from collections.abc import Callable, ItemsView, Iterator, KeysView, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, overload

import numpy
from numpy.lib.recfunctions import structured_to_unstructured
from numpy.typing import NDArray

from srcextract import _core, files, plots, rows, tables, views
from srcextract.arguments import Origin, require
from srcextract.arrays import read_only
from srcextract.errors import ConfigError, OutputError
from srcextract.headers import units_as_given
from srcextract.psf import Psf, psf_of
from srcextract.report import Report
from srcextract.tables import table_of

if TYPE_CHECKING:
    from astropy.table import Table

PlotKind = Literal["sources", "sky", "noise", "segments", "residuals", "histogram"]


class Catalogue:
    """The sources of an image, one per row, in raster order of their first pixels.

    Columns are NumPy arrays by name, without a copy: ``found["X_IMAGE"]``. `table` has all of them for astropy. With
    several apertures ``found["FLUX_APER"]`` has the shape (sources, apertures), as in `table`. Each aperture from the
    second on also has its own name: ``found["FLUX_APER_1"]``.

    It is a table for other packages: a loop goes over its rows, as dicts; ``found[["X_IMAGE", "Y_IMAGE"]]`` is a
    catalogue of these columns; ``astropy.table.Table(found)``, ``polars.DataFrame(found)``, ``numpy.asarray(found)``, and
    DuckDB's ``FROM found`` take it.

    Rows are taken with a mask, indices or a slice: ``found[found["SNR"] > 20]``, ``found[:10]`` and
    ``found[numpy.argsort(found["MAG_AUTO"])]`` are catalogues of the same image. Its maps stay whole, and NUMBER names a
    source's pixels in `segmentation` as before. ``found[0]`` is a dict of one row.

    Parameters
    ----------
    made, chosen, told, names
        What `extract` gives it, its rows, further warnings, and its columns.

    Attributes
    ----------
    error : None
        As of a `Failure`, which has the reason here.
    """

    error: None = None

    def __init__(self, made: _core.Catalogue, chosen: NDArray[numpy.int64] | None = None, told: Sequence[str] = (),
                 names: Sequence[str] | None = None) -> None:
        self._made, self._chosen, self._names = made, chosen, names  # rows and columns of what was made; None: all
        self._told = tuple(told)
        self._images: dict[str, NDArray[Any]] = {}
        self._read: dict[tuple[str, ...], NDArray[Any]] = {}  # columns that were asked for

    @functools.cached_property
    def _carried(self) -> frozenset[str]:
        """Columns of the table of positions, where NAME_1 is another column than NAME."""
        return frozenset(self._made.carried)

    @functools.cached_property
    def _columns(self) -> dict[str, tables.Told]:
        """Values of all rows, unit, UCD and description of each column."""
        in_words = units_as_given(self._made.header)
        all_of = {name: (read_only(values), unit if name in self._carried else in_words(unit), ucd, description)
                  for name, values, unit, ucd, description in self._made.columns()}
        return all_of if self._names is None else {name: all_of[name] for name in self._names}

    def _values(self, *names: str) -> NDArray[Any]:
        """The rows of a column, or of several as one array of shape (sources, n)."""
        if names not in self._read:
            several = [self._columns[name][0] for name in names]
            several = several if self._chosen is None else [values[self._chosen] for values in several]
            self._read[names] = read_only(several[0] if len(several) == 1 else numpy.stack(several, axis=1))
        return self._read[names]

    @property
    def name(self) -> str:
        """The image's name."""
        return self._made.name

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the image."""
        return self._made.shape

    @property
    def backend(self) -> str:
        """The back end that made it: 'cpu' or 'cuda'."""
        return self._made.backend

    @property
    def warnings(self) -> list[str]:
        """Possible problems of the image."""
        return [*self._made.warnings, *self._told]

    @property
    def times(self) -> dict[str, float]:
        """Seconds of every step."""
        return dict(self._made.times)

    @property
    def config(self) -> str:
        """The configuration as YAML, with every key."""
        return self._made.config

    @property
    def sky_level(self) -> float:
        """Level of the sky in one number: the median over its meshes."""
        return self._made.sky_level

    @property
    def sky_sigma(self) -> float:
        """Noise of the sky in one number: the median over its meshes."""
        return self._made.sky_sigma

    def __len__(self) -> int:
        return len(self._made) if self._chosen is None else len(self._chosen)

    def __bool__(self) -> Literal[True]:
        return True  # also without sources, whereas a Failure of extract_many is false

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._columns)

    @property
    def colnames(self) -> list[str]:
        """Names of the columns, as astropy calls them."""
        return self.columns

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, key: int | numpy.integer[Any]) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, key: slice | Sequence[int] | Sequence[bool] | list[str] | tuple[str, ...] | NDArray[Any]) -> "Catalogue": ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._column(key)
        if rows.is_one(key):
            at = rows.one(key, len(self))
            return {name: values[at] for name, values, _ in self.vectors()}
        if rows.are_names(key):
            names = dict.fromkeys(one for name in key for one in self._members(str(name)))
            return self._part(self._chosen, list(names))
        taken = rows.several(key, len(self))
        return self._part(taken if self._chosen is None else self._chosen[taken], self._names)

    def _part(self, chosen: NDArray[numpy.int64] | None, names: Sequence[str] | None) -> "Catalogue":
        part = Catalogue(self._made, chosen, self._told, names)
        part._columns = self._columns if names is self._names else {name: self._columns[name] for name in names or ()}
        return part

    def _members(self, name: str) -> list[str]:
        """The names of the columns that form one column: NAME, NAME_1, NAME_2 ..., or NAME alone."""
        if name not in self._columns:
            advice = "cutouts(n) makes them" if name == "VIGNET" else "output.columns asks for further ones"
            raise KeyError(f"there is no column {name!r}; {rows.meant(name, self._columns)}{advice}; "
                           f"there are {', '.join(self._columns)}")
        names = list(self._columns)
        return next(tables.vectors_of(names[names.index(name):], self._carried))

    def _column(self, name: str) -> NDArray[Any]:
        return self._values(*self._members(name))

    @property
    def x(self) -> NDArray[numpy.float64]:
        """X_IMAGE counted from 0, as NumPy's columns: ``image[round(y), round(x)]`` is the pixel."""
        return self._column("X_IMAGE").astype("f8") - 1

    @property
    def y(self) -> NDArray[numpy.float64]:
        """Y_IMAGE counted from 0, as NumPy's rows."""
        return self._column("Y_IMAGE").astype("f8") - 1

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        columns = [(name, values) for name, values, _ in self.vectors()]
        return ({name: values[at] for name, values in columns} for at in range(len(self)))

    def keys(self) -> KeysView[str]:
        """Names of the columns, as of a dict.

        Returns
        -------
        KeysView
        """
        return self._columns.keys()

    def items(self) -> ItemsView[str, NDArray[Any]]:
        """Names and columns, as of a dict.

        Returns
        -------
        ItemsView
        """
        return {name: self[name] for name in self._columns}.items()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """A structured array with a field for each column; of a plain `dtype` an array of shape (sources, columns)."""
        if copy is False:
            raise ValueError("an array of several columns is a copy; leave copy out")
        fields = {name: self._values(name) for name in self._columns}
        array = numpy.empty(len(self), [(name, values.dtype) for name, values in fields.items()])
        for name, values in fields.items():
            array[name] = values
        if dtype is None or numpy.dtype(dtype).names is not None:
            return array if dtype is None else array.astype(dtype)
        return structured_to_unstructured(array, numpy.dtype(dtype))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The columns for Arrow's consumers, as polars, DuckDB and pandas; by pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __astropy_table__(self, cls: Any, copy: bool, **named: Any) -> Any:
        """For ``astropy.table.Table(found)`` and ``QTable(found)``."""
        return cls(self.table, copy=False, **named)

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    @property
    def table(self) -> "Table":
        """A new astropy.table.Table with units, descriptions and UCDs; vector columns are as in a FITS catalogue."""
        return table_of(self.name, ((name, values, *more) for name, values, (_, *more) in self.vectors()))

    @property
    def components(self) -> "Table":
        """The Gaussians that were fitted to a radio map (config="radio"), a new astropy.table.Table."""
        return table_of(self.name, self._made.gaussians())

    @property
    def sources(self) -> "Table":
        """The sources that these Gaussians make up, a new astropy.table.Table."""
        return table_of(self.name, self._made.sources())

    @property
    def psf(self) -> Psf:
        """The PSF that was made from the image (``psf__method="fit"``)."""
        return psf_of(self._made, table_of)

    def vectors(self) -> Iterator[tables.Vector]:
        """The columns, of which NAME, NAME_1, NAME_2 ... form one of shape (sources, n).

        Returns
        -------
        iterator of tuple
            Name, values, and (values, unit, UCD, description) of the first.
        """
        for names in tables.vectors_of(list(self._columns), self._carried):
            yield names[0], self._values(*names), self._columns[names[0]]

    def _image(self, what: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        if what not in self._images:
            self._images[what] = read_only(make())
        return self._images[what]

    @property
    def background(self) -> NDArray[numpy.float32]:
        """The level of the sky in every pixel, float32, in the unit of the pixels; computed at the first access. Read-only."""
        return self._image("background", self._made.background)

    @property
    def rms(self) -> NDArray[numpy.float32]:
        """The noise of the sky in every pixel, float32, in the unit of the pixels; computed at the first access. Read-only."""
        return self._image("rms", self._made.rms)

    @property
    def segmentation(self) -> NDArray[numpy.int32]:
        """NUMBER of every pixel's source, int32, 0 without a source; computed at the first access. Read-only."""
        return self._image("segmentation", self._made.segmentation)

    @property
    def header(self) -> str:
        """The cards of the image's header, 80 columns each; empty if it has none."""
        return self._made.header

    @property
    def wcs(self) -> Any:
        """The astropy.wcs.WCS of the image's header, or None if it has no celestial one."""
        return views.wcs_of(self.header)

    @property
    def skycoord(self) -> Any:
        """The places of the sources as an astropy.coordinates.SkyCoord: ALPHA_J2000 and DELTA_J2000.

        Raises
        ------
        ConfigError
            If the image has no WCS.
        """
        return tables.sky_of(self)

    def to_qtable(self) -> Any:
        """A new astropy.table.QTable: quantities with units, and a column ``skycoord`` if the image has a WCS.

        Returns
        -------
        astropy.table.QTable
            Vector columns are as in `table`.
        """
        return tables.qtable_of(self)

    def match(self, other: Any, radius: Any, *, origin: Origin | None = None) -> tables.Match:
        """Pairs these sources with those of another catalogue. Each one is the other's nearest; SciPy is needed.

        Parameters
        ----------
        other : Catalogue, table, SkyCoord, or what `positions` of `extract` may be
            A table on the sky has RA and DEC, ALPHA_J2000 and DELTA_J2000, or a column of SkyCoord.
        radius : astropy.units.Quantity or float
            The largest separation: an angle on the sky, or a number of pixels of this image.
        origin : {0, 1}, optional
            Of an array or of columns x and y, as for `extract`.

        Returns
        -------
        Match
            ``rows``, ``other_rows`` and ``separation``; ``table`` has the columns of both.

        Raises
        ------
        ConfigError
            If the radius is no angle or number, or this catalogue has no places on the sky.
        InputError
            If `other` has no such places.

        Examples
        --------
        >>> import srcextract as sx
        >>> found = sx.extract(sx.data.sky())
        >>> len(found.match(sx.data.truth(), radius=2))
        448
        """
        return tables.match(self, other, radius, origin)

    def cutouts(self, n: int | tuple[int, int], image: Any = None) -> NDArray[numpy.float32]:
        """Pixels about each source.

        Parameters
        ----------
        n : int or (int, int)
            Side of the squares, or rows and columns. The middle pixel, ``n // 2``, has X_IMAGE and Y_IMAGE.
        image : array, HDU, path ..., optional
            What was extracted, or another image of its shape. None: the file that was extracted.

        Returns
        -------
        array of shape (sources, n, n)
            float32, NaN where masked or outside the image.

        Raises
        ------
        ConfigError
            If there is no such file any more, or `n` is no side.
        InputError
            If the image has another shape.
        """
        return tables.cutouts(self, n, plots.pixels_of(self, image))

    def to_arrow(self) -> Any:
        """The columns as in a Parquet file; without a copy, except vector columns.

        Returns
        -------
        pyarrow.Table
        """
        return views.arrow_table(self)

    def to_pandas(self) -> Any:
        """The columns as a frame.

        Returns
        -------
        pandas.DataFrame
        """
        require("pandas", "to_pandas()")
        import pandas
        return pandas.DataFrame({name: self._values(name) for name in self._columns})

    def to_photutils(self) -> dict[str, Any]:
        """Arguments for photutils.segmentation.SourceCatalog besides the pixels: segments, error, background, WCS.

        >>> SourceCatalog(pixels - found.background, **found.to_photutils())   # doctest: +SKIP

        Returns
        -------
        dict
            The ``SegmentationImage`` has NUMBER as labels; its key is the name in the installed photutils.
        """
        return views.photutils_arguments(self)

    def plot(self, ax: Any = None, image: Any = None, *, kind: PlotKind = "sources", column: str | None = None, scale: float = 3.0,
             color: str = "red", **shown: Any) -> Any:
        """Draws the sources over an image, the sky, what is left without sources, or a histogram.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure's by default.
        image : array, HDU, path ..., optional
            What was extracted. 'sources' shows it from 3 sigma below the sky to 12 above it, by default the background.
            'residuals' and 'histogram' take the file that was extracted if it is left out.
        kind : {'sources', 'sky', 'noise', 'segments', 'residuals', 'histogram'}
            'sources' has an ellipse around each source. 'residuals' are the pixels without a source, above the sky and in
            units of its noise. 'histogram' is the distribution of these beside a Gaussian, or that of a column.
        column : str, optional
            The column of a histogram, as ``"MAG_AUTO"``.
        scale : float
            Semi-axes of the ellipses in units of A_IMAGE and B_IMAGE. Without these columns, circles with the sources'
            areas.
        color : str
            Colour of the ellipses, or of the histogram.
        **shown
            For `matplotlib.axes.Axes.imshow`, or `hist`.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plots.plot(self, ax, image, kind, column, scale, color, shown)

    def report(self) -> Report:
        """The page that ``srcextract --report`` writes; a notebook shows it.

        >>> srcextract.extract("sky.fits", output__report=True).report().write("sky.html")   # doctest: +SKIP

        Returns
        -------
        Report

        Raises
        ------
        ConfigError
            If the image was extracted without ``output__report=True``: the page shows its pixels, which are not kept.
        """
        if not self._made.report:
            raise ConfigError("the report shows pixels, which were not kept; extract the image with output__report=True")
        return Report(self._made.report)

    def _repr_html_(self) -> str:
        return views.as_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Catalogue, (self._made, self._chosen, self._told, self._names)

    def write(self, path: str | os.PathLike[str] | IO[bytes] | IO[str], format: str | None = None, *, overwrite: bool = True) -> None:
        """Writes the catalogue; the bytes equal those of the command. Of chosen rows and columns, these are written.

        Parameters
        ----------
        path : path, or file object
            The ending of a path is the format: .fits .ldac .ecsv .csv .txt .vot .xml .parquet .reg .crtf
        format : str, optional
            A word of output.formats, for other endings and for a file object, as ``io.BytesIO()``.
        overwrite : bool
            Whether an existing file is replaced, as the command does. False: an existing file is an `OutputError`.

        Raises
        ------
        ConfigError, OutputError
        """
        chosen = None if self._chosen is None else self._chosen.tolist()
        columns = None if self._names is None else list(self._names)
        if hasattr(path, "write"):
            if format is None:
                raise ConfigError("a file object has no ending; give the format, as in write(file, 'fits')")
            with tempfile.TemporaryDirectory() as folder:
                self._made.write(os.path.join(folder, "catalogue"), format, chosen, columns)
                with open(os.path.join(folder, "catalogue"), "rb") as file:
                    contents = file.read()
            path.write(contents.decode() if isinstance(path, io.TextIOBase) else contents)  # type: ignore[arg-type]
            return
        text = files.path_text(path)
        if not overwrite and os.path.lexists(text):
            raise OutputError(f"{text}: there is such a file, and overwrite=False; give another name, or overwrite=True")
        self._made.write(text, format, chosen, columns)

    def __repr__(self) -> str:
        height, width = self.shape
        return (f"<Catalogue of {self.name}: {len(self)} sources in {width} x {height} pixels, "
                f"{len(self._columns)} columns, sky {self.sky_level:.4g} ± {self.sky_sigma:.4g}>")
