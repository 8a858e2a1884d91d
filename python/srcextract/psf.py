"""The shape of stars: `Psf`, read from a file, made from an image (`fit_psf`), or taken from another package."""
import io
import os
from typing import Any

import numpy
from numpy.typing import NDArray

from srcextract import _core, files, psf_forms, remote, views, warned
from srcextract.arguments import require
from srcextract.errors import ConfigError


class Psf:
    """The light of a star of flux 1 at every place of an image. Places are counted from 0, as by NumPy and photutils.

    Parameters
    ----------
    made
        What `fit_psf`, `of`, `read` or `from_image` gives it.
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
            Pixels on each side of the middle one; None: as far as the model reaches.

        Returns
        -------
        numpy.ndarray
            A square of ``2 half + 1`` pixels. Its middle one, row ``half`` and column ``half``, is the pixel of the image
            that has (x, y): row ``floor(y + 0.5)``, column ``floor(x + 0.5)``. The star itself is at (x, y), off its centre.
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
        fine = psf_forms.interleaved(lambda dx, dy: self._made.draw(1000 + dx, 1000 + dy, half + 1, x, y), oversampling,
                                     half * oversampling)
        return ImagePSF(fine, x_0=x, y_0=y, oversampling=oversampling)

    @classmethod
    def of(cls, given: Any, *, number: int | None = None) -> "Psf":
        """A PSF of whatever ``psf=`` of `extract` may be.

        Parameters
        ----------
        given
            One of:

            - a Psf, or the path of a ``.psf``
            - a model of photutils.psf: ImagePSF, also of EPSFBuilder, GriddedPSFModel, formulas as MoffatPSF, or
              what make_psf_model makes
            - an HDU, an HDUList or a file of STPSF, WebbPSF or POPPY: OVERDIST or OVERSAMP, summed to pixels
            - a file with a grid of PSFs, of STPSF or STDPSF
            - a model or a file of Piff
            - an image of a star, as for `from_image`
        number : int, optional
            Of a ``.psf`` the model in it, from 0; of Piff the chip.

        Returns
        -------
        Psf
            A polynomial of the place stands for what varies; a warning tells where it does not follow.

        Raises
        ------
        ConfigError
            If it is no PSF.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, list) and hasattr(given, "fileinfo"):  # HDUList
            contents = io.BytesIO()
            given.writeto(contents)  # type: ignore[attr-defined]
            given = contents.getvalue()
        if psf_forms.is_piff(given):
            return cls._of_stars(psf_forms.of_piff(given, number))
        if psf_forms.is_model(given):
            return cls._of_stars(psf_forms.of_model(given))
        if files.is_contents(given):  # models of others can read() as well
            return cls._of_file(given, number)
        if hasattr(given, "header") and hasattr(given, "fileinfo"):
            return cls._of_hdu(given)
        if hasattr(given, "__array__") or isinstance(given, (list, tuple)):
            return cls.from_image(given)
        raise ConfigError(f"psf: a {type(given).__name__} is no PSF; give a Psf, the path of a .psf, a model of photutils or Piff, HDUs of "
                          "STPSF, or an array with a star in its middle pixel")

    @classmethod
    def _of_file(cls, given: Any, number: int | None) -> "Psf":
        contents = files.contents_of(given, None if isinstance(given, (str, os.PathLike)) else "the PSF")
        assert contents is not None
        with files.told_by_name(contents):
            if contents.path.endswith(".psf"):
                return cls.read(contents.path, number or 0)
            require("astropy", f"a PSF in {contents.name}")
            from astropy.io import fits
            try:
                with fits.open(contents.path) as hdus:
                    if any(hdu.name == "PSF_DATA" for hdu in hdus):
                        return cls.read(contents.path, number or 0)
                    stars = psf_forms.of_file(contents.path, hdus, number)
                    return cls._of_hdu(psf_forms.of_hdus(hdus)) if stars is None else cls._of_stars(stars)
            except OSError as error:
                raise ConfigError(f"psf: {contents.name}: cannot be read: {error}") from error

    @classmethod
    def _of_hdu(cls, hdu: Any) -> "Psf":
        is_of_stars = "DET_SAMP" in hdu.header or "PIXELSCL" in hdu.header
        return cls._of_stars(psf_forms.of_hdu(hdu)) if is_of_stars else cls.from_image(hdu.data)

    @classmethod
    def _of_stars(cls, stars: psf_forms.Stars) -> "Psf":
        pixels, places, step = stars
        made = cls._of_pixels(pixels, places, step)
        if not 0.5 < made.sum < 1.5:
            warned.warn(f"psf: the light of its star of flux 1 is {made.sum:.3g}, and fluxes are in units of it; "
                        "psf__normalise='total' makes it 1")
        return made

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
        return cls._of_pixels(data[None] / (data.sum() * step ** 2 if normalise else 1), numpy.zeros((1, 2)), float(step))

    @classmethod
    def _of_pixels(cls, stars: Any, places: Any, step: float) -> "Psf":
        """A PSF of the pixels of a star at each place."""
        cards, planes = psf_forms.polynomial(stars, places)
        mean = stars.mean(axis=0)
        cards |= {"PSF_FWHM": float(2 * numpy.sqrt((mean >= mean.max() / 2).sum() / numpy.pi) * step), "PSF_SAMP": step, "PSFNAXIS": 3,
                  "PSFAXIS1": planes.shape[2], "PSFAXIS2": planes.shape[1], "PSFAXIS3": len(planes)}
        return cls(_core.make_psf(cards, planes.astype(numpy.float32).astype(float).ravel().tolist()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.cards, self.planes.ravel().tolist(), self.stars)

    def _repr_html_(self) -> str:
        return views.psf_as_html(self)

    def __repr__(self) -> str:
        terms, rows, columns = self.planes.shape
        return f"<Psf: {terms} planes of {rows} x {columns} pixels, {self.step:.3g} apart, sum {self.sum:.4g}>"


def _again(cards: dict[str, float | str], planes: list[float], stars: Any) -> Psf:
    """A PSF that was pickled."""
    return Psf(_core.make_psf(cards, planes), stars)


# What psf.file of a configuration says if the PSF is no file.
GIVEN = "the PSF given"


def as_keys(psf: Any, keys: dict[str, Any]) -> tuple[Psf | None, dict[str, Any]]:
    """The `psf` argument, unless it is the path of a ``.psf``, and the keys that make it count.

    Raises
    ------
    ConfigError
        If it is no PSF, or the keys name another.
    """
    if psf is None:
        return None, keys
    clash = [key for key in ("psf__file", "psf__method") if key in keys]
    if clash:
        raise ConfigError(f"psf= and {clash[0]} both say where the PSF is from; give one of them")
    if isinstance(psf, (str, os.PathLike)) and os.fsdecode(psf).endswith(".psf") and not remote.is_address(psf):
        return None, {**keys, "psf__file": os.fsdecode(psf)}
    return Psf.of(psf), {**keys, "psf__file": GIVEN}


def psf_of(made: _core.Catalogue, table_of: Any) -> Psf:
    """The PSF that was made for a catalogue."""
    try:
        stars = table_of(made.name, made.stars())
    except ModuleNotFoundError:
        stars = None
    return Psf(made.psf(), stars)
