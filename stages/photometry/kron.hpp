#pragma once

#include <cmath>
#include <cstdint>

#include "stages/measure/row_column.hpp"
#include "stages/photometry/ellipse_flux.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The light in an ellipse whose size depends on the source's own light (Kron 1980, ApJS 43, 305), as SExtractor's
/// FLUX_AUTO (Bertin & Arnouts 1996, section 7).
/// - Q = cxx dx^2 + cyy dy^2 + cxy dx dy.
/// - p are the values of the pixels with Q <= 36 that are good and belong to no other source.
/// - The first moment is r_1 = sum sqrt(Q) p / sum p.
/// - The flux is the sum of pixels with Q <= k^2, where k = max(factor r_1, minimum). If one of the two sums is not
///   above 0, k = minimum.
/// - A circle can replace a small ellipse (measurement.least_apertures).
struct KronFamily : EllipseFamily<KronFamily> {
  static constexpr const char* name = "kron";
  static constexpr RowColumn<EllipseFlux> columns[] = {
      {"FLUX_AUTO", pixel_sum_unit, flux_ucd, "Sum of pixels in the Kron ellipse, above BACKGROUND", "photometry",
       LightOf<EllipseFlux>::flux},
      {"FLUXERR_AUTO", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_AUTO", "photometry",
       LightOf<EllipseFlux>::error},
      {"MAG_AUTO", "mag", magnitude_ucd, "Magnitude of FLUX_AUTO; 99 if that is not above 0", "photometry",
       LightOf<EllipseFlux>::magnitude},
      {"MAGERR_AUTO", "mag", magnitude_error_ucd, "RMS error of MAG_AUTO", "photometry",
       LightOf<EllipseFlux>::magnitude_error},
      {"KRON_RADIUS", "", "phys.angSize;arith.ratio", "Size of the Kron ellipse in units of A_IMAGE and B_IMAGE",
       "photometry", [](const EllipseFlux& row, const FluxCalibration&) { return static_cast<double>(row.radius); }},
  };

  explicit KronFamily(const Settings& config) : EllipseFamily(config.measurement.kron, config.measurement) {}

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE float radius(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                      float reach, std::int32_t& flags) const {
    constexpr int width = Lanes::width;
    const ApertureBox box = box_of_ellipse(source.shape, reach, image);
    const auto add = [&](std::int32_t x, std::int32_t y, int count, BlockSums<2, width>& pixels,
                         BlockCounts<2, width>& counted) {
      const auto ellipse = ellipse_pixels<width>(source.shape, x, y, count, reach * reach);
      const auto sample = image.own_samples(x, y, count, source.number, ellipse.in_reach);
      for (int i = 0; i < width; ++i) pixels.of[0][i] = sample.own[i] != 0 ? sample.value[i] : 0;
      for (int i = 0; i < width; ++i) {
        const double square = ellipse.square[i];
        const double moment = (square > 0 ? std::sqrt(square) : 0.0) * sample.value[i];
        pixels.of[1][i] = sample.own[i] != 0 ? moment : 0;
      }
      for (int i = 0; i < width; ++i) counted.of[0][i] = ellipse.in_reach[i];
      for (int i = 0; i < width; ++i) counted.of[1][i] = ellipse.in_reach[i] - sample.own[i];
    };
    const auto all = lanes.template sum_and_count<2, 2>(box, add);
    const double light = all.sums.of[0], moment = all.sums.of[1];
    flags |= (box.cut ? flag::aperture_cut : 0) | (is_mostly_masked(all.counts[1], all.counts[0]) ? flag::crowded : 0);
    const double wanted = light > 0 && moment > 0 ? factor * moment / light : minimum;
    return static_cast<float>(wanted > minimum ? wanted : minimum);
  }
};

}  // namespace srcextract
