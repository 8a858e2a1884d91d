"""From astronomical images to source catalogues, on CPU and CUDA, the same to the last bit.

>>> import srcextract
>>> found = srcextract.extract("sky.fits", detection__threshold=3)   # doctest: +SKIP
>>> found.table                                                      # doctest: +SKIP
"""
from srcextract import _core
from srcextract.build import build_info
from srcextract.catalogue import Catalogue
from srcextract.commands import Comparison, Merged, compare, merge
from srcextract.errors import (ConfigError, DeviceError, InputError, InternalError, MismatchError, OutOfMemoryError,
                               OutputError, SrcextractError, StorageError)
from srcextract.many import Failure, extract_many
from srcextract.pipeline import Extractor, crowd, difference, extract, fit_psf
from srcextract.psf import Psf
from srcextract.report import Report
from srcextract.stages import (Background, Foreground, Labels, Mesh, as_image, background, combine, convolve, deblend,
                               label, measure, photometry, render, resample, threshold)

__version__ = _core.version()

__all__ = ["Background", "Catalogue", "Comparison", "ConfigError", "DeviceError", "Extractor", "Failure", "Foreground",
           "InputError", "InternalError", "Labels", "Merged", "Mesh", "MismatchError", "OutOfMemoryError", "OutputError",
           "Psf", "Report", "SrcextractError", "StorageError", "as_image", "background", "build_info", "combine", "compare", "convolve", "crowd",
           "deblend", "difference", "extract", "extract_many", "fit_psf", "label", "measure", "merge", "photometry", "render",
           "resample",
           "threshold"]
