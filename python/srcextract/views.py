"""A catalogue for other packages and notebooks."""
from __future__ import annotations

import base64
import html
import inspect
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy

from srcextract.arguments import require

if TYPE_CHECKING:
    from srcextract.catalogue import Catalogue
    from srcextract.pipeline import Extractor
    from srcextract.psf import Psf
    from srcextract.tables import Match

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
    lines.append(_table({f'<th title="{html.escape(description)}">{html.escape(name)}' + (f"<br>{html.escape(unit)}" if unit else "") + "</th>":
                         catalogue._values(name) for name, (_, unit, _, description) in catalogue._columns.items()}, len(catalogue)))
    return "".join(lines)


def _table(columns: dict[str, Any], length: int) -> str:
    """The first rows of columns, by their heads."""
    rows = ("<tr>" + "".join(f"<td>{_cell(values[row])}</td>" for values in columns.values()) + "</tr>"
            for row in range(min(length, SHOWN)))
    return (f"<table><thead><tr>{''.join(columns)}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
            + (f"<p>… {length - SHOWN} more</p>" if length > SHOWN else ""))


def match_as_html(match: Match) -> str:
    """What was matched, and the first pairs: their places in both catalogues, and how far they are apart."""
    unit = getattr(match.separation, "unit", "pixels")
    columns = {"<th>row</th>": match.rows, "<th>other row</th>": match.other_rows,
               f"<th>separation<br>{unit}</th>": numpy.asarray(getattr(match.separation, "value", match.separation))}
    return f"<p>{html.escape(repr(match)[1:-1])}</p>{_table(columns, len(match))}"


def extractor_as_html(extractor: Extractor) -> str:
    """What was asked for, and the whole configuration to unfold."""
    return (f"<p>{html.escape(repr(extractor)[1:-1])}</p><details><summary>configuration</summary>"
            f"<pre>{html.escape(extractor.config)}</pre></details>")


def psf_as_html(psf: Psf) -> str:
    """A picture of the PSF in the middle of its field, whose wings are stretched to be seen."""
    x, y = (float(psf.cards.get(f"POLZERO{axis}", 1)) - 1 for axis in (1, 2))
    light = psf.at(x, y)[::-1] / psf.at(x, y).max()
    grey = numpy.arcsinh(numpy.clip(light, 0, 1) * 1000) / numpy.arcsinh(1000) * 255
    return (f'<p>{html.escape(repr(psf)[1:-1])}</p><img alt="PSF" width="200" style="image-rendering: pixelated" '
            f'src="data:image/png;base64,{base64.b64encode(_png(grey.astype("u1"))).decode()}">')


def _png(grey: Any) -> bytes:
    """A picture of bytes, the first row on top."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, numpy.floating) else html.escape(str(value))
