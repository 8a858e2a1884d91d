"""A catalogue for other packages and notebooks."""
from __future__ import annotations

import html
import inspect
from typing import TYPE_CHECKING, Any

import numpy

from srcextract import _core, files, images
from srcextract.arguments import require
from srcextract.devices import DeviceArray
from srcextract.errors import InputError

if TYPE_CHECKING:
    from srcextract.catalogue import Catalogue

# Number of rows in a notebook.
SHOWN = 8


def arrow_table(catalogue: Catalogue) -> Any:
    """The columns as a pyarrow.Table, as in a Parquet file."""
    require("pyarrow", "to_arrow()")
    import pyarrow
    arrays, fields = [], []
    for name, values, (_, unit, ucd, description) in catalogue.vectors():
        kind = pyarrow.from_numpy_dtype(values.dtype)
        array = pyarrow.array(values.reshape(-1))
        if values.ndim == 2:
            kind = pyarrow.list_(pyarrow.field("element", kind, nullable=False), values.shape[1])
            array = pyarrow.FixedSizeListArray.from_arrays(array, type=kind)
        told = {"unit": unit, "ucd": ucd, "description": description}
        arrays.append(array)
        fields.append(pyarrow.field(name, kind, nullable=False, metadata={key: text for key, text in told.items() if text}))
    return pyarrow.table(arrays, schema=pyarrow.schema(fields, metadata={"name": catalogue.name,
                                                                         "config": catalogue.config}))


def photutils_arguments(catalogue: Catalogue) -> dict[str, Any]:
    """Arguments for photutils.segmentation.SourceCatalog besides the pixels above the sky."""
    require("photutils", "to_photutils()")
    from photutils.segmentation import SegmentationImage, SourceCatalog
    named = inspect.signature(SourceCatalog).parameters
    arguments = {"segment_img" if "segment_img" in named else "segmentation_image":
                 SegmentationImage(_labels_of_rows(catalogue)),
                 "error": catalogue.rms.astype("f8"), "background": catalogue.background.astype("f8")}
    wcs = catalogue.wcs
    if wcs is not None:
        arguments["wcs"] = wcs
    return arguments


def _labels_of_rows(catalogue: Catalogue) -> Any:
    """The segmentation with the sources of the catalogue's rows alone."""
    labels = catalogue.segmentation.astype("i4")
    return labels if catalogue._chosen is None else numpy.where(numpy.isin(labels, catalogue["NUMBER"]), labels, 0)


def wcs_of(cards: str) -> Any:
    """The astropy.wcs.WCS of a header with a celestial one, or None."""
    if not cards:
        return None
    require("astropy", "a WCS")
    from astropy.io import fits
    from astropy.wcs import WCS, FITSFixedWarning
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FITSFixedWarning)
        try:
            wcs = WCS(fits.Header.fromstring(cards)).celestial
        except Exception:  # any error of wcslib means that no WCS can be used
            return None
    return wcs if wcs.has_celestial else None


def as_html(catalogue: Catalogue) -> str:
    """Facts and the first rows as HTML, for a notebook."""
    height, width = catalogue.shape
    facts = [f"{len(catalogue)} sources", f"{width} × {height} pixels",
             f"sky {catalogue.sky_level:.5g} ± {catalogue.sky_sigma:.4g}", f"{catalogue.backend}",
             f"{sum(catalogue.times.values()):.3g} s"]
    lines = [f"<p><b>{html.escape(catalogue.name)}</b>: {html.escape(', '.join(facts))}</p>"]
    lines += [f"<p>⚠ {html.escape(text)}</p>" for text in catalogue.warnings]
    lines.append("<table><thead><tr>")
    for name, (_, unit, _, description) in catalogue._columns.items():
        lines.append(f'<th title="{html.escape(description)}">{html.escape(name)}'
                     + (f"<br>{html.escape(unit)}" if unit else "") + "</th>")
    lines.append("</tr></thead><tbody>")
    for row in range(min(len(catalogue), SHOWN)):
        cells = (catalogue[name][row] for name in catalogue)
        lines.append("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in cells) + "</tr>")
    lines.append("</tbody></table>")
    if len(catalogue) > SHOWN:
        lines.append(f"<p>… {len(catalogue) - SHOWN} more</p>")
    return "".join(lines)


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, numpy.floating) else html.escape(str(value))


def _pixels(catalogue: Catalogue, image: Any) -> Any:
    """The values of the catalogue's image, as floats, with NaN where masked."""
    hdu = _core.Configuration(None, catalogue.config, []).hdu
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
        raise InputError(f"image: has the shape {pixels.shape}, and that of the catalogue {catalogue.shape}; give the one that was "
                         "extracted")
    return numpy.asarray(pixels, float)


def plot(catalogue: Catalogue, ax: Any = None, image: Any = None, *, scale: float = 3.0, color: str = "red",
         **shown: Any) -> Any:
    """Draws ellipses of the sources over an image."""
    require("matplotlib", "plot()")
    from matplotlib.collections import EllipseCollection
    from matplotlib import pyplot
    if ax is None:
        _, ax = pyplot.subplots()
    pixels = catalogue.background if image is None else _pixels(catalogue, image)
    if image is not None and shown.get("norm") is None:
        level = catalogue.sky_level
        low, high = level - 3 * catalogue.sky_sigma, level + 12 * catalogue.sky_sigma
        middle = float(numpy.nanmedian(pixels))
        if not low < middle < high:  # a frame of a difference, whose sky is that of both
            low, high = low + middle - level, high + middle - level
        shown.setdefault("vmin", low)
        shown.setdefault("vmax", high)
    shown.setdefault("cmap", "gray")
    ax.imshow(pixels, **{"origin": "lower", "interpolation": "nearest", **shown})
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
    return ax
