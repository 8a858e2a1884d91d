"""What stands for an image that could not be extracted."""
from typing import Literal

from srcextract.errors import SrcextractError


class Failure:
    """The result for an image that could not be extracted. A failure is false; a `Catalogue` is true, even without
    sources.

    Parameters
    ----------
    name : str
        The image's path, with the HDU if the file has several.
    error : SrcextractError
        The reason; raise it to stop there.
    """

    def __init__(self, name: str, error: SrcextractError) -> None:
        self.name: str = name
        self.error: SrcextractError = error

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return f"<Failure of {self.name}: {type(self.error).__name__}: {self.error}>"
