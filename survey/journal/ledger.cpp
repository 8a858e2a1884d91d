#include "survey/journal/ledger.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace srcextract {
namespace {

bool same_origin(const ImageRecord& a, const ImageRecord& b) {
  const auto origin = [](const ImageRecord& record) {
    return std::tie(record.bytes, record.modified, record.images, record.config, record.program);
  };
  return origin(a) == origin(b);
}

/// The records of the file whose linked list of records begins at `place`.
ImagesOfFile images_from(const PackedRecords& records, PackedRecords::Place place) {
  ImagesOfFile images;
  for (; place != PackedRecords::nowhere; place = records.next_of(place))
    images.emplace(records.hdu_at(place), records.at(place));
  return images;
}

}  // namespace

Ledger::Ledger(const Ledger& other) : Ledger() {
  for (const auto& [name, images] : other) {
    for (const auto& [hdu, record] : images) remember(record);
  }
}

ImagesOfFile Ledger::images_of(std::string_view name) const {
  return images_from(*records_, find(name));
}

/// Puts a record at the head of the linked list of its file's records. An older record of the same image is dropped. If
/// size, time, number of images, configuration or program differ from the file's older records, all older records are
/// dropped.
void Ledger::remember(Place place) {
  const std::string_view name = records_->name_at(place);
  const Place first = find(name);
  Place next = PackedRecords::nowhere;
  if (first != PackedRecords::nowhere && same_origin(records_->at(first), records_->at(place))) {
    forget(name, records_->hdu_at(place));
    next = find(name);
  }
  records_->set_next(place, next);
  set(name, place);
}

void Ledger::forget(std::string_view name, int hdu) {
  Place before = PackedRecords::nowhere;
  for (Place place = find(name); place != PackedRecords::nowhere; place = records_->next_of(place)) {
    if (records_->hdu_at(place) == hdu) {
      const Place next = records_->next_of(place);
      if (before != PackedRecords::nowhere) return records_->set_next(before, next);
      return set(name, next);
    }
    before = place;
  }
}

void Ledger::take(Ledger& other, std::string_view name) {
  const Place place = other.find(name);
  if (place == PackedRecords::nowhere) return;
  set(name, place);
  other.set(name, PackedRecords::nowhere);
}

std::vector<Ledger::Place> Ledger::places() const {
  std::vector<Place> places;
  places.reserve(size());
  for (const auto& [name, place] : files_) places.push_back(place);
  return places;
}

std::vector<Ledger::Place> Ledger::in_order() const {
  std::vector<Place> order = places();
  std::ranges::sort(order, {}, [&](Place place) { return records_->name_at(place); });
  return order;
}

Ledger::Iterator Ledger::begin() const {
  return {this, in_order(), 0};
}

Ledger::Iterator Ledger::end() const {
  return {this, {}, size()};
}

Ledger::Iterator::value_type Ledger::Iterator::operator*() const {
  const Place place = (*order_)[at_];
  return {std::string(ledger_->records_->name_at(place)), images_from(*ledger_->records_, place)};
}

Ledger::Place Ledger::find(std::string_view name) const {
  const auto known = files_.find(name);
  return known != files_.end() ? known->second : PackedRecords::nowhere;
}

/// Makes `place` the first record of the file; `nowhere` forgets the file.
void Ledger::set(std::string_view name, Place place) {
  if (place == PackedRecords::nowhere)
    files_.erase(name);
  else
    files_.insert_or_assign(records_->name_at(place), place);
}

}  // namespace srcextract
