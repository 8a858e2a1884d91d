"""The keys of the configuration in words, and their names for whoever completes a call."""
import functools
import inspect
import json
import pathlib
import re
import sys
import textwrap
from typing import Any

from srcextract import arguments, configuration, key_types
from srcextract.errors import ConfigError


@functools.cache
def _sections() -> dict[str, dict[str, Any]]:
    """Each section of config/schema.json."""
    declared = json.loads((pathlib.Path(__file__).parent / "schema.json").read_text(encoding="utf-8"))["properties"]
    return {name: section for name, section in declared.items() if "properties" in section}


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    ")


def _limits(declared: dict[str, Any]) -> str:
    """Which values a key can have, if the schema names them."""
    if "enum" in declared:
        return "One of " + ", ".join(map(repr, declared["enum"]))
    bounds = [("minimum", "at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"), ("exclusiveMaximum", "below")]
    return ", ".join(f"{word} {declared[bound]}" for bound, word in bounds if bound in declared).capitalize()


def _shown(name: str, declared: dict[str, Any]) -> str:
    default = f" = {declared['default']!r}" if "default" in declared else ""
    lines = [f"{name}{default}", _paragraph(declared.get("description", ""))]
    return "\n".join(lines + ([_paragraph(_limits(declared) + ".")] if _limits(declared) else []))


def keys(word: str | None = None) -> None:
    """Prints keys of the configuration: name, default, meaning, and the values that are allowed.

    Parameters
    ----------
    word : str, optional
        A section, as ``"detection"``; or a part of the names of keys, as ``"threshold"``, or of their descriptions. None:
        all sections.

    Raises
    ------
    ConfigError
        If no key has the word.

    Examples
    --------
    >>> import srcextract as sx
    >>> sx.keys("min_area")
    detection__min_area = 5
        Sources of fewer pixels are dropped; 0 = a third of the beam, at least 3 (with fit.model:
        gaussians)
        At least 1.
    """
    if word is None:
        print("\n".join(f"{name}\n{_paragraph(section.get('description', ''))}" for name, section in _sections().items()))
        return
    every = {f"{name}__{key}": declared for name, section in _sections().items() for key, declared in section["properties"].items()}
    wanted = word.replace(".", "__").lower()
    found = ([name for name in every if name.partition("__")[0] == wanted] or [name for name in every if wanted in name]
             or [name for name in every if wanted in every[name].get("description", "").lower()])
    if not found:
        raise ConfigError(f"no key has {word!r} in its name or description; sections are {', '.join(_sections())}{configuration.meant(word)}")
    print("\n".join(_shown(name, every[name]) for name in found))


def names_of(function: Any) -> list[str]:
    """The keys that a function of srcextract takes as ``**keys``; none for other objects."""
    function = function.__init__ if inspect.isclass(function) else function
    if not str(getattr(function, "__module__", "")).startswith("srcextract"):
        return []
    told = [re.fullmatch(r"Unpack\[(\w+)\]", str(kind)) for kind in getattr(function, "__annotations__", {}).values()]
    kinds = [getattr(arguments, one[1], None) or getattr(key_types, one[1]) for one in told if one]
    return [name for kind in kinds for name in kind.__annotations__]


# The innermost call that is not closed, at the end of a line.
_OPEN_CALL = re.compile(r"([\w.]+)\s*\((?:[^()]|\([^()]*\))*$")


def _named(path: str, names: dict[str, Any]) -> Any:
    """The object of a dotted name; None if there is none. Only attributes of modules are looked up: others may run code."""
    first, *rest = path.split(".")
    one = names.get(first)
    for name in rest:
        one = vars(one).get(name) if inspect.ismodule(one) else None
    return one


def offer_to_ipython() -> None:
    """Lets IPython and Jupyter complete keys in a call, as in ``extract(image, det``."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    matchers = getattr(getattr(shell, "Completer", None), "custom_matchers", None)
    if not isinstance(matchers, list):
        return

    def srcextract_keys(text: str) -> list[str]:
        call = _OPEN_CALL.search(shell.Completer.text_until_cursor)
        names = names_of(_named(call[1], shell.user_ns)) if call and text else []
        return [f"{name}=" for name in names if name.startswith(text)]

    matchers.append(srcextract_keys)
