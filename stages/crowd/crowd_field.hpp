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
  float least_bad_variance = std::numeric_limits<float>::infinity();
  double gain = 0;                                              ///< 0: photons of stars are not known, or in the map
  double saturation = std::numeric_limits<double>::infinity();  ///< above the sky
  std::function<void(std::int64_t bytes)> needs = nullptr;      ///< throws if there is no room for so much
};

/// The view of an image that is complete but for what is made of it.
CrowdPixels view_of(const CrowdImage& image);

/// The pixels while stars are fitted.
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
  /// Whether the pixel counts.
  bool is_good(std::int64_t i) const { return good_[static_cast<std::size_t>(i)] != 0; }
  bool is_saturated(std::int64_t i) const { return view_.is_saturated(i); }

  /// Draws the stamps of stars from number `first` on.
  void draw(const CrowdPsf& psf, const std::vector<CrowdStar>& stars, std::size_t first);
  const std::vector<CrowdStamp>& stamps() const { return stamps_; }

  /// The light of all stars, the weight of each pixel by it, and what is left over.
  void render(const std::vector<CrowdStar>& stars);
  /// As render() with other fluxes, and the weights as they are.
  void render_residual(const std::vector<CrowdStar>& stars);
  /// Lowers the weight of pixels that stars and sky leave more than 3 sigma to, so that it is 3 / |R| times what it
  /// was.
  void soften();
  /// Finds the noise of a sky pixel from the residual, if that is measured.
  void measure_noise();

  /// Tells the image's `needs` of memory for stars beside that of their stamps.
  void require_room(std::int64_t bytes) const;

  SkyNodes sky;
  std::vector<float> model, weight, residual;

 private:
  void render_tiles(const std::vector<CrowdStar>& stars, bool weigh);

  CrowdImage image_;
  Cpu where_;
  CrowdPixels view_;
  double typical_ = 1;
  std::vector<std::uint8_t> good_;
  std::vector<CrowdStamp> stamps_;
  std::vector<Buffer<float, Cpu>> blocks_;  ///< the first of all stars as they were last drawn together
  StarCells cells_;
  bool has_model_ = false;
};

}  // namespace srcextract
