#!/usr/bin/env bash
# Feeds every reader with damaged input for some minutes, and says how many inputs each had and whether one did harm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/fuzz.sh [--libraries] [--built] [--keep] MINUTES [TARGET...]
Builds the preset `asan` (Clang's libFuzzer, AddressSanitizer, UndefinedBehaviorSanitizer) and runs the targets of
tests/fuzz, or those that are named (wcs, tile_rice, ...), one a core at a time, for MINUTES in all. Prints a table.
From 10 minutes on it also gives the program 21 000 files with one mistake each (tests/pipeline/image/mutated_fits.py).
Exits 1 if there was a finding; the input that did it is in build-asan/findings, and `build-asan/tests/fuzz/fuzz_TARGET
FILE` repeats it.
  --libraries  with CFITSIO and WCSLIB built from their sources with the same checks (scripts/static_libraries.sh)
  --built      runs what build-asan (build-asan-libraries) holds already: on a machine without Clang, from a copy
  --keep       afterwards adds to tests/fuzz/corpus the small ones of those that reach other code than its files do;
               in any case what is new stays in build-asan/corpus, where the next run begins with it
END
}

build=build-asan libraries=false built=false keep=false
while [[ ${1:-} == -* ]]; do
  case $1 in
    --libraries) libraries=true build=build-asan-libraries ;;
    --built) built=true ;;
    --keep) keep=true ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done
[[ ${1:-} =~ ^[0-9]+$ ]] || { usage >&2 && exit 2; }
minutes=$1
shift
if [[ $# -gt 0 ]]; then targets=("$@"); else mapfile -t targets < <(basename -s .cpp -a tests/fuzz/fuzz_*.cpp | sed 's/^fuzz_//; /^main$/d'); fi

if $libraries && ! $built; then
  # With the fuzzer's eyes and AddressSanitizer in them; the product links those of the system.
  CC=clang CXX=clang++ CFLAGS="-O1 -g1 -fsanitize=fuzzer-no-link,address -fno-omit-frame-pointer" \
    scripts/static_libraries.sh "$build/libraries" cfitsio wcslib
  export PKG_CONFIG_PATH=$PWD/$build/libraries/lib/pkgconfig
fi
if ! $built; then
  cmake --preset asan -B "$build" >/dev/null
  cmake --build "$build" --target srcextract fuzz_targets
fi

cores=$(nproc)
rounds=$(((${#targets[@]} + cores - 1) / cores))
seconds=$((minutes * 60 / rounds))
logs=$build/logs findings=$PWD/$build/findings
mkdir -p "$logs" "$findings"
# Files that the targets read are in memory.
shm=/dev/shm
[[ -w $shm ]] || shm=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$shm/srcextract-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# The longest input: large where headers take 2880 bytes each.
longest() {
  case $1 in
    image | table_fits | stored_table | beam_table | positions) echo 32768 ;;
    config | rules | kernel) echo 8192 ;;
    unit) echo 200 ;;
    *) echo 4096 ;;
  esac
}

# The limits are for machines that do other things as well: no input of these sizes needs a second, or 100 MB.
run_target() {
  local target=$1 dictionary=tests/fuzz/dictionaries/$1.dict
  [[ $target != image && $target != *_table && $target != table_fits && $target != psf ]] || dictionary=tests/fuzz/dictionaries/header.dict
  local options=(-max_len="$(longest "$target")" -timeout=30 -malloc_limit_mb=512 -rss_limit_mb=2048 -print_final_stats=1)
  [[ ! -e $dictionary ]] || options+=(-dict="$dictionary")
  mkdir -p "$build/corpus/$target"
  nice -n 19 "$build/tests/fuzz/fuzz_$target" "${options[@]}" -max_total_time="$seconds" -artifact_prefix="$findings/$target-" \
    "$build/corpus/$target" "$build/tests/fuzz/seeds/$target" >"$logs/$target" 2>&1
  echo $? >"$logs/$target.status"
}
# Memory that is used again at once is quicker than fresh memory; a use after free is found as long as little is freed
# meanwhile, and an input frees less than this.
export ASAN_OPTIONS=quarantine_size_mb=16:allocator_release_to_os_interval_ms=-1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export -f run_target longest
export build seconds logs findings
printf '%s\n' "${targets[@]}" | xargs -P "$cores" -I{} bash -c 'run_target {} || true'

# Adds what reaches other code than the corpus does, the small ones first, up to 100 kB and 80 files of a target.
keep_new() {
  local corpus=$build/tests/fuzz/seeds/$1 stored=tests/fuzz/corpus/$1
  "$build/tests/fuzz/fuzz_$1" -merge=1 "$corpus" "$build/corpus/$1" >"$logs/$1.merge" 2>&1
  find "$corpus" -type f -regextype egrep -regex '.*/[0-9a-f]{40}' -printf '%s %p\n' | sort -n |
    awk '{ bytes += $1; if (bytes > 100000 || NR > 80) print $2 }' | xargs -r rm
  if [[ -d $stored ]]; then cp "$corpus"/* "$stored"; else /usr/bin/python3 tests/fuzz/make_corpus.py --pack "$corpus" "$stored.tar.gz"; fi
}
if $keep; then
  for target in "${targets[@]}"; do keep_new "$target"; done
fi

number_of() { sed -n "s/^stat::$2: *//p" "$logs/$1"; }
total=0 failed=0
if ((minutes >= 10)) && [[ ${#targets[@]} -gt 1 && -x $build/srcextract ]]; then
  SRCEXTRACT_LONG=1 SRCEXTRACT_SANITIZE=address SRCEXTRACT_PROGRAM=$PWD/$build/srcextract \
    ASAN_OPTIONS=$ASAN_OPTIONS:allocator_may_return_null=1 PATH=/usr/bin:$PATH python3 -m pytest -q tests/pipeline/image/test_mutated_files.py || failed=1
fi
echo "| target | executions | files in the corpus | found |"
echo "|---|---|---|---|"
for target in "${targets[@]}"; do
  executions=$(number_of "$target" number_of_executed_units)
  total=$((total + ${executions:-0}))
  found=nothing
  if [[ $(<"$logs/$target.status") -ne 0 ]]; then
    found=$(grep -hoE '^(finding: .*|SUMMARY: .*)|runtime error: .*' "$logs/$target" | head -1)
    failed=$((failed + 1))
  fi
  files=$(find "$build/corpus/$target" "$build/tests/fuzz/seeds/$target" -type f | wc -l)
  echo "| $target | ${executions:-?} | $files | ${found:-see $logs/$target} |"
done
echo "| all | $total | | $failed findings |"
[[ $failed -eq 0 ]]
