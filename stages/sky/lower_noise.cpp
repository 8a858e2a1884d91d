#include "stages/sky/lower_noise.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/sky/lower_noise_rule.hpp"
#include "stages/sky/mesh_spline.hpp"
#include "stages/sky/node_buffers.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t meshes_at_a_time = 16;

/// Finds the bins of `n` pixels. Returns how many are not masked.
SRCEXTRACT_VECTOR_CLONES
int find_bins_of(const float* pixels, std::int64_t n, float scale, int* __restrict bins) {
  int good = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    bins[i] = depth_bin(pixels[i], scale);
    good += pixels[i] == pixels[i] ? 1 : 0;
  }
  return good;
}

/// Counts the pixels of one mesh by their depth below 0.
class MeshDepths {
 public:
  MeshDepths(const Image<float, Cpu>& image, const MeshGrid& grid) : image_(image), grid_(grid) {}

  MeshNode factor(std::int64_t column, std::int64_t row, float rms, double white, bool negated) {
    const std::int64_t width = image_.shape.width, left = column * grid_.mesh.width, top = row * grid_.mesh.height;
    const std::int64_t right = std::min(left + grid_.mesh.width, width);
    const std::int64_t bottom = std::min(top + grid_.mesh.height, image_.shape.height);
    const float scale = depth_scale(rms, white, negated);
    counts_.fill(0);
    bins_.resize(static_cast<std::size_t>(right - left));
    std::int64_t read = 0, good = 0;
    for (std::int64_t y = top; y < bottom; y += depth_row_step(grid_.mesh.height)) {
      good += find_bins_of(image_.pixels.data() + y * width + left, right - left, scale, bins_.data());
      for (const int bin : bins_) ++counts_[static_cast<std::size_t>(bin)];
      read += right - left;
    }
    const std::int64_t below = read - counts_[depth_bins];
    const Depths depths = find_depths(below, [&](int bin) { return of(bin); });
    if (scale != 0) sides_ = {sides_.below + below, sides_.all + good};
    return factor_of_depths(depths, below, read);
  }

  /// Of all meshes whose factor was found.
  const SidesOfSky& sides() const { return sides_; }

 private:
  std::int64_t of(int bin) const { return counts_[static_cast<std::size_t>(bin)]; }

  const Image<float, Cpu>& image_;
  const MeshGrid& grid_;
  SidesOfSky sides_{};
  std::array<std::int64_t, depth_bins + 1> counts_{};
  std::vector<int> bins_;
};

}  // namespace

MeshSky<Cpu> lower_noise(const Image<float, Cpu>& image, const SkyMesh<Cpu>& noise, const Value<Background, Cpu>& sky,
                         double white, bool negated, const ClippedNoise<Cpu>& clipped, const BackgroundConfig& config,
                         const Cpu& where) {
  const MeshGrid& grid = noise.grid;
  SidesOfSky sides{};
  std::mutex merge;
  NodeBuffers estimates(grid.nodes, where);
  parallel_for(grid.nodes.count(), meshes_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first_row = begin / grid.nodes.width * grid.mesh.height;
    const HeldRows rows(image, first_row, ((end - 1) / grid.nodes.width + 1) * grid.mesh.height);
    MeshDepths depths(image, grid);
    for (std::int64_t i = begin; i < end; ++i) {
      const MeshNode node = depths.factor(i % grid.nodes.width, i / grid.nodes.width, noise.rms[i], white, negated);
      estimates.level[i] = node.level;
      estimates.rms[i] = node.rms;
    }
    const std::scoped_lock lock(merge);
    sides = {sides.below + depths.sides().below, sides.all + depths.sides().all};
  });
  const BackgroundConfig filter = factor_filter(config);
  const NodeBuffers factors = estimates.filled(where).made(
      where, [&](const NodeView& all, auto x, auto y) { return filtered_factor(all, x, y, filter); });
  const bool told = tells_noise(sides);
  const bool has_low = std::ranges::any_of(factors.rms, [](float factor) { return factor < least_factor; });
  const Value<Background, Cpu> otherwise = !told || has_low ? clipped() : Value<Background, Cpu>{};
  const auto limit = static_cast<float>(otherwise->clipped.sigma);
  NodeBuffers nodes = factors.made(where, [&](const NodeView& all, std::int64_t x, std::int64_t y) {
    return filtered_noise(all, nodes_of(noise), white, limit, x, y);
  });
  MeshSky<Cpu> found = mesh_sky_of(estimates, std::move(nodes), grid, config, where);
  found.mesh.rms_bounded = true;
  if (!told) {
    found.background = otherwise;
    std::ranges::copy(noise.rms, found.mesh.rms.begin());
    std::ranges::copy(noise.rms_bend, found.mesh.rms_bend.begin());
    return found;
  }
  std::vector<float> ratios;
  for (std::int64_t i = 0; i < found.mesh.rms.size(); ++i)
    if (const float ratio = ratio_of_noise(found.mesh.rms[i], noise.rms[i]); ratio > 0) ratios.push_back(ratio);
  Background& background = *found.background;
  if (background.clipped.sigma > 0) background.clipped.sigma = sky->clipped.sigma * double{median_of(ratios)};
  for (float& rms : found.mesh.rms) rms = in_unit_of_pixels(rms, background.clipped.sigma, sky->clipped.sigma);
  for (float& bend : found.mesh.rms_bend) bend = in_unit_of_pixels(bend, background.clipped.sigma, sky->clipped.sigma);
  return found;
}

}  // namespace srcextract
