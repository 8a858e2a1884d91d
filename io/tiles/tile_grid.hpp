#pragma once

#include <cstdint>
#include <vector>

#include "io/tiles/tile_columns.hpp"

namespace srcextract {

/// The part of a tile that lies in one plane of the image.
struct PlaneTile {
  std::int64_t number;               ///< row of the tile in the table, from 0
  std::int64_t x, y, width, height;  ///< position (from 0) and size in the plane, in pixels
  std::int64_t before;               ///< number of the tile's pixels that lie in earlier planes
  std::int64_t pixels;               ///< number of pixels of the whole tile, which may span several planes
};

/// Largest number of tiles that a thread decodes in one call, and largest number of pixels in each of these tiles. The
/// limits keep the compressed tiles within the cache of a processor core.
inline constexpr std::int64_t most_tiles_together = 8, most_pixels_together = std::int64_t{1} << 16;

/// Returns an upper limit in bytes on the memory of tiles that all threads of the machine decode at once, and of
/// decoded tiles that TileReader keeps. Throws Error{input} if ZTILEn is invalid.
std::int64_t tile_memory(const Hdu& hdu);

/// Division of an image, with any number of axes, into tiles (FITS Standard 4.0, 10.1).
class TileGrid {
 public:
  /// Throws Error{input} if the number of tiles differs from the number of rows of the table, or if a tile has 2^31
  /// pixels or more.
  explicit TileGrid(const TileTable& table);

  std::int64_t tiles() const { return tiles_; }

  /// Number of pixels of a tile (from 0); tiles at the upper edges of the image may be smaller.
  std::int64_t pixels(std::int64_t tile) const;

  std::int64_t plane_width() const { return axes_[0].length; }
  std::int64_t tile_height() const { return axes_.size() > 1 ? axes_[1].tile : 1; }
  std::int64_t tiles_across() const { return axes_[0].tiles; }
  std::int64_t tiles_down() const { return axes_.size() > 1 ? axes_[1].tiles : 1; }

  /// Returns the tile in column `column` and row `row` of tiles (from 0) in plane `plane` (from 0).
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
