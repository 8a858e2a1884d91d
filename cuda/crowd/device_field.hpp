#pragma once

#include <vector>

#include "cuda/crowd/device_list.hpp"
#include "cuda/crowd/device_psf.hpp"
#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// CrowdField in device memory: the image, the stamps of all stars, and the residual after subtraction of stars and
/// sky.
class DeviceField {
 public:
  /// `image.pixels` and `image.variance` must be in device memory, and must outlive this object. `sky_size` is the side
  /// of the sky grid's cells in pixels.
  DeviceField(const CrowdImage& image, std::int64_t sky_size, const Gpu& where);

  const Gpu& where() const { return where_; }
  Shape shape() const { return {view_.width, view_.height}; }
  const CrowdPixels& view() const { return view_; }
  double sigma() const;
  double* level() { return level_.data(); }
  const CrowdStamp* stamps() const { return stamps_.data(); }
  /// Returns an upper limit of CrowdStamp::half over all stamps.
  std::int32_t most_half() const { return most_half_; }

  /// Draws the stamps of the stars from number `first` on. `first` must be 0, or the number of stars that already have
  /// stamps. A call with `first` above 0 overwrites the stamps of the previous such call.
  void draw(const DevicePsf& psf, const DeviceList<CrowdStar>& stars, std::int64_t first);
  void render(const DeviceList<CrowdStar>& stars, bool weigh);
  void soften();
  void measure_noise();
  bool judge_noise();

  /// Returns the indices of the saturated pixels, in ascending order.
  std::vector<std::int64_t> saturated() const;
  std::vector<float> to_host(const float* plane) const;
  SkyNodes sky_to_host() const;

 private:
  /// The median, over a sample of the darker half of the pixels, of CrowdPixels::noise_ratio(), or of
  /// difference_ratio() over `far` pixels if that is above 0; -1 if no pixel has a ratio.
  float typical_ratio(std::int64_t far) const;
  std::vector<float> cell_noise(std::int64_t step) const;
  void list_tiles(std::int64_t stars);
  float median_variance() const;

  Gpu where_;
  CrowdPixels view_;
  bool scales_, has_model_ = false, are_listed_ = false;
  double typical_ = 1;
  std::int32_t most_half_ = 0;
  Buffer<std::uint8_t, Gpu> good_;
  Buffer<float, Gpu> planes_;  ///< three planes of the image: model, weight, residual
  Buffer<double, Gpu> level_;
  std::vector<float> scale_;  ///< CrowdPixels::scale, on the host
  Buffer<float, Gpu> scale_there_;
  DeviceList<CrowdStamp> stamps_;
  /// stamps of the last call of draw() with first = 0, and of the last call with first > 0
  Buffer<float, Gpu> drawn_, drawn_last_;
  /// numbers of the stars whose stamps touch each tile, in ascending order for each tile
  Buffer<std::int32_t, Gpu> of_tile_;
  Buffer<std::int64_t, Gpu> tile_begin_;
};

}  // namespace srcextract
