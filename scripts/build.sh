#!/usr/bin/env bash
# Builds Release into build/, with the CUDA back end where there is a toolkit, and says which it was.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  echo "Usage: scripts/build.sh [CMAKE OPTION...]   (SRCEXTRACT_CUDA=OFF in the environment: CPU back end alone)"
  exit
fi

# GoogleTest is needed for the tests alone: a first build without them does not ask for it.
options=(-DSRCEXTRACT_CUDA="${SRCEXTRACT_CUDA:-AUTO}" "$@")
[[ -e build/CMakeCache.txt ]] || options=(-DSRCEXTRACT_TESTS=OFF "${options[@]}")
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}"
cmake --build build

nvcc=$(sed -n 's/^SRCEXTRACT_NVCC:FILEPATH=//p' build/CMakeCache.txt)
if [[ ${SRCEXTRACT_CUDA:-AUTO} == OFF ]]; then
  echo "Built the CPU back end alone, as SRCEXTRACT_CUDA=OFF asks."
elif [[ -x $nvcc ]]; then
  echo "Built the CPU and CUDA back ends (CUDA $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'), $nvcc)."
else
  echo "Built the CPU back end alone: no CUDA toolkit was found."
fi
