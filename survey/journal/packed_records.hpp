#pragma once

#include <cstdint>
#include <string_view>

#include "survey/inputs/packed_bytes.hpp"
#include "survey/journal/image_record.hpp"

namespace srcextract {

/// Millions of records in about a hundred bytes each. Common values (configurations, versions, directories, endings of
/// output names) are stored once. A record never moves, and may link to a next record. Several threads may read at
/// once; one thread may add.
class PackedRecords {
 public:
  /// Position of a record.
  using Place = PackedBytes::Place;
  static constexpr Place nowhere = ~Place{0};

  /// Adds a record without a next one.
  Place add(const ImageRecord& record);

  ImageRecord at(Place place) const;

  /// Single members, cheaper than at(): the name; the HDU, -1 without one.
  std::string_view name_at(Place place) const;
  int hdu_at(Place place) const;

  Place next_of(Place place) const;
  void set_next(Place place, Place next);

 private:
  PackedBytes bytes_;
};

}  // namespace srcextract
