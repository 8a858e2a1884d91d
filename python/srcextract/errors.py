"""What can go wrong, each as a class of its own that is also the one of Python's that comes nearest."""


class SrcextractError(Exception):
    """Whatever srcextract raises. The message says what the problem is, why it is one, and what to try."""


class ConfigError(SrcextractError, ValueError):
    """The configuration, or an argument that stands for it, is wrong."""


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


class MismatchError(SrcextractError):
    """Two results that must be equal are not."""


class InternalError(SrcextractError, RuntimeError):
    """A defect of srcextract."""
