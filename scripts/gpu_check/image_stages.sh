# shellcheck shell=bash
# Of scripts/gpu_check.sh, which sources it: images with every stage that they may go through.
# shellcheck disable=SC2154  # work, program and check() are its own

# Circles and ellipses all over an image of 2048 pixels squared, and beyond it.
write_positions() {
  awk 'BEGIN { print "X_IMAGE,Y_IMAGE,A_IMAGE,B_IMAGE,THETA_IMAGE,KRON_RADIUS"
    for (i = 0; i < 5000; i++)
      printf "%.3f,%.3f,%.2f,1.5,%d,%.1f\n", i * 37.91 % 2060, i * 91.37 % 2055, 1.5 + i % 5, i * 7 % 180, i % 3 * 1.5
  }' >"$work/positions.csv"
}

# --backend compare with every stage that an image may go through.
compare_image_stages() {
  local skies=$work/skies image method kernel options
  options=(-q --backend compare -o "$work/out" --set output.quicklook=true)
  for image in square_2048 nan_2048 odd_4095x4097 wide_2047x513; do
    for kernel in 'gaussian --set convolve.fwhm=3.5' 'tophat --set convolve.radius=7 --set convolve.edges=reflect' \
      'mexican_hat --set convolve.sigma=2 --set convolve.edges=nearest'; do
      # shellcheck disable=SC2086 # several words
      check "compare ${kernel%% *} $image" "$program" "${options[@]}" --set convolve.kernel=$kernel \
        --set morphology.operation=opening --set detection.threshold_unit=detection_sigma \
        --set quicklook.stretch=equalize tests/support/plain.yaml "$skies/$image.fits"
    done
  done
  for method in luminosity mean inverse_variance chi_square median; do
    check "compare $method of three" "$program" "${options[@]}" --set combine.method=$method \
      --set "combine.files=['$skies/crowded_2048.fits', '$skies/nan_2048.fits']" tests/support/plain.yaml \
      "$skies/square_2048.fits"
  done
  for method in none variance all; do
    check "compare weights, interpolate $method" "$program" "${options[@]}" --set weights.type=weight \
      --set "weights.file=$skies/maps/weights_2048.fits" --set weights.interpolate=$method tests/support/plain.yaml \
      "$skies/square_2048.fits"
  done
  local photometry=(--set deblend.method=tree --set 'output.columns=[all]' --set 'measurement.apertures=[3, 5, 23.7]')
  for image in square_2048 nan_2048 crowded_2048 odd_4095x4097; do
    check "compare deblended, all columns $image" "$program" "${options[@]}" "${photometry[@]}" \
      --set detection.threshold=1.5 --set convolve.kernel=gaussian --set convolve.fwhm=3 tests/support/plain.yaml "$skies/$image.fits"
    check "compare cleaned, all columns $image" "$program" "${options[@]}" "${photometry[@]}" --set deblend.clean=true \
      --set detection.threshold=1.5 --set convolve.kernel=gaussian --set convolve.fwhm=3 tests/support/plain.yaml "$skies/$image.fits"
    check "compare sextractor.yaml $image" "$program" "${options[@]}" config/sextractor.yaml "$skies/$image.fits"
  done
  for image in square_2048 nan_2048 crowded_2048; do
    check "compare seeds of both signs $image" "$program" "${options[@]}" --set detection.sign=both \
      --set detection.threshold=2 --set detection.seed=4 tests/support/plain.yaml "$skies/$image.fits"
  done
  for image in square_2048 nan_2048; do
    check "compare matched filter, false discoveries $image" "$program" "${options[@]}" --set convolve.kernel=gaussian \
      --set convolve.fwhm=3 --set convolve.filter=matched --set detection.false_discovery_rate=0.05 \
      --set detection.analysis_threshold=2 tests/support/plain.yaml "$skies/$image.fits"
    check "compare matched filter, deblended, cleaned $image" "$program" "${options[@]}" --set convolve.kernel=gaussian \
      --set convolve.fwhm=3 --set convolve.filter=matched --set deblend.method=tree --set deblend.clean=true \
      --set detection.threshold=2 tests/support/plain.yaml "$skies/$image.fits"
  done
  check "compare surface brightness" "$program" "${options[@]}" --set detection.threshold_unit=mag_per_arcsec2 \
    --set detection.threshold=23 --set measurement.zero_point=25 --set measurement.pixel_scale=0.5 tests/support/plain.yaml \
    "$skies/odd_4095x4097.fits"
  local dual=(--set deblend.method=tree --set deblend.clean=true --set convolve.kernel=gaussian --set convolve.fwhm=3
    --set detection.threshold=1.5 --set 'output.columns=[all]' --set 'measurement.apertures=[3, 5, 23.7]')
  for image in square_2048 nan_2048; do
    check "compare found in crowded_2048, all columns $image" "$program" "${options[@]}" "${dual[@]}" \
      -d "$skies/crowded_2048.fits" tests/support/plain.yaml "$skies/$image.fits"
    check "compare found in nan_2048, one sky $image" "$program" "${options[@]}" --set background.method=constant \
      --set detection.analysis_threshold=2 -d "$skies/nan_2048.fits" tests/support/plain.yaml "$skies/$image.fits"
  done
  check "compare found elsewhere, weights" "$program" "${options[@]}" "${dual[@]}" --set weights.type=weight \
    --set "weights.file=$skies/maps/weights_2048.fits" -d "$skies/crowded_2048.fits" tests/support/plain.yaml \
    "$skies/square_2048.fits"
  check "compare bands" "$program" -q --backend compare -o "$work/out" "${dual[@]}" -d "$skies/crowded_2048.fits" \
    tests/support/plain.yaml --band "a=$skies/square_2048.fits" --band "b=$skies/nan_2048.fits"
  check "compare noise of empty apertures" "$program" "${options[@]}" --set measurement.noise=apertures \
    --set 'output.columns=[all]' tests/support/plain.yaml "$skies/square_2048.fits"
  check "compare noise of empty apertures, found elsewhere" "$program" "${options[@]}" "${dual[@]}" \
    --set measurement.noise=apertures -d "$skies/square_2048.fits" tests/support/plain.yaml "$skies/nan_2048.fits"
  write_positions
  check "compare positions" "$program" "${options[@]}" --positions "$work/positions.csv" tests/support/plain.yaml \
    "$skies/nan_2048.fits"
  check "compare positions, weights" "$program" "${options[@]}" --set weights.type=weight \
    --set "weights.file=$skies/maps/weights_2048.fits" --positions "$work/positions.csv" tests/support/plain.yaml \
    "$skies/square_2048.fits"
  check "compare difference" "$program" difference "${options[@]}" --set convolve.kernel=gaussian --set convolve.fwhm=3 \
    --set difference.kernel=gaussian --set measurement.gain=2 --set morphology.operation=erosion tests/support/plain.yaml "$skies"/{nan,crowded}_2048.fits
  check "compare difference of other seeing" "$program" difference "${options[@]}" --set difference.kernel=gaussian \
    --set difference.reference_fwhm=3 --set difference.new_fwhm=4.5 tests/support/plain.yaml "$skies"/{square,crowded}_2048.fits
  check "compare fitted difference, reference convolved" "$program" difference "${options[@]}" --set measurement.gain=2 \
    config/default.yaml "$skies"/{square,blurred}_2048.fits
  check "compare fitted difference, new frame convolved" "$program" difference "${options[@]}" --set 'output.columns=[all]' \
    tests/support/plain.yaml "$skies"/{blurred,square}_2048.fits
  # The frame with masked pixels is not convolved: too few of its pixels would be left.
  check "compare fitted difference, masked pixels" "$program" difference "${options[@]}" --set 'output.columns=[all]' \
    --set difference.convolve=reference tests/support/plain.yaml "$skies"/{blurred,nan}_2048.fits
}
