"""From astronomical images to source catalogues, on CPU and CUDA, the same to the last bit.

>>> import srcextract as sx
>>> found = sx.extract(sx.data.sky(), detection__threshold=3)
>>> found.table["X_IMAGE", "Y_IMAGE", "FLUX_AUTO"]   # doctest: +SKIP
"""
from srcextract import _core, data
from srcextract.build import build_info
from srcextract.catalogue import Catalogue
from srcextract.commands import Comparison, Merged, compare, merge
from srcextract.errors import (ConfigError, ConfigWarning, DeviceError, ImageWarning, InputError, InternalError, MismatchError,
                               OriginWarning, OutOfMemoryError, OutputError, SrcextractError, SrcextractWarning, StorageError,
                               WorkerError)
from srcextract.failure import Failure
from srcextract.key_texts import keys, offer_to_ipython as _offer_to_ipython
from srcextract.key_types import Keys
from srcextract.many import extract_many
from srcextract.pipeline import Extractor, crowd, difference, extract, fit_psf
from srcextract.psf import Psf
from srcextract.report import Report
from srcextract.stages import (Background, Foreground, Labels, Mesh, as_image, background, combine, convolve, deblend,
                               label, measure, photometry, render, resample, threshold)
from srcextract.tables import Match

__version__ = _core.version()

__all__ = ["Background", "Catalogue", "Comparison", "ConfigError", "ConfigWarning", "DeviceError", "Extractor", "Failure",
           "Foreground", "ImageWarning", "InputError", "InternalError", "Keys", "Labels", "Match", "Merged", "Mesh", "MismatchError",
           "OriginWarning", "OutOfMemoryError", "OutputError", "Psf", "Report", "SrcextractError", "SrcextractWarning",
           "StorageError", "WorkerError",
           "as_image", "background", "build_info", "combine", "compare", "convolve", "crowd", "data", "deblend", "difference",
           "extract", "extract_many", "fit_psf", "keys", "label", "measure", "merge", "photometry", "render", "resample",
           "threshold"]


def __dir__() -> list[str]:
    modules = [name for name in ("errors", "sep", "stages") if name in globals()]  # of these, sep is imported by itself
    return [*__all__, *modules, "__version__"]


_offer_to_ipython()
