"""From astronomical images to source catalogues, on CPU and CUDA, the same to the last bit.

>>> import srcextract
>>> found = srcextract.extract("sky.fits", detection__threshold=3)   # doctest: +SKIP
>>> found.table                                                      # doctest: +SKIP
"""
from srcextract import _core
from srcextract.catalogue import Catalogue
from srcextract.commands import Comparison, Merged, compare, merge
from srcextract.errors import (ConfigError, DeviceError, InputError, InternalError, MismatchError, OutOfMemoryError,
                               OutputError, SrcextractError, StorageError)
from srcextract.many import Failure, extract_many
from srcextract.pipeline import Extractor, difference, extract

__version__ = _core.version()

__all__ = ["Catalogue", "Comparison", "ConfigError", "DeviceError", "Extractor", "Failure", "InputError", "InternalError",
           "Merged", "MismatchError", "OutOfMemoryError", "OutputError", "SrcextractError", "StorageError", "compare",
           "difference", "extract", "extract_many", "merge"]
