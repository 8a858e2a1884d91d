#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/fits/table_head.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {

/// Computes where the images of a survey are on the sky: the mean position of up to 256 of an image's sources, evenly
/// by row. Takes 8 bytes an image.
class ImagePlaces {
 public:
  /// `images`: number of images; `columns`: columns of the merged rows. Without columns of positions, no place is
  /// known.
  ImagePlaces(std::size_t images, const std::vector<StoredColumn>& columns);

  /// Begins an image: the next `rows` rows belong to it.
  void begin(std::size_t image, std::int64_t rows);

  /// Takes whole rows.
  void add(std::span<const std::byte> rows);

  /// Ends the last image, and returns the mean positions of all images.
  std::vector<SkyPlace> take();

 private:
  void end();

  std::vector<SkyPlace> places_;
  std::optional<SkyColumns> columns_;
  std::size_t row_bytes_ = 0;
  std::size_t image_ = 0;
  std::int64_t row_ = 0, step_ = 1;
  MeanPlace mean_;
};

}  // namespace srcextract
