"""The shape of stars: `Psf`, read from a file, made from an image (`fit_psf`), or taken from photutils."""
import os
from typing import Any

import numpy
from numpy.typing import NDArray

from srcextract import _core
from srcextract.arguments import require
from srcextract.errors import ConfigError


class Psf:
    """The light of a star of flux 1 at every place of an image. Places are counted from 0, as by NumPy and photutils.

    Parameters
    ----------
    made
        What `fit_psf`, `read`, `from_image` or `from_photutils` gives it.
    stars : astropy.table.Table or None
        Of `fit_psf`: all sources that were found, with chi2, and why they were not used.
    """

    stars: Any

    def __init__(self, made: _core.Psf, stars: Any = None) -> None:
        self._made, self.stars = made, stars

    @classmethod
    def read(cls, path: str | os.PathLike[str], number: int = 0) -> "Psf":
        """Reads a `.psf` of PSFEx's or of srcextract's.

        Parameters
        ----------
        path : path
            The file.
        number : int
            The model in it, from 0: that of the image's HDU.

        Returns
        -------
        Psf

        Raises
        ------
        ConfigError
            If there is no such file or model, or it is damaged.
        """
        models = _core.read_psf(os.fspath(path))
        if not 0 <= number < len(models):
            raise ConfigError(f"{os.fspath(path)} has {len(models)} models, from number 0 on, and not number {number}")
        return cls(models[number])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a `.psf` that srcextract and SExtractor read.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        OutputError, StorageError
        """
        self._made.write(os.fspath(path))

    @property
    def planes(self) -> NDArray[numpy.float64]:
        """A plane of pixels for each term of a polynomial of the place: (terms, rows, columns)."""
        return self._made.planes

    @property
    def step(self) -> float:
        """Side of a plane's pixel in pixels of the image."""
        return self._made.step

    @property
    def fwhm(self) -> float:
        """PSF_FWHM of the file: twice the radius that holds half of a star's light."""
        return self._made.fwhm

    @property
    def sum(self) -> float:
        """The light of a star of flux 1 in the middle of the field: below 1 where fluxes are those in an aperture."""
        return self._made.sum

    @property
    def cards(self) -> dict[str, float | str]:
        """The keywords of the file."""
        return self._made.cards

    def at(self, x: float, y: float) -> NDArray[numpy.float64]:
        """The pixels of the model at a place, `step` apart.

        Parameters
        ----------
        x, y : float
            The place in the image.

        Returns
        -------
        numpy.ndarray
            The star is at row ``rows // 2``, column ``columns // 2``.
        """
        return self._made.at(x, y)

    def draw(self, x: float, y: float, half: int | None = None) -> NDArray[numpy.float64]:
        """A star of flux 1 in pixels of the image, as FLUX_PSF is fitted with.

        Parameters
        ----------
        x, y : float
            The place of the star.
        half : int, optional
            Half of the square's side; None: as far as the model reaches.

        Returns
        -------
        numpy.ndarray
            A square of ``2 half + 1`` pixels about the one that has (x, y).
        """
        rows = self.planes.shape[1]
        half = int((rows // 2) * self.step) if half is None else half
        return self._made.draw(x, y, half, x, y)

    def to_photutils(self, x: float | None = None, y: float | None = None, *, oversampling: int = 4) -> Any:
        """A photutils.psf.ImagePSF of the PSF at a place.

        Parameters
        ----------
        x, y : float, optional
            The place; None: the middle of the field.
        oversampling : int
            Pixels of the model in a pixel of the image, along each axis.

        Returns
        -------
        photutils.psf.ImagePSF
        """
        require("photutils", "to_photutils()")
        from photutils.psf import ImagePSF
        x = float(self.cards.get("POLZERO1", 1)) - 1 if x is None else x
        y = float(self.cards.get("POLZERO2", 1)) - 1 if y is None else y
        half = int((self.planes.shape[1] // 2) * self.step)
        side = 2 * half * oversampling + 1
        fine = numpy.zeros((side, side))
        middle = half * oversampling
        for i in range(oversampling):
            for j in range(oversampling):
                # A star moved by -j / oversampling shows the model j fine pixels further on.
                dx, dy = ((k - oversampling if 2 * k > oversampling else k) for k in (j, i))
                pixels = self._made.draw(1000 - dx / oversampling, 1000 - dy / oversampling, half + 1, x, y)
                rows = numpy.arange(-half - 1, half + 2) * oversampling + dy + middle
                columns = numpy.arange(-half - 1, half + 2) * oversampling + dx + middle
                of_row, of_column = (rows >= 0) & (rows < side), (columns >= 0) & (columns < side)
                fine[numpy.ix_(rows[of_row], columns[of_column])] = pixels[numpy.ix_(of_row, of_column)]
        return ImagePSF(fine, x_0=x, y_0=y, oversampling=oversampling)

    @classmethod
    def from_photutils(cls, model: Any) -> "Psf":
        """A PSF that does not vary, of a model of photutils.

        Parameters
        ----------
        model : photutils.psf.ImagePSF
            Or one that EPSFBuilder made.

        Returns
        -------
        Psf

        Raises
        ------
        ConfigError
            If its star is not in the middle of an odd number of pixels, or the axes are sampled differently.
        """
        data = numpy.asarray(model.data, float)
        over = numpy.broadcast_to(numpy.asarray(model.oversampling, float), 2)
        middle = (numpy.array(data.shape[::-1]) - 1) / 2
        if over[0] != over[1] or not numpy.allclose(model.origin, middle, atol=1e-6):
            raise ConfigError("the star of the model must be in the middle of its pixels, which are sampled alike along both axes; "
                              f"its shape is {data.shape}, origin {tuple(model.origin)}, oversampling {tuple(over)}")
        return cls.from_image(data, step=1 / over[0], normalise=False)

    @classmethod
    def from_image(cls, pixels: Any, *, step: float = 1, normalise: bool = True) -> "Psf":
        """A PSF that does not vary, of the image of a star without sky.

        Parameters
        ----------
        pixels : array
            Odd numbers of rows and columns, at least 9; the star is in the middle one.
        step : float
            Side of its pixel in pixels of the images that are measured.
        normalise : bool
            Whether all its light is to be 1.

        Returns
        -------
        Psf

        Raises
        ------
        ConfigError
            If the array is no such image.
        """
        data = numpy.asarray(pixels, float)
        least = 9
        if data.ndim != 2 or min(data.shape) < least or (numpy.array(data.shape) % 2 == 0).any() or not data.max() > 0:
            raise ConfigError(f"an image of a PSF has odd numbers of rows and columns, at least {least}, with the star in the middle "
                              f"one; its shape is {data.shape}")
        if not (numpy.isfinite(step) and step > 0):
            raise ConfigError(f"step={step!r} is no side of a pixel: above 0, as 0.5 for two pixels a pixel of the image")
        data = data / (data.sum() * step ** 2) if normalise else data
        bright = data >= data.max() / 2
        cards: dict[str, float | str] = {
            "POLNAXIS": 0, "POLNGRP": 0, "PSF_FWHM": float(2 * numpy.sqrt(bright.sum() / numpy.pi) * step),
            "PSF_SAMP": float(step), "PSFNAXIS": 3, "PSFAXIS1": data.shape[1], "PSFAXIS2": data.shape[0], "PSFAXIS3": 1}
        return cls(_core.make_psf(cards, data.astype(numpy.float32).astype(float).ravel().tolist()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.cards, self.planes.ravel().tolist(), self.stars)

    def __repr__(self) -> str:
        terms, rows, columns = self.planes.shape
        return f"<Psf: {terms} planes of {rows} x {columns} pixels, {self.step:.3g} apart, sum {self.sum:.4g}>"


def _again(cards: dict[str, float | str], planes: list[float], stars: Any) -> Psf:
    """A PSF that was pickled."""
    return Psf(_core.make_psf(cards, planes), stars)


def psf_of(made: _core.Catalogue, table_of: Any) -> Psf:
    """The PSF that was made for a catalogue."""
    try:
        stars = table_of(made.name, made.stars())
    except ModuleNotFoundError:
        stars = None
    return Psf(made.psf(), stars)
