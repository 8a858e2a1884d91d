#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"
#include "stages/crowd/crowd_pixels.hpp"
#include "stages/crowd/crowd_psf.hpp"
#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/sky_nodes.hpp"
#include "stages/crowd/star_cells.hpp"

namespace srcextract {

/// The image whose stars are fitted.
struct CrowdImage {
  const float* pixels = nullptr;    ///< NaN: masked
  const float* variance = nullptr;  ///< per pixel, in units of `unit`; null: equal everywhere
  Shape shape;
  double background = 0;  ///< to be subtracted from every pixel
  double unit = 1;        ///< variance of a sky pixel, or the unit of the map
  double sigma = 0;       ///< noise of a pixel of the sky, so far as it is known before the fit; 0: root of `unit`
  bool scales = true;     ///< the noise is measured, and `unit` only a start
  /// pixels with this variance or more do not count
  float least_bad_variance = std::numeric_limits<float>::infinity();
  double gain = 0;  ///< 0: photon noise of stars is not known, or is in the map
  double saturation = std::numeric_limits<double>::infinity();  ///< lowest saturated value, above `background`
  std::function<void(std::int64_t bytes)> needs = nullptr;      ///< throws if there is no room for so many bytes
};

/// The view of an image, without what a fit makes: good pixels, model, weight, residual and sky.
CrowdPixels view_of(const CrowdImage& image);

/// The pixels of an image while its stars are fitted: model, weights, residual and sky.
class CrowdField {
 public:
  CrowdField(const CrowdImage& image, std::int64_t sky_size, const Cpu& where);
  CrowdField(const CrowdField&) = delete;
  CrowdField& operator=(const CrowdField&) = delete;

  const Shape& shape() const { return image_.shape; }
  double saturation() const { return image_.saturation; }
  const CrowdPixels& view() const { return view_; }
  const Cpu& where() const { return where_; }
  /// Root of the variance of a typical sky pixel.
  double sigma() const;
  /// Whether the pixel counts (CrowdPixels::counts).
  bool is_good(std::int64_t i) const { return good_[static_cast<std::size_t>(i)] != 0; }
  bool is_saturated(std::int64_t i) const { return view_.is_saturated(i); }

  /// Draws the stamps of stars from number `first` on; earlier stars keep theirs.
  void draw(const CrowdPsf& psf, const std::vector<CrowdStar>& stars, std::size_t first);
  const std::vector<CrowdStamp>& stamps() const { return stamps_; }

  /// Sets `model` to the light of all stars, `weight` by this light, and `residual` to what stars and sky leave over.
  void render(const std::vector<CrowdStar>& stars);
  /// As render(), but `weight` stays as it is.
  void render_residual(const std::vector<CrowdStar>& stars);
  /// Lowers the weight of pixels whose residual R, in sigma, exceeds 3: to 3 / |R| of what it was.
  void soften();
  /// Corrects the noise of a sky pixel by the residual, if CrowdImage::scales.
  void measure_noise();

  /// Calls CrowdImage::needs with `bytes` plus the memory of all stamps.
  void require_room(std::int64_t bytes) const;

  SkyNodes sky;
  std::vector<float> model, weight, residual;

 private:
  void render_tiles(const std::vector<CrowdStar>& stars, bool weigh);

  CrowdImage image_;
  Cpu where_;
  CrowdPixels view_;
  double typical_ = 1;  ///< median of the variances of good pixels
  std::vector<std::uint8_t> good_;
  std::vector<CrowdStamp> stamps_;
  std::vector<Buffer<float, Cpu>> blocks_;  ///< memory of stamps; the first block has those drawn with first = 0
  StarCells cells_;
  bool has_model_ = false;
};

}  // namespace srcextract
