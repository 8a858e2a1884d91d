#include "survey/merge/image_places.hpp"

#include <utility>

namespace srcextract {
namespace {

constexpr std::int64_t most_rows = 256;  // maximum number of rows per image that are averaged

}  // namespace

ImagePlaces::ImagePlaces(std::size_t images, const std::vector<StoredColumn>& columns) : places_(images) {
  std::optional<const char*> missing;
  columns_.emplace(columns, missing);
  if (missing) columns_.reset();
  for (const StoredColumn& column : columns) row_bytes_ += static_cast<std::size_t>(column.bytes);
}

void ImagePlaces::begin(std::size_t image, std::int64_t rows) {
  end();
  image_ = image;
  row_ = 0;
  step_ = rows / most_rows + 1;
}

void ImagePlaces::add(std::span<const std::byte> rows) {
  for (; columns_ && !rows.empty(); rows = rows.subspan(row_bytes_)) {
    if (row_++ % step_ != 0) continue;
    if (const auto position = columns_->position(rows)) mean_.add(position->first, position->second);
  }
}

std::vector<SkyPlace> ImagePlaces::take() {
  end();
  return std::move(places_);
}

void ImagePlaces::end() {
  if (image_ < places_.size()) places_[image_] = mean_.value();
  mean_ = {};
}

}  // namespace srcextract
