#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "survey/journal/image_record.hpp"
#include "survey/journal/packed_records.hpp"

namespace srcextract {

/// The records of a file's images by HDU (-1: the file's only image, or the file as a whole).
using ImagesOfFile = std::map<int, ImageRecord>;

/// The latest record of every image in the journals, by file name. All records of a file have the same size, time,
/// configuration and program; older ones are dropped. Records are packed, and returned records are copies. Several
/// threads may read at once.
class Ledger {
 public:
  using Place = PackedRecords::Place;

  Ledger() : Ledger(std::make_shared<PackedRecords>()) {}
  /// A ledger of records that are, or will be, in `records`; several ledgers may share `records`.
  explicit Ledger(std::shared_ptr<PackedRecords> records) : records_(std::move(records)) {}
  Ledger(Ledger&&) = default;
  Ledger& operator=(Ledger&&) = default;
  Ledger(const Ledger& other);
  Ledger& operator=(const Ledger& other) { return *this = Ledger(other); }
  ~Ledger() = default;

  /// Number of files.
  std::size_t size() const { return files_.size; }
  bool empty() const { return size() == 0; }
  bool contains(std::string_view name) const { return find(name) != PackedRecords::nowhere; }

  /// Empty if the file is unknown.
  ImagesOfFile images_of(std::string_view name) const;
  /// Throws std::out_of_range if the file is unknown.
  ImagesOfFile at(std::string_view name) const;

  /// Enters an image's latest record, or the place of a record that is packed already.
  void remember(const ImageRecord& record) { remember(records_->add(record)); }
  void remember(Place place);

  void forget(std::string_view name, int hdu);

  /// Moves all records of a file from another ledger that shares its `records`.
  void take(Ledger& other, std::string_view name);

  /// The places of one record of every file, in any order, or in the order of names; next_of leads to the file's other
  /// images.
  std::vector<Place> places() const;
  std::vector<Place> in_order() const;
  const std::shared_ptr<PackedRecords>& records() const { return records_; }

  /// Files in the order of names: {name, images}.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  /// A hash table by name of the first record of each file, five to eleven bytes a file. A file is in the first slot
  /// from that of its hash on that was free.
  struct Files {
    std::vector<Place> slots;  ///< as many as a power of two, never all full; `nowhere`: free
    std::size_t size = 0;
  };

  std::size_t slot_of(std::string_view name) const;
  Place find(std::string_view name) const;
  void set(std::string_view name, Place place);
  void erase(std::size_t slot);
  void make_room();

  std::shared_ptr<PackedRecords> records_;
  Files files_;
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

/// The images of the file whose list of records begins at `place`.
ImagesOfFile images_from(const PackedRecords& records, PackedRecords::Place place);

}  // namespace srcextract
