#!/usr/bin/env bash
# Installs the Python package into a virtual environment, as a user would, and runs its tests there, with the peers that
# requirements.txt beside them names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  cat <<'END'
Usage: scripts/python.sh [--sdist] [PYTEST OPTION...]
--sdist installs it from the source distribution, unpacked, as pip does where no wheel fits.
PYTHON (default: python3) is the interpreter, SRCEXTRACT_VENV (default: build-venv) where the environment is made, and
SRCEXTRACT_PROGRAM (default: build/srcextract) the command that the package has to agree with.
END
  exit
fi
from_sdist=
[[ ${1:-} != --sdist ]] || { from_sdist=1 && shift; }

venv=${SRCEXTRACT_VENV:-build-venv}
if ! "${PYTHON:-python3}" -m venv "$venv"; then
  echo "python.sh: no virtual environment can be made; scripts/setup.sh --python installs what it needs" >&2
  exit 2
fi
"$venv/bin/pip" install -q -r tests/python/requirements.txt
sources=. pip=$(realpath "$venv")/bin/pip
if [[ $from_sdist ]]; then
  sources=build-sdist/unpacked
  rm -rf build-sdist
  mkdir -p $sources
  "$venv/bin/pip" install -q build
  "$venv/bin/pyproject-build" --sdist --outdir build-sdist >/dev/null
  tar -xmf build-sdist/*.tar.gz -C $sources --strip-components=1
fi
# As scripts/build.sh compiles it, and as deep below the sources, so that a compiler cache has most of it.
(cd $sources && CXX=${CXX:-c++} "$pip" install -q . --config-settings=build-dir=build-package)

# SEP's own tests are in its source distribution alone.
if [[ -z ${SRCEXTRACT_SEP_SOURCES:-} ]]; then
  sep=sep-$("$venv/bin/python" -c 'import sep; print(sep.__version__)')
  if [[ ! -e $venv/$sep/test.py ]]; then
    "$venv/bin/pip" download -q --no-deps --no-binary sep -d "$venv" "${sep/-/==}"
    tar -xmf "$venv/$sep.tar.gz" -C "$venv"
  fi
  SRCEXTRACT_SEP_SOURCES=$(realpath "$venv/$sep")
  export SRCEXTRACT_SEP_SOURCES
fi

export SRCEXTRACT_PROGRAM=${SRCEXTRACT_PROGRAM:-$PWD/build/srcextract}
# From elsewhere: what is tested is what was installed.
tests=$PWD/tests/python
cd "$venv"
exec bin/python -m pytest -q -p no:cacheprovider -n "$(nproc)" --dist loadfile "$tests" "$@"
