#include "stages/measure/empty_apertures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/run_search.hpp"
#include "stages/math/splitmix64.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The squared radii of the apertures, in pixels^2. The pixels of a circle are found from its squared radius, which is
/// an exact number. Hence the circles are the same on every machine.
constexpr std::array squares_of_radii = {2.25, 4.5, 9.0, 18.0, 36.0, 72.0, 144.0};

constexpr std::int64_t attempts = 8;
constexpr double margin = 3;

/// A disc: all pixels whose centres are at most a given radius from the central pixel. In row dy, these are the columns
/// -reach(dy) to reach(dy) relative to the central pixel.
class Disc {
 public:
  explicit Disc(double square) : rows_(half_of(square)) {
    for (std::int64_t dy = -rows_; dy <= rows_; ++dy) reach_.push_back(half_of(square - static_cast<double>(dy * dy)));
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t reach(std::int64_t dy) const { return reach_[static_cast<std::size_t>(dy + rows_)]; }
  std::int64_t pixels() const {
    std::int64_t sum = 0;
    for (const std::int64_t half : reach_) sum += 2 * half + 1;
    return sum;
  }

 private:
  static std::int64_t half_of(double square) { return static_cast<std::int64_t>(std::sqrt(square)); }

  std::int64_t rows_;
  std::vector<std::int64_t> reach_;
};

/// The noise (sigma) of single pixels: levels.sigma for all pixels, or the value of a sky mesh.
class PixelSigma {
 public:
  explicit PixelSigma(const SkyBetweenSources& sky) : sky_(sky) {
    if (sky.noise != nullptr) rms_.emplace(MeshRow::of_rms(*sky.noise));
  }

  /// Returns the noise of a sky pixel at (x, y). If there is a scaled variance map, returns levels.noise_scale, the
  /// factor for roots of the map's variances.
  double unit_at(std::int64_t x, std::int64_t y) {
    if (!sky_.variance.pixels.empty() && sky_.scaled) return sky_.levels.noise_scale;
    if (!rms_) return sky_.levels.sigma;
    rms_->go_to(y);
    return static_cast<double>(rms_->at(x));
  }

 private:
  const SkyBetweenSources& sky_;
  std::optional<MeshRow> rms_;
};

/// Finds the sure sources, which are certainly not noise: sources with a pixel above 5 sigma, or with more pixels than
/// the largest circle.
class SureSources {
 public:
  explicit SureSources(const SkyBetweenSources& sky) : sky_(sky) {
    const std::int64_t count = sky.runs.row_begin.empty() ? 0 : sky.runs.row_begin[sky.image.shape.height];
    const auto begin = sky.label.begin();
    const std::int32_t labels = count > 0 ? std::max(0, *std::max_element(begin, begin + count)) : 0;
    sure_.resize(static_cast<std::size_t>(labels) + 1);
    std::vector<std::int64_t> pixels(sure_.size());
    PixelSigma sigma(sky);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::size_t>(std::max(0, sky.label[i]));
      if (label == 0 || sure_[label] != 0) continue;
      const Run& run = sky.runs.runs[i];
      pixels[label] += run.end - run.begin;
      sure_[label] = pixels[label] > most_pixels || holds_bright_pixel(run, sigma) ? 1 : 0;
    }
  }

  bool holds(std::int32_t label) const { return label > 0 && sure_[static_cast<std::size_t>(label)] != 0; }

 private:
  static constexpr double bright = 5;
  static constexpr std::int64_t most_pixels = 441;  // number of pixels of the largest circle

  bool holds_bright_pixel(const Run& run, PixelSigma& sigma) const {
    const std::int64_t row = run.y * sky_.image.shape.width;
    for (std::int64_t x = run.begin; x < run.end; ++x) {
      const double value = sky_.image.pixels[row + x] - sky_.levels.background, unit = bright * sigma.unit_at(x, run.y);
      const double variance = sky_.variance.pixels.empty() ? 1.0 : sky_.variance.pixels[row + x];
      if (value > 0 && value * value > unit * unit * variance) return true;
    }
    return false;
  }

  const SkyBetweenSources& sky_;
  std::vector<std::uint8_t> sure_;
};

/// Divides the image into square cells, places an empty aperture of one radius in each cell, and sums the aperture's
/// pixels.
class TrialApertures {
 public:
  TrialApertures(const SkyBetweenSources& sky, const SureSources& sources, std::size_t which)
      : sky_(sky),
        sources_(sources),
        which_(static_cast<std::int64_t>(which)),
        radius_(std::sqrt(squares_of_radii.at(which))),
        disc_(squares_of_radii.at(which)),
        guard_((radius_ + margin) * (radius_ + margin)) {
    const Shape& shape = sky.image.shape;
    const std::int64_t width = 2 * disc_.rows() + 1, play = std::max<std::int64_t>(2, disc_.rows() / 2);
    const double cell = static_cast<double>(shape.count()) / static_cast<double>(most_empty_apertures);
    const auto wide = static_cast<std::int64_t>(std::ceil(std::sqrt(cell)));
    side_ = std::max(width + play, wide);
    choice_ = side_ - width + 1;
    cells_ = {shape.width / side_, shape.height / side_};
  }

  const Shape& cells() const { return cells_; }
  double radius() const { return radius_; }
  std::int64_t pixels() const { return disc_.pixels(); }

  /// Returns the sum over the cell's aperture, divided by the scatter of such sums if pixels were independent. Returns
  /// NaN if none of the attempts finds an empty place in the cell.
  double sum_of_cell(std::int64_t column, std::int64_t row, PixelSigma& sigma) const {
    const std::int64_t cell = row * cells_.width + column;
    for (std::int64_t attempt = 0; attempt < attempts; ++attempt) {
      const auto number =
          static_cast<std::int64_t>((cell * attempts + attempt) * std::ssize(squares_of_radii) + which_);
      const std::uint64_t random = splitmix64(number);
      const std::int64_t x = column * side_ + disc_.rows() + chosen(random & 0xffffffffU);
      const std::int64_t y = row * side_ + disc_.rows() + chosen(random >> 32U);
      if (!is_free(x, y)) continue;
      if (const double sum = sum_at(x, y, sigma); sum == sum) return sum;
    }
    return nan;
  }

 private:
  std::int64_t chosen(std::uint64_t random) const {
    return static_cast<std::int64_t>(random * static_cast<std::uint64_t>(choice_) >> 32U);
  }

  /// Whether no pixel of a sure source is within `margin` pixels of the circle about (x, y).
  bool is_free(std::int64_t x, std::int64_t y) const {
    const std::int64_t last = sky_.image.shape.height - 1;
    for (std::int64_t dy = -guard_.rows(); dy <= guard_.rows(); ++dy) {
      if (y + dy < 0 || y + dy > last) continue;
      const auto row = static_cast<std::int32_t>(y + dy);
      const Run stretch{row, static_cast<std::int32_t>(x - guard_.reach(dy)),
                        static_cast<std::int32_t>(x + guard_.reach(dy) + 1)};
      const std::int64_t end = sky_.runs.row_begin[row + 1];
      std::int64_t i = first_not_before(sky_.runs.runs.data(), sky_.runs.row_begin[row], end, stretch, 0);
      for (; i < end && sky_.runs.runs[i].begin < stretch.end; ++i)
        if (sources_.holds(sky_.label[i])) return false;
    }
    return true;
  }

  /// Returns the normalised sum, as sum_of_cell(), over the aperture at (x, y). Returns NaN if a pixel is masked, its
  /// noise is unknown, or all pixels are equal, as in padding.
  double sum_at(std::int64_t x, std::int64_t y, PixelSigma& sigma) const {
    const bool mapped = !sky_.variance.pixels.empty();
    const float middle = sky_.image.pixels[y * sky_.image.shape.width + x];
    bool scatters = false;
    double sum = 0, variance = 0;
    for (std::int64_t dy = -disc_.rows(); dy <= disc_.rows(); ++dy) {
      const std::int64_t begin = (y + dy) * sky_.image.shape.width + x - disc_.reach(dy);
      for (std::int64_t i = begin; i <= begin + 2 * disc_.reach(dy); ++i) {
        if (!is_finite(sky_.image.pixels[i])) return nan;
        scatters = scatters || sky_.image.pixels[i] != middle;
        sum += sky_.image.pixels[i] - sky_.levels.background;
        if (mapped) variance += sky_.variance.pixels[i];
      }
    }
    if (!scatters) return nan;
    const double unit = sigma.unit_at(x, y);
    const double expected = (mapped ? variance : static_cast<double>(disc_.pixels())) * (unit * unit);
    return expected > 0 && std::isfinite(expected) ? sum / std::sqrt(expected) : nan;
  }

  const SkyBetweenSources& sky_;
  const SureSources& sources_;
  std::int64_t which_;
  double radius_;
  Disc disc_, guard_;
  std::int64_t side_ = 0;    ///< width of a cell in pixels
  std::int64_t choice_ = 0;  ///< number of possible positions of a circle in a cell along one axis
  Shape cells_;
};

/// Returns the median, and sorts the values.
double median_of(std::vector<double>& values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Returns 1.4826 times the median absolute deviation: the standard deviation, if the values are Gaussian.
double scatter_of(std::vector<double> values) {
  constexpr double of_gaussian = 1.4826022185056018;
  const double middle = median_of(values);
  for (double& value : values) value = std::abs(value - middle);
  return of_gaussian * median_of(values);
}

EmptyApertures measure_radius(const SkyBetweenSources& sky, const SureSources& sources, std::size_t which,
                              const Cpu& where) {
  const TrialApertures trials(sky, sources, which);
  const std::int64_t columns = trials.cells().width;
  std::vector<double> sums(static_cast<std::size_t>(trials.cells().count()));
  parallel_for(trials.cells().height, 1, where, [&](std::int64_t begin, std::int64_t end) {
    PixelSigma sigma(sky);
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        sums[static_cast<std::size_t>(row * columns + column)] = trials.sum_of_cell(column, row, sigma);
  });
  std::erase_if(sums, [](double sum) { return sum != sum; });
  const std::int64_t count = std::ssize(sums), pixels = trials.pixels();
  const double scatter = count > 0 ? scatter_of(std::move(sums)) * std::sqrt(static_cast<double>(pixels)) : 0;
  return {trials.radius(), pixels, count, scatter};
}

bool counts(const EmptyApertures& one) {
  return one.apertures >= least_empty_apertures && one.scatter > 0;
}

/// Fits the noise law: a straight line for ln(scatter) as a function of ln N, with the number of apertures as weight.
NoiseLaw law_of(const std::vector<EmptyApertures>& radii) {
  double weights = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const EmptyApertures& one : radii) {
    if (!counts(one)) continue;
    const auto weight = static_cast<double>(one.apertures);
    const double at = portable_log(static_cast<double>(one.pixels)), value = portable_log(one.scatter);
    weights += weight;
    x += weight * at;
    y += weight * value;
    xx += weight * at * at;
    xy += weight * at * value;
  }
  const double beta = std::clamp((weights * xy - x * y) / (weights * xx - x * x), 0.5, 1.0);
  return {portable_exp((y - beta * x) / weights), beta};
}

}  // namespace

ApertureNoise measure_empty_apertures(const SkyBetweenSources& sky, const Cpu& where) {
  const SureSources sources(sky);
  ApertureNoise noise;
  for (std::size_t which = 0; which < squares_of_radii.size(); ++which)
    noise.radii.push_back(measure_radius(sky, sources, which, where));
  noise.measured = std::ranges::count_if(noise.radii, counts) >= least_radii;
  if (noise.measured) noise.law = law_of(noise.radii);
  return noise;
}

}  // namespace srcextract
