"""The compiled half. Its functions raise the classes of srcextract.errors."""
from typing import Any

import numpy
from numpy.typing import NDArray

def version() -> str: ...
def cuda_built() -> bool: ...
def take_log() -> list[tuple[int, str]]:
    """What was logged since the last call: levels of logging (10 to 50), and texts."""

class PlaneArray:
    """Pixels where they lie; raises InputError for a type that pixels cannot have."""
    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], type: str, bscale: float = ...,
                 bzero: float = ..., blank: int | None = ...) -> None: ...

class Configuration:
    """Read and checked; raises ConfigError."""
    def __init__(self, path: str | None, yaml: str, settings: list[str], of_difference: bool = ...) -> None: ...
    @property
    def yaml(self) -> str: ...
    @property
    def takes_planes(self) -> bool: ...

class PixelInputs:
    name: str
    header: str
    primary_header: str
    planes: list[PlaneArray]
    weights: PlaneArray | None
    mask: PlaneArray | None
    level: PlaneArray | None
    def __init__(self) -> None: ...

class FilesWith:
    reference: str
    positions: str
    positions_name: str
    def __init__(self) -> None: ...

class Catalogue:
    name: str
    def __len__(self) -> int: ...
    @property
    def header(self) -> str: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def backend(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def times(self) -> list[tuple[str, float]]: ...
    @property
    def config(self) -> str: ...
    @property
    def sky_level(self) -> float: ...
    @property
    def sky_sigma(self) -> float: ...
    @property
    def masked(self) -> Any: ...
    def columns(self) -> list[tuple[str, NDArray[Any], str, str, str]]:
        """Name, values, unit, UCD, description of each."""
    def background(self) -> NDArray[numpy.float32]: ...
    def rms(self) -> NDArray[numpy.float32]: ...
    def segmentation(self) -> NDArray[numpy.int32]: ...
    def write(self, path: str, format: str | None = ...) -> None:
        """Raises ConfigError, OutputError, StorageError."""

class Extractor:
    """Raises ConfigError, InputError, DeviceError, OutOfMemoryError."""
    def __init__(self, backend: str, devices: list[int], threads: int) -> None: ...
    def extract(self, configuration: Configuration, inputs: PixelInputs, files: FilesWith) -> Catalogue: ...
    def extract_file(self, configuration: Configuration, path: str, files: FilesWith) -> list[Catalogue]: ...

def compare(reference: str, other: str, rules: str, matched: str, threads: int) -> tuple[bool, str, str]:
    """Whether it is within the rules, the report as JSON, and as text. Raises ConfigError, InputError, OutputError."""

def merge(directories: list[str], output: str, partial: bool) -> tuple[int, int, int]:
    """Images, failures, sources. Raises ConfigError, InputError, OutputError."""
