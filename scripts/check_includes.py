#!/usr/bin/env python3
"""Checks the structure of the code: that includes between its rooms (folders, and the subfolders of those in DIVIDED) go
one way and in no circle, nor in a circle between the subfolders of a room or the modules of the Python package, that a
third-party library stays in the rooms that know it, that tests/ mirrors the rooms, and that nothing is defined twice.
Prints each violation as file:line and exits 1."""
import ast
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

NOUNS = {"stages/core", "stages/catalogue", "stages/math", "stages/settings"}

# What a room may include of ours, besides itself and NOUNS. "x/" is every room of x, less what it would make a circle with.
ALLOWED = {
    "stages/core": set(),
    "stages/catalogue": {"stages/core"},
    "stages/math": {"stages/core"},
    "stages/settings": {"stages/core", "stages/catalogue", "stages/math"},
    "stages/": {"stages/"},
    "config": set(),
    "pipeline/chain": {"config", "stages/"},
    "cuda/device": set(),
    "cuda": {"cuda/"},
    "cuda/": {"stages/", "cuda/"},
    "pipeline/engine": {"config", "stages/", "cuda/", "pipeline/chain"},
    "io/": {"io/"},
    "regression/": {"config", "regression/"},
    "survey/": {"config", "io/", "survey/"},
    "sextractor": {"config", "io/"},
    "pipeline/": {"config", "stages/", "io/", "regression/", "sextractor", "survey/", "cuda/device", "cuda/ingest",
                  "pipeline/"},
    "pipeline": {"config", "stages/", "io/", "regression/", "sextractor", "survey/", "cuda/device", "cuda/ingest",
                  "pipeline/"},
    "python/": {"config", "stages/", "io/", "regression/", "sextractor", "survey/", "cuda/", "pipeline/", "python/"},
}

# Where a library's headers may be included.
LIBRARIES = {
    r"(fitsio2?|longnam|drvrsmem)\.h|wcslib/.*|wcs\w*\.h|(zlib|expat|png|zstd|snappy|avro)\.h": {"io"},
    r"yaml-cpp/.*": {"config", "io"},
    r"CLI/.*": {"pipeline"},
    r"spdlog/.*": {"pipeline", "python"},
    r"nanobind/.*": {"python"},
    r"nlohmann/.*": {"pipeline", "survey"},
    r"boost/math/.*": {"regression"},
    r"cuda\w*\.h|cooperative_groups.*|cuda/.*|(cub|thrust|nv)/.*": {"cuda"},
}

# Folders of tests/ that belong to no room, and may include anything.
TESTS_OF_ALL = {"support", "io/support", "parity", "truth", "bench", "batch_lost", "cuda_lost", "fuzz"}

DIVIDED = {"stages", "cuda", "io", "regression", "survey", "pipeline", "python"}
FOLDERS = ("config", "stages", "io", "regression", "sextractor", "survey", "cuda", "pipeline", "python", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def room_of(file):
    parts = file.split("/")
    return "/".join(parts[:2]) if parts[0] in DIVIDED and len(parts) > 2 else parts[0]


def folder_of(file):
    return file.rpartition("/")[0]


def imports(path):
    """The modules of the Python package that a module imports when it is loaded itself."""
    package = path.parent
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package.name:
            names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        for name in names:
            module = name.removeprefix(f"{package.name}.")
            if module != name and (package / f"{module}.py").is_file():
                yield module


def allows(room, other):
    """Whether the room may include the other."""
    allowed = ALLOWED.get(room, ALLOWED.get(room.split("/")[0] + "/", set()))
    if room not in NOUNS and other in NOUNS:
        return True
    return bool({other, other.split("/")[0] + "/"} & allowed)


def violation(file, quote, header):
    """Why this include is wrong, or None."""
    room = room_of(file)
    if quote == '"':
        if not (ROOT / header).is_file() and header != "pipeline/machine/version.hpp":
            return f'"{header}" is not a path from the root of the repository; use <> for others\' headers'
        if room_of(header) != room and not allows(room, room_of(header)):
            return f"{room} must not include {header}"
        return None
    for pattern, homes in LIBRARIES.items():
        if re.fullmatch(pattern, header) and room.split("/")[0] not in homes:
            return f"<{header}> belongs in {'/ and '.join(sorted(homes))}/ alone"
    return None


def test_violation(file, quote, header):
    """The same for a file of tests/, which stands for the room that it mirrors."""
    folder = file.removeprefix("tests/")
    top = folder.split("/")[0]
    room = room_of(folder)
    if header.startswith("scripts/"):  # a tool that is tested
        return None
    if {top, room} & TESTS_OF_ALL or "/" not in folder:
        return None
    if quote == '"' and header.startswith("tests/"):
        other = header.removeprefix("tests/")
        return None if {other.split("/")[0], room_of(other)} & {top, *TESTS_OF_ALL} else f"tests/{top} must not include {header}"
    if not (ROOT / room).is_dir():
        return f"there is no {room}/ that tests/{room}/ would mirror"
    # A stage is tested on both back ends, and with what it is given.
    if quote == '"' and top in {"stages", "cuda"} and header.startswith(("cuda/", "stages/", "config/", "pipeline/chain/")):
        return None
    return violation(folder, quote, header) if quote == '"' else None


def circle(graph):
    """The rooms of a circle in which rooms include one another, or None."""
    done, path = set(), []

    def walk(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return None
        path.append(room)
        for other in sorted(graph.get(room, ())):
            found = walk(other)
            if found:
                return found
        done.add(path.pop())
        return None

    return next(filter(None, map(walk, sorted(graph))), None)


NAMESPACE = re.compile(r"^(?:inline )?namespace\s*([\w:]*)\s*\{")
TYPE = re.compile(r"^(?:template <.*> ?)?(?:struct|class|enum class|enum)\s+(?:alignas\([^)]*\) )?(\w+)(?: final)?(?:\s*:.*)?\s*\{")
ALIAS = re.compile(r"^(?:template <.*> ?)?using\s+(\w+)\s*=")
FUNCTION = re.compile(r"^(?!return|else|if|for|while|switch|case|using|namespace|struct|class|enum|static_assert)"
                      r"[\w:<>,&*\s\[\]~\(\)]*?\b(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*(?:const\s*)?(?:noexcept\s*)?\{")


def parameter_types(parameters):
    """The types of a parameter list, without names and default values."""
    types, depth, one = [], 0, ""
    for character in parameters + ",":
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            one = re.sub(r"\s*=.*", "", " ".join(one.split()))
            types.append(re.sub(r"(?<=[\s&*>])\w+$", "", one).strip() if " " in one or "&" in one or "*" in one else one)
            one = ""
        else:
            one += character
    return ", ".join(filter(None, types))


def definitions(text):
    """Yields (line, name) of what a file defines in named namespaces; of functions with the types of their parameters."""
    spaces, lines = [], text.splitlines()
    for number, line in enumerate(lines, 1):
        opened = NAMESPACE.match(line)
        if opened:
            if not line.rstrip().endswith("}"):
                spaces.append(opened[1] or None)
            continue
        if re.match(r"^}\s*// namespace", line):
            if spaces:
                spaces.pop()
            continue
        if None in spaces or not spaces or not line or line[0] in " }#/":
            continue
        scope = "::".join(spaces)
        named = TYPE.match(line) or ALIAS.match(line)
        if named and f"{named[1]}::" not in line.split("{")[0].split(" : ")[0]:
            if "template <>" not in line and not re.match(r"^(struct|class) \w+<", line):
                yield number, f"{scope}::{named[1]}"
            continue
        head = line
        while "{" not in head and ";" not in head and number + head.count("\n") < len(lines) and head.count("\n") < 6:
            head += "\n" + lines[number + head.count("\n")]
        function = FUNCTION.match(head)
        if function and not function[1].endswith("_") and "::" + function[1] + "(" not in head and not re.match(r"^template", lines[number - 2]):
            if "static " in head.split("(")[0]:
                continue
            yield number, f"{scope}::{function[1]}({parameter_types(function[2])})"


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")
                   if path.suffix in {".hpp", ".cpp", ".cu", ".cuh", ".h"})
    violations = 0

    def report(place, reason):
        nonlocal violations
        violations += 1
        print(f"{place}: {reason}")

    graph, folders, modules = (collections.defaultdict(set) for _ in range(3))
    defined = {}
    for path in files:
        file = path.relative_to(ROOT).as_posix()
        of_tests = file.startswith("tests/")
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            include = INCLUDE.match(line)
            if not include:
                continue
            reason = (test_violation if of_tests else violation)(file, *include.groups())
            if reason:
                report(f"{file}:{number}", reason)
            elif not of_tests and include[1] == '"' and room_of(include[2]) != room_of(file):
                graph[room_of(file)].add(room_of(include[2]))
            elif not of_tests and include[1] == '"' and folder_of(include[2]) != folder_of(file):
                # Within a room, between its subfolders: what lies in the room itself may serve them and call them.
                if room_of(file) not in {folder_of(file), folder_of(include[2])}:
                    folders[folder_of(file)].add(folder_of(include[2]))
        if of_tests:
            continue
        for number, name in definitions(text):
            # Two .cpp files may be the two bodies of one build or the other.
            if name in defined and defined[name].split(":")[0] != file and "absent" not in file + defined[name]:
                report(f"{file}:{number}", f"{name} is defined in {defined[name]} as well")
            defined.setdefault(name, f"{file}:{number}")
    for path in sorted((ROOT / "python/srcextract").glob("*.py")):
        modules[path.stem].update(imports(path))
    for includes, what in ((graph, "rooms"), (folders, "folders of a room"), (modules, "modules of the Python package")):
        round_trip = circle(includes)
        if round_trip:
            report(" -> ".join(round_trip), f"{what} include one another in a circle")
    print(f"check_includes: {len(files)} files, {len(graph)} rooms, {len(modules)} modules, {len(defined)} definitions, "
          f"{violations} violations")
    sys.exit(1 if violations or not files else 0)


if __name__ == "__main__":
    main()
