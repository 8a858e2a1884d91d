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

/// An image of a crowded field, whose stars are fitted together.
struct CrowdImage {
  const float* pixels = nullptr;    ///< NaN: the pixel is masked
  const float* variance = nullptr;  ///< variance of each pixel, divided by `unit`; null: the same for all pixels
  Shape shape;
  double background = 0;  ///< level that is subtracted from every pixel
  double unit = 1;        ///< variance of a sky pixel if `variance` is null, else the unit of `variance`
  double sigma = 0;       ///< noise of a sky pixel before the fit; 0: the root of `unit`
  bool scales = true;     ///< true: the fit measures the noise, and `unit` is only the initial value
  /// pixels with this variance or a larger one are ignored
  float least_bad_variance = std::numeric_limits<float>::infinity();
  /// electrons per unit of pixel value; 0: photon noise of stars is unknown, or `variance` includes it
  double gain = 0;
  /// smallest value of a saturated pixel, above `background`
  double saturation = std::numeric_limits<double>::infinity();
  /// called with a number of bytes before memory is allocated; throws if that much is not available
  std::function<void(std::int64_t bytes)> needs = nullptr;
};

/// Returns a CrowdPixels with the data of the image; the members that a fit computes stay unset: good, model, weight,
/// residual and sky.
CrowdPixels view_of(const CrowdImage& image);

/// The image during the fit of its stars: pixels with model, weights, residual and sky.
class CrowdField {
 public:
  CrowdField(const CrowdImage& image, std::int64_t sky_size, const Cpu& where);
  CrowdField(const CrowdField&) = delete;
  CrowdField& operator=(const CrowdField&) = delete;

  const Shape& shape() const { return image_.shape; }
  const CrowdPixels& view() const { return view_; }
  const Cpu& where() const { return where_; }
  /// Standard deviation of a typical sky pixel.
  double sigma() const;
  /// Whether the fit uses the pixel (CrowdPixels::counts).
  bool is_good(std::int64_t i) const { return good_[static_cast<std::size_t>(i)] != 0; }

  /// Draws the stamps of the stars from number `first` on. Stamps of earlier stars stay.
  void draw(const CrowdPsf& psf, const std::vector<CrowdStar>& stars, std::size_t first);
  const std::vector<CrowdStamp>& stamps() const { return stamps_; }

  /// Sets `model` to the light of all stars, `weight` to the inverse variance of sky and model, and `residual` to the
  /// image minus stars and sky.
  void render(const std::vector<CrowdStar>& stars);
  /// Like render(), but does not change `weight`.
  void render_residual(const std::vector<CrowdStar>& stars);
  /// Multiplies the weight of pixels whose residual R, in units of its error, exceeds 3 by 3 / |R|. Outliers then count
  /// less.
  void soften();
  /// Corrects the noise of a sky pixel so that it agrees with the residual, and follows it over the image unless a
  /// map tells where it varies. Does nothing if CrowdImage::scales is false.
  void measure_noise();
  /// Finds out whether pixels share their noise: whether second differences over two pixels have clearly more of it
  /// than those of neighbours. A dense crowd has so, too, until its stars are subtracted.
  bool judge_noise();

  /// Calls CrowdImage::needs with `bytes` plus the memory of all stamps, and so throws if there is not enough memory.
  void require_room(std::int64_t bytes) const;

  SkyNodes sky;
  std::vector<float> model, weight, residual;

 private:
  /// The median of ratio(pixel) over a sample of the darker half of the pixels; -1 if no pixel has a ratio.
  template <class Ratio>
  float typical_ratio(const Ratio& ratio) const;
  /// The noise of each cell (CellNoise) by CrowdPixels::sky_noise() of the darker half of its samples, which compares
  /// pixels `step` apart; -1 where it is not known.
  std::vector<float> cell_noise(std::int64_t step) const;
  void render_tiles(const std::vector<CrowdStar>& stars, bool weigh);

  CrowdImage image_;
  Cpu where_;
  CrowdPixels view_;
  double typical_ = 1;        ///< median of the variances of good pixels, in units of view_.unit
  std::vector<float> scale_;  ///< CrowdPixels::scale
  std::vector<std::uint8_t> good_;
  std::vector<CrowdStamp> stamps_;
  /// memory of the stamps; the first block has the stamps of the last draw() with first = 0
  std::vector<Buffer<float, Cpu>> blocks_;
  StarCells cells_;
  bool has_model_ = false;
};

}  // namespace srcextract
