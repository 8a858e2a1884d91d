#!/usr/bin/env bash
# From a fresh clone to a catalogue: installs what is missing, builds, runs, shows the first rows.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'END'
Usage: scripts/run.sh [CONFIG IMAGE]
Installs the missing packages, builds Release into build/ and runs build/srcextract.
Without arguments: config/default.yaml on data/sky.fits, into out/ in the repository.
With them: that configuration on that image, into the current directory.
The catalogue is written as FITS and as CSV, whatever CONFIG names; its first rows end on the screen.
SRCEXTRACT_CUDA=OFF in the environment builds the CPU back end alone.
END
}

# The columns to look at first, aligned, of the first rows of a CSV catalogue.
show() {
  awk -F, '
    function cell(name, value) {
      if (name ~ /^(NUMBER|NPIX|FLAGS)$/) return value
      return sprintf(name ~ /J2000/ ? "%.6f" : "%.2f", value)
    }
    BEGIN { count = split("NUMBER X_IMAGE Y_IMAGE ALPHA_J2000 DELTA_J2000 NPIX FLUX FLUXERR SNR FLAGS", names, " ") }
    NR == 1 {
      for (i = 1; i <= NF; i++) column[$i] = i
      for (i = 1; i <= count; i++) sub(/^FLUX(ERR)?$/, "&_" ("FLUX_AUTO" in column ? "AUTO" : "ISO"), names[i])
    }
    NR <= 11 {
      for (i = 1; i <= count; i++)
        if (names[i] in column) printf "%13s", NR == 1 ? names[i] : cell(names[i], $column[names[i]])
      print ""
    }
    END { print "(" (NR > 11 ? "the first 10 of " : "") NR - 1 " sources)" }' "$1"
}

case $# in
  0) config=$root/config/default.yaml image=$root/data/sky.fits output=$root/out ;;
  2) config=$1 image=$2 output=. ;;
  *)
    usage
    [[ $1 == --help || $1 == -h ]] && exit
    exit 2
    ;;
esac

"$root/scripts/setup.sh"
"$root/scripts/build.sh"

started=$(mktemp)
trap 'rm -f "$started"' EXIT
"$root/build/srcextract" --set 'output.formats=[fits,csv]' -o "$output" "$config" "$image"
find "$output" -maxdepth 1 -name '*.cat.csv' -newer "$started" | sort | while read -r catalogue; do
  echo "$catalogue"
  show "$catalogue"
done
