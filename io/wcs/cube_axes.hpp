#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Polarisations with their numbers in FITS.
enum Stokes : int { stokes_i = 1, stokes_q = 2, stokes_u = 3, stokes_v = 4 };

/// The coordinates of one plane of a cube along the axes above the second.
struct CubePlane {
  std::int64_t number = 1;        ///< number of the plane, from 1
  std::int64_t channel = 0;       ///< index along the spectral axis, from 0
  std::int64_t polarisation = 0;  ///< index along the axis STOKES, from 0
  std::int64_t other = 0;         ///< index along all other axes together, from 0
  int stokes = stokes_i;          ///< value of STOKES, as numbered in FITS; stokes_i without that axis
  double frequency = 0;           ///< frequency in Hz, from the spectral axis; 0 if unknown
};

/// Header cards for the axes above the second of an image that was made from planes of a cube. Each of these axes has
/// length 1.
struct FurtherAxes {
  std::size_t count = 0;
  std::string cards = {};  ///< CTYPE, CUNIT, CRVAL, CRPIX and CDELT or CDi_i of each axis
};

/// The axes of a cube above the second: a spectral axis, an axis of polarisations (STOKES), and others, in any order.
/// If no CTYPE says that an axis is spectral, the first axis other than STOKES with several planes counts as spectral.
class CubeAxes {
 public:
  /// `header` has 80-column cards, and may describe more axes than `axes` has; these have length 1. `axes` are NAXIS1,
  /// NAXIS2, ...
  CubeAxes(std::string_view header, const std::vector<std::int64_t>& axes);
  CubeAxes(const CubeAxes&) = delete;
  CubeAxes& operator=(const CubeAxes&) = delete;

  std::int64_t planes() const { return planes_; }
  /// RESTFRQ (or the older RESTFREQ) in Hz, or 0 if the header has neither.
  double rest_frequency() const { return rest_frequency_; }
  CubePlane plane(std::int64_t number) const;

  /// Returns the planes with polarisation `stokes`, in the order of their channels, that have the coordinates of `like`
  /// on all other axes.
  std::vector<CubePlane> channels_of(int stokes, const CubePlane& like) const;

  /// Returns the cards of these axes for an image that combines `planes`. Steps are written as CDi_i if `as_matrix`,
  /// else as CDELT. CRPIX is such that pixel 1 of each axis has the weighted mean coordinate of the planes.
  FurtherAxes axes_of(const std::vector<std::int64_t>& planes, const std::vector<double>& weights,
                      bool as_matrix) const;

 private:
  struct Axis {
    std::string number, type, unit;
    std::int64_t length = 1, stride = 1;
    double value = 0, pixel = 0, step = 0;

    std::int64_t index(std::int64_t plane) const { return (plane - 1) / stride % length; }
    double at(double index) const { return value + (index + 1 - pixel) * step; }
  };

  double frequency_at(std::int64_t index) const;

  std::vector<Axis> axes_;
  const Axis* spectral_ = nullptr;
  const Axis* stokes_ = nullptr;
  std::int64_t planes_ = 1;
  std::size_t further_ = 0;
  double rest_frequency_ = 0, rest_wavelength_ = 0;
  bool radio_velocity_ = true;
};

/// Returns the weighted mean of `of(plane)` over the planes, or the plain mean if there are no weights.
template <class F>
double mean_over(const std::vector<std::int64_t>& planes, const std::vector<double>& weights, F&& of) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    sum += weight * of(planes[i]);
    all += weight;
  }
  return sum / all;
}

}  // namespace srcextract
