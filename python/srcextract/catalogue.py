"""The catalogue of an image."""
import os

import numpy


class Catalogue:
    """The sources of an image, one a row, in the order of the first pixel of each.

    Columns are NumPy arrays by their names, without a copy: ``found["X_IMAGE"]``. `table` is all of them for astropy.

    Attributes
    ----------
    name : str
        Of the image.
    shape : tuple of int
        Rows and columns of the image.
    backend : {'cpu', 'cuda'}
        That made it.
    warnings : list of str
        What may be wrong with the image.
    times : dict of str to float
        Seconds of every step.
    sky_level, sky_sigma : float
        The sky in one number each: medians over its meshes.
    """

    def __init__(self, made):
        self._made = made
        self._columns = {name: (values, unit, ucd, description)
                         for name, values, unit, ucd, description in made.columns()}
        self._images = {}

    name = property(lambda self: self._made.name)
    shape = property(lambda self: self._made.shape)
    backend = property(lambda self: self._made.backend)
    warnings = property(lambda self: list(self._made.warnings))
    times = property(lambda self: dict(self._made.times))
    config = property(lambda self: self._made.config, doc="The configuration as YAML, with every key.")
    sky_level = property(lambda self: self._made.sky_level)
    sky_sigma = property(lambda self: self._made.sky_sigma)

    def __len__(self):
        return len(self._made)

    def __bool__(self):
        return True  # also without sources: a Failure of extract_many is false

    @property
    def columns(self):
        """Names of the columns, in their order."""
        return list(self._columns)

    colnames = columns

    def __getitem__(self, name):
        try:
            return self._columns[name][0]
        except KeyError:
            raise KeyError(f"there is no column {name!r}; output.columns asks for further ones; there are "
                           f"{', '.join(self._columns)}") from None

    def __contains__(self, name):
        return name in self._columns

    def __iter__(self):
        return iter(self._columns)

    def keys(self):
        return self._columns.keys()

    @property
    def table(self):
        """astropy.table.Table with units, descriptions and UCDs; columns of vectors as in a FITS catalogue."""
        from astropy.table import Column, Table
        table = Table(meta={"name": self.name})
        for name, values, (_, unit, ucd, description) in self._vectors():
            column = Column(values, name=name, unit=unit or None, description=description)
            column.meta["ucd"] = ucd
            table.add_column(column, copy=False)
        return table

    def _vectors(self):
        """Columns, with NAME, NAME_1, NAME_2 ... as one of vectors."""
        names = list(self._columns)
        at = 0
        while at < len(names):
            name = names[at]
            several = 1
            while at + several < len(names) and names[at + several] == f"{name}_{several}":
                several += 1
            first = self._columns[name]
            values = first[0] if several == 1 else numpy.stack(
                [self._columns[one][0] for one in names[at:at + several]], axis=1)
            yield name, values, first
            at += several

    def _image(self, what, make):
        if what not in self._images:
            self._images[what] = make()
        return self._images[what]

    @property
    def background(self):
        """The level of the sky in every pixel, float32, in the unit of the pixels; made when it is first asked for."""
        return self._image("background", self._made.background)

    @property
    def rms(self):
        """The noise of the sky in every pixel, float32, in the unit of the pixels; made when it is first asked for."""
        return self._image("rms", self._made.rms)

    @property
    def segmentation(self):
        """NUMBER of the source that each pixel is of, int32, 0 where it is of none; made when it is first asked for."""
        return self._image("segmentation", self._made.segmentation)

    def write(self, path, format=None):
        """Writes it as the command would: the same bytes.

        Parameters
        ----------
        path : path
            Its ending tells the format: .fits .ldac .ecsv .csv .txt .vot .xml .parquet .reg .crtf
        format : str, optional
            A word of output.formats, if the ending does not.

        Raises
        ------
        ConfigError, OutputError
        """
        self._made.write(os.fsdecode(os.fspath(path)), format)

    def __repr__(self):
        height, width = self.shape
        return (f"<Catalogue of {self.name}: {len(self)} sources in {width} x {height} pixels, "
                f"{len(self._columns)} columns, sky {self.sky_level:.4g} ± {self.sky_sigma:.4g}>")
