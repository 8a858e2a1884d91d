"""Maps of an image's pixels: masks, weights and noise, in the forms that Python has them."""
from collections.abc import Callable
from typing import Any

import numpy

from srcextract.arrays import array_of, is_nddata, unwrapped
from srcextract.errors import InputError

ToUnit = Callable[[Any], Any]


def plain(values: Any, what: str, kind: str | None, in_unit: ToUnit) -> Any:
    """A map as an array, from an NDData or an uncertainty of astropy; other objects stay as they are.

    `kind` is the weights.type of the numbers, None that of `what`. `in_unit` converts a Quantity to the image's unit.
    """
    if hasattr(values, "represent_as") and hasattr(values, "array"):
        return _of_uncertainty(values, what, kind, in_unit)
    if is_nddata(values):
        bare, mask = unwrapped(values)
        unit = getattr(values, "unit", None)
        bare = bare if unit is None or not is_deviation(what, kind) else in_unit(bare * unit)
        return bare if mask is None else numpy.ma.MaskedArray(bare, mask)
    return values


def is_deviation(what: str, kind: str | None) -> bool:
    """Whether the numbers are standard deviations, in the unit of the image."""
    return what == "error" and kind in (None, "rms")


def _of_uncertainty(uncertainty: Any, what: str, kind: str | None, in_unit: ToUnit) -> Any:
    from astropy.nddata import InverseVariance, StdDevUncertainty, VarianceUncertainty
    kind = kind or ("weight" if what == "weight" else "rms")
    wanted = {"weight": InverseVariance, "variance": VarianceUncertainty}.get(kind, StdDevUncertainty)
    try:
        if uncertainty.unit is None:
            return array_of(uncertainty.represent_as(wanted).array, what)
        deviation = uncertainty.represent_as(StdDevUncertainty)
    except TypeError as mistake:
        raise InputError(f"{what}: a {type(uncertainty).__name__} is no standard deviation, variance or inverse variance; make it one of "
                         "these, or give an array") from mistake
    numbers = in_unit(array_of(deviation.array, what) * deviation.unit)
    if wanted is StdDevUncertainty:
        return numbers
    with numpy.errstate(divide="ignore"):
        return numbers**2 if kind == "variance" else 1 / numbers**2


def one_of(hdus: Any, what: str, name: str = "the HDUList") -> Any:
    """The only image of an HDUList."""
    found = [hdu for hdu in hdus if "TableHDU" not in type(hdu).__name__ and hdu.header.get("NAXIS", 0) > 0]
    if len(found) != 1:
        keys = "mask" if what == "mask" else "weights"
        raise InputError(f"{what}: {name} has {len(found)} images; give the HDU that is meant, as hdus[{(found or hdus)[-1].name!r}]"
                         + (f" of astropy.io.fits.open, or name it by {keys}__file and {keys}__hdu" if found else ""))
    return found[0]


def of_shape(values: Any, what: str, shape: tuple[int, ...]) -> Any:
    """A map with a value for every pixel."""
    values = array_of(values, what)
    if values.ndim == 0:  # one value for all pixels
        values = numpy.broadcast_to(values, shape)
    if values.ndim > 2 and values.shape == (1,) * (values.ndim - 2) + shape:
        values = values.reshape(shape)
    if values.shape != shape:
        raise InputError(f"{what} has the shape {values.shape} and the image {shape}; a map must have a value for each of "
                         "its pixels, or one for all of them")
    return values.view("u1") if values.dtype == bool else values
