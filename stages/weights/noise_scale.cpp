#include "stages/weights/noise_scale.hpp"

#include <limits>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/sky/node_buffers.hpp"
#include "stages/sky/pixel_histogram.hpp"
#include "stages/weights/noise_ratio.hpp"

namespace srcextract {

namespace {

constexpr float everything = std::numeric_limits<float>::infinity();

/// Estimates the typical variance of a mesh in the variance map. Only pixels that count in the mesh's sky level are
/// used: pixels within the image's first clipping limits, and then within the range of its histogram.
MeshNode variance_of_mesh(const MeshPixels& image, const MeshPixels& variance, const BackgroundConfig& config) {
  constexpr float bad = std::numeric_limits<float>::quiet_NaN();
  const MeshSums all = image.sum({-everything, everything});
  if (2 * all.count < image.area()) return {bad, bad};
  const MeshCut cut = cut_of(mean_and_sigma(all));
  const MeshSums survivors = image.sum(cut);
  const MeshBins bins(survivors, mean_and_sigma(survivors));

  const MeshCut own_cut =
      cut_of(mean_and_sigma(variance.sum({-everything, everything}, image, {-everything, everything})));
  const MeshSums own = variance.sum(own_cut, image, cut);
  const MeshBins own_bins(own, mean_and_sigma(own));
  const PixelHistogram histogram(variance, own_bins.count,
                                 [&](std::int64_t row, std::int64_t x, int n, int none, int* out) {
                                   find_bins(variance.at(row, x), n, own_bins, image.at(row, x), bins, none, out);
                                 });
  return node_of(histogram.clip(config.kappa), own_bins, config.estimator);
}

NodeBuffers variance_nodes(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const MeshGrid& grid,
                           const BackgroundConfig& config, const Cpu& where) {
  constexpr std::int64_t meshes_per_piece = 16;
  NodeBuffers estimates(grid.nodes, where);
  parallel_for(grid.nodes.count(), meshes_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t row = begin / grid.nodes.width * grid.mesh.height;
    const std::int64_t end_row = ((end - 1) / grid.nodes.width + 1) * grid.mesh.height;
    const HeldRows held(image, row, end_row), of_variance(variance, row, end_row);
    std::vector<float> room, own_room;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t x = i % grid.nodes.width, y = i / grid.nodes.width;
      const MeshNode node =
          variance_of_mesh(MeshPixels(image, grid, x, y, room), MeshPixels(variance, grid, x, y, own_room), config);
      estimates.level[i] = node.level;
      estimates.rms[i] = node.rms;
    }
  });
  return estimates.filled_and_filtered(config, where);
}

}  // namespace

Value<double, Cpu> noise_scale(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                               const SkyMesh<Cpu>& sky, const BackgroundConfig& config, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(image, variance) && sky.grid.image == image.shape);
  const NodeBuffers nodes = variance_nodes(image, variance, sky.grid, config, where);
  std::vector<float> ratios;
  for (std::int64_t i = 0; i < nodes.level.size(); ++i)
    if (const float ratio = noise_ratio(sky.rms[i], nodes.level[i]); ratio > 0) ratios.push_back(ratio);
  return static_cast<double>(median_of(std::move(ratios)));
}

Value<double, Cpu> noise_scale(const Value<Background, Cpu>& sky, const Value<Background, Cpu>& of_variance,
                               const Cpu&) {
  return noise_ratio(*sky, *of_variance);
}

void set_noise_scale(Value<Levels, Cpu>& levels, const Value<double, Cpu>& scale, const Cpu&) {
  levels->noise_scale = *scale;
}

}  // namespace srcextract
