"""PSFs of other packages as pixels of a star: models of photutils, images of STPSF and WebbPSF, models of Piff."""
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from srcextract import warned
from srcextract.arguments import require
from srcextract.errors import ConfigError

# Pixels of a star at each place, the places (from 0), and the side of a pixel in pixels of the image. The star is in the middle
# one. The numbers are fluxes in a whole pixel of the image about that point, of a star of flux 1.
Stars = tuple[NDArray[numpy.float64], NDArray[numpy.float64], float]

# The compiled half takes at most 256 pixels a side.
_MOST_HALF = 127
# A polynomial of each axis; a higher degree swings between the places.
_MOST_DEGREE = 3
# Light within 4 full widths, and at least 12 pixels, is that of a star: docs/psf.md.
_FWHMS, _LEAST_REACH = 4.0, 12.0

_HERE = numpy.zeros((1, 2))


def is_model(given: Any) -> bool:
    """Whether it is a model of photutils or astropy."""
    return hasattr(given, "param_names") and callable(given)


def is_piff(given: Any) -> bool:
    return callable(getattr(given, "draw", None)) and hasattr(given, "wcs") and hasattr(given, "interp_property_names")


def of_model(model: Any) -> Stars:
    """Stars of a PSF model of photutils: an image, a grid of images, or a formula."""
    x_name, y_name, flux = (getattr(model, f"{what}_name", usual) for what, usual in (("x", "x_0"), ("y", "y_0"), ("flux", "flux")))
    if not {x_name, y_name, flux} <= set(model.param_names):
        raise ConfigError(f"psf: a {type(model).__name__} has no x_0, y_0 and flux, as models of photutils.psf have; "
                          "photutils.psf.make_psf_model(model) adds them")

    def light(place: Any, u: Any, v: Any) -> Any:
        star = model.copy()
        for name, value in ((x_name, place[0]), (y_name, place[1]), (flux, 1)):
            setattr(star, name, value)
        return star(u + place[0], v + place[1])

    places = numpy.asarray(getattr(model, "grid_xypos", _HERE), float)
    if hasattr(model, "oversampling"):
        fine = numpy.broadcast_to(numpy.asarray(model.oversampling, int), 2)
        over = int(fine.max())
        half = int(((numpy.array(numpy.shape(model.data)[-2:]) - 1) / 2 / fine).max() * over)
        step = 1 / over
    else:
        radii = numpy.arange(0, 100, 0.02)
        along = light(places[0], radii, 0 * radii)
        fwhm = 2 * radii[numpy.argmax(along < along[0] / 2)]
        step = min(1.0, max(0.25, fwhm / 12))
        half = int(max(_LEAST_REACH, _FWHMS * fwhm) / step)
    offsets = step * numpy.arange(-min(half, _MOST_HALF), min(half, _MOST_HALF) + 1)
    u, v = numpy.meshgrid(offsets, offsets)
    return numpy.array([light(place, u, v) for place in places]), places, step


def of_hdu(hdu: Any) -> Stars:
    """A star of an image of STPSF's, WebbPSF's or POPPY's, whose star is in the middle also of an even number of pixels."""
    pixels = numpy.asarray(hdu.data, float)
    # Extensions OVERSAMP and OVERDIST have light in fine pixels; pixels of the image sum it.
    over = int(hdu.header.get("DET_SAMP", 1)) if hdu.name.upper().startswith("OVER") else 1
    if over == 1 and 0 in [side % 2 for side in pixels.shape]:
        raise ConfigError(f"psf: HDU {hdu.name} has {pixels.shape[0]} x {pixels.shape[1]} pixels, so that its star lies between pixels; give the "
                          "oversampled image, as hdus['OVERDIST'], or an odd number of pixels")
    return numpy.array([_summed(_summed(pixels, over).T, over).T]), _HERE, 1 / over


def _summed(pixels: Any, over: int) -> Any:
    """Sums of `over` rows about each place that is whole rows away from the middle."""
    sums = numpy.lib.stride_tricks.sliding_window_view(pixels, over, axis=0).sum(axis=-1)
    if len(sums) % 2 == 0:  # they are half a row off: oversampled light is shifted without a loss
        half_a_row = numpy.exp(1j * numpy.pi * numpy.fft.rfftfreq(len(sums)))[:, None]
        sums = numpy.fft.irfft(numpy.fft.rfft(sums, axis=0) * half_a_row, len(sums), axis=0)[:-1]
    cut = max(0, len(sums) // 2 - _MOST_HALF)
    return sums[cut:len(sums) - cut]


def of_hdus(hdus: Any) -> Any:
    """The HDU of a PSF in an HDUList: with the distortion of the detector, and oversampled, where there is such a one."""
    images = [hdu for hdu in hdus if "TableHDU" not in type(hdu).__name__ and hdu.header.get("NAXIS", 0) == 2]
    for name in ("OVERDIST", "OVERSAMP", "DET_DIST", "DET_SAMP"):
        for hdu in images:
            if hdu.name == name:
                return hdu
    if len(images) != 1:
        raise ConfigError(f"psf: the HDUs have {len(images)} images, none of them named as STPSF's (OVERDIST, OVERSAMP); give the HDU itself, "
                          "as psf=hdus[1]")
    return images[0]


def interleaved(drawn: Callable[[float, float], Any], over: int, half: int) -> NDArray[numpy.float64]:
    """A star in `over` pixels for each pixel of the image, of `drawn(dx, dy)`: an odd square with a star that is so far from the
    middle of its middle pixel. Outside of it there is no light."""
    side = 2 * half + 1
    fine = numpy.zeros((side, side))
    shifts = [k - over if 2 * k > over else k for k in range(over)]
    for dx in shifts:
        for dy in shifts:
            # A star moved by -dx / over shows the light dx fine pixels further on.
            pixels = numpy.asarray(drawn(-dx / over, -dy / over))
            rows, columns = (numpy.arange(-(length // 2), length // 2 + 1) * over + d + half
                             for length, d in zip(pixels.shape, (dy, dx), strict=True))
            of_row, of_column = (rows >= 0) & (rows < side), (columns >= 0) & (columns < side)
            fine[numpy.ix_(rows[of_row], columns[of_column])] = pixels[numpy.ix_(of_row, of_column)]
    return fine


def of_piff(model: Any, chip: int | None) -> Stars:
    """Stars of a model of Piff's, at places of the field that its own stars cover."""
    chips = [int(one) for one in model.wcs]
    if chip not in chips and (chip is not None or len(chips) > 1):
        raise ConfigError(f"psf: the model of Piff's has the chips {', '.join(map(str, chips))}"
                          + ("" if chip is None else f", and not {chip}") + f"; name one, as in psf=sx.Psf.of(model, number={chips[0]})")
    chip = chips[0] if chip is None else chip
    own = [(star.image_pos.x, star.image_pos.y) for star in model.stars if int(star.data["chipnum"]) == chip]
    if not own:
        raise ConfigError("psf: the model of Piff's has no stars, whose places would tell the field; give "
                          "sx.Psf.from_image(model.draw(x, y).array)")
    (x0, y0), (x1, y1) = numpy.min(own, 0), numpy.max(own, 0)
    places = numpy.rint([(x, y) for y in numpy.linspace(y0, y1, 5) for x in numpy.linspace(x0, x1, 5)])

    def drawn(place: Any, side: int, dx: float, dy: float) -> Any:
        x, y = (int(one) for one in place)
        try:
            return model.draw(x=x, y=y, chipnum=chip, center=(x + dx, y + dy), stamp_size=side).array
        except TypeError as error:
            raise ConfigError(f"psf: the model of Piff's needs more than a place: {error}; give sx.Psf.from_image(model.draw(...).array)") from error

    star = drawn(places[len(places) // 2], 49, 0, 0)
    fwhm = 2 * numpy.sqrt((star >= star.max() / 2).sum() / numpy.pi)
    reach = max(_LEAST_REACH, _FWHMS * fwhm)
    over = next((over for over in (4, 2) if over * reach <= _MOST_HALF), 1)
    half = min(int(over * reach), _MOST_HALF)
    side = 2 * (half // over + 1) + 1
    stars = [interleaved(lambda dx, dy, at=place: drawn(at, side, dx, dy), over, half) for place in places]  # type: ignore[misc]
    return numpy.array(stars), places - 1, 1 / over


def of_file(path: str, hdus: Any, chip: int | None) -> Stars | None:
    """Stars of a file of Piff's, or of a grid of STPSF's or of STDPSF; None for others."""
    if any(hdu.name.upper() == "PSF_WCS" for hdu in hdus):
        require("piff", "a PSF of Piff's")
        import piff
        return of_piff(piff.read(path), chip)
    first = next((hdu for hdu in hdus if hdu.header.get("NAXIS", 0) >= 2 and "TableHDU" not in type(hdu).__name__), hdus[0])
    if first.header.get("NAXIS", 0) == 3:
        require("photutils", "a grid of PSFs")
        from photutils.psf import GriddedPSFModel, stdpsf_reader
        if "DET_YX0" not in first.header:
            return of_model(stdpsf_reader(path))
        # STPSF tells y before x, which photutils 3.0 reads as x and y.
        places = [first.header[f"DET_YX{at}"].strip("()").split(",") for at in range(len(first.data))]
        from astropy.nddata import NDData
        return of_model(GriddedPSFModel(NDData(numpy.array(first.data, float), meta={
            "grid_xypos": [(float(x), float(y)) for y, x in places], "oversampling": first.header["OVERSAMP"]})))
    return None


def polynomial(stars: Any, places: Any) -> tuple[dict[str, float | str], NDArray[numpy.float64]]:
    """The polynomial of the place that fits stars, as cards and planes of PSFEx's."""
    if len(stars) == 1:
        return {"POLNAXIS": 0, "POLNGRP": 0}, stars
    cards: dict[str, float | str] = {"POLNAXIS": 2, "POLNGRP": 2}
    powers = []
    for axis, name in enumerate(("X_IMAGE", "Y_IMAGE")):
        at = places[:, axis] + 1
        zero, scale = (at.max() + at.min()) / 2, (at.max() - at.min()) / 2 or 1.0
        degree = min(len(numpy.unique(at)) - 1, _MOST_DEGREE)
        cards |= {f"POLNAME{axis + 1}": name, f"POLGRP{axis + 1}": axis + 1, f"POLDEG{axis + 1}": degree,
                  f"POLZERO{axis + 1}": float(zero), f"POLSCAL{axis + 1}": float(scale)}
        powers.append(((at - zero) / scale)[:, None] ** numpy.arange(degree + 1))
    terms = (powers[1][:, :, None] * powers[0][:, None, :]).reshape(len(stars), -1)  # powers of x rise fastest
    flat = stars.reshape(len(stars), -1)
    planes = numpy.linalg.lstsq(terms, flat, rcond=None)[0]
    worst = numpy.abs(terms @ planes - flat).max() / flat.max()
    if worst > 0.01:
        warned.warn(f"psf: it varies over the field more than a polynomial of degree {_MOST_DEGREE} follows, which is off by up to "
                    f"{100 * worst:.2g} % of the peak; extract parts of the image, each with the PSF at its place")
    return cards, planes.reshape(-1, *stars.shape[1:])
