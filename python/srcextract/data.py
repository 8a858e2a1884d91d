"""Sample images that come with the package: simulated fields of stars and galaxies, and what was put into them."""
import pathlib
from typing import Any, Literal

from srcextract import arguments
from srcextract.errors import ConfigError

__all__ = ["sky", "sky_subtracted", "truth"]

_FOLDER = pathlib.Path(__file__).parent / "samples"


def sky() -> pathlib.Path:
    """An exposure: 1024 x 1024 pixels of 16 bits with sky, GAIN, a WCS, saturated stars and dead pixels.

    Returns
    -------
    pathlib.Path
        A FITS file within the package.

    Examples
    --------
    >>> import srcextract as sx
    >>> len(sx.extract(sx.data.sky()))
    450
    """
    return _FOLDER / "sky.fits"


def sky_subtracted() -> pathlib.Path:
    """A map without sky: 384 x 384 pixels of float32 about zero, with a WCS and NaN pixels.

    Returns
    -------
    pathlib.Path
        A FITS file within the package.
    """
    return _FOLDER / "sky_subtracted.fits"


def truth(of: Literal["sky", "sky_subtracted"] = "sky") -> Any:
    """The stars and galaxies that were put into a sample.

    Parameters
    ----------
    of : {'sky', 'sky_subtracted'}
        The sample.

    Returns
    -------
    astropy.table.Table
        Columns X_IMAGE and Y_IMAGE, flux, type, scale, axis_ratio, theta, ra, dec.

    Raises
    ------
    ConfigError
        If there is no such sample.
    """
    if of not in ("sky", "sky_subtracted"):
        raise ConfigError(f"there is no sample {of!r}; there are 'sky' and 'sky_subtracted'")
    arguments.require("astropy", "the table of a sample")
    from astropy.table import Table
    table = Table.read(_FOLDER / f"{of}_truth.ecsv")
    table.rename_columns(["x", "y"], ["X_IMAGE", "Y_IMAGE"])  # which count from 1
    return table
