#include "io/tiles/tile_grid.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

std::int64_t TileGrid::Axis::size(std::int64_t index) const {
  return std::min(tile, length - begin(index));
}

TileGrid::TileGrid(FitsReader& reader, const Hdu& hdu) {
  std::int64_t largest = 1;
  bool possible = true;
  for (std::size_t axis = 0; axis < hdu.axes.size(); ++axis) {
    const std::int64_t whole = axis == 0 ? hdu.axes[0] : 1;
    const std::int64_t tile = reader.integer("ZTILE" + std::to_string(axis + 1)).value_or(whole);
    axes_.push_back({hdu.axes[axis], tile, (hdu.axes[axis] - 1) / tile + 1});
    possible &= !__builtin_mul_overflow(tiles_, axes_.back().tiles, &tiles_);
    // CFITSIO counts the pixels of a tile in 32 bits.
    possible &= !__builtin_mul_overflow(largest, tile, &largest) && largest <= std::numeric_limits<std::int32_t>::max();
  }
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::input, describe(hdu, reader.path()) + ": " + problem + "; fetch or make the file again");
  };
  if (!possible) fail("its tiles have more pixels than CFITSIO can decode");
  if (tiles_ != reader.integer("NAXIS2")) fail("it has not as many tiles as the image needs");
}

std::int64_t TileGrid::pixels(std::int64_t tile) const {
  std::int64_t pixels = 1;
  for (const Axis& axis : axes_) {
    pixels *= axis.size(tile % axis.tiles);
    tile /= axis.tiles;
  }
  return pixels;
}

void TileGrid::corners(std::int64_t tile, std::vector<long>& first, std::vector<long>& last) const {
  first.clear();
  last.clear();
  for (const Axis& axis : axes_) {
    const std::int64_t index = tile % axis.tiles;
    first.push_back(axis.begin(index) + 1);
    last.push_back(axis.begin(index) + axis.size(index));
    tile /= axis.tiles;
  }
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
