#!/usr/bin/env bash
# Makes random calls of the Python package's functions under AddressSanitizer and UndefinedBehaviorSanitizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  cat <<'END'
Usage: scripts/python_sanitize.sh [--calls N] [--seed N] [-m pytest TESTS...]
Builds the package's module with Clang's sanitizers in build-asan/ and makes 1000 random calls (tests/python/random_calls.py),
or runs what -m names with it. What a call of a failing number needs is the seed and --calls beyond that number.
SRCEXTRACT_VENV (default: build-venv) is the virtual environment whose Python is used; it gets NumPy and nanobind.
END
  exit
fi

venv=${SRCEXTRACT_VENV:-build-venv}
[[ -x $venv/bin/python ]] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -c 'import nanobind, numpy' 2>/dev/null || "$venv/bin/pip" install -q 'nanobind>=2.4' numpy
cmake --preset asan -DSRCEXTRACT_PYTHON_PACKAGE=ON "-DPython_EXECUTABLE=$(realpath -s "$venv")/bin/python" >/dev/null
cmake --build build-asan --target srcextract_python

# Python itself was linked without them: the runtime comes first, and libstdc++ before the runtime looks for __cxa_throw.
preload=$(clang++ -print-file-name="libclang_rt.asan-$(uname -m).so"):$(clang++ -print-file-name=libstdc++.so.6)
[[ $# -gt 0 && $1 == -m ]] || set -- tests/python/random_calls.py "$@"
# Python ends without freeing all. Who asks for too much memory gets none, as without them.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export PYTHONMALLOC=malloc PYTHONPATH=$PWD/build-asan/python
LD_PRELOAD=$preload exec "$venv/bin/python" "$@"
