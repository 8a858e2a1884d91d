"""File inputs of the compiled half: paths, and contents in memory or from objects with .read()."""
import contextlib
import errno
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy

from srcextract import columns, places, remote
from srcextract.arguments import require
from srcextract.arrays import parted
from srcextract.errors import InputError, SrcextractError


class Contents:
    """A file's contents, with a path that this process can read, and a name for messages."""

    path: str
    name: str
    is_empty: bool = False  # of a table of positions: none was given, and the one row is to be left out
    further: tuple[str, ...] = ()  # of a table of positions: columns that are no positions

    def __init__(self, path: str, name: str, file: IO[bytes] | None = None) -> None:
        self.path, self.name, self._file = path, name, file

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def renamed(self, text: str) -> str:
        """The text, with the path replaced by the name."""
        return text.replace(self.path, self.name) if self.path != self.name else text


def _memory(name: str) -> tuple[Contents, IO[bytes]]:
    """A new file without a directory entry: in memory, or on disk if there is no room."""
    try:
        file: IO[bytes] = os.fdopen(os.memfd_create("srcextract"), "w+b")
    except (AttributeError, OSError):
        file = tempfile.TemporaryFile()  # Contents.close() closes it
    return Contents(f"/proc/self/fd/{file.fileno()}", name, file), file


def _of_path(path: Any, name: str | None = None) -> Contents:
    path = os.fsdecode(os.fspath(path))
    if not path or "\0" in path:
        raise InputError(f"{path!r} is no path of a file; name a FITS file, or give the array itself")
    return Contents(path_text(path), path if name is None else printable(name))


def path_text(path: Any) -> str:
    """The path as text for the compiled half."""
    text = os.fsdecode(os.fspath(path))
    if not is_text(text):
        raise InputError(f"{text!r}: the name of the file is not UTF-8, or has a NUL; rename it, or link to it by another name; an "
                         "image may also be open(path, 'rb')")
    return text


def is_text(text: str) -> bool:
    """Whether the text can be passed to the compiled half: valid UTF-8 without NUL."""
    return printable(text) == text and "\0" not in text


def printable(name: Any) -> str:
    """A name as text, with \\x.. for bytes that are not UTF-8."""
    return str(name).encode(errors="backslashreplace").decode()


def of_bytes(contents: Any, name: str) -> Contents:
    """Contents from bytes."""
    made, file = _memory(name)
    file.write(contents)
    file.flush()
    return made


def _of_readable(source: Any, name: str) -> Contents:
    if isinstance(source, io.TextIOBase):
        raise InputError(f"{name}: is open as text; open it with mode 'rb'")
    if getattr(source, "closed", False):
        raise InputError(f"{name}: is closed; open it again, or give its path")
    if isinstance(source, (io.BufferedReader, io.BufferedRandom, io.FileIO)) and isinstance(name, str):
        with contextlib.suppress(OSError, ValueError):
            source.flush()
            if os.path.samestat(os.stat(name), os.fstat(source.fileno())):
                return Contents(name, name)
    made, file = _memory(name)
    try:
        if getattr(source, "seekable", lambda: False)():
            source.seek(0)
        shutil.copyfileobj(source, file, 1 << 20)
        file.flush()
    except BaseException as error:
        made.close()
        if isinstance(error, TypeError):
            raise InputError(f"{name}: its read() does not return bytes: {error}") from error
        if isinstance(error, Exception) and remote.is_of_network(error):
            raise InputError(f"{name}: {remote.reason(error, name)}") from error
        if isinstance(error, (OSError, ValueError, EOFError, zlib.error)):
            raise InputError(f"{name}: cannot be read: {str(error) or type(error).__name__}") from error
        raise
    return made


def _fetched(image: Any, name: str) -> Contents:
    made, _ = _memory(name)
    try:
        remote.fetch(image, name, made.path)
    except BaseException:
        made.close()
        raise
    return made


def is_contents(image: Any) -> bool:
    """Whether it is the contents of a file: a path, an address, bytes, or an object with read()."""
    if image is None or isinstance(image, numpy.ndarray):  # as most are, and the rest takes microseconds
        return False
    return isinstance(image, (str, os.PathLike, bytes, bytearray, memoryview)) or _is_to_be_opened(image) or (
        callable(getattr(image, "read", None)) and not hasattr(image, "uncertainty") and not hasattr(image, "__array__"))


def _is_to_be_opened(image: Any) -> bool:
    """Whether it is an unopened file as from fsspec.open."""
    return all(hasattr(image, word) for word in ("fs", "path", "open", "__enter__"))


def contents_of(image: Any, name: str | None = None) -> Contents | None:
    """`Contents` of a path, an address, bytes or a file object; None for other objects.

    A file object is read from its beginning. A Python file that still has its name is read by its path.
    """
    if not is_contents(image):
        return None
    if remote.is_address(image):
        return _fetched(image, printable(name or remote.shown(image)))
    if isinstance(image, (str, os.PathLike)):
        return _of_path(image, name)
    if isinstance(image, (bytes, bytearray, memoryview)):
        return of_bytes(image, printable(name or "the bytes"))
    if _is_to_be_opened(image):
        if callable(getattr(image.fs, "get_file", None)) and not getattr(image, "compression", None):
            return _fetched(image, printable(name or getattr(image, "full_name", image.path)))
        with image as file:
            return _of_readable(file, printable(name or image.path))
    own = getattr(image, "name", None) or getattr(image, "path", None)
    own = os.fsdecode(own) if isinstance(own, (str, bytes)) and own else None
    return _of_readable(image, printable(name or own or "the file object"))


@contextlib.contextmanager
def told_by_name(*several: Contents | None) -> Iterator[None]:
    """Replaces paths by names in error messages; closes the contents at the end."""
    contents = [one for one in several if one is not None]
    try:
        yield
    except SrcextractError as error:
        text = str(error)
        for one in contents:
            text = one.renamed(text)
            if isinstance(error, InputError) and text == f"{one.path}: cannot open the file: {os.strerror(errno.ENOENT)}":
                text += "" if os.path.isabs(one.path) else f"; the path begins at the working directory, {os.getcwd()}"
        if text == str(error):
            raise
        raise type(error)(text) from None
    finally:
        for one in contents:
            one.close()


def _as_table(positions: Any) -> Any:
    array = None if hasattr(positions, "keys") or hasattr(positions, "table") else places.array_of_places(positions)
    if array is not None and not array.dtype.names:
        raise InputError("the positions: a path, a table with columns X and Y (the centre of the first pixel is 1), x and y (it is "
                         f"0), or RA and DEC (degrees), or an array of shape (n, 2) with x and y; not {type(positions).__name__} of shape "
                         f"{array.shape}")
    require("astropy", "a table of positions")
    from astropy.table import Table
    if hasattr(positions, "table") and hasattr(positions, "columns"):  # Catalogue
        return positions.table
    if not isinstance(positions, Table) and hasattr(positions, "iloc"):  # DataFrame
        frame = positions.rename(columns=str)
        made = {name: columns.plain(name, frame[name]) for name in frame.columns}
        positions = {name: values for name, values in made.items() if values is not None}
    table = Table(positions if array is None else array)
    for name in table.colnames:
        values = columns.plain(name, table[name])
        if values is None:
            table.remove_column(name)
        elif values is not table[name]:
            table.replace_column(name, values)
    return table


def _in_degrees(unit: Any) -> float:
    """Factor from an angular unit to degrees; 1 for other units."""
    return float(unit.to("deg")) if hasattr(unit, "is_equivalent") and unit.is_equivalent("deg") else 1.0


def _numbers_of(column: Any) -> Any:
    """The numbers of a column, NaN where masked; angles in degrees."""
    factor = _in_degrees(getattr(column, "unit", None))
    values, mask = parted(column if isinstance(column, numpy.ndarray) else numpy.asarray(column))
    numbers = factor * numpy.array(values, float)
    if mask is not None:
        numbers[mask] = numpy.nan
    return numbers


def columns_of_positions(positions: Any, origin: Any = None) -> dict[str, list[float]]:
    """The columns of a table of positions that measuring in a single image uses."""
    positions = places.usual(positions, origin=origin)
    if not hasattr(positions, "keys"):
        array = places.array_of_places(positions)
        rows = _numbers_of(array) if places.is_of_places(array) else None
        if rows is None and not array.dtype.names:
            raise InputError("the positions: a table with X_IMAGE and Y_IMAGE, or an array of shape (n, 2) with x and y; not "
                             f"a {type(positions).__name__} of shape {array.shape}")
        positions = array if rows is None else {"X": rows[:, 0], "Y": rows[:, 1]}
    names = list(positions.dtype.names if hasattr(positions, "dtype") and positions.dtype.names else positions.keys())
    capitals = {str(name).upper(): name for name in reversed(names)}
    called = {f"{axis}_IMAGE": next((capitals[name] for name in (f"{axis}_IMAGE", axis) if name in capitals), None)
              for axis in "XY"}
    shape = ["A_IMAGE", "B_IMAGE", "THETA_IMAGE"]
    for name in ["NUMBER"] + [*shape, "KRON_RADIUS"] * all(name in capitals for name in shape):
        if name in capitals:
            called[name] = capitals[name]
    if called["X_IMAGE"] is None or called["Y_IMAGE"] is None:
        raise InputError(f"the positions have no X_IMAGE and Y_IMAGE (or X and Y); they have {', '.join(map(str, names))}")
    for name in {"X_IMAGE", "Y_IMAGE", *shape[:2]} & set(called):
        places.require_pixels(positions[called[name]])
    try:
        columns = {name: _numbers_of(positions[own]).ravel() for name, own in called.items()}
    except (TypeError, ValueError) as error:
        raise InputError(f"the positions: these are no numbers: {error}") from error
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise InputError("the positions: columns are not of one length")
    for name in "X_IMAGE", "Y_IMAGE", *(["NUMBER"] if "NUMBER" in columns else []):
        wrong = numpy.flatnonzero(~numpy.isfinite(columns[name]))
        if wrong.size:
            raise InputError(f"the positions: {called[name]} of row {wrong[0] + 1} is masked or not finite; leave such rows out")
    numbers = columns.get("NUMBER", numpy.empty(0))
    if numpy.any((numbers != numpy.rint(numbers)) | (numpy.abs(numbers) >= 2.0**31)):
        raise InputError(f"the positions: {called['NUMBER']} has other values than whole numbers of 32 bits; leave the column out")
    return {name: values.tolist() for name, values in columns.items()}


def positions_of(positions: Any, header: Callable[[], str], origin: Any = None) -> Contents | None:
    """`Contents` of a table of positions; None for None. `header` returns the header cards of the image."""
    if positions is None:
        return places.usual(None, header, origin)
    positions = places.of_one_row(positions)
    further = places.further_names(positions)
    positions = places.usual(positions, header, origin)
    if isinstance(positions, (str, os.PathLike)):
        return contents_of(positions)
    is_empty = isinstance(positions, numpy.ndarray) and places.is_empty(positions)
    rows = _rows(numpy.ones((1, 2)) if is_empty else positions)
    if rows is not None:
        return _as_positions(of_bytes(rows, "the positions"), is_empty, further)
    try:
        table = _as_table(positions)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, SrcextractError) else InputError(
            f"the positions: these are no columns of a table: {error}") from error
    table, is_empty = _with_degrees(table), len(table) == 0 and bool(table.colnames)
    if is_empty:  # a row that is left out later: the columns of the catalogue are those of any other table
        table = type(table)({name: columns.made_up(name, table[name]) for name in table.colnames})
    return _as_positions(table_contents(table, "the positions"), is_empty, further)


def _as_positions(contents: Contents, is_empty: bool, further: tuple[str, ...]) -> Contents:
    contents.is_empty, contents.further = is_empty, further
    return contents


def _with_degrees(table: Any) -> Any:
    """The table with hours and radians converted to degrees."""
    angles = [name for name in table.colnames if str(getattr(table[name], "unit", None)) in ("hourangle", "rad")]
    table = table.copy(copy_data=False) if angles else table
    for name in angles:
        degrees = _numbers_of(table[name])
        table[name] = degrees
        table[name].unit = "deg"
    return table


def _rows(positions: Any) -> bytes | None:
    """A FITS table from an array of shape (n, 2) with x and y; None for other objects."""
    if hasattr(positions, "keys") or hasattr(positions, "table"):
        return None
    array = places.array_of_places(positions)
    if not places.is_of_places(array):
        return None
    primary = {"SIMPLE": "T", "BITPIX": 8, "NAXIS": 0, "EXTEND": "T"}
    table = {"XTENSION": "'BINTABLE'", "BITPIX": 8, "NAXIS": 2, "NAXIS1": 16, "NAXIS2": len(array), "PCOUNT": 0, "GCOUNT": 1,
             "TFIELDS": 2, "TTYPE1": "'X'", "TFORM1": "'D'", "TTYPE2": "'Y'", "TFORM2": "'D'"}
    values = _numbers_of(array).astype(">f8").tobytes()
    return _header(primary) + _header(table) + values + bytes(-len(values) % 2880)


def _header(cards: dict[str, Any]) -> bytes:
    text = "".join(f"{name:8}= {value if isinstance(value, str) and value[0] == chr(39) else f'{value:>20}'}".ljust(80)
                   for name, value in cards.items()) + "END".ljust(80)
    return text.ljust(-(-len(text) // 2880) * 2880).encode("ascii")


def table_contents(table: Any, name: str) -> Contents:
    """`Contents` of an astropy table."""
    if not all(column.isascii() for column in table.colnames):
        return of_bytes(_ecsv(table), name)
    file = io.BytesIO()
    try:
        table.write(file, format="fits")
    except UnicodeEncodeError:
        return of_bytes(_ecsv(table), name)
    except (TypeError, ValueError) as error:  # astropy.units.UnitScaleError is one
        raise InputError(f"{name}: no FITS file has such a table: {error}") from error
    return of_bytes(file.getbuffer(), name)


def _ecsv(table: Any) -> bytes:
    """The table as ECSV in UTF-8, for text that FITS cannot hold."""
    text = io.StringIO()
    table.write(text, format="ascii.ecsv")
    return text.getvalue().encode()


def fits_contents(header: str, pixels: Any, name: str) -> Contents:
    """`Contents` of an image of real numbers, as a FITS file."""
    if pixels.dtype.kind != "f" or pixels.dtype.itemsize not in (4, 8) or pixels.ndim < 2 or pixels.size == 0:
        raise InputError(f"{name}: an array of shape {pixels.shape} of {pixels.dtype} is no image")
    require("astropy", f"{name} as an array")
    from astropy.io import fits
    file = io.BytesIO()
    told = fits.Header.fromstring(header) if header else fits.Header()
    told.remove("BLANK", ignore_missing=True)  # only valid for integers
    fits.PrimaryHDU(pixels, told).writeto(file, output_verify="silentfix")
    return of_bytes(file.getbuffer(), name)
