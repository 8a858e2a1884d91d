#!/usr/bin/env bash
# Holds the recipes of packaging/ against the programs that build of them, as far as that goes without a compilation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 0 ]]; then
  cat <<'END'
Usage: scripts/recipes.sh
Renders the conda recipe by rattler-build for each platform, with CUDA and without, and makes the Debian source package, which
lintian judges. SRCEXTRACT_VENV (default: build-venv) is the virtual environment that gets rattler-build.
END
  [[ $1 == --help || $1 == -h ]] && exit
  exit 2
fi
venv=${SRCEXTRACT_VENV:-build-venv}
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/pip" install -q 'py-rattler-build>=0.73'

SRCEXTRACT_VERSION=$(sed -n 's/^project(srcextract VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) "$venv/bin/python" - <<'END'
import os
import re

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

recipe = Stage0Recipe.from_file("packaging/conda/recipe.yaml")
variants = VariantConfig.from_yaml("""{python: ["3.12.* *_cpython"], cxx_compiler: [gxx], cxx_compiler_version: ["13"],
  c_stdlib: [sysroot], c_stdlib_version: ["2.28"], cuda_compiler: [cuda-nvcc], cuda_compiler_version: ["None", "13.0"]}""")
# What pkg-config and CMake call libraries, and what conda-forge calls them, where these differ.
named = {"tbb": "tbb-devel", "yaml-cpp": "yaml-cpp", "boost": "libboost-headers", "expat": "libexpat", "png": "libpng",
         "avro": "avro-c", "threads": None, "pkgconfig": None}
cmake = open("CMakeLists.txt").read()
wanted = re.search(r"foreach\(library (PkgConfig[^)]*)\)", cmake)[1].lower().split() + re.findall(r"^srcextract_find\((\w+) ", cmake, re.M)
wanted = {named.get(name, name) for name in wanted} - {None}
builds = []
for platform in "linux-64", "linux-aarch64":
    config = PlatformConfig(target_platform=platform, host_platform=platform, build_platform="linux-64")
    for rendered in recipe.render(variants, RenderConfig(platform=config)):
        built = rendered.recipe
        host = {str(requirement).split()[0] for requirement in built.requirements.host}
        assert str(built.package.version) == os.environ["SRCEXTRACT_VERSION"], built.package.version
        assert wanted <= host, f"packaging/conda/recipe.yaml lacks {wanted - host}, which CMakeLists.txt asks for"
        assert ("cuda" in built.build.string) == any("cuda-nvcc" in str(one) for one in built.requirements.build)
        builds.append(f"{platform} {built.build.string}")
assert len(set(builds)) == 4, builds
print("conda:", *builds, sep="\n  ")
END
scripts/debian_source.sh build-debian-source
