#pragma once

#include "cuda/crowd/device_list.hpp"
#include "cuda/crowd/device_psf.hpp"
#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// CrowdField on a device: the image, the stamps of all stars, and what is left over.
class DeviceField {
 public:
  /// The pixels of `image` are on the device, and stay there.
  DeviceField(const CrowdImage& image, std::int64_t sky_size, const Gpu& where);

  const Gpu& where() const { return where_; }
  Shape shape() const { return {view_.width, view_.height}; }
  const CrowdPixels& view() const { return view_; }
  double sigma() const;
  double* level() { return level_.data(); }
  const CrowdStamp* stamps() const { return stamps_.data(); }
  /// An upper limit of CrowdStamp::half of all stamps.
  std::int32_t most_half() const { return most_half_; }

  /// Draws the stamps of stars from number `first` on. `first` is 0, or the number of stars when all were drawn last.
  void draw(const DevicePsf& psf, const DeviceList<CrowdStar>& stars, std::int64_t first);
  void render(const DeviceList<CrowdStar>& stars, bool weigh);
  void soften();
  void measure_noise();

  /// The saturated pixels, ascending.
  std::vector<std::int64_t> saturated() const;
  std::vector<float> to_host(const float* plane) const;
  SkyNodes sky_to_host() const;

 private:
  void list_tiles(std::int64_t stars);
  float median_variance() const;

  Gpu where_;
  CrowdPixels view_;
  bool scales_, has_model_ = false, are_listed_ = false;
  double typical_ = 1;
  std::int32_t most_half_ = 0;
  Buffer<std::uint8_t, Gpu> good_;
  Buffer<float, Gpu> planes_;  ///< model, weight, residual
  Buffer<double, Gpu> level_;
  DeviceList<CrowdStamp> stamps_;
  Buffer<float, Gpu> drawn_, drawn_last_;  ///< stamps drawn with first = 0, and those drawn after them
  Buffer<std::int32_t, Gpu> of_tile_;      ///< the stars of each tile, ascending
  Buffer<std::int64_t, Gpu> tile_begin_;
};

}  // namespace srcextract
