#include "stages/clean/profile_grid.hpp"

#include <limits>
#include <utility>

namespace srcextract {
namespace {

/// Number of size classes; limits are powers of two, from 1 pixel on.
constexpr int sizes = 64;

}  // namespace

ProfileGrid::Layer ProfileGrid::make_layer(std::span<const CleanProfile> profiles, double size,
                                           std::vector<std::int32_t> members) {
  constexpr double reach = 10;  // of a profile, in semi-major axes
  Layer layer;
  layer.side = reach * size;
  layer.x_least = layer.y_least = std::numeric_limits<double>::infinity();
  double x_most = -layer.x_least, y_most = x_most;
  for (const std::int32_t i : members) {
    const CleanProfile& profile = profiles[static_cast<std::size_t>(i)];
    layer.x_least = std::min(layer.x_least, profile.x);
    layer.y_least = std::min(layer.y_least, profile.y);
    x_most = std::max(x_most, profile.x);
    y_most = std::max(y_most, profile.y);
    layer.largest = std::max(layer.largest, profile.a);
  }
  layer.columns = static_cast<std::int64_t>((x_most - layer.x_least) / layer.side) + 1;
  layer.rows = static_cast<std::int64_t>((y_most - layer.y_least) / layer.side) + 1;
  const auto cell_of = [&](std::int32_t i) {
    const CleanProfile& profile = profiles[static_cast<std::size_t>(i)];
    return static_cast<std::size_t>(layer.row(profile.y) * layer.columns + layer.column(profile.x));
  };
  layer.begin.assign(static_cast<std::size_t>(layer.columns * layer.rows) + 1, 0);
  for (const std::int32_t i : members) ++layer.begin[cell_of(i) + 1];
  for (std::size_t cell = 1; cell < layer.begin.size(); ++cell) layer.begin[cell] += layer.begin[cell - 1];
  layer.number.resize(members.size());
  std::vector<std::int64_t> next(layer.begin);
  for (const std::int32_t i : members) layer.number[static_cast<std::size_t>(next[cell_of(i)]++)] = i;
  return layer;
}

ProfileGrid::ProfileGrid(std::span<const CleanProfile> profiles) {
  std::vector<std::vector<std::int32_t>> members(sizes);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (!can_be_found(profiles[i])) continue;
    const int size = std::max(0, std::ilogb(std::max(profiles[i].a, 1.0F)));
    members[static_cast<std::size_t>(std::min(size, sizes - 1))].push_back(static_cast<std::int32_t>(i));
  }
  for (int size = 0; size < sizes; ++size) {
    std::vector<std::int32_t>& of_size = members[static_cast<std::size_t>(size)];
    if (!of_size.empty()) layers_.push_back(make_layer(profiles, std::ldexp(2.0, size), std::move(of_size)));
  }
}

}  // namespace srcextract
