#!/usr/bin/env bash
# Installs what is missing, builds Release into build/ and runs every test; the exit status is that of the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  echo "Usage: scripts/test.sh [CTEST OPTION...]   e.g. -R Label for the tests whose names contain Label"
  exit
fi

scripts/setup.sh --tests
scripts/build.sh -DSRCEXTRACT_TESTS=ON
ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" "$@"
