#include "survey/journal/ledger.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <tuple>

namespace srcextract {
namespace {

bool same_origin(const ImageRecord& a, const ImageRecord& b) {
  const auto origin = [](const ImageRecord& record) {
    return std::tie(record.bytes, record.modified, record.images, record.config, record.program);
  };
  return origin(a) == origin(b);
}

}  // namespace

ImagesOfFile images_from(const PackedRecords& records, PackedRecords::Place place) {
  ImagesOfFile images;
  for (; place != PackedRecords::nowhere; place = records.next_of(place))
    images.emplace(records.hdu_at(place), records.at(place));
  return images;
}

Ledger::Ledger(const Ledger& other) : Ledger() {
  for (const auto& [name, images] : other) {
    for (const auto& [hdu, record] : images) remember(record);
  }
}

ImagesOfFile Ledger::images_of(std::string_view name) const {
  return images_from(*records_, find(name));
}

ImagesOfFile Ledger::at(std::string_view name) const {
  ImagesOfFile images = images_of(name);
  if (images.empty()) throw std::out_of_range("no such file in the ledger");
  return images;
}

/// Records of the same file are a linked list.
void Ledger::remember(Place place) {
  const std::string_view name = records_->name_at(place);
  Place first = find(name);
  if (first != PackedRecords::nowhere && !same_origin(records_->at(first), records_->at(place)))
    first = PackedRecords::nowhere;
  set(name, first);
  if (first != PackedRecords::nowhere) forget(name, records_->hdu_at(place));
  records_->set_next(place, find(name));
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
  places.reserve(files_);
  for (const Place slot : slots_) {
    if (slot >= first_place) places.push_back(slot - first_place);
  }
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
  return {this, {}, files_};
}

Ledger::Iterator::value_type Ledger::Iterator::operator*() const {
  const Place place = (*order_)[at_];
  return {std::string(ledger_->records_->name_at(place)), images_from(*ledger_->records_, place)};
}

Ledger::Place Ledger::find(std::string_view name) const {
  if (slots_.empty()) return PackedRecords::nowhere;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = std::hash<std::string_view>{}(name)&mask; slots_[i] != free_slot; i = (i + 1) & mask) {
    if (slots_[i] >= first_place && records_->name_at(slots_[i] - first_place) == name) return slots_[i] - first_place;
  }
  return PackedRecords::nowhere;
}

/// The slot of the name, or the free slot for it.
Ledger::Place& Ledger::slot_of(std::string_view name) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = std::hash<std::string_view>{}(name)&mask;
  while (slots_[i] != free_slot && !(slots_[i] >= first_place && records_->name_at(slots_[i] - first_place) == name))
    i = (i + 1) & mask;
  return slots_[i];
}

void Ledger::set(std::string_view name, Place place) {
  make_room();
  Place& slot = slot_of(name);
  const bool is_known = slot >= first_place, is_wanted = place != PackedRecords::nowhere;
  if (!is_known && !is_wanted) return;
  if (slot == free_slot) ++used_slots_;
  files_ += static_cast<std::size_t>(is_wanted) - static_cast<std::size_t>(is_known);
  slot = is_wanted ? place + first_place : left_slot;
}

/// Keeps at least a quarter of the slots free.
void Ledger::make_room() {
  if (4 * (used_slots_ + 1) <= 3 * slots_.size()) return;
  std::size_t room = 16;
  while (room * 3 < 8 * (files_ + 1)) room *= 2;
  const std::vector<Place> before = std::exchange(slots_, std::vector<Place>(room, free_slot));
  used_slots_ = files_;
  for (const Place slot : before) {
    if (slot >= first_place) slot_of(records_->name_at(slot - first_place)) = slot;
  }
}

}  // namespace srcextract
