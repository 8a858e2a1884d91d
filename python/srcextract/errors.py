"""Exceptions of srcextract, each also a subclass of the closest built-in one, and its warnings."""
from typing import Any


class SrcextractError(Exception):
    """Base class of all exceptions of srcextract. The message names the problem, its reason, and what to try."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Dask's and Parsl's own way makes no subclass of MemoryError again.
        return type(self), self.args


class ConfigError(SrcextractError, ValueError):
    """The configuration, or an argument in its place, is wrong."""


class InputError(SrcextractError, ValueError):
    """An image, a map or a table cannot be used."""


class OutputError(SrcextractError, OSError):
    """A file cannot be written."""


class StorageError(OutputError):
    """No file can be written: the disk is full, read-only or failing."""


class OutOfMemoryError(SrcextractError, MemoryError):
    """There is not enough memory."""


class DeviceError(SrcextractError, RuntimeError):
    """No GPU can be used, or it has not enough memory."""


class WorkerError(SrcextractError, RuntimeError):
    """A worker of an executor was lost, or could not take an image or give its result back."""


class MismatchError(SrcextractError):
    """Two results differ that must be equal."""


class InternalError(SrcextractError, RuntimeError):
    """A defect of srcextract."""


class SrcextractWarning(UserWarning):
    """Base class of all warnings of srcextract. The message names what may be wrong, and what to try."""


class ConfigWarning(SrcextractWarning):
    """A key, or an argument, may not mean what the caller has in mind."""


class OriginWarning(SrcextractWarning):
    """Positions count from 0, and an earlier version counted them from 1."""


class ImageWarning(SrcextractWarning):
    """An image, its maps, its header or its positions may be wrong, and the result with them."""
