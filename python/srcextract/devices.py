"""Arrays on a GPU: of CuPy, PyTorch, JAX, or other libraries with the same interfaces."""
from typing import Any

import numpy
from numpy.typing import DTypeLike, NDArray

from srcextract import _core
from srcextract.errors import DeviceError, InputError

# Device types of DLPack.
_HOST, _PAGE_LOCKED, _DEVICE, _MANAGED = 1, 3, 2, 13
_LEGACY_STREAM = 1


class DeviceArray:
    """An array on a GPU, with the attributes of a NumPy array that `plane_of` needs.

    Attributes
    ----------
    address : int
        Address of the first element.
    shape, strides : tuple of int
        Strides in bytes.
    dtype : numpy.dtype
        Type of an element, with its byte order.
    stream : int or None
        Stream whose work must be done before reading, as in ``__cuda_array_interface__``; None: no wait.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: numpy.dtype[Any]
    stream: int | None
    owner: Any

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: numpy.dtype[Any],
                 stream: int | None, owner: Any) -> None:
        self.address, self.shape, self.strides = address, shape, strides
        self.dtype, self.stream, self.owner = dtype, stream, owner

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        size = 1
        for length in self.shape:
            size *= length
        return size

    def view(self, dtype: DTypeLike) -> "DeviceArray":
        """A view with another type of the same size."""
        return DeviceArray(self.address, self.shape, self.strides, numpy.dtype(dtype), self.stream, self.owner)

    def __getitem__(self, index: tuple[int, ...]) -> "DeviceArray":
        """The element or subarray at an index of the first axes."""
        offset = sum(at * stride for at, stride in zip(index, self.strides))
        return DeviceArray(self.address + offset, self.shape[len(index):], self.strides[len(index):], self.dtype,
                           self.stream, self.owner)

    def reshape(self, shape: tuple[int, ...]) -> "DeviceArray":
        """A view without leading axes of length 1."""
        return DeviceArray(self.address, tuple(shape), self.strides[-len(shape):], self.dtype, self.stream, self.owner)


def _dense(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides: list[int] = []
    for length in reversed(shape):
        strides.insert(0, itemsize)
        itemsize *= length
    return tuple(strides)


def _of_interface(told: dict[str, Any], values: Any, name: str) -> DeviceArray:
    """The array that ``__cuda_array_interface__`` describes."""
    if told.get("mask") is not None:
        raise InputError(f"{name}: an array with a mask of its own cannot be read on a GPU; give the mask as mask=")
    stream = told.get("stream")
    if stream == 0:
        raise InputError(f"{name}: the stream of its __cuda_array_interface__ is 0, which may be either default stream; "
                         "1 is the legacy one and 2 that of the thread")
    dtype = numpy.dtype(told["typestr"])
    shape = tuple(told["shape"])
    strides = told.get("strides")
    return DeviceArray(told["data"][0], shape, tuple(strides) if strides else _dense(shape, dtype.itemsize), dtype,
                       stream, values)


def _interface_of(values: Any) -> dict[str, Any] | None:
    try:
        told: dict[str, Any] = values.__cuda_array_interface__
        return told
    except Exception:  # a host array, or the interface fails
        return None


def not_lent(name: str, error: Exception, what: str = "the array does not lend its memory") -> InputError | DeviceError:
    """An error of srcextract from the error of an array's owner when asked for its memory."""
    if "cuda" not in str(error).lower() or isinstance(error, (BufferError, TypeError)):
        return InputError(f"{name}: {what}: {error}")
    return DeviceError(f"{name}: {what}: {error}; if a fault has ended the work of its GPU, only a new process can use that "
                       "again")


def _lent(values: Any, name: str, **arguments: Any) -> tuple[int, int, tuple[int, ...], tuple[int, ...], str, Any]:
    """The array that ``__dlpack__`` exports."""
    try:
        return _core.read_dlpack(values.__dlpack__(**arguments))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except Exception as error:
        raise not_lent(name, error) from error


def device_array(values: Any, name: str) -> DeviceArray | None:
    """`values` as a `DeviceArray` if they are on a GPU, else None.

    Uses the CUDA array interface if it names a stream, else DLPack with the legacy default stream. The owner then
    orders pending writes before that stream.
    """
    if isinstance(values, numpy.ndarray):
        return None
    told = _interface_of(values)
    if told is not None and "stream" in told:
        return _of_interface(told, values, name)
    place = getattr(values, "__dlpack_device__", None)
    if place is not None and int(place()[0]) in (_DEVICE, _MANAGED):
        _, address, shape, strides, kind, owner = _lent(values, name, stream=_LEGACY_STREAM)
        return DeviceArray(address, shape, strides, numpy.dtype(kind), _LEGACY_STREAM, owner)
    return None if told is None else _of_interface(told, values, name)


class _HostArray:
    """Host memory of another object, for NumPy."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], kind: str, owner: Any) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "strides": strides,
                                    "typestr": kind}


def host_dlpack(values: Any, name: str) -> NDArray[Any] | None:
    """The host array that ``__dlpack__`` exports, as a NumPy array, page-locked or not; None if there is none."""
    place = getattr(values, "__dlpack_device__", None)
    if place is None or int(place()[0]) not in (_HOST, _PAGE_LOCKED):
        return None
    _, address, shape, strides, kind, owner = _lent(values, name)
    return numpy.asarray(_HostArray(address, shape, strides, kind, owner))
