#include "io/tiles/tile_grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include "stages/core/error.hpp"

namespace srcextract {

std::int64_t TileGrid::Axis::size(std::int64_t index) const {
  return std::min(tile, length - begin(index));
}

namespace {

/// Returns an upper limit in bytes on the decoded tiles that TileReader keeps because only a part of each was
/// requested. Each of the threads has begun at most two rows of tiles.
std::int64_t kept_of_plane(const Hdu& hdu, std::int64_t threads) {
  const std::int64_t width = hdu.axes[0], height = hdu.axes.size() > 1 ? hdu.axes[1] : 1;
  const std::int64_t side = std::clamp<std::int64_t>(hdu.header->integer("ZTILE2", 1).value_or(1), 1, height);
  const std::int64_t pixels = width * (side > height / (2 * threads) ? height : 2 * threads * side);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  return side == 1 ? 0 : std::min(pixels, most) * (std::abs(hdu.bitpix) / 8);
}

}  // namespace

std::int64_t tile_memory(const Hdu& hdu) {
  constexpr std::int64_t bytes_of_pixel = 16;  // HCOMPRESS_1 needs most: coefficients, two levels of sums, and integers
  const auto threads = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  std::int64_t tile = 1, all = 1;
  for (std::size_t axis = 0; axis < hdu.axes.size(); ++axis) {
    const std::int64_t length = hdu.axes[axis], whole = axis == 0 ? length : 1;
    const std::int64_t side = hdu.header->integer("ZTILE" + std::to_string(axis + 1), 1).value_or(whole);
    all *= length;
    tile *= std::min(side, length);
  }
  if (tile <= most_pixels_together) tile *= most_tiles_together;
  constexpr std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / (2 * bytes_of_pixel);  // more than any machine has
  all = std::min(all, most);
  return bytes_of_pixel * std::min(all, tile > all / threads ? all : tile * threads) + kept_of_plane(hdu, threads);
}

TileGrid::TileGrid(const TileTable& table) {
  const Hdu& hdu = table.hdu;
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::input, describe(hdu, table.path) + ": " + problem + "; fetch or make the file again");
  };
  std::int64_t largest = 1;
  bool possible = true;
  for (std::size_t axis = 0; axis < hdu.axes.size(); ++axis) {
    const std::int64_t whole = axis == 0 ? hdu.axes[0] : 1;
    const std::string keyword = "ZTILE" + std::to_string(axis + 1);
    const std::int64_t tile = table.hdu.header->integer(keyword).value_or(whole);
    if (tile < 1) fail(keyword + " = " + std::to_string(tile) + ", where a tile has one pixel at least");
    // ZTILEn may be greater than the length of the axis, by any amount.
    axes_.push_back(
        {hdu.axes[axis], std::min(tile, std::max<std::int64_t>(hdu.axes[axis], 1)), (hdu.axes[axis] - 1) / tile + 1});
    possible &= !__builtin_mul_overflow(tiles_, axes_.back().tiles, &tiles_);
    possible &= !__builtin_mul_overflow(largest, std::min(tile, hdu.axes[axis]), &largest) &&
                largest <= std::numeric_limits<std::int32_t>::max();
  }
  if (!possible) fail("its tiles have 2^31 pixels or more");
  if (tiles_ != table.rows) {
    fail("the table has " + std::to_string(table.rows) +
         " rows, but the number of tiles that ZNAXISn and ZTILEn make is " + std::to_string(tiles_));
  }
}

std::int64_t TileGrid::pixels(std::int64_t tile) const {
  std::int64_t pixels = 1;
  for (const Axis& axis : axes_) {
    pixels *= axis.size(tile % axis.tiles);
    tile /= axis.tiles;
  }
  return pixels;
}

PlaneTile TileGrid::in_plane(std::int64_t plane, std::int64_t column, std::int64_t row) const {
  const Axis rows = axes_.size() > 1 ? axes_[1] : Axis{1, 1, 1};
  PlaneTile tile{.number = column + row * axes_[0].tiles,
                 .x = axes_[0].begin(column),
                 .y = rows.begin(row),
                 .width = axes_[0].size(column),
                 .height = rows.size(row),
                 .before = 0,
                 .pixels = axes_[0].size(column) * rows.size(row)};
  std::int64_t tiles = axes_[0].tiles * rows.tiles;
  for (std::size_t number = 2; number < axes_.size(); ++number) {
    const Axis& axis = axes_[number];
    const std::int64_t at = plane % axis.length, index = at / axis.tile;
    plane /= axis.length;
    tile.number += index * tiles;
    tiles *= axis.tiles;
    tile.before += (at - axis.begin(index)) * tile.pixels;
    tile.pixels *= axis.size(index);
  }
  return tile;
}

}  // namespace srcextract
