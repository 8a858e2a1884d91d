#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/tables/column_builder.hpp"
#include "io/votable/votable_field.hpp"

namespace srcextract {

/// Values of one FIELD in all rows. Only the values of selected elements are kept.
class VotableCells {
 public:
  explicit VotableCells(const VotableField& field) : field_(&field) {}

  const VotableField& field() const { return *field_; }

  /// Selects an element (index from 0) of every cell, to become column `place` of the result. Must be called before the
  /// first cell is added, in ascending order of elements.
  void keep(std::int64_t element, std::size_t place);
  bool kept() const { return !kept_.empty(); }

  /// Adds the next cell, given as text of a TD in TABLEDATA. Returns false if the text does not match the type of the
  /// FIELD.
  bool add_text(std::string_view text);

  /// Adds the next cell, given as bytes of BINARY. Returns false if the bytes do not match the type of the FIELD.
  bool add_bytes(std::span<const std::byte> bytes);

  void add_missing();

  /// Bytes of memory for all selected elements after `more` further rows (ColumnBuilder::bytes_with()).
  std::int64_t bytes_with(std::int64_t more) const;

  /// Moves the values to their columns in `columns`. The object cannot be used afterwards.
  void finish(std::vector<TableColumn>& columns);

 private:
  struct Kept {
    std::int64_t element;
    std::size_t place;
    ColumnBuilder values;
  };

  bool add_element_text(ColumnBuilder& values, std::string_view text) const;
  bool add_array_text(std::string_view text);
  bool add_element_bytes(Kept& kept, std::span<const std::byte> bytes) const;
  void add_integer(ColumnBuilder& values, std::int64_t value) const;

  const VotableField* field_;
  std::vector<Kept> kept_;
};

}  // namespace srcextract
