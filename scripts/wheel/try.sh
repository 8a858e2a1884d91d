#!/usr/bin/env bash
# Proves a wheel in a fresh virtual environment.
set -euo pipefail

few=
[[ ${1:-} != --few ]] || { few=1 && shift; }
if [[ $# -lt 3 ]]; then
  echo "Usage: scripts/wheel/try.sh [--few] PYTHON WHEEL PROGRAM [PACKAGE...]      (--few: without tests/python)"
  echo "PROGRAM is srcextract, whose bytes the package must give; PACKAGE what pip is to install for more of the tests."
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit
  exit 2
fi
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
wheel=$(realpath "$2")
SRCEXTRACT_PROGRAM=$(realpath "$3")
export SRCEXTRACT_PROGRAM
python=$1 packages=("${@:4}")
unset PYTHONPATH LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/venv"
python=$work/venv/bin/python
"$python" -m pip install --quiet --disable-pip-version-check --prefer-binary "$wheel"
cd "$work"
"$python" - "$root/data/sky.fits" <<'END'
import platform, sys, srcextract
found = srcextract.extract(sys.argv[1], backend="cpu")
found.write("package.cat.fits")
found.write("package.cat.ecsv")
built = srcextract.build_info()
assert ("-cuda" in built["distribution"]) == (built["CUDA"] != "not built"), built
try:
    print("on a GPU:", srcextract.extract(sys.argv[1], backend="cuda"))
except srcextract.DeviceError as error:  # no GPU here, or no CUDA in the wheel: the CPU does without
    print(f"{built['distribution']}, CUDA {built['CUDA']}: {error}")
    assert srcextract.extract(sys.argv[1]).backend == "cpu"
print(f"srcextract {srcextract.__version__}, Python {platform.python_version()}, {' '.join(platform.libc_ver())}:", found)
END
"$SRCEXTRACT_PROGRAM" -q --backend cpu -o command "$root/config/default.yaml" "$root/data/sky.fits"
cmp package.cat.fits command/sky.cat.fits
# The rows are those of every machine of this kind. The C library of another kind may round a position on the sky
# otherwise, in the last bit.
[[ $(uname -m) != x86_64 ]] ||
  cmp <(grep -v '^#' "$root/data/reference/default/sky.cat.ecsv") <(grep -v '^#' package.cat.ecsv)
[[ -z $few ]] || exit 0

"$python" -m pip install --quiet --disable-pip-version-check "${wheel}[tests]" "${packages[@]}"
"$python" -m pytest -q -rs -p no:cacheprovider "$root/tests/python"
