"""Configurations: a path or a dict, and section__key=value arguments, which take precedence."""
import difflib
import functools
import json
import math
import os
import re
from collections.abc import Sequence
from typing import Any

import numpy

from srcextract import _core, angles, files, warned
from srcextract.errors import ConfigError, ConfigWarning
from srcextract.psf import Psf


# More than the largest kernel has; parsing time grows with the square of their number.
_MOST_VALUES = 10_000


def _plain(value: Any, where: str) -> Any:
    """The value as JSON, which is also YAML."""
    if where.endswith(("hdu", "hdus")) and isinstance(value, tuple) and [type(one) for one in value] == [str, int]:
        return "{},{}".format(*value)  # ('SCI', 2) of astropy
    if isinstance(value, dict):
        return {str(key): _plain(item, _place(key, where)) for key, item in value.items()}
    if hasattr(value, "unit") and hasattr(value, "to_value"):
        number = value.value if not str(value.unit) else angles.plain_of(value, where)
        if number is not None:
            return _plain(number, where)
        raise ConfigError(f"{where} is in {value.unit}, and this key is a number in the unit that docs/configuration.md tells; "
                          "give .value, or .to_value(unit)")
    shape = getattr(value, "shape", ())
    if len(shape) > 1 and not where.endswith(("convolve__values", "convolve.values")) or math.prod(shape) > _MOST_VALUES:
        raise ConfigError(f"{where} is an array of shape {tuple(shape)}, and a key has a number, text, or a short list; maps of "
                          "every pixel are weight=, error= and mask= of extract, and what is masked in an image of numpy.ma")
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        value = value.tolist() if hasattr(value, "tolist") else value
        return [_plain(item, where) for item in value] if isinstance(value, (list, tuple)) else value
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _place(key: Any, where: str) -> str:
    return str(key) if where == "the configuration" else f"{where}.{key}"


def _values_in(value: Any) -> int:
    """The number of numbers in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(_values_in, value)) if isinstance(value, list) else not isinstance(value, str)


def _as_yaml(value: Any, what: str) -> str:
    if type(value) is int or (type(value) is float and math.isfinite(value)):  # as in JSON, but ten times faster
        return repr(value)
    plain = _plain(value, what)
    if (count := _values_in(plain)) > _MOST_VALUES:
        raise ConfigError(f"{what} has {count} values, and a key has a number, text, or a short list")
    try:
        return json.dumps(plain, indent=1 if isinstance(plain, dict) else None, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError):
        where, wrong = _wrong_in(plain, what) or (what, value)
        why = "numbers are finite" if isinstance(wrong, float) else "values are numbers, text, True, False, and lists of these"
        raise ConfigError(f"{where}={shortened(repr(wrong))} is no value of a configuration: {why}") from None


def shortened(text: str, most: int = 200) -> str:
    """The text; a longer one is cut in the middle."""
    return text if len(text) <= most else f"{text[:most // 2]} ... {text[-most // 4:]}"


def _wrong_in(value: Any, where: str) -> tuple[str, Any] | None:
    """The first value that no configuration can have, and its place."""
    if isinstance(value, dict):
        inner = [(_place(key, where), item) for key, item in value.items()]
    elif isinstance(value, list):
        inner = [(f"{where}[{at}]", item) for at, item in enumerate(value)]
    elif isinstance(value, float):
        return None if math.isfinite(value) else (where, value)
    else:
        return None if value is None or isinstance(value, (str, int)) else (where, value)
    return next((found for place, item in inner if (found := _wrong_in(item, place))), None)


@functools.cache
def _keys() -> tuple[str, ...]:
    """All keys of the configuration, as arguments."""
    keys, section = [], ""
    for line in _core.Configuration(None, "", []).yaml.splitlines():
        name, colon, _ = line.strip().partition(":")
        if colon and name.isidentifier() and not line.startswith(" "):
            section = name
        elif colon and name.isidentifier() and line.startswith("  ") and not line.startswith("   "):
            keys.append(f"{section}__{name}")
    return tuple(keys)


def meant(name: str) -> str:
    """Suggestion of a valid argument, to follow an invalid one in a message."""
    keys = _keys()
    plain = name.replace(".", "__").lower()
    near = [key for key in keys if plain in (key, key.replace("__", "_"), key.partition("__")[2])]
    near = near or difflib.get_close_matches(plain, keys, 1, 0.8)
    if not near:
        names = difflib.get_close_matches(plain, {key.partition("__")[2] for key in keys}, 1, 0.8)
        near = [key for key in keys if names and key.partition("__")[2] == names[0]]
    return f"; did you mean {' or '.join(near[:3])}?" if near else ""


def _check_sections(config: dict[Any, Any]) -> None:
    for name, value in config.items():
        if not isinstance(value, dict) and ("." in str(name) or meant(str(name))) and not any(
                key.startswith(f"{name}__") for key in _keys()):
            raise ConfigError(f"the configuration: '{name}' is no section; a dict has sections with their keys, as in "
                              f"{{'detection': {{'threshold': 3}}}}{meant(str(name)).replace('__', '.')}")


def with_kernel(keys: dict[str, Any], prefix: str = "convolve__") -> dict[str, Any]:
    """Keys of a convolution, where an array as the kernel, or a Kernel2D of astropy, is its values."""
    kernel = keys.get(f"{prefix}kernel")
    if kernel is None or isinstance(kernel, str):
        return keys
    rows = numpy.asarray(getattr(kernel, "array", kernel))
    if rows.ndim != 2 or rows.dtype.kind not in "iuf":
        raise ConfigError(f"{prefix}kernel: an array of 2 axes, or gaussian, tophat, mexican_hat or file; not {shortened(repr(kernel))}")
    return {**keys, f"{prefix}kernel": "values", f"{prefix}values": rows.astype(float)}


def settings_of(arguments: dict[str, Any]) -> list[str]:
    """section.key=value settings from section__key=value arguments."""
    settings = []
    for name, value in with_kernel(arguments).items():
        section, separator, key = name.partition("__")
        if not separator:
            raise TypeError(f"there is no argument '{name}'; keys of the configuration are given as section__key, as "
                            f"in detection__threshold=3{meant(name)}")
        settings.append(f"{section}.{key}={_as_text(value, name)}")
    return settings


# Text that YAML reads as more than a word: a number, True, False, a list, a map, or a quoted text.
_OF_YAML = re.compile(r"""[-+]?[.\d][-+.\deE]*|[-+]?\.inf|true|false|\[.*\]|\{.*\}|'.*'|".*\"""",
                      re.IGNORECASE | re.DOTALL).fullmatch


def _as_text(value: Any, name: str) -> str:
    """A value as written after the = of a setting. A text that names a file stays text, and is not read as YAML."""
    if isinstance(value, str) and _OF_YAML(value.strip()) and not name.endswith(("__file", "__nnw", "__level")):
        return value
    text = _as_yaml(value, name)
    return " ".join(text.splitlines()) if isinstance(value, dict) else text


# Parts of a configuration that name files, whose contents may change between calls.
_OF_FILES = ("file", "nnw", "/")
_OWN = ("default", "none", "radio", "crowd")


def extends_file(config: dict[str, Any]) -> bool:
    """Whether the configuration changes that of a file, and not one of srcextract's own."""
    return config.get("extends", "default") not in _OWN


def names_files(config: Any, texts: Sequence[str]) -> bool:
    """Whether a configuration may depend on files. `texts` has all of a dict and of settings."""
    is_path = config is not None and not isinstance(config, dict)
    return is_path or extends_file(config or {}) or any(word in text for text in texts for word in _OF_FILES)


def read_text(yaml: str, settings: Sequence[str], of_difference: bool, segmentation: bool, of_reference: Sequence[str],
              of_files: bool, psf: Psf | None = None) -> _core.Configuration:
    """As `read_settings`. Reading takes longer than extracting a small image, so one that is not `of_files` is cached."""
    if of_files or psf is not None:
        return read_settings(None, yaml, list(settings), of_difference, segmentation, of_reference, psf)
    return _read_again(yaml, tuple(settings), of_difference, segmentation, tuple(of_reference))


@functools.lru_cache(64)
def _read_again(yaml: str, settings: tuple[str, ...], of_difference: bool, segmentation: bool,
                of_reference: tuple[str, ...]) -> _core.Configuration:
    return read_settings(None, yaml, list(settings), of_difference, segmentation, of_reference)


def read_settings(path: str | None, yaml: str, settings: list[str], of_difference: bool = False,
                  segmentation: bool = True, of_reference: Sequence[str] = (), psf: Psf | None = None) -> _core.Configuration:
    """The configuration, with settings `of_reference` for the reference alone, and `psf` in place of psf.file; ConfigError
    shortens long values."""
    for text in (yaml, *settings, *of_reference):
        if not files.is_text(text) or "\\u0000" in text:
            raise ConfigError(f"{shortened(text)!r}: a value is not UTF-8, or has a NUL; a file of such a name has to be renamed, "
                              "or linked to by another")
    try:
        made = _core.Configuration(path, yaml, settings, of_difference, segmentation, list(of_reference),
                                   None if psf is None else psf._made)
        if made.note:
            warned.warn(made.note, ConfigWarning)
        return made
    except ConfigError as error:
        text = str(error)
        for setting in (*settings, *of_reference):
            text = text.replace(setting, shortened(setting))
        if text == str(error):
            raise
        raise ConfigError(text) from None


def read(config: Any = None, arguments: dict[str, Any] | None = None,
         of_difference: bool = False, segmentation: bool = True,
         reference_set: dict[str, Any] | None = None, psf: Psf | None = None) -> _core.Configuration:
    """The configuration from a path, a dict of sections, or the default one, with arguments on top.

    With `of_difference`, keys without use for a difference are errors. Without `segmentation`, catalogues have none.
    `reference_set` has keys of the reference alone. `psf` is that of the image.

    Raises
    ------
    ConfigError
        With the place, the reason, and the key that may be meant.
    """
    settings, of_reference = settings_of(arguments or {}), settings_of(reference_set or {})
    if config is None or isinstance(config, dict):
        _check_sections(config or {})
        if config and isinstance(config.get("convolve"), dict):
            config = {**config, "convolve": with_kernel(config["convolve"], "")}
        yaml = "" if config is None else _as_yaml(config, "the configuration") or "{}"
        return read_text(yaml, settings, of_difference, segmentation, of_reference, names_files(config, [yaml, *settings, *of_reference]),
                         psf)
    try:
        path = os.fspath(config)
    except TypeError:
        raise TypeError("config is the path of a YAML file, or a dict of sections, as in {'detection': {'threshold': 3}}; not "
                        f"{config!r:.60} of the type {type(config).__name__}") from None
    return read_settings(files.path_text(path), "", settings, of_difference, segmentation, of_reference, psf)


# Below this many sigma of the filtered image, noise makes many sources.
_LEAST_SIGMA = 3


def warn_of_unit(config: Any, keys: dict[str, Any], read: _core.Configuration) -> None:
    """Warns of a low threshold whose unit the caller did not name: other programs count in the noise of a pixel."""
    inner = config.get("detection") if isinstance(config, dict) else None
    given = {**(inner if isinstance(inner, dict) else {}),
             **{key.removeprefix("detection__"): value for key, value in keys.items() if key.startswith("detection__")}}
    try:
        threshold = float(given["threshold"])
    except (KeyError, TypeError, ValueError):
        return
    if threshold >= _LEAST_SIGMA or "threshold_unit" in given:
        return
    sections = _sections(read.yaml)
    if (sections["detection"]["threshold_unit"] != "detection_sigma" or (sections["convolve"]["kernel"] == "none" and sections["convolve"]["median"] == "false")
            or float(sections["detection"]["false_discovery_rate"]) != 0):
        return
    warned.warn(f"detection__threshold={given['threshold']!r} counts in the noise of the filtered image, which exceeds it in many places, "
                "so many sources may be noise. SEP, photutils and SExtractor count in the noise of a pixel: add "
                "detection__threshold_unit='sigma'. To keep the unit and silence this, add "
                "detection__threshold_unit='detection_sigma'", ConfigWarning)


def _sections(yaml: str) -> dict[str, dict[str, str]]:
    """The values of a whole configuration, as text, by section and key."""
    sections: dict[str, dict[str, str]] = {}
    section = ""
    for line in yaml.splitlines():
        name, _, value = line.strip().partition(": ")
        if not line.startswith(" "):
            section = name.rstrip(":")
        sections.setdefault(section, {})[name] = value
    return sections


def hdu_of(yaml: str) -> list[str]:
    """input.hdu of a whole configuration, of which files may be gone."""
    return _core.Configuration(None, "", [f"input.hdu={_sections(yaml)['input']['hdu']}"]).hdu


def maps_of_file(yaml: str, path: str, given: Sequence[str]) -> dict[str, Any]:
    """Keys that say that the maps which a configuration names by their HDU alone are in this file, unless they are `given`."""
    sections = _sections(yaml)
    return {f"{one}__file": path for one in ("mask", "weights", "flags") if one not in given and sections.get(one, {}).get("file") == "''"
            and sections[one].get("hdu") != "auto"}
