"""The further columns of a table of positions, in types that a FITS table has."""
import datetime
from typing import Any

import numpy

from srcextract import places, warned
from srcextract.arrays import parted

# Above this, a real number is no longer next to every integer.
_EXACT = 2**53


def plain(name: str, values: Any) -> Any:
    """A column of numbers or text: times are text in ISO 8601, and what is missing is NaN or empty text. Other columns stay as
    they are. None for objects that neither numbers nor text can stand for."""
    if hasattr(values, "jd1") and hasattr(values, "scale"):
        return _of_time(name, values)
    if hasattr(values, "iloc"):  # of pandas
        values = _of_series(values)
    bare, hidden = parted(values)
    kind = getattr(getattr(bare, "dtype", None), "kind", "")
    if kind == "f" and name.upper() == "NUMBER" and (numpy.asarray(bare) == numpy.rint(bare)).all():
        return bare.astype("i8")  # a row of pandas has one type for all its values
    if kind == "M":
        return _of_dates(numpy.asarray(bare), hidden)
    if kind == "m":
        return numpy.where(_or_none(hidden), numpy.nan, numpy.asarray(bare) / numpy.timedelta64(1, "s"))
    if kind == "O":
        objects: Any = numpy.array(bare, object)
        objects[numpy.broadcast_to(_or_none(hidden), objects.shape)] = None
        return _of_objects(objects)
    if kind == "b" and hidden is not None:
        return numpy.where(hidden, numpy.nan, numpy.asarray(bare, float))
    if kind in "US" and kind and hidden is not None:
        return numpy.where(hidden, bare.dtype.type(), numpy.asarray(bare))
    return values


def _or_none(hidden: Any) -> Any:
    return False if hidden is None else hidden


def _bare(values: Any) -> Any:
    return numpy.asarray(parted(values)[0])


def _of_time(name: str, times: Any) -> Any:
    """Times as text, with as many digits as they need; differences of times as days."""
    hidden = numpy.asarray(getattr(times, "mask", False))
    if not hasattr(times, "isot"):
        from astropy.table import Column
        return Column(numpy.where(hidden, numpy.nan, _bare(times.to_value("jd"))), unit="d")
    if times.scale not in ("utc", "local"):
        warned.warn(f"the positions: {name} has times in {times.scale.upper()}, and the catalogue has them as text, which names "
                    f"no scale; read it as Time(found[{name!r}], scale={times.scale!r})")
    text = times.copy(format="isot")
    text.precision = 9
    digits: Any = _bare(text.value).astype(str)
    while digits.size and text.precision > 3 and (hidden | numpy.char.endswith(digits, "000")).all():
        text.precision -= 3
        digits = numpy.asarray([one[:-3] for one in digits.ravel()]).reshape(digits.shape)
    return numpy.where(hidden, "", digits)


def _of_dates(dates: Any, hidden: Any) -> Any:
    """Dates of NumPy as text, with the unit that has all of them."""
    none = numpy.isnat(dates) | _or_none(hidden)
    unit: Any = next((unit for unit in ("D", "s", "ms", "us") if (none | (dates.astype(f"M8[{unit}]") == dates)).all()), "ns")
    return numpy.where(none, "", numpy.datetime_as_string(dates, unit=unit))


def _of_series(series: Any) -> Any:
    """The values of a column of pandas; a zone of time is made UTC."""
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return series.to_numpy() if isinstance(series.dtype, numpy.dtype) else (
        series.to_numpy(dtype="M8[ns]") if series.dtype.kind == "M" else series.to_numpy(dtype=object))


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant") or (
        isinstance(value, (float, numpy.floating)) and value != value)


def _of_objects(values: Any) -> Any:
    """Numbers or text from objects."""
    there = [one for one in values.ravel() if not _is_missing(one)]
    hidden = numpy.array([_is_missing(one) for one in values.ravel()], bool).reshape(values.shape)
    if there and all(isinstance(one, (bool, numpy.bool_)) for one in there) and len(there) == values.size:
        return values.astype(bool)
    if there and all(isinstance(one, (int, float, numpy.number)) for one in there):
        whole = all(isinstance(one, (int, numpy.integer)) for one in there)
        if whole and len(there) == values.size and all(abs(int(one)) < 2**63 for one in there):
            return values.astype("i8")
        if not whole or all(abs(int(one)) <= _EXACT for one in there):
            return numpy.where(hidden, numpy.nan, values).astype("f8")
    if any(hasattr(one, "__len__") and not isinstance(one, (str, bytes)) for one in there):
        return None
    return numpy.array(["" if missing else _text(one) for one, missing in zip(values.ravel(), hidden.ravel(), strict=True)],
                       str).reshape(values.shape)


def _text(value: Any) -> str:
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def made_up(name: str, values: Any) -> Any:
    """A column of one row, of the type of a column that has none. Without a row, positions may have any type."""
    from astropy.table import Column
    dtype, shape = values.dtype, (1, *values.shape[1:])
    if name.upper() in places.NAMES_OF_NUMBERS and dtype.kind not in "iuf":
        dtype = numpy.dtype("f8")
    text = dtype.kind in "US"
    return Column(numpy.full(shape, "", "U1") if text else numpy.ones(shape, dtype), unit=getattr(values, "unit", None))
