#!/usr/bin/env bash
# Writes DIR/SHA256SUMS of all other files in DIR: `sha256sum -c SHA256SUMS` there checks what was downloaded.
set -euo pipefail
if [[ $# -ne 1 || $1 == -* ]]; then
  echo "Usage: scripts/sums.sh DIR"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit
  exit 2
fi
cd "$1"
sums=$(find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 -r sha256sum)
echo "$sums" >SHA256SUMS
