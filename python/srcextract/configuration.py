"""Configurations: a path, a dict, or section__key=value arguments, one after the other."""
import functools
import json
import math
import os
from typing import Any

from srcextract import _core
from srcextract.errors import ConfigError


def _plain(value: Any) -> Any:
    """The value as JSON, which is YAML, has it."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        value = value.tolist() if hasattr(value, "tolist") else value
        return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _as_yaml(value: Any, what: str) -> str:
    if type(value) is int or (type(value) is float and math.isfinite(value)):  # as JSON has it, in a tenth of its time
        return repr(value)
    try:
        return json.dumps(_plain(value), indent=1, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{what}: {value!r} is no value of a configuration: {error}") from error


def settings_of(arguments: dict[str, Any]) -> list[str]:
    """section.key=value of section__key=value arguments."""
    settings = []
    for name, value in arguments.items():
        section, separator, key = name.partition("__")
        if not separator:
            raise TypeError(f"there is no argument '{name}'; keys of the configuration are given as section__key, as "
                            "in detection__threshold=3")
        text = value if isinstance(value, str) and value else _as_yaml(value, name)
        settings.append(f"{section}.{key}={' '.join(text.split()) if not isinstance(value, str) else text}")
    return settings


# What a configuration says of files, which may change from call to call.
_OF_FILES = ("file", "nnw", "/")


@functools.lru_cache(64)
def _read_again(yaml: str, settings: tuple[str, ...], of_difference: bool, segmentation: bool) -> _core.Configuration:
    """One that was read before: reading takes longer than a small image."""
    return _core.Configuration(None, yaml, list(settings), of_difference, segmentation)


def read(config: Any = None, arguments: dict[str, Any] | None = None,
         of_difference: bool = False, segmentation: bool = True) -> _core.Configuration:
    """The configuration of a path, a dict of sections, or the defaults, with arguments on top.

    That of a difference has no use for some keys, which is told. Without `segmentation` catalogues cannot tell it.

    Raises
    ------
    ConfigError
        With the place, the reason, and the key that may be meant.
    """
    settings = settings_of(arguments or {})
    if config is None or isinstance(config, dict):
        yaml = _as_yaml(config, "the configuration") if config else ""
        if any(word in text for text in [yaml, *settings] for word in _OF_FILES):
            return _core.Configuration(None, yaml, settings, of_difference, segmentation)
        return _read_again(yaml, tuple(settings), of_difference, segmentation)
    if isinstance(config, _core.Configuration):
        if settings:
            raise TypeError("an Extractor's configuration is read once; give it the arguments instead")
        return config
    try:
        path = os.fspath(config)
    except TypeError:
        raise TypeError("config is the path of a YAML file, or a dict of sections, as in {'detection': {'threshold': "
                        f"3}}; not a {type(config).__name__}") from None
    return _core.Configuration(os.fsdecode(path), "", settings, of_difference, segmentation)
