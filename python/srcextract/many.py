"""Many images, several at a time: `extract_many`."""
from __future__ import annotations

import concurrent.futures
import importlib
import itertools
import os
from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from srcextract import _core, asdf_files, configuration, elsewhere, errors, files, remote, warned
from srcextract.arguments import Backend, Config, devices_of, threads_of
from srcextract.catalogue import Catalogue
from srcextract.errors import ConfigError, SrcextractError
from srcextract.failure import Failure
from srcextract.key_types import Keys
from srcextract.pipeline import Extractor

if TYPE_CHECKING:
    from typing_extensions import Unpack

_CLASSES = {"config": errors.ConfigError, "input": errors.InputError, "output": errors.OutputError,
            "storage": errors.StorageError, "memory": errors.OutOfMemoryError, "device": errors.DeviceError,
            "mismatch": errors.MismatchError, "internal": errors.InternalError}


def _bar(progress: bool | None, total: int | None) -> Any:
    """A progress bar, or None."""
    if progress is False:
        return None
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        if progress is True:
            raise ConfigError("progress=True needs tqdm: pip install tqdm") from None
        return None
    return tqdm(total=total, unit="image")


_Results = Generator[elsewhere.Result, None, None]


def _of_paths(batch: _core.Batch) -> _Results:
    """Results of files in order."""
    try:
        while True:
            with warned.kept() as kept:
                result = batch.next()
                if result is None:
                    batch.stop()  # only then all is logged
                warned.pass_on_log()
            if result is None:
                warned.show(kept)
                return
            catalogue = result.take()
            yield (Catalogue(catalogue) if catalogue is not None else
                   Failure(result.name, _CLASSES[result.kind](result.message))), result.last, kept
    finally:
        batch.stop()
        with warned.kept():  # of images that nobody asked for
            warned.pass_on_log()


def _of_arrays(extractor: Extractor, pixels: Iterable[tuple[int, Any]]) -> _Results:
    """Results of arrays, one after the other."""
    for number, image in pixels:
        made: Catalogue | Failure
        kept: warned.Kept = []
        try:
            with warned.kept() as kept:
                made = extractor._extracted(image)
        except SrcextractError as error:
            made = Failure(elsewhere.name_of(image, number), error)
        except Exception as error:  # from the image itself, as its read() or __array__
            kind = errors.OutOfMemoryError if isinstance(error, MemoryError) else errors.InputError
            made = Failure(elsewhere.name_of(image, number), kind(f"{type(image).__name__}: {type(error).__name__}: {error}"))
            made.error.__cause__ = error
        yield made, True, kept


def extract_many(images: Iterable[Any], config: Config = None, *, backend: Backend = "auto", devices: Sequence[int] | None = None,
                 threads: int | None = None, progress: bool | None = None, psf: Any = None, segmentation: bool = True,
                 executor: concurrent.futures.Executor | None = None,
                 **keys: Unpack[Keys]) -> Generator[Catalogue | Failure, None, None]:
    """The catalogues of many images, made as they are asked for.

    Files are extracted several at a time: some are read while others are extracted, on all available GPUs. Results come
    in the order of `images`. Only a few images per thread are extracted ahead.

    Parameters
    ----------
    images : iterable of path or of what `extract` takes
        Consecutive paths are extracted in parallel, and are all taken from the iterable at once. Arrays and addresses
        are taken and extracted one by one.
    config, backend, threads, psf, segmentation, **keys
        As for `Extractor`.
    devices : list of int, optional
        Indices of the GPUs that may be used; None: all.
    progress : bool, optional
        False shows no bar; by default there is a bar if tqdm is installed.
    executor : concurrent.futures.Executor, optional
        Its workers extract the images, each with one thread unless `threads` is given: ProcessPoolExecutor(),
        ``client.get_executor()`` of Dask, ParslPoolExecutor, MPIPoolExecutor, or any other. They need this version of
        srcextract, and files under the same absolute paths. Results, failures and the bar are as without it.

    Returns
    -------
    generator of Catalogue or Failure
        One for each image; several for a file if ``input.hdu`` selects several, in the order of the file. An image that
        cannot be extracted gives a `Failure`, which is false, and does not affect others.

    Raises
    ------
    ConfigError, TypeError
        At once if the configuration is wrong, or `images` is no iterable of images.
    DeviceError, StorageError
        For errors that make every further image futile.
    concurrent.futures.BrokenExecutor
        If the executor lost its workers. One that goes on without a lost worker makes that image a `Failure` of
        `WorkerError`.

    Notes
    -----
    Closing the generator (``close()``, or leaving the loop and dropping it) ends the work under way.
    """
    given: dict[str, Any] = {**keys}
    configuration.settings_of(given)  # raises an error for unknown keys
    indices = devices_of(devices, "devices")
    threads = 1 if threads is None and executor is not None else threads
    extractor = Extractor(config, backend=backend, device=indices or None, threads=threads, psf=psf, segmentation=segmentation, **given)
    if extractor._angles:
        raise ConfigError(f"{next(iter(extractor._angles))} is an angle, and images of several scales have other pixels; give pixels, or "
                          "each image to an Extractor")
    several = _several(images)

    work = _Work(extractor, backend, indices, threads_of(threads))
    total = len(images) if isinstance(images, Sequence) else None
    if executor is None:
        return _shown(work.results(several), progress, total)
    elsewhere.check(executor)
    return _shown(elsewhere.results(executor, work, several, _is_path), progress, total)


class _Work:
    """Extracts images one after the other, and files several at a time; in other processes too."""

    def __init__(self, extractor: Extractor, backend: Backend, devices: list[int], threads: int) -> None:
        self._extractor, self._machine = extractor, (backend, devices, threads)

    def results(self, given: Iterable[Any], first: int = 0) -> _Results:
        """The results. The first image has the number `first`."""
        for are_paths, group in itertools.groupby(enumerate(given, first), lambda item: _is_path(item[1])):
            if are_paths:
                paths = [os.fsdecode(os.fspath(image)) for _, image in group]
                yield from _of_paths(_core.Batch(self._extractor._configuration, paths, *self._machine))
            else:
                yield from _of_arrays(self._extractor, group)

    def __call__(self, image: Any, number: int) -> elsewhere.Results:
        """What a worker does."""
        with warned.kept() as rest:  # of the last image, if its lines came after it
            made = list(self.results([image], number))
        if made:
            made[-1][2].extend(rest)
        return made


def _several(images: Any) -> Iterable[Any]:
    """Raises TypeError if `images` is a single image."""
    if (isinstance(images, (str, bytes, bytearray, memoryview)) or hasattr(images, "read") or getattr(images, "ndim", 0) == 2
            or not isinstance(images, Iterable)):
        raise TypeError("extract_many takes several images, as in [first, second] or pathlib.Path('night').glob('*.fits'), and "
                        f"not a {type(images).__name__}; extract takes one")
    return images


def _is_path(image: Any) -> bool:
    """Whether it can be extracted with others as a path. Invalid paths become a Failure, as arrays do."""
    if not isinstance(image, (str, os.PathLike)) or remote.is_address(image) or asdf_files.is_asdf(image):
        return False
    try:
        return files.contents_of(image) is not None
    except Exception:
        return False


def _shown(made: _Results, progress: bool | None, total: int | None) -> Generator[Catalogue | Failure, None, None]:
    """The results, with a bar and with their warnings."""
    bar = _bar(progress, total)
    try:
        for result, last, kept in made:
            if bar is not None:
                bar.update(1 if last else 0)
            warned.show(kept)
            yield result
    finally:
        made.close()
        if bar is not None:
            bar.close()
