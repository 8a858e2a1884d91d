#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
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

/// A level as a pixel value. For integers, as in SEP, v + 1/2 without its fraction.
template <class T>
T as_pixel(float level) {
  if constexpr (std::is_integral_v<T>) {
    constexpr double least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return static_cast<T>(std::clamp(static_cast<double>(level) + 0.5, least, most));
  } else {
    return static_cast<T>(level);
  }
}

/// Sizes of meshes, and of the filter over them.
struct MeshSizes {
  std::int64_t width, height, filter_width, filter_height;
  double filter_threshold;
};

/// The pixels of mesh i as float, in place or in `room`. A NaN in the mask masks the pixel, as in SEP for backgrounds
/// alone.
MeshPixels pixels_of_mesh(const SepImage& image, const MeshSizes& sizes, const Shape& nodes, std::int64_t i,
                          std::vector<float>& room) {
  const std::int64_t width = image.shape.width, height = image.shape.height;
  const std::int64_t x = i % nodes.width * sizes.width, y = i / nodes.width * sizes.height;
  const std::int64_t first = y * width + x;
  const Shape mesh{std::min(sizes.width, width - x), std::min(sizes.height, height - y)};
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

/// Level and noise of each mesh; NaN if too much of it is masked.
std::vector<MeshNode> nodes_of_meshes(std::span<const MeshPixels> meshes, const BackgroundConfig& config) {
  constexpr float bad = std::numeric_limits<float>::quiet_NaN();
  static const float darkest = std::nextafter(-1e30F, 0.0F);  // SEP ignores darker pixels
  MeshCuts cuts;
  cuts.fill({darkest, std::numeric_limits<float>::infinity()});
  const MeshesSums all = sum_in_order(meshes, cuts);
  for (std::size_t i = 0; i < meshes.size(); ++i) cuts[i] = cut_of(mean_and_sigma(all[i]));
  const MeshesSums survivors = sum_in_order(meshes, cuts);
  std::vector<MeshNode> nodes;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const bool enough = 2 * all[i].count >= meshes[i].area();
    nodes.push_back(enough ? node_by_histogram(meshes[i], survivors[i], config) : MeshNode{bad, bad});
  }
  return nodes;
}

/// Level and noise of every mesh. Copies the pixels of a few meshes at a time, never the whole image.
NodeBuffers estimate(const SepImage& image, const MeshSizes& sizes, const BackgroundConfig& config, const Shape& nodes,
                     const Cpu& where) {
  NodeBuffers estimates(nodes, where);
  parallel_for(nodes.count(), meshes_together, where, [&](std::int64_t begin, std::int64_t end) {
    std::array<std::vector<float>, meshes_together> rooms;
    std::vector<MeshPixels> meshes;
    for (std::int64_t i = begin; i < end; ++i)
      meshes.push_back(pixels_of_mesh(image, sizes, nodes, i, rooms[meshes.size()]));
    const std::vector<MeshNode> found = nodes_of_meshes(meshes, config);
    for (std::int64_t i = begin; i < end; ++i) {
      const MeshNode& node = found[static_cast<std::size_t>(i - begin)];
      estimates.level[i] = node.level;
      estimates.rms[i] = node.rms;
    }
  });
  return estimates;
}

/// Distance along an axis and squared distance of the nearest good node to (x, y); 0 if there is none.
struct NearestNode {
  std::int64_t reach = 0, square = 0;

  NearestNode(const NodeView& nodes, std::int64_t x, std::int64_t y) {
    const std::int64_t farthest = std::max(nodes.width, nodes.height);
    for (std::int64_t r = 1; r < farthest && (square == 0 || r * r <= square); ++r) {
      for (std::int64_t row = std::max<std::int64_t>(0, y - r); row <= std::min(y + r, nodes.height - 1); ++row) {
        const bool whole_row = row == y - r || row == y + r;
        for (std::int64_t column = x - r; column <= x + r; column += whole_row ? 1 : 2 * r) {
          if (column < 0 || column >= nodes.width || is_bad(nodes.at(column, row))) continue;
          const std::int64_t distance = (column - x) * (column - x) + (row - y) * (row - y);
          if (square == 0 || distance < square) square = distance;
        }
      }
      if (square > 0) reach = r;
    }
  }
};

/// As filled_node(), with SEP's order and float precision of the sum over the nearest nodes.
MeshNode filled_as_sep(const NodeView& nodes, std::int64_t x, std::int64_t y) {
  const MeshNode node = nodes.at(x, y);
  if (!is_bad(node)) return node;
  const NearestNode nearest(nodes, x, y);
  MeshNode sum{0, 0};
  int count = 0;
  const std::int64_t last_row = std::min(y + nearest.reach, nodes.height - 1);
  const std::int64_t last_column = std::min(x + nearest.reach, nodes.width - 1);
  for (std::int64_t row = std::max<std::int64_t>(0, y - nearest.reach); row <= last_row; ++row) {
    for (std::int64_t column = std::max<std::int64_t>(0, x - nearest.reach); column <= last_column; ++column) {
      const MeshNode other = nodes.at(column, row);
      const std::int64_t distance = (column - x) * (column - x) + (row - y) * (row - y);
      if (distance != nearest.square || is_bad(other)) continue;
      sum = {sum.level + other.level, sum.rms + other.rms};
      ++count;
    }
  }
  if (count == 0) return {0, 1};
  return {sum.level / static_cast<float>(count), sum.rms / static_cast<float>(count)};
}

/// As filtered_node(), for a filter of any size.
MeshNode filtered(const NodeView& nodes, std::int64_t x, std::int64_t y, const MeshSizes& sizes) {
  const std::int64_t reach_x = std::min({sizes.filter_width / 2, x, nodes.width - 1 - x});
  const std::int64_t reach_y = std::min({sizes.filter_height / 2, y, nodes.height - 1 - y});
  std::vector<float> level, rms;
  for (std::int64_t row = y - reach_y; row <= y + reach_y; ++row) {
    for (std::int64_t column = x - reach_x; column <= x + reach_x; ++column) {
      level.push_back(nodes.at(column, row).level);
      rms.push_back(nodes.at(column, row).rms);
    }
  }
  const MeshNode node = nodes.at(x, y), middle{median_of(std::move(level)), median_of(std::move(rms))};
  const double difference = static_cast<double>(middle.level) - static_cast<double>(node.level);
  return std::fabs(difference) >= sizes.filter_threshold ? middle : node;
}

/// The sky of an image, for srcextract.sep.Background.
class SepBackground {
 public:
  SepBackground(const AnyArray& data, const OptionalArray& mask, double mask_threshold, std::int64_t width,
                std::int64_t height, std::int64_t filter_width, std::int64_t filter_height, double filter_threshold,
                int threads)
      : sizes_{width, height, filter_width, filter_height, filter_threshold} {
    const SepImage image = sep_image(data, mask, mask_threshold);
    do_watchfully([&] { find(image, Cpu{threads}); });
  }

  double level() const { return sky_.background->clipped.median; }
  /// 1 for an image without noise, as in SEP.
  double rms() const {
    const double found = sky_.background->clipped.sigma;
    return found > 0 ? found : 1;
  }

  /// Fills the map of the level or the noise.
  template <class T>
  void fill(const Results<T>& to, bool noise, int threads) const {
    for_each_row(noise, threads, [&](std::int64_t y, const float* row) {
      T* const out = to.data() + y * shape().width;
      for (std::int64_t x = 0; x < shape().width; ++x) out[x] = as_pixel<T>(row[x]);
    });
  }

  /// `to` = pixels - level; both may be the same array.
  template <class T>
  void subtract(const Values<T>& pixels, const Results<T>& to, int threads) const {
    for_each_row(false, threads, [&](std::int64_t y, const float* row) {
      const T* const in = pixels.data() + y * shape().width;
      T* const out = to.data() + y * shape().width;
      for (std::int64_t x = 0; x < shape().width; ++x) out[x] = static_cast<T>(in[x] - as_pixel<T>(row[x]));
    });
  }

 private:
  void find(const SepImage& image, const Cpu& where) {
    const Shape& shape = image.shape;
    const Shape nodes{(shape.width - 1) / sizes_.width + 1, (shape.height - 1) / sizes_.height + 1};
    BackgroundConfig config;
    const NodeBuffers estimates = estimate(image, sizes_, config, nodes, where);
    const NodeBuffers filled = estimates.made(where, filled_as_sep);
    const NodeBuffers smooth = filled.made(
        where, [&](const NodeView& all, std::int64_t x, std::int64_t y) { return filtered(all, x, y, sizes_); });
    config.filter_size = 1;
    sky_ = mesh_sky_of(smooth, {shape, {sizes_.width, sizes_.height}, nodes}, config, where);
  }

  const Shape& shape() const { return sky_.mesh.grid.image; }

  /// Calls body(y, values of the row) for all rows, without the GIL.
  template <class Body>
  void for_each_row(bool noise, int threads, const Body& body) const {
    const SkyMesh<Cpu>& mesh = sky_.mesh;
    const Buffer<float, Cpu>&nodes = noise ? mesh.rms : mesh.level, &bends = noise ? mesh.rms_bend : mesh.level_bend;
    const auto rows = [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> values(static_cast<std::size_t>(shape().width));
      MeshRow row(mesh.grid, nodes, bends);
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

  /// Fills a row if there is only one row of meshes; SEP then interpolates linearly between nodes.
  void fill_straight(const Buffer<float, Cpu>& nodes, std::vector<float>& values) const {
    const std::int64_t count = sky_.mesh.grid.nodes.width;
    const std::vector<float> unbent(static_cast<std::size_t>(count));
    for (std::int64_t x = 0; x < shape().width; ++x)
      values[static_cast<std::size_t>(x)] = spline_at(nodes.data(), unbent.data(), count, 1, sizes_.width, x);
  }

  MeshSizes sizes_;
  MeshSky<Cpu> sky_;
};

}  // namespace

void bind_sep_background(nb::module_& module) {
  using Self = SepBackground;
  nb::class_<Self> background(module, "SepBackground");
  background.def(nb::init<const AnyArray&, const OptionalArray&, double, std::int64_t, std::int64_t, std::int64_t,
                          std::int64_t, double, int>(),
                 nb::arg("data"), nb::arg("mask").none(), nb::arg("mask_threshold"), nb::arg("width"),
                 nb::arg("height"), nb::arg("filter_width"), nb::arg("filter_height"), nb::arg("filter_threshold"),
                 nb::arg("threads"));
  background.def_prop_ro("level", &Self::level).def_prop_ro("rms", &Self::rms);
  background.def("fill", &Self::fill<float>, nb::arg("to").noconvert(), nb::arg("noise"), nb::arg("threads"));
  background.def("fill", &Self::fill<double>, nb::arg("to").noconvert(), nb::arg("noise"), nb::arg("threads"));
  background.def("fill", &Self::fill<std::int32_t>, nb::arg("to").noconvert(), nb::arg("noise"), nb::arg("threads"));
  const auto def_subtract = [&](auto method) {
    background.def("subtract", method, nb::arg("pixels").noconvert(), nb::arg("to").noconvert(), nb::arg("threads"));
  };
  def_subtract(&Self::subtract<float>);
  def_subtract(&Self::subtract<double>);
  def_subtract(&Self::subtract<std::int32_t>);
}

}  // namespace srcextract::python
