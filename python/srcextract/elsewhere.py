"""Images extracted by the workers of an executor: processes, Dask, Parsl, MPI, Ray."""
from __future__ import annotations

import collections
import concurrent.futures
import os
import pickle
import threading
from collections.abc import Callable, Generator, Iterable
from typing import Any

from srcextract import asdf_files, remote, warned
from srcextract.catalogue import Catalogue
from srcextract.errors import OutOfMemoryError, SrcextractError, WorkerError
from srcextract.failure import Failure

# A result, whether it is the last of its image, and the warnings to show with it.
Result = tuple[Catalogue | Failure, bool, warned.Kept]
Results = list[Result]

# Images that are with the executor or wait to be taken: for each of its workers, and for all where it does not count them.
_FOR_EACH, _FOR_ALL = 4, 256

_of_thread = threading.local()


def _work(state: bytes, image: Any, number: int, name: str | None) -> Results:
    """What a worker does: the results of an image, or of all images of a file. Its function is kept for the next image."""
    if getattr(_of_thread, "state", None) != state:
        _of_thread.state, _of_thread.function = state, pickle.loads(state)
    made: Results = _of_thread.function(image, number)
    if name is not None:
        for result, _, kept in made:
            _rename(result, str(image), name)
            kept[:] = [(text.replace(str(image), name), kind) for text, kind in kept]
    return made


def _rename(result: Catalogue | Failure, path: str, name: str) -> None:
    """Gives a result the name that the path was given by."""
    if isinstance(result, Failure):
        result.name = result.name.replace(path, name, 1)
        result.error = type(result.error)(str(result.error).replace(path, name))
    else:
        result._made.name = result.name.replace(path, name, 1)


def name_of(image: Any, number: int) -> str:
    """What a failure calls an image that is no path."""
    if asdf_files.is_asdf(image):
        return os.fsdecode(image)
    return remote.shown(image) if remote.is_address(image) else f"image {number}"


def check(executor: Any) -> None:
    """Raises TypeError for what is no executor."""
    if not isinstance(executor, concurrent.futures.Executor):
        hint = "; give client.get_executor()" if hasattr(executor, "get_executor") else ""
        raise TypeError("executor is a concurrent.futures.Executor, as ProcessPoolExecutor() or Dask's client.get_executor(), and not a "
                        f"{type(executor).__module__}.{type(executor).__name__}{hint}")


def results(executor: concurrent.futures.Executor, function: Callable[[Any, int], Results], given: Iterable[Any],
            is_path: Callable[[Any], bool]) -> Generator[Result, None, None]:
    """The results of images in their order.

    An image whose worker is lost is a Failure, unless the executor itself is broken.
    """
    state = pickle.dumps(function)
    workers = getattr(executor, "_max_workers", None)
    most = _FOR_EACH * workers if isinstance(workers, int) else _FOR_ALL
    waiting: collections.deque[tuple[str, concurrent.futures.Future[Results] | Exception]] = collections.deque()

    def submit(number: int, image: Any) -> None:
        if is_path(image):
            name = os.fsdecode(os.fspath(image))
            # A worker may have another working directory.
            path = os.path.abspath(name)
            arguments = path, number, None if path == name else name
        else:
            name, arguments = name_of(image, number), (image, number, None)
        try:
            waiting.append((name, executor.submit(_work, state, *arguments)))
        except concurrent.futures.BrokenExecutor:
            raise
        except Exception as error:  # the image cannot be sent
            waiting.append((name, error))

    try:
        numbered = iter(enumerate(given))
        for number, image in numbered:
            submit(number, image)
            if len(waiting) >= most:
                yield from _taken(*waiting.popleft())
        while waiting:
            yield from _taken(*waiting.popleft())
    finally:
        for _, future in waiting:
            if isinstance(future, concurrent.futures.Future):
                future.cancel()


def _taken(name: str, future: concurrent.futures.Future[Results] | Exception) -> Results:
    """The results of one image, once its worker is done."""
    try:
        if isinstance(future, Exception):
            raise future
        return future.result()
    except (concurrent.futures.BrokenExecutor, SrcextractError):
        raise
    except Exception as error:
        kind = OutOfMemoryError if isinstance(error, MemoryError) else WorkerError
        failure = kind(f"{name}: no worker extracted it: {type(error).__name__}: {error}")
        failure.__cause__ = error
        return [(Failure(name, failure), True, [])]
