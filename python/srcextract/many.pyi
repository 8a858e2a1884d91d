"""Types of `extract_many`."""
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from srcextract.catalogue import Catalogue
from srcextract.errors import SrcextractError

class Failure:
    name: str
    error: SrcextractError
    def __init__(self, name: str, error: SrcextractError) -> None: ...
    def __bool__(self) -> Literal[False]: ...

def extract_many(images: Iterable[Any], config: Any = None, *, backend: str = "auto", devices: list[int] | None = None,
                 threads: int | None = None, progress: bool | None = None,
                 **keys: Any) -> Iterator[Catalogue | Failure]: ...
