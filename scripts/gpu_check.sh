#!/usr/bin/env bash
# Everything that a machine with a GPU is needed for, in one go: about ten minutes.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
steps=tests,compare,bytes,survey,sanitize,scipy,wheel,bench

usage() {
  cat <<END
Usage: scripts/gpu_check.sh [--only STEP,...] [PACKAGE_DIR]
Checks build/ of this repository, or a package made by scripts/package.sh --with-tests (its own scripts/gpu_check.sh
finds it). Needs a GPU, python3 with numpy (and scipy), and compute-sanitizer. Steps: $steps
  tests     every GoogleTest program; a GPU test may not skip
  compare   --backend compare, both configurations, over data/, simulated skies and the directories in
            SRCEXTRACT_CHECK_DATA (separated by ':')
  bytes     the same bytes in the catalogue from 1 and 7 threads, by rows, and from CUDA, run after run
  survey    batch over small and large images, and what merge makes of it: the same bytes from CPU and CUDA, whole and in
            shards; and with detection images, bands and positions
  sanitize  compute-sanitizer: memcheck, racecheck, initcheck, synccheck
  scipy     tests/truth/support/scipy_compare.py on CUDA, random masks labelled and cleaned included
  wheel     the Python package of SRCEXTRACT_WHEEL, made by scripts/wheel.sh: its tests with what Python has there (CuPy,
            PyTorch, JAX), and how threads of Python scale beside the command's
  bench     scripts/bench.sh --full
Ends with a table; exits 1 if anything failed. PYTHON names the interpreter (python3).
END
}

while [[ $# -gt 0 ]]; do
  case $1 in
    --only) steps=${2:?--only needs a list of steps} && shift ;;
    --help | -h) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) here=$(cd "$1" && pwd) ;;
  esac
  shift
done
cd "$here"
# shellcheck source=scripts/gpu_check/image_stages.sh
source scripts/gpu_check/image_stages.sh
if [[ -x bin/srcextract ]]; then
  program=$here/bin/srcextract tests=$here/bin
else
  program=$here/build/srcextract tests=$here/build/tests
fi
[[ -x $program ]] || { echo "gpu_check: no $program; build first (scripts/test.sh) or name a package" >&2 && exit 2; }
python=${PYTHON:-python3}
# For the test programs: a GPU test may not skip; where the files they read are, in a package as in the repository.
export SRCEXTRACT_REQUIRE_GPU=1 SRCEXTRACT_SOURCE_DIR=$here SRCEXTRACT_PROGRAM=$program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=$work/table

# in_shards PROGRAM FILTER COMMAND...: its tests divided among processes side by side, each under COMMAND, if there is one: a
# sanitizer works on one core. Prints last what the first of them says that fails.
in_shards() {
  local program=$1 filter=$2 shards i code=0 failed="" pids=()
  shift 2
  shards=$(($(nproc) > 8 ? 8 : $(nproc)))
  for ((i = 0; i < shards; i++)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i "$@" "$program" --gtest_filter="$filter" >"$work/shard$i" 2>&1 &
    pids+=($!)
  done
  for ((i = 0; i < shards; i++)); do
    if wait "${pids[i]}"; then
      cat "$work/shard$i"
    else
      code=$? failed=${failed:-$work/shard$i}
    fi
  done
  [[ -z $failed ]] || grep -v 'Host Frame' "$failed"
  return "$code"
}
export -f in_shards
export work

row() { printf '%-4s  %6.1f s  %-50s %s\n' "$@" | tee -a "$table"; }

# Of all GoogleTest programs that wrote to LOG; nothing if none did.
count_tests() {
  awk '/^\[  (PASSED|SKIPPED) *\] [0-9]+ test/ { tests[$2] += $4 }
    END { if ("PASSED" in tests) printf "%d passed%s", tests["PASSED"], tests["SKIPPED"] ? ", " tests["SKIPPED"] " skipped" : "" }' "$1"
}

# check NAME COMMAND...: a row PASS or FAIL, and the end of what a failed command printed. `skip_code` makes a SKIP,
# `limit` is the most seconds (300).
check() {
  local name=$1 start=$EPOCHREALTIME code=0 log=$work/log detail="" tests_run
  shift
  timeout "${limit:-300}" "$@" >"$log" 2>&1 || code=$?
  tests_run=$(count_tests "$log")
  [[ $tests_run != "0 passed"* ]] || { code=1 && echo "no test ran" >>"$log"; }
  local seconds status=PASS
  seconds=$(awk "BEGIN { print $EPOCHREALTIME - $start }")
  [[ $code -eq 0 ]] || status=FAIL detail="exit $code"
  if [[ $code -ne 0 && $code == "${skip_code:-}" ]]; then
    status=SKIP detail=$(tail -n 1 "$log")
  elif [[ $code -ne 0 ]]; then
    tail -n 40 "$log"
  else
    detail=$tests_run
  fi
  row $status "$seconds" "$name" "$detail"
}

skip() { row SKIP 0 "$1" "$2"; }

make_skies() {
  [[ -d $work/skies ]] || check "simulated skies" "$python" -B tests/support/make_field.py "$work/skies"
}

# A pair of frames to subtract, whole and a part that sanitizers can bear.
make_epochs() {
  [[ -d $work/epochs ]] || check "simulated epochs" "$python" -B - "$work/epochs" <<'END'
import pathlib, sys
sys.path[:0] = ["tests/support", "tests/truth/support"]
from make_field import write_fits
from moffat_frames import GAIN, frames
directory = pathlib.Path(sys.argv[1])
directory.mkdir()
for name, image in zip(("reference", "new"), frames(431, (3.0, (0.05, 0.0)), (3.8, (0.0, 0.05)), stars=1500)):
    write_fits(directory / f"{name}.fits", image, GAIN=GAIN)
    write_fits(directory / f"{name}_part.fits", image[:400, :400].copy(), GAIN=GAIN)
END
}

step_tests() {
  local test one found=0
  for test in "$tests"/test_*; do
    [[ -f $test && -x $test ]] || continue
    found=1
    if [[ $test == *_lost ]]; then
      # A process that has lost a GPU cannot have it back: each test has one of its own.
      for one in $("$test" --gtest_list_tests | awk '/^[^ ]/ { of = $1 } /^ / { print of $1 }'); do
        check "$one" "$test" --gtest_filter="$one"
      done
    elif [[ $test == *_cuda ]]; then
      check "$(basename "$test")" "$test"  # alone: it looks at how much of the GPU's memory is free
    else
      check "$(basename "$test")" bash -c 'in_shards "$@"' - "$test" '*'
    fi
  done
  [[ $found == 1 ]] || skip "tests" "no test program in $tests"
}

compare_directory() {
  local image config
  for image in "$1"/*.fits "$1"/*.fits.fz "$1"/*.fits.gz; do
    [[ -e $image ]] || continue
    for config in default lesson; do
      local path=config/$config.yaml
      # The kernel of the default is wider than these.
      [[ $config != default || $image != */one_* ]] || path=tests/support/plain.yaml
      check "compare $config $(basename "$image")" "$program" -q --backend compare -o "$work/out" "$path" "$image"
    done
  done
}

step_compare() {
  make_skies
  compare_directory data
  compare_directory "$work/skies"
  compare_image_stages
  local directories directory
  IFS=: read -ra directories <<<"${SRCEXTRACT_CHECK_DATA:-}"
  for directory in "${directories[@]}"; do
    # Not every file that others hold can be used: exit 3, from both back ends alike.
    skip_code=3 compare_directory "$directory"
  done
}

# same_bytes [difference] ARGUMENT...: of all that is written but run.json; also by rows in that much memory, if $by_rows
# is set, and where the device may give $few and the host holds the rest of the image, if $few is set.
same_bytes() {
  local run options command=()
  if [[ $1 == difference ]]; then command=("$1") && shift; fi
  for run in "cpu --threads 1" "cpu --threads 7" ${by_rows:+"cpu --memory $by_rows"} cuda cuda \
    ${few:+"cuda --device-memory $few"}; do
    read -ra options <<<"$run"
    "$program" "${command[@]}" -q --backend "${options[@]}" --set 'output.formats=[fits,ecsv]' -o "$work/bytes" "$@"
    [[ -e $work/first ]] || cp -r "$work/bytes" "$work/first"
    [[ -n $(find "$work/bytes" -name '*.fits') ]]
    diff -rq -x '*.run.json' "$work/first" "$work/bytes"
    rm -r "$work/bytes"
  done
  rm -r "$work/first"
}

step_bytes() {
  make_skies
  export -f same_bytes
  export program work
  local -x by_rows=50M  # images of 2048² take 60 MB and more, the two small ones less
  local -x few=120M     # of a device they take 180 MB and more
  local image
  for image in data/sky.fits "$work"/skies/{square_2048,crowded_2048,nan_2048,int16_2048}.fits \
    "$work"/skies/rice_{int16_2048,dithered_2048,nan_2048,small}.fits.fz; do
    rm -rf "$work/first" "$work/bytes"
    check "bytes $(basename "$image")" bash -euc 'same_bytes "$@"' - \
      config/default.yaml "$image"
  done
  printf 'extends: none\noutput: {columns: [all, "VIGNET(9,9)"]}\nmeasurement: {apertures: [3, 5]}\n' >"$work/vectors.yaml"
  rm -rf "$work/first" "$work/bytes"
  check "bytes of vectors and cut-outs" bash -euc 'same_bytes "$@"' - "$work/vectors.yaml" "$work/skies/nan_2048.fits"
  rm -rf "$work/first" "$work/bytes"
  check "bytes of medians" bash -euc 'same_bytes "$@"' - --set convolve.median=true --set 'output.check_images=[filtered]' \
    config/default.yaml "$work/skies/nan_2048.fits"
  rm -rf "$work/first" "$work/bytes"
  check "bytes of what is found elsewhere" bash -euc 'same_bytes "$@"' - -d "$work/skies/crowded_2048.fits" \
    "$work/vectors.yaml" "$work/skies/nan_2048.fits"
  by_rows=
  rm -rf "$work/first" "$work/bytes"
  cp "$work/skies/small.fits" "$work/smaller.fits"
  check "bytes of what is found elsewhere, small" bash -euc 'same_bytes "$@"' - -d "$work/skies/small.fits" \
    config/default.yaml "$work/smaller.fits" "$work/skies/small.fits"
  rm -rf "$work/first" "$work/bytes"
  printf 'extends: none\noutput: {columns: [all]}\ndeblend: {method: tree, clean: true}\n' >"$work/bands.yaml"
  check "bytes of bands" bash -euc 'same_bytes "$@"' - -d "$work/skies/crowded_2048.fits" \
    "$work/bands.yaml" --band "a=$work/skies/square_2048.fits" --band "b=$work/skies/nan_2048.fits"
  rm -rf "$work/first" "$work/bytes"
  make_epochs
  local how
  for how in difference.kernel=fitted difference.basis=delta difference.detect_on=difference difference.convolve=new \
    difference.kernel=gaussian; do
    rm -rf "$work/first" "$work/bytes"
    check "bytes of a difference, $how" bash -euc 'same_bytes "$@"' - difference --set "$how" \
      --set 'output.columns=[all]' config/default.yaml "$work"/epochs/{reference,new}.fits
  done
  rm -rf "$work/first" "$work/bytes"
  check "bytes of Gaussians in a radio map" bash -euc 'same_bytes "$@"' - --set beam.source=given --set 'beam.fwhm=[10, 8]' \
    --set measurement.pixel_scale=2 --set 'output.check_images=[residual, model]' --set fit.reliability=true config/radio.yaml \
    "$work/skies/square_2048.fits"
  rm -rf "$work/first" "$work/bytes"
  few=  # the stamps of stars have to fit
  check "bytes of stars by a PSF of the image" bash -euc 'same_bytes "$@"' - --set psf.method=fit \
    --set 'output.columns=[default, psf]' --set output.psf=true config/default.yaml data/sky.fits
  rm -rf "$work/first" "$work/bytes"
  check "bytes of a crowd" bash -euc 'same_bytes "$@"' - --set psf.method=fit \
    --set 'output.check_images=[residual, psf_sky]' config/crowd.yaml data/sky.fits
  rm -rf "$work/first" "$work/bytes"
  few=120M
  write_positions
  check "bytes at positions" bash -euc 'same_bytes "$@"' - --positions "$work/positions.csv" \
    config/default.yaml "$work/skies/square_2048.fits"
}

# Of 64 pixels squared are a thousand, which share launches; the others are too large for that.
make_survey() {
  "$python" -B - "$work/survey" <<'END'
import os, pathlib, sys
sys.path.insert(0, "tests/support")
from make_field import tiled_field, write_fits
from rice import write_rice
directory = pathlib.Path(sys.argv[1])
field = tiled_field(1024)
for i in range(256):
    y, x = 64 * (i // 16), 64 * (i % 16)
    (directory / f"night{i % 4}").mkdir(parents=True, exist_ok=True)
    write_fits(directory / f"night{i % 4}" / f"{i}.fits", field[y:y + 64, x:x + 64].copy())
    for copy in range(3):
        os.link(directory / f"night{i % 4}" / f"{i}.fits", directory / f"night{i % 4}" / f"{i}_{copy}.fits")
    write_rice(directory / f"night{i % 4}" / f"{i}_rice.fits.fz", field[y:y + 64, x:x + 64].copy(), seed=i + 1)
for size in (300, 700, 1024):
    write_fits(directory / f"large{size}.fits", field[:size, :size].copy())
    write_rice(directory / f"large{size}_rice.fits.fz", field[:size, :size].copy())
beside = directory.with_name("beside")
beside.mkdir()
write_fits(beside / "deep.fits", field[::-1].copy())
(beside / "known.csv").write_text("X_IMAGE,Y_IMAGE\n" + "".join(f"{3.25 * i},{60 - i}\n" for i in range(20)))
large, small = "../survey/large1024.fits", [f"../survey/night{i % 4}/{i}.fits" for i in range(61)]
rows = [(large, "deep.fits", "", "", ""), (large, "", "known.csv", "", ""), ("", "deep.fits", "", large, "deep.fits")]
for a, b, c in zip(small, small[1:], small[2:]):
    rows += [(a, b, "", "", ""), (a, "", "known.csv", "", ""), ("", a, "", b, c), (a, "", "", "", "")]
(beside / "survey.csv").write_text("path,detect,positions,band:a,band:b,name\n" + "".join(
    f"{','.join(row)},{i}\n" for i, row in enumerate(rows)))
END
}

same_survey() {
  local shard
  "$program" batch -q --backend cpu -o "$work/whole" config/default.yaml "$work/survey"
  for shard in 1 2 3; do
    "$program" batch -q --backend cuda --shard $shard/3 -o "$work/shards" config/default.yaml "$work/survey"
  done
  diff -rq -x '*.run.json' -x 'journal*' "$work/whole" "$work/shards"
  "$program" merge -q "$work/whole" -o "$work/whole.fits"
  "$program" merge -q "$work/shards" -o "$work/shards.fits"
  cmp "$work/whole.fits" "$work/shards.fits"
}

# Found in other images, in bands, at positions, and as they are, all in one survey, and not one of them on the CPU.
same_beside() {
  local backend
  for backend in cpu cuda; do
    "$program" batch -q --backend "$backend" -o "$work/beside_$backend" config/default.yaml "$work/beside/survey.csv"
  done
  diff -rq -x '*.run.json' -x 'journal*' "$work/beside_cpu" "$work/beside_cuda"
  [[ $(grep -l '"backend": "cuda"' "$work"/beside_cuda/*.run.json | wc -l) == $(tail -n +2 "$work/beside/survey.csv" | wc -l) ]]
}

step_survey() {
  export -f make_survey same_survey same_beside
  export program python work
  check "a survey to extract" bash -euc make_survey
  check "CPU and CUDA, whole and in shards" bash -euc same_survey
  check "CPU and CUDA, files beside images" bash -euc same_beside
}

step_sanitize() {
  local -x SRCEXTRACT_SEPARATE_BLOCKS=1  # or sanitizers would not see where one block ends and the next begins
  if ! command -v compute-sanitizer >/dev/null; then
    PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer
  fi
  command -v compute-sanitizer >/dev/null || { skip "sanitize" "no compute-sanitizer"; return; }
  make_skies
  make_epochs
  local tool image
  for tool in memcheck racecheck initcheck synccheck; do
    local sanitizer=(compute-sanitizer --tool "$tool" --error-exitcode 99)
    check "$tool srcextract rice_small.fits.fz" "${sanitizer[@]}" "$program" -q --backend cuda -o "$work/out" \
      config/default.yaml "$work/skies/rice_small.fits.fz"
    for image in small nan_small; do
      check "$tool srcextract $image.fits" "${sanitizer[@]}" "$program" -q --backend cuda \
        --set 'output.segmentation=true' -o "$work/out" config/default.yaml "$work/skies/$image.fits"
      check "$tool cleaned, all columns $image.fits" "${sanitizer[@]}" "$program" -q --backend cuda \
        --set deblend.method=tree --set deblend.clean=true --set 'output.columns=[all]' -o "$work/out" config/default.yaml "$work/skies/$image.fits"
    done
    check "$tool found elsewhere, all columns" "${sanitizer[@]}" "$program" -q --backend cuda --set deblend.method=tree \
      --set deblend.clean=true --set 'output.columns=[all]' -o "$work/out" -d "$work/skies/small.fits" config/default.yaml \
      "$work/skies/nan_small.fits"
    check "$tool difference, all columns" "${sanitizer[@]}" "$program" difference -q --backend cuda -o "$work/out" \
      --set 'output.columns=[all]' config/default.yaml "$work"/epochs/{reference,new}_part.fits
    # Of the typed tests the second type is the GPU. The thousands of small masks would take minutes, and so would the
    # larger fields, and the many, under racecheck, which follows every access to shared memory: 0.4 s a launch.
    local filter='*/1.*-*RandomMasks*'
    [[ $tool != racecheck ]] || filter+=':*EveryField*:*HostileFields*:*HardSkies*:*PixelsAbove*:*LargerThanAnyChunk*:*OfAnyShape*:*IntoMasks*:*IntoTheBins*:*InTheirWings*:CleanParity*LargeIslands*:CleanParity*EveryStage*'
    if [[ $tool == racecheck ]]; then
      limit=600 check "$tool test_stages" bash -c 'in_shards "$@"' - "$tests/test_stages" "$filter" "${sanitizer[@]}"
      continue
    fi
    # One at a time: beside other processes initcheck misses what a kernel wrote.
    check "$tool test_stages" "${sanitizer[@]}" "$tests/test_stages" --gtest_filter="$filter"
    check "$tool engine" "${sanitizer[@]}" "$tests/test_pipeline" --gtest_filter='Extractor.*:ImageStages.*'
    check "$tool bright quads" "${sanitizer[@]}" "$tests/test_parity" --gtest_filter='BrightParity.AnotherImage*'
    check "$tool RICE tiles" "${sanitizer[@]}" "$tests/test_parity" \
      --gtest_filter='RiceParity.DamagedFiles:RiceParity.AFewTiles*:RiceParity.ImagesOf*:RiceParity.TheKernel*'
  done
}

step_scipy() {
  check "SciPy's results on CUDA" "$python" -B tests/truth/support/scipy_compare.py --program "$program" --backend cuda \
    --label-masks "$tests/label_masks" --clean-masks "$tests/clean_masks" \
    --combine-planes "$tests/combine_planes"
}

step_wheel() {
  [[ -n ${SRCEXTRACT_WHEEL:-} ]] || { skip "wheel" "SRCEXTRACT_WHEEL names none"; return; }
  local -x PYTHONPATH=$work/site${PYTHONPATH:+:$PYTHONPATH}  # pytest may be elsewhere than in that Python
  check "wheel installed" "$python" -m pip install -q --no-index --no-deps --target "$work/site" "$SRCEXTRACT_WHEEL"
  check "tests/python" "$python" -B -m pytest -q -p no:cacheprovider tests/python
  tail -n 3 "$work/log"
  check "threads of Python" "$python" -B tests/bench/python_threads.py --program "$program"
  cat "$work/log"
}

step_bench() {
  SRCEXTRACT_PROGRAM=$program SRCEXTRACT_BENCH_STAGES=$tests/bench_stages limit=900 check "bench" scripts/bench.sh --full
  cat "$work/log"
}

for step in ${steps//,/ }; do
  declare -F "step_$step" >/dev/null || { echo "gpu_check: no step '$step'; see --help" >&2 && exit 2; }
done
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo "gpu_check: no nvidia-smi"
"$program" --version
for step in ${steps//,/ }; do
  echo "--- $step"
  "step_$step"
done

echo
echo "--- all of it, $SECONDS s"
cat "$table"
count() { grep -c "^$1" "$table" || true; }
echo "$(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
[[ $(count FAIL) -eq 0 && $(count PASS) -gt 0 ]]
