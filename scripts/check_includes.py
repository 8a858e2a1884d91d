#!/usr/bin/env python3
"""Checks that includes flow one way: core <- config <- stages <- pipeline, core <- config <- regression <- pipeline,
core <- io <- pipeline, io <- survey <- pipeline, and that every third-party library stays in the folders that know it. Prints each violation as file:line and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each layer may include of ours, besides itself. cuda is the second body of every stage.
ALLOWED = {
    "core": set(),
    "config": {"core"},
    "stages": {"core", "config"},
    "io": {"core"},
    "regression": {"core", "config"},
    "survey": {"core", "config", "io"},
    "cuda": {"core", "config", "stages", "pipeline/chain/run_stages.hpp", "pipeline/chain/extraction.hpp", "pipeline/chain/observer.hpp"},
    "pipeline": {"core", "config", "stages", "io", "regression", "survey", "cuda"},
}

# Where a library's headers may be included.
LIBRARIES = {
    r"(fitsio2?|longnam|drvrsmem)\.h|wcslib/.*|wcs\w*\.h|(zlib|expat|png)\.h": {"io"},
    r"yaml-cpp/.*": {"config", "io"},
    r"(spdlog|CLI)/.*": {"pipeline"},
    r"nlohmann/.*": {"pipeline", "survey"},
    r"boost/math/.*": {"regression"},
    r"cuda\w*\.h|cuda/.*|(cub|thrust|nv)/.*": {"cuda"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def layer_of(path):
    return "core" if path.startswith("stages/core/") else path.split("/")[0]


def violation(file, quote, header):
    """Why this include is wrong, or None."""
    layer = layer_of(file)
    if quote == '"':
        if "/" not in header or layer_of(header) not in ALLOWED:
            return f'"{header}" is not a path from the root of the repository; use <> for others\' headers'
        if layer_of(header) != layer and not {layer_of(header), header} & ALLOWED[layer]:
            return f"{layer} must not include {header}"
        return None
    for pattern, homes in LIBRARIES.items():
        if re.fullmatch(pattern, header) and layer not in homes:
            return f"<{header}> belongs in {'/ and '.join(sorted(homes))}/ alone"
    return None


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    files = sorted(path for folder in ("config", "stages", "io", "regression", "survey", "cuda", "pipeline")
                   for path in (ROOT / folder).rglob("*") if path.suffix in {".hpp", ".cpp", ".cu", ".cuh", ".h"})
    violations = 0
    for path in files:
        file = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            reason = include and violation(file, *include.groups())
            if reason:
                violations += 1
                print(f"{file}:{number}: {reason}")
    print(f"check_includes: {len(files)} files, {violations} violations")
    sys.exit(1 if violations or not files else 0)


if __name__ == "__main__":
    main()
