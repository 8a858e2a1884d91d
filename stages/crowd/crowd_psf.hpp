#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/psf_taps.hpp"
#include "stages/math/psf_model.hpp"

namespace srcextract {

/// Pixels of a square about a star: planes of (2 half + 1) rows of `stride` numbers each, with zeros at the end of a
/// row. Planes: the PSF, and its derivatives by the star's x and y.
struct CrowdStamp {
  std::int32_t x = 0, y = 0;  ///< the pixel of the image in its middle
  std::int32_t half = 0, stride = 0;
  const float* numbers = nullptr;

  SRCEXTRACT_HOST_DEVICE std::int32_t side() const { return 2 * half + 1; }
  SRCEXTRACT_HOST_DEVICE std::int32_t left() const { return x - half; }
  SRCEXTRACT_HOST_DEVICE std::int32_t top() const { return y - half; }
  SRCEXTRACT_HOST_DEVICE std::int64_t plane() const { return std::int64_t{side()} * stride; }
  /// Place of a pixel in a plane, from the first column and row.
  SRCEXTRACT_HOST_DEVICE std::int64_t place(std::int64_t column, std::int64_t row) const {
    return row * stride + column;
  }
};

/// A stamp may end where its light is below this part of the noise of the sky.
inline constexpr double dark_light = 0.05;

/// CrowdPsf::half_for(), at least 3 FWHM, at most `most`. outside[d]: largest pixel of the PSF from distance d on.
SRCEXTRACT_HOST_DEVICE inline std::int32_t stamp_half(double flux, double level, double fwhm, std::int32_t most,
                                                      const double* outside) {
  const auto least = static_cast<std::int32_t>(std::ceil(3 * fwhm));
  std::int32_t half = least < most ? least : most;
  while (half < most && flux * outside[half + 1] > level) ++half;
  return half;
}

/// Draws a model of the PSF in single precision, with derivatives. Between the pixels of the mask the PSF is the
/// polynomial through eight of them, along x and then along y. Single stars are fitted with Lanczos' kernel instead. At
/// a FWHM of six pixels of the mask it is wrong by 4e-4 of the peak, and its slope by an eighth. Weights are looked up
/// in a table, and interpolated linearly. Outside the mask the PSF is 0.
class CrowdPsf {
 public:
  /// Memory that a thread needs for drawing.
  struct Scratch {
    std::vector<float> mask, along_x, turned, taps;
    std::vector<std::int32_t> first;
  };

  /// `x` and `y`, the middle of the image, are where fwhm() and half_for() are found.
  CrowdPsf(const PsfModel& model, double x, double y);

  /// Width at half of the peak, in pixels.
  double fwhm() const { return fwhm_; }
  /// Largest half side of a stamp.
  std::int32_t most_half() const { return most_half_; }
  /// The half side outside of which a star of this flux is nowhere brighter than `level`; at least 3 FWHM, as long as
  /// the mask is that large.
  std::int32_t half_for(double flux, double level) const {
    return stamp_half(flux, level, fwhm_, most_half_, outside_.data());
  }

  static std::int32_t stride_of(std::int32_t half) { return (2 * half + 1 + 7 + 7) / 8 * 8; }
  static std::int64_t numbers_for(std::int32_t half) { return std::int64_t{2 * half + 1} * stride_of(half); }

  /// The numbers that a device needs to draw stamps.
  const PsfModel& model() const { return model_; }
  std::int32_t plane_columns() const { return columns_; }
  std::int32_t plane_rows() const { return rows_; }
  const std::vector<float>& light() const { return light_; }
  const std::vector<float>& spread() const { return spread_; }
  const std::vector<float>& table() const { return table_; }
  const std::vector<double>& outside() const { return outside_; }

  enum class Planes { light, spread };
  /// Draws one plane, or three with derivatives, into `out`, about the pixel nearest to (x, y).
  CrowdStamp draw(double x, double y, std::int32_t half, bool derivatives, float* out, Scratch& scratch,
                  Planes planes = Planes::light) const;

 private:
  static constexpr int taps = PsfModel::taps, phases = PsfTaps::phases, margin = PsfTaps::margin;

  void make_table();
  void take_planes(const double* from, std::vector<float>& to) const;
  void find_fwhm(double x, double y);

  PsfModel model_;
  std::int32_t columns_ = 0, rows_ = 0;  ///< size of a plane with its margin
  std::vector<float> light_, spread_;    ///< planes of the model, with zeros around, column by column
  std::vector<float> table_;             ///< for each phase: taps, and their derivatives by the place
  double fwhm_ = 1;
  std::int32_t most_half_ = 1;
  std::vector<double> outside_;  ///< largest pixel of the PSF at this distance or further
};

}  // namespace srcextract
