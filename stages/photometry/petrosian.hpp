#pragma once

#include <cstdint>

#include "stages/measure/row_column.hpp"
#include "stages/photometry/own_pixels.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The light in an ellipse out to the radius at which the source has become faint (Petrosian 1976, ApJ 209, L1), as
/// SExtractor's FLUX_PETRO. Let Q = cxx dx^2 + cyy dy^2 + cxy dx dy. Only pixels that are good and belong to no other
/// source are used.
/// - k is the first of 0.3, 0.6 ... at which the mean pixel in k^2 <= Q <= (1.2 k)^2 is less than a fifth of the mean
///   pixel in Q < (1.1 k)^2.
/// - If no such k is below 5, k is the last value below 5.
/// - The flux is the sum of pixels with Q <= R^2, where R = max(factor 1.1 k, minimum).
struct PetrosianFamily : EllipseFamily<PetrosianFamily> {
  static constexpr const char* name = "petrosian";
  static constexpr RowColumn<EllipseFlux> columns[] = {
      {"FLUX_PETRO", pixel_sum_unit, flux_ucd, "Sum of pixels in the Petrosian ellipse, above BACKGROUND", "profile",
       LightOf<EllipseFlux>::flux},
      {"FLUXERR_PETRO", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_PETRO", "profile",
       LightOf<EllipseFlux>::error},
      {"MAG_PETRO", "mag", magnitude_ucd, "Magnitude of FLUX_PETRO; 99 if that is not above 0", "profile",
       LightOf<EllipseFlux>::magnitude},
      {"MAGERR_PETRO", "mag", magnitude_error_ucd, "RMS error of MAG_PETRO", "profile",
       LightOf<EllipseFlux>::magnitude_error},
      {"PETRO_RADIUS", "", "phys.angSize;arith.ratio", "Size of the Petrosian ellipse in units of A_IMAGE and B_IMAGE",
       "profile", [](const EllipseFlux& row, const FluxCalibration&) { return static_cast<double>(row.radius); }},
  };

  explicit PetrosianFamily(const Settings& config) : EllipseFamily(config.measurement.petrosian, config.measurement) {}

  /// Returns the radius R of the ellipse for the flux. If all pixels near the source are masked, R is `minimum`, as in
  /// SExtractor.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE float radius(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                      float reach, std::int32_t& flags) const {
    const Faded faded = faded_at(lanes, source, image, reach);
    if (box_of_ellipse(source.shape, reach, image).cut) flags |= flag::aperture_cut;
    if (is_mostly_masked(faded.masked, faded.area)) flags |= flag::crowded;
    const double scale = faded.within_area > 0 ? faded.scale : 0;
    const auto wanted = static_cast<float>(factor * 1.1 * scale), smallest = static_cast<float>(minimum);
    return wanted > smallest ? wanted : smallest;
  }

 private:
  static constexpr float annulus = 1.2F, core = 1.1F;
  /// Pixels are first copied up to this scale only; two thirds of sources have a smaller k (measured).
  static constexpr float usual = 3.1F;

  /// Sums and numbers of pixels within 1.2 k, for one scale k. `annulus` is for k <= sqrt(Q) <= 1.2 k, `within` for
  /// sqrt(Q) < 1.1 k.
  struct Rings {
    double annulus, within;
    std::int64_t annulus_area, within_area, area, masked;

    /// Whether the mean pixel of the annulus is less than a fifth of the mean pixel within. A thin annulus near the
    /// centre may have no pixel; the result is then false.
    SRCEXTRACT_HOST_DEVICE bool fade() const {
      return annulus_area > 0 && within_area > 0 &&
             annulus / static_cast<double>(annulus_area) < 0.2 * within / static_cast<double>(within_area);
    }
  };

  /// The scale k at which a source has become faint, and numbers of pixels within 1.2 k.
  struct Faded {
    float scale;
    std::int64_t within_area, area, masked;
  };

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE Faded faded_at(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                        float reach) const {
    if constexpr (Lanes::width > 1) {
      if (KeptOwnPixels<Lanes::width>::hold(box_at(source, image, reach / annulus))) {
        KeptOwnPixels<Lanes::width> kept(source, image);
        return faded_among(lanes, source, image, reach, kept);
      }
    }
    OwnPixels<Lanes::width> own(source, image);
    return faded_among(lanes, source, image, reach, own);
  }

  template <class Lanes, class Pixels>
  SRCEXTRACT_HOST_DEVICE Faded faded_among(const Lanes& lanes, const MeasuredSource& source,
                                           const PhotometryImage& image, float reach, Pixels& pixels) const {
    const float step = reach / 20, last = reach / annulus, near = usual < last ? usual : last;
    Faded faded{step, 0, 0, 0};
    for (float next = step; next * annulus < reach; next += step) {
      const ApertureBox box = box_at(source, image, next);
      pixels.look_at(lanes, box, [&] { return box_at(source, image, next < near ? near : last); });
      const Rings rings = rings_at(lanes, box, pixels, next);
      faded = {next, rings.within_area, rings.area, rings.masked};
      if (rings.fade()) break;
    }
    return faded;
  }

  /// The box of the ellipse at 1.2 times `scale`, enlarged by 1 % so that rounding excludes no pixel of the ellipse.
  SRCEXTRACT_HOST_DEVICE static ApertureBox box_at(const MeasuredSource& source, const PhotometryImage& image,
                                                   float scale) {
    return box_of_ellipse(source.shape, 1.01F * annulus * scale, image);
  }

  template <class Lanes, class Pixels>
  SRCEXTRACT_HOST_DEVICE static Rings rings_at(const Lanes& lanes, const ApertureBox& box, const Pixels& own_pixels,
                                               float scale) {
    constexpr int width = Lanes::width;
    const float inner = scale * scale, outer = annulus * scale * (annulus * scale);
    const float middle = core * scale * (core * scale);
    const auto add = [&](std::int32_t x, std::int32_t y, int count, BlockSums<2, width>& pixels,
                         BlockCounts<4, width>& counted) {
      const auto block = own_pixels.block(x, y, count, outer);
      // Each sum has its own loop, so that compilers vectorise each loop.
      const auto& own = block.sample.own;
      const auto& value = block.sample.value;
      for (int i = 0; i < width; ++i) counted.of[0][i] = own[i] & (block.ellipse.square[i] >= inner ? 1 : 0);
      for (int i = 0; i < width; ++i) counted.of[1][i] = own[i] & (block.ellipse.square[i] < middle ? 1 : 0);
      for (int i = 0; i < width; ++i) pixels.of[0][i] = counted.of[0][i] != 0 ? value[i] : 0;
      for (int i = 0; i < width; ++i) pixels.of[1][i] = counted.of[1][i] != 0 ? value[i] : 0;
      for (int i = 0; i < width; ++i) counted.of[2][i] = block.ellipse.in_reach[i];
      for (int i = 0; i < width; ++i) counted.of[3][i] = block.ellipse.in_reach[i] - own[i];
    };
    const auto all = lanes.template sum_and_count<2, 4>(box, add);
    return {all.sums.of[0], all.sums.of[1], all.counts[0], all.counts[1], all.counts[2], all.counts[3]};
  }
};

}  // namespace srcextract
