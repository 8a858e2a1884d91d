#include "stages/crowd/inject_stars.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "stages/crowd/fit_crowd.hpp"
#include "stages/crowd/star_cells.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/math/median.hpp"
#include "stages/math/splitmix64.hpp"

namespace srcextract {
namespace {

constexpr int bin_count = 10;
constexpr double least_significance = 3, most_significance = 300;

/// Position of a flux among the bins, which have equal widths in log(flux): 0 at the lower end of the first bin,
/// bin_count at the upper end of the last. -1 for a flux that is not positive. `error` is that of error_alone().
double place_in_bins(double flux, double error) {
  const double from = portable_log(least_significance * error), to = portable_log(most_significance * error);
  return flux > 0 ? (portable_log(flux) - from) / (to - from) * bin_count : -1;
}

struct Added {
  double x, y, flux;
};

/// The error of the flux of an isolated star, without the star's own photon noise.
double error_alone(const CrowdPsf& psf, const Shape& shape, double noise) {
  const std::int32_t half = psf.half_for(0, 1);
  std::vector<float> pixels(static_cast<std::size_t>(CrowdPsf::numbers_for(half)));
  CrowdPsf::Scratch scratch;
  const CrowdStamp stamp =
      psf.draw(std::floor(static_cast<double>(shape.width) / 2), std::floor(static_cast<double>(shape.height) / 2),
               half, false, pixels.data(), scratch);
  double squares = 0;
  for (std::int64_t i = 0; i < stamp.plane(); ++i)
    squares += static_cast<double>(stamp.numbers[i]) * static_cast<double>(stamp.numbers[i]);
  return noise / std::sqrt(squares);
}

std::vector<Added> choose(const Shape& shape, std::int64_t count, double fwhm, double error) {
  constexpr double apart = 6;
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  const auto most = static_cast<double>(count);
  // The last limit holds where cells of the second would be wider than the image, which then has one row of cells.
  const double side = std::max({apart * fwhm, std::sqrt(width * height / most), std::max(width, height) / most});
  const auto columns = std::max<std::int64_t>(1, static_cast<std::int64_t>(width / side)),
             rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(height / side));
  std::vector<Added> all;
  for (std::int64_t i = 0; i < columns * rows; ++i) {
    const auto random = [&](std::int64_t which) { return splitmix64_fraction(3 * i + which); };
    const auto at = [](std::int64_t cell, std::int64_t of, double size, double part) {
      return (static_cast<double>(cell) + 0.25 + 0.5 * part) * size / static_cast<double>(of) - 0.5;
    };
    const double range = portable_log(most_significance / least_significance);
    all.push_back({at(i % columns, columns, width, random(0)), at(i / columns, rows, height, random(1)),
                   least_significance * error * portable_exp(range * random(2))});
  }
  return all;
}

std::vector<float> with_stars(const CrowdImage& image, const CrowdPsf& psf, const std::vector<Added>& stars,
                              double noise) {
  std::vector<float> pixels(image.pixels, image.pixels + image.shape.count());
  std::vector<float> numbers;
  CrowdPsf::Scratch scratch;
  for (const Added& star : stars) {
    const std::int32_t half = psf.half_for(star.flux, dark_light * noise);
    numbers.resize(static_cast<std::size_t>(CrowdPsf::numbers_for(half)));
    const CrowdStamp stamp = psf.draw(star.x, star.y, half, false, numbers.data(), scratch);
    for (std::int64_t j = 0; j < stamp.side(); ++j) {
      for (std::int64_t i = 0; i < stamp.side(); ++i) {
        const std::int64_t x = stamp.x - half + i, y = stamp.y - half + j;
        if (x < 0 || y < 0 || x >= image.shape.width || y >= image.shape.height) continue;
        float& pixel = pixels[static_cast<std::size_t>(y * image.shape.width + x)];
        pixel = static_cast<float>(static_cast<double>(pixel) +
                                   star.flux * static_cast<double>(stamp.numbers[stamp.place(i, j)]));
      }
    }
  }
  return pixels;
}

/// The nearest of the rows that are at most `radius` from the star and have a flux within a factor of 2; null if there
/// is none.
const CrowdRow* find_row(const std::vector<CrowdRow>& rows, const StarCells& cells, const Added& star, double radius) {
  const CrowdRow* best = nullptr;
  double least = radius * radius;
  cells.view().each_near(star.x - radius, star.x + radius, star.y - radius, star.y + radius, [&](std::int32_t i) {
    const CrowdRow& row = rows[static_cast<std::size_t>(i)];
    const double dx = row.x - star.x, dy = row.y - star.y, square = dx * dx + dy * dy;
    if (square > least || row.flux < star.flux / 2 || row.flux > 2 * star.flux) return;
    if (best != nullptr && square == least) return;
    least = square;
    best = &row;
  });
  return best;
}

void summarise(std::vector<double>& differences, CrowdBin& bin) {
  constexpr std::size_t fewest = 5;
  if (differences.size() < fewest) return;
  bin.bias = upper_median(differences);
  bin.scatter = sigma_per_deviation * median_deviation(differences, bin.bias);
}

/// Sets completeness and confusion (flux error from artificial stars) of all rows by linear interpolation between bins.
/// Completeness is NaN next to a bin without artificial stars. If the scatter of one of the two bins is NaN, the
/// confusion is that of the other; if both are, it is NaN. The confusion is at least the error of the fit, which is
/// larger for stars brighter than the artificial stars.
void tell_rows(double error, CrowdFit& fit) {
  for (CrowdRow& row : fit.rows) {
    const double place = std::clamp(place_in_bins(row.flux, error) - 0.5, 0.0, bin_count - 1.0);
    const auto first = static_cast<std::size_t>(std::min(std::floor(place), bin_count - 2.0));
    const double part = place - static_cast<double>(first);
    const CrowdBin &low = fit.bins[first], &high = fit.bins[first + 1];
    const bool added = low.added > 0 && high.added > 0;
    row.completeness = added ? low.completeness() + part * (high.completeness() - low.completeness())
                             : std::numeric_limits<double>::quiet_NaN();
    const double scatter = std::isnan(low.scatter)    ? high.scatter
                           : std::isnan(high.scatter) ? low.scatter
                                                      : low.scatter + part * (high.scatter - low.scatter);
    row.confusion = std::isnan(scatter) ? scatter : std::max(scatter, std::sqrt(row.variance));
  }
}

}  // namespace

void inject_stars(const CrowdImage& image, const PsfModel& model, const CrowdConfig& config, CrowdFit& fit,
                  const std::function<CrowdFit(const std::vector<float>& pixels)>& fit_again) {
  const CrowdPsf psf = psf_of(model, image.shape);
  const double error = error_alone(psf, image.shape, fit.noise * fit.shared_noise);
  const std::vector<Added> stars = choose(image.shape, config.inject, fit.fwhm, error);
  const std::vector<float> pixels = with_stars(image, psf, stars, fit.noise);
  const CrowdFit again = fit_again(pixels);
  StarCells before(image.shape), after(image.shape);
  before.fill(fit.rows);
  after.fill(again.rows);
  const double radius = std::max(0.7, fit.fwhm / 4);
  std::vector<std::vector<double>> differences(bin_count);
  fit.bins.assign(bin_count, {});
  const double range = portable_log(most_significance / least_significance);
  for (int i = 0; i < bin_count; ++i)
    fit.bins[static_cast<std::size_t>(i)].flux =
        least_significance * error * portable_exp(range * (i + 0.5) / bin_count);
  for (const Added& star : stars) {
    if (find_row(fit.rows, before, star, radius) != nullptr) continue;
    const auto which = static_cast<std::size_t>(std::clamp(place_in_bins(star.flux, error), 0.0, bin_count - 1.0));
    ++fit.bins[which].added;
    const CrowdRow* const row = find_row(again.rows, after, star, radius);
    if (row == nullptr) continue;
    ++fit.bins[which].found;
    differences[which].push_back(row->flux - star.flux);
  }
  for (std::size_t i = 0; i < fit.bins.size(); ++i) summarise(differences[i], fit.bins[i]);
  tell_rows(error, fit);
}

}  // namespace srcextract
