#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "stages/core/stage_record.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Number of levels between threshold and peak, for each of which the pixels above are counted.
inline constexpr int profile_levels = 8;

/// The profile of a source between its peak and the threshold, measured in its own pixels.
struct ProfileRow {
  double fwhm;
  double contrast;                    ///< peak divided by the analysis threshold; 0 if the threshold is not above 0
  double threshold;                   ///< lowest threshold of the source's pixels; 0 if all pixels have the same noise
  std::int32_t area[profile_levels];  ///< number of pixels above each level
  std::int32_t core;                  ///< number of pixels in the fit of the FWHM
  std::int32_t flags;

  bool operator==(const ProfileRow&) const = default;
  template <int Level>
  static std::int32_t area_above(const ProfileRow& row, const FluxCalibration&) {
    return row.area[Level];
  }
};

/// SExtractor's FWHM_IMAGE and ISO0 to ISO7. v is the value of a pixel of the source in the measured image minus the
/// background, and p is the largest v. t is the analysis threshold. If a weight map or a mesh gives the noise, t is the
/// lowest threshold of the source's pixels; else t follows from the noise of the whole image. `contrast` always uses
/// the threshold of the whole image. If the local sky is known, it is subtracted from p and t, and in the fit from v.
///  - ISO_i is the number of pixels above t (p / t)^(i/8).
///  - A Gaussian is fitted to the pixels above max(p / 5, t): ln v = A - B r^2 with weights v^2, and B at least 1 / (13
///    A_IMAGE B_IMAGE). With w = 1.6651 / sqrt B the FWHM is w - 1 / (4 w). If only one pixel is fitted, the FWHM is 0.
struct ProfileFamily {
  using Row = ProfileRow;
  static constexpr const char* name = "profile";

  explicit ProfileFamily(const Settings&) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE ProfileRow measure(const Lanes& lanes, const MeasuredSource& source,
                                            const PhotometryImage& image, int) const {
    const OwnPixels own{image, source.number};
    const ApertureBox box = own_box(*source.found);
    const auto peak = static_cast<float>(lanes.max(box, [&](std::int32_t x, std::int32_t y) { return own.at(x, y); }));
    const auto in_whole = static_cast<float>(image.threshold);
    ProfileRow result{};
    const auto sky = static_cast<float>(source.local_sky), height = peak - sky;
    if (in_whole > 0) result.contrast = static_cast<double>(height / in_whole);
    const float threshold = lowest_threshold(lanes, own, box) - sky;
    if (image.threshold_follows_variance || image.least_variance != nullptr) result.threshold = threshold;
    count_levels(lanes, own, box, threshold > 0 ? threshold : 0, height, result);
    if (source.shape.defined) fit_core(lanes, own, box, source, threshold, height, result);
    return result;
  }

  static constexpr RowColumn<ProfileRow> columns[] = {
      {"FWHM_IMAGE", "pixel", "phys.angSize;instr.det", "Width of the core at half maximum, as a Gaussian fits it",
       "profile", [](const ProfileRow& row, const FluxCalibration&) { return row.fwhm; }},
      {"ISO0", "pixel", area_ucd, "Pixels above level 0 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<0>},
      {"ISO1", "pixel", area_ucd, "Pixels above level 1 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<1>},
      {"ISO2", "pixel", area_ucd, "Pixels above level 2 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<2>},
      {"ISO3", "pixel", area_ucd, "Pixels above level 3 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<3>},
      {"ISO4", "pixel", area_ucd, "Pixels above level 4 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<4>},
      {"ISO5", "pixel", area_ucd, "Pixels above level 5 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<5>},
      {"ISO6", "pixel", area_ucd, "Pixels above level 6 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<6>},
      {"ISO7", "pixel", area_ucd, "Pixels above level 7 of 8 from the analysis threshold to the peak", "profile",
       ProfileRow::area_above<7>},
  };

 private:
  /// Reads the pixels of one source. A masked pixel, or a pixel of another source, gives -1e300.
  struct OwnPixels {
    const PhotometryImage& image;
    std::int32_t number;

    SRCEXTRACT_HOST_DEVICE double at(std::int32_t x, std::int32_t y) const {
      constexpr double below_all = -1e300;
      const std::int64_t i = image.at(x, y);
      const double value = image.pixels[i] - image.background;
      return image.owner[i] == number && value == value ? value : below_all;
    }

    /// Returns the variance of a pixel of the source with a minus sign, so that a maximum finds the least variance.
    /// Other pixels give -1e300.
    SRCEXTRACT_HOST_DEVICE double negative_variance(std::int32_t x, std::int32_t y) const {
      constexpr double below_all = -1e300;
      const std::int64_t i = image.at(x, y);
      const float variance = image.variance[i];
      return image.owner[i] == number && variance == variance ? -static_cast<double>(variance) : below_all;
    }
  };

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static float lowest_threshold(const Lanes& lanes, const OwnPixels& own,
                                                       const ApertureBox& box) {
    const PhotometryImage& image = own.image;
    if (!image.threshold_follows_variance && image.least_variance == nullptr)
      return static_cast<float>(image.threshold);
    const double least =
        image.threshold_follows_variance
            ? -lanes.max(box, [&](std::int32_t x, std::int32_t y) { return own.negative_variance(x, y); })
            : image.least_variance[own.number - 1];
    const AnalysisLine& line = image.analysis;
    return static_cast<float>(line.at_none + line.of_noise * std::sqrt(least));
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static void count_levels(const Lanes& lanes, const OwnPixels& own, const ApertureBox& box,
                                                  float threshold, float peak, ProfileRow& result) {
    // The powers 1/8 to 7/8 of the ratio are products of square roots, which round the same on host and GPU.
    const double ratio = threshold > 0 && peak > threshold ? static_cast<double>(peak / threshold) : 1;
    const double half = std::sqrt(ratio), quarter = std::sqrt(half), eighth = std::sqrt(quarter);
    const auto counted =
        lanes.template count<profile_levels>(box, [&](std::int32_t x, std::int32_t y) -> Counted<profile_levels> {
          const double value = own.at(x, y);
          Counted<profile_levels> above;
          for (int i = 0; i < profile_levels; ++i) {
            const double power = ((i & 4) != 0 ? half : 1) * ((i & 2) != 0 ? quarter : 1) * ((i & 1) != 0 ? eighth : 1);
            above.of[i] = value > static_cast<double>(static_cast<float>(threshold * power)) ? 1 : 0;
          }
          return above;
        });
    for (int i = 0; i < profile_levels; ++i) result.area[i] = static_cast<std::int32_t>(counted.counts[i]);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static void fit_core(const Lanes& lanes, const OwnPixels& own, const ApertureBox& box,
                                              const MeasuredSource& source, float threshold, float peak,
                                              ProfileRow& result) {
    const SourceShape& shape = source.shape;
    const float fifth = peak / 5, least = fifth > threshold ? fifth : threshold;
    const Sums<6> sums = lanes.template sum<6>(box, [&](std::int32_t x, std::int32_t y) -> Sums<6> {
      const double value = own.at(x, y) - source.local_sky;
      if (!(value > least) || !(value > 0)) return {};
      const double dx = x - shape.x, dy = y - shape.y, square = dx * dx + dy * dy;
      const double weight = value * value, height = portable_log(value);
      return {{weight, weight * square, weight * height, weight * square * square, weight * square * height, 1}};
    });
    const double s = sums.of[0], sx = sums.of[1], sy = sums.of[2], sxx = sums.of[3], sxy = sums.of[4];
    const double determinant = s * sxx - sx * sx;
    result.core = static_cast<std::int32_t>(sums.of[5]);
    if (result.core < 2 || determinant == 0) return;
    constexpr double pixels_of_widest = 13, width_of_gaussian = 1.6651;  // width_of_gaussian is 2 sqrt(ln 2)
    const double widest = 1 / (pixels_of_widest * shape.a * shape.b), fitted = (sx * sy - s * sxy) / determinant;
    const double width = width_of_gaussian / std::sqrt(fitted > widest ? fitted : widest);
    result.fwhm = width - 1 / (4 * width);
  }
};

inline void record_fields(const Buffer<ProfileRow, Cpu>& rows, FieldRecorder& to) {
  to.members("width", Element::source, rows, &ProfileRow::fwhm);
  to.members("contrast", Element::source, rows, &ProfileRow::contrast);
  to.members("threshold", Element::source, rows, &ProfileRow::threshold);
  for (int i = 0; i < profile_levels; ++i)
    to.members("pixels above level " + std::to_string(i), Element::source, rows,
               [i](const ProfileRow& row) { return row.area[i]; });
}

}  // namespace srcextract
