#!/usr/bin/env bash
# Benchmarks: every stage by itself, and the four steps beside SciPy's and CuPy's.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Usage: scripts/bench.sh [SIZE...]
Prints the time of every stage by itself, then the four steps of config/lesson.yaml beside SciPy's and, where there is
a GPU, CuPy's, on simulated fields of SIZE x SIZE pixels (4096 if not given). Builds into build/ first; an unpacked
package, or SRCEXTRACT_PROGRAM in the environment, is taken as it is. SRCEXTRACT_BENCH_STAGES names the program of the
stages; PYTHON the interpreter (python3), which needs numpy, and scipy and cupy for the peers. What the machine lacks
is skipped, and said.
END
}

for argument in "$@"; do
  case $argument in
    --help | -h) usage && exit ;;
    '' | *[!0-9]*) usage >&2 && exit 2 ;;
  esac
done
sizes=("${@:-4096}")

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

# The first Python with numpy and scipy, or else with numpy: on many machines python3 is not the one with packages.
find_python() {
  local needed candidate
  for needed in "numpy, scipy" numpy; do
    for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
      "$candidate" -c "import $needed" 2>/dev/null && echo "$candidate" && return
    done
  done
}

describe_machine() {
  local gpu
  gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | paste -sd';') || true
  echo "date     $(date -u +%Y-%m-%dT%H:%MZ), load $(cut -d' ' -f1-3 /proc/loadavg)"
  echo "CPU      $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(nproc) cores"
  echo "GPU      ${gpu:-none}"
  echo "program  $("$program" --version | head -n 2 | tr -s ' ' | paste -sd' ')"
}

describe_machine
echo
if [[ -x $stages ]]; then
  "$stages" 2>&1
else
  echo "stages skipped: no bench_stages (SRCEXTRACT_BENCH_STAGES)"
fi
if python=$(find_python); then
  "$python" -B tests/bench/four_steps.py --program "$program" "${sizes[@]}"
else
  echo "four steps skipped: no python3 with numpy (PYTHON)"
fi
