"""Images in files of ASDF, as of Roman: pixels with their errors, flags of quality and WCS."""
import os
from typing import Any

import numpy

from srcextract import remote
from srcextract.arguments import require
from srcextract.errors import InputError

# The bit of pixels that must not be used, in `dq` of Roman and JWST.
_DO_NOT_USE = 1


def is_asdf(image: Any) -> bool:
    """Whether it is the path of such a file."""
    try:
        return isinstance(image, (str, os.PathLike)) and os.fsdecode(image).lower().endswith(".asdf") and not remote.is_address(image)
    except Exception:  # of its __fspath__: it is told where the path is used
        return False


def opened(path: Any) -> Any:
    """An astropy.nddata.NDData of the file's `data`, `err`, `dq` and `meta.wcs`, at the top of the tree or in its part `roman`."""
    name = os.fsdecode(path)
    require("asdf", f"{name}")
    require("astropy", f"{name}")
    import warnings

    import asdf
    from astropy.nddata import NDData, StdDevUncertainty
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of types that only Roman's own package knows
            with asdf.open(name, memmap=False) as file:
                model = file.tree.get("roman", file.tree)
                pixels, error, quality = (None if model.get(part) is None else model[part] for part in ("data", "err", "dq"))
                if pixels is None:
                    raise InputError(f"{name}: has no 'data', at the top of its tree or in 'roman'; there are {', '.join(map(str, model))}; "
                                     "give the array, as with asdf.open(path)['name']")
                unit = getattr(pixels, "unit", None)
                error = None if error is None else StdDevUncertainty(numpy.array(getattr(error, "value", error)), unit=getattr(error, "unit", None))
                meta = model.get("meta") or {}
                return NDData(numpy.array(getattr(pixels, "value", pixels)), unit=unit, uncertainty=error, wcs=meta.get("wcs", model.get("wcs")),
                              mask=None if quality is None else numpy.array(quality) & _DO_NOT_USE != 0)
    except (OSError, ValueError, TypeError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"{name}: cannot be read: {problem}") from problem
