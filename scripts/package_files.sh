#!/usr/bin/env bash
# Copies the files that an unpacked package has beside its programs and libraries; scripts/package.sh calls this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  "" | -*)
    echo "Usage: scripts/package_files.sh TREE [--with-tests]   (--with-tests: and what the test programs read)"
    [[ ${1:-} == --help || ${1:-} == -h ]] && exit
    exit 2
    ;;
esac
tree=$1
cp -r config data docs LICENSE README.md "$tree"
rm -f "$tree"/config/*.[ch]pp "$tree/config/CMakeLists.txt"
mkdir "$tree/scripts"
cp -r scripts/slurm "$tree/scripts"
install -Dm644 scripts/completions/srcextract.bash "$tree/share/bash-completion/completions/srcextract"
install -Dm644 scripts/completions/srcextract.fish "$tree/share/fish/vendor_completions.d/srcextract.fish"
install -Dm644 scripts/completions/_srcextract "$tree/share/zsh/site-functions/_srcextract"
[[ ${2:-} == --with-tests ]] || exit 0
find tests -name '*.py' -exec cp --parents -t "$tree" {} +
cp --parents tests/support/plain.yaml "$tree"
cp -r --parents tests/fuzz/corpus/table_parquet "$tree"
cp -r scripts/gpu_check.sh scripts/bench.sh scripts/gpu_check "$tree/scripts"
