#pragma once

#include <cstdint>
#include <vector>

#include "io/tiles/tile_columns.hpp"

namespace srcextract {

/// A tile as one plane of the image sees it.
struct PlaneTile {
  std::int64_t number;               ///< the row of the table, from 0
  std::int64_t x, y, width, height;  ///< in the plane
  std::int64_t before;               ///< pixels of the tile that precede those in the plane
  std::int64_t pixels;               ///< of the whole tile, which may reach through several planes
};

/// A thread decodes as many tiles at a time, at most, if none has more pixels than these: what they are made from is to
/// stay in its core's cache.
inline constexpr std::int64_t most_tiles_together = 8, most_pixels_together = std::int64_t{1} << 16;

/// Memory, at most, for the tiles that are decoded at a time by all threads of the machine. Throws Error{input} if
/// ZTILEn make no sense.
std::int64_t tile_memory(const Hdu& hdu);

/// How the pixels of an image of any number of axes are divided into tiles (FITS Standard 4.0, 10.1).
class TileGrid {
 public:
  /// Throws Error{input} if there are not as many tiles as the table has rows, or if one has 2^31 pixels or more.
  explicit TileGrid(const TileTable& table);

  std::int64_t tiles() const { return tiles_; }

  /// Pixels of a tile; those at the upper edges of the image are smaller.
  std::int64_t pixels(std::int64_t tile) const;

  std::int64_t plane_width() const { return axes_[0].length; }
  std::int64_t tile_height() const { return axes_.size() > 1 ? axes_[1].tile : 1; }
  std::int64_t tiles_across() const { return axes_[0].tiles; }
  std::int64_t tiles_down() const { return axes_.size() > 1 ? axes_[1].tiles : 1; }

  /// The tile in column `column` and row `row` of those in a plane (from 0).
  PlaneTile in_plane(std::int64_t plane, std::int64_t column, std::int64_t row) const;

 private:
  struct Axis {
    std::int64_t length, tile, tiles;
    std::int64_t begin(std::int64_t index) const { return index * tile; }
    std::int64_t size(std::int64_t index) const;
  };

  std::vector<Axis> axes_;
  std::int64_t tiles_ = 1;
};

}  // namespace srcextract
