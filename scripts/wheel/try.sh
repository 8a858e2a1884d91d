#!/usr/bin/env bash
# Proves a wheel: in a fresh virtual environment with nothing but it and its tests' packages.
set -euo pipefail

if [[ $# -ne 3 ]]; then
  echo "Usage: scripts/wheel/try.sh PYTHON WHEEL PROGRAM   (the program srcextract, whose bytes the package must give)"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit
  exit 2
fi
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
wheel=$(realpath "$2")
SRCEXTRACT_PROGRAM=$(realpath "$3")
export SRCEXTRACT_PROGRAM
unset PYTHONPATH LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" -m venv "$work/venv"
python=$work/venv/bin/python
"$python" -m pip install --quiet --disable-pip-version-check "$wheel"
cd "$work"
"$python" - "$root/data/sky.fits" <<'END'
import platform, sys, srcextract
found = srcextract.extract(sys.argv[1], backend="cpu")
found.write("package.cat.fits")
print(f"srcextract {srcextract.__version__}, Python {platform.python_version()}, {' '.join(platform.libc_ver())}:", found)
END
"$SRCEXTRACT_PROGRAM" -q --backend cpu -o command "$root/config/default.yaml" "$root/data/sky.fits"
cmp package.cat.fits command/sky.cat.fits

"$python" -m pip install --quiet --disable-pip-version-check "${wheel}[tests]"
"$python" -m pytest -q -rs -p no:cacheprovider "$root/tests/python"
