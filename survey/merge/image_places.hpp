#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/fits/table_head.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {

/// Computes the positions of a survey's images on the sky. The position of an image is the mean position of up to 256
/// of its sources, taken at equal steps of rows. Takes 8 bytes per image.
class ImagePlaces {
 public:
  /// `images`: number of images; `columns`: the columns of the merged rows. If there are no columns of sky positions,
  /// no image has a position.
  ImagePlaces(std::size_t images, const std::vector<StoredColumn>& columns);

  /// Begins an image. The next `rows` rows that are added belong to that image.
  void begin(std::size_t image, std::int64_t rows);

  /// Adds whole rows of the merged table, as they are stored.
  void add(std::span<const std::byte> rows);

  /// Ends the last image, and returns the mean positions of all images by index.
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
