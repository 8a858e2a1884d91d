#include "stages/sky/mesh.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/sky/mesh_spline.hpp"
#include "stages/sky/node_buffers.hpp"
#include "stages/sky/pixel_histogram.hpp"
#include "stages/sky/sky_surface.hpp"

namespace srcextract {

MeshNode node_by_histogram(const MeshPixels& pixels, const MeshSums& survivors, const BackgroundConfig& config) {
  const MeshBins bins(survivors, mean_and_sigma(survivors));
  const PixelHistogram histogram(pixels, bins.count, [&](std::int64_t row, std::int64_t x, int n, int none, int* out) {
    find_bins(pixels.at(row, x), n, bins, none, out);
  });
  return node_of(histogram.clip(config.kappa, config.estimator), bins, config.estimator);
}

namespace {

constexpr std::int64_t meshes_per_piece = 16;

struct Estimated {
  MeshNode node;
  std::int64_t unmasked;
};

Estimated estimate(const MeshPixels& pixels, const BackgroundConfig& config) {
  constexpr float bad = std::numeric_limits<float>::quiet_NaN(), all = std::numeric_limits<float>::infinity();
  const MeshSums sums = pixels.sum({-all, all});
  if (too_few(sums.count, pixels.area(), config.surface)) return {{bad, bad}, sums.count};
  return {node_by_histogram(pixels, pixels.sum(cut_of(mean_and_sigma(sums))), config), sums.count};
}

/// Estimates level and noise of each mesh. A mesh with too few unmasked pixels gets NaN. `all_unmasked`
/// receives the number of unmasked pixels of the image.
NodeBuffers estimate_nodes(const Image<float, Cpu>& image, const BackgroundConfig& config, std::int64_t& all_unmasked,
                           const Cpu& where) {
  const MeshGrid grid = mesh_grid(image.shape, mesh_sides(config));
  NodeBuffers estimates(grid.nodes, where);
  std::atomic<std::int64_t> unmasked = 0;
  parallel_for(grid.nodes.count(), meshes_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first_row = begin / grid.nodes.width * grid.mesh.height;
    const HeldRows rows(image, first_row, ((end - 1) / grid.nodes.width + 1) * grid.mesh.height);
    std::vector<float> room;
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const MeshPixels pixels(image, grid, i % grid.nodes.width, i / grid.nodes.width, room);
      const Estimated estimated = estimate(pixels, config);
      estimates.level[i] = estimated.node.level;
      estimates.rms[i] = estimated.node.rms;
      count += estimated.unmasked;
    }
    unmasked += count;
  });
  all_unmasked = unmasked;
  return estimates;
}

/// The median of the nodes' noise. If that median is 0: the median of the positive values, or 0 if there are none.
float typical_rms(const Buffer<float, Cpu>& rms) {
  std::vector<float> values(rms.begin(), rms.end());
  if (const float median = median_of(values); median > 0) return median;
  std::erase_if(values, [](float value) { return !(value > 0); });
  return values.empty() ? 0 : median_of(values);
}

Buffer<float, Cpu> bend_along_y(const Buffer<float, Cpu>& nodes, const Shape& shape, const Cpu& where) {
  Buffer<float, Cpu> bends(nodes.size(), where);
  for (std::int64_t x = 0; x < shape.width; ++x) bend(nodes.data() + x, shape.height, shape.width, bends.data() + x);
  return bends;
}

MeshFacts facts_of(const NodeBuffers& estimates, const NodeBuffers& nodes) {
  MeshFacts facts{nodes.shape.width, nodes.shape.height, 0, 0, 0, 0, 0};
  facts.bad = std::ranges::count_if(estimates.level, [](float level) { return level != level; });
  const auto [low, high] = std::ranges::minmax(nodes.level);
  const auto [quiet, loud] = std::ranges::minmax(nodes.rms);
  facts.least_level = unsigned_zero(low);
  facts.most_level = unsigned_zero(high);
  facts.least_rms = unsigned_zero(quiet);
  facts.most_rms = unsigned_zero(loud);
  return facts;
}

}  // namespace

MeshSky<Cpu> mesh_sky_of(const NodeBuffers& estimates, NodeBuffers&& nodes, const MeshGrid& grid,
                         const BackgroundConfig& config, const Cpu& where) {
  MeshSky<Cpu> sky;
  Background& background = *sky.background;
  background.mesh = facts_of(estimates, nodes);
  background.clipped.median = unsigned_zero(median_of({nodes.level.begin(), nodes.level.end()}));
  background.clipped.sigma = unsigned_zero(typical_rms(nodes.rms));
  background.converged = true;
  sky.above = background;
  sky.above->clipped.median = 0;
  sky.mesh = {grid, {}, {}, bend_along_y(nodes.level, grid.nodes, where), bend_along_y(nodes.rms, grid.nodes, where)};
  sky.mesh.level = std::move(nodes.level);
  sky.mesh.rms = std::move(nodes.rms);
  sky.mesh.rms_bounded = config.rms_map == NoiseBetweenNodes::bounded;
  return sky;
}

MeshSky<Cpu> estimate_mesh(const Image<float, Cpu>& image, const BackgroundConfig& config, const Cpu& where,
                           const MeshUnits<Cpu>& units) {
  std::int64_t unmasked = 0;
  const NodeBuffers estimates = estimate_nodes(image, config, unmasked, where);
  const bool again = units.mesh != nullptr;
  NodeBuffers nodes = estimates.filled_and_filtered(again ? widened_filter(config) : config, where);
  if (again) {
    const auto in_counts = [&](const NodeView& all, std::int64_t x, std::int64_t y) {
      return node_of_units(all.at(x, y), nodes_of(*units.mesh).at(x, y), units.rms_factor);
    };
    nodes = nodes.made(where, in_counts);
    if (config.surface == BackgroundSurface::quadric) {
      const NodeBuffers levels = estimates.made(where, in_counts);
      nodes = nodes.made(where, [&](const NodeView& all, std::int64_t x, std::int64_t y) {
        return on_surface(all.at(x, y), levels.view(), x, y);
      });
    }
  }
  MeshSky<Cpu> sky =
      mesh_sky_of(estimates, std::move(nodes), mesh_grid(image.shape, mesh_sides(config)), config, where);
  sky.background->all.count = sky.above->all.count = unmasked;
  return sky;
}

}  // namespace srcextract
