"""Configuration keys with units: pixels and arcseconds as given, and angles, which the image's scale converts to
pixels."""
from typing import Any

import numpy

from srcextract import headers
from srcextract.errors import ConfigError
from srcextract.places import is_aperture

_IN_PIXELS = {"convolve__fwhm", "convolve__sigma", "convolve__radius", "measurement__apertures", "measurement__annulus",
              "difference__reference_fwhm", "difference__new_fwhm"}
_IN_ARCSECONDS = {"measurement__pixel_scale", "measurement__seeing_fwhm"}


def plain_of(value: Any, where: str) -> Any:
    """The number of a value in pixels or arcseconds; None if the key has no such unit."""
    key, unit = where.replace(".", "__"), getattr(value, "unit", None)
    if key in _IN_PIXELS and str(unit) == "pix":
        return value.value
    if key in _IN_ARCSECONDS and unit is not None:
        for wanted in ("arcsec", "arcsec / pix"):
            if unit.is_equivalent(wanted):
                return value.to_value(wanted)
    return None


def _diameters(value: Any) -> Any:
    """The values, with circular apertures of photutils replaced by their diameters."""
    if isinstance(value, (list, tuple)):
        return [_diameter(one) for one in value]
    return [_diameter(value)] if is_aperture(value) else value


def _diameter(value: Any) -> Any:
    if not is_aperture(value):
        return value
    if not hasattr(value, "r"):
        raise ConfigError(f"measurement__apertures: a {type(value).__name__} is no circle; FLUX_APER is the light in circles")
    return 2 * value.r


def _values_of(value: Any) -> list[Any]:
    several = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1
    return list(value) if several else [value]


def _are_angles(value: Any) -> bool:
    units = [getattr(one, "unit", None) for one in _values_of(value)]
    return any(unit is not None and hasattr(unit, "is_equivalent") and unit.is_equivalent("arcsec") for unit in units)


def apart(config: Any, keys: dict[str, Any]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Separates angles from the configuration and the keys. Returns both with pixel numbers as placeholders for the
    angles, and the angles in arcseconds.

    Raises
    ------
    ConfigError
        If a key has angles and other values.
    """
    keys = {name: _diameters(value) if name == "measurement__apertures" else value for name, value in keys.items()}
    angles = {name: value for name, value in keys.items() if name in _IN_PIXELS and _are_angles(value)}
    if isinstance(config, dict):
        config = {section: dict(inner) if isinstance(inner, dict) else inner for section, inner in config.items()}
        for name in _IN_PIXELS:
            section, _, key = name.partition("__")
            inner = config.get(section)
            if isinstance(inner, dict) and key in inner and _are_angles(inner[key]):
                value = inner.pop(key)
                if name not in keys:
                    angles[name] = value
    seconds = {}
    for name, value in angles.items():
        try:
            numbers = [float(one.to_value("arcsec")) for one in _values_of(value)]
        except (AttributeError, ValueError) as error:
            raise ConfigError(f"{name} has angles and other values; give all of them as angles, or all in pixels") from error
        seconds[name] = numbers if name.endswith(("apertures", "annulus")) else numbers[0]
    # Before there is an image, the keys are checked as if the largest size were 10 pixels.
    most = {name: numpy.max(numpy.abs(value)) or 1.0 for name, value in seconds.items()}
    return config, {**keys, **{name: _times(value, 10 / most[name]) for name, value in seconds.items()}}, seconds


def _times(value: Any, factor: float) -> Any:
    return [factor * one for one in value] if isinstance(value, list) else factor * value


def in_pixels(seconds: dict[str, Any], yaml: str, cards: str, shape: tuple[int, ...]) -> dict[str, Any]:
    """The angles in pixels, for an image with that configuration, header and shape."""
    side = next(float(line.partition(":")[2]) for line in yaml.splitlines() if line.strip().startswith("pixel_scale:"))
    applies_sip = any(line.split() == ["sip:", "apply"] for line in yaml.splitlines())
    side = side or _side(cards, headers.shape_of(cards) or shape[-2:], next(iter(seconds)), applies_sip)
    return {name: _times(value, 1 / side) for name, value in seconds.items()}


def _side(cards: str, shape: tuple[int, ...], key: str, applies_sip: bool) -> float:
    """The side of a square with the area of the central pixel, in arcseconds. As in the compiled half, SIP counts if CTYPE
    ends with -SIP, or if `applies_sip`."""
    import warnings
    from astropy.coordinates import SkyCoord
    from astropy.io import fits
    from astropy.wcs import WCS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wcs = WCS(fits.Header.fromstring(cards), naxis=2)
            if not applies_sip and not any(name.endswith("-SIP") for name in wcs.wcs.ctype):
                wcs.sip = None
            x, y = (shape[1] - 1) / 2, (shape[0] - 1) / 2
            at: Any = SkyCoord(wcs.pixel_to_world([x - 0.5, x + 0.5, x, x], [y, y, y - 0.5, y + 0.5]))
            places = at.cartesian.xyz.value.T
        except Exception as error:
            raise ConfigError(f"{key} is an angle, and the image has no WCS on the sky that makes it pixels; give pixels, or "
                              "measurement__pixel_scale, in arcseconds") from error
    area = numpy.linalg.norm(numpy.cross(places[1] - places[0], places[3] - places[2]))
    if not area > 0:
        raise ConfigError(f"{key} is an angle, and the centre of the image is off the sky; give pixels, or measurement__pixel_scale")
    return float(numpy.degrees(numpy.sqrt(area)) * 3600)
