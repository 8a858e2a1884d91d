#!/usr/bin/env bash
# Writes what is generated from the declaration of the keys in stages/settings/keys.hpp and config/rules_fields.hpp: the JSON
# schemas in config/, what config/default.yaml lacks, the types of keys in python/srcextract/key_types.py, and the tables of
# keys in docs/configuration.md and docs/regression.md; and the table of columns in docs/catalogue.md from their
# declarations in stages/ and what column_notes.hpp says of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { echo "Usage: scripts/generate_config.sh [--check]   (--check: writes nothing, exits 1 if a file differs)"; }

case ${1:-} in
  --help | -h) usage && exit ;;
  --check | "") ;;
  *) usage >&2 && exit 2 ;;
esac

scripts/setup.sh --tests
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSRCEXTRACT_TESTS=ON >/dev/null
cmake --build build --target config_documents
build/scripts/config_documents . "$@"
scripts/generate_keys.py "$@"
