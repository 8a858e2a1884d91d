#pragma once

#include <cstdint>
#include <string_view>

#include "survey/inputs/packed_bytes.hpp"
#include "survey/journal/image_record.hpp"

namespace srcextract {

/// Millions of records in about a hundred bytes each: what many of them say alike (configurations, versions,
/// directories, the ends of outputs' names) is kept once. A record stays where it is; each may have another that comes
/// next. Reading is for several threads at once, adding for one.
class PackedRecords {
 public:
  /// Of a record.
  using Place = PackedBytes::Place;
  static constexpr Place nowhere = ~Place{0};

  /// None comes next.
  Place add(const ImageRecord& record);

  ImageRecord at(Place place) const;

  /// Parts of it that cost less: its name; its HDU, -1 without one.
  std::string_view name_at(Place place) const;
  int hdu_at(Place place) const;

  Place next_of(Place place) const;
  void set_next(Place place, Place next);

 private:
  PackedBytes bytes_;
};

}  // namespace srcextract
