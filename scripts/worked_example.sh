#!/usr/bin/env bash
# Builds the program with the measurement of docs/example_plug.patch, and checks what it measures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  cat <<'END'
Usage: scripts/worked_example.sh [--compile]
Applies docs/example_plug.patch to a copy of the sources in build-example/, builds it without CUDA and without
optimisation, and compares the new column FLUX_RADIAL of data/sky.fits with a sum made by NumPy.
--compile: only compiles the stages and the configuration, a fifth of the time.
END
  exit
fi

rm -rf build-example/source
mkdir -p build-example/source
git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C build-example/source
patch -s -p1 -d build-example/source <docs/example_plug.patch
cmake -S build-example/source -B build-example/build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DSRCEXTRACT_CUDA=OFF \
  -DSRCEXTRACT_TESTS=OFF >/dev/null
if [[ ${1:-} == --compile ]]; then
  cmake --build build-example/build --target srcextract_config
  exit
fi
cmake --build build-example/build --target srcextract

cd build-example
echo "1 1 0.8 0.5 0.2 0" >weights.txt
cat >radial.yaml <<'END'
extends: none
background: {method: constant}
measurement: {mask: none}
radial: {weights: weights.txt}
output: {formats: [fits], columns: [default, FLUX_RADIAL, FLUXERR_RADIAL]}
END
build/srcextract -q --threads 2 -o out radial.yaml ../data/sky.fits
# The system's Python: the packages that scripts/setup.sh installs are its own.
/usr/bin/python3 - out/sky.cat.fits ../data/sky.fits weights.txt <<'END'
import sys
import numpy
from astropy.io import fits

rows, image = fits.getdata(sys.argv[1]), fits.getdata(sys.argv[2]).astype(float)
weights = numpy.loadtxt(sys.argv[3])
y, x = numpy.indices(image.shape)
seen = 0
for row in rows:
    distance = numpy.hypot(x + 1 - row["X_IMAGE"], y + 1 - row["Y_IMAGE"])
    if not numpy.isfinite(row["FLUX_RADIAL"]) or row["FLAGS"] & 256:  # beside BLANK pixels, which astropy reads as 0
        continue
    weight = numpy.interp(distance, range(len(weights)), weights, right=0)
    numpy.testing.assert_allclose(row["FLUX_RADIAL"], numpy.nansum(weight * (image - row["BACKGROUND"])), rtol=1e-4, atol=1e-2)
    seen += 1
assert seen > 100, seen
print(f"FLUX_RADIAL of {seen} sources is NumPy's")
END
echo "1 much" >weights.txt
message=$(build/srcextract -q -o out radial.yaml ../data/sky.fits 2>&1) && exit 1
grep -qF "weights.txt:1: 'much' is no finite number" <<<"$message" || { echo "worked_example: $message" >&2 && exit 1; }
echo "A damaged file is answered: $message"
