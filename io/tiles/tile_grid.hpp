#pragma once

#include <cstdint>
#include <vector>

#include "io/tiles/tile_columns.hpp"

namespace srcextract {

/// A tile as seen in one plane of the image.
struct PlaneTile {
  std::int64_t number;               ///< row of the table, from 0
  std::int64_t x, y, width, height;  ///< position and size in the plane
  std::int64_t before;               ///< number of the tile's pixels that lie in earlier planes
  std::int64_t pixels;               ///< pixels of the whole tile, which may span several planes
};

/// Most tiles that a thread decodes together, and most pixels of such a tile: the input must fit into a core's cache.
inline constexpr std::int64_t most_tiles_together = 8, most_pixels_together = std::int64_t{1} << 16;

/// Upper limit on the memory of tiles that all threads of the machine decode at once. Throws Error{input} if ZTILEn is
/// invalid.
std::int64_t tile_memory(const Hdu& hdu);

/// Division of an image of any number of axes into tiles (FITS Standard 4.0, 10.1).
class TileGrid {
 public:
  /// Throws Error{input} if the number of tiles differs from the table's rows, or if a tile has 2^31 pixels or more.
  explicit TileGrid(const TileTable& table);

  std::int64_t tiles() const { return tiles_; }

  /// Pixels of a tile; tiles at the upper edges of the image are smaller.
  std::int64_t pixels(std::int64_t tile) const;

  std::int64_t plane_width() const { return axes_[0].length; }
  std::int64_t tile_height() const { return axes_.size() > 1 ? axes_[1].tile : 1; }
  std::int64_t tiles_across() const { return axes_[0].tiles; }
  std::int64_t tiles_down() const { return axes_.size() > 1 ? axes_[1].tiles : 1; }

  /// The tile in column `column` and row `row` (from 0) of a plane.
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
