#pragma once

#include "cuda/crowd/device_list.hpp"
#include "stages/crowd/crowd_psf.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// The PSF of a crowd in device memory (CrowdPsf, which says what the members are).
struct PsfView {
  PsfModel model;  ///< its head and exponents alone
  std::int32_t columns, rows;
  const float *light, *spread, *table;
  const double* outside;
  double fwhm;
  std::int32_t most_half;
};

/// Which planes of a star are drawn.
enum class StampPlanes { light, light_and_slopes, spread };

/// CrowdPsf on a device: the same numbers, to the last bit.
class DevicePsf {
 public:
  DevicePsf(const CrowdPsf& psf, const Gpu& where);

  double fwhm() const { return view_.fwhm; }
  std::int32_t most_half() const { return view_.most_half; }

  /// Sets the halves of the stamps of stars: as CrowdPsf::half_for says, or `half` if that is not 0.
  void choose_halves(const CrowdStar* stars, std::int64_t count, double level, std::int32_t half, CrowdStamp* stamps,
                     const Gpu& where) const;
  /// Draws stars into `numbers`, which grows if need be, and sets their stamps. The caller must have set the halves
  /// (choose_halves). Rows of a stamp follow each other without a gap. Returns the largest half.
  std::int32_t draw(const CrowdStar* stars, std::int64_t count, StampPlanes planes, CrowdStamp* stamps,
                    Buffer<float, Gpu>& numbers, const Gpu& where) const;

 private:
  std::int32_t least_half_;
  Buffer<double, Gpu> exponents_, outside_;
  Buffer<float, Gpu> light_, spread_, table_;
  PsfView view_;
};

}  // namespace srcextract
