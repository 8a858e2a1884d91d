#!/usr/bin/env bash
# Benchmarks: tables of time and memory beside limits and peers, from one run on this machine.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END_OF_USAGE'
Usage: scripts/bench.sh [--full | --largest SIZE] [--only TABLE,...] [--stages]
Prints Markdown tables (limit, peer, ours, ratio, wanted): the four steps on the GPU, end to end, on the CPU,
decompression, how cost grows, the sky as a mesh, what columns cost, image stages (convolution, combination, erosion, pictures), radio maps, differences beside HOTPANTS, surveys, images by rows, a million images, a visit of 189 images, compare, SEP's functions. What the
machine lacks (GPU, CuPy, SciPy, source-extractor, hyperfine) is skipped, and said.
  --largest SIZE  largest side of an image (4096: less than four minutes on two cores)
  --full          all sizes, up to 32768
  --only          some of device, end-to-end, cpu, compressed, growth, sky, columns, images, radio, difference, surveys, memory, million, visit,
                  compare, sep (PYTHONPATH names the package srcextract, or PYTHON has it)
  --stages        every stage by itself instead, as Google Benchmark prints it
Builds into build/ first; an unpacked package, or SRCEXTRACT_PROGRAM in the environment, is taken as it is.
Surveys need 3 GB and 400 000 files in TMPDIR: on a slow disk set it to a directory of /dev/shm. A million images need
4 GB there (SRCEXTRACT_BENCH_IMAGES: fewer).
SRCEXTRACT_HOTPANTS names HOTPANTS, SRCEXTRACT_BENCH_STAGES the benchmark program, PYTHON the interpreter (python3), which needs numpy.
END_OF_USAGE
}

options=() only_stages=
while [[ $# -gt 0 ]]; do
  case $1 in
    --full) options+=(--largest 32768) ;;
    --largest | --only) options+=("$1" "${2:?"$1 needs a value"}") && shift ;;
    --stages) only_stages=1 ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done

if [[ -n ${SRCEXTRACT_PROGRAM:-} ]]; then
  program=$SRCEXTRACT_PROGRAM stages=${SRCEXTRACT_BENCH_STAGES:-}
elif [[ -x bin/srcextract ]]; then
  program=$PWD/bin/srcextract stages=${SRCEXTRACT_BENCH_STAGES:-$PWD/bin/bench_stages}
else
  {
    scripts/setup.sh --tests
    scripts/build.sh -DSRCEXTRACT_TESTS=ON -DSRCEXTRACT_BENCHMARKS=ON
  } >&2
  program=$PWD/build/srcextract stages=$PWD/build/tests/bench_stages
fi
[[ -z $stages || -x $stages ]] || stages=

# The first Python with numpy and scipy, or else with numpy: on many machines python3 is not the one with packages.
find_python() {
  local needed candidate
  for needed in "numpy, scipy" numpy; do
    for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
      "$candidate" -c "import $needed" 2>/dev/null && echo "$candidate" && return
    done
  done
  echo "bench: no python3 with numpy (PYTHON)" >&2
  return 1
}

if [[ -n $only_stages ]]; then
  "${stages:?"no bench_stages (SRCEXTRACT_BENCH_STAGES)"}" \
    --benchmark_filter='/(ingest|background|threshold|label|measure|columns|morphology|(convolve|combine|erode|picture).*)/'
else
  python=$(find_python)
  "$python" -B tests/bench/report.py --program "$program" ${stages:+--stages "$stages"} "${options[@]}"
fi
