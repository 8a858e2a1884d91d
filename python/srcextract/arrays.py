"""Images in Python as arrays of pixels that the compiled half reads in place."""
from typing import Any

import numpy

from srcextract import _core
from srcextract.devices import DeviceArray, device_array, host_dlpack, not_lent
from srcextract.errors import DeviceError, InputError
from srcextract.headers import is_scaled


def plane_of(array: Any, name: str, *, bscale: float = 1.0, bzero: float = 0.0,
             blank: int | None = None) -> _core.PlaneArray:
    """The pixels of a 2-D array, without a copy.

    Parameters
    ----------
    array : numpy.ndarray or DeviceArray
        Integers of 1 to 8 bytes or real numbers of 4 or 8, in either byte order and with any strides. The array must
        outlive the result.
    name : str
        The array's name in messages.
    bscale, bzero, blank
        The scaling of the array's values, as in a FITS header, and the value of the array that marks missing pixels.

    Raises
    ------
    InputError
        If it is no 2-D array, has no pixels, or has a type that pixels cannot have.
    """
    if array.ndim != 2:
        raise InputError(f"{name}: an image has 2 axes, and this array has {array.ndim}, of shape {array.shape}; "
                         + _to_have_two(array))
    if array.size == 0:
        raise InputError(f"{name}: an array of shape {array.shape} has no pixels")
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8 or array.dtype == numpy.float16:
        raise InputError(f"{name}: pixels cannot be of the type {array.dtype}; integers of 1 to 8 bytes and real "
                         "numbers of 4 and 8 can be: convert the array, as with array.astype('float32')")
    order = array.dtype.str.replace("|", "<")
    blank = _stored(blank, array.dtype)
    if isinstance(array, DeviceArray):
        return _core.PlaneArray(array.address, array.shape, array.strides, order, bscale, bzero, blank, True,
                                array.stream)
    return _core.PlaneArray(array.__array_interface__["data"][0], array.shape, array.strides, order, bscale, bzero, blank)


def _stored(blank: int | None, dtype: Any) -> int | None:
    """The integer that a FITS file stores for this value of an array. None if no element of the array can have it."""
    if blank is None or dtype.kind not in "iu" or not numpy.iinfo(dtype).min <= blank <= numpy.iinfo(dtype).max:
        return None
    if not is_scaled(dtype):
        return blank
    return blank - 2 ** (8 * dtype.itemsize - 1) if dtype.kind == "u" else blank + 128


def _to_have_two(array: Any) -> str:
    """Advice for arrays with another number of axes."""
    if array.ndim < 2:
        return "reshape it" + (", as with array.reshape(height, width)" if array.ndim else "")
    if array.ndim == 3 and array.shape[2] in (3, 4) and array.shape[0] > 4:
        return "take one of its colours, as in array[..., 0]"
    return (f"take one of its planes, as in array[{', '.join('0' * (array.ndim - 2))}], or say how they are combined, as with "
            "combine__method='mean'")


def array_of(values: Any, name: str) -> Any:
    """`values` as an array in place: a NumPy array on the host, or a `DeviceArray`."""
    there = device_array(values, name)
    return host_array(values, name) if there is None else there


def is_catalogue(value: Any) -> bool:
    """Whether it is a Catalogue. The class is asked, since an instance would make the map of its sources."""
    return hasattr(type(value), "segmentation")


def read_only(values: Any) -> Any:
    """The array itself, which is read-only from now on."""
    values.flags.writeable = False
    return values


def parted(values: Any) -> tuple[Any, Any]:
    """Splits an array with its own mask, like those of `numpy.ma` and astropy's ``Masked``, into array and mask. The
    mask is None if there is none."""
    if isinstance(values, numpy.ma.MaskedArray):
        bare = values.data
    elif isinstance(values, numpy.ndarray) and hasattr(values, "unmasked"):
        bare = values.unmasked
    else:
        return values, None
    return bare, numpy.broadcast_to(values.mask, values.shape) if numpy.any(values.mask) else None


def is_nddata(image: Any) -> bool:
    """Whether it is an NDData, as a CCDData, or a Cutout2D: pixels in `data`, with what belongs to them."""
    return (hasattr(image, "uncertainty") or hasattr(image, "bbox_original")) and hasattr(image, "data")


def mask_for(mask: Any, shape: tuple[int, ...]) -> Any:
    """The mask of an image. A single value is that of all pixels; None if it masks none."""
    if mask is None or numpy.ndim(mask) > 0:
        return mask
    return numpy.broadcast_to(mask, shape) if mask else None


def unwrapped(image: Any) -> tuple[Any, Any]:
    """The pixels of an array or an NDData, and their mask; the mask is None if nothing is masked."""
    if not is_nddata(image):
        return parted(image)
    pixels, own = parted(getattr(image.data, "value", image.data))
    mask = mask_for(getattr(image, "mask", None), numpy.shape(pixels))
    return pixels, own if mask is None else mask if own is None else numpy.asarray(mask, bool) | own


def filled(values: Any, filler: Any) -> Any:
    """The array, with `filler` in its masked elements."""
    values, mask = parted(values)
    return values if mask is None else numpy.where(mask, values.dtype.type(filler), values)


def host_array(values: Any, name: str) -> Any:
    """`values` as a NumPy array, without a copy if it is one. Values on a device are an error that names the device."""
    if isinstance(values, numpy.ndarray):
        return values
    try:
        array = host_dlpack(values, name) if not hasattr(values, "__array__") else None
        if array is None:
            array = numpy.asarray(values)
    except (InputError, DeviceError):
        raise
    except Exception as error:
        raise not_lent(name, error, "is no array") from error
    if array.dtype == object:
        raise InputError(f"{name}: {type(values).__name__} is no array of numbers" + (
            "; give an array, the path of a FITS file, its contents, an HDU or an NDData" if name.endswith("image") else ""))
    return array
