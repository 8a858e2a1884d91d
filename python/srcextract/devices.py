"""Arrays that lie on a GPU: of CuPy, PyTorch, JAX, or whatever tells of itself as these do."""
from typing import Any

import numpy
from numpy.typing import DTypeLike, NDArray

from srcextract import _core
from srcextract.errors import DeviceError, InputError

# Of DLPack: where an array can lie.
_HOST, _PAGE_LOCKED, _DEVICE, _MANAGED = 1, 3, 2, 13
_LEGACY_STREAM = 1


class DeviceArray:
    """An array on a GPU as its owner tells of it, with what `plane_of` asks of a NumPy array.

    Attributes
    ----------
    address : int
        Of the first element.
    shape, strides : tuple of int
        Strides in bytes.
    dtype : numpy.dtype
        Of an element, with its byte order.
    stream : int or None
        After whose work it may be read, as ``__cuda_array_interface__`` has it; None is at once.
    """

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
        """As another type of the same size."""
        return DeviceArray(self.address, self.shape, self.strides, numpy.dtype(dtype), self.stream, self.owner)

    def __getitem__(self, index: tuple[int, ...]) -> "DeviceArray":
        """What lies at an index of the first axes."""
        offset = sum(at * stride for at, stride in zip(index, self.strides))
        return DeviceArray(self.address + offset, self.shape[len(index):], self.strides[len(index):], self.dtype,
                           self.stream, self.owner)

    def reshape(self, shape: tuple[int, ...]) -> "DeviceArray":
        """Without leading axes of one element."""
        return DeviceArray(self.address, tuple(shape), self.strides[-len(shape):], self.dtype, self.stream, self.owner)


def _dense(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides: list[int] = []
    for length in reversed(shape):
        strides.insert(0, itemsize)
        itemsize *= length
    return tuple(strides)


def _of_interface(told: dict[str, Any], values: Any, name: str) -> DeviceArray:
    """What ``__cuda_array_interface__`` tells."""
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
    except Exception:  # of what lies on the host, or does not want to tell
        return None


def not_lent(name: str, error: Exception, what: str = "the array does not lend its memory") -> InputError | DeviceError:
    """What an array's owner says when it is asked for its memory, as an error of ours."""
    if "cuda" not in str(error).lower() or isinstance(error, (BufferError, TypeError)):
        return InputError(f"{name}: {what}: {error}")
    return DeviceError(f"{name}: {what}: {error}; if a fault has ended the work of its GPU, only a new process can use that "
                       "again")


def _lent(values: Any, name: str, **arguments: Any) -> tuple[int, int, tuple[int, ...], tuple[int, ...], str, Any]:
    """What ``__dlpack__`` lends."""
    try:
        return _core.read_dlpack(values.__dlpack__(**arguments))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except Exception as error:
        raise not_lent(name, error) from error


def device_array(values: Any, name: str) -> DeviceArray | None:
    """`values` as a `DeviceArray` where they lie on a GPU, and None where they do not.

    The interface of arrays on CUDA is asked first where it names a stream, and else DLPack, which is told the legacy
    default stream: its owner orders what is still to be written before that.
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
    """Memory of the host that somebody lends, for NumPy."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], kind: str, owner: Any) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "strides": strides,
                                    "typestr": kind}


def host_dlpack(values: Any, name: str) -> NDArray[Any] | None:
    """What ``__dlpack__`` lends of the host's memory as a NumPy array, page-locked or not; None if there is no such."""
    place = getattr(values, "__dlpack_device__", None)
    if place is None or int(place()[0]) not in (_HOST, _PAGE_LOCKED):
        return None
    _, address, shape, strides, kind, owner = _lent(values, name)
    return numpy.asarray(_HostArray(address, shape, strides, kind, owner))
