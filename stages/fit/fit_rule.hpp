#pragma once

#include "stages/fit/fit_block.hpp"
#include "stages/fit/noise_correlation.hpp"
#include "stages/fit/seeds.hpp"
#include "stages/settings/fit.hpp"

namespace srcextract {

struct FitRule {
  FitConfig config;
  GaussianShape beam;
  double beam_pixels = 1;  ///< PixelBeam::area(): the number of pixels per beam
  NoiseCorrelation correlation;
  SeedRule seeds;

  FitRule(const FitConfig& of, const PixelBeam& pixel_beam, double noise_area, double threshold, double seed)
      : config(of),
        beam(shape_of(pixel_beam)),
        beam_pixels(pixel_beam.area()),
        correlation(beam, noise_area),
        seeds{beam, seed, threshold, noise_of_curvature(correlation), ripple_of_curvature(beam)} {}
};

}  // namespace srcextract
