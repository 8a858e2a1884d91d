#!/usr/bin/env bash
# Installs what is missing, builds Release into build/ and runs every test; the exit status is that of the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  --help | -h)
    echo "Usage: scripts/test.sh [--long] [CTEST OPTION...]   e.g. -R Label for the tests whose names contain Label"
    echo "--long: random searches do all of their rounds, and surveys are killed a hundred times (docs/testing.md)."
    exit
    ;;
  --long)
    export SRCEXTRACT_LONG=1
    shift
    ;;
esac

scripts/setup.sh --tests
scripts/build.sh -DSRCEXTRACT_TESTS=ON
ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" "$@"
