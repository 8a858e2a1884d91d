#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "survey/journal/image_record.hpp"
#include "survey/journal/packed_records.hpp"

namespace srcextract {

/// The records of a file's images by HDU. -1 stands for the only image of a file, or for the file as a whole.
using ImagesOfFile = std::map<int, ImageRecord>;

/// The latest record of every image in the journals, by file name. All records of a file have the same file size,
/// modification time, number of images, configuration and program version; records that differ from a newer record in
/// these are dropped. Records are packed, and returned records are copies. Several threads may read at a time.
class Ledger {
 public:
  using Place = PackedRecords::Place;

  Ledger() : Ledger(std::make_shared<PackedRecords>()) {}
  /// Makes an empty ledger whose records are stored in `records`, which several ledgers may share.
  explicit Ledger(std::shared_ptr<PackedRecords> records) : records_(std::move(records)) {}
  Ledger(Ledger&&) = default;
  Ledger& operator=(Ledger&&) = default;
  Ledger(const Ledger& other);
  Ledger& operator=(const Ledger& other) { return *this = Ledger(other); }
  ~Ledger() = default;

  std::size_t size() const { return files_.size(); }
  bool empty() const { return size() == 0; }
  bool contains(std::string_view name) const { return find(name) != PackedRecords::nowhere; }

  /// The records of a file; empty if the file is unknown.
  ImagesOfFile images_of(std::string_view name) const;

  /// Enters an image's latest record, or the place of a record that is already in records().
  void remember(const ImageRecord& record) { remember(records_->add(record)); }
  void remember(Place place);

  void forget(std::string_view name, int hdu);

  /// Moves all records of a file from another ledger that stores its records in the same PackedRecords.
  void take(Ledger& other, std::string_view name);

  /// The places of one record of every file, in no particular order (places) or sorted by name (in_order).
  /// PackedRecords::next_of leads to the records of the file's other images.
  std::vector<Place> places() const;
  std::vector<Place> in_order() const;
  const std::shared_ptr<PackedRecords>& records() const { return records_; }

  /// Iterates over the files, sorted by name; elements are {name, images}.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  Place find(std::string_view name) const;
  void set(std::string_view name, Place place);

  std::shared_ptr<PackedRecords> records_;
  /// The first record of each file, by the file's name in a record, which never moves.
  std::unordered_map<std::string_view, Place> files_;
};

class Ledger::Iterator {
 public:
  using value_type = std::pair<std::string, ImagesOfFile>;
  using difference_type = std::ptrdiff_t;

  Iterator(const Ledger* ledger, std::vector<Place> order, std::size_t at)
      : ledger_(ledger), order_(std::make_shared<const std::vector<Place>>(std::move(order))), at_(at) {}

  value_type operator*() const;
  Iterator& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  const Ledger* ledger_;
  std::shared_ptr<const std::vector<Place>> order_;
  std::size_t at_;
};

}  // namespace srcextract
