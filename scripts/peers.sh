#!/usr/bin/env bash
# Measures srcextract beside other programs, in a fresh environment, and writes docs/peers.csv.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END_OF_USAGE'
Usage: scripts/peers.sh [--only PEER,...] [--steps STEP,...] [--truth FILE]
Measures every figure of the documentation that names another program, and writes docs/peers.csv. It installs sep, photutils,
GalSim and, where pip has them built, bdsf, AegeanTools and radio-pyse into an environment that it removes at the end. SExtractor
and PSFEx are Debian's packages source-extractor and psfex. A program that cannot be had is named; its older figures stay.
  --only   some of Aegean, HOTPANTS, PSFEx, PyBDSF, PySE, SEP, SExtractor, crowdsource, photutils
  --steps  some of columns, pipeline, functions, truth, crowd, radio, difference
  --truth  a table that scripts/truth_plots.py made before; without it the simulated fields take twelve minutes of one core
Environment:
  SRCEXTRACT_PROGRAM      srcextract (build/srcextract)
  SRCEXTRACT_PYTHON       a Python with the packages srcextract and sep 1.4.1; without it srcextract.sep is left out
  SRCEXTRACT_HOTPANTS     HOTPANTS; without it HOTPANTS is left out
  SRCEXTRACT_CROWDSOURCE  what pip is to install as crowdsource, as crowdsourcephoto==0.5.9; without it crowdsource is left out
  PYTHON                  a Python 3.12 or later, which photutils 3.1 needs
Then scripts/peers_page.py puts the figures into docs/peers.md. Use a quiet machine: times are processor seconds, and other work
lengthens them, too.
END_OF_USAGE
}

options=() wanted=
while [[ $# -gt 0 ]]; do
  case $1 in
    --only | --steps | --truth)
      options+=("$1" "${2:?"$1 needs a value"}")
      [[ $1 == --truth ]] || wanted+=" $1=,$2,"
      shift
      ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done

program=${SRCEXTRACT_PROGRAM:-build/srcextract}
[[ -x $program ]] || { echo "peers: no $program; scripts/build.sh makes it, or SRCEXTRACT_PROGRAM names another" >&2 && exit 1; }

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12}; do
    "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo "$candidate" && return
  done
  echo "peers: no Python 3.12 or later, which photutils 3.1 needs (PYTHON)" >&2
  return 1
}

# install NAME PACKAGE...: into the environment of that name; fails where pip cannot.
install() { "$environments/$1/bin/pip" install -q --disable-pip-version-check "${@:2}"; }

python=$(find_python)
environments=$(mktemp -d)
trap 'rm -rf "$environments"' EXIT
"$python" -m venv "$environments/peers"
install peers -r tests/truth/simulated/requirements.txt pytest
if [[ ${SRCEXTRACT_CROWDSOURCE:-} ]]; then install peers --no-deps "$SRCEXTRACT_CROWDSOURCE"; fi

# Programs for radio maps have an environment of their own: they want older packages.
had=
radio_is_wanted() { [[ $wanted != *--only=* || $wanted =~ ,(PyBDSF|Aegean|PySE), ]] && [[ $wanted != *--steps=* || $wanted == *,radio,* ]]; }
if radio_is_wanted; then "$python" -m venv "$environments/radio"; fi
for package in $(if radio_is_wanted; then echo bdsf AegeanTools radio-pyse; fi); do
  if install radio --prefer-binary "$package" >/dev/null 2>&1; then had=1; else echo "peers: pip cannot install $package here" >&2; fi
done
[[ ! $had ]] || export SRCEXTRACT_RADIO_PYTHON=$environments/radio/bin/python

for name in source-extractor psfex; do
  [[ $(type -P "$name") ]] || echo "peers: no $name; apt-get install $name" >&2
done
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
"$environments/peers/bin/python" -B tests/bench/peer_figures.py --program "$program" "${options[@]}"
