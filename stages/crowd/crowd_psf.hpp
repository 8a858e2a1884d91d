#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/psf_taps.hpp"
#include "stages/math/psf_model.hpp"

namespace srcextract {

/// A stamp: the light of a star of flux 1 in a square of pixels about the star. There are up to three planes: the PSF,
/// and its derivatives with respect to the star's x and y. A plane has 2 half + 1 rows of `stride` numbers; numbers
/// beyond the last column are 0.
struct CrowdStamp {
  std::int32_t x = 0, y = 0;  ///< column and row, in the image, of the middle pixel
  std::int32_t half = 0, stride = 0;
  const float* numbers = nullptr;

  SRCEXTRACT_HOST_DEVICE std::int32_t side() const { return 2 * half + 1; }
  SRCEXTRACT_HOST_DEVICE std::int32_t left() const { return x - half; }
  SRCEXTRACT_HOST_DEVICE std::int32_t top() const { return y - half; }
  SRCEXTRACT_HOST_DEVICE std::int64_t plane() const { return std::int64_t{side()} * stride; }
  /// Index of a pixel in a plane; column and row count from the first of the stamp.
  SRCEXTRACT_HOST_DEVICE std::int64_t place(std::int64_t column, std::int64_t row) const {
    return row * stride + column;
  }
};

/// A stamp is so large that the light outside is at most this fraction of the noise of a sky pixel, in each pixel.
inline constexpr double dark_light = 0.05;

/// Computes CrowdPsf::half_for(): half the side of a stamp, at least 3 FWHM, and at most `most`. outside[d] is the
/// largest pixel of the PSF at distance d or more.
SRCEXTRACT_HOST_DEVICE inline std::int32_t stamp_half(double flux, double level, double fwhm, std::int32_t most,
                                                      const double* outside) {
  const auto least = static_cast<std::int32_t>(std::ceil(3 * fwhm));
  std::int32_t half = least < most ? least : most;
  while (half < most && flux * outside[half + 1] > level) ++half;
  return half;
}

/// Draws stamps of a PSF model in single precision, with derivatives. Between the pixels of the mask (the grid that
/// tabulates the PSF), the PSF is the polynomial through eight pixels, along x and then along y. Outside the mask the
/// PSF is 0.
///
/// The photometry of single stars uses Lanczos' kernel instead. For a FWHM of six mask pixels, the values of that
/// kernel are wrong by 4e-4 of the peak, and the slopes by an eighth. Polynomial weights come from a table with linear
/// interpolation.
class CrowdPsf {
 public:
  /// Scratch memory of a thread that draws.
  struct Scratch {
    std::vector<float> mask, along_x, turned, taps;
    std::vector<std::int32_t> first;
  };

  /// fwhm() and half_for() use the PSF at the position (x, y), which should be the middle of the image.
  CrowdPsf(const PsfModel& model, double x, double y);

  /// Full width at half maximum, in pixels.
  double fwhm() const { return fwhm_; }
  /// Largest half side of a stamp, which the size of the mask limits.
  std::int32_t most_half() const { return most_half_; }
  /// Half the side, in pixels, of a stamp outside of which a star of this flux is nowhere brighter than `level`. At
  /// least 3 FWHM; at most most_half().
  std::int32_t half_for(double flux, double level) const {
    return stamp_half(flux, level, fwhm_, most_half_, outside_.data());
  }

  static std::int32_t stride_of(std::int32_t half) { return (2 * half + 1 + 7 + 7) / 8 * 8; }
  static std::int64_t numbers_for(std::int32_t half) { return std::int64_t{2 * half + 1} * stride_of(half); }

  /// Data for drawing stamps on a device.
  const PsfModel& model() const { return model_; }
  std::int32_t plane_columns() const { return columns_; }
  std::int32_t plane_rows() const { return rows_; }
  const std::vector<float>& light() const { return light_; }
  const std::vector<float>& spread() const { return spread_; }
  const std::vector<float>& table() const { return table_; }
  const std::vector<double>& outside() const { return outside_; }

  enum class Planes { light, spread };
  /// Draws a stamp about the pixel nearest to (x, y) into `out`: one plane, or three planes if `derivatives` is true.
  CrowdStamp draw(double x, double y, std::int32_t half, bool derivatives, float* out, Scratch& scratch,
                  Planes planes = Planes::light) const;

 private:
  static constexpr int taps = PsfModel::taps, phases = PsfTaps::phases, margin = PsfTaps::margin;

  void make_table();
  void take_planes(const double* from, std::vector<float>& to) const;
  void find_fwhm(double x, double y);

  PsfModel model_;
  std::int32_t columns_ = 0, rows_ = 0;  ///< columns and rows of a plane, including its margin
  std::vector<float> light_, spread_;    ///< planes of the model with a margin of zeros, stored column by column
  /// for each phase (position between two taps): weights of the taps for the value, then for the slope
  std::vector<float> table_;
  double fwhm_ = 1;
  std::int32_t most_half_ = 1;
  /// per distance in pixels: largest pixel of the PSF at this distance or further from the middle
  std::vector<double> outside_;
};

}  // namespace srcextract
