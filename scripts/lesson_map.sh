#!/usr/bin/env bash
# Makes the catalogue of the lesson's GMRT map, and holds it against the numbers that the lesson publishes.
set -euo pipefail

url=https://raw.githubusercontent.com/carpentries-incubator/lesson-gpu-programming/5a717c2f4ac7f2422a12b2ef6683e28c4f5bb924/episodes/data/GMRT_image_of_Galactic_Center.fits
blob=ea755404c9c7e291822a4485a9b2ee650980203f # of git

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  cat <<'END'
Usage: scripts/lesson_map.sh [FILE]
Takes the map from FILE, or fetches it to build/lesson_map.fits, and writes its catalogue of 185 sources into build/.
scripts/test.sh has built the program before.
END
  exit
fi

file=${1:+$(realpath -- "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ -z $file ]]; then
  file=$PWD/build/lesson_map.fits
  if [[ ! -s $file ]] && ! curl -fL --retry 3 -o "$file" "$url"; then
    rm -f "$file"
    echo "lesson_map.sh: the map could not be fetched from $url; fetch it elsewhere, and give its path" >&2
    exit 2
  fi
fi
if [[ $(git hash-object --no-filters "$file") != "$blob" ]]; then
  echo "lesson_map.sh: $file is not the lesson's map, or not all of it; fetch it again from $url" >&2
  exit 2
fi
build/srcextract -o build/ config/lesson.yaml "$file"
SRCEXTRACT_GMRT_FITS=$file ctest --test-dir build --output-on-failure --no-tests=error -R '^truth\.gmrt$'
