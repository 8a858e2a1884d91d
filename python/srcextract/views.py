"""A catalogue for other packages and notebooks."""
from __future__ import annotations

import html
import inspect
from typing import TYPE_CHECKING, Any

import numpy

from srcextract.arguments import require

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
        cells = (catalogue[name][row] for name in catalogue.columns)
        lines.append("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in cells) + "</tr>")
    lines.append("</tbody></table>")
    if len(catalogue) > SHOWN:
        lines.append(f"<p>… {len(catalogue) - SHOWN} more</p>")
    return "".join(lines)


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, numpy.floating) else html.escape(str(value))
