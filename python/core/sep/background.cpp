#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/core/interrupt.hpp"
#include "python/core/sep/image.hpp"
#include "python/core/sep/sums_in_order.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/sky/mesh_rows.hpp"
#include "stages/sky/node_buffers.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

constexpr std::int64_t rows_per_piece = 32;

/// Converts a level to a pixel value. For integers, rounds as SEP does: adds 1/2 and drops the fraction.
template <class T>
T as_pixel(float level) {
  if constexpr (std::is_integral_v<T>) {
    constexpr double least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return static_cast<T>(std::clamp(static_cast<double>(level) + 0.5, least, most));
  } else {
    return static_cast<T>(level);
  }
}

/// The pixels of mesh i as float: a view of the image if possible, else a copy in `room`. A NaN in the mask masks the
/// pixel, as in SEP's background.
MeshPixels pixels_of_mesh(const SepImage& image, const MeshGrid& grid, std::int64_t i, std::vector<float>& room) {
  const std::int64_t width = image.shape.width, height = image.shape.height;
  const std::int64_t x = i % grid.nodes.width * grid.mesh.width, y = i / grid.nodes.width * grid.mesh.height;
  const std::int64_t first = y * width + x;
  const Shape mesh{std::min(grid.mesh.width, width - x), std::min(grid.mesh.height, height - y)};
  const float* const floats = image.pixels.floats();
  if (floats != nullptr && !image.mask && mesh.count() > MeshPixels::most_copied) return {floats + first, mesh, width};
  room.resize(static_cast<std::size_t>(mesh.count()));
  image.pixels.with_type([&](const auto* pixels) {
    for (std::int64_t row = 0; row < mesh.height; ++row) {
      float* const out = room.data() + row * mesh.width;
      to_float(pixels + first + row * width, mesh.width, out);
      if (!image.mask) continue;
      for (std::int64_t column = 0; column < mesh.width; ++column)
        if (!(image.mask.at(first + row * width + column) <= image.mask_threshold)) out[column] = masked_pixel;
    }
  });
  return {room.data(), mesh, mesh.width};
}

/// Level and noise of every mesh; NaN if more than half of the mesh is masked. Copies only the pixels of
/// meshes_together meshes at a time.
NodeBuffers estimate(const SepImage& image, const MeshGrid& grid, const BackgroundConfig& config, const Cpu& where) {
  constexpr float bad = std::numeric_limits<float>::quiet_NaN();
  // The least value that counts, since the cut includes its ends: pixels of -1e30 or less are ignored, as in SEP.
  static const float darkest = std::nextafter(-1e30F, 0.0F);
  NodeBuffers estimates(grid.nodes, where);
  parallel_for(grid.nodes.count(), meshes_together, where, [&](std::int64_t begin, std::int64_t end) {
    std::array<std::vector<float>, meshes_together> rooms;
    std::vector<MeshPixels> meshes;
    for (std::int64_t i = begin; i < end; ++i) meshes.push_back(pixels_of_mesh(image, grid, i, rooms[meshes.size()]));
    MeshCuts cuts;
    cuts.fill({darkest, std::numeric_limits<float>::infinity()});
    const MeshesSums all = sum_in_order(meshes, cuts);
    for (std::size_t k = 0; k < meshes.size(); ++k) cuts[k] = cut_of(mean_and_sigma(all[k]));
    const MeshesSums survivors = sum_in_order(meshes, cuts);
    for (std::size_t k = 0; k < meshes.size(); ++k) {
      const bool enough = 2 * all[k].count >= meshes[k].area();
      const MeshNode node = enough ? node_by_histogram(meshes[k], survivors[k], config) : MeshNode{bad, bad};
      estimates.level[begin + static_cast<std::int64_t>(k)] = node.level;
      estimates.rms[begin + static_cast<std::int64_t>(k)] = node.rms;
    }
  });
  return estimates;
}

/// Like filled_node() (stages/sky/mesh_nodes.hpp): a node (the values of one mesh) without an estimate gets the mean of
/// the nearest nodes with an estimate. As in SEP, the mean is summed in float, in the order of rows and columns.
MeshNode filled_as_sep(const NodeView& nodes, std::int64_t x, std::int64_t y) {
  if (!is_bad(nodes.at(x, y))) return nodes.at(x, y);
  std::vector<std::pair<std::int64_t, std::int64_t>> nearest;  // row and column of each
  std::int64_t least = 0;                                      // squared distance of these nodes
  const std::int64_t farthest = std::max(nodes.width, nodes.height);
  for (std::int64_t r = 1; r < farthest && (nearest.empty() || r * r <= least); ++r) {
    for (std::int64_t row = std::max<std::int64_t>(0, y - r); row <= std::min(y + r, nodes.height - 1); ++row) {
      const bool whole_row = row == y - r || row == y + r;
      for (std::int64_t column = x - r; column <= x + r; column += whole_row ? 1 : 2 * r) {
        if (column < 0 || column >= nodes.width || is_bad(nodes.at(column, row))) continue;
        const std::int64_t distance = (column - x) * (column - x) + (row - y) * (row - y);
        if (!nearest.empty() && distance > least) continue;
        if (distance < least) nearest.clear();
        least = distance;
        nearest.emplace_back(row, column);
      }
    }
  }
  if (nearest.empty()) return {0, 1};
  std::ranges::sort(nearest);
  MeshNode sum{0, 0};
  for (const auto& [row, column] : nearest)
    sum = {sum.level + nodes.at(column, row).level, sum.rms + nodes.at(column, row).rms};
  const auto count = static_cast<float>(nearest.size());
  return {sum.level / count, sum.rms / count};
}

/// Like filtered_node() (stages/sky/mesh_nodes.hpp), but for a median filter of any size.
MeshNode filtered(const NodeView& nodes, std::int64_t x, std::int64_t y, const BackgroundConfig& config) {
  const std::int64_t reach_x = std::min({config.filter_size / 2, x, nodes.width - 1 - x});
  const std::int64_t reach_y = std::min({config.filter_height / 2, y, nodes.height - 1 - y});
  const auto median = [&](const float* all) {
    std::vector<float> values;
    for (std::int64_t row = y - reach_y; row <= y + reach_y; ++row)
      for (std::int64_t column = x - reach_x; column <= x + reach_x; ++column)
        values.push_back(all[row * nodes.width + column]);
    return median_of(std::move(values));
  };
  const MeshNode node = nodes.at(x, y);
  const float level = median(nodes.level);
  const double difference = static_cast<double>(level) - static_cast<double>(node.level);
  return std::fabs(difference) >= config.filter_threshold ? MeshNode{level, median(nodes.rms)} : node;
}

class SepBackground {
 public:
  SepBackground(const SepImage& image, std::int64_t width, std::int64_t height, std::int64_t filter_width,
                std::int64_t filter_height, double filter_threshold, int threads) {
    const MeshGrid grid = mesh_grid(image.shape, {width, height});
    BackgroundConfig config;
    config.filter_size = filter_width;
    config.filter_height = filter_height;
    config.filter_threshold = filter_threshold;
    do_watchfully([&] { find(image, grid, config, Cpu{threads}); });
  }

  double level() const { return sky_.background->clipped.median; }
  /// The noise of the whole image; 1 if the estimated noise is 0, as in SEP.
  double rms() const {
    const double found = sky_.background->clipped.sigma;
    return found > 0 ? found : 1;
  }

  /// Fills `to` with the level, or with the noise, of every pixel.
  template <class T>
  void fill(const Results<T>& to, bool noise, int threads) const {
    for_each_row(noise, threads, [&](std::int64_t y, const float* row) {
      T* const out = to.data() + y * shape().width;
      for (std::int64_t x = 0; x < shape().width; ++x) out[x] = as_pixel<T>(row[x]);
    });
  }

  /// Sets `to` to pixels - level. `pixels` and `to` may be the same array.
  template <class T>
  void subtract(const Values<T>& pixels, const Results<T>& to, int threads) const {
    for_each_row(false, threads, [&](std::int64_t y, const float* row) {
      const T* const in = pixels.data() + y * shape().width;
      T* const out = to.data() + y * shape().width;
      for (std::int64_t x = 0; x < shape().width; ++x) out[x] = static_cast<T>(in[x] - as_pixel<T>(row[x]));
    });
  }

 private:
  void find(const SepImage& image, const MeshGrid& grid, BackgroundConfig& config, const Cpu& where) {
    config.estimator = BackgroundEstimator::sextractor;
    const NodeBuffers filled = estimate(image, grid, config, where).made(where, filled_as_sep);
    NodeBuffers smooth = filled.made(
        where, [&](const NodeView& all, std::int64_t x, std::int64_t y) { return filtered(all, x, y, config); });
    config.rms_map = NoiseBetweenNodes::sextractor;
    sky_ = mesh_sky_of(filled, std::move(smooth), grid, config, where);
  }

  const Shape& shape() const { return sky_.mesh.grid.image; }

  /// Calls body(y, values of the row) for all rows in parallel, without the GIL.
  template <class Body>
  void for_each_row(bool noise, int threads, const Body& body) const {
    const SkyMesh<Cpu>& mesh = sky_.mesh;
    const Buffer<float, Cpu>&nodes = noise ? mesh.rms : mesh.level, &bends = noise ? mesh.rms_bend : mesh.level_bend;
    const auto rows = [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> values(static_cast<std::size_t>(shape().width));
      MeshRow row(mesh.grid, nodes, bends, false);
      for (std::int64_t y = begin; y < end; ++y) {
        if (mesh.grid.nodes.height > 1) {
          row.go_to(y);
          row.fill(values.data());
        } else {
          fill_straight(nodes, values);
        }
        body(y, values.data());
      }
    };
    do_watchfully([&] { parallel_for(shape().height, rows_per_piece, Cpu{threads}, rows); });
  }

  /// Computes the values of a row if there is only one row of meshes: as in SEP, by linear interpolation between nodes.
  void fill_straight(const Buffer<float, Cpu>& nodes, std::vector<float>& values) const {
    const std::int64_t count = sky_.mesh.grid.nodes.width;
    const std::vector<float> unbent(static_cast<std::size_t>(count));
    for (std::int64_t x = 0; x < shape().width; ++x)
      values[static_cast<std::size_t>(x)] =
          spline_at(nodes.data(), unbent.data(), count, 1, sky_.mesh.grid.mesh.width, x, false);
  }

  MeshSky<Cpu> sky_;
};

}  // namespace

void bind_sep_background(nb::module_& module) {
  using Self = SepBackground;
  nb::class_<Self> background(module, "SepBackground");
  background.def(nb::init<const SepImage&, std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, int>());
  background.def_prop_ro("level", &Self::level).def_prop_ro("rms", &Self::rms);
  const auto def_maps = [&]<class T>(T) {
    background.def("fill", &Self::fill<T>, nb::arg("to").noconvert(), nb::arg("noise"), nb::arg("threads"));
    background.def("subtract", &Self::subtract<T>, nb::arg("pixels").noconvert(), nb::arg("to").noconvert(),
                   nb::arg("threads"));
  };
  def_maps(0.0F);
  def_maps(0.0);
  def_maps(std::int32_t{});
}

}  // namespace srcextract::python
