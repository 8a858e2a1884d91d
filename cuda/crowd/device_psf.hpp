#pragma once

#include "cuda/crowd/device_list.hpp"
#include "stages/crowd/crowd_psf.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// The data of a CrowdPsf in device memory; the members have the same meaning as in CrowdPsf.
struct PsfView {
  PsfModel model;  ///< `numbers` holds only the head and the exponents
  std::int32_t columns, rows;
  const float *light, *spread, *table;
  const double* outside;
  double fwhm;
  std::int32_t most_half;
};

/// The planes of a stamp to draw: the PSF; the PSF and its derivatives by x and y; or the PSF convolved with a disk.
enum class StampPlanes { light, light_and_slopes, spread };

/// CrowdPsf on a device; draws bit-identical numbers.
class DevicePsf {
 public:
  DevicePsf(const CrowdPsf& psf, const Gpu& where);

  double fwhm() const { return view_.fwhm; }
  std::int32_t most_half() const { return view_.most_half; }

  /// Sets CrowdStamp::half, which is (side - 1) / 2 of the square, of the stars' stamps: to `half`, or to
  /// CrowdPsf::half_for() if `half` is 0.
  void choose_halves(const CrowdStar* stars, std::int64_t count, double level, std::int32_t half, CrowdStamp* stamps,
                     const Gpu& where) const;
  /// Draws the stamps of stars into `numbers`, which grows if necessary, and sets the stamps' members. The caller must
  /// have called choose_halves(). Rows of a stamp follow each other without gaps. Returns the largest CrowdStamp::half.
  std::int32_t draw(const CrowdStar* stars, std::int64_t count, StampPlanes planes, CrowdStamp* stamps,
                    Buffer<float, Gpu>& numbers, const Gpu& where) const;

 private:
  std::int32_t least_half_;
  Buffer<double, Gpu> exponents_, outside_;
  Buffer<float, Gpu> light_, spread_, table_;
  PsfView view_;
};

}  // namespace srcextract
