"""Common arguments of functions, and optional packages."""
import importlib.util
import operator
import os
from collections.abc import Sequence
from typing import Any, Literal, Protocol

from numpy.typing import NDArray

from srcextract.errors import ConfigError
from srcextract.key_types import Keys

Backend = Literal["auto", "cpu", "cuda"]
Origin = Literal[0, 1]
Config = str | os.PathLike[str] | dict[str, Any] | None


class _Readable(Protocol):
    def read(self) -> Any: ...


class _Openable(Protocol):
    """An unopened file, as from fsspec.open."""

    fs: Any

    def open(self) -> Any: ...


class _AsArray(Protocol):
    """An array that NumPy can take, as of pandas or JAX, or a Quantity."""

    def __array__(self) -> Any: ...


class _Lent(Protocol):
    def __dlpack__(self) -> Any: ...


class _OnGpu(Protocol):
    @property
    def __cuda_array_interface__(self) -> Any: ...


class _WithPixels(Protocol):
    """An HDU of astropy, an NDData, or a Cutout2D."""

    @property
    def data(self) -> Any: ...


# Whatever an image may be: docs/python.md lists it.
Image = (str | os.PathLike[str] | bytes | bytearray | memoryview | NDArray[Any] | _Readable | _Openable | _AsArray | _Lent | _OnGpu
         | _WithPixels | Sequence[_WithPixels] | Sequence[Sequence[float]] | Sequence[NDArray[Any]])


class ArgumentsOfCrowd(Keys, total=False):
    """Those of `extract` beside the image, the PSF and the configuration, which `crowd` passes on."""

    header: Any
    wcs: Any
    mask: Any
    weight: Any
    error: Any
    reference_set: dict[str, Any] | None
    positions: Any
    origin: Origin | None
    name: str | None
    backend: Backend
    device: int | Sequence[int] | None
    threads: int | None
    segmentation: bool


class Arguments(ArgumentsOfCrowd, total=False):
    """Those of `extract` beside the image and the configuration, which `difference` and others pass on."""

    psf: Any


_MOST = 2**31 - 1


def threads_of(threads: Any) -> int:
    """The number of threads; 0 for None: as many as this process may use."""
    if threads is None:
        return 0
    try:
        count = operator.index(threads)
    except TypeError:
        count = 0
    if not 1 <= count <= _MOST:
        raise ConfigError(f"threads={threads!r}: at least 1, or None for as many as this process may use")
    return count


def devices_of(device: Any, name: str = "device") -> list[int]:
    """Indices of named GPUs; empty for None."""
    if device is None:
        return []
    try:
        # An array is not a Sequence, but a str is.
        several = device.tolist() if hasattr(device, "tolist") else device
        indices = [operator.index(one) for one in (several if isinstance(several, (Sequence, range)) else [several])]
    except TypeError:
        indices = [-1]
    if any(not 0 <= index <= _MOST for index in indices):
        raise ConfigError(f"{name}={device!r}: GPUs are counted from 0: an index as 0, or several as [0, 1]; None is the one "
                          "that an array lies on, or the first")
    return indices


def backend_of(backend: Any) -> str:
    if not isinstance(backend, str):
        raise ConfigError(f"backend={backend!r} is none of 'auto', 'cpu' and 'cuda'")
    return backend


def require(package: str, what: str) -> None:
    """Raises ModuleNotFoundError, with advice, if an optional package is not installed."""
    if importlib.util.find_spec(package) is None:
        raise ModuleNotFoundError(f"{what} needs {package}, which is not installed: pip install {package}", name=package)
