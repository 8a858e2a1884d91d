#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/mesh_estimate.hpp"

// The steps from the estimates of meshes to the nodes of the spline, for single nodes. CPU and GPU share this code.

namespace srcextract {

struct NodeView {
  const float *level, *rms;
  std::int64_t width, height;

  SRCEXTRACT_HOST_DEVICE MeshNode at(std::int64_t x, std::int64_t y) const {
    return {level[y * width + x], rms[y * width + x]};
  }
};

template <class Mesh>
NodeView nodes_of(const Mesh& mesh) {
  return {mesh.level.data(), mesh.rms.data(), mesh.grid.nodes.width, mesh.grid.nodes.height};
}

SRCEXTRACT_HOST_DEVICE inline bool is_bad(const MeshNode& node) {
  return node.level != node.level;
}

/// Finds the good nodes that are nearest to a bad node.
class NearestNodes {
 public:
  /// If `sloped`, the noise goes on beyond a good node as it changes towards it: along the line from the node behind,
  /// if that is good, to at most twice and at least half.
  SRCEXTRACT_HOST_DEVICE NearestNodes(const NodeView& nodes, std::int64_t x, std::int64_t y, bool sloped)
      : nodes_(nodes), x_(x), y_(y), sloped_(sloped) {}

  /// Returns the mean of the nearest good nodes; level 0 and noise 1 if there is no good node. The search grows a
  /// square around the node until no node outside the square can be as near as the nodes found.
  SRCEXTRACT_HOST_DEVICE MeshNode mean() {
    const std::int64_t farthest = nodes_.width > nodes_.height ? nodes_.width : nodes_.height;
    for (std::int64_t reach = 1; reach < farthest && (count_ == 0 || reach * reach <= nearest_); ++reach) {
      for (std::int64_t y = y_ - reach; y <= y_ + reach; ++y) {
        const bool whole_row = y == y_ - reach || y == y_ + reach;
        for (std::int64_t x = x_ - reach; x <= x_ + reach; x += whole_row ? 1 : 2 * reach) look_at(x, y);
      }
    }
    if (count_ == 0) return {0, 1};
    return {static_cast<float>(level_ / static_cast<double>(count_)),
            static_cast<float>(rms_ / static_cast<double>(count_))};
  }

 private:
  SRCEXTRACT_HOST_DEVICE void look_at(std::int64_t x, std::int64_t y) {
    if (x < 0 || y < 0 || x >= nodes_.width || y >= nodes_.height) return;
    const MeshNode node = nodes_.at(x, y);
    const std::int64_t distance = (x - x_) * (x - x_) + (y - y_) * (y - y_);
    if (is_bad(node) || (count_ > 0 && distance > nearest_)) return;
    if (count_ == 0 || distance < nearest_) {
      nearest_ = distance;
      level_ = rms_ = 0;
      count_ = 0;
    }
    level_ += static_cast<double>(node.level);
    rms_ += rms_from(x, y, static_cast<double>(node.rms));
    ++count_;
  }

  SRCEXTRACT_HOST_DEVICE double rms_from(std::int64_t x, std::int64_t y, double rms) const {
    const std::int64_t behind_x = 2 * x - x_, behind_y = 2 * y - y_;
    if (!sloped_ || behind_x < 0 || behind_y < 0 || behind_x >= nodes_.width || behind_y >= nodes_.height) return rms;
    const MeshNode behind = nodes_.at(behind_x, behind_y);
    if (is_bad(behind)) return rms;
    const double on = 2 * rms - static_cast<double>(behind.rms);
    return on < rms / 2 ? rms / 2 : on > 2 * rms ? 2 * rms : on;
  }

  const NodeView& nodes_;
  std::int64_t x_, y_;
  bool sloped_;
  std::int64_t nearest_ = 0, count_ = 0;
  double level_ = 0, rms_ = 0;
};

/// Returns node (x, y); if that node is bad, the mean of the nearest good nodes (NearestNodes).
SRCEXTRACT_HOST_DEVICE inline MeshNode filled_node(const NodeView& nodes, std::int64_t x, std::int64_t y,
                                                   bool sloped = false) {
  const MeshNode node = nodes.at(x, y);
  return is_bad(node) ? NearestNodes(nodes, x, y, sloped).mean() : node;
}

/// Whether the noise goes on into gaps as it changes towards them. The noise of a radio map rises to its edges, where
/// half of a mesh is a large part of the way; SExtractor's does not.
inline bool has_sloped_gaps(const BackgroundConfig& config) {
  return config.mesh_beams > 0;
}

/// Returns the median of an odd number of values by selection (Hoare 1961, "Find"). The values are reordered.
SRCEXTRACT_HOST_DEVICE inline float median_of_many(float* values, int count) {
  const int middle = count / 2;
  for (int low = 0, high = count - 1; low < high;) {
    const float pivot = values[middle];
    int left = low, right = high;
    while (left <= right) {
      while (values[left] < pivot) ++left;
      while (pivot < values[right]) --right;
      if (left > right) break;
      const float value = values[left];
      values[left++] = values[right];
      values[right--] = value;
    }
    if (right < middle) low = left;
    if (middle < left) high = right;
  }
  return values[middle];
}

/// Returns value number count / 2, from 0 and in ascending order: the median of an odd number of values. The values are
/// reordered, and none before this one is larger. Insertion sort is used for up to 25 values,
/// selection for more.
SRCEXTRACT_HOST_DEVICE inline float median_of_few(float* values, int count) {
  constexpr int few = 25;
  if (count > few) return median_of_many(values, count);
  for (int i = 1; i < count; ++i) {
    const float value = values[i];
    int k = i;
    for (; k > 0 && values[k - 1] > value; --k) values[k] = values[k - 1];
    values[k] = value;
  }
  return values[count / 2];
}

/// Maximum width and height of the median filter, in nodes.
inline constexpr int most_filter_size = 15;

/// Widens the median filter for a second estimate, from an image in units of the first mesh's noise. The noise of that
/// image is nearly 1 everywhere, so more nodes can be combined. The second estimate then adds hardly any noise to the
/// first.
inline BackgroundConfig widened_filter(BackgroundConfig config) {
  const auto widened = [](std::int64_t size) {
    return size > 0 ? std::min<std::int64_t>(2 * size - 1, most_filter_size) : 0;
  };
  config.filter_size = widened(config.filter_size);
  config.filter_height = widened(config.filter_height);
  return config;
}

/// The median of an even number of values, the mean of the two middle values `lower` and `upper`.
SRCEXTRACT_HOST_DEVICE inline float middle_of(float lower, float upper) {
  return static_cast<float>((static_cast<double>(lower) + static_cast<double>(upper)) / 2);
}

/// Returns the median of any number of values, which are reordered.
SRCEXTRACT_HOST_DEVICE inline float median_in(float* values, int count) {
  const float upper = median_of_few(values, count);
  if (count % 2 != 0) return upper;
  float lower = values[0];
  for (int i = 1; i < count / 2; ++i) lower = lower < values[i] ? values[i] : lower;
  return middle_of(lower, upper);
}

/// The nodes along one axis [first, last] that the median filter covers.
struct FilterReach {
  std::int64_t first, last;
};

/// Returns the nodes around `at` that a filter of `side` nodes covers: as many on both sides, fewer near an edge.
SRCEXTRACT_HOST_DEVICE inline FilterReach even_reach(std::int64_t at, std::int64_t size, std::int64_t side) {
  std::int64_t reach = side / 2;
  reach = at < reach ? at : reach;
  reach = size - 1 - at < reach ? size - 1 - at : reach;
  return {at - reach, at + reach};
}

/// As even_reach(), but near an edge the filter keeps the nodes on the other side.
SRCEXTRACT_HOST_DEVICE inline FilterReach whole_reach(std::int64_t at, std::int64_t size, std::int64_t side) {
  const std::int64_t first = at - side / 2, last = at + side / 2;
  return {first < 0 ? 0 : first, last < size ? last : size - 1};
}

/// Most meshes along an axis of a radio map that counts as small.
inline constexpr std::int64_t few_meshes = 5;

/// Returns the node with the medians of the nodes around it. In the corner of an image the filter covers that node
/// alone. A mesh of a radio map has few independent pixels, and a small map has hardly other meshes: there the level is
/// the median of all nodes that the filter reaches.
SRCEXTRACT_HOST_DEVICE inline MeshNode filtered_node(const NodeView& nodes, std::int64_t x, std::int64_t y,
                                                     const BackgroundConfig& config) {
  const std::int64_t rows = config.filter_height > 0 ? config.filter_height : config.filter_size;
  const auto reach_in = [&](std::int64_t at, std::int64_t size, std::int64_t side, bool whole) {
    return whole && size <= few_meshes ? whole_reach(at, size, side) : even_reach(at, size, side);
  };
  float values[most_filter_size * most_filter_size]{};
  const auto median = [&](const float* all, bool whole) {
    const FilterReach of_x = reach_in(x, nodes.width, config.filter_size, whole);
    const FilterReach of_y = reach_in(y, nodes.height, rows, whole);
    int count = 0;
    for (std::int64_t row = of_y.first; row <= of_y.last; ++row)
      for (std::int64_t column = of_x.first; column <= of_x.last; ++column)
        values[count++] = all[row * nodes.width + column];
    return median_in(values, count);
  };
  const MeshNode node = nodes.at(x, y);
  const float level = median(nodes.level, config.mesh_beams > 0);
  const auto difference = static_cast<double>(level) - static_cast<double>(node.level);
  if (!(std::fabs(difference) >= config.filter_threshold)) return node;
  return {level, median(nodes.rms, false)};
}

/// Whether a mesh of `area` pixels has too few unmasked ones for an estimate: less than half. A surface through many
/// meshes (BackgroundSurface::quadric) takes those with a quarter.
SRCEXTRACT_HOST_DEVICE inline bool too_few(std::int64_t unmasked, std::int64_t area, BackgroundSurface surface) {
  return (surface == BackgroundSurface::quadric ? 4 : 2) * unmasked < area;
}

/// Converts a node of an image in units of noise (mask_bright) to counts. `unit` is the node of the first mesh at the
/// same place. The noise is multiplied by rms_factor. A noise of less than 0.3 of the first is none: in an image of
/// whole numbers that differ by more than the noise, a clip may keep a single value. The result is `unit` then.
SRCEXTRACT_HOST_DEVICE inline MeshNode node_of_units(const MeshNode& node, const MeshNode& unit, double rms_factor) {
  constexpr float least_noise = 0.3F;
  if (unit.rms > 0 && node.rms < least_noise) return unit;
  const double noise = unit.rms > 0 ? static_cast<double>(unit.rms) : 1;
  return {static_cast<float>(static_cast<double>(unit.level) + static_cast<double>(node.level) * noise),
          static_cast<float>(static_cast<double>(node.rms) * noise * rms_factor)};
}

/// Turns -0 into +0. A search for a minimum or median may find either zero, and results must not depend on which.
SRCEXTRACT_HOST_DEVICE inline float unsigned_zero(float value) {
  return value + 0.0F;
}

}  // namespace srcextract
