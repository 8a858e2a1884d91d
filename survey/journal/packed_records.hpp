#pragma once

#include <cstdint>
#include <string_view>

#include "survey/inputs/packed_bytes.hpp"
#include "survey/journal/image_record.hpp"

namespace srcextract {

/// Stores millions of image records in about 100 bytes each. Common values (configurations, versions, directories,
/// endings of output names) are stored once. A record never moves, and may have a link to a next record. Several
/// threads may read at a time; only one may add records, and only while none reads.
class PackedRecords {
 public:
  using Place = PackedBytes::Place;
  static constexpr Place nowhere = ~Place{0};

  /// Stores a record without a link to a next record.
  Place add(const ImageRecord& record);

  ImageRecord at(Place place) const;

  /// Single members of a record, which are cheaper than at(): the name, and the HDU (-1 if the record has none).
  std::string_view name_at(Place place) const;
  int hdu_at(Place place) const;

  Place next_of(Place place) const;
  void set_next(Place place, Place next);

 private:
  PackedBytes bytes_;
};

}  // namespace srcextract
