#include "stages/difference/fit/frame_level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t cell_side = 128;
/// Returns the distance, along both axes, of the pixels that are used. The distance is odd, so that even and odd
/// columns are both used. The distance grows with the frame up to 7 pixels, since a larger frame has more cells and
/// needs fewer pixels per cell.
constexpr std::int64_t side_per_step = 256, most_step = 7;
std::int64_t sample_step(const Shape& shape) {
  return std::min(std::max(shape.width, shape.height) / side_per_step, most_step - 1) / 2 * 2 + 1;
}

/// Pixels above this fraction of the saturation are assumed to be no longer linear.
constexpr double linear_share = 0.9;

/// Summary of the map of variances in one cell.
struct CellMap {
  float variance = 0;  ///< median of the map in the cell
  /// Variance of (pixel - sky) / (noise in the map); negative: too few good pixels.
  float scale = -1;
};

/// Summarises the map in one cell. `values` are the cell's pixels, `variances` their variances in the map, and `middle`
/// is the cell's sky. Each pixel is divided by its noise in the map before the scatter is measured, since the noise may
/// vary within a cell.
CellMap map_of_cell(std::vector<float>& values, std::vector<float>& variances, float middle,
                    std::vector<float>& distances) {
  if (values.size() < static_cast<std::size_t>(cell_side)) return {};
  const double added = spread_whole_numbers(values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (values[i] - middle) / std::sqrt(variances[i]);
  const float sigma = sky_of(values, distances).sigma;
  const float variance = upper_median(variances);
  const double square = static_cast<double>(sigma) * static_cast<double>(sigma);
  return {variance, static_cast<float>(std::max(0.0, square - added / static_cast<double>(variance)))};
}

/// Sets variance, map and scale of `level` from a map of variances and its summaries per cell.
void take_map(const Image<float, Cpu>& map, const FrameLight& light, const std::vector<CellMap>& cells,
              FrameLevel& level) {
  std::vector<float> variances, scales;
  for (const CellMap& cell : cells) {
    if (cell.scale < 0) continue;
    variances.push_back(cell.variance);
    scales.push_back(cell.scale);
  }
  if (variances.empty()) return;
  level.map = map.pixels.data();
  level.map_scale = light.rescales ? upper_median(scales) : static_cast<float>(light.variance_left());
  level.variance = upper_median(variances) * level.map_scale;
}

/// Returns the greatest of `count` pixels, or -infinity if all are NaN or `count` is 0.
SRCEXTRACT_VECTOR_CLONES
float greatest_of(const float* pixels, std::int64_t count) {
  constexpr int chains = 64;
  float greatest[chains];
  std::fill_n(greatest, chains, -std::numeric_limits<float>::infinity());
  std::int64_t i = 0;
  for (; i + chains <= count; i += chains)
    for (int k = 0; k < chains; ++k) greatest[k] = pixels[i + k] > greatest[k] ? pixels[i + k] : greatest[k];
  for (; i < count; ++i) greatest[0] = pixels[i] > greatest[0] ? pixels[i] : greatest[0];
  return *std::max_element(greatest, greatest + chains);
}

}  // namespace

CellSky sky_of(std::vector<float>& values, std::vector<float>& distances) {
  if (values.size() < static_cast<std::size_t>(cell_side)) return {};
  CellSky sky;
  sky.middle = upper_median(values);
  sky.sigma = 0;
  constexpr int clip_rounds = 3;
  constexpr double clip_sigmas = 3;
  constexpr double nearly_all = 0.95;
  const auto equal = static_cast<double>(std::ranges::count(values, sky.middle));
  if (equal > nearly_all * static_cast<double>(values.size())) return sky;
  const double added = spread_whole_numbers(values);
  for (int round = 0; round < clip_rounds; ++round) {
    sky.middle = upper_median(values);
    distances = values;
    sky.sigma = static_cast<float>(sigma_per_deviation * static_cast<double>(median_deviation(distances, sky.middle)));
    const auto most = static_cast<float>(clip_sigmas * static_cast<double>(sky.sigma));
    std::erase_if(values, [&](float value) { return std::fabs(value - sky.middle) > most; });
  }
  const double square = static_cast<double>(sky.sigma) * static_cast<double>(sky.sigma);
  sky.sigma = static_cast<float>(std::sqrt(std::max(0.0, square - added)));
  return sky;
}

float shared_greatest(const Image<float, Cpu>& frame, const Cpu& where) {
  constexpr std::int64_t rows_at_once = 64;
  const std::int64_t width = frame.shape.width;
  std::vector<float> parts(static_cast<std::size_t>((frame.shape.height + rows_at_once - 1) / rows_at_once));
  parallel_for(frame.shape.height, rows_at_once, where, [&](std::int64_t begin, std::int64_t end) {
    parts[static_cast<std::size_t>(begin / rows_at_once)] =
        greatest_of(frame.pixels.data() + begin * width, (end - begin) * width);
  });
  if (parts.empty()) return 0;
  const float greatest = *std::ranges::max_element(parts);
  std::int64_t count = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (parts[part] != greatest) continue;
    const std::int64_t begin = static_cast<std::int64_t>(part) * rows_at_once * width;
    const std::int64_t end = std::min(begin + rows_at_once * width, frame.shape.count());
    count += std::count(frame.pixels.begin() + begin, frame.pixels.begin() + end, greatest);
  }
  return count >= least_shared_count ? greatest : 0;
}

double spread_whole_numbers(std::vector<float>& values) {
  // The fractional parts of its multiples are evenly spread between 0 and 1.
  constexpr double golden = 0.61803398874989484820;
  if (!std::ranges::all_of(values, [](float value) { return std::floor(value) == value; })) return 0;
  double turns = 0;
  for (float& value : values) {
    turns += golden;
    turns -= std::floor(turns);
    value += static_cast<float>(turns - 0.5);
  }
  return 1.0 / 12;
}

FrameLevel measure_level(const Image<float, Cpu>& frame, const FrameLight& light, const Cpu& where,
                         const Image<float, Cpu>* map) {
  FrameLevel level;
  level.limit = light.saturation > 0 ? static_cast<float>(linear_share * light.saturation)
                                     : std::numeric_limits<float>::infinity();
  const std::int64_t width = frame.shape.width, height = frame.shape.height;
  const std::int64_t across = (width + cell_side - 1) / cell_side, down = (height + cell_side - 1) / cell_side;
  const std::int64_t usual_step = sample_step(frame.shape);
  std::vector<CellSky> cells(static_cast<std::size_t>(across * down));
  std::vector<CellMap> maps(map == nullptr ? 0 : cells.size());
  parallel_for(across * down, 1, where, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> values, distances, again, variances;
    for (std::int64_t cell = begin; cell < end; ++cell) {
      const std::int64_t left = cell % across * cell_side, top = cell / across * cell_side;
      const auto sample = [&](std::int64_t step) {
        values.clear();
        variances.clear();
        for (std::int64_t y = top; y < std::min(top + cell_side, height); y += step)
          for (std::int64_t x = left; x < std::min(left + cell_side, width); x += step)
            if (const float pixel = frame.pixels[y * width + x]; !level.is_bad(pixel)) {
              values.push_back(pixel);
              if (map != nullptr) variances.push_back(map->pixels[y * width + x]);
            }
      };
      sample(usual_step);
      if (usual_step > 1 && values.size() < static_cast<std::size_t>(cell_side)) sample(1);
      again = map == nullptr ? std::vector<float>() : values;
      const CellSky sky = cells[static_cast<std::size_t>(cell)] = sky_of(values, distances);
      if (map != nullptr) maps[static_cast<std::size_t>(cell)] = map_of_cell(again, variances, sky.middle, distances);
    }
  });
  std::vector<float> middles, sigmas;
  for (const CellSky& cell : cells) {
    if (cell.sigma < 0) continue;
    middles.push_back(cell.middle);
    sigmas.push_back(cell.sigma);
  }
  if (middles.empty()) return level;
  level.sky = upper_median(middles);
  const float sigma = upper_median(sigmas);
  level.variance = sigma * sigma;
  if (map != nullptr) take_map(*map, light, maps, level);
  level.variance_per_count = light.gain > 0 ? static_cast<float>(light.variance_left() / light.gain) : 0;
  if (light.saturation > 0) return level;
  constexpr float least_sigmas = 100;
  const float greatest = light.greatest ? *light.greatest : shared_greatest(frame, where);
  if (greatest <= level.sky + least_sigmas * sigma || greatest <= 0) return level;
  level.pile_up = greatest;
  level.limit = static_cast<float>(linear_share * static_cast<double>(greatest));
  return level;
}

}  // namespace srcextract
