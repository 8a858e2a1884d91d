"""Pictures of a catalogue: its sources, its sky, what is left of the image without them, and distributions."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from srcextract import asdf_files, configuration, files, headers, images
from srcextract.arguments import require
from srcextract.devices import DeviceArray
from srcextract.errors import ConfigError, InputError

if TYPE_CHECKING:
    from srcextract.catalogue import Catalogue

KINDS = ("sources", "sky", "noise", "segments", "residuals", "histogram")


def pixels_of(catalogue: Catalogue, image: Any) -> NDArray[Any]:
    """The values of the catalogue's image, as floats, with NaN where masked. None: the file that it was made of."""
    if image is None:
        image = catalogue.name
        if not os.path.isfile(image):
            raise ConfigError(f"{image}: the catalogue keeps no pixels, and this is no file with them; give what was extracted as image=")
    hdu = configuration.hdu_of(catalogue.config)
    image = asdf_files.opened(image) if asdf_files.is_asdf(image) else image
    contents = files.contents_of(image)
    if contents is None:
        opened = images.open_image(image, None, hdu)
        if isinstance(opened.pixels, DeviceArray):
            raise InputError("image: lies on a GPU; give a copy on the host, as array.get() of CuPy")
        pixels = opened.values()
    else:
        require("astropy", "an image of a file")
        from astropy.io import fits
        with files.told_by_name(contents):
            try:
                with fits.open(contents.path) as hdus:
                    pixels = numpy.array(images.open_image(hdus, None, hdu).values())
            except OSError as error:
                raise InputError(f"image: {contents.name}: {error}") from error
    if pixels.ndim > 2 and pixels.size == catalogue.shape[0] * catalogue.shape[1]:
        pixels = pixels.reshape(catalogue.shape)
    if pixels.shape != catalogue.shape:
        raise InputError(f"image: has the shape {pixels.shape}, and the image of the catalogue {catalogue.shape}; give the image that "
                         "was extracted")
    return numpy.asarray(pixels, float)


def residuals_of(catalogue: Catalogue, image: Any) -> NDArray[Any]:
    """The pixels that belong to no source, above the sky and in units of its noise; NaN where a source is."""
    left = (pixels_of(catalogue, image) - catalogue.background) / catalogue.rms
    return numpy.where(catalogue.segmentation > 0, numpy.nan, left)


def plot(catalogue: Catalogue, ax: Any, image: Any, kind: str, column: str | None, scale: float, color: str,
         shown: dict[str, Any]) -> Any:
    """Draws one of the kinds of pictures, and returns the axes."""
    require("matplotlib", "plot()")
    from matplotlib import pyplot
    if kind not in KINDS:
        raise ConfigError(f"kind={kind!r} is no picture of a catalogue; there are {', '.join(KINDS)}")
    if column is not None and kind != "histogram":
        raise ConfigError(f"column={column!r} is for kind='histogram', and not for kind={kind!r}; leave it out")
    if ax is None:
        _, ax = pyplot.subplots()
    if kind == "histogram":
        _histogram(catalogue, ax, image, column, color, shown)
    elif kind == "sources":
        pixels = catalogue.background if image is None else pixels_of(catalogue, image)
        _show(ax, pixels, {**({} if image is None else _range(catalogue, pixels, shown)), **shown},
              f"{'level of the sky' if image is None else 'pixels'}{_unit(catalogue)}")
        _ellipses(catalogue, ax, scale, color)
    elif kind == "residuals":
        _show(ax, residuals_of(catalogue, image), {"cmap": "RdBu_r", "vmin": -5, "vmax": 5, **shown},
              "above the sky, in units of its noise")
    elif kind == "segments":
        labels = catalogue.segmentation
        _show(ax, numpy.where(labels > 0, labels % 19, numpy.nan), {"cmap": "tab20", "vmin": 0, "vmax": 19, **shown})
    else:
        _show(ax, catalogue.background if kind == "sky" else catalogue.rms, {"cmap": "viridis", **shown},
              f"{'level' if kind == 'sky' else 'noise'} of the sky{_unit(catalogue)}")
    return ax


def _unit(catalogue: Catalogue) -> str:
    """The unit of pixels, to follow a label: that of a column in it."""
    told = next((unit for name, _, unit, *_ in catalogue._made.columns() if name in ("BACKGROUND", "THRESHOLD", "FLUX_MAX")), "")
    unit = headers.units_as_given(catalogue.header)(told)
    return f" [{unit}]" if unit else ""


def _show(ax: Any, pixels: NDArray[Any], shown: dict[str, Any], told: str = "") -> None:
    drawn = ax.imshow(pixels, **{"origin": "lower", "interpolation": "nearest", "cmap": "gray", **shown})
    if not hasattr(ax, "coords"):  # axes of astropy on the sky have labels of their own
        ax.set(xlabel="x [pixels from 0]", ylabel="y [pixels from 0]")
    if told:
        ax.figure.colorbar(drawn, ax=ax, label=told)


def _range(catalogue: Catalogue, pixels: NDArray[Any], shown: dict[str, Any]) -> dict[str, float]:
    """From 3 sigma below the sky to 12 above it; about the median of a frame of a difference, whose sky is that of both."""
    if shown.get("norm") is not None:
        return {}
    level = catalogue.sky_level
    low, high = level - 3 * catalogue.sky_sigma, level + 12 * catalogue.sky_sigma
    middle = float(numpy.nanmedian(pixels))
    if not low < middle < high:
        low, high = low + middle - level, high + middle - level
    return {"vmin": low, "vmax": high}


def _ellipses(catalogue: Catalogue, ax: Any, scale: float, color: str) -> None:
    from matplotlib.collections import EllipseCollection
    names = ("X_IMAGE", "Y_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE")
    if all(name in catalogue for name in names):
        x, y, a, b, theta = (numpy.asarray(catalogue[name], float) for name in names)
    else:
        x, y = (numpy.asarray(catalogue[name], float) for name in names[:2])
        area = numpy.asarray(catalogue["NPIX"], float) if "NPIX" in catalogue else 30 + 0 * x
        a = b = numpy.sqrt(area / numpy.pi) / scale
        theta = 0 * x
    # NumPy counts from 0, catalogues from 1.
    ax.add_collection(EllipseCollection(2 * scale * a, 2 * scale * b, theta, units="xy", edgecolors=color,
                                        facecolors="none", offsets=numpy.column_stack([x - 1, y - 1]),
                                        offset_transform=ax.transData))


def _histogram(catalogue: Catalogue, ax: Any, image: Any, column: str | None, color: str, shown: dict[str, Any]) -> None:
    """The distribution of a column, or of the residuals beside a Gaussian of sigma 1."""
    if column is not None:
        values = numpy.ravel(numpy.asarray(catalogue[column], float))
        unit = catalogue._columns[column][1]
        ax.hist(values[numpy.isfinite(values)], **{"bins": "auto", "color": color, **shown})
        ax.set(xlabel=column + (f" [{unit}]" if unit else ""), ylabel="sources")
        return
    left = residuals_of(catalogue, image)
    bins = numpy.linspace(-6, 6, 121)
    ax.hist(left[numpy.isfinite(left)], **{"bins": bins, "density": True, "color": color, **shown})
    ax.plot(bins, numpy.exp(-bins**2 / 2) / numpy.sqrt(2 * numpy.pi), color="black", linewidth=1, label="Gaussian of σ = 1")
    ax.set(xlabel="pixels without a source: above the sky, in units of its noise", ylabel="share per σ", yscale="log")
    ax.set_ylim(bottom=1e-6)
    ax.legend()
